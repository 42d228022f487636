//! How often what was the answer, as a table.

use maud::{Markup, html};
use querypoint::answer::runs::Runs;

use super::line;
use crate::render::places::Places;
use crate::render::runs::{described, summary};

/// What is said of all runs.
pub(super) fn runs(runs: &Runs, places: &Places<'_>) -> Markup {
    let summary = summary(runs);
    html! {
        p { (line(&summary.shown)) }
        table {
            @for point in &runs.points {
                @for (index, outcome) in point.answers.iter().enumerate() {
                    @let (what, is_answer) = described(outcome, places);
                    tr {
                        td { @if index == 0 { span.name { (line(&point.name)) } } }
                        td { (outcome.count) "×" }
                        td { span class=(if is_answer { "place" } else { "warning" }) { (line(&what)) } }
                    }
                }
            }
        }
        @if !summary.missing.is_empty() {
            ul {
                @for missing in &summary.missing {
                    li.warning { (line(missing)) }
                }
            }
        }
    }
}
