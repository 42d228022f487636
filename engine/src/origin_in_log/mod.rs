//! Where a value comes from, read off the event log of one execution.
//!
//! The log has every write with its value, every call with its caller, its place and what it returned, which way each
//! condition went, and what `await`, `yield` and `throw` handed over ([`event_log::model`]). The syntax tree says what
//! the text of a write reads ([`js_analysis::origin::LoggedCode`]). So each hop is an event of that execution: of two
//! writes that gave the same value the log says which one was the last before, of two calls of a function which one the
//! value was returned by.
//!
//! | file | what it follows |
//! | --- | --- |
//! | `writes` | the write that is asked about, and what each write wrote |
//! | `steps`, `parts` | an expression; what is inside a value |
//! | `calls`, `functions`, `parameters` | what a call gave, a function returned, an argument filled |
//! | `callbacks`, `reactions` | what a built-in or the browser hands to a function that it calls |
//! | `lists`, `built_in_writes`, `made_objects` | elements and entries; what built-ins write and make |
//! | `loops`, `error_objects` | passes of loops, and `for await`; messages and causes of errors |
//! | `promises`, `several_promises`, `outcomes`, `generators`, `exceptions` | what `await`, `yield` and `catch` gave |
//! | `registrations`, `roles`, `rejections` | which `then` or timer a reaction is of; what rejected a promise |
//! | `borrowed_methods` | methods that are called on other objects, and traps that `push` called |
//! | `own_names` | functions of the language that are called by other names |
//! | `results`, `iterables`, `hand_iterators` | what is inside what a built-in made; what sets and iterators gave |
//! | `key_names`, `trap_arguments` | who gave an object a property of this name; what traps are called with |
//! | `texts`, `revivers` | what is inside a text that `JSON.stringify` made; what a reviver made of it |
//! | `modules`, `platform`, `messages`, `foreign` | imports; events, storage; messages; objects from outside |
//! | `hosts`, `history`, `controls`, `fields`, `element_state` | what the browser's objects, fields and elements have |
//! | `inherited`, `spreads`, `forwarded` | what an object inherits from; which part, which list gave an element |
//! | `moments`, `reading`, `shown` | what held when, what an expression gave, how a value is shown |
//! | `hop_points` | the reproduction point of a hop, and the realm that it is in |
//! | `document`, `node_lists`, `text_parts` | what a page shows: who put it there; which part is followed |
//! | `lengths`, `updates`, `computed_keys` | lengths; operands that are written, too; keys that operations name |
//! | `deciding` | the operand that alone decides what a computation gives |
//!
//! What the log does not have ends the chain as not observed: a value that a write should have read, and that its last
//! write in the log did not give, is never taken for that write's.

mod borrowed_methods;
mod built_in_writes;
mod callbacks;
mod calls;
mod chain_ends;
mod computed_keys;
mod controls;
mod deciding;
mod descriptions;
mod document;
mod element_state;
mod error_objects;
mod exceptions;
mod fields;
mod first_write;
mod foreign;
mod forwarded;
mod functions;
mod generators;
mod global_object;
mod hand_iterators;
mod history;
mod hop_points;
mod hosts;
mod inherited;
mod iterables;
mod json_order;
mod key_names;
mod lengths;
mod lists;
mod loops;
mod made_objects;
mod messages;
mod modules;
mod moments;
mod node_lists;
mod operands;
mod outcomes;
mod own_names;
mod parameters;
mod parts;
mod platform;
mod promises;
mod reactions;
mod reading;
mod registrations;
mod rejections;
mod results;
mod revivers;
mod roles;
mod several_promises;
mod shown;
mod spreads;
mod steps;
mod text_parts;
mod texts;
mod trap_arguments;
mod updates;
mod with_objects;
mod writes;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use event_log::ids::{FunctionId, SiteId};
use event_log::model::{Kind, Model, NONE};
use event_log::value::Value as Seen;
use js_analysis::log::LoggedKind;
use js_analysis::origin::{LoggedCode, LoggedPlace, PathStep, Value};
use js_analysis::position::ByteOffset;
use querypoint::answer::{End, EndKind, Hop, HopKind, StackFrame, Value as Preview};
use querypoint::point::ReproductionPoint;

