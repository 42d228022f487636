//! Logs in memory, for declarative debugging: one browser runs the page, and versions of it, as often as is needed.

pub mod functions;
pub mod session;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use cdp_driver::native::{Browser, TokioClock};
use diagnosis::{
    Answer, Declared, DeclaredOf, Interview, LogTree, Loop, LoopPart, Loops, NodeId, ReadsAt,
    Strategy, Uses, UsesOf, Verdict, judge,
};
use engine::logging::loops::{self as logged, LoggedLoops, loops_at};
use engine::logging::versions::{
    PagePair, Pairing, RenamedBuiltIns, documented, outside, reads_at,
};
use engine::logging::{ClockReadings, Detail, LogOutcome, LogRequest, LoggedSource, log_execution};
use event_log::file::{LogFile, Unrecorded};
use event_log::ids::FunctionId;
use event_log::model::{Call, Model, NONE};
use parking_lot::Mutex;
use recording::Recording;
use serde_json::json;
use url::Url;

use crate::browser::{BrowserOptions, open_browser, purpose};
use crate::cancelling::Cancellation;
use crate::failure::Failure;
use crate::progress::{Reporter, of_questions};

/// A browser in which pages are logged, one after the other. It is gone when this is dropped.
#[derive(Debug)]
pub struct LoggingBrowser {
    browser: Browser,
    cancellation: Cancellation,
}

/// What is written, kept in memory.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LoggingBrowser {
    /// Starts a browser, or attaches to one; `recording` is what it will replay.
    ///
    /// # Errors
    /// If there is none, it does not answer, or it is cancelled.
    pub async fn open(
        options: &BrowserOptions,
        recording: Option<&Recording>,
        cancellation: &Cancellation,
        reporter: &mut dyn Reporter,
    ) -> Result<Self, Failure> {
        reporter.stage("starting the browser");
        let purpose = purpose(options, recording);
        Ok(Self {
            browser: open_browser(options, purpose, cancellation).await?,
            cancellation: cancellation.clone(),
        })
    }

    /// Runs a page and gives its log.
    ///
    /// # Errors
    /// If the page or the browser is lost before anything was recorded, or if it is cancelled.
    pub async fn log(
        &self,
        request: &LogRequest,
        reporter: &mut dyn Reporter,
    ) -> Result<(Model, LogOutcome), Failure> {
        let (bytes, outcome) = self.log_file(request, reporter).await?;
        Ok((model_of(&bytes)?, outcome))
    }

    /// Runs a page as far as the recording can be replayed, and gives its log as the bytes of a file. Where a step
    /// cannot be done, the page runs once more up to it: `request` has the shorter recording then.
    ///
    /// # Errors
    /// As [`Self::log`].
    pub async fn log_as_far_as_possible(
        &self,
        request: &mut LogRequest,
        reporter: &mut dyn Reporter,
    ) -> Result<(Vec<u8>, LogOutcome), Failure> {
        let mut whys = Vec::new();
        loop {
            let (bytes, mut outcome) = self.log_file(request, reporter).await?;
            let shorter = outcome.failed_step.and_then(|step| {
                let before = step.checked_sub(1)?;
                request.recording.as_ref()?.up_to_step(before).ok()
            });
            let Some(shorter) = shorter else {
                whys.append(&mut outcome.notes);
                outcome.notes = whys;
                return Ok((bytes, outcome));
            };
            if let Some(why) = outcome.ended_early {
                whys.push(format!("{why}; the page was run again up to that step"));
            }
            request.recording = Some(shorter);
        }
    }

    /// Runs a page and gives its log as the bytes of a file.
    ///
    /// # Errors
    /// As [`Self::log`].
    pub async fn log_file(
        &self,
        request: &LogRequest,
        reporter: &mut dyn Reporter,
    ) -> Result<(Vec<u8>, LogOutcome), Failure> {
        let kept = Kept::default();
        let written = kept.clone();
        let mut output = move || {
            written.0.lock().clear();
            let output: Box<dyn Write + Send> = Box::new(written.clone());
            Ok(output)
        };
        let clock = Arc::new(TokioClock::new());
        let mut show = of_questions(reporter);
        let execution = Box::pin(log_execution(
            self.browser.protocol(),
            clock,
            request,
            &mut output,
            &mut show,
        ));
        let outcome = self.cancellation.or_work(execution).await??;
        let bytes = std::mem::take(&mut *kept.0.lock());
        Ok((bytes, outcome))
    }
}

