//! What the analysis found, by the places of the author's files.

use js_analysis::call_graph::{CallFacts, CallGraph};
use std::collections::HashMap;
use std::sync::OnceLock;

use js_analysis::omission::{Candidate, Coverage, HandedOver, Holders, Mentions, Texts};
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::rewrite::{ParsedScript, Script};
use parking_lot::Mutex;
use querypoint::answer::{Flipped, Location};
use querypoint::query::CodeLine;

use crate::sources::{ScriptIn, SourceLocation, Sources};

/// The scripts of a page with what ran of them.
#[derive(Debug, Default)]
pub(crate) struct Analysed {
    pub(super) scripts: Vec<AnalysedScript>,
    pub(super) graph: CallGraph,
    /// What was not looked at, in words.
    pub(super) unknown: Vec<String>,
    /// A script that was not read.
    pub(super) unread: Option<String>,
    /// Whether something may have been thrown that was not seen to be.
    pub(super) may_have_thrown: bool,
    /// Of the modules that did not run though they were loaded, by script, why.
    pub(super) failures: HashMap<u32, Candidate>,
}

#[derive(Debug)]
pub(super) struct AnalysedScript {
    pub(super) text: usize,
    pub(super) script: ScriptIn,
    pub(super) parsed: ParsedScript,
    /// What it hands over, once that was asked.
    pub(super) beside: OnceLock<HandedOver>,
    /// Where it names its variables, once that was asked.
    pub(super) mentions: OnceLock<Mentions>,
    /// What it does with what it holds, once that was asked.
    pub(super) holders: OnceLock<Holders>,
    /// The texts by which it tells something.
    pub(super) texts: OnceLock<Texts>,
    /// Whether each source of its map is a library's, by its number.
    pub(super) foreign: Mutex<HashMap<Option<u32>, bool>>,
    /// Whether it begins as builds do that libraries are given out as.
    pub(super) is_published: bool,
    pub(super) facts: CallFacts,
    pub(super) coverage: Option<Coverage>,
}

impl Sources {
    /// Reads the syntax tree of a script of a page.
    pub(super) fn read_tree<T>(
        &self,
        analysed: &Analysed,
        script: u32,
        work: impl FnOnce(&Script<'_>, &AnalysedScript) -> T,
    ) -> Option<T> {
        let own = analysed.scripts.get(script as usize)?;
        let text = self.texts.get(own.text)?;
        let content = text.content(&own.script)?;
        Some(own.parsed.with(content, |parsed| work(parsed, own)))
    }
}

/// A place of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaceInScript {
    pub(super) script: u32,
    pub(super) at: ByteOffset,
}

/// Why a line is no place of a script.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NoPlace {
    /// No script that came has this name; the calls of `import` that name it.
    NoScript(Vec<Located>),
    /// The script of this name does not parse: why, and where.
    NotParsed(String, Box<Located>),
    /// Nothing runs on that line; the nearest on which something does.
    NoCode(Vec<u32>),
}

/// A candidate in its author's file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Located {
    pub(crate) found: Candidate,
    pub(crate) place: SourceLocation,
    /// The statement that left because of it.
    pub(crate) jump: Option<SourceLocation>,
    pub(crate) function: Option<String>,
    pub(crate) text: String,
    /// The texts of its operands, with the author's names.
    pub(crate) operands: Vec<String>,
    /// Where the page can be paused before it, as a query names it.
    pub(crate) pause: Option<CodeLine>,
    /// Whether it is in code that the page's author did not write, as far as source maps and addresses say.
    pub(crate) is_foreign: bool,
    /// What is evaluated before it, to know whether it is a decision at all: `true` if it is.
    pub(crate) check: Option<String>,
    /// The statements of which one threw.
    pub(crate) tried: Vec<Step>,
    /// It is none unless an exception is found that was thrown there.
    pub(crate) only_if_thrown: Option<Extent>,
    /// The texts of the arguments of which one is the function that was handed over; empty: it is written there.
    pub(crate) handed: Vec<String>,
    /// How it is turned round; none: it cannot be.
    pub(crate) flip: Option<Flip>,
    /// What happened when it was.
    pub(crate) flipped: Option<Flipped>,
    /// What it kept from being done, where that is asked; and how many other operations it kept, too.
    pub(crate) operation: Option<LocatedOperation>,
    pub(crate) others: usize,
}

