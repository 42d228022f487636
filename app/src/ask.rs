//! A question asked once: the answer that was kept when the same was asked before, or a new one.

use std::sync::Arc;
use std::time::Instant;

use cdp_driver::native::{Browser, TokioClock};
use engine::ask::{ask, ask_live, ask_with_log};
use engine::other_servers::{OtherServers, following};
use engine::survey::survey;
use querypoint::answer::{Timing, WholeAnswer};
use querypoint::outline::Outline;

use crate::browser::{BrowserOptions, in_browser, purpose};
use crate::cancelling::Cancellation;
use crate::failure::Failure;
use crate::keeping::{self, Typed};
use crate::page::Page;
use crate::progress::{Reporter, of_questions};
use crate::question::Question;

/// Whether an answer may come from the last time, and may be kept for the next.
#[derive(Clone, Copy, Debug)]
pub struct Keeping<'t> {
    /// What was typed.
    pub typed: Typed<'t>,
    /// Whether the page is run although an answer was kept.
    pub fresh: bool,
}

/// The answer: the one that was kept when the same was asked before, or a new one.
///
/// # Errors
/// If the page or the browser is lost, or if it is cancelled.
pub async fn ask_once(
    page: &Page,
    question: Question,
    browser: &BrowserOptions,
    keeping: Option<Keeping<'_>>,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<WholeAnswer, Failure> {
    let start = Instant::now();
    let kept = match &keeping {
        Some(keeping) => {
            let place = keeping::place(&keeping.typed, &question, page, browser);
            cancellation.or_work(place).await?
        }
        None => None,
    };
    let may_be_old = keeping.is_some_and(|keeping| !keeping.fresh);
    if let Some(kept) = kept.as_ref().filter(|_| may_be_old)
        && let Some(mut answer) = keeping::kept_answer(kept, page)
    {
        answer.answer.timing_ms = Timing {
            total: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
            ..Timing::default()
        };
        return Ok(answer);
    }
    let recording = question.recording.clone();
    let (answer, reach) = find_answer(page, question, browser, cancellation, reporter).await?;
    if let Some(kept) = &kept
        && let Err(error) = keeping::keep(kept, page, &answer, &reach, recording.as_ref())
    {
        reporter.note(&format!(
            "the answer is not kept for the next time: {error}"
        ));
    }
    Ok(answer)
}

/// Has the driver find the answer, in a browser that is gone when this returns. With it comes what the page asked of
/// others than the server that it is from.
///
/// # Errors
/// If the page or the browser is lost, or if it is cancelled.
pub async fn find_answer(
    page: &Page,
    question: Question,
    browser: &BrowserOptions,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<(WholeAnswer, OtherServers), Failure> {
    reporter.stage("starting the browser");
    let purpose = purpose(browser, question.recording.as_ref());
    let is_live = question.live;
    let log = question.log.clone();
    let request = question.into_request(page.url().to_string(), browser.timeout);
    let asking = async |browser: &Browser| {
        let mut show = of_questions(reporter);
        let clock = Arc::new(TokioClock::new());
        let home = page.url().origin().ascii_serialization();
        let (answer, reach) = following(browser.protocol(), &home, async |protocol| {
            // Each is one large future.
            match (is_live, &log) {
                (_, Some(log)) => {
                    Box::pin(ask_with_log(protocol, clock, &request, log, &mut show)).await
                }
                (true, None) => Box::pin(ask_live(protocol, clock, &request, &mut show))
                    .await
                    .map(WholeAnswer::from),
                (false, None) => Box::pin(ask(protocol, clock, &request, &mut show))
                    .await
                    .map(WholeAnswer::from),
            }
        })
        .await;
        Ok::<_, Failure>((answer?, reach))
    };
    in_browser(browser, purpose, cancellation, asking).await
}

/// What would be done to answer: loads the page without asking, in a browser that is gone when this returns.
///
/// # Errors
/// If the page or the browser is lost, or if it is cancelled.
pub async fn find_outline(
    page: &Page,
    question: Question,
    browser: &BrowserOptions,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<Outline, Failure> {
    reporter.stage("starting the browser");
    let purpose = purpose(browser, question.recording.as_ref());
    let request = question.into_request(page.url().to_string(), browser.timeout);
    let surveying = async |browser: &Browser| {
        let mut show = of_questions(reporter);
        let clock = Arc::new(TokioClock::new());
        survey(browser.protocol(), clock, &request, &mut show).await
    };
    in_browser(browser, purpose, cancellation, surveying).await
}
