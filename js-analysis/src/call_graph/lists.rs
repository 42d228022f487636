//! Lists of which it is known what is in them: rest parameters, `arguments`, and what is made of these.
//!
//! ```js
//! function emit(handler, ...args) { return handler(...args); }
//! ```
//!
//! What `emit` gets behind `handler` goes on to what `handler` is, and nothing else does.

use rustc_hash::FxHashSet;
use swc_atoms::Atom;
use swc_ecma_ast::{AssignExpr, AssignTarget, Callee, Expr, MemberProp, Pat, SimpleAssignTarget};

use super::facts::{CallFact, ELEMENT, FlowPlace};
use super::graph::CallRef;
use super::solver::Solver;
use super::walk::Walk;
use crate::scopes::unparenthesized;

impl Solver<'_> {
    /// What `Promise.all([…])` and the like give is settled by the promises of the list.
    pub(super) fn link_promises(&mut self, call: CallRef, fact: &CallFact) {
        let is_of_promise = fact.receivers.iter().any(|place| match place {
            FlowPlace::Global(name) => &**name == "Promise",
            _ => false,
        });
        let waits = matches!(fact.name.as_str(), "all" | "race" | "any" | "allSettled");
        let Some(facts) = self.scripts.get(call.script as usize) else {
            return;
        };
        if !is_of_promise || !waits {
            return;
        }
        let result = self.node(call.script, &FlowPlace::Result(call.call));
        for list in fact.given.iter().flatten() {
            let FlowPlace::Literal(list) = list else {
                continue;
            };
            let elements = facts
                .literals
                .get(*list as usize)
                .map(|list| &list.elements);
            for element in elements.into_iter().flatten() {
                let from = self.node(call.script, element);
                self.edge(from, result);
            }
        }
    }
}

impl Walk<'_> {
    /// Notes the rest parameter of a function before the function is read.
    pub(super) fn rest_parameter<'p>(
        &mut self,
        number: u32,
        parameters: impl Iterator<Item = &'p Pat>,
    ) {
        for (position, parameter) in (0..).zip(parameters) {
            let Pat::Rest(rest) = parameter else { continue };
            if let Some(own) = self.facts.functions.get_mut(number as usize) {
                own.rest = Some(position);
            }
            if let Pat::Ident(ident) = &*rest.arg {
                let variable = self.variable(&ident.sym, ident.span.lo.0);
                self.lists.insert(variable, FlowPlace::Rest(number));
            }
        }
    }

    /// Where the elements of a list are; none: that is not known.
    pub(super) fn known_elements(&self, list: &Expr) -> Option<Vec<FlowPlace>> {
        match unparenthesized(list) {
            Expr::Ident(ident) => {
                let variable = self.variable(&ident.sym, ident.span.lo.0);
                if variable == FlowPlace::Global(Atom::from("arguments")) {
                    return Some(vec![FlowPlace::Arguments(self.this_of)]);
                }
                self.lists.get(&variable).map(|place| vec![place.clone()])
            }
            Expr::Array(array) => {
                let mut found = Vec::new();
                for element in array.elems.iter().flatten() {
                    match element.spread {
                        Some(_) => found.extend(self.known_elements(&element.expr)?),
                        None => found.extend(self.places(&element.expr)),
                    }
                }
                Some(found)
            }
            // `[].slice.call(arguments, 1)`, `Array.from(arguments)`
            Expr::Call(call) => {
                let Callee::Expr(callee) = &call.callee else {
                    return None;
                };
                let Expr::Member(member) = unparenthesized(callee) else {
                    return None;
                };
                let MemberProp::Ident(name) = &member.prop else {
                    return None;
                };
                let object = match &*name.sym {
                    "call" | "from" => &call.args.first()?.expr,
                    "slice" | "concat" => &member.obj,
                    _ => return None,
                };
                match unparenthesized(object) {
                    Expr::Ident(_) => self.known_elements(object),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Where the elements of a list are, as far as that is known.
    pub(super) fn elements(&self, list: &Expr) -> Vec<FlowPlace> {
        let known = self.known_elements(list);
        known.unwrap_or_else(|| vec![FlowPlace::Property(Atom::from(ELEMENT))])
    }

    /// `const args = [].slice.call(arguments)`: a variable that holds such a list.
    pub(super) fn holds_list(&mut self, pattern: &Pat, value: &Expr) {
        let Pat::Ident(ident) = pattern else { return };
        let is_made = !matches!(unparenthesized(value), Expr::Array(_));
        if let Some([place]) = self.known_elements(value).as_deref()
            && (is_made || matches!(place, FlowPlace::Rest(_) | FlowPlace::Arguments(_)))
        {
            let variable = self.variable(&ident.sym, ident.span.lo.0);
            self.lists.insert(variable, place.clone());
        }
    }

    /// `args[i] = arguments[i]`, as tools write it for a rest parameter: whether it is that.
    pub(super) fn copies_arguments(&mut self, assign: &AssignExpr) -> bool {
        let AssignTarget::Simple(SimpleAssignTarget::Member(to)) = &assign.left else {
            return false;
        };
        let (Expr::Ident(list), MemberProp::Computed(_)) = (unparenthesized(&to.obj), &to.prop)
        else {
            return false;
        };
        let Expr::Member(from) = unparenthesized(&assign.right) else {
            return false;
        };
        let known = match &from.prop {
            MemberProp::Computed(_) => self.known_elements(&from.obj),
            _ => None,
        };
        let Some([place @ FlowPlace::Arguments(_)]) = known.as_deref() else {
            return false;
        };
        let variable = self.variable(&list.sym, list.span.lo.0);
        self.lists.insert(variable, place.clone());
        true
    }

    /// What a list holds is in a list of somebody's where it is used otherwise than by its elements.
    pub(super) fn lists_go_on(&mut self) {
        let mut used: FxHashSet<&FlowPlace> =
            self.facts.flows.iter().map(|(from, _)| from).collect();
        for call in &self.facts.calls {
            used.extend(call.given.iter().flatten());
            used.extend(&call.receivers);
        }
        let lists = self.lists.iter();
        let gone: Vec<FlowPlace> = lists
            .filter(|(variable, _)| used.contains(variable))
            .map(|(_, place)| place.clone())
            .collect();
        let to = FlowPlace::Property(Atom::from(ELEMENT));
        self.flow(gone, &to);
    }
}
