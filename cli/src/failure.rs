//! Everything that ends a command without success, with the exit status of the contract.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cdp_driver::DriverError;
use cdp_driver::engine::ask::AskError;
use cdp_driver::engine::protocol::ProtocolError;

use crate::page_server::PageServerError;
use crate::private;
use crate::serve::ServeError;

/// A query has no answer.
pub(crate) const NO_ANSWER: u8 = 1;
/// Wrong usage, or a query that cannot be read.
pub(crate) const WRONG_USAGE: u8 = 2;
/// The reproduction point was not reached.
const NOT_REACHED: u8 = 3;
/// The page or the browser could not be started or was lost.
pub(crate) const NO_PAGE: u8 = 4;
/// Ended by Ctrl-C, as shells count it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
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

    /// The browser's side failed.
    #[error(transparent)]
    Driver(#[from] DriverError),

    /// The question cannot be asked, or the driver failed at it.
    #[error(transparent)]
    Ask(#[from] AskError),

    /// The back end of the panel cannot be started.
    #[error(transparent)]
    Serve(#[from] ServeError),

    /// The program could not get from the system what it needs to run.
    #[error("the program could not be started: {0}")]
    Runtime(io::Error),

    /// The page never came to the reproduction point.
    #[error("the reproduction point was not reached: {0}")]
    NotReached(String),

    /// Ctrl-C, or a request to terminate.
    #[error("interrupted; the browser was closed")]
    Interrupted,
}

impl Failure {
    /// The status that the command ends with.
    pub(crate) fn exit_status(&self) -> u8 {
        match self {
            Self::Ask(AskError::Plan(_) | AskError::Watch { .. }) => WRONG_USAGE,
            Self::Ask(AskError::Driver(error)) => error.exit_status(),
            Self::Ask(AskError::Pause(_) | AskError::Line(_)) => NO_ANSWER,
            Self::NotUnderstood { .. }
            | Self::NotPossible(_)
            | Self::UnreadableFile { .. }
            | Self::UnusableFile { .. }
            | Self::UnwritableFile { .. }
            | Self::UnwritableOutput(_) => WRONG_USAGE,
            Self::Serve(ServeError::Store(_)) => WRONG_USAGE,
            Self::Page(_) | Self::Runtime(_) | Self::Serve(_) => NO_PAGE,
            Self::Driver(error) => error.exit_status(),
            Self::NotReached(_) => NOT_REACHED,
            Self::Interrupted => INTERRUPTED,
        }
    }

    /// Whether there is no browser any more, rather than something wrong with what was to be done in it.
    pub(crate) fn is_loss_of_browser(&self) -> bool {
        let (Self::Driver(error) | Self::Ask(AskError::Driver(error))) = self else {
            return false;
        };
        matches!(
            error,
            DriverError::Protocol(
                ProtocolError::ConnectionLost { .. } | ProtocolError::BrowserExited { .. }
            )
        )
    }

    /// Says it on standard error.
    pub(crate) fn show(&self) {
        let style = anstyle::AnsiColor::Red.on_default().bold();
        anstream::eprintln!("{style}error:{style:#} {self}");
    }

    /// The status as the process hands it over.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit_status())
    }
}

/// Reads a text file that was named on the command line.
pub(crate) fn read_file(what: &'static str, path: &Path) -> Result<String, Failure> {
    as_text(what, path, read_bytes(what, path)?)
}

/// What was read of such a file, as text.
pub(crate) fn as_text(what: &'static str, path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| Failure::UnusableFile {
        what,
        path: path.to_owned(),
        reason: format!("it is not UTF-8 text: {error}"),
    })
}

/// Reads a file that was named on the command line, whatever is in it.
pub(crate) fn read_bytes(what: &'static str, path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    read.map_err(|source| Failure::UnreadableFile {
        what,
        path: path.to_owned(),
        source,
    })?;
    match u64::try_from(bytes.len()) {
        Ok(0..=LARGEST) => Ok(bytes),
        _ => Err(Failure::UnusableFile {
            what,
            path: path.to_owned(),
            reason: format!("it has more than {} MiB", LARGEST >> 20),
        }),
    }
}

/// More is not read of a file: a device may have no end.
const LARGEST: u64 = 512 << 20;

/// Writes a file that was named on the command line, to be read by its owner alone: it may hold what a page held.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    private::write_file(path, text.as_bytes()).map_err(|source| Failure::UnwritableFile {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read_without_one() {
        let refused = read_bytes("recording", Path::new("/dev/zero")).unwrap_err();
        assert!(
            refused.to_string().contains("more than 512 MiB"),
            "{refused}"
        );
        assert_eq!(
            read_bytes("recording", Path::new("/dev/null")).unwrap(),
            b""
        );
    }
}
