//! What can go wrong in a page, typed, each error saying what failed, where and what to do next.

use cdp_driver::protocol::ProtocolError;

/// Everything that ends a replay or a question early on the page's side.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// A command failed: the browser's exit, a lost socket, a crashed tab, a time-out, a refusal.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The page could not be loaded at all (a page with an HTTP error status is loaded).
    #[error("the page {url} does not load: {why}; check the address, and that its server runs")]
    PageNotLoaded {
        /// What was asked for.
        url: String,
        /// The browser's word for it, as `net::ERR_CONNECTION_REFUSED`.
        why: String,
    },
    /// The tab that was asked for is not there.
    #[error("no tab to record {page} in: {why}")]
    NoTab {
        /// The page that it was to show.
        page: String,
        /// What there is instead, and what to do.
        why: String,
    },
    /// A step of the recording cannot be done.
    #[error("step {step} of {steps} ({description}) cannot be done: {why}")]
    StepFailed {
        /// Which step, counted from 1 as people count.
        step: usize,
        /// How many there are.
        steps: usize,
        /// What it was to do.
        description: String,
        /// Why it cannot be done, and what was tried.
        why: String,
    },
    /// What was waited for did not happen in time.
    #[error("{what} did not happen within {after_ms} ms; give it more time with --timeout SECONDS")]
    TimedOut {
        /// What was waited for.
        what: String,
        /// The time it had.
        after_ms: u64,
    },
    /// The log of an execution cannot be written.
    #[error(
        "the log cannot be written: {message}; check the folder, its permissions and the room on its disk"
    )]
    Log {
        /// What went wrong.
        message: String,
    },
    /// Our own code in the page failed.
    #[error("{what} failed in the page: {message}; the page may have navigated away, try again")]
    PageScript {
        /// What the script was to do.
        what: String,
        /// The exception's text.
        message: String,
    },
}

impl EngineError {
    /// Whether nothing more can come from this page: connection, browser or tab are gone.
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::Protocol(error) if error.is_fatal())
    }
}
