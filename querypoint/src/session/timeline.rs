//! What of an execution line is seen: a window of its events that can be moved and zoomed, and what is to be drawn in
//! each column of pixels. The time for that grows with the width and hardly with the number of events.

use std::ops::Range;

use crate::execution_line::{ExecutionLine, Verdict};

/// As many events fill the width at least.
const FEWEST: f64 = 8.0;

/// A part of the line: `span` events from `first` on; fractions are parts of events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    first: f64,
    span: f64,
    /// How many events there are.
    events: f64,
}

impl Window {
    /// All of it.
    #[must_use]
    pub fn whole(events: usize) -> Self {
        let events = number(events);
        Self {
            first: 0.0,
            span: events.max(FEWEST),
            events,
        }
    }

    fn within(first: f64, span: f64, events: f64) -> Self {
        let most = events.max(FEWEST);
        // (Not `clamp`: what it says where it panics has numbers in it, and to print one takes 8 kB of the panel.)
        let span = span.max(FEWEST).min(most);
        Self {
            first: first.max(0.0).min(most - span),
            span,
            events,
        }
    }

    /// Shows `factor` times as many events; what is at `part` of the width stays there.
    ///
    /// ```
    /// use querypoint::session::timeline::Window;
    /// let window = Window::whole(1000).zoomed(0.5, 0.5);
    /// assert_eq!((window.event_at(0.0), window.event_at(1.0)), (250, 750));
    /// assert_eq!(window.zoomed(0.25, 1e9), Window::whole(1000));
    /// ```
    #[must_use]
    pub fn zoomed(self, part: f64, factor: f64) -> Self {
        let there = self.first + part * self.span;
        let span = (self.span * factor)
            .max(FEWEST)
            .min(self.events.max(FEWEST));
        Self::within(there - part * span, span, self.events)
    }

    /// Moves by a part of the width.
    #[must_use]
    pub fn moved(self, parts: f64) -> Self {
        Self::within(self.first + parts * self.span, self.span, self.events)
    }

    /// The same, moved as little as shows this event.
    #[must_use]
    pub fn showing(self, event: usize) -> Self {
        let event = number(event);
        let first = match () {
            () if event < self.first => event,
            () if event + 1.0 > self.first + self.span => event + 1.0 - self.span,
            () => self.first,
        };
        Self::within(first, self.span, self.events)
    }

    /// Where the beginning of an event is, as a part of the width; less than 0 or more than 1: not in the window.
    #[must_use]
    pub fn part_of_event(self, event: usize) -> f64 {
        (number(event) - self.first) / self.span
    }

    /// How many events a tenth of the width shows; one at least.
    #[must_use]
    pub fn tenth(self) -> usize {
        index(self.span / 10.0).max(1)
    }

    /// The event at a part of the width.
    #[must_use]
    pub fn event_at(self, part: f64) -> usize {
        index(self.first + part * self.span)
    }

    /// How wide an event is, as a part of the width.
    #[must_use]
    pub fn width_of_event(self) -> f64 {
        1.0 / self.span
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "there are far fewer events than 2⁵²"
)]
fn number(index: usize) -> f64 {
    index as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is cut off where it does not fit"
)]
fn index(number: f64) -> usize {
    number as usize
}

/// The events of each verdict, in order, so that those of any window are found by two searches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    lanes: Vec<(Verdict, Vec<u32>)>,
    events: usize,
}

impl Lanes {
    /// Those of a line, in the order in which they are drawn.
    #[must_use]
    pub fn of(line: &ExecutionLine) -> Self {
        let mut lanes: Vec<_> = Verdict::LETTERS
            .iter()
            .map(|(verdict, _)| (*verdict, Vec::new()))
            .collect();
        for (event, letter) in (0..).zip(line.verdicts.chars()) {
            let lane =
                Verdict::of(letter).and_then(|verdict| lanes.iter_mut().find(|it| it.0 == verdict));
            if let Some((_, lane)) = lane {
                lane.push(event);
            }
        }
        Self {
            lanes,
            events: line.verdicts.len(),
        }
    }

    /// The lanes.
    pub fn iter(&self) -> impl Iterator<Item = (Verdict, &[u32])> {
        self.lanes
            .iter()
            .map(|(verdict, lane)| (*verdict, lane.as_slice()))
    }

    /// How many events there are.
    #[must_use]
    pub fn events(&self) -> usize {
        self.events
    }

