//! What the names in sight of a hook cost in a bundle whose top has very many variables.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::cell::Cell;

use js_analysis::Goal;
use js_analysis::position::ByteOffset;
use js_analysis::rewrite::{
    Capture, Instrumentation, OriginalNames, Watch, WatchedName, WatchedTarget, with_script,
};
use js_analysis::source_map::Imported;

/// Gives every variable the name that is there with another beginning, and counts how often it is asked.
struct Counted<'s> {
    source: &'s str,
    asked: Cell<usize>,
    imports_asked: Cell<usize>,
}

impl OriginalNames for Counted<'_> {
    fn original_name(&self, at: ByteOffset) -> Option<String> {
        self.asked.set(self.asked.get() + 1);
        let rest = &self.source[at.index()..];
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap();
        Some(format!("author{}", &rest[..end]))
    }

    fn file_at(&self, _at: ByteOffset) -> Option<u32> {
        Some(0)
    }

    fn imported(&self, _file: u32, _name: &str) -> Option<Imported> {
        self.imports_asked.set(self.imports_asked.get() + 1);
        None
    }
}

/// Each write of `total` hands over what is in sight.
fn instrumentation() -> Instrumentation {
    Instrumentation {
        watch: Watch::Names(vec![WatchedName {
            target: WatchedTarget::Property("total".to_owned()),
            dependents: Vec::new(),
        }]),
        capture: Some(Capture::default()),
        ..Instrumentation::default()
    }
}

#[test]
fn each_name_is_looked_up_once_for_each_hook_and_not_among_all_others() {
    const VARIABLES: usize = 300;
    const WRITES: usize = 20;
    let mut source = String::new();
    for number in 0..VARIABLES {
        source.push_str(&format!("let v{number} = {number};\n"));
    }
    for number in 0..WRITES {
        source.push_str(&format!(
            "function f{number}(o) {{ o.total = {number}; }}\n"
        ));
    }
    let names = Counted {
        source: &source,
        asked: Cell::new(0),
        imports_asked: Cell::new(0),
    };
    let rewritten = with_script(&source, Goal::Script, |script| {
        script.rewrite(&instrumentation(), &names)
    })
    .and_then(|rewritten| rewritten)
    .unwrap();
    let text = rewritten.apply(&source).0;
    assert_eq!(
        text.matches("authorv0\":()=>v0,").count(),
        WRITES,
        "{text:.2000}"
    );
    let in_sight = VARIABLES + WRITES + 2;
    let asked = names.asked.get();
    assert!(
        asked <= 4 * in_sight * (WRITES + 2),
        "{asked} names were asked for {in_sight} variables and {WRITES} hooks"
    );
    let imports = names.imports_asked.get();
    assert!(
        imports <= 2 * in_sight,
        "{imports} imports were asked for {in_sight} variables"
    );
}

/// What is before an offset is a library's.
struct OfTwoFiles {
    own_from: ByteOffset,
}

impl OriginalNames for OfTwoFiles {
    fn original_name(&self, _at: ByteOffset) -> Option<String> {
        None
    }

    fn file_at(&self, at: ByteOffset) -> Option<u32> {
        Some(u32::from(at >= self.own_from))
    }

    fn is_of_library(&self, file: u32) -> bool {
        file == 0
    }
}

#[test]
fn of_many_variables_a_hook_hands_over_those_that_are_declared_near_to_it() {
    let library: String = (0..300).map(|number| format!("let v{number};")).collect();
    let source = format!("{library}let own; function f(o) {{ o.total = 1; }}");
    let names = OfTwoFiles {
        own_from: ByteOffset::from_index(library.len()),
    };
    let rewritten = with_script(&source, Goal::Script, |script| {
        script.rewrite(&instrumentation(), &names)
    })
    .and_then(|rewritten| rewritten)
    .unwrap();
    let text = rewritten.apply(&source).0;
    let (_, script) = text.split_once("[\"script\",{__proto__:null,").unwrap();
    let (handed_over, _) = script.split_once("}]").unwrap();
    let thunks: Vec<&str> = handed_over.split(',').filter(|it| !it.is_empty()).collect();
    assert_eq!(thunks[..3], ["f:()=>f", "own:()=>own", "v0:()=>v0"]);
    assert_eq!(thunks.len(), 200);
}
