//! One socket, owned by one task: commands out, answers and events in.
//!
//! The messages are those of chromiumoxide; its own `Connection` is not used, because nothing reaches its socket:
//! without `TCP_NODELAY` the kernel keeps a command back until the one before it has been acknowledged, which a browser
//! does with its answer. (A batch of twenty took 90 ms; pairs were no faster than one after the other. Chromium 156 on
//! loopback.)
//!
//! Invariants: an answer is matched to its command by id alone; a message that cannot be read is logged and skipped;
//! once the socket is gone every pending and every later command has the same typed error, at once.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

use async_tungstenite::tokio::{TokioAdapter, client_async_with_config};
use async_tungstenite::tungstenite::error::UrlError;
use async_tungstenite::tungstenite::protocol::WebSocketConfig;
use async_tungstenite::tungstenite::{Error as SocketError, Message as Frame};
use async_tungstenite::{WebSocketReceiver, WebSocketSender, WebSocketStream};
use chromiumoxide::types::{CallId, Message, MethodCall, Response};
use futures::channel::{mpsc, oneshot};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use url::Url;

use super::process::ExitWatch;
use super::wire::{RawEvent, malformed, salvage_answer};
use crate::protocol::generated as cdp;
use crate::protocol::{Event, Listeners, Offers, Protocol, ProtocolError, SessionId, Wanted};

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
    listeners: Listeners,
    lost: Mutex<Option<ProtocolError>>,
}

/// Nothing that is done under these locks can leave the data half changed.
/// The protocol over a WebSocket.
pub(crate) struct NativeProtocol {
    commands: mpsc::UnboundedSender<Command>,
    shared: Arc<Shared>,
}

impl NativeProtocol {
    /// Connects to `ws_url` and starts the task that owns the socket. `exit` tells of the end of a browser that is
    /// ours.
    ///
    /// # Errors
    /// What the socket says.
    pub(crate) async fn connect(
        ws_url: &str,
        exit: Option<ExitWatch>,
    ) -> Result<Self, SocketError> {
        let (sink, messages) = open(ws_url).await?.split();
        let (commands, queue) = mpsc::unbounded();
        let (frames, outgoing) = mpsc::unbounded();
        let shared = Arc::new(Shared::default());
        // What is written waits for the browser to read, which may wait for us to read what it writes.
        let writer = tokio::spawn(write(sink, outgoing));
        let task = Task {
            writer,
            messages,
            frames,
            next_id: 0,
            queue,
            pending: HashMap::new(),
            ended: HashMap::new(),
            shared: shared.clone(),
        };
        tokio::spawn(task.run(exit));
        Ok(Self { commands, shared })
    }

    /// Closes the connection once what was sent has gone out, whoever still holds it.
    pub(crate) fn close(&self) {
        self.commands.close_channel();
    }

