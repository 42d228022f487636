//! Exceptions that trace queries count. No hook sees one that the engine throws, so the page stops at every exception,
//! from its first script on, and the agent is told of each: there it has a number, as any other event. What it costs, a
//! stop for each exception, only a page pays of which that is asked.

use js_analysis::Goal;
use js_analysis::position::LineIndex;
use js_analysis::rewrite::with_script;
use querypoint::answer::Value as Preview;
use querypoint::point::ReproductionPoint;
use querypoint::query::Event;
use querypoint::resolution::Sequence;
use serde_json::{Value, json};

use super::{EventCapture, PauseLoop, agent_url};
use crate::agent_message::{ThrownCounts, answered};
use crate::error::EngineError;
use crate::stopped::{Frame, Stopped};

impl PauseLoop<'_> {
    /// The page is paused at an exception: counts it, and reads what is asked of it.
    pub(super) async fn count_exception(
        &mut self,
        stopped: &Stopped,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let collection = self.setting.collection.clone();
        let asked: Vec<Value> = collection
            .traces()
            .iter()
            .filter_map(|trace| match &trace.event {
                Event::Throw(class) => Some(
                    json!({ "query": trace.query, "slot": trace.slot, "named": class.as_deref() }),
                ),
                _ => None,
            })
            .collect();
        let Some(top) = frames.first().filter(|_| !asked.is_empty()) else {
            return Ok(());
        };
        let prefix = &collection.prefix;
        let class = stopped.thrown_class();
        let function = format!(
            "(thrown)=>{prefix}E.threw({},{},thrown)",
            json!(asked),
            json!(class)
        );
        let thrown = std::slice::from_ref(stopped.thrown());
        let counted = match self
            .watcher
            .reader
            .json_of_call(*top, &function, thrown)
            .await
        {
            Ok(counted) => counted,
            Err(error) if error.is_fatal() => return Err(error.into()),
            // There is no agent: nothing of that realm is counted.
            Err(_) => return Ok(()),
        };
        let counted: ThrownCounts = answered(&counted)?;
        let is_looked_at = |(&query, &number): (&usize, &u64)| {
            let range = self.task.examined.get(&query);
            range.is_some_and(|range| (range.first..=range.last).contains(&number))
                || self
                    .task
                    .answered
                    .contains_key(&Sequence::of_counted(query, number))
        };
        let may_be_point = self.watcher.awaits_exceptions()
            || matches!(self.setting.at, ReproductionPoint::Exception { .. }) && stopped.uncaught;
        if !may_be_point && !counted.numbers.iter().any(is_looked_at) {
            return Ok(());
        }
        self.paused_at_exception(stopped, top).await?;
        for (&query, &number) in &counted.numbers {
            self.look_at(counted.document, query, number, frames)
                .await?;
            let sequence = Sequence::of_counted(query, number);
            self.meets(counted.document, sequence);
            if self.task.answered.contains_key(&sequence) {
                let exception = self.exception(stopped, frames, top).await?;
                let capture = EventCapture {
                    sequence,
                    site: 0,
                    by: None,
                    caller: None,
                    owner: 0,
                    owner_class: None,
                    created: false,
                    deleted: false,
                    unknown: true,
                    old: None,
                    new: Preview::undefined(),
                    index: 0,
                    operands: Vec::new(),
                    exception: Some(exception.exception),
                    state: exception.state,
                };
                self.take_event(counted.document, capture, frames).await?;
            }
        }
        Ok(())
    }

    /// The agent takes what was thrown for the object of the event at which the page is paused.
    pub(super) async fn paused_at_exception(
        &mut self,
        stopped: &Stopped,
        top: &Frame,
    ) -> Result<(), EngineError> {
        self.watcher.gathered.lock().exceptions.pause();
        let prefix = &self.setting.collection.prefix;
        let pause_at = format!("(thrown)=>{prefix}E.pauseAt(thrown,true)");
        let thrown = std::slice::from_ref(stopped.thrown());
        match self
            .watcher
            .reader
            .json_of_call(top, &pause_at, thrown)
            .await
        {
            Err(error) if error.is_fatal() => Err(error.into()),
            // There is no agent: nothing is asked there.
            _ => Ok(()),
        }
    }

    /// The page goes on behind an exception at which it was paused.
    pub(super) async fn leave_exception(&mut self, frames: &[&Frame]) -> Result<(), EngineError> {
        let Some(top) = frames.first() else {
            return Ok(());
        };
        let was_event = self.watcher.gathered.lock().exceptions.leave();
        if was_event {
            let leave = format!("()=>{}E.pauseAt()", self.setting.collection.prefix);
            self.watcher.reader.json_of_call(*top, &leave, &[]).await?;
        }
        Ok(())
    }

    /// Whether an exception is the agent's own, which it catches before the page could. One that comes out of what the
    /// agent is there for is the page's. What a hook hands over to read a name is in the page's script, and the agent
    /// calls it: a name that is not defined there is thrown one frame above the agent's.
    pub(super) fn is_own(&mut self, stopped: &Stopped) -> bool {
        let agent = agent_url(&self.setting.collection.prefix);
        let handed_over = stopped.frames.first().filter(|frame| frame.url != agent);
        let mut ours = stopped
            .frames
            .iter()
            .skip(usize::from(handed_over.is_some()))
            .take_while(|frame| frame.url == agent);
        ours.any(|frame| {
            let known = self.caught.get(&frame.position).copied();
            known.unwrap_or_else(|| {
                let text = self.watcher.control.agent();
                let offset = LineIndex::new(text).offset(text, frame.position);
                let caught = offset.and_then(|at| {
                    with_script(text, Goal::Script, |script| script.is_caught_at(at)).ok()
                });
                let caught = caught.unwrap_or(false);
                self.caught.insert(frame.position, caught);
                caught
            })
        })
    }
}
