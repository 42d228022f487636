//! What was asked before need not be asked again, as long as everything is as it was; and is asked again when it is
//! not.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::loopback::*;
use serde_json::{Value, json};

/// Line 6 writes what the data says; `later.js` may be missing.
const PAGE: &str = "<!doctype html><meta charset=utf-8>
<script src=app.js></script>
<script>
fetch('data.json').then((response) => response.json()).then((data) => {
  const amount = data.amount;
  cart.total = amount;
});
import('./later.js').catch(() => {});
</script>";

/// A shop: a page, its script, its data.
struct Shop(Folder);

impl Shop {
    fn new() -> Self {
        let shop = Self(Folder::new());
        shop.write("index.html", PAGE);
        shop.write("app.js", "const cart = { total: 0 };");
        shop.write("data.json", r#"{ "amount": 5 }"#);
        shop
    }

    fn write(&self, name: &str, text: &str) {
        self.0.file(name, text);
    }

    fn path(&self) -> &Path {
        &self.0.0
    }

    /// Asks who changed `cart.total`, in this folder.
    fn run(&self, more: &[&str]) -> Ran {
        self.run_for("lastChange(R:cart.total)", more)
    }

    fn run_for(&self, query: &str, more: &[&str]) -> Ran {
        let mut arguments = vec!["ask", "index.html", "--at", "end", query];
        arguments.extend(more);
        let mut command = command(&arguments);
        let output = command.current_dir(self.path()).output().unwrap();
        Ran {
            status: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn ask(&self, more: &[&str]) -> Value {
        self.run(&[&["--json", "--timeout", "60"], more].concat())
            .answer()
    }

    /// The entries in the folder for kept answers beside a file of this folder.
    fn entries(&self, beside: &str) -> Vec<PathBuf> {
        let folder = self.path().join(beside).join(".querypoint");
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = files.map(|file| file.path());
        names.filter(|path| path.extension().is_some()).collect()
    }
}

/// That it was kept, or that it was not, is said in every way.
#[track_caller]
fn assert_kept(answer: &Value, is_kept: bool) {
    assert_eq!(
        answer.get("kept"),
        is_kept.then_some(&json!(true)),
        "{answer:#}"
    );
    let executions = answer["executions"].as_u64().unwrap();
    assert_eq!(executions == 0, is_kept, "{answer:#}");
    assert_eq!(answer["points"][1]["status"], "found", "{answer:#}");
}

/// The points, wherever the page was served.
fn points(answer: &Value) -> String {
    let origin = answer["page"].as_str().unwrap().rsplit_once('/').unwrap().0;
    answer["points"].to_string().replace(origin, "")
}

fn new_value(answer: &Value) -> &str {
    answer["points"][1]["new"]["text"].as_str().unwrap()
}

#[test]
fn an_answer_is_kept_until_something_that_the_page_was_given_changes() {
    let shop = Shop::new();
    let asked = shop.ask(&[]);
    assert_kept(&asked, false);
    assert_eq!(
        (place(&asked).as_str(), new_value(&asked)),
        ("found index.html:6:3", "5")
    );
    let kept = shop.ask(&[]);
    assert_kept(&kept, true);
    assert_eq!(points(&kept), points(&asked));
    assert_eq!(shop.entries("").len(), 1);
    let mode = fs::metadata(&shop.entries("")[0])
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let ignored = shop.path().join(".querypoint/.gitignore");
    assert_eq!(fs::read_to_string(ignored).unwrap(), "*\n");

    // For a person it is drawn as before, with the lines of source, and says so.
    let drawn = shop.run(&["--timeout", "60"]);
    assert_eq!(drawn.status, Some(0), "{drawn:#?}");
    assert!(
        drawn.out.contains("6 │ cart.total = amount;"),
        "{}",
        drawn.out
    );
    assert!(drawn.out.contains("no execution: kept"), "{}", drawn.out);
    assert_eq!(drawn.err, "", "no browser is started");

    // What the page does not ask for is nothing to it.
    shop.write("other.js", "cart = null;");
    assert_kept(&shop.ask(&[]), true);
    // Data count as scripts do.
    shop.write("data.json", r#"{ "amount": 7 }"#);
    let asked = shop.ask(&[]);
    assert_kept(&asked, false);
    assert_eq!(new_value(&asked), "7");
    assert_kept(&shop.ask(&[]), true);
    shop.write("app.js", "\nconst cart = { total: 1 };");
    let asked = shop.ask(&[]);
    assert_kept(&asked, false);
    assert_eq!(asked["points"][1]["old"]["text"], "1");
    // What was missing is there.
    shop.write("later.js", "setTimeout(() => { cart.total = 9; }, 100);");
    let asked = shop.ask(&[]);
    assert_kept(&asked, false);
    assert_eq!(
        (place(&asked).as_str(), new_value(&asked)),
        ("found later.js:1:20", "9")
    );
    assert_kept(&shop.ask(&[]), true);
    assert_eq!(
        shop.entries("").len(),
        1,
        "the new answer stands in place of the old one"
    );
}

#[test]
fn what_is_asked_anew_or_otherwise_is_executed() {
    let shop = Shop::new();
    assert_kept(&shop.ask(&["--no-keep"]), false);
    assert_eq!(shop.entries("").len(), 0);
    assert_kept(&shop.ask(&[]), false);
    assert_kept(&shop.ask(&["--fresh"]), false);
    assert_kept(&shop.ask(&["--no-keep"]), false);
    assert_kept(&shop.ask(&[]), true);

    assert_kept(&shop.ask(&["--watch", "cart.total"]), false);
    assert_kept(&shop.ask(&["--instrument", "standby"]), false);
    assert_kept(&shop.ask(&["lastChange(R:cart)"]), false);
    assert_eq!(shop.entries("").len(), 4);
    assert_kept(&shop.ask(&["--watch", "cart.total"]), true);

    // Beside the recording, and another one with each recording.
    fs::create_dir(shop.path().join("flows")).unwrap();
    let recording = json!({ "title": "nothing", "steps": [] }).to_string();
    shop.write("flows/one.json", &recording);
    let with_recording = ["--recording", "flows/one.json"];
    assert_kept(&shop.ask(&with_recording), false);
    assert_kept(&shop.ask(&with_recording), true);
    assert_eq!(
        (shop.entries("").len(), shop.entries("flows").len()),
        (4, 1)
    );
    let wait = json!({ "type": "waitForExpression", "expression": "cart.total" });
    let recording = json!({ "title": "nothing", "steps": [wait] }).to_string();
    shop.write("flows/one.json", &recording);
    assert_kept(&shop.ask(&with_recording), false);

    // What is damaged is asked anew and replaced.
    let entry = shop.entries("flows");
    for file in &entry {
        let text = fs::read_to_string(file).unwrap();
        fs::write(file, text.replace("cart.total", "cart.total!")).unwrap();
    }
    assert_kept(&shop.ask(&with_recording), false);
    assert_kept(&shop.ask(&with_recording), true);
}

#[test]
fn another_browser_is_asked_and_a_kept_answer_needs_none() {
    let shop = Shop::new();
    // A browser that writes down how it was started.
    let write = |version: &str| {
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo {version}; exit; }}\necho started >> \"$0.log\"\n\
             exec chromium \"$@\"\n"
        );
        shop.write("browser", &script);
        let file = shop.path().join("browser");
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let starts = || {
        let log = fs::read_to_string(shop.path().join("browser.log"));
        log.unwrap_or_default().lines().count()
    };
    let browser = ["--browser", "./browser"];
    write("Browser 1");
    assert_kept(&shop.ask(&browser), false);
    assert_eq!(starts(), 1);
    assert_kept(&shop.ask(&browser), true);
    assert_eq!(starts(), 1, "none was started");
    write("Browser 2");
    assert_kept(&shop.ask(&browser), false);
    assert_eq!(starts(), 2);
}

#[test]
fn what_may_be_otherwise_the_next_time_is_not_kept() {
    let elsewhere = Site::new(&[(
        "/data.js",
        script("cart.total = 3;").header("Access-Control-Allow-Origin", "*"),
    )]);
    let url = elsewhere.url("/data.js");
    for (what, text) in [
        (
            "executions that differ",
            "cart.total = Math.random();".to_owned(),
        ),
        (
            "another server's script",
            format!("document.write('<script src={url}></'+'script>');"),
        ),
        (
            "another server's data",
            format!("fetch('{url}').then(() => {{ cart.total = 2; }});"),
        ),
        (
            "a worker",
            "new Worker('worker.js').onmessage = () => { cart.total = 2; };".to_owned(),
        ),
    ] {
        let shop = Shop::new();
        shop.write("worker.js", "postMessage(1);");
        shop.write("index.html", "<script src=app.js></script>");
        shop.ask(&[]);
        assert_eq!(shop.entries("").len(), 1, "{what}: without it, it is kept");
        shop.write("app.js", &format!("const cart = {{ total: 0 }};\n{text}"));
        assert_kept(&shop.ask(&[]), false);
        assert_eq!(shop.entries("").len(), 0, "{what}");
    }
    let shop = Shop::new();
    shop.write("index.html", "<script>let total = 1;</script>");
    let blind = shop.run_for("lastCondition(R)", &["--timeout", "60"]);
    assert_eq!(blind.status, Some(1), "{blind:#?}");
    assert_eq!(shop.entries("").len(), 0, "no answer");
    let runs = shop.run_for("lastChange(R:total)", &["--runs", "1", "--timeout", "60"]);
    assert_eq!(runs.status, Some(0), "{runs:#?}");
    assert_eq!(shop.entries("").len(), 0, "--runs");

    // Of a page that someone else serves nothing is known without loading it.
    let site = Site::new(&[("/", page("<script>probe.value = 1;</script>"))]);
    let folder = Folder::new();
    let recording = recording(
        &folder,
        &site.url("/"),
        &[json!({ "type": "waitForExpression", "expression": "1" })],
    );
    for _ in 0..2 {
        let ran = ask(
            &site.url("/"),
            &["--recording", recording.to_str().unwrap()],
        );
        assert_kept(&ran.answer(), false);
    }
    assert!(!folder.0.join(".querypoint").exists());
}

#[test]
fn where_nothing_can_be_written_the_answer_comes_all_the_same() {
    let shop = Shop::new();
    shop.write(".querypoint", "a file");
    let ran = shop.run(&["--json", "--timeout", "60"]);
    assert_kept(&ran.answer(), false);
    assert_eq!(ran.status, Some(0));
    assert!(
        ran.err.contains("the answer is not kept for the next time"),
        "{}",
        ran.err
    );
}
