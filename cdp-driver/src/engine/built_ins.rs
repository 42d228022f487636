//! Which built-ins the agent watches for which names, as far as rewriting has to know: the functions that call them are
//! kept from being optimised while their writes are read.

use super::agent::AgentSlot;

/// Those that write properties of any name (`agent/built-ins.js`).
const ON_PROPERTIES: [&str; 5] = [
    "assign",
    "defineProperty",
    "defineProperties",
    "set",
    "deleteProperty",
];
/// Those that write elements or `length` (`agent/elements.js`).
const ON_ELEMENTS: [&str; 9] = [
    "push",
    "pop",
    "shift",
    "unshift",
    "splice",
    "sort",
    "reverse",
    "fill",
    "copyWithin",
];

/// The names under which a page calls the built-ins that are watched for `slots`.
pub(super) fn called(slots: &[AgentSlot]) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    let is_public = |slot: &&AgentSlot| slot.kind == "property" && !slot.key.starts_with('\0');
    let mut keys = slots.iter().filter(is_public).map(|slot| slot.key.as_str());
    if keys.clone().next().is_some() {
        names.extend(ON_PROPERTIES);
    }
    if keys.any(is_element) {
        names.extend(ON_ELEMENTS);
    }
    names.into_iter().map(str::to_owned).collect()
}

/// Whether a property can be an element of an array, or its `length`.
fn is_element(key: &str) -> bool {
    key == "length" || (!key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit()))
}
