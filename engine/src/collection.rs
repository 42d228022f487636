//! What a plan means for the two that carry it out: the rewriter (which names, which references) and the agent
//! (which slots, which queries).

mod translation;

pub(crate) use translation::agent_lookup;

use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::rewrite::{
    Capture, Dependent, Instrumentation, RequestedPoint, TracedEvent, TracedKind, Watch,
    WatchedName, WatchedTarget,
};
use querypoint::graph::Parent;
use querypoint::plan::{CollectionPlan, PlannedQuery, Sought};
use querypoint::query::Event;

use super::built_ins;
use agent::{AgentConfig, AgentQuery, AgentSlot};

/// Which sites get hooks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instrument {
    /// Those that the queries need.
    #[default]
    Query,
    /// All of them; the others stay dormant.
    Standby,
    /// All of them, and each write leaves in a shadow where it was and in which task: any last writer is read at the
    /// reproduction point, whatever is asked.
    Live,
}

/// A call (or, where it is the newest frame, any point) in a text of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPlace {
    /// The text's address.
    pub url: String,
    /// Where it begins in the author's text.
    pub at: ByteOffset,
}

/// A query that asks for conditions.
#[derive(Clone, Debug)]
pub(super) struct ConditionQuery {
    pub(super) query: usize,
    /// Its number among the watched names.
    pub(super) slot: usize,
    /// Its reference's number among the dependents.
    pub(super) dependent: usize,
    pub(super) parent: Parent,
}

/// A query that counts events.
#[derive(Clone, Debug)]
pub(super) struct TraceSlot {
    pub(super) query: usize,
    /// Its number among the watched names.
    pub(super) slot: usize,
    pub(super) event: Event,
}

/// A query that asks for an exception.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExceptionQuery {
    pub(super) query: usize,
    pub(super) parent: Parent,
}

/// What executions have found out must be watched besides what the plan names.
#[derive(Clone, Debug, Default)]
pub struct Refinements {
    names: Vec<(usize, WatchedTarget)>,
    /// Calls under way at a point whose last condition is asked, `try` blocks around a point after which an exception
    /// is asked for, and functions on the stack of a point that events may affect, with the query's number.
    calls: Vec<(usize, CallPlace)>,
    /// Whether dormant hooks are not enough.
    wakes: bool,
    /// Whether every plain function says what it reads, because a getter calls one.
    opens: bool,
}

impl Refinements {
    /// Adds a name that the query's answer hangs on; whether that is new.
    pub(super) fn add(&mut self, query: usize, target: WatchedTarget) -> bool {
        let entry = (query, target);
        let is_new = !self.names.contains(&entry);
        if is_new {
            self.names.push(entry);
        }
        is_new
    }

    /// Adds a call before which the query asks for conditions, a `try` block, or a function; whether that is new.
    pub(super) fn add_call(&mut self, query: usize, call: CallPlace) -> bool {
        let entry = (query, call);
        let is_new = !self.calls.contains(&entry);
        if is_new {
            self.calls.push(entry);
        }
        is_new
    }

    /// What [`Refinements::add_call`] was given.
    pub(super) fn calls(&self) -> impl Iterator<Item = &CallPlace> {
        self.calls.iter().map(|(_, call)| call)
    }

    /// Says that what is asked needs hooks of its own; whether that is new.
    pub(super) fn wake(&mut self) -> bool {
        !std::mem::replace(&mut self.wakes, true)
    }

    /// Says that a getter that is asked calls functions; whether that is new.
    pub(super) fn open(&mut self) -> bool {
        !std::mem::replace(&mut self.opens, true)
    }
}

/// The points at which something is looked up for a query.
fn points_of(query: &PlannedQuery) -> Vec<Parent> {
    match &query.sought {
        Sought::Trace(trace) => trace.points(),
        _ => vec![query.parent],
    }
}

/// A plan, translated.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Prefix of all names that are put into the page.
    pub prefix: String,
    watch: Vec<WatchedName>,
    dependents: Vec<Dependent>,
    slots: Vec<AgentSlot>,
    roots: Vec<AgentQuery>,
    /// Which dependents are asked at the reproduction point.
    pub root_dependents: Vec<usize>,
    watches: Vec<String>,
    instrument: Instrument,
    queries: Vec<AgentQuery>,
    frames: Vec<i32>,
    /// The watched names of each query.
    own_slots: Vec<Vec<usize>>,
    conditions: Vec<ConditionQuery>,
    exceptions: Vec<ExceptionQuery>,
    traces: Vec<TraceSlot>,
    calls: Vec<(usize, CallPlace)>,
    /// Whether every plain function says what it reads.
    opens: bool,
}

