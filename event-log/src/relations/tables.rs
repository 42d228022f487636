//! The tables: what each column means, and where it is in the model.

use std::borrow::Cow;

use super::{Cell, Column, ColumnKind, Index, Passed, Relation, Relations, Rows, Wanted};
use crate::catalogue::{function_label, key_text, kind_word, owner_class};
use crate::ids::{FunctionId, SiteId};
use crate::model::{Call, CallOutcome, Event, Key, KeyWrite, Kind, Model, NONE, text};
use crate::tables::{Function, Site};
use crate::value::Value;

/// Columns: name, kind, meaning, and how a cell is worked out of the row.
macro_rules! columns {
    ($($name:literal $kind:ident $about:literal $cell:expr;)*) => {
        &[$(Column { name: $name, kind: ColumnKind::$kind, about: $about, cell: $cell },)*]
    };
}

/// All tables, by what they are about.
pub const RELATIONS: &[Relation] = &[
    Relation {
        name: "events",
        about: "All events, in their order.",
        rows: |it| it.model().events.len(),
        indexes: &[Index {
            column: "seq",
            is_sorted: true,
            find: |it, wanted| by_position(wanted, it.model().events.len(), Some),
        }],
        columns: columns! {
            "seq" Integer "its number, from 0" |_, row| row.into();
            "realm" Integer "the page, frame or worker that it is in"
                |it, row| event(it, row, |event, _| realm(event.stream));
            "kind" Text "what it is, as in an answer of the catalogue"
                |it, row| event(it, row, |event, _| kind_word(event.kind).0.into());
            "detail" Text "which kind of that: `unwind` and `uncaught` of `throw`, `end` of `task`, `entry` of \
                `write`, `library` of \
                `call`" |it, row| event(it, row, |event, _| kind_word(event.kind).1.into());
            "call" Integer "the call that it is in, or that it begins or ends, by the number of its first event"
                |it, row| event(it, row, |event, model| enter(model, event.call));
            "function" Text "the function of that call"
                |it, row| event(it, row, |event, model| function_of_call(model, event.call));
            "site" Integer "the place: one number for each of what is recorded in a script"
                |it, row| event(it, row, |event, _| some(event.site.0));
            "file" Text "where: the address" |it, row| event(it, row, |event, model| file(model, event.site));
            "line" Integer "the line, from 1" |it, row| event(it, row, |event, model| line(model, event.site));
            "column" Integer "the column, from 1" |it, row| event(it, row, |event, model| column(model, event.site));
            "name" Text "the property, variable, condition, called code or task" |it, row| event(it, row, name);
            "owner" Integer "the object that is written or made"
                |it, row| event(it, row, |event, _| object(event.owner));
            "owner_class" Text "its class"
                |it, row| event(it, row, |event, model| class(model, event.stream, event.owner));
            "value" Text "what is written, returned, thrown, caught, decided; a text is itself"
                |it, row| event(it, row, |event, model| shown(model, event.stream, event.value));
            "type" Text "the type of the value" |it, row| event(it, row, |event, _| kind(event.value));
            "number" Real "the value, where it is a number" |it, row| event(it, row, |event, _| number(event.value));
            "object" Integer "the object that the value is" |it, row| event(it, row, |event, _| object(event.value));
            "class" Text "the class of that object"
                |it, row| event(it, row, |event, model| class(model, event.stream, event.value));
        },
    },
    Relation {
        name: "calls",
        about: "All calls of recorded functions, in the order in which they began.",
        rows: |it| it.model().calls.len(),
        indexes: &[
            Index {
                column: "call",
                is_sorted: true,
                find: |it, wanted| {
                    let calls = &it.model().calls;
                    by_position(wanted, calls.len(), |seq| {
                        u32::try_from(calls.partition_point(|call| call.enter < seq)).ok()
                    })
                },
            },
            Index {
                column: "parent",
                is_sorted: false,
                find: |it, wanted| match wanted {
                    Wanted::Equal(Cell::Integer(seq)) => match call_of(it.model(), *seq) {
                        Some(parent) => pairs(it.children(), parent),
                        None => Rows::Range(0..0),
                    },
                    _ => everything(it.model().calls.len()),
                },
            },
            Index {
                column: "function",
                is_sorted: false,
                find: |it, wanted| match wanted {
                    Wanted::Equal(Cell::Text(name)) => {
                        let functions = it.model().tables.functions.iter().zip(1..);
                        let named =
                            functions.filter(|(function, _)| function_label(function) == *name);
                        let mut rows: Vec<u32> = Vec::new();
                        for (_, number) in named {
                            rows.extend(of_pairs(it.calls_by_function(), number));
                        }
                        rows.sort_unstable();
                        Rows::List(rows)
                    }
                    _ => everything(it.model().calls.len()),
                },
            },
        ],
        columns: columns! {
            "call" Integer "the number of its first event" |it, row| call(it, row, |call, _| call.enter.into());
            "parent" Integer "the call that was running when it began"
                |it, row| call(it, row, |call, model| enter(model, call.parent));
            "task" Integer "the task that it is in, by its event" |it, row| call(it, row, |call, _| call.task.into());
            "realm" Integer "the page, frame or worker that it is in"
                |it, row| call(it, row, |call, _| realm(call.stream));
            "depth" Integer "how many calls are around it" |it, row| call(it, row, |call, _| call.depth.into());
            "function" Text "the name of the function"
                |it, row| call(it, row, |call, model| function_name(model, call.function));
            "file" Text "where the function is"
                |it, row| call(it, row, |call, model| function_file(model, call.function));
            "line" Integer "its line" |it, row| call(it, row, |call, model| function_line(model, call.function));
            "column" Integer "its column" |it, row| call(it, row, |call, model| function_column(model, call.function));
            "caller_file" Text "where it was called" |it, row| call(it, row, |call, model| file(model, call.site));
            "caller_line" Integer "that line" |it, row| call(it, row, |call, model| line(model, call.site));
            "caller_column" Integer "that column" |it, row| call(it, row, |call, model| column(model, call.site));
            "this" Integer "the object that `this` is" |it, row| call(it, row, |call, _| object(call.this));
            "this_class" Text "its class" |it, row| call(it, row, |call, model| class(model, call.stream, call.this));
            "arguments" Integer "how many it has; null: not recorded"
                |it, row| call(it, row, |call, _| call.arguments.1.into());
            "outcome" Text "`returned`, `threw`, `suspended`, or `open`: the log has no end of it"
                |it, row| call(it, row, outcome);
            "last" Integer "the number of its last event" |it, row| call(it, row, |call, _| call.exit.into());
            "value" Text "what it returned; a text is itself" |it, row| returned(it, row, shown);
            "type" Text "the type of that" |it, row| returned(it, row, |_, _, value| kind(value));
            "number" Real "the value, where it is a number" |it, row| returned(it, row, |_, _, value| number(value));
            "object" Integer "the object that the value is" |it, row| returned(it, row, |_, _, value| object(value));
        },
    },
    Relation {
        name: "arguments",
        about: "The arguments of calls, of code without hooks too, one row for each.",
        rows: |it| it.model().arguments.len(),
        indexes: &[Index {
            column: "call",
            is_sorted: false,
            find: |it, wanted| match wanted {
                Wanted::Equal(Cell::Integer(seq)) => {
                    let Ok(seq) = u32::try_from(*seq) else {
                        return Rows::Range(0..0);
                    };
                    let own = call_of(it.model(), i64::from(seq));
                    let own = own.and_then(|call| it.model().calls.get(call as usize));
                    let (from, count) = match own {
                        Some(call) => call.arguments,
                        None => library_arguments(it.model(), seq),
                    };
                    match count {
                        NONE => Rows::Range(0..0),
                        count => Rows::Range(from..from.saturating_add(count)),
                    }
                }
                _ => everything(it.model().arguments.len()),
            },
        }],
        columns: columns! {
            "call" Integer "the call, by the number of its first event; of code without hooks the event of its end"
                |it, row| argument(it, row, |_, call, _| call.seq.into());
            "position" Integer "which argument, from 0"
                |it, row| argument(it, row, |_, call, _| row.saturating_sub(call.from).into());
            "name" Text "the parameter, as it is written"
                |it, row| argument(it, row, |model, call, _| parameter(model, call, row));
            "value" Text "its value; a text is itself"
                |it, row| argument(it, row, |model, call, value| shown(model, call.stream, value));
            "type" Text "the type of that" |it, row| argument(it, row, |_, _, value| kind(value));
            "number" Real "the value, where it is a number" |it, row| argument(it, row, |_, _, value| number(value));
            "object" Integer "the object that the value is" |it, row| argument(it, row, |_, _, value| object(value));
        },
    },
    Relation {
        name: "writes",
        about: "Writes of properties, elements and entries, by object, key and event.",
        rows: |it| it.model().writes.len(),
        indexes: &[Index {
            column: "owner",
            is_sorted: false,
            find: |it, wanted| match wanted {
                Wanted::Equal(Cell::Integer(object)) => {
                    let writes = &it.model().writes;
                    let Ok(object) = u32::try_from(*object) else {
                        return Rows::Range(0..0);
                    };
                    let mut rows: Vec<u32> = Vec::new();
                    for stream in 0..it.model().streams.len() {
                        let stream = u16::try_from(stream).unwrap_or(u16::MAX);
                        let from =
                            writes.partition_point(|it| (it.stream, it.object) < (stream, object));
                        let to =
                            writes.partition_point(|it| (it.stream, it.object) <= (stream, object));
                        rows.extend((from..to).filter_map(|row| u32::try_from(row).ok()));
                    }
                    Rows::List(rows)
                }
                _ => everything(it.model().writes.len()),
            },
        }],
        columns: columns! {
            "seq" Integer "the event" |it, row| write(it, row, |_, write| write.event.into());
            "realm" Integer "the page, frame or worker that it is in"
                |it, row| write(it, row, |_, write| realm(write.stream));
            "owner" Integer "the object" |it, row| write(it, row, |_, write| write.object.into());
            "owner_class" Text "its class"
                |it, row| write(it, row, |model, write| class_of(model, write.stream, write.object));
            "key" Text "the property, element or entry, as an answer has it"
                |it, row| write(it, row, |model, write| key(model, write.key));
            "key_id" Integer "which key: one number for each, two symbols of one name have two"
                |it, row| write(it, row, |_, write| write.key.into());
            "key_kind" Text "`property`, `symbol` or `entry`"
                |it, row| write(it, row, |model, write| match model.keys.get(write.key as usize) {
                Some(Key::Property(_)) => "property".into(),
                Some(Key::Symbol(..)) => "symbol".into(),
                Some(Key::Entry(_)) => "entry".into(),
                None => Cell::Null,
            });
            "told" Integer "1: the collection was told whole, the element need not have changed"
                |it, row| write(it, row, |_, write| (write.listed != NONE).into());
            "value" Text "what was written; a text is itself" |it, row| written(it, row, shown);
            "type" Text "the type of that; `absent`: it was deleted"
                |it, row| written(it, row, |_, _, value| kind(value));
            "number" Real "the value, where it is a number" |it, row| written(it, row, |_, _, value| number(value));
            "object" Integer "the object that the value is" |it, row| written(it, row, |_, _, value| object(value));
        },
    },
    Relation {
        name: "variables",
        about: "Writes of variables, parameters included, by variable and event.",
        rows: |it| it.variables.len(),
        indexes: &[Index {
            column: "name",
            is_sorted: false,
            find: |it, wanted| match wanted {
                Wanted::Equal(Cell::Text(name)) => {
                    let named = it.model().tables.variables.iter().zip(1_u32..);
                    let mut rows: Vec<u32> = Vec::new();
                    for (_, variable) in named.filter(|(variable, _)| variable.name == *name) {
                        let from = it.variables.partition_point(|(other, _)| *other < variable);
                        let to = it
                            .variables
                            .partition_point(|(other, _)| *other <= variable);
                        rows.extend((from..to).filter_map(|row| u32::try_from(row).ok()));
                    }
                    Rows::List(rows)
                }
                _ => everything(it.variables.len()),
            },
        }],
        columns: columns! {
            "seq" Integer "the event" |it, row| variable(it, row, |_, _, write| write.event.into());
            "realm" Integer "the page, frame or worker that it is in"
                |it, row| variable(it, row, |_, _, write| realm(write.stream));
            "variable" Integer "which: one number for each declaration"
                |it, row| variable(it, row, |_, number, _| number.into());
            "name" Text "its name" |it, row| variable(it, row, |model, number, _| variable_name(model, number));
            "parameter" Integer "which argument of the call that begins with that event; null: it is an assignment"
                |it, row| variable(it, row, |_, _, write| write.argument.into());
            "scope" Integer "the activation that it belongs to; null: it is global"
                |it, row| variable(it, row, |_, _, write| some(write.scope.0));
            "value" Text "what it got; a text is itself" |it, row| assigned(it, row, shown);
            "type" Text "the type of that" |it, row| assigned(it, row, |_, _, value| kind(value));
            "number" Real "the value, where it is a number" |it, row| assigned(it, row, |_, _, value| number(value));
            "object" Integer "the object that the value is" |it, row| assigned(it, row, |_, _, value| object(value));
        },
    },
    Relation {
        name: "objects",
        about: "Objects, functions and symbols that were seen.",
        rows: |it| {
            it.model()
                .streams
                .iter()
                .map(|stream| stream.objects.len())
                .sum()
        },
        indexes: &[],
        columns: columns! {
            "object" Integer "its number in its realm" |it, row| seen(it, row, |_, _, number, _| number.into());
            "realm" Integer "the page, frame or worker that it is in"
                |it, row| seen(it, row, |_, stream, _, _| realm(stream));
            "class" Text "its class"
                |it, row| seen(it, row, |model, stream, number, _| class_of(model, stream, number));
            "function" Text "the recorded function that it is"
                |it, row| seen(it, row, |model, _, _, object| function_name(model, object.function));
            "seq" Integer "the first event in which it was seen"
                |it, row| seen(it, row, |_, _, _, object| object.seen.into());
        },
    },
    Relation {
        name: "functions",
        about: "Functions as they are written.",
        rows: |it| it.model().tables.functions.len(),
        indexes: &[],
        columns: columns! {
            "function" Text "its name" |it, row| function(it, row, |_, _, id| function_name(it.model(), id));
            "kind" Text "`function`, `method`, `getter`, `setter`, `constructor`, `initialiser`, `handler`, \
                `script`, `module`"
                |it, row| function(it, row, |_, function, _| function.kind.word().into());
            "file" Text "its file" |it, row| function(it, row, |model, _, id| function_file(model, id));
            "line" Integer "its line" |it, row| function(it, row, |_, function, _| some(function.line));
            "column" Integer "its column" |it, row| function(it, row, |_, function, _| some(function.column));
            "library" Integer "1: it is in a library"
                |it, row| function(it, row, |model, function, _|
                    model.tables.script(function.script).is_some_and(|it| it.library).into());
            "calls" Integer "how often it was called"
                |it, row| function(it, row, |_, _, id|
                    u32::try_from(of_pairs(it.calls_by_function(), id.0).count()).unwrap_or(NONE).into());
        },
    },
    Relation {
        name: "missing",
        about: "Where the log has a gap.",
        rows: |it| it.model().gaps.len(),
        indexes: &[],
        columns: columns! {
            "seq" Integer "the event before which something is missing"
                |it, row| gap(it, row).map_or(Cell::Null, |it| it.0.into());
            "reason" Text "why" |it, row| gap(it, row).map_or(Cell::Null, |it| it.1.message().into());
        },
    },
];

