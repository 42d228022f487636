//! Delta debugging: which of the steps of a recording are needed.
//!
//! The algorithm `ddmin` of Zeller and Hildebrandt (*Simplifying and Isolating Failure-Inducing Input*, IEEE
//! Transactions on Software Engineering 28(2), 2002, section 3), turned inside out: whoever runs the trials asks for
//! the next and tells how it went, so that it can show progress, keep what there is so far, or stop.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Recording, StepKind};

/// Which elements of a list are needed, found by leaving out others.
///
/// When [`next_trial`](Self::next_trial) gives nothing any more, what is [`needed`](Self::needed) is 1-minimal: without
/// any single one of its elements the trial failed.
#[derive(Clone, Debug)]
pub struct Minimizer {
    /// What was enough so far, in order.
    needed: Vec<usize>,
    /// In how many parts it is cut.
    parts: usize,
    /// Which candidate of this cut comes next: first the parts alone, then what is left without each.
    turn: usize,
    /// The trial that was asked for and not told yet.
    trial: Option<Vec<usize>>,
    /// What was not enough.
    failed: BTreeSet<Vec<usize>>,
    is_begun: bool,
}

impl Minimizer {
    /// For these elements, which together are enough.
    #[must_use]
    pub fn new(elements: Vec<usize>) -> Self {
        Self {
            needed: elements,
            parts: 2,
            turn: 0,
            trial: None,
            failed: BTreeSet::new(),
            is_begun: false,
        }
    }

    /// What is known to be enough.
    #[must_use]
    pub fn needed(&self) -> &[usize] {
        &self.needed
    }

    /// The elements to try next, in order; nothing when none can be left out. The first trial is that of no elements at
    /// all.
    pub fn next_trial(&mut self) -> Option<&[usize]> {
        if self.trial.is_none() {
            self.trial = self.candidate();
        }
        self.trial.as_deref()
    }

    /// How the trial went that [`next_trial`](Self::next_trial) gave. Without one this does nothing.
    pub fn tell(&mut self, is_enough: bool) {
        let Some(trial) = self.trial.take() else {
            return;
        };
        if !is_enough {
            self.failed.insert(trial);
            return;
        }
        // A part alone is cut in two again; where a part was left out, the other parts stay as they are.
        let is_rest = self.turn > self.parts;
        self.parts = if is_rest {
            self.parts.saturating_sub(1)
        } else {
            2
        };
        self.parts = self.parts.max(2);
        self.turn = 0;
        self.needed = trial;
    }

    fn candidate(&mut self) -> Option<Vec<usize>> {
        if !self.is_begun {
            self.is_begun = true;
            if !self.needed.is_empty() {
                return Some(Vec::new());
            }
        }
        while self.needed.len() > 1 {
            let parts = self.parts.min(self.needed.len());
            self.parts = parts;
            while self.turn < 2 * parts {
                let part = self.part(self.turn % parts);
                let candidate = if self.turn < parts {
                    self.needed.get(part).unwrap_or_default().to_vec()
                } else {
                    let before = self.needed.get(..part.start).unwrap_or_default();
                    let after = self.needed.get(part.end..).unwrap_or_default();
                    [before, after].concat()
                };
                self.turn += 1;
                if !self.failed.contains(&candidate) {
                    return Some(candidate);
                }
            }
            if parts == self.needed.len() {
                return None;
            }
            self.parts = 2 * parts;
            self.turn = 0;
        }
        None
    }

    /// Where the part with this number lies in what is needed.
    fn part(&self, number: usize) -> Range<usize> {
        let length = self.needed.len();
        length * number / self.parts..length * (number + 1) / self.parts
    }
}

impl Recording {
    /// The steps that can be left out, by index from 0: those after the page was opened.
    #[must_use]
    pub fn steps_after_opening(&self) -> Vec<usize> {
        let is_opening = |kind: &StepKind| matches!(kind, StepKind::Navigate { .. });
        let opening = self.steps.iter().position(|step| is_opening(&step.kind));
        let first = opening.map_or(0, |opening| opening + 1);
        let is_viewport = |kind: &StepKind| matches!(kind, StepKind::SetViewport(_));
        let rest = self.steps.iter().enumerate().skip(first);
        rest.filter(|(_, step)| !is_viewport(&step.kind))
            .map(|(index, _)| index)
            .collect()
    }

