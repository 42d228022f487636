//! The judge's line for every question of the fixtures that it can watch, against the line that the fixture expects.
//!
//! The fixtures' own tests hold the product against what their authors wrote; this holds what they wrote against what
//! happens. What the judge cannot watch is in [`UNWATCHED`] or has a form that [`unwatchable`] names, with the reason;
//! a question that is neither judged nor there fails.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Browser, LaunchOptions, TokioClock};
use end_to_end::fixture::{Fixture, Where, fixtures};
use end_to_end::repository;
use oracle::settings::every_program;
use oracle::stepping::{BreakPosition, Line, Sight, StepReport, Stepper, Verdict};
use test_support::server::Server;

const LIMIT: Duration = Duration::from_secs(120);
/// In an ordinary run, how many fixtures there are for one that is judged.
const ONE_OF: usize = 3;

/// What cannot be watched, by reason: a group, `group/`; a fixture, `group/name`; or one question, `group/name B`.
const UNWATCHED: &[(&str, &[&str])] = &[
    (
        "what elements and storage hold is read by accessors, and the judge runs none",
        &[
            "dom/",
            "never-changed/property-of-an-element",
            "properties/on-an-element",
        ],
    ),
    (
        "an accessor's value: the judge runs no getter",
        &["accessors/", "built-ins/size-of-a-map"],
    ),
    (
        "it comes to be while the function waits, and is in sight only after the change",
        &["received/json-of-a-response C"],
    ),
    (
        "a proxy's trap computes it: the judge runs no trap",
        &[
            "proxies/computed-by-a-trap B",
            "proxies/handed-on-by-reflect A",
            "proxies/one-way-of-several",
        ],
    ),
    (
        "it runs in a worker, a worklet or a frame: another realm than the watcher's",
        &["targets/", "blind/written-by-a-frame"],
    ),
    (
        "the page breaks the built-ins that the watcher, which is in its realm, works with",
        &[
            "built-ins/page-overrides-built-ins",
            "hostile/overrides-every-built-in",
            "hostile/pollutes-prototypes",
        ],
    ),
    (
        "thousands of stops",
        &[
            "built-ins/in-a-hot-function",
            "chains/the-change-before",
            "hostile/looks-for-the-agent",
        ],
    ),
    (
        "the engine has no place to stop at the mark R: nothing happens there",
        &[
            "variables/shadowed",
            "variables/switch-case",
            "variables/with-asked-inside",
        ],
    ),
    (
        "timers that go on for longer than the judge waits",
        &["chains/across-timers", "properties/in-timer"],
    ),
    (
        "several activations of a scope, which no token tells apart",
        &[
            "variables/async-function-resumed",
            "variables/async-local",
            "variables/closure",
            "variables/closures-apart",
            "variables/for-of-head C",
            "variables/generator-local",
            "variables/generator-resumed",
            "variables/loop-let-per-iteration",
            "variables/loop-let-written-in-closure",
            "variables/recursion",
            "variables/recursion-inner-written",
        ],
    ),
    (
        "the engine does not stop at the declaration of a function or class; a function is there before it",
        &[
            "modules/default-export-of-a-function",
            "properties/class-method",
            "variables/export-default-class",
            "variables/function-and-class-declarations",
            "variables/function-in-block",
            "variables/function-in-block-copied-out",
            "variables/function-in-block-of-a-script",
            "variables/function-in-block-of-a-switch-copied-out",
            "variables/function-in-switch",
            "variables/global-function",
            "variables/global-function-replaced",
            "variables/module-scope C",
            "variables/own-name-of-function-expression",
            "variables/script-scope-from-another-script C",
        ],
    ),
    (
        "a binding without a value: the engine shows `undefined` before and after it is initialised",
        &[
            "modules/default-export",
            "modules/import-of-a-constant",
            "never-changed/var-never-assigned",
            "traces/may-affect-what-was-not-come-to",
            "variables/asked-before-its-declaration-ran",
            "variables/declared-without-value B",
            "variables/parameter-missing",
        ],
    ),
    (
        "a statement of several lines: a stop tells the first",
        &["properties/array-literal", "properties/object-literal"],
    ),
    (
        "one statement changes the value and changes it back",
        &[
            "built-ins/object-assign-there-and-back C",
            "built-ins/push-and-pop-there-and-back",
        ],
    ),
    (
        "the object was there, out of sight, before the first stop at which the judge came across it",
        &[
            "built-ins/structured-clone C",
            "properties/rest-in-a-catch-parameter",
            "properties/tagged-template",
        ],
    ),
    (
        "what is inherited or not there at all is no property of the object",
        &[
            "built-ins/prototype-exchanged",
            "built-ins/typed-arrays I",
            "never-changed/missing-property",
            "never-changed/nothing-asked-after-it",
            "properties/class-field-computed-of-two-classes D",
            "properties/class-method-replaced",
            "properties/delete-of-nothing",
            "properties/inherited",
            "properties/not-extensible",
            "properties/owner-read-once C",
        ],
    ),
    (
        "what every page has is not looked at",
        &["never-changed/built-in-globals"],
    ),
    (
        "the key stands in a variable, or the chain is longer than the judge looks",
        &[
            "built-ins/element-by-a-variable A",
            "built-ins/element-by-a-variable C",
            "built-ins/json-parse C",
        ],
    ),
    (
        "the engine's scope does not hold it: no inner function mentions it",
        &["variables/not-mentioned-in-inner-function"],
    ),
    (
        "the text of an event-handler attribute is compiled when it is needed, without a stop",
        &[
            "built-ins/in-an-event-handler-attribute",
            "scripts/handler-of-a-clone",
            "scripts/inside-a-template B",
            "variables/event-handler-attribute",
        ],
    ),
    (
        "a script that script put into the document: the engine counts its lines from its own beginning, and names no \
         file",
        &["scripts/inside-a-template A", "scripts/inside-a-template C"],
    ),
];

