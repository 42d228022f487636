//! A page that is left paused shows its scripts as their author wrote them: each tells where it comes from, with the
//! text and through its own map. In other executions no script does.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::collections::BTreeMap;
use std::time::Duration;

use crate::loopback::*;
use crate::paused_page::{Debugger, Frame, Paused};
use crate::user::soon;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cdp_driver::native::{Browser, LaunchOptions};
use futures::StreamExt;
use parking_lot::Mutex;
use serde_json::{Value, json};
use sourcemap::SourceMap;

const APP: &str = "function total(list) { let sum = 0;
  for (const each of list) { sum += each; probe.value = sum; }
  return sum;
}
total([1, 2]);
say('é', probe.value); done();
// the last line";

/// The map that a script's address of one holds.
fn map_in(address: &str) -> SourceMap {
    let (head, data) = address.split_once(',').unwrap();
    assert_eq!(head, "data:application/json;base64");
    SourceMap::from_slice(&STANDARD.decode(data).unwrap()).unwrap()
}

/// Where a frame is by the map of its script, as an answer tells a place, and the text of that file.
fn shown(debugger: &Debugger, frame: &Frame) -> (Value, Option<String>) {
    let script = &debugger.scripts[&frame.script];
    let map = map_in(&script.source_map);
    // Of a script in a document, the map counts from where that begins.
    let [start_line, start_column] = script.start;
    let line = frame.line - 1 - start_line;
    let before = if line == 0 { start_column } else { 0 };
    let line = u32::try_from(line).unwrap();
    let column = u32::try_from(frame.column - 1 - before).unwrap();
    let token = map.lookup_token(line, column).unwrap();
    assert_eq!(token.get_dst_line(), line);
    let place = json!({
        "url": token.get_source().unwrap(),
        "line": token.get_src_line() + 1,
        "column": token.get_src_col() + 1,
    });
    let text = map.get_source_contents(token.get_src_id());
    (place, text.map(str::to_owned))
}

/// The place of a point in the answer, in the author's file.
fn told(answer: &Value, point: usize) -> Value {
    let location = &answer["points"][point]["location"];
    let member = |name: &str| (name.to_owned(), location[name].clone());
    ["url", "line", "column"].map(member).into_iter().collect()
}

/// The page is paused in the line of the point; inside of it where the hook is: behind the value that is to be written.
fn is_paused_at(place: &Value, point: &Value) {
    for member in ["url", "line"] {
        assert_eq!(place[member], point[member], "{place} {point}");
    }
    let column = |place: &Value| place["column"].as_u64().unwrap();
    assert!(column(place) >= column(point), "{place} {point}");
}

#[tokio::test]
async fn a_script_is_shown_as_it_was_written() {
    let site = Site::new(&[
        ("/", page("<script src=/app.js></script>")),
        ("/app.js", script(APP)),
    ]);
    let queries = [
        "B = lastChange(R:probe.value)",
        "C = lastChange(B:sum)",
        "D = trace(call(total), before(R))",
    ];
    for (index, name) in ["R", "B", "C", "D"].into_iter().enumerate() {
        let url = site.url("/");
        let mut more = vec!["--at", "/app.js:6", "--pause", name];
        more.extend(queries);
        let paused = Paused::new(&url, &more);
        let mut debugger = Debugger::attach(&paused).await;
        let frames = debugger.frames().await;
        let (place, text) = shown(&debugger, &frames[0]);
        assert_eq!(text.as_deref(), Some(APP));
        let (_, answer) = paused.interrupt();
        is_paused_at(&place, &told(&answer, index));
    }
}

/// Two scripts on one line of a bundle, which their bundler put together: line 1 of `head.ts`, and from column 15 line
/// 5 of `total.ts`, column 3.
const BUNDLE: &str = "probe.value=1;probe.value=2;say(probe.value);done();";
const MAP: &str = r#"{"version":3,"sources":["head.ts","total.ts"],"sourcesContent":["head","one\ntwo\n\n\n  total"],
    "names":["value"],"mappings":"AAAA,cCIEA"}"#;

