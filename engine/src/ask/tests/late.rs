//! Events that come later than they did, of the same tab or of another one.

use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

#[test]
fn what_agents_say_may_come_after_the_answers_that_were_behind_it() {
    let mut changed = 0;
    for (name, text) in ALL {
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
        changed += usize::from(moved > 0);
        let answer = asked(&transcript, None, &mut Vec::new()).unwrap().unwrap();
        let known = &transcript.answer;
        assert_eq!(told(answer, known), json!(known), "{name}");
    }
    assert!(changed > 10, "{changed}");
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
