//! Answers of `whyNot` and `omitted` that were wrong in applications that nobody here wrote: each test has one kind of
//! them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::omissions::{answer_to, points, site_of};
use serde_json::Value;

/// The candidates of a point: reason, file and line, text.
pub(crate) fn candidates(point: &Value) -> Vec<String> {
    let all = point["candidates"].as_array().cloned().unwrap_or_default();
    let all = all.iter().map(|one| {
        let url = one["location"]["url"].as_str().unwrap_or_default();
        let file = url.rsplit('/').next().unwrap_or_default();
        format!(
            "{} {file}:{} {}",
            one["reason"].as_str().unwrap(),
            one["location"]["line"],
            one["text"].as_str().unwrap()
        )
    });
    all.collect()
}

pub(crate) fn note(point: &Value) -> &str {
    point["note"].as_str().unwrap_or_default()
}

/// The points that are asked of a page with one script.
pub(crate) fn asked(code: &str, queries: &[&str]) -> Vec<Value> {
    points(&answer_to(&site_of("a.js", code), "end", queries))
}

/// The lines of a script with `// why` are asked; the first candidates must be at the lines with `// here`, in order.
pub(crate) fn firsts(code: &str) -> Vec<String> {
    let lines = code
        .lines()
        .zip(1..)
        .filter(|(line, _)| line.contains("// why"));
    let queries: Vec<String> = lines
        .map(|(_, number)| format!("whyNot(a.js:{number})"))
        .collect();
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let all = asked(code, &queries);
    let firsts = all.iter().map(|point| {
        let first = candidates(point).into_iter().next();
        first.unwrap_or_else(|| panic!("no candidate: {point:#}"))
    });
    firsts.collect()
}

#[test]
fn a_method_that_is_called_as_a_built_in_hides_no_operation() {
    let code = "const cart = { items: [], known: new Map() };
class Store {
  constructor() { this.values = []; }
  push(value) { this.last = value; }
  set(key, value) { this[key] = value; }
}
const store = new Store();
store.push(0);
store.set('a', 1);
let wanted = false;
if (wanted) cart.items.push(1);
if (wanted) cart.known.set('a', 1);
";
    let points = asked(code, &["omitted(R:cart.items)", "omitted(R:cart.known)"]);
    for (point, text) in points
        .iter()
        .zip(["cart.items.push(1)", "cart.known.set('a', 1)"])
    {
        assert_eq!(
            point["candidates"][0]["operation"]["text"], text,
            "{point:#}"
        );
        assert_eq!(point["complete"], true);
        // What is done to a store is not done to a list.
        assert_eq!(note(point), "");
    }
}

#[test]
fn an_operation_that_threw_was_not_done() {
    let code = "const list = [], rest = [];
function make(item) {
  if (item > 1) throw new Error('too many');
  return item;
}
function add(item) {
  list.push(make(item));
}
function keep(item) {
  rest.push(make(item));
}
try { add(5); } catch {}
keep(1);
try { keep(2); } catch {}
";
    let points = asked(code, &["omitted(R:list)", "omitted(R:rest)"]);
    assert_eq!(
        candidates(&points[0]),
        ["exception a.js:7 list.push(make(item))"],
        "{points:#?}"
    );
    let first = &points[0]["candidates"][0];
    assert_eq!(first["detail"], "Error: too many was thrown at a.js:3");
    assert_eq!(note(&points[0]), "");
    let partly = &points[1]["candidates"][0];
    assert_eq!(partly["location"]["line"], 10, "{points:#?}");
    assert_eq!(note(&points[1]), "done: rest.push(make(item)) once");
}

