//! What the browser hands to the traps of a proxy. The names of properties no call of the text hands over, a read or a
//! write does: only where one place alone of the code that ran can have called the trap, it is that one. A list of
//! arguments is made of those of the call.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Form, LoggedPlace, PropertyRead, Root, Value};
use js_analysis::position::ByteOffset;
use querypoint::answer::{EndKind, Hop, HopKind};

use super::{InLog, Moment, Next, Spot};

impl InLog<'_> {
    /// The name of the property that a trap was called for, which is its second argument.
    pub(super) fn name_of_trap(
        &self,
        number: u32,
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let call = *self.call_of(number)?;
        let Seen::String(text) = seen else {
            return None;
        };
        let text = self.model.text(call.stream, text.0).to_owned();
        if self.may_be_trap(number, "get") {
            let (script, read) = self.read_that_called(number, &text)?;
            let spot = Spot {
                script,
                moment: Moment {
                    stream: call.stream,
                    call: call.parent,
                    at: call.enter,
                },
            };
            return self.named_there(spot, (read.at, read.key), (name, seen), hops);
        }
        let written = self.event(call.exit.checked_add(1)?)?;
        let is_its = written.kind == Kind::Write && written.call == call.parent;
        if !is_its || !self.may_be_trap(number, "set") {
            return None;
        }
        let (
            script,
            LoggedPlace::Written {
                at, key, key_value, ..
            },
        ) = self.place(written.site)?
        else {
            return None;
        };
        let spot = Spot {
            script,
            moment: Moment {
                stream: call.stream,
                call: call.parent,
                at: call.enter,
            },
        };
        match (key, key_value) {
            (Some(key), _) if key == text => self.named_there(spot, (at, None), (name, seen), hops),
            (None, Some(value)) if self.key_text(spot, &value).as_deref() == Some(&text) => {
                self.named_there(spot, (at, Some(*value)), (name, seen), hops)
            }
            _ => None,
        }
    }

    /// An element of the list that the trap `apply` or `construct` was called with: the argument of the call.
    pub(super) fn of_trapped_call(
        &self,
        (stream, object): (u16, u32),
        (index, name): (usize, &str),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let number = self.given_first_to(stream, object)?;
        let passed = self.model.arguments_of(self.call_of(number)?)?;
        let is_list = |value: &Seen| value.object().is_some_and(|id| id.0 == object);
        let trap = match passed.iter().position(is_list)? {
            1 => "construct",
            2 => "apply",
            _ => return None,
        };
        let (spot, text) = self.caller_of(number)?;
        let callee = text.callee.as_ref()?;
        if !self.may_be_trap(number, trap) || self.is_function(spot, callee, number) {
            return None;
        }
        let mut before = text.arguments.iter().take(index + 1);
        let argument = text.arguments.get(index)?;
        if before.any(|argument| argument.is_spread) {
            return None;
        }
        let at = argument.value.span.start;
        let name = name.to_owned();
        hops.push(self.hop(HopKind::Proxy, spot.script, at, (stream, seen), name)?);
        Some(Next::Value {
            spot,
            value: Box::new(argument.value.clone()),
            way: Vec::new(),
            seen,
        })
    }

    /// The name is in the text, or an expression gives it.
    fn named_there(
        &self,
        spot: Spot,
        (at, key): (ByteOffset, Option<Value>),
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let name = name.to_owned();
        hops.push(self.hop(HopKind::Proxy, spot.script, at, (stream, seen), name)?);
        Some(match key {
            Some(value) => Next::Value {
                spot,
                seen: self.evaluated(spot, &value, 0).unwrap_or(seen),
                value: Box::new(value),
                way: Vec::new(),
            },
            None => {
                let detail = "a name in the text of the program".to_owned();
                self.ended_at(EndKind::Literal, spot.script, at, Some(detail))
            }
        })
    }

    /// The only read of a property in the code around that can have called the trap.
    fn read_that_called(&self, number: u32, text: &str) -> Option<(usize, PropertyRead)> {
        let call = *self.call_of(number)?;
        let around = self.call_of(call.parent)?;
        let (script, within) = self.function_text(around.function)?;
        let reads = self
            .sources
            .property_reads(self.home(script)?, within, text);
        let spot = Spot {
            script,
            moment: Moment {
                stream: call.stream,
                call: call.parent,
                at: call.enter,
            },
        };
        let mut found = reads.into_iter().filter(|read| {
            // Functions inside of it are others.
            let inner = self.innermost_function(script, read.at);
            let is_named = read.key.as_ref().is_none_or(|key| {
                let own = self.key_of(spot, key);
                own.map_or(!self.is_unset(spot, key), |own| {
                    own == Key::Property(text.to_owned())
                })
            });
            inner == Some(within) && is_named && self.may_be_its(spot, read, number)
        });
        let only = found.next()?;
        found.next().is_none().then_some((script, only))
    }

    /// Whether an expression is a variable that nothing was written to yet.
    fn is_unset(&self, spot: Spot, value: &Value) -> bool {
        let Form::Reference(reference) = &value.form else {
            return false;
        };
        match &reference.root {
            Root::Variable {
                name,
                at,
                is_declared: true,
            } => {
                let is_known = self.variables(spot, name, *at).is_some();
                is_known && self.variable(spot, name, *at).is_none()
            }
            _ => false,
        }
    }

    /// Whether what a property is read of may be the proxy that the trap is of.
    fn may_be_its(&self, spot: Spot, read: &PropertyRead, number: u32) -> bool {
        let passed = self
            .call_of(number)
            .and_then(|call| self.model.arguments_of(call))
            .unwrap_or_default();
        let Some(of) = self.evaluated(spot, &read.of, 0) else {
            return true;
        };
        let is_receiver = passed.get(2).and_then(|receiver| of.same(*receiver));
        let stream = spot.moment.stream;
        let target = of.object().and_then(|of| self.target_of(stream, of.0));
        let is_of_target = target
            .zip(passed.first())
            .and_then(|(target, passed)| target.same(*passed));
        is_receiver.or(is_of_target).unwrap_or_else(|| {
            of.object()
                .is_some_and(|of| self.class_of(stream, of.0) == "Proxy")
        })
    }
}
