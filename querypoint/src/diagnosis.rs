//! What declarative debugging found: `querypoint/diagnosis/1`. The schema is `docs/diagnosis.schema.json`.

use serde::{Deserialize, Serialize};

use crate::answer::{Location, Value};
use crate::events::LoggedEvent;

/// The name of the format.
pub const DIAGNOSIS_SCHEMA: &str = "querypoint/diagnosis/1";

/// What became of a session of questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// [`DIAGNOSIS_SCHEMA`].
    pub schema: String,
    /// The faulty call: it is wrong, and all that it called is right or trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<FoundCall>,
    /// How many answers a person gave, or who played one.
    pub asked: u32,
    /// How many answers nobody had to give.
    pub automatic: u32,
    /// How many calls the tree has.
    pub nodes: u64,
    /// What was asked and answered, in order.
    pub questions: Vec<JudgedCall>,
    /// Where no call was found: those that cannot be told apart, the one that is known to be wrong first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub suspicious: Vec<FoundCall>,
    /// Of the faulty call: what happened in it, in order, with the calls that it made; the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub events: Vec<LoggedEvent>,
    /// The state after each of these events, beside the state at the beginning of the call.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub states: Vec<StateAfter>,
    /// What is missing, and what else a reader should know.
    pub notes: Vec<String>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundCall {
    /// Its function.
    pub function: String,
    /// Where the function is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The number of the event of the log with which it began.
    pub call: u64,
    /// Where loops are expanded: the iteration that it is, with all behind it, of a loop in that function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<LoopIteration>,
}

/// An iteration of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopIteration {
    /// The loop, without the statement that is repeated.
    pub text: String,
    /// Which iteration, from 1.
    pub number: u64,
    /// Where its condition or variable is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// A call, and what was said of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedCall {
    /// Its function.
    pub function: String,
    /// Where the function is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The number of the event of the log with which it began.
    pub call: u64,
    /// Where loops are expanded: the iteration that it is, with all behind it, of a loop in that function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<LoopIteration>,
    /// What it was given, as it was then.
    pub arguments: Vec<Value>,
    /// `this`, as it was then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub this: Option<Value>,
    /// What it changed that was there before.
    pub changes: Vec<CallChange>,
    /// What it returned, as it was then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned: Option<Value>,
    /// The exception that left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<Value>,
    /// What was said.
    pub answer: CallAnswer,
    /// Who said it.
    pub by: AnsweredBy,
    /// Why, where no person said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Something that a call changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallChange {
    /// What: `this.root.left`, or a variable.
    pub name: String,
    /// What it was; absent: it was not there, or that is not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// What it is; absent: it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

/// The state after an event of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateAfter {
    /// The number of the event.
    pub event: u64,
    /// What is another value than at the beginning of the call: variables of the call, and what was there before it.
    pub changes: Vec<CallChange>,
}

/// A name, and its value when the call began and when it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The parameter or variable.
    pub name: String,
    /// What it was; absent: not known, or not set yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<Value>,
    /// What it was at the end, where that is another value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Value>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "kebab-case")]
pub enum Ended {
    /// It returned.
    Returned(Option<Value>),
    /// The top of a script has run to its end.
    AtTheEnd,
    /// An exception left it.
    Threw(Option<Value>),
    /// It is suspended: an `await` or `yield` has not come back.
    Suspended,
    /// The log has no end of it.
    Open,
}

/// A call, as it is shown to who is asked about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallView {
    /// The function and where it is.
    #[serde(flatten)]
    pub call: FoundCall,
    /// Who called it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Where it was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_at: Option<Location>,
    /// What it is part of, where nobody called it: `click`, `script`, ….
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Where nobody called it: the call or assignment with which the function was handed over, to a timer, as a
    /// listener, as the reaction to a promise. `function` is who handed it over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_over: Option<Box<LoggedEvent>>,
    /// `this`; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub this: Option<Value>,
    /// What it was given, by parameter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Named>,
    /// Its other variables at its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locals: Vec<Named>,
    /// What it changed that was there before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<CallChange>,
    /// How many more changes there are.
    #[serde(default)]
    pub more_changes: usize,
    /// What it did to the page beside, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page: Vec<PageEffect>,
    /// How it ended.
    pub ended: Ended,
    /// How many calls it made.
    pub calls: usize,
}

