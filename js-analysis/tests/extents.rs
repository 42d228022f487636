//! The places of expressions, through maps with gaps and with segments that cannot be right.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use js_analysis::Goal;
use js_analysis::position::{ByteOffset, LineIndex, Utf16Position};
use js_analysis::rewrite::with_script;
use js_analysis::source_map::SourceMap;
use serde_json::json;

/// `mappings` of segments on one line: where each begins there, the line and column that it leads to, and its name.
fn mappings(segments: &[(usize, usize, usize, Option<usize>)]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let number = |text: &mut String, value: i64| {
        let mut rest = value.unsigned_abs() << 1 | u64::from(value < 0);
        loop {
            let digit = (rest & 31) as usize;
            rest >>= 5;
            let more = if rest > 0 { 32 } else { 0 };
            text.push(char::from(DIGITS[digit | more]));
            if rest == 0 {
                break;
            }
        }
    };
    let delta = |one: usize, other: usize| one as i64 - other as i64;
    let (mut text, mut last, mut last_name) = (String::new(), (0, 0, 0), 0);
    for &(column, line, to, name) in segments {
        if !text.is_empty() {
            text.push(',');
        }
        number(&mut text, delta(column, last.0));
        number(&mut text, 0);
        number(&mut text, delta(line, last.1));
        number(&mut text, delta(to, last.2));
        if let Some(name) = name {
            number(&mut text, delta(name, last_name));
            last_name = name;
        }
        last = (column, line, to);
    }
    text
}

/// Both texts have marks `‹1›` where segments begin and where they lead, `‹1 name›` in the code for one with a name,
/// and the code has `^` where an expression begins that is asked for. The answer is a piece of the source from there
/// on.
fn piece(source: &str, code: &str) -> Option<String> {
    let take = |text: &str| {
        let mut plain = String::new();
        let mut marks: Vec<(usize, String)> = Vec::new();
        let mut asked = None;
        let mut rest = text;
        while let Some(next) = rest.find(['‹', '^']) {
            plain.push_str(&rest[..next]);
            rest = &rest[next..];
            if let Some(behind) = rest.strip_prefix('^') {
                asked = Some(plain.len());
                rest = behind;
                continue;
            }
            let (mark, behind) = rest.split_once('›').unwrap();
            marks.push((plain.len(), mark.trim_start_matches('‹').to_owned()));
            rest = behind;
        }
        plain.push_str(rest);
        (plain, marks, asked)
    };
    let (source, places, _) = take(source);
    let (code, marks, asked) = take(code);
    let lines = LineIndex::new(&source);
    let mut names: Vec<String> = Vec::new();
    let segments: Vec<_> = marks
        .iter()
        .map(|(at, mark)| {
            let (number, name) = match mark.split_once(' ') {
                Some((number, name)) => (number, Some(name)),
                None => (mark.as_str(), None),
            };
            let name = name.map(|name| {
                names.push(name.to_owned());
                names.len() - 1
            });
            let (place, _) = places.iter().find(|(_, it)| it == number).unwrap();
            let Utf16Position { line, column } =
                lines.position(&source, ByteOffset::from_index(*place));
            (*at, line as usize, column as usize, name)
        })
        .collect();
    let map = json!({
        "version": 3, "sources": ["a.js"], "sourcesContent": [source], "names": names,
        "mappings": mappings(&segments),
    });
    let map = SourceMap::parse(&map.to_string(), None).unwrap();
    let extents = with_script(&code, Goal::Script, |script| script.extents()).unwrap();
    let at = ByteOffset::from_index(asked.unwrap());
    let found = extents.original(&map, &code, at, None)?;
    let start = lines.offset(&source, found.position).unwrap().index();
    Some(source[start..].lines().next().unwrap().to_owned())
}

#[test]
fn an_object_that_a_variable_represented_is_in_front_of_the_written_name() {
    // The last segment of a place is a name's; the segment at the object is that of the variable `old`.
    let source = "const old = out.‹2›upd.‹3›w++;\n‹0›return ‹1›old;";
    let code = "function f(){‹0›return‹1› ^e.‹2›upd.‹3›w++}";
    assert_eq!(piece(source, code).unwrap(), "out.upd.w++;");
    // Nothing tells what the object is.
    let source = "a[0].‹1›w = 1;\n‹0›b();";
    assert_eq!(piece(source, "‹0›b(),^e.‹1›w=1").unwrap(), "w = 1;");
}

