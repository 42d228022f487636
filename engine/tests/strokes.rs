//! Strokes, replayed in a real browser.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use crate::support::{LIMIT, browser, click, data_url, page, run, value};
use serde_json::{Value, json};

/// A stroke is replayed as fast as the page takes it, and still comes move by move; where a text is edited it stays
/// what it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_stroke_comes_move_by_move() {
    const MOVES: i32 = 120;
    let body = "<style>body { margin: 0 } body > * { position: absolute }</style>
        <canvas id=canvas width=400 height=200></canvas><input id=text value='some words to select' style='top: 250px; width: 300px'>
        <script>
        moves = [];
        others = new Set();
        canvas.onpointermove = (event) => event.buttons && moves.push([event.clientX, event.buttons, event.altKey, event.isTrusted]);
        for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'compositionstart', 'wheel']) {
            addEventListener(type, () => others.add(type), true);
        }
        </script>";
    let browser = browser().await;
    let page = page(&browser).await;
    page.navigate(&data_url(&format!("<!doctype html><body>{body}")), LIMIT)
        .await
        .unwrap();
    let drag = |selector: &str, x: i32, y: i32, path: Vec<Value>| {
        json!({
            "type": "customStep", "name": "querypoint/drag",
            "parameters": { "selectors": [[selector]], "offsetX": x, "offsetY": y, "path": path },
            "querypoint": { "noFrames": true },
        })
    };
    let stroke = (1..=MOVES).map(|x| json!([x, 0, 8 * x])).collect();
    let over_text = (1..=10).map(|x| json!([12 * x, 0, 8 * x])).collect();
    let steps = json!([
        drag("#canvas", 20, 50, stroke),
        drag("#text", 5, 8, over_text)
    ]);
    run(&page, steps).await.unwrap();
    let wanted: Vec<Value> = (1..=MOVES)
        .map(|x| json!([20 + x, 1, false, true]))
        .collect();
    assert_eq!(value(&page, "moves").await, json!(wanted));
    assert_eq!(value(&page, "[...others]").await, json!([]));
    let text = "[text.value, text.selectionEnd > text.selectionStart]";
    assert_eq!(
        value(&page, text).await,
        json!(["some words to select", true])
    );
    browser.close().await;
}

/// What a step sets in motion is at rest when the next step presses it: whatever moves it, and also where the
/// step is a stroke during which the page asked for no frame.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_step_sets_in_motion_is_pressed_where_it_rests() {
    const FAR: i32 = 600;
    let body = |begin: &str| {
        format!(
            "<style>body {{ margin: 0 }} body > * {{ position: absolute; top: 0; left: 0; width: 300px; height: 60px \
             }} #target {{ top: 100px; width: 200px; transition: left 300ms linear }}</style>
            <button id=start></button><button id=target></button>
            <script>
            pressed = [];
            target.onpointerdown = () => pressed.push(target.getBoundingClientRect().left);
            const transition = () => {{ target.style.left = '{FAR}px'; }};
            const frames = () => {{
              target.style.transition = 'none';
              requestAnimationFrame((begun) => {{
                const move = (now) => {{
                  const part = Math.min(1, (now - begun) / 300);
                  target.style.left = `${{{FAR} * part}}px`;
                  if (part < 1) requestAnimationFrame(move);
                }};
                move(begun);
              }});
            }};
            start.onpointerup = {begin};
            </script>"
        )
    };
    let stroke = json!({
        "type": "customStep", "name": "querypoint/drag",
        "parameters": { "selectors": [["#start"]], "offsetX": 20, "offsetY": 20, "path": [[10, 0, 8], [20, 0, 16]] },
        "querypoint": { "noFrames": true },
    });
    let browser = browser().await;
    for (begin, first) in [
        ("transition", click(json!([["#start"]]))),
        ("frames", click(json!([["#start"]]))),
        ("transition", stroke),
    ] {
        let page = page(&browser).await;
        let html = format!("<!doctype html><body>{}", body(begin));
        page.navigate(&data_url(&html), LIMIT).await.unwrap();
        let steps = json!([first, click(json!([["#target"]]))]);
        run(&page, steps).await.unwrap();
        let pressed = value(&page, "pressed").await;
        assert_eq!(pressed, json!([FAR]), "{begin} after {first}");
    }
    browser.close().await;
}
