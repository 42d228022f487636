//! Which function may be called where, in several scripts.

use rustc_hash::FxHashMap;

use super::facts::{FlowPlace, MethodOf};
use crate::position::ByteSpan;

/// A function, by script and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionRef {
    /// The index of the script.
    pub script: u32,
    /// The number of the function in [`CallFacts::functions`].
    pub function: u32,
}

/// A call, by script and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallRef {
    /// The index of the script.
    pub script: u32,
    /// The number of the call in [`CallFacts::calls`].
    pub call: u32,
}

/// Through what a function that is handed over is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegistrationKind {
    /// An event.
    Listener,
    /// The outcome of a promise.
    Promise,
    /// The code that makes a promise.
    Executor,
    /// Time, or the next frame.
    Timer,
    /// A built-in that calls it for each element, or code that is not among the scripts.
    Callback,
}

/// What may call a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CalledBack {
    /// A call of it.
    Call(CallRef),
    /// A call that hands it over.
    Registered(CallRef, RegistrationKind),
    /// The assignment of a property such as `onclick`, by its number in [`CallFacts::handlers`].
    Handler(CallRef),
    /// A read or write of the property that it is the accessor of.
    Access {
        /// The index of the script.
        script: u32,
        /// The function that it is in.
        function: u32,
        /// Where.
        at: ByteSpan,
    },
}

/// What made a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Promised {
    /// A `new Promise`.
    Constructed(CallRef),
    /// A call of an `async` function.
    Async(FunctionRef),
    /// An `import()`.
    Imported(CallRef),
}

/// What made an object: what its methods may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// An array literal, a `new` of a class of the platform, a method that gives a list: it has the methods of the
    /// platform.
    BuiltIn,
    /// The browser: it has those of the platform, and may have some of a class that extends an element's.
    Element,
    /// An object literal: it has those that the scripts give to it.
    Literal,
    /// A `new` of something else.
    Constructed(CallRef),
    /// Something else: what its methods are is not known.
    Unknown,
}

impl Made {
    /// Whether an object can be `this` of such a method.
    pub(super) fn may_be_this(self, of: MethodOf) -> bool {
        match self {
            Self::BuiltIn => of == MethodOf::Nothing,
            Self::Element => of != MethodOf::Own,
            Self::Literal | Self::Constructed(_) | Self::Unknown => true,
        }
    }
}

/// Which function may be called where.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    pub(super) callers: FxHashMap<FunctionRef, Vec<CalledBack>>,
    pub(super) callees: FxHashMap<CallRef, Vec<FunctionRef>>,
    /// The calls of what settles a promise, by the `new Promise` that made it.
    pub(super) settling: FxHashMap<CallRef, Vec<CallRef>>,
    /// What made the promise that an `await` or a `then` waits for.
    pub(super) promises: FxHashMap<CallRef, Vec<Promised>>,
    /// The calls that clear what a timer's call gave, by that call.
    pub(super) cleared: FxHashMap<CallRef, Vec<CallRef>>,
    /// The calls of what a call gave that was handed a function, and those that undo something and are handed it or
    /// are a method of it; by that call.
    pub(super) undoing: FxHashMap<CallRef, Vec<CallRef>>,
    /// The properties such as `onclick` that are set to what a call gave that was handed a function, by that call.
    pub(super) handling: FxHashMap<CallRef, Vec<CallRef>>,
    /// The calls that remove a function from the listeners, by the function.
    pub(super) removed: FxHashMap<FunctionRef, Vec<CallRef>>,
    /// The calls that hand a function over.
    pub(super) handed: FxHashMap<FunctionRef, Vec<CallRef>>,
    /// The property that a function is kept in.
    pub(super) kept: FxHashMap<FunctionRef, String>,
    /// Which objects each place may hold, by script (`u32::MAX`: of all) and place; where that was asked.
    pub(super) objects: FxHashMap<(u32, FlowPlace), Vec<u32>>,
    /// What made each object.
    pub(super) made: FxHashMap<u32, Made>,
    /// The classes whose objects a `new` makes: of each, whether it extends another one.
    pub(super) classes: FxHashMap<CallRef, Vec<bool>>,
    /// Whether a place had more functions than are kept.
    pub is_cut: bool,
    /// Whether it took more steps than it may: calls are missing.
    pub gave_up: bool,
}

