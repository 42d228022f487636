//! Pictures of the page where it is stopped. A browser draws a page that is paused in its debugger, and none of the
//! page's own code runs for it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::Watcher;
use crate::picture::Picture;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, SessionId, with_time_limit};

/// How long one may take.
const LIMIT: Duration = Duration::from_secs(1);
/// How long all of them may take, in milliseconds, where it is known which points are asked for.
const MOST_MS: u32 = 5000;
/// The same where the page also stops at points that may be those.
const MOST_AHEAD_MS: u32 = 500;
/// Of 100: small, and letters can be read.
const QUALITY: i64 = 60;

/// What pictures have cost so far in one execution.
#[derive(Debug, Default)]
pub(super) struct PictureCosts {
    spent_ms: AtomicU32,
}

impl Watcher<'_> {
    /// What the tab shows now, where `session` is the tab's; `None`: nobody wants a picture, they have cost enough, or
    /// the browser gave none.
    pub(super) async fn picture(&self, session: &SessionId) -> Option<Picture> {
        let most_ms = match self.task.read_ahead {
            true => MOST_AHEAD_MS,
            false => MOST_MS,
        };
        let costs = &self.picture_costs.spent_ms;
        let is_wanted = self.setting.takes_pictures && *session == self.tab;
        if !is_wanted || costs.load(Ordering::Relaxed) >= most_ms {
            return None;
        }
        let clock = self.setting.clock.as_ref();
        let begun_ms = clock.now_ms();
        let take = cdp::page::CaptureScreenshot {
            format: Some(cdp::page::CaptureScreenshotFormat::Jpeg),
            quality: Some(QUALITY),
            optimize_for_speed: Some(true),
        };
        let taken = self.reader.protocol.call(Some(session), &take);
        let taken = with_time_limit(clock, LIMIT, "a picture of the page", taken).await;
        let took_ms = clock.now_ms() - begun_ms;
        // Rounded up: none is free.
        costs.fetch_add(took_ms.clamp(0.0, 1e6) as u32 + 1, Ordering::Relaxed);
        match taken.and_then(|taken| taken) {
            Ok(taken) => Some(Picture::new(taken.data)),
            Err(error) => {
                tracing::debug!(%error, "there is no picture of the page");
                None
            }
        }
    }
}
