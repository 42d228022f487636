//! What the page itself says of calls: assertions that failed, and declared types that values do not have.
//!
//! | what the log has | what is said of the call | why |
//! | --- | --- | --- |
//! | an assertion failed in it | invalid | what it worked with, or worked out, is not what it should be |
//! | the same, before it did anything | inadmissible | it was given what it should not be given |
//! | a result of another type than declared | invalid | |
//! | an argument of another type than declared | inadmissible | |
//!
//! An assertion is `console.assert`, or an `AssertionError` that left the call. Where a function does nothing but
//! assert (its name says so, or it is a library's), the assertion is its caller's. That nothing failed says nothing.

use std::collections::{HashMap, HashSet};

use event_log::catalogue::failed_assertion;
use event_log::ids::FunctionId;
use event_log::model::{Call, CallOutcome, Kind, Model, NONE, text};
use event_log::value::Value;

use crate::log::LogTree;
use crate::session::Answer;
use crate::tree::NodeId;
use crate::types::Type;

/// A message is cut behind so many characters.
const LONGEST_MESSAGE: usize = 120;

/// What is known of a call, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The call.
    pub node: NodeId,
    /// Invalid or inadmissible.
    pub answer: Answer,
    /// Why.
    pub why: String,
    /// Whether a declared type says so.
    pub is_type: bool,
}

/// What a function's author declared of its values, as texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Names of parameters, and their types.
    pub parameters: Vec<(String, String)>,
    /// The type of the result.
    pub returns: Option<String>,
}

/// What the functions of a log declare.
pub type DeclaredOf = HashMap<FunctionId, Declared>;

/// What the page says of the calls of a log, in the order in which they ended.
#[must_use]
pub fn checks(log: &LogTree<'_>, declared: &DeclaredOf) -> Vec<Check> {
    let mut found = consoles(log);
    found.extend(exceptions(log));
    found.extend(types(log, declared));
    found.sort_by_key(|it| log.end(it.node));
    found
}

/// Assertions of the console that failed.
fn consoles(log: &LogTree<'_>) -> Vec<Check> {
    let model = log.model();
    let events = model.library_arguments.iter().map(|(event, ..)| *event);
    let failed = events.filter_map(|event| {
        let message = failed_assertion(model, event)?;
        let call = model.events.get(event as usize)?.call;
        let why = match message.as_str() {
            "" => "console.assert failed in it".to_owned(),
            message => format!("console.assert failed in it: {}", cut(message)),
        };
        failed_in(log, call, event, why)
    });
    failed.collect()
}

/// Calls that an `AssertionError` left.
fn exceptions(log: &LogTree<'_>) -> Vec<Check> {
    let model = log.model();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    // Who is called begins behind its caller: the innermost call that it left is met first.
    for number in (0..model.calls.len()).rev() {
        let Some(call) = model.calls.get(number) else {
            continue;
        };
        // Where it went through a call that this one made, that one was asked.
        let before = call.exit.checked_sub(1).filter(|_| call.exit != NONE);
        let before = before.and_then(|it| model.events.get(it as usize));
        let is_passed_on = before.is_some_and(|it| {
            let left = model.calls.get(it.call as usize);
            it.kind == Kind::Unwind && left.is_some_and(|it| it.parent as usize == number)
        });
        if call.outcome != CallOutcome::Threw || is_passed_on {
            continue;
        }
        let Some(Value::Object(error)) = model.thrown(call) else {
            continue;
        };
        let class = model.object(call.stream, error.0).map_or(0, |it| it.class);
        if model.text(call.stream, class) != "AssertionError"
            || !seen.insert((call.stream, error.0))
        {
            continue;
        }
        let message = crate::state::inner_state(model, call.stream, error.0, call.exit);
        let why = match message.as_deref() {
            None | Some("") => "an AssertionError left it".to_owned(),
            Some(message) => format!("an AssertionError left it: {}", cut(message)),
        };
        let number = u32::try_from(number).unwrap_or(NONE);
        found.extend(failed_in(log, number, call.exit, why));
    }
    found
}

/// What an assertion says that failed at an event in a call, or in one that does nothing but assert.
fn failed_in(log: &LogTree<'_>, call: u32, at: u32, why: String) -> Option<Check> {
    let model = log.model();
    let (mut number, mut at) = (call, at);
    let mut call = model.calls.get(number as usize)?;
    while asserts_only(model, call) {
        (number, at) = (call.parent, call.enter);
        call = model.calls.get(number as usize)?;
    }
    let answer = match did_something(model, number, call, at) {
        true => Answer::Invalid,
        false => Answer::Inadmissible,
    };
    let why = match answer {
        Answer::Inadmissible => format!("{why}; it had done nothing before"),
        _ => why,
    };
    Some(Check {
        node: log.node(number)?,
        answer,
        why,
        is_type: false,
    })
}

