//! A back end, and a panel without a window: what it says over its connection, and what it hears.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test program uses its own part of this, and a panic is how a test fails"
)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use async_tungstenite::tokio::{ConnectStream, connect_async};
use async_tungstenite::tungstenite::client::IntoClientRequest;
use async_tungstenite::tungstenite::{Error, Message};
use async_tungstenite::{WebSocketReceiver, WebSocketSender};
use futures::StreamExt;
use querypoint::session::Session;
use querypoint::session::messages::{
    Doing, News, Notification, Refusal, Request, Response, ResponseOutcome,
};
use querypoint::session::methods::{self, Call, Method};
use serde_json::Value;

use super::loopback::{Folder, command};

const LIMIT: Duration = Duration::from_secs(60);

/// A running `querypoint serve`.
pub struct BackEnd {
    process: Child,
    pub url: String,
    /// `secret.…`
    pub secret: String,
}

impl BackEnd {
    /// One with its state, and the profiles of its browsers, in this folder.
    pub fn start(folder: &Folder, more: &[&str]) -> Self {
        Self::start_by(folder, more, |program| program)
    }

    /// The same, where a file may become too large without a signal for it: a limit is met like a full disk then.
    pub fn start_with_limits(folder: &Folder, more: &[&str]) -> Self {
        Self::start_by(folder, more, |program| {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
                .arg(program.get_program())
                .args(program.get_args())
                .stdin(Stdio::null());
            shell
        })
    }

