//! What it takes to show a stop of the tab that a person debugs: its frames and scopes, and with live hooks who wrote
//! each value last.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, TokioClock};
use cdp_driver::protocol::Wanted;
use engine::bodies::ReplacedBodies;
use engine::inspected::InspectedTab;
use futures::StreamExt;
use futures::channel::mpsc;
use serde_json::json;

use crate::error::BenchError;
use crate::report::{Bound, table};
use crate::statistics::{Sample, digits};
use crate::tab::{Served, open};
use crate::user::attach;

/// So many functions are on the stack, each with as many variables: as many as the panel reads.
const FRAMES: usize = 8;
const VARIABLES: usize = 25;
/// A stop that takes longer is none.
const LONGEST: Duration = Duration::from_secs(20);

/// What was measured, as text and as a bound.
pub(crate) async fn run(browser: &Browser, quick: bool) -> Result<(String, Bound), BenchError> {
    let rounds = if quick { 5 } else { 15 };
    let folder = tempfile::tempdir().map_err(BenchError::file("a temporary folder"))?;
    let page = folder.path().join("index.html");
    std::fs::write(&page, page_text()).map_err(BenchError::file(&page))?;
    let served = Served::start(folder.path())?;
    let url = served.url("index.html");
    let plain = stops(browser, &url, false, rounds).await?;
    let live = stops(browser, &url, true, rounds).await?;
    let text = format!(
        "\nFrom the browser's word that a tab has paused to the stop as the panel shows it: {FRAMES} functions with \
         {VARIABLES} variables each, {rounds} stops, through a connection of our own.\n\n{}",
        table(
            &["hooks", "ms"],
            &[
                vec!["none".to_owned(), plain.described(digits)],
                vec![
                    "live, with each last writer".to_owned(),
                    live.described(digits)
                ],
            ]
        )
    );
    let bound = Bound {
        what: "all variables of a stop, with who wrote each last".to_owned(),
        at_most: 50.0,
        measured: live.median(),
        unit: "ms".into(),
        slower: 1.0,
    };
    Ok((text, bound))
}

fn page_text() -> String {
    let mut text = "<!doctype html><script>\n".to_owned();
    for frame in 0..FRAMES {
        let _ = write!(text, "function f{frame}(n) {{\n  let sum = n;\n");
        for variable in 1..VARIABLES {
            let _ = writeln!(
                text,
                "  let v{variable} = n + {variable}; sum += v{variable};"
            );
        }
        match frame + 1 == FRAMES {
            true => text.push_str("  debugger;\n"),
            false => {
                let _ = writeln!(text, "  sum += f{}(n + 1);", frame + 1);
            }
        }
        let variables = (1..VARIABLES).map(|variable| format!("v{variable}"));
        let used = variables.collect::<Vec<_>>().join(" + ");
        let _ = write!(text, "  return sum + {used};\n}}\n");
    }
    text.push_str("</script>\n");
    text
}

async fn stops(
    browser: &Browser,
    url: &str,
    is_live: bool,
    rounds: usize,
) -> Result<Sample, BenchError> {
    const PAUSED: &[&str] = &["Debugger.paused"];
    const LOADED: &[&str] = &["Page.loadEventFired"];
    let page = open(browser, url, None).await?;
    let session = attach(browser, page.target_id()).await?;
    let protocol = browser.protocol();
    let tab = InspectedTab::new(protocol.clone(), session.clone());
    let mut paused = protocol.events_of(Wanted::of(&session, PAUSED));
    let mut loaded = protocol.events_of(Wanted::of(&session, LOADED));
    protocol
        .send(Some(&session), "Page.enable", json!({}))
        .await?;
    let (sender, mut told) = mpsc::unbounded();
    let mut tell = move |stop: Option<_>| {
        if stop.is_some() {
            // Whoever listened has enough.
            let _ = sender.unbounded_send(Instant::now());
        }
    };
    let followed = tab.follow_stops(&mut tell);
    let measured = async {
        let clock = Arc::new(TokioClock::new());
        let hooking = match is_live {
            true => {
                let run = tab.hook(clock, ReplacedBodies::default()).await?;
                let task = tokio::spawn(run.run());
                let _ = tokio::time::timeout(LONGEST, loaded.next()).await;
                Some(task)
            }
            false => None,
        };
        let mut times = Vec::new();
        // The first compiles what is called then, and is not counted.
        for round in 0..=rounds {
            let call = json!({ "expression": "setTimeout(() => f0(1))" });
            protocol
                .send(Some(&session), "Runtime.evaluate", call)
                .await?;
            let began = tokio::time::timeout(LONGEST, paused.next()).await;
            let began = began.ok().flatten().map(|_| Instant::now());
            let shown = tokio::time::timeout(LONGEST, told.next()).await;
            let (Some(began), Some(shown)) = (began, shown.ok().flatten()) else {
                return Err(BenchError::Setup("the tab did not pause".to_owned()));
            };
            if round > 0 {
                times.push(shown.saturating_duration_since(began).as_secs_f64() * 1000.0);
            }
            protocol
                .send(Some(&session), "Debugger.resume", json!({}))
                .await?;
        }
        if let Some(hooking) = hooking {
            hooking.abort();
        }
        Ok(Sample::new(times))
    };
    futures::pin_mut!(followed, measured);
    let done = match futures::future::select(followed, measured).await {
        futures::future::Either::Left(_) => Err(BenchError::Setup("the tab is gone".to_owned())),
        futures::future::Either::Right((done, _)) => done,
    };
    page.dispose().await?;
    done
}
