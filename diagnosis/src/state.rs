//! What objects and variables held at a time, by the writes that the log has, and what a call changed.
//!
//! A time is the number of an event: the state just before it. What no write of the log gave is not known.

use std::collections::BTreeSet;

use event_log::ids::{ScopeId, VariableId};
use event_log::model::{Call, Key, Kind, Model, NONE, plain_text};
use event_log::record::{DATE_VALUE, MESSAGE};
use event_log::tables::StaticScopeKind;
use event_log::value::Value;

use crate::log::LogTree;
use crate::tree::NodeId;

/// A field of an object of a realm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Field {
    pub(crate) object: u32,
    /// By index in [`Model::keys`].
    pub(crate) key: u32,
}

/// A variable of a scope that was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Cell {
    pub(crate) variable: VariableId,
    pub(crate) scope: ScopeId,
}

/// What a call changed that was there before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Effects {
    pub(crate) fields: BTreeSet<Field>,
    pub(crate) cells: BTreeSet<Cell>,
}

/// Whether a key is that of an element or entry, which a list of all contents replaces.
fn is_element(model: &Model, key: u32) -> bool {
    match model.keys.get(key as usize) {
        Some(Key::Entry(_)) => true,
        Some(Key::Property(name)) => !name.is_empty() && name.bytes().all(|it| it.is_ascii_digit()),
        _ => false,
    }
}

fn is_inner(model: &Model, key: u32) -> bool {
    is_time(model, key) || is_message(model, key)
}

/// What an object holds that no property shows: the time of a date then, the message of an error.
pub(crate) fn inner_state(model: &Model, stream: u16, object: u32, at: u32) -> Option<String> {
    let writes = model.writes_of(stream, object);
    let mut own = writes.iter().filter(|it| is_inner(model, it.key));
    let first = own.next()?;
    // An error has it from the beginning, also where it is told later.
    let last = own.take_while(|it| it.event < at).last().unwrap_or(first);
    Some(plain_text(model, stream, model.written(last)))
}

/// Whether a key is that of the time of a date.
pub(crate) fn is_time(model: &Model, key: u32) -> bool {
    is_property(model, key, DATE_VALUE)
}

/// Whether a key is that of the message that an error was made with.
pub(crate) fn is_message(model: &Model, key: u32) -> bool {
    is_property(model, key, MESSAGE)
}

/// Whether a key is the name of this property.
pub(crate) fn is_property(model: &Model, key: u32, of: &str) -> bool {
    matches!(model.keys.get(key as usize), Some(Key::Property(name)) if name == of)
}

/// The time at which a state is read: what an object held when the log met it, it held before, too.
fn when_met(model: &Model, stream: u16, object: u32, at: u32) -> u32 {
    let first = model.told_of(stream, object).first().map(|it| it.event);
    let Some(first) = first.filter(|first| at <= *first) else {
        return at;
    };
    let mut writes = model.writes_of(stream, object).iter();
    let is_made = model.made.contains(&(stream, object));
    match is_made || writes.any(|it| it.event < first) {
        true => at,
        false => first.saturating_add(1),
    }
}

/// What an object's properties and elements were at a time, by key.
pub(crate) fn properties(model: &Model, stream: u16, object: u32, at: u32) -> Vec<(u32, Value)> {
    let writes = model.writes_of(stream, object);
    let at = when_met(model, stream, object, at);
    let mut found = Vec::new();
    let mut rest = writes;
    while let Some(first) = rest.first() {
        let count = rest.partition_point(|it| it.key == first.key);
        let (own, others) = rest.split_at(count);
        rest = others;
        let before = own.partition_point(|it| it.event < at);
        let Some(last) = own.get(before.wrapping_sub(1)) else {
            continue;
        };
        let value = model.written(last);
        if value != Value::Absent && !is_inner(model, last.key) {
            found.push((last.key, value));
        }
    }
    found
}

/// What a field held at a time; `None`: no write of it is in the log. What was taken away is [`Value::Absent`].
pub(crate) fn field(model: &Model, stream: u16, field: Field, at: u32) -> Option<Value> {
    let own = model.writes_of_key(stream, field.object, field.key);
    let at = when_met(model, stream, field.object, at);
    let before = own.partition_point(|it| it.event < at);
    let last = own.get(before.wrapping_sub(1))?;
    Some(model.written(last))
}

