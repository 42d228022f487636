//! What a page does, recorded into an event log.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cdp_driver::native::{Browser, TokioClock};
use engine::logging::{Detail, LogOutcome, LogRequest, LoggedScripts, log_execution};
use recording::Live;

use crate::browser::{BrowserOptions, in_browser, purpose};
use crate::cancelling::Cancellation;
use crate::failure::Failure;
use crate::logs::unwritable;
use crate::page::Page;
use crate::private;
use crate::progress::{Reporter, of_questions};
use crate::question::reproduction_point;
use crate::recording_file::recording;

/// Which page is recorded into which file.
#[derive(Clone, Copy, Debug)]
pub struct RecordLogRequest<'r> {
    /// The page: a URL, or a path to an HTML file.
    pub page: &'r str,
    /// The file of the recording.
    pub recording: Option<&'r Path>,
    /// Where the part begins that answers are about.
    pub from: Option<&'r str>,
    /// Where it ends.
    pub to: Option<&'r str>,
    /// Which scripts: `own`, `all` or a pattern.
    pub scripts: &'r str,
    /// How much of what they do.
    pub detail: Detail,
    /// The file of the log.
    pub out: &'r Path,
}

/// Runs a page and writes what it does to a file, in a browser that is gone when this returns.
///
/// # Errors
/// If something that was typed or named is wrong, the file cannot be written, the page or the browser is lost before
/// anything was recorded, or it is cancelled.
pub async fn record_log(
    request: &RecordLogRequest<'_>,
    browser: &BrowserOptions,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<LogOutcome, Failure> {
    for point in [request.from, request.to].into_iter().flatten() {
        reproduction_point(point)?;
    }
    let recording_file = match request.recording {
        Some(path) => Some(recording(path, Live::default())?),
        None => None,
    };
    let (recording, _files) = recording_file.unzip();
    let page = Page::open(request.page, &browser.connect).await?;
    let logged = LogRequest {
        page: page.url().to_string(),
        recording,
        readings: None,
        responses: None,
        recording_name: request.recording.map(|path| path.display().to_string()),
        scripts: LoggedScripts::read(request.scripts),
        detail: request.detail,
        from: request.from.map(str::to_owned),
        to: request.to.map(str::to_owned),
        timeout: browser.timeout,
        versions: None,
        tells_inside: true,
    };
    log_into_file(&logged, browser, request.out, cancellation, reporter).await
}

async fn log_into_file(
    request: &LogRequest,
    browser: &BrowserOptions,
    path: &Path,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<LogOutcome, Failure> {
    // What cannot be written is said before a browser starts.
    private::create_file(path).map_err(|source| unwritable(path, source))?;
    reporter.stage("starting the browser");
    let purpose = purpose(browser, request.recording.as_ref());
    let path: PathBuf = path.to_owned();
    let logging = async |browser: &Browser| {
        let mut show = of_questions(reporter);
        let clock = Arc::new(TokioClock::new());
        let mut output = move || {
            let file = private::create_file(&path)?;
            let file: Box<dyn Write + Send> = Box::new(BufWriter::new(file));
            Ok(file)
        };
        let protocol = browser.protocol();
        Box::pin(log_execution(
            protocol,
            clock,
            request,
            &mut output,
            &mut show,
        ))
        .await
    };
    in_browser(browser, purpose, cancellation, logging).await
}