/// The log that the bytes of a file are.
///
/// # Errors
/// If they are none.
pub fn model_of(bytes: &[u8]) -> Result<Model, Failure> {
    let model = LogFile::open(bytes).and_then(|log| Model::read(&log));
    model.map_err(|error| Failure::NotPossible(format!("the log: {error}")))
}

/// A recording without steps, with random numbers and a clock that are the same each time: executions of a page can be
/// compared then. `started_ms` is what the clock says, in milliseconds since 1970.
///
/// # Errors
/// If the recording cannot be made, which nothing that is typed leads to.
pub fn same_each_time(page: &Url, started_ms: f64) -> Result<Recording, Failure> {
    let seed = "5eed".repeat(16);
    let recording = json!({
        "title": "the page is opened",
        "steps": [],
        "querypoint": { "tape": {
            "random": [{ "place": format!("frame  {}", page.path()), "seed": seed }],
            "time": { "start": started_ms },
        } },
    });
    Recording::parse(&recording.to_string())
        .map_err(|error| Failure::NotPossible(error.to_string()))
}

/// What the functions of a log use that is declared outside of them.
#[must_use]
pub fn uses_of(sources: &[LoggedSource]) -> UsesOf {
    let outside = outside(sources).into_iter();
    let uses = outside.map(|(function, it)| {
        let uses = Uses {
            names: it.names,
            this: it.uses_this,
        };
        (function, uses)
    });
    uses.collect()
}

/// What the statements of a log's scripts read.
#[must_use]
pub fn reads_of(sources: &[LoggedSource]) -> ReadsAt {
    reads_at(sources)
}

/// The loops of a log's scripts.
#[must_use]
pub fn loops_of(sources: &[LoggedSource]) -> Loops {
    let LoggedLoops { loops, sites } = loops_at(sources);
    let part = |(of, part): (u32, logged::LoopPart)| {
        let part = match part {
            logged::LoopPart::Start => LoopPart::Start,
            logged::LoopPart::Variable => LoopPart::Variable,
            logged::LoopPart::Test => LoopPart::Test,
            logged::LoopPart::Update => LoopPart::Update,
            logged::LoopPart::Body => LoopPart::Body,
        };
        (of, part)
    };
    let loops = loops.into_iter().map(|it| Loop {
        head: it.head,
        tests_last: it.tests_last,
        has_test: it.has_test,
    });
    let sites = sites.into_iter();
    Loops {
        loops: loops.collect(),
        sites: sites
            .map(|(site, around)| (site, around.into_iter().map(part).collect()))
            .collect(),
    }
}

/// Begins a session about a log, with what the scripts say of its calls; functions that one of the patterns matches are
/// trusted.
#[must_use]
pub fn interview_about<'l>(
    log: &'l LogTree<'l>,
    sources: &[LoggedSource],
    strategy: Strategy,
    trusted: &[String],
) -> Interview<'l> {
    let mut interview = Interview::new(log, strategy, trusted);
    // No other strategy weighs what statements read.
    if strategy == Strategy::DefUse {
        interview.reads(&reads_of(sources));
    }
    interview.checks(&declared_of(sources));
    interview
}

/// What the functions of a log declare of their values.
fn declared_of(sources: &[LoggedSource]) -> DeclaredOf {
    let documented = documented(sources).into_iter();
    let declared = documented.map(|(function, it)| {
        let declared = Declared {
            parameters: it.parameters,
            returns: it.returns,
        };
        (function, declared)
    });
    declared.collect()
}

/// A good version of a page, which says of calls whether they are right.
#[derive(Debug)]
pub struct GoodVersion {
    /// What is run for an answer: the page itself.
    request: LogRequest,
    pair: PagePair,
    switch: String,
    /// The log of the page itself with the scripts that have both versions: what others are compared with.
    reference: Model,
    /// The scripts that it is of.
    reference_sources: Vec<LoggedSource>,
    /// Which built-in functions the scripts call by other names.
    renamed: RenamedBuiltIns,
    /// What was answered, by node.
    known: BTreeMap<NodeId, Judgement>,
    /// Why the page is not run again: an execution of it did not end.
    endless: Option<String>,
}

/// What a good version says of a call, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Valid, invalid or unknown.
    pub answer: Answer,
    /// Why.
    pub why: String,
}

