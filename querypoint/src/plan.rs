//! The plan: what must be collected so that the queries of a graph can be answered.
//!
//! Hooks are placed by name only: a property name or a variable name that some query asks for. Which object or
//! which activation is meant is known only at the query's point, by its id.
//!
//! A query compiles to a trace query (*Querypoint Debugging*, table 2):
//!
//! | query | trace query |
//! | --- | --- |
//! | `lastChange(P:o.x)` | `trace(write(.x), before(P), sameness(.owner, P:o), when(!Object.is(oldValue, newValue)), index -1)` |
//! | `lastChange(P:o[k])` | `trace(write(["[k]"]), before(P), sameness(.owner, P:o), when(!Object.is(oldValue, newValue)), index -1)` |
//! | `lastChange(P:m.get(k))` | `trace(call(Map.prototype.set), before(P), sameness(.owner, P:m), when(!Object.is(oldValue, newValue)), index -1)` |
//! | `lastChange(P:s.has(k))` | `trace(call(Set.prototype.add), before(P), sameness(.owner, P:s), when(!Object.is(oldValue, newValue)), index -1)` |
//! | `lastChange(P:x)` | `trace(assign(x), before(P), sameness(.scope, P:x), when(!Object.is(oldValue, newValue)), index -1)` |
//! | `origin(P:x)` | that of `lastChange(P:x)`; each further one is asked at the point that was found |
//! | `origin(C:operand(n))` | that of the origin `C` |
//! | `whyNot(file:line)` | `trace(line(file:line:column), index -1)` of the decision that kept it from running |
//! | `omitted(P:o)` | the same of the decision that kept an operation on `o` from being done |
//! | `exceptionAfter(P)` | `trace(throw(), after(P), index 0)` |
//! | `lastCondition(P)` | `trace(branch(P), before(P), mayAffect(P), index -1)` |
//!
//! `["[k]"]` is the property whose name `k` holds at `P`, which an execution finds out before it can be watched.
//! The calls represent all methods that write entries of maps and members of sets, with the same key.
//! `.owner` is the object that was written to, compared by object id. `.scope` is the activation that
//! holds the variable, compared by scope id with the one that binds it at `P`.

mod error;
mod trace;

use self::trace::Unplannable;
use crate::graph::{DependencyGraph, Parent, QueryPlace};
use crate::query::{
    CodeLine, Constraint, Event, GlobalReference, PointName, PropertyKey, Query, QueryKind,
    Reference, ReferenceRoot, Segment, Target, TraceQuery,
};
pub use error::PlanError;
use error::VARIABLE_WRITE;
pub use trace::{Count, EventRange, Filter, Moment, Operand, TracePlan, position};

/// What an omission compiles to, once its decision is known.
const OF_OMISSION: &str = "trace(line(file:line:column), index -1)";

/// What must be collected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollectionPlan {
    /// The queries in order; a query's parent is before it.
    pub queries: Vec<PlannedQuery>,
    /// The property names to hook, each once, in the order they are first needed.
    pub properties: Vec<WatchedProperty>,
    /// The variable names to hook, each once, in the order they are first needed.
    pub variables: Vec<WatchedVariable>,
    /// The expressions to evaluate at every found point, as they were given.
    pub watches: Vec<String>,
}

/// One query, ready to be resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedQuery {
    /// Its index in [`CollectionPlan::queries`].
    pub index: usize,
    /// The name of its point.
    pub name: PointName,
    /// Its canonical text, without the name.
    pub text: String,
    /// The point it is asked at.
    pub parent: Parent,
    /// The frame at that point: 0 the newest, -1 the oldest.
    pub frame: i32,
    /// What it looks for.
    pub sought: Sought,
    /// Whether what it looks for is only the first write of a chain.
    pub is_origin: bool,
    /// Whether it asks for what did not happen: what it looks for is known when it was counted what ran.
    pub is_omission: bool,
    /// The trace query it compiles to.
    pub trace_query: String,
    /// The queries that are asked at the point that it finds.
    pub children: Vec<usize>,
}