use crate::logging::LoggedScript;
use crate::sources::{Home, Sources};
pub(crate) use document::is_content;
pub(crate) use first_write::Found;
use first_write::Start;
use hop_points::StepMoment;
use operands::Ended;
pub(crate) use operands::{Turns, no_operand};
use writes::Write;

/// More hops are not followed: a recursion has no more to say.
const MOST_HOPS: usize = 20_000;
/// How deep expressions are evaluated.
const DEEPEST: u32 = 40;

/// The log of an execution, and the texts of its scripts.
pub(crate) struct InLog<'l> {
    model: &'l Model,
    scripts: &'l [LoggedScript],
    sources: &'l Sources,
    codes: RefCell<BTreeMap<usize, Rc<LoggedCode>>>,
    /// The sites of each script, by where they are.
    sites: Vec<HashMap<(u32, LoggedKind), Vec<SiteId>>>,
    /// By site: where calls are made and come back, tests, and what hands over control.
    events: HashMap<u32, Vec<u32>>,
    /// The block scopes that each call entered, by the scope as it is written.
    entered: HashMap<(u32, u32), Vec<u32>>,
    /// The events behind calls of methods, by their names: see `iterables`.
    method_calls: OnceCell<HashMap<String, Vec<u32>>>,
    /// The events at which a function took up again.
    resumed: Vec<u32>,
    /// Where the log has a property by its author's name: that of each key as it runs.
    authored: OnceCell<HashMap<String, BTreeSet<u32>>>,
    /// The keys that functions were written under: see `functions`.
    methods: OnceCell<HashSet<(u32, FunctionId)>>,
    /// By key: where getters were defined, each place once: see `functions`.
    accessors: OnceCell<HashMap<u32, Vec<(u16, u32)>>>,
    /// The ways into the texts that are followed, of `JSON.parse`; the last one is of the innermost.
    inside_texts: RefCell<Vec<texts::InsideText>>,
    /// How many calls are gone back through for what they were passed: see `forwarded`.
    forwarded: Cell<u32>,
    /// By stream: the numbers of texts.
    text_numbers: RefCell<HashMap<u16, HashMap<String, u32>>>,
    /// Where the pattern is whose way is followed: its default values are evaluated there.
    pattern: Cell<Option<Spot>>,
    /// The part of a text that is followed: see `text_parts`.
    part: RefCell<Option<String>>,
    /// How the nodes of the document are in each other: see `document`.
    nodes: OnceCell<document::Nodes>,
    /// How the nodes of the document change.
    changing: document::Changing,
    /// How many objects were gone through to find where one is from: see `foreign`.
    back: Cell<u32>,
    /// Where functions were handed over to built-ins: see `registrations`.
    given_functions: OnceCell<registrations::GivenFunctions>,
    /// By call: where its function was handed over.
    registrations: RefCell<HashMap<u32, Option<roles::Registration>>>,
    /// By script and where they begin: the events that wrote functions and classes: see `functions`.
    written_functions: OnceCell<HashMap<(usize, u32), Vec<u32>>>,
    /// What had a function of the language: see `own_names`.
    other_names: OnceCell<own_names::OtherNames>,
    /// By script and place: whether the variable that is read there had one.
    calls_by_other_names: RefCell<HashMap<(usize, u32), bool>>,
    /// The global objects of realms: see `global_object`.
    global_objects: RefCell<HashMap<u16, Option<u32>>>,
    /// What realms are called that are not the page's own: see `hop_points`.
    realms: OnceCell<hop_points::RealmNames>,
}

/// A moment of the execution: just before an event, in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    stream: u16,
    call: u32,
    at: u32,
}

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug)]
struct Spot {
    script: usize,
    moment: Moment,
}

