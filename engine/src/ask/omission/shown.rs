//! What was found and read, as points and candidates of the answer.

use js_analysis::omission::Reason;
use querypoint::answer::{
    Answer, Candidate, EndOperand, OmissionReason, Operation, PointAnswer, Status,
    Value as Preview, ValueType,
};

use super::exceptions::{point, thrown_after, thrown_inside, was_reached};
use super::reading::{Reading, object_of};
use super::{Finding, MOST_SHOWN, Omission, last_part};
use crate::ask::AskRequest;
use crate::sources::{Explained, Located, Unchanged};

/// The points as they were asked.
pub(super) fn points(
    request: &AskRequest,
    omissions: &[Omission],
    found: &[Vec<Located>],
    readings: &[Reading],
    answer: &Answer,
) -> Vec<PointAnswer> {
    let is_asked = |point: &mut PointAnswer| {
        let watches = request.watches.as_slice();
        point
            .watches
            .retain(|watch| watches.contains(&watch.expression));
    };
    let mut points: Vec<PointAnswer> = answer.points.first().cloned().into_iter().collect();
    for (number, (name, query)) in request.graph.queries().enumerate() {
        let Some(own) = point(answer, name.as_str()) else {
            continue;
        };
        let omission = omissions.iter().position(|one| one.query == number);
        let point = match omission {
            None => own.clone(),
            Some(index) => {
                let (Some(omission), Some(found), Some(reading)) =
                    (omissions.get(index), found.get(index), readings.get(index))
                else {
                    continue;
                };
                PointAnswer {
                    name: name.to_string(),
                    query: Some(query.kind.to_string()),
                    ..omission_point(omission, found, reading, own, answer)
                }
            }
        };
        points.push(point);
    }
    points.iter_mut().for_each(is_asked);
    points
}

/// The point of one omission.
pub(super) fn omission_point(
    omission: &Omission,
    found: &[Located],
    reading: &Reading,
    own: &PointAnswer,
    answer: &Answer,
) -> PointAnswer {
    let line = &omission.line;
    let shown: Vec<Candidate> = found
        .iter()
        .take(MOST_SHOWN)
        .enumerate()
        .flat_map(|(index, located)| {
            let at = reading.candidates.get(index).and_then(Option::as_ref);
            let at = at.and_then(|name| point(answer, name));
            let shown = candidate(located, at, answer);
            let inside = thrown_inside(&shown, at, answer);
            std::iter::once(shown).chain(inside)
        })
        .take(MOST_SHOWN)
        .collect();
    let Some(explained) = omission.explained() else {
        let Finding::None { why, .. } = &omission.finding else {
            return own.clone();
        };
        return of_no_line(why, shown, found, own);
    };
    if let Some(why) = omission.why_no_object(answer) {
        return PointAnswer {
            note: Some(why),
            complete: Some(false),
            ..PointAnswer::new("", None, Status::Blind)
        };
    }
    let complete = Some(explained.unknown.is_empty());
    let mut notes = Vec::new();
    let is_cut_off = found
        .first()
        .is_some_and(|first| first.found.script == u32::MAX);
    // The first statement of a function that was called ran, whatever could be read there.
    let is_first = explained.steps.len() == 1;
    let is_unread = own.status != Status::Found && (was_reached(own) || is_first);
    if explained.count > 0 && !is_cut_off && is_unread {
        notes.push(format!("{line} ran {}", times(explained.count)));
        notes.push("its last time is another one in each execution, and was not read".to_owned());
        notes.extend(not_looked_at(explained));
        let place = explained.place.as_ref();
        return PointAnswer {
            location: place.map(|place| place.location.clone()),
            source_line: place.and_then(|place| place.source_line.clone()),
            candidates: shown,
            complete,
            note: Some(notes.join("; ")),
            ..PointAnswer::new("", None, Status::Diverged)
        };
    }
    if explained.count > 0 && !is_cut_off && own.status != Status::Found {
        notes.push(format!(
            "{line} did not run before the reproduction point, and nothing that was looked at kept it from running"
        ));
        notes.extend(not_looked_at(explained));
        return PointAnswer {
            complete: Some(false),
            note: Some(notes.join("; ")),
            ..PointAnswer::new("", None, Status::Blind)
        };
    }
    if explained.count > 0 && !is_cut_off {
        let hits = own.events.unwrap_or(explained.count);
        let skipped = found.iter().filter(|one| one.found.calls == 0);
        let skipped: u64 = skipped.map(|one| one.found.hits).sum();
        notes.push(match skipped {
            0 => format!("{line} ran {}", times(hits)),
            skipped => format!(
                "{line} ran {}; it was skipped {}",
                times(hits),
                times(skipped)
            ),
        });
        notes.extend(not_looked_at(explained));
        return PointAnswer {
            candidates: shown,
            complete,
            note: Some(notes.join("; ")),
            ..own.clone()
        };
    }
    if let Finding::Unchanged(unchanged) = &omission.finding {
        return of_object(unchanged, found, shown, own);
    }
    notes.extend(not_looked_at(explained));
    let Some(first) = found.first() else {
        notes.insert(
            0,
            format!("{line} did not run, and no decision is known that kept it from running"),
        );
        return PointAnswer {
            complete: Some(false),
            note: Some(notes.join("; ")),
            ..PointAnswer::new("", None, Status::Blind)
        };
    };
    decided(first, shown, complete, notes, own)
}

