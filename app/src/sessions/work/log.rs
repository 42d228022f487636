//! An execution of the session's page, recorded as an event log.

use std::io::{BufWriter, Write};
use std::sync::Arc;

use cdp_driver::native::TokioClock;
use engine::logging::{Detail, LogOutcome, LogRequest, LoggedScripts, log_with_texts};

use super::{Job, Tell, begins, told};
use crate::failure::Failure;
use crate::sessions::store::{NewLog, SourceTexts};

impl Job {
    /// Runs the page once and writes what it does into a new log. With it come the texts of the files that it names.
    ///
    /// # Errors
    /// If the log cannot be written, or the page or the browser is lost before anything was recorded.
    pub(in crate::sessions) async fn log(
        &self,
        new: &NewLog,
        tell: Tell<'_>,
    ) -> Result<(LogOutcome, SourceTexts), Failure> {
        let (recording, _files) = self.recording()?.unzip();
        let outline = self.session.recording.as_ref();
        let request = LogRequest {
            page: self.page.url().to_string(),
            readings: None,
            responses: None,
            recording_name: outline.and_then(|it| it.first_action.clone()),
            recording,
            scripts: LoggedScripts::Own,
            detail: Detail::All,
            from: None,
            to: None,
            timeout: self.browsers.limit(),
            versions: None,
            // A person may look for the faulty call in it.
            tells_inside: true,
        };
        begins(tell, "starting the browser");
        let browser = self.browsers.take(request.recording.as_ref()).await?;
        let clock = Arc::new(TokioClock::new());
        let mut output = || {
            let file: Box<dyn Write + Send> = Box::new(BufWriter::new(new.output()?));
            Ok(file)
        };
        let mut progress = |it| tell(told(it));
        let logged = log_with_texts(
            browser.protocol(),
            clock,
            &request,
            &mut output,
            &mut progress,
        )
        .await;
        let logged = logged?;
        self.browsers.give_back(browser).await;
        Ok(logged)
    }
}
