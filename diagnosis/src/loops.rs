//! Loops as calls of a recursive function, so that iterations can be judged one by one (Insa, Silva and Tomás,
//! *Enhancing Declarative Debugging with Loop Expansion and Tree Compression*, 2012, section 3).
//!
//! ```js
//! for (const it of list) total += it;
//! // is looked at as if it were
//! const from = (k) => { if (k < list.length) { total += list[k]; from(k + 1); } };
//! from(0);
//! ```
//! So the node of an iteration is that iteration and all behind it: given what the variables were before it, it is
//! right if they are what they should be behind the loop. An iteration is under the one before it; the first is under
//! the iteration or call around the loop. What is called in an iteration is under it.
//!
//! An iteration begins where its condition is evaluated, or where the variable of a `for-of` or `for-in` is set; in a
//! loop that has neither, or that asks last, at the first event of its body. A condition that does not hold is a part
//! of the last iteration. In a loop without a condition, a variable and an update, an iteration begins where the event
//! happens again that was the first of its body; if that one is in a loop inside, the loop is not expanded.

use std::collections::HashMap;

use event_log::ids::SiteId;
use event_log::model::{Event, Kind, Model, NONE};
use event_log::tables::SiteKind;
use event_log::value::Value;
use rustc_hash::FxHashMap;

/// A part of a loop that a site is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopPart {
    /// What runs once before the first iteration.
    Start,
    /// The variable that a `for-of` or `for-in` sets.
    Variable,
    /// The condition.
    Test,
    /// The last expression in the head of a `for`.
    Update,
    /// The statement that is repeated.
    Body,
}

/// A loop as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loop {
    /// Its text without the statement that is repeated.
    pub head: String,
    /// Whether its condition is behind the statement.
    pub tests_last: bool,
    /// Whether it has a condition.
    pub has_test: bool,
}

/// The loops of the scripts of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    /// All of them.
    pub loops: Vec<Loop>,
    /// Of a site the loops around it, by index, the outermost first; those of functions around may be among them.
    pub sites: HashMap<SiteId, Vec<(u32, LoopPart)>>,
}

/// An iteration, with all behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Iteration {
    /// The call that runs it, by its number in [`Model::calls`].
    pub(crate) call: u32,
    /// Which loop, by index in [`Loops::loops`].
    pub(crate) of: u32,
    /// Which iteration, from 1.
    pub(crate) number: u32,
    /// Its first event.
    pub(crate) start: u32,
    /// The event that it is known by. No call and no other iteration is known by the same.
    pub(crate) id: u32,
    /// Behind the last event of the loop.
    pub(crate) end: u32,
    /// Whether the call ended in the loop.
    pub(crate) ends_call: bool,
    /// The iteration before it, by index.
    pub(crate) before: Option<u32>,
    /// The iteration around the loop, by index.
    pub(crate) around: Option<u32>,
}

/// The iterations of a log, in the order in which they began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iterations {
    pub(crate) all: Vec<Iteration>,
    /// Those of each call, by index.
    of_calls: FxHashMap<u32, Vec<u32>>,
}

/// What begins the iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    /// The condition held, as this site says; `true`: behind the statement.
    Test(SiteId, bool),
    /// The variable is set at this site.
    Variable(SiteId),
    /// The last expression of the head has run.
    Update,
    /// The first event of the body happens again.
    Body,
}

/// The event that an iteration begins with, where nothing else tells iterations apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstOfBody {
    /// The body has not begun.
    Due,
    /// This one; `true`: something else has happened since.
    Is(SiteId, Kind, bool),
    /// It is in a loop inside, where it happens several times.
    Inside,
}

impl FirstOfBody {
    /// Whether an event begins an iteration; `is_own`: no loop inside has it.
    fn begins(&mut self, event: &Event, is_own: bool) -> bool {
        let first = Self::Is(event.site, event.kind, false);
        let is_first = match *self {
            Self::Due => is_own,
            Self::Is(site, kind, has_more) => {
                event.site == site && (event.kind == kind || has_more)
            }
            Self::Inside => false,
        };
        match self {
            Self::Due if !is_own => *self = Self::Inside,
            Self::Is(site, _, has_more) if *site != event.site => *has_more |= is_own,
            Self::Due => *self = first,
            Self::Is(_, _, has_more) if is_first => *has_more = false,
            Self::Is(..) | Self::Inside => {}
        }
        is_first
    }
}

/// A loop that a call is in.
struct Frame {
    of: u32,
    marker: Marker,
    /// The iteration that is running, by index.
    current: Option<u32>,
    around: Option<u32>,
    /// Where the condition began.
    test: Option<u32>,
    /// Whether the next event of the body begins an iteration.
    is_due: bool,
    first: FirstOfBody,
}

