//! Two versions of a script in one: functions whose code differs have both bodies, and a switch says which one runs.
//!
//! With it a call of the one version runs the code of the other on the very values that the page has then, whatever
//! they are. Functions are matched by name and kind, those without a name by their order.
//!
//! | one version | the other | together (`S` is the switch) |
//! | --- | --- | --- |
//! | `function f(a) { return a }` | `function f(a) { return -a }` | `function f(a) {if(S){ return -a }else{ return a }}` |
//! | `(a) => a` | `(a) => -a` | `(a) => S?(-a):(a)` |
//!
//! What cannot be said of a function for sure is said to be that, with the reason ([`Pairing::Unknown`]).

mod functions;
mod outside;
mod side;

use swc_ecma_ast::{Ident, PrivateName};
use swc_ecma_visit::{Visit, VisitWith};

use crate::Goal;
use crate::edits::Edits;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{RewriteError, with_script};
use crate::scopes::{BindingIndex, ScopeIndex};

use functions::Body;
pub use outside::{OutsideNames, outside_names, top_level_names};
use side::{Side, is_in};

/// What is known of a function beside the other version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Its own code is the same; functions inside it have pairings of their own.
    Same,
    /// Its code differs, and both are in the script.
    Both,
    /// The other version cannot be run in its place.
    Unknown(String),
}

/// A function of the first version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairedFunction {
    /// From its first to behind its last character.
    pub span: ByteSpan,
    /// What is known of it.
    pub pairing: Pairing,
}

/// Two versions of a script in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BothVersions {
    /// The script; the first version itself where no function has two bodies.
    pub text: String,
    /// The functions of the first version, the script itself first, in the order of their beginnings.
    pub functions: Vec<PairedFunction>,
}

/// What the scripts of a page declare for one another.
#[derive(Clone, Debug, Default)]
pub struct TopLevelNames {
    /// Names of the first version.
    pub first: Vec<String>,
    /// Names of the other.
    pub other: Vec<String>,
}

/// Puts two versions of a script together; `switch` is the name of a global variable that neither has.
///
/// # Errors
/// [`RewriteError`] if one of them does not parse, or has the name.
pub fn both_versions(
    first: &str,
    other: &str,
    goal: Goal,
    switch: &str,
    names: &TopLevelNames,
) -> Result<BothVersions, RewriteError> {
    if first.contains(switch) || other.contains(switch) {
        return Err(RewriteError::PrefixTaken {
            prefix: switch.to_owned(),
        });
    }
    let mut both = with_script(first, goal, |one| {
        with_script(other, goal, |two| {
            let mut merger = Merger {
                one: Side::new(one),
                two: Side::new(two),
                switch,
                names,
                pairings: Vec::new(),
                edits: Edits::default(),
            };
            merger.pairings = vec![None; merger.one.functions.len()];
            merger.pair(0, 0);
            merger.together()
        })
    })??;
    // What is put together must still be a script: a private name may be missing, for example.
    if let Err(error) = with_script(&both.text, goal, |_| ()) {
        first.clone_into(&mut both.text);
        for function in &mut both.functions {
            if function.pairing == Pairing::Both {
                function.pairing = Pairing::Unknown(format!(
                    "the code of the other version cannot take its place: {error}"
                ));
            }
        }
    }
    Ok(both)
}

struct Merger<'s> {
    one: Side<'s>,
    two: Side<'s>,
    switch: &'s str,
    names: &'s TopLevelNames,
    /// By function of the first version.
    pairings: Vec<Option<Pairing>>,
    edits: Edits,
}

