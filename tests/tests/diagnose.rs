//! `querypoint diagnose`: from a few answers of a person to the faulty call, on a real page.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::loopback::{assert_follows_schema, shared_browser};
use end_to_end::querypoint_command;
use serde_json::Value;

const TREE: &str = include_str!("../diagnose/tree.js");

/// A folder with the page, good and wrong: one line of the program is another.
pub(crate) fn pages(program: &str, good: &str, wrong: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(program.matches(good).count(), 1, "{good}");
    for (name, text) in [
        ("good", program.to_owned()),
        ("bad", program.replace(good, wrong)),
    ] {
        let page = format!("<!doctype html><title>t</title><script src={name}.js></script>");
        fs::write(folder.path().join(format!("{name}.html")), page).unwrap();
        fs::write(folder.path().join(format!("{name}.js")), text).unwrap();
    }
    folder
}

/// The pages with a wrong `removeAt`: where there is no left child, the right one is lost.
pub(crate) fn losing() -> tempfile::TempDir {
    pages(
        TREE,
        "if (node.left === null) return node.right;",
        "if (node.left === null) return null;",
    )
}

pub(crate) fn diagnose(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = begin_diagnosis(folder, &[&["bad.html"], arguments].concat());
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

/// Starts the command with these arguments, in a folder.
pub(crate) fn begin_diagnosis(folder: &Path, arguments: &[&str]) -> Child {
    let mut all = vec!["diagnose"];
    all.extend(arguments);
    let mut command = Command::new(querypoint_command().unwrap());
    command.args(&all);
    if let Some((_, address)) = shared_browser(&all) {
        command.args(["--connect", &address]);
    }
    command
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(crate) fn json(output: &Output) -> Value {
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&output.stderr)));
    assert_follows_schema(&answer, "diagnosis");
    answer
}

/// What the good version of `program` says of the calls of `function`, where `other` is in the place of `good`. Of the
/// script as a whole it can say nothing, so that it is asked about the calls in it.
pub(crate) fn said_of_good_version(
    program: &str,
    good: &str,
    other: &str,
    function: &str,
) -> Vec<String> {
    let program = format!("{program}\ndocument.createRange();");
    let folder = pages(&program, good, other);
    let output = diagnose(folder.path(), &["--simulate", "good.html", "--json"], "");
    let diagnosis = json(&output);
    let questions = diagnosis["questions"].as_array().unwrap().iter();
    let own = questions.filter(|it| it["function"] == function);
    own.map(|it| {
        let words = [&it["answer"], &it["why"]].map(|it| it.as_str().unwrap_or_default());
        words.join(": ")
    })
    .collect()
}

/// Each question on a line: function, arguments, result, answer.
pub(crate) fn questions(diagnosis: &Value) -> Vec<String> {
    let text = |value: &Value| value["text"].as_str().unwrap_or("-").to_owned();
    let questions = diagnosis["questions"].as_array().unwrap().iter();
    questions
        .map(|it| {
            let arguments: Vec<String> = it["arguments"]
                .as_array()
                .unwrap()
                .iter()
                .map(text)
                .collect();
            format!(
                "{}({}) → {}: {}",
                it["function"].as_str().unwrap(),
                arguments.join(", "),
                text(&it["returned"]),
                it["answer"].as_str().unwrap()
            )
        })
        .collect()
}

pub(crate) const TRUSTED: [&str; 6] = [
    "--trust",
    "Tree.insert*",
    "--trust",
    "Tree",
    "--trust",
    "No*e",
];

