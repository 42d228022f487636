//! Objects: the names of their classes, and what made them.

use super::Builder;
use crate::ids::{FunctionId, SiteId, StringId};
use crate::model::{NONE, Object};
use crate::record::{EXTENDS, WRITTEN_AS};
use crate::tables::{FunctionKind, Tables};

impl Builder {
    /// `new` has made an object: which function it called, if that has hooks.
    pub(super) fn constructed(&mut self, stream: u16, site: SiteId, number: u32) {
        let frame = self.running[usize::from(stream)].calls.last();
        let call = frame.and_then(|frame| self.model.calls.get(frame.last_child as usize));
        let tables = &self.model.tables;
        let place = |site| tables.site(site).map(|it| (it.script, it.line, it.column));
        let Some(call) = call.filter(|call| call.exit != NONE && place(call.site) == place(site))
        else {
            return;
        };
        let function = self.model.tables.function(call.function);
        let is_class = function.is_some_and(|it| it.kind == FunctionKind::Constructor);
        let is_its = call.this.object().is_some_and(|this| this.0 == number);
        let function = call.function;
        let tables = &mut self.model.streams[usize::from(stream)];
        let index = number.checked_sub(1);
        let object = index.and_then(|index| tables.objects.get_mut(index as usize));
        if let Some(object) = object.filter(|_| is_class || is_its) {
            object.constructor = function;
        }
    }

    /// An object, or function, that a stream names for the first time.
    pub(super) fn object(
        &mut self,
        stream: u16,
        class: StringId,
        function: FunctionId,
        is_function: bool,
    ) {
        let seen = self.next();
        let tables = &mut self.model.streams[usize::from(stream)];
        tables.objects.push(Object {
            class: class.0,
            function,
            is_function,
            seen,
            constructor: FunctionId::NONE,
        });
        // Whoever reads the text later wants the name alone.
        let text = class.0.checked_sub(1);
        let text = text.and_then(|index| tables.texts.get_mut(index as usize));
        if let Some(text) = text
            && text.contains([EXTENDS, WRITTEN_AS])
        {
            let log = &self.model.tables;
            let mut names = text.split(EXTENDS).map(|name| author_name(log, name));
            let name = names.next().unwrap_or_default();
            let bases: Vec<String> = names.collect();
            *text = name;
            if !bases.is_empty() {
                tables.bases.insert(class.0, bases);
            }
        }
    }
}

/// What a value's class is told by, here and in `origin`: a page's own class keeps the name that it runs under, where
/// its author's is one of these.
pub(crate) const OF_THE_PLATFORM: [&str; 19] = [
    "Array",
    "AsyncGenerator",
    "Date",
    "Error",
    "FormData",
    "Function",
    "Generator",
    "Headers",
    "Map",
    "Object",
    "Promise",
    "Proxy",
    "RegExp",
    "Response",
    "Set",
    "URLSearchParams",
    "WeakMap",
    "WeakRef",
    "WeakSet",
];

/// The name that the author of a class gave it.
fn author_name(tables: &Tables, told: &str) -> String {
    let Some((running, written)) = told.split_once(WRITTEN_AS) else {
        return told.to_owned();
    };
    let name = match written.parse().ok().map(FunctionId) {
        Some(function) => tables.function(function).map(|it| it.name.as_str()),
        None => Some(written),
    };
    let is_own = |name: &&str| !name.is_empty() && !OF_THE_PLATFORM.contains(name);
    name.filter(is_own).unwrap_or(running).to_owned()
}
