//! The log in memory: calls with their parents, writes by object and key, variables by scope.
//!
//! A [`Model`] is built in one pass. Which call is running the records say ([`crate::record`]): a call begins with
//! `Enter`, and ends with `Return` or `Unwind` of its function. Behind a gap nothing is known to run until a task
//! begins; the calls that were running then have no end, and [`Model::gaps`] has the place.
//!
//! Numbers are indices of 32 bits: a log of more than 2³² events is read up to there, and a note says so.

mod build;
mod handed_over;
mod thrown;
mod values;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use crate::file::{Damage, LogEnd, LogError, LogFile, LogInfo, ReadAt};
use crate::ids::{FunctionId, ScopeId, SiteId, VariableId};
use crate::record::GapReason;
use crate::tables::{Site, Tables};
use crate::value::Value;
pub(crate) use build::OF_THE_PLATFORM;
pub use values::{plain_text, text};

/// None, as an index.
pub const NONE: u32 = u32::MAX;

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A function is called; `call` is the new one.
    Call,
    /// A function returns; `call` is the one that ends.
    Return,
    /// An exception leaves a function.
    Unwind,
    /// `throw`
    Throw,
    /// A `catch` clause.
    Catch,
    /// A property is written.
    Write,
    /// An entry of a map or set is written.
    WriteEntry,
    /// A variable is written.
    Assign,
    /// An object is made.
    Create,
    /// A condition is decided; the value says how.
    Branch,
    /// A call is about to be made.
    Step,
    /// A call of code without hooks has come back.
    CallEnd,
    /// What a collection holds.
    Contents,
    /// Something begins on an empty stack.
    Task,
    /// It ended.
    TaskEnd,
    /// A function hands over control.
    Suspend,
    /// It has it again.
    Resume,
    /// A promise has an outcome.
    Settle,
    /// An exception that nothing caught.
    Uncaught,
    /// The document was changed; the key is the text that says what, the owner the node.
    Dom,
    /// A request leaves; the key is the text that says to where.
    Request,
    /// A response arrives; the key is that of its request ([`NONE`]: not known which), the owner the HTTP status.
    Response,
    /// The user did something; the key is the text that says what, the owner the selector of the element.
    Action,
    /// Something else that happened: on the console, or is to run later.
    Other,
    /// Something is missing.
    Gap,
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// What it is.
    pub kind: Kind,
    /// The realm, from 0.
    pub stream: u16,
    /// The call that it is in, or that begins or ends with it, by index; [`NONE`]: none is known.
    pub call: u32,
    /// Where.
    pub site: SiteId,
    /// Of a write the key, by index in [`Model::keys`]; of an assignment the scope; of a task the text that says what;
    /// of contents how many elements or entries the collection has; of a promise 1 if it was fulfilled, else 0.
    pub key: u32,
    /// The object that is written, that was made, or that has an outcome; of a call of code without hooks what it was
    /// called on, where that was recorded.
    pub owner: Value,
    /// The value.
    pub value: Value,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CallOutcome {
    /// The log has no end of it.
    Open,
    /// It returned.
    Returned(Value),
    /// An exception left it.
    Threw,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The function.
    pub function: FunctionId,
    /// The realm, from 0.
    pub stream: u16,
    /// The call that was running when it began; [`NONE`]: none.
    pub parent: u32,
    /// Its first event.
    pub enter: u32,
    /// Its last; [`NONE`]: it has none in the log.
    pub exit: u32,
    /// Where it was called, as far as that is known.
    pub site: SiteId,
    /// `this`
    pub this: Value,
    /// Where its arguments are in [`Model::arguments`], and how many; `u32::MAX`: they were not recorded.
    pub arguments: (u32, u32),
    /// How it ended.
    pub outcome: CallOutcome,
    /// The scope of its parameters and body.
    pub scope: ScopeId,
    /// The task that it is in, by its event; [`NONE`]: none is known.
    pub task: u32,
    /// How many calls are around it.
    pub depth: u32,
    /// Whether it is suspended at the end of the log.
    pub suspended: bool,
}

/// An object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Object {
    /// The text with the name of its class, or of the function that it is.
    pub class: u32,
    /// The function that it is.
    pub function: FunctionId,
    /// Whether it is a function.
    pub is_function: bool,
    /// The event before which it was seen first.
    pub seen: u32,
    /// The function that `new` called to make it, if that has hooks.
    pub constructor: FunctionId,
}

/// A scope that was entered.
#[derive(Clone, Copy, Debug)]
pub struct ScopeInstance {
    /// The scope as it is written.
    pub of: crate::ids::StaticScopeId,
    /// The scope around it.
    pub parent: ScopeId,
    /// The call that entered it.
    pub call: u32,
    /// The event before which it was entered.
    pub entered: u32,
}

