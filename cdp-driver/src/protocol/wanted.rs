//! Which events somebody listens to.

use super::{Event, SessionId};

/// The events that a listener wants, and those of which it wants to know only how often they happen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    session: Option<SessionId>,
    methods: Option<&'static [&'static str]>,
    more: &'static [&'static str],
    counted: &'static [&'static str],
    most: Option<usize>,
}

impl Wanted {
    /// Every event of every session.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Events with these names, of every session.
    #[must_use]
    pub fn methods(methods: &'static [&'static str]) -> Self {
        Self {
            methods: Some(methods),
            ..Self::default()
        }
    }

    /// Events with these names besides.
    #[must_use]
    pub fn and(self, more: &'static [&'static str]) -> Self {
        Self { more, ..self }
    }

    /// Only those of one session.
    #[must_use]
    pub fn of(self, session: &SessionId) -> Self {
        Self {
            session: Some(session.clone()),
            ..self
        }
    }

    /// Of these the listener is told how many there were, and nothing that they say: a page can do them by the million.
    #[must_use]
    pub fn counting(self, counted: &'static [&'static str]) -> Self {
        Self { counted, ..self }
    }

    /// So many wait at most until the listener takes them; what comes meanwhile is lost. For a listener that would keep
    /// no more, of what a page can do by the million.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }

    /// Whether one more may wait where so many do.
    pub fn has_room(&self, waiting: usize) -> bool {
        self.most.is_none_or(|most| waiting < most)
    }

    /// Whether an event is one of them.
    pub fn has(&self, event: &Event) -> bool {
        let is_one_of = |methods: &[&str]| methods.contains(&event.method.as_str());
        (self.methods.is_none_or(is_one_of) || is_one_of(self.more))
            && (self.session.is_none() || self.session == event.session)
    }

    /// Whether only the number of such events matters.
    pub fn counts(&self, method: &str) -> bool {
        self.counted.contains(&method)
    }
}
