//! The schedule: which data must be kept at which event, and what each execution is for, as both follow from a plan
//! (*Querypoint Debugging*, the algorithm of collecting).
//!
//! A query is asked at a point; so at each event that can be this point something must be looked up: the object or the
//! activation that is meant, and with it the last event that concerns it. Where the page has a hook it looks up by
//! itself, and what it finds is kept with the event: so a chain of any length is found in one execution. Other frames
//! than the newest, and what an exception leaves, only a debugger sees, at a stop: that is one execution later. Of a
//! trace query only a number is kept, how many events there were; which of them is meant is known only then. Whose call
//! stack matters (`mayAffect`) the debugger says at the point; the functions on it number their calls from then on.
//!
//! [`Schedule::new`] goes through the executions as they follow one another if nothing unforeseen is learned.
//! [`Further`] says what makes more of them.

use std::collections::BTreeSet;

use crate::graph::Parent;
use crate::plan::{CollectionPlan, PlannedQuery, Sought};
use crate::point::ReproductionPoint;
use crate::query::{Event, Target};

/// What follows from a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// What is looked up, in the order of the queries: for a trace query at each point that it names, for any other at
    /// its parent.
    pub look_ups: Vec<LookUp>,
    /// The executions, if nothing unforeseen is learned.
    pub executions: Vec<Execution>,
    /// Whether the last of them is not needed where the one before it has read ahead all that is asked.
    pub may_spare_last: bool,
    /// What makes more of them.
    pub further: Vec<Further>,
}

/// What is looked up at a point, or at each event that can be it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookUp {
    /// The query that needs it, by index.
    pub query: usize,
    /// The point.
    pub at: Parent,
    /// The frame there: 0 the newest, -1 the oldest.
    pub frame: i32,
    /// Who looks.
    pub by: Looker,
    /// What is evaluated: the reference to an owner, a variable; none of a condition or an exception.
    pub references: Vec<String>,
    /// What is then looked for, in words.
    pub seeks: String,
}

/// Who looks something up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Looker {
    /// The page itself, in the hook.
    Page,
    /// The debugger, while the page is paused there.
    Debugger,
}

/// One execution of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// Queries whose event becomes known in it.
    pub finds: Vec<usize>,
    /// Queries of which it learns the name of the property that is meant: the next one has hooks for it.
    pub learns: Vec<usize>,
    /// Trace queries of which it looks at each event that may be meant.
    pub examines: Vec<usize>,
    /// Where the page is paused and everything is read: the reproduction point and the points of queries. Empty for
    /// one that only finds.
    pub reads: Vec<Parent>,
}

/// What makes further executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Further {
    /// A property is an accessor: what its getter reads is hooked.
    Getter,
    /// A write had no effect, or a value changed unseen: the exact events are read instead.
    Unseen,
    /// A built-in made a change on which a question hangs: the debugger looks it up.
    BuiltIn,
    /// A function has no condition before the point: those of its callers are hooked.
    ConditionInCaller,
    /// The function has no `try` block around the point: those of its callers are hooked.
    TryInCaller,
    /// Executions differ: one more is tried; then, in another, the page captures everything itself.
    Differ,
}

impl Further {
    /// When, and what is done then.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Getter => {
                "the property has a getter: what it reads is hooked, and the search begins again"
            }
            Self::Unseen => {
                "a write turns out to have had no effect: the one before it is read instead"
            }
            Self::BuiltIn => {
                "a built-in made a change that a question depends on: the debugger looks it up in the caller"
            }
            Self::ConditionInCaller => {
                "no condition of the function decides: those of its callers are hooked, and the page runs twice more"
            }
            Self::TryInCaller => {
                "the function has no try block around the point: those of its callers are hooked, and the page runs \
                 twice more"
            }
            Self::Differ => {
                "executions differ: one more is tried; then, in another, the page captures everything itself"
            }
        }
    }
}

impl Schedule {
    /// What follows from `plan`, asked at the reproduction point `at`.
    #[must_use]
    pub fn new(plan: &CollectionPlan, at: &ReproductionPoint) -> Self {
        let look_ups: Vec<LookUp> = plan
            .queries
            .iter()
            .flat_map(|query| look_ups(plan, at, query))
            .collect();
        Self {
            executions: Course::new(plan, at, &look_ups).run(),
            may_spare_last: plan.may_read_ahead(),
            further: further(plan),
            look_ups,
        }
    }

