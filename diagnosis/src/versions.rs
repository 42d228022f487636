//! Whether another version of a function does the same as a call did, by the log of an execution in which that version
//! ran in the place of the call.
//!
//! Both executions are the same up to the call: that is checked, event by event. So the other version was given the very
//! values that the call was given, whatever they are, and numbers of objects that were there before mean the same in
//! both. What was made during the call is compared by its class and its fields.
//!
//! An answer is given only where the logs have all that it depends on; everything else is [`Verdict::Unknown`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use event_log::ids::ScopeId;
use event_log::model::{Call, CallOutcome, Event, Key, Kind, Model, text};
use event_log::tables::{Function, FunctionKind, SiteKind};
use event_log::value::Value;

use crate::log::LogTree;
use crate::state::{Cell, effects, is_old, properties};
use crate::tree::NodeId;

/// What another version says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does the same.
    Same,
    /// It does something else, and what.
    Different(String),
    /// It cannot be known, and why.
    Unknown(String),
}

/// Compares a call with what another version did in its place: `other` is the whole log of that execution.
#[must_use]
pub fn judge(log: &LogTree<'_>, node: NodeId, other: &LogTree<'_>) -> Verdict {
    let unknown = |why: &str| Verdict::Unknown(why.to_owned());
    let (Some(call), Some(number)) = (log.call(node), log.call_number(node)) else {
        return unknown("it is no call");
    };
    let (Some(its), Some(its_node)) =
        (other.model().calls.get(number as usize), other.node(number))
    else {
        return unknown("the executions are not the same up to the call");
    };
    if let Some(why) = parted(log.model(), other.model(), call.enter) {
        return Verdict::Unknown(format!(
            "the executions are not the same up to the call: {why}"
        ));
    }
    let (left, right) = (Side::new(log, node), Side::new(other, its_node));
    for side in [&left, &right] {
        if let Some(why) = side.unfinished() {
            return Verdict::Unknown(why);
        }
    }
    let mut matching = Matching {
        left: &left,
        right: &right,
        pairs: HashMap::new(),
        taken: HashMap::new(),
        doubt: None,
    };
    let hidden = (left.hidden_effects(), right.hidden_effects());
    let different = match (call.outcome, its.outcome) {
        (CallOutcome::Returned(_), CallOutcome::Returned(_)) if left.is_script() => None,
        (CallOutcome::Returned(one), CallOutcome::Returned(two)) => {
            matching.outcome("returned", one, two)
        }
        (CallOutcome::Threw, CallOutcome::Threw) => {
            match (log.thrown(node), other.thrown(its_node)) {
                (Some(one), Some(two)) => matching.outcome("threw", one, two),
                _ => {
                    matching.doubt("what was thrown is not recorded");
                    None
                }
            }
        }
        (CallOutcome::Threw, _) => Some("the good version throws nothing".to_owned()),
        (_, CallOutcome::Threw) => Some("the good version throws".to_owned()),
        (CallOutcome::Open, _) | (_, CallOutcome::Open) => {
            return unknown("the log has no end of the call");
        }
    };
    let different = different
        .or_else(|| matching.handed_out())
        .or_else(|| matching.hidden_effects(&hidden.0.calls, &hidden.1.calls))
        .or_else(|| matching.effects());
    if let Some(different) = different {
        // What came from elsewhere must be the same in both, or the difference may be one of chance.
        return match matching.given_by_others(&hidden.0.calls, &hidden.1.calls) {
            Some(why) => Verdict::Unknown(why),
            None => Verdict::Different(different),
        };
    }
    let trouble = hidden.0.trouble.or(hidden.1.trouble);
    match trouble.or(matching.doubt) {
        Some(why) => Verdict::Unknown(why),
        None => Verdict::Same,
    }
}