    /// The same recording without those of the `optional` steps that are not `needed`; both by index from 0, in order.
    #[must_use]
    pub fn with_steps(&self, optional: &[usize], needed: &[usize]) -> Self {
        let is_kept = |index: &usize| {
            optional.binary_search(index).is_err() || needed.binary_search(index).is_ok()
        };
        let steps = self.steps.iter().enumerate();
        let mut left = Self {
            steps: steps
                .filter(|(index, _)| is_kept(index))
                .map(|(_, step)| step.clone())
                .collect(),
            ..self.clone()
        };
        if left.steps.len() < self.steps.len() {
            // What comes after a step that is left out finds the page otherwise.
            left.drop_fingerprints();
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is found, and in how many trials, where `is_enough` says how each goes.
    fn minimized(count: usize, is_enough: impl Fn(&[usize]) -> bool) -> (Vec<usize>, usize) {
        let mut minimizer = Minimizer::new((0..count).collect());
        let mut trials = 0;
        while let Some(trial) = minimizer.next_trial() {
            let end = is_enough(trial);
            trials += 1;
            minimizer.tell(end);
        }
        (minimizer.needed().to_vec(), trials)
    }

    #[test]
    fn two_of_many_are_found() {
        let (needed, trials) = minimized(64, |steps| steps.contains(&7) && steps.contains(&48));
        assert_eq!(needed, [7, 48]);
        assert!(trials < 64, "{trials}");
    }

    #[test]
    fn what_needs_nothing_takes_one_trial() {
        assert_eq!(minimized(9, |_| true), (Vec::new(), 1));
        assert_eq!(minimized(0, |_| true), (Vec::new(), 0));
    }

    #[test]
    fn one_that_is_needed_stays() {
        assert_eq!(minimized(1, |steps| !steps.is_empty()), (vec![0], 1));
    }

    #[test]
    fn what_opens_the_page_is_never_left_out() {
        let recording = Recording::parse(
            r##"{"title":"t","steps":[
                {"type":"setViewport","width":10,"height":10,"deviceScaleFactor":1,"isMobile":false,"hasTouch":false,"isLandscape":false},
                {"type":"navigate","url":"http://h/"},
                {"type":"click","selectors":["#a"],"offsetX":1,"offsetY":1},
                {"type":"click","selectors":["#b"],"offsetX":1,"offsetY":1},
                {"type":"navigate","url":"http://h/2"}]}"##,
        )
        .unwrap();
        let optional = recording.steps_after_opening();
        assert_eq!(optional, [2, 3, 4]);
        let kept = |needed: &[usize]| {
            let steps = recording.with_steps(&optional, needed).steps;
            steps.iter().map(|step| step.describe()).collect::<Vec<_>>()
        };
        let all = kept(&optional);
        assert_eq!(kept(&[]), all[..2]);
        assert_eq!(kept(&[3]), [&all[..2], &all[3..4]].concat());
    }

    proptest! {
        /// Whatever is needed, also where trials go one way or the other without any order: nothing single can be left
        /// out of what is found, and there are no more trials than the paper allows (proposition 12: n² + 3n).
        #[test]
        fn what_is_found_is_minimal(count in 0_usize..24, seed: u64) {
            let is_enough = |steps: &[usize]| {
                use std::hash::{DefaultHasher, Hash, Hasher};
                let mut hasher = DefaultHasher::new();
                (seed, steps).hash(&mut hasher);
                steps.len() == count || hasher.finish().is_multiple_of(4)
            };
            let (needed, trials) = minimized(count, is_enough);
            prop_assert!(is_enough(&needed));
            prop_assert!(trials <= count * count + 3 * count, "{trials} trials");
            for left_out in 0..needed.len() {
                let mut fewer = needed.clone();
                fewer.remove(left_out);
                prop_assert!(!is_enough(&fewer), "{needed:?} without {left_out}");
            }
        }

        /// Where exactly these are needed, these are found.
        #[test]
        fn exactly_what_is_needed_is_found(count in 1_usize..40, needed: Vec<prop::sample::Index>) {
            let wanted: BTreeSet<usize> = needed.iter().map(|index| index.index(count)).collect();
            let is_enough = |steps: &[usize]| wanted.iter().all(|step| steps.contains(step));
            let (found, _) = minimized(count, is_enough);
            prop_assert_eq!(found, wanted.into_iter().collect::<Vec<_>>());
        }
    }
}
