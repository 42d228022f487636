//! The list of what is used of the protocol: `cdp-driver/protocol.list`.
//!
//! A line that is not indented names a domain; the lines below it name what is used of that:
//!
//! ```text
//! Debugger
//!   command evaluateOnCallFrame(silent timeout) -> result exceptionDetails
//!   command resume()
//!   event paused: callFrames reason
//!   type Location: scriptId lineNumber:u32 columnNumber:u32
//! ```
//!
//! In brackets are the optional parameters that are sent; without brackets, all can be. Behind `->` and `:` is
//! what is read: a browser may change what is not named here. A `?` behind a name says that the browser may leave it
//! out, whatever the protocol says; `:u32` gives a narrower type. `#` begins a comment.

use std::collections::BTreeMap;

use super::ProtocolListError;

/// A member that is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    /// The protocol requires it, and a browser leaves it out.
    pub(super) may_be_missing: bool,
    /// The type in Rust, where it is not that of the protocol.
    pub(super) rust_type: Option<String>,
}

/// A command that is used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UsedCommand {
    /// The optional parameters; `None`: all.
    pub(super) parameters: Option<Vec<Member>>,
    pub(super) returns: Vec<Member>,
}

/// What is used of a domain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UsedDomain {
    pub(super) commands: BTreeMap<String, UsedCommand>,
    pub(super) events: BTreeMap<String, Vec<Member>>,
    pub(super) types: BTreeMap<String, Vec<Member>>,
}

/// What is used of the protocol, by the names of its domains.
pub(super) type Used = BTreeMap<String, UsedDomain>;

/// Reads the list.
pub(super) fn parse(text: &str) -> Result<Used, ProtocolListError> {
    let mut used = Used::new();
    let mut current: Option<String> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let wrong = |why: &str| ProtocolListError::Line {
            number: number + 1,
            why: why.to_owned(),
        };
        if line.trim().is_empty() {
            continue;
        }
        if !line.starts_with(' ') {
            let name = line.trim().to_owned();
            if used.insert(name.clone(), UsedDomain::default()).is_some() {
                return Err(wrong("this domain is there twice"));
            }
            current = Some(name);
            continue;
        }
        let domain = current.as_ref().and_then(|name| used.get_mut(name));
        let domain = domain.ok_or_else(|| wrong("no domain is above it"))?;
        let Some((kind, rest)) = line.trim().split_once(' ') else {
            return Err(wrong("a name is missing"));
        };
        let is_twice = match kind {
            "command" => {
                let (call, returns) = rest.split_once("->").unwrap_or((rest, ""));
                let (name, parameters) = match call.trim().split_once('(') {
                    Some((name, inside)) => {
                        let inside = inside.strip_suffix(')');
                        (name, Some(inside.ok_or_else(|| wrong("no `)`"))?))
                    }
                    None => (call.trim(), None),
                };
                let command = UsedCommand {
                    parameters: parameters.map(members),
                    returns: members(returns),
                };
                domain.commands.insert(name.to_owned(), command).is_some()
            }
            "event" | "type" => {
                let (name, read) = rest.split_once(':').unwrap_or((rest, ""));
                let of = match kind {
                    "event" => &mut domain.events,
                    _ => &mut domain.types,
                };
                of.insert(name.trim().to_owned(), members(read)).is_some()
            }
            _ => return Err(wrong("not a command, an event or a type")),
        };
        if is_twice {
            return Err(wrong("this is there twice"));
        }
    }
    Ok(used)
}

fn members(text: &str) -> Vec<Member> {
    text.split_whitespace()
        .map(|word| {
            let (name, rust_type) = match word.split_once(':') {
                Some((name, rust_type)) => (name, Some(rust_type.to_owned())),
                None => (word, None),
            };
            let bare = name.strip_suffix('?');
            Member {
                name: bare.unwrap_or(name).to_owned(),
                may_be_missing: bare.is_some(),
                rust_type,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_what_is_used() {
        let used = parse(
            "# why\nDebugger\n  command pause(a) -> b? c:u32 # because\n  command resume\n  event paused: d\n  event \
             resumed\n",
        )
        .unwrap();
        let debugger = &used["Debugger"];
        let pause = &debugger.commands["pause"];
        assert_eq!(pause.parameters.as_ref().unwrap()[0].name, "a");
        assert!(pause.returns[0].may_be_missing);
        assert_eq!(pause.returns[1].rust_type.as_deref(), Some("u32"));
        assert_eq!(debugger.commands["resume"], UsedCommand::default());
        assert_eq!(debugger.events["paused"][0].name, "d");
        assert!(debugger.events["resumed"].is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, number) in [
            ("  command x", 1),
            ("A\n\nA", 3),
            ("A\n  thing x", 2),
            ("A\n  command x(a", 2),
            ("A\n  event x\n  event x", 3),
        ] {
            let error = parse(text).unwrap_err();
            assert!(
                matches!(error, ProtocolListError::Line { number: at, .. } if at == number),
                "{error}"
            );
        }
    }
}