// Rows.

fn event<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&Event, &'m Model) -> Cell<'m>,
) -> Cell<'m> {
    let model = it.model();
    model
        .events
        .get(row as usize)
        .map_or(Cell::Null, |event| cell(event, model))
}

fn call<'m>(it: &'m Relations, row: u32, cell: impl Fn(&Call, &'m Model) -> Cell<'m>) -> Cell<'m> {
    let model = it.model();
    model
        .calls
        .get(row as usize)
        .map_or(Cell::Null, |call| cell(call, model))
}

fn returned<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, u16, Value) -> Cell<'m>,
) -> Cell<'m> {
    call(it, row, |call, model| match call.outcome {
        CallOutcome::Returned(value) => cell(model, call.stream, value),
        CallOutcome::Threw | CallOutcome::Open => Cell::Null,
    })
}

fn argument<'m>(
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

fn write<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, &KeyWrite) -> Cell<'m>,
) -> Cell<'m> {
    let model = it.model();
    model
        .writes
        .get(row as usize)
        .map_or(Cell::Null, |write| cell(model, write))
}

fn written<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, u16, Value) -> Cell<'m>,
) -> Cell<'m> {
    write(it, row, |model, write| {
        cell(model, write.stream, model.written(write))
    })
}

fn variable<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, u32, &crate::model::VariableWrite) -> Cell<'m>,
) -> Cell<'m> {
    let of = it.variables.get(row as usize);
    of.map_or(Cell::Null, |(number, write)| {
        cell(it.model(), *number, write)
    })
}

