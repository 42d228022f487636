//! The tab that a person is logged in to and debugs: what happens there is recorded always, a replay has their login,
//! and nothing of it is left once they delete it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crate::in_tools::*;
use crate::loopback::*;
use parking_lot::Mutex;
use serde_json::json;
use test_support::server::{Answer, Asked, Server};

/// What only who is logged in sees. It asks for what no recording holds: an address that is another one each time.
const SHOP: &str = "<!doctype html><title>Shop</title><p id=total>0</p>
<button id=more style='position: absolute; left: 10px; top: 40px'>more</button><script>
const cart = { total: 0 };
let price = 0;
fetch('/price.json').then(async (told) => { price = await told.json(); document.title = 'Ready'; });
fetch('/who?' + performance.now());
more.onclick = () => {
  cart.total += price;
  total.textContent = cart.total;
  fetch('/save?' + performance.now(), { method: 'POST' }).catch(() => {});
};
</script>";

const COOKIE: &str = "session=s3cret4711";

/// What was asked of a server: the method, the path, and whether somebody was logged in.
type Log = Arc<Mutex<Vec<(String, String, bool)>>>;

/// A shop behind a login, and what was asked of it.
fn shop(log: &Log) -> Server {
    let log = log.clone();
    Server::start(move |asked: Asked| {
        let log = log.clone();
        async move {
            let cookies = asked.header("cookie").unwrap_or_default();
            let is_in = cookies.contains(COOKIE);
            let path = asked.path.split('?').next().unwrap().to_owned();
            log.lock().push((asked.method.clone(), path.clone(), is_in));
            let html = |text: &str| Answer::new("text/html", text);
            Some(match (path.as_str(), is_in) {
                ("/login", _) => {
                    let mut answer = html("<!doctype html><title>Welcome</title>");
                    let set = format!("{COOKIE}; HttpOnly; Path=/");
                    answer.headers.push(("Set-Cookie".to_owned(), set));
                    answer
                }
                ("/", true) => html(SHOP),
                ("/price.json", true) => Answer::new("application/json", "7"),
                ("/who" | "/save", true) => Answer::new("text/plain", "ada"),
                ("/", false) => html("<!doctype html><title>Log in</title>"),
                _ => Answer::missing(),
            })
        }
    })
    .unwrap()
}

/// The files below a folder that hold a text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let found = Command::new("grep")
        .args(["-rl", text])
        .arg(folder)
        .output();
    let found = String::from_utf8(found.unwrap().stdout).unwrap();
    found.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn what_happened_in_the_tab_is_asked_about_with_the_login_that_it_had() {
    let folder = Folder::new();
    let state = folder.0.join("state");
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let log = Log::default();
    let site = shop(&log);
    let (panel, tab) = panel_that_follows(browser, &site.url("/login")).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    user.turns_into(tab.clone()).await;
    user.look("setTimeout(() => { location.href = '/'; })")
        .await;
    user.until("document.title === 'Ready'").await;
    user.turns_into(in_panel.clone()).await;
    let shown = site.url("/");
    user.until(&format!(
        "document.querySelector('#page').value === '{shown}'"
    ))
    .await;
    // It is loaded again, in the same tab and with the same login: the first screen offers that.
    panel.presses(".first-actions .reload").await;
    user.turns_into(tab.clone()).await;
    user.until("performance.getEntriesByType('navigation')[0].type === 'reload' && document.title === 'Ready'")
        .await;
    for total in [7, 14] {
        user.clicks_on("more").await;
        user.until(&format!("total.textContent === '{total}'"))
            .await;
    }
    user.turns_into(in_panel.clone()).await;
    let steps = |number: usize| {
        format!(
            "document.querySelector('.recorded [role=status]')?.textContent === '{number} steps'"
        )
    };
    user.until(&steps(4)).await;
    panel.ends_recording(2).await;
    assert_eq!(panel.barriers().await, [""; 0]);

    // The replay is that of the person who is logged in, and changes nothing of theirs.
    log.lock().clear();
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:cart.total)").await;
    panel.sees("B", 8).await;
    let change = panel.text(".point[aria-current] .change").await;
    assert!(change.contains("7") && change.contains("14"), "{change}");
    let asked = std::mem::take(&mut *log.lock());
    assert!(!asked.is_empty());
    for (method, path, is_in) in asked.iter().filter(|it| it.1 != "/favicon.ico") {
        let asked = (method.as_str(), path.as_str(), *is_in);
        assert_eq!(asked, ("GET", "/who", true), "{asked:?}");
    }

    // The cookie is with the recording, for its owner alone, and in nothing that leaves it.
    let held = holding(&state, COOKIE.split_once('=').unwrap().1);
    assert!(!held.is_empty());
    for file in &held {
        assert!(file.ends_with("/recording.json"), "{held:?}");
        let mode = std::fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }

    // The tab goes on as it was, and is recorded from each load on, without being asked to.
    user.turns_into(tab).await;
    assert_eq!(user.look("total.textContent").await, json!("14"));
    user.look("setTimeout(() => { document.title = ''; location.reload(); })")
        .await;
    user.until("document.title === 'Ready' && total.textContent === '0'")
        .await;
    user.clicks_on("more").await;
    user.turns_into(in_panel).await;
    user.until(&steps(3)).await;
    panel.presses(".take").await;
    user.until("document.querySelectorAll('.steps li').length === 3")
        .await;

    // Sessions of one page are told apart by what is done first in them.
    user.clicks_on("document.querySelector('.sessions summary')")
        .await;
    let actions =
        "[...document.querySelectorAll('.session .first-action')].map((it) => it.textContent)";
    user.until(&format!("{actions}.length === 2")).await;
    let first = user.look(actions).await;
    assert!(first[0].as_str().unwrap().starts_with("click "), "{first}");
    user.clicks_on("document.querySelector('.sessions summary')")
        .await;

    // Once it is deleted nothing of it is left.
    let in_other_session = holding(&state, "s3cret4711").len() - held.len();
    assert!(in_other_session > 0);
    panel.presses(".delete-tab-recording").await;
    user.until("document.querySelector('.recorded [role=status]').textContent === 'no steps'")
        .await;
    panel.is_told("is removed").await;
    assert_eq!(holding(&state, "s3cret4711").len(), held.len());
}
