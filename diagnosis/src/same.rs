//! Whether a call is the same as one that was judged: the same function, given the same and with the same result.
//!
//! What a call is given is more than its arguments: `this` and the variables around it, where the functions that ran
//! use them, and all objects that these reach. Numbers of objects do not count: those of the one call stand for those
//! of the other. Where a log has not all of it (objects that it did not see being made, built-ins whose result or
//! effect depends on something else, what waits), two calls are not said to be the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use event_log::ids::{FunctionId, ScopeId, VariableId};
use event_log::model::{Call, CallOutcome, Key, Kind, Model};
use event_log::value::Value;

use crate::log::LogTree;
use crate::state::{Cell, cell, effects, is_shared, properties};
use crate::tree::NodeId;
use crate::versions::Side;

/// What a function uses that is declared outside of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Names of variables.
    pub names: Vec<String>,
    /// Whether it uses `this`.
    pub this: bool,
}

/// What the functions of a log use, as far as that is known.
pub type UsesOf = HashMap<FunctionId, Uses>;

/// Whether two calls of a log are the same.
#[must_use]
pub fn is_same_call(log: &LogTree<'_>, one: NodeId, two: NodeId, uses: &UsesOf) -> bool {
    Pair::new(log, one, two, uses).is_some_and(Pair::compare)
}

/// More objects are not compared.
const MOST_OBJECTS: usize = 2000;
/// Of larger collections the log has not all.
const MOST_TOLD: usize = 100;

/// Names that mean the same always.
const FIXED: &[&str] = &[
    "Array",
    "BigInt",
    "Boolean",
    "Error",
    "Infinity",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "RangeError",
    "ReferenceError",
    "Set",
    "String",
    "SyntaxError",
    "TypeError",
    "arguments",
    "console",
    "isFinite",
    "isNaN",
    "parseFloat",
    "parseInt",
    "undefined",
];

struct Pair<'l> {
    left: Side<'l>,
    right: Side<'l>,
    one: &'l Call,
    two: &'l Call,
    uses: &'l UsesOf,
    pairs: BTreeMap<u32, u32>,
    taken: BTreeMap<u32, u32>,
    /// Objects that the log saw being made, or that it was told whole.
    whole: BTreeSet<u32>,
}

impl<'l> Pair<'l> {
    fn new(log: &'l LogTree<'l>, one: NodeId, two: NodeId, uses: &'l UsesOf) -> Option<Self> {
        let (its, others) = (log.call(one)?, log.call(two)?);
        if its.function != others.function || its.stream != 0 || others.stream != 0 {
            return None;
        }
        let (left, right) = (Side::new(log, one), Side::new(log, two));
        for side in [&left, &right] {
            let is_plain =
                side.unfinished().is_none() && !side.waits() && side.handed_out().is_empty();
            if !is_plain || !side.hidden_effects().is_nothing() {
                return None;
            }
        }
        let made = log.model().events.iter();
        let made = made.filter(|event| matches!(event.kind, Kind::Create | Kind::Contents));
        Some(Self {
            left,
            right,
            one: its,
            two: others,
            uses,
            pairs: BTreeMap::new(),
            taken: BTreeMap::new(),
            whole: made
                .filter_map(|event| event.owner.object())
                .map(|it| it.0)
                .collect(),
        })
    }

