//! What ended an object or a stream, what a library made of a function, and who is asked where the author's own code
//! calls what it was handed.

use super::{deciders, explained, explained_around, explanation};
use crate::omission::Reason;

#[test]
fn what_ends_an_object_is_why_its_event_did_not_happen() {
    let request = "{ const tx = open(); tx.oncomplete = ⟪0() => { ¶k(); }⟫; tx.abort(); }";
    assert_eq!(explained(request).0[0], "Listener tx.abort() 0");
    let other =
        "{ const tx = open(), ty = open(); tx.oncomplete = ⟪0() => { ¶k(); }⟫; ty.abort(); }";
    assert!(!explained(other).0.join(" ").contains("abort"));
    let awaited = "async function save⟪1() { const tx = open(); tx.abort(); await tx.done;⟦0 ¶k(); }⟧⟫ save();";
    let found = explained(awaited).0;
    assert!(
        found.contains(&"Promise tx.abort() 1".to_owned()),
        "{found:?}"
    );
}

#[test]
fn what_a_stream_ends_with_is_why_it_tells_no_more() {
    let library = "function take⟪1(x) { all = x; }⟫ /* page */ ";
    let ended = "const a = make(), b = make(); a.pipe(takeUntil(b), other()).subscribe(⟪0() => { ¶k(); }⟫); b.next(1); a.next(2);";
    let found = explained(&format!("{library}{ended}")).0;
    assert_eq!(found[0], "Callback b.next(1) 0", "{found:?}");
    // Of what is only combined with it, what was not told.
    let combined = "const a = make(), b = make(), both = combine([a, b]); both.pipe(other()).subscribe(⟪0() => { ¶k(); }⟫); \
                    a.next(2); if (on) ⟦0b.next(1)⟧;";
    let found = explained(&format!("{library}{combined}")).0;
    assert_eq!(found[0], "Branch on 1", "{found:?}");
}

#[test]
fn what_an_await_of_a_library_was_given_is_waited_for() {
    let library = "function within⟪1(promise, time) { return race(promise, time); }⟫ /* page */ ";
    let page = "const slow = ⟪1() => new Promise(⟪1(done) => { if (fast) ⟦0done(1)⟧; }⟫)⟫; \
                async function load⟪1() { await within(slow(), 50);⟦0 ¶k(); }⟧⟫ load();";
    let found = explained(&format!("{library}{page}")).0;
    assert!(found[0].starts_with("Branch fast"), "{found:?}");
}

#[test]
fn what_a_library_made_of_a_function_is_followed_to_where_it_is_called() {
    let library = "function keep⟪1(f) { return store(f); }⟫ function use⟪1() { return store(1); }⟫ /* page */ ";
    let called = "function Cart⟪1() { const add = keep(⟪0() => { ¶k(); }⟫); return { add }; }⟫ Cart(); \
                  function Row⟪1() { const { add } = use(); if (stock) ⟦0add(1)⟧; }⟫ Row();";
    let found = explained_around(&format!("{library}{called}"));
    assert_eq!(found[0], "Branch stock 2", "{found:?}");
    let listened = "function Cart⟪1() { const add = keep(⟪0() => { ¶k(); }⟫); return { add }; }⟫ Cart(); \
                    function Row⟪1() { const { add } = use(); return full ? ⟦0make({ onClick: add })⟧ : null; }⟫ Row();";
    let found = explained_around(&format!("{library}{listened}"));
    assert_eq!(found[0], "Branch full 2", "{found:?}");
}

#[test]
fn a_method_called_every_with_a_number_is_no_loop() {
    let clock = "clock.every(10, ⟪0() => { ¶k(); }⟫, { late: 1 });";
    assert_eq!(
        explained(clock).0,
        ["Callback clock.every(10, () => { k(); }, { late: 1 }) 1"]
    );
    let list = "list.every(⟪0() => { ¶k(); }⟫);";
    assert_eq!(explained(list).0, ["Loop list.every(() => { k(); }) 1"]);
}

