//! What must be kept where and which execution does what, without any page.

use crate::graph::DependencyGraph;
use crate::plan::CollectionPlan;
use crate::point::ReproductionPoint;
use crate::query::Query;

use super::*;

fn schedule(at: &str, queries: &[&str]) -> (CollectionPlan, Schedule) {
    let queries = queries
        .iter()
        .map(|text| Query::parse(text).unwrap())
        .collect();
    let graph = DependencyGraph::new(queries).unwrap();
    let plan = CollectionPlan::new(&graph, &[]).unwrap();
    let schedule = Schedule::new(&plan, &ReproductionPoint::parse(at).unwrap());
    (plan, schedule)
}

/// The schedule in lines.
fn drawn(at: &str, queries: &[&str]) -> String {
    let (plan, schedule) = schedule(at, queries);
    let name = |point: &Parent| match point {
        Parent::ReproductionPoint => "R".to_owned(),
        Parent::Query(query) => plan.queries[*query].name.to_string(),
    };
    let names = |queries: &[usize]| -> Vec<String> {
        let points = queries.iter().map(|&query| Parent::Query(query));
        points.map(|point| name(&point)).collect()
    };
    let mut lines = Vec::new();
    for look_up in &schedule.look_ups {
        lines.push(format!(
            "at {} frame {} {:?} looks for {}: {:?}, {}",
            name(&look_up.at),
            look_up.frame,
            look_up.by,
            name(&Parent::Query(look_up.query)),
            look_up.references,
            look_up.seeks
        ));
    }
    for (number, execution) in (1..).zip(&schedule.executions) {
        let reads: Vec<String> = execution.reads.iter().map(name).collect();
        lines.push(format!(
            "{number} finds {} learns {} examines {} reads {}",
            names(&execution.finds).join(" "),
            names(&execution.learns).join(" "),
            names(&execution.examines).join(" "),
            reads.join(" ")
        ));
    }
    lines.push(format!("{:?}", schedule.further));
    lines.join("\n")
}

fn executions(at: &str, queries: &[&str]) -> usize {
    schedule(at, queries).1.executions.len()
}

#[test]
fn a_chain_is_found_in_one_execution_and_read_in_the_next() {
    insta::assert_snapshot!(drawn(
        "app.js:22",
        &[
            "B = lastChange(cart.total)",
            "C = lastChange(B:item.price)",
            "D = lastChange(C:rate)"
        ]
    ));
    let chain: Vec<String> = std::iter::once("P0 = lastChange(o.x)".to_owned())
        .chain((1..40).map(|number| format!("P{number} = lastChange(P{}:o.x)", number - 1)))
        .collect();
    let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
    assert_eq!(executions("app.js:22", &chain), 2);
}

#[test]
fn another_frame_is_seen_at_a_stop_one_execution_later() {
    insta::assert_snapshot!(drawn(
        "app.js:22",
        &[
            "B = lastChange(R(1):radius)",
            "C = lastChange(B(-1):this.x)",
            "D = lastChange(C:.owner.y)"
        ]
    ));
}

#[test]
fn where_the_page_is_paused_at_the_point_the_debugger_looks_at_once() {
    assert_eq!(executions("exception", &["lastChange(R(1):radius)"]), 2);
    assert_eq!(executions("console:lost", &["lastCondition(R)"]), 2);
    assert_eq!(executions("app.js:22", &["lastChange(R(1):radius)"]), 3);
}

#[test]
fn a_property_whose_name_is_in_a_variable_takes_one_more_execution() {
    insta::assert_snapshot!(drawn(
        "app.js:22",
        &["B = lastChange(list[i])", "C = lastChange(B:list[j])"]
    ));
}

#[test]
fn an_exception_is_read_in_the_execution_that_stops_at_its_point() {
    insta::assert_snapshot!(drawn(
        "app.js:22",
        &[
            "B = lastChange(o.x)",
            "C = lastCondition(B)",
            "E = exceptionAfter(C)",
            "F = lastChange(E:o.y)"
        ]
    ));
}

#[test]
fn events_of_a_trace_query_are_counted_and_looked_at_only_where_something_must_hold_at_them() {
    insta::assert_snapshot!(drawn(
        "app.js:22",
        &[
            "A = lastChange(R:o.x)",
            "T = trace(call(add), after(A), index 0)",
            "U = trace(write(.total), sameness(.owner, R:cart), before(A), when(newValue > 3))",
            "V = lastChange(T:n)",
            "W = trace(line(app.js:3), before(T))",
        ]
    ));
    assert_eq!(executions("app.js:22", &["trace(call(add))"]), 2);
    assert_eq!(
        executions("app.js:22", &["trace(call(add), when(n > 2))"]),
        3
    );
}

#[test]
fn calls_are_numbered_once_it_is_known_which_functions_are_on_the_stack() {
    insta::assert_snapshot!(drawn(
        "app.js:22",
        &[
            "A = lastChange(R:o.x)",
            "T = trace(call(add), before(A), mayAffect(A), index 0)"
        ]
    ));
    let query = ["trace(write(.x), mayAffect(R))"];
    assert_eq!(executions("app.js:22", &query), 4);
    assert_eq!(executions("exception", &query), 4);
}

#[test]
fn entries_of_maps_need_no_further_execution() {
    assert_eq!(
        executions(
            "a.js:1",
            &["lastChange(R:m.get(k))", "lastChange(s.has(1))"]
        ),
        2
    );
}
