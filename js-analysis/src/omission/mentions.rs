//! Where a script uses the names of its functions, classes and objects: what is known by its name only, and is never
//! named in code that ran, nobody can call.
//!
//! ```js
//! const steps = strict ? [check, audit] : [check];
//! run(steps);
//! ```
//!
//! That `audit` was not called was decided by `strict`, whatever `run` does.

use rustc_hash::FxHashMap;
use swc_ecma_ast::{Expr, Ident, Prop};
use swc_ecma_visit::{Visit, VisitWith};

use super::search::Search;
use crate::call_graph::{CallFacts, FunctionRef, InnermostScopes};
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;

/// What is named in more places is not looked at so.
const MOST_MENTIONS: usize = 12;

/// Where the variables of a script are read, by their bindings.
#[derive(Debug, Default)]
pub struct Mentions(FxHashMap<u32, Vec<ByteSpan>>);

impl Mentions {
    /// The places of a script.
    pub(super) fn of(script: &Script<'_>) -> Self {
        let mut walk = Walk {
            scopes: InnermostScopes::new(script.scopes()),
            found: FxHashMap::default(),
        };
        script.program().visit_with(&mut walk);
        Self(walk.found)
    }

    /// Where a function, or the class or object that it is a member of, is named, but for itself. None: others may
    /// have it without its name.
    #[must_use]
    pub fn of_function(&self, facts: &CallFacts, function: u32) -> Vec<ByteSpan> {
        let known = facts.known_by_name(function);
        let Some((variables, itself)) = known.or_else(|| facts.made_with(function)) else {
            return Vec::new();
        };
        let places = variables.iter().filter_map(|variable| self.0.get(variable));
        let is_in_itself =
            |place: &&ByteSpan| itself.start <= place.start && place.end <= itself.end;
        let places = places.flatten().filter(|place| !is_in_itself(place));
        places.copied().collect()
    }
}

struct Walk<'s> {
    scopes: InnermostScopes<'s>,
    found: FxHashMap<u32, Vec<ByteSpan>>,
}

impl Walk<'_> {
    fn read(&mut self, ident: &Ident) {
        let span = ByteSpan {
            start: ByteOffset(ident.span.lo.0),
            end: ByteOffset(ident.span.hi.0),
        };
        if let Some(binding) = self.scopes.resolve(&ident.sym, span.start.0).binding() {
            self.found.entry(binding.0).or_default().push(span);
        }
    }
}

impl Visit for Walk<'_> {
    fn visit_expr(&mut self, expression: &Expr) {
        match expression {
            Expr::Ident(ident) => self.read(ident),
            _ => expression.visit_children_with(self),
        }
    }

    fn visit_prop(&mut self, property: &Prop) {
        match property {
            Prop::Shorthand(ident) => self.read(ident),
            _ => property.visit_children_with(self),
        }
    }
}

impl Search<'_, '_> {
    /// Whether nobody can have a function, for nothing that ran names it: then what kept those places from being
    /// reached is why it was not called.
    pub(super) fn is_named_nowhere(&mut self, function: FunctionRef, calls: u32) -> bool {
        let script = function.script;
        let places = self.ways.mentions(script, function.function);
        if places.is_empty() || places.len() > MOST_MENTIONS {
            return false;
        }
        let mut ways = Vec::new();
        for place in places {
            let way = self.ways.way_to(script, place.start);
            if way.count > 0 {
                return false;
            }
            ways.push((place, way));
        }
        let known = self.known();
        for (place, way) in ways {
            self.in_function(script, place.start, &way, calls + 1, None);
        }
        // What was made with it may be known to who made it.
        let own = self.script(script);
        let is_itself = own.is_some_and(|own| own.facts.known_by_name(function.function).is_some());
        is_itself && self.known() > known
    }
}
