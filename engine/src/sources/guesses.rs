//! Where values may come from, by name: what is likely to be asked next when a value is followed, before any execution
//! has told it. A guess that is wrong costs a hook or two; none is ever shown.

use std::collections::HashMap;

use js_analysis::origin::{Call, CallKind, Flow, Form, PathStep, Root, Step, Value, Written};
use js_analysis::rewrite::{NamesAsWritten, OriginalNames};
use querypoint::query::{is_identifier, number_to_string};

use super::Sources;
use super::map_names::MapNames;

/// What a value may be the value of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Guess {
    /// A reference, in the author's names, in the frame of the write.
    Reference(String),
    /// The same in the frame of the caller.
    OfCaller(String),
    /// What a function returned, and in it what the way leads to.
    Return {
        /// The function's name.
        function: String,
        /// The way, as it is written behind a reference.
        way: String,
    },
}

/// Guesses by what is written, called and returned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guesses {
    /// By the name, and whether it is a property.
    writes: HashMap<(String, bool), Vec<Source>>,
    returns: HashMap<String, Vec<Guess>>,
    /// What object literals take the properties of.
    spreads: Vec<Guess>,
    /// By the function's name: for each call, of each argument.
    calls: HashMap<String, Vec<Vec<Vec<Guess>>>>,
}

#[derive(Clone, Debug)]
enum Source {
    Of(Guess),
    /// The argument of a function, and in it what the way leads to.
    Argument {
        function: String,
        index: usize,
        way: String,
    },
}

/// Larger scripts are not looked through.
const LARGEST_SCRIPT: usize = 8 << 20;
/// How many writes, calls and returns of one script are looked at.
const MOST_FLOWS: usize = 100_000;
/// A name that is written in more places says nothing.
const MOST_PLACES: usize = 8;

impl Sources {
    /// The guesses of all scripts that came in responses.
    pub(crate) fn guesses(&self) -> Guesses {
        let mut guesses = Guesses::default();
        let mut latest: Vec<usize> = self.latest.values().copied().collect();
        latest.sort_unstable();
        latest.dedup();
        for text in latest
            .into_iter()
            .filter_map(|number| self.texts.get(number))
        {
            let lines = text.mapped.original_lines();
            let names = MapNames::new(text.source_map.as_ref(), &text.mapped.original, lines);
            let names: &dyn OriginalNames = match &names {
                Some(names) => names,
                None => &NamesAsWritten,
            };
            for script in &text.scripts {
                let range = script.span.start.index()..script.span.end.index();
                let Some(content) = text.mapped.original.get(range) else {
                    continue;
                };
                if content.len() > LARGEST_SCRIPT {
                    continue;
                }
                let read =
                    |parsed: &js_analysis::rewrite::Script<'_>| parsed.flows(names, MOST_FLOWS);
                let flows = text.parsed.with(content, script.goal, read);
                let reading = Reading { content, names };
                for flow in flows.into_iter().flatten() {
                    guesses.add(reading, flow);
                }
            }
        }
        guesses
    }
}

/// A script's text and the names of its author.
#[derive(Clone, Copy)]
struct Reading<'r> {
    content: &'r str,
    names: &'r dyn OriginalNames,
}

impl Guesses {
    fn add(&mut self, reading: Reading<'_>, flow: Flow) {
        match flow {
            Flow::Write {
                name,
                is_property,
                written,
                function,
            } => {
                let sources = reading.written(&written, function);
                let known = self.writes.entry((name, is_property)).or_default();
                if known.len() <= MOST_PLACES {
                    known.extend(sources);
                }
            }
            Flow::Call { name, arguments } => {
                let known = self.calls.entry(name).or_default();
                if known.len() <= MOST_PLACES {
                    let arguments = arguments.iter().map(|argument| match argument.is_spread {
                        true => Vec::new(),
                        false => reading.value(&argument.value, &[]),
                    });
                    known.push(arguments.collect());
                }
            }
            Flow::Spread { value } => {
                if self.spreads.len() <= MOST_PLACES {
                    self.spreads.extend(reading.value(&value, &[]));
                }
            }
            Flow::Return { name, value } => {
                let known = self.returns.entry(name).or_default();
                if known.len() <= MOST_PLACES {
                    known.extend(reading.value(&value, &[]));
                }
            }
        }
    }

