//! Work of `app` that a front end cancels, as a server does that has no signals: what was started for it is gone.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::browser::BrowserOptions;
use app::cancelling::{Cancellation, Canceller};
use app::failure::Failure;
use app::progress::Reporter;
use app::recording_session::{RecordRequest, record_page};
use app::replay::{Repetitions, ReplayRequest, replay_once, replay_repeatedly};
use cdp_driver::native::{Purpose, find_browser};
use engine::record::Ended;
use engine::replay::Speed;
use recording::Live;
use serde_json::{Value, json};

use crate::loopback::*;

/// Longer than any test is patient.
const NEVER: Duration = Duration::from_secs(600);

/// Cancels as soon as a stage begins whose text holds this.
struct CancelsAt {
    text: &'static str,
    canceller: Canceller,
    stages: Vec<String>,
}

impl CancelsAt {
    fn new(text: &'static str) -> (Self, Cancellation) {
        let (canceller, cancellation) = Cancellation::by_request();
        let stages = Vec::new();
        let reporter = Self {
            text,
            canceller,
            stages,
        };
        (reporter, cancellation)
    }
}

impl Reporter for CancelsAt {
    fn stage(&mut self, stage: &str) {
        self.stages.push(stage.to_owned());
        if stage.contains(self.text) {
            self.canceller.cancel();
        }
    }

    fn part(&mut self, stage: &str, _: usize, _: usize) {
        self.stage(stage);
    }

    fn advance(&mut self, _: usize, _: usize) {}

    fn note(&mut self, _: &str) {}
}

/// A browser that leaves its process's number in a file.
struct Marked {
    folder: Folder,
    options: BrowserOptions,
}

impl Marked {
    fn new() -> Self {
        let folder = Folder::new();
        let browser = find_browser(None, Purpose::Pages).unwrap();
        let script = folder.0.join("browser");
        let numbers = folder.0.join("numbers");
        let text = format!(
            "#!/bin/sh\necho $$ >> '{}'\nexec '{}' \"$@\"\n",
            numbers.display(),
            browser.display()
        );
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, Permissions::from_mode(0o700)).unwrap();
        let options = BrowserOptions {
            executable: Some(script),
            connect: Vec::new(),
            headed: false,
            user: None,
            timeout: NEVER,
        };
        Self { folder, options }
    }

    /// The processes that were started, and those of them that are still there.
    fn started_and_left(&self) -> (usize, Vec<String>) {
        let numbers = fs::read_to_string(self.folder.0.join("numbers")).unwrap();
        let numbers: Vec<&str> = numbers.lines().collect();
        let is_left = |number: &&&str| Path::new("/proc").join(number).exists();
        let left = numbers.iter().filter(is_left).map(|it| (*it).to_owned());
        (numbers.len(), left.collect())
    }
}

/// A recording whose second step waits for what never is there.
fn endless(folder: &Folder, page: &str) -> PathBuf {
    let wait = json!({ "type": "waitForElement", "selectors": [["#never"]], "timeout": 600_000 });
    recording(folder, page, &[wait])
}

fn replayed(recording: &Path) -> ReplayRequest<'_> {
    ReplayRequest {
        recording,
        page: None,
        speed: Speed::Fast,
        live: Live::default(),
    }
}

#[tokio::test]
async fn a_replay_that_is_cancelled_leaves_no_browser() {
    let site = Site::new(&[("/", html("<title>empty</title>"))]);
    let marked = Marked::new();
    let file = endless(&marked.folder, &site.url("/"));
    // Before the browser is there, and at a step that would never end.
    for (text, browsers) in [("starting the browser", 0), ("step 2 of 2", 1)] {
        let _ = fs::remove_file(marked.folder.0.join("numbers"));
        fs::write(marked.folder.0.join("numbers"), "").unwrap();
        let (mut reporter, cancellation) = CancelsAt::new(text);
        let request = replayed(&file);
        let ended = replay_once(&request, &marked.options, &cancellation, &mut reporter).await;
        assert!(
            matches!(ended, Err(Failure::Interrupted)),
            "{ended:?} {:?}",
            reporter.stages
        );
        assert_eq!(marked.started_and_left(), (browsers, Vec::new()), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_replays_that_are_cancelled_leave_no_browsers() {
    let site = Site::new(&[("/", html("<title>empty</title>"))]);
    let marked = Marked::new();
    fs::write(marked.folder.0.join("numbers"), "").unwrap();
    let file = endless(&marked.folder, &site.url("/"));
    let (mut reporter, cancellation) = CancelsAt::new("run 2 of 9");
    let repetitions = Repetitions {
        runs: 9,
        at_once: Some(2),
    };
    let options = &marked.options;
    let request = replayed(&file);
    let ended =
        replay_repeatedly(&request, repetitions, options, &cancellation, &mut reporter).await;
    // None ended, so there is nothing to count.
    assert!(matches!(ended, Err(Failure::Interrupted)), "{ended:?}");
    assert_eq!(marked.started_and_left(), (2, Vec::new()));
}

#[tokio::test]
async fn to_cancel_a_recording_ends_it_well() {
    let site = Site::new(&[("/", html("<title>empty</title>"))]);
    let marked = Marked::new();
    let out = marked.folder.0.join("recording.json");
    let url = site.url("/");
    let address = test_support::browsers::address(Purpose::Pages).unwrap();
    let request = RecordRequest {
        page: &url,
        out: &out,
        title: Some("cancelled"),
        viewport: None,
        with_secrets: false,
        live: Live::default(),
        executable: None,
        connect: Some(&address),
        in_open_tab: false,
    };
    let (mut reporter, cancellation) = CancelsAt::new("recording, until");
    let recorded = record_page(&request, &cancellation, &mut reporter)
        .await
        .unwrap();
    assert_eq!(recorded.ended, Ended::Asked);
    let written: Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(written["title"], "cancelled");
}
