//! What runs at a point, and what waits for what: tasks with the calls on their stacks, suspended functions, and the
//! promises that keep them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::promises::{Promises, Thing};
use super::{Asked, Found, MOST_EVENTS, display};
use crate::model::{Call, CallOutcome, Event, Kind, Model, NONE};

/// A row of an answer: an event, and how many rows it is below.
type Row = (u32, u32);

/// What is deeper is shown by itself.
const DEEPEST: u32 = 200;

/// The functions of `Promise` that wait for several.
const COMBINATORS: [&str; 4] = [
    "Promise.all",
    "Promise.allSettled",
    "Promise.any",
    "Promise.race",
];

impl Asked<'_> {
    /// What runs and what waits just before a point.
    pub(super) fn running(&self, at: u32, found: &mut Found) {
        let waiting = Waiting::at(self, at);
        for stream in waiting.idle() {
            // A realm goes by the script that ran first in it.
            let first = self.model.calls.iter().find(|call| call.stream == stream);
            let script =
                first.and_then(|call| display::function_location(self.model, call.function));
            if let Some(script) = script {
                found.note(format!("nothing runs there in the realm of {}", script.url));
            }
        }
        for (number, depth) in waiting.rows() {
            let mut event = self.event(number);
            if let Some(event) = &mut event {
                event.depth = Some(depth);
            }
            found.add(event);
        }
    }

    /// The same as SQL.
    pub(super) fn running_tree_sql(&self, at: u32) -> String {
        const COLUMNS: &str = "seq, kind, function, file, line, name, value, level";
        let calls = format!(
            "-- The calls among them: SELECT * FROM calls WHERE {}",
            self.running_sql(at)
        );
        let rows: Vec<String> = (0_u32..)
            .zip(Waiting::at(self, at).rows())
            .map(|(place, (seq, depth))| format!("({place}, {seq}, {depth})"))
            .collect();
        if rows.is_empty() {
            return format!(
                "SELECT seq, kind, function, file, line, name, value\nFROM events\nWHERE false\n{calls}"
            );
        }
        format!(
            "WITH shown(place, seq, level) AS (VALUES {})\nSELECT {COLUMNS}\nFROM shown JOIN events USING (seq)\n\
             ORDER BY place\n{calls}",
            rows.join(", ")
        )
    }
}

/// What is known just before a point.
struct Waiting<'m> {
    model: &'m Model,
    /// The calls that have begun and not ended.
    open: Vec<u32>,
    /// What suspended calls wait at: the event, by call.
    suspended: BTreeMap<u32, u32>,
    /// The task that runs, by realm.
    tasks: BTreeMap<u16, u32>,
    /// The realms in which something has happened.
    realms: BTreeSet<u16>,
    promises: Promises<'m>,
}

impl<'m> Waiting<'m> {
    fn at(asked: &Asked<'m>, at: u32) -> Self {
        let model = asked.model;
        let is_open = asked.running_at(at);
        let open = model.calls.iter().zip(0_u32..);
        let open = open
            .filter(|(call, _)| is_open(call))
            .map(|(_, number)| number);
        let mut waiting = Self {
            model,
            open: open.collect(),
            suspended: BTreeMap::new(),
            tasks: BTreeMap::new(),
            realms: BTreeSet::new(),
            promises: Promises::new(model, at),
        };
        let realms = model.realms_of_run_at(at);
        let is_of_run = |event: &Event| realms.as_ref().is_none_or(|it| it.contains(&event.stream));
        let before = model.events.iter().zip(0..at);
        for (event, number) in before.filter(|(event, _)| is_of_run(event)) {
            waiting.event(event, number);
        }
        let open: HashSet<u32> = waiting.open.iter().copied().collect();
        waiting.suspended.retain(|call, _| open.contains(call));
        waiting
    }