impl Iterations {
    /// The iterations of the loops of a log.
    pub(crate) fn of(model: &Model, loops: &Loops) -> Self {
        let markers = markers(model, loops);
        let mut found = Self::default();
        // By call, as long as it runs.
        let mut running: FxHashMap<u32, Vec<Frame>> = FxHashMap::default();
        let length = u32::try_from(model.events.len()).unwrap_or(NONE);
        for (event, at) in model.events.iter().zip(0..) {
            let call = owner(model, event);
            if call == NONE {
                continue;
            }
            let is_end = event.call == call
                && model
                    .calls
                    .get(call as usize)
                    .is_some_and(|it| it.exit == at);
            if is_end {
                for frame in running.remove(&call).into_iter().flatten() {
                    found.left(&frame, at.saturating_add(1), true);
                }
                continue;
            }
            let around = loops.sites.get(&event.site).map_or(&[][..], Vec::as_slice);
            if model.site(event.site).is_none()
                || (around.is_empty() && !running.contains_key(&call))
            {
                continue;
            }
            let frames = running.entry(call).or_default();
            found.step(model, event, at, call, around, &markers, frames);
            if frames.is_empty() {
                running.remove(&call);
            }
        }
        for (call, frames) in running {
            let exit = model.calls.get(call as usize).map_or(NONE, |it| it.exit);
            for frame in frames {
                found.left(&frame, exit.saturating_add(1).min(length), true);
            }
        }
        found.sort();
        found
    }

    /// An event of a call, in the loops `around` it.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the state of one walk over the log"
    )]
    fn step(
        &mut self,
        model: &Model,
        event: &Event,
        at: u32,
        call: u32,
        around: &[(u32, LoopPart)],
        markers: &FxHashMap<u32, (Marker, event_log::ids::FunctionId)>,
        frames: &mut Vec<Frame>,
    ) {
        let function = model.calls.get(call as usize).map(|it| it.function);
        let own = around.iter().filter_map(|&(of, part)| {
            let (marker, its) = *markers.get(&of)?;
            (Some(its) == function).then_some((of, part, marker))
        });
        let own: Vec<(u32, LoopPart, Marker)> = own.collect();
        let same = frames
            .iter()
            .zip(&own)
            .take_while(|(frame, (of, ..))| frame.of == *of);
        let same = same.count();
        for frame in frames.drain(same..) {
            self.left(&frame, at, false);
        }
        for (index, &(of, part, marker)) in own.iter().enumerate() {
            if index >= frames.len() {
                frames.push(Frame {
                    of,
                    marker,
                    current: None,
                    around: frames.last().and_then(|it| it.current),
                    test: None,
                    is_due: matches!(marker, Marker::Update | Marker::Test(_, true)),
                    first: FirstOfBody::Due,
                });
            }
            let Some(frame) = frames.get_mut(index) else {
                return;
            };
            let held = event.kind == Kind::Branch && event.value == Value::Boolean(true);
            let begins = match (frame.marker, part) {
                (Marker::Test(site, false), LoopPart::Test) => {
                    let start = *frame.test.get_or_insert(at);
                    let is_marker = site == event.site && event.kind == Kind::Branch;
                    if is_marker {
                        frame.test = None;
                    }
                    (is_marker && held).then_some(start)
                }
                (Marker::Variable(site), LoopPart::Variable) => {
                    (site == event.site && event.kind == Kind::Assign).then_some(at)
                }
                (Marker::Test(site, true), LoopPart::Test) => {
                    frame.is_due |= site == event.site && held;
                    None
                }
                (Marker::Update, LoopPart::Update) => {
                    frame.is_due = true;
                    None
                }
                (Marker::Update | Marker::Test(_, true), LoopPart::Body) => {
                    std::mem::take(&mut frame.is_due).then_some(at)
                }
                (Marker::Body, LoopPart::Body) => {
                    let is_own = index + 1 == own.len();
                    frame.first.begins(event, is_own).then_some(at)
                }
                _ => None,
            };
            if let Some(start) = begins {
                self.begin(model, frame, call, start, at);
            }
            let is_test = matches!(frame.marker, Marker::Test(site, _) if site == event.site);
            if is_test && event.kind == Kind::Branch && !held {
                self.left(frame, at.saturating_add(1), false);
                frame.current = None;
                frame.is_due = matches!(frame.marker, Marker::Test(_, true));
            }
        }
    }

    fn begin(&mut self, model: &Model, frame: &mut Frame, call: u32, start: u32, at: u32) {
        let Ok(index) = u32::try_from(self.all.len()) else {
            return;
        };
        // A call is known by the event with which it begins.
        let id = match model.events.get(at as usize) {
            Some(event) if event.kind == Kind::Call => {
                let called = model.calls.get(event.call as usize);
                called.map(|it| it.exit).filter(|&it| it != NONE)
            }
            _ => None,
        };
        let before = frame.current.and_then(|it| self.all.get(it as usize));
        self.all.push(Iteration {
            call,
            of: frame.of,
            number: before.map_or(1, |it| it.number.saturating_add(1)),
            start,
            id: id.unwrap_or(at),
            end: NONE,
            ends_call: false,
            before: frame.current,
            around: frame.around,
        });
        frame.current = Some(index);
    }

    /// A loop was left before an event.
    fn left(&mut self, frame: &Frame, end: u32, ends_call: bool) {
        let mut next = frame.current;
        while let Some(it) = next.and_then(|it| self.all.get_mut(it as usize)) {
            it.end = end;
            it.ends_call = ends_call;
            next = it.before;
        }
    }

    /// Puts them in the order in which they began; of those that began together the outer ones are first already.
    fn sort(&mut self) {
        let mut order: Vec<u32> = (0..).take(self.all.len()).collect();
        let start = |index: &u32| self.all.get(*index as usize).map(|it| it.start);
        order.sort_by_key(start);
        let mut places = vec![0_u32; order.len()];
        for (&index, place) in order.iter().zip(0..) {
            if let Some(it) = places.get_mut(index as usize) {
                *it = place;
            }
        }
        let placed = |index: Option<u32>| places.get(index? as usize).copied();
        let sorted = order.iter().filter_map(|&index| {
            let it = self.all.get(index as usize)?;
            Some(Iteration {
                before: placed(it.before),
                around: placed(it.around),
                ..*it
            })
        });
        self.all = sorted.collect();
        for (it, index) in self.all.iter().zip(0..) {
            self.of_calls.entry(it.call).or_default().push(index);
        }
    }

    /// The innermost iteration of a call that an event is in, by index.
    pub(crate) fn innermost(&self, call: u32, event: u32) -> Option<u32> {
        let own = self.of_calls.get(&call)?;
        let get = |index: u32| self.all.get(index as usize);
        let begun = own.partition_point(|&it| get(it).is_some_and(|it| it.start <= event));
        let mut next = own.get(begun.checked_sub(1)?).copied();
        while let Some(index) = next {
            let it = get(index)?;
            if event < it.end {
                return Some(index);
            }
            next = it.around;
        }
        None
    }
}

