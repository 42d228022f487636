//! What a page shows: which call put a text into the document, and what that text was before.
//!
//! An element shows the texts of the nodes in it. A node has its text from who made it (`createTextNode(text)`), from
//! who wrote it (`node.data = text`), or from the nodes that were put into it; a built-in that puts nodes into the
//! document (`append`, `insertBefore`) hands them on. Of several texts only one can be the one that is asked about: if
//! more than one may be, nothing is said.

use std::collections::{BTreeMap, HashMap, HashSet};

use event_log::model::{Key, NONE, plain_text};
use event_log::value::Value as Seen;
use js_analysis::origin::{
    Call, CallKind, Form, LoggedPlace, PathStep, Reference, Step, Value, Written,
};
use querypoint::answer::{
    End, EndKind, EndOperand, Hop, HopKind, PointAnswer, Value as Preview, ValueType,
};
use querypoint::query::GlobalReference;

use super::writes::{TEXTS, Target, Write, key_behind};
use super::{InLog, Next, Spot};
use crate::agent_message::NodesAround;

/// How many nodes are looked through for a text.
const MOST_NODES: usize = 20_000;
/// Properties of a node that give a node below it.
const DOWN: [&str; 9] = [
    "firstChild",
    "lastChild",
    "firstElementChild",
    "lastElementChild",
    "childNodes",
    "children",
    "content",
    "body",
    "documentElement",
];
/// Properties of a node that give one beside it.
const BESIDE: [&str; 4] = [
    "nextSibling",
    "previousSibling",
    "nextElementSibling",
    "previousElementSibling",
];
/// Properties of a node that give the one around it.
const UP: [&str; 2] = ["parentNode", "parentElement"];

/// Which arguments of a built-in are texts, markup or nodes that it puts into the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Puts {
    /// All of them, into the object whose method it is.
    All,
    /// This one.
    One(usize),
    /// This one is what an attribute or a style is.
    Attribute(usize),
    /// All of them, beside the object.
    Beside,
}

/// What the method of this name puts into the document.
fn puts(method: &str) -> Option<Puts> {
    Some(match method {
        "append" | "prepend" | "replaceChildren" => Puts::All,
        "before" | "after" | "replaceWith" => Puts::Beside,
        "appendChild" | "insertBefore" | "replaceChild" | "insertNode" | "appendData"
        | "setHTMLUnsafe" | "setHTML" | "write" | "writeln" => Puts::One(0),
        "insertAdjacentElement" | "insertAdjacentText" | "insertAdjacentHTML" | "insertData" => {
            Puts::One(1)
        }
        "replaceData" => Puts::One(2),
        "setAttribute" | "setProperty" => Puts::Attribute(1),
        "setAttributeNS" => Puts::Attribute(2),
        _ => return None,
    })
}

/// The names of these methods.
const PUTTING: [&str; 20] = [
    "append",
    "prepend",
    "replaceChildren",
    "before",
    "after",
    "replaceWith",
    "appendChild",
    "insertBefore",
    "replaceChild",
    "insertNode",
    "appendData",
    "setHTMLUnsafe",
    "setHTML",
    "write",
    "writeln",
    "insertAdjacentElement",
    "insertAdjacentText",
    "insertAdjacentHTML",
    "insertData",
    "replaceData",
];

/// The names of those that set an attribute or a style.
const SETTING: [&str; 3] = ["setAttribute", "setAttributeNS", "setProperty"];

/// Where a text is that the document shows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// It was written to a node.
    Write(Write),
    /// It is this argument of the call that came back at an event.
    Argument { event: u32, number: usize },
}

/// A text of a node.
#[derive(Clone, Debug)]
struct Text {
    source: Source,
    /// `None`: it is longer than the log keeps.
    text: Option<String>,
    /// The calls that put the node into the one that is asked about, the outermost first.
    through: Vec<u32>,
}

/// What put a text into the document.
#[derive(Clone, Debug)]
pub(super) struct Put {
    /// The event behind the call; none: it was assigned.
    event: Option<u32>,
    /// The texts that it is, all of them.
    texts: Vec<Text>,
    /// The text that is asked about.
    shown: String,
}

