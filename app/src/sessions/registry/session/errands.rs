//! What a session needs its page for, from the wish until it is answered.

use parking_lot::Mutex;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use querypoint::session::differences::changed_points;
use querypoint::session::messages::{Doing, Given, Refusal, RefusalCode};
use querypoint::session::{Session, SessionError};
use recording::{Har, Recording, Step, StepKind};
use tokio::sync::{oneshot, watch};

use super::{
    Begun, Did, Done, LiveSession, NO_PAGE, State, Task, busy, done, not_now, not_understood,
    refused,
};
use crate::failure::Failure;
use crate::page::Page;
use crate::sessions::store::{Keep, SourceTexts, Taped, Way};
use crate::sessions::work::{Answered, Job, LastAnswered};

/// How long a recording that is cancelled may take to end.
const STOPPING_LIMIT: Duration = Duration::from_secs(10);

/// What a session needs its page for.
pub enum Errand {
    /// An answer; `point` is the query's that is new in it.
    Ask {
        point: Option<String>,
    },
    Record {
        in_open_tab: bool,
    },
    Replay {
        at_recorded_pace: bool,
    },
    Stand {
        point: String,
    },
    Unfold {
        point: String,
        expression: String,
    },
    ExecutionLine {
        point: String,
    },
}

impl Errand {
    const fn doing(&self) -> Doing {
        match self {
            Self::Ask { .. } => Doing::Asking,
            Self::Record { .. } => Doing::Recording,
            Self::Replay { .. } => Doing::Replaying,
            Self::Stand { .. } => Doing::Standing,
            Self::Unfold { .. } => Doing::Unfolding,
            Self::ExecutionLine { .. } => Doing::Tracing,
        }
    }
}

/// A session as it is to be, and what came of the way there.
struct Next {
    session: Session,
    /// Whether the session that was there stays, and this is a new one.
    is_beside: bool,
    /// A new answer, with the texts of its files.
    answered: Option<(Arc<Answered>, SourceTexts)>,
    /// A recording that is new, or has other responses.
    recorded: Option<(Recording, Option<Har>)>,
    given: Given,
}

impl LiveSession {
    /// Has the page run for a session that is to be as `change` says, with the name of the point that is new.
    pub fn ask(
        self: &Arc<Self>,
        change: impl FnOnce(&Session) -> Result<(Session, Option<String>), SessionError>,
    ) -> Begun {
        self.send_for(|session| {
            let (session, point) = change(session)?;
            session.point()?;
            Ok((session, Errand::Ask { point }))
        })
    }

    /// Begins an errand for the session as it is to be. Nothing else is done for it until that has ended.
    pub fn send_for(
        self: &Arc<Self>,
        change: impl FnOnce(&Session) -> Result<(Session, Errand), SessionError>,
    ) -> Begun {
        let mut state = self.state();
        let wanted = match &state.task {
            Some(task) => Err(busy(task.doing)),
            None if state.session.page.is_none() => Err(not_now(NO_PAGE)),
            None => change(&state.session).map_err(not_understood),
        };
        let (session, errand) = match wanted {
            Ok(wanted) => wanted,
            Err(refusal) => return Begun::Ended(Box::new(done(Err(refusal)))),
        };
        // Another recording, and the queries of another point, would take the place of what is there.
        let is_beside = match &errand {
            Errand::Ask { point: Some(_) } => {
                session.at != state.session.at && !state.session.queries.is_empty()
            }
            Errand::Record { .. } => session.recording.is_some(),
            _ => false,
        };
        let doing = errand.doing();
        let (cancel, cancelled) = watch::channel(false);
        let (stop, stopped) = oneshot::channel();
        state.task = Some(Task {
            doing,
            cancel,
            stop: (doing == Doing::Recording).then_some(stop),
        });
        drop(state);
        self.changed();
        let this = self.clone();
        Begun::Going(Box::pin(async move {
            // Boxed, for it is one large future.
            let work = Box::pin(this.run(session, is_beside, errand, stopped));
            this.finish(work, cancelled).await
        }))
    }

