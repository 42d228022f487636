//! What the page itself was to tell: the event that a function waits for, the value of a stream, what an observer is to
//! observe.
//!
//! ```js
//! clicks.subscribe(show);
//! if (enabled) clicks.next(1);
//! ```
//!
//! That `show` was not called was decided where `next` was not.

use super::search::Search;
use crate::call_graph::{CallFact, CallRef};
use crate::position::ByteOffset;

/// So many calls that tell something are looked at.
const MOST_CALLS: usize = 8;

impl Search<'_, '_> {
    /// A function was handed to an object, or with one, or an object was made with it: what kept the calls from being
    /// made that tell the object something, if none was made.
    pub(super) fn not_told(&mut self, call: CallRef, calls: u32) {
        let (Some(own), Some(fact)) = (self.script(call.script), self.fact(call)) else {
            return;
        };
        let waiting = innermost(own.facts.calls.as_slice(), fact);
        let itself = |other: &CallFact| {
            let is_same_event = match (&fact.text, &other.text) {
                (Some(event), Some(other)) => event == other,
                _ => true,
            };
            // What it was made by is looked up among all flows: last.
            let to_it = || {
                is_same_variable((call.script, waiting), (call.script, other))
                    || own.facts.is_made_by(other, call.call)
            };
            tells(&other.name) && is_same_event && to_it()
        };
        self.not_told_by(call.script, &itself, calls);
        // `combine(show, [amount, rate])`: each is a function that is told by calling it, or has methods.
        for beside in own.facts.made_beside(call.call) {
            let tells_it = |other: &CallFact| {
                let is_call_of_it = other.callee.contains(&beside) && !other.arguments.is_empty();
                is_call_of_it || tells(&other.name) && other.receivers.contains(&beside)
            };
            self.not_told_by(call.script, &tells_it, calls);
        }
        // `combine([rate, amount]).subscribe(show)`: what is in the chain before it is told, too.
        for number in self.chained(call) {
            for beside in own.facts.made_beside(number) {
                let tells_it =
                    |other: &CallFact| tells(&other.name) && other.receivers.contains(&beside);
                self.not_told_by(call.script, &tells_it, calls);
            }
        }
    }

    /// What kept calls of a kind from being made, if none was made.
    fn not_told_by(&mut self, script: u32, is_one: &dyn Fn(&CallFact) -> bool, calls: u32) {
        let Some(own) = self.script(script) else {
            return;
        };
        let telling = own.facts.calls.iter().filter(|call| is_one(call));
        let telling: Vec<&CallFact> = telling.take(MOST_CALLS).collect();
        let mut ways = Vec::new();
        for other in telling {
            let last = ByteOffset(other.span.end.0.saturating_sub(1));
            let way = self.ways.way_to(script, last);
            if way.count > 0 {
                return;
            }
            ways.push((last, way));
        }
        for (last, way) in ways {
            if way.entered > 0 {
                self.in_function(script, last, &way, calls, None);
            }
        }
    }
}

/// What a chain of calls begins with: `clicks.pipe(…)` of `clicks.pipe(…).subscribe(show)`.
fn innermost<'f>(calls: &'f [CallFact], of: &'f CallFact) -> &'f CallFact {
    let mut found = of;
    while let Some(before) = calls
        .iter()
        .find(|other| found.receiver == Some(other.span) && other.receiver.is_some())
    {
        found = before;
    }
    found
}

/// Whether two calls are on the same variable.
pub(super) fn is_same_variable(one: (u32, &CallFact), other: (u32, &CallFact)) -> bool {
    let mut receivers = one.1.receivers.iter();
    receivers.any(|place| {
        let is_same_script = place.is_global() || place.is_variable() && one.0 == other.0;
        is_same_script && other.1.receivers.contains(place)
    })
}

/// Whether a method of this name tells an object something that others may wait for.
pub(super) fn tells(name: &str) -> bool {
    matches!(
        name,
        "next"
            | "emit"
            | "dispatch"
            | "dispatchEvent"
            | "trigger"
            | "fire"
            | "publish"
            | "send"
            | "notify"
            | "observe"
            | "postMessage"
            | "set"
            | "start"
            | "run"
            | "execute"
            | "play"
            | "resume"
            | "connect"
            | "mutate"
            | "refetch"
            | "update"
            | "request"
    )
}
