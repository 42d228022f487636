//! `replay --runs`: how many replays went as recorded, and where the others did not.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

use cdp_driver::native::Browser;
use engine::replay::{ReplayOptions, ReplayReport};
use recording::Recording;
use serde_json::{Value, json};

use super::super::output;
use super::DIVERGED;
use crate::exit::INTERRUPTED;
use crate::progress::ProgressReport;
use crate::render;
use app::failure::Failure;
use app::pool::{Job, Runs, run_all};
use app::replay::replay_within;

/// Replays so often, prints what came of it and gives the exit status.
///
/// # Errors
/// If no replay came to its end: why the first one did not.
pub(super) async fn run(
    recording: Recording,
    options: ReplayOptions,
    runs: &Runs<'_>,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let limit = runs.browsers.timeout;
    let job = Replaying {
        recording,
        options,
        limit,
    };
    let mut tally = Tally::default();
    let mut report = ProgressReport::new();
    let ends = run_all(job, runs, &mut report, &mut |_, end| tally.add(end)).await;
    drop(report);
    let has_none = tally.as_recorded + tally.otherwise == 0;
    match ends.first_failure {
        Some((_, failure)) if has_none => return Err(failure),
        None if has_none => return Err(Failure::Interrupted),
        _ => {}
    }
    output::print(&match as_json {
        true => tally.to_json(runs.count),
        false => tally.described(runs.count),
    })?;
    Ok(if ends.is_interrupted {
        ExitCode::from(INTERRUPTED)
    } else if tally.as_recorded == runs.count {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(DIVERGED)
    })
}

struct Replaying {
    recording: Recording,
    options: ReplayOptions,
    limit: Duration,
}

impl Job for Replaying {
    type Output = ReplayReport;

    async fn run(&self, browser: &Browser) -> Result<ReplayReport, Failure> {
        let (recording, options) = (&self.recording, &self.options);
        let mut show = |_: usize, _: usize, _: &str| ();
        Ok(replay_within(browser, recording, options, self.limit, &mut show).await?)
    }
}

/// What came of the runs; it takes no more memory than there are different outcomes.
#[derive(Default)]
struct Tally {
    as_recorded: u32,
    otherwise: u32,
    /// By the first step that was not as recorded, and how.
    first_divergences: BTreeMap<(usize, String), u32>,
    /// By reason.
    failed: BTreeMap<String, u32>,
    times_ms: Vec<f64>,
}

impl Tally {
    fn add(&mut self, end: Result<ReplayReport, String>) {
        let report = match end {
            Ok(report) => report,
            Err(reason) => {
                *self.failed.entry(reason).or_default() += 1;
                return;
            }
        };
        self.times_ms.push(report.time_ms);
        match report.divergences.into_iter().next() {
            None => self.as_recorded += 1,
            Some(first) => {
                self.otherwise += 1;
                let first = (first.step, first.note);
                *self.first_divergences.entry(first).or_default() += 1;
            }
        }
    }

    fn median_ms(&self) -> f64 {
        let mut times = self.times_ms.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or_default()
    }

    /// How many runs did not come to their end.
    fn left(&self, runs: u32) -> u32 {
        runs.saturating_sub(self.as_recorded + self.otherwise + self.failed.values().sum::<u32>())
    }

    /// The counts, exactly: steps from 1, 0 before the first.
    fn to_json(&self, runs: u32) -> String {
        let divergences = self.first_divergences.iter();
        let divergences: Vec<Value> = divergences
            .map(|((step, note), count)| json!({ "step": step, "note": note, "count": count }))
            .collect();
        let failed = self.failed.iter();
        let failed: Vec<Value> = failed
            .map(|(reason, count)| json!({ "reason": reason, "count": count }))
            .collect();
        let json = json!({
            "runs": runs,
            "as_recorded": self.as_recorded,
            "median_ms": self.median_ms().round(),
            "first_divergences": divergences,
            "failed": failed,
            "not_done": self.left(runs),
        });
        format!("{json:#}\n")
    }

    /// The counts, in words.
    fn described(&self, runs: u32) -> String {
        let median = self.median_ms();
        let mut text = format!(
            "{} of {runs} replays went as recorded (median {median:.0} ms)\n",
            self.as_recorded
        );
        // Writing to a `String` cannot fail.
        for ((step, note), count) in &self.first_divergences {
            let step = match step {
                0 => "at the start".to_owned(),
                step => format!("step {step}"),
            };
            let _ = writeln!(text, "  {count} × {step}: {}", render::printable(note));
        }
        for (reason, count) in &self.failed {
            let _ = writeln!(text, "  {count} × failed: {}", render::printable(reason));
        }
        let left = self.left(runs);
        if left > 0 {
            let _ = writeln!(text, "  {left} × not done");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use engine::replay::Divergence;

    use super::*;

    #[test]
    fn outcomes_are_counted_by_what_was_different_first() {
        let replayed = |time_ms: f64, notes: &[(usize, &str)]| {
            let divergences = notes.iter().map(|(step, note)| Divergence {
                step: *step,
                note: (*note).to_owned(),
            });
            Ok(ReplayReport {
                steps: 9,
                time_ms,
                divergences: divergences.collect(),
            })
        };
        let mut tally = Tally::default();
        for end in [
            replayed(300.0, &[]),
            replayed(100.0, &[]),
            replayed(200.0, &[(3, "another \u{1b}[2Jelement"), (4, "more")]),
            replayed(400.0, &[(3, "another \u{1b}[2Jelement")]),
            replayed(500.0, &[(0, "a dialog")]),
            Err("the browser exited".to_owned()),
        ] {
            tally.add(end);
        }
        insta::assert_snapshot!(tally.described(8), @r"
        2 of 8 replays went as recorded (median 300 ms)
          1 × at the start: a dialog
          2 × step 3: another \u{1b}[2Jelement
          1 × failed: the browser exited
          2 × not done
        ");
        let told: Value = serde_json::from_str(&tally.to_json(8)).unwrap();
        assert_eq!(
            told,
            json!({
                "runs": 8, "as_recorded": 2, "median_ms": 300.0, "not_done": 2,
                "first_divergences": [
                    { "step": 0, "note": "a dialog", "count": 1 },
                    { "step": 3, "note": "another \u{1b}[2Jelement", "count": 2 },
                ],
                "failed": [{ "reason": "the browser exited", "count": 1 }],
            })
        );
    }
}
