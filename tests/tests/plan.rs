//! `querypoint plan`: what it says of real pages is what `ask` then does.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::loopback::{schema_problems, shared_browser};
use end_to_end::{querypoint_command, repository};
use serde_json::Value;

fn querypoint(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(querypoint_command().unwrap());
    command.args(arguments);
    if let Some((_, address)) = shared_browser(arguments) {
        command.args(["--connect", &address]);
    }
    command.current_dir(folder).output().unwrap()
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let output = querypoint(arguments, folder);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let errors = String::from_utf8_lossy(&output.stderr);
        panic!("{arguments:?}: {error}\n{errors}")
    })
}

/// Line and column, in the file at `url`.
type FilePosition = (String, u64, u64);

fn place(value: &Value) -> FilePosition {
    let number = |name: &str| value[name].as_u64().unwrap_or(0);
    // Each run has a server of its own.
    let path = value["url"].as_str().unwrap_or_default();
    let path = path.rsplit('/').next().unwrap_or_default();
    (path.to_owned(), number("line"), number("column"))
}

fn places(point: &Value) -> Vec<FilePosition> {
    let lists = ["sites", "calls"].map(|name| point[name].as_array().cloned());
    lists.iter().flatten().flatten().map(place).collect()
}

/// Asks, and plans the same: the plan and the answer. Every change and condition that was found is among the plan's
/// sites.
fn planned_and_asked(folder: &Path, page: &str, at: &str, queries: &[&str]) -> (Value, Value) {
    let mut options = vec!["--json", "--at", at];
    if folder.join("recording.json").is_file() {
        options.extend(["--recording", "recording.json"]);
    }
    let plan = json(&[&["plan"], queries, &options, &[page]].concat(), folder);
    assert_eq!(schema_problems(&plan, "plan"), [""; 0], "{plan:#}");
    let ask = ["ask", "--no-keep"];
    let answer = json(&[&ask, &options[..], &[page], queries].concat(), folder);
    let planned = plan["points"].as_array().unwrap();
    let found = answer["points"].as_array().unwrap();
    assert_eq!(planned.len(), found.len());
    for (planned, found) in planned.iter().zip(found) {
        assert_eq!(planned["name"], found["name"]);
        assert_eq!(found["status"], "found", "{found}");
        let is_site = !found["query"]
            .as_str()
            .is_some_and(|query| query.starts_with("exceptionAfter"));
        let location = place(&found["location"]);
        // What threw is no site, and neither is where an exception as the reproduction point was thrown.
        if is_site && !places(planned).is_empty() {
            let places = places(planned);
            assert!(places.contains(&location), "{location:?} in {planned:#}");
        }
    }
    (plan, answer)
}

fn executions(plan: &Value) -> u64 {
    plan["executions"].as_array().unwrap().len() as u64
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn test_page(name: &str) -> PathBuf {
    repository().join("test-pages").join(name)
}

/// A page of its own folder.
fn page(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("page.html"), text).unwrap();
    folder
}

