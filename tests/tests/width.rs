//! Prose and comments have at most 120 columns, so that they can be read beside something else.
//!
//! Left out is what cannot be wrapped: tables, code in prose, a line that is one word or one link, and files that a
//! program writes.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;

use end_to_end::{repository, tracked_files};

/// The most characters of a line.
const WIDTH: usize = 120;

/// Files and folders that a program writes.
const GENERATED: [&str; 3] = [
    "cdp-driver/src/protocol/generated",
    "docs/benchmarks.md",
    "dist",
];

/// What the lines of a file are.
#[derive(Clone, Copy)]
enum Prose {
    /// All are prose.
    Document,
    /// Those are that begin with one of these, after what indents them.
    Comments(&'static [&'static str]),
}

fn prose(path: &Path) -> Option<Prose> {
    match path.extension()?.to_str()? {
        "md" => Some(Prose::Document),
        "rs" => Some(Prose::Comments(&["//"])),
        "js" | "mjs" | "ts" | "css" => Some(Prose::Comments(&["//", "/*", "* "])),
        "toml" | "yml" | "yaml" | "list" => Some(Prose::Comments(&["#"])),
        _ => None,
    }
}

/// The numbers of the lines that are too wide, from 1.
fn too_wide(text: &str, prose: Prose) -> Vec<usize> {
    let mut is_code = false;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(said) = said(line, prose) else {
            is_code = false;
            continue;
        };
        if said.starts_with("```") {
            is_code = !is_code;
        }
        let is_wide = line.chars().count() > WIDTH;
        if is_wide && !is_code && !said.starts_with('|') && !cannot_be_wrapped(said) {
            found.push(index + 1);
        }
    }
    found
}

/// The prose of a line; none: it has code.
fn said(line: &str, prose: Prose) -> Option<&str> {
    let line = line.trim();
    match prose {
        Prose::Document => Some(line),
        Prose::Comments(marks) => {
            let rest = marks.iter().find_map(|mark| line.strip_prefix(mark))?;
            Some(rest.trim_start_matches(['/', '!', '*', '#']).trim_start())
        }
    }
}

/// Whether it is one word, or one link, behind the mark of a list.
fn cannot_be_wrapped(said: &str) -> bool {
    let said = said.trim_start_matches(['-', '*', '>', ' ']);
    let is_link = said.starts_with('[')
        && said.matches("](").count() == 1
        && said.split_once("](").is_some_and(|(_, to)| {
            let end = to.find(')').map(|at| &to[at + 1..]);
            end.is_some_and(|rest| !rest.contains(' '))
        });
    is_link || !said.contains(' ')
}

#[test]
fn prose_and_comments_have_at_most_120_columns() {
    let mut checked = 0;
    let mut wide = String::new();
    for path in tracked_files().unwrap() {
        let is_generated = GENERATED.iter().any(|generated| {
            path.starts_with(generated) || path.iter().any(|part| part == *generated)
        });
        let Some(prose) = prose(&path).filter(|_| !is_generated) else {
            continue;
        };
        let text = fs::read_to_string(repository().join(&path)).unwrap();
        checked += 1;
        for line in too_wide(&text, prose) {
            wide += &format!("{}:{line}\n", path.display());
        }
    }
    assert!(checked > 1000, "only {checked} files were read");
    assert!(
        wide.is_empty(),
        "more than {WIDTH} characters are in\n{wide}"
    );
}

#[test]
fn what_can_be_wrapped_is_told_from_what_cannot() {
    let words = "word ".repeat(30);
    let link = format!("- [{words}](there.md)");
    let address = format!("<http://h/{}>", "x".repeat(WIDTH));
    for (line, is_found) in [
        (words.clone(), true),
        (format!("| {words} |"), false),
        (link.clone(), false),
        (format!("{link}, and more"), true),
        (format!("{link}."), false),
        (address, false),
        ("word".to_owned(), false),
        (format!("```\n{words}\n```"), false),
    ] {
        let found = too_wide(&line, Prose::Document);
        assert_eq!(!found.is_empty(), is_found, "{line}");
        let comment: Vec<String> = line.lines().map(|line| format!("    /// {line}")).collect();
        let found = too_wide(&comment.join("\n"), Prose::Comments(&["//"]));
        assert_eq!(!found.is_empty(), is_found, "{comment:?}");
    }
    let code = format!("let a = \"{words}\";");
    assert_eq!(too_wide(&code, Prose::Comments(&["//"])), [0; 0]);
    assert_eq!(too_wide(&format!("a\n\n{words}"), Prose::Document), [3]);
}
