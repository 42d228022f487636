//! The file format `.qplog`.
//!
//! ```text
//! header   8 bytes "QPLOG" 13 10 26, version (u32), reserved (u32)
//! chunk*   header of 64 bytes, body
//! trailer  where the directory is (u64), 8 bytes "QPLOGEND"      only if the log was finished
//! ```
//! Numbers are little endian. A chunk's header has its kind, its stream, the number of its first event, how many events
//! it has, how many texts, objects and scopes its stream had before, the length and CRC-32 of its body, and a CRC-32 of
//! itself. A body is a sequence of sections: an id (byte), how it is stored (byte: 0 as it is, 1 zstd), its length as
//! read and as stored (`u32`s), its bytes. Sections that a reader does not know are skipped.
//!
//! | kind of chunk | sections |
//! | --- | --- |
//! | 1 info | 0: [`LogInfo`] as JSON |
//! | 2 tables | 0: entries that are new, as [`crate::tables::Tables`] writes them |
//! | 3 events | 0–8: columns (kinds, sites, functions, owners, values, scopes, numbers, texts, times) |
//! | 4 end | 0: [`LogEnd`] as JSON |
//! | 5 directory | 0: offset of each chunk and a copy of its header |
//!
//! A log without a trailer was cut off: its chunks are found one after the other, and all whole ones count. A chunk
//! whose checksum is wrong is left out and reported; what its stream does until the next task is then not known.

mod chunk;
pub(crate) mod columns;
mod columns_reader;
mod info;
mod reader;
mod writer;

pub use chunk::{ChunkHeader, ChunkKind};
pub use info::{LogEnd, LogInfo, MergedRun, Unrecorded};
pub use reader::{Damage, EventChunk, LogError, LogFile, ReadAt};
pub use writer::{LogWriter, WriteError, Written};

/// The first bytes of a log.
pub const MAGIC: [u8; 8] = *b"QPLOG\r\n\x1a";
/// The last bytes of a log that was finished.
pub const END_MAGIC: [u8; 8] = *b"QPLOGEND";
/// The version of the format that is written. Later ones are refused.
pub const VERSION: u32 = 1;
/// Bytes of the file's header.
pub(crate) const FILE_HEADER: u64 = 16;
/// More streams than any page has realms.
pub(crate) const MOST_STREAMS: u16 = 4096;
/// A section is not longer: 64 MB.
pub(crate) const MOST_SECTION: u32 = 1 << 26;
