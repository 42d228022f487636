//! A batch as the page packs it: `agent/js/log-packing.js`.
//!
//! The bytes `QPZ1`, the number of words, and then by turns words that are new and a repetition of earlier ones, until
//! there are as many words: how many are new, these; how many are repeated (at least 4), and how many words before they
//! begin. Every number and word is unsigned, seven bits a byte, the lowest first; the highest bit of a byte says that
//! there is another. A repetition may reach into itself.

/// What a packed batch begins with.
pub const PACKED: [u8; 4] = *b"QPZ1";

/// No batch has more words: one of a page that behaves has a few more than 2¹⁶.
const MOST_WORDS: usize = 1 << 24;

/// Why a packed batch cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// It ends too early.
    #[error("a batch of the log ends in the middle")]
    End,
    /// It says that it is longer than a batch can be.
    #[error("a batch of the log has more than {MOST_WORDS} words")]
    TooLong,
    /// It repeats what is not there.
    #[error("a batch of the log repeats what was not there")]
    Distance,
}

/// The words of a packed batch, in little-endian bytes.
///
/// # Errors
/// [`UnpackError`] if it is none.
pub fn unpack(packed: &[u8]) -> Result<Vec<u8>, UnpackError> {
    let mut rest = packed.strip_prefix(&PACKED).ok_or(UnpackError::End)?;
    let total = number(&mut rest)? as usize;
    if total > MOST_WORDS {
        return Err(UnpackError::TooLong);
    }
    // What is announced is believed as far as the bytes could hold it without a repetition.
    let mut words: Vec<u32> = Vec::with_capacity(total.min(rest.len()));
    loop {
        let new = number(&mut rest)? as usize;
        if new > total - words.len() {
            return Err(UnpackError::TooLong);
        }
        for _ in 0..new {
            words.push(number(&mut rest)?);
        }
        if words.len() == total {
            break;
        }
        let count = number(&mut rest)? as usize;
        let distance = number(&mut rest)? as usize;
        if count > total - words.len() {
            return Err(UnpackError::TooLong);
        }
        if distance == 0 {
            return Err(UnpackError::Distance);
        }
        let from = words
            .len()
            .checked_sub(distance)
            .ok_or(UnpackError::Distance)?;
        for index in from..from + count {
            let word = *words.get(index).ok_or(UnpackError::Distance)?;
            words.push(word);
        }
        if words.len() == total {
            break;
        }
    }
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

fn number(rest: &mut &[u8]) -> Result<u32, UnpackError> {
    let mut value = 0_u32;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, behind) = rest.split_first().ok_or(UnpackError::End)?;
        *rest = behind;
        value |= u32::from(byte & 127) << shift;
        if byte < 128 {
            return Ok(value);
        }
    }
    Err(UnpackError::End)
}
