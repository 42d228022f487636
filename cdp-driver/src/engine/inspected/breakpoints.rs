//! Breakpoints in the tab that a person debugs. They are there as long as the connection to it.

use serde_json::{Value, json};

use crate::engine::protocol::{Protocol, ProtocolError, SessionId};

/// A breakpoint that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// By which the tab knows it.
    pub id: String,
    /// The line (1-based) at which it stops: the first from the one that was asked for on that has code.
    pub line: u32,
}

/// Why there is no breakpoint.
#[derive(Debug, thiserror::Error)]
pub enum BreakpointError {
    /// The tab did not take it.
    #[error("the tab took no breakpoint: {0}")]
    Refused(#[from] ProtocolError),
    /// It would never stop.
    #[error(
        "the tab has run no code at line {line} of {url}; open the page there first, and set it in Sources where the file comes \
         through a source map"
    )]
    NoCode {
        /// The address.
        url: String,
        /// The line, 1-based.
        line: u32,
    },
}

/// Has the tab stop at a line (1-based) of the script or document with this address, now and after it was loaded again.
///
/// # Errors
/// If the tab has no code there, or does not answer.
pub async fn set_breakpoint(
    protocol: &dyn Protocol,
    tab: &SessionId,
    url: &str,
    line: u32,
) -> Result<Breakpoint, BreakpointError> {
    let params = json!({ "url": url, "lineNumber": line.saturating_sub(1) });
    let set = protocol
        .send(Some(tab), "Debugger.setBreakpointByUrl", params)
        .await?;
    let text = |pointer: &str| set.pointer(pointer).and_then(Value::as_str);
    let id = text("/breakpointId").unwrap_or_default().to_owned();
    let bound = set
        .pointer("/locations/0/lineNumber")
        .and_then(Value::as_u64);
    match bound.and_then(|line| u32::try_from(line).ok()) {
        Some(line) => Ok(Breakpoint {
            id,
            line: line.saturating_add(1),
        }),
        None => {
            remove_breakpoint(protocol, tab, &id).await?;
            Err(BreakpointError::NoCode {
                url: url.to_owned(),
                line,
            })
        }
    }
}

/// Has the tab not stop there any more. What it does not know is no mistake.
///
/// # Errors
/// If the tab does not answer.
pub async fn remove_breakpoint(
    protocol: &dyn Protocol,
    tab: &SessionId,
    id: &str,
) -> Result<(), ProtocolError> {
    let params = json!({ "breakpointId": id });
    protocol
        .send(Some(tab), "Debugger.removeBreakpoint", params)
        .await
        .map(drop)
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::engine::fake::{FakeProtocol, SESSION};

    fn set(answer: Value) -> (Result<Breakpoint, BreakpointError>, FakeProtocol) {
        let fake = FakeProtocol::default();
        fake.on("Debugger.setBreakpointByUrl", Vec::new(), Some(Ok(answer)));
        let tab = SessionId(SESSION.to_owned());
        let set = block_on(set_breakpoint(&fake, &tab, "http://h/app.js", 22));
        (set, fake)
    }

    #[test]
    fn it_stands_at_the_next_line_with_code() {
        let (set, fake) =
            set(json!({ "breakpointId": "1:2", "locations": [{ "lineNumber": 23 }] }));
        let wanted = Breakpoint {
            id: "1:2".to_owned(),
            line: 24,
        };
        assert_eq!(set.unwrap(), wanted);
        let sent = fake.sent("Debugger.setBreakpointByUrl");
        assert_eq!(
            sent,
            [json!({ "url": "http://h/app.js", "lineNumber": 21 })]
        );
        assert!(fake.sent("Debugger.removeBreakpoint").is_empty());
    }

    #[test]
    fn where_there_is_no_code_none_is_left_behind() {
        for answer in [
            json!({ "breakpointId": "1:2", "locations": [] }),
            json!({ "breakpointId": "1:2", "locations": 5 }),
        ] {
            let (set, fake) = set(answer);
            let said = set.unwrap_err().to_string();
            assert!(
                said.contains("no code at line 22 of http://h/app.js"),
                "{said}"
            );
            assert_eq!(
                fake.sent("Debugger.removeBreakpoint"),
                [json!({ "breakpointId": "1:2" })]
            );
        }
    }
}
