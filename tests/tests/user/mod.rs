//! A user in front of a browser that `querypoint record` watches: their hands, through a connection of their own.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test program uses its own part of this, and a panic is how a test fails"
)]

mod input;

use parking_lot::Mutex;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, LaunchOptions, Purpose};
use cdp_driver::protocol::SessionId;
use futures::StreamExt;
use serde_json::{Value, json};
use test_support::browsers;

use super::loopback::{Ran, command};

/// A button where [`User::finishes`] presses it.
pub const END: &str = "<button id=end style='position: absolute; left: 600px; top: 400px; width: 100px; height: \
    40px'>End</button>";

const LIMIT: Duration = Duration::from_secs(60);

pub struct User {
    browser: Browser,
    /// The session and the target of the tab that they look at.
    tab: Mutex<(SessionId, String)>,
    /// The tab that is recorded.
    target: String,
    /// The command that records them, where they were not given in another way.
    recorder: Option<Child>,
    /// What the command said on standard error so far.
    said: Arc<Mutex<Vec<String>>>,
    /// The tabs that they opened, which others that use the browser are not to find.
    opened: Mutex<Vec<String>>,
}

impl User {
    /// Somebody who records `url` into `out`, and looks at the page that was opened.
    pub async fn at(url: &str, out: &Path, more: &[&str]) -> Self {
        // The address of a file's tab is not known whole: there are no others in a browser of their own.
        let browser = match url.starts_with("http") {
            true => browsers::browser(Purpose::Everything).await,
            false => Browser::launch(LaunchOptions::of(Purpose::Everything)).await,
        };
        Self::of(browser.unwrap(), url, out, more).await
    }

    /// The same in a tab that they had open, once it was loaded again for the recording; `has_stored` is evaluated
    /// there before.
    pub async fn in_open_tab(url: &str, has_stored: &str, out: &Path, more: &[&str]) -> Self {
        let browser = Browser::launch(LaunchOptions::of(Purpose::Everything))
            .await
            .unwrap();
        let (session, _) = opened(&browser, url).await;
        let loaded = format!("location.href === '{url}' && document.readyState === 'complete'");
        soon(&loaded, async || {
            let answer = evaluated_in(&browser, &session, &loaded).await;
            (answer == json!(true)).then_some(())
        })
        .await;
        evaluated_in(&browser, &session, has_stored).await;
        let more: Vec<&str> = more.iter().copied().chain(["--tab"]).collect();
        let user = Self::of(browser, url, out, &more).await;
        user.until("performance.getEntriesByType('navigation')[0].type === 'reload' && document.readyState === \
            'complete'").await;
        user
    }

