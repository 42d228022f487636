//! What each kind of record adds to the model.

use super::{Builder, MOST_PENDING};
use crate::ids::{FunctionId, ScopeId, SiteId, StringId};
use crate::model::{CallOutcome, Key, Kind, NONE, ScopeInstance, Told, VariableWrite, plain_text};
use crate::record::{MESSAGE, Record};
use crate::value::Value;

impl Builder {
    /// Takes in a record of a stream.
    pub(super) fn record(&mut self, stream: u16, record: &Record<'_>) {
        // Behind the end of a call of code without hooks and what it defines are its arguments.
        let running = &mut self.running[usize::from(stream)];
        let ended = match record.events() {
            0 => running.ended,
            _ => running.ended.take(),
        };
        match *record {
            Record::Text(units) => {
                let text = String::from_utf16_lossy(units);
                self.model.streams[usize::from(stream)].texts.push(text);
            }
            Record::Object { class } => self.object(stream, class, FunctionId::NONE, false),
            Record::FunctionObject { function, name } => {
                self.object(stream, name, function, true);
            }
            Record::Scope { of, parent } => self.scope(stream, of, parent),
            Record::Activation(number) => {
                if let Some(frame) = self.running[usize::from(stream)].calls.last_mut() {
                    frame.activation = number;
                }
            }
            Record::Arguments { this, values } => match ended {
                None => self.passed(stream, this, values),
                Some(event) => self.library_passed(event, this, values),
            },
            Record::BranchBits { .. } | Record::Clock(_) | Record::RunHash(_) => {}
            Record::Enter(function) => self.enter(stream, function),
            Record::Leaf(function) => {
                self.enter(stream, function);
                self.returned(stream, function, SiteId::NONE, Value::Unknown);
            }
            Record::Return(function) => {
                self.returned(stream, function, SiteId::NONE, Value::Unknown);
            }
            Record::ReturnValue { site, value } => {
                let function = self
                    .model
                    .site(site)
                    .map_or(FunctionId::NONE, |it| it.function);
                self.returned(stream, function, site, value);
            }
            Record::Unwind(function) => self.exit(
                stream,
                function,
                Kind::Unwind,
                SiteId::NONE,
                CallOutcome::Threw,
                Value::Unknown,
            ),
            Record::Throw { site, value } => {
                self.event(stream, Kind::Throw, site, value);
            }
            Record::Catch { site, value } => {
                self.unwound_to(stream, site);
                // What was about to be called has thrown.
                if let Some(frame) = self.running[usize::from(stream)].calls.last_mut() {
                    frame.pending.clear();
                }
                self.event(stream, Kind::Catch, site, value);
            }
            Record::CallSite { site, .. } => self.step(stream, site),
            Record::Step(site) => self.step(stream, site),
            Record::CallEnd { site, value } => self.call_end(stream, site, value),
            Record::Write { site, owner, value } => {
                let name = self
                    .model
                    .site(site)
                    .map(|it| it.name.clone())
                    .unwrap_or_default();
                let key = self.key(Key::Property(name));
                self.written(stream, Kind::Write, site, owner, key, value);
            }
            Record::WriteKey {
                site,
                owner,
                key,
                value,
            } => {
                let key = self.key_of(stream, key);
                self.written(stream, Kind::Write, site, owner, key, value);
            }
            Record::WriteEntry {
                site,
                owner,
                key,
                value,
            } => {
                let text = plain_text(&self.model, stream, key);
                let key = self.key(Key::Entry(text));
                self.written(stream, Kind::WriteEntry, site, owner, key, value);
            }
            Record::Assign { site, scope, value } => self.assign(stream, site, scope, value),
            Record::Create { site, object } => {
                let number = self.event(stream, Kind::Create, site, object);
                if let Some(event) = self.model.events.get_mut(number as usize) {
                    event.owner = object;
                }
                if let Some(id) = object.object() {
                    self.model.made.insert((stream, id.0));
                    self.constructed(stream, site, id.0);
                }
            }
            Record::Branch { site, outcome } => {
                self.event(stream, Kind::Branch, site, Value::Boolean(outcome));
            }
            Record::BranchCase { site, value, .. } => {
                self.event(stream, Kind::Branch, site, value);
            }
            Record::Contents {
                owner,
                total,
                entries,
            } => self.contents(stream, owner, total, entries),
            Record::Task { kind, target, .. } => self.task(stream, kind, target),
            Record::TaskEnd => {
                self.event(stream, Kind::TaskEnd, SiteId::NONE, Value::Unknown);
                self.drop_running(stream);
            }
            Record::Suspend {
                site,
                activation,
                value,
            } => {
                self.suspend(stream, site, activation, value);
            }
            Record::Resume {
                activation, value, ..
            } => self.resume(stream, activation, value),
            Record::Settle {
                site,
                promise,
                fulfilled,
                value,
            } => {
                let number = self.event(stream, Kind::Settle, site, value);
                self.is_about(number, u32::from(fulfilled), promise);
            }
            Record::Uncaught { value, message } => {
                let number = self.event(stream, Kind::Uncaught, SiteId::NONE, value);
                let has_message = !plain_text(&self.model, stream, message).is_empty();
                if matches!(value, Value::Object(_)) && has_message {
                    let listed = u32::try_from(self.model.listed.len()).unwrap_or(NONE);
                    self.model.listed.push(message);
                    let key = self.key(Key::Property(MESSAGE.to_owned()));
                    self.write(stream, value, key, number, listed);
                }
            }
            Record::Schedule { site, callback, .. } => {
                self.event(stream, Kind::Other, site, callback);
            }
            Record::Dom {
                site,
                node,
                change,
                value,
            } => {
                let number = self.event(stream, Kind::Dom, site, value);
                self.is_about(number, change.0, node);
            }
            Record::Request {
                site,
                number: request,
                target,
                body,
            } => {
                let number = self.event(stream, Kind::Request, site, body);
                let text = match target {
                    Value::String(id) => id.0,
                    Value::LongString { start, .. } => start.0,
                    _ => 0,
                };
                self.requests.insert((stream, request), text);
                self.is_about(number, text, Value::Unknown);
            }
            Record::Response {
                number: request,
                status,
                body,
            } => {
                let number = self.event(stream, Kind::Response, SiteId::NONE, body);
                let text = self.requests.get(&(stream, request)).copied();
                let status = Value::Number(f64::from(status));
                self.is_about(number, text.unwrap_or(NONE), status);
            }
            Record::Action {
                kind,
                target,
                value,
            } => {
                let number = self.event(stream, Kind::Action, SiteId::NONE, value);
                self.is_about(number, kind.0, Value::String(target));
            }
            Record::Console { site, text, .. } => {
                self.event(stream, Kind::Other, site, text);
            }
            Record::Gap { reason, .. } => self.gap(stream, reason),
        }
    }

