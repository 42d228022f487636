//! Which events a question asks for.

use querypoint::catalogue::{CatalogueKind, CatalogueLine};
use querypoint::events::LoggedEvent;
use querypoint::point::{Hit, ReproductionPoint};

use super::{Asked, Found, display};
use crate::ids::{FunctionId, SiteId};
use crate::model::{Call, Kind, NONE};

impl Asked<'_> {
    pub(super) fn find(
        &self,
        kind: &CatalogueKind,
        between: Option<(u32, u32)>,
        found: &mut Found,
    ) -> Result<(), String> {
        let model = self.model;
        let (first, last) = self.window;
        let within = |number: u32| {
            first <= number
                && number <= last
                && between.is_none_or(|(from, to)| from <= number && number <= to)
        };
        match kind {
            CatalogueKind::CallChain(point) => {
                let at = self.point(point)?;
                if at as usize >= model.events.len() {
                    found.note("nothing is running at the end of the log; give a point with --at");
                }
                let mut call = self.call_of(at);
                while let Some(it) = model.calls.get(call as usize) {
                    if within(it.enter) {
                        found.add(self.call_event(call));
                    }
                    call = it.parent;
                }
            }
            CatalogueKind::Where(Some(point)) => {
                let at = self.point(point)?;
                found.add(self.event(at));
            }
            CatalogueKind::Where(None) => {
                self.each(&within, found, |event| event.kind == Kind::Throw);
                self.note_untold_exceptions(&within, found);
            }
            CatalogueKind::State(reference) => {
                let at = self.point(&reference.point)?;
                let (stream, value) = self.value(reference, at)?;
                self.state(stream, value, at, found, false)?;
            }
            CatalogueKind::Contents(reference) => {
                let at = self.point(&reference.point)?;
                let (stream, value) = self.value(reference, at)?;
                self.state(stream, value, at, found, true)?;
            }
            CatalogueKind::CallsBefore(point) | CatalogueKind::CallsAfter(point) => {
                let at = self.point(point)?;
                let is_before = matches!(kind, CatalogueKind::CallsBefore(_));
                let parent = self.call_at(at);
                for (call, number) in model.calls.iter().zip(0..) {
                    let is_side = if is_before {
                        call.enter < at
                    } else {
                        call.enter > at
                    };
                    if call.parent == parent && is_side && within(call.enter) {
                        found.add(self.call_event(number));
                    }
                }
            }
            CatalogueKind::Arguments(point) => {
                let at = self.point(point)?;
                found.add(self.call_event(self.call_of(at)));
            }
            CatalogueKind::Returned(point) => {
                let at = self.point(point)?;
                if let Some(call) = model.calls.get(self.call_of(at) as usize) {
                    match call.exit {
                        NONE => found.note("the call has no end in the log"),
                        exit => found.add(self.event(exit)),
                    }
                }
            }
            CatalogueKind::Locals(point) => {
                let at = self.point(point)?;
                self.locals(at, found);
            }
            CatalogueKind::History(reference) => {
                let at = self.point(&reference.point)?;
                self.history(reference, at, &within, found)?;
            }
            CatalogueKind::ArgumentsOf(name) => {
                self.calls_of(name, &within, found, |_| true);
                self.library_calls(name, &within, found);
                self.unknown_name(name, found);
            }
            CatalogueKind::ReturnsOf(name) => {
                let mut exits: Vec<u32> = Vec::new();
                for call in self.named(name) {
                    let exit = call.exit;
                    if exit != NONE && within(exit) {
                        exits.push(exit);
                    }
                }
                exits.sort_unstable();
                for exit in exits {
                    found.add(self.event(exit));
                }
                self.library_calls(name, &within, found);
                self.unknown_name(name, found);
            }
            CatalogueKind::Instances(class) => self.instances(class, &within, found),
            CatalogueKind::Running(point) => {
                self.running(self.point(point)?, found);
            }
            CatalogueKind::CallTree(point) => {
                let at = self.point(point)?;
                self.tree(self.call_of(at), &within, found);
            }
            CatalogueKind::WasEvaluated(line) => self.was_evaluated(line, &within, found),
            CatalogueKind::WasCalled(name) => {
                self.calls_of(name, &within, found, |_| true);
                self.library_calls(name, &within, found);
                found.holds = Some(found.total > 0);
                self.unknown_name(name, found);
            }
            CatalogueKind::WasAssigned(target, value) => {
                self.each(&within, found, |event| {
                    let is_kind = match target.is_property {
                        true => matches!(event.kind, Kind::Write | Kind::WriteEntry),
                        false => event.kind == Kind::Assign,
                    };
                    if !is_kind {
                        return false;
                    }
                    let name = match target.is_property {
                        true => model.keys.get(event.key as usize).map(display::key_text),
                        false => model.site(event.site).map(|site| site.name.clone()),
                    };
                    name.as_deref() == Some(&*target.name)
                        && value.as_ref().is_none_or(|value| {
                            *value == crate::model::text(model, event.stream, event.value)
                        })
                });
                found.holds = Some(found.total > 0);
            }
            CatalogueKind::Exists(class) => {
                self.instances(class, &within, found);
                found.holds = Some(found.total > 0);
            }
            CatalogueKind::WasCaught(class) => {
                for number in self.caught(class).into_iter().filter(|it| within(*it)) {
                    found.add(self.event(number));
                }
                found.holds = Some(found.total > 0);
            }
            CatalogueKind::IsRunning(name) => {
                self.calls_of(name, &within, found, self.running_at(self.at));
                found.holds = Some(found.total > 0);
                self.unknown_name(name, found);
            }
            CatalogueKind::HasEnded(name) => {
                self.calls_of(name, &within, found, self.running_at(self.at));
                let has_begun = self.named(name).any(|call| call.enter < self.at);
                found.holds = Some(has_begun && found.total == 0);
                self.unknown_name(name, found);
            }
        }
        Ok(())
    }

    /// All events of which `is_asked` says yes.
    fn each(
        &self,
        within: &dyn Fn(u32) -> bool,
        found: &mut Found,
        is_asked: impl Fn(&crate::model::Event) -> bool,
    ) {
        for (event, number) in self.model.events.iter().zip(0..) {
            if within(number) && is_asked(event) {
                found.add(self.event(number));
            }
        }
    }

    /// The functions of a name: the whole of it, or what is behind its class; else those that are reached by it.
    pub(super) fn functions(&self, name: &str) -> Vec<FunctionId> {
        let tables = &self.model.tables;
        let named = tables.functions.iter().zip(1..).filter(|(function, _)| {
            let own = function.name.as_str();
            own == name || own.rsplit_once('.').is_some_and(|(_, last)| last == name)
        });
        let named: Vec<FunctionId> = named.map(|(_, number)| FunctionId(number)).collect();
        match name.contains('.') && named.is_empty() {
            true => {
                let names: Vec<&str> = name.split('.').collect();
                self.paths().functions_at(&names)
            }
            false => named,
        }
    }

    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Call> {
        let functions = self.functions(name);
        self.model
            .calls
            .iter()
            .filter(move |call| functions.contains(&call.function))
    }

    /// Whether a call has begun and not ended at a point; one that is suspended runs. The run before has ended.
    pub(super) fn running_at(&self, at: u32) -> impl Fn(&Call) -> bool + use<> {
        let realms = self.model.realms_of_run_at(at);
        move |call| {
            let is_open = call.enter < at && (call.exit == NONE || call.exit >= at);
            let is_of_run = realms.as_ref().is_none_or(|it| it.contains(&call.stream));
            is_open && is_of_run
        }
    }

    fn calls_of(
        &self,
        name: &str,
        within: &dyn Fn(u32) -> bool,
        found: &mut Found,
        is_asked: impl Fn(&Call) -> bool,
    ) {
        let enters: Vec<u32> = self
            .named(name)
            .filter(|call| is_asked(call))
            .map(|call| call.enter)
            .collect();
        for enter in enters.into_iter().filter(|&enter| within(enter)) {
            found.add(self.event(enter));
        }
    }

    /// Calls of code without hooks, by the last word of what is called.
    fn library_calls(&self, name: &str, within: &dyn Fn(u32) -> bool, found: &mut Found) {
        let is_it = |site: SiteId| {
            self.model.site(site).is_some_and(|site| {
                let shown = site.shown();
                shown == name || shown.rsplit_once('.').is_some_and(|(_, last)| last == name)
            })
        };
        if !self.functions(name).is_empty() {
            return;
        }
        self.each(within, found, |event| {
            event.kind == Kind::CallEnd && is_it(event.site)
        });
    }

    fn unknown_name(&self, name: &str, found: &mut Found) {
        if self.functions(name).is_empty() && found.total == 0 {
            found.note(format!("no recorded script has or calls a function {name}"));
        }
    }

    fn was_evaluated(&self, line: &CatalogueLine, within: &dyn Fn(u32) -> bool, found: &mut Found) {
        let at = ReproductionPoint::Location {
            file: line.file.clone(),
            line: line.line,
            column: None,
            hit: Hit(-1),
        };
        for number in self.evaluated(&at, line.line) {
            if within(number) {
                found.add(self.event(number));
            }
        }
        self.count_decisions(found);
        found.holds = Some(found.total > 0);
        let tables = &self.model.tables;
        let is_known = tables.sites.iter().any(|site| {
            site.line == line.line
                && tables
                    .script(site.script)
                    .is_some_and(|script| at.matches_url(&script.url))
        });
        if !is_known {
            found.holds = None;
            found.is_partial = true;
            found.note("nothing on that line is recorded: whether it was evaluated is not known");
        }
    }

    /// The calls below one, with how deep they are; without one those that nothing called. Each comes right after the
    /// one that made it and what is below its elder siblings, also where it was made after an `await`, when others ran.
    fn tree(&self, root: u32, within: &dyn Fn(u32) -> bool, found: &mut Found) {
        let calls = &self.model.calls;
        let base = calls.get(root as usize).map_or(0, |call| call.depth);
        let (first, next) = self.family();
        let number = |index: usize| u32::try_from(index).unwrap_or(NONE);
        // What is still to be shown, the nearest last.
        let mut ahead: Vec<u32> = match root {
            NONE => (0..calls.len())
                .rev()
                .map(number)
                .filter(|call| self.is_called_by_nothing(*call))
                .collect(),
            root => vec![root],
        };
        while let Some(shown) = ahead.pop() {
            let Some(call) = calls.get(shown as usize) else {
                continue;
            };
            if within(call.enter) {
                let event = self.call_event(shown).map(|event| LoggedEvent {
                    depth: Some(call.depth.saturating_sub(base)),
                    ..event
                });
                found.add(event);
            }
            let elder = ahead.len();
            let mut child = first.get(shown as usize).copied().unwrap_or(NONE);
            while child != NONE {
                ahead.push(child);
                child = next.get(child as usize).copied().unwrap_or(NONE);
            }
            if let Some(children) = ahead.get_mut(elder..) {
                children.reverse();
            }
        }
    }

    /// The first call that each made, and the next one that the same call made; [`NONE`]: there is none.
    fn family(&self) -> (Vec<u32>, Vec<u32>) {
        let calls = &self.model.calls;
        let mut first = vec![NONE; calls.len()];
        let mut next = vec![NONE; calls.len()];
        for (index, call) in calls.iter().enumerate().rev() {
            if let Some(first) = first.get_mut(call.parent as usize)
                && let Some(next) = next.get_mut(index)
            {
                *next = std::mem::replace(first, u32::try_from(index).unwrap_or(NONE));
            }
        }
        (first, next)
    }

    fn is_called_by_nothing(&self, call: u32) -> bool {
        let calls = &self.model.calls;
        calls
            .get(call as usize)
            .is_some_and(|call| calls.get(call.parent as usize).is_none())
    }
}
