//! The JSON of an outline, as far as no page is needed.

use serde_json::{Value as Json, json};

use crate::answer::BlindSpot;
use crate::graph::DependencyGraph;
use crate::query::Query;
use crate::schemas::{location, member_paths, problems, schema_paths};

use super::*;

fn schema() -> Json {
    serde_json::from_str(include_str!("../../../docs/plan.schema.json")).unwrap()
}

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
        "D = lastChange(C(1):other.x)",
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

/// An outline with everything that one can have.
fn full() -> Outline {
    let mut outline = outline(&[
        "B = lastChange(list[i])",
        "C = lastCondition(B)",
        "D = trace(call(f), when(x > 1))",
    ]);
    let site = SiteOutline {
        kind: "condition".to_owned(),
        location: location(22),
        function: Some(String::new()),
        source_line: Some("  if (total > 5)".to_owned()),
        condition: Some("total > 5".to_owned()),
    };
    for point in &mut outline.points {
        point.sites.push(site.clone());
    }
    outline.fewer = Some("few events can be meant".to_owned());
    outline.points[0].note = Some("it may also be elsewhere".to_owned());
    outline.points[1].calls.push(site);
    outline.coverage = Coverage {
        scripts: 2,
        hooked: 1,
        unhooked_sites: Some(1),
        blind_spots: vec![BlindSpot {
            url: "http://h/a.js".to_owned(),
            reason: "it does not parse".to_owned(),
        }],
        not_run: Vec::new(),
    };
    outline
}

#[test]
fn the_types_and_the_schema_have_the_same_members() {
    assert_eq!(member_paths(&json!(full())), schema_paths(&schema()));
}

#[test]
fn the_schema_takes_outlines_and_nothing_else() {
    assert_eq!(problems(&schema(), &json!(full())), [""; 0]);
    let spoilt: [(&str, Json); 5] = [
        ("/points/0/name", json!("B")),
        ("/points/1/name", json!("R")),
        ("/points/1/sites/0/line", json!(0)),
        ("/points/1/look_ups/0/by", json!("nobody")),
        ("/executions", json!([])),
    ];
    for (pointer, wrong) in spoilt {
        let mut plan = json!(full());
        *plan.pointer_mut(pointer).unwrap() = wrong;
        assert_ne!(problems(&schema(), &plan), [""; 0], "{pointer}");
    }
}
