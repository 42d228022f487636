//! What an execution took from the clock or from chance, and what it worked out of that: it differs between any two
//! executions, so it is no difference.
//!
//! A log has no reads. What is worked out of noise is told by
//!
//! - the value: a time, a random number or a text that nothing else gives, wherever it goes; a text in which it is
//!   printed; a number that is as far from it in both executions;
//! - the place: what is written, returned, decided or passed where the clock was asked inside the same expression;
//! - the object: what a method of a noisy variable gave (`today.toISOString()`).
//!
//! Small whole numbers and short texts are noise only where they come out, for others are like them.

use std::collections::{HashMap, HashSet};

use crate::ids::{FunctionId, SiteId, StaticScopeId, VariableId};
use crate::model::{Event, Kind, Model, NONE, plain_text};
use crate::record::DATE_VALUE;
use crate::value::Value;

/// Of more values the newest are used.
const MOST: usize = 2000;
/// Numbers from here on, and those that are not whole, are like no other.
const LARGE: f64 = 1_000_000.0;
/// Texts of so many bytes are like no other.
const LONG: usize = 6;
/// Two values that are so far apart are not so by chance.
const FAR: f64 = 1000.0;
/// What a text has instead of noise.
const MASK: &str = "\u{1a}";

/// The noise of one log.
#[derive(Default)]
pub(super) struct Noise {
    /// Events whose value (of a call: whose arguments) is noise.
    events: HashSet<u32>,
    /// The first event that gave noise, and what was called there.
    first: Option<(u32, String)>,
    /// Times and random numbers, in their order.
    numbers: Vec<f64>,
    known_numbers: HashSet<u64>,
    /// These and texts as they are printed, in their order.
    printed: Vec<String>,
    texts: HashSet<String>,
    objects: HashSet<(u16, u32)>,
}

impl Noise {
    pub(super) fn of(model: &Model) -> Self {
        let mut finder = Finder {
            model,
            noise: Self::default(),
            pending: HashMap::new(),
            frames: HashSet::new(),
            by_name: HashMap::new(),
        };
        for (variable, number) in model.tables.variables.iter().zip(1..) {
            let named = finder.by_name.entry(&variable.name).or_default();
            named.push((variable.scope, VariableId(number)));
        }
        // The server's address is another each time.
        let page = model.info.page.as_str();
        let scheme = page.find("://").map_or(0, |at| at + 3);
        let end = page.get(scheme..).and_then(|it| it.find('/'));
        if let Some(origin) = end.and_then(|end| page.get(..scheme + end)) {
            finder.noise.texts.insert(origin.to_owned());
        }
        for (event, number) in model.events.iter().zip(0..) {
            finder.event(event, number);
        }
        finder.noise
    }

    /// What the clock or chance gave before an event: what was called there.
    pub(super) fn before(&self, event: u32) -> Option<&str> {
        let (first, name) = self.first.as_ref()?;
        (*first < event).then_some(name)
    }

    /// Whether what an event has is noise by its place.
    pub(super) fn is_of(&self, event: u32) -> bool {
        self.events.contains(&event)
    }

    fn is_noisy(&self, model: &Model, stream: u16, value: Value) -> bool {
        match value {
            Value::Number(number) => self.known_numbers.contains(&number.to_bits()),
            Value::Object(id) => self.objects.contains(&(stream, id.0)),
            Value::String(_) | Value::LongString { .. } => {
                self.texts.contains(&plain_text(model, stream, value))
            }
            _ => false,
        }
    }

    /// A text without what is noise in it: texts, or numbers as they are printed.
    fn masked(&self, text: String, is_number: bool) -> String {
        let mut found: Vec<String> = Vec::new();
        if is_number {
            let numbers = self.numbers.iter().rev().take(MOST);
            let numbers = numbers.filter(|it| is_like_no_other(**it));
            found.extend(numbers.map(f64::to_string));
        } else {
            found.extend(self.texts.iter().cloned());
        }
        found.retain(|it| text.contains(it.as_str()));
        // The whole of it before a part of it.
        found.sort_unstable_by_key(|it| std::cmp::Reverse(it.len()));
        found
            .into_iter()
            .fold(text, |text, it| text.replace(&it, MASK))
    }
}

