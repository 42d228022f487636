//! A Node that runs many programs, each in a realm of its own: some thousand a minute, where a page would take
//! as many seconds.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::json;

const RUNNER: &str = include_str!("node/runner.js");

/// Why Node did not answer.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// It cannot be started.
    #[error("node cannot be started: {0}; install Node 20 or later (`apt-get install nodejs`)")]
    NotStarted(std::io::Error),
    /// It ended, or its pipe broke.
    #[error("node is gone: {0}; what it printed on standard error says why")]
    Gone(std::io::Error),
    /// It answered with something else.
    #[error("node answered {answer:?}: {why}")]
    Unreadable {
        /// The line.
        answer: String,
        /// What is wrong with it.
        why: serde_json::Error,
    },
}

/// A script, and the agent that goes before it.
#[derive(Clone, Debug, Serialize)]
pub struct Run<'t> {
    /// The name under which the agent was kept; `None`: the script runs alone.
    pub agent: Option<&'t str>,
    /// A classic script.
    pub script: &'t str,
}

/// One Node; it ends when this is dropped.
#[derive(Debug)]
pub struct Node {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Answer {
    printed: Vec<String>,
}

impl Node {
    /// Starts one.
    ///
    /// # Errors
    /// [`NodeError::NotStarted`].
    pub fn start() -> Result<Self, NodeError> {
        let mut process = Command::new("node")
            // The programs hold `with`, and the runner is text.
            .args(["--no-warnings", "--eval", RUNNER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(NodeError::NotStarted)?;
        let missing = || NodeError::NotStarted(std::io::ErrorKind::BrokenPipe.into());
        let requests = process.stdin.take().ok_or_else(missing)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(missing)?);
        Ok(Self {
            process,
            requests,
            answers,
        })
    }

    /// Keeps an agent under `name`.
    ///
    /// # Errors
    /// [`NodeError::Gone`].
    pub fn keep_agent(&mut self, name: &str, text: &str) -> Result<(), NodeError> {
        self.send(&json!({ "agent": name, "text": text }))
    }

    /// What each of `runs` prints, and the error that ended it, if one did.
    ///
    /// # Errors
    /// [`NodeError::Gone`], [`NodeError::Unreadable`].
    pub fn run(&mut self, runs: &[Run<'_>]) -> Result<Vec<String>, NodeError> {
        self.send(&json!({ "run": runs }))?;
        let mut answer = String::new();
        let read = self.answers.read_line(&mut answer);
        if read.map_err(NodeError::Gone)? == 0 {
            return Err(NodeError::Gone(std::io::ErrorKind::UnexpectedEof.into()));
        }
        serde_json::from_str(&answer)
            .map(|Answer { printed }| printed)
            .map_err(|why| NodeError::Unreadable { answer, why })
    }

    fn send(&mut self, request: &serde_json::Value) -> Result<(), NodeError> {
        let mut line = request.to_string();
        line.push('\n');
        self.requests
            .write_all(line.as_bytes())
            .and_then(|()| self.requests.flush())
            .map_err(NodeError::Gone)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It ends by itself when its input does; a program that hangs must not keep it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
