//! Each text says where it is asked (`/*P*/`, or `/*W*/` for the write or call that begins there) and the test says
//! which conditions that depends on, by their text.

use super::{ConditionKind, FlowMoment, FlowPoint};
use crate::Goal;
use crate::position::ByteOffset;
use crate::rewrite::with_script;

fn conditions(text: &str) -> Vec<String> {
    let (mark, moment) = match text.find("/*W*/") {
        Some(at) => (at, FlowMoment::Effect),
        None => (text.find("/*P*/").unwrap(), FlowMoment::Start),
    };
    let at = ByteOffset::from_index(mark + "/*P*/".len());
    let points = [FlowPoint { at, moment }];
    with_script(text, Goal::Script, |script| {
        let found = script.conditions_before(&points);
        let texts = found[0].iter().map(|condition| {
            let span = condition.span;
            text[span.start.index()..span.end.index()].to_owned()
        });
        texts.collect()
    })
    .unwrap()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(conditions(text), expected, "{text}");
}

#[test]
fn branches() {
    check("if (a) { /*P*/f(); }", &["a"]);
    check("if (a) f(); else { /*P*/f(); }", &["a"]);
    check("if (a) { f(); } /*P*/g();", &[]);
    check("if (a) { if (b) /*P*/f(); }", &["b"]);
    check("if (a && b) /*P*/f();", &["a && b"]);
    check("if (a) return0(); else if (b) /*P*/f();", &["b"]);
    check("function f() { if (a) return; /*P*/g(); }", &["a"]);
    check(
        "function f() { if (a) { if (b) return; } /*P*/g(); }",
        &["a", "b"],
    );
    check("function f() { if (a) throw 1; /*P*/g(); }", &["a"]);
    check("l: { if (a) break l; /*P*/g(); }", &["a"]);
}

#[test]
fn expressions() {
    check("x = a ? /*P*/f() : g();", &["a"]);
    check("x = a ? f() : /*P*/g();", &["a"]);
    check("a && /*P*/f();", &["a"]);
    check("(a || b) && /*P*/f();", &["(a || b)"]);
    check("a ?? /*P*/f();", &["a"]);
    check("if (a && /*P*/f()) g();", &["a"]);
    check("/*W*/x ||= v;", &["x"]);
    check("/*P*/x ||= v;", &[]);
    check("o.x &&= /*P*/f();", &["o.x"]);
    check("/*W*/x = a ? 1 : 2;", &[]);
    check("o?.p.q(/*P*/f());", &["o"]);
    check("o?.p?.(/*P*/f());", &["o?.p"]);
    check("/*W*/o?.p();", &["o"]);
    check("o?.p; /*P*/f();", &[]);
    check("var {x = /*P*/f()} = o;", &[]);
    check("if (a) var {x = /*P*/f()} = o;", &["a"]);
}

#[test]
fn loops() {
    check("while (a) { /*P*/f(); }", &["a"]);
    check("while (a) { f(); } /*P*/g();", &[]);
    check("while (a) { if (b) continue; /*P*/f(); }", &["b"]);
    check("while (a) { if (b) break; /*P*/f(); }", &["b"]);
    check("while (a) { if (b) break; f(); } /*P*/g();", &[]);
    check("if (z) do { /*P*/f(); } while (a);", &["z", "a"]);
    check("do { /*P*/f(); } while (a);", &["a"]);
    check("do { if (b) continue; /*P*/f(); } while (a);", &["b"]);
    check("for (let i = 0; i < n; i++) { /*P*/f(); }", &["i < n"]);
    check("for (let i = 0; i < n; /*W*/i++) { f(); }", &["i < n"]);
    check("for (let i = 0; /*P*/i < n; i++) { f(); }", &["i < n"]);
    check("for (let i = /*P*/f(); i < n; i++) { f(); }", &[]);
    check("for (const k in o) { /*P*/f(); }", &["const k in o"]);
    check("for (const v of f()) { /*P*/g(); }", &["const v of f()"]);
    check("for (const v of /*P*/f()) { g(); }", &[]);
    check("if (z) for (;;) { /*P*/f(); if (a) break; }", &["z", "a"]);
    check("if (z) for (;;) { if (a) break; /*P*/f(); }", &["a"]);
    check("if (z) while (true) { /*P*/f(); }", &["z"]);
    check(
        "o: for (;;) { for (;;) { if (a) continue o; /*P*/f(); } }",
        &["a"],
    );
    check(
        "o: while (a) { while (b) { if (c) break o; } /*P*/f(); }",
        &["b"],
    );
}

#[test]
fn switches() {
    check("switch (v) { case 1: /*P*/f(); }", &["case 1"]);
    check(
        "switch (v) { case 1: f(); case 2: /*P*/g(); }",
        &["case 1", "case 2"],
    );
    check(
        "switch (v) { case 1: f(); break; case 2: /*P*/g(); }",
        &["case 2"],
    );
    check(
        "switch (v) { case 1: break; default: /*P*/g(); }",
        &["case 1"],
    );
    check("switch (v) { case 1: break; case 2: f() } /*P*/g();", &[]);
    check(
        "while (a) { switch (v) { case 1: continue; } /*P*/f(); }",
        &["case 1"],
    );
}

