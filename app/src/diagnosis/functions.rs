//! A file of functions that say of calls whether they are right: `--oracle oracle.js`.
//!
//! ```js
//! export default {
//!   // By the name that questions show.
//!   "Cart.total"(call) { return call.returned >= 0 },
//! };
//! ```
//! The functions run in a realm of their own ([`Sandbox`]) on copies of what the log has.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::TokioClock;
use diagnosis::{Answer, LogTree, NodeId, call_data, found_call};
use engine::sandbox::{Sandbox, SandboxError};
use serde::Deserialize;

use super::{Judgement, LoggingBrowser};
use crate::failure::Failure;
use crate::files::{as_text, read_bytes};

/// What has the functions judge.
const RUNNER: &str = include_str!("functions.js");
/// The file is read and run once, within this time.
const LOADING_LIMIT: Duration = Duration::from_secs(10);
/// A function judges a call within this time.
const CALL_LIMIT: Duration = Duration::from_secs(2);
/// A reason is cut behind so many characters.
const LONGEST_REASON: usize = 200;

const WHAT: &str = "file of functions";

/// Whether what is named as an oracle is a file of functions, not a page.
#[must_use]
pub fn is_function_file(oracle: &str) -> bool {
    let path = Path::new(oracle);
    let ending = path.extension().and_then(|it| it.to_str());
    !oracle.contains("://") && matches!(ending, Some("js" | "mjs"))
}

/// Functions that say of calls whether they are right.
#[derive(Debug)]
pub struct FunctionFile {
    /// The name of the file, as answers show it.
    name: String,
    /// The functions that are judged.
    functions: BTreeSet<String>,
    sandbox: Sandbox,
    /// What is wrong with the functions, each once.
    problems: Vec<String>,
}

/// What a function said of a call.
#[derive(Deserialize)]
struct Said {
    answer: Option<String>,
    why: Option<String>,
    unknown: Option<String>,
}

impl FunctionFile {
    /// Reads a file and runs it.
    ///
    /// # Errors
    /// If it cannot be read, if it throws or exports no functions, or if the browser is lost.
    pub async fn open(logging: &LoggingBrowser, path: &Path) -> Result<Self, Failure> {
        let text = as_text(WHAT, path, read_bytes(WHAT, path)?)?;
        let clock = Arc::new(TokioClock::new());
        let sandbox = Sandbox::open(logging.browser.protocol(), clock).await?;
        let expression = format!("({RUNNER}\n)({})", literal(&text));
        let functions = sandbox.evaluate(&expression, LOADING_LIMIT).await;
        let functions = functions.map_err(|error| match error {
            SandboxError::Lost(error) => engine::EngineError::from(error).into(),
            error => unusable(path, error.to_string()),
        })?;
        let functions = serde_json::from_value(functions)
            .map_err(|error| unusable(path, format!("its functions cannot be read: {error}")))?;
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned());
        Ok(Self {
            name: name.unwrap_or_default(),
            functions,
            sandbox,
            problems: Vec::new(),
        })
    }

    /// Whether there is a function for a call.
    #[must_use]
    pub fn judges(&self, log: &LogTree<'_>, node: NodeId) -> bool {
        let call = found_call(log, node);
        call.is_some_and(|it| it.iteration.is_none() && self.functions.contains(&it.function))
    }

    /// What its function says of a call; `None`: nothing.
    ///
    /// # Errors
    /// If the browser is lost.
    pub async fn judge(
        &mut self,
        log: &LogTree<'_>,
        node: NodeId,
    ) -> Result<Option<Judgement>, Failure> {
        let (Some(call), Some(data)) = (found_call(log, node), call_data(log, node)) else {
            return Ok(None);
        };
        let name = &self.name;
        let expression = format!("judgeCall({})", literal(&data.to_string()));
        let said = match self.sandbox.evaluate(&expression, CALL_LIMIT).await {
            Ok(said) => said,
            Err(SandboxError::Lost(error)) => return Err(engine::EngineError::from(error).into()),
            Err(error) => {
                self.problem(format!("{}: {}: {error}", name, call.function));
                return Ok(None);
            }
        };
        let said: Said = match serde_json::from_value(said) {
            Ok(said) => said,
            Err(_) => return Ok(None),
        };
        if said.unknown.is_some() {
            return Ok(None);
        }
        let word = said.answer.unwrap_or_default();
        let Some(answer) = Answer::ALL.into_iter().find(|it| it.word() == word) else {
            let words = Answer::ALL.map(Answer::word).join(", ");
            self.problem(format!(
                "{name}: {}: it gave {:?}; an answer is true, false, or one of {words}",
                call.function,
                cut(&word)
            ));
            return Ok(None);
        };
        let why = match said.why {
            Some(why) => format!("{name}: {}", cut(&why)),
            None => format!("its function in {name} says so"),
        };
        Ok(Some(Judgement { answer, why }))
    }

    fn problem(&mut self, problem: String) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// What is wrong with the functions.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Closes their realm.
    ///
    /// # Errors
    /// If the browser is lost.
    pub async fn close(self) -> Result<(), Failure> {
        Ok(self.sandbox.close().await?)
    }
}

/// A text as a literal of JavaScript.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST_REASON).collect()
}

fn unusable(path: &Path, reason: String) -> Failure {
    Failure::UnusableFile {
        what: WHAT,
        path: path.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_no_page() {
        assert!(is_function_file("oracle.js") && is_function_file("../a b/rules.mjs"));
        for page in ["good.html", "https://h/good.js", "good", "http://h/", ""] {
            assert!(!is_function_file(page), "{page}");
        }
    }
}