impl Omission {
    /// What is asked about is no object at the reproduction point: what it is there.
    fn why_no_object(&self, answer: &Answer) -> Option<String> {
        let asked = self.reference.as_ref()?;
        let watches = &answer.points.first()?.watches;
        for (number, link) in self.links.iter().enumerate() {
            let watch = watches.iter().find(|watch| watch.expression == *link)?;
            let text = &watch.value.text;
            if watch.threw.is_some() {
                let is_missing = text.contains("is not defined") || text.contains("not in sight");
                return is_missing.then(|| format!("{asked} has no value at R: {text}"));
            }
            let is_last = number + 1 == self.links.len();
            let is_nothing = text == "undefined" || text == "null";
            return Some(match watch.value.kind {
                _ if is_nothing && !is_last => format!(
                    "{asked} has no value at R: {link} is {text} there; lastChange(R:{link}) says who wrote it"
                ),
                _ if is_nothing => format!(
                    "{asked} is {text} at R: there is no object that something could have been done to; \
                     lastChange(R:{link}) says who wrote it"
                ),
                ValueType::Object | ValueType::Function | ValueType::Symbol => continue,
                _ => format!(
                    "{link} is {text} at R, which is no object: nothing can be done to it; lastChange(R:{link}) says \
                     who wrote it"
                ),
            });
        }
        None
    }
}

/// The point of what was not done to an object.
pub(super) fn of_object(
    unchanged: &Unchanged,
    found: &[Located],
    shown: Vec<Candidate>,
    own: &PointAnswer,
) -> PointAnswer {
    const MOST: usize = 5;
    let mut notes = Vec::new();
    let explained = &unchanged.explained;
    if !unchanged.done.is_empty() {
        let texts = unchanged
            .done
            .iter()
            .take(MOST)
            .map(|operation| format!("{} {}", operation.text, times(operation.count)));
        let texts: Vec<String> = texts.collect();
        let more = unchanged.done.len().saturating_sub(MOST);
        let more = if more > 0 {
            format!(", and {more} more")
        } else {
            String::new()
        };
        notes.push(format!("done: {}{more}", texts.join(", ")));
    }
    if !unchanged.is_by_object {
        notes.push(
            "where the object was made is not known (the browser made it, or it was handed over in a way that is not \
             followed): what goes by the same name was looked at"
                .to_owned(),
        );
    }
    let complete = explained.unknown.is_empty() && unchanged.is_by_object;
    notes.extend(not_looked_at(explained));
    match found.first() {
        Some(first) => decided(first, shown, Some(complete), notes, own),
        None => {
            let said = match unchanged.omitted {
                0 => "no operation in the scripts that could change it was left out".to_owned(),
                omitted => format!(
                    "{omitted} operations were left out, and no decision is known that kept them"
                ),
            };
            notes.insert(0, said);
            PointAnswer {
                complete: Some(complete && unchanged.omitted == 0),
                note: Some(notes.join("; ")),
                ..PointAnswer::new("", None, Status::Blind)
            }
        }
    }
}

/// The point at the first decision.
pub(super) fn decided(
    first: &Located,
    shown: Vec<Candidate>,
    complete: Option<bool>,
    notes: Vec<String>,
    own: &PointAnswer,
) -> PointAnswer {
    let read = match first.pause.is_some() && own.status == Status::Found {
        true => own.clone(),
        false => PointAnswer::new("", None, Status::Found),
    };
    PointAnswer {
        status: Status::Found,
        location: Some(first.place.location.clone()),
        source_line: first.place.source_line.clone(),
        function: read.function.clone().or_else(|| first.function.clone()),
        candidates: shown,
        complete,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        ..read
    }
}

pub(super) fn of_no_line(
    why: &str,
    shown: Vec<Candidate>,
    found: &[Located],
    own: &PointAnswer,
) -> PointAnswer {
    match found.first() {
        Some(first) => decided(first, shown, Some(true), vec![why.to_owned()], own),
        None => PointAnswer {
            note: Some(why.to_owned()),
            complete: Some(false),
            ..PointAnswer::new("", None, Status::Blind)
        },
    }
}

