//! What could be done to an object: the writes of its properties, and the calls of what changes it.
//!
//! (Sakurai, Masuhara, *The Omission Finder*, SAC 2015, section 3.3: the use sites of the object's allocation, reads
//! left out.)

use rustc_hash::FxHashSet;
use swc_atoms::Atom;

use super::facts::{CallFact, CallFacts, ELEMENT, FlowPlace};
use super::graph::{CallGraph, CallRef};
use crate::position::{ByteOffset, ByteSpan};

/// A place that may hold objects, of one script or of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectPlace(pub(super) FlowPlace);

impl ObjectPlace {
    /// A variable of all scripts.
    #[must_use]
    pub fn global(name: &str) -> Self {
        Self(FlowPlace::Global(Atom::from(name)))
    }

    /// A property, of any object; a private one with its mark.
    #[must_use]
    pub fn property(name: &str) -> Self {
        Self(FlowPlace::Property(Atom::from(name)))
    }

    /// An element or an entry, of any object.
    #[must_use]
    pub fn element() -> Self {
        Self(FlowPlace::Property(Atom::from(ELEMENT)))
    }

    /// `this` of a function, by its number.
    #[must_use]
    pub fn this(function: u32) -> Self {
        Self(FlowPlace::This(function))
    }
}

/// Something that changes an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperationSite {
    /// The index of the script.
    pub script: u32,
    /// All of it.
    pub span: ByteSpan,
    /// The expression for the object in it.
    pub object: ByteSpan,
    /// The function that it is in, by number.
    pub function: u32,
    /// Whether the object is in the place that was asked, by its text.
    pub is_named: bool,
}

/// The operations that may change what a place of a script holds, and whether they were found by objects; else by the
/// place's name alone.
#[must_use]
pub fn operations(
    scripts: &[&CallFacts],
    graph: &CallGraph,
    script: u32,
    place: &ObjectPlace,
) -> (Vec<OperationSite>, bool) {
    let objects: FxHashSet<u32> = graph.objects(script, &place.0).iter().copied().collect();
    let is_by_object = !objects.is_empty();
    let mut found = Vec::new();
    for (index, facts) in scripts.iter().enumerate() {
        let index = ByteOffset::from_index(index).0;
        let is_it = |places: &[FlowPlace]| {
            places.iter().any(|other| match is_by_object {
                true => graph
                    .objects(index, other)
                    .iter()
                    .any(|it| objects.contains(it)),
                false => *other == place.0 && (index == script || !is_local(other)),
            })
        };
        let common = |index: u32, places: &'_ [FlowPlace]| {
            let held = places
                .iter()
                .flat_map(move |place| graph.objects(index, place));
            held.copied()
                .filter(|object| objects.contains(object))
                .collect::<Vec<u32>>()
                .into_iter()
        };
        let is_named = |index: u32, places: &[FlowPlace]| {
            places.contains(&place.0) && (index == script || !is_local(&place.0))
        };
        for write in &facts.writes {
            if is_it(&write.objects) {
                found.push(OperationSite {
                    script: index,
                    span: write.span,
                    object: write.object,
                    function: write.function,
                    is_named: is_named(index, &write.objects),
                });
            }
        }
        for (number, call) in facts.calls.iter().enumerate() {
            let at = CallRef {
                script: index,
                call: ByteOffset::from_index(number).0,
            };
            let Some((places, object)) = changed(call) else {
                continue;
            };
            // What a function of the scripts does is looked at in it; but one of this name need not be a method of
            // this object.
            let may_be_built_in = || match is_by_object {
                _ if graph.callees(at).is_empty() || is_of_platform(call) => true,
                true => common(index, places).any(|object| graph.may_be_built_in(object)),
                false => true,
            };
            if is_it(places) && may_be_built_in() {
                found.push(OperationSite {
                    script: index,
                    span: call.span,
                    object,
                    function: call.function,
                    is_named: is_named(index, places),
                });
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    (found, is_by_object)
}

fn is_local(place: &FlowPlace) -> bool {
    !matches!(
        place,
        FlowPlace::Global(_) | FlowPlace::Property(_) | FlowPlace::Export(_)
    )
}

/// What a call changes: where its object may come from, and where it is written.
fn changed(call: &CallFact) -> Option<(&[FlowPlace], ByteSpan)> {
    let of_argument = matches!(
        call.name.as_str(),
        "assign" | "defineProperty" | "defineProperties" | "setPrototypeOf" | "deleteProperty"
    );
    if of_argument {
        let places = call.given.first()?;
        return Some((places, *call.arguments.first()?));
    }
    let object = call.receiver?;
    // `list[name](item)`: by a name that is not known it may be any.
    let may_change = call.name == ELEMENT || changes_its_object(&call.name);
    may_change.then_some((call.receivers.as_slice(), object))
}

/// Whether it is a function of the platform's whatever the scripts call so: `Object.assign`.
fn is_of_platform(call: &CallFact) -> bool {
    let is_object = |place: &FlowPlace| match place {
        FlowPlace::Global(name) => matches!(&**name, "Object" | "Reflect"),
        _ => false,
    };
    call.receivers.iter().any(is_object)
}

/// The methods of built-in objects and of the document that change what they are called on.
fn changes_its_object(name: &str) -> bool {
    matches!(
        name,
        "push"
            | "pop"
            | "shift"
            | "unshift"
            | "splice"
            | "sort"
            | "reverse"
            | "fill"
            | "copyWithin"
            | "set"
            | "add"
            | "delete"
            | "clear"
            | "append"
            | "appendChild"
            | "prepend"
            | "replaceChildren"
            | "insertBefore"
            | "removeChild"
            | "replaceChild"
            | "setAttribute"
            | "removeAttribute"
            | "toggleAttribute"
            | "insertAdjacentHTML"
            | "insertAdjacentElement"
            | "insertAdjacentText"
            | "toggle"
    )
}
