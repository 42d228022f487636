//! `querypoint diagnose --session`: a diagnosis that is kept, and gone on with after the page's code changed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output};

use crate::diagnose::{TRUSTED, begin_diagnosis, diagnose, json, losing, questions};
use serde_json::Value;

const SESSION: [&str; 4] = ["--session", "kept", "--strategy", "top-down"];

/// Goes on without a page.
fn go_on(folder: &Path, input: &str) -> Output {
    let mut child = begin_diagnosis(folder, &["--session", "kept", "--json"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn with_page(folder: &Path, input: &str) -> Output {
    diagnose(folder, &["--session", "kept", "--json"], input)
}

fn begin(folder: &Path, input: &str) -> Output {
    let arguments = [&SESSION[..], &TRUSTED[..], &["--json"]].concat();
    diagnose(folder, &arguments, input)
}

fn by(diagnosis: &Value) -> Vec<&str> {
    let questions = diagnosis["questions"].as_array().unwrap().iter();
    questions.map(|it| it["by"].as_str().unwrap()).collect()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("kept")).unwrap();
    let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_diagnosis_is_gone_on_with() {
    let folder = losing();
    let folder = folder.path();
    let output = begin(folder, "invalid\nvalid\nquit\n");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(json(&output)["asked"], 2);
    // Without the page nothing runs: its files need not even be there.
    fs::rename(folder.join("bad.js"), folder.join("away.js")).unwrap();
    let output = go_on(folder, "invalid\nundo\ninvalid\nquit\n");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["asked"], 3, "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("Question 3, 11 calls are suspicious"),
        "{said}"
    );
    assert!(!said.contains("browser"), "{said}");
    fs::rename(folder.join("away.js"), folder.join("bad.js")).unwrap();
    // With it, and with the same code, it goes on with what was recorded then.
    let output = with_page(folder, "invalid\ninvalid\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["found"]["function"], "Tree.removeAt");
    assert_eq!(by(&diagnosis), ["person"; 5]);
    assert!(
        diagnosis["notes"]
            .to_string()
            .contains("the code is as it was before"),
        "{diagnosis}"
    );
    // What is found stays found.
    let again = json(&go_on(folder, ""));
    assert_eq!(
        [&again["found"], &again["asked"]],
        [&diagnosis["found"], &diagnosis["asked"]]
    );
    assert_eq!(files(folder).len(), 4, "{:?}", files(folder));
}

/// A recording that is gone, or that has changed, is said; what was recorded is gone on with all the same.
#[test]
fn a_recording_that_is_gone_or_another_is_said() {
    let folder = losing();
    let folder = folder.path();
    let recording = |title: &str| {
        let text = format!("{{\"title\": \"{title}\", \"steps\": []}}");
        fs::write(folder.join("buy.json"), text).unwrap();
    };
    recording("one");
    let arguments = [
        &["--recording", "buy.json", "--json"],
        &SESSION[..],
        &TRUSTED[..],
    ]
    .concat();
    let output = diagnose(folder, &arguments, "invalid\nvalid\nquit\n");
    assert_eq!(json(&output)["asked"], 2, "{output:?}");
    // Another one replays something else: the former execution is not gone on with, its answers are carried on.
    recording("two");
    let diagnosis = json(&with_page(folder, "quit\n"));
    let note = "the recording is another than before: 1 of the answers hold";
    assert!(diagnosis["notes"].to_string().contains(note), "{diagnosis}");
    assert_eq!(by(&diagnosis), ["same"], "{diagnosis}");
    recording("one");
    let diagnosis = json(&with_page(folder, "quit\n"));
    assert_eq!(by(&diagnosis), ["person"; 2], "{diagnosis}");
    // A good version would replay it, too.
    recording("three");
    let with_good = |arguments: &[&str]| {
        let child = begin_diagnosis(folder, &[&["--session", "kept"], arguments].concat());
        let output = child.wait_with_output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (status, said) = with_good(&["--oracle", "good.html"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("the recording has changed since"), "{said}");
    fs::remove_file(folder.join("buy.json")).unwrap();
    let (status, said) = with_good(&["--oracle", "good.html"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(
        said.contains("buy.json is gone; name one with --recording"),
        "{said}"
    );
    let output = with_page(folder, "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    // Without the page nothing is replayed.
    assert_eq!(json(&go_on(folder, "quit\n"))["asked"], 2);
}

#[test]
fn answers_hold_where_the_code_is_the_same() {
    let folder = losing();
    let folder = folder.path();
    // The page is wrong, `remove(8)` is right, `remove(2)` is not.
    let output = begin(folder, "invalid\nvalid\ninvalid\nquit\n");
    assert_eq!(json(&output)["asked"], 3, "{output:?}");
    let first = fs::read_to_string(folder.join("bad.js")).unwrap();
    // A line that every `remove` runs is another: what each did is another.
    let second = first.replace("this.size--;", "this.size -= 2;");
    assert_ne!(second, first);
    fs::write(folder.join("bad.js"), &second).unwrap();
    let output = with_page(folder, "quit\n");
    let diagnosis = json(&output);
    assert_eq!(questions(&diagnosis), Vec::<String>::new(), "{output:?}");
    let note = "the code of the page has changed: 0 of the answers hold";
    assert!(diagnosis["notes"].to_string().contains(note), "{diagnosis}");
    // Changed back, all hold again: former executions are kept.
    fs::write(folder.join("bad.js"), &first).unwrap();
    let output = with_page(folder, "quit\n");
    let diagnosis = json(&output);
    let answers = questions(&diagnosis);
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert_eq!(by(&diagnosis), ["person"; 3], "{diagnosis}");
    // Another function is another: `remove(8)` does as before, `remove(2)` is mended.
    let third = first.replace(
        "if (node.left === null) return null;",
        "if (node.left === null) return node.right; ",
    );
    assert_ne!(third, first);
    fs::write(folder.join("bad.js"), &third).unwrap();
    let output = with_page(
        folder,
        "valid\nvalid\nvalid\nvalid\nvalid\nvalid\nvalid\nvalid\n",
    );
    let diagnosis = json(&output);
    let answers = questions(&diagnosis);
    assert!(
        answers[0].starts_with("Tree.remove(8) → undefined: valid"),
        "{answers:?}"
    );
    assert_eq!(by(&diagnosis)[..2], ["same", "person"], "{diagnosis}");
    assert!(
        diagnosis["questions"][0]["why"]
            .as_str()
            .unwrap()
            .contains("of a former execution"),
        "{diagnosis}"
    );
    assert!(diagnosis.get("found").is_none(), "{diagnosis}");
}

#[test]
fn an_answer_of_a_machine_is_taken_back() {
    let program = "const half = (n) => Math.floor(n / 2);\nhalf(4); half(4); half(6);\n";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("bad.js"), program).unwrap();
    let page = "<!doctype html><title>t</title><script src=bad.js></script>";
    fs::write(folder.join("bad.html"), page).unwrap();
    let ask = |input: &str| {
        let arguments = ["--session", "kept", "--strategy", "top-down", "--json"];
        diagnose(folder, &arguments, input)
    };
    let output = ask("invalid\nvalid\nquit\n");
    let diagnosis = json(&output);
    assert_eq!(by(&diagnosis), ["person", "person", "same"], "{output:?}");
    let call = diagnosis["questions"][2]["call"].as_u64().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(&format!(
            "as before: valid half  bad.js:1:14  #{call}  it is the same"
        )),
        "{said}"
    );
    // The call is left to a person, also when the session is gone on with.
    let output = ask(&format!("undo #{call}\nundo #99999\nquit\n"));
    let diagnosis = json(&output);
    assert_eq!(by(&diagnosis), ["person", "person"], "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("nothing was said of a call #99999"), "{said}");
    let output = go_on(folder, "unknown\nquit\n");
    let diagnosis = json(&output);
    assert_eq!(by(&diagnosis), ["person", "person", "person"], "{output:?}");
    assert_eq!(diagnosis["questions"][2]["call"], call);
    // What a person said is taken back by its call, too.
    let first = diagnosis["questions"][1]["call"].as_u64().unwrap();
    let output = ask(&format!("undo #{first}\nquit\n"));
    let calls = json(&output)["questions"].clone();
    assert_eq!(
        [&calls[0]["call"], &calls[1]["call"]],
        [1, call],
        "{output:?}"
    );
    let output = ask("undo\nundo\nundo\nquit\n");
    assert_eq!(by(&json(&output)), Vec::<&str>::new(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("there is no answer to take back"), "{said}");
}

#[test]
fn an_interrupted_diagnosis_has_all_that_was_said() {
    let folder = losing();
    let folder = folder.path();
    let arguments = [&["bad.html"], &SESSION[..], &TRUSTED[..]].concat();
    let mut child = begin_diagnosis(folder, &arguments);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"invalid\nvalid\n").unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("Question 3,") {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "it ended");
    }
    // Nobody else uses it meanwhile.
    let other = go_on(folder, "");
    assert_eq!(other.status.code(), Some(2), "{other:?}");
    let why = String::from_utf8(other.stderr).unwrap();
    assert!(why.contains("another command uses it"), "{why}");
    let status = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_ne!(child.wait().unwrap().code(), Some(0), "{rest}");
    let diagnosis = json(&go_on(folder, "quit\n"));
    assert_eq!(diagnosis["asked"], 2, "{diagnosis}");
}

#[test]
fn what_is_kept_and_cannot_be_used_is_answered_in_words() {
    let folder = losing();
    let folder = folder.path();
    let refused = |why: &str| {
        let output = go_on(folder, "");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{why}: {said}");
        assert_eq!(output.stdout, b"", "{why}");
    };
    refused("there is no session in it; name a page");
    assert!(!folder.join("kept").exists());
    fs::create_dir(folder.join("kept")).unwrap();
    fs::write(folder.join("kept/mine.txt"), "mine").unwrap();
    let output = begin(folder, "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("it holds other files (mine.txt)"), "{said}");
    fs::remove_file(folder.join("kept/mine.txt")).unwrap();
    assert_eq!(begin(folder, "invalid\n").status.code(), Some(1));
    let session = folder.join("kept/session.json");
    let whole = fs::read_to_string(&session).unwrap();
    fs::write(&session, &whole[..whole.len() / 2]).unwrap();
    refused("it is damaged");
    fs::write(&session, whole.replace("session/1", "session/2")).unwrap();
    refused("it is of another version (querypoint/diagnosis-session/2)");
    fs::write(&session, "[]").unwrap();
    refused("it is damaged");
    fs::write(&session, &whole).unwrap();
    let log = files(folder).into_iter().find(|it| it.ends_with(".qplog"));
    let log = folder.join("kept").join(log.unwrap());
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() - 9]).unwrap();
    refused("it was cut off or changed");
    fs::write(&log, bytes).unwrap();
    assert_eq!(json(&go_on(folder, ""))["asked"], 1);
}
