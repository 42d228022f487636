//! Selectors as Recorder writes them: alternatives, each a chain that pierces one shadow root with each link.

use std::fmt;

use serde_json::Value;

use super::RecordingError;
use super::members::Members;

/// One selector; Recorder tells the kinds apart by a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Plain CSS.
    Css(String),
    /// `aria/NAME`, `aria/NAME[role="button"]`: by accessible name and role.
    Aria(String),
    /// `text/TEXT`: the smallest element whose text holds it.
    Text(String),
    /// `xpath/EXPRESSION`; Recorder writes `xpath///…`.
    XPath(String),
    /// `pierce/CSS`: CSS that looks into every open shadow root.
    Pierce(String),
}

impl Selector {
    /// The selector that a text is.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let after = |prefix| text.strip_prefix(prefix).map(str::to_owned);
        (after("aria/").map(Self::Aria))
            .or_else(|| after("text/").map(Self::Text))
            .or_else(|| after("xpath/").map(Self::XPath))
            .or_else(|| after("pierce/").map(Self::Pierce))
            .unwrap_or_else(|| Self::Css(text.to_owned()))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Css(text) => formatter.write_str(text),
            Self::Aria(text) => write!(formatter, "aria/{text}"),
            Self::Text(text) => write!(formatter, "text/{text}"),
            Self::XPath(text) => write!(formatter, "xpath/{text}"),
            Self::Pierce(text) => write!(formatter, "pierce/{text}"),
        }
    }
}

/// One way to find an element: each selector but the last finds the host of a shadow root, in which the
/// next one looks. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorChain(pub Vec<Selector>);

impl fmt::Display for SelectorChain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, selector) in self.0.iter().enumerate() {
            let between = if index == 0 { "" } else { " >>> " };
            write!(formatter, "{between}{selector}")?;
        }
        Ok(())
    }
}

const EXPECTED: &str =
    "an array of selectors (a string, or an array of strings that leads through shadow roots)";

/// Takes the member `selectors`, which may be absent: one string, or an array of strings and of arrays
/// of strings. A string is an alternative of one link.
pub(super) fn optional_selectors(
    members: &mut Members,
) -> Result<Option<Vec<SelectorChain>>, RecordingError> {
    let alternatives = match members.take("selectors") {
        None => return Ok(None),
        Some(text @ Value::String(_)) => vec![text],
        Some(Value::Array(alternatives)) => alternatives,
        Some(other) => return Err(members.wrong("selectors", EXPECTED, &other)),
    };
    let mut chains = Vec::with_capacity(alternatives.len());
    for alternative in alternatives {
        let links = match alternative {
            Value::Array(links) if !links.is_empty() => links,
            Value::Array(_) => {
                return Err(members.wrong("selectors", EXPECTED, &Value::Array(Vec::new())));
            }
            other => vec![other],
        };
        let mut chain = Vec::with_capacity(links.len());
        for link in links {
            match link {
                Value::String(text) => chain.push(Selector::parse(&text)),
                other => return Err(members.wrong("selectors", EXPECTED, &other)),
            }
        }
        chains.push(SelectorChain(chain));
    }
    Ok(Some(chains))
}

/// Takes the member `selectors`, which must name at least one.
pub(super) fn selectors(members: &mut Members) -> Result<Vec<SelectorChain>, RecordingError> {
    match optional_selectors(members)? {
        Some(chains) if !chains.is_empty() => Ok(chains),
        Some(_) => Err(members.wrong("selectors", EXPECTED, &Value::Array(Vec::new()))),
        None => Err(members.missing("selectors")),
    }
}
