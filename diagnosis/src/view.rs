//! What a person sees of a call: what it was given, what it returned, and what it changed.
//!
//! Values are shown as they were: an object with the fields that it had then, as far as the log has writes of them.

use std::collections::{BTreeMap, HashSet, VecDeque};

use event_log::catalogue::{shown_event, value_type};
use event_log::ids::ScopeId;
use event_log::model::{Call, CallOutcome, Key, Kind, Model, NONE, text};
use event_log::tables::FunctionKind;
use event_log::value::Value;
use querypoint::answer::{Location, Value as Shown, ValueType};
use querypoint::diagnosis::{CallChange, CallView, Ended, FoundCall, LoopIteration, Named};
use querypoint::events::LoggedEvent;

use crate::log::LogTree;
use crate::loop_state::{head_scope, variables_of};
use crate::loops::Iteration;
use crate::page_effects::page_effects;
use crate::state::{
    Cell, Effects, cell, effects, field, inner_state, is_property, is_time, properties,
};
use crate::tree::NodeId;

/// An object is shown with so many fields at most.
const MOST_FIELDS: usize = 12;
/// And so many objects inside one another.
const DEEPEST: usize = 4;
/// A way to an object is looked for among so many.
const MOST_OBJECTS: usize = 20_000;
/// So many changes are shown.
const MOST_CHANGES: usize = 200;

/// The name of a call's function, where it is, and the event with which it began.
#[must_use]
pub fn found_call(log: &LogTree<'_>, node: NodeId) -> Option<FoundCall> {
    let model = log.model();
    let call = log.call_around(node)?;
    Some(FoundCall {
        function: function_name(model, call),
        location: function_location(model, call),
        call: u64::from(log.iteration_event(node).unwrap_or(call.enter)),
        iteration: iteration_named(log, node),
    })
}

/// Which iteration of which loop a node is.
fn iteration_named(log: &LogTree<'_>, node: NodeId) -> Option<LoopIteration> {
    let iteration = log.iteration(node)?;
    Some(LoopIteration {
        text: log.loop_of(iteration)?.head.clone(),
        number: u64::from(iteration.number),
        location: shown_event(log.model(), iteration.id).and_then(|it| it.location),
    })
}

fn function_name(model: &Model, call: &Call) -> String {
    let event = shown_event(model, call.enter);
    event.and_then(|it| it.function).unwrap_or_default()
}

fn function_location(model: &Model, call: &Call) -> Option<Location> {
    let function = model.tables.function(call.function)?;
    let script = model.tables.script(function.script)?;
    Some(Location {
        url: script.url.clone(),
        line: function.line,
        column: function.column,
        generated: None,
        eval_origin: None,
        library: script.library,
    })
}

/// What is shown of a call, or of an iteration with all behind it.
#[must_use]
pub fn call_view(log: &LogTree<'_>, node: NodeId) -> Option<CallView> {
    let model = log.model();
    let call = log.call_around(node)?;
    let viewer = Viewer {
        log,
        model,
        stream: call.stream,
    };
    let (entry, exit) = (log.start(node)?, log.end(node));
    let caller = model.calls.get(call.parent as usize);
    let task = model.events.get(call.task as usize);
    let effects = effects(log, node, exit);
    let ways = viewer.ways_to(log, node, &effects);
    let (changes, more_changes) = viewer.changes(log, node, &effects, &ways, exit);
    let (arguments, locals) = match log.iteration(node) {
        Some(iteration) => (viewer.of_iteration(call, iteration), Vec::new()),
        None => (
            viewer.arguments(call, entry, exit),
            viewer.locals(call, exit),
        ),
    };
    Some(CallView {
        call: found_call(log, node)?,
        caller: caller.map(|it| function_name(model, it)),
        called_at: caller.and_then(|_| shown_event(model, call.enter)?.location),
        task: match caller {
            Some(_) => None,
            None => task.map(|it| model.text(it.stream, it.key).to_owned()),
        },
        handed_over: handed_over(log, node).map(Box::new),
        this: viewer.this(call, entry),
        arguments,
        locals,
        changes,
        more_changes,
        page: page_effects(log, node, &effects),
        ended: match call.outcome {
            _ if log.iteration(node).is_some_and(|it| !it.ends_call) => Ended::AtTheEnd,
            CallOutcome::Returned(_) if viewer.is_top_level(call) => Ended::AtTheEnd,
            CallOutcome::Returned(value) => Ended::Returned(viewer.shown(value, exit)),
            CallOutcome::Threw => {
                Ended::Threw(model.thrown(call).and_then(|it| viewer.shown(it, exit)))
            }
            CallOutcome::Open if call.suspended => Ended::Suspended,
            CallOutcome::Open => Ended::Open,
        },
        calls: log.tree().children(node).count(),
    })
}

