//! One browser serves one test after the other, and what becomes of it is told.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, Purpose};
use serde_json::{Value, json};
use tempfile::TempDir;
use test_support::browsers::keeper::IDLE;
use test_support::browsers::{address, browser};

const LIMIT: Duration = Duration::from_secs(60);

/// A keeper of a place of its own, and the address that it printed.
struct Keeper {
    process: Child,
    address: String,
    folder: TempDir,
}

impl Keeper {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_keep-test-browser"))
            .arg(folder.path())
            .args(["worker", "pages"])
            // Its browser's profile is found by the folder.
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        Self {
            process,
            address: line.trim().to_owned(),
            folder,
        }
    }

    fn file(&self, kind: &str) -> PathBuf {
        self.folder.path().join(format!("worker-pages.{kind}"))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The processes whose command line names `path`.
fn processes_of(path: &Path) -> Vec<u32> {
    let path = path.to_str().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let of_path = processes.filter_map(|entry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(&format!("--user-data-dir={path}"))
            .then_some(number)
    });
    of_path.collect()
}

/// Looks until it is so.
fn soon(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < LIMIT, "{what}: not within {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

async fn tabs(browser: &Browser) -> Vec<Value> {
    let protocol = browser.protocol();
    let targets = protocol.send(None, "Target.getTargets", json!({})).await;
    let targets = targets.unwrap()["targetInfos"].as_array().unwrap().clone();
    targets
        .into_iter()
        .filter(|target| target["type"] == "page")
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_finds_the_browser_of_the_one_before_and_nothing_that_it_did() {
    let first = browser(Purpose::Pages).await.unwrap();
    let protocol = first.protocol();
    let ends = json!({ "disposeOnDetach": true });
    let context = protocol.send(None, "Target.createBrowserContext", ends);
    let context = context.await.unwrap()["browserContextId"].clone();
    let mine = format!("about:blank#{}", std::process::id());
    let tab = json!({ "url": mine, "browserContextId": context });
    protocol
        .send(None, "Target.createTarget", tab)
        .await
        .unwrap();
    let is_mine = |tab: &Value| tab["url"] == mine.as_str();
    assert!(tabs(&first).await.iter().any(is_mine));
    let (authority, pid) = (first.authority().to_owned(), first.pid());
    first.close().await;
    let second = browser(Purpose::Pages).await.unwrap();
    assert_eq!(second.authority(), authority);
    assert_eq!(
        address(Purpose::Pages),
        Some(format!("http://{authority}")),
        "as --connect takes it"
    );
    assert_eq!(pid, None, "it is not the test's to end");
    let start = Instant::now();
    while tabs(&second).await.iter().any(is_mine) {
        assert!(start.elapsed() < LIMIT, "its context is still there");
    }
    second.close().await;
}

#[test]
fn an_unused_browser_ends_and_leaves_nothing() {
    let mut keeper = Keeper::start();
    let started = Instant::now();
    let told = std::fs::read_to_string(keeper.file("address")).unwrap();
    assert_eq!(told, keeper.address);
    let used = std::fs::File::create(keeper.file("in-use")).unwrap();
    used.lock_shared().unwrap();
    assert!(!processes_of(keeper.folder.path()).is_empty());
    // It is used for longer than it may be unused.
    soon("the time", || started.elapsed() > IDLE);
    assert!(keeper.process.try_wait().unwrap().is_none());
    drop(used);
    let status = keeper.process.wait().unwrap();
    assert!(status.success(), "{status}");
    assert!(started.elapsed() >= IDLE);
    assert!(!keeper.file("address").exists());
    assert!(!keeper.file("ended").exists());
    let left = processes_of(keeper.folder.path());
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_browser_that_is_killed_is_told_of() {
    let mut keeper = Keeper::start();
    let processes = processes_of(keeper.folder.path());
    let browser = processes.iter().min().unwrap().to_string();
    let killed = Command::new("kill").args(["-s", "KILL", &browser]).status();
    assert!(killed.unwrap().success());
    let status = keeper.process.wait().unwrap();
    assert_eq!(status.code(), Some(1));
    let how = std::fs::read_to_string(keeper.file("ended")).unwrap();
    assert!(how.contains("signal: 9"), "{how}");
    soon("nothing is left", || {
        processes_of(keeper.folder.path()).is_empty()
    });
}

#[test]
fn a_keeper_that_is_killed_leaves_no_browser() {
    let mut keeper = Keeper::start();
    assert!(!processes_of(keeper.folder.path()).is_empty());
    keeper.process.kill().unwrap();
    keeper.process.wait().unwrap();
    soon("nothing is left", || {
        processes_of(keeper.folder.path()).is_empty()
    });
}

#[test]
fn wrong_use_is_said() {
    let ran = Command::new(env!("CARGO_BIN_EXE_keep-test-browser"))
        .args(["folder", "worker", "window"])
        .stderr(Stdio::piped())
        .spawn();
    let mut ran = ran.unwrap();
    let mut said = String::new();
    let mut errors = ran.stderr.take().unwrap();
    errors.read_to_string(&mut said).unwrap();
    assert_eq!(ran.wait().unwrap().code(), Some(2));
    assert!(said.contains("pages|everything"), "{said}");
}
