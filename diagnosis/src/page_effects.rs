//! What a call did to the page: the document, storage and the network, by the built-in functions that it and all below
//! it called, by what it wrote to elements, and by what they changed of the document.
//!
//! The log has these calls with their names as the code has them (`list.append`), not with the class of their object.
//! So a name tells what a call does, and where the name alone does not, what was passed and given.

use std::collections::BTreeSet;

use event_log::catalogue::shown_event;
use event_log::model::{Event, Key, Kind, Model, text};
use event_log::value::Value;
use querypoint::diagnosis::{PageEffect, PageEffectKind};

use crate::log::LogTree;
use crate::state::{Effects, Field};
use crate::tree::NodeId;

/// So many are shown.
const MOST_EFFECTS: usize = 50;
/// An argument is cut behind so many characters.
const LONGEST_ARGUMENT: usize = 80;

/// Methods of nodes that change the document, whatever is passed.
const OF_NODES: [&str; 17] = [
    "appendChild",
    "insertAdjacentElement",
    "insertAdjacentHTML",
    "insertAdjacentText",
    "insertBefore",
    "prepend",
    "removeAttribute",
    "removeChild",
    "removeProperty",
    "replaceChild",
    "replaceChildren",
    "replaceWith",
    "setAttribute",
    "setAttributeNS",
    "setProperty",
    "toggleAttribute",
    "insertRow",
];
/// Those that other objects have, too: of nodes if a node or a text is passed.
const OF_OTHERS_TOO: [&str; 3] = ["after", "append", "before"];
/// Of `element.classList`.
const OF_CLASSES: [&str; 4] = ["add", "remove", "replace", "toggle"];

/// What a call did to the page, in order. What `shown` has of it is left out.
pub(crate) fn page_effects(log: &LogTree<'_>, node: NodeId, shown: &Effects) -> Vec<PageEffect> {
    let model = log.model();
    let mut found = Vec::new();
    let mut written = BTreeSet::new();
    // What is there by the call or the assignment is not there again by what that changed.
    let mut places = BTreeSet::new();
    for number in log.events_below(node, log.end(node)) {
        let Some(event) = model.events.get(number as usize) else {
            continue;
        };
        let effect = match event.kind {
            Kind::CallEnd => called(model, event, number),
            Kind::Dom if event.site.is_some() && !places.contains(&event.site.0) => {
                changed(log, event)
            }
            Kind::Write => {
                let field = event.owner.object().map(|object| Field {
                    object: object.0,
                    key: event.key,
                });
                // The last value is what an object of `shown` has.
                let is_shown = field.is_none_or(|it| shown.fields.contains(&it));
                if is_node(model, event.stream, event.owner) {
                    places.insert(event.site.0);
                }
                match is_shown || !is_node(model, event.stream, event.owner) {
                    true => None,
                    false => written_to(log, event),
                }
            }
            _ => None,
        };
        let Some((kind, text)) = effect else {
            continue;
        };
        if event.kind == Kind::CallEnd {
            places.insert(event.site.0);
        }
        let location = shown_event(model, number).and_then(|it| it.location);
        // What a loop does again and again is shown once for each text.
        if written.insert((kind, text.clone())) {
            found.push(PageEffect {
                kind,
                text,
                location,
            });
        }
        if found.len() >= MOST_EFFECTS {
            break;
        }
    }
    found
}

/// What a call of code without hooks did.
fn called(model: &Model, event: &Event, number: u32) -> Option<(PageEffectKind, String)> {
    let site = model.site(event.site)?;
    let name = site.name.as_str();
    // Where nothing is passed, nothing is told.
    let arguments = model
        .library_arguments_of(number)
        .or_else(|| site.sources.is_empty().then_some(&[][..]));
    let kind = kind_of(model, event, name, arguments)?;
    let values = arguments.map(|values| {
        let values = values.iter();
        let values: Vec<String> = values
            .map(|&it| cut(&text(model, event.stream, it)))
            .collect();
        values.join(", ")
    });
    let written = match site.written.as_str() {
        "" => name,
        written => written,
    };
    Some((
        kind,
        format!("{written}({})", values.as_deref().unwrap_or("…")),
    ))
}

