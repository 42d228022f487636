//! Whose events are kept for a question: those of its page's sessions, and of no others.

use cdp_driver::protocol::SessionId;
use cdp_driver::protocol::generated as cdp;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

fn of(value: &Value) -> SessionId {
    SessionId(value.as_str().unwrap().to_owned())
}

/// The sessions of such targets.
fn sessions(entries: &[Value], kind: &str) -> Vec<SessionId> {
    let attached = entries.iter().filter(|entry| {
        entry[2] == cdp::target::AttachedToTarget::METHOD && entry[3]["targetInfo"]["type"] == kind
    });
    attached.map(|entry| of(&entry[3]["sessionId"])).collect()
}

#[test]
fn what_others_do_over_the_same_connection_is_kept_for_nobody() {
    let other = SessionId("OTHER".to_owned());
    for (name, text) in ALL {
        let mut transcript = Transcript::parse(text);
        let mut tab = None;
        transcript.edit(|entries| {
            let mut all = entries.iter();
            let opened = all.find(|entry| entry[3] == cdp::page::Navigate::METHOD);
            tab = opened.map(|entry| of(&entry[2]));
            // Another page does the same at the same time.
            let said = std::mem::take(entries);
            for entry in said {
                let is_of_session = entry[0] == "event" && !entry[1].is_null();
                let mut copy = entry.clone();
                copy[1] = json!(other);
                entries.push(entry);
                entries.extend(is_of_session.then_some(copy));
            }
        });
        let player = Arc::new(Player::new(transcript.clone(), None));
        let answer = asked_of(&player, &transcript, &mut Vec::new());
        let known = &transcript.answer;
        let answer = answer.unwrap().unwrap();
        assert_eq!(told(answer, known), json!(known), "{name}");
        assert_eq!(player.heard_of(&other), 0, "{name}");
        assert!(player.heard_of(&tab.unwrap()) > 10, "{name}");
    }
}

#[test]
fn a_worker_is_heard_from_its_first_event_on_in_each_execution() {
    let mut transcript = Transcript::parse(WORKER);
    let mut workers = Vec::new();
    transcript.edit(|entries| workers = sessions(entries, "worker"));
    assert!(!workers.is_empty());
    let player = Arc::new(Player::new(transcript.clone(), None));
    let answer = asked_of(&player, &transcript, &mut Vec::new());
    assert_eq!(lines(&answer.unwrap().unwrap()), [Some(7), Some(6)]);
    for worker in workers {
        assert!(player.heard_of(&worker) > 0);
    }
}
