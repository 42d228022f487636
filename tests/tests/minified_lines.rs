//! Lines of what minifiers merge, move and put into other functions: each is its author's, of the value, the condition
//! and the calls. `minified/tools.json` has what esbuild, terser, swc, rolldown and babel make of the files beside it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use serde_json::{Value, json};

const TOOLS: &str = include_str!("minified/tools.json");
const ORDERS: &str = include_str!("minified/orders.js");
const BRANCHES: &str = include_str!("minified/branches.js");
const FIELD: &str = include_str!("minified/field.js");

/// What a tool made of a file, in a page that begins with `first`, asked these queries at its end.
fn asked((tool, file): (&str, &str), first: &str, queries: &[&str]) -> Value {
    let tools: Vec<Value> = serde_json::from_str(TOOLS).unwrap();
    let is_it = |made: &&Value| made["tool"] == tool && made["of"] == file;
    let made = tools.iter().find(is_it).unwrap();
    let source = match file {
        "orders" => ORDERS,
        "branches" => BRANCHES,
        _ => FIELD,
    };
    let map = json!({
        "version": 3, "sources": ["app.src.js"], "sourcesContent": [source],
        "mappings": made["mappings"], "names": made["names"],
    });
    let code = made["code"].as_str().unwrap();
    let site = Site::new(&[
        (
            "/",
            html(&format!(
                "<!doctype html><script>{first}</script><script src=/dist/app.js></script>"
            )),
        ),
        (
            "/dist/app.js",
            script(&format!("{code}\n//# sourceMappingURL=app.js.map")),
        ),
        (
            "/dist/app.js.map",
            Reply::new("application/json", map.to_string()),
        ),
    ]);
    let url = site.url("/");
    let mut arguments = vec!["ask", &url, "--at", "end", "--json"];
    arguments.extend(queries);
    querypoint(&arguments).answer()
}

/// The line of a point, then those of its callers; `-` is one that the tool made.
fn lines(point: &Value) -> String {
    let line = |place: &Value| match place["url"].as_str() {
        Some(url) if url.ends_with("app.src.js") => place["line"].to_string(),
        _ => "-".to_owned(),
    };
    let stack = point["stack"].as_array().unwrap();
    let callers = stack.iter().skip(1).map(line);
    let at = line(&point["location"]);
    std::iter::once(at)
        .chain(callers)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn what_a_minifier_merges_and_inlines_is_at_its_authors_lines() {
    const QUERIES: [&str; 8] = [
        "pushed = lastChange(R:probe.list.length)",
        "filled = lastCondition(pushed)",
        "counted = lastChange(R:probe.n)",
        "added = lastChange(R:probe.w)",
        "again = lastCondition(added)",
        "returned = lastChange(R:probe.v)",
        "chosen = lastChange(R:probe.list.last)",
        "shown = lastChange(R:probe)",
    ];
    let calls_are_kept = [
        "5 22 26", "4 22 26", "14 23 26", "12 23 26", "10 23 26", "23 26", "18 24 26", "27",
    ];
    // `all` is gone, and `third` within it.
    let inlined = ["5 22", "4 22", "14 23", "12 23", "10 23", "23", "18", "27"];
    // `third` is gone.
    let all_is_a_function = [
        "5 26", "4 26", "14 23 26", "12 23 26", "10 23 26", "23 26", "18 26", "27",
    ];
    // All is in a function of the tool's.
    let wrapped = calls_are_kept.map(|lines| format!("{lines} -"));
    let cases: [(&str, Vec<String>); 4] = [
        ("esbuild", calls_are_kept.map(str::to_owned).to_vec()),
        ("terser", inlined.map(str::to_owned).to_vec()),
        ("swc", all_is_a_function.map(str::to_owned).to_vec()),
        ("rolldown", wrapped.to_vec()),
    ];
    for (tool, expected) in cases {
        let answer = asked((tool, "orders"), "window.step = 6", &QUERIES);
        let points = answer["points"].as_array().unwrap();
        let found: Vec<String> = points[1..].iter().map(lines).collect();
        assert_eq!(found, expected, "{tool}");
    }
}

#[test]
fn a_call_of_what_a_tool_adds_is_at_what_it_is_called_for() {
    let answer = asked(("babel", "field"), "", &["lastChange(R:probe.count)"]);
    // In the helper, then the field, and `new Order()`.
    assert_eq!(lines(&answer["points"][1]), "- 3 8");
}

/// `out.label = urgent ? "now" : wish` of an `if` with two assignments: the line is that of the one which was meant.
#[test]
fn an_assignment_that_was_merged_from_several_is_at_the_one_that_ran() {
    const QUERIES: [&str; 8] = [
        "label = lastChange(R:probe.label)",
        "size = lastChange(R:probe.size)",
        "total = lastChange(R:probe.total)",
        "flag = lastChange(R:probe.flag)",
        "given = lastChange(R:probe.kind)",
        "kind = lastChange(given:kind)",
        "state = lastChange(R:probe.state)",
        "named = lastChange(R:probe.named.x)",
    ];
    let cases = [
        (
            "window.isUrgent = true; window.lines = 20",
            "4:5 10:25 18:5 23:5 35:3 31:5 39:3 43:5",
        ),
        (
            "window.isUrgent = false; window.lines = 2",
            "6:5 11:29 18:5 25:5 35:3 33:5 39:3 45:5",
        ),
        (
            "window.isUrgent = false; window.lines = 0",
            "6:5 12:8 18:5 25:5 35:3 33:5 39:3 45:5",
        ),
    ];
    for tool in ["esbuild", "terser", "swc", "rolldown"] {
        for (first, expected) in cases {
            let answer = asked((tool, "branches"), first, &QUERIES);
            let points = answer["points"].as_array().unwrap();
            let place = |point: &Value| {
                let place = &point["location"];
                format!("{}:{}", place["line"], place["column"])
            };
            let found: Vec<String> = points[1..].iter().map(place).collect();
            assert_eq!(found.join(" "), expected, "{tool} {first}");
        }
    }
}
