//! What the text of a write says of the value that it wrote.

use super::{CallAt, Form, PathStep, Root, Step, Target, Value, Written};
use crate::Goal;
use crate::position::ByteOffset;
use crate::rewrite::{NamesAsWritten, SiteKind, with_script};

/// What the write wrote that begins at `^`.
fn written(marked: &str, kind: SiteKind, target: Target<'_>) -> String {
    let at = ByteOffset::from_index(marked.find('^').unwrap());
    let text = marked.replace('^', "");
    let found = with_script(&text, Goal::Script, |script| {
        script.written_at(at, kind, target, &NamesAsWritten)
    });
    let found = found.unwrap();
    found.map_or("nothing".to_owned(), |written| shown(&text, &written))
}

fn shown(text: &str, written: &Written) -> String {
    let path = |path: &[PathStep]| {
        let steps = path.iter().map(|step| match step {
            PathStep::Into(step) => step_shown(text, step),
            PathStep::Iterated(number) => format!("[{number}…]"),
            PathStep::Default(value) => format!(" else {}", value_shown(text, value)),
            PathStep::Rest(_) => "…".to_owned(),
        });
        steps.collect::<String>()
    };
    match written {
        Written::Value { value, path: way } => format!("{}{}", value_shown(text, value), path(way)),
        Written::Spread { of, key } => format!("{} copied {key}", value_shown(text, of)),
        Written::Parameter {
            index,
            is_rest,
            path: way,
        } => {
            let rest = if *is_rest { "…" } else { "" };
            format!("argument {index}{rest}{}", path(way))
        }
        Written::Element { of, path: way } => {
            format!("element of {}{}", value_shown(text, of), path(way))
        }
        Written::KeyOf(of) => format!("key of {}", value_shown(text, of)),
        Written::Other(other) => format!("of another: {}", shown(text, other)),
        Written::Caught => "caught".to_owned(),
        Written::CaughtPart(way) => format!("caught{}", path(way)),
        Written::Made(_) => "made".to_owned(),
        Written::Nothing => "no value".to_owned(),
        Written::Unknown(why) => format!("unknown: {why}"),
    }
}

fn step_shown(text: &str, step: &Step) -> String {
    match step {
        Step::Property(name) => format!(".{name}"),
        Step::Private { name, .. } => format!(".#{name}"),
        Step::Key(key) => format!("[{key:?}]"),
        Step::Index(number) => format!("[{number}]"),
        Step::Computed { span, is_pure } => {
            let pure = if *is_pure { "" } else { "!" };
            format!("[{}{pure}]", &text[span.start.index()..span.end.index()])
        }
    }
}

fn value_shown(text: &str, value: &Value) -> String {
    let own = || text[value.span.start.index()..value.span.end.index()].to_owned();
    let pure = if value.is_pure { "" } else { "!" };
    let form = match &value.form {
        Form::Literal => "literal".to_owned(),
        Form::Object(properties) => {
            let known = properties.iter().flatten().map(|(key, _)| key.as_str());
            format!("object {}", known.collect::<Vec<_>>().join(","))
        }
        Form::Array { elements, is_open } => format!(
            "array of {}{}",
            elements.len(),
            if *is_open { " and more" } else { "" }
        ),
        Form::Reference(reference) => {
            let root = match &reference.root {
                Root::This => "this".to_owned(),
                Root::Variable {
                    name, is_declared, ..
                } => format!("{}{name}", if *is_declared { "" } else { "global " }),
            };
            let steps = reference.steps.iter().map(|step| step_shown(text, step));
            format!("{root}{}", steps.collect::<String>())
        }
        Form::Part { of, steps } => {
            let steps = steps.iter().map(|step| step_shown(text, step));
            format!("({}){}", value_shown(text, of), steps.collect::<String>())
        }
        Form::Conditional { test, yes, no } => format!(
            "{} ? {} : {}",
            value_shown(text, test),
            value_shown(text, yes),
            value_shown(text, no)
        ),
        Form::Logical {
            operator,
            left,
            right,
        } => format!(
            "{} {operator:?} {}",
            value_shown(text, left),
            value_shown(text, right)
        ),
        Form::Operation {
            operands, converts, ..
        } => {
            let operands = operands.iter().map(|operand| value_shown(text, operand));
            let kind = if *converts { "converted" } else { "computed" };
            format!("{kind} of {}", operands.collect::<Vec<_>>().join(", "))
        }
        Form::Call(call) => {
            let arguments = call.arguments.iter().map(|argument| {
                let spread = if argument.is_spread { "..." } else { "" };
                format!("{spread}{}", value_shown(text, &argument.value))
            });
            format!(
                "call of {} ({})",
                call.global.clone().unwrap_or_else(own),
                arguments.collect::<Vec<_>>().join(", ")
            )
        }
        Form::Await(value) => format!("await {}", value_shown(text, value)),
        Form::Unknown(what) => format!("unknown: {what}"),
    };
    format!("{form}{pure}")
}

