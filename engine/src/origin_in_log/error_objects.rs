//! What an error holds that no script wrote: its message and its cause, as its constructor was given them.

use event_log::model::{Key, plain_text};
use event_log::record::MESSAGE;
use event_log::value::Value as Seen;
use js_analysis::origin::{Argument, Call, CallKind, PathStep, Step};
use querypoint::answer::{Hop, HopKind};

use super::writes::{Target, Write};
use super::{InLog, Next, Spot};

impl InLog<'_> {
    /// What the log told of the message of an error, where no script wrote it.
    pub(super) fn message_of(&self, stream: u16, object: u32, key: &Key, at: u32) -> Option<Write> {
        let is_message = matches!(key, Key::Property(name) if name == "message");
        let inner = Key::Property(MESSAGE.to_owned());
        is_message.then(|| self.property(stream, object, &inner, at))?
    }

    /// The message of an error: what its constructor was given; `None`: the write is of something else.
    pub(super) fn of_error_message(
        &self,
        write: &Write,
        name: &str,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let Target::Key { object, key, .. } = write.target else {
            return None;
        };
        if self.model.keys.get(key as usize)? != &Key::Property(MESSAGE.to_owned()) {
            return None;
        }
        let unknown = || Next::unobserved(format!("no write of {name} is in the log"));
        let given = self.given_to_error(write.stream, object);
        let Some((event, spot, call)) = given else {
            return Some(unknown());
        };
        // `new AggregateError(errors, message)`, `Error.call(this, message)`
        let is_behind = call.global.as_deref() == Some("AggregateError") || is_called_on(&call);
        let number = usize::from(is_behind);
        let passed = self.given_at(event, number).unwrap_or(Seen::Unknown);
        let text = |value| plain_text(self.model, write.stream, value);
        let is_unsure = passed == Seen::Unknown && is_called_on(&call);
        if is_unsure || passed != Seen::Unknown && text(passed) != text(write.value) {
            return Some(unknown());
        }
        let hop = (write.stream, write.value);
        let at = call.span.start;
        hops.extend(self.hop(HopKind::Property, spot.script, at, hop, name.to_owned()));
        let parts: Vec<Option<&Argument>> = call.arguments.iter().map(Some).collect();
        let seen = match passed {
            Seen::Unknown => write.value,
            passed => passed,
        };
        Some(match self.part_at(spot, &parts, number, None) {
            Some((part, Some(index))) => self.element_of(spot, &part.value, index, seen, hops),
            Some((part, None)) => Next::Value {
                spot,
                value: Box::new(part.value.clone()),
                way: Vec::new(),
                seen,
            },
            None => unknown(),
        })
    }

    /// What an error was made with as its cause.
    pub(super) fn cause_of(&self, stream: u16, error: u32) -> Option<Seen> {
        let (event, spot, call) = self.given_to_error(stream, error)?;
        let options = self.given_at(event, options_of(&call))?.object()?;
        let key = Key::Property("cause".to_owned());
        let write = self.property(stream, options.0, &key, spot.moment.at)?;
        Some(write.value)
    }

    /// The cause of an error: what its constructor was given; `None`: the object is no such error.
    pub(super) fn of_cause(
        &self,
        (stream, error): (u16, u32),
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (event, spot, call) = self.given_to_error(stream, error)?;
        let number = options_of(&call);
        let options = self.given_at(event, number)?;
        options.object()?;
        let argument = call.arguments.get(number).filter(|it| !it.is_spread)?;
        let at = call.span.start;
        hops.extend(self.hop(
            HopKind::Property,
            spot.script,
            at,
            (stream, seen),
            name.to_owned(),
        ));
        let way = [PathStep::Into(Step::Key("cause".to_owned()))];
        let name = self.named(spot, &argument.value);
        self.taken(spot, options, &way, name, seen, hops).0
    }

    /// The call of the built-in constructor that made an error: by itself, by `new`, by the `super` of a class, or of
    /// one without `class`, as compilers write it.
    fn given_to_error(&self, stream: u16, error: u32) -> Option<(u32, Spot, Box<Call>)> {
        let found = self.first_given_by(stream, error)?;
        let (event, _, call) = &found;
        let by_name = call.global.as_deref();
        let is_named = by_name.is_some_and(|name| name.ends_with("Error"));
        let is_made = is_named || matches!(call.kind, CallKind::New | CallKind::Super);
        let called = || {
            let came = self.came_back_at(self.event(*event)?.site, *event)?;
            Some(is_called_on(call) && came.calls.is_empty())
        };
        (is_made || called() == Some(true)).then_some(found)
    }
}

/// Whether it is `constructor.call(…)`.
fn is_called_on(call: &Call) -> bool {
    call.kind == CallKind::Plain && call.method.as_deref() == Some("call")
}

/// Which argument of the constructor has the options.
fn options_of(call: &Call) -> usize {
    match call.global.as_deref() {
        Some("AggregateError") => 2,
        _ if is_called_on(call) => 2,
        _ => 1,
    }
}