/// The way of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trail {
    /// Its hops, the asked one first.
    pub(crate) hops: Vec<Hop>,
    /// Where it ends.
    pub(crate) end: End,
    /// The calls around the place where the value was made, the newest first; of each, where it is.
    pub(crate) stack: Vec<StackFrame>,
    /// The value that it begins with, of an operand.
    pub(crate) asked: Option<Preview>,
    /// The reproduction point that brings an execution to where it ends; none: the log has no such place.
    pub(crate) at: Option<ReproductionPoint>,
    /// A condition that is evaluated between there and the place where the value was made.
    pub(crate) decided: Option<String>,
}

/// Where a chain goes on.
enum Next {
    /// At a write of what is called `name`.
    Write(Write, String),
    /// At an expression that gave this value, and in it what the way leads to.
    Value {
        spot: Spot,
        value: Box<Value>,
        way: Vec<PathStep>,
        seen: Seen,
    },
    /// At the `return` of a call, which gave this value; `name` is what was called.
    Return {
        call: u32,
        name: String,
        way: Vec<PathStep>,
        seen: Seen,
    },
    /// At what settled a promise with this value.
    Settled {
        stream: u16,
        promise: u32,
        before: u32,
        seen: Seen,
    },
    /// Nowhere.
    End(Ended),
}

impl Next {
    /// What tells a step of a chain from others: an execution never comes back to one.
    fn place(&self) -> (u8, [u32; 5]) {
        match self {
            Self::Write(write, _) => {
                let (object, key) = match write.target {
                    writes::Target::Variable { argument } => (0, argument.unwrap_or(NONE)),
                    writes::Target::Key { object, key, .. } => (object, key),
                };
                (0, [u32::from(write.stream), write.event, object, key, 0])
            }
            Self::Value {
                spot, value, way, ..
            } => {
                let script = u32::try_from(spot.script).unwrap_or(NONE);
                let span = [value.span.start.0, value.span.end.0];
                let way = u32::try_from(way.len()).unwrap_or(NONE);
                (
                    1,
                    [
                        script,
                        span[0],
                        span[1],
                        spot.moment.at,
                        way ^ spot.moment.call,
                    ],
                )
            }
            Self::Return { call, way, .. } => {
                let way = u32::try_from(way.len()).unwrap_or(NONE);
                (2, [*call, way, 0, 0, 0])
            }
            Self::Settled {
                stream,
                promise,
                before,
                ..
            } => (3, [u32::from(*stream), *promise, *before, 0, 0]),
            // The end is no step.
            Self::End(_) => (4, [0; 5]),
        }
    }

    fn unobserved(detail: impl Into<String>) -> Self {
        Self::ended(EndKind::Unobserved, Some(detail.into()))
    }

    fn ended(kind: EndKind, detail: Option<String>) -> Self {
        let end = End {
            kind,
            location: None,
            detail,
            operands: Vec::new(),
        };
        Self::End(end.into())
    }
}

impl<'l> InLog<'l> {
    /// Reads a log; `scripts` are those that it is of, in the order of their first numbers.
    pub(crate) fn new(model: &'l Model, scripts: &'l [LoggedScript], sources: &'l Sources) -> Self {
        let sites = scripts.iter().map(|script| {
            let mut sites: HashMap<(u32, LoggedKind), Vec<SiteId>> = HashMap::new();
            for ((at, kind, _), number) in script.sites.iter().zip(script.first.site..) {
                sites.entry((at.0, *kind)).or_default().push(SiteId(number));
            }
            sites
        });
        let mut events: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut resumed = Vec::new();
        for (event, number) in model.events.iter().zip(0..) {
            match event.kind {
                Kind::Step | Kind::CallEnd | Kind::Suspend | Kind::Branch | Kind::Create => {
                    events.entry(event.site.0).or_default().push(number);
                }
                Kind::Resume => resumed.push(number),
                _ => {}
            }
        }
        let mut entered: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        for stream in &model.streams {
            for (instance, number) in stream.scopes.iter().zip(1..) {
                let key = (instance.call, instance.of.0);
                entered.entry(key).or_default().push(number);
            }
        }
        Self {
            model,
            scripts,
            sources,
            codes: RefCell::default(),
            sites: sites.collect(),
            events,
            entered,
            resumed,
            authored: OnceCell::new(),
            methods: OnceCell::new(),
            accessors: OnceCell::new(),
            inside_texts: RefCell::default(),
            forwarded: Cell::new(0),
            text_numbers: RefCell::default(),
            pattern: Cell::default(),
            part: RefCell::default(),
            nodes: OnceCell::new(),
            changing: document::Changing::default(),
            back: Cell::new(0),
            given_functions: OnceCell::new(),
            method_calls: OnceCell::new(),
            registrations: RefCell::default(),
            written_functions: OnceCell::new(),
            other_names: OnceCell::new(),
            calls_by_other_names: RefCell::default(),
            global_objects: RefCell::default(),
            realms: OnceCell::new(),
        }
    }

