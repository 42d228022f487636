//! Which events somebody listens to: whose, and which.

use super::{Event, SessionFilter};

/// The events that a listener wants, and those of which it wants to know only how often they happen.
#[derive(Clone, Debug)]
pub struct Wanted {
    parts: Vec<Part>,
    counted: &'static [&'static str],
    most: Option<usize>,
    limited: (&'static [&'static str], usize),
}

/// Events with these names of these sessions.
#[derive(Clone, Debug)]
struct Part {
    sessions: SessionFilter,
    /// `None`: whatever they are called.
    methods: Option<&'static [&'static str]>,
}

impl Wanted {
    /// Every event of every session.
    #[must_use]
    pub fn all() -> Self {
        Self::part(SessionFilter::Every, None)
    }

    /// Events with these names, of these sessions and of no others.
    ///
    /// ```
    /// use cdp_driver::protocol::{SessionFilter, SessionSet, Wanted};
    ///
    /// const PAUSES: &[&str] = &["Debugger.paused", "Debugger.resumed"];
    /// const ENDS: &[&str] = &["Target.detachedFromTarget"];
    /// let sessions = SessionSet::default();
    /// let wanted = Wanted::of(&sessions, PAUSES).and(SessionFilter::Browser, ENDS);
    /// # drop(wanted);
    /// ```
    #[must_use]
    pub fn of(sessions: impl Into<SessionFilter>, methods: &'static [&'static str]) -> Self {
        Self::part(sessions.into(), Some(methods))
    }

    fn part(sessions: SessionFilter, methods: Option<&'static [&'static str]>) -> Self {
        Self {
            parts: vec![Part { sessions, methods }],
            counted: &[],
            most: None,
            limited: (&[], usize::MAX),
        }
    }

    /// Events with these names of these sessions besides.
    #[must_use]
    pub fn and(
        mut self,
        sessions: impl Into<SessionFilter>,
        methods: &'static [&'static str],
    ) -> Self {
        self.parts.push(Part {
            sessions: sessions.into(),
            methods: Some(methods),
        });
        self
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

    /// Of events with these names so many wait at most until the listener takes them; what comes meanwhile is lost. For
    /// what a page can do by the million and a listener needs the first of.
    #[must_use]
    pub fn limiting(self, limited: &'static [&'static str], most: usize) -> Self {
        Self {
            limited: (limited, most),
            ..self
        }
    }

    /// Whether so many events with such a name wait at most; how many.
    pub fn limit(&self, method: &str) -> Option<usize> {
        let (methods, most) = self.limited;
        methods.contains(&method).then_some(most)
    }

    /// Whether one more may wait where so many do.
    pub fn has_room(&self, waiting: usize) -> bool {
        self.most.is_none_or(|most| waiting < most)
    }

    /// Whether an event is one of them.
    pub fn has(&self, event: &Event) -> bool {
        self.parts.iter().any(|part| part.has(event))
    }

    /// Whether only the number of such events matters.
    pub fn counts(&self, method: &str) -> bool {
        self.counted.contains(&method)
    }
}

impl Part {
    fn has(&self, event: &Event) -> bool {
        let is_one_of = |methods: &[&str]| methods.contains(&event.method.as_str());
        self.methods.is_none_or(is_one_of) && self.sessions.has(event.session.as_ref())
    }
}
