//! Every event of the language is asked with every constraint by a fixture.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::collections::BTreeSet;

use end_to_end::fixture::{Fixture, fixtures};
use end_to_end::repository;
use querypoint::query::{Constraint, Event, Query, QueryKind, TraceQuery};

/// The trace queries of all fixtures.
fn asked() -> Vec<TraceQuery> {
    let folder = repository().join("tests/fixtures");
    let found: Vec<Fixture> = fixtures(&folder).unwrap();
    let queries = found.iter().flat_map(|fixture| &fixture.queries);
    let parsed = queries.filter_map(|text| Query::parse(text).ok());
    let traces = parsed.filter_map(|query| match query.kind {
        QueryKind::Trace(trace) => Some(trace),
        _ => None,
    });
    traces.collect()
}

fn event(event: &Event) -> &'static str {
    match event {
        Event::Line(_) => "line",
        Event::Call(_) => "call",
        Event::Return(_) => "return",
        Event::Write(_) => "write",
        Event::Assign(_) => "assign",
        Event::Create(_) => "create",
        Event::Throw(_) => "throw",
        Event::Branch(_) => "branch",
    }
}

fn constraint(constraint: &Constraint) -> &'static str {
    match constraint {
        Constraint::Before(_) => "before",
        Constraint::After(_) => "after",
        Constraint::MayAffect(_) => "mayAffect",
        Constraint::Sameness(..) => "sameness",
        Constraint::When(_) => "when",
    }
}

#[test]
fn every_event_is_asked_with_every_constraint_and_index() {
    let mut shown = BTreeSet::new();
    for trace in asked() {
        let event = event(&trace.event);
        shown.extend(trace.constraints.iter().map(|own| (event, constraint(own))));
        shown.insert((
            event,
            if trace.index.is_some() {
                "index"
            } else {
                "none"
            },
        ));
        if trace.constraints.len() > 2 {
            shown.insert((event, "several"));
        }
    }
    // Conditions cannot be asked yet.
    for event in [
        "line", "call", "return", "write", "assign", "create", "throw",
    ] {
        for constraint in [
            "before",
            "after",
            "mayAffect",
            "sameness",
            "when",
            "index",
            "none",
            "several",
        ] {
            assert!(
                shown.contains(&(event, constraint)),
                "no fixture asks {event} with {constraint}"
            );
        }
    }
}
