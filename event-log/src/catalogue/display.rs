//! Events and values as an answer shows them.

use querypoint::answer::{Location, Owner, Value as Shown, ValueType};
use querypoint::events::{EventKind, LoggedEvent};

use crate::ids::{FunctionId, SiteId};
use crate::model::{Call, CallOutcome, Event, Key, Kind, Model, text};
use crate::tables::Function;
use crate::value::Value;

/// A value as an answer has it; `None`: it was not recorded, or there is none.
pub(crate) fn shown(model: &Model, stream: u16, value: Value) -> Option<Shown> {
    let kind = value_type(value)?;
    Some(Shown::new(kind, text(model, stream, value)))
}

/// The type of a value, as an answer names it; `None`: it was not recorded, or there is none.
#[must_use]
pub fn value_type(value: Value) -> Option<ValueType> {
    Some(match value {
        Value::Unknown | Value::Absent => return None,
        Value::Undefined => ValueType::Undefined,
        Value::Null | Value::Object(_) => ValueType::Object,
        Value::Boolean(_) => ValueType::Boolean,
        Value::Number(_) => ValueType::Number,
        Value::String(_) | Value::LongString { .. } => ValueType::String,
        Value::BigInt(_) => ValueType::Bigint,
        Value::Function(_) => ValueType::Function,
        Value::Symbol(_) => ValueType::Symbol,
        Value::Uninitialised => ValueType::Uninitialised,
        Value::Accessor => ValueType::Accessor,
    })
}

/// The object that a value is.
pub(super) fn owner(model: &Model, stream: u16, value: Value) -> Option<Owner> {
    let id = value.object()?;
    Some(Owner {
        id: u64::from(id.0),
        class: owner_class(model, stream, id.0).to_owned(),
    })
}

/// The class of an object, by its number.
pub(crate) fn owner_class(model: &Model, stream: u16, number: u32) -> &str {
    let object = model.object(stream, number).copied().unwrap_or_default();
    let class = match object.is_function {
        true => "Function",
        false => model.class_of(stream, number),
    };
    if class.is_empty() { "Object" } else { class }
}

/// Whether a value is an object of a class: of that very one, or of one that extends it. All objects are of `Object`,
/// so there only the very one counts.
pub(super) fn is_instance(model: &Model, stream: u16, value: Value, class: &str) -> bool {
    let Some(id) = value.object() else {
        return false;
    };
    if owner_class(model, stream, id.0) == class {
        return true;
    }
    let object = model.object(stream, id.0).copied().unwrap_or_default();
    let bases = model.streams.get(usize::from(stream)).map(|it| &it.bases);
    let bases = bases.and_then(|it| it.get(&object.class));
    !object.is_function && bases.is_some_and(|it| it.iter().any(|base| base == class))
}

/// The name of a key, as it is written behind an object.
pub(crate) fn key_text(key: &Key) -> String {
    match key {
        Key::Property(name) => name.clone(),
        Key::Symbol(_, _, description) => format!("[{description}]"),
        Key::Entry(key) => format!("[{key}]"),
    }
}

/// Where a site is.
pub(super) fn site_location(model: &Model, site: SiteId) -> Option<Location> {
    let site = model.site(site)?;
    let script = model.tables.script(site.script)?;
    Some(location(
        &script.url,
        site.line,
        site.column,
        script.library,
    ))
}

fn location(url: &str, line: u32, column: u32, library: bool) -> Location {
    Location {
        url: url.to_owned(),
        line,
        column,
        generated: None,
        eval_origin: None,
        library,
    }
}

/// Where a function is.
pub(super) fn function_location(model: &Model, function: FunctionId) -> Option<Location> {
    let function = model.tables.function(function)?;
    let script = model.tables.script(function.script)?;
    Some(location(
        &script.url,
        function.line,
        function.column,
        script.library,
    ))
}

/// The name of a function; of the top of a script what it is.
pub(super) fn function_name(model: &Model, function: FunctionId) -> Option<String> {
    let function = model.tables.function(function)?;
    Some(function_label(function).to_owned())
}

/// The same, of what the tables say of it.
pub(crate) fn function_label(function: &Function) -> &str {
    use crate::tables::FunctionKind as Is;
    match function.kind {
        _ if !function.name.is_empty() => &function.name,
        Is::Script | Is::Module => "(top level)",
        Is::Handler => "(event handler)",
        _ => "(anonymous)",
    }
}

