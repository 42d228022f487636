//! What a person types or a recorder writes: it is understood or refused with a message, and what was understood can be
//! written down and read again.

use querypoint::graph::DependencyGraph;
use querypoint::plan::CollectionPlan;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use recording::Recording;
use serde_json::Value;

/// Each line is a query; those that parse are asked together, with the last line as a watch.
pub fn query(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut queries = Vec::new();
    for line in text.split('\n') {
        match Query::parse(line) {
            Ok(query) => {
                let written = query.to_string();
                let again = Query::parse(&written)
                    .unwrap_or_else(|error| panic!("{line:?} → {written:?}: {error}"));
                assert_eq!(again.to_string(), written, "of {line:?}");
                assert_eq!(again.kind, query.kind, "of {line:?}, as {written:?}");
                queries.push(query);
            }
            Err(error) => has_caret(&error.render()),
        }
    }
    match DependencyGraph::new(queries) {
        Ok(graph) => {
            let watches: Vec<String> = text.lines().last().map(str::to_owned).into_iter().collect();
            if let Err(error) = CollectionPlan::new(&graph, &watches) {
                assert!(!error.render().is_empty());
            }
        }
        Err(error) => assert!(!error.render().is_empty()),
    }
}

/// The first line is a point; the second an address.
pub fn point(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (text, address) = text.split_once('\n').unwrap_or((&text, ""));
    match ReproductionPoint::parse(text) {
        Ok(point) => {
            let written = point.to_string();
            let again = ReproductionPoint::parse(&written);
            assert_eq!(again.as_ref(), Ok(&point), "{text:?} → {written:?}");
            let _ = point.matches_url(address);
        }
        Err(error) => has_caret(&error.render()),
    }
}

/// The text is a recording.
pub fn recording(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    match Recording::parse(&text) {
        Ok(recording) => {
            let written = recording.to_json();
            let again = Recording::parse(&written)
                .unwrap_or_else(|error| panic!("{written}\nis refused: {error}"));
            // What we do not know is kept as it is, but for the last bit of a number.
            let values =
                [&written, &again.to_json()].map(|json| serde_json::from_str(json).unwrap());
            assert!(
                is_same(&values[0], &values[1]),
                "as it was written: {written}"
            );
            for step in &recording.steps {
                assert!(!step.describe().is_empty());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Whether two values are the same, numbers as exactly as the JSON parser reads them.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap_or(0.0), other.as_f64().unwrap_or(0.0));
            (one - other).abs() <= one.abs() * 4.0 * f64::EPSILON
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|b| is_same(value, b)))
        }
        _ => one == other,
    }
}

/// A refusal shows the text and a caret under the place.
fn has_caret(message: &str) {
    assert!(message.contains('^'), "no caret: {message}");
}
