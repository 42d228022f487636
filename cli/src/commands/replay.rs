//! `querypoint replay`: replays a recording and says where it departed from what was recorded.

mod repeated;

use std::fmt::Write;
use std::process::ExitCode;

use app::cancelling::Cancellation;
use app::failure::Failure;
use app::replay::{Repetitions, ReplayRequest, replay_once, replay_repeatedly};
use engine::replay::{ReplayReport, Speed};
use serde_json::{Value, json};

use super::output;
use crate::arguments::{ReplayArguments, SpeedChoice};
use crate::progress::ProgressReport;
use crate::render;

/// The status of a replay that was done but not as recorded.
const DIVERGED: u8 = 1;

/// Replays, prints what happened and gives the exit status.
///
/// # Errors
/// If the recording cannot be read, if a step cannot be done, or if the page or the browser is lost.
pub(crate) async fn run(arguments: &ReplayArguments) -> Result<ExitCode, Failure> {
    let request = ReplayRequest {
        recording: &arguments.recording,
        page: arguments.page.as_deref(),
        speed: match arguments.speed {
            SpeedChoice::Real => Speed::Real,
            SpeedChoice::Fast => Speed::Fast,
        },
        live: arguments.live,
    };
    let browser = arguments.browser.options();
    let mut report = ProgressReport::new();
    let end = Cancellation::by_signals();
    if let Some(runs) = arguments.runs {
        let repetitions = Repetitions {
            runs,
            at_once: arguments.jobs,
        };
        let counts = replay_repeatedly(&request, repetitions, &browser, &end, &mut report).await?;
        drop(report);
        return repeated::show(&counts, arguments.json);
    }
    let replayed = replay_once(&request, &browser, &end, &mut report).await?;
    drop(report);
    output::print(&match arguments.json {
        true => to_json(&replayed),
        false => described(&replayed),
    })?;
    Ok(if replayed.divergences.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(DIVERGED)
    })
}

/// What happened, exactly: times in milliseconds, steps from 1, 0 before the first.
fn to_json(report: &ReplayReport) -> String {
    let divergences = report.divergences.iter();
    let divergences: Vec<Value> = divergences
        .map(|divergence| json!({ "step": divergence.step, "note": divergence.note }))
        .collect();
    let json = json!({
        "steps": report.steps,
        "time_ms": report.time_ms.round(),
        "as_recorded": divergences.is_empty(),
        "divergences": divergences,
    });
    format!("{json:#}\n")
}

/// What happened, in words.
fn described(report: &ReplayReport) -> String {
    let ReplayReport {
        steps,
        time_ms,
        divergences,
    } = report;
    let plural = if *steps == 1 { "" } else { "s" };
    let mut text = format!("replayed {steps} step{plural} in {time_ms:.0} ms");
    if divergences.is_empty() {
        text.push_str(", as recorded\n");
        return text;
    }
    text.push_str("; this was not as recorded:\n");
    for divergence in divergences {
        let step = match divergence.step {
            0 => "at the start".to_owned(),
            step => format!("step {step}"),
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "  {step}: {}", render::printable(&divergence.note));
    }
    text
}

#[cfg(test)]
mod tests {
    use engine::replay::Divergence;

    use super::*;

    #[test]
    fn what_was_different_is_said_step_by_step() {
        let divergence = |step, note: &str| Divergence {
            step,
            note: note.to_owned(),
        };
        let mut report = ReplayReport {
            steps: 4,
            time_ms: 310.4,
            divergences: Vec::new(),
        };
        assert_eq!(
            described(&report),
            "replayed 4 steps in 310 ms, as recorded\n"
        );
        report.divergences = vec![
            divergence(0, "no page"),
            divergence(3, "another \u{1b}[2Jelement"),
        ];
        insta::assert_snapshot!(described(&report), @r"
        replayed 4 steps in 310 ms; this was not as recorded:
          at the start: no page
          step 3: another \u{1b}[2Jelement
        ");
        let told: Value = serde_json::from_str(&to_json(&report)).unwrap();
        assert_eq!(
            told,
            json!({
                "steps": 4, "time_ms": 310.0, "as_recorded": false,
                "divergences": [{ "step": 0, "note": "no page" }, { "step": 3, "note": "another \u{1b}[2Jelement" }],
            })
        );
    }
}
