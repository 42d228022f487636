//! The search outwards from a place that was not reached: the decisions in its function, else who could have called the
//! function and what kept that from running, and so on.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::candidates::{Candidate, Explanation, Reason, Suspect, rank};
use super::coverage::Coverage;
use super::deciders::{Decider, HOP};
use super::gate::{Gate, GateKind, WayTo};
use crate::call_graph::{
    CallFact, CallFacts, CallGraph, CallRef, CalledBack, FunctionFact, FunctionRef,
    RegistrationKind,
};
use crate::position::{ByteOffset, ByteSpan};

/// How many calls a place may be away from a function that ran.
pub const MOST_CALLS: u32 = 5;
/// More candidates are not looked for.
const MOST_CANDIDATES: usize = 200;
/// Of what libraries may call a function for, so many decisions are looked for.
const MOST_AT_ONCE: usize = 30;
/// So many functions are asked for their callers.
const MOST_FUNCTIONS: usize = 400;

/// A script, and what ran of it.
#[derive(Clone, Copy, Debug)]
pub struct CountedScript<'a> {
    /// What it says about calls.
    pub facts: &'a CallFacts,
    /// How often its places ran; `None`: that is not known.
    pub coverage: Option<&'a Coverage>,
    /// Whether it is the code of an attribute such as `onclick`.
    pub is_handler: bool,
}

/// What the scripts of a page are to a search.
pub trait Ways {
    /// [`crate::rewrite::Script::way_to`] in the script with this index.
    fn way_to(&mut self, script: u32, at: ByteOffset) -> WayTo;

    /// Whether a place is in code that the page's author did not write.
    fn is_foreign(&mut self, _script: u32, _at: ByteOffset) -> bool {
        false
    }

    /// [`crate::rewrite::Script::deciders`] in the script with this index, of what its author wrote.
    fn deciders(&mut self, _script: u32, _function: &FunctionFact) -> Vec<Decider> {
        Vec::new()
    }

    /// [`crate::rewrite::Script::decided_by`] in the script with this index, of what its author wrote.
    fn decided_by(&mut self, _script: u32, _function: &FunctionFact) -> Vec<Decider> {
        Vec::new()
    }

    /// [`super::Mentions::of_function`] in the script with this index.
    fn mentions(&mut self, _script: u32, _function: u32) -> Vec<ByteSpan> {
        Vec::new()
    }

    /// [`super::Texts::told`] in all scripts, of what their authors wrote; none if nothing else has the text.
    fn told(&mut self, _text: &str) -> Vec<(u32, ByteSpan)> {
        Vec::new()
    }

    /// [`super::Texts::almost`] in all scripts, of what their authors wrote, where nothing has the text but once.
    fn almost_told(&mut self, _text: &str) -> Vec<(String, u32, ByteSpan)> {
        Vec::new()
    }

    /// [`crate::rewrite::Script::named`] in the script with this index, of what its author wrote.
    fn named(&mut self, _script: u32, _function: &FunctionFact) -> Vec<ByteSpan> {
        Vec::new()
    }

    /// Where the markup of a document names something, in words.
    fn named_in_markup(&mut self, _name: &str) -> Option<String> {
        None
    }

    /// Where a function, or what it is a member of, gets where its calls are not followed, in words; see
    /// [`super::way_out`].
    fn way_out(&mut self, _function: FunctionRef) -> Option<String> {
        None
    }

    /// [`crate::rewrite::Script::deciders_in`] in the script with this index, of what its author wrote.
    fn deciders_in(&mut self, _script: u32, _span: ByteSpan) -> Vec<Decider> {
        Vec::new()
    }
}

impl<F: FnMut(u32, ByteOffset) -> WayTo> Ways for F {
    fn way_to(&mut self, script: u32, at: ByteOffset) -> WayTo {
        self(script, at)
    }
}

