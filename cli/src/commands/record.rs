//! `querypoint record`: opens a browser and records what the user does.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use cdp_driver::native::{Browser, LaunchOptions, Purpose, TokioClock, interrupted};
use engine::record::{Ended, RecordOptions, Recorded, record};

use super::output;
use crate::arguments::RecordArguments;
use crate::exit::NO_PAGE;
use crate::progress::ProgressReport;
use crate::render;
use app::browser::unless_interrupted;
use app::failure::Failure;
use app::page::Page;
use app::progress::Reporter;
use app::recording_file::{responses_beside, save, save_text, temporary_beside};

/// Records, writes the recording and says what is in it.
///
/// # Errors
/// If the browser cannot be started, the page cannot be opened, or the file cannot be written.
pub(crate) async fn run(arguments: &RecordArguments) -> Result<ExitCode, Failure> {
    let out = arguments.out.as_path();
    // Better now than after the user has done it all.
    drop(temporary_beside(out)?);
    let page = Page::open(&arguments.page, arguments.connect.as_slice()).await?;
    let name = out.file_stem().unwrap_or(out.as_os_str());
    let options = RecordOptions {
        page: page.url().to_string(),
        in_open_tab: arguments.tab,
        title: match &arguments.title {
            Some(title) => title.clone(),
            None => name.to_string_lossy().into_owned(),
        },
        viewport: arguments.viewport,
        with_secrets: arguments.with_secrets,
        live: arguments.live,
        served: match &page {
            Page::Served(_) => Some(page.url().origin().ascii_serialization()),
            Page::Remote(_) => None,
        },
    };
    let mut report = ProgressReport::new();
    report.stage("starting the browser");
    let opening = async {
        match &arguments.connect {
            Some(address) => Browser::connect(address).await,
            None => {
                Browser::launch(LaunchOptions {
                    executable: arguments.browser.clone(),
                    ..LaunchOptions::of(Purpose::Window)
                })
                .await
            }
        }
    };
    let browser = unless_interrupted(opening).await??;
    report.stage("recording, until you close the page or press Ctrl-C");
    let mut show = |number: usize, step: &recording::Step| {
        let step = render::printable(&step.describe());
        report.stage(&format!("step {number}: {step}"));
    };
    let clock = Arc::new(TokioClock::new());
    let recorded = record(
        browser.protocol(),
        clock,
        &options,
        interrupted(),
        &mut show,
    )
    .await;
    drop(report);
    browser.close().await;
    let recorded = recorded?;
    // The recording names the responses, so they come first.
    if let Some(responses) = &recorded.responses {
        let text = responses.to_json(env!("CARGO_PKG_VERSION"));
        save_text(&text, &responses_beside(out))?;
    }
    save(&recorded.recording, out)?;
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
