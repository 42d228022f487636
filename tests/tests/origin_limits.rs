//! An origin is followed in so many executions and no more.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::origins::{HOSTILE, UNSURE, WAYS, asked, detail, path, site_of};

#[test]
fn at_the_limit_the_chain_so_far_is_the_answer() {
    let site = site_of(UNSURE);
    let (points, executions) = asked(&site, &["origin(store.deep)"], &["--max-executions", "2"]);
    assert_eq!(executions, 2);
    let path = path(&points[0]);
    assert_eq!(path[0], "property 10:35 store.deep = 0");
    assert_eq!(path.last().unwrap(), "unobserved");
    assert!(
        detail(&points[0]).contains("was to run at most 2 times"),
        "{}",
        detail(&points[0])
    );
}

/// However a chain goes on, and whatever is asked at its point.
#[test]
fn the_page_runs_no_more_often_than_it_may() {
    let open = site_of(HOSTILE);
    let there = site_of(WAYS);
    let mut left_out = false;
    for most in 1..=6u64 {
        let limit = most.to_string();
        let more = ["--max-executions", limit.as_str()];
        let (points, executions) = asked(&open, &["origin(snap.p)", "origin(which)"], &more);
        assert!(executions <= most, "{executions} of {most}: {points:#?}");
        let queries = [
            "D = origin(taken)",
            "lastChange(D:config)",
            "origin(D:kept)",
        ];
        let (points, executions) = asked(&there, &queries, &more);
        assert!(executions <= most, "{executions} of {most}: {points:#?}");
        assert_eq!(points.len(), 3);
        let note = points[1]["note"].as_str().unwrap_or_default();
        left_out |= note == format!("not asked: the page was to run at most {most} times");
    }
    assert!(
        left_out,
        "with one limit there is no execution left for what is asked there"
    );
}