/// Why a question of this form is not put to the judge, if it is not.
fn unwatchable(fixture: &Fixture, question: &Question) -> Option<&'static str> {
    let reference = &question.reference;
    if fixture.recording().is_some() {
        return Some("a user acts: the judge only opens pages");
    }
    if place(fixture).is_none() {
        return Some("the reproduction point is not the last hit of a mark");
    }
    let Some(reference) = reference.strip_prefix("R:") else {
        return Some(
            "it is asked in another frame or at another point: the judge looks at the newest frame at R",
        );
    };
    if reference.contains('(') || reference.contains('#') {
        return Some(
            "an entry of a collection or a private name: no property that the protocol lists",
        );
    }
    (fixture.changed(&question.name) == Where::Elsewhere)
        .then_some("what is expected is no line of a file: blind, unpredictable, or in a text that became code")
}

/// One question of a fixture.
struct Question {
    name: String,
    /// `R:o.v`
    reference: String,
}

fn questions(fixture: &Fixture) -> Vec<Question> {
    let numbered = fixture.queries.iter().enumerate();
    numbered
        .map(|(index, query)| {
            let (name, kind) = match query.split_once(" = ") {
                Some((name, kind)) => (name.to_owned(), kind),
                None => (format!("Q{}", index + 1), query.as_str()),
            };
            let reference = kind.strip_prefix("lastChange(");
            let reference = reference.and_then(|rest| rest.strip_suffix(')'));
            Question {
                name,
                reference: reference.unwrap_or_default().to_owned(),
            }
        })
        .collect()
}

/// The reproduction point, if it is the last hit of the mark R.
fn place(fixture: &Fixture) -> Option<BreakPosition> {
    let mark = fixture.mark("R")?;
    let is_last = fixture.at == format!("{}:{}:{}", mark.file, mark.line, mark.column);
    is_last.then(|| BreakPosition {
        file: format!("/{}", mark.file),
        line: u32::try_from(mark.line).unwrap(),
        column: u32::try_from(mark.column).unwrap(),
    })
}

/// Whether the judge agrees, or why it does not or cannot.
fn judge(fixture: &Fixture, question: &Question, seen: &StepReport) -> Result<(), String> {
    let name = question.reference.trim_start_matches("R:");
    let name = name.strip_prefix("window.").unwrap_or(name);
    let found = seen.sights.iter().find(|sight| sight.reference == name);
    let Some(sight) = found else {
        return Err(format!(
            "not judged: {name} is not in sight, {} hits",
            seen.hits
        ));
    };
    match (&sight.verdict, fixture.changed(&question.name)) {
        (Verdict::Unknown(why), _) => Err(format!("not judged: {why}")),
        (Verdict::Never, Where::Never) => Ok(()),
        (Verdict::Changed(lines), Where::At(mark))
            if lines.iter().any(|line| {
                line.line as usize == mark.line && line.url.ends_with(&format!("/{}", mark.file))
            }) =>
        {
            Ok(())
        }
        (verdict, expected) => Err(format!(
            "the judge says {verdict:?}, expected is {expected:?}"
        )),
    }
}

