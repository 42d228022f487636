//! A page that logs without end does not fill our memory while nobody reads what it tells.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use crate::support::{browser, page};
use cdp_driver::protocol::generated::runtime::Evaluate;

/// What this process holds, in MiB.
fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
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
