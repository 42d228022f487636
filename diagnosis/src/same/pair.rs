//! Two calls side by side.

use std::collections::{BTreeMap, BTreeSet};

use event_log::ids::{FunctionId, ScopeId, VariableId};
use event_log::model::{Call, CallOutcome, Key, Model};
use event_log::tables::{Function, StaticScopeKind};
use event_log::value::Value;

use super::{CallOf, UsesOf};
use crate::state::{Cell, Effects, cell, effects, is_shared, properties};
use crate::versions::Side;

/// More objects are not compared.
const MOST_OBJECTS: usize = 2000;
/// Of larger collections the log has not all.
const MOST_TOLD: usize = 100;
/// More scopes are not looked through.
const MOST_SCOPES: usize = 1000;

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

/// A variable by what it is called, and by the kind and the function of the scope that declares it: the same in two
/// versions of a page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CellName {
    variable: String,
    /// Of what is declared in a function; `None`: in a script as a whole.
    scope: Option<(StaticScopeKind, String)>,
}

/// Two calls that may be the same.
pub(super) struct Pair<'l> {
    left: Side<'l>,
    right: Side<'l>,
    one: &'l Call,
    two: &'l Call,
    uses: &'l UsesOf,
    other_uses: &'l UsesOf,
    is_one_log: bool,
    /// Objects of the one that represent objects of the other, and the other way round.
    pairs: BTreeMap<u32, u32>,
    taken: BTreeMap<u32, u32>,
}

impl<'l> Pair<'l> {
    /// Two calls of the same function that did nothing that a log does not have; `None`: they are not.
    pub(super) fn new(one: CallOf<'l>, two: CallOf<'l>, is_one_log: bool) -> Option<Self> {
        let (its, others) = (one.log.call(one.node)?, two.log.call(two.node)?);
        let (model, other_model) = (one.log.model(), two.log.model());
        let is_function = match is_one_log {
            true => its.function == others.function,
            false => is_same_text(
                model.tables.function(its.function)?,
                other_model.tables.function(others.function)?,
            ),
        };
        if !is_function || its.stream != 0 || others.stream != 0 {
            return None;
        }
        // What differs at first sight is not looked at further.
        let (given, other_given) = (model.arguments_of(its)?, other_model.arguments_of(others)?);
        if given.len() != other_given.len()
            || !given
                .iter()
                .zip(other_given)
                .all(|(&one, &two)| is_alike(model, one, other_model, two))
        {
            return None;
        }
        let (left, right) = (Side::new(one.log, one.node), Side::new(two.log, two.node));
        for side in [&left, &right] {
            let is_plain =
                side.unfinished().is_none() && !side.waits() && side.handed_out().is_empty();
            if !is_plain || !side.hidden_effects().is_nothing() {
                return None;
            }
        }
        Some(Self {
            left,
            right,
            one: its,
            two: others,
            uses: one.uses,
            other_uses: two.uses,
            is_one_log,
            pairs: BTreeMap::new(),
            taken: BTreeMap::new(),
        })
    }

    /// The logs of both.
    fn models(&self) -> (&'l Model, &'l Model) {
        (self.left.model(), self.right.model())
    }

