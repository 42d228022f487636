//! The bodies of responses, as far as they are read to be rewritten.
//!
//! What unpacks to more than memory holds must not be asked for in one piece: where nothing bounds a body, it is read
//! in pieces. A body that was begun so cannot go on as it is any more. And the headers of a body that is another one.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

use super::streams::{ReadError, bytes_of, read_stream};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::generated::fetch::HeaderEntry;
use cdp_driver::protocol::{Call as _, Protocol, ProtocolError, SessionId};

/// Larger ones are not rewritten, in bytes of what is unpacked.
pub(super) const LARGEST: usize = 64 * 1024 * 1024;

/// Why a larger one stays as it is.
pub(super) const TOO_LARGE: &str = "it is larger than 64 MiB and not rewritten";

/// What there is to rewrite.
pub(super) enum Body {
    /// It is all here, and the response can still go on as it is.
    Whole(Vec<u8>),
    /// It was read in pieces: whatever is to become of it, it must be given back.
    Taken(Vec<u8>),
    /// It has no form that is understood.
    Unreadable,
    /// It broke off while it was read in pieces, and can no longer go on.
    Broken,
    /// Its length says that it is too large; it can go on as it is.
    TooLarge,
    /// It turned out to be too large, and can no longer go on.
    TooLargeAfterAll,
}

/// Reads the body of the response that waits as `request`. `length` is the one that the server gave, of a body that is
/// not packed.
///
/// # Errors
/// Those of the connection, and what the browser refuses.
pub(super) async fn read_body(
    protocol: &Arc<dyn Protocol>,
    session: &SessionId,
    request: &str,
    length: Option<usize>,
) -> Result<Body, ProtocolError> {
    let session_id = Some(session);
    match length {
        Some(length) if length > LARGEST => return Ok(Body::TooLarge),
        Some(_) => {
            let whole = cdp::fetch::GetResponseBody::new(request);
            let told = protocol.call(session_id, &whole).await?;
            let bytes = bytes_of(told.body, told.base64_encoded);
            return Ok(bytes.map_or(Body::Unreadable, Body::Whole));
        }
        None => {}
    }
    let take = cdp::fetch::TakeResponseBodyAsStream::new(request);
    let handle = protocol.call(session_id, &take).await?.stream;
    match read_stream(protocol.as_ref(), session, &handle, LARGEST).await {
        Ok(bytes) => Ok(Body::Taken(bytes)),
        Err(ReadError::TooLarge(_)) => Ok(Body::TooLargeAfterAll),
        Err(ReadError::Protocol(error)) if error.is_fatal() => Err(error),
        Err(ReadError::Malformed | ReadError::Protocol(_)) => Ok(Body::Broken),
    }
}

/// What the bodies of responses were that were changed on their way into a tab, for whoever records it: the browser
/// only has what became of them. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct ReplacedBodies(Arc<Mutex<Replaced>>);

#[derive(Debug, Default)]
struct Replaced {
    /// By the request, as the network domain names it; none: there was no room for it.
    bodies: HashMap<String, Option<Vec<u8>>>,
    bytes: usize,
}

impl ReplacedBodies {
    /// So much is kept until somebody takes it.
    const MOST_BYTES: usize = 128 * 1024 * 1024;

    /// Keeps what a body was.
    pub(super) fn keep(&self, request: &str, body: &[u8]) {
        let mut replaced = self.0.lock();
        let has_room = replaced.bytes.saturating_add(body.len()) <= Self::MOST_BYTES;
        let body = has_room.then(|| body.to_vec());
        replaced.bytes += body.as_ref().map_or(0, Vec::len);
        replaced.bodies.insert(request.to_owned(), body);
    }

    /// What the body of a request was; `None`: it was not changed. Where there was no room for it, nothing is in it.
    pub(super) fn take(&self, request: &str) -> Option<Option<Vec<u8>>> {
        let mut replaced = self.0.lock();
        let body = replaced.bodies.remove(request)?;
        replaced.bytes -= body.as_ref().map_or(0, Vec::len);
        Some(body)
    }

    /// Another document comes: what nobody took belongs to the one before.
    pub(super) fn clear(&self) {
        *self.0.lock() = Replaced::default();
    }
}

/// The headers that still hold for a body of `length` bytes that is not compressed.
pub(super) fn kept_headers(headers: &[(String, String)], length: usize) -> Vec<HeaderEntry> {
    let mut kept: Vec<HeaderEntry> = headers
        .iter()
        .filter(|(name, _)| {
            !["content-length", "content-encoding", "transfer-encoding"]
                .iter()
                .any(|gone| name.eq_ignore_ascii_case(gone))
        })
        .map(|(name, value)| HeaderEntry::new(name, value))
        .collect();
    kept.push(HeaderEntry::new("Content-Length", length.to_string()));
    kept
}
