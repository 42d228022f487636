//! Events of trace queries at which the page stands: whether they pass the filters, and how many there were at a point.

use std::collections::BTreeMap;

use querypoint::graph::Parent;
use querypoint::plan::{EventRange, Filter, Moment, Operand, Sought, TracePlan};
use querypoint::query::{Event, Lookup, ReferenceRoot};

use super::Watcher;
use super::stacks::{Compared, EventStack, PointStack};
use crate::agent_message::answered;
use crate::debugger::Untold;
use crate::error::EngineError;
use crate::report::QueryResult;
use crate::stopped::{Frame, frame_at};
use crate::traces::{Examined, Passed, counted_by};

/// What was seen of one event.
#[derive(Clone, Debug)]
pub(super) struct Look {
    number: u64,
    /// For each filter.
    seen: Vec<Seen>,
}

/// What a filter says of an event.
#[derive(Clone, Debug)]
enum Seen {
    Holds(bool),
    /// The objects of the sides that are at the event; the other is known at its point.
    Objects([Option<String>; 2]),
    /// Its call stack; the other is known at its point.
    Stack(EventStack),
    /// It cannot be evaluated there: whoever asks wants to know if no other event fits.
    Undecided(String),
    /// It cannot be evaluated anywhere.
    Problem(String),
}

impl Watcher<'_> {
    /// What a query counts, if it is a trace query.
    pub(super) fn trace(&self, query: usize) -> Option<&TracePlan> {
        match &self.setting.plan.queries.get(query)?.sought {
            Sought::Trace(trace) => Some(trace),
            _ => None,
        }
    }

    /// Whether the object of a query's events is the `this` of the frame in which they are.
    pub(super) fn is_received(&self, query: usize) -> bool {
        let event = self.trace(query).map(|trace| &trace.event);
        matches!(event, Some(Event::Call(_) | Event::Line { .. }))
    }

    /// Hands the agent over the object of the event of `query` at which the page stands, if only the debugger knows it.
    pub(super) async fn hand_over_receiver(
        &self,
        query: usize,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let Some(top) = frames.first().filter(|_| self.is_received(query)) else {
            return Ok(());
        };
        let expression = format!("{}E.receives(this)", self.setting.collection.prefix);
        match self.reader.json_in(top, &expression).await {
            Err(error) if error.is_fatal() => Err(error.into()),
            // Before `super` is called there is none.
            _ => Ok(()),
        }
    }

    /// The page stands at the event `number` of `query`: looks at it, if it is to be looked at.
    pub(super) async fn look_at(
        &self,
        query: usize,
        number: u64,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let is_asked = |range: &EventRange| (range.first..=range.last).contains(&number);
        if !self.task.examined.get(&query).is_some_and(is_asked) {
            return Ok(());
        }
        let Some(trace) = self.trace(query) else {
            return Ok(());
        };
        let mut seen = Vec::new();
        for filter in &trace.filters {
            seen.push(match filter {
                Filter::When(expression) => self.holds(expression, frames).await?,
                Filter::Sameness(left, right) => {
                    let mut objects = [None, None];
                    let mut problem = None;
                    for (side, object) in [left, right].into_iter().zip(&mut objects) {
                        if side.at.is_none() {
                            match self.identity(side, frames).await? {
                                Ok(identity) => *object = Some(identity),
                                Err(why) => problem = Some(why),
                            }
                        }
                    }
                    problem.map_or(Seen::Objects(objects), Seen::Undecided)
                }
                Filter::MayAffect(_) => Seen::Stack(self.stack_of_event(query, frames).await?),
            });
        }
        self.looks
            .lock()
            .entry(query)
            .or_default()
            .push(Look { number, seen });
        Ok(())
    }

    /// Whether a JavaScript expression is true in the newest frame. `oldValue` and `newValue` are those of a write.
    async fn holds(&self, expression: &str, frames: &[&Frame]) -> Result<Seen, EngineError> {
        let Some(top) = frames.first() else {
            return Ok(Seen::Problem("it is in no frame".to_owned()));
        };
        let event = format!("{}E.event()", self.setting.collection.prefix);
        let asked = if expression.contains("oldValue") || expression.contains("newValue") {
            format!("((oldValue,newValue)=>(\n{expression}\n))({event}.old,{event}.value)")
        } else {
            format!("(\n{expression}\n)")
        };
        Ok(match self.reader.truth_in(top, &asked).await? {
            Ok(holds) => Seen::Holds(holds),
            Err(Untold::Threw(why)) => Seen::Undecided(format!("when({expression}): {why}")),
            Err(untold) => Seen::Problem(format!("when({expression}): {untold}")),
        })
    }

    /// What tells the object of a reference from others, in the frames of the page as it stands.
    async fn identity(
        &self,
        side: &Operand,
        frames: &[&Frame],
    ) -> Result<Result<String, String>, EngineError> {
        let Some(frame) = frame_at(frames, side.frame) else {
            return Ok(Err(format!("there is no frame {}", side.frame)));
        };
        let prefix = &self.setting.collection.prefix;
        let text = side.reference.to_string();
        let expression = match &side.reference.root {
            ReferenceRoot::EventObject => {
                let rest = text.strip_prefix(".owner").unwrap_or(&text);
                format!("{prefix}E.event().owner{rest}")
            }
            ReferenceRoot::Element(lookup) => {
                let rest = text.strip_prefix(&lookup.to_string()).unwrap_or_default();
                let (by_id, text) = match lookup {
                    Lookup::Id(id) => (true, id),
                    Lookup::Selector(selector) => (false, selector),
                };
                let lookup = serde_json::json!({ "byId": by_id, "text": text });
                format!("{prefix}E.element({lookup}){rest}")
            }
            ReferenceRoot::This | ReferenceRoot::Variable(_) => text,
        };
        let reference = &side.reference;
        let object = match self.reader.argument_in(frame, &expression).await? {
            Ok(object) => object,
            Err(Untold::Threw(why)) => {
                return Ok(Err(format!("{reference} has no value there: {why}")));
            }
            Err(untold) => return Ok(Err(format!("{reference}: {untold}"))),
        };
        let function = format!("(object)=>{prefix}E.identity(object)");
        let answer = self.reader.json_of_call(frame, &function, &[object]).await;
        Ok(match answer {
            Ok(identity) => Ok(answered(&identity)?),
            Err(error) if error.is_fatal() => return Err(error.into()),
            Err(_) => Err(format!("{reference} has no value there")),
        })
    }

    /// The page stands at a point: how many events there were, and what trace queries compare there.
    pub(super) async fn count_at(
        &self,
        parent: Parent,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let collection = self.setting.collection.clone();
        let Some(top) = frames.first() else {
            return Ok(());
        };
        for slot in collection.traces() {
            let Some(trace) = self.trace(slot.query) else {
                continue;
            };
            if trace.points().contains(&parent) {
                let asked = collection.agent_query(slot.query);
                let asked = serde_json::to_string(&[asked]).unwrap_or_default();
                let expression = format!("{}E.late({asked},()=>({{d:[]}}))", collection.prefix);
                let value = self.reader.json_in(top, &expression).await?;
                let results: BTreeMap<usize, QueryResult> = answered(&value)?;
                if let Some(count) = results.get(&slot.query).and_then(counted_by) {
                    self.counts
                        .lock()
                        .insert((Moment::At(parent), slot.query), count);
                }
            }
            for (number, filter) in trace.filters.iter().enumerate() {
                let (left, right) = match filter {
                    Filter::Sameness(left, right) => (left, right),
                    Filter::MayAffect(point) if *point == parent => {
                        self.stack_at_point(slot.query, number, frames).await?;
                        continue;
                    }
                    Filter::When(_) | Filter::MayAffect(_) => continue,
                };
                for (side, is_right) in [(left, false), (right, true)] {
                    if side.at == Some(parent) {
                        let identity = self.identity(side, frames).await?;
                        self.identities
                            .lock()
                            .insert((slot.query, number, is_right), identity);
                    }
                }
            }
        }
        Ok(())
    }
}

