//! The inputs and outputs that the modules of `rewrite` open with are what rewriting does.
//!
//! In a block ```` ```text ```` of a module's documentation each line has what is written and, after three
//! spaces, what becomes of it, with `…` for anything; so has each row of the table in `rewrite/mod.rs`.
//! Each input is in a function that sees `o`, `f`, `g`, `k`, `v` and, from outside, `x`; sites are
//! all written as number 1.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use js_analysis::Goal;
use js_analysis::rewrite::{
    Instrumentation, NamesAsWritten, Script, TracedEvent, TracedKind, Watch, WatchedCondition,
    WatchedName, WatchedTarget, with_script,
};

const MODULES: [(&str, &str); 16] = [
    ("accessors", include_str!("../src/rewrite/accessors.rs")),
    ("activations", include_str!("../src/rewrite/activations.rs")),
    ("arguments", include_str!("../src/rewrite/arguments.rs")),
    ("classes", include_str!("../src/rewrite/classes.rs")),
    ("code", include_str!("../src/rewrite/code.rs")),
    ("conditions", include_str!("../src/rewrite/conditions.rs")),
    ("deletions", include_str!("../src/rewrite/deletions.rs")),
    ("functions", include_str!("../src/rewrite/functions.rs")),
    ("literals", include_str!("../src/rewrite/literals.rs")),
    ("patterns", include_str!("../src/rewrite/patterns.rs")),
    ("properties", include_str!("../src/rewrite/properties.rs")),
    ("shadows", include_str!("../src/rewrite/shadows.rs")),
    ("statements", include_str!("../src/rewrite/statements.rs")),
    (
        "super_properties",
        include_str!("../src/rewrite/super_properties.rs"),
    ),
    ("tracing", include_str!("../src/rewrite/tracing.rs")),
    ("variables", include_str!("../src/rewrite/variables.rs")),
];

/// The pairs of a module's documentation.
fn documented(text: &str) -> Vec<(String, String)> {
    text.lines()
        .map_while(|line| line.strip_prefix("//!"))
        .skip_while(|line| line.trim() != "```text")
        .skip(1)
        .take_while(|line| line.trim() != "```")
        .map(|line| {
            let (before, after) = line.trim().split_once("   ").unwrap();
            (before.trim().to_owned(), after.trim().to_owned())
        })
        .collect()
}

/// The pairs of the table in `rewrite/mod.rs`.
fn tabulated(text: &str) -> Vec<[String; 3]> {
    text.lines()
        .filter_map(|line| line.strip_prefix("//! | `"))
        .map(|row| {
            let mut cells = row.split(" | ");
            let mut cell = || cells.next().unwrap().trim_end_matches('|').trim();
            let cells = [cell(), cell(), cell()];
            cells.map(|cell| cell.trim_matches('`').to_owned())
        })
        .collect()
}

/// For the module whose forms are no writes.
fn watching_every_condition(script: &Script<'_>) -> Instrumentation {
    let watched = |condition| WatchedCondition {
        condition,
        slots: vec![0],
    };
    Instrumentation {
        watch: Watch::Names(vec![WatchedName {
            target: WatchedTarget::Conditions(0),
            dependents: Vec::new(),
        }]),
        conditions: script.conditions().into_iter().map(watched).collect(),
        ..Instrumentation::default()
    }
}

/// Calls and returns of `h`, and what `f` constructs.
fn counting_everything() -> Instrumentation {
    let event = |kind, name: &str| TracedEvent {
        kind,
        name: name.to_owned(),
        slot: 0,
    };
    Instrumentation {
        watch: Watch::Names(vec![WatchedName {
            target: WatchedTarget::Events(0),
            dependents: Vec::new(),
        }]),
        traced: vec![
            event(TracedKind::Call, "h"),
            event(TracedKind::Return, "h"),
            event(TracedKind::Creation, "f"),
        ],
        ..Instrumentation::default()
    }
}

/// Where every function numbers its calls.
fn numbering_every_call(script: &Script<'_>) -> Instrumentation {
    // The two that the form is in are others'.
    let functions = script.functions().into_iter().skip(2);
    Instrumentation {
        watch: Watch::Names(Vec::new()),
        activations: functions.map(|function| function.body).collect(),
        ..Instrumentation::default()
    }
}

/// What becomes of `before`, with every site number 1 and every unused name `$QpZ`.
fn rewritten(module: &str, before: &str) -> String {
    let source =
        format!("(function (x) {{ return function (o, f, g, k, v) {{\n{before}\n}} }});\n");
    let rewritten = with_script(&source, Goal::Script, |script| {
        let instrumentation = match module {
            "activations" => numbering_every_call(script),
            "conditions" => watching_every_condition(script),
            "tracing" => counting_everything(),
            "shadows" => Instrumentation {
                watch: Watch::Live,
                ..Instrumentation::default()
            },
            _ => Instrumentation {
                watch: Watch::Everything,
                ..Instrumentation::default()
            },
        };
        script.rewrite(&instrumentation, &NamesAsWritten)
    });
    let (text, _) = rewritten.unwrap().unwrap().apply(&source);
    let text = crate::support::as_it_runs(&text);
    let line = text.lines().nth(1).unwrap();
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("$Qp") {
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        // `$QpK(0,` names no site.
        let letter = tail
            .chars()
            .next()
            .filter(|&c| c.is_ascii_uppercase() && c != 'K');
        let after_letter = tail.trim_start_matches(|c: char| Some(c) == letter);
        let (open, digits) = match after_letter.strip_prefix('(') {
            Some(digits) => ("(", digits),
            None => ("", after_letter),
        };
        let end = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        match letter {
            Some(letter) if end.len() < digits.len() => {
                out.push(letter);
                out.push_str(open);
                if !open.is_empty() {
                    out.push('1');
                }
                rest = end;
            }
            _ => rest = tail,
        }
    }
    out.push_str(rest);
    with_one_number(&out)
}

/// The same with every site of a live hook number 1.
fn with_one_number(text: &str) -> String {
    let mut parts = text.split("Now|");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        out.push_str("Now|");
        if rest.len() < part.len() {
            out.push('1');
        }
        out.push_str(rest);
    }
    out
}

fn assert_becomes(module: &str, before: &str, after: &str) {
    let found = rewritten(module, before);
    let mut rest = found.as_str();
    let pieces: Vec<&str> = after.split('…').collect();
    for (index, piece) in pieces.iter().enumerate() {
        let at = rest.find(piece).unwrap_or(usize::MAX);
        assert!(
            at != usize::MAX && (index > 0 || at == 0),
            "in {module}: {before}\nis said to become  {after}\nand becomes        {found}"
        );
        rest = &rest[at + piece.len()..];
    }
    assert!(
        rest.is_empty() || after.ends_with('…'),
        "in {module}: {before}\nis said to become  {after}\nand becomes        {found}"
    );
}

#[test]
fn forms_become_what_their_modules_say() {
    for (module, text) in MODULES {
        let pairs = documented(text);
        assert!(pairs.len() >= 3, "{module} has its block of forms");
        for (before, after) in pairs {
            assert_becomes(module, &before, &after);
        }
    }
}

#[test]
fn forms_become_what_the_table_says() {
    let pairs = tabulated(include_str!("../src/rewrite/mod.rs"));
    assert!(pairs.len() >= 5, "the table is there");
    for [module, before, after] in pairs {
        assert_becomes(&module, &before, &after);
    }
}
