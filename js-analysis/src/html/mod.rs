//! Finds the places of an HTML document where JavaScript is: script elements, event-handler attributes,
//! and what else a browser takes code from. The document itself is never changed here; the result is a
//! list of spans, and edits are applied to the text by the caller.
//!
//! Invariants:
//! - Spans are byte spans into the text given to [`find_scripts`], inside it and on character boundaries.
//! - The list is in document order (by start tag, then by attribute).
//! - An inline script's content is what the browser's HTML parser hands to its JavaScript parser, apart
//!   from the parser's own normalisation (`\r\n` and `\r` to `\n`, U+0000 to U+FFFD), which moves no line.
//! - Nothing panics and nothing is rejected: any text is an HTML document.
//!
//! The tokenizer is lol_html's; it follows the tree construction only as far as the tokenizer's state
//! depends on it. Where a page leaves an `<svg>` open, it may take the scripts behind for scripts of the SVG;
//! they are then listed as [`HtmlScript::Foreign`], not passed over.

mod attribute_value;
mod character_reference;
mod edit;
mod foreign;
mod naming;
mod scan;
mod script_kind;

use crate::position::{ByteOffset, ByteSpan};

pub use attribute_value::{AttributeEditError, AttributeValue, Quote};
pub use edit::{TextEdit, apply};
pub use foreign::ForeignCode;
pub use naming::markup_that_names;
pub use scan::find_scripts;
pub use script_kind::ScriptKind;

/// A place in a document that holds or names JavaScript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HtmlScript {
    /// `<script>…</script>`.
    Inline(InlineScript),
    /// `<script src>`.
    External(ExternalScript),
    /// `<link rel=modulepreload>` or `<link rel=preload as=script>`: a script that the browser will fetch
    /// ahead. Listed because of its `integrity`.
    Preload(ScriptPreload),
    /// An event-handler content attribute, such as `onclick`.
    EventHandler(EventHandler),
    /// An attribute whose URL is a `javascript:` URL. Its code is not rewritten.
    JavaScriptUrl(OtherAttribute),
    /// `<iframe srcdoc>`: a document in an attribute. Its scripts are not looked for.
    Srcdoc(OtherAttribute),
    /// A script element inside `<svg>` or `<math>`, as far as the tokenizer can tell. Its text is parsed as
    /// markup (character references, CDATA), not as script text; see [`ForeignScript::code`].
    Foreign(ForeignScript),
    /// The first `<base href>`: what relative `src` values are resolved against.
    BaseHref(OtherAttribute),
}

/// A script element without `src`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineScript {
    /// What the browser does with it.
    pub kind: ScriptKind,
    /// The start tag, `<` to `>`.
    pub start_tag: ByteSpan,
    /// What is between the start tag and the end tag.
    pub content: ByteSpan,
    /// Whether it has a `nomodule` attribute: current browsers then do not run it, if it is classic.
    pub nomodule: bool,
    /// Whether it is inside a `<template>` and so does not run where it is; a clone of it may.
    pub in_template: bool,
}

/// A script element with `src`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalScript {
    /// What the browser does with the response.
    pub kind: ScriptKind,
    /// The start tag, `<` to `>`.
    pub start_tag: ByteSpan,
    /// The value of `src` with character references decoded and surrounding white space removed; not
    /// resolved. Empty if the attribute is empty, and then nothing is fetched.
    pub src: String,
    /// The value of `charset`: the fallback encoding of a classic script.
    pub charset: Option<String>,
    /// The `integrity` attributes, name to closing quote; a rewritten script has another digest. See
    /// [`integrity_edits`].
    pub integrity: Vec<ByteSpan>,
    /// As in [`InlineScript::nomodule`].
    pub nomodule: bool,
    /// As in [`InlineScript::in_template`].
    pub in_template: bool,
}

/// A `<link>` that makes the browser fetch a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptPreload {
    /// [`ScriptKind::Module`] for `modulepreload`, [`ScriptKind::Classic`] for `preload as=script`.
    pub kind: ScriptKind,
    /// The start tag, `<` to `>`.
    pub start_tag: ByteSpan,
    /// The value of `href`, decoded and trimmed, not resolved; empty if there is none.
    pub href: String,
    /// As in [`ExternalScript::integrity`].
    pub integrity: Vec<ByteSpan>,
}

/// An attribute whose value is the body of an event handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHandler {
    /// The attribute's name in lower case, such as `onclick`. Any name that begins with `on` is listed;
    /// whether the browser knows such an event is not checked.
    pub name: String,
    /// The lower-case name of the element.
    pub element: String,
    /// The code and where it is.
    pub value: AttributeValue,
    /// As in [`InlineScript::in_template`].
    pub in_template: bool,
}

/// An attribute that is listed but not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherAttribute {
    /// The attribute's name in lower case.
    pub name: String,
    /// The lower-case name of the element.
    pub element: String,
    /// The value and where it is.
    pub value: AttributeValue,
}

/// A script element inside `<svg>` or `<math>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignScript {
    /// What the browser does with it.
    pub kind: ScriptKind,
    /// The start tag, `<` to `>`.
    pub start_tag: ByteSpan,
    /// The markup between start and end tag; `None` if the element is empty (`<script/>`).
    pub content: Option<ByteSpan>,
    /// The value of `href` or `xlink:href`, decoded.
    pub href: Option<String>,
}

/// The edits after which an `integrity` attribute holds no digest that a browser knows, and from which can be told what
/// it held: `mark` is before each. Browsers pass over digests of algorithms that they do not know.
///
/// ```text
/// integrity="sha256-x sha384-y"    integrity="MARKsha256-x MARKsha384-y"
/// ```
#[must_use]
pub fn integrity_edits(text: &str, attribute: ByteSpan, mark: &str) -> Vec<TextEdit> {
    let whole = text
        .get(attribute.start.index()..attribute.end.index())
        .unwrap_or_default();
    let Some((_, value)) = whole.split_once('=') else {
        return Vec::new();
    };
    let is_between =
        |character: char| character.is_ascii_whitespace() || character == '"' || character == '\'';
    let starts = value.char_indices().filter(|&(at, character)| {
        let before = value
            .get(..at)
            .and_then(|before| before.chars().next_back());
        !is_between(character) && before.is_none_or(is_between)
    });
    let value_start = attribute.end.index() - value.len();
    starts
        .map(|(at, _)| {
            let at = ByteOffset::from_index(value_start + at);
            TextEdit {
                span: ByteSpan { start: at, end: at },
                replacement: mark.to_owned(),
            }
        })
        .collect()
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
