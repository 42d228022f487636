//! From the records of a log to its model.

mod elements;
mod objects;
mod records;

use std::collections::HashMap;

use super::{Call, CallOutcome, Event, Key, KeyWrite, Kind, Model, NONE, Object, ScopeInstance};
use crate::file::{Damage, EventChunk, LogError, LogFile, MOST_STREAMS, ReadAt};
use crate::ids::{FunctionId, ScopeId, SiteId};
use crate::record::GapReason;
use crate::value::Value;
use elements::Elements;
pub(crate) use objects::OF_THE_PLATFORM;

pub(super) fn read<S: ReadAt>(log: &LogFile<S>) -> Result<Model, LogError> {
    let mut builder = Builder {
        model: Model {
            info: log.info().clone(),
            end: log.end().cloned(),
            tables: log.tables().clone(),
            damage: log.damage().to_vec(),
            listed: vec![Value::Absent],
            ..Model::default()
        },
        running: Vec::new(),
        parameters: HashMap::new(),
        by_scope: HashMap::new(),
        requests: HashMap::new(),
        is_full: false,
        most_missing: most_missing(log.size()),
        elements: Elements::default(),
    };
    for (variable, number) in log.tables().variables.iter().zip(1..) {
        if variable.scope.is_some() {
            builder
                .by_scope
                .entry(variable.scope.0)
                .or_default()
                .push(number);
        }
    }
    for index in 0..log.chunks().len() {
        match log.chunk(index) {
            Ok(chunk) => builder.chunk(&chunk),
            Err(LogError::Damaged { offset, reason }) => {
                builder.damaged(log, index, Damage::Chunk { offset, reason });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(builder.finish())
}

/// What is running in a realm.
#[derive(Debug, Default)]
struct Running {
    /// Calls, the newest last.
    calls: Vec<Frame>,
    /// Calls that are suspended, by their activations.
    suspended: HashMap<u32, Frame>,
    /// The task that runs, by its event.
    task: u32,
    /// The end of a call of code without hooks, if nothing happened since.
    ended: Option<u32>,
}

/// A call that is running.
#[derive(Clone, Debug)]
struct Frame {
    call: u32,
    /// Where it is about to call something, the newest last: of `f().g()` the place of `g` is told first, then `f` is
    /// called.
    pending: Vec<SiteId>,
    /// The event that said so.
    step: u32,
    /// Whether a function with hooks was called there.
    entered: bool,
    /// The call that was made from here last; [`NONE`]: none was.
    last_child: u32,
    activation: u32,
}

/// More calls that one function is about to make, none of which has come back, are not kept.
const MOST_PENDING: usize = 1000;

struct Builder {
    model: Model,
    running: Vec<Running>,
    /// The variables of plain parameters, by function.
    parameters: HashMap<u32, Vec<u32>>,
    /// The variables of each scope.
    by_scope: HashMap<u32, Vec<u32>>,
    /// The texts that say where requests went, by stream and number.
    requests: HashMap<(u16, u32), u32>,
    is_full: bool,
    /// What a header says is missing makes room for at most so much.
    most_missing: u32,
    elements: Elements,
}

/// How many events, texts, objects or scopes a part can have that is missing in a file of so many bytes. Calls that are
/// all the same take a thousandth of a byte each.
fn most_missing(bytes: u64) -> u32 {
    const MOST: u32 = 1 << 26;
    let in_bytes = bytes.saturating_mul(1 << 10);
    u32::try_from(in_bytes).map_or(MOST, |it| it.min(MOST))
}

impl Builder {
    fn stream(&mut self, number: u32) -> u16 {
        let index = u16::try_from(number.saturating_sub(1)).unwrap_or(MOST_STREAMS);
        let index = index.min(MOST_STREAMS);
        let length = usize::from(index) + 1;
        if self.model.streams.len() < length {
            self.model.streams.resize_with(length, Default::default);
            self.running.resize_with(length, Default::default);
        }
        index
    }

    fn chunk(&mut self, chunk: &EventChunk) {
        let header = *chunk.header();
        let stream = self.stream(header.stream.0);
        self.fill_up(header.first.0);
        self.define_up_to(stream, header.defined);
        if let Err(error) = chunk.records(|record| self.record(stream, &record)) {
            self.model.notes.push(error.to_string());
            self.gap(stream, GapReason::Damaged);
        }
    }

    /// A chunk that cannot be read: its events keep their numbers.
    fn damaged<S: ReadAt>(&mut self, log: &LogFile<S>, index: usize, damage: Damage) {
        self.model.damage.push(damage);
        let Some(header) = log.chunks().nth(index).copied() else {
            return;
        };
        let stream = self.stream(header.stream.0);
        self.fill_up(header.first.0.saturating_add(u64::from(header.events)));
        self.drop_stream(stream, GapReason::Damaged);
    }

    /// Events that are missing have numbers too.
    fn fill_up(&mut self, to: u64) {
        let have = self.model.events.len() as u64;
        if to <= have {
            return;
        }
        if to - have > u64::from(self.most_missing) {
            self.model
                .notes
                .push("events are missing; the numbers behind them are others".to_owned());
            return;
        }
        for _ in have..to {
            self.model.events.push(Event {
                kind: Kind::Gap,
                stream: 0,
                call: NONE,
                site: SiteId::NONE,
                key: NONE,
                owner: Value::Unknown,
                value: Value::Unknown,
            });
        }
    }

    /// What was defined in a part that is missing has a number and nothing else.
    fn define_up_to(&mut self, stream: u16, defined: [u32; 3]) {
        let most = self.most_missing;
        let next = self.next();
        let Some(tables) = self.model.streams.get_mut(usize::from(stream)) else {
            return;
        };
        let [texts, objects, scopes] = defined.map(|count| count.min(most) as usize);
        if tables.texts.len() != texts {
            tables.texts.resize(texts, "…".to_owned());
        }
        if tables.objects.len() != objects {
            tables.objects.resize(objects, Object::default());
        }
        if tables.scopes.len() != scopes {
            tables.scopes.resize(
                scopes,
                ScopeInstance {
                    of: crate::ids::StaticScopeId::NONE,
                    parent: ScopeId::NONE,
                    call: NONE,
                    entered: next,
                },
            );
        }
    }

    fn next(&self) -> u32 {
        u32::try_from(self.model.events.len()).unwrap_or(NONE)
    }

    fn top(&self, stream: u16) -> u32 {
        let running = self.running.get(usize::from(stream));
        running
            .and_then(|running| running.calls.last())
            .map_or(NONE, |frame| frame.call)
    }

    fn event(&mut self, stream: u16, kind: Kind, site: SiteId, value: Value) -> u32 {
        let event = Event {
            kind,
            stream,
            call: self.top(stream),
            site,
            key: NONE,
            owner: Value::Unknown,
            value,
        };
        self.push(event)
    }

    fn push(&mut self, event: Event) -> u32 {
        let number = self.next();
        if number >= NONE - 1 {
            if !self.is_full {
                self.is_full = true;
                self.model.notes.push(
                    "the log has more than 4,294,967,294 events; the first are used".to_owned(),
                );
            }
            return NONE;
        }
        self.model.events.push(event);
        number
    }

    fn key(&mut self, key: Key) -> u32 {
        if let Some(&number) = self.model.key_numbers.get(&key) {
            return number;
        }
        let number = u32::try_from(self.model.keys.len()).unwrap_or(NONE);
        self.model.keys.push(key.clone());
        self.model.key_numbers.insert(key, number);
        number
    }

    /// The key that a record has as a value.
    fn key_of(&mut self, stream: u16, key: Value) -> u32 {
        let key = match key {
            Value::Symbol(id) => {
                let class = self.model.object(stream, id.0).map_or(0, |it| it.class);
                let text = self.model.text(stream, class).to_owned();
                Key::Symbol(stream, id.0, text)
            }
            key => Key::Property(super::plain_text(&self.model, stream, key)),
        };
        self.key(key)
    }

    fn write(&mut self, stream: u16, owner: Value, key: u32, event: u32, listed: u32) {
        if let Some(object) = owner.object()
            && event != NONE
        {
            self.model.writes.push(KeyWrite {
                stream,
                object: object.0,
                key,
                event,
                listed,
            });
        }
    }

    fn enter(&mut self, stream: u16, function: FunctionId) {
        let number = self.next();
        let call = u32::try_from(self.model.calls.len()).unwrap_or(NONE);
        let running = &mut self.running[usize::from(stream)];
        let mut site = SiteId::NONE;
        let mut parent = NONE;
        if let Some(frame) = running.calls.last_mut() {
            parent = frame.call;
            site = frame.pending.last().copied().unwrap_or_default();
            frame.entered = true;
            frame.last_child = call;
        }
        running.calls.push(Frame {
            call,
            pending: Vec::new(),
            step: NONE,
            entered: false,
            last_child: NONE,
            activation: 0,
        });
        let task = running.task;
        // What a suspended function calls when it goes on is as deep below it as what it called before.
        let caller = self.model.calls.get(parent as usize);
        let depth = caller.map_or(0, |caller| caller.depth.saturating_add(1));
        self.model.calls.push(Call {
            function,
            stream,
            parent,
            enter: number,
            exit: NONE,
            site,
            this: Value::Unknown,
            arguments: (0, NONE),
            outcome: CallOutcome::Open,
            scope: ScopeId::NONE,
            task,
            depth,
            suspended: false,
        });
        self.event(stream, Kind::Call, site, Value::Unknown);
    }

    /// A function ends: the newest call of it that is running. Calls above it were left without a word.
    fn exit(
        &mut self,
        stream: u16,
        function: FunctionId,
        kind: Kind,
        site: SiteId,
        outcome: CallOutcome,
        value: Value,
    ) {
        let running = &mut self.running[usize::from(stream)];
        let calls = &self.model.calls;
        let is_it = |frame: &Frame| {
            calls
                .get(frame.call as usize)
                .is_some_and(|call| call.function == function)
        };
        let Some(at) = running.calls.iter().rposition(is_it) else {
            // The beginning is not in the log.
            self.event(stream, kind, site, value);
            return;
        };
        running.calls.truncate(at + 1);
        let number = self.event(stream, kind, site, value);
        let frame = self.running[usize::from(stream)].calls.pop();
        if let Some(call) = frame.and_then(|frame| self.model.calls.get_mut(frame.call as usize)) {
            call.exit = number;
            call.outcome = outcome;
        }
    }

    /// An exception has arrived in a handler: whatever is above its function was left, also where the stack had no room
    /// for saying so.
    fn unwound_to(&mut self, stream: u16, site: SiteId) {
        let Some(function) = self.model.site(site).map(|it| it.function) else {
            return;
        };
        let number = self.next();
        let running = &mut self.running[usize::from(stream)];
        let calls = &mut self.model.calls;
        let is_it = |frame: &Frame| {
            calls
                .get(frame.call as usize)
                .is_some_and(|call| call.function == function)
        };
        let Some(at) = running.calls.iter().rposition(is_it) else {
            return;
        };
        for frame in running.calls.drain(at + 1..) {
            if let Some(call) = calls.get_mut(frame.call as usize) {
                call.exit = number;
                call.outcome = CallOutcome::Threw;
            }
        }
    }

    fn gap(&mut self, stream: u16, reason: GapReason) {
        let number = self.event(stream, Kind::Gap, SiteId::NONE, Value::Unknown);
        self.model.gaps.push((number, reason));
        self.drop_running(stream);
    }

    fn drop_stream(&mut self, stream: u16, reason: GapReason) {
        let number = self.next();
        self.model.gaps.push((number, reason));
        self.drop_running(stream);
    }

    fn drop_running(&mut self, stream: u16) {
        let running = &mut self.running[usize::from(stream)];
        running.calls.clear();
        running.task = NONE;
        running.ended = None;
    }

    fn finish(mut self) -> Model {
        self.model.writes.sort_unstable();
        self.model.told.sort_unstable();
        // A script that was cut off has tables that name what it has not.
        debug_assert!(self.model.writes.is_sorted());
        self.model
    }
}