    fn event(&mut self, event: &Event, number: u32) {
        let stream = event.stream;
        self.realms.insert(stream);
        match event.kind {
            Kind::Task => {
                self.tasks.insert(stream, number);
            }
            Kind::TaskEnd => {
                self.tasks.remove(&stream);
            }
            Kind::Suspend if event.call != NONE => {
                self.suspended.insert(event.call, number);
            }
            Kind::Resume => {
                let awaited = self.suspended.remove(&event.call);
                if let Some(promise) = awaited.and_then(|it| self.awaited(it)) {
                    self.promises.settle(promise, number);
                }
            }
            _ => self.promises.event(event, number),
        }
    }

    /// Of several realms those in which nothing runs.
    fn idle(&self) -> impl Iterator<Item = u16> {
        let are_several = self.realms.len() > 1;
        let idle = self.realms.iter().copied();
        idle.filter(move |stream| are_several && !self.tasks.contains_key(stream))
    }

    /// The promise for which a function was suspended.
    fn awaited(&self, suspended: u32) -> Option<Thing> {
        let event = self.model.events.get(suspended as usize)?;
        self.promises.promise(event.stream, event.value)
    }

    /// All that runs and waits.
    fn rows(&self) -> Vec<Row> {
        let waiters: Vec<Waiter> = self.waiters().collect();
        // What another one waits for is below that one.
        let mut all = Tree::default();
        for &waiter in &waiters {
            self.of_waiter(waiter, &mut all);
        }
        let (top, below): (Vec<Waiter>, Vec<Waiter>) = waiters
            .into_iter()
            .partition(|waiter| !all.below.contains(&waiter.event));
        let mut tree = Tree {
            rows: self.stacks(),
            ..Tree::default()
        };
        tree.shown = tree.rows.iter().map(|(event, _)| *event).collect();
        // Some wait for each other, or are too deep; those are begun at their other end.
        for waiter in top.into_iter().chain(below.into_iter().rev()) {
            self.of_waiter(waiter, &mut tree);
        }
        tree.rows
    }

    /// Suspended calls, and reactions whose promises are not settled.
    fn waiters(&self) -> impl Iterator<Item = Waiter> {
        let calls = self.suspended.keys().filter_map(|&call| {
            let event = self.promises.call(call)?.enter;
            Some(Waiter {
                event,
                waits_for: WaitsFor::Call(call),
            })
        });
        // Of a function that runs the reaction is over.
        let on_stack = self
            .open
            .iter()
            .filter(|it| !self.suspended.contains_key(it));
        let first =
            on_stack.filter(|&&it| self.promises.call(it).is_some_and(|it| it.parent == NONE));
        let react: HashSet<u32> = first
            .filter_map(|&it| self.model.handed_over_at(it))
            .collect();
        let reactions = self.promises.reactions.iter().filter_map(move |&event| {
            let own = self.promises.owner(event)?;
            let is_pending = self.promises.is_observed(own)
                && !self.promises.is_settled(own)
                && !react.contains(&event);
            is_pending.then_some(Waiter {
                event,
                waits_for: WaitsFor::Promise(own),
            })
        });
        calls.chain(reactions)
    }

    fn of_waiter(&self, waiter: Waiter, tree: &mut Tree) {
        if !tree.add(waiter.event, 0) {
            return;
        }
        match waiter.waits_for {
            WaitsFor::Call(call) => self.of_call(call, 1, tree),
            WaitsFor::Promise(promise) => self.of_promise(promise, 1, tree),
        }
    }

    /// The tasks that run, each with the calls on its stack; what is open and belongs to none comes first.
    fn stacks(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let on_stack = |stream: Option<u16>| {
            self.open.iter().filter_map(move |&number| {
                let call = self.promises.call(number)?;
                let stream_of = self.tasks.contains_key(&call.stream).then_some(call.stream);
                (stream_of == stream && !self.suspended.contains_key(&number)).then_some(call.enter)
            })
        };
        rows.extend(on_stack(None).map(|enter| (enter, 0)));
        for (&stream, &task) in &self.tasks {
            rows.push((task, 0));
            rows.extend(on_stack(Some(stream)).zip(1..));
        }
        rows
    }