fn assigned<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, u16, Value) -> Cell<'m>,
) -> Cell<'m> {
    variable(it, row, |model, _, write| {
        cell(model, write.stream, model.assigned(write))
    })
}

fn seen<'m>(
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

fn function<'m>(
    it: &'m Relations,
    row: u32,
    cell: impl Fn(&'m Model, &'m Function, FunctionId) -> Cell<'m>,
) -> Cell<'m> {
    let id = FunctionId(row.saturating_add(1));
    let function = it.model().tables.function(id);
    function.map_or(Cell::Null, |function| cell(it.model(), function, id))
}

fn gap(it: &Relations, row: u32) -> Option<&(u32, crate::record::GapReason)> {
    it.model().gaps.get(row as usize)
}

// Indexes.

fn everything(rows: usize) -> Rows {
    Rows::Range(0..u32::try_from(rows).unwrap_or(NONE))
}

/// Of a table whose rows are sorted by an event's number: `first` gives the first row that has at least that number.
fn by_position(wanted: &Wanted<'_>, rows: usize, first: impl Fn(u32) -> Option<u32>) -> Rows {
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
fn call_of(model: &Model, seq: i64) -> Option<u32> {
    let seq = u32::try_from(seq).ok()?;
    let row = model.calls.partition_point(|call| call.enter < seq);
    let call = model.calls.get(row)?;
    (call.enter == seq).then(|| u32::try_from(row).unwrap_or(NONE))
}

fn library_arguments(model: &Model, event: u32) -> (u32, u32) {
    let told = &model.library_arguments;
    let at = told.partition_point(|(other, _, _)| *other < event);
    match told.get(at) {
        Some(&(other, from, count)) if other == event => (from, count),
        _ => (0, NONE),
    }
}

fn of_pairs(pairs: &[(u32, u32)], of: u32) -> impl Iterator<Item = u32> {
    let from = pairs.partition_point(|(other, _)| *other < of);
    let rest = pairs.get(from..).unwrap_or_default();
    rest.iter()
        .take_while(move |(other, _)| *other == of)
        .map(|(_, call)| *call)
}

fn pairs(pairs: &[(u32, u32)], of: u32) -> Rows {
    Rows::List(of_pairs(pairs, of).collect())
}

// Cells.

fn realm<'m>(stream: u16) -> Cell<'m> {
    Cell::Integer(i64::from(stream))
}

/// A number of something that begins with 1; 0 is none.
fn some<'m>(number: u32) -> Cell<'m> {
    match number {
        0 => Cell::Null,
        number => number.into(),
    }
}

fn enter<'m>(model: &Model, call: u32) -> Cell<'m> {
    model
        .calls
        .get(call as usize)
        .map_or(Cell::Null, |call| call.enter.into())
}

fn function_of_call(model: &Model, call: u32) -> Cell<'_> {
    let function = model
        .calls
        .get(call as usize)
        .map_or(FunctionId::NONE, |call| call.function);
    function_name(model, function)
}

