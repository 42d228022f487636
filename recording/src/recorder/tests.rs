//! What becomes of what a page's recorder tells.

use serde_json::{Value, json};

use super::*;

fn recorder() -> Recorder {
    let viewport = Viewport {
        width: 800,
        height: 600,
        device_scale_factor: 1.0,
        is_mobile: false,
        has_touch: false,
        is_landscape: false,
    };
    Recorder::new("title", viewport, "http://a/")
}

/// The steps but for the first two.
fn steps(recorder: &Recorder) -> Vec<Value> {
    let recording: Value = serde_json::from_str(&recorder.recording().to_json()).unwrap();
    recording["steps"].as_array().unwrap()[2..].to_vec()
}

fn told(recorder: &mut Recorder, observations: &[Value]) {
    for observation in observations {
        let observation = serde_json::from_value(observation.clone()).unwrap();
        recorder.observe("main", observation);
    }
}

fn press(id: &str, at: f64) -> Value {
    json!({
        "kind": "press", "selectors": [[id]], "x": 5, "y": 6, "button": 0, "device": "mouse", "clicks": 1, "duration": 80,
        "at": at, "frame": [],
    })
}

fn value(id: &str, text: &str) -> Value {
    json!({ "kind": "value", "selectors": [[id]], "value": text })
}

#[test]
fn a_click_is_a_step_with_the_time_since_the_one_before() {
    let mut recorder = recorder();
    told(&mut recorder, &[press("#a", 1000.0), press("#b", 1250.4)]);
    let steps = steps(&recorder);
    assert_eq!(
        steps[0],
        json!({
            "type": "click", "target": "main", "selectors": [["#a"]], "offsetX": 5, "offsetY": 6, "duration": 80,
        })
    );
    assert_eq!(steps[1]["querypoint"], json!({ "afterMs": 250 }));
}

#[test]
fn what_is_typed_is_one_change_and_another_field_another() {
    let mut recorder = recorder();
    let typed = [("#a", "x"), ("#a", "xy"), ("#b", "z"), ("#a", "xyz")];
    told(&mut recorder, &typed.map(|(id, text)| value(id, text)));
    let values: Vec<Value> = steps(&recorder)
        .iter()
        .map(|step| json!([step["selectors"][0][0], step["value"]]))
        .collect();
    assert_eq!(
        values,
        [
            json!(["#a", "xy"]),
            json!(["#b", "z"]),
            json!(["#a", "xyz"])
        ]
    );
}

#[test]
fn a_double_click_takes_the_place_of_its_clicks_and_of_no_other() {
    let mut recorder = recorder();
    let double = json!({ "kind": "double", "selectors": [["#a"]], "x": 5, "y": 6 });
    let clicks = [press("#z", 0.0), press("#a", 1.0), press("#a", 2.0), double];
    told(&mut recorder, &clicks);
    let kinds: Vec<Value> = steps(&recorder)
        .iter()
        .map(|step| json!([step["type"], step["selectors"][0][0]]))
        .collect();
    assert_eq!(
        kinds,
        [json!(["click", "#z"]), json!(["doubleClick", "#a"])]
    );
}

#[test]
fn a_navigation_belongs_to_what_led_to_it_or_is_a_step() {
    let mut recorder = recorder();
    recorder.navigated("http://a/", false);
    // Too late: the page is elsewhere.
    recorder.titled("http://a/b", "B");
    recorder.titled("http://a/#top", "A");
    told(&mut recorder, &[press("#a", 0.0)]);
    recorder.navigated("http://a/redirects", false);
    recorder.navigated("http://a/b", false);
    recorder.titled("http://a/b", "B");
    recorder.navigated("http://c/", true);
    let all: Value = serde_json::from_str(&recorder.recording().to_json()).unwrap();
    let event =
        |url: &str, title: &str| json!([{ "type": "navigation", "url": url, "title": title }]);
    assert_eq!(all["steps"][1]["assertedEvents"], event("http://a/", "A"));
    assert_eq!(all["steps"][2]["assertedEvents"], event("http://a/b", "B"));
    assert_eq!(all["steps"][3]["type"], "navigate");
    assert_eq!(all["steps"][3]["url"], "http://c/");
}

