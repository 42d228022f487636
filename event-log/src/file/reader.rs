//! Reads a log: its directory at once, each chunk when it is asked for.

use std::{fmt, io};

use super::chunk::{CHUNK_HEADER, ChunkHeader, ChunkKind, section};
use super::columns::COLUMNS;
use super::columns_reader::ColumnsReader;
use super::{END_MAGIC, FILE_HEADER, LogEnd, LogInfo, MAGIC, VERSION};
use crate::bytes::{BytesError, Reader};
use crate::record::Record;
use crate::tables::Tables;

/// Bytes that can be read at any place: a file, memory, a blob.
pub trait ReadAt {
    /// How many bytes there are.
    ///
    /// # Errors
    /// If the system does not say.
    fn size(&self) -> io::Result<u64>;

    /// Fills `buffer` with what is at `offset`.
    ///
    /// # Errors
    /// If it cannot be read, or if it ends before `buffer` is full.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl<B: AsRef<[u8]>> ReadAt for B {
    fn size(&self) -> io::Result<u64> {
        Ok(self.as_ref().len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(buffer.len());
        let bytes = self.as_ref().get(start..end);
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Why a file cannot be read as a log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It cannot be read at all.
    #[error("the log cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("the file is not a log: it does not begin as a .qplog does")]
    NotALog,
    /// It is of a later version.
    #[error(
        "the log is of version {0} of the format; this program reads versions up to {VERSION}: update it"
    )]
    Version(u32),
    /// A chunk that was whole when it was found is not what its header says.
    #[error("the log is damaged at byte {offset}: {reason}")]
    Damaged {
        /// Where the chunk begins.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
}

/// A part of a file that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The log was not finished, or its end is cut off. It is used up to there.
    CutOff {
        /// How many bytes are used.
        at: u64,
    },
    /// A chunk is damaged.
    Chunk {
        /// Where it begins.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutOff { at } => write!(out, "cut off: {at} bytes are used"),
            Self::Chunk { offset, reason } => {
                write!(out, "the part at byte {offset} is left out: {reason}")
            }
        }
    }
}

/// A log that is open.
#[derive(Debug)]
pub struct LogFile<S> {
    source: S,
    info: LogInfo,
    end: Option<LogEnd>,
    tables: Tables,
    chunks: Vec<(u64, ChunkHeader)>,
    damage: Vec<Damage>,
    size: u64,
}

impl<S: ReadAt> LogFile<S> {
    /// Opens a log: reads where its chunks are, what it says about itself, and its tables.
    ///
    /// # Errors
    /// [`LogError`] if it is no log, or of a later version. One that was cut off or is damaged in a part is opened, and
    /// [`Self::damage`] says so.
    pub fn open(source: S) -> Result<Self, LogError> {
        let size = source.size()?;
        if size < FILE_HEADER {
            return Err(LogError::NotALog);
        }
        let mut head = [0; FILE_HEADER as usize];
        source.read_at(0, &mut head)?;
        if !head.starts_with(&MAGIC) {
            return Err(LogError::NotALog);
        }
        let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        if version == 0 || version > VERSION {
            return Err(LogError::Version(version));
        }
        let mut log = Self {
            source,
            info: LogInfo::default(),
            end: None,
            tables: Tables::default(),
            chunks: Vec::new(),
            damage: Vec::new(),
            size,
        };
        let chunks = match log.directory() {
            Some(chunks) => chunks,
            None => log.scan()?,
        };
        log.take(chunks)?;
        Ok(log)
    }

    /// What it says about itself.
    #[must_use]
    pub const fn info(&self) -> &LogInfo {
        &self.info
    }

    /// What it says at its end; `None` if it was cut off.
    #[must_use]
    pub const fn end(&self) -> Option<&LogEnd> {
        self.end.as_ref()
    }

    /// What the scripts say.
    #[must_use]
    pub const fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What is missing.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// How many bytes the file has.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// How many events it has, those of damaged chunks included.
    #[must_use]
    pub fn events(&self) -> u64 {
        let last = self.chunks.last();
        last.map_or(0, |(_, header)| {
            header.first.0.saturating_add(u64::from(header.events))
        })
    }

