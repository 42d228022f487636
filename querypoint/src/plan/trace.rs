//! Trace queries: what is counted, between which points, and which of the events is meant.
//!
//! Every event of one kind has a number in its execution, from 1. How many there were when a point was reached says
//! which of them are before it; so `before` and `after` cost nothing but a look at a counter. What only a look at the
//! event itself can tell (`when`, `sameness`, `mayAffect`) is a [`Filter`], for which the page stops at each event that
//! may be meant. (*Querypoint Debugging*, section 3: trace queries.)

use crate::graph::Parent;
use crate::query::{Constraint, Event, GlobalReference, PointName, Reference, TraceQuery};

/// A trace query, ready to be counted.
#[derive(Clone, Debug, PartialEq)]
pub struct TracePlan {
    /// What is counted.
    pub event: Event,
    /// The points that it must be after.
    pub after: Vec<Parent>,
    /// The points that it must be before: without any, the execution goes on behind the reproduction point, to its end.
    pub before: Vec<Parent>,
    /// What else must hold.
    pub filters: Vec<Filter>,
    /// Which of the events: 0 the first, -1 the last.
    pub index: i64,
}

/// A moment at which it is known how many events there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// A point is reached.
    At(Parent),
    /// All that was recorded is done, and the page is idle.
    End,
}

/// How many events there were at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Up to then, the moment included.
    pub so_far: u64,
    /// Whether the last of them is that moment: it is neither before nor after itself.
    pub is_own: bool,
}

impl Count {
    /// How many there were before.
    #[must_use]
    pub fn before(self) -> u64 {
        self.so_far.saturating_sub(self.is_own.into())
    }
}

/// What only a look at the event itself can tell.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// This JavaScript expression is true there.
    When(String),
    /// Both are the same object.
    Sameness(Operand, Operand),
    /// It happened in a call that is under way at this point: see [`crate::resolution::may_affect`].
    MayAffect(Parent),
}

/// One side of a [`Filter::Sameness`].
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// At which point; `None`: at the event.
    pub at: Option<Parent>,
    /// In which frame: 0 the newest, -1 the oldest.
    pub frame: i32,
    /// Of what.
    pub reference: Reference,
}

/// Why a trace query cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unplannable {
    /// This version cannot, in words, and what to do instead.
    NotYet(&'static str, &'static str),
    /// A reference is to the object of an event that has none.
    NoObject,
}

impl TracePlan {
    /// Plans `query`; `parent` gives a point by its name, `may_be_later` says of one whether it may come after the
    /// reproduction point.
    pub(super) fn new(
        query: &TraceQuery,
        parent: &dyn Fn(&PointName) -> Parent,
        may_be_later: &dyn Fn(Parent) -> bool,
    ) -> Result<Self, Unplannable> {
        if matches!(query.event, Event::Branch(_)) {
            return Err(Unplannable::NotYet(
                "\"trace\" of conditions",
                "ask lastCondition, for the last one before a point",
            ));
        }
        let mut plan = Self {
            event: query.event.clone(),
            after: Vec::new(),
            before: Vec::new(),
            filters: Vec::new(),
            index: query.index.unwrap_or(-1),
        };
        for constraint in &query.constraints {
            match constraint {
                Constraint::Before(point) => plan.before.push(parent(point)),
                Constraint::After(point) => plan.after.push(parent(point)),
                Constraint::MayAffect(point) => {
                    plan.filters.push(Filter::MayAffect(parent(point)));
                }
                Constraint::Sameness(left, right)
                    if matches!(query.event, Event::Assign(_))
                        && (left.is_of_event() || right.is_of_event()) =>
                {
                    return Err(Unplannable::NoObject);
                }
                Constraint::Sameness(left, right) => plan.filters.push(Filter::Sameness(
                    Operand::new(left, parent),
                    Operand::new(right, parent),
                )),
                Constraint::When(expression) => {
                    plan.filters.push(Filter::When(expression.clone()));
                }
            }
        }
        let goes_on = plan.after.contains(&Parent::ReproductionPoint)
            || plan.points().into_iter().any(may_be_later)
            || plan.stacks().any(may_be_later);
        if !goes_on && !plan.before.contains(&Parent::ReproductionPoint) {
            plan.before.push(Parent::ReproductionPoint);
        }
        Ok(plan)
    }

