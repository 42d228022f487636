//! A Node that runs tests, one after the other, each in a context of its own.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use js_analysis::Goal;
use serde::Deserialize;
use serde_json::json;

use super::Case;

/// The runner: it reads the tests as JSON, one a line, and answers each with a line.
const RUNNER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/test262/run.mjs");

/// Contexts that a process has made are not all given back: after so many it is replaced.
const RUNS_OF_A_PROCESS: usize = 500;

/// The error that a test ended with.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Thrown {
    /// The name of its constructor.
    pub name: String,
    /// Its message.
    pub text: String,
}

#[derive(Deserialize)]
struct Answer {
    thrown: Option<Thrown>,
}

/// A running Node.
pub struct Node {
    runs: usize,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Node {
    /// Starts one.
    ///
    /// # Errors
    /// If Node is not there.
    pub fn start() -> io::Result<Self> {
        let mut child = Command::new("node")
            .args(["--experimental-vm-modules", "--no-warnings", RUNNER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || io::Error::other("node has no pipes");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Self {
            runs: 0,
            child,
            input,
            output,
        })
    }

    /// Runs `text` as `case`, after the script at `agent` if there is one. `None`: it ended without an error.
    ///
    /// # Errors
    /// If Node cannot be started anew after a test ended it.
    pub fn run(
        &mut self,
        case: &Case,
        text: &str,
        agent: Option<&Path>,
    ) -> io::Result<Option<Thrown>> {
        self.runs += 1;
        if self.runs > RUNS_OF_A_PROCESS {
            self.replace()?;
        }
        let job = json!({
            "agent": agent, "before": case.before, "text": text, "path": case.path,
            "module": case.goal == Goal::Module, "isAsync": case.is_async,
        });
        let mut line = String::new();
        let sent = writeln!(self.input, "{job}");
        let answer = sent.and_then(|()| self.output.read_line(&mut line));
        match serde_json::from_str::<Answer>(&line) {
            Ok(answer) => Ok(answer.thrown),
            Err(_) => {
                self.replace()?;
                Ok(Some(Thrown {
                    name: "ended".to_owned(),
                    text: format!("the process ended ({answer:?})"),
                }))
            }
        }
    }

    fn replace(&mut self) -> io::Result<()> {
        *self = Self::start()?;
        Ok(())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
