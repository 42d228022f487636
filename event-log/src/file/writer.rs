//! Writes a log while it is recorded: batches of the page go in, chunks go out. What is kept in memory is one chunk,
//! and three numbers for each stream, and where each chunk is (72 bytes a chunk of a megabyte).

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::chunk::{CHUNK_HEADER, ChunkHeader, ChunkKind, put_section};
use super::columns::Columns;
use super::{END_MAGIC, FILE_HEADER, LogEnd, LogInfo, MAGIC, MOST_SECTION, MOST_STREAMS, VERSION};
use crate::ids::{Seq, StreamId};
use crate::record::{GapReason, Record};
use crate::tables::Tables;
use crate::wire::{self, Counts, WireError};

/// A chunk is written when it has so many bytes.
const CHUNK_BYTES: usize = 1 << 20;

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file could not be written.
    #[error("the log could not be written: {0}")]
    Io(#[from] io::Error),
    /// What the page sent is not a batch from some word on. What was before it is in the log, and a gap behind it.
    #[error("the page sent something that is not a log: {0}")]
    Wire(#[from] WireError),
    /// The batch is of a stream that was not announced.
    #[error("the page sent events of stream {0}, which nothing announced")]
    Stream(u32),
    /// A table has too many entries.
    #[error("the log has more {0} than it can number")]
    Full(&'static str),
}

/// What was written so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Events.
    pub events: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of records before they were compressed.
    pub uncompressed: u64,
    /// Gaps.
    pub gaps: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct StreamState {
    counts: [u32; 3],
    next_batch: u32,
}

/// Writes a log to `output` from its first byte on.
///
/// Tables are added before the first batch that names their entries. If it is dropped without [`Self::finish`], what
/// was written can be read as a log that was cut off.
#[derive(Debug)]
pub struct LogWriter<W: Write> {
    output: W,
    written: Written,
    streams: BTreeMap<StreamId, StreamState>,
    sizes: [u32; 6],
    columns: Columns,
    /// The stream, first event and definitions of the chunk that is being filled.
    open: Option<(StreamId, u64, [u32; 3])>,
    directory: Vec<u8>,
    words: Vec<i32>,
}

impl<W: Write> LogWriter<W> {
    /// Begins a log.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the output cannot be written.
    pub fn new(mut output: W, info: &LogInfo) -> Result<Self, WriteError> {
        output.write_all(&MAGIC)?;
        output.write_all(&VERSION.to_le_bytes())?;
        output.write_all(&[0; 4])?;
        let mut writer = Self {
            output,
            written: Written {
                bytes: FILE_HEADER,
                ..Written::default()
            },
            streams: BTreeMap::new(),
            sizes: [0; 6],
            columns: Columns::default(),
            open: None,
            directory: Vec::new(),
            words: Vec::new(),
        };
        let json = serde_json::to_vec(info).map_err(io::Error::from)?;
        writer.simple_chunk(ChunkKind::Info, &json)?;
        Ok(writer)
    }

    /// What was written so far; events of the chunk that is being filled are counted, its bytes are not.
    #[must_use]
    pub const fn written(&self) -> Written {
        self.written
    }

    /// Adds entries to the tables. The first of each table has the number 1; entries are numbered in the order in which
    /// they are added. Streams are announced here too.
    ///
    /// # Errors
    /// [`WriteError`] if the output cannot be written, or if a table is full: then nothing was added.
    pub fn add(&mut self, tables: &Tables) -> Result<(), WriteError> {
        if tables.is_empty() {
            return Ok(());
        }
        let lengths = tables.lengths();
        const NAMES: [&str; 6] = [
            "streams",
            "scripts",
            "functions",
            "scopes",
            "variables",
            "sites",
        ];
        let mut sizes = self.sizes;
        for ((size, length), name) in sizes.iter_mut().zip(lengths).zip(NAMES) {
            let limit = if name == "streams" {
                usize::from(MOST_STREAMS)
            } else {
                (1 << 27) - 1
            };
            let sum = *size as usize + length;
            if sum > limit {
                return Err(WriteError::Full(name));
            }
            *size = u32::try_from(sum).map_err(|_| WriteError::Full(name))?;
        }
        // Records that name them are behind them.
        self.flush()?;
        self.sizes = sizes;
        self.simple_chunk(ChunkKind::Tables, &tables.encode())
    }

    /// Adds a batch as the page sent it: the bytes of its words, little endian.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the output cannot be written; [`WriteError::Wire`] or [`WriteError::Stream`] if it is not
    /// a batch. After the latter the log goes on with the next batch.
    pub fn batch(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        let (chunks, rest) = bytes.as_chunks::<4>();
        words.extend(chunks.iter().map(|it| i32::from_le_bytes(*it)));
        // Bytes that are no word make the length wrong.
        words.extend((!rest.is_empty()).then_some(0));
        let result = self.batch_words(&words);
        self.words = words;
        result
    }

    /// Adds a batch, as words.
    ///
    /// # Errors
    /// As [`Self::batch`].
    pub fn batch_words(&mut self, words: &[i32]) -> Result<(), WriteError> {
        let header = wire::header(words)?;
        let stream = header.stream;
        if stream.0 == 0 || stream.0 > self.sizes[0] {
            return Err(WriteError::Stream(stream.0));
        }
        let mut state = self.streams.get(&stream).copied().unwrap_or_default();
        let as_expected = header.number == state.next_batch && header.defined == state.counts;
        if !as_expected {
            // A batch is missing, or came again; only what follows can be understood.
            self.close()?;
            state.counts = header.defined;
        }
        if self.open.is_none_or(|(open, ..)| open != stream) {
            self.close()?;
            self.open = Some((stream, self.written.events, state.counts));
        }
        if !as_expected {
            self.gap(GapReason::BatchLost);
        }
        let mut counts = Counts {
            strings: state.counts[0],
            objects: state.counts[1],
            scopes: state.counts[2],
            functions: self.sizes[2],
            static_scopes: self.sizes[3],
            sites: self.sizes[5],
        };
        let Self {
            columns, written, ..
        } = self;
        let mut gaps = 0;
        let result = wire::decode(words, &mut counts, |record| {
            columns.push(&record);
            written.events += u64::from(record.events());
            gaps += u64::from(matches!(record, Record::Gap { .. }));
        });
        self.written.gaps += gaps;
        if result.is_err() {
            self.gap(GapReason::NotReadable);
        }
        let state = StreamState {
            counts: [counts.strings, counts.objects, counts.scopes],
            next_batch: header.number.wrapping_add(1),
        };
        self.streams.insert(stream, state);
        if self.columns.size() >= CHUNK_BYTES {
            self.close()?;
        }
        Ok(result?)
    }

    /// Begins a chunk of records that come from another log. So many texts, objects and scopes its stream has defined.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the output cannot be written.
    pub(crate) fn begin_chunk(
        &mut self,
        stream: StreamId,
        defined: [u32; 3],
    ) -> Result<(), WriteError> {
        self.close()?;
        self.open = Some((stream, self.written.events, defined));
        Ok(())
    }

    /// Adds a record to the chunk that was begun.
    pub(crate) fn record(&mut self, record: &Record<'_>) {
        self.columns.push(record);
        self.written.events += u64::from(record.events());
        self.written.gaps += u64::from(matches!(record, Record::Gap { .. }));
    }

    /// Whether the chunk that was begun is as long as chunks are.
    pub(crate) fn is_chunk_full(&self) -> bool {
        self.columns.size() >= CHUNK_BYTES
    }

    /// Writes what is complete, so that a reader finds it.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the output cannot be written.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.close()?;
        Ok(self.output.flush()?)
    }

    /// Writes the end of the log, and gives the output back.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the output cannot be written.
    pub fn finish(mut self, end: &LogEnd) -> Result<(W, Written), WriteError> {
        self.close()?;
        let end = LogEnd {
            events: self.written.events,
            ..end.clone()
        };
        let json = serde_json::to_vec(&end).map_err(io::Error::from)?;
        self.simple_chunk(ChunkKind::End, &json)?;
        let at = self.written.bytes;
        let directory = std::mem::take(&mut self.directory);
        self.simple_chunk(ChunkKind::Directory, &directory)?;
        self.output.write_all(&at.to_le_bytes())?;
        self.output.write_all(&END_MAGIC)?;
        self.written.bytes += 16;
        self.output.flush()?;
        Ok((self.output, self.written))
    }

    fn gap(&mut self, reason: GapReason) {
        self.record(&Record::Gap { reason, lost: 0 });
    }

    fn close(&mut self) -> Result<(), WriteError> {
        let Some((stream, first, defined)) = self.open.take() else {
            return Ok(());
        };
        if self.columns.size() == 0 {
            return Ok(());
        }
        let mut body = Vec::new();
        for (id, column) in (0..).zip(self.columns.all()) {
            if !column.is_empty() {
                put_section(&mut body, id, column);
            }
        }
        self.written.uncompressed += self.columns.size() as u64;
        self.columns.clear();
        let events = u32::try_from(self.written.events - first).unwrap_or(u32::MAX);
        self.chunk(
            ChunkKind::Events,
            stream,
            Seq(first),
            events,
            defined,
            &body,
        )
    }

    fn simple_chunk(&mut self, kind: ChunkKind, bytes: &[u8]) -> Result<(), WriteError> {
        if bytes.len() > MOST_SECTION as usize {
            return Err(WriteError::Full("bytes in one chunk"));
        }
        let mut body = Vec::new();
        put_section(&mut body, 0, bytes);
        let first = Seq(self.written.events);
        self.chunk(kind, StreamId::NONE, first, 0, [0; 3], &body)
    }

    fn chunk(
        &mut self,
        kind: ChunkKind,
        stream: StreamId,
        first: Seq,
        events: u32,
        defined: [u32; 3],
        body: &[u8],
    ) -> Result<(), WriteError> {
        let header = ChunkHeader {
            kind,
            stream,
            first,
            events,
            defined,
            body: u32::try_from(body.len()).map_err(|_| WriteError::Full("bytes in a chunk"))?,
            checksum: crc32fast::hash(body),
        };
        let bytes = header.encode();
        self.directory
            .extend_from_slice(&self.written.bytes.to_le_bytes());
        self.directory.extend_from_slice(&bytes);
        self.output.write_all(&bytes)?;
        self.output.write_all(body)?;
        self.written.bytes += (CHUNK_HEADER + body.len()) as u64;
        Ok(())
    }
}
