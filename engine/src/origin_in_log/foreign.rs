//! Objects that came from outside: the data of a message, the body of a response, what a request gave. No write of the
//! log filled them, so the way goes back to where the page found the object in another one, and on from there.

use event_log::ids::SiteId;
use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, Form, LoggedPlace, PathStep, Reference, Step, Value, Written};
use querypoint::answer::{EndKind, Hop};

use super::parameters::Handed;
use super::writes::{Target, Write};
use super::{InLog, Moment, Next, Spot};
use crate::origin::OF_EACH;

/// How deep objects are in each other that a built-in was given.
const DEEPEST: usize = 8;
/// How many events are looked through for the call that was given one.
const MOST_TOLD: u32 = 20_000;

/// Where an object was found.
enum Found {
    /// In the object of this name, behind these steps, at this moment.
    In(Spot, (u32, String), Vec<Step>),
    /// In the message that made the browser call a function, behind these steps of its data.
    InMessage(u32, Vec<Step>),
}

impl InLog<'_> {
    /// The property of an object that was found in another one: the same in that.
    pub(super) fn of_foreign(
        &self,
        spot: Spot,
        object: u32,
        way: &[PathStep],
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let behind = self.keys_of(spot, way)?;
        let name = name.to_owned();
        match self.found_in(stream, object)? {
            Found::In(at, (around, base), steps) => {
                let way = steps.into_iter().chain(behind).map(PathStep::Into);
                let way: Vec<PathStep> = way.collect();
                let before = hops.len();
                let around = Seen::Object(event_log::ids::ObjectId(around));
                let next = match self.is_followed_back() {
                    true => self.taken(at, around, &way, base, seen, hops).0,
                    false => None,
                };
                self.went_back();
                let is_open = |next: &Next| matches!(next, Next::End(ended) if ended.end.kind == EndKind::Unobserved);
                match next {
                    Some(next) if !is_open(&next) => Some(next),
                    _ => {
                        hops.truncate(before);
                        None
                    }
                }
            }
            Found::InMessage(call, steps) => {
                let way: Vec<Step> = steps.into_iter().chain(behind).collect();
                let target = self.target_of_task(call).map(|(_, target)| target);
                let enter = self.call_of(call)?.enter;
                self.of_message_at((stream, enter), target, &way, (name, seen), hops)?
            }
        }
    }

    /// What was inside of an object when a built-in was given it, which nothing had seen before:
    /// `resolve(request.result)`.
    pub(super) fn of_given(&self, write: &Write, name: &str, hops: &mut Vec<Hop>) -> Option<Next> {
        let Target::Key { object, key, .. } = write.target else {
            return None;
        };
        let Key::Property(key) = self.model.keys.get(key as usize)? else {
            return None;
        };
        if self.event(write.event)?.kind != Kind::Contents {
            return None;
        }
        let (mut object, mut keys) = (object, vec![key.clone()]);
        while keys.len() <= DEEPEST {
            let (seen, _) = self.seen_first(write.stream, object)?;
            let around = self.event(seen)?.owner.object()?.0;
            if around == object {
                break;
            }
            keys.push(self.key_of_part(write.stream, (around, object), seen)?);
            object = around;
        }
        let way: Vec<PathStep> = keys
            .into_iter()
            .rev()
            .map(|key| PathStep::Into(Step::Key(key)))
            .collect();
        let moment = self.moment(write.event)?;
        let script = self.place(self.event(write.event)?.site)?.0;
        let spot = Spot { script, moment };
        self.of_foreign(spot, object, &way, (name, write.value), hops)
    }

    /// The keys of a way, as they were.
    fn keys_of(&self, spot: Spot, way: &[PathStep]) -> Option<Vec<Step>> {
        let keys = way.iter().map(|step| match step {
            PathStep::Into(step) => match self.step_key(spot, step)? {
                Key::Property(key) => Some(Step::Key(key)),
                _ => None,
            },
            PathStep::Iterated(number) => Some(Step::Key(number.to_string())),
            PathStep::Default(_) | PathStep::Rest(_) => None,
        });
        // A default value was not taken, where there was a value.
        let is_default = |step: &&PathStep| matches!(step, PathStep::Default(_));
        let defaults = way.iter().rev().take_while(is_default).count();
        keys.take(way.len() - defaults).collect()
    }

    /// Where the page got an object first.
    fn found_in(&self, stream: u16, object: u32) -> Option<Found> {
        let (event, kind) = self.seen_first(stream, object)?;
        if matches!(kind, Kind::Assign | Kind::Write) {
            let site = self.event(event)?.site;
            if let Some((script, LoggedPlace::Written { written, .. })) = self.place(site) {
                let moment = self.moment(event)?;
                let spot = Spot { script, moment };
                if let Some(found) = self.found_by(spot, written, object) {
                    return Some(found);
                }
            }
        }
        match kind {
            Kind::Contents => self.found_as_given(event, object),
            _ => self.found_as_argument(stream, object),
        }
    }

    /// An object was handed to a built-in, and what is inside of it was told behind that.
    fn found_as_given(&self, told: u32, object: u32) -> Option<Found> {
        let site = self.event(told)?.site;
        let first = told.saturating_sub(MOST_TOLD);
        let ended = (first..told).rev().find(|&number| {
            self.event(number)
                .is_none_or(|event| event.kind != Kind::Contents || event.site != site)
        })?;
        let ended_at = self.event(ended)?;
        if ended_at.kind != Kind::CallEnd || ended_at.site != site {
            return None;
        }
        let given = self.model.library_arguments_of(ended)?;
        let index = given
            .iter()
            .position(|value| value.object().is_some_and(|id| id.0 == object))?;
        let (spot, call) = self.call_text(ended)?;
        if call.arguments.iter().any(|argument| argument.is_spread) {
            return None;
        }
        self.found_by_value(spot, &call.arguments.get(index)?.value, &[], object)
    }

    /// An object was assigned, or reached by a loop, or taken out of a parameter.
    fn found_by(&self, spot: Spot, written: Written, object: u32) -> Option<Found> {
        match written {
            Written::Value { value, path } => self.found_by_value(spot, &value, &path, object),
            Written::Parameter { index, path, .. } if !path.is_empty() => {
                let call = spot.moment.call;
                let steps = self.keys_of(spot, &path)?;
                let passed = self
                    .call_of(call)
                    .and_then(|call| self.model.arguments_of(call)?.get(index)?.object());
                match (passed, steps.split_first()) {
                    (Some(passed), _) => {
                        let name = format!("arguments[{index}]");
                        Some(Found::In(spot, (passed.0, name), steps))
                    }
                    // An arrow function does not tell what it takes apart: the text of the call does.
                    (None, first) => {
                        let own = self.call_of(call)?;
                        if own.site != SiteId::NONE {
                            let (at, text) = self.caller_of(call)?;
                            let Handed::Arguments(first) = self.handed_over(at, &text, call)?
                            else {
                                return None;
                            };
                            let argument = &text.arguments.get(index + first)?.value;
                            return self.found_by_value(at, argument, &path, object);
                        }
                        let (Step::Key(key), rest) = first? else {
                            return None;
                        };
                        self.target_of_task(call)?;
                        let is_message = key == "data" && index == 0;
                        is_message.then(|| Found::InMessage(call, rest.to_vec()))
                    }
                }
            }
            Written::Element { of, path } => {
                let mut way = vec![PathStep::Iterated(self.passes(spot, &of)?)];
                way.extend(path);
                self.found_by_value(spot, &of, &way, object)
            }
            _ => None,
        }
    }

    /// An expression gave an object: where it was looked for.
    fn found_by_value(
        &self,
        spot: Spot,
        value: &Value,
        path: &[PathStep],
        object: u32,
    ) -> Option<Found> {
        let (base, name, steps) = match &value.form {
            Form::Reference(reference) => {
                let root = Reference {
                    root: reference.root.clone(),
                    steps: Vec::new(),
                };
                let name = self.reference_text(spot, &root);
                let base = self.reference_value(spot, reference, 0)?;
                (base, name, reference.steps.as_slice())
            }
            Form::Part { of, steps } => {
                let base = self.evaluated(spot, of, 0)?;
                (base, self.named(spot, of), steps.as_slice())
            }
            Form::Conditional { .. } | Form::Logical { .. } => {
                let chosen = self.chosen(spot, value)?.clone();
                return self.found_by_value(spot, &chosen, path, object);
            }
            _ => (
                self.evaluated(spot, value, 0)?,
                self.named(spot, value),
                &[][..],
            ),
        };
        let steps = steps.iter().cloned().map(PathStep::Into);
        let way: Vec<PathStep> = steps.chain(path.iter().cloned()).collect();
        let base = base.object()?.0;
        let steps = self.keys_of(spot, &way)?;
        (!steps.is_empty() && base != object).then_some(Found::In(spot, (base, name), steps))
    }

    /// An object was handed to a function: by the text of a call, or by a built-in that has it of a list.
    fn found_as_argument(&self, stream: u16, object: u32) -> Option<Found> {
        let number = self.given_first_to(stream, object)?;
        let call = *self.call_of(number)?;
        let passed = self.model.arguments_of(&call)?;
        let index = passed
            .iter()
            .position(|value| value.object().is_some_and(|id| id.0 == object))?;
        let (spot, text) = self.caller_of(number)?;
        match self.handed_over(spot, &text, number) {
            Some(Handed::Arguments(first)) => {
                let argument = text.arguments.get(index + first)?;
                (!argument.is_spread)
                    .then(|| self.found_by_value(spot, &argument.value, &[], object))?
            }
            Some(_) => None,
            None => {
                let method = text.method.as_deref()?;
                let step = self.last_at(call.site, Kind::Step, spot.moment)?;
                let made = self.calls_at(call.parent, call.site, step, call.enter);
                if index != 0 || !OF_EACH.contains(&method) {
                    return None;
                }
                let way = [PathStep::Iterated(made.len())];
                self.found_by_value(spot, text.receiver.as_ref()?, &way, object)
            }
        }
    }

    /// The text of the call that made a call of the log, and the moment of that.
    pub(super) fn caller_of(&self, number: u32) -> Option<(Spot, Box<Call>)> {
        let call = self.call_of(number)?;
        let (script, text) = self.call_text_at(call.site)?;
        let moment = Moment {
            stream: call.stream,
            call: call.parent,
            at: call.enter,
        };
        Some((Spot { script, moment }, text))
    }

    /// One step further back; whether there may be one.
    fn is_followed_back(&self) -> bool {
        /// How many objects are gone through, one in the other.
        const DEEPEST: u32 = 30;
        let depth = self.back.get() + 1;
        self.back.set(depth);
        depth <= DEEPEST
    }

    /// That step is done.
    fn went_back(&self) {
        self.back.set(self.back.get().saturating_sub(1));
    }
}
