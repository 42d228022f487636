//! What an operand had when it was read, where the same expression writes it: in `x++ + x` the first `x` is what was
//! there before, and the log has only what was written.

use std::collections::BTreeSet;

use js_analysis::origin::{Form, Operator, Reference, Root, Value};
use js_analysis::position::ByteSpan;

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

impl InLog<'_> {
    /// The moment at which an operand was read: before the updates of the same expression that were evaluated behind
    /// it, each of which was made once.
    pub(super) fn before_updates(&self, spot: Spot, of: &Value, updates: &[Update]) -> Spot {
        let Form::Reference(reference) = &of.form else {
            return spot;
        };
        let is_behind = |update: &&Update| {
            let is_inside = update.span.start <= of.span.start && of.span.end <= update.span.end;
            match is_inside {
                true => !update.is_prefix,
                false => of.span.end <= update.span.start,
            }
        };
        let behind: Vec<&Update> = updates.iter().filter(is_behind).collect();
        let mut spot = spot;
        let mut passed = BTreeSet::new();
        while let Some(write) = self.last_write(spot, reference) {
            let is_own = self
                .event(write.event)
                .is_some_and(|it| it.call == spot.moment.call);
            let Some((script, at)) = self.place_of_write(&write) else {
                break;
            };
            let mut within = behind.iter();
            let update = within.find(|it| it.span.start <= at && at < it.span.end);
            let is_it = is_own && script == spot.script;
            match update.filter(|it| is_it && passed.insert(it.span.start)) {
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
