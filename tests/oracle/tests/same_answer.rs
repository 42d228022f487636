//! The second promise: the line that `lastChange` names is the one at which the judge saw the value change.
//!
//! Each program is stepped through plain, and asked about in the product's way: as many of the values in sight at
//! its marker as one question takes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::TokioClock;
use engine::ask::{AskRequest, ask};
use engine::collection::Instrument;
use oracle::courtroom::Courtroom;
use oracle::generator::{MARKER, Program, scripts};
use oracle::settings::{Programs, config};
use oracle::stepping::{BreakPosition, Line, Sight, StepReport, Verdict};
use proptest::test_runner::{TestCaseError, TestRunner};
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(180);
/// How many values are asked for, for each script of a page.
const MOST_QUESTIONS: usize = 8;
/// How many pages of scripts each part of the test tries, unless told otherwise: one to seven programs a page.
const PAGES: Programs = Programs {
    usually: 2,
    every: 18,
};

/// A browser, and the programs in it.
struct Court {
    room: Courtroom,
    cases: Cell<usize>,
    tally: RefCell<Tally>,
}

/// What came of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    /// The judge names one line, and so does the answer; or nothing ever changed.
    Agreed,
    /// The judge names several lines; the answer is one of them.
    Among,
    /// The answer is a statement that ran later, in which the value changed and changed back.
    BackAgain,
    /// The answer says that no hook could see it.
    Blind,
}

/// What came of all questions.
#[derive(Clone, Debug, Default)]
struct Tally {
    pages: usize,
    programs: usize,
    /// Pages whose marker was not reached.
    unreached: usize,
    stops: usize,
    /// How long it took to step through them, and to ask.
    stepped: Duration,
    answered: Duration,
    agreed: usize,
    among: usize,
    back_again: usize,
    blind: usize,
    /// Questions that the shadows of live hooks have answered, and those that they have not.
    live: usize,
    live_blind: usize,
}

impl Tally {
    fn count(&mut self, outcome: Comparison) {
        *match outcome {
            Comparison::Agreed => &mut self.agreed,
            Comparison::Among => &mut self.among,
            Comparison::BackAgain => &mut self.back_again,
            Comparison::Blind => &mut self.blind,
        } += 1;
    }
}

/// Whether an answer is what the judge saw.
fn compare(sight: &Sight, point: &Value) -> Result<Comparison, String> {
    let status = point["status"].as_str().unwrap_or_default();
    let lines = match &sight.verdict {
        Verdict::Changed(lines) => lines,
        Verdict::Never if status == "never-changed" => return Ok(Comparison::Agreed),
        other => return Err(format!("{other:?}, but the answer is {point:#}")),
    };
    if status == "blind" {
        return Ok(Comparison::Blind);
    }
    let location = &point["location"];
    let url = location["url"].as_str().unwrap_or_default();
    let at = location["line"].as_u64().unwrap_or_default();
    // What is in a text that became code has no address in the judge's browser; the answer tells the text by the
    // call that made code of it.
    let is_made = !location["maker"].is_null();
    let named = |line: &Line| {
        (line.url == url || is_made && line.url.is_empty()) && u64::from(line.line) == at
    };
    let is_among = status == "found" && lines.iter().any(named);
    // A value that one statement changes and changes back is the same at every stop.
    let is_back = status == "found"
        && !is_among
        && point["old"] != point["new"]
        && sight.ran_since.iter().any(named);
    if !is_among && !is_back {
        let lines: Vec<u32> = lines.iter().map(|line| line.line).collect();
        return Err(format!(
            "it changed at {lines:?}, but the answer is {status} at {at} ({})",
            point["note"]
        ));
    }
    if let Some(text) = &sight.text
        && point["new"]["text"] != text.as_str()
    {
        return Err(format!("it is {text}, but the answer is {}", point["new"]));
    }
    Ok(match lines.len() {
        _ if is_back => Comparison::BackAgain,
        1 => Comparison::Agreed,
        _ => Comparison::Among,
    })
}

