//! What a page loads beside what its scripts ask for: scripts, styles, images. Their responses come from the recording
//! at once, so a page is loaded faster than it was; one that had taken long moves the clocks, once what had come before
//! it has come.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::time::Duration;

use cdp_driver::protocol::{Clock, SessionId};

/// How much later than the clock says a response must have come, for the clock to be moved. What is told to every realm
/// for it takes about as long as a page of a few files takes to load.
const LONG_MS: f64 = 200.0;
/// How long what came before is waited for, in milliseconds.
const PATIENCE_MS: f64 = 2000.0;
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The loads that are under way.
#[derive(Default)]
pub(super) struct Loads {
    /// When each had ended when it was recorded, in milliseconds since 1970, by session and the browser's id of the
    /// request.
    under_way: Mutex<HashMap<(SessionId, String), f64>>,
}

impl Loads {
    /// A request is about to be answered.
    pub(super) fn begins(&self, session: &SessionId, request: &str, ended_ms: f64) {
        self.under_way()
            .insert((session.clone(), request.to_owned()), ended_ms);
    }

    /// Takes note of the end of one.
    pub(super) fn ended(&self, session: &SessionId, request: &str) {
        self.under_way()
            .remove(&(session.clone(), request.to_owned()));
    }

    /// Whether a response that had come then is one that had taken long, at a moment at which the clock says `now_ms`.
    pub(super) fn took_long(ended_ms: f64, now_ms: f64) -> bool {
        ended_ms - now_ms > LONG_MS
    }

    /// Waits until those that had ended before are there, as far as they were asked for.
    pub(super) async fn ended_before(&self, ended_ms: f64, clock: &dyn Clock) {
        let began_ms = clock.now_ms();
        while self.under_way().values().any(|&it| it < ended_ms)
            && clock.now_ms() - began_ms < PATIENCE_MS
        {
            clock.sleep(LOOK_EVERY).await;
        }
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<(SessionId, String), f64>> {
        self.under_way.lock()
    }
}
