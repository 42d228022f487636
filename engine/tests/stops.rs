//! A replay and what is paused in it: breakpoints, virtual time, and a page that is not to notice.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use cdp_driver::protocol::generated as cdp;
use std::time::{Duration, Instant};

use crate::support::{
    LIMIT, browser, click, data_url, options, page, recording, run, serve, value,
};
use engine::page::Page;
use engine::replay::{ReplayCursor, ReplayOptions, Speed, replay, wait_until_idle};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_waits_while_the_page_is_paused_at_a_breakpoint() {
    use futures::StreamExt;
    let browser = browser().await;
    let (page, other) = (page(&browser).await, page(&browser).await);
    let html = "<button id=a onclick='debugger; hits = (globalThis.hits ?? 0) + 1'>a</button>";
    page.navigate(&data_url(html), LIMIT).await.unwrap();
    page.send(cdp::debugger::Enable::METHOD, json!({}))
        .await
        .unwrap();
    let mut events = browser.protocol().events();
    let cursor = ReplayCursor::default();
    let resume = async {
        let (mut causes, mut stopped) = (Vec::new(), Duration::ZERO);
        while causes.len() < 2 {
            let event = events.next().await.unwrap();
            if event.is(page.session(), cdp::debugger::Paused::METHOD) {
                let step = cursor.current().unwrap();
                causes.push((step.index, step.kind, step.selector));
                // A replay that did not wait would have gone on.
                stopped += frames_pass(&other).await;
                page.send(cdp::debugger::Resume::METHOD, json!({}))
                    .await
                    .unwrap();
            }
        }
        (causes, stopped)
    };
    let steps = recording(json!([click(json!(["#none", "#a"])), click(json!(["#a"]))]));
    let (options, mut progress) = (options(), |_: usize, _: usize, _: &str| {});
    let replay = replay(&page, &steps, &options, &cursor, &mut progress);
    let (report, (causes, stopped)) = futures::join!(replay, resume);
    let time_ms = report.unwrap().time_ms;
    assert!(time_ms >= milliseconds(stopped), "{time_ms} {stopped:?}");
    // Which action of the user it was, with the selector that matched.
    let matched = Some("#a".to_owned());
    assert_eq!(
        causes,
        [(0, "click", matched.clone()), (1, "click", matched)]
    );
    assert_eq!(value(&page, "hits").await, json!(2));
    browser.close().await;
}

