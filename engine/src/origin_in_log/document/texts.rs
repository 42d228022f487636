//! The texts of nodes: who made, wrote or inserted them.

use std::collections::HashSet;

use event_log::model::{Key, plain_text};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Form, Value};

use super::built_ins::{Puts, makes_an_empty_node, puts};
use super::nodes::steps_through_nodes;
use crate::origin_in_log::writes::{TEXTS, Write};
use crate::origin_in_log::{InLog, Spot};

/// How many nodes are looked through for a text.
const MOST_NODES: usize = 20_000;

/// Where a text is that the document shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::origin_in_log) enum Source {
    /// It was written to a node.
    Write(Write),
    /// It is this argument of the call that came back at an event.
    Argument { event: u32, number: usize },
}

/// A text of a node.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) source: Source,
    /// `None`: it is longer than the log keeps.
    pub(super) text: Option<String>,
    /// The calls that put the node into the one that is asked about, the outermost first.
    pub(super) through: Vec<u32>,
}

/// What texts are looked for.
pub(super) struct Search {
    pub(super) stream: u16,
    pub(super) passed: HashSet<u32>,
    pub(super) found: Vec<Text>,
    /// Whether a node may have more texts than the log says.
    pub(super) is_open: bool,
}

impl InLog<'_> {
    /// A value as a text that a node may have; `None`: it is longer than the log keeps.
    pub(super) fn text_of(&self, stream: u16, value: Seen) -> Option<String> {
        match value {
            Seen::LongString { .. } => None,
            Seen::Undefined | Seen::Null | Seen::Absent => Some(String::new()),
            value => Some(plain_text(self.model, stream, value)),
        }
    }

    /// The texts that a call put into the document, as they were just before a later event.
    pub(super) fn put_by(
        &self,
        (event, before): (u32, u32),
        call: &Call,
        through: &[u32],
        search: &mut Search,
    ) {
        let Some(puts) = call.method.as_deref().and_then(puts) else {
            return;
        };
        if call.arguments.iter().any(|argument| argument.is_spread) {
            return;
        }
        let numbers = match puts {
            Puts::All | Puts::Beside => 0..call.arguments.len(),
            Puts::One(number) | Puts::Attribute(number) => number..number + 1,
        };
        for number in numbers {
            let Some(given) = self.given_at(event, number) else {
                continue;
            };
            match given.object() {
                Some(node) if !matches!(given, Seen::Function(_)) => {
                    // The nodes of a fragment are moved, so it is empty behind the call.
                    let put_before = match self.class_of(search.stream, node.0) {
                        "DocumentFragment" => event,
                        _ => before,
                    };
                    self.texts_in(node.0, (put_before, before), through, search);
                }
                _ => search.found.push(Text {
                    source: Source::Argument { event, number },
                    text: self.text_of(search.stream, given),
                    through: through.to_vec(),
                }),
            }
        }
    }

    /// The names that a method of a list of classes put into it.
    pub(super) fn tokens_of(&self, event: u32, call: &Call, search: &mut Search) {
        let numbers = match call.method.as_deref() {
            Some("add") => 0..call.arguments.len(),
            Some("toggle") => 0..1,
            _ => 1..2,
        };
        for number in numbers {
            let given = self.given_at(event, number);
            let text = given.and_then(|given| self.text_of(search.stream, given));
            if call.arguments.get(number).is_some_and(|it| !it.is_spread) && text.is_some() {
                search.found.push(Text {
                    source: Source::Argument { event, number },
                    text,
                    through: Vec::new(),
                });
            }
        }
    }

    /// The texts of a node, and of the nodes in it, just before an event.
    pub(super) fn texts_of(&self, node: u32, before: u32, through: &[u32], search: &mut Search) {
        self.texts_in(node, (before, before), through, search);
    }

    /// The texts of a node just before an event, and of the nodes that were put into it before another one.
    fn texts_in(
        &self,
        node: u32,
        (put_before, before): (u32, u32),
        through: &[u32],
        search: &mut Search,
    ) {
        if search.passed.len() > MOST_NODES || !search.passed.insert(node) {
            return;
        }
        let stream = search.stream;
        let by_text = match self.class_of(stream, node) {
            "HTMLOptionElement" | "HTMLAnchorElement" | "HTMLTitleElement"
            | "HTMLScriptElement" => Some(&"text"),
            _ => None,
        };
        let writes = TEXTS.iter().chain(by_text).filter_map(|key| {
            let key = Key::Property((*key).to_owned());
            let own = self.property(stream, node, &key, before)?;
            (own.value != Seen::Absent).then_some(own)
        });
        let last = writes.max_by_key(|write| write.event);
        let from = last.map_or(0, |last| last.event);
        if let Some(last) = last {
            search.found.push(Text {
                source: Source::Write(last),
                text: self.text_of(stream, last.value),
                through: through.to_vec(),
            });
        } else {
            self.begins_with(node, through, search);
        }
        let nodes = self.nodes();
        for &event in nodes.put_into.get(&(stream, node)).into_iter().flatten() {
            if event < from || event >= put_before {
                continue;
            }
            if let Some((_, call)) = self.call_text(event) {
                let mut through = through.to_vec();
                through.push(event);
                self.put_by((event, before), &call, &through, search);
            }
        }
        for (&below, put) in nodes.below.get(&(stream, node)).into_iter().flatten() {
            if put.is_some_and(|event| event < from || event >= put_before) {
                continue;
            }
            let mut through = through.to_vec();
            // What was put beside a node did not come with it to where it is.
            if put.is_some() && self.is_text_node(stream, node) {
                through.pop();
            }
            through.extend(put);
            self.texts_of(below, before, &through, search);
        }
    }

    /// Whether an object is a text, in which no other node can be.
    fn is_text_node(&self, stream: u16, object: u32) -> bool {
        matches!(self.class_of(stream, object), "Text" | "Comment")
    }

    /// What a node has from who made it.
    fn begins_with(&self, node: u32, through: &[u32], search: &mut Search) {
        let stream = search.stream;
        if let Some(template) = self.nodes().templates.get(&(stream, node)) {
            self.texts_of(*template, u32::MAX, through, search);
            return;
        }
        let Some((event, spot, call)) = self.first_given_by(stream, node) else {
            search.is_open |= !self.nodes().found.contains(&(stream, node));
            return;
        };
        let is_new = call.kind == CallKind::New;
        let method = call.method.as_deref().unwrap_or_default();
        let copied = match (method, call.global.as_deref().unwrap_or_default()) {
            ("createTextNode", _) => return self.made_with(event, &call, through, search),
            (_, "Text" | "Option") if is_new => {
                return self.made_with(event, &call, through, search);
            }
            (method, _) if makes_an_empty_node(method) => return,
            ("cloneNode", _) => call.receiver.as_ref(),
            ("importNode", _) => call.arguments.first().map(|it| &it.value),
            _ => None,
        };
        match copied.and_then(|it| self.first_node(spot, it)) {
            Some(copied) => self.texts_of(copied, event, through, search),
            None => search.is_open = true,
        }
    }

    /// The node that an expression gives, or the one in which it looks for it.
    pub(super) fn first_node(&self, spot: Spot, value: &Value) -> Option<u32> {
        let found = || {
            let Form::Reference(reference) = &value.form else {
                return None;
            };
            let first = reference.steps.len() - steps_through_nodes(reference);
            self.reference_value(spot, reference, first)?.object()
        };
        let object = self.evaluated(spot, value, 0).and_then(Seen::object);
        object.or_else(found).map(|object| object.0)
    }

    /// `createTextNode(text)`
    fn made_with(&self, event: u32, call: &Call, through: &[u32], search: &mut Search) {
        if call.arguments.first().is_none_or(|it| it.is_spread) {
            return;
        }
        let given = self.given_at(event, 0).unwrap_or(Seen::Unknown);
        search.found.push(Text {
            source: Source::Argument { event, number: 0 },
            text: self.text_of(search.stream, given),
            through: through.to_vec(),
        });
    }
}

