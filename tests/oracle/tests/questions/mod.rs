//! Questions to a log: as the catalogue is asked them, with its answers, and as goals for Prolog. The rows of both are
//! put into the same words.

use std::collections::BTreeMap;

use event_log::catalogue::answer;
use event_log::model::{Kind, Model};
use oracle::prolog::atom;
use querypoint::answer::{Value as Shown, ValueType};
use querypoint::catalogue::Definitions;
use querypoint::events::{EventKind, EventsResult, LoggedEvent};
use querypoint::point::ReproductionPoint;
use serde_json::Value;

/// Points that each log is asked at.
const POINTS: usize = 14;
/// Of what there are many, so many are asked about.
const SOME: usize = 3;
/// Answers with more rows are left to other points.
const MOST_ROWS: usize = 400;

/// One question in both languages, and the catalogue's answer in words.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) query: String,
    pub(crate) goal: String,
    pub(crate) answered: Vec<String>,
}

fn asked(model: &Model, definitions: &Definitions, query: &str) -> Option<EventsResult> {
    let question = definitions
        .question(query)
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    let answer = answer(model, &ReproductionPoint::End, &[question]).ok()?;
    answer.results.into_iter().next()
}

/// What Prolog answered, in words. What has no order is sorted.
pub(crate) fn printed_rows(goal: &str, rows: &[Value]) -> Vec<String> {
    let mut words: Vec<String> = rows.iter().map(|row| printed_row(goal, row)).collect();
    if is_unordered(goal) {
        words.sort();
    }
    words
}

fn is_unordered(goal: &str) -> bool {
    ["object_state", "called_", "unfinished"]
        .iter()
        .any(|word| goal.starts_with(word))
}

fn printed_row(goal: &str, row: &Value) -> String {
    let seq = &row["seq"];
    let function = || name(row["function"].as_str());
    let values = || match row["arguments"].as_array() {
        Some(values) => format!("{:?}", values.iter().map(printed).collect::<Vec<_>>()),
        None => "-".to_owned(),
    };
    match goal.split('(').next().unwrap_or_default() {
        "call_chain" => format!("{seq} {} {}", function(), values()),
        "where" => format!("{seq} {} {}", function(), row["line"]),
        "object_state" => format!(
            "{} {seq} {}",
            row["key"].as_str().unwrap_or_default(),
            printed(&row["value"])
        ),
        "arguments_of" => format!("{seq} {}", values()),
        "field_history" | "returns_of" | "thrown" | "local" => {
            format!("{seq} {}", printed(&row["value"]))
        }
        "call_tree" => format!("{seq} {}", row["depth"]),
        "login" | "problems" => row.to_string(),
        _ => seq.to_string(),
    }
}

/// The name of a function; one without a name has none.
fn name(name: Option<&str>) -> &str {
    name.filter(|name| !name.starts_with('(')).unwrap_or("")
}

/// A value of Prolog's answer, as the catalogue prints it.
fn printed(value: &Value) -> String {
    let text = |name: &str| value[name].as_str().unwrap_or_default();
    let cut = |text: String| Shown::new(ValueType::String, text).text;
    let has = |name: &str| value.get(name).is_some();
    if has("string") {
        cut(Value::from(text("string")).to_string())
    } else if has("start") {
        cut(Value::from(text("start")).to_string())
    } else if has("number") {
        number(text("number"))
    } else if has("class") {
        let class = match text("class") {
            "" => "Object",
            class => class,
        };
        format!("{class} #{}", value["object"])
    } else if has("function") {
        cut(format!("ƒ {}()", text("function")))
    } else if has("bigint") {
        cut(format!("{}n", text("bigint")))
    } else if has("symbol") {
        "symbol".to_owned()
    } else {
        // JSON has words for some of them.
        let word = &value["word"];
        match word.as_str().unwrap_or_default() {
            "" if value.get("word").is_some() => word.to_string(),
            "nan" => number("NaN"),
            "infinite" => number("inf"),
            "minus_infinite" => number("-inf"),
            "uninitialised" => "not initialised".to_owned(),
            "absent" | "unknown" | "" => "-".to_owned(),
            word => word.to_owned(),
        }
    }
}

/// A number in one way, whoever printed it.
fn number(text: &str) -> String {
    let text = text.replace("Infinity", "inf");
    match text.parse::<f64>() {
        Ok(number) => format!("{number:?}"),
        Err(_) => text,
    }
}

/// A value of the catalogue's answer.
fn shown(value: Option<&Shown>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.text == "not recorded" => "-".to_owned(),
        Some(value) => match value.kind {
            ValueType::Number => number(&value.text),
            ValueType::Symbol => "symbol".to_owned(),
            _ => value.text.clone(),
        },
    }
}

fn arguments(event: &LoggedEvent) -> String {
    match &event.arguments {
        Some(values) => {
            let words: Vec<String> = values.iter().map(|value| shown(Some(value))).collect();
            format!("{words:?}")
        }
        None => "-".to_owned(),
    }
}

