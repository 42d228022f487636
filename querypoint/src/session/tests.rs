//! Tests of the session: what asking, naming and removing make of it, and the messages.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::messages::*;
use super::*;
use crate::answer::{Location, PointAnswer, Status, Watch};
use crate::execution_line::{EventPlace, ExecutionLine, Mark};
use crate::schemas::{self, member_paths, problems, schema_paths};

fn session(queries: &[&str]) -> Session {
    let session = Session::of_page("shop.html")
        .stopped_at("app.js:22")
        .unwrap();
    queries
        .iter()
        .fold(session, |session, query| session.asking(query).unwrap().0)
}

/// The session as if all of its queries had been answered.
fn answered(session: &Session) -> Session {
    let graph = session.graph().unwrap();
    let queries = graph.queries().map(|(name, query)| {
        let mut point =
            PointAnswer::new(name.as_str(), Some(query.to_string()), Status::NotReached);
        let watch = |expression: &String| Watch {
            expression: expression.clone(),
            value: crate::answer::Value::string("x"),
            threw: None,
        };
        point.watches = session.watches.iter().map(watch).collect();
        point
    });
    let points = std::iter::once(PointAnswer::new("R", None, Status::Found)).chain(queries);
    session.answered(schemas::answer(points.collect()))
}

fn names(session: &Session) -> Vec<String> {
    let points = session.answer.iter().flat_map(|answer| &answer.points);
    points.map(|point| point.name.clone()).collect()
}

#[test]
fn queries_get_names_that_are_free() {
    let session = session(&[
        "lastChange(R:cart.total)",
        "D=lastChange( B:item )",
        "lastCondition(D)",
        "lastChange(C:x)",
    ]);
    assert_eq!(
        session.queries,
        [
            "B = lastChange(R:cart.total)",
            "D = lastChange(B:item)",
            "C = lastCondition(D)",
            "E = lastChange(C:x)",
        ]
    );
    let letters = ('B'..='Z').filter(|letter| *letter != 'R');
    let full = letters.fold(Session::of_page("a"), |session, letter| {
        let (session, name) = session.asking("lastChange(R:a)").unwrap();
        assert_eq!(name, letter.to_string());
        session
    });
    assert_eq!(full.asking("lastChange(R:a)").unwrap().1, "Q1");
}

