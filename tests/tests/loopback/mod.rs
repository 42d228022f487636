//! What the tests of hard pages share: a server on loopback whose every header is the test's, and the command as
//! a person runs it.
//!
//! A page that is compared reports what it saw: it loads `/say.js`, calls `say(…)` as it goes and `done()` at the
//! end, which posts everything said. The same page is run plainly and under a question, and must say the same.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "each test program uses its own part of this, and a panic is how a test fails"
)]

use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cdp_driver::native::Purpose;
use end_to_end::{querypoint_command, repository};
use recording::Recording;
use serde_json::{Value, json};
use test_support::browsers;
use test_support::server::{Answer, Asked, Ending, Server};

/// What a page calls, and the object that is asked about.
pub const SAY: &str = "var probe = { value: 0 };\n\
var said = [];\n\
function say(...things) { said.push(things.map(String).join(' ')); }\n\
function done() {\n\
  fetch('/said', { method: 'POST', body: said.join('\\n') }).then(() => { window.finished = true; });\n\
}\n\
addEventListener('error', (event) => say('error', event.message, event.filename, event.lineno, event.colno));\n\
addEventListener('unhandledrejection', (event) => say('rejection', event.reason));\n";

/// What the server answers with.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Never answered.
    pub hangs: bool,
    /// How long the server takes for it.
    pub after: Duration,
    /// Whether the body ends; then its length is told.
    pub ends: bool,
    /// From this request for it on, counted from 0, it is never answered.
    pub hangs_from: Option<usize>,
    /// The value of `Authorization` without which it is refused.
    pub asks_for: Option<String>,
}

impl Reply {
    pub fn new(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("Content-Type".into(), kind.into())],
            body: body.into(),
            hangs: false,
            after: Duration::ZERO,
            ends: true,
            hangs_from: None,
            asks_for: None,
        }
    }

    /// Only for those who tell this name and password, `name:password`.
    pub fn behind(mut self, user: &str) -> Self {
        self.asks_for = Some(format!("Basic {}", STANDARD.encode(user)));
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn after_ms(mut self, ms: u64) -> Self {
        self.after = Duration::from_millis(ms);
        self
    }

    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    fn answer(&self) -> Answer {
        Answer {
            status: self.status,
            headers: self.headers.clone(),
            body: self.body.clone(),
            ending: match self.ends {
                true => Ending::Whole,
                false => Ending::Never,
            },
        }
    }
}

pub fn html(body: &str) -> Reply {
    Reply::new("text/html; charset=utf-8", body)
}

pub fn script(body: &str) -> Reply {
    Reply::new("text/javascript; charset=utf-8", body)
}

/// A page's body after the usual head.
pub fn page(body: &str) -> Reply {
    html(&format!(
        "<!doctype html><meta charset=utf-8><title>page</title><script src=/say.js></script>\n{body}"
    ))
}

pub type Pages = HashMap<String, Reply>;

/// A server on loopback; it ends when this is dropped.
pub struct Site {
    pub port: u16,
    told: Arc<ServerLog>,
    _server: Server,
}

/// What a site answers, and what it was told.
#[derive(Default)]
struct ServerLog {
    pages: Mutex<Arc<Pages>>,
    said: Mutex<Vec<String>>,
    requests: Mutex<Vec<String>>,
}

impl Site {
    pub fn new(pages: &[(&str, Reply)]) -> Self {
        let told = Arc::new(ServerLog::default());
        let answering = told.clone();
        let server = Server::start(move |asked| answering.clone().answer(asked)).unwrap();
        let site = Self {
            port: server.port(),
            told,
            _server: server,
        };
        site.answers(pages);
        site
    }

