//! A recording is replayed up to a step, and the page is a person's from there on.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::panel::{BackEnd, Panel};
use crate::user::{User, find_target, soon};
use cdp_driver::native::{Browser, LaunchOptions};
use querypoint::session::messages::{News, RefusalCode, ResponseOutcome};
use querypoint::session::methods;
use serde_json::json;

/// Two buttons: one counts, one asks.
const PAGE: &str = "<!doctype html><button id=more>0</button><button id=ask style='position: absolute; left: 20px; top: 60px'>ask</button><script>
let count = 0;
more.onclick = () => { more.textContent = ++count; };
ask.onclick = () => { ask.textContent = confirm('Go on?') ? 'yes' : 'no'; };
</script>";

#[tokio::test]
async fn the_page_is_left_to_a_person_after_a_step() {
    let folder = Folder::new();
    let site = Site::new(&[("/", html(PAGE))]);
    let url = site.url("/");
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(&folder, &["--connect", &address]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(&url).await;
    let refusal = panel.refused(methods::ReplayUpTo { number: 1 }).await;
    assert!(
        refusal.message.contains("record first"),
        "{}",
        refusal.message
    );
    let click = json!({ "type": "click", "selectors": [["#more"]], "offsetX": 3, "offsetY": 3 });
    let recording = json!({ "title": "three", "steps": [
        { "type": "navigate", "url": url }, click, click, click,
    ] });
    folder.file("state/sessions/one/recording.json", &recording.to_string());
    for number in [0, 5] {
        let refusal = panel.refused(methods::ReplayUpTo { number }).await;
        let why = format!("no step {number}");
        assert!(refusal.message.contains(&why), "{}", refusal.message);
    }

    let replaying = panel.begin(methods::ReplayUpTo { number: 3 }).await;
    let there = |news: &News| matches!(news, News::Progress { stage, .. } if stage.starts_with("the page is after step 3"));
    panel.hears(there).await;
    let user = User::looking_at(browser, &url).await;
    user.until("more.textContent === '2'").await;
    // It works on, and its dialogs wait for the person.
    user.look("void more.click()").await;
    user.until("more.textContent === '3'").await;
    user.click_and_answer(30, 70, &[(false, None)]).await;
    user.until("ask.textContent === 'no'").await;
    let browser = user.browser();
    user.closes_tab().await;
    let ResponseOutcome::Result(_) = panel.outcome(replaying).await else {
        panic!("the tab was closed");
    };
    let is_left = find_target(browser, "page", |it| it == url).await;
    assert_eq!(is_left, None);

    // Cancelled, it takes the tab along.
    panel.heard.clear();
    let replaying = panel.begin(methods::ReplayUpTo { number: 2 }).await;
    let there = |news: &News| matches!(news, News::Progress { stage, .. } if stage.starts_with("the page is after step 2"));
    panel.hears(there).await;
    panel.done(methods::Cancel {}).await;
    let ResponseOutcome::Error(refusal) = panel.outcome(replaying).await else {
        panic!("it was cancelled");
    };
    assert_eq!(refusal.code, RefusalCode::Cancelled);
    soon("the tab is closed", async || {
        let left = find_target(browser, "page", |it| it == url).await;
        left.is_none().then_some(())
    })
    .await;
    // The recording is what it was.
    assert_eq!(panel.session().0.queries.len(), 0);
}
