//! The browser, the tab and the network are lost at every step of a replay: it is done again, or there is a typed
//! error. It never hangs, and nothing is left behind.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use parking_lot::{Condvar, Mutex};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::loopback::*;
use cdp_driver::native::{Browser, LaunchOptions};
use serde_json::{Value, json};
use test_support::server::{Answer, Server};
use tokio::sync::watch;

/// Each step of the user asks the server, and is over when it has answered.
const PAGE: &str =
    "<!doctype html><title>steps</title><button id=press>press</button><input id=name>
<script>
let count = 0;
async function step() {
  const number = ++count;
  await fetch('/step/' + number);
  document.body.insertAdjacentHTML('beforeend', `<i id=done${number}>done</i>`);
}
press.onclick = step;
document.getElementById('name').addEventListener('input', step, { once: true });
addEventListener('keydown', (event) => { if (event.key === 'F9') step(); });
addEventListener('wheel', step, { once: true });
</script>";
/// The page itself, and the four steps on it.
const STEPS: usize = 5;
/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(60);

fn recording(folder: &Folder, url: &str) -> PathBuf {
    let over =
        json!({ "selectors": [["body"]], "offsetX": 5, "offsetY": 5, "deltaX": 0, "deltaY": 50 });
    let steps = [
        json!({ "type": "click", "selectors": [["#press"]], "offsetX": 5, "offsetY": 5 }),
        json!({ "type": "change", "selectors": [["#name"]], "value": "Ada" }),
        json!({ "type": "keyDown", "key": "F9" }),
        json!({ "type": "customStep", "name": "querypoint/wheel", "parameters": over }),
    ];
    let done = (1..STEPS).map(
        |number| json!({ "type": "waitForElement", "selectors": [[format!("#done{number}")]], "timeout": 4000 }),
    );
    let mut all = vec![json!({ "type": "navigate", "url": url })];
    all.extend(
        steps
            .into_iter()
            .zip(done)
            .flat_map(|(step, done)| [step, done]),
    );
    folder.file(
        "recording.json",
        &json!({ "title": "steps", "steps": all }).to_string(),
    )
}

/// A server that keeps one request waiting, until it is told to answer or to be lost.
#[derive(Clone)]
struct Gate {
    state: Arc<watch::Sender<BrowserHold>>,
    waiting: Arc<Waiting>,
    _server: Arc<Server>,
}

#[derive(Clone, Copy, Default)]
struct BrowserHold {
    /// Which request waits: 0 the page, then the steps.
    holds: Option<usize>,
    is_lost: bool,
}

/// Whether the request is there that waits.
#[derive(Default)]
struct Waiting(Mutex<bool>, Condvar);

impl Gate {
    fn holding(step: usize) -> (Self, String) {
        let holds = BrowserHold {
            holds: Some(step),
            ..BrowserHold::default()
        };
        let state = Arc::new(watch::Sender::new(holds));
        let waiting = Arc::new(Waiting::default());
        let answering = (state.clone(), waiting.clone());
        let server = Server::start(move |asked| {
            let (state, waiting) = answering.clone();
            answer(state, waiting, asked.path)
        });
        let server = server.unwrap();
        let url = server.url("/");
        let gate = Self {
            state,
            waiting,
            _server: Arc::new(server),
        };
        (gate, url)
    }

    /// Until the replay is at the step.
    fn wait(&self) {
        let Waiting(is_there, changed) = self.waiting.as_ref();
        let mut is_there = is_there.lock();
        let waited = changed.wait_while_for(&mut is_there, |is_there| !*is_there, LIMIT);
        assert!(!waited.timed_out(), "the replay never reached the step");
    }

    /// From now on everything is answered but what waits.
    fn open(&self) {
        self.state.send_modify(|state| state.holds = None);
    }

    /// From now on nothing is answered, and what waits is cut.
    fn lose(&self) {
        self.state.send_modify(|state| state.is_lost = true);
    }
}

async fn answer(
    state: Arc<watch::Sender<BrowserHold>>,
    waiting: Arc<Waiting>,
    path: String,
) -> Option<Answer> {
    let step = path
        .strip_prefix("/step/")
        .map_or(0, |step| step.parse().unwrap());
    let now = *state.borrow();
    if now.holds == Some(step) && (step > 0 || path == "/") && !now.is_lost {
        *waiting.0.lock() = true;
        waiting.1.notify_all();
        let mut lost = state.subscribe();
        let _ = lost.wait_for(|state| state.is_lost).await;
    }
    if state.borrow().is_lost {
        return None;
    }
    match path.as_str() {
        "/" => Some(Answer::new("text/html", PAGE)),
        _ if step > 0 => Some(Answer::new("text/html", "")),
        _ => Some(Answer::missing()),
    }
}

/// A replay that is under way.
struct Replay {
    child: Option<Child>,
    folder: Folder,
    /// Where the recording is.
    _files: Folder,
    recording: PathBuf,
    text: Vec<u8>,
}