#[test]
fn what_cannot_be_asked_is_shown_with_its_place() {
    let session = session(&["lastChange(R:cart.total)"]);
    insta::assert_snapshot!(session.asking("lastChange(C:x)").unwrap_err(), @r#"
    lastChange(C:x)
               ^ expected a point; none is called "C"
    help: the points known here are R, B
    "#);
}

#[test]
fn a_point_is_renamed_wherever_it_is_used() {
    let before = answered(&session(&[
        "lastChange(R:B)",
        "lastChange(B:B.C)",
        "T = trace(write(.B), before(B), sameness(.owner, B:B))",
    ]));
    let after = before.renamed("B", "total").unwrap();
    let queries = [
        "total = lastChange(R:B)",
        "C = lastChange(total:B.C)",
        "T = trace(write(.B), before(total), sameness(.owner, total:B))",
    ];
    assert_eq!(after.queries, queries);
    let points = &after.answer.as_ref().unwrap().points;
    let answered: Vec<&str> = points.iter().filter_map(|it| it.query.as_deref()).collect();
    assert_eq!(answered, queries);
    assert_eq!(names(&after), ["R", "total", "C", "T"]);
    assert_eq!(after.renamed("total", "B").unwrap(), before);
    assert_eq!(before.renamed("B", "B").unwrap(), before);
}

#[test]
fn names_that_cannot_be_given() {
    let session = session(&["lastChange(R:x)", "lastChange(B:x)"]);
    let said = |point: &str, to: &str| session.renamed(point, to).unwrap_err().to_string();
    assert_eq!(
        said("B", "C"),
        "another point is called C; give each a name of its own"
    );
    for wrong in ["", "R", "this", "a b", "1", "a)"] {
        assert!(
            said("B", wrong).contains("is no name for a point"),
            "{wrong}"
        );
    }
    for unknown in ["R", "X", ""] {
        assert!(
            said(unknown, "Y").ends_with("the points are R, B, C"),
            "{unknown}"
        );
    }
}

#[test]
fn with_a_point_goes_what_was_asked_at_it() {
    let session = answered(&session(&[
        "lastChange(R:x)",
        "lastChange(B:x)",
        "lastChange(R:y)",
        "lastCondition(C)",
    ]));
    let without = session.without("B").unwrap();
    assert_eq!(without.queries, ["D = lastChange(R:y)"]);
    assert_eq!(names(&without), ["R", "D"]);
    let without = session.without("E").unwrap();
    assert_eq!(names(&without), ["R", "B", "C", "D"]);
    assert!(session.without("R").is_err());
}

#[test]
fn watches_are_kept_once_and_go_from_the_answer() {
    let session = session(&["lastChange(R:x)"]);
    let session = session.watching("a").unwrap().watching("b").unwrap();
    let session = answered(&session.watching("a").unwrap());
    assert_eq!(session.watches, ["a", "b"]);
    let without = session.without_watch("a");
    assert_eq!(without.watches, ["b"]);
    let points = without.answer.unwrap().points;
    assert_eq!(points[1].watches.len(), 1);
    assert_eq!(points[1].watches[0].expression, "b");
    assert!(session.watching(" ").is_err());
}

#[test]
fn another_point_or_recording_is_another_execution() {
    let session = answered(&session(&["lastChange(R:x)"]));
    let elsewhere = session.stopped_at(" console:boo ").unwrap();
    assert_eq!(elsewhere.at.as_deref(), Some("console:boo"));
    assert_eq!(elsewhere.queries, session.queries);
    assert_eq!(elsewhere.answer, None);
    assert_eq!(session.recorded(None).answer, None);
    assert!(session.stopped_at("nowhere").is_err());
}

#[test]
fn as_a_command_line_every_word_is_quoted() {
    let session = session(&["lastChange(R:x['it\\'s'])"]);
    let session = session.watching("a ? 'b' : c").unwrap();
    insta::assert_snapshot!(
        session.command_line(None).unwrap(),
        @r#"querypoint ask shop.html --at app.js:22 --watch 'a ? '\''b'\'' : c' 'B = lastChange(R:x["it'\''s"])'"#
    );
    let said = |session: &Session| session.command_line(None).unwrap_err().to_string();
    assert!(said(&Session::default()).contains("no page"));
    assert!(said(&Session::of_page("a")).contains("no reproduction point"));
    let stopped = Session::of_page("a").stopped_at("end").unwrap();
    assert!(said(&stopped).contains("nothing was asked"));
}

proptest! {
    /// Whatever is asked, renamed and removed, the queries fit together, and the answer's points are theirs.
    #[test]
    fn a_session_is_always_one_that_can_be_asked(steps in prop::collection::vec((0..3_u8, any::<u8>(), any::<u8>()), 1..40)) {
        let mut session = session(&[]);
        for (kind, first, second) in steps {
            let graph = session.graph().unwrap();
            let points: Vec<String> = graph.points().map(|point| point.to_string()).collect();
            let point = &points[usize::from(first) % points.len()];
            let other = format!("n{}", second % 8);
            let changed = match kind {
                0 => session.asking(&format!("lastChange({point}:{point}.x)")).map(|(session, _)| session),
                1 => session.renamed(point, &other),
                _ => session.without(point),
            };
            if let Ok(changed) = changed {
                session = answered(&changed);
                let graph = session.graph().unwrap();
                let points: Vec<String> = graph.points().map(|point| point.to_string()).collect();
                prop_assert_eq!(names(&session), points);
            }
        }
    }
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../docs/protocol.schema.json")).unwrap()
}

fn definition(name: &str) -> Value {
    let mut schema = schema();
    schema["$ref"] = json!(format!("#/$defs/{name}"));
    schema.as_object_mut().unwrap().remove("oneOf");
    schema
}

/// One request of every kind.
fn requests() -> Vec<Value> {
    let text = || "x".to_owned();
    let calls = [
        Call::Sessions {},
        Call::Open { session: text() },
        Call::Forget {},
        Call::Undo {},
        Call::Redo {},
        Call::Page { page: text() },
        Call::Record { in_open_tab: true },
        Call::Stop {},
        Call::Replay {
            at_recorded_pace: true,
        },
        Call::At { point: text() },
        Call::Ask {
            query: text(),
            at: Some(text()),
        },
        Call::Again {},
        Call::Watch { expression: text() },
        Call::Unwatch { expression: text() },
        Call::Rename {
            point: text(),
            to: text(),
        },
        Call::Remove { point: text() },
        Call::Source { url: text() },
        Call::CommandLine {},
        Call::Html {},
        Call::Cancel {},
        Call::Stand { point: text() },
        Call::Unfold {
            point: text(),
            expression: text(),
        },
        Call::ExecutionLine { point: text() },
        Call::Attach {},
        Call::Detach {},
        Call::Break {
            url: text(),
            line: 22,
            runs_as: Some(text()),
        },
        Call::Unbreak { breakpoint: text() },
        Call::Look {
            query: Some(text()),
        },
        Call::Answered {
            command: 1,
            result: Some(json!({ "value": 1 })),
            error: None,
        },
        Call::Event {
            event: "Debugger.resumed".to_owned(),
            params: json!({}),
        },
    ];
    let requests = calls.into_iter().zip(1..);
    requests
        .map(|(call, id)| json!(Request::new(id, call)))
        .collect()
}

fn full_session() -> Session {
    let session = session(&["lastChange(R:x)"]).watching("y").unwrap();
    let mut session = answered(&session.recorded(Some(RecordingOutline {
        title: "buy".to_owned(),
        steps: vec!["click Buy".to_owned()],
    })));
    session.document = Some(Document {
        url: "http://h/shop.html".to_owned(),
        title: "Shop".to_owned(),
    });
    session
}

fn execution_line() -> ExecutionLine {
    let mark = |before, text: &str| Mark {
        before,
        text: text.to_owned(),
    };
    ExecutionLine {
        point: "B".to_owned(),
        event: "write(.x)".to_owned(),
        verdicts: "of".to_owned(),
        place_of: vec![0, 1],
        object_of: vec![1, 2],
        places: vec![
            EventPlace {
                location: Some(Location {
                    url: "http://h/app.js".to_owned(),
                    line: 1,
                    column: 1,
                    generated: None,
                    maker: None,
                }),
                by: None,
            },
            EventPlace {
                location: None,
                by: Some("the user".to_owned()),
            },
        ],
        asked_at: mark(2, "R"),
        reproduction: 2,
        points: vec![mark(1, "B")],
        actions: vec![mark(0, "keydown on #a")],
        left_out: 0,
    }
}

fn responses() -> Vec<Value> {
    let outline = SessionOutline {
        session: "a".to_owned(),
        page: Some("p".to_owned()),
        queries: 1,
        changed_ms: 5,
    };
    let given = Given {
        point: Some("B".to_owned()),
        session: Some("a-2".to_owned()),
        sessions: Some(vec![outline.clone()]),
        deleted: Some(vec![outline]),
        text: Some("t".to_owned()),
        notes: Some(vec!["n".to_owned()]),
        differences: Some(vec![differences::PointDifference {
            point: "B".to_owned(),
            was: "app.js:1 0".to_owned(),
            is: "app.js:2 1".to_owned(),
        }]),
        variables: Some(vec![crate::answer::Variable {
            name: "x".to_owned(),
            value: crate::answer::Value::string("x"),
        }]),
        execution_line: Some(Box::new(execution_line())),
        breakpoint: Some("1:21:0:http://h/app.js".to_owned()),
        line: Some(22),
        events: Some(vec!["Debugger.paused".to_owned()]),
    };
    let refusal = Refusal::new(RefusalCode::NotNow, "cancel first");
    vec![
        json!(Response::new(Some(1), Outcome::Result(Box::new(given)))),
        json!(Response::new(None, Outcome::Error(refusal))),
    ]
}

fn notifications() -> Vec<Value> {
    let frame = crate::answer::StackFrame {
        function: "f".to_owned(),
        location: schemas::location(22),
    };
    let stop = stop::Stop {
        reason: "breakpoint".to_owned(),
        exception: Some("exception:Error: no".to_owned()),
        frames: vec![stop::StopFrame {
            frame,
            scopes: Vec::new(),
        }],
    };
    let news = [
        News::Welcome {
            connected: true,
            protocol: PROTOCOL,
            version: "0.1.0".to_owned(),
        },
        News::Session {
            name: "a".to_owned(),
            session: Box::new(full_session()),
            graph: full_session().lanes().unwrap(),
            doing: Some(Doing::Asking),
            undo: true,
            redo: false,
        },
        News::Progress {
            stage: "execution 1".to_owned(),
            done: Some(1),
            of: Some(2),
        },
        News::Step {
            number: 1,
            step: "click".to_owned(),
        },
        News::Command {
            command: 1,
            name: "Debugger.enable".to_owned(),
            params: json!({}),
        },
        News::Stopped {
            stop: Some(Box::new(stop)),
        },
    ];
    news.into_iter()
        .map(|news| json!(Notification::new(news)))
        .collect()
}

#[test]
fn a_question_from_another_stop_begins_anew() {
    let session = session(&["lastChange(R:x)"]);
    let (same, name) = session.asking_at("app.js:22", "lastChange(R:y)").unwrap();
    assert_eq!((same.queries.len(), name.as_str()), (2, "C"));
    let (other, name) = session.asking_at("app.js:23", "lastChange(R:y)").unwrap();
    assert_eq!((other.queries.len(), name.as_str()), (1, "B"));
    assert_eq!(other.at.as_deref(), Some("app.js:23"));
    assert!(session.asking_at("app.js:0", "lastChange(R:y)").is_err());
}

#[test]
fn what_takes_something_away_is_another_state() {
    let session = full_session();
    let others = [
        session.without("B").unwrap(),
        session.without_watch("y"),
        session.renamed("B", "total").unwrap(),
        session.stopped_at("app.js:22").unwrap(),
        session.recorded(None),
        Session::of_page("shop.html"),
        Session::default(),
    ];
    for other in others {
        assert!(other.is_another_than(&session), "{other:?}");
        assert!(session.is_another_than(&other), "{other:?}");
    }
    let mut later = session.clone();
    let answer = later.answer.as_mut().unwrap();
    answer.timing_ms.total += 1;
    assert!(!later.is_another_than(&session));
    later.answer.as_mut().unwrap().executions += 1;
    assert!(later.is_another_than(&session));
}

#[test]
fn every_message_fits_the_schema_and_comes_back() {
    for (name, messages) in [
        ("request", requests()),
        ("response", responses()),
        ("notification", notifications()),
    ] {
        let schema = definition(name);
        for message in messages {
            assert_eq!(problems(&schema, &message), [""; 0], "{message}");
            let text = message.to_string();
            let again = match name {
                "request" => json!(serde_json::from_str::<Request>(&text).unwrap()),
                "response" => json!(serde_json::from_str::<Response>(&text).unwrap()),
                _ => json!(serde_json::from_str::<Notification>(&text).unwrap()),
            };
            assert_eq!(again, message);
        }
    }
}

/// The methods of a kind of message, as the schema lists them.
fn methods(name: &str) -> Vec<String> {
    let definition = schema()["$defs"][name].clone();
    let each = definition["oneOf"].as_array().unwrap().iter();
    let mut methods: Vec<String> = each
        .map(|one| {
            one["properties"]["method"]["const"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    methods.sort();
    methods
}

#[test]
fn the_schema_knows_no_other_methods_and_members() {
    let sorted = |messages: Vec<Value>| {
        let mut methods: Vec<String> = messages
            .iter()
            .map(|message| message["method"].as_str().unwrap().to_owned())
            .collect();
        methods.sort();
        methods
    };
    assert_eq!(sorted(requests()), methods("request"));
    assert_eq!(sorted(notifications()), methods("notification"));
    let mut session = json!(full_session());
    session.as_object_mut().unwrap().remove("answer");
    let mut paths = schema_paths(&definition("session"));
    paths.retain(|path| path != ".answer" && !path.starts_with(".answer."));
    assert_eq!(member_paths(&session), paths);
}

#[test]
fn the_document_names_every_method() {
    let document = include_str!("../../../docs/reference/protocol.md");
    for method in methods("request").iter().chain(&methods("notification")) {
        assert!(document.contains(&format!("`{method}`")), "{method}");
    }
}

#[test]
fn what_is_no_message_is_refused() {
    for text in [
        r#"{"id":1,"method":"stop","params":{}}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"stop","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"stop","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":-1,"method":"stop","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ask","params":{"query":5}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ask"}"#,
    ] {
        assert!(serde_json::from_str::<Request>(text).is_err(), "{text}");
        let value: Value = serde_json::from_str(text).unwrap();
        assert_ne!(problems(&definition("request"), &value), [""; 0], "{text}");
    }
    assert!(
        serde_json::from_str::<Response>(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":""}}"#
        )
        .is_err()
    );
}
