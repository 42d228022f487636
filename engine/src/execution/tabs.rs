//! The tabs of a question's executions, one after the other. Where it is known that one more execution follows, its tab
//! is opened while the one before is closed: the browser starts the process while the driver works out what to do next.

use std::sync::{Arc, OnceLock};

use futures::future::join;
use parking_lot::Mutex;
use recording::Environment;

use crate::error::EngineError;
use crate::page::{Opening, Page};
use cdp_driver::protocol::{Clock, Contexts, Protocol};

/// What one execution leaves to the next.
#[derive(Default)]
pub(crate) struct Tabs {
    next: Mutex<Option<Opening>>,
    /// What the browser tells pages of the person.
    environment: Arc<OnceLock<Environment>>,
}

impl Tabs {
    /// The tab of the next execution.
    ///
    /// # Errors
    /// [`EngineError::Protocol`].
    pub(super) async fn open(
        &self,
        protocol: &Arc<dyn Protocol>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Page, EngineError> {
        let begun = self.next.lock().take();
        let begun = match begun {
            Some(begun) => begun,
            None => Page::begin(protocol.clone(), clock.clone()).await?,
        };
        let mut page = begun.enabled().await?;
        page.share_environment(&self.environment);
        Ok(page)
    }

    /// Closes the tab of an execution. `is_followed`: another execution comes, so its tab is opened.
    ///
    /// # Errors
    /// As [`Page::dispose`].
    pub(super) async fn close(&self, page: Page, is_followed: bool) -> Result<(), EngineError> {
        if !is_followed || page.protocol().offers().contexts != Contexts::Own {
            return page.dispose().await;
        }
        let next = Page::begin(page.protocol().clone(), page.clock().clone());
        let (closed, next) = join(page.dispose(), next).await;
        // What keeps it from being opened is met again, where it is waited for.
        *self.next.lock() = next.ok();
        closed
    }
}
