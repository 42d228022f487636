//! The panel in the developer tools of a browser, as its extension: it finds or starts the back end by itself, and leads to the defect.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod at_panel;
mod loopback;
mod panel;
mod user;

use std::fs;
use std::path::PathBuf;

use at_panel::AtPanel;
use base64::Engine;
use cdp_driver::engine::protocol::SessionId;
use cdp_driver::native::{Browser, LaunchOptions};
use end_to_end::repository;
use loopback::*;
use panel::BackEnd;
use querypoint::session::native_host::EXTENSION_ID;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use user::{User, find_target, soon, target_of};

/// The extension that was built beside the command.
fn extension() -> PathBuf {
    let command = end_to_end::querypoint_command().unwrap();
    let folder = command.parent().unwrap().join("extension");
    assert!(
        folder.join("panel_bg.wasm").is_file(),
        "`cargo xtask extension` makes it"
    );
    folder
}

async fn browser() -> Browser {
    let extension = extension();
    let options = LaunchOptions {
        extra_flags: vec![
            format!("--load-extension={}", extension.display()),
            // Otherwise a bar comes when the panel follows its tab, and moves everything under the pointer.
            "--silent-debugger-extension-api".to_owned(),
        ],
        ..LaunchOptions::default()
    };
    Browser::launch(options).await.unwrap()
}

/// The folder of the browser's profile.
async fn profile_of(browser: &Browser) -> String {
    let protocol = browser.protocol();
    let info = protocol.send(None, "SystemInfo.getInfo", json!({})).await;
    let line = info.unwrap()["commandLine"].as_str().unwrap().to_owned();
    let mut words = line
        .split("--")
        .filter_map(|word| word.strip_prefix("user-data-dir="));
    words.next().unwrap().trim().trim_matches('"').to_owned()
}

