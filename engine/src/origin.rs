//! Where a written value comes from: what an execution tells of one hop, when the page is paused at the write.

use js_analysis::origin::{Reference, Root, Step};
use querypoint::answer::{End, EndKind, Hop, HopKind, Location, Value as Preview, ValueType};

use querypoint::session::libraries::{is_library, library_of};
use querypoint::session::stop::line_point;

use crate::sources::SourceLocation;

/// Functions that give their first argument another form.
pub(crate) const CONVERSIONS: [&str; 12] = [
    "String",
    "Number",
    "BigInt",
    "parseInt",
    "parseFloat",
    "Number.parseInt",
    "Number.parseFloat",
    "decodeURIComponent",
    "encodeURIComponent",
    "atob",
    "btoa",
    "Boolean",
];

/// Methods of primitive values that keep the text.
pub(crate) const KEEPING: [&str; 7] = [
    "toString",
    "valueOf",
    "trim",
    "trimStart",
    "trimEnd",
    "normalize",
    "toWellFormed",
];

/// The methods of arrays that hand each element over to a callback, as its first argument.
pub(crate) const OF_EACH: [&str; 13] = [
    "forEach",
    "map",
    "filter",
    "some",
    "every",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flatMap",
    "forEachRight",
    "from",
    "group",
];

/// What makes the value of a built-in that is called by this name; `None`: that its arguments say.
pub(crate) fn end_of_built_in(global: &str, has_arguments: bool) -> Option<EndKind> {
    Some(match global {
        "Math.random" | "crypto.randomUUID" => EndKind::Random,
        "Date.now" | "performance.now" => EndKind::Time,
        "Date" if !has_arguments => EndKind::Time,
        "localStorage.getItem" | "sessionStorage.getItem" => EndKind::Storage,
        "prompt" | "confirm" => EndKind::Input,
        "fetch" => EndKind::Network,
        _ => return None,
    })
}

/// How a built-in that is called by this name gives its first argument back.
pub(crate) fn passed_on_by(global: &str, is_new: bool) -> Option<HopKind> {
    Some(match global {
        "JSON.parse" | "JSON.stringify" => HopKind::Json,
        "structuredClone" => HopKind::Clone,
        name if CONVERSIONS.contains(&name) && !is_new => HopKind::Conversion,
        "Object.freeze" | "Object.seal" | "Object.preventExtensions" => HopKind::Return,
        _ => return None,
    })
}

/// What a window has that says how it is shown.
const OF_WINDOW: [&str; 13] = [
    "innerWidth",
    "innerHeight",
    "outerWidth",
    "outerHeight",
    "devicePixelRatio",
    "scrollX",
    "scrollY",
    "pageXOffset",
    "pageYOffset",
    "screenX",
    "screenY",
    "isSecureContext",
    "crossOriginIsolated",
];

/// Properties of elements by which a page shows and reads texts, and what a person entered.
const OF_ELEMENTS: [&str; 30] = [
    "textContent",
    "innerText",
    "outerText",
    "innerHTML",
    "outerHTML",
    "nodeValue",
    "data",
    "value",
    "defaultValue",
    "checked",
    "selected",
    "selectedIndex",
    "valueAsNumber",
    "className",
    "id",
    "title",
    "href",
    "src",
    "alt",
    "name",
    "type",
    "placeholder",
    "disabled",
    "hidden",
    "label",
    "htmlFor",
    "max",
    "min",
    "lang",
    "tabIndex",
];

/// Whether a property of an object of this class is one of the document: a text, an attribute, what a form holds.
pub(crate) fn is_of_document(class: &str, key: &str) -> bool {
    let is_node = class.ends_with("Element") || matches!(class, "Text" | "Comment" | "Attr");
    matches!(class, "DOMStringMap" | "CSSStyleDeclaration") || is_node && OF_ELEMENTS.contains(&key)
}

/// What the browser itself keeps: its properties are no value that a page made.
pub(crate) fn browser_end(reference: &Reference) -> Option<EndKind> {
    let Root::Variable {
        name,
        is_declared: false,
        ..
    } = &reference.root
    else {
        return None;
    };
    let first = match reference.steps.first() {
        Some(Step::Property(name)) => name.as_str(),
        _ => "",
    };
    let is_global = matches!(name.as_str(), "window" | "self" | "globalThis");
    let own = match is_global {
        true => first,
        false => name.as_str(),
    };
    let is_alone = reference.steps.len() == usize::from(is_global);
    if is_alone && OF_WINDOW.contains(&own) {
        return Some(EndKind::Browser);
    }
    Some(match (name.as_str(), first) {
        ("document", "cookie") => EndKind::Storage,
        ("navigator" | "screen" | "location", _)
        | ("document", "location" | "referrer" | "URL" | "title") => EndKind::Browser,
        ("Math" | "Number", _) if reference.steps.len() == 1 => EndKind::Browser,
        _ => return None,
    })
}

