//! What can go wrong in a project command: what failed, where, and what to do next.

use std::io;
use std::path::PathBuf;

/// Why a project command could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TaskError {
    /// The crate is not inside the repository it was written for.
    #[error("xtask is not inside the Querypoint repository; run it from a checkout of it")]
    NoRepository,

    /// A file cannot be read or written.
    #[error("{path}: {source}; check its permissions, and whether the disk is full")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// A program could not be started at all.
    #[error("`{program}` could not be started: {source}; check that it is installed and in PATH")]
    CannotStart {
        /// The program's name.
        program: String,
        /// What the system said.
        source: io::Error,
    },

    /// The compiler or Clippy warns.
    #[error("{warnings} warnings; each is above, and all must go")]
    Warnings {
        /// How many.
        warnings: usize,
    },

    /// The toolchain has no Clippy.
    #[error(
        "this toolchain has no Clippy, which judges the code as it is built. To install it, type:\n\n    \
         rustup component add clippy"
    )]
    NoClippy,

    /// A program ran and failed.
    #[error("`{command}` failed; its own message is above")]
    Failed {
        /// The command line.
        command: String,
    },

    /// The path given for the browser does not lead to a program that answers `--version`.
    #[error(
        "{path} is not a Chromium that starts: {reason}; \
         give another with --browser PATH or QUERYPOINT_BROWSER"
    )]
    BrowserUnusable {
        /// The path that was tried.
        path: PathBuf,
        /// What happened.
        reason: String,
    },

    /// No browser was found and this user may not install one.
    #[error(
        "no Chromium was found (looked at --browser, QUERYPOINT_BROWSER and PATH). To install it, type:\n\n    \
         {install}\n\nand run this command again, or name one with --browser PATH"
    )]
    NoBrowser {
        /// The line to type.
        install: &'static str,
    },

    /// There is no Firefox to try the extension in, and none can be installed.
    #[error(
        "no Firefox was found in PATH, and none could be installed; the extension is tried in one. To install it, \
         type:\n\n    {install}\n\nand run this command again"
    )]
    NoFirefox {
        /// The line to type.
        install: &'static str,
    },

    /// The browser's package could not be installed.
    #[error(
        "the browser could not be installed; why is said above. The line was:\n\n    {install}\n\nInstall a Chromium \
         or Chrome in another way, or give one that you have with --browser PATH or QUERYPOINT_BROWSER"
    )]
    NotInstalled {
        /// What was run.
        install: &'static str,
    },

    /// The browser's package was installed and still there is no browser.
    #[error(
        "`{install}` went through, but there is still no Chromium in PATH; give one with --browser PATH"
    )]
    InstalledButAbsent {
        /// What was run.
        install: &'static str,
    },

    /// Node and npm are needed and not there.
    #[error(
        "Node and npm were not found, which the tests run programs with. To install them, type:\n\n    {install}"
    )]
    NoNode {
        /// What to type.
        install: &'static str,
    },
    /// SWI-Prolog is needed and not there.
    #[error(
        "SWI-Prolog (swipl) was not found, which judges event logs. To install it, type:\n\n    {install}"
    )]
    NoProlog {
        /// What to type.
        install: &'static str,
    },
    /// npm is needed and not there.
    #[error(
        "npm was not found, which installs the programs that are measured. To install it, type:\n\n    {install}"
    )]
    NoNpm {
        /// The line to type.
        install: &'static str,
    },

    /// Something that a command needs does not answer.
    #[error("`{what}` does not work here. To install it, type:\n\n    {install}")]
    NotThere {
        /// What was tried.
        what: String,
        /// The line to type.
        install: &'static str,
    },

    /// A file or folder could not be written.
    #[error("{path} could not be written: {source}")]
    Unwritable {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// A file of the repository could not be read.
    #[error("{path} could not be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// Nothing could be made of the list of what is used of the protocol.
    #[error(transparent)]
    Protocol(#[from] crate::protocol::ProtocolListError),

    /// A list of licences, or of packages, does not have the form that is expected.
    #[error("{path} could not be understood: {reason}")]
    BadLicences {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
