//! The execution line in the panel: what a question looked through is seen, moved, zoomed and asked for, by keys and by
//! the mouse.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::at_panel::AtPanel;
use crate::loopback::*;
use crate::panel::BackEnd;
use serde_json::json;

const CARTS: &str = "<!doctype html><script>
const one = { total: 0 }, two = { total: 0 };
function add(cart, n) {
  cart.total += n;
}
add(one, 1);
add(two, 5);
add(one, 0);
add(one, 2);
add(two, 7);
console.log('here');
add(one, 9);
</script>";

/// A panel at `R` of this page, in which the last change of `expression` was asked and its line is shown.
async fn at_line(
    folder: &Folder,
    page: &str,
    at: &str,
    expression: &str,
) -> (AtPanel, BackEnd, Site) {
    let site = Site::new(&[("/page.html", html(page))]);
    let back_end = BackEnd::start(folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", &site.url("/page.html")).await;
    panel.enters("#at", at).await;
    panel.has_points(1).await;
    panel
        .enters("#query", &format!("lastChange(R:{expression})"))
        .await;
    panel.has_points(2).await;
    panel.presses(".trace").await;
    panel
        .user
        .until("document.querySelector('section.line .event span') !== null")
        .await;
    (panel, back_end, site)
}

/// The label of each lane.
const LANES: &str = "[...document.querySelectorAll('.lanes li')].map((it) => it.textContent)";
const EVENT: &str = "document.querySelector('.event span').textContent";
/// The dots of the canvas that are not its background, in each lane.
const DRAWN: &str = "(() => {
    const canvas = document.querySelector('canvas.events');
    const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const lanes = Array(6).fill(0);
    for (let at = 3; at < data.length; at += 4) if (data[at] > 0) lanes[Math.floor((at >> 2) / width / (canvas.height / 6))]++;
    return lanes;
})()";

#[tokio::test]
async fn what_was_looked_through_is_seen_and_each_event_can_be_asked_for() {
    let folder = Folder::new();
    let (panel, _back_end, _site) = at_line(&folder, CARTS, "page.html:11", "one.total").await;
    let user = &panel.user;
    assert_eq!(
        user.look(LANES).await,
        json!([
            "the user's actions",
            "the last change (1)",
            "an earlier change (2)",
            "the same value (1)",
            "another object (3)",
            "after the point (1)"
        ])
    );
    assert_eq!(panel.text("#line").await, "B: 8 writes to total");
    assert_eq!(
        panel.text(".event span").await,
        "6: page.html:4, the last change, object 1"
    );
    let drawn = user.look(DRAWN).await;
    let lanes: Vec<u64> = serde_json::from_value(drawn).unwrap();
    assert!(lanes[1..].iter().all(|dots| *dots > 20), "{lanes:?}");

    // By keys: the one before it was of another object.
    user.clicks_on("document.querySelector('canvas.events')")
        .await;
    user.until("document.activeElement.matches('canvas.events')")
        .await;
    user.key("Home", "").await;
    user.until(&format!(
        "{EVENT} === '1: page.html:2, an earlier change, object 1'"
    ))
    .await;
    for _ in 0..3 {
        user.key("ArrowRight", "").await;
    }
    user.until(&format!(
        "{EVENT} === '4: page.html:4, another object, object 2'"
    ))
    .await;
    let slider = "(() => { const it = document.querySelector('canvas.events'); \
        return [it.getAttribute('aria-valuenow'), it.getAttribute('aria-valuemax'), \
        it.getAttribute('aria-valuetext')]; })()";
    assert_eq!(
        user.look(slider).await,
        json!(["4", "8", "4: page.html:4, another object, object 2"])
    );
    panel.picture("line.png").await;
    assert_eq!(panel.barriers().await, [""; 0]);
    user.key("Enter", "").await;
    panel.sees("C", 4).await;
    let change = panel.text("p.change").await;
    assert!(change.contains('5'), "{change}");
    assert_eq!(
        user.look("document.querySelector('.point[aria-current] .query').textContent")
            .await,
        json!("trace(write(.total), index 3)")
    );

    // The line stays while more is asked; what came after the point can be asked for as well.
    user.clicks_on("document.querySelector('canvas.events')")
        .await;
    user.key("End", "").await;
    user.until(&format!(
        "{EVENT} === '8: page.html:4, after the point, object 1'"
    ))
    .await;
    panel.presses(".look-here").await;
    panel.sees("D", 4).await;
    let change = panel.text("p.change").await;
    assert!(change.contains("12"), "{change}");

    // Another run has another line; and it can be put away.
    panel.presses(".line .close").await;
    user.until("document.querySelector('section.line') === null")
        .await;
}

const DOTS: &str = "<!doctype html><script>
const dots = [{ x: 0 }, { x: 0 }];
for (let i = 1; i <= 100000; i++) dots[i % 2].x = i >> 2;
console.log('here');
</script>";

#[tokio::test]
async fn a_hundred_thousand_events_are_zoomed_and_moved() {
    let folder = Folder::new();
    let (panel, _back_end, _site) = at_line(&folder, DOTS, "page.html:4", "dots[0].x").await;
    let user = &panel.user;
    assert_eq!(panel.text("#line").await, "B: 100,002 writes to x");
    panel.picture("line-many.png").await;
    // What one step of the wheel takes, with all that follows from it before the next frame.
    const STEPS: &str = "(async () => {
        const canvas = document.querySelector('canvas.events');
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        const took = [];
        for (let step = 0; step < 60; step++) {
            await frame();
            const start = performance.now();
            const of = { deltaY: step < 30 ? -100 : 100, bubbles: true, cancelable: true, clientX: 700, clientY: 600 };
            canvas.dispatchEvent(new WheelEvent('wheel', of));
            await new Promise((done) => setTimeout(done));
            took.push(performance.now() - start);
        }
        return took.sort((a, b) => a - b)[30];
    })()";
    let params = json!({ "expression": STEPS, "awaitPromise": true, "returnByValue": true });
    let took = user.send("Runtime.evaluate", params).await["result"]["value"]
        .as_f64()
        .unwrap();
    eprintln!("a step of the wheel: {took:.1} ms");
    // Sixty frames a second, for a build that is checked in a browser without a graphics card; the benchmark has the
    // figure.
    assert!(took < 50.0, "{took} ms");

    // Zoomed in, an event is a circle, which is pressed.
    for _ in 0..60 {
        user.wheel_on("canvas.events", -100).await;
    }
    user.clicks_on("document.querySelector('canvas.events')")
        .await;
    let here = "Number(document.querySelector('canvas.events').getAttribute('aria-valuenow'))";
    let first = user.number(here).await;
    user.key("ArrowRight", "").await;
    user.until(&format!("{here} === {}", first + 1)).await;
    assert_eq!(panel.barriers().await, [""; 0]);
}
