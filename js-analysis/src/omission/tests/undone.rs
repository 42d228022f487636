//! What undid a registration, what ran in its place, and results that are not used.

use super::{deciders, explained, read};
use crate::parse::Goal;
use crate::rewrite::with_script;

fn of(marked: &str) -> Vec<String> {
    explained(marked).0
}

#[test]
fn listeners_that_are_removed_with_their_event() {
    let bus = "const bus = make(); bus.on('add', ⟪0() => { ¶k(); }⟫);";
    assert_eq!(
        of(&format!("{bus} bus.off('add')")),
        [
            "Listener bus.off('add') 0",
            "Listener bus.on('add', () => { k(); }) 1"
        ]
    );
    // Of another event, or another object.
    let added = ["Listener bus.on('add', () => { k(); }) 1"];
    assert_eq!(of(&format!("{bus} bus.off('remove')")), added);
    assert_eq!(
        of(&format!("{bus} const other = make(); other.off('add')")),
        added
    );
}

#[test]
fn listeners_that_jquery_removes_with_their_event() {
    let listener = "⟪0() => { ¶k(); }⟫";
    let removed = |adding: &str, removing: &str| {
        let found = of(&format!("{adding}, {listener}); {removing}"));
        found[0] == format!("Listener {removing} 0")
    };
    assert!(removed("$('#b').on('click'", "$('#b').off('click')"));
    assert!(removed("$('#b').on('click.cart'", "$('#b').off('.cart')"));
    assert!(removed(
        "$(document).on('click', '.a'",
        "$(document).off('click', '.a')"
    ));
    // Of other elements, another kind, or another selector.
    assert!(!removed("$('#b').on('click'", "$('#c').off('click')"));
    assert!(!removed("$('#b').on('click.cart'", "$('#b').off('.list')"));
    assert!(!removed(
        "$(document).on('click', '.a'",
        "$(document).off('click', '.b')"
    ));
}

#[test]
fn an_event_that_a_listener_of_a_framework_stopped() {
    let stop = "⟪1(e) => { e.stopPropagation(); }⟫";
    let outer = "h('nav', { onClick: ⟪0() => { ¶k(); }⟫ });";
    assert_eq!(
        of(&format!("{outer} h('a', {{ onClick: {stop} }})")),
        [
            "Listener e.stopPropagation() 0",
            "Listener () => { k(); } 1"
        ]
    );
    assert_eq!(
        of(&format!("{outer} h('a', {{ onInput: {stop} }})")),
        ["Listener () => { k(); } 1"]
    );
    // As jQuery adds them, where an element has no name.
    let delegated = "$('#list').on('click', '.del', ⟪0() => { ¶k(); }⟫);";
    assert_eq!(
        of(&format!("{delegated} $('.row').on('click', {stop})"))[0],
        "Listener e.stopPropagation() 0"
    );
}

#[test]
fn a_request_that_was_aborted() {
    let found = of(
        "const c = new AbortController(); fetch('/a', { signal: c.signal }).then(⟪0() => { ¶k(); }⟫); c.abort();",
    );
    assert_eq!(found[0], "Promise c.abort() 1");
}

#[test]
fn a_call_that_called_another_function() {
    let found = of(
        "function later(f) { clearTimeout(t); t = setTimeout(⟪1() => f()⟫, 5) } let t; \
         ⟪0function save() { ¶k(); }⟫ later(save); later(⟪1() => {}⟫);",
    );
    assert_eq!(found[0], "Timer clearTimeout(t) 0", "{found:?}");
    let table = "const table = { a: ⟪1() => {}⟫, b: ⟪0() => { ¶k(); }⟫ }; \
                 ⟪2function run(key) { const f = table[key]; f⟦1?.()⟧; }⟫ run('a'); run('c');";
    assert_eq!(of(table), ["Branch f 1"]);
}

#[test]
fn what_a_library_made_of_a_function_and_nobody_used() {
    let found = of(
        "const undo = useCallback(⟪0() => { ¶k(); }⟫, []); if (open) ⟦0h(Undo, { onUndo: undo });⟧",
    );
    assert_eq!(found[0], "Branch open 1", "{found:?}");
}

