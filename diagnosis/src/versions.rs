//! Whether another version of a function does the same as a call did, by the log of an execution in which that version
//! ran in the place of the call.
//!
//! Both executions are the same up to the call: that is checked, event by event. So the other version was given the very
//! values that the call was given, whatever they are, and numbers of objects that were there before mean the same in
//! both. What was made during the call is compared by its class and its fields.
//!
//! An answer is given only where the logs have all that it depends on; everything else is [`Verdict::Unknown`].

use std::collections::{BTreeSet, HashMap};

use event_log::ids::ScopeId;
use event_log::model::{CallOutcome, Event, Key, Kind, Model, text};
use event_log::tables::FunctionKind;
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
        if let Some(why) = side.is_interleaved() {
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
    // What is plain needs nothing else.
    let outcome = match (call.outcome, its.outcome) {
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
        (CallOutcome::Open, _) => return unknown("the log has no end of the call"),
        (_, CallOutcome::Open) => {
            return unknown("the log has no end of the call of the good version");
        }
        (CallOutcome::Threw, CallOutcome::Returned(_)) => {
            return Verdict::Different("the good version throws nothing".to_owned());
        }
        (CallOutcome::Returned(_), CallOutcome::Threw) => {
            return Verdict::Different("the good version throws".to_owned());
        }
    };
    if let Some(different) = outcome {
        return Verdict::Different(different);
    }
    for side in [&left, &right] {
        if let Some(why) = side.hidden_effect() {
            return Verdict::Unknown(why);
        }
    }
    if let Some(different) = matching.effects() {
        return Verdict::Different(different);
    }
    match matching.doubt {
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
struct Side<'l> {
    log: &'l LogTree<'l>,
    node: NodeId,
    exit: u32,
    /// Objects that were made during the call.
    made: BTreeSet<u32>,
    /// The events of the call, and of all below it.
    events: Vec<u32>,
}

impl<'l> Side<'l> {
    fn new(log: &'l LogTree<'l>, node: NodeId) -> Self {
        let events: Vec<u32> = log.events_below(node).collect();
        let model = log.model();
        let made = events
            .iter()
            .filter_map(|&number| model.events.get(number as usize))
            .filter(|event| event.kind == Kind::Create)
            .filter_map(|event| event.owner.object().map(|it| it.0));
        Self {
            log,
            node,
            exit: log.end(node),
            made: made.collect(),
            events,
        }
    }

    const fn model(&self) -> &'l Model {
        self.log.model()
    }

    fn event(&self, number: u32) -> Option<&'l Event> {
        self.model().events.get(number as usize)
    }

    fn is_old(&self, object: u32) -> bool {
        let call = self.log.call(self.node);
        !self.made.contains(&object) && call.is_some_and(|call| is_old(self.model(), call, object))
    }

    /// Whether something else may have run in between, or will run later.
    fn is_interleaved(&self) -> Option<String> {
        let model = self.model();
        let below = self.log.tree().subtree(self.node);
        let mut calls = below.filter_map(|node| self.log.call(NodeId(node)));
        let waits = calls.find_map(|call| {
            let function = model.tables.function(call.function)?;
            let waits = function.is_async || function.is_generator;
            waits.then(|| function.name.clone())
        });
        waits.map(|name| {
            format!("{name} can be suspended: what runs meanwhile is not that of the call alone")
        })
    }

    /// Something that was done and that the log does not have.
    fn hidden_effect(&self) -> Option<String> {
        let model = self.model();
        // The calls that are under way, by function and place: whether a function with hooks was called there.
        let mut entered: HashMap<(u32, u32), bool> = HashMap::new();
        for &number in &self.events {
            let event = self.event(number)?;
            match event.kind {
                Kind::Gap => return Some("a part of the log is missing".to_owned()),
                Kind::Step => {
                    entered.insert((event.call, event.site.0), false);
                }
                Kind::Call => {
                    let call = model.calls.get(event.call as usize)?;
                    entered.insert((call.parent, call.site.0), true);
                }
                Kind::CallEnd => {
                    let place = (event.call, event.site.0);
                    if entered.remove(&place) == Some(true) {
                        continue;
                    }
                    let name = model.site(event.site).map_or("", |it| it.name.as_str());
                    if !self.is_harmless(name, number) {
                        return Some(format!("what {name} did is not in the log"));
                    }
                }
                Kind::Write | Kind::WriteEntry | Kind::Contents => {
                    let object = event.owner.object();
                    let is_known = |object: u32| self.made.contains(&object) || self.is_old(object);
                    if object.is_none_or(|it| !is_known(it.0)) {
                        return Some(
                            "it wrote to an object that the log had not seen before".to_owned(),
                        );
                    }
                }
                _ => {}
            }
        }
        None
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
        // A class of the page without a constructor of its own.
        let prefix = format!("{callee}.");
        let functions = &self.model().tables.functions;
        functions.iter().any(|it| it.name.starts_with(&prefix))
    }
}

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

    /// What was changed that was there before.
    fn effects(&mut self) -> Option<String> {
        let (left, right) = (self.left, self.right);
        let (one, two) = (effects(left.log, left.node), effects(right.log, right.node));
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
            let values = |side: &Side<'_>| side.named_field(object, &key);
            let name = key_text(&key);
            if let Some(different) = self.compare(&name, values(left), values(right)) {
                return Some(different);
            }
        }
        None
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
        match (self.left.is_old(one), self.right.is_old(two)) {
            (true, true) => return one == two,
            (false, false) => {}
            // One was there before, the other not; or it was, and the log had not seen it.
            (is_old, _) => {
                let (side, new) = match is_old {
                    true => (self.right, two),
                    false => (self.left, one),
                };
                if side.made.contains(&new) {
                    return false;
                }
                self.doubt("an object is not one that the log saw being made");
                return true;
            }
        }
        match (self.pairs.get(&one), self.taken.get(&two)) {
            (Some(&known), _) => return known == two,
            (None, Some(_)) => return false,
            (None, None) => {}
        }
        self.pairs.insert(one, two);
        self.taken.insert(two, one);
        if self.left.class(one) != self.right.class(two) {
            return false;
        }
        if !self.left.made.contains(&one) || !self.right.made.contains(&two) {
            self.doubt("an object is not one that the log saw being made");
            return true;
        }
        let fields = |side: &Side<'_>, object: u32| {
            let own = properties(side.model(), 0, object, side.exit).into_iter();
            let named = own.filter_map(|(key, value)| {
                Some((plain(side.model().keys.get(key as usize)?), value))
            });
            named.collect::<std::collections::BTreeMap<_, _>>()
        };
        let (own, others) = (fields(self.left, one), fields(self.right, two));
        own.len() == others.len()
            && own.into_iter().all(|(key, value)| {
                others
                    .get(&key)
                    .is_some_and(|&other| self.same(value, other))
            })
    }
}

impl Side<'_> {
    fn class(&self, object: u32) -> &str {
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

fn key_text(key: &Key) -> String {
    match key {
        Key::Property(name) => name.clone(),
        Key::Symbol(_, _, description) => format!("[{description}]"),
        Key::Entry(key) => format!("the entry {key}"),
    }
}
