//! The global object: `window.total = 3` and `total` are one variable, and a script may hand the object on under any
//! name (`(function (root) { root.App = … })(this)`).
//!
//! The log knows it as an object among others. Which one it is, a place tells where a script reads it by its own name.

use event_log::ids::{ObjectId, ScopeId, VariableId};
use event_log::model::Key;
use event_log::tables::FunctionKind;
use event_log::value::Value as Seen;
use js_analysis::origin::{Form, LoggedPlace, Root, Step, Value, Written};

use super::writes::Write;
use super::{InLog, Spot};

/// The names under which the global object holds itself.
const NAMES: [&str; 3] = ["window", "self", "globalThis"];
/// The classes of global objects.
const CLASSES: [&str; 4] = [
    "Window",
    "DedicatedWorkerGlobalScope",
    "SharedWorkerGlobalScope",
    "ServiceWorkerGlobalScope",
];

impl InLog<'_> {
    /// The global object of a realm, where a script with hooks has read it by its own name.
    pub(super) fn global_object(&self, stream: u16) -> Option<u32> {
        let known = self.global_objects.borrow().get(&stream).copied();
        known.unwrap_or_else(|| {
            let found = self.named_global(stream);
            self.global_objects.borrow_mut().insert(stream, found);
            found
        })
    }

    fn named_global(&self, stream: u16) -> Option<u32> {
        let is_global = |value: Seen| {
            let object = value.object()?.0;
            let class = self.model.object(stream, object)?.class;
            CLASSES
                .contains(&self.model.text(stream, class))
                .then_some(object)
        };
        for write in &self.model.writes {
            if write.stream == stream
                && let Some(object) = is_global(Seen::Object(ObjectId(write.object)))
                && let Some(event) = self.event(write.event)
                && let Some((
                    _,
                    LoggedPlace::Written {
                        owner: Some(owner), ..
                    },
                )) = self.place(event.site)
                && self.reads_global(event.call, &owner)
            {
                return Some(object);
            }
        }
        for (call, number) in self.model.calls.iter().zip(0..) {
            if call.stream != stream {
                continue;
            }
            let passed = self.model.arguments_of(call).into_iter().flatten();
            for (value, index) in passed.zip(0_usize..) {
                if let Some(object) = is_global(*value)
                    && let Some((_, text)) = self.caller_of(number)
                    && !text.arguments.iter().take(index + 1).any(|it| it.is_spread)
                    && let Some(argument) = text.arguments.get(index)
                    && self.reads_global(call.parent, &argument.value)
                {
                    return Some(object);
                }
            }
        }
        let mut writes = self.model.variables.values().flatten();
        writes.find_map(|write| {
            let object =
                is_global(self.model.assigned(write)).filter(|_| write.stream == stream)?;
            let event = self.event(write.event)?;
            match self.place(event.site)?.1 {
                LoggedPlace::Written {
                    written: Written::Value { value, path },
                    ..
                } if path.is_empty() && self.reads_global(event.call, &value) => Some(object),
                _ => None,
            }
        })
    }

    /// Whether an expression in a call is the global object by its own name, or `this` at the top of a script.
    fn reads_global(&self, call: u32, value: &Value) -> bool {
        let Form::Reference(reference) = &value.form else {
            return false;
        };
        let is_itself = |step: &Step| match step {
            Step::Property(name) | Step::Key(name) => NAMES.contains(&name.as_str()),
            _ => false,
        };
        let is_root = match &reference.root {
            Root::This => self.is_at_top(call),
            Root::Variable {
                name, is_declared, ..
            } => !is_declared && NAMES.contains(&name.as_str()),
        };
        is_root && reference.steps.iter().all(is_itself)
    }

    /// Whether a call is a classic script itself, in which `this` is the global object.
    fn is_at_top(&self, call: u32) -> bool {
        let Some(call) = self.model.calls.get(call as usize) else {
            return false;
        };
        let function = self.model.tables.function(call.function);
        let mut scripts = self.scripts.iter();
        function.is_some_and(|function| function.kind == FunctionKind::Script)
            && !scripts.any(|it| it.outer.is_some() && it.first.function == call.function.0)
    }

    /// What the root of a reference has that is the global object.
    pub(super) fn global_root(&self, spot: Spot, root: &Root) -> Option<Seen> {
        let is_it = match root {
            Root::This => self.is_at_top(spot.moment.call),
            Root::Variable {
                name, is_declared, ..
            } => !is_declared && NAMES.contains(&name.as_str()),
        };
        let object = self.global_object(spot.moment.stream).filter(|_| is_it)?;
        Some(Seen::Object(ObjectId(object)))
    }

    /// The last write before a moment of a global variable as a property of the global object.
    pub(super) fn written_as_property(&self, spot: Spot, name: &str) -> Option<Write> {
        let stream = spot.moment.stream;
        let global = self.global_object(stream)?;
        let key = Key::Property(name.to_owned());
        let write = self.property(stream, global, &key, spot.moment.at)?;
        let is_known = !matches!(write.value, Seen::Accessor | Seen::Unknown | Seen::Absent);
        is_known.then_some(write)
    }

    /// The last write before a moment of a property of the global object as a variable; `None`: it is no such property,
    /// or declared by `let`, `const` or as a class.
    pub(super) fn written_as_variable(&self, spot: Spot, object: u32, key: &Key) -> Option<Write> {
        let stream = spot.moment.stream;
        let Key::Property(name) = key else {
            return None;
        };
        if self.global_object(stream) != Some(object) {
            return None;
        }
        let variables = self.globals_named(name);
        if variables.iter().any(|variable| self.is_lexical(*variable)) {
            return None;
        }
        self.newest(spot.moment, &variables, ScopeId::NONE)
    }

    /// Whether a global variable is declared by `let`, `const` or as a class: it is no property of the global object.
    fn is_lexical(&self, variable: VariableId) -> bool {
        let scripts = self.scripts.iter();
        let own = scripts.filter(|script| script.first.variable <= variable.0);
        let Some(script) = own.max_by_key(|script| script.first.variable) else {
            return true;
        };
        let index = variable.0 - script.first.variable;
        self.sources.is_lexical(script.home, index)
    }
}