/// What a realm defined.
#[derive(Clone, Debug, Default)]
pub struct StreamTables {
    /// Texts, the first has the number 1.
    pub texts: Vec<String>,
    /// Objects.
    pub objects: Vec<Object>,
    /// Scopes.
    pub scopes: Vec<ScopeInstance>,
    /// The classes that classes extend, by the text with the name of the class; of a function of the language where the
    /// browser keeps it, by the text with its name.
    pub bases: HashMap<u32, Vec<String>>,
}

/// The key of a property or entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// A property.
    Property(String),
    /// A property whose name is a symbol: which, and its description.
    Symbol(u16, u32, String),
    /// An entry of a map or a member of a set, as a console prints its key.
    Entry(String),
}

/// A write of a key of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyWrite {
    /// The realm.
    pub stream: u16,
    /// The object.
    pub object: u32,
    /// The key, by index.
    pub key: u32,
    /// The event.
    pub event: u32,
    /// Where the value is in [`Model::listed`]; [`NONE`]: the event has it.
    pub listed: u32,
}

/// [`KeyWrite::listed`] of an element or entry that is gone because others are: the array became shorter, or the
/// collection was told without it.
pub const GONE_WITH_OTHERS: u32 = 0;

/// What an object holds was told whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    /// The realm.
    pub stream: u16,
    /// The object.
    pub object: u32,
    /// The event.
    pub event: u32,
    /// How many properties, elements or entries it has.
    pub total: u32,
    /// How many of them were told.
    pub count: u32,
}

/// A write of a variable.
#[derive(Clone, Copy, Debug)]
pub struct VariableWrite {
    /// The realm.
    pub stream: u16,
    /// The variable.
    pub variable: VariableId,
    /// The scope that holds it; none: it is global.
    pub scope: ScopeId,
    /// The event.
    pub event: u32,
    /// Which argument it has; [`NONE`]: the event has the value.
    pub argument: u32,
}

/// A log in memory.
#[derive(Debug, Default)]
pub struct Model {
    /// What the log says about itself.
    pub info: LogInfo,
    /// What it says at its end.
    pub end: Option<LogEnd>,
    /// What scripts say.
    pub tables: Tables,
    /// All events, by number.
    pub events: Vec<Event>,
    /// All calls, in the order in which they began.
    pub calls: Vec<Call>,
    /// Arguments of calls, one after the other.
    pub arguments: Vec<Value>,
    /// Where those of code without hooks are, and how many: of the event, which is a [`Kind::CallEnd`], in its order.
    pub library_arguments: Vec<(u32, u32, u32)>,
    /// By realm.
    pub streams: Vec<StreamTables>,
    /// Keys, by index.
    pub keys: Vec<Key>,
    /// Sorted by realm, object, key and event.
    pub writes: Vec<KeyWrite>,
    /// Values of collections. The first is that of what is [`GONE_WITH_OTHERS`].
    pub listed: Vec<Value>,
    /// When objects were told whole, sorted by realm, object and event.
    pub told: Vec<Told>,
    /// Objects that a script with hooks made, by realm.
    pub made: HashSet<(u16, u32)>,
    /// By variable, in the order of events.
    pub variables: HashMap<u32, Vec<VariableWrite>>,
    /// Where something is missing, and why.
    pub gaps: Vec<(u32, GapReason)>,
    /// What cannot be read.
    pub damage: Vec<Damage>,
    /// What is not as it should be in the log.
    pub notes: Vec<String>,
    key_numbers: HashMap<Key, u32>,
    /// Made when it is asked for.
    handed_over: OnceLock<handed_over::HandedOver>,
}

impl Model {
    /// Reads a log into memory.
    ///
    /// # Errors
    /// [`LogError`] if a file cannot be read; parts that are damaged are left out and noted.
    pub fn read<S: ReadAt>(log: &LogFile<S>) -> Result<Self, LogError> {
        build::read(log)
    }

    /// Of a log that was merged of several runs the realms of the run that an event is in; behind the last event those
    /// of the last run. `None`: the log is one run.
    #[must_use]
    pub fn realms_of_run_at(&self, event: u32) -> Option<Range<u16>> {
        let stream = match self.events.get(event as usize) {
            Some(it) => it.stream,
            None => self.events.last()?.stream,
        };
        let mut first = 0_u16;
        for run in &self.info.runs {
            let behind = first.saturating_add(u16::try_from(run.realms).unwrap_or(u16::MAX));
            if (first..behind).contains(&stream) {
                return Some(first..behind);
            }
            first = behind;
        }
        None
    }

    /// The site of an event, if it has one.
    #[must_use]
    pub fn site(&self, site: SiteId) -> Option<&Site> {
        self.tables.site(site)
    }

    /// The number of a key, if some event has it.
    #[must_use]
    pub fn key(&self, key: &Key) -> Option<u32> {
        self.key_numbers.get(key).copied()
    }

    /// All writes of an object, by key.
    #[must_use]
    pub fn writes_of(&self, stream: u16, object: u32) -> &[KeyWrite] {
        let from = self
            .writes
            .partition_point(|it| (it.stream, it.object) < (stream, object));
        let rest = self.writes.get(from..).unwrap_or_default();
        let to = rest.partition_point(|it| (it.stream, it.object) == (stream, object));
        rest.get(..to).unwrap_or_default()
    }

