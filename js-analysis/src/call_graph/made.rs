//! What is made with a function, and known by a name: `const total = computed(() => sum(prices))`.

use super::endings::{ends, registers, undoes};
use super::facts::{CallFact, CallFacts, FlowPlace};
use super::platform::{calls_elements, is_call_of_itself, sets_timer};
use crate::position::ByteSpan;

impl CallFacts {
    /// The variables that hold what one call made that is handed a function, or the literal that it is in, and the
    /// call: others may have the function only by what was made. None: nothing is made with it, or what the call gives
    /// may be there to undo a registration.
    pub(crate) fn made_with(&self, function: u32) -> Option<(Vec<u32>, ByteSpan)> {
        let directly = self.hand_over_directly(function);
        let mut made = directly.chain(self.hand_over_literal_of(function));
        let number = made.next()?;
        let call = self.calls.get(number as usize)?;
        if made.any(|other| other != number) || is_for_what_it_does(call) {
            return None;
        }
        let mut variables = Vec::new();
        for (_, to) in self
            .flows
            .iter()
            .filter(|(from, _)| *from == FlowPlace::Result(number))
        {
            match to {
                FlowPlace::Variable(variable) => variables.push(*variable),
                _ => return None,
            }
        }
        let is_ended = |other: &CallFact| {
            let is_it = |place: &FlowPlace| matches!(place, FlowPlace::Variable(variable) if variables.contains(variable));
            let is_called = other.arguments.is_empty() && other.callee.iter().any(is_it);
            is_called || ends(&other.name) && other.receivers.iter().any(is_it)
        };
        let is_exported = |(from, to): &(FlowPlace, FlowPlace)| {
            let is_it = matches!(from, FlowPlace::Variable(own) if variables.contains(own));
            is_it && matches!(to, FlowPlace::Export(_))
        };
        let is_known = variables.is_empty()
            || self.calls.iter().any(is_ended)
            || self.flows.iter().any(is_exported);
        (!is_known).then_some((variables, call.span))
    }
}

/// Whether a call does something with a function, rather than make something of it.
fn is_for_what_it_does(call: &CallFact) -> bool {
    let name = call.name.as_str();
    registers(name)
        || undoes(name)
        || sets_timer(name)
        || calls_elements(name)
        || is_call_of_itself(name)
        || matches!(name, "then" | "catch" | "finally" | "import" | "Promise")
}
