//! Where a value was made: the hops from the asked reference to there.

use serde::{Deserialize, Serialize};

use super::{Location, Value};

/// One write that brought the value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// How it brought it.
    pub kind: HopKind,
    /// Where: of a parameter the argument, of a return the `return`, else the write.
    pub location: Location,
    /// The value that it brought.
    pub value: Value,
    /// The reproduction point there, as `--at` takes it: the place, and which hit of it where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
    /// The frame, worker or other tab in which it is, with the file that ran first in it. Absent: a document of the
    /// page's own tab, or not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub realm: Option<String>,
    /// What was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The function in which it is; empty at the top level of a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The text of the line at `location`, without its line end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_line: Option<String>,
    /// The library whose code it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// How many hops are folded into this one, the first of them: in that library, or of a recursion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folded: Option<u32>,
}

/// How a hop brought the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HopKind {
    /// A variable was written.
    Copy,
    /// A property was written.
    Property,
    /// An element of an array was written.
    Element,
    /// A pattern took it out of an object or array.
    Destructuring,
    /// A caller handed it over.
    Parameter,
    /// A function returned it.
    Return,
    /// A generator yielded it, or `next` handed it over.
    Yield,
    /// A promise was settled with it.
    Await,
    /// It was thrown and caught.
    Catch,
    /// A getter gave it.
    Getter,
    /// A setter took it.
    Setter,
    /// A trap of a proxy gave or took it.
    Proxy,
    /// A built-in handed it over to a callback.
    Callback,
    /// An entry of a map, or a member of a set, was written.
    Entry,
    /// An iterator gave it.
    Iterator,
    /// It changed its form: `"5"` became `5`.
    Conversion,
    /// It was in a JSON text.
    Json,
    /// It was in a structured clone.
    Clone,
    /// It was in a message.
    Message,
    /// It was in a storage.
    Storage,
    /// It was in an address.
    Url,
    /// It was in the document.
    Dom,
    /// It was in an event.
    Event,
    /// A module exported it.
    Export,
}

/// Where a value was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// What made it.
    pub kind: EndKind,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// What else must be said: the link that is missing, why nothing more is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What a computation computed with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<EndOperand>,
}

/// What made a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// The text of the program.
    Literal,
    /// Operators, or a built-in.
    Computation,
    /// The user.
    Input,
    /// A server.
    Network,
    /// A storage of the browser.
    Storage,
    /// A random number.
    Random,
    /// A clock.
    Time,
    /// The browser.
    Browser,
    /// Nothing: a link of the reference was never there.
    Missing,
    /// It is followed no further; why is in the detail.
    Unobserved,
}

impl End {
    /// Whether both are computations at one place.
    #[must_use]
    pub fn is_same_computation(&self, other: &Self) -> bool {
        let is_computation = |end: &Self| end.kind == EndKind::Computation;
        is_computation(self) && is_computation(other) && self.location == other.location
    }

    /// Whether both are computations at one place, and this one says at least as many of the operands.
    #[must_use]
    pub fn has_operands_of(&self, other: &Self) -> bool {
        self.is_same_computation(other) && self.operands.len() >= other.operands.len()
    }
}

/// What a computation computed with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndOperand {
    /// Its text.
    pub text: String,
    /// Its value.
    pub value: Value,
}

impl EndOperand {
    /// Whether the text is a literal: where that was made is plain.
    ///
    /// ```
    /// use querypoint::answer::{EndOperand, Value, ValueType};
    /// let operand = |text: &str| EndOperand { text: text.to_owned(), value: Value::new(ValueType::Number, "19") };
    /// assert!(operand("19").is_literal() && operand("'19'").is_literal());
    /// assert!(!operand("rate").is_literal() && !operand("`${rate}`").is_literal());
    /// ```
    #[must_use]
    pub fn is_literal(&self) -> bool {
        let text = self.text.as_str();
        let quoted = ['\'', '"', '`'].into_iter().find_map(|quote| {
            let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
            let is_more = inner.contains(quote) || quote == '`' && inner.contains("${");
            Some(!is_more)
        });
        quoted.unwrap_or_else(|| text == self.value.text)
    }
}

/// The hops with those in one library, one after the other, folded into the first of them.
#[must_use]
pub fn fold_libraries(hops: Vec<Hop>) -> Vec<Hop> {
    let mut folded: Vec<Hop> = Vec::with_capacity(hops.len());
    for hop in hops {
        match folded.last_mut() {
            Some(last) if hop.library.is_some() && last.library == hop.library => {
                let more = hop.folded.unwrap_or(1);
                last.folded = Some(last.folded.unwrap_or(1).saturating_add(more));
            }
            _ => folded.push(hop),
        }
    }
    folded
}

