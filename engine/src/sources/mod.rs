//! The texts of an execution: what the author wrote, what the browser runs, and the way back.
//!
//! A text is rewritten once and kept: the next execution gets the same text with the same site numbers, so that
//! the events of two executions can be compared by number.

mod activations;
mod budget;
mod callers;
mod conditions;
mod dynamic_code;
mod guesses;
mod job;
mod logged;
mod map_names;
mod named;
mod omissions;
mod origin_comments;
mod origins;
mod parsed;
mod position_mapping;
mod rewrite_ahead;
mod rewriting;
mod seen_scripts;
mod survey;
mod try_blocks;
mod worklet_modules;

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use js_analysis::Goal;
use js_analysis::edits::{Edits, MappedText, PositionMap};
use js_analysis::position::{ByteOffset, ByteSpan, LineIndex};
use js_analysis::rewrite::{Extents, Making, OriginalScopes, OuterScope, ParsedScripts, SiteKind};
use js_analysis::source_map::SourceMap;
use querypoint::answer::EvalOrigin;
use querypoint::point::ReproductionPoint;

use super::collection::Collection;
use super::logging::Recorder;
pub(super) use activations::FunctionOfFrame;
use budget::Budget;
pub(super) use callers::Caller;
pub(super) use conditions::FrameFlow;
#[cfg(test)]
pub(super) use dynamic_code::InMemoryScript;
pub(super) use dynamic_code::{DynamicCode, RewrittenCode};
pub(super) use guesses::{Guess, Guesses};
use job::Job;
pub(super) use map_names::MapNames;
pub(super) use named::name_variables;
pub(super) use origins::Home;

pub(super) use omissions::{
    Analysed, Explained, Flip, Located, LocatedOperation, NoPlace, Step, Unchanged,
};
pub(super) use parsed::Origin;
pub(super) use position_mapping::SourceLocation;
pub(super) use seen_scripts::{PointSearch, SeenScripts};

/// One text that the browser got, with the way back to what its author wrote.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) url: String,
    pub(super) mapped: MappedText,
    source_map: Option<SourceMap>,
    /// How far its expressions reach, once that was asked for.
    extents: OnceLock<Option<Extents>>,
    /// The scripts in it: one, or those of a document.
    scripts: Vec<ScriptIn>,
    /// The author's names, where a source map tells them.
    names: Option<OriginalScopes>,
    kind: ResponseKind,
    /// The digest of what runs, where no response held it.
    digest: Option<String>,
    /// The call that made it, where that is known.
    eval_origin: Option<EvalOrigin>,
    /// What it sees of the code around, where it was given to `eval`.
    outer: Option<Arc<OuterScope>>,
    parsed: Arc<ParsedScripts>,
}

/// A script in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ScriptIn {
    span: ByteSpan,
    goal: Goal,
    /// Its number among all scripts.
    number: u32,
}

/// A site, as an execution's events name it.
#[derive(Clone, Debug)]
pub(super) struct SiteEntry {
    text: usize,
    at: ByteOffset,
    pub(super) function: Option<String>,
    anchor: Option<u32>,
    /// The name of the built-in that may be called there.
    calls: Option<String>,
    making: Option<Making>,
    pub(super) condition: Option<ConditionText>,
    kind: SiteKind,
    /// The queries whose point it can be, by index; known only of sources that are surveyed.
    asked: Vec<usize>,
}

/// A condition as its author wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConditionText {
    pub(super) text: String,
    pub(super) operands: Vec<String>,
    /// Where the operands begin.
    operand_places: Vec<ByteOffset>,
}

/// All texts seen, over all executions of one question.
#[derive(Debug)]
pub(super) struct Sources {
    collection: Arc<Collection>,
    at: ReproductionPoint,
    texts: Vec<Text>,
    latest: HashMap<String, usize>,
    sites: Vec<SiteEntry>,
    kept: HashMap<(String, u64, bool), Kept>,
    modules: HashSet<String>,
    /// What script elements say of their encoding, by address.
    charsets: HashMap<String, String>,
    /// Classic scripts that are in documents: the parser waits for them.
    of_documents: HashSet<String>,
    /// Where scripts were redirected to, by the address that they were asked for at.
    redirects: HashMap<String, String>,
    /// Responses that must stay as they are, each with the reason.
    untouchable: HashMap<String, &'static str>,
    /// Responses that are being waited for.
    awaited: Vec<String>,
    /// Modules that run where there is no agent: they stay as they are, and so does what they import.
    elsewhere: HashSet<String>,
    /// How many scripts turned out to be modules.
    refinements: usize,
    /// Texts that the page made code of, by the digest of what they became.
    made: HashMap<String, (usize, ByteOffset)>,
    next_script: u32,
    /// Where the reproduction point is in an event-handler attribute: the engine's positions are not those
    /// of the attribute there.
    attribute_point: Option<(usize, ByteOffset)>,
    /// Where the reproduction point can be.
    point_places: Vec<(usize, ByteOffset)>,
    /// Whether it is kept of each site which queries it is for.
    is_surveyed: bool,
    /// How much more may be kept.
    budget: Budget,
    /// Scripts that are looked at again and again: for each frame of a stack, for each round of rewriting.
    parsed: Arc<ParsedScripts>,
    /// What logs the execution, if it is logged.
    recorder: Option<Arc<Recorder>>,
    /// The test that comes out otherwise once, if one is to.
    flip: Option<omissions::Flip>,
    /// The operations that are counted where they end.
    ends: Option<omissions::CountedEnds>,
    /// The only server that requests are sent to while it is.
    confined_to: Option<String>,
}

