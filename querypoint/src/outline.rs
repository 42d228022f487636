//! The outline, `querypoint/plan/1`: what `querypoint plan` says of questions that are not asked yet.
//!
//! [`Outline::new`] tells what follows from the queries alone; whoever loads the page adds the sites. Members that do
//! not apply are absent, never `null`.

use serde::{Deserialize, Serialize};

use crate::answer::{Coverage, Location};
use crate::graph::Parent;
use crate::plan::{CollectionPlan, PlannedQuery, Sought};
use crate::point::ReproductionPoint;
use crate::query::Target;
use crate::schedule::{Execution, LookUp, Looker, Schedule};

/// The value of the member `schema`.
pub const SCHEMA: &str = "querypoint/plan/1";

/// What would be done to answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// [`SCHEMA`].
    pub schema: String,
    /// URL of the page.
    pub page: String,
    /// The reproduction point, in its canonical text.
    pub at: String,
    /// The reproduction point `R` first, then one point for each query, in order.
    pub points: Vec<PointOutline>,
    /// The executions of the page, if nothing unforeseen is learned.
    pub executions: Vec<ExecutionOutline>,
    /// What would spare the last of them, in words, if anything can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fewer: Option<String>,
    /// What would make more of them, in words.
    pub further: Vec<String>,
    /// What could be seen of the page's scripts.
    pub coverage: Coverage,
}

/// What is said of one point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointOutline {
    /// `R`, or the query's name.
    pub name: String,
    /// The query; absent for `R`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The trace query that it becomes; absent for `R`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_query: Option<String>,
    /// The point that it is asked at; absent for `R`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<String>,
    /// The names whose writes are hooked for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<String>,
    /// What is kept at each of its events, in words; absent for `R`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeps: Option<String>,
    /// The places in the page's scripts that can be this point.
    pub sites: Vec<SiteOutline>,
    /// Calls that may be of a built-in that can make the change. No hook is there: the built-in tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<SiteOutline>,
    /// What is looked up there, for the queries that are asked at it.
    pub look_ups: Vec<LookUpOutline>,
    /// What else must be said, such as that `R` is nowhere in the scripts that were loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A place in the page's scripts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteOutline {
    /// What it does: `assignment`, `update`, `condition`, `call of push`, ….
    pub kind: String,
    /// Where.
    #[serde(flatten)]
    pub location: Location,
    /// The function around; empty at the top level of a script, absent where nobody has looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The text of the line, without its line end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_line: Option<String>,
    /// The text of a condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

/// What is looked up at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookUpOutline {
    /// The name of the query that needs it.
    #[serde(rename = "for")]
    pub query: String,
    /// What is evaluated there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The frame: 0 the newest, -1 the oldest.
    pub frame: i32,
    /// `page`: the hook; `debugger`: while the page is paused there.
    pub by: String,
    /// What is then looked for, in words.
    pub seeks: String,
    /// The execution, from 1, in which that is known.
    pub execution: usize,
}

/// One execution of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionOutline {
    /// The points whose event becomes known in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finds: Vec<String>,
    /// The points of which it learns the name of the property that is meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learns: Vec<String>,
    /// The points of trace queries of which it looks at each event that may be meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examines: Vec<String>,
    /// The points at which the page is paused and everything is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
}

/// When the last execution is not needed.
const FEWER: &str = "few events can be those that are asked for: each is read when it happens, and the last execution is spared";

impl Outline {
    /// What follows from the queries alone.
    #[must_use]
    pub fn new(page: &str, plan: &CollectionPlan, at: &ReproductionPoint) -> Self {
        let schedule = Schedule::new(plan, at);
        let outlined = |point: Parent| -> Vec<LookUpOutline> {
            schedule
                .at(point)
                .map(|look_up| looked_up(plan, &schedule, look_up))
                .collect()
        };
        let mut points = vec![PointOutline {
            look_ups: outlined(Parent::ReproductionPoint),
            ..PointOutline::new("R")
        }];
        points.extend(plan.queries.iter().map(|query| PointOutline {
            query: Some(query.text.clone()),
            trace_query: Some(query.trace_query.clone()),
            asked_at: Some(name(plan, query.parent)),
            watched: watched(query),
            keeps: Some(kept(query)),
            look_ups: outlined(Parent::Query(query.index)),
            ..PointOutline::new(query.name.as_str())
        }));
        Self {
            schema: SCHEMA.to_owned(),
            page: page.to_owned(),
            at: at.to_string(),
            points,
            executions: schedule
                .executions
                .iter()
                .map(|execution| outlined_execution(plan, execution))
                .collect(),
            fewer: schedule.may_spare_last.then(|| FEWER.to_owned()),
            further: schedule
                .further
                .iter()
                .map(|further| further.text().to_owned())
                .collect(),
            coverage: Coverage::default(),
        }
    }

