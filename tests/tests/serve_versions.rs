//! Panels and back ends of different versions: who is told what, at once, and who gives way to whom.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use app::sessions::store::Store;
use async_tungstenite::tokio::accept_hdr_async;
use async_tungstenite::tungstenite::Message;
use async_tungstenite::tungstenite::handshake::server;
use futures::StreamExt;
use querypoint::session::messages::{News, RefusalCode, ResponseOutcome};
use querypoint::session::methods;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::at_panel::AtPanel;
use crate::loopback::*;
use crate::panel::{BackEnd, Panel, knock};
use crate::user::soon;

const PROTOCOLS: &str = "Sec-WebSocket-Protocol";

/// A panel of the protocol before, which knows the secret.
async fn former_panel(back_end: &BackEnd) -> Panel {
    let protocols = format!("querypoint.1, {}", back_end.secret);
    knock(&back_end.url, &[(PROTOCOLS, &protocols)])
        .await
        .unwrap()
}

#[tokio::test]
async fn a_panel_of_the_protocol_before_is_told_at_once_what_to_do() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = former_panel(&back_end).await;
    // What it opens with, and what this protocol has no name for.
    for (id, request) in [
        (
            1,
            json!({ "method": "open", "params": { "session": "one" } }),
        ),
        (2, json!({ "method": "stand", "params": { "point": "B" } })),
    ] {
        let mut request = request;
        request["jsonrpc"] = "2.0".into();
        request["id"] = id.into();
        panel.send(request.to_string()).await;
        let ResponseOutcome::Error(refusal) = panel.outcome(id).await else {
            panic!("{request}");
        };
        assert_eq!(refusal.code, RefusalCode::NotUnderstood);
        for words in [
            "speaks protocol 1",
            "speaks protocol 2",
            "load the panel's page again",
            "install the extension",
        ] {
            assert!(refusal.message.contains(words), "{}", refusal.message);
        }
    }
    assert!(matches!(
        panel.heard[..],
        [News::Welcome { protocol: 2, .. }]
    ));
    // Nothing was done for it.
    let mut present = Panel::connected(&back_end).await;
    assert_eq!(present.listed().await, [""; 0]);
}

#[tokio::test]
async fn an_earlier_querypoint_serve_takes_the_place_of_one_in_the_background() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &["--idle-limit", "5"]);
    let mut other = former_panel(&back_end).await;
    let for_another = true;
    other.done(methods::EndBackEnd { for_another }).await;
    while other.hear().await.is_some() {}
    assert_eq!(back_end.ends(), Some(0));
}

/// A back end of the protocol before, in the background: how it greets and ends is all that is used of it.
struct Former {
    port: u16,
    served: JoinHandle<()>,
}

impl Former {
    #[expect(clippy::result_large_err, reason = "the error is the library's")]
    /// One that uses the folder `state` on this port (0: any). A panel that connects hears its welcome.
    async fn start(state: PathBuf, port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let store = Store::open(&state).unwrap();
        store.secret().unwrap();
        let listening = store.listens_at(port).unwrap();
        let served = tokio::spawn(async move {
            let mut uses = Some((store, listening));
            while uses.is_some() {
                let (stream, _) = listener.accept().await.unwrap();
                let admit = |request: &server::Request, mut response: server::Response| {
                    let offered = request.headers()[PROTOCOLS].to_str().unwrap();
                    assert!(offered.contains("querypoint.1"), "{offered}");
                    let spoken = "querypoint.1".parse().unwrap();
                    response.headers_mut().insert(PROTOCOLS, spoken);
                    Ok(response)
                };
                let Ok(mut socket) = accept_hdr_async(stream, admit).await else {
                    continue;
                };
                let params = json!({
                    "protocol": 1, "version": "0.0.1", "connected": false, "in_background": true,
                });
                let welcome = json!({ "jsonrpc": "2.0", "method": "welcome", "params": params });
                let said = Message::Text(welcome.to_string().into());
                socket.send(said).await.unwrap();
                while let Some(Ok(message)) = socket.next().await {
                    let Message::Text(text) = message else {
                        continue;
                    };
                    let request: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(request["method"], "end-back-end");
                    uses = None;
                    let done = json!({ "jsonrpc": "2.0", "id": request["id"], "result": {} });
                    let said = Message::Text(done.to_string().into());
                    socket.send(said).await.unwrap();
                    break;
                }
            }
        });
        Self { port, served }
    }
}

/// What the browser's host answers when the extension looks for the back end of this folder.
fn asked_of_host(state: &Path) -> Value {
    let mut host = command(&["native-host", "--state", state.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let request = json!({ "want": "back-end" }).to_string();
    let length = u32::try_from(request.len()).unwrap();
    let mut input = host.stdin.take().unwrap();
    input.write_all(&length.to_ne_bytes()).unwrap();
    input.write_all(request.as_bytes()).unwrap();
    let mut output = host.stdout.take().unwrap();
    let mut length = [0; 4];
    output.read_exact(&mut length).unwrap();
    let mut reply = vec![0; usize::try_from(u32::from_ne_bytes(length)).unwrap()];
    output.read_exact(&mut reply).unwrap();
    drop(input);
    assert!(host.wait().unwrap().success());
    serde_json::from_slice(&reply).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_back_end_of_the_protocol_before_gives_way_when_the_extension_looks_for_one() {
    let folder = Folder::new();
    let state = folder.0.join("state");
    let former = Former::start(state.clone(), 0).await;
    let asked = state.clone();
    let reply = tokio::task::spawn_blocking(move || asked_of_host(&asked))
        .await
        .unwrap();
    former.served.await.unwrap();
    let found = &reply["back-end"];
    let (url, secret) = (found["url"].as_str(), found["secret"].as_str());
    let protocols = format!("querypoint.2, secret.{}", secret.unwrap());
    let mut panel = knock(url.unwrap(), &[(PROTOCOLS, &protocols)])
        .await
        .unwrap();
    let is_present = |news: &News| {
        matches!(
            news,
            News::Welcome {
                protocol: 2,
                in_background: true,
                ..
            }
        )
    };
    panel.hears(is_present).await;
    // It runs by itself, so it is ended.
    let for_another = false;
    panel.done(methods::EndBackEnd { for_another }).await;
    while panel.hear().await.is_some() {}
    let is_free = async || Store::open(&state).ok().map(drop);
    soon("the back end is gone", is_free).await;
}

/// The panel looks for its back end again, and one of an earlier version is there.
#[tokio::test]
async fn the_panel_says_at_once_that_its_back_end_is_of_an_earlier_version() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let port = back_end.port();
    let panel = AtPanel::in_browser(&back_end).await;
    back_end.kill();
    let former = Former::start(folder.0.join("state"), port).await;
    assert_eq!(former.port, port);
    let told = "document.querySelector('.link')?.textContent.includes('an earlier version than this panel')";
    panel.user.until(told).await;
    former.served.abort();
}
