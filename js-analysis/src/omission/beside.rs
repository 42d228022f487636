//! Which functions a script hands over, where, what is around them there, and what they give.

mod choices;
mod outcome;
mod roots;
mod walk;

use rustc_hash::FxHashSet;
use swc_atoms::Atom;

use super::coverage::Coverage;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;
pub(super) use choices::{Choice, ChoiceSite};
pub(super) use outcome::TestOutcome;
use walk::walked;

/// A variable: a binding of the script, or a name that it does not declare.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variable {
    Own(u32),
    Global(Atom),
}

/// What is handed over at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A function that is written there, by its body.
    Itself(ByteOffset),
    /// What a variable holds.
    Variable(Variable),
    /// Text that may be the name of a property.
    Name(Atom),
}

/// A place where something is handed over.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) target: Target,
    /// Where it is written.
    pub(super) at: ByteSpan,
    /// The expression of a statement that it is in.
    pub(super) tree: u32,
    /// The literals and calls around it there, from the outside in.
    pub(super) path: Vec<u32>,
}

/// A `return`, or the value of an arrow function without braces.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    pub(super) statement: ByteSpan,
    /// Where its count is.
    pub(super) at: ByteOffset,
    pub(super) value: ByteSpan,
    pub(super) has_value: bool,
    pub(super) outcome: TestOutcome,
    pub(super) operands: Vec<ByteSpan>,
    /// The variable that it is.
    variable: Option<Variable>,
    /// Where that is filled, if it is an empty literal first: `errors.name = "required"`.
    pub(super) fills: Vec<ByteSpan>,
}

/// A call of a parameter: `next()`, `done(user !== null)`.
#[derive(Clone, Debug)]
pub(super) struct OwnCall {
    pub(super) span: ByteSpan,
    /// What it is given, if that is one value that can be tested.
    pub(super) given: Option<Returned>,
}

/// A function of the script.
#[derive(Clone, Debug)]
pub(super) struct HandedFunction {
    pub(super) span: ByteSpan,
    /// Where its body begins.
    pub(super) body: ByteOffset,
    pub(super) entered: u64,
    /// The variable that it is declared as, or that it is the first value of.
    pub(super) variable: Option<Variable>,
    /// The property of a literal that it is in.
    pub(super) property: Option<Atom>,
    /// The variable of the object or class that it is a member of: handed over, it is, too.
    pub(super) holder: Option<Variable>,
    pub(super) returns: Vec<Returned>,
    /// The calls of its parameters in it, such as `next()`.
    pub(super) own_calls: Vec<OwnCall>,
    parameters: Vec<Atom>,
    /// Where it throws by its text, and does not catch that.
    pub(super) throws: Vec<ByteSpan>,
    /// Whether it may end without a `return`.
    pub(super) may_end: bool,
    /// The variables that something is put into.
    fills: Vec<(Variable, ByteSpan)>,
}

impl HandedFunction {
    /// Whether it gives something, by its text, or calls what it was given.
    pub(super) fn answers(&self) -> bool {
        let mut returns = self.returns.iter();
        !self.own_calls.is_empty() || returns.any(|returned| returned.has_value)
    }

    /// Whether it gives nothing but where something is wrong, or to go somewhere else: `if (!user) return "/login";`.
    pub(super) fn refuses(&self) -> bool {
        let mut returns = self.returns.iter();
        returns.all(|returned| {
            matches!(
                returned.outcome,
                TestOutcome::No | TestOutcome::Yes | TestOutcome::Instead
            )
        })
    }

    /// Of a function that says by a text what is wrong, and gives nothing else, as a validator does: whether it said
    /// so. None: it is no such function.
    pub(super) fn has_refused(&self, coverage: &Coverage) -> Option<bool> {
        let says = |returned: &&Returned| returned.outcome == TestOutcome::Instead;
        let mut saying = self.returns.iter().filter(says).peekable();
        saying.peek()?;
        let is_one = self.refuses();
        is_one.then(|| saying.any(|returned| coverage.evaluated(returned.at) > 0))
    }

    /// Whether it is what a component does at an event, as far as its name says: what it gives, nobody asks.
    fn is_listener(&self) -> bool {
        let rest = self
            .property
            .as_ref()
            .and_then(|name| name.strip_prefix("on"));
        let is_event = rest.is_some_and(|rest| rest.starts_with(char::is_uppercase));
        is_event
            && self.own_calls.is_empty()
            && rest.is_some_and(|rest| !rest.starts_with("Before"))
    }

    /// Whether one is in the other, or both are the same.
    pub(super) fn is_around_or_in(&self, other: &Self) -> bool {
        let holds = |outer: &Self, inner: &Self| {
            outer.span.start <= inner.span.start && inner.span.end <= outer.span.end
        };
        holds(self, other) || holds(other, self)
    }
}

/// The expression of one statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The variables that it declares, and that it uses outside of functions.
    pub(super) variables: FxHashSet<Variable>,
}

/// What a script hands over.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub(super) functions: Vec<HandedFunction>,
    pub(super) sites: Vec<Site>,
    /// The values that decide beside what is handed over.
    pub(super) choices: Vec<ChoiceSite>,
    pub(super) trees: Vec<Tree>,
    /// The variables that hold what was made with what is handed over, or what it is handed over to.
    pub(super) connecting: FxHashSet<Variable>,
    /// What variables are made of, where functions are handed over in it, or in what variables in it are made of:
    /// `const open = list.filter((item) => …)`, `const schema = object({ name })`.
    pub(super) made: Vec<(Variable, ByteSpan)>,
    /// The variables that are called by their names: nobody else decides whether those functions run.
    pub(super) called: FxHashSet<Variable>,
}

impl Beside {
    /// What a script hands over, and how often each of its functions was entered.
    pub(super) fn of(script: &Script<'_>, coverage: &Coverage) -> Self {
        walked(script, coverage)
    }

    /// Whether a function ran, gives something or throws, and is called by what it was handed over to only.
    pub(super) fn may_decide(&self, function: &HandedFunction) -> bool {
        let variable = function.variable.as_ref();
        let is_called = variable.is_some_and(|variable| self.called.contains(variable));
        let decides = function.answers() && !function.is_listener() || !function.throws.is_empty();
        function.entered > 0 && decides && !is_called
    }
}
