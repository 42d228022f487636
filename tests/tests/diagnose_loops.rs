//! `querypoint diagnose --expand-loops`: iterations of a loop are judged one by one.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;
use std::io::Write as _;

use serde_json::Value;

use crate::diagnose::{begin_diagnosis, json};

/// The price of 7 is taken away instead of added. Before that are loops of other kinds.
const SHOP: &str = "function total(prices) {
  let sum = 0;
  for (const price of prices) {
    sum += price === 7 ? -price : price;
  }
  return sum;
}
const skipped = (list, from) => { while (list[from] < 0) from++; return from; };
const wait = async (count) => {
  let waited = 0;
  for (let i = 0; i < count; i++) { await null; waited += i; }
  return waited;
};
let tries = 0;
do { tries++; } while (tries < 2);
skipped([-1, -2, 3], 0);
wait(2);
total([1, 2, 3, 7, 4]);
";

fn text(value: &Value) -> &str {
    value["text"].as_str().unwrap_or("-")
}

#[test]
fn the_iteration_in_which_a_loop_goes_wrong_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let page = "<!doctype html><title>t</title><script src=shop.js></script>";
    fs::write(folder.path().join("bad.html"), page).unwrap();
    fs::write(folder.path().join("shop.js"), SHOP).unwrap();
    let run = |arguments: &[&str], answers: &str| {
        let mut child = begin_diagnosis(folder.path(), arguments);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(answers.as_bytes()).unwrap();
        drop(stdin);
        child.wait_with_output().unwrap()
    };
    let options = ["--strategy", "top-down", "--session", "kept"];
    let begins = [&["bad.html", "--expand-loops"], &options[..]].concat();
    // The top level is wrong; its own loop, `skipped` and `wait` are right.
    let output = run(
        &begins,
        "invalid\nvalid\nvalid\nvalid\ninvalid\ninvalid\nquit\n",
    );
    let asked = String::from_utf8(output.stderr).unwrap();
    for shown in [
        "(top level), do while (tries < 2) from iteration 1 on  shop.js:15:",
        "skipped  shop.js:8:",
        "wait  shop.js:9:",
        "total  shop.js:1:",
        "total, for (const price of prices) from iteration 1 on  shop.js:3:",
        "  variable  prices = [1, 2, 3, 7, 4]\n",
        "  variable  sum = 0 → 3\n",
        "  variable  price = 1\n",
        "total, for (const price of prices) from iteration 2 on  shop.js:3:",
        "  variable  sum = 1 → 3\n",
    ] {
        assert!(asked.contains(shown), "{shown}: {asked}");
    }
    // The session goes on, with the option; the fourth iteration is wrong, the fifth is right.
    let output = run(
        &["--session", "kept", "--json"],
        "invalid\ninvalid\ninvalid\nvalid\n",
    );
    let diagnosis = json(&output);
    assert_eq!(output.status.code(), Some(0), "{diagnosis}");
    let found = &diagnosis["found"];
    assert_eq!(found["function"], "total");
    assert_eq!(found["iteration"]["text"], "for (const price of prices)");
    assert_eq!(found["iteration"]["number"], 4);
    assert_eq!(found["iteration"]["location"]["line"], 3);
    let questions = diagnosis["questions"].as_array().unwrap();
    let given: Vec<_> = questions[questions.len() - 2]["arguments"]
        .as_array()
        .unwrap()
        .iter()
        .map(text)
        .collect();
    assert_eq!(given, ["[1, 2, 3, 7, 4]", "6", "7"]);
    let events = diagnosis["events"].as_array().unwrap();
    let lines = events.iter().map(|it| it["location"]["line"].as_u64());
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [Some(3), Some(4), Some(4)],
        "{events:?}"
    );
    // The state after each event is beside that at the beginning of the iteration.
    let states = diagnosis["states"].as_array().unwrap();
    let after = |index: usize| &states[index]["changes"];
    assert_eq!(states.len(), 3);
    assert_eq!((after(0), after(1)), (&serde_json::json!([]), after(0)));
    let sum = &after(2)[0];
    assert_eq!(
        [&sum["name"], &sum["old"]["text"], &sum["new"]["text"]],
        ["sum", "6", "-1"]
    );
    // What is said of an iteration can be taken back by the number that is shown: now the fifth is wrong.
    let last = &questions[questions.len() - 1]["call"];
    let undone = format!("undo #{last}\ninvalid\n");
    fs::write(folder.path().join("undo.txt"), undone).unwrap();
    let output = run(
        &["--session", "kept", "--json", "--answers", "undo.txt"],
        "",
    );
    assert_eq!(json(&output)["found"]["iteration"]["number"], 5);
}
