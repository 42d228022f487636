//! Tests of the messages: what they are on the wire, and that the schema and the document say so.

use serde_json::{Value, json};

use super::messages::*;
use super::methods::{Call, Method};
use super::results::*;
use super::tests::full_session;
use super::*;
use crate::answer::{Location, Scope, ScopeKind, ValueType};
use crate::diagnosis::{
    CallAnswer, CallChange, CallView, DIAGNOSIS_SCHEMA, Diagnosis, Ended, FoundCall, Named,
};
use crate::events::{
    COMPARISON_SCHEMA, CallRow, Comparison, Difference, DifferenceCause, DifferenceCauseKind,
    DifferenceKind, EventKind, EventsResult, LoggedEvent,
};
use crate::execution_line::{EventPlace, ExecutionLine, Mark};
use crate::schemas::{self, member_paths, problems, schema_paths};

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
    let calls: Vec<Call> = vec![
        methods::Sessions {}.into(),
        methods::Open { session: text() }.into(),
        methods::Forget {}.into(),
        methods::EndBackEnd { for_another: true }.into(),
        methods::Undo {}.into(),
        methods::Redo {}.into(),
        methods::Page { page: text() }.into(),
        methods::Example {}.into(),
        methods::StepText { number: 1 }.into(),
        methods::EditStep {
            number: 1,
            step: Some(text()),
        }
        .into(),
        methods::EndAfter { number: 1 }.into(),
        methods::Record { in_open_tab: true }.into(),
        methods::Stop {}.into(),
        methods::RecordTab {}.into(),
        methods::TakeRecording {}.into(),
        methods::ForgetTab {}.into(),
        methods::Replay {
            at_recorded_pace: true,
        }
        .into(),
        methods::At { point: text() }.into(),
        methods::Ask {
            query: text(),
            at: Some(text()),
        }
        .into(),
        methods::Again {}.into(),
        methods::Watch { expression: text() }.into(),
        methods::Unwatch { expression: text() }.into(),
        methods::Rename {
            point: text(),
            to: text(),
        }
        .into(),
        methods::Remove { point: text() }.into(),
        methods::Source {
            url: text(),
            log: Some(1),
        }
        .into(),
        methods::CommandLine {}.into(),
        methods::Html {}.into(),
        methods::Cancel {}.into(),
        methods::Stand { point: text() }.into(),
        methods::Unfold {
            point: text(),
            expression: text(),
            frame: 1,
            from: 200,
            filter: text(),
        }
        .into(),
        methods::Frame {
            point: text(),
            frame: 1,
        }
        .into(),
        methods::ExecutionLine { point: text() }.into(),
        methods::Log {}.into(),
        methods::Logs {}.into(),
        methods::ForgetLog { log: 1 }.into(),
        methods::Calls {
            log: 1,
            of: Some(7),
            from: 200,
        }
        .into(),
        methods::Events {
            log: 1,
            query: text(),
            from: 200,
        }
        .into(),
        methods::EventPoint { log: 1, event: 7 }.into(),
        methods::CompareLogs { left: 1, right: 2 }.into(),
        methods::Diagnose {
            log: 1,
            strategy: Some("top-down".to_owned()),
        }
        .into(),
        methods::Judge {
            log: 1,
            call: 7,
            answer: CallAnswer::Valid,
        }
        .into(),
        methods::TakeBack {
            log: 1,
            call: Some(7),
        }
        .into(),
        methods::ShowCall { log: 1, call: 7 }.into(),
        methods::Attach {}.into(),
        methods::Detach {}.into(),
        methods::Break {
            url: text(),
            line: 22,
            runs_as: Some(text()),
        }
        .into(),
        methods::Unbreak { breakpoint: text() }.into(),
        methods::Look {
            query: Some(text()),
        }
        .into(),
        methods::Live { on: true }.into(),
        methods::LookInside {
            expression: text(),
            frame: 1,
            from: 200,
            filter: text(),
        }
        .into(),
        methods::Answered {
            command: 1,
            result: Some(json!({ "value": 1 })),
            error: None,
        }
        .into(),
        methods::Event {
            event: "Debugger.resumed".to_owned(),
            params: json!({}),
        }
        .into(),
    ];
    let requests = calls.into_iter().zip(1..);
    requests
        .map(|(call, id)| json!(Request::new(id, call)))
        .collect()
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
                    eval_origin: None,
                    library: false,
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

/// A call, with everything that is shown of one.
fn call_view() -> CallView {
    let value = || Some(crate::answer::Value::new(ValueType::Number, "1"));
    let location = || {
        Some(Location {
            url: "http://h/app.js".to_owned(),
            line: 22,
            column: 1,
            generated: None,
            eval_origin: None,
            library: false,
        })
    };
    let named = || {
        vec![Named {
            name: "x".to_owned(),
            entry: value(),
            exit: value(),
        }]
    };
    CallView {
        call: FoundCall {
            function: "Tree.insert".to_owned(),
            location: location(),
            call: 7,
        },
        caller: Some("fill".to_owned()),
        called_at: location(),
        task: Some("click".to_owned()),
        this: value(),
        arguments: named(),
        locals: named(),
        changes: vec![CallChange {
            name: "this.size".to_owned(),
            old: value(),
            new: value(),
        }],
        more_changes: 1,
        ended: Ended::Returned(value()),
        calls: 2,
    }
}

