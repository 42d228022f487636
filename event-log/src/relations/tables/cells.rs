//! Cells: what a row of the model says in a column, and which rows have a value in it.

use std::borrow::Cow;

use crate::catalogue::{about_page, function_label, key_text, outcome_word, owner_class};
use crate::ids::{FunctionId, SiteId};
use crate::model::{Call, CallOutcome, Event, KeyWrite, Kind, Model, NONE, text};
use crate::relations::{Cell, Passed, Relations, Rows, Wanted};
use crate::tables::{Function, Site};
use crate::value::Value;

/// A cell of a row that is an element of a list; without that row it is empty.
fn in_row<'m, T>(rows: &'m [T], row: u32, cell: impl FnOnce(&'m T) -> Cell<'m>) -> Cell<'m> {
    rows.get(row as usize).map_or(Cell::Null, cell)
}

/// A cell of an event; `row` is its number.
pub(super) fn event<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&Event, &'m Model) -> Cell<'m>,
) -> Cell<'m> {
    let model = it.model();
    in_row(&model.events, row, |event| cell(event, model))
}

/// A cell of a call; `row` is its number.
pub(super) fn call<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&Call, &'m Model) -> Cell<'m>,
) -> Cell<'m> {
    let model = it.model();
    in_row(&model.calls, row, |call| cell(call, model))
}

/// A cell of what a call returned; empty if it threw or has no end.
pub(super) fn returned<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, u16, Value) -> Cell<'m>,
) -> Cell<'m> {
    call(it, row, |call, model| match call.outcome {
        CallOutcome::Returned(value) => cell(model, call.stream, value),
        CallOutcome::Threw | CallOutcome::Open => Cell::Null,
    })
}

/// A cell of an argument; `row` is its place among the arguments of all calls.
pub(super) fn argument<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, &Passed, Value) -> Cell<'m>,
) -> Cell<'m> {
    let model = it.model();
    let behind = it.arguments.partition_point(|passed| passed.from <= row);
    let own = behind
        .checked_sub(1)
        .and_then(|index| it.arguments.get(index));
    match (own, model.arguments.get(row as usize)) {
        // Of a call that a damaged log tells the arguments of twice, the last ones count.
        (Some(passed), Some(&value)) if row - passed.from < passed.count => {
            cell(model, passed, value)
        }
        _ => Cell::Null,
    }
}

/// A cell of a write of a key.
pub(super) fn write<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, &KeyWrite) -> Cell<'m>,
) -> Cell<'m> {
    let model = it.model();
    in_row(&model.writes, row, |write| cell(model, write))
}

/// A cell of the value that a write of a key gave.
pub(super) fn written<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, u16, Value) -> Cell<'m>,
) -> Cell<'m> {
    write(it, row, |model, write| {
        cell(model, write.stream, model.written(write))
    })
}

/// A cell of a write of a variable, with the variable's number.
pub(super) fn variable<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, u32, &crate::model::VariableWrite) -> Cell<'m>,
) -> Cell<'m> {
    in_row(&it.variables, row, |(number, write)| {
        cell(it.model(), *number, write)
    })
}

/// A cell of the value that a write of a variable gave.
pub(super) fn assigned<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, u16, Value) -> Cell<'m>,
) -> Cell<'m> {
    variable(it, row, |model, _, write| {
        cell(model, write.stream, model.assigned(write))
    })
}

/// A cell of an object; rows have the objects of one stream behind those of another.
pub(super) fn seen<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, u16, u32, &crate::model::Object) -> Cell<'m>,
) -> Cell<'m> {
    let stream = it
        .objects
        .partition_point(|before| *before <= row)
        .saturating_sub(1);
    let before = it.objects.get(stream).copied().unwrap_or(0);
    let number = row.saturating_sub(before).saturating_add(1);
    let stream = u16::try_from(stream).unwrap_or(u16::MAX);
    let object = it.model().object(stream, number);
    object.map_or(Cell::Null, |object| {
        cell(it.model(), stream, number, object)
    })
}

/// A cell of a function; row 0 is function 1.
pub(super) fn function<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, &'m Function, FunctionId) -> Cell<'m>,
) -> Cell<'m> {
    let id = FunctionId(row.saturating_add(1));
    let function = it.model().tables.function(id);
    function.map_or(Cell::Null, |function| cell(it.model(), function, id))
}

/// A place where something is missing, with the event that is behind it.
pub(super) fn gap(it: &Relations, row: u32) -> Option<&(u32, crate::record::GapReason)> {
    it.model().gaps.get(row as usize)
}

