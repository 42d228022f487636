//! Does the steps of a recording, one after the other.

pub(super) mod environment;
mod fingerprints;

use cdp_driver::protocol::generated as cdp;
use std::sync::Arc;
use std::time::Duration;

use recording::{
    DeviceType, Drag, MouseButton, Pointer, Recording, SelectorChain, Step, StepKind, TargetState,
    Viewport,
};
use serde_json::{Value, json};

use super::input::{Input, Press, TYPED_CHARACTERS, ViewportPoint};
use super::keys::{key_named, key_of};
use super::locate::{LocatedElement, Miss, ask, frame_origin};
use super::{CurrentStep, Divergence, ReplayCursor, ReplayOptions, ReplayReport, Speed};
use crate::error::EngineError;
use crate::page::Page;
use crate::recorded_inputs::InputReplay;
pub(super) use fingerprints::ScriptEventsSoFar;

/// How long an overlay may cover what is to be clicked before the click is made all the same.
const COVER_MS: u32 = 1000;

pub(super) struct Runner<'a> {
    pub(super) page: &'a Page,
    pub(super) recording: &'a Recording,
    pub(super) options: &'a ReplayOptions,
    pub(super) cursor: &'a ReplayCursor,
    /// What replays the recorded inputs, if there are any.
    pub(super) input_replay: Option<&'a InputReplay>,
    pub(super) input: Input,
    pub(super) divergences: Vec<Divergence>,
    pub(super) events: ScriptEventsSoFar,
    /// 1 for the first; 0 before it.
    pub(super) number: usize,
    /// What puts back what was stored, until that is done.
    pub(super) storage_script: Option<cdp::page::ScriptIdentifier>,
    /// The tabs that the page opened, as far as the recording acts on them.
    pub(super) tabs: Vec<Arc<Page>>,
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        page: &'a Page,
        recording: &'a Recording,
        options: &'a ReplayOptions,
        cursor: &'a ReplayCursor,
        input_replay: Option<&'a InputReplay>,
    ) -> Self {
        Self {
            page,
            recording,
            options,
            cursor,
            input_replay,
            input: Input::counted_in(&cursor.sent),
            divergences: Vec::new(),
            events: ScriptEventsSoFar::new(recording, options.speed),
            number: 0,
            storage_script: None,
            tabs: Vec::new(),
        }
    }

    pub(super) async fn run(
        mut self,
        progress: &mut (dyn FnMut(usize, usize, &str) + Send),
    ) -> Result<ReplayReport, EngineError> {
        let start_ms = self.page.clock().now_ms();
        let steps = &self.recording.steps;
        self.store_before_page().await?;
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
                    if let Some(input_replay) = self.input_replay {
                        self.page.drive(input_replay.opens()).await;
                    }
                    self.page.navigate(url, self.options.load_limit).await?;
                    self.has_stored().await?;
                }
            }
        }
        self.keep_file_choosers_away().await?;
        self.take_environment_on().await?;
        for (index, step) in steps.iter().enumerate() {
            self.number = index + 1;
            let description = match (&self.options.page_url, rebased == Some(index)) {
                (Some(url), true) => format!("navigate to {url}"),
                _ => step.describe(),
            };
            // What happens while the replay waits comes of what was done before.
            if !step.kind.is_wait() {
                self.cursor.set(Some(CurrentStep {
                    index,
                    description: description.clone(),
                    kind: step.kind.name(),
                    selector: selectors_of(&step.kind).first().map(ToString::to_string),
                }));
            }
            progress(self.number, steps.len(), &description);
            if steps[index + 1..]
                .iter()
                .all(|step| !step.kind.is_gesture())
            {
                self.cursor.sent.begin_last();
            }
            let place = rebased
                .filter(|rebased| *rebased == index)
                .and(self.options.page_url.as_deref());
            self.compare_events(step);
            let done = match step.target.as_deref() {
                Some(target) if target != "main" && target != self.page.url() => {
                    self.step_elsewhere(step, target).await
                }
                _ => self.step(step, place).await,
            };
            if let Some(input_replay) = self.input_replay {
                input_replay.did(steps.get(index + 1..).unwrap_or_default());
            }
            for difference in self
                .input_replay
                .map(InputReplay::differences)
                .unwrap_or_default()
            {
                self.note(difference);
            }
            match done {
                Ok(()) => {}
                Err(Miss::NotThere(why)) => {
                    return Err(EngineError::StepFailed {
                        step: self.number,
                        steps: steps.len(),
                        description,
                        why,
                    });
                }
                Err(Miss::Failed(error))
                    if error.is_fatal() || matches!(error, EngineError::PageNotLoaded { .. }) =>
                {
                    return Err(error);
                }
                Err(Miss::Failed(error)) => {
                    let why = error.to_string();
                    return Err(EngineError::StepFailed {
                        step: self.number,
                        steps: steps.len(),
                        description,
                        why,
                    });
                }
            }
        }
        self.note_dialogs();
        self.compare_events_at_end();
        Ok(ReplayReport {
            steps: steps.len(),
            time_ms: self.page.clock().now_ms() - start_ms,
            divergences: self.divergences,
        })
    }

    pub(super) fn note(&mut self, note: String) {
        self.divergences.push(Divergence {
            step: self.number,
            note,
        });
    }

    pub(super) async fn step(&mut self, step: &Step, place: Option<&str>) -> Result<(), Miss> {
        let limit = self.limit_of(step);
        self.pace(step).await;
        if let Some(input_replay) = self.input_replay {
            self.page.drive(input_replay.before(step)).await;
        }
        let frame: Vec<usize> = step
            .frame
            .iter()
            .filter_map(|index| usize::try_from(*index).ok())
            .collect();
        let (loads, moves) = self.page.read(|state| (state.loads, state.moves_within));
        let recorded = step.fingerprint().and_then(|found| found.target);
        let scene = Scene {
            frame,
            limit,
            recorded,
        };
        self.expect_dialogs(step);
        match &step.kind {
            StepKind::Navigate { url } => {
                let outcome = self.page.navigate(place.unwrap_or(url), limit).await?;
                self.has_stored().await?;
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
                let conditions = cdp::network::EmulateNetworkConditions::new(
                    *download == 0.0,
                    *latency_ms,
                    *download,
                    *upload,
                );
                self.page.drive(self.page.call(&conditions)).await?;
            }
            StepKind::Click(pointer) => {
                self.click(&scene, pointer, place_in(step, pointer), 1)
                    .await?
            }
            StepKind::DoubleClick(pointer) => {
                self.click(&scene, pointer, place_in(step, pointer), 2)
                    .await?
            }
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
            StepKind::Drag(drag) => self.drag(&scene, drag, step.needs_no_frames()).await?,
            StepKind::Wheel(wheel) => {
                let offset = Some((wheel.offset_x, wheel.offset_y));
                let at = self.point(&scene, &wheel.selectors, offset, false).await?;
                let by = (wheel.delta_x, wheel.delta_y);
                self.input.wheel(self.page, at, by).await?;
            }
            StepKind::Files(files) => self.choose_files(&scene, files).await?,
            StepKind::History(history) => self.go_in_history(history.delta).await?,
            StepKind::CustomStep { name, .. } => {
                self.note(format!(
                    "the custom step {name} was left out: it is not known"
                ));
                return Ok(());
            }
        }
        self.settle(step, loads, moves, limit, place.is_some())
            .await?;
        self.settle_dialogs(limit).await
    }

    /// How long the step may take.
    pub(super) fn limit_of(&self, step: &Step) -> Duration {
        let default = match step.kind {
            StepKind::Navigate { .. } => self.options.load_limit,
            _ => self.options.step_limit,
        };
        step.timeout_ms
            .or(self.recording.timeout_ms)
            .map_or(default, Duration::from_millis)
    }

    /// At real speed, waits for as long as the user did.
    async fn pace(&self, step: &Step) {
        if let (Speed::Real, Some(after)) = (self.options.speed, step.think_ms()) {
            self.page
                .drive(self.page.clock().sleep(Duration::from_millis(after)))
                .await;
        }
    }

    pub(super) async fn look(
        &mut self,
        scene: &Scene,
        request: &Value,
    ) -> Result<LocatedElement, Miss> {
        let found = self.wait_for(scene, request).await?;
        self.cursor.matched(found.selector.clone());
        Ok(found)
    }

    /// Looks for what the step does nothing to.
    pub(super) async fn wait_for(
        &mut self,
        scene: &Scene,
        request: &Value,
    ) -> Result<LocatedElement, Miss> {
        let mut found = ask(self.page, &scene.frame, request, scene.limit).await?;
        for note in std::mem::take(&mut found.notes) {
            self.note(note);
        }
        Ok(found)
    }

    /// Waits for the element and answers where in the viewport to act on it.
    pub(super) async fn point(
        &mut self,
        scene: &Scene,
        selectors: &[SelectorChain],
        offset: Option<(f64, f64)>,
        enabled: bool,
    ) -> Result<ViewportPoint, Miss> {
        let mut request = json!({ "task": "point", "selectors": texts(selectors), "enabled": enabled, "coverMs": COVER_MS });
        if let Some((x, y)) = offset {
            request["offsetX"] = json!(x);
            request["offsetY"] = json!(y);
        }
        let at = self.look(scene, &request).await?.place();
        let origin = frame_origin(self.page, &scene.frame, scene.limit).await?;
        Ok(ViewportPoint {
            x: origin.x + at.x,
            y: origin.y + at.y,
        })
    }

    async fn click(
        &mut self,
        scene: &Scene,
        pointer: &Pointer,
        offset: Option<(f64, f64)>,
        clicks: u32,
    ) -> Result<(), Miss> {
        let at = self
            .point_as_recorded(scene, &pointer.selectors, offset, true)
            .await?;
        let press = Press {
            clicks,
            hold: match self.options.speed {
                Speed::Fast => None,
                Speed::Real => pointer.duration_ms.map(Duration::from_millis),
            },
            ..press_of(pointer)
        };
        Ok(self.input.click(self.page, at, press).await?)
    }

    /// Presses, moves along the path, and releases; at real speed when the user did.
    async fn drag(
        &mut self,
        scene: &Scene,
        drag: &Drag,
        needs_no_frames: bool,
    ) -> Result<(), Miss> {
        let offset = Some((drag.from.offset_x, drag.from.offset_y));
        let from = self
            .point_as_recorded(scene, &drag.from.selectors, offset, false)
            .await?;
        let press = press_of(&drag.from);
        self.input.press(self.page, from, press).await?;
        // A page that draws once a frame is to see each place, and what is dragged as such moves frame by frame.
        let no_frame = self.options.speed == Speed::Fast
            && needs_no_frames
            && drag.onto.is_none()
            && !self.is_editing(scene).await?;
        let began_ms = self.page.clock().now_ms();
        let mut last = from;
        for &[x, y, after_ms] in &drag.path {
            let left_ms = began_ms + after_ms - self.page.clock().now_ms();
            if self.options.speed == Speed::Real && left_ms > 0.0 {
                let pause = Duration::from_secs_f64(left_ms.min(60_000.0) / 1000.0);
                self.page.drive(self.page.clock().sleep(pause)).await;
            }
            last = ViewportPoint {
                x: from.x + x,
                y: from.y + y,
            };
            let held = self.input.held_to(self.page, last, press, no_frame);
            held.await?;
        }
        if let Some(onto) = &drag.onto {
            let offset = Some((onto.offset_x, onto.offset_y));
            let at = self.point(scene, &onto.selectors, offset, false).await?;
            last = at;
            // What it comes over is asked whether it takes it; only then can it be dropped there.
            for _ in 0..2 {
                self.input.held_to(self.page, last, press, false).await?;
            }
        }
        Ok(self.input.release(self.page, last, press).await?)
    }

    /// Whether a text may be edited where the focus is.
    async fn is_editing(&mut self, scene: &Scene) -> Result<bool, Miss> {
        let found = self.look(scene, &json!({ "task": "editing" })).await?;
        Ok(found.answer.get("editing") != Some(&Value::Bool(false)))
    }

    async fn change(
        &mut self,
        scene: &Scene,
        selectors: &[SelectorChain],
        value: &str,
    ) -> Result<(), Miss> {
        self.compare_target(scene, selectors, None).await?;
        let request = json!({ "task": "edit", "selectors": texts(selectors), "value": value });
        let found = self.look(scene, &request).await?;
        match found.text("how") {
            "type" => {
                let clear = found.answer.get("clear") == Some(&Value::Bool(true));
                self.type_text(found.text("text"), clear).await?;
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

    async fn type_text(&mut self, text: &str, clear: bool) -> Result<(), Miss> {
        let count = text.chars().count();
        if !self.cursor.sent.waits_until_idle() || !(1..=TYPED_CHARACTERS).contains(&count) {
            return Ok(self.input.type_text(self.page, text, clear).await?);
        }
        for character in text.chars() {
            let loads = self.page.read(|state| state.loads);
            match key_of(character) {
                Some(key) => {
                    self.input.key_down(self.page, &key).await?;
                    self.next_frame(loads).await?;
                    self.input.key_up(self.page, &key).await?;
                }
                None => {
                    let text = character.to_string();
                    self.input.type_text(self.page, &text, false).await?;
                }
            }
            self.next_frame(loads).await?;
        }
        Ok(())
    }

    async fn set_viewport(&mut self, viewport: &Viewport) -> Result<(), Miss> {
        use cdp::emulation::{
            ScreenOrientation, ScreenOrientationType, SetDeviceMetricsOverride,
            SetTouchEmulationEnabled,
        };
        let (orientation, angle) = if viewport.is_landscape {
            (ScreenOrientationType::LandscapePrimary, 90)
        } else {
            (ScreenOrientationType::PortraitPrimary, 0)
        };
        let size = SetDeviceMetricsOverride {
            screen_orientation: Some(ScreenOrientation::new(orientation, angle)),
            ..SetDeviceMetricsOverride::new(
                i64::from(viewport.width),
                i64::from(viewport.height),
                viewport.device_scale_factor,
                viewport.is_mobile,
            )
        };
        let size = self.page.call(&size);
        let touch = SetTouchEmulationEnabled::new(viewport.has_touch);
        let touch = self.page.call(&touch);
        let (size, touch) = self.page.drive(futures::future::join(size, touch)).await;
        size?;
        touch?;
        Ok(())
    }
}

fn press_of(pointer: &Pointer) -> Press<'static> {
    Press {
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
        clicks: 1,
        hold: None,
    }
}

/// Where and for how long a step looks.
pub(super) struct Scene {
    pub(super) frame: Vec<usize>,
    pub(super) limit: Duration,
    /// What the step's element was when it was recorded.
    pub(super) recorded: Option<TargetState>,
}

fn unknown_key(key: &str) -> Miss {
    Miss::NotThere(format!(
        "no key is named {key:?}; the names are those of KeyboardEvent.key, as Enter or a"
    ))
}

/// Where in its element something is pressed; none: in the middle, as nobody has recorded where.
fn place_in(step: &Step, pointer: &Pointer) -> Option<(f64, f64)> {
    let is_middle = step.ours("middle").and_then(Value::as_bool) == Some(true);
    (!is_middle).then_some((pointer.offset_x, pointer.offset_y))
}

fn selectors_of(kind: &StepKind) -> &[SelectorChain] {
    match kind {
        StepKind::Click(pointer) | StepKind::DoubleClick(pointer) => &pointer.selectors,
        StepKind::Hover { selectors }
        | StepKind::Change { selectors, .. }
        | StepKind::Scroll { selectors, .. } => selectors,
        StepKind::WaitForElement(wait) => &wait.selectors,
        StepKind::Drag(drag) => &drag.from.selectors,
        StepKind::Wheel(wheel) => &wheel.selectors,
        StepKind::Files(files) => &files.selectors,
        StepKind::Navigate { .. }
        | StepKind::SetViewport(_)
        | StepKind::EmulateNetworkConditions { .. }
        | StepKind::KeyDown { .. }
        | StepKind::KeyUp { .. }
        | StepKind::WaitForExpression { .. }
        | StepKind::Close
        | StepKind::History(_)
        | StepKind::CustomStep { .. } => &[],
    }
}

/// The alternatives as the selector script reads them.
pub(super) fn texts(selectors: &[SelectorChain]) -> Value {
    selectors
        .iter()
        .map(|chain| chain.0.iter().map(ToString::to_string).collect::<Value>())
        .collect()
}