    /// What is answered from now on.
    pub fn answers(&self, pages: &[(&str, Reply)]) {
        let mut map: Pages = [("/say.js".to_owned(), script(SAY))].into();
        for (path, reply) in pages {
            map.insert((*path).to_owned(), reply.clone());
        }
        *self.told.pages.lock() = Arc::new(map);
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same server as another site.
    pub fn elsewhere(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// What pages have said since the last call.
    pub fn said(&self) -> Vec<String> {
        std::mem::take(&mut *self.told.said.lock())
    }

    /// The paths that were asked for since the last call.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.told.requests.lock())
    }
}

impl ServerLog {
    async fn answer(self: Arc<Self>, asked: Asked) -> Option<Answer> {
        let pages = self.pages.lock().clone();
        let path = asked.path.as_str();
        let earlier = {
            let mut requests = self.requests.lock();
            requests.push(path.to_owned());
            requests.iter().filter(|it| *it == path).count() - 1
        };
        if path == "/said" {
            let said = String::from_utf8_lossy(&asked.body).into_owned();
            self.said.lock().push(said);
            return Some(Answer {
                headers: Vec::new(),
                ..Answer::new("", "")
            });
        }
        let key = path.split('?').next().unwrap_or_default();
        let Some(reply) = pages.get(path).or_else(|| pages.get(key)) else {
            return Some(Answer::missing());
        };
        let password = asked.header("authorization");
        if password.is_some() {
            self.said.lock().push(format!("a password for {path}"));
        }
        if reply.asks_for.is_some() && reply.asks_for.as_deref() != password {
            let refusal = html("no").status(401);
            let refusal = refusal.header("WWW-Authenticate", "Basic realm=\"shop\"");
            return Some(refusal.answer());
        }
        tokio::time::sleep(reply.after).await;
        if reply.hangs || reply.hangs_from.is_some_and(|from| earlier >= from) {
            return pending().await;
        }
        let mut answer = reply.answer();
        let tag = asked.header("if-none-match");
        let is_tag =
            |(name, value): &(String, String)| name == "ETag" && Some(value.as_str()) == tag;
        if reply.headers.iter().any(is_tag) {
            (answer.status, answer.body) = (304, Vec::new());
        }
        Some(answer)
    }
}

/// A folder that is gone afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("querypoint-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Waits until neither a process nor a file of `folder` is there.
pub fn nothing_is_left(folder: &Folder) {
    let name = folder.0.to_str().unwrap().to_owned();
    let start = Instant::now();
    loop {
        let processes = processes_of(&name);
        let files: Vec<_> = fs::read_dir(&folder.0).unwrap().flatten().collect();
        if processes.is_empty() && files.is_empty() {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "left behind: {processes:?} {files:?}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes whose command line holds `text`.
pub fn processes_of(text: &str) -> Vec<String> {
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse::<u32>().ok()?;
            let line = fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains(text).then(|| format!("{number} {line}"))
        })
        .collect()
}

/// Ends the browser that has its profile in `folder`, without warning.
pub fn kill_browser_of(folder: &Folder) {
    let name = folder.0.to_str().unwrap();
    let browser = processes_of(name)
        .into_iter()
        .find(|line| {
            line.contains("--remote-debugging-port")
                && !line.contains("--type=")
                && !line.contains("/sh ")
        })
        .unwrap_or_else(|| panic!("{:#?}", processes_of(name)));
    let number = browser.split(' ').next().unwrap();
    let killed = Command::new("kill").args(["-9", number]).status();
    assert!(killed.unwrap().success());
}

/// What a run of the command gave.
#[derive(Debug)]
pub struct Ran {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn new(output: &Output) -> Self {
        Self {
            status: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The answer that was printed, checked against the schema.
    pub fn answer(&self) -> Value {
        let answer: Value = serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("no answer ({error}): {self:#?}"));
        assert_follows_schema(&answer, "answer");
        answer
    }
}

/// What the published schema `docs/NAME.schema.json` says is wrong with a value.
pub fn schema_problems(value: &Value, name: &str) -> Vec<String> {
    let schema = fs::read_to_string(repository().join(format!("docs/{name}.schema.json")));
    let schema: Value = serde_json::from_str(&schema.unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Fails where a value is not as the published schema `docs/NAME.schema.json` has it.
pub fn assert_follows_schema(value: &Value, name: &str) {
    let problems = schema_problems(value, name);
    assert!(problems.is_empty(), "{problems:#?}\n{value:#}");
}

/// The command, ready to run.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(querypoint_command().unwrap());
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env("NO_COLOR", "1");
    command
}

/// Replays a recording.
pub fn replay(path: &Path, more: &[&str]) -> Ran {
    let mut arguments = vec!["replay", "--timeout", "60", path.to_str().unwrap()];
    arguments.extend(more);
    querypoint(&arguments)
}

/// Runs the command to its end; a question, a replay or a plan in the worker's browser, where it names none.
pub fn querypoint(arguments: &[&str]) -> Ran {
    let Some((purpose, address)) = shared_browser(arguments) else {
        return querypoint_alone(arguments);
    };
    let shared = [arguments, &["--connect", &address]].concat();
    let mut ran = querypoint_alone(&shared);
    const LOST: i32 = 4;
    if ran.status == Some(LOST)
        && let Some(how) = browsers::ended(purpose)
    {
        ran.err.push_str(&how);
    }
    ran
}

/// The command, ready to run in the worker's browser, where it names none.
pub fn shared_command(arguments: &[&str]) -> Command {
    let mut command = command(arguments);
    if let Some((_, address)) = shared_browser(arguments) {
        command.args(["--connect", &address]);
    }
    command
}

/// Runs the command to its end, in a browser of its own if it needs one.
pub fn querypoint_alone(arguments: &[&str]) -> Ran {
    Ran::new(&command(arguments).output().unwrap())
}

/// The worker's browser in which the command with these arguments can run, and its address; none where it needs no
/// browser, one of its own, or several.
pub fn shared_browser(arguments: &[&str]) -> Option<(Purpose, String)> {
    const IN_A_BROWSER: [&str; 3] = ["ask", "replay", "plan"];
    const ITS_OWN: [&str; 6] = [
        "--connect",
        "--browser",
        "--headed",
        "--runs",
        "--user",
        "--help",
    ];
    let (first, rest) = arguments.split_first()?;
    if !IN_A_BROWSER.contains(first) || rest.iter().any(|it| ITS_OWN.contains(it)) {
        return None;
    }
    let recording = match *first {
        "replay" => rest.iter().find(|it| it.ends_with(".json")),
        _ => {
            let named = rest.iter().position(|it| *it == "--recording");
            named.and_then(|at| rest.get(at + 1))
        }
    };
    let purpose = recording.map_or(Purpose::Pages, |file| purpose_of(Path::new(file)));
    Some((purpose, browsers::address(purpose)?))
}

/// What a browser has to be in which this recording is replayed.
pub fn purpose_of(recording: &Path) -> Purpose {
    let text = fs::read_to_string(recording).unwrap_or_default();
    match Recording::parse(&text) {
        Ok(recording) if recording.needs_full_browser() => Purpose::Everything,
        _ => Purpose::Pages,
    }
}

/// Asks for the last change of `probe.value` at the end of the page.
pub fn ask(url: &str, more: &[&str]) -> Ran {
    ask_within(url, "60", more)
}

/// Asks that within so many seconds.
pub fn ask_within(url: &str, seconds: &str, more: &[&str]) -> Ran {
    let mut arguments = vec!["ask", "--json", "--timeout", seconds, "--at", "end", url];
    arguments.push("lastChange(R:probe.value)");
    arguments.extend(more);
    querypoint(&arguments)
}

/// The value of a reference at the end of a recording, as its last change has it.
pub fn at_end(site: &Site, recording: &Path, reference: &str) -> Value {
    let (url, query) = (site.url("/"), format!("lastChange({reference})"));
    let of = recording.to_str().unwrap();
    let asked = querypoint(&[
        "ask",
        &url,
        "--recording",
        of,
        "--at",
        "end",
        &query,
        "--json",
    ]);
    assert_eq!(asked.status, Some(0), "{asked:#?}");
    asked.answer()["points"][1]["new"]["text"].clone()
}

/// Runs the page without rewriting anything.
pub fn plainly(url: &str, steps: &[Value]) -> Ran {
    let folder = Folder::new();
    let path = recording(&folder, url, steps);
    querypoint(&["replay", "--timeout", "60", path.to_str().unwrap()])
}

/// A recording that opens `url` and then does `steps`.
pub fn recording(folder: &Folder, url: &str, steps: &[Value]) -> PathBuf {
    let mut all = vec![json!({ "type": "navigate", "url": url })];
    all.extend_from_slice(steps);
    if steps.is_empty() {
        all.push(json!({ "type": "waitForExpression", "expression": "window.finished" }));
    }
    folder.file(
        "recording.json",
        &json!({ "title": "test", "steps": all }).to_string(),
    )
}

/// Runs `url` plainly and under a question; both must say the same. Gives what was said and the answer.
pub fn compare(site: &Site, url: &str, steps: &[Value]) -> (String, Value) {
    site.said();
    let plain = plainly(url, steps);
    let plainly_said = site.said();
    assert_eq!(plainly_said.len(), 1, "the page says one thing: {plain:#?}");
    let folder = Folder::new();
    let path = recording(&folder, url, steps);
    let ran = ask(url, &["--recording", path.to_str().unwrap()]);
    let asked = site.said();
    let answer = ran.answer();
    // An execution that showed which scripts must stay as they are is not counted: the page ran again.
    let executions = usize::try_from(answer["executions"].as_u64().unwrap()).unwrap();
    assert!(asked.len() >= executions, "{asked:#?} {ran:#?}");
    for said in &asked[asked.len() - executions..] {
        assert_eq!(
            *said, plainly_said[0],
            "the page behaves otherwise when it is asked: {ran:#?}"
        );
    }
    (plainly_said[0].clone(), answer)
}

/// One page: what it says, where the last write is, how much is hooked, what is listed.
pub fn check(pages: &[(&str, Reply)], said: &[&str], at: &str, hooked: &str, blind: &[&str]) {
    let site = Site::new(pages);
    let (really_said, answer) = compare(&site, &site.url("/"), &[]);
    let real = (
        really_said.as_str(),
        place(&answer),
        coverage(&answer),
        blind_spots(&answer),
    );
    let said = said.join("\n");
    let blind: Vec<String> = blind.iter().map(|&spot| spot.to_owned()).collect();
    let wanted = (said.as_str(), at.to_owned(), hooked.to_owned(), blind);
    assert_eq!(real, wanted, "{answer:#}");
    assert_eq!(answer["consistency"]["agrees"], true, "{answer:#}");
}

/// The last point's place as `file:line:column`.
pub fn place(answer: &Value) -> String {
    let point = answer["points"].as_array().unwrap().last().unwrap();
    let location = &point["location"];
    let url = location["url"].as_str().unwrap_or_default();
    let file = url
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('/'))
        .map_or(url, |(_, path)| path);
    format!(
        "{} {file}:{}:{}",
        point["status"].as_str().unwrap_or_default(),
        location["line"],
        location["column"]
    )
}

/// `hooked of scripts`.
pub fn coverage(answer: &Value) -> String {
    format!(
        "{} of {}",
        answer["coverage"]["hooked"], answer["coverage"]["scripts"]
    )
}

/// The blind spots as `file: reason`, sorted.
pub fn blind_spots(answer: &Value) -> Vec<String> {
    let mut spots: Vec<String> = answer["coverage"]["blind_spots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|spot| {
            let url = spot["url"].as_str().unwrap();
            let is_blob = url.starts_with("blob:");
            let file = url.rsplit('/').next().unwrap_or(url);
            let file = if is_blob { "UUID" } else { file };
            format!("{file}: {}", spot["reason"].as_str().unwrap())
        })
        .collect();
    spots.sort();
    spots
}

/// Whether a path exists under the folder for temporary files that begins so.
pub fn exists(path: &Path) -> bool {
    path.exists()
}
