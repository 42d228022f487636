//! What the generated types are made of: names of things, and texts of which not all are known.

/// A text that names something, such as a script.
macro_rules! text_id {
    ($(#[$doc:meta])* pub struct $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// As it is on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<T: Into<String>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }
    };
}

/// A number that names something, such as an execution context.
macro_rules! number_id {
    ($(#[$doc:meta])* pub struct $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }
    };
}

/// A text that is one of those which are known, or another that a newer browser says.
macro_rules! text_enum {
    ($(#[$doc:meta])* pub enum $name:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
            /// What is not known here.
            Other(String),
        }

        impl $name {
            /// As it is on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Ok(Self::from(&*text))
            }
        }
    };
}

/// A place that the browser need not give: where V8 knows none it has a line and a column of -1.
///
/// # Errors
/// If it is anything else.
pub(crate) fn known<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let value = <serde_json::Value as serde::Deserialize>::deserialize(deserializer)?;
    let is_unknown = |value: &serde_json::Value| value.as_i64() == Some(-1);
    if value.is_null() || is_unknown(&value) || is_unknown(&value["lineNumber"]) {
        return Ok(None);
    }
    serde_json::from_value(value)
        .map(Some)
        .map_err(serde::de::Error::custom)
}

pub(crate) use {number_id, text_enum, text_id};

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use crate::protocol::generated::debugger::{Location, Scope};

    #[test]
    fn a_column_that_the_browser_does_not_know_is_none() {
        let column = |column: serde_json::Value| {
            let at = json!({ "scriptId": "1", "lineNumber": 2, "columnNumber": column });
            from_value::<Location>(at).map(|at| at.column_number)
        };
        assert_eq!(column(json!(3)).unwrap(), Some(3));
        assert_eq!(column(json!(-1)).unwrap(), None);
        assert!(column(json!("3")).is_err());
        let at = json!({ "scriptId": "1", "lineNumber": 2 });
        assert_eq!(from_value::<Location>(at).unwrap().column_number, None);
    }

    #[test]
    fn a_scope_whose_end_the_browser_does_not_know_has_none() {
        let scope = |line: i64| {
            let at = json!({ "scriptId": "1", "lineNumber": line, "columnNumber": line });
            let scope =
                json!({ "type": "local", "object": { "type": "object" }, "endLocation": at });
            from_value::<Scope>(scope).map(|scope| scope.end_location)
        };
        assert_eq!(scope(4).unwrap().unwrap().line_number, 4);
        assert_eq!(scope(-1).unwrap(), None);
        assert!(scope(-2).is_err());
    }
}
