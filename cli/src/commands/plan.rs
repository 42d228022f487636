//! `querypoint plan`: what would be done to answer, without answering.

use std::process::ExitCode;

use querypoint::catalogue::Definitions;
use querypoint::query::Query;

use super::output;
use crate::arguments::PlanArguments;
use crate::progress::ProgressReport;
use crate::render;
use app::ask::find_outline;
use app::cancelling::Cancellation;
use app::failure::Failure;
use app::page::Page;
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
    let question = Question::read_with_log(&arguments.at, queries, &[], &Definitions::default())?;
    if question.log.is_some() {
        return Err(Failure::NotPossible(
            "a plan is of hooks; a question to a log needs them wherever the page's own scripts do something: give \
             it to `ask`, or to `query` with a log"
                .to_owned(),
        ));
    }
    let question = question.with_recording(recording);
    let browser = arguments.browser.options();
    let page = Page::open(page, &browser.connect).await?;
    let mut report = ProgressReport::new();
    let end = Cancellation::by_signals();
    let outline = find_outline(&page, question, &browser, &end, &mut report).await?;
    drop(report);
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
