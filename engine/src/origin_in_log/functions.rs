//! Functions: which one ran, what it returned, getters and the traps of a proxy.

use std::collections::{HashMap, HashSet};

use event_log::ids::{FunctionId, ScopeId, SiteId};
use event_log::model::{CallOutcome, Key, Kind};
use event_log::tables::FunctionKind;
use event_log::value::Value as Seen;
use js_analysis::origin::{
    Call, CallKind, Form, LoggedPlace, PathStep, Reference, Root, Step, Value, Written,
};
use js_analysis::position::{ByteOffset, ByteSpan};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::{InLog, Moment, Next, Spot};

/// How many calls of one function are looked through for that of a getter.
const MOST_LOOKED_THROUGH: usize = 10_000;

/// A getter or setter that a description gave a property.
#[derive(Clone, Copy, Debug)]
struct Defined {
    function: FunctionId,
    /// The function as an object, where the log has it.
    object: Option<u32>,
}

impl InLog<'_> {
    /// The name of a function as it runs, without its class: what the text of a call names is that.
    pub(super) fn own_name(&self, call: u32) -> Option<&str> {
        let (_, (_, name)) = self.function_of(self.call_of(call)?.function)?;
        Some(name)
    }

    /// The kind of the function of a call.
    pub(super) fn function_kind(&self, call: u32) -> Option<FunctionKind> {
        let function = self.call_of(call)?.function;
        Some(self.model.tables.function(function)?.kind)
    }

    /// The key of which the function of a call is a getter (`true`) or a setter.
    pub(super) fn accessor(&self, call: u32) -> Option<(String, bool)> {
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

    /// The script in which a function is, and where.
    pub(super) fn function_text(&self, function: FunctionId) -> Option<(usize, ByteSpan)> {
        let (script, (span, _)) = self.function_of(function)?;
        Some((script, *span))
    }

    /// Where the innermost function around a place is.
    pub(super) fn innermost_function(&self, script: usize, at: ByteOffset) -> Option<ByteSpan> {
        let spans = self.scripts.get(script)?.functions.iter();
        let around = spans.map(|(span, _)| *span);
        let around = around.filter(|span| span.start <= at && at < span.end);
        around.min_by_key(|span| span.end.0 - span.start.0)
    }

    /// The script in which a function is, where, and its name as it runs.
    fn function_of(&self, function: FunctionId) -> Option<(usize, &(ByteSpan, String))> {
        let behind = self
            .scripts
            .partition_point(|script| script.first.function <= function.0);
        let script = behind.checked_sub(1)?;
        let own = self.scripts.get(script)?;
        let index = function.0.checked_sub(own.first.function)?;
        Some((script, own.functions.get(index as usize)?))
    }

    /// The class or function that its own name means inside of it: what was written, where it is written.
    pub(super) fn self_named(&self, spot: Spot, name: &str, at: ByteOffset) -> Option<Seen> {
        let start = self.sources.self_name(self.home(spot.script)?, at, name)?;
        let written = self.written_functions.get_or_init(|| {
            let mut written: HashMap<(usize, u32), Vec<u32>> = HashMap::new();
            let mut places: HashMap<SiteId, Option<(usize, u32)>> = HashMap::new();
            for (event, number) in self.model.events.iter().zip(0..) {
                if !matches!(event.kind, Kind::Assign | Kind::Write)
                    || !matches!(event.value, Seen::Function(_))
                {
                    continue;
                }
                let place = places.entry(event.site).or_insert_with(|| {
                    let (script, place) = self.place(event.site)?;
                    match place {
                        LoggedPlace::Written {
                            written: Written::Value { value, path },
                            ..
                        } if path.is_empty() && value.form == Form::Literal => {
                            Some((script, value.span.start.0))
                        }
                        _ => None,
                    }
                });
                if let Some(place) = place {
                    written.entry(*place).or_default().push(number);
                }
            }
            written
        });
        let events = written.get(&(spot.script, start.0))?.iter();
        let events = events.filter_map(|&number| self.event(number));
        let mut before = events
            .filter(|event| event.stream == spot.moment.stream)
            .map(|event| event.value);
        // One that is evaluated again and again is another each time.
        let first = before.next()?;
        before
            .all(|value| value.same(first) == Some(true))
            .then_some(first)
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
                span.is_some_and(|(span, _)| {
                    callee.span.start <= span.start && span.end <= callee.span.end
                })
            });
        }
        if let Some(Seen::Function(id)) = self.evaluated(spot, callee, 0) {
            let object = self.model.object(spot.moment.stream, id.0);
            let function = object.map(|object| object.function).unwrap_or_default();
            if function.is_some() {
                return function == own.function;
            }
            // A proxy without a trap.
            let target = self.target_text(spot.moment.stream, id.0);
            return target.is_some_and(|(spot, target)| self.is_function(spot, &target, call));
        }
        // A function by its own name inside of it.
        if let Form::Reference(reference) = &callee.form
            && let ([], Root::Variable { name, at, .. }) =
                (reference.steps.as_slice(), &reference.root)
            && let Some(home) = self.home(spot.script)
            && let Some(start) = self.sources.self_name(home, *at, name)
        {
            let text = self.function_text(own.function);
            return text.is_some_and(|(script, span)| script == spot.script && span.start == start);
        }
        // A method that no write put there: of a class, of a literal.
        let last = match &callee.form {
            Form::Reference(reference) if is_of_language(reference) => None,
            Form::Reference(reference) => reference.steps.last(),
            Form::Part { steps, .. } => steps.last(),
            Form::Unknown(_) => {
                let home = self.home(spot.script);
                let text = home.and_then(|home| self.sources.text_at(home, callee.span));
                let name = text.and_then(|text| text.strip_prefix("super."));
                return name.is_some_and(|name| {
                    self.own_name(call) == Some(name)
                        && self.function_kind(call) == Some(FunctionKind::Method)
                });
            }
            _ => None,
        };
        let of_with = match &callee.form {
            Form::Reference(reference) if last.is_none() => self.of_with(spot, reference),
            _ => None,
        };
        let last = of_with.as_ref().map_or(last, |with| with.steps.last());
        let name = match last {
            Some(Step::Property(name) | Step::Key(name)) => name.clone(),
            Some(Step::Private { name, .. }) => format!("#{name}"),
            Some(step @ Step::Computed { .. }) => match self.step_key(spot, step) {
                Some(Key::Property(name)) => name,
                _ => return false,
            },
            // What a `with` has, if it is in no object that the log has whole.
            None if let Form::Reference(Reference {
                root: Root::Variable { name, .. },
                ..
            }) = &callee.form
                && self.code(spot.script).is_some_and(|code| code.has_with()) =>
            {
                name.clone()
            }
            _ => return false,
        };
        if self.is_written_as_method(&name, own.function) {
            return true;
        }
        let is_method = matches!(
            self.function_kind(call),
            Some(FunctionKind::Method | FunctionKind::Function)
        );
        is_method && self.own_name(call) == Some(name.as_str()) && !is_callback_caller(&name)
    }

    /// Whether a call of the text called a proxy, and that its trap.
    fn is_trapped(&self, spot: Spot, callee: &Value, number: u32) -> bool {
        let called = self.evaluated(spot, callee, 0).and_then(Seen::object);
        self.may_be_trap(number, "apply")
            && called.is_some_and(|id| self.target_text(spot.moment.stream, id.0).is_some())
    }

    /// Whether the function of a call may be this trap of a proxy: it is called so, or something has it under that
    /// name.
    pub(super) fn may_be_trap(&self, number: u32, trap: &str) -> bool {
        self.own_name(number) == Some(trap)
            || self
                .call_of(number)
                .is_some_and(|call| self.is_written_as_method(trap, call.function))
    }

    /// Whether something was given this function under this name: a prototype, which others inherit from.
    fn is_written_as_method(&self, name: &str, function: FunctionId) -> bool {
        let methods = self.methods.get_or_init(|| {
            let mut methods = HashSet::new();
            for write in &self.model.writes {
                let Seen::Function(id) = self.model.written(write) else {
                    continue;
                };
                if let Some(object) = self.model.object(write.stream, id.0) {
                    methods.insert((write.key, object.function));
                }
            }
            methods
        });
        let key = self.model.key(&Key::Property(name.to_owned()));
        key.is_some_and(|key| methods.contains(&(key, function)))
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
                    || self.bound(spot, callee, only).is_some()
                    || self.is_trapped(spot, callee, only)
                    || self.passes_on(spot, call, only);
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
        let defined = self.defined_getter(spot.moment.stream, object, key, spot.moment.at);
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
            let is_arrow = own.this == Seen::Unknown
                && defined.is_some_and(|(event, getter)| {
                    getter.function == own.function
                        && self.is_made_there((own.stream, own.scope), event, getter.object)
                });
            let is_getter = is_arrow
                || is_of(Some(own.this))
                    && (defined.is_some_and(|(_, getter)| getter.function == own.function)
                        || self.is_inherited(own, (key, "get"), at)
                        || self
                            .accessor(number)
                            .is_some_and(|(own, is_getter)| is_getter && own == *key));
            // A function that takes no receiver has the proxy's own target.
            let is_its = match arguments.get(2) {
                Some(receiver) => is_of(Some(*receiver)),
                None => self.target_of(stream, object).is_some_and(|target| {
                    arguments.first().map(|it| it.same(target)) == Some(Some(true))
                }),
            };
            let is_trap = is_its
                && self.may_be_trap(number, "get")
                && matches!(arguments.get(1), Some(Seen::String(id)) if self.model.text(stream, id.0) == key);
            if own.exit < at && (is_getter || is_trap) {
                return Some((number, value));
            }
        }
        None
    }

    /// The getter that `Object.defineProperty(object, key, { get })` gave a key last, whatever says which key.
    fn defined_getter(
        &self,
        stream: u16,
        object: u32,
        key: &Key,
        at: u32,
    ) -> Option<(u32, Defined)> {
        let write = self.property(stream, object, key, at)?;
        let getter = (write.value == Seen::Accessor)
            .then(|| self.of_definition(stream, write.event, (key, "get")))?;
        Some((write.event, getter?))
    }

    /// Whether the text of a call has the description that it gives to a property.
    fn describes_itself(&self, site: SiteId) -> bool {
        let call = self.call_text_at(site).map(|(_, call)| call);
        let description = call.as_ref().and_then(|call| call.arguments.get(2));
        description.is_some_and(|it| matches!(it.value.form, Form::Object(_)))
    }

    /// Whether the function of a call, which has a scope, is the one that a definition at an event gave: made there, or
    /// where the log met it first, in the text that it has there.
    fn is_made_there(&self, scope: (u16, ScopeId), definition: u32, object: Option<u32>) -> bool {
        let first = object.and_then(|object| self.seen_first(scope.0, object));
        self.is_made_at(scope, definition)
            || first.is_some_and(|(event, kind)| {
                matches!(kind, Kind::Create | Kind::Write | Kind::Assign)
                    && self.is_made_at(scope, event)
            })
    }

    /// Whether a function was made by the call at an event, where its text has it: by the variables around it.
    fn is_made_at(&self, (stream, scope): (u16, ScopeId), event: u32) -> bool {
        let around = self.model.scope(stream, scope).map(|own| own.parent);
        if around == Some(ScopeId::NONE) {
            // At the top of a script there is only one.
            return true;
        }
        let scope = around.and_then(|around| Some((around, self.model.scope(stream, around)?.of)));
        match (scope, self.moment(event)) {
            (Some((around, declared)), Some(moment)) => self.instance(moment, declared) == around,
            _ => false,
        }
    }

    /// Whether the function of a call is a setter of this key.
    pub(super) fn is_setter_of(&self, number: u32, key: &str) -> bool {
        let by_text = self.accessor(number);
        let is_defined =
            |call: &event_log::model::Call| self.is_inherited(call, (key, "set"), call.enter);
        match by_text {
            Some((own, is_getter)) => own == key && !is_getter,
            None => self.call_of(number).is_some_and(is_defined),
        }
    }

    /// Whether a call is of a getter, or a setter, that a prototype was given under a key before a moment.
    fn is_inherited(
        &self,
        call: &event_log::model::Call,
        (key, part): (&str, &str),
        at: u32,
    ) -> bool {
        let (stream, function) = (call.stream, call.function);
        // One function that is made again and again for other keys: by the variables around it.
        let may_be_made = |event: u32, defined: Defined| {
            let Some(object) = defined.object else {
                return true;
            };
            let first = self.seen_first(stream, object);
            let is_text = first
                .is_some_and(|(_, kind)| matches!(kind, Kind::Create | Kind::Write | Kind::Assign));
            !is_text || self.is_made_there((stream, call.scope), event, Some(object))
        };
        let definitions = self.accessors.get_or_init(|| {
            let mut definitions: HashMap<u32, Vec<(u16, u32)>> = HashMap::new();
            let mut known = HashSet::new();
            for write in &self.model.writes {
                let site = self.event(write.event).map(|event| event.site);
                let is_accessor = self.model.written(write) == Seen::Accessor;
                // Where a variable has the description, each call may give another one.
                let object = site.map_or(0, |site| match self.describes_itself(site) {
                    true => 0,
                    false => write.object,
                });
                if is_accessor && known.insert((write.key, write.stream, site, object)) {
                    let of_key = definitions.entry(write.key).or_default();
                    of_key.push((write.stream, write.event));
                }
            }
            definitions
        });
        let own = Key::Property(key.to_owned());
        let key = self.model.key(&own);
        let of_key = key.and_then(|key| definitions.get(&key));
        of_key.into_iter().flatten().any(|&(realm, event)| {
            realm == stream
                && event < at
                && self
                    .of_definition(stream, event, (&own, part))
                    .is_some_and(|it| it.function == function && may_be_made(event, it))
        })
    }

    /// The getter or setter of a key in the description that `Object.defineProperty`, or its plural, was given.
    fn of_definition(&self, stream: u16, event: u32, (key, part): (&Key, &str)) -> Option<Defined> {
        let (spot, call) = self.call_text(event)?;
        let is_plural = call.arguments.len() == 2;
        let descriptor = &call.arguments.get(if is_plural { 1 } else { 2 })?.value;
        let get = Key::Property(part.to_owned());
        let of_value = |value: Seen| {
            let Seen::Function(id) = value else {
                return None;
            };
            let function = self.model.object(stream, id.0)?.function;
            function.is_some().then_some(Defined {
                function,
                object: Some(id.0),
            })
        };
        let described = |given: Seen| of_value(self.read(spot, given.object()?.0, &get)?.1);
        let properties = match &descriptor.form {
            _ if is_plural => {
                let all = self.evaluated(spot, descriptor, 0)?.object()?;
                return described(self.read(spot, all.0, key)?.1);
            }
            Form::Object(properties) => properties,
            _ => return described(self.evaluated(spot, descriptor, 0)?),
        };
        let getter = properties
            .iter()
            .flatten()
            .find(|(name, _)| name == part)
            .map(|(_, value)| value);
        if let Some(value) = getter.and_then(|value| self.evaluated(spot, value, 0)) {
            return of_value(value);
        }
        let own = self.scripts.get(spot.script)?;
        let within = getter.map_or(descriptor.span, |value| value.span);
        let index = own.functions.iter().position(|(span, name)| {
            within.start <= span.start
                && span.end <= within.end
                && (getter.is_some() || name == part)
        })?;
        let function = own.first.function.checked_add(u32::try_from(index).ok()?)?;
        Some(Defined {
            function: FunctionId(function),
            object: None,
        })
    }

    /// The target of a proxy, as the call says that made it.
    pub(super) fn target_of(&self, stream: u16, proxy: u32) -> Option<Seen> {
        let (spot, target) = self.target_text(stream, proxy)?;
        self.evaluated(spot, &target, 0)
    }

    /// The expression that is the target of a proxy, and where it was evaluated; `None`: it is no proxy.
    fn target_text(&self, stream: u16, proxy: u32) -> Option<(Spot, Value)> {
        let (event, kind) = self.seen_first(stream, proxy)?;
        if !matches!(kind, Kind::CallEnd | Kind::Create) {
            return None;
        }
        let (spot, made) = self.call_text(event)?;
        if made.kind != CallKind::New || made.global.as_deref() != Some("Proxy") {
            return None;
        }
        Some((spot, made.arguments.first()?.value.clone()))
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
}

/// Whether a method of that name may be a built-in that calls functions.
pub(super) fn is_callback_caller(name: &str) -> bool {
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