    fn scope(&mut self, stream: u16, of: crate::ids::StaticScopeId, parent: ScopeId) {
        let call = self.top(stream);
        let entered = self.next();
        let scopes = &mut self.model.streams[usize::from(stream)].scopes;
        scopes.push(ScopeInstance {
            of,
            parent,
            call,
            entered,
        });
        let number = ScopeId(u32::try_from(scopes.len()).unwrap_or(NONE));
        let function = self
            .model
            .calls
            .get(call as usize)
            .filter(|it| !it.scope.is_some())
            .map(|it| it.function);
        let Some(function) = function else { return };
        let is_its = self
            .model
            .tables
            .function(function)
            .is_some_and(|it| it.scope == of);
        if !is_its {
            return;
        }
        let mut enter = NONE;
        let mut passed = false;
        if let Some(it) = self.model.calls.get_mut(call as usize) {
            it.scope = number;
            enter = it.enter;
            passed = it.arguments.1 != NONE;
        }
        if passed {
            self.parameters(stream, function, number, enter);
        }
    }

    /// Plain parameters have what was passed.
    fn parameters(&mut self, stream: u16, function: FunctionId, scope: ScopeId, enter: u32) {
        let tables = &self.model.tables;
        let by_scope = &self.by_scope;
        let known = self.parameters.entry(function.0).or_insert_with(|| {
            let Some(it) = tables.function(function) else {
                return Vec::new();
            };
            let variable = |name: &String| {
                let mut own = by_scope.get(&it.scope.0).into_iter().flatten();
                let found = own.find(|&&number| {
                    let variable = tables.variable(crate::ids::VariableId(number));
                    variable.is_some_and(|variable| variable.name == *name)
                });
                found.copied().unwrap_or(0)
            };
            it.parameters.iter().map(variable).collect()
        });
        for (index, &variable) in (0..).zip(known.iter()) {
            if variable != 0 {
                self.model
                    .variables
                    .entry(variable)
                    .or_default()
                    .push(VariableWrite {
                        stream,
                        variable: crate::ids::VariableId(variable),
                        scope,
                        event: enter,
                        argument: index,
                    });
            }
        }
    }

