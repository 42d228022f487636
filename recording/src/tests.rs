//! Tests of recordings: what Recorder exports, what is written back, and how errors read.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A flow with every known step, in the forms that Recorder exports.
fn every_step() -> Value {
    json!({
        "title": "every step",
        "timeout": 5000,
        "selectorAttribute": "data-test",
        "querypoint": { "version": 1 },
        "steps": [
            { "type": "setViewport", "width": 1280, "height": 720, "deviceScaleFactor": 1.5, "isMobile": false,
              "hasTouch": false, "isLandscape": false },
            { "type": "emulateNetworkConditions", "download": -1, "upload": 50000, "latency": 2.5 },
            { "type": "navigate", "url": "http://127.0.0.1/",
              "assertedEvents": [{ "type": "navigation", "url": "http://127.0.0.1/", "title": "Counter" }] },
            { "type": "click", "target": "main", "frame": [0, 2], "timeout": 100,
              "selectors": [["#myButton"], ["aria/Add[role=\"button\"]"], ["xpath///*[@id=\"myButton\"]"],
                            ["pierce/#myButton"], ["#host", "text/Add"]],
              "offsetX": 12.5, "offsetY": 7, "button": "secondary", "deviceType": "touch", "duration": 300 },
            { "type": "doubleClick", "selectors": [["#myButton"]], "offsetX": 1, "offsetY": 1 },
            { "type": "hover", "selectors": [["#menu"]] },
            { "type": "change", "selectors": [["#name"]], "value": "价" },
            { "type": "keyDown", "key": "Enter" },
            { "type": "keyUp", "key": "Enter" },
            { "type": "scroll", "selectors": [["#list"]], "x": 0, "y": 120 },
            { "type": "scroll", "y": 120 },
            { "type": "waitForElement", "selectors": [["li"]], "operator": "==", "count": 3, "visible": true,
              "properties": { "hidden": false }, "attributes": { "class": "item" } },
            { "type": "waitForExpression", "expression": "document.readyState === 'complete'", "later": [1] },
            { "type": "customStep", "name": "querypoint/drag", "parameters": {
                "selectors": [["#canvas"]], "offsetX": 10, "offsetY": 10.5, "button": "secondary", "deviceType": "pen",
                "path": [[1, 2, 16], [-3, 4.5, 33]] } },
            { "type": "customStep", "name": "querypoint/drag", "parameters": {
                "selectors": [["#card"]], "offsetX": 10, "offsetY": 10, "path": [[100, 0, 90]],
                "onto": { "selectors": [["#done"]], "offsetX": 3, "offsetY": 4 } } },
            { "type": "customStep", "name": "querypoint/files", "parameters": {
                "selectors": [["#upload"]], "files": [
                    { "name": "a.csv", "type": "text/csv", "lastModified": 1700000000000u64, "contents": "YSxiCg==" },
                    { "name": "film.mkv", "type": "", "size": 9_000_000_000u64 }] } },
            { "type": "customStep", "name": "querypoint/history", "parameters": { "delta": -1 },
              "querypoint": { "dialogs": [{ "type": "beforeunload", "message": "", "accept": true }] } },
            { "type": "customStep", "name": "querypoint/wheel", "parameters": {
                "selectors": [["#map"]], "offsetX": 10, "offsetY": 10, "deltaX": 0, "deltaY": -120 } },
            { "type": "customStep", "name": "querypoint/wait", "parameters": { "ms": 5 } },
            { "type": "close" }
        ]
    })
}

fn error(recording: &Value) -> String {
    Recording::parse(&recording.to_string())
        .unwrap_err()
        .to_string()
}

fn step_error(step: Value) -> String {
    error(&json!({ "title": "", "steps": [{ "type": "close" }, step] }))
}

#[test]
fn every_step_comes_back_as_it_was() {
    let recording = Recording::parse(&every_step().to_string()).unwrap();
    let written: Value = serde_json::from_str(&recording.to_json()).unwrap();
    assert_eq!(written, every_step());
    assert_eq!(Recording::parse(&recording.to_json()), Ok(recording));
}

