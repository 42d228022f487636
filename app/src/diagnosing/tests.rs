use std::collections::VecDeque;
use std::time::Duration;

use diagnosis::Answer;
use event_log::file::{LogEnd, LogInfo, LogWriter};
use event_log::ids::{FunctionId, StreamId};
use event_log::record::Record;
use event_log::tables::{Function, Script, Stream, Tables};
use event_log::wire::Encoder;

use super::*;
use crate::diagnosis::session::{KeptDiagnosis, SESSION_SCHEMA, SessionFolder};

/// The functions of the log: each is called once, the second and third by the first, and the fourth by the third.
const NAMES: [&str; 4] = ["total", "read", "sum", "double"];

fn log() -> Vec<u8> {
    let function = |name: &str| Function {
        script: event_log::ids::ScriptId(1),
        line: 1,
        column: 1,
        end_line: 1,
        name: name.to_owned(),
        ..Function::default()
    };
    let mut writer = LogWriter::new(Vec::new(), &LogInfo::default()).unwrap();
    writer
        .add(&Tables {
            streams: vec![Stream::default()],
            scripts: vec![Script {
                url: "http://h/shop.js".to_owned(),
                library: false,
            }],
            functions: NAMES.map(function).to_vec(),
            ..Tables::default()
        })
        .unwrap();
    let mut encoder = Encoder::new(StreamId(1));
    for (number, is_entered) in [
        (1, true),
        (2, true),
        (2, false),
        (3, true),
        (4, true),
        (4, false),
        (3, false),
        (1, false),
    ] {
        let function = FunctionId(number);
        encoder.record(&match is_entered {
            true => Record::Enter(function),
            false => Record::Return(function),
        });
    }
    writer.batch_words(&encoder.finish()).unwrap();
    writer.finish(&LogEnd::default()).unwrap().0
}

/// A session with that log, in which nothing was said yet.
fn begin(folder: &Path) {
    let (own, before) = SessionFolder::open(folder, true).unwrap();
    assert_eq!(before, None);
    let notes = ["a script is missing".to_owned()];
    let execution = own.keep_execution("http://h/shop.html", &log(), &[], None, &notes);
    own.keep(&mut KeptDiagnosis {
        schema: SESSION_SCHEMA.to_owned(),
        page: "http://h/shop.html".to_owned(),
        recording: None,
        from: None,
        to: None,
        strategy: Strategy::TopDown.word().to_owned(),
        trust: Vec::new(),
        compress: false,
        expand_loops: false,
        started_ms: 1.0,
        executions: vec![execution.unwrap()],
    })
    .unwrap();
}

/// Says what it was given, one after the other, and then waits for ever.
#[derive(Default)]
struct Scripted {
    replies: VecDeque<Reply>,
    undone_at_the_end: Option<UndoneAnswer>,
    asked: Vec<String>,
    not_undone: Vec<UndoneAnswer>,
}

impl Scripted {
    fn saying(replies: &[Reply]) -> Self {
        Self {
            replies: replies.iter().copied().collect(),
            ..Self::default()
        }
    }
}

impl Answerer for Scripted {
    fn judged(&mut self, judged: &JudgedCall, _page: &str) {
        panic!("nobody said this: {judged:?}");
    }

    async fn ask(&mut self, question: &CallQuestion<'_>) -> Result<Reply, Failure> {
        let (function, number) = (&question.call.call.function, question.number);
        assert_eq!(question.page, "http://h/shop.html");
        self.asked.push(format!("{number} {function}"));
        match self.replies.pop_front() {
            Some(reply) => Ok(reply),
            None => std::future::pending().await,
        }
    }

    async fn at_the_end(&mut self, _is_by_itself: bool) -> Result<Option<UndoneAnswer>, Failure> {
        Ok(self.undone_at_the_end.take())
    }

    fn nothing_undone(&mut self, undone: UndoneAnswer) {
        self.not_undone.push(undone);
    }
}

struct Silent;

impl Reporter for Silent {
    fn stage(&mut self, stage: &str) {
        panic!("a browser is needed for nothing: {stage}");
    }
    fn part(&mut self, _: &str, _: usize, _: usize) {}
    fn advance(&mut self, _: usize, _: usize) {}
    fn note(&mut self, _: &str) {}
}

/// A server runs it on whichever thread is free.
fn sendable<F: Future + Send>(future: F) -> F {
    future
}

