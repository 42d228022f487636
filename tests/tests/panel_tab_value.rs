//! What the tab shows and what the page that is run for an answer has are compared, and where they differ the panel
//! says so.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod at_panel;
mod in_tools;
mod loopback;
mod panel;
mod user;

use in_tools::*;
use loopback::*;
use serde_json::json;

/// A page whose total is wrong once the user has pressed.
const TOTAL: &str =
    "<!doctype html><title>Cart</title><p id=total>0.00</p><button id=more>more</button><script>
more.onclick = () => {
  total.textContent = 'NaN';
};
</script>";

const IN_TAB: &str = "document.querySelector('.in-tab pre')";

#[tokio::test]
async fn what_the_tab_shows_and_the_answer_does_not_is_said_and_recorded() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_of_back_end(&folder).await;
    let site = Site::new(&[("/", html(TOTAL))]);
    let page = site.url("/");
    let (panel, tab) = panel_that_follows(browser, &page).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    let says = async |text: &str| {
        user.until(&format!("{IN_TAB}?.textContent.includes('{text}')"))
            .await
    };
    // As it was opened it is what is asked about.
    pick(&panel, "#total").await;
    user.until("document.querySelector('.element code')?.textContent === 'p#total'")
        .await;
    panel.presses(".of-text").await;
    panel.has_points(2).await;
    user.until("document.querySelector('dl.change').textContent === 'is\"0.00\"'")
        .await;
    assert_eq!(user.look(IN_TAB).await, json!(null));

    user.turns_into(tab.clone()).await;
    user.look("more.click()").await;
    user.turns_into(in_panel.clone()).await;
    panel.presses(".of-text").await;
    panel.has_points(3).await;
    says("value: \"NaN\" in the tab; \"0.00\" in the answer").await;
    says("Nothing is recorded").await;
    assert_eq!(panel.barriers().await, [""; 0]);
    picture(&panel, "in-tab.png").await;

    // Once it is recorded, the page that is run shows the same.
    panel.presses(".record-tab").await;
    user.turns_into(tab).await;
    user.until("performance.getEntriesByType('navigation')[0].type === 'reload' && document.readyState === 'complete' && total.textContent === '0.00'").await;
    user.clicks_on("more").await;
    user.turns_into(in_panel).await;
    panel.ends_recording(1).await;
    panel.has_points(3).await;
    user.until("[...document.querySelectorAll('.point .change')].filter((it) => it.textContent.endsWith('\"NaN\"')).length === 2")
        .await;
    user.until(&format!("{IN_TAB} === null")).await;
}

/// A page that only who is logged in sees.
const INSIDE: &str = "<!doctype html><title>Cart</title><script>
if (localStorage.user === undefined) location.replace('/login.html');
</script><p id=total>0.00</p>";

#[tokio::test]
async fn that_the_answer_is_about_the_page_of_a_login_is_said() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[
        ("/", html(INSIDE)),
        (
            "/login.html",
            html("<!doctype html><title>Log in</title><p id=total>0.00</p>"),
        ),
        ("/begin.html", html("<!doctype html><p>begin")),
    ]);
    let begin = site.url("/begin.html");
    let (panel, tab) = panel_that_follows(browser, &begin).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    user.turns_into(tab).await;
    user.look(&format!(
        "localStorage.user = 'me'; setTimeout(() => location.href = '{}')",
        site.url("/")
    ))
    .await;
    user.until("document.title === 'Cart' && document.readyState === 'complete'")
        .await;
    user.turns_into(in_panel).await;
    user.until(&format!(
        "document.querySelector('#page').value === '{}'",
        site.url("/")
    ))
    .await;
    pick(&panel, "#total").await;
    user.until("document.querySelector('.element code')?.textContent === 'p#total'")
        .await;
    panel.presses(".of-text").await;
    panel.has_points(2).await;
    user.until(&format!(
        "{IN_TAB}?.textContent.includes('title: Cart in the tab; Log in in the answer')"
    ))
    .await;
    let said = panel.text(".in-tab pre").await;
    assert!(said.contains("/login.html in the answer"), "{said}");
    assert!(!said.contains("value:"), "{said}");
}
