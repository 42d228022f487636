//! What is said over a connection to a browser, as transcripts have it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::sync::Arc;

use cdp_driver::protocol::{Event, Offers, Protocol, ProtocolError, SessionId, Wanted};
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{BoxStream, StreamExt};
use parking_lot::Mutex;
use serde_json::{Value, json};

/// A connection that keeps what is said over it: commands, answers, and the events that somebody listens to.
pub(crate) struct Recorder {
    protocol: Arc<dyn Protocol>,
    log: Arc<Mutex<Log>>,
    /// See `RecordedQuestion::drops_input`.
    drops_input: bool,
}

struct Log {
    events: BoxStream<'static, Event>,
    wanted: Vec<Wanted>,
    commands: usize,
    entries: Vec<Value>,
}

impl Log {
    /// Whatever comes next is said after the events so far.
    fn add(&mut self, entry: Value) {
        while let Some(Some(event)) = self.events.next().now_or_never() {
            if self.wanted.iter().any(|wanted| wanted.has(&event)) {
                let Event {
                    session,
                    method,
                    params,
                    ..
                } = event;
                self.entries
                    .push(json!(["event", session, method, *params]));
            }
        }
        self.entries.push(entry);
    }
}

impl Recorder {
    pub(crate) fn new(protocol: Arc<dyn Protocol>, drops_input: bool) -> Self {
        let log = Log {
            events: protocol.events(),
            wanted: Vec::new(),
            commands: 0,
            entries: Vec::new(),
        };
        Self {
            protocol,
            log: Arc::new(Mutex::new(log)),
            drops_input,
        }
    }

    /// What was said until now.
    pub(crate) fn take_entries(&self) -> Vec<Value> {
        std::mem::take(&mut self.log.lock().entries)
    }
}

impl Protocol for Recorder {
    fn offers(&self) -> Offers {
        self.protocol.offers()
    }

    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        let number = {
            let mut log = self.log.lock();
            log.commands += 1;
            let number = log.commands;
            log.add(json!(["command", number, session, method, params]));
            number
        };
        let expression = params["expression"].as_str().unwrap_or_default();
        let drops_input = self.drops_input && expression.contains("E.inputs()");
        let answer = self.protocol.send(session, method, params);
        async move {
            let mut answer = answer.await;
            if let (true, Ok(result)) = (drops_input, &mut answer) {
                let come = result["result"]["value"].as_str().unwrap();
                result["result"]["value"] = come.replace(|c: char| c.is_ascii_digit(), "0").into();
            }
            let mut log = self.log.lock();
            match &answer {
                Ok(result) => log.add(json!(["answer", number, result])),
                // A breakpoint that is refused is missed nowhere, but at stops in functions that were optimised.
                Err(error @ ProtocolError::Refused { .. }) => {
                    panic!("all is in its order: {error}")
                }
                Err(error) => panic!("nothing is recorded of a connection that is lost: {error}"),
            }
            answer
        }
        .boxed()
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        self.log.lock().wanted.push(wanted.clone());
        self.protocol.events_of(wanted)
    }
}
