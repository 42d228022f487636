//! Trace queries: an event, constraints between points, and an index into the result set.
//!
//! Every other kind of query compiles to one of these (*Querypoint Debugging*, section 3).

use super::{GlobalReference, PointName, PropertyKey};

/// `trace(event, constraint…, index n)`
#[derive(Clone, Debug, PartialEq)]
pub struct TraceQuery {
    /// What happens.
    pub event: Event,
    /// What must hold between the event and other points; all of them.
    pub constraints: Vec<Constraint>,
    /// Which of the events is the point: 0 the first, -1 the last; none: the whole result set.
    pub index: Option<i64>,
}

/// A line of a file, or a place on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// The end of the script's URL path.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in UTF-16 code units; none: the line.
    pub column: Option<u32>,
}

/// Something that happens in an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `line(file:line)`, `line(file:line:column)`: the line, or what is there, is about to run.
    Line(CodeLine),
    /// `call(function)`: a function is entered; its name, or a dotted way to it.
    Call(String),
    /// `return(function)`: a function is left.
    Return(String),
    /// `write(.name)`: a property of that name is written.
    Write(PropertyKey),
    /// `assign(name)`: a variable of that name is written.
    Assign(String),
    /// `create(class)`: an object of that class is created.
    Create(String),
    /// `throw(class)`: an exception of that class, or any, is thrown.
    Throw(Option<String>),
    /// `branch(point)`: one of the conditions on which it depends whether the point is reached has been evaluated.
    Branch(PointName),
}

/// What must hold between an event and other points.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// The event is before the point.
    Before(PointName),
    /// The event is after the point.
    After(PointName),
    /// The event's call stack is a prefix of the point's, frame by frame the same activations.
    MayAffect(PointName),
    /// Two references are to one object.
    Sameness(GlobalReference, GlobalReference),
    /// A JavaScript expression is true at the event; its text.
    When(String),
}
