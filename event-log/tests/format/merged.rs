//! Logs that are merged: all events of all runs, each with what it was in its own log.

use event_log::catalogue::{answer, explain, missing};
use event_log::file::{LogEnd, LogFile, LogInfo, LogWriter};
use event_log::ids::{FunctionId, ScriptId, SiteId, StreamId};
use event_log::merging::{Run, merge};
use event_log::model::{Model, NONE};
use event_log::record::Record;
use event_log::tables::{Function, Script, Site, SiteKind, Stream, Tables};
use event_log::wire::Encoder;
use proptest::prelude::*;
use querypoint::catalogue::Definitions;
use querypoint::events::EventsResult;
use querypoint::point::ReproductionPoint;

use super::records::record;
use super::{batches, log};

fn merged(logs: &[(&str, &[u8])]) -> Vec<u8> {
    let runs: Vec<Run<&[u8]>> = logs
        .iter()
        .map(|(name, bytes)| Run {
            name: (*name).to_owned(),
            log: LogFile::open(*bytes).unwrap(),
        })
        .collect();
    merge(&runs, Vec::new()).unwrap().0
}

fn model(bytes: &[u8]) -> Model {
    let file = LogFile::open(bytes).unwrap();
    assert_eq!(file.damage(), []);
    Model::read(&file).unwrap()
}

/// A run of a page that loaded its script from this address: two calls of `add`, or three, and one of `wait` that does
/// not end.
fn run(address: &str, calls: u32) -> Vec<u8> {
    let function = |name: &str, line| Function {
        script: ScriptId(1),
        line,
        column: 1,
        name: name.to_owned(),
        ..Function::default()
    };
    let info = LogInfo {
        page: format!("{address}/shop.html"),
        detail: "values".to_owned(),
        ..LogInfo::default()
    };
    let mut writer = LogWriter::new(Vec::new(), &info).unwrap();
    writer
        .add(&Tables {
            streams: vec![Stream::default()],
            scripts: vec![Script {
                url: format!("{address}/app.js"),
                library: false,
            }],
            functions: vec![function("add", 3), function("wait", 9)],
            sites: vec![Site {
                script: ScriptId(1),
                line: 4,
                column: 3,
                function: FunctionId(1),
                kind: SiteKind::Step,
                ..Site::default()
            }],
            ..Tables::default()
        })
        .unwrap();
    let mut encoder = Encoder::new(StreamId(1));
    for _ in 0..calls {
        encoder.record(&Record::Enter(FunctionId(1)));
        encoder.record(&Record::Step(SiteId(1)));
        encoder.record(&Record::Return(FunctionId(1)));
    }
    encoder.record(&Record::Enter(FunctionId(2)));
    writer.batch_words(&encoder.finish()).unwrap();
    writer.finish(&LogEnd::default()).unwrap().0
}

fn asked(model: &Model, at: &str, question: &str) -> EventsResult {
    let at = ReproductionPoint::parse(at).unwrap();
    let question = Definitions::default().question(question).unwrap();
    let mut results = answer(model, &at, &[question]).unwrap().results;
    results.remove(0)
}

#[test]
fn questions_are_answered_from_all_runs() {
    let (first, second) = (run("http://127.0.0.1:1", 2), run("http://127.0.0.1:2", 3));
    let bytes = merged(&[("one", &first), ("two", &second)]);
    let merged = model(&bytes);
    let runs: Vec<&str> = merged.info.runs.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(runs, ["one", "two"]);
    assert_eq!(merged.info.detail, "values");
    assert_eq!(asked(&merged, "end", "argumentsOf(add)").total, 5);
    // A line is the same in both, wherever the script was loaded from; each of its hits is a point.
    assert_eq!(asked(&merged, "end", "wasEvaluated(app.js:4)").total, 5);
    let last = asked(&merged, "app.js:4#-1", "where(R)");
    let location = last.events[0].location.as_ref().unwrap();
    assert_eq!(location.url, "http://127.0.0.1:2/app.js");
    // The run before has ended, whatever was running then.
    let running = asked(&merged, "app.js:4#2", "running(R)");
    let names: Vec<_> = running
        .events
        .iter()
        .map(|it| it.function.clone())
        .collect();
    assert_eq!(names.len(), 1);
    assert_eq!(asked(&merged, "end", "isRunning(wait)").total, 1);
    assert_eq!(missing(&merged), [] as [&str; 0]);
}

