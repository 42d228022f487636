//! A session about a log: what is asked next, what was answered by whom, and what came of it.

use std::collections::BTreeSet;

use event_log::model::Model;
use querypoint::answer::{Value as Shown, ValueType};
use querypoint::diagnosis::{
    AnsweredBy, CallAnswer, CallView, DIAGNOSIS_SCHEMA, Diagnosis, Ended, FoundCall, JudgedCall,
};

use crate::checks::{Check, DeclaredOf, checks};
use crate::coverage::{Coverage, ReadsAt};
use crate::log::LogTree;
use crate::same::{UsesOf, is_same_call};
use crate::session::{Answer, Judged, Session, Step};
use crate::steps::states_after;
use crate::strategy::Strategy;
use crate::suspicion::most_informative;
use crate::tree::NodeId;
use crate::view::{call_view, found_call};

/// So many events of the faulty call are listed.
const MOST_EVENTS: usize = 200;

/// Who answered, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Who.
    pub by: AnsweredBy,
    /// Why, where no person said it.
    pub why: Option<String>,
    /// The call of which the same was said before, where that is why.
    pub before: Option<NodeId>,
}

/// A session about a log.
#[derive(Debug)]
pub struct Interview<'l> {
    log: &'l LogTree<'l>,
    session: Session<'l>,
    strategy: Strategy,
    /// What calls cover, where the strategy weighs it.
    coverage: Option<Coverage>,
    /// Beside the session's history.
    said: Vec<Said>,
    /// Calls of which an answer that no person gave was taken back.
    left_to_person: BTreeSet<NodeId>,
    /// What the page itself says of calls, in the order in which they ended.
    checks: Vec<Check>,
}

impl<'l> Interview<'l> {
    /// Begins a session; libraries are trusted, and functions whose name or file one of the patterns matches.
    #[must_use]
    pub fn new(log: &'l LogTree<'l>, strategy: Strategy, trusted: &[String]) -> Self {
        let mut session = Session::new(log.tree());
        session.trust(log.library_functions());
        for pattern in trusted {
            session.trust(log.functions_matching(pattern));
        }
        Self {
            log,
            session,
            strategy,
            coverage: match strategy {
                Strategy::Edges | Strategy::Suspicion => Some(Coverage::edges(log)),
                _ => None,
            },
            said: Vec::new(),
            left_to_person: BTreeSet::new(),
            checks: Vec::new(),
        }
    }

    /// Takes what statements read: what [`Strategy::DefUse`] weighs calls by.
    pub fn reads(&mut self, reads: &ReadsAt) {
        if self.strategy == Strategy::DefUse {
            self.coverage = Some(Coverage::definitions_and_uses(self.log, reads));
        }
    }

    /// Takes the log of a run that is right, of the same version of the page: what it ran is less suspicious.
    pub fn passed(&mut self, model: &Model) {
        if let Some(coverage) = &mut self.coverage {
            coverage.passed(model);
        }
    }

    /// Joins chains of recursive calls ([`Session::join_recursive_calls`]); iterations are looked through.
    pub fn join_recursive_calls(&mut self) {
        let log = self.log;
        let is_call = |node| log.call_number(node).is_some();
        self.session.join_recursive_calls(is_call);
    }

    fn choose(&self, open: &[NodeId]) -> Option<NodeId> {
        let Some(coverage) = &self.coverage else {
            return self.session.choose(self.strategy, None, open);
        };
        if self.strategy == Strategy::Suspicion
            && let Some(node) = most_informative(coverage, &self.session, open)
        {
            return Some(node);
        }
        let weights = coverage.weights(&self.session, self.strategy);
        self.session.choose(self.strategy, Some(&weights), open)
    }

    /// What comes next.
    #[must_use]
    pub fn next(&self) -> Step {
        self.session.next_by(|open| self.choose(open))
    }

    /// A call to ask about that is not among these.
    #[must_use]
    pub fn next_except(&self, those: &BTreeSet<NodeId>) -> Option<NodeId> {
        self.next_where(|node| !those.contains(&node))
    }

    /// A call to ask about, among those of which `is_asked` holds.
    #[must_use]
    pub fn next_where(&self, is_asked: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        self.session.next_among(is_asked, |open| self.choose(open))
    }

