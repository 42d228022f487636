//! One session that is open: what it is now, what is being done for it, and who hears of it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use querypoint::session::messages::{Call, Doing, Given, News, Outcome, Refusal, RefusalCode};
use querypoint::session::{RecordingOutline, Session, SessionError};
use tokio::sync::{broadcast, oneshot, watch};

use super::browsers::Browsers;
use super::store::{SourceTexts, Store, StoreError};
use super::work::{Answered, Job, LastAnswered};
use crate::failure::{Failure, WRONG_USAGE};
use crate::page::Page;
use crate::render;

/// A panel that has not read so much news gets the session as it is instead.
const MOST_UNREAD: usize = 256;

const NO_PAGE: &str = "there is no page yet; open one first";

/// Work that goes on, and what becomes of it.
type Work = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Something that panels are told.
#[derive(Clone, Debug)]
pub(super) enum Told {
    /// The session, or what is being done for it, is another one. Who hears of it looks at it then: a session with its answer is large,
    /// and a panel that does not read has it once, not as often as it changed.
    Changed,
    /// Anything else.
    News(News),
}

/// A session that a panel has open, or that something is done for.
pub(super) struct LiveSession {
    name: String,
    store: Arc<Store>,
    browsers: Arc<Browsers>,
    state: Mutex<State>,
    told: broadcast::Sender<Told>,
}

struct State {
    session: Session,
    /// The texts of the files that the answer is about.
    sources: Arc<SourceTexts>,
    /// How the session as it is was answered last.
    answered: LastAnswered,
    /// The page, once it was needed; while it is here a file is served.
    page: Option<Arc<Page>>,
    task: Option<Task>,
}

/// What is being done.
struct Task {
    doing: Doing,
    cancel: watch::Sender<bool>,
    /// Ends a recording.
    stop: Option<oneshot::Sender<()>>,
}

/// What a session needs its page for.
enum Errand {
    /// An answer; `point` is new in it.
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

/// What became of a request so far.
pub(super) enum Begun {
    /// It is done.
    Ended(Outcome),
    /// It is being done.
    Going(Work),
}

/// A session as it is to be, and what came of the way there.
struct Next {
    session: Session,
    /// A new answer, with the texts of its files.
    answered: Option<(Arc<Answered>, SourceTexts)>,
    given: Given,
}

impl LiveSession {
    /// The session of that name, as it was kept, or a new one.
    ///
    /// # Errors
    /// If it is kept and cannot be read: a new one would be written over it.
    pub(super) fn open(
        name: &str,
        store: Arc<Store>,
        browsers: Arc<Browsers>,
    ) -> Result<Self, Refusal> {
        let kept = store.session(name).map_err(|error| failed(&error))?;
        let state = State {
            session: kept.unwrap_or_default(),
            sources: Arc::new(store.sources(name)),
            answered: LastAnswered::default(),
            page: None,
            task: None,
        };
        let (told, _) = broadcast::channel(MOST_UNREAD);
        Ok(Self {
            name: name.to_owned(),
            store,
            browsers,
            state: Mutex::new(state),
            told,
        })
    }

    /// Who hears of the session from now on. All panels are told what it is now, the new one with them.
    pub(super) fn listen(&self) -> broadcast::Receiver<Told> {
        let listening = self.told.subscribe();
        self.changed();
        listening
    }

    /// The session as it is.
    pub(super) fn news(&self) -> News {
        let state = self.state();
        News::Session {
            name: self.name.clone(),
            session: Box::new(state.session.clone()),
            // Queries that were kept by another version may not be understood: then there is nothing to draw.
            graph: state.session.lanes().unwrap_or_default(),
            doing: state.task.as_ref().map(|task| task.doing),
        }
    }

