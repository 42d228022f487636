//! The jobs of a session: what it needs its page for, from the request to the result.

mod points;

use parking_lot::Mutex;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use engine::logging::write_sources;
use engine::record::Recorded;
use engine::record::tab::TabRecording;
use querypoint::session::advice::for_panel;
use querypoint::session::differences::changed_points;
use querypoint::session::messages::{Doing, Refusal, RefusalCode};
use querypoint::session::results::{LogRecorded, Replayed};
use querypoint::session::{Session, SessionError};
use recording::{Har, Recording, Step, StepKind};
use tokio::sync::{oneshot, watch};

use super::{
    Beside, Done, LiveSession, NO_PAGE, Reply, SessionState, Task, busy, not_now, not_understood,
    refused,
};
use crate::failure::Failure;
use crate::logs::outline;
use crate::page::Page;
use crate::sessions::store::{Keep, SourceTexts, Taped, Way};
use crate::sessions::work::{Answered, Job, LastAnswered, Tell};
pub(super) use points::{ExecutionLineJob, ExpandJob, FrameJob, PauseJob, ReplayUpToJob};

/// How long a recording that is cancelled may take to end.
const STOPPING_LIMIT: Duration = Duration::from_secs(10);

/// Something that a session needs its page for.
pub(super) trait SessionJob: Send + 'static {
    /// How panels know it.
    const DOING: Doing;
    /// What comes of it, beside what the session is then.
    type Found: Send + 'static;

    /// Whether it would replace what the session has, so that it begins a new one: `next` is the session as it is to
    /// be, `now` as it is.
    fn is_beside(&self, _next: &Session, _now: &Session) -> bool {
        false
    }

    /// Does it. What the session is then goes into `next`.
    fn run(
        self,
        job: &mut Job,
        next: &mut Next,
        stop: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> impl Future<Output = Result<Self::Found, Failure>> + Send;
}

/// The queries are asked. `found` says which is new, if one is.
pub(super) struct Asking<F> {
    found: F,
    is_one_more: bool,
}

impl Asking<()> {
    /// The session's queries, as they are.
    pub(super) fn again(session: Session) -> Result<(Session, Self), SessionError> {
        session.point()?;
        let asking = Self {
            found: (),
            is_one_more: false,
        };
        Ok((session, asking))
    }
}

impl Asking<String> {
    /// The session's queries, with a new one that gives this point.
    pub(super) fn one_more(
        session: Session,
        point: String,
    ) -> Result<(Session, Self), SessionError> {
        session.point()?;
        let asking = Self {
            found: point,
            is_one_more: true,
        };
        Ok((session, asking))
    }
}

impl<F: Send + 'static> SessionJob for Asking<F> {
    const DOING: Doing = Doing::Asking;
    type Found = F;

    fn is_beside(&self, next: &Session, now: &Session) -> bool {
        self.is_one_more && next.at != now.at && !now.queries.is_empty()
    }

    async fn run(
        self,
        job: &mut Job,
        next: &mut Next,
        _: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<F, Failure> {
        next.ask(job, tell).await?;
        Ok(self.found)
    }
}

/// The user is recorded.
pub(super) struct RecordJob {
    pub(super) in_open_tab: bool,
}

impl SessionJob for RecordJob {
    const DOING: Doing = Doing::Recording;
    type Found = ();

    fn is_beside(&self, next: &Session, _: &Session) -> bool {
        next.recording.is_some()
    }

    async fn run(
        self,
        job: &mut Job,
        next: &mut Next,
        stop: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<(), Failure> {
        next.take_recorded(job.record(self.in_open_tab, stop, tell).await?);
        Ok(())
    }
}

/// What is recorded of the tab that is debugged becomes the session's recording.
pub(super) struct TabJob {
    pub(super) tab: TabRecording,
    pub(super) from: RecordedFrom,
}

/// From when on a tab's recording is wanted.
pub(super) enum RecordedFrom {
    /// Since its page was loaded, up to now.
    LastLoad,
    /// From when it is loaded again, until the person has done enough.
    NextLoad,
}

impl SessionJob for TabJob {
    const DOING: Doing = Doing::Recording;
    type Found = ();

