//! Which place a line and a column mean, and that a report can be put at every place.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::fs;
use std::path::Path;

use js_analysis::Goal;
use js_analysis::position::{ByteOffset, LineIndex, Utf16Position};
use js_analysis::rewrite::{
    CodePlaces, Instrumentation, NamesAsWritten, OriginalNames, PlaceShape, PointPlace,
    RequestedPoint, VariableAt, Watch, with_script,
};
use js_analysis::source_map::SourceMap;

fn places(source: &str, goal: Goal) -> CodePlaces {
    with_script(source, goal, |script| script.code_places()).unwrap()
}

/// The text of the place that `line` (and `column`), counted from 1, mean; up to the end of the line.
fn found(source: &str, line: u32, column: Option<u32>) -> Option<(&'static str, String)> {
    let lines = LineIndex::new(source);
    let places = places(source, Goal::Script);
    let span = lines.line_span(line - 1).unwrap();
    let place = match column {
        None => places.on_line(span),
        Some(column) => {
            let position = Utf16Position {
                line: line - 1,
                column: column - 1,
            };
            places.at_column(span, lines.offset(source, position).unwrap())
        }
    }?;
    let rest = &source[place.at.index()..];
    let (shape, end) = match place.shape {
        PlaceShape::Statement => ("statement", rest.find('\n').unwrap_or(rest.len())),
        PlaceShape::Body => ("body", rest.find('\n').unwrap_or(rest.len())),
        PlaceShape::Expression(end) => ("expression", end.index() - place.at.index()),
    };
    Some((shape, rest[..end].to_owned()))
}

fn assert_found(source: &str, line: u32, column: Option<u32>, shape: &str, text: &str) {
    let found = found(source, line, column);
    let found = found.as_ref().map(|(shape, text)| (*shape, text.as_str()));
    assert_eq!(found, Some((shape, text)), "line {line} of\n{source}");
}

#[test]
fn a_line_means_its_first_statement() {
    assert_found("a();\nb(); c();\n", 2, None, "statement", "b(); c();");
    assert_found("if (a)\n  b();\n", 2, None, "body", "b();");
    assert_found("for (;;)\n  b();\n", 2, None, "body", "b();");
    assert_found(
        "class A {\n  m() {\n    a();\n  }\n}",
        3,
        None,
        "statement",
        "a();",
    );
}

#[test]
fn a_line_inside_a_statement_means_its_first_expression() {
    assert_found("f(a,\n  b.c,\n  d);", 2, None, "expression", "b.c");
    assert_found("const x =\n  g(1) + 2;", 2, None, "expression", "g(1) + 2");
    assert_found("const f = () =>\n  g(1);", 2, None, "expression", "g(1)");
    assert_found(
        "jsx(\"div\", {\n  children: total(cart),\n});",
        2,
        None,
        "expression",
        "total(cart)",
    );
    assert_found(
        "return_ = {\n  a: 1,\n  b: c };",
        3,
        None,
        "expression",
        "c",
    );
}

#[test]
fn a_line_without_code_means_nothing() {
    let source = "a();\n\n// words\nfunction f() {\n}\n  'text',\n1;";
    for line in [2, 3, 5] {
        assert_eq!(found(source, line, None), None, "line {line}");
    }
    assert_eq!(found("function f() {}\n", 1, None), None);
    assert_eq!(found("f(function () {\n});", 2, None), None);
}

#[test]
fn the_nearest_lines_with_code_can_be_named() {
    let source = "a();\n\n\nb(c,\n\n  d);\n";
    let lines = LineIndex::new(source);
    let mut with_code: Vec<u32> = places(source, Goal::Script)
        .offsets()
        .map(|offset| lines.position(source, offset).line + 1)
        .collect();
    with_code.sort_unstable();
    with_code.dedup();
    assert_eq!(with_code, [1, 4, 6]);
}

