//! Functions: what they returned, what they were handed over, getters, setters and traps.

use event_log::ids::{FunctionId, SiteId};
use event_log::model::{CallOutcome, Key, Kind, NONE};
use event_log::tables::FunctionKind;
use event_log::value::Value as Seen;
use js_analysis::origin::{
    Argument, Call, CallKind, Form, LoggedPlace, PathStep, Reference, Root, Step, Value, Written,
};
use js_analysis::position::ByteSpan;
use querypoint::answer::{EndKind, Hop, HopKind};

use super::{InLog, Moment, Next, Spot};

/// How many calls of one function are looked through for that of a getter.
const MOST_LOOKED_THROUGH: usize = 10_000;

impl InLog<'_> {
    /// The name of a function, without its class.
    fn own_name(&self, call: u32) -> Option<&str> {
        let function = self.call_of(call)?.function;
        let name = self.model.tables.function(function)?.name.as_str();
        Some(name.rsplit('.').next().unwrap_or(name))
    }

    fn function_kind(&self, call: u32) -> Option<FunctionKind> {
        let function = self.call_of(call)?.function;
        Some(self.model.tables.function(function)?.kind)
    }

    /// The key of which the function of a call is a getter (`true`) or a setter.
    fn accessor(&self, call: u32) -> Option<(String, bool)> {
        match self.function_kind(call)? {
            FunctionKind::Getter => Some((self.own_name(call)?.to_owned(), true)),
            FunctionKind::Setter => Some((self.own_name(call)?.to_owned(), false)),
            _ if matches!(self.own_name(call), Some("get" | "set")) => {
                let function = self.call_of(call)?.function;
                let (script, span) = self.function_text(function)?;
                let code = self.code(script)?;
                let (key, is_getter) = code.accessor(span.start)?;
                Some((key.to_owned(), is_getter))
            }
            _ => None,
        }
    }

    /// The script in which a function stands, and where.
    pub(super) fn function_text(&self, function: FunctionId) -> Option<(usize, ByteSpan)> {
        let behind = self
            .scripts
            .partition_point(|script| script.first.function <= function.0);
        let script = behind.checked_sub(1)?;
        let own = self.scripts.get(script)?;
        let index = function.0.checked_sub(own.first.function)?;
        Some((script, *own.functions.get(index as usize)?))
    }

    /// Whether what a call of the text names is the function of a call of the log.
    pub(super) fn is_function(&self, spot: Spot, callee: &Value, call: u32) -> bool {
        let Some(own) = self.call_of(call) else {
            return false;
        };
        if callee.form == Form::Literal {
            let script = self.scripts.get(spot.script);
            return script.is_some_and(|script| {
                let index = own.function.0.checked_sub(script.first.function);
                let span = index.and_then(|index| script.functions.get(index as usize));
                span.is_some_and(|span| {
                    callee.span.start <= span.start && span.end <= callee.span.end
                })
            });
        }
        if let Some(Seen::Function(id)) = self.evaluated(spot, callee, 0) {
            let object = self.model.object(spot.moment.stream, id.0);
            let function = object.map(|object| object.function).unwrap_or_default();
            return function.is_some() && function == own.function;
        }
        // A method that no write put there: of a class, of a literal.
        let last = match &callee.form {
            Form::Reference(reference) if is_of_language(reference) => None,
            Form::Reference(reference) => reference.steps.last(),
            Form::Part { steps, .. } => steps.last(),
            Form::Unknown(_) => {
                let text = self.text(spot, callee);
                let name = text.strip_prefix("super.");
                return name.is_some_and(|name| {
                    self.own_name(call) == Some(name)
                        && self.function_kind(call) == Some(FunctionKind::Method)
                });
            }
            _ => None,
        };
        let name = match last {
            Some(Step::Property(name) | Step::Key(name)) => name.clone(),
            Some(Step::Private(name)) => format!("#{name}"),
            _ => return false,
        };
        let is_method = matches!(
            self.function_kind(call),
            Some(FunctionKind::Method | FunctionKind::Function)
        );
        is_method && self.own_name(call) == Some(name.as_str()) && !is_callback_caller(&name)
    }

    /// The call of the function that a call of the text names; `None`: a built-in called functions, or none was.
    pub(super) fn direct(&self, spot: Spot, call: &Call, calls: &[u32]) -> Option<u32> {
        let &[only] = calls else { return None };
        match (&call.callee, call.kind) {
            (None, CallKind::Super) => Some(only),
            (Some(_), CallKind::New) => {
                (self.function_kind(only) == Some(FunctionKind::Constructor)).then_some(only)
            }
            (Some(callee), CallKind::Plain | CallKind::Tagged) => {
                let is_it = self.is_function(spot, callee, only)
                    || self.bound(spot, callee, only).is_some();
                is_it.then_some(only)
            }
            _ => None,
        }
    }

    /// A function returned.
    pub(super) fn returned(
        &self,
        number: u32,
        name: String,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown =
            || Next::unobserved(format!("which `return` of {name} ran is not in the log"));
        let Some(call) = self.call_of(number) else {
            return unknown();
        };
        let CallOutcome::Returned(value) = call.outcome else {
            return unknown();
        };
        let (stream, exit) = (call.stream, call.exit);
        let Some(event) = self.event(exit) else {
            return unknown();
        };
        if way.is_empty() && value.same(seen) == Some(false) {
            return Next::unobserved(format!("what {name} returned is not what was written"));
        }
        let (Some((script, (at, _, _))), Some((_, LoggedPlace::Return(returned)))) =
            (self.site(event.site), self.place(event.site))
        else {
            return unknown();
        };
        hops.extend(self.hop(HopKind::Return, script, *at, (stream, value), name.clone()));
        let Some(returned) = returned else {
            let detail = format!("{name} ends without a value");
            return Next::ended(EndKind::Literal, Some(detail));
        };
        let spot = Spot {
            script,
            moment: Moment {
                stream,
                call: number,
                at: exit,
            },
        };
        if way.is_empty() {
            return Next::Value {
                spot,
                value: Box::new(returned),
                way: Vec::new(),
                seen: value,
            };
        }
        let (next, _) = self.taken(spot, value, way, ".owner".to_owned(), seen, hops);
        next.unwrap_or_else(|| Next::unobserved(format!("what {name} returned is taken apart")))
    }

    /// The last call of a getter of an object, or of the trap of a proxy that read a key, and what it gave.
    pub(super) fn got(&self, spot: Spot, object: u32, key: &Key) -> Option<(u32, Seen)> {
        let Key::Property(key) = key else { return None };
        let Moment { stream, call, at } = spot.moment;
        let until = self.model.calls.partition_point(|call| call.enter < at);
        let before = (0..until).rev().take(MOST_LOOKED_THROUGH);
        for number in before {
            let number = u32::try_from(number).ok()?;
            let own = self.call_of(number)?;
            if own.parent != call || own.stream != stream {
                if number == call {
                    return None;
                }
                continue;
            }
            let CallOutcome::Returned(value) = own.outcome else {
                continue;
            };
            let is_of =
                |value: Option<Seen>| value.and_then(Seen::object).map(|id| id.0) == Some(object);
            let arguments = self.model.arguments_of(own).unwrap_or_default();
            let is_getter = is_of(Some(own.this))
                && self
                    .accessor(number)
                    .is_some_and(|(own, is_getter)| is_getter && own == *key);
            // A function that takes no receiver has the proxy's own target.
            let is_its = match arguments.get(2) {
                Some(receiver) => is_of(Some(*receiver)),
                None => self.target_of(stream, object).is_some_and(|target| {
                    arguments.first().map(|it| it.same(target)) == Some(Some(true))
                }),
            };
            let is_trap = self.own_name(number) == Some("get")
                && is_its
                && matches!(arguments.get(1), Some(Seen::String(id)) if self.model.text(stream, id.0) == key);
            if own.exit < at && (is_getter || is_trap) {
                return Some((number, value));
            }
        }
        None
    }

    /// The target of a proxy, as the call says that made it.
    pub(super) fn target_of(&self, stream: u16, proxy: u32) -> Option<Seen> {
        let (event, kind) = self.seen_first(stream, proxy)?;
        if !matches!(kind, Kind::CallEnd | Kind::Create) {
            return None;
        }
        let (script, LoggedPlace::Call(made)) = self.place(self.event(event)?.site)? else {
            return None;
        };
        if made.kind != CallKind::New || made.global.as_deref() != Some("Proxy") {
            return None;
        }
        let spot = Spot {
            script,
            moment: self.moment(event)?,
        };
        self.evaluated(spot, &made.arguments.first()?.value, 0)
    }

    /// A getter, or a proxy's trap, gave it.
    pub(super) fn by_getter(
        &self,
        number: u32,
        kind: HopKind,
        name: String,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let before = hops.len();
        let next = self.returned(number, name, &[], seen, hops);
        if let Some(hop) = hops.get_mut(before) {
            hop.kind = kind;
        }
        next
    }

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
        // That of an arrow function is that of the function around.
        let mut number = spot.moment.call;
        for _ in 0..100 {
            let call = self.call_of(number)?;
            if call.this != Seen::Unknown {
                break;
            }
            let own = self.model.scope(call.stream, call.scope)?;
            number = self.model.scope(call.stream, own.parent)?.call;
        }
        let call = self.call_of(number)?;
        let passed = self.model.arguments_of(call)?.get(index as usize).copied();
        let name = format!("arguments[{index}]");
        Some(match passed.map(|passed| passed.same(seen)) {
            Some(Some(true)) => self.parameter(number, index, name, &[], seen, hops),
            _ => Next::unobserved(format!("{name} may have been written since the call")),
        })
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
                return self.element_of(spot, &list, index, seen);
            }
            None => return self.by_callback(number, index, (name, way), spot, &text, seen, hops),
        };
        let index = index - first;
        let before = arguments.iter().take(index.saturating_add(1));
        if let Some(spread) = before.into_iter().position(|argument| argument.is_spread) {
            if spread + 1 != arguments.len() {
                return Next::unobserved("what is handed over by a spread is not followed");
            }
            let list = &arguments[spread].value;
            let stream = call.stream;
            hops.extend(self.hop(
                HopKind::Parameter,
                script,
                list.span.start,
                (stream, seen),
                name,
            ));
            return self.element_of(spot, list, index - spread, seen);
        }
        match arguments.get(index) {
            Some(argument) => self.argument(spot, argument, name, way, seen, hops),
            None => self.without_argument(number, index, (name, way), spot, &text, seen, hops),
        }
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
            let place = self
                .home(spot.script)
                .and_then(|home| self.sources.place_in(home, text.span.start));
            let detail = format!("the call hands over no argument {}", index + 1);
            return Next::End(querypoint::answer::End {
                kind: EndKind::Missing,
                location: place.map(|place| place.location),
                detail: Some(detail),
                operands: Vec::new(),
            });
        };
        let own = self.inside(number);
        let Some(own) = own else {
            return Next::unobserved("the default value of a parameter");
        };
        let at = default.span.start;
        let stream = own.moment.stream;
        hops.extend(self.hop(HopKind::Parameter, own.script, at, (stream, seen), name));
        Next::Value {
            spot: own,
            value: Box::new(default.clone()),
            way: rest.to_vec(),
            seen,
        }
    }

    /// Where the parameters of a call are filled.
    fn inside(&self, number: u32) -> Option<Spot> {
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
    fn handed_over<'c>(&self, spot: Spot, text: &'c Call, number: u32) -> Option<Handed<'c>> {
        if text.kind == CallKind::Super
            || text.kind == CallKind::New
                && self.function_kind(number) == Some(FunctionKind::Constructor)
        {
            return Some(Handed::Arguments(0));
        }
        let callee = text.callee.as_ref()?;
        if text.kind != CallKind::New && self.is_function(spot, callee, number) {
            return Some(Handed::Arguments(0));
        }
        if let (Some(receiver), Some(method)) = (&text.receiver, text.method.as_deref()) {
            let is_it = || self.is_function(spot, receiver, number);
            match method {
                "call" if is_it() => {
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
        self.bound(spot, callee, number)
    }

    /// A function that `bind` made is called.
    fn bound<'c>(&self, spot: Spot, callee: &Value, number: u32) -> Option<Handed<'c>> {
        let Seen::Function(id) = self.evaluated(spot, callee, 0)? else {
            return None;
        };
        let stream = spot.moment.stream;
        let (event, kind) = self.seen_first(stream, id.0)?;
        if kind != Kind::CallEnd {
            return None;
        }
        let (script, LoggedPlace::Call(bind)) = self.place(self.event(event)?.site)? else {
            return None;
        };
        let spot = Spot {
            script,
            moment: self.moment(event)?,
        };
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
        let set = self.accessor(number).filter(|(_, is_getter)| !is_getter);
        let is_setter = set.is_some() && index == 0;
        let is_trap = self.own_name(number) == Some("set") && index == 2;
        let written = self.event(call.exit.wrapping_add(1));
        if let Some(written) = written
            && (is_setter || is_trap)
            && written.kind == Kind::Write
            && written.call == call.parent
        {
            let key = self.model.keys.get(written.key as usize);
            let arguments = self.model.arguments_of(call).unwrap_or_default();
            let is_it = match (is_setter, key) {
                (true, Some(Key::Property(key))) => {
                    set.is_some_and(|(own, _)| own == *key)
                        && written.owner.same(call.this) == Some(true)
                }
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
                        at: call.exit.wrapping_add(1),
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
        Next::unobserved(
            "the function is called by no call of the text: what called it is not followed",
        )
    }
}

/// How arguments are handed over.
enum Handed<'c> {
    /// Those of the call, from this one on.
    Arguments(usize),
    /// The elements of a list.
    List(&'c Value),
    /// First those of the call of `bind`, behind its first, which are so many.
    Bound(Box<Call>, Spot, usize),
}

/// Whether a method of that name may be a built-in that calls functions.
fn is_callback_caller(name: &str) -> bool {
    const CALLERS: [&str; 27] = [
        "map",
        "filter",
        "forEach",
        "find",
        "findIndex",
        "findLast",
        "findLastIndex",
        "some",
        "every",
        "reduce",
        "reduceRight",
        "flatMap",
        "sort",
        "toSorted",
        "replace",
        "replaceAll",
        "from",
        "fromAsync",
        "then",
        "catch",
        "finally",
        "call",
        "apply",
        "bind",
        "groupBy",
        "dispatchEvent",
        "try",
    ];
    CALLERS.contains(&name)
}

/// Whether a reference is to a function of one of the language's own objects.
fn is_of_language(reference: &Reference) -> bool {
    const OBJECTS: [&str; 10] = [
        "Reflect", "Object", "Array", "JSON", "Promise", "Math", "Symbol", "Map", "Iterator",
        "Proxy",
    ];
    matches!(
        &reference.root,
        Root::Variable { name, is_declared: false, .. } if OBJECTS.contains(&name.as_str())
    )
}