    /// Why the log cannot say where values come from; `None`: it can.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let has_gap = !self.model.gaps.is_empty() || !self.model.damage.is_empty();
        has_gap.then_some("events are missing in the log")
    }

    /// Follows the value of a write that was found.
    pub(crate) fn follow(&self, found: &Found, mut turns: Turns<'_>) -> Trail {
        self.inside_texts.borrow_mut().clear();
        self.look_for(None);
        self.pattern.set(None);
        let mut hops = Vec::new();
        let mut asked = None;
        let mut next = match &found.start {
            Start::Write(write) => Next::Write(*write, found.name.clone()),
            Start::Put(put) => self.put(put, &found.name, &mut hops),
            Start::Several(several) => self.several(several, &found.name, &mut hops),
        };
        let (mut call, mut at) = (NONE, NONE);
        let mut passed = HashSet::new();
        loop {
            let is_end = matches!(next, Next::End(_));
            if !is_end && !passed.insert(next.place()) {
                next = Next::unobserved("the way of the value leads back to where it was");
            }
            if hops.len() > MOST_HOPS {
                next = Next::unobserved(format!("the chain has more than {MOST_HOPS} hops"));
            }
            call = match &next {
                Next::Write(write, _) => self.event(write.event).map_or(call, |it| it.call),
                Next::Value { spot, .. } => spot.moment.call,
                Next::Return { call, .. } => *call,
                Next::Settled { .. } | Next::End(_) => call,
            };
            at = match &next {
                Next::Write(write, _) => write.event,
                Next::Value { spot, .. } => spot.moment.at,
                Next::Return { call, .. } => self.call_of(*call).map_or(NONE, |it| it.exit),
                Next::Settled { .. } => NONE,
                Next::End(_) => at,
            };
            let before = hops.len();
            let moment = StepMoment::of(&next, (call, at));
            next = match next {
                Next::Write(write, name) => self.written(write, name, &mut hops),
                Next::Value {
                    spot,
                    value,
                    way,
                    seen,
                } => self.value(spot, &value, &way, seen, &mut hops),
                Next::Return {
                    call,
                    name,
                    way,
                    seen,
                } => self.returned(call, name, &way, seen, &mut hops),
                Next::Settled {
                    stream,
                    promise,
                    before,
                    seen,
                } => self.settled(stream, promise, before, seen, &mut hops),
                Next::End(ended) => match turns.next(&ended) {
                    Some(Ok(offered)) => {
                        hops.clear();
                        asked = Some(offered.shown.value.clone());
                        self.turn(offered, &mut hops)
                    }
                    other => {
                        let made = ended.made;
                        let end = match other {
                            Some(Err(why)) => {
                                hops.clear();
                                why
                            }
                            _ => ended.end,
                        };
                        let stack = self.stack(call, &end, hops.last());
                        let last = hops.last().map(|hop| &hop.location);
                        let place = end.location.as_ref().or(last);
                        let found = place.and_then(|place| self.point_at(call, at, place));
                        let decided = found.as_ref().and_then(|found| {
                            let (script, from) = found.1;
                            let (in_script, at) = made.filter(|made| made.0 == script)?;
                            self.decided(in_script, from, at)
                        });
                        let at = found.map(|(at, _)| at);
                        return Trail {
                            hops,
                            end,
                            stack,
                            asked,
                            at,
                            decided,
                        };
                    }
                },
            };
            self.place_hops(moment, &mut hops, before);
        }
    }

    fn code(&self, script: usize) -> Option<Rc<LoggedCode>> {
        if let Some(code) = self.codes.borrow().get(&script) {
            return Some(code.clone());
        }
        let code = self.sources.logged_code(self.scripts.get(script)?.home)?;
        let code = Rc::new(code);
        self.codes.borrow_mut().insert(script, code.clone());
        Some(code)
    }

    fn home(&self, script: usize) -> Option<Home> {
        self.scripts.get(script).map(|script| script.home)
    }

    /// The script in which a site is, and what is known of it.
    fn site(&self, site: SiteId) -> Option<(usize, &(ByteOffset, LoggedKind, String))> {
        let behind = self
            .scripts
            .partition_point(|script| script.first.site <= site.0);
        let script = behind.checked_sub(1)?;
        let own = self.scripts.get(script)?;
        let index = (site.0 - own.first.site) as usize;
        Some((script, own.sites.get(index)?))
    }

    /// What is at a site.
    fn place(&self, site: SiteId) -> Option<(usize, LoggedPlace)> {
        let (script, (at, kind, name)) = self.site(site)?;
        let code = self.code(script)?;
        Some((script, code.at(*at, *kind, name)?.clone()))
    }

    /// A site of a script by its place.
    fn site_at(
        &self,
        script: usize,
        at: ByteOffset,
        kind: LoggedKind,
        name: &str,
    ) -> Option<SiteId> {
        let known = self.sites.get(script)?.get(&(at.0, kind))?;
        if let [only] = known.as_slice() {
            return Some(*only);
        }
        let mut named = known.iter().filter(|site| {
            self.site(**site)
                .is_some_and(|(_, (_, _, own))| own == name)
        });
        match (named.next(), named.next()) {
            (Some(site), None) => Some(*site),
            _ => None,
        }
    }

    /// A hop at a place of a script.
    fn hop(
        &self,
        kind: HopKind,
        script: usize,
        at: ByteOffset,
        (stream, value): (u16, Seen),
        name: String,
    ) -> Option<Hop> {
        let home = self.home(script)?;
        let place = self.sources.place_in(home, at)?;
        let location = place.location;
        let library = crate::origin::library(&location);
        Some(Hop {
            kind,
            value: self.shown(stream, value),
            name: (!name.is_empty()).then_some(name),
            function: self.sources.function_in(home, at),
            source_line: place.source_line,
            library,
            folded: None,
            point: None,
            realm: None,
            location,
        })
    }

    /// An end at an expression.
    fn ended(&self, kind: EndKind, spot: Spot, value: &Value, detail: Option<String>) -> Next {
        self.ended_at(kind, spot.script, value.span.start, detail)
    }

    /// An end at a place of a script.
    fn ended_at(
        &self,
        kind: EndKind,
        script: usize,
        at: ByteOffset,
        detail: Option<String>,
    ) -> Next {
        let home = self.home(script);
        let place = home.and_then(|home| self.sources.place_in(home, at));
        let end = End {
            kind,
            location: place.map(|place| place.location),
            detail,
            operands: Vec::new(),
        };
        Next::End(Ended::from(end).made_at(script, at))
    }

    /// The text of an expression as its author wrote it, on one line: for answers, not to be read.
    fn text(&self, spot: Spot, value: &Value) -> String {
        let home = self.home(spot.script);
        let text = home.and_then(|home| self.sources.author_text_at(home, value.span));
        crate::origin::one_line(text.unwrap_or_default())
    }
}
