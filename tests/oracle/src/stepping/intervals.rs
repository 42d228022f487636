//! Which lines can have run between two stops.
//!
//! From one stop to the next the page runs the rest of the statement that it was at, and whatever there is no
//! stop in. What that can be is known from the two stacks:
//!
//! - At a *return* the function is over: what runs is the rest of the caller's line.
//! - At anything else the rest of the line runs. (Also at a call: where one begins a statement, the engine stops before
//!   what the call takes is evaluated.)
//! - A function that was *entered* may have run the default values in its head.
//! - A generator or async function that was *resumed* has run the rest of the line at which it was suspended.
//! - One that was *suspended* gave back to its caller, who may have run on.
//! - A generator that is *called* runs what is in its head, and nothing that there is a stop in.
//! - Between the fields of a class the engine does not always stop: any of those on the way can have run.

use std::collections::{BTreeSet, HashMap};

use super::places::{Script, Scripts};
use super::stops::{BreakKind, Frame, Stop};
use super::{Line, Verdict};

/// A function: its script, and where it begins there (line and column, counted from 0).
type Function = (String, (u32, u32));

/// An activation, by the watcher's number, and the line at which it was suspended.
type Suspended = (u64, Line);

/// The stops of one page, with what was suspended at each.
pub(super) struct Intervals<'s> {
    stops: &'s [Stop],
    scripts: &'s Scripts,
    /// For each stop: the lines at which functions that were resumed just before it had been suspended.
    resumed_at: Vec<Vec<Line>>,
    /// Generators with code in their heads: what they are called, and where.
    generators: Vec<(&'s str, Line)>,
}

impl<'s> Intervals<'s> {
    pub(super) fn new(stops: &'s [Stop], scripts: &'s Scripts) -> Self {
        let mut intervals = Self {
            stops,
            scripts,
            resumed_at: vec![Vec::new(); stops.len()],
            generators: scripts
                .values()
                .flat_map(|script| generators(script))
                .collect(),
        };
        intervals.follow_suspensions();
        intervals
    }

    fn follow_suspensions(&mut self) {
        let mut suspended: HashMap<Function, Vec<Suspended>> = HashMap::new();
        for (index, pair) in self.stops.windows(2).enumerate() {
            let [before, after] = pair else { continue };
            let common = common_frames(before, after);
            for frame in &before.frames[..before.frames.len() - common] {
                if self.may_suspend(frame) {
                    let key = (frame.script.clone(), frame.function);
                    let line = self.line(frame);
                    suspended
                        .entry(key)
                        .or_default()
                        .push((frame.activation, line));
                }
            }
            for frame in &after.frames[..after.frames.len() - common] {
                let key = (frame.script.clone(), frame.function);
                let Some(waiting) = suspended.get_mut(&key) else {
                    continue;
                };
                let is_it = |(activation, _): &Suspended| *activation == frame.activation;
                if let Some(found) = waiting.iter().rposition(is_it) {
                    let (_, line) = waiting.remove(found);
                    self.resumed_at[index + 1].push(line);
                }
            }
        }
    }

    /// Where the value that was seen first at the stop with this number (from 1) can have been made.
    pub(super) fn lines_before(&self, stop: usize) -> Verdict {
        let (Some(index), Some(after)) = (stop.checked_sub(2), self.stops.get(stop - 1)) else {
            return Verdict::Unknown("it happened before the first stop");
        };
        let Some(before) = self.stops.get(index) else {
            return Verdict::Unknown("it happened before the first stop");
        };
        let mut lines = BTreeSet::new();
        let common = common_frames(before, after);
        let entered = &after.frames[..after.frames.len() - common];
        let left = &before.frames[..before.frames.len() - common];
        let resumed = &self.resumed_at[stop - 1];
        let newest = &before.frames[0];
        match before.kind {
            BreakKind::Return => {}
            BreakKind::Call | BreakKind::Statement => lines.extend(self.rest(before, 0, after)),
        }
        // Who goes on when a function has returned or was suspended.
        if before.is_return || (!left.is_empty() && self.may_suspend(newest)) {
            lines.extend(self.rest(before, 1, after));
        }
        if resumed.is_empty() {
            let heads = entered.iter().filter(|frame| self.head_has_code(frame));
            lines.extend(heads.map(|frame| self.head(frame)));
        } else {
            lines.extend(resumed.iter().cloned());
        }
        let called: Vec<Line> = lines
            .iter()
            .flat_map(|line| self.heads_called(line))
            .collect();
        lines.extend(called);
        Verdict::Changed(lines)
    }