    /// Does what is wanted, or begins to. What changes the session is refused while something is done for it.
    pub(super) async fn begin(self: &Arc<Self>, call: Call) -> Begun {
        let done = match call {
            // Those that go on are begun here, so that the next request finds them begun.
            Call::Record { in_open_tab } => {
                let errand = Errand::Record { in_open_tab };
                return self.send_for(|session| Ok((session.clone(), errand)));
            }
            Call::Replay { at_recorded_pace } => {
                let errand = Errand::Replay { at_recorded_pace };
                return self.send_for(|session| Ok((session.clone(), errand)));
            }
            Call::Stand { point } => {
                return self.send_for(|session| {
                    session.standing_at(&point)?;
                    Ok((session.clone(), Errand::Stand { point }))
                });
            }
            Call::Unfold { point, expression } => {
                return self.send_for(|session| {
                    session.unfolding(&point, &expression)?;
                    Ok((session.clone(), Errand::Unfold { point, expression }))
                });
            }
            Call::ExecutionLine { point } => {
                return self.send_for(|session| {
                    session.lining(&point)?;
                    Ok((session.clone(), Errand::ExecutionLine { point }))
                });
            }
            Call::At { point } => {
                return self.ask(|session| Ok((session.stopped_at(&point)?, None)));
            }
            Call::Ask { query, at } => {
                return self.ask(|session| {
                    let (session, name) = match at {
                        Some(at) => session.asking_at(&at, &query)?,
                        None => session.asking(&query)?,
                    };
                    Ok((session, Some(name)))
                });
            }
            Call::Again {} => return self.ask(|session| Ok((session.clone(), None))),
            Call::Watch { expression } => {
                return self.ask(|session| Ok((session.watching(&expression)?, None)));
            }
            Call::Page { page } => self.turn_to(&page).await,
            Call::Unwatch { expression } => self.change(|it| Ok(it.without_watch(&expression))),
            Call::Rename { point, to } => self.change(|session| session.renamed(&point, &to)),
            Call::Remove { point } => self.change(|session| session.without(&point)),
            Call::Forget {} => self.forget(),
            Call::Stop {} => self.stop(),
            Call::Cancel {} => {
                self.cancel();
                Ok(Given::default())
            }
            Call::Source { url } => self.source(&url),
            Call::CommandLine {} => self.command_line(),
            Call::Html {} => self.html(),
            // Those are not for one session.
            Call::Sessions {}
            | Call::Open { .. }
            | Call::Attach {}
            | Call::Detach {}
            | Call::Break { .. }
            | Call::Unbreak { .. }
            | Call::Answered { .. }
            | Call::Event { .. } => Ok(Given::default()),
        };
        Begun::Ended(outcome(done))
    }

    /// Ends what is being done, if something is; the session stays as it was before.
    pub(super) fn cancel(&self) {
        if let Some(task) = &self.state().task {
            // It may end by itself just now.
            let _ = task.cancel.send(true);
        }
    }

    fn stop(&self) -> Result<Given, Refusal> {
        let stop = self.state().task.as_mut().and_then(|task| task.stop.take());
        match stop.map(|stop| stop.send(())) {
            Some(Ok(())) => Ok(Given::default()),
            _ => Err(not_now("nothing is being recorded")),
        }
    }

    /// Goes to another page.
    async fn turn_to(&self, text: &str) -> Result<Given, Refusal> {
        let page = Page::open(text, self.browsers.addresses())
            .await
            .map_err(|error| refused(&error.into()))?;
        let text = match page {
            // From wherever the back end is started the next time.
            Page::Served(ref server) => server.file().to_string_lossy().into_owned(),
            Page::Remote(_) => text.to_owned(),
        };
        self.change_with(|state| {
            self.store.drop_recording(&self.name);
            state.page = Some(Arc::new(page));
            state.sources = Arc::default();
            state.session = Session::of_page(&text);
            Ok(())
        })
    }

    fn forget(&self) -> Result<Given, Refusal> {
        self.change_with(|state| {
            (state.page, state.sources) = (None, Arc::default());
            state.session = Session::default();
            Ok(())
        })?;
        let forgotten = self.store.forget(&self.name);
        forgotten
            .map(|()| Given::default())
            .map_err(|error| failed(&error))
    }

