use super::*;
use crate::Goal;
use crate::edits::Edits;
use crate::rewrite::{Instrumentation, NamesAsWritten, with_script};
use proptest::prelude::*;

/// `source` as it is rewritten for standby.
fn rewritten(source: &str) -> MappedText {
    let rewriting = with_script(source, Goal::Script, |script| {
        script.rewrite(&Instrumentation::default(), &NamesAsWritten)
    });
    let (text, map) = rewriting.unwrap().unwrap().apply(source);
    assert_ne!(text, source);
    MappedText::new(source.to_owned(), text, map)
}

/// Each character that is kept leads back to its place, and what was inserted to where that was done.
fn leads_back(text: &MappedText) {
    let map = SourceMap::of_rewriting(text, "a.js", None);
    let json = map.to_json(None).unwrap();
    let map = SourceMap::parse(&json, None).unwrap();
    assert_eq!(map.source_text("a.js"), Some(text.original.as_str()));
    for (at, character) in text.rewritten.char_indices() {
        let at = ByteOffset::from_index(at);
        let running = text.rewritten_position(at);
        let found = map.original(running).unwrap();
        let meant = text.original_position(running);
        let from = map.mapping_at(running).unwrap().generated;
        // What follows the beginning of a mapping is as far from its original, if it is the author's.
        let past = running.column - from.column;
        let past = if text.map().is_inserted(at) { 0 } else { past };
        let found = Utf16Position {
            column: found.position.column + past,
            ..found.position
        };
        assert_eq!(found, meant, "{character:?} at {running:?} of {text:?}");
    }
}

#[test]
fn every_character_that_is_kept_leads_back() {
    for source in [
        "let x = f();\nx++;\n",
        "o.p = 1; o['é😀'] += 2;\r\n\tfunction f(a, b) {\n  return a.b?.c(b)\n}\nf(1)",
        "x /* one\n two */ += /* three */ y\n;`a${b = 1}\n${c.d = 2}`",
        "for (let i = 0; i < 9; i++) list[i] = () => i, 1",
        "o.p = 1\u{2028}o.q = 2",
    ] {
        leads_back(&rewritten(source));
    }
}

#[test]
fn mappings_begin_where_debuggers_pause() {
    let source = "let x = f.g(1); return_(); }";
    let mut edits = Edits::default();
    edits.insert(ByteOffset(0), "$0();");
    edits.insert(ByteOffset(8), "$1=");
    let (rewritten, map) = edits.apply(source);
    let text = MappedText::new(source.to_owned(), rewritten.clone(), map);
    let map = SourceMap::of_rewriting(&text, "a.js", None);
    let mut shown = String::new();
    for (column, character) in (0..).zip(rewritten.chars()) {
        let at = Utf16Position { line: 0, column };
        if map.original(at).unwrap().exact {
            shown.push('|');
        }
        shown.push(character);
    }
    assert_eq!(
        shown,
        "|$0();|let |x |= |$1=|f|.|g|(|1|)|; |return_|(|)|; |}"
    );
    let at = |column| map.original(Utf16Position { line: 0, column }).unwrap();
    assert_eq!(at(2).position.column, 0, "inserted");
    assert_eq!(at(5).position.column, 0, "`let`");
    assert_eq!(at(14).position.column, 8, "inserted");
    assert_eq!(at(16).position.column, 8, "`f`");
    assert_eq!(at(18).position.column, 10, "`g`");
}

/// The author's two lines in `a.ts`, on one line of the bundle; behind them what the bundler wrote.
const OWN: &str = r#"{"version":3,"sources":["a.ts","b.ts"],"sourcesContent":["total = 1\nlast = 2",null],
    "names":["total"],"ignoreList":[1],"mappings":"AAAAA,KACE,I;ACCF"}"#;