    fn is_beside(&self, next: &Session, _: &Session) -> bool {
        next.recording.is_some()
    }

    async fn run(
        self,
        job: &mut Job,
        next: &mut Next,
        stop: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<(), Failure> {
        const NOTHING: &str =
            "nothing is recorded of this tab: load its page again, then do what leads there";
        let recorded = match self.from {
            RecordedFrom::NextLoad => Job::record_tab(&self.tab, stop, tell).await?,
            RecordedFrom::LastLoad => {
                let recorded = self.tab.take().await;
                recorded.ok_or_else(|| Failure::NotPossible(NOTHING.to_owned()))?
            }
        };
        job.is_of_page(&recorded)?;
        next.take_recorded(recorded);
        Ok(())
    }
}

/// The recording is replayed, and the queries are asked again.
pub(super) struct ReplayJob {
    pub(super) at_recorded_pace: bool,
}

impl SessionJob for ReplayJob {
    const DOING: Doing = Doing::Replaying;
    type Found = Replayed;

    async fn run(
        self,
        job: &mut Job,
        next: &mut Next,
        _: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<Replayed, Failure> {
        let mut notes = job.renew(tell).await?;
        notes.extend(job.replay(self.at_recorded_pace, tell).await?);
        next.recorded = job.renewed()?;
        let mut differences = None;
        if next.session.at.is_some() {
            let before = next.session.answer.take();
            next.ask(job, tell).await?;
            let both = before.zip(next.session.answer.as_ref());
            differences = both.map(|(before, now)| changed_points(&before, now));
        }
        Ok(Replayed { notes, differences })
    }
}

/// The recording is another one, and the queries are asked again.
pub(super) struct EditJob {
    pub(super) recording: Recording,
    pub(super) responses: Option<Har>,
}

impl SessionJob for EditJob {
    const DOING: Doing = Doing::Asking;
    type Found = Replayed;

    async fn run(
        self,
        job: &mut Job,
        next: &mut Next,
        _: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<Replayed, Failure> {
        let outline = self.recording.outline();
        job.edited = Some(self.recording.clone());
        next.session = next.session.recorded(Some(outline));
        next.recorded = Some((self.recording, self.responses));
        let mut notes = Vec::new();
        if next.session.at.is_some()
            && let Err(failure) = next.ask(job, tell).await
        {
            // One of several changes may leave a recording that cannot be replayed.
            notes.push(for_panel(&failure.to_string()).into_owned());
        }
        Ok(Replayed {
            notes,
            differences: None,
        })
    }
}

/// The page is run and recorded in an event log.
pub(super) struct LogJob {
    /// The session that keeps the log.
    pub(super) of: Arc<LiveSession>,
}

impl SessionJob for LogJob {
    const DOING: Doing = Doing::Logging;
    type Found = LogRecorded;

    async fn run(
        self,
        job: &mut Job,
        _: &mut Next,
        _: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<LogRecorded, Failure> {
        let new = self.of.registry.store.new_log(&self.of.name)?;
        let (outcome, texts) = job.log(&new, tell).await?;
        // Without them a diagnosis of the log asks a little more.
        let scripts = write_sources(&outcome.sources).unwrap_or_default();
        let kept = new.publish(&texts, &scripts)?;
        let unrecorded = outcome.unrecorded.iter();
        let mut notes: Vec<String> = unrecorded
            .map(|script| format!("not recorded: {}: {}", script.url, script.reason))
            .collect();
        notes.extend(outcome.notes);
        Ok(LogRecorded {
            log: outline(kept.number, &kept.path, kept.recorded_ms)?,
            notes,
        })
    }
}

/// A session as it is to be after a job.
pub(super) struct Next {
    session: Session,
    /// Whether the session that was there stays, and this is a new one.
    is_beside: bool,
    /// A new answer, with the texts of its files.
    answered: Option<(Arc<Answered>, SourceTexts)>,
    /// A recording that is new, or has other responses.
    recorded: Option<(Recording, Option<Har>)>,
}

impl Next {
    /// The session has this recording then.
    fn take_recorded(&mut self, recorded: Recorded) {
        let outline = recorded.recording.outline();
        self.session = self.session.recorded(Some(outline));
        self.recorded = Some((recorded.recording, recorded.responses));
    }

