//! Tables of recorded changes, by the object or the activation that was written to, and what follows from them: each
//! query compiles to a trace query, which is gone through by hand over the rows, and the resolution says what is read
//! and what the answer is. (*Querypoint Debugging*, tables 1 and 2; *Debugging by lastChange*, section 4: object ids
//! and scope ids.)
//!
//! ```text
//! event | owner | name | old | new | sees
//! 3     | #1    | .x   | 1   | 2   | baz=#7 n=@2
//! ```
//! `#1` is an object, `@1` the activation of a scope that holds a variable, `-` no value; `sees` is what references are
//! there: of which object or activation. The row `R` is the reproduction point; its `new` is left out.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::graph::{DependencyGraph, Parent};
use crate::plan::CollectionPlan;
use crate::query::{Constraint, Event, GlobalReference, Query, QueryKind, TraceQuery};

/// One recorded event.
#[derive(Clone, Debug)]
struct Row {
    number: u64,
    owner: String,
    name: String,
    old: String,
    new: String,
    sees: BTreeMap<String, String>,
}

/// What one execution recorded.
#[derive(Clone, Debug)]
struct Table {
    rows: Vec<Row>,
    /// At the reproduction point.
    point: Row,
}

impl Table {
    fn new(text: &str) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        let mut point = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut cells = line.split('|').map(str::trim);
            let mut cell = || cells.next().unwrap_or_default().to_owned();
            let (number, owner, name, old, new) = (cell(), cell(), cell(), cell(), cell());
            let sees = cell();
            let pairs = sees.split_whitespace().map(|pair| {
                let (reference, value) = pair.split_once('=').unwrap();
                (reference.to_owned(), value.to_owned())
            });
            let row = Row {
                number: number.parse().unwrap_or(u64::MAX),
                owner,
                name,
                old,
                new,
                sees: pairs.collect(),
            };
            match number.as_str() {
                "R" => point = Some(row),
                _ => rows.push(row),
            }
        }
        Self {
            rows,
            point: point.unwrap(),
        }
    }

    fn is_event(row: &Row, event: &Event) -> bool {
        match event {
            Event::Write(key) => row.owner.starts_with('#') && row.name == key.to_string(),
            Event::Assign(name) => row.owner.starts_with('@') && row.name == *name,
            Event::Throw(_) => row.name == "throw",
            other => panic!("no table has {other:?}"),
        }
    }

    /// The rows that `query` means, given the rows of the points found before.
    fn traced<'t>(
        &'t self,
        query: &TraceQuery,
        at: &dyn Fn(&str) -> Option<&'t Row>,
    ) -> Option<&'t Row> {
        let mut events: Vec<&Row> = Vec::new();
        for row in self
            .rows
            .iter()
            .filter(|row| Self::is_event(row, &query.event))
        {
            let mut holds = true;
            for constraint in &query.constraints {
                holds &= match constraint {
                    Constraint::Before(point) => row.number < at(point.as_str())?.number,
                    Constraint::After(point) => row.number > at(point.as_str())?.number,
                    Constraint::Sameness(own, other) => {
                        assert!(own.is_of_event(), "{own}");
                        *seen(at(other.point.as_ref()?.as_str())?, other)? == row.owner
                    }
                    Constraint::When(text) => {
                        assert_eq!(text, "!Object.is(oldValue, newValue)");
                        row.old != row.new
                    }
                    Constraint::MayAffect(_) => panic!("no table has call stacks"),
                };
            }
            if holds {
                events.push(row);
            }
        }
        let size = u64::try_from(events.len()).unwrap();
        let index = crate::plan::position(size, query.index.unwrap_or(-1))?;
        events.get(usize::try_from(index).unwrap()).copied()
    }
}

/// What a reference is at a row.
fn seen<'t>(row: &'t Row, reference: &GlobalReference) -> Option<&'t String> {
    row.sees.get(&reference.reference.to_string())
}

