//! The judge: the plain page under the debugger.
//!
//! A breakpoint is on every position of the page's scripts that the engine can stop at: statements, calls, returns
//! ([`places`] says how). So going on from one stop leads to the next statement, wherever that is; functions that are
//! called back and resumed ones cannot be missed. At each stop a [watcher](Stepper) reads, through the protocol, every
//! variable in sight and every property of every object that it has come across, and remembers at which stop each value
//! was seen first.
//!
//! A value that was seen first at a stop changed on the way there: in the code that ran since the stop before it.
//! [`intervals`] says which lines those can be. Most often it is the one line that the page was paused at.
//!
//! Which activation a variable belongs to, and which object a property, is told by identity: of the object, and of
//! the token that is in every function of a generated program (see [`crate::generator`]).

mod events;
mod intervals;
mod places;
mod stops;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Clock, Event, Protocol, ProtocolError, required_text};
use engine::EngineError;
use engine::page::Page;
use futures::StreamExt;
use futures::channel::oneshot;
use futures::future::{Either, select};
use serde::Deserialize;
use serde_json::{Value, json};

pub use events::Decision;
use intervals::Intervals;
use places::{OWN, Rehearsal, Scripts, is_of_main_frame, run_to_the_end};
use stops::Stop;

const WATCHER: &str = include_str!("stepping/watcher.js");
/// Stops after which a page is given up.
const MOST_STOPS: usize = 5000;
/// How long a page that is at its end may take to reach the place after all: what it waits for may be done beside it,
/// as IndexedDB's work is.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why nothing was seen.
#[derive(Debug, thiserror::Error)]
pub enum SteppingError {
    /// The page or the browser was lost.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The browser refused something.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The watcher failed, or gave something else than it should.
    #[error("the watcher failed: {0}")]
    Watcher(String),
    /// A script was not there when the page ran before.
    #[error("the page has a script that it did not have the time before: {0}")]
    Unknown(String),
    /// The page did not end.
    #[error("the page was stopped {0} times and is not at its end; is it a loop?")]
    TooLong(usize),
}

/// A place in a page's scripts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The script's address, or the page's for what is in it.
    pub url: String,
    /// Counted from 1.
    pub line: u32,
}

/// Where a page's scripts are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakPosition {
    /// What the script's address ends in.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1: the first place from here on in the line at which the engine can stop.
    pub column: u32,
}

/// What the judge says of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It changed, last in the code of one of these lines.
    Changed(BTreeSet<Line>),
    /// It has had the same value from before the first stop on.
    Never,
    /// It cannot be said where.
    Unknown(&'static str),
}

/// One value that can be asked for.
#[derive(Clone, Debug)]
pub struct Sight {
    /// How it is named at the reproduction point: `o.p`, `a`.
    pub reference: String,
    /// Whether it is a variable.
    pub is_variable: bool,
    /// Whether the property is gone.
    pub is_deleted: bool,
    /// A primitive value as a console prints it.
    pub text: Option<String>,
    /// Where it became what it is.
    pub verdict: Verdict,
    /// Every line that ran, or may have, since just before the change that was seen: a value that was changed and
    /// changed back on the way from one stop to the next was so on one of these.
    pub ran_since: BTreeSet<Line>,
}

/// What was seen of one page.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// How often the page reached the reproduction point.
    pub hits: usize,
    /// What could be named there the last time.
    pub sights: Vec<Sight>,
    /// How often it was stopped.
    pub stops: usize,
    /// The lines of the functions that were called, in their order: of those that begin with a token.
    pub calls: Vec<Line>,
    /// How each `if` came out, in their order.
    pub decisions: Vec<Decision>,
}

/// Steps through pages, one after the other, in one tab.
pub struct Stepper {
    page: Page,
    limit: Duration,
    /// What every page has on its global object, as JSON; the rest is the page's own.
    global_names: String,
}

/// What the watcher says of one value.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawSight {
    reference: String,
    is_variable: bool,
    deleted: bool,
    stop: usize,
    first: bool,
    changed: bool,
    appeared: bool,
    line: Option<u32>,
    several: bool,
    text: Option<String>,
    is_function: bool,
    is_class: bool,
    is_global: bool,
    unset: bool,
    accessor: bool,
}

