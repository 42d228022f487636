//! What an operand had when it was read, where the same expression writes it: in `x++ + x` the first `x` is what was
//! there before, and in `(x = f()) + (x = g())` as well; the log has only what was written. Template compilers use one
//! variable for many parts of an expression.

use std::collections::BTreeSet;

use js_analysis::origin::{Form, Operator, Reference, Root, Value};
use js_analysis::position::{ByteOffset, ByteSpan};

use super::writes::Write;
use super::{InLog, Moment, Spot};

/// `x++`, `--x` in an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    span: ByteSpan,
    is_prefix: bool,
}

/// The updates among the operands of an operation, which are all evaluated.
pub(super) fn updates_in(value: &Value) -> Vec<Update> {
    let mut updates = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let Form::Operation {
            operands, operator, ..
        } = &value.form
        else {
            continue;
        };
        if let Operator::Update { is_prefix, .. } = operator {
            updates.push(Update {
                span: value.span,
                is_prefix: *is_prefix,
            });
        }
        open.extend(operands);
    }
    updates
}

/// So many events are looked through between a write and the moment of a computation.
const MOST_BETWEEN: u32 = 100_000;

/// The references that may give an operand its value.
fn references_in(value: &Value) -> Vec<&Reference> {
    let mut references = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match &value.form {
            Form::Reference(reference) => references.push(reference),
            Form::Part { of, .. } => open.push(of),
            Form::Conditional { yes, no, .. } => open.extend([&**yes, &**no]),
            Form::Logical { left, right, .. } => open.extend([&**left, &**right]),
            _ => {}
        }
    }
    references
}

impl InLog<'_> {
    /// The moment at which an operand of a computation was read: before what the same expression wrote behind it.
    pub(super) fn before_updates(
        &self,
        spot: Spot,
        of: &Value,
        (computation, updates): (&Value, &[Update]),
    ) -> Spot {
        let is_behind = |update: &&Update| {
            let is_inside = update.span.start <= of.span.start && of.span.end <= update.span.end;
            match is_inside {
                true => !update.is_prefix,
                false => of.span.end <= update.span.start,
            }
        };
        let behind: Vec<&Update> = updates.iter().filter(is_behind).collect();
        let rest = ByteSpan {
            start: of.span.end,
            end: computation.span.end,
        };
        let mut spot = spot;
        for reference in references_in(of) {
            spot = self.before_writes(spot, reference, &behind, rest);
        }
        spot
    }

    /// The moment before the last writes of a reference that are one of these updates, or in the rest of the
    /// expression; each was made once.
    fn before_writes(
        &self,
        spot: Spot,
        reference: &Reference,
        updates: &[&Update],
        rest: ByteSpan,
    ) -> Spot {
        let mut spot = spot;
        let mut passed = BTreeSet::new();
        while let Some(write) = self.last_write(spot, reference) {
            let is_own = self
                .event(write.event)
                .is_some_and(|it| it.call == spot.moment.call);
            let Some((script, at)) = self.place_of_write(&write) else {
                break;
            };
            let mut updates = updates.iter();
            let update = updates.find(|it| it.span.start <= at && at < it.span.end);
            let from = match update {
                Some(update) => Some(update.span.start),
                None => self.is_in_rest(spot, &write, at, rest).then_some(at),
            };
            let is_it = is_own && script == spot.script;
            match from.filter(|from| is_it && passed.insert(*from)) {
                Some(_) => {
                    spot.moment = Moment {
                        at: write.event,
                        ..spot.moment
                    };
                }
                None => break,
            }
        }
        spot
    }

    /// Whether a write was made in the rest of an expression when that was evaluated last: all that its function did
    /// since was there.
    fn is_in_rest(&self, spot: Spot, write: &Write, at: ByteOffset, rest: ByteSpan) -> bool {
        let is_there = |at: ByteOffset| rest.start <= at && at < rest.end;
        let until = spot.moment.at;
        is_there(at)
            && until.saturating_sub(write.event) <= MOST_BETWEEN
            && (write.event + 1..until).all(|number| {
                let own = self
                    .event(number)
                    .filter(|it| it.call == spot.moment.call && it.stream == spot.moment.stream);
                own.is_none_or(|event| {
                    self.site(event.site)
                        .is_none_or(|(script, (at, _, _))| script == spot.script && is_there(*at))
                })
            })
    }

    /// The last write of a variable or property before a moment.
    fn last_write(&self, spot: Spot, reference: &Reference) -> Option<Write> {
        let Some((last, before)) = reference.steps.split_last() else {
            let Root::Variable { name, at, .. } = &reference.root else {
                return None;
            };
            return self.variable(spot, name, *at);
        };
        let owner = self
            .reference_value(spot, reference, before.len())?
            .object()?;
        let key = self.step_key(spot, last)?;
        self.property(spot.moment.stream, owner.0, &key, spot.moment.at)
    }
}
