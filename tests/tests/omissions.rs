//! `whyNot(file:line)`: the decision that kept a line from running, for each kind of decision. Each page is asked many
//! lines at once.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use serde_json::Value;

/// The lines of a script with `// why: NAME` behind them are asked; those with `// NAME: reason` are the answers.
struct Marked {
    code: String,
}

impl Marked {
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code
            .lines()
            .enumerate()
            .map(|(number, line)| (number + 1, line))
    }

    fn queries(&self, file: &str) -> Vec<(String, String)> {
        let asked = self.lines().filter_map(|(number, line)| {
            let (_, name) = line.split_once("// why: ")?;
            Some((
                name.trim().to_owned(),
                format!("{} = whyNot({file}:{number})", name.trim()),
            ))
        });
        asked.collect()
    }

    /// The line and the reason that are expected for a name.
    fn expected(&self, name: &str) -> (u64, String) {
        let mark = format!("// {name}: ");
        let found = self.lines().find_map(|(number, line)| {
            let (_, reason) = line.split_once(&mark)?;
            let reason = reason.split(" //").next()?.trim();
            Some((number as u64, reason.to_owned()))
        });
        found.unwrap_or_else(|| panic!("no line is marked for {name}"))
    }
}

pub(crate) fn answer_to(site: &Site, at: &str, queries: &[&str]) -> Value {
    let url = site.url("/");
    let mut arguments = vec!["ask", &url, "--at", at, "--json", "--no-keep"];
    arguments.extend(queries);
    querypoint(&arguments).answer()
}

pub(crate) fn points(answer: &Value) -> Vec<Value> {
    answer["points"].as_array().unwrap()[1..].to_vec()
}

