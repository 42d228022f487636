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
    FORMER_SUBPROTOCOL, News, Notification, Request, Response, ResponseOutcome, SECRET_PREFIX,
    SUBPROTOCOL,
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

/// The back end that uses the folder `state`; if there is none, one is started.
///
/// # Errors
/// If it cannot be started, or ends at once.
pub fn find_or_start(state: &Path) -> Result<Running, Failure> {
    make_folder(state)?;
    let mut said = String::new();
    for _ in 0..TRIES {
        if let Some((port, secret)) = running(state) {
            let url = format!("ws://127.0.0.1:{port}{PATH}");
            return Ok(Running { url, secret });
        }
        match start(state)? {
            Ok(running) => return Ok(running),
            Err(words) => said = words,
        }
    }
    Err(BackEndError::Ended { said }.into())
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
    let ending = ask_to_end(&url, &secret);
    match timeout(GIVES_WAY_IN, ending).await {
        Ok(Ok(Ending::Begun)) => Ok(()),
        Ok(Ok(Ending::Refused(why))) => {
            let why = format!("the back end that a browser started is not ended: {why}");
            Err(Failure::NotPossible(why))
        }
        Ok(Ok(Ending::Unwanted) | Err(_)) | Err(_) => Err(StoreError::InUse {
            folder: state.to_owned(),
        }
        .into()),
    }
}

/// What comes of asking a back end to end.
enum Ending {
    /// It ends.
    Begun,
    /// It does not, as it says.
    Refused(String),
    /// It runs where somebody sees it, so it is theirs to end.
    Unwanted,
}

async fn ask_to_end(url: &str, secret: &str) -> Result<Ending, tungstenite::Error> {
    let mut request = url.into_client_request()?;
    // One of an earlier version gives way, too.
    let offered = format!("{SUBPROTOCOL}, {FORMER_SUBPROTOCOL}, {SECRET_PREFIX}{secret}");
    let offered = HeaderValue::try_from(offered).map_err(tungstenite::http::Error::from)?;
    let headers = request.headers_mut();
    headers.insert(header::SEC_WEBSOCKET_PROTOCOL, offered);
    let (mut socket, _) = connect_async(request).await?;
    match next::<Notification>(&mut socket).await?.map(|it| it.news) {
        Some(News::Welcome {
            in_background: true,
            ..
        }) => {}
        _ => return Ok(Ending::Unwanted),
    }
    let end = Request::new(1, EndBackEnd { for_another: true });
    let end = serde_json::to_string(&end).unwrap_or_default();
    socket.send(Message::Text(end.into())).await?;
    // It may be gone before it says so.
    Ok(match next::<Response>(&mut socket).await {
        Ok(Some(Response {
            outcome: ResponseOutcome::Error(refusal),
            ..
        })) => Ending::Refused(refusal.message),
        _ => Ending::Begun,
    })
}

/// The next message, if it is of this kind.
async fn next<T: serde::de::DeserializeOwned>(
    socket: &mut WebSocketStream<ConnectStream>,
) -> Result<Option<T>, tungstenite::Error> {
    match socket.next().await.transpose()? {
        Some(Message::Text(text)) => Ok(serde_json::from_str(&text).ok()),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use futures::poll;

    use super::*;

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
}