    /// What is looked up at a point, for the queries that are asked at it.
    pub fn at(&self, point: Parent) -> impl Iterator<Item = &LookUp> {
        self.look_ups
            .iter()
            .filter(move |look_up| look_up.at == point)
    }

    /// The number, from 1, of the execution in which a query's event becomes known, and of that in which its point is
    /// read.
    #[must_use]
    pub fn when(&self, query: usize) -> (usize, usize) {
        let number = |is_it: &dyn Fn(&Execution) -> bool| {
            // The last: an execution that had to learn something is done again.
            self.executions
                .iter()
                .rposition(is_it)
                .map_or(0, |at| at + 1)
        };
        (
            number(&|execution| execution.finds.contains(&query)),
            number(&|execution| execution.reads.contains(&Parent::Query(query))),
        )
    }
}

fn look_ups(plan: &CollectionPlan, at: &ReproductionPoint, query: &PlannedQuery) -> Vec<LookUp> {
    let (points, references, seeks) = match &query.sought {
        Sought::Change(target) => {
            let (references, seeks) = of_change(target);
            (vec![query.parent], references, seeks)
        }
        Sought::Condition => (
            vec![query.parent],
            Vec::new(),
            "the last outcome of the conditions on which it depends whether the point is reached"
                .to_owned(),
        ),
        Sought::Exception => (
            vec![query.parent],
            Vec::new(),
            "the try block around, and which time it was entered".to_owned(),
        ),
        Sought::Trace(trace) => (trace.points(), Vec::new(), how_many(&trace.event)),
    };
    let stacks = match &query.sought {
        Sought::Trace(trace) => trace.stacks().collect(),
        _ => Vec::new(),
    };
    let stacks = stacks.into_iter().map(|point| LookUp {
        query: query.index,
        at: point,
        frame: 0,
        by: Looker::Debugger,
        references: Vec::new(),
        seeks: "the stack: which call of each function".to_owned(),
    });
    let looked_up = |point: Parent| LookUp {
        query: query.index,
        at: point,
        frame: query.frame,
        by: if has_hook(plan, at, point) && query.frame == 0 && query.sought != Sought::Exception {
            Looker::Page
        } else {
            Looker::Debugger
        },
        references: references.clone(),
        seeks: seeks.clone(),
    };
    points.into_iter().map(looked_up).chain(stacks).collect()
}

/// Whether the page itself knows that it reaches a point, and can look something up there.
fn has_hook(plan: &CollectionPlan, at: &ReproductionPoint, point: Parent) -> bool {
    match point {
        Parent::ReproductionPoint => matches!(at, ReproductionPoint::Location { .. }),
        Parent::Query(query) => plan
            .queries
            .get(query)
            .is_some_and(|query| matches!(query.sought, Sought::Change(_) | Sought::Condition)),
    }
}

fn how_many(event: &Event) -> String {
    match event {
        Event::Line(line) => format!("how often {line} was reached"),
        Event::Call(name) => format!("how often {name} was called"),
        Event::Return(name) => format!("how often {name} returned"),
        Event::Write(key) => format!("how often a {key} was written"),
        Event::Assign(name) => format!("how often a {name} was written"),
        Event::Create(name) => format!("how many {name} were created"),
        Event::Throw(_) => "how many exceptions were thrown".to_owned(),
        Event::Branch(_) => "how many conditions were evaluated".to_owned(),
    }
}

fn of_change(target: &Target) -> (Vec<String>, String) {
    match target {
        Target::Variable { name } => (vec![name.clone()], "the last write to it".to_owned()),
        Target::Property { owner, key } => (
            vec![owner.to_string()],
            format!("the last write to its {key}"),
        ),
        Target::ComputedProperty { owner, variable } => (
            vec![owner.to_string(), variable.clone()],
            format!("the last write to the property that {variable} names"),
        ),
        Target::MapEntry { owner, key } => (
            vec![owner.to_string()],
            format!("the last change of its entry {key}"),
        ),
        Target::SetMember { owner, key } => (
            vec![owner.to_string()],
            format!("the last change of its member {key}"),
        ),
        Target::Unchangeable => (Vec::new(), String::new()),
    }
}

