//! Lines of what minifiers merge, move and put into other functions: each is its author's, of the value, the condition
//! and the calls. `minified/tools.json` has what esbuild, terser, swc, rolldown and babel make of the files beside it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod loopback;

use loopback::*;
use serde_json::{Value, json};

const TOOLS: &str = include_str!("minified/tools.json");
const ORDERS: &str = include_str!("minified/orders.js");
const FIELD: &str = include_str!("minified/field.js");

/// What a tool made of a file, as a page asked these queries at its end.
fn asked(tool: &str, queries: &[&str]) -> Value {
    let tools: Vec<Value> = serde_json::from_str(TOOLS).unwrap();
    let made = tools.iter().find(|made| made["tool"] == tool).unwrap();
    let source = match made["of"].as_str() {
        Some("field") => FIELD,
        _ => ORDERS,
    };
    let map = json!({
        "version": 3, "sources": ["app.src.js"], "sourcesContent": [source],
        "mappings": made["mappings"], "names": made["names"],
    });
    let code = made["code"].as_str().unwrap();
    let site = Site::new(&[
        (
            "/",
            html(
                "<!doctype html><script>window.step = 6</script><script src=/dist/app.js></script>",
            ),
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
        let answer = asked(tool, &QUERIES);
        let points = answer["points"].as_array().unwrap();
        let found: Vec<String> = points[1..].iter().map(lines).collect();
        assert_eq!(found, expected, "{tool}");
    }
}

#[test]
fn a_call_of_what_a_tool_adds_is_at_what_it_is_called_for() {
    let answer = asked("babel", &["lastChange(R:probe.count)"]);
    // In the helper, then the field, and `new Order()`.
    assert_eq!(lines(&answer["points"][1]), "- 3 8");
}
