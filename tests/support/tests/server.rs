//! The test server answers as it is told: held back, cut off, without an end.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use test_support::server::{Answer, Asked, Ending, Server};
use tokio::sync::Notify;

/// Long enough for an answer that comes at all.
const LIMIT: Duration = Duration::from_secs(30);

fn asks(server: &Server, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: x\r\nX-Word: héllo\r\nX-Plain: plain\r\nContent-Length: 4\r\n\r\nbody"
    )
    .unwrap();
    stream
}

fn hears(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&bytes)),
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn an_answer_is_what_the_test_says_and_a_request_what_was_sent() {
    let heard = Arc::new(Mutex::new(Vec::<Asked>::new()));
    let hears_in = heard.clone();
    let server = Server::start(move |asked| {
        hears_in.lock().push(asked);
        async {
            let mut answer = Answer::new("text/plain", "yes");
            let more = [("Set-Cookie", "a=1"), ("Set-Cookie", "b=é")];
            let more = more.map(|(name, value)| (name.to_owned(), value.to_owned()));
            answer.headers.extend(more);
            answer.status = 203;
            Some(answer)
        }
    });
    let server = server.unwrap();
    let said = hears(&mut asks(&server, "/a?b=c%20d"));
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    assert_eq!(
        lines.next(),
        Some("HTTP/1.1 203 Non Authoritative Information")
    );
    let mut lines: Vec<&str> = lines.collect();
    lines.sort_unstable();
    let expected = [
        "Connection: close",
        "Content-Length: 3",
        "Content-Type: text/plain",
        "Set-Cookie: a=1",
        "Set-Cookie: b=é",
    ];
    assert_eq!((lines.as_slice(), body), (&expected[..], "yes"));
    assert_eq!(
        server.url("/a"),
        format!("http://127.0.0.1:{}/a", server.port())
    );
    let heard = heard.lock();
    let [asked] = heard.as_slice() else {
        panic!("{heard:?}");
    };
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str()),
        ("POST", "/a?b=c%20d")
    );
    assert_eq!(asked.body, b"body");
    assert_eq!(asked.header("x-plain"), Some("plain"));
    assert_eq!(asked.header("x-missing"), None);
}

#[test]
fn an_answer_is_held_until_it_is_let_go_and_others_pass() {
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    let server = Server::start(move |asked| {
        let held = held.clone();
        async move {
            if asked.path == "/held" {
                held.notified().await;
            }
            Some(Answer::new("text/plain", asked.path))
        }
    });
    let server = server.unwrap();
    let mut held = asks(&server, "/held");
    assert!(hears(&mut asks(&server, "/other")).ends_with("/other"));
    held.set_nonblocking(true).unwrap();
    let early = held.read(&mut [0]);
    assert_eq!(early.unwrap_err().kind(), ErrorKind::WouldBlock);
    held.set_nonblocking(false).unwrap();
    gate.notify_one();
    assert!(hears(&mut held).ends_with("/held"));
}

#[test]
fn an_answer_is_cut_off_or_never_ends() {
    let server = Server::start(|asked| async move {
        let ending = match asked.path.as_str() {
            "/nothing" => return None,
            "/cut" => Ending::CutOff,
            _ => Ending::Never,
        };
        let mut answer = Answer::new("text/plain", "begin");
        answer
            .headers
            .push(("Content-Length".to_owned(), "9".to_owned()));
        answer.ending = ending;
        Some(answer)
    });
    let server = server.unwrap();
    assert_eq!(hears(&mut asks(&server, "/nothing")), "");
    let cut = hears(&mut asks(&server, "/cut"));
    assert!(cut.ends_with("\r\n\r\nbegin"), "{cut}");
    let mut endless = asks(&server, "/endless");
    let mut begun = Vec::new();
    while !begun.ends_with(b"begin") {
        let mut byte = [0];
        endless.read_exact(&mut byte).unwrap();
        begun.extend(byte);
    }
    endless.set_nonblocking(true).unwrap();
    let more = endless.read(&mut [0]);
    assert_eq!(more.unwrap_err().kind(), ErrorKind::WouldBlock);
    // It ends with the server.
    endless.set_nonblocking(false).unwrap();
    drop(server);
    assert_eq!(hears(&mut endless), "");
}
