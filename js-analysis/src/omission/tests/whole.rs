//! Components: objects and classes of which only a framework calls the functions; and what only a template names.

use super::explained;

fn of(marked: &str) -> Vec<String> {
    explained(marked).0
}

#[test]
fn what_kept_a_component_from_being_handed_over_is_why_its_functions_did_not_run() {
    let component = "const Details = { props: ['user'], setup: ⟪0() => { ¶k(); }⟫ };";
    // What a compiler puts in between, and a wrapper.
    assert_eq!(
        of(&format!(
            "{component} const kept = Details; const made = wrap(kept); open ? ⟦0h(made)⟧ : null"
        ))[0],
        "Branch open 1"
    );
    // By a name of its own, as Vue's templates have it.
    assert_eq!(
        of(&format!(
            "{component} make({{ components: {{ UserDetails: Details }} }}); \
             const resolved = resolveComponent('user-details'); open ? ⟦0h(resolved)⟧ : null"
        ))[0],
        "Branch open 1"
    );
    assert_eq!(
        of(&format!(
            "{component} const scope = {{ Details }}; open ? ⟦0h(scope['Details'])⟧ : null"
        ))[0],
        "Branch open 1"
    );
    let class = "class Clock extends Base { didMount⟪0() { ¶k(); }⟫ }";
    assert_eq!(
        of(&format!("{class} open && ⟦0h(Clock)⟧"))[0],
        "Branch open 1"
    );
}

#[test]
fn what_was_made_is_not_missing_elsewhere() {
    // It was made once: that a second place does not make it says nothing.
    let component = "const Details = { setup: ⟪1() => { s(); }⟫, leave: ⟪0() => { ¶k(); }⟫ };";
    let found = of(&format!(
        "{component} h(Details); open ? ⟦0h(Details)⟧ : null"
    ));
    assert!(!found.iter().any(|one| one == "Branch open 1"), "{found:?}");
}

#[test]
fn what_only_a_template_may_call_is_not_unreachable() {
    let found = of("lib.data('cart', ⟪1() => ({ save: ⟪0() => { ¶k(); }⟫ })⟫)");
    assert!(found[0].starts_with("Callback "), "{found:?}");
    let found = of("lib.mount({ methods: { save: ⟪0() => { ¶k(); }⟫ } })");
    assert!(found[0].starts_with("Callback "), "{found:?}");
    // Nobody was given it.
    let found = of("const api = { save: ⟪0() => { ¶k(); }⟫ };");
    assert!(found[0].starts_with("Unreachable "), "{found:?}");
}

#[test]
fn a_template_s_loop_over_nothing() {
    let found = of("renderList(rows, ⟪0(row) => { ¶h(row); }⟫)");
    assert_eq!(found[0], "Loop renderList(rows, (row) => { h(row); }) 1");
}

#[test]
fn what_others_may_call_by_a_name_that_no_script_has_is_not_unreachable() {
    let own = "const made = {}; function data⟪1(name, make) { made[name] = make; }⟫";
    for code in [
        "lib.data('cart', ⟪1() => { return { save: ⟪0() => { ¶k(); }⟫ }; }⟫)",
        "const cart = ⟪1() => ({ save: ⟪0() => { ¶k(); }⟫ })⟫; lib.data('cart', cart)",
        "lib.data('c', ⟪1function () { const state = { save: ⟪0() => { ¶k(); }⟫ }; return state; }⟫)",
        "lib.data('c', ⟪1() => { const state = {}; state.save = ⟪0() => { ¶k(); }⟫; return state; }⟫)",
        // Nothing says that these functions are a library's.
        &format!("{own} data('cart', ⟪1() => ({{ save: ⟪0() => {{ ¶k(); }}⟫ }})⟫)"),
        &format!("{own} data('cart', {{ save: ⟪0() => {{ ¶k(); }}⟫ }})"),
        "class Menu extends Controller { save⟪0() { ¶k(); }⟫ } app.register('menu', Menu)",
        "class Menu { save⟪0() { ¶k(); }⟫ } lib.applyBindings(new Menu())",
        "function Model⟪1() { this.save = ⟪0() => { ¶k(); }⟫; }⟫ lib.applyBindings(new Model())",
        "app.controller('x', ⟪1function ($scope) { $scope.save = ⟪0() => { ¶k(); }⟫; }⟫)",
        "const Page = View.extend({ events: {}, save: ⟪0() => { ¶k(); }⟫ })",
        "lib.mount(Object.freeze({ save: ⟪0() => { ¶k(); }⟫ }))",
        "const state = Object.assign({}, { save: ⟪0() => { ¶k(); }⟫ }); lib.mount(state)",
        // It gets where it is not followed.
        "const base = { save⟪0() { ¶k(); }⟫ }; const all = { ...base }; lib.mount(all)",
        "const o = { inner: {} }; o.inner.save = ⟪0function () { ¶k(); }⟫;",
        "window.save = ⟪0function () { ¶k(); }⟫;",
        "const api = { save: ⟪0() => { ¶k(); }⟫ }; throw api",
        "const api = { save: ⟪0() => { ¶k(); }⟫ }; api[key];",
        "const api = { inner: { save: ⟪0() => { ¶k(); }⟫ } }; api.inner[key];",
        "const api = { save: ⟪0() => { ¶k(); }⟫ }; for (const key in api) console.log(key);",
        "const api = lib.api(); api.save = ⟪0() => { ¶k(); }⟫;",
        "class Menu { constructor⟪1() { this.go = 1; list.current = this; }⟫ save⟪0() { ¶k(); }⟫ } new Menu();",
        "class Menu { save⟪0() { ¶k(); }⟫ } const menu = new Menu(); `${menu}`;",
        "function save⟪0() { ¶k(); }⟫ window[name]();",
        "const text = '<b @click=\"save()\">'; const api = { save: ⟪0() => { ¶k(); }⟫ }; api[text];",
    ] {
        let found = of(code);
        let is_so = |one: &String| one.starts_with("Unreachable ");
        assert!(
            !found.is_empty() && !found.iter().any(is_so),
            "{code}: {found:?}"
        );
    }
    for code in [
        "const api = { save: ⟪0() => { ¶k(); }⟫, go: ⟪1() => {}⟫ }; api.go();",
        "class Menu { save⟪0() { ¶k(); }⟫ } new Menu();",
        "class Menu { save⟪0() { ¶k(); }⟫ go⟪1() { this.n = 1; }⟫ } const menu = new Menu(); menu.go();",
        "const api = { save: ⟪0() => { ¶k(); }⟫ }; console.log(api); if (api) api.n = 1;",
        "const inner = { save: ⟪0() => { ¶k(); }⟫ }; const api = { inner }; api.inner.n = 1;",
        "const state = Object.assign({}, { save: ⟪0() => { ¶k(); }⟫ }); state.n = 1;",
        "lib.data('cart', ⟪1() => { const save = ⟪0() => { ¶k(); }⟫; return 1; }⟫)",
    ] {
        let found = of(code);
        assert!(found[0].starts_with("Unreachable "), "{code}: {found:?}");
    }
}
