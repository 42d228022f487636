//! The parser tests of test262: what parses still parses when it is rewritten, what does not is left as it is.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::fs;

use conformance::variants::variants;
use conformance::{ProgramOutcome, Run, node, packages};
use js_analysis::Goal;

/// Scripts of `fail` that our parser reads: they change, and the browser refuses them still. (Of the errors that
/// `early` holds, it knows few.)
const STILL_REFUSED: [&str; 9] = [
    "fail/147fa078a7436e0e.js",
    "fail/15a6123f6b825c38.js",
    "fail/3bc2b27a7430f818.js",
    "fail/66e383bfd18e66ab.js",
    "fail/78c215fabdf13bae.js",
    "fail/bf49ec8d96884562.js",
    "fail/c060a3014ad24dfd.js",
    "fail/e4a43066905a597b.js",
    "fail/ef2d369cccc5386c.js",
];

struct Case {
    name: String,
    source: String,
    goal: Goal,
}

fn cases(folder: &str) -> Vec<Case> {
    let folder = packages::install()
        .unwrap()
        .join("test262-parser-tests")
        .join(folder);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let goal = if name.ends_with(".module.js") {
                Goal::Module
            } else {
                Goal::Script
            };
            let source = fs::read_to_string(&path).unwrap();
            Case { name, source, goal }
        })
        .collect()
}

/// The first line of what came of each text when it was only parsed: a function around it keeps it from running.
fn parsed(texts: &[(String, Goal)]) -> Vec<bool> {
    let runs: Vec<Run> = texts
        .iter()
        .map(|(text, goal)| Run {
            agent: None,
            before: Vec::new(),
            text: text.clone(),
            module: *goal == Goal::Module,
        })
        .collect();
    let outcomes: Vec<ProgramOutcome> = node::parse(&runs).unwrap();
    outcomes
        .iter()
        .map(|outcome| outcome.lines.is_empty())
        .collect()
}

#[test]
fn what_parses_parses_when_it_is_rewritten() {
    let cases = cases("pass");
    assert!(cases.len() > 1500, "the tests are there");
    let mut texts = Vec::new();
    for case in &cases {
        texts.push((
            format!("{}: as it is", case.name),
            case.source.clone(),
            case.goal,
        ));
        for variant in variants(&case.source) {
            let rewritten = variant.rewrite(&case.source, case.goal, 1);
            let text = rewritten.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            texts.push((format!("{}: {}", case.name, variant.name), text, case.goal));
        }
    }
    let given: Vec<(String, Goal)> = texts
        .iter()
        .map(|(_, text, goal)| (text.clone(), *goal))
        .collect();
    let parsed = parsed(&given);
    // Some of these tests are of another time: the engine itself does not read them any more.
    let mut plain = true;
    for ((name, text, _), parsed) in texts.iter().zip(parsed) {
        if name.ends_with("as it is") {
            plain = parsed;
        }
        assert_eq!(parsed, plain, "{name}\n{text}");
    }
}

#[test]
fn what_does_not_parse_is_left_as_it_is() {
    let mut refused = Vec::new();
    for folder in ["fail", "early"] {
        let cases = cases(folder);
        assert!(!cases.is_empty(), "the tests are there");
        let given: Vec<(String, Goal)> = cases
            .iter()
            .map(|case| (case.source.clone(), case.goal))
            .collect();
        // Some of these tests are of another time: the engine accepts them now.
        let now = parsed(&given);
        let cases = cases.into_iter().zip(now).filter(|(_, parsed)| !parsed);
        refused.extend(cases.map(|(case, _)| (folder, case)));
    }
    let mut changed = Vec::new();
    for (folder, case) in &refused {
        for variant in variants(&case.source) {
            if let Ok(text) = variant.rewrite(&case.source, case.goal, 1)
                && text != case.source
            {
                changed.push((format!("{folder}/{}", case.name), text, case.goal));
            }
        }
    }
    let texts: Vec<(String, Goal)> = changed
        .iter()
        .map(|(_, text, goal)| (text.clone(), *goal))
        .collect();
    for ((name, text, _), parsed) in changed.iter().zip(parsed(&texts)) {
        assert!(!parsed, "{name} is accepted once it is rewritten\n{text}");
    }
    let names = changed.iter().map(|(name, _, _)| name.as_str());
    let mut names: Vec<&str> = names.filter(|name| name.starts_with("fail/")).collect();
    names.dedup();
    assert_eq!(names, STILL_REFUSED);
}

#[test]
fn what_is_an_error_before_it_runs_stays_one() {
    let lines = include_str!("../refused.txt").lines();
    let lines: Vec<String> = lines.map(|line| line.replace('⏎', "\n")).collect();
    let alone = lines.iter().cloned();
    let inside = lines
        .iter()
        .map(|line| format!("(function () {{ let kept; () => kept;\n{line}\n}})"));
    let sources: Vec<(String, Goal)> = alone
        .chain(inside)
        .map(|source| (source, Goal::Script))
        .collect();
    // In a function, some are none; and some are new to an old engine.
    let plain = parsed(&sources);
    let mut texts = Vec::new();
    for ((source, goal), plain) in sources.iter().zip(plain) {
        for variant in variants(source) {
            if let (false, Ok(text)) = (plain, variant.rewrite(source, *goal, 1)) {
                texts.push((text, *goal));
            }
        }
    }
    assert!(texts.len() > 200, "there are {} to refuse", texts.len());
    for ((text, _), parsed) in texts.iter().zip(parsed(&texts)) {
        assert!(!parsed, "this is accepted\n{text}");
    }
}
