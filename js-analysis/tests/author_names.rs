//! What the author's names mean in a script whose names are other ones.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::collections::HashMap;

use js_analysis::Goal;
use js_analysis::position::{ByteOffset, LineIndex};
use js_analysis::rewrite::{
    Capture, DebuggerScope, Instrumentation, OriginalNames, RequestedPoint, Spot, VariableAt,
    Watch, WatchedName, WatchedTarget, with_script,
};
use js_analysis::source_map::SourceMap;

/// Names by where their variables are declared, and files by where their code begins.
#[derive(Default)]
struct Names {
    given: HashMap<ByteOffset, String>,
    files: Vec<ByteOffset>,
    imported: bool,
}

impl OriginalNames for Names {
    fn original_name(&self, at: ByteOffset) -> Option<String> {
        self.given.get(&at).cloned()
    }

    fn file_at(&self, at: ByteOffset) -> Option<u32> {
        let begun = self.files.iter().filter(|file| **file <= at).count();
        u32::try_from(begun).ok()
    }

    fn may_import(&self, _file: u32, _name: &str) -> bool {
        self.imported
    }

    fn declares(&self, _file: u32, name: &str) -> bool {
        name == "lost"
    }
}

/// A script in which `a/*name*/` represents a variable that its author called so, `|` begins another file and `^` is
/// the place that is meant.
fn read(marked: &str) -> (String, Names, ByteOffset) {
    let (mut script, mut names) = (String::new(), Names::default());
    let mut at = ByteOffset(0);
    let mut rest = marked;
    while let Some(found) = rest.find(['^', '|', '/']) {
        script.push_str(&rest[..found]);
        let here = ByteOffset::from_index(script.len());
        let mut end = found + 1;
        match &rest[found..end] {
            "^" => at = here,
            "|" => names.files.push(here),
            _ => {
                let length = rest[found..].find("*/").unwrap();
                let name = rest[found + 2..found + length].to_owned();
                let is_part = |c: char| c.is_alphanumeric() || c == '#';
                let start = script.trim_end_matches(is_part).len();
                names.given.insert(ByteOffset::from_index(start), name);
                end = found + length + 2;
            }
        }
        rest = &rest[end..];
    }
    script.push_str(rest);
    (script, names, at)
}

fn meant(marked: &str, name: &str, imported: bool) -> String {
    let (script, mut names, at) = read(marked);
    names.imported = imported;
    let found = with_script(&script, Goal::Module, |script| {
        script.variable_at(at, name, &names)
    });
    match found.unwrap() {
        VariableAt::Local { name } => format!("local {name}"),
        VariableAt::Global { name } => format!("global {name}"),
        VariableAt::Unwatched { name, .. } => format!("unwatched {name}"),
        VariableAt::Unknown { why } => why,
    }
}

#[test]
fn a_name_means_the_variable_that_its_author_called_so() {
    for (script, name, found) in [
        ("let a/*state*/; ^", "state", "local a"),
        (
            "let a/*state*/; function f(b/*state*/) { ^ }",
            "state",
            "local b",
        ),
        ("let a; function f(b/*state*/) { ^ }", "a", "local a"),
        ("let a/*state*/; ^", "other", "global other"),
        // The innermost, whether its name was changed or not.
        ("let a/*a*/; function f() { let a; ^ }", "a", "local a"),
        // Helpers of the bundler's own have names that the author's have too.
        ("let b/*a*/; function f() { let a; ^ }", "a", "local b"),
        // Several at the top of a bundle: that of the file.
        ("let a/*state*/;| let b/*state*/; ^", "state", "local b"),
        ("let a/*state*/; ^ | let b/*state*/;", "state", "local a"),
    ] {
        assert_eq!(meant(script, name, true), found, "{script}");
    }
}

#[test]
fn a_name_that_does_not_lead_to_a_variable_says_why() {
    for (script, name, imported, why) in [
        (
            "let a/*state*/, b; ^",
            "a",
            true,
            "`a`: the source map does not say which variable this is; the one that runs as `a` there is `state`; the \
             names in sight there are state, b",
        ),
        (
            "let a/*state*/; function f(a/*item*/) { ^ }",
            "state",
            true,
            "`state` cannot be reached from there: it runs as `a`, and there `a` is another variable; the names in \
             sight there are item, f",
        ),
        (
            "let a/*state*/; | let b/*state*/; | ^",
            "state",
            true,
            "`state`: the source map does not say which variable this is; it gives the name to 2 of one scope; the \
             names in sight there are a, b",
        ),
        (
            "^",
            "lost",
            true,
            "`lost`: the source map does not say which variable this is; no names are in sight there",
        ),
        // Another file's, which this one does not import.
        ("let a/*state*/; | ^", "state", false, "global state"),
        ("let a/*state*/; | ^", "a", false, "local a"),
    ] {
        assert_eq!(meant(script, name, imported), why, "{script}");
    }
}

