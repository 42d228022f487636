//! What the browser keeps for us to be read in pieces: bodies it has loaded, blobs of the page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::protocol::{Protocol, SessionId};

/// The most bytes that are read of one.
const LARGEST: usize = 256 * 1024 * 1024;

/// Reads all of a stream and closes it.
///
/// # Errors
/// What went wrong, in words.
pub(super) async fn read_stream(
    protocol: &dyn Protocol,
    session: &SessionId,
    handle: &str,
) -> Result<Vec<u8>, String> {
    let send = |method, params| protocol.send(Some(session), method, params);
    let mut bytes = Vec::new();
    let outcome = loop {
        let chunk = match send("IO.read", json!({ "handle": handle })).await {
            Ok(chunk) => chunk,
            Err(error) => break Err(error.to_string()),
        };
        match bytes_at(&chunk, "data") {
            Some(part) => bytes.extend_from_slice(&part),
            None => break Err("it came in a form that is not understood".to_owned()),
        }
        if bytes.len() > LARGEST {
            break Err("it is larger than 256 MiB".to_owned());
        }
        if chunk.get("eof").and_then(Value::as_bool) != Some(false) {
            break Ok(());
        }
    };
    drop(send("IO.close", json!({ "handle": handle })).await);
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