/// The bytes of the scripts of which syntax trees are kept: a tree takes many times as much. So that one of 9 MB is
/// kept costs 21 to 29 MB at the peak (`cargo xtask bench --only memory`).
const PARSED_AT_MOST: usize = 16 << 20;

#[derive(Clone, Debug)]
struct Kept {
    text: usize,
    seen: SeenScripts,
}

fn content_hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// How a response is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResponseKind {
    Document,
    Script,
}
impl Sources {
    pub(super) fn new(collection: Arc<Collection>, at: ReproductionPoint) -> Self {
        Self {
            collection,
            at,
            texts: Vec::new(),
            latest: HashMap::new(),
            // Site numbers begin at 1.
            sites: Vec::new(),
            kept: HashMap::new(),
            modules: HashSet::new(),
            charsets: HashMap::new(),
            of_documents: HashSet::new(),
            redirects: HashMap::new(),
            untouchable: HashMap::new(),
            awaited: Vec::new(),
            elsewhere: HashSet::new(),
            refinements: 0,
            made: HashMap::new(),
            next_script: 1,
            attribute_point: None,
            point_places: Vec::new(),
            is_surveyed: false,
            budget: Budget::default(),
            parsed: Arc::new(ParsedScripts::new(PARSED_AT_MOST)),
            recorder: None,
            flip: None,
            ends: None,
            confined_to: None,
        }
    }

    /// Takes over what others, of the same page, know of responses that must stay as they are.
    pub(super) fn learn_from(&mut self, others: &Self) {
        self.untouchable.clone_from(&others.untouchable);
        self.parsed = others.parsed.clone();
    }

    /// Whether a script of this address is known to be a module.
    pub(super) fn is_module(&self, url: &str) -> bool {
        self.modules.contains(url)
    }

    /// The encoding that the script's element names.
    pub(super) fn charset(&self, url: &str) -> Option<&str> {
        self.charsets.get(url).map(String::as_str)
    }

    /// Rewrites one response, or takes what it became before; adds what it saw to `seen`. `None`: the response
    /// stays as it is.
    pub(super) fn rewrite(
        &mut self,
        url: &str,
        source: &str,
        kind: ResponseKind,
        source_map: Option<SourceMap>,
        capture: bool,
        seen: &mut SeenScripts,
    ) -> Option<&str> {
        let key = (url.to_owned(), content_hash(source), capture);
        let kept = match self.kept.get(&key) {
            Some(kept) => kept.clone(),
            None if !self.budget.holds(source) => {
                seen.unhooked_script(url, budget::OVER_BUDGET);
                return None;
            }
            None => {
                let kept = self.rewrite_anew(url, source, kind, source_map, capture);
                self.kept.insert(key, kept.clone());
                kept
            }
        };
        seen.add(&kept.seen);
        self.latest.insert(url.to_owned(), kept.text);
        let text = self.texts.get(kept.text)?;
        (kept.seen.hooked > 0 || text.mapped.rewritten != text.mapped.original)
            .then_some(text.mapped.rewritten.as_str())
    }

    fn rewrite_anew(
        &mut self,
        url: &str,
        source: &str,
        kind: ResponseKind,
        source_map: Option<SourceMap>,
        capture: bool,
    ) -> Kept {
        let both = self.recorder.as_ref();
        let both = both.and_then(|it| it.both_versions(source));
        let source_map = match (source_map, &both) {
            (Some(map), Some(both)) => Some(both.moved(&map, source)),
            (map, _) => map,
        };
        let source = both.as_ref().map_or(source, |both| both.text.as_str());
        let text = self.reserve(url, kind);
        let mut job = Job {
            url,
            source,
            lines: LineIndex::new(source),
            source_map: source_map.as_ref(),
            capture,
            kind,
            text,
            outer: None,
            edits: Edits::default(),
            scripts: Vec::new(),
            in_templates: Vec::new(),
            seen: SeenScripts::default(),
            names: None,
        };
        match kind {
            ResponseKind::Script => self.script(&mut job),
            ResponseKind::Document => self.document(&mut job),
        }
        let Job {
            edits,
            scripts,
            in_templates,
            seen,
            names,
            ..
        } = job;
        let (rewritten, map) = edits.apply(source);
        let mapped = MappedText::new(source.to_owned(), rewritten, map);
        self.keep_running(text, &mapped, &in_templates);
        let whole = Text {
            url: url.to_owned(),
            mapped,
            source_map,
            extents: OnceLock::new(),
            scripts,
            names,
            kind,
            digest: None,
            eval_origin: None,
            outer: None,
            parsed: self.parsed.clone(),
        };
        self.fill(text, whole);
        Kept { text, seen }
    }

    /// A number for a text that is about to be rewritten. Texts that are found in it get theirs meanwhile.
    fn reserve(&mut self, url: &str, kind: ResponseKind) -> usize {
        let number = self.texts.len();
        self.texts.push(Text {
            url: url.to_owned(),
            mapped: MappedText::new(String::new(), String::new(), PositionMap::default()),
            source_map: None,
            extents: OnceLock::new(),
            scripts: Vec::new(),
            names: None,
            kind,
            digest: None,
            eval_origin: None,
            outer: None,
            parsed: self.parsed.clone(),
        });
        number
    }

    fn fill(&mut self, number: usize, text: Text) {
        self.budget.take(&text);
        if let Some(reserved) = self.texts.get_mut(number) {
            *reserved = text;
        }
    }
}
