//! Pictures of the page where it is stopped. A browser draws a page that is paused in its debugger, and none of the
//! page's own code runs for it. Only a page that is paused while a frame is being made (in an animation frame, or where
//! input waited for one) gets no other frame, and one without a body yet is not drawn: these have no picture.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::Watcher;
use crate::picture::Picture;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, SessionId, with_time_limit};

/// How long one may take: ten times what it takes.
const LIMIT: Duration = Duration::from_millis(500);
/// So many may take longer, and no more are taken then.
const MOST_LATE: u32 = 2;
/// How many are taken where it is known which points are asked for.
const MOST: u32 = 40;
/// The same where the page also stops at points that may be those.
const MOST_AHEAD: u32 = 8;
/// Of 100: small, and letters can be read.
const QUALITY: i64 = 60;

/// How many pictures were asked for in one execution, and how many of them did not come.
#[derive(Debug, Default)]
pub(super) struct PictureCount {
    asked: AtomicU32,
    missed: AtomicU32,
}

impl Watcher<'_> {
    /// What the tab shows where it stops in `session`; `None`: nobody wants a picture, it stops elsewhere, enough were
    /// taken, or the browser gave none.
    pub(super) async fn picture(&self, session: &SessionId) -> Option<Picture> {
        let most = match self.task.read_ahead {
            true => MOST_AHEAD,
            false => MOST,
        };
        let PictureCount { asked, missed } = &self.pictures;
        let may_come = missed.load(Ordering::Relaxed) < MOST_LATE;
        let is_wanted = self.setting.takes_pictures && *session == self.tab;
        if !is_wanted || !may_come || asked.fetch_add(1, Ordering::Relaxed) >= most {
            return None;
        }
        let picture = self.take_picture().await;
        if picture.is_none() {
            missed.fetch_add(1, Ordering::Relaxed);
        }
        picture
    }

    /// What the tab shows at the end, where somebody wants a picture.
    pub(super) async fn picture_at_end(&self) -> Option<Picture> {
        match self.setting.takes_pictures {
            true => self.take_picture().await,
            false => None,
        }
    }

    async fn take_picture(&self) -> Option<Picture> {
        let take = cdp::page::CaptureScreenshot {
            format: Some(cdp::page::CaptureScreenshotFormat::Jpeg),
            quality: Some(QUALITY),
            optimize_for_speed: Some(true),
        };
        let clock = self.setting.clock.as_ref();
        let picture = self.reader.protocol.call(Some(&self.tab), &take);
        let picture = with_time_limit(clock, LIMIT, "a picture of the page", picture).await;
        match picture.and_then(|picture| picture) {
            Ok(picture) => Some(Picture::new(picture.data)),
            Err(error) => {
                tracing::debug!(%error, "there is no picture of the page");
                None
            }
        }
    }
}