/// What may have put a text into the document.
struct Candidate {
    /// The event behind the call; none: it was assigned.
    event: Option<u32>,
    /// The object whose method was called, or whose property was assigned.
    into: Option<u32>,
    /// Whether it sets an attribute or a style.
    is_setting: bool,
    /// The nodes that were handed over, and all that were looked through in them.
    given: Vec<u32>,
    passed: HashSet<u32>,
    texts: Vec<Text>,
    /// Whether it may have more texts than the log says.
    is_open: bool,
}

impl Candidate {
    /// Whether it put something into an element, or into a node in it.
    fn is_in(&self, nodes: &NodesAround) -> bool {
        let is_own = self.into == Some(nodes.own) && nodes.own != 0;
        let is_below = self.into.is_some_and(|into| nodes.below.contains(&into));
        let is_given = self.given.iter().any(|node| nodes.below.contains(node));
        is_own || !self.is_setting && (is_below || is_given)
    }

    /// Whether it may have: by way of a fragment, or of markup that the element is in.
    fn may_be_in(&self, nodes: &NodesAround) -> bool {
        let is_around = nodes.own != 0 && self.passed.contains(&nodes.own);
        let has_below = nodes.below.iter().any(|node| self.passed.contains(node));
        let is_markup = self.event.is_none() || self.given.is_empty();
        let is_above = self.into.is_some_and(|into| nodes.above.contains(&into));
        !self.is_setting && !is_around && (has_below || is_markup && is_above)
    }
}

/// How the nodes of the log are in each other.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// By node: the calls that put something into it.
    put_into: HashMap<(u16, u32), Vec<u32>>,
    /// By node: those that the page found in it, and the call that put one there, if it is known.
    below: HashMap<(u16, u32), BTreeMap<u32, Option<u32>>>,
    /// The nodes that the page found by way of others.
    found: HashSet<(u16, u32)>,
    /// By the fragment that is the content of a template: the template.
    templates: HashMap<(u16, u32), u32>,
}

/// What texts are looked for.
struct Search {
    stream: u16,
    passed: HashSet<u32>,
    found: Vec<Text>,
    /// Whether a node may have more texts than the log says.
    is_open: bool,
}

