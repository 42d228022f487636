//! What rewriting makes of each form of writing. A new case is a new file in `tests/rewrite`, whose snapshot
//! is beside it; its first line says what is asked: `// watch: .p, x`, `// standby`, and `module` where
//! it is one.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::fs;
use std::path::{Path, PathBuf};

use js_analysis::Goal;
use js_analysis::edits::PositionMap;
use js_analysis::marks::author_text;
use js_analysis::position::{ByteOffset, LineIndex};
use js_analysis::rewrite::{
    DEFAULT_PREFIX, Instrumentation, NamesAsWritten, RewriteError, Site, UnhookedSite, Watch,
    WatchedName, WatchedTarget, with_script,
};

/// A case as its file gives it.
struct Case {
    source: String,
    goal: Goal,
    instrumentation: Instrumentation,
}

fn watched(names: &str) -> Instrumentation {
    let watch = names
        .split(',')
        .map(str::trim)
        .map(|name| match name.strip_prefix('.') {
            Some(key) => WatchedTarget::Property(key.replace("\\0", "\0")),
            None => WatchedTarget::Variable(name.to_owned()),
        })
        .map(|target| WatchedName {
            target,
            dependents: Vec::new(),
        });
    Instrumentation {
        watch: Watch::Names(watch.collect()),
        ..Instrumentation::default()
    }
}

fn read_case(path: &Path) -> Case {
    let source = fs::read_to_string(path).unwrap();
    let header = source.lines().next().unwrap().trim_start_matches("// ");
    let (asked, goal) = match header.strip_suffix("module") {
        Some(asked) => (asked.trim(), Goal::Module),
        None => (header, Goal::Script),
    };
    let instrumentation = match asked.strip_prefix("watch:") {
        Some(names) => watched(names),
        None => {
            assert_eq!(asked, "standby", "the first line of {}", path.display());
            Instrumentation::default()
        }
    };
    Case {
        source,
        goal,
        instrumentation,
    }
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rewrite");
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "js"))
        .collect();
    found.sort();
    assert!(found.len() > 30, "the folder of cases is there");
    found
}

struct RewriteCheck {
    text: String,
    map: PositionMap,
    sites: Vec<Site>,
    unhooked: Vec<UnhookedSite>,
}

fn rewrite(source: &str, goal: Goal, instrumentation: &Instrumentation) -> RewriteCheck {
    with_script(source, goal, |script| {
        let rewritten = script.rewrite(instrumentation, &NamesAsWritten).unwrap();
        let (sites, unhooked) = (rewritten.sites.clone(), rewritten.unhooked.clone());
        let (text, map) = rewritten.apply(source);
        RewriteCheck {
            text,
            map,
            sites,
            unhooked,
        }
    })
    .unwrap()
}

/// The rewritten text, then its sites, as a snapshot shows them.
fn shown(source: &str, outcome: &RewriteCheck) -> String {
    let lines = LineIndex::new(source);
    let place = |at: ByteOffset| {
        let position = lines.position(source, at);
        format!("{}:{}", position.line + 1, position.column + 1)
    };
    let mut text = crate::support::as_it_runs(&outcome.text);
    text.push_str("--- sites\n");
    for (index, site) in outcome.sites.iter().enumerate() {
        let function = site.function.as_deref().unwrap_or("-");
        text.push_str(&format!(
            "{} {} {:?} {function}\n",
            index + 1,
            place(site.at),
            site.kind
        ));
    }
    for site in &outcome.unhooked {
        text.push_str(&format!("! {} {}\n", place(site.at), site.reason));
    }
    text
}

/// What holds for every rewriting: no line moves, positions map back, and the text without what is marked is
/// the original.
fn assert_invariants(source: &str, goal: Goal, outcome: &RewriteCheck) {
    let (before, after) = (LineIndex::new(source), LineIndex::new(&outcome.text));
    assert_eq!(before.line_count(), after.line_count(), "{}", outcome.text);
    let mut kept = 0;
    for (index, _) in source.char_indices() {
        let original = ByteOffset::from_index(index);
        let rewritten = outcome.map.to_rewritten(original);
        let back = outcome.map.to_original(rewritten);
        assert_eq!(
            before.position(source, back).line,
            after.position(&outcome.text, rewritten).line,
            "the line of byte {index} in\n{}",
            outcome.text
        );
        if !outcome.map.is_inserted(rewritten) && back == original {
            kept += 1;
            assert_eq!(
                source.as_bytes().get(index),
                outcome.text.as_bytes().get(rewritten.index()),
                "byte {index} in\n{}",
                outcome.text
            );
        }
    }
    let inserted = (0..outcome.text.len())
        .filter(|&index| outcome.map.is_inserted(ByteOffset::from_index(index)));
    let copied = outcome.text.len() - inserted.count();
    assert!(copied <= source.len());
    assert!(kept > 0 || source.trim().is_empty());
    assert_eq!(author_text(&outcome.text, DEFAULT_PREFIX), source);
    with_script(&outcome.text, goal, |_| ())
        .unwrap_or_else(|error| panic!("{error}\n{}", outcome.text));
}

#[test]
fn every_form_becomes_what_its_snapshot_says() {
    for path in fixtures() {
        let case = read_case(&path);
        let outcome = rewrite(&case.source, case.goal, &case.instrumentation);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("rewrite");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, shown(&case.source, &outcome)));
    }
}