    /// Whether the events may come after the reproduction point.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        !self.before.contains(&Parent::ReproductionPoint)
    }

    /// The points whose counts are needed, each once.
    #[must_use]
    pub fn points(&self) -> Vec<Parent> {
        let mut points: Vec<Parent> = Vec::new();
        for &point in self.before.iter().chain(&self.after) {
            if !points.contains(&point) {
                points.push(point);
            }
        }
        points
    }

    /// The points whose call stacks are compared with those of the events.
    pub fn stacks(&self) -> impl Iterator<Item = Parent> + '_ {
        self.filters.iter().filter_map(|filter| match filter {
            Filter::MayAffect(point) => Some(*point),
            Filter::When(_) | Filter::Sameness(..) => None,
        })
    }

    /// The numbers of the events between the points, given how many there were when each was reached; `None` if one was
    /// not.
    #[must_use]
    pub fn range(&self, count_at: &dyn Fn(Moment) -> Option<Count>) -> Option<EventRange> {
        let mut range = EventRange {
            first: 1,
            last: u64::MAX,
        };
        for &point in &self.after {
            let count = count_at(Moment::At(point))?;
            range.first = range.first.max(count.so_far.saturating_add(1));
        }
        for &point in &self.before {
            range.last = range.last.min(count_at(Moment::At(point))?.before());
        }
        if self.before.is_empty() {
            range.last = count_at(Moment::End)?.so_far;
        }
        Some(range)
    }
}

impl Operand {
    fn new(reference: &GlobalReference, parent: &dyn Fn(&PointName) -> Parent) -> Self {
        Self {
            at: (!reference.is_of_event())
                .then(|| parent(&reference.point_or_reproduction_point())),
            frame: reference.frame,
            reference: reference.reference.clone(),
        }
    }
}

/// Events by their numbers, `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRange {
    /// From 1.
    pub first: u64,
    /// Less than `first`: there is none.
    pub last: u64,
}

impl EventRange {
    /// How many there are.
    #[must_use]
    pub fn size(self) -> u64 {
        (self.last + 1).saturating_sub(self.first)
    }

    /// The number of the event that `index` means.
    #[must_use]
    pub fn at(self, index: i64) -> Option<u64> {
        Some(self.first + position(self.size(), index)?)
    }

    /// Those that are looked at one by one for what `index` means, where there are too many for all: from the end that
    /// it counts from.
    #[must_use]
    pub fn nearest(self, index: i64, most: u64) -> Self {
        let size = self.size().min(most);
        match index {
            0.. => Self {
                last: (self.first + size).saturating_sub(1),
                ..self
            },
            _ => Self {
                first: (self.last + 1).saturating_sub(size).max(self.first),
                ..self
            },
        }
    }
}

