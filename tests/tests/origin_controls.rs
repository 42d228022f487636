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

const FORM: &str = "<!doctype html><title>Form</title><form id=form><input name=q><input name=other disabled>
<textarea name=note></textarea><select name=size><option>small<option>large</select>
<input name=kept><input name=choice type=radio value=one checked><button type=button id=send>Send</button></form>
<script>
const out = {}, form = document.getElementById('form');
document.getElementById('send').onclick = () => {
  const data = new FormData(form);
  out.field = data.get('q');
  out.size = data.get('size');
  out.address = new URLSearchParams(new FormData(form)).get('q');
  out.object = Object.fromEntries(data).note;
  data.append('more', 'of the page'); out.more = data.get('more');
  form.elements.kept.value = 'written to it';
  out.kept = new FormData(form).get('kept');
  out.choice = data.get('choice');
};
</script>";

#[test]
fn what_a_form_was_filled_in_with_is_followed_to_its_controls() {
    let folder = Folder::new();
    let site = Site::new(&[("/", html(FORM))]);
    let change = |selector: &str, value: &str| json!({ "type": "change", "selectors": [[selector]], "value": value });
    let steps = [
        change("input[name=q]", "typed"),
        change("textarea", "typed into it"),
        change("select", "large"),
        json!({ "type": "click", "selectors": [["#send"]], "offsetX": 3, "offsetY": 3 }),
    ];
    let recording = json!({ "title": "form", "steps": steps }).to_string();
    let recording = folder.file("recording.json", &recording);
    let names = [
        "field", "size", "address", "object", "more", "kept", "choice",
    ];
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
    assert_eq!(
        ends,
        [
            "field: input",
            // A replay chooses by a script, and the page does not listen.
            "size: unobserved",
            "address: input",
            "object: input",
            "more: literal 12",
            "kept: literal 13",
            // Who chose it nothing says: the document had it so.
            "choice: unobserved",
        ],
        "{answer:#}"
    );
}

/// Where a point's value was made.
fn end(point: &Value) -> String {
    let end = &point["end"];
    let line = end["location"]["line"].as_u64();
    let line = line.map_or(String::new(), |line| format!(" {line}"));
    let kind = end["kind"].as_str().unwrap_or("no end");
    format!("{}: {kind}{line}", point["name"].as_str().unwrap())
}