/// Whether a function does nothing but assert.
fn asserts_only(model: &Model, call: &Call) -> bool {
    let Some(function) = model.tables.function(call.function) else {
        return false;
    };
    let name = function.name.rsplit('.').next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    let is_named = ["assert", "expect", "invariant"]
        .iter()
        .any(|it| name.starts_with(it));
    let script = model.tables.script(function.script);
    is_named || script.is_some_and(|it| it.library)
}

/// Whether a call called something or wrote something before an event: something but its parameters.
fn did_something(model: &Model, number: u32, call: &Call, at: u32) -> bool {
    let function = model.tables.function(call.function);
    // The top of a script is given nothing.
    if call.parent == NONE {
        return true;
    }
    let parameters = function.map_or(&[][..], |it| it.parameters.as_slice());
    let events = (call.enter.saturating_add(1)..at).filter_map(|it| model.events.get(it as usize));
    events.filter(|it| it.stream == call.stream).any(|event| {
        let is_own = event.call == number;
        match event.kind {
            Kind::Call => model
                .calls
                .get(event.call as usize)
                .is_some_and(|it| it.parent == number),
            Kind::Write | Kind::WriteEntry | Kind::Create => is_own,
            Kind::Assign => {
                let name = model.site(event.site).map_or("", |it| it.name.as_str());
                is_own && !parameters.iter().any(|it| it == name)
            }
            _ => false,
        }
    })
}

/// Values that have not the type that is declared.
fn types(log: &LogTree<'_>, declared: &DeclaredOf) -> Vec<Check> {
    if declared.is_empty() {
        return Vec::new();
    }
    let model = log.model();
    let classes = classes(model);
    let known = declared.iter().map(|(&function, it)| {
        let parameters = it.parameters.iter();
        let parameters: Vec<(&str, Type, &str)> = parameters
            .map(|(name, text)| (name.as_str(), Type::parse(text, &classes), text.as_str()))
            .collect();
        let returns = it.returns.as_deref();
        let returns = returns.map(|text| (Type::parse(text, &classes), text));
        (function, (parameters, returns))
    });
    let known: HashMap<FunctionId, _> = known.collect();
    let mut found = Vec::new();
    for (call, number) in model.calls.iter().zip(0..) {
        let Some((parameters, returns)) = known.get(&call.function) else {
            continue;
        };
        let (Some(node), Some(function)) = (log.node(number), model.tables.function(call.function))
        else {
            continue;
        };
        let shown = |value: Value| cut(&text(model, call.stream, value));
        let wrong = parameters.iter().find_map(|(name, of, text)| {
            let index = function.parameters.iter().position(|it| it == name)?;
            let value = *model.arguments_of(call)?.get(index)?;
            // Whether a parameter has a default value the log does not say.
            let is_wrong = value != Value::Undefined
                && of.has(log, call.stream, value, call.enter) == Some(false);
            is_wrong.then(|| {
                format!(
                    "{name} was given {}, and is declared as {text}",
                    shown(value)
                )
            })
        });
        if let Some(why) = wrong {
            found.push(Check {
                node,
                answer: Answer::Inadmissible,
                why,
                is_type: true,
            });
            continue;
        }
        if let (Some((of, text)), CallOutcome::Returned(value)) = (returns, call.outcome)
            && !function.is_generator
        {
            let of = match of {
                Type::Promise(inner) if function.is_async => inner,
                of => of,
            };
            if of.has(log, call.stream, value, log.end(node)) == Some(false) {
                found.push(Check {
                    node,
                    answer: Answer::Invalid,
                    why: format!(
                        "it returned {}, and is declared to return {text}",
                        shown(value)
                    ),
                    is_type: true,
                });
            }
        }
    }
    found
}

/// The names of classes that objects of the log are of.
fn classes(model: &Model) -> HashSet<String> {
    let mut found = HashSet::new();
    for (stream, number) in model.streams.iter().zip(0..) {
        let classes: HashSet<u32> = stream.objects.iter().map(|it| it.class).collect();
        found.extend(
            classes
                .into_iter()
                .map(|it| model.text(number, it).to_owned()),
        );
    }
    found
}

/// A text that is not long, on one line.
fn cut(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    match text.char_indices().nth(LONGEST_MESSAGE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
