//! Several runs as one log, to be asked together.
//!
//! The realms of each run follow those of the runs before it, and its events theirs. What the scripts say is there once
//! for each run; functions of one name, and places of one line of a file, are found in all of them. Objects and scopes
//! stay those of their realm.
//!
//! One chunk of one run is in memory, whatever the length of the logs.

use std::io::Write;

use crate::file::{
    Damage, EventChunk, LogEnd, LogError, LogFile, LogInfo, LogWriter, MergedRun, ReadAt,
    WriteError, Written,
};
use crate::ids::{FunctionId, ScriptId, SiteId, StaticScopeId, StreamId, VariableId};
use crate::record::{GapReason, Record};
use crate::tables::{Function, Site, Source, StaticScope, Tables, Variable};

/// So many entries of a table are written at once: what a log says about scripts may be longer than a chunk.
const ENTRIES: usize = 1 << 14;

/// Why logs were not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A log cannot be read.
    #[error("{name}: {error}")]
    Read {
        /// The name of the run.
        name: String,
        /// Why.
        error: LogError,
    },
    /// The merged log cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A run to merge.
#[derive(Debug)]
pub struct Run<S> {
    /// What answers call it: the name of its file.
    pub name: String,
    /// Its log.
    pub log: LogFile<S>,
}

/// Writes the runs to `output`, one after the other, as one log. What is missing in one of them is a note.
///
/// # Errors
/// [`MergeError`] if a log cannot be read, or the output cannot be written. A log that is damaged in a part is merged
/// without that part.
pub fn merge<S: ReadAt, W: Write>(runs: &[Run<S>], output: W) -> Result<(W, Written), MergeError> {
    let mut writer = LogWriter::new(output, &info(runs))?;
    let mut before = Numbers::default();
    let mut numbers = Vec::new();
    for run in runs {
        let own = before.of(run.log.tables());
        for part in parts(run.log.tables(), &own) {
            writer.add(&part)?;
        }
        before = own.behind();
        numbers.push(own);
    }
    let mut notes = Vec::new();
    for (run, numbers) in runs.iter().zip(&numbers) {
        for damage in chunks(run, numbers, &mut writer)? {
            notes.push(format!("{}: {damage}", run.name));
        }
    }
    Ok(writer.finish(&end(runs, notes))?)
}

/// What the merged log says about itself at its beginning.
fn info<S: ReadAt>(runs: &[Run<S>]) -> LogInfo {
    let infos = runs.iter().map(|run| run.log.info());
    let joined = |of: fn(&LogInfo) -> Option<&str>| {
        let mut all: Vec<&str> = Vec::new();
        for text in infos.clone().filter_map(of) {
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all.join(", ")
    };
    LogInfo {
        page: infos
            .clone()
            .next()
            .map_or_else(String::new, |it| it.page.clone()),
        detail: joined(|it| Some(&it.detail)),
        scripts: joined(|it| Some(&it.scripts)),
        // A point of one run is none of another: see the notes.
        from: None,
        to: None,
        recording: Some(joined(|it| it.recording.as_deref())).filter(|it| !it.is_empty()),
        runs: runs.iter().flat_map(merged_runs).collect(),
    }
}

/// The runs of a log: its own, or those that it was merged of.
fn merged_runs<S: ReadAt>(run: &Run<S>) -> Vec<MergedRun> {
    let info = run.log.info();
    if !info.runs.is_empty() {
        return info.runs.clone();
    }
    vec![MergedRun {
        name: run.name.clone(),
        page: info.page.clone(),
        realms: u32::try_from(run.log.tables().streams.len()).unwrap_or(u32::MAX),
    }]
}

/// What it says at its end.
fn end<S: ReadAt>(runs: &[Run<S>], damage: Vec<String>) -> LogEnd {
    let mut end = LogEnd::default();
    for run in runs {
        let (info, name) = (run.log.info(), &run.name);
        for (word, point) in [("from", &info.from), ("to", &info.to)] {
            if let Some(point) = point {
                let note =
                    format!("{name} was asked about {word} {point} alone; here it is all of it");
                end.notes.push(note);
            }
        }
        let Some(own) = run.log.end() else {
            let note = format!("{name}: the log was cut off: what came later is not in it");
            end.notes.push(note);
            continue;
        };
        for script in &own.unrecorded {
            if !end.unrecorded.contains(script) {
                end.unrecorded.push(script.clone());
            }
        }
        let notes = own.notes.iter().map(|note| match info.runs.is_empty() {
            true => format!("{name}: {note}"),
            // It says itself of which run it is.
            false => note.clone(),
        });
        end.notes.extend(notes);
    }
    end.notes.extend(damage);
    end
}

/// Where the numbers of a run's tables begin, and how many it has: streams, scripts, functions, scopes, variables and
/// sites.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    first: [u32; 6],
    count: [u32; 6],
}

