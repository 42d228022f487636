//! The calls of a log as a trace, for Perfetto and the Performance panel of DevTools.

use std::io::{self, Write};

use crate::model::{CallOutcome, Kind, Model, NONE, text};

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
        "ph": "B", "pid": 1, "tid": u32::from(thread) + 1, "ts": at, "cat": "call",
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
    serde_json::json!({ "ph": "E", "pid": 1, "tid": u32::from(thread) + 1, "ts": at, "args": args })
}
