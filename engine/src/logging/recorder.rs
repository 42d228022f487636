//! Takes batches from the page and tables from the rewriter, and appends both to the log.

use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use event_log::file::{LogEnd, LogInfo, LogWriter, WriteError, Written};
use event_log::ids::ScriptId;
use event_log::tables::{Script, Stream, Tables};
use event_log::wire::{PACKED, unpack};
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use js_analysis::log::{Detail, FirstNumbers, LoggedKind};
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::rewrite::OuterScope;

use super::two_versions::BothTexts;
use super::{LoggedScripts, LoggedSource, Versions};
use crate::agent_message::posted_as;
use crate::event_reader::{present, yield_now};
use crate::report::Greeting;
use crate::sources::Home;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, SessionId};

/// The most notes about what a page sent that was no log.
const MOST_NOTES: usize = 20;

/// A script that is recorded, and where its numbers are in the log's tables.
#[derive(Clone, Debug)]
pub(crate) struct LoggedScript {
    /// The script.
    pub(crate) home: Home,
    /// Where its numbers begin.
    pub(crate) first: FirstNumbers,
    /// Its sites: where, what is recorded there, and the name.
    pub(crate) sites: Vec<(ByteOffset, LoggedKind, String)>,
    /// Where its functions are, and their names as they run, without their classes.
    pub(crate) functions: Vec<(ByteSpan, String)>,
    /// What is around it, if it is a text that was given to a direct `eval`.
    pub(crate) outer: Option<Arc<OuterScope>>,
}

/// Of which objects that no script with hooks made it is told what is inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TellsInside {
    /// Of none.
    #[default]
    Nothing,
    /// Of those that code without hooks gives back: an origin goes on there.
    Results,
    /// Of all that the log meets, also those that are passed or made by a pattern.
    NewObjects,
}

/// What is recorded, and where it goes.
pub(crate) struct Recorder {
    info: LogInfo,
    pub(crate) scripts: LoggedScripts,
    pub(crate) detail: Detail,
    /// The name of the page's binding for batches.
    pub(crate) binding: String,
    /// That for where an agent is.
    greetings: String,
    /// Scripts in two versions.
    pub(crate) versions: Option<Versions>,
    /// Of which objects that no script with hooks made it is told what is inside.
    pub(crate) tells_inside: TellsInside,
    /// Whether it is recorded what changes in the document, what the user does, and what the page sends and gets.
    pub(crate) watches_page: bool,
    /// How many UTF-16 code units a text may have that is kept whole: see [`agent::AgentLog::longest_text`].
    pub(crate) longest_text: u32,
    state: Mutex<RecorderState>,
    /// Whether all that has come was taken.
    is_idle: AtomicBool,
}

#[derive(Default)]
struct RecorderState {
    writer: Option<LogWriter<Box<dyn Write + Send>>>,
    /// What scripts say: kept, for an execution may have to be repeated.
    tables: Tables,
    scripts: Vec<LoggedScript>,
    script_numbers: HashMap<(String, bool), ScriptId>,
    streams: HashMap<(SessionId, i64), u32>,
    /// What realms are, which each says before its first batch.
    kinds: HashMap<(SessionId, i64), &'static str>,
    /// The session of the page's own tab: no other has a document before it.
    tab: Option<SessionId>,
    notes: Vec<String>,
    sources: Vec<LoggedSource>,
    /// Which scripts took the place of their own, by index.
    replaced: BTreeSet<usize>,
    /// Why nothing more can be written.
    failed: Option<String>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Recorder")
            .field("detail", &self.detail)
            .finish_non_exhaustive()
    }
}

impl Recorder {
    pub(crate) fn new(info: LogInfo, scripts: LoggedScripts, detail: Detail, prefix: &str) -> Self {
        Self {
            info,
            scripts,
            detail,
            binding: format!("{prefix}Log"),
            greetings: format!("{prefix}B"),
            versions: None,
            tells_inside: TellsInside::default(),
            watches_page: false,
            longest_text: 0,
            state: Mutex::default(),
            is_idle: AtomicBool::new(true),
        }
    }

