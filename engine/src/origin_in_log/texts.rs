//! Texts of `JSON.stringify`: what is read of such a text is a part of the object that it was made of.

use event_log::model::CallOutcome;
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, PathStep, Step, Value};
use querypoint::answer::{Hop, HopKind, Value as Preview, ValueType};

use super::moments::CameBack;
use super::{InLog, Next, Spot};

/// What is followed in a text.
#[derive(Clone, Debug)]
pub(super) struct InsideText {
    /// The keys that lead to it, in what `JSON.parse` made of the text; `None`: these are not known.
    way: Option<Vec<Step>>,
    /// What is there.
    value: Preview,
}

impl InLog<'_> {
    /// From here on a text is followed, and in it what a way leads to.
    pub(super) fn enter_text(&self, way: Option<Vec<Step>>, value: Preview) {
        self.inside_texts
            .borrow_mut()
            .push(InsideText { way, value });
    }

    /// `JSON.stringify(object)`: the part of the object that is followed in the text.
    pub(super) fn stringified(
        &self,
        spot: Spot,
        value: &Value,
        call: &Call,
        came: &CameBack,
        of: &Value,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let inside = self.inside_texts.borrow_mut().pop();
        let is_whole = |inside: &InsideText| inside.way.as_ref().is_some_and(Vec::is_empty);
        let Some(inside) = inside.filter(|inside| !is_whole(inside)) else {
            let next = self.passed_on(HopKind::Json, spot, value, of, hops);
            return next.unwrap_or_else(|| self.computed(spot, value, &[of]));
        };
        let Some(inside_way) = inside.way else {
            return Next::unobserved("which part of the text it was is not in the log");
        };
        let may_replace = call.arguments.get(1).is_some_and(|replacer| {
            replacer.is_spread
                || !matches!(
                    self.evaluated(spot, &replacer.value, 0),
                    Some(Seen::Null | Seen::Undefined)
                )
        });
        let name = self.named(spot, of);
        let source = self.evaluated(spot, of, 0);
        if may_replace || !came.calls.is_empty() {
            let next = source.and_then(|source| {
                let whole = (value, source, name.as_str());
                self.replaced(spot, whole, (&inside_way, &inside.value), came, hops)
            });
            let why = "a replacer or `toJSON` may have made that part of the text";
            return next.unwrap_or_else(|| Next::unobserved(why));
        }
        let part =
            source.and_then(|source| Some((source, self.behind(spot, source, &inside_way)?)));
        let way: Vec<PathStep> = inside_way.into_iter().map(PathStep::Into).collect();
        let Some((source, part)) = part else {
            return Next::unobserved(format!("what is in `{name}` is not in the log"));
        };
        let stream = spot.moment.stream;
        let shown = self.shown(stream, part);
        let is_object = |value: &Preview| value.kind == ValueType::Object && value.text != "null";
        if shown != inside.value && !(is_object(&shown) && is_object(&inside.value)) {
            return Next::unobserved("what the text was made of has another value in the log");
        }
        let whole = self.with_way(spot, &name, &way);
        let at = value.span.start;
        hops.extend(self.hop(HopKind::Json, spot.script, at, (stream, part), whole));
        let (next, _) = self.taken(spot, source, &way, name, part, hops);
        next.unwrap_or_else(|| Next::unobserved("the part of the text is of no object"))
    }

    /// The same where functions of the page were called for parts of the object: the text has what `toJSON` of an
    /// object, or a replacer, returned instead.
    fn replaced(
        &self,
        spot: Spot,
        (at, source, name): (&Value, Seen, &str),
        (way, wanted): (&[Step], &Preview),
        came: &CameBack,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let mut current = source;
        // The last call that gave another value, and how much of the way was gone then.
        let mut last: Option<(u32, usize)> = None;
        let mut from = 0;
        for gone in 0..=way.len() {
            let key = match gone.checked_sub(1).and_then(|index| way.get(index)) {
                Some(step @ (Step::Key(key) | Step::Property(key))) => {
                    current = self.behind(spot, current, std::slice::from_ref(step))?;
                    key.as_str()
                }
                Some(_) => return None,
                None => "",
            };
            let called = |is_json: bool, current: Seen, from: u32| {
                let mut own = came.calls.iter().copied().filter(|&number| {
                    let is_later = self.call_of(number).is_some_and(|call| call.enter >= from);
                    is_later
                        && match is_json {
                            true => self.is_json_of(number, current, key),
                            false => self.is_replacer_of(number, current, key),
                        }
                });
                let only = own.next();
                (only, own.next().is_none())
            };
            for is_json in [true, false] {
                let (only, is_only) = called(is_json, current, from);
                let Some(number) = only else { continue };
                let call = self.call_of(number).filter(|_| is_only)?;
                let CallOutcome::Returned(given) = call.outcome else {
                    return None;
                };
                from = call.exit;
                if given.same(current) != Some(true) {
                    last = Some((number, gone));
                    current = given;
                }
            }
        }
        let shown = self.shown(stream, current);
        let is_object = |value: &Preview| value.kind == ValueType::Object && value.text != "null";
        if shown != *wanted && !(is_object(&shown) && is_object(wanted)) {
            return None;
        }
        let steps = |way: &[Step]| way.iter().cloned().map(PathStep::Into).collect::<Vec<_>>();
        let whole = self.with_way(spot, name, &steps(way));
        let start = at.span.start;
        hops.extend(self.hop(HopKind::Json, spot.script, start, (stream, current), whole));
        match last {
            Some((call, gone)) => Some(Next::Return {
                call,
                name: self.with_way(spot, name, &steps(way.get(..gone)?)),
                way: steps(way.get(gone..)?),
                seen: current,
            }),
            None => {
                let name = name.to_owned();
                self.taken(spot, source, &steps(way), name, current, hops).0
            }
        }
    }

    /// Whether a call is that of `toJSON` of an object, for a key.
    fn is_json_of(&self, number: u32, of: Seen, key: &str) -> bool {
        self.call_of(number).is_some_and(|call| {
            let is_on = of.object().is_some() && call.this.same(of) == Some(true);
            is_on && self.own_name(number) == Some("toJSON") && self.is_given_key(number, key)
        })
    }

    /// Whether a call is that of a replacer, for a value under a key.
    fn is_replacer_of(&self, number: u32, value: Seen, key: &str) -> bool {
        self.call_of(number).is_some_and(|call| {
            let given = self.model.arguments_of(call).and_then(|given| given.get(1));
            given.is_some_and(|given| given.same(value) == Some(true))
                && self.is_given_key(number, key)
        })
    }

    /// Whether the first argument of a call is this key, if the call has one.
    fn is_given_key(&self, number: u32, key: &str) -> bool {
        let Some(call) = self.call_of(number) else {
            return false;
        };
        match self
            .model
            .arguments_of(call)
            .and_then(|given| given.first())
        {
            Some(Seen::String(id)) => self.model.text(call.stream, id.0) == key,
            Some(_) => false,
            None => true,
        }
    }
}
