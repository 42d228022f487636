//! Whole questions against transcripts of a real browser: their answers, and which executions lead there.

mod late;
mod losses;
mod routing;

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
use crate::collection::Instrument;
use crate::fake::FakeClock;
use crate::fake::transcript::{Loss, Player, Transcript, play};

/// The transcripts, each a constant of its own, and all of them.
macro_rules! transcripts {
    ($($name:ident: $file:literal;)*) => {
        $(const $name: &str = include_str!(concat!("../../tests/transcripts/", $file, ".json"));)*
        const ALL: &[(&str, &str)] = &[$(($file, $name)),*];
    };
}

transcripts! {
    CALL_STACK: "call_stack";
    DIVERGED: "diverged";
    FRAMES: "frames";
    LAST_CHANGE: "last_change";
    LAST_CONDITION: "last_condition";
    LIVE: "live";
    LOOKS: "looks";
    LOST_INPUT: "lost_input";
    NAMES: "names";
    NOT_REACHED: "not_reached";
    OMITTED: "omitted";
    ORIGIN: "origin";
    PARTS: "parts";
    READ_AHEAD: "read_ahead";
    VARIES: "varies";
    WHY_NOT: "why_not";
    WORKER: "worker";
}

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
        instrument: if transcript.is_live {
            Instrument::Live
        } else {
            Instrument::Query
        },
        recording: transcript.recording(),
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
    asked_of(&player, transcript, purposes)
}

/// The same, of a browser that is looked at afterwards.
fn asked_of(
    player: &Arc<Player>,
    transcript: &Transcript,
    purposes: &mut Vec<&'static str>,
) -> Option<Result<Answer, AskError>> {
    asked_so(player, &request(transcript), purposes)
}

/// The same, of this question.
fn asked_so(
    player: &Arc<Player>,
    request: &AskRequest,
    purposes: &mut Vec<&'static str>,
) -> Option<Result<Answer, AskError>> {
    let clock = Arc::new(FakeClock::default());
    let mut progress = |progress: Progress| {
        if let Progress::Execution { purpose, .. } = progress {
            purposes.push(purpose);
        }
    };
    let asking = ask(player.clone(), clock.clone(), request, &mut progress);
    play(player, &clock, asking)
}

/// An answer, without what differs each time.
fn told(mut answer: Answer, like: &Answer) -> Value {
    answer.timing_ms = like.timing_ms.clone();
    json!(answer)
}

/// The places of the entries that are events `method`.
fn events(entries: &[Value], method: &str) -> Vec<usize> {
    let entries = entries.iter().enumerate();
    let events = entries.filter(|(_, entry)| entry[0] == "event" && entry[2] == method);
    events.map(|(index, _)| index).collect()
}

fn lines(answer: &Answer) -> Vec<Option<u32>> {
    let locations = answer.points.iter().map(|point| point.location.as_ref());
    locations
        .map(|it| it.map(|location| location.line))
        .collect()
}

#[test]
fn a_transcript_gives_the_answer_that_the_browser_gave() {
    for (name, text) in ALL {
        let transcript = Transcript::parse(text);
        let answer = asked(&transcript, None, &mut Vec::new()).unwrap().unwrap();
        let known = &transcript.answer;
        assert_eq!(told(answer, known), json!(known), "{name}");
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

/// What is executed for a question, and the lines of its points.
fn course(text: &str) -> (Vec<&'static str>, Vec<Option<u32>>) {
    let mut purposes = Vec::new();
    let answer = asked(&Transcript::parse(text), None, &mut purposes);
    (purposes, lines(&answer.unwrap().unwrap()))
}

const FIND: &str = "finding the events";
const READ: &str = "reading the state at each event";

#[test]
fn what_lacks_some_of_the_users_input_is_found_once_more_without_a_pause() {
    let (purposes, lines) = course(LOST_INPUT);
    let again = "finding the events, since a click or a key was lost while the page was paused";
    assert_eq!(purposes, [FIND, again, READ]);
    assert_eq!(lines, [Some(5), Some(4)]);
}

#[test]
fn a_point_that_is_reached_once_and_never_again_is_an_answer_without_values() {
    let transcript = Transcript::parse(DIVERGED);
    let mut purposes = Vec::new();
    let answer = asked(&transcript, None, &mut purposes).unwrap().unwrap();
    let in_page = "capturing inside the page, because executions differ";
    assert_eq!(purposes.first(), Some(&FIND));
    assert_eq!(purposes.last(), Some(&in_page));
    assert!(!answer.consistency.agrees);
    assert_eq!(answer.points[1].status, Status::Diverged);
}

#[test]
fn a_point_that_is_not_reached_takes_one_execution() {
    let transcript = Transcript::parse(NOT_REACHED);
    let mut purposes = Vec::new();
    let answer = asked(&transcript, None, &mut purposes).unwrap().unwrap();
    assert_eq!(purposes, [FIND]);
    assert_eq!(answer.points[0].status, Status::NotReached);
}

#[test]
fn a_name_that_an_execution_tells_has_the_events_found_anew() {
    let (purposes, lines) = course(NAMES);
    assert_eq!(purposes, [FIND, FIND, READ]);
    assert_eq!(lines, [Some(8), Some(4)]);
}

#[test]
fn an_object_that_the_browser_hands_out_is_followed_in_one_execution_more() {
    let (purposes, lines) = course(PARTS);
    let with_parts = "finding the events, the browser's own objects included";
    assert_eq!(purposes, [FIND, with_parts, READ]);
    assert_eq!(lines, [Some(4), Some(3)]);
}

#[test]
fn what_is_asked_of_a_callers_frame_is_read_where_it_was_found() {
    let (purposes, lines) = course(FRAMES);
    assert_eq!(purposes, [FIND, READ, READ]);
    assert_eq!(lines, [Some(3), Some(11)]);
}

#[test]
fn events_are_looked_at_once_a_call_stack_is_known() {
    let (purposes, lines) = course(LOOKS);
    assert_eq!(purposes, [FIND, READ, READ, READ]);
    assert_eq!(lines, [Some(4), Some(7)]);
}

#[test]
fn a_condition_of_a_caller_is_watched_in_one_execution_and_read_in_the_next() {
    let (purposes, lines) = course(LAST_CONDITION);
    assert_eq!(purposes, [FIND, READ, READ]);
    assert_eq!(lines, [Some(3), Some(6)]);
}

#[test]
fn who_wrote_last_is_read_in_one_execution() {
    let (purposes, lines) = course(LIVE);
    assert_eq!(purposes, ["reading who wrote last"]);
    assert_eq!(lines, [Some(12), Some(5)]);
}
