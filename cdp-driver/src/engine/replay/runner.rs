//! Does the steps of a recording, one after the other.

use futures::future::{Either, select};
use std::time::Duration;

use querypoint::recording::{
    DeviceType, MouseButton, Pointer, Recording, SelectorChain, Step, StepKind, Viewport,
    WaitForElement,
};
use serde_json::{Value, json};

use super::input::{Input, Place, Press};
use super::keys::key_named;
use super::locate::{Found, Miss, ask, frame_origin, is_stale};
use super::{CurrentStep, Divergence, ReplayCursor, ReplayOptions, ReplayReport, Speed};
use crate::engine::page::Page;
use crate::engine::protocol::evaluated;
use crate::error::DriverError;

/// How long an overlay may cover what is to be clicked before the click is made all the same.
const COVER_MS: u32 = 1000;

/// For waits that end when the page has gone on; it may stand at a breakpoint for as long as someone looks at it.
const AS_LONG_AS_IT_TAKES: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) struct Runner<'a> {
    page: &'a Page,
    recording: &'a Recording,
    options: &'a ReplayOptions,
    cursor: &'a ReplayCursor,
    input: Input,
    divergences: Vec<Divergence>,
    /// 1 for the first; 0 before it.
    number: usize,
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        page: &'a Page,
        recording: &'a Recording,
        options: &'a ReplayOptions,
        cursor: &'a ReplayCursor,
    ) -> Self {
        Self {
            page,
            recording,
            options,
            cursor,
            input: Input::default(),
            divergences: Vec::new(),
            number: 0,
        }
    }

    pub(super) async fn run(
        mut self,
        progress: &mut (dyn FnMut(usize, usize, &str) + Send),
    ) -> Result<ReplayReport, DriverError> {
        let start_ms = self.page.clock().now_ms();
        let steps = &self.recording.steps;
        let dialogs = self.page.dialogs_accepted();
        // Which step the page's present address replaces, if any.
        let mut rebased = None;
        if let Some(url) = &self.options.page_url {
            let first_action = steps.iter().position(|step| {
                !matches!(
                    step.kind,
                    StepKind::SetViewport(_) | StepKind::EmulateNetworkConditions { .. }
                )
            });
            match first_action {
                Some(index) if matches!(steps[index].kind, StepKind::Navigate { .. }) => {
                    rebased = Some(index)
                }
                _ => {
                    self.page.navigate(url, self.options.load_limit).await?;
                }
            }
        }
        for (index, step) in steps.iter().enumerate() {
            self.number = index + 1;
            let description = match (&self.options.page_url, rebased == Some(index)) {
                (Some(url), true) => format!("navigate to {url}"),
                _ => step.describe(),
            };
            self.cursor.set(Some(CurrentStep {
                index,
                description: description.clone(),
                kind: step.kind.name(),
                selector: selectors_of(&step.kind).first().map(ToString::to_string),
            }));
            progress(self.number, steps.len(), &description);
            let place = rebased
                .filter(|rebased| *rebased == index)
                .and(self.options.page_url.as_deref());
            match self.step(step, place).await {
                Ok(()) => {}
                Err(Miss::NotThere(why)) => {
                    return Err(DriverError::StepFailed {
                        step: self.number,
                        steps: steps.len(),
                        description,
                        why,
                    });
                }
                Err(Miss::Failed(error))
                    if error.is_fatal() || matches!(error, DriverError::PageNotLoaded { .. }) =>
                {
                    return Err(error);
                }
                Err(Miss::Failed(error)) => {
                    let why = error.to_string();
                    return Err(DriverError::StepFailed {
                        step: self.number,
                        steps: steps.len(),
                        description,
                        why,
                    });
                }
            }
        }
        match self.page.dialogs_accepted() - dialogs {
            0 => {}
            count => self.note(format!("{count} dialogs of the page were accepted; the recording does not say how they were answered")),
        }
        Ok(ReplayReport {
            steps: steps.len(),
            time_ms: self.page.clock().now_ms() - start_ms,
            divergences: self.divergences,
        })
    }

    fn note(&mut self, note: String) {
        self.divergences.push(Divergence {
            step: self.number,
            note,
        });
    }

    async fn step(&mut self, step: &Step, place: Option<&str>) -> Result<(), Miss> {
        let default = match step.kind {
            StepKind::Navigate { .. } => self.options.load_limit,
            _ => self.options.step_limit,
        };
        let limit = step
            .timeout_ms
            .or(self.recording.timeout_ms)
            .map_or(default, Duration::from_millis);
        self.pace(step).await;
        if let Some(target) = step
            .target
            .as_deref()
            .filter(|target| *target != "main" && *target != self.page.url())
        {
            return Err(Miss::NotThere(format!(
                "it acts on {target}, another window or a frame of another site, which a replay does not reach"
            )));
        }
        let frame: Vec<usize> = step
            .frame
            .iter()
            .filter_map(|index| usize::try_from(*index).ok())
            .collect();
        let (loads, moves) = self.page.read(|state| (state.loads, state.moves_within));
        let scene = Scene { frame, limit };
        match &step.kind {
            StepKind::Navigate { url } => {
                let outcome = self.page.navigate(place.unwrap_or(url), limit).await?;
                if let Some(status) = outcome.status.filter(|status| *status >= 400) {
                    self.note(format!(
                        "{} was answered with HTTP status {status}",
                        outcome.url
                    ));
                }
            }
            StepKind::SetViewport(viewport) => self.set_viewport(viewport).await?,
            StepKind::EmulateNetworkConditions {
                download,
                upload,
                latency_ms,
            } => {
                let params = json!({
                    "offline": *download == 0.0,
                    "downloadThroughput": download,
                    "uploadThroughput": upload,
                    "latency": latency_ms,
                });
                self.page
                    .drive(self.page.send("Network.emulateNetworkConditions", params))
                    .await?;
            }
            StepKind::Click(pointer) => self.click(&scene, pointer, 1).await?,
            StepKind::DoubleClick(pointer) => self.click(&scene, pointer, 2).await?,
            StepKind::Hover { selectors } => {
                let at = self.point(&scene, selectors, None, false).await?;
                self.input.hover(self.page, at).await?;
            }
            StepKind::Change { selectors, value } => self.change(&scene, selectors, value).await?,
            StepKind::KeyDown { key } => {
                let known = key_named(key).ok_or_else(|| unknown_key(key))?;
                self.input.key_down(self.page, &known).await?;
            }
            StepKind::KeyUp { key } => {
                let known = key_named(key).ok_or_else(|| unknown_key(key))?;
                self.input.key_up(self.page, &known).await?;
            }
            StepKind::Scroll { selectors, x, y } => {
                let mut request = json!({ "task": "scroll", "x": x, "y": y });
                if !selectors.is_empty() {
                    request["selectors"] = texts(selectors);
                }
                self.look(&scene, &request).await?;
            }
            StepKind::WaitForElement(wait) => self.wait_for_element(&scene, wait).await?,
            StepKind::WaitForExpression { expression } => {
                self.wait_for_expression(&scene, expression).await?
            }
            // The tab stays, because the end of the replay is a moment to be asked about.
            StepKind::Close => return Ok(()),
            StepKind::CustomStep { name, .. } => {
                self.note(format!(
                    "the custom step {name} was left out: it is not known"
                ));
                return Ok(());
            }
        }
        self.settle(step, loads, moves, limit, place.is_some())
            .await
    }

    /// At real speed, waits for as long as the user did.
    async fn pace(&self, step: &Step) {
        let after = step
            .other
            .get("querypoint")
            .and_then(|ours| ours.get("afterMs"))
            .and_then(Value::as_u64);
        if let (Speed::Real, Some(after)) = (self.options.speed, after) {
            self.page
                .drive(self.page.clock().sleep(Duration::from_millis(after)))
                .await;
        }
    }

    async fn look(&mut self, scene: &Scene, request: &Value) -> Result<Found, Miss> {
        let mut found = ask(self.page, &scene.frame, request, scene.limit).await?;
        self.cursor.matched(found.selector.clone());
        for note in std::mem::take(&mut found.notes) {
            self.note(note);
        }
        Ok(found)
    }

    /// Waits for the element and answers where in the viewport to act on it.
    async fn point(
        &mut self,
        scene: &Scene,
        selectors: &[SelectorChain],
        offset: Option<(f64, f64)>,
        enabled: bool,
    ) -> Result<Place, Miss> {
        let mut request = json!({ "task": "point", "selectors": texts(selectors), "enabled": enabled, "coverMs": COVER_MS });
        if let Some((x, y)) = offset {
            request["offsetX"] = json!(x);
            request["offsetY"] = json!(y);
        }
        let at = self.look(scene, &request).await?.place();
        let origin = frame_origin(self.page, &scene.frame, scene.limit).await?;
        Ok(Place {
            x: origin.x + at.x,
            y: origin.y + at.y,
        })
    }

    async fn click(&mut self, scene: &Scene, pointer: &Pointer, clicks: u32) -> Result<(), Miss> {
        let offset = Some((pointer.offset_x, pointer.offset_y));
        let at = self.point(scene, &pointer.selectors, offset, true).await?;
        let press = Press {
            button: match pointer.button {
                MouseButton::Primary => "left",
                MouseButton::Auxiliary => "middle",
                MouseButton::Secondary => "right",
                MouseButton::Back => "back",
                MouseButton::Forward => "forward",
            },
            device: match pointer.device_type {
                DeviceType::Mouse => "mouse",
                DeviceType::Pen => "pen",
                DeviceType::Touch => "touch",
            },
            clicks,
            hold: match self.options.speed {
                Speed::Fast => None,
                Speed::Real => pointer.duration_ms.map(Duration::from_millis),
            },
        };
        Ok(self.input.click(self.page, at, press).await?)
    }

    async fn change(
        &mut self,
        scene: &Scene,
        selectors: &[SelectorChain],
        value: &str,
    ) -> Result<(), Miss> {
        let request = json!({ "task": "edit", "selectors": texts(selectors), "value": value });
        let found = self.look(scene, &request).await?;
        match found.text("how") {
            "type" => {
                let clear = found.answer.get("clear") == Some(&Value::Bool(true));
                self.input
                    .type_text(self.page, found.text("text"), clear)
                    .await?;
            }
            "click" => {
                let at = self.point(scene, selectors, None, true).await?;
                let press = Press {
                    button: "left",
                    device: "mouse",
                    clicks: 1,
                    hold: None,
                };
                self.input.click(self.page, at, press).await?;
            }
            _ => {}
        }
        Ok(())
    }

    async fn set_viewport(&mut self, viewport: &Viewport) -> Result<(), Miss> {
        let (orientation, angle) = if viewport.is_landscape {
            ("landscapePrimary", 90)
        } else {
            ("portraitPrimary", 0)
        };
        let metrics = json!({
            "width": viewport.width,
            "height": viewport.height,
            "deviceScaleFactor": viewport.device_scale_factor,
            "mobile": viewport.is_mobile,
            "screenOrientation": { "type": orientation, "angle": angle },
        });
        let size = self
            .page
            .send("Emulation.setDeviceMetricsOverride", metrics);
        let touch = self.page.send(
            "Emulation.setTouchEmulationEnabled",
            json!({ "enabled": viewport.has_touch }),
        );
        let (size, touch) = self.page.drive(futures::future::join(size, touch)).await;
        size?;
        touch?;
        Ok(())
    }

    async fn wait_for_element(&mut self, scene: &Scene, wait: &WaitForElement) -> Result<(), Miss> {
        let request = json!({
            "task": "element",
            "selectors": texts(&wait.selectors),
            "operator": wait.operator.word(),
            "count": wait.count,
            "visible": wait.visible,
            "properties": wait.properties,
            "attributes": wait.attributes,
        });
        self.look(scene, &request).await.map(drop)
    }

    /// Asks the page's own world, once in every frame.
    async fn wait_for_expression(&mut self, scene: &Scene, expression: &str) -> Result<(), Miss> {
        if !scene.frame.is_empty() {
            return Err(Miss::NotThere(
                "an expression in a frame cannot be waited for".to_owned(),
            ));
        }
        let deadline_ms = self.page.clock().now_ms() + scene.limit.as_secs_f64() * 1000.0;
        loop {
            let params = json!({ "expression": evaluated(expression), "awaitPromise": true, "silent": true });
            let last = match self
                .page
                .drive(self.page.send("Runtime.evaluate", params))
                .await
            {
                Ok(result) => match result.pointer("/exceptionDetails") {
                    Some(details) => details
                        .pointer("/exception/description")
                        .or_else(|| details.get("text"))
                        .and_then(Value::as_str)
                        .unwrap_or("it threw")
                        .to_owned(),
                    None if is_truthy(result.get("result")) => return Ok(()),
                    None => "it is never true".to_owned(),
                },
                Err(error) => match DriverError::from(error) {
                    error if is_stale(&error) => "the page went elsewhere".to_owned(),
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

    /// Waits until the page has handled the step: one frame, and the document that it leads to.
    async fn settle(
        &mut self,
        step: &Step,
        loads: usize,
        moves: usize,
        limit: Duration,
        rebased: bool,
    ) -> Result<(), Miss> {
        let navigated = matches!(step.kind, StepKind::Navigate { .. });
        if !navigated {
            let task = json!({ "task": "frame" });
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
                Err(DriverError::TimedOut { after_ms, .. }) => {
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
            Err(DriverError::TimedOut { after_ms, .. }) => {
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

    /// Notes where the navigation led if it is not where the recording went. Origins differ with where a page is served.
    async fn compare(&mut self, title: Option<&str>, url: Option<&str>) -> Result<(), Miss> {
        let here = self.page.url();
        if let Some(url) = url.filter(|url| !url.is_empty())
            && path_of(url) != path_of(&here)
        {
            self.note(format!("the recording came to {url}, the replay to {here}"));
        }
        if let Some(title) = title.filter(|title| !title.is_empty()) {
            let params = json!({ "task": "title" });
            let found = ask(self.page, &[], &params, self.options.step_limit).await?;
            if found.text("title") != title {
                let found = found.text("title").to_owned();
                self.note(format!("the recording came to a page titled {title:?}, the replay to one titled {found:?}"));
            }
        }
        Ok(())
    }
}

/// Where and for how long a step looks.
struct Scene {
    frame: Vec<usize>,
    limit: Duration,
}

fn unknown_key(key: &str) -> Miss {
    Miss::NotThere(format!(
        "no key is named {key:?}; the names are those of KeyboardEvent.key, as Enter or a"
    ))
}

fn path_of(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(parsed) => parsed[url::Position::BeforePath..url::Position::AfterQuery].to_owned(),
        Err(_) => url.to_owned(),
    }
}

fn is_truthy(remote: Option<&Value>) -> bool {
    let Some(remote) = remote else { return false };
    match remote.get("type").and_then(Value::as_str) {
        Some("undefined") | None => false,
        Some("object") => remote.get("subtype").and_then(Value::as_str) != Some("null"),
        Some("function" | "symbol") => true,
        Some("bigint") => remote.get("unserializableValue").and_then(Value::as_str) != Some("0n"),
        Some(_) => match remote.get("value") {
            Some(Value::Bool(value)) => *value,
            Some(Value::String(value)) => !value.is_empty(),
            Some(Value::Number(value)) => value.as_f64() != Some(0.0),
            // Infinity and -Infinity are not JSON; nor are NaN and -0.
            _ => matches!(
                remote.get("unserializableValue").and_then(Value::as_str),
                Some("Infinity" | "-Infinity")
            ),
        },
    }
}

fn selectors_of(kind: &StepKind) -> &[SelectorChain] {
    match kind {
        StepKind::Click(pointer) | StepKind::DoubleClick(pointer) => &pointer.selectors,
        StepKind::Hover { selectors }
        | StepKind::Change { selectors, .. }
        | StepKind::Scroll { selectors, .. } => selectors,
        StepKind::WaitForElement(wait) => &wait.selectors,
        StepKind::Navigate { .. }
        | StepKind::SetViewport(_)
        | StepKind::EmulateNetworkConditions { .. }
        | StepKind::KeyDown { .. }
        | StepKind::KeyUp { .. }
        | StepKind::WaitForExpression { .. }
        | StepKind::Close
        | StepKind::CustomStep { .. } => &[],
    }
}

/// The alternatives as the selector script reads them.
fn texts(selectors: &[SelectorChain]) -> Value {
    selectors
        .iter()
        .map(|chain| chain.0.iter().map(ToString::to_string).collect::<Value>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(is_truthy(Some(&remote)), truthy, "{remote}");
        }
        assert!(!is_truthy(None));
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
