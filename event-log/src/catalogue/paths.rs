//! The names by which functions and objects are reached: members (`lunr.Pipeline`) and variables.

use std::collections::HashMap;

use super::display;
use crate::ids::FunctionId;
use crate::model::{Key, Kind, Model, NONE};
use crate::value::Value;

/// An object or function of a realm, by number.
type Thing = (u16, u32);

/// A name that something is reached by: what holds it (nothing: a variable does), and the name there.
type Link<'m> = (Option<Thing>, &'m str);

/// What is reached by which names.
#[derive(Debug)]
pub(super) struct Paths<'m> {
    model: &'m Model,
    /// Functions, by their objects.
    functions: HashMap<Thing, FunctionId>,
    links: HashMap<Thing, Vec<Link<'m>>>,
    /// What a prototype has as its constructor.
    constructors: HashMap<Thing, Thing>,
}

impl<'m> Paths<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        let mut paths = Self {
            model,
            functions: HashMap::new(),
            links: HashMap::new(),
            constructors: HashMap::new(),
        };
        for event in &model.events {
            let holder = match event.kind {
                Kind::Write => event.owner.object().map(|id| (event.stream, id.0)),
                Kind::Assign => None,
                _ => continue,
            };
            let key = || match model.keys.get(event.key as usize)? {
                Key::Property(name) => Some(name.as_str()),
                Key::Symbol(..) | Key::Entry(_) => None,
            };
            let name = match event.kind {
                Kind::Write => key(),
                _ => model.site(event.site).map(|site| site.name.as_str()),
            };
            if let Some(name) = name {
                paths.link(event.stream, event.value, (holder, name));
            }
        }
        // What a literal holds was told whole.
        for write in model.writes.iter().filter(|write| write.listed != NONE) {
            if let Some(Key::Property(name)) = model.keys.get(write.key as usize) {
                let holder = Some((write.stream, write.object));
                paths.link(write.stream, model.written(write), (holder, name));
            }
        }
        paths
    }

    fn link(&mut self, stream: u16, value: Value, link: Link<'m>) {
        let (Value::Object(id) | Value::Function(id)) = value else {
            return;
        };
        let thing = (stream, id.0);
        let known = self.model.object(stream, id.0);
        if let Some(object) = known.filter(|it| it.function.is_some()) {
            self.functions.insert(thing, object.function);
        }
        if let ((Some(holder), "constructor"), Value::Function(_)) = (link, value) {
            self.constructors.insert(holder, thing);
        }
        let links = self.links.entry(thing).or_default();
        if !links.contains(&link) {
            links.push(link);
        }
    }

    /// The functions that are reached by these names, one after the other.
    pub(super) fn functions_at(&self, names: &[&str]) -> Vec<FunctionId> {
        let there = self.functions.iter();
        let there = there.filter(|(thing, _)| self.leads_to(**thing, names));
        let mut found: Vec<FunctionId> = there.map(|(_, function)| *function).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether the last names of a way to a thing are these.
    fn leads_to(&self, thing: Thing, names: &[&str]) -> bool {
        let Some((last, before)) = names.split_last() else {
            return true;
        };
        let links = self.links.get(&thing).into_iter().flatten();
        let mut named = links.filter(|(_, name)| name == last);
        named.any(|(holder, _)| match holder {
            Some(holder) => self.leads_to(*holder, before) || self.is_of_class(*holder, before),
            None => before.is_empty(),
        })
    }

    /// Whether what these names lead to is the class of an object, or has it as its prototype: a method is a member of
    /// that (`Foo.prototype.bar = …`, `this.bar = …`), and is called `Foo.bar`.
    fn is_of_class(&self, (stream, object): Thing, names: &[&str]) -> bool {
        let links = self.links.get(&(stream, object)).into_iter().flatten();
        let assigned = links.filter(|(_, name)| *name == "prototype");
        let assigned = assigned.filter_map(|(class, _)| *class);
        let own = self.constructors.get(&(stream, object)).copied();
        let mut classes = assigned.chain(own);
        if classes.any(|class| self.leads_to(class, names)) {
            return true;
        }
        let class = display::owner_class(self.model, stream, object);
        match names {
            [] => false,
            [name] => *name == class,
            names => {
                let tables = &self.model.tables;
                let mut named = self.functions.iter().filter(|(_, function)| {
                    let function = tables.function(**function);
                    function.is_some_and(|it| it.name == class)
                });
                named.any(|(thing, _)| self.leads_to(*thing, names))
            }
        }
    }
}
