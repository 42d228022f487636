//! Two executions of a page that asks the clock and takes what chance gives: neither is a difference, and what is one
//! is found behind them.

use std::path::Path;

use serde_json::Value;

use super::{querypoint, recorded};
use crate::loopback::assert_follows_schema;

/// The number that the page shows is in its document.
fn page(number: u32) -> String {
    format!("<!doctype html><p id=shown data-number={number}></p><script src=app.js></script>")
}

const APP: &str = r##"const began = Date.now();
const start = performance.now();
class Ticket {
  constructor() {
    this.until = Date.now() + 60_000;
    this.name = 't-' + Math.random().toString(36).slice(2);
    this.seat = pick(9);
  }
}
function pick(most) { return Math.floor(Math.random() * most); }
function shown(time) { return time.toFixed(2); }
const ticket = new Ticket();
const today = new Date();
const label = today.toISOString();
const spent = performance.now() - start;
const later = began + 5_000;
const place = document.querySelector('#shown');
place.textContent = `at ${label}, ${spent} ms, ${ticket.name}`;
place.title = shown(performance.now());
console.log('took ' + spent);
if (Date.now()) place.lang = 'en';
const saved = JSON.stringify({ began, name: ticket.name });
const bytes = new Uint32Array(2);
crypto.getRandomValues(bytes);
const key = bytes[0].toString(16);
const id = crypto.randomUUID();
const mark = 'mark' + Math.random().toString(36).slice(2);
place[mark] = { [mark]: 1 };
const opened = new Map([[id, 1]]);
opened.set(mark, 2);
const address = location.href + '#top';
const second = new Date().getTime() / 1000 | 0;
const same = place.dataset.number * 2;
requestAnimationFrame((time) => { window.frame = time; });
"##;

fn compared(one: &Path, other: &Path, more: &[&str]) -> Value {
    let right = other.join("run.qplog");
    let mut arguments = vec!["compare", "--json"];
    arguments.extend(more);
    arguments.extend(["run.qplog", right.to_str().unwrap()]);
    let output = querypoint(&arguments, one);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_follows_schema(&answer, "comparison");
    answer
}

#[test]
fn the_clock_and_chance_are_no_difference() {
    let files = [("app.js", APP)];
    let (one, output) = recorded(&page(2), &files, &[]);
    assert!(output.status.success(), "{output:?}");
    let (again, _) = recorded(&page(2), &files, &[]);
    let same = compared(one.path(), again.path(), &[]);
    assert_eq!(same["differs"], false, "{same}");
    for query in [
        "history(began)",
        "history(spent)",
        "history(ticket.name)",
        "history(ticket.until)",
        "history(label)",
        "history(frame)",
        "argumentsOf(shown)",
        "returnsOf(pick)",
    ] {
        let same = compared(one.path(), again.path(), &["--query", query]);
        assert_eq!(same["differs"], false, "{query}: {same}");
    }

    // What else is other is found, also among noise.
    let (other, _) = recorded(&page(3), &files, &[]);
    let parted = compared(one.path(), other.path(), &[]);
    let side = |name: &str| {
        let event = &parted["first"][name];
        (event["name"].clone(), event["value"]["text"].clone())
    };
    assert_eq!(side("left"), ("same".into(), "4".into()), "{parted}");
    assert_eq!(side("right"), ("same".into(), "6".into()));
    // Nothing says of what it was worked out, and the clock was asked before.
    assert_eq!(parted["cause"]["kind"], "input");
    let detail = parted["cause"]["detail"].as_str().unwrap();
    assert!(detail.contains("Date.now"), "{detail}");
    let parted = compared(one.path(), other.path(), &["--query", "history(same)"]);
    assert_eq!(parted["first"]["right"]["value"]["text"], "6", "{parted}");
}