    /// The event of lane `lane` that is next to a part of the width; of no lane: of all.
    #[must_use]
    pub fn nearest(&self, lane: Option<usize>, window: Window, part: f64) -> Option<usize> {
        let there = window.event_at(part);
        let lane = lane.and_then(|lane| self.lanes.get(lane));
        let Some((_, lane)) = lane else {
            return Some(there.min(self.events.checked_sub(1)?));
        };
        let next = lane.partition_point(|event| (*event as usize) < there);
        let around = [next.checked_sub(1), Some(next)];
        let around = around.into_iter().flatten().filter_map(|at| lane.get(at));
        let events = around.map(|event| *event as usize);
        events.min_by_key(|event| event.abs_diff(there))
    }
}

/// How many events of a lane are in each of `width` columns, for the columns in which there are any.
///
/// ```
/// use querypoint::session::timeline::{Window, columns};
/// let columns: Vec<_> = columns(&[0, 1, 2, 90], Window::whole(100), 10).collect();
/// assert_eq!(columns, [(0, 3), (9, 1)]);
/// ```
pub fn columns(lane: &[u32], window: Window, width: usize) -> impl Iterator<Item = (usize, usize)> {
    let bound = move |column: usize| {
        let event = window.first + number(column) * window.span / number(width.max(1));
        lane.partition_point(|it| f64::from(*it) < event)
    };
    let counted = (0..width).scan(bound(0), move |from, column| {
        let to = bound(column + 1);
        let count = to - *from;
        *from = to;
        Some((column, count))
    });
    counted.filter(|(_, count)| *count > 0)
}

/// The events of a lane that are in the window, where they are at most `most`.
#[must_use]
pub fn seen(lane: &[u32], window: Window, most: usize) -> Option<&[u32]> {
    let bound = |event: f64| lane.partition_point(|it| f64::from(*it) < event);
    let range: Range<usize> = bound(window.first)..bound(window.first + window.span);
    lane.get(range).filter(|seen| seen.len() <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(verdicts: &str) -> ExecutionLine {
        ExecutionLine {
            verdicts: verdicts.to_owned(),
            ..ExecutionLine::default()
        }
    }

    #[test]
    fn what_is_pressed_is_the_event_that_is_next_in_its_lane() {
        let lanes = Lanes::of(&line("ooseoooofa"));
        let window = Window::whole(10);
        let lane = |verdict| lanes.iter().position(|(it, _)| it == verdict);
        assert_eq!(
            lanes.nearest(lane(Verdict::SameValue), window, 0.9),
            Some(2)
        );
        assert_eq!(
            lanes.nearest(lane(Verdict::OtherObject), window, 0.35),
            Some(4)
        );
        assert_eq!(lanes.nearest(None, window, 0.35), Some(3));
        assert_eq!(lanes.nearest(None, window, 1.0), Some(9));
        assert_eq!(Lanes::default().nearest(None, Window::whole(0), 0.5), None);
    }

    proptest! {
        /// Zoomed and moved however it may be, a window stays on the line, and an event that it shows is in it.
        #[test]
        fn a_window_stays_on_the_line(
            events in 0_usize..300_000, steps in prop::collection::vec((0.0..1.0, 0.1..10.0, -3.0..3.0), 0..20), event in 0_usize..300_000,
        ) {
            let mut window = Window::whole(events);
            for (part, factor, by) in steps {
                window = window.zoomed(part, factor).moved(by);
                prop_assert!(window.first >= 0.0 && window.span >= FEWEST);
                prop_assert!(window.first + window.span <= number(events).max(FEWEST) + 1e-6);
            }
            if event < events {
                let at = window.showing(event).part_of_event(event);
                prop_assert!((-1e-9..1.0).contains(&at), "{at}");
            }
        }

        /// No event is drawn twice or left out.
        #[test]
        fn columns_hold_each_event_of_the_window_once(
            lane in prop::collection::btree_set(0_u32..5000, 0..300), part in 0.0..1.0, factor in 0.01..1.0, width in 1_usize..1500,
        ) {
            let lane: Vec<u32> = lane.into_iter().collect();
            let window = Window::whole(5000).zoomed(part, factor);
            let all: usize = columns(&lane, window, width).map(|(_, count)| count).sum();
            prop_assert_eq!(Some(all), seen(&lane, window, usize::MAX).map(<[u32]>::len));
        }
    }
}
