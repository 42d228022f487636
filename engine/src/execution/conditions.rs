//! The last condition before a point, looked for in the frames of a stopped page: the point's own function first, then
//! the one that called it, and so on (*Querypoint Debugging*, section on lastCondition).
//!
//! A function whose conditions are not watched yet is told to the next round, with all the others on the stack; where
//! they are, the last outcome is in a variable of the frame.

use std::collections::BTreeMap;

use querypoint::graph::Parent;
use querypoint::point::ReproductionPoint;

use super::PauseLoop;
use crate::agent_message::answered;
use crate::collection::ConditionQuery;
use crate::error::EngineError;
use crate::report::{QueryResult, ResultStatus};
use crate::sources::FrameFlow;
use crate::stopped::Frame;

/// Deeper frames are not looked at: each costs a look at its whole script.
const MOST_FRAMES: usize = 64;

impl PauseLoop<'_> {
    /// Resolves the questions for the last condition before `parent`, at which the page is paused. `by_built_in`: a
    /// built-in made the event, so no hook was there.
    pub(super) async fn conditions_before(
        &mut self,
        parent: Parent,
        frames: &[&Frame],
        by_built_in: bool,
    ) -> Result<(), EngineError> {
        let collection = self.setting.collection.clone();
        let asked = collection
            .condition_queries()
            .iter()
            .filter(|query| query.parent == parent);
        for query in asked {
            let result = self.condition_before(query, frames, by_built_in).await?;
            if let Some(result) = result {
                self.readings.late.insert(query.query, result);
            }
        }
        Ok(())
    }

    /// `None`: the page has found it itself, in the newest frame.
    async fn condition_before(
        &self,
        query: &ConditionQuery,
        frames: &[&Frame],
        by_built_in: bool,
    ) -> Result<Option<QueryResult>, EngineError> {
        // Where the point was known beforehand the page itself has looked in the newest frame.
        let has_hook = match query.parent {
            Parent::ReproductionPoint => {
                matches!(self.setting.at, ReproductionPoint::Location { .. })
            }
            Parent::Query(_) => !by_built_in,
        };
        let mut calls = Vec::new();
        for (number, frame) in frames.iter().enumerate().take(MOST_FRAMES) {
            let is_newest = number == 0;
            let context = if is_newest && has_hook {
                self.watcher.context(frame, &[query.dependent])
            } else {
                let flow = self.setting.sources.lock().frame_flow(
                    query,
                    &frame.url,
                    frame.position,
                    is_newest,
                );
                match flow {
                    FrameFlow::Straight => continue,
                    FrameFlow::Unwatched(call) => {
                        calls.push(call);
                        continue;
                    }
                    FrameFlow::Watched { .. } if !calls.is_empty() => continue,
                    FrameFlow::Watched { context } => context,
                }
            };
            let mut result = self.last_condition(query, frame, &context).await?;
            if result.status != ResultStatus::None {
                if is_newest && has_hook {
                    return Ok(None);
                }
                result.frame = u32::try_from(number).unwrap_or(u32::MAX);
                return Ok(Some(result));
            }
        }
        let mut result = QueryResult::of(ResultStatus::None, None);
        result.calls = calls;
        Ok(Some(result))
    }

    async fn last_condition(
        &self,
        query: &ConditionQuery,
        frame: &Frame,
        context: &str,
    ) -> Result<QueryResult, EngineError> {
        let collection = &self.setting.collection;
        let asked = collection.agent_query(query.query);
        let asked = serde_json::to_string(&[asked]).unwrap_or_default();
        let expression = format!("{}E.late({asked},{context})", collection.prefix);
        let value = self.watcher.reader.json_in(frame, &expression).await?;
        let mut results: BTreeMap<usize, QueryResult> = answered(&value)?;
        let nothing = || QueryResult::of(ResultStatus::None, None);
        Ok(results.remove(&query.query).unwrap_or_else(nothing))
    }
}
