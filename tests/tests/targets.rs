//! Questions about what runs elsewhere than in the page's own tab and is reached only by a user's action or by more
//! than one page: tabs that the page opens, pages that are gone back to.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use cdp_driver::native::{Purpose, find_browser};
use serde_json::{Value, json};

/// Asks `queries` at `at` of the page that `steps` lead through.
fn ask_at(site: &Site, at: &str, steps: &[Value], queries: &[&str]) -> Value {
    ask_with(&[], site, at, steps, queries)
}

fn ask_with(more: &[&str], site: &Site, at: &str, steps: &[Value], queries: &[&str]) -> Value {
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
    arguments.extend(more);
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

const TAB: &str = "var state = { total: 1 };\nfunction count(by) \
    {\n  state.total += by;\n  document.title = state.total;\n}\n";

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
                "<a id=open target=_blank>open</a><script>document.getElementById('open').href = \
                 location.href.replace('127.0.0.1', 'localhost') + 'tab.html';</script>",
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
fn a_shared_worker_that_is_a_module_and_serves_two_pages() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>\nwindow.heard = [];\nconst worker = new SharedWorker('/shared.js', \
                 { type: 'module', name: 'one' });\nworker.port.onmessage = (event) => { heard.push(event.data); \
                 };\n</script>\n<iframe src=/frame.html></iframe>",
            ),
        ),
        (
            "/frame.html",
            html(
                "<script type=module>\nconst worker = new SharedWorker('/shared.js', \
                 { type: 'module', name: 'one' });\nworker.port.onmessage = (event) => { if (event.data === 2) \
                 parent.finished = true; };\n</script>",
            ),
        ),
        (
            "/shared.js",
            script(
                "#!shared\nimport { state } from '/state.js';\nonconnect = (event) => \
                 {\n  state.pages += 1;\n  const port = event.ports[0]; port.postMessage(state.pages);\n};\n",
            ),
        ),
        ("/state.js", script("export const state = { pages: 0 };\n")),
    ]);
    let steps = [json!({ "type": "waitForExpression", "expression": "window.finished" })];
    let queries = ["lastChange(R:state.pages)"];
    let answer = ask_at(&site, "shared.js:5", &steps, &queries);
    assert_eq!(told(&answer, 1), "found 4:3 1 -> 2", "{answer:#}");
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
}

#[test]
fn a_page_that_comes_back_from_the_cache_keeps_what_is_known_of_it() {
    let site = Site::new(&[
        (
            "/",
            html(
                "<!doctype html><script src=/first.js></script><a id=on href=/next.html>on</a><button id=ask \
                 onclick=ask()>ask</button>",
            ),
        ),
        (
            "/first.js",
            script(
                "var state = { total: 1 };\nstate.total = 2;\nvar restored = false;\nonpageshow = (event) => \
                 { restored = event.persisted; };\nfunction ask() {\n  document.title = restored + ' ' + \
                 state.total;\n}\n",
            ),
        ),
        (
            "/next.html",
            html("<!doctype html><button id=back onclick=history.back()>back</button>"),
        ),
    ]);
    let steps = [click("#on"), click("#back"), click("#ask")];
    // A headless shell keeps no page.
    let full = find_browser(None, Purpose::Everything).unwrap();
    let answer = ask_with(
        &["--browser", full.to_str().unwrap()],
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
                "<script>\nprobe.value = 1;\nconst worker = navigator.serviceWorker;\nif (!worker.controller) {\n  \
worker.register('/service.js');\n  worker.oncontrollerchange = () => location.reload();\n}\n</script>\n\
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
                "oninstall = (event) => { skipWaiting(); event.waitUntil(caches.open('kept').then((kept) => \
kept.add('/kept.js'))); };\n\
onactivate = (event) => event.waitUntil(clients.claim());\n\
onfetch = (event) => event.respondWith(caches.match(event.request).then((kept) => kept || fetch(event.request)));\n",
            ),
        ),
    ]);
    let answer = ask_at(&site, "end", &[], &["lastChange(R:probe.value)"]);
    assert_eq!(answer["points"][1]["status"], "blind", "{answer:#}");
    assert_eq!(answer["points"][1]["value"]["text"], "2");
    let why = "service.js: it is a service worker: neither it nor the scripts that it answers with are hooked";
    let listed = blind_spots(&answer);
    assert!(listed.contains(&why.to_owned()), "{listed:#?}");
}

