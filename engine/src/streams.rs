//! What the browser keeps for us to be read in pieces: bodies it has loaded, blobs of the page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Protocol, ProtocolError, SessionId};

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
    handle: &cdp::io::StreamHandle,
    most: usize,
) -> Result<Vec<u8>, ReadError> {
    let session = Some(session);
    let mut bytes = Vec::new();
    let outcome = loop {
        let read = cdp::io::Read::new(handle.as_str());
        let chunk = match protocol.call(session, &read).await {
            Ok(chunk) => chunk,
            Err(error) => break Err(ReadError::Protocol(error)),
        };
        match bytes_of(chunk.data, chunk.base64_encoded) {
            Some(part) => bytes.extend_from_slice(&part),
            None => break Err(ReadError::Malformed),
        }
        if bytes.len() > most {
            break Err(ReadError::TooLarge(most));
        }
        if chunk.eof {
            break Ok(());
        }
    };
    let close = cdp::io::Close::new(handle.as_str());
    drop(protocol.call(session, &close).await);
    outcome.map(|()| bytes)
}

/// The bytes that a text says, which may be written in base64.
pub(super) fn bytes_of(text: String, is_base64: Option<bool>) -> Option<Vec<u8>> {
    match is_base64 {
        Some(true) => STANDARD.decode(text).ok(),
        _ => Some(text.into_bytes()),
    }
}
