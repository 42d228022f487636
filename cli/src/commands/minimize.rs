//! `querypoint minimize`: which steps of a recording are needed to reach a point with the same values.

use std::fmt::Write;
use std::process::ExitCode;

use app::cancelling::Cancellation;
use app::failure::Failure;
use app::minimizing::{MinimizeRequest, Minimized, minimize};

use super::output;
use crate::arguments::MinimizeArguments;
use crate::exit::NO_ANSWER;
use crate::progress::ProgressReport;
use crate::render;

/// Minimizes, says what is left and gives the exit status.
///
/// # Errors
/// If something that was typed or named is wrong, if the point is not reached with all steps, if the browser is lost,
/// or on Ctrl-C.
pub(crate) async fn run(arguments: &MinimizeArguments) -> Result<ExitCode, Failure> {
    let request = MinimizeRequest {
        recording: &arguments.recording,
        page: arguments.page.as_deref(),
        at: &arguments.at,
        watches: &arguments.watches,
        out: &arguments.out,
    };
    let browser = arguments.browser.options();
    let mut report = ProgressReport::new();
    let end = Cancellation::by_signals();
    let minimized = minimize(&request, &browser, &end, &mut report).await?;
    drop(report);
    output::print(&described(&minimized, arguments))?;
    if !minimized.is_reproducible {
        anstream::eprintln!(
            "with these steps the point is not reached each time: something else in the page varies; \
             `querypoint replay {} --runs 20` shows how often",
            arguments.recording.display()
        );
        return Ok(ExitCode::from(NO_ANSWER));
    }
    Ok(ExitCode::SUCCESS)
}

/// What is left, in words.
fn described(minimized: &Minimized, arguments: &MinimizeArguments) -> String {
    let steps = &minimized.recording.steps;
    let all = steps.len();
    let plural = if all == 1 { "" } else { "s" };
    let mut text = format!(
        "{all} step{plural} lead to {} ({} trials, {:.1} s)\n",
        arguments.at,
        minimized.trials,
        minimized.time.as_secs_f64()
    );
    for (index, step) in steps.iter().enumerate() {
        let description = step.describe();
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "  {:>3}  {}",
            index + 1,
            render::printable(&description)
        );
    }
    let _ = writeln!(text, "in {}", arguments.out.display());
    text
}
