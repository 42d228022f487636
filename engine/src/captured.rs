//! What is read where the page is stopped: the state there, the event, the exception.

use querypoint::answer::{Cause, ExceptionAnswer, Scope, StackFrame, Value as Preview, Watch};
use querypoint::resolution::Sequence;

use crate::picture::Picture;
use crate::sources::SourceLocation;

/// CapturedState read at a stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct CapturedState {
    pub(crate) stack: Vec<StackFrame>,
    pub(crate) top: Option<SourceLocation>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) watches: Vec<Watch>,
    pub(crate) cause: Option<Cause>,
    /// The author's names that are in sight, in words, where others run.
    pub(crate) names_in_sight: Option<String>,
    /// Whether variables have lost their values, since the function runs optimised.
    pub(crate) lacks_values: bool,
    /// What the tab showed.
    pub(crate) picture: Option<Picture>,
}

/// One event the page was stopped at.
#[derive(Clone, Debug)]
pub(crate) struct EventCapture {
    pub(crate) sequence: Sequence,
    pub(crate) site: u32,
    /// The built-in that wrote, where no site did, and where its caller called it.
    pub(crate) by: Option<String>,
    pub(crate) caller: Option<Result<SourceLocation, String>>,
    pub(crate) owner: u64,
    pub(crate) owner_class: Option<String>,
    pub(crate) created: bool,
    pub(crate) deleted: bool,
    /// The new value could not be known before the write.
    pub(crate) unknown: bool,
    /// `None`: nobody saw it.
    pub(crate) old: Option<Preview>,
    pub(crate) new: Preview,
    pub(crate) index: u64,
    /// Of a condition: the values of its operands; `None` for one that was not evaluated.
    pub(crate) operands: Vec<Option<Preview>>,
    /// What was thrown.
    pub(crate) exception: Option<ExceptionAnswer>,
    pub(crate) state: CapturedState,
}

/// An exception that answers a query.
#[derive(Clone, Debug)]
pub(crate) struct ExceptionCapture {
    pub(crate) exception: ExceptionAnswer,
    pub(crate) state: CapturedState,
}
