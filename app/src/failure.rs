//! Everything that can go wrong for a front end: typed, with a kind by which each says it in its own way.

use std::io;
use std::path::PathBuf;

use cdp_driver::BrowserError;
use cdp_driver::protocol::ProtocolError;
use engine::EngineError;
use engine::ask::AskError;
use event_log::catalogue::CatalogueError;

use crate::page_server::PageServerError;
use crate::sessions::store::StoreError;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// What was typed is wrong: a query, a point, an expression.
    NotUnderstood,
    /// A file or folder, or standard output, cannot be used.
    Files,
    /// There is no answer to give.
    NoAnswer,
    /// The reproduction point was not reached.
    NotReached,
    /// The page or the browser could not be started or was lost.
    NoPage,
    /// A person ended it.
    Interrupted,
}

/// Why something was not done that a front end asked for.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something that was typed cannot be read; the message shows the place with a caret.
    #[error("the {what} cannot be read:\n\n{rendered}")]
    NotUnderstood {
        /// What it was: a query, a reproduction point.
        what: &'static str,
        /// The text with a caret under the place.
        rendered: String,
    },

    /// What was asked cannot be done by this version.
    #[error("{0}")]
    NotPossible(String),

    /// A file that was named cannot be read.
    #[error("the {what} {path} cannot be read: {source}; check its path")]
    UnreadableFile {
        /// What the file is: a recording, a script.
        what: &'static str,
        /// The path as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// A file that was named holds something else than it should.
    #[error("the {what} {path} cannot be used: {reason}")]
    UnusableFile {
        /// What the file is.
        what: &'static str,
        /// The path as it was given.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },

    /// A file could not be written.
    #[error("{path} cannot be written: {source}; check the folder and its permissions")]
    UnwritableFile {
        /// The path as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// Standard output could not be written to.
    #[error("standard output cannot be written to: {0}")]
    UnwritableOutput(io::Error),

    /// `PAGE` is neither a URL that a browser loads nor the path of a file.
    #[error(transparent)]
    Page(#[from] PageServerError),

    /// There is no browser, or none to talk to.
    #[error(transparent)]
    Browser(#[from] BrowserError),

    /// The page's side failed.
    #[error(transparent)]
    Engine(#[from] EngineError),

    /// The question cannot be asked, or the driver failed at it.
    #[error(transparent)]
    Ask(#[from] AskError),

    /// What is kept of the sessions cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),

    /// The back end of the panel cannot be started.
    #[error(transparent)]
    BackEnd(#[from] BackEndError),

    /// The program could not get from the system what it needs to run.
    #[error("the program could not be started: {0}")]
    Runtime(io::Error),

    /// The page never reached the reproduction point.
    #[error("the reproduction point was not reached: {0}")]
    NotReached(String),

    /// Ctrl-C, or a request to terminate.
    #[error("interrupted; the browser was closed")]
    Interrupted,
}

/// Why the back end cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum BackEndError {
    /// It was started, and ended at once.
    #[error(
        "`querypoint serve` ended as soon as it was started; it said:\n{said}\nstart it yourself to see more"
    )]
    Ended {
        /// The end of its log.
        said: String,
    },
    /// It could not even be started.
    #[error("`querypoint serve` could not be started: {0}")]
    NotStarted(io::Error),
    /// The port cannot be listened on.
    #[error(
        "port {port} of 127.0.0.1 cannot be listened on: {source}; give another with --port, or none"
    )]
    CannotListen {
        /// The port that was asked for; 0 is any.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
}

impl From<CatalogueError> for Failure {
    /// What a question to a log that has no answer is for a front end.
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::NotReached(why) => Self::NotReached(why),
            error @ CatalogueError::Question { .. } => Self::NotPossible(error.to_string()),
        }
    }
}

impl Failure {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Ask(AskError::Plan(_) | AskError::Watch { .. } | AskError::Catalogue(_))
            | Self::NotUnderstood { .. }
            | Self::NotPossible(_) => FailureKind::NotUnderstood,
            Self::UnreadableFile { .. }
            | Self::UnusableFile { .. }
            | Self::UnwritableFile { .. }
            | Self::UnwritableOutput(_)
            | Self::Store(_) => FailureKind::Files,
            Self::Ask(AskError::Pause(_) | AskError::Line(_)) => FailureKind::NoAnswer,
            Self::Ask(AskError::Engine(_))
            | Self::Page(_)
            | Self::Browser(_)
            | Self::Engine(_)
            | Self::BackEnd(_)
            | Self::Runtime(_) => FailureKind::NoPage,
            Self::NotReached(_) => FailureKind::NotReached,
            Self::Interrupted => FailureKind::Interrupted,
        }
    }

    /// Whether there is no browser any more, rather than something wrong with what was to be done in it.
    #[must_use]
    pub fn is_loss_of_browser(&self) -> bool {
        let (Self::Browser(BrowserError::Protocol(error))
        | Self::Engine(EngineError::Protocol(error))
        | Self::Ask(AskError::Engine(EngineError::Protocol(error)))) = self
        else {
            return false;
        };
        matches!(
            error,
            ProtocolError::ConnectionLost { .. } | ProtocolError::BrowserExited { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_and_a_page_that_are_not_there_are_of_one_kind() {
        let no_browser = BrowserError::NoBrowser {
            what: "nothing in PATH".to_owned(),
        };
        assert_eq!(Failure::from(no_browser).kind(), FailureKind::NoPage);
        let not_loaded = EngineError::PageNotLoaded {
            url: "http://127.0.0.1:1/".to_owned(),
            why: "net::ERR_CONNECTION_REFUSED".to_owned(),
        };
        assert_eq!(
            Failure::from(not_loaded.clone()).kind(),
            FailureKind::NoPage
        );
        assert_eq!(
            Failure::Ask(AskError::Engine(not_loaded)).kind(),
            FailureKind::NoPage
        );
        let exited = ProtocolError::BrowserExited {
            status: "signal: 9 (SIGKILL)".to_owned(),
            stderr_tail: String::new(),
        };
        let exited = Failure::from(EngineError::Protocol(exited));
        assert_eq!(exited.kind(), FailureKind::NoPage);
        assert!(exited.is_loss_of_browser());
    }
}
