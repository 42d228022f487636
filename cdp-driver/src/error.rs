//! What can go wrong between us and the page, typed, each error saying what failed, where and what to do next.

use crate::engine::protocol::ProtocolError;
use crate::native::INSTALL_COMMAND;

/// Everything that ends a replay or a question early on the browser's side.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DriverError {
    /// No browser was found.
    #[error(
        "no browser: {what}; install one with `{INSTALL_COMMAND}`, or name one with --browser PATH or QUERYPOINT_BROWSER"
    )]
    NoBrowser {
        /// Where it was looked for.
        what: String,
    },
    /// The browser could not be started.
    #[error("the browser {executable} could not be started: {why}")]
    NotStarted {
        /// Its path.
        executable: String,
        /// What happened, with the last lines it printed.
        why: String,
    },
    /// The browser to attach to does not answer.
    #[error(
        "no DevTools connection to {address}: {why}; start the browser with --remote-debugging-port=PORT and give the \
         ws:// address that it prints, or http://127.0.0.1:PORT"
    )]
    NotConnected {
        /// What was asked for.
        address: String,
        /// What happened.
        why: String,
    },
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
    /// Our own code in the page failed.
    #[error("{what} failed in the page: {message}; the page may have navigated away, try again")]
    PageScript {
        /// What the script was to do.
        what: String,
        /// The exception's text.
        message: String,
    },
}

impl DriverError {
    /// The exit status of the command line: 4, the page or the browser could not be started or was lost.
    pub fn exit_status(&self) -> u8 {
        4
    }

    /// Whether nothing more can come from this page: connection, browser or tab are gone.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::NoBrowser { .. } | Self::NotStarted { .. } | Self::NotConnected { .. } => true,
            Self::Protocol(error) => error.is_fatal(),
            Self::PageNotLoaded { .. }
            | Self::NoTab { .. }
            | Self::StepFailed { .. }
            | Self::TimedOut { .. }
            | Self::PageScript { .. } => false,
        }
    }
}
