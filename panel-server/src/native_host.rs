//! What the browser starts when its extension looks for the back end.
//!
//! Each message is 4 bytes, how long it is in the byte order of the machine, and so many bytes of JSON
//! (<https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging>).

use std::io::{self, Read, Write};
use std::path::Path;

use querypoint::session::native_host::{HostReply, HostRequest};

use crate::running::{Running, find_or_start};
use app::failure::Failure;

/// A longer request is none of ours.
const LONGEST: u32 = 4096;

/// Answers on `output` what is read from `input` until the browser says no more. `state` is the folder of the back end.
///
/// # Errors
/// If the browser cannot be understood or answered.
pub fn answer(input: &mut impl Read, output: &mut impl Write, state: &Path) -> Result<(), Failure> {
    let unreadable = |error: io::Error| {
        Failure::NotPossible(format!("the browser's request could not be read: {error}"))
    };
    while let Some(request) = read(input).map_err(unreadable)? {
        let reply = match request {
            Request::Whole(request) => reply(&request, state),
            Request::TooLong(bytes) => HostReply::Error(format!(
                "the extension's request has {bytes} bytes, and none of ours has more than {LONGEST}; \
                 use the same version of both"
            )),
        };
        write(output, &reply).map_err(Failure::UnwritableOutput)?;
    }
    Ok(())
}

fn reply(request: &[u8], state: &Path) -> HostReply {
    match serde_json::from_slice(request) {
        Ok(HostRequest::BackEnd {}) => match find_or_start(state) {
            Ok(Running { url, secret }) => HostReply::BackEnd { url, secret },
            Err(error) => HostReply::Error(error.to_string()),
        },
        Err(error) => HostReply::Error(format!(
            "the extension wants what this version of querypoint does not know: {error}; use the same version of both"
        )),
    }
}

/// What the browser wants.
#[derive(Debug, PartialEq, Eq)]
enum Request {
    Whole(Vec<u8>),
    /// So many bytes, which were passed over.
    TooLong(u32),
}

/// The next request; none: the browser says no more.
fn read(input: &mut impl Read) -> io::Result<Option<Request>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_ne_bytes(length);
    let mut rest = input.take(u64::from(length));
    if length > LONGEST {
        io::copy(&mut rest, &mut io::sink())?;
        return Ok(Some(Request::TooLong(length)));
    }
    let mut request = Vec::new();
    rest.read_to_end(&mut request)?;
    Ok(Some(Request::Whole(request)))
}

fn write(output: &mut impl Write, reply: &HostReply) -> io::Result<()> {
    let text = serde_json::to_vec(reply)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    output.write_all(&length.to_ne_bytes())?;
    output.write_all(&text)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(text: &str) -> Vec<u8> {
        let length = u32::try_from(text.len()).unwrap();
        [&length.to_ne_bytes(), text.as_bytes()].concat()
    }

    #[test]
    fn requests_are_read_one_by_one() {
        let bytes = [framed("{}"), framed("[1]")].concat();
        let mut input = bytes.as_slice();
        let whole = |text: &[u8]| Some(Request::Whole(text.to_vec()));
        assert_eq!(read(&mut input).unwrap(), whole(b"{}"));
        assert_eq!(read(&mut input).unwrap(), whole(b"[1]"));
        assert_eq!(read(&mut input).unwrap(), None);
    }

    #[test]
    fn one_that_is_too_long_is_passed_over() {
        let bytes = [framed(&"x".repeat(5000)), framed("{}")].concat();
        let mut input = bytes.as_slice();
        assert_eq!(read(&mut input).unwrap(), Some(Request::TooLong(5000)));
        let next = Some(Request::Whole(b"{}".to_vec()));
        assert_eq!(read(&mut input).unwrap(), next);
        let mut input = &[255_u8; 8][..];
        assert_eq!(read(&mut input).unwrap(), Some(Request::TooLong(u32::MAX)));
    }

    #[test]
    fn what_is_no_request_is_answered_with_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for text in [
            "",
            "{",
            "{\"want\":\"shell\"}",
            "{\"want\":\"back-end\",\"run\":\"sh\"}",
        ] {
            let reply = reply(text.as_bytes(), folder.path());
            assert!(matches!(reply, HostReply::Error(_)), "{text}: {reply:?}");
        }
        // Nothing was started for it.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_reply_is_as_long_as_it_says() {
        let mut bytes = Vec::new();
        write(&mut bytes, &HostReply::Error("no".to_owned())).unwrap();
        assert_eq!(bytes, framed("{\"error\":\"no\"}"));
    }
}
