//! Whole questions against transcripts of a real browser: their answers, where executions differ, where something
//! is lost at whichever command, and where an event comes late.

use std::sync::Arc;
use std::time::Duration;

use querypoint::answer::{Answer, Status};
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;
use crate::fake::FakeClock;
use crate::fake::transcript::{Loss, Player, Transcript, play};

const LAST_CHANGE: &str = include_str!("../../tests/transcripts/last_change.json");
const VARIES: &str = include_str!("../../tests/transcripts/varies.json");
const LAST_CONDITION: &str = include_str!("../../tests/transcripts/last_condition.json");
const CALL_STACK: &str = include_str!("../../tests/transcripts/call_stack.json");

const READ_AHEAD: &str = include_str!("../../tests/transcripts/read_ahead.json");

const ALL: [&str; 5] = [LAST_CHANGE, VARIES, LAST_CONDITION, CALL_STACK, READ_AHEAD];

fn request(transcript: &Transcript) -> AskRequest {
    let queries = transcript.queries.iter();
    let queries = queries.map(|text| Query::parse(text).unwrap());
    AskRequest {
        reproduce: if transcript.by_call {
            Reproduce::CallStack
        } else {
            Reproduce::Replay
        },
        read_ahead: transcript.reads_ahead,
        ..AskRequest::new(
            transcript.page.clone(),
            ReproductionPoint::parse(&transcript.at).unwrap(),
            DependencyGraph::new(queries.collect()).unwrap(),
            Duration::from_secs(30),
        )
    }
}

/// Asks; what is done meanwhile goes into `purposes`. `None`: it never ends.
fn asked(
    transcript: &Transcript,
    loss: Option<(usize, Loss)>,
    purposes: &mut Vec<&'static str>,
) -> Option<Result<Answer, AskError>> {
    let player = Arc::new(Player::new(transcript.clone(), loss));
    let clock = Arc::new(FakeClock::default());
    let request = request(transcript);
    let mut progress = |progress: Progress| {
        if let Progress::Execution { purpose, .. } = progress {
            purposes.push(purpose);
        }
    };
    let asking = ask(player.clone(), clock.clone(), &request, &mut progress);
    play(&player, &clock, asking)
}

/// An answer, without what differs each time.
fn told(mut answer: Answer, like: &Answer) -> Value {
    answer.timing_ms = like.timing_ms.clone();
    json!(answer)
}

fn lines(answer: &Answer) -> Vec<Option<u32>> {
    let locations = answer.points.iter().map(|point| point.location.as_ref());
    locations
        .map(|it| it.map(|location| location.line))
        .collect()
}

#[test]
fn a_transcript_gives_the_answer_that_the_browser_gave() {
    for text in ALL {
        let transcript = Transcript::parse(text);
        let answer = asked(&transcript, None, &mut Vec::new()).unwrap().unwrap();
        let known = &transcript.answer;
        assert_eq!(told(answer, known), json!(known));
    }
}

#[test]
fn a_question_is_two_executions_where_they_agree() {
    let transcript = Transcript::parse(LAST_CHANGE);
    let mut purposes = Vec::new();
    let answer = asked(&transcript, None, &mut purposes).unwrap().unwrap();
    assert_eq!(
        purposes,
        ["finding the events", "reading the state at each event"]
    );
    assert!(answer.consistency.agrees);
    assert_eq!(lines(&answer), [Some(12), Some(5), Some(8)]);
}

#[test]
fn a_question_is_one_execution_where_that_reads_what_it_finds() {
    let transcript = Transcript::parse(READ_AHEAD);
    let mut purposes = Vec::new();
    let answer = asked(&transcript, None, &mut purposes).unwrap().unwrap();
    assert_eq!(purposes, ["finding the events"]);
    assert_eq!(answer.executions, 1);
    assert_eq!(lines(&answer), [Some(12), Some(5)]);
}

#[test]
fn executions_that_disagree_are_one_more_that_is_compared_and_one_in_which_the_page_captures() {
    let transcript = Transcript::parse(VARIES);
    let mut purposes = Vec::new();
    let answer = asked(&transcript, None, &mut purposes).unwrap().unwrap();
    assert_eq!(
        purposes,
        [
            "finding the events",
            "reading the state at each event",
            "reading the state at each event",
            "capturing inside the page, because executions differ"
        ]
    );
    assert!(!answer.consistency.agrees);
    assert_eq!(lines(&answer), [Some(7), Some(5)]);
}

#[test]
fn a_function_is_called_again_instead_of_the_page_being_loaded() {
    let transcript = Transcript::parse(CALL_STACK);
    let mut purposes = Vec::new();
    let answer = asked(&transcript, None, &mut purposes).unwrap().unwrap();
    assert_eq!(lines(&answer), [Some(4), Some(3)]);
    assert!(purposes.len() > 1, "{purposes:?}");
    let entries = json!(purposes);
    assert!(
        !entries.to_string().contains("executions differ"),
        "{entries}"
    );
}

