//! The recorded actions, and as much more of the page's time as the reproduction point needs.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::{Either, select};
use querypoint::answer::{Scope, ScopeKind};
use querypoint::point::ReproductionPoint;
use serde_json::{Value, json};

use super::{EventCapture, State, Watcher, lock};
use crate::engine::page::Page;
use crate::engine::replay::{ReplayOptions, Speed, replay, wait_until_idle};
use crate::engine::report::Report;
use crate::error::DriverError;

impl Watcher<'_> {
    /// The recorded actions, and then as much more as the reproduction point needs. Gives the time of the
    /// replay in milliseconds.
    pub(super) async fn work(
        &self,
        page: &Page,
        progress: &mut (dyn FnMut(usize, usize, &str) + Send),
        arrival: &mut mpsc::UnboundedReceiver<Result<(), DriverError>>,
    ) -> Result<f64, DriverError> {
        let start = self.setting.clock.now_ms();
        let replayed = {
            let actions = self.actions(page, progress);
            let arrived = arrival.next();
            futures::pin_mut!(actions, arrived);
            match select(actions, arrived).await {
                Either::Left((result, _)) => result,
                Either::Right((Some(Err(error)), _)) => Err(error),
                // The reproduction point is reached; what would come after it is not asked for.
                Either::Right(_) => Ok(()),
            }
        };
        replayed?;
        Ok(self.setting.clock.now_ms() - start)
    }

    async fn actions(
        &self,
        page: &Page,
        progress: &mut (dyn FnMut(usize, usize, &str) + Send),
    ) -> Result<(), DriverError> {
        let options = ReplayOptions {
            speed: Speed::Fast,
            load_limit: self.setting.timeout,
            page_url: Some(self.setting.page_url.clone()),
            ..ReplayOptions::default()
        };
        match &self.setting.recording {
            Some(recording) => {
                let report = replay(page, recording, &options, &self.cursor, progress).await?;
                lock(&self.outcome).notes.extend(
                    report
                        .divergences
                        .into_iter()
                        .map(|divergence| divergence.note),
                );
            }
            None => {
                progress(1, 1, "open the page");
                page.navigate(&self.setting.page_url, self.setting.timeout)
                    .await?;
            }
        }
        self.until_reached(page).await
    }

    /// Gives the page time until the reproduction point was passed and the page is idle, or it is clear that it
    /// will not be passed.
    async fn until_reached(&self, page: &Page) -> Result<(), DriverError> {
        const FIRST_BUDGET: Duration = Duration::from_secs(2);
        const FURTHER_BUDGET: Duration = Duration::from_secs(5);
        const FURTHER_ROUNDS: u32 = 12;
        let limit = self.setting.timeout;
        wait_until_idle(page, FIRST_BUDGET, limit).await?;
        if self.setting.at == ReproductionPoint::End {
            return self.at_end(page).await;
        }
        for _ in 0..FURTHER_ROUNDS {
            // A document that is being left is not where the last hit is.
            let leaving = page.read(|state| state.navigating || !state.loaded);
            if !leaving && self.drain(page).await? {
                return Ok(());
            }
            // Animation frames keep real time, so some of that is given as well.
            self.setting.clock.sleep(Duration::from_millis(30)).await;
            wait_until_idle(page, FURTHER_BUDGET, limit).await?;
        }
        if !self.drain(page).await?
            && let Some(report) = self.present_report(page).await?
            && report.hits > 0
        {
            // Not often enough, which is what the answer will say.
            lock(&self.outcome).add(report);
        }
        Ok(())
    }

    async fn present_report(&self, page: &Page) -> Result<Option<Report>, DriverError> {
        let expression = format!(
            "typeof {0}E==='undefined'?'':{0}E.report()",
            self.setting.collection.prefix
        );
        let params = json!({ "expression": expression, "returnByValue": true, "silent": true });
        let result = page.drive(page.send("Runtime.evaluate", params)).await?;
        let text = result
            .pointer("/result/value")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Ok(serde_json::from_str::<Report>(text).ok())
    }

    /// Takes the report of the present document; whether the reproduction point was passed often enough.
    async fn drain(&self, page: &Page) -> Result<bool, DriverError> {
        if self.reached.load(Ordering::SeqCst) {
            return Ok(true);
        }
        let Some(report) = self.present_report(page).await? else {
            return Ok(false);
        };
        let wanted = match &self.setting.at {
            ReproductionPoint::Location { hit, .. } => {
                u64::try_from(hit.0).map_or(1, |hit| hit + 1)
            }
            _ => 1,
        };
        let mut outcome = lock(&self.outcome);
        let before: u64 = outcome
            .reports
            .iter()
            .filter(|other| other.document.to_bits() != report.document.to_bits())
            .map(|other| other.hits)
            .sum();
        if before + report.hits >= wanted {
            if report.hits > 0 {
                outcome.add(report);
            }
            return Ok(true);
        }
        Ok(false)
    }

    async fn at_end(&self, page: &Page) -> Result<(), DriverError> {
        let dependents = &self.setting.collection.root_dependents;
        let context = lock(&self.setting.sources).global_context(dependents);
        let context = if context.is_empty() {
            "undefined"
        } else {
            &context
        };
        let expression = format!("{}E.at({context})", self.setting.collection.prefix);
        let params = json!({ "expression": expression, "returnByValue": true, "silent": true });
        let result = page.drive(page.send("Runtime.evaluate", params)).await?;
        let report = report_of(&result, "the end of the replay")?;
        let state = State {
            scopes: vec![Scope {
                kind: ScopeKind::Global,
                function: None,
                variables: self.reader.globals().await?,
            }],
            watches: self
                .reader
                .watches(None, &self.setting.plan.watches)
                .await?,
            ..State::default()
        };
        let events = self.newest_document();
        let mut outcome = lock(&self.outcome);
        outcome.add(report);
        outcome.point = Some(state);
        outcome.events = events;
        Ok(())
    }

    /// The events captured in the main frame's newest document.
    pub(super) fn newest_document(&self) -> BTreeMap<u64, EventCapture> {
        let newest = lock(&self.main_agent).clone();
        newest
            .and_then(|script| lock(&self.documents).remove(&script))
            .unwrap_or_default()
    }
}

fn report_of(result: &Value, what: &str) -> Result<Report, DriverError> {
    let text = result
        .pointer("/result/value")
        .and_then(Value::as_str)
        .unwrap_or_default();
    serde_json::from_str(text).map_err(|_| DriverError::PageScript {
        what: what.to_owned(),
        message: result
            .pointer("/exceptionDetails/exception/description")
            .and_then(Value::as_str)
            .unwrap_or("the agent is not in the page")
            .to_owned(),
    })
}
