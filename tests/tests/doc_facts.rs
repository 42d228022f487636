//! What the docs state as fact is so: crates, commands, versions, links and words.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

mod decisions;
mod figures;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use end_to_end::{querypoint_output, repository, tracked_files, workspace_metadata};

/// The crates whose words a user may read.
const ROOMS: [&str; 12] = [
    "querypoint",
    "recording",
    "event-log",
    "event-log/relational",
    "diagnosis",
    "agent",
    "cdp-driver",
    "engine",
    "app",
    "panel-server",
    "cli",
    "wasm",
];

fn read(path: impl AsRef<Path>) -> String {
    let path = repository().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn documents() -> Vec<PathBuf> {
    let files: Vec<_> = tracked_files()
        .unwrap()
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    assert!(
        files.len() >= 4,
        "git lists only these documents: {files:?}"
    );
    files
}

/// The lines of a Markdown text from the heading to the next one of any level.
fn section<'text>(text: &'text str, heading: &str) -> Vec<&'text str> {
    let lines: Vec<_> = text
        .lines()
        .skip_while(|line| line.trim_start_matches('#').trim() != heading || !line.starts_with('#'))
        .skip(1)
        .take_while(|line| !line.starts_with('#'))
        .collect();
    assert!(!lines.is_empty(), "no section {heading:?}");
    lines
}

/// The first `code` of every table row whose first cell is code.
fn first_cells(lines: &[&str]) -> BTreeSet<String> {
    lines
        .iter()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(code, _)| code.trim_end_matches('/').to_owned())
        .collect()
}

/// The folders of the workspace members.
fn member_folders() -> BTreeSet<String> {
    workspace_metadata().unwrap()["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
            let folder = manifest.parent().unwrap();
            let folder = folder.strip_prefix(repository()).unwrap();
            folder.to_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn the_crates_named_are_the_crates_there_are() {
    for document in ["CONTRIBUTING.md", "docs/architecture.md"] {
        let text = read(document);
        let named = first_cells(&section(&text, "The crates"));
        assert_eq!(named, member_folders(), "in {document}");
    }
}

#[test]
fn the_commands_named_are_the_commands_there_are() {
    let help = querypoint_output(["--help"]).unwrap();
    let known: BTreeSet<String> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    assert!(known.contains("ask"), "{help}");

    let readme = read("README.md");
    assert_eq!(
        first_cells(&section(&readme, "Commands")),
        known,
        "in README.md"
    );
    for document in documents() {
        for line in command_lines(&read(&document)) {
            let mut words = line.split_whitespace().skip(1);
            let word = words.next().unwrap_or("--help");
            assert!(
                known.contains(word) || word.starts_with("--"),
                "{} names `querypoint {word}`",
                document.display()
            );
        }
    }
}

/// Lines of fenced shell blocks that call `querypoint`.
fn command_lines(markdown: &str) -> Vec<&str> {
    let mut in_shell = false;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            in_shell = !in_shell && matches!(language, "sh" | "shell" | "bash" | "console");
        } else if in_shell && line.trim_start_matches("$ ").starts_with("querypoint ") {
            lines.push(line.trim_start_matches("$ "));
        }
    }
    lines
}

#[test]
fn options_in_shell_examples_exist() {
    for document in documents() {
        for line in command_lines(&read(&document)) {
            let command = line.split_whitespace().nth(1).unwrap_or_default();
            if command.starts_with("--") {
                continue;
            }
            // `log export` has options of its own; of a page with such a name the help is the command's.
            let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
            let below = line.split_whitespace().nth(2).filter(is_word);
            let arguments = std::iter::once(command).chain(below).chain(["--help"]);
            let help = querypoint_output(arguments).unwrap();
            for option in line
                .split_whitespace()
                .filter(|word| word.starts_with("--"))
            {
                assert!(
                    help.contains(option),
                    "{}: `{line}`: no {option}",
                    document.display()
                );
            }
        }
    }
}

