//! What an element shows where it is of several texts: its text nodes, or the names in its list of classes.
//!
//! The page tells which texts are in the element that is asked about. Of each the nearest node around it that the log
//! has says which call or assignment put it there. If all but one are in the page's markup, that one is followed;
//! else the end is a computation, and each of them is an operand.

use std::collections::{BTreeMap, HashMap};

use event_log::model::{Key, NONE};
use js_analysis::origin::{LoggedPlace, Written};
use querypoint::answer::{
    End, EndKind, EndOperand, Hop, HopKind, Location, PointAnswer, Value as Preview,
};
use querypoint::query::{GlobalReference, ReferenceRoot, Segment};

use super::as_shown::as_shown;
use super::built_ins::{TOKENS, makes_an_empty_node};
use super::put::Put;
use super::texts::{Search, Source, Text};
use crate::agent_message::{NodeText, NodesAround};
use crate::origin::is_content_key;
use crate::origin_in_log::operands::{Ended, Offered};
use crate::origin_in_log::{InLog, Next};

/// So many texts are named as operands.
const MOST_NAMED: usize = 20;

/// What an element shows, of several texts.
#[derive(Clone, Debug)]
pub(in crate::origin_in_log) struct Several {
    pieces: Vec<Piece>,
    /// Whether there are others.
    has_more: bool,
    /// All of it.
    shown: Preview,
    what: &'static str,
    /// Where it changed last, if that was found without the log.
    change: Option<Hop>,
}

/// One of several texts.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    from: From,
}

/// Where one of several texts is from.
#[derive(Clone, Debug)]
enum From {
    Put(Box<Put>),
    /// No script of the log put it there.
    Markup,
    /// More than one call may have.
    Unclear,
}

/// Whether a reference asks for all texts in an element.
pub(crate) fn is_content(reference: &GlobalReference) -> bool {
    last_key(reference).is_some_and(is_content_key)
}

/// Whether a reference asks for all names in a list of classes.
pub(super) fn is_of_classes(reference: &GlobalReference) -> bool {
    let mut segments = reference.reference.segments.iter().rev();
    let is_list = |segment: Option<&Segment>| matches!(segment, Some(Segment::Property(list)) if list == "classList");
    match last_key(reference) {
        Some("className") => true,
        Some("value") => is_list(segments.nth(1)),
        _ => false,
    }
}

fn last_key(reference: &GlobalReference) -> Option<&str> {
    match reference.reference.segments.last()? {
        Segment::Property(key) => Some(key),
        _ => None,
    }
}