/// With what the function of a call was handed over that nothing with hooks called.
fn handed_over(log: &LogTree<'_>, node: NodeId) -> Option<LoggedEvent> {
    let event = log.model().handed_over_at(log.call_number(node)?)?;
    shown_event(log.model(), event)
}

/// Shows what a realm of a log held.
pub(crate) struct Viewer<'m> {
    pub(crate) log: &'m LogTree<'m>,
    pub(crate) model: &'m Model,
    pub(crate) stream: u16,
}

impl Viewer<'_> {
    fn this(&self, call: &Call, entry: u32) -> Option<Shown> {
        match call.this {
            Value::Undefined | Value::Unknown => None,
            value => self.shown(value, entry),
        }
    }

    /// What the variables were that an iteration sees, and what they are behind the loop.
    fn of_iteration(&self, call: &Call, iteration: &Iteration) -> Vec<Named> {
        let entry = self.entry_of(iteration);
        let cells = variables_of(self.model, call, iteration).into_iter();
        let of_head = head_scope(self.model, iteration);
        let named = cells.filter_map(|it| {
            let values = |at| cell(self.model, self.stream, it, at);
            let (first, last) = (values(entry), values(iteration.end));
            let is_same = match (first, last) {
                (Some(first), Some(last)) => first.same(last) == Some(true),
                (first, last) => first.is_none() && last.is_none(),
            };
            let first = first.and_then(|it| self.shown(it, entry));
            let last = last.and_then(|it| self.shown(it, iteration.end));
            // What is inside of an object may be another, too.
            let variable = self.model.tables.variable(it.variable);
            let is_of_head = of_head.is_some() && variable.map(|it| it.scope) == of_head;
            let is_other = !is_of_head && (!is_same || first != last);
            (first.is_some() || last.is_some()).then(|| Named {
                name: self.variable_name(it),
                entry: first,
                exit: last.filter(|_| is_other),
            })
        });
        named.collect()
    }

    /// When an iteration has what it is given: the variable of a `for-of` is set with its first event.
    pub(crate) fn entry_of(&self, iteration: &Iteration) -> u32 {
        let first = self.model.events.get(iteration.start as usize);
        match first.is_some_and(|it| it.kind == Kind::Assign) && iteration.start == iteration.id {
            true => iteration.start.saturating_add(1),
            false => iteration.start,
        }
    }

    fn arguments(&self, call: &Call, entry: u32, exit: u32) -> Vec<Named> {
        let Some(values) = self.model.arguments_of(call) else {
            return Vec::new();
        };
        let function = self.model.tables.function(call.function);
        let parameters = function.map_or(&[][..], |it| it.parameters.as_slice());
        let count = values.len().max(parameters.len());
        // What a rest parameter takes is one argument.
        let rest = parameters.iter().position(|it| it.starts_with("..."));
        let count = rest.map_or(count, |at| at + 1);
        let named = (0..count).map(|index| {
            if rest == Some(index) {
                let values = values.get(index..).unwrap_or_default().iter();
                let values = values.map(|&value| self.described(value, entry, &mut Vec::new()));
                let list = format!("[{}]", values.collect::<Vec<_>>().join(", "));
                return Named {
                    name: parameters.get(index).cloned().unwrap_or_default(),
                    entry: Some(Shown::new(ValueType::Object, list)),
                    exit: None,
                };
            }
            let value = values.get(index).copied().unwrap_or(Value::Undefined);
            let name = parameters.get(index).cloned();
            let last = name
                .as_deref()
                .and_then(|name| self.own_cell(call, name))
                .and_then(|it| cell(self.model, self.stream, it, exit));
            Named {
                name: name.unwrap_or_else(|| format!("argument {}", index + 1)),
                entry: self.shown(value, entry),
                exit: last
                    .filter(|last| last.same(value) == Some(false))
                    .and_then(|last| self.shown(last, exit)),
            }
        });
        named.collect()
    }

    /// The variable of a name in the scope of a call.
    fn own_cell(&self, call: &Call, name: &str) -> Option<Cell> {
        let of = self.model.scope(self.stream, call.scope)?.of;
        let mut variables = self.model.tables.variables.iter().zip(1..);
        let (_, number) = variables.find(|(it, _)| it.scope == of && it.name == name)?;
        Some(Cell {
            variable: event_log::ids::VariableId(number),
            scope: call.scope,
        })
    }

    fn is_top_level(&self, call: &Call) -> bool {
        let function = self.model.tables.function(call.function);
        function.is_some_and(|it| matches!(it.kind, FunctionKind::Script | FunctionKind::Module))
    }

    /// What the variables of a call's own scope held at its end, parameters left out.
    fn locals(&self, call: &Call, exit: u32) -> Vec<Named> {
        let (Some(scope), Some(function)) = (
            self.model.scope(self.stream, call.scope),
            self.model.tables.function(call.function),
        ) else {
            return Vec::new();
        };
        // What the top of a script declares is what it changed.
        if self.is_top_level(call) {
            return Vec::new();
        }
        let variables = self.model.tables.variables.iter().zip(1..);
        let own = variables
            .filter(|(it, _)| it.scope == scope.of && !function.parameters.contains(&it.name));
        own.filter_map(|(variable, number)| {
            let own = Cell {
                variable: event_log::ids::VariableId(number),
                scope: call.scope,
            };
            let last = cell(self.model, self.stream, own, exit)?;
            Some(Named {
                name: variable.name.clone(),
                entry: None,
                exit: self.shown(last, exit),
            })
        })
        .collect()
    }

    /// The ways that lead to what a call changed.
    pub(crate) fn ways_to(
        &self,
        log: &LogTree<'_>,
        node: NodeId,
        found: &Effects,
    ) -> BTreeMap<u32, String> {
        let (Some(call), Some(entry)) = (log.call_around(node), log.start(node)) else {
            return BTreeMap::new();
        };
        if found.fields.is_empty() {
            return BTreeMap::new();
        }
        let own = match log.iteration(node) {
            Some(iteration) => variables_of(self.model, call, iteration),
            None => Vec::new(),
        };
        let cells: Vec<Cell> = own.into_iter().chain(found.cells.iter().copied()).collect();
        self.ways(call, &cells, entry, log.end(node))
    }

    /// What is another value at a time than it was at a call's beginning; `None`: it is the same.
    pub(crate) fn change(
        &self,
        name: &dyn Fn() -> String,
        (old, entry): (Option<Value>, u32),
        (new, at): (Option<Value>, u32),
    ) -> Option<CallChange> {
        let is_same = match (old, new) {
            (Some(old), Some(new)) => old.same(new) == Some(true),
            (None, new) => new.is_none_or(|it| it == Value::Absent),
            (Some(old), None) => old == Value::Absent,
        };
        (!is_same).then(|| CallChange {
            name: name(),
            old: old.and_then(|it| self.shown(it, entry)),
            new: new.and_then(|it| self.shown(it, at)),
        })
    }

    /// What a call has changed up to a time, by the ways that lead to it.
    pub(crate) fn changes(
        &self,
        log: &LogTree<'_>,
        node: NodeId,
        found: &Effects,
        ways: &BTreeMap<u32, String>,
        at: u32,
    ) -> (Vec<CallChange>, usize) {
        let Some(entry) = log.start(node) else {
            return (Vec::new(), 0);
        };
        let mut changes = Vec::new();
        for &it in &found.cells {
            let name = || self.variable_name(it);
            let values = |at| (cell(self.model, self.stream, it, at), at);
            changes.extend(self.changed(&name, values(entry), values(at)));
        }
        for &it in &found.fields {
            let name = || {
                let way = ways.get(&it.object).cloned();
                let object = || {
                    let id = event_log::ids::ObjectId(it.object);
                    log.named(self.stream, Value::Object(id))
                };
                format!("{}{}", way.unwrap_or_else(object), self.link(it.key))
            };
            let values = |at| (field(self.model, self.stream, it, at), at);
            changes.extend(self.changed(&name, values(entry), values(at)));
        }
        let more = changes.len().saturating_sub(MOST_CHANGES);
        changes.truncate(MOST_CHANGES);
        (changes, more)
    }

    pub(crate) fn variable_name(&self, cell: Cell) -> String {
        let variable = self.model.tables.variable(cell.variable);
        variable.map(|it| it.name.clone()).unwrap_or_default()
    }

    /// How a key is written behind an object.
    pub(crate) fn link(&self, key: u32) -> String {
        match self.model.keys.get(key as usize) {
            // The date itself is what has changed.
            Some(Key::Property(_)) if is_time(self.model, key) => String::new(),
            Some(Key::Property(name)) if !name.is_empty() && is_identifier(name) => {
                format!(".{name}")
            }
            Some(Key::Property(name)) if name.bytes().all(|it| it.is_ascii_digit()) => {
                format!("[{name}]")
            }
            Some(Key::Property(name)) => format!("[{}]", serde_text(name)),
            Some(Key::Symbol(_, _, description)) => format!("[{description}]"),
            Some(Key::Entry(key)) => format!(".get({key})"),
            None => String::new(),
        }
    }

    /// A shortest way to each object from what a call could see, at its end.
    fn ways(&self, call: &Call, cells: &[Cell], entry: u32, exit: u32) -> BTreeMap<u32, String> {
        let mut ways = BTreeMap::new();
        let mut next: VecDeque<u32> = VecDeque::new();
        let mut begin = |name: String, value: Value, next: &mut VecDeque<u32>| {
            if let Some(object) = value.object()
                && !ways.contains_key(&object.0)
            {
                ways.insert(object.0, name);
                next.push_back(object.0);
            }
        };
        begin("this".to_owned(), call.this, &mut next);
        let function = self.model.tables.function(call.function);
        let parameters = function.map_or(&[][..], |it| it.parameters.as_slice());
        for (index, &value) in (0..).zip(self.model.arguments_of(call).unwrap_or_default()) {
            let name = parameters.get(index).cloned();
            begin(
                name.unwrap_or_else(|| format!("argument {}", index + 1)),
                value,
                &mut next,
            );
        }
        for at in [entry, exit] {
            for &it in cells {
                if let Some(value) = cell(self.model, self.stream, it, at) {
                    begin(self.variable_name(it), value, &mut next);
                }
            }
        }
        // Variables around it, from the inside.
        for (variable, scope) in self.around(call) {
            let it = Cell { variable, scope };
            if let Some(value) = cell(self.model, self.stream, it, exit) {
                begin(self.variable_name(it), value, &mut next);
            }
        }
        while let Some(object) = next.pop_front() {
            if ways.len() > MOST_OBJECTS {
                break;
            }
            let way = ways.get(&object).cloned().unwrap_or_default();
            for at in [entry, exit] {
                for (key, value) in properties(self.model, self.stream, object, at) {
                    if let Some(inner) = value.object()
                        && !ways.contains_key(&inner.0)
                    {
                        ways.insert(inner.0, format!("{way}{}", self.link(key)));
                        next.push_back(inner.0);
                    }
                }
            }
        }
        ways
    }

    /// The variables of the scopes around a call, the innermost first.
    fn around(&self, call: &Call) -> Vec<(event_log::ids::VariableId, ScopeId)> {
        let mut found = Vec::new();
        let mut scope = self
            .model
            .scope(self.stream, call.scope)
            .map_or(ScopeId::NONE, |it| it.parent);
        let mut seen = HashSet::new();
        while scope.is_some() && seen.insert(scope) {
            let Some(instance) = self.model.scope(self.stream, scope) else {
                break;
            };
            let variables = self.model.tables.variables.iter().zip(1..);
            let own = variables.filter(|(it, _)| it.scope == instance.of);
            found.extend(own.map(|(_, number)| (event_log::ids::VariableId(number), scope)));
            scope = instance.parent;
        }
        found
    }

    /// A value as it was at a time.
    fn shown(&self, value: Value, at: u32) -> Option<Shown> {
        let kind = value_type(value)?;
        Some(Shown::new(kind, self.described(value, at, &mut Vec::new())))
    }

    /// A value with what is inside it, as a console prints it.
    fn described(&self, value: Value, at: u32, around: &mut Vec<u32>) -> String {
        let Value::Object(id) = value else {
            return text(self.model, self.stream, value);
        };
        let class = self
            .model
            .object(self.stream, id.0)
            .map_or(0, |it| it.class);
        let class = match self.model.text(self.stream, class) {
            "" => "Object",
            class => class,
        };
        if let Some(up) = around.iter().rev().position(|&it| it == id.0) {
            return format!("{class} ↑{}", up + 1);
        }
        let mut fields = properties(self.model, self.stream, id.0, at);
        let has_message = fields
            .iter()
            .any(|&(key, _)| is_property(self.model, key, "message"));
        let inner = inner_state(self.model, self.stream, id.0, at);
        let has_inner = inner.is_some() && !has_message;
        let class = match inner {
            // The page has written another one.
            Some(_) if has_message => class.to_owned(),
            Some(time) if class == "Date" => format!("Date {time}"),
            Some(message) => format!("{class}: {message}"),
            None => class.to_owned(),
        };
        let looked_up = self.log.looked_up(self.stream, id.0);
        let class = looked_up.unwrap_or(class.as_str());
        if fields.is_empty() {
            return match class {
                class if looked_up.is_some() => class.to_owned(),
                "Array" => "[]".to_owned(),
                "Object" => "{}".to_owned(),
                class if has_inner => class.to_owned(),
                class => format!("{class} {{}}"),
            };
        }
        if around.len() >= DEEPEST {
            return format!("{class} {{…}}");
        }
        around.push(id.0);
        let first_write = |key: u32| {
            let writes = self.model.writes_of_key(self.stream, id.0, key);
            writes.first().map_or(NONE, |it| it.event)
        };
        let is_array = class == "Array";
        fields.sort_by_key(|&(key, _)| match self.model.keys.get(key as usize) {
            Some(Key::Property(name)) if is_array => (name.parse::<u32>().unwrap_or(NONE), key),
            _ => (first_write(key), key),
        });
        let more = fields.len().saturating_sub(MOST_FIELDS);
        let mut parts: Vec<String> = Vec::new();
        for &(key, value) in fields.iter().take(MOST_FIELDS) {
            let inner = self.described(value, at, around);
            parts.push(match self.model.keys.get(key as usize) {
                Some(Key::Property(name)) if is_array && name.parse::<u32>().is_ok() => inner,
                Some(Key::Property(name) | Key::Entry(name)) => format!("{name}: {inner}"),
                Some(Key::Symbol(_, _, description)) => format!("[{description}]: {inner}"),
                None => inner,
            });
        }
        around.pop();
        if more > 0 {
            parts.push(format!("{more} more"));
        }
        let inside = parts.join(", ");
        match class {
            "Array" => format!("[{inside}]"),
            "Object" => format!("{{{inside}}}"),
            class => format!("{class} {{{inside}}}"),
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let rest = name.strip_prefix('#').unwrap_or(name);
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$');
    rest.chars().all(is_part) && !rest.starts_with(|it: char| it.is_ascii_digit())
}

/// A text in double quotes.
fn serde_text(text: &str) -> String {
    format!("{text:?}")
}
