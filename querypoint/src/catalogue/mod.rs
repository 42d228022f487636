//! The questions that can be put to an event log: the catalogue of JavaTA (Girgis and Jayaraman, *JavaTA: A Logic-based
//! Debugger for Java*, section 4) in the language of queries.
//!
//! ```text
//! query     := [name "="] kind "(" arguments [ "," "between" "(" point "," point ")" ] ")"
//! point     := R | name [ "[" integer "]" ] | "#" number
//! reference := [ point ":" ] identifier { "." name | "[" key "]" | ".#" name }
//! ```
//! `R` is the point that the log is asked at. A name is that of an earlier query: its first event, or with an index
//! another one. `#12` is the event with the number 12.
//!
//! ```
//! use querypoint::catalogue::{CatalogueKind, CatalogueQuery};
//!
//! let query = CatalogueQuery::parse("H = history(R:cart.total)")?;
//! assert_eq!(query.name.as_deref(), Some("H"));
//! assert!(matches!(query.kind, CatalogueKind::History(_)));
//! assert!(CatalogueQuery::parse("historie(R:cart.total)").is_err());
//! # Ok::<(), querypoint::query::QueryError>(())
//! ```

mod definitions;
mod parser;

use crate::query::QueryError;
pub use definitions::{
    Comparison, Composed, ComposedStep, Condition, Definition, DefinitionError, Definitions, Field,
    LARGEST_FILE, Operand, Question,
};

/// A moment in a log: an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CataloguePoint {
    /// The point that the log is asked at.
    R,
    /// An event of an earlier query, by its index; negative: from the end.
    Result {
        /// The query's name.
        name: String,
        /// Which event.
        index: i64,
    },
    /// The event with this number.
    Event(u64),
}

/// A link of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatalogueKey {
    /// A property by name, or an element by index.
    Property(String),
    /// An element, or an entry of a map, by a text or number as a console prints it.
    Key(String),
    /// The same, by what has the key there.
    Of(CatalogueReference),
}

/// A value at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueReference {
    /// When, and in which function.
    pub point: CataloguePoint,
    /// The variable that it begins with, or `this`.
    pub root: String,
    /// The links.
    pub path: Vec<CatalogueKey>,
}

/// What `wasAssigned` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignedTarget {
    /// Whether it is a property, of any object.
    pub is_property: bool,
    /// Its name.
    pub name: String,
}

/// A place: the end of a script's address, and a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueLine {
    /// The file.
    pub file: String,
    /// 1-based line.
    pub line: u32,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatalogueKind {
    /// `callChain(P)`: the calls that are running at `P`, the newest first.
    CallChain(CataloguePoint),
    /// `where(P)`: the event, with its place. `where(throw())`: every exception that is thrown.
    Where(Option<CataloguePoint>),
    /// `state(P:object)`: each property with the event that wrote it last before `P`.
    State(CatalogueReference),
    /// `callsBefore(P)`: the calls made in the same call before `P`.
    CallsBefore(CataloguePoint),
    /// `callsAfter(P)`: those made after it.
    CallsAfter(CataloguePoint),
    /// `arguments(P)`: the call that `P` is in, with its arguments.
    Arguments(CataloguePoint),
    /// `locals(P)`: each variable in sight with the event that wrote it last before `P`.
    Locals(CataloguePoint),
    /// `returned(P)`: how the call ended that `P` is in.
    Returned(CataloguePoint),
    /// `history(P:object.field)`, `history(P:x)`: every write of it.
    History(CatalogueReference),
    /// `argumentsOf(f)`: every call of a function.
    ArgumentsOf(String),
    /// `returnsOf(f)`: every return of it.
    ReturnsOf(String),
    /// `contents(P:list)`: what a collection holds at `P`.
    Contents(CatalogueReference),
    /// `instances(Class)`: every object of that very class.
    Instances(String),
    /// `running(P)`: what is running or suspended at `P`.
    Running(CataloguePoint),
    /// `callTree(P)`: the calls below the one that `P` is in.
    CallTree(CataloguePoint),
    /// `wasEvaluated(FILE:LINE)`
    WasEvaluated(CatalogueLine),
    /// `wasCalled(f)`
    WasCalled(String),
    /// `wasAssigned(.f, value)`, `wasAssigned(x)`
    WasAssigned(AssignedTarget, Option<String>),
    /// `exists(Class)`: whether an object of that very class was made.
    Exists(String),
    /// `wasCaught(Type)`: whether a `catch` clause got an object of that class, or of one that extends it.
    WasCaught(String),
    /// `isRunning(f)`: whether a call of the function has begun and not ended at `R`; one that is suspended runs.
    IsRunning(String),
    /// `hasEnded(f)`: whether a call of it has begun before `R`, and every such call has ended there.
    HasEnded(String),
}

/// A question to a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueQuery {
    /// What it is called, if it is called something.
    pub name: Option<String>,
    /// What it asks.
    pub kind: CatalogueKind,
    /// Only events from the one up to the other count.
    pub between: Option<(CataloguePoint, CataloguePoint)>,
    /// As it was typed.
    pub text: String,
}

impl CatalogueQuery {
    /// The names of all kinds of questions.
    pub const NAMES: [&'static str; 22] = parser::KINDS;

    /// Reads a question.
    ///
    /// # Errors
    /// [`QueryError`] with the place, what was expected there and what to do.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parser::parse(text)
    }
}