impl CallGraph {
    /// The calls that hand a function over, whatever is done with it there.
    #[must_use]
    pub fn handed_over(&self, function: FunctionRef) -> &[CallRef] {
        self.handed.get(&function).map_or(&[], Vec::as_slice)
    }

    /// A property that a function is kept in: who computes names may call it.
    #[must_use]
    pub fn kept_as(&self, function: FunctionRef) -> Option<&str> {
        self.kept.get(&function).map(String::as_str)
    }

    /// The objects that a place of a script may hold.
    pub(crate) fn objects(&self, script: u32, place: &FlowPlace) -> &[u32] {
        let script = if is_shared(place) { u32::MAX } else { script };
        let known = self.objects.get(&(script, place.clone()));
        known.map_or(&[], Vec::as_slice)
    }

    /// Whether an object may have the methods that the platform's objects have.
    pub(super) fn may_be_built_in(&self, object: u32) -> bool {
        match self.made.get(&object) {
            Some(Made::Literal) => false,
            Some(Made::Constructed(call)) => match self.classes.get(call) {
                // What a class extends may be one of the platform's.
                Some(classes) => classes.iter().any(|is_derived| *is_derived),
                None => self.callees(*call).is_empty(),
            },
            Some(Made::BuiltIn | Made::Element | Made::Unknown) | None => true,
        }
    }

    /// What may call a function.
    #[must_use]
    pub fn callers(&self, function: FunctionRef) -> &[CalledBack] {
        self.callers.get(&function).map_or(&[], Vec::as_slice)
    }

    /// What a call may call.
    #[must_use]
    pub fn callees(&self, call: CallRef) -> &[FunctionRef] {
        self.callees.get(&call).map_or(&[], Vec::as_slice)
    }

    /// The calls of `resolve` and `reject` of what a `new Promise` makes.
    #[must_use]
    pub fn settling(&self, construction: CallRef) -> &[CallRef] {
        self.settling.get(&construction).map_or(&[], Vec::as_slice)
    }

    /// The calls of `clearTimeout` and the like that may clear what a call has set.
    #[must_use]
    pub fn cleared(&self, timer: CallRef) -> &[CallRef] {
        self.cleared.get(&timer).map_or(&[], Vec::as_slice)
    }

    /// The calls that may undo what a call did that was handed a function, by what it gave.
    #[must_use]
    pub fn undoing(&self, registration: CallRef) -> &[CallRef] {
        self.undoing.get(&registration).map_or(&[], Vec::as_slice)
    }

    /// The properties such as `onclick` that are set to what a call gave that was handed a function, by their numbers
    /// in [`CallFacts::handlers`](super::CallFacts::handlers).
    #[must_use]
    pub fn handling(&self, made: CallRef) -> &[CallRef] {
        self.handling.get(&made).map_or(&[], Vec::as_slice)
    }

    /// The calls of `removeEventListener` and the like that name a function.
    #[must_use]
    pub fn removed(&self, function: FunctionRef) -> &[CallRef] {
        self.removed.get(&function).map_or(&[], Vec::as_slice)
    }

    /// What made the promise that an `await` or a call of `then`, `catch` or `finally` waits for.
    #[must_use]
    pub fn promises(&self, waiting: CallRef) -> &[Promised] {
        self.promises.get(&waiting).map_or(&[], Vec::as_slice)
    }

    /// How many calls have a callee, and how many edges there are.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        let edges = self.callees.values().map(Vec::len).sum();
        (self.callees.len(), edges)
    }
}

/// Whether a place is the same one in all scripts.
pub(super) fn is_shared(place: &FlowPlace) -> bool {
    matches!(
        place,
        FlowPlace::Global(_) | FlowPlace::Property(_) | FlowPlace::Export(_)
    )
}
