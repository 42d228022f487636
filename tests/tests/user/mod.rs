//! A user in front of a browser that `querypoint record` watches: their hands, through a connection of their own.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test program uses its own part of this, and a panic is how a test fails"
)]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cdp_driver::engine::protocol::SessionId;
use cdp_driver::native::{Browser, LaunchOptions};
use serde_json::{Value, json};

use super::loopback::{Ran, command};

const LIMIT: Duration = Duration::from_secs(60);

pub struct User {
    browser: Browser,
    session: SessionId,
    target: String,
    recorder: Child,
    /// What the command said on standard error so far.
    said: Arc<Mutex<Vec<String>>>,
}

impl User {
    /// Somebody who records `url` into `out`, in a browser of their own, and looks at the page that was opened.
    pub async fn at(url: &str, out: &Path, more: &[&str]) -> Self {
        let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
        let address = format!("http://{}", browser.authority());
        let out = out.to_str().unwrap();
        let mut arguments = vec!["record", url, "--out", out, "--connect", &address];
        arguments.extend(more);
        let mut recorder = command(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Arc::<Mutex<Vec<String>>>::default();
        let lines = BufReader::new(recorder.stderr.take().unwrap()).lines();
        let heard = said.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                heard.lock().unwrap().push(line);
            }
        });
        let protocol = browser.protocol();
        let target = soon("the page is opened", async || {
            let targets = protocol.send(None, "Target.getTargets", json!({})).await;
            let targets = targets.unwrap()["targetInfos"].as_array().unwrap().clone();
            let mut pages = targets.into_iter();
            let page = pages.find(|target| target["url"].as_str() == Some(url))?;
            Some(page["targetId"].as_str().unwrap().to_owned())
        })
        .await;
        let params = json!({ "targetId": target, "flatten": true });
        let attached = protocol.send(None, "Target.attachToTarget", params).await;
        let session = attached.unwrap()["sessionId"].as_str().unwrap().to_owned();
        let user = Self {
            browser,
            session: SessionId(session),
            target,
            recorder,
            said,
        };
        user.until("document.readyState === 'complete'").await;
        user
    }

    pub async fn send(&self, method: &str, params: Value) -> Value {
        let protocol = self.browser.protocol();
        let sent = protocol.send(Some(&self.session), method, params);
        tokio::time::timeout(LIMIT, sent).await.unwrap().unwrap()
    }

    pub async fn look(&self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        self.send("Runtime.evaluate", params).await["result"]["value"].clone()
    }

    /// Waits until the page has come so far.
    pub async fn until(&self, expression: &str) {
        soon(expression, async || {
            (self.look(expression).await == json!(true)).then_some(())
        })
        .await;
    }

    /// Waits until the command has told a step that is described so.
    pub async fn has_recorded(&self, step: &str) {
        let deadline = format!("{step} is recorded");
        let start = Instant::now();
        soon(&deadline, async || {
            assert!(
                start.elapsed() < LIMIT / 2,
                "{:#?}",
                self.said.lock().unwrap()
            );
            let said = self.said.lock().unwrap();
            said.iter()
                .any(|line| line.starts_with("step ") && line.ends_with(step))
                .then_some(())
        })
        .await;
    }

    pub async fn mouse(&self, kind: &str, x: i32, y: i32, more: Value) {
        let mut params = json!({ "type": kind, "x": x, "y": y });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        self.send("Input.dispatchMouseEvent", params).await;
    }

    pub async fn press(&self, x: i32, y: i32, button: &str, clicks: u32) {
        self.mouse("mouseMoved", x, y, json!({})).await;
        for count in 1..=clicks {
            let pressed = json!({ "button": button, "clickCount": count });
            self.mouse("mousePressed", x, y, pressed.clone()).await;
            self.mouse("mouseReleased", x, y, pressed).await;
        }
    }

    pub async fn click(&self, x: i32, y: i32) {
        self.press(x, y, "left", 1).await;
    }

    /// Presses at the first of these places, moves over the others and lets go at the last.
    pub async fn drag(&self, places: &[(i32, i32)]) {
        let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
        let (&(x, y), rest) = places.split_first().unwrap();
        self.mouse("mouseMoved", x, y, json!({})).await;
        self.mouse("mousePressed", x, y, held.clone()).await;
        for &(x, y) in rest {
            self.mouse("mouseMoved", x, y, held.clone()).await;
        }
        let &(x, y) = places.last().unwrap();
        self.mouse("mouseReleased", x, y, held).await;
    }

    /// Turns the wheel.
    pub async fn wheel(&self, x: i32, y: i32, by: i32) {
        let by = json!({ "deltaX": 0, "deltaY": by });
        self.mouse("mouseWheel", x, y, by).await;
    }

    /// Types a text, key by key.
    pub async fn types(&self, text: &str) {
        for letter in text.chars() {
            let key = if letter == '\n' {
                "Enter".to_owned()
            } else {
                letter.to_string()
            };
            self.key(&key, "").await;
        }
    }

    /// Presses and releases a key, while `held` is held if that is one.
    pub async fn key(&self, key: &str, held: &str) {
        let bit = if held == "Control" || key == "Control" {
            2
        } else {
            0
        };
        if !held.is_empty() {
            self.key_event("rawKeyDown", held, bit).await;
        }
        let text = match key {
            "Enter" => Some("\r"),
            _ if key.chars().count() == 1 && held.is_empty() => Some(key),
            _ => None,
        };
        let down = json!({ "type": if text.is_some() { "keyDown" } else { "rawKeyDown" } });
        let mut params = key_params(key, bit);
        params["type"] = down["type"].clone();
        if let Some(text) = text {
            params["text"] = json!(text);
        }
        self.send("Input.dispatchKeyEvent", params).await;
        // What was held is held no longer when it has come up.
        let left = if key == "Control" { 0 } else { bit };
        self.key_event("keyUp", key, left).await;
        if !held.is_empty() {
            self.key_event("keyUp", held, 0).await;
        }
    }

    async fn key_event(&self, kind: &str, key: &str, modifiers: u32) {
        let mut params = key_params(key, modifiers);
        params["type"] = json!(kind);
        self.send("Input.dispatchKeyEvent", params).await;
    }

    /// Closes the tab; what the command then says.
    pub async fn leaves(mut self) -> Ran {
        let params = json!({ "targetId": self.target });
        let protocol = self.browser.protocol();
        let closed = protocol.send(None, "Target.closeTarget", params);
        closed.await.unwrap();
        self.ends()
    }

    /// Waits for the end of the command.
    pub fn ends(&mut self) -> Ran {
        let mut out = String::new();
        let mut stdout = self.recorder.stdout.take().unwrap();
        stdout.read_to_string(&mut out).unwrap();
        let status = self.recorder.wait().unwrap().code();
        let err = self.said.lock().unwrap().join("\n");
        Ran { status, out, err }
    }

    /// Ctrl-C for the command.
    pub fn interrupts(&mut self) -> Ran {
        let pid = self.recorder.id().to_string();
        let status = std::process::Command::new("kill")
            .args(["-s", "INT", &pid])
            .status();
        assert!(status.unwrap().success());
        self.ends()
    }

    pub fn browser(&self) -> &Browser {
        &self.browser
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let _ = self.recorder.kill();
        let _ = self.recorder.wait();
    }
}

fn key_params(key: &str, modifiers: u32) -> Value {
    let (code, key_code) = match key {
        "Tab" => ("Tab".to_owned(), 9),
        "Enter" => ("Enter".to_owned(), 13),
        "Control" => ("ControlLeft".to_owned(), 17),
        "Shift" => ("ShiftLeft".to_owned(), 16),
        "Escape" => ("Escape".to_owned(), 27),
        "ArrowDown" => ("ArrowDown".to_owned(), 40),
        "ArrowRight" => ("ArrowRight".to_owned(), 39),
        letter => {
            let upper = letter.to_ascii_uppercase();
            let code = upper.bytes().next().unwrap_or_default();
            (format!("Key{upper}"), u32::from(code))
        }
    };
    json!({ "key": key, "code": code, "windowsVirtualKeyCode": key_code, "modifiers": modifiers })
}

/// Asks again and again until there is an answer.
async fn soon<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(start.elapsed() < LIMIT, "{what}: not in {LIMIT:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
