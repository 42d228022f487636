//! What code reads back of markup that it wrote: `box.querySelector('b').textContent` behind `box.innerHTML = html`, or
//! behind `new DOMParser().parseFromString(html, type)`.
//!
//! The browser makes the nodes, so no write of the log is of them. The node that is read was found in an element whose
//! content was written whole, or in a document that was made of a text; what was put into it since then may have the
//! text as well. Only where one of these texts alone has it, it is that one.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Form, PathStep, Root, Step, Value};
use querypoint::answer::Hop;

use super::built_ins::PUTTING;
use super::nodes::DOWN;
use super::put::Put;
use super::texts::{Search, Source, Text};
use crate::origin_in_log::writes::{TEXTS, Write};
use crate::origin_in_log::{InLog, Next, Spot};

/// So many elements are looked through, each around the one before.
const MOST_AROUND: usize = 64;
/// Methods that find nodes in the one that they are called on.
const FINDING: [&str; 7] = [
    "querySelector",
    "querySelectorAll",
    "getElementsByTagName",
    "getElementsByClassName",
    "getElementById",
    "item",
    "namedItem",
];
/// Methods that make a document, or a part of one, of a text.
const PARSING: [&str; 2] = ["parseFromString", "createContextualFragment"];
/// What an element has of its markup.
const OF_MARKUP: [&str; 10] = [
    "textContent",
    "innerText",
    "innerHTML",
    "data",
    "nodeValue",
    "title",
    "id",
    "alt",
    "value",
    "placeholder",
];

