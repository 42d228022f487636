//! Where the answers of a person are from: a file, or standard input.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;
use std::sync::mpsc;

use app::diagnosing::{Reply, UndoneAnswer, answer_words, read_answers};
use app::failure::Failure;

/// Where answers are from.
pub(super) enum Replies {
    /// A file: what its lines say, the next one last.
    Lines(Vec<Reply>),
    /// Standard input, line by line.
    Input(mpsc::Sender<()>, tokio::sync::mpsc::Receiver<String>),
}

impl Replies {
    /// # Errors
    /// If the file cannot be read, or a line of it is no answer.
    pub(super) fn open(file: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = file else {
            return Ok(Self::of_input());
        };
        let mut lines = read_answers(path)?;
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

    pub(super) async fn next(&mut self, number: usize) -> Reply {
        let words = "valid, invalid, trusted, unknown, inadmissible, undo [#CALL], quit? ";
        self.reply(&format!("{number}: {words}"), None).await
    }

    /// The answer to take back where nothing is asked any more. A file may say it. Where the last answer was given by
    /// itself, who is at a terminal is asked; other input is at its end, or is not waited for.
    pub(super) async fn after_the_end(&mut self, is_by_itself: bool) -> Option<UndoneAnswer> {
        let is_asked = is_by_itself && std::io::stdin().is_terminal();
        if matches!(self, Self::Input(..)) && !is_asked {
            return None;
        }
        let prompt = "Enter to end, or undo [#CALL]? ";
        match self.reply(prompt, Some(Reply::Quit)).await {
            Reply::Undo(undone) => Some(undone),
            Reply::Is(_) | Reply::Quit | Reply::NoMore => None,
        }
    }

    /// The next reply; `empty` is what an empty line says.
    async fn reply(&mut self, prompt: &str, empty: Option<Reply>) -> Reply {
        let (ask, told) = match self {
            Self::Lines(lines) => return lines.pop().unwrap_or(Reply::NoMore),
            Self::Input(ask, told) => (ask, told),
        };
        loop {
            if std::io::stdin().is_terminal() {
                anstream::eprint!("{prompt}");
            }
            if ask.send(()).is_err() {
                return Reply::NoMore;
            }
            let Some(line) = told.recv().await else {
                return Reply::NoMore;
            };
            let line = line.trim();
            match (Reply::read(line), empty) {
                (Some(reply), _) => return reply,
                (None, Some(empty)) if line.is_empty() => return empty,
                (None, _) => anstream::eprintln!("{}", answer_words()),
            }
        }
    }
}