/// `src/app.js` is what was put together as `app.js`.
#[test]
fn a_source_comes_before_the_bundle_of_its_name() {
    let source = "const state = { on: false };\n\nfunction go() {\n  if (state.on) {\n    state.a = 1;\n  }\n}\ngo();\n";
    let bundle = "// made\n// of\n// sources\nvar state = { on: false };\n\nfunction go() {\n  if (state.on) {\n    \
                  state.a = 1;\n  }\n}\ngo();\n//# sourceMappingURL=app.js.map\n";
    // The same lines, three further down.
    let map = serde_json::json!({
        "version": 3, "sources": ["src/app.js"], "sourcesContent": [source], "names": [],
        "mappings": ";;;AAAA;AACA;AACA;EACE;IACE;EACF;AACF;AACA",
    });
    let site = Site::new(&[
        ("/", page("<script src=app.js></script>")),
        ("/app.js", script(bundle)),
        ("/app.js.map", script(&map.to_string())),
    ]);
    let queries = [
        "whyNot(app.js:5)",
        "whyNot(app.js:8)",
        "trace(line(app.js:8))",
        "whyNot(app.js:6)",
    ];
    let points = points(&answer_to(&site, "end", &queries));
    let expected = ["branch app.js:4 state.on"];
    assert_eq!(candidates(&points[0]), expected, "{points:#?}");
    assert_eq!(note(&points[1]), "app.js:8 ran once");
    // The map has the line, but there is a brace only.
    let why = "app.js:6 has no code that could run; the nearest lines with code: 5, 7";
    assert_eq!(note(&points[3]), why);
    // Every question means the same line, and so does the reproduction point.
    let answer = answer_to(&site, "app.js:8", &["lastChange(R:state.on)"]);
    for point in [&points[2], &answer["points"][0]] {
        let url = point["location"]["url"].as_str().unwrap_or_default();
        assert!(url.ends_with("/src/app.js"), "{point:#}");
        assert_eq!(point["location"]["line"], 8);
    }
}

#[test]
fn an_event_that_was_stopped_on_another_way_is_no_reason() {
    let code = "const make = (parent) => parent.appendChild(document.createElement('p'));
const outer = make(document.body), inner = make(outer), other = make(document.body);
inner.addEventListener('click', (event) => {
  event.stopPropagation();
});
outer.addEventListener('click', () => {
  window.outer = 1; // why
});
other.addEventListener('click', () => {
  window.other = 1; // why
});
document.addEventListener('click', () => {
  window.all = 1; // why
});
inner.addEventListener('keydown', (event) => event.stopPropagation());
class View {
  constructor(element) {
    this.element = element;
    this.element.addEventListener('click', () => {
      window.view = 1; // why
    });
  }
}
new View(other);
inner.click();
";
    let expected = [
        "listener a.js:4 event.stopPropagation()",
        "listener a.js:9 other.addEventListener('click', …)",
        "listener a.js:4 event.stopPropagation()",
        // Which element that was is not known where the event was stopped.
        "listener a.js:19 this.element.addEventListener('click', …)",
    ];
    assert_eq!(firsts(code), expected);
}

#[test]
fn a_module_that_did_not_run_names_the_error() {
    let scripts = ["linked", "importer", "lost", "whole"]
        .map(|name| format!("<script type=module src={name}.js></script>"))
        .concat();
    let site = Site::new(&[
        ("/", page(&(scripts + "<script src=broken.js></script>"))),
        (
            "/linked.js",
            script(
                "import { missing } from './lib.js';\nwindow.x = 1;\nfunction f() {\n  window.z = 1;\n}\nf();\n",
            ),
        ),
        ("/lib.js", script("export const other = 1;\n")),
        (
            "/importer.js",
            script("import './thrower.js';\nwindow.y = 1;\n"),
        ),
        (
            "/thrower.js",
            script(
                "const config = null;\nexport const value = config.name;\nwindow.later = value;\n",
            ),
        ),
        (
            "/lost.js",
            script("window.before = 1;\nimport './gone.js';\n"),
        ),
        ("/whole.js", script("window.whole = 1;\n")),
        (
            "/broken.js",
            script("const s = 1;\nlet a = ;\nwindow.q = 1;\n"),
        ),
    ]);
    let queries = [
        "whyNot(linked.js:2)",
        "whyNot(linked.js:4)",
        "whyNot(importer.js:2)",
        "whyNot(thrower.js:3)",
        "whyNot(lost.js:1)",
        "whyNot(gone.js:1)",
        "whyNot(broken.js:3)",
        "whyNot(whole.js:1)",
    ];
    let answer = answer_to(&site, "end", &queries);
    let points = points(&answer);
    let first = |index: usize| {
        let first = candidates(&points[index]).into_iter().next();
        let detail = &points[index]["candidates"][0]["detail"];
        (
            first.unwrap_or_default(),
            detail.as_str().unwrap_or_default().to_owned(),
        )
    };
    let expected = |index: usize, shown: &str, detail: &str| {
        let (own, own_detail) = first(index);
        assert_eq!(own, shown, "{:#}", points[index]);
        assert!(own_detail.contains(detail), "{own_detail}");
    };
    let no_export = "'./lib.js' does not provide an export named 'missing'";
    let import = "not-loaded linked.js:1 import { missing } from './lib.js';";
    expected(0, import, no_export);
    expected(1, import, no_export);
    let thrown = "exception thrower.js:2 export const value = config.name;";
    expected(2, thrown, "TypeError: Cannot read properties of null");
    expected(3, thrown, "TypeError: Cannot read properties of null");
    expected(
        4,
        "not-loaded lost.js:2 import './gone.js';",
        "./gone.js did not load",
    );
    expected(
        5,
        "not-loaded lost.js:2 import './gone.js';",
        "./gone.js did not load",
    );
    expected(
        6,
        "not-loaded broken.js:2 let a = ;",
        "the script does not parse: ",
    );
    assert_eq!(note(&points[7]), "whole.js:1 ran once");
}

