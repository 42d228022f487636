//! Which elements and entries a collection has: those that go with others are written nowhere.
//!
//! `list.length = 0` takes all elements away, a collection that is told whole has no others than those that are told.
//! The model gets a write of [`Value::Absent`] for each that is gone, so a state is what was written last, whatever it
//! is of.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Builder;
use crate::model::{GONE_WITH_OTHERS, Key, NONE};
use crate::value::Value;

/// Numbers, as ranges: from the first up to but without the second.
#[derive(Debug, Default)]
struct Ranges(BTreeMap<u32, u32>);

impl Ranges {
    fn add(&mut self, number: u32) {
        let (mut from, mut to) = (number, number.saturating_add(1));
        if let Some((&before, &end)) = self.0.range(..=number).next_back() {
            if end > number {
                return;
            }
            if end == number {
                from = before;
            }
        }
        if let Some(end) = self.0.remove(&to) {
            to = end;
        }
        self.0.insert(from, to);
    }

    fn remove(&mut self, number: u32) {
        let Some((&from, &to)) = self.0.range(..=number).next_back() else {
            return;
        };
        if to <= number {
            return;
        }
        self.0.remove(&from);
        if from < number {
            self.0.insert(from, number);
        }
        if number.saturating_add(1) < to {
            self.0.insert(number.saturating_add(1), to);
        }
    }

    /// Takes away the numbers from one on.
    fn cut(&mut self, from: u32) -> Vec<u32> {
        let mut gone = self.0.split_off(&from);
        if let Some((_, to)) = self.0.range_mut(..from).next_back()
            && *to > from
        {
            gone.insert(from, *to);
            *to = from;
        }
        gone.into_iter().flat_map(|(from, to)| from..to).collect()
    }

    /// Takes away the numbers below one that are not among these.
    fn keep_below(&mut self, below: u32, kept: &HashSet<u32>) -> Vec<u32> {
        let own = self.0.range(..below);
        let own = own.flat_map(|(&from, &to)| from..to.min(below));
        let gone: Vec<u32> = own.filter(|number| !kept.contains(number)).collect();
        for &number in &gone {
            self.remove(number);
        }
        gone
    }
}

/// What the collections of a log have.
#[derive(Debug, Default)]
pub(super) struct Elements {
    /// The indices of arrays, by their objects.
    indices: HashMap<(u16, u32), Ranges>,
    /// The keys of maps and sets.
    entries: HashMap<(u16, u32), HashSet<u32>>,
    /// The index that a key is, by the key's number.
    index_of: Vec<Option<u32>>,
}

impl Builder {
    /// The index that a key is.
    fn index_of(&mut self, key: u32) -> Option<u32> {
        let known = &mut self.elements.index_of;
        let keys = self.model.keys.get(known.len()..).unwrap_or_default();
        known.extend(keys.iter().map(|key| {
            match key {
                // As an array has it: `01` is no index.
                Key::Property(name) if name == "0" || !name.starts_with('0') => name
                    .bytes()
                    .all(|it| it.is_ascii_digit())
                    .then(|| name.parse().ok())
                    .flatten()
                    .filter(|index| *index != u32::MAX),
                _ => None,
            }
        }));
        known.get(key as usize).copied().flatten()
    }

    /// An element or entry has been written.
    pub(super) fn element_written(&mut self, owner: (u16, u32), key: u32, value: Value) {
        if let Some(index) = self.index_of(key) {
            let own = self.elements.indices.entry(owner).or_default();
            match value {
                Value::Absent => own.remove(index),
                _ => own.add(index),
            }
        } else if matches!(self.model.keys.get(key as usize), Some(Key::Entry(_))) {
            let own = self.elements.entries.entry(owner).or_default();
            match value {
                Value::Absent => own.remove(&key),
                _ => own.insert(key),
            };
        }
    }

    /// An array has this length now.
    pub(super) fn cut_to(&mut self, owner: (u16, u32), length: u32, event: u32) {
        let own = self.elements.indices.get_mut(&owner);
        let gone = own.map(|own| own.cut(length)).unwrap_or_default();
        self.indices_gone(owner, &gone, event);
    }

    /// A collection was told whole: so many elements or entries, of which these keys were told.
    pub(super) fn told_whole(&mut self, owner: (u16, u32), total: u32, told: &[u32], event: u32) {
        self.cut_to(owner, total, event);
        let count = u32::try_from(told.len()).unwrap_or(NONE);
        if self.elements.indices.contains_key(&owner) {
            let kept: HashSet<u32> = told.iter().filter_map(|&key| self.index_of(key)).collect();
            let own = self.elements.indices.get_mut(&owner);
            let gone = own.map(|own| own.keep_below(count, &kept));
            self.indices_gone(owner, &gone.unwrap_or_default(), event);
        }
        if let Some(own) = self.elements.entries.get_mut(&owner) {
            let kept: HashSet<u32> = told.iter().copied().collect();
            let gone: Vec<u32> = own.difference(&kept).copied().collect();
            own.retain(|key| kept.contains(key));
            for key in gone {
                self.gone(owner, key, event);
            }
        }
    }

    fn indices_gone(&mut self, owner: (u16, u32), gone: &[u32], event: u32) {
        for index in gone {
            let key = self.key(Key::Property(index.to_string()));
            self.gone(owner, key, event);
        }
    }

    fn gone(&mut self, (stream, object): (u16, u32), key: u32, event: u32) {
        let owner = Value::Object(crate::ids::ObjectId(object));
        self.write(stream, owner, key, event, GONE_WITH_OTHERS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_what_was_added_and_not_taken_away() {
        let mut ranges = Ranges::default();
        for number in [0, 1, 2, 5, 3, 9, 8, 4, 4] {
            ranges.add(number);
        }
        assert_eq!(Vec::from_iter(ranges.0.clone()), [(0, 6), (8, 10)]);
        for number in [1, 9, 7] {
            ranges.remove(number);
        }
        assert_eq!(Vec::from_iter(ranges.0.clone()), [(0, 1), (2, 6), (8, 9)]);
        assert_eq!(ranges.keep_below(4, &HashSet::from([2])), [0, 3]);
        assert_eq!(ranges.cut(5), [5, 8]);
        assert_eq!(Vec::from_iter(ranges.0.clone()), [(2, 3), (4, 5)]);
        assert_eq!(ranges.cut(5), [] as [u32; 0]);
        assert_eq!(ranges.cut(0), [2, 4]);
    }
}