/// What a query looks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Sought {
    /// The last write of another value to this; always something that can be written.
    Change(Target),
    /// The last outcome of a condition on which it depends whether the point is reached: in the function that the point
    /// is in, else in the one that called it, and so on.
    Condition,
    /// The first exception thrown after the point, inside the `try` block around it: in the function that the point is
    /// in, else in the one that called it, and so on; without one, in the task that the point is in.
    Exception,
    /// One of the events of a kind.
    Trace(TracePlan),
}

impl Sought {
    /// What was written, of a change.
    #[must_use]
    pub fn target(&self) -> Option<&Target> {
        match self {
            Self::Change(target) => Some(target),
            Self::Condition | Self::Exception | Self::Trace(_) => None,
        }
    }
}

/// A property name to hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedProperty {
    /// The name.
    pub key: PropertyKey,
    /// The queries that need it, by index.
    pub queries: Vec<usize>,
}

/// A variable name to hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedVariable {
    /// The name.
    pub name: String,
    /// The queries that need it, by index.
    pub queries: Vec<usize>,
}

impl CollectionPlan {
    /// What must be collected to answer the queries of `graph`, and to evaluate `watches` at every
    /// found point.
    ///
    /// # Errors
    /// [`PlanError`] for what cannot be collected, with its place.
    pub fn new(graph: &DependencyGraph, watches: &[String]) -> Result<Self, PlanError> {
        if let Some(watch) = watches.iter().position(|watch| watch.trim().is_empty()) {
            return Err(PlanError::EmptyWatch { watch });
        }
        let mut plan = Self {
            queries: Vec::with_capacity(graph.len()),
            properties: Vec::new(),
            variables: Vec::new(),
            watches: watches.to_vec(),
        };
        for (index, (name, query)) in graph.queries().enumerate() {
            let mut parent = graph.parent(index).unwrap_or(Parent::ReproductionPoint);
            let (sought, frame, trace_query) = match &query.kind {
                QueryKind::LastCondition(point) => (Sought::Condition, 0, condition_before(point)),
                QueryKind::ExceptionAfter(point) => (Sought::Exception, 0, exception_after(point)),
                // What represents it is known when it was counted what ran: until then, nothing that happens.
                QueryKind::Omitted(_) => {
                    let trace = TraceQuery {
                        event: Event::Line(CodeLine {
                            file: "omitted".to_owned(),
                            line: 1,
                            column: None,
                        }),
                        constraints: Vec::new(),
                        index: Some(-1),
                    };
                    let sought = traceable(index, name, query, &trace, graph, &|_| false)?;
                    (Sought::Trace(sought), 0, trace)
                }
                QueryKind::WhyNot(line) => {
                    let trace = TraceQuery {
                        event: Event::Line(line.clone()),
                        constraints: Vec::new(),
                        index: Some(-1),
                    };
                    let sought = traceable(index, name, query, &trace, graph, &|_| false)?;
                    (Sought::Trace(sought), 0, trace)
                }
                QueryKind::Trace(trace) => {
                    let later = |point| plan.may_be_later(point);
                    let sought =
                        Sought::Trace(traceable(index, name, query, trace, graph, &later)?);
                    (sought, 0, trace.clone())
                }
                // The chain of an origin begins with the last change; what follows is known only there.
                QueryKind::LastChange(reference) | QueryKind::Origin(reference) => {
                    plan.change(index, query, reference, parent)?
                }
                // That of an operand begins as the one that has it.
                QueryKind::OriginOfOperand(operand) => {
                    let Some((origin, reference, _)) = graph.followed(index) else {
                        let place = QueryPlace {
                            query: index,
                            text: query.text.clone(),
                            offset: query.places.points.first().map_or(0, |(_, at)| *at),
                        };
                        let name = operand.origin.clone();
                        return Err(PlanError::NoOrigin { place, name });
                    };
                    parent = graph.parent(origin).unwrap_or(Parent::ReproductionPoint);
                    plan.change(index, query, reference, parent)?
                }
            };
            plan.queries.push(PlannedQuery {
                index,
                name: name.clone(),
                text: query.kind.to_string(),
                parent,
                frame,
                trace_query: match query.kind {
                    QueryKind::Omitted(_) | QueryKind::WhyNot(_) => OF_OMISSION.to_owned(),
                    _ => trace_query.to_string(),
                },
                sought,
                is_origin: graph.followed(index).is_some(),
                is_omission: query.why_not().is_some() || query.omitted().is_some(),
                children: graph.children(Parent::Query(index)),
            });
        }
        Ok(plan)
    }

