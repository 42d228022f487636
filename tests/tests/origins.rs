//! `origin(R:x)`: each hop from the asked reference to where the value was made, on pages that bring one value along
//! each way. The value is a text that occurs once in the page, so where it begins is known.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use serde_json::Value;

/// The script of a page, at whose end the questions are asked.
pub(crate) fn site_of(code: &str) -> Site {
    Site::new(&[
        ("/", page("<script src=app.js></script>")),
        (
            "/app.js",
            script(&format!("{code}\nconsole.log('asked here');\n")),
        ),
    ])
}

/// The points of the answers to `queries`, asked at the end of the script, and how often the page ran.
pub(crate) fn asked(site: &Site, queries: &[&str], more: &[&str]) -> (Vec<Value>, u64) {
    let url = site.url("/");
    let mut arguments = vec!["ask", &url, "--at", "console:asked here", "--json"];
    arguments.extend(more);
    arguments.extend(queries);
    let answer = querypoint(&arguments).answer();
    let points = answer["points"].as_array().unwrap()[1..].to_vec();
    (points, answer["executions"].as_u64().unwrap())
}

fn at(location: &Value) -> String {
    format!("{}:{}", location["line"], location["column"])
}

/// A point as a line for each hop.
pub(crate) fn path(point: &Value) -> Vec<String> {
    let hops = point["hops"].as_array().cloned().unwrap_or_default();
    let mut lines: Vec<String> = hops
        .iter()
        .map(|hop| {
            let text = |member: &Value| member.as_str().unwrap_or_default().to_owned();
            format!(
                "{} {} {} = {}",
                text(&hop["kind"]),
                at(&hop["location"]),
                text(&hop["name"]),
                text(&hop["value"]["text"])
            )
        })
        .collect();
    let end = &point["end"];
    let mut last = end["kind"].as_str().unwrap_or("no end").to_owned();
    if end["location"].is_object() {
        last = format!("{last} {}", at(&end["location"]));
    }
    for operand in end["operands"].as_array().into_iter().flatten() {
        last = format!(
            "{last}, {} = {}",
            operand["text"].as_str().unwrap(),
            operand["value"]["text"].as_str().unwrap()
        );
    }
    lines.push(last);
    lines
}

pub(crate) fn detail(point: &Value) -> &str {
    point["end"]["detail"].as_str().unwrap_or_default()
}

pub(crate) const WAYS: &str = "const config = { rate: 'made here' };
function pick(name) { return config[name]; }
function show(text, { deep: { v: inner = 'default' } }) { const shown = text; done(shown, inner); }
let last, other, taken, kept;
function done(a, b) { last = a; other = b; }
const store = {};
store.value = pick('rate');
show(store.value, { deep: {} });
class Holder { field = config.rate; set held(v) { this.own = v; } }
const holder = new Holder();
holder.held = last;
[kept = 'unused'] = [holder.field];
({ a: { b: taken } } = { a: { b: kept } });";

#[test]
fn variables_properties_parameters_returns_and_patterns_are_crossed() {
    let site = site_of(WAYS);
    let queries = [
        "origin(other)",
        "origin(holder.own)",
        "D = origin(taken)",
        "lastChange(D:config)",
    ];
    let (points, _) = asked(&site, &queries, &[]);
    assert_eq!(
        path(&points[0]),
        [
            "copy 5:33 other = \"default\"",
            "parameter 3:91 b = \"default\"",
            "parameter 8:19 inner = \"default\"",
            "literal 3:42",
        ]
    );
    assert_eq!(
        path(&points[1]),
        [
            "property 9:51 holder.own = \"made here\"",
            "setter 11:15 v = \"made here\"",
            "copy 5:23 last = \"made here\"",
            "parameter 3:84 a = \"made here\"",
            "copy 3:65 shown = \"made here\"",
            "parameter 8:6 text = \"made here\"",
            "property 7:1 store.value = \"made here\"",
            "return 2:23 pick = \"made here\"",
            "property 1:18 config.rate = \"made here\"",
            "literal 1:24",
        ]
    );
    assert_eq!(
        path(&points[2]),
        [
            "destructuring 13:2 taken = \"made here\"",
            "destructuring 12:1 kept = \"made here\"",
            "property 9:16 holder.field = \"made here\"",
            "property 1:18 config.rate = \"made here\"",
            "literal 1:24",
        ]
    );
    // What is asked at the point of an origin, is asked where the value was made: `config` is not yet written there.
    assert_eq!(points[3]["status"], "blind");
}

