//! Rewriting: a script with hooks at the sites where asked values can be written.
//!
//! Hooks are insertions into the text ([`crate::edits`]); a site's own text stays where it was, so lines,
//! columns of the author's code and the order of evaluation stay too. Every hook is guarded by the agent's
//! `$QpA` ("armed"), a top-level `let` that never changes during one execution, which the engine treats as
//! a constant: a dormant hook costs next to nothing.
//!
//! | module | site | what becomes of it (`x`, `o.p` watched) |
//! | --- | --- | --- |
//! | `properties` | `f().p = g()` | `($Qp1=f()).p = ($Qp2=g(),$QpA&&$QpW(1,$Qp1,"p",$Qp2),$Qp2)` |
//! | `variables` | `x = g()` | `x = ($Qp1=g(),$QpA&&($Qp$x=$QpX(1,x,$Qp$x,$Qp1)),$Qp1)` |
//! | `patterns` | `[o.p] = g()` | `[$QpM(1,o,"p",($QpO,$QpK,$QpV)=>$QpO.p=$QpV).v] = g()` |
//! | `literals` | `f({ p: 1 })` | `f(($Qp1={ p: 1 },$QpA&&$QpL(1,$Qp1,"p",$Qp1["p"]),$Qp1))` |
//! | `functions` | `f((x) => x)` | `f((x) => {var $Qp$x;$QpA&&(($Qp$x=$QpV(1,$Qp$x,x)));return x})` |
//! | `statements` | `{ let y; k(); }` | `{let $Qp$y; let y=(…); k(); }` |
//! | `conditions` | `if (v) k();` | `if (($Qp1=v,$QpA&&($Qpc0_2=$QpB(1,…),$Qp1)) k();` |
//! | `code` | `eval(v)` | `($QpCb(),eval($QpCe(eval,…,v)))` |
//!
//! A hook runs just before the write it reports; only bindings that the language itself fills (parameters,
//! patterns of declarations, loop heads, hoisted functions, classes) and literals are reported just after.
//!
//! Where hooks are live ([`Watch::Live`]), each leaves a number instead of calling the agent: see `shadows`.
//!
//! A variable's last change is kept in a *shadow*, a variable `$Qp$x` declared in the same scope as `x`:
//! it lives, is captured and is copied per iteration exactly as `x` is, so every activation has its own.
//! A property's last change is kept by the agent on the object itself.

mod accessors;
mod activations;
mod arguments;
mod author_names;
mod branches;
mod calls;
mod captured;
mod classes;
mod code;
mod conditions;
mod deletions;
mod extents;
mod first_writes;
mod free_lookups;
mod function_paths;
mod function_room;
mod functions;
mod handed_over;
mod hooks;
mod literals;
mod modules;
mod observable;
mod original_scopes;
mod parsed;
mod patterns;
mod points;
mod private_names;
mod properties;
mod rewriter;
mod script;
mod shadows;
mod statements;
mod super_properties;
mod syntax_tree;
mod tracing;
mod variables;
mod walk;
mod watched_expression;
mod watching;
mod with_statements;

use std::sync::Arc;

use crate::control_flow::Condition;
use crate::edits::{Edits, PositionMap};
use crate::outer_scope::{OuterName, OuterVariable};
use crate::parse::SyntaxError;
use crate::position::{ByteOffset, ByteSpan};

pub use crate::outer_scope::OuterScope;
pub use activations::{FunctionAt, activation_name};
pub use author_names::{NamesAsWritten, OriginalNames};
pub(crate) use conditions::condition_operands;
pub use extents::Extents;
pub use free_lookups::with_free_lookups;
pub use function_room::TOP;
pub(crate) use function_room::after_directives;
pub use original_scopes::{DebuggerScope, OriginalScopes, Spot};
pub use parsed::{ParsedScript, ParsedScripts};
pub use points::{CodePlaces, PlaceShape, PointPlace};
pub(crate) use properties::number_key;
pub use script::{Script, global_context, with_script};
pub use shadows::SITE_BITS;
pub use watched_expression::RunningExpression;

/// The prefix of every name that rewriting introduces, unless another is asked for.
pub const DEFAULT_PREFIX: &str = "$Qp";

/// The name under which hooks report the private name `#name`: no public key can look like it.
#[must_use]
pub fn private_key(name: &str) -> String {
    format!("\0#{name}")
}

/// An event that a trace query counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedEvent {
    /// What happens.
    pub kind: TracedKind,
    /// The name of the function or class, or the end of the dotted way to it.
    pub name: String,
    /// The index of its [`WatchedTarget::Events`] among the watched names.
    pub slot: usize,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracedKind {
    /// A function is entered.
    Call,
    /// A function is left.
    Return,
    /// An object is created with `new`.
    Creation,
}

impl TracedEvent {
    /// Whether its name is a way to the function or class.
    fn is_dotted(&self) -> bool {
        self.name.contains('.')
    }
}