fn answered(goal: &str, events: &[LoggedEvent]) -> Vec<String> {
    let word = |event: &LoggedEvent| {
        let seq = event.seq;
        let function = name(event.function.as_deref());
        match goal.split('(').next().unwrap_or_default() {
            "call_chain" => format!("{seq} {function} {}", arguments(event)),
            "where" => {
                let line = event.location.as_ref().map(|it| it.line.to_string());
                format!(
                    "{seq} {function} {}",
                    line.unwrap_or_else(|| "null".to_owned())
                )
            }
            "object_state" => {
                let key = event.name.clone().unwrap_or_default();
                format!("{key} {seq} {}", shown(event.value.as_ref()))
            }
            "arguments_of" => format!("{seq} {}", arguments(event)),
            "field_history" | "local" => format!("{seq} {}", shown(event.value.as_ref())),
            "returns_of" => format!("{seq} {}", shown(event.returned.as_ref())),
            "thrown" => format!("{seq} {}", shown(event.exception.as_ref())),
            "call_tree" => format!("{seq} {}", event.depth.unwrap_or_default()),
            _ => seq.to_string(),
        }
    };
    let mut words: Vec<String> = events.iter().map(word).collect();
    if is_unordered(goal) {
        words.sort();
    }
    words
}

struct Questions<'m> {
    model: &'m Model,
    definitions: Definitions,
    pairs: Vec<Pair>,
}

/// What a log is asked, at points spread over it.
pub(crate) fn pairs(model: &Model) -> Vec<Pair> {
    let mut questions = Questions {
        model,
        definitions: Definitions::default(),
        pairs: vec![Pair {
            query: "(the facts contradict themselves)".to_owned(),
            goal: "problems".to_owned(),
            answered: Vec::new(),
        }],
    };
    questions.add("where(throw())".to_owned(), "thrown".to_owned());
    questions.of_functions();
    questions.of_classes();
    for point in points(model) {
        questions.at(point);
    }
    questions.pairs
}

/// Events of all kinds, spread over the log.
fn points(model: &Model) -> Vec<u32> {
    const KINDS: [Kind; 9] = [
        Kind::Call,
        Kind::Write,
        Kind::Assign,
        Kind::Branch,
        Kind::Create,
        Kind::Return,
        Kind::Catch,
        Kind::Step,
        Kind::WriteEntry,
    ];
    let is_asked = |number: &u32| {
        let event = model.events.get(*number as usize);
        event.is_some_and(|event| {
            KINDS.contains(&event.kind) && event.call != event_log::model::NONE
        })
    };
    let all = (0..u32::try_from(model.events.len()).unwrap()).filter(is_asked);
    let all: Vec<u32> = all.collect();
    let step = all.len().div_ceil(POINTS).max(1);
    all.into_iter().skip(step / 2).step_by(step).collect()
}