    /// Whether they are the same.
    pub(super) fn compare(mut self) -> bool {
        let (Some(cells), Some(others)) = (self.cells(true), self.cells(false)) else {
            return false;
        };
        let Some(cells) = self.together(&cells, &others) else {
            return false;
        };
        let (model, other_model) = self.models();
        let (entry, other_entry) = (self.one.enter, self.two.enter);
        let (exit, other_exit) = (self.left.exit(), self.right.exit());
        let uses_this = [(true, self.uses), (false, self.other_uses)]
            .into_iter()
            .any(|(is_left, uses)| {
                let mut functions = self.functions(is_left).into_iter();
                functions.any(|function| uses.get(&function).is_none_or(|uses| uses.this))
            });
        if uses_this && !self.same(self.one.this, entry, self.two.this, other_entry) {
            return false;
        }
        let (Some(given), Some(others)) = (
            model.arguments_of(self.one),
            other_model.arguments_of(self.two),
        ) else {
            return false;
        };
        for (&one, &two) in given.iter().zip(others) {
            if !self.same(one, entry, two, other_entry) {
                return false;
            }
        }
        for &(one, two) in &cells {
            if !self.same_cell(one, entry, two, other_entry) {
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
            && those.fields.iter().all(|it| others.contains(&it.object));
        let Some(changed) = self.together(&these.cells, &those.cells) else {
            return false;
        };
        is_covered
            && changed
                .iter()
                .all(|&(one, two)| self.same_cell(one, exit, two, other_exit))
    }

    /// The functions that ran in one of the calls.
    fn functions(&self, is_left: bool) -> Vec<FunctionId> {
        let side = if is_left { &self.left } else { &self.right };
        let mut functions: Vec<FunctionId> = side.calls().map(|call| call.function).collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// The variables around a call that functions use which ran; `None`: they are not known.
    fn cells(&self, is_left: bool) -> Option<BTreeSet<Cell>> {
        let (side, uses, enter) = match is_left {
            true => (&self.left, self.uses, self.one.enter),
            false => (&self.right, self.other_uses, self.two.enter),
        };
        let mut found = BTreeSet::new();
        for call in side.calls() {
            for name in &uses.get(&call.function)?.names {
                match cell_named(side.model(), call, name)? {
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
    }

    /// Which variables of both are the same; `None`: they have others.
    fn together(
        &self,
        cells: &BTreeSet<Cell>,
        others: &BTreeSet<Cell>,
    ) -> Option<Vec<(Cell, Cell)>> {
        if self.is_one_log {
            let pairs = cells.iter().map(|&cell| (cell, cell)).collect();
            return (cells == others).then_some(pairs);
        }
        let named = |model: &Model, cells: &BTreeSet<Cell>| {
            let mut found = BTreeMap::new();
            for &cell in cells {
                // Two activations of one scope cannot be told apart.
                if found.insert(cell_name(model, cell)?, cell).is_some() {
                    return None;
                }
            }
            Some(found)
        };
        let (model, other_model) = self.models();
        let (own, theirs) = (named(model, cells)?, named(other_model, others)?);
        if !own.keys().eq(theirs.keys()) {
            return None;
        }
        Some(own.into_values().zip(theirs.into_values()).collect())
    }

    fn same_cell(&mut self, one: Cell, at: u32, two: Cell, other_at: u32) -> bool {
        let (model, other_model) = self.models();
        let values = (cell(model, 0, one, at), cell(other_model, 0, two, other_at));
        match values {
            (Some(Value::Function(own)), Some(Value::Function(other))) if !self.is_one_log => {
                // What is called by a name may have changed: what came of it is compared.
                let name = |model: &'l Model, id: event_log::ids::ObjectId| {
                    let object = model.object(0, id.0)?;
                    Some(model.tables.function(object.function)?.name.as_str())
                };
                name(model, own).is_some_and(|own| Some(own) == name(other_model, other))
            }
            (Some(own), Some(other)) => self.same(own, at, other, other_at),
            (None, None) => {
                // A function or class is declared without a write; what else has none is not known.
                self.is_one_log || declares(model, one) && declares(other_model, two)
            }
            _ => false,
        }
    }

    fn same(&mut self, one: Value, at: u32, two: Value, other_at: u32) -> bool {
        let (model, other_model) = self.models();
        match (one, two) {
            (Value::Unknown | Value::Accessor | Value::LongString { .. }, _) => false,
            (Value::Function(one), Value::Function(two)) if !self.is_one_log => {
                self.same_function(one.0, two.0)
            }
            (Value::Symbol(_), Value::Symbol(_)) if !self.is_one_log => false,
            (Value::Function(one), Value::Function(two))
            | (Value::Symbol(one), Value::Symbol(two)) => one == two,
            (Value::Object(one), Value::Object(two)) => {
                match (self.pairs.get(&one.0), self.taken.get(&two.0)) {
                    (Some(&known), _) => return known == two.0,
                    (None, Some(_)) => return false,
                    (None, None) => {}
                }
                if self.pairs.len() >= MOST_OBJECTS
                    || !self.left.log().is_whole(one.0)
                    || !self.right.log().is_whole(two.0)
                    || self.left.class(one.0) != self.right.class(two.0)
                {
                    return false;
                }
                self.pairs.insert(one.0, two.0);
                self.taken.insert(two.0, one.0);
                self.same_fields(one.0, at, two.0, other_at)
            }
            (one, two) => is_alike(model, one, other_model, two),
        }
    }

    /// Whether two functions of two logs have the same text, and were there before the calls: then no call can have
    /// put something else around them.
    fn same_function(&self, one: u32, two: u32) -> bool {
        let known = |model: &'l Model, id: u32, call: &Call| {
            let object = model.object(0, id).filter(|it| it.seen <= call.enter)?;
            model.tables.function(object.function)
        };
        let (model, other_model) = self.models();
        match (
            known(model, one, self.one),
            known(other_model, two, self.two),
        ) {
            (Some(one), Some(two)) => is_same_text(one, two),
            _ => false,
        }
    }

    fn same_fields(&mut self, one: u32, at: u32, two: u32, other_at: u32) -> bool {
        let is_plain = |key: &&Key| match key {
            Key::Entry(text) => !text.contains(" #"),
            Key::Symbol(..) => self.is_one_log,
            Key::Property(_) => true,
        };
        let fields = |model: &'l Model, object, at| -> Option<BTreeMap<&'l Key, Value>> {
            let own = properties(model, 0, object, at).into_iter();
            own.map(|(key, value)| {
                let key = model.keys.get(key as usize).filter(is_plain)?;
                Some((key, value))
            })
            .collect()
        };
        let (model, other_model) = self.models();
        let (Some(own), Some(others)) =
            (fields(model, one, at), fields(other_model, two, other_at))
        else {
            return false;
        };
        if own.len() >= MOST_TOLD || own.len() != others.len() {
            return false;
        }
        own.into_iter().all(|(key, value)| {
            let other = others.get(key).copied();
            other.is_some_and(|other| self.same(value, at, other, other_at))
        })
    }
}

/// Whether two functions have the same name and the same text.
pub(crate) fn is_same_text(one: &Function, two: &Function) -> bool {
    one.shape != 0
        && (one.shape, one.kind, &one.name) == (two.shape, two.kind, &two.name)
        && (one.is_async, one.is_generator) == (two.is_async, two.is_generator)
}

/// Whether two values are of one kind, and the same where they are primitive.
fn is_alike(model: &Model, one: Value, other_model: &Model, two: Value) -> bool {
    match (one, two) {
        (Value::Object(_), Value::Object(_))
        | (Value::Function(_), Value::Function(_))
        | (Value::Symbol(_), Value::Symbol(_)) => true,
        (Value::Number(one), Value::Number(two)) => {
            one.to_bits() == two.to_bits() || (one.is_nan() && two.is_nan())
        }
        (Value::String(one), Value::String(two)) | (Value::BigInt(one), Value::BigInt(two)) => {
            model.text(0, one.0) == other_model.text(0, two.0)
        }
        (one, two) => one == two,
    }
}

/// The variable that a name means in a call, and when its scope was entered; without a variable it is one that means
/// the same always. `None`: it is not known.
fn cell_named(model: &Model, call: &Call, name: &str) -> Option<(Option<Cell>, u32)> {
    let mut scope = call.scope;
    // The own scope is passed over: the name is declared outside.
    let mut steps = 0;
    while let Some(instance) = model.scope(0, scope) {
        steps += 1;
        if steps > MOST_SCOPES {
            return None;
        }
        if scope != call.scope {
            let mut variables = model.tables.variables.iter().zip(1..);
            let own = variables.find(|(it, _)| it.name == name && it.scope == instance.of);
            if let Some((_, number)) = own {
                let variable = VariableId(number);
                return Some((Some(Cell { variable, scope }), instance.entered));
            }
        }
        scope = instance.parent;
    }
    // One of the scripts: its own, else the only one of that name.
    let script = |function: FunctionId| model.tables.function(function).map(|it| it.script);
    let variables = model.tables.variables.iter().zip(1..);
    let shared: Vec<(VariableId, bool)> = variables
        .map(|(it, number)| (it, VariableId(number)))
        .filter(|&(it, number)| it.name == name && is_shared(model, number))
        .map(|(it, number)| {
            let of = model
                .tables
                .scope(it.scope)
                .and_then(|it| script(it.function));
            (number, of.is_some() && of == script(call.function))
        })
        .collect();
    let own = shared.iter().find(|(_, is_own)| *is_own);
    let only = (shared.len() == 1).then(|| shared.first()).flatten();
    if let Some(&(variable, _)) = own.or(only) {
        let scope = ScopeId::NONE;
        return Some((Some(Cell { variable, scope }), 0));
    }
    (shared.is_empty() && FIXED.contains(&name)).then_some((None, 0))
}

fn cell_name(model: &Model, cell: Cell) -> Option<CellName> {
    let variable = model.tables.variable(cell.variable)?;
    let scope = model.tables.scope(variable.scope);
    let scope = match is_shared(model, cell.variable) {
        true => None,
        false => {
            let scope = scope?;
            let function = model.tables.function(scope.function)?;
            Some((scope.kind, function.name.clone()))
        }
    };
    Some(CellName {
        variable: variable.name.clone(),
        scope,
    })
}

/// Whether a variable that nothing writes has the name of a function or class of the page.
fn declares(model: &Model, cell: Cell) -> bool {
    let Some(variable) = model.tables.variable(cell.variable) else {
        return false;
    };
    let method = format!("{}.", variable.name);
    let mut functions = model.tables.functions.iter();
    functions.any(|it| it.name == variable.name || it.name.starts_with(&method))
}

impl Side<'_> {
    fn effects(&self) -> Effects {
        effects(self.log(), self.node(), self.exit())
    }
}
