//! Both sides beside each other: which objects are the same, and where the two calls differ.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use event_log::ids::ScopeId;
use event_log::model::{Event, Key, Kind, Model};
use event_log::record::DATE_VALUE;
use event_log::value::Value;

use super::built_ins::{INPUTS, LOOK_UPS, OUTWARD};
use super::same_before;
use super::side::{Side, plain};
use crate::state::{Cell, effects};

/// Which objects of both sides are the same, as far as it has been compared.
pub(super) struct Matching<'s> {
    pub(super) left: &'s Side<'s>,
    pub(super) right: &'s Side<'s>,
    /// Objects made in the one that represent those made in the other.
    pub(super) pairs: HashMap<u32, u32>,
    pub(super) taken: HashMap<u32, u32>,
    /// Scopes entered in the one that represent those entered in the other.
    pub(super) scopes: Vec<(ScopeId, ScopeId)>,
    /// Why it cannot be known whether all is the same.
    pub(super) doubt: Option<String>,
}

impl Matching<'_> {
    /// Says that it cannot be known, and why; the first reason stays.
    pub(super) fn doubt(&mut self, why: &str) {
        self.doubt.get_or_insert_with(|| why.to_owned());
    }

    /// Where the results or exceptions differ; `word` is `returned` or `threw`.
    pub(super) fn outcome(&mut self, word: &str, one: Value, two: Value) -> Option<String> {
        let is_same = self.same(one, two);
        (!is_same).then(|| {
            let shown = self.right.shown(two);
            format!("the good version {word} {shown}")
        })
    }

    /// Compares what a generator handed out, one value after the other.
    pub(super) fn handed_out(&mut self) -> Option<String> {
        let (these, those) = (self.left.handed_out(), self.right.handed_out());
        if these.len() != those.len() {
            return Some(format!("the good version hands out {} values", those.len()));
        }
        these
            .into_iter()
            .zip(those)
            .find_map(|(one, two)| self.outcome("hands out", one, two))
    }

    /// Code without hooks that gave something else to the one than to the other.
    pub(super) fn given_by_others(
        &self,
        one: &[(&str, u32)],
        two: &[(&str, u32)],
    ) -> Option<String> {
        let gave =
            |side: &Side<'_>, number: u32| side.event(number).map_or(Value::Unknown, |it| it.value);
        let is_same = |one: Value, two: Value| match (one, two) {
            (Value::Object(_), Value::Object(_)) => true,
            (one, two) => same_before(self.left.model(), self.right.model(), one, two),
        };
        let mut pairs = one.iter().zip(two);
        let other = pairs.find(|((name, at), (other, its))| {
            let is_input = INPUTS.contains(name) && !self.is_same_input(*at, *its);
            name != other || is_input || !is_same(gave(self.left, *at), gave(self.right, *its))
        });
        let longer = || one.get(two.len()).or(two.get(one.len()));
        let (name, _) = other.map(|(one, _)| one).or_else(longer)?;
        Some(format!("what {name} gave is not the same in both"))
    }

    /// Whether chance and the clock gave both calls the same, by the events of their ends.
    fn is_same_input(&self, one: u32, two: u32) -> bool {
        let gave = |side: &Side<'_>, number: u32| {
            let value = side.event(number).map_or(Value::Unknown, |it| it.value);
            let time = value.object().and_then(|it| side.time_of(it.0, number));
            (value, time)
        };
        match (gave(self.left, one), gave(self.right, two)) {
            ((Value::Object(_), one), (Value::Object(_), two)) => one.is_some() && one == two,
            ((one, _), (two, _)) => same_before(self.left.model(), self.right.model(), one, two),
        }
    }

    /// Compares calls of code without hooks whose effect the log may not have.
    pub(super) fn hidden_effects(
        &mut self,
        one: &[(&str, u32)],
        two: &[(&str, u32)],
    ) -> Option<String> {
        let names = |calls: &[(&str, u32)]| -> Vec<String> {
            calls.iter().map(|(name, _)| (*name).to_owned()).collect()
        };
        if names(one) != names(two) {
            let differs = one.iter().zip(two).position(|(one, two)| one.0 != two.0);
            let at = differs.unwrap_or_else(|| one.len().min(two.len()));
            let name = one.get(at).or(two.get(at)).map_or("", |it| it.0);
            self.doubt(&format!("what {name} did is not in the log"));
            return None;
        }
        for (&(name, one), &(_, two)) in one.iter().zip(two) {
            if INPUTS.contains(&name) && self.is_same_input(one, two) {
                continue;
            }
            if !OUTWARD.contains(&name) {
                self.doubt(&format!("what {name} did is not in the log"));
                continue;
            }
            let given = |side: &Side<'_>, number: u32| {
                let values = side.model().library_arguments_of(number);
                values.map(<[Value]>::to_vec).unwrap_or_default()
            };
            let (these, those) = (given(self.left, one), given(self.right, two));
            let before = self.doubt.clone();
            let is_same = these.len() == those.len()
                && these
                    .iter()
                    .zip(&those)
                    .all(|(&one, &two)| self.same(one, two));
            if is_same && LOOK_UPS.contains(&name) {
                self.found_both(one, two);
            }
            if !is_same {
                // Reading something else is no fault as such: what is made of it is compared.
                let reads = name.contains("get") || name.contains("query") || name.contains("JSON");
                match reads {
                    true => self.doubt = before,
                    false => {
                        return Some(format!("the good version calls {name} with something else"));
                    }
                }
            }
        }
        None
    }

    /// Both looked for the same element of the page, by the events of the ends of these calls: so both have the same.
    fn found_both(&mut self, one: u32, two: u32) {
        let found = |side: &Side<'_>, number: u32| {
            let object = side.event(number)?.value.object()?.0;
            side.is_found(object).then_some(object)
        };
        if let (Some(one), Some(two)) = (found(self.left, one), found(self.right, two)) {
            self.pairs.entry(one).or_insert(two);
            self.taken.entry(two).or_insert(one);
        }
    }

    /// What was written to elements of the page that both met first.
    fn effects_on_found(&mut self) -> Option<String> {
        let (left, right) = (self.left, self.right);
        let found: Vec<(u32, u32)> = self
            .pairs
            .iter()
            .filter(|(one, two)| left.is_found(**one) && right.is_found(**two))
            .map(|(one, two)| (*one, *two))
            .collect();
        for (one, two) in found {
            let mut keys = left.keys_written(one);
            keys.extend(right.keys_written(two));
            for key in keys {
                let (before, after) = (left.named_field(one, &key), right.named_field(two, &key));
                if let Some(different) = self.compare(&key_text(&key), before, after) {
                    return Some(different);
                }
            }
        }
        let unpaired = |side: &Side<'_>, pairs: &HashMap<u32, u32>| {
            side.found_objects()
                .any(|it| !pairs.contains_key(&it) && !side.keys_written(it).is_empty())
        };
        if unpaired(left, &self.pairs) || unpaired(right, &self.taken) {
            self.doubt("they wrote to different elements of the page");
        }
        None
    }

    /// What was changed that was there before.
    pub(super) fn effects(&mut self) -> Option<String> {
        let (left, right) = (self.left, self.right);
        let (one, two) = (
            effects(left.log, left.node, left.exit),
            effects(right.log, right.node, right.exit),
        );
        // Scopes that were entered before have the same numbers in both; variables need not.
        let variables = |side: &Side<'_>, cells: &BTreeSet<Cell>| {
            let named = cells.iter().filter_map(|it| {
                let variable = side.model().tables.variable(it.variable)?;
                Some((variable.name.clone(), it.scope))
            });
            named.collect::<BTreeSet<_>>()
        };
        let mut cells = variables(left, &one.cells);
        cells.extend(variables(right, &two.cells));
        for (name, scope) in cells {
            let is_it = |model: &Model, event: &Event| {
                let variable = model.site(event.site).map(|it| it.variable);
                let variable = variable.and_then(|it| model.tables.variable(it));
                event.kind == Kind::Assign
                    && event.key == scope.0
                    && variable.is_some_and(|it| it.name == name)
            };
            self.meanwhile(&name, is_it);
            let values = |side: &Side<'_>| side.named_variable(&name, scope);
            if let Some(different) = self.compare(&name, values(left), values(right)) {
                return Some(different);
            }
        }
        // Objects that were there before have the same numbers in both; keys need not.
        let keys = |side: &Side<'_>, fields: &BTreeSet<crate::state::Field>| {
            let named = fields.iter().filter_map(|it| {
                let key = side.model().keys.get(it.key as usize)?;
                side.is_old(it.object).then(|| (it.object, plain(key)))
            });
            named.collect::<BTreeSet<_>>()
        };
        let mut fields = keys(left, &one.fields);
        fields.extend(keys(right, &two.fields));
        for (object, key) in fields {
            if is_object_key(&key) {
                self.doubt("an object is the key of an entry");
                continue;
            }
            let is_it = |model: &Model, event: &Event| {
                let is_write = matches!(event.kind, Kind::Write | Kind::WriteEntry);
                let written = model.keys.get(event.key as usize).map(plain);
                event.owner.object().is_some_and(|it| it.0 == object)
                    && (event.kind == Kind::Contents || is_write && written.as_ref() == Some(&key))
            };
            let name = key_text(&key);
            self.meanwhile(&name, is_it);
            let values = |side: &Side<'_>| side.named_field(object, &key);
            if let Some(different) = self.compare(&name, values(left), values(right)) {
                return Some(different);
            }
        }
        self.effects_on_found()
    }

    /// A doubt, if something else wrote it while one of the calls waited.
    fn meanwhile(&mut self, name: &str, is_it: impl Fn(&Model, &Event) -> bool) {
        let is_written = [self.left, self.right]
            .into_iter()
            .any(|side| side.is_written_meanwhile(&|event| is_it(side.model(), event)));
        if is_written {
            self.doubt(&format!(
                "something else wrote {name} while the call waited"
            ));
        }
    }

    fn compare(&mut self, name: &str, one: Option<Value>, two: Option<Value>) -> Option<String> {
        let gone = |it: Option<Value>| it.unwrap_or(Value::Absent);
        let (one, two) = (gone(one), gone(two));
        let is_same = self.same(one, two);
        (!is_same).then(|| match two {
            Value::Absent => format!("the good version leaves no {name}"),
            two => format!(
                "the good version leaves {} in {name}",
                self.right.shown(two)
            ),
        })
    }

    /// Whether two values are the same. Where the logs do not know, that is a doubt, and they are taken for the same.
    pub(super) fn same(&mut self, value: Value, two: Value) -> bool {
        match (value, two) {
            (Value::Unknown | Value::Accessor, _) | (_, Value::Unknown | Value::Accessor) => {
                self.doubt("a value is not recorded");
                true
            }
            (Value::Object(one), Value::Object(two)) => self.same_object(one.0, two.0),
            (Value::Function(one), Value::Function(two))
            | (Value::Symbol(one), Value::Symbol(two)) => {
                if self.left.is_old(one.0) && self.right.is_old(two.0) {
                    return one == two;
                }
                let is_function = matches!(value, Value::Function(_));
                let is_made = !self.left.is_old(one.0) && !self.right.is_old(two.0);
                match is_function && is_made {
                    true => self.made_functions(one.0, two.0),
                    false => self.doubt("a symbol was made, and two of them cannot be compared"),
                }
                true
            }
            (
                Value::LongString { length, .. },
                Value::LongString {
                    length: other_length,
                    ..
                },
            ) => {
                let is_same = same_before(self.left.model(), self.right.model(), value, two);
                if is_same {
                    self.doubt("a long text is not recorded to its end");
                }
                is_same && length == other_length
            }
            (one, two) => same_before(self.left.model(), self.right.model(), one, two),
        }
    }

    fn same_object(&mut self, one: u32, two: u32) -> bool {
        if self.left.is_old(one) || self.right.is_old(two) {
            // What was seen before has the same number in both.
            if one == two {
                return true;
            }
            if !self.looks_same(one, two, &mut BTreeSet::new()) {
                return false;
            }
            self.doubt("it is another object that looks the same");
            return true;
        }
        match (self.pairs.get(&one), self.taken.get(&two)) {
            (Some(&known), _) => return known == two,
            (None, Some(_)) => return false,
            (None, None) => {}
        }
        self.pairs.insert(one, two);
        self.taken.insert(two, one);
        let class = self.left.class(one);
        if class != self.right.class(two) {
            return false;
        }
        if class == "Date" {
            return self.same_dates(one, two);
        }
        if class.ends_with("Error") {
            return self.same_errors(one, two);
        }
        if !self.left.has_all_of(one) || !self.right.has_all_of(two) {
            self.doubt(&format!(
                "not all of an object of the class {class} is in the log"
            ));
            return true;
        }
        let (own, others) = (self.fields(true, one), self.fields(false, two));
        own.len() == others.len()
            && own.into_iter().all(|(key, value)| {
                let other = others.get(&key).copied();
                other.is_some_and(|other| self.same(value, other))
            })
    }

    /// What an object of one side holds at the end of the call, without what cannot be compared.
    pub(super) fn fields(&mut self, is_left: bool, object: u32) -> BTreeMap<Key, Value> {
        // Of larger collections the log has not all.
        const MOST_TOLD: usize = 100;
        let side = if is_left { self.left } else { self.right };
        let mut fields = side.fields(object);
        if fields.len() >= MOST_TOLD && matches!(side.class(object), "Array" | "Map" | "Set") {
            self.doubt("a large collection is not told to its end");
        }
        let all = fields.len();
        fields.retain(|key, _| !is_object_key(key));
        if fields.len() < all {
            self.doubt("an object is the key of an entry");
        }
        fields
    }

    /// Whether two dates that were made are the same, by their times.
    fn same_dates(&mut self, one: u32, two: u32) -> bool {
        let time = |side: &Side<'_>, date| side.time_of(date, side.exit);
        match (time(self.left, one), time(self.right, two)) {
            (Some(one), Some(two)) => one == two,
            _ => {
                self.doubt("the time of a date is not in the log");
                true
            }
        }
    }

    /// Whether two errors that were made are the same, by what their constructors were given.
    fn same_errors(&mut self, one: u32, two: u32) -> bool {
        match (self.left.made_of(one), self.right.made_of(two)) {
            (Some(these), Some(those)) => {
                these.len() == those.len()
                    && these
                        .iter()
                        .zip(&those)
                        .all(|(&one, &two)| self.same(one, two))
            }
            // One that the language threw has a message, and nothing else that the page can read and that is told.
            (None, None) => {
                let message = |side: &Side<'_>, error| side.message_of(error);
                match (message(self.left, one), message(self.right, two)) {
                    (Some(one), Some(two)) => one == two,
                    _ => {
                        self.doubt("what an error was made of is not in the log");
                        true
                    }
                }
            }
            _ => {
                self.doubt("what an error was made of is not in the log");
                true
            }
        }
    }

    /// Whether two objects have the same class and fields, as far as the logs know.
    fn looks_same(&self, one: u32, two: u32, seen: &mut BTreeSet<(u32, u32)>) -> bool {
        const MOST_COMPARED: usize = 1000;
        if !seen.insert((one, two)) || seen.len() > MOST_COMPARED {
            return true;
        }
        let (own, others) = (self.left.fields(one), self.right.fields(two));
        self.left.class(one) == self.right.class(two)
            && own.len() == others.len()
            && own.into_iter().all(|(key, value)| {
                others.get(&key).is_some_and(|&other| match (value, other) {
                    (Value::Object(one), Value::Object(two)) => {
                        one == two || self.looks_same(one.0, two.0, seen)
                    }
                    (Value::Unknown | Value::Accessor, _)
                    | (_, Value::Unknown | Value::Accessor) => true,
                    (one, two) => same_before(self.left.model(), self.right.model(), one, two),
                })
            })
    }
}

/// Whether a key is an object: then it is named by a number, which means nothing in another log.
fn is_object_key(key: &Key) -> bool {
    matches!(key, Key::Entry(text) if text.contains(" #"))
}

fn key_text(key: &Key) -> String {
    match key {
        Key::Property(name) if name == DATE_VALUE => "the time of a date".to_owned(),
        Key::Property(name) => name.clone(),
        Key::Symbol(_, _, description) => format!("[{description}]"),
        Key::Entry(key) => format!("the entry {key}"),
    }
}
