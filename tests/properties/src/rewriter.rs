//! The rewriter: any text gives a script that parses, or an error and so the text as it was; no line moves; every
//! inserted character is in the position map, and without them the text is what it was.

use js_analysis::Goal;
use js_analysis::edits::{Edits, PositionMap};
use js_analysis::position::{ByteOffset, LineIndex};
use js_analysis::rewrite::{
    Capture, Dependent, DependentRoot, Instrumentation, NamesAsWritten, OriginalNames,
    RequestedPoint, RewriteError, Rewritten, Script, TOP, TracedEvent, TracedKind, VariableAt,
    Watch, WatchedCondition, WatchedName, WatchedTarget, private_key, with_script,
};

use crate::choices;

/// The first byte chooses goal, names and what is watched; the rest is the script.
pub fn rewriter(input: &[u8]) {
    let (choice, script) = choices(input);
    let source = String::from_utf8_lossy(script);
    let goal = match choice & 3 {
        0 | 1 => Goal::Script,
        2 => Goal::Module,
        _ => Goal::EventHandler,
    };
    rewritten(&source, goal, choice >> 2);
}

/// Rewrites `source`, checks what must hold, and gives the result: `None` if it stays as it is.
pub(crate) fn rewritten(source: &str, goal: Goal, choice: u8) -> Option<String> {
    let names: &dyn OriginalNames = if choice & 32 != 0 {
        &OtherNames
    } else {
        &NamesAsWritten
    };
    let outcome = with_script(source, goal, |script| {
        let instrumentation = instrumentation(script, choice);
        let first = script.rewrite(&instrumentation, names)?;
        let second = script.rewrite(&instrumentation, names)?;
        ask_about_places(script, &instrumentation, names);
        Ok::<_, RewriteError>((first, second))
    });
    let (first, second) = match outcome {
        Ok(Ok(both)) => both,
        Ok(Err(error @ RewriteError::ScopesDisagree)) => panic!("{error}: {source:?}"),
        Ok(Err(_)) | Err(_) => return None,
    };
    for at in first.sites.iter().map(|site| site.at) {
        assert!(source.is_char_boundary(at.index()), "a site at {at:?}");
    }
    let listed = apply_list(source, second);
    let (text, map) = first.apply(source);
    assert_eq!(text, listed, "two rewritings of {source:?}");
    map_is_true(source, &text, &map);
    if let Err(error) = with_script(&text, goal, |_| ()) {
        panic!("{error}\nof {source:?}\ncame {text:?}");
    }
    Some(text)
}

/// Names as a source map might give them: some, and none that are there.
struct OtherNames;

impl OriginalNames for OtherNames {
    fn original_name(&self, at: ByteOffset) -> Option<String> {
        const NAMES: [&str; 4] = ["x", "a", "p", "it is no name"];
        NAMES.get(at.index() % 7).map(|&name| name.to_owned())
    }

    fn assigns(&self, at: ByteOffset, _name: Option<&str>) -> bool {
        at.index().is_multiple_of(2)
    }
}

fn instrumentation(script: &Script<'_>, choice: u8) -> Instrumentation {
    let watch = match choice & 7 {
        0 => Watch::Standby,
        1 => Watch::Everything,
        2 => Watch::Live,
        3 => Watch::Names(watched(&[])),
        _ => Watch::Names(watched(&[0, 1, 2, 3])),
    };
    // Conditions are asked for together with names; the first of these represents them.
    let asks_conditions = matches!(choice & 7, 3 | 7);
    let (mut conditions, mut try_blocks, mut traced) = (Vec::new(), Vec::new(), Vec::new());
    let mut activations = Vec::new();
    if asks_conditions {
        let watched = |condition| WatchedCondition {
            condition,
            slots: vec![0, 1],
        };
        conditions.extend(script.conditions().into_iter().map(watched));
        let around = script.code_places();
        let around = around.offsets().flat_map(|at| script.try_blocks_around(at));
        try_blocks.extend(around.map(|block| block.start));
        try_blocks.sort_unstable();
        try_blocks.dedup();
        activations.push(TOP);
        activations.extend(script.functions().iter().map(|function| function.body));
        for kind in [TracedKind::Call, TracedKind::Return, TracedKind::Creation] {
            traced.extend(["a", "x", "f"].map(|name| TracedEvent {
                kind,
                name: name.to_owned(),
                slot: 0,
            }));
        }
    }
    let depends = choice & 4 != 0;
    let places: Vec<ByteOffset> = script.code_places().offsets().collect();
    let points = (choice & 8 != 0)
        .then(|| places.get(places.len() / 2))
        .flatten()
        .and_then(|&at| script.code_places().exactly_at(at))
        .map(|place| RequestedPoint {
            place,
            dependents: if depends {
                vec![0, 1, 2, 3]
            } else {
                Vec::new()
            },
            slot: None,
        });
    Instrumentation {
        watch,
        dependents: vec![
            dependent(DependentRoot::This, false),
            dependent(DependentRoot::EventObject, false),
            dependent(DependentRoot::Name("a".to_owned()), false),
            dependent(DependentRoot::Name("x".to_owned()), true),
        ],
        capture: (choice & 16 != 0).then(|| Capture {
            watches: vec!["a.b".to_owned(), "this".to_owned()],
        }),
        points: points.into_iter().collect(),
        conditions,
        try_blocks,
        activations,
        traced,
        traced_variables: if asks_conditions {
            vec![0, 10]
        } else {
            Vec::new()
        },
        ..Instrumentation::default()
    }
}