/// A text for an answer: one line, and not too long.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 80;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The value of a literal, as far as its text says it without more ado.
pub(crate) fn literal_value(text: &str) -> Option<Preview> {
    let kind = match text {
        "true" | "false" => ValueType::Boolean,
        "null" => ValueType::Object,
        "undefined" => ValueType::Undefined,
        _ => {
            let quote = text.chars().next().filter(|quote| "'\"`".contains(*quote));
            let Some(quote) = quote else {
                let number: f64 = text.parse().ok()?;
                let text = querypoint::query::number_to_string(number);
                return Some(Preview::new(ValueType::Number, text));
            };
            let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
            let is_plain = !inner.contains(['\\', '\n', quote]);
            return is_plain.then(|| Preview::string(inner));
        }
    };
    Some(Preview::new(kind, text))
}

/// What is followed at the point of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Followed {
    /// The way into the value that is found there, as it is behind a reference: `.a[0]`. Only a return has one.
    pub(crate) way: String,
    /// Of a return: the call that it must have returned to.
    pub(crate) call: Option<CallPlace>,
    /// Of a return of an object: what tells it from others.
    pub(crate) identity: Option<String>,
}

/// The call of a function, by where a caller's frame is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallPlace {
    /// The script's address.
    pub(crate) url: String,
    /// Where the call begins, in bytes of the text that runs without hooks.
    pub(crate) start: u32,
}

/// What one write tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Probe {
    /// How the value got to what was written.
    pub(crate) kind: HopKind,
    /// Where the hop is shown, if not at the write.
    pub(crate) place: Option<AuthorPlace>,
    /// The value that was written or returned.
    pub(crate) value: Option<Preview>,
    /// Of a return: the call that it returned to.
    pub(crate) caller: Option<CallPlace>,
    /// Of a return of an object, or of what is followed in it: what tells it from others.
    pub(crate) identity: Option<String>,
    /// What else happened to the value before, from this write on.
    pub(crate) further: Vec<Hop>,
    /// Where to go on.
    pub(crate) next: Next,
}

/// A place in an author's file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AuthorPlace {
    pub(crate) location: Location,
    pub(crate) source_line: Option<String>,
    pub(crate) function: Option<String>,
}

impl AuthorPlace {
    pub(crate) fn new(place: SourceLocation, function: Option<String>) -> Self {
        Self {
            location: place.location,
            source_line: place.source_line,
            function,
        }
    }
}

/// Where a chain goes on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Next {
    /// At the last change of a reference, as it is when this write is reached.
    Change {
        /// The frame in which it is evaluated: 0 the newest.
        frame: i32,
        /// The reference, in the author's names.
        reference: String,
        /// Its value there.
        value: Preview,
    },
    /// At the `return` of a function.
    Return {
        /// Its name, as `trace(return(…))` takes it.
        function: String,
        /// The value it returned, if that is what was written.
        value: Option<Preview>,
        /// What is followed there.
        followed: Followed,
    },
    /// Nowhere.
    End(End),
}

impl Next {
    /// It is followed no further.
    pub(crate) fn unobserved(detail: impl Into<String>) -> Self {
        Self::ended(EndKind::Unobserved, None, Some(detail.into()))
    }

    pub(crate) fn ended(kind: EndKind, location: Option<Location>, detail: Option<String>) -> Self {
        Self::End(End {
            kind,
            location,
            detail,
            operands: Vec::new(),
        })
    }

    /// Whether it is followed no further, and nothing made the value.
    pub(crate) fn is_unobserved(&self) -> bool {
        matches!(self, Self::End(end) if end.kind == EndKind::Unobserved)
    }
}

/// Whether a property has all texts in an element.
pub(crate) fn is_content_key(key: &str) -> bool {
    const CONTENT: [&str; 5] = [
        "textContent",
        "innerText",
        "outerText",
        "innerHTML",
        "outerHTML",
    ];
    CONTENT.contains(&key)
}

/// The name of the library whose code is at a place, if it is one's.
pub(crate) fn library(location: &Location) -> Option<String> {
    is_library(location, &[]).then(|| library_of(&location.url))
}

/// The place of a hop alone as a reproduction point: the last hit of it.
pub(crate) fn hop_place(hop: &Hop) -> String {
    let Location {
        url, line, column, ..
    } = &hop.location;
    format!("{}:{column}", line_point(url, *line))
}
