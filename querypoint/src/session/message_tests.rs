//! Tests of the messages: what they are on the wire, and that the schema and the document say so.

use serde_json::{Value, json};

use super::message_samples::*;
use super::messages::*;
use super::methods;
use super::results::Text;
use super::tests::full_session;
use crate::schemas::{member_paths, problems, schema_paths};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../docs/protocol.schema.json")).unwrap()
}

fn definition(name: &str) -> Value {
    let mut schema = schema();
    schema["$ref"] = json!(format!("#/$defs/{name}"));
    schema.as_object_mut().unwrap().remove("oneOf");
    schema
}

#[test]
fn every_message_fits_the_schema_and_comes_back() {
    for (name, messages) in [
        ("request", requests()),
        ("response", responses()),
        ("notification", notifications()),
    ] {
        let schema = definition(name);
        for message in messages {
            assert_eq!(problems(&schema, &message), [""; 0], "{message}");
            let text = message.to_string();
            let again = match name {
                "request" => json!(serde_json::from_str::<Request>(&text).unwrap()),
                "response" => json!(serde_json::from_str::<Response>(&text).unwrap()),
                _ => json!(serde_json::from_str::<Notification>(&text).unwrap()),
            };
            assert_eq!(again, message);
        }
    }
}

/// The schema of what comes of a method.
fn result_of(method: &str) -> Value {
    let mut schema = schema();
    schema["$ref"] = json!(format!("#/$defs/results/properties/{method}"));
    schema.as_object_mut().unwrap().remove("oneOf");
    schema
}

#[test]
fn each_method_has_the_result_that_the_schema_gives_it() {
    let mut names = Vec::new();
    for (method, result) in results() {
        let schema = result_of(method);
        assert_eq!(problems(&schema, &result), [""; 0], "{method}: {result}");
        let mut paths = schema_paths(&schema);
        // An answer's values have more members than the schema repeats here, and may leave out the place.
        let is_of_answer = |path: &String| {
            path.starts_with(".variables[].")
                || path.starts_with(".execution_line.")
                || path.ends_with(".last_writer")
        };
        paths.retain(|path| !is_of_answer(path));
        let mut members = member_paths(&result);
        members.retain(|path| !is_of_answer(path));
        assert_eq!(members, paths, "{method}");
        names.push(method.to_owned());
    }
    names.sort();
    assert_eq!(names, methods("request"));
    let known = schema()["$defs"]["results"]["properties"].clone();
    let mut known: Vec<String> = known.as_object().unwrap().keys().cloned().collect();
    known.sort();
    assert_eq!(names, known);
}

#[test]
fn a_member_of_another_method_is_refused_by_the_schema() {
    let all = results();
    let different = |(one, a): &(&str, Value), (other, b): &(&str, Value)| {
        let is_other = member_paths(a) != member_paths(b);
        is_other.then(|| (one.to_string(), other.to_string(), b.clone()))
    };
    let mut compared = 0;
    for one in &all {
        for (method, other, result) in all.iter().filter_map(|it| different(one, it)) {
            // What comes of the other may be a part of what comes of this one: `{}` of `page`.
            let is_part = member_paths(&result).is_subset(&schema_paths(&result_of(&method)));
            if !is_part {
                assert_ne!(
                    problems(&result_of(&method), &result),
                    [""; 0],
                    "{method} with the result of {other}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn what_comes_of_another_method_cannot_be_read_as_this_one() {
    let text = Text {
        text: "t".to_owned(),
    };
    let outcome = ResponseOutcome::of::<methods::Html>(Ok(text.clone()));
    assert_eq!(outcome.clone().into_result::<methods::Source>(), Ok(text));
    let refusal = outcome.into_result::<methods::Ask>().unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Failed);
    assert!(
        refusal
            .message
            .starts_with("the result of ask cannot be read: missing field")
    );
}

/// The methods of a kind of message, as the schema lists them.
fn methods(name: &str) -> Vec<String> {
    let definition = schema()["$defs"][name].clone();
    let each = definition["oneOf"].as_array().unwrap().iter();
    let mut methods: Vec<String> = each
        .map(|one| {
            one["properties"]["method"]["const"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    methods.sort();
    methods
}

#[test]
fn the_schema_knows_no_other_methods_and_members() {
    let sorted = |messages: Vec<Value>| {
        let mut methods: Vec<String> = messages
            .iter()
            .map(|message| message["method"].as_str().unwrap().to_owned())
            .collect();
        methods.sort();
        methods
    };
    assert_eq!(sorted(requests()), methods("request"));
    assert_eq!(sorted(notifications()), methods("notification"));
    let mut session = json!(full_session());
    session.as_object_mut().unwrap().remove("answer");
    let mut paths = schema_paths(&definition("session"));
    paths.retain(|path| path != ".answer" && !path.starts_with(".answer."));
    assert_eq!(member_paths(&session), paths);
}

#[test]
fn the_document_names_every_method() {
    let document = include_str!("../../../docs/reference/protocol.md");
    for method in methods("request").iter().chain(&methods("notification")) {
        assert!(document.contains(&format!("`{method}`")), "{method}");
    }
}

#[test]
fn what_is_no_message_is_refused() {
    for text in [
        r#"{"id":1,"method":"stop","params":{}}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"stop","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"stop","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":-1,"method":"stop","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ask","params":{"query":5}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ask"}"#,
    ] {
        assert!(serde_json::from_str::<Request>(text).is_err(), "{text}");
        let value: Value = serde_json::from_str(text).unwrap();
        assert_ne!(problems(&definition("request"), &value), [""; 0], "{text}");
    }
    assert!(
        serde_json::from_str::<Response>(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":""}}"#
        )
        .is_err()
    );
}