/// All rows of a table.
pub(super) fn everything(rows: usize) -> Rows {
    Rows::Range(0..u32::try_from(rows).unwrap_or(NONE))
}

/// Of a table whose rows are sorted by an event's number: `first` gives the first row that has at least that number.
pub(super) fn by_position(
    wanted: &Wanted<'_>,
    rows: usize,
    first: impl Fn(u32) -> Option<u32>,
) -> Rows {
    let rows = u32::try_from(rows).unwrap_or(NONE);
    let (from, to) = match wanted {
        Wanted::Equal(Cell::Integer(seq)) => (*seq, *seq),
        Wanted::Between(from, to) => (*from, *to),
        Wanted::Equal(_) => return Rows::Range(0..rows),
    };
    let row = |seq: i64| match u32::try_from(seq.max(0)) {
        Ok(seq) => first(seq).unwrap_or(rows).min(rows),
        Err(_) => rows,
    };
    let start = row(from);
    Rows::Range(start..row(to.saturating_add(1)).max(start))
}

/// The call that an event begins.
pub(super) fn call_of(model: &Model, seq: i64) -> Option<u32> {
    let seq = u32::try_from(seq).ok()?;
    let row = model.calls.partition_point(|call| call.enter < seq);
    let call = model.calls.get(row)?;
    (call.enter == seq).then(|| u32::try_from(row).unwrap_or(NONE))
}

/// Where the arguments of code without hooks begin, and how many they are ([`NONE`]: not recorded); `event` is its end.
pub(super) fn library_arguments(model: &Model, event: u32) -> (u32, u32) {
    let told = &model.library_arguments;
    let at = told.partition_point(|(other, _, _)| *other < event);
    match told.get(at) {
        Some(&(other, from, count)) if other == event => (from, count),
        _ => (0, NONE),
    }
}

/// The second numbers of the pairs that begin with `of`; the pairs are sorted.
pub(super) fn of_pairs(pairs: &[(u32, u32)], of: u32) -> impl Iterator<Item = u32> {
    let from = pairs.partition_point(|(other, _)| *other < of);
    let rest = pairs.get(from..).unwrap_or_default();
    rest.iter()
        .take_while(move |(other, _)| *other == of)
        .map(|(_, call)| *call)
}

/// The rows that belong to `of`, by sorted pairs.
pub(super) fn pairs(pairs: &[(u32, u32)], of: u32) -> Rows {
    Rows::List(of_pairs(pairs, of).collect())
}

/// The number of a stream, from 0.
pub(super) fn realm<'m>(stream: u16) -> Cell<'m> {
    Cell::Integer(i64::from(stream))
}

/// A number of something that begins with 1; 0 is none.
pub(super) fn some<'m>(number: u32) -> Cell<'m> {
    match number {
        0 => Cell::Null,
        number => number.into(),
    }
}

/// The number of a call's first event.
pub(super) fn enter<'m>(model: &Model, call: u32) -> Cell<'m> {
    model
        .calls
        .get(call as usize)
        .map_or(Cell::Null, |call| call.enter.into())
}

/// The name of a call's function.
pub(super) fn function_of_call(model: &Model, call: u32) -> Cell<'_> {
    let function = model
        .calls
        .get(call as usize)
        .map_or(FunctionId::NONE, |call| call.function);
    function_name(model, function)
}

/// The name of a function, as answers have it.
pub(super) fn function_name(model: &Model, function: FunctionId) -> Cell<'_> {
    model
        .tables
        .function(function)
        .map_or(Cell::Null, |function| function_label(function).into())
}

/// The address of a function's script.
pub(super) fn function_file(model: &Model, function: FunctionId) -> Cell<'_> {
    let script = model
        .tables
        .function(function)
        .and_then(|it| model.tables.script(it.script));
    script.map_or(Cell::Null, |script| script.url.as_str().into())
}

/// The line of a function, from 1.
pub(super) fn function_line<'m>(model: &Model, function: FunctionId) -> Cell<'m> {
    model
        .tables
        .function(function)
        .map_or(Cell::Null, |function| some(function.line))
}

/// The column of a function, from 1.
pub(super) fn function_column<'m>(model: &Model, function: FunctionId) -> Cell<'m> {
    model
        .tables
        .function(function)
        .map_or(Cell::Null, |function| some(function.column))
}

/// What the tables say of a place.
pub(super) fn site(model: &Model, site: SiteId) -> Option<&Site> {
    model.site(site)
}