/// What the page would have found, had it done what the table says.
fn findings(table: &Table, queries: &[&str]) -> Findings {
    let queries: Vec<Query> = queries
        .iter()
        .map(|text| Query::parse(text).unwrap())
        .collect();
    let plan = CollectionPlan::new(&DependencyGraph::new(queries).unwrap(), &[]).unwrap();
    let mut found: BTreeMap<String, Option<&Row>> =
        BTreeMap::from([("R".to_owned(), Some(&table.point))]);
    let mut by_query = BTreeMap::new();
    for query in &plan.queries {
        let QueryKind::Trace(trace) = Query::parse(&query.trace_query).unwrap().kind else {
            panic!("{} is no trace query", query.trace_query);
        };
        let at = |name: &str| found.get(name).copied().flatten();
        let row = table.traced(&trace, &at);
        let parent = match query.parent {
            Parent::ReproductionPoint => Some(&table.point),
            Parent::Query(parent) => at(plan.queries[parent].name.as_str()),
        };
        if parent.is_some() {
            // What the reference has there, if the table says so.
            let current = parent.and_then(|parent| parent.sees.get(&query.text));
            let finding = match row {
                Some(row) => Finding::Changed(LastChange {
                    sequence: Sequence::new(row.number),
                    owner: OwnerId(row.owner[1..].parse().unwrap_or(0)),
                    still_holds: current.is_none_or(|value| *value == row.new),
                }),
                None => Finding::NeverChanged,
            };
            by_query.insert(query.index, finding);
        }
        found.insert(query.name.to_string(), row);
    }
    Findings {
        hooks_run: u64::try_from(table.rows.len()).unwrap(),
        hit: 0,
        by_query,
    }
}

/// The numbers of the events that are read, and the owners that are followed.
fn captured(table: &str, queries: &[&str]) -> (Vec<(u64, Vec<usize>)>, Vec<u64>) {
    let first = findings(&Table::new(table), queries);
    let capture = Resolution::begin(&first, queries.len()).capture();
    let events = capture.events.into_iter();
    let owners = capture.owners.iter().map(|owner| owner.0);
    (
        events
            .map(|(sequence, queries)| (sequence.number(), queries))
            .collect(),
        owners.collect(),
    )
}

fn statuses(table: &str, queries: &[&str]) -> Vec<Status> {
    let found = findings(&Table::new(table), queries);
    let queries = 0..queries.len();
    queries
        .map(|query| {
            let finding = found.by_query.get(&query);
            verdict(finding, finding.is_some(), "the point").0
        })
        .collect()
}

const TWO_OBJECTS: &str = "
    1 | #1 | .bar | - | 1 |
    2 | #2 | .bar | - | 5 |
    3 | #1 | .foo | - | 9 |
    4 | #1 | .bar | 1 | 2 |
    5 | #2 | .bar | 5 | 5 |
    6 | #2 | .foo | - | 3 |
    R |    |      |   |   | a=#1 b=#2 c=#3
";

#[test]
fn a_property_is_told_from_that_of_another_object_by_the_object_id() {
    let of = |query| captured(TWO_OBJECTS, &[query]);
    assert_eq!(of("lastChange(R:a.bar)"), (vec![(4, vec![0])], vec![1]));
    // Row 5 wrote the value that was there: it is no change.
    assert_eq!(of("lastChange(R:b.bar)"), (vec![(2, vec![0])], vec![2]));
    assert_eq!(of("lastChange(R:a.foo)"), (vec![(3, vec![0])], vec![1]));
    assert_eq!(of("lastChange(R:c.bar)"), (vec![], vec![]));
    assert_eq!(
        statuses(TWO_OBJECTS, &["lastChange(R:c.bar)"]),
        [Status::NeverChanged]
    );
}

const TWO_ACTIVATIONS: &str = "
    1 | @1 | n     | - | 2 |
    2 | @1 | total | - | 0 |
    3 | @2 | n     | - | 1 |
    4 | @2 | total | - | 0 |
    5 | @2 | total | 0 | 1 |
    6 | @1 | total | 0 | 3 | n=@1 total=@1
    R |    |       |   |   | n=@1 total=@1
";

#[test]
fn a_variable_is_told_from_that_of_another_activation_by_the_scope_id() {
    let of = |query| captured(TWO_ACTIVATIONS, &[query]);
    assert_eq!(of("lastChange(R:n)"), (vec![(1, vec![0])], vec![1]));
    assert_eq!(of("lastChange(R:total)"), (vec![(6, vec![0])], vec![1]));
    let inner = TWO_ACTIVATIONS.replace(
        "R |    |       |   |   | n=@1 total=@1",
        "R ||||| n=@2 total=@2",
    );
    let of = |query| captured(&inner, &[query]);
    assert_eq!(of("lastChange(R:n)"), (vec![(3, vec![0])], vec![2]));
    assert_eq!(of("lastChange(R:total)"), (vec![(5, vec![0])], vec![2]));
}

