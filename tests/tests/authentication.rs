//! Pages and parts of pages whose servers ask for a name and a password.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use cdp_driver::native::{Purpose, find_browser};
use serde_json::{Value, json};

const SHOP: &str = "<img src=/logo.png><script>
const cart = { total: 1 };
fetch('/secret.json').then(async (response) => {
  cart.total = response.ok ? await response.json() : -1;
  console.log('told');
});
</script>";

fn ask(url: &str, more: &[&str]) -> (Ran, Value) {
    let asked = [
        "ask",
        url,
        "--at",
        "console:told",
        "--json",
        "lastChange(R:cart.total)",
    ];
    let ran = querypoint(&[&asked, more].concat());
    let answer = serde_json::from_str(&ran.out).unwrap_or_default();
    (ran, answer)
}

fn full_browser() -> String {
    let browser = find_browser(None, Purpose::Everything).unwrap();
    browser.to_str().unwrap().to_owned()
}

#[test]
fn a_challenge_that_nobody_answers_is_refused_and_named() {
    let secret = Reply::new("application/json", "5").behind("ada:secret");
    let site = Site::new(&[
        ("/", page(SHOP)),
        ("/logo.png", secret.clone()),
        ("/secret.json", secret),
    ]);
    let full = full_browser();
    // A full browser would wait for somebody to type; a headless shell refuses by itself.
    for more in [&["--browser", &full][..], &[]] {
        let (ran, answer) = ask(&site.url("/"), more);
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        assert_eq!(answer["points"][1]["new"]["text"], "-1", "{answer:#}");
        let spots = answer["coverage"]["blind_spots"].as_array().unwrap();
        for path in ["/logo.png", "/secret.json"] {
            let spot = spots.iter().find(|spot| spot["url"] == site.url(path));
            let reason = spot.map(|spot| spot["reason"].as_str().unwrap());
            assert!(
                reason.is_some_and(|it| it.contains("--user NAME:PASSWORD")),
                "{answer:#}"
            );
        }
    }
    assert_eq!(site.said(), [""; 0]);
}

#[test]
fn a_user_who_is_given_is_told_to_the_server_of_the_page_alone() {
    let behind = |reply: Reply| reply.behind("ada:se:cret");
    let other = Site::new(&[("/logo.png", behind(Reply::new("image/png", "")))]);
    let site = Site::new(&[
        (
            "/",
            behind(page(
                &SHOP.replace("/logo.png", &other.elsewhere("/logo.png")),
            )),
        ),
        ("/say.js", script("")),
        ("/secret.json", behind(Reply::new("application/json", "5"))),
    ]);
    let full = full_browser();
    for more in [
        &["--browser", &full, "--user", "ada:se:cret"][..],
        &["--user", "ada:se:cret"],
    ] {
        let (ran, answer) = ask(&site.url("/"), more);
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        assert_eq!(answer["points"][1]["new"]["text"], "5", "{answer:#}");
        let told = site.said();
        assert!(
            told.contains(&"a password for /secret.json".to_owned()),
            "{told:?}"
        );
        assert_eq!(other.said(), [""; 0]);
        let spots = &answer["coverage"]["blind_spots"];
        assert_eq!(spots.as_array().unwrap().len(), 1, "{answer:#}");
        assert_eq!(spots[0]["url"], json!(other.elsewhere("/logo.png")));
    }
    // A wrong one is told once, and refused.
    let (ran, _) = ask(&site.url("/"), &["--user", "ada:wrong"]);
    assert_eq!(ran.status, Some(3), "{ran:#?}");
}

#[test]
fn a_request_that_is_never_answered_is_named() {
    let site = Site::new(&[
        ("/", page("<script src=/slow.js></script>")),
        (
            "/slow.js",
            Reply {
                hangs: true,
                ..script("")
            },
        ),
    ]);
    let ran = querypoint(&[
        "ask",
        &site.url("/"),
        "--at",
        "end",
        "--timeout",
        "2",
        "lastChange(R:document.title)",
    ]);
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(
        ran.err
            .contains(&format!("no answer yet from {}", site.url("/slow.js"))),
        "{ran:#?}"
    );
}
