//! A server that does not speak as the protocol describes: no message of it ends a session.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::time::Duration;

use async_tungstenite::WebSocketStream;
use async_tungstenite::tokio::TokioAdapter;
use async_tungstenite::tungstenite::Message;
use cdp_driver::native::Browser;
use cdp_driver::protocol::{ProtocolError, SessionFilter, SessionId, Wanted};
use futures::{FutureExt, SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A server on loopback: its address, and the socket of the one client that it accepts.
async fn server() -> (
    String,
    impl Future<Output = WebSocketStream<TokioAdapter<TcpStream>>>,
) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("ws://{}/", listener.local_addr().unwrap());
    let accepted = async move {
        let (socket, _) = listener.accept().await.unwrap();
        async_tungstenite::tokio::accept_async(socket)
            .await
            .unwrap()
    };
    (address, accepted)
}

/// Accepts one client; on its first command says `messages` and only then answers; then answers each command with its
/// own method, and closes the socket at `Close`.
async fn odd_browser(messages: &'static [&'static str]) -> String {
    let (address, accepted) = server().await;
    tokio::spawn(async move {
        let mut socket = accepted.await;
        let mut messages = messages.iter();
        while let Some(Ok(Message::Text(text))) = socket.next().await {
            let command: Value = serde_json::from_str(&text).unwrap();
            for message in messages.by_ref() {
                socket.send(Message::text(*message)).await.unwrap();
            }
            if command["method"] == "Close" {
                return;
            }
            let answer = match command["method"].as_str().unwrap() {
                "Odd.error" => json!({ "id": command["id"], "error": "just words" }),
                "Odd.refusal" => {
                    json!({ "id": command["id"], "error": { "code": -5, "message": "no", "data": 1 } })
                }
                "Odd.nothing" => json!({ "id": command["id"] }),
                method => {
                    json!({ "id": command["id"], "result": { "method": method }, "future": true })
                }
            };
            socket
                .send(Message::text(answer.to_string()))
                .await
                .unwrap();
        }
    });
    address
}

#[tokio::test]
async fn what_cannot_be_read_is_skipped() {
    let address = odd_browser(&[
        "",
        "not JSON",
        "[]",
        "null",
        "{}",
        r#"{"id":"seven","result":{}}"#,
        r#"{"id":-1,"result":{}}"#,
        r#"{"id":99999,"result":{}}"#,
        r#"{"method":5,"params":{}}"#,
        r#"{"method":"Future.event","params":{"kind":"neverSeen"},"sessionId":"S","more":[]}"#,
        r#"{"method":"Bare"}"#,
    ])
    .await;
    let browser = Browser::connect(&address).await.unwrap();
    let protocol = browser.protocol();
    let mut events = protocol.events();
    assert_eq!(
        protocol.send(None, "A.b", json!({})).await.unwrap(),
        json!({ "method": "A.b" })
    );
    let event = events.next().await.unwrap();
    assert_eq!(
        (event.method.as_str(), event.text("/kind")),
        ("Future.event", "neverSeen")
    );
    assert_eq!(event.session.unwrap().0, "S");
    assert_eq!(events.next().await.unwrap().method, "Bare");
    let odd = protocol
        .send(None, "Odd.error", json!({}))
        .await
        .unwrap_err();
    assert!(
        matches!(&odd, ProtocolError::Malformed { method, .. } if method == "Odd.error"),
        "{odd:?}"
    );
    let refused = protocol
        .send(None, "Odd.refusal", json!({}))
        .await
        .unwrap_err();
    let expected = ProtocolError::Refused {
        method: "Odd.refusal".into(),
        code: -5,
        message: "no".into(),
    };
    assert_eq!(refused, expected);
    assert_eq!(
        protocol.send(None, "Odd.nothing", json!({})).await.unwrap(),
        json!({})
    );
}

#[tokio::test]
async fn a_lost_socket_answers_what_waits_and_what_comes_later() {
    let address = odd_browser(&[]).await;
    let browser = Browser::connect(&address).await.unwrap();
    let protocol = browser.protocol();
    let mut events = protocol.events();
    let limit = Duration::from_secs(20);
    let waiting = tokio::time::timeout(limit, protocol.send(None, "Close", json!({})))
        .await
        .unwrap();
    assert!(
        matches!(waiting, Err(ProtocolError::ConnectionLost { .. })),
        "{waiting:?}"
    );
    assert!(events.next().await.is_none());
    let later = tokio::time::timeout(limit, protocol.send(None, "A.b", json!({})))
        .await
        .unwrap();
    assert_eq!(later, waiting);
}

