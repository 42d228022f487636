//! Records: what the page tells, one after the other. The wire and the file both are sequences of them.
//!
//! A record is an *event*, which has a number; a *definition* (of a text, an object, a scope), which gives the next
//! number of its kind in its stream; or a *detail* of the event before it. [`Record::events`] says how many numbers one
//! takes.
//!
//! # Calls
//! A function that is hooked says [`Record::Enter`] when it begins and [`Record::Return`], [`Record::ReturnValue`] or
//! [`Record::Unwind`] when it ends. Where values are recorded, the caller says [`Record::CallSite`] just before a call
//! and [`Record::CallEnd`] just after it. Where the callee of a `CallSite` is a [`Record::FunctionObject`] of the very
//! function whose `Enter` is the next event, both are one call. Any other `CallSite` is a call of code without hooks
//! (built-in, library), which lasts until its `CallEnd`, or until an exception leaves it.
//!
//! An `async` function or a generator says [`Record::Activation`] after `Enter`, [`Record::Suspend`] when it hands over
//! control, [`Record::Resume`] when it has it again, and one of the three ends once.

use crate::ids::{FunctionId, ScopeId, SiteId, StaticScopeId, StringId};
use crate::value::Value;

/// The key under which a [`Record::WriteKey`] has the time of a `Date`, as `toISOString` gives it: no property shows
/// it.
pub const DATE_VALUE: &str = "[[DateValue]]";
/// The key under which one has the message that an error was made with, which no script wrote. It is told once, where
/// the error is made, thrown or caught.
pub const MESSAGE: &str = "[[Message]]";

/// The field that has what an object inherits from; no script can write it by accident. Only an origin's log has it.
pub const PROTOTYPE: &str = "[[Prototype]]";

/// How the fields of a `FormData` begin that have the controls of its form; behind it are the name of the control and
/// `]]`. Only an origin's log has them.
pub const CONTROL: &str = "[[Control:";

/// What is between the names of a class and of those that it extends, and, in an origin's log, between the name of a
/// function of the language and where the browser keeps it: `JSON.parse`.
pub const EXTENDS: char = '\u{1f}';

/// What is behind the name under which a class runs, where its author may have called it otherwise: then comes that
/// name, or the number of the function that is its constructor.
pub const WRITTEN_AS: char = '\u{1e}';

