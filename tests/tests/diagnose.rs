//! `querypoint diagnose`: from a few answers to the faulty call, on a real page.

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

const SHOP: &str = include_str!("../diagnose/shop.js");

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

/// Pages that throw at once, by themselves or by a built-in, and that call themselves until the stack ends.
#[test]
fn exceptions_and_deep_recursions_are_shown() {
    let asked = |script: &str, arguments: &[&str], answers: &str| {
        let folder = tempfile::tempdir().unwrap();
        let page = format!("<!doctype html><title>t</title><script>{script}</script>");
        fs::write(folder.path().join("bad.html"), page).unwrap();
        fs::write(folder.path().join("none.txt"), "").unwrap();
        let output = diagnose(folder.path(), arguments, answers);
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stderr),
            String::from_utf8_lossy(&output.stdout)
        );
        (output.status.code(), said)
    };
    let (status, said) = asked("throw new Error('at once')", &[], "invalid\n");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("  threw     Error: at once\n"), "{said}");

    let script = "function read(cart) { return cart.total }\nread(null);";
    let (status, said) = asked(script, &[], "invalid\ninvalid\n");
    assert_eq!(status, Some(0), "{said}");
    let of_read = said.split("read  bad.html:1").nth(1).unwrap_or_default();
    let threw = "  threw     TypeError: Cannot read properties of null (reading 'total')\n";
    assert!(of_read.contains(threw), "{said}");

    // What a page writes is shown in its place; a class of its own has what it adds.
    let own = "class Refused extends RangeError { constructor(code) { super('too much'); this.code = code } }\n\
        function buy() { throw new Refused(7) }\n\
        function again() { const error = new Error('a'); error.message = 'b'; throw error }\n\
        for (const run of [buy, again]) try { run() } catch (error) { }";
    let (_, said) = asked(own, &[], "invalid\nvalid\nvalid\n");
    assert!(
        said.contains("  threw     Refused: too much {code: 7}\n"),
        "{said}"
    );
    assert!(
        said.contains("  threw     Error {message: \"b\"}\n"),
        "{said}"
    );

    // What only looks like a date is an object like another, and nothing is lost of what is thrown.
    let alike = "function Alike() { } Alike.prototype = Date.prototype;\n\
        function fails() { const like = new Alike(); throw like }\n\
        try { fails() } catch (error) { }";
    let (_, said) = asked(alike, &[], "invalid\n");
    let of_fails = said.split("fails  bad.html:2").nth(1).unwrap_or_default();
    assert!(of_fails.contains("  threw     Date {}\n"), "{said}");

    // The time of a date is a field that its methods write.
    let late = "const day = new Date(Date.UTC(2026, 0, 31));\n\
        function shift(date, months) { date.setUTCMonth(date.getUTCMonth() + months); return date }\n\
        shift(day, 1);";
    let (_, said) = asked(late, &[], "invalid\n");
    let of_shift = said.split("shift  bad.html:2").nth(1).unwrap_or_default();
    for shown in [
        "date = Date 2026-01-31T00:00:00.000Z",
        "changed   date  \"2026-01-31T00:00:00.000Z\" → \"2026-03-03T00:00:00.000Z\"",
        "returned  Date 2026-03-03T00:00:00.000Z",
    ] {
        assert!(of_shift.contains(shown), "{shown}: {said}");
    }

    // No answers at all, in a file, are an answer too.
    let (status, said) = asked(script, &["--answers", "none.txt"], "");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("there were no more answers"), "{said}");

    let deep = "function down(n) { if (n === 0) throw new Error('bottom'); return down(n - 1) + 1 }\n\
        function tries() { try { return down(10000) } catch (error) { return error.name } }\ntries();";
    let (status, said) = asked(deep, &[], &"invalid\n".repeat(100));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("The faulty call"), "{said}");
}