fn further(plan: &CollectionPlan) -> Vec<Further> {
    let mut further = BTreeSet::from([Further::Differ]);
    for query in &plan.queries {
        match &query.sought {
            Sought::Condition => {
                further.insert(Further::ConditionInCaller);
            }
            Sought::Exception => {
                further.insert(Further::TryInCaller);
            }
            Sought::Trace(_) => {}
            Sought::Change(target) => {
                further.insert(Further::Unseen);
                if matches!(
                    target,
                    Target::Property { .. } | Target::ComputedProperty { .. }
                ) {
                    further.insert(Further::Getter);
                }
                let is_variable = matches!(target, Target::Variable { .. });
                if !is_variable && !query.children.is_empty() {
                    further.insert(Further::BuiltIn);
                }
            }
        }
    }
    further.into_iter().collect()
}

/// The executions, gone through without a page.
struct Course<'plan> {
    plan: &'plan CollectionPlan,
    look_ups: &'plan [LookUp],
    /// Whether the first execution already is at the reproduction point.
    pauses_at_once: bool,
    executions: Vec<Execution>,
    /// Properties whose names are known by now.
    named: BTreeSet<usize>,
}

/// What is known within one round.
#[derive(Default)]
struct Known {
    /// Queries whose event is known.
    events: BTreeSet<usize>,
    /// Trace queries of which it is known how many events there were, and not yet which of them fit.
    counted: BTreeSet<usize>,
}

impl<'plan> Course<'plan> {
    fn new(plan: &'plan CollectionPlan, at: &ReproductionPoint, look_ups: &'plan [LookUp]) -> Self {
        Self {
            plan,
            look_ups,
            pauses_at_once: !matches!(at, ReproductionPoint::Location { .. }),
            executions: Vec::new(),
            named: BTreeSet::new(),
        }
    }

    fn run(mut self) -> Vec<Execution> {
        // Each round but the last learns the name of at least one property.
        while self.round() {}
        self.executions
    }

    /// Finds and reads. Whether it must begin again, with hooks for what it has learned.
    fn round(&mut self) -> bool {
        let mut known = Known::default();
        let stops = self.pauses_at_once.then_some(Parent::ReproductionPoint);
        if self.execute(&mut known, stops.into_iter().collect(), false) {
            return true;
        }
        loop {
            let stops: BTreeSet<Parent> = std::iter::once(Parent::ReproductionPoint)
                .chain(known.events.iter().map(|&query| Parent::Query(query)))
                .collect();
            if self.execute(&mut known, stops, true) {
                return true;
            }
            let is_read = |query: &usize| {
                self.executions
                    .last()
                    .is_some_and(|execution| execution.reads.contains(&Parent::Query(*query)))
            };
            if known.counted.is_empty() && known.events.iter().all(is_read) {
                return false;
            }
        }
    }

    /// One execution that stops at `stops`. Whether it learned a name.
    fn execute(&mut self, known: &mut Known, mut stops: BTreeSet<Parent>, reads: bool) -> bool {
        let mut execution = Execution::default();
        let counted_before = known.counted.clone();
        for query in &self.plan.queries {
            let index = query.index;
            let is_resolved = |look_up: &LookUp| match (look_up.by, look_up.at) {
                (Looker::Debugger, at) => stops.contains(&at),
                (Looker::Page, Parent::ReproductionPoint) => true,
                (Looker::Page, Parent::Query(parent)) => known.events.contains(&parent),
            };
            let mut own = self.look_ups.iter().filter(|own| own.query == index);
            // Calls are numbered once it is known of which functions: from the first execution that reads.
            let has_stacks = match &query.sought {
                Sought::Trace(trace) => reads || trace.stacks().next().is_none(),
                _ => true,
            };
            if known.events.contains(&index) || !has_stacks || !own.all(is_resolved) {
                continue;
            }
            match &query.sought {
                Sought::Change(Target::ComputedProperty { .. }) if !self.named.contains(&index) => {
                    execution.learns.push(index);
                    continue;
                }
                // The page stops at the exception at once.
                Sought::Exception => {
                    stops.insert(Parent::Query(index));
                }
                Sought::Trace(trace) if !trace.filters.is_empty() => {
                    if !counted_before.contains(&index) {
                        known.counted.insert(index);
                        continue;
                    }
                    known.counted.remove(&index);
                    execution.examines.push(index);
                }
                _ => {}
            }
            known.events.insert(index);
            execution.finds.push(index);
        }
        if reads {
            execution.reads = stops.into_iter().collect();
        }
        let has_learned = !execution.learns.is_empty();
        self.named.extend(&execution.learns);
        self.executions.push(execution);
        has_learned
    }
}

#[cfg(test)]
mod tests;
