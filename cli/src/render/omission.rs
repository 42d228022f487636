//! Why something did not happen: a block of lines for each decision that kept it from happening.

use std::fmt::Write;

use querypoint::answer::{Candidate, PointAnswer};

use super::places::Places;
use super::rows::{Rows, styled};
use super::style::{FAINT, NEW, OLD, PLACE, WARNING};
use super::text::printable;

const NAME_COLUMNS: usize = 40;
const TEXT_COLUMNS: usize = 80;
const DETAIL_COLUMNS: usize = 200;

/// Draws the candidates of an omission.
pub(super) fn draw(rows: &mut Rows<'_>, point: &PointAnswer, places: &Places<'_>) {
    for candidate in &point.candidates {
        rows.end_group();
        draw_one(rows, candidate, places);
    }
    if point.complete == Some(false) {
        rows.end_group();
        rows.row(
            "",
            &styled(
                WARNING,
                "not complete: not all that could have led there was looked at",
            ),
        );
    }
}

fn draw_one(rows: &mut Rows<'_>, candidate: &Candidate, places: &Places<'_>) {
    let mut text = printable(&candidate.text, TEXT_COLUMNS);
    if let Some(outcome) = candidate.outcome() {
        let style = if candidate.held { NEW } else { OLD };
        let _ = write!(text, " {}", styled(style, outcome));
    }
    if candidate.hits > 1 {
        let _ = write!(text, " {} times", candidate.hits);
    }
    let _ = write!(
        text,
        "  {}",
        styled(PLACE, &places.place(&candidate.location))
    );
    if let Some(function) = candidate
        .function
        .as_deref()
        .filter(|name| !name.is_empty())
    {
        let _ = write!(text, " in {}", printable(function, NAME_COLUMNS));
    }
    match candidate.calls {
        Some(1) => text.push_str(", one call before"),
        Some(calls) => {
            let _ = write!(text, ", {calls} calls before");
        }
        None => {}
    }
    rows.labelled(candidate.reason.word(), &text);
    for part in &candidate.values {
        let name = printable(&part.text, NAME_COLUMNS);
        let value = printable(&part.value.text, TEXT_COLUMNS);
        rows.labelled("", &format!("{name} = {value}"));
    }
    if let Some(operation) = &candidate.operation {
        let text = printable(&operation.text, TEXT_COLUMNS);
        let place = styled(PLACE, &places.place(&operation.location));
        rows.labelled("", &format!("kept {text} from happening  {place}"));
    }
    if let Some(flipped) = &candidate.flipped {
        let said = flipped.in_words();
        let value = flipped
            .value
            .as_ref()
            .map(|value| printable(&value.text, TEXT_COLUMNS));
        let value = value.map(|value| format!(": {value}")).unwrap_or_default();
        rows.labelled("", &styled(FAINT, &format!("{said}{value}")));
    }
    if let Some(detail) = &candidate.detail {
        rows.labelled("", &styled(FAINT, &printable(detail, DETAIL_COLUMNS)));
    }
}