fn function_name(model: &Model, function: FunctionId) -> Cell<'_> {
    model
        .tables
        .function(function)
        .map_or(Cell::Null, |function| function_label(function).into())
}

fn function_file(model: &Model, function: FunctionId) -> Cell<'_> {
    let script = model
        .tables
        .function(function)
        .and_then(|it| model.tables.script(it.script));
    script.map_or(Cell::Null, |script| script.url.as_str().into())
}

fn function_line<'m>(model: &Model, function: FunctionId) -> Cell<'m> {
    model
        .tables
        .function(function)
        .map_or(Cell::Null, |function| some(function.line))
}

fn function_column<'m>(model: &Model, function: FunctionId) -> Cell<'m> {
    model
        .tables
        .function(function)
        .map_or(Cell::Null, |function| some(function.column))
}

fn site(model: &Model, site: SiteId) -> Option<&Site> {
    model.site(site)
}

fn file(model: &Model, of: SiteId) -> Cell<'_> {
    let script = site(model, of).and_then(|site| model.tables.script(site.script));
    script.map_or(Cell::Null, |script| script.url.as_str().into())
}

fn line<'m>(model: &Model, of: SiteId) -> Cell<'m> {
    site(model, of).map_or(Cell::Null, |site| some(site.line))
}

fn column<'m>(model: &Model, of: SiteId) -> Cell<'m> {
    site(model, of).map_or(Cell::Null, |site| some(site.column))
}

