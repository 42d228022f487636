//! Walks a document's tags with lol_html and collects what holds JavaScript.

use super::script_kind::{ScriptKind, TypeAttributes, script_kind};
use super::{
    AttributeValue, EventHandler, ExternalScript, ForeignScript, HtmlScript, InlineScript,
    OtherAttribute, Quote, ScriptPreload,
};
use crate::position::{ByteOffset, ByteSpan};
use lol_html::html_content::{Element, EndTag};
use lol_html::{HtmlRewriter, Settings, element};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

/// Attributes whose value is a URL that runs code if it is a `javascript:` URL.
const URL_ATTRIBUTES: [&str; 6] = ["action", "data", "formaction", "href", "src", "xlink:href"];

/// Everything in the document `text` that holds or names JavaScript, in document order.
///
/// A script element without end tag is left out: the browser does not run it either. So is what is in
/// comments, in `<noscript>` and in other elements whose content is text (the browser has scripting on).
#[must_use]
pub fn find_scripts(text: &str) -> Vec<HtmlScript> {
    let found = Rc::new(RefCell::new(Found::default()));
    let handler_found = Rc::clone(&found);
    let settings = Settings::new()
        .with_strict(false)
        .append_element_content_handler(element!("*", move |element| {
            collect(text, element, &handler_found);
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // Without limits and with handlers that do not fail, nothing can go wrong; if it did, what was found so
    // far would be the result.
    let fed = feed(text, &found, |bytes| rewriter.write(bytes).is_ok());
    if fed {
        let _ = rewriter.end();
    }
    let items = std::mem::take(&mut found.borrow_mut().items);
    without_parts_of_foreign_scripts(items.into_iter().flatten().collect())
}

/// Leaves out what was found inside a foreign script: if the browser takes its text for a script's after all,
/// a tag in there is part of a string, and editing it would break the script.
fn without_parts_of_foreign_scripts(items: Vec<HtmlScript>) -> Vec<HtmlScript> {
    let mut foreign = ByteSpan::default();
    let mut is_outside = |item: &HtmlScript| {
        let start = match item {
            HtmlScript::Inline(script) => script.start_tag.start,
            HtmlScript::External(script) => script.start_tag.start,
            HtmlScript::Preload(link) => link.start_tag.start,
            HtmlScript::EventHandler(handler) => handler.value.raw.start,
            HtmlScript::JavaScriptUrl(other)
            | HtmlScript::Srcdoc(other)
            | HtmlScript::BaseHref(other) => other.value.raw.start,
            HtmlScript::Foreign(script) => {
                if let Some(content) = script.content
                    && content.end > foreign.end
                {
                    foreign = content;
                }
                return true;
            }
        };
        // The foreign script's own attributes are before its content.
        start < foreign.start || start >= foreign.end
    };
    items.into_iter().filter(|item| is_outside(item)).collect()
}

/// Gives the document to the tokenizer, with an end tag after each `<svg/>` and `<math/>`.
///
/// lol_html takes such an empty element for an open one and would read all that follows as foreign content.
/// The end tag that it needs is counted in [`Found::inserted`], so that places are those in `text`. Gives
/// whether everything was taken.
fn feed(text: &str, found: &RefCell<Found>, mut write: impl FnMut(&[u8]) -> bool) -> bool {
    let bytes = text.as_bytes();
    let mut written = 0;
    for tag_end in possible_ends_of_empty_foreign_elements(bytes) {
        if !write(&bytes[written..tag_end]) {
            return false;
        }
        written = tag_end;
        let end_tag = match found.borrow_mut().empty_foreign.take() {
            Some((end, end_tag)) if end == tag_end => end_tag,
            _ => continue,
        };
        if !write(end_tag.as_bytes()) {
            return false;
        }
        found.borrow_mut().inserted += end_tag.len();
    }
    write(&bytes[written..])
}

/// For each `<svg` and `<math`, where the first `/>` after it ends; in order, each place once.
fn possible_ends_of_empty_foreign_elements(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'<') {
        at += found + 1;
        let name = &bytes[at..];
        let is_named = |expected: &[u8]| {
            name.get(..expected.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(expected))
        };
        if !is_named(b"svg") && !is_named(b"math") {
            continue;
        }
        let Some(end) = name.windows(2).position(|window| window == b"/>") else {
            break;
        };
        at += end + 2;
        ends.push(at);
    }
    ends
}

/// What was found so far.
#[derive(Default)]
struct Found {
    /// How many bytes that are not in the document the tokenizer was given.
    inserted: usize,
    /// Where the last `<svg/>` or `<math/>` ends, and the end tag it needs.
    empty_foreign: Option<(usize, &'static str)>,
    /// In document order; `None` for a script whose end tag has not come yet.
    items: Vec<Option<HtmlScript>>,
    template_depth: usize,
    has_base: bool,
}

/// One attribute of a start tag.
struct Attribute {
    name: String,
    /// Name to closing quote.
    whole: ByteSpan,
    /// `None` for an attribute without a value.
    value: Option<AttributeValue>,
}

impl Attribute {
    fn decoded(&self) -> &str {
        self.value
            .as_ref()
            .map_or("", |value| value.decoded.as_str())
    }
}

fn collect(text: &str, element: &mut Element<'_, '_>, found: &Rc<RefCell<Found>>) {
    let name = element.tag_name();
    let in_html = element.namespace_uri() == "http://www.w3.org/1999/xhtml";
    if name == "template" && in_html {
        count_template(element, found);
    }
    let inserted = found.borrow().inserted;
    let all = attributes(text, element, inserted);
    let start_tag = span(element.source_location().bytes(), inserted);
    if element.is_self_closing() && (name == "svg" || name == "math") {
        let end_tag = if name == "svg" { "</svg>" } else { "</math>" };
        found.borrow_mut().empty_foreign = Some((start_tag.end.index(), end_tag));
    }
    let in_template = found.borrow().template_depth > 0;
    if name == "script" && in_html {
        collect_script(element, start_tag, &all, in_template, found);
    } else if name == "script" {
        collect_foreign_script(element, start_tag, &all, found);
    } else if name == "link" && in_html {
        let preload = preload(start_tag, &all);
        found.borrow_mut().items.extend(preload.map(Some));
    }
    collect_attributes(&name, in_html, all, in_template, &mut found.borrow_mut());
}

/// Counts the templates that are open, except those that become a shadow root.
fn count_template(element: &mut Element<'_, '_>, found: &Rc<RefCell<Found>>) {
    if element.has_attribute("shadowrootmode") {
        return;
    }
    let at_end = Rc::clone(found);
    if let Some(handlers) = element.end_tag_handlers() {
        found.borrow_mut().template_depth += 1;
        handlers.push(Box::new(move |_: &mut EndTag<'_>| {
            let mut found = at_end.borrow_mut();
            found.template_depth = found.template_depth.saturating_sub(1);
            Ok(())
        }));
    }
}

fn collect_script(
    element: &mut Element<'_, '_>,
    start_tag: ByteSpan,
    all: &[Attribute],
    in_template: bool,
    found: &Rc<RefCell<Found>>,
) {
    let value = |name: &str| first(all, name).map(Attribute::decoded);
    let kind = kind_of(all);
    let nomodule = value("nomodule").is_some();
    let item = match value("src") {
        Some(src) => HtmlScript::External(ExternalScript {
            kind,
            start_tag,
            src: trimmed(src),
            charset: value("charset").map(str::to_owned),
            integrity: integrity(all),
            nomodule,
            in_template,
        }),
        None => HtmlScript::Inline(InlineScript {
            kind,
            start_tag,
            content: ByteSpan {
                start: start_tag.end,
                end: start_tag.end,
            },
            nomodule,
            in_template,
        }),
    };
    at_end_tag(element, item, found, move |item, end_tag_start| {
        if let HtmlScript::Inline(script) = item {
            script.content.end = ByteOffset::from_index(end_tag_start);
        }
    });
}

fn kind_of(all: &[Attribute]) -> ScriptKind {
    let value = |name: &str| first(all, name).map(Attribute::decoded);
    script_kind(TypeAttributes {
        type_: value("type"),
        language: value("language"),
        event: value("event"),
        for_: value("for"),
    })
}

fn collect_foreign_script(
    element: &mut Element<'_, '_>,
    start_tag: ByteSpan,
    all: &[Attribute],
    found: &Rc<RefCell<Found>>,
) {
    let item = HtmlScript::Foreign(ForeignScript {
        kind: kind_of(all),
        start_tag,
        content: None,
        href: first(all, "href")
            .or_else(|| first(all, "xlink:href"))
            .map(|href| trimmed(href.decoded())),
    });
    if element.is_self_closing() {
        found.borrow_mut().items.push(Some(item));
        return;
    }
    at_end_tag(element, item, found, move |item, end_tag_start| {
        if let HtmlScript::Foreign(script) = item {
            script.content = Some(ByteSpan {
                start: start_tag.end,
                end: ByteOffset::from_index(end_tag_start),
            });
        }
    });
}

/// Adds `item` to what was found, at its place, once its element's end tag comes.
fn at_end_tag(
    element: &mut Element<'_, '_>,
    item: HtmlScript,
    found: &Rc<RefCell<Found>>,
    complete: impl FnOnce(&mut HtmlScript, usize) + 'static,
) {
    let Some(handlers) = element.end_tag_handlers() else {
        return;
    };
    let index = found.borrow().items.len();
    found.borrow_mut().items.push(None);
    let found = Rc::clone(found);
    handlers.push(Box::new(move |end_tag: &mut EndTag<'_>| {
        let mut item = item;
        let mut found = found.borrow_mut();
        let start = end_tag.source_location().bytes().start;
        complete(&mut item, start.saturating_sub(found.inserted));
        if let Some(place) = found.items.get_mut(index) {
            *place = Some(item);
        }
        Ok(())
    }));
}

fn preload(start_tag: ByteSpan, all: &[Attribute]) -> Option<HtmlScript> {
    let rel = first(all, "rel")?.decoded().to_ascii_lowercase();
    let has = |keyword: &str| rel.split_ascii_whitespace().any(|word| word == keyword);
    let as_script = || {
        first(all, "as").is_some_and(|attribute| attribute.decoded().eq_ignore_ascii_case("script"))
    };
    let kind = if has("modulepreload") {
        ScriptKind::Module
    } else if has("preload") && as_script() {
        ScriptKind::Classic
    } else {
        return None;
    };
    Some(HtmlScript::Preload(ScriptPreload {
        kind,
        start_tag,
        href: first(all, "href").map_or_else(String::new, |href| trimmed(href.decoded())),
        integrity: integrity(all),
    }))
}

/// Adds the attributes that matter on any element.
fn collect_attributes(
    element: &str,
    in_html: bool,
    all: Vec<Attribute>,
    in_template: bool,
    found: &mut Found,
) {
    let mut seen = HashSet::new();
    for attribute in all {
        let Attribute { name, value, .. } = attribute;
        if !seen.insert(name.clone()) {
            continue;
        }
        let Some(value) = value else {
            continue;
        };
        let other = |name: String, value: AttributeValue| OtherAttribute {
            name,
            element: element.to_owned(),
            value,
        };
        let item = if name.len() > 2 && name.starts_with("on") {
            HtmlScript::EventHandler(EventHandler {
                name,
                element: element.to_owned(),
                value,
                in_template,
            })
        } else if name == "srcdoc" && element == "iframe" && in_html {
            HtmlScript::Srcdoc(other(name, value))
        } else if URL_ATTRIBUTES.contains(&name.as_str()) && is_javascript_url(&value.decoded) {
            HtmlScript::JavaScriptUrl(other(name, value))
        } else if name == "href" && element == "base" && in_html && !in_template && !found.has_base
        {
            found.has_base = true;
            HtmlScript::BaseHref(other(name, value))
        } else {
            continue;
        };
        found.items.push(Some(item));
    }
}

/// The attributes of a start tag as they are written, duplicates included.
fn attributes(text: &str, element: &Element<'_, '_>, inserted: usize) -> Vec<Attribute> {
    element
        .attributes()
        .iter()
        .filter_map(|attribute| {
            let name = span(attribute.name_source_location()?.bytes(), inserted);
            let value = attribute
                .value_source_location()
                .and_then(|location| AttributeValue::read(text, span(location.bytes(), inserted)));
            let end = value.as_ref().map_or(name.end, |value| {
                let quote = u32::from(value.quote != Quote::None);
                ByteOffset(value.raw.end.0.saturating_add(quote))
            });
            Some(Attribute {
                name: attribute.name(),
                whole: ByteSpan {
                    start: name.start,
                    end,
                },
                value,
            })
        })
        .collect()
}

/// The attribute of that name that counts: of duplicates the first.
fn first<'a>(all: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    all.iter().find(|attribute| attribute.name == name)
}

/// All attributes named `integrity`: once the first is gone, the second would count.
fn integrity(all: &[Attribute]) -> Vec<ByteSpan> {
    all.iter()
        .filter(|attribute| attribute.name == "integrity")
        .map(|attribute| attribute.whole)
        .collect()
}

/// Whether the URL parser would find the scheme `javascript` in an attribute's value: it drops leading
/// controls and spaces, and tabs and line breaks anywhere.
fn is_javascript_url(value: &str) -> bool {
    let mut characters = value
        .trim_start_matches(|character: char| character <= ' ')
        .chars()
        .filter(|character| !matches!(character, '\t' | '\n' | '\r'));
    "javascript:"
        .chars()
        .all(|expected| characters.next().map(|found| found.to_ascii_lowercase()) == Some(expected))
}

fn trimmed(value: &str) -> String {
    value.trim_ascii().to_owned()
}

/// The tokenizer's place as a place in the document.
fn span(bytes: Range<usize>, inserted: usize) -> ByteSpan {
    ByteSpan {
        start: ByteOffset::from_index(bytes.start.saturating_sub(inserted)),
        end: ByteOffset::from_index(bytes.end.saturating_sub(inserted)),
    }
}
