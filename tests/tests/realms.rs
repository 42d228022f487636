//! Scripts elsewhere than in the page's own document: in workers, in frames, in tabs. Each page is run plainly and
//! under a question, says the same both times, is hooked where it can be, and what could not be hooked is listed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

#[test]
fn workers_of_every_kind_run_as_written() {
    let blob = "URL.createObjectURL(new Blob(['var o = {}; o.value = 2; importScripts(\"' + location.origin + \
        '/imported.js\"); postMessage(imported)']))";
    let body = format!(
        "<script>\n\
const hear = (name, port) => new Promise((told) => {{ port.onmessage = (event) => {{ say(name, event.data); told(); \
}}; }});\n\
const all = async () => {{\n\
  await hear('dedicated', new Worker('/dedicated.js'));\n\
  await hear('module', new Worker('/module.js', {{ type: 'module' }}));\n\
  await hear('blob', new Worker({blob}));\n\
  const shared = new SharedWorker('/shared.js'); await hear('shared', shared.port);\n\
  const registration = await navigator.serviceWorker.register('/service.js', {{ scope: '/scope/' }});\n\
  const service = registration.installing || registration.waiting || registration.active;\n\
  const channel = new MessageChannel(); service.postMessage(0, [channel.port2]); await hear('service', \
  channel.port1);\n\
  const audio = new OfflineAudioContext(1, 128, 8000); await audio.audioWorklet.addModule('/worklet.js');\n\
  probe.value = 1;\n\
  done();\n\
}};\nall();\n</script>"
    );
    let site = Site::new(&[
        ("/", page(&body)),
        (
            "/dedicated.js",
            script(
                "var o = {}; o.value = 1; importScripts('/imported.js'); import('/dynamic.js').then((m) => \
                 postMessage(imported + m.dynamic));\n",
            ),
        ),
        (
            "/imported.js",
            script("var imported = {}; imported.value = 'i'; imported = imported.value + 'x';\n"),
        ),
        (
            "/dynamic.js",
            script("const box = {}; box.value = 'd'; export const dynamic = box.value;\n"),
        ),
        (
            "/module.js",
            script(
                "import { dynamic } from '/dynamic.js'; const o = {}; o.value = dynamic; postMessage(o.value);\n",
            ),
        ),
        (
            "/shared.js",
            script(
                "onconnect = (event) => { const o = \
                 {}; o.value = 's'; importScripts('/imported.js'); event.ports[0].postMessage(o.value + imported); \
                 };\n",
            ),
        ),
        (
            "/service.js",
            script(
                "importScripts('/imported.js'); onmessage = (event) => { const o = \
                 {}; o.value = 'w'; event.ports[0].postMessage(o.value + imported); };\n",
            ),
        ),
        (
            "/worklet.js",
            script(
                "const o = {}; o.value = 1; registerProcessor('p', class extends AudioWorkletProcessor { process() \
                 { return false; } });\n",
            ),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(
        said,
        "dedicated ixd\nmodule d\nblob ix\nshared six\nservice wix"
    );
    assert_eq!(place(&answer), "found :13:1");
    assert_eq!(coverage(&answer), "12 of 12");
    assert_eq!(
        blind_spots(&answer),
        [
            "service.js: it is a service worker: neither it nor the scripts that it answers with are hooked",
        ]
    );
}

#[test]
fn a_worklet_that_paints_is_not_waited_for() {
    let with = |worklet: &str| {
        let body = format!("<script>probe.value = 1; {worklet}; done();</script>");
        let site = Site::new(&[
            ("/", page(&body)),
            (
                "/paint.js",
                script("import './part.js'; registerPaint('mine', class { paint() {} });\n"),
            ),
            ("/part.js", script("const o = 1;\n")),
        ]);
        let url = site.url("/");
        let ran = ask(&url, &[]);
        ran.answer()["timing_ms"]["replay"].as_f64().unwrap()
    };
    let plain = with("");
    let painting = with("CSS.paintWorklet.addModule('/paint.js')");
    // As if it were a worker that never begins, it took three seconds more.
    assert!(
        painting < 2.0 * plain + 1500.0,
        "{painting} ms, without {plain} ms"
    );
}

#[test]
fn a_worklet_that_paints_runs_as_written() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<style>#box { width: 50px; height: 50px; background: paint(mine); }</style><div id=box></div>\n\
<script>\nconst address = URL.createObjectURL(new Blob(['const o = {}; o.value = 4;'], { type: 'text/javascript' }));\n\
(async () => {\n  await CSS.paintWorklet.addModule({ toString() { say('asked'); return 'paint.js'; } });\n\
  await CSS.paintWorklet.addModule(address);\n  await CSS.paintWorklet.addModule('http://').catch((error) => \
  say(error.name));\n\
  probe.value = 1;\n  done();\n})();\n</script>",
            ),
        ),
        (
            "/paint.js",
            script(
                "import './part.js'; const o = {}; o.value = 2; registerPaint('mine', class { paint() \
                 { o.value = 3; } });\n",
            ),
        ),
        ("/part.js", script("const o = {}; o.value = 1;\n")),
    ]);
    let url = site.url("/");
    let (said, answer) = compare(&site, &url, &[]);
    assert_eq!(said, "asked\nSyntaxError");
    assert_eq!(place(&answer), "found :9:1", "{answer:#}");
    let why = "it runs in a worklet that is not for audio, where nothing is hooked";
    let listed = ["UUID", "paint.js", "part.js"].map(|file| format!("{file}: {why}"));
    assert_eq!(blind_spots(&answer), listed);
    // Rewritten, they would throw.
    let arguments = [
        "ask",
        &url,
        "--json",
        "--at",
        "exception",
        "lastChange(R:probe.value)",
    ];
    let thrown = querypoint(&arguments).answer();
    assert_eq!(thrown["points"][0]["status"], "not-reached", "{thrown:#}");
}