    /// With scripts in two versions, and with what code without hooks gives, where they are asked for.
    pub(super) fn for_versions(
        mut self,
        versions: Option<Versions>,
        tells_inside: TellsInside,
    ) -> Self {
        self.versions = versions;
        self.tells_inside = tells_inside;
        self
    }

    /// With what happens to the page: its document, its user, its network.
    pub(super) fn watching_the_page(mut self) -> Self {
        self.watches_page = true;
        self
    }

    /// With texts of so many UTF-16 code units, and not cut ones.
    pub(super) fn with_texts_of(mut self, units: usize) -> Self {
        self.longest_text = u32::try_from(units).unwrap_or(u32::MAX);
        self
    }

    /// Begins the log anew, with what is known of scripts.
    pub(crate) fn begin(&self, output: Box<dyn Write + Send>) -> Result<(), WriteError> {
        let mut state = self.state.lock();
        let mut writer = LogWriter::new(output, &self.info)?;
        writer.add(&state.tables)?;
        state.writer = Some(writer);
        state.streams.clear();
        state.kinds.clear();
        state.tab = None;
        state.notes.clear();
        Ok(())
    }

    /// What a text becomes that holds scripts which there are in two versions; `None`: it stays as it is.
    pub(crate) fn both_versions(&self, text: &str) -> Option<BothTexts> {
        let (both, found) = self.versions.as_ref()?.of(text)?;
        self.state.lock().replaced.extend(found);
        Some(both)
    }

    /// Keeps a script that is recorded.
    pub(crate) fn keep_source(&self, source: LoggedSource) {
        self.state.lock().sources.push(source);
    }

    /// The scripts that were recorded, and whether each that there is in two versions took the place of its own.
    pub(super) fn sources(&self) -> (Vec<LoggedSource>, bool) {
        let mut state = self.state.lock();
        let versions = self.versions.as_ref().map_or(0, |it| it.scripts.len());
        let has_all = state.replaced.len() == versions;
        (std::mem::take(&mut state.sources), has_all)
    }