#[test]
fn a_plan_names_the_sites_and_the_executions_of_the_answer() {
    let queries = [
        "B = lastChange(R:myObject.myProperty)",
        "C = lastChange(B:myCondition.value)",
        "D = lastCondition(B)",
    ];
    let (plan, answer) = planned_and_asked(
        &test_page("counter"),
        "index.html",
        "index.html:22",
        &queries,
    );
    assert_eq!(plan["schema"], "querypoint/plan/1");
    assert_eq!(plan["executions"].as_array().unwrap().len(), 2);
    assert_eq!(answer["executions"], 2);
    let points = plan["points"].as_array().unwrap();
    let lines = |point: &Value| -> Vec<u64> { places(point).iter().map(|place| place.1).collect() };
    assert_eq!(lines(&points[0]), [22]);
    assert_eq!(lines(&points[1]), [14, 29, 39]);
    assert_eq!(lines(&points[2]), [15, 35]);
    assert_eq!(lines(&points[3]), [27], "one condition can be the answer");
    assert_eq!(
        points[3]["sites"][0]["condition"],
        "condition === undefined"
    );
    assert_eq!(points[1]["sites"][1]["function"], "bar");
    let needed: Vec<&Value> = points[1]["look_ups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|look_up| &look_up["for"])
        .collect();
    assert_eq!(needed, ["C", "D"]);
}

#[test]
fn sites_of_bundles_are_places_in_what_their_authors_wrote() {
    let expected = fs::read_to_string(test_page("react-cart").join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let queries = names(&expected["queries"]);
    let (plan, _) = planned_and_asked(
        &test_page("react-cart"),
        expected["page"].as_str().unwrap_or("index.html"),
        expected["at"].as_str().unwrap(),
        &queries,
    );
    assert_eq!(
        plan["fewer"].as_str().map(|it| it.contains("is spared")),
        Some(true)
    );
    let own = plan["points"][1]["sites"].as_array().unwrap().iter();
    let own: Vec<&Value> = own
        .filter(|site| site["url"].as_str().unwrap().ends_with(".ts"))
        .collect();
    assert!(!own.is_empty() && own.iter().all(|site| site["generated"].is_object()));
}

#[test]
fn a_caller_s_frame_takes_one_more_execution_as_planned() {
    let folder = page(
        "<script>\nfunction outer() {\n  let total = 1;\n  inner();\n}\nfunction inner() \
         {\n  console.log(1);\n}\nouter();\n</script>",
    );
    let (plan, answer) = planned_and_asked(
        folder.path(),
        "page.html",
        "page.html:7",
        &["B = lastChange(R(1):total)"],
    );
    assert_eq!(executions(&plan), 3);
    assert_eq!(answer["executions"], 3);
    assert_eq!(plan["points"][0]["look_ups"][0]["by"], "debugger");
    assert_eq!(names(&plan["executions"][1]["finds"]), ["B"]);
}

#[test]
fn what_is_known_only_at_the_point_is_found_out_where_the_page_reaches_it() {
    let folder = page(
        "<script>\nconst list = [1, 2], i = 1;\nfunction show() {\n  console.log(list[i]);\n}\nlist[i] = \
         3;\nshow();\n</script>",
    );
    let (plan, answer) = planned_and_asked(
        folder.path(),
        "page.html",
        "page.html:4",
        &["B = lastChange(R:list[i])"],
    );
    assert_eq!(executions(&plan), 3);
    // The second one reads what it finds, as the plan says it may.
    assert!(plan["fewer"].is_string(), "{plan:#}");
    assert_eq!(answer["executions"], 2);
    assert_eq!(names(&plan["executions"][0]["learns"]), ["B"]);
    assert_eq!(
        names(&plan["points"][1]["watched"]),
        ["the property that i names", "[\"1\"]"]
    );
}

#[test]
fn try_blocks_and_exceptions() {
    let folder = page(
        "<script>\nconst record = {};\nfunction work() {\n  try \
         {\n    record.name = 'x';\n    record.bar.length;\n  } catch {}\n}\nwork();\nconsole.log(record);\n</script>",
    );
    let (plan, answer) = planned_and_asked(
        folder.path(),
        "page.html",
        "page.html:10",
        &["B = lastChange(R:record.name)", "E = exceptionAfter(B)"],
    );
    assert_eq!(executions(&plan), answer["executions"].as_u64().unwrap());
    assert_eq!(plan["points"][2]["sites"][0]["kind"], "try block");
    assert_eq!(plan["points"][2]["sites"][0]["line"], 4);
}

#[test]
fn events_of_a_trace_query_and_when_they_are_looked_at() {
    let folder = page(
        "<script>\nlet sum = 0;\nfunction add(n) {\n  sum += n;\n}\n[1, 2, 3].forEach((n) => \
         add(n));\nconsole.log(sum);\n</script>",
    );
    let (plan, answer) = planned_and_asked(
        folder.path(),
        "page.html",
        "page.html:7",
        &[
            "T = trace(call(add), when(n > 1), index 0)",
            "B = lastChange(T:sum)",
        ],
    );
    assert_eq!(executions(&plan), answer["executions"].as_u64().unwrap());
    assert_eq!(names(&plan["executions"][1]["examines"]), ["T"]);
    assert_eq!(plan["points"][1]["sites"][0]["kind"], "event");
    assert_eq!(plan["points"][1]["sites"][0]["line"], 3);
    let of_sum = places(&plan["points"][2]);
    let lines: Vec<u64> = of_sum.iter().map(|place| place.1).collect();
    assert_eq!(lines, [2, 4]);
}

#[test]
fn a_point_in_no_script_ends_with_status_3_and_a_point_not_passed_yet_with_0() {
    let folder = page("<script>\nfunction later(o) {\n  o.x = 1;\n}\n</script>");
    let plan = |at: &str| {
        querypoint(
            &["plan", "lastChange(R:o.x)", "--at", at, "page.html"],
            folder.path(),
        )
    };
    let nowhere = plan("missing.js:3");
    assert_eq!(nowhere.status.code(), Some(3));
    let text = String::from_utf8_lossy(&nowhere.stdout).into_owned();
    assert!(
        text.contains("no script whose address ends in missing.js"),
        "{text}"
    );
    let later = plan("page.html:3");
    assert_eq!(later.status.code(), Some(0));
    let text = String::from_utf8_lossy(&later.stdout).into_owned();
    assert!(text.contains("page.html:3:3"), "{text}");
    assert!(text.contains("was never reached"), "{text}");
    let errors = String::from_utf8_lossy(&later.stderr).into_owned();
    assert!(
        errors.contains("seeing which scripts there are"),
        "{errors}"
    );
}

#[test]
fn the_document_shows_what_is_printed() {
    let document = fs::read_to_string(repository().join("docs/reference/plan.md")).unwrap();
    let shown = document.split("```text\n").nth(1);
    let shown = shown.and_then(|rest| rest.split("```").next()).unwrap();
    let queries = [
        "B = lastChange(R:myObject.myProperty)",
        "C = lastCondition(B)",
    ];
    let options = ["--at", "index.html:22", "index.html"];
    let arguments = [&["plan"], &queries[..], &options[..]].concat();
    let output = querypoint(&arguments, &test_page("counter"));
    // The page reaches line 22 as it loads, so nothing has to be clicked.
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), shown);
    for word in queries {
        assert!(document.contains(&format!("'{word}'")), "{word}");
    }
}

#[test]
fn a_plan_knows_that_the_stack_of_a_point_comes_first() {
    let queries = [
        "B = lastChange(R:cart.total)",
        "T = trace(assign(rate), before(B), mayAffect(B))",
        "C = trace(create(Item), mayAffect(B), index 0)",
    ];
    let (plan, answer) = planned_and_asked(
        &repository().join("tests/fixtures/traces"),
        "may-affect-of-a-found-point.html",
        "may-affect-of-a-found-point.html:34",
        &queries,
    );
    assert_eq!(executions(&plan), 4);
    assert_eq!(answer["executions"], 4);
    let look_ups = plan["points"][1]["look_ups"].as_array().unwrap().iter();
    let seeks: Vec<&Value> = look_ups.map(|look_up| &look_up["seeks"]).collect();
    assert!(
        seeks.contains(&&Value::from("the stack: which call of each function")),
        "{plan:#}"
    );
}
