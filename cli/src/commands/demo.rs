//! `querypoint demo`: the main job on a page that is shipped inside the program, told as to a newcomer.

use std::process::ExitCode;

use super::output;
use crate::arguments::DemoArguments;
use crate::progress::ProgressReport;
use crate::render;
use app::ask::find_answer;
use app::cancelling::Cancellation;
use app::example::{AT, PAGE, QUERIES, WATCHES, recording};
use app::failure::Failure;
use app::files::write_file;
use app::page::Page;
use app::question::Question;

const BEFORE: &str = "\
A small page has one button, which counts its clicks. After the second click it shows 0 instead of 2.

Line 22 shows the number, but that line is not wrong: the 0 was written earlier, by code that has
returned long since, so that a breakpoint comes too late. Querypoint runs the page again, clicks twice
in a Chromium of its own, and finds out:
";

const AFTER: &str = "\
How to read it: R is where we stopped. B is the moment at which the value that is wrong at R was last
changed: the line, the old and the new value, the call stack, the variables. C answers the next
question, asked at B: the condition that led there was changed by a line that reads past the end of a
list. That is the defect, two questions away from where it showed.

On a page of your own:
  querypoint record PAGE --out FILE
  querypoint ask PAGE --recording FILE --at FILE:LINE 'lastChange(R:object.property)'
  querypoint ask --help
";

/// Asks about the demo page and prints the answer.
///
/// # Errors
/// If there is no folder for temporary files, or the browser is lost.
pub(crate) async fn run(arguments: &DemoArguments) -> Result<ExitCode, Failure> {
    let question = Question::read(AT, &QUERIES, &WATCHES)?.with_recording(Some(recording()?));
    let folder = tempfile::tempdir().map_err(Failure::Runtime)?;
    let file = folder.path().join("index.html");
    write_file(&file, PAGE)?;
    let browser = arguments.browser.options();
    let page = Page::open(&file.to_string_lossy(), &browser.connect).await?;

    output::print(&format!("{BEFORE}\n{}\n\n", command_line()))?;
    let mut report = ProgressReport::new();
    let end = Cancellation::by_signals();
    let (found, _) = find_answer(&page, question, &browser, &end, &mut report).await?;
    drop(report);
    let answer = found.answer;
    let drawing = render::answer(&answer, &|url, line| page.source_line(url, line));
    output::print(&format!("{drawing}\n{AFTER}"))?;
    Ok(ExitCode::from(answer.exit_status()))
}

/// What a person would type to ask the same.
fn command_line() -> String {
    let [watch] = WATCHES;
    let [first, second] = QUERIES;
    format!(
        "  querypoint ask index.html --recording recording.json --at {AT} --watch {watch} \\\n      \
         '{first}' \\\n      '{second}'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_is_named_is_the_line_that_shows_the_number() {
        let line = PAGE.lines().nth(21).unwrap();
        assert!(
            line.contains("myButton.textContent = myObject.myProperty"),
            "{line}"
        );
    }
}
