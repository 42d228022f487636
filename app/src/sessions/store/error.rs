//! Why what is kept cannot be used.

use std::io;
use std::path::PathBuf;

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Something in it cannot be read or written.
    #[error(
        "{path} cannot be used: {source}; check its permissions, or name another folder with --state"
    )]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another back end uses it.
    #[error(
        "another `querypoint serve` uses {folder}; end it, or name another folder with --state"
    )]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A session that is kept is not understood.
    #[error(
        "{path} is no session that this version reads ({why}); use the version that wrote it, or move the file away \
         to begin anew"
    )]
    NoSession {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is no folder of the user.
    #[error(
        "there is no folder for the state: this user has no home folder (HOME); name one with --state"
    )]
    NoHome,
}
