//! What the tab shows and what the page that is run for an answer has are compared, and where they differ the panel
//! says so.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::in_tools::*;
use crate::loopback::*;
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
    user.until("document.querySelector('p.change').textContent === 'is \"0.00\"'")
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
    user.until("performance.getEntriesByType('navigation')[0].type === 'reload' && document.readyState === 'complete' \
        && total.textContent === '0.00'").await;
    user.clicks_on("more").await;
    user.turns_into(in_panel).await;
    panel.ends_recording(1).await;
    panel.has_points(3).await;
    user.until(
        "[...document.querySelectorAll('.point .change')].filter((it) => \
        it.textContent.endsWith('\"NaN\"')).length === 2",
    )
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

/// A page whose total changes as the user presses; a variable of a script and a property with a getter.
const SCRIPTED: &str =
    "<!doctype html><title>Cart</title><p id=total>0</p><button id=more>more</button><script>
let sum = 0;
const cart = { read: 0, get total() { cart.read += 1; return sum; } };
more.onclick = () => {
  sum += 1;
  total.textContent = sum;
};
sum = 1;
</script>";

#[tokio::test]
async fn a_query_that_is_typed_is_compared_with_the_tab() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_of_back_end(&folder).await;
    let site = Site::new(&[("/", html(SCRIPTED))]);
    let page = site.url("/");
    let (panel, tab) = panel_that_follows(browser, &page).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    let asks = async |query: &str, points: usize| {
        panel.enters("#query", query).await;
        panel.has_points(points).await;
    };
    panel.stops_at_end().await;
    // As it was opened it is the same.
    asks("lastChange(R:sum)", 2).await;
    user.until("document.querySelector('p.change').textContent.endsWith('1')")
        .await;
    assert_eq!(user.look(IN_TAB).await, json!(null));

    user.turns_into(tab.clone()).await;
    user.look("more.click()").await;
    user.turns_into(in_panel.clone()).await;
    asks("again = lastChange(sum)", 3).await;
    let says = format!("{IN_TAB}?.textContent.includes('value: 2 in the tab; 1 in the answer')");
    user.until(&says).await;
    // A question about another point than R says nothing of the tab, and takes the place of the one before.
    asks("lastChange(again:sum)", 4).await;
    user.until(&format!("{IN_TAB} === null")).await;
    // A getter of the page is not called for it.
    asks("lastChange(R:cart.total)", 5).await;
    user.turns_into(tab.clone()).await;
    assert_eq!(user.look("cart.read").await, json!(0));
    user.turns_into(in_panel.clone()).await;
    assert_eq!(user.look(IN_TAB).await, json!(null));

    // Once it is recorded, it is about what the tab shows.
    asks("lastChange(R:sum)", 6).await;
    user.until(&says).await;
    panel.presses(".record-tab").await;
    user.turns_into(tab).await;
    user.until("performance.getEntriesByType('navigation')[0].type === 'reload' && document.readyState === 'complete' \
        && sum === 1").await;
    user.clicks_on("more").await;
    user.turns_into(in_panel).await;
    panel.ends_recording(1).await;
    panel.has_points(6).await;
    user.until(&format!("{IN_TAB} === null")).await;
}

/// A page that stops twice at the same place.
const STOPS: &str = "<!doctype html><title>Cart</title><script>
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
async fn what_is_so_where_the_tab_is_paused_is_compared() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[("/shop.html", html(STOPS))]);
    let page = site.url("/shop.html");
    let (panel, tab) = panel_beside_a_stop(browser, &page).await;
    let user = &panel.user;
    let row = |name: &str, cell: &str| {
        format!(
            "[...document.querySelectorAll('.stop .variable')].find((row) => row.dataset.expression === \
             '{name}')?.querySelector('{cell}')"
        )
    };
    let is_paused_with = async |price: &str| {
        user.until(&format!(
            "{}?.textContent === '{price}' && document.querySelector('#page').value === '{page}'",
            row("price", ".value")
        ))
        .await;
    };
    let says = async |text: &str| {
        user.until(&format!("{IN_TAB}?.textContent.includes('{text}')"))
            .await;
    };
    // The tab is paused there for the first time, and the answer is about the last.
    is_paused_with("2").await;
    user.clicks_on(&row("before", ".last-change")).await;
    panel.sees("B", 4).await;
    says("value: 0 in the tab; 2 in the answer").await;
    // What is typed is read in the frame.
    panel.enters("#query", "lastChange(R:cart.total)").await;
    panel.sees("C", 5).await;
    says("value: 2 in the tab; 5 in the answer").await;
    panel.enters("#query", "lastChange(price)").await;
    panel.has_points(4).await;
    says("value: 2 in the tab; 3 in the answer").await;

    user.has_do(&tab, "Debugger.resume").await;
    is_paused_with("3").await;
    user.clicks_on(&row("before", ".last-change")).await;
    panel.has_points(5).await;
    user.until(&format!("{IN_TAB} === null")).await;
    panel.enters("#query", "lastChange(R:cart.total)").await;
    panel.has_points(6).await;
    // What it asked was answered, so what differs would be told.
    user.until("document.querySelector('.progress').textContent === ''")
        .await;
    assert_eq!(user.look(IN_TAB).await, json!(null));
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;
}
