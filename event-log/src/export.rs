//! A log for other tools: facts of JEL for Prolog, and a trace for Perfetto and the Performance panel of DevTools.
//!
//! Both are written as they are worked out, event by event.

use std::io::{self, Write};

use crate::ids::FunctionId;
use crate::model::{CallOutcome, Event, Key, Kind, Model, NONE, plain_text, text};
use crate::value::Value;

/// Writes the log as facts of Prolog, one for each event, in the terms of JEL (Girgis and Jayaraman, *JavaTA*, section
/// 3):
///
/// | fact | what |
/// | --- | --- |
/// | `call(Seq, Thread, Caller, Call, Function, This, Arguments, Place)` | a call; `Call` is `Seq`, `Caller` the number of the call around it or `none` |
/// | `return(Seq, Thread, Call, Function, Value)` | its end |
/// | `exception(Seq, Thread, Call, Function)` | its end by an exception |
/// | `throw(Seq, Thread, Call, Value, Place)`, `catch(Seq, Thread, Call, Value, Place)` | an exception is thrown, is caught |
/// | `write(Seq, Thread, Call, Object, Field, Value, Place)` | a field is set |
/// | `assign(Seq, Thread, Call, Scope, Variable, Value, Place)` | a local variable is set |
/// | `new(Seq, Thread, Call, Object, Class, Place)` | an object is made |
/// | `branch(Seq, Thread, Call, Value, Place)` | a condition |
/// | `task(Seq, Thread, Kind)`, `task_end(Seq, Thread)` | a thread of control begins, ends |
/// | `suspend(Seq, Thread, Call)`, `resume(Seq, Thread, Call)` | it is suspended, goes on |
///
/// A value is a number, an atom for a text, `object(Number, Class)`, `function(Name)`, or one of `undefined`, `null`,
/// `true`, `false`, `unknown`. A place is `at(File, Line)`.
///
/// # Errors
/// If the output cannot be written.
pub fn jel(model: &Model, output: &mut dyn Write) -> io::Result<()> {
    writeln!(
        output,
        ":- discontiguous call/8, return/5, exception/4, throw/5, catch/5, write/7, assign/7, new/6, branch/5, task/3, \
         task_end/2, suspend/3, resume/3.\n\
         :- dynamic call/8, return/5, exception/4, throw/5, catch/5, write/7, assign/7, new/6, branch/5, task/3, \
         task_end/2, suspend/3, resume/3."
    )?;
    for (event, number) in model.events.iter().zip(0_u32..) {
        let thread = event.stream;
        let term = |value| term(model, thread, value);
        let call = match model.calls.get(event.call as usize) {
            Some(call) => call.enter.to_string(),
            None => "none".to_owned(),
        };
        let place = place(model, event);
        match event.kind {
            Kind::Call => {
                let Some(it) = model.calls.get(event.call as usize) else {
                    continue;
                };
                let caller = match model.calls.get(it.parent as usize) {
                    Some(parent) => parent.enter.to_string(),
                    None => "none".to_owned(),
                };
                let values = model.arguments_of(it).unwrap_or_default();
                let values: Vec<String> = values.iter().map(|&value| term(value)).collect();
                let function = atom(&function_name(model, it.function));
                let this = term(it.this);
                let values = values.join(", ");
                writeln!(
                    output,
                    "call({number}, {thread}, {caller}, {number}, {function}, {this}, [{values}], {place})."
                )?;
            }
            Kind::Return | Kind::Unwind => {
                let it = model.calls.get(event.call as usize);
                let function = it.map_or(FunctionId::NONE, |it| it.function);
                let function = atom(&function_name(model, function));
                match event.kind {
                    Kind::Return => {
                        let value = term(event.value);
                        writeln!(
                            output,
                            "return({number}, {thread}, {call}, {function}, {value})."
                        )?;
                    }
                    _ => writeln!(output, "exception({number}, {thread}, {call}, {function}).")?,
                }
            }
            Kind::Throw | Kind::Catch => {
                let word = if event.kind == Kind::Throw {
                    "throw"
                } else {
                    "catch"
                };
                let value = term(event.value);
                writeln!(
                    output,
                    "{word}({number}, {thread}, {call}, {value}, {place})."
                )?;
            }
            Kind::Write | Kind::WriteEntry => {
                let key = match model.keys.get(event.key as usize) {
                    Some(Key::Property(name)) => atom(name),
                    Some(Key::Symbol(_, _, name)) => format!("symbol({})", atom(name)),
                    Some(Key::Entry(name)) => format!("entry({})", atom(name)),
                    None => "unknown".to_owned(),
                };
                let (owner, value) = (term(event.owner), term(event.value));
                writeln!(
                    output,
                    "write({number}, {thread}, {call}, {owner}, {key}, {value}, {place})."
                )?;
            }
            Kind::Assign => {
                let name = model.site(event.site).map_or("", |site| site.name.as_str());
                let (name, scope, value) = (atom(name), event.key, term(event.value));
                writeln!(
                    output,
                    "assign({number}, {thread}, {call}, {scope}, {name}, {value}, {place})."
                )?;
            }
            Kind::Create => {
                let owner = term(event.owner);
                let class = event.owner.object().map_or(0, |id| {
                    model.object(thread, id.0).map_or(0, |object| object.class)
                });
                let class = atom(model.text(thread, class));
                writeln!(
                    output,
                    "new({number}, {thread}, {call}, {owner}, {class}, {place})."
                )?;
            }
            Kind::Branch => {
                let value = term(event.value);
                writeln!(
                    output,
                    "branch({number}, {thread}, {call}, {value}, {place})."
                )?;
            }
            Kind::Task => {
                let kind = atom(model.text(thread, event.key));
                writeln!(output, "task({number}, {thread}, {kind}).")?;
            }
            Kind::TaskEnd => writeln!(output, "task_end({number}, {thread}).")?,
            Kind::Suspend => writeln!(output, "suspend({number}, {thread}, {call}).")?,
            Kind::Resume => writeln!(output, "resume({number}, {thread}, {call}).")?,
            _ => {}
        }
    }
    Ok(())
}