/// Has the browser find the back end of this folder.
async fn install_host(browser: &Browser, folder: &Folder) {
    let (profile, state) = (profile_of(browser).await, folder.0.join("state"));
    let state = state.to_str().unwrap();
    let ran = querypoint(&["install-host", "--profile", &profile, "--state", state]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(ran.out.starts_with("wrote "), "{ran:#?}");
}

/// The developer tools themselves; while they are docked, a frame around the page is of theirs too.
fn is_tools(url: &str) -> bool {
    url.starts_with("devtools://devtools/bundled/devtools_app.html")
}

/// Opens the page in a tab, the developer tools for it, and our panel in these.
async fn panel_at(browser: Browser, page: &str) -> AtPanel {
    let tab = tab_at(&browser, page).await;
    panel_of(browser, &tab).await
}

/// Opens the page in a tab.
async fn tab_at(browser: &Browser, page: &str) -> String {
    let opened = json!({ "url": page });
    let protocol = browser.protocol();
    let tab = protocol.send(None, "Target.createTarget", opened).await;
    tab.unwrap()["targetId"].as_str().unwrap().to_owned()
}

/// Opens the developer tools for a tab; their own.
async fn tools_of(browser: &Browser, tab: &str) -> String {
    let tools = json!({ "targetId": tab });
    let protocol = browser.protocol();
    protocol
        .send(None, "Target.openDevTools", tools)
        .await
        .unwrap();
    target_of(browser, "page", is_tools).await
}

/// Opens the developer tools for a tab, and our panel in these.
async fn panel_of(browser: Browser, tab: &str) -> AtPanel {
    let tools = tools_of(&browser, tab).await;
    let user = User::looking_into(browser, tools).await;
    for setting in [
        "import('devtools://devtools/bundled/ui/legacy/legacy.js')\
            .then((UI) => UI.DockController.DockController.instance().setDockSide('undocked'))",
        // Otherwise they turn to their sources when the page stops, some time.
        "import('devtools://devtools/bundled/core/common/common.js').then((Common) => \
            Common.Settings.Settings.instance().moduleSetting('auto-focus-on-debugger-paused-enabled').set(false))",
    ] {
        let set = json!({ "expression": setting, "awaitPromise": true });
        let done = user.send("Runtime.evaluate", set).await;
        assert!(done.get("exceptionDetails").is_none(), "{done}");
    }
    let url = format!("chrome-extension://{EXTENSION_ID}/index.html");
    // The tools know of the panel a little later than of the extension, and do not say when.
    let show =
        format!("InspectorFrontendAPI.showPanel('chrome-extension://{EXTENSION_ID}Querypoint')");
    let panel = soon("the panel", async || {
        user.look(&show).await;
        find_target(user.browser(), "iframe", |it| it == url).await
    })
    .await;
    user.turns_into(panel).await;
    AtPanel { user, url }
}

/// The id of the extension comes of its key; it may do what it needs and nothing else.
#[test]
fn the_manifest_asks_for_little_and_has_the_id_that_is_let_in() {
    let text = fs::read_to_string(extension().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let key = base64::engine::general_purpose::STANDARD.decode(manifest["key"].as_str().unwrap());
    let digest = Sha256::digest(key.unwrap());
    let nibbles = digest[..16].iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let id: String = nibbles.map(|nibble| char::from(b'a' + nibble)).collect();
    assert_eq!(id, EXTENSION_ID);
    assert_eq!(
        manifest["permissions"],
        json!(["debugger", "nativeMessaging"])
    );
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    for more in [
        "host_permissions",
        "optional_permissions",
        "content_scripts",
    ] {
        assert!(manifest.get(more).is_none(), "{more}");
    }
    let policy = manifest["content_security_policy"]["extension_pages"].as_str();
    let policy = policy.unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"));
    assert!(!policy.contains("http"), "{policy}");
}

#[tokio::test]
async fn in_the_developer_tools_to_the_defect_line() {
    let folder = Folder::new();
    let browser = browser().await;
    let address = format!("http://{}", browser.authority());
    let _back_end = BackEnd::start(&folder, &["--connect", &address]);
    install_host(&browser, &folder).await;
    let counter = fs::read_to_string(repository().join("test-pages/counter/index.html")).unwrap();
    let site = Site::new(&[("/index.html", html(&counter))]);
    let page = site.url("/index.html");
    let panel = panel_at(browser, &page).await;
    let user = &panel.user;
    panel.is_linked().await;
    // It is about the page of the tab.
    user.until(&format!(
        "document.querySelector('#page').value === '{page}'"
    ))
    .await;

    recorded(&panel, &page, 2, async || {
        for shown in ["1", "0"] {
            user.clicks_on("myButton").await;
            user.until(&format!("myButton.textContent === '{shown}'"))
                .await;
        }
    })
    .await;
    panel.enters("#at", "index.html:22").await;
    panel.sees("R", 22).await;
    panel
        .enters("#query", "lastChange(R:myObject.myProperty)")
        .await;
    panel.sees("B", 29).await;
    panel
        .enters("#query", "lastChange(B:myCondition.value)")
        .await;
    panel.sees("C", 35).await;
    assert_eq!(panel.barriers().await, [""; 0]);
    picture(&panel, "extension.png").await;
}

/// Records in the tab that is debugged what is done there, until the panel lists so many clicks.
async fn recorded(panel: &AtPanel, page: &str, clicks: usize, done: impl AsyncFnOnce()) {
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    panel.presses(".record").await;
    user.until("document.querySelector('.stage')?.textContent.startsWith('recording')")
        .await;
    user.turns_to(page).await;
    user.until("performance.getEntriesByType('navigation')[0].type === 'reload' && document.readyState === 'complete'").await;
    done().await;
    user.turns_into(in_panel).await;
    user.until(&format!("[...document.querySelectorAll('.steps li')].filter((step) => step.textContent.startsWith('click')).length === {clicks}"))
        .await;
    panel.presses(".record[aria-pressed=true]").await;
    user.until("document.querySelector('.record').getAttribute('aria-pressed') === 'false'")
        .await;
}

#[tokio::test]
async fn a_painting_is_painted_and_its_colour_is_followed_to_the_defect() {
    let folder = Folder::new();
    let browser = browser().await;
    let address = format!("http://{}", browser.authority());
    let _back_end = BackEnd::start(&folder, &["--connect", &address]);
    install_host(&browser, &folder).await;
    let file = |name: &str| {
        let path = repository().join("test-pages/painting").join(name);
        fs::read_to_string(path).unwrap()
    };
    let site = Site::new(&[
        ("/index.html", html(&file("index.html"))),
        ("/painting.js", script(&file("painting.js"))),
    ]);
    let page = site.url("/index.html");
    let panel = panel_at(browser, &page).await;
    let user = &panel.user;
    panel.is_linked().await;
    recorded(&panel, &page, 7, async || {
        let at = async |id: &str, right: &str, down: &str| {
            let rect = format!("document.getElementById('{id}').getBoundingClientRect()");
            let x = format!("Math.round({rect}.left + {right})");
            let y = format!("Math.round({rect}.top + {down})");
            user.click(user.number(&x).await, user.number(&y).await)
                .await;
        };
        at("line", "10", "8").await;
        at("canvas", "40", "40").await;
        at("canvas", "300", "60").await;
        // All of blue, none of red.
        for (slider, end, value) in [("blue", "rect.width - 4", "255"), ("red", "4", "0")] {
            let right = end.replace(
                "rect",
                &format!("document.getElementById('{slider}').getBoundingClientRect()"),
            );
            at(slider, &right, "8").await;
            user.until(&format!(
                "document.getElementById('{slider}').value === '{value}'"
            ))
            .await;
        }
        at("canvas", "40", "140").await;
        at("canvas", "300", "160").await;
    })
    .await;

    // The second line is black, and was to be blue.
    panel.enters("#at", "painting.js:43").await;
    panel.sees("R", 43).await;
    panel
        .enters("#query", "lastChange(R:ctx.strokeStyle)")
        .await;
    panel.sees("B", 39).await;
    assert!(panel.text("dl.change").await.contains("#000000"));
    panel.enters("#query", "lastChange(B:stroke.color)").await;
    panel.sees("C", 50).await;
    panel.enters("#query", "lastChange(C:tool.color)").await;
    panel.sees("D", 31).await;
    let line = panel.text(".lines .chosen code").await;
    assert_eq!(line.trim(), "tool.color = mixColor();");
    picture(&panel, "tutorial.png").await;

    // The page is made to stand there.
    panel.presses(".stand").await;
    user.until("document.querySelector('.stage')?.textContent.startsWith('the page stands at D at painting.js:31')")
        .await;
    panel.presses(".cancel").await;
    panel.is_told("cancelled").await;
}

/// Takes a picture of the developer tools as a whole: there is none of a frame.
async fn picture(panel: &AtPanel, name: &str) {
    let user = &panel.user;
    let in_panel = user.looks_into();
    let tools = user.target("page", is_tools).await;
    user.turns_into(tools).await;
    panel.picture(name).await;
    user.turns_into(in_panel).await;
}

/// A back end that nobody started by hand is ended with the test.
struct StartedByHost<'f>(&'f Folder);

impl StartedByHost<'_> {
    /// Ends it without warning.
    fn kill(&self) {
        let state = self.0.0.join("state");
        for process in processes_of(state.to_str().unwrap()) {
            let (number, _) = process.split_once(' ').unwrap();
            let killed = std::process::Command::new("kill")
                .args(["-s", "KILL", number])
                .status();
            assert!(killed.is_ok());
        }
    }

    fn is_there(&self) -> bool {
        let state = self.0.0.join("state");
        !processes_of(state.to_str().unwrap()).is_empty()
    }
}