    /// The numbers that the next script gets.
    pub(crate) fn first_numbers(&self) -> FirstNumbers {
        let state = self.state.lock();
        let next = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).saturating_add(1);
        FirstNumbers {
            function: next(state.tables.functions.len()),
            scope: next(state.tables.scopes.len()),
            variable: next(state.tables.variables.len()),
            site: next(state.tables.sites.len()),
        }
    }

    /// The addresses of the files that the log names.
    pub(super) fn urls(&self) -> Vec<String> {
        let state = self.state.lock();
        let scripts = state.tables.scripts.iter();
        scripts.map(|script| script.url.clone()).collect()
    }

    /// The number of a file; a new one is added to `tables`.
    pub(crate) fn script_number(&self, url: &str, library: bool, tables: &mut Tables) -> ScriptId {
        let mut state = self.state.lock();
        let key = (url.to_owned(), library);
        if let Some(&number) = state.script_numbers.get(&key) {
            return number;
        }
        let known = state.tables.scripts.len() + tables.scripts.len();
        let number = ScriptId(u32::try_from(known).unwrap_or(u32::MAX).saturating_add(1));
        tables.scripts.push(Script {
            url: url.to_owned(),
            library,
        });
        state.script_numbers.insert(key, number);
        number
    }

    /// The scripts that are recorded, in the order of their numbers; those of attributes left out.
    pub(crate) fn scripts(&self) -> Vec<LoggedScript> {
        self.state.lock().scripts.clone()
    }

    /// Adds what a script says, before it runs.
    pub(crate) fn add(&self, tables: Tables, script: Option<LoggedScript>) {
        let mut state = self.state.lock();
        state.scripts.extend(script);
        let RecorderState { writer, .. } = &mut *state;
        if let Some(writer) = writer
            && let Err(error) = writer.add(&tables)
        {
            state.fail(&error);
        }
        state.tables.scripts.extend(tables.scripts);
        state.tables.functions.extend(tables.functions);
        state.tables.scopes.extend(tables.scopes);
        state.tables.variables.extend(tables.variables);
        state.tables.sites.extend(tables.sites);
    }

    /// Takes batches, until the connection ends.
    pub(crate) async fn run(&self, events: &mut BoxStream<'static, Event>) {
        loop {
            let event = match events.next().now_or_never() {
                Some(event) => event,
                None => {
                    self.is_idle.store(true, Ordering::Relaxed);
                    let event = events.next().await;
                    self.is_idle.store(false, Ordering::Relaxed);
                    event
                }
            };
            let Some(event) = event else { return };
            self.take(&event);
            // A page may send without end: others must have their turn.
            yield_now().await;
        }
    }

    /// Waits until every batch was taken that has come: a page that pauses for it is not faster than its log is
    /// written.
    pub(crate) async fn caught_up(&self) {
        // Who takes them is polled beside this, and sees what has come.
        yield_now().await;
        yield_now().await;
        while !self.is_idle.load(Ordering::Relaxed) {
            yield_now().await;
        }
    }

    /// Takes the batches that there are.
    pub(crate) fn take_present(&self, events: &mut BoxStream<'static, Event>) {
        while let Some(event) = present(events) {
            self.take(&event);
        }
    }

    /// Takes a batch, if it is one.
    pub(crate) fn take(&self, event: &Event) {
        let Some(session) = &event.session else {
            return;
        };
        let Some(called) = event.read::<cdp::runtime::BindingCalled>() else {
            return;
        };
        let context = called.execution_context_id.0;
        if called.name == self.greetings {
            if let Some(greeting) = posted_as(&called.payload) {
                self.state.lock().greeted(session, context, &greeting);
            }
            return;
        }
        if called.name != self.binding {
            return;
        }
        let mut state = self.state.lock();
        let Ok(mut bytes) = STANDARD.decode(called.payload.as_bytes()) else {
            return state.note("the page sent something that is not a log".to_owned());
        };
        if bytes.starts_with(&PACKED) {
            bytes = match unpack(&bytes) {
                Ok(words) => words,
                Err(error) => return state.note(error.to_string()),
            };
        }
        if state.failed.is_some() {
            return;
        }
        let stream = match state.stream(session, context) {
            Ok(stream) => stream,
            Err(error) => return state.fail(&error),
        };
        // The page does not know its number.
        if let Some(word) = bytes.get_mut(4..8) {
            word.copy_from_slice(&stream.to_le_bytes());
        }
        let Some(writer) = &mut state.writer else {
            return;
        };
        match writer.batch(&bytes) {
            Ok(()) => {}
            Err(error @ (WriteError::Wire(_) | WriteError::Stream(_))) => {
                state.note(error.to_string());
            }
            Err(error) => state.fail(&error),
        }
    }

    /// What a reader should know.
    pub(crate) fn notes(&self) -> Vec<String> {
        let state = self.state.lock();
        let failed = state
            .failed
            .iter()
            .map(|why| format!("from some point on nothing could be written: {why}"));
        state.notes.iter().cloned().chain(failed).collect()
    }

    /// Ends the log.
    pub(crate) fn finish(&self, end: &LogEnd) -> Result<Written, WriteError> {
        let mut state = self.state.lock();
        match state.writer.take() {
            Some(writer) => writer.finish(end).map(|(_, written)| written),
            None => Ok(Written::default()),
        }
    }
}

impl RecorderState {
    /// A realm says what it is.
    fn greeted(&mut self, session: &SessionId, context: i64, greeting: &Greeting) {
        let kind = if !greeting.realm.top {
            Stream::INNER
        } else if self.tab.get_or_insert_with(|| session.clone()) == session {
            Stream::PAGE
        } else {
            Stream::TAB
        };
        let key = (session.clone(), context);
        self.kinds.entry(key).or_insert(kind);
    }

    /// The number of the realm that sent a batch.
    fn stream(&mut self, session: &SessionId, context: i64) -> Result<u32, WriteError> {
        let key = (session.clone(), context);
        if let Some(&number) = self.streams.get(&key) {
            return Ok(number);
        }
        let number = u32::try_from(self.streams.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        if let Some(writer) = &mut self.writer {
            writer.add(&Tables {
                streams: vec![Stream {
                    kind: self.kinds.get(&key).copied().unwrap_or_default().to_owned(),
                    url: String::new(),
                }],
                ..Tables::default()
            })?;
        }
        self.streams.insert(key, number);
        Ok(number)
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MOST_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn fail(&mut self, error: &WriteError) {
        self.failed.get_or_insert_with(|| error.to_string());
    }
}
