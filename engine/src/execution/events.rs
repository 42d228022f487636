//! Events of trace queries at which the page is paused: whether they pass the filters, and how many there were at a
//! point.

use std::collections::{BTreeMap, BTreeSet};

use querypoint::graph::Parent;
use querypoint::plan::{EventRange, Filter, Moment, Operand, Sought, TracePlan};
use querypoint::query::{Event, ReferenceRoot};

use super::stacks::{Compared, EventStack, PointStack};
use super::{PauseLoop, Watcher};
use crate::agent_message::answered;
use crate::collection::agent_lookup;
use crate::debugger::{Untold, Where};
use crate::document_id::DocumentId;
use crate::error::EngineError;
use crate::report::QueryResult;
use crate::stopped::{Frame, frame_at};
use crate::traces::{Counts, Examined, Passed, counted_by};

/// What was seen of one event.
#[derive(Clone, Debug)]
struct Look {
    /// Each document counts its own events.
    document: DocumentId,
    number: u64,
    /// For each filter.
    seen: Vec<FilterReading>,
}

/// What a filter says of an event.
#[derive(Clone, Debug)]
enum FilterReading {
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

impl<'w> PauseLoop<'w> {
    /// What a query counts, if it is a trace query.
    pub(super) fn trace(&self, query: usize) -> Option<&'w TracePlan> {
        match &self.setting.plan.queries.get(query)?.sought {
            Sought::Trace(trace) => Some(trace),
            _ => None,
        }
    }

    /// Whether the object of a query's events is the `this` of the frame in which they are.
    pub(super) fn is_received(&self, query: usize) -> bool {
        let event = self.trace(query).map(|trace| &trace.event);
        matches!(event, Some(Event::Call(_) | Event::Line(_)))
    }

    /// Hands the agent over the object of the event of `query` at which the page is paused, if only the debugger knows
    /// it.
    pub(super) async fn hand_over_receiver(
        &self,
        query: usize,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let Some(top) = frames.first().filter(|_| self.is_received(query)) else {
            return Ok(());
        };
        let expression = format!("{}E.receives(this)", self.setting.collection.prefix);
        match self.watcher.reader.json_in(top, &expression).await {
            Err(error) if error.is_fatal() => Err(error.into()),
            // Before `super` is called there is none.
            _ => Ok(()),
        }
    }

