//! Programs in Chromium: each in a new frame of one page.

use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Browser, LaunchOptions, TokioClock};
use engine::page::Page;
use serde_json::json;

use crate::{ProgramOutcome, Run};

/// The function that runs one program in a frame.
const RUNNER: &str = include_str!("run_in_frame.js");
const LOAD_LIMIT: Duration = Duration::from_secs(60);

/// Runs all of them.
///
/// # Errors
/// If there is no browser, or if it ends.
pub async fn run(runs: &[Run]) -> Result<Vec<ProgramOutcome>, String> {
    let browser = Browser::launch(LaunchOptions::default())
        .await
        .map_err(|error| error.to_string())?;
    let page = Page::open(browser.protocol(), Arc::new(TokioClock::new()))
        .await
        .map_err(|error| error.to_string())?;
    page.navigate("about:blank", LOAD_LIMIT)
        .await
        .map_err(|error| error.to_string())?;
    let mut outcomes = Vec::with_capacity(runs.len());
    for run in runs {
        let run = serde_json::to_string(run).map_err(|error| error.to_string())?;
        let params = json!({
            "expression": format!("({RUNNER})({run})"),
            "awaitPromise": true,
            "returnByValue": true,
        });
        let answer = page
            .drive(page.send("Runtime.evaluate", params))
            .await
            .map_err(|error| error.to_string())?;
        let outcome = answer
            .pointer("/result/value")
            .ok_or_else(|| format!("the page answered {answer}"))?;
        outcomes.push(serde_json::from_value(outcome.clone()).map_err(|error| error.to_string())?);
    }
    browser.close().await;
    Ok(outcomes)
}