#[test]
fn what_the_authors_own_code_does_with_a_function_comes_before_what_is_beside_it() {
    let library = "function x⟪1() {}⟫ /* page */ ";
    let store = "function select⟪1(pick, work) { const now = pick(state); if (now !== last) ⟦0work(now)⟧; }⟫ \
                 select(⟪1(s) => s.items⟫, ⟪0() => { ¶k(); }⟫);";
    let found = explained_around(&format!("{library}{store}"));
    assert_eq!(found[0], "Branch now !== last 1", "{found:?}");
}

#[test]
fn what_kept_a_function_from_being_called_once_more_is_behind_its_own_decision() {
    let memo = "memo(⟪1(price) => { if (price > 10) ⟦0{ ¶k(); }⟧ }⟫, ⟪1(a, b) => a.id === b.id⟫);";
    let found = explained_around(memo);
    assert_eq!(
        found[..2],
        ["Branch price > 10 0", "Branch a.id === b.id 1"]
    );
    let ticks = "{ const timer = setInterval(⟪4() => { if (++n > 8) ⟦0{ ¶k(); }⟧ }⟫, 5); clearInterval(timer); }";
    assert_eq!(
        explained(ticks).0,
        ["Branch ++n > 8 0", "Timer clearInterval(timer) 1"]
    );
}

#[test]
fn the_variable_of_an_object_is_handed_over_with_its_functions() {
    let routes = "const Account = { setup⟪0() ¶{ k() }⟫ }; const router = make({ routes: [{ path: '/a', page: Account }] }); \
                  router.before(⟪1(to) => { if (!user) ⟦1return '/login'⟧;⟦0 }⟧⟫);";
    assert_eq!(deciders(routes), ["!user false 1"]);
    // A guard that is further away is one beside what is near.
    let near = "const Account = { setup⟪0() ¶{ k() }⟫ }; const router = make({ routes: [{ page: Account }, { \
                draw⟪1() { return h('p', 'home'); }⟫, may: ⟪1(user) => user.level > 2⟫ }] }); \
                router.before(⟪1(to) => { if (!user) ⟦1return '/login'⟧;⟦0 }⟧⟫);";
    assert_eq!(deciders(near), ["user.level > 2 true 1", "!user false 1"]);
    let class = "var Page, Page_default; Page = class { constructor⟪0() ¶{ k() }⟫ }; Page_default = Page; \
                 wrap({ page: Page_default, when: ⟪1(user) => user.level > 2⟫ });";
    assert_eq!(deciders(class), ["user.level > 2 true 1"]);
}

#[test]
fn a_throw_that_is_the_last_statement_decides_and_so_does_what_is_before_a_text() {
    let hooks =
        "create({ before⟪1(request) { if (!token) ⟦1throw new Error();⟧ }⟫, after⟪0() ¶{ k() }⟫ })";
    assert_eq!(deciders(hooks), ["!token false 1"]);
    let never =
        "create({ before⟪1(request) { if (!token) ⟦0throw new Error();⟧ }⟫, after⟪0() ¶{ k() }⟫ })";
    assert_eq!(deciders(never), [""; 0]);
    let valid = "form({ mail: ⟪1(value) => value.ok || 'no address'⟫, submit: ⟪0() => ¶{ k() }⟫ })";
    assert_eq!(deciders(valid), ["value.ok true 1"]);
}

#[test]
fn what_one_search_explains_a_later_one_without_an_answer_leaves_explained() {
    // The result is not used (the first search); that the object is told nothing says nothing more (the second).
    let page = "const undo = keep(⟪0() => { ¶k(); }⟫); open ? ⟦0use(undo)⟧ : null";
    let (_, found) = explanation(page, false);
    let mut handed = found
        .candidates
        .iter()
        .filter(|one| one.reason == Reason::Callback);
    assert!(handed.all(|one| one.is_explained), "{found:#?}");
    assert_eq!(found.candidates[0].reason, Reason::Branch, "{found:#?}");
    // Nothing is found: it is the answer.
    let (_, found) = explanation("keep(⟪0() => { ¶k(); }⟫);", false);
    assert_eq!(found.candidates[0].reason, Reason::Callback);
    assert!(!found.candidates[0].is_explained, "{found:#?}");
}
