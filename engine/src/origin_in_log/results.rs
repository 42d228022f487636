//! What is inside what a built-in made: the log tells it whole, right behind the call, and here is said where each part
//! of it is from.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, PathStep, Step, Value};
use querypoint::answer::{EndKind, Hop};

use super::moments::CameBack;
use super::writes::{Target, Write, any_key_behind, key_behind};
use super::{InLog, Next, Spot};

/// How deep the log tells what a built-in made.
const DEEPEST: usize = 8;
/// How many events a built-in's result is told in, at most, of those that are looked through.
const LONGEST: u32 = 20_000;

/// What a built-in made, and where something is in it.
pub(super) struct Made {
    /// The object that the call gave.
    root: u32,
    /// The event at which it was given.
    event: u32,
    /// The keys that lead from there to the part.
    keys: Vec<String>,
}

impl InLog<'_> {
    /// The result that a write tells a part of; `None`: something wrote it.
    pub(super) fn told(&self, write: &Write) -> Option<Made> {
        let Target::Key { object, key, .. } = write.target else {
            return None;
        };
        let Key::Property(key) = self.model.keys.get(key as usize)? else {
            return None;
        };
        let mut keys = vec![key.clone()];
        let told = write.event;
        let mut object = object;
        loop {
            let (seen, kind) = self.seen_first(write.stream, object)?;
            if matches!(kind, Kind::CallEnd | Kind::Resume) {
                let is_it = self.is_told_behind(seen, told);
                keys.reverse();
                return is_it.then_some(Made {
                    root: object,
                    event: seen,
                    keys,
                });
            }
            let event = self.event(seen)?;
            if !matches!(kind, Kind::Write | Kind::Contents) || keys.len() > DEEPEST {
                return None;
            }
            let around = event.owner.object()?.0;
            keys.push(self.key_of_part(write.stream, (around, object), seen)?);
            object = around;
        }
    }

    /// Whether an event tells what was given at another: it is one of those right behind, at the same place.
    fn is_told_behind(&self, given: u32, told: u32) -> bool {
        let Some(it) = self.event(given).copied() else {
            return false;
        };
        // What a function waited for is told at the place where it waited.
        let other = match it.kind {
            Kind::Resume => self.suspended_before(given).and_then(|it| self.event(it)),
            _ => None,
        };
        let other = other.map_or(it.site, |event| event.site);
        told > given
            && told - given < LONGEST
            && (given + 1..=told).all(|number| {
                self.event(number).is_some_and(|event| {
                    matches!(event.kind, Kind::Write | Kind::Contents)
                        && (event.site == it.site || event.site == other)
                })
            })
    }

    /// The key under which an event told an object in another.
    pub(super) fn key_of_part(
        &self,
        stream: u16,
        (around, part): (u32, u32),
        at: u32,
    ) -> Option<String> {
        let mut found = self.model.writes_of(stream, around).iter().filter(|write| {
            let value = self.model.written(write).object();
            write.event == at && value.is_some_and(|id| id.0 == part)
        });
        match self.model.keys.get(found.next()?.key as usize)? {
            Key::Property(key) => Some(key.clone()),
            _ => None,
        }
    }

    /// Where a part of what a built-in made is from.
    pub(super) fn of_result(
        &self,
        write: &Write,
        made: &Made,
        name: &str,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (stream, seen) = (write.stream, write.value);
        let (key, around) = made.keys.split_last()?;
        if self.event(made.event)?.kind == Kind::Resume {
            let moment = self.moment(made.event)?;
            let script = self.awaited_at(made.event)?.0;
            let spot = Spot { script, moment };
            return match (around, key.as_str()) {
                ([], index) => self
                    .of_all(made.event, index.parse().ok()?, seen)
                    .or_else(|| self.of_response(spot, made.root, name)),
                ([index], "value" | "reason") => {
                    let settled =
                        self.of_all_settled(made.event, index.parse().ok()?, (seen, name), hops);
                    settled.or_else(|| self.of_response(spot, made.root, name))
                }
                _ => self.of_response(spot, made.root, name),
            };
        }
        let (spot, call, came) = self.maker(stream, made.root)?;
        if self.is_parsed(stream, made.root) && call.global.as_deref() != Some("Object.entries") {
            let steps = made.keys.iter().cloned().map(Step::Key).map(PathStep::Into);
            let steps: Vec<PathStep> = steps.collect();
            let (first, behind) = steps.split_first()?;
            // The name has the whole way already.
            let way: String = made
                .keys
                .iter()
                .skip(1)
                .map(|key| key_behind(key))
                .collect();
            let name = name.strip_suffix(way.as_str()).unwrap_or(name);
            return self.of_parsed(spot, made.root, (first, behind), name, seen, hops);
        }
        if let Some(next) = self.of_list_result(spot, &call, &came, (&made.keys, seen), hops) {
            return Some(next);
        }
        if let Some(next) = self.of_description(spot, &call, &came, (&made.keys, seen)) {
            return Some(next);
        }
        if around.is_empty() {
            let key = Key::Property(key.clone());
            return self.born(spot, made.root, &key, name, seen, hops);
        }
        None
    }

    /// Parts of what functions of objects and lists made.
    fn of_list_result(
        &self,
        spot: Spot,
        call: &Call,
        came: &CameBack,
        (keys, seen): (&[String], Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        if call.kind != CallKind::Plain {
            return None;
        }
        let stream = spot.moment.stream;
        let first = call.arguments.first().filter(|it| !it.is_spread);
        let argument = first.map(|it| &it.value);
        let object = || -> Option<(u32, String)> {
            let of = self.evaluated(spot, argument?, 0)?.object()?;
            Some((of.0, self.named(spot, argument?)))
        };
        let global = call.global.as_deref().unwrap_or_default();
        let method = call.method.as_deref().unwrap_or_default();
        match (global, keys) {
            ("Object.keys" | "Object.getOwnPropertyNames" | "Reflect.ownKeys", [_])
            | ("Object.entries", [_, ..])
                if keys.len() == 1 || keys.get(1).is_some_and(|key| key == "0") =>
            {
                let (object, name) = object()?;
                self.made_key(stream, object, came.step, (seen, &name), hops)
            }
            ("Object.entries", [index, value]) if value == "1" => {
                let (object, name) = object()?;
                let result = self.event(came.end)?.value.object()?;
                let pair = self.first_value(stream, result.0, index)?;
                let Seen::String(key) = self.first_value(stream, pair.object()?.0, "0")? else {
                    return None;
                };
                let key = self.model.text(stream, key.0).to_owned();
                let step = PathStep::Into(Step::Key(key));
                self.taken(
                    spot,
                    Seen::Object(event_log::ids::ObjectId(object)),
                    &[step],
                    name,
                    seen,
                    hops,
                )
                .0
            }
            ("Object.fromEntries", [key]) => {
                let list = self.evaluated(spot, argument?, 0)?.object()?;
                self.of_pairs(spot, (list.0, argument?), (key, came), seen, hops)
            }
            ("Object.groupBy", [_, _]) => {
                let (list, name) = object()?;
                let (write, key) = self.only_with(stream, list, came.step, seen)?;
                Some(Next::Write(
                    write,
                    format!("{name}{}", any_key_behind(&key)),
                ))
            }
            ("Array.of", [index]) => {
                let index: usize = index.parse().ok()?;
                let is_spread = call.arguments.iter().any(|it| it.is_spread);
                let argument = call.arguments.get(index).filter(|_| !is_spread)?;
                Some(Next::Value {
                    spot,
                    value: Box::new(argument.value.clone()),
                    way: Vec::new(),
                    seen,
                })
            }
            ("Array.from", [index]) if call.arguments.len() == 1 => {
                let index: usize = index.parse().ok()?;
                self.iterated_element(spot, argument?, (index, came.end), seen, hops)
            }
            _ if matches!(method, "split" | "match" | "matchAll" | "exec") => {
                let receiver = call.receiver.as_ref()?;
                let arguments = call.arguments.iter().map(|it| &it.value);
                let operands: Vec<&Value> = std::iter::once(receiver).chain(arguments).collect();
                Some(self.computed_by(spot, call, &operands))
            }
            ("crypto.getRandomValues", _) => {
                let detail = call.callee.as_ref().map(|callee| self.text(spot, callee));
                Some(self.ended(EndKind::Random, spot, call.callee.as_ref()?, detail))
            }
            (_, [value, part @ ..]) if method == "next" && value == "value" => {
                self.of_next(spot, call, came, (part, seen), hops)
            }
            (_, [_]) if method == "flatMap" => self.of_flat_map(stream, came, seen),
            _ => None,
        }
    }

    /// What a key was first told to have.
    fn first_value(&self, stream: u16, object: u32, key: &str) -> Option<Seen> {
        let number = self.model.key(&Key::Property(key.to_owned()))?;
        let first = self.model.writes_of_key(stream, object, number).first()?;
        Some(self.model.written(first))
    }

    /// The value of a key in a list of pairs: that of the last pair with the key.
    fn of_pairs(
        &self,
        spot: Spot,
        (list, argument): (u32, &Value),
        (key, came): (&str, &CameBack),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let (at, end) = (came.step, came.end);
        let name = self.named(spot, argument);
        if matches!(self.class_of(stream, list), "FormData" | "URLSearchParams") {
            let name = format!("{name}.get({})", serde_json::Value::from(key));
            return self.of_field(spot, (list, key), (&name, seen), hops);
        }
        if let Some(map) = self.source_of_entries(spot, list) {
            let write = self.property(stream, map, &Key::Entry(key.to_owned()), at)?;
            let is_it = write.value.same(seen) == Some(true);
            return is_it.then(|| {
                Next::Write(
                    write,
                    format!("{name}.get({})", serde_json::Value::from(key)),
                )
            });
        }
        // What a generator gives out is there when the call is over.
        let at = match self.class_of(stream, list) {
            "Array" => at,
            _ => end,
        };
        let mut found = None;
        for (pair, index) in self.pairs_of(spot, list, at).into_iter().zip(0usize..) {
            let own = self.property(stream, pair, &Key::Property("0".to_owned()), at)?;
            if event_log::model::plain_text(self.model, stream, own.value) == key {
                let value = self.property(stream, pair, &Key::Property("1".to_owned()), at)?;
                found = Some((index, value));
            }
        }
        let (index, write) = found?;
        (write.value.same(seen) == Some(true))
            .then(|| Next::Write(write, format!("{name}[{index}][1]")))
    }

    /// `list.flatMap(f)`: what `f` returned, or an element of the list that it returned, if only one can be it.
    fn of_flat_map(&self, stream: u16, came: &CameBack, seen: Seen) -> Option<Next> {
        let mut found = None;
        for &number in &came.calls {
            let own = self.call_of(number)?;
            let event_log::model::CallOutcome::Returned(value) = own.outcome else {
                return None;
            };
            let next = if value.same(seen) == Some(true) {
                Some(Next::Return {
                    call: number,
                    name: String::new(),
                    way: Vec::new(),
                    seen,
                })
            } else {
                let list = value.object().map(|id| id.0);
                let element = list.and_then(|list| self.only_with(stream, list, own.exit, seen));
                element.map(|(write, key)| {
                    let Key::Property(key) = key else {
                        return Next::Write(write, String::new());
                    };
                    Next::Write(write, key_behind(&key))
                })
            };
            match (next, &found) {
                (Some(_), Some(_)) => return None,
                (Some(next), None) => found = Some(next),
                (None, _) => {}
            }
        }
        found
    }

    /// A computation by a call, which ends a way.
    fn computed_by(&self, spot: Spot, call: &Call, operands: &[&Value]) -> Next {
        let Some(callee) = &call.callee else {
            return Next::unobserved("what was computed is not in the log");
        };
        let value = Value {
            span: call.span,
            ..callee.clone()
        };
        self.computed(spot, &value, operands)
    }
}
