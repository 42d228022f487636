//! Firefox with the extension in it, driven by Marionette
//! (<https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html>): its developer tools are reached in no
//! other way.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What may take so long on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A running Firefox; it ends with this.
pub struct Firefox {
    process: Child,
    stream: TcpStream,
    number: u64,
}

/// The program; `cargo xtask test` installs it where it may.
fn program() -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap();
    let mut programs = std::env::split_paths(&folders)
        .flat_map(|folder| ["firefox-esr", "firefox"].map(|name| folder.join(name)));
    programs
        .find(|program| program.is_file())
        .expect("Firefox is not installed: sudo apt-get install firefox-esr")
}

impl Firefox {
    /// One for the user whose folder is `home`, with this extension.
    pub fn start(home: &Path, extension: &Path) -> Self {
        let profile = home.join("profile");
        std::fs::create_dir_all(&profile).unwrap();
        // Which port is free it finds out, and writes it down.
        let preferences = "user_pref('marionette.port', 0);\n\
            user_pref('datareporting.policy.dataSubmissionEnabled', false);\n";
        std::fs::write(profile.join("user.js"), preferences.replace('\'', "\"")).unwrap();
        let process = Command::new(program())
            .args([
                "--headless",
                "--no-remote",
                "--marionette",
                "--remote-allow-system-access",
                "--profile",
            ])
            .arg(&profile)
            .env("HOME", home)
            .env_remove("XDG_CONFIG_HOME")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let written = profile.join("MarionetteActivePort");
        let start = Instant::now();
        let port: u16 = loop {
            let port = std::fs::read_to_string(&written)
                .ok()
                .and_then(|it| it.trim().parse().ok());
            match port {
                Some(port) => break port,
                None => assert!(start.elapsed() < LIMIT, "Firefox does not say where it is"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut firefox = Self {
            process,
            stream,
            number: 0,
        };
        let hello = firefox.hear();
        assert_eq!(hello["marionetteProtocol"], 3, "{hello}");
        firefox.does("WebDriver:NewSession", json!({}));
        let install = json!({ "path": extension, "temporary": true });
        let installed = firefox.does("Addon:Install", install);
        assert_eq!(
            installed["value"],
            querypoint::session::native_host::GECKO_ID
        );
        firefox.does("WebDriver:SetTimeouts", json!({ "script": 50_000 }));
        firefox.does("Marionette:SetContext", json!({ "value": "chrome" }));
        firefox
    }

    fn hear(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).unwrap();
            match byte[0] {
                b':' => break,
                digit => length = length * 10 + usize::from(digit - b'0'),
            }
        }
        let mut message = vec![0; length];
        self.stream.read_exact(&mut message).unwrap();
        serde_json::from_slice(&message).unwrap()
    }

    /// Gives a command, and what it is answered with.
    fn does(&mut self, command: &str, parameters: Value) -> Value {
        self.number += 1;
        let message = json!([0, self.number, command, parameters]).to_string();
        write!(self.stream, "{}:{message}", message.len()).unwrap();
        let mut answer = self.hear();
        assert_eq!(answer[2], Value::Null, "{message}");
        answer[3].take()
    }

    /// What an asynchronous function of this body gives, in the browser's own window, with `argument`.
    fn runs(&mut self, body: &str, argument: &Value) -> Value {
        let script = format!(
            "const [argument, done] = arguments;
             const window = Services.wm.getMostRecentWindow('navigator:browser');
             (async () => {{ {body} }})().then(done, (error) => done(`failed: ${{error}} ${{error.stack}}`));"
        );
        let parameters = json!({ "script": script, "args": [argument], "sandbox": "system", "newSandbox": false });
        self.does("WebDriver:ExecuteAsyncScript", parameters)["value"].take()
    }

    /// Shows a page in the tab, the developer tools for it, and our panel in these.
    pub fn shows_panel_at(&mut self, page: &str) {
        self.does("Marionette:SetContext", json!({ "value": "content" }));
        self.does("WebDriver:Navigate", json!({ "url": page }));
        self.does("Marionette:SetContext", json!({ "value": "chrome" }));
        const SHOW: &str = "
            const { require } = ChromeUtils.importESModule('resource://devtools/shared/loader/Loader.sys.mjs');
            const { gDevTools } = require('devtools/client/framework/devtools');
            const toolbox = await gDevTools.showToolboxForTab(window.gBrowser.selectedTab, {});
            const ours = () => toolbox.getAdditionalTools().find(({ label }) => label === 'Querypoint');
            // The tools do not say when an extension has added to them.
            while (!ours()) await new Promise((then) => window.setTimeout(then, 20));
            const { id } = ours();
            await toolbox.selectTool(id);
            const frame = toolbox.doc.getElementById(`toolbox-panel-iframe-${id}`) ?? toolbox.doc.getElementById(`toolbox-panel-${id}`);
            globalThis.panel = (frame.contentDocument ?? frame).querySelector('browser');
            return 'shown';";
        assert_eq!(self.runs(SHOW, &Value::Null), "shown");
    }

    /// The value of an expression in the panel, which has been reached.
    pub fn look(&mut self, expression: &str) -> Value {
        let seen = self.looked(expression);
        assert_eq!(seen["failed"], Value::Null, "{expression}");
        seen["value"].clone()
    }

    /// What came of an expression in the panel. While that is on its way into its process, what is said to it gets
    /// lost, or finds no document there: then too it has failed.
    fn looked(&mut self, expression: &str) -> Value {
        const LOOK: &str = "
            const { messageManager } = globalThis.panel;
            return new Promise((then) => {
                const ends = (seen) => { messageManager.removeMessageListener('seen', heard); window.clearTimeout(limit); then(seen); };
                const heard = ({ data }) => ends(data);
                const limit = window.setTimeout(() => ends({ failed: 'no answer' }), 5000);
                messageManager.addMessageListener('seen', heard);
                // The document lets nobody evaluate in it, which a sandbox of ours is not asked about.
                const script = `try {
                    const sandbox = Cu.Sandbox(content, { sandboxPrototype: content });
                    sendAsyncMessage('seen', { value: Cu.evalInSandbox(${JSON.stringify(argument)}, sandbox) });
                } catch (error) { sendAsyncMessage('seen', { failed: String(error) }); }`;
                messageManager.loadFrameScript(`data:,${encodeURIComponent(script)}`, false);
            });";
        self.runs(LOOK, &json!(expression))
    }

    /// Waits until the panel has come so far.
    pub fn until(&mut self, condition: &str) {
        let start = Instant::now();
        loop {
            let seen = self.looked(condition);
            if seen["value"] == true {
                return;
            }
            if start.elapsed() > LIMIT {
                let shown = self.looked("document.body.innerText");
                panic!("{condition}: not in {LIMIT:?}, but {seen}; what is shown is {shown}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