impl Merger<'_> {
    fn together(self) -> BothVersions {
        let pairings = self.pairings.into_iter();
        let nothing = || Pairing::Unknown("the other version has no such function".to_owned());
        BothVersions {
            text: self.edits.apply(self.one.source).0,
            functions: self
                .one
                .functions
                .iter()
                .zip(pairings)
                .map(|(function, pairing)| PairedFunction {
                    span: function.span,
                    pairing: pairing.unwrap_or_else(nothing),
                })
                .collect(),
        }
    }

    /// Pairs a function with its other version, and those inside.
    fn pair(&mut self, one: usize, two: usize) {
        let (own, other) = (&self.one.functions[one], &self.two.functions[two]);
        let is_script = one == 0;
        let heads = |side: &Side<'_>, at: usize| {
            let function = &side.functions[at];
            side.own_code(
                at,
                ByteSpan {
                    start: function.span.start,
                    end: function.body.span().start,
                },
            )
        };
        let is_same_head = is_script || heads(&self.one, one) == heads(&self.two, two);
        let code = |side: &Side<'_>, at: usize| side.own_code(at, side.functions[at].body.span());
        let has_same_code = code(&self.one, one) == code(&self.two, two);
        let pairing = if is_script {
            match has_same_code {
                true => Pairing::Same,
                false => Pairing::Unknown(
                    "the code at the top of the script is not the same in both versions".to_owned(),
                ),
            }
        } else if !is_same_head || own.body.directives() != other.body.directives() {
            Pairing::Unknown("its head is not the same in both versions".to_owned())
        } else if has_same_code {
            Pairing::Same
        } else {
            match self.missing_name(one, two) {
                Some(why) => Pairing::Unknown(why),
                None => {
                    self.put_together(one, two);
                    Pairing::Both
                }
            }
        };
        self.pairings[one] = Some(pairing);
        for (one, two) in self.pairs_inside(one, two) {
            self.pair(one, two);
        }
    }

    /// Functions directly inside two that belong together.
    fn pairs_inside(&self, one: usize, two: usize) -> Vec<(usize, usize)> {
        let mut others = self.two.functions[two].children.clone();
        let own = &self.one.functions[one].children;
        let nameless = |side: &Side<'_>, children: &[usize]| {
            let mut children = children.iter();
            let nameless = |it: &&usize| side.functions[**it].name.is_empty();
            children.by_ref().filter(nameless).count()
        };
        let is_in_order = nameless(&self.one, own) == nameless(&self.two, &others);
        let mut pairs = Vec::new();
        for &child in own {
            let function = &self.one.functions[child];
            let found = others.iter().position(|&other| {
                let other = &self.two.functions[other];
                let is_it = (other.kind, &other.name) == (function.kind, &function.name);
                is_it && (is_in_order || !function.name.is_empty())
            });
            if let Some(found) = found {
                pairs.push((child, others.remove(found)));
            }
        }
        pairs
    }

    /// A name that means something else, or nothing, where the other version's code is to be.
    fn missing_name(&self, one: usize, two: usize) -> Option<String> {
        let (own, other) = (&self.one.functions[one], &self.two.functions[two]);
        let (here, there) = (own.body.span(), other.body.span());
        let names = |side: &Side<'_>, span: ByteSpan| {
            let mut used = UsedNames {
                span,
                found: Vec::new(),
            };
            side.program.visit_with(&mut used);
            used.found
        };
        let is_top = |side: &Side<'_>, binding: BindingIndex| {
            side.scopes.binding(binding).scope == ScopeIndex::ROOT
        };
        let differs = |name: &str| {
            Some(format!(
                "the other version uses {name}, which is not the same here"
            ))
        };
        for (name, at) in names(&self.two, there) {
            let meant = self.two.resolve(&name, at);
            let declared = meant.map(|it| self.two.scopes.binding(it).declared_at);
            if declared.is_some_and(|it| is_in(it, there)) {
                continue;
            }
            let is_parameter = declared.is_some_and(|it| is_in(it, other.span));
            let found = self.one.resolve_without_body(&name, here);
            let is_right = match (meant, found) {
                (None, None) => {
                    !self.names.other.contains(&name) || self.names.first.contains(&name)
                }
                (Some(meant), Some(found)) => {
                    let declared = self.one.scopes.binding(found).declared_at;
                    is_top(&self.two, meant) == is_top(&self.one, found)
                        && is_in(declared, own.span) == is_parameter
                }
                _ => false,
            };
            if !is_right || (!is_parameter && self.one.hoists(&name, here)) {
                return differs(&name);
            }
        }
        let mut private = PrivateNames {
            span: there,
            found: Vec::new(),
        };
        self.two.program.visit_with(&mut private);
        if let Some(name) = private
            .found
            .iter()
            .find(|it| !self.one.source.contains(*it))
        {
            return differs(name);
        }
        // The other body must not take a name from the own one.
        for (name, at) in names(&self.one, here) {
            let meant = self.one.resolve(&name, at);
            let declared = meant.map(|it| self.one.scopes.binding(it).declared_at);
            let is_free = declared.is_none_or(|it| !is_in(it, own.span));
            if is_free && self.two.hoists(&name, there) {
                return differs(&name);
            }
        }
        None
    }

    /// Gives a function both bodies.
    fn put_together(&mut self, one: usize, two: usize) {
        let (own, other) = (&self.one.functions[one].body, &self.two.functions[two].body);
        let switch = self.switch;
        let inside = self.two.text(other.inside());
        let span = own.inside();
        match (own, other) {
            (Body::Expression(_), Body::Expression(_)) => {
                self.edits
                    .insert(span.start, &format!("{switch}?({inside}\n):("));
                self.edits.insert(span.end, ")");
            }
            (Body::Expression(_), Body::Block { .. }) => {
                let text = format!("{{if({switch}){{{inside}\n}}else{{return (");
                self.edits.insert(span.start, &text);
                self.edits.insert(span.end, ")}}");
            }
            (Body::Block { .. }, Body::Expression(_)) => {
                let text = format!("if({switch}){{return ({inside}\n)}}else{{");
                self.edits.insert(span.start, &text);
                self.edits.insert(span.end, "\n}");
            }
            (Body::Block { .. }, Body::Block { .. }) => {
                let text = format!("if({switch}){{{inside}\n}}else{{");
                self.edits.insert(span.start, &text);
                self.edits.insert(span.end, "\n}");
            }
        }
    }
}

