//! The fourth promise: an event log says what happened. The judge steps through the plain page and lists the functions
//! that were called, the values that changed and the conditions that held; the log of the same page has them all.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

mod logs;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use event_log::catalogue::{answer, point_in};
use event_log::model::{Kind, Model};
use event_log::value::Value;
use oracle::courtroom::Courtroom;
use oracle::generator::{MARKER, Program, scripts};
use oracle::settings::{Programs, config};
use oracle::stepping::{BreakPosition, Line, Sight, StepReport, Verdict};
use proptest::test_runner::{TestCaseError, TestRunner};
use querypoint::catalogue::{Definitions, Question};
use querypoint::events::LoggedEvent;
use querypoint::point::ReproductionPoint;

use logs::Recorder;

const LIMIT: Duration = Duration::from_secs(180);
/// How many pages each part of the test tries.
const PAGES: Programs = Programs {
    usually: 1,
    every: 32,
};
/// How many programs a page has at the most: two, on average.
const MOST_PROGRAMS: usize = 3;
/// What is in the place of the marker: an event of the log.
const MARKED: &str = "log('R');";
/// Of the text of a condition the log has so many characters.
const LONGEST_CONDITION: usize = 120;
/// How many values are asked for, of each page.
const MOST_QUESTIONS: usize = 40;

/// What was compared.
#[derive(Clone, Debug, Default)]
struct Tally {
    pages: usize,
    programs: usize,
    calls: usize,
    decisions: usize,
    values: usize,
    /// Values of which the log says that it does not have them.
    unsaid: usize,
}

struct Court {
    room: Courtroom,
    recorder: Recorder,
    cases: Cell<usize>,
    tally: RefCell<Tally>,
}

impl Court {
    fn open() -> Self {
        Self {
            room: Courtroom::open(LIMIT).unwrap(),
            recorder: Recorder::open(),
            cases: Cell::new(0),
            tally: RefCell::default(),
        }
    }

