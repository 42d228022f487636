//! What was read at decisions says which of them are some.

use js_analysis::omission::Reason;
use querypoint::answer::{Answer, PointAnswer, Value as Preview, ValueType};

use super::exceptions::{point, thrown_after};
use super::reading::Reading;
use crate::sources::Located;

/// Functions that are not further apart are handed over in one expression: what one of them gives decides about the
/// other, whether it can be read or not.
const NEAR: u32 = 3;

/// What a value that was read makes of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// It is why the others came out so.
    First,
    Sure,
    /// It may be one: it comes behind the others.
    Late,
    None,
}

/// What was read at decisions tells which of them are some: what a function gives, whether an event that was stopped
/// was on its way to the listener, whether a function was handed over at all. What is none is left out.
pub(super) fn settle(candidates: &mut Vec<Located>, reading: &mut Reading, answer: &Answer) {
    let is_open = |located: &Located| {
        located.found.is_result
            || located.found.path.is_some()
            || !located.handed.is_empty()
            || clears_timer(located)
            || located.only_if_thrown.is_some()
    };
    if !candidates.iter().any(is_open) {
        return;
    }
    reading.rearrange(candidates, |all| {
        let mut kept: Vec<(Rank, (Located, Option<String>))> = Vec::new();
        for (mut located, name) in all.drain(..) {
            let at = name.as_ref().and_then(|name| point(answer, name));
            let given = given(&mut located, at);
            let others = on_its_way(&mut located, at).max(handed_over(&located, at));
            let others = others.max(cleared(&located, at));
            let thrown = thrown_there(&located, name.as_deref(), answer);
            let rank = match (others, thrown) {
                (Rank::Sure, Rank::First) => Rank::First,
                (Rank::Sure, Rank::Sure) => given,
                (other, thrown) => given.max(other).max(thrown),
            };
            if rank != Rank::None {
                kept.push((rank, (located, name)));
            }
        }
        kept.sort_by_key(|(rank, (located, _))| {
            (located.found.is_partial, located.is_foreign, *rank)
        });
        all.extend(kept.into_iter().map(|(_, one)| one));
    });
}

/// What a function gives was read: how it came out is known now. What no test can have tested is none, and what came
/// out true comes last, for most ask whether they may.
fn given(located: &mut Located, at: Option<&PointAnswer>) -> Rank {
    if !located.found.is_result {
        return Rank::Sure;
    }
    let operand = located.operands.first();
    if let Some(thrown) = operand.and_then(|text| thrown_by(text, at)) {
        located.found.reason = Reason::Exception;
        located.found.is_result = false;
        located.found.detail = Some(format!("its function was handed over and called: {thrown}"));
        located.flip = None;
        return Rank::First;
    }
    match operand.and_then(|text| value_of(text, at)) {
        Some(value) => match (value.kind, value.text.as_str()) {
            (ValueType::Boolean, "true") => {
                located.found.held = true;
                match located.found.stops {
                    true => Rank::Sure,
                    false => Rank::Late,
                }
            }
            // `skip: false` keeps nothing.
            _ if located.found.stops => Rank::None,
            (ValueType::Boolean | ValueType::Undefined, _) | (_, "null" | "0") => Rank::Sure,
            _ => Rank::None,
        },
        // What was not read may be anything; but of an option that keeps something its name says more.
        None if located.found.stops => Rank::Sure,
        None => {
            located.flip = None;
            // Of a promise that was handed to a library, what it gives may be anything.
            let is_test = located.found.reason == Reason::Branch;
            match is_test && located.found.distance <= NEAR {
                true => Rank::Sure,
                false => Rank::Late,
            }
        }
    }
}

/// Whether an event that was stopped was on its way to the listener.
fn on_its_way(located: &mut Located, at: Option<&PointAnswer>) -> Rank {
    if located.found.path.is_none() {
        return Rank::Sure;
    }
    let check = located.check.as_ref();
    match check.and_then(|text| value_of(text, at)) {
        Some(value) if value.text == "true" => Rank::Sure,
        Some(_) => Rank::None,
        None => {
            let detail =
                "it stops an event of this kind; whether that was on its way there is not known";
            located.found.detail = Some(detail.to_owned());
            Rank::Late
        }
    }
}

/// Whether it is a call that clears a timer.
fn clears_timer(located: &Located) -> bool {
    located.found.reason == Reason::Timer && located.found.held
}

/// Whether there was a timer to clear.
fn cleared(located: &Located, at: Option<&PointAnswer>) -> Rank {
    let timer = located.operands.first().filter(|_| clears_timer(located));
    match timer.and_then(|text| value_of(text, at)) {
        Some(value) if value.kind == ValueType::Undefined || value.text == "null" => Rank::Late,
        _ => Rank::Sure,
    }
}

/// Whether something was thrown in the function where only that makes it one.
fn thrown_there(located: &Located, name: Option<&str>, answer: &Answer) -> Rank {
    let Some(function) = &located.only_if_thrown else {
        return Rank::Sure;
    };
    let thrown = name.and_then(|name| thrown_after(name, answer));
    let mut frames = thrown.into_iter().flat_map(|thrown| &thrown.stack);
    match frames.any(|frame| function.holds(&frame.location)) {
        // What waits for the function waits because of it.
        true => Rank::First,
        false => Rank::None,
    }
}

/// Whether what was handed over is a function, and the one that is meant.
fn handed_over(located: &Located, at: Option<&PointAnswer>) -> Rank {
    let Some(handed) = located.found.handed.as_ref() else {
        return Rank::Sure;
    };
    let name = handed.name.rsplit('.').next().unwrap_or_default();
    let is_none = |text: &String| {
        value_of(text, at).is_some_and(|value| match value.kind {
            ValueType::Function => {
                let own = value
                    .text
                    .strip_prefix("ƒ ")
                    .and_then(|text| text.split_once('('));
                let own = own.map_or("", |(own, _)| own.trim());
                let is_known = !name.is_empty() && !own.is_empty();
                is_known && own != name
            }
            // It may be in it.
            ValueType::Object => false,
            _ => true,
        })
    };
    match !located.handed.is_empty() && located.handed.iter().all(is_none) {
        true => Rank::None,
        false => Rank::Sure,
    }
}

/// What the reading of an expression throws, as the page did; not what a reading must not do.
fn thrown_by(text: &str, at: Option<&PointAnswer>) -> Option<String> {
    let watch = at?.watches.iter().find(|watch| watch.expression == *text)?;
    let message = &watch.value.text;
    let is_own = message.starts_with("TypeError") && !message.contains("side-effect");
    (watch.threw == Some(true) && is_own).then(|| message.clone())
}

fn value_of(text: &str, at: Option<&PointAnswer>) -> Option<Preview> {
    let watch = at?.watches.iter().find(|watch| watch.expression == *text)?;
    watch.threw.is_none().then(|| watch.value.clone())
}
