//! Methods that are called on another object: `Array.prototype.slice.call(list)`, and a proxy's trap that a built-in of
//! lists called.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Argument, Call, CallKind, Form, PathStep, Reference, Root, Step, Value};
use querypoint::answer::{Hop, HopKind};

use super::writes::any_key_behind;
use super::{InLog, Next, Spot};

impl InLog<'_> {
    /// A call of a built-in method as `object.method(…)`, where its text says it otherwise: `object[key](…)`,
    /// `super.method(…)`, `function.call(object, …)`, `function.apply(object, list)`. `calls` are those of functions
    /// with hooks that were made there.
    pub(super) fn as_method_call(&self, spot: Spot, call: &Call, calls: &[u32]) -> Option<Call> {
        if call.kind != CallKind::Plain {
            return None;
        }
        let callee = call.callee.as_ref()?;
        match call.method.as_deref() {
            None => {
                if let Some(method) = self.method_named(spot, callee) {
                    return Some(Call {
                        method: Some(method),
                        ..call.clone()
                    });
                }
                let home = self.home(spot.script)?;
                let text = self.sources.text_at(home, callee.span)?;
                let method = text.strip_prefix("super.")?;
                querypoint::query::is_identifier(method).then(|| Call {
                    method: Some(method.to_owned()),
                    receiver: Some(Value {
                        form: Form::Reference(Reference {
                            root: Root::This,
                            steps: Vec::new(),
                        }),
                        ..callee.clone()
                    }),
                    ..call.clone()
                })
            }
            Some(how @ ("call" | "apply")) => {
                let method = self.method_named(spot, call.receiver.as_ref()?)?;
                let (on, others) = call
                    .arguments
                    .split_first()
                    .filter(|(on, _)| !on.is_spread)?;
                // `description.get.call(field)` calls a getter.
                if method == "get" && others.is_empty() {
                    return None;
                }
                let arguments = match (how, others) {
                    ("call", others) => others.to_vec(),
                    (_, []) => Vec::new(),
                    (_, [list]) if !list.is_spread => self.of_list(spot, &list.value),
                    _ => return None,
                };
                // A function of the page that is not known may have any name.
                let is_own = |&number: &u32| {
                    let mut given = arguments.iter();
                    !given.any(|it| !it.is_spread && self.is_function(spot, &it.value, number))
                };
                if calls.iter().any(is_own) {
                    return None;
                }
                Some(Call {
                    method: Some(method),
                    receiver: Some(on.value.clone()),
                    global: None,
                    arguments,
                    ..call.clone()
                })
            }
            _ => None,
        }
    }

    /// The arguments in a list that `apply` hands over.
    pub(super) fn of_list(&self, spot: Spot, list: &Value) -> Vec<Argument> {
        if let Form::Array {
            elements,
            is_open: false,
        } = &list.form
        {
            let elements = elements.iter().map(|element| {
                Some(Argument {
                    value: element.clone()?,
                    is_spread: false,
                })
            });
            if let Some(elements) = elements.collect::<Option<Vec<Argument>>>() {
                return elements;
            }
        }
        let key = Key::Property("length".to_owned());
        let length = self
            .evaluated(spot, list, 0)
            .and_then(|of| self.length(spot, of, &key));
        match length {
            Some(Seen::Number(0.0)) => Vec::new(),
            _ => vec![Argument {
                value: list.clone(),
                is_spread: true,
            }],
        }
    }

    /// The name of the method that an expression reads, its key computed or not.
    fn method_named(&self, spot: Spot, value: &Value) -> Option<String> {
        let step = match &value.form {
            Form::Reference(reference) => reference.steps.last(),
            Form::Part { steps, .. } => steps.last(),
            _ => None,
        };
        match self.step_key(spot, step?)? {
            Key::Property(name) if !name.starts_with('#') => Some(name),
            _ => None,
        }
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
        let (method, on, arguments) = self.called_on(spot, call)?;
        if method == "push" {
            let parts: Vec<Option<&Argument>> = arguments.iter().map(Some).collect();
            let (argument, of_spread) = self.part_at(spot, &parts, pushed, None)?;
            let at = argument.value.span.start;
            hops.extend(self.hop(HopKind::Proxy, spot.script, at, (stream, seen), name));
            return Some(match of_spread {
                Some(index) => self.element_of(spot, &argument.value, index, seen, hops),
                None => Next::Value {
                    spot,
                    value: Box::new(argument.value.clone()),
                    way: Vec::new(),
                    seen,
                },
            });
        }
        // Which of what is put in, and of what is moved, has the value: the only one.
        let first = match method.as_str() {
            "unshift" | "fill" => 0,
            "splice" => 2,
            "shift" | "reverse" | "sort" | "copyWithin" => usize::MAX,
            _ => return None,
        };
        let given = self.one_by_one(spot, &arguments)?;
        let mut put_in = Vec::new();
        for given in given.into_iter().skip(first) {
            if given.value?.same(seen)? {
                put_in.push(given);
            }
        }
        let object = self.evaluated(spot, &on, 0)?.object()?.0;
        let target = self.target_of(stream, object).and_then(Seen::object);
        let list = target.map_or(object, |target| target.0);
        let stays = self.count_with(stream, list, step, seen);
        match (put_in.as_slice(), stays) {
            ([only], 0) => {
                let argument = only.argument;
                let at = argument.value.span.start;
                hops.extend(self.hop(HopKind::Proxy, spot.script, at, (stream, seen), name));
                Some(match only.element {
                    Some(index) => self.element_of(spot, &argument.value, index, seen, hops),
                    None => Next::Value {
                        spot,
                        value: Box::new(argument.value.clone()),
                        way: Vec::new(),
                        seen,
                    },
                })
            }
            ([], 1) => {
                let (write, key) = self.only_with(stream, list, step, seen)?;
                let at = call.span.start;
                hops.extend(self.hop(HopKind::Proxy, spot.script, at, (stream, seen), name));
                let name = format!("{}{}", self.named(spot, &on), any_key_behind(&key));
                Some(Next::Write(write, name))
            }
            _ => None,
        }
    }

    /// The method that a call of the text calls, on what, and with what arguments: `object.method(…)`,
    /// `function.call(object, …)`, `function.apply(object, list)`.
    fn called_on(&self, spot: Spot, call: &Call) -> Option<(String, Value, Vec<Argument>)> {
        let receiver = call.receiver.as_ref()?;
        let how = match call.method.as_deref()? {
            how @ ("call" | "apply") => how,
            method => return Some((method.to_owned(), receiver.clone(), call.arguments.clone())),
        };
        let method = self.method_named(spot, receiver)?;
        let (on, others) = call
            .arguments
            .split_first()
            .filter(|(on, _)| !on.is_spread)?;
        let arguments = match (how, others) {
            ("call", others) => others.to_vec(),
            (_, []) => Vec::new(),
            (_, [list]) if !list.is_spread => self.of_list(spot, &list.value),
            _ => return None,
        };
        Some((method, on.value.clone(), arguments))
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
}
