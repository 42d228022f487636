//! A SWI-Prolog that answers the questions of JavaTA from the facts of logs: all of them in one process.
//!
//! The rules are in `prolog/javata.pl`, which shares no code with the catalogue that it judges.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

const RULES: &str = include_str!("prolog/javata.pl");

/// Why Prolog did not answer.
#[derive(Debug, thiserror::Error)]
pub enum PrologError {
    /// It cannot be started.
    #[error("swipl cannot be started: {0}; install it (`apt-get install swi-prolog-nox`)")]
    NotStarted(io::Error),
    /// The files of the questions cannot be written.
    #[error("the questions: {0}")]
    Files(#[from] io::Error),
    /// It complained of the facts, the questions or the rules.
    #[error("swipl says: {0}")]
    Complained(String),
    /// It answered with something else.
    #[error("swipl answered {answer:?}: {why}")]
    Unreadable {
        /// The line.
        answer: String,
        /// What is wrong with it.
        why: String,
    },
}

/// A log, and what it is asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The file of facts.
    pub facts: PathBuf,
    /// Goals, as `call_chain(12)`.
    pub goals: Vec<String>,
}

#[derive(Deserialize)]
struct Answer {
    ask: usize,
    rows: Vec<Value>,
}

/// Answers all questions: for each log, for each of its goals, the rows.
///
/// # Errors
/// [`PrologError`].
pub fn ask(logs: &[Asked]) -> Result<Vec<Vec<Vec<Value>>>, PrologError> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("javata.pl"), RULES)?;
    let mut program =
        String::from(":- use_module(javata).\n:- initialization(main, main).\nmain :-\n");
    for (log, number) in logs.iter().zip(0..) {
        let mut questions = String::new();
        for (goal, number) in log.goals.iter().zip(0..) {
            let _ = writeln!(questions, "ask({number}, {goal}).");
        }
        let file = folder.path().join(format!("questions-{number}.pl"));
        std::fs::write(&file, questions)?;
        let (facts, file) = (
            atom(&log.facts.to_string_lossy()),
            atom(&file.to_string_lossy()),
        );
        let _ = writeln!(program, "    judge({facts}, {file}),");
    }
    program.push_str("    true.\n");
    let main = folder.path().join("main.pl");
    std::fs::write(&main, program)?;
    let mut command = Command::new("swipl");
    command.arg(&main).stdin(Stdio::null());
    let output = command.output().map_err(PrologError::NotStarted)?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || !said.is_empty() {
        let said: String = said.chars().take(2000).collect();
        return Err(PrologError::Complained(format!(
            "{} ({})",
            said, output.status
        )));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let mut all = Vec::new();
    for log in logs {
        let mut answers = Vec::new();
        for number in 0..log.goals.len() {
            let line = lines.next().unwrap_or_default();
            let unreadable = |why: String| PrologError::Unreadable {
                answer: line.to_owned(),
                why,
            };
            let answer: Answer =
                serde_json::from_str(line).map_err(|error| unreadable(error.to_string()))?;
            if answer.ask != number {
                return Err(unreadable(format!("it is no answer to question {number}")));
            }
            answers.push(answer.rows);
        }
        all.push(answers);
    }
    Ok(all)
}

/// A text as an atom.
#[must_use]
pub fn atom(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