/// What is to be hooked, and how.
#[derive(Clone, Debug)]
pub struct Instrumentation {
    /// Prefix of every introduced name; must be the agent's.
    pub prefix: String,
    /// A number for this script, unique among the scripts of one execution.
    pub script: u32,
    /// The number of the script's first site.
    pub first_site: u32,
    /// Which writes are hooked.
    pub watch: Watch,
    /// What points that are found must in turn know: see [`Dependent`].
    pub dependents: Vec<Dependent>,
    /// Whether hooks also hand over all variables in sight and the watched expressions, for capture inside
    /// the page.
    pub capture: Option<Capture>,
    /// Places at which the page is to report that it reached them.
    pub points: Vec<RequestedPoint>,
    /// The names of built-ins that are watched: a function that seems to call one gets a site of the kind
    /// [`SiteKind::Call`].
    pub called: Vec<String>,
    /// Whether modules tell the agent how their exported variables are reached, so that they can be asked where they
    /// are imported.
    pub links_modules: bool,
    /// Whether the script is part of a document, whose text the page can read: then it begins with `$QpC()`, which puts
    /// the author's text back into the document.
    pub in_document: bool,
    /// For a text given to `eval`: what it sees of the code around the call.
    pub outer: Option<Arc<OuterScope>>,
    /// The conditions whose outcomes are reported.
    pub conditions: Vec<WatchedCondition>,
    /// The `try` blocks, by their opening brace, that say each time they are entered which time that is: a debugger
    /// reads it from [`entry_name`].
    pub try_blocks: Vec<ByteOffset>,
    /// The functions, by the place where their bodies begin ([`FunctionAt::body`], [`TOP`] for the script itself), that
    /// say each time they are entered which time that is: a debugger reads it from [`activation_name`].
    pub activations: Vec<ByteOffset>,
    /// Events besides writes that are counted.
    pub traced: Vec<TracedEvent>,
    /// The watched variables whose hooks say which of them is written, by index: their writes are counted, or something
    /// is at their points.
    pub traced_variables: Vec<usize>,
    /// Whether every plain function says what it reads, as getters do: a getter that is asked calls some of them.
    pub opens_functions: bool,
}

/// The variable of a `try` block that holds the number of its entry, for [`Instrumentation::try_blocks`].
#[must_use]
pub fn entry_name(prefix: &str, block: ByteOffset) -> String {
    format!("{prefix}t{}", block.0)
}

/// A condition whose outcome is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedCondition {
    /// Which.
    pub condition: Condition,
    /// For which questions: each the index of a [`WatchedTarget::Conditions`] among the watched names.
    pub slots: Vec<usize>,
}

impl Default for Instrumentation {
    fn default() -> Self {
        Self {
            prefix: DEFAULT_PREFIX.to_owned(),
            script: 1,
            first_site: 1,
            watch: Watch::Standby,
            dependents: Vec::new(),
            capture: None,
            points: Vec::new(),
            called: Vec::new(),
            links_modules: false,
            in_document: false,
            outer: None,
            conditions: Vec::new(),
            try_blocks: Vec::new(),
            activations: Vec::new(),
            traced: Vec::new(),
            traced_variables: Vec::new(),
            opens_functions: false,
        }
    }
}

/// How a call makes code of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Making {
    /// A direct `eval`: the text sees what is around the call.
    Direct(Arc<OuterScope>),
    /// Any other `eval`: the text is global code.
    Indirect,
}

/// Which writes are hooked.
#[derive(Clone, Debug)]
pub enum Watch {
    /// Every write of every name.
    Everything,
    /// What may be asked about later, with dormant hooks: every write but those of variables that are gone with the
    /// call that wrote them (no function is in their scope); these are hooked when they are asked.
    Standby,
    /// Every write of every name whose last writer can be told: each leaves one number in the shadow of what it wrote
    /// (see the module `shadows`).
    Live,
    /// The writes that these names' questions are about.
    Names(Vec<WatchedName>),
}

/// One name whose writes are hooked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedName {
    /// What is written.
    pub target: WatchedTarget,
    /// Which of [`Instrumentation::dependents`] depend on points found for this name.
    pub dependents: Vec<usize>,
}

/// What is written: a property of any object, or a variable of any scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchedTarget {
    /// A property by its key; private names as [`private_key`] gives them.
    Property(String),
    /// A variable by the name its author gave it.
    Variable(String),
    /// The entries of all maps, or the members of all sets: no site writes them, only built-ins do.
    Entries(&'static str),
    /// The conditions that the query with this number asks for: see [`Instrumentation::conditions`].
    Conditions(usize),
    /// The events that the query with this number counts: see [`Instrumentation::traced`].
    Events(usize),
}

/// A reference that is to be resolved at the moment at which another point is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependent {
    /// Where the reference starts.
    pub root: DependentRoot,
    /// Whether the root itself, a variable, is what is asked (`B:x`), not a property reached from it
    /// (`B:x.y`).
    pub is_variable: bool,
}

/// The first part of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DependentRoot {
    /// `this`.
    This,
    /// The object whose property the event wrote (`B:.owner`).
    EventObject,
    /// An element of the document: the agent looks it up by itself.
    Element,
    /// A variable in sight, by the name its author gave it.
    Name(String),
    /// The last outcome, in the function around, of the conditions that the watched name with this index means.
    Condition(usize),
}