impl Court {
    fn open() -> Self {
        Self {
            room: Courtroom::open(LIMIT).unwrap(),
            cases: Cell::new(0),
            tally: RefCell::default(),
        }
    }

    /// Where judge and product differ on these scripts of one page, asked at the marker of the last.
    fn try_scripts(&self, scripts: &[Program]) -> Result<(), String> {
        let Some(last) = scripts.last() else {
            return Ok(());
        };
        self.cases.set(self.cases.get() + 1);
        let name = format!("page{}", self.cases.get());
        let texts: Vec<&str> = scripts.iter().map(|script| script.text.as_str()).collect();
        let page = self.room.site.add(&name, &texts);
        let file = format!("/{name}-{}.js", scripts.len() - 1);
        let line = u32::try_from(last.marker_line).unwrap();
        let place = BreakPosition {
            file: file.clone(),
            line,
            column: 1,
        };
        self.room.runtime.block_on(async {
            let start = Instant::now();
            let seen = self.room.stepper.step_through(&page, &place).await;
            let seen = seen.map_err(|error| error.to_string())?;
            {
                let mut tally = self.tally.borrow_mut();
                tally.pages += 1;
                tally.stepped += start.elapsed();
                tally.programs += scripts.len();
                tally.stops += seen.stops;
                tally.unreached += usize::from(seen.hits == 0);
            }
            let asked = questions(&seen, MOST_QUESTIONS * scripts.len());
            if asked.is_empty() {
                return Ok(());
            }
            let at = format!("{}:{line}", file.trim_start_matches('/'));
            let start = Instant::now();
            let answer = self.answer(&page, &at, &asked, Instrument::Query).await?;
            self.tally.borrow_mut().answered += start.elapsed();
            self.compare_all(&asked, &answer)?;
            let answer = self.answer(&page, &at, &asked, Instrument::Live).await?;
            self.compare_live(&asked, &answer)
        })
    }

    async fn answer(
        &self,
        page: &str,
        at: &str,
        asked: &[&Sight],
        instrument: Instrument,
    ) -> Result<Value, String> {
        let queries = asked
            .iter()
            .map(|sight| Query::parse(&format!("lastChange(R:{})", sight.reference)));
        let queries = queries.collect::<Result<Vec<_>, _>>();
        let request = AskRequest {
            instrument,
            ..AskRequest::new(
                page.to_owned(),
                ReproductionPoint::parse(at).unwrap(),
                DependencyGraph::new(queries.map_err(|error| error.to_string())?).unwrap(),
                LIMIT,
            )
        };
        let clock = Arc::new(TokioClock::new());
        let answer = ask(self.room.browser.protocol(), clock, &request, &mut |_| ()).await;
        let answer = answer.map_err(|error| error.to_string())?;
        serde_json::to_value(answer).map_err(|error| error.to_string())
    }

    fn compare_all(&self, asked: &[&Sight], answer: &Value) -> Result<(), String> {
        let mut problems = String::new();
        let points = answer["points"].as_array().map_or(&[][..], Vec::as_slice);
        if answer["consistency"]["agrees"] != true {
            let _ = writeln!(problems, "the executions differ: {}", answer["consistency"]);
        }
        for (sight, point) in asked.iter().zip(points.get(1..).unwrap_or_default()) {
            match compare(sight, point) {
                Ok(outcome) => self.tally.borrow_mut().count(outcome),
                Err(problem) => {
                    let _ = writeln!(problems, "{}: {problem}", sight.reference);
                }
            }
        }
        if points.len() != asked.len() + 1 {
            let _ = writeln!(
                problems,
                "{} points for {} questions",
                points.len(),
                asked.len()
            );
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }

    /// The last writers that shadows name are those that the judge saw; of others they say that they do not know.
    fn compare_live(&self, asked: &[&Sight], answer: &Value) -> Result<(), String> {
        let mut problems = String::new();
        let points = answer["points"].as_array().map_or(&[][..], Vec::as_slice);
        for (sight, point) in asked.iter().zip(points.get(1..).unwrap_or_default()) {
            let mut tally = self.tally.borrow_mut();
            if point["status"] == "blind" {
                tally.live_blind += 1;
                continue;
            }
            tally.live += 1;
            if let Err(problem) = compare(sight, point) {
                let _ = writeln!(problems, "{}, live: {problem}", sight.reference);
            }
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems),
        }
    }

