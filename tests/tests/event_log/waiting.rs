//! What runs at a point, and what waits for what.

use std::collections::BTreeSet;

use super::*;

const WAITS: &str = "async function load(id) {
  const data = await later(id);
  return data;
}
function later(id) {
  return new Promise((resolve) => {
    if (id === 1) queue.push(resolve);
  });
}
const queue = [];
async function all() {
  const found = await Promise.all([1, 2].map(async (id) => {
    return load(id);
  }));
  return found.length;
}
function show(text) {
  document.title = text;
}
all().then(show).catch(console.error);
const never = new Promise(() => {});
never.then(show);
Promise.resolve(1).then(show);
Promise.reject(new Error('no')).then(show).catch(() => {});
async function* steps() {
  yield 1;
  yield 2;
}
steps().next();
async function done() {
  await null;
}
done();
Promise.all([done(), never]).finally(show);
Promise.resolve(2).then(async (value) => {
  await never;
  return value;
}).then(show);
";

/// The rows of what runs, each with its line, indented by how deep it is.
fn rows(folder: &Path, at: &str) -> String {
    let answer = query(folder, &["--at", at, "--explain", "running(R)"]);
    let result = &answer["results"][0];
    gives_the_same(folder, result);
    let depths = result["events"].as_array().unwrap().iter();
    let depths = depths.map(|event| event["depth"].as_u64().unwrap() as usize);
    let rows = lines(result).into_iter().zip(depths);
    rows.map(|(line, depth)| format!("{}{line}\n", "  ".repeat(depth)))
        .collect()
}

#[test]
fn who_waits_for_what_is_a_tree() {
    let page = "<script src='app.js'></script>";
    let (folder, output) = recorded(page, &[("app.js", WAITS)], &[]);
    assert!(output.status.success(), "{output:?}");
    insta::assert_snapshot!(rows(folder.path(), "end"));
    // In a terminal it is drawn.
    let drawn = querypoint(&["query", "run.qplog", "running(R)"], folder.path());
    insta::assert_snapshot!(String::from_utf8_lossy(&drawn.stdout));
}

#[test]
fn what_runs_is_the_task_with_the_calls_on_its_stack() {
    let app = "async function wait() {\nawait 1;\n}\nfunction outer(n) {\ninner(n + 1);\n}\nfunction inner(n) {\n\
        return n;\n}\nwait();\nouter(1);\n";
    let (folder, output) = recorded("<script src='app.js'></script>", &[("app.js", app)], &[]);
    assert!(output.status.success(), "{output:?}");
    insta::assert_snapshot!(rows(folder.path(), "app.js:8"));
    assert_eq!(rows(folder.path(), "end"), "");
}

/// What the log does to know of a rejection does not handle it.
#[test]
fn a_rejection_that_nobody_handles_stays_one() {
    let app = "let lost = 0;\naddEventListener('unhandledrejection', (event) => {\nevent.preventDefault();\n\
        lost = lost + event.reason;\n});\nconst no = Promise.reject(7);\nno.then(() => {});\n\
        setTimeout(() => { lost = lost + 100; }, 50);\n";
    let (folder, output) = recorded("<script src='app.js'></script>", &[("app.js", app)], &[]);
    assert!(output.status.success(), "{output:?}");
    let answer = query(folder.path(), &["history(R:lost)"]);
    let events = answer["results"][0]["events"].as_array().unwrap().clone();
    let values: Vec<&str> = events
        .iter()
        .map(|it| it["value"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(values, ["0", "7", "107"]);
}

/// What came of a promise is an event, with its value.
#[test]
fn what_came_of_a_promise_is_in_the_log() {
    let app = "const good = Promise.resolve('yes');\ngood.then(() => {});\nPromise.reject(4).catch(() => {});\n\
        const waits = new Promise(() => {});\nwaits.finally(() => {});\n";
    let (folder, output) = recorded("<script src='app.js'></script>", &[("app.js", app)], &[]);
    assert!(output.status.success(), "{output:?}");
    let table = selected(
        folder.path(),
        "SELECT name, value, line FROM events WHERE kind = 'settle' ORDER BY seq",
    );
    let expected = serde_json::json!([["fulfilled", "yes", 2], ["rejected", "4", 3]]);
    assert_eq!(table["rows"], expected);
}

/// A function that settles a promise may be kept in a variable.
#[test]
fn who_has_the_function_that_settles_is_told() {
    let app = "let release;\nasync function run() {\nawait new Promise((resolve) => {\nrelease = resolve;\n});\n}\n\
        run();\n";
    let (folder, output) = recorded("<script src='app.js'></script>", &[("app.js", app)], &[]);
    assert!(output.status.success(), "{output:?}");
    let rows = rows(folder.path(), "end");
    let last = rows.lines().last().unwrap().trim();
    assert_eq!(last, "assign (anonymous) release value=ƒ () :4");
}

/// Of a page with workers it is said in which of them nothing runs.
#[test]
fn a_worker_in_which_nothing_runs_is_named() {
    let app = "const worker = new Worker('work.js');\nworker.onmessage = (event) => {\nshow(event.data);\n};\n\
        function show(text) {\ndocument.title = text;\n}\nworker.postMessage(1);\n";
    let work =
        "onmessage = async (event) => {\npostMessage('got');\nawait new Promise(() => {});\n};\n";
    // A page may be idle before its worker has begun.
    let recording = r#"{ "title": "", "steps": [
        { "type": "waitForExpression", "expression": "document.title === 'got'" }] }"#;
    let files = [("app.js", app), ("work.js", work), ("got.json", recording)];
    let more = ["--recording", "got.json"];
    let (folder, output) = recorded("<script src='app.js'></script>", &files, &more);
    assert!(output.status.success(), "{output:?}");
    let idle = |at: &str| {
        let answer = query(folder.path(), &["--at", at, "--explain", "running(R)"]);
        let result = &answer["results"][0];
        gives_the_same(folder.path(), result);
        let notes = result["notes"].as_array().unwrap().clone();
        let texts = notes.iter().filter_map(Value::as_str);
        let files = texts.filter_map(|it| it.strip_prefix("nothing runs there in the realm of "));
        let names = files.map(|it| it.rsplit('/').next().unwrap().to_owned());
        names.collect::<BTreeSet<_>>()
    };
    assert_eq!(idle("app.js:6"), BTreeSet::from(["work.js".to_owned()]));
    let both = ["app.js", "work.js"].map(str::to_owned);
    assert_eq!(idle("end"), BTreeSet::from(both));
}

/// Thousands of reactions that wait for one another are told once each.
#[test]
fn a_long_queue_is_told_once() {
    let app = "let queue = new Promise(() => {});\nfunction work() {}\n\
        for (let n = 0; n < 5000; n++) queue = queue.then(work);\n";
    let (folder, output) = recorded("<script src='app.js'></script>", &[("app.js", app)], &[]);
    assert!(output.status.success(), "{output:?}");
    let answer = query(folder.path(), &["--explain", "running(R)"]);
    let result = &answer["results"][0];
    gives_the_same(folder.path(), result);
    // The promise, its reactions, and where a row begins anew after two hundred.
    let total = result["total"].as_u64().unwrap();
    assert!((5001..5100).contains(&total), "{total}");
    let events = result["events"].as_array().unwrap();
    let deepest = events
        .iter()
        .filter_map(|event| event["depth"].as_u64())
        .max();
    assert_eq!(deepest, Some(200));
}
