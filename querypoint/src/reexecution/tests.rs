//! Each transition of each state.

use super::*;
use crate::graph::DependencyGraph;
use crate::query::Query;
use crate::resolution::{Finding, LastChange, OwnerId};

/// A change, then a trace query that is looked at event by event, then one that compares call stacks.
const QUERIES: [&str; 3] = [
    "B = lastChange(R:cart.total)",
    "C = trace(call(f), when(true))",
    "D = trace(call(g), mayAffect(B))",
];

fn begin(execution: Execution) -> FindEvents {
    let queries = QUERIES.map(|query| Query::parse(query).unwrap());
    let graph = DependencyGraph::new(queries.to_vec()).unwrap();
    let plan = CollectionPlan::new(&graph, &[]).unwrap();
    FindEvents::begin(&plan, execution)
}

/// Gives the state of a step that is to be of one kind.
macro_rules! state {
    ($step:expr, $kind:ident) => {
        match $step {
            Step::$kind(state) => state,
            other => panic!("{} was to be next, and not {other:?}", stringify!($kind)),
        }
    };
}

fn conclusion(step: Step) -> Conclusion {
    state!(step, Answer)
}

fn found(refinement: Refinement, parts: &[&str]) -> Option<FirstFindings> {
    Some(FirstFindings {
        refinement,
        parts: parts.iter().map(|&part| part.to_owned()).collect(),
    })
}

/// The change of `B` has this number.
fn findings(sequence: u64) -> Findings {
    let change = LastChange {
        sequence: Sequence::new(sequence),
        owner: OwnerId(1),
        still_holds: true,
    };
    Findings {
        hooks_run: 9,
        hit: 2,
        by_query: BTreeMap::from([(0, Finding::Changed(change))]),
    }
}

/// These queries have events that must be looked at.
fn unexamined(queries: &[usize]) -> BTreeMap<usize, EventRange> {
    let range = EventRange { first: 3, last: 4 };
    queries.iter().map(|&query| (query, range)).collect()
}

fn resolved() -> Resolved {
    Resolved {
        refinement: Refinement::Nothing,
        findings: findings(7),
        unexamined: BTreeMap::new(),
        stacks: BTreeSet::new(),
        read_ahead: None,
    }
}

/// What a capture shows that agrees with the first execution.
fn captured() -> Captured {
    Captured {
        refinement: Refinement::Nothing,
        at_point: Some(CapturedAtPoint {
            findings: findings(7),
            unexamined: BTreeMap::new(),
        }),
        met: BTreeSet::from([Sequence::new(7)]),
        stacks: BTreeSet::new(),
    }
}

fn resolving(execution: Execution) -> ResolveResults {
    state!(
        begin(execution).found(found(Refinement::Nothing, &[])),
        Resolve
    )
}

fn capturing(execution: Execution, resolved: Resolved) -> CaptureState {
    match resolving(execution).resolved(resolved) {
        Step::ReadStacks(state) => state!(state.read(false), Capture),
        step => state!(step, Capture),
    }
}

fn sequences(state: &CaptureState) -> Vec<u64> {
    let events = state.capture().events.keys();
    events.map(|sequence| sequence.number()).collect()
}

#[test]
fn a_point_that_is_not_reached_is_an_answer() {
    for execution in [Execution::Replay, Execution::Call] {
        let next = begin(execution).found(None);
        assert_eq!(conclusion(next), Conclusion::NotReached);
    }
}

#[test]
fn what_must_be_watched_besides_leads_to_another_beginning() {
    for refinement in [Refinement::Names, Refinement::Calls] {
        let first = begin(Execution::Replay).found(found(refinement, &["document"]));
        assert!(matches!(first, Step::Restart), "{first:?}");
        let first = resolving(Execution::Replay).resolved(Resolved {
            refinement,
            ..resolved()
        });
        assert!(matches!(first, Step::Restart), "{first:?}");
    }
}