const BUILT_INS: &str = "const names = ['first', 'made here'], store = {};
names.forEach((name) => { store.name = name; });
for (const item of names) { if (item !== 'first') store.item = item; }
function two(p, q) { store.q = q; }
two.apply(null, names);
const copy = Object.assign({}, { z: 1 }, store), spread = { ...copy };
const map = new Map(); map.set('k', spread.name);
const parsed = JSON.parse('{\"a\":\"in the text\"}');
const list = []; list.push(map.get('k'));
store.of = { map: list[0], json: parsed.a };
store.number = Number(' 42 '.trim()) * 2;
store.area = names.length * store.number;
store.random = Math.random(); store.now = Date.now();
store.saved = localStorage.getItem('total');
store.none = names.nothing;";

#[test]
fn built_ins_are_crossed_as_far_as_their_arguments_say() {
    let site = site_of(BUILT_INS);
    let queries = [
        "origin(store.of.map)",
        "origin(store.item)",
        "origin(store.q)",
        "origin(store.of.json)",
        "origin(store.number)",
        "origin(store.area)",
        "origin(store.random)",
        "origin(store.now)",
        "origin(store.saved)",
        "origin(store.none)",
    ];
    let (points, _) = asked(&site, &queries, &[]);
    let made = "element 1:25 names[1] = \"made here\"";
    assert_eq!(
        path(&points[0]),
        [
            "property 10:14 store.of.map = \"made here\"",
            "element 9:18 list[0] = \"made here\"",
            "entry 7:24 map.get(\"k\") = \"made here\"",
            "property 6:61 spread.name = \"made here\"",
            "property 6:14 copy.name = \"made here\"",
            "property 2:27 store.name = \"made here\"",
            "callback 2:1 name = \"made here\"",
            made,
            "literal 1:25",
        ]
    );
    assert_eq!(
        path(&points[1]),
        [
            "property 3:51 store.item = \"made here\"",
            "iterator 3:12 item = \"made here\"",
            made,
            "literal 1:25",
        ]
    );
    assert_eq!(
        path(&points[2]),
        [
            "property 4:22 store.q = \"made here\"",
            "parameter 5:17 q = \"made here\"",
            made,
            "literal 1:25",
        ]
    );
    let json = r#""{\"a\":\"in the text\"}""#;
    assert_eq!(
        path(&points[3]),
        [
            "property 10:28 store.of.json = \"in the text\"".to_owned(),
            "property 8:16 parsed.a = \"in the text\"".to_owned(),
            format!("json 8:16 '{{\"a\":\"in the text\"}}' = {json}"),
            "literal 8:27".to_owned(),
        ]
    );
    assert_eq!(
        path(&points[4])[0],
        "property 11:1 store.number = 84",
        "{:?}",
        path(&points[4])
    );
    assert_eq!(
        path(&points[5]),
        [
            "property 12:1 store.area = 168",
            "computation 12:14, names.length = 2, store.number = 84",
        ]
    );
    let ends: Vec<&str> = points[6..]
        .iter()
        .map(|point| point["end"]["kind"].as_str().unwrap())
        .collect();
    assert_eq!(ends, ["random", "time", "storage", "missing"]);
    assert!(
        detail(&points[9]).contains("names.nothing"),
        "{}",
        detail(&points[9])
    );
}

