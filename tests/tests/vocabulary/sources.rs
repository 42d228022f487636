//! Names and comments of Rust sources and of the agent's modules, tests included: what a developer reads uses the words
//! that a user reads. Only words that are never right in either are looked for; [`EXCEPTIONS`] has the places where one
//! is.

use std::collections::BTreeSet;
use std::path::Path;

use end_to_end::tracked_files;

use super::readable::{Part, parts, script_parts, words};

/// Words with what is written instead: in a comment, or as a part of a name.
const UNAMBIGUOUS: [(&str, &str); 12] = [
    ("stand", PAUSED),
    ("stands", PAUSED),
    ("standing", PAUSED),
    ("stood", PAUSED),
    ("unfold", "expand"),
    ("unfolds", "expand"),
    ("unfolded", "expand"),
    ("unfolding", "expand"),
    ("forget", DELETE),
    ("forgets", DELETE),
    ("forgot", DELETE),
    ("forgotten", DELETE),
];

const PAUSED: &str =
    "paused; is, where a text is somewhere; represents, where it means something else";
const DELETE: &str = "delete, remove, drop";

/// The same in what only the agent's modules and the rewriter do: elsewhere an exchange is a request with its response.
const UNAMBIGUOUS_IN_SCRIPTS: [(&str, &str); 13] = [
    ("exchange", REPLACE),
    ("exchanges", REPLACE),
    ("exchanged", REPLACE),
    ("exchanging", REPLACE),
    ("hang", DEPEND),
    ("hangs", DEPEND),
    ("hung", DEPEND),
    ("hanging", DEPEND),
    ("kid", DEPEND),
    ("kids", DEPEND),
    ("lesson", "refinement"),
    ("maker", "eval origin, native function"),
    ("underway", "current, in flight"),
];

const REPLACE: &str = "replace";
const DEPEND: &str = "depend on, dependents; what is asked there";

/// Where those are looked for.
const OF_SCRIPTS: [&str; 2] = ["agent/", "js-analysis/"];

/// The forms of *come* that mean to reach or to hit, before `to` and `by`.
const COMING: [&str; 4] = ["come", "comes", "came", "coming"];

/// What of a source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Read {
    Name,
    Comment,
}

use Read::{Comment, Name};

/// Where a word is right: the beginning of the paths, what of them, the word (none: any), and why.
const EXCEPTIONS: &[(&str, &[Read], Option<&str>, &str)] = &[
    (
        "app/src/sessions/store/logs.rs",
        &[Name],
        Some("forget"),
        "`std::mem::forget` is Rust's",
    ),
    (
        "tests/tests/vocabulary",
        &[Comment, Name],
        None,
        "they have the words that are looked for",
    ),
    (
        "wasm/src/link.rs",
        &[Name],
        Some("forget"),
        "`Closure::forget` is wasm-bindgen's",
    ),
];

/// The parts of the names in code, in lower case: `StandingFrame` and `standing_frame` have two.
fn name_parts(code: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (line, text) in (0..).zip(code.split('\n')) {
        let names = text.split(|it: char| !it.is_alphanumeric() && it != '_');
        for name in names.filter(|name| !name.is_empty()) {
            let mut parts = vec![String::new()];
            let mut was_lower = false;
            for character in name.chars() {
                let begins = character == '_' || was_lower && character.is_uppercase();
                if begins {
                    parts.push(String::new());
                }
                was_lower = character.is_lowercase();
                if let Some(part) = parts.last_mut()
                    && character != '_'
                {
                    part.extend(character.to_lowercase());
                }
            }
            found.push((line, parts));
        }
    }
    found
}

/// The words of one place that are not written any more, each with what is written instead.
fn replaced_among(words: &[&str], is_of_scripts: bool) -> Vec<(String, &'static str)> {
    let others = is_of_scripts.then_some(UNAMBIGUOUS_IN_SCRIPTS);
    let rows: Vec<_> = UNAMBIGUOUS
        .into_iter()
        .chain(others.into_iter().flatten())
        .collect();
    let single = words.iter().filter_map(|word| {
        let row = rows.iter().find(|(replaced, _)| replaced == word)?;
        Some((row.0.to_owned(), row.1))
    });
    let pairs = words.windows(2).filter_map(|pair| {
        let [first, second] = [pair[0], pair[1]];
        let is_one = COMING.contains(&first) && matches!(second, "to" | "by");
        is_one.then(|| (format!("{first} {second}"), "reach, hit; become; have"))
    });
    single.chain(pairs).collect()
}