#[test]
fn what_is_called_by_a_computed_name_in_a_template_or_in_with_is_reachable() {
    let code = "const values = { run() {
  window.a = 1; // why
} };
let on = false, key = 'run';
if (on) values[key]();
function tag(texts, first) { return first(); }
function given() {
  window.b = 1; // why
}
if (on) tag`x${given}y`;
const scope = { deep() {
  window.c = 1; // why
} };
with (scope) {
  if (on) deep();
}
";
    let expected = ["branch a.js:5 on", "branch a.js:10 on", "branch a.js:15 on"];
    assert_eq!(firsts(code), expected);
}

#[test]
fn rest_and_spread_do_not_mix_what_goes_through_them() {
    let code = "function emit(handler, ...args) { return handler(...args); }
function first() {
  window.a = 1;
}
function elsewhere(f) { if (window.never) f(); }
let on = false;
emit(elsewhere, () => 1);
const list = [first];
if (on) first();
";
    let points = asked(code, &["whyNot(a.js:3)"]);
    assert_eq!(candidates(&points[0]), ["branch a.js:9 on"], "{points:#?}");
}

#[test]
fn what_did_not_make_it_happen_comes_last() {
    let code = "const state = { open: false, ready: false };
function work() {
  window.done = 1;
}
function one() {
  if (state.open) {
    if (state.ready) work();
  }
}
function two() {
  if (state.ready) work();
}
one();
two();
";
    let site = site_of("a.js", code);
    let answer = answer_to(&site, "end", &["--flip", "whyNot(a.js:3)"]);
    let point = &points(&answer)[0];
    let lines: Vec<(String, Value)> = candidates(point)
        .into_iter()
        .zip(point["candidates"].as_array().unwrap())
        .map(|(shown, one)| (shown, one["flipped"]["happened"].clone()))
        .collect();
    let expected = [
        ("branch a.js:11 state.ready".to_owned(), Value::from(true)),
        ("branch a.js:6 state.open".to_owned(), Value::from(false)),
    ];
    assert_eq!(lines, expected, "{point:#}");
    assert_eq!(point["location"]["line"], 11);
}

#[test]
fn what_ran_or_is_no_function_was_not_handed_over_in_vain() {
    let code = "const hooks = [];
function run(thing) { return thing; }
function other() { return 1; }
function never() {
  window.a = 1;
}
let on = false;
function register(hook) { hooks.push(hook); }
register(other);
if (on) register(never);
function call(list, x) { run(x); }
call(hooks, 5);
if (on) call(hooks, never);
";
    let points = asked(code, &["whyNot(a.js:5)"]);
    let expected = ["branch a.js:10 on", "branch a.js:13 on"];
    assert_eq!(candidates(&points[0]), expected, "{points:#?}");
}