/// Two texts without what came out in both executions in the same turn.
fn without_pairs(left: (&Noise, String), right: (&Noise, String)) -> (String, String) {
    let (mut own, mut others) = (left.1, right.1);
    let all = left.0.printed.iter().zip(&right.0.printed);
    let skipped = left.0.printed.len().min(right.0.printed.len());
    let is_rare = |text: &str| text.contains('.') || text.len() >= LONG;
    for (one, other) in all.skip(skipped.saturating_sub(MOST)) {
        if one != other
            && (is_rare(one) || is_rare(other))
            && let (Some(masked), Some(others_masked)) =
                (without_word(&own, one), without_word(&others, other))
        {
            (own, others) = (masked, others_masked);
        }
    }
    (own, others)
}

/// A text with a mask instead of a word, where no letter or digit is beside it; `None`: it has no such word.
fn without_word(text: &str, word: &str) -> Option<String> {
    let is_apart = |beside: Option<char>| beside.is_none_or(|it| !it.is_alphanumeric());
    let mut places = text.match_indices(word);
    let (at, _) = places.find(|(at, _)| {
        let (before, rest) = text.split_at(*at);
        let behind = rest.get(word.len()..).and_then(|it| it.chars().next());
        !word.is_empty() && is_apart(before.chars().next_back()) && is_apart(behind)
    })?;
    let (before, rest) = text.split_at(at);
    Some(format!("{before}{MASK}{}", rest.get(word.len()..)?))
}

fn is_like_no_other(number: f64) -> bool {
    number.fract() != 0.0 || number.abs() >= LARGE
}

/// Whether two numbers are worked out in the same way of what the clock or chance gave each execution.
fn is_as_far(left: (&Noise, f64), right: (&Noise, f64)) -> bool {
    let whole = |number: f64| (number - number.round()).abs() < 1e-4;
    let is_near =
        |one: f64, other: f64, size: f64| (one - other).abs() <= 8.0 * f64::EPSILON * size;
    let pairs = left.0.numbers.iter().zip(&right.0.numbers);
    let skipped = left.0.numbers.len().min(right.0.numbers.len());
    let pairs: Vec<(f64, f64)> = pairs
        .skip(skipped.saturating_sub(MOST))
        .map(|(&one, &other)| (one, other))
        .collect();
    let (own, others) = (left.1, right.1);
    let is_moved = pairs.iter().any(|&(one, other)| {
        let apart = one - other;
        let size = own.abs().max(others.abs()).max(one.abs());
        let is_rare = own.abs() >= LARGE && one.abs() >= LARGE && one != other;
        (is_rare || apart.abs() >= FAR || !whole(apart))
            && (is_near(own - others, apart, size) || {
                // Twice as much, a thousandth of it.
                one != 0.0 && other != 0.0 && is_near(own / one, others / other, (own / one).abs())
            })
    });
    // The time between two.
    is_moved
        || (!whole(own) && !whole(others)) && {
            let last = pairs
                .get(pairs.len().saturating_sub(16)..)
                .unwrap_or_default();
            last.iter().any(|&(one, other)| {
                last.iter().any(|&(before, others_before)| {
                    is_near(own, one - before, one.abs())
                        && is_near(others, other - others_before, other.abs())
                })
            })
        }
}

/// Whether two values that are not the same are noise in both executions.
pub(super) fn are_noise(
    stream: u16,
    left: (&Noise, &Model, Value),
    right: (&Noise, &Model, Value),
) -> bool {
    let known = |side: (&Noise, &Model, Value)| side.0.is_noisy(side.1, stream, side.2);
    match (left.2, right.2) {
        (Value::Number(one), Value::Number(other)) => {
            known(left) && known(right) || is_as_far((left.0, one), (right.0, other))
        }
        (
            Value::String(_) | Value::LongString { .. },
            Value::String(_) | Value::LongString { .. },
        ) => {
            let text = |side: (&Noise, &Model, Value)| plain_text(side.1, stream, side.2);
            are_noisy_texts((left.0, &text(left)), (right.0, &text(right)))
        }
        _ => false,
    }
}

/// Whether two texts are the same but for the noise in them.
pub(super) fn are_noisy_texts(left: (&Noise, &str), right: (&Noise, &str)) -> bool {
    let are_same = |own: String, others: String| {
        let own = left.0.masked(own, true);
        own.contains(MASK) && own == right.0.masked(others, true)
    };
    let texts = |noise: &Noise, text: &str| noise.masked(text.to_owned(), false);
    let (own, others) = without_pairs(
        (left.0, texts(left.0, left.1)),
        (right.0, texts(right.0, right.1)),
    );
    if are_same(own, others) {
        return true;
    }
    // What came out in the same turn may be long enough to be known anywhere in one of them alone: `99.50`, `100.20`.
    let (own, others) = without_pairs((left.0, left.1.to_owned()), (right.0, right.1.to_owned()));
    are_same(texts(left.0, &own), texts(right.0, &others))
}

