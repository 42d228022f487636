//! A live page, left paused at a point of an answer.
//!
//! The page runs once more as in the last execution of the question. Where it reaches the event that is meant, that
//! moment is compared with the one that the answer shows: it is only then the same point if what was written, and the
//! way there, are the same.

use parking_lot::Mutex;
use std::sync::Arc;

use futures::future::BoxFuture;
use js_analysis::position::Utf16Position;
use querypoint::answer::{ExceptionAnswer, Location, Scope, StackFrame, Value as Preview};
use querypoint::graph::Parent;
use querypoint::resolution::Sequence;

use super::captured::{CapturedState, EventCapture};
use super::debugger::{Extent, Watched};
use super::sources::Sources;

/// What is said of a page that is paused.
#[derive(Clone, Debug)]
pub struct PausedPage {
    /// The protocol's id of the tab.
    pub target_id: String,
    /// Where it is; `None`: at no line.
    pub location: Option<Location>,
    /// The function it is in; empty at the top level of a script.
    pub function: String,
    /// The address of our own script in the page. Its frames, on top of the stack where a built-in made the change, are
    /// not the page's.
    pub agent_url: String,
    /// How this moment differs from the one in the answer, in words; empty: it is the same.
    pub differences: Vec<String>,
    /// What the author's names mean there.
    pub(super) names: NamesThere,
    /// What the names begin with that are ours.
    pub(super) prefix: String,
}

/// What the author's names mean where a page is paused.
#[derive(Clone, Debug, Default)]
pub(super) struct NamesThere {
    sources: Option<Arc<Mutex<Sources>>>,
    url: String,
    running: Utf16Position,
}

impl NamesThere {
    /// Those of a frame that is at `running` of `url`.
    pub(super) fn new(
        sources: Arc<Mutex<Sources>>,
        (url, running): (String, Utf16Position),
    ) -> Self {
        Self {
            sources: Some(sources),
            url,
            running,
        }
    }

    /// Those of another frame.
    pub(super) fn at(&self, url: String, running: Utf16Position) -> Self {
        Self {
            sources: self.sources.clone(),
            url,
            running,
        }
    }

    /// Gives the variables of a scope the names by which they can be asked for there.
    pub(super) fn name_variables(&self, scope: &mut Scope, extent: Option<Extent>) {
        if let Some(sources) = &self.sources {
            let sources = sources.lock();
            sources.name_variables(&self.url, self.running, scope, extent);
        }
    }

    /// An expression with the names that run there.
    pub(super) fn watched(&self, expression: &str) -> Watched {
        let sources = self.sources.as_ref();
        let watched = sources.and_then(|sources| {
            let sources = sources.lock();
            let expressions = [expression.to_owned()];
            sources.watched(&self.url, self.running, &expressions).pop()
        });
        watched.unwrap_or_else(|| Watched::as_written(expression))
    }
}

/// Keeps a page paused: until it is ready, the page is left as it is.
pub type Hold<'h> = Arc<dyn Fn(PausedPage) -> BoxFuture<'h, ()> + Send + Sync + 'h>;

/// Who a page is left paused for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldFor {
    /// A person: their developer tools show its scripts as their author wrote them.
    Person,
    /// A program that reads something there; its scripts go without the maps, which take their time.
    Program,
}

/// Why a page was not stopped at a point.
#[derive(Debug, thiserror::Error)]
pub enum PauseError {
    /// The query has no point.
    #[error(
        "cannot pause at {name}: it has no point in this answer ({status}); ask without --pause to see why"
    )]
    NoPoint {
        /// Its name.
        name: String,
        /// The status of the answer.
        status: &'static str,
    },
    /// The point is no moment of a running script.
    #[error("cannot pause at {name}: at the end of the replay no script runs")]
    AtEnd {
        /// Its name.
        name: String,
    },
    /// The answer is from one execution only.
    #[error(
        "cannot pause at {name}: the executions of this page differ, so no other one reaches the same event; ask \
         again, or record what makes the page vary"
    )]
    Varies {
        /// Its name.
        name: String,
    },
    /// The event did not come again.
    #[error(
        "cannot pause at {name}: in {runs} more executions of the page the event did not come again"
    )]
    NotMet {
        /// Its name.
        name: String,
        /// How often the page was run again.
        runs: u32,
    },
}

/// One moment, as far as two executions can be compared at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) location: Option<Location>,
    pub(super) old: Option<Preview>,
    pub(super) new: Option<Preview>,
    /// Class and message of what was thrown.
    pub(super) thrown: Option<(String, String)>,
    pub(super) operands: Vec<Option<Preview>>,
    pub(super) stack: Vec<StackFrame>,
}

impl Moment {
    /// An event at which the page was paused.
    pub(super) fn of_event(event: &EventCapture) -> Self {
        Self {
            old: event.old.clone(),
            // Of a write that could not be known before it happened, the value is not told yet.
            new: (!event.unknown).then(|| event.new.clone()),
            operands: event.operands.clone(),
            thrown: event.exception.as_ref().map(thrown),
            ..Self::of_state(&event.state)
        }
    }

