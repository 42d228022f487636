//! Two versions of small scripts, and what is known of each function.

use super::*;

fn both(first: &str, other: &str) -> BothVersions {
    let names = TopLevelNames {
        first: top_level_names(first, Goal::Script).unwrap(),
        other: top_level_names(other, Goal::Script).unwrap(),
    };
    let [first, other] = [first, other].map(|source| Version { source, names: &[] });
    both_versions(first, other, Goal::Script, "S$", &names).unwrap()
}

/// The same of two scripts with the names that their authors gave variables: `(running, author's)`.
fn both_named(first: (&str, &[(&str, &str)]), other: (&str, &[(&str, &str)])) -> BothVersions {
    let [first_names, other_names] = [first, other].map(|(source, names)| {
        let given = Given { source, names };
        with_script(source, Goal::Script, |script| script.author_names(&given)).unwrap()
    });
    let version = |source, names| Version { source, names };
    both_versions(
        version(first.0, &first_names),
        version(other.0, &other_names),
        Goal::Script,
        "S$",
        &TopLevelNames::default(),
    )
    .unwrap()
}

struct Given<'g> {
    source: &'g str,
    names: &'g [(&'g str, &'g str)],
}

impl crate::rewrite::OriginalNames for Given<'_> {
    fn original_name(&self, at: ByteOffset) -> Option<String> {
        let rest = &self.source[at.index()..];
        let is_part = |c: char| c.is_alphanumeric();
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let found = self.names.iter().find(|(running, _)| *running == word);
        found.map(|(_, author)| (*author).to_owned())
    }
}

#[test]
fn a_minifier_gives_the_same_variable_another_name_in_each_version() {
    let first = (
        "(()=>{var e=1,t=2;function n(r){return r+e}function o(r){return r*t}n(o(1))})()",
        [
            ("e", "tax"),
            ("t", "rate"),
            ("n", "add"),
            ("o", "scale"),
            ("r", "price"),
        ],
    );
    // `rate` is used more often, so the letters are others; `add` is wrong in the first version.
    let other = (
        "(()=>{var t=1,e=2;function o(i){return i-t+e*0}function n(r){return r*e}o(n(1))})()",
        [
            ("t", "tax"),
            ("e", "rate"),
            ("o", "add"),
            ("n", "scale"),
            ("i", "price"),
            ("r", "price"),
        ],
    );
    let found = both_named((first.0, &first.1), (other.0, &other.1));
    assert_eq!(kinds(&found), ["same", "same", "both", "same"]);
    assert!(
        found
            .text
            .contains("function n(r){if(S$){return r-e+t*0\n}else{return r+e\n}}"),
        "{}",
        found.text
    );
}

/// Each function is that of its author's name, although the code around is the same but for names.
#[test]
fn what_changed_its_place_is_found_by_its_name() {
    let first = (
        "(()=>{var e=t=>t+1,n=t=>t-1;function o(){return e(1)}o(n)})()",
        [("e", "add"), ("n", "remove"), ("o", "run"), ("t", "count")],
    );
    let other = (
        "(()=>{var n=t=>t-1,e=t=>t+1;function o(){return e(2)}o(n)})()",
        [("e", "add"), ("n", "remove"), ("o", "run"), ("t", "count")],
    );
    let found = both_named((first.0, &first.1), (other.0, &other.1));
    assert_eq!(kinds(&found)[2..], ["same", "same", "both"]);
    assert!(
        found
            .text
            .contains("{if(S$){return e(2)\n}else{return e(1)\n}}"),
        "{}",
        found.text
    );
}

/// A bundler writes names of files into comments, which differ from build to build.
#[test]
fn comments_are_no_part_of_the_code() {
    let names = [("e", "rate")];
    let first = "var e=2;/* a//b */function f(t){return t*e/* \"1\" */}f(1)\n//# sourceMappingURL=a1.js.map";
    let other =
        "/* by us */var e=2;function f(t){return '/*'+t*e}f(1)\n//# sourceMappingURL=b2.js.map";
    for found in [
        both(first, other),
        both_named((first, &names), (other, &names)),
    ] {
        assert_eq!(kinds(&found), ["same", "both"], "{}", found.text);
    }
    let same = "var e=2;function f(t){return t*e}f(1)\n//# sourceMappingURL=b2.js.map";
    assert_eq!(kinds(&both(first, same)), ["same", "same"]);
}

/// What a bundler adds has no name in a map; it is in the order of the text.
#[test]
fn what_a_bundler_made_up_is_found_by_its_place() {
    let first = (
        "(()=>{var e=t=>()=>t&&t(),n=1,o=e(()=>{n=2});o()})()",
        [("n", "total")],
    );
    let other = (
        "(()=>{var o=t=>()=>t&&t(),e=1,n=o(()=>{e=3});n()})()",
        [("e", "total")],
    );
    let found = both_named((first.0, &first.1), (other.0, &other.1));
    assert_eq!(kinds(&found), ["same", "same", "same", "same", "both"]);
    assert!(
        found.text.contains("{if(S$){n=3\n}else{n=2\n}}"),
        "{}",
        found.text
    );
}

