//! What an event says, in parts that each front end draws in its own colours.

use std::fmt::Write as _;

use super::{EventKind, LoggedEvent};
use crate::answer::{Value, ValueType};

/// An event in words.
///
/// ```
/// use querypoint::answer::{Value, ValueType};
/// use querypoint::events::{EventKind, LoggedEvent};
/// let written = LoggedEvent {
///     name: Some("sum".to_owned()),
///     old: Some(Value::new(ValueType::Number, "1")),
///     value: Some(Value::new(ValueType::Number, "2")),
///     function: Some("add".to_owned()),
///     ..LoggedEvent::new(7, EventKind::Assign)
/// };
/// let words = written.words();
/// assert_eq!((words.text.as_str(), words.within.as_deref()), ("sum", Some("add")));
/// assert_eq!((words.old.as_deref(), words.new.as_deref()), (Some("1"), Some("2")));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventWords {
    /// What happens, and to what.
    pub text: String,
    /// The value before, where something is written and it is known.
    pub old: Option<String>,
    /// The value that is written.
    pub new: Option<String>,
    /// The function in which it happens, where the text does not say it.
    pub within: Option<String>,
}

impl LoggedEvent {
    /// An event of which nothing else is known.
    #[must_use]
    pub const fn new(seq: u64, kind: EventKind) -> Self {
        Self {
            seq,
            kind,
            location: None,
            function: None,
            call: None,
            name: None,
            owner: None,
            value: None,
            old: None,
            arguments: None,
            returned: None,
            exception: None,
            depth: None,
        }
    }

    /// What a call was passed, and what came of it, on one line.
    #[must_use]
    pub fn call_line(&self) -> String {
        let mut line = self.function.clone().unwrap_or_default();
        if let Some(arguments) = &self.arguments {
            let _ = write!(line, "({})", texts(arguments));
        }
        match (&self.returned, &self.exception) {
            (Some(value), _) => {
                let _ = write!(line, " → {}", value.text);
            }
            (None, Some(exception)) => {
                let _ = write!(line, " ✗ {}", exception.text);
            }
            (None, None) => {}
        }
        line
    }

    /// What it says.
    #[must_use]
    pub fn words(&self) -> EventWords {
        let text_of = |value: &Option<Value>| value.as_ref().map(|value| value.text.clone());
        let name = self.name.clone().unwrap_or_default();
        let within = || {
            Some(
                self.function
                    .clone()
                    .unwrap_or_else(|| "top level".to_owned()),
            )
        };
        let owner = self.owner.as_ref();
        let owner = owner.map(|owner| format!("{} #{}", owner.class, owner.id));
        match self.kind {
            // Of code without hooks; with a value it is a parameter that the call gave it to.
            EventKind::Call if self.name.is_some() && self.value.is_none() => {
                let arguments = self.arguments.as_deref().unwrap_or_default();
                let mut text = format!("{name}({})", texts(arguments));
                if let Some(returned) = &self.returned {
                    let _ = write!(text, " → {}", returned.text);
                }
                EventWords {
                    text,
                    within: within(),
                    ..EventWords::default()
                }
            }
            // A parameter has its value from the call.
            EventKind::Call if self.name.is_some() => EventWords {
                text: name,
                new: text_of(&self.value),
                within: within(),
                ..EventWords::default()
            },
            EventKind::Call => EventWords {
                text: self.call_line(),
                ..EventWords::default()
            },
            EventKind::Return => {
                let function = self.function.as_deref().unwrap_or_default();
                let value = text_of(&self.returned).unwrap_or_else(|| "not recorded".to_owned());
                EventWords {
                    text: format!("{function} → {value}"),
                    ..EventWords::default()
                }
            }
            EventKind::Write | EventKind::Assign | EventKind::Contents => EventWords {
                text: owner.map_or_else(String::new, |owner| owner + ".") + &name,
                old: text_of(&self.old),
                new: Some(text_of(&self.value).unwrap_or_else(|| "deleted".to_owned())),
                within: within(),
            },
            EventKind::Throw | EventKind::Catch => {
                let exception = text_of(&self.exception).unwrap_or_default();
                let text = format!("{} {exception}", self.kind.word());
                EventWords {
                    text,
                    within: within(),
                    ..EventWords::default()
                }
            }
            EventKind::Create => EventWords {
                text: format!("new {}", owner.unwrap_or_default()),
                within: within(),
                ..EventWords::default()
            },
            EventKind::Dom => EventWords {
                text: format!("dom {} {name}", owner.unwrap_or_default()),
                old: None,
                new: Some(text_of(&self.value).unwrap_or_else(|| "removed".to_owned())),
                within: self.function.clone(),
            },
            EventKind::Suspend if self.name.is_some() => {
                let value = text_of(&self.value);
                let value = value.filter(|it| it != "undefined");
                EventWords {
                    text: value.map_or(name.clone(), |value| format!("{name}: {value}")),
                    within: within(),
                    ..EventWords::default()
                }
            }
            EventKind::Settle => EventWords {
                text: format!("{} {name}", owner.unwrap_or_else(|| "promise".to_owned())),
                new: text_of(&self.value),
                ..EventWords::default()
            },
            // Most tasks are of nothing, and none is in a function.
            EventKind::Task => {
                let target = self
                    .value
                    .as_ref()
                    .filter(|it| it.kind != ValueType::Undefined);
                let target = target.map_or("", |value| &value.text);
                let text = format!("task {name} {target}").trim_end().to_owned();
                EventWords {
                    text,
                    ..EventWords::default()
                }
            }
            kind => {
                let value = text_of(&self.value).unwrap_or_default();
                let text = format!("{} {name} {value}", kind.word());
                EventWords {
                    text: text.trim_end().to_owned(),
                    within: within(),
                    ..EventWords::default()
                }
            }
        }
    }
}

