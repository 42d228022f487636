//! Who acts in front of a tab that is measured.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::Browser;
use cdp_driver::protocol::{Protocol, SessionId};
use serde_json::{Value, json};

use crate::error::BenchError;

/// How large the window is, in CSS pixels.
pub(crate) fn window() -> Value {
    json!({ "width": 1024, "height": 768, "deviceScaleFactor": 1, "mobile": false })
}

/// A session of its own with the tab that has this id.
pub(crate) async fn attach(browser: &Browser, target: &str) -> Result<SessionId, BenchError> {
    let protocol = browser.protocol();
    let params = json!({ "targetId": target, "flatten": true });
    let attached = protocol.send(None, "Target.attachToTarget", params).await?;
    let session = attached.get("sessionId").and_then(Value::as_str);
    Ok(SessionId(session.unwrap_or_default().to_owned()))
}

/// Somebody in front of a tab, who acts by trusted input.
pub(crate) struct User {
    protocol: Arc<dyn Protocol>,
    session: SessionId,
}

impl User {
    /// In front of the tab that shows `url`, once there is one.
    pub(crate) async fn on(browser: &Browser, url: &str) -> Result<Self, BenchError> {
        const LIMIT: Duration = Duration::from_secs(30);
        let protocol = browser.protocol();
        let start = Instant::now();
        while start.elapsed() < LIMIT {
            let targets = protocol.send(None, "Target.getTargets", json!({})).await?;
            let targets = targets.get("targetInfos").and_then(Value::as_array);
            let text = |target: &Value, member: &str| {
                let text = target.get(member).and_then(Value::as_str);
                text.unwrap_or_default().to_owned()
            };
            let tab = targets
                .into_iter()
                .flatten()
                .find(|target| text(target, "url") == url);
            if let Some(tab) = tab {
                let user = Self::of(browser, &text(tab, "targetId")).await?;
                user.value(
                    "new Promise((done) => document.readyState === 'complete' ? done() : \
                    addEventListener('load', done))",
                )
                .await?;
                return Ok(user);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Err(BenchError::Setup(format!("no tab shows {url}")))
    }

    /// In front of the tab with that id.
    pub(crate) async fn of(browser: &Browser, target: &str) -> Result<Self, BenchError> {
        let protocol = browser.protocol();
        let session = attach(browser, target).await?;
        let user = Self { protocol, session };
        for (method, params) in [
            ("Performance.enable", json!({ "timeDomain": "threadTicks" })),
            (
                "Emulation.setFocusEmulationEnabled",
                json!({ "enabled": true }),
            ),
            ("Emulation.setDeviceMetricsOverride", window()),
        ] {
            user.send(method, params).await?;
        }
        Ok(user)
    }

    async fn send(&self, method: &str, params: Value) -> Result<Value, BenchError> {
        Ok(self
            .protocol
            .send(Some(&self.session), method, params)
            .await?)
    }

    /// Opens an address in the tab, and waits until it is loaded.
    pub(crate) async fn goes_to(&self, url: &str) -> Result<(), BenchError> {
        const LOADED: &str = "new Promise((done) => document.readyState === 'complete' ? done() : \
            addEventListener('load', done))";
        self.send("Page.navigate", json!({ "url": url })).await?;
        self.value(LOADED).await.map(drop)
    }

    /// The value of an expression, a promise's once it has one.
    pub(crate) async fn value(&self, expression: &str) -> Result<Value, BenchError> {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.send("Runtime.evaluate", params).await?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            return Err(BenchError::Page {
                what: expression.to_owned(),
                message: thrown.to_string(),
            });
        }
        Ok(answer.pointer("/result/value").cloned().unwrap_or_default())
    }

    /// Tells the page of the mouse, in CSS pixels from the corner of what is seen of it; `more` is what the protocol
    /// takes besides.
    pub(crate) async fn mouse(
        &self,
        kind: &str,
        x: f64,
        y: f64,
        more: Value,
    ) -> Result<(), BenchError> {
        let mut params = json!({ "type": kind, "x": x, "y": y });
        if let (Value::Object(params), Value::Object(more)) = (&mut params, more) {
            params.extend(more);
        }
        self.send("Input.dispatchMouseEvent", params)
            .await
            .map(drop)
    }

    /// Moves to the element that a selector names from some way off, as a hand does, and presses.
    pub(crate) async fn click(&self, selector: &str) -> Result<(), BenchError> {
        let element = format!("document.querySelector({})", json!(selector));
        self.clicks_on(&element).await
    }

    /// The same with the element that an expression gives.
    pub(crate) async fn clicks_on(&self, element: &str) -> Result<(), BenchError> {
        let place = format!(
            "(() => {{ const {{ left, top, width, height }} = {element}.getBoundingClientRect(); \
             return [left + width / 2, top + height / 2]; }})()"
        );
        let place = self.value(&place).await?;
        let at = |index: usize| place.get(index).and_then(Value::as_f64).unwrap_or_default();
        let (x, y) = (at(0), at(1));
        for step in (0..5).rev() {
            let off = f64::from(step) * 20.0;
            self.mouse("mouseMoved", x + off, y + off, json!({}))
                .await?;
        }
        let press = json!({ "button": "left", "clickCount": 1 });
        self.mouse("mousePressed", x, y, press.clone()).await?;
        self.mouse("mouseReleased", x, y, press).await
    }

    /// Presses a key for each character.
    pub(crate) async fn types(&self, text: &str) -> Result<(), BenchError> {
        for key in text.chars() {
            let key = key.to_string();
            let down = json!({ "type": "keyDown", "key": key, "text": key });
            self.send("Input.dispatchKeyEvent", down).await?;
            self.send(
                "Input.dispatchKeyEvent",
                json!({ "type": "keyUp", "key": key }),
            )
            .await?;
        }
        Ok(())
    }

    /// Presses the key that ends an entry.
    pub(crate) async fn enters(&self) -> Result<(), BenchError> {
        let key = json!({ "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13 });
        for (kind, text) in [("keyDown", json!("\r")), ("keyUp", Value::Null)] {
            let mut params = key.clone();
            params["type"] = json!(kind);
            if !text.is_null() {
                params["text"] = text;
            }
            self.send("Input.dispatchKeyEvent", params).await?;
        }
        Ok(())
    }

    /// How long the main thread of the tab has worked, in milliseconds from an arbitrary moment on.
    pub(crate) async fn worked_ms(&self) -> Result<f64, BenchError> {
        let answer = self.send("Performance.getMetrics", json!({})).await?;
        let metrics = answer.get("metrics").and_then(Value::as_array);
        let time = metrics
            .into_iter()
            .flatten()
            .find(|metric| metric.get("name").and_then(Value::as_str) == Some("ThreadTime"));
        let seconds = time.and_then(|time| time.get("value")?.as_f64());
        let seconds = seconds
            .ok_or_else(|| BenchError::Setup("the browser has no metric ThreadTime".to_owned()))?;
        Ok(seconds * 1000.0)
    }
}
