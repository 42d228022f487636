//! What libraries were handed, and what became of it: functions that throw, validators, options beside handlers.

use super::{deciders, explained, explained_around};

#[test]
fn a_function_that_threw_decides_beside_another() {
    let hooks = "create({ before⟪1(request) { if (!token) ⟦1throw new Error()⟧;⟦0 }⟧⟫, after⟪0() ¶{ k() }⟫ })";
    assert_eq!(deciders(hooks), ["!token false 1"]);
    let caught =
        "create({ before⟪1(request) { try { throw 1 } catch ⟦1{ }⟧ }⟫, after⟪0() ¶{ k() }⟫ })";
    assert_eq!(deciders(caught), [""; 0]);
}

#[test]
fn what_an_async_function_threw_that_a_library_called_comes_first() {
    let library = "function mutation⟪1(options) { run(options.mutate); }⟫";
    let page = "async function save⟪1(order) { if (order.empty) ⟦1throw new Error()⟧;⟦0 return 1; }⟧⟫ \
                mutation({ mutate: ⟪1() => save(order)⟫, onDone: ⟪0() => { ¶k(); }⟫ });";
    let found = explained_around(&format!("{library} /* page */ {page}"));
    assert_eq!(found[0], "Exception order.empty 1");
}

#[test]
fn a_validator_that_said_nothing_comes_last() {
    let check = "form({ name: ⟪1(value) => value ⟦1? undefined⟧ : ⟦0'required'⟧⟫, \
                 all: ⟪1(values) => { let errors = {}; return /@/.test(values.mail) || ⟦1(errors.mail = 'none')⟧, errors }⟫, \
                 submit: ⟪0() => ¶{ k() }⟫ })";
    let found = deciders(check);
    let place = |text: &str| found.iter().position(|one| one.starts_with(text));
    let said = place("/@/.test(values.mail)");
    assert!(said.is_some() && said < place("value "), "{found:?}");
}

#[test]
fn what_is_beside_a_function_comes_before_what_calls_by_other_names() {
    let library = "function listen⟪1(options) { each(options.effect, options.predicate); }⟫ function each⟪1(...all) { run(all[0]); }⟫";
    let page = "listen({ predicate: ⟪2(now) => now.total > 100⟫, effect: ⟪0() => { ¶k(); }⟫ });";
    let found = explained_around(&format!("{library} /* page */ {page}"));
    assert_eq!(found[0], "Branch now.total > 100 1");
    let choose = "box({ isDisabled: ⟪2(item) => item.sold⟫, onChange: ⟪0() => { ¶k(); }⟫ });";
    let found = explained_around(&format!(
        "function box⟪1(o) {{ h = o; }}⟫ /* page */ {choose}"
    ));
    assert_eq!(found[0], "Branch item.sold 1");
}

#[test]
fn what_is_made_with_a_function_and_named_nowhere_that_ran() {
    let made =
        "{ const total = computed(⟪0() => { ¶k(); }⟫); draw(wide ? ⟦0total.value⟧ : null); }";
    assert_eq!(explained(made).0[0], "Branch wide 1");
}

#[test]
fn what_is_told_by_the_same_text_and_what_is_misspelt() {
    let paid = "function latest⟪1(type, f) { map[type] = f; }⟫ /* page */ \
                latest('cart/paid', ⟪0() => { ¶k(); }⟫); if (method) ⟦0dispatch({ type: 'cart/paid', method })⟧;";
    assert_eq!(explained(paid).0[0], "Branch method 1");
    let misspelt = "function latest⟪1(type, f) { map[type] = f; }⟫ /* page */ \
                    latest('cart/piad', ⟪0() => { ¶k(); }⟫); dispatch({ type: 'cart/paid' });";
    assert!(explained(misspelt).0[0].starts_with("Callback latest('cart/piad'"));
    let generator = "/* page */ function* watch⟪1() { const { method } = yield take('pay/chosen');⟦0 ¶k(method); }⟧⟫ \
                     if (method) ⟦0dispatch({ type: 'pay/chosen', method })⟧;";
    assert_eq!(explained(generator).0[0], "Branch method 1");
}

#[test]
fn what_clears_a_timer_before_it_is_set_anew_comes_later() {
    let search = "let timer; function type⟪3() { clearTimeout(timer); timer = setTimeout(⟪0() => { ¶k(); }⟫, 50); }⟫ \
                  b.addEventListener('blur', ⟪1() => clearTimeout(timer)⟫); type();";
    let found = explained(search).0;
    assert!(
        found[0].starts_with("Timer clearTimeout(timer)"),
        "{found:?}"
    );
    assert!(found[1].starts_with("Timer setTimeout("), "{found:?}");
}

#[test]
fn of_a_library_s_function_that_a_minifier_put_in_place_the_author_s_part_is_named() {
    let library = "function latest⟪1(type, f) { map[type] = f; }⟫";
    let page = format!(
        "take(⟪1function (type, f) {{ latest(type, f); }}⟫('cart/paid', /* page */ done)); {}",
        "⟪0function done() { ¶k(); }⟫"
    );
    let found = explained(&format!("{library} {page}")).0;
    assert!(
        found.iter().any(|one| one.starts_with("Callback done")),
        "{found:?}"
    );
}

#[test]
fn what_threw_in_what_a_library_tries_comes_before_that_it_gives_a_promise() {
    let library = "function retry⟪1(f) { return new Promise(() => f()); }⟫";
    let page = "async function read⟪1(page) { if (page.gone) ⟦1throw new Error()⟧;⟦0 return 1; }⟧⟫ \
                retry(⟪1() => read(one)⟫).then(⟪0() => { ¶k(); }⟫);";
    let found = explained_around(&format!("{library} /* page */ {page}"));
    assert!(found[0].starts_with("Exception page.gone"), "{found:?}");
}