#[test]
fn frames_of_any_origin_are_hooked() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>\n\
const hear = () => new Promise((told) => { onmessage = (event) => { say(event.data); told(); }; });\n\
const frame = async (src, more) => { const it = Object.assign(document.createElement('iframe'), more, { src }); \
document.body.append(it); await hear(); return it; };\n\
onload = async () => {\n\
  const first = await frame('/frame.html'); first.contentDocument.body.click(); say(first.contentWindow.mine.value);\n\
  await frame('//localhost:' + location.port + '/frame.html');\n\
  await frame('/frame.html?sandboxed', { sandbox: 'allow-scripts' });\n\
  first.remove();\n\
  await frame('/frame.html?again');\n\
  probe.value = 1;\n\
  done();\n\
};\n</script><body>",
            ),
        ),
        (
            "/frame.html",
            html(
                "<script>var mine = {}; mine.value = 1;</script><script defer src=/inner.js></script><body \
                 onclick=\"mine.value = 2\">",
            ),
        ),
        (
            "/inner.js",
            script(
                "mine.value = 'inner'; parent.postMessage([mine.value, location.hostname + location.search, typeof \
                 origin].join(), '*');\n",
            ),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(
        said,
        "inner,127.0.0.1,string\n2\ninner,localhost,string\ninner,127.0.0.1?sandboxed,string\ninner,127.0.0.1?again,string"
    );
    assert_eq!(place(&answer), "found :11:1");
    assert_eq!(coverage(&answer), "14 of 14");
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
}

#[test]
fn a_write_from_a_frame_is_never_a_wrong_line() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>probe.value = 1;</script><iframe src=/frame.html></iframe><script>onload = () => \
                 { say(probe.value); done(); }</script>",
            ),
        ),
        (
            "/frame.html",
            html("<script>parent.probe.value = 2;</script>"),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "2");
    assert!(place(&answer).starts_with("blind "), "{answer:#}");
}

#[test]
fn javascript_urls_are_hooked_in_links_and_listed_elsewhere() {
    check(
        &[(
            "/",
            page(
                "<script>window.told = () => { probe.value = 1; say('clicked'); location = 'javascript:probe.value = \
2, ended(), void 0'; };\n\
window.ended = () => { say(probe.value); probe.value = 3; done(); };</script>\n\
<iframe srcdoc=\"<script>parent.say('srcdoc', typeof mine); var mine = {}; mine.value = 1; \
parent.say(mine.value)</script>\"></iframe>\n\
<a id=none href=\"javascript:void(0)\">y</a><a id=a href=\"javascript:told(),void 0\">x</a>\n\
<script>onload = () => { none.click(); document.getElementById('a').click(); };</script>",
            ),
        )],
        &["srcdoc undefined", "1", "clicked", "2"],
        "found :3:42",
        "6 of 7",
        &["javascript:: the code of a javascript: URL is not rewritten"],
    );
}

#[test]
fn javascript_urls_run_in_frames_and_new_tabs_as_written() {
    let body = "<script>\n\
window.heard = (name, text) => { say(name, text); probe.value = name; if (name === 'last') { frames.one.location = \
'javascript:var o = {}; o.value = 4; parent.heard(`set`, o.value); parent.done(); void 0'; } };\n\
</script>\n\
<iframe name=one src=\"javascript:var o = {}; o.value = 1; parent.heard('frame', o.value); 'a text'\"></iframe>\n\
<button id=b onclick=\"window.open('javascript:var o = {}; o.value = 2; opener.heard(`tab`, o.value); \
close()')\">b</button>\n\
<form target=one action=\"javascript:var o = {}; o.value = 3; parent.heard('form', o.value); void 0\"><input \
type=submit id=s></form>\n\
<a id=a target=one href=\"javascript:var o = {}; o.value = 5; parent.heard('last', o.value); void 0\">a</a>";
    let site = Site::new(&[("/", page(body))]);
    let click = |selector: &str| serde_json::json!({ "type": "click", "selectors": [[selector]], "offsetX": 1, "offsetY": 1 });
    let until = |text: &str| serde_json::json!({ "type": "waitForExpression", "expression": text });
    let steps = [
        until("probe.value === 'frame'"),
        click("#b"),
        until("probe.value === 'tab'"),
        click("#s"),
        until("probe.value === 'form'"),
        click("#a"),
        until("window.finished"),
    ];
    let (said, answer) = compare(&site, &site.url("/"), &steps);
    assert_eq!(said, "frame 1\ntab 2\nform 3\nlast 5\nset 4");
    assert_eq!(place(&answer), "found :3:51", "{answer:#}");
    assert_eq!(
        blind_spots(&answer),
        ["javascript:: the code of a javascript: URL is not rewritten"]
    );
}
