//! Expressions: which reference, branch or operand gave the value.

use event_log::model::{Key, NONE};
use event_log::value::Value as Seen;
use js_analysis::log::LoggedKind;
use js_analysis::origin::{Form, LoggedPlace, PathStep, Reference, Root, Step, Value};
use js_analysis::position::ByteOffset;
use querypoint::answer::{End, EndKind, Hop, HopKind};

use super::writes::{Write, key_behind};
use super::{InLog, Next, Spot};
use crate::origin::{browser_end, one_line};

/// What a property read gave.
pub(super) enum Read {
    /// What was written last.
    Written(Write),
    /// What a getter, or the trap of a proxy, returned.
    Got(u32, HopKind),
}

impl InLog<'_> {
    /// Where the value of an expression comes from, and in it what `way` leads to; `seen` is what it must be.
    pub(super) fn value(
        &self,
        spot: Spot,
        value: &Value,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        match &value.form {
            Form::Literal | Form::Object(_) | Form::Array { .. } if way.is_empty() => {
                self.ended(EndKind::Literal, spot, value, None)
            }
            Form::Object(_) | Form::Array { .. } => self.part_of_literal(spot, value, way, seen),
            Form::Literal => Next::unobserved("what a literal gives is taken apart"),
            Form::Reference(reference) => self.reference(spot, value, reference, way, seen, hops),
            Form::Part { of, steps } => {
                let steps = steps.iter().cloned().map(PathStep::Into);
                let whole: Vec<PathStep> = steps.chain(way.iter().cloned()).collect();
                let Some(object) = self.evaluated(spot, of, 0) else {
                    return Next::unobserved(format!(
                        "what `{}` gave is not in the log",
                        self.text(spot, of)
                    ));
                };
                let before = hops.len();
                hops.extend(self.return_hop(spot, of));
                let name = self.text(spot, of);
                let (next, name) = self.taken(spot, object, &whole, name, seen, hops);
                next.unwrap_or_else(|| {
                    hops.truncate(before);
                    self.ended(EndKind::Computation, spot, value, Some(name))
                })
            }
            Form::Conditional { .. } | Form::Logical { .. } => match self.chosen(spot, value) {
                Some(chosen) => Next::Value {
                    spot,
                    value: Box::new(chosen.clone()),
                    way: way.to_vec(),
                    seen,
                },
                None => Next::unobserved(format!(
                    "which way `{}` went is not in the log",
                    self.text(spot, value)
                )),
            },
            Form::Operation { operands, .. } if way.is_empty() => {
                let operands: Vec<&Value> = operands.iter().collect();
                self.computation(spot, value, &operands, hops)
            }
            Form::Operation { .. } => Next::unobserved("what a computation gives is taken apart"),
            Form::Call(call) => self.call(spot, value, call, way, seen, hops),
            Form::Await(awaited) => self.awaited(spot, value, awaited, way, seen, hops),
            Form::Unknown(what) => match self.yielded_to(spot, value, hops) {
                Some(next) if way.is_empty() => next,
                _ => Next::unobserved(format!("{what} is not followed")),
            },
        }
    }

    /// The `return` that gave an object of which a part is read.
    fn return_hop(&self, spot: Spot, value: &Value) -> Option<Hop> {
        let Form::Call(call) = &value.form else {
            return None;
        };
        let came = self.came_back(spot, call)?;
        let direct = self.call_of(self.direct(spot, call, &came.calls)?)?;
        let function = self.model.tables.function(direct.function)?;
        if function.is_async || function.is_generator || direct.exit == NONE {
            return None;
        }
        let (script, (at, _, _)) = self.site(self.event(direct.exit)?.site)?;
        let name = self.named(spot, call.callee.as_ref()?);
        self.hop(
            HopKind::Return,
            script,
            *at,
            (direct.stream, came.value),
            name,
        )
    }

    /// What a destructuring takes out of a literal.
    fn part_of_literal(&self, spot: Spot, value: &Value, way: &[PathStep], seen: Seen) -> Next {
        let Some((first, rest)) = way.split_first() else {
            return Next::unobserved("a way without a step");
        };
        let part = match (&value.form, first) {
            (Form::Object(properties), PathStep::Into(step)) => {
                let Some(Key::Property(key)) = self.step_key(spot, step) else {
                    return Next::unobserved("a literal is taken apart by a key that is computed");
                };
                let mut found = None;
                for property in properties.iter().rev() {
                    match property {
                        None => {
                            return Next::unobserved(
                                "a literal is taken apart that has a spread, a method or a computed key",
                            );
                        }
                        Some((own, value)) if *own == key => {
                            found = Some(value);
                            break;
                        }
                        Some(_) => {}
                    }
                }
                found
            }
            (Form::Array { elements, is_open }, PathStep::Iterated(number)) => {
                match elements.get(*number) {
                    Some(element) => element.as_ref(),
                    None if *is_open => {
                        return Next::unobserved("a literal is taken apart that has a spread");
                    }
                    None => None,
                }
            }
            (_, PathStep::Default(_)) => {
                return Next::Value {
                    spot,
                    value: Box::new(value.clone()),
                    way: rest.to_vec(),
                    seen,
                };
            }
            _ => return Next::unobserved("a literal is taken apart by a rest element"),
        };
        let (default, behind) = match rest.split_first() {
            Some((PathStep::Default(default), behind)) => (Some(default), behind),
            _ => (None, rest),
        };
        let is_missing = match part {
            None => Some(true),
            Some(part) if part.is_constant() => {
                Some(self.evaluated(spot, part, 0) == Some(Seen::Undefined))
            }
            Some(part) => self
                .evaluated(spot, part, 0)
                .map(|value| value == Seen::Undefined),
        };
        match (part, default, is_missing) {
            (_, Some(default), Some(true)) => Next::Value {
                spot,
                value: Box::new(default.clone()),
                way: behind.to_vec(),
                seen,
            },
            (Some(_), Some(_), None) => {
                Next::unobserved("whether the default value was taken is not in the log")
            }
            (Some(part), _, _) => Next::Value {
                spot,
                value: Box::new(part.clone()),
                way: behind.to_vec(),
                seen,
            },
            (None, _, _) => self.ended(
                EndKind::Missing,
                spot,
                value,
                Some("the literal that is taken apart has no such part".to_owned()),
            ),
        }
    }

    /// The name of an expression, with its author's names.
    pub(super) fn named(&self, spot: Spot, value: &Value) -> String {
        match &value.form {
            Form::Reference(reference) => one_line(&self.reference_text(spot, reference)),
            _ => self.text(spot, value),
        }
    }

    pub(super) fn reference_text(&self, spot: Spot, reference: &Reference) -> String {
        let mut text = match &reference.root {
            Root::This => "this".to_owned(),
            Root::Variable { name, at, .. } => self
                .home(spot.script)
                .and_then(|home| self.sources.asked_as(home, *at, name))
                .unwrap_or_else(|| name.clone()),
        };
        for step in &reference.steps {
            text.push_str(&self.step_name(spot, step));
        }
        text
    }

    fn step_name(&self, spot: Spot, step: &Step) -> String {
        match self.step_key(spot, step) {
            Some(Key::Property(key)) => key_behind(&key),
            _ => "[…]".to_owned(),
        }
    }

    fn reference(
        &self,
        spot: Spot,
        value: &Value,
        reference: &Reference,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        if let Some(kind) = browser_end(reference) {
            return self.ended(kind, spot, value, Some(self.text(spot, value)));
        }
        if let Some(next) = self.of_arguments(spot, reference, way, seen, hops) {
            return next;
        }
        if way.is_empty()
            && let Some(next) = self.inside_message(spot, reference, seen, hops)
        {
            return next;
        }
        let name = self.named(spot, value);
        if reference.steps.is_empty() && way.is_empty() {
            let Root::Variable { name: runs, at, .. } = &reference.root else {
                return Next::unobserved("what `this` is, is not followed");
            };
            return match self.variable(spot, runs, *at) {
                // Code behind it in the same literal may have written the same value again.
                Some(write) if value.is_followed && self.is_repeated(spot, runs, *at, write) => {
                    Next::unobserved(format!("{name} may have been written since it was read"))
                }
                Some(write) => self.checked(write, name, seen),
                None => match self.imported(spot, runs, seen, hops) {
                    Some(next) => next,
                    None => Next::unobserved(format!("no write of {name} is in the log")),
                },
            };
        }
        let steps = reference.steps.iter().cloned().map(PathStep::Into);
        let steps: Vec<PathStep> = steps.chain(way.iter().cloned()).collect();
        let root = self.reference_value(spot, reference, 0);
        let root_name = match &reference.root {
            Root::This => "this".to_owned(),
            Root::Variable { .. } => {
                let root = Reference {
                    root: reference.root.clone(),
                    steps: Vec::new(),
                };
                self.reference_text(spot, &root)
            }
        };
        let Some(root) = root else {
            // A module that was imported as a whole.
            let next = match (reference.steps.len(), way.is_empty()) {
                (1, true) => self.by_namespace(spot, reference, seen, hops),
                _ => self.namespace_value(spot, reference).and_then(|value| {
                    let behind = steps.get(1..).unwrap_or_default();
                    self.taken(spot, value, behind, name.clone(), seen, hops).0
                }),
            };
            let why = || format!("the value of {root_name} is not in the log");
            return next.unwrap_or_else(|| Next::unobserved(why()));
        };
        let (next, name) = self.taken(spot, root, &steps, root_name, seen, hops);
        match next {
            // A text's length, its characters.
            None => self.ended(EndKind::Computation, spot, value, Some(name)),
            Some(next) => next,
        }
    }

    /// Whether the write of a variable before had the same value.
    fn is_repeated(&self, spot: Spot, name: &str, at: ByteOffset, write: Write) -> bool {
        let earlier = Spot {
            moment: super::Moment {
                at: write.event,
                ..spot.moment
            },
            ..spot
        };
        let before = self.variable(earlier, name, at);
        before.is_some_and(|before| before.value.same(write.value) != Some(false))
    }

    /// What a way leads to in a value; `None`: a property of what is no object.
    pub(super) fn taken(
        &self,
        spot: Spot,
        value: Seen,
        way: &[PathStep],
        name: String,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> (Option<Next>, String) {
        let (mut value, mut name) = (value, name);
        let stream = spot.moment.stream;
        let mut last: Option<Read> = None;
        for (index, step) in way.iter().enumerate() {
            let (key, text) = match step {
                PathStep::Into(step) => match self.step_key(spot, step) {
                    Some(key) => (key, self.step_name(spot, step)),
                    None => {
                        let why = format!("the key behind {name} is not in the log");
                        return (Some(Next::unobserved(why)), name);
                    }
                },
                PathStep::Iterated(number) => {
                    (Key::Property(number.to_string()), format!("[{number}]"))
                }
                PathStep::Default(default) => {
                    if value == Seen::Undefined {
                        let next = Next::Value {
                            spot,
                            value: Box::new(default.clone()),
                            way: way.get(index + 1..).unwrap_or_default().to_vec(),
                            seen,
                        };
                        return (Some(next), name);
                    }
                    continue;
                }
                PathStep::Rest(_) => {
                    return (Some(Next::unobserved("what a rest element made")), name);
                }
            };
            let Some(object) = value.object() else {
                if matches!(value, Seen::Undefined | Seen::Null) {
                    let why = format!("{name} has no properties");
                    return (Some(Next::ended(EndKind::Missing, Some(why))), name);
                }
                return (None, name);
            };
            name.push_str(&text);
            let is_last = way
                .get(index + 1..)
                .unwrap_or_default()
                .iter()
                .all(|step| matches!(step, PathStep::Default(_)));
            match self.read(spot, object.0, &key) {
                Some((read, read_value)) => {
                    value = read_value;
                    last = Some(read);
                }
                None if self.is_parsed(stream, object.0) => {
                    let behind = way.get(index + 1..).unwrap_or_default();
                    let next = self.of_parsed(spot, object.0, (step, behind), &name, seen, hops);
                    let why = || Next::unobserved(format!("what made {name} is not in the log"));
                    return (Some(next.unwrap_or_else(why)), name);
                }
                None if is_last => {
                    let has_default = index + 1 < way.len();
                    if has_default && self.is_literal(stream, object.0) {
                        value = Seen::Undefined;
                        last = None;
                        continue;
                    }
                    let next = match has_default {
                        true => None,
                        false => self
                            .born(spot, object.0, &key, &name, seen, hops)
                            .or_else(|| self.of_response(spot, object.0, &name)),
                    };
                    let why = || self.nothing_wrote(stream, object.0, &name, seen);
                    return (Some(next.unwrap_or_else(why)), name);
                }
                None => match self.born_value(stream, object.0, &key) {
                    Some(made) => {
                        hops.extend(self.event_hop(stream, object.0, made, &name));
                        value = made;
                        last = None;
                    }
                    None => {
                        let behind = way.get(index + 1..).unwrap_or_default();
                        let whole = self.with_way(spot, &name, behind);
                        if let Some(next) = self.of_response(spot, object.0, &whole) {
                            return (Some(next), whole);
                        }
                        let why = format!("no write of {name} is in the log");
                        return (Some(Next::unobserved(why)), name);
                    }
                },
            }
        }
        let next = match last {
            Some(Read::Written(write)) => self.checked(write, name.clone(), seen),
            Some(Read::Got(call, kind)) => self.by_getter(call, kind, name.clone(), seen, hops),
            None => Next::unobserved(format!("the value of {name} is not in the log")),
        };
        (Some(next), name)
    }

    /// A name with a way behind it.
    fn with_way(&self, spot: Spot, name: &str, way: &[PathStep]) -> String {
        let mut text = name.to_owned();
        for step in way {
            match step {
                PathStep::Into(step) => text.push_str(&self.step_name(spot, step)),
                PathStep::Iterated(number) => text.push_str(&format!("[{number}]")),
                PathStep::Default(_) | PathStep::Rest(_) => {}
            }
        }
        text
    }

    /// Nothing in the log wrote a property.
    fn nothing_wrote(&self, stream: u16, object: u32, name: &str, seen: Seen) -> Next {
        if seen == Seen::Undefined && self.is_literal(stream, object) {
            let detail = format!("{name} was never written");
            return Next::ended(EndKind::Missing, Some(detail));
        }
        Next::unobserved(format!("no write of {name} is in the log"))
    }

    /// Goes on at a write, if it gave the value that was read.
    fn checked(&self, write: Write, name: String, seen: Seen) -> Next {
        match (seen, write.value.same(seen)) {
            (Seen::Unknown, _) | (_, Some(true)) => Next::Write(write, name),
            // Two long texts of one beginning.
            (_, None) => {
                Next::unobserved(format!("whether {name} had that value is not in the log"))
            }
            (_, Some(false)) => Next::unobserved(format!(
                "the last write of {name} in the log gave another value"
            )),
        }
    }

    /// The value that a key of an object had, and where it was from.
    pub(super) fn read(&self, spot: Spot, object: u32, key: &Key) -> Option<(Read, Seen)> {
        let stream = spot.moment.stream;
        let class = self.model.object(stream, object)?.class;
        let is_proxy = self.model.text(stream, class) == "Proxy";
        if !is_proxy
            && let Some(write) = self.property(stream, object, key, spot.moment.at)
            && !matches!(write.value, Seen::Accessor | Seen::Unknown | Seen::Absent)
        {
            return Some((Read::Written(write), write.value));
        }
        if let Some((call, value)) = self.got(spot, object, key) {
            let kind = match is_proxy {
                true => HopKind::Proxy,
                false => HopKind::Getter,
            };
            return Some((Read::Got(call, kind), value));
        }
        if !is_proxy {
            return None;
        }
        // Without a trap it is what the target has.
        let target = self.target_of(stream, object)?.object()?;
        let write = self.property(stream, target.0, key, spot.moment.at)?;
        let is_known = !matches!(write.value, Seen::Accessor | Seen::Unknown | Seen::Absent);
        is_known.then_some((Read::Written(write), write.value))
    }

    /// A computation: goes on by itself where one operand alone is no constant.
    pub(super) fn computation(
        &self,
        spot: Spot,
        value: &Value,
        operands: &[&Value],
        hops: &mut Vec<Hop>,
    ) -> Next {
        let place = self
            .home(spot.script)
            .and_then(|home| self.sources.place_in(home, value.span.start));
        let mut flat = Vec::new();
        for operand in operands {
            flatten(operand, &mut flat);
        }
        let shown = flat
            .into_iter()
            .filter_map(|operand| self.operand(spot, operand));
        let end = Next::End(End {
            kind: EndKind::Computation,
            location: place.map(|place| place.location),
            detail: Some(self.text(spot, value)),
            operands: shown.collect(),
        });
        let mut open = operands.iter().filter(|operand| !operand.is_constant());
        let (Some(only), None) = (open.next(), open.next()) else {
            return end;
        };
        self.passed_on(HopKind::Conversion, spot, value, only, hops)
            .unwrap_or(end)
    }

    /// The value of an operand, argument or receiver that gives the value in the same or another form; `None`: it is
    /// followed no further.
    pub(super) fn passed_on(
        &self,
        kind: HopKind,
        spot: Spot,
        at: &Value,
        of: &Value,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let seen = self.evaluated(spot, of, 0).unwrap_or(Seen::Unknown);
        let before = hops.len();
        if of.form != Form::Literal && seen == Seen::Unknown {
            return None;
        }
        let name = self.named(spot, of);
        let hop = match of.form {
            Form::Literal => self.literal_hop(kind, spot, at, of, name),
            _ => self.hop(kind, spot.script, at.span.start, (stream, seen), name),
        };
        hops.push(hop?);
        let next = self.value(spot, of, &[], seen, hops);
        if matches!(&next, Next::End(end) if end.kind == EndKind::Unobserved) {
            hops.truncate(before);
            return None;
        }
        Some(next)
    }

    /// A hop with the value of a literal, which the log does not have by itself.
    fn literal_hop(
        &self,
        kind: HopKind,
        spot: Spot,
        at: &Value,
        of: &Value,
        name: String,
    ) -> Option<Hop> {
        let home = self.home(spot.script)?;
        let text = self.sources.text_at(home, of.span)?;
        let value = crate::origin::literal_value(text)?;
        let stream = spot.moment.stream;
        let hop = self.hop(
            kind,
            spot.script,
            at.span.start,
            (stream, Seen::Unknown),
            name,
        )?;
        Some(Hop { value, ..hop })
    }

    /// What `next` handed over to a generator, if the expression is a `yield`.
    fn yielded_to(&self, spot: Spot, value: &Value, hops: &mut Vec<Hop>) -> Option<Next> {
        let (suspended, resumed) = self.suspended(spot, value)?;
        let site = self.event(suspended)?.site;
        let (_, place) = self.place(site)?;
        let LoggedPlace::Suspend { is_yield: true, .. } = place else {
            return None;
        };
        // Who called `next` was about to, just before.
        let before = self.event(resumed.checked_sub(1)?)?;
        if before.kind != event_log::model::Kind::Step {
            return None;
        }
        let (script, LoggedPlace::Call(call)) = self.place(before.site)? else {
            return None;
        };
        let argument = call.arguments.first().filter(|it| !it.is_spread)?;
        if call.method.as_deref() != Some("next") {
            return None;
        }
        let spot = Spot {
            script,
            moment: self.moment(resumed - 1)?,
        };
        let name = call.callee.as_ref().map(|callee| self.named(spot, callee));
        let given = self.event(resumed)?;
        hops.extend(self.hop(
            HopKind::Yield,
            script,
            argument.value.span.start,
            (given.stream, given.value),
            name.unwrap_or_default(),
        ));
        Some(Next::Value {
            spot,
            value: Box::new(argument.value.clone()),
            way: Vec::new(),
            seen: self.event(resumed)?.value,
        })
    }

    /// Where an `await` or `yield` handed over control last, and where it had it again.
    pub(super) fn suspended(&self, spot: Spot, value: &Value) -> Option<(u32, u32)> {
        let at = value.span.start;
        let site = self.site_at(spot.script, at, LoggedKind::Suspend, "")?;
        let suspended = self.last_at(site, event_log::model::Kind::Suspend, spot.moment)?;
        let behind = self.resumed.partition_point(|&event| event < suspended);
        let mut later = self.resumed.get(behind..)?.iter();
        let resumed = later.find(|&&number| {
            self.event(number)
                .is_some_and(|event| event.call == spot.moment.call)
        })?;
        Some((suspended, *resumed))
    }
}

/// The operands of a computation, those of computations in it included.
fn flatten<'v>(value: &'v Value, flat: &mut Vec<&'v Value>) {
    match &value.form {
        Form::Operation { operands, .. } => {
            operands.iter().for_each(|operand| flatten(operand, flat));
        }
        _ => flat.push(value),
    }
}