    fn model(&self) -> &'l Model {
        self.left.model()
    }

    fn compare(mut self) -> bool {
        let Some(cells) = self.same_cells() else {
            return false;
        };
        let model = self.model();
        let (entry, other_entry) = (self.one.enter, self.two.enter);
        let (exit, other_exit) = (self.left.exit(), self.right.exit());
        let uses_this = self
            .functions(true)
            .chain(self.functions(false))
            .any(|function| self.uses.get(&function).is_none_or(|uses| uses.this));
        if uses_this && !self.same(self.one.this, entry, self.two.this, other_entry) {
            return false;
        }
        let (Some(given), Some(others)) =
            (model.arguments_of(self.one), model.arguments_of(self.two))
        else {
            return false;
        };
        if given.len() != others.len() {
            return false;
        }
        for (&one, &two) in given.iter().zip(others) {
            if !self.same(one, entry, two, other_entry) {
                return false;
            }
        }
        let value = |it, at| cell(model, 0, it, at).unwrap_or(Value::Uninitialised);
        for &it in &cells {
            if !self.same(value(it, entry), entry, value(it, other_entry), other_entry) {
                return false;
            }
        }
        // What it was given is the same. So must be what it did.
        let inputs: Vec<(u32, u32)> = self.pairs.iter().map(|(&one, &two)| (one, two)).collect();
        let is_outcome_same = match (self.one.outcome, self.two.outcome) {
            (CallOutcome::Returned(one), CallOutcome::Returned(two)) => {
                self.same(one, exit, two, other_exit)
            }
            (CallOutcome::Threw, CallOutcome::Threw) => {
                match (self.left.thrown(), self.right.thrown()) {
                    (Some(one), Some(two)) => self.same(one, exit, two, other_exit),
                    _ => false,
                }
            }
            _ => false,
        };
        if !is_outcome_same {
            return false;
        }
        for (one, two) in &inputs {
            if !self.same_fields(*one, exit, *two, other_exit) {
                return false;
            }
        }
        let (these, those) = (self.left.effects(), self.right.effects());
        let known: BTreeSet<u32> = inputs.iter().map(|(one, _)| *one).collect();
        let others: BTreeSet<u32> = inputs.iter().map(|(_, two)| *two).collect();
        let is_covered = these.fields.iter().all(|it| known.contains(&it.object))
            && those.fields.iter().all(|it| others.contains(&it.object))
            && these.cells == those.cells;
        is_covered
            && these
                .cells
                .iter()
                .all(|&it| self.same(value(it, exit), exit, value(it, other_exit), other_exit))
    }

    /// The functions that ran in one of the calls.
    fn functions(&self, is_left: bool) -> impl Iterator<Item = FunctionId> + use<'l> {
        let side = if is_left { &self.left } else { &self.right };
        let mut functions: Vec<FunctionId> = side.calls().map(|call| call.function).collect();
        functions.sort_unstable();
        functions.dedup();
        functions.into_iter()
    }

    /// The variables around both calls that functions use which ran; `None`: they are not the same, or not known.
    fn same_cells(&self) -> Option<BTreeSet<Cell>> {
        let cells = |side: &Side<'l>, enter: u32| -> Option<BTreeSet<Cell>> {
            let mut found = BTreeSet::new();
            for call in side.calls() {
                for name in &self.uses.get(&call.function)?.names {
                    match self.cell_named(call, name)? {
                        // What was entered since is its own.
                        (_, entered) if entered > enter => {}
                        (Some(cell), _) => {
                            found.insert(cell);
                        }
                        (None, _) => {}
                    }
                }
            }
            Some(found)
        };
        let one = cells(&self.left, self.one.enter)?;
        let two = cells(&self.right, self.two.enter)?;
        (one == two).then_some(one)
    }

    /// The variable that a name means in a call, and when its scope was entered; without a variable it is one that
    /// means the same always.
    fn cell_named(&self, call: &Call, name: &str) -> Option<(Option<Cell>, u32)> {
        let model = self.model();
        let mut scope = call.scope;
        // The own scope is passed over: the name is declared outside.
        let mut steps = 0;
        while let Some(instance) = model.scope(0, scope) {
            steps += 1;
            if steps > 1000 {
                return None;
            }
            if scope != call.scope
                && let Some(variable) = variable_in(model, name, |it| it == instance.of)
            {
                return Some((Some(Cell { variable, scope }), instance.entered));
            }
            scope = instance.parent;
        }
        // One of the scripts.
        let shared = model
            .tables
            .variables
            .iter()
            .zip(1..)
            .find(|(it, number)| it.name == name && is_shared(model, VariableId(*number)));
        if let Some((_, number)) = shared {
            let cell = Cell {
                variable: VariableId(number),
                scope: ScopeId::NONE,
            };
            return Some((Some(cell), 0));
        }
        FIXED.contains(&name).then_some((None, 0))
    }

    fn same(&mut self, one: Value, at: u32, two: Value, other_at: u32) -> bool {
        match (one, two) {
            (Value::Unknown | Value::Accessor | Value::LongString { .. }, _) => false,
            (Value::Function(one), Value::Function(two))
            | (Value::Symbol(one), Value::Symbol(two)) => one == two,
            (Value::Object(one), Value::Object(two)) => {
                match (self.pairs.get(&one.0), self.taken.get(&two.0)) {
                    (Some(&known), _) => return known == two.0,
                    (None, Some(_)) => return false,
                    (None, None) => {}
                }
                if self.pairs.len() >= MOST_OBJECTS
                    || !self.whole.contains(&one.0)
                    || !self.whole.contains(&two.0)
                    || self.left.class(one.0) != self.right.class(two.0)
                {
                    return false;
                }
                self.pairs.insert(one.0, two.0);
                self.taken.insert(two.0, one.0);
                self.same_fields(one.0, at, two.0, other_at)
            }
            (Value::Number(one), Value::Number(two)) => {
                one.to_bits() == two.to_bits() || (one.is_nan() && two.is_nan())
            }
            (Value::String(one), Value::String(two)) | (Value::BigInt(one), Value::BigInt(two)) => {
                self.model().text(0, one.0) == self.model().text(0, two.0)
            }
            (one, two) => one == two,
        }
    }

    fn same_fields(&mut self, one: u32, at: u32, two: u32, other_at: u32) -> bool {
        let fields = |object, at| -> BTreeMap<u32, Value> {
            properties(self.model(), 0, object, at)
                .into_iter()
                .collect()
        };
        let (own, others) = (fields(one, at), fields(two, other_at));
        let is_plain = |key: &u32| match self.model().keys.get(*key as usize) {
            Some(Key::Entry(text)) => !text.contains(" #"),
            Some(_) => true,
            None => false,
        };
        if own.len() >= MOST_TOLD || own.len() != others.len() || !own.keys().all(is_plain) {
            return false;
        }
        own.into_iter().all(|(key, value)| {
            let other = others.get(&key).copied();
            other.is_some_and(|other| self.same(value, at, other, other_at))
        })
    }
}

/// The variable of a name in a scope.
fn variable_in(
    model: &Model,
    name: &str,
    is_it: impl Fn(event_log::ids::StaticScopeId) -> bool,
) -> Option<VariableId> {
    let mut variables = model.tables.variables.iter().zip(1..);
    let found = variables.find(|(it, _)| it.name == name && is_it(it.scope));
    found.map(|(_, number)| VariableId(number))
}

impl<'l> Side<'l> {
    fn effects(&self) -> crate::state::Effects {
        effects(self.log(), self.node(), self.exit())
    }
}
