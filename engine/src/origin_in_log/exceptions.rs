//! Exceptions: which `throw` gave what was caught.

use event_log::model::Kind;
use event_log::value::Value as Seen;
use js_analysis::origin::{LoggedPlace, PathStep};
use querypoint::answer::{Hop, HopKind};

use super::{InLog, Next, Spot};

impl InLog<'_> {
    /// A part of what was caught: who wrote it there.
    pub(super) fn part_of_caught(
        &self,
        spot: Spot,
        path: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown = || Next::unobserved("what was caught is not in the log");
        let mut before = spot.moment.at;
        let caught = loop {
            let Some(event) = before.checked_sub(1).and_then(|it| self.event(it)) else {
                return unknown();
            };
            before -= 1;
            match event.kind {
                Kind::Catch if event.call == spot.moment.call => break event.value,
                // Names of one pattern are told one after the other; the message of an error with it.
                Kind::Assign | Kind::Write | Kind::Contents if event.call == spot.moment.call => {}
                _ => return unknown(),
            }
        };
        let name = "what was caught".to_owned();
        let (next, _) = self.taken(spot, caught, path, name, seen, hops);
        next.unwrap_or_else(|| Next::unobserved("what was caught is no object"))
    }

    /// An exception was caught: who threw it.
    pub(super) fn caught(
        &self,
        spot: Spot,
        (value, name): (Seen, String),
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown =
            || Next::unobserved("who threw it is not in the log: a built-in, or the browser");
        let mut number = spot.moment.at;
        let mut thrown = None;
        while let Some(event) = number.checked_sub(1).and_then(|it| self.event(it)) {
            number -= 1;
            match event.kind {
                Kind::Assign | Kind::Catch | Kind::Unwind => {}
                Kind::Throw => {
                    thrown = Some(number);
                    break;
                }
                Kind::Resume => {
                    let next = self.rejected_at(number, (value, &name), hops);
                    return next.unwrap_or_else(unknown);
                }
                _ => break,
            }
        }
        let Some(thrown) = thrown else {
            return unknown();
        };
        let Some(event) = self.event(thrown).copied() else {
            return unknown();
        };
        if event.value.same(value) != Some(true) {
            return unknown();
        }
        let (Some((script, LoggedPlace::Throw(of))), Some((_, (at, _, _))), Some(moment)) = (
            self.place(event.site),
            self.site(event.site),
            self.moment(thrown),
        ) else {
            return unknown();
        };
        hops.extend(self.hop(HopKind::Catch, script, *at, (event.stream, value), name));
        Next::Value {
            spot: Spot { script, moment },
            value: Box::new(of),
            way: Vec::new(),
            seen: value,
        }
    }
}