/// The hops with those of a recursion folded: the first round is kept, and its first hop counts those of the others.
#[must_use]
pub fn fold_repetitions(hops: Vec<Hop>) -> Vec<Hop> {
    /// How many hops a round has at most.
    const LONGEST: usize = 8;
    /// How often it must be run through.
    const FEWEST: usize = 4;
    let is_same = |one: &Hop, other: &Hop| one.kind == other.kind && one.location == other.location;
    let rounds_at = |start: usize, length: usize| {
        let mut rounds = 1;
        let round =
            |number: usize| hops.get(start + number * length..start + (number + 1) * length);
        while let (Some(first), Some(next)) = (round(0), round(rounds)) {
            if !first
                .iter()
                .zip(next)
                .all(|(one, other)| is_same(one, other))
            {
                break;
            }
            rounds += 1;
        }
        rounds
    };
    let mut folded = Vec::with_capacity(hops.len());
    let mut start = 0;
    while start < hops.len() {
        let lengths = 1..=LONGEST.min((hops.len() - start) / FEWEST);
        let round = lengths
            .map(|length| (length, rounds_at(start, length)))
            .find(|(_, rounds)| *rounds >= FEWEST);
        let (length, rounds) = round.unwrap_or((1, 1));
        for (number, hop) in hops.iter().skip(start).take(length).enumerate() {
            let mut hop = hop.clone();
            if number == 0 && rounds > 1 {
                let others = u32::try_from((rounds - 1) * length).unwrap_or(u32::MAX);
                hop.folded = Some(hop.folded.unwrap_or(1).saturating_add(others));
            }
            folded.push(hop);
        }
        start += length * rounds;
    }
    folded
}

impl Hop {
    /// Whether both are of one write: it has the same kind, place and value.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.location == other.location && self.value == other.value
    }

    /// What its value became on the way to the hop that is shown before it, where that has another form.
    #[must_use]
    pub fn became<'h>(&self, before: Option<&'h Self>) -> Option<&'h Value> {
        let before = &before?.value;
        (*before != self.value).then_some(before)
    }
}

impl HopKind {
    /// The word that represents it in an answer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Property => "property",
            Self::Element => "element",
            Self::Destructuring => "destructuring",
            Self::Parameter => "parameter",
            Self::Return => "return",
            Self::Yield => "yield",
            Self::Await => "await",
            Self::Catch => "catch",
            Self::Getter => "getter",
            Self::Setter => "setter",
            Self::Proxy => "proxy",
            Self::Callback => "callback",
            Self::Entry => "entry",
            Self::Iterator => "iterator",
            Self::Conversion => "conversion",
            Self::Json => "json",
            Self::Clone => "clone",
            Self::Message => "message",
            Self::Storage => "storage",
            Self::Url => "url",
            Self::Dom => "dom",
            Self::Event => "event",
            Self::Export => "export",
        }
    }
}

impl EndKind {
    /// The word that represents it in an answer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Computation => "computation",
            Self::Input => "input",
            Self::Network => "network",
            Self::Storage => "storage",
            Self::Random => "random",
            Self::Time => "time",
            Self::Browser => "browser",
            Self::Missing => "missing",
            Self::Unobserved => "unobserved",
        }
    }

    /// What made the value, in words.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Literal => "the program's text",
            Self::Computation => "a computation",
            Self::Input => "the user",
            Self::Network => "a server",
            Self::Storage => "the browser's storage",
            Self::Random => "a random number",
            Self::Time => "a clock",
            Self::Browser => "the browser",
            Self::Missing => "nothing: it was never there",
            Self::Unobserved => "not observed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::ValueType;

    fn hop(kind: HopKind, line: u32) -> Hop {
        Hop {
            kind,
            location: Location {
                url: "a.js".to_owned(),
                line,
                column: 1,
                generated: None,
                eval_origin: None,
                library: false,
            },
            value: Value::new(ValueType::Number, "0"),
            point: None,
            realm: None,
            name: None,
            function: None,
            source_line: None,
            library: None,
            folded: None,
        }
    }

    #[test]
    fn a_recursion_is_folded_and_counted() {
        let mut hops = vec![hop(HopKind::Copy, 1)];
        for _ in 0..10_000 {
            hops.push(hop(HopKind::Conversion, 2));
            hops.push(hop(HopKind::Parameter, 3));
        }
        hops.push(hop(HopKind::Copy, 4));
        let folded = fold_repetitions(hops);
        let lines: Vec<(u32, Option<u32>)> = folded
            .iter()
            .map(|hop| (hop.location.line, hop.folded))
            .collect();
        assert_eq!(lines, [(1, None), (2, Some(19_999)), (3, None), (4, None)]);
    }

    #[test]
    fn what_is_only_run_through_a_few_times_is_shown() {
        let three = vec![hop(HopKind::Return, 1); 3];
        assert_eq!(fold_repetitions(three.clone()), three);
        let four = fold_repetitions(vec![hop(HopKind::Return, 1); 4]);
        assert_eq!(four.len(), 1);
        assert_eq!(four[0].folded, Some(4));
        assert!(fold_repetitions(Vec::new()).is_empty());
    }
}