/// Where `index` is in a list of `size`: 0 the first, -1 the last.
#[must_use]
pub fn position(size: u64, index: i64) -> Option<u64> {
    match u64::try_from(index) {
        Ok(index) => (index < size).then_some(index),
        Err(_) => size.checked_sub(index.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Query, QueryKind};

    fn plan(text: &str) -> Result<TracePlan, Unplannable> {
        let QueryKind::Trace(query) = Query::parse(text).unwrap().kind else {
            panic!("a trace query was to be given");
        };
        let parent = |point: &PointName| match point.as_str() {
            "R" => Parent::ReproductionPoint,
            "A" => Parent::Query(0),
            "Late" => Parent::Query(2),
            _ => Parent::Query(1),
        };
        TracePlan::new(&query, &parent, &|point| point == Parent::Query(2))
    }

    fn count(so_far: u64) -> Option<Count> {
        Some(Count {
            so_far,
            is_own: false,
        })
    }

    #[test]
    fn events_between_points() {
        let plan = plan("trace(call(f), after(A), before(B), index 1)").unwrap();
        assert_eq!(
            plan.points(),
            [
                Parent::Query(1),
                Parent::ReproductionPoint,
                Parent::Query(0)
            ]
        );
        let counts = |moment| {
            count(match moment {
                Moment::At(Parent::Query(0)) => 3,
                Moment::At(Parent::Query(_)) => 7,
                Moment::At(Parent::ReproductionPoint) => 9,
                Moment::End => 12,
            })
        };
        let range = plan.range(&counts).unwrap();
        assert_eq!((range.first, range.last, range.size()), (4, 7, 4));
        assert_eq!(range.at(plan.index), Some(5));
        assert_eq!(range.at(-1), Some(7));
        assert_eq!(range.at(4), None);
        assert_eq!(range.at(-5), None);
        assert_eq!(plan.range(&|_| None), None);
    }

    #[test]
    fn what_comes_after_the_reproduction_point_goes_on_to_the_end() {
        let counts = |moment| {
            count(match moment {
                Moment::At(Parent::ReproductionPoint) => 9,
                Moment::At(Parent::Query(2)) => 11,
                Moment::At(_) => 7,
                Moment::End => 12,
            })
        };
        for (text, first, last) in [
            ("trace(call(f), after(R))", 10, 12),
            ("trace(call(f), after(R), before(Late))", 10, 11),
            ("trace(call(f), after(R), after(Late))", 12, 12),
            ("trace(call(f), before(Late))", 1, 11),
            ("trace(call(f), after(R), before(R))", 10, 9),
        ] {
            let plan = plan(text).unwrap();
            let range = plan.range(&counts).unwrap();
            assert_eq!((range.first, range.last), (first, last), "{text}");
            assert_eq!(plan.goes_on(), !text.contains("before(R)"), "{text}");
        }
        assert!(!plan("trace(call(f), after(A))").unwrap().goes_on());
    }

    #[test]
    fn a_point_is_neither_before_nor_after_itself() {
        let own = |_| {
            Some(Count {
                so_far: 4,
                is_own: true,
            })
        };
        let range = |text| plan(text).unwrap().range(&own).unwrap();
        assert_eq!(range("trace(call(f), before(A))").last, 3);
        assert_eq!(range("trace(call(f), after(A))").first, 5);
    }

    #[test]
    fn points_the_wrong_way_round_have_nothing_between_them() {
        let range = EventRange { first: 8, last: 3 };
        assert_eq!(range.size(), 0);
        assert_eq!(range.at(0), None);
        assert_eq!(range.at(-1), None);
        assert_eq!(EventRange { first: 1, last: 0 }.size(), 0);
    }

    #[test]
    fn too_many_are_looked_at_from_the_end_that_counts() {
        let range = EventRange {
            first: 11,
            last: 100,
        };
        let nearest = |index| {
            let near = range.nearest(index, 5);
            (near.first, near.last)
        };
        assert_eq!(nearest(-1), (96, 100));
        assert_eq!(nearest(0), (11, 15));
        assert_eq!(range.nearest(0, 1000), range);
    }

    #[test]
    fn the_event_side_begins_with_a_point() {
        let plan = plan("trace(write(.x), sameness(.owner, A:o), when(newValue > 1))").unwrap();
        let Filter::Sameness(left, right) = &plan.filters[0] else {
            panic!("sameness comes first");
        };
        assert_eq!((left.at, right.at), (None, Some(Parent::Query(0))));
        assert_eq!(plan.filters[1], Filter::When("newValue > 1".to_owned()));
        assert_eq!(plan.index, -1);
    }

    #[test]
    fn stacks_are_compared_with_those_of_points() {
        let early = plan("trace(call(f), mayAffect(A), mayAffect(R))").unwrap();
        let stacks: Vec<Parent> = early.stacks().collect();
        assert_eq!(stacks, [Parent::Query(0), Parent::ReproductionPoint]);
        // That says nothing of when the event is.
        assert_eq!(early.points(), [Parent::ReproductionPoint]);
        assert!(!early.goes_on());
        assert!(plan("trace(call(f), mayAffect(Late))").unwrap().goes_on());
    }

    #[test]
    fn what_cannot_be_planned_says_what_to_do() {
        let Err(Unplannable::NotYet(what, help)) = plan("trace(branch(R))") else {
            panic!("conditions were planned");
        };
        assert!(!what.is_empty() && !help.is_empty());
    }
}
