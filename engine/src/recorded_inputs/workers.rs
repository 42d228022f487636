//! A script of ours in a worker, before the worker's own.
//!
//! A worker that waits to be let go cannot be asked to evaluate anything (Chromium 156 crashes), so it is let go and
//! pauses once more, at an instrumentation breakpoint before its first script.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use cdp::debugger::PausedReason;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Command as _, Event, Protocol, ProtocolError, SessionId};

/// What names a breakpoint.
pub(crate) type Answer = Result<cdp::debugger::SetInstrumentationBreakpointResult, ProtocolError>;

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

    /// Has a worker that waits pause before its first script, once it has been let go.
    pub(crate) fn expect(&self, session: &SessionId) {
        for command in [
            cdp::runtime::Enable {}.encoded(),
            cdp::runtime::AddBinding::new(&self.binding).encoded(),
            cdp::debugger::Enable {}.encoded(),
        ] {
            drop(command.send(self.protocol.as_ref(), Some(session)));
        }
        let mut answer = breakpoint_before_first_script(self.protocol.clone(), session.clone());
        // The command is queued at the first poll.
        let answer = match (&mut answer).now_or_never() {
            Some(answer) => futures::future::ready(answer).boxed(),
            None => answer,
        };
        self.starting().insert(session.clone(), answer);
    }

    /// A worker is no more.
    pub(crate) fn remove(&self, session: &SessionId) {
        self.starting().remove(session);
    }

    /// Puts `script` into the worker that is paused, if it is one that has been expected, and lets it go. Whether it
    /// was one.
    ///
    /// # Errors
    /// The worker is gone.
    pub(crate) async fn put(&self, event: &Event, script: &str) -> Result<bool, ProtocolError> {
        let Some(session) = &event.session else {
            return Ok(false);
        };
        if event.decode::<cdp::debugger::Paused>()?.reason != PausedReason::Instrumentation {
            return Ok(false);
        }
        let breakpoint = self.starting().remove(session);
        let Some(breakpoint) = breakpoint else {
            return Ok(false);
        };
        let id = breakpoint.await?.breakpoint_id;
        let (protocol, session) = (self.protocol.as_ref(), Some(session));
        // First of all, or evaluating the script would stop as well.
        let remove = cdp::debugger::RemoveBreakpoint::new(id);
        protocol.call(session, &remove).await?;
        let evaluate = cdp::runtime::Evaluate {
            silent: Some(true),
            ..cdp::runtime::Evaluate::new(script)
        };
        let result = protocol.call(session, &evaluate).await?;
        if let Some(problem) = result.exception_details {
            tracing::warn!(?problem, "a worker got no recorded inputs");
        }
        protocol.call(session, &cdp::debugger::Resume {}).await?;
        protocol.call(session, &cdp::debugger::Disable {}).await?;
        Ok(true)
    }

    fn starting(
        &self,
    ) -> parking_lot::MutexGuard<'_, HashMap<SessionId, BoxFuture<'static, Answer>>> {
        self.starting.lock()
    }
}

/// Has a worker pause before its first script. The command is queued at the first poll.
pub(crate) fn breakpoint_before_first_script(
    protocol: Arc<dyn Protocol>,
    session: SessionId,
) -> BoxFuture<'static, Answer> {
    let at = cdp::debugger::SetInstrumentationBreakpointInstrumentation::BeforeScriptExecution;
    let set = cdp::debugger::SetInstrumentationBreakpoint::new(at);
    Box::pin(async move { protocol.call(Some(&session), &set).await })
}
