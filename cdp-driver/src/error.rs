//! What can go wrong with a browser, typed, each error saying what failed, where and what to do next.

use crate::protocol::ProtocolError;

/// The command that installs both browsers on Debian and Ubuntu: the full one and the lighter one.
pub const INSTALL_COMMAND: &str =
    "apt-get install -y --no-install-recommends chromium chromium-headless-shell";

/// Why there is no browser to talk to.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BrowserError {
    /// No browser was found.
    #[error(
        "no browser: {what}; install one with `{INSTALL_COMMAND}`, or name one with --browser PATH or \
         QUERYPOINT_BROWSER"
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
}