#[test]
fn a_column_means_what_starts_there_or_the_statement_around_it() {
    let source = "a(); b(c(1));";
    assert_found(source, 1, Some(1), "statement", source);
    assert_found(source, 1, Some(6), "statement", "b(c(1));");
    assert_found(source, 1, Some(8), "expression", "c(1)");
    assert_found(source, 1, Some(3), "statement", source);
    assert_found(source, 1, Some(5), "statement", "b(c(1));");
    assert_found(source, 1, Some(99), "statement", "b(c(1));");
    // Columns are UTF-16 units.
    assert_found("'😀'; b();", 1, Some(7), "statement", "b();");
}

/// What the column with the `^` (which is taken out) means.
fn meant(source: &str) -> (&'static str, String) {
    let at = u32::try_from(source.find('^').unwrap()).unwrap();
    found(&source.replacen('^', "", 1), 1, Some(at + 1)).unwrap()
}

#[test]
fn a_column_in_a_statement_means_that_statement_and_never_the_next() {
    for (source, shape, text) in [
        (
            "p&&(c?a:b).^push(x);next();",
            "statement",
            "p&&(c?a:b).push(x);next();",
        ),
        (
            "f();a.b.^c(d),e.f();g();",
            "statement",
            "a.b.c(d),e.f();g();",
        ),
        ("f(1,^2);g();", "statement", "f(1,2);g();"),
        (
            "var a=1,b=o.^p(2);g();",
            "statement",
            "var a=1,b=o.p(2);g();",
        ),
        ("if(a)o.^p(2);else g();", "body", "o.p(2);else g();"),
        ("if(o.^p(2))g();", "statement", "if(o.p(2))g();"),
        (
            "function f(){return o.^p(1)}f();",
            "statement",
            "return o.p(1)}f();",
        ),
        // What runs at another time than the statement.
        ("list.map(x=>x.^id());g();", "expression", "x.id()"),
        ("for(;i.^next(1);)g();h();", "expression", "i.next(1)"),
        ("for(;a;i.^next(1))g();h();", "expression", "i.next(1)"),
        ("while(i.^next(1))g();h();", "expression", "i.next(1)"),
        ("class C{x=o.^p(1)}g();", "expression", "o.p(1)"),
        // Between statements, and at the end of a function.
        ("function ^f(){a()}b();", "statement", "a()}b();"),
        ("function f(){a();b()^}c();", "statement", "b()}c();"),
        ("x=function(){a();^ b()};c();", "statement", "b()};c();"),
    ] {
        assert_eq!(meant(source), (shape, text.to_owned()), "{source}");
    }
}

#[test]
fn a_column_in_a_later_line_of_a_statement_means_what_starts_there() {
    let source = "x = c ?\n  a.b(1) :\n  d\n  .e(() => g());\nf();";
    assert_found(source, 2, Some(5), "expression", "a.b(1)");
    assert_found(source, 4, Some(4), "statement", "x = c ?");
    assert_found(source, 4, Some(12), "expression", "g()");
}

#[test]
fn what_would_change_its_meaning_behind_a_comma_is_no_place() {
    for (source, at) in [
        ("\n(\n  o.m\n)();", 3),
        ("delete (\n  o.p);", 2),
        ("typeof (\n  x);", 2),
        ("x = (\n  function () {});", 2),
        ("[\n  o.p] = q;", 2),
        ("(\n  x)++;", 2),
        ("f(\n  `t` , 1);", 3),
    ] {
        if let Some((shape, text)) = source
            .lines()
            .nth(at - 1)
            .and_then(|_| found(source, u32::try_from(at).unwrap(), None))
        {
            assert!(
                !["o.m", "o.p", "x", "function () {}"].contains(&text.as_str()),
                "{shape} {text} in {source}"
            );
        }
    }
}

/// Puts a report at `place` and gives the rewritten text.
fn reported(source: &str, goal: Goal, place: PointPlace, watch: Watch) -> String {
    let instrumentation = Instrumentation {
        watch,
        points: vec![RequestedPoint {
            place,
            dependents: Vec::new(),
            slot: None,
        }],
        ..Instrumentation::default()
    };
    let rewritten = with_script(source, goal, |script| {
        script.rewrite(&instrumentation, &NamesAsWritten)
    });
    rewritten.unwrap().unwrap().apply(source).0
}