#[test]
fn exceptions() {
    check("if (z) { try { /*P*/f(); } catch {} }", &["z"]);
    check("if (z) { try { f(); /*P*/g(); } catch {} }", &["z"]);
    check("if (z) { try { if (a) f(); /*P*/g(); } catch {} }", &["z"]);
    check("if (z) { try { f(); } catch { /*P*/g(); } }", &["z"]);
    check("try { if (a) throw 1; } catch { /*P*/g(); }", &["a"]);
    check("try { f(); } catch { if (a) /*P*/g(); }", &["a"]);
    check(
        "if (z) { try { if (a) f(); } finally { /*P*/g(); } }",
        &["z"],
    );
    check(
        "function f() { if (z) { try { if (a) return; } finally { /*P*/g(); } } }",
        &["z"],
    );
    check("if (z) try { f(); } finally { if (a) /*P*/g(); }", &["a"]);
    check(
        "function f() { if (z) { try { if (a) return; } finally { g(); } /*P*/h(); } }",
        &["a"],
    );
    check("if (z) { try { f(); } catch { g(); } /*P*/h(); }", &["z"]);
    check(
        "function f() { if (z) { try { f(); } catch { return; } /*P*/h(); } }",
        &["z"],
    );
}

#[test]
fn functions_are_apart() {
    check("if (a) { f(function () { /*P*/g(); }); }", &[]);
    check("if (a) { f(() => { if (b) /*P*/g(); }); }", &["b"]);
    check("if (a) { f(() => /*P*/g()); }", &[]);
    check("if (a) { f(x => x && /*P*/g()); }", &["x"]);
    check("class C { x = a && /*P*/f(); }", &["a"]);
    check("class C { static { if (a) /*P*/f(); } }", &["a"]);
    check("class C { constructor() { if (a) /*P*/f(); } }", &["a"]);
    check(
        "async function f() { if (await a) /*P*/g(); }",
        &["await a"],
    );
    check("function* f() { while (yield a) /*P*/g(); }", &["yield a"]);
}

#[test]
fn several_points_are_asked_at_once() {
    let text = "if (a) f(); function g() { if (b) h(); }";
    let point = |needle: &str| FlowPoint {
        at: ByteOffset::from_index(text.find(needle).unwrap()),
        moment: FlowMoment::Effect,
    };
    let points = [point("h()"), point("f()")];
    let found = with_script(text, Goal::Script, |script| {
        script.conditions_before(&points)
    })
    .unwrap();
    let starts: Vec<u32> = found.iter().map(|found| found[0].span.start.0).collect();
    assert_eq!(starts, [31, 4]);
    assert_eq!(found[0][0].kind, ConditionKind::Test);
}

#[test]
fn a_condition_is_asked_what_led_to_it() {
    let text = "if (a) while (b) f();";
    let points = [FlowPoint {
        at: ByteOffset::from_index(text.find('b').unwrap()),
        moment: FlowMoment::Decision,
    }];
    let found = with_script(text, Goal::Script, |script| {
        script.conditions_before(&points)
    })
    .unwrap();
    let texts: Vec<&str> = found[0]
        .iter()
        .map(|found| &text[found.span.start.index()..found.span.end.index()])
        .collect();
    assert_eq!(texts, ["a", "b"]);
}

#[test]
fn the_try_block_around_a_point() {
    let block = |text: &str| {
        let at = ByteOffset::from_index(text.find("/*P*/").unwrap() + "/*P*/".len());
        let found = with_script(text, Goal::Script, |script| script.try_blocks_around(at)).unwrap();
        found
            .first()
            .map(|span| text[span.start.index()..span.end.index()].to_owned())
    };
    let found = block("try { try { f(); /*P*/g(); } finally {} } catch {}");
    assert_eq!(found.as_deref(), Some("{ f(); /*P*/g(); }"));
    let found = block("try { try { f(); } catch { /*P*/g(); } } catch {}");
    assert!(found.is_some_and(|found| found.starts_with("{ try")));
    assert_eq!(block("try { f(() => { /*P*/g(); }); } catch {}"), None);
    assert_eq!(block("try { f(); } catch {} /*P*/g();"), None);
    assert_eq!(block("try { class C { x = /*P*/f(); } } catch {}"), None);
}

#[test]
fn what_is_thrown_is_caught_in_the_same_function_or_not() {
    let is_caught = |text: &str| {
        let at = ByteOffset::from_index(text.find("/*P*/").unwrap() + "/*P*/".len());
        with_script(text, Goal::Script, |script| script.is_caught_at(at)).unwrap()
    };
    assert!(is_caught("try { /*P*/f(); } catch {}"));
    assert!(is_caught(
        "try { try { /*P*/f(); } finally {} } catch {} finally {}"
    ));
    assert!(!is_caught("try { /*P*/f(); } finally {}"));
    assert!(!is_caught("try { f(); } catch { /*P*/g(); }"));
    assert!(!is_caught("try { f(() => /*P*/g()); } catch {}"));
    assert!(!is_caught(
        "try { f(); } finally { /*P*/g(); } try {} catch {}"
    ));
}

/// Copies of `finally` blocks double with each that is nested in another.
#[test]
fn deeply_nested_finally_blocks_stay_affordable() {
    let depth = 60;
    let text = format!(
        "function f() {{ {}if (b) /*P*/g();{} }}",
        "try { if (a) return; } finally { ".repeat(depth),
        " }".repeat(depth)
    );
    assert_eq!(conditions(&text), ["b"]);
}

#[test]
fn a_long_function_is_asked_quickly() {
    let text = format!(
        "function f() {{ {} /*P*/g(); }}",
        "if (a) { b(); } else if (c) { return; } while (d) { e(); }".repeat(2_000)
    );
    assert_eq!(conditions(&text), ["a", "c"]);
}
