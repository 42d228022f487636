//! Functions that both calls made: the same if they are written the same, and close over the same.

use std::collections::BTreeMap;

use event_log::ids::{ScopeId, StaticScopeId, VariableId};
use event_log::model::{Kind, Model, Object, ScopeInstance};
use event_log::tables::{FunctionKind, StaticScopeKind};

use super::matching::Matching;
use super::side::Side;
use crate::same::is_same_text;
use crate::state::{Cell, cell};

/// More scopes around a function are not looked through.
const MOST_SCOPES: usize = 1000;

/// What a function closes over.
struct Around {
    /// Variables of scopes that were entered in the call, by name.
    own: BTreeMap<String, Cell>,
    /// Those scopes, from the inside.
    scopes: Vec<ScopeId>,
    /// The first scope around that was there before.
    outer: ScopeId,
}

impl Matching<'_> {
    /// Compares two functions that were made. What is not known to be the same is a doubt: they may do the same all
    /// the same.
    pub(super) fn made_functions(&mut self, one: u32, two: u32) {
        match (self.pairs.get(&one), self.taken.get(&two)) {
            (Some(&known), _) if known == two => return,
            (None, None) => {}
            _ => {
                self.doubt("functions were made that cannot be told apart");
                return;
            }
        }
        self.pairs.insert(one, two);
        self.taken.insert(two, one);
        if !self.close_over_the_same(one, two) {
            self.doubt("a function was made, and what it does later cannot be compared");
        }
    }

    fn close_over_the_same(&mut self, one: u32, two: u32) -> bool {
        let (left, right) = (self.left, self.right);
        let written = |side: &Side<'_>, id: u32| {
            let function = side.model().object(0, id)?.function;
            side.model().tables.function(function).cloned()
        };
        let (Some(its), Some(others)) = (written(left, one), written(right, two)) else {
            return false;
        };
        // What a class inherits no text shows.
        if !is_same_text(&its, &others) || its.kind == FunctionKind::Constructor {
            return false;
        }
        let (Some(around), Some(other)) = (around(left, one), around(right, two)) else {
            return false;
        };
        // What was entered before has the same number in both.
        if around.outer != other.outer || around.scopes.len() != other.scopes.len() {
            return false;
        }
        for (&own, &its) in around.scopes.iter().zip(&other.scopes) {
            let known = self.scopes.iter().find(|it| it.0 == own || it.1 == its);
            match known {
                Some(&known) if known != (own, its) => return false,
                Some(_) => {}
                None => self.scopes.push((own, its)),
            }
        }
        if !around.own.keys().eq(other.own.keys()) {
            return false;
        }
        let pairs = around.own.iter().zip(other.own.values());
        for ((name, &own), &its) in pairs {
            let value = |side: &Side<'_>, it: Cell| cell(side.model(), 0, it, side.exit);
            let is_same = match (value(left, own), value(right, its)) {
                (Some(own), Some(its)) => self.same(own, its),
                (None, None) => declared_the_same(left.model(), right.model(), name),
                _ => false,
            };
            if !is_same {
                return false;
            }
        }
        let (own, others) = (self.fields(true, one), self.fields(false, two));
        own.len() == others.len()
            && own.into_iter().all(|(key, value)| {
                let other = others.get(&key).copied();
                other.is_some_and(|other| self.same(value, other))
            })
    }
}

/// What a function closes over that a call made, by the place where the log met it first: there it had just been made.
fn around(side: &Side<'_>, function: u32) -> Option<Around> {
    let model = side.model();
    let object = model.object(0, function)?;
    let from = side.log.call(side.node)?.enter;
    let mut found = Around {
        own: BTreeMap::new(),
        scopes: Vec::new(),
        outer: ScopeId::NONE,
    };
    let Some((mut scope, mut instance)) = innermost(model, object, from)? else {
        return Some(found);
    };
    while instance.entered > from {
        if found.scopes.len() >= MOST_SCOPES {
            return None;
        }
        found.scopes.push(scope);
        for (name, variable) in variables_of(model, instance.of) {
            // What is declared further inside hides it.
            let cell = Cell { variable, scope };
            found.own.entry(name.to_owned()).or_insert(cell);
        }
        scope = instance.parent;
        match model.scope(0, scope) {
            Some(it) => instance = *it,
            None => break,
        }
    }
    found.outer = scope;
    Some(found)
}

/// The innermost scope with variables around a function, as it was entered last before the log met the function.
/// `Some(None)`: there is none in a function. `None`: it is not known.
fn innermost(
    model: &Model,
    object: &Object,
    from: u32,
) -> Option<Option<(ScopeId, ScopeInstance)>> {
    let written = model.tables.function(object.function)?;
    let mut of = model.tables.scope(written.scope)?.parent;
    let mut steps = 0;
    let holder = loop {
        let Some(scope) = model.tables.scope(of) else {
            return Some(None);
        };
        if matches!(
            scope.kind,
            StaticScopeKind::Module | StaticScopeKind::Script | StaticScopeKind::Global
        ) {
            return Some(None);
        }
        if variables_of(model, of).next().is_some() {
            break scope.function;
        }
        steps += 1;
        if steps > MOST_SCOPES {
            return None;
        }
        of = scope.parent;
    };
    // The call that made it: that in which it was met. What is passed is met when the call has begun.
    let met = model.events.get(object.seen as usize)?;
    let before = model.events.get((object.seen as usize).checked_sub(1)?)?;
    let mut maker = met.call;
    if before.kind == Kind::Call && before.call == maker {
        maker = model.calls.get(maker as usize)?.parent;
    }
    let call = model.calls.get(maker as usize)?;
    if call.function != holder {
        return None;
    }
    let scopes = &model.streams.first()?.scopes;
    let end = scopes.partition_point(|it| it.entered <= object.seen);
    let mut entered = scopes.iter().enumerate().take(end).rev();
    let own = entered
        .by_ref()
        .take_while(|(_, it)| it.entered > from)
        .find(|(_, it)| it.of == of && it.call == maker)?;
    let number = u32::try_from(own.0).ok()?.checked_add(1)?;
    Some(Some((ScopeId(number), *own.1)))
}

fn variables_of(model: &Model, scope: StaticScopeId) -> impl Iterator<Item = (&str, VariableId)> {
    let all = model.tables.variables.iter().zip(1..);
    let own = all.filter(move |(it, _)| it.scope == scope);
    own.map(|(it, number)| (it.name.as_str(), VariableId(number)))
}

/// Whether what a name declares without a write, if anything, is written the same in both: a function or a class.
fn declared_the_same(left: &Model, right: &Model, name: &str) -> bool {
    let shapes = |model: &Model| {
        let all = model.tables.functions.iter();
        let own = all.filter(|it| it.name.split('.').next() == Some(name));
        let mut shapes: Vec<u32> = own.map(|it| it.shape).collect();
        shapes.sort_unstable();
        shapes
    };
    let shapes_of_both = (shapes(left), shapes(right));
    shapes_of_both.0 == shapes_of_both.1 && !shapes_of_both.0.contains(&0)
}
