//! The tab that a person debugs, which is not ours: where it stops, whoever makes it stop, and what is so there.
//!
//! It runs as it is, without hooks. Other clients speak to it at the same time; nothing is done here that they would notice.

mod breakpoints;
mod unfolding;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use futures::future::join_all;
use js_analysis::position::{HumanPosition, Utf16Position};
use querypoint::answer::{Location, Scope, ScopeKind, StackFrame};
use querypoint::session::stop::{Stop, StopFrame, exception_point};
use serde_json::{Value, json};

use super::debugger::{scope_kind, variables};
use super::protocol::{Protocol, ProtocolError, SessionId};
use super::stopped::{Frame, ParsedScript, Stopped};

pub use breakpoints::{Breakpoint, BreakpointError, remove_breakpoint, set_breakpoint};
pub use unfolding::{UnfoldError, Unfolded, unfold};

/// The events of the tab that [`follow_stops`] lives on.
pub const EVENTS: [&str; 3] = [
    "Debugger.paused",
    "Debugger.resumed",
    "Debugger.scriptParsed",
];

/// Of so many scripts the addresses are kept, the latest: a stop names its scripts by their numbers alone.
const MOST_SCRIPTS: usize = 50_000;

/// Of so many frames the scopes are read.
const FRAMES_WITH_SCOPES: usize = 8;

/// More frames are not told: a recursion can have tens of thousands.
const MOST_FRAMES: usize = 200;

/// Tells each stop of `tab`, and `None` when it goes on, until the connection ends.
///
/// # Errors
/// If the tab cannot be debugged.
pub async fn follow_stops(
    protocol: Arc<dyn Protocol>,
    tab: &SessionId,
    tell: &mut (dyn FnMut(Option<Stop>) + Send),
) -> Result<(), ProtocolError> {
    let mut events = protocol.events();
    let mut scripts = Scripts::default();
    // If it stands already, that is told then.
    protocol
        .send(Some(tab), "Debugger.enable", json!({}))
        .await?;
    while let Some(event) = events.next().await {
        if event.is(tab, "Debugger.scriptParsed") {
            scripts.add(event.text("/scriptId"), event.text("/url"));
        } else if event.is(tab, "Debugger.resumed") {
            tell(None);
        } else if event.is(tab, "Debugger.paused") {
            match read(protocol.as_ref(), tab, &event.params, &scripts).await {
                Ok(stop) => tell(Some(stop)),
                Err(error) if error.is_fatal() => return Err(error),
                // It went on while it was read; that is told next.
                Err(_) => {}
            }
        }
    }
    Ok(())
}

/// The addresses of scripts, by the numbers that the browser gives them in turn.
#[derive(Default)]
struct Scripts(BTreeMap<u64, String>);

impl Scripts {
    fn add(&mut self, id: &str, url: &str) {
        if let (Ok(id), false) = (id.parse(), url.is_empty()) {
            self.0.insert(id, url.to_owned());
        }
        if self.0.len() > MOST_SCRIPTS {
            self.0.pop_first();
        }
    }

    /// What is known of the script with this number. Its lines and columns are those of the file: the browser counts so.
    fn get(&self, id: &str) -> Option<ParsedScript> {
        let url = self.0.get(&id.parse().ok()?)?;
        Some(ParsedScript {
            url: url.clone(),
            start: Utf16Position::default(),
            shift: Utf16Position::default(),
            context: 0,
        })
    }
}

async fn read(
    protocol: &dyn Protocol,
    tab: &SessionId,
    params: &Value,
    scripts: &Scripts,
) -> Result<Stop, ProtocolError> {
    // Nothing of ours is in the page, so no name has our prefix; positions are those of the documents and scripts as they came.
    let stopped = Stopped::read(tab, params, "\0", &|id| scripts.get(id));
    let frames = stopped.frames.iter().take(MOST_FRAMES).enumerate();
    let frames = frames.map(|(number, frame)| read_frame(protocol, tab, number, frame));
    let frames: Result<Vec<StopFrame>, ProtocolError> =
        join_all(frames).await.into_iter().collect();
    let is_uncaught = stopped.is_exception() && stopped.uncaught;
    Ok(Stop {
        reason: reason(&stopped, params),
        exception: is_uncaught.then(|| exception_point(stopped.exception_message())),
        frames: frames?,
    })
}