impl Stepper {
    /// One that works through `protocol`; a page may take `limit`. `empty_page` is the address of a page like those
    /// to come, without a script.
    ///
    /// # Errors
    /// [`SteppingError`] if the empty page cannot be looked at.
    pub async fn new(
        protocol: Arc<dyn Protocol>,
        clock: Arc<dyn Clock>,
        limit: Duration,
        empty_page: &str,
    ) -> Result<Self, SteppingError> {
        let page = Page::open(protocol, clock).await?;
        page.navigate(empty_page, limit).await?;
        let names = json!({
            "expression": "Object.getOwnPropertyNames(globalThis)", "returnByValue": true,
        });
        let names = page.send(cdp::runtime::Evaluate::METHOD, names).await?;
        Ok(Self {
            page,
            limit,
            global_names: names["result"]["value"].to_string(),
        })
    }

    /// Opens the page at `url` and steps through all of it; what is in sight where it is at `place` the last time.
    ///
    /// # Errors
    /// [`SteppingError`].
    pub async fn step_through(
        &self,
        url: &str,
        place: &BreakPosition,
    ) -> Result<StepReport, SteppingError> {
        let page = &self.page;
        let rehearsal = Rehearsal::of(page, url, self.limit).await?;
        let mut events = page.protocol().events();
        let mut walk = Walk {
            page,
            rehearsal,
            place: place.clone(),
            global_names: &self.global_names,
            watcher: None,
            scripts: HashMap::new(),
            stops: Vec::new(),
            hits: 0,
            sights: Vec::new(),
        };
        {
            let (reached, hit) = oneshot::channel();
            let run = async {
                run_to_the_end(page, url, self.limit).await?;
                select(hit, page.clock().sleep(PATIENCE)).await;
                Ok(())
            };
            let mut reached = Some(reached);
            let stepping = async {
                while let Some(event) = events.next().await {
                    if event.is(page.session(), cdp::debugger::Paused::METHOD) {
                        walk.stopped(&event).await?;
                        if let Some(reached) = reached.take_if(|_| walk.hits > 0) {
                            // Nobody waits for it any more where the run has failed.
                            let _ = reached.send(());
                        }
                    } else if is_of_main_frame(page, &event) {
                        walk.script_begins(&event)?;
                    }
                }
                Ok::<(), SteppingError>(())
            };
            futures::pin_mut!(run, stepping);
            match select(run, stepping).await {
                Either::Left((result, _)) | Either::Right((result, _)) => result?,
            }
        }
        Ok(walk.seen())
    }
}

/// One way through a page.
struct Walk<'w> {
    page: &'w Page,
    place: BreakPosition,
    global_names: &'w str,
    /// The watcher's object in the page.
    watcher: Option<String>,
    /// What is known of the scripts to come.
    rehearsal: Rehearsal,
    scripts: Scripts,
    stops: Vec<Stop>,
    hits: usize,
    sights: Vec<RawSight>,
}

