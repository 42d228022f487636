//! Names that are not there, which may be typing errors.

use querypoint::answer::PointAnswer;
use querypoint::graph::Parent;
use querypoint::nearest::nearest;

use super::Evidence;
use crate::report::{Absent, QueryResult};

/// What is said of a property that an object never had.
pub(super) fn property(absent: &Absent) -> String {
    let name = &absent.name;
    match nearest(name, absent.among.iter().map(String::as_str)) {
        Some(near) => {
            format!("the object has no property {name}; the nearest that it has is {near}")
        }
        None => format!("the object has no property {name}"),
    }
}

/// The variable in scope that may be meant by one that is not, asked at the reproduction point.
pub(super) fn variable<'e>(
    evidence: &'e Evidence<'_>,
    parent: Parent,
    result: &QueryResult,
) -> Option<&'e str> {
    let name = result.message.as_deref()?.strip_suffix(" is not defined")?;
    let state = evidence.outcome.point.as_ref()?;
    let scopes = state
        .scopes
        .iter()
        .filter(|_| parent == Parent::ReproductionPoint);
    let variables = scopes.flat_map(|scope| &scope.variables);
    nearest(name, variables.map(|variable| variable.name.as_str()))
}

/// The names of the author's that are in sight of the reproduction point, where others run and the one that was asked
/// is none of them.
pub(super) fn names_there<'e>(
    evidence: &'e Evidence<'_>,
    parent: Parent,
    result: &QueryResult,
) -> Option<&'e str> {
    result.message.as_deref()?.strip_suffix(" is not defined")?;
    let state = evidence.outcome.point.as_ref()?;
    let names = state.names_in_sight.as_deref()?;
    (parent == Parent::ReproductionPoint).then_some(names)
}

/// Adds a sentence to the note of a point.
pub(super) fn add_note(point: &mut PointAnswer, note: &str) {
    point.note = Some(match point.note.take() {
        Some(earlier) => format!("{earlier}; {note}"),
        None => note.to_owned(),
    });
}
