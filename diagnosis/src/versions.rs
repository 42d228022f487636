//! Whether another version of a function does the same as a call did, by the log of an execution in which that version
//! ran in the place of the call.
//!
//! Both executions are the same up to the call: that is checked, event by event. So the other version was given the
//! very values that the call was given, whatever they are, and numbers of objects that were there before mean the same
//! in both. What was made during the call is compared by its class and its fields.
//!
//! An answer is given only where the logs have all that it depends on; everything else is [`Verdict::Unknown`].

mod built_ins;
mod closures;
mod matching;
mod side;

use std::collections::HashMap;

use event_log::model::{CallOutcome, Event, Kind, Model};
use event_log::value::Value;

use crate::log::LogTree;
use crate::tree::NodeId;
use matching::Matching;
pub(crate) use side::Side;

/// What another version says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does the same.
    Same,
    /// It does something else, and what.
    Different(String),
    /// It cannot be known, and why.
    Unknown(String),
}

/// Compares a call with what another version did in its place: `other` is the whole log of that execution.
#[must_use]
pub fn judge(log: &LogTree<'_>, node: NodeId, other: &LogTree<'_>) -> Verdict {
    let unknown = |why: &str| Verdict::Unknown(why.to_owned());
    let (Some(call), Some(number)) = (log.call(node), log.call_number(node)) else {
        return unknown("it is no call");
    };
    let (Some(its), Some(its_node)) =
        (other.model().calls.get(number as usize), other.node(number))
    else {
        return unknown("the executions are not the same up to the call");
    };
    if let Some(why) = parted(log.model(), other.model(), call.enter) {
        return Verdict::Unknown(format!(
            "the executions are not the same up to the call: {why}"
        ));
    }
    let (left, right) = (Side::new(log, node), Side::new(other, its_node));
    for side in [&left, &right] {
        if let Some(why) = side.unfinished() {
            return Verdict::Unknown(why);
        }
    }
    let mut matching = Matching {
        left: &left,
        right: &right,
        pairs: HashMap::new(),
        taken: HashMap::new(),
        scopes: Vec::new(),
        doubt: None,
    };
    let hidden = (left.hidden_effects(), right.hidden_effects());
    let different = match (call.outcome, its.outcome) {
        (CallOutcome::Returned(_), CallOutcome::Returned(_)) if left.is_script() => None,
        (CallOutcome::Returned(one), CallOutcome::Returned(two)) => {
            matching.outcome("returned", one, two)
        }
        (CallOutcome::Threw, CallOutcome::Threw) => {
            match (log.thrown(node), other.thrown(its_node)) {
                (Some(one), Some(two)) => matching.outcome("threw", one, two),
                _ => {
                    matching.doubt("what was thrown is not recorded");
                    None
                }
            }
        }
        (CallOutcome::Threw, _) => Some("the good version throws nothing".to_owned()),
        (_, CallOutcome::Threw) => Some("the good version throws".to_owned()),
        (CallOutcome::Open, _) | (_, CallOutcome::Open) => {
            return unknown("the log has no end of the call");
        }
    };
    let different = different
        .or_else(|| matching.handed_out())
        .or_else(|| matching.hidden_effects(&hidden.0.calls, &hidden.1.calls))
        .or_else(|| matching.effects());
    if let Some(different) = different {
        // What came from elsewhere must be the same in both, or the difference may be one of chance.
        return match matching.given_by_others(&hidden.0.calls, &hidden.1.calls) {
            Some(why) => Verdict::Unknown(why),
            None => Verdict::Different(different),
        };
    }
    let trouble = hidden.0.trouble.or(hidden.1.trouble);
    match trouble.or(matching.doubt) {
        Some(why) => Verdict::Unknown(why),
        None => Verdict::Same,
    }
}

/// How two logs differ before an event, if they do.
fn parted(left: &Model, right: &Model, until: u32) -> Option<String> {
    if left.streams.len() > 1 || right.streams.len() > 1 {
        return Some("the page has several realms".to_owned());
    }
    let until = until as usize;
    let (Some(one), Some(two)) = (left.events.get(..=until), right.events.get(..=until)) else {
        return Some("the other has fewer events".to_owned());
    };
    let is_same = |(one, two): (&Event, &Event)| {
        one.kind == two.kind
            && one.call == two.call
            && same_before(left, right, one.value, two.value)
            && same_before(left, right, one.owner, two.owner)
            && match one.kind {
                Kind::Write | Kind::WriteEntry => {
                    left.keys.get(one.key as usize) == right.keys.get(two.key as usize)
                }
                _ => one.key == two.key,
            }
    };
    let parting = one.iter().zip(two).position(|pair| !is_same(pair));
    if let Some(number) = parting {
        return Some(format!("event {number} is another"));
    }
    // Arguments are no events.
    let calls = left.calls.iter().zip(&right.calls);
    let mut before = calls.take_while(|(one, _)| one.enter as usize <= until);
    let parting = before.any(|(one, two)| {
        let (these, those) = (left.arguments_of(one), right.arguments_of(two));
        let is_same = match (these, those) {
            (Some(these), Some(those)) => {
                these.len() == those.len()
                    && these
                        .iter()
                        .zip(those)
                        .all(|(&one, &two)| same_before(left, right, one, two))
            }
            (None, None) => true,
            _ => false,
        };
        !is_same || !same_before(left, right, one.this, two.this)
    });
    parting.then(|| "the arguments are others".to_owned())
}

/// Whether two values are the same, where objects have the same numbers.
fn same_before(left: &Model, right: &Model, one: Value, two: Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => {
            one.to_bits() == two.to_bits() || (one.is_nan() && two.is_nan())
        }
        (Value::String(one), Value::String(two)) => left.text(0, one.0) == right.text(0, two.0),
        (Value::BigInt(one), Value::BigInt(two)) => left.text(0, one.0) == right.text(0, two.0),
        (
            Value::LongString { start, length, .. },
            Value::LongString {
                start: other_start,
                length: other_length,
                ..
            },
        ) => length == other_length && left.text(0, start.0) == right.text(0, other_start.0),
        (one, two) => one == two,
    }
}