    fn passed(&mut self, stream: u16, this: Value, values: &[Value]) {
        let top = self.top(stream);
        let from = u32::try_from(self.model.arguments.len()).unwrap_or(NONE);
        let count = u32::try_from(values.len()).unwrap_or(0);
        if let Some(call) = self.model.calls.get_mut(top as usize) {
            call.this = this;
            call.arguments = (from, count);
            self.model.arguments.extend_from_slice(values);
        }
    }

    /// What an event is about: a text that says it, and an object, or what else it is about.
    fn is_about(&mut self, number: u32, text: u32, owner: Value) {
        if let Some(event) = self.model.events.get_mut(number as usize) {
            event.key = text;
            event.owner = owner;
        }
    }

    fn library_passed(&mut self, event: u32, this: Value, values: &[Value]) {
        if let Some(ended) = self.model.events.get_mut(event as usize) {
            ended.owner = this;
        }
        let from = u32::try_from(self.model.arguments.len()).unwrap_or(NONE);
        let count = u32::try_from(values.len()).unwrap_or(0);
        let told = &mut self.model.library_arguments;
        // A damaged log may tell them twice: the first count.
        if told.last().is_none_or(|(last, _, _)| *last < event) {
            told.push((event, from, count));
            self.model.arguments.extend_from_slice(values);
        }
    }

    fn returned(&mut self, stream: u16, function: FunctionId, site: SiteId, value: Value) {
        let outcome = CallOutcome::Returned(value);
        self.exit(stream, function, Kind::Return, site, outcome, value);
    }

    fn step(&mut self, stream: u16, site: SiteId) {
        let number = self.event(stream, Kind::Step, site, Value::Unknown);
        if let Some(frame) = self.running[usize::from(stream)].calls.last_mut() {
            // One that never came back, in a loop: its exception was caught where no hook is.
            if frame.pending.len() >= MOST_PENDING {
                frame.pending.clear();
            }
            frame.pending.push(site);
            (frame.step, frame.entered) = (number, false);
        }
    }

    fn call_end(&mut self, stream: u16, site: SiteId, value: Value) {
        let number = self.event(stream, Kind::CallEnd, site, value);
        self.running[usize::from(stream)].ended = Some(number);
        if let Some(frame) = self.running[usize::from(stream)].calls.last_mut()
            && let Some(at) = frame.pending.iter().rposition(|own| *own == site)
        {
            frame.pending.truncate(at);
        }
    }

    fn written(
        &mut self,
        stream: u16,
        kind: Kind,
        site: SiteId,
        owner: Value,
        key: u32,
        value: Value,
    ) {
        let number = self.event(stream, kind, site, value);
        if let Some(event) = self.model.events.get_mut(number as usize) {
            event.owner = owner;
            event.key = key;
        }
        self.write(stream, owner, key, number, NONE);
        let Some(object) = owner.object().filter(|_| number != NONE) else {
            return;
        };
        let own = (stream, object.0);
        self.element_written(own, key, value);
        // A shorter array has fewer elements.
        if let Value::Number(length) = value
            && matches!(self.model.keys.get(key as usize), Some(Key::Property(name)) if name == "length")
            && self.is_of_class(stream, owner, &["Array"])
            && let Some(length) = whole_number(length)
        {
            self.cut_to(own, length, number);
        }
    }

    /// Whether an object has properties and no elements or entries.
    fn is_plain(&self, stream: u16, owner: Value) -> bool {
        let class = owner
            .object()
            .and_then(|id| self.model.object(stream, id.0));
        class.is_none_or(|it| matches!(self.model.text(stream, it.class), "Object" | ""))
    }

    /// Whether an object is of one of these classes, or of one that extends it.
    fn is_of_class(&self, stream: u16, owner: Value, classes: &[&str]) -> bool {
        let Some(id) = owner.object() else {
            return false;
        };
        let class = self.model.object(stream, id.0).map_or(0, |it| it.class);
        let bases = self.model.streams[usize::from(stream)].bases.get(&class);
        classes.contains(&self.model.text(stream, class))
            || bases.is_some_and(|it| it.iter().any(|base| classes.contains(&base.as_str())))
    }

