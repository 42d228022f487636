//! What a page shows: which call put a text into the document, and what that text was before.
//!
//! An element shows the texts of the nodes in it. A node has its text from who made it (`createTextNode(text)`), from
//! who wrote it (`node.data = text`), or from the nodes that were put into it; a built-in that puts nodes into the
//! document (`append`, `insertBefore`) hands them on. Of several texts only one can be the one that is asked about: if
//! more than one may be, nothing is said.

mod as_shown;
mod built_ins;
mod markup_reads;
mod nodes;
pub(super) mod put;
pub(super) mod several;
mod texts;
mod tree;
mod tree_changes;

use std::collections::HashSet;

use event_log::ids::ObjectId;
use event_log::model::Key;
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, Form, LoggedPlace, Step, Value};
use querypoint::answer::{EndOperand, Hop, HopKind, PointAnswer, Value as Preview, ValueType};
use querypoint::query::GlobalReference;

use super::element_state::is_part;
use super::first_write::Start;
use super::iterables::COMPUTED;
use super::operands::{Ended, Offered};
use super::writes::{TEXTS, Target, Write, key_behind};
use super::{InLog, Next, Spot};
use crate::agent_message::NodesAround;
pub(super) use built_ins::PUTTING;
use built_ins::{Puts, SETTING, TOKENS, puts};
pub(super) use nodes::Nodes;
use put::Put;
pub(crate) use several::is_content;
use several::is_of_classes;
use texts::{Search, Source, Text, the_texts};
pub(super) use tree::{Changing, Reached};

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
    ) -> Option<Start> {
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
        if is_of_classes(reference)
            && shown.split_whitespace().nth(1).is_some()
            && let Some(last) = candidates.iter().rev().find(|it| it.is_setting)
            && candidates.iter().all(|it| it.into == last.into)
        {
            let stream = self.moment(last.event?)?.stream;
            let several = self.several_names((stream, last.into?), first, &shown);
            return several.map(|several| Start::Several(Box::new(several)));
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
        is_clear.then(|| match self.part_of_several(&last, first, reference) {
            Some(several) => Start::Several(Box::new(several)),
            None => Start::Put(Box::new(last)),
        })
    }

    /// What may have put a text into the document where a write was found.
    fn candidates(&self, first: &PointAnswer) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let methods = PUTTING.iter().chain(&SETTING).chain(&TOKENS);
        for &method in methods.chain(&[COMPUTED]) {
            for &event in self.calls_of_method(method) {
                let Some((spot, call)) = self.call_text(event) else {
                    continue;
                };
                if !self.is_at(spot, &call, first) {
                    continue;
                }
                let site = self.event(event).map(|event| event.site);
                let came = site.and_then(|site| self.came_back_at(site, event));
                let by_name = came.and_then(|came| self.as_method_call(spot, &call, &came.calls));
                let call = by_name.as_ref().unwrap_or(&call);
                let method = call.method.as_deref().unwrap_or_default();
                let receiver = call.receiver.as_ref();
                let into = receiver.and_then(|it| self.element_around(spot, it, None));
                let mut search = Search::new(spot.moment.stream);
                self.put_by((event, event), call, &[], &mut search);
                if TOKENS.contains(&method) {
                    self.tokens_of(event, call, &mut search);
                }
                let given = self.model.library_arguments_of(event).unwrap_or_default();
                let given = given.iter().filter_map(|value| value.object());
                candidates.push(Candidate {
                    event: Some(event),
                    into: into.map(|object| object.0),
                    is_setting: SETTING.contains(&method) || TOKENS.contains(&method),
                    given: given.map(|object| object.0).collect(),
                    passed: search.passed,
                    texts: search.found,
                    is_open: search.is_open,
                });
            }
        }
        candidates.extend(self.by_setter_called(first));
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

    /// `setter.call(element, text)`, where the execution without the log says that it was a setter of the browser.
    fn by_setter_called(&self, first: &PointAnswer) -> Vec<Candidate> {
        let note = first.note.as_deref().unwrap_or_default();
        if !note.contains(".prototype.") {
            return Vec::new();
        }
        let calls = self.calls_of_method("call").iter();
        let calls = calls.filter_map(|&event| {
            let (spot, call) = self.call_text(event)?;
            let [_, given] = call.arguments.as_slice() else {
                return None;
            };
            let is_it = !given.is_spread && self.is_at(spot, &call, first);
            let into = self.given_at(event, 0).filter(|_| is_it)?.object()?;
            Some(Candidate {
                event: Some(event),
                into: Some(into.0),
                is_setting: false,
                given: Vec::new(),
                passed: HashSet::new(),
                texts: vec![Text {
                    source: Source::Argument { event, number: 1 },
                    text: self.text_of(spot.moment.stream, self.given_at(event, 1)?),
                    through: Vec::new(),
                }],
                is_open: false,
            })
        });
        calls.collect()
    }

    /// The object that an expression gives; of `element.style` and `element.classList` the element.
    /// With `part` nothing else than that part of an element counts.
    pub(super) fn element_around(
        &self,
        spot: Spot,
        value: &Value,
        part: Option<&str>,
    ) -> Option<ObjectId> {
        let is_part = |step: &Step| is_part(step, part);
        let element = match &value.form {
            Form::Reference(reference) => match reference.steps.split_last() {
                Some((last, before)) if is_part(last) => {
                    self.reference_value(spot, reference, before.len())
                }
                _ => None,
            },
            Form::Part { of, steps } => match steps.split_last() {
                Some((last, before)) if is_part(last) => {
                    let of = self.evaluated(spot, of, 0);
                    of.and_then(|of| self.behind(spot, of, before))
                }
                _ => None,
            },
            _ => None,
        };
        let whole = || self.evaluated(spot, value, 0).filter(|_| part.is_none());
        element.or_else(whole)?.object()
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

    /// `element.textContent`, where nodes were put into the element and nothing was written to it; `None`: more than
    /// one text may be it.
    pub(super) fn of_node_text(
        &self,
        spot: Spot,
        node: u32,
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let shown = match seen {
            Seen::String(text) => self.model.text(spot.moment.stream, text.0).to_owned(),
            _ => return None,
        };
        let mut search = Search::new(spot.moment.stream);
        self.texts_of(node, spot.moment.at, &[], &mut search);
        let mut texts = the_texts(search.found, &shown);
        if search.is_open || texts.len() != 1 {
            texts = the_texts(self.texts_below(spot, node)?, &shown);
        }
        if texts.len() != 1 || shown.is_empty() {
            return None;
        }
        let put = Put {
            event: None,
            texts,
            shown,
        };
        Some(self.put(&put, name, hops))
    }

    /// A text that a script put into a node, which the page reads there.
    pub(super) fn of_text_put(
        &self,
        stream: u16,
        source: Source,
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (event, given) = match source {
            Source::Write(write) => (None, write.value),
            Source::Argument { event, number } => (Some(event), self.given_at(event, number)?),
        };
        let text = self.text_of(stream, given)?;
        if !self.is_text(stream, seen, &text) {
            return None;
        }
        let put = Put {
            event,
            texts: vec![Text {
                source,
                text: Some(text.clone()),
                through: Vec::new(),
            }],
            shown: text,
        };
        Some(self.put(&put, name, hops))
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
                    let made = home.and_then(|home| self.sources.author_text_at(home, call.span));
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
        let detail = home.and_then(|home| self.sources.author_text_at(home, call.span));
        let operands = put.texts.iter().map(|text| {
            let own = match text.source {
                Source::Argument { event, number } => {
                    self.call_text(event).and_then(|(spot, call)| {
                        Some(self.named(spot, &call.arguments.get(number)?.value))
                    })
                }
                Source::Write(write) => self.name_of_write(write),
            };
            let shown = text.text.clone().unwrap_or_default();
            let operand = EndOperand {
                text: own.unwrap_or_default(),
                value: Preview::string(&shown),
            };
            let alone = Put {
                event: put.event,
                texts: vec![text.clone()],
                shown,
            };
            Offered::put(operand, alone)
        });
        let location = place.map(|place| place.location);
        let detail = detail.map(crate::origin::one_line).unwrap_or_default();
        Next::End(Ended::computed(location, detail, operands.collect()))
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
