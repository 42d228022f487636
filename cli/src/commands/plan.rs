//! `querypoint plan`: what would be done to answer, without answering.

use std::process::ExitCode;
use std::sync::Arc;

use cdp_driver::engine::ask::Progress;
use cdp_driver::engine::survey::survey;
use cdp_driver::native::TokioClock;
use querypoint::outline::Outline;
use querypoint::query::Query;

use super::ask::Question;
use super::browser::{open_browser, purpose};
use super::output;
use super::recording_file::recording;
use crate::arguments::{BrowserArguments, PlanArguments};
use crate::failure::Failure;
use crate::page::Page;
use crate::progress::ProgressReport;
use crate::render;

/// Looks at the page, prints the plan and gives the exit status.
///
/// # Errors
/// If something that was typed or named is wrong, or the page or the browser is lost.
pub(crate) async fn run(arguments: &PlanArguments) -> Result<ExitCode, Failure> {
    let (queries, page) = split(&arguments.words)?;
    let recording = match &arguments.recording {
        Some(path) => Some(recording(path, arguments.live)?),
        None => None,
    };
    let (recording, _files) = recording.unzip();
    let question = Question::read(&arguments.at, queries, &[])?.with_recording(recording);
    let page = Page::open(page, &arguments.browser.connect).await?;
    let outline = find_outline(&page, question, &arguments.browser).await?;
    if arguments.json {
        output::print(&output::json(&outline))?;
    } else {
        let source = |url: &str, line| page.source_line(url, line);
        output::print(&render::outline(&outline, &source))?;
    }
    Ok(ExitCode::from(outline.exit_status()))
}

/// The queries and, last, the page.
fn split(words: &[String]) -> Result<(&[String], &str), Failure> {
    let no_page = || {
        Failure::NotPossible(
            "no page is given; it comes last: querypoint plan QUERY... --at POINT PAGE".to_owned(),
        )
    };
    let (page, queries) = words.split_last().ok_or_else(no_page)?;
    if queries.is_empty() || Query::parse(page).is_ok() {
        return Err(no_page());
    }
    Ok((queries, page))
}

async fn find_outline(
    page: &Page,
    question: Question,
    browser: &BrowserArguments,
) -> Result<Outline, Failure> {
    let mut report = ProgressReport::new();
    report.stage("starting the browser");
    let purpose = purpose(browser, question.recording.as_ref());
    let request = question.into_request(page.url().to_string(), browser.timeout);
    let outcome = open_browser(browser, purpose)
        .await?
        .run_until_interrupted(async |browser| {
            let mut show = |progress: Progress| match progress {
                Progress::Execution { number, purpose } => {
                    report.stage(&format!("execution {number}: {purpose}"));
                }
                Progress::Step { step, steps, .. } => report.advance(step, steps),
            };
            let clock = Arc::new(TokioClock::new());
            survey(browser.protocol(), clock, &request, &mut show).await
        })
        .await;
    drop(report);
    Ok(outcome.ok_or(Failure::Interrupted)??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_comes_last() {
        let words = |words: &[&str]| -> Vec<String> {
            words.iter().map(|word| (*word).to_owned()).collect()
        };
        let given = words(&["lastChange(a)", "B = lastCondition(R)", "shop.html"]);
        let (queries, page) = split(&given).unwrap();
        assert_eq!((queries.len(), page), (2, "shop.html"));
        for given in [
            words(&[]),
            words(&["shop.html"]),
            words(&["lastChange(a)"]),
            words(&["lastChange(a)", "lastChange(b)"]),
        ] {
            let error = split(&given).unwrap_err();
            assert_eq!(error.exit_status(), 2, "{given:?}");
            assert!(error.to_string().contains("no page is given"));
        }
    }
}