/// The names that are used in a part of a script, and where.
struct UsedNames {
    span: ByteSpan,
    found: Vec<(String, ByteOffset)>,
}

impl Visit for UsedNames {
    fn visit_ident(&mut self, ident: &Ident) {
        let at = ByteOffset(ident.span.lo.0);
        if self.span.start <= at && at < self.span.end {
            self.found.push((ident.sym.to_string(), at));
        }
    }
}

/// The private names in a part of a script, with their `#`.
struct PrivateNames {
    span: ByteSpan,
    found: Vec<String>,
}

impl Visit for PrivateNames {
    fn visit_private_name(&mut self, name: &PrivateName) {
        if is_in(ByteOffset(name.span.lo.0), self.span) {
            self.found.push(format!("#{}", name.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(first: &str, other: &str) -> BothVersions {
        let names = TopLevelNames {
            first: top_level_names(first, Goal::Script).unwrap(),
            other: top_level_names(other, Goal::Script).unwrap(),
        };
        both_versions(first, other, Goal::Script, "S$", &names).unwrap()
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
            "function f(a) { 'use strict'; return a - g(a) } function g(b) { return b /* no */ }\nconst h = (a) => \
             { return -a };",
        );
        assert_eq!(
            found.text,
            "function f(a) { 'use strict';if(S$){ return a - g(a) \n}else{ return a + g(a) \n}} \
             function g(b) {if(S$){ return b /* no */ \n}else{ return b \n}}\n\
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
        assert!(both_versions("S$", "", Goal::Script, "S$", &TopLevelNames::default()).is_err());
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
}
