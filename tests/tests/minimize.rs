//! `querypoint minimize`: the steps of a recording that are needed to reach a point with the same values.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::loopback::*;
use recording::Recording;
use serde_json::{Value, json};

/// A shop whose total is negative once a coupon was used and something is in the cart.
const SHOP: &str = "<title>shop</title>
<button id=theme>theme</button><button id=add>add</button><button id=help>help</button>
<button id=coupon>coupon</button><button id=buy>buy</button><input id=name><input id=code type=password>
<script>
let count = 0, price = 10, dark = false, code = '';
theme.onclick = () => { dark = !dark; };
help.onclick = () => { document.title = 'help'; };
add.onclick = () => { count++; };
coupon.onclick = () => { price = -10; };
document.getElementById('code').onchange = (event) => { code = event.target.value; };
buy.onclick = () => {
  const total = count * price;
  if (total < 0) console.log('bought for', total);
};
</script>";

const CLICKED: [&str; 9] = [
    "theme", "add", "help", "theme", "add", "coupon", "theme", "help", "buy",
];

fn click(id: &str) -> Value {
    json!({ "type": "click", "selectors": [[format!("#{id}")]], "offsetX": 1, "offsetY": 1 })
}

struct Shop {
    site: Site,
    folder: Folder,
    recording: PathBuf,
    out: PathBuf,
}

impl Shop {
    fn new(steps: &[Value]) -> Self {
        let site = Site::new(&[("/", html(SHOP))]);
        let folder = Folder::new();
        let recording = recording(&folder, &site.url("/"), steps);
        let out = folder.0.join("short.json");
        Self {
            site,
            folder,
            recording,
            out,
        }
    }

    fn clicked() -> Self {
        Self::new(&CLICKED.map(click))
    }

    fn arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let (recording, out) = (self.recording.to_str(), self.out.to_str());
        let mut arguments = vec!["minimize", recording.unwrap(), "--out", out.unwrap()];
        arguments.extend(more);
        arguments
    }

    fn minimize(&self, more: &[&str]) -> Ran {
        querypoint(&self.arguments(more))
    }
}

/// What the steps of a recording do.
fn steps(path: &Path) -> Vec<String> {
    let recording = Recording::parse(&fs::read_to_string(path).unwrap()).unwrap();
    recording.steps.iter().map(|step| step.describe()).collect()
}

fn clicks(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| format!("click #{id}")).collect()
}

#[test]
fn what_is_not_needed_for_the_values_is_dropped() {
    let shop = Shop::clicked();
    let watched = [
        "--at",
        "console:bought",
        "--watch",
        "count",
        "--watch",
        "price",
    ];
    let ran = shop.minimize(&watched);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let left = steps(&shop.out);
    assert_eq!(
        left[1..],
        clicks(&["add", "add", "coupon", "buy"]),
        "{ran:#?}"
    );
    assert!(
        ran.out.starts_with("5 steps lead to console:bought ("),
        "{ran:#?}"
    );
    assert!(ran.out.contains("\n    2  click #add\n"), "{ran:#?}");
    let mode = fs::metadata(&shop.out).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Members of the recording stay, and what was recorded is as it was.
    let all = steps(&shop.recording);
    assert_eq!(all.len(), 1 + CLICKED.len());
    assert_eq!(left[0], all[0]);
}

