//! What the tests of paused pages share: the command that leaves a page paused, and somebody else's debugger.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test program uses its own part of this, and a panic is how a test fails"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cdp_driver::native::Browser;
use cdp_driver::protocol::{Event, SessionId};
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::{Value, json};

use crate::loopback::shared_command;

const LIMIT: Duration = Duration::from_secs(60);

/// The command while the page is paused.
pub struct Paused {
    child: Child,
    /// What it said on standard error before the page was paused.
    pub said: Vec<String>,
    /// `host:port` of the browser, and the tab.
    pub authority: String,
    pub target: String,
}

impl Paused {
    /// Asks, and waits until the page is paused.
    pub fn new(page: &str, more: &[&str]) -> Self {
        let mut arguments = vec!["ask", page, "--json", "--timeout", "60"];
        arguments.extend(more);
        let mut child = shared_command(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = Vec::new();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let tools = loop {
            let Some(line) = lines.next() else {
                panic!("it never stood: {said:#?} {:?}", child.wait());
            };
            let line = line.unwrap();
            if let Some(tools) = line.trim().strip_prefix("developer tools: ") {
                break tools.to_owned();
            }
            said.push(line);
        };
        // Whoever closes its end of the pipe ends the command at its next line.
        std::thread::spawn(move || lines.for_each(drop));
        let (address, socket) = tools.split_once("?ws=").unwrap();
        let (authority, target) = socket.split_once("/devtools/page/").unwrap();
        assert_eq!(
            address,
            format!("http://{authority}/devtools/inspector.html")
        );
        Self {
            child,
            said,
            authority: authority.to_owned(),
            target: target.to_owned(),
        }
    }

    pub fn place(&self) -> &str {
        let said = self.said.iter();
        let mut places = said.filter_map(|line| line.strip_prefix("paused at "));
        let place = places.next().unwrap();
        place.rsplit('/').next().unwrap()
    }

    pub fn warnings(&self) -> Vec<&str> {
        let said = self.said.iter();
        said.filter_map(|line| line.strip_prefix("warning: "))
            .collect()
    }

    /// Ctrl-C; the exit status and the answer.
    pub fn interrupt(mut self) -> (Option<i32>, Value) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", "INT", &pid]).status();
        assert!(status.unwrap().success());
        self.end()
    }

    pub fn end(&mut self) -> (Option<i32>, Value) {
        let mut out = String::new();
        let mut stdout = self.child.stdout.take().unwrap();
        stdout.read_to_string(&mut out).unwrap();
        let status = self.child.wait().unwrap().code();
        (status, serde_json::from_str(&out).unwrap())
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Somebody else's debugger, attached to the tab.
pub struct Debugger {
    pub browser: Browser,
    pub session: SessionId,
    pub events: BoxStream<'static, Event>,
    /// The scripts it was told of, by id.
    pub scripts: BTreeMap<String, Script>,
}

impl Debugger {
    pub async fn attach(paused: &Paused) -> Self {
        let address = format!("http://{}", paused.authority);
        let browser = Browser::connect(&address).await.unwrap();
        let protocol = browser.protocol();
        let params = json!({ "targetId": paused.target, "flatten": true });
        let attached = protocol.send(None, "Target.attachToTarget", params).await;
        let session = attached.unwrap()["sessionId"].as_str().unwrap().to_owned();
        let events = protocol.events();
        let debugger = Self {
            browser,
            session: SessionId(session),
            events,
            scripts: BTreeMap::new(),
        };
        debugger.send("Debugger.enable", json!({})).await;
        debugger
    }

    pub async fn send(&self, method: &str, params: Value) -> Value {
        let protocol = self.browser.protocol();
        let sent = protocol.send(Some(&self.session), method, params);
        tokio::time::timeout(LIMIT, sent).await.unwrap().unwrap()
    }

    /// The frames of the next stop.
    pub async fn frames(&mut self) -> Vec<Frame> {
        loop {
            let event = tokio::time::timeout(LIMIT, self.events.next()).await;
            let event = event.unwrap().unwrap();
            if event.session.as_ref() != Some(&self.session) {
                continue;
            }
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            if event.method == "Debugger.scriptParsed" {
                let script = Script {
                    url: text(&event.params["url"]),
                    source_map: text(&event.params["sourceMapURL"]),
                    start: ["startLine", "startColumn"]
                        .map(|name| event.params[name].as_u64().unwrap()),
                };
                self.scripts.insert(text(&event.params["scriptId"]), script);
            }
            if event.method == "Debugger.paused" {
                let frames = event.params["callFrames"].as_array().unwrap().iter();
                let frame = |frame: &Value| Frame {
                    id: text(&frame["callFrameId"]),
                    script: text(&frame["location"]["scriptId"]),
                    url: self.scripts[&text(&frame["location"]["scriptId"])]
                        .url
                        .clone(),
                    line: frame["location"]["lineNumber"].as_u64().unwrap() + 1,
                    column: frame["location"]["columnNumber"].as_u64().unwrap() + 1,
                };
                return frames.map(frame).collect();
            }
        }
    }

    pub async fn evaluate(&self, frame: &Frame, expression: &str) -> Value {
        let params = json!({
            "callFrameId": frame.id, "expression": expression, "returnByValue": true,
        });
        let result = self.send("Debugger.evaluateOnCallFrame", params).await;
        result["result"]["value"].clone()
    }
}

/// A script as the browser describes it.
pub struct Script {
    pub url: String,
    /// Where its map is; empty: nowhere.
    pub source_map: String,
    /// Line and column, from 0, at which it begins.
    pub start: [u64; 2],
}

pub struct Frame {
    pub id: String,
    /// The id of its script.
    pub script: String,
    /// The address of its script.
    pub url: String,
    /// From 1.
    pub line: u64,
    /// From 1.
    pub column: u64,
}

impl Frame {
    pub fn is_ours(&self) -> bool {
        self.url.starts_with("querypoint-agent")
    }
}
