//! Numbers of things: one type for each kind, so that none is taken for another. Zero is none.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// None.
            pub const NONE: Self = Self(0);

            /// Whether it is one.
            #[must_use]
            pub const fn is_some(self) -> bool {
                self.0 != 0
            }

            /// Where it is in a table whose first entry has the number 1; `None` if it is none.
            #[must_use]
            pub const fn index(self) -> Option<usize> {
                match self.0 {
                    0 => None,
                    number => Some(number as usize - 1),
                }
            }
        }
    )*};
}

ids! {
    /// A script of the log, one number for all streams.
    ScriptId;
    /// A function as it is written, one number for all streams. Top-level code of a script is a function too.
    FunctionId;
    /// A scope as it is written, one number for all streams.
    StaticScopeId;
    /// A variable as it is declared, one number for all streams.
    VariableId;
    /// A place in a script where something is recorded, one number for all streams.
    SiteId;
    /// One realm that encodes: a page, a frame, a worker.
    StreamId;
    /// A text, by its number within its stream.
    StringId;
    /// An object, a function or a symbol, by its number within its stream.
    ObjectId;
    /// A scope that was entered: an activation of a function, or of a block. By its number within its stream.
    ScopeId;
}

/// The number of an event in its log: the first has 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(pub u64);