    fn assign(&mut self, stream: u16, site: SiteId, scope: ScopeId, value: Value) {
        let number = self.event(stream, Kind::Assign, site, value);
        let Some(event) = self.model.events.get_mut(number as usize) else {
            return;
        };
        event.key = scope.0;
        let Some(variable) = self.model.tables.site(site).map(|it| it.variable) else {
            return;
        };
        self.model
            .variables
            .entry(variable.0)
            .or_default()
            .push(VariableWrite {
                stream,
                variable,
                scope,
                event: number,
                argument: NONE,
            });
    }

    fn contents(&mut self, stream: u16, owner: Value, total: u32, entries: &[Value]) {
        // It is behind the event that it belongs to.
        let number = self.event(stream, Kind::Contents, SiteId::NONE, Value::Unknown);
        let before = number
            .checked_sub(1)
            .and_then(|at| self.model.events.get(at as usize))
            .filter(|event| event.stream == stream)
            .map_or(SiteId::NONE, |event| event.site);
        if let Some(event) = self.model.events.get_mut(number as usize) {
            event.owner = owner;
            event.site = before;
            event.key = total;
        }
        let (pairs, _) = entries.as_chunks::<2>();
        // Of an array all elements are told, from the first on.
        let mut elements = pairs.iter().zip(0..);
        let is_plain = self.is_plain(stream, owner);
        let is_map = self.is_of_class(stream, owner, &["Map", "Set"])
            || (!is_plain
                && !elements.all(|([key, _], index)| *key == Value::Number(f64::from(index))));
        let mut told = Vec::with_capacity(pairs.len());
        for [key, value] in pairs {
            let listed = u32::try_from(self.model.listed.len()).unwrap_or(NONE);
            self.model.listed.push(*value);
            let key = match is_map {
                true => {
                    let text = plain_text(&self.model, stream, *key);
                    self.key(Key::Entry(text))
                }
                false => self.key_of(stream, *key),
            };
            self.write(stream, owner, key, number, listed);
            told.push(key);
            if let Some(object) = owner.object() {
                self.element_written((stream, object.0), key, *value);
            }
        }
        if let Some(object) = owner.object()
            && number != NONE
        {
            if !is_plain {
                self.told_whole((stream, object.0), total, &told, number);
            }
            self.model.told.push(Told {
                stream,
                object: object.0,
                event: number,
                total,
                count: u32::try_from(told.len()).unwrap_or(NONE),
            });
        }
    }

    /// A task begins; `kind` is the type of its event, or what else began it.
    pub(super) fn task(&mut self, stream: u16, kind: StringId, target: Value) {
        self.drop_running(stream);
        let number = self.event(stream, Kind::Task, SiteId::NONE, target);
        if let Some(event) = self.model.events.get_mut(number as usize) {
            event.key = kind.0;
        }
        self.running[usize::from(stream)].task = number;
    }

    fn suspend(&mut self, stream: u16, site: SiteId, activation: u32, value: Value) {
        let running = &mut self.running[usize::from(stream)];
        if let Some(at) = running
            .calls
            .iter()
            .rposition(|frame| frame.activation == activation)
        {
            running.calls.truncate(at + 1);
        }
        self.event(stream, Kind::Suspend, site, value);
        let running = &mut self.running[usize::from(stream)];
        let is_it = running
            .calls
            .last()
            .is_some_and(|frame| frame.activation == activation);
        if is_it && let Some(frame) = running.calls.pop() {
            if let Some(call) = self.model.calls.get_mut(frame.call as usize) {
                call.suspended = true;
            }
            running.suspended.insert(activation, frame);
        }
    }

    fn resume(&mut self, stream: u16, activation: u32, value: Value) {
        let running = &mut self.running[usize::from(stream)];
        if let Some(mut frame) = running.suspended.remove(&activation) {
            frame.pending.clear();
            let call = frame.call;
            running.calls.push(frame);
            if let Some(call) = self.model.calls.get_mut(call as usize) {
                call.suspended = false;
            }
        }
        self.event(stream, Kind::Resume, SiteId::NONE, value);
    }
}

/// A number that can be the length of an array.
fn whole_number(number: f64) -> Option<u32> {
    let whole = number.trunc();
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is in range"
    )]
    (whole.total_cmp(&number).is_eq() && (0.0..4_294_967_296.0).contains(&number))
        .then_some(whole as u32)
}