#[test]
fn a_variable_that_another_one_hides_is_said() {
    let first = (
        "(()=>{var e=1,t=2;function n(r){return r+e}n(1);t})()",
        [("e", "tax"), ("t", "rate"), ("n", "add"), ("r", "price")],
    );
    let hidden = (
        "(()=>{var t=1,i=2;function n(r){var e=i;return r+t+e}n(1);i})()",
        [
            ("t", "tax"),
            ("i", "rate"),
            ("n", "add"),
            ("r", "price"),
            ("e", "more"),
        ],
    );
    let found = both_named((first.0, &first.1), (hidden.0, &hidden.1));
    assert_eq!(
        kinds(&found)[2],
        "the other version uses t, which is not the same here"
    );
    // The same text, which means something else.
    let swapped = (
        "(()=>{var e=2,t=1;function n(r){return r+e}n(1);t})()",
        [("e", "rate"), ("t", "tax"), ("n", "add"), ("r", "price")],
    );
    let found = both_named((first.0, &first.1), (swapped.0, &swapped.1));
    assert_eq!(kinds(&found)[2], "both");
    assert!(
        found
            .text
            .contains("{if(S$){return r+t\n}else{return r+e\n}}"),
        "{}",
        found.text
    );
    // A shorthand is the name of a property, too.
    let object = (
        "(()=>{var e=1;function n(){return 1}n(e)})()",
        [("e", "tax"), ("n", "make")],
    );
    let shorthand = (
        "(()=>{var t=1;function n(){return{t}}n(t)})()",
        [("t", "tax"), ("n", "make")],
    );
    let found = both_named((object.0, &object.1), (shorthand.0, &shorthand.1));
    assert!(found.text.contains("{return{t:e}\n}"), "{}", found.text);
}

fn kinds(both: &BothVersions) -> Vec<&str> {
    let kinds = both.functions.iter().map(|it| match &it.pairing {
        Pairing::Same => "same",
        Pairing::Both => "both",
        Pairing::Unknown(why) => why,
    });
    kinds.collect()
}

#[test]
fn functions_that_differ_have_both_bodies() {
    let found = both(
        "function f(a) { 'use strict'; return a + g(a) } function g(b) { return b }\nconst h = (a) => a;",
        "function f(a) { 'use strict'; return a - g(a) } function g(b) { return -b /* no */ }\nconst h = (a) => \
         { return -a };",
    );
    assert_eq!(
        found.text,
        "function f(a) { 'use strict';if(S$){ return a - g(a) \n}else{ return a + g(a) \n}} \
         function g(b) {if(S$){ return -b /* no */ \n}else{ return b \n}}\n\
         const h = (a) => {if(S$){ return -a \n}else{return (a)}};"
    );
    assert_eq!(kinds(&found), ["same", "both", "both", "both"]);
}

#[test]
fn a_class_keeps_its_other_methods() {
    let found = both(
        "class A { constructor(x) { this.x = x; } m() { return [1].map((i) => i); } get y() { return 1 } }",
        "class A { constructor(x) { this.x = -x; } m() { return [1].map((i) => i + 1); } get y() { return  1 } }",
    );
    assert_eq!(kinds(&found), ["same", "both", "same", "both", "same"]);
    assert!(
        found
            .text
            .contains("{ return [1].map((i) => S$?(i + 1\n):(i)); }"),
        "{}",
        found.text
    );
}

#[test]
fn what_the_other_version_cannot_do_here_is_said() {
    let found = both(
        "function f(a) { return a } function k(b) { let c = b; return () => c; } let z = 1;",
        "let helper = 2; function f(a) { return helper } function k(b) { let d = b; return () => d; } let z = 1;",
    );
    assert_eq!(
        kinds(&found),
        [
            "the code at the top of the script is not the same in both versions",
            "the other version uses helper, which is not the same here",
            "both",
            "the other version uses d, which is not the same here",
        ]
    );
    let found = both(
        "function f(a) { return a }",
        "function f(a, b) { return b }",
    );
    assert_eq!(
        kinds(&found),
        ["same", "its head is not the same in both versions"]
    );
    let found = both("function f() { return x }", "function g() { return x }");
    assert_eq!(kinds(&found)[1], "the other version has no such function");
    let found = both(
        "class A { m() { return 1 } }",
        "class A { #p = 1; m() { return this.#p } }",
    );
    assert_eq!(
        kinds(&found)[1],
        "the other version uses #p, which is not the same here"
    );
    assert_eq!(found.text, "class A { m() { return 1 } }");
}

#[test]
fn a_name_that_the_own_body_declares_is_not_taken_for_another() {
    let found = both(
        "let x = 1; function f() { let x = 2; return x }",
        "let x = 1; function f() { return x }",
    );
    assert_eq!(kinds(&found), ["same", "both"]);
    assert!(
        found
            .text
            .contains("if(S$){ return x \n}else{ let x = 2; return x \n}")
    );
    let found = both(
        "let x = 1; function f() { var x = 2; return x }",
        "let x = 1; function f() { return x }",
    );
    assert_eq!(
        kinds(&found)[1],
        "the other version uses x, which is not the same here"
    );
    let [taken, other] = ["S$", ""].map(|source| Version { source, names: &[] });
    let both = both_versions(taken, other, Goal::Script, "S$", &TopLevelNames::default());
    assert!(both.is_err());
}

#[test]
fn what_is_declared_outside_of_a_function_is_named() {
    let found = outside_names(
        "let rate = 2; function f(a) { let b = a * rate; return [b].map((c) => c + b + Math.PI); }
         class A { m() { return this.x + f(1) } }",
        Goal::Script,
    )
    .unwrap();
    let shown: Vec<_> = found
        .iter()
        .map(|it| (it.names.join(" "), it.uses_this))
        .collect();
    assert_eq!(
        shown,
        [
            ("rate".to_owned(), false),
            ("b Math".to_owned(), false),
            ("f".to_owned(), true),
        ]
    );
}
