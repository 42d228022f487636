//! Which part of a literal, of the arguments of a call, or of what `concat` joined gave an element, where some of them
//! are spread: how long each is, the log says.

use event_log::ids::SiteId;
use event_log::model::Key;
use event_log::value::Value as Seen;
use js_analysis::origin::{Argument, Call, Form, Value};
use querypoint::answer::Hop;

use super::parameters::{Handed, is_arguments};
use super::{InLog, Next, Spot};

/// The log tells so many arguments, and so many elements, at least: of more it is not known how many there are.
const MOST_TOLD: usize = 64;

impl InLog<'_> {
    /// The part that gave the element `index`; of one that is spread, also which of its elements. `total`: how many
    /// elements the log tells that there were in all.
    pub(super) fn part_at<'p>(
        &self,
        spot: Spot,
        parts: &[Option<&'p Argument>],
        index: usize,
        total: Option<usize>,
    ) -> Option<(&'p Argument, Option<usize>)> {
        // Behind a single one that is the last there is nothing: how long it is does not count.
        let mut spreads = (0usize..)
            .zip(parts)
            .filter(|(_, part)| part.is_some_and(|it| it.is_spread));
        if let (Some((start, Some(only))), None) = (spreads.next(), spreads.next())
            && start + 1 == parts.len()
            && start <= index
        {
            return Some((only, Some(index - start)));
        }
        let total = total.filter(|total| *total < MOST_TOLD);
        let lengths: Vec<Option<usize>> = parts
            .iter()
            .map(|part| match part {
                Some(part) if part.is_spread => self.spread_length(spot, &part.value, 0),
                _ => Some(1),
            })
            .collect();
        let known: usize = lengths.iter().flatten().sum();
        // The length of a single one follows from those of the others.
        let of_open = match (lengths.iter().filter(|it| it.is_none()).count(), total) {
            (0, Some(total)) if total != known => return None,
            (1, Some(total)) => Some(total.checked_sub(known)?),
            _ => None,
        };
        let mut start = 0;
        for (number, (part, length)) in parts.iter().zip(&lengths).enumerate() {
            let is_last = number + 1 == parts.len();
            let is_in = match length.or(of_open) {
                Some(length) => index < start + length,
                None if is_last => true,
                None => return None,
            };
            if is_in {
                let part = (*part)?;
                return Some((part, part.is_spread.then(|| index - start)));
            }
            start += length.or(of_open)?;
        }
        None
    }

    /// How many elements what is spread has; `None`: the log does not say it.
    pub(super) fn spread_length(&self, spot: Spot, value: &Value, depth: u32) -> Option<usize> {
        if is_arguments(value) {
            let call = self.call_of(spot.moment.call)?;
            let passed = self.model.arguments_of(call)?.len();
            return (call.this != Seen::Unknown && passed < MOST_TOLD).then_some(passed);
        }
        if let Form::Array { elements, is_open } = &value.form
            && !is_open
        {
            return Some(elements.len());
        }
        let list = self.evaluated(spot, value, 0)?;
        let stream = spot.moment.stream;
        if let Some((call, index)) = self.rest_of_call(stream, list.object()?.0)
            && self.model.writes_of(stream, list.object()?.0).is_empty()
        {
            return Some(self.passed_count(call, depth)?.saturating_sub(index));
        }
        match self.length(spot, list, &Key::Property("length".to_owned()))? {
            Seen::Number(length) => Some(length as usize),
            _ => None,
        }
    }

    /// How many arguments a call was passed. An arrow function does not tell it, but the text of its call may.
    pub(super) fn passed_count(&self, number: u32, depth: u32) -> Option<usize> {
        /// So many functions may hand over to each other.
        const DEEPEST: u32 = 20;
        let call = self.call_of(number)?;
        if call.this != Seen::Unknown {
            let passed = self.model.arguments_of(call)?.len();
            return (passed < MOST_TOLD).then_some(passed);
        }
        if call.site == SiteId::NONE || depth > DEEPEST {
            return None;
        }
        let (spot, text) = self.caller_of(number)?;
        let Handed::Arguments(first) = self.handed_over(spot, &text, number)? else {
            return None;
        };
        let arguments = text.arguments.iter().skip(first);
        let lengths = arguments.map(|argument| match argument.is_spread {
            true => self.spread_length(spot, &argument.value, depth + 1),
            false => Some(1),
        });
        lengths.sum()
    }

    /// An element of the list that `concat` made: of what it was called on, then each argument, of a list its elements.
    pub(super) fn of_concat(
        &self,
        spot: Spot,
        call: &Call,
        index: usize,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        if call.arguments.iter().any(|argument| argument.is_spread) {
            return None;
        }
        let values = std::iter::once(call.receiver.as_ref()?);
        let values = values.chain(call.arguments.iter().map(|argument| &argument.value));
        let parts: Vec<Argument> = values
            .map(|value| {
                Some(Argument {
                    is_spread: self.is_joined(spot, value)?,
                    value: value.clone(),
                })
            })
            .collect::<Option<_>>()?;
        let joined: Vec<Option<&Argument>> = parts.iter().map(Some).collect();
        match self.part_at(spot, &joined, index, None)? {
            (list, Some(index)) => Some(self.element_of(spot, &list.value, index, seen, hops)),
            (part, None) => Some(Next::Value {
                spot,
                value: Box::new(part.value.clone()),
                way: Vec::new(),
                seen,
            }),
        }
    }

    /// Whether `concat` joins the elements of a value, rather than the value; `None`: that is not known.
    fn is_joined(&self, spot: Spot, value: &Value) -> Option<bool> {
        match &value.form {
            Form::Literal | Form::Object(_) => return Some(false),
            Form::Array { .. } => return Some(true),
            _ => {}
        }
        match self.evaluated(spot, value, 0)? {
            Seen::Unknown => None,
            Seen::Object(object) => match self.class_of(spot.moment.stream, object.0) {
                "Array" => Some(true),
                "Object" => Some(false),
                // A proxy of a list is joined, as is what says so of itself.
                _ => None,
            },
            _ => Some(false),
        }
    }
}
