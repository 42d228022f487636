//! Something is lost in each state of a question, or the browser says nothing any more.

use cdp_driver::protocol::generated as cdp;
use querypoint::answer::Status;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

/// Loses something in each state of this question: none is one in which it goes on for ever, and each says what was
/// lost.
fn losing(text: &str, loss: Loss) {
    let transcript = Transcript::parse(text);
    let is_it = |error: &ProtocolError| match loss {
        Loss::Connection => {
            matches!(error, ProtocolError::ConnectionLost { reason } if reason.contains("lost here"))
        }
        Loss::Tab => matches!(error, ProtocolError::SessionClosed { .. }),
        Loss::Process => matches!(error, ProtocolError::TargetCrashed { .. }),
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

/// A tab that is closed is what each question ends with; of those that the course of most is made of, so are a tab that
/// crashes and a connection that is lost.
macro_rules! losing {
    ($($name:ident: $text:ident, $($test:ident: $loss:ident),*;)*) => {
        $(
            mod $name {
                #[cfg(target_arch = "wasm32")]
                use wasm_bindgen_test::wasm_bindgen_test as test;

                use super::{Loss, losing};

                $(
                    #[test]
                    fn $test() {
                        losing(super::super::$text, Loss::$loss);
                    }
                )*
            }
        )*
    };
}

losing! {
    call_stack: CALL_STACK, the_connection_is_lost: Connection, the_tab_is_closed: Tab, the_tab_crashes: Process;
    last_change: LAST_CHANGE, the_connection_is_lost: Connection, the_tab_is_closed: Tab, the_tab_crashes: Process;
    last_condition: LAST_CONDITION, the_connection_is_lost: Connection, the_tab_is_closed: Tab, the_tab_crashes: Process;
    read_ahead: READ_AHEAD, the_connection_is_lost: Connection, the_tab_is_closed: Tab, the_tab_crashes: Process;
    varies: VARIES, the_connection_is_lost: Connection, the_tab_is_closed: Tab, the_tab_crashes: Process;
    diverged: DIVERGED, the_tab_is_closed: Tab;
    frames: FRAMES, the_tab_is_closed: Tab;
    live: LIVE, the_tab_is_closed: Tab;
    looks: LOOKS, the_tab_is_closed: Tab;
    lost_input: LOST_INPUT, the_tab_is_closed: Tab;
    names: NAMES, the_tab_is_closed: Tab;
    not_reached: NOT_REACHED, the_tab_is_closed: Tab;
    omitted: OMITTED, the_connection_is_lost: Connection, the_tab_is_closed: Tab, the_tab_crashes: Process;
    origin: ORIGIN, the_connection_is_lost: Connection;
    parts: PARTS, the_tab_is_closed: Tab;
    why_not: WHY_NOT, the_tab_is_closed: Tab;
    worker: WORKER, the_tab_is_closed: Tab;
}

/// An origin is followed hop by hop where there is no log: in more executions, as long as they are not used up.
fn losing_the_log(loss: Loss) {
    let transcript = Transcript::parse(ORIGIN);
    let mut logs = 0..0;
    let mut of_log = transcript.clone();
    of_log.edit(|entries| {
        let commands: Vec<&Value> = entries.iter().filter(|it| it[0] == "command").collect();
        let places = |method: &str| {
            let all = commands.iter().enumerate();
            let of_method = all.filter(|(_, entry)| entry[3] == method);
            of_method.map(|(place, _)| place).collect::<Vec<_>>()
        };
        let attached = places(cdp::target::AttachToTarget::METHOD);
        let disposed = places(cdp::target::DisposeBrowserContext::METHOD);
        logs = attached.last().unwrap() + 1..*disposed.last().unwrap();
    });
    assert!(logs.len() > 20, "{logs:?}");
    let states = transcript.states();
    let states = states
        .into_iter()
        .filter(|state| logs.contains(&(state - 1)));
    let mut lost = 0;
    for command in states {
        let mut request = request(&transcript);
        request.limits.max_executions = transcript.answer.executions;
        let player = Arc::new(Player::new(transcript.clone(), Some((command, loss))));
        let answer = asked_so(&player, &request, &mut Vec::new())
            .unwrap()
            .unwrap();
        assert_eq!(answer.executions, 3, "{command}");
        // What the events say is there: the value, and the hops that they have.
        assert_eq!(answer.points[1].status, Status::Found, "{command}");
        let notes = &answer.consistency.notes;
        let note = "no event log was of use for the origin: ";
        lost += usize::from(notes.iter().any(|it| it.starts_with(note)));
    }
    assert!(lost > 5, "{lost}");
}

#[test]
fn a_tab_that_is_closed_takes_the_log_of_an_origin_along() {
    losing_the_log(Loss::Tab);
}

#[test]
fn a_tab_that_crashes_takes_the_log_of_an_origin_along() {
    losing_the_log(Loss::Process);
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
