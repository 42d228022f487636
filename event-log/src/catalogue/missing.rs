//! What a log has not.

use crate::file::Damage;
use crate::model::Model;

/// What an answer from a log, or a comparison with it, may lack because the log has not all of the execution: a
/// sentence for each thing that is missing, none for a log that is whole.
#[must_use]
pub fn missing(model: &Model) -> Vec<String> {
    let mut missing = Vec::new();
    if model.end.is_none() {
        missing.push("the log was cut off: what came later is not in it".to_owned());
    }
    for damage in &model.damage {
        if let Damage::Chunk { offset, reason } = damage {
            missing.push(format!(
                "a part of the log at byte {offset} is left out: {reason}"
            ));
        }
    }
    let mut reasons: Vec<&str> = model
        .gaps
        .iter()
        .map(|(_, reason)| reason.message())
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    missing.extend(reasons.into_iter().map(str::to_owned));
    if let Some(end) = &model.end {
        const MOST: usize = 5;
        for script in end.unrecorded.iter().take(MOST) {
            missing.push(format!("{}: {}", script.url, script.reason));
        }
        if end.unrecorded.len() > MOST {
            missing.push(format!(
                "and {} more that is not recorded",
                end.unrecorded.len() - MOST
            ));
        }
        missing.extend(end.notes.iter().cloned());
    }
    missing.extend(model.notes.iter().cloned());
    missing
}
