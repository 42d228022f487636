//! `omitted(R:object)`: what could have been done to an object and was not, and what comes of it when the decision is
//! turned round.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use crate::loopback::*;
use crate::omissions::{answer_to, points, site_of};
use serde_json::Value;

const CART: &str = "class Cart {
  constructor() {
    this.items = [];
    this.active = false;
  }
  add(item) {
    if (!this.active) {
      return;
    }
    this.items.push(item);
  }
  clear() {
    this.items.length = 0;
  }
}
const cart = new Cart();
const log = [];
function load(names) {
  for (const name of names) {
    cart.add(name);
    log.push(name);
  }
}
function reset() {
  if (log.length > 5) cart.clear();
}
load(['a', 'b']);
reset();
";

#[test]
fn what_was_not_done_to_an_object_and_what_comes_of_it() {
    let site = site_of("cart.js", CART);
    let queries = [
        "--flip",
        "O = omitted(R:cart.items)",
        "A = lastChange(O:this.active)",
        "whyNot(cart.js:10)",
        "omitted(R:log)",
        "omitted(R:document)",
    ];
    let answer = answer_to(&site, "end", &queries);
    let points = points(&answer);
    let candidates = points[0]["candidates"].as_array().unwrap();
    let operations: Vec<String> = candidates
        .iter()
        .map(|one| {
            format!(
                "{} {} {} {} {}",
                one["reason"].as_str().unwrap(),
                one["location"]["line"],
                one["operation"]["text"].as_str().unwrap(),
                one["flipped"]["happened"],
                one["flipped"]["value"]["text"].as_str().unwrap_or_default()
            )
        })
        .collect();
    let expected = [
        "return 7 cart.items.push(item) true (1) [\"b\"]",
        "branch 25 cart.items.length = 0 true (0) []",
    ];
    assert_eq!(operations, expected, "{answer:#}");
    assert_eq!(
        (
            &points[0]["location"]["line"],
            &points[1]["location"]["line"]
        ),
        (&Value::from(7), &Value::from(4))
    );
    assert_eq!(points[0]["complete"], true);
    // A line is asked the same way.
    assert_eq!(points[2]["candidates"][0]["flipped"]["happened"], true);
    let note = |index: usize| points[index]["note"].as_str().unwrap_or_default();
    assert_eq!(
        note(3),
        "no operation in the scripts that could change it was left out; done: log.push(name) 2 times"
    );
    assert_eq!(points[4]["complete"], false);
    assert!(
        note(4).contains("where the object was made is not known"),
        "{}",
        note(4)
    );
}

#[test]
fn a_decision_that_changes_nothing_comes_after_one_that_does() {
    let code = "const state = { a: false, b: false, list: [] };
function outer() {
  if (state.a) {
    if (state.b) {
      state.list.push(1);
    }
  }
}
function other() {
  if (!state.b) return;
  fill();
}
function fill() {
  state.list.unshift(2);
}
outer();
other();
";
    let site = site_of("two.js", code);
    let answer = answer_to(&site, "end", &["--flip", "omitted(R:state.list)"]);
    let point = &points(&answer)[0];
    let found: Vec<(u64, bool)> = point["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["location"]["line"].as_u64().unwrap(),
                one["flipped"]["happened"] == true,
            )
        })
        .collect();
    assert_eq!(found, [(10, true), (3, false)], "{answer:#}");
    assert_eq!(point["location"]["line"], 10);
    assert_eq!(point["stack"][0]["function"], "other");
    // Without being told, a page that somebody serves is not run with code that did not run.
    let answer = answer_to(&site, "end", &["omitted(R:state.list)"]);
    assert_eq!(points(&answer)[0]["candidates"][0]["location"]["line"], 3);
    assert!(points(&answer)[0]["candidates"][0].get("flipped").is_none());
}

/// Code that did not run before runs when a decision is turned round. Other servers do not hear of it, unless a person
/// says that they may.
#[test]
fn a_decision_that_is_turned_round_reaches_no_other_server() {
    let elsewhere = Site::new(&[("/delete", html("gone"))]);
    let folder = Folder::new();
    let url = elsewhere.url("/delete");
    let text = format!(
        "<!doctype html><script>\nlet sure = false;\nfunction remove() {{\n  if (sure) {{\n    \
         fetch('{url}', {{ method: 'POST', mode: 'no-cors' }});\n    done();\n  }}\n}}\n\
         function done() {{ document.title = 'done' }}\nremove();\n</script>"
    );
    let page = folder.file("page.html", &text);
    let page = page.to_str().unwrap();
    let asked = |more: &[&str]| {
        let mut arguments = vec![
            "ask",
            page,
            "--at",
            "end",
            "--json",
            "--no-keep",
            "whyNot(page.html:6)",
        ];
        arguments.extend(more);
        let answer = querypoint(&arguments).answer();
        points(&answer)[0]["candidates"][0]["flipped"]["happened"].clone()
    };
    assert_eq!(asked(&[]), true);
    assert_eq!(elsewhere.requests(), Vec::<String>::new());
    assert_eq!(asked(&["--flip"]), true);
    assert!(!elsewhere.requests().is_empty());
}