fn key(model: &Model, key: u32) -> Cell<'_> {
    model
        .keys
        .get(key as usize)
        .map_or(Cell::Null, |key| key_text(key).into())
}

fn variable_name(model: &Model, variable: u32) -> Cell<'_> {
    let index = variable.checked_sub(1).map(|index| index as usize);
    let variable = index.and_then(|index| model.tables.variables.get(index));
    variable.map_or(Cell::Null, |variable| variable.name.as_str().into())
}

fn parameter<'m>(model: &'m Model, call: &Passed, row: u32) -> Cell<'m> {
    let function = model.tables.function(call.function);
    let position = row.saturating_sub(call.from) as usize;
    let name = function.and_then(|function| function.parameters.get(position));
    name.map_or(Cell::Null, |name| name.as_str().into())
}

fn name<'m>(event: &Event, model: &'m Model) -> Cell<'m> {
    match event.kind {
        Kind::Write | Kind::WriteEntry => key(model, event.key),
        Kind::Assign | Kind::Branch | Kind::CallEnd => {
            site(model, event.site).map_or(Cell::Null, |site| site.name.as_str().into())
        }
        Kind::Create => class(model, event.stream, event.owner),
        Kind::Task => model.text(event.stream, event.key).into(),
        _ => Cell::Null,
    }
}

