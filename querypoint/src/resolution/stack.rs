//! `mayAffect`: whether an event's call stack is a prefix of a point's, frame by frame the same activations.
//! (*Querypoint Debugging*, section 3: mayAffect.)
//!
//! Then the event happened in a call that was still under way at the point, not in one that had come back. A call is
//! told from others of its function by the number that it took when it was entered.

/// One frame of a call stack, as far as it can be told from others. `F` names a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation<F> {
    /// Its function; `None`: it is not known.
    pub function: Option<F>,
    /// The number of the call, from 1; 0: it is not known.
    pub entry: u64,
    /// Whether the call can be left and gone on with, from another caller. Any other has the same callers as long as it
    /// lasts.
    pub is_resumed: bool,
}

/// What two stacks say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MayAffect {
    /// The event's stack is a prefix of the point's.
    Yes,
    /// It is not.
    No,
    /// It cannot be told whether this frame of the event's stack, 0 the newest, is one of the point's.
    Unknown {
        /// Which.
        frame: usize,
    },
}

/// Whether a stack of `depth` frames is a prefix of `point`. Both lists begin with the newest frame; of the event's
/// only the frames up to the first that is not resumed need be there.
#[must_use]
pub fn may_affect<F: PartialEq>(
    event: &[Activation<F>],
    depth: usize,
    point: &[Activation<F>],
) -> MayAffect {
    // One without a number is not yet entered: its parameters are being filled, and frames may be on the stack that are
    // not of the page.
    let is_on_stack = |frame: &Activation<F>| {
        frame.function.is_some() && point.iter().any(|other| other.function == frame.function)
    };
    if event
        .first()
        .is_some_and(|newest| newest.entry == 0 && is_on_stack(newest))
    {
        return MayAffect::Unknown { frame: 0 };
    }
    let Some(deeper) = point.len().checked_sub(depth) else {
        return MayAffect::No;
    };
    for (number, (frame, other)) in event.iter().zip(point.iter().skip(deeper)).enumerate() {
        match (&frame.function, &other.function) {
            (Some(own), Some(its)) if own == its => {}
            (None, None) => return MayAffect::Unknown { frame: number },
            _ => return MayAffect::No,
        }
        if frame.entry == 0 || other.entry == 0 {
            return MayAffect::Unknown { frame: number };
        }
        if frame.entry != other.entry {
            return MayAffect::No;
        }
        if !frame.is_resumed {
            break;
        }
    }
    MayAffect::Yes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f1`: the first call of f. `*g2`: the second of the generator g. `h?`: one of h, not known which. `?`: what, is
    /// not known.
    fn stack(text: &str) -> Vec<Activation<String>> {
        let frames = text.split_whitespace().rev();
        frames
            .map(|frame| {
                let (is_resumed, frame) = match frame.strip_prefix('*') {
                    Some(rest) => (true, rest),
                    None => (false, frame),
                };
                let digits = frame.trim_start_matches(|c: char| !c.is_ascii_digit());
                let name = frame.trim_end_matches(digits).trim_end_matches('?');
                Activation {
                    function: (!name.is_empty()).then(|| name.to_owned()),
                    entry: digits.parse().unwrap_or(0),
                    is_resumed,
                }
            })
            .collect()
    }

    /// Both from the oldest frame to the newest, as the papers print them.
    fn compared(event: &str, point: &str) -> MayAffect {
        let event = stack(event);
        may_affect(&event, event.len(), &stack(point))
    }

    #[test]
    fn an_event_in_a_call_under_way_may_affect() {
        for event in ["top1", "top1 f1", "top1 f1 g7"] {
            assert_eq!(compared(event, "top1 f1 g7"), MayAffect::Yes, "{event}");
        }
    }

    #[test]
    fn an_event_in_a_call_that_came_back_may_not() {
        for event in [
            "top1 f1 g6",
            "top1 f1 h1",
            "top1 f2",
            "top2",
            "top1 f1 g7 k1",
            "g7",
        ] {
            assert_eq!(compared(event, "top1 f1 g7"), MayAffect::No, "{event}");
        }
    }

    #[test]
    fn each_call_of_a_recursion_is_one_of_its_own() {
        assert_eq!(compared("top1 f1 f2", "top1 f1 f2 f3"), MayAffect::Yes);
        assert_eq!(compared("top1 f1 f2 f3", "top1 f1 f2 f4"), MayAffect::No);
        assert_eq!(compared("top1 f1 f2 f3", "top1 f1 f2"), MayAffect::No);
    }

    #[test]
    fn what_is_resumed_from_elsewhere_has_another_stack() {
        assert_eq!(compared("top1 f1 *g1", "top1 f1 *g1"), MayAffect::Yes);
        assert_eq!(compared("top1 f1 *g1", "top1 f2 *g1"), MayAffect::No);
        assert_eq!(compared("top1 *g1", "*g1"), MayAffect::No);
        assert_eq!(compared("*g1", "*g1 f1"), MayAffect::Yes);
    }

    #[test]
    fn older_frames_need_not_be_known_where_a_call_has_but_one_caller() {
        assert_eq!(compared("? f1", "? f1 g1"), MayAffect::Yes);
        assert_eq!(compared("? *g1", "? *g1"), MayAffect::Unknown { frame: 1 });
    }

    #[test]
    fn what_cannot_be_told_is_not_guessed() {
        assert_eq!(compared("f?", "f1"), MayAffect::Unknown { frame: 0 });
        assert_eq!(compared("f1", "f?"), MayAffect::Unknown { frame: 0 });
        assert_eq!(compared("?", "?"), MayAffect::Unknown { frame: 0 });
        // A default value of f, in a frame that the page does not have.
        assert_eq!(
            compared("top1 f? f?", "top1 f1"),
            MayAffect::Unknown { frame: 0 }
        );
        assert_eq!(compared("top1 h?", "top1 f1"), MayAffect::No);
    }

    #[test]
    fn nothing_but_nothing_may_affect_what_has_no_stack() {
        assert_eq!(compared("f1", ""), MayAffect::No);
        assert_eq!(compared("", ""), MayAffect::Yes);
    }
}
