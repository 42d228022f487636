//! What the agent reports, as it comes over the wire: checked in shape, trusted in nothing else.

use std::collections::BTreeMap;

use js_analysis::position::{HumanPosition, Utf16Position};
use querypoint::resolution::{Finding, Findings, LastChange, OwnerId, Sequence};
use serde::Deserialize;

use super::collection::CallPlace;
use super::document_id::DocumentId;

/// The state of one document's agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct Report {
    /// Tells documents apart.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "f64"))]
    pub(super) document: DocumentId,
    /// How often the reproduction point was passed.
    pub(super) hits: u64,
    /// How many hooks have run.
    #[serde(default)]
    pub(super) sequence: u64,
    /// The hit that counts, if there was one.
    pub(super) hit: Option<Hit>,
    /// Whether every owner was followed exactly from its first write, in an execution that reads ahead.
    #[serde(default)]
    pub(super) ahead: bool,
    /// How many events there were by now, by query.
    #[serde(default)]
    pub(super) counts: BTreeMap<usize, u64>,
}

/// What an agent says when it begins.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct Greeting {
    /// The number that its reports will have.
    #[cfg_attr(test, ts(as = "f64"))]
    pub(super) document: DocumentId,
    pub(super) realm: Whereabouts,
}

/// Where an agent is.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct Whereabouts {
    /// Address of its document or worker; empty in a worklet.
    pub(super) url: String,
    /// Whether it is a document that is in no frame of another.
    pub(super) top: bool,
}

/// One hit of the reproduction point.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct Hit {
    pub(super) hit: u64,
    /// How many hooks had run by then: two executions that did the same have the same number.
    pub(super) sequence: u64,
    /// When it was, by the realm's clock, in milliseconds: realms have nothing else in common.
    #[serde(default)]
    pub(super) time: f64,
    /// By query number.
    pub(super) results: BTreeMap<usize, QueryResult>,
    pub(super) captured: Option<Captured>,
}

/// What became of a query.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub(super) struct QueryResult {
    pub(super) status: ResultStatus,
    /// The last change's sequence number.
    #[cfg_attr(test, ts(as = "Option<u64>"))]
    pub(super) sequence: Option<Sequence>,
    pub(super) site: Option<u32>,
    /// The built-in that made it, where no site did.
    pub(super) by: Option<String>,
    /// The owner's (object's or scope's) number.
    pub(super) owner: Option<u64>,
    pub(super) changes: Option<u64>,
    /// The value the reference has at the point it was asked at.
    pub(super) value: Option<Text>,
    /// Whether that value is the one the last change wrote.
    pub(super) same: Option<bool>,
    pub(super) exact: Option<Exact>,
    pub(super) message: Option<String>,
    /// What of the platform would have to be watched, in another execution, to say more: names under which objects are
    /// handed out.
    #[serde(default)]
    pub(super) parts: Vec<String>,
    /// What must be watched before it can be resolved: the property that a key in a variable means, or what the getter
    /// of an accessor reads.
    #[serde(default)]
    pub(super) reads: Vec<NeededName>,
    /// Whether functions that a getter calls must say what they read before it can be resolved.
    #[serde(default)]
    pub(super) opens: bool,
    /// Calls on the stack in whose functions conditions must be watched before it can be resolved, or the `try` block
    /// that must be.
    #[serde(skip)]
    pub(super) calls: Vec<CallPlace>,
    /// Of what is found in the frames of a stopped page: the frames that there were, the newest first.
    #[serde(default)]
    pub(super) stack: Vec<CapturedFrame>,
    /// Of a condition: the frame it was evaluated in.
    #[serde(skip)]
    pub(super) frame: u32,
    /// Of a condition, captured inside the page: the values of its operands.
    pub(super) operands: Option<Vec<Option<Text>>>,
    /// Of a count: whether the point at which it was taken is itself the last of what is counted.
    #[serde(default)]
    pub(super) own: bool,
    /// Of an event of a trace query: which of its result set it is, from 0.
    #[serde(skip)]
    pub(super) index: Option<u64>,
    /// Where the property is an accessor whose getter could be followed: that it is, and what is read.
    pub(super) accessor: Option<String>,
    /// The property that was never there, with the names that are.
    #[serde(default)]
    pub(super) absent: Option<Absent>,
    /// Whether a proxy's `get` trap that could not be followed is on the way to it.
    #[serde(default)]
    pub(super) trapped: bool,
    /// What was asked at the found change.
    #[serde(default)]
    pub(super) asked_there: BTreeMap<usize, QueryResult>,
    pub(super) captured: Option<Captured>,
}