fn assigned(marked: &str) -> String {
    written(marked, SiteKind::Assignment, Target::Variable("x"))
}

fn declared(marked: &str) -> String {
    written(marked, SiteKind::Declaration, Target::Variable("x"))
}

#[test]
fn assignments_say_what_they_assign() {
    assert_eq!(assigned("let y; ^x = y;"), "y");
    assert_eq!(
        assigned("^x = o.a['b c'][3][k]"),
        "global o.a[\"b c\"][3][k]"
    );
    assert_eq!(assigned("^x = o[i++]"), "global o[i++!]!");
    assert_eq!(assigned("^x = a?.b"), "global a.b");
    assert_eq!(assigned("^x = y = z"), "global z!");
    assert_eq!(assigned("^x = (k(), z)"), "global z");
    assert_eq!(assigned("^x ||= y"), "global y");
    assert_eq!(assigned("^x += y"), "computed of global x, global y!");
    assert_eq!(
        assigned("^x = a ? b : c.d"),
        "global a ? global b : global c.d"
    );
    assert_eq!(assigned("^x = a ?? k()"), "global a Nullish call of k ()!!");
}

#[test]
fn literals_and_computations() {
    for literal in [
        "1",
        "'a'",
        "`a`",
        "function () {}",
        "() => k()",
        "/a/",
        "1 + 2",
        "-1",
        "!0",
        "void 0",
    ] {
        assert_eq!(assigned(&format!("^x = {literal}")), "literal", "{literal}");
    }
    assert_eq!(assigned("^x = class { a = k() }"), "literal!");
    assert_eq!(assigned("^x = { a: 1, b }"), "object a,b");
    assert_eq!(assigned("^x = [1, , ...y]"), "array of 2 and more");
    assert_eq!(
        assigned("^x = 'a' + b + 'c' + d"),
        "computed of literal, global b, literal, global d"
    );
    assert_eq!(assigned("^x = `${y}`"), "converted of global y");
    assert_eq!(assigned("^x = `a${y}`"), "computed of global y");
    assert_eq!(assigned("^x = +y"), "converted of global y");
    assert_eq!(assigned("^x = await0(y)"), "call of await0 (global y)!");
    assert_eq!(
        assigned("^x = window.Math.random()"),
        "call of Math.random ()!"
    );
    assert_eq!(
        written("^x++", SiteKind::Update, Target::Variable("x")),
        "computed of global x!"
    );
}

