//! A person at the panel: what they type and press there, and what they see.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test program uses its own part of this, and a panic is how a test fails"
)]

use std::fs;

use base64::Engine;
use cdp_driver::native::{Browser, Purpose};
use end_to_end::repository;
use serde_json::json;
use test_support::browsers;

use super::panel::BackEnd;
use super::user::User;

/// Images that neither the editor nor the panel makes: the picture of the page comes when it is taken.
pub const NOT_OF_THE_PANEL: &str = "img:not(.cm-widgetBuffer, .picture[src^=\"data:image/jpeg;\"])";

/// A page with a script that nobody can see into.
pub const PARTLY_BLIND: &str = "<!doctype html><script>
const box = { a: 0, b: 0 };
function count() {
  box.a += 1;
  box.b = box.a * 2;
}
count();
CSS.paintWorklet.addModule('paint.js');
</script>";

/// The element of a line of the source that is in view, as an expression.
pub fn line_of_source(line: u32) -> String {
    format!(
        "(() => {{ const numbers = [...document.querySelectorAll('.lines .cm-lineNumbers .cm-gutterElement')]; \
         const number = numbers.find((it) => it.textContent === '{line}' && it.style.visibility !== 'hidden'); \
         const top = (it) => it.getBoundingClientRect().top; \
         return number && [...document.querySelectorAll('.lines .cm-line')].find((it) => Math.abs(top(it) - \
         top(number)) < 4); }})()"
    )
}

/// Somebody who looks at the panel, and the address of the browser that they use.
pub struct AtPanel {
    pub user: User,
    pub url: String,
}

impl AtPanel {
    /// The panel of this back end in a browser.
    pub async fn of(browser: Browser, back_end: &BackEnd) -> Self {
        let secret = back_end.secret.replace('.', "=");
        let url = format!("http://127.0.0.1:{}/", back_end.port());
        let opened = json!({ "url": format!("{url}#{secret}") });
        let protocol = browser.protocol();
        let made = protocol.send(None, "Target.createTarget", opened).await;
        let target = made.unwrap()["targetId"].as_str().unwrap().to_owned();
        let user = User::looking_at(browser, &url).await;
        user.closes_at_the_end(target);
        let size = json!({ "width": 1200, "height": 700, "deviceScaleFactor": 1, "mobile": false });
        user.send("Emulation.setDeviceMetricsOverride", size).await;
        let panel = Self { user, url };
        panel.is_linked().await;
        panel
    }

    /// The same in the worker's browser.
    pub async fn in_browser(back_end: &BackEnd) -> Self {
        let browser = browsers::browser(Purpose::Everything).await.unwrap();
        Self::of(browser, back_end).await
    }

    /// Waits until there is a back end.
    pub async fn is_linked(&self) {
        self.user
            .until("document.querySelector('.link')?.textContent === ''")
            .await;
    }

    /// Types into a field instead of what is there, and presses Enter.
    pub async fn enters(&self, field: &str, text: &str) {
        self.fills(field, text).await;
        self.user.types("\n").await;
    }

    pub async fn fills(&self, field: &str, text: &str) {
        self.user
            .until(&format!(
                "!document.querySelector('{field}').form.querySelector('button').disabled"
            ))
            .await;
        let field = format!("document.querySelector('{field}')");
        let (x, y) = self.user.place_of(&field).await;
        // Three clicks select what is there.
        self.user.press(x, y, "left", 3).await;
        self.user.types(text).await;
    }

    pub async fn presses(&self, button: &str) {
        self.user
            .until(&format!(
                "document.querySelector('{button}')?.disabled === false"
            ))
            .await;
        self.user
            .clicks_on(&format!("document.querySelector('{button}')"))
            .await;
    }

    /// Waits until the point that is looked at is this one, and its line is marked.
    pub async fn sees(&self, point: &str, line: u32) {
        self.user
            .until(&format!(
                "document.querySelector('.point[aria-current] b')?.textContent === '{point}' \
                 && document.querySelector('.lines .cm-line.chosen')?.dataset.line === '{line}'"
            ))
            .await;
    }

    /// Waits until so many points are shown.
    pub async fn has_points(&self, number: usize) {
        self.user
            .until(&format!(
                "document.querySelectorAll('.point').length === {number}"
            ))
            .await;
    }

    /// Takes the end of the page as the reproduction point, and waits until that was reached.
    pub async fn stops_at_end(&self) {
        self.enters("#at", "end").await;
        self.has_points(1).await;
    }

    /// Ends what is being recorded, once so many clicks are listed.
    pub async fn ends_recording(&self, clicks: usize) {
        self.user
            .until(&format!(
                "[...document.querySelectorAll('.steps li')].filter((step) => \
                step.textContent.startsWith('click')).length === {clicks}"
            ))
            .await;
        self.presses(".record[aria-pressed=true]").await;
        self.user
            .until("document.querySelector('.record').getAttribute('aria-pressed') === 'false'")
            .await;
    }

    /// Waits until this is said of what was done.
    pub async fn is_told(&self, text: &str) {
        self.user
            .until(&format!(
                "document.querySelector('.said pre')?.textContent.includes('{text}')"
            ))
            .await;
    }

    pub async fn text(&self, selector: &str) -> String {
        let expression = format!("document.querySelector('{selector}')?.textContent");
        let text = self.user.look(&expression).await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// The text of the line of the point that is looked at, without the values behind it.
    pub async fn chosen_line(&self) -> String {
        let text = "(() => { const line = document.querySelector('.lines .cm-line.chosen').cloneNode(true); \
            line.querySelectorAll('.values').forEach((it) => it.remove()); return line.textContent; })()";
        self.user.look(text).await.as_str().unwrap().to_owned()
    }

    /// What axe-core, which looks for what keeps people out, finds wrong with the document as it is.
    pub async fn barriers(&self) -> Vec<String> {
        let packages = repository().join("tests/packages");
        let modules = conformance::packages::install_from(&packages, "packages").unwrap();
        let axe = fs::read_to_string(modules.join("axe-core/axe.min.js")).unwrap();
        self.user
            .send("Runtime.evaluate", json!({ "expression": axe }))
            .await;
        let run = "axe.run().then(({ violations, passes }) => ({ \
            found: violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}: \
            ${node.failureSummary}`)), looked: passes.length }))";
        let params = json!({ "expression": run, "awaitPromise": true, "returnByValue": true });
        let result = self.user.send("Runtime.evaluate", params).await;
        let value = &result["result"]["value"];
        assert!(value["looked"].as_u64().unwrap() > 20, "{result}");
        let found = value["found"].as_array().unwrap().iter();
        found.map(|it| it.as_str().unwrap().to_owned()).collect()
    }

    /// Takes a picture for the documentation, where that is written.
    pub async fn picture(&self, name: &str) {
        let taken = self
            .user
            .send("Page.captureScreenshot", json!({ "format": "png" }))
            .await;
        let bytes =
            base64::engine::general_purpose::STANDARD.decode(taken["data"].as_str().unwrap());
        let bytes = bytes.unwrap();
        assert!(bytes.starts_with(b"\x89PNG"));
        if std::env::var_os("WRITE_DOCS").is_some() {
            let folder = repository().join("docs/pictures");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), bytes).unwrap();
        }
    }
}