impl Drop for StartedByHost<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A page that counts by itself.
const COUNTING: &str = "<!doctype html><script>
const box = { a: 0, b: 0 };
function count() {
  box.a += 1;
  box.b = box.a * 2;
}
count();
</script>";

#[tokio::test]
async fn after_installation_nobody_has_to_start_anything() {
    let folder = Folder::new();
    let started = StartedByHost(&folder);
    let browser = browser().await;
    let site = Site::new(&[("/", html(COUNTING)), ("/other.html", html(COUNTING))]);
    let (page, other) = (site.url("/"), site.url("/other.html"));
    let panel = panel_at(browser, &page).await;
    let in_panel = panel.user.looks_into();
    let goes = async |from: &str, to: &str| {
        let tab = panel.user.target("page", |url| url == from).await;
        panel.user.turns_into(tab).await;
        let go = format!("setTimeout(() => location.href = '{to}')");
        panel.user.look(&go).await;
        panel.user.target("page", |url| url == to).await;
        panel.user.turns_into(in_panel.clone()).await;
    };
    // Before, it says what to do.
    panel
        .user
        .until("document.querySelector('.link')?.textContent.includes('querypoint install-host')")
        .await;
    install_host(panel.user.browser(), &folder).await;
    panel.is_linked().await;
    assert!(started.is_there());
    panel.enters("#at", "end").await;
    panel
        .user
        .until("document.querySelectorAll('.point').length === 1")
        .await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;

    // One that is gone is started anew, and the session is there, whatever page the tab shows by then.
    goes(&page, &other).await;
    started.kill();
    panel
        .user
        .until("document.querySelector('.link').textContent !== ''")
        .await;
    panel.is_linked().await;
    panel.enters("#query", "lastChange(B:box.a)").await;
    panel.sees("C", 4).await;
    let shown = panel.user.look("document.querySelector('#page').value");
    assert_eq!(shown.await, json!(page));
    goes(&other, &page).await;
    // Loaded again, the panel is at the same session of the same page.
    panel.user.look("location.reload()").await;
    panel
        .user
        .until("document.querySelectorAll('.point').length === 3")
        .await;
    // It follows the tab again: where that stops is told.
    panel.is_linked().await;
    let tab = panel.user.target("page", |url| url == page).await;
    panel.user.turns_into(tab).await;
    let stop = "setTimeout(function waits() { debugger; }, 100)";
    panel.user.look(stop).await;
    panel.user.turns_into(in_panel).await;
    panel
        .user
        .until("document.querySelector('.stop .frame > summary code')?.textContent === 'waits'")
        .await;

    let state = folder.0.join("state");
    let removed = [
        "install-host",
        "--remove",
        "--state",
        state.to_str().unwrap(),
    ];
    let profile = profile_of(panel.user.browser()).await;
    let ran = querypoint(&[&removed[..], &["--profile", &profile]].concat());
    assert_eq!(ran.out.lines().count(), 2, "{ran:#?}");
    started.kill();
    panel
        .user
        .until("document.querySelector('.link').textContent.includes('querypoint install-host')")
        .await;
}