#[test]
fn every_known_type_is_in_that_test() {
    let recording = Recording::parse(&every_step().to_string()).unwrap();
    for known in StepKind::KNOWN {
        assert!(
            recording
                .steps
                .iter()
                .any(|step| step.kind.name() == *known),
            "{known}"
        );
    }
}

#[test]
fn steps_are_described() {
    let recording = Recording::parse(&every_step().to_string()).unwrap();
    let described: Vec<String> = recording.steps.iter().map(Step::describe).collect();
    insta::assert_snapshot!(described.join("\n"), @r#"
    set the viewport to 1280×720
    emulate network conditions
    navigate to http://127.0.0.1/
    click #myButton (secondary button)
    double-click #myButton
    hover #menu
    change #name to "价"
    press Enter
    release Enter
    scroll #list to 0, 120
    scroll the page to –, 120
    wait for exactly 3 × li
    wait for document.readyState === 'complete'
    drag on #canvas
    drag #card onto #done
    choose a.csv, film.mkv for #upload
    go back
    turn the wheel over #map
    custom step querypoint/wait
    close the page
    "#);
}

#[test]
fn selectors_in_every_form() {
    let chains = |selectors: Value| {
        let recording = json!({ "steps": [{ "type": "hover", "selectors": selectors }] });
        let recording = Recording::parse(&recording.to_string()).unwrap();
        let StepKind::Hover { selectors } = recording.steps[0].kind.clone() else {
            panic!()
        };
        selectors
    };
    let css = |text: &str| Selector::Css(text.to_owned());
    assert_eq!(chains(json!("#a")), [SelectorChain(vec![css("#a")])]);
    assert_eq!(
        chains(json!([
            "aria/Add",
            ["text/a/b"],
            ["#host", "pierce/#b"],
            ["xpath///a"]
        ])),
        [
            SelectorChain(vec![Selector::Aria("Add".to_owned())]),
            SelectorChain(vec![Selector::Text("a/b".to_owned())]),
            SelectorChain(vec![css("#host"), Selector::Pierce("#b".to_owned())]),
            SelectorChain(vec![Selector::XPath("//a".to_owned())]),
        ]
    );
}

#[test]
fn what_is_not_a_recording() {
    insta::assert_snapshot!(Recording::parse("{\n  \"title\": \"x\",\n  steps: []\n}").unwrap_err(), @"
    the recording is not JSON: line 3, column 3: key must be a string
    help: export it from Chrome DevTools Recorder as a JSON file
    ");
    insta::assert_snapshot!(Recording::parse("").unwrap_err(), @"
    the recording is not JSON: line 1, column 0: EOF while parsing a value
    help: export it from Chrome DevTools Recorder as a JSON file
    ");
    insta::assert_snapshot!(error(&json!([])), @r#"
    the recording is an array, not an object with "title" and "steps"
    help: export it from Chrome DevTools Recorder as a JSON file
    "#);
    assert_eq!(
        error(&json!({ "title": "x" })),
        "the recording: the member \"steps\" is missing"
    );
    assert_eq!(
        error(&json!({ "steps": [3] })),
        "the recording: the member \"steps[0]\" must be an object; it is a number"
    );
}

#[test]
fn a_step_of_unknown_type() {
    insta::assert_snapshot!(step_error(json!({ "type": "dblClick" })), @r#"
    step 2 has the unknown type "dblClick"
    help: did you mean "doubleClick"? the known types are navigate, setViewport, emulateNetworkConditions, click, doubleClick, hover, change, keyDown, keyUp, scroll, waitForElement, waitForExpression, close, customStep
    "#);
}

#[test]
fn members_that_are_missing_or_wrong() {
    let cases = [
        (json!({}), "step 2: the member \"type\" is missing"),
        (
            json!({ "type": "navigate" }),
            "step 2 (navigate): the member \"url\" is missing",
        ),
        (
            json!({ "type": "hover", "selectors": null }),
            "step 2 (hover): the member \"selectors\" is missing",
        ),
        (
            json!({ "type": "click", "selectors": ["#a"], "offsetX": "3", "offsetY": 1 }),
            "step 2 (click): the member \"offsetX\" must be a number; it is \"3\"",
        ),
        (
            json!({ "type": "click", "selectors": ["#a"], "offsetX": 3, "offsetY": 1, "button": "left" }),
            "step 2 (click): the member \"button\" must be primary, auxiliary, secondary, back or forward; it is \
             \"left\"",
        ),
        (
            json!({ "type": "keyDown", "key": "a", "timeout": -1 }),
            "step 2 (keyDown): the member \"timeout\" must be a number that is not negative; it is -1",
        ),
        (
            json!({ "type": "close", "frame": ["x"] }),
            "step 2 (close): the member \"frame\" must be an array of indices of child frames; it is \"x\"",
        ),
        (
            json!({ "type": "close", "assertedEvents": [{}] }),
            "step 2 (assertedEvents): the member \"type\" is missing",
        ),
        (
            json!({ "type": "customStep", "name": "querypoint/files", "parameters": {
                "selectors": ["#a"], "files": [{ "name": "../../a", "contents": "" }] } }),
            "step 2 (querypoint/files): the member \"name\" must be a file's name, without a folder; it is \"../../a\"",
        ),
        (
            json!({ "type": "customStep", "name": "querypoint/files", "parameters": {
                "selectors": ["#a"], "files": [{ "name": "a", "contents": "%" }] } }),
            "step 2 (querypoint/files): the member \"contents\" must be the file's bytes in base64; it is \"%\"",
        ),
        (
            json!({ "type": "customStep", "name": "querypoint/history", "parameters": { "delta": 0 } }),
            "step 2 (querypoint/history): the member \"delta\" must be a whole number other than 0; it is 0",
        ),
        (
            json!({ "type": "customStep", "name": "querypoint/drag", "parameters": {
                "selectors": ["#a"], "offsetX": 0, "offsetY": 0, "path": [], "onto": 7 } }),
            "step 2 (querypoint/drag): the member \"onto\" must be an object; it is 7",
        ),
    ];
    for (step, message) in cases {
        assert_eq!(step_error(step), message);
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = Recording::parse(&text);
    }

    #[test]
    fn a_broken_recording_is_an_error_or_a_recording(cut in 0usize..3000, with in "[\\[\\]{}\",0a-z]{0,3}") {
        let mut text = every_step().to_string();
        let boundary = |text: &str, at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let cut = boundary(&text, cut.min(text.len()));
        let after = text[cut..].chars().next().map_or(0, char::len_utf8);
        text.replace_range(cut..cut + after, "");
        text.insert_str(cut, &with);
        if let Ok(recording) = Recording::parse(&text) {
            prop_assert_eq!(Recording::parse(&recording.to_json()), Ok(recording));
        }
    }
}

#[test]
fn what_is_given_at_the_replay_is_not_in_the_recording() {
    let is_whole = |step: &str| {
        let recording = Recording::parse(&format!(r#"{{ "steps": [{step}] }}"#));
        recording.unwrap().is_whole()
    };
    let file = |contents: &str| {
        format!(
            r##"{{ "type": "customStep", "name": "querypoint/files", "parameters": {{ "selectors": ["#a"],
                "files": [{{ "name": "a", "size": 1 {contents} }}] }} }}"##
        )
    };
    assert!(is_whole(
        r##"{ "type": "change", "selectors": ["#a"], "value": "b" }"##
    ));
    assert!(!is_whole(
        r##"{ "type": "change", "selectors": ["#a"], "value": "", "querypoint": { "secret": "CODE" } }"##
    ));
    assert!(is_whole(&file(r#", "contents": "YQ==""#)));
    assert!(!is_whole(&file("")));
}