    /// The headers of the chunks with events, in their order.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = &ChunkHeader> {
        self.chunks.iter().map(|(_, header)| header)
    }

    /// Reads one of [`Self::chunks`].
    ///
    /// # Errors
    /// [`LogError`] if it cannot be read, or is damaged. There is no chunk behind the last.
    pub fn chunk(&self, index: usize) -> Result<EventChunk, LogError> {
        let (offset, header) = self.chunks.get(index).ok_or_else(|| LogError::Damaged {
            offset: self.size,
            reason: "there is no such chunk".to_owned(),
        })?;
        let body = self.body(*offset, header)?;
        let mut columns = Vec::with_capacity(COLUMNS);
        for id in 0..COLUMNS {
            let column = section(&body, id as u8);
            columns.push(column.ok_or_else(|| damaged(*offset, "a column cannot be unpacked"))?);
        }
        Ok(EventChunk {
            header: *header,
            offset: *offset,
            columns,
        })
    }

    fn body(&self, offset: u64, header: &ChunkHeader) -> Result<Vec<u8>, LogError> {
        let start = offset + CHUNK_HEADER as u64;
        // Nothing is made room for that is not in the file.
        if start + u64::from(header.body) > self.size {
            return Err(damaged(offset, "it goes over the end of the file"));
        }
        let mut body = vec![0; header.body as usize];
        self.source.read_at(start, &mut body)?;
        if crc32fast::hash(&body) != header.checksum {
            return Err(damaged(offset, "its checksum is wrong"));
        }
        Ok(body)
    }

    /// The chunks by the directory; `None` if there is none that can be read.
    fn directory(&self) -> Option<Vec<(u64, ChunkHeader)>> {
        let mut trailer = [0; 16];
        let trailer_at = self.size.checked_sub(16)?;
        self.source.read_at(trailer_at, &mut trailer).ok()?;
        if !trailer.ends_with(&END_MAGIC) {
            return None;
        }
        let at = Reader::new(&trailer).u64().ok()?;
        let header = self.header_at(at)?;
        if header.kind != ChunkKind::Directory {
            return None;
        }
        let body = self.body(at, &header).ok()?;
        let entries = section(&body, 0)?;
        let mut reader = Reader::new(&entries);
        let mut chunks = Vec::new();
        let mut behind = FILE_HEADER;
        while !reader.is_empty() {
            let offset = reader.u64().ok()?;
            let header = ChunkHeader::decode(reader.bytes(CHUNK_HEADER).ok()?)?;
            // No two of them are at one place: what is read is never more than the file has.
            if offset < behind {
                return None;
            }
            let length = CHUNK_HEADER as u64 + u64::from(header.body);
            behind = offset.checked_add(length)?;
            chunks.push((offset, header));
        }
        Some(chunks)
    }

    fn header_at(&self, offset: u64) -> Option<ChunkHeader> {
        if offset.checked_add(CHUNK_HEADER as u64)? > self.size {
            return None;
        }
        let mut bytes = [0; CHUNK_HEADER];
        self.source.read_at(offset, &mut bytes).ok()?;
        ChunkHeader::decode(&bytes)
    }

    /// The chunks one after the other, up to where the file is whole.
    fn scan(&mut self) -> Result<Vec<(u64, ChunkHeader)>, LogError> {
        let mut chunks = Vec::new();
        let mut offset = FILE_HEADER;
        let mut finished = false;
        while let Some(header) = self.header_at(offset) {
            let next = offset + CHUNK_HEADER as u64 + u64::from(header.body);
            if next > self.size {
                break;
            }
            chunks.push((offset, header));
            finished |= header.kind == ChunkKind::End;
            offset = next;
        }
        if offset < self.size && !finished && self.header_is_damaged(offset) {
            // Behind a damaged header nobody knows where the next chunk is: look for one.
            self.damage.push(Damage::Chunk {
                offset,
                reason: "its header is damaged".to_owned(),
            });
            self.resynchronise(offset + 1, &mut chunks)?;
        } else if !finished {
            self.damage.push(Damage::CutOff { at: offset });
        }
        Ok(chunks)
    }

    /// Whether there are more bytes than a header that was cut off has.
    fn header_is_damaged(&self, offset: u64) -> bool {
        offset + CHUNK_HEADER as u64 <= self.size && self.header_at(offset).is_none()
    }

    /// Chunks behind a damaged header, found by their own headers.
    fn resynchronise(
        &mut self,
        from: u64,
        chunks: &mut Vec<(u64, ChunkHeader)>,
    ) -> Result<(), LogError> {
        const BLOCK: usize = 1 << 16;
        let mut offset = from;
        let mut finished = false;
        while offset + CHUNK_HEADER as u64 <= self.size {
            let length = (self.size - offset).min(BLOCK as u64) as usize;
            let mut block = vec![0; length];
            self.source.read_at(offset, &mut block)?;
            let found = block
                .windows(CHUNK_HEADER)
                .enumerate()
                .filter(|(_, window)| window.starts_with(b"QPCK"))
                .find_map(|(at, window)| Some((at, ChunkHeader::decode(window)?)));
            let Some((at, header)) = found else {
                if length < BLOCK {
                    break;
                }
                offset += (BLOCK - CHUNK_HEADER + 1) as u64;
                continue;
            };
            let start = offset + at as u64;
            let next = start + CHUNK_HEADER as u64 + u64::from(header.body);
            if next > self.size {
                break;
            }
            chunks.push((start, header));
            finished |= header.kind == ChunkKind::End;
            offset = next;
        }
        if !finished {
            self.damage.push(Damage::CutOff { at: self.size });
        }
        Ok(())
    }

    /// Reads what is small, and keeps where the rest is.
    fn take(&mut self, chunks: Vec<(u64, ChunkHeader)>) -> Result<(), LogError> {
        let mut next = 0;
        let mut tables_whole = true;
        for (offset, header) in chunks {
            match header.kind {
                ChunkKind::Events => {
                    // Events are numbered one after the other; a directory that says otherwise is of no use.
                    if header.first.0 < next {
                        self.damage.push(Damage::Chunk {
                            offset,
                            reason: "its events have numbers of others".to_owned(),
                        });
                        continue;
                    }
                    next = header.first.0.saturating_add(u64::from(header.events));
                    self.chunks.push((offset, header));
                    continue;
                }
                ChunkKind::Directory => continue,
                ChunkKind::Info | ChunkKind::Tables | ChunkKind::End => {}
            }
            let bytes = match self.body(offset, &header) {
                Ok(body) => section(&body, 0),
                Err(LogError::Io(error)) => return Err(error.into()),
                Err(_) => None,
            };
            let taken = bytes.is_some_and(|bytes| match header.kind {
                ChunkKind::Info => take_json(&bytes, &mut self.info),
                ChunkKind::End => take_json(&bytes, self.end.insert(LogEnd::default())),
                // Behind tables that are missing the numbers are those of others.
                _ if !tables_whole => false,
                _ => Tables::decode(&bytes)
                    .map(|more| self.tables.append(more))
                    .is_ok(),
            });
            if !taken {
                tables_whole &= header.kind != ChunkKind::Tables;
                self.damage.push(Damage::Chunk {
                    offset,
                    reason: "what it says about the log is damaged".to_owned(),
                });
            }
        }
        Ok(())
    }
}

