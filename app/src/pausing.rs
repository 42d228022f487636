//! A question whose answer is shown by the page itself, paused at one of its points until a person has seen enough.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cdp_driver::native::{Browser, TokioClock};
use engine::ask::{AskError, ask_and_keep};
use engine::pausing::{HeldFor, Hold, PauseError, PausedPage};
use querypoint::answer::{Answer, Location};
use querypoint::point::ReproductionPoint;

use crate::browser::{BrowserOptions, open_browser, purpose};
use crate::cancelling::Cancellation;
use crate::failure::Failure;
use crate::page::Page;
use crate::progress::{Reporter, of_questions};
use crate::question::Question;

/// The name of the reproduction point.
const REPRODUCTION_POINT: &str = "R";

/// Whether the page can be paused at the point `name` of a question at all.
///
/// # Errors
/// [`Failure::NotPossible`]: no query has this name, or nothing can be paused there.
pub fn check_pause(name: &str, question: &Question) -> Result<(), Failure> {
    let names: Vec<String> = question
        .graph
        .points()
        .map(|name| name.to_string())
        .collect();
    let is_end = name == REPRODUCTION_POINT && question.at == ReproductionPoint::End;
    if is_end {
        return Err(Failure::NotPossible(
            "--pause R: at the end of the replay no script runs, so there is nothing to pause at; pause at a query's \
             point"
                .to_owned(),
        ));
    }
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    Err(Failure::NotPossible(format!(
        "--pause {name}: there is no such point; these there are: {}",
        names.join(", ")
    )))
}

/// A page that is paused.
#[derive(Clone, Debug)]
pub struct PausedTab {
    /// Where; `None`: at no line.
    pub location: Option<Location>,
    /// The function that it is paused in; empty at the top level of a script.
    pub function: String,
    /// How this moment differs from the one in the answer, in words; empty: it is the same.
    pub differences: Vec<String>,
    /// The address of developer tools for it.
    pub developer_tools: String,
}

/// What a front end shows meanwhile.
pub trait PauseView: Sync {
    /// The answer, before the page runs again.
    ///
    /// # Errors
    /// If it cannot be shown; then the page does not run again.
    fn answer(&self, answer: &Answer) -> Result<(), Failure>;

    /// The page is paused.
    fn paused(&self, tab: &PausedTab);
}

/// How a pause ended.
#[derive(Debug)]
pub struct PauseOutcome {
    /// The answer.
    pub answer: Answer,
    /// Why the page could not be paused there; none: it was.
    pub refused: Option<PauseError>,
}

/// Finds the answer, and leaves the page paused at the point `name` until its tab is closed, or it is cancelled: that
/// ends a pause well. The browser is gone when this returns.
///
/// # Errors
/// If the page or the browser is lost, or if it is cancelled before the page is paused.
pub async fn ask_and_pause(
    page: &Page,
    question: Question,
    name: &str,
    browser: &BrowserOptions,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
    view: &dyn PauseView,
) -> Result<PauseOutcome, Failure> {
    reporter.stage("starting the browser");
    let purpose = purpose(browser, question.recording.as_ref());
    let request = question.into_request(page.url().to_string(), browser.timeout);
    let is_paused = AtomicBool::new(false);
    let mut found = None;
    let work = async |browser: &Browser| -> Result<Option<PauseError>, Failure> {
        let mut progress = of_questions(reporter);
        let clock = Arc::new(TokioClock::new());
        let asked = ask_and_keep(browser.protocol(), clock, &request, &mut progress).await?;
        found = Some(asked.answer.clone());
        view.answer(&asked.answer)?;
        let points = &asked.answer.points;
        let answered = points.iter().find(|point| point.name == name);
        let location = answered.and_then(|point| point.location.clone());
        let hold = until_the_end(browser, location, &is_paused, view);
        let held_for = HeldFor::Person;
        let pausing = asked.pause_at(browser.protocol(), name, held_for, hold, &mut progress);
        match pausing.await {
            Err(AskError::Pause(refused)) => Ok(Some(refused)),
            result => Ok(result.map(|()| None)?),
        }
    };
    let browser = open_browser(browser, purpose, cancellation).await?;
    let refused = match browser.run_until(cancellation.requested(), work).await {
        Some(result) => result?,
        None if is_paused.load(Ordering::SeqCst) => None,
        None => return Err(Failure::Interrupted),
    };
    let answer = found.ok_or(Failure::Interrupted)?;
    Ok(PauseOutcome { answer, refused })
}

/// Says where the page is paused, and leaves it so.
fn until_the_end<'h>(
    browser: &Browser,
    location: Option<Location>,
    is_paused: &'h AtomicBool,
    view: &'h dyn PauseView,
) -> Hold<'h> {
    let authority = browser.authority().to_owned();
    Arc::new(move |paused: PausedPage| {
        is_paused.store(true, Ordering::SeqCst);
        // The answer's is to the character, where the moment is the same.
        let of_answer = location.clone().filter(|_| paused.differences.is_empty());
        let target = &paused.target_id;
        view.paused(&PausedTab {
            location: of_answer.or(paused.location),
            function: paused.function,
            differences: paused.differences,
            // The address of the browser itself is the only origin from which it lets its pages be debugged.
            developer_tools: format!(
                "http://{authority}/devtools/inspector.html?ws={authority}/devtools/page/{target}"
            ),
        });
        Box::pin(std::future::pending())
    })
}
