//! Questions about what runs elsewhere than in the page's own tab and is reached only by a user's action or by more than
//! one page: tabs that the page opens, pages that are gone back to.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod loopback;

use loopback::*;
use serde_json::{Value, json};

/// Asks `queries` at `at` of the page that `steps` lead through.
fn ask_at(site: &Site, at: &str, steps: &[Value], queries: &[&str]) -> Value {
    let folder = Folder::new();
    let path = recording(&folder, &site.url("/"), steps);
    let page = site.url("/");
    let mut arguments = vec![
        "ask",
        page.as_str(),
        "--json",
        "--timeout",
        "60",
        "--at",
        at,
    ];
    arguments.extend(["--recording", path.to_str().unwrap()]);
    arguments.extend(queries);
    querypoint(&arguments).answer()
}

fn click(selector: &str) -> Value {
    json!({ "type": "click", "selectors": [[selector]], "offsetX": 1, "offsetY": 1 })
}

fn told(answer: &Value, point: usize) -> String {
    let point = &answer["points"][point];
    format!(
        "{} {}:{} {} -> {}",
        point["status"].as_str().unwrap_or_default(),
        point["location"]["line"],
        point["location"]["column"],
        point["old"]["text"].as_str().unwrap_or_default(),
        point["new"]["text"].as_str().unwrap_or_default(),
    )
}

const TAB: &str = "var state = { total: 1 };\nfunction count(by) {\n  state.total += by;\n  document.title = state.total;\n}\n";

#[test]
fn a_tab_that_the_page_opens() {
    let site = Site::new(&[
        (
            "/",
            page("<button id=open onclick=\"window.open('/tab.html')\">open</button>"),
        ),
        (
            "/tab.html",
            html(
                "<!doctype html><script src=/tab.js></script><script>onload = () => count(4);</script>",
            ),
        ),
        ("/tab.js", script(TAB)),
    ]);
    let answer = ask_at(
        &site,
        "tab.js:4",
        &[click("#open")],
        &["lastChange(R:state.total)"],
    );
    assert_eq!(told(&answer, 1), "found 3:3 1 -> 5", "{answer:#}");
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
    assert_eq!(coverage(&answer), "4 of 4");
}

#[test]
fn a_tab_of_another_site_that_a_link_opens() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<a id=open target=_blank>open</a><script>document.getElementById('open').href = location.href.replace('127.0.0.1', 'localhost') + 'tab.html';</script>",
            ),
        ),
        (
            "/tab.html",
            html(
                "<!doctype html><script src=/tab.js></script><script>setTimeout(count, 300, 4);</script>",
            ),
        ),
        ("/tab.js", script(TAB)),
    ]);
    let answer = ask_at(
        &site,
        "tab.js:4",
        &[click("#open")],
        &["lastChange(R:state.total)"],
    );
    assert_eq!(told(&answer, 1), "found 3:3 1 -> 5", "{answer:#}");
}

#[test]
fn a_page_that_comes_back_from_the_cache_keeps_what_is_known_of_it() {
    let site = Site::new(&[
        (
            "/",
            html(
                "<!doctype html><script src=/first.js></script><a id=on href=/next.html>on</a><button id=ask onclick=ask()>ask</button>",
            ),
        ),
        (
            "/first.js",
            script(
                "var state = { total: 1 };\nstate.total = 2;\nvar restored = false;\nonpageshow = (event) => { restored = event.persisted; };\nfunction ask() {\n  document.title = restored + ' ' + state.total;\n}\n",
            ),
        ),
        (
            "/next.html",
            html("<!doctype html><button id=back onclick=history.back()>back</button>"),
        ),
    ]);
    let steps = [click("#on"), click("#back"), click("#ask")];
    let answer = ask_at(
        &site,
        "first.js:6",
        &steps,
        &["lastChange(R:state.total)", "lastChange(R:restored)"],
    );
    assert_eq!(told(&answer, 1), "found 2:1 1 -> 2", "{answer:#}");
    // Only what came back from the cache is told that it did.
    assert_eq!(told(&answer, 2), "found 4:27 false -> true", "{answer:#}");
}

#[test]
fn a_script_that_a_service_worker_keeps_is_never_a_wrong_line() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>\nprobe.value = 1;\nconst worker = navigator.serviceWorker;\nif (!worker.controller) {\n  worker.register('/service.js');\n  worker.oncontrollerchange = () => location.reload();\n}\n</script>\n\
<script>if (worker.controller) document.write('<script src=/kept.js><\\/script>');</script>",
            ),
        ),
        (
            "/kept.js",
            script("probe.value = 2;\nwindow.finished = true;\n"),
        ),
        (
            "/service.js",
            script(
                "oninstall = (event) => { skipWaiting(); event.waitUntil(caches.open('kept').then((kept) => kept.add('/kept.js'))); };\n\
onactivate = (event) => event.waitUntil(clients.claim());\n\
onfetch = (event) => event.respondWith(caches.match(event.request).then((kept) => kept || fetch(event.request)));\n",
            ),
        ),
    ]);
    let answer = ask_at(&site, "end", &[], &["lastChange(R:probe.value)"]);
    assert_eq!(answer["points"][1]["status"], "blind", "{answer:#}");
    assert_eq!(answer["points"][1]["value"]["text"], "2");
    let why = "service.js: it is a service worker: neither it nor what it answers with is hooked";
    let listed = blind_spots(&answer);
    assert!(listed.contains(&why.to_owned()), "{listed:#?}");
}
