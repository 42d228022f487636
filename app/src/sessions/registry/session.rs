//! One session that is open: what it is now, what is being done for it, and who hears of it. What is to be is written
//! before it is so; what would take the place of something else begins a new session.

mod errands;

use parking_lot::{Mutex, MutexGuard};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use querypoint::session::messages::{Call, Doing, Given, News, Outcome, Refusal, RefusalCode};
use querypoint::session::{Session, SessionError};
use tokio::sync::{broadcast, oneshot, watch};

use super::Registry;
use crate::failure::{Failure, FailureKind};
use crate::page::Page;
use crate::sessions::store::{Keep, SourceTexts, StoreError, Way};
use crate::sessions::work::LastAnswered;
use errands::Errand;

/// A panel that has not read so much news gets the session as it is instead.
const MOST_UNREAD: usize = 256;

const WAYS: [Way; 2] = [Way::Undo, Way::Redo];

const NO_PAGE: &str = "there is no page yet; open one first";

/// Work that goes on, and what becomes of it.
type Work = Pin<Box<dyn Future<Output = Done> + Send>>;

/// Something that panels are told.
#[derive(Clone, Debug)]
pub enum Told {
    /// The session, or what is being done for it, is another one. Who hears of it looks at it then: a session with its
    /// answer is large, and a panel that does not read has it once, not as often as it changed.
    Changed,
    /// Anything else.
    News(News),
}

/// A session that a panel has open, or that something is done for.
pub struct LiveSession {
    name: String,
    registry: Arc<Registry>,
    state: Mutex<State>,
    told: broadcast::Sender<Told>,
}

/// What a session is now.
#[derive(Default)]
pub(in crate::sessions) struct State {
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

/// What became of a request so far.
pub enum Begun {
    /// It is done.
    Ended(Box<Done>),
    /// It is being done.
    Going(Work),
}

/// What became of a request.
pub struct Done {
    /// What is answered.
    pub outcome: Outcome,
    /// The new session that it was done in, so that the one that was open stays as it is.
    pub beside: Option<Arc<LiveSession>>,
}

/// What was done: what is answered, and the new session that it was done in.
type Did = (Given, Option<Arc<LiveSession>>);

impl LiveSession {
    /// The session of that name, as it was kept, or a new one.
    ///
    /// # Errors
    /// If it is kept and cannot be read: a new one would be written over it.
    pub(super) fn open(name: &str, registry: Arc<Registry>) -> Result<Self, Refusal> {
        let kept = registry.store.session(name);
        let state = State {
            session: kept.map_err(|error| failed(&error))?.unwrap_or_default(),
            sources: Arc::new(registry.store.sources(name)),
            ..State::default()
        };
        Ok(Self::of(name, registry, state))
    }

