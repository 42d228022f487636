//! What the platform does with what its methods are handed, as far as their names say.

use super::facts::{CallFact, FlowPlace};
use super::graph::RegistrationKind;

/// Whether what a call of this name gives is an object that it makes, or the browser's.
pub(super) fn makes_object(name: &str) -> bool {
    matches!(
        name,
        "filter"
            | "slice"
            | "concat"
            | "from"
            | "of"
            | "parse"
            | "create"
            | "fromEntries"
            | "entries"
            | "keys"
            | "values"
            | "split"
            | "querySelector"
            | "getElementById"
            | "createElement"
            | "structuredClone"
            | "flat"
            | "map"
            | "flatMap"
            | "toSorted"
            | "toReversed"
            | "json"
    )
}

/// What the platform makes, by the name of what is called with `new`.
pub(super) fn is_built_in_class(name: &str) -> bool {
    matches!(
        name,
        "Array"
            | "Map"
            | "Set"
            | "WeakMap"
            | "WeakSet"
            | "Date"
            | "RegExp"
            | "URLSearchParams"
            | "FormData"
            | "Headers"
            | "Function"
            | "String"
            | "Number"
            | "Object"
            | "Promise"
            | "Error"
            | "EventTarget"
            | "Int8Array"
            | "Uint8Array"
            | "Uint8ClampedArray"
            | "Int16Array"
            | "Uint16Array"
            | "Int32Array"
            | "Uint32Array"
            | "Float32Array"
            | "Float64Array"
    ) || name.ends_with("Element") && name.starts_with("HTML")
}

/// What a method gives that makes a list or a text of what it is called on.
pub(super) fn makes_list(name: &str) -> bool {
    matches!(
        name,
        "filter"
            | "slice"
            | "concat"
            | "entries"
            | "keys"
            | "values"
            | "split"
            | "flat"
            | "map"
            | "flatMap"
            | "toSorted"
            | "toReversed"
            | "fromEntries"
    )
}

/// Whether a method of this name gives an element: it may be one of a class of the scripts.
pub(super) fn gives_element(name: &str) -> bool {
    matches!(name, "querySelector" | "getElementById" | "createElement")
}

pub(super) fn calls_elements(name: &str) -> bool {
    matches!(
        name,
        "forEach"
            | "map"
            | "filter"
            | "find"
            | "findIndex"
            | "findLast"
            | "findLastIndex"
            | "some"
            | "every"
            | "reduce"
            | "reduceRight"
            | "flatMap"
            | "sort"
            | "toSorted"
            | "from"
            | "replace"
            | "replaceAll"
    )
}

pub(super) fn is_call_of_itself(name: &str) -> bool {
    matches!(name, "call" | "apply" | "bind")
}

pub(super) fn sets_timer(name: &str) -> bool {
    matches!(
        name,
        "setTimeout"
            | "setInterval"
            | "requestAnimationFrame"
            | "requestIdleCallback"
            | "queueMicrotask"
            | "setImmediate"
    )
}

pub(super) fn clears_timer(name: &str) -> bool {
    matches!(
        name,
        "clearTimeout"
            | "clearInterval"
            | "cancelAnimationFrame"
            | "cancelIdleCallback"
            | "clearImmediate"
    )
}

pub(super) fn removes_listener(name: &str) -> bool {
    matches!(
        name,
        "removeEventListener" | "removeListener" | "off" | "unsubscribe"
    )
}

/// Whether a call is one of the platform's that neither calls nor keeps what it is given: `console.log(api)`,
/// `Object.assign({}, api)`.
pub(super) fn keeps_nothing(fact: &CallFact) -> bool {
    fact.receivers.iter().any(|receiver| match receiver {
        FlowPlace::Global(name) => match &**name {
            "console" => true,
            "Object" => fact.name != "groupBy",
            _ => false,
        },
        _ => false,
    })
}

/// Whether what a call is handed is called by the browser, as far as its name says.
#[must_use]
pub fn is_called_by_platform(fact: &CallFact) -> bool {
    let is_method = fact.receiver.is_some();
    let is_callback = |position| registration(fact, position) == Some(RegistrationKind::Callback);
    is_method && calls_elements(&fact.name) || !is_callback(0) || !is_callback(1)
}

/// Whether the functions that an argument of a call may be change what flows where.
pub(super) fn is_followed_where_given(fact: &CallFact, position: u32) -> bool {
    if removes_listener(&fact.name) || clears_timer(&fact.name) {
        return true;
    }
    match registration(fact, position) {
        Some(RegistrationKind::Callback) => calls_elements(&fact.name),
        kind => kind.is_some(),
    }
}

/// Through what the argument of a call is called; `None`: as far as its name says, it is not.
pub(super) fn registration(fact: &CallFact, position: u32) -> Option<RegistrationKind> {
    let is_method = fact.receiver.is_some();
    match (fact.name.as_str(), position) {
        ("call" | "apply" | "bind" | "push" | "unshift" | "add" | "set" | "splice", _)
            if is_method =>
        {
            None
        }
        (name, _) if removes_listener(name) || clears_timer(name) => None,
        ("import", _) => None,
        _ if keeps_nothing(fact) => None,
        ("freeze" | "seal" | "preventExtensions", 0) if is_method => None,
        ("Object", _) if !is_method => None,
        ("Promise", 0) if fact.is_new => Some(RegistrationKind::Executor),
        (name, 0) if sets_timer(name) => Some(RegistrationKind::Timer),
        ("addEventListener" | "addListener" | "on" | "once", 1) if is_method => {
            Some(RegistrationKind::Listener)
        }
        // Of jQuery: the listener is behind a selector.
        ("one" | "bind", 1) | ("on" | "one" | "delegate", 2)
            if is_method && fact.text.is_some() =>
        {
            Some(RegistrationKind::Listener)
        }
        ("then" | "catch" | "finally", 0) | ("then", 1) if is_method => {
            Some(RegistrationKind::Promise)
        }
        _ => Some(RegistrationKind::Callback),
    }
}
