//! The number of an event.

use serde::{Deserialize, Serialize};

/// Events that a query counts are numbered apart, each query's from its own multiple of this: the agent's `CONDITIONS`.
/// No page reaches so many writes.
const APART: u64 = 1 << 40;

/// The number of an event within one execution. Writes are counted from 1 over all hooks. The events that one query
/// counts have numbers apart from all others: what its trace query looks for from 1, the outcomes of conditions by the
/// number of the last write and how many there were since. On the wire it is one number.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize, Serialize,
)]
#[serde(transparent)]
pub struct Sequence(u64);

/// An event that a query counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedEvent {
    /// The query that counts it.
    pub query: usize,
    /// Which of its events it is, from 1.
    pub number: u64,
}

impl Sequence {
    /// The event with this number, as an agent gives it.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The event `number`, from 1, of those that `query` counts.
    #[must_use]
    pub fn of_counted(query: usize, number: u64) -> Self {
        let query = u64::try_from(query).unwrap_or(0) + 1;
        Self(query.saturating_mul(APART).saturating_add(number))
    }

    /// The number, as an agent takes it.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Which event it is, of which query; `None`: it is a write that no query counts.
    #[must_use]
    pub fn counted(self) -> Option<CountedEvent> {
        let query = usize::try_from(self.0 / APART).ok()?.checked_sub(1)?;
        let number = self.0 % APART;
        Some(CountedEvent { query, number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_a_query_counts_is_known_by_its_number_and_a_write_is_none() {
        for (query, number) in [(0, 1), (0, APART - 1), (3, 7)] {
            let counted = Sequence::of_counted(query, number).counted();
            assert_eq!(counted, Some(CountedEvent { query, number }));
        }
        assert_eq!(Sequence::new(7).counted(), None);
        assert_eq!(Sequence::new(APART - 1).counted(), None);
        assert!(Sequence::new(APART - 1) < Sequence::of_counted(0, 1));
        assert!(Sequence::of_counted(0, 9) < Sequence::of_counted(1, 1));
    }

    #[test]
    fn a_query_number_that_is_out_of_all_bounds_ends_in_the_highest_number() {
        let last = Sequence::of_counted(usize::MAX - 1, u64::MAX);
        assert_eq!(last.number(), u64::MAX);
        assert!(last.counted().is_some());
    }

    #[test]
    fn on_the_wire_it_is_a_number() {
        let read: Sequence = serde_json::from_str("1099511627777").unwrap();
        assert_eq!(read, Sequence::of_counted(0, 1));
        assert_eq!(serde_json::to_string(&read).unwrap(), "1099511627777");
    }
}