#[test]
fn without_values_it_is_enough_to_reach_the_point() {
    let shop = Shop::clicked();
    let ran = shop.minimize(&["--at", "console:bought"]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(
        steps(&shop.out)[1..],
        clicks(&["add", "coupon", "buy"]),
        "{ran:#?}"
    );
}

#[test]
fn a_point_that_is_not_reached_is_said_and_nothing_is_written() {
    let shop = Shop::clicked();
    let ran = shop.minimize(&["--at", "console:returned"]);
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(
        ran.err.contains("the reproduction point was not reached"),
        "{ran:#?}"
    );
    assert!(!exists(&shop.out));
}

#[test]
fn steps_that_cannot_be_done_without_others_stay_with_them() {
    let first =
        "<button id=go onclick='go.insertAdjacentHTML(\"afterend\", menu)'>go</button><script>
const menu = '<button id=item onclick=\"console.log(1 / 0)\">item</button>';</script>";
    let site = Site::new(&[("/", html(first))]);
    let folder = Folder::new();
    let path = recording(
        &folder,
        &site.url("/"),
        &["go", "go", "go", "item"].map(click),
    );
    let out = folder.0.join("short.json");
    let ran = querypoint(&[
        "minimize",
        path.to_str().unwrap(),
        "--at",
        "console:Infinity",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(steps(&out)[1..], clicks(&["go", "item"]), "{ran:#?}");
}

#[test]
fn what_was_typed_in_secret_is_not_written() {
    let secret = "correct horse battery staple";
    let shop = Shop::new(&[
        click("help"),
        json!({ "type": "change", "selectors": [["#code"]], "value": "", "querypoint": { "secret": "SHOP_CODE" } }),
        click("add"),
        click("coupon"),
        click("buy"),
    ]);
    let watched = ["--at", "console:bought", "--watch", "code.length"];
    let ran = shop.minimize(&watched);
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("SHOP_CODE"), "{ran:#?}");

    let output = command(&shop.arguments(&watched))
        .env("SHOP_CODE", secret)
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(0), "{printed:?}");
    let left = fs::read_to_string(&shop.out).unwrap();
    assert_eq!(steps(&shop.out).len(), 5, "{left}");
    assert!(left.contains("SHOP_CODE"), "{left}");
    for text in printed.iter().chain([&left]) {
        assert!(!text.contains(secret), "{text}");
    }
}

/// A price that only the recording has: the server knows none.
#[test]
fn the_responses_come_along() {
    let page = "<button id=help>help</button><button id=buy>buy</button><script>
buy.onclick = async () => console.log('bought for', await (await fetch('/price')).text());
</script>";
    let site = Site::new(&[("/", html(page))]);
    let folder = Folder::new();
    let steps = json!({
        "title": "", "steps": [{ "type": "navigate", "url": site.url("/") }, click("help"), click("buy")],
        "querypoint": { "tape": { "network": true } },
    });
    let recording = folder.file("recording.json", &steps.to_string());
    let entry = |address: &str, kind: &str, text: &str| {
        let content = json!({ "size": text.len(), "mimeType": kind, "text": text });
        let headers = [json!({ "name": "content-type", "value": kind })];
        json!({
            "request": { "method": "GET", "url": site.url(address) }, "time": 1,
            "response": { "status": 200, "statusText": "OK", "headers": headers, "content": content },
        })
    };
    let entries = [
        entry("/", "text/html", page),
        entry("/price", "text/plain", "seven"),
    ];
    let har = json!({ "log": { "version": "1.2", "entries": entries } }).to_string();
    folder.file("recording.json.har", &har);
    let (out, beside) = (folder.0.join("short.json"), folder.0.join("short.json.har"));
    let minimize = |point: &str| {
        let (recording, out) = (recording.to_str().unwrap(), out.to_str().unwrap());
        querypoint(&["minimize", recording, "--at", point, "--out", out])
    };

    let ran = minimize("console:bought for eight");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(!exists(&out) && !exists(&beside));

    let ran = minimize("console:bought for seven");
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(self::steps(&out)[1..], clicks(&["buy"]), "{ran:#?}");
    assert_eq!(fs::read_to_string(&beside).unwrap(), har);
    let mode = fs::metadata(&beside).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut requests = site.requests();
    // The browser asks for an icon when it likes.
    requests.retain(|path| path != "/favicon.ico");
    assert_eq!(requests, Vec::<String>::new());
}

#[test]
fn an_interruption_leaves_the_shortest_so_far_and_nothing_else() {
    let shop = Shop::clicked();
    let temporary = Folder::new();
    let child = command(&shop.arguments(&["--at", "console:bought"]))
        .env("TMPDIR", &temporary.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !exists(&shop.out) {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no trial succeeded"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &pid]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    let left = steps(&shop.out);
    assert!(left.len() <= CLICKED.len(), "{left:?}");
    assert_eq!(left.last().unwrap(), "click #buy");
    let in_folder = |folder: &Folder| {
        let files = fs::read_dir(&folder.0).unwrap();
        files
            .map(|file| file.unwrap().file_name())
            .collect::<Vec<_>>()
    };
    assert_eq!(in_folder(&temporary), Vec::<std::ffi::OsString>::new());
    assert_eq!(in_folder(&shop.folder).len(), 2);
    assert!(shop.site.requests().contains(&"/".to_owned()));
}
