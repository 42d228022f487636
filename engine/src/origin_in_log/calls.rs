//! Calls whose value was written: functions of the page, and what is known of built-ins.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Form, PathStep, Value};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::moments::CameBack;
use super::operands::Ended;
use super::writes::Write;
use super::{InLog, Next, Spot};
use crate::origin::{KEEPING, end_of_built_in, passed_on_by};

/// Methods of the language's objects that compute with all that the object holds.
const COMPUTING: [&str; 23] = [
    "join",
    "indexOf",
    "lastIndexOf",
    "includes",
    "findIndex",
    "findLastIndex",
    "some",
    "every",
    "has",
    "test",
    "toString",
    "toLocaleString",
    "toISOString",
    "toDateString",
    "toLocaleDateString",
    "toLocaleTimeString",
    "toTimeString",
    "toJSON",
    "getTime",
    "valueOf",
    "format",
    "hasOwnProperty",
    "isPrototypeOf",
];

/// Methods that built-in numbers have and built-in objects have not: what they are called on is a number, known or not.
const OF_NUMBERS: [&str; 3] = ["toFixed", "toPrecision", "toExponential"];

impl InLog<'_> {
    /// Where the value of a call comes from.
    pub(super) fn call(
        &self,
        spot: Spot,
        value: &Value,
        call: &Call,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let name = match &call.callee {
            Some(callee) => self.named(spot, callee),
            None => "super".to_owned(),
        };
        let Some(came) = self.came_back(spot, call) else {
            return Next::unobserved(format!("no call of {name} is in the log there"));
        };
        if way.is_empty() && came.value.same(seen) == Some(false) {
            return Next::unobserved(format!("what {name} gave last is another value"));
        }
        if came.is_skipped() {
            let detail = format!("{name} was not called: something before a `?.` has no value");
            return self.ended(EndKind::Missing, spot, value, Some(detail));
        }
        let by_own_name = self.by_own_name(spot, call);
        let call = by_own_name.as_ref().unwrap_or(call);
        if let Some(direct) = self.direct(spot, call, &came.calls)
            && matches!(call.kind, CallKind::Plain | CallKind::Tagged)
        {
            let function = self.call_of(direct).map(|call| call.function);
            let function = function.and_then(|it| self.model.tables.function(it));
            let is_resumed = function.is_some_and(|it| it.is_async || it.is_generator);
            if !is_resumed {
                return Next::Return {
                    call: direct,
                    name,
                    way: way.to_vec(),
                    seen,
                };
            }
            if way.is_empty() {
                let what = match function.is_some_and(|it| it.is_generator) {
                    true => "the generator",
                    false => "the promise",
                };
                let detail = format!("{what} that the call of {name} made");
                return self.ended(EndKind::Literal, spot, value, Some(detail));
            }
        }
        let is_new = call.kind == CallKind::New;
        if is_new && way.is_empty() && call.global.is_none() {
            let detail = format!("an object that `new {name}` made");
            return self.ended(EndKind::Literal, spot, value, Some(detail));
        }
        if call.kind == CallKind::Tagged && call.global.as_deref() == Some("String.raw") {
            let operands: Vec<&Value> = call.arguments.iter().map(|it| &it.value).collect();
            return self.computation(spot, value, &operands, hops);
        }
        if call.kind == CallKind::Plain || is_new {
            let by_name = self.as_method_call(spot, call, &came.calls);
            let call = by_name.as_ref().unwrap_or(call);
            return self.built_in(spot, value, call, &came, way, seen, hops);
        }
        Next::unobserved(format!("what `{name}` gives is not followed"))
    }

    /// What a function of the browser gives, or one without hooks.
    #[allow(clippy::too_many_arguments, reason = "a call, and what is asked of it")]
    fn built_in(
        &self,
        spot: Spot,
        value: &Value,
        call: &Call,
        came: &CameBack,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let text = || Some(self.text(spot, value));
        let global = call.global.as_deref().unwrap_or_default();
        if way.is_empty()
            && let Some(next) = self.of_storage(spot, value, call, seen, hops)
        {
            return next;
        }
        if let Some(kind) = end_of_built_in(global, !call.arguments.is_empty()) {
            return self.ended(kind, spot, value, text());
        }
        if !way.is_empty() {
            // What it made is taken apart: its elements say who wrote them.
            let name = self.text(spot, value);
            let (next, _) = self.taken(spot, came.value, way, name, seen, hops);
            return next
                .unwrap_or_else(|| Next::unobserved("what a built-in gives is taken apart"));
        }
        let is_new = call.kind == CallKind::New;
        let first = call.arguments.first().filter(|it| !it.is_spread);
        if global == "JSON.stringify"
            && let Some(first) = first
        {
            return self.stringified(spot, value, call, came, &first.value, hops);
        }
        if let (Some(kind), Some(first)) = (passed_on_by(global, is_new), first) {
            if global == "JSON.parse" {
                self.enter_text(Some(Vec::new()), self.shown(spot.moment.stream, seen));
            }
            let others = call.arguments.iter().skip(1);
            if others.into_iter().all(|it| it.value.is_constant()) {
                let next = self.passed_on(kind, spot, value, &first.value, hops);
                return next.unwrap_or_else(|| self.computed(spot, value, &[&first.value]));
            }
            return self.ended(EndKind::Computation, spot, value, text());
        }
        let method = call.method.as_deref().unwrap_or_default();
        if let Some(next) = self.given_by_list(spot, value, call, came, seen, hops) {
            return next;
        }
        let of_host = match method {
            "get" => self.of_parameters(spot, call, seen, hops),
            "getAttribute" => self.of_attribute(spot, call, seen, hops),
            "decode" | "encode" => self.of_coder(spot, value, call, hops),
            _ => self.of_date(spot, value, call),
        };
        if let Some(next) = of_host {
            return next;
        }
        let receiver = call.receiver.as_ref();
        if let Some(receiver) = receiver {
            let of = self.evaluated(spot, receiver, 0);
            let is_primitive = of.is_some_and(|of| of.object().is_none() && of != Seen::Unknown)
                || receiver.form == Form::Literal
                || OF_NUMBERS.contains(&method);
            if is_primitive {
                if KEEPING.contains(&method)
                    && call.arguments.iter().all(|it| it.value.is_constant())
                {
                    let next = self.passed_on(HopKind::Conversion, spot, value, receiver, hops);
                    return next.unwrap_or_else(|| self.computed(spot, value, &[receiver]));
                }
                if came.calls.is_empty() && self.is_left_as_it_is(of, came.value) {
                    let next = self.passed_on(HopKind::Conversion, spot, value, receiver, hops);
                    return next.unwrap_or_else(|| self.computed(spot, value, &[receiver]));
                }
                let arguments = call.arguments.iter().map(|argument| &argument.value);
                let operands: Vec<&Value> = std::iter::once(receiver).chain(arguments).collect();
                // What is looked for gives nothing of the text.
                let mut others = operands.iter().enumerate().filter(|(index, _)| *index != 1);
                if matches!(method, "replace" | "replaceAll")
                    && others.all(|(_, it)| it.is_constant())
                {
                    return self.computed(spot, value, &operands);
                }
                return self.computation(spot, value, &operands, hops);
            }
        }
        if global.starts_with("Math.") || global.starts_with("Date") || global.starts_with("Intl") {
            let arguments = call.arguments.iter().map(|argument| &argument.value);
            let operands: Vec<&Value> = arguments.collect();
            return self.computation(spot, value, &operands, hops);
        }
        if matches!(global, "eval" | "String.raw") {
            let arguments = call.arguments.iter().map(|argument| &argument.value);
            let operands: Vec<&Value> = arguments.collect();
            return self.computed(spot, value, &operands);
        }
        if let Some(next) = self.by_own_getter(spot, call, seen, hops) {
            return next;
        }
        if global == "Reflect.get" {
            return self.reflected(spot, call, seen, hops);
        }
        // All other elements of a list may be without a text.
        let whole = || match came.value {
            Seen::String(id) if id.0 != 0 => {
                Some(self.model.text(spot.moment.stream, id.0).to_owned())
            }
            _ => None,
        };
        if method == "join"
            && let Some(wanted) = self.looked_for().or_else(whole)
            && let Some(next) = self.part_of_joined(spot, value, call, &wanted, hops)
        {
            return next;
        }
        if COMPUTING.contains(&method) {
            let arguments = call.arguments.iter().map(|argument| &argument.value);
            let operands: Vec<&Value> = call.receiver.iter().chain(arguments).collect();
            return self.computed(spot, value, &operands);
        }
        if global.starts_with("document.") {
            return self.ended(EndKind::Browser, spot, value, text());
        }
        let text = self.text(spot, value);
        Next::unobserved(format!(
            "what the built-in of `{text}` gives is not followed"
        ))
    }

    /// `new TextDecoder().decode(bytes)`, and `encode`: the text in another form.
    fn of_coder(
        &self,
        spot: Spot,
        value: &Value,
        call: &Call,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let coder = self.evaluated(spot, call.receiver.as_ref()?, 0)?.object()?;
        let class = self.class_of(spot.moment.stream, coder.0);
        let given = &call.arguments.first().filter(|it| !it.is_spread)?.value;
        matches!(class, "TextDecoder" | "TextEncoder")
            .then(|| self.passed_on(HopKind::Conversion, spot, value, given, hops))?
    }

    /// Whether a method of a text left it as it is: an escape of what needs none, a part that is the whole.
    fn is_left_as_it_is(&self, of: Option<Seen>, made: Seen) -> bool {
        match (of, made) {
            (Some(of @ Seen::String(id)), Seen::String(_)) => {
                id.0 != 0 && of.same(made) == Some(true)
            }
            _ => false,
        }
    }

    /// A computation that is followed no further.
    pub(super) fn computed(&self, spot: Spot, value: &Value, operands: &[&Value]) -> Next {
        let place = self
            .home(spot.script)
            .and_then(|home| self.sources.place_in(home, value.span.start));
        let operands = operands.iter().map(|operand| (spot, *operand));
        let offered = self.offered(spot, operands, &[]);
        let location = place.map(|place| place.location);
        let ended = Ended::computed(location, self.text(spot, value), offered);
        Next::End(ended.made_at(spot.script, value.span.start))
    }

    /// `Reflect.get(object, key)`; with a third argument a getter of the browser is called on that.
    fn reflected(&self, spot: Spot, call: &Call, seen: Seen, hops: &mut Vec<Hop>) -> Next {
        let unknown = || Next::unobserved("what `Reflect.get` read is not in the log");
        let [object, key, ..] = call.arguments.as_slice() else {
            return unknown();
        };
        if object.is_spread || key.is_spread {
            return unknown();
        }
        let Some(key) = self.key_text(spot, &key.value) else {
            return unknown();
        };
        let on = call.arguments.get(2).filter(|it| !it.is_spread);
        if let Some(on) = on
            && let Some(object) = self.evaluated(spot, &on.value, 0).and_then(Seen::object)
        {
            let name = format!("{}.{key}", self.named(spot, &on.value));
            if let Some(next) = self.by_user(spot, object.0, (&key, &name)) {
                return next;
            }
        }
        if let Some(on) = on
            && let Some(object) = self.evaluated(spot, &on.value, 0).and_then(Seen::object)
            && let Some((getter, value)) = self.got(spot, object.0, &Key::Property(key.clone()))
            && value.same(seen) == Some(true)
        {
            // A getter of the object was called on the receiver.
            let name = format!("{}.{key}", self.named(spot, &on.value));
            return self.by_getter(getter, HopKind::Getter, name, seen, hops);
        }
        let Some(owner) = self.evaluated(spot, &object.value, 0) else {
            return unknown();
        };
        let step = PathStep::Into(js_analysis::origin::Step::Key(key));
        let name = self.named(spot, &object.value);
        let (next, _) = self.taken(spot, owner, &[step], name, seen, hops);
        next.unwrap_or_else(unknown)
    }

    /// Whether `new` of a script made an object, so that the log has what was put into it.
    fn is_made_by_page(&self, stream: u16, object: u32) -> bool {
        let made = self.seen_first(stream, object);
        made.is_some_and(|(_, kind)| matches!(kind, Kind::Create | Kind::CallEnd))
    }

    /// `map.get(key)`
    pub(super) fn entry(&self, spot: Spot, call: &Call, seen: Seen) -> Option<Next> {
        let (Some(map), Some("get"), [key]) = (
            &call.receiver,
            call.method.as_deref(),
            call.arguments.as_slice(),
        ) else {
            return None;
        };
        let stream = spot.moment.stream;
        let object = self.evaluated(spot, map, 0)?.object()?;
        let class = self.model.object(stream, object.0)?.class;
        let tables = self.model.streams.get(usize::from(stream))?;
        let bases = tables.bases.get(&class).into_iter().flatten();
        let is_map =
            self.model.text(stream, class) == "Map" || bases.into_iter().any(|it| it == "Map");
        if !is_map {
            return None;
        }
        let key = match self.key_text(spot, &key.value) {
            Some(text) => Key::Entry(text),
            None => self.entry_key(stream, self.evaluated(spot, &key.value, 0)?)?,
        };
        let write = self.property(stream, object.0, &key, spot.moment.at);
        let name = format!("{}.get({})", self.named(spot, map), {
            let Key::Entry(key) = &key else { return None };
            serde_json::Value::from(key.as_str())
        });
        match write {
            Some(write) if write.value.same(seen) == Some(true) => Some(Next::Write(write, name)),
            None
            | Some(Write {
                value: Seen::Absent,
                ..
            }) if seen == Seen::Undefined && self.is_made_by_page(stream, object.0) => {
                let detail = format!("{name}: the map has no such entry");
                Some(self.ended(EndKind::Missing, spot, map, Some(detail)))
            }
            _ => None,
        }
    }
}