    /// Where judge and log differ on these scripts of one page.
    fn try_scripts(&self, scripts: &[Program]) -> Result<(), String> {
        let Some(last) = scripts.last() else {
            return Ok(());
        };
        self.cases.set(self.cases.get() + 1);
        let name = format!("page{}", self.cases.get());
        let texts = scripts
            .iter()
            .map(|script| script.text.replace(MARKER, MARKED));
        let texts: Vec<String> = texts.collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let page = self.room.site.add(&name, &texts);
        let file = format!("/{name}-{}.js", scripts.len() - 1);
        let line = u32::try_from(last.marker_line).unwrap();
        let place = BreakPosition {
            file: file.clone(),
            line,
            column: 1,
        };
        let seen = self
            .room
            .runtime
            .block_on(self.room.stepper.step_through(&page, &place));
        let seen = seen.map_err(|error| error.to_string())?;
        let model = self.recorder.record(&page);
        let at = format!("{}:{line}", file.trim_start_matches('/'));
        let mut problems = String::new();
        self.compare_calls(&seen, &model, &mut problems);
        self.compare_decisions(&seen, &model, &mut problems);
        self.compare_values(&seen, &model, &at, &mut problems);
        let mut tally = self.tally.borrow_mut();
        tally.pages += 1;
        tally.programs += scripts.len();
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems),
        }
    }

    fn compare_calls(&self, seen: &StepReport, model: &Model, problems: &mut String) {
        let judged: Vec<&Line> = seen
            .calls
            .iter()
            .filter(|line| is_script(&line.url))
            .collect();
        let tokened = tokened(model);
        let logged = model.calls.iter().filter_map(|call| {
            let function = model.tables.function(call.function)?;
            let script = model.tables.script(function.script)?;
            (tokened.contains(&call.function.0) && is_script(&script.url)).then(|| Line {
                url: script.url.clone(),
                line: function.line,
            })
        });
        let logged: Vec<Line> = logged.collect();
        self.tally.borrow_mut().calls += judged.len();
        let same = judged
            .iter()
            .zip(&logged)
            .take_while(|(one, other)| **one == *other);
        let same = same.count();
        if same < judged.len().max(logged.len()) {
            let next = |lines: &mut dyn Iterator<Item = &Line>| {
                let lines = lines.skip(same.saturating_sub(1)).take(6);
                lines.map(|line| line.line).collect::<Vec<_>>()
            };
            let _ = writeln!(
                problems,
                "call {same} of {} seen, {} logged: seen {:?}, logged {:?}",
                judged.len(),
                logged.len(),
                next(&mut judged.iter().copied()),
                next(&mut logged.iter())
            );
        }
    }

    fn compare_decisions(&self, seen: &StepReport, model: &Model, problems: &mut String) {
        type Ways = BTreeMap<(Line, String), Vec<bool>>;
        let (mut judged, mut logged) = (Ways::new(), Ways::new());
        for decision in seen.decisions.iter().filter(|it| is_script(&it.line.url)) {
            let key = (decision.line.clone(), decision.condition.clone());
            judged.entry(key).or_default().push(decision.held);
        }
        for event in model
            .events
            .iter()
            .filter(|event| event.kind == Kind::Branch)
        {
            let Some(site) = model.site(event.site) else {
                continue;
            };
            let Some(script) = model.tables.script(site.script) else {
                continue;
            };
            let line = Line {
                url: script.url.clone(),
                line: site.line,
            };
            let ways = logged.entry((line, site.name.clone())).or_default();
            ways.push(is_true(model, event.stream, event.value));
        }
        for (key, ways) in judged {
            self.tally.borrow_mut().decisions += ways.len();
            // The log has the beginning of a long condition.
            let (line, condition) = &key;
            let cut: String = condition.chars().take(LONGEST_CONDITION).collect();
            let name = match cut.len() < condition.len() {
                true => cut + "…",
                false => cut,
            };
            let logged = logged.get(&(line.clone(), name));
            if logged != Some(&ways) {
                let _ = writeln!(
                    problems,
                    "if ({condition}) at {}: seen {ways:?}, logged {logged:?}",
                    line.line
                );
            }
        }
    }

    fn compare_values(&self, seen: &StepReport, model: &Model, at: &str, problems: &mut String) {
        let Ok(point) = ReproductionPoint::parse(at) else {
            return;
        };
        if seen.hits == 0 {
            return;
        }
        let reached = match point_in(model, &point) {
            Ok(reached) => reached,
            Err(error) => {
                let _ = writeln!(problems, "{at}: {error}");
                return;
            }
        };
        let sayable = seen
            .sights
            .iter()
            .filter(|sight| matches!(sight.verdict, Verdict::Changed(_)) && !sight.is_deleted);
        let sayable: Vec<&Sight> = sayable.collect();
        let unrecorded = unrecorded(model);
        let step = sayable.len().div_ceil(MOST_QUESTIONS).max(1);
        for sight in sayable.into_iter().step_by(step) {
            let question = format!("history(R:{})", sight.reference);
            let Ok(Question::Plain(question)) = Definitions::default().question(&question) else {
                continue;
            };
            let mut events = match answer(model, &point, &[Question::Plain(question)]) {
                Ok(answer) => answer.results.into_iter().flat_map(|result| result.events),
                Err(_) => {
                    self.tally.borrow_mut().unsaid += 1;
                    continue;
                }
            };
            let is_before = |event: &LoggedEvent| event.seq < u64::from(reached);
            let Some(last) = events.rfind(is_before) else {
                self.tally.borrow_mut().unsaid += 1;
                continue;
            };
            let mut tally = self.tally.borrow_mut();
            match compare(sight, &last) {
                Ok(()) => tally.values += 1,
                // A line of which the log says that it has not all may have written last.
                Err(_) if sight.ran_since.iter().any(|line| unrecorded.contains(line)) => {
                    tally.unsaid += 1;
                }
                // The debugger shows the variable further out where a function captures none of that name.
                Err(_) if is_shadowed(model, &sight.reference) => tally.unsaid += 1,
                Err(problem) => {
                    let _ = writeln!(problems, "{}: {problem}", sight.reference);
                }
            }
        }
    }

    fn close(self) -> Tally {
        let Self { room, tally, .. } = self;
        room.close();
        tally.into_inner()
    }
}

/// The functions that begin with a token, which the judge counts the calls of.
fn tokened(model: &Model) -> BTreeSet<u32> {
    let tables = &model.tables;
    let is_token = |name: &str| {
        let number = name.strip_prefix("me").unwrap_or_default();
        number.starts_with(|first: char| first.is_ascii_digit())
    };
    let sites = tables.sites.iter().filter(|site| is_token(&site.name));
    let functions = sites.filter(|site| {
        let function = tables.function(site.function);
        function.is_some_and(|function| function.line + 1 == site.line)
    });
    functions.map(|site| site.function.0).collect()
}

/// Whether the variable that a reference begins with is declared several times.
fn is_shadowed(model: &Model, reference: &str) -> bool {
    let root = reference.split(['.', '[']).next().unwrap_or_default();
    let declared = model.tables.variables.iter();
    declared.filter(|variable| variable.name == root).count() > 1
}

/// The lines with something that the log says it does not record.
fn unrecorded(model: &Model) -> BTreeSet<Line> {
    let spots = model.end.iter().flat_map(|end| &end.unrecorded);
    let lines = spots.filter_map(|spot| {
        // `line 3:9 is not hooked: …`, `dynamic code at line 4 …`
        let (_, rest) = spot.reason.split_once("line ")?;
        let digits = rest
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(rest.len());
        let line = rest.get(..digits)?.parse().ok()?;
        let url = spot.url.clone();
        // Of `Function at URL:7:12` where it was made.
        let made = url.split_once(" at ").and_then(|(_, place)| {
            let (place, _) = place.rsplit_once(':')?;
            let (url, line) = place.rsplit_once(':')?;
            let (url, line) = (url.to_owned(), line.parse().ok()?);
            Some(Line { url, line })
        });
        Some(made.unwrap_or(Line { url, line }))
    });
    lines.collect()
}