    /// What the value of a variable or property may be that is written by this name.
    pub(crate) fn of_write(&self, name: &str, is_property: bool) -> Vec<Guess> {
        let sources = self.writes.get(&(name.to_owned(), is_property));
        let mut guesses = Vec::new();
        for source in sources.into_iter().flatten() {
            match source {
                Source::Of(guess) => guesses.push(guess.clone()),
                Source::Argument {
                    function,
                    index,
                    way,
                } => {
                    let calls = self.calls.get(function).into_iter().flatten();
                    let handed = calls
                        .filter_map(|arguments| arguments.get(*index))
                        .flatten();
                    guesses.extend(handed.filter_map(|guess| into(guess, way, true)));
                    // A setter is handed what is assigned.
                    let set = self.writes.get(&(function.clone(), true));
                    for source in set.into_iter().flatten().filter(|_| *index == 0) {
                        if let Source::Of(guess) = source {
                            guesses.extend(into(guess, way, true));
                        }
                    }
                }
            }
        }
        if is_property {
            let is_index = name.bytes().all(|byte| byte.is_ascii_digit());
            if is_index {
                guesses.extend(self.handed_to("push", 0).cloned());
                guesses.extend(self.handed_to("unshift", 0).cloned());
            }
            // What `Object.assign` and spreads copy.
            let step = step_text(&Step::Key(name.to_owned()));
            let copied = self.handed_to("assign", 1).chain(&self.spreads);
            let step = step.as_deref().unwrap_or_default();
            guesses.extend(copied.filter_map(|guess| into(guess, step, false)));
        }
        few(guesses)
    }

    /// What an entry of a map may be.
    pub(crate) fn of_entry(&self) -> Vec<Guess> {
        few(self.handed_to("set", 1).cloned().collect())
    }

    /// What calls of functions of this name hand over, from an argument on.
    fn handed_to(&self, function: &str, first: usize) -> impl Iterator<Item = &Guess> {
        let calls = self.calls.get(function).into_iter().flatten();
        calls.flat_map(move |arguments| arguments.iter().skip(first).flatten())
    }

    /// What a function of this name may have returned.
    pub(crate) fn of_return(&self, function: &str) -> Vec<Guess> {
        let returns = self.returns.get(function);
        few(returns.into_iter().flatten().cloned().collect())
    }
}

/// So many that it says nothing is none.
fn few(guesses: Vec<Guess>) -> Vec<Guess> {
    let mut kept: Vec<Guess> = Vec::new();
    for guess in guesses {
        if !kept.contains(&guess) {
            kept.push(guess);
        }
    }
    kept.truncate(MOST_PLACES);
    kept
}

/// The same with a way behind it; in the frame of the caller, what a call gives is not asked for.
fn into(guess: &Guess, way: &str, is_of_caller: bool) -> Option<Guess> {
    Some(match guess {
        Guess::Reference(text) if is_of_caller => Guess::OfCaller(format!("{text}{way}")),
        Guess::Reference(text) => Guess::Reference(format!("{text}{way}")),
        Guess::OfCaller(text) => Guess::OfCaller(format!("{text}{way}")),
        Guess::Return {
            function,
            way: before,
        } => Guess::Return {
            function: function.clone(),
            way: format!("{before}{way}"),
        },
    })
}