impl Walk<'_> {
    fn script_begins(&mut self, event: &Event) -> Result<(), SteppingError> {
        if event.text("/url").starts_with(OWN) {
            return Ok(());
        }
        let script = self.rehearsal.script(event).ok_or_else(|| {
            let (url, hash) = (event.text("/url"), event.text("/hash"));
            SteppingError::Unknown(format!("{url} ({hash})"))
        })?;
        self.scripts
            .insert(event.text("/scriptId").to_owned(), script.clone());
        Ok(())
    }

    async fn stopped(&mut self, event: &Event) -> Result<(), SteppingError> {
        let Some(stop) = Stop::read(&event.params, &self.scripts) else {
            // The page may be gone already.
            let _ = self
                .page
                .send(cdp::debugger::Resume::METHOD, json!({}))
                .await;
            return Ok(());
        };
        if self.stops.len() >= MOST_STOPS {
            return Err(SteppingError::TooLong(self.stops.len()));
        }
        self.look(&event.params, stop).await
    }

    /// Lets the watcher look, and asks it what is in sight if this is the place.
    async fn look(&mut self, params: &Value, stop: Stop) -> Result<(), SteppingError> {
        // Not before the first stop in a script: at the stop before it the page evaluates nothing.
        if self.watcher.is_none() {
            let expression = format!(
                "{}({})\n//# sourceURL={OWN}watcher",
                WATCHER.trim_end(),
                self.global_names
            );
            let params = json!({ "expression": expression, "objectGroup": "oracle" });
            let answer = self
                .page
                .send(cdp::runtime::Evaluate::METHOD, params)
                .await?;
            let object =
                required_text(cdp::runtime::Evaluate::METHOD, &answer, "/result/objectId")?;
            self.watcher = Some(object);
        }
        let is_fresh = self
            .stops
            .last()
            .is_some_and(|before| before.is_return && before.frames.len() == stop.frames.len());
        let frames = stop.described(is_fresh);
        let newest = frames.get(0).cloned().unwrap_or_default();
        let numbers = self.call("look", frames, stop.values(params)).await?;
        if self.is_asked_for(&stop) {
            let sights = self.call("sights", newest, stop.values_of_newest(params));
            self.sights = serde_json::from_value(sights.await?)
                .map_err(|error| SteppingError::Watcher(error.to_string()))?;
            self.hits += 1;
        }
        // Only now: the browser lets it overtake the calls before it.
        self.page
            .send(cdp::debugger::Resume::METHOD, json!({}))
            .await?;
        let mut stop = stop;
        for (frame, number) in stop
            .frames
            .iter_mut()
            .zip(numbers.as_array().into_iter().flatten())
        {
            frame.activation = number.as_u64().unwrap_or_default();
        }
        self.stops.push(stop);
        Ok(())
    }

    /// Whether this is the reproduction point.
    fn is_asked_for(&self, stop: &Stop) -> bool {
        let newest = stop.frames.first();
        newest.is_some_and(|frame| {
            frame.line + 1 == self.place.line
                && self.scripts.get(&frame.script).is_some_and(|script| {
                    let asked = script.place_from((self.place.line - 1, self.place.column - 1));
                    script.url.ends_with(&self.place.file)
                        && asked == Some((frame.line, frame.column))
                })
        })
    }

    async fn call(
        &self,
        method: &str,
        described: Value,
        values: Vec<Value>,
    ) -> Result<Value, SteppingError> {
        let watcher = self.watcher.as_deref().unwrap_or_default();
        let mut arguments = vec![json!({ "value": described })];
        arguments.extend(values);
        let function = format!(
            "function (first, ...rest) {{ return this.{method}(first, rest); }}\n//# sourceURL={OWN}call\n"
        );
        let params = json!({
            "objectId": watcher,
            "functionDeclaration": function,
            "arguments": arguments,
            "returnByValue": true,
        });
        let answer = self
            .page
            .send(cdp::runtime::CallFunctionOn::METHOD, params)
            .await?;
        match answer.get("exceptionDetails") {
            Some(thrown) => Err(SteppingError::Watcher(thrown.to_string())),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    fn seen(self) -> StepReport {
        let intervals = Intervals::new(&self.stops, &self.scripts);
        let sights = self
            .sights
            .into_iter()
            .map(|raw| Sight {
                verdict: verdict(&raw, &intervals),
                ran_since: intervals.ran_since(raw.stop),
                reference: raw.reference,
                is_variable: raw.is_variable,
                is_deleted: raw.deleted,
                text: raw.text,
            })
            .collect();
        StepReport {
            hits: self.hits,
            sights,
            stops: self.stops.len(),
            calls: events::calls(&self.stops, &self.scripts),
            decisions: events::decisions(&self.stops, &self.scripts),
        }
    }
}

fn verdict(raw: &RawSight, intervals: &Intervals<'_>) -> Verdict {
    if raw.several {
        return Verdict::Unknown("several activations, which nothing tells apart");
    }
    if raw.unset || raw.accessor {
        return Verdict::Unknown("no value");
    }
    if raw.is_variable && raw.is_class {
        return Verdict::Unknown("the engine does not stop at a class declaration");
    }
    if raw.is_variable && (raw.first || raw.is_global) {
        if raw.is_function {
            return Verdict::Unknown("functions are there before their declaration is come to");
        }
        // A `var` is there before its script begins.
        if raw.is_global && raw.appeared && raw.text.as_deref() == Some("undefined") {
            return Verdict::Never;
        }
        if raw.is_global {
            return intervals.lines_before(raw.stop);
        }
        // Bound when its scope was made: a parameter, a caught error, the head of a loop.
        return match raw.line {
            Some(line) if raw.text.as_deref() != Some("undefined") => {
                Verdict::Changed(intervals.scope_begins(raw.stop, line))
            }
            _ => Verdict::Unknown(
                "a parameter that got nothing, or a `var` that nothing was written to",
            ),
        };
    }
    if raw.first && !raw.changed && raw.stop <= 1 {
        return Verdict::Never;
    }
    intervals.lines_before(raw.stop)
}
