//! A recording in the tab that the user has open already: with what the page has stored, and nothing of it is left
//! there.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::loopback::*;
use crate::user::{END, User, opened};
use cdp_driver::native::{Browser, LaunchOptions, Purpose};
use serde_json::{Value, json};

/// Says what is stored when it begins, and counts how often it did.
fn shop() -> Vec<(&'static str, Reply)> {
    let counting = "say(localStorage.theme, sessionStorage.visits, document.cookie);\n\
        sessionStorage.visits = Number(sessionStorage.visits ?? 0) + 1;\n\
        localStorage.removeItem('theme');\n";
    let first = page(&format!(
        "<a id=on href=/second style='position: absolute; left: 10px; top: 10px'>Go on</a>\n\
         <script>{counting} on.onclick = () => {{ sessionStorage.said = said.join(); }};</script>"
    ));
    let second = page(&format!(
        "{END}<a id=more target=_blank href=/small style='position: absolute; left: 10px; top: 10px'>More</a>\n\
         <script>say(sessionStorage.said);\n{counting}\
         end.onclick = () => {{ window.shown = said.join('; '); done(); }};</script>"
    ));
    let small = page("<button style='position: absolute; left: 10px; top: 10px'>Little</button>");
    let other = page("<button style='position: absolute; left: 10px; top: 10px'>Other</button>");
    let signed_in = first.header("Set-Cookie", "id=4711; HttpOnly");
    vec![
        ("/", signed_in),
        ("/second", second),
        ("/small", small),
        ("/other", other),
    ]
}

#[tokio::test]
async fn the_page_finds_what_it_had_stored_and_the_tab_stays_the_users() {
    let site = Site::new(&shop());
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let stored = "localStorage.theme = 'dark'; document.cookie = 'lang=en'";
    let mut user = User::in_open_tab(&site.url("/"), stored, &out, &[]).await;
    assert_eq!(user.look("said").await, json!(["dark 1 lang=en"]));
    // What they do in another tab of the same browser is nobody's business.
    user.opens(&site.url("/other")).await;
    user.click(20, 20).await;
    user.turns_to(&site.url("/")).await;
    user.click(20, 20).await;
    user.until("location.pathname === '/second' && document.readyState === 'complete'")
        .await;
    user.click(20, 20).await;
    user.turns_to(&site.url("/small")).await;
    user.click(20, 20).await;
    user.has_recorded("click aria/Little").await;
    user.turns_to(&site.url("/second")).await;
    user.click(650, 420).await;
    user.has_recorded("click aria/End").await;
    user.until("window.finished").await;
    let as_recorded = site.said();
    assert_eq!(as_recorded, ["dark 1 lang=en\nundefined 2 lang=en"]);
    site.requests();
    let ran = user.interrupts();
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(
        ran.out
            .contains("It holds what the page had stored: 2 items, 1 cookie."),
        "{ran:#?}"
    );
    user.until("performance.getEntriesByType('navigation')[0].type === 'reload'")
        .await;
    let requests = site.requests();
    assert!(
        requests.iter().any(|path| path == "/second"),
        "{requests:?}"
    );
    assert_eq!(user.look("location.pathname").await, json!("/second"));
    assert_eq!(user.look("sessionStorage.visits").await, json!("4"));

    let text = fs::read_to_string(&out).unwrap();
    assert!(!text.contains("4711") && !text.contains("Other"), "{text}");
    let recording: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        recording["querypoint"]["storage"],
        json!({ "local": [["theme", "dark"]], "session": [["visits", "1"]], "cookies": ["lang=en"] })
    );
    let steps = recording["steps"].as_array().unwrap();
    assert_eq!(steps[1]["url"], json!(site.url("/")));
    assert!(
        steps
            .iter()
            .any(|step| step["target"] == json!(site.url("/small"))),
        "{text}"
    );

    for _ in 0..2 {
        let ran = replay(&out, &["--live", "network"]);
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        assert_eq!(site.said(), as_recorded);
    }
    let said = format!("\"{}\"", as_recorded[0].replace('\n', "; "));
    assert_eq!(at_end(&site, &out, "window.shown"), json!(said));
}

#[tokio::test]
async fn a_tab_that_is_not_there_is_named() {
    let site = Site::new(&shop());
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let browser = Browser::launch(LaunchOptions::of(Purpose::Everything))
        .await
        .unwrap();
    let address = format!("http://{}", browser.authority());
    let url = site.url("/second");
    opened(&browser, &site.url("/other")).await;
    let to = out.to_str().unwrap();
    let ran = querypoint(&["record", &url, "--out", to, "--connect", &address, "--tab"]);
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.err.contains("no tab shows it; open are "), "{ran:#?}");
    assert!(!out.exists());
    let ran = querypoint(&["record", &url, "--out", to, "--tab"]);
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("--connect"), "{ran:#?}");
}
