//! A page that logs, throws or loads without end does not fill our memory, nor does another one beside it.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::sync::Arc;

use crate::support::{LIMIT, browser, page, serve};
use cdp_driver::native::TokioClock;
use cdp_driver::protocol::generated::runtime::Evaluate;
use engine::ask::{AskRequest, ask};
use querypoint::answer::Status;
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;

/// What this process holds, in MiB.
fn resident_mib() -> u64 {
    mib("VmRSS:")
}

/// The most that it has held.
fn peak_mib() -> u64 {
    mib("VmHWM:")
}

fn mib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib / 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_logs_by_the_hundred_thousand_takes_no_memory() {
    // Each is told with its argument and its stack: more than 500 bytes on the wire.
    const LINES: usize = 100_000;
    let browser = browser().await;
    let page = page(&browser).await;
    let before = resident_mib();
    let logs = format!(
        "(async () => {{ const text = 'x'.repeat(400);\n\
         for (let line = 0; line < {LINES}; line++) {{\n\
         console.log(text, line); if (line % 500 === 0) await new Promise(setTimeout); }} }})()"
    );
    let evaluate = Evaluate {
        await_promise: Some(true),
        ..Evaluate::new(logs)
    };
    // Nobody reads the page's events meanwhile.
    page.call(&evaluate).await.unwrap();
    let grown = resident_mib().saturating_sub(before);
    assert!(grown < 40, "{grown} MiB more");
    page.dispose().await.unwrap();
    browser.close().await;
}

/// Requests are not only counted: each waits for the page that listens to it, and for no other.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_page_loads_by_the_ten_thousand_waits_for_nobody() {
    const REQUESTS: usize = 10_000;
    let browser = browser().await;
    let (idle, busy) = (page(&browser).await, page(&browser).await);
    let loads = format!(
        "(async () => {{ const text = 'x'.repeat(1000);\n\
         for (let number = 0; number < {REQUESTS}; number++) await fetch(`data:,${{text}}${{number}}`); }})()"
    );
    let evaluate = Evaluate {
        await_promise: Some(true),
        ..Evaluate::new(loads)
    };
    let before = resident_mib();
    // What the one that loads says is read as it comes; nobody reads the other's.
    busy.drive(busy.call(&evaluate)).await.unwrap();
    let grown = resident_mib().saturating_sub(before);
    assert!(grown < 40, "{grown} MiB more");
    assert_eq!(idle.requests_in_flight(), 0);
    busy.dispose().await.unwrap();
    idle.dispose().await.unwrap();
    browser.close().await;
}

/// The browser counts what runs, and the exceptions that nothing caught may say why a line did not.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_throws_by_the_ten_thousand_takes_no_memory() {
    // Each is told twice with its text: about 20 KB.
    const THROWN: usize = 10_000;
    let html = format!(
        "<script>\n\
         const text = 'x'.repeat(10_000);\n\
         for (let line = 0; line < {THROWN}; line++) reportError(new Error(text));\n\
         if (text === '') {{\n\
         document.title = text;\n\
         }}\n\
         </script>"
    );
    let kind = "text/html; charset=utf-8";
    let origin = serve(&[("/page.html", 200, kind, html.as_str())]).await;
    let query = Query::parse("whyNot(page.html:5)").unwrap();
    let request = AskRequest::new(
        format!("{origin}/page.html"),
        ReproductionPoint::parse("end").unwrap(),
        DependencyGraph::new(vec![query]).unwrap(),
        LIMIT,
    );
    let browser = browser().await;
    let clock = Arc::new(TokioClock::new());
    let before = resident_mib();
    let answer = ask(browser.protocol(), clock, &request, &mut |_| {})
        .await
        .unwrap();
    let grown = peak_mib().saturating_sub(before);
    assert_eq!(answer.points[1].status, Status::Found, "{answer:?}");
    // A thousand of them may wait to be read.
    assert!(grown < 150, "{grown} MiB more");
    browser.close().await;
}
