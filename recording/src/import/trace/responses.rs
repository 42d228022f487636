//! The responses in a trace as an HTTP archive: it has their bodies in files of their own.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::archive::{Archive, TraceError, lines};
use super::text;

/// Bodies of all responses together, as `record` has it.
const MOST_BYTES: usize = 128 * 1024 * 1024;

/// The archive of the requests in the file `name`, as JSON; none: there are none.
pub(super) fn har(archive: &mut Archive<'_>, name: &str) -> Result<Option<String>, TraceError> {
    let events = lines(&archive.text(name)?);
    let is_request = |event: &Value| text(event, "/type") == "resource-snapshot";
    let entries = events.into_iter().filter(is_request);
    let mut entries: Vec<Value> = entries
        .filter_map(|mut event| Some(event.get_mut("snapshot")?.take()))
        .collect();
    if entries.is_empty() {
        return Ok(None);
    }
    // They are written down as they end.
    entries.sort_by(|one, other| {
        let began = |entry: &Value| entry.get("_monotonicTime").and_then(Value::as_f64);
        began(one)
            .unwrap_or_default()
            .total_cmp(&began(other).unwrap_or_default())
    });
    let (mut left, mut left_out) = (MOST_BYTES, 0_usize);
    for entry in &mut entries {
        if let Some(content) = entry.pointer_mut("/response/content")
            && let Some(body) = body_of(archive, content)?
        {
            if body.len() > left {
                left_out += 1;
                continue;
            }
            left -= body.len();
            content["text"] = json!(STANDARD.encode(body));
            content["encoding"] = json!("base64");
        }
        if let Some(sent) = entry.pointer_mut("/request/postData")
            && let Some(body) = body_of(archive, sent)?
            && let Ok(body) = String::from_utf8(body)
        {
            sent["text"] = json!(body);
        }
    }
    let mut log = json!({ "entries": entries });
    if left_out > 0 {
        log["comment"] = json!(format!(
            "{left_out} were left out: their bodies are more than {} MiB",
            MOST_BYTES / 1024 / 1024
        ));
    }
    Ok(Some(json!({ "log": log }).to_string()))
}

/// What is in the file that is named there; none: none is named, or there is none.
fn body_of(archive: &mut Archive<'_>, part: &Value) -> Result<Option<Vec<u8>>, TraceError> {
    let name = match (text(part, "/_file"), text(part, "/_sha1")) {
        ("", "") => return Ok(None),
        ("", digest) => format!("resources/{digest}"),
        (file, _) => file.to_owned(),
    };
    archive.bytes(&name)
}