/// The address of a place's script.
pub(super) fn file(model: &Model, of: SiteId) -> Cell<'_> {
    let script = site(model, of).and_then(|site| model.tables.script(site.script));
    script.map_or(Cell::Null, |script| script.url.as_str().into())
}

/// The line of a place, from 1.
pub(super) fn line<'m>(model: &Model, of: SiteId) -> Cell<'m> {
    site(model, of).map_or(Cell::Null, |site| some(site.line))
}

/// The column of a place, from 1.
pub(super) fn column<'m>(model: &Model, of: SiteId) -> Cell<'m> {
    site(model, of).map_or(Cell::Null, |site| some(site.column))
}

/// A key as text.
pub(super) fn key(model: &Model, key: u32) -> Cell<'_> {
    model
        .keys
        .get(key as usize)
        .map_or(Cell::Null, |key| key_text(key).into())
}

/// The name of a variable.
pub(super) fn variable_name(model: &Model, variable: u32) -> Cell<'_> {
    let index = variable.checked_sub(1).map(|index| index as usize);
    let variable = index.and_then(|index| model.tables.variables.get(index));
    variable.map_or(Cell::Null, |variable| variable.name.as_str().into())
}

/// The name of the parameter that an argument fills.
pub(super) fn parameter<'m>(model: &'m Model, call: &Passed, row: u32) -> Cell<'m> {
    let function = model.tables.function(call.function);
    let position = row.saturating_sub(call.from) as usize;
    let name = function.and_then(|function| function.parameters.get(position));
    name.map_or(Cell::Null, |name| name.as_str().into())
}

/// What an event is about: a property, variable, condition, called code or task.
pub(super) fn name<'m>(event: &Event, model: &'m Model) -> Cell<'m> {
    match event.kind {
        Kind::Write | Kind::WriteEntry => key(model, event.key),
        Kind::Assign | Kind::Branch | Kind::CallEnd | Kind::Suspend => {
            site(model, event.site).map_or(Cell::Null, |site| site.shown().into())
        }
        Kind::Create => class(model, event.stream, event.owner),
        Kind::Settle => outcome_word(event).into(),
        Kind::Task | Kind::Dom => model.text(event.stream, event.key).into(),
        Kind::Request | Kind::Response | Kind::Action => {
            Cell::Text(Cow::Owned(about_page(model, event)))
        }
        _ => Cell::Null,
    }
}

/// How a call ended, as a word.
pub(super) fn outcome<'m>(call: &Call, _: &Model) -> Cell<'m> {
    match call.outcome {
        CallOutcome::Returned(_) => "returned",
        CallOutcome::Threw => "threw",
        CallOutcome::Open if call.suspended => "suspended",
        CallOutcome::Open => "open",
    }
    .into()
}

/// A value as text: of a text itself.
pub(super) fn shown(model: &Model, stream: u16, value: Value) -> Cell<'_> {
    match value {
        Value::Unknown | Value::Absent => Cell::Null,
        Value::String(id) => Cell::Text(Cow::Borrowed(model.text(stream, id.0))),
        Value::LongString { start, .. } => Cell::Text(Cow::Borrowed(model.text(stream, start.0))),
        value => text(model, stream, value).into(),
    }
}

/// The type of a value, as a word.
pub(super) fn kind<'m>(value: Value) -> Cell<'m> {
    match value {
        Value::Unknown => return Cell::Null,
        Value::Absent => "absent",
        Value::Undefined => "undefined",
        Value::Null => "null",
        Value::Object(_) => "object",
        Value::Boolean(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::LongString { .. } => "string, cut",
        Value::BigInt(_) => "bigint",
        Value::Function(_) => "function",
        Value::Symbol(_) => "symbol",
        Value::Uninitialised => "uninitialised",
        Value::Accessor => "accessor",
    }
    .into()
}

/// A value that is a number.
pub(super) fn number<'m>(value: Value) -> Cell<'m> {
    match value {
        Value::Number(number) => Cell::Real(number),
        _ => Cell::Null,
    }
}

/// The number of the object that a value is.
pub(super) fn object<'m>(value: Value) -> Cell<'m> {
    value.object().map_or(Cell::Null, |id| some(id.0))
}

/// The class of the object that a value is.
pub(super) fn class(model: &Model, stream: u16, value: Value) -> Cell<'_> {
    value
        .object()
        .map_or(Cell::Null, |id| class_of(model, stream, id.0))
}

/// The class of an object.
pub(super) fn class_of(model: &Model, stream: u16, object: u32) -> Cell<'_> {
    owner_class(model, stream, object).into()
}
