//! Functions, classes and objects that nothing names which ran.

use super::explained;

fn first(marked: &str) -> String {
    let found = explained(marked).0;
    found.into_iter().next().unwrap_or_default()
}

#[test]
fn what_nothing_names_that_ran_was_kept_by_what_kept_that() {
    let audit = "const audit = ⟪0() => { ¶k(); }⟫;";
    let list = first(&format!(
        "{{ {audit} const steps = strict ? ⟦0[check, audit]⟧ : [check]; run(steps); }}"
    ));
    assert_eq!(list, "Branch strict 1");
    let object = "const plugin = { install⟪0() { ¶k(); }⟫ };";
    let chosen = first(&format!(
        "{{ {object} const all = kiosk ? ⟦0[plugin]⟧ : []; all.forEach(use); }}"
    ));
    assert_eq!(chosen, "Branch kiosk 1");
    let class = "class Row { paint⟪0() { ¶k(); }⟫ }";
    let kinds = first(&format!(
        "{{ {class} const kinds = {{ row: wide && ⟦0Row⟧ }}; draw(kinds); }}"
    ));
    assert_eq!(kinds, "Branch wide 1");
}

#[test]
fn what_is_named_somewhere_else_is_not_kept_so() {
    let audit = "const audit = ⟪0() => { ¶k(); }⟫;";
    let named = first(&format!(
        "{{ {audit} const steps = strict ? ⟦0[check, audit]⟧ : [audit]; run(steps); }}"
    ));
    assert!(!named.contains("strict"), "{named}");
    // By its own name it may call itself.
    let itself = first("{ function walk⟪0(a) { ¶k(); walk(a); }⟫ if (deep) ⟦0walk(1)⟧; }");
    assert_eq!(itself, "Branch deep 1");
}