    /// A session that is so.
    pub(super) fn of(name: &str, registry: Arc<Registry>, state: State) -> Self {
        let (told, _) = broadcast::channel(MOST_UNREAD);
        Self {
            name: name.to_owned(),
            registry,
            state: Mutex::new(state),
            told,
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether nothing was ever done in it, and nothing is being done.
    pub fn is_untouched(&self) -> bool {
        let state = self.state();
        state.task.is_none()
            && state.session.is_untouched()
            && !WAYS.iter().any(|way| self.has_state(*way))
    }

    fn has_state(&self, way: Way) -> bool {
        self.registry.store.has_state(&self.name, way)
    }

    /// Who hears of the session from now on. All panels are told what it is now, the new one with them.
    pub fn listen(&self) -> broadcast::Receiver<Told> {
        let listening = self.told.subscribe();
        self.changed();
        listening
    }

    /// The session as it is.
    pub fn news(&self) -> News {
        let state = self.state();
        News::Session {
            name: self.name.clone(),
            session: Box::new(state.session.clone()),
            // Queries that were kept by another version may not be understood: then there is nothing to draw.
            graph: state.session.lanes().unwrap_or_default(),
            doing: state.task.as_ref().map(|task| task.doing),
            undo: self.has_state(Way::Undo),
            redo: self.has_state(Way::Redo),
        }
    }

    /// Does what is wanted, or begins to. What changes the session is refused while something is done for it.
    pub async fn begin(self: &Arc<Self>, call: Call) -> Begun {
        let given = match call {
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
            Call::Page { page } => {
                return Begun::Ended(Box::new(done(self.turn_to(&page).await)));
            }
            Call::Unwatch { expression } => self.change(|it| Ok(it.without_watch(&expression))),
            Call::Rename { point, to } => self.change(|session| session.renamed(&point, &to)),
            Call::Remove { point } => self.change(|session| session.without(&point)),
            Call::Forget {} => self.forget(),
            Call::Undo {} => self.go(Way::Undo),
            Call::Redo {} => self.go(Way::Redo),
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
            | Call::Look { .. }
            | Call::Answered { .. }
            | Call::Event { .. } => Ok(Given::default()),
        };
        Begun::Ended(Box::new(done(given.map(|given| (given, None)))))
    }

    /// Ends what is being done, if something is; the session stays as it was before.
    pub fn cancel(&self) {
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

    /// Goes to another page. Where something was done already that is kept, and a new session begins.
    async fn turn_to(&self, text: &str) -> Result<Did, Refusal> {
        let page = Page::open(text, self.registry.browsers.addresses())
            .await
            .map_err(|error| refused(&error.into()))?;
        let text = match page {
            // From wherever the back end is started the next time.
            Page::Served(ref server) => server.file().to_string_lossy().into_owned(),
            Page::Remote(_) => text.to_owned(),
        };
        let next = State {
            session: Session::of_page(&text),
            page: Some(Arc::new(page)),
            ..State::default()
        };
        {
            let mut state = self.idle()?;
            if state.session.is_untouched() {
                self.keep(&Keep::of(&next.session))?;
                self.registry.store.drop_recording(&self.name);
                *state = next;
                drop(state);
                self.changed();
                return Ok((Given::default(), None));
            }
        }
        let session = next.session.clone();
        self.beside(next, &Keep::of(&session), Given::default())
    }

    /// Begins a new session that is so, and leaves this one as it is.
    fn beside(&self, state: State, keep: &Keep<'_>, given: Given) -> Result<Did, Refusal> {
        let session = self.registry.beside(&self.name, state, keep)?;
        let given = Given {
            session: Some(session.name.clone()),
            ..given
        };
        Ok((given, Some(session)))
    }

    fn forget(&self) -> Result<Given, Refusal> {
        let mut state = self.idle()?;
        let deleted = self.registry.store.delete(&self.name);
        deleted.map_err(|error| failed(&error))?;
        *state = State::default();
        drop(state);
        self.changed();
        Ok(Given::default())
    }

    /// Has the session have the state before, or the one that was undone.
    fn go(&self, way: Way) -> Result<Given, Refusal> {
        let store = &self.registry.store;
        let mut state = self.idle()?;
        if !store.go(&self.name, way).map_err(|error| failed(&error))? {
            return Err(not_now(match way {
                Way::Undo => "nothing was done in this session that could be undone",
                Way::Redo => "nothing was undone in this session",
            }));
        }
        let session = store.session(&self.name).map_err(|error| failed(&error))?;
        let session = session.unwrap_or_default();
        let page = state.page.take();
        *state = State {
            page: page.filter(|_| session.page == state.session.page),
            session,
            sources: Arc::new(store.sources(&self.name)),
            ..State::default()
        };
        drop(state);
        self.changed();
        Ok(Given::default())
    }

    /// Changes the session at once; nothing has to be run for it.
    fn change(
        &self,
        change: impl FnOnce(&Session) -> Result<Session, SessionError>,
    ) -> Result<Given, Refusal> {
        let mut state = self.idle()?;
        let next = change(&state.session).map_err(not_understood)?;
        self.keep(&Keep::of(&next))?;
        state.session = next;
        state.answered = LastAnswered::default();
        drop(state);
        self.changed();
        Ok(Given::default())
    }

    /// The session as it is, unless something is being done for it.
    fn idle(&self) -> Result<MutexGuard<'_, State>, Refusal> {
        let state = self.state();
        match &state.task {
            Some(task) => Err(busy(task.doing)),
            None => Ok(state),
        }
    }

    /// Writes the session as it is to be, before it is so.
    fn keep(&self, keep: &Keep<'_>) -> Result<(), Refusal> {
        let kept = self.registry.store.keep(&self.name, keep);
        kept.map_err(|error| failed(&error))
    }

    /// The file of the recording, if the session has one.
    fn recording_of(&self, session: &Session) -> Option<PathBuf> {
        session.recording.as_ref()?;
        self.registry.store.recording(&self.name)
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
        let session = self.state().session.clone();
        let recording = self.recording_of(&session);
        let recording = recording.as_deref().map(|path| path.to_string_lossy());
        let line = session.command_line(recording.as_deref());
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
        Ok(of_text((self.registry.report)(&answer, &line)))
    }

    fn say(&self, news: News) {
        // Nobody may listen.
        let _ = self.told.send(Told::News(news));
    }

    fn changed(&self) {
        let _ = self.told.send(Told::Changed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

fn done(did: Result<Did, Refusal>) -> Done {
    match did {
        Ok((given, beside)) => Done {
            outcome: Outcome::Result(Box::new(given)),
            beside,
        },
        Err(refusal) => Done {
            outcome: Outcome::Error(refusal),
            beside: None,
        },
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
        Doing::Standing => "the page is paused at a point; close its tab or cancel the pause",
        Doing::Tracing => {
            "the page is being run to log the candidate writes of a query; wait for it or cancel it"
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

/// What cannot be kept.
pub(super) fn failed(error: &StoreError) -> Refusal {
    Refusal::new(RefusalCode::Failed, error)
}

fn refused(failure: &Failure) -> Refusal {
    let code = match failure.kind() {
        FailureKind::WrongUsage => RefusalCode::NotUnderstood,
        _ => RefusalCode::Failed,
    };
    Refusal::new(code, failure)
}
