//! Call-stack reproduction: `ask --reproduce callstack` runs the page once and then calls the oldest function at the
//! reproduction point again; where that cannot answer, it says why, and `auto` replays.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use serde_json::{Value, json};

/// What all pages here have. The last change of `box.value` before `here` is on line 8, that of `sum` on line 9.
const ACT: &str = "<button id=go>go</button><output id=out></output>
<script>
const box = { value: 0, list: [] };
var sum = 0;
function here() {}
function act(by) {
  box.value = 0;
  box.value = by;
  sum = sum + by;
  if (sum > 0)
    document.getElementById('out').textContent = 'sum ' + sum;
  here();
}
";
const POINT: &str = "page.js:12#0";

/// The page, with what calls `act`.
fn site(rest: &str) -> Site {
    Site::new(&pages(rest))
}

fn pages(rest: &str) -> [(&'static str, Reply); 2] {
    let body = ACT.split_once("<script>").unwrap();
    let code = body.1.trim_start();
    let markup = format!("{}<script src=/page.js></script>", body.0);
    // As the lines are told above, the first is that of the markup.
    let code = format!("//\n//\n{code}{rest}");
    [("/", page(&markup)), ("/page.js", script(&code))]
}

/// Asks of the page, with these steps after it was opened.
fn asked(site: &Site, steps: &[Value], queries: &[&str], more: &[&str]) -> Ran {
    let folder = Folder::new();
    let url = site.url("/");
    let path = recording(&folder, &url, steps);
    let mut arguments = vec!["ask", "--json", "--timeout", "60", &url];
    arguments.extend(["--recording", path.to_str().unwrap()]);
    arguments.extend(queries);
    arguments.extend(more);
    querypoint(&arguments)
}

fn click() -> Value {
    json!({ "type": "click", "selectors": [["#go"]], "offsetX": 5, "offsetY": 5 })
}

fn notes(answer: &Value) -> String {
    answer["consistency"]["notes"].to_string()
}

fn line(point: &Value) -> (&str, u64) {
    let line = point["location"]["line"].as_u64().unwrap_or_default();
    (point["status"].as_str().unwrap(), line)
}

const VALUE: &str = "B = lastChange(R:box.value)";
const CALLED: [&str; 4] = ["--reproduce", "callstack", "--at", POINT];

#[test]
fn each_kind_of_oldest_function_is_called_again() {
    let kinds: [(&str, &str, &[Value]); 8] = [
        (
            "go.onclick = function pressed() { act(2); };",
            "pressed",
            &[click()],
        ),
        (
            "go.addEventListener('click', { handleEvent() { act(2); } });",
            "handleEvent",
            &[click()],
        ),
        (
            "setTimeout(function late(by) { act(by); }, 5, 2);",
            "late",
            &[],
        ),
        (
            "Promise.resolve(2).then(function then(by) { act(by); });",
            "then",
            &[],
        ),
        ("queueMicrotask(() => act(2));", "(anonymous)", &[]),
        (
            "onmessage = function heard(event) { act(event.data); }; postMessage(2);",
            "heard",
            &[],
        ),
        (
            "const { port1, port2 } = new MessageChannel(); port1.onmessage = function got(event) \
             { act(event.data); }; port2.postMessage(2);",
            "got",
            &[],
        ),
        (
            "requestAnimationFrame(function frame(time) { [2].forEach((by) => act(time > 0 ? by : 0)); });",
            "frame",
            &[],
        ),
    ];
    for (rest, oldest, steps) in kinds {
        let ran = asked(&site(rest), steps, &[VALUE], &CALLED);
        assert_eq!(ran.status, Some(0), "{rest}: {ran:#?}");
        let answer = ran.answer();
        let (reproduction, found) = (&answer["points"][0], &answer["points"][1]);
        assert_eq!(line(found), ("found", 8), "{rest}: {answer:#}");
        assert_eq!(found["old"]["text"], "0", "{rest}: {answer:#}");
        assert_eq!(found["new"]["text"], "2", "{rest}: {answer:#}");
        assert_eq!(found["note"], Value::Null, "{rest}: {answer:#}");
        assert_eq!(reproduction["hit"], 0, "{rest}: {answer:#}");
        let stack = reproduction["stack"].as_array().unwrap();
        assert_eq!(stack.last().unwrap()["function"], oldest, "{answer:#}");
        let said = format!("found by calling {oldest} (page.js:");
        assert!(notes(&answer).contains(&said), "{rest}: {answer:#}");
        // The page ran once; twice a function of it was called.
        assert_eq!(answer["executions"], 3, "{rest}: {answer:#}");
    }
}

#[test]
fn everything_that_the_call_does_can_be_asked() {
    let queries = [
        "B = lastChange(R:box.value)",
        "C = lastChange(R:sum)",
        "D = lastChange(R:out.textContent)",
        "E = lastCondition(D)",
        "F = trace(write(.value), before(R), index 0)",
        "G = lastChange(B:by)",
        "H = lastChange(R:box.list[0])",
        "I = lastChange(R:made.x)",
    ];
    let rest = "var made; go.onclick = () => { box.list = []; box.list.push(sum); eval('made = { x: 5 }'); act(3); };";
    let ran = asked(&site(rest), &[click()], &queries, &CALLED);
    let answer = ran.answer();
    let points = answer["points"].as_array().unwrap();
    let lines: Vec<(&str, u64)> = points.iter().map(line).collect();
    let at = |line| ("found", line);
    assert_eq!(
        lines,
        [
            at(12),
            at(8),
            at(9),
            at(11),
            at(10),
            at(7),
            at(6),
            at(14),
            at(1)
        ],
        "{answer:#}"
    );
}

/// What a parameter was is gone once the function has assigned it; a frame has a realm of its own.
#[test]
fn parameters_and_frames() {
    let rest = "setTimeout(function late(by) { by = by + 1; act(by); }, 5, 2);";
    let ran = asked(&site(rest), &[], &[VALUE], &CALLED);
    let answer = ran.answer();
    // 3 at first, 4 and 5 in the calls.
    assert_eq!(answer["points"][1]["new"]["text"], "5", "{answer:#}");
    assert_eq!(answer["consistency"]["agrees"], false, "{answer:#}");

    let [(_, inner), acting] = pages("setTimeout(() => act(2), 5);");
    let outer = page("<iframe src=/inner></iframe>");
    let framed = Site::new(&[("/", outer), ("/inner", inner), acting]);
    let ran = asked(&framed, &[], &[VALUE], &CALLED);
    let answer = ran.answer();
    assert_eq!(line(&answer["points"][1]), ("found", 8), "{answer:#}");
}

/// The condition is in the caller, which only the stack at the point tells: it has no hook.
#[test]
fn what_needs_other_hooks_is_left_to_a_replay() {
    let site = site("go.onclick = function pressed() { if (sum < 9) act(2); };");
    let queries = ["B = lastCondition(R)"];
    let answer = asked(&site, &[click()], &queries, &CALLED).answer();
    let note = answer["points"][1]["note"].as_str().unwrap();
    assert!(
        note.contains("needs hooks that the page was not loaded with"),
        "{answer:#}"
    );
    let more = ["--reproduce", "auto", "--at", POINT];
    let answer = asked(&site, &[click()], &queries, &more).answer();
    assert_eq!(line(&answer["points"][1]), ("found", 14), "{answer:#}");
}

#[test]
fn what_cannot_be_restored_is_said() {
    let site = site("go.onclick = () => act(2);");
    // The second of two clicks: sum was 4 when the page was paused, and each of the two calls adds 2.
    let point = POINT.replace("#0", "#1");
    let more = ["--reproduce", "callstack", "--at", &point];
    let ran = asked(
        &site,
        &[click(), click()],
        &["B = lastChange(R:sum)"],
        &more,
    );
    let answer = ran.answer();
    assert_eq!(answer["points"][0]["hit"], 1, "{answer:#}");
    assert_eq!(answer["points"][1]["old"]["text"], "6", "{answer:#}");
    assert_eq!(answer["points"][1]["new"]["text"], "8", "{answer:#}");
    assert_eq!(answer["consistency"]["agrees"], false, "{answer:#}");
    let notes = notes(&answer);
    assert!(
        notes.contains("was 4 when the page stopped there and is 8 in this one"),
        "{notes}"
    );
    assert!(
        notes.contains("again, twice: what it had changed before stayed changed"),
        "{notes}"
    );
}

#[test]
fn the_last_hit_is_counted_first() {
    let site = site("go.onclick = () => act(2);");
    let point = POINT.replace("#0", "");
    let more = ["--reproduce", "callstack", "--at", &point];
    let ran = asked(&site, &[click(), click(), click()], &[VALUE], &more);
    let answer = ran.answer();
    assert_eq!(line(&answer["points"][1]), ("found", 8), "{answer:#}");
    assert_eq!(answer["points"][0]["hit"], 2, "{answer:#}");
    assert_eq!(answer["points"][0]["hits"], 3, "{answer:#}");
    assert_eq!(answer["executions"], 4, "{answer:#}");
    // `auto` sees that this saves nothing.
    let more = ["--reproduce", "auto", "--at", &point];
    let ran = asked(&site, &[click(), click(), click()], &[VALUE], &more);
    let answer = ran.answer();
    assert_eq!(answer["executions"], 1, "{answer:#}");
    assert_eq!(notes(&answer), "[]", "{answer:#}");
}

#[test]
fn of_a_loop_the_same_turn_is_reached() {
    let site = site("go.onclick = () => { for (const by of [1, 2, 3]) act(by); };");
    let point = POINT.replace("#0", "#4");
    let more = ["--reproduce", "callstack", "--at", &point];
    let ran = asked(&site, &[click(), click()], &[VALUE], &more);
    let answer = ran.answer();
    assert_eq!(answer["points"][1]["new"]["text"], "2", "{answer:#}");
    assert_eq!(answer["points"][0]["hit"], 4, "{answer:#}");
}

#[test]
fn what_cannot_be_called_again_is_refused_with_the_reason_and_replayed_by_auto() {
    let pages: [(&str, &str); 7] = [
        (
            "go.onclick = async function resumed() { await 1; act(2); };",
            "resumed is an async function or a generator",
        ),
        ("act(2);", "page.js itself was running, as it was loaded"),
        (
            "out.onclick = function pressed() { act(2); }; go.onclick = function first() { out.click(); };",
            "pressed was called by the browser from within first",
        ),
        (
            "let isFirst = true; go.onclick = function once() { if (isFirst) { isFirst = false; act(2); } };",
            "once was called again and did not reach the reproduction point",
        ),
        (
            "const assign = Object.assign; Object.assign = function (...of) { return assign(...of); }; go.onclick = \
             () => act(2);",
            "the page has replaced Object.assign",
        ),
        (
            "window.Map = class extends Map {}; go.onclick = () => act(2);",
            "the page has replaced Map,",
        ),
        (
            "go.onclick = function before() { if (box.list.length === 0) box.list.push(1); act(2); };",
            "",
        ),
    ];
    for (rest, why) in pages {
        let site = site(rest);
        let query = if why.is_empty() {
            "B = lastChange(R:box.list[0])"
        } else {
            VALUE
        };
        let ran = asked(&site, &[click()], &[query], &CALLED);
        let answer = ran.answer();
        let point = &answer["points"][1];
        let note = point["note"].as_str().unwrap_or_default();
        assert!(note.contains("--reproduce replay"), "{rest}: {answer:#}");
        if why.is_empty() {
            assert!(
                note.contains("it was not changed in the call of before"),
                "{answer:#}"
            );
        } else {
            assert_eq!(ran.status, Some(3), "{rest}: {answer:#}");
            assert!(note.contains(why), "{rest}: {answer:#}");
        }
        let more = ["--reproduce", "auto", "--at", POINT];
        let ran = asked(&site, &[click()], &[query], &more);
        assert_eq!(ran.status, Some(0), "{rest}: {ran:#?}");
        let answer = ran.answer();
        assert_eq!(answer["points"][1]["status"], "found", "{rest}: {answer:#}");
        let replayed = "no function was called again, the page was replayed: ";
        assert!(notes(&answer).contains(replayed), "{rest}: {answer:#}");
        assert!(notes(&answer).contains(why), "{rest}: {answer:#}");
    }
}

#[test]
fn points_that_are_no_place_in_a_script_are_replayed() {
    let site = site("go.onclick = () => { act(2); console.log('lost'); };");
    for at in ["end", "console:lost", "exception"] {
        let more = ["--reproduce", "callstack", "--at", at];
        let ran = asked(&site, &[click()], &["B = lastChange(R:box.value)"], &more);
        assert_eq!(ran.status, Some(3), "{at}: {ran:#?}");
        let answer = ran.answer();
        let note = answer["points"][0]["note"].as_str().unwrap();
        assert!(note.starts_with("only a place in a script"), "{answer:#}");
    }
    let queries = ["B = lastCondition(R)", "C = exceptionAfter(B)"];
    let answer = asked(&site, &[click()], &queries, &CALLED).answer();
    let note = answer["points"][0]["note"].as_str().unwrap();
    assert!(
        note.starts_with("exceptions, and what comes after"),
        "{answer:#}"
    );
}

#[test]
fn dormant_hooks_everywhere_answer_the_same() {
    let site = site("go.onclick = () => act(2);");
    let more = [&CALLED[..], &["--instrument", "standby"]].concat();
    let answer = asked(&site, &[click()], &[VALUE], &more).answer();
    assert_eq!(line(&answer["points"][1]), ("found", 8), "{answer:#}");
}

/// What a question put in the place of built-ins is gone before the next one, and shows itself as the built-in
/// meanwhile.
#[test]
fn the_page_cannot_tell_that_it_is_asked() {
    let rest = "const setter = () => Object.getOwnPropertyDescriptor(Node.prototype, 'textContent').set;
const look = () => [setter().name, setter().length, String(setter()), JSON.parse.name, String(JSON.parse), String(act).includes('Qp')].join(' ');
const then = look();
window.seen = [];
go.onclick = () => { seen.push(look() === then); act(2); };";
    let site = site(rest);
    let queries = [
        "B = lastChange(R:out.textContent)",
        "C = lastChange(R:box.value)",
    ];
    let more = [&CALLED[..], &["--watch", "seen.join()"]].concat();
    let answer = asked(&site, &[click()], &queries, &more).answer();
    let watches = &answer["points"][0]["watches"];
    assert_eq!(watches[0]["text"], "\"true,true,true\"", "{answer:#}");
}
