//! `querypoint ask --pause NAME`: the answer, and then the page itself, paused at one of its points until the person
//! has seen enough.

use std::process::ExitCode;

use app::browser::BrowserOptions;
use app::cancelling::Cancellation;
use app::failure::Failure;
use app::page::Page;
use app::pausing::{PauseOutcome, PauseView, PausedTab, ask_and_pause};
use app::question::Question;
use querypoint::answer::{Answer, Location};

use crate::exit::NO_ANSWER;
use crate::progress::{Aside, ProgressReport};

/// Finds the answer, `show`s it, and leaves the page paused at the point `name` until Ctrl-C, or until its tab is
/// closed. Gives the exit status of the answer.
///
/// # Errors
/// If the page or the browser is lost, or on Ctrl-C before the page is paused.
pub(crate) async fn run(
    page: &Page,
    question: Question,
    name: &str,
    browser: &BrowserOptions,
    show: &(dyn Fn(&Answer) -> Result<(), Failure> + Sync),
) -> Result<ExitCode, Failure> {
    let mut report = ProgressReport::new();
    let view = View {
        name,
        show,
        aside: report.aside(),
    };
    let end = Cancellation::by_signals();
    let paused = ask_and_pause(page, question, name, browser, &end, &mut report, &view).await?;
    let PauseOutcome { answer, refused } = paused;
    let status = answer.exit_status();
    Ok(ExitCode::from(match refused {
        Some(refused) => {
            view.aside.end();
            tell("warning:", &refused.to_string());
            status.max(NO_ANSWER)
        }
        None => status,
    }))
}

struct View<'v> {
    name: &'v str,
    show: &'v (dyn Fn(&Answer) -> Result<(), Failure> + Sync),
    aside: Aside,
}

impl PauseView for View<'_> {
    fn answer(&self, answer: &Answer) -> Result<(), Failure> {
        self.aside.print(|| (self.show)(answer))
    }

    fn paused(&self, tab: &PausedTab) {
        self.aside.end();
        for difference in &tab.differences {
            tell(
                "warning:",
                &format!("this is not quite the moment of the answer: {difference}"),
            );
        }
        let place = place(tab.location.as_ref(), &tab.function);
        tell("paused", &format!("at {}: {place}", self.name));
        let address = &tab.developer_tools;
        eprintln!("  developer tools: {address}\n  Ctrl-C ends it, as does closing the tab");
    }
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
