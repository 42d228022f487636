//! The JSON of an outline, as far as no page is needed.

use crate::graph::DependencyGraph;
use crate::query::Query;

use super::*;

fn outline(queries: &[&str]) -> Outline {
    let queries = queries
        .iter()
        .map(|text| Query::parse(text).unwrap())
        .collect();
    let graph = DependencyGraph::new(queries).unwrap();
    let plan = CollectionPlan::new(&graph, &[]).unwrap();
    let at = ReproductionPoint::parse("app.js:22").unwrap();
    Outline::new("http://127.0.0.1/", &plan, &at)
}

#[test]
fn each_point_says_what_it_becomes_and_what_hangs_on_it() {
    let outline = outline(&[
        "B = lastChange(cart.total)",
        "C = lastCondition(B)",
        "D = lastChange(C(1):.owner.x)",
        "exceptionAfter(B)",
    ]);
    let json = serde_json::to_string_pretty(&outline).unwrap();
    insta::assert_snapshot!(json);
    assert_eq!(serde_json::from_str::<Outline>(&json).unwrap(), outline);
}

#[test]
fn a_point_that_is_nowhere_is_not_reached() {
    let mut outline = outline(&["lastChange(a)"]);
    assert_eq!(outline.exit_status(), 0);
    outline.points[0].note = Some("no script …".to_owned());
    assert_eq!(outline.exit_status(), 3);
}
