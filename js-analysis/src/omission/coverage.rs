//! How often each place of a script ran, as a browser counts it: functions, and in them stretches that run as often.

use rustc_hash::FxHashMap;

use crate::position::{ByteOffset, ByteSpan};

/// A stretch that ran so often; what is inside another replaces it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedSpan {
    /// Where.
    pub span: ByteSpan,
    /// How often.
    pub count: u64,
    /// Whether it is a whole function: then it is how often the function was called.
    pub is_function: bool,
}

/// How often the places of one script ran.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// From each offset up to the next one it ran so often.
    steps: Vec<(u32, u64)>,
    /// How often the code around a function ran, by where the function begins.
    around: FxHashMap<u32, u64>,
}

impl Coverage {
    /// Of stretches in any order, none of which overlaps another without being inside it. What is in none of them is
    /// taken not to have run.
    #[must_use]
    pub fn new(mut spans: Vec<CountedSpan>) -> Self {
        spans.retain(|counted| counted.span.start < counted.span.end);
        // Of those that begin at one place, the longest first; a function is around what is in it.
        spans.sort_by_key(|counted| {
            let CountedSpan {
                span, is_function, ..
            } = counted;
            (span.start, u32::MAX - span.end.0, !*is_function)
        });
        let mut coverage = Self::default();
        let mut open: Vec<CountedSpan> = Vec::new();
        for counted in spans {
            coverage.close(&mut open, counted.span.start.0);
            if let (true, Some(outside)) = (counted.is_function, open.last()) {
                let around = coverage.around.entry(counted.span.start.0);
                around.or_insert(outside.count);
            }
            coverage.step(counted.span.start.0, counted.count);
            open.push(counted);
        }
        coverage.close(&mut open, u32::MAX);
        coverage
    }

    /// Ends the stretches that end up to `at`.
    fn close(&mut self, open: &mut Vec<CountedSpan>, at: u32) {
        while let Some(last) = open.last() {
            let end = last.span.end.0;
            if end > at {
                return;
            }
            open.pop();
            let count = open.last().map_or(0, |around| around.count);
            self.step(end, count);
        }
    }

    /// The counts of both: of a script that ran in several documents.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut places: Vec<u32> = self
            .steps
            .iter()
            .chain(&other.steps)
            .map(|it| it.0)
            .collect();
        places.sort_unstable();
        places.dedup();
        let sum = |at: u32| {
            let at = ByteOffset(at);
            self.inside(at).saturating_add(other.inside(at))
        };
        let functions = self.around.keys().chain(other.around.keys());
        let around = functions.map(|&at| {
            let at_place = ByteOffset(at);
            let count = self
                .evaluated(at_place)
                .saturating_add(other.evaluated(at_place));
            (at, count)
        });
        Self {
            around: around.collect(),
            steps: places.iter().map(|&at| (at, sum(at))).collect(),
        }
    }

    fn step(&mut self, at: u32, count: u64) {
        match self.steps.last_mut() {
            Some((last, old)) if *last == at => *old = count,
            _ => self.steps.push((at, count)),
        }
    }

    /// How often what begins at `at` was evaluated. Where a function begins, the function is meant, not its body.
    #[must_use]
    pub fn evaluated(&self, at: ByteOffset) -> u64 {
        match self.around.get(&at.0) {
            Some(&count) => count,
            None => self.inside(at),
        }
    }

    /// How often the character at `at` was passed; where a function begins, that function's.
    #[must_use]
    pub fn inside(&self, at: ByteOffset) -> u64 {
        let after = self.steps.partition_point(|(start, _)| *start <= at.0);
        let step = after.checked_sub(1).and_then(|index| self.steps.get(index));
        step.map_or(0, |(_, count)| *count)
    }

    /// Whether anything of the script ran.
    #[must_use]
    pub fn has_run(&self) -> bool {
        self.steps.iter().any(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(start: u32, end: u32, count: u64, is_function: bool) -> CountedSpan {
        CountedSpan {
            span: ByteSpan {
                start: ByteOffset(start),
                end: ByteOffset(end),
            },
            count,
            is_function,
        }
    }

    #[test]
    fn the_innermost_stretch_counts() {
        let coverage = Coverage::new(vec![
            counted(40, 50, 0, true),
            counted(10, 30, 3, true),
            counted(0, 100, 1, true),
            counted(15, 20, 2, false),
            counted(20, 30, 0, false),
        ]);
        let inside = |at| coverage.inside(ByteOffset(at));
        assert_eq!((inside(5), inside(12), inside(17)), (1, 3, 2));
        assert_eq!(
            (inside(25), inside(30), inside(45), inside(60)),
            (0, 1, 0, 1)
        );
        // A function is evaluated as often as what is around it.
        assert_eq!(coverage.evaluated(ByteOffset(10)), 1);
        assert_eq!(coverage.evaluated(ByteOffset(40)), 1);
        assert_eq!(coverage.evaluated(ByteOffset(41)), 0);
        assert_eq!(inside(100), 0);
        assert!(coverage.has_run());
        assert!(!Coverage::default().has_run());
    }
}
