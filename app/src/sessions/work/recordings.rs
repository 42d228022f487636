//! Recordings of a session: made, renewed, replayed.

use std::sync::Arc;

use cdp_driver::native::TokioClock;
use engine::record::tab::TabRecording;
use engine::record::{RecordOptions, Recorded, record};
use engine::renew::renew;
use engine::replay::{ReplayOptions, ReplayReport, Speed};
use parking_lot::Mutex;
use querypoint::session::excerpt::short_name;
use querypoint::session::messages::News;
use recording::{Har, Live, Recording, Step, StepKind};
use tokio::sync::oneshot;

use super::{Job, RENEWING_LIMIT, Tell, begins, begun, wrong};
use crate::chosen_files::ChosenFiles;
use crate::failure::Failure;
use crate::page::Page;
use crate::recording_file::recording_as_written;
use crate::replay::{replay_for_person_within, replay_within};

impl Job {
    /// Opens the page for the user and records what they do until `stop`, or until they close it.
    ///
    /// # Errors
    /// If the browser cannot be started or the page cannot be opened.
    pub(in crate::sessions) async fn record(
        &self,
        in_open_tab: bool,
        stop: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<Recorded, Failure> {
        let url = self.page.url();
        let name = url.path_segments().and_then(|mut it| it.next_back());
        let options = RecordOptions {
            page: url.to_string(),
            in_open_tab,
            title: match name {
                Some(name) if !name.is_empty() => name.to_owned(),
                _ => url.host_str().unwrap_or("recording").to_owned(),
            },
            viewport: None,
            with_secrets: false,
            live: Live::default(),
            served: match self.page.as_ref() {
                Page::Served(_) => Some(url.origin().ascii_serialization()),
                Page::Remote(_) => None,
            },
        };
        begins(tell, "starting the browser");
        let browser = self.browsers.for_a_person().await?;
        begins(tell, "recording, until you stop it or close the page");
        let clock = Arc::new(TokioClock::new());
        let enough = async {
            // Whoever could stop it is gone: then so is the wish for it.
            let _ = stop.await;
        };
        let mut seen = |number: usize, step: &Step| {
            let step = step.describe_with_think_time();
            tell(News::Step { number, step });
        };
        let recorded = record(browser.protocol(), clock, &options, enough, &mut seen).await;
        browser.close().await;
        Ok(recorded?)
    }

    /// A recording of a tab begins with the session's page, or else it is of no use here.
    ///
    /// # Errors
    /// If the tab shows another page.
    pub(in crate::sessions) fn is_of_page(&self, recorded: &Recorded) -> Result<(), Failure> {
        let mut steps = recorded.recording.steps.iter();
        let address = steps.find_map(|step| match &step.kind {
            StepKind::Navigate { url } => Some(url.as_str()),
            _ => None,
        });
        let address = address.unwrap_or_default();
        if self.page.is_shown_at(address) {
            return Ok(());
        }
        let page = self.page.url();
        Err(Failure::NotPossible(format!(
            "the tab shows {address}, and this session is about {page}: open that page here first"
        )))
    }

    /// Loads the tab that is debugged again and records what the person does in it until `stop`.
    ///
    /// # Errors
    /// If it cannot be loaded, or is not debugged any more.
    pub(in crate::sessions) async fn record_tab(
        tab: &TabRecording,
        stop: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<Recorded, Failure> {
        begins(tell, "recording the tab, until you stop it");
        let enough = async {
            // Whoever could stop it is gone: then so is the wish for it.
            let _ = stop.await;
        };
        let mut seen = |number: usize, step: &Step| {
            let step = step.describe_with_think_time();
            tell(News::Step { number, step });
        };
        Ok(tab.record(&TokioClock::new(), enough, &mut seen).await?)
    }

    /// Asks the server of the page for its code as it is now, which is replayed and asked about from now on. Says what
    /// is other code, and what the server does not send.
    ///
    /// # Errors
    /// If the browser is lost.
    pub(in crate::sessions) async fn renew(
        &mut self,
        tell: Tell<'_>,
    ) -> Result<Vec<String>, Failure> {
        let Some((recording, _files)) = self.recording()? else {
            return Ok(Vec::new());
        };
        let Some(responses) = recording.responses.as_deref() else {
            return Ok(Vec::new());
        };
        let code = responses.code(self.page.url().as_str(), !recording.began_in_open_tab());
        if code.is_empty() {
            return Ok(Vec::new());
        }
        begins(tell, "asking the server for its code");
        let browser = self.browser().await?;
        let clock = Arc::new(TokioClock::new());
        let renewing = renew(browser.protocol(), clock, responses, &code);
        let renewed = tokio::time::timeout(RENEWING_LIMIT, renewing).await;
        self.browsers.give_back(browser).await;
        let Ok(renewed) = renewed else {
            let seconds = RENEWING_LIMIT.as_secs();
            return Ok(vec![format!(
                "the server did not send its code within {seconds} s; what was recorded is run"
            )]);
        };
        let renewed = renewed?;
        let mut notes = Vec::new();
        if !renewed.others.is_empty() {
            let others = renewed.others.iter().map(|url| short_name(url).to_owned());
            notes.push(format!(
                "the server sends other code now, and that is run: {}; undo brings the recorded code back",
                some_of(others)
            ));
        }
        if !renewed.missing.is_empty() {
            let missing = some_of(renewed.missing.into_iter());
            notes.push(format!(
                "what the server does not send now is run as it was recorded: {missing}"
            ));
        }
        self.responses = renewed.responses.map(Arc::new);
        Ok(notes)
    }

    /// The recording with the responses that are others than those in its file; none: they are those.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(in crate::sessions) fn renewed(&self) -> Result<Option<(Recording, Option<Har>)>, Failure> {
        let (Some(responses), Some(path)) = (&self.responses, &self.recording) else {
            return Ok(None);
        };
        let recording = recording_as_written(path)?;
        Ok(Some((recording, Some(Har::clone(responses)))))
    }

    /// Replays the recording once; says where it was another one than when it was recorded, and what else is to be
    /// said.
    ///
    /// # Errors
    /// If there is none, a step cannot be done, or the page or the browser is lost.
    pub(in crate::sessions) async fn replay(
        &self,
        at_recorded_pace: bool,
        tell: Tell<'_>,
    ) -> Result<Vec<String>, Failure> {
        let (recording, _files) = self.recorded()?;
        let options = self.replay_options(match at_recorded_pace {
            true => Speed::Real,
            false => Speed::Fast,
        });
        begins(tell, "starting the browser");
        let browser = self.browsers.take(Some(&recording)).await?;
        let mut show = |done: usize, of: usize, description: &str| {
            tell(step_begun(done, of, description));
        };
        let limit = self.browsers.limit();
        let report = replay_within(&browser, &recording, &options, limit, &mut show).await?;
        self.browsers.give_back(browser).await;
        Ok(notes_of(&report))
    }

    /// Replays the recording up to a step (from 1), with that, in a browser that a person sees, and leaves the page to
    /// them until its tab is closed.
    ///
    /// # Errors
    /// If there is no such step, one cannot be done, or the page or the browser is lost.
    pub(in crate::sessions) async fn replay_up_to(
        &self,
        number: usize,
        tell: Tell<'_>,
    ) -> Result<(), Failure> {
        let (recording, _files) = self.recorded()?;
        let recording = recording.up_to_step(number).map_err(wrong)?;
        let options = self.replay_options(Speed::Fast);
        begins(tell, "starting the browser");
        let browser = self.browsers.for_a_person().await?;
        let tell = Mutex::new(tell);
        let mut show = |done: usize, of: usize, description: &str| {
            tell.lock()(step_begun(done, of, description));
        };
        let mut is_there = |report: &ReplayReport| {
            let text = format!("the page is after step {number}; close its tab or cancel to end");
            let notes = notes_of(report).into_iter();
            let lines: Vec<String> = std::iter::once(text).chain(notes).collect();
            tell.lock()(begun(&lines.join(". ")));
        };
        let limit = self.browsers.limit();
        let replayed = replay_for_person_within(
            &browser,
            &recording,
            &options,
            limit,
            &mut show,
            &mut is_there,
        );
        replayed.await?;
        browser.close().await;
        Ok(())
    }

    fn replay_options(&self, speed: Speed) -> ReplayOptions {
        ReplayOptions {
            speed,
            load_limit: self.browsers.limit(),
            page_url: Some(self.page.url().to_string()),
            ..ReplayOptions::default()
        }
    }

    /// The session's recording, which has to be there.
    fn recorded(&self) -> Result<(Recording, ChosenFiles), Failure> {
        let missing = "there is no recording yet; record first what you do on the page";
        let recording = self.recording()?;
        recording.ok_or_else(|| Failure::NotPossible(missing.to_owned()))
    }
}

/// The first of these, and how many more there are.
fn some_of(all: impl Iterator<Item = String>) -> String {
    const MOST: usize = 5;
    let mut all: Vec<String> = all.collect();
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    let named = all.join(", ");
    match more {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// A step is done now.
fn step_begun(done: usize, of: usize, description: &str) -> News {
    News::Progress {
        stage: format!("step {done} of {of}: {description}"),
        done: Some(done),
        of: Some(of),
    }
}

/// Where a replay was another one than its recording.
fn notes_of(report: &ReplayReport) -> Vec<String> {
    let divergences = report.divergences.iter();
    let notes = divergences.map(|it| match it.step {
        0 => format!("at the start: {}", it.note),
        step => format!("step {step}: {}", it.note),
    });
    notes.collect()
}
