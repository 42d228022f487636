//! Why something did not happen: the decisions that kept a place from being reached.
//!
//! (Sakurai, Masuhara, *The Omission Finder for Debugging What-Should-Have-Happened Bugs in Object-Oriented Programs*,
//! SAC 2015.) What ran is counted by the browser ([`Coverage`]); where control may go, the text says
//! ([`Script::way_to`]), and which function may be called where, the [call graph](crate::call_graph).

mod authored;
mod beside;
mod callers;
mod candidates;
mod chains;
mod clauses;
mod coverage;
mod deciders;
mod derived;
mod elements;
mod ended;
mod explained;
mod gate;
mod gates;
mod handed;
mod held_names;
mod held_values;
mod holders;
mod jumps;
mod mentions;
mod predicates;
mod promises;
mod registrations;
mod search;
mod steps;
#[cfg(test)]
mod tests;
mod texts;
mod undone;
mod untold;
mod ways_out;

pub use candidates::{Candidate, EventPath, Explanation, Handed, Reason, Suspect, rank};
pub use coverage::{CountedSpan, Coverage};
pub use deciders::Decider;
pub use gate::{Gate, GateKind, WayTo};
pub use holders::Holders;
pub use mentions::Mentions;
pub use search::{CountedScript, MOST_CALLS, Ways, explain};
pub use texts::Texts;
pub use ways_out::{HoldingScript, WayOut, way_out};

use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{OriginalNames, Script};

/// The functions that a script hands over, and where.
#[derive(Debug)]
pub struct HandedOver(beside::Beside);

impl Script<'_> {
    /// The decisions on the way to the place `at` in the function around it.
    #[must_use]
    pub fn way_to(&self, coverage: &Coverage, at: ByteOffset) -> WayTo {
        gates::way_to(self.program(), coverage, at)
    }

    /// What the script hands over, for the two questions below.
    #[must_use]
    pub fn handed_over(&self, coverage: &Coverage) -> HandedOver {
        HandedOver(beside::Beside::of(self, coverage))
    }

    /// What may have decided that the function with this body was not called by what it was handed over to, the nearest
    /// first.
    #[must_use]
    pub fn deciders(
        &self,
        handed_over: &HandedOver,
        coverage: &Coverage,
        body: ByteOffset,
    ) -> Vec<Decider> {
        deciders::deciders(self, &handed_over.0, coverage, body)
    }

    /// Where the script names its variables.
    #[must_use]
    pub fn mentions(&self) -> Mentions {
        Mentions::of(self)
    }

    /// What the script does with its functions, objects and variables.
    #[must_use]
    pub fn holders(&self) -> Holders {
        held_names::holders_of(self)
    }

    /// The texts by which the script tells something.
    #[must_use]
    pub fn texts(&self) -> Texts {
        Texts::of(self)
    }

    /// What decided in the function with this body what it gave.
    #[must_use]
    pub fn decided_by(
        &self,
        handed_over: &HandedOver,
        coverage: &Coverage,
        body: ByteOffset,
    ) -> Vec<Decider> {
        deciders::decided_by(self, &handed_over.0, coverage, body)
    }

    /// What may have decided in the functions that are handed over within a span, as to `filter`.
    #[must_use]
    pub fn deciders_in(
        &self,
        handed_over: &HandedOver,
        coverage: &Coverage,
        span: ByteSpan,
    ) -> Vec<Decider> {
        deciders::deciders_in(self, &handed_over.0, coverage, span)
    }

    /// Where the function with this body is named by a text in what is handed over.
    #[must_use]
    pub fn named(&self, handed_over: &HandedOver, body: ByteOffset) -> Vec<ByteSpan> {
        deciders::named(&handed_over.0, body)
    }

    /// The text of a span with the names that the author gave to its variables.
    #[must_use]
    pub fn authored_text(&self, span: ByteSpan, names: &dyn OriginalNames) -> String {
        authored::authored_text(self.source(), self.program(), span, names)
    }

    /// The first expression that begins within a span, as a line is.
    #[must_use]
    pub fn first_expression(&self, within: ByteSpan) -> Option<ByteOffset> {
        steps::first_expression(self.program(), within)
    }

    /// The statements that run before the place `at` in its function, if nothing decides otherwise, and the one that it
    /// is in, in the order of the text: each by its first character. Of the brace that closes the function, all of the
    /// function's own.
    #[must_use]
    pub fn steps_to(&self, at: ByteOffset) -> Vec<ByteOffset> {
        steps::steps_to(self.program(), at)
    }
}
