//! Chunks: their headers, and their bodies as sections.

use ruzstd::decoding::FrameDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::MOST_SECTION;
use crate::bytes::Reader;
use crate::ids::{Seq, StreamId};

const MAGIC: u32 = u32::from_le_bytes(*b"QPCK");
/// Bytes of a chunk's header.
pub(crate) const CHUNK_HEADER: usize = 64;
/// Shorter sections are stored as they are.
const WORTH_COMPRESSING: usize = 128;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkKind {
    /// What the log says about itself.
    Info,
    /// Entries of tables.
    Tables,
    /// Records of one stream.
    Events,
    /// What was known at the end.
    End,
    /// Where the chunks are.
    Directory,
}

impl ChunkKind {
    const ALL: [Self; 5] = [
        Self::Info,
        Self::Tables,
        Self::Events,
        Self::End,
        Self::Directory,
    ];
}

/// The header of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    /// What it holds.
    pub kind: ChunkKind,
    /// Of which stream its records are.
    pub stream: StreamId,
    /// The number of its first event.
    pub first: Seq,
    /// How many events it has.
    pub events: u32,
    /// How many texts, objects and scopes its stream defined before it.
    pub defined: [u32; 3],
    /// How many bytes its body has.
    pub body: u32,
    /// The body's CRC-32.
    pub checksum: u32,
}

impl ChunkHeader {
    pub(crate) fn encode(&self) -> [u8; CHUNK_HEADER] {
        let mut bytes = Vec::with_capacity(CHUNK_HEADER);
        bytes.extend_from_slice(&MAGIC.to_le_bytes());
        let kind = Self::kind_code(self.kind);
        for number in [kind, self.stream.0, self.events] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.first.0.to_le_bytes());
        for number in self.defined {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.body, self.checksum] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.resize(CHUNK_HEADER - 4, 0);
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        let mut header = [0; CHUNK_HEADER];
        header.copy_from_slice(&bytes);
        header
    }

    fn kind_code(kind: ChunkKind) -> u32 {
        let at = ChunkKind::ALL.iter().position(|&it| it == kind);
        u32::try_from(at.unwrap_or(0)).unwrap_or(0) + 1
    }

    /// `None` if the bytes are no header, or a damaged one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (checked, checksum) = bytes.split_at_checked(CHUNK_HEADER - 4)?;
        if Reader::new(checksum).u32().ok()? != crc32fast::hash(checked) {
            return None;
        }
        let mut reader = Reader::new(checked);
        if reader.u32().ok()? != MAGIC {
            return None;
        }
        let mut number = || reader.u32().ok();
        let kind = *ChunkKind::ALL.get(number()?.checked_sub(1)? as usize)?;
        let stream = StreamId(number()?);
        let events = number()?;
        let first = u64::from(number()?) | u64::from(number()?) << 32;
        Some(Self {
            kind,
            stream,
            events,
            first: Seq(first),
            defined: [number()?, number()?, number()?],
            body: number()?,
            checksum: number()?,
        })
    }
}

/// Appends a section to a body, compressed where that makes it smaller.
pub(crate) fn put_section(body: &mut Vec<u8>, id: u8, bytes: &[u8]) {
    let compressed = (bytes.len() >= WORTH_COMPRESSING)
        .then(|| compress_to_vec(bytes, CompressionLevel::Fastest))
        .filter(|compressed| compressed.len() < bytes.len());
    let stored = compressed.as_deref().unwrap_or(bytes);
    body.push(id);
    body.push(u8::from(compressed.is_some()));
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    body.extend_from_slice(&length(bytes).to_le_bytes());
    body.extend_from_slice(&length(stored).to_le_bytes());
    body.extend_from_slice(stored);
}

/// The section `id` of a body, as it was before it was compressed; empty if there is none. `None` if it is damaged.
pub(crate) fn section(body: &[u8], id: u8) -> Option<Vec<u8>> {
    let mut reader = Reader::new(body);
    while !reader.is_empty() {
        let (is, stored) = (reader.byte().ok()?, reader.byte().ok()?);
        let (length, size) = (reader.u32().ok()?, reader.u32().ok()?);
        let bytes = reader.bytes(size as usize).ok()?;
        if is != id {
            continue;
        }
        if length > MOST_SECTION {
            return None;
        }
        return match stored {
            0 if length == size => Some(bytes.to_vec()),
            1 => decompress(bytes, length as usize),
            _ => None,
        };
    }
    Some(Vec::new())
}

fn decompress(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut output = vec![0; length];
    let written = FrameDecoder::new().decode_all(bytes, &mut output).ok()?;
    (written == length).then_some(output)
}
