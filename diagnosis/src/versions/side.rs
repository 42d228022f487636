//! One side of a comparison: a call in its log, what it left behind, and what it did that no log shows.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use event_log::ids::ScopeId;
use event_log::model::{Call, CallOutcome, Event, Key, Kind, Model, text};
use event_log::record::DATE_VALUE;
use event_log::tables::{Function, FunctionKind, SiteKind};
use event_log::value::Value;

use super::built_ins::{
    GIVING_TEXTS, HARMLESS, LOOK_UPS, READING_METHODS, TELLING, WRITING_METHODS,
};
use crate::log::LogTree;
use crate::state::{self, Field, is_message, is_old, properties};
use crate::tree::NodeId;

/// A call in its log.
pub(crate) struct Side<'l> {
    pub(super) log: &'l LogTree<'l>,
    pub(super) node: NodeId,
    pub(super) exit: u32,
    /// Objects that were made during the call.
    made: BTreeSet<u32>,
    /// Objects that code without hooks gave, and that were told with what is inside them.
    told: BTreeSet<u32>,
    /// Objects of the page that the call met first, where it looked for them.
    found: BTreeSet<u32>,
    /// Whether something below was suspended, so that other code ran meanwhile.
    waits: bool,
    /// The events of the call, and of all below it.
    events: Vec<u32>,
}

impl<'l> Side<'l> {
    /// Reads what a call did.
    pub(crate) fn new(log: &'l LogTree<'l>, node: NodeId) -> Self {
        let exit = log.last_end(node);
        let events: Vec<u32> = log.events_below(node, exit).collect();
        let model = log.model();
        let of_kind = |is_it: &dyn Fn(&Event) -> bool| -> BTreeSet<u32> {
            let own = events
                .iter()
                .filter_map(|&it| model.events.get(it as usize));
            own.filter(|event| is_it(event))
                .filter_map(|event| event.owner.object().map(|it| it.0))
                .collect()
        };
        let looked_up = events.iter().filter_map(|&it| {
            let event = model.events.get(it as usize)?;
            let name = log.callee(event.site);
            let is_look_up = event.kind == Kind::CallEnd && LOOK_UPS.contains(&name);
            is_look_up.then(|| event.value.object().map(|it| it.0))?
        });
        let found: BTreeSet<u32> = looked_up.collect();
        let tells = |event: &Event| event.kind == Kind::Contents || is_telling(model, event);
        Self {
            log,
            node,
            exit,
            made: of_kind(&|event| event.kind == Kind::Create),
            told: of_kind(&tells),
            found,
            waits: events
                .iter()
                .filter_map(|&it| model.events.get(it as usize))
                .any(|event| event.kind == Kind::Suspend),
            events,
        }
    }

    /// The log that the call is in.
    pub(crate) const fn log(&self) -> &'l LogTree<'l> {
        self.log
    }

    /// The call.
    pub(crate) const fn node(&self) -> NodeId {
        self.node
    }

    /// Behind its last event.
    pub(crate) const fn exit(&self) -> u32 {
        self.exit
    }

    /// Whether something below was suspended.
    pub(crate) const fn waits(&self) -> bool {
        self.waits
    }

