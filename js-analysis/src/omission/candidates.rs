//! The decisions that a search finds, and which of them is the best.

use crate::control_flow::Condition;
use crate::position::{ByteOffset, ByteSpan};

/// What kept a place from being reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A test, a logical operator, `?.`, a `switch`, or a `break` or `continue` that one of these led to.
    Branch,
    /// An event that did not happen, or not to whoever listens.
    Listener,
    /// A promise that was not settled, or otherwise.
    Promise,
    /// A promise is looked at, and not what it gives.
    Await,
    /// A timer that did not fire.
    Timer,
    /// A function that was handed over and not called.
    Callback,
    /// A loop without an iteration.
    Loop,
    /// A `return`, or the test that led to it.
    Return,
    /// An exception.
    Exception,
    /// A script that did not run.
    NotLoaded,
    /// Nothing can call it.
    Unreachable,
}

/// A decision that kept a place from being reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Why.
    pub reason: Reason,
    /// The index of the script.
    pub script: u32,
    /// The decision: a test, a loop's head, a `return`, the call that hands a function over, a function.
    pub decision: ByteSpan,
    /// Where the page can be paused just before; `None`: nothing ran there.
    pub pause: Option<ByteOffset>,
    /// How it came out.
    pub held: bool,
    /// How often it led away.
    pub hits: u64,
    /// Whether it led on at other times.
    pub is_partial: bool,
    /// Whether a decision before it, which is a candidate too, is why it came out so.
    pub is_explained: bool,
    /// How many calls are between it and the place.
    pub calls: u32,
    /// The parts whose values say why.
    pub operands: Vec<ByteSpan>,
    /// The statement that left because of it.
    pub jump: Option<ByteSpan>,
    /// The condition to be turned round, and how it comes out then.
    pub flip: Option<(Condition, bool)>,
    /// What was found out besides, in words.
    pub detail: Option<String>,
    /// How far its function is from the one that a library was to call; 0: it is no such decision.
    pub distance: u32,
    /// Whether it is what a function gives: how it came out is known only when it is read.
    pub is_result: bool,
    /// Whether by `true` it keeps from being done what it decides.
    pub stops: bool,
    /// Whether it waits for what nothing is called, but for a letter.
    pub is_misspelt: bool,
    /// Of an event that was stopped: what says whether it was on its way to the listener.
    pub path: Option<EventPath>,
    /// The statements of which one threw.
    pub tried: Vec<ByteSpan>,
    /// Of what was handed over, if it is not written there.
    pub handed: Option<Handed>,
}

/// The arguments of a call, of which one may be a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handed {
    /// What the function is called; empty: it has no name.
    pub name: String,
    /// The arguments, and whether each is a list that is spread.
    pub arguments: Vec<(ByteSpan, bool)>,
}

/// An event that was stopped, and who listened for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPath {
    /// The event, in the script of the decision: `event` of `event.stopPropagation()`.
    pub event: ByteSpan,
    /// Whether the other listeners of the same object do not hear of it either.
    pub is_immediate: bool,
    /// The script of the listener, and the object that it was added to.
    pub listening: (u32, ByteSpan),
}

impl Candidate {
    /// A decision of which no more is known.
    #[must_use]
    pub fn new(reason: Reason, script: u32, decision: ByteSpan) -> Self {
        Self {
            reason,
            script,
            decision,
            pause: None,
            held: false,
            hits: 0,
            is_partial: false,
            is_explained: false,
            calls: 0,
            operands: Vec::new(),
            jump: None,
            flip: None,
            detail: None,
            distance: 0,
            is_result: false,
            stops: false,
            is_misspelt: false,
            path: None,
            tried: Vec::new(),
            handed: None,
        }
    }
}

/// A call that seems to have run, of a function that was not called: an exception may have been before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// The index of the script.
    pub script: u32,
    /// The call.
    pub at: ByteSpan,
    /// How many calls are between it and the place.
    pub calls: u32,
    /// Whether it is a whole function that ran and whose promise was to be fulfilled: an exception is looked for in it,
    /// also if its last statement ran.
    pub is_to_end: bool,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// How often the place was reached, as far as the counts say: an exception thrown just before it does not count.
    pub count: u64,
    /// How often its function was called, or its script ran.
    pub entered: u64,
    /// The decisions, best first.
    pub candidates: Vec<Candidate>,
    /// Calls that must be looked at more closely.
    pub suspects: Vec<Suspect>,
    /// What was not looked at, in words.
    pub unknown: Vec<String>,
}

/// Best first: what decided each time and is not explained by another, the nearest, the most frequent.
#[must_use]
pub fn rank(candidate: &Candidate) -> (bool, bool, u32, u8, u32, std::cmp::Reverse<u64>) {
    let kind = match candidate.reason {
        Reason::Unreachable => 2,
        Reason::Callback if candidate.detail.is_some() && !candidate.is_misspelt => 1,
        _ => 0,
    };
    let hits = std::cmp::Reverse(candidate.hits);
    let Candidate {
        is_partial,
        is_explained,
        calls,
        distance,
        ..
    } = *candidate;
    (is_partial, is_explained, calls, kind, distance, hits)
}
