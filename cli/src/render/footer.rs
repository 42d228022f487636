//! What is said below the chain: what could not be seen, whether the executions agree, how long it took.

use std::fmt::Write;

use querypoint::answer::{Answer, Coverage};

use super::places::Places;
use super::style::{FAINT, WARNING};
use super::text::printable;

const SHOWN_BLIND_SPOTS: usize = 10;

/// Draws what could not be seen.
pub(super) fn draw_coverage(drawing: &mut String, coverage: &Coverage, places: &Places<'_>) {
    let _ = write!(
        drawing,
        "{} of {} hooked",
        coverage.hooked,
        counted(coverage.scripts, "script")
    );
    if let Some(sites) = coverage.unhooked_sites.filter(|sites| *sites > 0) {
        let _ = write!(
            drawing,
            "{WARNING}, {} in them without a hook{WARNING:#}",
            counted(sites, "place")
        );
    }
    drawing.push('\n');
    for spot in coverage.blind_spots.iter().take(SHOWN_BLIND_SPOTS) {
        let _ = writeln!(
            drawing,
            "  {WARNING}not seen{WARNING:#}  {}: {}",
            places.file(&spot.url),
            printable(&spot.reason, 200)
        );
    }
    let more = coverage.blind_spots.len().saturating_sub(SHOWN_BLIND_SPOTS);
    if more > 0 {
        let _ = writeln!(
            drawing,
            "  {WARNING}not seen{WARNING:#}  … {more} more (see --json)"
        );
    }
}

/// Draws the footer.
pub(super) fn draw(drawing: &mut String, answer: &Answer, places: &Places<'_>) {
    draw_coverage(drawing, &answer.coverage, places);
    if answer.kept == Some(true) {
        let _ = writeln!(drawing, "{KEPT}");
    } else {
        draw_executions(drawing, answer);
    }
    for note in &answer.consistency.notes {
        let _ = writeln!(
            drawing,
            "  {WARNING}note{WARNING:#}  {}",
            printable(note, 400)
        );
    }
}

/// What is said of an answer that was kept.
pub(super) const KEPT: &str = "no execution: kept from when this was asked before, and the page is as it was (--fresh \
    asks anew)";

fn draw_executions(drawing: &mut String, answer: &Answer) {
    let executions = counted(answer.executions, "execution");
    match (answer.consistency.agrees, answer.executions) {
        (true, 0 | 1) => {
            let _ = write!(drawing, "{executions}");
        }
        (true, _) => {
            let _ = write!(drawing, "{executions}, which agree");
        }
        (false, _) => {
            let _ = write!(
                drawing,
                "{executions}{WARNING}, which do not agree{WARNING:#}"
            );
        }
    }
    let timing = &answer.timing_ms;
    let _ = writeln!(
        drawing,
        "; {} ms {FAINT}(replay {} ms, rewriting {} ms){FAINT:#}",
        timing.total, timing.replay, timing.rewrite
    );
}

pub(super) fn counted(number: u32, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