#[test]
fn the_project_commands_named_exist() {
    let xtask = read("xtask/src/main.rs");
    for document in documents() {
        let text = read(&document);
        for (at, name) in text.match_indices("cargo xtask ") {
            let command: String = text[at + name.len()..]
                .chars()
                .take_while(char::is_ascii_lowercase)
                .collect();
            let mut variant = command.clone();
            variant[..1].make_ascii_uppercase();
            assert!(
                xtask.contains(&format!("Task::{variant}")),
                "{} names `cargo xtask {command}`",
                document.display()
            );
        }
    }
}

#[test]
fn the_rust_version_is_the_same_everywhere() {
    let manifest = read("Cargo.toml");
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = \""))
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    let toolchain = read("rust-toolchain.toml");
    assert!(
        toolchain.contains(&format!("channel = \"{version}.")),
        "{toolchain}"
    );
    for document in ["README.md", "CONTRIBUTING.md"] {
        let text = read(document);
        assert!(
            text.contains(&format!("Rust {version}")),
            "{document} does not say Rust {version}"
        );
    }
}

#[test]
fn relative_links_lead_somewhere() {
    for document in documents() {
        let text = read(&document);
        let folder = document.parent().unwrap();
        for target in link_targets(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if path.is_empty() {
                document.clone()
            } else {
                folder.join(path)
            };
            assert!(
                repository().join(&file).exists(),
                "{} links to {target}, which is not there",
                document.display()
            );
            if !anchor.is_empty() {
                let anchors: Vec<_> = read(&file).lines().filter_map(heading_anchor).collect();
                assert!(
                    anchors.iter().any(|known| known == anchor),
                    "{} links to {target}, but the headings there are {anchors:?}",
                    document.display()
                );
            }
        }
    }
}

/// The pages that lead through the sources.
const MAPS: [&str; 2] = ["docs/architecture.md", "docs/how-to/where-do-i-change.md"];

/// The spans of code outside fenced blocks.
fn code_spans(markdown: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    let lines = markdown.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        !in_block && !is_fence
    });
    lines.flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// The path that a span of code is: one that begins in a folder of the repository, or a Markdown file there. Of
/// `docs/NAME.md`, where anything may represent `NAME`, the folder.
fn path_of(span: &str) -> Option<PathBuf> {
    let is_path = span
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || "/._-".contains(character));
    let (first, _) = span.split_once('/').unwrap_or((span, ""));
    let is_file = !span.contains('/') && span.ends_with(".md");
    let is_below = span.contains('/') && repository().join(first).is_dir();
    (is_path && (is_file || is_below)).then(|| {
        let is_named = |part: &&str| !part.contains("NAME");
        span.split('/').take_while(is_named).collect()
    })
}

#[test]
fn the_paths_that_lead_through_the_sources_are_there() {
    for document in MAPS {
        let text = read(document);
        let paths: BTreeSet<PathBuf> = code_spans(&text).filter_map(path_of).collect();
        assert!(paths.len() > 40, "{document} names only {paths:?}");
        for path in paths {
            assert!(
                repository().join(&path).exists(),
                "{document} names {}, which is not there",
                path.display()
            );
        }
    }
}

#[test]
fn the_entry_points_are_where_the_page_says() {
    let mut followed = 0;
    for document in MAPS {
        let text = read(document);
        for (at, between) in text.match_indices("` in `") {
            let name = text[..at].rsplit('`').next().unwrap_or_default();
            let path = text[at + between.len()..].split('`').next().unwrap();
            if path_of(path).is_none() {
                continue;
            }
            let source = read(path);
            let is_word = |word: &str| word == name;
            assert!(
                source
                    .split(|character: char| !(character.is_alphanumeric() || character == '_'))
                    .any(is_word),
                "{document} says that {name} is in {path}"
            );
            followed += 1;
        }
    }
    assert!(followed > 10, "{followed}");
}

