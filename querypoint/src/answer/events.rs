//! What a question to an event log is answered with: `querypoint/events/1`. The schema is `docs/events.schema.json`.

mod words;

use serde::{Deserialize, Serialize};

use super::{Location, Owner, Value};
pub use words::EventWords;

/// The name of the format.
pub const EVENTS_SCHEMA: &str = "querypoint/events/1";

/// The answers to the queries of one call of `querypoint query`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventsAnswer {
    /// [`EVENTS_SCHEMA`].
    pub schema: String,
    /// One for each query, in their order.
    pub results: Vec<EventsResult>,
}

/// The answer to one query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventsResult {
    /// The query's name: `Q1`, or as it was called.
    pub name: String,
    /// Its text.
    pub query: String,
    /// Whether the log has everything that the answer depends on.
    pub complete: bool,
    /// What is missing, and what else a reader should know.
    pub notes: Vec<String>,
    /// How many events there are.
    pub total: u64,
    /// Of a question that is answered by yes or no: which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
    /// The events, in their order; the first ones, if there are very many.
    pub events: Vec<LoggedEvent>,
    /// The SQL that gives them, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// A function is called.
    Call,
    /// A function returns.
    Return,
    /// An exception is thrown, or leaves a function.
    Throw,
    /// An exception is caught.
    Catch,
    /// A property is written.
    Write,
    /// A variable is written.
    Assign,
    /// An object is made.
    Create,
    /// A condition is decided.
    Branch,
    /// A line is reached.
    Step,
    /// What a collection holds.
    Contents,
    /// Something begins or ends to run on an empty stack.
    Task,
    /// A function hands over control.
    Suspend,
    /// It has control again.
    Resume,
    /// A promise has an outcome.
    Settle,
    /// The document was changed.
    Dom,
    /// A request leaves.
    Request,
    /// A response arrives.
    Response,
    /// The user did something.
    Action,
}

/// One event of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEvent {
    /// Its number in the log, from 0.
    pub seq: u64,
    /// What it is.
    pub kind: EventKind,
    /// Where: of a call where it was called, if that is known, else where the function is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The function that is called or returns, or that the event is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The number of the event with which the call that it is in, or that it ends, began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// The property, variable, class or condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The object that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// What is written, thrown, caught, made, returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// Of a call: what was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<Value>>,
    /// Of a call that returned: what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned: Option<Value>,
    /// Of a call that an exception left, the exception, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<Value>,
    /// In a tree: how many calls of it are around.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// A call or a task in a call tree that is opened row by row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRow {
    /// The event with which it begins.
    pub event: LoggedEvent,
    /// How many calls were made by it itself.
    pub children: u64,
    /// How many calls are below it at all depths.
    pub calls: u64,
}

/// The name of the format of comparisons.
pub const COMPARISON_SCHEMA: &str = "querypoint/comparison/1";

/// Two logs, compared: `querypoint/comparison/1`. The schema is `docs/comparison.schema.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`COMPARISON_SCHEMA`].
    pub schema: String,
    /// Whether they part anywhere.
    pub differs: bool,
    /// Where they part first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Difference>,
    /// Why, as far as that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<DifferenceCause>,
}

/// Where two logs part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// In what.
    pub kind: DifferenceKind,
    /// The event of the one; absent: it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<LoggedEvent>,
    /// The event of the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<LoggedEvent>,
}

/// In what two logs part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    /// Another event, at another place, or another way of a branch.
    Control,
    /// Another value.
    Data,
}

/// Why two logs part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferenceCause {
    /// Of what kind it is.
    pub kind: DifferenceCauseKind,
    /// In words.
    pub detail: String,
}

/// What kind of cause it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceCauseKind {
    /// Something from outside was another.
    Input,
    /// Something else ran first.
    Order,
    /// The code is another.
    Code,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::answer::ValueType;
    use crate::schemas::{location, member_paths, problems, schema_paths};
    use serde_json::Value as Json;

    /// An answer with everything that one can have.
    pub(crate) fn whole() -> EventsAnswer {
        let value = || Some(Value::new(ValueType::Number, "1"));
        let event = LoggedEvent {
            seq: 3,
            kind: EventKind::Write,
            location: Some(location(22)),
            function: Some("add".to_owned()),
            call: Some(1),
            name: Some("total".to_owned()),
            owner: Some(Owner {
                id: 7,
                class: "Cart".to_owned(),
            }),
            value: value(),
            old: value(),
            arguments: Some(value().into_iter().collect()),
            returned: value(),
            exception: value(),
            depth: Some(2),
        };
        EventsAnswer {
            schema: EVENTS_SCHEMA.to_owned(),
            results: vec![EventsResult {
                name: "Q1".to_owned(),
                query: "history(R:cart.total)".to_owned(),
                complete: true,
                notes: vec!["a note".to_owned()],
                total: 1,
                holds: Some(true),
                events: vec![event],
                sql: Some("SELECT seq FROM events".to_owned()),
            }],
        }
    }

    #[test]
    fn the_schema_of_comparisons_has_what_the_types_have_and_nothing_else() {
        let schema: Json =
            serde_json::from_str(include_str!("../../../docs/comparison.schema.json")).unwrap();
        let event = whole().results.remove(0).events.pop();
        let comparison = Comparison {
            schema: COMPARISON_SCHEMA.to_owned(),
            differs: true,
            first: Some(Difference {
                kind: DifferenceKind::Data,
                left: event.clone(),
                right: event,
            }),
            cause: Some(DifferenceCause {
                kind: DifferenceCauseKind::Code,
                detail: "add is not the same code in both".to_owned(),
            }),
        };
        let json = serde_json::to_value(comparison).unwrap();
        assert_eq!(problems(&schema, &json), Vec::<String>::new());
        assert_eq!(member_paths(&json), schema_paths(&schema));
    }

    #[test]
    fn the_schema_has_what_the_types_have_and_nothing_else() {
        let schema: Json =
            serde_json::from_str(include_str!("../../../docs/events.schema.json")).unwrap();
        let json = serde_json::to_value(whole()).unwrap();
        assert_eq!(problems(&schema, &json), Vec::<String>::new());
        assert_eq!(member_paths(&json), schema_paths(&schema));
        assert_eq!(
            serde_json::from_value::<EventsAnswer>(json).unwrap(),
            whole()
        );
        let kinds = schema.pointer("/$defs/event/properties/kind/enum");
        for kind in kinds.and_then(Json::as_array).unwrap() {
            let kind: EventKind = serde_json::from_value(kind.clone()).unwrap();
            assert!(
                schema
                    .to_string()
                    .contains(&format!("{kind:?}").to_lowercase())
            );
        }
        let mut wrong = serde_json::to_value(whole()).unwrap();
        wrong["results"][0]["events"][0]["kind"] = "move".into();
        assert_eq!(problems(&schema, &wrong).len(), 1);
    }
}
