//! The end of a replay: the page is idle once what it has begun is done.
//!
//! Timers that are due soon need not be waited for in real time: `Emulation.setVirtualTimePolicy` grants the page a
//! budget of virtual time, and the browser runs what is due in it as fast as it can. Measured with Chromium 156,
//! headless, and held by the tests of this crate:
//!
//! - 2,000 ms pass in 1–15 ms of real time; `setTimeout` and `setInterval` fire in order, with `performance.now()` and
//!   `Date.now()` showing virtual time.
//! - With the policy `pauseIfNetworkFetchesPending` virtual time stops while a `fetch` is under way, so its
//!   answer is handled before later timers. With `advance` time runs ahead of the network (a 300 ms answer arrived
//!   3,700 ms "late"), so that policy is not used; without a budget it runs away altogether (minutes of virtual time
//!   per frame).
//! - When the budget is used up, virtual time stops and timers with it: what is read then is of one moment. It
//!   can be granted again, and goes on where it stopped.
//! - `requestAnimationFrame` keeps real time throughout: a chain of frames neither runs faster under a budget nor stops
//!   after it.
//! - The policy `realtime` is accepted, but timers of the same document stay where they are; they run again in the next
//!   document of the tab. So an execution ends here, and the next one has a page of its own.
//! - A request that never ends (`EventSource`) holds `pauseIfNetworkFetchesPending` back for ever; then, and when the
//!   limit is over without a stop at a breakpoint, the budget is granted with `advance`.
//! - A breakpoint hit by a timer stops virtual time; the budget ends only after it was resumed.

use agent::evaluated;
use cdp::emulation::{SetVirtualTimePolicy, VirtualTimePolicy};
use cdp_driver::protocol::generated as cdp;
use std::time::Duration;

use serde_json::json;

use super::locate::{Miss, ask};
use crate::error::EngineError;
use crate::page::Page;

/// What the page was given to become idle.
#[derive(Debug, Clone, PartialEq)]
pub struct IdleReport {
    /// Virtual time granted, in milliseconds.
    pub budget_ms: f64,
    /// Real time it took, in milliseconds.
    pub time_ms: f64,
    /// Requests that were still under way when the time was up.
    pub requests_in_flight: usize,
}

/// Waits until the document is loaded and no request is under way, then grants `budget` of virtual time, so that timers
/// due in it run. Afterwards virtual time stops. It may be called again, each time with more budget. `limit`
/// bounds the real time of the waiting for loads and requests, which a page may keep going for ever; a stop at a
/// breakpoint is waited for without bound.
///
/// # Errors
/// [`EngineError::Protocol`]: the browser or the tab is lost.
pub async fn wait_until_idle(
    page: &Page,
    budget: Duration,
    limit: Duration,
) -> Result<IdleReport, EngineError> {
    let start_ms = page.clock().now_ms();
    let quiet = page.wait_for("the page's requests", |state| {
        (state.loaded && !state.navigating && state.in_flight.is_empty()).then_some(())
    });
    match page.limited("the page's requests", limit, quiet).await {
        Ok(quiet) => quiet?,
        Err(EngineError::TimedOut { .. }) => {}
        Err(error) => return Err(error),
    }
    // What the last answer made the page do.
    match ask(page, &[], &json!({ "task": "frame" }), limit).await {
        Ok(_) | Err(Miss::NotThere(_)) => {}
        Err(Miss::Failed(error)) if error.is_fatal() => return Err(error),
        Err(Miss::Failed(_)) => {}
    }
    let budget_ms = budget.as_secs_f64() * 1000.0;
    if budget_ms > 0.0 {
        // A stream that stays open would hold virtual time back for ever.
        let streams = page.read(|state| !state.streams.is_empty());
        if streams
            || !grant(
                page,
                VirtualTimePolicy::PauseIfNetworkFetchesPending,
                budget_ms,
                limit,
            )
            .await?
        {
            grant(page, VirtualTimePolicy::Advance, budget_ms, limit).await?;
        }
    }
    Ok(IdleReport {
        budget_ms,
        time_ms: page.clock().now_ms() - start_ms,
        requests_in_flight: page.requests_in_flight(),
    })
}

/// Grants a budget and waits until it is used up, or as much of the page's time has passed without the browser saying
/// so (as in a document that was gone back to); `false` if it was not within `limit`, or if the page's time is
/// still and no request holds it back. Stops do not count.
async fn grant(
    page: &Page,
    policy: VirtualTimePolicy,
    budget_ms: f64,
    limit: Duration,
) -> Result<bool, EngineError> {
    /// A budget is used up within milliseconds where it is used at all.
    const ROUND: Duration = Duration::from_secs(1);
    let before = page.read(|state| state.budgets_expired);
    page.set_virtual_time();
    page.drive(page.call(&budget(policy, budget_ms))).await?;
    let mut waited = Duration::ZERO;
    let mut first_ms = None;
    let mut last_ms = None;
    loop {
        let expired = page.wait_for("virtual time", |state| {
            (state.budgets_expired > before).then_some(())
        });
        let round = ROUND.min(limit);
        match page.limited("virtual time", round, expired).await {
            Ok(expired) => return expired.map(|()| true),
            Err(EngineError::TimedOut { .. }) if page.read(|state| state.paused) => {}
            Err(EngineError::TimedOut { .. }) => {
                waited += round;
                let now_ms = page_time_ms(page).await?;
                let started_ms = *first_ms.get_or_insert(now_ms);
                if now_ms - started_ms >= budget_ms {
                    return Ok(true);
                }
                let has_stopped = last_ms.replace(now_ms) == Some(now_ms);
                if waited >= limit || (has_stopped && page.requests_in_flight() == 0) {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// Gives a page whose time is no longer its own, because it was waited for, as much of it as has passed. One that
/// is paused, and one whose time goes on by itself, get none.
///
/// # Errors
/// [`EngineError::Protocol`]: the browser or the tab is lost.
pub(crate) async fn keep_time_going(page: &Page, passed: Duration) -> Result<(), EngineError> {
    if !page.has_virtual_time() || page.read(|state| state.paused) {
        return Ok(());
    }
    let budget_ms = passed.as_secs_f64() * 1000.0;
    let policy = VirtualTimePolicy::PauseIfNetworkFetchesPending;
    page.drive(page.call(&budget(policy, budget_ms))).await?;
    Ok(())
}

/// Grants a page that much of its time.
fn budget(policy: VirtualTimePolicy, budget_ms: f64) -> SetVirtualTimePolicy {
    SetVirtualTimePolicy {
        budget: Some(budget_ms),
        ..SetVirtualTimePolicy::new(policy)
    }
}

/// The page's own clock; 0 where the page does not tell it.
async fn page_time_ms(page: &Page) -> Result<f64, EngineError> {
    let look = cdp::runtime::Evaluate {
        return_by_value: Some(true),
        silent: Some(true),
        ..cdp::runtime::Evaluate::new(evaluated("performance.now()"))
    };
    match page.drive(page.call(&look)).await {
        Ok(answer) => Ok(answer
            .result
            .value
            .and_then(|now| now.as_f64())
            .unwrap_or(0.0)),
        Err(error) if error.is_fatal() => Err(error.into()),
        Err(_) => Ok(0.0),
    }
}