/// A page that stops twice at the same place.
const CART: &str = "<!doctype html><script>
const cart = { total: 0 };
function add(price) {
  const before = cart.total;
  cart.total = before + price;
  debugger;
}
add(2);
add(3);
</script>";

#[tokio::test]
async fn where_the_page_stops_is_noticed_and_asked_from() {
    let folder = Folder::new();
    let browser = browser().await;
    let _back_end = BackEnd::start(&folder, &[]);
    install_host(&browser, &folder).await;
    let site = Site::new(&[("/shop.html", html(CART))]);
    let page = site.url("/shop.html");
    let panel = panel_at(browser, "about:blank").await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    panel.is_linked().await;
    user.until("document.querySelector('.not-following') === null")
        .await;
    let tab = user.target("page", |url| url == "about:blank").await;

    // Somebody stops it: here a statement of its own.
    user.turns_into(tab.clone()).await;
    user.send("Debugger.enable", json!({})).await;
    user.look(&format!("setTimeout(() => location.href = '{page}')"))
        .await;
    user.turns_into(in_panel).await;
    user.until("document.querySelector('.stop .place')?.textContent.endsWith(':6')")
        .await;
    assert_eq!(panel.text(".stop p").await, "pause");
    let frames =
        "[...document.querySelectorAll('.stop .frame > summary code')].map((it) => it.textContent)";
    assert_eq!(user.look(frames).await, json!(["add", "(top level)"]));
    let row = |name: &str, cell: &str| {
        format!(
            "[...document.querySelectorAll('.stop tr')].find((row) => row.querySelector('th').textContent === '{name}')?.querySelector('{cell}')"
        )
    };
    let value = user
        .look(&format!("{}.textContent", row("price", "td")))
        .await;
    assert_eq!(value, json!("2"));

    // The session of a tab that showed no page has become that of the page.
    user.until(&format!(
        "document.querySelector('#page').value === '{page}'"
    ))
    .await;
    // Asked from there it is the last time that the place is passed; that it is another one is said.
    user.clicks_on(&row("before", "button")).await;
    panel.sees("B", 4).await;
    let note =
        "document.querySelector('.notes')?.textContent.includes('before, price had another value')";
    user.until(note).await;
    picture(&panel, "stop.png").await;

    // It goes on, to the second time; now there is nothing to be said.
    user.has_do(&tab, "Debugger.resume").await;
    user.until(&format!("{}?.textContent === '3'", row("price", "td")))
        .await;
    user.clicks_on(&row("before", "button")).await;
    panel.sees("C", 4).await;
    user.until("document.querySelector('.notes') === null")
        .await;
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;
}