    /// Asks the queries; the session is answered then.
    async fn ask(&mut self, job: &Job, tell: Tell<'_>) -> Result<(), Failure> {
        let (answered, sources) = job.ask(tell).await?;
        self.session = self.session.answered(answered.asked.answer.clone());
        self.answered = Some((Arc::new(answered), sources));
        Ok(())
    }
}

impl LiveSession {
    /// Starts a job for the session as `change` says it is to be. No other runs for it until that has ended; `respond`
    /// makes the result of it, with the name of the new session that holds it, if one does.
    pub(super) fn start<J: SessionJob, R: Send + 'static>(
        self: &Arc<Self>,
        change: impl FnOnce(&Session) -> Result<(Session, J), SessionError>,
        respond: impl FnOnce(J::Found, Option<String>) -> R + Send + 'static,
    ) -> Reply<Result<R, Refusal>> {
        let mut state = self.state();
        let wanted = match &state.task {
            Some(task) => Err(busy(task.doing)),
            None if state.session.page.is_none() => Err(not_now(NO_PAGE)),
            None => change(&state.session).map_err(not_understood),
        };
        let (session, job) = match wanted {
            Ok(wanted) => wanted,
            Err(refusal) => return Reply::Ready(Done::of(Err(refusal))),
        };
        // Another recording, and the queries of another point, would take the place of what is there.
        let is_beside = job.is_beside(&session, &state.session);
        let (cancel, cancelled) = watch::channel(false);
        let (stop, stopped) = oneshot::channel();
        state.task = Some(Task {
            doing: J::DOING,
            cancel,
            stop: (J::DOING == Doing::Recording).then_some(stop),
        });
        drop(state);
        self.changed();
        let this = self.clone();
        Reply::Pending(Box::pin(async move {
            // Boxed, for it is one large future.
            let work = Box::pin(this.run(session, is_beside, job, stopped));
            Done::of(this.finish(work, cancelled, respond).await)
        }))
    }

    /// Runs a job.
    async fn run<J: SessionJob>(
        &self,
        session: Session,
        is_beside: bool,
        job: J,
        stop: oneshot::Receiver<()>,
    ) -> Result<(Next, J::Found), Failure> {
        let mut with_page = self.job(session).await?;
        let mut next = Next {
            session: with_page.session.clone(),
            is_beside,
            answered: None,
            recorded: None,
        };
        let mut tell = |news| self.say(news);
        let found = job.run(&mut with_page, &mut next, stop, &mut tell).await?;
        Ok((next, found))
    }

    /// Does the work until it is done or cancelled, and takes over what came of it.
    async fn finish<F: Send, R>(
        &self,
        work: impl Future<Output = Result<(Next, F), Failure>> + Send,
        mut cancelled: watch::Receiver<bool>,
        respond: impl FnOnce(F, Option<String>) -> R + Send,
    ) -> Beside<R> {
        let cancelled = async {
            // The sender is in the state until we are done.
            let _ = cancelled.wait_for(|is_cancelled| *is_cancelled).await;
        };
        let mut work = pin!(work);
        let next = tokio::select! {
            done = &mut work => done.map_err(|error| refused(&error)),
            () = cancelled => Err(self.cancelled(work).await),
        };
        let done = next.and_then(|(next, found)| {
            let beside = self.take_over(next)?;
            let name = beside.as_ref().map(|session| session.name.clone());
            Ok((respond(found, name), beside))
        });
        self.state().task = None;
        self.changed();
        done
    }