pub(crate) const UNSURE: &str = "let flag = true, list = ['same', 'same'], store = {};
function change() { flag = false; return 'same'; }
store.either = flag ? change() : list[0];
store.decided = flag || list[0];
list.forEach((one) => { store.one = one; });
function later() { return [...arguments].concat(['made']); }
store.made = later().at(-1);
async function slow() { return 'late'; }
let count = 0;
function down(n) { if (n === 0) { store.deep = n; } else { down(n - 1); } }
down(30);
store.promise = slow();";

const FUNCTIONS: &str = "const cart = { _v: 'inner', get v() { return this._v; }, count: 3, get sum() { return this.count * 1; } };
function useState(initial) { let state = initial; return [state, () => state]; }
const [title] = useState('made here');
function make(o) { const { a, b = 'default' } = o; return { a, b: `${b}` }; }
const { b: made } = make({ a: 1 });
class Base { constructor(name) { this.name = name; } }
class Derived extends Base { constructor(name) { super(name + ''); } }
const derived = new Derived('given');
function rec(n, v) { if (n === 0) return v; return rec(n - 1, v); }
const deep = rec(1, 'deep');
const format = (amount) => `${amount}`;
const shown = format('shown');
cart.count = 5;
const plain = cart.v, computed = cart.sum;
let first = 'one', second = 'two'; [first, second] = [second, first];
const one = { v: 'same' }, other = { v: 'same' };
const picked = ((list) => list)([one, other])[0];";

#[test]
fn functions_are_crossed_and_only_the_call_that_gave_the_value() {
    let site = site_of(FUNCTIONS);
    let queries = [
        "origin(shown)",
        "origin(plain)",
        "origin(computed)",
        "origin(first)",
        "origin(picked)",
        "origin(title)",
        "origin(made)",
        "origin(derived.name)",
        "origin(deep)",
    ];
    let (points, executions) = asked(&site, &queries, &[]);
    assert_eq!(executions, 3);
    assert_eq!(
        path(&points[0]),
        [
            "copy 12:7 shown = \"shown\"",
            "return 11:28 format = \"shown\"",
            "conversion 11:28 amount = \"shown\"",
            "parameter 12:22 amount = \"shown\"",
            "literal 12:22",
        ]
    );
    assert_eq!(
        path(&points[5]),
        [
            "destructuring 3:7 title = \"made here\"",
            "return 2:51 useState = (2) [\"made here\", ƒ]",
            "element 2:59 .owner[0] = \"made here\"",
            "copy 2:34 state = \"made here\"",
            "parameter 3:26 initial = \"made here\"",
            "literal 3:26",
        ]
    );
    assert_eq!(
        path(&points[6]),
        [
            "destructuring 5:7 made = \"default\"",
            "return 4:52 make = {a: 1, b: \"default\"}",
            "property 4:64 .owner.b = \"default\"",
            "conversion 4:67 b = \"default\"",
            "destructuring 4:26 b = \"default\"",
            "literal 4:35",
        ]
    );
    assert_eq!(
        path(&points[7]),
        [
            "property 6:34 derived.name = \"given\"",
            "parameter 7:56 name = \"given\"",
            "conversion 7:56 name = \"given\"",
            "parameter 8:29 name = \"given\"",
            "literal 8:29",
        ]
    );
    assert_eq!(
        path(&points[8]),
        [
            "copy 10:7 deep = \"deep\"",
            "return 9:45 rec = \"deep\"",
            "return 9:35 rec = \"deep\"",
            "parameter 9:63 v = \"deep\"",
            "parameter 10:21 v = \"deep\"",
            "literal 10:21",
        ]
    );
    assert_eq!(
        path(&points[1]),
        [
            "copy 14:7 plain = \"inner\"",
            "getter 1:39 cart.v = \"inner\"",
            "property 1:16 this._v = \"inner\"",
            "literal 1:20",
        ]
    );
    assert_eq!(
        path(&points[2]),
        [
            "copy 14:23 computed = 5",
            "getter 1:80 cart.sum = 5",
            "conversion 1:87 this.count = 5",
            "property 13:1 this.count = 5",
            "literal 13:14",
        ]
    );
    assert_eq!(
        path(&points[3]),
        [
            "destructuring 15:36 first = \"two\"",
            "copy 15:20 second = \"two\"",
            "literal 15:29",
        ]
    );
    assert_eq!(
        path(&points[4]),
        [
            "copy 17:7 picked = {v: \"same\"}",
            "return 17:27 (list) => list = (2) [{…}, {…}]",
            "element 17:34 ((list) => list)([one, other])[0] = {v: \"same\"}",
            "copy 16:7 one = {v: \"same\"}",
            "literal 16:13",
        ]
    );
}

