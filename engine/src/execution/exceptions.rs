//! Exceptions after a point: from the stop at the point on the page stops at every exception, until there is one inside
//! the `try` block that was around the point (*Querypoint Debugging*, section on exceptionAfter).
//!
//! Whether an exception is inside is read off the stack: a frame that stands in the same block, entered the same time.
//! A block is entered often, by loops and by calls, so a watched block counts its entries. Where no block is around the
//! point, what counts is the task: until the stack is empty.

use std::sync::atomic::Ordering;

use querypoint::graph::Parent;

use super::preparation::at_exceptions;
use super::{ExceptionCapture, Watcher};
use crate::agent_message::answered;
use crate::collection::CallPlace;
use crate::error::EngineError;
use crate::pausing::{Moment, thrown};
use crate::report::{QueryResult, ResultStatus};
use crate::stopped::{Frame, Stopped};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, SessionId};

/// A question for an exception whose point has been passed.
#[derive(Clone, Debug)]
pub(super) struct Awaited {
    query: usize,
    session: SessionId,
    extent: Extent,
}

/// What an exception must be inside of.
#[derive(Clone, Debug)]
enum Extent {
    /// This block, the time that it was entered.
    Block { place: CallPlace, entry: u64 },
    /// This task.
    Task(u64),
}

impl ExceptionCapture {
    /// This moment, to be compared with that of another execution.
    pub(crate) fn moment(&self) -> Moment {
        Moment {
            thrown: Some(thrown(&self.exception)),
            ..Moment::of_state(&self.state)
        }
    }
}

impl Watcher<'_> {
    /// From here on waits for the exceptions that are asked for at `parent`, at which the page stands. `home` is a
    /// frame in which the agent can be spoken to.
    pub(super) async fn await_exceptions(
        &self,
        parent: Parent,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let collection = self.setting.collection.clone();
        let asked = collection.exception_queries().iter();
        for query in asked.filter(|query| query.parent == parent) {
            let (result, extent) = self.extent(frames).await?;
            self.late.lock().insert(query.query, result);
            let (Some(extent), Some(top)) = (extent, frames.first()) else {
                continue;
            };
            self.pause_on_exceptions(&top.session, "all").await?;
            self.awaited.lock().push(Awaited {
                query: query.query,
                session: top.session.clone(),
                extent,
            });
        }
        Ok(())
    }

    /// What is around the point at which the page stands; or the result that says that more must be watched.
    async fn extent(
        &self,
        frames: &[&Frame],
    ) -> Result<(QueryResult, Option<Extent>), EngineError> {
        let nothing = || QueryResult::of(ResultStatus::Nothrow, None);
        for frame in frames {
            let blocks = self
                .setting
                .sources
                .lock()
                .try_blocks_at(&frame.url, frame.position);
            let Some(block) = blocks.into_iter().next() else {
                continue;
            };
            return Ok(match self.entry_in(frame, &block.entry).await? {
                0 => {
                    let mut result = nothing();
                    result.calls.push(block.place);
                    (result, None)
                }
                entry => {
                    let place = block.place;
                    (nothing(), Some(Extent::Block { place, entry }))
                }
            });
        }
        let Some(top) = frames.first() else {
            return Ok((nothing(), None));
        };
        let begin = format!("{}E.beginTask()", self.setting.collection.prefix);
        let task = self.reader.json_in(top, &begin).await?;
        let task = answered(&task)?;
        Ok((nothing(), Some(Extent::Task(task))))
    }

    pub(super) async fn pause_on_exceptions(
        &self,
        session: &SessionId,
        state: &str,
    ) -> Result<(), EngineError> {
        let pause = cdp::debugger::SetPauseOnExceptions::new(state);
        self.reader.protocol.call(Some(session), &pause).await?;
        Ok(())
    }

    /// The page stands at an exception: whether that is one of those that are `awaited`, which is then read.
    pub(super) async fn take_exception(
        &self,
        awaited: Vec<Awaited>,
        stopped: &Stopped,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let Some(top) = frames.first() else {
            return Ok(());
        };
        for one in awaited {
            if one.session != top.session || !self.is_inside(&one.extent, frames).await? {
                continue;
            }
            self.awaited.lock().retain(|other| other.query != one.query);
            let capture = self.exception(stopped, frames, top).await?;
            self.hold_at(Parent::Query(one.query), frames, || capture.moment());
            self.exceptions.lock().insert(one.query, capture);
            let found = QueryResult::of(ResultStatus::Thrown, None);
            self.late.lock().insert(one.query, found);
            self.stand_at_exception(stopped, top).await?;
            self.late_queries(Parent::Query(one.query), frames, true)
                .await?;
        }
        if self.awaited.lock().is_empty() {
            self.pause_on_exceptions(&top.session, at_exceptions(self.setting))
                .await?;
        }
        Ok(())
    }

    /// Reads the exception at which the page stands.
    pub(super) async fn exception(
        &self,
        stopped: &Stopped,
        frames: &[&Frame],
        top: &Frame,
    ) -> Result<ExceptionCapture, EngineError> {
        let mut state = self.state(frames, top).await?;
        // Where a built-in threw, the place is its call.
        let call = self
            .setting
            .sources
            .lock()
            .exact_call(&top.url, top.position);
        state.top = call.or(state.top);
        Ok(ExceptionCapture {
            exception: stopped.exception(),
            state,
        })
    }

    async fn is_inside(&self, extent: &Extent, frames: &[&Frame]) -> Result<bool, EngineError> {
        match extent {
            Extent::Block { place, entry } => {
                for frame in frames {
                    let blocks = self
                        .setting
                        .sources
                        .lock()
                        .try_blocks_at(&frame.url, frame.position);
                    let mut blocks = blocks.into_iter();
                    let Some(block) = blocks.find(|block| block.place == *place) else {
                        continue;
                    };
                    if self.entry_in(frame, &block.entry).await? == *entry {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Extent::Task(number) => {
                let Some(top) = frames.first() else {
                    return Ok(false);
                };
                let task = format!("{}E.task()", self.setting.collection.prefix);
                let task = self.reader.json_in(top, &task).await?;
                Ok(answered::<u64>(&task)? == *number)
            }
        }
    }

    /// Whether an exception is still waited for.
    pub(super) fn awaits_exceptions(&self) -> bool {
        !self.awaited.lock().is_empty()
    }

    /// Whether the reproduction point was reached, and the page went on for an exception.
    pub(super) fn has_gone_on(&self) -> bool {
        self.reached.load(Ordering::SeqCst)
    }
}