#[test]
fn a_clause_that_goes_on_hides_no_exception() {
    let code = "const texts = ['{', '['];
for (const text of texts) {
  let value;
  try {
    value = text.length;
    value = JSON.parse(text);
  } catch {
    continue;
  }
  window.a = value; // why
}
function read(text) {
  try { return JSON.parse(text); } catch (error) { return; }
  window.b = 1;
}
function check(text) {
  try {
    JSON.parse(text);
  } catch (error) {
    if (error.name === 'SyntaxError') return;
  }
  window.c = 1; // why
}
check('{');
read('{');
";
    let points = asked(code, &["whyNot(a.js:10)", "whyNot(a.js:22)"]);
    assert_eq!(
        candidates(&points[0]),
        ["exception a.js:6 value = JSON.parse(text);"],
        "{points:#?}"
    );
    let detail = points[0]["candidates"][0]["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("SyntaxError: ") && detail.ends_with("it led to a.js:8"),
        "{detail}"
    );
    let expected = ["return a.js:20 error.name === 'SyntaxError'"];
    assert_eq!(candidates(&points[1]), expected, "{points:#?}");
}

#[test]
fn a_recursion_that_fills_the_stack_ran() {
    let code = "function again(n) {
  return again(n + 1);
}
function go() {
  again(0);
  window.a = 1;
}
try { go(); } catch {}
function deep(n) {
  deep(n + 1);
  window.b = n;
}
try { deep(0); } catch {}
";
    let points = asked(
        code,
        &["whyNot(a.js:6)", "whyNot(a.js:11)", "whyNot(a.js:2)"],
    );
    assert_eq!(
        candidates(&points[0]),
        ["exception a.js:5 again(0);"],
        "{points:#?}"
    );
    assert_eq!(
        candidates(&points[1]),
        ["exception a.js:10 deep(n + 1);"],
        "{points:#?}"
    );
    assert!(note(&points[2]).starts_with("a.js:2 ran "), "{points:#?}");
    assert_eq!(points[2]["location"]["line"], 2);
}

#[test]
fn calls_of_modules_that_a_tool_wrote_are_followed() {
    let code = "var cart = {};
Object.defineProperty(cart, '__esModule', { value: true });
cart.default = start;
Object.defineProperty(cart, 'add', { enumerable: true, get: function () { return add; } });
function start() {
  window.a = 1; // why
}
function add() {
  window.b = 1; // why
}
function interop(e) { return e && e.__esModule ? e : { default: e }; }
var _cart = interop(cart), on = false;
if (on) (0, _cart.default)();
if (on) (0, _cart.add)(1);
";
    assert_eq!(firsts(code), ["branch a.js:13 on", "branch a.js:14 on"]);
}

#[test]
fn the_predicate_that_made_a_list_is_named() {
    let code = "const items = [{ open: false }, { open: false }];
const open = items.filter((item) => item.open);
open.forEach((item) => {
  window.a = item;
});
if (open.length > 0) {
  window.b = 1;
}
";
    let points = asked(code, &["whyNot(a.js:4)", "whyNot(a.js:7)"]);
    assert_eq!(
        candidates(&points[0])[0],
        "branch a.js:2 item.open",
        "{points:#?}"
    );
    let expected = ["branch a.js:6 open.length > 0", "branch a.js:2 item.open"];
    assert_eq!(candidates(&points[1]), expected, "{points:#?}");
}

#[test]
fn what_is_no_object_is_said() {
    let code = "const cart = { count: 4, list: [] };\ncart.list.push(1);\n";
    let queries = [
        "omitted(R:nothing)",
        "omitted(R:cart.count)",
        "omitted(R:cart.missing)",
        "omitted(R:cart.missing.list)",
        "omitted(R:cart.list)",
    ];
    let points = asked(code, &queries);
    let notes: Vec<&str> = points.iter().map(note).collect();
    let expected = [
        "nothing has no value at R: ReferenceError: nothing is not defined",
        "cart.count is 4 at R, which is no object: nothing can be done to it; lastChange(R:cart.count) says who wrote it",
        "cart.missing is undefined at R: there is no object that something could have been done to; \
         lastChange(R:cart.missing) says who wrote it",
        "cart.missing.list has no value at R: cart.missing is undefined there; lastChange(R:cart.missing) says who \
         wrote it",
        "no operation in the scripts that could change it was left out; done: cart.list.push(1) once",
    ];
    assert_eq!(notes, expected);
    let complete: Vec<&Value> = points.iter().map(|point| &point["complete"]).collect();
    assert_eq!(complete, [false, false, false, false, true]);
}

