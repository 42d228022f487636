//! Tests of the answer: its JSON, its schema, its exit status.

use serde_json::{Value as Json, json};

use super::*;
use crate::schemas::{location, member_paths, problems, schema_paths};

const SCHEMA_TEXT: &str = include_str!("../../../docs/answer.schema.json");

fn schema() -> Json {
    serde_json::from_str(SCHEMA_TEXT).unwrap()
}

fn number(text: &str) -> Value {
    Value::new(ValueType::Number, text)
}

/// `R` with everything that it can have.
fn reproduction_point() -> PointAnswer {
    PointAnswer {
        location: Some(location(22)),
        source_line: Some("  render(cart.total)".to_owned()),
        function: Some("updateButton".to_owned()),
        hit: Some(0),
        hits: Some(1),
        stack: vec![StackFrame {
            function: "updateButton".to_owned(),
            location: location(22),
        }],
        ..PointAnswer::new("R", None, Status::Found)
    }
}

/// A change with everything that it can have.
fn found() -> PointAnswer {
    PointAnswer {
        location: Some(location(29)),
        source_line: Some("  this.total = 0;".to_owned()),
        function: Some("bar".to_owned()),
        old: Some(Value::undefined()),
        new: Some(number("0")),
        created: Some(true),
        owner: Some(Owner {
            id: 12,
            class: "Object".to_owned(),
        }),
        scope_id: Some(3),
        index: Some(0),
        changes: Some(1),
        cause: Some(Cause {
            kind: "click".to_owned(),
            target: Some("#myButton".to_owned()),
        }),
        stack: vec![StackFrame {
            function: "bar".to_owned(),
            location: location(29),
        }],
        scopes: vec![Scope {
            kind: ScopeKind::Local,
            function: Some("bar".to_owned()),
            variables: vec![Variable {
                last_writer: Some(Box::new(LastWriter {
                    location: Some(location(28)),
                    by_user: true,
                    cause: Some(Cause {
                        kind: "click".to_owned(),
                        target: Some("#myButton".to_owned()),
                    }),
                    tasks_ago: Some(2),
                })),
                ..Variable::new("x", number("1"))
            }],
        }],
        watches: vec![Watch {
            expression: "myCondition.value".to_owned(),
            value: Value::undefined(),
            threw: Some(true),
        }],
        note: Some("taken in the page".to_owned()),
        ..PointAnswer::new(
            "B",
            Some("lastChange(R:cart.total)".to_owned()),
            Status::Found,
        )
    }
}

/// A change that the user made: at no line.
fn by_user() -> PointAnswer {
    PointAnswer {
        old: Some(Value::string("4")),
        new: Some(Value::string("45")),
        by_user: Some(true),
        cause: Some(Cause {
            kind: "input".to_owned(),
            target: Some("#amount".to_owned()),
        }),
        note: Some("changed by the user: input on #amount".to_owned()),
        ..PointAnswer::new(
            "D",
            Some("lastChange(B:field.value)".to_owned()),
            Status::Found,
        )
    }
}

/// A change that one execution found.
fn live() -> PointAnswer {
    PointAnswer {
        live: Some(true),
        old: None,
        stack: Vec::new(),
        scopes: Vec::new(),
        watches: Vec::new(),
        ..found()
    }
}

fn never_changed() -> PointAnswer {
    PointAnswer {
        value: Some(Value::string("a\"b")),
        ..PointAnswer::new(
            "C",
            Some("lastChange(B:x)".to_owned()),
            Status::NeverChanged,
        )
    }
}

fn answer(points: Vec<PointAnswer>) -> Answer {
    Answer {
        schema: SCHEMA.to_owned(),
        page: "http://h/".to_owned(),
        executions: 2,
        points,
        coverage: Coverage {
            scripts: 3,
            hooked: 2,
            unhooked_sites: Some(1),
            blind_spots: vec![BlindSpot {
                url: "http://h/x.js".to_owned(),
                reason: "no JavaScript".to_owned(),
            }],
            not_run: vec![LinesNotRun {
                url: "http://h/cart.js".to_owned(),
                lines: vec![(27, 29), (40, 40)],
            }],
        },
        consistency: Consistency {
            agrees: true,
            notes: vec!["a note".to_owned()],
        },
        timing_ms: Timing {
            replay: 120,
            rewrite: 4,
            total: 310,
        },
        runs: None,
        kept: None,
    }
}

