//! What cannot be collected, and how that is said.

use crate::caret;
use crate::graph::QueryPlace;
use crate::query::PointName;

/// An event that has no object.
pub(super) const VARIABLE_WRITE: &str = "the write of a variable";

/// Something that cannot be collected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.render())]
pub enum PlanError {
    /// The query is right, but this version cannot answer it.
    NotYet {
        /// Where in which query.
        place: QueryPlace,
        /// The name of the query's point.
        name: PointName,
        /// What cannot be answered yet, in words.
        what: String,
        /// What to do instead.
        help: String,
    },
    /// A query asks for the event of `R`, which is no event.
    NoEvent {
        /// Where in which query.
        place: QueryPlace,
    },
    /// A query asks for the object of an event that has none.
    NoObject {
        /// Where in which query.
        place: QueryPlace,
        /// What the event is, in words.
        event: &'static str,
    },
    /// A query asks for an operand of what is no origin.
    NoOrigin {
        /// Where in which query.
        place: QueryPlace,
        /// What it names.
        name: PointName,
    },
    /// A watch has no expression.
    EmptyWatch {
        /// Its index among the watches, from 0.
        watch: usize,
    },
}

impl PlanError {
    /// The query, a caret under the place with what is wrong beside it, and what to do.
    #[must_use]
    pub fn render(&self) -> String {
        match self {
            Self::NotYet {
                place, what, help, ..
            } => {
                let message = format!("{what} cannot be answered yet");
                caret::render(&place.text, place.offset, &message, Some(help))
            }
            Self::NoEvent { place } => caret::render(
                &place.text,
                place.offset,
                "expected a point that is an event; the reproduction point writes nothing",
                Some("begin with a variable or this, for example R:this.total"),
            ),
            Self::NoObject { place, event } => {
                let message = format!("expected an event that has an object; {event} has none");
                let help = if *event == VARIABLE_WRITE {
                    "lastChange asks for the writes of one activation's variable; a property is write(.name)"
                } else {
                    "begin with a variable or this, for example C:this.total"
                };
                caret::render(&place.text, place.offset, &message, Some(help))
            }
            Self::NoOrigin { place, name } => caret::render(
                &place.text,
                place.offset,
                &format!("expected the name of an origin; {name} is none"),
                Some("operand(1) is the first operand that the answer of an origin names"),
            ),
            Self::EmptyWatch { watch } => {
                format!(
                    "watch {} is empty\nhelp: give a JavaScript expression after --watch",
                    watch + 1
                )
            }
        }
    }
}