    /// The last change of a reference, whose name is watched.
    fn change(
        &mut self,
        index: usize,
        query: &Query,
        reference: &GlobalReference,
        parent: Parent,
    ) -> Result<(Sought, i32, TraceQuery), PlanError> {
        let reference = plannable(index, query, reference, self.without_object(parent))?;
        let target = reference.target();
        self.watch(index, &target);
        let trace_query = compiled(reference, &target);
        Ok((Sought::Change(target), reference.frame, trace_query))
    }

    /// Whether an execution goes on behind the reproduction point, because what is asked may come after it.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        let goes_on = |query: &PlannedQuery| match &query.sought {
            Sought::Trace(trace) => trace.goes_on(),
            _ => false,
        };
        self.queries.iter().any(goes_on)
    }

    /// Whether the execution that finds the events can read them as well, as far as that costs little: few changes are
    /// asked for, in the newest frames. Of many questions one will not be read so, and then all that was read is lost.
    #[must_use]
    pub fn may_read_ahead(&self) -> bool {
        let is_change =
            |query: &PlannedQuery| query.frame == 0 && matches!(query.sought, Sought::Change(_));
        const MOST: usize = 4;
        self.queries.len() <= MOST && self.queries.iter().all(is_change)
    }

    /// What a point is, in words, if it is an event that has no object.
    fn without_object(&self, point: Parent) -> Option<&'static str> {
        let Parent::Query(query) = point else {
            return None;
        };
        match &self.queries.get(query)?.sought {
            Sought::Condition => Some("a condition"),
            Sought::Trace(TracePlan {
                event: Event::Assign(_),
                ..
            }) => Some(VARIABLE_WRITE),
            _ => None,
        }
    }

    /// Whether a point may come after the reproduction point.
    fn may_be_later(&self, point: Parent) -> bool {
        let Parent::Query(query) = point else {
            return false;
        };
        self.queries
            .get(query)
            .is_some_and(|query| match &query.sought {
                Sought::Trace(trace) => trace.goes_on(),
                Sought::Exception if query.parent == Parent::ReproductionPoint => true,
                _ => self.may_be_later(query.parent),
            })
    }

    fn watch(&mut self, query: usize, target: &Target) {
        match target {
            Target::Property { key, .. } => {
                match self
                    .properties
                    .iter_mut()
                    .find(|watched| watched.key == *key)
                {
                    Some(watched) => watched.queries.push(query),
                    None => {
                        self.properties.push(WatchedProperty {
                            key: key.clone(),
                            queries: vec![query],
                        });
                    }
                }
            }
            Target::Variable { name } => {
                match self
                    .variables
                    .iter_mut()
                    .find(|watched| watched.name == *name)
                {
                    Some(watched) => watched.queries.push(query),
                    None => {
                        self.variables.push(WatchedVariable {
                            name: name.clone(),
                            queries: vec![query],
                        });
                    }
                }
            }
            Target::ComputedProperty { .. }
            | Target::MapEntry { .. }
            | Target::SetMember { .. }
            | Target::Unchangeable => {}
        }
    }
}

fn traceable(
    index: usize,
    name: &PointName,
    query: &Query,
    trace: &TraceQuery,
    graph: &DependencyGraph,
    may_be_later: &dyn Fn(Parent) -> bool,
) -> Result<TracePlan, PlanError> {
    let parent = |point: &PointName| {
        let position = graph.queries().position(|(name, _)| name == point);
        position.map_or(Parent::ReproductionPoint, Parent::Query)
    };
    let planned = TracePlan::new(trace, &parent, may_be_later);
    let place = |offset| QueryPlace {
        query: index,
        text: query.text.clone(),
        offset,
    };
    planned.map_err(|error| match error {
        Unplannable::NotYet(what, help) => PlanError::NotYet {
            place: place(query.places.kind),
            name: name.clone(),
            what: what.to_owned(),
            help: help.to_owned(),
        },
        Unplannable::NoObject => {
            let at = query.places.event_references.first().copied();
            PlanError::NoObject {
                place: place(at.unwrap_or(query.places.kind)),
                event: VARIABLE_WRITE,
            }
        }
    })
}

