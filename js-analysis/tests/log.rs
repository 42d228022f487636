//! What rewriting for the event log makes of scripts. That they do the same is held by programs that run
//! (`tests/oracle`, `tests/conformance`).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::fs;
use std::path::Path;

use js_analysis::Goal;
use js_analysis::log::{Detail, FirstNumbers, LogOptions, LogRewritten, LoggedKind};
use js_analysis::marks::author_text;
use js_analysis::position::{ByteOffset, LineIndex};
use js_analysis::rewrite::{
    DEFAULT_PREFIX, Making, NamesAsWritten, OriginalNames, RewriteError, with_script,
};

fn options(detail: Detail) -> LogOptions {
    LogOptions {
        prefix: DEFAULT_PREFIX.to_owned(),
        script: 1,
        first: FirstNumbers::default(),
        detail,
        watches_document: true,
        in_document: false,
        outer: None,
        first_code_site: 1,
    }
}

fn logged(source: &str, goal: Goal, detail: Detail) -> LogRewritten {
    let options = options(detail);
    with_script(source, goal, |script| {
        script.logged(&options, &NamesAsWritten)
    })
    .unwrap()
    .unwrap()
}

fn text(source: &str, goal: Goal) -> String {
    let (text, _) = logged(source, goal, Detail::All).edits.apply(source);
    crate::support::as_it_runs(&text)
}

#[test]
fn forms_become_what_the_module_says() {
    let forms = [
        "o.p = v;",
        "f().p = v;",
        "o[k()] = v;",
        "f()[k()] += v;",
        "x = function () {};",
        "let { a, b: [c] } = f();",
        "o.p ||= v;",
        "o.p++;",
        "++x;",
        "delete o.p;",
        "delete f().p;",
        "delete/* it */f()[k()];",
        "delete a.b[c];",
        "delete (f().p);",
        "++f().p;",
        "--o[k()];",
        "f();",
        "f(a, ...b);",
        "a?.b.c(d);",
        "a?.b();",
        "a?.b(c)?.d(e).f?.(g);",
        "a?.b(c)?.();",
        "f()?.set(a, b);",
        "a.push?.(b, c);",
        "a?.b.push(c);",
        "new C;",
        "new (f().D)(a);",
        "list.push(a);",
        "list[name](a);",
        "f()[k()](...a);",
        "list[0](a);",
        "push.apply(list, a);",
        "[].push.call(f(), a, b);",
        "f.g.call(a);",
        "p.then(f, g);",
        "f().catch(g);",
        "p['finally'](() => a);",
        "Promise.all([a, b]);",
        "db.all(a);",
        "p?.then(f);",
        "if (a && b) c(); else d = 1",
        "try { f(a) } catch { g(a) } finally { h(a) }",
        "try { f(a) } catch (/* ( */ { b, c = () => b } /* ) */) { g(b) }",
        "for (const a of b) c(a);",
        "for (let i = 0; i < 3; i++) fs[i] = () => i;",
        "class A extends B { p = 1; #q = f; h = () => 1; constructor() { super(1); return } static { x = 1 } }",
        "async (a) => { await a; for await (const b of c) d(b) };",
        "function* g() { const x = yield; return x }",
        "function twice() { var f; function f() {} }",
        "throw a",
        "with (o) x = v;",
        "with (o) with (f()) { x = () => y; let y; y = 1 }",
        "with (o) o.p = 1;",
        "with (o) { x++; --x; x ||= v }",
        "class A extends Set { put(a) { super.add(a); super.clear(); super.p(a) } }",
        "(0, eval)(a);",
        "eval(a);",
        "x = eval(f(), 2);",
        "v.append(a);",
        "v?.append(a);",
        "v?.classList.add(a);",
        "f().classList.add('a');",
        "v.textContent = a;",
        "f().title += a;",
        "v.style.top = '1px';",
        "v.id ||= a;",
    ];
    let mut shown = String::new();
    for form in forms {
        // In a function, so that temporaries have a place.
        let source = format!("function z(v) {{ {form} }}");
        let source = if form.starts_with("throw") || form.starts_with("try") {
            format!("function z(v) {{ {form} }}")
        } else {
            source
        };
        shown.push_str(&format!("{form}\n    {}\n", text(&source, Goal::Script)));
    }
    shown.push_str(&format!(
        "\nmodule\n    {}\n",
        text(
            "import { a } from './a.js';\nexport let b = a;\nawait b;\n",
            Goal::Module
        )
    ));
    shown.push_str(&format!(
        "handler\n    {}\n",
        text("this.x = event; return false", Goal::EventHandler)
    ));
    insta::assert_snapshot!(shown);
}

