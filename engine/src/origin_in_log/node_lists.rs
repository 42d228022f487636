//! Lists of nodes: some stay as they were given, others follow the document, and the log has what they had once.

use event_log::model::{Key, Kind};

use super::document::PUTTING;
use super::writes::TEXTS;
use super::{InLog, Spot};

/// How many events may be between where a list was told and where it is read.
const MOST_BETWEEN: u32 = 10_000;
/// Methods that take nodes out of the document.
const TAKING: [&str; 6] = [
    "remove",
    "removeChild",
    "normalize",
    "deleteContents",
    "extractContents",
    "open",
];

impl InLog<'_> {
    /// Whether what is read of an object is what the log has of it, as far as it is a list of nodes.
    pub(super) fn is_as_told(&self, spot: Spot, object: u32, class: &str) -> bool {
        let follows = match class {
            "HTMLCollection" => true,
            "NodeList" => {
                let made = self.first_given_by(spot.moment.stream, object);
                made.is_none_or(|(_, _, call)| call.method.as_deref() != Some("querySelectorAll"))
            }
            _ => false,
        };
        !follows || self.is_unchanged(spot, object)
    }

    /// Whether nothing changed the nodes of the document since a list that follows it was given, in the same call.
    fn is_unchanged(&self, spot: Spot, list: u32) -> bool {
        let told = self.seen_first(spot.moment.stream, list);
        let Some((told, Kind::CallEnd)) = told else {
            return false;
        };
        let at = spot.moment.at;
        let is_here = self.event(told).map(|event| event.call) == Some(spot.moment.call);
        is_here
            && at.saturating_sub(told) < MOST_BETWEEN
            && !(told + 1..at).any(|number| self.may_change_nodes(number))
    }

    fn may_change_nodes(&self, number: u32) -> bool {
        let Some(event) = self.event(number) else {
            return true;
        };
        match event.kind {
            Kind::CallEnd => self.call_text_at(event.site).is_none_or(|(_, call)| {
                let method = call.method.as_deref();
                method.is_none_or(|it| PUTTING.contains(&it) || TAKING.contains(&it))
            }),
            Kind::Write => match self.model.keys.get(event.key as usize) {
                Some(Key::Property(key)) => TEXTS.contains(&key.as_str()) || key == "outerHTML",
                _ => false,
            },
            // What else runs meanwhile may change them.
            Kind::Suspend => true,
            _ => false,
        }
    }
}
