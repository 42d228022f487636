//! What the author's names mean in a frame: for showing its scopes, and for evaluating what a person writes.

use std::collections::HashMap;

use js_analysis::position::{ByteOffset, Utf16Position};
use js_analysis::rewrite::{DebuggerScope, OriginalScopes, Script, Spot};
use querypoint::answer::{Scope, ScopeKind, ValueType, Variable};

use super::{ScriptIn, Sources, Text};
use crate::debugger::{Extent, MOST_VARIABLES, Watched};

impl Sources {
    /// Gives the variables of a frame's scope the names by which they can be asked for there.
    pub(crate) fn name_variables(
        &self,
        url: &str,
        running: Utf16Position,
        scope: &mut Scope,
        extent: Option<Extent>,
    ) {
        let Some((text, names, spot)) = self.spot(url, running) else {
            return;
        };
        let offset = |position| text.mapped.original_offset(position);
        let extent = extent.and_then(|(start, end)| Some((offset(start)?, offset(end)?)));
        name_variables(names, spot, scope, extent);
    }

    /// The names of variables, as they run, that are to be read first of a frame's scope, which has more than are read.
    pub(crate) fn read_first(
        &self,
        url: &str,
        running: Utf16Position,
        kind: ScopeKind,
        extent: Option<Extent>,
    ) -> Vec<String> {
        let first = || {
            let (text, names, spot) = self.spot(url, running)?;
            let offset = |position| text.mapped.original_offset(position);
            let extent = extent.and_then(|(start, end)| Some((offset(start)?, offset(end)?)));
            let all = names.in_order(spot, seen(kind, extent)?, MOST_VARIABLES);
            let first = all.into_iter().take(MOST_VARIABLES);
            Some(first.map(str::to_owned).collect())
        };
        first().unwrap_or_default()
    }

    /// The watched expressions as they are evaluated in a frame.
    pub(crate) fn watched(
        &self,
        url: &str,
        running: Utf16Position,
        expressions: &[String],
    ) -> Vec<Watched> {
        if expressions.is_empty() {
            return Vec::new();
        }
        let spot = self.spot(url, running);
        let expressions = expressions.iter();
        let watched = expressions.map(|expression| match spot {
            Some((_, names, spot)) => Watched {
                expression: expression.clone(),
                running: names.running(spot, expression),
                in_sight: Some(names.names_in_sight(spot)),
            },
            None => Watched::as_written(expression),
        });
        watched.collect()
    }

    /// The author's names that are in sight of a frame, in words; `None`: they are those that run.
    pub(crate) fn names_in_sight(&self, url: &str, running: Utf16Position) -> Option<String> {
        let (_, names, spot) = self.spot(url, running)?;
        Some(names.names_in_sight(spot))
    }

    /// Whether variables of a frame's scope have no value though their declarations have run: optimised code has
    /// dropped them. (Both look alike in the protocol.) What functions share stays where it is.
    pub(crate) fn lacks_values(&self, url: &str, running: Utf16Position, scope: &Scope) -> bool {
        if !matches!(
            scope.kind,
            ScopeKind::Local | ScopeKind::Block | ScopeKind::Catch
        ) {
            return false;
        }
        let variables = scope.variables.iter();
        let without = variables.filter(|it| it.value.kind == ValueType::Uninitialised);
        let names: Vec<&str> = without.map(|it| it.name.as_str()).collect();
        if names.is_empty() {
            return false;
        }
        let are_behind = || {
            let text = self.text_of(url)?;
            let offset = text.mapped.original_offset(running)?;
            let &ScriptIn { span, goal, .. } = text.script_at(offset)?;
            let content = text
                .mapped
                .original
                .get(span.start.index()..span.end.index())?;
            let at = ByteOffset(offset.0 - span.start.0);
            let read = |script: &Script<'_>| {
                let mut names = names.iter();
                names.all(|name| script.is_uninitialised_at(at, name))
            };
            self.parsed.with(content, goal, read).ok()
        };
        are_behind() != Some(true)
    }

    fn spot(
        &self,
        url: &str,
        running: Utf16Position,
    ) -> Option<(&Text, &OriginalScopes, Spot<'_>)> {
        let text = self.text_of(url)?;
        let (names, map) = (text.names.as_ref()?, text.source_map.as_ref()?);
        let at = text.mapped.original_offset(running)?;
        let position = text.mapped.position_of(at);
        Some((text, names, Spot { at, position, map }))
    }
}

/// Has a scope as a person reads it at a spot: its variables have the names by which they can be asked for there. Those
/// that the spot's file declares come first, then those of one's own other files, and libraries' behind them.
pub(crate) fn name_variables(
    names: &OriginalScopes,
    spot: Spot<'_>,
    scope: &mut Scope,
    extent: Option<(ByteOffset, ByteOffset)>,
) {
    let Some(seen) = seen(scope.kind, extent) else {
        return;
    };
    let places = names.in_order(spot, seen, 0).into_iter().zip(0..);
    let places: HashMap<&str, usize> = places.collect();
    let place = |it: &Variable| places.get(it.name.as_str()).copied();
    scope
        .variables
        .sort_by_key(|it| place(it).unwrap_or(usize::MAX));
    for variable in &mut scope.variables {
        if let Some(name) = names.variable(spot, seen, &variable.name) {
            variable.name = name;
        }
    }
}

/// A scope as its script's author knows it; `None`: the variables are properties of an object of the page, which go by
/// their own names.
fn seen(kind: ScopeKind, extent: Option<(ByteOffset, ByteOffset)>) -> Option<DebuggerScope> {
    Some(match (kind, extent) {
        (ScopeKind::Global | ScopeKind::Script, _) => DebuggerScope::Top,
        (ScopeKind::With, _) => return None,
        (_, Some((start, end))) => DebuggerScope::Between(start, end),
        (_, None) => DebuggerScope::Anywhere,
    })
}
