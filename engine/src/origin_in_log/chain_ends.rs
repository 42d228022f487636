//! Where a chain ends: the point that an execution can be led to, what decided on it, and the calls around it.

use event_log::catalogue::reproduction_point_of;
use event_log::tables::FunctionKind;
use js_analysis::position::ByteOffset;
use querypoint::answer::{End, Hop, Location, StackFrame};
use querypoint::point::ReproductionPoint;

use super::InLog;
use crate::stopped::ANONYMOUS;

/// How many events behind a moment may be of calls that were made there.
const MOST_BEHIND: usize = 100_000;
/// How many events of a call may be behind a moment, up to one that says where it is.
const NEAREST: usize = 4;

impl InLog<'_> {
    /// The reproduction point of where a chain ends: of the first event behind that moment in the same call that an
    /// execution can be led to. Its place must be in the script where that is.
    pub(super) fn point_at(
        &self,
        call: u32,
        at: u32,
        location: &Location,
    ) -> Option<(ReproductionPoint, (usize, ByteOffset))> {
        let behind = self.model.events.iter().zip(0..).skip(at as usize);
        let of_call = behind.take(MOST_BEHIND).filter(|(it, _)| it.call == call);
        let (event, text) = of_call.take(NEAREST).find_map(|(event, number)| {
            Some((event, reproduction_point_of(self.model, number)?))
        })?;
        let &(script, (offset, ..)) = &self.site(event.site)?;
        let place = self.sources.place_in(self.home(script)?, *offset)?;
        if place.location.url != location.url {
            return None;
        }
        let at = ReproductionPoint::parse(&text).ok()?;
        Some((at, (script, *offset)))
    }

    /// The condition that decides last, from one place of a script on, whether another is reached.
    pub(super) fn decided(
        &self,
        script: usize,
        from: ByteOffset,
        at: ByteOffset,
    ) -> Option<String> {
        let home = self.home(script)?;
        let span = self.sources.decided_between(home, from, at)?;
        let text = self.sources.author_text_at(home, span)?;
        Some(crate::origin::one_line(text))
    }

    /// The calls around the end of a chain: of the newest the place where it ends, of each other that of its call.
    pub(super) fn stack(&self, call: u32, end: &End, last: Option<&Hop>) -> Vec<StackFrame> {
        let place = end.location.clone();
        let mut place = place.or_else(|| last.map(|hop| hop.location.clone()));
        let (mut call, mut frames) = (call, Vec::new());
        while let Some(own) = self.model.calls.get(call as usize) {
            let function = self.model.tables.function(own.function);
            let Some(location) = place.take() else { break };
            let is_top = |kind| matches!(kind, FunctionKind::Script | FunctionKind::Module);
            let function = match function {
                Some(it) if it.name.is_empty() && !is_top(it.kind) => ANONYMOUS.to_owned(),
                other => other.map(|it| it.name.clone()).unwrap_or_default(),
            };
            frames.push(StackFrame { function, location });
            place = self.site(own.site).and_then(|(script, (at, _, _))| {
                let place = self.sources.place_in(self.home(script)?, *at)?;
                Some(place.location)
            });
            call = own.parent;
        }
        frames
    }
}