#[test]
fn objects_of_the_browser_are_followed_in_one_more_execution_and_no_further() {
    let first = begin(Execution::Replay);
    assert!(first.parts().is_empty());
    let second = state!(first.found(found(Refinement::Nothing, &["document"])), Find);
    assert_eq!(second.parts(), ["document"]);
    let missed = second.clone().found(None);
    assert_eq!(conclusion(missed), Conclusion::Diverged);
    state!(
        second.found(found(Refinement::Nothing, &["document", "history"])),
        Resolve
    );
}

#[test]
fn stacks_are_read_after_a_replay_and_not_where_a_function_is_called_again() {
    let replay = resolving(Execution::Replay).resolved(resolved());
    let stacks = state!(replay, ReadStacks);
    let capture = state!(stacks.clone().read(false), Capture);
    assert!(capture.is_sure());
    assert_eq!((sequences(&capture), capture.hit()), (vec![7], 2));
    assert_eq!(capture.capture().owners, BTreeSet::from([OwnerId(1)]));
    let calls = state!(stacks.read(true), WatchCalls);
    let unsure = state!(calls.watched(false), Capture);
    assert!(!unsure.is_sure());
    state!(resolving(Execution::Call).resolved(resolved()), Capture);
}

#[test]
fn what_was_read_ahead_is_taken_for_the_capture() {
    let read = |events: &[u64], unexamined| Resolved {
        unexamined,
        read_ahead: Some(events.iter().copied().map(Sequence::new).collect()),
        ..resolved()
    };
    let stacks = |resolved| state!(resolving(Execution::Replay).resolved(resolved), ReadStacks);
    let taken = state!(stacks(read(&[3, 7], BTreeMap::new())).read(false), TakeRead);
    assert_eq!(sequences(&taken), [7]);
    let next = taken.captured(captured());
    assert_eq!(conclusion(next), Conclusion::Captured { difference: None });
    // Another event was read, some must be looked at first, or calls must be watched.
    state!(stacks(read(&[3], BTreeMap::new())).read(false), Capture);
    state!(stacks(read(&[7], unexamined(&[1]))).read(false), Capture);
    state!(stacks(read(&[7], BTreeMap::new())).read(true), WatchCalls);
}

#[test]
fn executions_that_agree_are_the_answer() {
    let next = capturing(Execution::Replay, resolved()).captured(captured());
    assert_eq!(conclusion(next), Conclusion::Captured { difference: None });
}

#[test]
fn executions_that_differ_in_nothing_that_was_asked_say_so() {
    let mut longer = captured();
    longer.at_point.as_mut().unwrap().findings.hooks_run = 12;
    let next = capturing(Execution::Replay, resolved()).captured(longer);
    let Conclusion::Captured { difference } = conclusion(next) else {
        panic!("it was to be an answer");
    };
    assert!(difference.unwrap().contains("9 hooked writes"));
}

#[test]
fn executions_that_disagree_lead_to_a_capture_in_the_page_or_from_a_call_to_a_replay() {
    let other = || Captured {
        at_point: Some(CapturedAtPoint {
            findings: Findings {
                hooks_run: 12,
                ..findings(8)
            },
            unexamined: BTreeMap::new(),
        }),
        met: BTreeSet::from([Sequence::new(8)]),
        ..captured()
    };
    let missed = || Captured {
        at_point: None,
        ..captured()
    };
    for differing in [other(), missed()] {
        let called = capturing(Execution::Call, resolved()).captured(differing.clone());
        assert!(matches!(called, Step::Restart), "{called:?}");
    }
    // One that did something else is taken for the first once: the page may do that again.
    let replayed = capturing(Execution::Replay, resolved()).captured(other());
    let anew = state!(replayed, Capture);
    assert_eq!(sequences(&anew), [8]);
    let answer = conclusion(anew.clone().captured(other()));
    assert_eq!(answer, Conclusion::Captured { difference: None });
    let first_missed = capturing(Execution::Replay, resolved()).captured(missed());
    for replayed in [
        anew.clone().captured(captured()),
        anew.captured(missed()),
        first_missed,
    ] {
        let in_page = state!(replayed, CaptureInPage);
        assert!(!in_page.why().is_empty());
        let reached = in_page.clone().captured(true);
        assert_eq!(conclusion(reached), Conclusion::CapturedInPage);
        let missed = in_page.clone().captured(false);
        assert_eq!(conclusion(missed), Conclusion::Diverged);
        assert_eq!(conclusion(in_page.timed_out()), Conclusion::Unfinished);
    }
}

