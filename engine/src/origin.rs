//! Where a written value comes from: what an execution tells of one hop, when the page is paused at the write.

use querypoint::answer::{End, EndKind, Hop, HopKind, Location, Value as Preview};

use crate::sources::SourceLocation;

/// What is followed at the point of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Followed {
    /// The way into the value that is found there, as it stands behind a reference: `.a[0]`. Only a return has one.
    pub(crate) way: String,
    /// Of a return: the call that it must have returned to.
    pub(crate) call: Option<CallPlace>,
    /// Of a return of an object: what tells it from others.
    pub(crate) identity: Option<String>,
}

/// The call of a function, by where a caller's frame stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallPlace {
    /// The script's address.
    pub(crate) url: String,
    /// Where the call begins, in bytes of the text that runs without hooks.
    pub(crate) start: u32,
}

/// What one write tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Probe {
    /// How the value came to what was written.
    pub(crate) kind: HopKind,
    /// Where the hop is shown, if not at the write.
    pub(crate) place: Option<Place>,
    /// The value that was written or returned.
    pub(crate) value: Option<Preview>,
    /// Of a return: the call that it returned to.
    pub(crate) caller: Option<CallPlace>,
    /// Of a return of an object, or of what is followed in it: what tells it from others.
    pub(crate) identity: Option<String>,
    /// What else happened to the value before, from this write on.
    pub(crate) further: Vec<Hop>,
    /// Where to go on.
    pub(crate) next: Next,
}

/// A place in an author's file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) location: Location,
    pub(crate) source_line: Option<String>,
    pub(crate) function: Option<String>,
}

impl Place {
    pub(crate) fn new(place: SourceLocation, function: Option<String>) -> Self {
        Self {
            location: place.location,
            source_line: place.source_line,
            function,
        }
    }
}

/// Where a chain goes on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Next {
    /// At the last change of a reference, as it is when this write is reached.
    Change {
        /// The frame in which it is evaluated: 0 the newest.
        frame: i32,
        /// The reference, in the author's names.
        reference: String,
        /// Its value there.
        value: Preview,
    },
    /// At the `return` of a function.
    Return {
        /// Its name, as `trace(return(…))` takes it.
        function: String,
        /// The value it returned, if that is what was written.
        value: Option<Preview>,
        /// What is followed there.
        followed: Followed,
    },
    /// Nowhere.
    End(End),
}

impl Next {
    /// It is followed no further.
    pub(crate) fn unobserved(detail: impl Into<String>) -> Self {
        Self::ended(EndKind::Unobserved, None, Some(detail.into()))
    }

    pub(crate) fn ended(kind: EndKind, location: Option<Location>, detail: Option<String>) -> Self {
        Self::End(End {
            kind,
            location,
            detail,
            operands: Vec::new(),
        })
    }

    /// Whether it is followed no further, and nothing made the value.
    pub(crate) fn is_unobserved(&self) -> bool {
        matches!(self, Self::End(end) if end.kind == EndKind::Unobserved)
    }
}
