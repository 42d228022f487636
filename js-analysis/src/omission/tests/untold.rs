//! What the page itself was to tell, make or hand over, and did not.

use super::explained;

fn of(marked: &str) -> Vec<String> {
    explained(marked).0
}

#[test]
fn what_an_object_was_not_told_is_why_its_listener_did_not_run() {
    let listening = "const clicks = new Subject(); clicks.subscribe(⟪0() => { ¶k(); }⟫);";
    let found = of(&format!("{listening} if (on) ⟦0clicks.next(1)⟧;"));
    assert_eq!(found[0], "Branch on 1", "{found:?}");
    let piped = "const clicks = make(); clicks.pipe(a).pipe(b).subscribe(⟪0() => { ¶k(); }⟫);";
    let found = of(&format!("{piped} if (on) ⟦0clicks.next(1)⟧;"));
    assert_eq!(found[0], "Branch on 1", "{found:?}");
    let observer = "const seen = new IntersectionObserver(⟪0() => { ¶k(); }⟫);";
    let found = of(&format!("{observer} if (lazy) ⟦0seen.observe(image)⟧;"));
    assert_eq!(found[0], "Branch lazy 1", "{found:?}");
}

#[test]
fn what_an_object_was_told_otherwise_is_no_reason() {
    let listening = "const clicks = new Subject(); clicks.subscribe(⟪0() => { ¶k(); }⟫);";
    let told = of(&format!(
        "{listening} clicks.next(0); if (on) ⟦0clicks.next(1)⟧;"
    ));
    assert!(told[0].starts_with("Callback "), "{told:?}");
    let another = of(&format!(
        "{listening} const keys = new Subject(); if (on) ⟦0keys.next(1)⟧;"
    ));
    assert!(another[0].starts_with("Callback "), "{another:?}");
    // Of another event.
    let bus = "const bus = make(); bus.on('add', ⟪0() => { ¶k(); }⟫);";
    let found = of(&format!("{bus} if (on) ⟦0bus.emit('remove')⟧;"));
    assert!(found[0].starts_with("Listener "), "{found:?}");
    let found = of(&format!("{bus} if (on) ⟦0bus.emit('add')⟧;"));
    assert_eq!(found[0], "Branch on 1", "{found:?}");
}

#[test]
fn a_sum_over_nothing_is_a_loop() {
    let found = of("const sum = rows.reduce(⟪0(sum, row) => { return ¶sum + row; }⟫, 0);");
    assert!(found[0].starts_with("Loop rows.reduce("), "{found:?}");
}

#[test]
fn a_listener_before_it_stopped_the_event_of_the_same_object() {
    let first = "q.addEventListener('click', ⟪1(e) => { e.stopImmediatePropagation(); }⟫);";
    let second = "q.addEventListener('click', ⟪0() => { ¶k(); }⟫);";
    let found = of(&format!("{first} {second}"));
    assert_eq!(
        found[0], "Listener e.stopImmediatePropagation() 0",
        "{found:?}"
    );
}

#[test]
fn a_handler_that_a_test_did_not_choose_was_not_set() {
    let save = "const save = ⟪0() => { ¶k(); }⟫;";
    let found = of(&format!(
        "{save} h('b', {{ onClick: locked ? undefined : ⟦0save⟧ }});"
    ));
    assert_eq!(found[0], "Branch locked 1", "{found:?}");
    let found = of(&format!("{save} b.onclick = open && ⟦0save⟧;"));
    assert_eq!(found[0], "Branch open 1", "{found:?}");
    let found = of(&format!(
        "{save} h('b', {{ onClick: locked ? ⟦0other⟧ : save }});"
    ));
    assert!(found[0].starts_with("Listener "), "{found:?}");
}

#[test]
fn a_function_of_an_object_is_handed_over_with_it_by_its_variable() {
    let found = of("const onSave = ⟪0() => { ¶k(); }⟫; h(Form, { onSave });");
    assert!(!found[0].starts_with("Unreachable "), "{found:?}");
}

#[test]
fn a_function_in_one_that_was_not_called_is_not_there() {
    let found = of("lib.data('badge', ⟪0() => ({ init() { ¶k(); } })⟫); other.init();");
    assert!(found[0].starts_with("Callback lib.data("), "{found:?}");
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn an_element_that_no_markup_made_names_the_test() {
    let class = "class Badge extends HTMLElement { connectedCallback⟪0() { ¶k(); }⟫ } \
                 customElements.define('x-badge', Badge);";
    let found = of(&format!(
        "{class} open ? ⟦0html`<p><x-badge></x-badge></p>`⟧ : 0;"
    ));
    assert_eq!(found[0], "Branch open 1", "{found:?}");
    let found = of(&format!(
        "{class} if (open) ⟦0document.createElement('x-badge')⟧;"
    ));
    assert_eq!(found[0], "Branch open 1", "{found:?}");
    let found = of(&format!("{class} open ? ⟦0html`<x-other></x-other>`⟧ : 0;"));
    assert!(
        found[0].starts_with("Callback customElements.define("),
        "{found:?}"
    );
}

#[test]
fn one_of_several_promises_was_not_settled() {
    let never = "const never = new Promise(⟪1(resolve) => { if (on) ⟦0resolve(1)⟧; }⟫);";
    let found = of(&format!(
        "{never} Promise.all([load(), never]).then(⟪0() => {{ ¶k(); }}⟫);"
    ));
    assert!(found[0].starts_with("Branch on "), "{found:?}");
}

#[test]
fn what_a_function_waits_for_beside_it_was_not_told() {
    let sum = "const rate = stream(); const amount = stream(); \
               combine(⟪0() => { ¶k(); }⟫, [rate, amount]); amount(1);";
    let found = of(&format!("{{ {sum} if (known) ⟦0rate(2)⟧; }}"));
    assert_eq!(found[0], "Branch known 1", "{found:?}");
    let told = of(&format!("{{ {sum} rate(1); if (known) ⟦0rate(2)⟧; }}"));
    assert!(told[0].starts_with("Callback "), "{told:?}");
    let task = "class List { constructor⟪1() { this.task = new Task(this, { run: ⟪0() => { ¶k(); }⟫ }); }⟫ \
                updated⟪1() { if (this.ready) ⟦0this.task.run()⟧; }⟫ } new List();";
    let found = of(&format!("{{ {task} }}"));
    assert_eq!(found[0], "Branch this.ready 1", "{found:?}");
}

#[test]
fn a_method_of_an_element_that_was_not_made() {
    let class = "class Panel extends Base { render⟪0() { ¶k(); }⟫ } \
                 customElements.define('x-panel', Panel);";
    let found = of(&format!("{{ {class} if (open) ⟦0show('x-panel')⟧; }}"));
    assert_eq!(found[0], "Branch open 1", "{found:?}");
}
