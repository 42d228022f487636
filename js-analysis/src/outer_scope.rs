//! What a text given to a direct `eval` sees of the code around the call.

use swc_atoms::Atom;

/// What a text given to a direct `eval` sees of the code around the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OuterScope {
    /// Whether the code around is strict.
    pub strict: bool,
    /// Whether the call is in a function, so that `var` in a text that is not strict declares variables of it.
    pub in_function: bool,
    /// Whether a name that is declared nowhere may have been declared by an `eval`.
    pub(crate) declared_by_eval: bool,
    /// The watched names that are declared around it, global ones left out.
    pub(crate) variables: Vec<OuterVariable>,
    /// What the event log knows of it.
    pub(crate) logged: Option<LoggedAround>,
}

impl OuterScope {
    /// Whether the event log can have a text that is given to `eval` there.
    #[must_use]
    pub fn is_logged(&self) -> bool {
        self.logged.is_some()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&OuterVariable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}

/// A variable that a text given to `eval` sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OuterVariable {
    pub(crate) name: String,
    pub(crate) kind: OuterName,
    /// Whether a block, between the call and the function around it, declares it: then the text cannot declare a shadow
    /// beside it.
    pub(crate) is_in_block: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OuterName {
    /// Its last change is kept in its shadow, which the text sees as well.
    Shadowed {
        /// Which of the watched names it is.
        slot: Option<usize>,
        is_constant: bool,
    },
    /// It is another variable than the one that is asked for, or has no hooks.
    Unwatched,
}

/// What the log knows of the code around a direct `eval`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoggedAround {
    /// The number of the innermost scope.
    pub(crate) scope: u32,
    /// What gives the number of the instance of that scope.
    pub(crate) instance: String,
    /// Whether the call is all that its function does.
    pub(crate) is_whole_function: bool,
    /// The variables that are seen, those of the global object left out.
    pub(crate) variables: Vec<SeenVariable>,
}

/// A variable that a text given to `eval` sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenVariable {
    pub(crate) name: Atom,
    /// Its number, and what gives the number of the instance of its scope; `None`: it may be another one.
    pub(crate) known: Option<(u32, String)>,
    /// Whether it is in the function around: `var` in the text declares no other one there. (Beside one that is no
    /// `var` it is an error; beside that of a `catch` it writes that one.)
    pub(crate) is_of_function: bool,
}

impl LoggedAround {
    /// The variable of a name.
    pub(crate) fn find(&self, name: &Atom) -> Option<&SeenVariable> {
        self.variables
            .iter()
            .find(|variable| variable.name == *name)
    }
}

/// What a name in a text given to `eval` is, in the event log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameAround {
    /// The variable of this number, of the code around.
    Variable(u32),
    /// None of the code around: a global variable, or the text's own.
    Other,
    /// Code given to another `eval` may have declared it.
    Unsure,
}

impl OuterScope {
    /// What a name is that a text given to `eval` there does not declare.
    #[must_use]
    pub fn seen_name(&self, name: &str) -> NameAround {
        match self.seen(name) {
            Some(seen) => seen.name_around(),
            None if self.declared_by_eval => NameAround::Unsure,
            None => NameAround::Other,
        }
    }

    /// What a name is that a text given to `eval` there declares by `var` or as a function.
    #[must_use]
    pub fn declared_name(&self, name: &str) -> NameAround {
        let around = self.logged.as_ref();
        match self.seen(name) {
            Some(seen) if seen.is_of_function => seen.name_around(),
            _ if around.is_some_and(|around| around.is_whole_function) => NameAround::Other,
            _ => NameAround::Unsure,
        }
    }

    fn seen(&self, name: &str) -> Option<&SeenVariable> {
        let mut variables = self.logged.iter().flat_map(|around| &around.variables);
        variables.find(|variable| variable.name == *name)
    }
}

impl SeenVariable {
    fn name_around(&self) -> NameAround {
        match self.known {
            Some((variable, _)) => NameAround::Variable(variable),
            None => NameAround::Unsure,
        }
    }
}
