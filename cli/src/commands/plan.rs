//! `querypoint plan`: what would be done to answer, without answering.

use std::process::ExitCode;
use std::sync::Arc;

use cdp_driver::native::TokioClock;
use engine::survey::survey;
use querypoint::outline::Outline;
use querypoint::query::Query;

use super::output;
use crate::arguments::PlanArguments;
use crate::progress::ProgressReport;
use crate::render;
use app::browser::{BrowserOptions, open_browser, purpose};
use app::failure::Failure;
use app::page::Page;
use app::progress::Reporter;
use app::progress::of_questions;
use app::question::Question;
use app::recording_file::recording;

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
    let browser = arguments.browser.options();
    let page = Page::open(page, &browser.connect).await?;
    let outline = find_outline(&page, question, &browser).await?;
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
    browser: &BrowserOptions,
) -> Result<Outline, Failure> {
    let mut report = ProgressReport::new();
    report.stage("starting the browser");
    let purpose = purpose(browser, question.recording.as_ref());
    let request = question.into_request(page.url().to_string(), browser.timeout);
    let outcome = open_browser(browser, purpose)
        .await?
        .run_until_interrupted(async |browser| {
            let mut show = of_questions(&mut report);
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
            assert_eq!(crate::exit::status(&error), 2, "{given:?}");
            assert!(error.to_string().contains("no page is given"));
        }
    }
}