impl Reading<'_> {
    fn written(self, written: &Written, function: Option<String>) -> Vec<Source> {
        match (written, function) {
            (Written::Value { value, path }, _) => {
                let guesses = self.value(value, path).into_iter();
                guesses.map(Source::Of).collect()
            }
            (Written::Parameter { index, path, .. }, Some(function)) => {
                let Some((way, defaults)) = self.way(path) else {
                    return Vec::new();
                };
                let mut sources: Vec<Source> = defaults.into_iter().map(Source::Of).collect();
                sources.push(Source::Argument {
                    function,
                    index: *index,
                    way,
                });
                sources
            }
            _ => Vec::new(),
        }
    }

    /// A way that the text says, and what is in it as default values.
    fn way(self, path: &[PathStep]) -> Option<(String, Vec<Guess>)> {
        let (mut way, mut defaults) = (String::new(), Vec::new());
        for step in path {
            match step {
                PathStep::Into(step) => way.push_str(&step_text(step)?),
                PathStep::Iterated(number) => way.push_str(&format!("[{number}]")),
                PathStep::Default(value) => defaults.extend(self.value(value, &[])),
                PathStep::Rest(_) => return None,
            }
        }
        Some((way, defaults))
    }

    fn value(self, value: &Value, path: &[PathStep]) -> Vec<Guess> {
        let Some((way, mut guesses)) = self.way(path) else {
            return Vec::new();
        };
        self.add(value, &way, &mut guesses);
        guesses
    }

    fn add(self, value: &Value, way: &str, guesses: &mut Vec<Guess>) {
        match &value.form {
            Form::Reference(reference) => {
                let mut text = match &reference.root {
                    Root::This => "this".to_owned(),
                    Root::Variable { name, at, .. } => self
                        .names
                        .original_name(*at)
                        .unwrap_or_else(|| name.clone()),
                };
                for step in &reference.steps {
                    match step_text(step) {
                        Some(step) => text.push_str(&step),
                        None => return,
                    }
                }
                text.push_str(way);
                guesses.push(Guess::Reference(text));
            }
            Form::Conditional { yes, no, .. } => {
                self.add(yes, way, guesses);
                self.add(no, way, guesses);
            }
            Form::Logical { left, right, .. } => {
                self.add(left, way, guesses);
                self.add(right, way, guesses);
            }
            Form::Operation { operands, .. } if way.is_empty() => {
                let mut open = operands.iter().filter(|operand| !operand.is_constant());
                if let (Some(only), None) = (open.next(), open.next()) {
                    self.add(only, "", guesses);
                }
            }
            Form::Call(call) => self.call(call, way, guesses),
            Form::Object(properties) => {
                for (key, value) in properties.iter().flatten() {
                    let step = Step::Key(key.clone());
                    let rest = step_text(&step).and_then(|step| way.strip_prefix(&*step));
                    if let Some(rest) = rest
                        && (rest.is_empty() || rest.starts_with(['.', '[']))
                    {
                        self.add(value, rest, guesses);
                    }
                }
            }
            _ => {}
        }
    }

    fn call(self, call: &Call, way: &str, guesses: &mut Vec<Guess>) {
        let global = call.global.as_deref().unwrap_or_default();
        let is_passing_on = matches!(
            global,
            "String"
                | "Number"
                | "parseInt"
                | "parseFloat"
                | "JSON.parse"
                | "JSON.stringify"
                | "structuredClone"
                | "Object.freeze"
        );
        if is_passing_on {
            if let Some(first) = call.arguments.first() {
                self.add(&first.value, way, guesses);
            }
            return;
        }
        let method = call.method.as_deref();
        if let (Some("toString" | "trim" | "valueOf"), Some(receiver)) = (method, &call.receiver) {
            self.add(receiver, way, guesses);
        }
        if let (Some("get"), Some(map), Some(key)) =
            (method, &call.receiver, call.arguments.first())
            && key.value.is_constant()
        {
            let span = key.value.span;
            let key = self.content.get(span.start.index()..span.end.index());
            let mut maps = Vec::new();
            self.add(map, "", &mut maps);
            for map in maps {
                if let (Guess::Reference(map), Some(key)) = (map, key) {
                    let key = key.replace('\'', "\"");
                    guesses.push(Guess::Reference(format!("{map}.get({key}){way}")));
                }
            }
            return;
        }
        if call.kind != CallKind::Plain {
            return;
        }
        let name = match (&call.callee, method) {
            (_, Some(method)) => Some(method.to_owned()),
            (Some(callee), None) => match &callee.form {
                Form::Reference(reference) => match (&reference.root, reference.steps.last()) {
                    (Root::Variable { name, at, .. }, None) => Some(
                        self.names
                            .original_name(*at)
                            .unwrap_or_else(|| name.clone()),
                    ),
                    _ => None,
                },
                _ => None,
            },
            (None, None) => None,
        };
        if let Some(function) = name.filter(|name| is_identifier(name)) {
            guesses.push(Guess::Return {
                function,
                way: way.to_owned(),
            });
        }
    }
}

fn step_text(step: &Step) -> Option<String> {
    Some(match step {
        Step::Property(name) | Step::Key(name) if is_identifier(name) => format!(".{name}"),
        Step::Private { name, .. } => format!(".#{name}"),
        Step::Property(key) | Step::Key(key) => format!("[{}]", serde_json::to_string(key).ok()?),
        Step::Index(number) if number.is_finite() => format!("[{}]", number_to_string(*number)),
        Step::Index(_) | Step::Computed { .. } => return None,
    })
}
