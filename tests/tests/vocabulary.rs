//! One word for one thing: words that were replaced do not come back.
//!
//! A reader who knows a debugger must not meet a word that they have to guess. [`REPLACED`] has each word with the one
//! to write instead, and why. [`ROOTS`] says where to look: in the prose of documents, where code, quoted output,
//! addresses and labels of the panel are left out, or in the messages of Rust sources: string literals of more than one
//! word, without what is in braces for a value, and without those of tests. Names and comments of Rust sources are read
//! for words that are never right there (`sources`).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use end_to_end::{repository, tracked_files};
use querypoint::session::advice::for_panel;

mod readable;
mod sources;

use readable::{Kind, is_shipped, messages, readable, strings, without_code, words};

/// Words that are not written any more.
struct Replaced {
    /// Each of its forms: words with one space between.
    forms: &'static [&'static str],
    /// The words before which it is right.
    unless_before: &'static [&'static str],
    instead: &'static str,
    why: &'static str,
}

const fn replaced(
    forms: &'static [&'static str],
    instead: &'static str,
    why: &'static str,
) -> Replaced {
    Replaced {
        forms,
        unless_before: &[],
        instead,
        why,
    }
}

const REPLACED: &[Replaced] = &[
    replaced(
        &["stand", "stands", "standing", "stood", "stand still"],
        "is paused; is",
        "debuggers pause a page, and text is somewhere",
    ),
    replaced(
        &["come to", "comes to", "came to", "coming to"],
        "reach",
        "an execution reaches a line",
    ),
    replaced(
        &["come by", "comes by", "came by", "is passed", "was passed"],
        "reach, hit",
        "a breakpoint has hits",
    ),
    replaced(
        &["way back"],
        "position mapping; resume handle; undo",
        "it meant three things",
    ),
    replaced(
        &["tape", "tapes", "feeder", "fed", "feeds", "fed back"],
        "recorded inputs, input replay",
        "what record-and-replay debuggers call it",
    ),
    replaced(
        &[
            "made text",
            "made code",
            "made of a text",
            "made of texts",
            "code made",
        ],
        "dynamic code",
        "what eval, Function and inserted scripts run",
    ),
    replaced(
        &["maker", "makers"],
        "eval origin; native function",
        "it meant two things",
    ),
    replaced(
        &["author wrote", "authors wrote", "as it was written"],
        "authored source, original source",
        "what source maps call it",
    ),
    replaced(
        &[
            "hang on",
            "hangs on",
            "hung on",
            "hanging on",
            "hang there",
            "hangs there",
            "kids",
        ],
        "depend on, dependents",
        "queries have dependencies",
    ),
    replaced(
        &["errand", "errands", "happenings"],
        "job, browser events",
        "what other programs call them",
    ),
    replaced(
        &["lesson", "lessons"],
        "refinement",
        "an execution refines the instrumentation",
    ),
    replaced(
        &["exchange", "exchanges", "exchanged", "exchanging"],
        "replace",
        "nothing is given in return",
    ),
    replaced(
        &["unfold", "unfolds", "unfolded", "unfolding", "inside of"],
        "expand; in",
        "developer tools expand a value",
    ),
    Replaced {
        forms: &["blind"],
        unless_before: &["spot", "spots"],
        instead: "not observed, with the reason; `blind` for the status",
        why: "the status has a name, people read a sentence",
    },
    replaced(
        &["elsewhere"],
        "at another place, other targets",
        "say where",
    ),
    replaced(&["under way"], "in flight, in progress", "one term for it"),
    replaced(
        &["looked through", "what was looked through"],
        "candidate writes",
        "what they are",
    ),
    replaced(
        &["picked element", "pick an element", "is picked"],
        "selected element",
        "developer tools select an element",
    ),
    replaced(
        &["takes up a session", "take up a session", "forget"],
        "open, delete",
        "what is done with files",
    ),
    replaced(
        &["stopped at", "go there"],
        "reproduction point, run to",
        "labels of the panel",
    ),
    replaced(
        &["look here", "notice stops"],
        "use as reproduction point, follow debugger",
        "labels of the panel",
    ),
    replaced(
        &["what the user does"],
        "recorded steps",
        "a label of the panel",
    ),
    replaced(&["stop there"], "pause here", "a label of the panel"),
    replaced(
        &["it is not noticed", "noticed"],
        "pauses are not followed; observed",
        "say who does what",
    ),
];

