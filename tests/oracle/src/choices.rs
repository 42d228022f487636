//! The source of a generated program: a row of numbers, each of which decides one thing.
//!
//! A generator that reads its decisions from a row needs no shrinking of its own: whatever the property test
//! removes or makes smaller in the row, the program that comes of it is valid, and smaller. So the first of
//! several possibilities is always the simplest, and a row that has ended decides for the first.

/// Reads decisions from a row of numbers.
#[derive(Debug)]
pub struct Choices<'r> {
    row: std::slice::Iter<'r, u16>,
}

impl<'r> Choices<'r> {
    /// Reads from the start of `row`.
    #[must_use]
    pub fn new(row: &'r [u16]) -> Self {
        Self { row: row.iter() }
    }

    /// Whether every further decision is the first possibility.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.row.len() == 0
    }

    /// A number below `count`; smaller numbers in the row give smaller ones here.
    pub fn below(&mut self, count: usize) -> usize {
        let number = self.row.next().copied().unwrap_or(0);
        (usize::from(number) * count) >> u16::BITS
    }

    /// One of `options`, the first one once the row has ended; `None` if there is none.
    pub fn one_of<'o, T>(&mut self, options: &'o [T]) -> Option<&'o T> {
        options.get(self.below(options.len()))
    }

    /// True in `percent` of 100 cases; false once the row has ended.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_has_ended_decides_for_the_first() {
        let mut choices = Choices::new(&[u16::MAX, 0, 1 << 15]);
        assert_eq!(choices.below(7), 6);
        assert_eq!(choices.below(7), 0);
        assert_eq!(choices.one_of(&["a", "b"]), Some(&"b"));
        assert!(choices.ended());
        assert_eq!(choices.below(7), 0);
        assert!(!choices.chance(99));
        assert_eq!(choices.one_of::<u8>(&[]), None);
    }
}