#[test]
fn the_sql_of_a_question_is_about_the_same_runs() {
    let (first, second) = (run("http://127.0.0.1:1", 1), run("http://127.0.0.1:2", 1));
    let bytes = merged(&[("one", &first), ("two", &second)]);
    let merged = model(&bytes);
    let sql = |question: &str| {
        let question = Definitions::default().question(question).unwrap();
        let answer = explain(&merged, &ReproductionPoint::End, &[question]).unwrap();
        answer.results[0].sql.clone().unwrap()
    };
    assert!(sql("wasEvaluated(app.js:4)").contains("site IN (1, 2)"));
    assert!(sql("running(R)").contains("realm >= 1 AND realm < 2"));
}

#[test]
fn what_a_run_has_not_is_said_of_the_merged_log() {
    let (whole, other) = (run("http://h", 2), run("http://h", 1));
    let end = other.windows(8).position(|it| it == b"QPCK\x04\0\0\0");
    let cut = &other[..end.unwrap()];
    let mut damaged = run("http://h", 1);
    // A byte of the chunk with the events.
    let chunk = damaged
        .windows(8)
        .position(|it| it == b"QPCK\x03\0\0\0")
        .unwrap();
    damaged[chunk + 64 + 12] ^= 1;
    let bytes = merged(&[("whole", &whole), ("cut", cut), ("damaged", &damaged)]);
    let notes = missing(&model(&bytes)).join("\n");
    assert!(notes.contains("cut: the log was cut off"), "{notes}");
    assert!(notes.contains("damaged: the part at byte"), "{notes}");
    assert!(!notes.contains("whole:"), "{notes}");
    // What is there is answered, and that it is not all.
    let found = asked(&model(&bytes), "end", "wasCalled(add)");
    assert!(found.holds == Some(true) && !found.complete);
}

#[test]
fn merged_logs_are_merged() {
    let one = run("http://h", 1);
    let two = merged(&[("a", &one), ("b", &one)]);
    let bytes = merged(&[("two", &two), ("c", &one)]);
    let merged = model(&bytes);
    let runs: Vec<&str> = merged.info.runs.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(runs, ["a", "b", "c"]);
    assert_eq!(merged.realms_of_run_at(0), Some(0..1));
    assert_eq!(merged.realms_of_run_at(NONE), Some(2..3));
    assert_eq!(asked(&merged, "end", "wasEvaluated(app.js:4)").total, 3);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn each_event_is_what_it_was(
        first in prop::collection::vec(record(), 0..40), second in prop::collection::vec(record(), 0..40),
    ) {
        let logs = [first, second].map(|records| log(&batches(&records, 7).0, true));
        let bytes = merged(&[("one", &logs[0]), ("two", &logs[1])]);
        let merged = model(&bytes);
        let own = logs.each_ref().map(|bytes| model(bytes));
        let (functions, sites) = (own[0].tables.functions.len(), own[0].tables.sites.len());
        let mut events = merged.events.iter();
        for (model, run) in own.iter().zip(0_u16..) {
            for event in &model.events {
                let it = events.next().unwrap();
                let site = match event.site.0 {
                    0 => 0,
                    site => site + u32::from(run) * u32::try_from(sites).unwrap(),
                };
                prop_assert_eq!((it.kind, it.stream, it.site.0), (event.kind, event.stream + run, site));
                prop_assert_eq!(format!("{:?}", it.value), format!("{:?}", event.value));
            }
        }
        prop_assert!(events.next().is_none());
        let calls = own[0].calls.len();
        prop_assert_eq!(merged.calls.len(), calls + own[1].calls.len());
        for (call, it) in own[1].calls.iter().zip(&merged.calls[calls..]) {
            prop_assert_eq!(it.function.0, call.function.0 + u32::try_from(functions).unwrap());
            prop_assert_eq!(it.outcome, call.outcome);
        }
    }
}