/// Loses something in each state of this question: none is one in which it goes on for ever, and each says what was
/// lost.
fn losing(text: &str, loss: Loss) {
    let transcript = Transcript::parse(text);
    let is_it = |error: &ProtocolError| match loss {
        Loss::Connection => {
            matches!(error, ProtocolError::ConnectionLost { reason } if reason.contains("lost here"))
        }
        Loss::Tab => matches!(error, ProtocolError::SessionClosed { .. }),
    };
    let states = transcript.states();
    let mut lost = 0;
    for &command in &states {
        let result = asked(&transcript, Some((command, loss)), &mut Vec::new());
        let result = result.unwrap_or_else(|| panic!("{loss:?} at {command}: it hangs"));
        match result {
            Err(AskError::Engine(EngineError::Protocol(error))) if is_it(&error) => lost += 1,
            // Nothing is there to be lost yet, or it is not needed any more.
            Ok(answer) => assert_eq!(
                told(answer, &transcript.answer),
                json!(transcript.answer),
                "{loss:?} at {command}"
            ),
            Err(error) => panic!("{loss:?} at {command}: {error:?}"),
        }
    }
    // Between two executions there is no tab, and after the last nothing is needed of it.
    assert!(
        lost * 4 > states.len() * 3,
        "{loss:?}: {lost} of {}",
        states.len()
    );
}

/// A connection that is lost, and a tab that is closed, is what a question ends with.
macro_rules! losing {
    ($($name:ident: $text:expr, $loss:ident;)*) => {
        $(
            #[test]
            fn $name() {
                losing($text, Loss::$loss);
            }
        )*
    };
}

losing! {
    a_connection_is_lost_while_executions_agree: LAST_CHANGE, Connection;
    a_connection_is_lost_while_executions_disagree: VARIES, Connection;
    a_connection_is_lost_while_calls_are_watched: LAST_CONDITION, Connection;
    a_connection_is_lost_while_a_function_is_called_again: CALL_STACK, Connection;
    a_connection_is_lost_while_the_state_is_read_ahead: READ_AHEAD, Connection;
    a_tab_is_closed_while_the_state_is_read_ahead: READ_AHEAD, Tab;
    a_tab_is_closed_while_executions_agree: LAST_CHANGE, Tab;
    a_tab_is_closed_while_executions_disagree: VARIES, Tab;
    a_tab_is_closed_while_calls_are_watched: LAST_CONDITION, Tab;
    a_tab_is_closed_while_a_function_is_called_again: CALL_STACK, Tab;
}

/// The places of the entries that are events `method`.
fn events(entries: &[Value], method: &str) -> Vec<usize> {
    let entries = entries.iter().enumerate();
    let events = entries.filter(|(_, entry)| entry[0] == "event" && entry[2] == method);
    events.map(|(index, _)| index).collect()
}

#[test]
fn what_agents_say_may_come_after_the_answers_that_were_behind_it() {
    for text in [LAST_CHANGE, LAST_CONDITION, VARIES] {
        let mut transcript = Transcript::parse(text);
        let mut moved = 0;
        transcript.edit(|entries| {
            for from in events(entries, "Runtime.bindingCalled").into_iter().rev() {
                let mut behind = entries[from + 1..]
                    .iter()
                    .take_while(|entry| entry[2] != "Debugger.paused");
                let Some(behind) = behind.position(|entry| entry[0] == "answer") else {
                    continue;
                };
                entries[from..=from + 1 + behind].rotate_left(1);
                moved += 1;
            }
        });
        assert!(moved > 0);
        let answer = asked(&transcript, None, &mut Vec::new()).unwrap().unwrap();
        let known = &transcript.answer;
        assert_eq!(told(answer, known), json!(known));
    }
}

#[test]
fn what_a_tab_of_an_earlier_execution_says_late_is_not_taken_for_the_next() {
    let mut transcript = Transcript::parse(LAST_CHANGE);
    transcript.edit(|entries| {
        let attached: Vec<usize> = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry[0] == "answer" && !entry[2]["sessionId"].is_null())
            .map(|(index, _)| index)
            .collect();
        // A tab, and the browser's session, in each execution.
        let [first, _, second, _] = attached[..] else {
            panic!("{attached:?}");
        };
        let session = entries[first][2]["sessionId"].clone();
        let said: Vec<Value> = entries[..second]
            .iter()
            .filter(|entry| entry[0] == "event" && entry[1] == session)
            .cloned()
            .collect();
        assert!(said.len() > 10);
        // Before whatever the second execution says of itself.
        entries.splice(second + 1..second + 1, said);
    });
    let answer = asked(&transcript, None, &mut Vec::new()).unwrap().unwrap();
    let known = &transcript.answer;
    assert_eq!(told(answer, known), json!(known));
}

#[test]
fn a_browser_that_falls_silent_leaves_what_was_found_before() {
    let mut transcript = Transcript::parse(LAST_CHANGE);
    let mut pauses = Vec::new();
    transcript.edit(|entries| pauses = events(entries, "Debugger.paused"));
    transcript.fall_silent(pauses[0]);
    let mut purposes = Vec::new();
    let answer = asked(&transcript, None, &mut purposes).unwrap().unwrap();
    assert_eq!(
        purposes,
        ["finding the events", "reading the state at each event"]
    );
    assert!(!answer.consistency.agrees);
    let note = &answer.consistency.notes[0];
    assert!(
        note.contains("what is shown is what was found before"),
        "{note}"
    );
    assert_eq!(answer.points[1].status, Status::Found);
    assert_eq!(lines(&answer)[1..], [Some(5), Some(8)]);
}

#[test]
fn a_browser_that_falls_silent_in_the_first_execution_is_what_the_question_ends_with() {
    let mut transcript = Transcript::parse(LAST_CHANGE);
    let mut navigation = 0;
    transcript.edit(|entries| {
        let mut all = entries.iter();
        navigation = all.position(|entry| entry[3] == "Page.navigate").unwrap();
    });
    transcript.fall_silent(navigation);
    let end = asked(&transcript, None, &mut Vec::new()).unwrap();
    assert!(
        matches!(
            end,
            Err(AskError::Engine(EngineError::Protocol(
                ProtocolError::TimedOut { .. }
            )))
        ),
        "{end:?}"
    );
}