    /// Does an errand.
    async fn run(
        &self,
        session: Session,
        is_beside: bool,
        errand: Errand,
        stop: oneshot::Receiver<()>,
    ) -> Result<Next, Failure> {
        let mut job = self.job(session).await?;
        let mut tell = |news| self.say(news);
        let mut next = Next {
            session: job.session.clone(),
            is_beside,
            answered: None,
            recorded: None,
            given: Given::default(),
        };
        let given = &mut next.given;
        match errand {
            Errand::Ask { point } => {
                let (answered, sources) = job.ask(&mut tell).await?;
                next.session = next.session.answered(answered.asked.answer.clone());
                given.point = point;
                next.answered = Some((Arc::new(answered), sources));
            }
            Errand::Record { in_open_tab } => {
                let recorded = job.record(in_open_tab, stop, &mut tell).await?;
                let outline = recorded.recording.outline();
                next.session = next.session.recorded(Some(outline));
                next.recorded = Some((recorded.recording, recorded.responses));
            }
            Errand::Stand { point } => job.stand(&point, &mut tell).await?,
            Errand::Unfold { point, expression } => {
                let (variables, notes) = job.unfold(&point, &expression, &mut tell).await?;
                given.variables = Some(variables);
                given.notes = (!notes.is_empty()).then_some(notes);
            }
            Errand::ExecutionLine { point } => {
                let (line, notes) = job.execution_line(&point, &mut tell).await?;
                given.execution_line = Some(Box::new(line));
                given.notes = (!notes.is_empty()).then_some(notes);
            }
            Errand::Replay { at_recorded_pace } => {
                let mut notes = job.renew(&mut tell).await?;
                notes.extend(job.replay(at_recorded_pace, &mut tell).await?);
                given.notes = Some(notes);
                next.recorded = job.renewed()?;
                if next.session.at.is_some() {
                    let before = next.session.answer.take();
                    let (answered, sources) = job.ask(&mut tell).await?;
                    next.session = next.session.answered(answered.asked.answer.clone());
                    let both = before.zip(next.session.answer.as_ref());
                    given.differences = both.map(|(before, now)| changed_points(&before, now));
                    next.answered = Some((Arc::new(answered), sources));
                }
            }
        }
        Ok(next)
    }

    /// Does the work until it is done or cancelled, and takes over what came of it.
    async fn finish(
        &self,
        work: impl Future<Output = Result<Next, Failure>> + Send,
        mut cancelled: watch::Receiver<bool>,
    ) -> Done {
        let cancelled = async {
            // The sender is in the state until we are done.
            let _ = cancelled.wait_for(|is_cancelled| *is_cancelled).await;
        };
        let mut work = pin!(work);
        let next = tokio::select! {
            done = &mut work => done.map_err(|error| refused(&error)),
            () = cancelled => Err(self.cancelled(work).await),
        };
        let did = next.and_then(|next| self.take_over(next));
        self.state().task = None;
        self.changed();
        done(did)
    }

    /// Ends an errand that is not wanted any more. Everything is as it was then; what a person did while they were
    /// recorded is kept for who wants it after all.
    async fn cancelled(
        &self,
        work: Pin<&mut (impl Future<Output = Result<Next, Failure>> + Send)>,
    ) -> Refusal {
        let mut said = "cancelled; everything is as it was before".to_owned();
        let stop = self.state().task.as_mut().and_then(|task| task.stop.take());
        if stop.is_some_and(|stop| stop.send(()).is_ok())
            && let Ok(Ok(next)) = tokio::time::timeout(STOPPING_LIMIT, work).await
            && let Some(way_there) = self.keep_undone(next)
        {
            said.push_str("; ");
            said.push_str(&way_there);
        }
        Refusal::new(RefusalCode::Cancelled, said)
    }

    /// Keeps a recording as if it had been undone. Says how to come by it; none: it holds nothing that a person did, or
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
            let (given, _) = self.take_over(next).ok()?;
            return Some(format!("what you did is in the session {}", given.session?));
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

    /// Writes what came of an errand; then it is so.
    fn take_over(&self, next: Next) -> Result<Did, Refusal> {
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
            let state = State {
                session: next.session.clone(),
                sources: Arc::new(sources.unwrap_or_default()),
                answered: Arc::new(Mutex::new(answered)),
                page: self.state().page.clone(),
                task: None,
            };
            return self.beside(state, &keep, next.given);
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
        Ok((next.given, None))
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
            browsers: self.registry.browsers.clone(),
        })
    }
}
