//! `querypoint log` and `querypoint query`: what a page did, and what the log says of it. One page, loaded once, for
//! many questions.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

mod answers;
mod classes;
mod counts;
mod evals;
mod hostile;
mod noise;
mod page;
mod waiting;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::loopback::{assert_follows_schema, shared_browser};
use end_to_end::querypoint_command;
use serde_json::Value;

const PAGE: &str = r#"<!doctype html>
<script src="app.js"></script>
<script type="module" src="late.mjs"></script>
"#;

const APP: &str = r#"class Item {
  price = 1;
  constructor(name, price) {
    this.name = name;
    this.price = price;
  }
}
class Cart {
  constructor() { this.items = []; this.total = 0; }
  add(item, count) {
    for (let i = 0; i < count; i++) {
      this.items.push(item);
      this.total += item.price;
    }
    return this.items.length;
  }
}
function fill(cart) {
  const apple = new Item('apple', 2);
  cart.add(apple, 2);
  const given = cart.add(new Item('pear', NaN), 1);
  return given;
}
function broken(cart) {
  try { missing(cart); } catch (error) { cart.error = error.message; }
}
function missing(cart) { cart.nothing.to = 1; }
var cart = new Cart();
fill(cart);
broken(cart);
const words = ['b', 'a'].map((word) => word + '!');
words.sort();
delete cart.error;
"#;

const LATE: &str = r#"const seen = new Map();
async function load(name) {
  seen.set(name, 'asked');
  const text = await Promise.resolve(name + '.txt');
  seen.set(name, text);
  return text;
}
function* numbers() { yield 1; yield 2; }
await load('one');
let sum = 0;
for (const number of numbers()) sum += number;
globalThis.sum = sum;
"#;

fn querypoint(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(querypoint_command().unwrap());
    command.args(arguments);
    if arguments.first() == Some(&"log")
        && let Some((_, address)) = shared_browser(arguments)
    {
        command.args(["--connect", &address]);
    }
    command.current_dir(folder).output().unwrap()
}

/// A folder with the page's log.
fn recorded(page: &str, files: &[(&str, &str)], more: &[&str]) -> (tempfile::TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("page.html"), page).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut arguments = vec!["log", "page.html", "--out", "run.qplog"];
    arguments.extend(more);
    let output = querypoint(&arguments, folder.path());
    (folder, output)
}

fn query(folder: &Path, arguments: &[&str]) -> Value {
    let mut all = vec!["query", "run.qplog", "--json"];
    all.extend(arguments);
    let output = querypoint(&all, folder);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "{arguments:?}: {error}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    assert_follows_schema(&answer, "events");
    answer
}

/// Each event of a result on a line: kind, function, name, old and new value, arguments and result, line.
fn lines(result: &Value) -> Vec<String> {
    let text = |value: &Value| value["text"].as_str().unwrap_or("-").to_owned();
    let number_left_out = |text: String| match text.split_once(" #") {
        Some((class, _)) => class.to_owned(),
        None => text,
    };
    let shown = |event: &Value, name: &str| match &event[name] {
        Value::Null => String::new(),
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().map(|it| number_left_out(text(it))).collect();
            format!(" ({})", texts.join(", "))
        }
        Value::String(word) => format!(" {word}"),
        value => format!(" {name}={}", number_left_out(text(value))),
    };
    let events = result["events"].as_array().unwrap();
    events
        .iter()
        .map(|event| {
            let members = [
                "function",
                "name",
                "arguments",
                "old",
                "value",
                "returned",
                "exception",
            ];
            let parts: String = members.iter().map(|name| shown(event, name)).collect();
            let line = event
                .pointer("/location/line")
                .map_or("-".to_owned(), Value::to_string);
            format!("{}{parts} :{line}", event["kind"].as_str().unwrap())
        })
        .collect()
}