fn function_name(model: &Model, function: FunctionId) -> String {
    model
        .tables
        .function(function)
        .map_or_else(String::new, |function| function.name.clone())
}

fn place(model: &Model, event: &Event) -> String {
    let site = model.site(event.site);
    let script = site.and_then(|site| model.tables.script(site.script));
    match (site, script) {
        (Some(site), Some(script)) => {
            let file = script.url.rsplit('/').next().unwrap_or_default();
            format!("at({}, {})", atom(file), site.line)
        }
        _ => "none".to_owned(),
    }
}

/// A value as a term.
fn term(model: &Model, stream: u16, value: Value) -> String {
    match value {
        Value::Undefined | Value::Absent => "undefined".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Number(number) if number.is_nan() => "nan".to_owned(),
        Value::Number(number) if number.is_infinite() => if number > 0.0 {
            "infinite"
        } else {
            "minus_infinite"
        }
        .to_owned(),
        // -0 is 0 in Prolog.
        Value::Number(number) if number == number.trunc() && number.abs() < 1e15 => {
            format!("{}", number as i64)
        }
        Value::Number(number) => {
            let text = format!("{number:?}");
            match text.split_once('e') {
                Some((digits, exponent)) if !digits.contains('.') => {
                    format!("{digits}.0e{exponent}")
                }
                _ => text,
            }
        }
        Value::String(_) | Value::LongString { .. } => {
            let text = plain_text(model, stream, value);
            atom(text.trim_matches('"'))
        }
        Value::BigInt(_) => text(model, stream, value).trim_end_matches('n').to_owned(),
        Value::Object(id) => {
            let class = model.object(stream, id.0).map_or(0, |it| it.class);
            format!("object({}, {})", id.0, atom(model.text(stream, class)))
        }
        Value::Function(id) => {
            let object = model.object(stream, id.0).copied().unwrap_or_default();
            let name = function_name(model, object.function);
            let name = if name.is_empty() {
                model.text(stream, object.class).to_owned()
            } else {
                name
            };
            format!("function({}, {})", id.0, atom(&name))
        }
        Value::Symbol(id) => format!("symbol({})", id.0),
        Value::Uninitialised | Value::Accessor | Value::Unknown => "unknown".to_owned(),
    }
}