    /// A place at which the page was paused.
    pub(super) fn of_state(state: &CapturedState) -> Self {
        Self {
            location: state.top.as_ref().map(|top| top.location.clone()),
            stack: state.stack.clone(),
            ..Self::default()
        }
    }

    /// How `other` differs from this one, in words.
    pub(super) fn differences(&self, other: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.location != other.location {
            differences.push(format!(
                "it is at {} here and at {} in the answer",
                place(other.location.as_ref()),
                place(self.location.as_ref())
            ));
        }
        let values = [
            ("the old value", &self.old, &other.old),
            ("the new value", &self.new, &other.new),
        ];
        for (what, before, now) in values {
            if before != now {
                differences.push(format!(
                    "{what} is {} here and {} in the answer",
                    text(now.as_ref()),
                    text(before.as_ref())
                ));
            }
        }
        if self.thrown != other.thrown {
            let thrown = |moment: &Self| match &moment.thrown {
                Some((class, message)) => format!("{class}: {message}"),
                None => "nothing".to_owned(),
            };
            differences.push(format!(
                "{} is thrown here and {} in the answer",
                thrown(other),
                thrown(self)
            ));
        }
        if self.operands != other.operands {
            differences.push("the values in the condition are others".to_owned());
        }
        if self.location == other.location && self.stack != other.stack {
            let functions = |moment: &Self| {
                let names = moment
                    .stack
                    .iter()
                    .map(|frame| match frame.function.as_str() {
                        "" => "top level",
                        name => name,
                    });
                names.collect::<Vec<_>>().join(" < ")
            };
            differences.push(format!(
                "it was reached another way: {} here and {} in the answer",
                functions(other),
                functions(self)
            ));
        }
        differences
    }
}

fn place(location: Option<&Location>) -> String {
    location.map_or_else(
        || "no line".to_owned(),
        |location| format!("{}:{}:{}", location.url, location.line, location.column),
    )
}

fn text(value: Option<&Preview>) -> &str {
    value.map_or("unknown", |value| value.text.as_str())
}

/// Class and message of what was thrown.
pub(super) fn thrown(exception: &ExceptionAnswer) -> (String, String) {
    (exception.class.clone(), exception.message.clone())
}

/// Where an execution leaves the page paused.
#[derive(Clone, Debug)]
pub(super) struct PauseAt {
    pub(super) point: Parent,
    /// The event's number, where the point is one that is counted.
    pub(super) sequence: Option<Sequence>,
    /// What the answer shows of it.
    pub(super) expected: Moment,
    /// Whether the page is left paused there even if the moment is another.
    pub(super) takes_any: bool,
    pub(super) held_for: HeldFor,
}

impl PauseAt {
    /// How the moment differs, if the page is to be left paused in it.
    pub(super) fn accepts(&self, moment: &Moment) -> Option<Vec<String>> {
        let differences = self.expected.differences(moment);
        (self.takes_any || differences.is_empty()).then_some(differences)
    }
}

#[cfg(test)]
mod tests {
    use querypoint::answer::ValueType;

    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn moment(line: u32, new: &str, functions: &[&str]) -> Moment {
        let at = |line| Location {
            url: "http://a/b.js".to_owned(),
            line,
            column: 1,
            generated: None,
            eval_origin: None,
            library: false,
        };
        Moment {
            location: Some(at(line)),
            new: Some(Preview::new(ValueType::Number, new)),
            stack: functions
                .iter()
                .map(|function| StackFrame {
                    function: (*function).to_owned(),
                    location: at(line),
                })
                .collect(),
            ..Moment::default()
        }
    }

    #[test]
    fn the_same_moment_does_not_differ() {
        let one = moment(3, "1", &["f", ""]);
        assert_eq!(one.differences(&one.clone()), Vec::<String>::new());
    }

    #[test]
    fn what_differs_is_said() {
        let expected = moment(3, "1", &["f", ""]);
        assert_eq!(
            expected.differences(&moment(3, "2", &["f", ""])),
            ["the new value is 2 here and 1 in the answer"]
        );
        assert_eq!(
            expected.differences(&moment(3, "1", &["f", "g", ""])),
            ["it was reached another way: f < g < top level here and f < top level in the answer"]
        );
        assert_eq!(
            expected.differences(&moment(4, "1", &["f", ""])),
            ["it is at http://a/b.js:4:1 here and at http://a/b.js:3:1 in the answer"]
        );
    }

    #[test]
    fn only_the_last_attempt_takes_another_moment() {
        let mut pause = PauseAt {
            point: Parent::Query(0),
            sequence: Some(Sequence::new(7)),
            expected: moment(3, "1", &[]),
            takes_any: false,
            held_for: HeldFor::Person,
        };
        assert_eq!(pause.accepts(&moment(3, "1", &[])), Some(Vec::new()));
        assert_eq!(pause.accepts(&moment(3, "2", &[])), None);
        pause.takes_any = true;
        assert_eq!(
            pause.accepts(&moment(3, "2", &[])).map(|list| list.len()),
            Some(1)
        );
    }
}