    /// The point of a query, by the query's index.
    pub fn point_mut(&mut self, query: usize) -> Option<&mut PointOutline> {
        self.points.get_mut(query + 1)
    }

    /// 0; or 3 where the reproduction point is nowhere in the scripts that were loaded.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        let is_nowhere = self
            .points
            .first()
            .is_some_and(|point| point.sites.is_empty() && point.note.is_some());
        if is_nowhere { 3 } else { 0 }
    }
}

impl PointOutline {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            query: None,
            trace_query: None,
            asked_at: None,
            watched: Vec::new(),
            keeps: None,
            sites: Vec::new(),
            calls: Vec::new(),
            look_ups: Vec::new(),
            note: None,
        }
    }
}

fn name(plan: &CollectionPlan, point: Parent) -> String {
    match point {
        Parent::ReproductionPoint => "R".to_owned(),
        Parent::Query(query) => plan
            .queries
            .get(query)
            .map(|query| query.name.to_string())
            .unwrap_or_default(),
    }
}

fn looked_up(plan: &CollectionPlan, schedule: &Schedule, look_up: &LookUp) -> LookUpOutline {
    LookUpOutline {
        query: name(plan, Parent::Query(look_up.query)),
        references: look_up.references.clone(),
        frame: look_up.frame,
        by: match look_up.by {
            Looker::Page => "page".to_owned(),
            Looker::Debugger => "debugger".to_owned(),
        },
        seeks: look_up.seeks.clone(),
        execution: schedule.when(look_up.query).0,
    }
}

fn outlined_execution(plan: &CollectionPlan, execution: &Execution) -> ExecutionOutline {
    let names = |queries: &[usize]| -> Vec<String> {
        let points = queries.iter().map(|&query| Parent::Query(query));
        points.map(|point| name(plan, point)).collect()
    };
    ExecutionOutline {
        finds: names(&execution.finds),
        learns: names(&execution.learns),
        examines: names(&execution.examines),
        reads: execution
            .reads
            .iter()
            .map(|&point| name(plan, point))
            .collect(),
    }
}

fn watched(query: &PlannedQuery) -> Vec<String> {
    if let Sought::Trace(trace) = &query.sought {
        return vec![trace.event.to_string()];
    }
    match query.sought.target() {
        // A global variable is a property of the global object as well.
        Some(Target::Variable { name }) => vec![name.clone(), format!(".{name}")],
        Some(Target::Property { key, .. }) => vec![key.to_string()],
        Some(Target::ComputedProperty { variable, .. }) => {
            vec![format!("the property that {variable} names")]
        }
        Some(Target::MapEntry { .. }) => vec!["the entries of maps".to_owned()],
        Some(Target::SetMember { .. }) => vec!["the members of sets".to_owned()],
        Some(Target::Unchangeable) | None => Vec::new(),
    }
}

fn kept(query: &PlannedQuery) -> String {
    match &query.sought {
        Sought::Change(Target::Variable { name }) => format!(
            "for each activation of the scope that holds {name}, its last write: number, place, value"
        ),
        Sought::Change(Target::MapEntry { .. }) => {
            "for each map and key the last change: number, call, value".to_owned()
        }
        Sought::Change(Target::SetMember { .. }) => {
            "for each set and member the last change: number, call, value".to_owned()
        }
        Sought::Change(_) => "for each object its last write: number, place, value".to_owned(),
        Sought::Condition => {
            "for each call of the function the last outcome: number, place, operands".to_owned()
        }
        Sought::Trace(_) => {
            "how many there were; all else is read at the one that is meant".to_owned()
        }
        Sought::Exception => {
            "how often each try block was entered; once the point is reached, the page pauses at exceptions"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests;
