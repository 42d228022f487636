//! Methods that are called on another object: `Array.prototype.slice.call(list)`, and a proxy's trap that a built-in of
//! lists called.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Form, PathStep, Step, Value};
use querypoint::answer::{Hop, HopKind};

use super::moments::CameBack;
use super::{InLog, Next, Spot};

impl InLog<'_> {
    /// `object.method.call(list, …)` of a built-in method, as `list.method(…)`.
    pub(super) fn uncurried(&self, call: &Call, came: &CameBack) -> Option<Call> {
        let is_borrowed = call.kind == CallKind::Plain
            && call.method.as_deref() == Some("call")
            && came.calls.is_empty()
            && !call.arguments.iter().any(|argument| argument.is_spread);
        let method = method_of(call.receiver.as_ref()?).filter(|_| is_borrowed)?;
        let (on, arguments) = call.arguments.split_first()?;
        Some(Call {
            method: Some(method.to_owned()),
            receiver: Some(on.value.clone()),
            global: None,
            arguments: arguments.to_vec(),
            ..call.clone()
        })
    }

    /// `proxy.push(value)`, or `push.apply(proxy, list)`, called the trap `set` of a proxy: the argument that it was
    /// called for.
    pub(super) fn pushed_to_proxy(
        &self,
        number: u32,
        index: usize,
        spot: Spot,
        call: &Call,
        (seen, name): (Seen, String),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let own = self.call_of(number)?;
        if !self.may_be_trap(number, "set") || index != 2 || self.trap_key(number).is_none() {
            return None;
        }
        let step = self.last_at(own.site, Kind::Step, spot.moment)?;
        let before = self.calls_at(own.parent, own.site, step, own.enter);
        let pushed = before
            .iter()
            .filter(|&&earlier| {
                self.may_be_trap(earlier, "set") && self.trap_key(earlier).is_some()
            })
            .count();
        let stream = spot.moment.stream;
        match call.method.as_deref()? {
            "push" => {
                let argument = call.arguments.get(pushed)?;
                if call.arguments.iter().any(|argument| argument.is_spread) {
                    return None;
                }
                let at = argument.value.span.start;
                hops.extend(self.hop(HopKind::Proxy, spot.script, at, (stream, seen), name));
                Some(Next::Value {
                    spot,
                    value: Box::new(argument.value.clone()),
                    way: Vec::new(),
                    seen,
                })
            }
            "apply" if self.is_push(spot, call.receiver.as_ref()?) => {
                let list = &call.arguments.get(1).filter(|it| !it.is_spread)?.value;
                let at = list.span.start;
                hops.extend(self.hop(HopKind::Proxy, spot.script, at, (stream, seen), name));
                Some(self.element_of(spot, list, pushed, seen, hops))
            }
            _ => None,
        }
    }

    /// `Reflect.set(object, key, value)`, or `Object.assign(object, source)`, called a setter, or the trap `set` of a
    /// proxy: the value that it was called for.
    pub(super) fn set_by_built_in(
        &self,
        (number, index): (u32, usize),
        spot: Spot,
        call: &Call,
        (seen, name): (Seen, &str),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let own = self.call_of(number)?;
        let setter = self.accessor(number).filter(|(_, is_getter)| !is_getter);
        let (key, kind) = match (setter, index) {
            (Some((key, _)), 0) => (key, HopKind::Setter),
            (None, 2) if self.may_be_trap(number, "set") => {
                match self.model.arguments_of(own)?.get(1)? {
                    Seen::String(id) => {
                        (self.model.text(own.stream, id.0).to_owned(), HopKind::Proxy)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        if call.arguments.iter().any(|argument| argument.is_spread) {
            return None;
        }
        match call.global.as_deref()? {
            "Reflect.set" => {
                let value = &call.arguments.get(2)?.value;
                let at = value.span.start;
                hops.extend(self.hop(kind, spot.script, at, (own.stream, seen), name.to_owned()));
                Some(Next::Value {
                    spot,
                    value: Box::new(value.clone()),
                    way: Vec::new(),
                    seen,
                })
            }
            "Object.assign" => {
                // A source behind another one is copied behind it.
                let of_sources = call.arguments.get(1..)?.iter();
                let mut having = of_sources.filter_map(|source| {
                    let object = self.evaluated(spot, &source.value, 0)?;
                    let step = PathStep::Into(Step::Key(key.clone()));
                    let at = Key::Property(key.clone());
                    let has = self.read(spot, object.object()?.0, &at).is_some()
                        || self
                            .born_value(own.stream, object.object()?.0, &at)
                            .is_some();
                    has.then_some((source, object, step))
                });
                let (source, object, step) = having.next().filter(|_| having.next().is_none())?;
                let at = source.value.span.start;
                hops.extend(self.hop(kind, spot.script, at, (own.stream, seen), name.to_owned()));
                let name = self.named(spot, &source.value);
                self.taken(spot, object, &[step], name, seen, hops).0
            }
            _ => None,
        }
    }

    /// The index of the element that a trap was called for.
    fn trap_key(&self, number: u32) -> Option<usize> {
        let own = self.call_of(number)?;
        match self.model.arguments_of(own)?.get(1)? {
            Seen::String(id) => self.model.text(own.stream, id.0).parse().ok(),
            _ => None,
        }
    }

    /// Whether an expression is the method `push` of something, its key computed or not.
    fn is_push(&self, spot: Spot, method: &Value) -> bool {
        let step = match &method.form {
            Form::Reference(reference) => reference.steps.last(),
            Form::Part { steps, .. } => steps.last(),
            _ => None,
        };
        let key = step.and_then(|step| self.step_key(spot, step));
        key == Some(Key::Property("push".to_owned()))
    }
}

/// The name of the method that an expression reads.
fn method_of(value: &Value) -> Option<&str> {
    let step = match &value.form {
        Form::Reference(reference) => reference.steps.last(),
        Form::Part { steps, .. } => steps.last(),
        _ => None,
    };
    match step? {
        Step::Property(name) | Step::Key(name) => Some(name),
        _ => None,
    }
}
