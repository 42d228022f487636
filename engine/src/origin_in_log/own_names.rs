//! Functions of the language under other names: `const parse = JSON.parse; parse(text)`. Which one is called, the
//! function object says: the log has with it where the browser keeps it.

use std::collections::HashSet;

use event_log::model::Key;
use event_log::value::Value as Seen;
use js_analysis::origin::{Argument, Call, CallKind, Form, Reference, Root, Step, Value};

use super::{InLog, Spot};

/// Before the name of what `bind` made of a method: its first argument is what that is called on.
const ON: &str = "on:";

/// What had a function of the language at some time.
#[derive(Debug, Default)]
pub(super) struct OtherNames {
    /// Variables, by their numbers.
    variables: HashSet<u32>,
    /// The names of properties.
    keys: HashSet<String>,
}

impl InLog<'_> {
    /// A call of a function of the language as it would be with that function's own name, and what `Reflect` calls as
    /// a call of that; `None`: it is written so already, or another function is called.
    pub(super) fn by_own_name(&self, spot: Spot, call: &Call) -> Option<Call> {
        let named = self.with_own_name(spot, call);
        match self.reflected_call(spot, named.as_ref().unwrap_or(call)) {
            Some(inner) => self.with_receivers_name(spot, &inner).or(Some(inner)),
            None => named,
        }
    }

    /// `Reflect.apply(f, object, list)` as `f.apply(object, list)`, `Reflect.construct(C, [a])` as `new C(a)`.
    fn reflected_call(&self, spot: Spot, call: &Call) -> Option<Call> {
        if call.kind != CallKind::Plain || call.arguments.iter().any(|it| it.is_spread) {
            return None;
        }
        let (function, others) = call.arguments.split_first()?;
        match (call.global.as_deref()?, others) {
            ("Reflect.apply", [_, _]) => Some(Call {
                receiver: Some(function.value.clone()),
                method: Some("apply".to_owned()),
                global: None,
                arguments: others.to_vec(),
                ..call.clone()
            }),
            ("Reflect.construct", [list, ..]) => Some(Call {
                kind: CallKind::New,
                callee: Some(function.value.clone()),
                receiver: None,
                method: None,
                global: global_name(&function.value),
                arguments: self.of_list(spot, &list.value),
                ..call.clone()
            }),
            _ => None,
        }
    }

    /// A call of a function of the language as it would be with that function's own name.
    fn with_own_name(&self, spot: Spot, call: &Call) -> Option<Call> {
        if call.kind != CallKind::Plain {
            return None;
        }
        if let Some(name) = self.own_name_of(spot, call.callee.as_ref()?) {
            let Some(name) = name.strip_prefix(ON) else {
                let arguments = call.arguments.clone();
                return Some(called(call, name, call.receiver.clone(), arguments));
            };
            let (on, others) = call
                .arguments
                .split_first()
                .filter(|(on, _)| !on.is_spread)?;
            return Some(called(call, name, Some(on.value.clone()), others.to_vec()));
        }
        self.with_receivers_name(spot, call)
    }

    /// `f.call(object, a)`, `f.apply(object, list)` where `f` is a function of the language.
    fn with_receivers_name(&self, spot: Spot, call: &Call) -> Option<Call> {
        let how = call
            .method
            .as_deref()
            .filter(|how| matches!(*how, "call" | "apply"))?;
        let name = self
            .own_name_of(spot, call.receiver.as_ref()?)
            .filter(|name| !name.starts_with(ON))?;
        let (on, others) = call.arguments.split_first()?;
        let arguments = match (how, others) {
            _ if on.is_spread => return None,
            ("call", others) => others.to_vec(),
            (_, []) => Vec::new(),
            (_, [list]) if !list.is_spread => self.of_list(spot, &list.value),
            _ => return None,
        };
        Some(called(call, name, Some(on.value.clone()), arguments))
    }

    /// Whether a call of the text may be of a function of the language that has another name there.
    pub(super) fn may_have_own_name(&self, spot: Spot, call: &Call) -> bool {
        let is_other =
            |of: &Option<Value>| of.as_ref().is_some_and(|of| self.is_other_name(spot, of));
        call.kind == CallKind::Plain && (is_other(&call.callee) || is_other(&call.receiver))
    }

    /// The name of the function of the language that an expression reads, with what holds it.
    fn own_name_of(&self, spot: Spot, value: &Value) -> Option<&str> {
        if !self.is_other_name(spot, value) {
            return None;
        }
        let Seen::Function(id) = self.evaluated(spot, value, 0)? else {
            return None;
        };
        self.own_name_of_function(spot.moment.stream, id.0)
    }

    fn own_name_of_function(&self, stream: u16, function: u32) -> Option<&str> {
        let class = self.model.object(stream, function)?.class;
        let tables = self.model.streams.get(usize::from(stream))?;
        tables.bases.get(&class)?.first().map(String::as_str)
    }

    /// Whether an expression ends in a variable or property that had a function of the language at some time.
    fn is_other_name(&self, spot: Spot, value: &Value) -> bool {
        let Form::Reference(reference) = &value.form else {
            return false;
        };
        let others = self.other_names.get_or_init(|| self.all_other_names());
        match (reference.steps.last(), &reference.root) {
            (Some(Step::Property(name) | Step::Key(name)), _) => others.keys.contains(name),
            (None, Root::Variable { name, at, .. }) if !others.variables.is_empty() => {
                let place = (spot.script, at.0);
                let known = self.calls_by_other_names.borrow().get(&place).copied();
                known.unwrap_or_else(|| {
                    let variables = self.variables(spot, name, *at);
                    let mut variables = variables.into_iter().flat_map(|(numbers, _)| numbers);
                    let is_other = variables.any(|number| others.variables.contains(&number.0));
                    self.calls_by_other_names
                        .borrow_mut()
                        .insert(place, is_other);
                    is_other
                })
            }
            _ => false,
        }
    }

    fn all_other_names(&self) -> OtherNames {
        let is_own = |stream: u16, value: Seen| match value {
            Seen::Function(id) => self.own_name_of_function(stream, id.0).is_some(),
            _ => false,
        };
        let mut names = OtherNames::default();
        for (number, writes) in &self.model.variables {
            let mut given = writes.iter();
            if given.any(|write| is_own(write.stream, self.model.assigned(write))) {
                names.variables.insert(*number);
            }
        }
        for write in &self.model.writes {
            if is_own(write.stream, self.model.written(write))
                && let Some(Key::Property(name)) = self.model.keys.get(write.key as usize)
            {
                names.keys.insert(name.clone());
            }
        }
        names
    }
}

/// The name of a global variable that an expression reads, which the script does not declare.
fn global_name(value: &Value) -> Option<String> {
    match &value.form {
        Form::Reference(Reference {
            root:
                Root::Variable {
                    name,
                    is_declared: false,
                    ..
                },
            steps,
        }) if steps.is_empty() => Some(name.clone()),
        _ => None,
    }
}

/// A call by a function's own name: `Array.prototype.slice` is a method of what it is called on.
fn called(call: &Call, name: &str, on: Option<Value>, arguments: Vec<Argument>) -> Call {
    let (method, global, receiver) = match name.split_once(".prototype.") {
        Some((_, method)) => (Some(method), None, on),
        None => (
            name.split_once('.').map(|(_, method)| method),
            Some(name),
            None,
        ),
    };
    Call {
        method: method.map(str::to_owned),
        global: global.map(str::to_owned),
        receiver,
        arguments,
        ..call.clone()
    }
}