/// The SQL of an answer gives its events, in their order.
fn gives_the_same(folder: &Path, result: &Value) {
    let sql = result["sql"].as_str().unwrap();
    let table = selected(folder, sql);
    let rows = table["rows"].as_array().unwrap();
    let given: Vec<&Value> = rows.iter().map(|row| &row[0]).collect();
    let events = result["events"].as_array().unwrap();
    let answered: Vec<&Value> = events.iter().map(|event| &event["seq"]).collect();
    assert_eq!(given, answered, "{}\n{sql}", result["query"]);
}

fn selected(folder: &Path, sql: &str) -> Value {
    let output = querypoint(&["query", "run.qplog", "--json", "--sql", sql], folder);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{sql}: {said}");
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_follows_schema(&table, "table");
    table
}

#[test]
fn a_page_is_recorded_and_asked() {
    let (folder, output) = recorded(PAGE, &[("app.js", APP), ("late.mjs", LATE)], &[]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let folder = folder.path();
    let mut shown = String::new();
    for (at, question) in [
        ("app.js:13#2", "callChain(R)"),
        ("app.js:13#2", "history(R:this.total)"),
        ("app.js:13#2", "locals(R)"),
        ("app.js:13#2", "state(R:item)"),
        ("app.js:21", "history(R:cart.total)"),
        ("app.js:21", "callsBefore(R)"),
        ("app.js:21", "callsAfter(R)"),
        ("app.js:12#0", "arguments(R)"),
        ("app.js:12#0", "returned(R)"),
        ("end", "history(cart.total)"),
        ("end", "history(cart.error)"),
        ("end", "contents(words)"),
        ("end", "contents(cart.items)"),
        ("end", "argumentsOf(add)"),
        ("end", "returnsOf(Cart.add)"),
        ("end", "instances(Item)"),
        ("end", "wasCalled(missing)"),
        ("end", "wasCalled(sort)"),
        ("end", "wasCalled(nobody)"),
        ("end", "wasAssigned(.total, NaN)"),
        ("end", "wasAssigned(sum, 3)"),
        ("end", "wasCaught(TypeError)"),
        ("end", "wasCaught(RangeError)"),
        ("end", "wasEvaluated(app.js:12)"),
        ("end", "exists(Cart)"),
        ("end", "isRunning(load)"),
        ("end", "hasEnded(load)"),
        ("end", "where(throw())"),
        ("late.mjs:5", "callChain(R)"),
        ("late.mjs:5", "history(R:seen[\"one\"])"),
        ("late.mjs:5", "running(R)"),
        ("late.mjs:5", "locals(R)"),
        ("app.js:21", "callTree(R)"),
        ("end", "argumentsOf(add, between(#20, #60))"),
        ("end", "state(words)"),
    ] {
        let answer = query(folder, &["--at", at, "--explain", question]);
        let result = &answer["results"][0];
        gives_the_same(folder, result);
        let holds = result
            .get("holds")
            .map_or(String::new(), |holds| format!(" {holds}"));
        shown.push_str(&format!("{at} {question}{holds}\n"));
        for line in lines(result) {
            shown.push_str(&format!("  {line}\n"));
        }
    }
    insta::assert_snapshot!(shown);
    let counted = selected(
        folder,
        "SELECT function, count(*) AS times FROM calls GROUP BY 1 HAVING times > 1 ORDER BY 1",
    );
    assert_eq!(counted["columns"], serde_json::json!(["function", "times"]));
    assert_eq!(
        counted["rows"],
        serde_json::json!([
            ["(anonymous)", 2],
            ["(top level)", 2],
            ["Cart.add", 2],
            ["Item", 2]
        ])
    );
    // An event of an answer is a point.
    let answer = query(
        folder,
        &["E = argumentsOf(add)", "callChain(E[1])", "returned(E[1])"],
    );
    assert_eq!(lines(&answer["results"][1]).len(), 3, "{answer}");
    assert_eq!(
        lines(&answer["results"][2]),
        ["return Cart.add returned=3 :15"]
    );
}

const LIBRARIES: &str = r#"<!doctype html><body><script>
window.state = { note: 'a' };
function act(n) { console.log('step %s of %d', n, 3); state.note = 'n' + n; return [n, 2].includes(2, 0); }
act(1);
console.warn('bad', { a: 1 });
const list = [3, 1];
list.push(Math.max(4, 5, list.length));
globalThis.count = 1; count = 2;
const entries = new Map([['a', 1]]);
entries.set('b', act(2));
document.body.setAttribute('data-x', String(count));
Math.min(...list);
console?.info('chained', count);
function* steps() { Math.hypot(yield 1, 4); }
const run = steps(); run.next(); run.next(3);
function inner(n) { try { Math.pow(n, fails()) } catch { return n + 1 } }
function fails() { throw new Error('no') }
Math.abs(-1, inner(7), 9);
</script>"#;

/// Code without hooks does not tell what it is given: the place of its call does, the console's messages too.
#[test]
fn code_without_hooks_is_recorded_where_it_is_called() {
    let (folder, output) = recorded(LIBRARIES, &[], &[]);
    assert!(output.status.success());
    let folder = folder.path();
    let mut shown = String::new();
    for question in [
        "argumentsOf(console.log)",
        "returnsOf(max)",
        "argumentsOf(setAttribute)",
        "argumentsOf(set)",
        "argumentsOf(min)",
        "argumentsOf(info)",
        "argumentsOf(hypot)",
        "argumentsOf(pow)",
        "argumentsOf(abs)",
        "argumentsOf(includes)",
        "history(state.note)",
        "history(count)",
        "history(entries[\"b\"])",
        "state(list)",
    ] {
        let answer = query(folder, &["--explain", question]);
        let result = &answer["results"][0];
        gives_the_same(folder, result);
        shown.push_str(&format!("{question}\n"));
        for line in lines(result) {
            shown.push_str(&format!("  {line}\n"));
        }
    }
    insta::assert_snapshot!(shown);
    let at = |message: &str| {
        let point = format!("console:{message}");
        let answer = query(folder, &["--at", &point, "callChain(R)"]);
        lines(&answer["results"][0])
    };
    assert_eq!(at("step 2 of 3").len(), 2);
    assert_eq!(at("bad Object"), ["call (top level) :2"]);
    let passed = selected(
        folder,
        "SELECT group_concat(arguments.value) FROM arguments JOIN events ON seq = arguments.call WHERE \
         events.name = 'Math.max'",
    );
    assert_eq!(passed["rows"], serde_json::json!([["4,5,2"]]));
    let output = querypoint(
        &[
            "query",
            "run.qplog",
            "--at",
            "console:nothing",
            "callChain(R)",
        ],
        folder,
    );
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn executions_are_compared_and_written_for_other_tools() {
    let files = [("app.js", APP), ("late.mjs", LATE)];
    let (one, _) = recorded(PAGE, &files, &[]);
    let (again, _) = recorded(PAGE, &files, &[]);
    let other = APP.replace("this.total += item.price", "this.total += 2 * item.price");
    let (other, _) = recorded(PAGE, &[("app.js", &other), ("late.mjs", LATE)], &[]);
    let compared = |right: &Path| {
        let right = right.join("run.qplog");
        let arguments = ["compare", "run.qplog", right.to_str().unwrap(), "--json"];
        let output = querypoint(&arguments, one.path());
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), json)
    };
    let (status, same) = compared(again.path());
    assert_eq!(
        (status, &same["differs"]),
        (Some(0), &Value::from(false)),
        "{same}"
    );
    let (status, parted) = compared(other.path());
    assert_eq!(status, Some(1));
    let first = &parted["first"];
    assert_eq!(first["kind"], "data");
    let side = |name: &str| {
        let event = &first[name];
        (
            event["name"].clone(),
            event["value"]["text"].clone(),
            event["location"]["line"].clone(),
        )
    };
    assert_eq!(side("left"), ("total".into(), "2".into(), 13.into()));
    assert_eq!(side("right"), ("total".into(), "4".into(), 13.into()));
    assert_eq!(parted["cause"]["kind"], "code");

    // Of one question only what it is answered with counts.
    let asked = |query: &str| {
        let right = other.path().join("run.qplog");
        let arguments = [
            "compare",
            "--json",
            "--query",
            query,
            "run.qplog",
            right.to_str().unwrap(),
        ];
        let output = querypoint(&arguments, one.path());
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), json)
    };
    let (status, items) = asked("argumentsOf(Item)");
    assert_eq!(
        (status, &items["differs"]),
        (Some(0), &Value::from(false)),
        "{items}"
    );
    let (status, totals) = asked("history(cart.total)");
    assert_eq!(status, Some(1));
    assert_eq!(totals["first"]["kind"], "data");
    assert_eq!(totals["first"]["right"]["value"]["text"], "4");
    let (_, sums) = asked("wasAssigned(.total, 2)");
    assert_eq!(sums["first"]["kind"], "control");
    assert!(sums["first"].get("right").is_none(), "{sums}");

    let exported = [
        "log",
        "export",
        "run.qplog",
        "--parquet",
        "tables",
        "--jel",
        "run.pl",
        "--chrome-trace",
        "run.json",
    ];
    let output = querypoint(&exported, one.path());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let facts = fs::read_to_string(one.path().join("run.pl")).unwrap();
    let calls = facts
        .lines()
        .filter(|line| line.starts_with("method_call(") && line.contains("'Cart.add'"));
    assert_eq!(calls.count(), 2);
    let tables = fs::read_dir(one.path().join("tables")).unwrap();
    for table in tables {
        let bytes = fs::read(table.unwrap().path()).unwrap();
        assert_eq!(
            (&bytes[..4], &bytes[bytes.len() - 4..]),
            (&b"PAR1"[..], &b"PAR1"[..])
        );
    }
    let trace = fs::read_to_string(one.path().join("run.json")).unwrap();
    let trace: Value = serde_json::from_str(&trace).unwrap();
    let mut open = 0;
    for event in trace["traceEvents"].as_array().unwrap() {
        open += if event["ph"] == "B" { 1 } else { -1 };
        assert!(open >= 0, "{event}");
    }
    assert_eq!(open, 0);
}