fn entries() -> impl Iterator<Item = &'static str> {
    UNWATCHED.iter().flat_map(|(_, entries)| *entries).copied()
}

fn is_listed(subject: &str, entry: &str) -> bool {
    let rest = subject.strip_prefix(entry);
    rest.is_some_and(|rest| entry.ends_with('/') || rest.is_empty() || rest.starts_with(' '))
}

/// What came of some fixtures.
#[derive(Default)]
struct Findings {
    judged: usize,
    problems: String,
    /// Which of the entries say of a question why it is not judged.
    used: BTreeSet<&'static str>,
}

async fn try_fixtures(browser: &Browser, origin: &str, fixtures: &[Fixture]) -> Findings {
    let clock = Arc::new(TokioClock::new());
    let stepper = Stepper::new(browser.protocol(), clock, LIMIT, "data:text/html,").await;
    let stepper = stepper.unwrap();
    let mut findings = Findings::default();
    for fixture in fixtures {
        let mut asked = Vec::new();
        for question in questions(fixture) {
            let subject = format!("{} {}", fixture.name, question.name);
            if unwatchable(fixture, &question).is_some() {
                continue;
            }
            match entries().find(|entry| is_listed(&subject, entry)) {
                Some(entry) => _ = findings.used.insert(entry),
                None => asked.push((subject, question)),
            }
        }
        let Some(place) = place(fixture).filter(|_| !asked.is_empty()) else {
            continue;
        };
        let page = format!("{origin}/{}.html", fixture.name);
        let seen = stepper.step_through(&page, &place).await;
        for (subject, question) in asked {
            let judged = match &seen {
                Ok(seen) => judge(fixture, &question, seen),
                Err(error) => Err(error.to_string()),
            };
            match judged {
                Ok(()) => findings.judged += 1,
                Err(problem) => {
                    let problem = format!("{subject} {}: {problem}", question.reference);
                    let _ = writeln!(findings.problems, "{problem}");
                }
            }
        }
    }
    findings
}

#[tokio::test]
async fn the_judge_agrees_with_the_fixtures() {
    let folder = repository().join("tests/fixtures");
    let server = Server::of_folder(&folder).unwrap();
    let origin = server.url("");
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let mut fixtures = fixtures(&folder).unwrap();
    let every = every_program();
    if !every {
        let mut number = 0..;
        fixtures.retain(|_| number.next().is_some_and(|it| it % ONE_OF == 0));
    }
    // In two tabs, for two cores.
    let (first, second) = fixtures.split_at(fixtures.len() / 2);
    let (first, second) = futures::join!(
        try_fixtures(&browser, &origin, first),
        try_fixtures(&browser, &origin, second)
    );
    browser.close().await;
    drop(server);
    let (judged, problems) = (
        first.judged + second.judged,
        first.problems + &second.problems,
    );
    println!("{judged} questions were judged");
    assert!(problems.is_empty(), "{problems}");
    let used = &first.used | &second.used;
    let unused: Vec<&str> = entries().filter(|entry| !used.contains(entry)).collect();
    assert!(
        !every || unused.is_empty(),
        "no question is called {unused:?}"
    );
    assert!(judged > if every { 300 } else { 300 / ONE_OF }, "{judged}");
}

/// A comparison that finds nothing would be worth nothing.
#[test]
fn another_line_than_the_expected_is_told() {
    let folder = repository().join("tests/fixtures");
    let fixtures = fixtures(&folder).unwrap();
    let fixture = fixtures
        .iter()
        .find(|fixture| fixture.name == "properties/assignment");
    let fixture = fixture.unwrap();
    let question = &questions(fixture)[0];
    let Where::At(mark) = fixture.changed(&question.name) else {
        panic!("{}", fixture.name);
    };
    let seen = |line: usize| StepReport {
        hits: 1,
        sights: vec![Sight {
            reference: question.reference.trim_start_matches("R:").to_owned(),
            is_variable: false,
            is_deleted: false,
            text: None,
            verdict: Verdict::Changed(BTreeSet::from([Line {
                url: format!("http://h/properties/{}", mark.file),
                line: u32::try_from(line).unwrap(),
            }])),
            ran_since: BTreeSet::new(),
        }],
        stops: 2,
        ..StepReport::default()
    };
    assert_eq!(judge(fixture, question, &seen(mark.line)), Ok(()));
    assert!(judge(fixture, question, &seen(mark.line + 1)).is_err());
    assert!(judge(fixture, question, &StepReport::default()).is_err());
}