#[test]
fn a_good_version_answers_by_itself_or_as_a_person() {
    let folder = losing();
    let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let by_itself = json(&output);
    let output = diagnose(folder.path(), &["--simulate", "good.html", "--json"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let as_person = json(&output);
    for diagnosis in [&by_itself, &as_person] {
        assert_eq!(diagnosis["found"]["function"], "Tree.removeAt");
        // The call with node 2, of whom the right child is lost.
        let last = diagnosis["questions"].as_array().unwrap().last().unwrap();
        assert_eq!(last["call"], diagnosis["found"]["call"]);
        assert!(
            last["arguments"][0]["text"]
                .as_str()
                .unwrap()
                .starts_with("Node {key: 2,")
        );
        assert!(
            last["why"]
                .as_str()
                .unwrap()
                .starts_with("the good version returned Node")
        );
    }
    let count = by_itself["questions"].as_array().unwrap().len();
    assert!(count < 15, "{by_itself}");
    assert_eq!([&by_itself["asked"], &by_itself["automatic"]], [0, count]);
    assert_eq!([&as_person["asked"], &as_person["automatic"]], [count, 0]);
    assert_eq!(by_itself["questions"][0]["by"], "oracle");
    assert_eq!(as_person["questions"][0]["by"], "person");
}

/// A line that is wrong, with the function that is found and why its last call is said to be wrong.
const FOUND: [(&str, &str, &str, &str); 6] = [
    (
        "return x + 1",
        "return x + 2",
        "later",
        "the good version returned 2",
    ),
    (
        "list.slice(1)",
        "list.slice(2)",
        "tail",
        "the good version returned another Array",
    ),
    (
        "x * factor",
        "x + factor",
        "scale",
        "the good version returned 2",
    ),
    (
        "value > 5",
        "value > 4",
        "check",
        "the good version throws nothing",
    ),
    (
        "#count += by",
        "#count = by",
        "Counter.step",
        "the good version returned another Object",
    ),
    (
        "seen.set(name, ",
        "seen.set(name + name, ",
        "remember",
        "the good version leaves 9 in the entry a",
    ),
];

/// A page that never ends is run until it is clear that it does not, not once more for each of its calls.
#[test]
fn a_good_version_of_a_page_that_never_ends_says_nothing() {
    let program = "function step(n) { return n + 1 }\nfunction spin() { step(1); while (true) step(2) }\nspin()";
    let folder = pages(program, "n + 1", "n + 2");
    let timed = ["--timeout", "2", "--json"];
    let output = diagnose(
        folder.path(),
        &[&["--simulate", "good.html"], &timed[..]].concat(),
        "",
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
    let notes = diagnosis["notes"].to_string();
    assert!(
        notes.contains("the good version can say nothing"),
        "{notes}"
    );
    // A person can answer all the same.
    let oracle = [&["--oracle", "good.html"], &timed[..]].concat();
    let output = diagnose(folder.path(), &oracle, "invalid\n");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["questions"][0]["by"], "person", "{diagnosis}");
}

#[test]
fn results_exceptions_fields_and_entries_are_compared() {
    for (good, wrong, function, why) in FOUND {
        let folder = pages(SHOP, good, wrong);
        let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let diagnosis = json(&output);
        assert_eq!(diagnosis["found"]["function"], function);
        assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
        let whys: Vec<&str> = diagnosis["questions"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["call"] == diagnosis["found"]["call"])
            .map(|it| it["why"].as_str().unwrap())
            .collect();
        assert_eq!(whys, [why], "{diagnosis}");
    }
}

#[test]
fn what_cannot_be_compared_is_left_to_a_person() {
    for (good, wrong, function) in [
        // A change that the log does not have, and what is no function.
        ("add('done')", "add('gone')", "paint"),
        ("\nfactor = 2", "\nfactor = 4", "(top level)"),
    ] {
        let folder = pages(SHOP, good, wrong);
        let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
        assert_eq!(output.status.code(), Some(1), "{good}: {output:?}");
        let diagnosis = json(&output);
        let questions = diagnosis["questions"].as_array().unwrap();
        assert!(!questions.is_empty(), "{good}: {diagnosis}");
        for question in questions {
            assert_eq!(question["answer"], "valid", "{good}: {diagnosis}");
            assert_ne!(question["function"], function, "{diagnosis}");
        }
    }
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

/// What a call did to the document, to storage and to the network is shown, with that of the calls below it.
#[test]
fn what_a_call_did_to_the_page_is_shown() {
    let program = "function row(text) {\n\
        const item = document.createElement('li'); item.textContent = text; return item }\n\
        function show(list, text) { list.append(row(text)); list.classList.add('full'); list.style.color = 'red' }\n\
        function keep(text) { localStorage.setItem('last', text); sessionStorage.clear() }\n\
        function send(text) { fetch('/nothing?' + text).catch(() => 0);\n\
        const q = new XMLHttpRequest(); q.open('GET', '/n'); q.send() }\n\
        function add(text) { show(document.documentElement, text); keep(text); send(text);\n\
        const own = new FormData(); own.append('a', 1) }\n\
        add('one'); const set = new Set([1]); set.add(2);";
    let folder = pages(program, "'red'", "'blue'");
    let output = diagnose(
        folder.path(),
        &["--strategy", "top-down"],
        &"unknown\n".repeat(9),
    );
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let of = |function: &str| {
        let from = said.split(&format!("\n{function}  bad.js")).nth(1).unwrap();
        from.split("\nQuestion").next().unwrap().to_owned()
    };
    let add = of("add");
    for line in [
        "document  list.append(HTMLLIElement #",
        "document  list.classList.add(\"full\")",
        "storage   localStorage.setItem(\"last\", \"one\")",
        "storage   sessionStorage.clear()",
        "network   fetch(\"/nothing?one\")",
        "network   q.open(\"GET\", \"/n\")",
        "network   q.send()",
    ] {
        assert!(add.contains(line), "{line}\n{said}");
    }
    // What is appended to something else, and what a set has, is not the page's.
    assert!(!add.contains("own.append"), "{said}");
    assert!(!of("(top level)").contains("set.add"), "{said}");
    assert!(of("row").contains(".textContent = \"one\""), "{said}");
    assert!(!of("keep").contains("document"), "{said}");
}

/// What patterns, rest parameters and typed arrays hold is shown, and what a reaction was passed.
#[test]
fn rest_parameters_patterns_and_typed_arrays_are_shown() {
    let program = "function sum(first, ...rest) { return first + rest.length }\n\
        function pick({ a, ...others }, [x, ...ys]) { return others.b + ys.length }\n\
        function bytes(n) { const b = new Uint8Array(2); b[0] = n; return b }\n\
        function took(data) { return data.list.length }\n\
        function main() { return sum(1, 2, 3) + pick({ a: 1, b: 2 }, [1, 2, 3]) + bytes(7)[0] }\nmain();\n\
        Promise.resolve('{\"list\":[4]}').then(JSON.parse).then(took);";
    let folder = pages(program, "b[0] = n", "b[1] = n");
    let output = diagnose(
        folder.path(),
        &["--strategy", "top-down"],
        &"unknown\n".repeat(9),
    );
    let said = String::from_utf8_lossy(&output.stderr);
    for line in [
        "argument  ...rest = [2, 3]",
        "local     rest = [2, 3]",
        "local     others = {b: 2}",
        "local     ys = [2, 3]",
        "returned  Uint8Array {0: 0, 1: 7}",
        "argument  data = {list: [4]}",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert!(!said.contains("argument 3"), "{said}");
}
