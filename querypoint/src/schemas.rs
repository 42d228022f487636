//! How the tests hold types and their published schemas together.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::answer::{
    Answer, Consistency, Coverage, EvalOrigin, GeneratedLocation, Location, PointAnswer, SCHEMA,
    Timing,
};

/// A location with everything that one can have.
pub(crate) fn location(line: u32) -> Location {
    Location {
        url: "http://h/src/Cart.tsx".to_owned(),
        line,
        column: 3,
        generated: Some(GeneratedLocation {
            url: "http://h/app.js".to_owned(),
            line: 1,
            column: 2901,
        }),
        eval_origin: Some(EvalOrigin {
            by: "eval".to_owned(),
            url: "http://h/app.js".to_owned(),
            line: 1,
            column: 2880,
        }),
        library: true,
    }
}

/// An answer of one execution of `http://h/` with these points, about which there is nothing to say.
pub(crate) fn answer(points: Vec<PointAnswer>) -> Answer {
    Answer {
        schema: SCHEMA.to_owned(),
        page: "http://h/".to_owned(),
        executions: 1,
        points,
        coverage: Coverage::default(),
        consistency: Consistency {
            agrees: true,
            notes: Vec::new(),
        },
        timing_ms: Timing::default(),
        runs: None,
        kept: None,
    }
}

/// What `schema` says is wrong with `value`.
pub(crate) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    validator
        .iter_errors(value)
        .map(|error| error.to_string())
        .collect()
}

/// The paths of all members of a value, array items as `[]`.
pub(crate) fn member_paths(value: &Value) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    members(value, "", &mut paths);
    paths
}

/// The same, of all values that `schema` allows.
pub(crate) fn schema_paths(schema: &Value) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    allowed(schema, schema, "", &mut paths);
    paths
}

fn members(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        Value::Object(members_of) => {
            for (name, member) in members_of {
                let path = format!("{path}.{name}");
                members(member, &path, paths);
                paths.insert(path);
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| members(item, &format!("{path}[]"), paths)),
        _ => {}
    }
}

fn allowed(schema: &Value, node: &Value, path: &str, paths: &mut BTreeSet<String>) {
    if let Some(reference) = node["$ref"].as_str() {
        let definition = schema.pointer(&reference[1..]).unwrap();
        allowed(schema, definition, path, paths);
    }
    for (name, member) in node["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        allowed(schema, member, &path, paths);
        paths.insert(path);
    }
    for item in node["prefixItems"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(node.get("items"))
    {
        allowed(schema, item, &format!("{path}[]"), paths);
    }
}