fn full() -> Answer {
    let points = vec![
        reproduction_point(),
        found(),
        never_changed(),
        by_user(),
        decided(),
        thrown(),
        counted(),
        live(),
        followed(),
        omission(),
    ];
    Answer {
        runs: Some(of_runs()),
        kept: Some(true),
        ..answer(points)
    }
}

fn whole() -> WholeAnswer {
    let mut results = crate::events::tests::whole().results;
    results.iter_mut().for_each(|result| result.sql = None);
    WholeAnswer {
        answer: full(),
        results,
    }
}

fn of_runs() -> Runs {
    let outcome = |location, by_user| runs::RunOutcome {
        count: 2,
        status: Status::Found,
        location,
        by_user,
    };
    Runs {
        asked: 5,
        answered: 4,
        reached: 4,
        agreed: 3,
        shown: 2,
        alike: 2,
        failed: vec![runs::FailedRuns {
            reason: "the browser was lost".to_owned(),
            count: 1,
        }],
        points: vec![runs::PointRuns {
            name: "R".to_owned(),
            answers: vec![outcome(Some(location(22)), None), outcome(None, Some(true))],
        }],
    }
}

fn decided() -> PointAnswer {
    PointAnswer {
        condition: Some(ConditionAnswer {
            text: "cart.total > 5".to_owned(),
            outcome: true,
            operands: vec![Operand {
                expression: "cart.total".to_owned(),
                value: Value::new(ValueType::Number, "10"),
            }],
        }),
        frame: Some(1),
        location: found().location,
        stack: found().stack,
        ..PointAnswer::new("D", Some("lastCondition(B)".to_owned()), Status::Found)
    }
}

fn counted() -> PointAnswer {
    PointAnswer {
        events: Some(3),
        index: Some(2),
        location: found().location,
        stack: found().stack,
        ..PointAnswer::new(
            "T",
            Some("trace(call(add), before(R), index -1)".to_owned()),
            Status::Found,
        )
    }
}

fn thrown() -> PointAnswer {
    PointAnswer {
        exception: Some(ExceptionAnswer {
            class: "RangeError".to_owned(),
            message: "no item".to_owned(),
            caught: true,
        }),
        location: found().location,
        stack: found().stack,
        ..PointAnswer::new("E", Some("exceptionAfter(D)".to_owned()), Status::Found)
    }
}

fn followed() -> PointAnswer {
    let value = || Value::string("a");
    let hop = Hop {
        kind: HopKind::Parameter,
        location: location(3),
        value: value(),
        point: Some("app.js:3:1#0".to_owned()),
        realm: Some("worker sum.js".to_owned()),
        name: Some("text".to_owned()),
        function: Some("show".to_owned()),
        source_line: Some("show(a + b)".to_owned()),
        library: Some("zustand".to_owned()),
        folded: Some(2),
    };
    PointAnswer {
        hops: vec![hop],
        end: Some(End {
            kind: EndKind::Computation,
            location: Some(location(3)),
            detail: Some("a + b".to_owned()),
            operands: vec![EndOperand {
                text: "a".to_owned(),
                value: value(),
            }],
        }),
        location: found().location,
        stack: found().stack,
        ..PointAnswer::new("O", Some("origin(R:text)".to_owned()), Status::Found)
    }
}

fn omission() -> PointAnswer {
    let value = || Value::string("a");
    let part = EndOperand {
        text: "this.active".to_owned(),
        value: value(),
    };
    let candidate = Candidate {
        reason: OmissionReason::Return,
        location: location(3),
        text: "!this.active".to_owned(),
        held: true,
        values: vec![part],
        hits: 2,
        operation: Some(Operation {
            location: location(9),
            text: "cart.items.push(item)".to_owned(),
            calls: 2,
        }),
        flipped: Some(Flipped {
            happened: true,
            value: Some(value()),
        }),
        function: Some("addItem".to_owned()),
        source_line: Some("if (!this.active) return;".to_owned()),
        calls: Some(1),
        detail: Some("it led to cart.js:3".to_owned()),
    };
    PointAnswer {
        candidates: vec![candidate],
        complete: Some(true),
        location: found().location,
        ..PointAnswer::new("W", Some("whyNot(cart.js:27)".to_owned()), Status::Found)
    }
}

