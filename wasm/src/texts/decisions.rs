//! The words for what kept something from happening.

use querypoint::answer::{Candidate, Flipped};

/// Before an operation that a decision kept from happening.
pub(crate) const KEPT: &str = "kept from happening";

/// How a decision came out, and how often.
pub(crate) fn outcome(candidate: &Candidate) -> String {
    let outcome = candidate.outcome().unwrap_or_default();
    match candidate.hits {
        0 | 1 => outcome.to_owned(),
        hits => format!("{outcome} {hits} times").trim().to_owned(),
    }
}

/// What a balloon says behind the line of a decision: how it came out, and what it kept from happening.
pub(crate) fn balloon(candidate: &Candidate) -> String {
    let outcome = match outcome(candidate) {
        outcome if outcome.is_empty() => candidate.reason.word().to_owned(),
        outcome => outcome,
    };
    match &candidate.operation {
        Some(operation) => format!("{outcome}: no {}", operation.text),
        None => outcome,
    }
}

/// Where a decision is, and how many calls are between it and what did not happen.
pub(crate) fn decided_at(place: &str, function: &str, calls: Option<u32>) -> String {
    let function = match function {
        "" => String::new(),
        function => format!(" in {function}"),
    };
    match calls {
        None => format!("{place}{function}"),
        Some(1) => format!("{place}{function}, one call before"),
        Some(calls) => format!("{place}{function}, {calls} calls before"),
    }
}

/// What happened when the page ran again with a decision turned round.
pub(crate) fn turned_round(flipped: &Flipped) -> String {
    match &flipped.value {
        Some(value) => format!("{}: {}", flipped.in_words(), value.text),
        None => flipped.in_words().to_owned(),
    }
}