fn kind_of(
    model: &Model,
    event: &Event,
    name: &str,
    passed: Option<&[Value]>,
) -> Option<PageEffectKind> {
    let (object, method) = name.rsplit_once('.').unwrap_or(("", name));
    let last = object.rsplit('.').next().unwrap_or_default();
    let arguments = passed.unwrap_or_default();
    let is_method = !object.is_empty();
    let is_text = |value: &Value| matches!(value, Value::String(_) | Value::LongString { .. });
    match method {
        "fetch" | "sendBeacon" => Some(PageEffectKind::Network),
        "WebSocket" | "EventSource" => Some(PageEffectKind::Network),
        "send" if is_method => Some(PageEffectKind::Network),
        // `request.open("GET", "/cart")`
        "open" if is_method && arguments.len() >= 2 && arguments.iter().take(2).all(is_text) => {
            Some(PageEffectKind::Network)
        }
        "setItem" | "removeItem" if is_method => Some(PageEffectKind::Storage),
        "clear" if matches!(last, "localStorage" | "sessionStorage") => {
            Some(PageEffectKind::Storage)
        }
        "pushState" | "replaceState" if last == "history" => Some(PageEffectKind::Document),
        _ if is_method && OF_NODES.contains(&method) => Some(PageEffectKind::Document),
        _ if last == "classList" && OF_CLASSES.contains(&method) => Some(PageEffectKind::Document),
        _ if is_method && OF_OTHERS_TOO.contains(&method) => {
            let is_passed = |it: &Value| is_node(model, event.stream, *it);
            let is_node = arguments.iter().any(is_passed)
                || (arguments.len() == 1 && arguments.iter().all(is_text));
            is_node.then_some(PageEffectKind::Document)
        }
        // Of a node nothing is passed and given.
        "remove" if is_method && passed == Some(&[]) && event.value == Value::Undefined => {
            Some(PageEffectKind::Document)
        }
        _ => None,
    }
}

/// What the log says that was changed of the document, whoever did it: a function under another name, a library.
fn changed(log: &LogTree<'_>, event: &Event) -> Option<(PageEffectKind, String)> {
    let model = log.model();
    let change = model.text(event.stream, event.key);
    event.owner.object()?;
    let node = log.named(event.stream, event.owner);
    let value = cut(&text(model, event.stream, event.value));
    let text = match change.split_once(' ') {
        Some(_) => format!("{node}: {change} {value}"),
        None => format!("{node}.{change} = {value}"),
    };
    Some((PageEffectKind::Document, text))
}

/// What was written to a node that the call met itself.
fn written_to(log: &LogTree<'_>, event: &Event) -> Option<(PageEffectKind, String)> {
    let model = log.model();
    let Some(Key::Property(name)) = model.keys.get(event.key as usize) else {
        return None;
    };
    let owner = log.named(event.stream, event.owner);
    let value = cut(&text(model, event.stream, event.value));
    Some((
        PageEffectKind::Document,
        format!("{owner}.{name} = {value}"),
    ))
}

/// Whether an object is a node of the document, or what a node has of it.
fn is_node(model: &Model, stream: u16, value: Value) -> bool {
    let Value::Object(id) = value else {
        return false;
    };
    let class = model.object(stream, id.0).map_or(0, |it| it.class);
    let class = model.text(stream, class);
    let is_element = class.ends_with("Element")
        && ["HTML", "SVG", "Math"]
            .iter()
            .any(|it| class.starts_with(it));
    is_element
        || matches!(
            class,
            "Text"
                | "Comment"
                | "DocumentFragment"
                | "CSSStyleDeclaration"
                | "DOMTokenList"
                | "DOMStringMap"
        )
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_ARGUMENT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
