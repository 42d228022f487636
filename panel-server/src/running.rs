//! Finds the back end that uses a folder, or starts one that goes on when whoever wanted it is gone.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use async_tungstenite::tokio::{ConnectStream, connect_async};
use async_tungstenite::tungstenite::Message;
use async_tungstenite::tungstenite::client::IntoClientRequest;
use async_tungstenite::tungstenite::http::{HeaderValue, header};
use async_tungstenite::{WebSocketStream, tungstenite};
use futures::StreamExt;
use querypoint::session::messages::{
    FORMER_SUBPROTOCOL, News, Notification, PROTOCOL, Request, Response, ResponseOutcome,
    SECRET_PREFIX, SUBPROTOCOL,
};
use querypoint::session::methods::EndBackEnd;
use tokio::time::{Instant, sleep, timeout};

use crate::PATH;
use app::failure::{BackEndError, Failure};
use app::private;
use app::sessions::store::{Store, StoreError, make_folder, running};

/// A back end that nobody sees ends when no panel was there for so many minutes.
const IDLE_MINUTES: &str = "30";

/// How often one is started that ends at once: another may have been quicker, and be found the next time.
const TRIES: usize = 3;

/// Of its log, as much is told.
const LAST_WORDS: usize = 2000;

/// A back end that runs has said what it is by then.
const ANSWERS_IN: Duration = Duration::from_secs(5);

/// A back end that gives way has closed its browsers by then.
const GIVES_WAY_IN: Duration = Duration::from_secs(20);

/// How often it is looked whether it has.
const LOOKS_EVERY: Duration = Duration::from_millis(30);

/// Where a back end is, and what it lets in who knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// `ws://127.0.0.1:PORT/panel`
    pub url: String,
    /// In hexadecimal.
    pub secret: String,
}

/// The back end that uses the folder `state`; if there is none, one is started. One of an earlier version that runs in
/// the background would let no panel of this version in, and gives way.
///
/// # Errors
/// If it cannot be started, or ends at once; if another version runs where somebody sees it, or is busy.
pub fn find_or_start(state: &Path) -> Result<Running, Failure> {
    make_folder(state)?;
    let mut said = String::new();
    for _ in 0..TRIES {
        if let Some((port, secret)) = running(state) {
            let url = format!("ws://127.0.0.1:{port}{PATH}");
            let found = Running { url, secret };
            if is_of_this_version(&found)? {
                return Ok(found);
            }
        }
        match start(state)? {
            Ok(running) => return Ok(running),
            Err(words) => said = words,
        }
    }
    Err(BackEndError::Ended { said }.into())
}

/// Whether a back end that was found speaks our protocol. One that speaks an earlier one is ended.
///
/// # Errors
/// If it speaks another one and is not ended.
fn is_of_this_version(found: &Running) -> Result<bool, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::Runtime)?;
    runtime.block_on(gives_way_if_former(found))
}

/// That. One that does not say in time what it is, is taken for one of ours: the panel sees what becomes of it.
async fn gives_way_if_former(found: &Running) -> Result<bool, Failure> {
    let Ok(Ok((mut socket, Some(greeting)))) = timeout(ANSWERS_IN, greeted(found)).await else {
        return Ok(true);
    };
    let Greeting {
        protocol,
        version,
        in_background,
    } = greeting;
    if protocol == PROTOCOL {
        return Ok(true);
    }
    let other = |what_to_do: &str| {
        Failure::NotPossible(format!(
            "the back end that runs is of querypoint {version} and speaks protocol {protocol}, this program and its \
             panel speak protocol {PROTOCOL}; {what_to_do}"
        ))
    };
    if protocol > PROTOCOL {
        return Err(other(
            "install that version of the program and of the panel",
        ));
    }
    if !in_background {
        return Err(other(
            "end it with Ctrl-C where it runs, then open the panel again",
        ));
    }
    match timeout(GIVES_WAY_IN, ask_to_end(&mut socket)).await {
        Ok(Ok(Ending::Begun)) => Ok(false),
        Ok(Ok(Ending::Refused(why))) => Err(other(&format!(
            "it is not ended, for {why}; then open the panel again"
        ))),
        Ok(Err(_)) | Err(_) => Err(other("it does not end; end its process")),
    }
}