impl Collection {
    /// Translates `plan`; `prefix` goes before every introduced name.
    #[must_use]
    pub fn new(plan: &CollectionPlan, prefix: &str, instrument: Instrument) -> Self {
        Self::with(plan, prefix, instrument, &Refinements::default())
    }

    /// [`Collection::new`], with what earlier executions have `refinements`.
    #[must_use]
    pub fn with(
        plan: &CollectionPlan,
        prefix: &str,
        instrument: Instrument,
        refinements: &Refinements,
    ) -> Self {
        let instrument = if refinements.wakes {
            Instrument::Query
        } else {
            instrument
        };
        let mut collection = Self {
            prefix: prefix.to_owned(),
            watch: Vec::new(),
            dependents: Vec::new(),
            slots: Vec::new(),
            roots: Vec::new(),
            root_dependents: Vec::new(),
            watches: plan.watches.clone(),
            instrument,
            queries: Vec::new(),
            frames: plan.queries.iter().map(|query| query.frame).collect(),
            own_slots: Vec::new(),
            conditions: Vec::new(),
            exceptions: Vec::new(),
            traces: Vec::new(),
            calls: refinements.calls.clone(),
            opens: refinements.opens,
        };
        let mut own_slots = Vec::new();
        for query in &plan.queries {
            let (agent, mut slots) = collection.translate(query);
            for (_, target) in refinements
                .names
                .iter()
                .filter(|(of, _)| *of == query.index)
            {
                let slot = collection.slot(target.clone());
                if matches!(target, WatchedTarget::Entries(_)) {
                    collection.slots[slot].all_keys = true;
                }
                slots.push(slot);
                if let WatchedTarget::Variable(name) = target {
                    slots.push(collection.slot(WatchedTarget::Property(name.clone())));
                }
            }
            slots.sort_unstable();
            slots.dedup();
            collection.queries.push(agent);
            own_slots.push(slots);
        }
        for query in &plan.queries {
            for point in points_of(query) {
                if let Parent::Query(point) = point
                    && let Some(agent) = collection.queries.get_mut(point)
                {
                    agent.asked_there.push(query.index);
                }
            }
        }
        for (index, query) in plan.queries.iter().enumerate() {
            let agent = collection.queries[index].clone();
            if matches!(query.sought, Sought::Trace(_)) {
                // How many there were is asked at every point that it names.
                for point in points_of(query) {
                    match point {
                        Parent::ReproductionPoint => collection.roots.push(agent.clone()),
                        Parent::Query(point) => {
                            for &slot in own_slots.get(point).into_iter().flatten() {
                                collection.slots[slot].asked_there.push(agent.clone());
                            }
                        }
                    }
                }
                continue;
            }
            match query.parent {
                Parent::ReproductionPoint => {
                    collection.root_dependents.extend(&agent.dependents);
                    collection.roots.push(agent);
                }
                Parent::Query(parent) => {
                    for &slot in &own_slots[index] {
                        collection.slots[slot].is_asked_there = true;
                    }
                    for &slot in own_slots.get(parent).into_iter().flatten() {
                        collection.slots[slot].asked_there.push(agent.clone());
                        collection.watch[slot].dependents.extend(&agent.dependents);
                    }
                }
            }
        }
        collection.own_slots = own_slots;
        if instrument == Instrument::Live {
            collection.leave_last_writers();
        }
        collection
    }

    /// Leaves what shadows can answer: last changes, asked at the reproduction point.
    fn leave_last_writers(&mut self) {
        self.conditions.clear();
        self.exceptions.clear();
        self.traces.clear();
        self.calls.clear();
        self.roots.retain(|root| !root.condition && !root.events);
    }

