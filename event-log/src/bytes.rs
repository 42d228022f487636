//! Bytes, written and read: numbers of variable length, and texts. Reading never goes past the end and never allocates
//! more than there are bytes.

/// What is not there, or is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BytesError {
    /// It ends too early.
    #[error("it ends too early")]
    End,
    /// A number is larger than its kind allows.
    #[error("a number is too large")]
    Overflow,
    /// A text is not UTF-8.
    #[error("a text is not UTF-8")]
    Text,
    /// A code that this version does not know.
    #[error("the code {0} is not known")]
    Code(u32),
}

/// A place in bytes that are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(crate) const fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) const fn remaining(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, BytesError> {
        let (&first, rest) = self.rest.split_first().ok_or(BytesError::End)?;
        self.rest = rest;
        Ok(first)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'b [u8], BytesError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(BytesError::End)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BytesError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(BytesError::End)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, BytesError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, BytesError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Result<f64, BytesError> {
        self.u64().map(f64::from_bits)
    }

    /// LEB128.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u32, BytesError> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u32::from(first));
        }
        let mut value = u32::from(first & 0x7f);
        for shift in [7, 14, 21, 28] {
            let byte = self.byte()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && byte > 0x0f {
                return Err(BytesError::Overflow);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(BytesError::Overflow)
    }

    /// A signed number, near zero in few bytes.
    #[inline]
    pub(crate) fn signed(&mut self) -> Result<i32, BytesError> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    pub(crate) fn text(&mut self) -> Result<&'b str, BytesError> {
        let length = self.varint()? as usize;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| BytesError::Text)
    }
}

#[inline]
pub(crate) fn put_varint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[inline]
pub(crate) fn put_signed(bytes: &mut Vec<u8>, value: i32) {
    put_varint(bytes, ((value << 1) ^ (value >> 31)).cast_unsigned());
}

pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    // No text of a log is longer: the writer is given names and addresses.
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    put_varint(bytes, length);
    bytes.extend_from_slice(&text.as_bytes()[..length as usize]);
}

#[cfg(test)]
mod tests {
    use super::{BytesError, Reader, put_signed, put_varint};

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for value in [0, 1, 127, 128, 16383, 16384, u32::MAX - 1, u32::MAX] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            put_signed(&mut bytes, value.cast_signed());
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.varint(), Ok(value));
            assert_eq!(reader.signed(), Ok(value.cast_signed()));
            assert!(reader.is_empty());
        }
    }

    #[test]
    fn a_number_that_never_ends_is_refused() {
        assert_eq!(Reader::new(&[0xff; 9]).varint(), Err(BytesError::Overflow));
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint(),
            Err(BytesError::Overflow)
        );
        assert_eq!(Reader::new(&[0x80]).varint(), Err(BytesError::End));
    }
}
