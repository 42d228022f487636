//! What a replay waits for: what a step names, and after each step the page that it leads to.

use agent::evaluated;
use cdp_driver::protocol::generated as cdp;
use futures::future::{Either, select};
use std::time::Duration;

use recording::{Step, StepKind, WaitForElement};
use serde_json::{Value, json};

use super::locate::{Miss, ask, is_stale, thrown};
use super::runner::{Runner, Scene, texts};
use crate::error::EngineError;

/// For waits that end when the page has gone on; it may be paused at a breakpoint for as long as someone looks at it.
const AS_LONG_AS_IT_TAKES: Duration = Duration::from_secs(24 * 60 * 60);

impl Runner<'_> {
    pub(super) async fn wait_for_element(
        &mut self,
        scene: &Scene,
        wait: &WaitForElement,
    ) -> Result<(), Miss> {
        let request = json!({
            "task": "element",
            "selectors": texts(&wait.selectors),
            "operator": wait.operator.word(),
            "count": wait.count,
            "visible": wait.visible,
            "properties": wait.properties,
            "attributes": wait.attributes,
        });
        self.wait_for(scene, &request).await.map(drop)
    }

    /// Asks the page's own world, once in every frame.
    pub(super) async fn wait_for_expression(
        &mut self,
        scene: &Scene,
        expression: &str,
    ) -> Result<(), Miss> {
        if !scene.frame.is_empty() {
            return Err(Miss::NotThere(
                "an expression in a frame cannot be waited for".to_owned(),
            ));
        }
        let deadline_ms = self.page.clock().now_ms() + scene.limit.as_secs_f64() * 1000.0;
        loop {
            let look = cdp::runtime::Evaluate {
                await_promise: Some(true),
                silent: Some(true),
                ..cdp::runtime::Evaluate::new(evaluated(expression))
            };
            let last = match self.page.drive(self.page.call(&look)).await {
                Ok(answer) => match answer.exception_details {
                    Some(details) => thrown(details).unwrap_or_else(|| "it threw".to_owned()),
                    None if is_truthy(&answer.result) => return Ok(()),
                    None => "it is never true".to_owned(),
                },
                Err(error) => match EngineError::from(error) {
                    error if is_stale(&error) => "the page went to another address".to_owned(),
                    error => return Err(error.into()),
                },
            };
            if self.page.clock().now_ms() > deadline_ms {
                return Err(Miss::NotThere(format!("{expression}: {last}")));
            }
            ask(
                self.page,
                &[],
                &json!({ "task": "frame" }),
                AS_LONG_AS_IT_TAKES,
            )
            .await?;
        }
    }

    /// Waits for a frame of the page, or until the document is left that had been loaded as the `loads`th. Where
    /// executions are compared, the page is idle then: what the browser tells late, it has told.
    pub(super) async fn next_frame(&self, loads: usize) -> Result<(), Miss> {
        let waits = self.cursor.sent.waits_until_idle();
        let task = json!({ "task": if waits { "idle" } else { "frame" } });
        let frame = ask(self.page, &[], &task, AS_LONG_AS_IT_TAKES);
        // A document that is left may be kept, frozen, for going back to: its frame never comes.
        let left = self.page.wait_for("the next frame", |state| {
            (state.loads > loads).then_some(())
        });
        futures::pin_mut!(frame, left);
        match select(frame, left).await {
            Either::Left((frame, _)) => drop(frame?),
            Either::Right((left, _)) => left?,
        }
        Ok(())
    }

    /// Waits until the page has handled the step: one frame, and the document that it leads to.
    pub(super) async fn settle(
        &mut self,
        step: &Step,
        loads: usize,
        moves: usize,
        limit: Duration,
        rebased: bool,
    ) -> Result<(), Miss> {
        let navigated = matches!(step.kind, StepKind::Navigate { .. });
        if !navigated {
            self.next_frame(loads).await?;
        }
        let expected = step
            .asserted_events
            .iter()
            .find(|event| event.kind == "navigation");
        if expected.is_some() && !navigated {
            let gone = self.page.wait_for("the recorded navigation", |state| {
                (state.loads > loads || state.moves_within > moves).then_some(())
            });
            match self
                .page
                .limited("the recorded navigation", limit, gone)
                .await
            {
                Ok(gone) => gone?,
                Err(EngineError::TimedOut { after_ms, .. }) => {
                    self.note(format!(
                        "the recording navigates here, the replay did not within {after_ms} ms"
                    ));
                }
                Err(error) => return Err(error.into()),
            }
        }
        let arrived = self.page.wait_for("the page's load", |state| {
            (!state.navigating && state.loaded).then_some(())
        });
        match self.page.limited("the page's load", limit, arrived).await {
            Ok(arrived) => arrived?,
            Err(EngineError::TimedOut { after_ms, .. }) => {
                self.note(format!("the page was still loading after {after_ms} ms"));
            }
            Err(error) => return Err(error.into()),
        }
        if let Some(event) = expected {
            self.compare(
                event.title.as_deref(),
                event.url.as_deref().filter(|_| !rebased),
            )
            .await?;
        }
        Ok(())
    }

    /// Notes where the navigation led if it is not where the recording went. Origins differ with where a page is
    /// served.
    async fn compare(&mut self, title: Option<&str>, url: Option<&str>) -> Result<(), Miss> {
        let here = self.page.url();
        if let Some(url) = url.filter(|url| !url.is_empty())
            && path_of(url) != path_of(&here)
        {
            self.note(format!("the recording reached {url}, the replay {here}"));
        }
        if let Some(title) = title.filter(|title| !title.is_empty()) {
            let params = json!({ "task": "title" });
            let found = ask(self.page, &[], &params, self.options.step_limit).await?;
            if found.text("title") != title {
                let found = found.text("title").to_owned();
                self.note(format!(
                    "the recording reached a page titled {title:?}, the replay one titled {found:?}"
                ));
            }
        }
        Ok(())
    }
}

