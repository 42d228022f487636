//! The points of an origin as an answer shows them.

use std::collections::BTreeMap;

use querypoint::answer::{
    Answer, End, EndKind, Hop, HopKind, PointAnswer, Status, fold_libraries, fold_repetitions,
};
use querypoint::query::Query;

use super::{Asking, Chain, Link, unobserved};
use crate::ask::AskRequest;
use crate::origin::{Probe, hop_place, is_of_document, library};
use crate::origin_in_log::{Trail, no_operand};

/// The points as they were asked: those of a chain are one, with its hops. `most`: how often the page may run.
pub(super) fn folded(
    (request, most): (&AskRequest, u32),
    answer: &Answer,
    chains: &[Chain],
    numbers: &[usize],
    probes: &BTreeMap<usize, &Probe>,
) -> Vec<PointAnswer> {
    let mut points: Vec<PointAnswer> = answer.points.first().cloned().into_iter().collect();
    for (number, (name, query)) in request.graph.queries().enumerate() {
        let Some(chain) = chains.iter().find(|chain| chain.query == number) else {
            let own = numbers
                .get(number)
                .and_then(|own| answer.points.get(own + 1));
            points.extend(own.cloned());
            continue;
        };
        let own = chain.shown.iter().filter_map(|number| {
            let point = answer.points.get(number + 1)?;
            Some((point, probes.get(number).copied()))
        });
        let own: Vec<(&PointAnswer, Option<&Probe>)> = own.collect();
        let mut point = origin_point(name.as_str(), query, chain, &own, most);
        if !request.limits.through {
            point.hops = fold_repetitions(fold_libraries(point.hops));
        }
        points.push(point);
    }
    points
}

/// The point of an origin.
fn origin_point(
    name: &str,
    query: &Query,
    chain: &Chain,
    own: &[(&PointAnswer, Option<&Probe>)],
    max_executions: u32,
) -> PointAnswer {
    let mut hops = Vec::new();
    let mut last: Option<&PointAnswer> = None;
    for ((point, probe), link) in own.iter().zip(&chain.links) {
        if point.status != Status::Found {
            break;
        }
        hops.extend(hop(point, *probe, link));
        hops.extend(probe.iter().flat_map(|probe| probe.further.iter().cloned()));
        last = Some(point);
    }
    place_hops(&mut hops, &chain.logged);
    let end = chain.ended().unwrap_or_else(|| {
        unobserved(format!(
            "followed no further: the page was to run at most {max_executions} times"
        ))
    });
    let is_open = end.kind == EndKind::Unobserved;
    if let Some(&number) = chain.operands.first().filter(|_| chain.trail.is_none()) {
        let first = own.first().map(|(point, _)| (*point).clone());
        let first = first.unwrap_or_else(|| PointAnswer::new(name, None, Status::NotReached));
        return PointAnswer {
            name: name.to_owned(),
            query: Some(query.kind.to_string()),
            end: (first.status != Status::NotReached).then(|| not_followed(number, &end)),
            ..first
        };
    }
    let of_log = chain
        .trail
        .as_ref()
        .filter(|trail| chain.is_done() || is_open && trail.hops.len() >= hops.len());
    let text = query.kind.to_string();
    if let (Some(trail), Some((first, _))) = (of_log, own.first()) {
        return of_trail(name, text, trail, first);
    }
    let Some(last) = last else {
        let first = own.first().map(|(point, _)| (*point).clone());
        let first = first.unwrap_or_else(|| PointAnswer::new(name, None, Status::NotReached));
        return PointAnswer {
            name: name.to_owned(),
            query: Some(text),
            end: (first.status != Status::NotReached).then_some(end),
            ..first
        };
    };
    let place = end.location.clone();
    let is_moved = place.is_some() && place != last.location;
    PointAnswer {
        name: name.to_owned(),
        query: Some(text),
        location: place.or_else(|| last.location.clone()),
        source_line: last.source_line.clone().filter(|_| !is_moved),
        hops,
        end: Some(end),
        ..last.clone()
    }
}