#[test]
fn a_loop_that_waits_says_whether_it_had_no_element_or_never_got_one() {
    let code = "const feed = { on: false, seen: {} };
async function* stream() { if (feed.on) yield 1; }
async function* stuck() {
  await new Promise(() => {});
  yield 1;
}
async function read() {
  for await (const item of stream()) {
    feed.seen.a = item; // why
  }
}
async function wait() {
  for await (const item of stuck()) {
    feed.seen.b = item; // why
  }
  feed.seen.c = 1; // why
}
read();
wait();
";
    assert_eq!(
        firsts(code),
        [
            "loop a.js:8 const item of stream()",
            "promise a.js:4 await new Promise(() => {})",
            "promise a.js:4 await new Promise(() => {})",
        ]
    );
}

const MENU: &str = "const kept = {};
function data(name, make) { kept[name] = make(); }
data('menu', () => ({
  pick() {
    kept.chosen = 1;
  },
}));
const button = document.querySelector('button');
button.addEventListener('click', () => {
  const text = button.getAttribute('@click');
  new Function('scope', `with (scope) { ${text} }`)(kept.menu);
});
";

#[test]
fn what_only_the_markup_names_is_not_unreachable() {
    let markup = "<div>\n<button @click='pick()'>pick</button></div><script src=a.js></script>";
    let site = Site::new(&[("/", page(markup)), ("/a.js", script(MENU))]);
    let answer = answer_to(&site, "end", &["whyNot(a.js:5)"]);
    let first = &points(&answer)[0]["candidates"][0];
    assert_eq!(first["reason"], "callback", "{answer:#}");
    assert_eq!(first["location"]["line"], 4, "{answer:#}");
    let detail = first["detail"].as_str().unwrap();
    assert!(detail.contains("names it in the markup"), "{answer:#}");
}

/// Where the library is known as one, that is said, and the markup is named all the same.
#[test]
fn what_a_library_reads_in_the_markup_is_named() {
    let library = "const kept = {};
const Tiny = { data(name, make) { kept[name] = make(); } };
addEventListener('click', (event) => {
  const text = event.target.getAttribute('@click');
  if (text) new Function('scope', `with (scope) { ${text} }`)(kept.menu);
});
";
    let own = "Tiny.data('menu', () => ({
  pick() {
    document.title = 'chosen';
  },
}));
";
    let markup = "<div>\n<button @click='pick()'>pick</button></div>\
        <script src=node_modules/tiny/index.js></script><script src=app.js></script>";
    let site = Site::new(&[
        ("/", page(markup)),
        ("/node_modules/tiny/index.js", script(library)),
        ("/app.js", script(own)),
    ]);
    let answer = answer_to(&site, "end", &["whyNot(app.js:3)"]);
    let points = points(&answer);
    let candidates = points[0]["candidates"].as_array().unwrap();
    let named = |it: &serde_json::Value| {
        let detail = it["detail"].as_str().unwrap_or_default();
        it["reason"] == "callback" && detail.contains(":3 names it")
    };
    assert!(candidates.iter().any(named), "{answer:#}");
}

#[test]
fn the_head_of_a_loop_that_a_source_map_does_not_know_is_named_by_its_list() {
    // Of `for(const r of` the map says nothing: only of the list and of the body.
    let code = "const n=[];for(const r of n){document.title=r}\n//# sourceMappingURL=a.js.map\n";
    let map = serde_json::json!({
        "version": 3,
        "sources": ["view.js"],
        "names": [],
        "sourcesContent":
            ["const rows = [];\nfor (const row of rows) {\n  document.title = row;\n}\n"],
        "mappings": "AAAA,W,eACkB,GAChB",
    });
    let site = Site::new(&[
        ("/", page("<script src=a.js></script>")),
        ("/a.js", script(code)),
        ("/a.js.map", script(&map.to_string())),
    ]);
    let answer = answer_to(&site, "end", &["whyNot(view.js:3)"]);
    let found = candidates(&points(&answer)[0]);
    let is_there = |first: &String| first.starts_with("loop view.js:2 ");
    assert!(found.first().is_some_and(is_there), "{answer:#}");
}