#[test]
fn an_element_whose_name_is_not_in_the_document() {
    assert_eq!(
        of(
            "class Box extends HTMLElement { ⟪0connectedCallback() { ¶k(); }⟫ } customElements.define('a-box', Box);"
        ),
        ["Callback customElements.define('a-box', Box) 1"]
    );
    // Where another method of it was called, an element is there.
    assert_eq!(
        of(
            "class Box extends HTMLElement { ⟪1paint() {}⟫ ⟪0connectedCallback() { ¶k(); }⟫ } customElements.define('a-box', Box);"
        ),
        ["Callback connectedCallback() 0"]
    );
    assert_eq!(
        of("class Box extends HTMLElement { ⟪0connectedCallback() { ¶k(); }⟫ }"),
        ["Callback connectedCallback() 0"]
    );
}

#[test]
fn what_says_what_is_wrong_or_where_to_go_instead_decides() {
    let with = |guard: &str| {
        deciders(&format!(
            "const r = new Router(); r.before({guard}); r.on('/a', ⟪0() => ¶{{ k() }}⟫)"
        ))
    };
    assert_eq!(
        with("⟪1(to) => { if (!to.user) ⟦1{ return '/login'; }⟧ ⟦0}⟧⟫"),
        ["!to.user false 1"]
    );
    // As minifiers join two of them.
    assert_eq!(
        with("⟪1(to) => { return to.user ⟦0? true⟧ : '/login'; }⟫"),
        ["to.user false 1"]
    );
    // By a call, or by an object that is made: where it does not, it gives nothing.
    assert_eq!(
        with("⟪1(to) => { if (!to.user) ⟦1{ return new Answer(401); }⟧ ⟦0to.a = 1; }⟧⟫"),
        ["!to.user false 1"]
    );
    assert_eq!(
        with("⟪1(to) => { if (!to.user) ⟦1{ return redirect('/login'); }⟧ ⟦0to.a = 1; }⟧⟫"),
        ["redirect('/login') true 1", "!to.user false 1"]
    );
    // It gives a text in any case.
    assert_eq!(
        with("⟪2(to) => { if (!to.user) ⟦1{ return 'a'; }⟧⟦1 return to.name + 'b'; }⟧⟫"),
        [""; 0]
    );
    // What is called for what it does is no test.
    assert_eq!(with("⟪1(to) => list.push(to)⟫"), [""; 0]);
    assert_eq!(with("⟪1(to) => setText('')⟫"), [""; 0]);
}

#[test]
fn a_method_that_is_named_by_a_text() {
    let (source, coverage, at) = read(
        "View.extend({ events: { 'click .a': 'save' }, save: ⟪0function () ¶{ k() }⟫ }); log('x')",
    );
    let found = with_script(&source, Goal::Script, |script| {
        script.named(&script.handed_over(&coverage), at)
    });
    let found = found.unwrap();
    let texts: Vec<&str> = found
        .iter()
        .map(|span| &source[span.start.index()..span.end.index()])
        .collect();
    assert_eq!(texts, ["'save'"]);
}

#[test]
fn each_variable_of_a_declaration_is_a_step() {
    let (source, _, at) = read("var a = 1, b = make(), c; ¶k();");
    let steps = with_script(&source, Goal::Script, |script| script.steps_to(at)).unwrap();
    let texts: Vec<&str> = steps.iter().map(|step| &source[step.index()..]).collect();
    assert_eq!(
        texts,
        ["var a = 1, b = make(), c; k();", "make(), c; k();", "k();"]
    );
}