/// What tells the objects of references at points from others, by query, filter and side; or why it cannot be said.
pub(super) type Identities = BTreeMap<(usize, usize, bool), Result<String, String>>;

/// What is known of points, to which events are compared.
pub(super) struct AtPoints {
    pub(super) identities: Identities,
    /// Call stacks, by query and filter.
    pub(super) stacks: BTreeMap<(usize, usize), PointStack>,
    /// Whether functions on stacks were kept from being optimised, so that what was not in a frame was not there.
    pub(super) is_sure: bool,
}

/// Which of the events that were looked at pass the filters of their queries; nothing of a query for which that cannot
/// be told yet.
pub(super) fn judged(
    asked: &BTreeMap<usize, EventRange>,
    mut looks: BTreeMap<usize, Vec<Look>>,
    known: &AtPoints,
) -> Passed {
    let asked = asked.iter();
    let judged = asked.filter_map(|(&query, &range)| {
        let looks = looks.remove(&query).unwrap_or_default();
        Some((query, judged_of(query, range, looks, known)?))
    });
    judged.collect()
}

fn judged_of(
    query: usize,
    range: EventRange,
    looks: Vec<Look>,
    known: &AtPoints,
) -> Option<Examined> {
    let mut examined = Examined {
        range,
        passed: Vec::new(),
        problem: None,
    };
    let mut undecided = None;
    for look in looks {
        let mut passes = true;
        for (number, seen) in look.seen.into_iter().enumerate() {
            match seen {
                Seen::Holds(holds) => passes &= holds,
                Seen::Undecided(problem) => {
                    passes = false;
                    undecided.get_or_insert(problem);
                }
                Seen::Problem(problem) => {
                    passes = false;
                    examined.problem.get_or_insert(problem);
                }
                Seen::Objects([left, right]) => {
                    let mut side = |own: Option<String>, is_right| {
                        let at_point = || known.identities.get(&(query, number, is_right)).cloned();
                        match own.map(Ok).or_else(at_point)? {
                            Ok(identity) => Some(identity),
                            Err(problem) => {
                                examined.problem.get_or_insert(problem);
                                None
                            }
                        }
                    };
                    let (left, right) = (side(left, false), side(right, true));
                    passes &= left.is_some() && left == right;
                }
                Seen::Stack(stack) => {
                    let point = known.stacks.get(&(query, number));
                    match stack.compared(point, known.is_sure) {
                        Compared::Holds(holds) => passes &= holds,
                        Compared::NotYet => return None,
                        Compared::Problem(problem) => {
                            passes = false;
                            examined.problem.get_or_insert(problem);
                        }
                    }
                }
            }
        }
        if passes {
            examined.passed.push(look.number);
        }
    }
    if examined.passed.is_empty() && examined.problem.is_none() {
        examined.problem = undecided;
    }
    Some(examined)
}