fn dependent(root: DependentRoot, is_variable: bool) -> Dependent {
    Dependent { root, is_variable }
}

/// Names that short scripts use.
fn watched(dependents: &[usize]) -> Vec<WatchedName> {
    let properties = [
        "a",
        "x",
        "y",
        "0",
        "1",
        "length",
        "constructor",
        "__proto__",
    ];
    let privates = ["a", "x"].map(private_key);
    let variables = ["a", "x", "y", "f", "arguments", "let", "async", "eval"];
    let targets = properties
        .into_iter()
        .map(str::to_owned)
        .chain(privates)
        .map(WatchedTarget::Property);
    targets
        .chain(variables.map(|name| WatchedTarget::Variable(name.to_owned())))
        .map(|target| WatchedName {
            target,
            dependents: dependents.to_vec(),
        })
        .collect()
}

/// What the driver asks of a script besides: none of it may fail, and what it would evaluate must parse.
fn ask_about_places(
    script: &Script<'_>,
    instrumentation: &Instrumentation,
    names: &dyn OriginalNames,
) {
    let _ = script.imported_specifiers();
    let _ = script.original_scopes(names);
    for at in script.code_places().offsets().take(16) {
        let _ = script.function_name_at(at);
        if let VariableAt::Local { name } | VariableAt::Global { name } =
            script.variable_at(at, "x", names)
        {
            assert!(!name.is_empty(), "a variable without a name");
        }
        let context = script.context_at(at, None, instrumentation, &[0, 1, 2, 3], names);
        // It is evaluated inside a frame, where all of these names may be.
        let inside = format!("async function* $(){{({context})}}");
        assert!(
            context.is_empty() || with_script(&inside, Goal::Script, |_| ()).is_ok(),
            "no expression: {context:?}"
        );
    }
}

/// Applies the edits one by one, as a document does with those of its scripts.
fn apply_list(source: &str, rewritten: Rewritten) -> String {
    let mut text = String::new();
    let mut copied = 0;
    for (at, deleted, inserted) in rewritten.edits.into_list() {
        assert!(copied <= at.index(), "edits overlap in {source:?}");
        text.push_str(&source[copied..at.index()]);
        text.push_str(&inserted);
        copied = at.index() + deleted as usize;
    }
    text.push_str(&source[copied..]);
    text
}

/// Every character that was not inserted comes from where the map says, in order, and is on the same line.
pub(crate) fn map_is_true(source: &str, text: &str, map: &PositionMap) {
    let (lines, new_lines) = (LineIndex::new(source), LineIndex::new(text));
    assert_eq!(
        lines.line_count(),
        new_lines.line_count(),
        "lines of {source:?} and of {text:?}"
    );
    let mut kept = vec![false; source.len()];
    let mut last = ByteOffset(0);
    for (index, character) in text.char_indices() {
        let at = ByteOffset::from_index(index);
        let from = map.to_original(at);
        assert!(from.index() <= source.len(), "{from:?} is past the end");
        assert!(last <= from, "the map goes back at {at:?} of {text:?}");
        last = from;
        let line = |lines: &LineIndex, text: &str, at| lines.position(text, at).line;
        if map.is_inserted(at) {
            continue;
        }
        assert!(
            source[from.index()..].starts_with(character),
            "{at:?} of {text:?} is not {from:?} of {source:?}"
        );
        assert_eq!(map.to_rewritten(from), at, "there and back");
        assert_eq!(
            line(&lines, source, from),
            line(&new_lines, text, at),
            "{at:?} of {text:?} has moved to another line"
        );
        kept[from.index()..from.index() + character.len_utf8()].fill(true);
    }
    // What is gone was replaced: nothing but what an edit names is missing.
    for (index, _) in source.char_indices().filter(|&(index, _)| !kept[index]) {
        let at = map.to_rewritten(ByteOffset::from_index(index));
        assert!(at.index() <= text.len(), "{at:?} is past the end");
    }
}

/// The text after `edits`, which are those of parts of it.
pub(crate) fn edited(source: &str, edits: Edits) -> String {
    let (text, map) = edits.apply(source);
    map_is_true(source, &text, &map);
    text
}