#[test]
fn where_that_was_tried_no_other_execution_is_taken_for_the_first() {
    let mut begun = begin(Execution::Replay);
    begun.hold_to_first();
    let state = state!(begun.found(found(Refinement::Nothing, &[])), Resolve);
    let state = state!(state.resolved(resolved()), ReadStacks);
    let capture = state!(state.read(false), Capture);
    assert!(capture.holds_to_first());
    let mut other = captured();
    if let Some(at_point) = &mut other.at_point {
        at_point.findings = Findings {
            hooks_run: 12,
            ..findings(8)
        };
    }
    assert!(matches!(capture.captured(other), Step::CaptureInPage(_)));
}

#[test]
fn a_capture_that_takes_too_long_leaves_what_was_found() {
    let next = capturing(Execution::Replay, resolved()).timed_out();
    assert_eq!(conclusion(next), Conclusion::Unfinished);
}

#[test]
fn what_a_capture_shows_to_be_the_event_is_captured_next() {
    // The write had no effect, so the change is the one before it.
    let earlier = || Captured {
        at_point: Some(CapturedAtPoint {
            findings: findings(5),
            unexamined: BTreeMap::new(),
        }),
        ..captured()
    };
    let again = capturing(Execution::Replay, resolved()).captured(earlier());
    let again = state!(again, Capture);
    assert_eq!(sequences(&again), [5]);
    let next = again.captured(Captured {
        met: BTreeSet::from([Sequence::new(5)]),
        ..earlier()
    });
    assert_eq!(conclusion(next), Conclusion::Captured { difference: None });
}

#[test]
fn a_capture_that_shows_names_begins_again_and_one_that_shows_calls_is_done_again_with_them() {
    let shows = |refinement| Captured {
        refinement,
        ..captured()
    };
    let names = capturing(Execution::Replay, resolved()).captured(shows(Refinement::Names));
    assert!(matches!(names, Step::Restart), "{names:?}");
    let called = capturing(Execution::Call, resolved()).captured(shows(Refinement::Calls));
    assert!(matches!(called, Step::Restart), "{called:?}");
    let calls = capturing(Execution::Replay, resolved()).captured(shows(Refinement::Calls));
    let again = state!(state!(calls, WatchCalls).watched(true), Capture);
    assert_eq!(sequences(&again), [7]);
    assert_eq!(
        conclusion(again.captured(captured())),
        Conclusion::Captured { difference: None }
    );
}

#[test]
fn what_was_not_sure_is_captured_once_more() {
    let stacks = state!(
        resolving(Execution::Replay).resolved(resolved()),
        ReadStacks
    );
    let unsure = state!(
        state!(stacks.read(true), WatchCalls).watched(false),
        Capture
    );
    let sure = state!(unsure.captured(captured()), Capture);
    assert!(sure.is_sure());
    conclusion(sure.captured(captured()));
}

#[test]
fn events_are_looked_at_before_an_answer_as_often_as_two_times_the_queries() {
    let state = capturing(
        Execution::Replay,
        Resolved {
            unexamined: unexamined(&[1, 2]),
            ..resolved()
        },
    );
    // The stack of the point that `D` names was not read.
    assert_eq!(state.examined(), unexamined(&[1]));
    let missing = |queries: &[usize]| {
        let mut missing = captured();
        missing.at_point.as_mut().unwrap().unexamined = unexamined(queries);
        missing
    };
    let with_stack = state!(
        state.captured(Captured {
            stacks: BTreeSet::from([(2, 0)]),
            ..missing(&[2])
        }),
        Capture
    );
    assert_eq!(with_stack.examined(), unexamined(&[2]));
    let mut state = with_stack;
    let mut captures = 1;
    let end = loop {
        match state.captured(missing(&[2])) {
            Step::Capture(next) => {
                state = next;
                captures += 1;
            }
            step => break conclusion(step),
        }
    };
    assert_eq!(end, Conclusion::Captured { difference: None });
    assert_eq!(captures, 2 * QUERIES.len());
}