/// An event as an answer has it; `None` where there is none that an answer could have.
#[must_use]
pub fn event(model: &Model, number: u32) -> Option<LoggedEvent> {
    let it = model.events.get(number as usize)?;
    let stream = it.stream;
    let call = model.calls.get(it.call as usize);
    let mut event = LoggedEvent {
        location: site_location(model, it.site),
        function: call.and_then(|call| function_name(model, call.function)),
        call: call.map(|call| u64::from(call.enter)),
        ..LoggedEvent::new(u64::from(number), kind_of(it.kind)?)
    };
    match it.kind {
        Kind::Call => {
            if let Some(call) = call {
                with_call(model, call, &mut event);
            }
        }
        Kind::Return => event.returned = shown(model, stream, it.value),
        Kind::Unwind => {}
        Kind::Write | Kind::WriteEntry => {
            event.owner = owner(model, stream, it.owner);
            event.name = model.keys.get(it.key as usize).map(key_text);
            event.value = shown(model, stream, it.value);
        }
        Kind::Assign | Kind::Branch => {
            event.name = site_name(model, it.site);
            event.value = shown(model, stream, it.value);
        }
        Kind::Suspend => {
            event.name = site_name(model, it.site);
            event.value = shown(model, stream, it.value);
        }
        Kind::Settle => {
            event.name = Some(outcome_word(it).to_owned());
            event.owner = owner(model, stream, it.owner);
            event.value = shown(model, stream, it.value);
        }
        Kind::Create => {
            event.owner = owner(model, stream, it.owner);
            event.name = event.owner.as_ref().map(|owner| owner.class.clone());
        }
        Kind::Contents => event.owner = owner(model, stream, it.owner),
        Kind::Throw | Kind::Catch | Kind::Uncaught => {
            event.exception = shown(model, stream, it.value);
            event.owner = owner(model, stream, it.value);
        }
        Kind::CallEnd => {
            event.name = model.site(it.site).map(|site| site.shown().to_owned());
            event.owner = owner(model, stream, it.owner);
            event.returned = shown(model, stream, it.value);
            let arguments = model.library_arguments_of(number);
            event.arguments = arguments.map(|values| all_shown(model, stream, values));
        }
        Kind::Dom => {
            event.name = Some(model.text(stream, it.key).to_owned());
            event.owner = owner(model, stream, it.owner);
            event.value = shown(model, stream, it.value);
        }
        Kind::Request | Kind::Response | Kind::Action => {
            event.name = Some(about_page(model, it));
            event.value = shown(model, stream, it.value);
        }
        Kind::Task => {
            event.name = Some(model.text(stream, it.key).to_owned());
            event.value = shown(model, stream, it.value);
        }
        _ => event.value = shown(model, stream, it.value),
    }
    Some(event)
}

fn site_name(model: &Model, site: SiteId) -> Option<String> {
    let name = model.site(site).map(|site| site.shown().to_owned());
    name.filter(|name| !name.is_empty())
}

/// What came of a promise, by the event that says it.
pub(crate) const fn outcome_word(settled: &Event) -> &'static str {
    if settled.key == 1 {
        "fulfilled"
    } else {
        "rejected"
    }
}

fn kind_of(kind: Kind) -> Option<EventKind> {
    Some(match kind {
        Kind::Call | Kind::CallEnd => EventKind::Call,
        Kind::Return => EventKind::Return,
        Kind::Unwind | Kind::Throw | Kind::Uncaught => EventKind::Throw,
        Kind::Catch => EventKind::Catch,
        Kind::Write | Kind::WriteEntry => EventKind::Write,
        Kind::Assign => EventKind::Assign,
        Kind::Create => EventKind::Create,
        Kind::Branch => EventKind::Branch,
        Kind::Step => EventKind::Step,
        Kind::Contents => EventKind::Contents,
        Kind::Task | Kind::TaskEnd => EventKind::Task,
        Kind::Suspend => EventKind::Suspend,
        Kind::Resume => EventKind::Resume,
        Kind::Settle => EventKind::Settle,
        Kind::Dom => EventKind::Dom,
        Kind::Request => EventKind::Request,
        Kind::Response => EventKind::Response,
        Kind::Action => EventKind::Action,
        Kind::Other | Kind::Gap => return None,
    })
}

/// The word of a kind of events, and of what is told beside it.
pub(crate) const fn kind_word(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Call => ("call", ""),
        Kind::CallEnd => ("call", "library"),
        Kind::Return => ("return", ""),
        Kind::Throw => ("throw", ""),
        Kind::Unwind => ("throw", "unwind"),
        Kind::Uncaught => ("throw", "uncaught"),
        Kind::Catch => ("catch", ""),
        Kind::Write => ("write", ""),
        Kind::WriteEntry => ("write", "entry"),
        Kind::Assign => ("assign", ""),
        Kind::Create => ("create", ""),
        Kind::Branch => ("branch", ""),
        Kind::Step => ("step", ""),
        Kind::Contents => ("contents", ""),
        Kind::Task => ("task", ""),
        Kind::TaskEnd => ("task", "end"),
        Kind::Suspend => ("suspend", ""),
        Kind::Resume => ("resume", ""),
        Kind::Settle => ("settle", ""),
        Kind::Dom => ("dom", ""),
        Kind::Request => ("request", ""),
        Kind::Response => ("response", ""),
        Kind::Action => ("action", ""),
        Kind::Other => ("other", ""),
        Kind::Gap => ("gap", ""),
    }
}

/// What a request, a response or an action of the user is about, in words.
pub(crate) fn about_page(model: &Model, event: &Event) -> String {
    let text = model.text(event.stream, event.key);
    let beside = match (event.kind, event.owner) {
        (Kind::Response, Value::Number(status)) => {
            return format!("{status} {text}").trim_end().to_owned();
        }
        (Kind::Action, Value::String(selector)) => model.text(event.stream, selector.0),
        _ => "",
    };
    format!("{text} {beside}").trim_end().to_owned()
}

/// What is known of a call.
pub(super) fn with_call(model: &Model, call: &Call, event: &mut LoggedEvent) {
    let stream = call.stream;
    if event.location.is_none() {
        event.location = function_location(model, call.function);
    }
    event.call = Some(u64::from(call.enter));
    event.owner = owner(model, stream, call.this);
    let arguments = model.arguments_of(call);
    event.arguments = arguments.map(|values| all_shown(model, stream, values));
    match call.outcome {
        CallOutcome::Returned(value) => event.returned = shown(model, stream, value),
        CallOutcome::Threw => {
            event.exception = model.thrown(call).and_then(|it| shown(model, stream, it));
        }
        CallOutcome::Open => {}
    }
}

fn all_shown(model: &Model, stream: u16, values: &[Value]) -> Vec<Shown> {
    let shown_of = |&value: &Value| {
        let unknown = || Shown::new(ValueType::Undefined, "not recorded");
        shown(model, stream, value).unwrap_or_else(unknown)
    };
    values.iter().map(shown_of).collect()
}