#[test]
fn every_page_is_in_the_contents_of_the_book() {
    let contents = read("docs/SUMMARY.md");
    let pages: BTreeSet<&str> = link_targets(&contents).into_iter().collect();
    for document in documents() {
        let Ok(page) = document.strip_prefix("docs") else {
            continue;
        };
        let page = page.to_str().unwrap();
        assert!(
            page == "SUMMARY.md" || pages.contains(page),
            "docs/SUMMARY.md leads to every page but {page}"
        );
    }
}

/// The targets of `[text](target)` outside code.
fn link_targets(markdown: &str) -> Vec<&str> {
    let mut in_code = false;
    let mut targets = Vec::new();
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let inside_code = line[..at].matches('`').count() % 2 == 1;
            let rest = &line[at + 2..];
            if let (Some(end), false) = (rest.find(')'), inside_code) {
                targets.push(&rest[..end]);
            }
        }
    }
    targets
}

/// The anchor that a heading gets: lower case, spaces to hyphens, punctuation dropped.
fn heading_anchor(line: &str) -> Option<String> {
    let title = line.strip_prefix('#')?.trim_start_matches('#').trim();
    Some(
        title
            .to_lowercase()
            .chars()
            .filter(|character| character.is_alphanumeric() || " -_".contains(*character))
            .map(|character| if character == ' ' { '-' } else { character })
            .collect(),
    )
}

#[test]
fn every_word_of_the_vocabulary_that_code_has_is_explained() {
    let architecture = read("docs/architecture.md");
    let vocabulary = section(&architecture, "Vocabulary").join("\n");
    for word in [
        "point",
        "reproduction point",
        "querypoint",
        "hook",
        "site",
        "change",
        "agent",
        "recording",
    ] {
        assert!(
            vocabulary.contains(&format!("| {word} |")),
            "{word} is not in the vocabulary"
        );
    }
}

/// The texts of all source files below a folder, each as its strings read: a line that ends in a backslash goes on.
fn sources_below(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources_below(&path, all);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut goes_on = false;
            for line in text.lines() {
                let line = if goes_on { line.trim_start() } else { line };
                goes_on = line.ends_with('\\');
                all.push_str(line.trim_end_matches('\\'));
                if !goes_on {
                    all.push('\n');
                }
            }
        }
    }
}

#[test]
fn the_messages_that_are_explained_are_those_there_are() {
    let mut sources = String::new();
    for room in ROOMS {
        sources_below(&repository().join(room).join("src"), &mut sources);
    }
    let mut explained = 0;
    for line in read("docs/how-to/troubleshooting.md").lines() {
        let Some(message) = line
            .strip_prefix("| `")
            .and_then(|rest| rest.split_once("` |"))
        else {
            continue;
        };
        for part in message.0.split('…').filter(|part| part.trim().len() > 4) {
            assert!(sources.contains(part.trim()), "nobody says {part:?}");
            explained += 1;
        }
    }
    assert!(explained > 15, "{explained}");
}

#[test]
fn every_test_page_is_in_the_table_of_pages() {
    let table = read("test-pages/README.md");
    for entry in fs::read_dir(repository().join("test-pages")).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join("expected.json").is_file() {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            assert!(
                table.contains(&format!("({name})")),
                "{name} has no line in the table"
            );
        }
    }
}

#[test]
fn the_changelog_has_a_place_for_what_comes() {
    assert!(read("CHANGELOG.md").contains("\n## [Unreleased]\n"));
}

/// An example of the crate's documentation runs as a test (`cargo test --doc`), so it needs no more than to be there.
#[test]
fn each_library_opens_with_an_example() {
    for library in [
        "agent",
        "app",
        "cdp-driver",
        "diagnosis",
        "engine",
        "event-log",
        "event-log/relational",
        "js-analysis",
        "querypoint",
        "recording",
    ] {
        let text = read(Path::new(library).join("src/lib.rs"));
        let mut opening = text.lines().map_while(|line| line.strip_prefix("//!"));
        let begins = opening.find_map(|line| line.trim().strip_prefix("```"));
        assert_eq!(begins, Some(""), "{library}: no example that runs");
    }
}