pub(super) fn path_of(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(parsed) => parsed[url::Position::BeforePath..url::Position::AfterQuery].to_owned(),
        Err(_) => url.to_owned(),
    }
}

fn is_truthy(remote: &cdp::runtime::RemoteObject) -> bool {
    use cdp::runtime::{RemoteObjectSubtype, RemoteObjectType};
    let special = remote.unserializable_value.as_ref().map(|it| it.as_str());
    match &remote.r#type {
        RemoteObjectType::Undefined => false,
        RemoteObjectType::Object => remote.subtype != Some(RemoteObjectSubtype::Null),
        RemoteObjectType::Function | RemoteObjectType::Symbol => true,
        RemoteObjectType::Bigint => special != Some("0n"),
        _ => match &remote.value {
            Some(Value::Bool(value)) => *value,
            Some(Value::String(value)) => !value.is_empty(),
            Some(Value::Number(value)) => value.as_f64() != Some(0.0),
            // Infinity and -Infinity are not JSON; nor are NaN and -0.
            _ => matches!(special, Some("Infinity" | "-Infinity")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn truth_is_javascripts() {
        for (remote, truthy) in [
            (json!({"type": "number", "value": 0}), false),
            (
                json!({"type": "number", "unserializableValue": "NaN"}),
                false,
            ),
            (
                json!({"type": "number", "unserializableValue": "Infinity"}),
                true,
            ),
            (json!({"type": "string", "value": ""}), false),
            (
                json!({"type": "object", "subtype": "null", "value": null}),
                false,
            ),
            (json!({"type": "object", "className": "Object"}), true),
            (
                json!({"type": "bigint", "unserializableValue": "0n"}),
                false,
            ),
            (json!({"type": "undefined"}), false),
        ] {
            let object = serde_json::from_value(remote.clone()).unwrap();
            assert_eq!(is_truthy(&object), truthy, "{remote}");
        }
    }

    #[test]
    fn where_a_page_is_served_does_not_matter() {
        assert_eq!(
            path_of("http://a:1/x/y?z=1#f"),
            path_of("https://b/x/y?z=1")
        );
        assert_ne!(path_of("http://a/x"), path_of("http://a/y"));
    }
}
