//! A user's doing, recorded and replayed. The pages keep a diary of every event; the one of the recorded run and the
//! one of the replay must be the same.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test program uses its own part of this, and a panic is how a test fails"
)]

use std::fs;

use end_to_end::step_kinds::check_proof;
use serde_json::Value;

use super::loopback::*;
use super::user::User;

/// A page that says every event that it gets, with what it is about. A page that is replayed has the focus all the
/// time, also when a dialog or another tab would take it: pages that show such say nothing about that (`KEEPS_FOCUS`).
pub fn diary(body: &str) -> Reply {
    page(&format!(
        "<style>body {{ margin: 0; font: 16px monospace }} body > * {{ position: absolute; margin: 0; box-sizing: \
         border-box }}</style>\n\
         {body}\n<button id=end style='left: 600px; top: 400px; width: 100px; height: 40px'>That is all</button>\n\
         <script>\n\
         const about = {{\n\
         click: ['button', 'detail'], dblclick: [], auxclick: ['button'], contextmenu: ['button'],\n\
         keydown: ['key', 'ctrlKey', 'shiftKey', 'altKey', 'metaKey'], keyup: ['key'], input: [], change: [],\n\
         pointerdown: ['button', 'pointerType'], pointerup: ['button'], focusin: [], focusout: [], submit: [], \
         dragstart: [], drop: [], dragend: [],\n\
         }};\n\
         let isOver = false;\n\
         for (const [type, members] of Object.entries(about)) {{\n\
         addEventListener(type, (event) => {{\n\
         if (isOver || !event.isTrusted || window.keepsFocus && type.startsWith('focus')) return;\n\
         const target = event.composedPath()[0];\n\
         say(type, target.id ?? '', target.value ?? '', ...members.map((name) => event[name]));\n\
         }}, true);\n\
         }}\n\
         end.onclick = () => {{ isOver = true; done(); }};\n\
         </script>"
    ))
}

pub const KEEPS_FOCUS: &str = "<script>keepsFocus = true;</script>";

/// Records what `act` does on `/` of a site with these pages, then replays it: the steps of the recording, which are
/// what the table of step kinds says that `test` proves.
pub async fn recorded(
    test: &str,
    pages: &[(&str, Reply)],
    act: impl AsyncFnOnce(&User),
) -> Vec<Value> {
    recorded_at(test, &Site::new(pages), act).await
}

/// The same on a site that is there already.
pub async fn recorded_at(test: &str, site: &Site, act: impl AsyncFnOnce(&User)) -> Vec<Value> {
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    // What the page says is to reach the server again.
    let user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
    act(&user).await;
    let ran = user.finishes("That is all").await;
    let done = site.said();
    assert_eq!(done.len(), 1, "{ran:#?}");

    let path = out.to_str().unwrap();
    let replayed = querypoint(&["replay", "--timeout", "60", path]);
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(replayed.status, Some(0), "{replayed:#?}\n{text}");
    let again = site.said();
    let lines = |said: &[String]| said[0].lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&done), lines(&again), "{text}");
    let recording: Value = serde_json::from_str(&text).unwrap();
    let all = recording["steps"].as_array().unwrap().clone();
    proves(test, &all);
    all
}

/// The steps but for the first two, which every recording has, and the last, each with what is looked at.
pub fn steps(all: &[Value], members: &[&str]) -> Vec<Value> {
    assert_eq!(all[0]["type"], "setViewport", "{all:#?}");
    assert_eq!(all[1]["type"], "navigate", "{all:#?}");
    let steps = all[2..all.len() - 1].iter();
    let looked_at = |step: &Value| {
        let values = members.iter().map(|member| {
            let value = step.pointer(member).unwrap_or(&Value::Null);
            (!value.is_null()).then(|| value.clone())
        });
        values.flatten().collect()
    };
    steps.map(looked_at).collect()
}

/// These are the steps that the table of step kinds says that `test` proves.
pub fn proves(test: &str, steps: &[Value]) {
    check_proof(test, steps).unwrap();
}