impl InLog<'_> {
    /// Whether a property of a node, and what is behind it, leads through nodes to a text of markup.
    pub(in crate::origin_in_log) fn is_of_markup(&self, key: &str, behind: &[PathStep]) -> bool {
        let Some((last, ways)) = behind.split_last() else {
            return OF_MARKUP.contains(&key);
        };
        let is_way = |step: &PathStep| match step {
            PathStep::Into(Step::Property(key) | Step::Key(key)) => is_down(key),
            PathStep::Into(Step::Index(_) | Step::Computed { .. }) => true,
            _ => false,
        };
        let is_text = |step: &PathStep| match step {
            PathStep::Into(Step::Property(key) | Step::Key(key)) => OF_MARKUP.contains(&&**key),
            _ => false,
        };
        let is_data = matches!(ways.split_last(), Some((PathStep::Into(Step::Property(data)), ways))
            if data == "dataset" && is_down(key) && ways.iter().all(is_way));
        key == "dataset" && ways.is_empty()
            || is_data
            || is_down(key) && is_text(last) && ways.iter().all(is_way)
    }

    /// A text of a node, or of one in it, that the browser made of markup.
    pub(in crate::origin_in_log) fn of_markup(
        &self,
        spot: Spot,
        (node, key): (u32, &str),
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let shown = match seen {
            Seen::String(text) if text.0 != 0 => self.model.text(stream, text.0).to_owned(),
            _ => return None,
        };
        // Its attributes are in the markup that it is in itself.
        let mut around = match is_of_content(key) {
            true => node,
            false => self.found_in_node(stream, node)?,
        };
        for _ in 0..MOST_AROUND {
            let written = self.property(
                stream,
                around,
                &Key::Property("innerHTML".to_owned()),
                spot.moment.at,
            );
            let whole = match written {
                Some(written) => Some((None, written.event, self.text_written(stream, written))),
                None => self.parsed_text(stream, around),
            };
            if let Some(whole) = whole {
                let put = self.put_in_markup(spot, (around, whole), shown)?;
                return Some(self.put(&put, name, hops));
            }
            around = self.found_in_node(stream, around)?;
        }
        None
    }

    /// The text that a document or fragment was made of, and the event behind that call.
    fn parsed_text(&self, stream: u16, node: u32) -> Option<(Option<u32>, u32, Text)> {
        let (event, _, call) = self.first_given_by(stream, node)?;
        let is_it = call
            .method
            .as_deref()
            .is_some_and(|it| PARSING.contains(&it));
        call.arguments.first().filter(|it| is_it && !it.is_spread)?;
        let text = Text {
            source: Source::Argument { event, number: 0 },
            text: self.text_of(stream, self.given_at(event, 0)?),
            through: Vec::new(),
        };
        Some((Some(event), event, text))
    }

    /// The node in which the page found another one.
    fn found_in_node(&self, stream: u16, node: u32) -> Option<u32> {
        let (event, kind) = self.seen_first(stream, node)?;
        let found = match kind {
            // A control that a `FormData` has a text from is in the form that this was made of.
            Kind::Write
                if let Some((spot, call)) = self.call_text(event)
                    && call.global.as_deref() == Some("FormData") =>
            {
                let form = call.arguments.first().filter(|it| !it.is_spread)?;
                return self.first_node(spot, &form.value);
            }
            Kind::CallEnd => Some(event),
            Kind::Contents => {
                let list = self.event(event)?.owner.object()?.0;
                self.first_given_by(stream, list).map(|(event, ..)| event)
            }
            _ => None,
        };
        let Some((spot, call)) = found.and_then(|event| self.call_text(event)) else {
            let below = &self.nodes().below;
            let mut around = below.iter().filter(|((of, _), nodes)| {
                *of == stream && nodes.get(&node).is_some_and(Option::is_none)
            });
            let ((_, only), _) = around.next().filter(|_| around.next().is_none())?;
            return Some(*only);
        };
        let is_finding = call
            .method
            .as_deref()
            .is_some_and(|it| FINDING.contains(&it));
        let receiver = call.receiver.as_ref().filter(|_| is_finding)?;
        self.first_node(spot, receiver)
    }

    /// The only text that may have what is shown, of the markup of an element and of what was put somewhere since.
    fn put_in_markup(
        &self,
        spot: Spot,
        (element, (made, since, whole)): (u32, (Option<u32>, u32, Text)),
        shown: String,
    ) -> Option<Put> {
        let (stream, at) = (spot.moment.stream, spot.moment.at);
        let may_have = |text: &Text| text.text.as_ref().is_none_or(|it| it.contains(&shown));
        let first = whole.source;
        let mut found: Vec<(Option<u32>, Text)> = vec![(made, whole)];
        for key in TEXTS.iter().chain(&["outerHTML"]) {
            let key = Key::Property((*key).to_owned());
            let writes = self.of_any(&key, None).into_values().flatten();
            let later = writes.filter(|it| it.event > since && it.event < at);
            found.extend(later.map(|it| (None, self.text_written(stream, it))));
        }
        for method in PUTTING {
            let calls = self.calls_of_method(method).iter();
            for &event in calls.filter(|event| (since..at).contains(event)) {
                let (own, call) = self.call_text(event)?;
                let receiver = call.receiver.as_ref();
                if receiver.is_some_and(is_page) {
                    continue;
                }
                let into = receiver.and_then(|it| self.first_node(own, it));
                if into != Some(element) && into.is_some_and(|into| self.is_outside(stream, into)) {
                    continue;
                }
                let mut search = Search::new(stream);
                self.put_by((event, event), &call, &[], &mut search);
                if search.is_open || call.arguments.iter().any(|it| it.is_spread) {
                    return None;
                }
                let put = search.found.into_iter().map(|text| (Some(event), text));
                found.extend(put.filter(|(_, text)| text.source != first));
            }
        }
        found.retain(|(_, text)| may_have(text));
        let [(event, text)] = found.as_slice() else {
            return None;
        };
        Some(Put {
            event: *event,
            texts: vec![text.clone()],
            shown,
        })
    }

    fn text_written(&self, stream: u16, write: Write) -> Text {
        Text {
            source: Source::Write(write),
            text: self.text_of(stream, write.value),
            through: Vec::new(),
        }
    }

    /// Whether a node is in no element that markup made: a script made it, or it is the body.
    fn is_outside(&self, stream: u16, node: u32) -> bool {
        if matches!(
            self.class_of(stream, node),
            "HTMLBodyElement" | "HTMLHeadElement"
        ) {
            return true;
        }
        let made = self.first_given_by(stream, node);
        made.is_some_and(|(_, _, call)| {
            let method = call.method.as_deref().unwrap_or_default();
            matches!(
                method,
                "createElement" | "createElementNS" | "createDocumentFragment"
            )
        })
    }
}

/// Whether a property of a node is of what is in it: its text, or a node.
fn is_of_content(key: &str) -> bool {
    let texts = ["textContent", "innerText", "innerHTML"];
    texts.contains(&key) || is_down(key)
}

fn is_down(key: &str) -> bool {
    const OTHERS: [&str; 6] = [
        "cells",
        "rows",
        "tBodies",
        "body",
        "documentElement",
        "content",
    ];
    DOWN.contains(&key) || OTHERS.contains(&key)
}

/// Whether an expression is what every page has: `document.body`.
fn is_page(value: &Value) -> bool {
    let Form::Reference(reference) = &value.form else {
        return false;
    };
    let is_document = matches!(
        &reference.root,
        Root::Variable { name, is_declared: false, .. } if name == "document"
    );
    let of_page = ["body", "head", "documentElement"];
    is_document
        && matches!(reference.steps.as_slice(), [Step::Property(name)] if of_page.contains(&&**name))
}