fn take_json<T: serde::de::DeserializeOwned>(bytes: &[u8], into: &mut T) -> bool {
    serde_json::from_slice(bytes)
        .map(|value| *into = value)
        .is_ok()
}

fn damaged(offset: u64, reason: &str) -> LogError {
    LogError::Damaged {
        offset,
        reason: reason.to_owned(),
    }
}

/// A chunk of records, unpacked.
#[derive(Clone, Debug)]
pub struct EventChunk {
    header: ChunkHeader,
    offset: u64,
    columns: Vec<Vec<u8>>,
}

impl EventChunk {
    /// Its header.
    #[must_use]
    pub const fn header(&self) -> &ChunkHeader {
        &self.header
    }

    /// How many bytes its records take, unpacked.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(Vec::len).sum()
    }

    /// Gives each record to `sink`, in order.
    ///
    /// # Errors
    /// [`LogError::Damaged`] at the first record that is none, although the checksum was right; those before it were
    /// given to `sink`.
    pub fn records(&self, mut sink: impl FnMut(Record<'_>)) -> Result<(), LogError> {
        let mut columns: [&[u8]; COLUMNS] = [&[]; COLUMNS];
        for (column, bytes) in columns.iter_mut().zip(&self.columns) {
            *column = bytes;
        }
        let mut reader = ColumnsReader::new(columns);
        let wrong = |error: BytesError| damaged(self.offset, &error.to_string());
        let mut left = self.header.events;
        let others = || damaged(self.offset, "it has other events than its header says");
        while let Some(record) = reader.next().map_err(wrong)? {
            left = left.checked_sub(record.events()).ok_or_else(others)?;
            sink(record);
        }
        match left {
            0 => Ok(()),
            _ => Err(others()),
        }
    }
}
