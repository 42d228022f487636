//! What the log has of the page: changes of its document, requests and responses, actions of its user.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{querypoint, recorded};

const PAGE: &str = r#"<!doctype html>
<ul id="list"></ul><input id="name"><input id="pin" type="password"><button id="add">Add</button><button id="watch">Watch</button><p></p><i></i>
<script src="app.js"></script>
<script src="outside.js"></script>
"#;

const APP: &str = r#"const list = document.getElementById('list');
const text = document.querySelector('p');
function add() {
  const item = document.createElement('li');
  item.textContent = document.getElementById('name').value;
  list.append(item);
  text.textContent = `${list.children.length} items`;
  text.classList.add('full');
  text.dataset.count = '1';
  text.style.color = 'red';
  show(text);
}
document.getElementById('add').addEventListener('click', add);
async function load() {
  const response = await fetch('data.json', { body: null });
  const data = await response.json();
  text.title = data.name;
  const request = new XMLHttpRequest();
  request.open('get', 'data.json');
  request.onload = () => { text.id = `r${request.status}`; };
  request.send();
}
load();
const order = [];
document.getElementById('watch').addEventListener('click', () => {
  new MutationObserver(() => order.push('observer')).observe(text, { attributes: true });
  setTimeout(() => {
    document.querySelector('i').id = 'other';
    Promise.resolve().then(() => order.push('reaction'));
    text.lang = 'en';
    setTimeout(() => console.log(order.join(' ')), 0);
  }, 0);
});
"#;

const OUTSIDE: &str = "function show(node) { node.hidden = false; node.removeAttribute('class'); }";

/// The rows of a statement over a log.
fn rows(folder: &Path, sql: &str) -> Vec<String> {
    let output = querypoint(&["query", "run.qplog", "--json", "--sql", sql], folder);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = answer["rows"].as_array().unwrap();
    let text = |cell: &serde_json::Value| match cell {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let line = |row: &serde_json::Value| -> String {
        let cells: Vec<String> = row.as_array().unwrap().iter().map(text).collect();
        cells.join(" | ")
    };
    rows.iter().map(line).collect()
}

#[test]
fn what_happens_to_the_page_is_in_its_log() {
    let change =
        |id: &str, value: &str| json!({ "type": "change", "selectors": [[id]], "value": value });
    let click =
        |id: &str| json!({ "type": "click", "selectors": [[id]], "offsetX": 3, "offsetY": 3 });
    let steps = json!([
        { "type": "waitForExpression", "expression": "text.id === 'r200'" },
        change("#name", "a"),
        change("#pin", "7"),
        click("#add"),
        click("#watch"),
        { "type": "waitForExpression", "expression": "order.length === 2" },
    ]);
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("recording.json");
    let text = json!({ "title": "page", "steps": steps }).to_string();
    fs::write(&recording, text).unwrap();
    let recording = recording.to_str().unwrap();
    let (folder, output) = recorded(
        PAGE,
        &[
            ("app.js", APP),
            ("outside.js", OUTSIDE),
            ("data.json", r#"{"name":"n"}"#),
        ],
        &["--recording", recording, "--scripts", "app.js"],
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let folder = folder.path();
    insta::assert_snapshot!(
        "page",
        rows(
            folder,
            "SELECT kind, line, owner_class, iif(kind IN ('request', 'response'), replace(name, substr(name, instr(name, 'http:'), 22), 'http:…'), name), \
             iif(object IS NULL, value, class) FROM events WHERE kind IN ('dom', 'request', 'response', 'action')",
        )
        .join("\n")
    );
    // With our observer the page's own would be told earlier, by the first of the two changes.
    let order = rows(
        folder,
        "SELECT a.value FROM arguments a JOIN events e ON e.seq = a.call WHERE e.name = 'console.log'",
    );
    assert_eq!(order, ["reaction observer"]);
}