/// Whether two numbers that answers print are noise.
pub(super) fn are_noisy_numbers(left: (&Noise, f64), right: (&Noise, f64)) -> bool {
    let known = |side: (&Noise, f64)| side.0.known_numbers.contains(&side.1.to_bits());
    known(left) && known(right) || is_as_far(left, right)
}

struct Finder<'m> {
    model: &'m Model,
    noise: Noise,
    /// Where noise came out in a call, since it was used: each place once, however often.
    pending: HashMap<(u16, u32), Vec<SiteId>>,
    /// Functions that get the time of their frame.
    frames: HashSet<FunctionId>,
    by_name: HashMap<&'m str, Vec<(StaticScopeId, VariableId)>>,
}

impl Finder<'_> {
    fn event(&mut self, event: &Event, number: u32) {
        match event.kind {
            Kind::CallEnd => self.library_call(event, number),
            Kind::Call => self.call(event, number),
            Kind::Return => {
                let is_noise = self.is_used(event.stream, event.call, event.site)
                    || self.noise.is_noisy(self.model, event.stream, event.value);
                if !is_noise {
                    return;
                }
                self.gave(event.stream, event.value, number);
                if let Some(call) = self.model.calls.get(event.call as usize) {
                    self.came_out((event.stream, call.parent), call.site);
                }
            }
            Kind::Write => {
                let is_date = self.model.keys.get(event.key as usize).is_some_and(
                    |key| matches!(key, crate::model::Key::Property(name) if name == DATE_VALUE),
                ) && self.noise.is_noisy(self.model, event.stream, event.owner);
                if is_date || self.is_used(event.stream, event.call, event.site) {
                    self.gave(event.stream, event.value, number);
                }
            }
            Kind::WriteEntry | Kind::Assign | Kind::Throw | Kind::Branch
                if self.is_used(event.stream, event.call, event.site) =>
            {
                self.gave(event.stream, event.value, number);
            }
            _ => {}
        }
    }

    /// A call of code without hooks has come back.
    fn library_call(&mut self, event: &Event, number: u32) {
        let model = self.model;
        let Some(site) = model.site(event.site) else {
            return;
        };
        let stream = event.stream;
        let given = model.library_arguments_of(number);
        let is_alone = given.is_none_or(<[Value]>::is_empty);
        if site.name.ends_with("requestAnimationFrame")
            && let Some(Value::Function(id)) = given.and_then(<[Value]>::first)
            && let Some(object) = model.object(stream, id.0)
        {
            self.frames.insert(object.function);
        }
        let is_given = given
            .into_iter()
            .flatten()
            .any(|value| self.noise.is_noisy(model, stream, *value));
        let is_inside = self.is_used(stream, event.call, event.site);
        let is_source = is_source(&site.name, is_alone, event.value);
        if is_source && self.noise.first.is_none() {
            self.noise.first = Some((number, site.name.clone()));
        }
        let is_noise = is_source
            || is_inside
            || is_given
            || self.is_method_of_noise(&site.name, site.scope, stream, number);
        if !is_noise {
            return;
        }
        self.gave(stream, event.value, number);
        self.came_out((stream, event.call), event.site);
    }

    /// Noise came out at a place of a call.
    fn came_out(&mut self, call: (u16, u32), site: SiteId) {
        let places = self.pending.entry(call).or_default();
        if !places.contains(&site) {
            places.push(site);
        }
    }

    fn call(&mut self, event: &Event, number: u32) {
        let model = self.model;
        let Some(call) = model.calls.get(event.call as usize) else {
            return;
        };
        let is_inside = self.is_used(event.stream, call.parent, event.site);
        let is_frame = call.parent == NONE && self.frames.contains(&call.function);
        if is_inside || is_frame {
            self.noise.events.insert(number);
        }
        if is_frame && let Some(&time) = model.arguments_of(call).and_then(<[Value]>::first) {
            self.gave(event.stream, time, number);
        }
    }

    /// Whether noise came out inside the expression of an event, which uses it up.
    fn is_used(&mut self, stream: u16, call: u32, site: SiteId) -> bool {
        let model = self.model;
        let Some(pending) = self.pending.get_mut(&(stream, call)) else {
            return false;
        };
        let Some(own) = model.site(site) else {
            return false;
        };
        let before = pending.len();
        pending.retain(|inner| {
            let is_inside = model.site(*inner).is_some_and(|inner| {
                inner.script == own.script && (inner.line, inner.column) >= (own.line, own.column)
            });
            !is_inside
        });
        pending.len() < before
    }

    /// Whether what is called is a method of a variable that has noise: the text begins with its name.
    fn is_method_of_noise(&self, text: &str, scope: StaticScopeId, stream: u16, at: u32) -> bool {
        let end = text.find(['.', '[', '(']).unwrap_or(0);
        let Some(named) = text.get(..end).and_then(|name| self.by_name.get(name)) else {
            return false;
        };
        let tables = &self.model.tables;
        let mut around = scope;
        let mut left = 1000;
        let variable = loop {
            let found = named.iter().find(|(holder, _)| *holder == around);
            if let Some(&(_, variable)) = found {
                break variable;
            }
            left -= 1;
            match tables.scope(around) {
                Some(scope) if left > 0 => around = scope.parent,
                _ => return false,
            }
        };
        let writes = self.model.variables.get(&variable.0);
        let mut before = writes.into_iter().flatten().rev();
        let last = before.find(|write| write.event < at && write.stream == stream);
        last.is_some_and(|write| {
            let value = self.model.assigned(write);
            let event = self.model.events.get(write.event as usize);
            let call = event.and_then(|event| self.model.calls.get(event.call as usize));
            // Of several arguments the place does not say which is noise.
            let is_alone = write.argument == NONE || call.is_some_and(|call| call.arguments.1 == 1);
            self.noise.is_noisy(self.model, stream, value)
                || (is_alone && self.noise.is_of(write.event))
        })
    }

    /// Noise came out.
    fn gave(&mut self, stream: u16, value: Value, number: u32) {
        self.noise.events.insert(number);
        match value {
            Value::Number(it) if it.is_finite() => {
                self.noise.numbers.push(it);
                self.noise.printed.push(it.to_string());
                if is_like_no_other(it) {
                    self.noise.known_numbers.insert(it.to_bits());
                }
            }
            Value::String(_) => {
                let text = plain_text(self.model, stream, value);
                self.noise.printed.push(text.clone());
                if text.len() >= LONG {
                    self.noise.texts.insert(text);
                }
            }
            Value::Object(id) => {
                let class = self.model.object(stream, id.0).map_or(0, |it| it.class);
                let class = self.model.text(stream, class);
                if class == "Date" || class.ends_with("Array") && class != "Array" {
                    self.noise.objects.insert((stream, id.0));
                }
            }
            _ => {}
        }
    }
}