impl InLog<'_> {
    /// The texts that an element shows, where they are several; `None`: it shows one, or which is not known.
    pub(in crate::origin_in_log) fn find_several(
        &self,
        first: &PointAnswer,
        reference: &GlobalReference,
        nodes: Option<&NodesAround>,
    ) -> Option<Several> {
        let key = last_key(reference).filter(|key| is_content_key(key))?;
        let nodes = nodes?;
        let preview = first.new.as_ref().or(first.value.as_ref())?;
        let texts = self.texts_asked_about(reference, nodes)?;
        let texts = as_shown(texts, preview, key)?;
        let stream = self.stream_of(&texts)?;
        let is_found = first.location.is_some();
        let is_markup = matches!(key, "innerHTML" | "outerHTML");
        if texts.len() < 2 && is_found && !is_markup {
            return None;
        }
        let mut known = HashMap::new();
        let pieces = texts.iter().map(|text| Piece {
            text: text.text.clone(),
            from: self.source_of(stream, text, &texts, &mut known),
        });
        let mut pieces: Vec<Piece> = pieces.collect();
        let one = pieces.iter().find_map(Piece::put)?.clone();
        // All of it was written at once.
        let is_it = |piece: &Piece| piece.put().is_some_and(|put| put.is_of(&one));
        if pieces.iter().all(is_it) && one.text_put().is_none_or(|text| text != one.shown) {
            if is_found && key != "outerHTML" {
                return None;
            }
            let text = one.text_put().unwrap_or(&one.shown).to_owned();
            let whole = Put {
                shown: text.clone(),
                ..one
            };
            let from = From::Put(Box::new(whole));
            pieces = vec![Piece { text, from }];
        }
        Some(Several {
            pieces,
            has_more: nodes.more,
            shown: preview.clone(),
            what: "texts",
            change: change_of(first),
        })
    }

    /// The texts that the page told of the element that a reference leads to.
    fn texts_asked_about<'n>(
        &self,
        reference: &GlobalReference,
        nodes: &'n NodesAround,
    ) -> Option<Vec<&'n NodeText>> {
        if asked_itself(reference) {
            return Some(nodes.texts.iter().collect());
        }
        let ReferenceRoot::Variable(_) = &reference.reference.root else {
            return None;
        };
        let owners = self.owners(reference, true)?;
        let [(_, owner)] = owners.as_slice() else {
            return None;
        };
        let texts = nodes
            .texts
            .iter()
            .filter(|text| text.around.contains(owner));
        Some(texts.collect())
    }

    /// The realm whose nodes these are.
    fn stream_of(&self, texts: &[&NodeText]) -> Option<u16> {
        let numbers = texts
            .iter()
            .flat_map(|text| text.around.iter().chain([&text.own]));
        let mut numbers: Vec<u32> = numbers.copied().filter(|number| *number != 0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let streams = (0..).take(self.model.streams.len());
        let mut streams = streams.filter(|&stream| {
            let mut all = numbers.iter();
            all.all(|&it| self.is_node(stream, it) || self.is_element(stream, it))
        });
        let only = streams.next().filter(|_| !numbers.is_empty());
        only.filter(|_| streams.next().is_none())
    }

    /// What put a text into the document: the nearest node around it that the log has says so.
    fn source_of(
        &self,
        stream: u16,
        text: &NodeText,
        all: &[&NodeText],
        known: &mut HashMap<u32, Vec<Text>>,
    ) -> From {
        let end = u32::try_from(self.model.events.len()).unwrap_or(NONE);
        let own = std::iter::once(&text.own).chain(&text.around);
        let own = own.copied().filter(|node| *node != 0);
        let nearest = own.clone().next();
        for node in own {
            let found = known.entry(node).or_insert_with(|| {
                let mut search = Search::new(stream);
                self.texts_of(node, end, &[], &mut search);
                search.found
            });
            let is_it = |found: &&Text| found.text.as_ref() == Some(&text.text);
            let exact: Vec<&Text> = found.iter().filter(is_it).collect();
            let is_in = |it: &&&NodeText| it.own == node || it.around.contains(&node);
            let mut same = all.iter().filter(is_in).filter(|it| it.text == text.text);
            let is_alone = same.next().is_some() && same.next().is_none();
            match exact.as_slice() {
                [only] if is_alone => return from_put(only, &text.text),
                [] => {}
                _ => return From::Unclear,
            }
            let may_have = |found: &&Text| match &found.text {
                Some(found) => found.contains(&text.text),
                None => true,
            };
            let mut markup = found.iter().filter(may_have);
            match (markup.next(), markup.next()) {
                (Some(only), None) => return from_put(only, &text.text),
                (Some(_), Some(_)) => return From::Unclear,
                (None, _) => {}
            }
            // Markup may have it in another form, and what was written to this very node is its text.
            let is_markup = |found: &Text| {
                let text = found.text.as_deref().unwrap_or("<");
                text.contains(['<', '&'])
            };
            if found.iter().any(is_markup) || node == text.own && !found.is_empty() {
                return From::Unclear;
            }
        }
        // What a script made had nothing in it.
        match nearest.is_some_and(|node| self.is_made_empty(stream, node)) {
            true => From::Unclear,
            false => From::Markup,
        }
    }

    /// Whether a script made a node that had no text.
    fn is_made_empty(&self, stream: u16, node: u32) -> bool {
        let made = self.first_given_by(stream, node);
        made.and_then(|(_, _, call)| call.method)
            .is_some_and(|method| makes_an_empty_node(&method))
    }

    /// The names of a list of classes of which a call gave one.
    pub(super) fn several_names(
        &self,
        (stream, element): (u16, u32),
        first: &PointAnswer,
        shown: &str,
    ) -> Option<Several> {
        let mut names: BTreeMap<String, Option<Put>> = BTreeMap::new();
        let mut is_taken_away = false;
        for method in TOKENS.into_iter().chain(["remove"]) {
            for &event in self.calls_of_method(method) {
                let Some((spot, call)) = self.call_text(event) else {
                    continue;
                };
                let into = call.receiver.as_ref();
                let into = into.and_then(|it| self.element_around(spot, it, Some("classList")));
                if into.is_none_or(|into| into.0 != element) || spot.moment.stream != stream {
                    continue;
                }
                is_taken_away |= method != "add";
                if method == "remove" {
                    continue;
                }
                let mut search = Search::new(stream);
                self.tokens_of(event, &call, &mut search);
                for text in search.found {
                    let own = text.text.clone().unwrap_or_default();
                    let put = Put {
                        event: Some(event),
                        texts: vec![text],
                        shown: own.clone(),
                    };
                    // The first of equal calls put it there, if none took it away.
                    let known = names.entry(own).or_insert_with(|| Some(put.clone()));
                    if let Some(first) = known.take_if(|first| first.at() != put.at())
                        && !is_taken_away
                    {
                        *known = Some(first);
                    }
                }
            }
        }
        let end = u32::try_from(self.model.events.len()).unwrap_or(NONE);
        let whole = self.property(stream, element, &Key::Property("className".to_owned()), end);
        let pieces = shown.split_whitespace().map(|name| {
            let written = whole.filter(|whole| {
                let text = self.text_of(stream, whole.value);
                text.is_none_or(|text| text.split_whitespace().any(|it| it == name))
            });
            let from = match (names.get(name), written) {
                (Some(None), _) | (Some(_), Some(_)) => From::Unclear,
                (Some(Some(put)), None) => From::Put(Box::new(put.clone())),
                (None, Some(write)) => from_put(
                    &Text {
                        source: Source::Write(write),
                        text: self.text_of(stream, write.value),
                        through: Vec::new(),
                    },
                    name,
                ),
                (None, None) => From::Markup,
            };
            Piece {
                text: name.to_owned(),
                from,
            }
        });
        Some(Several {
            pieces: pieces.collect(),
            has_more: false,
            shown: Preview::string(shown),
            what: "names",
            change: change_of(first),
        })
    }

    /// What is known of a text that is only a part of what an element shows.
    pub(super) fn part_of_several(
        &self,
        put: &Put,
        first: &PointAnswer,
        reference: &GlobalReference,
    ) -> Option<Several> {
        let [text] = put.texts.as_slice() else {
            return None;
        };
        let own = text.text.as_deref()?;
        let is_whole = own.contains(&put.shown) || own.trim() == put.shown.trim();
        let key = last_key(reference).filter(|_| !is_whole)?;
        let what = match key {
            key if is_content_key(key) => "texts",
            "cssText" => "declarations",
            _ => return None,
        };
        let piece = Piece {
            text: own.to_owned(),
            from: From::Put(Box::new(put.clone())),
        };
        Some(Several {
            pieces: vec![piece],
            has_more: true,
            shown: Preview::string(&put.shown),
            what,
            change: change_of(first),
        })
    }

    /// How what is of several texts goes on.
    pub(in crate::origin_in_log) fn several(
        &self,
        several: &Several,
        name: &str,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let puts = several.pieces.iter();
        let puts: Vec<(&Put, &Piece)> = puts
            .filter_map(|piece| Some((piece.put()?, piece)))
            .collect();
        let Some((last, _)) = puts
            .iter()
            .max_by_key(|(put, _)| put.put_through().max(Some(put.at())))
        else {
            return Next::unobserved("what put the texts into the document is not in the log");
        };
        let hop = several.change.clone().or_else(|| self.hop_of_put(last));
        let Some(hop) = hop else {
            return Next::unobserved("the text of the call is not known");
        };
        let location = hop.location.clone();
        hops.push(Hop {
            name: Some(name.to_owned()),
            value: several.shown.clone(),
            ..hop
        });
        let is_unclear = |piece: &Piece| matches!(piece.from, From::Unclear);
        // Markup that the program's text has is as constant as that of the page.
        let is_markup = |put: &Put| put.text_put() != Some(&*put.shown) && self.is_constant(put);
        let mut others = puts.iter().filter(|(put, _)| !is_markup(put));
        let only = match (puts.as_slice(), others.next()) {
            ([only], _) => Some(only),
            (_, other) => other.filter(|_| others.next().is_none()),
        };
        if let Some((only, piece)) = only
            && !several.has_more
            && !several.pieces.iter().any(is_unclear)
        {
            return self.put(only, &self.name_of(only, &piece.text), hops);
        }
        self.computed_of(several, location)
    }

    /// The end at several texts, each an operand.
    fn computed_of(&self, several: &Several, location: Location) -> Next {
        // Where there are many, those that a script put there are named first.
        let mut named: Vec<&Piece> = several.pieces.iter().collect();
        if named.len() > MOST_NAMED {
            named.sort_by_key(|piece| matches!(piece.from, From::Markup));
        }
        let left_off = named.len().saturating_sub(MOST_NAMED);
        named.truncate(MOST_NAMED);
        let operands = named.into_iter().map(|piece| {
            let operand = |text: &str| EndOperand {
                text: text.to_owned(),
                value: Preview::string(&piece.text),
            };
            let unobserved = |why: &str| End {
                kind: EndKind::Unobserved,
                location: Some(location.clone()),
                detail: Some(why.to_owned()),
                operands: Vec::new(),
            };
            match &piece.from {
                From::Put(put) => {
                    let name = self.name_of(put, &piece.text);
                    Offered::put(operand(&name), (**put).clone())
                }
                From::Markup => Offered::ended(
                    operand("a text of the page's markup"),
                    unobserved(
                        "no script of the log put it there: it is in the page's markup, or what put it there is not \
                         in the log",
                    ),
                ),
                From::Unclear => Offered::ended(
                    operand("a text"),
                    unobserved("more than one call or assignment may have put it there"),
                ),
            }
        });
        let operands: Vec<Offered> = operands.collect();
        let detail = match (several.pieces.len(), several.has_more) {
            (1, true) => format!("several {}, of which one was put there here", several.what),
            (many, true) => format!("more than {many} {}", several.what),
            (many, false) => format!("{many} {}", several.what),
        };
        let detail = match left_off {
            0 => detail,
            _ => format!("{detail}, of which {MOST_NAMED} are named"),
        };
        Next::End(Ended::computed(Some(location), detail, operands))
    }

    /// Whether what was put into the document is a literal.
    fn is_constant(&self, put: &Put) -> bool {
        match put.texts.first().map(|text| text.source) {
            Some(Source::Argument { event, number }) => {
                self.call_text(event).is_some_and(|(_, call)| {
                    let given = call.arguments.get(number);
                    given.is_some_and(|it| !it.is_spread && it.value.is_constant())
                })
            }
            Some(Source::Write(write)) => {
                let place = self.event(write.event).and_then(|it| self.place(it.site));
                matches!(place, Some((_, LoggedPlace::Written { written: Written::Value { value, path }, .. }))
                    if path.is_empty() && value.is_constant())
            }
            None => false,
        }
    }

    /// A text that was put into the document, by what the program calls it.
    fn name_of(&self, put: &Put, text: &str) -> String {
        let name = match put.texts.first().map(|text| text.source) {
            Some(Source::Argument { event, number }) => {
                self.call_text(event).and_then(|(spot, call)| {
                    Some(self.named(spot, &call.arguments.get(number)?.value))
                })
            }
            Some(Source::Write(write)) => self.name_of_write(write),
            None => None,
        };
        name.unwrap_or_else(|| text.to_owned())
    }

    /// Where a text was put into the document.
    fn hop_of_put(&self, put: &Put) -> Option<Hop> {
        let through = put.put_through();
        match put.texts.first()?.source {
            _ if let Some(event) = through => {
                let (spot, call) = self.call_text(event)?;
                self.dom_hop(spot, &call, String::new(), None)
            }
            Source::Argument { event, .. } => {
                let (spot, call) = self.call_text(event)?;
                self.dom_hop(spot, &call, String::new(), None)
            }
            Source::Write(write) => {
                let (script, at) = self.place_of_write(&write)?;
                let seen = (write.stream, write.value);
                self.hop(HopKind::Dom, script, at, seen, String::new())
            }
        }
    }
}