/// The reference of a query that can be answered.
fn plannable<'query>(
    index: usize,
    query: &Query,
    reference: &'query GlobalReference,
    without_object: Option<&'static str>,
) -> Result<&'query GlobalReference, PlanError> {
    let place = |offset| QueryPlace {
        query: index,
        text: query.text.clone(),
        offset,
    };
    let at = query.places.reference;
    let through_event = reference.reference.root == ReferenceRoot::EventObject;
    if through_event
        && reference
            .point_or_reproduction_point()
            .is_reproduction_point()
    {
        return Err(PlanError::NoEvent { place: place(at) });
    }
    if let Some(event) = without_object.filter(|_| through_event) {
        return Err(PlanError::NoObject {
            place: place(at),
            event,
        });
    }
    match reference.target() {
        Target::Variable { .. }
        | Target::Property { .. }
        | Target::ComputedProperty { .. }
        | Target::MapEntry { .. }
        | Target::SetMember { .. } => Ok(reference),
        Target::Unchangeable => Err(PlanError::NoEvent { place: place(at) }),
    }
}

/// The last outcome, before the point, of a condition that led to it.
fn condition_before(point: &PointName) -> TraceQuery {
    TraceQuery {
        event: Event::Branch(point.clone()),
        constraints: vec![
            Constraint::Before(point.clone()),
            Constraint::MayAffect(point.clone()),
        ],
        index: Some(-1),
    }
}

/// The first exception after the point.
fn exception_after(point: &PointName) -> TraceQuery {
    TraceQuery {
        event: Event::Throw(None),
        constraints: vec![Constraint::After(point.clone())],
        index: Some(0),
    }
}

