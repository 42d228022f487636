//! The browser: started or attached to, given something to do, and gone afterwards, whatever happened.

use std::path::PathBuf;
use std::time::Duration;

pub use cdp_driver::native::Credentials;
use cdp_driver::native::{Browser, LaunchOptions, Purpose};
use recording::Recording;

use crate::cancelling::Cancellation;
use crate::failure::Failure;

/// Which browser, and how.
#[derive(Clone, Debug)]
pub struct BrowserOptions {
    /// The program to start; none: the one that is found.
    pub executable: Option<PathBuf>,
    /// The DevTools addresses of browsers that run already; empty: one is started.
    pub connect: Vec<String>,
    /// Whether its window is shown.
    pub headed: bool,
    /// What a server that asks for a name and a password is told.
    pub user: Option<Credentials>,
    /// How long one execution of a page may take.
    pub timeout: Duration,
}

/// What a browser is started for that runs a page after these actions.
pub fn purpose(options: &BrowserOptions, recording: Option<&Recording>) -> Purpose {
    match recording {
        _ if options.headed => Purpose::Window,
        Some(recording) if recording.needs_full_browser() => Purpose::Everything,
        _ => Purpose::Pages,
    }
}

/// Starts the browser that the options ask for, or attaches to it.
///
/// # Errors
/// If there is none, if it does not start or answer, if the options name several, or if it is cancelled.
pub async fn open_browser(
    options: &BrowserOptions,
    purpose: Purpose,
    cancellation: &Cancellation,
) -> Result<Browser, Failure> {
    match options.connect.as_slice() {
        [] => open_one(options, None, purpose, cancellation).await,
        [address] => open_one(options, Some(address), purpose, cancellation).await,
        _ => Err(Failure::NotPossible(
            "--connect is given several times, which is for `ask --runs`; give it once".to_owned(),
        )),
    }
}

/// Attaches to the browser at `address`, or starts one for this purpose.
///
/// # Errors
/// If there is none, if it does not start or answer, or if it is cancelled.
pub async fn open_one(
    options: &BrowserOptions,
    address: Option<&str>,
    purpose: Purpose,
    cancellation: &Cancellation,
) -> Result<Browser, Failure> {
    let opening = async {
        match address {
            Some(address) => Browser::connect_with(address, options.user.clone()).await,
            None => {
                Browser::launch(LaunchOptions {
                    executable: options.executable.clone(),
                    credentials: options.user.clone(),
                    ..LaunchOptions::of(purpose)
                })
                .await
            }
        }
    };
    Ok(cancellation.or_work(opening).await??)
}

/// Does `work` in the browser that the options ask for, which is gone when this returns.
///
/// # Errors
/// As [`open_browser`], and as `work`; [`Failure::Interrupted`] if it is cancelled.
pub async fn in_browser<T, E: Into<Failure>>(
    options: &BrowserOptions,
    purpose: Purpose,
    cancellation: &Cancellation,
    work: impl AsyncFnOnce(&Browser) -> Result<T, E>,
) -> Result<T, Failure> {
    let browser = open_browser(options, purpose, cancellation).await?;
    let outcome = browser.run_until(cancellation.requested(), work).await;
    outcome.ok_or(Failure::Interrupted)?.map_err(Into::into)
}
