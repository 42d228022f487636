//! Logs in memory, for declarative debugging: one browser runs the page, and versions of it, as often as is needed.

use std::io::{self, Write};
use std::sync::Arc;

use cdp_driver::native::{Browser, TokioClock};
use engine::logging::{LogOutcome, LogRequest, log_execution};
use event_log::file::LogFile;
use event_log::model::Model;
use parking_lot::Mutex;

use crate::browser::{BrowserOptions, open_browser, purpose, unless_interrupted};
use crate::failure::Failure;
use crate::progress::{Reporter, of_questions};

/// A browser in which pages are logged, one after the other. It is gone when this is dropped.
#[derive(Debug)]
pub struct LoggingBrowser {
    browser: Browser,
}

/// What is written, kept in memory.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LoggingBrowser {
    /// Starts a browser, or attaches to one.
    ///
    /// # Errors
    /// If there is none, or it does not answer.
    pub async fn open(
        options: &BrowserOptions,
        request: &LogRequest,
        reporter: &mut dyn Reporter,
    ) -> Result<Self, Failure> {
        reporter.stage("starting the browser");
        let purpose = purpose(options, request.recording.as_ref());
        Ok(Self {
            browser: open_browser(options, purpose).await?,
        })
    }

    /// Runs a page and gives its log.
    ///
    /// # Errors
    /// If the page or the browser is lost before anything was recorded, or on Ctrl-C.
    pub async fn log(
        &self,
        request: &LogRequest,
        reporter: &mut dyn Reporter,
    ) -> Result<(Model, LogOutcome), Failure> {
        let kept = Kept::default();
        let written = kept.clone();
        let mut output = move || {
            written.0.lock().clear();
            let output: Box<dyn Write + Send> = Box::new(written.clone());
            Ok(output)
        };
        let clock = Arc::new(TokioClock::new());
        let mut show = of_questions(reporter);
        let execution = Box::pin(log_execution(
            self.browser.protocol(),
            clock,
            request,
            &mut output,
            &mut show,
        ));
        let outcome = unless_interrupted(execution).await??;
        let bytes = std::mem::take(&mut *kept.0.lock());
        let model = LogFile::open(bytes.as_slice()).and_then(|log| Model::read(&log));
        let model = model.map_err(|error| Failure::NotPossible(format!("the log: {error}")))?;
        Ok((model, outcome))
    }
}
