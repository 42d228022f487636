//! Every way to write what the browser keeps, by live hooks: the agent's own lists say which there are, and each is in
//! a page here, in a line of its own. One execution names all lines.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod ways;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::loopback::*;
use end_to_end::repository;
use ways::{Named, WAYS};

/// The ways that the agent's lists name.
fn listed() -> BTreeSet<String> {
    let mut ways = BTreeSet::new();
    for file in ["dom-tree.js", "dom-state.js"] {
        let path = repository().join("agent/js").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        for list in [
            "const STATE_METHODS",
            "const TREE_METHODS",
            "const TREE_SETTERS",
        ] {
            let Some((_, list)) = text.split_once(list) else {
                continue;
            };
            let list = list.split_once("\n});").unwrap().0;
            let mut interface = "";
            for line in list.lines() {
                let mut rest = line;
                if let Some((name, more)) = line.split_once(": {")
                    && name.trim().starts_with(char::is_uppercase)
                {
                    interface = name.trim();
                    rest = more;
                }
                for (at, _) in rest.match_indices(": ") {
                    let is_note =
                        rest[at + 2..].starts_with("note") || rest[at + 2..].starts_with('(');
                    let name = rest[..at].rsplit(|it: char| !it.is_alphanumeric()).next();
                    if is_note && let Some(name) = name {
                        ways.insert(format!("{interface}.{name}"));
                    }
                }
            }
        }
    }
    ways
}

#[test]
fn each_way_that_the_agent_knows_is_in_the_page() {
    let listed = listed();
    assert!(listed.len() > 80, "{listed:?}");
    let here: BTreeSet<&str> = WAYS.iter().map(|row| row.0).collect();
    let missing = listed.iter().filter(|way| !here.contains(way.as_str()));
    let missing: Vec<&String> = missing.collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The page: two lines for each way, and which line of the document has to be named.
fn page() -> (String, Vec<Option<u64>>) {
    let mut page = String::from("<!doctype html><title>Ways</title>\n");
    for (number, (_, html, ..)) in WAYS.iter().enumerate() {
        let _ = writeln!(page, "<div id=w{number}>{html}</div>");
    }
    page.push_str(
        "<script>\nconst found = (it) => { globalThis.it = it; \
        for (const name of ['p', 'input', 'textarea', 'select', 'dialog']) \
        globalThis[name] = it.querySelector(name); };\n",
    );
    let mut lines = Vec::new();
    for (number, (_, _, before, way, _, named)) in WAYS.iter().enumerate() {
        let found = format!("found(document.getElementById('w{number}'));");
        let line = page.lines().count() as u64 + 1;
        let _ = writeln!(
            page,
            "try {{ {found} {before}; }} catch {{}}\ntry {{ {way}; }} catch {{}}"
        );
        lines.push(match named {
            Named::Before => Some(line),
            Named::Way => Some(line + 1),
            Named::Nobody => None,
        });
    }
    page.push_str("void 0;\n</script>\n");
    (page, lines)
}

/// What is asked of a way: variables of the page would be those of the last one.
fn reference(number: usize, asked: &str) -> String {
    let (root, rest) = asked.split_once('.').unwrap();
    let selector = match root {
        "document" | "localStorage" | "sessionStorage" => return format!("R:{asked}"),
        "it" => format!("#w{number}"),
        name => format!("#w{number} {name}"),
    };
    format!("R:document.querySelector(\"{selector}\").{rest}")
}

#[test]
fn live_hooks_name_the_line_of_each_way_in_one_execution() {
    let (page, lines) = page();
    let site = Site::new(&[("/ways.html", html(&page))]);
    let at = format!("ways.html:{}", page.lines().count() - 1);
    let queries: Vec<String> = WAYS
        .iter()
        .enumerate()
        .map(|(number, row)| format!("W{number} = lastChange({})", reference(number, row.4)))
        .collect();
    let url = site.url("/ways.html");
    let mut arguments = vec![
        "ask",
        url.as_str(),
        "--at",
        &at,
        "--instrument",
        "live",
        "--json",
    ];
    arguments.extend(queries.iter().map(String::as_str));
    let asked = querypoint(&arguments);
    let answer = asked.answer();
    assert_follows_schema(&answer, "answer");
    assert_eq!(answer["executions"], 1);
    let points = answer["points"].as_array().unwrap();
    let mut problems = String::new();
    for ((row, line), point) in WAYS.iter().zip(lines).zip(&points[1..]) {
        if point["location"]["line"].as_u64() != line {
            let _ = writeln!(problems, "{}: line {line:?}, not {point}", row.0);
        }
    }
    assert!(problems.is_empty(), "{problems}");
}
