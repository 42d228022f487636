//! `querypoint replay` in a real browser: exit statuses, and nothing left behind.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder with a page, a recording of these steps, and a folder for temporary files.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new(page: &str, steps: &serde_json::Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("page.html"), page).unwrap();
        let recording = serde_json::json!({ "title": "a test", "steps": steps });
        fs::write(folder.path().join("recording.json"), recording.to_string()).unwrap();
        fs::create_dir(folder.path().join("temporary")).unwrap();
        Self { folder }
    }

    fn temporary(&self) -> PathBuf {
        self.folder.path().join("temporary")
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_querypoint"));
        command
            .args(["replay", "recording.json", "--page", "page.html"])
            .args(options)
            .current_dir(self.folder.path())
            .env("TMPDIR", self.temporary());
        command
    }

    /// Exit status, standard output, standard error.
    fn run(&self, options: &[&str]) -> (i32, String, String) {
        let output = self.command(options).output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    /// No profile, and no process that works on one.
    fn assert_nothing_is_left(&self) {
        let files: Vec<_> = fs::read_dir(self.temporary()).unwrap().collect();
        assert!(files.is_empty(), "{files:?}");
        let processes = processes_that_name(&self.temporary());
        assert!(processes.is_empty(), "{processes:?}");
    }
}

/// Command lines of running processes that hold the path.
fn processes_that_name(path: &Path) -> Vec<String> {
    let path = path.to_str().unwrap();
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(path))
        .collect()
}

const BUTTON: &str = "<!DOCTYPE html><title>Page</title><button id=b>press</button>";

fn navigate() -> serde_json::Value {
    serde_json::json!({ "type": "navigate", "url": "http://recorded.example/page.html" })
}

#[test]
fn a_replay_as_recorded_ends_with_status_0() {
    let steps = serde_json::json!([
        navigate(),
        { "type": "click", "selectors": [["#b"]], "offsetX": 2, "offsetY": 2 },
    ]);
    let scene = Scene::new(BUTTON, &steps);
    let (status, out, errors) = scene.run(&[]);
    assert_eq!(status, 0, "{errors}");
    assert!(out.starts_with("replayed 2 steps in "), "{out}");
    assert!(out.ends_with(", as recorded\n"), "{out}");
    assert!(errors.contains("step 2 of 2: click #b"), "{errors}");
    scene.assert_nothing_is_left();
}

#[test]
fn a_step_that_is_not_known_is_left_out_and_said() {
    let steps = serde_json::json!([
        navigate(),
        { "type": "customStep", "name": "tea", "parameters": {} },
    ]);
    let scene = Scene::new(BUTTON, &steps);
    let (status, out, errors) = scene.run(&[]);
    assert_eq!(status, 1, "{errors}");
    assert!(out.contains("  step 2: ") && out.contains("tea"), "{out}");
    scene.assert_nothing_is_left();
}

#[test]
fn a_step_that_cannot_be_done_is_named() {
    let steps = serde_json::json!([
        navigate(),
        { "type": "click", "selectors": [["#absent"]], "offsetX": 2, "offsetY": 2, "timeout": 300 },
    ]);
    let scene = Scene::new(BUTTON, &steps);
    let (status, out, errors) = scene.run(&[]);
    assert_eq!((status, out.as_str()), (4, ""), "{errors}");
    assert!(
        errors.contains("step 2 of 2 (click #absent) cannot be done"),
        "{errors}"
    );
    scene.assert_nothing_is_left();
}

/// A replay that would go on for a minute.
fn endless() -> Scene {
    let steps = serde_json::json!([
        navigate(),
        { "type": "waitForExpression", "expression": "false", "timeout": 60_000 },
    ]);
    Scene::new(BUTTON, &steps)
}

#[test]
fn a_replay_that_takes_too_long_is_ended() {
    let scene = endless();
    let (status, out, errors) = scene.run(&["--timeout", "2"]);
    assert_eq!((status, out.as_str()), (4, ""), "{errors}");
    assert!(errors.contains("--timeout SECONDS"), "{errors}");
    scene.assert_nothing_is_left();
}

#[test]
fn interrupting_closes_the_browser_and_ends_with_status_130() {
    let scene = endless();
    let mut child = scene
        .command(&[])
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let waiting = lines
        .by_ref()
        .map(Result::unwrap)
        .find(|line| line.contains("step 2 of 2"));
    assert!(waiting.is_some());
    assert!(
        !processes_that_name(&scene.temporary()).is_empty(),
        "no browser was found to be closed"
    );

    let pid = child.id().to_string();
    let sent = Command::new("sh")
        .args(["-c", "kill -INT $0", &pid])
        .status()
        .unwrap();
    assert!(sent.success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    let said: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(said, ["error: interrupted; the browser was closed"]);
    scene.assert_nothing_is_left();
}