/// Every case of the other rewriter's tests: no line moves, the text without what is marked is the original, and what
/// comes out parses.
#[test]
fn no_line_moves_and_the_author_text_is_kept() {
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
        for detail in [Detail::Calls, Detail::Values, Detail::All] {
            let (text, _) = logged(&source, goal, detail).edits.apply(&source);
            let lines = |text: &str| LineIndex::new(text).line_count();
            assert_eq!(lines(&source), lines(&text), "{text}");
            assert_eq!(
                author_text(&text, DEFAULT_PREFIX),
                source,
                "{}",
                path.display()
            );
            with_script(&text, goal, |_| ()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
        count += 1;
    }
    assert!(count > 30);
}

#[test]
fn the_tables_name_functions_variables_and_places() {
    let source = "class Cart { add(item) { this.total = item } }\nconst f = () => 1;\nlet x = 2;\n";
    let logged = logged(source, Goal::Script, Detail::All);
    let names: Vec<&str> = logged.functions.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["", "Cart.add", "f"]);
    assert_eq!(logged.functions[1].parameters, ["item"]);
    let variables: Vec<(&str, bool)> = logged
        .variables
        .iter()
        .map(|it| (it.name.as_str(), it.scope == 0))
        .collect();
    assert!(
        variables.contains(&("x", true)) && variables.contains(&("item", false)),
        "{variables:?}"
    );
    let write = logged
        .sites
        .iter()
        .find(|it| it.kind == LoggedKind::Write)
        .unwrap();
    assert_eq!((write.name.as_str(), write.function), ("total", 2));
    assert!(logged.unlogged.is_empty());
}

/// What a minifier left of names: `r` was `Cart`, `t` was `Item`; nothing else is known to be called otherwise.
struct Minified;

impl OriginalNames for Minified {
    fn original_name(&self, at: ByteOffset) -> Option<String> {
        let text = &CLASSES[at.index()..];
        let names = [("r", "Cart"), ("t", "Item"), ("k", "*/alert(1)/*")];
        let name = names.iter().find(|(running, _)| text.starts_with(running));
        name.map(|(_, author)| (*author).to_owned())
    }
}

const CLASSES: &str = "class r {}\nlet t = class {};\nt = (class { p() {} });\nconst o = { p: class {} };\n\
    let f = class r extends r {};\nclass k {}\nclass Same {}\nlet e = [class {}];\n";

#[test]
fn a_class_says_what_its_author_called_it() {
    let logged = with_script(CLASSES, Goal::Script, |script| {
        script.logged(&options(Detail::All), &Minified).unwrap()
    });
    let logged = logged.unwrap();
    let names: Vec<&str> = logged.functions.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["", "Item.p"]);
    let (text, _) = logged.edits.apply(CLASSES);
    assert_eq!(author_text(&text, DEFAULT_PREFIX), CLASSES);
    let running = crate::support::as_it_runs(&text);
    let classes: Vec<&str> = running
        .match_indices("class")
        .map(|(at, _)| running[at..].split_once('{').unwrap().0)
        .collect();
    assert_eq!(
        classes,
        [
            "class/*$QpLu:Cart*/ r ",
            "class/*$QpLu:Item*/ ",
            "class/*$QpLu:Item*/ ",
            "class ",
            "class/*$QpLu:Cart*/ r extends r ",
            "class k ",
            "class Same ",
            "class ",
        ]
    );
}