pub(super) fn not_looked_at(explained: &Explained) -> Option<String> {
    const MOST: usize = 3;
    let unknown = &explained.unknown;
    let shown = unknown
        .get(..unknown.len().min(MOST))
        .unwrap_or_default()
        .join("; ");
    match unknown.len() {
        0 => None,
        1..=MOST => Some(format!("not looked at: {shown}")),
        more => Some(format!("not looked at: {shown}; and {} more", more - MOST)),
    }
}

pub(super) fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// A candidate with the values that were read at it.
pub(super) fn candidate(located: &Located, at: Option<&PointAnswer>, answer: &Answer) -> Candidate {
    let value = |text: &str| {
        let watches = at.into_iter().flat_map(|point| &point.watches);
        let watch = watches.into_iter().find(|watch| watch.expression == text);
        watch
            .filter(|watch| watch.threw.is_none())
            .map(|watch| watch.value.clone())
    };
    let values: Vec<EndOperand> = located
        .operands
        .iter()
        .filter_map(|text| {
            Some(EndOperand {
                text: text.clone(),
                value: value(text)?,
            })
        })
        .collect();
    let is_promise = |value: &Preview| value.text.starts_with("Promise");
    let own = located.operands.iter().filter_map(|text| value(text));
    let objects = located
        .operands
        .iter()
        .filter_map(|text| value(&object_of(text)?));
    let mut reason = reason(located.found.reason);
    let mut detail: Vec<String> = located.found.detail.iter().cloned().collect();
    let is_test = matches!(
        reason,
        OmissionReason::Branch | OmissionReason::Return | OmissionReason::Loop
    );
    if is_test && own.chain(objects).any(|value| is_promise(&value)) {
        reason = OmissionReason::Await;
        detail.push("it uses a promise, not what the promise gives".to_owned());
    }
    if let Some(jump) = &located.jump {
        detail.push(format!("it led to {}", jump.in_words()));
    }
    match located.others {
        0 => {}
        1 => detail.push("it kept another operation from being done, too".to_owned()),
        others => detail.push(format!(
            "it kept {others} other operations from being done, too"
        )),
    }
    if located.found.is_partial {
        detail.push("at other times it led on".to_owned());
    }
    let is_thrown = located.found.script == u32::MAX || !located.tried.is_empty();
    if is_thrown && let Some(thrown) = exception_of(at, answer) {
        detail = vec![thrown];
        if let Some(jump) = &located.jump {
            detail.push(format!("it led to {}", jump.in_words()));
        }
        if located.found.is_partial {
            detail.push("at other times it led on".to_owned());
        }
    }
    Candidate {
        reason,
        location: located.place.location.clone(),
        text: located.text.clone(),
        held: located.found.held,
        values,
        hits: located.found.hits,
        operation: located.operation.as_ref().map(|operation| Operation {
            location: operation.place.location.clone(),
            text: operation.text.clone(),
            calls: located.found.calls,
        }),
        flipped: located.flipped.clone(),
        function: located.function.clone(),
        source_line: located.place.source_line.clone(),
        calls: Some(located.found.calls).filter(|calls| *calls > 0),
        detail: (!detail.is_empty()).then(|| detail.join("; ")),
    }
}

/// What was thrown after a point, in words.
pub(super) fn exception_of(at: Option<&PointAnswer>, answer: &Answer) -> Option<String> {
    let thrown = thrown_after(&at?.name, answer)?;
    let exception = thrown.exception.as_ref()?;
    let place = thrown.location.as_ref().map(|location| {
        let file = last_part(&location.url);
        format!(" at {file}:{}", location.line)
    });
    Some(format!(
        "{}: {} was thrown{}",
        exception.class,
        exception.message,
        place.unwrap_or_default()
    ))
}

pub(super) fn reason(reason: Reason) -> OmissionReason {
    match reason {
        Reason::Branch => OmissionReason::Branch,
        Reason::Listener => OmissionReason::Listener,
        Reason::Promise => OmissionReason::Promise,
        Reason::Await => OmissionReason::Await,
        Reason::Timer => OmissionReason::Timer,
        Reason::Callback => OmissionReason::Callback,
        Reason::Loop => OmissionReason::Loop,
        Reason::Return => OmissionReason::Return,
        Reason::Exception => OmissionReason::Exception,
        Reason::NotLoaded => OmissionReason::NotLoaded,
        Reason::Unreachable => OmissionReason::Unreachable,
    }
}
