//! Events, calls and scopes at a moment.

use event_log::ids::{ScopeId, SiteId, StaticScopeId};
use event_log::model::{Call, CallOutcome, Event, Kind, NONE};
use event_log::tables::FunctionKind;
use event_log::value::Value as Seen;
use js_analysis::log::LoggedKind;
use js_analysis::origin::{Call as CallText, LoggedPlace};

use super::{InLog, Moment, Spot};
use crate::prefix::is_ours;

/// A call that has come back.
#[derive(Clone, Debug)]
pub(super) struct CameBack {
    /// The event before it.
    pub(super) step: u32,
    /// The event behind it.
    pub(super) end: u32,
    /// The calls of functions with hooks that were made there, in order: one, or those of a built-in's callback.
    pub(super) calls: Vec<u32>,
    /// What it gave.
    pub(super) value: Seen,
}

impl CameBack {
    /// Whether the chain ended before the call: `a?.f()` without an `a`.
    pub(super) fn is_skipped(&self) -> bool {
        self.step == self.end
    }
}

impl InLog<'_> {
    /// An event by its number; `None`: the log has no such event.
    pub(super) fn event(&self, number: u32) -> Option<&Event> {
        self.model.events.get(number as usize)
    }

    /// A call by its number; `None`: [`NONE`], or the log has no such call.
    pub(super) fn call_of(&self, number: u32) -> Option<&Call> {
        self.model.calls.get(number as usize)
    }

    /// The moment at an event.
    pub(super) fn moment(&self, number: u32) -> Option<Moment> {
        let event = self.event(number)?;
        Some(Moment {
            stream: event.stream,
            call: event.call,
            at: number,
        })
    }

    /// The call of the text that an event belongs to, by the own name of what it calls, and the spot at that event.
    pub(super) fn call_text(&self, event: u32) -> Option<(Spot, Box<CallText>)> {
        let (script, LoggedPlace::Call(call)) = self.place(self.event(event)?.site)? else {
            return None;
        };
        let moment = self.moment(event)?;
        let spot = Spot { script, moment };
        let call = self.by_own_name(spot, &call).map_or(call, Box::new);
        Some((spot, call))
    }

    /// The call of the text at a site, and its script.
    pub(super) fn call_text_at(&self, site: SiteId) -> Option<(usize, Box<CallText>)> {
        match self.place(site)? {
            (script, LoggedPlace::Call(call)) => Some((script, call)),
            _ => None,
        }
    }

    /// The call of the text that gave an object first: the event behind it, and the spot there.
    pub(super) fn first_given_by(
        &self,
        stream: u16,
        object: u32,
    ) -> Option<(u32, Spot, Box<CallText>)> {
        let (event, Kind::CallEnd) = self.seen_first(stream, object)? else {
            return None;
        };
        let (spot, call) = self.call_text(event)?;
        Some((event, spot, call))
    }

    /// The call that an object was seen first as an argument of, which nothing in the text handed over.
    pub(super) fn given_first_to(&self, stream: u16, object: u32) -> Option<u32> {
        let seen = self.model.object(stream, object)?.seen;
        let event = self.event(seen)?;
        // Arguments are told behind the beginning of the call: with the event that comes next.
        let around = self.call_of(event.call).map(|call| call.parent);
        [Some(event.call), around]
            .into_iter()
            .flatten()
            .find(|&number| {
                let passed = self
                    .call_of(number)
                    .and_then(|call| self.model.arguments_of(call));
                let mut passed = passed.unwrap_or_default().iter();
                passed.any(|value| value.object().is_some_and(|id| id.0 == object))
            })
    }

    /// Where a function that was resumed at an event was suspended.
    pub(super) fn suspended_before(&self, resumed: u32) -> Option<u32> {
        let call = self.event(resumed)?.call;
        (0..resumed).rev().find(|&number| {
            self.event(number)
                .is_some_and(|event| event.kind == Kind::Suspend && event.call == call)
        })
    }

    /// The last event of a site in a call before a moment.
    pub(super) fn last_at(&self, site: SiteId, kind: Kind, moment: Moment) -> Option<u32> {
        let events = self.events.get(&site.0)?;
        let until = events.partition_point(|&event| event < moment.at);
        let before = events.get(..until)?.iter().rev();
        let is_it = |number: &&u32| {
            self.event(**number).is_some_and(|event| {
                event.kind == kind && event.call == moment.call && event.stream == moment.stream
            })
        };
        before.copied().find(|number| is_it(&number))
    }

    /// The calls that were made between two events, at one place of one call.
    pub(super) fn calls_at(&self, parent: u32, site: SiteId, from: u32, to: u32) -> Vec<u32> {
        let numbers = self.all_calls_at((parent, site), from, to);
        // What is called is read first, which may call a getter.
        let is_called = |number: &u32| !self.is_getter(*number) && !self.is_asked_for_ours(*number);
        numbers.filter(is_called).collect()
    }

    /// The only getter that was called at a call of the text that called nothing else: `f.call(object)` calls it by
    /// itself.
    pub(super) fn getter_called_at(&self, came: &CameBack) -> Option<u32> {
        let site = self.event(came.end)?.site;
        let parent = self.moment(came.end)?.call;
        let all = self.all_calls_at((parent, site), came.step, came.end);
        let mut getters = all.filter(|number| self.is_getter(*number));
        let only = getters.next().filter(|_| came.calls.is_empty())?;
        getters.next().is_none().then_some(only)
    }

    fn all_calls_at(
        &self,
        (parent, site): (u32, SiteId),
        from: u32,
        to: u32,
    ) -> impl Iterator<Item = u32> {
        let calls = &self.model.calls;
        let first = calls.partition_point(|call| call.enter <= from);
        let last = calls.partition_point(|call| call.enter < to);
        let numbers = (first..last).filter_map(|number| u32::try_from(number).ok());
        numbers.filter(move |&number| {
            self.call_of(number)
                .is_some_and(|call| call.parent == parent && call.site == site)
        })
    }

    fn is_getter(&self, number: u32) -> bool {
        self.function_kind(number) == Some(FunctionKind::Getter)
    }

    /// Whether a call is the trap of a proxy that a `with` asked for a name of ours.
    fn is_asked_for_ours(&self, number: u32) -> bool {
        let is_trap = self.may_be_trap(number, "has") || self.may_be_trap(number, "get");
        let call = self.call_of(number).filter(|_| is_trap);
        let arguments = call.and_then(|call| self.model.arguments_of(call));
        match (call, arguments.and_then(|arguments| arguments.get(1))) {
            (Some(call), Some(Seen::String(id))) => is_ours(self.model.text(call.stream, id.0)),
            _ => false,
        }
    }

    /// The last time that a call of the text came back before a moment.
    pub(super) fn came_back(&self, spot: Spot, call: &CallText) -> Option<CameBack> {
        let code = self.code(spot.script)?;
        let (at, name) = code.call(call.span)?;
        let site = self.site_at(spot.script, at, LoggedKind::Call, name)?;
        let end = self.last_at(site, Kind::CallEnd, spot.moment)?;
        self.came_back_at(site, end)
    }

    /// The call that came back at an event.
    pub(super) fn came_back_at(&self, site: SiteId, end: u32) -> Option<CameBack> {
        let moment = self.moment(end)?;
        // Where a chain ended before, `a?.f()` calls nothing: the step before, if there is one, is of another pass.
        let earlier = self.last_at(site, Kind::CallEnd, moment);
        let step = self.last_at(site, Kind::Step, moment);
        let step = step.filter(|step| earlier.is_none_or(|earlier| earlier < *step));
        let (step, calls) = match step {
            Some(step) => (step, self.calls_at(moment.call, site, step, end)),
            None => (end, Vec::new()),
        };
        let mut value = self.event(end)?.value;
        if value == Seen::Unknown {
            // What a function with hooks has returned is told where it returns.
            let last = calls.last().and_then(|&call| self.call_of(call));
            value = match last.map(|call| call.outcome) {
                Some(CallOutcome::Returned(value)) => value,
                _ => Seen::Unknown,
            };
        }
        Some(CameBack {
            step,
            end,
            calls,
            value,
        })
    }

    /// When what a built-in was given is read: before its call, or, where its own receiver or argument is a literal,
    /// behind that.
    pub(super) fn before_call(&self, stream: u16, object: u32, came: &CameBack) -> u32 {
        match self.seen_first(stream, object) {
            Some((made, _)) if made > came.step => came.end,
            _ => came.step,
        }
    }

    /// `this` of a call; of an arrow function that of the call around.
    pub(super) fn this_of(&self, number: u32) -> Option<Seen> {
        let mut number = number;
        for _ in 0..100 {
            let call = self.call_of(number)?;
            if call.this != Seen::Unknown {
                return Some(call.this);
            }
            let function = self.model.tables.function(call.function)?;
            if function.kind == FunctionKind::Constructor {
                return self.made_by(number);
            }
            let own = self.model.scope(call.stream, call.scope)?;
            let mut around = self.model.scope(call.stream, own.parent)?;
            while around.call == number {
                around = self.model.scope(call.stream, around.parent)?;
            }
            number = around.call;
        }
        None
    }

    /// The object that a constructor made, which `new` gave.
    fn made_by(&self, number: u32) -> Option<Seen> {
        let call = self.call_of(number)?;
        let site = SiteId(call.site.0.checked_add(1)?);
        let events = self.events.get(&site.0)?;
        let behind = events.partition_point(|&event| event < call.enter);
        let is_it = |event: &&u32| {
            self.event(**event)
                .is_some_and(|event| event.kind == Kind::Create && event.call == call.parent)
        };
        let made = events.get(behind..)?.iter().find(is_it)?;
        self.event(*made).map(|event| event.owner)
    }

    /// The scope that was entered and holds the variables that are written in `declared`, as a moment sees it.
    pub(super) fn instance(&self, moment: Moment, declared: StaticScopeId) -> ScopeId {
        let mut around = Vec::new();
        let mut scope = declared;
        while let Some(it) = self.model.tables.scope(scope) {
            if around.contains(&scope) {
                break;
            }
            around.push(scope);
            scope = it.parent;
        }
        let mut chain = Vec::new();
        let own = self.call_of(moment.call).map(|call| call.scope);
        let mut instance = own.unwrap_or(ScopeId::NONE);
        while let Some(it) = self.model.scope(moment.stream, instance) {
            chain.push((it.of, instance));
            instance = it.parent;
            if chain.len() > 10_000 {
                break;
            }
        }
        for scope in around {
            // A block of this call, the last one that was entered.
            let blocks = self.entered.get(&(moment.call, scope.0));
            let block = blocks.and_then(|blocks| {
                blocks.iter().rev().find(|&&number| {
                    self.model
                        .scope(moment.stream, ScopeId(number))
                        .is_some_and(|it| it.entered <= moment.at)
                })
            });
            if let Some(&block) = block
                && moment.call != NONE
            {
                return ScopeId(block);
            }
            if let Some((_, instance)) = chain.iter().find(|(of, _)| *of == scope) {
                return *instance;
            }
        }
        ScopeId::NONE
    }
}
