//! Of which functions `whyNot` says that nothing in the scripts calls them: only of those that nobody can have unseen.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use crate::loopback::*;
use crate::omission_reasons::firsts;
use crate::omissions::{answer_to, points};

/// What may be called unseen is not said to be unreachable.
#[test]
fn what_gets_where_it_is_not_followed_is_not_unreachable() {
    let code = "const base = {
  save() {
    window.saved = 1; // why: spread
  },
};
const all = { ...base };
const store = { inner: {} };
store.inner.drop = function () {
  window.dropped = 1; // why: of a field
};
const own = {
  idle() {
    window.idle = 1; // why: nobody has it
  },
};
console.log(own);
const card = { template: '<b @click=\"pick()\">{{ price() }}</b>' };
const menu = Object.assign({}, { open() {
  window.opened = 1; // why: assigned
} });
class Card {
  pick() {
    window.picked = 1; // why: in a template
  }
}
new Card();
";
    let found = firsts(code);
    let kinds: Vec<&str> = found
        .iter()
        .map(|one| one.split(' ').next().unwrap())
        .collect();
    let expected = [
        "callback",
        "callback",
        "unreachable",
        "unreachable",
        "callback",
    ];
    assert_eq!(kinds, expected, "{found:#?}");
    assert!(found[3].contains("open()"), "{found:#?}");
}

/// Of a module, another one may hand on what it imports.
#[test]
fn what_another_module_hands_on_is_not_unreachable() {
    let api = "export const api = { save() {
  window.saved = 1;
} };
export function idle() {
  window.idle = 1;
}
export function drop() {
  window.dropped = 1;
}
";
    let main = "import { api, drop } from './api.js';
const kept = new Map();
kept.set('api', api);
if (window.never) kept.set('drop', drop);
";
    let site = Site::new(&[
        ("/", page("<script type=module src=main.js></script>")),
        ("/api.js", script(api)),
        ("/main.js", script(main)),
    ]);
    let queries = ["whyNot(api.js:2)", "whyNot(api.js:5)", "whyNot(api.js:8)"];
    let answer = answer_to(&site, "end", &queries);
    let points = points(&answer);
    let reason = |at: usize| points[at]["candidates"][0]["reason"].clone();
    assert_eq!(reason(0), "callback", "{answer:#}");
    assert_eq!(reason(1), "unreachable", "{answer:#}");
    assert_ne!(reason(2), "unreachable", "{answer:#}");
}
