//! Parameters: which argument of which call filled one, through `call`, `apply`, `bind`, a setter or a trap.

use event_log::ids::SiteId;
use event_log::model::{CallOutcome, Key, Kind, NONE};
use event_log::tables::FunctionKind;
use event_log::value::Value as Seen;
use js_analysis::origin::{
    Argument, Call, CallKind, Form, LoggedPlace, PathStep, Reference, Root, Step, Value, Written,
};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::functions::is_callback_caller;
use super::{InLog, Moment, Next, Spot};

impl InLog<'_> {
    /// `arguments[n]`, and an element of what `arguments` was copied to is not followed.
    pub(super) fn of_arguments(
        &self,
        spot: Spot,
        reference: &Reference,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let Root::Variable {
            name,
            is_declared: false,
            ..
        } = &reference.root
        else {
            return None;
        };
        if name != "arguments" || !way.is_empty() {
            return None;
        }
        let [step] = reference.steps.as_slice() else {
            return None;
        };
        let Some(Key::Property(key)) = self.step_key(spot, step) else {
            return None;
        };
        let index = key.parse().ok()?;
        let number = self.call_with_arguments(spot.moment.call)?;
        let call = self.call_of(number)?;
        let passed = self.model.arguments_of(call)?.get(index as usize).copied();
        let name = format!("arguments[{index}]");
        Some(match passed.map(|passed| passed.same(seen)) {
            Some(Some(true)) => self.parameter(number, index, name, &[], seen, hops),
            _ => Next::unobserved(format!("{name} may have been written since the call")),
        })
    }

    /// An element of a list that is `arguments` itself: `f.apply(this, arguments)`, `f(...arguments)`.
    pub(super) fn of_arguments_list(
        &self,
        spot: Spot,
        list: &Value,
        index: usize,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        if !is_arguments(list) {
            return None;
        }
        let Form::Reference(reference) = &list.form else {
            return None;
        };
        let element = Reference {
            root: reference.root.clone(),
            steps: vec![Step::Key(index.to_string())],
        };
        self.of_arguments(spot, &element, &[], seen, hops)
    }

    /// An element of an object that is the `arguments` of a call, by where that object was seen first.
    pub(super) fn of_arguments_object(
        &self,
        stream: u16,
        object: u32,
        (index, name): (usize, &str),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (event, kind) = self.seen_first(stream, object)?;
        let it = self.event(event)?;
        let assigned = match (kind, self.place(it.site)) {
            (Kind::Assign, Some((_, LoggedPlace::Written { written, .. }))) => {
                matches!(&written, Written::Value { value, path } if path.is_empty() && is_arguments(value))
            }
            _ => false,
        };
        let number = if assigned {
            it.call
        } else {
            let given = self.call_of(self.given_first_to(stream, object)?)?;
            let (_, call) = self.call_text_at(given.site)?;
            let mut arguments = call.arguments.iter();
            if !arguments.any(|argument| !argument.is_spread && is_arguments(&argument.value)) {
                return None;
            }
            given.parent
        };
        let number = self.call_with_arguments(number)?;
        let passed = *self.model.arguments_of(self.call_of(number)?)?.get(index)?;
        let number_of = u32::try_from(index).ok()?;
        (passed.same(seen) == Some(true))
            .then(|| self.parameter(number, number_of, name.to_owned(), &[], seen, hops))
    }

    /// A parameter was filled: with the argument `index` of a call, and in it what the way leads to.
    pub(super) fn parameter(
        &self,
        number: u32,
        index: u32,
        name: String,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let Some(call) = self.call_of(number) else {
            return Next::unobserved("the call is not in the log");
        };
        if let Some((spot, text)) = self.generator_made_at(number) {
            let handed = (index as usize, text.arguments.as_slice(), None);
            let given = (name, way);
            if let Some(next) = self.by_arguments(spot, handed, given, seen, hops) {
                return next;
            }
            return Next::unobserved("what was handed over to the generator is not in the log");
        }
        if call.site == SiteId::NONE {
            return self.without_call(number, index, name, way, seen, hops);
        }
        let Some((script, LoggedPlace::Call(text))) = self.place(call.site) else {
            return Next::unobserved("the text does not say who called the function");
        };
        let moment = Moment {
            stream: call.stream,
            call: call.parent,
            at: call.enter,
        };
        let spot = Spot { script, moment };
        let text = self.by_own_name(spot, &text).map_or(text, Box::new);
        let index = index as usize;
        if text.kind == CallKind::Tagged {
            let is_it = text
                .callee
                .as_ref()
                .is_some_and(|callee| self.is_function(spot, callee, number));
            return match (index.checked_sub(1), is_it) {
                (Some(hole), true) => match text.arguments.get(hole) {
                    Some(argument) => self.argument(spot, argument, name, way, seen, hops),
                    None => Next::unobserved("the template has no such hole"),
                },
                (None, true) => {
                    let detail = "the texts of a template".to_owned();
                    Next::ended(EndKind::Literal, Some(detail))
                }
                _ => Next::unobserved("what called the function is not followed"),
            };
        }
        let (arguments, first) = match self.handed_over(spot, &text, number) {
            Some(Handed::Arguments(first)) => (&text.arguments[first..], 0),
            Some(Handed::Bound(bound, bound_spot, count)) => {
                if index < count {
                    let argument = &bound.arguments[index + 1];
                    return self.argument(bound_spot, argument, name, way, seen, hops);
                }
                (text.arguments.as_slice(), count)
            }
            Some(Handed::List(list)) => {
                let list = list.clone();
                hops.extend(self.hop(
                    HopKind::Parameter,
                    script,
                    list.span.start,
                    (call.stream, seen),
                    name,
                ));
                return self.inside_element_of(spot, (&list, index), way, seen, hops);
            }
            None => return self.by_callback(number, index, (name, way), spot, &text, seen, hops),
        };
        let index = index - first;
        // An arrow function tells no more of them than it has parameters.
        let passed = self.model.arguments_of(call).map(<[Seen]>::len);
        let passed = passed.filter(|_| call.this != Seen::Unknown);
        let total = passed.and_then(|passed| passed.checked_sub(first));
        let given = (name.clone(), way);
        match self.by_arguments(spot, (index, arguments, total), given, seen, hops) {
            Some(next) => next,
            None => self.without_argument(number, index, (name, way), spot, &text, seen, hops),
        }
    }

    /// The argument `index` of those that a call of the text hands over, which may be spread; `None`: there are not so
    /// many. `total`: how many there were in all, if that is known.
    fn by_arguments(
        &self,
        spot: Spot,
        (index, arguments, total): (usize, &[Argument], Option<usize>),
        (name, way): (String, &[PathStep]),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let mut before = arguments.iter().take(index.saturating_add(1));
        if !before.any(|argument| argument.is_spread) {
            let argument = arguments.get(index)?;
            return Some(self.argument(spot, argument, name, way, seen, hops));
        }
        let parts: Vec<Option<&Argument>> = arguments.iter().map(Some).collect();
        Some(match self.part_at(spot, &parts, index, total) {
            Some((list, Some(index))) => {
                let at = list.value.span.start;
                let seen_there = (spot.moment.stream, seen);
                hops.extend(self.hop(HopKind::Parameter, spot.script, at, seen_there, name));
                self.inside_element_of(spot, (&list.value, index), way, seen, hops)
            }
            Some((argument, None)) => self.argument(spot, argument, name, way, seen, hops),
            None => Next::unobserved("which spread handed it over is not in the log"),
        })
    }

    /// The argument of a call that filled a parameter.
    fn argument(
        &self,
        spot: Spot,
        argument: &Argument,
        name: String,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let stream = spot.moment.stream;
        let at = argument.value.span.start;
        hops.extend(self.hop(HopKind::Parameter, spot.script, at, (stream, seen), name));
        // A default value of the pattern is evaluated in the function; the way says so by itself.
        Next::Value {
            spot,
            value: Box::new(argument.value.clone()),
            way: way.to_vec(),
            seen,
        }
    }

    /// A call hands over no such argument: the default value was taken, or nothing was.
    #[allow(
        clippy::too_many_arguments,
        reason = "what a parameter is, and the call"
    )]
    fn without_argument(
        &self,
        number: u32,
        index: usize,
        (name, way): (String, &[PathStep]),
        spot: Spot,
        text: &Call,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let Some((PathStep::Default(default), rest)) = way.split_first() else {
            let detail = format!("the call hands over no argument {}", index + 1);
            return self.ended_at(EndKind::Missing, spot.script, text.span.start, Some(detail));
        };
        let Some(own) = self.pattern.get().or_else(|| self.filled_in(number)) else {
            return Next::unobserved("the default value of a parameter");
        };
        let at = default.span.start;
        let stream = own.moment.stream;
        hops.extend(self.hop(HopKind::Parameter, own.script, at, (stream, seen), name));
        self.by_default(own, default, rest, seen)
    }

    /// Where the parameters of a call are filled.
    fn filled_in(&self, number: u32) -> Option<Spot> {
        let call = self.call_of(number)?;
        Some(Spot {
            script: self.function_text(call.function)?.0,
            moment: Moment {
                stream: call.stream,
                call: number,
                at: call.enter.saturating_add(1),
            },
        })
    }

    /// How a call of the text hands arguments over to a call of the log; `None`: a built-in calls it.
    pub(super) fn handed_over<'c>(
        &self,
        spot: Spot,
        text: &'c Call,
        number: u32,
    ) -> Option<Handed<'c>> {
        if text.kind == CallKind::Super
            || text.kind == CallKind::New
                && self.function_kind(number) == Some(FunctionKind::Constructor)
        {
            return Some(Handed::Arguments(0));
        }
        let callee = text.callee.as_ref()?;
        if self.is_function(spot, callee, number) {
            return Some(Handed::Arguments(0));
        }
        if let (Some(receiver), Some(method)) = (&text.receiver, text.method.as_deref()) {
            let is_it = || self.is_function(spot, receiver, number);
            match method {
                "call" if is_it() || self.is_called_on(spot, text, number) => {
                    let is_plain = text.arguments.first().is_some_and(|it| !it.is_spread);
                    return is_plain.then_some(Handed::Arguments(1));
                }
                "apply" if is_it() => {
                    let list = text.arguments.get(1)?;
                    let is_plain = !text.arguments.iter().any(|it| it.is_spread);
                    return is_plain.then_some(Handed::List(&list.value));
                }
                _ => {}
            }
        }
        if self.passes_on(spot, text, number) {
            return Some(Handed::Arguments(0));
        }
        self.bound(spot, callee, number)
    }

    /// Whether a call of the text whose function is not known handed over just what a call of the log was passed: then
    /// it is that call, or one that hands all on as it is. A number or nothing at all may be the same by chance, so an
    /// argument, or what the function returned, must be an object or a text.
    pub(super) fn passes_on(&self, spot: Spot, text: &Call, number: u32) -> bool {
        let Some(callee) = &text.callee else {
            return false;
        };
        let is_named = match &callee.form {
            Form::Reference(reference) => reference.steps.last(),
            Form::Part { steps, .. } => steps.last(),
            Form::Conditional { .. } | Form::Logical { .. } => None,
            _ => return false,
        };
        // A computed name may be that of such a built-in, too.
        let may_call_back = match is_named {
            Some(Step::Property(name) | Step::Key(name)) => is_callback_caller(name),
            Some(step @ Step::Computed { .. }) => match self.step_key(spot, step) {
                Some(Key::Property(name)) => is_callback_caller(&name),
                _ => true,
            },
            _ => false,
        };
        text.kind == CallKind::Plain
            && !may_call_back
            && self.may_be_any(spot, callee)
            && self.is_passed(spot, &text.arguments, number)
    }

    /// Whether `f.call(object, …)` called a function that nothing says to be `f`: which one `f` is, is not known (a
    /// method or getter of a class that was read from its description), and the arguments and what it returned are
    /// those of that function, and tell it from others.
    pub(super) fn is_called_on(&self, spot: Spot, text: &Call, number: u32) -> bool {
        let is_unknown = |callee: &Value| {
            let Some(Seen::Function(id)) = self.evaluated(spot, callee, 0) else {
                return false;
            };
            let object = self.model.object(spot.moment.stream, id.0);
            object.is_none_or(|object| !object.function.is_some())
        };
        let is_on_object = |object: &Argument| {
            let on = self.evaluated(spot, &object.value, 0);
            let own = self.call_of(number).map(|call| call.this);
            on.zip(own)
                .is_none_or(|(on, own)| on.same(own) != Some(false))
        };
        text.method.as_deref() == Some("call")
            && text.receiver.as_ref().is_some_and(is_unknown)
            && text
                .arguments
                .split_first()
                .is_some_and(|(object, arguments)| {
                    !object.is_spread
                        && is_on_object(object)
                        && self.is_passed(spot, arguments, number)
                })
    }

    /// Whether a call of the log was passed just these arguments. A number or nothing at all may be the same by chance,
    /// so an argument, or what the function returned, must be an object or a text.
    pub(super) fn is_passed(&self, spot: Spot, arguments: &[Argument], number: u32) -> bool {
        let passed = self
            .call_of(number)
            .and_then(|call| self.model.arguments_of(call));
        let given = self.one_by_one(spot, arguments);
        let (Some(passed), Some(given)) = (passed, given) else {
            return false;
        };
        if passed.len() != given.len() {
            return false;
        }
        let tells = |value: &Seen| {
            value.object().is_some()
                || matches!(
                    value,
                    Seen::LongString { .. } | Seen::Symbol(_) | Seen::BigInt(_)
                )
                || matches!(value, Seen::String(id) if id.0 != 0)
        };
        let returned = match self.call_of(number).map(|call| call.outcome) {
            Some(CallOutcome::Returned(value)) => Some(value),
            _ => None,
        };
        let mut pairs = given.iter().zip(passed);
        passed.iter().chain(&returned).any(tells)
            && pairs.all(|(given, passed)| match given.value {
                Some(value) => value.same(*passed) == Some(true),
                None => given.element.is_none() && given.argument.value.form == Form::Literal,
            })
    }

    /// Whether what is called is not known, or is what `bind` made of a function and an object.
    fn may_be_any(&self, spot: Spot, callee: &Value) -> bool {
        let Some(called) = self.evaluated(spot, callee, 0) else {
            return true;
        };
        let Seen::Function(id) = called else {
            return false;
        };
        let made = self.first_given_by(spot.moment.stream, id.0);
        made.is_some_and(|(_, _, call)| {
            call.method.as_deref() == Some("bind") && call.arguments.len() <= 1
        })
    }

    /// A function that `bind` made is called.
    pub(super) fn bound<'c>(&self, spot: Spot, callee: &Value, number: u32) -> Option<Handed<'c>> {
        let Seen::Function(id) = self.evaluated(spot, callee, 0)? else {
            return None;
        };
        let stream = spot.moment.stream;
        let (_, spot, bind) = self.first_given_by(stream, id.0)?;
        let is_bind = bind.method.as_deref() == Some("bind")
            && self.is_function(spot, bind.receiver.as_ref()?, number)
            && !bind.arguments.iter().any(|it| it.is_spread);
        let count = bind.arguments.len().saturating_sub(1);
        is_bind.then_some(Handed::Bound(bind, spot, count))
    }

    /// Nothing in the text calls the function: a setter, a trap, a reaction, or the browser called it.
    fn without_call(
        &self,
        number: u32,
        index: u32,
        name: String,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let Some(call) = self.call_of(number) else {
            return Next::unobserved("the call is not in the log");
        };
        if call.parent == NONE {
            return self.by_browser(number, index, (name, way), seen, hops);
        }
        let written = self.event(call.exit.wrapping_add(1));
        let key = written.and_then(|written| self.model.keys.get(written.key as usize));
        let is_setter =
            index == 0 && matches!(key, Some(Key::Property(key)) if self.is_setter_of(number, key));
        let is_trap = self.may_be_trap(number, "set") && index == 2;
        if let Some(written) = written
            && (is_setter || is_trap)
            && written.kind == Kind::Write
            && written.call == call.parent
        {
            let arguments = self.model.arguments_of(call).unwrap_or_default();
            let is_it = match (is_setter, key) {
                (true, _) => written.owner.same(call.this) == Some(true),
                (false, Some(Key::Property(_))) => {
                    arguments.get(3).map(|it| it.same(written.owner)) == Some(Some(true))
                }
                _ => false,
            };
            let kind = match is_setter {
                true => HopKind::Setter,
                false => HopKind::Proxy,
            };
            if is_it
                && let Some((script, LoggedPlace::Written { written: what, .. })) =
                    self.place(written.site)
                && let Written::Value { value, path } = what
                && path.is_empty()
            {
                let at = value.span.start;
                hops.extend(self.hop(kind, script, at, (call.stream, seen), name));
                let spot = Spot {
                    script,
                    moment: Moment {
                        stream: call.stream,
                        call: call.parent,
                        // What is assigned was evaluated before.
                        at: call.enter,
                    },
                };
                return Next::Value {
                    spot,
                    value: Box::new(value),
                    way: way.to_vec(),
                    seen,
                };
            }
        }
        let named = (index == 1 && way.is_empty())
            .then(|| self.name_of_trap(number, (&name, seen), hops))
            .flatten();
        named.unwrap_or_else(|| {
            Next::unobserved(
                "the function is called by no call of the text: what called it is not followed",
            )
        })
    }
}

/// How arguments are handed over.
pub(super) enum Handed<'c> {
    /// Those of the call, from this one on.
    Arguments(usize),
    /// The elements of a list.
    List(&'c Value),
    /// First those of the call of `bind`, behind its first, which are so many.
    Bound(Box<Call>, Spot, usize),
}

/// Whether an expression is `arguments`.
pub(super) fn is_arguments(value: &Value) -> bool {
    matches!(
        &value.form,
        Form::Reference(reference) if reference.steps.is_empty() && matches!(
            &reference.root,
            Root::Variable { name, is_declared: false, .. } if name == "arguments"
        )
    )
}