#[test]
fn a_variable_is_shown_by_the_name_of_its_own_scope() {
    let marked = "let t/*Action*/, o/*todos*/; function f/*left*/(t/*state*/, n/*todos*/) { { let t/*open*/; ^ } }";
    let (script, names, at) = read(marked);
    let scopes = with_script(&script, Goal::Module, |it| it.original_scopes(&names)).unwrap();
    let map = SourceMap::default();
    let spot = Spot {
        at,
        position: LineIndex::new(&script).position(&script, at),
        map: &map,
    };
    let between = |text: &str| {
        let start = script.find(text).unwrap();
        let (start, end) = (ByteOffset::from_index(start), start + text.len());
        DebuggerScope::Between(start, ByteOffset::from_index(end))
    };
    let function = between("(t, n) { { let t;  } }");
    for (scope, running, shown) in [
        (between("{ let t;  }"), "t", Some("open")),
        (function, "t", Some("state")),
        (function, "n", Some("todos")),
        (between(&script), "t", Some("Action")),
        (DebuggerScope::Top, "t", Some("Action")),
        // The inner one has the name.
        (between(&script), "o", None),
        (between(&script), "unknown", None),
        (DebuggerScope::Anywhere, "t", Some("open")),
    ] {
        let found = scopes.variable(spot, scope, running);
        assert_eq!(found.as_deref(), shown, "{running} in {scope:?}");
    }
    let running = scopes.running(spot, "todos.length + open").unwrap();
    assert_eq!(running.text, "n.length + t");
    let renamed = [("n", "todos"), ("t", "open")].map(|(n, a)| (n.to_owned(), a.to_owned()));
    assert_eq!(running.renamed, renamed);
    assert!(scopes.running(spot, "state").is_err());
}

#[test]
fn what_is_captured_inside_the_page_goes_by_the_same_names() {
    let (script, names, at) = read("function f(t/*state*/, a) { ^g(); }");
    let rewritten = with_script(&script, Goal::Script, |script| {
        let line = js_analysis::position::ByteSpan {
            start: at,
            end: ByteOffset(at.0 + 1),
        };
        let place = script.code_places().on_line(line).unwrap();
        let instrumentation = Instrumentation {
            watch: js_analysis::rewrite::Watch::Names(Vec::new()),
            points: vec![RequestedPoint {
                place,
                dependents: Vec::new(),
                slot: None,
            }],
            capture: Some(Capture {
                watches: vec!["state.length".to_owned(), "lost".to_owned()],
            }),
            ..Instrumentation::default()
        };
        script.rewrite(&instrumentation, &names).unwrap()
    });
    let (text, _) = rewritten.unwrap().apply(&script);
    for part in [
        "{__proto__:null,\"state\":()=>t,a:()=>a,}",
        "w:[()=>(t.length),()=>{throw{message:\"`lost`: the source map does not say which variable this is; ",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_variable_can_be_called_as_the_prototype_is() {
    let (script, names, _) = read(
        "let p/*__proto__*/ = 2; export { p as __proto__ }; function f(o) { let __proto__; o.total = p + __proto__; }",
    );
    let watched = |target| WatchedName {
        target,
        dependents: Vec::new(),
    };
    let instrumentation = Instrumentation {
        watch: Watch::Names(vec![
            watched(WatchedTarget::Property("total".to_owned())),
            watched(WatchedTarget::Variable("y".to_owned())),
        ]),
        capture: Some(Capture {
            watches: Vec::new(),
        }),
        ..Instrumentation::default()
    };
    let rewritten = with_script(&script, Goal::Module, |script| {
        script.rewrite(&instrumentation, &names).unwrap()
    });
    let text = rewritten.unwrap().apply(&script).0;
    // What is captured in the function, and what the module exports.
    for part in [
        "[\"local\",{__proto__:null,o:()=>o,[\"__proto__\"]:()=>__proto__,}]",
        ",[\"__proto__\"]:()=>p,}]",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let parses = with_script(&text, Goal::Module, |_| ());
    assert!(parses.is_ok(), "{text}");
}

#[test]
fn what_a_getter_reads_is_told_by_the_authors_names() {
    let (script, names, _) = read(
        "class C { #t = 1; get total() { return this.#t/*#balance*/ } set total(v) { this.#t = v } }",
    );
    let instrumentation = Instrumentation {
        watch: Watch::Names(vec![WatchedName {
            target: WatchedTarget::Property("total".to_owned()),
            dependents: Vec::new(),
        }]),
        ..Instrumentation::default()
    };
    let rewritten = with_script(&script, Goal::Script, |script| {
        script.rewrite(&instrumentation, &names)
    });
    let text = rewritten
        .and_then(|rewritten| rewritten)
        .unwrap()
        .apply(&script)
        .0;
    assert!(text.contains("[[\"this.#balance\",()=>this,"), "{text}");
}
