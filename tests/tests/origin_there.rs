//! What is asked at the point of an origin: where an event log says where the value was made, the page is brought
//! there, and the origin is the one that it is without the question.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::origins::{asked, path, site_of};
use crate::paused_page::{Debugger, Paused};
use serde_json::Value;

/// The value is made in the second of two calls, and comes through a list that is sorted.
const SHOP: &str = "const rates = { home: 0.2, abroad: 0.3 };
const settings = { country: 'home' };
function rate(country) {
  settings.asked = (settings.asked ?? 0) + 1;
  return rates[country];
}
function priced(item) {
  const net = item.price * item.count;
  return { name: item.name, gross: net + net * rate(settings.country) };
}
const list = [{ name: 'pen', price: 5, count: 2 }];
list.push({ name: 'book', price: 20, count: 1 });
settings.country = 'abroad';
const shown = list.map((item) => priced(item)).sort((one, other) => other.gross - one.gross);
rates.abroad = 0.5;
settings.country = 'home';
const answer = { text: String(shown[0].gross) };";

fn place(point: &Value) -> String {
    format!(
        "{}:{}",
        point["location"]["line"], point["location"]["column"]
    )
}

/// The text of a variable in the scopes of a point.
fn variable<'p>(point: &'p Value, name: &str) -> &'p str {
    let scopes = point["scopes"].as_array().unwrap().iter();
    let mut variables = scopes.flat_map(|scope| scope["variables"].as_array().unwrap());
    let found = variables.find(|variable| variable["name"] == name);
    found.map_or("", |variable| variable["text"].as_str().unwrap())
}

#[test]
fn an_origin_stays_the_same_when_something_is_asked_at_its_point() {
    let site = site_of(SHOP);
    let (alone, before) = asked(&site, &["C = origin(R:answer.text)"], &[]);
    let queries = [
        "C = origin(R:answer.text)",
        "D = lastChange(C:settings.country)",
        "E = lastCondition(D)",
        "F = origin(C:item.price)",
        "G = lastChange(F:rates)",
        "B = lastChange(R:rates.abroad)",
        "H = lastChange(C:nothing.there)",
    ];
    let (points, executions) = asked(&site, &queries, &[]);
    assert_eq!(path(&points[0]), path(&alone[0]));
    assert_eq!(points[0]["location"], alone[0]["location"]);
    assert_eq!(points[0]["stack"], alone[0]["stack"]);
    assert_eq!(points[0]["stack"][1]["function"], "(anonymous)");
    assert_eq!(
        path(&points[0]).last().unwrap(),
        "computation 9:36, net = 20, net = 20, rate(settings.country) = 0.3"
    );
    // What holds there is known now: of the second call, before the rates changed.
    assert_eq!(variable(&points[0], "net"), "20");
    assert_eq!(variable(&points[0], "rates"), "{home: 0.2, abroad: 0.3}");
    assert_eq!(place(&points[1]), "13:1");
    assert_eq!(points[1]["new"]["text"], "\"abroad\"");
    assert_eq!(points[1]["query"], "lastChange(C:settings.country)");
    assert_eq!(points[2]["status"], "not-reached", "no condition led there");
    // An origin of an origin's point has a point as well.
    assert_eq!(path(&points[3]).last().unwrap(), "literal 12:34");
    assert_eq!(place(&points[4]), "1:7");
    // What cannot be asked there says so of that point.
    let note = points[6]["note"].as_str().unwrap();
    assert!(note.starts_with("it has no value at C"), "{note}");
    // What is asked elsewhere is asked where it was.
    assert_eq!(place(&points[5]), "15:1");
    assert_eq!((before, executions), (3, 5));
}

#[tokio::test]
async fn the_page_is_left_paused_where_the_value_was_made() {
    let site = site_of(SHOP);
    let paused = Paused::new(
        &site.url("/"),
        &[
            "--at",
            "console:asked here",
            "C = origin(R:answer.text)",
            "--pause",
            "C",
        ],
    );
    assert!(paused.place().contains("app.js:9:"), "{}", paused.place());
    let debugger = &mut Debugger::attach(&paused).await;
    let frames = debugger.frames().await;
    assert_eq!(debugger.evaluate(&frames[0], "item.name").await, "book");
    assert_eq!(debugger.evaluate(&frames[0], "rates.abroad").await, 0.3);
}

/// A value that a choice inside an expression makes, in a function that is called over several lines.
const CHOSEN: &str = "const box = {};
function named(n) {
  if (n < 0) return 'none';
  return n > 1 ? 'many' : 'one';
}
function run(n) {
  box.name = [n]
    .map((it) => it + 1)
    .map((it) => named(it))
    .join();
}
(() => {
  [0, 1]
    .filter((it) => it >= 0)
    .forEach(run);
})();";

#[test]
fn the_last_condition_at_an_origin_says_what_decides_behind_it() {
    let site = site_of(CHOSEN);
    let queries = [
        "C = origin(R:box.name)",
        "D = lastCondition(C)",
        "E = lastChange(C:box.name)",
    ];
    // It agrees: a call over several lines is one place, wherever in it a debugger says that it is.
    let (points, _) = asked(&site, &queries, &[]);
    assert_eq!(path(&points[0]).last().unwrap(), "literal 4:18");
    assert_eq!(place(&points[1]), "3:7");
    let note = points[1]["note"].as_str().unwrap();
    assert!(note.contains("in it `n > 1` decides next"), "{note}");
    assert_eq!(points[2]["note"], Value::Null);
}

#[test]
fn default_values_are_where_their_pattern_is_in_another_script() {
    let lib = "// The first line is no place of a value.
function padded({ word = 'default in lib' } = {}) { return word; }
function listed([, [word = 'inner default'] = []] = []) { return word; }
function named(first, { second = first } = {}) { return second; }
";
    let app = "const out = {};
out.given = padded({});
out.none = padded();
out.listed = listed([1, []]);
out.empty = listed();
out.named = named('named here', {});
out.alone = named('alone here');
console.log('asked here');
";
    let scripts = "<script src=lib.js></script><script src=app.js></script>";
    let site = Site::new(&[
        ("/", page(scripts)),
        ("/lib.js", script(lib)),
        ("/app.js", script(app)),
    ]);
    let names = ["given", "none", "listed", "empty", "named", "alone"];
    let queries = names.map(|name| format!("origin(out.{name})"));
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let (points, _) = asked(&site, &queries, &[]);
    let ends: Vec<String> = points
        .iter()
        .map(|point| {
            let location = &point["end"]["location"];
            let file = location["url"].as_str().unwrap_or_default();
            let file = file.rsplit('/').next().unwrap();
            let at = format!("{}:{}", location["line"], location["column"]);
            format!("{} {file}:{at}", point["end"]["kind"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        ends,
        [
            "literal lib.js:2:26",
            "literal lib.js:2:26",
            "literal lib.js:3:28",
            "literal lib.js:3:28",
            "literal app.js:6:19",
            "literal app.js:7:19",
        ]
    );
}
