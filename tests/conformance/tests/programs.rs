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
        let module = program.goal == Goal::Module;
        let run = |agent: Option<String>, text: String| Run {
            agent,
            before: Vec::new(),
            text,
            module,
        };
        runs.push(run(None, program.source.clone()));
        let mut ways = Vec::new();
        for variant in variants(&program.source) {
            let text = variant
                .rewrite(&program.source, program.goal, 1)
                .unwrap_or_else(|error| panic!("{}: {error}", program.name));
            ways.push(variant.name.to_owned());
            runs.push(run(Some(variant.agent()), text));
        }
        names.push(ways);
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
