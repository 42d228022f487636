//! `origin` on the pages of `tests/origins`: each `out.name = …` is asked. What is made by the text of the program is a
//! text that occurs once in the page; where that is, is known without any hook.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fmt::Write as _;

use crate::loopback::*;
use serde_json::Value;
use test_support::origins::asked_names;

/// Where a text is that occurs once, as `line:column`.
fn only_place(code: &str, text: &str) -> Option<String> {
    let quoted = format!("'{text}'");
    let at = code.find(&quoted)?;
    if code.matches(&quoted).count() > 1 {
        return None;
    }
    let before = &code[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    Some(format!("{line}:{column}"))
}

fn place(location: &Value) -> String {
    format!("{}:{}", location["line"], location["column"])
}

/// Asks a page for all of its names at once.
fn ways(name: &str) -> String {
    let read = |name: &str| {
        let path = format!("{}/origins/{name}.js", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    let code = read(name);
    let kind = match code.contains("\nimport ") {
        true => "type=module",
        false => "",
    };
    let mut files = vec![
        ("/", page(&format!("<script {kind} src=app.js></script>"))),
        ("/app.js", script(&code)),
        (
            "/data.json",
            Reply::new(
                "application/json",
                r#"{"items":[{"name":"from the server"}]}"#,
            ),
        ),
    ];
    if !kind.is_empty() {
        files.push(("/lib.js", script(&read("modules.lib"))));
        files.push(("/deep.js", script(&read("modules.deep"))));
    }
    let site = Site::new(&files);
    let url = site.url("/");
    let names = asked_names(&code);
    let queries: Vec<String> = names
        .iter()
        .map(|name| format!("origin(out.{name})"))
        .collect();
    let mut arguments = vec!["ask", &url, "--at", "console:asked here", "--json"];
    arguments.extend(queries.iter().map(String::as_str));
    let answer = querypoint(&arguments).answer();
    let points = answer["points"].as_array().unwrap();
    let mut shown = String::new();
    for (name, point) in names.iter().zip(&points[1..]) {
        let _ = writeln!(shown, "{name}");
        for hop in point["hops"].as_array().into_iter().flatten() {
            let _ = writeln!(
                shown,
                "  {} {} {} = {}",
                hop["kind"].as_str().unwrap(),
                place(&hop["location"]),
                hop["name"].as_str().unwrap_or_default(),
                hop["value"]["text"].as_str().unwrap()
            );
        }
        let end = &point["end"];
        let kind = end["kind"].as_str().unwrap_or("none");
        let at = match end["location"].is_object() {
            true if end["location"]["url"] != format!("{url}app.js") => {
                let file = end["location"]["url"].as_str().unwrap();
                format!("{}:{}", file.replace(&url, ""), place(&end["location"]))
            }
            true => place(&end["location"]),
            false => "-".to_owned(),
        };
        let detail = match kind {
            "unobserved" | "missing" => end["detail"].as_str().unwrap_or_default(),
            _ => "",
        };
        let _ = writeln!(shown, "  end {kind} {at} {detail}");
        // The text itself says where it was made; what code has that a script made is in no file.
        let value = point["hops"][0]["value"]["text"].as_str().unwrap();
        let text: Option<String> = serde_json::from_str(value).ok();
        if let Some(expected) = text.and_then(|text| only_place(&code, &text))
            && kind == "literal"
            && end["location"]["maker"].is_null()
        {
            assert_eq!(at, expected, "{name} of {}", point);
        }
    }
    let _ = writeln!(shown, "{} executions", answer["executions"]);
    shown
}

#[test]
fn promises_and_exceptions() {
    insta::assert_snapshot!(ways("promises"));
}

#[test]
fn what_classes_hand_on_and_lists_with_another_element() {
    insta::assert_snapshot!(ways("classes"));
}

#[test]
fn generators_and_iterators() {
    insta::assert_snapshot!(ways("generators"));
}

#[test]
fn callbacks_of_built_ins() {
    insta::assert_snapshot!(ways("callbacks"));
}

#[test]
fn callbacks_over_lists_that_built_ins_made() {
    insta::assert_snapshot!(ways("chained"));
}

#[test]
fn computed_keys() {
    insta::assert_snapshot!(ways("keys"));
}

#[test]
fn functions_accessors_and_traps() {
    insta::assert_snapshot!(ways("functions"));
}

#[test]
fn what_the_object_of_a_with_has() {
    insta::assert_snapshot!(ways("with"));
}

#[test]
fn functions_of_the_language_under_other_names() {
    insta::assert_snapshot!(ways("aliases"));
}

#[test]
fn the_global_object_by_all_its_names() {
    insta::assert_snapshot!(ways("globals"));
}

#[test]
fn exports_as_bundlers_write_them() {
    insta::assert_snapshot!(ways("bundled"));
}

#[test]
fn code_given_to_eval() {
    insta::assert_snapshot!(ways("evals"));
}

#[test]
fn storage_events_messages_and_responses() {
    insta::assert_snapshot!(ways("platform"));
}

#[test]
fn imports_and_exports() {
    insta::assert_snapshot!(ways("modules"));
}

#[test]
fn reactions_with_names() {
    insta::assert_snapshot!(ways("reactions"));
}

#[test]
fn sets_maps_generators_and_names_of_properties() {
    insta::assert_snapshot!(ways("iterables"));
}

#[test]
fn long_ways_rings_and_what_is_not_known() {
    insta::assert_snapshot!(ways("limits"));
}

#[test]
fn methods_by_computed_names_and_what_the_same_expression_writes() {
    insta::assert_snapshot!(ways("borrowed"));
}

#[test]
fn what_is_inside_texts() {
    insta::assert_snapshot!(ways("texts"));
}

#[test]
fn documents_channels_and_databases() {
    insta::assert_snapshot!(ways("browser"));
}

#[test]
fn objects_that_came_from_outside() {
    insta::assert_snapshot!(ways("foreign"));
}

#[test]
fn what_objects_inherit() {
    insta::assert_snapshot!(ways("inherited"));
}

#[test]
fn async_functions_as_compilers_write_them() {
    insta::assert_snapshot!(ways("compiled"));
}

#[test]
fn texts_of_thousands_of_units() {
    insta::assert_snapshot!(ways("longer"));
}

#[test]
fn code_in_texts_lists_of_the_document_and_objects_with_then() {
    insta::assert_snapshot!(ways("further"));
}

#[test]
fn optional_calls_spreads_and_what_setters_took() {
    insta::assert_snapshot!(ways("optional"));
}

#[test]
fn loops_that_wait_and_lists_of_promises() {
    insta::assert_snapshot!(ways("waiting"));
}

#[test]
fn what_errors_hold_and_what_json_has_instead_of_objects() {
    insta::assert_snapshot!(ways("errors"));
}

#[test]
fn functions_that_are_called_by_other_names_as_they_ran() {
    insta::assert_snapshot!(ways("named"));
}

#[test]
fn iterators_by_hand_and_parameters_of_generators() {
    insta::assert_snapshot!(ways("hand"));
}

#[test]
fn texts_and_attributes_that_are_read_back_of_markup() {
    insta::assert_snapshot!(ways("markup"));
}

#[test]
fn built_ins_under_computed_names_and_functions_that_reflect_calls() {
    insta::assert_snapshot!(ways("applied"));
}

#[test]
fn names_that_traps_are_called_with() {
    insta::assert_snapshot!(ways("traps"));
}

#[test]
fn texts_that_are_read_by_way_of_other_nodes() {
    insta::assert_snapshot!(ways("nodes"));
}

#[test]
fn getters_and_setters_by_descriptions_and_names_that_other_code_has() {
    insta::assert_snapshot!(ways("described"));
}

#[test]
fn patterns_behind_functions_that_hand_on_their_arguments() {
    insta::assert_snapshot!(ways("forwarded"));
}

#[test]
fn what_rest_parameters_and_arguments_hold() {
    insta::assert_snapshot!(ways("rest"));
}
