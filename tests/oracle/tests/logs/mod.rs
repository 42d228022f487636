//! Logs of pages, in memory.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Browser, Purpose, TokioClock};
use engine::logging::{Detail, LogRequest, LoggedScripts, log_execution};
use event_log::file::LogFile;
use event_log::model::Model;
use parking_lot::Mutex;
use tokio::runtime::Runtime;

const LIMIT: Duration = Duration::from_secs(60);

/// Memory that a log is written to.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A log that was read.
pub(crate) fn model(bytes: Vec<u8>) -> Model {
    Model::read(&LogFile::open(bytes).unwrap()).unwrap()
}

/// A browser in which pages are recorded.
pub(crate) struct Recorder {
    runtime: Runtime,
    browser: Browser,
}

impl Recorder {
    pub(crate) fn open() -> Self {
        let runtime = Runtime::new().unwrap();
        let browser = runtime.block_on(test_support::browsers::browser(Purpose::Pages));
        Self {
            runtime,
            browser: browser.unwrap(),
        }
    }

    /// Loads a page and gives its log.
    pub(crate) fn record(&self, page: &str) -> Model {
        let request = LogRequest {
            page: page.to_owned(),
            recording: None,
            readings: None,
            responses: None,
            recording_name: None,
            scripts: LoggedScripts::All,
            detail: Detail::All,
            from: None,
            to: None,
            timeout: LIMIT,
            versions: None,
            tells_inside: true,
        };
        let memory = Memory::default();
        let mut output = || {
            memory.0.lock().clear();
            let output: Box<dyn Write + Send> = Box::new(memory.clone());
            Ok(output)
        };
        let clock = Arc::new(TokioClock::new());
        let protocol = self.browser.protocol();
        let mut progress = |_| ();
        let logged = log_execution(protocol, clock, &request, &mut output, &mut progress);
        let outcome = self.runtime.block_on(logged).unwrap();
        assert_eq!(outcome.ended_early, None);
        let bytes = memory.0.lock().clone();
        model(bytes)
    }
}
