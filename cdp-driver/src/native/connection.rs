//! One socket, owned by one task: commands out, answers and events in.
//!
//! Invariants: an answer is matched to its command by id alone; a message that cannot be read is logged and skipped;
//! once the socket is gone every pending and every later command has the same typed error, at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chromiumoxide::Connection;
use chromiumoxide::cdp::browser_protocol::target::SessionId as WireSessionId;
use chromiumoxide::error::CdpError;
use chromiumoxide::types::{CallId, Message, Response};
use futures::StreamExt;
use futures::channel::{mpsc, oneshot};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde_json::Value;

use super::process::ExitWatch;
use super::wire::{RawEvent, malformed, salvage_answer};
use crate::engine::protocol::{Event, Protocol, ProtocolError, SessionId};

type Answer = Result<Value, ProtocolError>;

struct Command {
    session: Option<SessionId>,
    method: String,
    params: Value,
    answer: oneshot::Sender<Answer>,
}

/// What the task and its callers share.
#[derive(Default)]
struct Shared {
    subscribers: Mutex<Vec<mpsc::UnboundedSender<Event>>>,
    lost: Mutex<Option<ProtocolError>>,
}

/// Nothing that is done under these locks can leave the data half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The protocol over a WebSocket.
pub(crate) struct NativeProtocol {
    commands: mpsc::UnboundedSender<Command>,
    shared: Arc<Shared>,
}

impl NativeProtocol {
    /// Connects to `ws_url` and starts the task that owns the socket. `exit` tells of the end of a browser that is ours.
    pub(crate) async fn connect(ws_url: &str, exit: Option<ExitWatch>) -> Result<Self, CdpError> {
        let connection = Connection::<RawEvent>::connect(ws_url).await?;
        let (commands, queue) = mpsc::unbounded();
        let shared = Arc::new(Shared::default());
        let task = Task {
            connection,
            queue,
            pending: HashMap::new(),
            ended: HashMap::new(),
            shared: shared.clone(),
        };
        tokio::spawn(task.run(exit));
        Ok(Self { commands, shared })
    }

    fn lost(&self) -> ProtocolError {
        lock(&self.shared.lost)
            .clone()
            .unwrap_or_else(|| lost("its task has ended"))
    }
}

impl Protocol for NativeProtocol {
    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        let (answer, receiver) = oneshot::channel();
        let command = Command {
            session: session.cloned(),
            method: method.to_owned(),
            params,
            answer,
        };
        let queued = self.commands.unbounded_send(command).is_ok();
        Box::pin(async move {
            if !queued {
                return Err(self.lost());
            }
            receiver.await.unwrap_or_else(|_| Err(self.lost()))
        })
    }

    fn events(&self) -> BoxStream<'static, Event> {
        let (sender, receiver) = mpsc::unbounded();
        let mut subscribers = lock(&self.shared.subscribers);
        // Checked under the lock that the task takes when it ends, so that no stream outlives the connection.
        if lock(&self.shared.lost).is_none() {
            subscribers.push(sender);
        }
        receiver.boxed()
    }
}

fn lost(reason: impl Into<String>) -> ProtocolError {
    ProtocolError::ConnectionLost {
        reason: reason.into(),
    }
}

/// Why a session answers nothing more.
#[derive(Debug, Clone, Copy)]
enum SessionEnd {
    Crashed,
    Detached,
}

impl SessionEnd {
    fn error(self, method: String) -> ProtocolError {
        match self {
            Self::Crashed => ProtocolError::TargetCrashed { method },
            Self::Detached => ProtocolError::SessionClosed { method },
        }
    }
}

struct Task {
    connection: Connection<RawEvent>,
    queue: mpsc::UnboundedReceiver<Command>,
    pending: HashMap<CallId, Command>,
    ended: HashMap<SessionId, SessionEnd>,
    shared: Arc<Shared>,
}

