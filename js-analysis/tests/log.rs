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
    DEFAULT_PREFIX, NamesAsWritten, OriginalNames, RewriteError, with_script,
};

fn options(detail: Detail) -> LogOptions {
    LogOptions {
        prefix: DEFAULT_PREFIX.to_owned(),
        script: 1,
        first: FirstNumbers::default(),
        detail,
        watches_document: true,
        in_document: false,
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

#[test]
fn what_is_not_logged_is_said() {
    for (source, reason) in [
        (
            "class A { f = () => 1 }",
            "a field that names the function in it",
        ),
        ("[o.p] = [1]", "a property that a pattern writes"),
        ("eval('x = 1')", "code given to a direct `eval`"),
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
    let options = options(Detail::All);
    let refused = with_script("var $Qp1;", Goal::Script, |script| {
        script.logged(&options, &NamesAsWritten).map(|_| ())
    });
    assert!(matches!(refused, Ok(Err(RewriteError::PrefixTaken { .. }))));
}
