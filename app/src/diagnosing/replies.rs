//! What is said to a question, and how it is written: a word, or its beginning.

use std::path::Path;

use diagnosis::Answer;

use crate::failure::Failure;
use crate::files::read_file;

const WHAT: &str = "answers file";

/// What is said to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Whether the call is right.
    Is(Answer),
    /// An answer is taken back.
    Undo(UndoneAnswer),
    /// The diagnosis ends here.
    Quit,
    /// Nobody is there any more.
    NoMore,
}

/// An answer that is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoneAnswer {
    /// The last one.
    Last,
    /// That about the call which began with this event.
    OfCall(u64),
}

impl Reply {
    /// Reads a word, or its beginning where no other begins so: `v`, `undo #235`, `quit`. `None`: it is none.
    ///
    /// ```
    /// use app::diagnosing::{Reply, UndoneAnswer};
    /// use diagnosis::Answer;
    ///
    /// assert_eq!(Reply::read("ina"), Some(Reply::Is(Answer::Inadmissible)));
    /// assert_eq!(Reply::read("undo #235"), Some(Reply::Undo(UndoneAnswer::OfCall(235))));
    /// assert_eq!(Reply::read("maybe"), None);
    /// ```
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        if word.is_empty() {
            return None;
        }
        if let Some((first, call)) = word.split_once(char::is_whitespace) {
            let number = call.trim().trim_start_matches('#').parse().ok()?;
            let is_undo = first.starts_with("un") && "undo".starts_with(first);
            return is_undo.then_some(Self::Undo(UndoneAnswer::OfCall(number)));
        }
        let named = [
            ("undo", Self::Undo(UndoneAnswer::Last)),
            ("quit", Self::Quit),
        ];
        let answers = Answer::ALL.map(|it| (it.word(), Self::Is(it)));
        let mut found = answers.into_iter().chain(named);
        // The whole word before a beginning: `u` is unknown, `i` is invalid.
        found
            .find(|(name, _)| name.starts_with(&word))
            .map(|(_, reply)| reply)
    }

    /// Reads a line of an answers file: whole words.
    fn written(line: &str) -> Option<Self> {
        let first = line.split_whitespace().next()?;
        let is_whole = first == "undo" || Answer::ALL.iter().any(|it| it.word() == first);
        is_whole.then(|| Self::read(line)).flatten()
    }
}

/// Reads an answers file: one reply a line, in order. Lines that are empty or begin with `#` say nothing.
///
/// # Errors
/// If it cannot be read, or a line is no reply.
pub fn read_answers(path: &Path) -> Result<Vec<Reply>, Failure> {
    let text = read_file(WHAT, path)?;
    let lines = text.lines().map(str::trim).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(line, number)| {
            Reply::written(line).ok_or_else(|| Failure::UnusableFile {
                what: WHAT,
                path: path.to_owned(),
                reason: format!(
                    "line {number} is {line:?}; {}, or undo [#CALL]",
                    answer_words()
                ),
            })
        })
        .collect()
}

/// The words of answers, in a sentence.
#[must_use]
pub fn answer_words() -> String {
    let words = Answer::ALL.map(Answer::word).join(", ");
    format!("an answer is one of {words}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_word_is_enough() {
        let is = |text: &str, answer| Reply::read(text) == Some(Reply::Is(answer));
        assert!(is("v", Answer::Valid) && is("i", Answer::Invalid) && is("t", Answer::Trusted));
        assert!(is("u", Answer::Unknown) && is("ina", Answer::Inadmissible));
        let undone = |text: &str| match Reply::read(text) {
            Some(Reply::Undo(undone)) => Some(undone),
            _ => None,
        };
        assert_eq!(undone("und"), Some(UndoneAnswer::Last));
        assert_eq!(undone("undo  #235"), Some(UndoneAnswer::OfCall(235)));
        assert_eq!(Reply::read("Q"), Some(Reply::Quit));
        for text in ["undo it", "valid 7", "", "yes"] {
            assert_eq!(Reply::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_line_of_a_file_is_whole_words() {
        let unknown = Reply::Is(Answer::Unknown);
        assert_eq!(Reply::written("unknown"), Some(unknown));
        let last = Reply::Undo(UndoneAnswer::Last);
        assert_eq!(Reply::written("undo"), Some(last));
        let of_call = Reply::Undo(UndoneAnswer::OfCall(235));
        assert_eq!(Reply::written("undo #235"), Some(of_call));
        for line in ["v", "und", "valid #7", "undo it", "quit", ""] {
            assert_eq!(Reply::written(line), None, "{line}");
        }
    }

    #[test]
    fn a_file_is_read_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers.txt");
        std::fs::write(&path, "# the first\ninvalid\n\n  valid \n").unwrap();
        let said = [Reply::Is(Answer::Invalid), Reply::Is(Answer::Valid)];
        assert_eq!(read_answers(&path).unwrap(), said);
        std::fs::write(&path, "invalid\nperhaps\n").unwrap();
        let refused = read_answers(&path).unwrap_err().to_string();
        assert!(refused.contains("line 2 is \"perhaps\""), "{refused}");
    }
}