impl Located {
    /// One of which no more is known than where it is.
    pub(crate) fn new(found: Candidate, place: SourceLocation, text: String) -> Self {
        Self {
            found,
            place,
            text,
            jump: None,
            function: None,
            operands: Vec::new(),
            pause: None,
            is_foreign: false,
            check: None,
            tried: Vec::new(),
            only_if_thrown: None,
            handed: Vec::new(),
            flip: None,
            flipped: None,
            operation: None,
            others: 0,
        }
    }
}

/// A test that comes out otherwise, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flip {
    /// The address of the text that it is in, and where its script begins there.
    pub(super) url: String,
    pub(super) begins: ByteOffset,
    /// The test, in the script.
    pub(super) span: ByteSpan,
    /// How it is to come out; none: other than it would.
    pub(super) wanted: Option<bool>,
    /// At which of its evaluations, from 1.
    pub(super) number: u64,
}

impl Flip {
    /// The same at another of the test's evaluations, from 1.
    pub(crate) fn at(self, number: u64) -> Self {
        Self { number, ..self }
    }
}

/// An expression of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExpressionAt {
    /// The address of the text that it is in, and where its script begins there.
    pub(super) url: String,
    pub(super) begins: ByteOffset,
    /// Where it is in the script.
    pub(super) span: ByteSpan,
}

/// An operation on an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LocatedOperation {
    pub(crate) place: SourceLocation,
    /// With the name of the asked object in it.
    pub(crate) text: String,
    /// Whether the object is named as it was asked: others are the object by the analysis only.
    pub(crate) is_named: bool,
    /// How often it was done, as far as the counts say.
    pub(crate) count: u64,
    pub(crate) at: ExpressionAt,
    /// Whether it is behind a `?.`.
    pub(crate) is_optional: bool,
}

impl LocatedOperation {
    /// Its place as a query names it.
    pub(crate) fn line(&self) -> CodeLine {
        CodeLine {
            file: self.place.location.url.clone(),
            line: self.place.location.line,
            column: Some(self.place.location.column),
        }
    }
}

/// What was found out about one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Unchanged {
    pub(crate) explained: Explained,
    /// Operations that were done.
    pub(crate) done: Vec<LocatedOperation>,
    /// How many were not.
    pub(crate) omitted: usize,
    /// Whether it is known where the object was made.
    pub(crate) is_by_object: bool,
    /// Whether something was thrown while the page ran: then operations that began need not have been done.
    pub(crate) may_have_thrown: bool,
}

/// A call that must be looked at more closely.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LocatedSuspect {
    /// The index of the script.
    pub(crate) script: u32,
    pub(crate) place: SourceLocation,
    pub(crate) function: Option<String>,
    pub(crate) text: String,
    pub(crate) calls: u32,
    /// As of [`Located`].
    pub(crate) is_foreign: bool,
    /// Where the function is that was to end, if it is one: [`js_analysis::omission::Suspect::is_to_end`].
    pub(crate) extent: Option<Extent>,
    /// What it is, where an object is asked about.
    pub(crate) operation: Option<LocatedOperation>,
    /// The statements up to it in its function, in their order, itself the last.
    pub(crate) steps: Vec<Step>,
}

/// A statement that may have thrown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) place: SourceLocation,
    pub(crate) line: CodeLine,
    pub(crate) text: String,
}

/// Where a function is, in its author's file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Extent {
    pub(crate) first: SourceLocation,
    pub(crate) last: SourceLocation,
}

impl Extent {
    /// Whether a place is in it. Source maps need not know where its last statement ends: its line is enough.
    pub(crate) fn holds(&self, place: &Location) -> bool {
        let (first, last) = (&self.first.location, &self.last.location);
        let is_before_end = match last.generated {
            Some(_) => place.line <= last.line,
            None => (place.line, place.column) <= (last.line, last.column),
        };
        place.url == first.url
            && (first.line, first.column) <= (place.line, place.column)
            && is_before_end
    }
}

/// What was found out about one line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Explained {
    /// How often it ran, as far as the counts say.
    pub(crate) count: u64,
    pub(crate) candidates: Vec<Located>,
    pub(crate) suspects: Vec<LocatedSuspect>,
    /// The statements up to the line in its function, itself the last.
    pub(crate) steps: Vec<Step>,
    /// Where the line is.
    pub(crate) place: Option<SourceLocation>,
    /// What was not looked at, in words.
    pub(crate) unknown: Vec<String>,
}
