//! Values that are handed over beside a function, and decide whether it is called.

use super::{deciders, explained};

#[test]
fn an_option_says_whether_a_function_is_called() {
    let watch = |option: &str| {
        deciders(&format!(
            "watch({{ {option}, change: ⟪0() => ¶{{ k() }}⟫ }})"
        ))
    };
    assert_eq!(watch("skip: !lazy"), ["!lazy true 1"]);
    assert_eq!(watch("enabled: user.ready"), ["user.ready true 1"]);
    assert_eq!(watch("enabled: false"), ["false false 1"]);
    assert_eq!(watch("manual: true"), ["true false 1"]);
    // As minifiers write it.
    assert_eq!(watch("enabled: !1"), ["!1 false 1"]);
    assert_eq!(watch("enabled: true"), [""; 0]);
    assert_eq!(watch("margin: size > 2"), [""; 0]);
    assert_eq!(
        deciders("other({ skip: !lazy }); watch({ change: ⟪0() => ¶{ k() }⟫ })"),
        [""; 0]
    );
}

#[test]
fn what_is_handed_over_or_not_decides_beside_it() {
    assert_eq!(
        deciders("load(team ? ⟦0'people'⟧ : null, ⟪0() => ¶{ k() }⟫)"),
        ["team false 1"]
    );
    assert_eq!(
        deciders("load(team && ⟦0['people']⟧, ⟪0() => ¶{ k() }⟫)"),
        ["team false 1"]
    );
    assert_eq!(
        deciders("load(team ? 'people' : ⟦0null⟧, ⟪0() => ¶{ k() }⟫)"),
        [""; 0]
    );
}

#[test]
fn a_library_that_listens_hears_nothing_of_what_was_stopped() {
    let library =
        "function keys⟪1(map, type) { addEventListener(type, ⟪0(e) => { map[e.key](e); }⟫); }⟫";
    let stop = |event: &str| {
        explained(&format!(
            "{library} /* page */ x.addEventListener('{event}', ⟪1(e) => {{ e.stopPropagation(); }}⟫); \
             keys({{ a: ⟪0() => {{ ¶k(); }}⟫ }}, 'keydown');"
        ))
        .0
    };
    assert_eq!(stop("keydown")[0], "Listener e.stopPropagation() 0");
    assert!(!stop("click")[0].contains("stop"));
}