/// A browser that cannot be started.
fn no_browser() -> BrowserOptions {
    BrowserOptions {
        executable: Some(PathBuf::from("/there/is/none")),
        connect: Vec::new(),
        headed: false,
        user: None,
        timeout: Duration::from_secs(1),
    }
}

/// Goes on with what is kept in `folder`, without a browser.
async fn go_on(
    folder: &Path,
    answerer: &mut Scripted,
    cancellation: &Cancellation,
) -> Result<Diagnosed, Failure> {
    let request = DiagnoseRequest {
        session: Some(folder),
        ..DiagnoseRequest::default()
    };
    let browser = no_browser();
    let mut silent = Silent;
    let diagnosing = diagnose(&request, &browser, answerer, cancellation, &mut silent);
    sendable(diagnosing).await
}

const INVALID: Reply = Reply::Is(Answer::Invalid);
const VALID: Reply = Reply::Is(Answer::Valid);

#[tokio::test]
async fn a_front_end_of_any_kind_goes_on_with_a_diagnosis() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("kept");
    begin(&folder);
    let (_canceller, cancellation) = Cancellation::by_request();
    let never_said = UndoneAnswer::OfCall(77);
    let mut answerer = Scripted::saying(&[INVALID, Reply::Undo(never_said), Reply::Quit]);
    let ended = go_on(&folder, &mut answerer, &cancellation).await.unwrap();
    assert_eq!(answerer.asked, ["1 total", "2 read", "2 read"]);
    assert_eq!(answerer.not_undone, [never_said]);
    assert_eq!(
        ended.diagnosis.found, None,
        "it was ended before a call was found"
    );
    assert_eq!(
        ended.diagnosis.notes,
        [
            "a script is missing",
            "the session was ended before a call was found"
        ]
    );

    // What was said is kept; an answer that was wrong is taken back where the end is shown.
    let mut answerer = Scripted::saying(&[VALID, VALID, INVALID, VALID]);
    answerer.undone_at_the_end = Some(UndoneAnswer::Last);
    let ended = go_on(&folder, &mut answerer, &cancellation).await.unwrap();
    assert_eq!(answerer.asked, ["2 read", "3 sum", "3 sum", "4 double"]);
    let found = ended.diagnosis.found.unwrap();
    assert_eq!((found.function.as_str(), ended.diagnosis.asked), ("sum", 4));
    assert_eq!(ended.page, "http://h/shop.html");
}

#[tokio::test]
async fn a_diagnosis_that_is_cancelled_keeps_what_was_said() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("kept");
    begin(&folder);
    let (canceller, cancellation) = Cancellation::by_request();
    let mut answerer = Scripted::saying(&[INVALID]);
    {
        let mut waiting = Box::pin(go_on(&folder, &mut answerer, &cancellation));
        assert!(futures::poll!(&mut waiting).is_pending());
        canceller.cancel();
        assert!(matches!(waiting.await, Err(Failure::Interrupted)));
    }
    assert_eq!(answerer.asked, ["1 total", "2 read"]);
    let (_canceller, cancellation) = Cancellation::by_request();
    let mut answerer = Scripted::saying(&[Reply::NoMore]);
    let ended = go_on(&folder, &mut answerer, &cancellation).await.unwrap();
    assert_eq!(answerer.asked, ["2 read"]);
    assert_eq!(ended.diagnosis.asked, 1);
}

#[tokio::test]
async fn what_cannot_be_diagnosed_is_said_before_a_browser_starts() {
    let (_canceller, cancellation) = Cancellation::by_request();
    let goods = ["a.html".to_owned(), "b.html".to_owned()];
    let nothing = DiagnoseRequest::default();
    for (request, why) in [
        (nothing, "name a page"),
        (
            DiagnoseRequest {
                page: Some("http://h/"),
                from: Some("app.js:"),
                ..nothing
            },
            "the reproduction point cannot be read",
        ),
        (
            DiagnoseRequest {
                page: Some("http://h/"),
                oracles: &goods,
                ..nothing
            },
            "--oracle names several pages",
        ),
    ] {
        let mut answerer = Scripted::default();
        let browser = no_browser();
        let mut silent = Silent;
        let diagnosing = diagnose(
            &request,
            &browser,
            &mut answerer,
            &cancellation,
            &mut silent,
        );
        let refused = diagnosing.await.unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}
