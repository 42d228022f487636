//! The member `querypoint` of a recording and of its steps: what is ours, which others ignore.

use serde_json::{Map, Value};

const OURS: &str = "querypoint";

/// A member of ours.
pub(super) fn get<'m>(members: &'m Map<String, Value>, member: &str) -> Option<&'m Value> {
    members.get(OURS)?.get(member)
}

/// Sets such a member. Where somebody else has something called `querypoint` that holds no members, that stays.
pub(super) fn set(members: &mut Map<String, Value>, member: &str, value: Value) {
    let ours = members.entry(OURS);
    let ours = ours.or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(ours) = ours {
        ours.insert(member.to_owned(), value);
    }
}

/// Takes such a member out.
pub(super) fn remove(members: &mut Map<String, Value>, member: &str) {
    if let Some(Value::Object(ours)) = members.get_mut(OURS) {
        ours.remove(member);
    }
}