    /// Changes the session at once; nothing has to be run for it.
    fn change(
        &self,
        change: impl FnOnce(&Session) -> Result<Session, SessionError>,
    ) -> Result<Given, Refusal> {
        self.change_with(|state| {
            state.session = change(&state.session)?;
            Ok(())
        })
    }

    /// Changes the session and what belongs to it, unless something is being done for it.
    fn change_with(
        &self,
        change: impl FnOnce(&mut State) -> Result<(), SessionError>,
    ) -> Result<Given, Refusal> {
        let mut state = self.state();
        if let Some(task) = &state.task {
            return Err(busy(task.doing));
        }
        change(&mut state).map_err(not_understood)?;
        state.answered = LastAnswered::default();
        let session = state.session.clone();
        drop(state);
        self.kept(&session)?;
        Ok(Given::default())
    }

    /// The session has changed: it is written, and who listens is told.
    fn kept(&self, session: &Session) -> Result<(), Refusal> {
        let kept = self.store.keep(&self.name, session);
        self.changed();
        kept.map_err(|error| failed(&error))
    }

    fn source(&self, url: &str) -> Result<Given, Refusal> {
        let sources = self.state().sources.clone();
        match sources.get(url) {
            Some(text) => Ok(of_text(text.clone())),
            None => Err(Refusal::new(
                RefusalCode::Failed,
                format!("the text of {url} is not kept; ask again to have the page run for it"),
            )),
        }
    }

    fn command_line(&self) -> Result<Given, Refusal> {
        let recording = self.store.recording(&self.name);
        let recording = recording.as_deref().map(|path| path.to_string_lossy());
        let line = self.state().session.command_line(recording.as_deref());
        line.map(of_text).map_err(not_understood)
    }

    fn html(&self) -> Result<Given, Refusal> {
        let (answer, sources) = {
            let state = self.state();
            (state.session.answer.clone(), state.sources.clone())
        };
        let answer =
            answer.ok_or_else(|| not_now("there is no answer yet; ask something first"))?;
        let line = |url: &str, line: u32| {
            let index = usize::try_from(line.checked_sub(1)?).ok()?;
            sources.get(url)?.lines().nth(index).map(str::to_owned)
        };
        Ok(of_text(render::html(&answer, &line)))
    }