/// What cannot be said for sure is not said.
#[test]
fn what_is_not_sure_is_not_observed_and_why_is_told() {
    let site = site_of(UNSURE);
    let queries = [
        "origin(store.either)",
        "origin(store.decided)",
        "origin(store.one)",
        "origin(store.made)",
        "origin(store.promise)",
        "origin(nowhere)",
    ];
    let (points, _) = asked(&site, &queries, &[]);
    let end = |number: usize| {
        (
            points[number]["end"]["kind"].as_str(),
            detail(&points[number]),
        )
    };
    // Which way it went, and which of two equal elements it was, the log of the calls and tests says. What wrote the
    // same value again has changed nothing.
    assert_eq!(
        path(&points[0]),
        [
            "property 3:1 store.either = \"same\"",
            "return 2:35 change = \"same\"",
            "literal 2:42",
        ]
    );
    assert_eq!(
        path(&points[1]),
        [
            "property 4:1 store.decided = \"same\"",
            "element 1:26 list[0] = \"same\"",
            "literal 1:26"
        ]
    );
    assert_eq!(
        path(&points[2]),
        [
            "property 5:25 store.one = \"same\"",
            "callback 5:1 one = \"same\"",
            "element 1:26 list[0] = \"same\"",
            "literal 1:26",
        ]
    );
    assert_eq!(path(&points[3]).last().unwrap(), "literal 6:50");
    assert_eq!(
        end(4),
        (Some("literal"), "the promise that the call of slow made")
    );
    assert_eq!(points[5]["status"], "blind");
    assert_eq!(end(5).0, Some("unobserved"));
}

pub(crate) const HOSTILE: &str = "function g(v) { return v; }
const pair = { a: g('first'), b: g('second'), c: g('third') };
let v = 'v0';
const snap = { p: v, q: (v = 'v1', 1) };
const branch = { p: v === 'v1' ? v : 'no', q: (v = 'v2', 1) };
function* gen() { pair.sent = yield 'given'; }
const it = gen(); it.next(); it.next('sent');
const proxy = new Proxy({ z: 'target' }, { get: (t, k) => t[k] + '!' }), through = proxy.z;
const one = 'eq', two = 'eq', which = Math.random() < 2 ? one : two;
const heir = Object.create({ inherited: 'of the prototype' }), inherited = heir.inherited;
var counter = 0; function inc() { counter++; } inc(); inc();";

