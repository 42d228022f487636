//! Browsers for the sessions: one that is done with its work is kept for the next, so that a question does not wait for
//! one to start.

use parking_lot::{Mutex, MutexGuard};

use cdp_driver::native::{Browser, LaunchOptions, Purpose};
use recording::Recording;

use crate::browser::{BrowserOptions, open_one, purpose};
use crate::cancelling::Cancellation;
use crate::failure::Failure;

/// More of them are not kept.
const MOST_IDLE: usize = 2;

/// The browsers that nobody uses, and how to get another.
pub(super) struct Browsers {
    options: BrowserOptions,
    idle: Mutex<Vec<Browser>>,
}

impl Browsers {
    /// Browsers of the kind that the options ask for.
    pub(super) fn new(options: BrowserOptions) -> Self {
        Self {
            options,
            idle: Mutex::default(),
        }
    }

    /// How long one execution of a page may take.
    pub(super) fn limit(&self) -> std::time::Duration {
        self.options.timeout
    }

    /// Whether they are not ours, but one that we are connected to.
    pub(super) fn are_connected(&self) -> bool {
        self.address().is_some()
    }

    /// The addresses of those that we are connected to.
    pub(super) fn addresses(&self) -> &[String] {
        &self.options.connect
    }

    /// A browser to run a page in, after these actions. One that is dropped is gone; [`Self::give_back`] keeps it.
    ///
    /// # Errors
    /// If none can be started or connected to.
    pub(super) async fn take(&self, recording: Option<&Recording>) -> Result<Browser, Failure> {
        let purpose = purpose(&self.options, recording);
        while let Some(browser) = self.pop_for(purpose) {
            // It may have been ended meanwhile.
            if browser.version().await.is_ok() {
                return Ok(browser);
            }
            browser.close().await;
        }
        let end = Cancellation::by_signals();
        open_one(&self.options, self.address(), purpose, &end).await
    }

    /// A browser for a person to use the page in: the one that is connected to, else one with a window.
    ///
    /// # Errors
    /// If none can be started or connected to.
    pub(super) async fn for_a_person(&self) -> Result<Browser, Failure> {
        match self.address() {
            Some(address) => Ok(Browser::connect(address).await?),
            None => Ok(Browser::launch(LaunchOptions {
                executable: self.options.executable.clone(),
                ..LaunchOptions::of(Purpose::Window)
            })
            .await?),
        }
    }

    /// Keeps a browser whose work ended.
    pub(super) async fn give_back(&self, browser: Browser) {
        let is_ours = !self.are_connected();
        let left = {
            let mut idle = self.idle();
            match is_ours && idle.len() < MOST_IDLE {
                true => {
                    idle.push(browser);
                    None
                }
                false => Some(browser),
            }
        };
        if let Some(browser) = left {
            browser.close().await;
        }
    }

    /// Closes those that nobody uses.
    pub(super) async fn close(&self) {
        while let Some(browser) = self.pop() {
            browser.close().await;
        }
    }

    fn address(&self) -> Option<&str> {
        self.options.connect.first().map(String::as_str)
    }

    fn pop_for(&self, purpose: Purpose) -> Option<Browser> {
        let mut idle = self.idle();
        let of_kind = |browser: &Browser| browser.purpose() == Some(purpose);
        let place = idle.iter().rposition(of_kind)?;
        Some(idle.remove(place))
    }

    fn pop(&self) -> Option<Browser> {
        self.idle().pop()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Browser>> {
        self.idle.lock()
    }
}