fn with_status(status: Status) -> PointAnswer {
    PointAnswer::new("Q1", Some("lastChange(x)".to_owned()), status)
}

/// What the schema says is wrong with an answer.
fn errors(answer: &Json) -> Vec<String> {
    problems(&schema(), answer)
}

#[test]
fn the_types_and_the_schema_have_the_same_members() {
    assert_eq!(member_paths(&json!(whole())), schema_paths(&schema()));
}

#[test]
fn the_words_of_the_types_and_of_the_schema_are_the_same() {
    let schema = schema();
    let words = |pointer: &str| schema.pointer(pointer).unwrap().as_array().unwrap().clone();
    let statuses = [
        Status::Found,
        Status::NeverChanged,
        Status::NotReached,
        Status::Diverged,
        Status::Blind,
    ];
    assert_eq!(
        json!(statuses),
        json!(words("/$defs/point/properties/status/enum"))
    );
    for word in words("/$defs/valueType/enum") {
        let kind: ValueType = serde_json::from_value(word.clone()).unwrap();
        assert_eq!(kind, ValueType::from_typeof(word.as_str().unwrap()));
        assert_eq!(json!(kind), word);
    }
    let hops = words("/$defs/hop/properties/kind/enum");
    for word in &hops {
        let kind: HopKind = serde_json::from_value(word.clone()).unwrap();
        assert_eq!(json!(kind.word()), *word);
    }
    for word in words("/$defs/candidate/properties/reason/enum") {
        let reason: OmissionReason = serde_json::from_value(word.clone()).unwrap();
        assert_eq!(json!(reason.word()), word);
    }
    let ends = words("/$defs/end/properties/kind/enum");
    for word in &ends {
        let kind: EndKind = serde_json::from_value(word.clone()).unwrap();
        assert_eq!(json!(kind.word()), *word);
    }
    for word in words("/$defs/scope/properties/kind/enum") {
        let kind: ScopeKind = serde_json::from_value(word.clone()).unwrap();
        assert_eq!(json!(kind), word);
    }
}

#[test]
fn a_full_answer_fits_the_schema_and_comes_back() {
    let json = serde_json::to_value(whole()).unwrap();
    assert_eq!(errors(&json), [""; 0]);
    assert_eq!(
        serde_json::from_value::<WholeAnswer>(json).unwrap(),
        whole()
    );
}

#[test]
fn absent_members_are_not_written() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&never_changed()).unwrap(), @r#"
    {
      "name": "C",
      "query": "lastChange(B:x)",
      "status": "never-changed",
      "value": {
        "type": "string",
        "text": "\"a\\\"b\""
      }
    }
    "#);
}

#[test]
fn the_schema_refuses_what_is_not_an_answer() {
    let refused = |change: &dyn Fn(&mut Json)| {
        let mut json = serde_json::to_value(full()).unwrap();
        change(&mut json);
        !errors(&json).is_empty()
    };
    assert!(refused(&|json| json["more"] = json!(1)));
    assert!(refused(
        &|json| json["schema"] = json!("querypoint/answer/2")
    ));
    assert!(refused(&|json| json["points"] = json!([])));
    assert!(refused(&|json| json["kept"] = json!(false)));
    assert!(refused(&|json| json["points"][0]["name"] = json!("B")));
    assert!(refused(
        &|json| json["points"][0]["new"] = json!({ "type": "number", "text": "1" })
    ));
    assert!(refused(&|json| json["points"][1]["status"] = json!("lost")));
    assert!(refused(
        &|json| json["points"][1]["status"] = json!("diverged")
    ));
    assert!(refused(
        &|json| json["points"][1]["location"]["line"] = json!(0)
    ));
    assert!(refused(&|json| json["points"][1]["created"] = json!(false)));
    assert!(refused(&|json| {
        json["points"][1]
            .as_object_mut()
            .unwrap()
            .remove("location");
    }));
    assert!(refused(&|json| {
        json["points"][1].as_object_mut().unwrap().remove("stack");
    }));
    assert!(refused(
        &|json| json["points"][1]["stack"][0]["more"] = json!(1)
    ));
    assert!(refused(
        &|json| json["points"][2]["new"] = json!({ "type": "number", "text": "1" })
    ));
    assert!(refused(&|json| json["points"][2]["status"] = json!("blind")));
    assert!(refused(&|json| json["points"][2]["by_user"] = json!(true)));
    assert!(refused(&|json| json["points"][3]["by_user"] = json!(false)));
    let live = 7;
    assert!(refused(&|json| json["points"][live]["live"] = json!(false)));
    assert!(refused(
        &|json| json["points"][live]["old"] = json!({ "type": "number", "text": "1" })
    ));
    assert!(refused(
        &|json| json["points"][live]["stack"] = json["points"][1]["stack"].clone()
    ));
    assert!(refused(&|json| {
        let point = json["points"][live].as_object_mut().unwrap();
        point.remove("location");
        point.remove("note");
    }));
    assert!(refused(
        &|json| json["points"][3]["location"] = json["points"][1]["location"].clone()
    ));
    assert!(refused(&|json| {
        json["points"][3].as_object_mut().unwrap().remove("cause");
    }));
}