#[test]
fn the_text_goes_on_from_a_segment_only_where_code_can_begin() {
    let source = "function third(a, x) ‹0›{\n  (a ? b : c)\n    .‹1›last = x;\n}";
    let code = "function third(n,t)‹0›{^(n?b:c).‹1›last=t}";
    assert_eq!(piece(source, code).unwrap(), "last = x;");
    let source = "‹0›a = [(b), c = 1];";
    let code = "‹0›a=[(b),^c=1]";
    assert_eq!(piece(source, code).unwrap(), "a = [(b), c = 1];");
    assert_eq!(piece("‹0›{a = 1}", "‹0›{^a=1}").unwrap(), "a = 1}");
}

#[test]
fn of_several_segments_at_one_place_the_one_of_what_is_around_counts() {
    let source = "function f(a) {\n  if (‹0›a) {\n    delete out.v;\n  }\n}\nf(‹1›n);";
    let code = "^‹0 a›‹1 n›n&&delete out.v";
    assert_eq!(piece(source, code).unwrap(), "a) {");
    // The first is the end of what is before it.
    let source = "while (n > 0)‹0›;\nif (‹1›a) {}\nfunction f(‹2›a) {}";
    let code = "while(n>0)‹0›‹1›;^(‹2›y={}).b&&c()";
    assert_eq!(piece(source, code).unwrap(), "a) {}");
}

#[test]
fn a_call_of_a_function_in_its_place_is_where_it_is_called() {
    let source = "‹0›function upd(a) {\n  return a;\n‹1›}\n‹2›upd(‹3›n + 1);";
    for code in [
        // swc: two segments, the call's and the function's.
        "!‹2 upd›‹0›function(t){return t‹1›}^(‹3›n+1)",
        // terser: one at the parenthesis.
        "‹0›function(t){return t‹1›}‹2 upd›^(‹3›n+1)",
    ] {
        let code = format!("x={}", code.trim_start_matches('!'));
        assert_eq!(piece(source, &code).unwrap(), "upd(n + 1);", "{code}");
    }
    // None of the call's own: its arguments are on its line.
    let code = "x=‹0›function(t){return t‹1›}^(‹3›n+1)";
    assert_eq!(piece(source, code).unwrap(), "n + 1);");
}

#[test]
fn what_a_tool_adds_has_no_place_or_that_of_what_it_was_added_for() {
    // A helper that has the place of something else, under names that are not there.
    let source = "class A {\n  #p = 1‹1›;\n  f = ‹2›5;\n}\nfunction* gen‹0›() {}";
    let helper = "function h(‹0 e›e){^‹0 Object›Object.‹0 create›create(‹0 e›e)}";
    assert_eq!(piece(source, helper), None);
    let call = "‹1›^‹1 _define›_define‹1›(this,\"f\",‹2›5)";
    assert_eq!(piece(source, call).unwrap(), "5;");
}

#[test]
fn a_pattern_is_where_its_first_name_is() {
    let source = "const next = tasks‹0›.slice();\nconst [‹1›task] = ‹2›next.splice(1);";
    let code = "const o=e‹0›.slice(),^[‹1›l]=‹2›o.splice(1);";
    assert_eq!(piece(source, code).unwrap(), "[task] = next.splice(1);");
    let source = "‹0›a = b;\n({ ‹1›total: ‹2›sum } = ‹3›cart);";
    let code = "‹0›a=b,(^{‹1›total:‹2›s}=‹3›c)";
    assert_eq!(piece(source, code).unwrap(), "{ total: sum } = cart);");
    let source = "const a = ‹0›f();\nconst { deep: { ‹1›x } } = ‹2›g();";
    let code = "const e=‹0›f(),^{deep:{‹1›x:t}}=‹2›g();";
    assert_eq!(piece(source, code).unwrap(), "{ deep: { x } } = g();");
}

#[test]
fn an_element_of_jsx_is_where_it_begins_though_the_map_has_the_name_of_what_makes_it() {
    let source = "  ‹0›return (\n    ‹1›<form id=‹2›{name}>\n  );";
    let code = "function f(){‹0›return(0,^‹1 _jsx›Z.‹1 _jsx›jsx)(‹1›`form`,{id:‹2›n})}";
    assert_eq!(piece(source, code).unwrap(), "<form id={name}>");
}

#[test]
fn a_statement_without_segments_is_not_at_the_one_before_it() {
    let source = "‹0›a = 1;\nb = 2;";
    assert_eq!(piece(source, "function f(){‹0›a=1;^x=2}"), None);
    // Of the same statement, the one before is as good as there is.
    assert_eq!(
        piece(source, "function f(){‹0›a=1,^x=2}").unwrap(),
        "a = 1;"
    );
}