/// Values that look as if they came from somewhere else: each is followed to where it came from, or no further.
#[test]
fn no_hop_is_shown_that_did_not_happen() {
    let site = site_of(HOSTILE);
    let queries = [
        "origin(pair.a)",
        "origin(pair.c)",
        "origin(snap.p)",
        "origin(branch.p)",
        "origin(pair.sent)",
        "origin(through)",
        "origin(which)",
        "origin(inherited)",
        "origin(counter)",
    ];
    let (points, _) = asked(&site, &queries, &[]);
    let paths: Vec<Vec<String>> = points.iter().map(path).collect();
    // Of two calls of one function each has its own.
    for (path, hop, place) in [
        (&paths[0], "property 2:16 pair.a = \"first\"", "2:21"),
        (&paths[1], "property 2:47 pair.c = \"third\"", "2:52"),
    ] {
        let value = hop.rsplit(' ').next().unwrap();
        let returned = format!("return 1:17 g = {value}");
        let handed = format!("parameter {place} v = {value}");
        let end = format!("literal {place}");
        assert_eq!(path, &[hop.to_owned(), returned, handed, end]);
    }
    // The variable was written since.
    let alone = |hop: &str| vec![hop.to_owned(), "unobserved".to_owned()];
    assert_eq!(paths[2], alone("property 4:16 snap.p = \"v0\""));
    assert_eq!(paths[3], alone("property 5:18 branch.p = \"v1\""));
    assert_eq!(
        paths[4],
        [
            "property 6:19 pair.sent = \"sent\"",
            "yield 7:38 it.next = \"sent\"",
            "literal 7:38",
        ]
    );
    assert_eq!(
        paths[5],
        [
            "copy 8:74 through = \"target!\"",
            "proxy 8:59 proxy.z = \"target!\"",
            "conversion 8:59 t.z = \"target\"",
            "property 8:27 t.z = \"target\"",
            "literal 8:30",
        ]
    );
    assert_eq!(
        paths[6],
        [
            "copy 9:31 which = \"eq\"",
            "copy 9:7 one = \"eq\"",
            "literal 9:13",
        ]
    );
    assert_eq!(
        paths[7],
        [
            "copy 10:64 inherited = \"of the prototype\"",
            "property 10:30 heir.inherited = \"of the prototype\"",
            "literal 10:41",
        ]
    );
    assert_eq!(
        paths[8],
        [
            "copy 11:35 counter = 2",
            "conversion 11:35 counter = 1",
            "copy 11:35 counter = 1",
            "conversion 11:35 counter = 0",
            "copy 11:5 counter = 0",
            "literal 11:15",
        ]
    );
}

#[test]
fn one_execution_does_not_follow_a_value() {
    let site = site_of("const value = 'made here';");
    let (points, executions) = asked(&site, &["origin(value)"], &["--live"]);
    assert_eq!(executions, 1);
    assert_eq!(points[0]["status"], "blind");
    let note = points[0]["note"].as_str().unwrap();
    assert!(note.contains("only lastChange"), "{note}");
}

/// Libraries write the text of an element to the node in it, by several names.
#[test]
fn a_text_that_is_written_to_the_node_in_an_element_is_followed() {
    let code = "const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => {
  const element = document.createElement('p');
  element.id = id;
  element.textContent = 'before';
  document.documentElement.append(element);
  return element;
});
const word = { of: 'by data' };
a.firstChild.data = word.of;
b.firstChild.nodeValue = 'by nodeValue';
c.innerText = 'by innerText';
const count = 7;
d.textContent = count;";
    let site = site_of(code);
    let of = |id: &str| format!("origin(R:document.querySelector(\"#{id}\").textContent)");
    let queries = ["a", "b", "c", "d"].map(of);
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let (points, _) = asked(&site, &queries, &[]);
    let ends: Vec<String> = points
        .iter()
        .map(|point| {
            format!(
                "{} {}",
                point["end"]["kind"].as_str().unwrap(),
                at(&point["end"]["location"])
            )
        })
        .collect();
    let expected = [
        "literal 8:20",
        "literal 10:26",
        "literal 11:15",
        "literal 12:15",
    ];
    assert_eq!(ends, expected, "{points:#?}");
    assert!(points.iter().all(|point| point["hops"][0]["kind"] == "dom"));
}

/// What is inside a conversion is followed as far as it can be; that it ends there is no computation.
#[test]
fn a_conversion_of_what_cannot_be_followed_is_no_computation() {
    let code = "const out = {};
const halls = new Map([['a', 'Hall 25'], ['b', 'Hall 25']]);
const get = () => halls.values().next().value;
out.text = String(get());";
    let (points, _) = asked(&site_of(code), &["origin(R:out.text)"], &[]);
    let hops = path(&points[0]);
    assert!(hops.last().unwrap().starts_with("unobserved"), "{hops:?}");
    assert!(hops[1].starts_with("conversion"), "{hops:?}");
}