/// Whether code without hooks of this name asks the clock, or takes what chance gives.
fn is_source(name: &str, is_alone: bool, value: Value) -> bool {
    let last = name.rsplit_once('.').map_or(name, |(_, last)| last);
    match last {
        "Date" => is_alone,
        "now" | "random" => is_alone && matches!(value, Value::Number(_)),
        "timeRemaining" | "randomUUID" | "getRandomValues" | "createObjectURL" => true,
        _ => name.contains("Temporal.Now."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(texts: &[&str]) -> Noise {
        Noise {
            printed: texts.iter().map(|&it| it.to_owned()).collect(),
            texts: texts
                .iter()
                .filter(|it| it.len() >= LONG)
                .map(|&it| it.to_owned())
                .collect(),
            ..Noise::default()
        }
    }

    /// A text that is short in the one and long in the other came out in the same turn all the same.
    #[test]
    fn a_short_and_a_long_text_of_the_same_turn_are_noise() {
        let (left, right) = (printed(&["81.00"]), printed(&["117.20"]));
        for (one, other) in [("81.00", "117.20"), ("at 81.00 ms", "at 117.20 ms")] {
            assert!(are_noisy_texts((&left, one), (&right, other)), "{one}");
            assert!(are_noisy_texts((&right, other), (&left, one)), "{other}");
        }
        assert!(!are_noisy_texts((&left, "81.00 a"), (&right, "117.20 b")));
        assert!(!are_noisy_texts((&left, "81.01"), (&right, "117.20")));
    }
}
