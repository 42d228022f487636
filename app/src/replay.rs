//! A recording replayed once.

use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Browser, TokioClock};
use engine::EngineError;
use engine::page::Page as Tab;
use engine::replay::{ReplayCursor, ReplayOptions, ReplayReport, replay};
use recording::Recording;

/// Replays once, in a tab of its own, for at most `limit`.
///
/// # Errors
/// If a step cannot be done, time is up, or the page or the browser is lost.
pub async fn replay_within(
    browser: &Browser,
    recording: &Recording,
    options: &ReplayOptions,
    limit: Duration,
    show: &mut (dyn FnMut(usize, usize, &str) + Send),
) -> Result<ReplayReport, EngineError> {
    let replayed = async {
        let tab = Tab::open(browser.protocol(), Arc::new(TokioClock::new())).await?;
        let cursor = ReplayCursor::default();
        let replayed = replay(&tab, recording, options, &cursor, show).await?;
        tab.dispose().await?;
        Ok(replayed)
    };
    match tokio::time::timeout(limit, replayed).await {
        Ok(replayed) => replayed,
        Err(_) => Err(EngineError::TimedOut {
            what: "the end of the recording".to_owned(),
            after_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
        }),
    }
}
