//! Which function may be called where: a field-based call graph.
//!
//! Functions flow from where they are written into variables, parameters, results and properties; a property is one
//! place for all objects, by its name (Feldthaus, Schäfer, Sridharan, Dolby, Tip, *Efficient Construction of
//! Approximate Call Graphs for JavaScript IDE Services*, ICSE 2013, the optimistic analysis of section 4). What is
//! called through the platform (listeners, timers, reactions of promises, callbacks of built-ins, `call`, `apply`,
//! `bind`) is told by the names of the methods.
//!
//! The graph is of all scripts of a page at once, and says what may be. What ran says more: an edge from a call that
//! ran to a function that never did is none ([`crate::omission`]).

mod calls;
mod chained;
mod classes;
mod connecting;
mod endings;
mod escaping;
mod exports;
mod facts;
mod functions;
mod given;
mod graph;
mod holding;
mod innermost;
mod keys;
mod lists;
mod literals;
mod made;
mod markup;
mod members;
mod modules;
mod objects;
mod operations;
mod places;
mod platform;
mod registered;
mod signals;
mod solver;
mod templates;
#[cfg(test)]
mod tests;
mod values;
mod walk;

pub use facts::{AWAIT, CallFact, CallFacts, FunctionFact, HandlerFact, WriteFact};
pub use graph::{CallGraph, CallRef, CalledBack, FunctionRef, Promised, RegistrationKind};
pub use holding::given_whole;
pub use operations::{ObjectPlace, OperationSite, operations};
pub use platform::is_called_by_platform;
pub use solver::MOST_STEPS;

pub(crate) use endings::{ends, registers, undoes};
pub(crate) use facts::FlowPlace;
pub(crate) use innermost::InnermostScopes;

use crate::position::ByteOffset;
use crate::rewrite::{NamesAsWritten, OriginalNames, Script};

impl Script<'_> {
    /// What the script says about calls.
    #[must_use]
    pub fn call_facts(&self) -> CallFacts {
        self.call_facts_of(&|_| None, &NamesAsWritten)
    }

    /// The same of a module among others. `address` gives what a module is called that is imported by a text, and by
    /// none the script itself; `names` has those that the author gave to what is called.
    #[must_use]
    pub fn call_facts_of(
        &self,
        address: &dyn Fn(Option<&str>) -> Option<String>,
        names: &dyn OriginalNames,
    ) -> CallFacts {
        walk::facts(self).with_addresses(address).with_names(names)
    }

    /// The variable that `name` is at an offset, as a place that may hold objects.
    #[must_use]
    pub fn variable_place(&self, name: &str, at: ByteOffset) -> ObjectPlace {
        ObjectPlace(walk::place_of(self, name, at))
    }
}
