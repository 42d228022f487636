//! What was said on the wire while a real browser was asked, played to the engine: the tests in
//! `engine/tests/transcripts.rs` have recorded it.
//!
//! A command gets the answer that the same command got, and the events come that came until then. Where the engine
//! waits for nothing but time, time passes; where it does not send a command that was sent, that one is left out.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde::Deserialize;
use serde_json::{Value, json};

use super::FakeClock;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, Listeners, Offers, Protocol, ProtocolError, SessionId, Wanted};
use querypoint::answer::Answer;
use recording::Recording;

/// A question, what was said, and the answer.
#[derive(Clone, Deserialize)]
pub(crate) struct Transcript {
    pub(crate) page: String,
    pub(crate) at: String,
    pub(crate) queries: Vec<String>,
    /// Whether a function was called again.
    pub(crate) by_call: bool,
    /// Whether the state was read where the page could be asked, while it was found out where.
    #[serde(default)]
    pub(crate) reads_ahead: bool,
    /// Whether it is asked who wrote last.
    #[serde(default)]
    pub(crate) is_live: bool,
    /// What the user does, as a recording.
    #[serde(default)]
    recording: Option<String>,
    /// What our names in the page began with, behind the dollar sign.
    /// There is one for each question that the answer is put together of.
    prefixes: Vec<String>,
    pub(crate) answer: Answer,
    entries: Vec<Value>,
    /// Whether commands that are not in it wait for ever: else the transcript is not one of this question.
    #[serde(default)]
    is_silent_at_end: bool,
}

impl Transcript {
    /// Reads one.
    pub(crate) fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap()
    }

    /// What the user does, if that was replayed.
    pub(crate) fn recording(&self) -> Option<Recording> {
        let text = self.recording.as_ref()?;
        Some(Recording::parse(text).unwrap())
    }

    /// The commands, counted from 1, before which something was heard: those that follow were sent in the same state.
    pub(crate) fn states(&self) -> Vec<usize> {
        let mut states = Vec::new();
        let mut commands = 0;
        let mut was_command = false;
        for entry in &self.entries {
            let is_command = entry[0] == "command";
            commands += usize::from(is_command);
            if is_command && !was_command {
                states.push(commands);
            }
            was_command = is_command;
        }
        states
    }

    /// From this entry on, nothing is said.
    pub(crate) fn fall_silent(&mut self, entry: usize) {
        self.entries.truncate(entry);
        self.is_silent_at_end = true;
    }

    /// Changes what was said.
    pub(crate) fn edit(&mut self, edit: impl FnOnce(&mut Vec<Value>)) {
        edit(&mut self.entries);
    }
}

/// What is lost, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The connection to the browser.
    Connection,
    /// The tab: it was closed.
    Tab,
    /// The process of the tab: it crashed.
    Process,
}

impl Loss {
    /// What a command that can no longer be answered fails with.
    fn error(self, method: String) -> ProtocolError {
        match self {
            Self::Connection => ProtocolError::ConnectionLost {
                reason: "it was to be lost here".to_owned(),
            },
            Self::Tab => ProtocolError::SessionClosed { method },
            Self::Process => ProtocolError::TargetCrashed { method },
        }
    }
}

struct Playback {
    transcript: Transcript,
    /// All entries before it were said.
    position: usize,
    /// Whether this entry is a command that was sent, or is left out.
    is_done: Vec<bool>,
    /// The commands that have no answer yet, by the number in the transcript.
    waiting: HashMap<u64, Waiting>,
    listeners: Listeners,
    /// What our names begin with in this run.
    prefixes: Vec<String>,
    sent: usize,
    loss: Option<(usize, Loss)>,
    /// The session of the newest tab, and those that were closed.
    tab: Option<SessionId>,
    closed: Vec<SessionId>,
    lost: Option<ProtocolError>,
    /// How many events of each session were kept for a listener.
    heard: HashMap<Option<SessionId>, usize>,
}

struct Waiting {
    session: Option<SessionId>,
    method: String,
    sender: oneshot::Sender<Result<Value, ProtocolError>>,
}

/// The browser of a transcript.
pub(crate) struct Player(Mutex<Playback>);

