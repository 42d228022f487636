//! Answers about values that a proxy's `get` trap or an accessor's getter gives.

use querypoint::answer::{PointAnswer, Status, Value as Preview};

use crate::debugger::Untold;
use crate::execution::{PageRead, Reading};
use crate::sources::SourceLocation;

/// An answer that was found where the page is not paused, so that the page was not asked what it reads.
pub(super) fn not_compared(point: PointAnswer) -> PointAnswer {
    if point.status != Status::NeverChanged {
        return point;
    }
    let why = "executions differ, so the page does not pause there".to_owned();
    let reading = Reading::Unknown(Untold::Threw(why));
    compared(
        &PageRead {
            function: None,
            is_getter: false,
            is_doubtful: false,
            reading,
        },
        point,
    )
}

/// A value that such a function gives: what was found holds only if the page reads just that.
pub(super) fn compared(read: &PageRead, mut point: PointAnswer) -> PointAnswer {
    if !matches!(
        point.status,
        Status::Found | Status::NeverChanged | Status::Blind
    ) {
        return point;
    }
    let of = if read.is_getter {
        "the getter of an accessor"
    } else {
        "the `get` trap of a proxy"
    };
    let trap = match &read.function {
        Some(SourceLocation { location, .. }) => {
            let (line, column) = (location.line, location.column);
            let file = location.url.rsplit('/').next().unwrap_or_default();
            format!("{of} ({file}:{line}:{column})")
        }
        None => of.to_owned(),
    };
    let blind = |note: String, value: Option<Preview>| PointAnswer {
        note: Some(note),
        value,
        ..PointAnswer::new(point.name.clone(), point.query.clone(), Status::Blind)
    };
    match (&read.reading, point.status) {
        (Reading::Differs(value), _) => blind(
            format!(
                "{trap} computes this value, and what it reads could not be followed: ask for the value that it reads"
            ),
            Some(value.clone()),
        ),
        (Reading::Unknown(why), Status::NeverChanged | Status::Found)
            if point.status == Status::NeverChanged || read.is_getter && read.is_doubtful =>
        {
            blind(
                format!(
                    "{trap} gives this value, and could not be asked: {why}; ask for the value that it reads"
                ),
                None,
            )
        }
        (Reading::Unknown(why), Status::Found) => {
            let of = if read.is_getter {
                "what its getter reads"
            } else {
                "the proxy's target"
            };
            let note = format!(
                "this is the last change of {of}; {trap} may give another value, and could not be asked: {why}"
            );
            point.note = Some(match point.note.take() {
                Some(earlier) => format!("{earlier}; {note}"),
                None => note,
            });
            point
        }
        (Reading::Unknown(_), _) => point,
    }
}