/// A page in which the line of an exception is passed again afterwards.
const THROWS: &str = "<!doctype html><script>
const cart = { items: [{ price: 1 }] };
function price(number) {
  return cart.items[number].price;
}
setTimeout(() => { cart.items.length = 0; price(0); });
setTimeout(() => { cart.items.push({ price: 2 }); price(0); });
</script>";

#[tokio::test]
async fn an_exception_that_nobody_catches_is_looked_at() {
    let folder = Folder::new();
    let browser = browser().await;
    let _back_end = BackEnd::start(&folder, &[]);
    install_host(&browser, &folder).await;
    let site = Site::new(&[("/throws.html", html(THROWS))]);
    let page = site.url("/throws.html");
    let panel = panel_at(browser, &page).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    panel.is_linked().await;
    user.until("document.querySelector('.not-following') === null")
        .await;
    let tab = user.target("page", |url| url == page).await;
    user.turns_into(tab).await;
    user.send("Debugger.enable", json!({})).await;
    let uncaught = json!({ "state": "uncaught" });
    user.send("Debugger.setPauseOnExceptions", uncaught).await;
    // Loaded again: a page in another process would be told of without the reason, since it stands before it is followed.
    user.look("setTimeout(() => location.reload())").await;
    user.turns_into(in_panel).await;
    user.until("document.querySelector('.stop p')?.textContent.startsWith('exception: TypeError')")
        .await;
    panel.presses(".exception-here").await;
    panel.sees("R", 4).await;
    let at = user.look("document.querySelector('#at').value").await;
    assert!(
        at.as_str().unwrap().starts_with("exception:TypeError"),
        "{at}"
    );
    panel
        .enters("#query", "lastChange(R:cart.items.length)")
        .await;
    panel.sees("B", 6).await;
}