impl GoodVersion {
    /// Runs a good version of the page once, to have its scripts. `request` and `sources` are those of the page.
    ///
    /// # Errors
    /// As [`LoggingBrowser::log`].
    pub async fn open(
        logging: &LoggingBrowser,
        request: &LogRequest,
        sources: &[LoggedSource],
        good: &str,
        reporter: &mut dyn Reporter,
    ) -> Result<Self, Failure> {
        let its_request = LogRequest {
            page: good.to_owned(),
            detail: Detail::Calls,
            versions: None,
            responses: None,
            ..request.clone()
        };
        let (_, its_outcome) = logging.log(&its_request, reporter).await?;
        let mut digits = [0; 12];
        getrandom::fill(&mut digits)
            .map_err(|error| Failure::NotPossible(format!("no random numbers: {error}")))?;
        let digits: String = digits.iter().map(|it| format!("{it:02x}")).collect();
        let switch = format!("good{digits}");
        let pair = PagePair::new(sources, &its_outcome.sources, &switch);
        let readings = ClockReadings::keep();
        let mut plain = LogRequest {
            versions: Some(pair.versions(&switch, 0)),
            readings: Some(readings.clone()),
            ..request.clone()
        };
        let (reference, outcome) = logging.log_as_far_as_possible(&mut plain, reporter).await?;
        let reference = model_of(&reference)?;
        // What is compared with it reads the same from the clocks.
        let request = LogRequest {
            readings: Some(readings.again()),
            responses: plain.responses.as_ref().map(|it| it.again()),
            versions: None,
            ..plain
        };
        Ok(Self {
            request,
            pair,
            switch,
            reference,
            reference_sources: outcome.sources,
            renamed: RenamedBuiltIns::default(),
            known: BTreeMap::new(),
            endless: outcome.ended_early,
        })
    }

    /// Why nothing more can be said of calls that ran code of both versions: an execution of the page did not end, and
    /// none of the many that answers take would.
    #[must_use]
    pub fn endless(&self) -> Option<&str> {
        self.endless.as_deref()
    }

    /// Says whether a call of the page's log did what the good version does on the very same values.
    ///
    /// Where a call ran only code that is the same in both, it did. Else the page runs once more, and in the place of
    /// the call the good version.
    ///
    /// # Errors
    /// If the browser is lost, or if it is cancelled.
    pub async fn judge(
        &mut self,
        logging: &LoggingBrowser,
        log: &LogTree<'_>,
        node: NodeId,
        reporter: &mut dyn Reporter,
    ) -> Result<Judgement, Failure> {
        if let Some(known) = self.known.get(&node) {
            return Ok(known.clone());
        }
        let judgement = self.work_out(logging, log, node, reporter).await?;
        self.known.insert(node, judgement.clone());
        Ok(judgement)
    }

    /// The calls around a function of which both versions are in the script, by what it can see where it was made.
    fn around_with_both(&self, log: &LogTree<'_>, call: &Call) -> Vec<NodeId> {
        let model = log.model();
        let mut found = Vec::new();
        let mut scope = model.scope(call.stream, call.scope).map(|it| it.parent);
        while let Some(around) = scope.and_then(|it| model.scope(call.stream, it)) {
            let made_by = model.calls.get(around.call as usize);
            let has_both = made_by
                .is_some_and(|it| self.pair.functions.get(&it.function) == Some(&Pairing::Both));
            if has_both {
                found.extend(log.node(around.call));
            }
            scope = Some(around.parent);
        }
        found
    }

    /// Whether the function of a call was made at a node or below it, by one of which both versions are in the script:
    /// the good version of that makes its own.
    fn is_made_below(&self, log: &LogTree<'_>, call: &Call, node: NodeId) -> bool {
        let below = log.tree().subtree(node);
        let around = self.around_with_both(log, call);
        around.iter().any(|it| below.contains(&it.0))
    }

