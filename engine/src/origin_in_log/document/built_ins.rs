//! The built-ins that put texts, markup and nodes into the document.

/// Which arguments of a built-in are texts, markup or nodes that it puts into the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Puts {
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
pub(super) fn puts(method: &str) -> Option<Puts> {
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
pub(in crate::origin_in_log) const PUTTING: [&str; 20] = [
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
pub(super) const SETTING: [&str; 3] = ["setAttribute", "setAttributeNS", "setProperty"];

/// The names of the methods of a list of classes that put a name into it.
pub(super) const TOKENS: [&str; 3] = ["add", "toggle", "replace"];

/// Whether the method of this name makes a node that has nothing in it.
pub(super) fn makes_an_empty_node(method: &str) -> bool {
    matches!(
        method,
        "createElement"
            | "createElementNS"
            | "createComment"
            | "createDocumentFragment"
            | "insertRow"
            | "insertCell"
            | "createTBody"
            | "createTHead"
            | "createTFoot"
            | "createCaption"
    )
}
