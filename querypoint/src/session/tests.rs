//! Tests of the session: what asking, naming and removing make of it.

use proptest::prelude::*;

use super::*;
use crate::answer::{PointAnswer, Status, Watch};
use crate::schemas;

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

pub(super) fn full_session() -> Session {
    let session = session(&["lastChange(R:x)"]).watching("y").unwrap();
    let mut session = answered(&session.recorded(Some(RecordingOutline {
        title: "buy".to_owned(),
        steps: vec!["click Buy".to_owned()],
        first_action: Some("click Buy".to_owned()),
    })));
    session.document = Some(Document {
        url: "http://h/shop.html".to_owned(),
        title: "Shop".to_owned(),
    });
    session
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