    fn lost(&self) -> ProtocolError {
        self.shared
            .lost
            .lock()
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

    fn offers(&self) -> Offers {
        Offers::everything()
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        // Held while it is added: the task takes it when it ends, so that no stream outlives the connection.
        let lost = self.shared.lost.lock();
        self.shared.listeners.add(wanted, lost.is_some())
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

type Stream = TokioAdapter<TcpStream>;

/// Opens the socket; what comes over it may be of any size.
async fn open(ws_url: &str) -> Result<WebSocketStream<Stream>, SocketError> {
    let url = Url::parse(ws_url).ok();
    if url.as_ref().is_some_and(|url| url.scheme() == "wss") {
        return Err(SocketError::Url(UrlError::TlsFeatureNotEnabled));
    }
    let host = url.as_ref().and_then(Url::host_str);
    let port = url.as_ref().and_then(Url::port_or_known_default);
    let (Some(host), Some(port)) = (host, port) else {
        return Err(no_address());
    };
    // Those of IPv6 are in brackets there.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default()
        .max_message_size(None)
        .max_frame_size(None);
    let (socket, _) = client_async_with_config(ws_url, stream, Some(config)).await?;
    Ok(socket)
}

fn no_address() -> SocketError {
    SocketError::Io(std::io::Error::new(
        std::io::ErrorKind::InvalidInput,
        "it is no ws:// address with a host",
    ))
}

/// Writes what comes until nothing more does; what is there together is flushed together.
async fn write(
    mut sink: WebSocketSender<Stream>,
    mut outgoing: mpsc::UnboundedReceiver<Frame>,
) -> Result<(), SocketError> {
    while let Some(frame) = outgoing.next().await {
        sink.feed(frame).await?;
        while let Ok(frame) = outgoing.try_recv() {
            sink.feed(frame).await?;
        }
        sink.flush().await?;
    }
    sink.close(None).await
}

struct Task {
    writer: JoinHandle<Result<(), SocketError>>,
    messages: WebSocketReceiver<Stream>,
    frames: mpsc::UnboundedSender<Frame>,
    next_id: usize,
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
                written = &mut self.writer => {
                    let reason = match written {
                        Ok(Err(error)) => error.to_string(),
                        _ => "nothing more can be written to the socket".to_owned(),
                    };
                    break self.cause(reason, exit.clone()).await;
                }
                command = self.queue.next() => match command {
                    Some(command) => self.submit(command),
                    None => break lost("we closed it"),
                },
                frame = self.messages.next() => match frame {
                    Some(Ok(Frame::Text(text))) => self.received(&text),
                    Some(Ok(Frame::Close(_))) | None => {
                        break self.cause("the browser closed the socket".to_owned(), exit.clone()).await;
                    }
                    Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
                    Some(Ok(_)) => tracing::debug!("skipped a message that is no text"),
                    Some(Err(error)) => break self.cause(error.to_string(), exit.clone()).await,
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

    fn received(&mut self, text: &str) {
        match serde_json::from_str::<Message<RawEvent>>(text) {
            Ok(Message::Response(response)) => self.answered(response),
            Ok(Message::Event(raw)) => self.happened(&raw.into()),
            Err(error) => self.unreadable(text, &error),
        }
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
        // Kept without its parameters, which may be megabytes of source.
        let Command {
            session,
            method,
            params,
            answer,
        } = command;
        let id = CallId::new(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        let call = MethodCall {
            id,
            method: method.into(),
            session_id: session.as_ref().map(|session| session.0.clone()),
            params,
        };
        let text = serde_json::to_string(&call);
        let method = call.method.into_owned();
        match text {
            Ok(text) => {
                // Where nobody writes any more, the end of the writer answers it.
                let _ = self.frames.unbounded_send(Frame::text(text));
                let params = Value::Null;
                self.pending.insert(
                    id,
                    Command {
                        session,
                        method,
                        params,
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

    fn happened(&mut self, event: &Event) {
        match event.method.as_str() {
            cdp::inspector::TargetCrashed::METHOD => {
                self.end_session(event.session.clone(), SessionEnd::Crashed);
            }
            cdp::inspector::TargetReloadedAfterCrash::METHOD => {
                if let Some(session) = &event.session {
                    self.ended.remove(session);
                }
            }
            cdp::target::DetachedFromTarget::METHOD => {
                if let Some(detached) = event.read::<cdp::target::DetachedFromTarget>() {
                    self.end_session(Some(detached.session_id), SessionEnd::Detached);
                }
            }
            _ => {}
        }
        self.shared.listeners.tell(event);
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
        {
            let mut lost = self.shared.lost.lock();
            *lost = Some(cause.clone());
            self.shared.listeners.end();
        }
        self.queue.close();
        for (_, command) in self.pending.drain() {
            let _ = command.answer.send(Err(cause.clone()));
        }
        while let Ok(command) = self.queue.try_recv() {
            let _ = command.answer.send(Err(cause.clone()));
        }
    }
}