/// One record. Slices belong to whoever reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Record<'a> {
    /// Definition: the next text, in UTF-16 code units.
    Text(&'a [u16]),
    /// Definition: the next object (or symbol, whose class is its description).
    Object {
        /// The name of its class. Behind it may be the names of those that it extends, each behind [`EXTENDS`], the
        /// nearest first, without `Object`. Behind each may be [`WRITTEN_AS`].
        class: StringId,
    },
    /// Definition: the next object, which is a function.
    FunctionObject {
        /// The function as it is written; none: it has no hooks.
        function: FunctionId,
        /// Its name.
        name: StringId,
    },
    /// Definition: the next scope. It belongs to the call that is running.
    Scope {
        /// The scope as it is written.
        of: StaticScopeId,
        /// The scope around it; none: it is not recorded.
        parent: ScopeId,
    },
    /// Detail of an `Enter`: what the page calls this activation in `Suspend` and `Resume`. Never used twice.
    Activation(u32),
    /// Detail of an `Enter` or `Leaf`, or of a `CallEnd` of code without hooks: what was passed.
    Arguments {
        /// `this`
        this: Value,
        /// The arguments, all that were passed.
        values: &'a [Value],
    },
    /// Detail of the running call: which ways its branches went. Bit 2·n: the nth branch of the function held or its
    /// case was taken, bit 2·n+1: it did not hold.
    BranchBits {
        /// The function.
        function: FunctionId,
        /// 32 bits a word, the lowest first.
        words: &'a [u32],
    },
    /// Detail: what the clock says, in milliseconds since the stream began.
    Clock(f64),
    /// Detail: a running hash of what was recorded so far, by which executions are compared.
    RunHash(u32),
    /// A function begins.
    Enter(FunctionId),
    /// A function that calls no other begins and ends: two events.
    Leaf(FunctionId),
    /// A function ends; what it returned was not recorded.
    Return(FunctionId),
    /// A function ends with a value.
    ReturnValue {
        /// The `return`, or the end of the function.
        site: SiteId,
        /// What it returned.
        value: Value,
    },
    /// A function is left by an exception.
    Unwind(FunctionId),
    /// `throw`
    Throw {
        /// The statement.
        site: SiteId,
        /// What was thrown.
        value: Value,
    },
    /// An exception arrives in a handler: a `catch` clause.
    Catch {
        /// The clause.
        site: SiteId,
        /// What was caught.
        value: Value,
    },
    /// A call is about to be made.
    CallSite {
        /// The call.
        site: SiteId,
        /// What is called.
        callee: Value,
        /// `this`
        this: Value,
        /// The arguments.
        values: &'a [Value],
    },
    /// The call has come back.
    CallEnd {
        /// The call.
        site: SiteId,
        /// What it gave.
        value: Value,
    },
    /// A property whose name the site says was written.
    Write {
        /// The assignment.
        site: SiteId,
        /// The object.
        owner: Value,
        /// What it has now; [`Value::Absent`]: it was deleted.
        value: Value,
    },
    /// A property was written whose key was computed.
    WriteKey {
        /// The assignment, or the call of what writes (`push`).
        site: SiteId,
        /// The object.
        owner: Value,
        /// The key: a number, a text or a symbol.
        key: Value,
        /// What it has now.
        value: Value,
    },
    /// An entry of a `Map`, or a member of a `Set` (whose value is `true`), was written.
    WriteEntry {
        /// The call.
        site: SiteId,
        /// The collection.
        owner: Value,
        /// The key or member.
        key: Value,
        /// What it has now; [`Value::Absent`]: it was deleted.
        value: Value,
    },
    /// A variable was written; the site says which.
    Assign {
        /// The assignment, declaration or parameter.
        site: SiteId,
        /// The scope that holds it; none: the realm's global scope.
        scope: ScopeId,
        /// What it has now.
        value: Value,
    },
    /// An object was made.
    Create {
        /// The expression.
        site: SiteId,
        /// The object.
        object: Value,
    },
    /// A condition was decided.
    Branch {
        /// The condition.
        site: SiteId,
        /// Whether it held. Of `??` and `?.`: whether there was a value. Of a loop: whether there was a next step.
        outcome: bool,
    },
    /// A condition was decided, and its value is known; or a `switch`.
    BranchCase {
        /// The condition.
        site: SiteId,
        /// 0, 1; of a `switch` the number of the case, -1: none.
        outcome: i32,
        /// The value that decided.
        value: Value,
    },
    /// A line is reached.
    Step(SiteId),
    /// What a collection holds.
    Contents {
        /// The array, map, set or typed array.
        owner: Value,
        /// How many elements or entries it has.
        total: u32,
        /// Keys and values by turns, of the first so many.
        entries: &'a [Value],
    },
    /// Something begins to run on an empty stack.
    Task {
        /// `click`, `timeout`, `microtask`, `message`, `script`, ….
        kind: StringId,
        /// The number of the [`Record::Schedule`] that it is the end of; 0: none.
        cause: u32,
        /// To what it happened: an object, or a selector.
        target: Value,
        /// Milliseconds since the stream began.
        time_ms: f64,
    },
    /// It ended.
    TaskEnd,
    /// An `async` function or a generator hands over control.
    Suspend {
        /// The `await` or `yield`.
        site: SiteId,
        /// Which activation.
        activation: u32,
        /// What it waits for, or gives out.
        value: Value,
    },
    /// It has control again.
    Resume {
        /// Which activation.
        activation: u32,
        /// How.
        mode: ResumeMode,
        /// What it was given.
        value: Value,
    },
    /// A promise has an outcome.
    Settle {
        /// Where a reaction to it was registered: the call of `then`, or of `Promise.all`.
        site: SiteId,
        /// The promise.
        promise: Value,
        /// Whether it was fulfilled.
        fulfilled: bool,
        /// With what.
        value: Value,
    },
    /// Something is left to run later: a timer, a listener, a reaction, a frame.
    Schedule {
        /// The call.
        site: SiteId,
        /// `timeout`, `click`, `reaction`, ….
        kind: StringId,
        /// The number that a [`Record::Task`] names as its cause.
        number: u32,
        /// What will run.
        callback: Value,
    },
    /// The document was changed.
    Dom {
        /// The assignment or call.
        site: SiteId,
        /// The node.
        node: Value,
        /// What of it: `added node`, `changed text`, …, or the name of an attribute.
        change: StringId,
        /// What it has now.
        value: Value,
    },
    /// A request leaves.
    Request {
        /// The call.
        site: SiteId,
        /// The number that its response names.
        number: u32,
        /// Method and URL.
        target: Value,
        /// The body.
        body: Value,
    },
    /// A response arrives.
    Response {
        /// The request's number.
        number: u32,
        /// The HTTP status; 0: it failed.
        status: u32,
        /// The body, as far as the page read it.
        body: Value,
    },
    /// The user did something.
    Action {
        /// `click`, `change`, `navigate`, ….
        kind: StringId,
        /// A selector of the element.
        target: StringId,
        /// What was put in.
        value: Value,
    },
    /// A message on the console.
    Console {
        /// The call.
        site: SiteId,
        /// `log`, `error`, ….
        level: StringId,
        /// The text.
        text: Value,
    },
    /// An exception that nothing caught.
    Uncaught {
        /// What was thrown.
        value: Value,
        /// Its message; of an object that is no error there is none, of what is no object it is what the browser says.
        message: Value,
    },
    /// Here something is missing. What was running is not known after it, until a task begins.
    Gap {
        /// Why.
        reason: GapReason,
        /// How many records are missing; 0: not known.
        lost: u32,
    },
}

