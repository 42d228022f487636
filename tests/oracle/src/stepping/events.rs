//! Which functions were called and which ways conditions went, from one stop to the next.

use super::Line;
use super::places::{Script, Scripts};
use super::stops::{Frame, Stop};

/// What the line of a token begins with.
const TOKEN: &str = "const me";

/// A condition that was decided: the `if` at this line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The line of the `if`.
    pub line: Line,
    /// The text between its brackets.
    pub condition: String,
    /// Whether it held.
    pub held: bool,
}

/// The lines of the functions that were called, in their order: of those that begin with a token (see
/// [`crate::generator`]), at which each call of theirs is stopped once.
pub(super) fn calls(stops: &[Stop], scripts: &Scripts) -> Vec<Line> {
    let called = stops.iter().filter_map(|stop| {
        let frame = stop.frames.first()?;
        let script = scripts.get(&frame.script)?;
        let is_token = script.line(frame.line).trim_start().starts_with(TOKEN);
        // A static block is none: nothing calls it.
        let head = script.line(frame.function.0).trim_start();
        let is_first = frame.line == frame.function.0 + 1
            && frame.function != (0, 0)
            && !head.starts_with("static {");
        (is_token && is_first && !stop.is_return).then(|| Line {
            url: script.url.clone(),
            line: frame.function.0 + 1,
        })
    });
    called.collect()
}

/// How each `if` came out, in the order in which they were decided.
pub(super) fn decisions(stops: &[Stop], scripts: &Scripts) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for (stop, index) in stops.iter().zip(1..) {
        let Some(frame) = stop.frames.first() else {
            continue;
        };
        let Some(script) = scripts.get(&frame.script) else {
            continue;
        };
        let Some(condition) = Condition::read(script, frame.line) else {
            continue;
        };
        // Where the engine stops first at an `if`: at the statement, or in its condition.
        let is_there = frame.column < condition.body
            && script.place_from((frame.line, condition.begins))
                == Some((frame.line, frame.column));
        if !is_there {
            continue;
        }
        let later = stops.get(index..).unwrap_or_default();
        let Some((after, line, column)) = condition.decided(later, stop, frame) else {
            continue;
        };
        let held = match condition.block_end {
            Some(end) => line > frame.line && line < end,
            None => line == frame.line && column >= condition.body,
        };
        let decision = Decision {
            line: Line {
                url: script.url.clone(),
                line: frame.line + 1,
            },
            condition: condition.text.to_owned(),
            held,
        };
        decisions.push((index + after, decision));
    }
    // What a condition calls may decide others before it.
    decisions.sort_by_key(|(decided, _)| *decided);
    decisions
        .into_iter()
        .map(|(_, decision)| decision)
        .collect()
}

/// The condition of an `if` that has a line of its own.
struct Condition<'s> {
    text: &'s str,
    /// The column at which its statement begins, and that of what runs if it holds.
    begins: u32,
    body: u32,
    /// The line at which its block ends; none: it has a statement on the same line.
    block_end: Option<u32>,
}

impl<'s> Condition<'s> {
    /// Reads a line; `None`: it has no `if`, or one whose body has no place to stop at.
    fn read(script: &'s Script, line: u32) -> Option<Self> {
        let text = script.line(line);
        let indent = text.len() - text.trim_start().len();
        let rest = text.get(indent..)?.strip_prefix("if (")?;
        let length = closing_bracket(rest)?;
        let begins = indent + "if (".len();
        let body = begins + length + ") ".len();
        let condition = Self {
            text: rest.get(..length)?,
            begins: u32::try_from(indent).ok()?,
            body: u32::try_from(body).ok()?,
            block_end: None,
        };
        if text.get(body..)? != "{" {
            let place = script.place_from((line, condition.body));
            return place.is_some().then_some(condition);
        }
        let is_end = |line: &u32| {
            let text = script.line(*line);
            text.len() - text.trim_start().len() == indent && text.trim_start().starts_with('}')
        };
        let last = script.first_line + u32::try_from(script.lines.len()).ok()?;
        let end = (line + 1..last).find(is_end)?;
        let has_stop = (line + 1..end).any(|line| script.place_from((line, 0)).is_some());
        has_stop.then_some(Self {
            block_end: Some(end),
            ..condition
        })
    }

    /// Where the frame is stopped when the condition is decided, after how many stops: on another line, or in the
    /// statement behind it. `None`: it was left or suspended before.
    fn decided(&self, later: &[Stop], stop: &Stop, frame: &Frame) -> Option<(usize, u32, u32)> {
        let depth = stop.frames.len();
        for (next, after) in later.iter().zip(0..) {
            let own = next.frames.get(next.frames.len().checked_sub(depth)?)?;
            if own.script != frame.script || own.function != frame.function {
                return None;
            }
            if next.frames.len() > depth {
                continue;
            }
            let is_body = self.block_end.is_none() && own.column >= self.body;
            if own.line != frame.line || is_body {
                return Some((after, own.line, own.column));
            }
            // It begins again: what was decided led to no stop.
            if own.column <= frame.column {
                return None;
            }
        }
        None
    }
}

/// Where the bracket ends that a text is in.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return Some(at),
            (None, ')') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_ends_at_its_bracket() {
        assert_eq!(closing_bracket("f(a) && b) {"), Some(9));
        assert_eq!(closing_bracket("a === ')') {"), Some(9));
        assert_eq!(closing_bracket("a"), None);
    }
}