impl Player {
    /// Plays the transcript; at the command with this number, counted from 1, something is lost.
    pub(crate) fn new(transcript: Transcript, loss: Option<(usize, Loss)>) -> Self {
        Self(Mutex::new(Playback {
            position: 0,
            is_done: vec![false; transcript.entries.len()],
            waiting: HashMap::new(),
            listeners: Listeners::default(),
            prefixes: Vec::new(),
            sent: 0,
            loss,
            tab: None,
            closed: Vec::new(),
            lost: None,
            heard: HashMap::new(),
            transcript,
        }))
    }

    /// How many events of a session were kept for a listener.
    pub(crate) fn heard_of(&self, session: &SessionId) -> usize {
        let state = self.0.lock();
        let heard = state.heard.get(&Some(session.clone()));
        heard.copied().unwrap_or_default()
    }

    /// Leaves out a command that others wait behind; whether there was one.
    fn leave_out(&self) -> bool {
        let mut state = self.0.lock();
        let position = state.position;
        let Some(is_done) = state.is_done.get_mut(position) else {
            return false;
        };
        *is_done = true;
        state.go_on();
        true
    }
}

impl Playback {
    /// Our names, as they are in this run.
    fn in_this_run(&self, value: &Value) -> Value {
        let prefixes = self.transcript.prefixes.iter().zip(&self.prefixes);
        let mut text = value.to_string();
        for (recorded, own) in prefixes {
            text = text.replace(recorded, own);
        }
        serde_json::from_str(&text).unwrap()
    }

    /// Our names, as they are in the transcript.
    fn as_recorded(&mut self, mut params: String) -> String {
        const LENGTH: usize = "Qp01234567".len();
        for (at, _) in params.match_indices("$Qp") {
            let own = params.get(at + 1..at + 1 + LENGTH);
            if let Some(own) = own.filter(|own| !self.prefixes.iter().any(|known| known == own)) {
                self.prefixes.push(own.to_owned());
            }
        }
        for (recorded, own) in self.transcript.prefixes.iter().zip(&self.prefixes) {
            params = params.replace(own, recorded);
        }
        params
    }

    /// Says whatever was said before the next command that was not sent yet.
    fn go_on(&mut self) {
        while let Some(entry) = self.transcript.entries.get(self.position).cloned() {
            match entry[0].as_str() {
                Some("command") if !self.is_done[self.position] => break,
                Some("answer") => {
                    let result = self.in_this_run(&entry[2]);
                    self.answer(&entry[1], |_| Ok(result));
                }
                Some("refusal") => self.answer(&entry[1], |method| {
                    Err(ProtocolError::Refused {
                        method,
                        code: entry[2].as_i64().unwrap(),
                        message: entry[3].as_str().unwrap().to_owned(),
                    })
                }),
                Some("event") => self.emit(&Event {
                    session: session_of(&entry[1]),
                    method: entry[2].as_str().unwrap().to_owned(),
                    params: Arc::new(self.in_this_run(&entry[3])),
                    times: 1,
                }),
                _ => {}
            }
            self.position += 1;
        }
    }

    fn answer(
        &mut self,
        number: &Value,
        result: impl FnOnce(String) -> Result<Value, ProtocolError>,
    ) {
        let Some(waiting) = self.waiting.remove(&number.as_u64().unwrap()) else {
            return;
        };
        let result = result(waiting.method.clone());
        if let (true, Ok(result)) = (
            waiting.method == cdp::target::AttachToTarget::METHOD,
            &result,
        ) {
            self.tab = session_of(&result["sessionId"]);
        }
        let _ = waiting.sender.send(result);
    }

    fn emit(&mut self, event: &Event) {
        if event
            .session
            .as_ref()
            .is_some_and(|session| self.closed.contains(session))
        {
            return;
        }
        let told = self.listeners.tell(event);
        *self.heard.entry(event.session.clone()).or_default() += told;
    }