/// A text that is given to the direct `eval` in a script, as it is rewritten there.
fn evaluated(script: &str, text: &str) -> String {
    let around = logged(script, Goal::Script, Detail::All);
    let Some(Making::Direct(outer)) = around.code_sites[0].making.clone() else {
        panic!("{script}");
    };
    let goal = Goal::Eval {
        strict: outer.strict,
        in_function: outer.in_function,
    };
    let options = LogOptions {
        script: 2,
        first: FirstNumbers {
            function: 100,
            scope: 100,
            variable: 100,
            site: 100,
        },
        outer: Some(outer),
        ..options(Detail::All)
    };
    let logged = with_script(text, goal, |script| {
        script.logged(&options, &NamesAsWritten)
    });
    let logged = logged.unwrap().unwrap();
    let reasons = logged.unlogged.iter();
    let reasons: Vec<&str> = reasons.map(|it| it.reason).collect();
    let (rewritten, _) = logged.edits.apply(text);
    let variables = logged.variables.iter();
    let variables: Vec<String> = variables
        .map(|it| format!("{}@{}", it.name, it.scope))
        .collect();
    format!(
        "{}\n  variables {} in a scope of {}{}{}\n",
        crate::support::as_it_runs(&rewritten),
        variables.join(" "),
        logged.scopes[0].parent,
        if reasons.is_empty() { "" } else { "; " },
        reasons.join(", ")
    )
}

/// What a text sees around the call, and what it declares there, has the numbers that it has there.
#[test]
fn code_given_to_eval_knows_the_variables_around() {
    let mut shown = String::new();
    for (script, text) in [
        // As bundlers of a development build write it.
        (
            "(module) => { eval(a) }",
            "var n = 1; const k = 2; function f() { n = k; module.x = n }",
        ),
        ("(module) => { 'use strict'; eval(a); }", "var n = 1; n = 2"),
        (
            "(module) => { eval(a) }",
            "'use strict'; var n = 1; eval('1'); n = 2",
        ),
        // What `eval` declares may be anybody's where more is done.
        (
            "function f(p) { var v; let l; p = eval(a); g() }",
            "p = 1; v = 2; var v = 3; var w = 4; l = 5; other = 6",
        ),
        (
            "{ let block; eval(a) }",
            "block = 1; let own = 2; var all = 3; other = 4",
        ),
        ("let top; eval(a)", "top = 1; class K {}"),
        ("const f = (p = eval(a)) => p", "p = 1"),
    ] {
        shown.push_str(&format!("{script}\n{}", evaluated(script, text)));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_is_not_logged_is_said() {
    for (source, reason) in [
        (
            "class A { f = () => 1 }",
            "a field that names the function in it",
        ),
        ("[o.p] = [1]", "a property that a pattern writes"),
        ("eval(...codes)", "code given to a direct `eval`"),
        (
            "with (o) { eval('x = 1') }",
            "code given to a direct `eval`",
        ),
        (
            "function g() { function f() {} eval('1') }",
            "the beginning and end of a function that declares functions beside a direct `eval`",
        ),
        (
            "function g() { var f; function f() {} }",
            "the beginning and end of a function that declares one name twice",
        ),
        ("with (o) { [x] = v }", "a variable that may be another one"),
    ] {
        let logged = logged(source, Goal::Script, Detail::All);
        let reasons: Vec<&str> = logged.unlogged.iter().map(|it| it.reason).collect();
        assert_eq!(reasons, [reason], "{source}");
    }
    let own = "function f(eval) { eval('1') }";
    assert!(logged(own, Goal::Script, Detail::All).unlogged.is_empty());
    let options = options(Detail::All);
    let refused = with_script("var $Qp1;", Goal::Script, |script| {
        script.logged(&options, &NamesAsWritten).map(|_| ())
    });
    assert!(matches!(refused, Ok(Err(RewriteError::PrefixTaken { .. }))));
}
