//! `ask --runs`: the same question several times, and how often what is the answer.

use std::sync::Arc;

use cdp_driver::native::{Browser, TokioClock};
use engine::ask::{AskRequest, ask};
use querypoint::answer::Answer;
use querypoint::answer::runs::RunCounts;

use crate::browser::{BrowserOptions, purpose};
use crate::cancelling::Cancellation;
use crate::failure::Failure;
use crate::page::Page;
use crate::pool::{Job, Runs, run_all};
use crate::progress::Reporter;
use crate::question::Question;

/// What the runs that have ended say.
pub struct Repeated {
    /// One answer for all.
    pub answer: Answer,
    /// Whether it was cancelled before all were done.
    pub is_interrupted: bool,
}

/// Asks `runs` times, in as many browsers at once as there are cores, or in those that the options name. All browsers
/// are gone when this returns.
///
/// # Errors
/// If no run has an answer: why the first one has none.
pub async fn find_answers(
    page: &Page,
    question: Question,
    browsers: &BrowserOptions,
    runs: u32,
    cancellation: &Cancellation,
    report: &mut dyn Reporter,
) -> Result<Repeated, Failure> {
    let purpose = purpose(browsers, question.recording.as_ref());
    let request = question.into_request(page.url().to_string(), browsers.timeout);
    let mut counts = RunCounts::default();
    let where_to = Runs {
        count: runs,
        at_once: None,
        browsers,
        purpose,
        cancellation,
    };
    let ends = run_all(Asking(request), &where_to, report, &mut |number, end| {
        counts.add(number, end.map(|answer| *answer));
    })
    .await;
    match counts.answer(runs) {
        Some(answer) => Ok(Repeated {
            answer,
            is_interrupted: ends.is_interrupted,
        }),
        None if ends.is_interrupted => Err(Failure::Interrupted),
        None => Err(ends
            .first_failure
            .map_or(Failure::Interrupted, |(_, failure)| failure)),
    }
}

struct Asking(AskRequest);

impl Job for Asking {
    type Output = Box<Answer>;

    async fn run(&self, browser: &Browser) -> Result<Box<Answer>, Failure> {
        let clock = Arc::new(TokioClock::new());
        let answer = ask(browser.protocol(), clock, &self.0, &mut |_| ()).await?;
        Ok(Box::new(answer))
    }
}