#[test]
fn a_report_fits_every_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rewrite");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "js") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let goal = match source.lines().next().unwrap().ends_with("module") {
            true => Goal::Module,
            false => Goal::Script,
        };
        let places = places(&source, goal);
        let offsets: Vec<ByteOffset> = places.offsets().collect();
        for offset in offsets {
            let place = places.exactly_at(offset).unwrap();
            for watch in [Watch::Names(Vec::new()), Watch::Everything] {
                let text = reported(&source, goal, place, watch);
                let context = format!("{place:?} of {}\n{text}", path.display());
                assert_eq!(text.matches("$QpR(0,").count(), 1, "{context}");
                assert_eq!(text.lines().count(), source.lines().count(), "{context}");
                with_script(&text, goal, |_| ()).unwrap_or_else(|e| panic!("{e}: {context}"));
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count} places were tried");
}

#[test]
fn a_report_is_put_before_what_it_is_about() {
    let report = |source: &str, line: u32| {
        let places = places(source, Goal::Script);
        let span = LineIndex::new(source).line_span(line).unwrap();
        let place = places.on_line(span).unwrap();
        let text = reported(source, Goal::Script, place, Watch::Names(Vec::new()));
        crate::support::as_it_runs(&text)
    };
    // Before all else is the call that keeps the function around the place from being optimised.
    let top = "{let $QpZ=$QpA||$QpS(0)}";
    assert_eq!(
        report("a()\nb()", 1),
        format!("{top}a()\n{{let $QpZ=$QpR(0,0)}}b()")
    );
    assert_eq!(
        report("if (a)\nb()", 1),
        format!("{top}if (a)\n{{{{let $QpZ=$QpR(0,0)}}b()}}")
    );
    assert_eq!(report("f(\nb())", 1), format!("{top}f(\n($QpR(0,0),b()))"));
    assert_eq!(
        report("() =>\nb()", 1),
        "() =>\n{$QpA||$QpS(0);return ($QpR(0,0),b())}"
    );
}

/// The name of the variable `name` at the first `^` of `source` (which is taken out).
fn variable(source: &str, goal: Goal, name: &str) -> VariableAt {
    let at = ByteOffset::from_index(source.find('^').unwrap());
    let source = source.replacen('^', "", 1);
    with_script(&source, goal, |script| {
        script.variable_at(at, name, &NamesAsWritten)
    })
    .unwrap()
}

#[test]
fn a_variable_is_the_innermost_in_sight() {
    let local = VariableAt::Local { name: "x".into() };
    let global = VariableAt::Global { name: "x".into() };
    for source in [
        "function f(x) { ^; }",
        "let x; function f() { { var x; } ^ }",
        "{ let x; { ^ } }",
        "try {} catch (x) { ^ }",
        "for (let x of y) { ^ }",
        "function f() { ^; function x() {} }",
        "(x) => ^1",
    ] {
        assert_eq!(variable(source, Goal::Script, "x"), local, "{source}");
    }
    for source in ["var x; ^", "let x; function f() { ^ }", "^", "{ let x; } ^"] {
        assert_eq!(variable(source, Goal::Script, "x"), global, "{source}");
    }
    assert_eq!(variable("let x; ^", Goal::Module, "x"), local);
    for (source, goal) in [
        ("import { x } from 'm'; ^", Goal::Module),
        ("(function x() { ^ })", Goal::Script),
        ("(class x { m() { ^ } })", Goal::Script),
    ] {
        let found = variable(source, goal, "x");
        assert!(
            matches!(found, VariableAt::Unwatched { .. }),
            "{source}: {found:?}"
        );
    }
}

