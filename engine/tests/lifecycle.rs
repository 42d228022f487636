//! The browser comes and goes: nothing of it stays however we end, and each way of losing it is a typed error.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support::{LIMIT, data_url, own_browser, page, serve, value};
use cdp_driver::BrowserError;
use cdp_driver::native::{Browser, LaunchOptions, TokioClock};
use cdp_driver::protocol::ProtocolError;
use cdp_driver::protocol::generated as cdp;
use engine::EngineError;
use engine::page::Page;
use futures::StreamExt;
use serde_json::json;

/// The processes whose command line names `folder`, apart from the watchdog.
fn processes_of(folder: &Path) -> Vec<String> {
    let wanted = folder.display().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(&wanted) && !line.contains("querypoint-watchdog") {
            found.push(line);
        }
    }
    found
}

/// Nothing lives and the folder is gone, at once or – for the cases that nobody waits for – soon.
fn assert_nothing_left(folder: &Path, within: Duration) {
    let deadline = Instant::now() + within;
    loop {
        let (alive, exists) = (processes_of(folder), folder.exists());
        if alive.is_empty() && !exists {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "{} exists: {exists}, alive: {alive:#?}",
            folder.display()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn folder_of(browser: &Browser) -> PathBuf {
    browser.folder().unwrap().to_owned()
}

/// Runs the example, does something to it, and checks that nothing of its browser stays.
fn ends_badly(how: &str, then: impl FnOnce(u32)) -> std::process::ExitStatus {
    // Test programs are in target/debug/deps, examples beside that folder.
    let example = std::env::current_exe()
        .unwrap()
        .parent()
        .unwrap()
        .with_file_name("examples")
        .join("ends_badly");
    let mut child = Command::new(example)
        .arg(how)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut folder = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut folder)
        .unwrap();
    let folder = PathBuf::from(folder.trim());
    assert!(folder.is_absolute(), "{how}: it started no browser");
    then(child.id());
    let status = child.wait().unwrap();
    assert_nothing_left(&folder, Duration::from_secs(20));
    status
}

fn kill(signal: &str, pid: u32) {
    assert!(
        Command::new("kill")
            .args(["-s", signal, &pid.to_string()])
            .status()
            .unwrap()
            .success()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn close_and_drop_leave_nothing() {
    for close in [true, false] {
        let browser = own_browser().await;
        let page = page(&browser).await;
        page.navigate(&data_url("<p>x"), LIMIT).await.unwrap();
        let folder = folder_of(&browser);
        assert!(!processes_of(&folder).is_empty() && folder.join("profile").exists());
        if close {
            browser.close().await;
        } else {
            drop(browser);
        }
        assert_nothing_left(&folder, Duration::ZERO);
    }
}

#[test]
fn a_panic_leaves_nothing() {
    assert_eq!(ends_badly("panic", |_| {}).code(), Some(101));
}

#[test]
fn exit_and_abort_leave_nothing() {
    assert_eq!(ends_badly("exit", |_| {}).code(), Some(3));
    assert_eq!(ends_badly("abort", |_| {}).code(), None);
}

#[test]
fn signals_leave_nothing() {
    for signal in ["INT", "TERM", "KILL"] {
        assert_eq!(
            ends_badly("wait", |pid| kill(signal, pid)).code(),
            None,
            "{signal}"
        );
    }
}

#[test]
fn an_interrupt_that_is_handled_closes_first() {
    // The handlers are there a moment after the folder is printed; until then the signal ends it the hard way.
    let status = ends_badly("interrupt", |pid| {
        let handled = || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let caught = status
                .lines()
                .find_map(|line| line.strip_prefix("SigCgt:"))
                .unwrap_or("0")
                .trim();
            u64::from_str_radix(caught, 16).unwrap_or(0) & 0b10 != 0
        };
        let deadline = Instant::now() + Duration::from_secs(20);
        while !handled() {
            assert!(Instant::now() < deadline, "it handles no interrupt");
            std::thread::yield_now();
        }
        kill("INT", pid);
    });
    assert_eq!(status.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_is_killed_answers_everything_with_its_exit() {
    let browser = own_browser().await;
    let folder = folder_of(&browser);
    let page = page(&browser).await;
    let protocol = browser.protocol();
    let mut events = protocol.events();
    let never = page.send(
        cdp::runtime::Evaluate::METHOD,
        json!({ "expression": "new Promise(() => {})", "awaitPromise": true }),
    );
    kill("KILL", browser.pid().unwrap());
    let is_exit = |error: &ProtocolError| matches!(error, ProtocolError::BrowserExited { status, .. } if status.contains("SIGKILL"));
    let error = tokio::time::timeout(LIMIT, never)
        .await
        .unwrap()
        .unwrap_err();
    assert!(is_exit(&error), "{error:?}");
    while tokio::time::timeout(LIMIT, events.next())
        .await
        .unwrap()
        .is_some()
    {}
    let error = tokio::time::timeout(
        LIMIT,
        protocol.send(None, cdp::browser::GetVersion::METHOD, json!({})),
    )
    .await
    .unwrap();
    assert!(is_exit(&error.unwrap_err()));
    assert!(protocol.events().next().await.is_none());
    let error = page.navigate("about:blank", LIMIT).await.unwrap_err();
    assert!(
        matches!(&error, EngineError::Protocol(error) if is_exit(error)),
        "{error:?}"
    );
    assert!(error.is_fatal(), "{error:?}");
    drop(page);
    browser.close().await;
    assert_nothing_left(&folder, Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crashed_tab_is_typed_and_leaves_the_others_alone() {
    let browser = own_browser().await;
    let page = page(&browser).await;
    let other = crate::support::page(&browser).await;
    page.navigate(&data_url("<p>x"), LIMIT).await.unwrap();
    let never = page.send(
        cdp::runtime::Evaluate::METHOD,
        json!({ "expression": "new Promise(() => {})", "awaitPromise": true }),
    );
    let (crash, never) = futures::join!(page.navigate("chrome://crash", LIMIT), never);
    for error in [crash.unwrap_err(), never.unwrap_err().into()] {
        assert!(
            matches!(
                &error,
                EngineError::Protocol(ProtocolError::TargetCrashed { .. })
            ),
            "{error:?}"
        );
        assert!(error.is_fatal());
    }
    let later = page
        .send(cdp::runtime::Evaluate::METHOD, json!({ "expression": "1" }))
        .await
        .unwrap_err();
    assert!(
        matches!(later, ProtocolError::TargetCrashed { .. }),
        "{later:?}"
    );
    assert_eq!(value(&other, "1 + 1").await, json!(2));
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_is_closed_is_typed() {
    let browser = own_browser().await;
    let page = page(&browser).await;
    let never = page.send(
        cdp::runtime::Evaluate::METHOD,
        json!({ "expression": "new Promise(() => {})", "awaitPromise": true }),
    );
    let close = browser.protocol();
    let params = json!({ "targetId": page.target_id() });
    let (closed, never) = futures::join!(
        close.send(None, cdp::target::CloseTarget::METHOD, params),
        never
    );
    closed.unwrap();
    // The browser itself may be the first to say so.
    let error = never.unwrap_err();
    let closed = matches!(&error, ProtocolError::SessionClosed { .. })
        || matches!(&error, ProtocolError::Refused { message, .. } if message.contains("closed"));
    assert!(closed, "{error:?}");
    let error = page.navigate("about:blank", LIMIT).await.unwrap_err();
    assert!(
        matches!(
            &error,
            EngineError::Protocol(ProtocolError::SessionClosed { .. })
        ),
        "{error:?}"
    );
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connected_browser_is_left_as_it_was() {
    let ours = own_browser().await;
    let port =
        std::fs::read_to_string(ours.folder().unwrap().join("profile/DevToolsActivePort")).unwrap();
    let address = format!("http://127.0.0.1:{}", port.lines().next().unwrap());
    let contexts = async |browser: &Browser| {
        let result = browser
            .protocol()
            .send(None, cdp::target::GetBrowserContexts::METHOD, json!({}))
            .await
            .unwrap();
        result["browserContextIds"].as_array().unwrap().len()
    };
    let before = contexts(&ours).await;
    // Three ways to go: disposed, dropped, and cut off.
    let guest = Browser::connect(&address).await.unwrap();
    assert!(guest.pid().is_none());
    page(&guest).await.dispose().await.unwrap();
    let dropped = page(&guest).await;
    let cut_off = page(&guest).await;
    assert_eq!(value(&cut_off, "2").await, json!(2));
    drop(dropped);
    let deadline = Instant::now() + LIMIT;
    // What one connection asks for and what another one sees have no order.
    while contexts(&ours).await != before + 1 {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    // The socket closes, whoever holds the connection, and the browser disposes the context itself.
    let held = guest.protocol();
    drop(guest);
    let deadline = Instant::now() + LIMIT;
    while contexts(&ours).await != before {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    let lost = held
        .send(None, cdp::browser::GetVersion::METHOD, json!({}))
        .await;
    assert!(
        matches!(lost, Err(ProtocolError::ConnectionLost { .. })),
        "{lost:?}"
    );
    drop(cut_off);
    assert_eq!(value(&page(&ours).await, "3").await, json!(3));
    ours.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn loads_are_told_apart() {
    let origin = serve(&[
        (
            "/",
            200,
            "text/html",
            "<script>new Worker('/w.js')</script><iframe src='/inner'></iframe>",
        ),
        ("/w.js", 200, "text/javascript", "postMessage(1)"),
        ("/inner", 200, "text/html", "inner"),
        (
            "/moved",
            200,
            "text/html",
            "<script>location.replace('/gone')</script>",
        ),
    ])
    .await;
    let browser = own_browser().await;
    let page = page(&browser).await;
    let loaded = page.navigate(&format!("{origin}/"), LIMIT).await.unwrap();
    assert_eq!(
        (loaded.url, loaded.status),
        (format!("{origin}/"), Some(200))
    );
    let workers = page.wait_for_child("worker", LIMIT).await.unwrap();
    assert_eq!(workers.url, format!("{origin}/w.js"));
    let loaded = page
        .navigate(&format!("{origin}/missing"), LIMIT)
        .await
        .unwrap();
    assert_eq!(loaded.status, Some(404));
    let loaded = page
        .navigate(&format!("{origin}/missing#part"), LIMIT)
        .await
        .unwrap();
    assert!(loaded.url.ends_with("#part"));
    page.navigate(&format!("{origin}/moved"), LIMIT)
        .await
        .unwrap();
    assert!(page.url().ends_with("/gone") || page.url().ends_with("/moved"));
    for (url, why) in [
        ("http://127.0.0.1:1/", "net::ERR_"),
        ("http://no.invalid/", "net::ERR_NAME_NOT_RESOLVED"),
        ("nonsense", "invalid URL"),
    ] {
        let error = page.navigate(url, LIMIT).await.unwrap_err();
        assert!(error.to_string().contains(why), "{url}: {error:?}");
    }
    let error = page
        .navigate(&format!("{origin}/slow/x"), Duration::from_millis(20))
        .await
        .unwrap_err();
    assert!(
        matches!(error, EngineError::TimedOut { after_ms: 20, .. }),
        "{error:?}"
    );
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_browsers_do_not_meet() {
    let one = async || {
        let browser = own_browser().await;
        let page = Page::open(browser.protocol(), Arc::new(TokioClock::new()))
            .await
            .unwrap();
        let seen = value(&page, "navigator.webdriver").await;
        let folder = folder_of(&browser);
        browser.close().await;
        (seen, folder)
    };
    let ((_, a), (_, b)) = futures::join!(one(), one());
    assert_ne!(a, b);
    assert_nothing_left(&a, Duration::ZERO);
    assert_nothing_left(&b, Duration::ZERO);
}

#[tokio::test]
async fn a_browser_that_is_none_is_named() {
    let options = LaunchOptions {
        executable: Some("/bin/false".into()),
        ..LaunchOptions::default()
    };
    let error = Browser::launch(options).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::NotStarted { why, .. } if why.contains("exit status: 1")),
        "{error:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_elsewhere_is_seen() {
    let worker = "new Worker('/nested.js'); self.onmessage = () => 0";
    let origin = serve(&[
        ("/w.js", 200, "text/javascript", worker),
        ("/nested.js", 200, "text/javascript", "0"),
        ("/sw.js", 200, "text/javascript", "0"),
        ("/far", 200, "text/html", "far"),
        ("/popup", 200, "text/html", "popup"),
    ])
    .await;
    // Another host name is another site, so its frame runs in a process of its own.
    let far = origin.replace("127.0.0.1", "localhost");
    let html = format!(
        "<script>new Worker('/w.js'); navigator.serviceWorker.register('/sw.js'); new SharedWorker('/nested.js')</script>
         <iframe src='{far}/far'></iframe>"
    );
    let home = serve(&[
        ("/", 200, "text/html", &html),
        ("/w.js", 200, "text/javascript", worker),
        ("/nested.js", 200, "text/javascript", "0"),
        ("/sw.js", 200, "text/javascript", "0"),
        ("/popup", 200, "text/html", "popup"),
    ])
    .await;
    let browser = own_browser().await;
    let page = page(&browser).await;
    page.navigate(&format!("{home}/"), LIMIT).await.unwrap();
    let open = json!({ "expression": "void window.open('/popup')", "userGesture": true });
    page.send(cdp::runtime::Evaluate::METHOD, open)
        .await
        .unwrap();
    for (kind, url) in [
        ("worker", format!("{home}/w.js")),
        ("iframe", format!("{far}/far")),
        ("popup", format!("{home}/popup")),
        ("service_worker", format!("{home}/sw.js")),
    ] {
        let child = page.wait_for_child(kind, LIMIT).await;
        let child = child
            .unwrap_or_else(|error| panic!("{kind}: {error}; seen: {:#?}", page.child_targets()));
        // A frame is attached before it is anywhere.
        assert!(
            child.url == url || child.url.is_empty(),
            "{kind}: {child:?}"
        );
    }
    let deadline = Instant::now() + LIMIT;
    while !page
        .child_targets()
        .iter()
        .any(|child| child.kind == "worker" && child.url.ends_with("/nested.js"))
    {
        assert!(Instant::now() < deadline, "{:#?}", page.child_targets());
        tokio::task::yield_now().await;
    }
    browser.close().await;
}

/// While a page is recorded the tabs that it opens wait for us; afterwards nobody's do.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_recording_the_browser_is_as_it_was() {
    use engine::record::{Ended, RecordOptions, record};
    use recording::Live;

    let browser = own_browser().await;
    let contexts = async || {
        let protocol = browser.protocol();
        let contexts = protocol.send(None, cdp::target::GetBrowserContexts::METHOD, json!({}));
        let contexts = contexts.await.unwrap()["browserContextIds"].take();
        contexts.as_array().unwrap().len()
    };
    let before = contexts().await;
    let options = |page: String| RecordOptions {
        page,
        in_open_tab: false,
        title: String::new(),
        viewport: None,
        with_secrets: false,
        live: Live::default(),
        served: None,
    };
    for (url, is_there) in [
        (data_url("<p>here"), true),
        ("http://127.0.0.1:1/".to_owned(), false),
    ] {
        let clock = Arc::new(TokioClock::new());
        let enough = std::future::ready(());
        let options = options(url);
        let mut seen = |_: usize, _: &_| ();
        let recorded = record(browser.protocol(), clock, &options, enough, &mut seen);
        let recorded = recorded.await;
        assert_eq!(recorded.is_ok(), is_there, "{recorded:?}");
        if let Ok(recorded) = recorded {
            assert_eq!(recorded.ended, Ended::Asked);
        }
        let page = page(&browser).await;
        page.navigate(&data_url("<title>another</title>"), LIMIT)
            .await
            .unwrap();
        page.dispose().await.unwrap();
        assert_eq!(contexts().await, before);
    }
    browser.close().await;
}