    /// The call and those below it.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &'l Call> + '_ {
        let below = self.log.tree().subtree(self.node);
        below.filter_map(|it| self.log.call(NodeId(it)))
    }

    /// What left it as an exception.
    pub(crate) fn thrown(&self) -> Option<Value> {
        self.log.thrown(self.node)
    }

    /// The model of its log.
    pub(crate) const fn model(&self) -> &'l Model {
        self.log.model()
    }

    /// An event by its number.
    pub(super) fn event(&self, number: u32) -> Option<&'l Event> {
        self.model().events.get(number as usize)
    }

    /// Whether an object was there before the call.
    pub(super) fn is_old(&self, object: u32) -> bool {
        let call = self.log.call(self.node);
        !self.made.contains(&object) && call.is_some_and(|call| is_old(self.model(), call, object))
    }

    /// Whether an object is one of the page that the call met first, where it looked for it.
    pub(super) fn is_found(&self, object: u32) -> bool {
        self.found.contains(&object) && !self.made.contains(&object) && !self.is_old(object)
    }

    /// The objects of the page that the call met first, where it looked for them.
    pub(super) fn found_objects(&self) -> impl Iterator<Item = u32> + '_ {
        let all = self.found.iter().copied();
        all.filter(|it| self.is_found(*it))
    }

    /// What the call, and all below it, wrote to an object: the keys.
    pub(super) fn keys_written(&self, object: u32) -> BTreeSet<Key> {
        let events = self.events.iter().filter_map(|&it| self.event(it));
        let own = events.filter(|event| {
            let is_write = matches!(event.kind, Kind::Write | Kind::WriteEntry);
            is_write && event.owner.object().is_some_and(|it| it.0 == object)
        });
        let keys = own.filter_map(|event| self.model().keys.get(event.key as usize));
        keys.map(plain).collect()
    }

    /// What it handed out, if it is a generator.
    pub(crate) fn handed_out(&self) -> Vec<Value> {
        let call = self.log.call(self.node);
        let function = call.and_then(|it| self.model().tables.function(it.function));
        if !function.is_some_and(|it| it.is_generator) {
            return Vec::new();
        }
        let number = self.log.call_number(self.node);
        let own = self.events.iter().filter_map(|&it| self.event(it));
        own.filter(|event| event.kind == Kind::Suspend && Some(event.call) == number)
            .map(|event| event.value)
            .collect()
    }

    /// A call below that has not ended.
    pub(crate) fn unfinished(&self) -> Option<String> {
        let model = self.model();
        let below = self.log.tree().subtree(self.node);
        let mut calls = below.filter_map(|node| self.log.call(NodeId(node)));
        let open = calls.find(|call| call.outcome == CallOutcome::Open)?;
        let name = model
            .tables
            .function(open.function)
            .map(|it| it.name.as_str());
        Some(format!(
            "{} has no end in the log",
            name.filter(|it| !it.is_empty()).unwrap_or("a function")
        ))
    }

    /// Calls of code without hooks whose effect the log may not have: what was called, by the events of their ends.
    pub(crate) fn hidden_effects(&self) -> Hidden<'l> {
        let model = self.model();
        // The calls that are under way, by function and place: whether a function with hooks was called there, and the
        // event with which they began.
        let mut entered: HashMap<(u32, u32), (bool, u32)> = HashMap::new();
        let mut found = Hidden::default();
        for &number in &self.events {
            let Some(event) = self.event(number) else {
                continue;
            };
            match event.kind {
                Kind::Gap => found.has_trouble("a part of the log is missing"),
                Kind::Step => {
                    entered.insert((event.call, event.site.0), (false, number));
                }
                Kind::Call => {
                    if let Some(call) = model.calls.get(event.call as usize) {
                        entered.insert((call.parent, call.site.0), (true, number));
                    }
                }
                Kind::CallEnd => {
                    let place = (event.call, event.site.0);
                    let begun = entered.remove(&place);
                    let name = self.log.callee(event.site);
                    // A function with hooks was called; or none, for the chain ended before.
                    let is_hooked = match begun {
                        Some((is_hooked, from)) => is_hooked || self.only_calls(name, from, number),
                        None => name.contains("?."),
                    };
                    if is_hooked {
                        continue;
                    }
                    if !self.is_harmless(name, number) {
                        found.calls.push((name, number));
                    }
                }
                Kind::Write | Kind::WriteEntry | Kind::Contents => {
                    let Some(object) = event.owner.object().map(|it| it.0) else {
                        continue;
                    };
                    // Where an error is met first its message is told, which nobody wrote then.
                    let is_known = is_message(model, event.key)
                        || self.made.contains(&object)
                        || self.told.contains(&object)
                        || self.found.contains(&object)
                        || self.is_old(object);
                    if !is_known {
                        found.has_trouble("it wrote to an object that the log had not seen before");
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Whether `f.call(…)` or `f.apply(…)`, between two events, did nothing but call a function with hooks: no other
    /// was called there, it was passed the same, and what it gave is what came of it.
    fn only_calls(&self, name: &str, from: u32, end: u32) -> bool {
        let method = name.rsplit('.').next().unwrap_or_default();
        let (true, Some(event)) = (matches!(method, "call" | "apply"), self.event(end)) else {
            return false;
        };
        let model = self.model();
        let first = model.calls.partition_point(|it| it.enter < from);
        let between = model.calls.iter().skip(first);
        let between = between.take_while(|it| it.enter < end);
        let mut called = between.filter(|it| it.parent == event.call);
        let (Some(only), None) = (called.next(), called.next()) else {
            return false;
        };
        let passed = model.library_arguments_of(end).unwrap_or_default();
        let is_passed = method == "apply"
            || passed.get(1..).unwrap_or_default() == model.arguments_of(only).unwrap_or_default();
        is_passed && only.outcome == CallOutcome::Returned(event.value)
    }

    /// Whether something else wrote a field or variable while the call waited.
    pub(super) fn is_written_meanwhile(&self, is_it: &dyn Fn(&Event) -> bool) -> bool {
        let Some(call) = self.log.call(self.node).filter(|_| self.waits) else {
            return false;
        };
        let mut is_below = self.log.is_below(self.node);
        (call.enter..self.exit)
            .filter(|number| !is_below(number))
            .filter_map(|number| self.event(number))
            .any(is_it)
    }

    /// Whether the log has what a function wrote that tells it while it runs, by the event of its end. Of very many
    /// writes it tells the first.
    fn is_told_before(&self, end: u32) -> bool {
        const MOST_TOLD: usize = 100;
        let Some(site) = self.event(end).map(|it| it.site) else {
            return false;
        };
        let before = (0..end).rev().filter_map(|it| self.event(it));
        let of_call = before.take_while(|it| it.kind != Kind::Step || it.site != site);
        let writes = of_call.filter(|it| it.site == site && it.kind == Kind::Write);
        (1..MOST_TOLD).contains(&writes.take(MOST_TOLD).count())
    }

    /// Whether code without hooks changes nothing, or the log has what it changed.
    fn is_harmless(&self, callee: &str, number: u32) -> bool {
        let site = self.event(number).map(|it| it.site);
        let is_recorded = || {
            let mut behind = (number..number.saturating_add(4)).filter_map(|it| self.event(it));
            behind.any(|it| {
                Some(it.site) == site
                    && matches!(it.kind, Kind::Write | Kind::WriteEntry | Kind::Contents)
            })
        };
        let borrowed = callee.strip_suffix(".call").filter(|it| {
            it.contains(".prototype.") || ["[].", "{}."].iter().any(|of| it.starts_with(of))
        });
        let callee = borrowed.unwrap_or(callee);
        let name = callee.rsplit(['.', ']']).next().unwrap_or(callee);
        // A date of what it is given does not ask the clock.
        if callee == "Date"
            && self
                .model()
                .library_arguments_of(number)
                .is_some_and(|it| !it.is_empty())
        {
            return true;
        }
        if HARMLESS.contains(&callee) || READING_METHODS.contains(&name) && callee != name {
            return true;
        }
        let given = self.event(number).map(|it| it.value);
        let is_text = matches!(given, Some(Value::String(_) | Value::LongString { .. }));
        if GIVING_TEXTS.contains(&name) && callee != name && is_text {
            return true;
        }
        // What a text matches is a list of texts, or nothing; that of a cache is a promise.
        let is_list = given
            .and_then(Value::object)
            .is_some_and(|it| self.class(it.0) == "Array");
        if name == "match" && callee != name && (is_list || given == Some(Value::Null)) {
            return true;
        }
        if TELLING.contains(&callee) {
            return self.is_told_before(number);
        }
        if WRITING_METHODS.contains(&name) && callee != name {
            return is_recorded();
        }
        // A class of the page without a constructor of its own; a generator, which begins at its first step.
        let prefix = format!("{callee}.");
        let functions = &self.model().tables.functions;
        let is_generator = |it: &Function| {
            it.is_generator && it.name.rsplit('.').next().is_some_and(|own| own == name)
        };
        functions
            .iter()
            .any(|it| it.name.starts_with(&prefix) || is_generator(it))
    }
}

/// Whether an event tells what is inside of something that code without hooks gave.
fn is_telling(model: &Model, event: &Event) -> bool {
    if event.kind != Kind::Write || is_message(model, event.key) {
        return false;
    }
    let Some(site) = model.site(event.site) else {
        // What was waited for.
        return true;
    };
    let name = site.name.rsplit(['.', ']']).next().unwrap_or_default();
    site.kind == SiteKind::Call && !WRITING_METHODS.contains(&name) && name != "pop"
}

/// What a call may have done that its log does not have.
#[derive(Debug, Default)]
pub(crate) struct Hidden<'l> {
    /// Calls of code without hooks: what was called, by the events of their ends.
    pub(super) calls: Vec<(&'l str, u32)>,
    /// Why not all can be known.
    pub(super) trouble: Option<String>,
}

impl Hidden<'_> {
    /// Whether the log has all.
    pub(crate) fn is_nothing(&self) -> bool {
        self.calls.is_empty() && self.trouble.is_none()
    }

    fn has_trouble(&mut self, why: &str) {
        self.trouble.get_or_insert_with(|| why.to_owned());
    }
}

impl Side<'_> {
    /// Whether the log has all that an object holds that was not there before.
    pub(super) fn has_all_of(&self, object: u32) -> bool {
        if self.told.contains(&object) {
            return true;
        }
        let class = self.class(object);
        let is_own = || {
            let prefix = format!("{class}.");
            let functions = &self.model().tables.functions;
            functions.iter().any(|it| {
                it.name.starts_with(&prefix)
                    || it.kind == FunctionKind::Constructor && it.name == class
            })
        };
        self.made.contains(&object)
            && (matches!(class, "Object" | "Array" | "Map" | "Set") || is_own())
    }

    /// What the built-in constructor of an object was given.
    pub(super) fn made_of(&self, object: u32) -> Option<Vec<Value>> {
        let is_its = |event: &Event| {
            event.kind == Kind::CallEnd && event.value.object().is_some_and(|it| it.0 == object)
        };
        let mut numbers = self.events.iter().copied();
        let number = numbers.find(|&it| self.event(it).is_some_and(is_its))?;
        // Without arguments none are told.
        let given = self.model().library_arguments_of(number);
        Some(given.map(<[Value]>::to_vec).unwrap_or_default())
    }

    /// The message of an error that was met.
    pub(super) fn message_of(&self, error: u32) -> Option<String> {
        state::inner_state(self.model(), 0, error, self.exit)
    }

    /// The time of a date before an event; if it was not there then, the one that it was made with.
    pub(super) fn time_of(&self, date: u32, at: u32) -> Option<String> {
        state::inner_state(self.model(), 0, date, at)
    }

    /// What an object holds at the end of the call.
    pub(super) fn fields(&self, object: u32) -> BTreeMap<Key, Value> {
        let own = properties(self.model(), 0, object, self.exit).into_iter();
        let named = own
            .filter_map(|(key, value)| Some((plain(self.model().keys.get(key as usize)?), value)));
        named.collect()
    }

    /// The class of an object.
    pub(crate) fn class(&self, object: u32) -> &str {
        let class = self.model().object(0, object).map_or(0, |it| it.class);
        self.model().text(0, class)
    }

    /// A value in the words of a verdict.
    pub(super) fn shown(&self, value: Value) -> String {
        match value {
            Value::Object(id) => {
                let class = self.class(id.0);
                let object = if class.is_empty() { "Object" } else { class };
                match self.is_old(id.0) {
                    true => format!("{object} #{}", id.0),
                    false => format!("another {object}"),
                }
            }
            value => text(self.model(), 0, value),
        }
    }

    /// Whether it is the top of a script, which returns nothing.
    pub(super) fn is_script(&self) -> bool {
        let call = self.log.call(self.node);
        let function = call.and_then(|call| self.model().tables.function(call.function));
        function.is_some_and(|it| matches!(it.kind, FunctionKind::Script | FunctionKind::Module))
    }

    /// What a variable held at the end, by its name and the scope that was entered.
    pub(super) fn named_variable(&self, name: &str, scope: ScopeId) -> Option<Value> {
        let model = self.model();
        let variables = model.tables.variables.iter().zip(1..);
        let own = variables.filter(|(it, _)| it.name == name);
        let writes = own.filter_map(|(_, number)| {
            let writes = model.variables.get(&number)?;
            let before = writes.partition_point(|it| it.event < self.exit);
            let mut own = writes.get(..before)?.iter().rev();
            own.find(|it| it.scope == scope)
        });
        let last = writes.max_by_key(|it| it.event)?;
        Some(model.assigned(last))
    }

    /// The value that a field has behind the call; `None`: it is not in the log.
    pub(super) fn named_field(&self, object: u32, key: &Key) -> Option<Value> {
        let model = self.model();
        if matches!(key, Key::Property(name) if name == DATE_VALUE) {
            let key = model.keys.iter().position(|it| it == key)?;
            let key = u32::try_from(key).ok()?;
            return state::field(model, 0, Field { object, key }, self.exit);
        }
        let own = properties(model, 0, object, self.exit);
        let mut own = own.into_iter().filter(|&(number, _)| {
            model.keys.get(number as usize).map(plain).as_ref() == Some(key)
        });
        own.next().map(|(_, value)| value)
    }
}

/// A key that means the same in both logs: a symbol's number need not be.
pub(super) fn plain(key: &Key) -> Key {
    match key {
        Key::Symbol(_, _, description) => Key::Symbol(0, 0, description.clone()),
        key => key.clone(),
    }
}
