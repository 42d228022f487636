//! Exceptions after a point: from the stop at the point on the page stops at every exception, until there is one inside
//! the `try` block that was around the point (*Querypoint Debugging*, section on exceptionAfter).
//!
//! Whether an exception is inside is read off the stack: a frame that is in the same block, entered the same time.
//! A block is entered often, by loops and by calls, so a watched block counts its entries. Where no block is around the
//! point, what counts is the task: until the stack is empty.

use std::collections::BTreeMap;

use querypoint::graph::Parent;

use super::preparation::at_exceptions;
use super::{ExceptionCapture, PauseLoop, Watcher};
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

/// The exceptions that are waited for, and those that came.
#[derive(Debug, Default)]
pub(super) struct Exceptions {
    awaited: Vec<Awaited>,
    /// By query number.
    came: BTreeMap<usize, ExceptionCapture>,
    /// Whether the agent takes the exception at which the page is paused for an event.
    is_event: bool,
}

impl Exceptions {
    /// From here on waits for one.
    fn wait_for(&mut self, awaited: Awaited) {
        self.awaited.push(awaited);
    }

    /// Whether one is still waited for.
    pub(super) fn are_awaited(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// Those that are waited for now. What is waited for from an exception on is another one.
    pub(super) fn awaited(&self) -> Vec<Awaited> {
        self.awaited.clone()
    }

    /// The one that a query waits for came.
    fn take(&mut self, query: usize, capture: ExceptionCapture) {
        self.awaited.retain(|other| other.query != query);
        self.came.insert(query, capture);
    }

    /// Waits for none any more.
    pub(super) fn give_up(&mut self) {
        self.awaited.clear();
    }

    /// The agent takes the exception at which the page is paused for an event.
    pub(super) fn pause(&mut self) {
        self.is_event = true;
    }

    /// The page goes on; whether the agent took that for an event.
    pub(super) fn leave(&mut self) -> bool {
        std::mem::take(&mut self.is_event)
    }

    /// Those that came, by query number.
    pub(super) fn into_came(self) -> BTreeMap<usize, ExceptionCapture> {
        self.came
    }
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

impl PauseLoop<'_> {
    /// From here on waits for the exceptions that are asked for at `parent`, at which the page is paused. `home` is a
    /// frame in which the agent can be spoken to.
    pub(super) async fn await_exceptions(
        &mut self,
        parent: Parent,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let collection = self.setting.collection.clone();
        let asked = collection.exception_queries().iter();
        for query in asked.filter(|query| query.parent == parent) {
            let (result, extent) = self.extent(frames).await?;
            self.readings.late.insert(query.query, result);
            let (Some(extent), Some(top)) = (extent, frames.first()) else {
                continue;
            };
            self.pause_on_exceptions(&top.session, "all").await?;
            self.watcher.gathered.lock().exceptions.wait_for(Awaited {
                query: query.query,
                session: top.session.clone(),
                extent,
            });
        }
        Ok(())
    }

    /// What is around the point at which the page is paused; or the result that says that more must be watched.
    async fn extent(
        &mut self,
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
        match self.watcher.reader.json_in(top, &begin).await {
            Ok(task) => Ok((nothing(), Some(Extent::Task(answered(&task)?)))),
            Err(error) if error.is_fatal() => Err(error.into()),
            // Where the stack is full, nothing can be called.
            Err(_) => Ok((nothing(), None)),
        }
    }

    pub(super) async fn pause_on_exceptions(
        &self,
        session: &SessionId,
        state: &str,
    ) -> Result<(), EngineError> {
        let pause = cdp::debugger::SetPauseOnExceptions::new(state);
        self.watcher
            .reader
            .protocol
            .call(Some(session), &pause)
            .await?;
        Ok(())
    }

    /// The page is paused at an exception: whether that is one of those that are `awaited`, which is then read.
    pub(super) async fn take_exception(
        &mut self,
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
            let capture = self.exception(stopped, frames, top).await?;
            self.hold_at(Parent::Query(one.query), frames, || capture.moment());
            self.watcher
                .gathered
                .lock()
                .exceptions
                .take(one.query, capture);
            let found = QueryResult::of(ResultStatus::Thrown, None);
            self.readings.late.insert(one.query, found);
            self.paused_at_exception(stopped, top).await?;
            self.late_queries(Parent::Query(one.query), frames, true)
                .await?;
        }
        if !self.watcher.gathered.lock().exceptions.are_awaited() {
            self.pause_on_exceptions(&top.session, at_exceptions(self.setting))
                .await?;
        }
        Ok(())
    }

    /// Reads the exception at which the page is paused.
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

    async fn is_inside(&mut self, extent: &Extent, frames: &[&Frame]) -> Result<bool, EngineError> {
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
                match self.watcher.reader.json_in(top, &task).await {
                    Ok(task) => Ok(answered::<u64>(&task)? == *number),
                    Err(error) if error.is_fatal() => Err(error.into()),
                    // Where the stack is full, nothing can be called: what filled it is the task that runs.
                    Err(_) => Ok(true),
                }
            }
        }
    }

    /// Whether the reproduction point was reached, and the page went on for an exception.
    pub(super) fn has_gone_on(&self) -> bool {
        self.watcher.gathered.lock().is_passed()
    }
}

impl Watcher<'_> {
    /// Whether an exception is still waited for.
    pub(super) fn awaits_exceptions(&self) -> bool {
        self.gathered.lock().exceptions.are_awaited()
    }
}

#[cfg(test)]
mod tests {
    use querypoint::answer::ExceptionAnswer;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;
    use crate::captured::CapturedState;

    fn awaited(query: usize) -> Awaited {
        Awaited {
            query,
            session: SessionId("tab".into()),
            extent: Extent::Task(1),
        }
    }

    #[test]
    fn each_query_waits_for_one_exception() {
        let mut exceptions = Exceptions::default();
        assert!(!exceptions.are_awaited());
        exceptions.wait_for(awaited(2));
        exceptions.wait_for(awaited(4));
        let waiting: Vec<usize> = exceptions.awaited().iter().map(|it| it.query).collect();
        assert_eq!(waiting, [2, 4]);
        exceptions.take(2, capture());
        assert!(exceptions.are_awaited());
        exceptions.take(4, capture());
        assert!(!exceptions.are_awaited());
        assert_eq!(
            exceptions.into_came().into_keys().collect::<Vec<_>>(),
            [2, 4]
        );
    }

    #[test]
    fn a_page_that_is_held_waits_for_none_and_keeps_those_that_came() {
        let mut exceptions = Exceptions::default();
        exceptions.wait_for(awaited(2));
        exceptions.wait_for(awaited(4));
        exceptions.take(2, capture());
        exceptions.give_up();
        assert!(!exceptions.are_awaited());
        assert_eq!(exceptions.into_came().len(), 1);
    }

    #[test]
    fn an_exception_that_was_an_event_is_left_once() {
        let mut exceptions = Exceptions::default();
        assert!(!exceptions.leave());
        exceptions.pause();
        assert!(exceptions.leave());
        assert!(!exceptions.leave());
    }

    fn capture() -> ExceptionCapture {
        ExceptionCapture {
            exception: ExceptionAnswer {
                class: "TypeError".to_owned(),
                message: "no".to_owned(),
                caught: true,
            },
            state: CapturedState::default(),
        }
    }
}