    /// Ends a job that is not wanted any more. Everything is as it was then; what a person did while they were
    /// recorded is kept for who wants it after all.
    async fn cancelled<F: Send>(
        &self,
        work: Pin<&mut (impl Future<Output = Result<(Next, F), Failure>> + Send)>,
    ) -> Refusal {
        let mut said = "cancelled; everything is as it was before".to_owned();
        let stop = self.state().task.as_mut().and_then(|task| task.stop.take());
        if stop.is_some_and(|stop| stop.send(()).is_ok())
            && let Ok(Ok((next, _))) = tokio::time::timeout(STOPPING_LIMIT, work).await
            && let Some(way_there) = self.keep_undone(next)
        {
            said.push_str("; ");
            said.push_str(&way_there);
        }
        Refusal::new(RefusalCode::Cancelled, said)
    }

    /// Keeps a recording as if it had been undone. Says how to get it; none: it holds nothing that a person did, or
    /// cannot be kept.
    fn keep_undone(&self, next: Next) -> Option<String> {
        let (recording, responses) = next.recorded.as_ref()?;
        let is_done = |step: &Step| {
            use StepKind::{Navigate, SetViewport};
            !matches!(step.kind, Navigate { .. } | SetViewport(_))
        };
        if !recording.steps.iter().any(is_done) {
            return None;
        }
        if next.is_beside {
            let session = self.take_over(next).ok()??;
            return Some(format!("what you did is in the session {}", session.name));
        }
        let keep = Keep {
            session: &next.session,
            sources: None,
            recording: Taped::New(recording, responses.as_ref()),
        };
        self.keep(&keep).ok()?;
        let undone = self.registry.store.go(&self.name, Way::Undo);
        undone.ok()?.then(|| "redo brings what you did".to_owned())
    }

    /// Writes what came of a job; then it is so. Gives the new session that holds it, if one does.
    fn take_over(&self, next: Next) -> Result<Option<Arc<Self>>, Refusal> {
        let recording = match &next.recorded {
            Some((recording, responses)) => Taped::New(recording, responses.as_ref()),
            None if next.is_beside => Taped::Of(&self.name),
            None => Taped::AsBefore,
        };
        let keep = Keep {
            session: &next.session,
            sources: next.answered.as_ref().map(|(_, sources)| sources),
            recording,
        };
        if next.is_beside {
            let (answered, sources) = next.answered.clone().unzip();
            let state = SessionState {
                session: next.session.clone(),
                sources: Arc::new(sources.unwrap_or_default()),
                answered: Arc::new(Mutex::new(answered)),
                page: self.state().page.clone(),
                task: None,
            };
            return self.beside(state, &keep).map(Some);
        }
        self.keep(&keep)?;
        let mut state = self.state();
        // What was asked before another recording is of another course of the page.
        if next.session.answer.is_none() {
            state.answered = LastAnswered::default();
        }
        state.session = next.session;
        if let Some((answered, sources)) = next.answered {
            state.answered = Arc::new(Mutex::new(Some(answered)));
            state.sources = Arc::new(sources);
        }
        Ok(None)
    }

    /// What is to be done, with the page there.
    async fn job(&self, session: Session) -> Result<Job, Failure> {
        let opened = self.state().page.clone();
        let page = match (opened, &session.page) {
            (Some(page), _) => page,
            (None, Some(text)) => {
                let addresses = self.registry.browsers.addresses();
                let page = Arc::new(Page::open(text, addresses).await?);
                self.state().page = Some(page.clone());
                page
            }
            (None, None) => return Err(Failure::NotPossible(NO_PAGE.to_owned())),
        };
        Ok(Job {
            recording: self.registry.store.recording(&self.name),
            session,
            page,
            answered: self.state().answered.clone(),
            responses: None,
            edited: None,
            browsers: self.registry.browsers.clone(),
        })
    }
}