/// Whether it is one of the page's files; text that became code has another address.
fn is_script(url: &str) -> bool {
    url.ends_with(".js")
}

fn is_true(model: &Model, stream: u16, value: Value) -> bool {
    match value {
        Value::Undefined | Value::Null | Value::Absent => false,
        Value::Boolean(value) => value,
        Value::Number(number) => number != 0.0 && !number.is_nan(),
        Value::String(id) => !model.text(stream, id.0).is_empty(),
        Value::BigInt(id) => model.text(stream, id.0) != "0",
        _ => true,
    }
}

/// Whether the last write that the log has is where the judge saw the value change, and gave what it is.
fn compare(sight: &Sight, last: &LoggedEvent) -> Result<(), String> {
    let Verdict::Changed(lines) = &sight.verdict else {
        return Ok(());
    };
    let line = last.location.as_ref().map_or(0, |location| location.line);
    let url = last
        .location
        .as_ref()
        .map_or("", |location| location.url.as_str());
    let named = |it: &Line| it.line == line && (it.url == url || it.url.is_empty());
    if is_script(url) && !lines.iter().any(named) && !sight.ran_since.iter().any(named) {
        let lines: Vec<u32> = lines.iter().map(|line| line.line).collect();
        return Err(format!("it changed at {lines:?}, the log says {line}"));
    }
    match (&sight.text, &last.value) {
        (Some(text), Some(value)) if *text != value.text => {
            Err(format!("it is {text}, the log says {}", value.text))
        }
        _ => Ok(()),
    }
}

/// In parts, which run beside each other and each of which is soon over.
macro_rules! parts {
    ($($name:ident: $seed:literal,)*) => {
        $(
            #[test]
            fn $name() {
                try_programs($seed);
            }
        )*
    };
}

parts! {
    what_a_log_says_of_a_random_program_1: 101,
    what_a_log_says_of_a_random_program_2: 102,
    what_a_log_says_of_a_random_program_3: 103,
    what_a_log_says_of_a_random_program_4: 104,
    what_a_log_says_of_a_random_program_5: 105,
    what_a_log_says_of_a_random_program_6: 106,
    what_a_log_says_of_a_random_program_7: 107,
    what_a_log_says_of_a_random_program_8: 108,
}

fn try_programs(seed: u64) {
    let court = Court::open();
    let result = TestRunner::new(config(PAGES, seed, 20)).run(&scripts(MOST_PROGRAMS), |scripts| {
        court.try_scripts(&scripts).map_err(TestCaseError::fail)
    });
    let tally = court.close();
    println!("{tally:#?}");
    if let Err(failure) = result {
        panic!("{failure}");
    }
    // A judge that sees hardly anything would be no judge; of one page nothing can be expected.
    if tally.programs >= 20 {
        assert!(tally.calls > tally.programs, "{tally:#?}");
        assert!(tally.values > tally.programs, "{tally:#?}");
        assert!(tally.decisions > 0, "{tally:#?}");
        assert!(tally.unsaid * 5 <= tally.values, "{tally:#?}");
    }
}

/// A comparison that finds nothing would be worth nothing.
#[test]
fn a_log_that_lacks_something_is_told_from_a_whole_one() {
    let court = Court::open();
    let text = "let fuel = 24;
let o = { p: 1 };
function f(x) {
  const me1 = {};
  if (x > 1) {
    o.p = x;
  }
}
f(1);
f(2);
log('R');
log(o);
";
    let page = court.room.site.add("whole", &[text]);
    let place = BreakPosition {
        file: "/whole-0.js".to_owned(),
        line: 11,
        column: 1,
    };
    let seen = court
        .room
        .runtime
        .block_on(court.room.stepper.step_through(&page, &place));
    let seen = seen.unwrap();
    let ways: Vec<bool> = seen.decisions.iter().map(|it| it.held).collect();
    let lines: Vec<u32> = seen.calls.iter().map(|line| line.line).collect();
    assert_eq!((ways, lines), (vec![false, true], vec![3, 3]));
    let problems = |model: &Model| {
        let mut problems = String::new();
        court.compare_calls(&seen, model, &mut problems);
        court.compare_decisions(&seen, model, &mut problems);
        court.compare_values(&seen, model, "whole-0.js:11", &mut problems);
        problems
    };
    let mut model = court.recorder.record(&page);
    assert_eq!(problems(&model), "");
    let branch = model.events.iter().position(|it| it.kind == Kind::Branch);
    model.events[branch.unwrap()].value = Value::Boolean(true);
    assert!(problems(&model).starts_with("if (x > 1) at 5"));
    let mut model = court.recorder.record(&page);
    model.calls.pop();
    assert!(problems(&model).starts_with("call 1 of 2 seen, 1 logged"));
    let mut model = court.recorder.record(&page);
    let is_last = |it: &event_log::model::Event| it.kind == Kind::Write;
    let last = model.events.iter().rposition(is_last);
    model.events[last.unwrap()].value = Value::Number(7.0);
    assert!(problems(&model).contains("o.p: it is 2, the log says 7"));
    let tally = court.close();
    assert!(tally.values > 0, "{tally:#?}");
}