    /// What was said of a call that is the same as this one: the same function, given the same and with the same
    /// result.
    #[must_use]
    pub fn said_before(&self, node: NodeId, uses: &UsesOf) -> Option<(Answer, NodeId)> {
        if self.is_left_to_person(node) {
            return None;
        }
        let function = self.log.tree().function_of(node);
        let judged = self.session.history().iter().find(|judged| {
            matches!(judged.answer, Answer::Valid | Answer::Invalid)
                && judged.node != node
                && self.log.tree().function_of(judged.node) == function
                && is_same_call(self.log, judged.node, node, uses)
        })?;
        Some((judged.answer, judged.node))
    }

    /// Takes what was said before of a call that is the same as this one ([`Self::said_before`]). Says whether
    /// something was.
    pub fn take_said_before(&mut self, node: NodeId, uses: &UsesOf) -> bool {
        let Some((answer, before)) = self.said_before(node, uses) else {
            return false;
        };
        let number = found_call(self.log, before).map_or(0, |it| it.call);
        let said = Said {
            by: AnsweredBy::Same,
            why: Some(format!("it is the same as the call #{number}")),
            before: Some(before),
        };
        self.take(node, answer, said);
        true
    }

    /// What a person sees of a call.
    #[must_use]
    pub fn view(&self, node: NodeId) -> Option<CallView> {
        call_view(self.log, node)
    }

