//! What a person does on a page, recorded into a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cdp_driver::native::{Browser, LaunchOptions, Purpose, TokioClock};
use engine::record::{RecordOptions, Recorded, record};
use recording::{Live, Step};

use crate::cancelling::Cancellation;
use crate::failure::Failure;
use crate::page::Page;
use crate::progress::Reporter;
use crate::recording_file::{responses_beside, save, save_text, temporary_beside};

/// What is recorded, where, and into which file.
#[derive(Clone, Debug)]
pub struct RecordRequest<'r> {
    /// The page: a URL, or a path to an HTML file.
    pub page: &'r str,
    /// The file that the recording is written to.
    pub out: &'r Path,
    /// What the recording is called; otherwise the name of its file.
    pub title: Option<&'r str>,
    /// The page's size in CSS pixels, where it is not that of the window.
    pub viewport: Option<(u32, u32)>,
    /// Whether what is typed into fields for passwords and the like is kept.
    pub with_secrets: bool,
    /// What of what makes the page vary is not recorded.
    pub live: Live,
    /// The program to start; none: the browser that is found.
    pub executable: Option<PathBuf>,
    /// The DevTools address of a browser that runs already; none: one is started.
    pub connect: Option<&'r str>,
    /// Whether it is recorded in the tab of that browser that shows the page already.
    pub in_open_tab: bool,
}

/// Opens a page in a browser with a window and writes down what a person does there, until they close it or it is
/// cancelled: that ends a recording well. The recording is in the file when this returns, its responses beside it.
///
/// # Errors
/// If the browser cannot be started, the page cannot be opened, the file cannot be written, or it is cancelled before
/// the browser is there.
pub async fn record_page(
    request: &RecordRequest<'_>,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<Recorded, Failure> {
    let out = request.out;
    // Better now than after the user has done it all.
    drop(temporary_beside(out)?);
    let page = Page::open(
        request.page,
        &Vec::from_iter(request.connect.map(str::to_owned)),
    )
    .await?;
    let name = out.file_stem().unwrap_or(out.as_os_str());
    let options = RecordOptions {
        page: page.url().to_string(),
        in_open_tab: request.in_open_tab,
        title: match request.title {
            Some(title) => title.to_owned(),
            None => name.to_string_lossy().into_owned(),
        },
        viewport: request.viewport,
        with_secrets: request.with_secrets,
        live: request.live,
        served: match &page {
            Page::Served(_) => Some(page.url().origin().ascii_serialization()),
            Page::Remote(_) => None,
        },
    };
    reporter.stage("starting the browser");
    let opening = async {
        match request.connect {
            Some(address) => Browser::connect(address).await,
            None => {
                Browser::launch(LaunchOptions {
                    executable: request.executable.clone(),
                    ..LaunchOptions::of(Purpose::Window)
                })
                .await
            }
        }
    };
    let browser = cancellation.or_work(opening).await??;
    reporter.stage("recording, until you close the page or press Ctrl-C");
    let mut show = |number: usize, step: &Step| {
        reporter.stage(&format!("step {number}: {}", step.describe()));
    };
    let clock = Arc::new(TokioClock::new());
    let end = cancellation.requested();
    let recorded = record(browser.protocol(), clock, &options, end, &mut show).await;
    browser.close().await;
    let recorded = recorded?;
    // The recording names the responses, so they come first.
    if let Some(responses) = &recorded.responses {
        let text = responses.to_json(env!("CARGO_PKG_VERSION"));
        save_text(&text, &responses_beside(out))?;
    }
    save(&recorded.recording, out)?;
    Ok(recorded)
}
