//! Which built-ins the agent watches for which names, as far as rewriting has to know: the functions that call them are
//! kept from being optimised while their writes are read.

use agent::AgentSlot;

/// Those that write properties of any name (`agent/built-ins.js`, `prototypes.js`, `created-objects.js`).
const ON_PROPERTIES: &str = "assign defineProperty defineProperties set deleteProperty setPrototypeOf structuredClone \
    parse fromEntries create groupBy";
/// Those that write elements or `length` (`agent/elements.js`, `regular-expressions.js`).
const ON_ELEMENTS: &str = "push pop shift unshift splice sort reverse fill copyWithin concat filter flat flatMap map \
    slice toReversed toSorted toSpliced with from of keys values entries getOwnPropertyNames getOwnPropertySymbols \
    ownKeys split match exec toArray";
/// Those that write `lastIndex`.
const ON_LAST_INDEX: &str = "exec test compile match matchAll replace replaceAll search split";

/// Those that write entries of maps and members of sets (`agent/collections.js`), and the constructors that call them.
const ON_ENTRIES: &str = "set add delete clear getOrInsert getOrInsertComputed groupBy structuredClone union \
    intersection difference symmetricDifference Map Set WeakMap WeakSet";

/// The names under which a page calls the built-ins that are watched for `slots`.
pub(super) fn called(slots: &[AgentSlot]) -> Vec<String> {
    let is_public = |slot: &&AgentSlot| slot.kind == "property" && !slot.key.starts_with('\0');
    let keys = slots.iter().filter(is_public).map(|slot| slot.key.as_str());
    let keys: Vec<&str> = keys.collect();
    let mut names: Vec<&str> = Vec::new();
    if !keys.is_empty() {
        names.extend(ON_PROPERTIES.split_whitespace());
    }
    if keys.iter().any(|key| is_element(key)) {
        names.extend(ON_ELEMENTS.split_whitespace());
    }
    if keys.contains(&"lastIndex") {
        names.extend(ON_LAST_INDEX.split_whitespace());
    }
    if slots
        .iter()
        .any(|slot| matches!(slot.kind, "map" | "set") || slot.key == "size")
    {
        names.extend(ON_ENTRIES.split_whitespace());
    }
    names.into_iter().map(str::to_owned).collect()
}

/// Whether a property can be an element of an array, or its `length`.
fn is_element(key: &str) -> bool {
    key == "length" || (!key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit()))
}
