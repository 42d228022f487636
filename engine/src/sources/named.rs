//! What the author's names mean in a frame: for showing its scopes, and for evaluating what a person writes.

use js_analysis::position::{ByteOffset, Utf16Position};
use js_analysis::rewrite::{DebuggerScope, OriginalScopes, Spot};
use querypoint::answer::{Scope, ScopeKind};

use super::{Sources, Text};
use crate::debugger::{Extent, Watched};

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

/// Gives the variables of a scope the names by which they can be asked for at a spot.
pub(crate) fn name_variables(
    names: &OriginalScopes,
    spot: Spot<'_>,
    scope: &mut Scope,
    extent: Option<(ByteOffset, ByteOffset)>,
) {
    let seen = match (scope.kind, extent) {
        (ScopeKind::Global | ScopeKind::Script, _) => DebuggerScope::Top,
        // The object's properties go by their own names.
        (ScopeKind::With, _) => return,
        (_, Some((start, end))) => DebuggerScope::Between(start, end),
        (_, None) => DebuggerScope::Anywhere,
    };
    for variable in &mut scope.variables {
        if let Some(name) = names.variable(spot, seen, &variable.name) {
            variable.name = name;
        }
    }
}