#[test]
fn a_map_of_its_own_is_gone_on_through() {
    let source = "t=1; l=2;u()\nv()";
    let own = SourceMap::parse(OWN, Some("http://host/js/app.js")).unwrap();
    let mut edits = Edits::default();
    for (at, inserted) in [
        (0, "$0();"),
        (2, "$1="),
        (5, "$2();"),
        (7, "$3="),
        (13, "$4();"),
    ] {
        edits.insert(ByteOffset(at), inserted);
    }
    let (rewritten, map) = edits.apply(source);
    assert_eq!(rewritten, "$0();t=$1=1; $2();l=$3=2;u()\n$4();v()");
    let text = MappedText::new(source.to_owned(), rewritten, map);
    let whole = SourceMap::of_rewriting(&text, "http://host/js/app.js", Some(&own));
    let json = whole.to_json(None).unwrap();
    let whole = SourceMap::parse(&json, Some("data:")).unwrap();
    assert_eq!(whole.sources(), own.sources());
    // Wherever one asks, it says what the map of the bundle says of that place.
    for (at, character) in text.rewritten.char_indices() {
        let running = text.rewritten_position(ByteOffset::from_index(at));
        let found = whole.original(running);
        let meant = own.original(text.original_position(running));
        let place = |found: Option<super::super::Original>| {
            found.map(|found| (found.source, found.position, found.name))
        };
        assert_eq!(place(found), place(meant), "{character:?} at {running:?}");
    }
    // One of the bundle's mappings stays one.
    assert_eq!(whole.mappings.len(), own.mappings.len(), "{whole:?}");
    let at = |line, column| whole.original(Utf16Position { line, column });
    assert_eq!(at(0, 0).unwrap().source, "http://host/js/a.ts");
    assert_eq!(at(0, 5).unwrap().name.as_deref(), Some("total"));
    let second = Utf16Position { line: 1, column: 2 };
    assert_eq!(at(0, 18).unwrap().position, second, "`l`");
    assert_eq!(at(0, 25), None, "the bundler wrote `u()`");
    assert_eq!(at(1, 5).unwrap().source, "http://host/js/b.ts");
}

#[test]
fn a_map_that_leads_beyond_the_text_does_no_harm() {
    let json = r#"{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA,4zvBAEA;;;;AACA"}"#;
    let own = SourceMap::parse(json, None).unwrap();
    let text = rewritten("o.p = 1;\no.q = 2;\n");
    let whole = SourceMap::of_rewriting(&text, "a.js", Some(&own));
    let at = |line, column| whole.original(Utf16Position { line, column });
    let second = text.rewritten_position(text.map().to_rewritten(ByteOffset(9)));
    assert_eq!(at(0, 3).unwrap().position.line, 0);
    assert_eq!(at(second.line, second.column), None);
}

#[test]
fn a_script_of_a_document_begins_at_nothing() {
    let source = "<p>é<script>a(1);\nb()</script>";
    let mut edits = Edits::default();
    edits.insert(ByteOffset(3), "<!-- -->");
    edits.insert(ByteOffset(13), "$0();");
    edits.insert(ByteOffset(19), "$1();");
    let (rewritten, map) = edits.apply(source);
    let text = MappedText::new(source.to_owned(), rewritten, map);
    let script = "$0();a(1);\n$1();b()";
    let start = text.rewritten.find(script).unwrap();
    let part = ByteSpan {
        start: ByteOffset::from_index(start),
        end: ByteOffset::from_index(start + script.len()),
    };
    let map = SourceMap::of_part(&text, "a.html", None, part);
    let at = |line, column| {
        let place = map.original(Utf16Position { line, column }).unwrap();
        (place.position.line, place.position.column)
    };
    assert_eq!(at(0, 0), (0, 12), "inserted");
    assert_eq!(at(0, 5), (0, 12), "`a`");
    assert_eq!(at(0, 7), (0, 14), "`1`");
    assert_eq!(at(1, 5), (1, 0), "`b`");
    assert_eq!(map.source_text("a.html"), Some(source));
    assert_eq!(map.mappings.last().unwrap().generated.line, 1);
}

proptest! {
    #[test]
    fn any_edits_lead_back(
        source in "[a-c =;(\n\r\u{2028}é😀]{0,40}",
        places in proptest::collection::vec((0usize..40, "[$x(\n]{0,4}"), 0..8),
    ) {
        let mut edits = Edits::default();
        for (at, inserted) in &places {
            let mut at = (*at).min(source.len());
            while !source.is_char_boundary(at) {
                at -= 1;
            }
            // No edit of ours adds a line or comes between the two characters of a line break.
            let in_break = source[..at].ends_with('\r') && source[at..].starts_with('\n');
            if !in_break {
                edits.insert(ByteOffset::from_index(at), &inserted.replace('\n', ""));
            }
        }
        let (rewritten, map) = edits.apply(&source);
        leads_back(&MappedText::new(source, rewritten, map));
    }
}
