//! The tables: what each column means, and where it is in the model.

mod cells;

use super::{Cell, Column, ColumnKind, Index, Relation, Rows, Wanted};
use crate::catalogue::{function_label, kind_word};
use crate::model::{GONE_WITH_OTHERS, Key, NONE};
use cells::{
    argument, assigned, by_position, call, call_of, class, class_of, column, enter, event,
    everything, file, function, function_column, function_file, function_line, function_name,
    function_of_call, gap, key, kind, library_arguments, line, name, number, object, of_pairs,
    outcome, pairs, parameter, realm, returned, seen, shown, some, variable, variable_name, write,
    written,
};

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
            "name" Text "the property, variable, condition, called code, task, change of the document, request or action" |it, row| event(it, row, name);
            "owner" Integer "the object that is written or made, the node that is changed"
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
            "told" Integer "1: the collection was told whole, the element need not have changed; 2: the element is \
                gone, for the array became shorter or the collection was told without it"
                |it, row| write(it, row, |_, write| match write.listed {
                NONE => 0_u32.into(),
                GONE_WITH_OTHERS => 2_u32.into(),
                _ => 1_u32.into(),
            });
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