#[test]
fn what_a_validator_puts_into_its_list_of_errors_decides() {
    let with = |validate: &str| {
        deciders(&format!(
            "make({{ validate: {validate}, send: ⟪0() => ¶{{ k() }}⟫ }})"
        ))
    };
    let filled = "⟪1(it) => { const e = {}; if (!it.a) ⟦1e.a = 'no';⟧ if (!it.b) ⟦0e.b = 'no';⟧ return e; }⟫";
    assert_eq!(with(filled), ["e true 1", "!it.a false 1"]);
    let list = "⟪1(it) => { const e = []; if (!it.a) ⟦1e.push('no');⟧ return e; }⟫";
    assert_eq!(with(list), ["e true 1", "!it.a false 1"]);
    // What is not empty first is no list of errors.
    let state = "⟪1(it) => { const e = { a: 1 }; if (!it.a) ⟦1e.a = 2;⟧ return e; }⟫";
    assert_eq!(with(state), ["e true 1"]);
}

#[test]
fn what_a_registration_gave_undoes_it() {
    let listener = "⟪0() => { ¶k(); }⟫";
    let undone = |gave: &str, undoing: &str| {
        let found = of(&format!(
            "const {gave} = bus.on('add', {listener}); {undoing}"
        ));
        found[0] == format!("Listener {undoing} 1")
    };
    assert!(undone("token", "bus.unsubscribe(token)"));
    assert!(undone("token", "token.unsubscribe()"));
    assert!(undone("stopIt", "stopIt()"));
    // It says nothing of that, or of another one.
    assert!(!undone("token", "log(token)"));
    assert!(undone("s", "s()"));
    assert!(!undone("token", "bus.unsubscribe(other)"));
    // What another function makes is called for what it does.
    let made = of(&format!("const later = delayed({listener}); later()"));
    assert!(made[0].starts_with("Callback "), "{made:?}");
}

#[test]
fn what_keeps_an_object_busy_is_why_the_next_one_waits() {
    let first = "const first = ⟪1() => new Promise(⟪1(done) => { if (a.ok) ⟦0done(a);⟧ }⟫)⟫;";
    let second = "const second = ⟪0() => { ¶k(); }⟫; jobs.add(first);";
    let found = of(&format!("{first} {second} jobs.add(second);"));
    assert_eq!(found[0], "Branch a.ok 2", "{found:?}");
    let found = of(&format!("{first} {second} others.add(second);"));
    assert!(found[0].starts_with("Callback "), "{found:?}");
}

#[test]
fn where_a_function_ends_all_of_its_own_statements_are_before() {
    let (source, _, at) = read("async function f() { a(); if (b) { c(); } return d(); ¶} f();");
    let steps = with_script(&source, Goal::Script, |script| script.steps_to(at)).unwrap();
    let texts: Vec<&str> = steps.iter().map(|step| &source[step.index()..]).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts[2].starts_with("return d();"), "{texts:?}");
}

#[test]
fn what_is_taken_out_of_what_a_registration_gave_undoes_it() {
    let pulse = "repeat(⟪0() => { ¶k(); }⟫, 5);";
    let found = of(&format!("{{ const {{ pause }} = {pulse} pause(); }}"));
    assert_eq!(found[0], "Callback pause() 1", "{found:?}");
    let found = of(&format!("{{ const {{ pause: wait }} = {pulse} wait(); }}"));
    assert_eq!(found[0], "Callback wait() 1", "{found:?}");
    // What does not end it.
    let found = of(&format!("{{ const {{ state }} = {pulse} state(); }}"));
    assert!(found[0].starts_with("Callback repeat("), "{found:?}");
}

#[test]
fn a_table_that_is_frozen_is_the_table() {
    let found = of(
        "const table = Object.freeze({ a: ⟪1() => {}⟫, b: ⟪0() => { ¶k(); }⟫ }); \
         ⟪2function run(key) { const f = table[key]; f⟦1?.()⟧; }⟫ run('a'); run('c');",
    );
    assert_eq!(found, ["Branch f 1"]);
}

#[test]
fn who_names_a_function_is_nearer_than_who_calls_any_element() {
    let found = of(
        "{ const show = ⟪0() => { ¶k(); }⟫; all.push(show); bus.on('x', show); \
         ⟪1function go(key) { if (key) ⟦0{ other[key](); }⟧ }⟫ go(); }",
    );
    assert!(found[0].starts_with("Listener bus.on("), "{found:?}");
    assert!(found.contains(&"Branch key 2".to_owned()), "{found:?}");
}
