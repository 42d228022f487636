//! What servers answer: redirects, error pages, responses from caches and from service workers. Each page is run plainly
//! and under a question and says the same both times.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod loopback;

use loopback::*;

#[test]
fn redirects_error_pages_and_cached_responses() {
    check(
        &[
            ("/", Reply::new("text/plain", "").status(302).header("Location", "/there")),
            ("/there", page("<script src=/moved.js></script><script src=/gone.js onerror=\"say('gone'); probe.value = 7\"></script>\n\
<script src=/tagged.js></script><script src=/tagged.js></script><script src=/wrong.js></script><script src=/empty.js></script>\n\
<script>fetch('/tagged.js').then((r) => r.text()).then((text) => { say(text.length); probe.value = 8; done(); });</script>").status(404)),
            ("/moved.js", Reply::new("text/plain", "").status(302).header("Location", "/moved/to.js")),
            ("/moved/to.js", script("probe.value = 'moved'; say('moved');\n")),
            ("/gone.js", script("say('error pages of scripts are not run');").status(404)),
            ("/tagged.js", script("say('tagged');\n").header("ETag", "\"1\"").header("Cache-Control", "no-cache")),
            ("/wrong.js", Reply::new("image/png", "say('never');")),
            ("/empty.js", script("")),
        ],
        &["moved", "gone", "tagged", "tagged", "15"],
        "found there:4:86",
        "6 of 6",
        &[],
    );
}

#[test]
fn a_redirected_script_has_its_own_lines_in_stacks() {
    let site = Site::new(&[
        (
            "/",
            page("<script src=/moved.js></script><script>done()</script>"),
        ),
        (
            "/moved.js",
            Reply::new("text/plain", "")
                .status(302)
                .header("Location", "/to/there.js"),
        ),
        (
            "/to/there.js",
            script("function f() { probe.value = 1; probe.value = 2; } probe.value = 3; f();\n"),
        ),
    ]);
    let (_, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(place(&answer), "found to/there.js:1:33");
    let stack = answer["points"][1]["stack"].as_array().unwrap();
    let columns: Vec<&serde_json::Value> = stack.iter().map(|frame| &frame["column"]).collect();
    assert_eq!(columns, [33, 69], "{answer:#}");
}

#[test]
fn a_page_that_a_service_worker_serves() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>\nif (navigator.serviceWorker.controller) { say('served', document.title); probe.value = 2; const s = document.createElement('script'); s.src = '/made.js'; s.onload = done; document.head.append(s); }\n\
else { navigator.serviceWorker.register('/worker.js'); navigator.serviceWorker.ready.then((r) => { probe.value = 1; if (r.active.state === 'activated') location.reload(); else r.active.onstatechange = (e) => { if (e.target.state === 'activated') location.reload(); }; }); }\n</script>",
            ),
        ),
        (
            "/worker.js",
            script(
                "oninstall = () => skipWaiting(); onactivate = (event) => event.waitUntil(clients.claim());\n\
onfetch = (event) => { if (event.request.url.endsWith('/made.js')) event.respondWith(new Response(\"say('made'); probe.value = 3;\", { headers: { 'Content-Type': 'text/javascript' } })); };\n",
            ),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "served page\nmade");
    let at = place(&answer);
    assert!(
        at == "found made.js:1:14" || at.starts_with("blind "),
        "{answer:#}"
    );
}

#[test]
fn a_script_that_the_browser_may_keep_is_rewritten_each_time() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>const visits = Number(sessionStorage.visits || 0) + 1; sessionStorage.visits = visits;</script>\n\
<script src=/fresh.js></script><script src=/stale.js></script>\n\
<script>if (visits < 3) location.reload(); else { say(fresh, stale, visits); done(); }</script>",
            ),
        ),
        (
            "/fresh.js",
            script("var fresh = 'fresh'; probe.value = 1;\n")
                .header("Cache-Control", "max-age=3600, immutable"),
        ),
        (
            "/stale.js",
            script("var stale = 'stale'; probe.value = 2;\n")
                .header("ETag", "\"1\"")
                .header("Cache-Control", "no-cache"),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "fresh stale 3");
    assert_eq!(place(&answer), "found stale.js:1:22");
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
    // Run plainly, the browser takes the one from its cache.
    site.requests();
    plainly(&site.url("/"), &[]);
    let asked_for = |path: &str| site.requests().iter().filter(|&at| at == path).count();
    assert_eq!(asked_for("/fresh.js"), 1);
}