impl Piece {
    fn put(&self) -> Option<&Put> {
        match &self.from {
            From::Put(put) => Some(put),
            From::Markup | From::Unclear => None,
        }
    }
}

impl Put {
    /// Its text, as the log has it.
    fn text_put(&self) -> Option<&str> {
        self.texts.first()?.text.as_deref()
    }

    /// The call that put its node where it is.
    fn put_through(&self) -> Option<u32> {
        let through = self.texts.first().and_then(|text| text.through.first());
        self.event.or(through.copied())
    }

    fn is_of(&self, other: &Self) -> bool {
        let source = |put: &Self| put.texts.first().map(|text| text.source);
        source(self) == source(other)
    }
}

fn from_put(text: &Text, shown: &str) -> From {
    From::Put(Box::new(Put {
        event: None,
        texts: vec![text.clone()],
        shown: shown.to_owned(),
    }))
}

/// Whether the page was asked about the very element whose property a reference is.
fn asked_itself(reference: &GlobalReference) -> bool {
    let segments = reference.reference.segments.as_slice();
    match &reference.reference.root {
        ReferenceRoot::Element(_) => segments.len() == 1,
        ReferenceRoot::Variable(name) => match segments {
            [Segment::Property(part), _] => {
                name == "document" && matches!(part.as_str(), "body" | "documentElement")
            }
            _ => false,
        },
        _ => false,
    }
}

/// The change that was found without the log, as a hop.
fn change_of(first: &PointAnswer) -> Option<Hop> {
    let location = first.location.clone()?;
    Some(Hop {
        kind: HopKind::Dom,
        value: first.new.clone()?,
        name: None,
        function: first.function.clone(),
        source_line: first.source_line.clone(),
        library: crate::origin::library(&location),
        folded: None,
        point: None,
        realm: None,
        location,
    })
}