/// Starts one, and waits until it listens; its last words, if it ended instead.
fn start(state: &Path) -> Result<Result<Running, String>, Failure> {
    let log = state.join("log");
    let unusable = |source| StoreError::Unusable {
        path: log.clone(),
        source,
    };
    let errors = private::create_file(&log).map_err(unusable)?;
    let program = std::env::current_exe().map_err(BackEndError::NotStarted)?;
    let mut child = Command::new(program)
        .arg("serve")
        .args(["--idle-limit", IDLE_MINUTES])
        .arg("--state")
        .arg(state)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        // What ends us, such as the browser, does not end it.
        .process_group(0)
        .spawn()
        .map_err(BackEndError::NotStarted)?;
    let out = child.stdout.take().map(BufReader::new);
    let mut lines = out
        .into_iter()
        .flat_map(BufRead::lines)
        .map_while(Result::ok);
    let url = lines.next();
    let secret = lines.next();
    let secret = secret
        .as_deref()
        .and_then(|it| it.strip_prefix(SECRET_PREFIX));
    match (url, secret) {
        (Some(url), Some(secret)) => Ok(Ok(Running {
            url,
            secret: secret.to_owned(),
        })),
        _ => {
            let _ = child.wait();
            let said = fs::read_to_string(&log).unwrap_or_default();
            let from = said
                .char_indices()
                .rev()
                .nth(LAST_WORDS)
                .map_or(0, |(at, _)| at);
            Ok(Err(said[from..].trim_end().to_owned()))
        }
    }
}

/// Opens the folder `state`, which another back end uses, when that one is gone. One that is closing is waited for; one
/// that runs in the background is ended first, unless this one would run there too.
///
/// # Errors
/// If somebody sees it run, something is being done in it, or it does not end.
pub(crate) async fn take_place(state: &Path, in_background: bool) -> Result<Store, Failure> {
    let begun = Instant::now();
    let mut is_ended = false;
    loop {
        match Store::open(state) {
            Err(StoreError::InUse { .. }) if begun.elapsed() < GIVES_WAY_IN => {}
            opened => return Ok(opened?),
        }
        // One that is not found closes, or does not listen yet.
        if !is_ended && let Some(found) = running(state) {
            if in_background {
                let folder = state.to_owned();
                return Err(StoreError::InUse { folder }.into());
            }
            end(state, found).await?;
            is_ended = true;
        }
        sleep(LOOKS_EVERY).await;
    }
}

/// Has the back end at this port end, if it runs in the background.
async fn end(state: &Path, (port, secret): (u16, String)) -> Result<(), Failure> {
    let url = format!("ws://127.0.0.1:{port}{PATH}");
    let found = Running { url, secret };
    let ending = async {
        match greeted(&found).await? {
            (mut socket, Some(greeting)) if greeting.in_background => {
                ask_to_end(&mut socket).await.map(Some)
            }
            // It runs where somebody sees it, so it is theirs to end.
            _ => Ok::<_, tungstenite::Error>(None),
        }
    };
    match timeout(GIVES_WAY_IN, ending).await {
        Ok(Ok(Some(Ending::Begun))) => Ok(()),
        Ok(Ok(Some(Ending::Refused(why)))) => {
            let why = format!("the back end that a browser started is not ended: {why}");
            Err(Failure::NotPossible(why))
        }
        Ok(Ok(None) | Err(_)) | Err(_) => Err(StoreError::InUse {
            folder: state.to_owned(),
        }
        .into()),
    }
}

/// How a back end greets.
#[derive(Debug)]
struct Greeting {
    protocol: u32,
    version: String,
    in_background: bool,
}

type Socket = WebSocketStream<ConnectStream>;

/// Connects to a back end, which may be of the version before; `None`: it says something else first.
async fn greeted(found: &Running) -> Result<(Socket, Option<Greeting>), tungstenite::Error> {
    let mut request = found.url.as_str().into_client_request()?;
    let secret = &found.secret;
    let offered = format!("{SUBPROTOCOL}, {FORMER_SUBPROTOCOL}, {SECRET_PREFIX}{secret}");
    let offered = HeaderValue::try_from(offered).map_err(tungstenite::http::Error::from)?;
    let headers = request.headers_mut();
    headers.insert(header::SEC_WEBSOCKET_PROTOCOL, offered);
    let (mut socket, _) = connect_async(request).await?;
    let first = next::<Notification>(&mut socket).await?;
    let greeting = match first.map(|it| it.news) {
        Some(News::Welcome {
            protocol,
            version,
            in_background,
            ..
        }) => Some(Greeting {
            protocol,
            version,
            in_background,
        }),
        _ => None,
    };
    Ok((socket, greeting))
}

/// What comes of asking a back end to end.
#[derive(Debug, PartialEq, Eq)]
enum Ending {
    /// It ends.
    Begun,
    /// It does not, as it says.
    Refused(String),
}

async fn ask_to_end(socket: &mut Socket) -> Result<Ending, tungstenite::Error> {
    let end = Request::new(1, EndBackEnd { for_another: true });
    let end = serde_json::to_string(&end).unwrap_or_default();
    socket.send(Message::Text(end.into())).await?;
    // It may be gone before it says so.
    Ok(match next::<Response>(socket).await {
        Ok(Some(Response {
            outcome: ResponseOutcome::Error(refusal),
            ..
        })) => Ending::Refused(refusal.message),
        _ => Ending::Begun,
    })
}