/// Finds what kept the place `at` of a script from being reached, through at most `most_calls` calls.
pub fn explain(
    scripts: &[CountedScript<'_>],
    graph: &CallGraph,
    ways: &mut dyn Ways,
    place: (u32, ByteOffset),
    most_calls: u32,
) -> Explanation {
    let mut search = Search {
        scripts,
        graph,
        ways,
        most_calls,
        visited: FxHashSet::default(),
        left: VecDeque::new(),
        waited: FxHashSet::default(),
        found: Explanation::default(),
    };
    let (script, at) = place;
    let way = search.ways.way_to(script, at);
    search.found.count = way.count;
    search.found.entered = way.entered;
    search.in_function(script, at, &way, 0, None);
    search.callers();
    if way.entered > 0 {
        search.ran_too_rarely(script, at);
    }
    let mut found = search.found;
    if graph.is_cut {
        let what = "names that more than 200 functions go by: not all that may be called are known";
        found.unknown.push(what.to_owned());
    }
    found.candidates.sort_by_key(rank);
    let mut known = FxHashSet::default();
    let mut is_new = |one: &Candidate| known.insert((one.script, one.decision, one.reason));
    found.candidates.retain(&mut is_new);
    found
}

pub(super) struct Search<'a, 'w> {
    pub(super) scripts: &'a [CountedScript<'a>],
    pub(super) graph: &'a CallGraph,
    pub(super) ways: &'w mut dyn Ways,
    pub(super) most_calls: u32,
    pub(super) visited: FxHashSet<FunctionRef>,
    /// Functions that were not called and whose callers are still to be looked at, the nearest first.
    pub(super) left: VecDeque<(FunctionRef, u32)>,
    pub(super) waited: FxHashSet<CallRef>,
    pub(super) found: Explanation,
}