/// The last event, before the point, that wrote another value to the same place.
fn compiled(reference: &GlobalReference, target: &Target) -> TraceQuery {
    let point = reference.point_or_reproduction_point();
    let at_point = |reference_there: Reference| GlobalReference {
        point: Some(point.clone()),
        frame: reference.frame,
        reference: reference_there,
    };
    let (event, of_event, there) = match target {
        Target::Property { owner, key } => (Event::Write(key.clone()), "owner", owner.clone()),
        Target::ComputedProperty { owner, variable } => {
            let key = PropertyKey::Public(format!("[{variable}]"));
            (Event::Write(key), "owner", owner.clone())
        }
        Target::MapEntry { owner, .. } => {
            let set = Event::Call("Map.prototype.set".to_owned());
            (set, "owner", owner.clone())
        }
        Target::SetMember { owner, .. } => {
            let add = Event::Call("Set.prototype.add".to_owned());
            (add, "owner", owner.clone())
        }
        _ => {
            let name = match &reference.reference.root {
                ReferenceRoot::Variable(name) => name.clone(),
                ReferenceRoot::This | ReferenceRoot::Element(_) | ReferenceRoot::EventObject => {
                    String::new()
                }
            };
            (Event::Assign(name), "scope", reference.reference.clone())
        }
    };
    let event_object = GlobalReference {
        point: None,
        frame: 0,
        reference: Reference {
            root: ReferenceRoot::EventObject,
            segments: Vec::new(),
        }
        .then(Segment::Property(of_event.to_owned())),
    };
    TraceQuery {
        event,
        constraints: vec![
            Constraint::Before(point.clone()),
            Constraint::Sameness(event_object, at_point(there)),
            Constraint::When("!Object.is(oldValue, newValue)".to_owned()),
        ],
        index: Some(-1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(texts: &[&str]) -> Result<CollectionPlan, PlanError> {
        let queries = texts
            .iter()
            .map(|text| Query::parse(text).unwrap())
            .collect();
        CollectionPlan::new(&DependencyGraph::new(queries).unwrap(), &[])
    }

    fn rendered(text: &str) -> String {
        plan(&["B = lastChange(a)", text]).unwrap_err().render()
    }

    #[test]
    fn a_chain_is_planned() {
        let plan = plan(&[
            "B = lastChange( this.items[3] )",
            "lastChange(B(-1):total)",
            "lastChange(B:other['3'])",
            "lastChange(Q1:this.#total)",
        ])
        .unwrap();
        let lines: Vec<String> = plan
            .queries
            .iter()
            .map(|query| {
                format!(
                    "{} {} at {:?} frame {} then {:?}\n  {}",
                    query.name,
                    query.text,
                    query.parent,
                    query.frame,
                    query.children,
                    query.trace_query
                )
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        B lastChange(this.items[3]) at ReproductionPoint frame 0 then [1, 2]
          trace(write(["3"]), before(R), sameness(.owner, R:this.items), when(!Object.is(oldValue, newValue)), index -1)
        Q1 lastChange(B(-1):total) at Query(0) frame -1 then [3]
          trace(assign(total), before(B), sameness(.scope, B(-1):total), when(!Object.is(oldValue, newValue)), index -1)
        Q2 lastChange(B:other["3"]) at Query(0) frame 0 then []
          trace(write(["3"]), before(B), sameness(.owner, B:other), when(!Object.is(oldValue, newValue)), index -1)
        Q3 lastChange(Q1:this.#total) at Query(1) frame 0 then []
          trace(write(.#total), before(Q1), sameness(.owner, Q1:this), when(!Object.is(oldValue, newValue)), index -1)
        "#);
        let properties: Vec<_> = plan
            .properties
            .iter()
            .map(|watched| (watched.key.to_string(), watched.queries.clone()))
            .collect();
        assert_eq!(
            properties,
            [
                ("[\"3\"]".to_owned(), vec![0, 2]),
                (".#total".to_owned(), vec![3])
            ]
        );
        assert_eq!(
            plan.variables,
            [WatchedVariable {
                name: "total".to_owned(),
                queries: vec![1]
            }]
        );
    }

    #[test]
    fn trace_queries_are_in_the_words_of_the_grammar() {
        for text in [
            "lastChange(R(2):a['x y'].z)",
            "lastChange(价格)",
            "lastChange(this['x y'])",
            "lastChange(R:m.get('k'))",
            "lastChange(s.has(1))",
            "lastChange(m.get(k).x)",
            "lastChange(list[i])",
            "lastCondition(R)",
            "exceptionAfter(R)",
        ] {
            let plan = plan(&[text]).unwrap();
            let trace_query = &plan.queries[0].trace_query;
            assert_eq!(Query::parse(trace_query).unwrap().to_string(), *trace_query);
        }
    }

    #[test]
    fn what_cannot_be_answered_yet() {
        insta::assert_snapshot!(rendered("C = trace(branch(B), after(B))"), @r#"
        C = trace(branch(B), after(B))
            ^ "trace" of conditions cannot be answered yet
        help: ask lastCondition, for the last one before a point
        "#);
        insta::assert_snapshot!(rendered("trace(assign(x), sameness(R:x, .scope))"), @"
        trace(assign(x), sameness(R:x, .scope))
                                       ^ expected an event that has an object; the write of a variable has none
        help: lastChange asks for the writes of one activation's variable; a property is write(.name)
        ");
        let at_condition = plan(&["C = lastCondition(R)", "lastChange(C:.owner.x)"]);
        insta::assert_snapshot!(at_condition.unwrap_err().render(), @"
        lastChange(C:.owner.x)
                   ^ expected an event that has an object; a condition has none
        help: begin with a variable or this, for example C:this.total
        ");
        let at_assignment = plan(&["T = trace(assign(x))", "lastChange(T:.owner.x)"]);
        assert!(matches!(at_assignment, Err(PlanError::NoObject { .. })));
        insta::assert_snapshot!(rendered("lastChange(.owner.x)"), @"
        lastChange(.owner.x)
                   ^ expected a point that is an event; the reproduction point writes nothing
        help: begin with a variable or this, for example R:this.total
        ");
    }

    #[test]
    fn an_empty_watch() {
        let graph = DependencyGraph::new(Vec::new()).unwrap();
        let error = CollectionPlan::new(&graph, &["a".to_owned(), " ".to_owned()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "watch 2 is empty\nhelp: give a JavaScript expression after --watch"
        );
    }
}
