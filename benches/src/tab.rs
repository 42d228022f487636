//! A tab to measure in, and the folder that is served to it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Browser, TokioClock};
use engine::page::Page;
use serde_json::{Value, json};
use test_support::server::Server;

use crate::error::BenchError;

/// How long a page may take to load.
const LOAD_LIMIT: Duration = Duration::from_secs(120);

/// A folder, served on loopback for as long as this lives.
pub(crate) struct Served(Server);

impl Served {
    /// Starts to serve `folder`.
    pub(crate) fn start(folder: &Path) -> Result<Self, BenchError> {
        Server::of_folder(folder)
            .map(Self)
            .map_err(BenchError::file(folder))
    }

    /// The address of a file in the folder.
    pub(crate) fn url(&self, file: &str) -> String {
        self.0.url(&format!("/{file}"))
    }
}

/// Opens `url` in a tab of its own, with `agent` run before the page's scripts.
pub(crate) async fn open(
    browser: &Browser,
    url: &str,
    agent: Option<&str>,
) -> Result<Page, BenchError> {
    let page = Page::open(browser.protocol(), Arc::new(TokioClock::new())).await?;
    if let Some(agent) = agent {
        page.send(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": agent }),
        )
        .await?;
    }
    page.navigate(url, LOAD_LIMIT).await?;
    Ok(page)
}

/// The same, with a binding by which the agent gives what it recorded to the driver.
pub(crate) async fn open_with_binding(
    browser: &Browser,
    url: &str,
    agent: &str,
    binding: &str,
) -> Result<Page, BenchError> {
    let page = Page::open(browser.protocol(), Arc::new(TokioClock::new())).await?;
    page.send("Runtime.addBinding", json!({ "name": binding }))
        .await?;
    page.send(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": agent }),
    )
    .await?;
    page.navigate(url, LOAD_LIMIT).await?;
    Ok(page)
}

/// The value of an expression, a promise's once it has one.
pub(crate) async fn value(page: &Page, expression: &str) -> Result<Value, BenchError> {
    let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
    let answer = page.drive(page.send("Runtime.evaluate", params)).await?;
    if let Some(thrown) = answer.get("exceptionDetails") {
        let message = thrown
            .pointer("/exception/description")
            .or_else(|| thrown.pointer("/exception/value"))
            .unwrap_or(thrown);
        return Err(BenchError::Page {
            what: expression.chars().take(80).collect(),
            message: message.to_string(),
        });
    }
    Ok(answer
        .pointer("/result/value")
        .cloned()
        .unwrap_or(Value::Null))
}

/// The number that an expression gives.
pub(crate) async fn number(page: &Page, expression: &str) -> Result<f64, BenchError> {
    let value = value(page, expression).await?;
    value.as_f64().ok_or_else(|| BenchError::Page {
        what: expression.to_owned(),
        message: format!("{value} is no number"),
    })
}

/// How long a page has worked, in seconds from an arbitrary moment on. What else runs on the machine does not count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worked {
    /// Its main thread, to the microsecond.
    pub(crate) thread: f64,
    /// All threads of its process, to 10 ms: those that compile and collect garbage beside it as well.
    pub(crate) process: f64,
}

/// How long the page has worked so far.
pub(crate) async fn worked(page: &Page) -> Result<Worked, BenchError> {
    page.send("Performance.enable", json!({ "timeDomain": "threadTicks" }))
        .await?;
    let answer = page.send("Performance.getMetrics", json!({})).await?;
    let metric = |name: &str| {
        answer
            .get("metrics")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .find(|metric| metric.get("name").and_then(Value::as_str) == Some(name))
            .and_then(|metric| metric.get("value")?.as_f64())
            .ok_or_else(|| BenchError::Setup(format!("the browser has no metric {name}")))
    };
    Ok(Worked {
        thread: metric("ThreadTime")?,
        process: metric("ProcessTime")?,
    })
}

/// The value of an expression, and what the page worked for it.
pub(crate) async fn work_for(page: &Page, expression: &str) -> Result<(f64, Worked), BenchError> {
    let before = worked(page).await?;
    let value = number(page, expression).await?;
    let after = worked(page).await?;
    Ok((
        value,
        Worked {
            thread: after.thread - before.thread,
            process: after.process - before.process,
        },
    ))
}
