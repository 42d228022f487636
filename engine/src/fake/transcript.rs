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

use futures::channel::{mpsc, oneshot};
use futures::future::BoxFuture;
use futures::stream::{BoxStream, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};

use super::FakeClock;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, Offers, Protocol, ProtocolError, SessionId, Wanted};
use querypoint::answer::Answer;

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
    /// What our names in the page began with, behind the dollar sign.
    prefix: String,
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
}

struct Playback {
    transcript: Transcript,
    /// All entries before it were said.
    position: usize,
    /// Whether this entry is a command that was sent, or is left out.
    is_done: Vec<bool>,
    /// The commands that have no answer yet, by the number in the transcript.
    waiting: HashMap<u64, Waiting>,
    subscribers: Vec<mpsc::UnboundedSender<Event>>,
    /// What our names begin with in this run.
    prefix: Option<String>,
    sent: usize,
    loss: Option<(usize, Loss)>,
    /// The session of the newest tab, and those that were closed.
    tab: Option<SessionId>,
    closed: Vec<SessionId>,
    lost: Option<ProtocolError>,
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
            subscribers: Vec::new(),
            prefix: None,
            sent: 0,
            loss,
            tab: None,
            closed: Vec::new(),
            lost: None,
            transcript,
        }))
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
        match &self.prefix {
            None => value.clone(),
            Some(prefix) => {
                let text = value.to_string().replace(&self.transcript.prefix, prefix);
                serde_json::from_str(&text).unwrap()
            }
        }
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

    fn emit(&self, event: &Event) {
        if event
            .session
            .as_ref()
            .is_some_and(|session| self.closed.contains(session))
        {
            return;
        }
        for subscriber in &self.subscribers {
            let _ = subscriber.unbounded_send(event.clone());
        }
    }

    fn lose(&mut self, loss: Loss) {
        match (loss, self.tab.clone()) {
            (Loss::Tab, Some(tab)) => {
                self.emit(&Event {
                    session: None,
                    method: cdp::target::DetachedFromTarget::METHOD.to_owned(),
                    params: Arc::new(json!({ "sessionId": tab })),
                    times: 1,
                });
                let is_of_tab = |waiting: &mut Waiting| waiting.session.as_ref() == Some(&tab);
                for (_, waiting) in self.waiting.extract_if(|_, waiting| is_of_tab(waiting)) {
                    let Waiting { method, sender, .. } = waiting;
                    let _ = sender.send(Err(ProtocolError::SessionClosed { method }));
                }
                self.closed.push(tab);
            }
            // There is no tab yet.
            (Loss::Tab, None) => {}
            (Loss::Connection, _) => {
                let error = ProtocolError::ConnectionLost {
                    reason: "it was to be lost here".to_owned(),
                };
                self.subscribers.clear();
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
        let mut params = params.to_string();
        if state.prefix.is_none() {
            let ours = params.find("$Qp").and_then(|at| params.get(at + 1..));
            let ours = ours.map(|ours| ours.chars().take(state.transcript.prefix.len()));
            state.prefix = ours.map(Iterator::collect);
        }
        if let Some(prefix) = &state.prefix {
            params = params.replace(prefix, &state.transcript.prefix);
        }
        if let Some((_, loss)) = state.loss.filter(|(number, _)| *number == state.sent) {
            state.lose(loss);
        }
        let is_closed = session.is_some_and(|session| state.closed.contains(session));
        let entry = state.entry_of(session, method, &params);
        let method = method.to_owned();
        let failed = match (&state.lost, entry) {
            (Some(error), _) => Some(error.clone()),
            (None, _) if is_closed => Some(ProtocolError::SessionClosed {
                method: method.clone(),
            }),
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
        let (sender, receiver) = mpsc::unbounded();
        let mut state = self.0.lock();
        if state.lost.is_none() {
            state.subscribers.push(sender);
        }
        let is_wanted = move |event: &Event| futures::future::ready(wanted.has(event));
        receiver.filter(is_wanted).boxed()
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