async fn read_frame(
    protocol: &dyn Protocol,
    tab: &SessionId,
    number: usize,
    frame: &Frame,
) -> Result<StopFrame, ProtocolError> {
    Ok(StopFrame {
        frame: shown(frame),
        scopes: match number < FRAMES_WITH_SCOPES {
            true => scopes(protocol, tab, frame).await?,
            false => Vec::new(),
        },
    })
}

fn reason(stopped: &Stopped, params: &Value) -> String {
    let hit = params.pointer("/hitBreakpoints").and_then(Value::as_array);
    if stopped.is_exception() {
        format!("exception: {}", stopped.exception_message())
    } else if hit.is_some_and(|hit| !hit.is_empty()) {
        "breakpoint".to_owned()
    } else {
        "pause".to_owned()
    }
}

fn shown(frame: &Frame) -> StackFrame {
    let position = HumanPosition::from(frame.position);
    StackFrame {
        function: frame.function.clone(),
        location: Location {
            url: frame.url.clone(),
            line: position.line,
            column: position.column,
            generated: None,
            maker: None,
        },
    }
}

/// The scopes of a frame, but for the global object's, innermost first.
async fn scopes(
    protocol: &dyn Protocol,
    tab: &SessionId,
    frame: &Frame,
) -> Result<Vec<Scope>, ProtocolError> {
    let wanted = frame
        .scopes
        .iter()
        .filter_map(|(kind, object)| Some((scope_kind(kind)?, object)))
        .filter(|(kind, _)| *kind != ScopeKind::Global);
    let read = wanted.map(|(kind, object)| scope(protocol, tab, kind, object, frame));
    let read: Result<Vec<Scope>, ProtocolError> = join_all(read).await.into_iter().collect();
    let mut scopes = read?;
    scopes.retain(|scope| !scope.variables.is_empty() || scope.kind == ScopeKind::Local);
    Ok(scopes)
}