    /// The heads of the generators that the code of a line calls.
    fn heads_called(&self, line: &Line) -> Vec<Line> {
        let scripts = self.scripts.values();
        let texts: Vec<&str> = scripts
            .filter(|script| script.url == line.url)
            .map(|script| script.line(line.line - 1))
            .collect();
        let is_called = |name: &str| texts.iter().any(|text| text.contains(&format!("{name}(")));
        let called = self.generators.iter().filter(|(name, _)| is_called(name));
        called.map(|(_, head)| head.clone()).collect()
    }

    /// What can have run in one frame of `before`, counted from the newest, until `after`.
    fn rest(&self, before: &Stop, index: usize, after: &Stop) -> Vec<Line> {
        let Some(frame) = before.frames.get(index) else {
            return Vec::new();
        };
        let above_bottom = before.frames.len() - index;
        let same = after.frames.len().checked_sub(above_bottom);
        let then = same.and_then(|index| after.frames.get(index));
        match then.filter(|then| frame.is_initialiser && then.line > frame.line) {
            Some(then) => (frame.line..=then.line)
                .map(|line| self.line_of(&frame.script, line))
                .collect(),
            None => vec![self.line(frame)],
        }
    }

    /// Every line at which a frame was from just before the stop with this number (from 1) on.
    pub(super) fn ran_since(&self, stop: usize) -> BTreeSet<Line> {
        let stops = self.stops.iter().skip(stop.saturating_sub(2));
        stops
            .flat_map(|stop| &stop.frames)
            .flat_map(|frame| [self.line(frame), self.head(frame)])
            .collect()
    }

    /// What is bound when a scope begins is written where it begins.
    pub(super) fn scope_begins(&self, stop: usize, line: u32) -> BTreeSet<Line> {
        let script = self
            .stops
            .get(stop.wrapping_sub(1))
            .and_then(|stop| stop.frames.first())
            .map(|frame| frame.script.as_str())
            .unwrap_or_default();
        BTreeSet::from([Line {
            url: self.url(script),
            line,
        }])
    }

    fn url(&self, script: &str) -> String {
        self.scripts
            .get(script)
            .map(|script| script.url.clone())
            .unwrap_or_default()
    }

    /// `line` counts from 0.
    fn line_of(&self, script: &str, line: u32) -> Line {
        Line {
            url: self.url(script),
            line: line + 1,
        }
    }

    fn line(&self, frame: &Frame) -> Line {
        self.line_of(&frame.script, frame.line)
    }

    fn head(&self, frame: &Frame) -> Line {
        self.line_of(&frame.script, frame.function.0)
    }

    fn text(&self, script: &str, line: u32) -> &str {
        self.scripts
            .get(script)
            .map_or("", |script| script.line(line))
    }

    fn may_suspend(&self, frame: &Frame) -> bool {
        let text = self.text(&frame.script, frame.line);
        text.contains("yield") || text.contains("await")
    }

    /// Whether there are default values in the head of the function, or what is left over is gathered there.
    fn head_has_code(&self, frame: &Frame) -> bool {
        let (line, column) = frame.function;
        let text = self.text(&frame.script, line);
        let head = text.get(column as usize..).unwrap_or(text);
        has_code(head)
    }
}

/// Whether the head of a function, from its parameters on, runs something.
fn has_code(head: &str) -> bool {
    head.replace("=>", "").contains('=') || head.contains("...")
}

/// `function* NAME(…) {` and `NAME = function* (…) {`, if there is code in the brackets.
fn generators(script: &Script) -> Vec<(&str, Line)> {
    let lines = script.lines.iter().zip(script.first_line + 1..);
    let found = lines.filter_map(|(text, line)| {
        let (before, after) = text.split_once("function*")?;
        let (name, head) = after.split_once('(')?;
        let name = match name.trim() {
            "" => before
                .trim_end()
                .strip_suffix('=')?
                .trim_end()
                .rsplit(' ')
                .next()?,
            name => name,
        };
        let url = script.url.clone();
        has_code(head).then_some((name, Line { url, line }))
    });
    found.collect()
}

/// How many of the oldest frames are the same activations, as far as the two stops tell.
fn common_frames(before: &Stop, after: &Stop) -> usize {
    let pairs = before.frames.iter().rev().zip(after.frames.iter().rev());
    let mut common = pairs
        .take_while(|(one, other)| {
            one.script == other.script
                && one.function == other.function
                && one.activation == other.activation
        })
        .count();
    // One that has returned is another, even where the same function is in its place.
    if before.is_return && common == before.frames.len() {
        common -= 1;
    }
    common
}