    /// The page is paused at the event `number` of `query` in `document`: looks at it, if it is to be looked at.
    pub(super) async fn look_at(
        &mut self,
        document: DocumentId,
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
                    problem.map_or(FilterReading::Objects(objects), FilterReading::Undecided)
                }
                Filter::MayAffect(_) => {
                    FilterReading::Stack(self.stack_of_event(query, frames).await?)
                }
            });
        }
        let looks = self.readings.traces.looks.entry(query).or_default();
        looks.push(Look {
            document,
            number,
            seen,
        });
        Ok(())
    }

    /// Whether a JavaScript expression is true in the newest frame. `oldValue` and `newValue` are those of a write.
    async fn holds(
        &self,
        expression: &str,
        frames: &[&Frame],
    ) -> Result<FilterReading, EngineError> {
        let Some(top) = frames.first() else {
            return Ok(FilterReading::Problem("it is in no frame".to_owned()));
        };
        let event = format!("{}E.event()", self.setting.collection.prefix);
        let asked = if expression.contains("oldValue") || expression.contains("newValue") {
            format!("((oldValue,newValue)=>(\n{expression}\n))({event}.old,{event}.value)")
        } else {
            format!("(\n{expression}\n)")
        };
        Ok(match self.watcher.reader.truth_in(*top, &asked).await? {
            Ok(holds) => FilterReading::Holds(holds),
            Err(Untold::Threw(why)) => {
                FilterReading::Undecided(format!("when({expression}): {why}"))
            }
            Err(untold) => FilterReading::Problem(format!("when({expression}): {untold}")),
        })
    }

    /// What tells the object of a reference from others, in the frames of the page as it is paused.
    async fn identity(
        &self,
        side: &Operand,
        frames: &[&Frame],
    ) -> Result<Result<String, String>, EngineError> {
        match frame_at(frames, side.frame) {
            Some(frame) => self.watcher.identity(side, frame.into()).await,
            None => Ok(Err(format!("there is no frame {}", side.frame))),
        }
    }

    /// The page is paused at a point: how many events there were, and what trace queries compare there.
    pub(super) async fn count_at(
        &mut self,
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
                let value = self.watcher.reader.json_in(top, &expression).await?;
                let results: BTreeMap<usize, QueryResult> = answered(&value)?;
                if let Some(count) = results.get(&slot.query).and_then(counted_by) {
                    let counts = &mut self.readings.traces.counts;
                    counts.insert((Moment::At(parent), slot.query), count);
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
                        let identities = &mut self.readings.traces.identities;
                        identities.insert((slot.query, number, is_right), identity);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Watcher<'_> {
    /// What tells the object of a reference from others, in a frame or in the document.
    async fn identity(
        &self,
        side: &Operand,
        place: Where<'_>,
    ) -> Result<Result<String, String>, EngineError> {
        let prefix = &self.setting.collection.prefix;
        let text = side.reference.to_string();
        let expression = match &side.reference.root {
            ReferenceRoot::EventObject => {
                let rest = text.strip_prefix(".owner").unwrap_or(&text);
                format!("{prefix}E.event().owner{rest}")
            }
            ReferenceRoot::Element(lookup) => {
                let rest = text.strip_prefix(&lookup.to_string()).unwrap_or_default();
                let lookup = serde_json::json!(agent_lookup(lookup));
                format!("{prefix}E.element({lookup}){rest}")
            }
            ReferenceRoot::This | ReferenceRoot::Variable(_) => text,
        };
        let reference = &side.reference;
        let object = match self.reader.argument_in(place, &expression).await? {
            Ok(object) => object,
            Err(Untold::Threw(why)) => {
                return Ok(Err(format!("{reference} has no value there: {why}")));
            }
            Err(untold) => return Ok(Err(format!("{reference}: {untold}"))),
        };
        let function = format!("(object)=>{prefix}E.identity(object)");
        let answer = self.reader.json_of_call(place, &function, &[object]).await;
        Ok(match answer {
            Ok(identity) => Ok(answered(&identity)?),
            Err(error) if error.is_fatal() => return Err(error.into()),
            Err(_) => Err(format!("{reference} has no value there")),
        })
    }

    /// Reads what trace queries compare at the end of the replay, at which the page is not paused.
    pub(super) async fn identities_at_end(&self) -> Result<(), EngineError> {
        let mut identities = Identities::new();
        for (query, planned) in self.setting.plan.queries.iter().enumerate() {
            let Sought::Trace(trace) = &planned.sought else {
                continue;
            };
            for (number, filter) in trace.filters.iter().enumerate() {
                let Filter::Sameness(left, right) = filter else {
                    continue;
                };
                for (side, is_right) in [(left, false), (right, true)] {
                    if side.at != Some(Parent::ReproductionPoint) {
                        continue;
                    }
                    let identity = match side.frame {
                        0 | -1 => self.identity(side, Where::Document(&self.tab)).await?,
                        frame => Err(format!("there is no frame {frame}")),
                    };
                    identities.insert((query, number, is_right), identity);
                }
            }
        }
        self.gathered.lock().identities_at_end = identities;
        Ok(())
    }
}

/// What was read for trace queries.
#[derive(Debug, Default)]
pub(super) struct TraceReadings {
    /// How many events there were at points where the page was paused.
    pub(super) counts: Counts,
    /// What the events were at which it was paused, by query.
    looks: BTreeMap<usize, Vec<Look>>,
    /// What references were at points.
    identities: Identities,
    /// The call stacks of points that events may affect, by query and filter.
    pub(super) stacks: BTreeMap<(usize, usize), PointStack>,
}

impl TraceReadings {
    /// What references were at the end of the replay.
    pub(super) fn add_at_end(&mut self, identities: Identities) {
        self.identities.extend(identities);
    }

    /// Which of the events that were `asked` to be looked at pass the filters of their queries, of those of the
    /// document that counts; nothing of a query for which that cannot be told yet. `is_sure`: functions on stacks were
    /// kept from being optimised, so that what was not in a frame was not there. Gives the queries and filters whose
    /// points' call stacks were read as well.
    pub(super) fn judged(
        mut self,
        asked: &BTreeMap<usize, EventRange>,
        counted: Option<DocumentId>,
        is_sure: bool,
    ) -> (Passed, BTreeSet<(usize, usize)>) {
        for looks in self.looks.values_mut() {
            looks.retain(|look| counted.is_none_or(|counted| look.document == counted));
        }
        let known = AtPoints {
            identities: self.identities,
            stacks: self.stacks,
            is_sure,
        };
        let passed = judged(asked, self.looks, &known);
        (passed, known.stacks.into_keys().collect())
    }
}

/// What tells the objects of references at points from others, by query, filter and side; or why it cannot be said.
pub(super) type Identities = BTreeMap<(usize, usize, bool), Result<String, String>>;

/// What is known of points, to which events are compared.
struct AtPoints {
    identities: Identities,
    /// Call stacks, by query and filter.
    stacks: BTreeMap<(usize, usize), PointStack>,
    /// Whether functions on stacks were kept from being optimised, so that what was not in a frame was not there.
    is_sure: bool,
}

/// Which of the events that were looked at pass the filters of their queries; nothing of a query for which that cannot
/// be told yet.
fn judged(
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
                FilterReading::Holds(holds) => passes &= holds,
                FilterReading::Undecided(problem) => {
                    passes = false;
                    undecided.get_or_insert(problem);
                }
                FilterReading::Problem(problem) => {
                    passes = false;
                    examined.problem.get_or_insert(problem);
                }
                FilterReading::Objects([left, right]) => {
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
                FilterReading::Stack(stack) => {
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

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    const QUERY: usize = 2;

    /// Two events were looked at, 3 and 4; the one filter said this of each.
    fn readings(of_three: FilterReading, of_four: FilterReading) -> TraceReadings {
        let looks = [(3, of_three), (4, of_four)].map(|(number, seen)| Look {
            document: DocumentId::from(1.0),
            number,
            seen: vec![seen],
        });
        TraceReadings {
            looks: BTreeMap::from([(QUERY, looks.to_vec())]),
            ..TraceReadings::default()
        }
    }

    fn asked() -> BTreeMap<usize, EventRange> {
        BTreeMap::from([(QUERY, EventRange { first: 3, last: 4 })])
    }

    fn examined(readings: TraceReadings) -> Option<(Vec<u64>, Option<String>)> {
        let (mut passed, _) = readings.judged(&asked(), None, true);
        let examined = passed.remove(&QUERY)?;
        Some((examined.passed, examined.problem))
    }

    #[test]
    fn the_events_pass_for_which_the_filters_hold() {
        let of = |three, four| {
            examined(readings(
                FilterReading::Holds(three),
                FilterReading::Holds(four),
            ))
        };
        assert_eq!(of(true, false), Some((vec![3], None)));
        assert_eq!(of(true, true), Some((vec![3, 4], None)));
        assert_eq!(of(false, false), Some((Vec::new(), None)));
        let none = examined(TraceReadings::default());
        assert_eq!(none, Some((Vec::new(), None)));
    }

    #[test]
    fn events_of_another_document_do_not_count() {
        let passed_in = |counted: f64| {
            let mut readings = readings(FilterReading::Holds(true), FilterReading::Holds(false));
            let looks = readings.looks.entry(QUERY).or_default();
            looks.push(Look {
                document: DocumentId::from(2.0),
                number: 4,
                seen: vec![FilterReading::Holds(true)],
            });
            let (mut passed, _) = readings.judged(&asked(), Some(DocumentId::from(counted)), true);
            passed.remove(&QUERY).map(|examined| examined.passed)
        };
        assert_eq!(passed_in(1.0), Some(vec![3]));
        assert_eq!(passed_in(2.0), Some(vec![4]));
    }

    #[test]
    fn what_cannot_be_evaluated_at_one_event_is_said_where_no_other_passes() {
        let undecided = || FilterReading::Undecided("x is not defined".to_owned());
        let other_passes = examined(readings(undecided(), FilterReading::Holds(true)));
        assert_eq!(other_passes, Some((vec![4], None)));
        let none_passes = examined(readings(undecided(), FilterReading::Holds(false)));
        assert_eq!(
            none_passes,
            Some((Vec::new(), Some("x is not defined".to_owned())))
        );
        let problem = FilterReading::Problem("it has side effects".to_owned());
        let anyway = examined(readings(problem, FilterReading::Holds(true)));
        assert_eq!(
            anyway,
            Some((vec![4], Some("it has side effects".to_owned())))
        );
    }

    #[test]
    fn an_object_is_compared_with_the_one_at_its_point() {
        let object = |identity: &str| FilterReading::Objects([Some(identity.to_owned()), None]);
        let with = |at_point: Option<Result<String, String>>| {
            let mut readings = readings(object("#1"), object("#2"));
            readings.identities = at_point
                .map(|identity| ((QUERY, 0, true), identity))
                .into_iter()
                .collect();
            examined(readings)
        };
        let same = with(Some(Ok("#2".to_owned())));
        assert_eq!(same, Some((vec![4], None)));
        let unknown = with(Some(Err("cart has no value there".to_owned())));
        let why = Some("cart has no value there".to_owned());
        assert_eq!(unknown, Some((Vec::new(), why)));
        // The point was not reached.
        assert_eq!(with(None), Some((Vec::new(), None)));
    }

    #[test]
    fn stacks_are_compared_once_that_of_the_point_is_read() {
        let stack = || FilterReading::Stack(EventStack::default());
        let unread = readings(stack(), stack());
        assert_eq!(examined(unread), None);
        let mut read = readings(stack(), stack());
        let at_point = PointStack::Known(Vec::new());
        read.stacks.insert((QUERY, 0), at_point);
        let (passed, stacks) = read.judged(&asked(), None, true);
        assert!(passed.contains_key(&QUERY));
        assert_eq!(stacks, BTreeSet::from([(QUERY, 0)]));
    }
}