#[test]
fn answers_from_a_file_lead_to_the_call() {
    let folder = losing();
    let answers = "# the page loses keys\ninvalid\nvalid\n\ninvalid\ninvalid\ninvalid\n";
    fs::write(folder.path().join("answers.txt"), answers).unwrap();
    let mut arguments = vec![
        "--answers",
        "answers.txt",
        "--strategy",
        "top-down",
        "--json",
    ];
    arguments.extend(TRUSTED);
    let output = diagnose(folder.path(), &arguments, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let diagnosis = json(&output);
    let found = &diagnosis["found"];
    assert_eq!(found["function"], "Tree.removeAt");
    assert_eq!(found["location"]["line"], 33);
    assert_eq!(found["call"], diagnosis["questions"][4]["call"]);
    assert_eq!(
        [
            &diagnosis["asked"],
            &diagnosis["automatic"],
            &diagnosis["nodes"]
        ],
        [5, 0, 44]
    );
    let node = "Node {key: 2, left: null, right: Node {key: 3, left: null, right: null}}";
    let rest = "right: Node {key: 9, left: Node {key: 7, left: null, right: null}, right: null}}";
    assert_eq!(
        questions(&diagnosis),
        [
            "(top level)() → -: invalid".to_owned(),
            "Tree.remove(8) → undefined: valid".to_owned(),
            "Tree.remove(2) → undefined: invalid".to_owned(),
            format!(
                "Tree.removeAt(Node {{key: 5, left: {node}, {rest}, 2) → Node {{key: 5, left: null, {rest}: invalid"
            ),
            format!("Tree.removeAt({node}, 2) → null: invalid"),
        ]
    );
    let changes = &diagnosis["questions"][2]["changes"];
    assert_eq!(changes[0]["name"], "this.size");
    assert_eq!(
        [&changes[0]["old"]["text"], &changes[0]["new"]["text"]],
        ["5", "4"]
    );
    assert_eq!(changes[1]["name"], "this.root.left");
    assert_eq!(
        [&changes[1]["old"]["text"], &changes[1]["new"]["text"]],
        [node, "null"]
    );
}

#[test]
fn answers_are_asked_for_and_taken_back() {
    let folder = losing();
    let mut arguments = vec!["--strategy", "top-down"];
    arguments.extend(TRUSTED);
    // The first `remove` is said to be wrong, which is taken back; a word is not understood.
    let input = "i\ni\nundo\nperhaps\nvalid\ninvalid\ninvalid\ninvalid\n";
    let output = diagnose(folder.path(), &arguments, input);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(answer.contains("Tree.removeAt  bad.js:33:3"), "{answer}");
    assert!(answer.contains("5 answers, of 44 calls"), "{answer}");
    // What happened in it, line by line.
    let happened = answer.split("What happened in it:\n").nth(1).unwrap();
    for line in ["bad.js:43:", "node.left === null", "true"] {
        assert!(happened.contains(line), "{line}: {answer}");
    }
    let asked = String::from_utf8(output.stderr).unwrap();
    for shown in [
        "Question 2, 16 calls are suspicious\nTree.remove  bad.js:29:3  called by (top level) at bad.js:63:1",
        "  argument  key = 8\n",
        "  changed   this.root.right.key  8 → 9\n",
        "  returned  null\n",
        "an answer is one of valid, invalid, trusted, unknown, inadmissible",
    ] {
        assert!(asked.contains(shown), "{shown}: {asked}");
    }
    assert_eq!(asked.matches("Question 2,").count(), 2, "{asked}");
}

/// Of a chain of recursive calls the first is asked about, and the function is found; the option is kept with a
/// session.
#[test]
fn a_chain_of_recursive_calls_is_one_question() {
    let folder = losing();
    let options = ["--compress", "--strategy", "top-down", "--session", "kept"];
    let arguments = [&options[..], &TRUSTED[..], &["--json"]].concat();
    diagnose(folder.path(), &arguments, "invalid\nvalid\nquit\n");
    let mut child = begin_diagnosis(folder.path(), &["--session", "kept", "--json"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"invalid\ninvalid\n").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["found"]["function"], "Tree.removeAt");
    assert_eq!(diagnosis["asked"], 4, "{diagnosis}");
    assert_eq!(
        diagnosis["notes"].as_array().unwrap().last().unwrap(),
        "the defect is in Tree.removeAt; its recursive call was not asked about, and may be the call where it shows"
    );
}

/// A file takes back what it said, as a person does.
#[test]
fn answers_from_a_file_are_taken_back() {
    let folder = losing();
    let diagnosed = |answers: &str| {
        fs::write(folder.path().join("answers.txt"), answers).unwrap();
        let options = ["--answers", "answers.txt", "--strategy", "top-down"];
        let arguments = [&options[..], &TRUSTED[..], &["--json"]].concat();
        json(&diagnose(folder.path(), &arguments, ""))
    };
    // The first `remove` is said to be wrong, which is taken back.
    let straight = diagnosed("invalid\nvalid\ninvalid\ninvalid\ninvalid\n");
    let with_undo = diagnosed("invalid\ninvalid\nundo\nvalid\ninvalid\ninvalid\ninvalid\n");
    assert_eq!(questions(&with_undo), questions(&straight));
    assert_eq!(with_undo["asked"], 5, "{with_undo}");
    assert_eq!(with_undo["found"]["function"], "Tree.removeAt");
    // By the number of its call, too: then it is asked about again.
    let call = &straight["questions"][1]["call"];
    let answers = format!("invalid\nvalid\nundo #{call}\nundo #{call}\n");
    let diagnosis = diagnosed(&answers);
    assert_eq!(diagnosis["asked"], 1, "{diagnosis}");
    assert_eq!(diagnosis["questions"][0]["function"], "(top level)");
}

#[test]
fn where_nobody_answers_no_call_is_found() {
    let folder = losing();
    let output = diagnose(folder.path(), &["--json", "--trust", "*"], "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(json(&output)["questions"], Value::Array(Vec::new()));
    let output = diagnose(folder.path(), &["--json", "--from", "bad.js:64"], "v\nu\n");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["asked"], 2);
    assert_eq!(diagnosis["notes"][0], "there were no more answers");
    assert!(
        diagnosis["nodes"].as_u64().is_some_and(|nodes| nodes < 30),
        "{diagnosis}"
    );
    // What cannot be is said before a browser starts, or when the log has no such point.
    fs::write(folder.path().join("answers.txt"), "yes\n").unwrap();
    let output = diagnose(folder.path(), &["--answers", "answers.txt"], "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let output = diagnose(folder.path(), &["--to", "bad.js:4000"], "");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn the_same_is_asked_once() {
    let program = "let rate = 2;
const half = (n) => Math.floor(n / 2);
const cost = (item) => item.price * rate;
const roll = () => Math.random() * 0;
half(4); half(4); half(6);
cost({ price: 1 }); cost({ price: 1 });
rate = 3;
cost({ price: 1 });
roll(); roll();
";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.js"), program).unwrap();
    let page = "<!doctype html><title>t</title><script src=bad.js></script>";
    fs::write(folder.path().join("bad.html"), page).unwrap();
    let answers = "invalid\nvalid\nvalid\nvalid\nvalid\nvalid\nvalid\n";
    let output = diagnose(
        folder.path(),
        &["--strategy", "top-down", "--json"],
        answers,
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["found"]["function"], "(top level)");
    let said: Vec<String> = diagnosis["questions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            format!(
                "{} {}",
                it["function"].as_str().unwrap(),
                it["by"].as_str().unwrap()
            )
        })
        .collect();
    // Another variable, or chance, may have made the result.
    assert_eq!(
        said,
        [
            "(top level) person",
            "half person",
            "half same",
            "half person",
            "cost person",
            "cost same",
            "cost person",
            "roll person",
            "roll person",
        ]
    );
}