impl Task {
    async fn run(mut self, exit: Option<ExitWatch>) {
        let exited = async {
            match exit.clone() {
                Some(mut exit) => exit.exited().await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(exited);
        let cause = loop {
            tokio::select! {
                error = &mut exited => break error,
                command = self.queue.next() => match command {
                    Some(command) => self.submit(command),
                    None => break lost("we closed it"),
                },
                message = self.connection.next() => match message {
                    Some(Ok(Message::Response(response))) => self.answered(response),
                    Some(Ok(Message::Event(raw))) => self.happened(raw.into()),
                    Some(Err(CdpError::InvalidMessage(text, error))) => self.unreadable(&text, &error),
                    Some(Err(CdpError::UnexpectedWsMessage(_))) => tracing::debug!("skipped a message that is no text"),
                    Some(Err(error)) => break self.cause(error.to_string(), exit.clone()).await,
                    None => break self.cause("the browser closed the socket".to_owned(), exit.clone()).await,
                },
            }
        };
        self.end(&cause);
    }

    /// The socket of a browser that dies closes a moment before its process is seen to exit: the exit says more.
    async fn cause(&self, reason: String, exit: Option<ExitWatch>) -> ProtocolError {
        if let Some(mut exit) = exit
            && let Ok(error) =
                tokio::time::timeout(std::time::Duration::from_secs(1), exit.exited()).await
        {
            return error;
        }
        lost(reason)
    }

    fn submit(&mut self, command: Command) {
        if let Some(end) = command
            .session
            .as_ref()
            .and_then(|session| self.ended.get(session))
        {
            let error = end.error(command.method);
            let _ = command.answer.send(Err(error));
            return;
        }
        let session = command
            .session
            .clone()
            .map(|session| WireSessionId::new(session.0));
        // Kept without its parameters, which may be megabytes of source.
        let Command {
            session: key,
            method,
            params,
            answer,
        } = command;
        match self
            .connection
            .submit_command(method.clone().into(), session, params)
        {
            Ok(id) => {
                self.pending.insert(
                    id,
                    Command {
                        session: key,
                        method,
                        params: Value::Null,
                        answer,
                    },
                );
            }
            Err(error) => {
                let _ = answer.send(Err(malformed(&method, error.to_string())));
            }
        }
    }

    fn answered(&mut self, response: Response) {
        let Some(command) = self.pending.remove(&response.id) else {
            tracing::debug!(id = %response.id, "an answer to no command of ours");
            return;
        };
        let answer = match (response.error, response.result) {
            (Some(error), _) => Err(ProtocolError::Refused {
                method: command.method,
                code: error.code,
                message: error.message,
            }),
            (None, Some(result)) => Ok(result),
            (None, None) => Ok(Value::Object(serde_json::Map::new())),
        };
        // The caller may have given up; then nobody wants the answer.
        let _ = command.answer.send(answer);
    }

    fn unreadable(&mut self, text: &str, error: &serde_json::Error) {
        tracing::debug!(%error, "skipped a message that cannot be read");
        if let Some((id, detail)) = salvage_answer(text)
            && let Some(command) = self.pending.remove(&CallId::new(id))
        {
            let error = malformed(&command.method, detail);
            let _ = command.answer.send(Err(error));
        }
    }

    fn happened(&mut self, event: Event) {
        match event.method.as_str() {
            "Inspector.targetCrashed" => {
                self.end_session(event.session.clone(), SessionEnd::Crashed)
            }
            "Inspector.targetReloadedAfterCrash" => {
                if let Some(session) = &event.session {
                    self.ended.remove(session);
                }
            }
            "Target.detachedFromTarget" => {
                self.end_session(
                    Some(SessionId(event.text("/sessionId").to_owned())),
                    SessionEnd::Detached,
                );
            }
            _ => {}
        }
        let mut subscribers = lock(&self.shared.subscribers);
        // Most of the time there are few, and the last one needs no copy.
        subscribers.retain(|subscriber| !subscriber.is_closed());
        if let Some((last, rest)) = subscribers.split_last() {
            for subscriber in rest {
                let _ = subscriber.unbounded_send(event.clone());
            }
            let _ = last.unbounded_send(event);
        }
    }

    /// A crashed or detached session answers nothing any more, so its commands are answered here.
    fn end_session(&mut self, session: Option<SessionId>, end: SessionEnd) {
        let Some(session) = session else { return };
        for (_, command) in self
            .pending
            .extract_if(|_, command| command.session.as_ref() == Some(&session))
        {
            let error = end.error(command.method);
            let _ = command.answer.send(Err(error));
        }
        // A crash explains more than the detachment that follows it.
        self.ended.entry(session).or_insert(end);
    }

    fn end(mut self, cause: &ProtocolError) {
        let mut subscribers = lock(&self.shared.subscribers);
        *lock(&self.shared.lost) = Some(cause.clone());
        subscribers.clear();
        drop(subscribers);
        self.queue.close();
        for (_, command) in self.pending.drain() {
            let _ = command.answer.send(Err(cause.clone()));
        }
        while let Ok(command) = self.queue.try_recv() {
            let _ = command.answer.send(Err(cause.clone()));
        }
    }
}
