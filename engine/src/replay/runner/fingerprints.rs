//! Whether the steps of a recording reach the page as it was recorded.

use recording::{Recording, ScriptEvents, SelectorChain, Step, TargetState};
use serde_json::json;

use super::super::Speed;
use super::super::input::ViewportPoint;
use super::super::locate::Miss;
use super::{Runner, Scene, texts};

/// How long the page has for what the user saw before they acted: a replay may come sooner than a person.
const WAIT_MS: u32 = 500;

/// What the scripts of the page were recorded to do.
pub(in crate::replay) struct ScriptEventsSoFar {
    speed: Speed,
    /// In all; none: that was not recorded, or a difference was reported.
    in_all: Option<ScriptEvents>,
    /// Up to the present step.
    so_far: ScriptEvents,
}

impl ScriptEventsSoFar {
    pub(in crate::replay) fn new(recording: &Recording, speed: Speed) -> Self {
        Self {
            speed,
            in_all: recording.script_events(),
            so_far: ScriptEvents::default(),
        }
    }

    /// For another tab than that whose scripts count.
    pub(in crate::replay) fn unknown() -> Self {
        Self {
            speed: Speed::Fast,
            in_all: None,
            so_far: ScriptEvents::default(),
        }
    }

    /// How what scripts did differs from what was recorded, in words; said once. Where think time is skipped, what
    /// hangs on time comes at later steps: then only what is more than was recorded up to the end counts.
    fn difference(&mut self, now: ScriptEvents, is_exact: bool) -> Option<String> {
        let in_all = self.in_all?;
        let difference = match is_exact {
            true => now.differing_from(self.so_far),
            false => now.beyond(in_all),
        };
        if difference.is_some() {
            self.in_all = None;
        }
        difference
    }
}

impl Runner<'_> {
    /// Before a step: whether the page's scripts have done what they did when it was recorded.
    pub(in crate::replay) fn compare_events(&mut self, step: &Step) {
        let now = self.page.read(|state| state.script_events);
        let Some(recorded) = step.fingerprint() else {
            return;
        };
        self.events.so_far += recorded.events;
        let is_exact = self.events.speed == Speed::Real;
        if let Some(difference) = self.events.difference(now, is_exact) {
            self.note(difference);
        }
    }

    /// After the last step.
    pub(in crate::replay) fn compare_events_at_end(&mut self) {
        let now = self.page.read(|state| state.script_events);
        if let Some(difference) = self.events.difference(now, false) {
            self.note(difference);
        }
    }

    /// Where to act on the element of a step, when it is as it was recorded.
    pub(in crate::replay) async fn point_as_recorded(
        &mut self,
        scene: &Scene,
        selectors: &[SelectorChain],
        offset: Option<(f64, f64)>,
        enabled: bool,
    ) -> Result<ViewportPoint, Miss> {
        let at = self.point(scene, selectors, offset, enabled).await?;
        match self.compare_target(scene, selectors, Some(at)).await? {
            Came::AsItWas => Ok(at),
            // It may be elsewhere now.
            Came::Later => self.point(scene, selectors, offset, enabled).await,
        }
    }

    /// Waits until the element of a step is as it was recorded; whatever it is, the step is done. The pointer, which
    /// reaches it first, may change it.
    pub(in crate::replay) async fn compare_target(
        &mut self,
        scene: &Scene,
        selectors: &[SelectorChain],
        at: Option<ViewportPoint>,
    ) -> Result<Came, Miss> {
        let Some(recorded) = &scene.recorded else {
            return Ok(Came::AsItWas);
        };
        let mut came = Came::AsItWas;
        if let Some(at) = at {
            if self
                .target_differs(scene, selectors, recorded, 0)
                .await?
                .is_none()
            {
                return Ok(came);
            }
            self.input.hover(self.page, at).await?;
            came = Came::Later;
        }
        if let Some(difference) = self
            .target_differs(scene, selectors, recorded, WAIT_MS)
            .await?
        {
            self.note(format!("its element is otherwise: {difference}"));
        }
        Ok(came)
    }

    async fn target_differs(
        &mut self,
        scene: &Scene,
        selectors: &[SelectorChain],
        recorded: &TargetState,
        wait_ms: u32,
    ) -> Result<Option<String>, Miss> {
        let request = json!({ "task": "state", "selectors": texts(selectors), "recorded": recorded, "waitMs": wait_ms });
        let found = self.look(scene, &request).await?;
        let state = found.answer.get("state").cloned().unwrap_or_default();
        // Whether it is there is the step's own business.
        let now = serde_json::from_value::<Option<TargetState>>(state).unwrap_or_default();
        Ok(now.and_then(|now| recorded.difference_to(&now)))
    }
}

/// How an element became what it was.
pub(in crate::replay) enum Came {
    AsItWas,
    /// After the pointer reached it, or some time later, if at all.
    Later,
}