impl Questions<'_> {
    /// Adds a question if it has an answer of a size that can be read; gives the answer's events.
    fn add(&mut self, query: String, goal: String) -> Vec<LoggedEvent> {
        let Some(result) = asked(self.model, &self.definitions, &query) else {
            return Vec::new();
        };
        if result.events.len() <= MOST_ROWS {
            let answered = answered(&goal, &result.events);
            self.pairs.push(Pair {
                query,
                goal,
                answered,
            });
        }
        result.events
    }

    /// Of what runs and waits the paper has the calls that have not ended.
    fn running(&mut self, point: u32) {
        let query = format!("running(#{point})");
        let Some(result) = asked(self.model, &self.definitions, &query) else {
            return;
        };
        let calls = result.events.into_iter().filter(|event| {
            let begins = event.kind == EventKind::Call && event.call == Some(event.seq);
            // What is waited for may be a promise that a call gave which has ended.
            let call = self
                .model
                .calls
                .iter()
                .find(|it| u64::from(it.enter) == event.seq);
            let promise = event
                .returned
                .as_ref()
                .filter(|it| it.text.starts_with("Promise #"));
            begins && !call.is_some_and(|call| call.exit < point && promise.is_some())
        });
        let mut calls: Vec<LoggedEvent> = calls.collect();
        calls.sort_by_key(|event| event.seq);
        calls.dedup_by_key(|event| event.seq);
        if calls.len() <= MOST_ROWS {
            let goal = format!("unfinished({point})");
            let answered = answered(&goal, &calls);
            self.pairs.push(Pair {
                query,
                goal,
                answered,
            });
        }
    }

    fn of_functions(&mut self) {
        let functions = &self.model.tables.functions;
        let mut known: Vec<&str> = functions.iter().map(|it| it.name.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        // A name that means one name: `add` means `Cart.add` too.
        let means_one = |name: &&&str| {
            let behind = format!(".{name}");
            is_name(name) && !known.iter().any(|other| other.ends_with(&behind))
        };
        let names: Vec<String> = known
            .iter()
            .filter(means_one)
            .map(|&name| name.to_owned())
            .collect();
        let step = names.len().div_ceil(4 * SOME).max(1);
        for name in names.iter().step_by(step) {
            let own = atom(name);
            self.add(
                format!("argumentsOf({name})"),
                format!("arguments_of({own})"),
            );
            self.add(format!("returnsOf({name})"), format!("returns_of({own})"));
        }
    }

    fn of_classes(&mut self) {
        let made = self
            .model
            .events
            .iter()
            .filter(|event| event.kind == Kind::Create);
        let mut classes: BTreeMap<String, usize> = BTreeMap::new();
        for event in made {
            let class = event
                .owner
                .object()
                .and_then(|id| self.model.object(event.stream, id.0));
            let class = class.filter(|class| !class.is_function);
            let name = class.map(|class| self.model.text(event.stream, class.class).to_owned());
            *classes.entry(name.unwrap_or_default()).or_default() += 1;
        }
        let named: Vec<String> = classes
            .into_keys()
            .filter(|name| is_name(name) && !name.contains('.'))
            .collect();
        for class in named.iter().take(2 * SOME) {
            self.add(
                format!("instances({class})"),
                format!("instances({})", atom(class)),
            );
        }
    }

    fn at(&mut self, point: u32) {
        let Some(event) = self.model.events.get(point as usize) else {
            return;
        };
        let thread = event.stream;
        self.add(
            format!("callChain(#{point})"),
            format!("call_chain({point})"),
        );
        // Of a call without a place the answer is where its function is, which no fact says.
        if event.kind != Kind::Call && event.kind != Kind::Return {
            self.add(format!("where(#{point})"), format!("where({point})"));
        }
        self.add(
            format!("callsBefore(#{point})"),
            format!("called_before({point})"),
        );
        self.add(
            format!("callsAfter(#{point})"),
            format!("called_after({point})"),
        );
        self.running(point);
        if let Some(call) = self.model.calls.get(event.call as usize) {
            self.add(
                format!("callTree(#{point})"),
                format!("call_tree({})", call.enter),
            );
            if let Some(this) = call.this.object() {
                self.object(point, "this", thread, u64::from(this.0));
            }
        }
        let locals = asked(self.model, &self.definitions, &format!("locals(#{point})"));
        let locals = locals.map(|result| result.events).unwrap_or_default();
        let mut objects = 0;
        // A bundle has a thousand in one scope.
        let step = locals.len().div_ceil(4 * SOME).max(1);
        for local in locals.iter().step_by(step) {
            let Some(name) = local
                .name
                .clone()
                .filter(|name| is_name(name) && name != "this")
            else {
                continue;
            };
            // What an argument gave is one of several values in the fact.
            if local.kind == EventKind::Assign {
                let goal = format!("local({point}, {thread}, {}, {})", local.seq, atom(&name));
                let answered = answered(&goal, std::slice::from_ref(local));
                let query = format!("locals(#{point}): {name}");
                self.pairs.push(Pair {
                    query,
                    goal,
                    answered,
                });
            }
            if let Some(object) = local.value.as_ref().and_then(object_number)
                && objects < SOME
            {
                objects += 1;
                self.object(point, &name, thread, object);
            }
        }
    }

    /// The state of an object at a point, and the histories of some of its fields.
    fn object(&mut self, point: u32, name: &str, thread: u16, object: u64) {
        let state = self.add(
            format!("state(#{point}:{name})"),
            format!("object_state({point}, {thread}, {object})"),
        );
        let named = state.iter().filter_map(|event| event.name.clone());
        let named: Vec<String> = named.collect();
        let step = named.len().div_ceil(SOME).max(1);
        for field in named.iter().step_by(step) {
            let link = if is_name(field) && !field.contains('.') {
                format!(".{field}")
            } else if !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit()) {
                format!("[{field}]")
            } else {
                continue;
            };
            self.add(
                format!("history(#{point}:{name}{link})"),
                format!("field_history({thread}, {object}, {})", atom(field)),
            );
        }
    }
}

/// The number of the object that a value is.
fn object_number(value: &Shown) -> Option<u64> {
    if value.kind != ValueType::Object {
        return None;
    }
    value.text.rsplit_once(" #")?.1.parse().ok()
}

/// Whether it is a name, or several with dots.
fn is_name(text: &str) -> bool {
    let is_part = |part: &str| {
        let mut characters = part.chars();
        characters
            .next()
            .is_some_and(|it| it.is_ascii_alphabetic() || "_$".contains(it))
            && characters.all(|it| it.is_ascii_alphanumeric() || "_$".contains(it))
    };
    text.split('.').all(is_part)
}

/// The paper's composed query, about one name.
pub(crate) fn login(model: &Model, defined: &str, user: &str) -> Pair {
    let mut definitions = Definitions::default();
    definitions.add("login", defined).unwrap();
    let query = format!("login('{user}')");
    let result = asked(model, &definitions, &query).unwrap();
    let seqs: Vec<u64> = result.events.iter().map(|event| event.seq).collect();
    let answered = seqs
        .chunks(3)
        .map(|times| Value::from(times.to_vec()).to_string());
    Pair {
        query,
        goal: format!("login(\"{user}\")"),
        answered: answered.collect(),
    }
}
