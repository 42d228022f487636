//! A message of every kind, with all its members: what the tests of the messages are about.

use serde_json::{Value, json};

use super::element::Picked;
use super::messages::*;
use super::methods::{Call, Method};
use super::results::*;
use super::tests::full_session;
use super::*;
use crate::answer::{Location, Scope, ScopeKind, ValueType};
use crate::diagnosis::{
    CallAnswer, CallChange, CallView, DIAGNOSIS_SCHEMA, Diagnosis, Ended, FoundCall, LoopIteration,
    Named, PageEffect, PageEffectKind,
};
use crate::events::{
    COMPARISON_SCHEMA, CallRow, Comparison, Difference, DifferenceCause, DifferenceCauseKind,
    DifferenceKind, EventKind, EventsResult, LoggedEvent,
};
use crate::execution_line::{EventPlace, ExecutionLine, Mark};
use crate::schemas;

/// One request of every kind.
pub(super) fn requests() -> Vec<Value> {
    let text = || "x".to_owned();
    let calls: Vec<Call> = vec![
        methods::Sessions {}.into(),
        methods::Open { session: text() }.into(),
        methods::Delete {}.into(),
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
        methods::ReplayUpTo { number: 1 }.into(),
        methods::Record { in_open_tab: true }.into(),
        methods::Stop {}.into(),
        methods::RecordTab {}.into(),
        methods::TakeRecording {}.into(),
        methods::DeleteTabRecording {}.into(),
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
        methods::PauseAt { point: text() }.into(),
        methods::Picture { point: text() }.into(),
        methods::Expand {
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
        methods::DeleteLog { log: 1 }.into(),
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
        methods::EventPoint {
            log: 1,
            event: 7,
            of_call: Some(methods::CallEnd::Begin),
        }
        .into(),
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
        methods::SelectElement {}.into(),
        methods::EndSelecting {}.into(),
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
            iteration: Some(LoopIteration {
                text: "while (node)".to_owned(),
                number: 2,
                location: location(),
            }),
        },
        caller: Some("fill".to_owned()),
        called_at: location(),
        task: Some("click".to_owned()),
        handed_over: Some(Box::new(event())),
        this: value(),
        arguments: named(),
        locals: named(),
        changes: vec![CallChange {
            name: "this.size".to_owned(),
            old: value(),
            new: value(),
        }],
        more_changes: 1,
        page: vec![PageEffect {
            kind: PageEffectKind::Document,
            text: "list.append(HTMLLIElement #8)".to_owned(),
            location: location(),
        }],
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
            events: Vec::new(),
            states: Vec::new(),
            suspicious: Vec::new(),
            notes: vec!["a note".to_owned()],
        }),
    }
}

/// A result of every method, with all its members, by the name of the method.
pub(super) fn results() -> Vec<(&'static str, Value)> {
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
        of::<methods::Delete>(&nothing),
        of::<methods::EndBackEnd>(&nothing),
        of::<methods::Undo>(&nothing),
        of::<methods::Redo>(&nothing),
        of::<methods::Page>(&moved),
        of::<methods::Example>(&moved),
        of::<methods::Record>(&moved),
        of::<methods::Stop>(&nothing),
        of::<methods::RecordTab>(&moved),
        of::<methods::TakeRecording>(&moved),
        of::<methods::DeleteTabRecording>(&nothing),
        of::<methods::Replay>(&replayed),
        of::<methods::EditStep>(&replayed),
        of::<methods::EndAfter>(&replayed),
        of::<methods::ReplayUpTo>(&nothing),
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
        of::<methods::PauseAt>(&nothing),
        of::<methods::Picture>(&PointPicture {
            jpeg: Some(text.text.clone()),
        }),
        of::<methods::Expand>(&Expanded {
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
        of::<methods::DeleteLog>(&nothing),
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
            let_go: vec![TabCommand {
                name: "Fetch.disable".to_owned(),
                params: json!({}),
            }],
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
        of::<methods::SelectElement>(&nothing),
        of::<methods::EndSelecting>(&nothing),
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

pub(super) fn responses() -> Vec<Value> {
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

pub(super) fn notifications() -> Vec<Value> {
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
        News::Selected {
            element: Some(Picked {
                path: "document.body".to_owned(),
                label: "body".to_owned(),
            }),
            cancelled: true,
        },
    ];
    news.into_iter()
        .map(|news| json!(Notification::new(news)))
        .collect()
}
