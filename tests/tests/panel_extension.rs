//! The panel in the developer tools of a browser, as its extension: it finds or starts the back end by itself, and
//! leads to the defect.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::at_panel::AtPanel;
use crate::in_tools::*;
use crate::loopback::*;
use crate::panel::BackEnd;
use crate::user::{find_target, soon};
use base64::Engine;
use cdp_driver::protocol::SessionId;
use end_to_end::repository;
use querypoint::session::native_host::EXTENSION_ID;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

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
    let (browser, _back_end) = browser_of_back_end(&folder).await;
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
    user.until("performance.getEntriesByType('navigation')[0].type === 'reload' && document.readyState === \
        'complete'").await;
    done().await;
    user.turns_into(in_panel).await;
    panel.ends_recording(clicks).await;
}

#[tokio::test]
async fn a_painting_is_painted_and_its_colour_is_followed_to_the_defect() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_of_back_end(&folder).await;
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
    assert!(panel.text("p.change").await.contains("#000000"));
    panel.enters("#query", "lastChange(B:stroke.color)").await;
    panel.sees("C", 50).await;
    panel.enters("#query", "lastChange(C:tool.color)").await;
    panel.sees("D", 31).await;
    let line = panel.chosen_line().await;
    assert_eq!(line.trim(), "tool.color = mixColor();");
    picture(&panel, "tutorial.png").await;

    // The page is paused there.
    panel.presses(".pause-at").await;
    user.until("document.querySelector('.stage')?.textContent.startsWith('the page is paused at D at painting.js:31')")
        .await;
    panel.presses(".cancel").await;
    panel.is_told("cancelled").await;
}

/// Presses *Back* as soon as it is there.
const GOES_BACK: &str = "isBack = false; new MutationObserver((_, it) => {
    const back = document.querySelector('.came-from .back');
    if (back === null) return;
    it.disconnect();
    back.click();
    isBack = true;
}).observe(document.body, { childList: true, subtree: true })";

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
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;

    // One that is gone is started anew, and the session is there, also when the tab has turned to another page.
    // Whoever goes back at once, while the panel still turns to that page, is back.
    panel.user.look(GOES_BACK).await;
    goes(&page, &other).await;
    panel.user.until("isBack === true").await;
    panel.enters("#query", "lastChange(B:box.a)").await;
    panel.sees("C", 4).await;
    started.kill();
    panel
        .user
        .until("document.querySelector('.link').textContent !== ''")
        .await;
    panel.is_linked().await;
    panel.enters("#query", "lastChange(R:box.a)").await;
    panel.sees("D", 4).await;
    let shown = panel.user.look("document.querySelector('#page').value");
    assert_eq!(shown.await, json!(page));
    goes(&other, &page).await;
    // Loaded again, the panel is at the same session of the same page.
    panel.user.look("location.reload()").await;
    panel.has_points(4).await;
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

    // It is ended from the panel, and stays so until somebody starts it.
    panel
        .user
        .clicks_on("document.querySelector('.sessions summary')")
        .await;
    let about = "document.querySelector('.back-end span').textContent";
    panel
        .user
        .until(&format!("{about}.endsWith('started by the browser')"))
        .await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.presses(".end-back-end").await;
    panel
        .user
        .until("document.querySelector('.link .start') !== null")
        .await;
    panel.presses(".link .start").await;
    panel.is_linked().await;
    assert!(started.is_there());
    // Another one is used for as long as a person wants it.
    panel
        .user
        .clicks_on("document.querySelector('.sessions summary')")
        .await;
    let elsewhere = Folder::new();
    let another = BackEnd::start(&elsewhere, &[]);
    panel.enters("#back-end-address", "http://127.0.0.1/").await;
    panel.is_told("is not the address of a panel").await;
    let secret = another.secret.strip_prefix("secret.").unwrap();
    let address = format!("http://127.0.0.1:{}/#secret={secret}", another.port());
    panel.enters("#back-end-address", &address).await;
    panel
        .user
        .until(&format!(
            "{about}.endsWith('started with `querypoint serve`')"
        ))
        .await;
    panel.presses(".found-back-end").await;
    panel
        .user
        .until(&format!("{about}.endsWith('started by the browser')"))
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

#[tokio::test]
async fn it_wears_the_theme_of_the_tools_and_what_takes_too_long_is_cancelled() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
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
