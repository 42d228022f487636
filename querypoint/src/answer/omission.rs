//! Why something did not happen: the decisions that kept it from happening.

use serde::{Deserialize, Serialize};

use super::{EndOperand, Location, Value};

/// A decision that kept something from happening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What kind of decision it is.
    pub reason: OmissionReason,
    /// Where it is.
    pub location: Location,
    /// Its text: a test, the head of a loop, the call that hands a function over.
    pub text: String,
    /// How it came out. Of a loop whether there was an iteration; of a listener, timer, callback or promise whether it
    /// ran.
    pub held: bool,
    /// Its parts, with the values that they had when it was decided last.
    pub values: Vec<EndOperand>,
    /// How often it came out so.
    pub hits: u64,
    /// What did not happen because of it, where that is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// What happened when the page ran again with this decision turned round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flipped: Option<Flipped>,
    /// The function that it is in; empty at the top level of a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The text of the line at `location`, without its line end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_line: Option<String>,
    /// How many calls are between it and what did not happen; none: it is in the same function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
    /// What else is known of it, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What kind of decision it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OmissionReason {
    /// A test, a logical operator, `?.`, a `switch`.
    Branch,
    /// A listener was never added, was removed, or its event did not happen.
    Listener,
    /// A promise was not settled, or not so.
    Promise,
    /// A value was used that is a promise: an `await` is missing.
    Await,
    /// A timer did not fire.
    Timer,
    /// A function was handed over, and never called.
    Callback,
    /// A loop had no iteration.
    Loop,
    /// The function returned before.
    Return,
    /// An exception was thrown before it, or none was thrown that would have led there.
    Exception,
    /// The script was not loaded, or did not run.
    NotLoaded,
    /// Nothing can call it.
    Unreachable,
}

/// What did not happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Where it would have happened.
    pub location: Location,
    /// Its text, with the asked object's name in it.
    pub text: String,
    /// How many calls are between the decision and it.
    pub calls: u32,
}

/// What happened with a decision turned round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flipped {
    /// Whether what was asked about happened.
    pub happened: bool,
    /// The asked value at the reproduction point then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl Candidate {
    /// How it came out, in words, where its reason does not say it.
    #[must_use]
    pub const fn outcome(&self) -> Option<&'static str> {
        match (self.reason, self.held) {
            (OmissionReason::Branch | OmissionReason::Return | OmissionReason::Await, true) => {
                Some("held")
            }
            (OmissionReason::Branch | OmissionReason::Return | OmissionReason::Await, false) => {
                Some("did not hold")
            }
            (OmissionReason::Loop, _) => Some("had no iteration"),
            _ => None,
        }
    }
}

impl Flipped {
    /// What happened then, in words, without the value.
    #[must_use]
    pub const fn in_words(&self) -> &'static str {
        match self.happened {
            true => "turned round, it happens",
            false => "turned round, it does not happen either",
        }
    }
}

impl OmissionReason {
    /// The word that represents it in an answer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Listener => "listener",
            Self::Promise => "promise",
            Self::Await => "await",
            Self::Timer => "timer",
            Self::Callback => "callback",
            Self::Loop => "loop",
            Self::Return => "return",
            Self::Exception => "exception",
            Self::NotLoaded => "not-loaded",
            Self::Unreachable => "unreachable",
        }
    }
}