    fn start_by(folder: &Folder, more: &[&str], by: impl Fn(Command) -> Command) -> Self {
        let state = folder.0.join("state");
        let temporary = folder.0.join("tmp");
        std::fs::create_dir_all(&temporary).unwrap();
        let mut arguments = vec!["serve", "--state", state.to_str().unwrap()];
        arguments.extend(more);
        let mut process = by(command(&arguments))
            .env("TMPDIR", &temporary)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut line = || lines.next().unwrap().unwrap();
        let (url, secret) = (line(), line());
        Self {
            process,
            url,
            secret,
        }
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    pub fn port(&self) -> u16 {
        let rest = self.url.strip_prefix("ws://127.0.0.1:").unwrap();
        rest.strip_suffix("/panel").unwrap().parse().unwrap()
    }

    /// Lets it write no file that has more bytes; none: any.
    pub fn may_write(&self, bytes: Option<u32>) {
        let bytes = bytes.map_or("unlimited".to_owned(), |it| it.to_string());
        let limited = Command::new("prlimit")
            .args(["--pid", &self.id().to_string()])
            .arg(format!("--fsize={bytes}:"))
            .status();
        assert!(limited.unwrap().success());
    }

    /// Waits until it ends by itself; its exit status.
    pub fn ends(mut self) -> Option<i32> {
        self.process.wait().unwrap().code()
    }

    /// Ends it without warning.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Ctrl-C; its exit status.
    pub fn interrupt(mut self) -> Option<i32> {
        let id = self.id().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-s", "INT", &id])
            .status();
        assert!(sent.unwrap().success());
        self.process.wait().unwrap().code()
    }
}

impl Drop for BackEnd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A page that counts by itself.
pub const COUNTING: &str = "<!doctype html><script>
const box = { a: 0, b: 0 };
function count() {
  box.a += 1;
  box.b = box.a * 2;
}
count();
count();
</script>";

/// Of each point: its name, line and function.
pub fn places(session: &Session) -> Vec<(String, u32, String)> {
    let points = session.answer.as_ref().unwrap().points.iter();
    points
        .map(|point| {
            let line = point.location.as_ref().map_or(0, |location| location.line);
            let function = point.function.clone().unwrap_or_default();
            (point.name.clone(), line, function)
        })
        .collect()
}

/// Such a place.
pub fn place(name: &str, line: u32, function: &str) -> (String, u32, String) {
    (name.to_owned(), line, function.to_owned())
}

/// A connection to a back end.
pub struct Panel {
    sender: WebSocketSender<ConnectStream>,
    receiver: WebSocketReceiver<ConnectStream>,
    next: u64,
    /// All that it heard, in order.
    pub heard: Vec<News>,
    early: Vec<Response>,
}

/// What the headers of somebody who knocks are, beside those of every WebSocket.
pub type Headers<'h> = &'h [(&'static str, &'h str)];

/// Knocks; the status, if the answer is no.
pub async fn knock(url: &str, headers: Headers<'_>) -> Result<Panel, u16> {
    let mut request = url.into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let connected = tokio::time::timeout(LIMIT, connect_async(request)).await;
    match connected.unwrap() {
        Ok((socket, _)) => {
            let (sender, receiver) = socket.split();
            Ok(Panel {
                sender,
                receiver,
                next: 1,
                heard: Vec::new(),
                early: Vec::new(),
            })
        }
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

impl Panel {
    /// One that knows the secret, with this session open.
    pub async fn with(back_end: &BackEnd, session: &str) -> Self {
        let mut panel = Self::connected(back_end).await;
        let session = session.to_owned();
        panel.done(methods::Open { session }).await;
        panel
    }

    /// One that knows the secret.
    pub async fn connected(back_end: &BackEnd) -> Self {
        let protocols = format!("querypoint.2, {}", back_end.secret);
        let headers = [("Sec-WebSocket-Protocol", protocols.as_str())];
        knock(&back_end.url, &headers).await.unwrap()
    }

    /// Sends a text as it is.
    pub async fn send(&mut self, text: impl Into<String>) {
        self.sends(text).await.unwrap();
    }

    /// The same, to a back end that may end the connection while it is being sent.
    pub async fn sends(&mut self, text: impl Into<String>) -> Result<(), Error> {
        self.sender.send(Message::Text(text.into().into())).await
    }

    /// Sends a request; its number.
    pub async fn begin(&mut self, call: impl Into<Call>) -> u64 {
        let id = self.next;
        self.next += 1;
        let request = serde_json::to_string(&Request::new(id, call)).unwrap();
        self.send(request).await;
        id
    }

    /// What becomes of a request.
    pub async fn outcome(&mut self, id: u64) -> ResponseOutcome {
        self.response(Some(id)).await.outcome
    }

    pub async fn response(&mut self, id: Option<u64>) -> Response {
        loop {
            if let Some(at) = self.early.iter().position(|response| response.id == id) {
                return self.early.remove(at);
            }
            self.hear().await.unwrap();
        }
    }

    /// Asks for it, and waits until it is done.
    pub async fn done<M: Method>(&mut self, method: M) -> M::Result {
        let call: Call = method.into();
        let id = self.begin(call.clone()).await;
        let result = self.outcome(id).await.into_result::<M>();
        result.unwrap_or_else(|refusal| panic!("{call:?}: {}", refusal.message))
    }

    /// The same, whatever comes of it.
    pub async fn does(&mut self, call: impl Into<Call>) {
        let call = call.into();
        let id = self.begin(call.clone()).await;
        if let ResponseOutcome::Error(refusal) = self.outcome(id).await {
            panic!("{call:?}: {}", refusal.message);
        }
    }

    /// Asks for it, and is refused.
    pub async fn refused(&mut self, call: impl Into<Call>) -> Refusal {
        let call = call.into();
        let id = self.begin(call.clone()).await;
        match self.outcome(id).await {
            ResponseOutcome::Result(given) => panic!("{call:?}: {given:?}"),
            ResponseOutcome::Error(refusal) => refusal,
        }
    }

    /// Waits for the next message; `None`: the connection is over.
    pub async fn hear(&mut self) -> Option<()> {
        let message = tokio::time::timeout(LIMIT, self.receiver.next()).await;
        let text = match message.unwrap()? {
            Ok(Message::Text(text)) => text,
            Ok(Message::Close(_)) | Err(_) => return None,
            Ok(other) => panic!("{other:?}"),
        };
        let value: Value = serde_json::from_str(&text).unwrap();
        match value.get("method") {
            Some(_) => {
                let told: Notification = serde_json::from_str(&text).unwrap();
                self.heard.push(told.news);
            }
            None => self.early.push(serde_json::from_str(&text).unwrap()),
        }
        Some(())
    }

    /// Waits until such news has come since the last call; what it is.
    pub async fn hears(&mut self, is_it: impl Fn(&News) -> bool) -> News {
        loop {
            if let Some(at) = self.heard.iter().position(&is_it) {
                let news = self.heard.remove(at);
                self.heard.drain(..at);
                return news;
            }
            self.heard.clear();
            self.hear().await.unwrap();
        }
    }

    /// The session as it was last told, and what is being done for it.
    pub fn session(&self) -> (Session, Option<Doing>) {
        let told = self.heard.iter().rev().find_map(|news| match news {
            News::Session { session, doing, .. } => Some((Session::clone(session), *doing)),
            _ => None,
        });
        told.unwrap()
    }

    /// What the session is called that was last told.
    pub fn name(&self) -> String {
        let told = self.heard.iter().rev().find_map(|news| match news {
            News::Session { name, .. } => Some(name.clone()),
            _ => None,
        });
        told.unwrap()
    }

    /// The names of the sessions that are listed, in order.
    pub async fn listed(&mut self) -> Vec<String> {
        let listed = self.done(methods::Sessions {}).await.sessions;
        let mut names: Vec<String> = listed.into_iter().map(|it| it.session).collect();
        names.sort();
        names
    }

    /// The texts of all progress that it heard.
    pub fn stages(&self) -> Vec<&str> {
        let stages = self.heard.iter().filter_map(|news| match news {
            News::Progress { stage, .. } => Some(stage.as_str()),
            _ => None,
        });
        stages.collect()
    }

    /// Goes to a page.
    pub async fn goes_to(&mut self, page: impl AsRef<Path>) {
        let page = page.as_ref().to_str().unwrap().to_owned();
        self.done(methods::Page { page }).await;
    }

    /// Stops at a point.
    pub async fn stops_at(&mut self, point: &str) {
        let point = point.to_owned();
        self.done(methods::At { point }).await;
    }

    /// Asks a query; the name of its point.
    pub async fn asks(&mut self, query: &str) -> String {
        let query = query.to_owned();
        self.done(methods::Ask { query, at: None }).await.point
    }
}