fn diagnosed() -> Diagnosed {
    Diagnosed {
        strategy: "optimal".to_owned(),
        question: Some(Box::new(call_view())),
        suspicious: 3,
        diagnosis: Box::new(Diagnosis {
            schema: DIAGNOSIS_SCHEMA.to_owned(),
            found: None,
            asked: 1,
            automatic: 0,
            nodes: 3,
            questions: Vec::new(),
            suspicious: Vec::new(),
            notes: vec!["a note".to_owned()],
        }),
    }
}

/// A result of every method, with all its members, by the name of the method.
fn results() -> Vec<(&'static str, Value)> {
    fn of<M: Method>(result: &M::Result) -> (&'static str, Value) {
        (M::NAME, json!(result))
    }
    let outline = SessionOutline {
        session: "a".to_owned(),
        page: Some("p".to_owned()),
        first_action: Some("click #pay".to_owned()),
        queries: 1,
        changed_ms: 5,
    };
    let moved = Moved {
        session: Some("a-2".to_owned()),
    };
    let text = Text {
        text: "t".to_owned(),
    };
    let nothing = Nothing {};
    let replayed = Replayed {
        notes: vec!["n".to_owned()],
        differences: Some(vec![differences::PointDifference {
            point: "B".to_owned(),
            was: "app.js:1 0".to_owned(),
            is: "app.js:2 1".to_owned(),
        }]),
    };
    vec![
        of::<methods::Sessions>(&SessionList {
            sessions: vec![outline.clone()],
            deleted: vec![outline],
        }),
        of::<methods::Open>(&nothing),
        of::<methods::Forget>(&nothing),
        of::<methods::EndBackEnd>(&nothing),
        of::<methods::Undo>(&nothing),
        of::<methods::Redo>(&nothing),
        of::<methods::Page>(&moved),
        of::<methods::Example>(&moved),
        of::<methods::Record>(&moved),
        of::<methods::Stop>(&nothing),
        of::<methods::RecordTab>(&moved),
        of::<methods::TakeRecording>(&moved),
        of::<methods::ForgetTab>(&nothing),
        of::<methods::Replay>(&replayed),
        of::<methods::EditStep>(&replayed),
        of::<methods::EndAfter>(&replayed),
        of::<methods::At>(&nothing),
        of::<methods::Ask>(&Asked {
            point: "B".to_owned(),
            session: Some("a-2".to_owned()),
        }),
        of::<methods::Again>(&nothing),
        of::<methods::Watch>(&nothing),
        of::<methods::Unwatch>(&nothing),
        of::<methods::Rename>(&nothing),
        of::<methods::Remove>(&nothing),
        of::<methods::Source>(&text),
        of::<methods::StepText>(&text),
        of::<methods::CommandLine>(&text),
        of::<methods::Html>(&text),
        of::<methods::Cancel>(&nothing),
        of::<methods::Stand>(&nothing),
        of::<methods::Unfold>(&Expanded {
            variables: vec![variable()],
            of: 1,
            notes: vec!["n".to_owned()],
        }),
        of::<methods::Frame>(&FrameVariables {
            scopes: vec![Scope {
                kind: ScopeKind::Local,
                function: Some("f".to_owned()),
                variables: vec![variable()],
            }],
            this: Some(crate::answer::Value::string("t")),
            notes: vec!["n".to_owned()],
        }),
        of::<methods::ExecutionLine>(&CandidateWrites {
            execution_line: Box::new(execution_line()),
            notes: vec!["n".to_owned()],
        }),
        of::<methods::Log>(&LogRecorded {
            log: log_outline(),
            notes: vec!["n".to_owned()],
        }),
        of::<methods::Logs>(&LogList {
            logs: vec![log_outline()],
            questions: vec!["login(user)".to_owned()],
            unusable: Some("queries:1".to_owned()),
        }),
        of::<methods::ForgetLog>(&nothing),
        of::<methods::Calls>(&CallPage {
            rows: vec![CallRow {
                event: event(),
                children: 1,
                calls: 2,
            }],
            of: 1,
        }),
        of::<methods::Events>(&EventsResult {
            events: vec![event()],
            ..crate::events::tests::whole().results.remove(0)
        }),
        of::<methods::EventPoint>(&text),
        of::<methods::CompareLogs>(&ComparedLogs {
            comparison: Comparison {
                schema: COMPARISON_SCHEMA.to_owned(),
                differs: true,
                first: Some(Difference {
                    kind: DifferenceKind::Data,
                    left: Some(event()),
                    right: Some(event()),
                }),
                cause: Some(DifferenceCause {
                    kind: DifferenceCauseKind::Code,
                    detail: "add is not the same code in both".to_owned(),
                }),
            },
            notes: vec!["n".to_owned()],
        }),
        of::<methods::Diagnose>(&diagnosed()),
        of::<methods::Judge>(&diagnosed()),
        of::<methods::TakeBack>(&diagnosed()),
        of::<methods::ShowCall>(&CallShown {
            call: Box::new(call_view()),
        }),
        of::<methods::Attach>(&Attached {
            events: vec!["Debugger.paused".to_owned()],
            counted: vec!["Runtime.exceptionThrown".to_owned()],
        }),
        of::<methods::Detach>(&nothing),
        of::<methods::Break>(&BreakpointSet {
            breakpoint: "1:21:0:http://h/app.js".to_owned(),
            line: 22,
        }),
        of::<methods::Unbreak>(&nothing),
        of::<methods::Look>(&TabState {
            variables: vec![variable()],
        }),
        of::<methods::Live>(&nothing),
        of::<methods::LookInside>(&Expanded {
            variables: vec![variable()],
            of: 1,
            notes: vec!["n".to_owned()],
        }),
        of::<methods::Answered>(&nothing),
        of::<methods::Event>(&nothing),
    ]
}

