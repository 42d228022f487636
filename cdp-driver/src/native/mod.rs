//! The native half: processes, profiles and sockets. chromiumoxide and tokio live here and nowhere else.

mod browser;
mod challenges;
mod clock;
mod connection;
mod find;
mod listeners;
mod process;
mod version;
mod wire;

pub use browser::{Browser, LaunchOptions, interrupted};
pub use challenges::Credentials;
pub use clock::TokioClock;
pub use find::{INSTALL_COMMAND, Purpose, find_browser, is_headless_shell};
pub use version::version_of;
