//! One session that is open: what it is now, what is being done for it, and who hears of it. What is to be is written
//! before it is so; what would take the place of something else begins a new session.

mod diagnosis;
mod jobs;
mod logs;
mod methods;

use parking_lot::{Mutex, MutexGuard};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use querypoint::answer::Answer;
use querypoint::session::differences::is_same_moment;
use querypoint::session::messages::{Doing, News, Refusal, RefusalCode, ResponseOutcome};
use querypoint::session::results::{Moved, Nothing, PointPicture, Text};
use querypoint::session::{Session, SessionError};
use recording::{EditError, Har, Recording};
use tokio::sync::{broadcast, oneshot, watch};

use super::Registry;
use crate::example;
use crate::failure::{Failure, FailureKind};
use crate::page::Page;
use crate::recording_file::recorded;
use crate::sessions::store::{Keep, SourceTexts, StoreError, Taped, Way};
use crate::sessions::work::LastAnswered;
use jobs::EditJob;

/// A panel that has not read so much news gets the session as it is instead.
const MOST_UNREAD: usize = 256;

const WAYS: [Way; 2] = [Way::Undo, Way::Redo];

const NO_PAGE: &str = "there is no page yet; open one first";

/// Something that panels are told.
#[derive(Clone, Debug)]
pub enum SessionEvent {
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
    state: Mutex<SessionState>,
    /// The event log that was asked last.
    opened: logs::Opened,
    answering: diagnosis::Answering,
    told: broadcast::Sender<SessionEvent>,
}

/// What a session is now.
#[derive(Default)]
pub(in crate::sessions) struct SessionState {
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

/// The answer to a request: at once, or when its job has ended.
pub enum Reply<T = ResponseOutcome> {
    /// It is done.
    Ready(Done<T>),
    /// A job does it.
    Pending(Pin<Box<dyn Future<Output = Done<T>> + Send>>),
}

/// What came of a request.
pub struct Done<T = ResponseOutcome> {
    /// The response.
    pub outcome: T,
    /// The new session that holds it, so that the open one stays as it is.
    pub beside: Option<Arc<LiveSession>>,
}

/// The result of a method that may begin a new session, with that session.
type Beside<R> = Result<(R, Option<Arc<LiveSession>>), Refusal>;

impl<T> Done<T> {
    fn map<U>(self, map: impl FnOnce(T) -> U) -> Done<U> {
        Done {
            outcome: map(self.outcome),
            beside: self.beside,
        }
    }
}

impl<R> Done<Result<R, Refusal>> {
    fn of(result: Beside<R>) -> Self {
        let (outcome, beside) = match result {
            Ok((result, beside)) => (Ok(result), beside),
            Err(refusal) => (Err(refusal), None),
        };
        Self { outcome, beside }
    }
}

impl LiveSession {
    /// The session of that name, as it was kept, or a new one.
    ///
    /// # Errors
    /// If it is kept and cannot be read: a new one would be written over it.
    pub(super) fn open(name: &str, registry: Arc<Registry>) -> Result<Self, Refusal> {
        let kept = registry.store.session(name);
        let state = SessionState {
            session: kept.map_err(|error| failed(&error))?.unwrap_or_default(),
            sources: Arc::new(registry.store.sources(name)),
            ..SessionState::default()
        };
        Ok(Self::of(name, registry, state))
    }

