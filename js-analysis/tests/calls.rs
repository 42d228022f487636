//! Which call a running position belongs to. The positions are those that V8 gives for the caller of each form; the
//! mark `@` is before the character that it names, `«` before the one where the call begins.
#![allow(clippy::unwrap_used, reason = "helpers of tests stop at what is wrong")]

use js_analysis::Goal;
use js_analysis::position::ByteOffset;
use js_analysis::rewrite::{
    Instrumentation, NamesAsWritten, SiteKind, Watch, WatchedName, WatchedTarget, with_script,
};

/// The text without its marks `«` and `@`, and where they were.
fn unmarked(marked: &str) -> (String, u32, u32) {
    let mut text = String::new();
    let (mut begin, mut at) = (None, None);
    for character in marked.chars() {
        match character {
            '«' => begin = Some(text.len()),
            '@' => at = Some(text.len()),
            _ => text.push(character),
        }
    }
    let offset = |place: Option<usize>| u32::try_from(place.unwrap()).unwrap();
    (text, offset(begin), offset(at))
}

#[test]
fn every_form_of_a_call_is_found_by_the_position_that_v8_gives() {
    for marked in [
        "«@f(1)",
        "void «o.@f(1)",
        "x = «o.p.@f(1)",
        "«o['x y']@(1)",
        "«f()@(1)",
        "«(0, o.f)@(1)",
        "«o.f.@call(o, 1)",
        "a(«@new K(1))",
        "a(«@new K)",
        "«@new o.n(1)",
        "«o?.@f(1)",
        "«o.f?.@(1)",
        "«o?.p.@f(1)",
        "«f@`x`",
        "«o.f@`a${1}b`",
        "«o.@f(...[1], 2)",
        "«o . @f (1)",
        "«o\n.@f(1)",
        "«@f (f(1), 2)",
        "f («@f(1), 2)",
        "«o?.['f']@(1)",
        "«(o.f)@(1)",
        "«(function () { return f })()@(1)",
        "«o.s @= 1",
        "x = «o.s @+= f(1)",
        "«o.p.q.r /* = */ @= 5",
        "«[@o.s] = [1]",
        "class A extends B { constructor() { «@super(1) } }",
        "class A extends B { m() { «super.@m(1) } }",
        "class A { #m() { «this.#m@(1) } }",
    ] {
        let (text, begin, at) = unmarked(marked);
        let found = with_script(&text, Goal::Script, |script| script.call_at(ByteOffset(at)));
        assert_eq!(found.unwrap(), Some(ByteOffset(begin)), "{marked}");
    }
}

#[test]
fn a_position_in_no_call_has_none() {
    let found = with_script("let x = y;", Goal::Script, |script| {
        script.call_at(ByteOffset(8))
    });
    assert_eq!(found.unwrap(), None);
}

#[test]
fn functions_that_seem_to_call_a_watched_built_in_have_a_site_and_an_anchor() {
    let source = "function a() { list.push(1) }\n\
                  function b() { [].push.apply(list, [1]) }\n\
                  function c() { items.forEach(list['push'], list) }\n\
                  function d() { push(list) }\n\
                  function e() { new push }\n\
                  function f() { list?.push(1) }\n\
                  function g() { list.pull(1); const push = 1; }\n";
    let instrumentation = Instrumentation {
        watch: Watch::Names(vec![WatchedName {
            target: WatchedTarget::Property("length".to_owned()),
            dependents: Vec::new(),
        }]),
        called: vec!["push".to_owned()],
        ..Instrumentation::default()
    };
    let (text, sites) = with_script(source, Goal::Script, |script| {
        let rewritten = script.rewrite(&instrumentation, &NamesAsWritten).unwrap();
        let sites = rewritten.sites.clone();
        (rewritten.apply(source).0, sites)
    })
    .unwrap();
    let calls: Vec<_> = sites
        .iter()
        .filter(|site| site.kind == SiteKind::Call)
        .collect();
    let functions: Vec<&str> = calls
        .iter()
        .filter_map(|site| site.function.as_deref())
        .collect();
    assert_eq!(functions, ["a", "b", "c", "d", "e", "f"]);
    for (line, site) in text.lines().zip(&calls) {
        assert_eq!(site.calls.as_deref(), Some("push"));
        let anchor = format!("$QpA||$QpS({});", site.anchor.unwrap());
        assert!(line.contains(&anchor), "{line}");
    }
}
