//! Variables and properties at a point: what a reference means there, and who wrote it.

use querypoint::catalogue::{CatalogueKey, CatalogueReference};
use querypoint::events::LoggedEvent;

use super::{Asked, Found, display};
use crate::ids::{ScopeId, StaticScopeId, VariableId};
use crate::model::{GONE_WITH_OTHERS, Key, Kind, Model, NONE, VariableWrite};
use crate::value::Value;

/// The number of a realm's global object: the page's side gives it the first one.
pub(super) const GLOBAL_OBJECT: u32 = 1;

/// A write of what a name means.
struct NameWrite {
    event: u32,
    is_parameter: bool,
    value: Value,
}

/// Where a name is looked up: the scopes as they are written, and those that were entered.
pub(super) struct Sight {
    pub(super) stream: u16,
    statics: Vec<StaticScopeId>,
    instances: Vec<ScopeId>,
}

impl Asked<'_> {
    /// What is in sight just before an event.
    pub(super) fn sight(&self, at: u32) -> Sight {
        let model = self.model;
        let event = model.events.get(at as usize);
        let call = self.call_of(at);
        let stream = event.map_or(0, |event| event.stream);
        let site_scope = event
            .and_then(|event| model.site(event.site))
            .map(|site| site.scope);
        let call = model.calls.get(call as usize);
        let own = call.and_then(|call| model.tables.function(call.function));
        // Of an event that begins a call, the place is in the caller.
        let is_call = event.is_some_and(|event| event.kind == Kind::Call);
        let first = match site_scope {
            Some(scope) if !is_call => scope,
            _ => own.map_or(StaticScopeId::NONE, |function| function.scope),
        };
        let mut statics = Vec::new();
        let mut scope = first;
        while let Some(it) = model.tables.scope(scope) {
            if statics.contains(&scope) {
                break;
            }
            statics.push(scope);
            scope = it.parent;
        }
        let mut instances = Vec::new();
        let mut scope = call.map_or(ScopeId::NONE, |call| call.scope);
        // Blocks that were entered in this call come before the function's own scope.
        if let Some(call) = call
            && let Some(tables) = model.streams.get(usize::from(stream))
        {
            let number = self.call_of(at);
            let from = scope.index().unwrap_or(0);
            let until = tables.scopes.partition_point(|it| it.entered <= at);
            for index in (from..until).rev() {
                let Some(instance) = tables.scopes.get(index) else {
                    continue;
                };
                if instance.call == number && statics.contains(&instance.of) {
                    let id = ScopeId(u32::try_from(index + 1).unwrap_or(0));
                    let is_known = instances.iter().any(|&known| {
                        model
                            .scope(stream, known)
                            .is_some_and(|known| known.of == instance.of)
                    });
                    if !is_known {
                        instances.push(id);
                    }
                }
            }
            if call.scope == ScopeId::NONE {
                scope = instances.last().copied().unwrap_or(ScopeId::NONE);
            }
        }
        let mut depth = 0;
        while let Some(instance) = model.scope(stream, scope) {
            if !instances.contains(&scope) {
                instances.push(scope);
            }
            scope = instance.parent;
            depth += 1;
            if depth > 10_000 {
                break;
            }
        }
        instances.push(ScopeId::NONE);
        Sight {
            stream,
            statics,
            instances,
        }
    }

    /// The variables that a name means there, the innermost scope first.
    pub(super) fn variables_named(&self, sight: &Sight, name: &str) -> Vec<VariableId> {
        let tables = &self.model.tables;
        let named = tables
            .variables
            .iter()
            .zip(1..)
            .filter(|(variable, _)| variable.name == name);
        let mut found: Vec<(usize, VariableId)> = named
            .filter_map(|(variable, number)| {
                let place = match variable.scope {
                    StaticScopeId::NONE => usize::MAX,
                    scope => sight.statics.iter().position(|it| *it == scope)?,
                };
                Some((place, VariableId(number)))
            })
            .collect();
        found.sort_unstable();
        // Of local ones only the innermost; of global ones each script has its own.
        match found.first() {
            Some(&(place, variable)) if place != usize::MAX => vec![variable],
            _ => found.into_iter().map(|(_, variable)| variable).collect(),
        }
    }

    /// The writes of a variable in the innermost scope that has some, in order.
    pub(super) fn writes_of_variable(
        &self,
        sight: &Sight,
        variables: &[VariableId],
    ) -> Vec<VariableWrite> {
        for &instance in &sight.instances {
            let mut found: Vec<VariableWrite> = Vec::new();
            for variable in variables {
                let writes = self.model.variables.get(&variable.0);
                found.extend(
                    writes
                        .into_iter()
                        .flatten()
                        .filter(|write| write.scope == instance && write.stream == sight.stream),
                );
            }
            if !found.is_empty() {
                found.sort_by_key(|write| write.event);
                return found;
            }
        }
        Vec::new()
    }

    /// What a reference has at an event, with its realm.
    pub(super) fn value(
        &self,
        reference: &CatalogueReference,
        at: u32,
    ) -> Result<(u16, Value), String> {
        let (stream, mut value) = self.root(reference, at)?;
        for (key, index) in reference.path.iter().zip(0..) {
            let so_far = text_of(reference, index);
            let object = value.object().ok_or_else(|| {
                format!(
                    "{so_far} is {} there, and has no properties in the log",
                    crate::model::text(self.model, stream, value)
                )
            })?;
            value = self.property((stream, object.0), key, at)?.ok_or_else(|| {
                let why = match self.has_all_of(stream, object.0) {
                    true => String::new(),
                    false => format!("; what code without hooks put into {so_far} is not recorded"),
                };
                format!(
                    "no write of {} is in the log{why}",
                    text_of(reference, index + 1)
                )
            })?;
        }
        Ok((stream, value))
    }

    fn root(&self, reference: &CatalogueReference, at: u32) -> Result<(u16, Value), String> {
        let model = self.model;
        let sight = self.sight(at);
        if reference.root == "this" {
            let call = model.calls.get(self.call_of(at) as usize);
            let this = call.map_or(Value::Unknown, |call| call.this);
            return match this {
                Value::Unknown => Err("`this` is not recorded there".to_owned()),
                this => Ok((sight.stream, this)),
            };
        }
        let writes = self.writes_of_name(&sight, &reference.root)?;
        let last = writes
            .iter()
            .rev()
            .find(|write| write.event < at || write.is_parameter && write.event <= at);
        last.map(|write| (sight.stream, write.value))
            .ok_or_else(|| {
                format!(
                    "no write of {} before that point is in the log",
                    reference.root
                )
            })
    }

    /// The writes of what a name means: of a global variable those as a property of the global object too.
    fn writes_of_name(&self, sight: &Sight, name: &str) -> Result<Vec<NameWrite>, String> {
        let variables = self.variables_named(sight, name);
        let writes = self.writes_of_variable(sight, &variables);
        let own = writes.iter().map(|write| NameWrite {
            event: write.event,
            is_parameter: write.argument != NONE,
            value: self.model.assigned(write),
        });
        let mut all: Vec<NameWrite> = own.collect();
        let is_global = writes.first().is_none_or(|write| !write.scope.is_some());
        if is_global && let Some(key) = self.global_key(sight, name, &variables) {
            let global = self.model.writes_of_key(sight.stream, GLOBAL_OBJECT, key);
            all.extend(global.iter().map(|write| NameWrite {
                event: write.event,
                is_parameter: false,
                value: self.model.written(write),
            }));
            all.sort_by_key(|write| write.event);
        }
        match variables.is_empty() && all.is_empty() {
            true => Err(format!(
                "no variable {name} is in sight there{}",
                self.variable_elsewhere(name)
            )),
            false => Ok(all),
        }
    }

    /// Where a variable is that is in sight elsewhere, so that the question is asked there.
    fn variable_elsewhere(&self, name: &str) -> String {
        let tables = &self.model.tables;
        let named = tables.variables.iter().zip(1..);
        let mut named = named.filter(|(variable, _)| variable.name == name);
        let written = named.find_map(|(_, number)| {
            let writes: &[VariableWrite] = self.model.variables.get(&number)?;
            self.event(writes.first()?.event)
        });
        let (Some(function), Some(location)) = (
            written.as_ref().and_then(|it| it.function.as_deref()),
            written.as_ref().and_then(|it| it.location.as_ref()),
        ) else {
            return String::new();
        };
        let file = location.url.rsplit('/').next().unwrap_or_default();
        format!(
            "; one is in {function}, written at {file}:{}: ask with --at at a line where it is",
            location.line
        )
    }

    /// The key of the global object that a name means, if it means one there.
    pub(super) fn global_key(
        &self,
        sight: &Sight,
        name: &str,
        variables: &[VariableId],
    ) -> Option<u32> {
        let model = self.model;
        let is_local = |variable: &VariableId| {
            let variable = model.tables.variable(*variable);
            variable.is_some_and(|variable| variable.scope.is_some())
        };
        if variables.iter().any(is_local) {
            return None;
        }
        let key = model.key(&Key::Property(name.to_owned()))?;
        let class = model.object(sight.stream, GLOBAL_OBJECT)?.class;
        let class = model.text(sight.stream, class);
        (class == "Window" || class.ends_with("GlobalScope")).then_some(key)
    }

    fn property(
        &self,
        (stream, object): (u16, u32),
        key: &CatalogueKey,
        at: u32,
    ) -> Result<Option<Value>, String> {
        let counts = match self.counted(stream, object, key) {
            Some(_) => self.lengths(stream, object),
            None => Vec::new(),
        };
        let before = counts.partition_point(|(event, _)| *event < at);
        if let Some(&(_, count)) = before.checked_sub(1).and_then(|index| counts.get(index)) {
            return Ok(Some(Value::Number(f64::from(count))));
        }
        let mut last: Option<(u32, Value)> = None;
        for key in self.keys(key, at)? {
            let writes = self.model.writes_of_key(stream, object, key);
            let before = writes.iter().rev().find(|write| write.event < at);
            if let Some(write) = before
                && last.is_none_or(|(event, _)| event < write.event)
            {
                last = Some((write.event, self.model.written(write)));
            }
        }
        Ok(last.map(|(_, value)| value))
    }

    /// The numbers of a key at a point: a property, or an entry of a map.
    pub(super) fn keys(&self, key: &CatalogueKey, at: u32) -> Result<Vec<u32>, String> {
        let model = self.model;
        let (text, both) = match key {
            CatalogueKey::Property(name) => (name.clone(), false),
            CatalogueKey::Key(name) => (name.clone(), true),
            CatalogueKey::Of(reference) => {
                let (stream, value) = self.value(reference, at)?;
                (crate::model::plain_text(model, stream, value), true)
            }
        };
        let mut keys = Vec::new();
        keys.extend(model.key(&Key::Property(text.clone())));
        if both {
            keys.extend(model.key(&Key::Entry(text)));
        }
        Ok(keys)
    }

    pub(super) fn history(
        &self,
        reference: &CatalogueReference,
        at: u32,
        within: &dyn Fn(u32) -> bool,
        found: &mut Found,
    ) -> Result<(), String> {
        let model = self.model;
        let Some((last, path)) = reference.path.split_last() else {
            let sight = self.sight(at);
            let mut old = Value::Unknown;
            for write in self.writes_of_name(&sight, &reference.root)? {
                let value = write.value;
                if within(write.event) {
                    let event = self.event(write.event).map(|event| LoggedEvent {
                        name: Some(reference.root.clone()),
                        value: display::shown(model, sight.stream, value),
                        old: display::shown(model, sight.stream, old),
                        ..event
                    });
                    found.add(event);
                }
                old = value;
            }
            return Ok(());
        };
        let owner = CatalogueReference {
            path: path.to_vec(),
            ..reference.clone()
        };
        let (stream, value) = self.value(&owner, at)?;
        let Some(object) = value.object() else {
            return Err(format!(
                "{} is {} there, and has no properties in the log",
                text_of(&owner, path.len()),
                crate::model::text(model, stream, value)
            ));
        };
        if let Some(name) = self.counted(stream, object.0, last) {
            self.lacks((stream, object.0), at, found);
            let mut old = None;
            for (event, count) in self.lengths(stream, object.0) {
                let value = display::shown(model, stream, Value::Number(f64::from(count)));
                if within(event) {
                    let owner = display::owner(model, stream, Value::Object(object));
                    let event = self.event(event).map(|event| LoggedEvent {
                        name: Some(name.to_owned()),
                        owner,
                        value: value.clone(),
                        old,
                        ..event
                    });
                    found.add(event);
                }
                old = value;
            }
            return Ok(());
        }
        let mut writes = Vec::new();
        for key in self.keys(last, at)? {
            writes.extend_from_slice(model.writes_of_key(stream, object.0, key));
        }
        writes.sort_by_key(|write| write.event);
        self.lacks((stream, object.0), at, found);
        let mut old = Value::Unknown;
        for write in writes.iter().filter(|it| it.listed != GONE_WITH_OTHERS) {
            let value = model.written(write);
            // What a collection holds is told whole: an element that stayed as it was is none of its history.
            let is_same = write.listed != NONE && old.same(value) == Some(true);
            if within(write.event) && !is_same {
                let event = self.event(write.event).map(|event| LoggedEvent {
                    name: model.keys.get(write.key as usize).map(display::key_text),
                    value: display::shown(model, stream, value),
                    old: display::shown(model, stream, old),
                    ..event
                });
                found.add(event);
            }
            old = value;
        }
        Ok(())
    }

    /// Says what the log has not of what an object held before an event.
    fn lacks(&self, (stream, object): (u16, u32), at: u32, found: &mut Found) {
        let model = self.model;
        let shown = || {
            let class = display::owner_class(model, stream, object);
            format!("{class} #{object}")
        };
        if !self.has_all_of(stream, object) {
            found.is_partial = true;
            found.note(format!(
                "code without hooks made {}: what it held before it was written to is not recorded",
                shown()
            ));
        }
        let told = model.told_of(stream, object);
        let before = told.partition_point(|it| it.event < at);
        let last = before.checked_sub(1).and_then(|index| told.get(index));
        if let Some(last) = last.filter(|it| it.count < it.total) {
            found.is_partial = true;
            found.note(format!(
                "{} had {} elements, entries or properties at #{}, of which the first {} are recorded",
                shown(),
                last.total,
                last.event,
                last.count
            ));
        }
    }

    /// Whether the log has all that an object was made with.
    fn has_all_of(&self, stream: u16, object: u32) -> bool {
        let known = self.model.object(stream, object);
        // What a function has as properties is written to it.
        self.model.is_whole(stream, object) || known.is_some_and(|it| it.function.is_some())
    }

    /// Each property of an object, or each element of a collection, with the event that wrote it last.
    pub(super) fn state(
        &self,
        stream: u16,
        value: Value,
        at: u32,
        found: &mut Found,
        is_collection: bool,
    ) -> Result<(), String> {
        let model = self.model;
        let Some(object) = value.object() else {
            return Err(format!(
                "it is {} there, and no object",
                crate::model::text(model, stream, value)
            ));
        };
        self.lacks((stream, object.0), at, found);
        let mut rest = model.writes_of(stream, object.0);
        while let Some(first) = rest.first() {
            let count = rest.partition_point(|write| write.key == first.key);
            let (own, others) = rest.split_at(count);
            rest = others;
            let Some(last) = own.iter().rev().find(|write| write.event < at) else {
                continue;
            };
            let (number, value) = match self.length_since(last, at) {
                Some((event, length)) => (event, Value::Number(f64::from(length))),
                None => (last.event, model.written(last)),
            };
            let is_element = is_index(model, last.key);
            if value == Value::Absent || (is_collection && !is_element) {
                continue;
            }
            let event = self.event(number).map(|event| LoggedEvent {
                name: model.keys.get(last.key as usize).map(display::key_text),
                value: display::shown(model, stream, value),
                owner: display::owner(model, stream, Value::Object(object)),
                ..event
            });
            found.add(event);
        }
        if is_collection {
            found.events.sort_by_key(|event| {
                let name = event.name.clone().unwrap_or_default();
                (name.parse::<u64>().unwrap_or(u64::MAX), event.seq)
            });
        }
        Ok(())
    }

    /// The names of all variables in sight but global ones, the innermost first.
    pub(super) fn names_in_sight(&self, sight: &Sight) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for &scope in &sight.statics {
            let variables = self.model.tables.variables.iter();
            for variable in variables.filter(|it| it.scope == scope) {
                if !names.contains(&variable.name.as_str()) {
                    names.push(&variable.name);
                }
            }
        }
        names
    }

    pub(super) fn locals(&self, at: u32, found: &mut Found) {
        let model = self.model;
        let sight = self.sight(at);
        for name in self.names_in_sight(&sight) {
            let variables = self.variables_named(&sight, name);
            let writes = self.writes_of_variable(&sight, &variables);
            let last = writes
                .iter()
                .rev()
                .find(|write| write.event < at || write.argument != NONE && write.event <= at);
            let Some(write) = last else { continue };
            let event = self.event(write.event).map(|event| LoggedEvent {
                name: Some(name.to_owned()),
                value: display::shown(model, sight.stream, model.assigned(write)),
                ..event
            });
            found.add(event);
        }
    }
}

/// Whether a key is that of an element or entry.
fn is_index(model: &Model, key: u32) -> bool {
    match model.keys.get(key as usize) {
        Some(Key::Entry(_)) => true,
        Some(Key::Property(name)) => name.bytes().all(|it| it.is_ascii_digit()) && !name.is_empty(),
        _ => false,
    }
}

/// A reference as it is written, up to a link.
fn text_of(reference: &CatalogueReference, links: usize) -> String {
    let mut text = reference.root.clone();
    for key in reference.path.iter().take(links) {
        match key {
            CatalogueKey::Property(name) => {
                text.push('.');
                text.push_str(name);
            }
            CatalogueKey::Key(key) => {
                text.push('[');
                text.push_str(key);
                text.push(']');
            }
            CatalogueKey::Of(key) => {
                text.push('[');
                text.push_str(&text_of(key, key.path.len()));
                text.push(']');
            }
        }
    }
    text
}