#[test]
fn a_size_that_the_page_has_is_no_step() {
    let mut recorder = recorder();
    let size =
        |width: u32| json!({ "kind": "viewport", "width": width, "height": 600, "scale": 1 });
    told(&mut recorder, &[size(800)]);
    assert!(steps(&recorder).is_empty());
    told(
        &mut recorder,
        &[press("#a", 0.0), size(700), size(640), size(640)],
    );
    let steps = steps(&recorder);
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[1]["width"], 640);
}

#[test]
fn a_secret_is_named_and_filled_in_when_it_is_given() {
    let mut recorder = recorder();
    let secret = json!({ "kind": "value", "selectors": [["#a"]], "secret": "user[new password]", "value": "hunter2" });
    told(&mut recorder, &[secret]);
    let steps = steps(&recorder);
    assert_eq!(steps[0]["value"], "");
    assert_eq!(
        steps[0]["querypoint"]["secret"],
        "QUERYPOINT_USER_NEW_PASSWORD"
    );
    let mut recording = Recording::parse(&recorder.recording().to_json()).unwrap();
    let missing = recording.fill_secrets(|_| None).unwrap_err();
    assert_eq!(
        (missing.step, &*missing.variable),
        (3, "QUERYPOINT_USER_NEW_PASSWORD")
    );
    recording
        .fill_secrets(|variable| Some(format!("{variable}!")))
        .unwrap();
    let StepKind::Change { value, .. } = &recording.steps[2].kind else {
        unreachable!("it is a change");
    };
    assert_eq!(value, "QUERYPOINT_USER_NEW_PASSWORD!");
    assert_eq!(recording.steps[2].describe(), "change #a to a secret");
}

/// The page's recorder is ours, but it runs in the page's process.
#[test]
fn what_makes_no_sense_is_left_out() {
    let mut recorder = recorder();
    let long = "x".repeat(3000);
    for nonsense in [
        json!({ "kind": "press", "selectors": [], "x": 5, "y": 6, "button": 0, "device": "mouse", "clicks": 1, "duration": 80 }),
        json!({ "kind": "press", "selectors": [[]], "x": 5, "y": 6, "button": 0, "device": "mouse", "clicks": 1, "duration": 80 }),
        json!({ "kind": "press", "selectors": [["#a"]], "x": 5, "y": 1e300, "button": 0, "device": "mouse", "clicks": 1, "duration": 80 }),
        json!({ "kind": "press", "selectors": [["#a"]], "x": 5, "y": 5, "button": 9, "device": "mouse", "clicks": 1, "duration": 80 }),
        json!({ "kind": "press", "selectors": [[long]], "x": 5, "y": 5, "button": 0, "device": "mouse", "clicks": 1, "duration": 80 }),
        json!({ "kind": "value", "selectors": [["#a"]], "value": "x".repeat(MOST_BYTES + 1) }),
        json!({ "kind": "value", "selectors": [["#a"]] }),
        json!({ "kind": "key", "down": true, "key": "" }),
        json!({ "kind": "viewport", "width": -1, "height": 5, "scale": 1 }),
        json!({ "kind": "viewport", "width": 5, "height": 5, "scale": 0 }),
    ] {
        told(&mut recorder, &[nonsense]);
    }
    assert_eq!(steps(&recorder), [] as [Value; 0]);
    for _ in 0..Recorder::MOST_STEPS + 10 {
        told(&mut recorder, &[press("#a", 0.0)]);
    }
    assert_eq!(recorder.recording().steps.len(), Recorder::MOST_STEPS);
}