#[test]
fn the_least_that_each_status_needs_fits_the_schema() {
    let end = PointAnswer::new("R", None, Status::Found);
    let blind = PointAnswer {
        note: Some("in x.js".to_owned()),
        ..with_status(Status::Blind)
    };
    let points = [
        with_status(Status::NeverChanged),
        with_status(Status::NotReached),
        with_status(Status::Diverged),
        blind,
    ];
    for point in points {
        let json = serde_json::to_value(answer(vec![end.clone(), point])).unwrap();
        assert_eq!(errors(&json), [""; 0]);
    }
    let not_reached = PointAnswer::new("R", None, Status::NotReached);
    assert_eq!(
        errors(&serde_json::to_value(answer(vec![not_reached])).unwrap()),
        [""; 0]
    );
}

#[test]
fn the_exit_status_is_that_of_the_contract() {
    let status = |r: Status, queries: &[Status]| {
        let mut points = vec![PointAnswer::new("R", None, r)];
        points.extend(queries.iter().map(|status| with_status(*status)));
        answer(points).exit_status()
    };
    assert_eq!(full().exit_status(), 0);
    assert_eq!(status(Status::Found, &[]), 0);
    assert_eq!(
        status(Status::Found, &[Status::Found, Status::NeverChanged]),
        0
    );
    assert_eq!(status(Status::Found, &[Status::Found, Status::Diverged]), 1);
    assert_eq!(status(Status::Found, &[Status::Blind]), 1);
    assert_eq!(status(Status::Found, &[Status::NotReached]), 1);
    assert_eq!(status(Status::Diverged, &[Status::Diverged]), 1);
    assert_eq!(status(Status::NotReached, &[Status::NotReached]), 3);
    assert_eq!(answer(Vec::new()).exit_status(), 3);
    let mut of_log = whole();
    of_log.results[0].complete = false;
    assert_eq!(of_log.exit_status(), 0);
    of_log.results[0].total = 0;
    assert_eq!(of_log.exit_status(), 1);
}

#[test]
fn texts_are_cut_at_200_characters() {
    let exactly = "价".repeat(TEXT_LIMIT);
    assert_eq!(number(&exactly).text, exactly);
    let longer = number(&"价".repeat(TEXT_LIMIT + 1)).text;
    assert_eq!(longer.chars().count(), TEXT_LIMIT);
    assert!(longer.ends_with("价…"));
}

#[test]
fn hops_in_a_library_are_folded() {
    let hop = |library: Option<&str>, name: &str| Hop {
        library: library.map(str::to_owned),
        name: Some(name.to_owned()),
        folded: None,
        ..followed().hops.remove(0)
    };
    let hops = vec![
        hop(None, "a"),
        hop(Some("zustand"), "b"),
        hop(Some("zustand"), "c"),
        hop(Some("preact"), "d"),
        hop(None, "e"),
        hop(None, "f"),
    ];
    let folded = fold_libraries(hops);
    let shown: Vec<(Option<&str>, Option<u32>)> = folded
        .iter()
        .map(|hop| (hop.name.as_deref(), hop.folded))
        .collect();
    assert_eq!(
        shown,
        [
            (Some("a"), None),
            (Some("b"), Some(2)),
            (Some("d"), None),
            (Some("e"), None),
            (Some("f"), None)
        ]
    );
}