    /// Has the page run for a session that is to be as `change` says, with the name of the point that is new.
    fn ask(
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
    fn send_for(
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
            Err(refusal) => return Begun::Ended(Outcome::Error(refusal)),
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
            let work = this.run(session, errand, stopped);
            this.finish(work, cancelled).await
        }))
    }

    /// Does an errand.
    async fn run(
        &self,
        session: Session,
        errand: Errand,
        stop: oneshot::Receiver<()>,
    ) -> Result<Next, Failure> {
        let job = self.job(session).await?;
        let mut tell = |news| self.say(news);
        let mut new = None;
        let mut given = Given::default();
        let mut session = job.session.clone();
        match errand {
            Errand::Ask { point } => {
                let (answered, sources) = job.ask(&mut tell).await?;
                session = session.answered(answered.asked.answer.clone());
                given.point = point;
                new = Some((Arc::new(answered), sources));
            }
            Errand::Record { in_open_tab } => {
                let recorded = job.record(in_open_tab, stop, &mut tell).await?;
                let (recording, responses) = (&recorded.recording, recorded.responses.as_ref());
                self.store
                    .keep_recording(&self.name, recording, responses)?;
                session = session.recorded(Some(RecordingOutline::of(recording)));
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
                given.notes = Some(job.replay(at_recorded_pace, &mut tell).await?);
            }
        }
        Ok(Next {
            session,
            answered: new,
            given,
        })
    }

    /// Does the work until it is done or cancelled, and takes over what came of it.
    async fn finish(
        &self,
        work: impl Future<Output = Result<Next, Failure>> + Send,
        mut cancelled: watch::Receiver<bool>,
    ) -> Outcome {
        let cancelled = async {
            // The sender is in the state until we are done.
            let _ = cancelled.wait_for(|is_cancelled| *is_cancelled).await;
        };
        let done = tokio::select! {
            done = work => done.map_err(|error| refused(&error)),
            () = cancelled => Err(Refusal::new(RefusalCode::Cancelled, "cancelled; everything is as it was before")),
        };
        let mut state = self.state();
        state.task = None;
        let done = done.map(|next| {
            state.session = next.session;
            // What was asked before another recording is of another course of the page.
            if state.session.answer.is_none() {
                state.answered = LastAnswered::default();
            }
            let sources = next.answered.map(|(answered, sources)| {
                state.answered = Arc::new(Mutex::new(Some(answered)));
                state.sources = Arc::new(sources);
                state.sources.clone()
            });
            (state.session.clone(), sources, next.given)
        });
        drop(state);
        outcome(match done {
            Ok((session, sources, given)) => self.taken_over(&session, sources, given),
            Err(refusal) => {
                self.changed();
                Err(refusal)
            }
        })
    }

    fn taken_over(
        &self,
        session: &Session,
        sources: Option<Arc<SourceTexts>>,
        given: Given,
    ) -> Result<Given, Refusal> {
        if let Some(sources) = sources {
            let kept = self.store.keep_sources(&self.name, &sources);
            kept.map_err(|error| failed(&error))?;
        }
        self.kept(session)?;
        Ok(given)
    }

    /// What is to be done, with the page there.
    async fn job(&self, session: Session) -> Result<Job, Failure> {
        let opened = self.state().page.clone();
        let page = match (opened, &session.page) {
            (Some(page), _) => page,
            (None, Some(text)) => {
                let page = Arc::new(Page::open(text, self.browsers.addresses()).await?);
                self.state().page = Some(page.clone());
                page
            }
            (None, None) => return Err(Failure::NotPossible(NO_PAGE.to_owned())),
        };
        Ok(Job {
            session,
            page,
            recording: self.store.recording(&self.name),
            answered: self.state().answered.clone(),
            browsers: self.browsers.clone(),
        })
    }

    fn say(&self, news: News) {
        // Nobody may listen.
        let _ = self.told.send(Told::News(news));
    }

    fn changed(&self) {
        let _ = self.told.send(Told::Changed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn outcome(done: Result<Given, Refusal>) -> Outcome {
    match done {
        Ok(given) => Outcome::Result(given),
        Err(refusal) => Outcome::Error(refusal),
    }
}

fn of_text(text: String) -> Given {
    Given {
        text: Some(text),
        ..Given::default()
    }
}

fn busy(doing: Doing) -> Refusal {
    let doing = match doing {
        Doing::Recording => "the user is being recorded; stop that first",
        Doing::Replaying => "the recording is being replayed; wait for it or cancel it",
        Doing::Asking => "the page is being run to answer; wait for it or cancel it",
        Doing::Standing => "the page stands at a point; close its tab or cancel that",
        Doing::Tracing => {
            "the page is being run to log what a query looked through; wait for it or cancel it"
        }
        Doing::Unfolding => "a value is being looked into; cancel that first, or wait",
    };
    not_now(doing)
}

fn not_now(why: &str) -> Refusal {
    Refusal::new(RefusalCode::NotNow, why)
}

fn not_understood(error: SessionError) -> Refusal {
    let code = match error {
        SessionError::NotYet(_) => RefusalCode::NotNow,
        _ => RefusalCode::NotUnderstood,
    };
    Refusal::new(code, error)
}

fn failed(error: &StoreError) -> Refusal {
    Refusal::new(RefusalCode::Failed, error)
}

fn refused(failure: &Failure) -> Refusal {
    let code = match failure.exit_status() {
        WRONG_USAGE => RefusalCode::NotUnderstood,
        _ => RefusalCode::Failed,
    };
    Refusal::new(code, failure)
}
