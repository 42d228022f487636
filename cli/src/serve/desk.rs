//! One session: what it is now, what is being done for it, and who hears of it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use querypoint::session::messages::{Call, Doing, Given, News, Outcome, Refusal, RefusalCode};
use querypoint::session::{RecordingOutline, Session, SessionError};
use tokio::sync::{broadcast, oneshot, watch};

use super::browsers::Browsers;
use super::store::{SourceTexts, Store, StoreError};
use super::work::Job;
use crate::commands::recording_file::recording_as_written;
use crate::failure::{Failure, WRONG_USAGE};
use crate::page::Page;
use crate::render;

/// A panel that has not read so much news gets the session as it is instead.
const MOST_UNREAD: usize = 256;

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

/// One session.
pub(super) struct Desk {
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
pub(super) enum Begun {
    /// It is done.
    Ended(Outcome),
    /// It is being done.
    Going(Work),
}

/// A session as it is to be, and what was learned on the way there.
struct Next {
    session: Session,
    /// None: as before.
    sources: Option<SourceTexts>,
    given: Given,
}

impl Desk {
    /// The session of that name, as it was kept, or a new one.
    pub(super) fn open(name: &str, store: Arc<Store>, browsers: Arc<Browsers>) -> Self {
        let state = State {
            session: store.session(name).unwrap_or_default(),
            sources: Arc::new(store.sources(name)),
            page: None,
            task: None,
        };
        let (told, _) = broadcast::channel(MOST_UNREAD);
        Self {
            name: name.to_owned(),
            store,
            browsers,
            state: Mutex::new(state),
            told,
        }
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
            doing: state.task.as_ref().map(|task| task.doing),
        }
    }

