//! A trace of Playwright (`trace.zip`) as a recording: what was done, when, and what the servers answered.

mod actions;
mod archive;
mod responses;
mod selector;

use js_analysis::call_chains::{Argument, Link};
use serde_json::{Value, json};

use super::playwright::{Imported, Unmapped, from_playwright};
use actions::{Action, Context};
pub use archive::TraceError;
use archive::{Archive, lines};

/// What a trace has become.
#[derive(Debug, Default)]
pub struct Trace {
    /// The steps, and what of the trace is none; lines are the numbers of actions.
    pub imported: Imported,
    /// When it began, in milliseconds since 1970.
    pub start_ms: Option<f64>,
    /// The responses, as an HTTP archive; none: the trace has none.
    pub responses: Option<String>,
}

/// Whether a file is an archive of the kind that traces are.
pub fn is_trace(file: &[u8]) -> bool {
    file.starts_with(b"PK\x03\x04")
}

/// Reads a trace.
///
/// # Errors
/// [`TraceError`]: it is no trace, or too large.
pub fn from_trace(file: &[u8]) -> Result<Trace, TraceError> {
    let mut archive = Archive::open(file)?;
    let mut names = archive.names_ending_in(".trace");
    // What the test did besides is told there, not what the browser was told.
    names.retain(|name| name != "test.trace");
    let [name] = names.as_slice() else {
        return Err(match names.len() {
            0 => TraceError::NotATrace,
            contexts => TraceError::SeveralContexts { contexts },
        });
    };
    let events = lines(&archive.text(name)?);
    let context = Context::of(&events);
    let mut trace = Trace {
        start_ms: context.start_ms,
        ..Trace::default()
    };
    trace.imported.steps.extend(context.viewport());
    for (index, action) in context.actions(&events).into_iter().enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        add(&mut trace.imported, number, action);
    }
    let name = name.replace(".trace", ".network");
    trace.responses = responses::har(&mut archive, &name)?;
    Ok(trace)
}

fn add(imported: &mut Imported, number: u32, action: Action) {
    let Action {
        chain,
        at_ms,
        failed,
    } = action;
    if let Some(why) = failed {
        imported.unmapped.push(Unmapped {
            line: number,
            text: chain.text,
            why: format!("it failed when the trace was made: {why}"),
        });
        return;
    }
    let Imported { steps, unmapped } = from_playwright(std::slice::from_ref(&chain));
    for mut step in steps {
        if let Some(at_ms) = at_ms {
            step["querypoint"]["atMs"] = json!(at_ms);
        }
        imported.steps.push(step);
    }
    imported
        .unmapped
        .extend(unmapped.into_iter().map(|left_out| Unmapped {
            line: number,
            ..left_out
        }));
}

/// The text of a member, or `""`.
fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn call(name: &str, arguments: Vec<Argument>) -> Link {
    Link {
        name: name.to_owned(),
        arguments: Some(arguments),
    }
}

fn literal(text: impl Into<String>) -> Argument {
    Argument::Literal(Value::String(text.into()))
}
