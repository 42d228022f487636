//! Exceptions that a promise's handler gets: `load().catch(handler)`, `load().then(use, handler)`. No `catch` clause
//! catches them; what does is the call of the handler, which nothing on the stack makes.

use std::collections::BTreeMap;

use super::{Asked, display};
use crate::ids::FunctionId;
use crate::model::{Kind, NONE};

/// Functions that promises were given to handle what they are rejected with: the event that gave each first, by realm
/// and function.
pub(super) type Handlers = BTreeMap<(u16, FunctionId), u32>;

impl Asked<'_> {
    /// The handlers that code without hooks was given by `catch` and `then`.
    pub(super) fn rejection_handlers(&self) -> Handlers {
        let model = self.model;
        let mut handlers = Handlers::new();
        for &(number, ..) in &model.library_arguments {
            let Some(event) = model.events.get(number as usize) else {
                continue;
            };
            let name = model.site(event.site).map_or("", |site| site.name.as_str());
            let position = match name.rsplit_once('.') {
                Some((_, "catch")) => 0,
                Some((_, "then")) => 1,
                _ => continue,
            };
            let given = model.library_arguments_of(number).unwrap_or_default();
            let handler = given.get(position).and_then(|value| value.object());
            let handler = handler.and_then(|id| model.object(event.stream, id.0));
            if let Some(function) = handler.map(|it| it.function).filter(|it| it.is_some()) {
                handlers.entry((event.stream, function)).or_insert(number);
            }
        }
        handlers
    }

    /// The events with which something of a class was caught: by a `catch` clause, or by a promise's handler.
    pub(super) fn caught(&self, class: &str) -> Vec<u32> {
        let model = self.model;
        let handlers = self.rejection_handlers();
        let clauses = model.events.iter().zip(0_u32..).filter(|(event, _)| {
            event.kind == Kind::Catch
                && display::is_instance(model, event.stream, event.value, class)
        });
        let clauses = clauses.map(|(_, number)| number);
        let handled = model.calls.iter().filter(|call| {
            let given = handlers.get(&(call.stream, call.function));
            let first = model.arguments_of(call).and_then(<[_]>::first);
            call.parent == NONE
                && given.is_some_and(|given| *given < call.enter)
                && first
                    .is_some_and(|value| display::is_instance(model, call.stream, *value, class))
        });
        let mut caught: Vec<u32> = clauses.chain(handled.map(|call| call.enter)).collect();
        caught.sort_unstable();
        caught
    }

    /// The same as a condition on events. `of_class` is that something is of the class.
    pub(super) fn caught_sql(&self, of_class: &str) -> String {
        let clause = format!("kind = 'catch' AND {of_class}");
        let tables = &self.model.tables;
        let handlers = self.rejection_handlers();
        let handlers = handlers.iter().filter_map(|((stream, function), given)| {
            let it = tables.function(*function)?;
            let file = super::sql::quoted(&tables.script(it.script)?.url);
            let (line, column) = (it.line, it.column);
            Some(format!(
                "calls.realm = {stream} AND calls.call > {given} AND calls.file = {file} AND calls.line = {line} AND \
                 calls.column = {column}"
            ))
        });
        let handlers: Vec<String> = handlers.collect();
        if handlers.is_empty() {
            return clause;
        }
        let handlers = handlers.join(" OR ");
        format!(
            "({clause} OR seq IN (\n  SELECT calls.call FROM calls JOIN arguments ON arguments.call = calls.call\n  \
             JOIN objects ON objects.realm = calls.realm AND objects.object = arguments.object\n  \
             WHERE position = 0 AND calls.parent IS NULL AND {of_class} AND ({handlers})\n))"
        )
    }
}
