//! What a judge needs to step through pages one after the other: a browser with a tab of its own, and the pages.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Browser, LaunchOptions, TokioClock};
use tokio::runtime::Runtime;

use crate::site::Site;
use crate::stepping::Stepper;

/// It, until it is closed.
pub struct Courtroom {
    /// What runs all of it.
    pub runtime: Runtime,
    /// The browser, in which the accused may run pages as well.
    pub browser: Browser,
    /// The pages.
    pub site: Site,
    /// The judge.
    pub stepper: Stepper,
}

impl Courtroom {
    /// Opens it; `limit` is how long a page may take.
    ///
    /// # Errors
    /// If the browser or the site cannot be started.
    pub fn open(limit: Duration) -> io::Result<Self> {
        let runtime = Runtime::new()?;
        let (browser, site, stepper) = runtime.block_on(async {
            let launched = Browser::launch(LaunchOptions::default()).await;
            let browser = launched.map_err(io::Error::other)?;
            let site = Site::start()?;
            let (clock, empty) = (Arc::new(TokioClock::new()), site.add("empty", &[]));
            let stepper = Stepper::new(browser.protocol(), clock, limit, &empty).await;
            io::Result::Ok((browser, site, stepper.map_err(io::Error::other)?))
        })?;
        Ok(Self {
            runtime,
            browser,
            site,
            stepper,
        })
    }

    /// Ends the browser.
    pub fn close(self) {
        self.runtime.block_on(self.browser.close());
    }
}