    /// What the rewriter does with one script.
    #[must_use]
    pub fn instrumentation(
        &self,
        script: u32,
        first_site: u32,
        capture: bool,
        points: Vec<RequestedPoint>,
    ) -> Instrumentation {
        let watch = match self.instrument {
            Instrument::Live if !capture => Watch::Live,
            // Capture needs what only a known question hands over; and variables of single calls have no dormant
            // hooks.
            Instrument::Standby
                if !capture
                    && self.dependents_of_points().is_empty()
                    && self.conditions.is_empty()
                    && self.exceptions.is_empty()
                    && self.traces.is_empty()
                    && !self.watches_variable() =>
            {
                Watch::Standby
            }
            _ => Watch::Names(self.watch.clone()),
        };
        Instrumentation {
            prefix: self.prefix.clone(),
            script,
            first_site,
            watch,
            dependents: self.dependents.clone(),
            capture: capture.then(|| Capture {
                watches: self.watches.clone(),
            }),
            points,
            called: match self.instrument {
                Instrument::Live => Vec::new(),
                _ => built_ins::called(&self.slots),
            },
            links_modules: !matches!(self.instrument, Instrument::Standby)
                || self.watches_variable(),
            in_document: false,
            outer: None,
            conditions: Vec::new(),
            try_blocks: Vec::new(),
            activations: Vec::new(),
            traced: self.traced_events(),
            traced_variables: self.traced_variables(),
            opens_functions: self.opens,
        }
    }

    fn traced_events(&self) -> Vec<TracedEvent> {
        let traced = self.traces.iter().filter_map(|trace| {
            let (kind, name) = match &trace.event {
                Event::Call(name) => (TracedKind::Call, name),
                Event::Return(name) => (TracedKind::Return, name),
                Event::Create(name) => (TracedKind::Creation, name),
                _ => return None,
            };
            Some(TracedEvent {
                kind,
                name: name.clone(),
                slot: trace.slot,
            })
        });
        traced.collect()
    }

    fn traced_variables(&self) -> Vec<usize> {
        let slots = self.slots.iter().enumerate();
        slots
            .filter(|(_, slot)| {
                let is_asked = slot.asked_there.iter().any(|query| query.events);
                slot.kind == "variable" && (!slot.traced.is_empty() || is_asked)
            })
            .map(|(index, _)| index)
            .collect()
    }

    /// The queries that count events.
    pub(super) fn traces(&self) -> &[TraceSlot] {
        &self.traces
    }

    /// Whether a query counts exceptions.
    pub(super) fn counts_exceptions(&self) -> bool {
        let is_throw = |trace: &TraceSlot| matches!(trace.event, Event::Throw(_));
        self.traces.iter().any(is_throw)
    }

    /// The queries that ask for exceptions.
    pub(super) fn exception_queries(&self) -> &[ExceptionQuery] {
        &self.exceptions
    }

    /// The queries that ask for conditions, parents first.
    pub(super) fn condition_queries(&self) -> &[ConditionQuery] {
        &self.conditions
    }

    /// A query as the agent is asked it.
    pub(super) fn agent_query(&self, query: usize) -> Option<&AgentQuery> {
        self.queries.get(query)
    }

