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

mod authors;
mod counterparts;
mod functions;
mod outside;
mod side;

use std::fmt::Write as _;

use swc_ecma_ast::PrivateName;
use swc_ecma_visit::{Visit, VisitWith};

use crate::Goal;
use crate::edits::{Edits, PositionMap};
use crate::parse::comment_spans;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{RewriteError, with_script};
use crate::scopes::{BindingIndex, ScopeIndex};

pub use authors::AuthorName;
use counterparts::Counterparts;
use functions::{Body, FunctionNode};
pub use outside::{OutsideNames, outside_names, top_level_names};
use side::{Side, Written, is_in};

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
    /// Where the first version is in it.
    pub positions: PositionMap,
    /// The functions of the first version, the script itself first, in the order of their beginnings.
    pub functions: Vec<PairedFunction>,
}

/// A version of a script.
#[derive(Clone, Copy, Debug)]
pub struct Version<'v> {
    /// Its text.
    pub source: &'v str,
    /// What its variables are called in the files that it was made of.
    pub names: &'v [AuthorName],
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
/// Variables are the same in both if their author calls them the same, whatever they run as.
///
/// # Errors
/// [`RewriteError`] if one of them does not parse, or has the name.
pub fn both_versions(
    first: Version<'_>,
    other: Version<'_>,
    goal: Goal,
    switch: &str,
    names: &TopLevelNames,
) -> Result<BothVersions, RewriteError> {
    if first.source.contains(switch) || other.source.contains(switch) {
        return Err(RewriteError::PrefixTaken {
            prefix: switch.to_owned(),
        });
    }
    let by_author = !first.names.is_empty() || !other.names.is_empty();
    let comments = |of: Version<'_>| comment_spans(of.source, goal).unwrap_or_default();
    let mut both = with_script(first.source, goal, |one| {
        with_script(other.source, goal, |two| {
            let mut merger = Merger {
                one: Side::new(one, first.names, by_author).with_comments(comments(first)),
                two: Side::new(two, other.names, by_author).with_comments(comments(other)),
                switch,
                names,
                same: Counterparts::default(),
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
        first.source.clone_into(&mut both.text);
        both.positions = PositionMap::default();
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
    /// The variables that belong together.
    same: Counterparts,
    /// By function of the first version.
    pairings: Vec<Option<Pairing>>,
    edits: Edits,
}

impl Merger<'_> {
    fn together(self) -> BothVersions {
        let pairings = self.pairings.into_iter();
        let nothing = || Pairing::Unknown("the other version has no such function".to_owned());
        let (text, positions) = self.edits.apply(self.one.source);
        BothVersions {
            text,
            positions,
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
        let head = |function: &FunctionNode| ByteSpan {
            start: function.span.start,
            end: function.body.span().start,
        };
        let heads = |side: &Side<'_>, at: usize| side.own_code(at, head(&side.functions[at]));
        let (sides, functions) = ((&self.one, &self.two), (one, two));
        let is_same_head = is_script
            || heads(&self.one, one) == heads(&self.two, two)
                && self.same.add(sides.0, sides.1, functions, head);
        let code = |side: &Side<'_>, at: usize| side.own_code(at, side.functions[at].body.span());
        let has_same_code = is_same_head
            && code(&self.one, one) == code(&self.two, two)
            && self
                .same
                .add(sides.0, sides.1, functions, |it| it.body.span());
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
            match self.inside_other(one, two) {
                Err(why) => Pairing::Unknown(why),
                Ok(inside) => {
                    self.put_together(one, two, &inside);
                    Pairing::Both
                }
            }
        };
        self.pairings[one] = Some(pairing);
        for (one, two) in self.pairs_inside(one, two) {
            self.pair(one, two);
        }
    }

    /// Functions directly inside two that belong together: by their names, those without one by their order, or by
    /// their code where one version has more of them.
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
                let its = &self.two.functions[other];
                let is_it = (its.kind, &its.name) == (function.kind, &function.name);
                let has_same_code = || {
                    self.one.own_code(child, function.span) == self.two.own_code(other, its.span)
                };
                is_it && (is_in_order || !function.name.is_empty() || has_same_code())
            });
            if let Some(found) = found {
                pairs.push((child, others.remove(found)));
            }
        }
        pairs
    }

    /// The code inside the other version's function as it is where the own one's is: with the names under which its
    /// variables run there. An error is a name that means something else there, or nothing.
    fn inside_other(&self, one: usize, two: usize) -> Result<String, String> {
        let (own, other) = (&self.one.functions[one], &self.two.functions[two]);
        let (here, there) = (own.body.span(), other.body.span());
        let differs =
            |name: &str| format!("the other version uses {name}, which is not the same here");
        let inside = other.body.inside();
        let mut code = String::new();
        let mut start = inside.start;
        for used in self.two.names_in(inside) {
            let meant = self.two.meaning(used);
            let declared = meant.map(|it| self.two.declared_at(it));
            if declared.is_some_and(|it| is_in(it, there)) {
                continue;
            }
            let is_parameter = declared.is_some_and(|it| is_in(it, other.span));
            let name = match meant {
                Some(meant) => {
                    let found = match is_parameter {
                        true if self.two.is_by_author() => self.same.of_other(meant),
                        _ => self.same_outside(&used.name, meant, here),
                    };
                    let found = found.filter(|&found| {
                        is_in(self.one.declared_at(found), own.span) == is_parameter
                    });
                    found.map(|found| &self.one.scopes.binding(found).name)
                }
                None => {
                    let is_in = |names: &[String]| names.iter().any(|it| *it == *used.name);
                    let is_known = !is_in(&self.names.other) || is_in(&self.names.first);
                    let is_free = self.one.resolve_without_body(&used.name, here).is_none();
                    (is_known && is_free).then_some(&used.name)
                }
            };
            let name = name.ok_or_else(|| differs(&used.name))?;
            // What is declared inside has this name already, or what is inside the own code declares it.
            let is_taken = *name != used.name
                && self
                    .two
                    .resolve(name, used.at)
                    .is_some_and(|it| is_in(self.two.declared_at(it), there));
            if is_taken || (!is_parameter && self.one.hoists(name, here)) {
                return Err(differs(&used.name));
            }
            if *name != used.name {
                let end = used.at;
                code.push_str(self.two.text(ByteSpan { start, end }));
                match used.written {
                    Written::Plain => code.push_str(name),
                    Written::Shorthand => {
                        let _ = write!(code, "{}:{name}", used.name);
                    }
                    Written::PatternShorthand => return Err(differs(&used.name)),
                }
                start = used.end();
            }
        }
        let end = inside.end;
        code.push_str(self.two.text(ByteSpan { start, end }));
        self.private_is_same(there)?;
        // The other body must not take a name from the own one.
        for used in self.one.names_in(here) {
            let meant = self.one.meaning(used);
            let declared = meant.map(|it| self.one.declared_at(it));
            let is_free = declared.is_none_or(|it| !is_in(it, own.span));
            if is_free && self.two.hoists(&used.name, there) {
                return Err(differs(&used.name));
            }
        }
        Ok(code)
    }

    /// The variable of the first version, declared outside of a body, that one of the other version is.
    fn same_outside(
        &self,
        name: &str,
        meant: BindingIndex,
        body: ByteSpan,
    ) -> Option<BindingIndex> {
        let is_top = |side: &Side<'_>, binding: BindingIndex| {
            side.scopes.binding(binding).scope == ScopeIndex::ROOT
        };
        let found = match self.one.is_by_author() {
            true => {
                let known = self.same.of_other(meant);
                let by_author = || self.one.by_author(self.two.author(meant)?, body);
                let found = known.or_else(by_author)?;
                let running = &self.one.scopes.binding(found).name;
                // Another variable may run under that name there.
                self.one
                    .resolve_without_body(running, body)
                    .filter(|it| *it == found)
            }
            false => self.one.resolve_without_body(name, body),
        };
        found.filter(|&found| is_top(&self.two, meant) == is_top(&self.one, found))
    }

    /// Whether the private names in a part of the other version mean the same in the first.
    fn private_is_same(&self, there: ByteSpan) -> Result<(), String> {
        let mut private = PrivateNames {
            span: there,
            found: Vec::new(),
        };
        self.two.program.visit_with(&mut private);
        let may_differ = |name: &&String| {
            let is_renamed = self.two.is_by_author();
            !self.one.source.contains(*name)
                || is_renamed && !self.two.has_private_members_of(&self.one)
        };
        match private.found.iter().find(may_differ) {
            Some(name) => Err(format!(
                "the other version uses {name}, which is not the same here"
            )),
            None => Ok(()),
        }
    }

    /// Gives a function both bodies.
    fn put_together(&mut self, one: usize, two: usize, inside: &str) {
        let (own, other) = (&self.one.functions[one].body, &self.two.functions[two].body);
        let switch = self.switch;
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
mod tests;
