//! The recorded actions, and as much more of the page's time as the reproduction point needs.

use agent::evaluated;
use cdp_driver::protocol::generated as cdp;
use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::{Either, select};
use querypoint::answer::{Scope, ScopeKind};
use querypoint::point::ReproductionPoint;

use super::{CapturedState, Watcher, sum_of_hits};
use crate::agent_message::answered;
use crate::debugger::Watched;
use crate::error::EngineError;
use crate::page::Page;
use crate::replay::{ReplayOptions, Speed, replay_with_inputs, wait_until_idle};
use crate::report::Report;

impl Watcher<'_> {
    /// The recorded actions, and then as much more as the reproduction point needs. Gives the time of the
    /// replay in milliseconds.
    pub(super) async fn work(
        &self,
        page: &Page,
        progress: &mut (dyn FnMut(usize, usize, &str) + Send),
        arrival: &mut mpsc::UnboundedReceiver<Result<(), EngineError>>,
    ) -> Result<f64, EngineError> {
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
    ) -> Result<(), EngineError> {
        let options = ReplayOptions {
            speed: Speed::Fast,
            load_limit: self.setting.timeout,
            page_url: Some(self.setting.page_url.clone()),
            ..ReplayOptions::default()
        };
        match &self.setting.recording {
            Some(recording) => {
                let input_replay = self.control.input_replay.as_deref();
                let replayed = replay_with_inputs(
                    page,
                    recording,
                    &options,
                    &self.cursor,
                    input_replay,
                    progress,
                );
                let report = replayed.await?;
                self.gathered.lock().outcome.notes.extend(
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
    async fn until_reached(&self, page: &Page) -> Result<(), EngineError> {
        const FIRST_BUDGET: Duration = Duration::from_secs(2);
        const FURTHER_BUDGET: Duration = Duration::from_secs(5);
        const FURTHER_ROUNDS: u32 = 12;
        // Animation frames keep real time, so some of that is given as well; so do the timers of other processes.
        const PAUSE: Duration = Duration::from_millis(30);
        const PAUSE_FOR_OTHERS: Duration = Duration::from_millis(200);
        let limit = self.setting.timeout;
        wait_until_idle(page, FIRST_BUDGET, limit).await?;
        self.settle(page).await?;
        if self.setting.at == ReproductionPoint::End {
            return self.at_end(page).await;
        }
        for _ in 0..FURTHER_ROUNDS {
            // A document that is being left is not where the last hit is.
            let leaving = page.read(|state| state.navigating || !state.loaded);
            if !leaving && self.drain(page, false).await? {
                return Ok(());
            }
            let pause = if self.realms.lock().are_many() {
                PAUSE_FOR_OTHERS
            } else {
                PAUSE
            };
            self.setting.clock.sleep(pause).await;
            wait_until_idle(page, FURTHER_BUDGET, limit).await?;
        }
        // Not often enough, which is what the answer will say.
        self.drain(page, true).await.map(|_| ())
    }

    /// Where scripts run in other realms as well, the end of what the tab does is not the end of all: gives them and
    /// the tab time by turns until nothing more is counted anywhere. What they send to the tab arrives only while its
    /// time goes on.
    async fn settle(&self, page: &Page) -> Result<(), EngineError> {
        const LONGEST_MS: f64 = 3000.0;
        const QUIET_ROUNDS: u32 = 3;
        const PAUSE: Duration = Duration::from_millis(20);
        const BUDGET: Duration = Duration::from_millis(50);
        let start = self.setting.clock.now_ms();
        let mut last = None;
        let mut quiet = 0;
        while quiet < QUIET_ROUNDS
            && self.realms.lock().are_many()
            && self.setting.clock.now_ms() - start < LONGEST_MS
        {
            self.setting.clock.sleep(PAUSE).await;
            wait_until_idle(page, BUDGET, self.setting.timeout).await?;
            let reports = self.present_reports(page).await?;
            let counts = reports
                .iter()
                .map(|report| report.sequence.saturating_add(report.hits));
            let now = (reports.len(), counts.fold(0_u64, u64::saturating_add));
            let same = last.replace(now) == Some(now) && !self.realms.lock().are_starting();
            quiet = if same { quiet + 1 } else { 0 };
        }
        Ok(())
    }

    /// What the agents of all realms have to report that can be asked.
    pub(super) async fn present_reports(&self, page: &Page) -> Result<Vec<Report>, EngineError> {
        let prefix = &self.setting.collection.prefix;
        let mut reports = if self.realms.lock().are_many() {
            let realms = self.realms.lock().beside_the_tab();
            let clock = self.setting.clock.as_ref();
            let others = self.control.reports(realms, prefix, clock);
            page.drive(others).await?
        } else {
            Vec::new()
        };
        reports.extend(self.present_report(page).await?);
        Ok(reports)
    }

    async fn present_report(&self, page: &Page) -> Result<Option<Report>, EngineError> {
        let expression = format!(
            "typeof {0}E==='undefined'?'':{0}E.report()",
            self.setting.collection.prefix
        );
        let answer = asked_in_tab(page, expression).await?;
        let told = answer.result.value.unwrap_or_default();
        // A document without an agent.
        if told.as_str().is_none_or(str::is_empty) {
            return Ok(None);
        }
        Ok(Some(answered(&told)?))
    }

    /// Takes the reports of all realms; whether the reproduction point was passed often enough, without which they
    /// are taken only if that is `enough`.
    async fn drain(&self, page: &Page, enough: bool) -> Result<bool, EngineError> {
        if self.gathered.lock().is_passed() {
            return Ok(!self.waits_behind(page).await?);
        }
        let present = self.present_reports(page).await?;
        let wanted = match &self.setting.at {
            ReproductionPoint::Location { hit, .. } => {
                u64::try_from(hit.0).map_or(1, |hit| hit + 1)
            }
            _ => 1,
        };
        let mut gathered = self.gathered.lock();
        let outcome = &mut gathered.outcome;
        let is_new = |other: &&Report| {
            present
                .iter()
                .all(|report| report.document != other.document)
        };
        let before = outcome.reports.iter().filter(is_new);
        let hits = sum_of_hits(before.chain(&present));
        // Where the page is to stop at a hit, nothing else will do.
        let is_enough = hits >= wanted && self.task.stop_at_hit.is_none();
        if !is_enough && !enough {
            return Ok(false);
        }
        for report in present {
            if report.hits > 0 {
                outcome.add(report);
            }
        }
        Ok(is_enough)
    }

    async fn at_end(&self, page: &Page) -> Result<(), EngineError> {
        let context = self.global_context(&self.setting.collection.root_dependents);
        let expression = format!("{}E.at({context})", self.setting.collection.prefix);
        let answer = asked_in_tab(page, expression).await?;
        let report = report_of(answer, "the end of the replay")?;
        let watches = self.setting.plan.watches.iter();
        let watched: Vec<Watched> = watches.map(|it| Watched::as_written(it)).collect();
        let state = CapturedState {
            scopes: vec![Scope {
                kind: ScopeKind::Global,
                function: None,
                variables: self.reader.globals(&self.tab).await?,
            }],
            watches: self.reader.watches(&self.tab, None, &watched).await?,
            picture: page.drive(self.picture_at_end()).await,
            ..CapturedState::default()
        };
        self.gathered.lock().reach(report, Some(state));
        self.nodes_at_end(page).await?;
        self.identities_at_end().await?;
        self.compare_in_document().await
    }
}

/// What an expression gives in the tab, which is not paused.
pub(super) async fn asked_in_tab(
    page: &Page,
    expression: String,
) -> Result<cdp::runtime::EvaluateResult, EngineError> {
    let look = cdp::runtime::Evaluate {
        return_by_value: Some(true),
        silent: Some(true),
        ..cdp::runtime::Evaluate::new(evaluated(expression))
    };
    Ok(page.drive(page.call(&look)).await?)
}

fn report_of(answer: cdp::runtime::EvaluateResult, what: &str) -> Result<Report, EngineError> {
    let told = answer.result.value.unwrap_or_default();
    answered(&told).map_err(|unknown| {
        let thrown = answer.exception_details.and_then(|it| it.exception);
        let message = thrown.and_then(|it| it.description);
        EngineError::PageScript {
            what: what.to_owned(),
            message: message.unwrap_or_else(|| unknown.to_string()),
        }
    })
}
