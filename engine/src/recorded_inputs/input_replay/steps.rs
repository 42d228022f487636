//! The clocks, from step to step and from response to response.

use agent::evaluated;
use std::time::Duration;

use recording::{Step, StepKind};
use serde_json::Value;

use super::InputReplay;
use super::scripts::Patience;
use crate::recorded_inputs::loads::Loads;
use crate::recorded_inputs::same_responses::Turns;
use cdp::fetch::RequestPaused;
use cdp::network::ResourceType;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, SessionId, with_time_limit};

/// How soon after its first request a document is there, in milliseconds.
const BEGINS_WITHIN_MS: f64 = 1000.0;
/// How soon after that the parser reaches what it asks for.
const REACHES_WITHIN: Duration = Duration::from_secs(1);
/// How soon a page answers that has nothing to do.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// How long responses are waited for before a step, in milliseconds.
const ARRIVES_WITHIN_MS: f64 = 2000.0;
const LOOK_EVERY: Duration = Duration::from_millis(5);

impl InputReplay {
    /// Moves the clocks to when `step` was done, before it is done: to when it began, where it takes time. They never
    /// go back.
    pub(crate) async fn before(&self, step: &Step) {
        if let Some(turns) = &self.turns {
            self.all_arrived(turns).await;
        }
        let at_ms = began_ms(step);
        let start_ms = self.state().time.as_ref().map(|time| time.start_ms);
        if let (Some(start_ms), Some(at_ms)) = (start_ms, at_ms) {
            let clock = self.clock.as_ref();
            self.order.arrived_until(start_ms + at_ms, clock).await;
        }
        let is_moved = {
            let now_ms = self.clock.now_ms();
            let mut state = self.state();
            let Some(time) = &mut state.time else {
                return;
            };
            let now = time.wall_ms + now_ms + time.shift_ms;
            let moves_on = match (at_ms, &step.kind) {
                (None, StepKind::Navigate { .. }) if !time.is_open => time.start_ms - now,
                (Some(at), _) => (time.start_ms + at - now).max(0.0),
                (None, _) => 0.0,
            };
            if matches!(step.kind, StepKind::Navigate { .. }) && !time.is_open {
                time.is_open = true;
                self.order.done_until(time.start_ms, now_ms);
            }
            time.shift_ms += moves_on.round();
            time.doing = at_ms.map(|at| (time.start_ms + at, time.shift_ms));
            moves_on.abs() >= 0.5 || time.late_ms > 0.0
        };
        if is_moved {
            self.publish().await;
            if let (Some(start_ms), Some(at_ms)) = (start_ms, at_ms) {
                // What timers have asked for meanwhile.
                let clock = self.clock.as_ref();
                self.order.arrived_until(start_ms + at_ms, clock).await;
            }
        }
        self.order.acts(self.clock.now_ms());
    }

    /// Waits until what scripts have asked for has arrived, as far as that does not take too long.
    async fn all_arrived(&self, turns: &Turns) {
        let clock = self.clock.as_ref();
        let began_ms = clock.now_ms();
        loop {
            // What it asked for until it answers was told before the answer.
            let look = cdp::runtime::Evaluate {
                silent: Some(true),
                ..cdp::runtime::Evaluate::new(evaluated("0"))
            };
            let looked = self.protocol.call(Some(&self.tab), &look);
            // A page that is kept busy is not waited for.
            let _ = with_time_limit(clock, ANSWERS_WITHIN, "the page", looked).await;
            if turns.have_arrived(clock.now_ms()) || clock.now_ms() - began_ms > ARRIVES_WITHIN_MS {
                return;
            }
            clock.sleep(LOOK_EVERY).await;
        }
    }

    /// Something that the page loads had come then, in milliseconds since 1970: moves the clocks if that took long,
    /// once what had come before it is there and has run.
    /// `paused` is the request, as the browser tells of it.
    pub(super) async fn loaded_at(
        &self,
        session: &SessionId,
        paused: &RequestPaused,
        ended_ms: f64,
    ) {
        let took_long = || {
            let now_ms = self.clock.now_ms();
            let state = self.state();
            let time = state.time.as_ref().filter(|time| time.is_open);
            let now = time.map(|time| time.wall_ms + now_ms + time.shift_ms);
            now.is_some_and(|now| Loads::took_long(ended_ms, now))
        };
        if !took_long() {
            return;
        }
        let clock = self.clock.as_ref();
        self.loads.ended_before(ended_ms, clock).await;
        // The browser may tell what a document asks for before it tells that there is one, which could not be told the
        // time.
        let began_ms = clock.now_ms();
        while !self.has_begun(session) && clock.now_ms() - began_ms < BEGINS_WITHIN_MS {
            clock.sleep(LOOK_EVERY).await;
        }
        let reached = self.reaches_script(session, paused);
        // A document that is kept busy, or was left, is not waited for.
        let _ = with_time_limit(clock, REACHES_WITHIN, "a script's element", reached).await;
        if took_long() {
            self.moves_to(ended_ms).await;
        }
    }