impl<'a> Search<'a, '_> {
    pub(super) fn script(&self, script: u32) -> Option<CountedScript<'a>> {
        self.scripts.get(script as usize).copied()
    }

    pub(super) fn fact(&self, call: CallRef) -> Option<&'a CallFact> {
        let script = self.script(call.script)?;
        script.facts.calls.get(call.call as usize)
    }

    pub(super) fn push(&mut self, candidate: Candidate) {
        if self.found.candidates.len() < MOST_CANDIDATES {
            self.found.candidates.push(candidate);
        }
    }

    /// How often a function was called; `None`: that is not known.
    pub(super) fn called(&self, function: FunctionRef) -> Option<u64> {
        let script = self.script(function.script)?;
        let coverage = script.coverage?;
        let fact = script.facts.functions.get(function.function as usize)?;
        Some(match fact.is_expression {
            true => coverage.evaluated(fact.body),
            false => coverage.inside(fact.body),
        })
    }

    /// The decisions of a function on the way to a place in it. `reason`: what it is called, where nothing decided that
    /// the function itself knows.
    pub(super) fn in_function(
        &mut self,
        script: u32,
        at: ByteOffset,
        way: &WayTo,
        calls: u32,
        reason: Option<Reason>,
    ) {
        if way.entered == 0 {
            return self.not_entered(script, at, way, calls);
        }
        let blocking = way
            .gates
            .iter()
            .position(|gate| gate.before > 0 && gate.after == 0);
        let looked_at = match blocking {
            Some(blocking) => way.gates.get(..=blocking).unwrap_or_default(),
            None => &way.gates,
        };
        for (number, gate) in looked_at.iter().enumerate() {
            let is_loop = gate.kind == GateKind::Loop && gate.after > 0;
            if gate.away() == 0 || is_loop {
                continue;
            }
            let is_blocking = Some(number) == blocking;
            // What is turned away earlier is no reason where the place was reached in the end.
            self.gate(script, gate, calls, is_blocking, reason);
            if is_blocking {
                self.explained_by(|this| {
                    this.what_is_waited_for(script, gate, calls);
                    if gate.kind == GateKind::Yield {
                        this.not_told_to_generator(script, gate, calls + 1);
                    }
                });
                // `list.find((item) => item.open)`: what it gives depends on the function, too.
                for decider in self.ways.deciders_in(script, gate.decision) {
                    self.decider(script, decider, calls);
                }
                self.decided_in_called(script, gate.decision, calls);
            }
        }
    }

    pub(super) fn gate(
        &mut self,
        script: u32,
        gate: &Gate,
        calls: u32,
        is_blocking: bool,
        reason: Option<Reason>,
    ) {
        let own = match gate.kind {
            GateKind::Branch | GateKind::Case | GateKind::Jump => Reason::Branch,
            GateKind::Loop => Reason::Loop,
            GateKind::Return => Reason::Return,
            GateKind::Throw | GateKind::NothingThrown | GateKind::Caught => Reason::Exception,
            GateKind::Await => Reason::Promise,
            GateKind::Yield => Reason::Callback,
        };
        let detail = match gate.kind {
            GateKind::NothingThrown => Some("nothing was thrown in the try block".to_owned()),
            GateKind::Caught => Some("something was thrown, and caught".to_owned()),
            GateKind::Yield => Some("the generator was not asked for more".to_owned()),
            GateKind::Await => {
                Some("it did not come back: the promise was never settled, or rejected".to_owned())
            }
            _ => None,
        };
        let is_test = matches!(own, Reason::Branch | Reason::Return | Reason::Loop);
        let (reason, detail) = match (own, reason) {
            _ if is_test && self.uses_promise(script, gate.decision) => (
                Reason::Await,
                Some("it uses a promise, not what the promise gives".to_owned()),
            ),
            (Reason::Branch, Some(other)) => (other, detail),
            (own, _) => (own, detail),
        };
        self.push(Candidate {
            pause: Some(gate.pause),
            held: gate.held,
            hits: gate.away(),
            is_partial: !is_blocking,
            calls,
            operands: gate.operands.clone(),
            jump: gate.jump,
            flip: gate.flip,
            tried: gate.tried_if_caught(),
            detail,
            ..Candidate::new(reason, script, gate.decision)
        });
    }

    /// A function was not called, or a script did not run.
    pub(super) fn not_entered(&mut self, script: u32, at: ByteOffset, way: &WayTo, calls: u32) {
        let Some(own) = self.script(script) else {
            return;
        };
        if way.function.is_none() {
            return self.not_run(script, own, calls);
        }
        let function = own.facts.function_around(at);
        self.not_called(FunctionRef { script, function }, calls);
    }

    pub(super) fn not_run(&mut self, script: u32, own: CountedScript<'_>, calls: u32) {
        let whole = own.facts.functions.first().map(|function| function.span);
        let Some(whole) = whole else { return };
        let (reason, detail) = match own.is_handler {
            true => (Reason::Listener, "the code of the attribute did not run"),
            false => (Reason::NotLoaded, "the script did not run"),
        };
        self.push(Candidate {
            calls,
            detail: Some(detail.to_owned()),
            ..Candidate::new(
                reason,
                script,
                ByteSpan {
                    start: whole.start,
                    end: whole.end,
                },
            )
        });
    }

    /// Whether the function that something is in was not called: then its callers are looked at. Many calls may go by
    /// one name, and most of these are in functions that did not run: which, is known without a look at the text.
    pub(super) fn is_in_uncalled(&mut self, script: u32, function: u32, calls: u32) -> bool {
        let around = FunctionRef { script, function };
        let is_uncalled = function != 0 && self.called(around) == Some(0);
        if is_uncalled {
            self.not_called(around, calls + 1);
        }
        is_uncalled
    }

    /// A function was not called: its callers are looked at later, after those of what is nearer.
    pub(super) fn not_called(&mut self, function: FunctionRef, calls: u32) {
        if self.visited.insert(function) {
            self.left.push_back((function, calls));
        }
    }

    /// Looks at the callers of functions that were not called, level by level.
    fn callers(&mut self) {
        let mut looked_at = 0;
        while let Some((function, calls)) = self.left.pop_front() {
            let is_known = self.found.candidates.iter().any(|candidate| {
                let is_sure = !candidate.is_partial && !candidate.is_explained;
                is_sure && candidate.distance == 0 && candidate.calls < calls
            });
            let at = self.body_of(function);
            if is_known && at.is_some_and(|at| self.ways.is_foreign(function.script, at)) {
                // Where the author decided it, what libraries do inside says no more.
                self.not_looked_at("who calls functions of libraries that are further away");
                continue;
            }
            if looked_at == MOST_FUNCTIONS || self.found.candidates.len() >= MOST_CANDIDATES {
                self.not_looked_at("more functions that could have led there");
                break;
            }
            looked_at += 1;
            self.callers_of(function, calls);
        }
    }

    pub(super) fn body_of(&self, function: FunctionRef) -> Option<ByteOffset> {
        let own = self.script(function.script)?;
        let fact = own.facts.functions.get(function.function as usize)?;
        Some(fact.span.start)
    }

    pub(super) fn not_looked_at(&mut self, what: &str) {
        if !self.found.unknown.iter().any(|known| known == what) {
            self.found.unknown.push(what.to_owned());
        }
    }

    fn callers_of(&mut self, function: FunctionRef, calls: u32) {
        if calls >= self.most_calls {
            let name = self.name_of(function);
            let what = format!(
                "who calls {name}: that is more than {} calls away",
                self.most_calls
            );
            self.not_looked_at(&what);
            return;
        }
        if let Some(around) = self.is_in_what_was_not_called(function) {
            return self.not_called(around, calls + 1);
        }
        if self.is_named_nowhere(function, calls) || self.is_of_no_element(function, calls) {
            return;
        }
        if let Some(call) = self.is_for_elements(function) {
            return self.registered(function, call, RegistrationKind::Callback, calls);
        }
        let callers = self.callers_but_itself(function);
        let is_named = self.is_named(function, calls);
        if self.is_handed_to_library(function, calls) {
            return;
        }
        if callers.is_empty() || is_named || self.is_left_to_browser(function, &callers) {
            let known = self.found.candidates.len();
            if !is_named {
                self.nobody_calls(function, calls);
            }
            let last = self.found.candidates.len();
            if self.decided_beside(function, calls).is_some() {
                self.callbacks_are_explained(known..last);
            }
            return;
        }
        // Before what libraries do inside, of which there may be much.
        let is_by_platform = callers.iter().all(|caller| self.is_by_platform(caller));
        let beside = self.found.candidates.len();
        let nearest = match is_by_platform {
            true => self.decided_in_literal(function, &callers, calls),
            false => self.decided_beside(function, calls),
        };
        let known = nearest.map(|nearest| (nearest, self.found.candidates.len()));
        // What calls it may be far away, in a library: then who handed it over is nearer.
        if !callers
            .iter()
            .any(|caller| matches!(caller, CalledBack::Handler(_)))
        {
            self.handed_over(function, calls);
        }
        // What the author wrote, first.
        let mut callers = callers;
        callers.sort_by_cached_key(|caller| self.is_call_of_library(caller));
        let mut of_libraries = self.found.candidates.len() + MOST_AT_ONCE;
        let is_given = self.is_given_to_libraries(function);
        let is_authors = self.is_handed_to_authors(function);
        let is_written_there = self.is_written_in_call(function);
        let mut by_other_names = Vec::new();
        let mut is_known_from_calls = false;
        let last_beside = self.found.candidates.len();
        for caller in &callers {
            if self.is_call_of_library(caller) {
                if self.found.candidates.len() >= of_libraries {
                    self.not_looked_at("more places in libraries that call functions");
                    break;
                }
            } else {
                of_libraries = self.found.candidates.len() + MOST_AT_ONCE;
            }
            match *caller {
                CalledBack::Call(call) => {
                    // Any element of any list may be called there: who names the function is nearer.
                    let is_far = (is_given || is_authors) && self.calls_any_element(call);
                    let known = self.found.candidates.len();
                    self.not_made(call, calls + u32::from(is_far));
                    is_known_from_calls |= !self.calls_any_element(call)
                        && !self.is_call_of_library(caller)
                        && self.is_sure_from(known);
                    if is_written_there && !self.is_called_so(call, function) {
                        by_other_names.push(known..self.found.candidates.len());
                    }
                }
                CalledBack::Registered(call, kind) => self.registered(function, call, kind, calls),
                CalledBack::Handler(handler) => self.handler(handler, calls),
                CalledBack::Access { script, at, .. } => {
                    self.not_reached(script, at, calls);
                }
            }
        }
        if is_known_from_calls && is_authors {
            // What the author's code does with it is known: what is handed over beside it says less.
            self.are_explained(beside..last_beside);
        }
        if let Some((nearest, known)) = known {
            self.explained_beside(known, nearest, calls);
            if nearest < HOP {
                by_other_names
                    .into_iter()
                    .for_each(|found| self.are_explained(found));
            }
        }
    }

    /// A library was to call the function: what was handed over beside it may have decided that. How near the nearest
    /// is.
    pub(super) fn decided_beside(&mut self, function: FunctionRef, calls: u32) -> Option<u32> {
        let own = self.script(function.script)?;
        let fact = own.facts.functions.get(function.function as usize)?;
        let deciders = self.ways.deciders(function.script, fact);
        let nearest = deciders.iter().map(|decider| decider.distance).min();
        for decider in deciders {
            self.decider_and_called(function.script, decider, calls + 1);
        }
        nearest
    }

    pub(super) fn decider(&mut self, script: u32, decider: Decider, calls: u32) {
        let Decider {
            gate,
            is_result,
            option,
            distance,
        } = decider;
        self.gate(script, &gate, calls, true, None);
        if let Some(candidate) = self.found.candidates.last_mut() {
            candidate.is_result = is_result;
            candidate.stops = option == Some(true);
            candidate.distance = distance + 1;
            let what = match option {
                None => "its function was handed over and called; what it gives, or calls, decides",
                Some(_) => {
                    "it is handed over beside the function, and may decide whether that is called"
                }
            };
            candidate.detail = Some(what.to_owned());
        }
    }

    /// What calls it calls other functions, too: where this one was handed over to it.
    pub(super) fn handed_over(&mut self, function: FunctionRef, calls: u32) {
        let callers = self.graph.callers(function).iter();
        let known: FxHashSet<CallRef> = callers
            .filter_map(|caller| match caller {
                CalledBack::Registered(known, _) => Some(*known),
                _ => None,
            })
            .collect();
        let calls_of = self.graph.handed_over(function).iter().copied();
        let mut handed: Vec<CallRef> = calls_of.filter(|call| !known.contains(call)).collect();
        handed.extend(self.object_handed_over(function));
        // Libraries hand on what they are given.
        let is_of_library =
            |search: &mut Self, call: CallRef| search.is_call_of_library(&CalledBack::Call(call));
        let own = handed.iter().copied();
        let own: Vec<CallRef> = own.filter(|call| !is_of_library(self, *call)).collect();
        if !own.is_empty() {
            handed = own;
        }
        let most = self.found.candidates.len() + MOST_AT_ONCE;
        for call in handed {
            if self.found.candidates.len() >= most {
                self.not_looked_at("more places in libraries that hand functions on");
                break;
            }
            // Any element of any list may be handed over there.
            let own = self.script(call.script);
            let is_far = own.is_some_and(|own| own.facts.gives_elements(call.call));
            let calls = calls + u32::from(is_far);
            self.registered(function, call, RegistrationKind::Callback, calls);
        }
    }

    /// The calls that hand over the object literal that a function is a method of, by the variable that it is in.
    fn object_handed_over(&self, function: FunctionRef) -> Vec<CallRef> {
        let script = function.script;
        let Some(own) = self.script(script) else {
            return Vec::new();
        };
        own.facts
            .hand_over_object_of(function.function)
            .map(|call| CallRef { script, call })
            .collect()
    }

    /// A call of a function that was not called.
    pub(super) fn not_made(&mut self, call: CallRef, calls: u32) {
        let Some(fact) = self.fact(call) else { return };
        if self.is_in_uncalled(call.script, fact.function, calls) {
            return;
        }
        self.not_reached(call.script, fact.span, calls);
        self.calls_another(call, fact, calls);
    }

    pub(super) fn not_reached(&mut self, script: u32, at: ByteSpan, calls: u32) {
        let own = self.script(script);
        if own.is_some_and(|own| own.is_handler && own.coverage.is_none()) {
            if let Some(own) = own {
                self.not_run(script, own, calls + 1);
            }
            return;
        }
        // Its last character is behind its arguments and the links of its chain.
        let last = ByteOffset(at.end.0.saturating_sub(1));
        let way = self.ways.way_to(script, last);
        if way.count == 0 {
            return self.in_function(script, last, &way, calls + 1, None);
        }
        if let Some(default) = &way.default {
            // What it calls was not called.
            self.gate(script, default, calls + 1, true, None);
            if let Some(last) = self.found.candidates.last_mut() {
                last.detail = Some("the default value was not needed".to_owned());
            }
            return;
        }
        self.found.suspects.push(Suspect {
            script,
            at,
            calls: calls + 1,
            is_to_end: false,
        });
    }
}
