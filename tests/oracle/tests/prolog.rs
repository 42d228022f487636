//! The third promise: the catalogue says what the log says. The paper's rules, in Prolog, answer the same questions
//! from the facts of the same logs: of the test pages, of random programs, and of the paper's login scenario.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

mod logs;
mod questions;

use std::path::Path;
use std::process::Command;

use cdp_driver::native::Purpose;
use end_to_end::{querypoint_command, repository};
use event_log::export::jel;
use event_log::model::Model;
use oracle::generator::{Program, scripts};
use oracle::prolog::{Asked, ask};
use oracle::settings::{Programs, config, every_program};
use oracle::site::Site;
use proptest::test_runner::{TestCaseError, TestRunner};

use logs::Recorder;
use questions::{Pair, pairs, printed_rows};

/// How many pages of one to seven random programs are tried.
const PAGES: Programs = Programs {
    usually: 12,
    every: 80,
};

/// A log with its questions.
struct Case {
    name: String,
    pairs: Vec<Pair>,
    asked: Asked,
}

impl Case {
    fn new(folder: &Path, name: &str, model: &Model, pairs: Vec<Pair>) -> Self {
        let facts = folder.join(format!("{name}.pl"));
        let mut file = std::io::BufWriter::new(std::fs::File::create(&facts).unwrap());
        jel(model, &mut file).unwrap();
        let goals = pairs.iter().map(|pair| pair.goal.clone()).collect();
        Self {
            name: name.to_owned(),
            pairs,
            asked: Asked { facts, goals },
        }
    }
}

/// Where the catalogue and the rules differ; how many rows were compared.
fn judged(cases: &[Case]) -> (Vec<String>, usize) {
    let asked: Vec<Asked> = cases.iter().map(|case| case.asked.clone()).collect();
    let answers = ask(&asked).unwrap_or_else(|error| panic!("{error}"));
    let (mut differences, mut rows) = (Vec::new(), 0);
    for (case, answers) in cases.iter().zip(answers) {
        for (pair, answer) in case.pairs.iter().zip(answers) {
            rows += answer.len();
            let expected = printed_rows(&pair.goal, &answer);
            if expected != pair.answered {
                differences.push(format!(
                    "{}: {}\n  the catalogue: {:?}\n  {}: {:?}",
                    case.name, pair.query, pair.answered, pair.goal, expected
                ));
            }
        }
    }
    (differences, rows)
}

fn none_differs(cases: &[Case], least_rows: usize) {
    let (differences, rows) = judged(cases);
    let shown = differences.iter().take(8).cloned().collect::<Vec<_>>();
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        shown.join("\n")
    );
    println!("{} logs, {rows} rows", cases.len());
    // A judge of nothing would be no judge.
    assert!(rows >= least_rows, "{rows} rows");
}

/// Test pages with so many events that Prolog takes seconds to read them.
const LARGE: [&str; 2] = ["jquery-table", "react-cart"];

