//! `querypoint record`: opens a browser and records what the user does.

use std::path::Path;
use std::process::ExitCode;

use app::cancelling::Cancellation;
use app::failure::Failure;
use app::recording_file::responses_beside;
use app::recording_session::{RecordRequest, record_page};
use engine::record::{Ended, Recorded};

use super::output;
use crate::arguments::RecordArguments;
use crate::exit::NO_PAGE;
use crate::progress::ProgressReport;

/// Records, writes the recording and says what is in it.
///
/// # Errors
/// If the browser cannot be started, the page cannot be opened, or the file cannot be written.
pub(crate) async fn run(arguments: &RecordArguments) -> Result<ExitCode, Failure> {
    let out = arguments.out.as_path();
    let request = RecordRequest {
        page: &arguments.page,
        out,
        title: arguments.title.as_deref(),
        viewport: arguments.viewport,
        with_secrets: arguments.with_secrets,
        live: arguments.live,
        executable: arguments.browser.clone(),
        connect: arguments.connect.as_deref(),
        in_open_tab: arguments.tab,
    };
    let mut report = ProgressReport::new();
    let recorded = record_page(&request, &Cancellation::by_signals(), &mut report).await?;
    drop(report);
    output::print(&summary(&recorded, out))?;
    Ok(match recorded.ended {
        Ended::Closed | Ended::Asked => ExitCode::SUCCESS,
        Ended::Lost => {
            anstream::eprintln!(
                "the page or the browser was lost; this is what was recorded until then"
            );
            ExitCode::from(NO_PAGE)
        }
    })
}

/// What was recorded, and what to do with it.
fn summary(recorded: &Recorded, out: &Path) -> String {
    let recording = &recorded.recording;
    let number = recording.steps.len();
    let plural = if number == 1 { "" } else { "s" };
    let mut text = format!("{number} step{plural} in {}\n", out.display());
    if let Some(responses) = &recorded.responses {
        let number = responses.exchanges.len();
        let plural = if number == 1 { "" } else { "s" };
        let beside = responses_beside(out);
        text.push_str(&format!(
            "{number} response{plural} in {}",
            beside.display()
        ));
        if let Some(comment) = &responses.comment {
            text.push_str(&format!("; {comment}"));
        }
        text.push('\n');
    }
    let stored = recording.storage();
    if !stored.is_empty() {
        let items = stored.local.len() + stored.session.len();
        let cookies = stored.cookies.len();
        text.push_str(&format!(
            "It holds what the page had stored: {items} item{}, {cookies} cookie{}.\n",
            if items == 1 { "" } else { "s" },
            if cookies == 1 { "" } else { "s" },
        ));
    }
    let secrets = recording
        .steps
        .iter()
        .filter_map(|step| step.ours("secret"));
    let mut variables: Vec<&str> = secrets.filter_map(|secret| secret.as_str()).collect();
    variables.sort_unstable();
    variables.dedup();
    if !variables.is_empty() {
        text.push_str(&format!(
            "To replay it, give what you typed there in {}.\n",
            variables.join(", ")
        ));
    }
    text
}