/// Something that a call did to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageEffect {
    /// To what of it.
    pub kind: PageEffectKind,
    /// What it did, as code: `list.append(HTMLLIElement #8)`.
    pub text: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// What of a page a call changed, or what it sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageEffectKind {
    /// What the page shows.
    Document,
    /// `localStorage` and `sessionStorage`.
    Storage,
    /// A request.
    Network,
}

/// What is said of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallAnswer {
    /// Given what it was given, it did what it should.
    Valid,
    /// It did not.
    Invalid,
    /// All calls of its function do what they should.
    Trusted,
    /// Not known.
    Unknown,
    /// It should never have been called with this.
    Inadmissible,
}

/// Who said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnsweredBy {
    /// A person, an answers file, or a good version that plays a person.
    Person,
    /// A good version of the page, or a file of functions.
    Oracle,
    /// The same call was judged before.
    Same,
    /// Its function is trusted.
    Trusted,
    /// The page itself: an assertion that failed, or a declared type.
    Test,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Owner, ValueType};
    use crate::events::EventKind;
    use crate::schemas::{location, member_paths, problems, schema_paths};
    use serde_json::Value as Json;

    /// A diagnosis with everything that one can have.
    fn whole() -> Diagnosis {
        let value = || Some(Value::new(ValueType::Number, "1"));
        let iteration = || {
            Some(LoopIteration {
                text: "while (node)".to_owned(),
                number: 2,
                location: Some(location(24)),
            })
        };
        let found = FoundCall {
            function: "Tree.insert".to_owned(),
            location: Some(location(22)),
            call: 7,
            iteration: iteration(),
        };
        Diagnosis {
            schema: DIAGNOSIS_SCHEMA.to_owned(),
            found: Some(found.clone()),
            asked: 1,
            automatic: 0,
            nodes: 3,
            questions: vec![JudgedCall {
                function: "Tree.insert".to_owned(),
                location: Some(location(22)),
                call: 7,
                iteration: iteration(),
                arguments: value().into_iter().collect(),
                this: value(),
                changes: vec![CallChange {
                    name: "this.size".to_owned(),
                    old: value(),
                    new: value(),
                }],
                returned: value(),
                exception: value(),
                answer: CallAnswer::Invalid,
                by: AnsweredBy::Person,
                why: Some("the good version returned 2".to_owned()),
            }],
            suspicious: vec![found],
            events: vec![LoggedEvent {
                location: Some(location(23)),
                function: Some("Tree.insert".to_owned()),
                call: Some(7),
                name: Some("size".to_owned()),
                owner: Some(Owner {
                    id: 3,
                    class: "Tree".to_owned(),
                }),
                value: value(),
                old: value(),
                arguments: Some(value().into_iter().collect()),
                returned: value(),
                exception: value(),
                depth: Some(1),
                ..LoggedEvent::new(9, EventKind::Write)
            }],
            states: vec![StateAfter {
                event: 9,
                changes: vec![CallChange {
                    name: "this.size".to_owned(),
                    old: value(),
                    new: value(),
                }],
            }],
            notes: vec!["a note".to_owned()],
        }
    }

    #[test]
    fn the_schema_has_what_the_types_have_and_nothing_else() {
        let schema: Json =
            serde_json::from_str(include_str!("../../docs/diagnosis.schema.json")).unwrap();
        let json = serde_json::to_value(whole()).unwrap();
        assert_eq!(problems(&schema, &json), Vec::<String>::new());
        assert_eq!(member_paths(&json), schema_paths(&schema));
        assert_eq!(serde_json::from_value::<Diagnosis>(json).unwrap(), whole());
        for (place, words) in [
            (
                "answer",
                r#"["valid","invalid","trusted","unknown","inadmissible"]"#,
            ),
            ("by", r#"["person","oracle","same","trusted","test"]"#),
        ] {
            let path = format!("/$defs/judged/properties/{place}/enum");
            assert_eq!(schema.pointer(&path).unwrap().to_string(), words);
        }
        let mut wrong = serde_json::to_value(whole()).unwrap();
        wrong["questions"][0]["answer"] = "perhaps".into();
        assert_eq!(problems(&schema, &wrong).len(), 1);
    }
}