#[test]
fn events_that_wait_for_a_stack_that_is_never_read_hold_up_no_answer() {
    let mut waiting = captured();
    waiting.at_point.as_mut().unwrap().unexamined = unexamined(&[2]);
    let next = capturing(Execution::Replay, resolved()).captured(waiting);
    conclusion(next);
}

#[test]
fn a_capture_that_missed_the_point_leaves_what_was_to_be_looked_at() {
    let state = capturing(
        Execution::Replay,
        Resolved {
            unexamined: unexamined(&[1]),
            ..resolved()
        },
    );
    let next = state.captured(Captured {
        refinement: Refinement::Calls,
        at_point: None,
        ..captured()
    });
    let again = state!(state!(next, WatchCalls).watched(true), Capture);
    assert_eq!(again.examined(), unexamined(&[1]));
}

#[test]
fn what_is_asked_beside_a_condition_in_callers_is_read_when_its_event_is_known() {
    let queries = [
        "A = lastChange(R:cart.total)",
        "B = lastChange(R:cart.count)",
        "C = lastCondition(A)",
    ];
    let queries = queries.map(|query| Query::parse(query).unwrap());
    let graph = DependencyGraph::new(queries.to_vec()).unwrap();
    let plan = CollectionPlan::new(&graph, &[]).unwrap();
    let changed = |sequence: u64| {
        Finding::Changed(LastChange {
            sequence: Sequence::new(sequence),
            owner: OwnerId(sequence),
            still_holds: true,
        })
    };
    let condition = Sequence::of_counted(2, 5).number();
    let begun = |of_condition: Finding| {
        let state = FindEvents::begin(&plan, Execution::Replay);
        let state = state!(state.found(found(Refinement::Nothing, &[])), Resolve);
        let by_query = [(0, changed(7)), (1, changed(3)), (2, of_condition)];
        let step = state.resolved(Resolved {
            findings: Findings {
                by_query: by_query.into(),
                ..findings(7)
            },
            ..resolved()
        });
        state!(state!(step, ReadStacks).read(false), Capture)
    };
    assert_eq!(sequences(&begun(Finding::NeedsFrame)), [7]);
    // An execution more is not risked for one stop.
    assert_eq!(sequences(&begun(Finding::NoCondition)), [3, 7]);
    assert_eq!(sequences(&begun(changed(condition))), [3, 7, condition]);

    let shown = |by_query: &[(usize, Finding)], met: &[u64]| Captured {
        at_point: Some(CapturedAtPoint {
            findings: Findings {
                by_query: by_query.iter().cloned().collect(),
                ..findings(7)
            },
            unexamined: BTreeMap::new(),
        }),
        met: met.iter().copied().map(Sequence::new).collect(),
        ..captured()
    };
    let all = [(0, changed(7)), (1, changed(3)), (2, changed(condition))];
    let next = begun(Finding::NeedsFrame).captured(shown(&all, &[7]));
    let next = state!(next, Capture);
    assert_eq!(sequences(&next), [3, 7, condition]);
    let answer = conclusion(next.captured(shown(&all, &[3, 7, condition])));
    assert_eq!(answer, Conclusion::Captured { difference: None });

    // There is none in the callers either.
    let none = [(0, changed(7)), (1, changed(3)), (2, Finding::NoCondition)];
    let next = begun(Finding::NeedsFrame).captured(shown(&none, &[7]));
    let next = state!(next, Capture);
    assert_eq!(sequences(&next), [3, 7]);
    let answer = conclusion(next.captured(shown(&none, &[3, 7])));
    assert_eq!(answer, Conclusion::Captured { difference: None });
}