    /// The calls of a text before which a query asks for conditions, the `try` blocks of one that asks for an
    /// exception, or the functions of a trace query whose calls are numbered.
    pub(super) fn calls_in<'a>(
        &'a self,
        query: usize,
        url: &'a str,
    ) -> impl Iterator<Item = ByteOffset> + 'a {
        let calls = self.calls.iter();
        calls
            .filter(move |(of, call)| *of == query && call.url == url)
            .map(|(_, call)| call.at)
    }

    /// [`Collection::calls_in`] the script that is at a place of a text, as offsets of the script.
    pub(super) fn calls_in_script(
        &self,
        query: usize,
        in_text: Option<(&str, ByteSpan)>,
    ) -> Vec<ByteOffset> {
        let Some((url, span)) = in_text else {
            return Vec::new();
        };
        self.calls_in(query, url)
            .filter(|at| span.start <= *at && *at < span.end)
            .map(|at| ByteOffset(at.0 - span.start.0))
            .collect()
    }

    /// What a query watches, with nothing that hangs on it.
    pub(super) fn watched_by(&self, query: usize) -> Vec<WatchedName> {
        let slots = self.own_slots.get(query).into_iter().flatten();
        slots
            .map(|&slot| WatchedName {
                target: self.watch[slot].target.clone(),
                dependents: Vec::new(),
            })
            .collect()
    }

    /// How many queries there are.
    pub(super) fn query_count(&self) -> usize {
        self.queries.len()
    }

    /// What a query watches or counts writes of, with nothing that hangs on it; and the names of the built-ins that can
    /// write it.
    pub(super) fn written_for(&self, query: usize) -> (Vec<WatchedName>, Vec<String>) {
        let counted = self.traces.iter().find(|trace| trace.query == query);
        let is_counted =
            |slot: &AgentSlot| counted.is_some_and(|trace| slot.traced.contains(&trace.slot));
        let own = self.own_slots.get(query);
        let is_own = |number: usize| own.is_some_and(|own| own.contains(&number));
        let numbered = self.slots.iter().zip(&self.watch).enumerate();
        let (slots, watched): (Vec<AgentSlot>, Vec<WatchedName>) = numbered
            .filter(|(number, (slot, _))| is_own(*number) || is_counted(slot))
            .map(|(_, (slot, watched))| {
                let alone = WatchedName {
                    target: watched.target.clone(),
                    dependents: Vec::new(),
                };
                (slot.clone(), alone)
            })
            .unzip();
        let called = built_ins::called(&slots);
        (watched, called)
    }

    /// Whether hooks that no query needs are placed too, and only those that may lie dormant.
    #[must_use]
    pub fn is_standby(&self) -> bool {
        self.instrument == Instrument::Standby
    }

    /// Whether any last writer is read from shadows.
    pub(super) fn is_live(&self) -> bool {
        self.instrument == Instrument::Live
    }

    fn watches_variable(&self) -> bool {
        let is_variable =
            |watched: &WatchedName| matches!(watched.target, WatchedTarget::Variable(_));
        self.watch.iter().any(is_variable)
    }

    fn dependents_of_points(&self) -> Vec<usize> {
        self.watch
            .iter()
            .flat_map(|watched| watched.dependents.iter().copied())
            .collect()
    }

    /// The agent's configuration before anything about this execution is added.
    #[must_use]
    pub fn agent_config(&self) -> AgentConfig {
        let is_live = self.instrument == Instrument::Live;
        AgentConfig {
            armed: true,
            slots: if is_live {
                Vec::new()
            } else {
                self.slots.clone()
            },
            shadows: is_live,
            roots: self.roots.clone(),
            hit: -1,
            ..AgentConfig::default()
        }
    }

    /// The queries for properties that are asked at `parent`, with their frames.
    pub(super) fn property_queries<'a>(
        &'a self,
        plan: &'a CollectionPlan,
        parent: Parent,
    ) -> impl Iterator<Item = (&'a AgentQuery, i32)> + 'a {
        let asked = plan
            .queries
            .iter()
            .filter(move |query| query.parent == parent);
        asked
            .filter_map(|query| {
                let frame = self.frames.get(query.index)?;
                Some((self.queries.get(query.index)?, *frame))
            })
            .filter(|(query, _)| {
                !query.in_frames && !query.variable && !query.condition && !query.events
            })
    }

    /// Whether a query is asked in a frame that only a debugger can reach.
    pub fn is_late(&self, query: usize) -> bool {
        self.queries
            .get(query)
            .is_some_and(|query| query.late || query.in_frames)
    }

    /// The queries asked at the reproduction point (`None`) or at another query's point that only a debugger can
    /// resolve: (query, frame). After a built-in wrote (`by_built_in`) that is all that begins in a frame; at an event
    /// that is only counted, and at an exception, it is all.
    pub fn late_queries<'a>(
        &'a self,
        plan: &'a CollectionPlan,
        parent: Parent,
        by_built_in: bool,
    ) -> impl Iterator<Item = (&'a AgentQuery, i32)> + 'a {
        let is_counted = match parent {
            Parent::ReproductionPoint => false,
            Parent::Query(query) => {
                let mut exceptions = self.exceptions.iter();
                self.traces.iter().any(|trace| trace.query == query)
                    || exceptions.any(|exception| exception.query == query)
            }
        };
        plan.queries
            .iter()
            .filter(move |query| query.parent == parent)
            .filter_map(|query| {
                self.queries
                    .get(query.index)
                    .zip(self.frames.get(query.index))
            })
            .filter(move |(query, _)| {
                !query.in_frames && (query.late || is_counted || (by_built_in && query.needs_frame))
            })
            .map(|(query, &frame)| (query, frame))
    }
}
