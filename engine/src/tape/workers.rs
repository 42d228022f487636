//! A script of ours in a worker, before the worker's own.
//!
//! A worker that waits to be let go cannot be asked to evaluate anything (Chromium 156 crashes), so it is let go and
//! stands once more, at an instrumentation breakpoint before its first script.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, Protocol, ProtocolError, SessionId};

type Answer = Result<Value, ProtocolError>;

/// Workers that are about to begin.
pub(crate) struct Workers {
    protocol: Arc<dyn Protocol>,
    /// The name of the binding that they get.
    binding: String,
    /// Each with the answer that names its breakpoint.
    starting: Mutex<HashMap<SessionId, BoxFuture<'static, Answer>>>,
}

impl Workers {
    pub(crate) fn new(protocol: Arc<dyn Protocol>, binding: String) -> Self {
        Self {
            protocol,
            binding,
            starting: Mutex::default(),
        }
    }

    /// Has a worker that waits stand before its first script, once it has been let go.
    pub(crate) fn expect(&self, session: &SessionId) {
        for (method, params) in [
            (cdp::runtime::Enable::METHOD, json!({})),
            (
                cdp::runtime::AddBinding::METHOD,
                json!({ "name": self.binding }),
            ),
            (cdp::debugger::Enable::METHOD, json!({})),
        ] {
            drop(self.protocol.send(Some(session), method, params));
        }
        let (protocol, of) = (self.protocol.clone(), session.clone());
        let mut answer: BoxFuture<'static, Answer> = Box::pin(async move {
            let params = json!({ "instrumentation": "beforeScriptExecution" });
            let method = cdp::debugger::SetInstrumentationBreakpoint::METHOD;
            protocol.send(Some(&of), method, params).await
        });
        // The command is queued at the first poll.
        let answer = match (&mut answer).now_or_never() {
            Some(answer) => futures::future::ready(answer).boxed(),
            None => answer,
        };
        self.starting().insert(session.clone(), answer);
    }

    /// A worker is no more.
    pub(crate) fn forget(&self, session: &SessionId) {
        self.starting().remove(session);
    }

    /// Puts `script` into the worker that stands, if it is one that has been expected, and lets it go. Whether it was
    /// one.
    ///
    /// # Errors
    /// The worker is gone.
    pub(crate) async fn put(&self, event: &Event, script: &str) -> Result<bool, ProtocolError> {
        let Some(session) = &event.session else {
            return Ok(false);
        };
        if event.text("/reason") != "instrumentation" {
            return Ok(false);
        }
        let breakpoint = self.starting().remove(session);
        let Some(breakpoint) = breakpoint else {
            return Ok(false);
        };
        let send = |method, params| self.protocol.send(Some(session), method, params);
        let id = breakpoint.await?.get("breakpointId").cloned();
        // First of all, or evaluating the script would stop as well.
        send(
            cdp::debugger::RemoveBreakpoint::METHOD,
            json!({ "breakpointId": id }),
        )
        .await?;
        let evaluated = json!({ "expression": script, "silent": true });
        let result = send(cdp::runtime::Evaluate::METHOD, evaluated).await?;
        if let Some(problem) = result.get("exceptionDetails") {
            tracing::warn!(%problem, "a worker got no tape");
        }
        send(cdp::debugger::Resume::METHOD, json!({})).await?;
        send(cdp::debugger::Disable::METHOD, json!({})).await?;
        Ok(true)
    }

    fn starting(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<SessionId, BoxFuture<'static, Answer>>> {
        self.starting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