/// A property that an object lacks.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct Absent {
    /// Its name.
    pub(super) name: String,
    /// Those that the object has.
    #[serde(default)]
    pub(super) among: Vec<String>,
}

/// A name that must be watched.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct NeededName {
    pub(super) kind: NameKind,
    pub(super) key: String,
}

/// What a name that must be watched is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(super) enum NameKind {
    Property,
    Variable,
    /// The entries of maps: it has no key.
    Map,
}

/// How a query ended inside the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(super) enum ResultStatus {
    /// There is a last change.
    Found,
    /// It was never written.
    Never,
    /// It has a value that no hook saw written.
    Unseen,
    /// An accessor property of the page.
    Accessor,
    /// No hook of this script keeps its last change.
    Unwatched,
    /// Only a debugger can resolve it.
    Late,
    /// No condition was evaluated in that function.
    None,
    /// How many events there were.
    Counted,
    /// No such event.
    Nothing,
    /// It cannot be told which event is meant.
    Undecided,
    /// An exception was thrown.
    Thrown,
    /// None was.
    Nothrow,
    /// It cannot be evaluated.
    Error,
}

/// The bookkeeping of an owner that was followed exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct Exact {
    pub(super) changes: u64,
    /// Writes that no hook saw.
    pub(super) blind: u64,
    /// A setter of the page was called instead of a write.
    pub(super) setter: bool,
}

/// A value as text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct Text {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: String,
}

/// State captured inside the page.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub(super) struct Captured {
    #[serde(default)]
    pub(super) stack: Vec<CapturedFrame>,
    #[serde(default)]
    pub(super) scopes: Vec<CapturedScope>,
    #[serde(default)]
    pub(super) watches: Vec<Text>,
    pub(super) cause: Option<CapturedCause>,
    #[serde(default)]
    pub(super) created: bool,
    #[serde(default)]
    pub(super) deleted: bool,
    pub(super) old: Option<Text>,
    /// `None`: nobody read it when it was written.
    pub(super) value: Option<Text>,
    /// Whether there was a value before, which nobody read.
    #[serde(default)]
    pub(super) old_unknown: bool,
    /// Whether variables and watches were left out.
    #[serde(default)]
    pub(super) short: bool,
    pub(super) class: Option<String>,
}

/// One frame of a captured stack; line and column 1-based, in the text that the browser ran.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct CapturedFrame {
    pub(super) function: String,
    pub(super) url: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// The variables of one captured scope.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct CapturedScope {
    pub(super) kind: String,
    pub(super) variables: Vec<CapturedVariable>,
}

/// One captured variable.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct CapturedVariable {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) value: Text,
}

/// The event that was being dispatched.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct CapturedCause {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) target: Option<String>,
}

impl CapturedFrame {
    /// Whether it is the page's own, and not one of the agent.
    pub(super) fn is_of_page(&self) -> bool {
        !self.url.starts_with("querypoint-agent-")
    }

    /// Where it is, in the text that the browser ran.
    pub(super) fn position(&self) -> Utf16Position {
        Utf16Position::from(HumanPosition {
            line: self.line,
            column: self.column,
        })
    }
}

impl Report {
    /// When the hit that counts was; before every other, if there was none.
    pub(super) fn time(&self) -> f64 {
        self.hit.as_ref().map_or(0.0, |hit| hit.time)
    }
}

impl Hit {
    /// Every result of the hit, those that hang on others included, by query number. `parent` gives the query at
    /// whose point another is asked.
    pub(super) fn all_results(
        &self,
        parent: &dyn Fn(usize) -> Option<usize>,
    ) -> BTreeMap<usize, &QueryResult> {
        let mut all = BTreeMap::new();
        collect(&self.results, parent, &mut all);
        all
    }
}