    /// Does what is wanted, or begins to. What changes the session is refused while something is done for it.
    pub(super) async fn begin(self: &Arc<Self>, call: Call) -> Begun {
        let done = match call {
            // Those that go on are begun here, so that the next request finds them begun.
            Call::Record { in_open_tab } => return self.going(self.clone().record(in_open_tab)),
            Call::Replay { at_recorded_pace } => {
                return self.going(self.clone().replay(at_recorded_pace));
            }
            Call::At { point } => {
                return self.asking(|session| Ok((session.stopped_at(&point)?, None)));
            }
            Call::Ask { query } => {
                return self.asking(|session| {
                    let (session, name) = session.asking(&query)?;
                    Ok((session, Some(name)))
                });
            }
            Call::Again {} => return self.asking(|session| Ok((session.clone(), None))),
            Call::Watch { expression } => {
                return self.asking(|session| Ok((session.watching(&expression)?, None)));
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
            Call::Sessions {} | Call::Open { .. } => Ok(Given::default()),
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
        let page = Page::open(text)
            .await
            .map_err(|error| refused(&error.into()))?;
        let text = match page {
            // From wherever the back end is started the next time.
            Page::Served(ref server) => server.file().to_string_lossy().into_owned(),
            Page::Remote(_) => text.to_owned(),
        };
        self.change(|_| Ok(Session::of_page(&text)))?;
        self.store.drop_recording(&self.name);
        let mut state = self.state();
        state.page = Some(Arc::new(page));
        state.sources = Arc::default();
        Ok(Given::default())
    }

    fn forget(&self) -> Result<Given, Refusal> {
        self.change(|_| Ok(Session::default()))?;
        let mut state = self.state();
        (state.page, state.sources) = (None, Arc::default());
        self.store
            .forget(&self.name)
            .map(|()| Given::default())
            .map_err(|error| failed(&error))
    }

    /// Changes the session at once; nothing has to be run for it.
    fn change(
        &self,
        change: impl FnOnce(&Session) -> Result<Session, SessionError>,
    ) -> Result<Given, Refusal> {
        let mut state = self.state();
        if let Some(task) = &state.task {
            return Err(busy(task.doing));
        }
        state.session = change(&state.session).map_err(not_understood)?;
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

    /// Has the page run for a session that is to be as `change` says.
    fn asking(
        self: &Arc<Self>,
        change: impl FnOnce(&Session) -> Result<(Session, Option<String>), SessionError>,
    ) -> Begun {
        let session = self.state().session.clone();
        let changed =
            change(&session).and_then(|(session, name)| session.point().map(|_| (session, name)));
        match changed {
            Ok((session, name)) => self.going(self.clone().ask(session, name)),
            Err(error) => Begun::Ended(Outcome::Error(not_understood(error))),
        }
    }

    /// The work, begun.
    fn going(self: &Arc<Self>, work: Result<Work, Refusal>) -> Begun {
        match work {
            Ok(work) => Begun::Going(work),
            Err(refusal) => Begun::Ended(Outcome::Error(refusal)),
        }
    }

    fn ask(self: Arc<Self>, session: Session, point: Option<String>) -> Result<Work, Refusal> {
        let (cancelled, _) = self.reserve(Doing::Asking)?;
        Ok(Box::pin(async move {
            let desk = self.clone();
            let work = async move {
                let job = desk.job(session).await?;
                let mut tell = |news| desk.say(news);
                let (answer, sources) = job.ask(&mut tell).await?;
                Ok(Next {
                    session: job.session.answered(answer),
                    sources: Some(sources),
                    given: Given {
                        point,
                        ..Given::default()
                    },
                })
            };
            self.finish(work, cancelled).await
        }))
    }

    fn record(self: Arc<Self>, in_open_tab: bool) -> Result<Work, Refusal> {
        let (cancelled, stop) = self.reserve(Doing::Recording)?;
        Ok(Box::pin(async move {
            let desk = self.clone();
            let work = async move {
                let session = desk.state().session.clone();
                let job = desk.job(session).await?;
                let mut tell = |news| desk.say(news);
                let recorded = job.record(in_open_tab, stop, &mut tell).await?;
                let (recording, responses) = (&recorded.recording, recorded.responses.as_ref());
                desk.store
                    .keep_recording(&desk.name, recording, responses)?;
                Ok(Next {
                    session: job.session.recorded(Some(RecordingOutline::of(recording))),
                    sources: None,
                    given: Given::default(),
                })
            };
            self.finish(work, cancelled).await
        }))
    }

    fn replay(self: Arc<Self>, at_recorded_pace: bool) -> Result<Work, Refusal> {
        let (cancelled, _) = self.reserve(Doing::Replaying)?;
        Ok(Box::pin(async move {
            let desk = self.clone();
            let work = async move {
                let session = desk.state().session.clone();
                let job = desk.job(session).await?;
                let mut tell = |news| desk.say(news);
                let notes = job.replay(at_recorded_pace, &mut tell).await?;
                Ok(Next {
                    session: job.session,
                    sources: None,
                    given: Given {
                        notes: Some(notes),
                        ..Given::default()
                    },
                })
            };
            self.finish(work, cancelled).await
        }))
    }

    /// Nothing else is done for the session from now on. Gives what tells of a wish to cancel it, and to stop it.
    fn reserve(
        &self,
        doing: Doing,
    ) -> Result<(watch::Receiver<bool>, oneshot::Receiver<()>), Refusal> {
        let mut state = self.state();
        if let Some(task) = &state.task {
            return Err(busy(task.doing));
        }
        if state.session.page.is_none() {
            return Err(not_now("there is no page yet; open one first"));
        }
        let (cancel, cancelled) = watch::channel(false);
        let (stop, stopped) = oneshot::channel();
        state.task = Some(Task {
            doing,
            cancel,
            stop: (doing == Doing::Recording).then_some(stop),
        });
        drop(state);
        self.changed();
        Ok((cancelled, stopped))
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
            let sources = next.sources.map(Arc::new);
            if let Some(sources) = &sources {
                state.sources = sources.clone();
            }
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
                let page = Arc::new(Page::open(text).await?);
                self.state().page = Some(page.clone());
                page
            }
            (None, None) => {
                let why = "there is no page yet; open one first";
                return Err(Failure::NotPossible(why.to_owned()));
            }
        };
        let mut session = session;
        let recording = self.store.recording(&self.name);
        // It may have been put there, or changed, by hand.
        if let Some(path) = &recording {
            session.recording = Some(RecordingOutline::of(&recording_as_written(path)?));
        }
        Ok(Job {
            session,
            page,
            recording,
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
