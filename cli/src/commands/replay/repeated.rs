//! `replay --runs`: how many replays went as recorded, and where the others did not.

use std::fmt::Write;
use std::process::ExitCode;

use app::failure::Failure;
use app::replay::ReplayCounts;
use serde_json::{Value, json};

use super::super::output;
use super::DIVERGED;
use crate::exit::INTERRUPTED;
use crate::render;

/// Prints what came of the replays and gives the exit status.
///
/// # Errors
/// If standard output cannot be written to.
pub(super) fn show(counts: &ReplayCounts, as_json: bool) -> Result<ExitCode, Failure> {
    output::print(&match as_json {
        true => to_json(counts),
        false => described(counts),
    })?;
    Ok(if counts.is_interrupted {
        ExitCode::from(INTERRUPTED)
    } else if counts.as_recorded == counts.runs {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(DIVERGED)
    })
}

/// The counts, exactly: steps from 1, 0 before the first.
fn to_json(counts: &ReplayCounts) -> String {
    let divergences = counts.first_divergences.iter();
    let divergences: Vec<Value> = divergences
        .map(|((step, note), count)| json!({ "step": step, "note": note, "count": count }))
        .collect();
    let failed = counts.failed.iter();
    let failed: Vec<Value> = failed
        .map(|(reason, count)| json!({ "reason": reason, "count": count }))
        .collect();
    let json = json!({
        "runs": counts.runs,
        "as_recorded": counts.as_recorded,
        "median_ms": counts.median_ms().round(),
        "first_divergences": divergences,
        "failed": failed,
        "not_done": counts.not_done(),
    });
    format!("{json:#}\n")
}

/// The counts, in words.
fn described(counts: &ReplayCounts) -> String {
    let (median, runs) = (counts.median_ms(), counts.runs);
    let mut text = format!(
        "{} of {runs} replays went as recorded (median {median:.0} ms)\n",
        counts.as_recorded
    );
    // Writing to a `String` cannot fail.
    for ((step, note), count) in &counts.first_divergences {
        let step = match step {
            0 => "at the start".to_owned(),
            step => format!("step {step}"),
        };
        let _ = writeln!(text, "  {count} × {step}: {}", render::printable(note));
    }
    for (reason, count) in &counts.failed {
        let _ = writeln!(text, "  {count} × failed: {}", render::printable(reason));
    }
    let not_done = counts.not_done();
    if not_done > 0 {
        let _ = writeln!(text, "  {not_done} × not done");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_said_in_words_and_exactly() {
        let counts = ReplayCounts {
            runs: 8,
            as_recorded: 2,
            first_divergences: [
                ((0, "a dialog".to_owned()), 1),
                ((3, "another \u{1b}[2Jelement".to_owned()), 2),
            ]
            .into(),
            failed: [("the browser exited".to_owned(), 1)].into(),
            is_interrupted: true,
            times_ms: vec![300.0, 100.0, 200.0, 400.0, 500.0],
        };
        insta::assert_snapshot!(described(&counts), @r"
        2 of 8 replays went as recorded (median 300 ms)
          1 × at the start: a dialog
          2 × step 3: another \u{1b}[2Jelement
          1 × failed: the browser exited
          2 × not done
        ");
        let told: Value = serde_json::from_str(&to_json(&counts)).unwrap();
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
