//! Answers of `whyNot` where the page itself was to tell, choose or make something; and of `omitted` where operations
//! are behind `?.` or many.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::omission_reasons::{asked, candidates, firsts, note};

#[test]
fn what_the_page_was_to_do_first_is_why_not() {
    let code = "const seen = {}, on = false;
class Subject {
  listeners = [];
  subscribe(listener) { this.listeners.push(listener); }
}
const images = new IntersectionObserver((entries) => {
  seen.images = entries; // why
});
if (on) images.observe(document.body);
(() => {
  const b = document.querySelector('#b');
  b.addEventListener('click', (event) => event.stopImmediatePropagation());
  b.addEventListener('click', () => {
    seen.clicked = 1; // why
  });
  b.click();
})();
const save = () => {
  seen.saved = 1; // why
};
document.body.onkeyup = on ? save : null;
class Badge extends HTMLElement {
  connectedCallback() {
    seen.badge = 1; // why
  }
}
customElements.define('x-badge', Badge);
document.body.insertAdjacentHTML('beforeend', on ? '<x-badge></x-badge>' : '');
const never = new Promise((resolve) => {
  if (on) resolve(1);
});
Promise.all([Promise.resolve(), never]).then(() => {
  seen.all = 1; // why
});
const sum = seen.rows?.length ?? [].reduce((all, row) => {
  return all + row; // why
}, 0);
let timer;
function later(work) {
  clearTimeout(timer);
  timer = setTimeout(work, 30);
}
later(() => {
  seen.later = 1; // why
});
clearTimeout(timer);
";
    let expected = [
        "branch a.js:9 on",
        "listener a.js:12 event.stopImmediatePropagation()",
        "branch a.js:21 on",
        "branch a.js:28 on",
        "branch a.js:30 on",
        "loop a.js:35 [].reduce(…, 0)",
        "timer a.js:46 clearTimeout(timer)",
    ];
    assert_eq!(firsts(code), expected);
}

#[test]
fn operations_behind_a_chain_and_many_of_them() {
    let many = "if (on) list.push(1);\n".repeat(70);
    let code = format!(
        "const on = false, list = [], cart = {{ items: new Map() }}, shop = {{ cart: null, own: cart }};
const found = on ? cart : null;
found?.items.set('a', 1);
if (on) shop.own?.items?.delete('a');
{many}"
    );
    let points = asked(&code, &["omitted(R:cart.items)", "omitted(R:list)"]);
    let operations: Vec<&str> = points[0]["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["operation"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(candidates(&points[0]).len(), 2, "{points:#?}");
    assert!(
        operations.iter().all(|text| text.starts_with("cart.items")),
        "{operations:?}"
    );
    assert_eq!(points[0]["complete"], true);
    // What is not shown is counted.
    assert!(!candidates(&points[1]).is_empty(), "{points:#?}");
    assert!(
        note(&points[1]).contains("10 more operations"),
        "{points:#?}"
    );
    assert_eq!(points[1]["complete"], false);
}

#[test]
fn what_a_decision_calls_and_what_threw_inside_are_behind_it() {
    let code = "const order = { state: 'new' }, seen = {};
const isOpen = (one) => one.state === 'open'; // inside
function send() {
  if (!isOpen(order)) return;
  seen.sent = 1; // why
}
send();
function parse(text) {
  return JSON.parse(text); // inside
}
async function load() {
  const found = [];
  for (const text of ['{', '1']) found.push(parse(text));
  return found;
}
async function show() {
  const list = await load();
  seen.list = list; // why
}
show().catch(() => {});
";
    let points = asked(code, &["whyNot(a.js:5)", "whyNot(a.js:18)"]);
    assert_eq!(
        candidates(&points[0])[..2],
        [
            "return a.js:4 !isOpen(order)",
            "branch a.js:2 one.state === 'open'"
        ]
    );
    assert_eq!(
        candidates(&points[1]),
        [
            "exception a.js:13 for (const text of ['{', '1']) found.push(parse(text));",
            "exception a.js:9 return JSON.parse(text); // inside",
            "promise a.js:17 await load()"
        ]
    );
}
