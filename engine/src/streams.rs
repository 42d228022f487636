//! What the browser keeps for us to be read in pieces: bodies it has loaded, blobs of the page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Protocol, ProtocolError, SessionId};

/// The most bytes that are read of what is read for its own sake.
pub(super) const LARGEST: usize = 256 * 1024 * 1024;

/// Why a stream was not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    /// The number of bytes that are read at most.
    #[error("it is larger than {} MiB", .0 >> 20)]
    TooLarge(usize),
    #[error("it came in a form that is not understood")]
    Malformed,
    #[error(transparent)]
    Protocol(ProtocolError),
}

/// Reads all of a stream, if that is no more than `most` bytes, and closes it.
///
/// # Errors
/// It is larger, or cannot be read.
pub(super) async fn read_stream(
    protocol: &dyn Protocol,
    session: &SessionId,
    handle: &str,
    most: usize,
) -> Result<Vec<u8>, ReadError> {
    let send = |method, params| protocol.send(Some(session), method, params);
    let mut bytes = Vec::new();
    let outcome = loop {
        let chunk = match send(cdp::io::Read::METHOD, json!({ "handle": handle })).await {
            Ok(chunk) => chunk,
            Err(error) => break Err(ReadError::Protocol(error)),
        };
        match bytes_at(&chunk, "data") {
            Some(part) => bytes.extend_from_slice(&part),
            None => break Err(ReadError::Malformed),
        }
        if bytes.len() > most {
            break Err(ReadError::TooLarge(most));
        }
        if chunk.get("eof").and_then(Value::as_bool) != Some(false) {
            break Ok(());
        }
    };
    drop(send(cdp::io::Close::METHOD, json!({ "handle": handle })).await);
    outcome.map(|()| bytes)
}

/// The bytes under `name`, which may be written in base64.
pub(super) fn bytes_at(value: &Value, name: &str) -> Option<Vec<u8>> {
    let text = value.get(name)?.as_str()?;
    if value.get("base64Encoded").and_then(Value::as_bool) == Some(true) {
        STANDARD.decode(text).ok()
    } else {
        Some(text.as_bytes().to_vec())
    }
}
