//! What a call is made of: the calls before it in its chain, what these are handed, and what made that.
//!
//! ```js
//! const prices = combine([rate, amount]);
//! prices.pipe(until(closed)).subscribe(show);
//! ```

use super::facts::{CallFacts, FlowPlace};
use crate::position::ByteSpan;

/// Over so many variables a call is followed to what it is made of.
const MOST_VARIABLES: usize = 3;
/// More calls say nothing.
const MOST_CALLS: usize = 24;

impl CallFacts {
    /// The calls that a call is made of, by number: in the object that it is a method of, in what that is handed, and
    /// over variables.
    pub(crate) fn chained_before(&self, call: u32) -> Vec<u32> {
        let Some(own) = self.calls.get(call as usize) else {
            return Vec::new();
        };
        let mut found: Vec<u32> = Vec::new();
        let mut spans: Vec<ByteSpan> = own.receiver.into_iter().collect();
        let mut variables: Vec<FlowPlace> = variables_of(own.receivers.iter());
        for _ in 0..=MOST_VARIABLES {
            for span in std::mem::take(&mut spans) {
                for (number, inner) in (0..).zip(&self.calls) {
                    let is_in = span.start <= inner.span.start && inner.span.end <= span.end;
                    let is_new =
                        is_in && inner.function == own.function && !found.contains(&number);
                    if is_new && found.len() < MOST_CALLS {
                        found.push(number);
                        variables.extend(variables_of(inner.receivers.iter()));
                        variables.extend(self.made_beside(number));
                    }
                }
            }
            for variable in std::mem::take(&mut variables) {
                spans.extend(self.flows.iter().filter_map(|(from, to)| match from {
                    FlowPlace::Result(made) if *to == variable => {
                        self.calls.get(*made as usize).map(|call| call.span)
                    }
                    _ => None,
                }));
            }
            if spans.is_empty() {
                break;
            }
        }
        found
    }
}

fn variables_of<'p>(places: impl Iterator<Item = &'p FlowPlace>) -> Vec<FlowPlace> {
    let is_variable = |place: &&FlowPlace| place.is_variable() || place.is_global();
    places.filter(is_variable).cloned().collect()
}