    /// How many calls are suspicious and can be asked about.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.session.suspicious_calls().len()
    }

    /// Takes what the page itself says of calls: assertions that failed, and values that have not the type that is
    /// declared.
    pub fn checks(&mut self, declared: &DeclaredOf) {
        self.checks = checks(self.log, declared);
    }

    /// Takes what the page itself says of one call that is suspicious, the one that ended first; `next` is the call to
    /// ask about. Says whether it did.
    pub fn take_checked(&mut self, next: NodeId) -> bool {
        let Some(check) = self.next_check(next).cloned() else {
            return false;
        };
        let by = AnsweredBy::Test;
        self.answer(check.node, check.answer, by, Some(check.why));
        true
    }

    fn next_check(&self, next: NodeId) -> Option<&Check> {
        if self.checks.is_empty() {
            return None;
        }
        let open = self.session.suspicious_calls();
        let is_open = |node: NodeId| node == next || open.binary_search(&node).is_ok();
        let function = |node: NodeId| self.log.tree().function_of(node);
        // A declared type that is not right of one call is not right of the others.
        let is_doubted = |check: &Check| {
            let mut left = self.left_to_person.iter();
            match check.is_type {
                true => left.any(|&it| function(it) == function(check.node)),
                false => left.any(|&it| it == check.node),
            }
        };
        self.checks
            .iter()
            .find(|check| is_open(check.node) && !is_doubted(check))
    }

    /// Takes an answer.
    pub fn answer(&mut self, node: NodeId, answer: Answer, by: AnsweredBy, why: Option<String>) {
        let before = None;
        self.take(node, answer, Said { by, why, before });
    }

    /// Takes an answer with all that is known of it.
    pub fn take(&mut self, node: NodeId, answer: Answer, said: Said) {
        self.session.answer(node, answer);
        self.said.push(said);
    }

    /// What was answered, by whom and why, in order.
    pub fn answers(&self) -> impl Iterator<Item = (Judged, &Said)> {
        self.session.history().iter().copied().zip(&self.said)
    }

    /// Whether nobody but a person is to answer about a call: another answer was taken back.
    #[must_use]
    pub fn is_left_to_person(&self, node: NodeId) -> bool {
        self.left_to_person.contains(&node)
    }

    /// Leaves a call to a person.
    pub fn leave_to_person(&mut self, node: NodeId) {
        self.left_to_person.insert(node);
    }

    /// The calls that are left to a person.
    pub fn left_to_person(&self) -> impl Iterator<Item = NodeId> {
        self.left_to_person.iter().copied()
    }

    /// Takes back the last answer that a person gave, and what was answered by itself since then. Where a person gave
    /// none, the last one of all is taken back, and the call left to a person. Gives the call that it was about.
    pub fn undo(&mut self) -> Option<NodeId> {
        let is_persons = |said: &Said| said.by == AnsweredBy::Person;
        let Some(last) = self.said.iter().rposition(is_persons) else {
            let node = self.session.history().last()?.node;
            return self.take_back(node).then_some(node);
        };
        let node = self.session.history().get(last)?.node;
        self.said.truncate(last);
        self.session.keep(|index| index < last);
        Some(node)
    }

    /// Takes back what was said of a call, and what was said of others because of it. If no person said it, one is
    /// asked. Says whether something was said.
    pub fn take_back(&mut self, node: NodeId) -> bool {
        let mut gone = BTreeSet::from([node]);
        let mut kept = vec![true; self.said.len()];
        let mut is_said = false;
        // What follows from an answer is behind it.
        for ((judged, said), is_kept) in
            self.session.history().iter().zip(&self.said).zip(&mut kept)
        {
            if judged.node == node {
                is_said = true;
                if said.by != AnsweredBy::Person {
                    self.left_to_person.insert(node);
                }
            }
            if judged.node == node || said.before.is_some_and(|it| gone.contains(&it)) {
                gone.insert(judged.node);
                *is_kept = false;
            }
        }
        self.session.keep(|index| kept.get(index) == Some(&true));
        let mut index = 0;
        self.said.retain(|_| {
            index += 1;
            kept.get(index - 1) == Some(&true)
        });
        is_said
    }

    /// What was said last.
    #[must_use]
    pub fn last(&self) -> Option<JudgedCall> {
        let judged = self.session.history().last()?;
        self.judged(judged.node, judged.answer, self.said.last()?)
    }

    /// What came of it so far.
    #[must_use]
    pub fn diagnosis(&self, notes: Vec<String>) -> Diagnosis {
        let found = |node: NodeId| found_call(self.log, node);
        let mut notes = notes;
        let mut events = Vec::new();
        let mut states = Vec::new();
        let (found, suspicious): (Option<FoundCall>, Vec<FoundCall>) = match self.next() {
            Step::Found(node) => {
                notes.extend(self.note_of_chain(node));
                let (first, more) = self.log.own_events(node, MOST_EVENTS);
                if more > 0 {
                    let count = first.len();
                    notes.push(format!(
                        "of the faulty call the first {count} events are listed; there are {more} more"
                    ));
                }
                states = states_after(self.log, node, &first);
                events = first;
                (found(node), Vec::new())
            }
            Step::Undecided(nodes) => (None, nodes.into_iter().filter_map(found).collect()),
            Step::NothingWrong => (None, Vec::new()),
            Step::Ask(_) => {
                let wrong = found(self.session.focus());
                (None, wrong.into_iter().collect())
            }
        };
        let count = |is_counted: &dyn Fn(AnsweredBy) -> bool| {
            let own = self.said.iter().filter(|said| is_counted(said.by));
            u32::try_from(own.count()).unwrap_or(u32::MAX)
        };
        let judged = self.session.history().iter().zip(&self.said);
        Diagnosis {
            schema: DIAGNOSIS_SCHEMA.to_owned(),
            found,
            asked: count(&|by| by == AnsweredBy::Person),
            automatic: count(&|by| by != AnsweredBy::Person),
            nodes: self.log.tree().len() as u64,
            questions: judged
                .filter_map(|(judged, said)| self.judged(judged.node, judged.answer, said))
                .collect(),
            suspicious,
            events,
            states,
            notes,
        }
    }

    /// What is to be noted where the call that is found represents a chain of recursive calls.
    fn note_of_chain(&self, node: NodeId) -> Option<String> {
        let function = found_call(self.log, node)?.function;
        let more = match self.session.joined_with(node) {
            0 => return None,
            1 => "its recursive call was not asked about, and may".to_owned(),
            count => {
                format!("its {count} recursive calls were not asked about, and one of them may")
            }
        };
        Some(format!(
            "the defect is in {function}; {more} be the call where it shows"
        ))
    }

    fn judged(&self, node: NodeId, answer: Answer, said: &Said) -> Option<JudgedCall> {
        let view = self.view(node)?;
        let (returned, exception) = match view.ended {
            Ended::Returned(value) => (value, None),
            Ended::Threw(value) => (None, value),
            Ended::AtTheEnd | Ended::Suspended | Ended::Open => (None, None),
        };
        let unknown = || Shown::new(ValueType::Undefined, "not recorded");
        Some(JudgedCall {
            function: view.call.function,
            location: view.call.location,
            call: view.call.call,
            iteration: view.call.iteration,
            arguments: view
                .arguments
                .into_iter()
                .map(|it| it.entry.unwrap_or_else(unknown))
                .collect(),
            this: view.this,
            changes: view.changes,
            returned,
            exception,
            answer: match answer {
                Answer::Valid => CallAnswer::Valid,
                Answer::Invalid => CallAnswer::Invalid,
                Answer::Trusted => CallAnswer::Trusted,
                Answer::Unknown => CallAnswer::Unknown,
                Answer::Inadmissible => CallAnswer::Inadmissible,
            },
            by: said.by,
            why: said.why.clone(),
        })
    }
}
