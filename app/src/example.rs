//! The page that is shipped inside the program, with what goes wrong there and what to ask about it.

use querypoint::session::Session;
use recording::Recording;

use crate::failure::Failure;

/// The page, one file of HTML.
pub const PAGE: &str = include_str!("../../test-pages/counter/index.html");
const RECORDING: &str = include_str!("../../test-pages/counter/recording.json");

/// The reproduction point: as in the page's `expected.json`, which a test holds, and so are the others.
pub const AT: &str = "index.html:22";
/// What is asked there, to the defect.
pub const QUERIES: [&str; 2] = [
    "B = lastChange(R:myObject.myProperty)",
    "C = lastChange(B:myCondition.value)",
];
/// What is evaluated at each point.
pub const WATCHES: [&str; 1] = ["myCondition.value"];

/// What brings the bug.
///
/// # Errors
/// If this program was put together wrongly.
pub fn recording() -> Result<Recording, Failure> {
    Recording::parse(RECORDING).map_err(|error| {
        Failure::NotPossible(format!(
            "the recording inside this program is broken: {error}"
        ))
    })
}

/// A session about the page, which is in the file `page`, with its recording and its reproduction point; nothing has
/// been asked there yet.
///
/// # Errors
/// As [`recording`].
pub fn session(page: &str, recording: &Recording) -> Result<Session, Failure> {
    Session::of_page(page)
        .recorded(Some(recording.outline()))
        .stopped_at(AT)
        .map_err(|error| Failure::NotPossible(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Question;

    #[test]
    fn it_is_what_the_test_page_expects() {
        let expected: serde_json::Value =
            serde_json::from_str(include_str!("../../test-pages/counter/expected.json")).unwrap();
        assert_eq!(expected["at"], AT);
        assert_eq!(expected["queries"], serde_json::json!(QUERIES));
        assert_eq!(expected["watches"], serde_json::json!(WATCHES));
        assert!(Question::read(AT, &QUERIES, &WATCHES).is_ok());
        let session = session("counter.html", &recording().unwrap()).unwrap();
        assert_eq!(session.at.as_deref(), Some(AT));
        assert!(session.recording.is_some());
    }
}