/// Each test page, with the actions of its recording; large ones where every program is tried.
#[test]
fn prolog_and_the_catalogue_agree_on_the_test_pages() {
    let folder = tempfile::tempdir().unwrap();
    let pages = repository().join("test-pages");
    let every = every_program();
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(pages).unwrap() {
        let page = entry.unwrap().path();
        let expected = page.join("expected.json");
        let Ok(expected) = std::fs::read_to_string(expected) else {
            continue;
        };
        let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
        let file = expected["page"].as_str().unwrap_or("index.html");
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        if !every && LARGE.contains(&name.as_str()) {
            continue;
        }
        let log = folder.path().join(format!("{name}.qplog"));
        let mut command = Command::new(querypoint_command().unwrap());
        command.arg("log").arg(page.join(file));
        command.arg("--recording").arg(page.join("recording.json"));
        command.arg("--out").arg(&log);
        if let Some(address) = test_support::browsers::address(Purpose::Everything) {
            command.args(["--connect", &address]);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        let model = logs::model(std::fs::read(log).unwrap());
        let pairs = pairs(&model);
        cases.push(Case::new(folder.path(), &name, &model, pairs));
    }
    assert_eq!(cases.len(), if every { 9 } else { 9 - LARGE.len() });
    none_differs(&cases, 1000);
}

#[test]
fn prolog_and_the_catalogue_agree_on_random_programs() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::open();
    let site = Site::start().unwrap();
    // Recorded first, judged in one process; what differs is looked for again by itself, so that it can be shrunk.
    let mut cases = Vec::new();
    let mut runner = TestRunner::new(config(PAGES, 23, 60));
    let cases_of = std::cell::RefCell::new(&mut cases);
    let recorded = |scripts: &[Program], number: usize| {
        let texts: Vec<&str> = scripts.iter().map(|script| script.text.as_str()).collect();
        let name = format!("page{number}");
        let model = recorder.record(&site.add(&name, &texts));
        let pairs = pairs(&model);
        Case::new(folder.path(), &name, &model, pairs)
    };
    runner
        .run(&scripts(7), |scripts| {
            let number = cases_of.borrow().len();
            cases_of.borrow_mut().push(recorded(&scripts, number));
            Ok(())
        })
        .unwrap();
    let (differences, rows) = judged(&cases);
    if !differences.is_empty() {
        let mut runner = TestRunner::new(config(PAGES, 23, 60));
        let result = runner.run(&scripts(7), |scripts| {
            match judged(&[recorded(&scripts, 0)]).0.first() {
                Some(difference) => Err(TestCaseError::fail(difference.clone())),
                None => Ok(()),
            }
        });
        if let Err(failure) = result {
            panic!("{failure}");
        }
        panic!("{}", differences.join("\n"));
    }
    println!("{} logs, {rows} rows", cases.len());
    assert!(rows >= cases.len() * 100, "{rows} rows");
}

/// The paper's composed query: who was let in, and in which session (section 4).
#[test]
fn prolog_and_the_catalogue_agree_on_the_login_scenario() {
    const LOGIN: &str = "const passwords = { ann: 'a', bob: 'b' };
class Session { name = ''; isOpen = false }
function enter(session, name, password) {
  session.name = name;
  if (check(name, password)) admit(session);
}
function check(name, password) {
  if (name === 'bob') return true;
  return passwords[name] === password;
}
function admit(session) { session.isOpen = true }
enter(new Session(), 'ann', 'a');
const bob = new Session();
enter(bob, 'bob', 'x');
enter(new Session(), 'cem', 'z');
enter(bob, 'bob', 'b');
";
    const DEFINED: &str = "define login(user) =
  first typed = wasAssigned(.name, user)
  then checked = argumentsOf(check)
  then opened = wasAssigned(.isOpen, true)
  when checked.arguments[0] == typed.value and opened.object == typed.object
";
    let folder = tempfile::tempdir().unwrap();
    let site = Site::start().unwrap();
    let model = Recorder::open().record(&site.add("login", &[LOGIN]));
    let pairs = ["ann", "bob", "cem"].map(|user| questions::login(&model, DEFINED, user));
    let times: Vec<usize> = pairs.iter().map(|pair| pair.answered.len()).collect();
    assert_eq!(times, [1, 2, 0]);
    none_differs(
        &[Case::new(folder.path(), "login", &model, pairs.into())],
        3,
    );
}

/// A comparison that finds nothing would be worth nothing.
#[test]
fn prolog_tells_a_wrong_answer_from_a_right_one() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::start().unwrap();
    let model = Recorder::open().record(&site.add(
        "wrong",
        &["function f(x) { return g(x) }\nfunction g(x) { const o = { p: x }; return o.p }\nf(1);\nf('2');\n"],
    ));
    let right = pairs(&model);
    let whole = Case::new(folder.path(), "right", &model, right.clone());
    assert_eq!(judged(&[whole]).0, Vec::<String>::new());
    let mut found = 0;
    for (index, pair) in right
        .iter()
        .enumerate()
        .filter(|(_, pair)| !pair.answered.is_empty())
    {
        let mut wrong = right.clone();
        wrong[index].answered.pop();
        let case = Case::new(folder.path(), "wrong", &model, wrong);
        assert_eq!(judged(&[case]).0.len(), 1, "{}", pair.query);
        found += 1;
        // Each needs a Prolog of its own.
        if found == 5 {
            break;
        }
    }
    assert_eq!(found, 5);
}
