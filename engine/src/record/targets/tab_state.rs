//! What the tab that is recorded says of itself: its size, its clock, its address, and where it can go back to.

use std::sync::Arc;
use std::time::Duration;

use agent::evaluated;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, CallBrowser as _, Clock, ProtocolError, SessionId};
use futures::future::{join_all, select};
use recording::{Environment, Viewport};

use super::Targets;
use crate::error::EngineError;
use crate::record::viewport_of;
use crate::replay::{environment_command, environment_of};

impl Targets {
    /// The page's size; gives it the one that was asked for.
    pub(in crate::record) async fn viewport(&self) -> Result<Viewport, ProtocolError> {
        if let Some((width, height)) = self.viewport {
            let (width, height) = (i64::from(width), i64::from(height));
            let size = cdp::emulation::SetDeviceMetricsOverride::new(width, height, 1.0, false);
            self.call(&size).await?;
        }
        let metrics = self.call(&cdp::page::GetLayoutMetrics {}).await?;
        let width_of =
            |of: &Option<cdp::page::LayoutViewport>| of.as_ref().map(|it| it.client_width);
        let scale = match (
            width_of(&metrics.layout_viewport),
            width_of(&metrics.css_layout_viewport),
        ) {
            (Some(device), Some(css)) if css > 0.0 && device > 0.0 && self.viewport.is_none() => {
                device / css
            }
            _ => 1.0,
        };
        Ok(viewport_of(&metrics, self.viewport, scale))
    }

    /// What the browser's clock says, in milliseconds since 1970, if it tells.
    pub(in crate::record) async fn browser_time_ms(&self) -> Result<Option<f64>, ProtocolError> {
        let look = cdp::runtime::Evaluate {
            silent: Some(true),
            ..cdp::runtime::Evaluate::new(evaluated("Date.now()"))
        };
        let answer = self.evaluate_apart(look).await?;
        Ok(answer.result.value.and_then(|now| now.as_f64()))
    }

    /// What the browser tells a page of the person.
    pub(in crate::record) async fn environment(&self) -> Result<Environment, ProtocolError> {
        let answer = self.evaluate_apart(environment_command()).await?;
        Ok(environment_of(answer))
    }

    /// Ready when the browser has said what scripts of the page, its frames and the tabs that it opened have done by
    /// now: their processes say it later than they do it. A page that does not answer, as one that is paused, is not
    /// waited for.
    pub(in crate::record) fn up_to_date(
        &self,
        clock: &Arc<dyn Clock>,
    ) -> impl Future<Output = ()> + Send + 'static {
        const LONGEST: Duration = Duration::from_millis(500);
        let (protocol, clock) = (self.protocol.clone(), clock.clone());
        let sessions: Vec<SessionId> = std::iter::once(&self.main)
            .chain(self.others.keys())
            .cloned()
            .collect();
        async move {
            let look = cdp::runtime::Evaluate {
                silent: Some(true),
                ..cdp::runtime::Evaluate::new(evaluated("0"))
            };
            let answers = sessions.iter().map(|it| protocol.call(Some(it), &look));
            select(join_all(answers), clock.sleep(LONGEST)).await;
        }
    }

    /// Evaluates in a world of our own in the document that is there, which may be anybody's.
    async fn evaluate_apart(
        &self,
        look: cdp::runtime::Evaluate,
    ) -> Result<cdp::runtime::EvaluateResult, ProtocolError> {
        let world = cdp::page::CreateIsolatedWorld {
            world_name: Some("querypoint look".to_owned()),
            ..cdp::page::CreateIsolatedWorld::new(&self.target_id)
        };
        let world = self.call(&world).await?;
        self.call(&cdp::runtime::Evaluate {
            context_id: Some(world.execution_context_id),
            ..look
        })
        .await
    }

    /// What the tab shows, with the fragment of its address.
    pub(in crate::record) async fn address(&self) -> Result<String, EngineError> {
        let mut history = self.call(&cdp::page::GetNavigationHistory {}).await?;
        let current = history.current_index;
        if current >= history.entries.len() {
            return Err(EngineError::Protocol(ProtocolError::Malformed {
                method: cdp::page::GetNavigationHistory::METHOD.to_owned(),
                detail: format!("no entry {current}"),
            }));
        }
        Ok(history.entries.swap_remove(current).url)
    }

    /// [`Self::address`], once the tab has one: one that is on its way to its first page shows a blank document before,
    /// and loading that again would have no result.
    pub(in crate::record) async fn first_address(
        &self,
        clock: &dyn Clock,
    ) -> Result<String, EngineError> {
        const LONGEST_MS: f64 = 30_000.0;
        const PAUSE: Duration = Duration::from_millis(20);
        let start = clock.now_ms();
        loop {
            let address = self.address().await?;
            let is_blank = address.is_empty() || address == "about:blank";
            let is_going = is_blank && self.address_and_title().await?.0 != address;
            if !is_going || clock.now_ms() - start > LONGEST_MS {
                return Ok(address);
            }
            clock.sleep(PAUSE).await;
        }
    }

    /// The address and the title of the main document.
    pub(in crate::record) async fn address_and_title(
        &self,
    ) -> Result<(String, String), ProtocolError> {
        let asked = cdp::target::GetTargetInfo {
            target_id: Some(self.target_id.as_str().into()),
        };
        match self.protocol.call_browser(&asked).await {
            Err(ProtocolError::NotOffered { .. }) => {
                let read =
                    cdp::runtime::Evaluate::new("[location.href, document.title].join('\\n')");
                let read = self.call(&read).await?.result.value;
                let text = read.as_ref().and_then(|it| it.as_str()).unwrap_or_default();
                let (url, title) = text.split_once('\n').unwrap_or((text, ""));
                Ok((url.to_owned(), title.to_owned()))
            }
            told => told.map(|told| (told.target_info.url, told.target_info.title)),
        }
    }

    /// The addresses in the tab's history, and which of them is shown; `None`: the browser does not say just now.
    pub(in crate::record) async fn history(
        &self,
    ) -> Result<Option<(Vec<String>, usize)>, ProtocolError> {
        let history = match self.call(&cdp::page::GetNavigationHistory {}).await {
            Ok(history) => history,
            Err(error) if error.is_fatal() => return Err(error),
            Err(_) => return Ok(None),
        };
        let urls = history.entries.into_iter().map(|entry| entry.url);
        Ok(Some((urls.collect(), history.current_index)))
    }
}