#[tokio::test]
async fn a_script_with_a_map_is_shown_through_it() {
    let reference = format!("{BUNDLE}\n//# sourceMappingURL=app.js.map\n");
    for bundle in [
        script(&reference),
        script(BUNDLE).header("SourceMap", "app.js.map"),
        script(BUNDLE).header("X-SourceMap", "app.js.map"),
    ] {
        let site = Site::new(&[
            ("/", page("<script src=/dist/app.js></script>")),
            ("/dist/app.js", bundle),
            ("/dist/app.js.map", Reply::new("application/json", MAP)),
        ]);
        let more = [
            "--at",
            "/dist/app.js:1:29",
            "--pause",
            "B",
            "B = lastChange(R:probe.value)",
        ];
        let paused = Paused::new(&site.url("/"), &more);
        let mut debugger = Debugger::attach(&paused).await;
        let frames = debugger.frames().await;
        let (place, text) = shown(&debugger, &frames[0]);
        assert_eq!(text.as_deref(), Some("one\ntwo\n\n\n  total"));
        let (_, answer) = paused.interrupt();
        let meant = json!({ "url": site.url("/dist/total.ts"), "line": 5, "column": 3 });
        assert_eq!(place, meant);
        assert_eq!(told(&answer, 1), meant);
    }
}

/// All scripts of a document lead to the one document; what the page reads of itself is as it was written.
#[tokio::test]
async fn scripts_in_a_document_are_shown_in_it() {
    let body = "<script>function set(value) { probe.value = value; }\nset('é'); set(1)\n</script>\n\
                <p>ü</p> <script>set(2);\n  say(probe.value) // the end\n</script> <!-- no script -->\n\
                <script>done()</script><p onclick='done()'>";
    let site = Site::new(&[("/", page(body))]);
    let url = site.url("/");
    let more = [
        "--at",
        "/:6",
        "--pause",
        "B",
        "B = lastChange(R:probe.value)",
    ];
    let paused = Paused::new(&url, &more);
    let mut debugger = Debugger::attach(&paused).await;
    let frames = debugger.frames().await;
    let (place, text) = shown(&debugger, &frames[0]);
    let document = text.unwrap();
    assert!(document.ends_with(body), "{document}");
    assert_eq!(
        document.lines().nth(1).unwrap(),
        "<script>function set(value) { probe.value = value; }"
    );
    let (caller, text) = shown(&debugger, &frames[1]);
    assert_eq!(text.as_deref(), Some(document.as_str()));
    let meant = json!({ "url": site.url("/"), "line": 5, "column": 18 });
    assert_eq!(caller, meant);
    let texts = "[...document.scripts].map((script) => script.text).join('|') + set";
    let read = debugger.evaluate(&frames[0], texts).await;
    let read = read.as_str().unwrap();
    assert!(
        read.contains("set('é'); set(1)\n|set(2);\n  say("),
        "{read}"
    );
    assert!(!read.contains("sourceMappingURL"), "{read}");
    let (_, answer) = paused.interrupt();
    is_paused_at(&place, &told(&answer, 1));
}

#[tokio::test]
async fn modules_are_shown_as_they_were_written() {
    const PART: &str = "export function set(value) {\n  probe.value = value;\n}\n";
    let main = "import { set } from './part.mjs';\nset(2);\nsay(probe.value);\ndone();\n";
    let site = Site::new(&[
        ("/", page("<script type=module src=/main.mjs></script>")),
        ("/main.mjs", script(main)),
        ("/part.mjs", script(PART)),
    ]);
    let more = [
        "--at",
        "/main.mjs:3",
        "--pause",
        "B",
        "B = lastChange(R:probe.value)",
    ];
    let paused = Paused::new(&site.url("/"), &more);
    let mut debugger = Debugger::attach(&paused).await;
    let frames = debugger.frames().await;
    let (place, text) = shown(&debugger, &frames[0]);
    assert_eq!(text.as_deref(), Some(PART));
    let (caller, text) = shown(&debugger, &frames[1]);
    assert_eq!(text.as_deref(), Some(main));
    let (_, answer) = paused.interrupt();
    is_paused_at(&place, &told(&answer, 1));
    let meant = json!({ "url": site.url("/main.mjs"), "line": 2, "column": 1 });
    assert_eq!(caller, meant);
}

/// As developer tools set it: at the first place that the map leads to the line from.
#[tokio::test]
async fn a_breakpoint_in_the_authors_line_stops_there() {
    let site = Site::new(&[
        ("/", page("<script src=/app.js></script>")),
        ("/app.js", script(APP)),
    ]);
    let more = [
        "--at",
        "/app.js:6",
        "--pause",
        "B",
        "B = lastChange(R:probe.value)",
    ];
    let paused = Paused::new(&site.url("/"), &more);
    let mut debugger = Debugger::attach(&paused).await;
    let frames = debugger.frames().await;
    let map = map_in(&debugger.scripts[&frames[0].script].source_map);
    for line in [3, 6] {
        let mut tokens = map.tokens();
        let token = tokens
            .find(|token| token.get_src_line() + 1 == line)
            .unwrap();
        let location = json!({
            "url": frames[0].url, "lineNumber": token.get_dst_line(), "columnNumber": token.get_dst_col(),
        });
        debugger.send("Debugger.setBreakpointByUrl", location).await;
        debugger.send("Debugger.resume", json!({})).await;
        let frames = debugger.frames().await;
        let (place, _) = shown(&debugger, &frames[0]);
        assert_eq!(place["line"], line);
    }
    paused.interrupt();
}