const CHAIN: &str = "
    1 | #7 | .y    | - | 1 |
    2 | @1 | n     | - | 4 |
    3 | #1 | .x    | - | 0 |
    4 | #7 | .y    | 1 | 2 |
    5 | #8 | .y    | - | 8 |
    6 | #1 | .x    | 0 | 6 | baz=#7 n=@1
    7 | #7 | .y    | 2 | 3 |
    8 | @1 | n     | 4 | 5 |
    R |    |       |   |   | o=#1 baz=#8 n=@1
";

#[test]
fn what_is_asked_at_a_found_point_is_looked_for_before_it_and_as_it_was_there() {
    let queries = [
        "B = lastChange(R:o.x)",
        "C = lastChange(B:baz.y)",
        "D = lastChange(B:n)",
        "E = lastChange(R:baz.y)",
        "F = lastChange(R:n)",
    ];
    let (events, owners) = captured(CHAIN, &queries);
    // At B `baz` is object 7, whose change at 7 comes too late; at R it is object 8.
    assert_eq!(
        events,
        [
            (2, vec![2]),
            (4, vec![1]),
            (5, vec![3]),
            (6, vec![0]),
            (8, vec![4])
        ]
    );
    assert_eq!(owners, [1, 7, 8]);
}

#[test]
fn nothing_is_found_at_a_point_that_was_not_found() {
    let queries = ["B = lastChange(R:o.z)", "C = lastChange(B:baz.y)"];
    assert_eq!(
        statuses(CHAIN, &queries),
        [Status::NeverChanged, Status::NotReached]
    );
}

#[test]
fn one_row_answers_all_that_mean_it() {
    let (events, owners) = captured(TWO_OBJECTS, &["lastChange(R:a.bar)", "lastChange(R:a.bar)"]);
    assert_eq!(events, [(4, vec![0, 1])]);
    assert_eq!(owners, [1]);
}

#[test]
fn a_value_that_no_row_wrote_is_blind() {
    let table = "
        1 | #1 | .x | - | 1 |
        R |    |    |   |   | o=#1 lastChange(o.x)=2
    ";
    assert_eq!(statuses(table, &["lastChange(o.x)"]), [Status::Blind]);
    let table = table.replace(")=2", ")=1");
    assert_eq!(statuses(&table, &["lastChange(o.x)"]), [Status::Found]);
}

#[test]
fn the_first_exception_after_a_point_is_the_one_behind_it() {
    let table = "
        1 | #0 | throw | | a |
        2 | #1 | .x    | - | 1 |
        3 | #0 | throw | | b |
        4 | #0 | throw | | c |
        R |    |       | |   | o=#1
    ";
    let queries = ["B = lastChange(R:o.x)", "E = exceptionAfter(B)"];
    assert_eq!(captured(table, &queries).0, [(2, vec![0]), (3, vec![1])]);
}

#[test]
fn tables_of_two_executions_are_compared() {
    let query = ["lastChange(R:a.bar)"];
    let first = findings(&Table::new(TWO_OBJECTS), &query);
    let met = BTreeSet::from([Sequence::new(4)]);
    let after = |second: &str| {
        let second = findings(&Table::new(second), &query);
        Resolution::begin(&first, 1).after_capture(Some(&second), &met)
    };
    assert_eq!(after(TWO_OBJECTS), NextStep::Answer);
    // One more write of anything that is hooked, behind the change: it is the same one.
    let longer = TWO_OBJECTS.replace("    R |", "    7 | #9 | .bar | - | 1 |\n    R |");
    assert_eq!(after(&longer), NextStep::Answer);
    // Before it: the numbers name other events.
    let other = "
        1 | #1 | .bar | - | 1 |
        2 | #2 | .bar | - | 5 |
        3 | #9 | .bar | - | 1 |
        4 | #9 | .bar | 1 | 2 |
        5 | #1 | .bar | 1 | 2 |
        R |    |      |   |   | a=#1 b=#2
    ";
    let NextStep::Capture(anew) = after(other) else {
        panic!("that execution was to be taken for the first");
    };
    assert!(anew.events.contains_key(&Sequence::new(5)), "{anew:?}");
    // As many, but row 4 turns out to have had no effect: the one before it is read next.
    let other = TWO_OBJECTS.replace("4 | #1 | .bar | 1 | 2 |", "4 | #1 | .bar | 1 | 1 |");
    let NextStep::Capture(next) = after(&other) else {
        panic!("another capture was to follow");
    };
    assert_eq!(
        next.events.keys().copied().collect::<Vec<_>>(),
        [Sequence::new(1)]
    );
}