    fn close(self) -> Tally {
        let Self { room, tally, .. } = self;
        room.close();
        tally.into_inner()
    }
}

/// What is asked of all that is in sight: of each kind some, spread over the list.
fn questions(seen: &StepReport, most: usize) -> Vec<&Sight> {
    let sayable: Vec<&Sight> = seen
        .sights
        .iter()
        .filter(|sight| !matches!(sight.verdict, Verdict::Unknown(_)))
        .collect();
    let step = sayable.len().div_ceil(most).max(1);
    sayable.into_iter().step_by(step).collect()
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
    where_a_value_of_a_random_program_changed_1: 1,
    where_a_value_of_a_random_program_changed_2: 2,
    where_a_value_of_a_random_program_changed_3: 3,
    where_a_value_of_a_random_program_changed_4: 4,
    where_a_value_of_a_random_program_changed_5: 5,
    where_a_value_of_a_random_program_changed_6: 6,
    where_a_value_of_a_random_program_changed_7: 7,
    where_a_value_of_a_random_program_changed_8: 8,
}

fn try_programs(seed: u64) {
    let court = Court::open();
    let result = TestRunner::new(config(PAGES, seed, 200)).run(&scripts(7), |scripts| {
        court.try_scripts(&scripts).map_err(TestCaseError::fail)
    });
    let tally = court.close();
    println!("{tally:#?}");
    if let Err(failure) = result {
        panic!("{failure}");
    }
    if tally.pages >= PAGES.of_this_run() as usize {
        // One to seven a page: fewer than two are no pages of several scripts.
        assert!(tally.programs >= tally.pages * 2, "{tally:#?}");
    }
    // A judge that hardly ever names one line would be no judge.
    let judged = tally.agreed + tally.among + tally.back_again + tally.blind;
    assert!(tally.agreed * 10 > judged * 8, "{tally:#?}");
    assert!(tally.blind * 25 <= judged, "{tally:#?}");
    // Nor would shadows that know nothing.
    assert!(tally.live > 0, "{tally:#?}");
}

#[test]
fn where_a_value_changed_of_a_program_that_once_failed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let court = Court::open();
    let mut problems = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let program = Program {
            marker_line: 1 + text.lines().position(|line| line.trim() == MARKER).unwrap(),
            text,
        };
        if let Err(problem) = court.try_scripts(&[program]) {
            let _ = writeln!(problems, "{}:\n{problem}", path.display());
        }
    }
    let tally = court.close();
    assert!(problems.is_empty(), "{problems}");
    assert!(tally.agreed > 0, "{tally:?}");
}

/// A comparison that finds nothing would be worth nothing.
#[test]
fn a_wrong_answer_is_told_from_a_right_one() {
    let line = |line| Line {
        url: "http://h/a.js".to_owned(),
        line,
    };
    let sight = Sight {
        reference: "o.p".to_owned(),
        is_variable: false,
        is_deleted: false,
        text: Some("2".to_owned()),
        verdict: Verdict::Changed([line(3)].into()),
        ran_since: [line(3), line(5)].into(),
    };
    let point = |line: u32, old: &str, new: &str| {
        json!({
            "status": "found", "location": { "url": "http://h/a.js", "line": line },
            "old": { "text": old }, "new": { "text": new },
        })
    };
    assert_eq!(compare(&sight, &point(3, "1", "2")), Ok(Comparison::Agreed));
    assert_eq!(
        compare(&sight, &point(5, "1", "2")),
        Ok(Comparison::BackAgain)
    );
    for wrong in [
        point(4, "1", "2"),
        point(5, "2", "2"),
        point(3, "1", "3"),
        json!({ "status": "never-changed" }),
        json!({ "status": "not-reached" }),
    ] {
        assert!(compare(&sight, &wrong).is_err(), "{wrong}");
    }
}
