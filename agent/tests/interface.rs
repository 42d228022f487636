//! `js/interface.md` names what passes between agent, rewritten scripts and driver: neither more nor less than what the
//! bundles declare, and than what the crates that write scripts and expressions write into them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const AGENT: &str = include_str!("../dist/agent.js");
const LOGGING: &str = include_str!("../dist/logging.js");
const INTERFACE: &str = include_str!("../js/interface.md");
/// Variables of rewritten scripts.
const OF_SCRIPTS: [&str; 3] = ["Default", "Mod", "Own"];
/// What the driver declares in realms whose page runs with a decision turned round, or counts which operations ended,
/// without the agent.
const OF_FLIPS: [&str; 3] = ["Flip", "Flips", "End"];
/// What the driver names and rewritten scripts or the agent do not: the binding by which it is told.
const BINDING: &str = "B";
/// The binding that batches of the event log are given to.
const LOG_BINDING: &str = "Log";

fn documented() -> BTreeSet<String> {
    // What comes behind is no name of a script.
    let tables = INTERFACE
        .split("## Names of an execution that is logged")
        .next()
        .unwrap();
    let rows = tables.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.filter_map(|row| row.split(['(', '`']).next());
    let mut names: BTreeSet<String> = names
        .filter(|name| name.chars().all(char::is_alphabetic))
        .map(str::to_owned)
        .collect();
    assert!(names.insert("E".to_owned()), "it has a section of its own");
    names
}

fn declared() -> BTreeSet<String> {
    declared_in(AGENT)
}

fn declared_in(bundle: &str) -> BTreeSet<String> {
    let start = bundle.find("/*NAMES*/let{").unwrap();
    let pattern = bundle[start..].split(['{', '}']).nth(1).unwrap();
    let names = pattern.split(',').filter_map(|pair| pair.split(':').next());
    names
        .chain(["A", "Get", "Now"])
        .map(str::to_owned)
        .collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// The names behind the prefix in the format strings of these crates' sources: `{p}W(`, `{prefix}E.`, `{}Ce(`.
fn written() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut paths = Vec::new();
    for name in ["js-analysis/src", "engine/src"] {
        files(&root.join(name), &mut paths);
    }
    let mut names = BTreeSet::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        for mark in ["{p}", "{prefix}", "{0}", "{}"] {
            for rest in text.split(mark).skip(1) {
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric())
                    .unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
                    && name.chars().all(char::is_alphabetic);
                // Behind what is no prefix, such a word is part of a text for people.
                let is_used =
                    after.starts_with(['(', '.', '&', '|', ',', '=', '[', '\'', '"', ')']);
                if is_name && is_used && name.len() <= 7 {
                    names.insert(name.to_owned());
                }
            }
        }
    }
    names
}

#[test]
fn the_page_names_what_the_agent_declares() {
    assert_eq!(documented(), declared());
}

/// The hooks of the event log: `L` and a letter, and one for which no letter was left.
fn is_of_the_log(name: &str) -> bool {
    name.len() == 2 && name.starts_with('L') || name == "Lth"
}

#[test]
fn the_page_names_what_the_agent_that_logs_declares_besides() {
    let section = INTERFACE
        .split("## ")
        .find(|part| part.starts_with("Names of an execution that is logged"));
    let words = section.unwrap().split(['`', '(']);
    let named = words.filter(|word| is_of_the_log(word)).map(str::to_owned);
    let besides = &declared_in(LOGGING) - &declared();
    assert_eq!(named.collect::<BTreeSet<_>>(), besides);
    let of_others = written().into_iter().filter(|name| is_of_the_log(name));
    assert!(of_others.into_iter().all(|name| besides.contains(&name)));
}

#[test]
fn scripts_and_driver_use_these_names_and_no_others() {
    let mut written = written();
    for name in OF_SCRIPTS {
        assert!(written.remove(name), "{name} is written nowhere");
    }
    for name in OF_FLIPS {
        assert!(written.remove(name), "{name} is written nowhere");
        assert!(
            INTERFACE.contains(&format!("`{name}")),
            "{name} is documented nowhere"
        );
    }
    assert!(
        documented().contains(BINDING),
        "the binding has the name of a hook"
    );
    assert!(
        written.remove(LOG_BINDING),
        "batches of the log have a binding"
    );
    written.retain(|name| !is_of_the_log(name));
    assert_eq!(written, documented());
}

#[test]
fn the_page_names_what_the_driver_calls() {
    let section = INTERFACE
        .split("## ")
        .find(|part| part.starts_with("What the driver calls"));
    let section = section.unwrap();
    let source = include_str!("../js/reproduction.js");
    let (_, object) = source.split_once("export const E = freeze({\n").unwrap();
    let members = object
        .lines()
        .take_while(|line| *line != "});")
        .filter_map(|line| {
            let member = line
                .strip_prefix("  ")
                .filter(|rest| rest.starts_with(char::is_alphabetic))?;
            member.split(|c: char| !c.is_ascii_alphanumeric()).next()
        });
    let mut count = 0;
    for member in members {
        assert!(
            section.contains(&format!("`{member}`")),
            "{member} is not named"
        );
        count += 1;
    }
    assert_eq!(
        count,
        section.matches('`').count() / 2 - 7,
        "no member is named that is not there"
    );
}
