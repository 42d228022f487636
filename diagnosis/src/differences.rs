//! What differs between two objects of which one took the place of the other: a state that is never changed but copied
//! with something changed says little as a whole.

use std::collections::{BTreeMap, BTreeSet};

use event_log::model::Key;
use event_log::value::Value;
use querypoint::diagnosis::CallChange;

use crate::state::properties;
use crate::view::Viewer;

/// More differences than these are not told one by one.
const MOST: usize = 8;
/// So many objects inside one another are compared.
const DEEPEST: usize = 6;
/// Larger objects are not compared.
const MOST_PROPERTIES: usize = 10_000;

/// An object before and after, with the times at which they are read.
#[derive(Clone, Copy)]
struct Replaced {
    old: (Value, u32),
    new: (Value, u32),
}

impl Viewer<'_> {
    /// What is another value at a time than it was at a call's beginning; where an object took the place of another
    /// that is nearly the same, what differs in them.
    pub(crate) fn changed(
        &self,
        name: &dyn Fn() -> String,
        (old, entry): (Option<Value>, u32),
        (new, at): (Option<Value>, u32),
    ) -> Vec<CallChange> {
        let Some(change) = self.change(name, (old, entry), (new, at)) else {
            return Vec::new();
        };
        let inside = old.zip(new).and_then(|(old, new)| {
            let replaced = Replaced {
                old: (old, entry),
                new: (new, at),
            };
            self.differences(&change.name, replaced)
        });
        inside.unwrap_or_else(|| vec![change])
    }

    /// What is other in an object that took the place of another, each with the way to it; `None`: they have too little
    /// in common, or are the same.
    fn differences(&self, way: &str, replaced: Replaced) -> Option<Vec<CallChange>> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        self.compare(way, replaced, &mut seen, &mut found)?;
        (!found.is_empty()).then_some(found)
    }

    fn compare(
        &self,
        way: &str,
        replaced: Replaced,
        seen: &mut BTreeSet<(u32, u32)>,
        found: &mut Vec<CallChange>,
    ) -> Option<()> {
        let (one, two) = (replaced.old.0.object()?.0, replaced.new.0.object()?.0);
        if self.class(one) != self.class(two) || seen.len() > DEEPEST {
            return None;
        }
        if !seen.insert((one, two)) {
            return Some(());
        }
        let compared = self.inside(way, replaced, (one, two), seen, found);
        seen.remove(&(one, two));
        compared
    }

    /// Compares what is inside of two objects of one class.
    fn inside(
        &self,
        way: &str,
        replaced: Replaced,
        (one, two): (u32, u32),
        seen: &mut BTreeSet<(u32, u32)>,
        found: &mut Vec<CallChange>,
    ) -> Option<()> {
        let (before, after) = (replaced.old.1, replaced.new.1);
        let (own, others) = (self.fields(one, before), self.fields(two, after));
        if own.len().max(others.len()) > MOST_PROPERTIES {
            return None;
        }
        let (own, others) = match self.class(one) {
            "Array" => self.aligned(own, others)?,
            _ => (own, others),
        };
        let keys: BTreeSet<u32> = own.keys().chain(others.keys()).copied().collect();
        // Another object, not a copy with something changed.
        let is_like = |key: &&u32| match (own.get(key), others.get(key)) {
            (Some(one), Some(two)) => one.same(*two) == Some(true) || self.are_alike(*one, *two),
            _ => false,
        };
        let is_list = self.class(one) == "Array";
        if !is_list && keys.iter().filter(is_like).count() * 2 < keys.len() {
            return None;
        }
        for key in keys {
            let (value, other) = (own.get(&key).copied(), others.get(&key).copied());
            let inner = format!("{way}{}", self.link(key));
            if let (Some(value), Some(other)) = (value, other)
                && value != other
                && self.are_alike(value, other)
            {
                let replaced = Replaced {
                    old: (value, before),
                    new: (other, after),
                };
                let count = found.len();
                if self.compare(&inner, replaced, seen, found).is_some() {
                    continue;
                }
                found.truncate(count);
            }
            let name = || inner.clone();
            found.extend(self.change(&name, (value, before), (other, after)));
            if found.len() > MOST {
                return None;
            }
        }
        Some(())
    }

    /// Whether two values are objects of one class.
    fn are_alike(&self, one: Value, two: Value) -> bool {
        let pair = one.object().zip(two.object());
        pair.is_some_and(|(one, two)| self.class(one.0) == self.class(two.0))
    }

    fn class(&self, object: u32) -> &str {
        let class = self
            .model
            .object(self.stream, object)
            .map_or(0, |it| it.class);
        self.model.text(self.stream, class)
    }

    fn fields(&self, object: u32, at: u32) -> BTreeMap<u32, Value> {
        properties(self.model, self.stream, object, at)
            .into_iter()
            .collect()
    }

    /// The elements of two lists that are not the same at the beginning and the end; `None`: a part in the middle was
    /// replaced by one of another length.
    fn aligned(
        &self,
        mut own: BTreeMap<u32, Value>,
        mut others: BTreeMap<u32, Value>,
    ) -> Option<(BTreeMap<u32, Value>, BTreeMap<u32, Value>)> {
        if own.len() == others.len() {
            return Some((own, others));
        }
        let listed = |of: &BTreeMap<u32, Value>| {
            let mut all: Vec<(usize, u32, Value)> = of
                .iter()
                .filter_map(|(&key, &value)| Some((self.index(key)?, key, value)))
                .collect();
            all.sort_by_key(|it| it.0);
            all
        };
        let (these, those) = (listed(&own), listed(&others));
        let is_same = |one: &Value, two: &Value| one.same(*two) == Some(true);
        let mut pairs = these.iter().zip(&those);
        let first = pairs
            .by_ref()
            .take_while(|(one, two)| is_same(&one.2, &two.2));
        let first = first.count();
        let (left, right) = (these.get(first..)?, those.get(first..)?);
        let mut pairs = left.iter().rev().zip(right.iter().rev());
        let last = pairs
            .by_ref()
            .take_while(|(one, two)| is_same(&one.2, &two.2));
        let last = last.count();
        let (left, right) = (left.len() - last, right.len() - last);
        if left > 0 && right > 0 {
            return None;
        }
        let kept = |all: &[(usize, u32, Value)], count: usize| {
            let inner = all.get(first..first + count).unwrap_or_default();
            inner.iter().map(|it| it.1).collect::<BTreeSet<u32>>()
        };
        let (kept_here, kept_there) = (kept(&these, left), kept(&those, right));
        own.retain(|key, _| kept_here.contains(key));
        others.retain(|key, _| kept_there.contains(key));
        Some((own, others))
    }

    fn index(&self, key: u32) -> Option<usize> {
        match self.model.keys.get(key as usize)? {
            Key::Property(name) => name.parse().ok(),
            _ => None,
        }
    }
}