impl InLog<'_> {
    /// What put the text into the document that a reference shows, where no write of the log did it by itself.
    ///
    /// `nodes` are those around the element that is asked about: what was put into it, or into a node in it, changed
    /// its text; what was put elsewhere did not.
    pub(super) fn find_put(
        &self,
        first: &PointAnswer,
        reference: &GlobalReference,
        (ends_there, nodes): (bool, Option<&NodesAround>),
    ) -> Option<Put> {
        let new = first.new.as_ref()?;
        let shown: String = match new.kind {
            ValueType::String => serde_json::from_str(&new.text).ok()?,
            _ => return None,
        };
        if shown.is_empty() || reference.reference.segments.is_empty() {
            return None;
        }
        let mut candidates = self.candidates(first);
        let mut is_known = false;
        if let Some(nodes) = nodes {
            let near = [Candidate::is_in, Candidate::may_be_in]
                .into_iter()
                .find(|near| candidates.iter().any(|it| near(it, nodes)));
            if let Some(near) = near {
                candidates.retain(|it| near(it, nodes));
                is_known = ends_there;
            }
        }
        let mut found: Vec<(Option<u32>, Put)> = Vec::new();
        for candidate in candidates {
            let texts = the_texts(candidate.texts, &shown);
            if texts.is_empty() && candidate.is_open {
                // It may have put in what is asked about, too.
                return None;
            }
            if !texts.is_empty() {
                let put = Put {
                    event: candidate.event,
                    texts,
                    shown: shown.clone(),
                };
                found.push((candidate.into, put));
            }
        }
        found.sort_by_key(|(_, put)| put.at());
        let (into, last) = found.pop()?;
        // What was put into one object again and again is there from the last time.
        let mut others = found.iter();
        let is_clear = is_known || others.all(|(other, _)| into.is_some() && *other == into);
        is_clear.then_some(last)
    }

    /// What may have put a text into the document where a write was found.
    fn candidates(&self, first: &PointAnswer) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for &method in PUTTING.iter().chain(&SETTING) {
            for &event in self.calls_of_method(method) {
                let Some((spot, call)) = self.call_text(event) else {
                    continue;
                };
                if !self.is_at(spot, &call, first) {
                    continue;
                }
                let receiver = call.receiver.as_ref();
                let into = receiver.and_then(|it| self.evaluated(spot, it, 0)?.object());
                let mut search = Search::new(spot.moment.stream);
                self.put_by(event, &call, &[], &mut search);
                let given = self.model.library_arguments_of(event).unwrap_or_default();
                let given = given.iter().filter_map(|value| value.object());
                candidates.push(Candidate {
                    event: Some(event),
                    into: into.map(|object| object.0),
                    is_setting: SETTING.contains(&method),
                    given: given.map(|object| object.0).collect(),
                    passed: search.passed,
                    texts: search.found,
                    is_open: search.is_open,
                });
            }
        }
        let writes = self.texts_at(first).into_iter();
        candidates.extend(writes.map(|write| Candidate {
            event: None,
            into: match write.target {
                Target::Key { object, .. } => Some(object),
                Target::Variable { .. } => None,
            },
            is_setting: false,
            given: Vec::new(),
            passed: HashSet::new(),
            texts: vec![Text {
                source: Source::Write(write),
                text: self.text_of(write.stream, write.value),
                through: Vec::new(),
            }],
            is_open: false,
        }));
        candidates
    }

    /// Whether a call is where a write was found.
    fn is_at(&self, spot: Spot, call: &Call, first: &PointAnswer) -> bool {
        let Some(location) = &first.location else {
            return false;
        };
        let place = self
            .home(spot.script)
            .and_then(|home| self.sources.place_in(home, call.span.start));
        place.is_some_and(|place| {
            (place.location.line, place.location.column) == (location.line, location.column)
                && place.location.url == location.url
        })
    }

    /// The writes of texts and markup to nodes, where a write was found.
    fn texts_at(&self, first: &PointAnswer) -> Vec<Write> {
        let keys = TEXTS.iter().chain(&["outerHTML"]);
        let groups = keys.flat_map(|key| {
            let key = Key::Property((*key).to_owned());
            self.of_any(&key, None).into_values().flatten()
        });
        groups.filter(|write| self.is_place(write, first)).collect()
    }

    /// How a text of the document goes on.
    pub(super) fn put(&self, put: &Put, name: &str, hops: &mut Vec<Hop>) -> Next {
        let mut name = name.to_owned();
        let [text] = put.texts.as_slice() else {
            return self.put_together(put, name, hops);
        };
        let mut shown = Some(put.shown.as_str());
        for event in put.event.iter().chain(&text.through) {
            let Some((spot, call)) = self.call_text(*event) else {
                return Next::unobserved("the text of the call is not known");
            };
            hops.extend(self.dom_hop(spot, &call, std::mem::take(&mut name), shown));
            shown = text.text.as_deref();
            name = self.name_of_put(spot, &call);
        }
        self.look_for(match text.text.as_ref() {
            Some(text) if put.shown.contains(text.as_str()) => None,
            _ => Some(put.shown.clone()),
        });
        match text.source {
            Source::Write(write) => {
                let name = match put.event {
                    None => name,
                    Some(_) => self.name_of_write(write).unwrap_or(name),
                };
                Next::Write(write, name)
            }
            Source::Argument { event, number } => {
                let Some((spot, call)) = self.call_text(event) else {
                    return Next::unobserved("the text of the call is not known");
                };
                let is_last = text.through.last().or(put.event.as_ref()) == Some(&event);
                if !is_last {
                    let home = self.home(spot.script);
                    let made = home.and_then(|home| self.sources.text_at(home, call.span));
                    let name = crate::origin::one_line(made.unwrap_or_default());
                    hops.extend(self.dom_hop(spot, &call, name, text.text.as_deref()));
                }
                let Some(argument) = call.arguments.get(number).filter(|it| !it.is_spread) else {
                    return Next::unobserved("an argument behind a spread");
                };
                let given = self.given_at(event, number).unwrap_or(Seen::Unknown);
                Next::Value {
                    spot,
                    value: Box::new(argument.value.clone()),
                    way: Vec::new(),
                    seen: given,
                }
            }
        }
    }

    /// What is shown is made of several texts: that is a computation.
    fn put_together(&self, put: &Put, name: String, hops: &mut Vec<Hop>) -> Next {
        let called = put.event.and_then(|event| self.call_text(event));
        let Some((spot, call)) = called else {
            return Next::unobserved("what was written to the document is not in the log");
        };
        hops.extend(self.dom_hop(spot, &call, name, Some(&put.shown)));
        let home = self.home(spot.script);
        let place = home.and_then(|home| self.sources.place_in(home, call.span.start));
        let detail = home.and_then(|home| self.sources.text_at(home, call.span));
        let operands = put.texts.iter().map(|text| {
            let own = match text.source {
                Source::Argument { event, number } => {
                    self.call_text(event).and_then(|(spot, call)| {
                        Some(self.named(spot, &call.arguments.get(number)?.value))
                    })
                }
                Source::Write(write) => self.name_of_write(write),
            };
            EndOperand {
                text: own.unwrap_or_default(),
                value: Preview::string(text.text.as_deref().unwrap_or_default()),
            }
        });
        Next::End(End {
            kind: EndKind::Computation,
            location: place.map(|place| place.location),
            detail: detail.map(crate::origin::one_line),
            operands: operands.collect(),
        })
    }

    /// A hop at a call, with a text.
    fn dom_hop(&self, spot: Spot, call: &Call, name: String, text: Option<&str>) -> Option<Hop> {
        let seen = (spot.moment.stream, Seen::Unknown);
        let hop = self.hop(HopKind::Dom, spot.script, call.span.start, seen, name)?;
        Some(match text {
            Some(text) => Hop {
                value: Preview::string(text),
                ..hop
            },
            None => hop,
        })
    }

    /// What a call put into the document, by its text.
    fn name_of_put(&self, spot: Spot, call: &Call) -> String {
        let number = match call.method.as_deref().and_then(puts) {
            Some(Puts::One(number) | Puts::Attribute(number)) => number,
            _ => 0,
        };
        let argument = call.arguments.get(number);
        argument.map_or_else(String::new, |it| self.named(spot, &it.value))
    }

    /// `node.data`, by the text of the write.
    fn name_of_write(&self, write: Write) -> Option<String> {
        let Target::Key { key, .. } = write.target else {
            return None;
        };
        let Key::Property(key) = self.model.keys.get(key as usize)? else {
            return None;
        };
        let site = self.event(write.event)?.site;
        let (script, LoggedPlace::Written { owner, .. }) = self.place(site)? else {
            return None;
        };
        let moment = self.moment(write.event)?;
        let owner = self.named(Spot { script, moment }, owner.as_deref()?);
        Some(format!("{owner}{}", key_behind(key)))
    }

    /// A value as a text that a node may have; `None`: it is longer than the log keeps.
    fn text_of(&self, stream: u16, value: Seen) -> Option<String> {
        match value {
            Seen::LongString { .. } => None,
            Seen::Undefined | Seen::Null | Seen::Absent => Some(String::new()),
            value => Some(plain_text(self.model, stream, value)),
        }
    }

    /// The texts that a call put into the document.
    fn put_by(&self, event: u32, call: &Call, through: &[u32], search: &mut Search) {
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
                    self.texts_of(node.0, event, through, search);
                }
                _ => search.found.push(Text {
                    source: Source::Argument { event, number },
                    text: self.text_of(search.stream, given),
                    through: through.to_vec(),
                }),
            }
        }
    }

    /// The texts of a node, and of the nodes in it, just before an event.
    fn texts_of(&self, node: u32, before: u32, through: &[u32], search: &mut Search) {
        if search.passed.len() > MOST_NODES || !search.passed.insert(node) {
            return;
        }
        let stream = search.stream;
        let writes = TEXTS.iter().filter_map(|key| {
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
            if event < from || event >= before {
                continue;
            }
            if let Some((_, call)) = self.call_text(event) {
                let mut through = through.to_vec();
                through.push(event);
                self.put_by(event, &call, &through, search);
            }
        }
        for (&below, put) in nodes.below.get(&(stream, node)).into_iter().flatten() {
            if put.is_some_and(|event| event < from || event >= before) {
                continue;
            }
            let mut through = through.to_vec();
            through.extend(put);
            self.texts_of(below, before, &through, search);
        }
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
            (
                "createElement" | "createElementNS" | "createComment" | "createDocumentFragment",
                _,
            ) => {
                return;
            }
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
    fn first_node(&self, spot: Spot, value: &Value) -> Option<u32> {
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

    /// How the nodes of the log are in each other.
    fn nodes(&self) -> &Nodes {
        self.nodes.get_or_init(|| {
            let mut nodes = Nodes::default();
            for method in PUTTING {
                for &event in self.calls_of_method(method) {
                    self.learn_of_call(event, &mut nodes);
                }
            }
            for event in self.calls_of_method("nextNode") {
                self.learn_of_walker(*event, &mut nodes);
            }
            let mut known = HashSet::new();
            for write in &self.model.writes {
                let value = self.model.written(write);
                self.learn_of_write((write.stream, write.event), value, &mut known, &mut nodes);
                if self.is_node(write.stream, write.object) {
                    self.learn_of_owner((write.stream, write.event), write.object, &mut nodes);
                }
            }
            for write in self.model.variables.values().flatten() {
                if write.argument == NONE {
                    let value = self.model.assigned(write);
                    self.learn_of_write((write.stream, write.event), value, &mut known, &mut nodes);
                }
            }
            nodes
        })
    }

    /// A call that puts something into the document: into what, and how that was found.
    fn learn_of_call(&self, event: u32, nodes: &mut Nodes) {
        let Some((spot, call)) = self.call_text(event) else {
            return;
        };
        let Some(receiver) = &call.receiver else {
            return;
        };
        let stream = spot.moment.stream;
        let Some(object) = self.node_of(spot, receiver) else {
            // `start.parentNode.insertBefore(node, end)`: the node is beside the other.
            let beside = || match up(receiver)? {
                (of, true) => Some(self.evaluated(spot, &of, 0)?.object()?.0),
                _ => None,
            };
            if let Some(beside) = beside() {
                self.learn_beside(event, (stream, beside), nodes);
            }
            return;
        };
        self.learn_of_expression(spot, receiver, object, nodes);
        match call.method.as_deref().and_then(puts) {
            Some(Puts::Beside) => self.learn_beside(event, (stream, object), nodes),
            _ => nodes
                .put_into
                .entry((stream, object))
                .or_default()
                .push(event),
        }
    }

    /// A call put nodes beside this one: whoever finds the one in a node finds the others there.
    fn learn_beside(&self, event: u32, (stream, beside): (u16, u32), nodes: &mut Nodes) {
        let given = self.model.library_arguments_of(event).unwrap_or_default();
        for node in given.iter().filter_map(|value| value.object()) {
            if node.0 != beside && self.is_node(stream, node.0) {
                nodes
                    .below
                    .entry((stream, beside))
                    .or_default()
                    .insert(node.0, Some(event));
            }
        }
    }

    /// `walker.nextNode()` gave a node below the one where the walker was.
    fn learn_of_walker(&self, event: u32, nodes: &mut Nodes) {
        let Some((spot, call)) = self.call_text(event) else {
            return;
        };
        let stream = spot.moment.stream;
        let found = self.event(event).and_then(|event| event.value.object());
        let walker = call
            .receiver
            .as_ref()
            .and_then(|it| self.evaluated(spot, it, 0)?.object());
        let (Some(found), Some(walker)) = (found, walker) else {
            return;
        };
        let key = Key::Property("currentNode".to_owned());
        let set = self.property(stream, walker.0, &key, event);
        let root = match set {
            Some(set) => set.value.object(),
            None => self
                .first_given_by(stream, walker.0)
                .filter(|(_, _, call)| call.method.as_deref() == Some("createTreeWalker"))
                .and_then(|(event, _, _)| self.given_at(event, 0)?.object()),
        };
        if let Some(root) = root {
            nodes
                .below
                .entry((stream, root.0))
                .or_default()
                .insert(found.0, None);
            nodes.found.insert((stream, found.0));
        }
    }

    /// A variable or property has a node that the page found by way of another.
    fn learn_of_write(
        &self,
        (stream, event): (u16, u32),
        value: Seen,
        known: &mut HashSet<(u16, u32)>,
        nodes: &mut Nodes,
    ) {
        let Some(node) = value.object().filter(|node| self.is_node(stream, node.0)) else {
            return;
        };
        if !known.insert((stream, node.0)) {
            return;
        }
        let Some(site) = self.event(event).map(|event| event.site) else {
            return;
        };
        let Some((script, LoggedPlace::Written { written, .. })) = self.place(site) else {
            return;
        };
        let Written::Value { value, path } = written else {
            return;
        };
        let steps = path.into_iter().map(|step| match step {
            PathStep::Into(step) => Some(step),
            _ => None,
        });
        let Some(steps) = steps.collect::<Option<Vec<Step>>>() else {
            return;
        };
        if let Form::Reference(mut reference) = value.form
            && let Some(moment) = self.moment(event)
        {
            reference.steps.extend(steps);
            self.learn_of_reference(Spot { script, moment }, &reference, node.0, nodes);
        }
    }

    /// `list.firstChild.data = text`
    fn learn_of_owner(&self, (_, event): (u16, u32), node: u32, nodes: &mut Nodes) {
        let Some(site) = self.event(event).map(|event| event.site) else {
            return;
        };
        if let Some((
            script,
            LoggedPlace::Written {
                owner: Some(owner), ..
            },
        )) = self.place(site)
            && let Some(moment) = self.moment(event)
        {
            self.learn_of_expression(Spot { script, moment }, &owner, node, nodes);
        }
    }

    /// An expression gave a node: where it was found.
    fn learn_of_expression(&self, spot: Spot, value: &Value, node: u32, nodes: &mut Nodes) {
        if let Form::Reference(reference) = &value.form {
            self.learn_of_reference(spot, reference, node, nodes);
        }
    }

    fn learn_of_reference(&self, spot: Spot, reference: &Reference, node: u32, nodes: &mut Nodes) {
        let stream = spot.moment.stream;
        let first = reference.steps.len() - steps_through_nodes(reference);
        let ways = reference.steps.get(first..).unwrap_or_default();
        let base = self.reference_value(spot, reference, first);
        let Some(base) = base.and_then(Seen::object).filter(|_| !ways.is_empty()) else {
            return;
        };
        nodes.found.insert((stream, node));
        let is_up =
            |step: &Step| matches!(step, Step::Property(name) if UP.contains(&name.as_str()));
        if ways.iter().all(is_up) {
            nodes
                .below
                .entry((stream, node))
                .or_default()
                .insert(base.0, None);
        } else if !ways.iter().any(is_up) && base.0 != node {
            if matches!(ways, [Step::Property(only)] if only == "content") {
                nodes.templates.insert((stream, node), base.0);
            }
            // Beside it, it is found with the other.
            nodes
                .below
                .entry((stream, base.0))
                .or_default()
                .insert(node, None);
        }
    }

    /// The node that an expression gives.
    fn node_of(&self, spot: Spot, value: &Value) -> Option<u32> {
        let object = self.evaluated(spot, value, 0)?.object()?;
        Some(object.0)
    }

    /// Whether an object is a node of a document.
    fn is_node(&self, stream: u16, object: u32) -> bool {
        let class = self.class_of(stream, object);
        matches!(
            class,
            "Text" | "Comment" | "DocumentFragment" | "ShadowRoot"
        ) || class.ends_with("Element")
    }
}

impl Search {
    fn new(stream: u16) -> Self {
        Self {
            stream,
            passed: HashSet::new(),
            found: Vec::new(),
            is_open: false,
        }
    }
}

impl Put {
    /// The event that it was put in at.
    fn at(&self) -> u32 {
        let of_text = self.texts.first().map(|text| match text.source {
            Source::Argument { event, .. } => event,
            Source::Write(write) => write.event,
        });
        self.event.or(of_text).unwrap_or_default()
    }
}

/// How many steps at the end of a reference lead through nodes.
fn steps_through_nodes(reference: &Reference) -> usize {
    let is_through = |step: &&Step| match step {
        Step::Index(_) | Step::Computed { .. } => true,
        Step::Property(name) => {
            let name = name.as_str();
            DOWN.contains(&name) || BESIDE.contains(&name) || UP.contains(&name)
        }
        _ => false,
    };
    reference.steps.iter().rev().take_while(is_through).count()
}

/// `start.parentNode` of a reference: what it is the parent of, and whether it is.
fn up(value: &Value) -> Option<(Value, bool)> {
    let Form::Reference(reference) = &value.form else {
        return None;
    };
    let (last, before) = reference.steps.split_last()?;
    let is_up = matches!(last, Step::Property(name) if UP.contains(&name.as_str()));
    let of = Reference {
        root: reference.root.clone(),
        steps: before.to_vec(),
    };
    let value = Value {
        form: Form::Reference(of),
        ..value.clone()
    };
    Some((value, is_up))
}

/// The texts of a node that are shown: one that is all of it, or has it, or those that it is made of; none, if more than
/// one may be it.
fn the_texts(mut texts: Vec<Text>, shown: &str) -> Vec<Text> {
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