/// Where to look: files of a kind, whose path begins so.
const ROOTS: &[(&str, Kind)] = &[
    ("README.md", Kind::Markdown),
    ("docs/", Kind::Markdown),
    ("docs/", Kind::Schema),
    ("agent/js/", Kind::Script),
    ("wasm/editor/js/", Kind::Script),
    ("cli/src/arguments", Kind::Help),
    ("agent/src/", Kind::RustStrings),
    ("app/src/", Kind::RustStrings),
    ("benches/src/", Kind::RustStrings),
    ("cdp-driver/src/", Kind::RustStrings),
    ("cli/src/", Kind::RustStrings),
    ("diagnosis/src/", Kind::RustStrings),
    ("engine/src/", Kind::RustStrings),
    ("event-log/src/", Kind::RustStrings),
    ("js-analysis/src/", Kind::RustStrings),
    ("panel-server/src/", Kind::RustStrings),
    ("querypoint/src/", Kind::RustStrings),
    ("recording/src/", Kind::RustStrings),
    ("wasm/src/", Kind::RustStrings),
    ("xtask/src/", Kind::RustStrings),
];

/// Where the labels of the panel are: a document quotes them as they are.
const LABELS: &str = "wasm/src/texts.rs";

/// The replaced words in a text: the line, the form, and its row.
fn found_in<'r>(
    words: &[(usize, String)],
    table: &'r [Replaced],
) -> Vec<(usize, &'r str, &'r Replaced)> {
    let mut found = Vec::new();
    for row in table {
        for form in row.forms {
            let parts: Vec<&str> = form.split(' ').collect();
            for (at, window) in words.windows(parts.len()).enumerate() {
                let is_it = window
                    .iter()
                    .map(|(_, word)| word.as_str())
                    .eq(parts.iter().copied());
                let next = words.get(at + parts.len()).map(|(_, word)| word.as_str());
                if is_it && !next.is_some_and(|next| row.unless_before.contains(&next)) {
                    found.push((window[0].0, *form, row));
                }
            }
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(repository().join(path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What the panel says.
fn labels() -> Vec<String> {
    let strings = strings(&read(Path::new(LABELS)));
    strings.into_iter().map(|(_, label)| label).collect()
}

#[test]
fn words_that_were_replaced_do_not_come_back() {
    let labels = labels();
    let (mut files, mut report) = (0, String::new());
    for path in tracked_files().unwrap() {
        let name = path.to_str().unwrap();
        let roots = ROOTS
            .iter()
            .filter(|(root, kind)| name.starts_with(root) && name.ends_with(kind.ending()));
        let kinds: Vec<Kind> = roots.map(|(_, kind)| *kind).collect();
        if kinds.is_empty() || name.ends_with(".rs") && !is_shipped(name) {
            continue;
        }
        files += 1;
        let text = read(&path);
        for (line, text) in kinds
            .iter()
            .flat_map(|kind| readable(&text, *kind, &labels))
        {
            for (line, form, row) in found_in(&words(&text, line), REPLACED) {
                let (instead, why) = (row.instead, row.why);
                let _ = writeln!(report, "{name}:{line}: {form:?}: write {instead} ({why})");
            }
        }
    }
    assert!(files > 400, "{files}");
    assert!(report.is_empty(), "words that were replaced:\n{report}");
}

/// The documents that lead through the panel, which emphasise its labels and nothing else.
const GUIDES: [&str; 4] = [
    "README.md",
    "docs/how-to/extension.md",
    "docs/reference/panel.md",
    "docs/tutorial/first-session.md",
];

/// What they emphasise besides: labels of browsers and of a test page, what a browser says, keys, titles of papers.
const OTHERS: [&str; 14] = [
    "+",
    "-",
    "Blue",
    "Break on",
    "Debugging by lastChange",
    "Developer mode",
    "Line",
    "Load Temporary Add-on",
    "Load unpacked",
    "Native host has exited.",
    "Property set",
    "Querypoint Debugging",
    "Red",
    "Specified native messaging host not found.",
];

/// Where a message advises an option that a panel never hears of: they are of commands that have no panel.
const WITHOUT_PANEL: &[(&str, &str)] = &[
    ("app/src/failure.rs", "when `serve` starts"),
    ("app/src/browser.rs", "when a command starts"),
    ("app/src/diagnosing", "of `diagnose`; a panel asks a log"),
    ("app/src/importing.rs", "of `import`"),
    ("app/src/minimizing.rs", "of `minimize`"),
    ("app/src/pausing.rs", "of `ask --pause`"),
    ("app/src/sessions/store/error.rs", "when `serve` starts"),
    ("cdp-driver/src/error.rs", "when `--connect` is given"),
    ("cdp-driver/src/native/browser.rs", "they are the browser's"),
    (
        "engine/src/ask/live.rs",
        "of `ask --live`, which no panel asks",
    ),
    ("engine/src/ask/calls.rs", "of `--reproduce callstack`"),
    ("engine/src/sources/logged.rs", "of `log`"),
    ("engine/src/logging/", "of `log`"),
    (
        "querypoint/src/session/command_line.rs",
        "it is a command line",
    ),
    ("querypoint/src/session/advice.rs", "it is the table"),
    ("recording/src/export/", "of `export`"),
];

#[test]
fn what_a_panel_is_told_names_no_option_of_the_command_line() {
    let is_option = |word: &str| {
        let name = word.trim_start_matches(['(', '`']).strip_prefix("--");
        name.is_some_and(|it| it.starts_with(|first: char| first.is_ascii_lowercase()))
    };
    let rooms = [
        "app/src/",
        "engine/src/",
        "querypoint/src/",
        "recording/src/",
        "cdp-driver/src/",
    ];
    let mut advised = 0;
    for path in tracked_files().unwrap() {
        let name = path.to_string_lossy();
        let is_of_panel = rooms.iter().any(|room| name.starts_with(room))
            && is_shipped(&name)
            && !WITHOUT_PANEL.iter().any(|(file, _)| name.starts_with(file));
        if !is_of_panel || !name.ends_with(".rs") {
            continue;
        }
        for (line, message) in messages(&read(&path)) {
            // A literal may go on in the next line.
            let words: Vec<&str> = message.split_whitespace().collect();
            let message = words.join(" ");
            advised += usize::from(words.into_iter().any(is_option));
            let told = for_panel(&message);
            let option = told.split_whitespace().find(|it| is_option(it));
            assert_eq!(
                option, None,
                "{name}:{line}: {told}\nhelp: querypoint/src/session/advice.rs"
            );
        }
    }
    assert!(
        advised >= 5,
        "only {advised} messages advise an option: are they read?"
    );
}

#[test]
fn the_labels_that_documents_quote_are_those_of_the_panel() {
    let labels = labels();
    let mut quoted = 0;
    for guide in GUIDES {
        let text = without_code(&read(Path::new(guide))).replace("**", "");
        for emphasised in text.split('*').skip(1).step_by(2) {
            let words: Vec<&str> = emphasised.split_whitespace().collect();
            let label = words.join(" ");
            assert!(
                labels.contains(&label) || OTHERS.contains(&label.as_str()),
                "{guide} quotes {label:?}, which {LABELS} does not have"
            );
            quoted += 1;
        }
    }
    assert!(quoted > 30, "{quoted}");
}

#[cfg(test)]
mod tests {
    use super::{Kind, REPLACED, found_in, is_shipped, readable, words};

    fn forms(text: &str, kind: Kind) -> Vec<(usize, &'static str)> {
        let labels = ["Look here".to_owned()];
        let mut found = Vec::new();
        for (line, text) in readable(text, kind, &labels) {
            let words = words(&text, line);
            found.extend(
                found_in(&words, REPLACED)
                    .iter()
                    .map(|(line, form, _)| (*line, *form)),
            );
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn prose_is_read_and_code_is_not() {
        let text = "The page stands, and\ncomes\nto a [tape](tape.md#tape); a blind spot.\n\n```text\nblind\n```\n\
                    `blind` is *Look\nhere* as a label, *look there*, and blind.\n";
        assert_eq!(
            forms(text, Kind::Markdown),
            [(1, "stands"), (2, "comes to"), (3, "tape"), (9, "blind")]
        );
    }

    #[test]
    fn literals_are_read_and_comments_are_not() {
        let text = "// it stands\nfn f<'a>(x: &'a str) -> char { say(\"it \\\"stands\\\" \\\n  still\"); '\"' }\n\
                    /* tape */ const T: &str = r#\"the \"tape\"\"#; // fed\n";
        assert_eq!(forms(text, Kind::RustStrings), [(2, "stands"), (4, "tape")]);
    }

    #[test]
    fn help_descriptions_and_strings_of_scripts_are_read() {
        let help =
            "/// The page\n/// stands.\nat: u8,\n\n    /// It is `fed`.\n    // It is fed.\n";
        assert_eq!(forms(help, Kind::Help), [(2, "stands")]);
        let schema = "{\n  \"description\": \"It \\\"stands\\\", `blind`.\",\n  \"tape\": \"a tape here\"\n}";
        assert_eq!(forms(schema, Kind::Schema), [(2, "stands")]);
        let script = "// it stands\nconst a = /['\"]/;\nsay('it is fed', `it ${stands}\nis blind`, \"tape\");";
        assert_eq!(forms(script, Kind::Script), [(3, "fed"), (4, "blind")]);
    }

    #[test]
    fn messages_are_read_and_names_of_values_classes_and_tests_are_not() {
        let text = "const CLASS: &str = \"stand\"; say(\"{stands} and {blind:?} are not it\", \"{x} is fed\");\n\
                    #[cfg(test)]\nmod tests { const T: &str = \"it stands there\"; }\n";
        assert_eq!(forms(text, Kind::RustStrings), [(1, "fed")]);
        assert!(is_shipped("engine/src/recorded_inputs/mod.rs"));
        assert!(!is_shipped("engine/src/replay/tests.rs"));
        assert!(!is_shipped("querypoint/src/session/message_tests.rs"));
    }
}