/// What a variable held at a time; `None`: no write of it is in the log.
pub(crate) fn cell(model: &Model, stream: u16, cell: Cell, at: u32) -> Option<Value> {
    let writes = model.variables.get(&cell.variable.0)?;
    let before = writes.partition_point(|it| it.event < at);
    let own = writes.get(..before)?.iter().rev();
    let mut own = own.filter(|it| it.stream == stream && it.scope == cell.scope);
    own.next().map(|last| model.assigned(last))
}

/// Whether a variable whose scope the log does not number is one of a script as a whole.
pub(crate) fn is_shared(model: &Model, variable: VariableId) -> bool {
    let declared = model.tables.variable(variable).map(|it| it.scope);
    match declared.and_then(|it| model.tables.scope(it)) {
        Some(scope) => !matches!(
            scope.kind,
            StaticScopeKind::Function | StaticScopeKind::Block | StaticScopeKind::Catch
        ),
        None => true,
    }
}

/// Whether an object is the document, the window or storage: it has state that no write of the page need have given.
fn is_platform(model: &Model, stream: u16, object: u32) -> bool {
    let class = model.object(stream, object).map_or(0, |it| it.class);
    matches!(
        model.text(stream, class),
        "HTMLDocument" | "Document" | "Window" | "Storage" | "Location" | "History"
    )
}

/// Whether an object was there before a call began.
pub(crate) fn is_old(model: &Model, call: &Call, object: u32) -> bool {
    let is_it = |value: &Value| value.object().is_some_and(|it| it.0 == object);
    let seen = model.object(call.stream, object).map_or(NONE, |it| it.seen);
    // What is passed is defined behind the event of the call. What is the platform's no call makes unseen.
    seen <= call.enter
        || is_platform(model, call.stream, object)
        || is_it(&call.this)
        || model
            .arguments_of(call)
            .is_some_and(|it| it.iter().any(is_it))
}

/// What a call (or an iteration) and all below it wrote to what was there before, up to an event. Variables of the call
/// that runs an iteration are left out.
pub(crate) fn effects(log: &LogTree<'_>, node: NodeId, before: u32) -> Effects {
    let model = log.model();
    let mut effects = Effects::default();
    let (Some(call), Some(start)) = (log.call_around(node), log.start(node)) else {
        return effects;
    };
    let stream = call.stream;
    let is_old = |object: u32| match log.call(node) {
        Some(call) => is_old(model, call, object),
        None => model
            .object(stream, object)
            .is_some_and(|it| it.seen <= start),
    };
    for number in log.events_below(node, before) {
        let Some(event) = model.events.get(number as usize) else {
            continue;
        };
        match event.kind {
            Kind::Write | Kind::WriteEntry => {
                // An error is told of where it is met first.
                let is_told = is_message(model, event.key);
                if let Some(object) = event.owner.object().filter(|it| is_old(it.0) && !is_told) {
                    effects.fields.insert(Field {
                        object: object.0,
                        key: event.key,
                    });
                    // A shorter array has fewer elements.
                    if is_property(model, event.key, "length") {
                        let gone = model.writes_of(stream, object.0).iter();
                        let gone = gone.filter(|write| write.event == number);
                        effects.fields.extend(gone.map(|write| Field {
                            object: object.0,
                            key: write.key,
                        }));
                    }
                }
            }
            Kind::Contents => {
                let Some(object) = event.owner.object().filter(|it| is_old(it.0)) else {
                    continue;
                };
                // Elements that were there before and are not told are gone.
                for write in model.writes_of(stream, object.0) {
                    if write.event <= number && is_element(model, write.key) {
                        effects.fields.insert(Field {
                            object: object.0,
                            key: write.key,
                        });
                    }
                }
            }
            Kind::Assign => {
                let scope = ScopeId(event.key);
                let Some(variable) = model.site(event.site).map(|it| it.variable) else {
                    continue;
                };
                let is_outer = match model.scope(stream, scope) {
                    Some(instance) => instance.entered <= call.enter,
                    None => is_shared(model, variable),
                };
                if variable.is_some() && is_outer {
                    effects.cells.insert(Cell { variable, scope });
                }
            }
            _ => {}
        }
    }
    effects
}
