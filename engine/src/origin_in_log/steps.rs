//! Expressions: which reference, branch or operand gave the value.

use event_log::model::{Key, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{Form, PathStep, Reference, Root, Step, Value};
use js_analysis::position::{ByteOffset, ByteSpan};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::operands::Ended;
use super::updates::updates_in;
use super::writes::{Write, key_behind};
use super::{InLog, Moment, Next, Spot};
use crate::origin::{browser_end, one_line};

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
        // Where there was a value, no default value was taken.
        let way = match way {
            [PathStep::Default(_), rest @ ..]
                if self
                    .evaluated(spot, value, 0)
                    .is_some_and(|it| !matches!(it, Seen::Undefined | Seen::Unknown)) =>
            {
                rest
            }
            way => way,
        };
        match &value.form {
            Form::Literal | Form::Object(_) | Form::Array { .. }
                if way.is_empty() && self.is_other_value(spot, value, seen) =>
            {
                Next::unobserved(format!(
                    "`{}` is not the value that was read",
                    self.text(spot, value)
                ))
            }
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
            Form::Unknown(what) => {
                let next = match way.is_empty() {
                    true => self
                        .yielded_to(spot, value, hops)
                        .or_else(|| self.of_super(spot, value, seen, hops)),
                    false => self.part_yielded_to(spot, value, way, seen, hops),
                };
                next.unwrap_or_else(|| Next::unobserved(format!("{what} is not followed")))
            }
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

    /// The name of an expression, with its author's names.
    pub(super) fn named(&self, spot: Spot, value: &Value) -> String {
        match &value.form {
            Form::Reference(reference) => one_line(&self.reference_text(spot, reference)),
            _ => self.text(spot, value),
        }
    }

    /// A reference with the author's names, computed keys as they were; it may have several lines.
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

    /// A step behind a name: `.key`, `[3]`, or `[…]` if the key is not in the log.
    pub(super) fn step_name(&self, spot: Spot, step: &Step) -> String {
        if let Step::Private { at, .. } = step
            && let Some(home) = self.home(spot.script)
            && let Some(given) = self.sources.private_name(home, *at)
        {
            return format!(".{given}");
        }
        match self.step_key(spot, step) {
            Some(Key::Property(key)) => key_behind(&key),
            Some(Key::Symbol(_, _, text)) => format!("[{text}]"),
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
        if let Some(with) = self.of_with(spot, reference) {
            let steps = with.steps.into_iter().map(PathStep::Into);
            let steps: Vec<PathStep> = steps.chain(way.iter().cloned()).collect();
            let (next, name) = self.taken(spot, with.object, &steps, with.name, seen, hops);
            return next
                .unwrap_or_else(|| self.ended(EndKind::Computation, spot, value, Some(name)));
        }
        let is_stored = matches!(
            &reference.root,
            Root::Variable { name, is_declared: false, .. }
                if matches!(name.as_str(), "localStorage" | "sessionStorage")
        );
        if way.is_empty() {
            let before = hops.len();
            let next = match is_stored {
                true => self.of_stored_property(spot, value, reference, seen, hops),
                false => self.of_browser_state(spot, reference, seen, hops),
            };
            match next {
                Some(next) => return next,
                None => hops.truncate(before),
            }
        }
        if is_stored && !reference.steps.is_empty() {
            let text = Some(self.text(spot, value));
            return self.ended(EndKind::Storage, spot, value, text);
        }
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
                Some(write)
                    if value.is_followed && self.is_repeated(spot, value, (runs, *at), write) =>
                {
                    Next::unobserved(format!("{name} may have been written since it was read"))
                }
                Some(write) => self.checked(write, name, seen),
                None => match self
                    .imported(spot, runs, seen, hops)
                    .or_else(|| self.of_same_pattern(spot, value, (runs, *at), (&name, seen)))
                {
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
            // What is inside an argument: `arguments[0].name`.
            if let [PathStep::Into(first), behind @ ..] = steps.as_slice()
                && let Root::Variable {
                    name,
                    at,
                    is_declared: false,
                } = &reference.root
                && name == "arguments"
                && let Some(Key::Property(key)) = self.step_key(spot, first)
                && let Ok(index) = key.parse()
            {
                let list = Value {
                    span: ByteSpan {
                        start: *at,
                        end: *at,
                    },
                    form: Form::Reference(Reference {
                        root: reference.root.clone(),
                        steps: Vec::new(),
                    }),
                    ..value.clone()
                };
                return self.inside_element_of(spot, (&list, index), behind, seen, hops);
            }
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

    /// Whether a variable that code is evaluated behind may have been written by that code: nothing says that the write
    /// was before, and the write before it gave the same value.
    fn is_repeated(
        &self,
        spot: Spot,
        value: &Value,
        (name, at): (&str, ByteOffset),
        write: Write,
    ) -> bool {
        /// How many events are looked through.
        const MOST: u32 = 100_000;
        let first = write.event.max(spot.moment.at.saturating_sub(MOST));
        let is_before = (first..spot.moment.at).rev().any(|number| {
            let Some(event) = self.event(number) else {
                return false;
            };
            let place = self.site(event.site);
            event.call == spot.moment.call
                && place.is_some_and(|(script, (at, _, _))| {
                    script == spot.script && *at < value.span.start
                })
        });
        if is_before {
            return false;
        }
        let earlier = Spot {
            moment: Moment {
                at: write.event,
                ..spot.moment
            },
            ..spot
        };
        let before = self.variable(earlier, name, at);
        before.is_some_and(|before| before.value.same(write.value) != Some(false))
    }

    /// A computation: goes on by itself where one operand alone is no constant, or alone decides what comes out.
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
        let updates = updates_in(value);
        let read = |of: &Value| self.before_updates(spot, of, (value, &updates));
        let offered = self.offered(spot, flat.into_iter().map(|of| (read(of), of)), operands);
        let location = place.map(|place| place.location);
        let end = Next::End(Ended::computed(location, self.text(spot, value), offered));
        if let Some(wanted) = self.looked_for() {
            let next = self.part_of_operation(spot, value, &wanted, hops);
            return next.unwrap_or(end);
        }
        let mut open = operands.iter().filter(|operand| !operand.is_constant());
        let only = match (open.next(), open.next()) {
            (Some(only), None) => only,
            // What is empty adds nothing: `text += part` at first.
            (Some(_), Some(_)) => {
                let only = self.only_with_text(spot, value);
                let Some(only) = only.or_else(|| self.deciding(value, operands, read)) else {
                    return end;
                };
                let next = self.passed_on(HopKind::Conversion, read(only), value, only, hops);
                return next.unwrap_or(end);
            }
            _ => return end,
        };
        // What has no text gives none of the sum.
        let is_empty = matches!(self.evaluated(spot, only, 0), Some(Seen::String(id)) if id.0 == 0);
        if is_empty && operands.len() > 1 {
            return end;
        }
        self.passed_on(HopKind::Conversion, read(only), value, only, hops)
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
            let next = self.value(spot, of, &[], seen, hops);
            let goes_on = match &next {
                Next::End(ended) => ended.is_known_without_a_value(),
                // What was computed on the way is not in the log, but what with is.
                _ => matches!(of.form, Form::Operation { .. }),
            };
            if matches!(&next, Next::End(_)) || !goes_on {
                hops.truncate(before);
            }
            return goes_on.then_some(next);
        }
        let name = self.named(spot, of);
        let hop = match of.form {
            Form::Literal => self.literal_hop(kind, spot, at, of, name),
            _ => self.hop(kind, spot.script, at.span.start, (stream, seen), name),
        };
        hops.push(hop?);
        let next = self.value(spot, of, &[], seen, hops);
        if matches!(&next, Next::End(ended) if ended.end.kind == EndKind::Unobserved) {
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
