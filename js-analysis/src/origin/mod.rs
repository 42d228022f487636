//! Where a value that was written comes from, as far as the text says it.
//!
//! A write is known by its site (`Site::at`, [`SiteKind`](crate::rewrite::SiteKind)) and by what it wrote to. Here its
//! right-hand side is read off the syntax tree:
//!
//! | write | what was written |
//! | --- | --- |
//! | `x = y.z`, `let x = y.z`, `{ x: y.z }`, `[y.z]` | the value of `y.z` |
//! | `x = a ? b : c` | that of `b` or of `c`: whoever asks evaluates `a` |
//! | `({ a: { b: x = d } } = o)` | the value of `o`, and in it `.a`, `.b`, else `d` |
//! | `function f(a, { x })` | the second argument, and in it `.x` |
//! | `for (const x of list)` | an element of `list` |
//! | `x += y`, `x++` | a computation with `x` and `y` |
//!
//! What the event log names by its places is read for all of a script at once ([`LoggedCode`]).
//!
//! Which branch, which element and which argument it was, only an execution can say.

mod call;
mod flows;
mod logged;
mod modules;
mod patterns;
mod property_reads;
mod reading;
mod returned;
mod value;
mod written;

#[cfg(test)]
mod logged_tests;

#[cfg(test)]
mod tests;

use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{OriginalNames, Script, SiteKind};
pub use call::CallAt;
pub use flows::Flow;
pub use logged::{LoggedCode, LoggedName, LoggedPlace, LoggedProperty, has_rest};
pub use modules::Exported;
pub use property_reads::PropertyRead;
pub use value::{Argument, Call, CallKind, Form, Logical, Operator, Reference, Root, Step, Value};
pub use written::{PathStep, Target, Written};

impl Script<'_> {
    /// What the site `at` of this kind wrote to `target`; `None`: nothing that is there writes it.
    #[must_use]
    pub fn written_at(
        &self,
        at: ByteOffset,
        kind: SiteKind,
        target: Target<'_>,
        names: &dyn OriginalNames,
    ) -> Option<Written> {
        written::written_at(self, at, kind, target, names)
    }

    /// What is called at the position `at`, where a debugger says that a caller is; `None`: no call is exactly
    /// there.
    #[must_use]
    pub fn called_at(&self, at: ByteOffset) -> Option<CallAt> {
        call::called_at(self, at)
    }

    /// What was returned at the site `at` of a function's end.
    #[must_use]
    pub fn returned_at(&self, at: ByteOffset) -> Option<Written> {
        returned::returned_at(self, at)
    }

    /// How far the call reaches that is exactly at the position `at`.
    #[must_use]
    pub fn call_extent(&self, at: ByteOffset) -> Option<ByteSpan> {
        self.exact_call_span(at).map(reading::span_of)
    }

    /// Its writes, calls and returns by name, in the order of the text: no more than `most`.
    #[must_use]
    pub fn flows(&self, names: &dyn OriginalNames, most: usize) -> Vec<Flow> {
        flows::flows(self, names, most)
    }
}