#[test]
fn patterns_say_the_way_to_their_target() {
    assert_eq!(declared("let ^{ a: { x } } = o"), "global o.a.x");
    assert_eq!(
        declared("let ^[, [x = d]] = o"),
        "global o[1…][0…] else global d"
    );
    assert_eq!(
        declared("let ^{ 'a b': x, [k]: y } = o"),
        "global o[\"a b\"]"
    );
    assert_eq!(declared("let ^{ [k]: x } = o"), "global o[k]");
    assert_eq!(declared("let ^{ a, ...x } = o"), "global o…");
    assert_eq!(declared("let ^{ x = 1 } = o"), "global o.x else literal");
    assert_eq!(
        written(
            "^[o.p, o.q] = r",
            SiteKind::Assignment,
            Target::Property("q")
        ),
        "global r[1…]"
    );
    assert_eq!(
        written(
            "^[o.p, r.p] = s",
            SiteKind::Assignment,
            Target::Property("p")
        ),
        "unknown: several targets of one destructuring have that name"
    );
    assert_eq!(
        written("^[o[k]] = s", SiteKind::Assignment, Target::Property("p")),
        "unknown: a target whose name is computed"
    );
}

#[test]
fn parameters_say_which_argument() {
    let of = |marked: &str| written(marked, SiteKind::Parameter, Target::Variable("x"));
    assert_eq!(of("function f(a, ^x) {}"), "argument 1");
    assert_eq!(of("(a, ^x = 1) => a"), "argument 1 else literal");
    assert_eq!(of("class A { constructor(^{ x }) {} }"), "argument 0.x");
    assert_eq!(of("({ set p(^x) {} })"), "argument 0");
    assert_eq!(of("function f(^...x) {}"), "argument 0…");
    assert_eq!(
        written(
            "function f(a, ^...x) {}",
            SiteKind::Parameter,
            Target::Property("2")
        ),
        "argument 3"
    );
    assert_eq!(of("try {} catch (^x) {}"), "caught");
}

#[test]
fn loops_say_what_they_iterate() {
    let of = |marked: &str| written(marked, SiteKind::LoopHead, Target::Variable("x"));
    assert_eq!(of("for (const ^x of list) {}"), "element of global list");
    assert_eq!(
        of("for (const ^[k, x] of list) {}"),
        "element of global list[1…]"
    );
    assert_eq!(of("for (^x in o) {}"), "key of global o");
}

#[test]
fn literals_say_what_their_properties_are() {
    let of = |marked: &str, key: &str| written(marked, SiteKind::Property, Target::Property(key));
    assert_eq!(of("f({ ^a: b })", "a"), "global b");
    assert_eq!(of("f({ ^a })", "a"), "global a");
    assert_eq!(of("f({ ^a() {} })", "a"), "made");
    assert_eq!(of("f({ ^...o })", "a"), "global o copied a");
    assert_eq!(of("f([a, ^b])", "1"), "global b");
    assert_eq!(of("f(^[a, ...b])", "0"), "global a");
    assert_eq!(
        of("f(^[a, ...b])", "1"),
        "unknown: an element of an array with a spread"
    );
    assert_eq!(of("class A { ^a = b; }", "a"), "global b");
    assert_eq!(of("class A { ^#a = b; }", "a"), "global b");
}

#[test]
fn returns_say_what_they_return() {
    let returned = |marked: &str| {
        let at = ByteOffset::from_index(marked.find('^').unwrap());
        let text = marked.replace('^', "");
        let found = with_script(&text, Goal::Script, |script| script.returned_at(at));
        let found = found.unwrap();
        found.map_or("nothing".to_owned(), |written| shown(&text, &written))
    };
    assert_eq!(returned("function f() { ^return a; }"), "global a");
    assert_eq!(returned("function f() { ^return; }"), "no value");
    assert_eq!(returned("(a) => ^a.b"), "a.b");
    assert_eq!(returned("function f() { k(); ^}"), "no value");
    assert_eq!(returned("^k()"), "nothing");
}

