//! Reading ahead: where few events can be the ones that are asked for, one execution finds and reads them; where there
//! are many, or what is read then would not be all, the page runs once more. Either way nothing that the user does is
//! lost while the page is paused.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use serde_json::{Value, json};

/// Asks of a page with this script, which begins on line 1 of `page.js`, after these steps.
fn asked(markup: &str, code: &str, steps: &[Value], arguments: &[&str]) -> Value {
    let page = page(&format!("{markup}<script src=/page.js></script>"));
    let site = Site::new(&[("/", page), ("/page.js", script(code))]);
    let folder = Folder::new();
    let url = site.url("/");
    let path = recording(&folder, &url, steps);
    let mut all = vec!["ask", "--json", "--timeout", "60", &url];
    if !steps.is_empty() {
        all.extend(["--recording", path.to_str().unwrap()]);
    }
    all.extend(arguments);
    querypoint(&all).answer()
}

/// The line of a point that was found, with the value before and after.
fn change(point: &Value) -> (u64, &str, &str) {
    assert_eq!(point["status"], "found", "{point:#}");
    let text = |name: &str| point[name]["text"].as_str().unwrap();
    let line = point["location"]["line"].as_u64().unwrap();
    (line, text("old"), text("new"))
}

fn variable<'p>(point: &'p Value, name: &str) -> &'p Value {
    let scopes = point["scopes"].as_array().unwrap().iter();
    let mut variables = scopes.flat_map(|scope| scope["variables"].as_array().unwrap());
    let variable = variables.find(|variable| variable["name"] == name);
    variable.unwrap_or_else(|| panic!("{name} is missing: {point:#}"))
}

const INPUTS: &str = "const seen = { keys: '', presses: '' };
for (const type of ['keydown', 'keypress', 'beforeinput', 'input', 'keyup'])
  field.addEventListener(type, () => { seen.keys += ' ' + type; });
for (const type of ['mousedown', 'pointerdown', 'mouseup', 'pointerup', 'click'])
  go.addEventListener(type, () => { seen.presses += ' ' + type; });
";
const FIELD: &str = "<input id=field><button id=go>go</button>";

fn typed() -> [Value; 4] {
    [
        json!({ "type": "click", "selectors": [["#field"]], "offsetX": 5, "offsetY": 5 }),
        json!({ "type": "keyDown", "key": "a" }),
        json!({ "type": "keyUp", "key": "a" }),
        json!({ "type": "click", "selectors": [["#go"]], "offsetX": 5, "offsetY": 5 }),
    ]
}

/// The page is paused in each of these handlers, and all that the user does comes all the same.
#[test]
fn what_the_user_does_comes_while_the_page_is_read() {
    let keys = r#"" keydown keypress beforeinput input keyup""#;
    let presses = r#"" pointerdown mousedown pointerup mouseup click""#;
    for twice in [&[][..], &["--twice"]] {
        let mut arguments = vec!["--at", "end", "K = lastChange(R:seen.keys)"];
        arguments.push("P = lastChange(R:seen.presses)");
        arguments.extend(twice);
        let answer = asked(FIELD, INPUTS, &typed(), &arguments);
        let points = &answer["points"];
        assert_eq!(
            change(&points[1]),
            (3, r#"" keydown keypress beforeinput input""#, keys)
        );
        let before = r#"" pointerdown mousedown pointerup mouseup""#;
        assert_eq!(change(&points[2]), (5, before, presses));
        assert_eq!(points[1]["cause"]["type"], "keyup");
        let executions = if twice.is_empty() { 1 } else { 2 };
        assert_eq!(answer["executions"], executions, "{answer:#}");
        assert_eq!(answer["consistency"]["agrees"], true, "{answer:#}");
    }
}

/// A long text is typed key by key while timers, in which the page is paused as well, run between.
#[test]
fn nothing_is_lost_between_timers_that_are_read() {
    let code = "const seen = { keys: 0, ticks: 0 };
field.addEventListener('keyup', () => { seen.keys++; });
let left = 40;
(function tick() { seen.ticks++; if (--left > 0) setTimeout(tick, 3); })();
";
    let text = "the quick brown fox jumps over the lazy dog";
    let steps = [json!({ "type": "change", "selectors": [["#field"]], "value": text })];
    let queries = [
        "--at",
        "end",
        "K = lastChange(R:seen.keys)",
        "T = lastChange(R:seen.ticks)",
    ];
    let answer = asked(FIELD, code, &steps, &queries);
    assert_eq!(change(&answer["points"][1]), (2, "42", "43"), "{answer:#}");
    assert_eq!(change(&answer["points"][2]), (4, "39", "40"), "{answer:#}");
}

#[test]
fn one_execution_reads_a_chain_and_the_last_hit_with_all_that_is_there() {
    let code = "const cart = { total: 0 }, item = { price: 0 };
function add(by) {
  const before = cart.total;
  cart.total += item.price * by;
  const after = cart.total;
  show(after);
}
function show(sum) {
  go.textContent = sum;
}
item.price = 2;
add(1);
add(3);
";
    let queries = [
        "--at",
        "page.js:9",
        "--watch",
        "cart.total * 2",
        "B = lastChange(R:cart.total)",
        "C = lastChange(B:item.price)",
    ];
    let answer = asked(FIELD, code, &[], &queries);
    assert_eq!(answer["executions"], 1, "{answer:#}");
    let points = &answer["points"];
    assert_eq!(
        (&points[0]["hit"], &points[0]["hits"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(points[0]["watches"][0]["text"], "16");
    assert_eq!(change(&points[1]), (4, "2", "8"));
    assert_eq!(points[1]["stack"][1]["line"], 13);
    assert_eq!(variable(&points[1], "before")["text"], "2");
    // Its declaration is behind the event.
    assert_eq!(variable(&points[1], "after")["type"], "uninitialised");
    assert_eq!(change(&points[2]), (11, "0", "2"));
}

/// What can be asked for is too much to be read: the page runs once more, and only once.
#[test]
fn many_changes_are_found_first_and_read_in_one_more_execution() {
    let code = "const box = { value: 0 };
for (let count = 1; count <= 100000; count++) {
  box.value = count;
}
";
    let answer = asked(
        FIELD,
        code,
        &[],
        &["--at", "end", "B = lastChange(R:box.value)"],
    );
    assert_eq!(change(&answer["points"][1]), (3, "99999", "100000"));
    assert_eq!(answer["points"][1]["changes"], 100_001, "{answer:#}");
    assert_eq!(answer["executions"], 2, "{answer:#}");
}

/// Optimised code has dropped a variable by the time that the event happens.
#[test]
fn what_optimised_code_has_dropped_is_read_in_one_more_execution() {
    let code = "const box = { value: 0 };
function work(by) {
  let dropped = by * 2 + 1;
  let sum = 0;
  for (let turn = 0; turn < 1000; turn++) sum = (sum + dropped) % 1000;
  if (by > 298) box.value = sum + by;
  return sum;
}
for (let by = 0; by <= 300; by++) work(by);
";
    let answer = asked(
        FIELD,
        code,
        &[],
        &["--at", "end", "B = lastChange(R:box.value)"],
    );
    let point = &answer["points"][1];
    assert_eq!(change(point).0, 6, "{answer:#}");
    assert_eq!(variable(point, "dropped")["text"], "601", "{answer:#}");
    assert_eq!(variable(point, "by")["text"], "300", "{answer:#}");
}