/// How two logs differ before an event, if they do.
fn parted(left: &Model, right: &Model, until: u32) -> Option<String> {
    if left.streams.len() > 1 || right.streams.len() > 1 {
        return Some("the page has several realms".to_owned());
    }
    let until = until as usize;
    let (Some(one), Some(two)) = (left.events.get(..=until), right.events.get(..=until)) else {
        return Some("the other has fewer events".to_owned());
    };
    let is_same = |(one, two): (&Event, &Event)| {
        one.kind == two.kind
            && one.call == two.call
            && same_before(left, right, one.value, two.value)
            && same_before(left, right, one.owner, two.owner)
            && match one.kind {
                Kind::Write | Kind::WriteEntry => {
                    left.keys.get(one.key as usize) == right.keys.get(two.key as usize)
                }
                _ => one.key == two.key,
            }
    };
    let parting = one.iter().zip(two).position(|pair| !is_same(pair));
    if let Some(number) = parting {
        return Some(format!("event {number} is another"));
    }
    // Arguments are no events.
    let calls = left.calls.iter().zip(&right.calls);
    let mut before = calls.take_while(|(one, _)| one.enter as usize <= until);
    let parting = before.any(|(one, two)| {
        let (these, those) = (left.arguments_of(one), right.arguments_of(two));
        let is_same = match (these, those) {
            (Some(these), Some(those)) => {
                these.len() == those.len()
                    && these
                        .iter()
                        .zip(those)
                        .all(|(&one, &two)| same_before(left, right, one, two))
            }
            (None, None) => true,
            _ => false,
        };
        !is_same || !same_before(left, right, one.this, two.this)
    });
    parting.then(|| "something else was passed".to_owned())
}

/// Whether two values are the same, where objects have the same numbers.
fn same_before(left: &Model, right: &Model, one: Value, two: Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => {
            one.to_bits() == two.to_bits() || (one.is_nan() && two.is_nan())
        }
        (Value::String(one), Value::String(two)) => left.text(0, one.0) == right.text(0, two.0),
        (Value::BigInt(one), Value::BigInt(two)) => left.text(0, one.0) == right.text(0, two.0),
        (
            Value::LongString { start, length },
            Value::LongString {
                start: other_start,
                length: other_length,
            },
        ) => length == other_length && left.text(0, start.0) == right.text(0, other_start.0),
        (one, two) => one == two,
    }
}

/// A call in its log.
pub(crate) struct Side<'l> {
    log: &'l LogTree<'l>,
    node: NodeId,
    exit: u32,
    /// Objects that were made during the call.
    made: BTreeSet<u32>,
    /// Objects that code without hooks gave, and that were told with what is inside them.
    told: BTreeSet<u32>,
    /// Whether something below was suspended, so that other code ran meanwhile.
    waits: bool,
    /// The events of the call, and of all below it.
    events: Vec<u32>,
}

