//! What the event log of one execution says of the chains: see [`crate::origin_in_log`].
//!
//! Executions without the log find the last change of each asked reference. The logged one must have the same write, at
//! the same place with the same value, as the last change of one variable or one object; else its log is about
//! something else, and is not used for this chain.

use std::sync::Arc;

use querypoint::answer::{End, EndKind, PointAnswer, Status};
use querypoint::query::{GlobalReference, Lookup, ReferenceRoot, Segment};

use super::Chain;
use crate::ask::{AskRequest, LastExecution, Progress};
use crate::logging::{LoggedExecution, logged_execution};
use crate::origin_in_log::{InLog, Trail, Turns, is_content};
use cdp_driver::protocol::{Clock, Protocol};

/// A reference whose value is followed, and its last change.
#[derive(Clone, Debug)]
pub(super) struct First {
    reference: GlobalReference,
    change: PointAnswer,
    /// At which operands it goes on, and where executions without the log say that the value was made.
    operands: Vec<u32>,
    end: Option<End>,
}

impl Chain {
    /// What the log is asked of this chain: whose value is followed further, or was not observed further.
    pub(super) fn first(
        &self,
        reference: &GlobalReference,
        points: &[PointAnswer],
        is_asked_there: bool,
    ) -> Option<First> {
        // Of what a computation calls, only the log knows the values, and what was put into a storage.
        let is_open = |kind: EndKind| {
            matches!(
                kind,
                EndKind::Unobserved | EndKind::Computation | EndKind::Storage
            )
        };
        // An address that the page itself assigned.
        let is_address = |end: &End| {
            let detail = end.detail.as_deref().unwrap_or_default();
            end.kind == EndKind::Browser && detail.contains("location.")
        };
        let goes_on = self
            .end
            .as_ref()
            .is_none_or(|end| is_open(end.kind) || is_address(end));
        if !goes_on || !is_asked_there {
            return None;
        }
        let point = points.get(self.shown.first()? + 1)?;
        let is_written = point.status == Status::Found && point.by_user != Some(true);
        // Of several texts in an element, each has a last change of its own.
        let is_shown = point.status == Status::Blind && is_content(reference);
        (is_written || is_shown).then(|| First {
            reference: reference.clone(),
            change: point.clone(),
            operands: self.operands.clone(),
            end: self.end.clone(),
        })
    }

    /// Takes the way that the log has of the value.
    pub(super) fn take(&mut self, trail: Trail) {
        // Where both end at the same computation, the log has more of its operands: what calls gave, too.
        let is_same = |end: &End| end.is_same_computation(&trail.end);
        if self.operands.is_empty() && self.end.as_ref().is_some_and(is_same) {
            self.computed = Some(trail.end);
            self.logged = trail.hops;
            return;
        }
        // A computation whose operands are not known says little; the log may have followed the value into it.
        let is_bare = self
            .end
            .as_ref()
            .is_some_and(|end| end.kind == EndKind::Computation && end.operands.is_empty());
        let goes_further = is_bare && trail.hops.len() > self.links.len();
        if trail.end.kind != EndKind::Unobserved || goes_further || !self.operands.is_empty() {
            self.links.truncate(1);
            self.shown.truncate(1);
            self.named = 0;
            self.end = Some(trail.end.clone());
        }
        self.trail = Some(trail);
    }

    /// Where it ends, with the operands that are known.
    pub(super) fn ended(&self) -> Option<End> {
        let end = self.end.as_ref()?;
        let more = self
            .computed
            .as_ref()
            .filter(|computed| computed.has_operands_of(end));
        Some(more.unwrap_or(end).clone())
    }

    /// Whether the log has said all: of an operand nothing else does.
    pub(super) fn is_done(&self) -> bool {
        let end = self.trail.as_ref().map(|trail| trail.end.kind);
        end.is_some_and(|end| end != EndKind::Unobserved || !self.operands.is_empty())
    }
}

/// The ways of these values, in the order in which they were asked for; an error says why there is none.
pub(super) async fn trails(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    last: Option<&LastExecution>,
    asked: &[Option<First>],
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Vec<Option<Trail>>, String> {
    let hit = last.and_then(|last| last.task.stop_at_hit);
    let realm = last.and_then(|last| last.outcome.realm.clone());
    let elements = asked.iter().map(element_of).collect::<Vec<_>>();
    let lookups: Vec<Lookup> = elements.iter().flatten().cloned().collect();
    let logged = logged_execution(protocol, clock, request, (hit, realm), &lookups, progress);
    let logged = logged.await;
    let logged = logged.map_err(|error| error.to_string())?;
    read(&logged, asked)
}

fn read(logged: &LoggedExecution, asked: &[Option<First>]) -> Result<Vec<Option<Trail>>, String> {
    let sources = logged.sources.lock();
    let log = InLog::new(&logged.model, &logged.scripts, &sources);
    if let Some(problem) = log.problem() {
        return Err(problem.to_owned());
    }
    let mut elements = logged.elements.iter();
    let trails = asked.iter().map(|first| {
        let nodes = element_of(first).and_then(|_| elements.next());
        let first = first.as_ref()?;
        let found = log.find(&first.change, &first.reference, (logged.ends_there, nodes))?;
        let turns = Turns::new(&first.operands, first.end.as_ref());
        let trail = log.follow(&found, turns);
        found.explains(&trail).then_some(trail)
    });
    Ok(trails.collect())
}

/// The element that the way of a reference begins at; where an element's content is asked for by other names, one that
/// it is in.
fn element_of(asked: &Option<First>) -> Option<Lookup> {
    let reference = &asked.as_ref()?.reference;
    let around = |name: &str| Some(Lookup::Selector(name.to_owned()));
    match &reference.reference.root {
        ReferenceRoot::Element(lookup) => Some(lookup.clone()),
        ReferenceRoot::Variable(root) if is_content(reference) => {
            match reference.reference.segments.first() {
                Some(Segment::Property(body)) if root == "document" && body == "body" => {
                    around("body")
                }
                _ => around("html"),
            }
        }
        _ => None,
    }
}