#[test]
fn what_is_in_a_file_comes_after_the_choice_and_is_believed_as_far_as_it_fits() {
    let mut recorder = recorder();
    let file = |name: &str, size: u64| json!({ "name": name, "type": "text/plain", "modified": 5.0, "size": size });
    let contents = |choice: &str, index: u64, base64: &str| json!({ "kind": "contents", "choice": choice, "index": index, "base64": base64 });
    let files = json!({
        "kind": "files", "selectors": [["#a"]], "choice": "1", "files": [file("a", 3), file("b", 3), file("c", 9)],
    });
    told(
        &mut recorder,
        &[
            files,
            press("#b", 10.0),
            contents("1", 0, "YWJj"),
            contents("1", 1, "YWI="),
            contents("1", 2, "%"),
            contents("1", 3, "YWJj"),
            contents("2", 0, "YWJj"),
        ],
    );
    let steps = steps(&recorder);
    assert_eq!(steps.len(), 2, "{steps:#?}");
    let recorded = &steps[0]["parameters"]["files"];
    assert_eq!(recorded[0]["contents"], "YWJj");
    assert_eq!(recorded[1]["contents"], Value::Null);
    assert_eq!(recorded[2]["size"], 9);
    let elsewhere = json!({
        "kind": "files", "selectors": [["#a"]], "choice": "2", "files": [file("/etc/passwd", 3)],
    });
    told(&mut recorder, &[elsewhere]);
    assert_eq!(self::steps(&recorder).len(), 2);
}

#[test]
fn a_dialog_belongs_to_the_step_that_it_came_of() {
    let mut recorder = recorder();
    told(&mut recorder, &[press("#a", 0.0)]);
    for (accept, text) in [(true, Some("x".to_owned())), (false, None)] {
        recorder.answered(Dialog {
            kind: "prompt".to_owned(),
            message: "m".repeat(5000),
            accept,
            text,
        });
    }
    let dialogs = recorder.recording().steps[2].dialogs();
    assert_eq!(dialogs.len(), 2);
    assert_eq!(dialogs[0].text.as_deref(), Some("x"));
    assert_eq!((dialogs[1].accept, &dialogs[1].text), (false, &None));
    assert!(dialogs[0].message.len() < 3000);
}

#[test]
fn going_back_and_closing_are_steps() {
    let mut recorder = recorder();
    recorder.went(-1, "http://a/before");
    recorder.went(0, "http://a/before");
    recorder.closed("http://a/popup");
    let steps = steps(&recorder);
    assert_eq!(steps.len(), 2, "{steps:#?}");
    assert_eq!(steps[0]["parameters"], json!({ "delta": -1 }));
    assert_eq!(steps[0]["assertedEvents"][0]["url"], "http://a/before");
    assert_eq!(
        steps[1],
        json!({ "type": "close", "target": "http://a/popup" })
    );
}

/// Strokes may be replayed faster than frames come only where the page was seen to ask for none.
#[test]
fn a_stroke_says_whether_the_page_asked_for_frames() {
    let stroke = |at: f64| {
        json!({
            "kind": "drag", "selectors": [["#a"]], "x": 1, "y": 2, "button": 0, "device": "mouse",
            "path": [[3, 0, 10], [6, 0, 400]], "at": at,
        })
    };
    let mut unknown = recorder();
    told(&mut unknown, &[stroke(5000.0)]);
    let mut watching = recorder();
    watching.watches_frames();
    told(&mut watching, &[stroke(5000.0)]);
    watching.asked_for_frame(5700.0);
    watching.asked_for_frame(f64::NAN);
    told(&mut watching, &[stroke(6000.0), stroke(7000.0)]);
    let needs_none = |recorder: &Recorder| {
        let steps = recorder.recording().steps[2..].iter();
        steps.map(Step::needs_no_frames).collect::<Vec<_>>()
    };
    assert_eq!(needs_none(&unknown), [false]);
    assert_eq!(needs_none(&watching), [true, false, true]);
}
