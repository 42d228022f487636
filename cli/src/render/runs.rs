//! How often what was the answer, where the same was asked several times.

use std::fmt::Write;

use querypoint::answer::Status;
use querypoint::answer::runs::{RunOutcome, Runs};

use super::footer::counted;
use super::places::Places;
use super::style::{FAINT, PLACE, POINT, WARNING};
use super::text::printable;

const NAME_COLUMNS: usize = 40;
const SHOWN_ANSWERS: usize = 10;

/// What is said of all runs, in sentences without their full stops.
pub(super) struct Summary {
    /// Where the answer that is shown comes from.
    pub(super) shown: String,
    /// What did not go as it should; nothing, if all did.
    pub(super) missing: Vec<String>,
}

/// What is said of all runs.
pub(super) fn summary(runs: &Runs) -> Summary {
    let outcome = match (runs.alike, runs.answered) {
        (_, 1) => "the only one with an answer".to_owned(),
        (alike, answered) if alike == answered => "all came out alike".to_owned(),
        (1, _) => "no others came out like it".to_owned(),
        (alike, _) => format!("one of {alike} that came out alike"),
    };
    let mut missing = Vec::new();
    let unreached = runs.answered.saturating_sub(runs.reached);
    if unreached > 0 {
        missing.push(format!("{} did not reach R", counted(unreached, "run")));
    }
    let varied = runs.reached.saturating_sub(runs.agreed);
    if varied > 0 {
        missing.push(format!(
            "in {} the executions do not agree",
            counted(varied, "run")
        ));
    }
    for failed in &runs.failed {
        missing.push(format!(
            "{} failed: {}",
            counted(failed.count, "run"),
            failed.reason
        ));
    }
    let ended: u32 = runs.failed.iter().map(|failed| failed.count).sum();
    let left = runs
        .asked
        .saturating_sub(runs.answered.saturating_add(ended));
    if left > 0 {
        missing.push(format!(
            "{} not done",
            match left {
                1 => "1 run was".to_owned(),
                left => format!("{left} runs were"),
            }
        ));
    }
    Summary {
        shown: format!(
            "{}; shown is run {}, {outcome}",
            counted(runs.asked, "run"),
            runs.shown
        ),
        missing,
    }
}

/// What one of the answers to a query was, in words, and whether it is one.
pub(super) fn described(outcome: &RunOutcome, places: &Places<'_>) -> (String, bool) {
    let place = outcome.location.as_ref().map(|place| places.place(place));
    let said = match outcome.status {
        Status::Found if outcome.by_user == Some(true) => Some("changed by the user"),
        Status::Found => None,
        Status::NeverChanged => Some("never changed"),
        Status::NotReached => Some("not reached"),
        Status::Diverged => Some("no answer: the executions disagree"),
        Status::Blind => Some("no answer: written where no hook could be placed"),
    };
    let parts = said.map(str::to_owned).into_iter().chain(place);
    let is_answer = matches!(outcome.status, Status::Found | Status::NeverChanged);
    (parts.collect::<Vec<_>>().join(", "), is_answer)
}

/// Draws the counts.
pub(super) fn draw(drawing: &mut String, runs: &Runs, places: &Places<'_>) {
    let summary = summary(runs);
    let _ = writeln!(drawing, "{}", summary.shown);
    for point in &runs.points {
        let mut name = printable(&point.name, NAME_COLUMNS);
        for outcome in point.answers.iter().take(SHOWN_ANSWERS) {
            let times = counted(outcome.count, "time");
            let (what, is_answer) = described(outcome, places);
            let style = if is_answer { PLACE } else { WARNING };
            let _ = writeln!(
                drawing,
                "  {POINT}{name:<6}{POINT:#} {times:>9}  {style}{what}{style:#}"
            );
            name.clear();
        }
        let more = point.answers.len().saturating_sub(SHOWN_ANSWERS);
        if more > 0 {
            let _ = writeln!(drawing, "  {FAINT}… {more} more (see --json){FAINT:#}");
        }
    }
    for missing in &summary.missing {
        let missing = printable(missing, 400);
        let _ = writeln!(drawing, "  {WARNING}note{WARNING:#}  {missing}");
    }
}