/// How a suspended function has control again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeMode {
    /// With a value: `next`, or the promise was fulfilled.
    Next,
    /// With an exception: `throw`, or the promise was rejected.
    Throw,
    /// `return`
    Return,
}

/// Why records are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// Recording was switched off, as outside of a window.
    SwitchedOff,
    /// The page produced more than could be carried away.
    Dropped,
    /// There was no memory, or no room on the disk.
    OutOfMemory,
    /// What the page sent was not a log.
    NotReadable,
    /// A batch never arrived.
    BatchLost,
    /// A part of the file is damaged.
    Damaged,
}

impl GapReason {
    pub(crate) const ALL: [Self; 6] = [
        Self::SwitchedOff,
        Self::Dropped,
        Self::OutOfMemory,
        Self::NotReadable,
        Self::BatchLost,
        Self::Damaged,
    ];

    /// A sentence for a note.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::SwitchedOff => "recording was switched off for a part of the execution",
            Self::Dropped => "the page produced events faster than they could be carried away",
            Self::OutOfMemory => "there was no room for a part of the log",
            Self::NotReadable => "the page sent something that is not a log",
            Self::BatchLost => "a part of the log never arrived",
            Self::Damaged => "a part of the file is damaged",
        }
    }
}

impl ResumeMode {
    pub(crate) const ALL: [Self; 3] = [Self::Next, Self::Throw, Self::Return];
}

impl Record<'_> {
    /// How many events it is: definitions and details are none, a leaf call is two.
    #[must_use]
    pub const fn events(&self) -> u32 {
        match self {
            Self::Text(_)
            | Self::Object { .. }
            | Self::FunctionObject { .. }
            | Self::Scope { .. }
            | Self::Activation(_)
            | Self::Arguments { .. }
            | Self::BranchBits { .. }
            | Self::Clock(_)
            | Self::RunHash(_) => 0,
            Self::Leaf(_) => 2,
            _ => 1,
        }
    }
}