    async fn of(browser: Browser, url: &str, out: &Path, more: &[&str]) -> Self {
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
                heard.lock().push(line);
            }
        });
        let mut user = Self::looking_at(browser, url).await;
        (user.recorder, user.said) = (Some(recorder), said);
        user
    }

    /// Somebody who looks at the tab of this browser that shows `url`, once there is one.
    pub async fn looking_at(browser: Browser, url: &str) -> Self {
        let target = tab_of(&browser, url).await;
        Self::looking_into(browser, target).await
    }

    /// Somebody who looks at this target.
    pub async fn looking_into(browser: Browser, target: String) -> Self {
        let session = attached(&browser, &target).await;
        let user = Self {
            browser,
            tab: Mutex::new((session, target.clone())),
            target,
            recorder: None,
            said: Arc::default(),
            opened: Mutex::default(),
        };
        user.until("document.readyState === 'complete'").await;
        user
    }

    pub async fn send(&self, method: &str, params: Value) -> Value {
        let protocol = self.browser.protocol();
        let session = self.tab.lock().0.clone();
        let sent = protocol.send(Some(&session), method, params);
        tokio::time::timeout(LIMIT, sent).await.unwrap().unwrap()
    }

    /// Answers what the browser would ask about a permission: `granted`, `denied`.
    pub async fn permits(&self, name: &str, setting: &str) {
        let protocol = self.browser.protocol();
        let of_target = json!({ "targetId": self.target });
        let info = protocol.send(None, "Target.getTargetInfo", of_target);
        let info = info.await.unwrap();
        let params = json!({
            "permission": { "name": name }, "setting": setting, "browserContextId": info["targetInfo"]["browserContextId"],
        });
        let set = protocol.send(None, "Browser.setPermission", params);
        set.await.unwrap();
    }

    pub async fn look(&self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        self.send("Runtime.evaluate", params).await["result"]["value"].clone()
    }

    /// Waits until the page has come so far.
    pub async fn until(&self, expression: &str) {
        let start = Instant::now();
        loop {
            let session = self.tab.lock().0.clone();
            let value = evaluated_in(&self.browser, &session, expression).await;
            if value == json!(true) {
                return;
            }
            if start.elapsed() > LIMIT {
                let shown = "document.body?.innerText";
                let shown = evaluated_in(&self.browser, &session, shown).await;
                panic!("{expression}: not in {LIMIT:?}; what is shown is {shown}");
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until the command has told a step that is described so.
    pub async fn has_recorded(&self, step: &str) {
        let deadline = format!("{step} is recorded");
        let start = Instant::now();
        soon(&deadline, async || {
            assert!(start.elapsed() < LIMIT / 2, "{:#?}", self.said.lock());
            let said = self.said.lock();
            said.iter()
                .any(|line| line.starts_with("step ") && line.ends_with(step))
                .then_some(())
        })
        .await;
    }

    /// Opens `url` in another tab, and turns to it.
    pub async fn opens(&self, url: &str) {
        let tab = opened(&self.browser, url).await;
        self.closes_at_the_end(tab.1.clone());
        *self.tab.lock() = tab;
        self.until(&format!(
            "location.href === '{url}' && document.readyState === 'complete'"
        ))
        .await;
    }

    /// Has this tab closed when they go.
    pub fn closes_at_the_end(&self, target: String) {
        self.opened.lock().push(target);
    }

    /// Turns to the tab that shows `url`.
    pub async fn turns_to(&self, url: &str) {
        let target = tab_of(&self.browser, url).await;
        let protocol = self.browser.protocol();
        let front = json!({ "targetId": target });
        let shown = protocol.send(None, "Target.activateTarget", front).await;
        shown.unwrap();
        self.turns_into(target).await;
    }

    /// Turns to this target, which need not be a tab.
    pub async fn turns_into(&self, target: String) {
        let session = attached(&self.browser, &target).await;
        *self.tab.lock() = (session, target);
        self.until("document.readyState === 'complete'").await;
    }

    /// Has another target do something, without looking at it.
    pub async fn has_do(&self, target: &str, method: &str) {
        let session = attached(&self.browser, target).await;
        let protocol = self.browser.protocol();
        for method in ["Debugger.enable", method] {
            let sent = protocol.send(Some(&session), method, json!({}));
            sent.await.unwrap();
        }
    }

    /// The target that they look at.
    pub fn looks_into(&self) -> String {
        self.tab.lock().1.clone()
    }

    /// The target whose kind and address are such, once there is one.
    pub async fn target(&self, kind: &str, is_it: impl Fn(&str) -> bool) -> String {
        target_of(&self.browser, kind, is_it).await
    }

    /// Closes the tab that they look at.
    pub async fn closes_tab(&self) {
        let target = self.tab.lock().1.clone();
        let params = json!({ "targetId": target });
        let protocol = self.browser.protocol();
        let closed = protocol.send(None, "Target.closeTarget", params);
        closed.await.unwrap();
    }

    /// Goes back or forward with the browser's buttons.
    pub async fn goes(&self, delta: i64) {
        let history = self.send("Page.getNavigationHistory", json!({})).await;
        let index = history["currentIndex"].as_i64().unwrap() + delta;
        let entry = &history["entries"][usize::try_from(index).unwrap()]["id"];
        let params = json!({ "entryId": entry });
        self.send("Page.navigateToHistoryEntry", params).await;
    }

    /// Clicks on what shows dialogs, and answers them: whether with OK, and what is typed.
    pub async fn click_and_answer(&self, x: i32, y: i32, answers: &[(bool, Option<&str>)]) {
        let mut events = self.browser.protocol().events();
        self.send("Page.enable", json!({})).await;
        let answering = async {
            for (accept, text) in answers {
                loop {
                    let event = events.next();
                    let event = tokio::time::timeout(LIMIT, event).await.unwrap().unwrap();
                    if event.method == "Page.javascriptDialogOpening" {
                        break;
                    }
                }
                let mut answer = json!({ "accept": accept });
                if let Some(text) = text {
                    answer["promptText"] = json!(text);
                }
                self.send("Page.handleJavaScriptDialog", answer).await;
            }
        };
        futures::join!(self.click(x, y), answering);
    }

    /// Clicks on what lets files be chosen, and chooses these in the browser's dialog.
    pub async fn chooses(&self, x: i32, y: i32, files: &[&Path]) {
        let mut events = self.browser.protocol().events();
        self.send("Page.enable", json!({})).await;
        let instead = json!({ "enabled": true });
        self.send("Page.setInterceptFileChooserDialog", instead)
            .await;
        self.click(x, y).await;
        let field = loop {
            let event = events.next();
            let event = tokio::time::timeout(LIMIT, event).await.unwrap().unwrap();
            if event.method == "Page.fileChooserOpened" {
                break event.params["backendNodeId"].clone();
            }
        };
        let paths: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
        let params = json!({ "files": paths, "backendNodeId": field });
        self.send("DOM.setFileInputFiles", params).await;
    }

    /// Closes the tab; what the command then says.
    pub async fn leaves(mut self) -> Ran {
        let params = json!({ "targetId": self.target });
        let protocol = self.browser.protocol();
        let closed = protocol.send(None, "Target.closeTarget", params);
        closed.await.unwrap();
        self.ends()
    }

    /// Presses the button in the corner of the pages here that ends what they do, and closes the tab; what the command
    /// then says.
    pub async fn finishes(self, button: &str) -> Ran {
        self.click(650, 420).await;
        self.has_recorded(&format!("click aria/{button}")).await;
        self.until("window.finished").await;
        let ran = self.leaves().await;
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        ran
    }

    /// Waits for the end of the command.
    pub fn ends(&mut self) -> Ran {
        let mut out = String::new();
        let recorder = self.recorder.as_mut().unwrap();
        let mut stdout = recorder.stdout.take().unwrap();
        stdout.read_to_string(&mut out).unwrap();
        let status = recorder.wait().unwrap().code();
        let err = self.said.lock().join("\n");
        Ran { status, out, err }
    }

    /// Ctrl-C for the command.
    pub fn interrupts(&mut self) -> Ran {
        let pid = self.recorder.as_ref().unwrap().id().to_string();
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
        if let Some(recorder) = &mut self.recorder {
            let _ = recorder.kill();
            let _ = recorder.wait();
        }
        for target in self.opened.lock().iter() {
            let _ = close_tab(self.browser.authority(), target);
        }
    }
}

/// Closes a tab, if it is still there, without a runtime to wait in.
fn close_tab(authority: &str, target: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(authority)?;
    stream.set_read_timeout(Some(LIMIT))?;
    write!(
        stream,
        "GET /json/close/{target} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n"
    )?;
    // Its first byte says that it was done.
    stream.read_exact(&mut [0])
}

/// The tab that shows `url`, once there is one.
async fn tab_of(browser: &Browser, url: &str) -> String {
    // Where a file is served is known from its name alone.
    let name = url.rsplit('/').next().unwrap_or(url);
    let is_it = |there: &str| match url.starts_with("http") {
        true => there == url,
        false => there.ends_with(name),
    };
    target_of(browser, "page", is_it).await
}

/// The target of this kind whose address is such, once there is one.
pub async fn target_of(browser: &Browser, kind: &str, is_it: impl Fn(&str) -> bool) -> String {
    soon(kind, async || find_target(browser, kind, &is_it).await).await
}

/// The target of this kind whose address is such, if there is one.
pub async fn find_target(
    browser: &Browser,
    kind: &str,
    is_it: impl Fn(&str) -> bool,
) -> Option<String> {
    let protocol = browser.protocol();
    let targets = protocol.send(None, "Target.getTargets", json!({})).await;
    let targets = targets.unwrap()["targetInfos"].as_array().unwrap().clone();
    let mut of_kind = targets.into_iter().filter(|target| target["type"] == kind);
    let target = of_kind.find(|target| is_it(target["url"].as_str().unwrap()))?;
    Some(target["targetId"].as_str().unwrap().to_owned())
}

/// Opens a tab: its session and its target.
pub async fn opened(browser: &Browser, url: &str) -> (SessionId, String) {
    let params = json!({ "url": url });
    let protocol = browser.protocol();
    let target = protocol.send(None, "Target.createTarget", params).await;
    let target = target.unwrap()["targetId"].as_str().unwrap().to_owned();
    (attached(browser, &target).await, target)
}

/// The value of an expression there; none while documents change places.
async fn evaluated_in(browser: &Browser, session: &SessionId, expression: &str) -> Value {
    let params = json!({ "expression": expression, "returnByValue": true });
    let protocol = browser.protocol();
    let sent = protocol.send(Some(session), "Runtime.evaluate", params);
    // A document that is left meanwhile does not answer: the next one does.
    let answer = tokio::time::timeout(LIMIT, sent).await.unwrap();
    answer.map_or(Value::Null, |mut answer| answer["result"]["value"].take())
}

async fn attached(browser: &Browser, target: &str) -> SessionId {
    let params = json!({ "targetId": target, "flatten": true });
    let protocol = browser.protocol();
    let attached = protocol.send(None, "Target.attachToTarget", params).await;
    SessionId(attached.unwrap()["sessionId"].as_str().unwrap().to_owned())
}

/// Looks until there is something.
pub async fn soon<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(start.elapsed() < LIMIT, "{what}: not in {LIMIT:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
