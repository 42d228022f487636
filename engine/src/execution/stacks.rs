//! `mayAffect`: the call stack of a point, and those of the events that are looked at, each call with the number that
//! it took when it was entered.
//!
//! Which functions are on a point's stack only the stopped page says. They are told to the next round, in which they
//! number their calls; so no other function of the page costs anything.

use querypoint::resolution::{Activation, MayAffect, may_affect};

use super::PauseLoop;
use crate::collection::CallPlace;
use crate::error::EngineError;
use crate::report::{QueryResult, ResultStatus};
use crate::sources::FunctionOfFrame;
use crate::stopped::Frame;

/// Deeper stacks are not compared: each frame is read by itself.
const MOST_FRAMES: usize = 1000;

/// The call stack of a point, the newest frame first.
#[derive(Clone, Debug)]
pub(super) enum PointStack {
    Known(Vec<Activation<CallPlace>>),
    /// A function on it does not number its calls yet.
    Unwatched,
    /// It has more than [`MOST_FRAMES`] frames.
    TooDeep,
}

/// The call stack of an event, the newest frame first, as far as it must be compared.
#[derive(Clone, Debug, Default)]
pub(super) struct EventStack {
    frames: Vec<Activation<CallPlace>>,
    /// How many frames there are.
    depth: usize,
}

/// What two stacks say of an event.
pub(super) enum Compared {
    Holds(bool),
    /// They cannot be compared yet.
    NotYet,
    /// They cannot be compared.
    Problem(String),
}

impl EventStack {
    /// Whether the event may affect the point. `is_sure`: what is not in a frame was not there.
    pub(super) fn compared(&self, point: Option<&PointStack>, is_sure: bool) -> Compared {
        let point = match point {
            None | Some(PointStack::Unwatched) => return Compared::NotYet,
            Some(PointStack::TooDeep) => {
                return Compared::Problem(format!(
                    "the stack of the point that it may affect has more than {MOST_FRAMES} frames"
                ));
            }
            Some(PointStack::Known(frames)) => frames,
        };
        match may_affect(&self.frames, self.depth, point) {
            MayAffect::Yes => Compared::Holds(true),
            MayAffect::No => Compared::Holds(false),
            MayAffect::Unknown { .. } if !is_sure => Compared::NotYet,
            MayAffect::Unknown { frame } => {
                let function = self.frames.get(frame);
                let place = function.and_then(|frame| frame.function.as_ref());
                let of = place.map_or_else(String::new, |place| format!(" of {}", place.url));
                Compared::Problem(format!(
                    "it cannot be told which call of a function{of} an event is in: it is in a default value of a \
                     parameter, in a class field, in an event-handler attribute, or where no hook could be placed"
                ))
            }
        }
    }
}

impl PauseLoop<'_> {
    /// The page is paused at a point that events of `query` may affect.
    pub(super) async fn stack_at_point(
        &mut self,
        query: usize,
        filter: usize,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let mut stack = Vec::new();
        let mut calls: Vec<CallPlace> = Vec::new();
        let nearest = if frames.len() > MOST_FRAMES {
            &[]
        } else {
            frames
        };
        for frame in nearest {
            let function = self.function_of(frame);
            let is_numbered = function
                .as_ref()
                .is_some_and(|function| self.numbers_calls(query, function));
            if let Some(function) = function.as_ref().filter(|_| !is_numbered)
                && !calls.contains(&function.place)
            {
                calls.push(function.place.clone());
            }
            stack.push(self.activation(frame, function, is_numbered).await?);
        }
        let stack = if nearest.len() < frames.len() {
            PointStack::TooDeep
        } else if calls.is_empty() {
            PointStack::Known(stack)
        } else {
            PointStack::Unwatched
        };
        self.readings.traces.stacks.insert((query, filter), stack);
        if !calls.is_empty() {
            let why = "the calls of the functions on the stack could not be numbered";
            let mut result = QueryResult::of(ResultStatus::Nothing, Some(why.to_owned()));
            result.calls = calls;
            self.readings.late.insert(query, result);
        }
        Ok(())
    }

    /// The stack of an event of `query`, at which the page is paused.
    pub(super) async fn stack_of_event(
        &mut self,
        query: usize,
        frames: &[&Frame],
    ) -> Result<EventStack, EngineError> {
        let mut stack = EventStack {
            frames: Vec::new(),
            depth: frames.len(),
        };
        for frame in frames {
            let function = self.function_of(frame);
            let is_numbered = function
                .as_ref()
                .is_some_and(|function| self.numbers_calls(query, function));
            let activation = self.activation(frame, function, is_numbered).await?;
            let is_resumed = activation.is_resumed;
            stack.frames.push(activation);
            if !is_resumed {
                break;
            }
        }
        Ok(stack)
    }

    /// Whether a function numbers its calls, for `query`.
    fn numbers_calls(&self, query: usize, function: &FunctionOfFrame) -> bool {
        let place = &function.place;
        let mut calls = self.setting.collection.calls_in(query, &place.url);
        calls.any(|at| at == place.at)
    }

    /// The number of an entry, in the variable `name` of a frame; 0: there is none, or it is in optimised code, where a
    /// debugger reads no variables.
    pub(super) async fn entry_in(&self, frame: &Frame, name: &str) -> Result<u64, EngineError> {
        let expression = format!("typeof {name}===\"number\"?{name}:0");
        match self.watcher.reader.json_in(frame, &expression).await {
            Ok(entry) => Ok(entry.as_u64().unwrap_or(0)),
            Err(error) if error.is_fatal() => Err(error.into()),
            Err(_) => Ok(0),
        }
    }

    async fn activation(
        &self,
        frame: &Frame,
        function: Option<FunctionOfFrame>,
        is_numbered: bool,
    ) -> Result<Activation<CallPlace>, EngineError> {
        let entry = match function.as_ref().filter(|_| is_numbered) {
            None => 0,
            Some(function) => self.entry_in(frame, &function.entry).await?,
        };
        Ok(Activation {
            is_resumed: function
                .as_ref()
                .is_some_and(|function| function.is_resumed),
            function: function.map(|function| function.place),
            entry,
        })
    }

    /// The function that a frame is in. Finding it takes a look at its whole script, so that is done once.
    fn function_of(&mut self, frame: &Frame) -> Option<FunctionOfFrame> {
        // The top of a script has one place wherever in it that is; in a document there are many scripts.
        let begins = frame.begins.unwrap_or(frame.position);
        let key = (frame.url.clone(), begins, frame.begins.is_some());
        if let Some(known) = self.functions.get(&key) {
            return known.clone();
        }
        let sources = self.setting.sources.lock();
        let found = sources.function_of_frame(&frame.url, frame.position, frame.begins);
        drop(sources);
        self.functions.insert(key, found.clone());
        found
    }
}