/// The next message, if it is of this kind.
async fn next<T: serde::de::DeserializeOwned>(
    socket: &mut Socket,
) -> Result<Option<T>, tungstenite::Error> {
    match socket.next().await.transpose()? {
        Some(Message::Text(text)) => Ok(serde_json::from_str(&text).ok()),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use async_tungstenite::tokio::accept_hdr_async;
    use async_tungstenite::tungstenite::handshake::server;
    use futures::poll;
    use serde_json::{Value, json};
    use tokio::task::JoinHandle;

    use super::*;
    use querypoint::session::messages::FORMER_PROTOCOL;

    #[tokio::test]
    async fn one_that_closes_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        for in_background in [true, false] {
            let closing = Store::open(folder.path()).unwrap();
            let mut opened = Box::pin(take_place(folder.path(), in_background));
            assert!(poll!(&mut opened).is_pending());
            sleep(LOOKS_EVERY * 3).await;
            assert!(poll!(&mut opened).is_pending());
            drop(closing);
            opened.await.unwrap();
        }
    }

    #[tokio::test]
    async fn one_in_the_background_ends_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.secret().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let _listening = store.listens_at(port).unwrap();
        let refused = take_place(folder.path(), true).await.unwrap_err();
        assert!(
            matches!(refused, Failure::Store(StoreError::InUse { .. })),
            "{refused}"
        );
    }

    #[expect(clippy::result_large_err, reason = "the error is the library's")]
    /// A back end that speaks this protocol. It answers its first request with that, and gives the request.
    async fn speaking(
        protocol: u32,
        in_background: bool,
        answer: Value,
    ) -> (Running, JoinHandle<Option<Value>>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let found = Running {
            url: format!("ws://{}{PATH}", listener.local_addr().unwrap()),
            secret: "abc".to_owned(),
        };
        let spoken = format!("querypoint.{protocol}");
        let served = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let admit = |request: &server::Request, mut response: server::Response| {
                let name = header::SEC_WEBSOCKET_PROTOCOL;
                let offered = request.headers()[&name].to_str().unwrap();
                assert!(offered.split(", ").any(|it| it == spoken), "{offered}");
                assert!(offered.ends_with("secret.abc"), "{offered}");
                response.headers_mut().insert(name, spoken.parse().unwrap());
                Ok(response)
            };
            let mut socket = accept_hdr_async(stream, admit).await.unwrap();
            let welcome = json!({
                "jsonrpc": "2.0", "method": "welcome",
                "params": {
                    "protocol": protocol, "version": "0.0.1", "connected": false, "in_background": in_background,
                },
            });
            let said = Message::Text(welcome.to_string().into());
            socket.send(said).await.unwrap();
            let Some(Ok(Message::Text(asked))) = socket.next().await else {
                return None;
            };
            let answer = Message::Text(answer.to_string().into());
            socket.send(answer).await.unwrap();
            serde_json::from_str(&asked).ok()
        });
        (found, served)
    }

    fn done() -> Value {
        json!({ "jsonrpc": "2.0", "id": 1, "result": {} })
    }

    #[tokio::test]
    async fn one_of_the_protocol_before_in_the_background_is_ended_and_not_handed_out() {
        let (found, served) = speaking(FORMER_PROTOCOL, true, done()).await;
        assert!(!gives_way_if_former(&found).await.unwrap());
        let asked = served.await.unwrap().unwrap();
        assert_eq!(asked["method"], "end-back-end");
        assert_eq!(asked["params"]["for_another"], true);
    }

    #[tokio::test]
    async fn one_of_this_protocol_is_handed_out_and_asked_nothing() {
        let (found, served) = speaking(PROTOCOL, true, done()).await;
        assert!(gives_way_if_former(&found).await.unwrap());
        assert_eq!(served.await.unwrap(), None);
    }

    #[tokio::test]
    async fn one_of_another_protocol_that_does_not_give_way_is_told_with_what_to_do() {
        let busy = json!({
            "jsonrpc": "2.0", "id": 1,
            "error": { "code": 1, "message": "a panel has something done just now; cancel that" },
        });
        for (protocol, in_background, answer, words) in [
            (FORMER_PROTOCOL, true, busy, "cancel that"),
            (FORMER_PROTOCOL, false, done(), "Ctrl-C"),
        ] {
            let (found, served) = speaking(protocol, in_background, answer).await;
            let why = gives_way_if_former(&found).await.unwrap_err().to_string();
            assert!(
                why.contains(words) && why.contains("speaks protocol 1"),
                "{why}"
            );
            assert_eq!(served.await.unwrap().is_some(), in_background);
        }
    }
}
