//! `querypoint replay --runs`: how often a recording comes back as it was, in several browsers at once.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::loopback::*;
use cdp_driver::native::{Browser, LaunchOptions};
use end_to_end::repository;
use serde_json::json;

/// The first line that is printed, without the time.
fn counted(ran: &Ran) -> &str {
    ran.out.split(" (median").next().unwrap()
}

/// A shipped page is replayed twenty times, and comes back each time.
fn comes_back_every_time(name: &str) {
    let folder = repository().join("test-pages").join(name);
    let places = ["dist/index.html", "index.html"].map(|name| folder.join(name));
    let page = places.iter().find(|page| page.is_file()).unwrap();
    let recording = folder.join("recording.json");
    let (recording, page) = (recording.to_str().unwrap(), page.to_str().unwrap());
    let ran = querypoint(&["replay", recording, "--page", page, "--runs", "20"]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(counted(&ran), "20 of 20 replays went as recorded");
}

macro_rules! shipped_pages {
    ($($name:ident: $page:literal,)+) => {
        $(#[test]
        fn $name() {
            comes_back_every_time($page);
        })+

        #[test]
        fn no_shipped_page_is_missing() {
            let pages = fs::read_dir(repository().join("test-pages")).unwrap();
            let pages = pages.map(|page| page.unwrap());
            let recorded = pages.filter(|page| page.path().join("recording.json").is_file());
            let mut recorded: Vec<String> = recorded
                .map(|page| page.file_name().into_string().unwrap())
                .collect();
            recorded.sort();
            assert_eq!(recorded, [$($page),+]);
        }
    };
}

shipped_pages! {
    counter: "counter",
    file_lister: "file-lister",
    jquery_table: "jquery-table",
    moving_circle: "moving-circle",
    painting: "painting",
    react_cart: "react-cart",
    recursion: "recursion",
    shapes: "shapes",
    vue_board: "vue-board",
}

#[test]
fn what_is_different_is_counted_by_what_was_different_first() {
    let site = Site::new(&[("/", html("<title>Now</title><p id=a>text"))]);
    let folder = Folder::new();
    let title = json!({ "type": "navigation", "title": "Then" });
    let steps = json!({ "title": "", "steps": [
        { "type": "navigate", "url": site.url("/"), "assertedEvents": [title] },
        { "type": "click", "selectors": [["#a"]], "offsetX": 1, "offsetY": 1 },
    ] });
    let path = folder.file("recording.json", &steps.to_string());
    let path = path.to_str().unwrap();
    let ran = querypoint(&["replay", path, "--runs", "3", "--jobs", "2"]);
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(counted(&ran), "0 of 3 replays went as recorded");
    assert!(ran.out.contains("\n  3 × step 1: "), "{ran:#?}");
    assert!(ran.out.contains("Then"), "{ran:#?}");
}

/// A browser that is gone leaves its runs to the others.
#[tokio::test]
async fn replays_are_dealt_out_over_the_browsers_that_are_there() {
    let one = Browser::launch(LaunchOptions::default()).await.unwrap();
    let other = Browser::launch(LaunchOptions::default()).await.unwrap();
    let addresses = [&one, &other].map(|browser| format!("http://{}", browser.authority()));
    other.close().await;
    let site = Site::new(&[("/", html("<p id=a>text"))]);
    let folder = Folder::new();
    let steps = json!({ "title": "", "steps": [{ "type": "navigate", "url": site.url("/") }] });
    let path = folder.file("recording.json", &steps.to_string());
    let arguments = [
        "replay",
        path.to_str().unwrap(),
        "--runs",
        "4",
        "--connect",
        &addresses[0],
        "--connect",
        &addresses[1],
    ];
    let ran = querypoint(&arguments);
    one.close().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(counted(&ran), "4 of 4 replays went as recorded");
}

#[test]
fn without_any_end_the_status_is_that_of_the_failure() {
    let site = Site::new(&[("/", html("<p>text"))]);
    let folder = Folder::new();
    let steps = json!({ "title": "", "steps": [
        { "type": "navigate", "url": site.url("/") },
        { "type": "click", "selectors": [["#gone"]], "offsetX": 1, "offsetY": 1, "timeout": 100 },
    ] });
    let path = folder.file("recording.json", &steps.to_string());
    let ran = querypoint(&["replay", path.to_str().unwrap(), "--runs", "2"]);
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.err.contains("#gone: no such element"), "{ran:#?}");
    let ran = querypoint(&["replay", path.to_str().unwrap(), "--jobs", "2"]);
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("--runs"), "{ran:#?}");
}
