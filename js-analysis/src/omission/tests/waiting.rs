//! What holds what others wait for, what undoes a registration from afar, and what minifiers join with commas.

use super::{away, explained, read};
use crate::parse::Goal;
use crate::rewrite::with_script;

fn of(marked: &str) -> Vec<String> {
    explained(marked).0
}

const LISTENER: &str = "⟪0() => { ¶k(); }⟫";

#[test]
fn what_a_registration_gave_undoes_it_wherever_it_is_kept() {
    let kept = of(&format!(
        "const stops = []; stops.push(clock.on('tick', {LISTENER})); for (const stop of stops) stop();"
    ));
    assert_eq!(kept[0], "Listener stop() 1", "{kept:?}");
    let returned = of(&format!(
        "const save = ⟪1() => watch(store, {LISTENER})⟫; const running = {{ end: save() }}; \
         const pause = ⟪1() => {{ running.end(); }}⟫; pause();"
    ));
    assert_eq!(returned[0], "Callback running.end() 1", "{returned:?}");
    // What does not end anything may as well be the function itself, as of `debounce`.
    let itself = of(&format!(
        "const later = [debounce({LISTENER})]; for (const one of later) one();"
    ));
    assert!(itself[0].starts_with("Callback debounce("), "{itself:?}");
}

#[test]
fn a_wrapper_of_a_registration_is_undone_with_it() {
    let found = of(&format!(
        "const on = ⟪1(name, f) => {{ return bus.on(name, f); }}⟫; const stops = []; \
         stops.push(on('tick', {LISTENER})); for (const stop of stops) stop();"
    ));
    assert_eq!(found[0], "Listener stop() 1", "{found:?}");
}

#[test]
fn who_holds_a_lock_decides_whether_others_wait() {
    let first = "const save = ⟪1async () => { const release = await lock.acquire(); \
                 if (!dirty) ⟦1return;⟧⟦0 release(); ⟧}⟫; save();";
    let second = |lock: &str| {
        format!(
            "const edit = ⟪1async () => {{ const release = await {lock}.acquire();⟦0 ¶k(); release(); ⟧}}⟫; edit();"
        )
    };
    let found = of(&format!(
        "const lock = make(), other = make(); {first} {}",
        second("lock")
    ));
    assert_eq!(found[0], "Return !dirty 1", "{found:?}");
    let found = of(&format!(
        "const lock = make(), other = make(); {first} {}",
        second("other")
    ));
    assert!(
        found[0].starts_with("Promise await other.acquire()"),
        "{found:?}"
    );
}

#[test]
fn what_drives_a_generator_waits_for_the_promise_that_it_gives() {
    let load = "const load = ⟪1() => new Promise(⟪1(done) => { if (on) ⟦0done(1);⟧ }⟫)⟫;";
    let found = of(&format!(
        "{load} const f = ⟪1function* () {{ const users = yield load();⟦0 ¶k(users); ⟧}}⟫; flow(f)();"
    ));
    assert_eq!(found[0], "Branch on 2", "{found:?}");
}

#[test]
fn an_attribute_of_a_template_sets_a_listener() {
    let save = "const save = ⟪0() => { ¶k(); }⟫; const b = ⟪1({ action }) =>";
    let found = of(&format!(
        "{save} html`<b onclick=${{on ? ⟦0action⟧ : null}}>b</b>`⟫; b({{ action: save }});"
    ));
    assert_eq!(found[0], "Branch on 1", "{found:?}");
    let stopped = of(
        "const pick = ⟪0() => { ¶k(); }⟫; const open = ⟪1(e) => { e.stopPropagation(); }⟫; \
         html`<ul @click=${pick}><b @click=${open}></b></ul>`;",
    );
    assert_eq!(stopped[0], "Listener e.stopPropagation() 0", "{stopped:?}");
}

#[test]
fn the_last_of_several_expressions_decides() {
    assert_eq!(
        away("⟪5function f(a) { if (load(), !a) ⟦0{ ¶k(); }⟧ }⟫"),
        ["Branch !a false 5"]
    );
}

#[test]
fn each_expression_of_a_sequence_is_a_step() {
    let steps = |marked: &str| {
        let (source, _, at) = read(marked);
        let steps = with_script(&source, Goal::Script, |script| script.steps_to(at)).unwrap();
        let texts = steps
            .iter()
            .map(|step| source[step.index()..].chars().take(4).collect());
        texts.collect::<Vec<String>>()
    };
    assert_eq!(steps("a(), b(), ¶k(), c();"), ["a(),", "b(),", "k(),"]);
    assert_eq!(steps("if (a(), b()) { ¶k(); }"), ["if (", "b())", "k();"]);
    assert_eq!(steps("on && (a(), ¶k());"), ["on &", "a(),", "k())"]);
    assert_eq!(
        steps("const f = () => (a(), ¶k());"),
        ["(a()", "a(),", "k())"]
    );
}
