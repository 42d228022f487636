//! The native half: processes, profiles and sockets. chromiumoxide and tokio live here and nowhere else.

mod browser;
mod challenges;
mod clock;
mod connection;
mod find;
mod process;
mod wire;

pub use crate::error::INSTALL_COMMAND;
pub use browser::{Browser, LaunchOptions, interrupted, version_of};
pub use challenges::Credentials;
pub use clock::TokioClock;
pub use find::{Purpose, find_browser, is_headless_shell};