fn outcome<'m>(call: &Call, _: &Model) -> Cell<'m> {
    match call.outcome {
        CallOutcome::Returned(_) => "returned",
        CallOutcome::Threw => "threw",
        CallOutcome::Open if call.suspended => "suspended",
        CallOutcome::Open => "open",
    }
    .into()
}

/// A value as text: of a text itself.
fn shown(model: &Model, stream: u16, value: Value) -> Cell<'_> {
    match value {
        Value::Unknown | Value::Absent => Cell::Null,
        Value::String(id) => Cell::Text(Cow::Borrowed(model.text(stream, id.0))),
        Value::LongString { start, .. } => Cell::Text(Cow::Borrowed(model.text(stream, start.0))),
        value => text(model, stream, value).into(),
    }
}

fn kind<'m>(value: Value) -> Cell<'m> {
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

fn number<'m>(value: Value) -> Cell<'m> {
    match value {
        Value::Number(number) => Cell::Real(number),
        _ => Cell::Null,
    }
}

fn object<'m>(value: Value) -> Cell<'m> {
    value.object().map_or(Cell::Null, |id| some(id.0))
}

fn class(model: &Model, stream: u16, value: Value) -> Cell<'_> {
    value
        .object()
        .map_or(Cell::Null, |id| class_of(model, stream, id.0))
}

fn class_of(model: &Model, stream: u16, object: u32) -> Cell<'_> {
    owner_class(model, stream, object).into()
}
