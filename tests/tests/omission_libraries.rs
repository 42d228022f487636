//! Answers of `whyNot` where a library is between the decision and the line: what it makes of templates, how it is
//! given out, and what it swallows.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::omissions::{answer_to, points};

/// The candidates of one line of `a.js`, with a library before it: reason, file, text.
fn asked(library: &str, code: &str, body: &str, line: u32) -> Vec<String> {
    let body = format!("{body}<script src={library}></script><script src=a.js></script>");
    let source = match library {
        "templates.min.js" => TEMPLATES,
        "frame.min.js" => FRAME,
        _ => BUS,
    };
    let site = Site::new(&[
        ("/", page(&body)),
        (&format!("/{library}"), script(source)),
        ("/a.js", script(code)),
    ]);
    let query = format!("whyNot(a.js:{line})");
    let all = points(&answer_to(&site, "end", &[&query]));
    let candidates = all[0]["candidates"].as_array().cloned().unwrap_or_default();
    let candidates = candidates.iter().map(|one| {
        let url = one["location"]["url"].as_str().unwrap_or_default();
        let file = url.rsplit('/').next().unwrap_or_default();
        let file = file.split(':').next().unwrap_or_default();
        let text = one["text"].as_str().unwrap();
        format!("{} {file} {text}", one["reason"].as_str().unwrap())
    });
    candidates.collect()
}

/// Makes functions of the texts of attributes.
const TEMPLATES: &str = "var Templates = { run: function (scope) {
  document.querySelectorAll('[data-do]').forEach(function (element) {
    new Function('scope', 'with (scope) { ' + element.dataset.do + ' }')(scope);
  });
} };
";

/// Calls functions one after the other, each with what the one before gave, until one throws.
const BUS: &str = "(function (root, make) {
  typeof exports === 'object' ? (module.exports = make()) : (root.Bus = make());
})(this, function () {
  return { pipe: function (value, steps, end) {
    try {
      for (var i = 0; i < steps.length; i++) value = steps[i](value);
      if (value) end(value);
    } catch (error) { this.failed = true; }
  }, schema: function (rules) {
    return { check: function (value) {
      return new Promise(function (done, fail) {
        rules.valid(value, function (error) { error ? fail(error) : done(value); });
      });
    } };
  } };
});
";

#[test]
fn what_a_library_makes_of_a_template_is_the_authors() {
    let code = "function send(tries) {
  window.sent = tries;
}
Templates.run({ open: false, tries: 3 });
";
    let body = "<b data-do=\"open && send(tries)\"></b>";
    let found = asked("templates.min.js", code, body, 2);
    assert_eq!(found, ["branch templates.min.js open"]);
}

#[test]
fn what_threw_inside_a_library_that_swallowed_it_is_named() {
    let code = "const answer = { result: { items: [1] } };
function show(items) {
  window.shown = items;
}
Bus.pipe(answer, [(it) => it.data.items], (items) => show(items));
";
    let found = asked("bus.js", code, "", 3);
    assert_eq!(found[0], "exception a.js it.data.items", "{found:?}");
}

#[test]
fn a_build_that_is_given_out_as_a_library_is_one_whatever_its_name() {
    let code = "const answer = { items: 0 };
function show(items) {
  window.shown = items;
}
Bus.pipe(answer, [(it) => it.items], (items) => show(items));
";
    let found = asked("bus.js", code, "", 3);
    assert_eq!(found[0], "branch a.js it.items", "{found:?}");
}

#[test]
fn what_a_library_was_handed_that_gives_the_promise_decides() {
    let code = "const rules = {
  valid: (value, answer) => {
    if (value >= 18) answer(new Error('young'));
    else answer();
  },
};
const schema = Bus.schema(rules);
schema.check(30).then(() => {
  window.done = 1;
}).catch(() => {});
";
    let found = asked("bus.js", code, "", 9);
    assert_eq!(found[0], "branch a.js value >= 18", "{found:?}");
}

/// Makes components, and lists of them, as frameworks do.
const FRAME: &str = "var Frame = {
  block: function (component) { return component && component.setup ? component.setup() : null; },
  renderList: function (list, draw) { return list.map(draw); },
  mount: function (component) { return component.setup()(); },
};
";

#[test]
fn what_kept_a_component_from_being_made_is_why_its_setup_did_not_run() {
    let code = "const { block, renderList } = Frame;
const Details = {
  setup() {
    window.details = 1;
  },
};
const Row = {
  setup() {
    window.row = 1;
  },
};
const App = { setup() {
  const state = { open: false, rows: [] };
  return () => [
    state.open ? block(Details) : null,
    renderList(state.rows, (row) => block(Row)),
  ];
} };
Frame.mount(App);
";
    let found = asked("frame.min.js", code, "", 4);
    assert_eq!(found[0], "branch a.js state.open", "{found:?}");
    let found = asked("frame.min.js", code, "", 9);
    assert_eq!(found[0], "loop a.js renderList(state.rows, …)", "{found:?}");
}

#[test]
fn what_only_a_template_names_is_not_unreachable() {
    let code = "Frame.mount({
  setup() { return () => 1; },
  methods: {
    save() {
      window.saved = 1;
    },
  },
});
";
    let found = asked("frame.min.js", code, "", 5);
    assert_eq!(found, ["callback a.js save()"]);
}