/// Gives hops their points: those of the log where it has the same way, else their places.
fn place_hops(hops: &mut [Hop], logged: &[Hop]) {
    let mut both = hops.iter().zip(logged);
    let is_same = hops.len() == logged.len() && both.all(|(own, logged)| own.is_same(logged));
    let mut logged = logged.iter().filter(|_| is_same);
    for hop in hops {
        if let Some(logged) = logged.next() {
            (hop.point, hop.realm) = (logged.point.clone(), logged.realm.clone());
        }
        if hop.point.is_none() {
            hop.point = Some(hop_place(hop));
        }
    }
}

/// Why the operand of a computation is not followed.
fn not_followed(number: u32, end: &End) -> End {
    match end.kind {
        EndKind::Computation => unobserved(
            "the operand is followed in an event log, and none was of use; ask for the origin of a variable or \
             property in it",
        ),
        _ => no_operand(number, end),
    }
}

/// The point of an origin that the event log tells. What it has of state at the write of the asked reference is not of
/// the place where the value was made.
fn of_trail(name: &str, query: String, trail: &Trail, first: &PointAnswer) -> PointAnswer {
    let last = trail.hops.last();
    let location = trail.end.location.clone();
    let location = location.or_else(|| last.map(|hop| hop.location.clone()));
    let is_at_last = last.is_some_and(|hop| Some(&hop.location) == location.as_ref());
    let is_moved = location != first.location;
    let mut first = first.clone();
    if first.status == Status::Blind && location.is_some() {
        // Only the log has it.
        first.status = Status::Found;
        first.note = None;
        first.new = first.value.take();
    }
    PointAnswer {
        name: name.to_owned(),
        query: Some(query),
        source_line: match (is_moved, is_at_last) {
            (false, _) => first.source_line.clone(),
            (true, true) => last.and_then(|hop| hop.source_line.clone()),
            (true, false) => None,
        },
        // A function without a name is none of the script's top level.
        function: last
            .and_then(|hop| hop.function.clone().filter(|name| !name.is_empty()))
            .or_else(|| trail.stack.first().map(|frame| frame.function.clone())),
        location,
        stack: if is_moved && !trail.stack.is_empty() {
            trail.stack.clone()
        } else {
            first.stack.clone()
        },
        scopes: if is_moved {
            Vec::new()
        } else {
            first.scopes.clone()
        },
        // Chance gives another value each time: this one is of the execution that the hops are of.
        new: trail
            .asked
            .clone()
            .or_else(|| trail.hops.first().map(|hop| hop.value.clone()))
            .or_else(|| first.new.clone()),
        hops: trail.hops.clone(),
        end: Some(trail.end.clone()),
        ..first
    }
}

/// Whether a write is one of an element's text, attribute or value.
fn is_shown_by_document(point: &PointAnswer, link: &Link) -> bool {
    let reference = match &link.asked {
        Asking::First(reference) | Asking::Change { reference, .. } => reference,
        Asking::Return(_) => return false,
    };
    let key = reference.rsplit('.').next().unwrap_or_default();
    point
        .owner
        .as_ref()
        .is_some_and(|owner| is_of_document(&owner.class, key))
}

/// One write of a chain, as it is shown.
fn hop(point: &PointAnswer, probe: Option<&Probe>, link: &Link) -> Option<Hop> {
    let place = probe.and_then(|probe| probe.place.as_ref());
    let location = place
        .map(|place| place.location.clone())
        .or_else(|| point.location.clone())?;
    let library = library(&location);
    let kind = match probe {
        Some(probe) if probe.kind == HopKind::Property && is_shown_by_document(point, link) => {
            HopKind::Dom
        }
        Some(probe) => probe.kind,
        None if matches!(link.asked, Asking::Return(_)) => HopKind::Return,
        None => HopKind::Copy,
    };
    Some(Hop {
        kind,
        value: probe
            .and_then(|probe| probe.value.clone())
            .or_else(|| point.new.clone())?,
        name: Some(match &link.asked {
            Asking::First(reference) => reference.trim_start_matches("R:").to_owned(),
            Asking::Change { reference, .. } => reference.clone(),
            Asking::Return(function) => function.clone(),
        }),
        function: match place {
            Some(place) => place.function.clone(),
            None => point.function.clone(),
        },
        source_line: match place {
            Some(place) => place.source_line.clone(),
            None => point.source_line.clone(),
        },
        library,
        folded: None,
        point: None,
        realm: None,
        location,
    })
}