impl Replay {
    fn of(url: &str, more: &[&str]) -> Self {
        let folder = Folder::new();
        let files = Folder::new();
        let recording = recording(&files, url);
        let path = recording.to_str().unwrap().to_owned();
        let mut arguments = vec!["replay", &path, "--timeout", "30"];
        arguments.extend(more);
        let child = command(&arguments)
            .env("TMPDIR", &folder.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let text = std::fs::read(&recording).unwrap();
        Self {
            child: Some(child),
            folder,
            _files: files,
            recording,
            text,
        }
    }

    /// How it ended: the status, and what was printed.
    fn ends(mut self) -> (Option<i32>, String) {
        let mut child = self.child.take().unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > LIMIT {
                child.kill().unwrap();
                panic!("it hangs: {:?}", child.wait_with_output());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().unwrap();
        nothing_is_left(&self.folder);
        assert_eq!(std::fs::read(&self.recording).unwrap(), self.text);
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    }
}

#[test]
fn a_browser_that_is_lost_is_said() {
    for step in 0..STEPS {
        let (gate, url) = Gate::holding(step);
        let replay = Replay::of(&url, &[]);
        gate.wait();
        kill_browser_of(&replay.folder);
        let (status, said) = replay.ends();
        assert_eq!(status, Some(4), "at step {step}: {said}");
        assert!(
            said.contains("the browser exited"),
            "at step {step}: {said}"
        );
    }
}

#[test]
fn with_several_runs_a_browser_that_is_lost_is_replaced_and_its_run_done_again() {
    for step in 0..STEPS {
        let (gate, url) = Gate::holding(step);
        let replay = Replay::of(&url, &["--runs", "2", "--jobs", "1"]);
        gate.wait();
        gate.open();
        kill_browser_of(&replay.folder);
        let (status, said) = replay.ends();
        assert_eq!(status, Some(0), "at step {step}: {said}");
        assert!(
            said.contains("2 of 2 replays went as recorded"),
            "at step {step}: {said}"
        );
    }
}

#[test]
fn a_network_that_is_lost_is_a_step_that_cannot_be_done() {
    for step in 0..STEPS {
        let (gate, url) = Gate::holding(step);
        let replay = Replay::of(&url, &[]);
        gate.wait();
        gate.lose();
        let (status, said) = replay.ends();
        assert_eq!(status, Some(4), "at step {step}: {said}");
        let wanted = match step {
            0 => "does not load".to_owned(),
            // The page was gone to, and each step is followed by one that waits for it.
            step => format!("step {} of 9 (", 2 * step + 1),
        };
        assert!(said.contains(&wanted), "at step {step}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_is_lost_is_said_and_the_browser_goes_on() {
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let tabs = async || -> BTreeSet<String> {
        let targets = browser
            .protocol()
            .send(None, "Target.getTargets", json!({}))
            .await
            .unwrap();
        let targets = targets["targetInfos"].as_array().unwrap().clone();
        let is_page = |target: &&Value| target["type"] == "page";
        let number = |target: &Value| target["targetId"].as_str().unwrap().to_owned();
        targets.iter().filter(is_page).map(number).collect()
    };
    let before = tabs().await;
    for step in 0..STEPS {
        let (gate, url) = Gate::holding(step);
        let replay = Replay::of(&url, &["--connect", &address]);
        tokio::task::block_in_place(|| gate.wait());
        for tab in tabs().await.difference(&before) {
            let close = json!({ "targetId": tab });
            browser
                .protocol()
                .send(None, "Target.closeTarget", close)
                .await
                .unwrap();
        }
        let (status, said) = tokio::task::block_in_place(|| replay.ends());
        assert_eq!(status, Some(4), "at step {step}: {said}");
        assert!(
            said.contains("the tab was closed"),
            "at step {step}: {said}"
        );
        assert_eq!(tabs().await, before, "at step {step}");
    }
    // The browser is as good as before.
    let (gate, url) = Gate::holding(0);
    gate.open();
    let (status, said) =
        tokio::task::block_in_place(|| Replay::of(&url, &["--connect", &address]).ends());
    assert_eq!(status, Some(0), "{said}");
    browser.close().await;
}

/// An answer about a page whose script, which writes the value, comes only once: the second execution has no time.
fn unfinished(text: &str) -> Ran {
    let second = Reply {
        hangs_from: Some(1),
        ..script(text)
    };
    let site = Site::new(&[
        ("/", page("<script src=/second.js></script>")),
        ("/second.js", second),
    ]);
    ask_within(&site.url("/"), "4", &["--twice"])
}

#[test]
fn an_answer_has_what_is_known_when_time_runs_out() {
    let ran = unfinished("probe.value = 2;");
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let answer = ran.answer();
    let point = &answer["points"][1];
    assert_eq!(place(&answer), "found second.js:1:1", "{answer:#}");
    assert_eq!(
        (&point["new"]["text"], &point["old"]),
        (&json!("2"), &Value::Null)
    );
    assert_eq!(point["note"], "there was no time to read the state there");
    assert_eq!(point["stack"][0]["line"], 1, "{answer:#}");
    assert_eq!(answer["consistency"]["agrees"], false);
    let notes = answer["consistency"]["notes"].to_string();
    assert!(
        notes.contains("no answer yet from") && notes.contains("--timeout SECONDS"),
        "{answer:#}"
    );
}

#[test]
fn a_change_whose_line_is_not_known_when_time_runs_out_is_no_answer() {
    let ran = unfinished("Object.assign(probe, { value: 2 });");
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    let answer = ran.answer();
    let point = &answer["points"][1];
    assert_eq!(point["status"], "blind", "{answer:#}");
    assert_eq!(
        point["note"],
        "written by Object.assign; there was no time to find out at which line"
    );
    assert_eq!(point["value"]["text"], "2");
}
