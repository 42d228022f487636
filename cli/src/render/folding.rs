//! Trees of calls that are too deep to be drawn: calls in calls of the same function, and what is many calls deep,
//! become one row that counts them.

use querypoint::events::LoggedEvent;

/// So many calls of one function are drawn inside one another.
const MOST_OF_ONE: usize = 8;
/// What is deeper is not drawn.
const DEEPEST: usize = 40;

/// A row of a drawn answer.
pub(super) enum Row<'e> {
    /// An event.
    Event(&'e LoggedEvent),
    /// Calls that are folded.
    Folded {
        /// How deep the first is.
        depth: usize,
        /// How many they are.
        calls: usize,
        /// How deep the deepest is.
        deepest: usize,
    },
}

impl<'e> Row<'e> {
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Event(event) => depth(event),
            Self::Folded { depth, .. } => *depth,
        }
    }

    pub(super) const fn event(&self) -> Option<&'e LoggedEvent> {
        match self {
            Self::Event(event) => Some(event),
            Self::Folded { .. } => None,
        }
    }
}

fn depth(event: &LoggedEvent) -> usize {
    event.depth.unwrap_or(0) as usize
}

/// The rows of an answer; of what is no tree each event.
pub(super) fn folded(events: &[LoggedEvent]) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    // The functions that are around, the outermost first.
    let mut around: Vec<Option<&str>> = Vec::new();
    // Where what is folded begins.
    let mut folds_from: Option<usize> = None;
    for event in events {
        let own = depth(event);
        if folds_from.is_some_and(|from| own < from) {
            folds_from = None;
        }
        if folds_from.is_some_and(|from| own > from) {
            if let Some(Row::Folded { calls, deepest, .. }) = rows.last_mut() {
                *calls += 1;
                *deepest = own.max(*deepest);
            }
            continue;
        }
        around.truncate(own);
        let function = event.function.as_deref();
        // What has no name need not be one function.
        let is_named = function.is_some_and(|name| !name.starts_with('('));
        let same = around.iter().filter(|it| is_named && **it == function);
        let same = same.count();
        let is_drawn = event.depth.is_none() || same < MOST_OF_ONE && own <= DEEPEST;
        folds_from = (!is_drawn).then_some(own);
        match (is_drawn, rows.last_mut()) {
            (true, _) => rows.push(Row::Event(event)),
            (
                false,
                Some(Row::Folded {
                    depth,
                    calls,
                    deepest,
                }),
            ) if *depth == own => {
                *calls += 1;
                *deepest = own.max(*deepest);
            }
            (false, _) => rows.push(Row::Folded {
                depth: own,
                calls: 1,
                deepest: own,
            }),
        }
        around.push(function);
    }
    rows
}