#[test]
fn a_variable_goes_by_the_name_its_author_gave_it() {
    struct Minified;
    impl OriginalNames for Minified {
        fn original_name(&self, at: ByteOffset) -> Option<String> {
            (at == ByteOffset(11)).then(|| "total".to_owned())
        }
    }
    let source = "function f(a) { return a }";
    with_script(source, Goal::Script, |script| {
        let at = ByteOffset(20);
        let local = VariableAt::Local { name: "a".into() };
        assert_eq!(script.variable_at(at, "total", &Minified), local);
        // What runs as `a` is another one: it must not be taken for a global.
        let unknown = script.variable_at(at, "a", &Minified);
        assert!(matches!(unknown, VariableAt::Unknown { .. }), "{unknown:?}");
        let global = VariableAt::Global { name: "b".into() };
        assert_eq!(script.variable_at(at, "b", &Minified), global);
    })
    .unwrap();
}

#[test]
fn imported_modules_are_named() {
    let source = "import a from 'a'; import 'b'; export * from 'c'; export { d } from 'd';
        const e = await import('e'), f = import(f), g = () => import(`g`); export { a };";
    let specifiers = with_script(source, Goal::Module, |script| script.imported_specifiers());
    assert_eq!(specifiers.unwrap(), ["a", "b", "c", "d", "e"]);
}

#[test]
fn the_function_around_a_place_is_named_as_on_a_stack() {
    for (source, name) in [
        ("function f() { ^ }", Some("f")),
        ("const f = () => { ^ }", Some("f")),
        ("o = { f() { ^ } }", Some("f")),
        ("class C { constructor() { ^ } }", Some("C")),
        ("class C { #f() { ^ } }", Some("#f")),
        ("f(function () { ^ })", None),
        ("^", None),
    ] {
        let at = ByteOffset::from_index(source.find('^').unwrap());
        let source = source.replacen('^', "", 1);
        let found = with_script(&source, Goal::Script, |script| script.function_name_at(at));
        assert_eq!(found.unwrap().as_deref(), name, "{source}");
    }
}

#[test]
fn an_expression_without_a_segment_is_at_its_name_and_never_in_another_statement() {
    // Segments of line 0: `p` of a.js 0:0, `c` 1:1, `push` 2:2; then nothing up to `s` of 4:4.
    let json = r#"{"version":3,"sources":["a.js"],"names":[],"mappings":"AAAA,IACC,OACC,wBAEE"}"#;
    let source = "p&&(c?a:b).push(x);t(),(d?e:f).g=1;s()";
    let original = |json: &str, at: usize| {
        let map = SourceMap::parse(json, None).unwrap();
        let at = ByteOffset::from_index(at);
        let found = with_script(source, Goal::Script, |script| {
            script.extents().original(&map, source, at, None)
        });
        let found = found.unwrap()?;
        Some((found.position.line, found.position.column))
    };
    assert_eq!(original(json, 0), Some((0, 0)));
    let decoded = SourceMap::parse(json, None).unwrap();
    let begins = |line| {
        decoded
            .generated(&|_| true, line)
            .first()
            .unwrap()
            .generated
            .column
    };
    assert_eq!([begins(1), begins(2)], [4, 11]);
    assert_eq!(original(json, 3), Some((2, 2)), "the name's");
    // The statement behind it has none: the map says nothing, and a source that could tell makes that certain.
    let with_text = json.replace(
        r#""names""#,
        r#""sourcesContent":["if\n\n\n\n    s()"],"names""#,
    );
    let assignment = source.find("(d?").unwrap();
    assert_eq!(original(&with_text, assignment), None);
    assert_eq!(
        original(json, assignment),
        Some((2, 2)),
        "without its text the map is believed"
    );
}

#[test]
fn a_function_in_an_optional_chain_has_places_of_its_own() {
    let source = "find('#save')?.on('click', () => {\n  save();\n  n = a?.[key()].b;\n});\n";
    assert_found(source, 2, None, "statement", "save();");
    assert_found(source, 3, Some(11), "expression", "key()");
    let minified = "find('#save')?.on('click',()=>{save()});\n";
    assert_found(minified, 1, Some(32), "statement", "save()});");
}