/// Asks all lines of a script that are marked, and holds the first candidates against the marks.
fn check(site: &Site, file: &str, code: &str) {
    let marked = Marked {
        code: code.to_owned(),
    };
    let asked = marked.queries(file);
    let queries: Vec<&str> = asked.iter().map(|(_, query)| query.as_str()).collect();
    assert!(queries.len() > 3);
    let answer = answer_to(site, "end", &queries);
    let mut wrong = Vec::new();
    for ((name, _), point) in asked.iter().zip(points(&answer)) {
        let (line, reason) = marked.expected(name);
        let first = &point["candidates"][0];
        let found = (
            first["location"]["line"].as_u64().unwrap_or(0),
            first["reason"].as_str().unwrap_or("none").to_owned(),
        );
        if found != (line, reason.clone()) || point["location"]["line"] != line {
            wrong.push(format!("{name}: expected {line} {reason}, found {point:#}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

pub(crate) fn site_of(file: &str, code: &str) -> Site {
    Site::new(&[
        (
            "/",
            page(&format!(
                "<button id=b>b</button><script src={file}></script>"
            )),
        ),
        (&format!("/{file}"), script(code)),
    ])
}

const DECISIONS: &str = "const cart = { items: [], active: false, user: null, mode: 'dark' };
function plain(a) {
  if (cart.active) { // plain: branch
    cart.a = a; // why: plain
  }
  if (!cart.active) cart.b = a; // otherwise: branch
  else {
    cart.c = a; // why: otherwise
  }
}
plain(1);
function early(a) {
  if (!cart.active) { // early: return
    return;
  }
  cart.d = a; // why: early
}
early(1);
const chosen = cart.active // chosen: branch
  ? cart.items.length // why: chosen
  : 0;
const both = cart.active && // both: branch
  cart.items.push(1); // why: both
cart.user?.greet( // chain: branch
  cart.items.pop() // why: chain
);
switch (cart.mode) { // switched: branch
  case 'light':
    cart.e = 1; // why: switched
    break;
  default:
}
for (const item of cart.items) { // looped: loop
  cart.f = item; // why: looped
}
cart.items.forEach((item) => { // each: loop
  cart.g = item; // why: each
});
for (let i = 0; i < 4; i++) {
  if (i < 9) continue; // skipping: branch
  cart.h = i; // why: skipping
}
function parse(text) {
  const value = JSON.parse(text); // thrown: exception
  cart.i = value; // why: thrown
}
try { parse('{'); } catch {}
function explicit() {
  if (cart.mode !== 'light') throw new Error('no'); // explicit: exception
  cart.j = 1; // why: explicit
}
try { explicit(); } catch {}
try { // unthrown: exception
  cart.k = 1;
} catch {
  cart.l = 1; // why: unthrown
}
function validate() { nothingOfTheKind(); }
function save() {
  cart.m = 1; // why: saved
}
function submit() {
  validate(); // saved: exception
  save();
}
try { submit(); } catch {}
function render() {
  cart.n = 1; // why: rendered
}
function update() { if (cart.active) render(); } // rendered: branch
update();
function unused() { // unused: unreachable
  cart.o = 1; // why: unused
}
function configure({ width = standard() } = {}) { // defaulted: branch
  cart.p = width;
}
function standard() {
  return 4; // why: defaulted
}
configure({ width: 9 });
class Store {
  #open = false;
  put() {
    if (this.#open) { // put: branch
      this.value = 1; // why: put
    }
  }
}
new Store().put();
";

#[test]
fn each_kind_of_decision_is_named_with_its_line() {
    check(
        &site_of("decisions.js", DECISIONS),
        "decisions.js",
        DECISIONS,
    );
}

const LATER: &str = "const state = { ready: false };
const button = document.querySelector('#b');
button.addEventListener('clik', () => { // never: listener
  state.a = 1; // why: never
});
function onClick() {
  state.b = 1; // why: removed
}
button.addEventListener('click', onClick);
button.removeEventListener('click', onClick); // removed: listener
document.addEventListener('click', () => {
  state.c = 1; // why: stopped
});
button.addEventListener('click', (event) => {
  event.stopPropagation(); // stopped: listener
});
button.click();
function onKey() {
  state.d = 1; // why: unlistened
}
if (state.ready) button.addEventListener('keydown', onKey); // unlistened: branch
button.onfocus = () => { // property: listener
  state.e = 1; // why: property
};
const timer = setTimeout(() => {
  state.f = 1; // why: cleared
}, 10);
clearTimeout(timer); // cleared: timer
async function waits() {
  await new Promise(() => {}); // unsettled: promise
  state.g = 1; // why: unsettled
}
waits();
async function waitsForIt() {
  await new Promise((resolve) => {
    if (state.ready) resolve(); // unresolved: branch
  });
  state.h = 1; // why: unresolved
}
waitsForIt();
const refused = Promise.reject(new Error('no'));
refused.then(() => { // reaction: promise
  state.i = 1; // why: reaction
}).catch(() => {});
async function items() { return [1]; }
async function counts() {
  const list = items();
  if (list.length > 0) { // unawaited: await
    state.j = 1; // why: unawaited
  }
}
counts();
async function isOpen() {
  await null;
  return true;
}
async function inlined() {
  if (!isOpen()) { // inlined: await
    state.m = 1; // why: inlined
  }
}
inlined();
refused.catch(() => {
  if (!state.ready) throw new Error('no'); // chained: exception
  return 1;
}).then(() => {
  state.n = 1; // why: chained
}).catch(() => {});
async function loads() {
  const answer = await { list: [1] };
  return answer.items.length; // swallowed: exception
}
loads().then((count) => {
  state.q = count; // why: swallowed
}).catch(() => {});
const controller = new AbortController();
button.addEventListener('focus', () => {
  state.o = 1; // why: aborted
}, { signal: controller.signal });
controller.abort(); // aborted: listener
customElements.define('x-box', class extends HTMLElement {
  attributeChangedCallback(name) { // changed: callback
    state.p = name; // why: changed
  }
});
const gone = import('./gone.js'); // gone: not-loaded
gone.then((module) => {
  state.q = module; // why: gone
}).catch(() => {});
const registry = new Map();
registry.set('a', () => { // uncalled: callback
  state.k = 1; // why: uncalled
});
state.hook = elsewhere((value) => { // handed: callback
  state.l = value; // why: handed
});
function elsewhere(callback) { return 1; }
";

#[test]
fn what_runs_later_or_never_is_told_apart() {
    check(&site_of("later.js", LATER), "later.js", LATER);
}

/// What a library asks functions that it was handed decides what it calls.
#[test]
fn a_guard_a_predicate_or_middleware_is_named_where_a_library_asked_it() {
    let code = include_str!("../../benches/omissions/guards.js");
    let library = include_str!("../../benches/omissions/libraries/guards.js");
    let scripts = "<script src=node_modules/guards.js></script><script src=guards.js></script>";
    let site = Site::new(&[
        ("/", page(scripts)),
        ("/node_modules/guards.js", script(library)),
        ("/guards.js", script(code)),
    ]);
    check(&site, "guards.js", code);
}

/// Which of several functions decides is known only when what they give is turned round.
#[test]
fn what_a_function_gives_is_turned_round() {
    let code = "const shop = {
  open: () => open > 1,
  known: () => open < 1,
  rich: () => total > 100,
};
let open = 0, total = 40;
function buy(rules, then) {
  const given = [rules.open(), rules.known(), rules.rich()];
  const left = given.filter((value) => value);
  left.slice(1).forEach(() => then());
}
buy(shop, () => {
  document.title = 'bought';
});
";
    let site = site_of("shop.js", code);
    let answer = answer_to(&site, "end", &["--flip", "whyNot(shop.js:13)"]);
    let candidates = points(&answer)[0]["candidates"].clone();
    let guard = candidates
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["location"]["line"] == 4)
        .unwrap_or_else(|| panic!("{answer:#}"))
        .clone();
    assert_eq!(guard["flipped"]["happened"], true, "{answer:#}");
    assert_eq!(guard["held"], false);
    assert_eq!(guard["values"][0]["text"], "total > 100");
    assert_eq!(guard["values"][0]["value"]["text"], "false");
    assert_eq!(guard["values"][1]["value"]["text"], "40");
}

#[test]
fn the_values_are_those_of_the_decision_and_its_point_can_be_asked_on() {
    let code = "const cart = { items: [], active: true };
function add(item) {
  if (!cart.active) return;
  cart.items.push(item);
}
function close() {
  cart.active = false;
}
close();
add('one');
";
    let site = site_of("cart.js", code);
    let answer = answer_to(
        &site,
        "end",
        &["W = whyNot(cart.js:4:3)", "B = lastChange(W:cart.active)"],
    );
    let points = points(&answer);
    let first = &points[0]["candidates"][0];
    assert_eq!(points[0]["complete"], true, "{answer:#}");
    assert_eq!(
        (&first["held"], &first["hits"]),
        (&Value::from(true), &Value::from(1))
    );
    assert_eq!(first["text"], "!cart.active");
    assert_eq!(first["values"][0]["text"], "cart.active");
    assert_eq!(first["values"][0]["value"]["text"], "false");
    assert_eq!(points[0]["stack"][0]["function"], "add");
    assert_eq!(points[1]["location"]["line"], 7);
    assert_eq!(answer["points"].as_array().unwrap().len(), 3);
}

#[test]
fn what_has_no_reason_is_said() {
    let code = "const list = [1, 2, 3];

for (const item of list) {
  if (item % 2) {
    list.last = item;
  }
}
list.done = 1;
console.log('half');
list.later = () => {
  list.never = 1;
};
list.later();
";
    let site = site_of("ran.js", code);
    let queries = [
        "whyNot(ran.js:5)",
        "whyNot(ran.js:8)",
        "whyNot(ran.js:2)",
        "whyNot(gone.js:1)",
    ];
    let answer = answer_to(&site, "end", &queries);
    let points = points(&answer);
    let note = |index: usize| {
        points[index]["note"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(note(0), "ran.js:5 ran 2 times; it was skipped once");
    assert_eq!(points[0]["candidates"][0]["location"]["line"], 4);
    assert_eq!(note(1), "ran.js:8 ran once");
    assert_eq!(points[1]["status"], "found");
    assert!(
        note(2).starts_with("ran.js:2 has no code that could run; the nearest lines with code: ")
    );
    assert_eq!(points[2]["status"], "blind");
    assert!(note(3).starts_with("no script that the page loaded has the name gone.js; it loaded "));
    // A call that ran and called another function.
    let other = "const tools = { run() { tools.other = 1; } };
function unused() {
  tools.never = 1;
}
const chosen = { run: unused };
tools.run();
";
    let answer = answer_to(&site_of("other.js", other), "end", &["whyNot(other.js:3)"]);
    let first = &answer["points"][1]["candidates"][0];
    assert_eq!(
        (&first["reason"], &first["location"]["line"]),
        (&Value::from("callback"), &Value::from(6)),
        "{answer:#}"
    );
    // At a point before it, what comes later did not run.
    let answer = answer_to(&site, "console:half", &["whyNot(ran.js:11)"]);
    let point = &answer["points"][1];
    assert_eq!(point["status"], "blind", "{answer:#}");
}

#[test]
fn modules_attributes_and_scripts_that_did_not_load() {
    let main = "import { add } from './cart.js';
add(1);
if (window.wanted) {
  import('./extra.js');
}
window.total = () => {
  window.sum = 1;
};
";
    let cart = "export function add(item) {
  if (item > 5) {
    window.big = item;
  }
}
export function drop() {
  window.dropped = 1;
}
";
    let document =
        "<button onclick=\"total()\">b</button><script type=module src=main.js></script>";
    let site = Site::new(&[
        ("/", page(document)),
        ("/main.js", script(main)),
        ("/cart.js", script(cart)),
        ("/extra.js", script("window.extra = 1;\n")),
    ]);
    let queries = [
        "whyNot(cart.js:3)",
        "whyNot(cart.js:7)",
        "whyNot(extra.js:1)",
        "whyNot(main.js:7)",
    ];
    let answer = answer_to(&site, "end", &queries);
    let found: Vec<String> = points(&answer)
        .iter()
        .map(|point| {
            let first = &point["candidates"][0];
            let url = first["location"]["url"].as_str().unwrap_or_default();
            let file = match url.rsplit_once("/").map(|(_, file)| file) {
                Some("") | None => "the document",
                Some(file) => file,
            };
            format!(
                "{} {file}:{}",
                first["reason"].as_str().unwrap_or("none"),
                first["location"]["line"]
            )
        })
        .collect();
    let expected = [
        "branch cart.js:2",
        "unreachable cart.js:6",
        "branch main.js:3",
        "listener the document:2",
    ];
    assert_eq!(found, expected, "{answer:#}");
}

#[test]
fn dynamic_code_and_minified_code_without_a_map_can_be_asked_about() {
    let functions: String = (0..150)
        .map(|number| format!("function f{number}(){{return {number}}}"))
        .collect();
    let minified =
        format!("var s={{on:false}};{functions}function go(){{if(s.on){{s.z=1}}}}go();\n");
    let column = minified.find("s.z").unwrap() + 1;
    let code = "const state = { on: false };
eval('function late() {\\n  if (state.on) {\\n    state.x = 1;\\n  }\\n}\\nlate();\\n//# sourceURL=made.js');
";
    let site = Site::new(&[
        (
            "/",
            page("<script src=a.js></script><script src=b.js></script>"),
        ),
        ("/a.js", script(code)),
        ("/b.js", script(&minified)),
    ]);
    let by_column = format!("whyNot(b.js:1:{column})");
    let queries = [
        "B = lastChange(R:state.on)",
        "whyNot(made.js:3)",
        "whyNot(b.js:1)",
        &by_column,
        "omitted(B:state)",
    ];
    let answer = answer_to(&site, "end", &queries);
    let points = points(&answer);
    let first = |index: usize| points[index]["candidates"][0].clone();
    assert_eq!(first(1)["location"]["line"], 2, "{answer:#}");
    assert_eq!(first(1)["reason"], "branch");
    assert_eq!(
        points[2]["note"],
        "b.js:1 is a line of minified code with many statements, and no source map says what they were; ask with a \
         column, as b.js:1:120"
    );
    assert_eq!(points[2]["complete"], false);
    assert_eq!(first(3)["text"], "s.on", "{answer:#}");
    assert_eq!(
        points[4]["note"],
        "omitted can be asked at R only, not at B: take that line as the reproduction point"
    );
}

/// `tests/omissions/view.js` with a library, put together by esbuild 0.28, as it is and minified.
#[test]
fn what_a_bundler_and_a_minifier_changed_is_named_as_its_author_wrote_it() {
    let plain = (
        include_str!("../omissions/plain.js"),
        include_str!("../omissions/plain.js.map"),
    );
    let min = (
        include_str!("../omissions/min.js"),
        include_str!("../omissions/min.js.map"),
    );
    // The minifier puts the value of `count` in, which is written in the line before.
    for (name, line, (code, map)) in [("plain", 17, plain), ("min", 16, min)] {
        let site = Site::new(&[
            ("/", page(&format!("<script src={name}.js></script>"))),
            (&format!("/{name}.js"), script(code)),
            (&format!("/{name}.js.map"), script(map)),
        ]);
        let queries = [
            "whyNot(view.js:4)",
            "whyNot(view.js:8)",
            "whyNot(view.js:13)",
            "whyNot(view.js:27)",
        ];
        let answer = answer_to(&site, "end", &queries);
        let found: Vec<String> = points(&answer)
            .iter()
            .map(|point| {
                let first = &point["candidates"][0];
                format!(
                    "{} {} {}",
                    first["reason"].as_str().unwrap_or("none"),
                    first["location"]["line"],
                    first["held"]
                )
            })
            .collect();
        let expected = [
            &format!("branch {line} false"),
            "loop 20 false",
            "return 12 true",
            "callback 26 false",
        ];
        assert_eq!(found, expected, "{name}: {answer:#}");
    }
}
