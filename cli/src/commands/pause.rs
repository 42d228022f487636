//! `querypoint ask --pause NAME`: the answer, and then the page itself, standing at one of its points until the person
//! has seen enough.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cdp_driver::native::{Browser, TokioClock};
use engine::ask::{AskError, ask_and_keep};
use engine::pausing::{HeldFor, Hold, PausedPage};
use querypoint::answer::{Answer, Location};
use querypoint::point::ReproductionPoint;

use crate::exit::NO_ANSWER;
use crate::progress::{Aside, ProgressReport};
use app::browser::{BrowserOptions, open_browser, purpose};
use app::failure::Failure;
use app::page::Page;
use app::progress::Reporter;
use app::question::Question;

/// The name of the reproduction point.
const REPRODUCTION_POINT: &str = "R";

/// Whether there can be such a point at all.
///
/// # Errors
/// [`Failure::NotPossible`]: no query has this name, or nothing can stand there.
pub(crate) fn check(name: &str, question: &Question) -> Result<(), Failure> {
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

/// Has the driver find the answer, `show`s it, and leaves the page standing at the point `name` until Ctrl-C, or until
/// its tab is closed. Gives the exit status of the answer.
///
/// # Errors
/// If the page or the browser is lost, or on Ctrl-C before the page stands.
pub(crate) async fn ask_and_pause(
    page: &Page,
    question: Question,
    name: &str,
    browser: &BrowserOptions,
    show: impl FnOnce(&Answer) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let mut report = ProgressReport::new();
    report.stage("starting the browser");
    let purpose = purpose(browser, question.recording.as_ref());
    let request = question.into_request(page.url().to_string(), browser.timeout);
    let stands = Arc::new(AtomicBool::new(false));
    let mut status = 0;
    let outcome = open_browser(browser, purpose)
        .await?
        .run_until_interrupted(async |browser| {
            let aside = report.aside();
            let mut progress = report.of_questions();
            let clock = Arc::new(TokioClock::new());
            let asked = ask_and_keep(browser.protocol(), clock, &request, &mut progress);
            let asked = asked.await?;
            status = asked.answer.exit_status();
            aside.print(|| show(&asked.answer))?;
            let points = &asked.answer.points;
            let answered = points.iter().find(|point| point.name == name);
            let location = answered.and_then(|point| point.location.clone());
            let stands = stands.clone();
            let hold = standing_until_interrupted(browser, name, location, stands, aside.clone());
            let pausing = asked.pause_at(
                browser.protocol(),
                name,
                HeldFor::Person,
                hold,
                &mut progress,
            );
            match pausing.await {
                Err(AskError::Pause(refused)) => {
                    aside.end();
                    tell("warning:", &refused.to_string());
                    status = status.max(NO_ANSWER);
                    Ok(())
                }
                result => result.map_err(Failure::from),
            }
        })
        .await;
    match outcome {
        Some(result) => result?,
        None if stands.load(Ordering::SeqCst) => {}
        None => return Err(Failure::Interrupted),
    }
    Ok(ExitCode::from(status))
}

/// Says where the page stands, and lets it stand.
fn standing_until_interrupted<'h>(
    browser: &Browser,
    name: &'h str,
    location: Option<Location>,
    stands: Arc<AtomicBool>,
    aside: Aside,
) -> Hold<'h> {
    let authority = browser.authority().to_owned();
    Arc::new(move |paused: PausedPage| {
        stands.store(true, Ordering::SeqCst);
        aside.end();
        for difference in &paused.differences {
            tell(
                "warning:",
                &format!("this is not quite the moment of the answer: {difference}"),
            );
        }
        // The answer's is to the character, where the moment is the same.
        let location = location.as_ref().filter(|_| paused.differences.is_empty());
        let place = place(location.or(paused.location.as_ref()), &paused.function);
        tell("paused", &format!("at {name}: {place}"));
        // The address of the browser itself is the only origin from which it lets its pages be debugged.
        let target = &paused.target_id;
        eprintln!(
            "  developer tools: http://{authority}/devtools/inspector.html?ws={authority}/devtools/page/{target}\n  \
             Ctrl-C ends it, as does closing the tab"
        );
        Box::pin(std::future::pending())
    })
}

fn place(location: Option<&Location>, function: &str) -> String {
    let function = match function {
        "" => "at the top level".to_owned(),
        name => format!("in {name}"),
    };
    match location {
        Some(location) => format!(
            "{}:{}:{} {function}",
            location.url, location.line, location.column
        ),
        None => function,
    }
}

fn tell(word: &str, text: &str) {
    let style = anstyle::AnsiColor::Yellow.on_default().bold();
    anstream::eprintln!("{style}{word}{style:#} {text}");
}
