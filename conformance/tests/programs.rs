//! The programs of `programs/` print the same plain and rewritten, in Node and in Chromium.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use conformance::variants::variants;
use conformance::{Program, Run, chromium, differences, node, programs};
use js_analysis::Goal;

struct Everything {
    programs: Vec<Program>,
    names: Vec<Vec<String>>,
    runs: Vec<Run>,
}

fn everything() -> Everything {
    let programs = programs().unwrap();
    let (mut names, mut runs) = (Vec::new(), Vec::new());
    for program in &programs {
        runs.push(Run {
            agent: None,
            text: program.source.clone(),
            module: program.goal == Goal::Module,
        });
        let variants = variants(&program.source, program.goal)
            .unwrap_or_else(|error| panic!("{}: {error}", program.name));
        names.push(variants.iter().map(|(name, _)| name.clone()).collect());
        runs.extend(variants.into_iter().map(|(_, run)| run));
    }
    Everything {
        programs,
        names,
        runs,
    }
}

#[test]
fn programs_print_the_same_in_node() {
    let all = everything();
    let outcomes = node::run(&all.runs).unwrap();
    let report = differences(&all.programs, &all.names, &outcomes);
    assert!(report.is_empty(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_print_the_same_in_chromium() {
    let all = everything();
    let outcomes = chromium::run(&all.runs).await.unwrap();
    let report = differences(&all.programs, &all.names, &outcomes);
    assert!(report.is_empty(), "{report}");
}