#[tokio::test]
async fn scripts_of_workers_are_shown_as_they_were_written() {
    const WORKER: &str = "self.box = { value: 1 };\nbox.value = 2;\npostMessage(box.value);\n";
    let body = "<script>\nconst worker = new Worker('/worker.js');\nworker.onmessage = (event) => {\n  \
                probe.value = event.data;\n  say(probe.value);\n};\n</script>";
    let site = Site::new(&[("/", page(body)), ("/worker.js", script(WORKER))]);
    let more = [
        "--at",
        "/:6",
        "--pause",
        "B",
        "B = lastChange(R:probe.value)",
    ];
    let paused = Paused::new(&site.url("/"), &more);
    let mut debugger = Debugger::attach(&paused).await;
    debugger.frames().await;
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true });
    debugger.send("Target.setAutoAttach", attach).await;
    let worker = site.url("/worker.js");
    let map = loop {
        let event = tokio::time::timeout(Duration::from_secs(60), debugger.events.next());
        let event = event.await.unwrap().unwrap();
        if event.method == "Target.attachedToTarget" {
            let session = event.params["sessionId"].as_str().unwrap().to_owned();
            let session = cdp_driver::protocol::SessionId(session);
            let protocol = debugger.browser.protocol();
            let enabled = protocol.send(Some(&session), "Debugger.enable", json!({}));
            enabled.await.unwrap();
        }
        if event.method == "Debugger.scriptParsed" && event.params["url"] == worker.as_str() {
            break map_in(event.params["sourceMapURL"].as_str().unwrap());
        }
    };
    assert_eq!(map.get_source(0), Some(worker.as_str()));
    assert_eq!(map.get_source_contents(0), Some(WORKER));
    paused.interrupt();
}

/// Of all executions of one question, only the last, which is left paused, has scripts that tell where they come
/// from.
#[tokio::test]
async fn only_the_page_that_is_paused_has_maps() {
    let site = Site::new(&[
        ("/", page("<script src=/app.js></script>")),
        ("/app.js", script(APP)),
    ]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let (protocol, mut events) = (browser.protocol(), browser.protocol().events());
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
    let attached = protocol.send(None, "Target.setAutoAttach", attach).await;
    attached.unwrap();
    // What each tab was told of the script's map.
    let maps: Mutex<BTreeMap<String, String>> = Mutex::default();
    let (address, app) = (
        format!("http://{}", browser.authority()),
        site.url("/app.js"),
    );
    let watched = async {
        while let Some(event) = events.next().await {
            match event.method.as_str() {
                "Target.attachedToTarget" => {
                    let session = event.params["sessionId"].as_str().unwrap().to_owned();
                    let session = cdp_driver::protocol::SessionId(session);
                    for method in ["Debugger.enable", "Runtime.runIfWaitingForDebugger"] {
                        let sent = protocol.send(Some(&session), method, json!({}));
                        let _ = sent.await;
                    }
                }
                "Debugger.scriptParsed" if event.params["url"] == app.as_str() => {
                    let map = event.params["sourceMapURL"].as_str().unwrap();
                    maps.lock().insert(event.session.unwrap().0, map.to_owned());
                }
                _ => {}
            }
        }
    };
    let asked = async {
        let url = site.url("/");
        let command = tokio::task::spawn_blocking(move || {
            let more = [
                "--connect",
                &address,
                "--at",
                "/app.js:6",
                "--pause",
                "B",
                "B = lastChange(R:probe.value)",
            ];
            Paused::new(&url, &more)
        });
        let paused = command.await.unwrap();
        // The tab of the execution and the one that stays have told of their script.
        soon("two tabs with the script", async || {
            (maps.lock().len() >= 2).then_some(())
        })
        .await;
        paused.interrupt()
    };
    let (_, answer) = tokio::select! {
        () = watched => panic!("the browser ended"),
        asked = asked => asked,
    };
    browser.close().await;
    assert_eq!(answer["executions"], 1);
    let maps = maps.into_inner();
    let with_map = maps.values().filter(|map| !map.is_empty());
    assert_eq!((maps.len(), with_map.count()), (2, 1), "{maps:#?}");
}