#[test]
fn no_line_moves_and_every_position_maps_back() {
    let mut asked = vec![Instrumentation::default()];
    asked.extend(["x", ".p, x", ".1, .p, .\\0#p, x, f", "y, g, .q"].map(watched));
    for path in fixtures() {
        let case = read_case(&path);
        for instrumentation in asked.iter().chain([&case.instrumentation]) {
            let outcome = rewrite(&case.source, case.goal, instrumentation);
            assert_invariants(&case.source, case.goal, &outcome);
        }
    }
}

#[test]
fn nothing_is_edited_where_nothing_is_watched() {
    for path in fixtures() {
        let case = read_case(&path);
        let outcome = rewrite(&case.source, case.goal, &watched("nobodyWritesThis"));
        assert_eq!(outcome.text, case.source);
        assert!(outcome.sites.is_empty());
    }
}

#[test]
fn a_script_that_uses_our_names_is_left_alone() {
    let source = "var $Qp1 = 2;";
    let refused = with_script(source, Goal::Script, |script| {
        script.rewrite(&Instrumentation::default(), &NamesAsWritten)
    });
    let message = refused.unwrap().unwrap_err().to_string();
    assert_eq!(
        message,
        "not rewritten, because it uses names that begin with $Qp"
    );
}

#[test]
fn a_syntax_error_says_where() {
    let refused = with_script("let a;\nlet = ;", Goal::Script, |_| ());
    let message = refused.unwrap_err().to_string();
    assert!(
        message.starts_with("not rewritten, because it does not parse: line 2:"),
        "{message}"
    );
}

/// Found by fuzzing: the parser takes these, a browser does not, and rewritten they became something else.
#[test]
fn scripts_that_only_the_parser_takes_stay_as_they_are() {
    for source in [
        "function a(package) { 'use strict'; }",
        "!{ set a(let) { 'use strict'; } }",
        "({ a(yield) { 'use strict'; } })",
        "'use strict'; ({ eval } = 1);",
        "'use strict'; ({ arguments = 1 } = 2);",
        "list[a, { x = 1 }] = f();",
        r"var \u{30}c;",
        r"class \u0031 {}",
        r"(\u{301}x) => 1;",
        r"\u{39}++;",
        "([a] =>)[1]",
        "({ a } => /* b */\n// c\n, 1)",
        "async([a] =>)",
        "(b, [a] =>) => 1",
        "async () => { await using < a b }",
        "await using < a b",
    ] {
        let error = with_script(source, Goal::Script, |_| ()).unwrap_err();
        assert!(
            matches!(error, RewriteError::Syntax(_)),
            "{source}: {error}"
        );
    }
    // What looks like them and is right.
    for source in [
        "function a(package) {}",
        "({ eval } = 1);",
        r"var \u{61}\u{30}, \u{24}, \u{5f}, \u{e9}, \u{20bb7};",
        "[{ x = 1 }] = f();",
        "for ({ x = 1 } of f());",
        "(({ x = 1 }) => x);",
        "async () => { await using < a\nb; do ; while (using) c\n{ using } d; if (a) b; else c /*\n*/ e }",
        "'=>)'; /=>,/; `=>)${/* =>) */ () => 1}=>,`; // =>)\n/* => , */",
    ] {
        assert_eq!(
            with_script(source, Goal::Script, |_| ()),
            Ok(()),
            "{source}"
        );
    }
}

/// Found by fuzzing: what is inserted before a comment must not make it an operator.
#[test]
fn a_comment_as_in_html_stays_one() {
    for source in [
        "// first\n --> hidden\na.x = 1;",
        "<!--\na.x =\n--> hidden\n1;\n--> last",
        "/*\n*/--> hidden\na.x = 1;\n`\n--> no comment`;",
        "/* one */ /* two\n*/ /* three */ --> hidden\na.x = /<!--/.test('<!--');",
        "f < g <!--> ; hidden\na.x = [1];",
        "/*/**/--> hidden\nb[a] = a.x /**/",
        "/*\n/* a /* b */ --> hidden\na.x = 1;",
        "a.x /* <!-- */ = 1; // <!-- no\nwhile (n-->0);\n/* one */ --> hidden",
    ] {
        let everything = Instrumentation {
            watch: Watch::Everything,
            ..Instrumentation::default()
        };
        let (text, _) = with_script(source, Goal::Script, |script| {
            script.rewrite(&everything, &NamesAsWritten)
        })
        .unwrap()
        .unwrap()
        .apply(source);
        assert_eq!(with_script(&text, Goal::Script, |_| ()), Ok(()), "{text}");
        for line in source.lines().filter(|line| line.contains("hidden")) {
            assert!(text.lines().any(|other| other == line), "{line}\nin {text}");
        }
    }
}

/// A comment of the one kind behind a mark of the other: the parser does not say which it took it for.
#[test]
fn a_comment_that_cannot_be_told_from_an_operator_leaves_the_script_alone() {
    let doubtful = "a.x = 1;\n-->// hidden";
    assert!(with_script(doubtful, Goal::Script, |_| ()).is_err());
    for source in ["while (n-->// no\n0);", "a = '-->//';", "// -->// no"] {
        assert_eq!(
            with_script(source, Goal::Script, |_| ()),
            Ok(()),
            "{source}"
        );
    }
}