/// Waits until another page of the browser has had ten frames and three turns of a timer; how long that took.
async fn frames_pass(other: &Page) -> Duration {
    let start = Instant::now();
    let pass = "new Promise((done) => {
        let [frames, turns] = [0, 0];
        const timer = setInterval(() => { turns += 1; }, 50);
        const next = () => {
            frames += 1;
            if (frames >= 10 && turns >= 3) { clearInterval(timer); done(frames); } else requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
    })";
    let frames = value(other, pass).await;
    assert!(frames.as_u64().unwrap() >= 10, "{frames}");
    start.elapsed()
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[tokio::test(flavor = "multi_thread")]
async fn virtual_time_runs_what_is_due_and_nothing_more() {
    use futures::StreamExt;
    let origin = serve(&[
        ("/", 200, "text/html", "<script>log = [];
            setTimeout(() => log.push('1900'), 1900); setTimeout(() => log.push('5000'), 5000);
            n = 0; setInterval(() => { n++ }, 50);
            setTimeout(() => fetch('/slow/x').then(() => { log.push('fetched'); setTimeout(() => log.push('later'), 500) }), 300);
            setTimeout(() => { debugger; log.push('stopped') }, 1000);
        </script>"),
        ("/slow/x", 200, "text/plain", "x"),
    ])
    .await;
    let browser = browser().await;
    let (page, other) = (page(&browser).await, page(&browser).await);
    page.send(cdp::debugger::Enable::METHOD, json!({}))
        .await
        .unwrap();
    page.navigate(&format!("{origin}/"), LIMIT).await.unwrap();
    let mut events = browser.protocol().events();
    let resume = async {
        while let Some(event) = events.next().await {
            if event.is(page.session(), cdp::debugger::Paused::METHOD) {
                let stopped = frames_pass(&other).await;
                page.send(cdp::debugger::Resume::METHOD, json!({}))
                    .await
                    .unwrap();
                return stopped;
            }
        }
        panic!("the browser ended");
    };
    let (idle, stopped) = futures::join!(
        wait_until_idle(&page, Duration::from_millis(2000), LIMIT),
        resume
    );
    let time_ms = idle.unwrap().time_ms;
    assert!(time_ms >= milliseconds(stopped), "the stop was waited for");
    let seen = json!(["fetched", "later", "stopped", "1900"]);
    assert_eq!(
        value(&page, "log").await,
        seen,
        "the answer is handled before later timers, and 5000 is not due"
    );
    let ticks = value(&page, "n").await.as_u64().unwrap();
    assert!(
        (40..=60).contains(&ticks),
        "{ticks} ticks of 50 ms in 2000 ms and the time of loading"
    );
    frames_pass(&other).await;
    assert_eq!(value(&page, "n").await, json!(ticks), "time stands still");
    let idle = wait_until_idle(&page, Duration::from_millis(3500), LIMIT)
        .await
        .unwrap();
    assert!(idle.time_ms < 2500.0, "{idle:?}");
    assert_eq!(value(&page, "log.at(-1)").await, json!("5000"));
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_cannot_see_the_selectors_at_work() {
    let body = "<script>
        for (const name of ['querySelectorAll', 'evaluate', 'createElement']) Document.prototype[name] = () => { throw new Error('seen') };
        requestAnimationFrame = () => { throw new Error('seen') };
        var globals = 0; globals = Object.getOwnPropertyNames(window).join();
        </script><button id=a>a</button>";
    let browser = browser().await;
    let page = page(&browser).await;
    page.navigate(&data_url(body), LIMIT).await.unwrap();
    run(
        &page,
        json!([
            click(json!([["xpath///button"]])),
            click(json!([["aria/a"]]))
        ]),
    )
    .await
    .unwrap();
    assert_eq!(
        value(
            &page,
            "globals === Object.getOwnPropertyNames(window).join()"
        )
        .await,
        json!(true)
    );
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_never_ends_does_not_hold_timers_back() {
    let html = "<script>log = []; setTimeout(() => log.push('due'), 1500);
        setTimeout(() => fetch('/hang/x').then((answer) => answer.text()), 100)</script>";
    let origin = serve(&[("/", 200, "text/html", html)]).await;
    let browser = browser().await;
    let page = page(&browser).await;
    page.navigate(&format!("{origin}/"), LIMIT).await.unwrap();
    let budget = Duration::from_millis(2000);
    let idle = wait_until_idle(&page, budget, Duration::from_millis(200))
        .await
        .unwrap();
    assert_eq!(value(&page, "log").await, json!(["due"]));
    assert_eq!(
        idle.requests_in_flight, 1,
        "what was not waited for is said"
    );
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn real_speed_keeps_the_recorded_pace_and_fast_does_not() {
    let browser = browser().await;
    let page = page(&browser).await;
    let html = "<button id=a onpointerdown='at = performance.now()' onpointerup='held = performance.now() - \
        at'>a</button>";
    page.navigate(&data_url(html), LIMIT).await.unwrap();
    let mut step = click(json!(["#a"]));
    step["duration"] = json!(400);
    step["querypoint"] = json!({ "afterMs": 2000 });
    let recording = recording(json!([step]));
    for (speed, slow) in [(Speed::Fast, false), (Speed::Real, true)] {
        let options = ReplayOptions { speed, ..options() };
        let report = replay(
            &page,
            &recording,
            &options,
            &ReplayCursor::default(),
            &mut |_, _, _| {},
        )
        .await
        .unwrap();
        let held = value(&page, "held").await.as_f64().unwrap();
        assert_eq!(
            (report.time_ms >= 2400.0, held >= 350.0),
            (slow, slow),
            "{speed:?}: {report:?}, held {held}"
        );
    }
    browser.close().await;
}