/// What hooks hand over for capture inside the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// Expressions to be evaluated at every event; each must parse on its own.
    pub watches: Vec<String>,
}

/// A place at which the page reports that it reached it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedPoint {
    /// Where, as [`CodePlaces`] found it.
    pub place: PointPlace,
    /// Which of [`Instrumentation::dependents`] are resolved there.
    pub dependents: Vec<usize>,
    /// Of a line that a trace query counts: the index of its [`WatchedTarget::Events`] among the watched names. `None`:
    /// it is the reproduction point.
    pub slot: Option<usize>,
}

/// One place where a hooked write can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The first character of the assignment, update, property definition, declarator or parameter.
    pub at: ByteOffset,
    /// What the site does.
    pub kind: SiteKind,
    /// The name of the function around, as a stack would show it.
    pub function: Option<String>,
    /// The number in the call `$QpS(number)` that is in the same function and is never made by armed
    /// code: a breakpoint there keeps the function from being optimised.
    pub anchor: Option<u32>,
    /// The name of the built-in that is called, for [`SiteKind::Call`].
    pub calls: Option<String>,
    /// For a call that makes code: how.
    pub making: Option<Making>,
    /// For [`SiteKind::Condition`]: which.
    pub condition: Option<ConditionSite>,
}

/// What is known of a condition whose outcome is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionSite {
    /// The condition.
    pub condition: Condition,
    /// The text of each operand, in the order in which the hook hands over their values.
    pub operands: Vec<ByteSpan>,
    /// See [`WatchedCondition::slots`].
    pub slots: Vec<usize>,
}

/// What a site does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// An assignment, plain, compound or logical, or a destructuring target.
    Assignment,
    /// A branch of an assignment's value that its author assigned by itself.
    Branch,
    /// `++` or `--`.
    Update,
    /// A variable declarator.
    Declaration,
    /// A parameter or catch parameter.
    Parameter,
    /// A function or class declaration.
    Definition,
    /// A property of an object literal, an element of an array literal, or a class field.
    Property,
    /// The head of a `for-in` or `for-of` loop.
    LoopHead,
    /// `delete`.
    Deletion,
    /// A call that may be of a watched built-in. No hook is there.
    Call,
    /// A call that makes code of a text.
    Code,
    /// A condition: it writes nothing.
    Condition,
    /// The beginning of a `try` block: it writes nothing.
    TryBlock,
    /// The beginning of a function whose calls are numbered: it writes nothing.
    Activation,
    /// An event that is counted: it writes nothing.
    Event,
}

/// A site that no hook could be placed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnhookedSite {
    /// Where.
    pub at: ByteOffset,
    /// Why not.
    pub reason: &'static str,
}

/// A rewritten script.
#[derive(Debug)]
pub struct Rewritten {
    /// The edits, on offsets of the source.
    pub edits: Edits,
    /// The sites; site number = [`Instrumentation::first_site`] + index.
    pub sites: Vec<Site>,
    /// Sites that could write a watched name and are not hooked.
    pub unhooked: Vec<UnhookedSite>,
}

impl Rewritten {
    /// The rewritten text and its position map.
    #[must_use]
    pub fn apply(self, source: &str) -> (String, PositionMap) {
        self.edits.apply(source)
    }
}

/// Why a script is left as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RewriteError {
    /// It does not parse.
    #[error("not rewritten, because it does not parse: {0}")]
    Syntax(#[from] SyntaxError),
    /// It holds names that rewriting would introduce.
    #[error("not rewritten, because it uses names that begin with {prefix}")]
    PrefixTaken {
        /// The prefix.
        prefix: String,
    },
    /// Inserted text could not be told from what its author wrote: see [`crate::marks`].
    #[error("not rewritten, because it holds two vertical tabs in a row")]
    Unmarkable,
    /// It is larger than offsets can say.
    #[error("not rewritten, because it is larger than 1 GiB")]
    TooLarge,
    /// It is a text for `eval` that declares a variable which a block around the call declares too.
    #[error(
        "not rewritten, because it declares {name}, which a block around the call declares too"
    )]
    DeclaredAround {
        /// The variable.
        name: String,
    },
    /// Two walks over the same tree disagreed: a defect of ours, reported instead of a wrong script.
    #[error("not rewritten, because of a defect in the rewriter (scopes do not line up)")]
    ScopesDisagree,
}

/// A variable as the running script knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableAt {
    /// A binding of a function, block, catch clause or module.
    Local {
        /// Its name in the running script.
        name: String,
    },
    /// A global: property of the global object or script-level binding, of this or another script.
    Global {
        /// Its name.
        name: String,
    },
    /// A binding whose writes happen where no hook of this script can see them (an import), or that cannot be
    /// written (a function expression's own name).
    Unwatched {
        /// Its name in the running script.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// The name does not say which variable is meant, or the one that is meant cannot be reached from there.
    Unknown {
        /// Why, in words.
        why: String,
    },
}