#[tokio::test]
async fn it_wears_the_theme_of_the_tools_and_what_takes_too_long_is_cancelled() {
    let folder = Folder::new();
    let browser = browser().await;
    let _back_end = BackEnd::start(&folder, &[]);
    install_host(&browser, &folder).await;
    let site = Site::new(&[
        ("/", html("<!doctype html><script>fetch('/slow')</script>")),
        ("/slow", html("slow").after_ms(600_000)),
    ]);
    let tab = tab_at(&browser, &site.url("/")).await;
    // The tools wear it when they are opened again.
    let tools = tools_of(&browser, &tab).await;
    let protocol = browser.protocol();
    let attach = json!({ "targetId": tools, "flatten": true });
    let attached = protocol.send(None, "Target.attachToTarget", attach).await;
    let session = attached.unwrap()["sessionId"].as_str().unwrap().to_owned();
    let dark = "import('devtools://devtools/bundled/core/common/common.js').then((Common) => \
        Common.Settings.Settings.instance().moduleSetting('ui-theme').set('dark'))";
    let set = json!({ "expression": dark, "awaitPromise": true });
    let session = SessionId(session);
    let done = protocol.send(Some(&session), "Runtime.evaluate", set).await;
    assert!(
        done.as_ref()
            .is_ok_and(|done| done.get("exceptionDetails").is_none()),
        "{done:?}"
    );
    let close = json!({ "targetId": tools });
    let closed = protocol.send(None, "Target.closeTarget", close).await;
    closed.unwrap();
    soon("the tools to close", async || {
        let open = find_target(&browser, "page", is_tools).await;
        open.is_none().then_some(())
    })
    .await;

    let panel = panel_of(browser, &tab).await;
    panel.is_linked().await;
    let worn = "[document.documentElement.dataset.theme, getComputedStyle(document.documentElement).backgroundColor]";
    assert_eq!(
        panel.user.look(worn).await,
        json!(["dark", "rgb(32, 33, 36)"])
    );
    panel.enters("#at", "console:never").await;
    panel.presses(".cancel").await;
    panel.is_told("cancelled").await;
    assert_eq!(panel.text(".stage").await, "");
    assert_eq!(panel.barriers().await, [""; 0]);
    picture(&panel, "extension-dark.png").await;
}

/// A page that is stopped in the middle, if somebody wants that.
const STEPS: &str = "<!doctype html><script>
let done = 0;
function step() {
  done += 1;
  done += 1;
}
step();
</script>
<p>text";

#[tokio::test]
async fn a_breakpoint_that_is_set_in_the_source_stops_the_tab() {
    let folder = Folder::new();
    let browser = browser().await;
    let _back_end = BackEnd::start(&folder, &[]);
    install_host(&browser, &folder).await;
    let site = Site::new(&[("/steps.html", html(STEPS))]);
    let page = site.url("/steps.html");
    let panel = panel_at(browser, &page).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    panel.is_linked().await;
    user.until("document.querySelector('.not-following') === null")
        .await;
    let tab = user.target("page", |url| url == page).await;
    panel.enters("#at", "steps.html:4").await;
    panel.sees("R", 4).await;
    let switch = async |line: u32, item: &str| {
        let code = format!("document.querySelector('.lines [data-line=\"{line}\"] code')");
        let (x, y) = user.place_of(&code).await;
        user.press(x, y, "right", 1).await;
        user.clicks_on(&format!(
            "[...document.querySelectorAll('[role=menuitem]')].find((it) => it.textContent === '{item}')"
        ))
        .await;
    };
    let marked = |line: u32| {
        format!(
            "[...document.querySelectorAll('.breakpoint')].map((it) => it.closest('li').dataset.line).join() === '{}'",
            if line == 0 {
                String::new()
            } else {
                line.to_string()
            }
        )
    };

    // It stands at the code that comes next.
    switch(3, "Set a breakpoint at line 3").await;
    user.until(&marked(4)).await;
    assert_eq!(panel.barriers().await, [""; 0]);
    user.has_do(&tab, "Page.reload").await;
    user.until("document.querySelector('.stop .place')?.textContent.endsWith(':4')")
        .await;
    assert_eq!(panel.text(".stop p").await, "breakpoint");
    picture(&panel, "breakpoint.png").await;
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;

    switch(4, "Remove the breakpoint at line 4").await;
    user.until(&marked(0)).await;
    user.turns_into(tab).await;
    user.look("before = true").await;
    user.send("Page.reload", json!({})).await;
    user.until("typeof before === 'undefined' && typeof done !== 'undefined' && done === 2")
        .await;
    user.turns_into(in_panel).await;

    // Where no code is none is set.
    switch(9, "Set a breakpoint at line 9").await;
    panel.is_told("the tab has run no code at line 9").await;
    assert_eq!(user.look(&marked(0)).await, json!(true));
}

/// A page whose functions, values, messages, addresses and elements are markup.
const HOSTILE: &str = "<!doctype html><p id='<img src=x onerror=hacked=1>'>text</p><script>
const o = { ['<img src=x onerror=hacked=1>'](value) { debugger; throw value; } };
setTimeout(() => o['<img src=x onerror=hacked=1>']('<img src=x onerror=hacked=1>'));
//# sourceURL=<img src=x onerror=hacked=1>.js
</script>";