    async fn work_out(
        &mut self,
        logging: &LoggingBrowser,
        log: &LogTree<'_>,
        node: NodeId,
        reporter: &mut dyn Reporter,
    ) -> Result<Judgement, Failure> {
        let unknown = |why: &str| Judgement {
            answer: Answer::Unknown,
            why: why.to_owned(),
        };
        let is_paired = |it: &FunctionId| {
            let pairing = self.pair.functions.get(it);
            matches!(pairing, Some(Pairing::Same | Pairing::Both))
        };
        let mut differs = false;
        let mut seen = BTreeSet::new();
        for below in log.tree().subtree(node) {
            let Some(call) = log.call(NodeId(below)) else {
                continue;
            };
            let pairing = self.pair.functions.get(&call.function);
            if is_paired(&call.function) && !seen.insert(call.function) {
                continue;
            }
            match pairing {
                Some(Pairing::Same) => {}
                Some(Pairing::Both) => differs = true,
                // Then the good version has another in its place, or none.
                _ if self.is_made_below(log, call, node) => differs = true,
                Some(Pairing::Unknown(why)) => return Ok(unknown(why)),
                None => return Ok(unknown("the good version has no such function")),
            }
        }
        if !differs {
            return Ok(Judgement {
                answer: Answer::Valid,
                why: "it ran only code that is the same in the good version".to_owned(),
            });
        }
        let Some(call) = log.call_number(node) else {
            return Ok(unknown("the good version cannot run a part of a call"));
        };
        if let Some(why) = &self.endless {
            return Ok(unknown(why));
        }
        let request = LogRequest {
            versions: Some(self.pair.versions(&self.switch, call.saturating_add(1))),
            ..self.request.clone()
        };
        let (other, outcome) = logging.log(&request, reporter).await?;
        if let Some(why) = &outcome.ended_early {
            // A step that cannot be done where this call did something else may be done where others do.
            if outcome.failed_step.is_none() {
                self.endless = Some(why.clone());
            }
            // What was recorded behind the call may wait for what only the wrong page does.
            let its = other.calls.get(call as usize);
            let has_ended = its.is_some_and(|it| it.exit != NONE);
            if outcome.failed_step.is_none() || !has_ended {
                return Ok(unknown(why));
            }
        }
        if !outcome.has_all_versions {
            return Ok(unknown("a script of the page could not be replaced"));
        }
        let reference = LogTree::new(&self.reference, 0..u32::MAX)
            .with_renamed(self.renamed.at_sites(&self.reference_sources));
        if !have_same_calls(log.model(), &self.reference, call) {
            return Ok(unknown("the page does not run the same way twice"));
        }
        let Some(node) = reference.node(call) else {
            return Ok(unknown("the page does not run the same way twice"));
        };
        let other =
            LogTree::new(&other, 0..u32::MAX).with_renamed(self.renamed.at_sites(&outcome.sources));
        let sides = [
            (&reference, &self.reference_sources),
            (&other, &outcome.sources),
        ];
        let hidden = outcome.unrecorded.iter().find(|it| {
            let runs = |(log, sources): &(&LogTree<'_>, &Vec<LoggedSource>)| {
                may_be_in(it, log, call, sources)
            };
            sides.iter().any(runs)
        });
        Ok(match (judge(&reference, node, &other), hidden) {
            (Verdict::Different(why), _) => Judgement {
                answer: Answer::Invalid,
                why,
            },
            (Verdict::Unknown(why), _) => unknown(&why),
            (Verdict::Same, Some(hidden)) => unknown(&format!(
                "not all that happens is recorded: {}: {}",
                hidden.url, hidden.reason
            )),
            (Verdict::Same, None) => Judgement {
                answer: Answer::Valid,
                why: "the good version does the same".to_owned(),
            },
        })
    }
}

/// Whether what is not recorded may have happened in a call, or below it: what is hidden in a function that did not run
/// there, did not.
fn may_be_in(
    unrecorded: &Unrecorded,
    log: &LogTree<'_>,
    call: u32,
    sources: &[LoggedSource],
) -> bool {
    // Scripts that nobody wants to see are as what the browser itself does.
    if unrecorded.reason.contains("--scripts") {
        return false;
    }
    let its = |source: &&LoggedSource| source.url == unrecorded.url;
    let places = sources.iter().filter(its).flat_map(|it| &it.unlogged);
    let mut functions = places
        .filter(|(_, reason)| unrecorded.reason.ends_with(&format!(": {reason}")))
        // A field is not written where its class is.
        .map(|(function, reason)| (!reason.contains("a field")).then_some(*function));
    let Some(functions) = functions.try_fold(BTreeSet::new(), |mut all, function| {
        all.insert(function?);
        Some(all)
    }) else {
        return true;
    };
    let Some(node) = log.node(call) else {
        return true;
    };
    let mut below = log.tree().subtree(node);
    let ran = |it| {
        let call = log.call(NodeId(it));
        call.is_some_and(|call| functions.contains(&call.function))
    };
    functions.is_empty() || below.any(ran)
}

/// Whether two logs of a page have the same calls, up to one and with what it calls: names and callers.
fn have_same_calls(one: &Model, two: &Model, call: u32) -> bool {
    let names = |model: &Model, number: usize| {
        let call = model.calls.get(number)?;
        let function = model.tables.function(call.function)?;
        Some((function.name.clone(), function.kind, call.parent))
    };
    let Some(end) = one.calls.get(call as usize).map(|it| it.exit) else {
        return false;
    };
    let last = one.calls.partition_point(|it| it.enter < end);
    (0..last).all(|number| names(one, number) == names(two, number))
}
