//! Finding a point among the changes that were collected (*Debugging by lastChange*, section 4).
//!
//! For each watched property name, the writes of all objects are one table, told apart by object id; for each
//! watched variable name, by scope id. `lastChange(P:o.x)` is the last row of that table before `P` whose
//! owner is the object that `o` is at `P` and whose new value differs from the old one.

/// The moment of a write, counted from 1 over all hooks of one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

/// A place in the source where something is written; numbered by the rewriting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub u32);

/// What was written to, within one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OwnerId {
    /// An object, by its object id.
    Object(u64),
    /// One activation of a scope, by its scope id.
    Scope(u64),
}

/// How the new value compares with the old one, by `Object.is`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// There was no such property or binding before; a change.
    Created,
    /// The values differ, or the property was deleted; a change.
    Differs,
    /// The value was written again; no change.
    Same,
}

/// One write that a hook reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub sequence: Sequence,
    /// Where.
    pub site: SiteId,
    /// To what.
    pub owner: OwnerId,
    /// Whether it is a change at all.
    pub comparison: Comparison,
}

/// The writes of one property name or one variable name, in one execution.
#[derive(Clone, Debug, Default)]
pub struct ChangeTable {
    /// In the order of their sequence numbers; without writes of the same value.
    changes: Vec<Change>,
}

/// A change, and which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundChange {
    /// The change.
    pub change: Change,
    /// Which of the owner's changes it is, from 0.
    pub index: u64,
    /// How many changes the owner has before the point.
    pub changes: u64,
}

impl ChangeTable {
    /// A table of these writes, in whatever order they were drained.
    #[must_use]
    pub fn new(writes: impl IntoIterator<Item = Change>) -> Self {
        let mut changes: Vec<Change> = writes
            .into_iter()
            .filter(|write| write.comparison != Comparison::Same)
            .collect();
        changes.sort_by_key(|change| change.sequence);
        Self { changes }
    }

    /// The last change of `owner` before `point` (exclusive); `None`: it was never changed before it.
    ///
    /// A point that is itself a change is before its own write, so asking again at it gives the change
    /// before.
    #[must_use]
    pub fn last_change(&self, owner: OwnerId, point: Sequence) -> Option<FoundChange> {
        let mut changes = 0;
        let mut last = None;
        let before = self
            .changes
            .partition_point(|change| change.sequence < point);
        for change in self.changes[..before]
            .iter()
            .filter(|change| change.owner == owner)
        {
            changes += 1;
            last = Some(*change);
        }
        last.map(|change| FoundChange {
            change,
            index: changes - 1,
            changes,
        })
    }
}

/// What one execution says of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The last change is this one.
    Found(FoundChange),
    /// There is no change before the point.
    NeverChanged,
    /// The value at the point is not what the last hooked change wrote: something wrote unseen.
    WrittenUnseen,
    /// The point before it in the chain has no answer, or the reproduction point was not reached.
    NotReached,
}

/// Whether two executions mean the same event: same site, owner, place in the sequence and count.
#[must_use]
pub fn agree(first: Finding, second: Finding) -> bool {
    first == second
}

/// The status of a point from what the first execution found and what the second saw when it stopped
/// there. `None`: there was no second one, or it was not needed.
#[must_use]
pub fn status(first: Finding, second: Option<Finding>) -> crate::answer::Status {
    use crate::answer::Status;
    if second.is_some_and(|second| !agree(first, second)) {
        return Status::Diverged;
    }
    match first {
        Finding::Found(_) => Status::Found,
        Finding::NeverChanged => Status::NeverChanged,
        Finding::WrittenUnseen => Status::Blind,
        Finding::NotReached => Status::NotReached,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Status;

    const CIRCLE: OwnerId = OwnerId::Object(1);
    const SQUARE: OwnerId = OwnerId::Object(2);

    fn change(sequence: u64, site: u32, owner: OwnerId, comparison: Comparison) -> Change {
        Change {
            sequence: Sequence(sequence),
            site: SiteId(site),
            owner,
            comparison,
        }
    }

    /// The table of `area`: two shapes, written in turns; drained out of order.
    fn areas() -> ChangeTable {
        ChangeTable::new([
            change(5, 12, CIRCLE, Comparison::Same),
            change(1, 10, CIRCLE, Comparison::Created),
            change(2, 10, SQUARE, Comparison::Created),
            change(4, 12, SQUARE, Comparison::Differs),
            change(3, 11, CIRCLE, Comparison::Differs),
            change(7, 13, CIRCLE, Comparison::Differs),
        ])
    }

    fn found(owner: OwnerId, before: u64) -> Option<(u64, u32, u64, u64)> {
        let found = areas().last_change(owner, Sequence(before))?;
        Some((
            found.change.sequence.0,
            found.change.site.0,
            found.index,
            found.changes,
        ))
    }

    #[test]
    fn the_last_change_is_that_of_the_owner_before_the_point() {
        // Sequence, site, index, changes.
        assert_eq!(found(CIRCLE, 100), Some((7, 13, 2, 3)));
        assert_eq!(found(SQUARE, 100), Some((4, 12, 1, 2)));
        assert_eq!(found(OwnerId::Object(3), 100), None);
    }

    #[test]
    fn writing_the_same_value_is_no_change() {
        assert_eq!(found(CIRCLE, 6), Some((3, 11, 1, 2)));
    }

    #[test]
    fn asking_at_a_change_gives_the_one_before_it() {
        assert_eq!(found(CIRCLE, 7), Some((3, 11, 1, 2)));
        assert_eq!(found(CIRCLE, 3), Some((1, 10, 0, 1)));
        assert_eq!(found(CIRCLE, 1), None);
    }

    #[test]
    fn activations_of_a_recursive_function_are_told_apart() {
        let depths = ChangeTable::new((1..=3).map(|activation| {
            change(
                activation,
                5,
                OwnerId::Scope(activation),
                Comparison::Created,
            )
        }));
        let second = depths
            .last_change(OwnerId::Scope(2), Sequence(100))
            .unwrap();
        assert_eq!((second.change.sequence, second.changes), (Sequence(2), 1));
        assert_eq!(depths.last_change(OwnerId::Object(2), Sequence(100)), None);
    }

    #[test]
    fn runs_that_disagree_are_no_answer() {
        let first = Finding::Found(areas().last_change(CIRCLE, Sequence(100)).unwrap());
        let other = Finding::Found(areas().last_change(CIRCLE, Sequence(6)).unwrap());
        assert_eq!(status(first, Some(first)), Status::Found);
        assert_eq!(status(first, Some(other)), Status::Diverged);
        assert_eq!(status(first, None), Status::Found);
        assert_eq!(
            status(Finding::NeverChanged, Some(Finding::NeverChanged)),
            Status::NeverChanged
        );
        assert_eq!(status(Finding::WrittenUnseen, None), Status::Blind);
        assert_eq!(status(Finding::NotReached, None), Status::NotReached);
    }
}