async fn scope(
    protocol: &dyn Protocol,
    tab: &SessionId,
    kind: ScopeKind,
    object: &str,
    frame: &Frame,
) -> Result<Scope, ProtocolError> {
    let params = json!({ "objectId": object, "ownProperties": true, "generatePreview": true });
    let properties = protocol.send(Some(tab), "Runtime.getProperties", params);
    Ok(Scope {
        kind,
        function: (kind == ScopeKind::Local).then(|| frame.function.clone()),
        variables: variables(&properties.await?, |_| true),
    })
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::engine::fake::{FakeProtocol, SESSION, event};
    use crate::engine::protocol::Event;

    fn paused(frames: usize) -> Value {
        let frame = json!({
            "callFrameId": "1", "functionName": "pay", "url": "",
            "location": { "scriptId": "9", "lineNumber": 21, "columnNumber": 4 },
            "functionLocation": { "scriptId": "9", "lineNumber": 20, "columnNumber": 0 },
            "scopeChain": [
                { "type": "local", "object": { "objectId": "scope" } },
                { "type": "global", "object": { "objectId": "global" } },
            ],
        });
        json!({ "reason": "other", "hitBreakpoints": ["b"], "callFrames": vec![frame; frames] })
    }

    /// What is told of these events, and the connection that they came by, which is lost then.
    fn told(fake: FakeProtocol, events: Vec<Event>) -> (Vec<Option<Stop>>, Arc<FakeProtocol>) {
        fake.on("Debugger.enable", events, Some(Ok(json!({}))));
        let fake = Arc::new(fake);
        let mut told = Vec::new();
        let tab = SessionId(SESSION.to_owned());
        let reason = "the test is over".to_owned();
        let mut tell = |stop: Option<Stop>| {
            if stop.is_none() {
                let reason = reason.clone();
                fake.lose(&ProtocolError::ConnectionLost { reason });
            }
            told.push(stop);
        };
        block_on(follow_stops(fake.clone(), &tab, &mut tell)).unwrap();
        (told, fake)
    }

    #[test]
    fn a_stop_is_told_with_its_scopes_and_that_it_goes_on() {
        let fake = FakeProtocol::default();
        let properties = json!({ "result": [
            { "name": "total", "value": { "type": "number", "value": 3, "description": "3" } },
            { "name": "later" },
        ] });
        fake.on("Runtime.getProperties", Vec::new(), Some(Ok(properties)));
        let script = json!({ "scriptId": "9", "url": "http://h/app.js" });
        let events = vec![
            event("Debugger.scriptParsed", script),
            event("Debugger.paused", paused(1)),
            event("Debugger.resumed", json!({})),
        ];
        let (told, fake) = told(fake, events);
        let [Some(stop), None] = told.as_slice() else {
            panic!("{told:?}");
        };
        assert_eq!(stop.reason, "breakpoint");
        assert_eq!(stop.point().as_deref(), Some("app.js:22:5"));
        let frame = &stop.frames[0];
        assert_eq!(frame.frame.function, "pay");
        assert_eq!(frame.scopes.len(), 1);
        let shown: Vec<(&str, &str)> = frame.scopes[0]
            .variables
            .iter()
            .map(|it| (it.name.as_str(), it.value.text.as_str()))
            .collect();
        assert_eq!(shown, [("total", "3"), ("later", "<not yet initialised>")]);
        // The global object is not read: it is large.
        let read = fake.sent("Runtime.getProperties");
        assert_eq!(read.len(), 1);
        assert_eq!(read[0]["objectId"], "scope");
    }

    #[test]
    fn of_very_many_scripts_the_latest_are_known() {
        let mut scripts = Scripts::default();
        for id in 0..=MOST_SCRIPTS {
            scripts.add(&id.to_string(), "http://h/a.js");
        }
        scripts.add("no number", "http://h/a.js");
        assert_eq!(scripts.0.len(), MOST_SCRIPTS);
        assert!(scripts.get("0").is_none());
        assert!(scripts.get(&MOST_SCRIPTS.to_string()).is_some());
    }

    #[test]
    fn of_a_deep_recursion_only_the_top_is_read() {
        let events = vec![
            event("Debugger.paused", paused(5000)),
            event("Debugger.resumed", json!({})),
        ];
        let (told, fake) = told(FakeProtocol::default(), events);
        let frames = &told[0].as_ref().unwrap().frames;
        assert_eq!(frames.len(), MOST_FRAMES);
        assert_eq!(fake.sent("Runtime.getProperties").len(), FRAMES_WITH_SCOPES);
    }

    #[test]
    fn a_page_that_goes_on_meanwhile_is_not_told_to_stand() {
        let fake = FakeProtocol::default();
        let gone = ProtocolError::Refused {
            method: "Runtime.getProperties".to_owned(),
            code: -32000,
            message: "Could not find object with given id".to_owned(),
        };
        fake.on("Runtime.getProperties", Vec::new(), Some(Err(gone)));
        let events = vec![
            event("Debugger.paused", paused(1)),
            event("Debugger.resumed", json!({})),
        ];
        assert_eq!(told(fake, events).0, [None]);
    }

    #[test]
    fn what_the_browser_says_may_be_anything() {
        let events = vec![
            event("Debugger.paused", json!({ "callFrames": 5 })),
            event("Debugger.paused", json!(null)),
            event(
                "Debugger.paused",
                json!({ "reason": "exception", "callFrames": [{}],
                "data": { "description": "TypeError: no\n    at f", "uncaught": false } }),
            ),
            event(
                "Debugger.paused",
                json!({ "reason": "exception", "callFrames": [],
                "data": { "description": "TypeError: no\n    at f", "uncaught": true } }),
            ),
            event("Debugger.resumed", json!({})),
        ];
        let (told, _) = told(FakeProtocol::default(), events);
        let reasons: Vec<&str> = told.iter().flatten().map(|it| it.reason.as_str()).collect();
        let wanted = [
            "pause",
            "pause",
            "exception: TypeError: no",
            "exception: TypeError: no",
        ];
        assert_eq!(reasons, wanted);
        let exceptions = told.iter().flatten().map(|it| it.exception.as_deref());
        let exceptions: Vec<Option<&str>> = exceptions.collect();
        assert_eq!(
            exceptions,
            [None, None, None, Some("exception:TypeError: no")]
        );
    }
}