    /// A session that is so.
    pub(super) fn of(name: &str, registry: Arc<Registry>, state: SessionState) -> Self {
        let (told, _) = broadcast::channel(MOST_UNREAD);
        Self {
            name: name.to_owned(),
            registry,
            state: Mutex::new(state),
            opened: logs::Opened::default(),
            answering: diagnosis::Answering::default(),
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
            && !self.has_logs()
            && !WAYS.iter().any(|way| self.has_state(*way))
    }

    /// Whether something is being done.
    pub(super) fn is_busy(&self) -> bool {
        self.state().task.is_some()
    }

    fn has_logs(&self) -> bool {
        !self.registry.store.logs(&self.name).is_empty()
    }

    fn has_state(&self, way: Way) -> bool {
        self.registry.store.has_state(&self.name, way)
    }

    /// Who hears of the session from now on. All panels are told what it is now, the new one with them.
    pub fn listen(&self) -> broadcast::Receiver<SessionEvent> {
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

    /// Ends what is being done, if something is; the session stays as it was before.
    pub fn cancel(&self) {
        if let Some(task) = &self.state().task {
            // It may end by itself just now.
            let _ = task.cancel.send(true);
        }
    }

    fn stop(&self) -> Result<Nothing, Refusal> {
        let stop = self.state().task.as_mut().and_then(|task| task.stop.take());
        match stop.map(|stop| stop.send(())) {
            Some(Ok(())) => Ok(Nothing {}),
            _ => Err(not_now("nothing is being recorded")),
        }
    }

    /// Goes to another page. Where something was done already that is kept, and a new session begins.
    async fn turn_to(&self, text: &str) -> Beside<Moved> {
        let page = Page::open(text, self.registry.browsers.addresses())
            .await
            .map_err(|error| refused(&error.into()))?;
        let text = match page {
            // From wherever the back end is started the next time.
            Page::Served(ref server) => server.file().to_string_lossy().into_owned(),
            Page::Remote(_) => text.to_owned(),
        };
        self.begin(Session::of_page(&text), page, Taped::AsBefore)
    }

    /// Goes to the page that is shipped with the program, where it goes wrong.
    async fn turn_to_example(&self) -> Beside<Moved> {
        let written = self.registry.store.example(example::PAGE);
        let file = written.map_err(|error| failed(&error))?;
        let text = file.to_string_lossy();
        let recording = example::recording().map_err(|error| refused(&error))?;
        let session = example::session(&text, &recording).map_err(|error| refused(&error))?;
        let page = Page::open(&text, self.registry.browsers.addresses())
            .await
            .map_err(|error| refused(&error.into()))?;
        self.begin(session, page, Taped::New(&recording, None))
    }

    /// Has this session be so, if nothing was done in it; else a new one.
    fn begin(&self, session: Session, page: Page, recording: Taped<'_>) -> Beside<Moved> {
        let next = SessionState {
            session: session.clone(),
            page: Some(Arc::new(page)),
            ..SessionState::default()
        };
        let keep = Keep {
            recording,
            ..Keep::of(&session)
        };
        {
            let mut state = self.idle()?;
            if state.session.is_untouched() && !self.has_logs() {
                self.keep(&keep)?;
                if matches!(recording, Taped::AsBefore) {
                    self.registry.store.drop_recording(&self.name);
                }
                *state = next;
                drop(state);
                self.changed();
                return Ok((Moved { session: None }, None));
            }
        }
        let beside = self.beside(next, &keep)?;
        let session = Some(beside.name.clone());
        Ok((Moved { session }, Some(beside)))
    }

    /// Begins a new session that is so, and leaves this one as it is.
    fn beside(&self, state: SessionState, keep: &Keep<'_>) -> Result<Arc<Self>, Refusal> {
        self.registry.beside(&self.name, state, keep)
    }

    fn delete(&self) -> Result<Nothing, Refusal> {
        let mut state = self.idle()?;
        let deleted = self.registry.store.delete(&self.name);
        deleted.map_err(|error| failed(&error))?;
        *state = SessionState::default();
        drop(state);
        self.changed();
        Ok(Nothing {})
    }

    /// Removes the session with all of its states, if its recording was made in a tab that somebody had open.
    fn delete_tab_recording(&self) -> Result<Nothing, Refusal> {
        let mut state = self.idle()?;
        let store = &self.registry.store;
        if !store.has_tab_recording(&self.name) {
            return Ok(Nothing {});
        }
        store
            .remove_all(&self.name)
            .map_err(|error| failed(&error))?;
        *state = SessionState::default();
        drop(state);
        self.changed();
        Ok(Nothing {})
    }

    /// Has the session have the state before, or the one that was undone.
    fn go(&self, way: Way) -> Result<Nothing, Refusal> {
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
        *state = SessionState {
            page: page.filter(|_| session.page == state.session.page),
            session,
            sources: Arc::new(store.sources(&self.name)),
            ..SessionState::default()
        };
        drop(state);
        self.changed();
        Ok(Nothing {})
    }

    /// Changes the session at once; nothing has to be run for it.
    fn change(
        &self,
        change: impl FnOnce(&Session) -> Result<Session, SessionError>,
    ) -> Result<Nothing, Refusal> {
        let mut state = self.idle()?;
        let next = change(&state.session).map_err(not_understood)?;
        self.keep(&Keep::of(&next))?;
        state.session = next;
        state.answered = LastAnswered::default();
        drop(state);
        self.changed();
        Ok(Nothing {})
    }

    /// A step of the recording, as JSON.
    fn step(&self, number: usize) -> Result<Text, Refusal> {
        let session = self.state().session.clone();
        let recording = self.recorded(&session)?.0;
        let text = recording.step_json(number).map_err(not_a_step)?;
        Ok(Text { text })
    }

    /// What the tab showed at a point of the answer, if that was kept.
    fn picture(&self, point: &str) -> Result<PointPicture, Refusal> {
        let state = self.state();
        let kept = state.answered.lock().clone();
        let shown = state.session.answer.as_ref();
        let named = |answer: &Answer| answer.points.iter().find(|it| it.name == point).cloned();
        let shown = shown.and_then(named);
        let shown = shown.ok_or_else(|| not_now(&format!("there is no point {point}")))?;
        let picture = kept.as_ref().and_then(|kept| {
            // It may have been asked again, and be another moment.
            let is_shown = named(&kept.asked.answer).is_some_and(|it| is_same_moment(&shown, &it));
            kept.asked.picture(point).filter(|_| is_shown)
        });
        Ok(PointPicture {
            jpeg: picture.map(|it| it.base64().to_owned()),
        })
    }

    /// The recording as it is to be, with what came from outside.
    fn edited(
        &self,
        edit: impl FnOnce(&Recording) -> Result<Recording, EditError>,
    ) -> Result<EditJob, Refusal> {
        let session = self.state().session.clone();
        let (recording, responses) = self.recorded(&session)?;
        let recording = edit(&recording).map_err(not_a_step)?;
        Ok(EditJob {
            recording,
            responses,
        })
    }

    /// The recording of the session, as it is written, with its responses.
    fn recorded(&self, session: &Session) -> Result<(Recording, Option<Har>), Refusal> {
        let path = self.recording_of(session);
        let path = path.ok_or_else(|| not_now("nothing is recorded; press Record first"))?;
        recorded(&path).map_err(|error| refused(&error))
    }

    /// The session as it is, unless something is being done for it.
    fn idle(&self) -> Result<MutexGuard<'_, SessionState>, Refusal> {
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

    fn source(&self, url: &str, log: Option<u32>) -> Result<Text, Refusal> {
        let sources = match log {
            Some(log) => Arc::new(self.registry.store.log_texts(&self.name, log)),
            None => self.state().sources.clone(),
        };
        match sources.get(url) {
            Some(text) => Ok(Text { text: text.clone() }),
            None => Err(Refusal::new(
                RefusalCode::Failed,
                format!("the text of {url} is not kept; ask again to have the page run for it"),
            )),
        }
    }

    fn command_line(&self) -> Result<Text, Refusal> {
        let session = self.state().session.clone();
        let recording = self.recording_of(&session);
        let recording = recording.as_deref().map(|path| path.to_string_lossy());
        let line = session.command_line(recording.as_deref());
        let text = line.map_err(not_understood)?;
        Ok(Text { text })
    }

    fn html(&self) -> Result<Text, Refusal> {
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
        let text = (self.registry.report)(&answer, &line);
        Ok(Text { text })
    }

    fn say(&self, news: News) {
        // Nobody may listen.
        let _ = self.told.send(SessionEvent::News(news));
    }

    fn changed(&self) {
        let _ = self.told.send(SessionEvent::Changed);
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock()
    }
}

fn busy(doing: Doing) -> Refusal {
    let doing = match doing {
        Doing::Recording => "the user is being recorded; stop that first",
        Doing::Replaying => "the recording is being replayed; wait for it or cancel it",
        Doing::Asking => "the page is being run to answer; wait for it or cancel it",
        Doing::Pausing => "the page is paused at a point; close its tab or cancel the pause",
        Doing::Tracing => {
            "the page is being run to log the candidate writes of a query; wait for it or cancel it"
        }
        Doing::Expanding => "a value is being looked into; cancel that first, or wait",
        Doing::Logging => "the page is being run for its event log; wait for it or cancel it",
    };
    not_now(doing)
}

fn not_a_step(error: EditError) -> Refusal {
    Refusal::new(RefusalCode::NotUnderstood, error)
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
        FailureKind::NotUnderstood => RefusalCode::NotUnderstood,
        // No file is typed in a panel: those are the back end's own.
        FailureKind::Files
        | FailureKind::NoAnswer
        | FailureKind::NotReached
        | FailureKind::NoPage => RefusalCode::Failed,
        FailureKind::Interrupted => RefusalCode::Cancelled,
    };
    Refusal::new(code, failure)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_refusal_says_what_kind_of_failure_it_is_whatever_a_command_would_exit_with() {
        let unreadable = Failure::UnreadableFile {
            what: "recording",
            path: "kept.json".into(),
            source: io::Error::from(io::ErrorKind::PermissionDenied),
        };
        let full = Failure::Store(StoreError::Unusable {
            path: "session.json".into(),
            source: io::Error::from(io::ErrorKind::StorageFull),
        });
        let typed = Failure::NotUnderstood {
            what: "query",
            rendered: "lastChange(".to_owned(),
        };
        for (failure, code) in [
            (unreadable, RefusalCode::Failed),
            (full, RefusalCode::Failed),
            (typed, RefusalCode::NotUnderstood),
            (Failure::Interrupted, RefusalCode::Cancelled),
            (Failure::NotReached("end".to_owned()), RefusalCode::Failed),
        ] {
            let refusal = refused(&failure);
            assert_eq!(refusal.code, code, "{failure:?}");
            assert_eq!(refusal.message, failure.to_string());
        }
    }
}