impl Search {
    pub(super) fn new(stream: u16) -> Self {
        Self {
            stream,
            passed: HashSet::new(),
            found: Vec::new(),
            is_open: false,
        }
    }
}

/// The texts of a node that are shown: one that is all of it, or has it, or those that it is made of; none, if more
/// than one may be it.
pub(super) fn the_texts(mut texts: Vec<Text>, shown: &str) -> Vec<Text> {
    texts.retain(|text| text.text.as_ref().is_none_or(|text| !text.is_empty()));
    let only = |is_it: &dyn Fn(&Text) -> bool| {
        let mut found = texts.iter().filter(|text| is_it(text));
        match (found.next(), found.next()) {
            (Some(text), None) => vec![text.clone()],
            _ => Vec::new(),
        }
    };
    let has = |is_it: &dyn Fn(&str) -> bool| {
        let mut known = texts.iter().filter_map(|text| text.text.as_deref());
        known.any(is_it)
    };
    if has(&|text| text == shown) {
        return only(&|text| text.text.as_deref() == Some(shown));
    }
    // Markup, which has the text in it.
    if has(&|text| text.contains(shown)) || texts.iter().any(|text| text.text.is_none()) {
        return only(&|text| text.text.as_deref().is_none_or(|text| text.contains(shown)));
    }
    let whole = texts.iter().filter_map(|text| text.text.as_deref());
    let is_whole = whole.collect::<String>() == shown;
    match is_whole {
        true => texts,
        false => only(&|text| {
            text.text
                .as_deref()
                .is_some_and(|text| shown.contains(text))
        }),
    }
}