/// The call that an event is in: of the beginning of a call the one that made it.
fn owner(model: &Model, event: &Event) -> u32 {
    match event.kind {
        Kind::Call => model
            .calls
            .get(event.call as usize)
            .map_or(NONE, |it| it.parent),
        _ => event.call,
    }
}

/// What begins the iterations of each loop, and the function that it is in; those that cannot be told are left out.
fn markers(model: &Model, loops: &Loops) -> FxHashMap<u32, (Marker, event_log::ids::FunctionId)> {
    let mut found: FxHashMap<u32, (Marker, event_log::ids::FunctionId)> = FxHashMap::default();
    let mut sites: Vec<_> = loops.sites.iter().collect();
    sites.sort_by_key(|(site, _)| site.0);
    for (&number, around) in sites {
        let Some(site) = model.site(number) else {
            continue;
        };
        // The function of a head is the one that the loop is in; one in it has loops of its own only.
        for &(of, part) in around {
            let Some(its) = loops.loops.get(of as usize) else {
                continue;
            };
            let marker = match (part, site.kind) {
                // The first of a condition is the one of all of it.
                (LoopPart::Test, SiteKind::Branch) => Marker::Test(number, its.tests_last),
                (LoopPart::Variable, SiteKind::Assign) => Marker::Variable(number),
                (LoopPart::Update, _) if !its.has_test => Marker::Update,
                _ => continue,
            };
            found.entry(of).or_insert((marker, site.function));
        }
    }
    // Functions are numbered from the outside to the inside.
    let mut endless: FxHashMap<u32, event_log::ids::FunctionId> = FxHashMap::default();
    for (&number, around) in &loops.sites {
        let Some(site) = model.site(number) else {
            continue;
        };
        for &(of, part) in around {
            if part == LoopPart::Body && !found.contains_key(&of) {
                let function = endless.entry(of).or_insert(site.function);
                *function = (*function).min(site.function);
            }
        }
    }
    let endless = endless.into_iter();
    found.extend(endless.map(|(of, function)| (of, (Marker::Body, function))));
    found
}