impl Numbers {
    /// Those of a run that begins where this says.
    fn of(&self, tables: &Tables) -> Self {
        let count = tables.lengths();
        Self {
            first: self.first,
            count: count.map(|it| u32::try_from(it).unwrap_or(u32::MAX)),
        }
    }

    /// Where the next run begins.
    fn behind(&self) -> Self {
        let mut first = self.first;
        for (first, count) in first.iter_mut().zip(self.count) {
            *first = first.saturating_add(count);
        }
        Self {
            first,
            count: [0; 6],
        }
    }

    /// A number of a table in the merged log; what is none of the run's own is none.
    const fn number(&self, table: usize, number: u32) -> u32 {
        match number {
            0 => 0,
            number if number <= self.count[table] => self.first[table].saturating_add(number),
            _ => 0,
        }
    }

    const fn stream(&self, id: StreamId) -> StreamId {
        StreamId(self.number(0, id.0))
    }

    const fn script(&self, id: ScriptId) -> ScriptId {
        ScriptId(self.number(1, id.0))
    }

    const fn function(&self, id: FunctionId) -> FunctionId {
        FunctionId(self.number(2, id.0))
    }

    const fn scope(&self, id: StaticScopeId) -> StaticScopeId {
        StaticScopeId(self.number(3, id.0))
    }

    const fn variable(&self, id: VariableId) -> VariableId {
        VariableId(self.number(4, id.0))
    }

    const fn site(&self, id: SiteId) -> SiteId {
        SiteId(self.number(5, id.0))
    }
}

/// The tables of a run with the numbers that they have in the merged log, some entries at a time.
fn parts<'t>(tables: &'t Tables, numbers: &'t Numbers) -> impl Iterator<Item = Tables> + 't {
    let streams = tables.streams.chunks(ENTRIES).map(|part| Tables {
        streams: part.to_vec(),
        ..Tables::default()
    });
    let scripts = tables.scripts.chunks(ENTRIES).map(|part| Tables {
        scripts: part.to_vec(),
        ..Tables::default()
    });
    let functions = tables.functions.chunks(ENTRIES).map(|part| Tables {
        functions: part.iter().map(|it| function(it, numbers)).collect(),
        ..Tables::default()
    });
    let scopes = tables.scopes.chunks(ENTRIES).map(|part| Tables {
        scopes: part.iter().map(|it| scope(it, numbers)).collect(),
        ..Tables::default()
    });
    let variables = tables.variables.chunks(ENTRIES).map(|part| Tables {
        variables: part.iter().map(|it| variable(it, numbers)).collect(),
        ..Tables::default()
    });
    let sites = tables.sites.chunks(ENTRIES).map(|part| Tables {
        sites: part.iter().map(|it| site(it, numbers)).collect(),
        ..Tables::default()
    });
    streams
        .chain(scripts)
        .chain(functions)
        .chain(scopes)
        .chain(variables)
        .chain(sites)
}

fn function(of: &Function, numbers: &Numbers) -> Function {
    Function {
        script: numbers.script(of.script),
        scope: numbers.scope(of.scope),
        ..of.clone()
    }
}

const fn scope(of: &StaticScope, numbers: &Numbers) -> StaticScope {
    StaticScope {
        parent: numbers.scope(of.parent),
        function: numbers.function(of.function),
        kind: of.kind,
    }
}

fn variable(of: &Variable, numbers: &Numbers) -> Variable {
    Variable {
        name: of.name.clone(),
        scope: numbers.scope(of.scope),
    }
}

