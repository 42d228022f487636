//! Where the answers of a person are from: a file, or standard input.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;
use std::sync::mpsc;

use app::cancelling::Cancellation;
use app::failure::Failure;
use diagnosis::Answer;

/// What is said to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Is(Answer),
    /// The last answer is taken back, or that about the call which began with this event.
    Undo(Option<u64>),
    Quit,
    /// Nobody is there any more.
    NoMore,
}

/// Where answers are from.
pub(super) enum Replies {
    /// A file: what its lines say, the next one last.
    Lines(Vec<Reply>),
    /// Standard input, line by line.
    Input(mpsc::Sender<()>, tokio::sync::mpsc::Receiver<String>),
}

impl Replies {
    pub(super) fn open(file: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = file else {
            return Ok(Self::of_input());
        };
        let text = std::fs::read_to_string(path).map_err(|source| Failure::UnreadableFile {
            what: "answers file",
            path: path.to_owned(),
            source,
        })?;
        let mut lines = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            lines.push(written(line).ok_or_else(|| Failure::UnusableFile {
                what: "answers file",
                path: path.to_owned(),
                reason: format!(
                    "line {number} is {line:?}; {}, or undo [#CALL]",
                    words_text()
                ),
            })?);
        }
        lines.reverse();
        Ok(Self::Lines(lines))
    }

    /// Lines are read by a thread of their own: a signal ends the wait.
    fn of_input() -> Self {
        let (ask, asked) = mpsc::channel::<()>();
        let (tell, told) = tokio::sync::mpsc::channel(1);
        std::thread::spawn(move || {
            while asked.recv().is_ok() {
                let mut line = String::new();
                match std::io::stdin().lock().read_line(&mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {
                        if tell.blocking_send(line).is_err() {
                            return;
                        }
                    }
                }
            }
        });
        Self::Input(ask, told)
    }

    /// Whether calls are to be shown.
    pub(super) const fn are_asked_for(&self) -> bool {
        matches!(self, Self::Input(..))
    }

    pub(super) async fn next(&mut self, number: usize) -> Result<Reply, Failure> {
        let words = "valid, invalid, trusted, unknown, inadmissible, undo [#CALL], quit? ";
        self.reply(&format!("{number}: {words}"), None).await
    }

    /// The answer to take back where nothing is asked any more: `None`: none is. A file may say it. Where the last
    /// answer was given by itself, who is at a terminal is asked; other input is at its end, or is not waited for.
    pub(super) async fn after_the_end(
        &mut self,
        is_by_itself: bool,
    ) -> Result<Option<Option<u64>>, Failure> {
        let is_asked = is_by_itself && std::io::stdin().is_terminal();
        if matches!(self, Self::Input(..)) && !is_asked {
            return Ok(None);
        }
        let prompt = "Enter to end, or undo [#CALL]? ";
        match self.reply(prompt, Some(Reply::Quit)).await? {
            Reply::Undo(call) => Ok(Some(call)),
            Reply::Is(_) | Reply::Quit | Reply::NoMore => Ok(None),
        }
    }

    /// The next reply; `empty` is what an empty line says.
    async fn reply(&mut self, prompt: &str, empty: Option<Reply>) -> Result<Reply, Failure> {
        let (ask, told) = match self {
            Self::Lines(lines) => return Ok(lines.pop().unwrap_or(Reply::NoMore)),
            Self::Input(ask, told) => (ask, told),
        };
        loop {
            if std::io::stdin().is_terminal() {
                anstream::eprint!("{prompt}");
            }
            if ask.send(()).is_err() {
                return Ok(Reply::NoMore);
            }
            let Some(line) = Cancellation::by_signals().or_work(told.recv()).await? else {
                return Ok(Reply::NoMore);
            };
            let line = line.trim();
            match (read(line), empty) {
                (Some(reply), _) => return Ok(reply),
                (None, Some(empty)) if line.is_empty() => return Ok(empty),
                (None, _) => anstream::eprintln!("{}", words_text()),
            }
        }
    }
}

fn words_text() -> String {
    let words: Vec<&str> = Answer::ALL.iter().map(|it| it.word()).collect();
    format!("an answer is one of {}", words.join(", "))
}

/// A line of an answers file: whole words.
fn written(line: &str) -> Option<Reply> {
    let first = line.split_whitespace().next()?;
    let is_whole = first == "undo" || Answer::ALL.iter().any(|it| it.word() == first);
    is_whole.then(|| read(line)).flatten()
}

/// A word, or its beginning where no other begins so.
fn read(word: &str) -> Option<Reply> {
    let word = word.to_lowercase();
    if word.is_empty() {
        return None;
    }
    if let Some((first, call)) = word.split_once(char::is_whitespace) {
        let number = call.trim().trim_start_matches('#').parse().ok()?;
        let is_undo = first.starts_with("un") && "undo".starts_with(first);
        return is_undo.then_some(Reply::Undo(Some(number)));
    }
    let named = [("undo", Reply::Undo(None)), ("quit", Reply::Quit)];
    let answers = Answer::ALL.map(|it| (it.word(), Reply::Is(it)));
    let mut found = answers.into_iter().chain(named);
    // The whole word before a beginning: `u` is unknown, `i` is invalid.
    found
        .find(|(name, _)| name.starts_with(&word))
        .map(|(_, reply)| reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_word_is_enough() {
        let is = |text: &str, answer| matches!(read(text), Some(Reply::Is(it)) if it == answer);
        assert!(is("v", Answer::Valid) && is("i", Answer::Invalid) && is("t", Answer::Trusted));
        assert!(is("u", Answer::Unknown) && is("ina", Answer::Inadmissible));
        assert!(matches!(read("und"), Some(Reply::Undo(None))));
        assert!(matches!(read("undo  #235"), Some(Reply::Undo(Some(235)))));
        assert!(read("undo it").is_none() && read("valid 7").is_none());
        assert!(matches!(read("Q"), Some(Reply::Quit)));
        assert!(read("").is_none() && read("yes").is_none());
    }

    #[test]
    fn a_line_of_a_file_is_whole_words() {
        assert_eq!(written("unknown"), Some(Reply::Is(Answer::Unknown)));
        assert_eq!(written("undo"), Some(Reply::Undo(None)));
        assert_eq!(written("undo #235"), Some(Reply::Undo(Some(235))));
        for line in ["v", "und", "valid #7", "undo it", "quit", ""] {
            assert_eq!(written(line), None, "{line}");
        }
    }
}