#[test]
fn calls_are_found_where_a_debugger_says_that_they_are() {
    let called = |marked: &str| {
        let at = ByteOffset::from_index(marked.find('^').unwrap());
        let text = marked.replace('^', "");
        let found = with_script(&text, Goal::Script, |script| script.called_at(at));
        match found.unwrap() {
            None => "nothing".to_owned(),
            Some(CallAt::Setter(value)) => format!("setter {}", value_shown(&text, &value)),
            Some(CallAt::Call(call)) => {
                let arguments = call.arguments.iter();
                let arguments = arguments.map(|argument| value_shown(&text, &argument.value));
                format!(
                    "{:?} {}",
                    call.kind,
                    arguments.collect::<Vec<_>>().join(", ")
                )
            }
        }
    };
    assert_eq!(called("k(a); o.^f(b, c)"), "Plain global b, global c");
    assert_eq!(called("^new F(a)"), "New global a");
    assert_eq!(called("o.s ^= v"), "setter global v");
    assert_eq!(called("o?.^f(a)"), "Plain global a");
    assert_eq!(called("a + ^b"), "nothing");
}

#[test]
fn what_is_written_to_another_target_is_told_apart() {
    let of = |marked: &str| written(marked, SiteKind::Assignment, Target::Property("total"));
    assert_eq!(of("^this._total = x"), "of another: global x");
    assert_eq!(of("^this.total = x"), "global x");
    assert_eq!(of("^this[k] = x"), "global x");
    assert_eq!(of("^total = x"), "of another: global x");
    let of = |marked: &str| written(marked, SiteKind::Property, Target::Property("total"));
    assert_eq!(of("f({ ^total: x })"), "global x");
    assert_eq!(of("f({ ^['to' + 'tal']: x })"), "global x");
    assert_eq!(of("f({ ^count: x })"), "of another: global x");
}

#[test]
fn values_say_whether_effects_follow_them() {
    let is_followed = |marked: &str| {
        let at = ByteOffset::from_index(marked.find('^').unwrap());
        let text = marked.replace('^', "");
        let target = Target::Property("a");
        let found = with_script(&text, Goal::Script, |script| {
            script.written_at(at, SiteKind::Property, target, &NamesAsWritten)
        });
        match found.unwrap() {
            Some(Written::Value { value, .. }) => value.is_followed,
            other => panic!("{other:?}"),
        }
    };
    assert!(!is_followed("f({ ^a: x, b: y })"));
    assert!(is_followed("f({ ^a: x, b: y() })"));
    assert!(is_followed("f({ ^a: x, ...y })"));
    assert!(!is_followed("f({ b: y(), ^a: x })"));
}

#[test]
fn flows_are_told_by_name() {
    let text = "const a = o.b; o.c = d; f({ e: a, ...g }); function f({ h }) { return h; } k = (i) => j(i);";
    let found = with_script(text, Goal::Script, |script| {
        let flows = script.flows(&NamesAsWritten, 100);
        let shown = flows.iter().map(|flow| match flow {
            super::Flow::Write {
                name,
                is_property,
                written,
                function,
            } => {
                let dot = if *is_property { "." } else { "" };
                let of = function.iter().map(|name| format!(" of {name}"));
                let of = of.collect::<String>();
                format!("{dot}{name}{of}: {}", shown(text, written))
            }
            super::Flow::Call { name, arguments } => format!("{name}() of {}", arguments.len()),
            super::Flow::Spread { value } => format!("...{}", value_shown(text, value)),
            super::Flow::Return { name, value } => {
                format!("{name} returns {}", value_shown(text, value))
            }
        });
        shown.collect::<Vec<_>>()
    });
    assert_eq!(
        found.unwrap(),
        [
            "a: global o.b",
            ".c: global d",
            "f() of 1",
            ".e: a",
            "...global g",
            "h of f: argument 0.h",
            "f returns h",
            "k: literal",
            "k returns call of j (i)!",
            "i of k: argument 0",
            "j() of 1",
        ]
    );
    let few = with_script(text, Goal::Script, |script| {
        script.flows(&NamesAsWritten, 3).len()
    });
    assert_eq!(few.unwrap(), 3);
}