/// A function made of text is rewritten within its body: behind its last line, which may be a comment.
#[test]
fn functions_made_of_text_have_their_calls_in_the_log() {
    let page = r#"<!doctype html><script>
const add = new Function('a', 'b = 2', 'return a + b; // the sum');
const none = Function('');
const failing = new Function('x', 'if (x) throw new Error(x)\n//');
const given = [add(1), none(), Function('return eval("1 + 1")')()];
try { failing('no') } catch (error) { given.push(error.message) }
console.log(given.join());
</script>"#;
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let answer = query(
        folder.path(),
        &["argumentsOf(console.log)", "where(throw())"],
    );
    let results = answer["results"].as_array().unwrap();
    assert_eq!(
        lines(&results[0]),
        [r#"call (top level) console.log ("3,,2,no") returned=undefined :7"#]
    );
    let chain = query(
        folder.path(),
        &[
            "T = where(throw())",
            "callChain(T[0])",
            "returnsOf(anonymous)",
        ],
    );
    assert_eq!(chain["results"][1]["total"], 2, "{chain}");
    assert_eq!(chain["results"][2]["total"], 4, "{chain}");
}

#[test]
fn exceptions_that_the_browser_throws_are_said_to_have_no_event() {
    let page = "<!doctype html><script>
function read(cart) { return cart.items.length; }
function total(cart) {
  try { return read(cart); } catch (error) { throw error; }
}
try { total({}); } catch { }
try { throw new Error('mine'); } catch { }
</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let answer = query(folder.path(), &["where(throw())", "wasCaught(Error)"]);
    let thrown = &answer["results"][0];
    assert_eq!(thrown["total"], 2, "{answer}");
    assert_eq!(thrown["complete"], false);
    let note = thrown["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("one more exception was not thrown by a `throw`"),
        "{note}"
    );
    let first = &answer["results"][1]["events"][0];
    assert_eq!(first["location"]["line"], 4, "{answer}");
    let named = format!(
        "#{} is where the first (TypeError) was caught",
        first["seq"]
    );
    assert!(note.contains(&named), "{note}");
    let own = "<!doctype html><script>try { throw new Error('mine'); } catch { }</script>";
    let (folder, _) = recorded(own, &[], &[]);
    let answer = query(folder.path(), &["where(throw())"]);
    assert_eq!(answer["results"][0]["complete"], true, "{answer}");
}

#[test]
fn what_is_wrong_ends_with_its_status() {
    let (folder, output) = recorded("<script>var a = 1</script>", &[], &["--detail", "calls"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let folder = folder.path();
    let status = |arguments: &[&str]| querypoint(arguments, folder).status.code();
    assert_eq!(status(&["query", "run.qplog", "wasCalled(f)"]), Some(0));
    assert_eq!(status(&["query", "run.qplog", "historie(R:a)"]), Some(2));
    assert_eq!(
        status(&["query", "run.qplog", "--at", "page.html:9", "callChain(R)"]),
        Some(3)
    );
    assert_eq!(status(&["query", "page.html", "callChain(R)"]), Some(2));
    assert_eq!(status(&["query", "nowhere.qplog", "callChain(R)"]), Some(2));
    assert_eq!(status(&["log", "info", "run.qplog"]), Some(0));
    assert_eq!(
        status(&["query", "run.qplog", "--sql", "SELECT 1"]),
        Some(0)
    );
    assert_eq!(
        status(&["query", "run.qplog", "--sql", "DROP TABLE calls"]),
        Some(2)
    );
    assert_eq!(
        status(&["query", "run.qplog", "--sql", "SELECT 1", "wasCalled(f)"]),
        Some(2)
    );
    let output = querypoint(
        &["query", "run.qplog", "--sql", "SELECT nobody FROM calls"],
        folder,
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("       ^ no such column: nobody"), "{said}");
    assert!(said.contains("calls(call, parent, "), "{said}");
    // Two runs as one log: what happened in both is there twice.
    let summary = |file: &str| -> Value {
        let output = querypoint(&["log", "info", file, "--json"], folder);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let merge = ["log", "merge", "run.qplog", "run.qplog"];
    let both = [&merge[..], &["--out", "both.qplog"]].concat();
    assert_eq!(status(&both), Some(0));
    let (one, two) = (summary("run.qplog"), summary("both.qplog"));
    let events = |summary: &Value| summary["events"].as_u64().unwrap();
    assert!(
        events(&one) > 0 && events(&two) == 2 * events(&one),
        "{two}"
    );
    assert_eq!(two["runs"][1]["name"], "run.qplog");
    assert_eq!(status(&["query", "both.qplog", "wasCalled(f)"]), Some(0));
    let no_log = [&merge[..3], &["page.html", "--out", "none.qplog"]].concat();
    assert_eq!(status(&no_log), Some(2));
    assert!(!folder.join("none.qplog").exists());
    // Cut off anywhere, the log is what it was up to there, and says so.
    let whole = fs::read(folder.join("run.qplog")).unwrap();
    for part in [3, 4] {
        let length = whole.len() / part;
        fs::write(folder.join("cut.qplog"), &whole[..length]).unwrap();
        let output = querypoint(&["query", "cut.qplog", "--json", "wasCalled(f)"], folder);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(answer["results"][0]["complete"], false);
    }
}