impl EventKind {
    /// Its name in an answer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Return => "return",
            Self::Throw => "throw",
            Self::Catch => "catch",
            Self::Write => "write",
            Self::Assign => "assign",
            Self::Create => "create",
            Self::Branch => "branch",
            Self::Step => "step",
            Self::Contents => "contents",
            Self::Task => "task",
            Self::Suspend => "suspend",
            Self::Resume => "resume",
            Self::Settle => "settle",
            Self::Dom => "dom",
            Self::Request => "request",
            Self::Response => "response",
            Self::Action => "action",
        }
    }
}

fn texts(values: &[Value]) -> String {
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Owner;

    fn number(number: i32) -> Option<Value> {
        Some(Value::new(ValueType::Number, number.to_string()))
    }

    /// An event in a line, as a front end draws it without colours.
    fn line(event: &LoggedEvent) -> String {
        let EventWords {
            text,
            old,
            new,
            within,
        } = event.words();
        format!(
            "{text}|{}|{}|{}",
            old.unwrap_or_default(),
            new.unwrap_or_default(),
            within.unwrap_or_default()
        )
    }

    #[test]
    fn each_kind_says_what_happened() {
        let event = |kind| LoggedEvent {
            function: Some("add".to_owned()),
            ..LoggedEvent::new(1, kind)
        };
        let owner = Some(Owner {
            id: 7,
            class: "Cart".to_owned(),
        });
        let name = Some("total".to_owned());
        let arguments = || Some(number(1).into_iter().chain(number(2)).collect::<Vec<_>>());
        let call = LoggedEvent {
            arguments: arguments(),
            returned: number(3),
            ..event(EventKind::Call)
        };
        assert_eq!(line(&call), "add(1, 2) → 3|||");
        let thrown = LoggedEvent {
            returned: None,
            exception: number(4),
            ..call.clone()
        };
        assert_eq!(line(&thrown), "add(1, 2) ✗ 4|||");
        let library = LoggedEvent {
            name: Some("Math.max".to_owned()),
            ..call
        };
        assert_eq!(line(&library), "Math.max(1, 2) → 3|||add");
        let parameter = LoggedEvent {
            name: name.clone(),
            value: number(5),
            ..event(EventKind::Call)
        };
        assert_eq!(line(&parameter), "total||5|add");
        let write = LoggedEvent {
            name: name.clone(),
            owner: owner.clone(),
            old: number(1),
            ..event(EventKind::Write)
        };
        assert_eq!(line(&write), "Cart #7.total|1|deleted|add");
        assert_eq!(
            line(&LoggedEvent {
                owner,
                ..event(EventKind::Create)
            }),
            "new Cart #7|||add"
        );
        assert_eq!(line(&event(EventKind::Return)), "add → not recorded|||");
        let caught = LoggedEvent {
            exception: number(6),
            ..event(EventKind::Catch)
        };
        assert_eq!(line(&caught), "catch 6|||add");
        let branch = LoggedEvent {
            name,
            value: number(0),
            ..event(EventKind::Branch)
        };
        assert_eq!(line(&branch), "branch total 0|||add");
        assert_eq!(line(&LoggedEvent::new(1, EventKind::Task)), "task|||");
        let waits = LoggedEvent {
            name: Some("await load()".to_owned()),
            value: Some(Value::new(ValueType::Object, "Promise #3")),
            ..event(EventKind::Suspend)
        };
        assert_eq!(line(&waits), "await load(): Promise #3|||add");
        let settled = LoggedEvent {
            name: Some("rejected".to_owned()),
            owner: waits.value.as_ref().map(|_| Owner {
                id: 3,
                class: "Promise".to_owned(),
            }),
            value: number(8),
            ..event(EventKind::Settle)
        };
        assert_eq!(line(&settled), "Promise #3 rejected||8|");
    }

    #[test]
    fn the_words_are_those_of_an_answer() {
        use EventKind::*;
        for kind in [
            Call, Return, Throw, Catch, Write, Assign, Create, Branch, Step, Contents, Task,
            Suspend, Resume, Settle, Dom, Request, Response, Action,
        ] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.word());
        }
    }
}
