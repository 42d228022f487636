//! A realm for functions that a person wrote: a tab of its own whose origin nobody has, offline, in which a content
//! policy forbids to load anything. It is no page's: it has no cookies, no storage, and nothing of what is debugged but
//! the texts that it is handed.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::error::EngineError;
use crate::page::Page;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Clock, Protocol, ProtocolError};

/// The document: scripts from texts alone.
const DOCUMENT: &str = "data:text/html,<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; \
                        script-src data:\">";
/// Opening takes no longer.
const OPENING_LIMIT: Duration = Duration::from_secs(30);
/// What was stopped has an answer a little later than its limit.
const GRACE: Duration = Duration::from_secs(5);

/// Why code of a person gave no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// It threw, or is no JavaScript.
    #[error("{0}")]
    Threw(String),
    /// It did not end in time, and was stopped.
    #[error("it did not end within {0} ms")]
    Endless(u128),
    /// The browser is lost.
    #[error(transparent)]
    Lost(#[from] ProtocolError),
}

/// A realm for functions that a person wrote. It is gone with [`Sandbox::close`], or with its browser.
pub struct Sandbox {
    page: Page,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sandbox").finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Opens a realm.
    ///
    /// # Errors
    /// If the browser is lost.
    pub async fn open(
        protocol: Arc<dyn Protocol>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EngineError> {
        let page = Page::open(protocol, clock).await?;
        page.navigate(DOCUMENT, OPENING_LIMIT).await?;
        page.call(&cdp::network::EmulateNetworkConditions::new(
            true, 0.0, -1.0, -1.0,
        ))
        .await?;
        Ok(Self { page })
    }

    /// Evaluates an expression, waits for the promise if it is one, and gives the value as JSON.
    ///
    /// # Errors
    /// If it throws, does not end within `limit`, or the browser is lost.
    pub async fn evaluate(&self, expression: &str, limit: Duration) -> Result<Value, SandboxError> {
        let endless = || SandboxError::Endless(limit.as_millis());
        let command = cdp::runtime::Evaluate {
            return_by_value: Some(true),
            await_promise: Some(true),
            silent: Some(true),
            timeout: Some(limit.as_secs_f64() * 1000.0),
            ..cdp::runtime::Evaluate::new(expression)
        };
        let asked = self.page.drive(self.page.call(&command));
        let answer = match self.page.limited("a function", limit + GRACE, asked).await {
            Ok(Ok(answer)) => answer,
            // What is stopped is refused an answer.
            Ok(Err(ProtocolError::Refused { .. })) | Err(EngineError::TimedOut { .. }) => {
                return Err(endless());
            }
            Ok(Err(error)) | Err(EngineError::Protocol(error)) => return Err(error.into()),
            Err(other) => return Err(SandboxError::Threw(other.to_string())),
        };
        match answer.exception_details {
            None => Ok(answer.result.value.unwrap_or(Value::Null)),
            Some(thrown) => {
                let described = thrown.exception.and_then(|it| it.description);
                let text = described.or(thrown.text).unwrap_or_default();
                let first = text.lines().next().unwrap_or_default();
                Err(SandboxError::Threw(first.to_owned()))
            }
        }
    }

    /// Closes it.
    ///
    /// # Errors
    /// If the browser is lost.
    pub async fn close(self) -> Result<(), EngineError> {
        self.page.dispose().await
    }
}