/// An event with the members that it always has; `events.schema.json` describes the others.
fn event() -> LoggedEvent {
    LoggedEvent::new(7, EventKind::Call)
}

fn log_outline() -> LogOutline {
    LogOutline {
        log: 1,
        page: "http://h/".to_owned(),
        first_action: Some("click #pay".to_owned()),
        events: 12,
        bytes: 300,
        recorded_ms: 5,
    }
}

fn variable() -> crate::answer::Variable {
    crate::answer::Variable::new("x".to_owned(), crate::answer::Value::string("x"))
}

fn responses() -> Vec<Value> {
    let asked = Asked {
        point: "B".to_owned(),
        session: None,
    };
    let refusal = Refusal::new(RefusalCode::NotNow, "cancel first");
    vec![
        json!(Response::new(
            Some(1),
            ResponseOutcome::of::<methods::Ask>(Ok(asked))
        )),
        json!(Response::new(None, ResponseOutcome::Error(refusal))),
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
        unhooked: Some(crate::answer::BlindSpot {
            url: "http://h/app.js".to_owned(),
            reason: "it is not rewritten".to_owned(),
        }),
    };
    let news = [
        News::Welcome {
            connected: true,
            in_background: true,
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
        News::Recorded {
            recorded: Some(TabRecorded {
                load: "l".to_owned(),
                url: "http://h/".to_owned(),
                steps: 3,
                is_full: true,
            }),
        },
    ];
    news.into_iter()
        .map(|news| json!(Notification::new(news)))
        .collect()
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

/// The schema of what comes of a method.
fn result_of(method: &str) -> Value {
    let mut schema = schema();
    schema["$ref"] = json!(format!("#/$defs/results/properties/{method}"));
    schema.as_object_mut().unwrap().remove("oneOf");
    schema
}

#[test]
fn each_method_has_the_result_that_the_schema_gives_it() {
    let mut names = Vec::new();
    for (method, result) in results() {
        let schema = result_of(method);
        assert_eq!(problems(&schema, &result), [""; 0], "{method}: {result}");
        let mut paths = schema_paths(&schema);
        // An answer's values have more members than the schema repeats here, and may leave out the place.
        let is_of_answer = |path: &String| {
            path.starts_with(".variables[].")
                || path.starts_with(".execution_line.")
                || path.ends_with(".last_writer")
        };
        paths.retain(|path| !is_of_answer(path));
        let mut members = member_paths(&result);
        members.retain(|path| !is_of_answer(path));
        assert_eq!(members, paths, "{method}");
        names.push(method.to_owned());
    }
    names.sort();
    assert_eq!(names, methods("request"));
    let known = schema()["$defs"]["results"]["properties"].clone();
    let mut known: Vec<String> = known.as_object().unwrap().keys().cloned().collect();
    known.sort();
    assert_eq!(names, known);
}

#[test]
fn a_member_of_another_method_is_refused_by_the_schema() {
    let all = results();
    let different = |(one, a): &(&str, Value), (other, b): &(&str, Value)| {
        let is_other = member_paths(a) != member_paths(b);
        is_other.then(|| (one.to_string(), other.to_string(), b.clone()))
    };
    let mut compared = 0;
    for one in &all {
        for (method, other, result) in all.iter().filter_map(|it| different(one, it)) {
            // What comes of the other may be a part of what comes of this one: `{}` of `page`.
            let is_part = member_paths(&result).is_subset(&schema_paths(&result_of(&method)));
            if !is_part {
                assert_ne!(
                    problems(&result_of(&method), &result),
                    [""; 0],
                    "{method} with the result of {other}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn what_comes_of_another_method_cannot_be_read_as_this_one() {
    let text = Text {
        text: "t".to_owned(),
    };
    let outcome = ResponseOutcome::of::<methods::Html>(Ok(text.clone()));
    assert_eq!(outcome.clone().into_result::<methods::Source>(), Ok(text));
    let refusal = outcome.into_result::<methods::Ask>().unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Failed);
    assert!(
        refusal
            .message
            .starts_with("the result of ask cannot be read: missing field")
    );
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