impl<'l> Side<'l> {
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
        let tells = |event: &Event| event.kind == Kind::Contents || is_telling(model, event);
        Self {
            log,
            node,
            exit,
            made: of_kind(&|event| event.kind == Kind::Create),
            told: of_kind(&tells),
            waits: events
                .iter()
                .filter_map(|&it| model.events.get(it as usize))
                .any(|event| event.kind == Kind::Suspend),
            events,
        }
    }

    pub(crate) const fn log(&self) -> &'l LogTree<'l> {
        self.log
    }

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

    pub(crate) const fn model(&self) -> &'l Model {
        self.log.model()
    }

    fn event(&self, number: u32) -> Option<&'l Event> {
        self.model().events.get(number as usize)
    }

    fn is_old(&self, object: u32) -> bool {
        let call = self.log.call(self.node);
        !self.made.contains(&object) && call.is_some_and(|call| is_old(self.model(), call, object))
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
        // The calls that are under way, by function and place: whether a function with hooks was called there.
        let mut entered: HashMap<(u32, u32), bool> = HashMap::new();
        let mut found = Hidden::default();
        for &number in &self.events {
            let Some(event) = self.event(number) else {
                continue;
            };
            match event.kind {
                Kind::Gap => found.has_trouble("a part of the log is missing"),
                Kind::Step => {
                    entered.insert((event.call, event.site.0), false);
                }
                Kind::Call => {
                    if let Some(call) = model.calls.get(event.call as usize) {
                        entered.insert((call.parent, call.site.0), true);
                    }
                }
                Kind::CallEnd => {
                    let place = (event.call, event.site.0);
                    if entered.remove(&place) == Some(true) {
                        continue;
                    }
                    let name = model.site(event.site).map_or("", |it| it.name.as_str());
                    if !self.is_harmless(name, number) {
                        found.calls.push((name, number));
                    }
                }
                Kind::Write | Kind::WriteEntry | Kind::Contents => {
                    let Some(object) = event.owner.object().map(|it| it.0) else {
                        continue;
                    };
                    let is_known = self.made.contains(&object)
                        || self.told.contains(&object)
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

    /// Whether something else wrote a field or variable while the call waited.
    fn is_written_meanwhile(&self, is_it: &dyn Fn(&Event) -> bool) -> bool {
        let Some(call) = self.log.call(self.node).filter(|_| self.waits) else {
            return false;
        };
        let mut is_below = self.log.is_below(self.node);
        (call.enter..self.exit)
            .filter(|number| !is_below(number))
            .filter_map(|number| self.event(number))
            .any(is_it)
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
        let name = callee.rsplit(['.', ']']).next().unwrap_or(callee);
        if HARMLESS.contains(&callee) || READING_METHODS.contains(&name) && callee != name {
            return true;
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
    if event.kind != Kind::Write {
        return false;
    }
    let Some(site) = model.site(event.site) else {
        // What was waited for.
        return true;
    };
    let name = site.name.rsplit(['.', ']']).next().unwrap_or_default();
    site.kind == SiteKind::Call && !WRITING_METHODS.contains(&name) && name != "pop"
}

/// Functions whose effect is outside of the page's objects, and has nothing but their arguments: two calls with the same
/// have the same effect.
const OUTWARD: &[&str] = &[
    "cancelAnimationFrame",
    "clearInterval",
    "clearTimeout",
    "fetch",
    "localStorage.getItem",
    "localStorage.removeItem",
    "localStorage.setItem",
    "queueMicrotask",
    "requestAnimationFrame",
    "sessionStorage.getItem",
    "sessionStorage.removeItem",
    "sessionStorage.setItem",
    "setInterval",
    "setTimeout",
    "document.getElementById",
    "document.querySelector",
    "document.createElement",
    "document.createTextNode",
    "Promise.resolve",
    "Promise.reject",
    "Object.freeze",
    "Promise",
    "JSON.parse",
    "JSON.stringify",
    "Object.fromEntries",
    "structuredClone",
    "Symbol.for",
    "Number.prototype.toString.call",
    "Object.getPrototypeOf",
    "RegExp",
];

/// Functions of the language that change nothing, and whose result depends on nothing but what they are given.
const HARMLESS: &[&str] = &[
    "Array",
    "Array.from",
    "Array.isArray",
    "Array.of",
    "BigInt",
    "Boolean",
    "Error",
    "Map",
    "Math.abs",
    "Math.acos",
    "Math.asin",
    "Math.atan",
    "Math.atan2",
    "Math.cbrt",
    "Math.ceil",
    "Math.clz32",
    "Math.cos",
    "Math.exp",
    "Math.floor",
    "Math.fround",
    "Math.hypot",
    "Math.imul",
    "Math.log",
    "Math.log10",
    "Math.log2",
    "Math.max",
    "Math.min",
    "Math.pow",
    "Math.round",
    "Math.sign",
    "Math.sin",
    "Math.sqrt",
    "Math.tan",
    "Math.trunc",
    "Number",
    "Number.isFinite",
    "Number.isInteger",
    "Number.isNaN",
    "Number.isSafeInteger",
    "Number.parseFloat",
    "Number.parseInt",
    "Object.entries",
    "Object.is",
    "Object.keys",
    "Object.values",
    "RangeError",
    "ReferenceError",
    "Set",
    "String",
    "String.fromCharCode",
    "SyntaxError",
    "TypeError",
    "console.debug",
    "console.error",
    "console.info",
    "console.log",
    "console.warn",
    "isFinite",
    "isNaN",
    "parseFloat",
    "parseInt",
];

/// Methods that change nothing, whatever has them.
const READING_METHODS: &[&str] = &[
    "at",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "concat",
    "endsWith",
    "entries",
    "every",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flat",
    "flatMap",
    "forEach",
    "has",
    "hasOwnProperty",
    "includes",
    "indexOf",
    "join",
    "keys",
    "lastIndexOf",
    "localeCompare",
    "map",
    "padEnd",
    "padStart",
    "pop",
    "reduce",
    "reduceRight",
    "repeat",
    "slice",
    "some",
    "split",
    "startsWith",
    "substring",
    "toFixed",
    "toLowerCase",
    "toReversed",
    "toSorted",
    "toString",
    "toUpperCase",
    "trim",
    "trimEnd",
    "trimStart",
    "values",
    "get",
];

/// Methods whose writes are in the log where they are those of arrays, maps and sets.
const WRITING_METHODS: &[&str] = &[
    "add",
    "clear",
    "copyWithin",
    "delete",
    "fill",
    "push",
    "reverse",
    "set",
    "shift",
    "sort",
    "splice",
    "unshift",
];

/// What a call may have done that its log does not have.
#[derive(Debug, Default)]
pub(crate) struct Hidden<'l> {
    /// Calls of code without hooks: what was called, by the events of their ends.
    calls: Vec<(&'l str, u32)>,
    /// Why not all can be known.
    trouble: Option<String>,
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

struct Matching<'s> {
    left: &'s Side<'s>,
    right: &'s Side<'s>,
    /// Objects made in the one that stand for those made in the other.
    pairs: HashMap<u32, u32>,
    taken: HashMap<u32, u32>,
    /// Why it cannot be known whether all is the same.
    doubt: Option<String>,
}

impl Matching<'_> {
    fn doubt(&mut self, why: &str) {
        self.doubt.get_or_insert_with(|| why.to_owned());
    }

    fn outcome(&mut self, word: &str, one: Value, two: Value) -> Option<String> {
        let is_same = self.same(one, two);
        (!is_same).then(|| {
            let shown = self.right.shown(two);
            format!("the good version {word} {shown}")
        })
    }

    /// Compares what a generator handed out, one value after the other.
    fn handed_out(&mut self) -> Option<String> {
        let (these, those) = (self.left.handed_out(), self.right.handed_out());
        if these.len() != those.len() {
            return Some(format!("the good version hands out {} values", those.len()));
        }
        these
            .into_iter()
            .zip(those)
            .find_map(|(one, two)| self.outcome("hands out", one, two))
    }

    /// Code without hooks that gave something else to the one than to the other.
    fn given_by_others(&self, one: &[(&str, u32)], two: &[(&str, u32)]) -> Option<String> {
        let gave =
            |side: &Side<'_>, number: u32| side.event(number).map_or(Value::Unknown, |it| it.value);
        let is_same = |one: Value, two: Value| match (one, two) {
            (Value::Object(_), Value::Object(_)) => true,
            (one, two) => same_before(self.left.model(), self.right.model(), one, two),
        };
        let mut pairs = one.iter().zip(two);
        let other = pairs.find(|((name, at), (other, its))| {
            name != other || !is_same(gave(self.left, *at), gave(self.right, *its))
        });
        let longer = || one.get(two.len()).or(two.get(one.len()));
        let (name, _) = other.map(|(one, _)| one).or_else(longer)?;
        Some(format!("what {name} gave is not the same in both"))
    }

    /// Compares calls of code without hooks whose effect the log may not have.
    fn hidden_effects(&mut self, one: &[(&str, u32)], two: &[(&str, u32)]) -> Option<String> {
        let names = |calls: &[(&str, u32)]| -> Vec<String> {
            calls.iter().map(|(name, _)| (*name).to_owned()).collect()
        };
        if names(one) != names(two) {
            let differs = one.iter().zip(two).position(|(one, two)| one.0 != two.0);
            let at = differs.unwrap_or_else(|| one.len().min(two.len()));
            let name = one.get(at).or(two.get(at)).map_or("", |it| it.0);
            self.doubt(&format!("what {name} did is not in the log"));
            return None;
        }
        for (&(name, one), &(_, two)) in one.iter().zip(two) {
            if !OUTWARD.contains(&name) {
                self.doubt(&format!("what {name} did is not in the log"));
                continue;
            }
            let given = |side: &Side<'_>, number: u32| {
                let values = side.model().library_arguments_of(number);
                values.map(<[Value]>::to_vec).unwrap_or_default()
            };
            let (these, those) = (given(self.left, one), given(self.right, two));
            let before = self.doubt.clone();
            let is_same = these.len() == those.len()
                && these
                    .iter()
                    .zip(&those)
                    .all(|(&one, &two)| self.same(one, two));
            if !is_same {
                // Reading something else is no fault as such: what is made of it is compared.
                let reads = name.contains("get") || name.contains("query") || name.contains("JSON");
                match reads {
                    true => self.doubt = before,
                    false => {
                        return Some(format!("the good version calls {name} with something else"));
                    }
                }
            }
        }
        None
    }

    /// What was changed that was there before.
    fn effects(&mut self) -> Option<String> {
        let (left, right) = (self.left, self.right);
        let (one, two) = (
            effects(left.log, left.node, left.exit),
            effects(right.log, right.node, right.exit),
        );
        // Scopes that were entered before have the same numbers in both; variables need not.
        let variables = |side: &Side<'_>, cells: &BTreeSet<Cell>| {
            let named = cells.iter().filter_map(|it| {
                let variable = side.model().tables.variable(it.variable)?;
                Some((variable.name.clone(), it.scope))
            });
            named.collect::<BTreeSet<_>>()
        };
        let mut cells = variables(left, &one.cells);
        cells.extend(variables(right, &two.cells));
        for (name, scope) in cells {
            let is_it = |model: &Model, event: &Event| {
                let variable = model.site(event.site).map(|it| it.variable);
                let variable = variable.and_then(|it| model.tables.variable(it));
                event.kind == Kind::Assign
                    && event.key == scope.0
                    && variable.is_some_and(|it| it.name == name)
            };
            self.meanwhile(&name, is_it);
            let values = |side: &Side<'_>| side.named_variable(&name, scope);
            if let Some(different) = self.compare(&name, values(left), values(right)) {
                return Some(different);
            }
        }
        // Objects that were there before have the same numbers in both; keys need not.
        let keys = |side: &Side<'_>, fields: &BTreeSet<crate::state::Field>| {
            let named = fields.iter().filter_map(|it| {
                let key = side.model().keys.get(it.key as usize)?;
                side.is_old(it.object).then(|| (it.object, plain(key)))
            });
            named.collect::<BTreeSet<_>>()
        };
        let mut fields = keys(left, &one.fields);
        fields.extend(keys(right, &two.fields));
        for (object, key) in fields {
            if is_object_key(&key) {
                self.doubt("an object is the key of an entry");
                continue;
            }
            let is_it = |model: &Model, event: &Event| {
                let is_write = matches!(event.kind, Kind::Write | Kind::WriteEntry);
                let written = model.keys.get(event.key as usize).map(plain);
                event.owner.object().is_some_and(|it| it.0 == object)
                    && (event.kind == Kind::Contents || is_write && written.as_ref() == Some(&key))
            };
            let name = key_text(&key);
            self.meanwhile(&name, is_it);
            let values = |side: &Side<'_>| side.named_field(object, &key);
            if let Some(different) = self.compare(&name, values(left), values(right)) {
                return Some(different);
            }
        }
        None
    }

    /// A doubt, if something else wrote it while one of the calls waited.
    fn meanwhile(&mut self, name: &str, is_it: impl Fn(&Model, &Event) -> bool) {
        let is_written = [self.left, self.right]
            .into_iter()
            .any(|side| side.is_written_meanwhile(&|event| is_it(side.model(), event)));
        if is_written {
            self.doubt(&format!(
                "something else wrote {name} while the call waited"
            ));
        }
    }

    fn compare(&mut self, name: &str, one: Option<Value>, two: Option<Value>) -> Option<String> {
        let gone = |it: Option<Value>| it.unwrap_or(Value::Absent);
        let (one, two) = (gone(one), gone(two));
        let is_same = self.same(one, two);
        (!is_same).then(|| match two {
            Value::Absent => format!("the good version leaves no {name}"),
            two => format!(
                "the good version leaves {} in {name}",
                self.right.shown(two)
            ),
        })
    }

    /// Whether two values are the same. Where the logs do not know, that is a doubt, and they are taken for the same.
    fn same(&mut self, one: Value, two: Value) -> bool {
        match (one, two) {
            (Value::Unknown | Value::Accessor, _) | (_, Value::Unknown | Value::Accessor) => {
                self.doubt("a value is not recorded");
                true
            }
            (Value::Object(one), Value::Object(two)) => self.same_object(one.0, two.0),
            (Value::Function(one), Value::Function(two))
            | (Value::Symbol(one), Value::Symbol(two)) => {
                if self.left.is_old(one.0) && self.right.is_old(two.0) {
                    return one == two;
                }
                self.doubt("a function or symbol was made, and two of them cannot be compared");
                true
            }
            (
                Value::LongString { length, .. },
                Value::LongString {
                    length: other_length,
                    ..
                },
            ) => {
                let is_same = same_before(self.left.model(), self.right.model(), one, two);
                if is_same {
                    self.doubt("a long text is not recorded to its end");
                }
                is_same && length == other_length
            }
            (one, two) => same_before(self.left.model(), self.right.model(), one, two),
        }
    }

    fn same_object(&mut self, one: u32, two: u32) -> bool {
        if self.left.is_old(one) || self.right.is_old(two) {
            // What was seen before has the same number in both.
            if one == two {
                return true;
            }
            if !self.looks_same(one, two, &mut BTreeSet::new()) {
                return false;
            }
            self.doubt("it is another object that looks the same");
            return true;
        }
        match (self.pairs.get(&one), self.taken.get(&two)) {
            (Some(&known), _) => return known == two,
            (None, Some(_)) => return false,
            (None, None) => {}
        }
        self.pairs.insert(one, two);
        self.taken.insert(two, one);
        let class = self.left.class(one);
        if class != self.right.class(two) {
            return false;
        }
        if class.ends_with("Error") {
            return self.same_errors(one, two);
        }
        if !self.left.has_all_of(one) || !self.right.has_all_of(two) {
            self.doubt(&format!(
                "not all of an object of the class {class} is in the log"
            ));
            return true;
        }
        let (own, others) = (self.fields(true, one), self.fields(false, two));
        own.len() == others.len()
            && own.into_iter().all(|(key, value)| {
                let other = others.get(&key).copied();
                other.is_some_and(|other| self.same(value, other))
            })
    }

    /// What an object of one side holds at the end of the call, without what cannot be compared.
    fn fields(&mut self, is_left: bool, object: u32) -> BTreeMap<Key, Value> {
        // Of larger collections the log has not all.
        const MOST_TOLD: usize = 100;
        let side = if is_left { self.left } else { self.right };
        let mut fields = side.fields(object);
        if fields.len() >= MOST_TOLD && matches!(side.class(object), "Array" | "Map" | "Set") {
            self.doubt("a large collection is not told to its end");
        }
        let all = fields.len();
        fields.retain(|key, _| !is_object_key(key));
        if fields.len() < all {
            self.doubt("an object is the key of an entry");
        }
        fields
    }

    /// Whether two errors that were made are the same, by what their constructors were given.
    fn same_errors(&mut self, one: u32, two: u32) -> bool {
        match (self.left.made_of(one), self.right.made_of(two)) {
            (Some(these), Some(those)) => {
                these.len() == those.len()
                    && these
                        .iter()
                        .zip(&those)
                        .all(|(&one, &two)| self.same(one, two))
            }
            _ => {
                self.doubt("what an error was made of is not in the log");
                true
            }
        }
    }

    /// Whether two objects have the same class and fields, as far as the logs know.
    fn looks_same(&self, one: u32, two: u32, seen: &mut BTreeSet<(u32, u32)>) -> bool {
        const MOST_COMPARED: usize = 1000;
        if !seen.insert((one, two)) || seen.len() > MOST_COMPARED {
            return true;
        }
        let (own, others) = (self.left.fields(one), self.right.fields(two));
        self.left.class(one) == self.right.class(two)
            && own.len() == others.len()
            && own.into_iter().all(|(key, value)| {
                others.get(&key).is_some_and(|&other| match (value, other) {
                    (Value::Object(one), Value::Object(two)) => {
                        one == two || self.looks_same(one.0, two.0, seen)
                    }
                    (Value::Unknown | Value::Accessor, _)
                    | (_, Value::Unknown | Value::Accessor) => true,
                    (one, two) => same_before(self.left.model(), self.right.model(), one, two),
                })
            })
    }
}

impl Side<'_> {
    /// Whether the log has all that an object holds that was not there before.
    fn has_all_of(&self, object: u32) -> bool {
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
    fn made_of(&self, object: u32) -> Option<Vec<Value>> {
        let is_its = |event: &Event| {
            event.kind == Kind::CallEnd && event.value.object().is_some_and(|it| it.0 == object)
        };
        let mut numbers = self.events.iter().copied();
        let number = numbers.find(|&it| self.event(it).is_some_and(is_its))?;
        // Without arguments none are told.
        let given = self.model().library_arguments_of(number);
        Some(given.map(<[Value]>::to_vec).unwrap_or_default())
    }

    /// What an object holds at the end of the call.
    fn fields(&self, object: u32) -> BTreeMap<Key, Value> {
        let own = properties(self.model(), 0, object, self.exit).into_iter();
        let named = own
            .filter_map(|(key, value)| Some((plain(self.model().keys.get(key as usize)?), value)));
        named.collect()
    }

    pub(crate) fn class(&self, object: u32) -> &str {
        let class = self.model().object(0, object).map_or(0, |it| it.class);
        self.model().text(0, class)
    }

    fn shown(&self, value: Value) -> String {
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
    fn is_script(&self) -> bool {
        let call = self.log.call(self.node);
        let function = call.and_then(|call| self.model().tables.function(call.function));
        function.is_some_and(|it| matches!(it.kind, FunctionKind::Script | FunctionKind::Module))
    }

    /// What a variable held at the end, by its name and the scope that was entered.
    fn named_variable(&self, name: &str, scope: ScopeId) -> Option<Value> {
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

    fn named_field(&self, object: u32, key: &Key) -> Option<Value> {
        let model = self.model();
        let own = properties(model, 0, object, self.exit);
        let mut own = own.into_iter().filter(|&(number, _)| {
            model.keys.get(number as usize).map(plain).as_ref() == Some(key)
        });
        own.next().map(|(_, value)| value)
    }
}

/// A key that means the same in both logs: a symbol's number need not be.
fn plain(key: &Key) -> Key {
    match key {
        Key::Symbol(_, _, description) => Key::Symbol(0, 0, description.clone()),
        key => key.clone(),
    }
}

/// Whether a key is an object: then it is named by a number, which means nothing in another log.
fn is_object_key(key: &Key) -> bool {
    matches!(key, Key::Entry(text) if text.contains(" #"))
}

fn key_text(key: &Key) -> String {
    match key {
        Key::Property(name) => name.clone(),
        Key::Symbol(_, _, description) => format!("[{description}]"),
        Key::Entry(key) => format!("the entry {key}"),
    }
}