/// The replaced words in the parts of a source: the line, where, the word, and what is written instead.
fn replaced_in(
    parts: Vec<(usize, Part, String)>,
    is_of_scripts: bool,
) -> Vec<(usize, Read, String, &'static str)> {
    let mut found = Vec::new();
    // A sentence goes on in the next line of a block.
    let mut block: Vec<(usize, String)> = Vec::new();
    let mut end_block = |block: &mut Vec<(usize, String)>| {
        let words: Vec<&str> = block.iter().map(|(_, word)| word.as_str()).collect();
        for (word, instead) in replaced_among(&words, is_of_scripts) {
            let first = word.split(' ').next().unwrap_or_default();
            let line = block
                .iter()
                .find(|(_, it)| it == first)
                .map_or(0, |it| it.0);
            found.push((line, Comment, word, instead));
        }
        block.clear();
    };
    let mut names = Vec::new();
    for (line, part, text) in parts {
        match part {
            Part::Comment => {
                let text = without_code(text.trim_start_matches(['/', '!', '*']));
                block.extend(words(&text, line));
            }
            Part::Code => {
                if !text.trim().is_empty() {
                    end_block(&mut block);
                }
                names.extend(
                    name_parts(&text)
                        .into_iter()
                        .map(|(at, name)| (line + at, name)),
                );
            }
            Part::Literal => end_block(&mut block),
        }
    }
    end_block(&mut block);
    for (line, name) in names {
        let parts: Vec<&str> = name.iter().map(String::as_str).collect();
        for (word, instead) in replaced_among(&parts, is_of_scripts) {
            found.push((line, Name, word, instead));
        }
    }
    found
}

/// A line of a comment without what is code in it: names are read where they are declared.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("·")
}

/// Whether a file is a module of the agent, its types, or a test of these.
fn is_of_the_agent(name: &str) -> bool {
    let is_source = name.starts_with("agent/") && !name.starts_with("agent/dist/");
    is_source
        && [".js", ".mjs", ".ts"]
            .iter()
            .any(|kind| name.ends_with(kind))
}

#[test]
fn words_that_were_replaced_are_in_no_name_and_no_comment() {
    let (mut files, mut report, mut used) = (0, Vec::new(), BTreeSet::new());
    for path in tracked_files().unwrap() {
        let name = path.to_str().unwrap();
        let is_rust = name.ends_with(".rs");
        if !is_rust && !is_of_the_agent(name) {
            continue;
        }
        files += 1;
        let source = super::read(Path::new(name));
        let parts = if is_rust {
            parts(&source)
        } else {
            script_parts(&source)
        };
        let is_of_scripts = OF_SCRIPTS.iter().any(|root| name.starts_with(root));
        for (line, read, word, instead) in replaced_in(parts, is_of_scripts) {
            let exception = EXCEPTIONS.iter().position(|(root, reads, only, _)| {
                name.starts_with(root) && reads.contains(&read) && only.is_none_or(|it| it == word)
            });
            match exception {
                Some(exception) => drop(used.insert(exception)),
                None => report.push(format!("{name}:{line}: {read:?} {word:?}: write {instead}")),
            }
        }
    }
    assert!(files > 750, "{files}");
    assert!(
        report.is_empty(),
        "{} words that were replaced:\n{}",
        report.len(),
        report.join("\n")
    );
    let unused = (0..EXCEPTIONS.len()).filter(|it| !used.contains(it));
    let unused: Vec<&str> = unused.map(|it| EXCEPTIONS[it].0).collect();
    assert!(unused.is_empty(), "no exception is needed for {unused:?}");
}

#[test]
fn names_and_comments_are_read_and_strings_are_not() {
    let source = "/// The page stands; it comes\n/// to a line. `stands` is code.\nfn keep_standing(at: StandingFrame) {\n\
                  let text = \"it stands\"; understood(standard, come_by); // unfolded\n}\n";
    let found: Vec<(usize, Read, String)> = replaced_in(parts(source), false)
        .into_iter()
        .map(|(line, read, word, _)| (line, read, word))
        .collect();
    let expected = [
        (1, Comment, "stands"),
        (1, Comment, "comes to"),
        (4, Comment, "unfolded"),
        (3, Name, "standing"),
        (3, Name, "standing"),
        (4, Name, "come by"),
    ];
    assert_eq!(
        found,
        expected.map(|(line, read, word)| (line, read, word.to_owned()))
    );
}

#[test]
fn names_and_comments_of_scripts_are_read_and_strings_are_not() {
    let source = "// It comes\n// to a line; `stands` is code.\nconst hang = 'it stands', quote = /[\"']/;\n\
                  const text = `it ${stands}`; exchangeText(kids); /* exchanged */\n";
    let found: Vec<(usize, Read, String)> = replaced_in(script_parts(source), true)
        .into_iter()
        .map(|(line, read, word, _)| (line, read, word))
        .collect();
    let expected = [
        (1, Comment, "comes to"),
        (4, Comment, "exchanged"),
        (3, Name, "hang"),
        (4, Name, "exchange"),
        (4, Name, "kids"),
    ];
    assert_eq!(
        found,
        expected.map(|(line, read, word)| (line, read, word.to_owned()))
    );
}