    fn lose(&mut self, loss: Loss) {
        match (loss, self.tab.clone()) {
            (Loss::Tab | Loss::Process, Some(tab)) => {
                let (session, method, params) = match loss {
                    Loss::Process => (
                        Some(tab.clone()),
                        cdp::inspector::TargetCrashed::METHOD,
                        json!({}),
                    ),
                    _ => (
                        None,
                        cdp::target::DetachedFromTarget::METHOD,
                        json!({ "sessionId": tab }),
                    ),
                };
                self.emit(&Event {
                    session,
                    method: method.to_owned(),
                    params: Arc::new(params),
                    times: 1,
                });
                let is_of_tab = |waiting: &mut Waiting| waiting.session.as_ref() == Some(&tab);
                for (_, waiting) in self.waiting.extract_if(|_, waiting| is_of_tab(waiting)) {
                    let Waiting { method, sender, .. } = waiting;
                    let _ = sender.send(Err(loss.error(method)));
                }
                self.closed.push(tab);
            }
            // There is no tab yet.
            (Loss::Tab | Loss::Process, None) => {}
            (Loss::Connection, _) => {
                let error = loss.error(String::new());
                self.listeners.end();
                for (_, waiting) in self.waiting.drain() {
                    let _ = waiting.sender.send(Err(error.clone()));
                }
                self.lost = Some(error);
            }
        }
    }

    /// The entry of this command: the first that was not sent yet of those with the same parameters, as far as they
    /// were kept, or else of those with others.
    fn entry_of(&self, session: Option<&SessionId>, method: &str, params: &str) -> Option<usize> {
        let entries = self.transcript.entries.iter().enumerate();
        let same = entries.filter(|(index, entry)| {
            !self.is_done[*index]
                && entry[0] == "command"
                && entry[2].as_str() == session.map(|session| session.0.as_str())
                && entry[3] == method
        });
        let is_exact = |entry: &Value| {
            let known = entry[4].as_str().unwrap_or_default();
            params.starts_with(known)
        };
        let mut same: Vec<_> = same.collect();
        same.sort_by_key(|(index, entry)| (!is_exact(entry), *index));
        same.first().map(|(index, _)| *index)
    }
}

fn session_of(value: &Value) -> Option<SessionId> {
    value.as_str().map(|session| SessionId(session.to_owned()))
}

impl Protocol for Player {
    fn offers(&self) -> Offers {
        Offers::everything()
    }

    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.0.lock();
        state.sent += 1;
        let params = state.as_recorded(params.to_string());
        if let Some((_, loss)) = state.loss.filter(|(number, _)| *number == state.sent) {
            state.lose(loss);
        }
        let is_closed = session.is_some_and(|session| state.closed.contains(session));
        let entry = state.entry_of(session, method, &params);
        let method = method.to_owned();
        let failed = match (&state.lost, entry) {
            (Some(error), _) => Some(error.clone()),
            (None, _) if is_closed => {
                let loss = state.loss.map_or(Loss::Tab, |(_, loss)| loss);
                Some(loss.error(method.clone()))
            }
            (None, None) if state.transcript.is_silent_at_end => None,
            (None, None) => Some(ProtocolError::ConnectionLost {
                reason: format!("the transcript has no more {method} of {session:?}: {params}"),
            }),
            (None, Some(_)) => None,
        };
        match (failed, entry) {
            (Some(error), _) => {
                let _ = sender.send(Err(error));
            }
            (None, Some(entry)) => {
                state.is_done[entry] = true;
                let number = state.transcript.entries[entry][1].as_u64().unwrap();
                let session = session.cloned();
                let waiting = Waiting {
                    session,
                    method,
                    sender,
                };
                state.waiting.insert(number, waiting);
                state.go_on();
            }
            (None, None) => drop(sender),
        }
        drop(state);
        Box::pin(async move {
            match receiver.await {
                Ok(answer) => answer,
                Err(_) => std::future::pending().await,
            }
        })
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        let state = self.0.lock();
        state.listeners.add(wanted, state.lost.is_some())
    }
}

/// Whether the future is to be polled.
struct Ready(AtomicBool);

impl Wake for Ready {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Runs `work`, which uses this browser and clock, to its end. `None`: it waits for something that will not happen.
pub(crate) fn play<T>(
    player: &Player,
    clock: &FakeClock,
    work: impl Future<Output = T>,
) -> Option<T> {
    /// A look at the page again, and no limit of time.
    const SHORT: Duration = Duration::from_millis(249);
    const FOR_EVER: Duration = Duration::MAX;
    futures::pin_mut!(work);
    let ready = Arc::new(Ready(AtomicBool::new(true)));
    let waker = Waker::from(ready.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        while ready.0.swap(false, Ordering::SeqCst) {
            if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
                return Some(done);
            }
        }
        let is_moved =
            clock.advance_to_next(SHORT) || player.leave_out() || clock.advance_to_next(FOR_EVER);
        if !is_moved {
            return None;
        }
    }
}