/// The document of a frame: a script, a handler and a script that writes another; each writes a property. Says `text`
/// if what it reads of itself is what was written.
const KEPT: &str = "<script>\nvar o = { v: 1, w: 1, x: 1 }, text = document.currentScript.text;\n</script><b \
onclick='o.v = 2; o.v = 3'>b</b>\n\
<script>\nconst b = document.querySelector('b');\nb.click();\nif (b.getAttribute('onclick') === 'o.v = 2; o.v = 3' && \
text.trim().startsWith('var o')) o.w = 'as written';\n\
document.write('<script>o.x = 4<\\/script>');\n</script><script src='HOST/ask.js'></script>";

/// Asks three questions in a frame that a script of the page makes of a document in memory.
fn check_kept(make: &str, address: &str) {
    let kept = json!(KEPT).to_string().replace("</", "<\\/");
    let body = format!(
        "<script>\nconst frame = document.createElement('iframe'), text = {kept}.replace('HOST', \
location.origin);\n{make};\n\
frame.onload = () => {{ window.finished = true; }};\n\
document.documentElement.append(frame);\n</script>"
    );
    let site = Site::new(&[("/", page(&body)), ("/ask.js", script("void o;\n"))]);
    let queries = [
        "lastChange(R:o.v)",
        "lastChange(R:o.w)",
        "lastChange(R:o.x)",
    ];
    let answer = ask_at(&site, "ask.js:1", &[], &queries);
    assert_eq!(told(&answer, 1), "found 1:10 2 -> 3", "{answer:#}");
    assert_eq!(told(&answer, 2), "found 4:90 1 -> \"as written\"");
    assert_eq!(told(&answer, 3), "found 1:9 1 -> 4");
    let url = |point: usize| answer["points"][point]["location"]["url"].clone();
    assert_eq!(url(1), format!("onclick in {address}"));
    assert_eq!(url(2), format!("script in {address}"));
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
}

#[test]
fn a_document_of_srcdoc() {
    check_kept("frame.srcdoc = text", "about:srcdoc");
}

#[test]
fn a_document_of_a_blob() {
    check_kept(
        "frame.src = URL.createObjectURL(new Blob([text], { type: 'text/html' }))",
        "blob:",
    );
}

#[test]
fn a_document_of_a_data_address() {
    check_kept(
        "frame.src = 'data:text/html,' + encodeURIComponent(text)",
        "data:",
    );
}

#[test]
fn a_document_that_a_service_worker_answers_with() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>\nconst worker = navigator.serviceWorker;\n\
worker.register('/service.js');\nworker.ready.then(() => { window.finished = true; });\n</script>\
<a id=on href=/made.html>on</a>",
            ),
        ),
        (
            "/service.js",
            script(
                "const text = `<script>var o = { v: 1 };</scr` + `ipt><b onclick=\"o.v = \
2\">b</b>\\n<script>\\nsay(document.scripts[0].text);\\n\
document.querySelector('b').click();</scr` + `ipt><button id=ask onclick=ask()>ask</button><script src=/ask.js></scr` \
+ `ipt>`;\n\
oninstall = () => skipWaiting();\nonactivate = (event) => event.waitUntil(clients.claim());\n\
onfetch = (event) => { if (event.request.url.endsWith('/made.html')) event.respondWith(new \
Response(text.replace('say', 'void '), { headers: { 'Content-Type': 'text/html' } })); };\n",
            ),
        ),
        ("/ask.js", script("function ask() {\n  void o;\n}\n")),
    ]);
    let wait = json!({ "type": "waitForExpression", "expression": "window.finished" });
    let answer = ask_at(
        &site,
        "ask.js:2",
        &[wait, click("#on"), click("#ask")],
        &["lastChange(R:o.v)"],
    );
    let why = "service.js: it is a service worker: neither it nor the scripts that it answers with are hooked";
    let listed = blind_spots(&answer);
    assert!(listed.contains(&why.to_owned()), "{listed:#?}");
    assert_eq!(told(&answer, 1), "found 1:1 1 -> 2", "{answer:#}");
    assert_eq!(
        answer["points"][1]["location"]["url"],
        format!("onclick in {}", site.url("/made.html"))
    );
}