/// What a run that is right ran as well is less suspicious: of two functions the other one is asked about first.
#[test]
fn what_a_run_that_was_right_ran_is_asked_about_later() {
    let folder = tempfile::tempdir().unwrap();
    let program = "function usual(n) { return n + 1; }
function rare(n) { return n * 2; }
function run(mode) {
  const one = usual(1);
  const two = mode === 'bad' ? rare(2) : 4;
  document.title = one + ' ' + two;
}
run(mode);";
    fs::write(folder.path().join("program.js"), program).unwrap();
    for name in ["good", "bad"] {
        let page = format!(
            "<!doctype html><script>const mode = '{name}';</script><script src=program.js></script>"
        );
        fs::write(folder.path().join(format!("{name}.html")), page).unwrap();
    }
    let logged = Command::new(querypoint_command().unwrap())
        .args(["log", "good.html", "--out", "good.qplog"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(logged.status.code(), Some(0), "{logged:?}");
    let asked = |arguments: &[&str]| {
        let arguments = [arguments, &["--json"]].concat();
        questions(&json(&diagnose(
            folder.path(),
            &arguments,
            "invalid\nvalid\n",
        )))
    };
    let run = "run(\"bad\") → undefined: invalid";
    assert_eq!(asked(&[]), [run, "usual(1) → 2: valid"]);
    assert_eq!(
        asked(&["--passing", "good.qplog"]),
        [run, "rare(2) → 4: valid"]
    );
}