/// A text as an atom in quotes.
fn atom(text: &str) -> String {
    let mut atom = String::with_capacity(text.len() + 2);
    atom.push('\'');
    for character in text.chars() {
        match character {
            '\'' => atom.push_str("\\'"),
            '\\' => atom.push_str("\\\\"),
            '\n' => atom.push_str("\\n"),
            '\r' => atom.push_str("\\r"),
            '\t' => atom.push_str("\\t"),
            character if character.is_control() => {
                atom.push_str(&format!("\\x{:x}\\", u32::from(character)));
            }
            character => atom.push(character),
        }
    }
    atom.push('\'');
    atom
}

/// Writes the calls in the format of Chrome's traces: an event of the log is a microsecond.
///
/// # Errors
/// If the output cannot be written.
pub fn chrome_trace(model: &Model, output: &mut dyn Write) -> io::Result<()> {
    write!(output, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let mut is_first = true;
    let mut line = |output: &mut dyn Write, json: serde_json::Value| -> io::Result<()> {
        let comma = if std::mem::take(&mut is_first) {
            ""
        } else {
            ","
        };
        write!(output, "{comma}\n{json}")
    };
    let end = model.events.len();
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); model.streams.len()];
    for (event, number) in model.events.iter().zip(0_u32..) {
        let thread = event.stream;
        let Some(running) = open.get_mut(usize::from(thread)) else {
            continue;
        };
        match event.kind {
            Kind::Call | Kind::Resume if event.call != NONE => {
                running.push(event.call);
                let json = begin(model, event.call, thread, number);
                line(output, json)?;
            }
            Kind::Return | Kind::Unwind | Kind::Suspend => {
                // What was left without a word ends with what is around it.
                while let Some(call) = running.pop() {
                    line(output, finish(model, call, thread, number))?;
                    if call == event.call {
                        break;
                    }
                }
            }
            Kind::Task | Kind::TaskEnd | Kind::Gap => {
                while let Some(call) = running.pop() {
                    line(output, finish(model, call, thread, number))?;
                }
            }
            _ => {}
        }
    }
    for (running, thread) in open.iter().zip(0..) {
        for &call in running.iter().rev() {
            let at = u32::try_from(end).unwrap_or(NONE);
            line(output, finish(model, call, thread, at))?;
        }
    }
    writeln!(output, "\n]}}")
}

fn begin(model: &Model, call: u32, thread: u16, at: u32) -> serde_json::Value {
    let it = model.calls.get(call as usize);
    let function = it.and_then(|it| model.tables.function(it.function));
    let name = function.map_or("", |function| function.name.as_str());
    let script = function.and_then(|function| model.tables.script(function.script));
    let values = it.and_then(|it| model.arguments_of(it)).unwrap_or_default();
    let values: Vec<String> = values
        .iter()
        .map(|&value| text(model, thread, value))
        .collect();
    serde_json::json!({
        "ph": "B", "pid": 1, "tid": thread + 1, "ts": at, "cat": "call",
        "name": if name.is_empty() { "(anonymous)" } else { name },
        "args": {
            "event": at, "arguments": values, "url": script.map(|script| &script.url),
            "line": function.map(|function| function.line),
        },
    })
}

fn finish(model: &Model, call: u32, thread: u16, at: u32) -> serde_json::Value {
    let outcome = model.calls.get(call as usize).map(|it| it.outcome);
    let args = match outcome {
        Some(CallOutcome::Returned(value)) => {
            serde_json::json!({ "returned": text(model, thread, value) })
        }
        Some(CallOutcome::Threw) => serde_json::json!({ "threw": true }),
        _ => serde_json::json!({}),
    };
    serde_json::json!({ "ph": "E", "pid": 1, "tid": thread + 1, "ts": at, "args": args })
}
