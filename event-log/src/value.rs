//! Values as a log keeps them: primitives exactly, texts and objects by number.

use crate::ids::{ObjectId, StringId};

/// Of a text that is cut the first so many code units are interned, and its length is kept. Shorter ones never are.
pub const SHORT_TEXT: usize = 256;

/// A value of the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// `undefined`
    Undefined,
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// A number, bit by bit, but for the payload of `NaN`.
    Number(f64),
    /// A text that is kept whole.
    String(StringId),
    /// A text that was cut. Two that are equal here may differ behind what was kept, but for identified ones.
    LongString {
        /// Its first [`SHORT_TEXT`] code units.
        start: StringId,
        /// How many code units it has.
        length: u32,
        /// Whether no other text of the stream has this `start`: its number is that of the whole text.
        is_identified: bool,
    },
    /// An object.
    Object(ObjectId),
    /// A function or a class.
    Function(ObjectId),
    /// A symbol.
    Symbol(ObjectId),
    /// A big integer, by its decimal digits. Of more than [`SHORT_TEXT`] the text ends in `…`.
    BigInt(StringId),
    /// No value: a property that is not there, one that was deleted, a hole of an array.
    Absent,
    /// A binding before its declaration ran.
    Uninitialised,
    /// A property with a getter, which is not called uninvited.
    Accessor,
    /// It was not recorded.
    Unknown,
}

impl Value {
    /// Whether it is the same value, as `Object.is` says; `None` where the log does not know.
    #[must_use]
    pub fn same(self, other: Self) -> Option<bool> {
        match (self, other) {
            (Self::Unknown | Self::Accessor, _) | (_, Self::Unknown | Self::Accessor) => None,
            (Self::Number(one), Self::Number(other)) => {
                Some(one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan()))
            }
            (
                Self::LongString {
                    start,
                    length,
                    is_identified,
                },
                Self::LongString {
                    start: other_start,
                    length: other_length,
                    is_identified: is_other_identified,
                },
            ) => match start == other_start && length == other_length {
                false => Some(false),
                true => (is_identified && is_other_identified).then_some(true),
            },
            (one, other) => Some(one == other),
        }
    }

    /// The number of the object, function or symbol that it is.
    #[must_use]
    pub const fn object(self) -> Option<ObjectId> {
        match self {
            Self::Object(id) | Self::Function(id) | Self::Symbol(id) => Some(id),
            _ => None,
        }
    }
}