    /// What a suspended call waits for.
    fn of_call(&self, call: u32, depth: u32, tree: &mut Tree) {
        let Some(&suspended) = self.suspended.get(&call) else {
            return;
        };
        if !tree.add(suspended, depth) {
            return;
        }
        if let Some(promise) = self.awaited(suspended) {
            self.of_promise(promise, depth + 1, tree);
        }
    }

    /// Why a promise is not settled.
    fn of_promise(&self, promise: Thing, depth: u32, tree: &mut Tree) {
        if self.promises.is_settled(promise) {
            return;
        }
        let Some((given, event)) = self.promises.given(promise) else {
            return;
        };
        if let Some(number) = self.promises.called(given, event) {
            let call = self.promises.call(number);
            if call.is_some_and(|call| tree.add(call.enter, depth)) {
                self.of_running(number, depth + 1, tree);
            }
            return;
        }
        let name = self.promises.name(event.site);
        // Of `new Promise` what it made is told behind the call.
        let made = self.model.events.get(given as usize + 1);
        let is_made = made.is_some_and(|it| it.kind == Kind::Create && it.owner == event.value);
        if !tree.add(given + u32::from(is_made), depth) {
            return;
        }
        if let Some(own) = self.promises.owner(given) {
            if self.promises.is_settled(own) {
                // What the reaction gave is waited for.
                let number = self.promises.reaction_to(given, own);
                let call = number.and_then(|number| self.promises.call(number));
                if let (Some(number), Some(call)) = (number, call)
                    && tree.add(call.enter, depth + 1)
                {
                    self.of_running(number, depth + 2, tree);
                }
            } else {
                self.of_promise(own, depth + 1, tree);
            }
        } else if COMBINATORS.contains(&name) {
            for (element, call) in self.promises.elements(given, event) {
                match call {
                    Some(call) if self.promises.given(element).is_none() => {
                        self.of_element(call, depth + 1, tree);
                    }
                    _ => self.of_promise(element, depth + 1, tree),
                }
            }
        } else if is_made {
            for event in self.promises.handed(given, event) {
                tree.add(event, depth + 1);
            }
        }
    }

    /// The call of an `async` function that a promise belongs to.
    fn of_element(&self, number: u32, depth: u32, tree: &mut Tree) {
        let waits = |call: &&Call| {
            let returned = match call.outcome {
                CallOutcome::Returned(value) => self.promises.promise(call.stream, value),
                _ => None,
            };
            self.promises.is_open(call) || returned.is_some_and(|it| !self.promises.is_settled(it))
        };
        let call = self.promises.call(number).filter(waits);
        if call.is_some_and(|call| tree.add(call.enter, depth)) {
            self.of_running(number, depth + 1, tree);
        }
    }

    /// What a call whose promise is awaited waits for itself.
    fn of_running(&self, number: u32, depth: u32, tree: &mut Tree) {
        let Some(call) = self.promises.call(number) else {
            return;
        };
        match call.outcome {
            _ if self.promises.is_open(call) => self.of_call(number, depth, tree),
            CallOutcome::Returned(value) => {
                if let Some(promise) = self.promises.promise(call.stream, value) {
                    self.of_promise(promise, depth, tree);
                }
            }
            _ => {}
        }
    }
}

/// Who waits: a suspended call, or a reaction.
#[derive(Clone, Copy)]
struct Waiter {
    /// The event that begins the call, or registers the reaction.
    event: u32,
    waits_for: WaitsFor,
}

#[derive(Clone, Copy)]
enum WaitsFor {
    /// For what that call waits for.
    Call(u32),
    Promise(Thing),
}

/// Rows that are below one another. What is below an event is there once.
#[derive(Default)]
struct Tree {
    rows: Vec<Row>,
    shown: HashSet<u32>,
    /// The events that are below others.
    below: HashSet<u32>,
}

impl Tree {
    /// Whether it is new, so that what is below it follows.
    fn add(&mut self, event: u32, depth: u32) -> bool {
        let is_new = self.shown.insert(event);
        if depth > 0 {
            self.below.insert(event);
        }
        if (is_new || depth > 0) && self.rows.len() <= MOST_EVENTS {
            self.rows.push((event, depth));
        }
        is_new && depth < DEEPEST
    }
}