/// What is said of a result of which the page says nothing.
pub(super) const NOT_EVALUATED: &str = "it cannot be evaluated";

impl QueryResult {
    /// One that says nothing but its status.
    pub(super) fn of(status: ResultStatus, message: Option<String>) -> Self {
        Self {
            status,
            sequence: None,
            site: None,
            by: None,
            owner: None,
            changes: None,
            value: None,
            same: None,
            exact: None,
            message,
            parts: Vec::new(),
            reads: Vec::new(),
            opens: false,
            calls: Vec::new(),
            stack: Vec::new(),
            frame: 0,
            operands: None,
            own: false,
            index: None,
            accessor: None,
            absent: None,
            trapped: false,
            asked_there: BTreeMap::new(),
            captured: None,
        }
    }

    /// What it means to the domain.
    pub(super) fn finding(&self) -> Finding {
        let message = || {
            self.message
                .clone()
                .unwrap_or_else(|| NOT_EVALUATED.to_owned())
        };
        match (self.status, self.sequence, self.owner) {
            (ResultStatus::Found, Some(sequence), Some(owner)) => Finding::Changed(LastChange {
                sequence,
                owner: OwnerId(owner),
                still_holds: self.same != Some(false),
            }),
            (ResultStatus::Found | ResultStatus::Unseen, _, _) => Finding::WrittenUnseen,
            (ResultStatus::Never, _, _) => Finding::NeverChanged,
            (ResultStatus::Accessor, _, _) => Finding::Accessor { message: message() },
            (ResultStatus::Unwatched, _, _) => Finding::Unwatched,
            (ResultStatus::Late, _, _) => Finding::NeedsFrame,
            (ResultStatus::None, _, _) => Finding::NoCondition,
            // What is counted is resolved before anybody asks what it means.
            (ResultStatus::Counted | ResultStatus::Nothing, _, _) => {
                Finding::NoEvent { message: message() }
            }
            (ResultStatus::Undecided, _, _) => Finding::Undecided { message: message() },
            (ResultStatus::Thrown, _, _) => Finding::Thrown,
            (ResultStatus::Nothrow, _, _) => Finding::NotThrown,
            (ResultStatus::Error, _, _) => Finding::NoValue { message: message() },
        }
    }
}

/// What these results, read at `hit`, mean to the domain.
pub(super) fn findings(hit: &Hit, results: &BTreeMap<usize, &QueryResult>) -> Findings {
    Findings {
        hooks_run: hit.sequence,
        hit: hit.hit,
        by_query: results
            .iter()
            .map(|(&query, result)| (query, result.finding()))
            .collect(),
    }
}

/// `results` and everything that hangs on them. Two queries may ask for one name and only one of them have
/// others hang on it, so what hangs on a record is taken only where it was asked.
pub(super) fn collect<'r>(
    results: &'r BTreeMap<usize, QueryResult>,
    parent: &dyn Fn(usize) -> Option<usize>,
    all: &mut BTreeMap<usize, &'r QueryResult>,
) {
    for (&query, result) in results {
        all.insert(query, result);
        collect_below(query, result, parent, all);
    }
}

fn collect_below<'r>(
    query: usize,
    result: &'r QueryResult,
    parent: &dyn Fn(usize) -> Option<usize>,
    all: &mut BTreeMap<usize, &'r QueryResult>,
) {
    for (&asked, below) in &result.asked_there {
        if parent(asked) == Some(query) {
            all.insert(asked, below);
            collect_below(asked, below, parent, all);
        }
    }
}

/// The declarations of these types, for the agent's modules: see `agent_message`.
#[cfg(test)]
pub(super) fn declarations(types: &ts_rs::Config) -> Vec<String> {
    use ts_rs::TS as _;
    vec![
        Report::decl(types),
        Greeting::decl(types),
        Whereabouts::decl(types),
        Hit::decl(types),
        QueryResult::decl(types),
        Absent::decl(types),
        NeededName::decl(types),
        NameKind::decl(types),
        ResultStatus::decl(types),
        Exact::decl(types),
        Text::decl(types),
        Captured::decl(types),
        CapturedFrame::decl(types),
        CapturedScope::decl(types),
        CapturedVariable::decl(types),
        CapturedCause::decl(types),
    ]
}
