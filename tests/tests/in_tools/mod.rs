//! The panel in the developer tools of a browser: its extension is installed there, and the tools are opened for a tab.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test program uses its own part of this, and a panic is how a test fails"
)]

use std::path::PathBuf;

use cdp_driver::native::{Browser, LaunchOptions, Purpose};
use querypoint::session::native_host::EXTENSION_ID;
use serde_json::json;

use super::at_panel::AtPanel;
use super::loopback::{Folder, processes_of, querypoint};
use super::panel::BackEnd;
use super::user::{User, find_target, soon, target_of};

/// A page that counts by itself.
pub const COUNTING: &str = "<!doctype html><script>
const box = { a: 0, b: 0 };
function count() {
  box.a += 1;
  box.b = box.a * 2;
}
count();
</script>";

/// The extension that was built beside the command.
pub fn extension() -> PathBuf {
    let command = end_to_end::querypoint_command().unwrap();
    let folder = command.parent().unwrap().join("extension");
    assert!(
        folder.join("panel_bg.wasm").is_file(),
        "`cargo xtask extension` makes it"
    );
    folder
}

/// What is set where browsers are to have windows on a display, as a person's have.
const IN_WINDOWS: &str = "QUERYPOINT_IN_WINDOWS";

/// A browser that has the extension.
pub async fn browser() -> Browser {
    let extension = extension();
    let purpose = match std::env::var_os(IN_WINDOWS) {
        Some(_) => Purpose::Window,
        None => Purpose::Everything,
    };
    let options = LaunchOptions {
        extra_flags: vec![
            format!("--load-extension={}", extension.display()),
            // Otherwise a bar comes when the panel follows its tab, and moves everything under the pointer.
            "--silent-debugger-extension-api".to_owned(),
        ],
        ..LaunchOptions::of(purpose)
    };
    Browser::launch(options).await.unwrap()
}

/// The folder of the browser's profile.
pub async fn profile_of(browser: &Browser) -> String {
    let protocol = browser.protocol();
    let info = protocol.send(None, "SystemInfo.getInfo", json!({})).await;
    let line = info.unwrap()["commandLine"].as_str().unwrap().to_owned();
    let mut words = line
        .split("--")
        .filter_map(|word| word.strip_prefix("user-data-dir="));
    words.next().unwrap().trim().trim_matches('"').to_owned()
}

/// Has the browser find the back end of this folder.
pub async fn install_host(browser: &Browser, folder: &Folder) {
    let (profile, state) = (profile_of(browser).await, folder.0.join("state"));
    let state = state.to_str().unwrap();
    let ran = querypoint(&["install-host", "--profile", &profile, "--state", state]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(ran.out.starts_with("wrote "), "{ran:#?}");
}

/// A browser, and a back end of this folder that it finds.
pub async fn browser_and_back_end(folder: &Folder) -> (Browser, BackEnd) {
    let browser = browser().await;
    let back_end = BackEnd::start(folder, &[]);
    install_host(&browser, folder).await;
    (browser, back_end)
}

/// The same, where the back end runs pages in this browser too: what is recorded is recorded in its tabs.
pub async fn browser_of_back_end(folder: &Folder) -> (Browser, BackEnd) {
    let browser = browser().await;
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(folder, &["--connect", &address]);
    install_host(&browser, folder).await;
    (browser, back_end)
}

/// The developer tools themselves; while they are docked, a frame around the page is of theirs too.
pub fn is_tools(url: &str) -> bool {
    url.starts_with("devtools://devtools/bundled/devtools_app.html")
}

/// Opens the page in a tab, the developer tools for it, and our panel in these.
pub async fn panel_at(browser: Browser, page: &str) -> AtPanel {
    let tab = tab_at(&browser, page).await;
    panel_of(browser, &tab).await
}

/// The same, once the panel hears where the tab stops; and that tab.
pub async fn panel_that_follows(browser: Browser, page: &str) -> (AtPanel, String) {
    let panel = panel_at(browser, page).await;
    panel.is_linked().await;
    panel
        .user
        .until("document.querySelector('.not-following') === null")
        .await;
    let tab = panel.user.target("page", |url| url == page).await;
    (panel, tab)
}

/// A panel that follows a tab with a debugger of its own, in which `page` is opened: it stops at a statement of the
/// page's.
pub async fn panel_beside_a_stop(browser: Browser, page: &str) -> (AtPanel, String) {
    let (panel, tab) = panel_that_follows(browser, "about:blank").await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    user.turns_into(tab.clone()).await;
    user.send("Debugger.enable", json!({})).await;
    user.look(&format!("setTimeout(() => location.href = '{page}')"))
        .await;
    user.turns_into(in_panel).await;
    (panel, tab)
}

/// Opens the page in a tab.
pub async fn tab_at(browser: &Browser, page: &str) -> String {
    let opened = json!({ "url": page });
    let protocol = browser.protocol();
    let tab = protocol.send(None, "Target.createTarget", opened).await;
    tab.unwrap()["targetId"].as_str().unwrap().to_owned()
}

/// Opens the developer tools for a tab; their own.
pub async fn tools_of(browser: &Browser, tab: &str) -> String {
    let tools = json!({ "targetId": tab });
    let protocol = browser.protocol();
    protocol
        .send(None, "Target.openDevTools", tools)
        .await
        .unwrap();
    target_of(browser, "page", is_tools).await
}

/// Opens the developer tools for a tab, and our panel in these.
pub async fn panel_of(browser: Browser, tab: &str) -> AtPanel {
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

/// Picks an element of the page that is debugged, as the tools' own view of elements does.
pub async fn pick(panel: &AtPanel, selector: &str) {
    let user = &panel.user;
    let in_panel = user.looks_into();
    let tools = user.target("page", is_tools).await;
    user.turns_into(tools).await;
    let picking = format!(
        "(async () => {{
            const [SDK, UI] = await Promise.all(['core/sdk/sdk', 'ui/legacy/legacy'].map((it) => import(`devtools://devtools/bundled/${{it}}.js`)));
            const model = SDK.TargetManager.TargetManager.instance().primaryPageTarget().model(SDK.DOMModel.DOMModel);
            const page = await model.requestDocument();
            const node = model.nodeForId(await model.querySelector(page.id, '{selector}'));
            await node.setAsInspectedNode();
            UI.Context.Context.instance().setFlavor(SDK.DOMModel.DOMNode, node);
            return node.localName() !== '';
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
        (picked["result"]["value"] == true).then_some(())
    })
    .await;
    user.turns_into(in_panel).await;
}

/// Takes a picture of the developer tools as a whole: there is none of a frame.
pub async fn picture(panel: &AtPanel, name: &str) {
    let user = &panel.user;
    let in_panel = user.looks_into();
    let tools = user.target("page", is_tools).await;
    user.turns_into(tools).await;
    panel.picture(name).await;
    user.turns_into(in_panel).await;
}

/// A back end that nobody started by hand is ended with the test.
pub struct StartedByHost<'f>(pub &'f Folder);

impl StartedByHost<'_> {
    /// Ends it without warning.
    pub fn kill(&self) {
        let state = self.0.0.join("state");
        for process in processes_of(state.to_str().unwrap()) {
            let (number, _) = process.split_once(' ').unwrap();
            let killed = std::process::Command::new("kill")
                .args(["-s", "KILL", number])
                .status();
            assert!(killed.is_ok());
        }
    }

    pub fn is_there(&self) -> bool {
        let state = self.0.0.join("state");
        !processes_of(state.to_str().unwrap()).is_empty()
    }
}

impl Drop for StartedByHost<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}