#[tokio::test]
async fn a_page_that_stops_is_text_in_the_panel() {
    let folder = Folder::new();
    let browser = browser().await;
    let _back_end = BackEnd::start(&folder, &[]);
    install_host(&browser, &folder).await;
    let site = Site::new(&[("/", html(HOSTILE))]);
    let panel = panel_at(browser, "about:blank").await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    panel.is_linked().await;
    user.until("document.querySelector('.not-following') === null")
        .await;
    let tab = user.target("page", |url| url == "about:blank").await;
    user.turns_into(tab.clone()).await;
    user.look(&format!(
        "setTimeout(() => location.href = '{}')",
        site.url("/")
    ))
    .await;
    user.turns_into(in_panel).await;
    user.until("document.querySelector('.stop')?.textContent.includes('<img src=x')")
        .await;
    // Asked about, it is text in what is said as well.
    user.clicks_on("document.querySelector('.stop .last-change')")
        .await;
    user.until("document.querySelector('.said pre') !== null || document.querySelectorAll('.point').length > 1")
        .await;
    let made = "[document.querySelectorAll('img, script:not([src])').length, typeof hacked]";
    assert_eq!(user.look(made).await, json!([0, "undefined"]));
}

/// A page that shows what it computed.
const SHOWN: &str = "<!doctype html><ul><li class=old>one</li><li id=total>two</li></ul>
<script>
const total = document.getElementById('total');
total.textContent = 'three';
document.querySelector('.old').className = 'new';
total.style.backgroundColor = 'red';
</script>";

#[tokio::test]
async fn an_element_that_is_picked_is_asked_about() {
    let folder = Folder::new();
    let browser = browser().await;
    let _back_end = BackEnd::start(&folder, &[]);
    install_host(&browser, &folder).await;
    let site = Site::new(&[("/", html(SHOWN))]);
    let panel = panel_at(browser, &site.url("/")).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    let tools = user.target("page", is_tools).await;
    panel.is_linked().await;
    let pick = async |selector: &str| {
        user.turns_into(tools.clone()).await;
        let picking = format!(
            "(async () => {{
                const [SDK, UI] = await Promise.all(['core/sdk/sdk', 'ui/legacy/legacy'].map((it) => import(`devtools://devtools/bundled/${{it}}.js`)));
                const model = SDK.TargetManager.TargetManager.instance().primaryPageTarget().model(SDK.DOMModel.DOMModel);
                const page = await model.requestDocument();
                const node = model.nodeForId(await model.querySelector(page.id, '{selector}'));
                await node.setAsInspectedNode();
                UI.Context.Context.instance().setFlavor(SDK.DOMModel.DOMNode, node);
                return node.localName();
            }})()"
        );
        // The tools have the page some time after they are there.
        let mut last = String::new();
        soon("the tools to pick", async || {
            let params = json!({ "expression": picking, "awaitPromise": true });
            let picked = user.send("Runtime.evaluate", params).await;
            let said = picked["result"]["description"].to_string();
            if said != last {
                eprintln!("the tools: {said}");
                last = said;
            }
            (picked["result"]["value"] == "li").then_some(())
        })
        .await;
        user.turns_into(in_panel.clone()).await;
    };
    pick("#total").await;
    user.until("document.querySelector('.element code')?.textContent === 'li#total'")
        .await;
    panel.presses(".of-text").await;
    panel.sees("B", 4).await;
    let change = panel.text("dl.change").await;
    assert!(
        change.contains("two") && change.contains("three"),
        "{change}"
    );
    panel.enters("#style", "background-color").await;
    panel.sees("C", 6).await;
    pick("li").await;
    user.until("document.querySelector('.element code')?.textContent === 'li.new'")
        .await;
    panel.enters("#attribute", "class").await;
    panel.sees("D", 5).await;
    picture(&panel, "element.png").await;
    assert_eq!(panel.barriers().await, [""; 0]);
}