    /// The writes of one key of an object.
    #[must_use]
    pub fn writes_of_key(&self, stream: u16, object: u32, key: u32) -> &[KeyWrite] {
        let all = self.writes_of(stream, object);
        let from = all.partition_point(|it| it.key < key);
        let rest = all.get(from..).unwrap_or_default();
        let to = rest.partition_point(|it| it.key == key);
        rest.get(..to).unwrap_or_default()
    }

    /// When an object was told whole, in the order of events.
    #[must_use]
    pub fn told_of(&self, stream: u16, object: u32) -> &[Told] {
        let from = self
            .told
            .partition_point(|it| (it.stream, it.object) < (stream, object));
        let rest = self.told.get(from..).unwrap_or_default();
        let to = rest.partition_point(|it| (it.stream, it.object) == (stream, object));
        rest.get(..to).unwrap_or_default()
    }

    /// Whether the log has all that an object held from the beginning on: a script with hooks made it, or it was told.
    #[must_use]
    pub fn is_whole(&self, stream: u16, object: u32) -> bool {
        self.made.contains(&(stream, object)) || !self.told_of(stream, object).is_empty()
    }

    /// The value that a write gave.
    #[must_use]
    pub fn written(&self, write: &KeyWrite) -> Value {
        match self.listed.get(write.listed as usize) {
            Some(&value) if write.listed != NONE => value,
            _ => self
                .events
                .get(write.event as usize)
                .map_or(Value::Unknown, |event| event.value),
        }
    }

    /// The value that a write of a variable gave.
    #[must_use]
    pub fn assigned(&self, write: &VariableWrite) -> Value {
        let Some(event) = self.events.get(write.event as usize) else {
            return Value::Unknown;
        };
        if write.argument == NONE {
            return event.value;
        }
        let Some(call) = self.calls.get(event.call as usize) else {
            return Value::Unknown;
        };
        let values = self.arguments_of(call);
        match values {
            Some(values) => values
                .get(write.argument as usize)
                .copied()
                .unwrap_or(Value::Undefined),
            None => Value::Unknown,
        }
    }

    /// What was passed to a call; `None`: it was not recorded.
    #[must_use]
    pub fn arguments_of(&self, call: &Call) -> Option<&[Value]> {
        let (from, count) = call.arguments;
        if count == NONE {
            return None;
        }
        self.arguments
            .get(from as usize..(from as usize).checked_add(count as usize)?)
    }

    /// What was passed to code without hooks, by the event of its end; `None`: it was not recorded.
    #[must_use]
    pub fn library_arguments_of(&self, event: u32) -> Option<&[Value]> {
        let at = self
            .library_arguments
            .binary_search_by_key(&event, |(event, _, _)| *event)
            .ok()?;
        let &(_, from, count) = self.library_arguments.get(at)?;
        self.arguments
            .get(from as usize..(from as usize).checked_add(count as usize)?)
    }

    /// The call that is running just before an event.
    #[must_use]
    pub fn call_before(&self, event: u32) -> u32 {
        let Some(it) = self.events.get(event as usize) else {
            return NONE;
        };
        match it.kind {
            Kind::Call => self
                .calls
                .get(it.call as usize)
                .map_or(NONE, |call| call.parent),
            _ => it.call,
        }
    }

    /// A text of a realm.
    #[must_use]
    pub fn text(&self, stream: u16, number: u32) -> &str {
        let texts = self.streams.get(usize::from(stream)).map(|it| &it.texts);
        number
            .checked_sub(1)
            .and_then(|index| texts?.get(index as usize))
            .map_or("", String::as_str)
    }

    /// An object of a realm.
    #[must_use]
    pub fn object(&self, stream: u16, number: u32) -> Option<&Object> {
        let objects = &self.streams.get(usize::from(stream))?.objects;
        objects.get(number.checked_sub(1)? as usize)
    }

    /// The name of an object's class: that by its prototype, else that of its constructor, whose prototype may say
    /// nothing (`Foo.prototype = {…}`). Empty: it has none.
    #[must_use]
    pub fn class_of(&self, stream: u16, number: u32) -> &str {
        let object = self.object(stream, number).copied().unwrap_or_default();
        let class = self.text(stream, object.class);
        if !matches!(class, "" | "Object") {
            return class;
        }
        let constructor = self.tables.function(object.constructor);
        let name = constructor.map(|it| it.name.as_str());
        name.filter(|name| !name.is_empty()).unwrap_or(class)
    }

    /// A scope of a realm.
    #[must_use]
    pub fn scope(&self, stream: u16, scope: ScopeId) -> Option<&ScopeInstance> {
        let scopes = &self.streams.get(usize::from(stream))?.scopes;
        scopes.get(scope.index()?)
    }
}