fn site(of: &Site, numbers: &Numbers) -> Site {
    let sources = of.sources.iter().map(|source| Source {
        site: numbers.site(source.site),
        ..source.clone()
    });
    Site {
        script: numbers.script(of.script),
        function: numbers.function(of.function),
        scope: numbers.scope(of.scope),
        variable: numbers.variable(of.variable),
        sources: sources.collect(),
        ..of.clone()
    }
}

/// Copies the events of a run. Gives what is damaged of it.
fn chunks<S: ReadAt, W: Write>(
    run: &Run<S>,
    numbers: &Numbers,
    writer: &mut LogWriter<W>,
) -> Result<Vec<Damage>, MergeError> {
    let mut damaged = run.log.damage().to_vec();
    // That it was cut off is said of its end.
    damaged.retain(|it| !matches!(it, Damage::CutOff { .. }));
    for (index, header) in run.log.chunks().enumerate() {
        let stream = numbers.stream(header.stream);
        if !stream.is_some() {
            continue;
        }
        writer.begin_chunk(stream, header.defined)?;
        let copied = match run.log.chunk(index) {
            Ok(chunk) => copied(&chunk, stream, numbers, writer)?,
            Err(error) => Err(error),
        };
        match copied {
            Ok(()) => {}
            Err(LogError::Damaged { offset, reason }) => {
                damaged.push(Damage::Chunk { offset, reason });
                writer.record(&Record::Gap {
                    reason: GapReason::Damaged,
                    lost: header.events,
                });
            }
            Err(error) => {
                let name = run.name.clone();
                return Err(MergeError::Read { name, error });
            }
        }
    }
    Ok(damaged)
}

/// Copies the records of a chunk, in several chunks where one would be too long. The inner result is that of reading.
fn copied<W: Write>(
    chunk: &EventChunk,
    stream: StreamId,
    numbers: &Numbers,
    writer: &mut LogWriter<W>,
) -> Result<Result<(), LogError>, WriteError> {
    let mut defined = chunk.header().defined;
    let mut written = Ok(());
    let read = chunk.records(|record| {
        if written.is_err() {
            return;
        }
        if writer.is_chunk_full() {
            written = writer.begin_chunk(stream, defined);
        }
        let kind = match record {
            Record::Text(_) => Some(0),
            Record::Object { .. } | Record::FunctionObject { .. } => Some(1),
            Record::Scope { .. } => Some(2),
            _ => None,
        };
        if let Some(count) = kind.and_then(|kind: usize| defined.get_mut(kind)) {
            *count = count.saturating_add(1);
        }
        writer.record(&renumbered(record, numbers));
    });
    written.map(|()| read)
}

/// A record with the numbers that places, functions and scopes have in the merged log.
fn renumbered<'r>(record: Record<'r>, numbers: &Numbers) -> Record<'r> {
    let mut record = record;
    match &mut record {
        Record::Enter(function)
        | Record::Leaf(function)
        | Record::Return(function)
        | Record::Unwind(function)
        | Record::FunctionObject { function, .. }
        | Record::BranchBits { function, .. } => *function = numbers.function(*function),
        Record::Scope { of, .. } => *of = numbers.scope(*of),
        Record::ReturnValue { site, .. }
        | Record::Throw { site, .. }
        | Record::Catch { site, .. }
        | Record::CallSite { site, .. }
        | Record::CallEnd { site, .. }
        | Record::Write { site, .. }
        | Record::WriteKey { site, .. }
        | Record::WriteEntry { site, .. }
        | Record::Assign { site, .. }
        | Record::Create { site, .. }
        | Record::Branch { site, .. }
        | Record::BranchCase { site, .. }
        | Record::Step(site)
        | Record::Suspend { site, .. }
        | Record::Settle { site, .. }
        | Record::Schedule { site, .. }
        | Record::Dom { site, .. }
        | Record::Request { site, .. }
        | Record::Console { site, .. } => *site = numbers.site(*site),
        Record::Text(_)
        | Record::Object { .. }
        | Record::Activation(_)
        | Record::Arguments { .. }
        | Record::Clock(_)
        | Record::RunHash(_)
        | Record::Contents { .. }
        | Record::Task { .. }
        | Record::TaskEnd
        | Record::Resume { .. }
        | Record::Response { .. }
        | Record::Action { .. }
        | Record::Uncaught { .. }
        | Record::Gap { .. } => {}
    }
    record
}
