//! What can go wrong in a benchmark: what failed, where, and what to do next.

use std::io;
use std::path::PathBuf;

/// Why there are no numbers.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// The browser.
    #[error(transparent)]
    Browser(#[from] cdp_driver::BrowserError),
    /// A page in it.
    #[error(transparent)]
    Engine(#[from] engine::EngineError),
    /// The connection.
    #[error(transparent)]
    Protocol(#[from] cdp_driver::protocol::ProtocolError),
    /// A question has no answer.
    #[error(transparent)]
    Ask(#[from] engine::ask::AskError),
    /// A script was not rewritten.
    #[error("{script} was {why}")]
    NotRewritten {
        /// Which script.
        script: String,
        /// In the rewriter's words.
        why: String,
    },
    /// A file.
    #[error("{path}: {source}")]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The page's own script threw, or gave something else than numbers.
    #[error("{what} in the page: {message}")]
    Page {
        /// What was run.
        what: String,
        /// What it said.
        message: String,
    },
    /// Something of this repository is not as the benchmarks expect it.
    #[error("{0}")]
    Setup(String),
}

impl BenchError {
    /// For `map_err` of file operations on `path`.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
