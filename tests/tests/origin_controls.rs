//! `origin` of what a person typed or chose in a control: it ends with them, whatever way the page reads it, and at the
//! page's own write where that was later.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use serde_json::{Value, json};

const CONTROLS: &str =
    "<!doctype html><title>Controls</title><form id=form><input id=field><input id=other>
<input id=urgent type=checkbox><select id=size><option>small<option>large</select></form><script>
const [form, field, other, urgent, size] = ['form', 'field', 'other', 'urgent', 'size'].map((id) =>
  document.getElementById(id));
const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
const out = {};
field.value = '';
field.oninput = (event) => {
  out.plain = event.target.value;
  out.called = own.get.call(field);
  const { get } = own;
  out.applied = Reflect.apply(get, field, []);
  out.reflected = Reflect.get(HTMLInputElement.prototype, 'value', field);
  field.value = 'of the page';
  out.written = field.value;
  form.reset();
  out.reset = field.value;
};
urgent.onclick = () => { out.urgent = urgent.checked; };
size.onchange = () => { out.size = size.value; };
// What a tracker of values does, as React has it.
Object.defineProperty(other, 'value', {
  configurable: true,
  get() { return own.get.call(this); },
  set(value) { own.set.call(this, value); },
});
other.oninput = ({ target }) => { out.tracked = target.value; };
</script>";

#[test]
fn what_a_person_typed_or_chose_is_where_it_begins() {
    let folder = Folder::new();
    let site = Site::new(&[("/", html(CONTROLS))]);
    let change = |selector: &str, value: &str| json!({ "type": "change", "selectors": [[selector]], "value": value });
    let steps = [
        change("#field", "typed"),
        json!({ "type": "click", "selectors": [["#urgent"]], "offsetX": 3, "offsetY": 3 }),
        change("#size", "large"),
        change("#other", "typed too"),
    ];
    let recording = json!({ "title": "controls", "steps": steps }).to_string();
    let recording = folder.file("recording.json", &recording);
    let asked = |names: &[&str]| {
        let queries: Vec<String> = names
            .iter()
            .map(|name| format!("{name} = origin(R:out.{name})"))
            .collect();
        let url = site.url("/");
        let mut arguments = vec!["ask", &url, "--at", "end", "--json", "--recording"];
        arguments.push(recording.to_str().unwrap());
        arguments.extend(queries.iter().map(String::as_str));
        let answer = querypoint(&arguments).answer();
        let points = answer["points"].as_array().unwrap();
        let ends: Vec<String> = points[1..].iter().map(end).collect();
        (ends, answer["executions"].clone())
    };
    let (ends, executions) = asked(&[
        "plain",
        "called",
        "applied",
        "reflected",
        "written",
        "urgent",
        "size",
        "tracked",
    ]);
    assert_eq!(
        ends,
        [
            "plain: input",
            "called: input",
            "applied: input",
            "reflected: input",
            "written: literal 14",
            "urgent: input",
            "size: input",
            "tracked: input",
        ]
    );
    // One execution finds the writes, one reads there, and the log has the rest.
    assert_eq!(executions, 3);
    // What a form gives back to its fields is no write that the log has.
    assert_eq!(asked(&["reset"]).0, ["reset: unobserved"]);
}

/// Where a point's value was made.
fn end(point: &Value) -> String {
    let end = &point["end"];
    let line = end["location"]["line"].as_u64();
    let line = line.map_or(String::new(), |line| format!(" {line}"));
    let kind = end["kind"].as_str().unwrap_or("no end");
    format!("{}: {kind}{line}", point["name"].as_str().unwrap())
}