#[tokio::test]
async fn commands_are_sent_in_the_order_of_the_calls_even_if_nobody_waits() {
    let address = odd_browser(&[]).await;
    let browser = Browser::connect(&address).await.unwrap();
    let protocol = browser.protocol();
    drop(protocol.send(None, "Close", json!({})));
    let after = protocol.send(None, "A.b", json!({})).await;
    assert!(
        matches!(after, Err(ProtocolError::ConnectionLost { .. })),
        "{after:?}"
    );
}

/// A command need not wait for the answer to the one before: otherwise what is sent at once takes as long as one after
/// the other.
#[tokio::test]
async fn commands_are_sent_before_the_ones_before_them_are_answered() {
    const COMMANDS: usize = 20;
    let (address, accepted) = server().await;
    tokio::spawn(async move {
        let mut socket = accepted.await;
        let mut ids = Vec::new();
        while let Some(Ok(Message::Text(text))) = socket.next().await {
            let command: Value = serde_json::from_str(&text).unwrap();
            ids.push(command["id"].clone());
            if ids.len() == COMMANDS {
                for id in ids.drain(..) {
                    let answer = json!({ "id": id, "result": {} }).to_string();
                    socket.send(Message::text(answer)).await.unwrap();
                }
            }
        }
    });
    let browser = Browser::connect(&address).await.unwrap();
    let protocol = browser.protocol();
    for _ in 0..3 {
        let sent = (0..COMMANDS).map(|_| protocol.send(None, "A.b", json!({})));
        let answers = futures::future::join_all(sent);
        let answers = tokio::time::timeout(Duration::from_secs(5), answers).await;
        assert!(
            answers.expect("all are sent").iter().all(Result::is_ok),
            "they wait for each other"
        );
    }
}

#[tokio::test]
async fn a_browser_that_wants_an_encrypted_socket_is_refused_before_anything_is_sent() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap();
    let body = json!({ "webSocketDebuggerUrl": format!("wss://{host}/devtools/browser/x") });
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let answer = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        socket.write_all(answer.as_bytes()).await.unwrap();
        // Who comes a second time is not let in.
        drop(listener);
        let mut request = Vec::new();
        socket.read_to_end(&mut request).await.unwrap();
    });
    let Err(error) = Browser::connect(&format!("http://{host}")).await else {
        panic!("there is no TLS")
    };
    assert!(error.to_string().contains("TLS"), "{error}");
}

/// What a page can do by the million is one event to a listener that only counts it, and none to others.
#[tokio::test]
async fn a_flood_takes_no_memory_of_who_does_not_read_it() {
    const LINES: u64 = 200_000;
    let (address, accepted) = server().await;
    tokio::spawn(async move {
        let mut socket = accepted.await;
        while let Some(Ok(Message::Text(text))) = socket.next().await {
            let command: Value = serde_json::from_str(&text).unwrap();
            let line = json!({ "method": "Log.line", "sessionId": "S", "params": { "text": "x".repeat(100) } });
            let line = line.to_string();
            for _ in 0..LINES {
                socket.feed(Message::text(line.as_str())).await.unwrap();
            }
            let end = json!({ "method": "Log.end", "params": {} }).to_string();
            socket.send(Message::text(end)).await.unwrap();
            let answer = json!({ "id": command["id"], "result": {} }).to_string();
            socket.send(Message::text(answer)).await.unwrap();
        }
    });
    let browser = Browser::connect(&address).await.unwrap();
    let protocol = browser.protocol();
    let both = Wanted::of(SessionFilter::Every, &["Log.line", "Log.end"]).counting(&["Log.line"]);
    let mut counted = protocol.events_of(both);
    let mut ends = protocol.events_of(Wanted::of(SessionFilter::Browser, &["Log.end"]));
    let other = SessionId("T".to_owned());
    let mut of_other = protocol.events_of(Wanted::of(&other, &["Log.line", "Log.end"]));
    protocol.send(None, "A.b", json!({})).await.unwrap();
    let lines = counted.next().await.unwrap();
    assert_eq!((lines.method.as_str(), lines.times), ("Log.line", LINES));
    assert!(lines.params.is_null());
    assert_eq!(counted.next().await.unwrap().method, "Log.end");
    assert_eq!(ends.next().await.unwrap().method, "Log.end");
    assert!(of_other.next().now_or_never().is_none());
}