    /// Waits until the parser of a document has reached the script that is asked for: then what is before it has
    /// run. The browser asks for scripts as soon as it has the document's text.
    async fn reaches_script(&self, session: &SessionId, paused: &RequestPaused) {
        let (true, Some(frame)) = (
            paused.resource_type == ResourceType::Script,
            &paused.frame_id,
        ) else {
            return;
        };
        let url = Value::from(paused.request.url.as_str());
        // What is no element's, as an imported module, comes when the document has been parsed.
        let is_there = format!(
            "document.readyState !== 'loading' || [...document.scripts].some((it) => it.src === {url})"
        );
        let (protocol, session) = (self.protocol.as_ref(), Some(session));
        loop {
            let world = cdp::page::CreateIsolatedWorld {
                world_name: Some("querypoint load".to_owned()),
                ..cdp::page::CreateIsolatedWorld::new(frame.clone())
            };
            let Ok(world) = protocol.call(session, &world).await else {
                return;
            };
            let look = cdp::runtime::Evaluate {
                context_id: Some(world.execution_context_id),
                return_by_value: Some(true),
                silent: Some(true),
                ..cdp::runtime::Evaluate::new(evaluated(&is_there))
            };
            let looked = protocol.call(session, &look).await;
            if looked.is_ok_and(|it| it.result.value == Some(Value::Bool(true))) {
                return;
            }
            self.clock.sleep(LOOK_EVERY).await;
        }
    }

    /// Whether the document of a session is there.
    fn has_begun(&self, session: &SessionId) -> bool {
        let state = self.state();
        let has_contexts = state.contexts.get(session).is_some_and(|it| !it.is_empty());
        has_contexts && !state.on_their_way.contains(session)
    }

    /// Moves the clocks to when a response came, before it comes. They never go back.
    pub(super) async fn moves_to(&self, recorded_ms: f64) {
        let is_moved = {
            let now_ms = self.clock.now_ms();
            let mut state = self.state();
            let Some(time) = state.time.as_mut().filter(|time| time.is_open) else {
                return;
            };
            let now = time.wall_ms + now_ms + time.shift_ms;
            let moves_on = (recorded_ms - now).max(0.0).round();
            time.shift_ms += moves_on;
            moves_on > 0.0
        };
        if is_moved {
            self.publish_within(Patience::SHORT).await;
        }
    }

    /// A step is done, and `rest` are those after it.
    pub(crate) fn did(&self, rest: &[Step]) {
        let next = rest.first();
        let now_ms = self.clock.now_ms();
        let start_ms = self.state().time.as_mut().map(|time| {
            // Its clock, without what responses have moved it since.
            let late = |(at_ms, shift_ms)| time.wall_ms + now_ms + shift_ms - at_ms;
            time.late_ms = time
                .doing
                .take()
                .map_or(0.0, |it| late(it).max(0.0).round());
            time.start_ms
        });
        let Some(start_ms) = start_ms else {
            return;
        };
        let until_ms = match next {
            None => Some(f64::INFINITY),
            Some(step) => step.at_ms().map(|at| start_ms + at),
        };
        if let Some(until_ms) = until_ms {
            self.order.done_until(until_ms, now_ms);
        }
        let [next_ms, following_ms] =
            [0, 1].map(|index| Some(start_ms + began_ms(rest.get(index)?)?));
        self.order.next_action(next_ms, following_ms);
    }

    /// The page is opened now, and no step says so.
    pub(crate) async fn opens(&self) {
        let now_ms = self.clock.now_ms();
        if let Some(time) = &mut self.state().time {
            time.shift_ms = (time.start_ms - time.wall_ms - now_ms).round();
            time.is_open = true;
            self.order.done_until(time.start_ms, now_ms);
        }
        self.publish().await;
    }
}

/// When a step was begun, in milliseconds after the page was opened.
fn began_ms(step: &Step) -> Option<f64> {
    let took_ms = match &step.kind {
        StepKind::Drag(drag) => drag.path.last().map_or(0.0, |place| place[2]),
        StepKind::Click(pointer) => pointer.duration_ms.map_or(0.0, |ms| ms as f64),
        _ => 0.0,
    };
    step.at_ms().map(|at| (at - took_ms).max(0.0))
}
