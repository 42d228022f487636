//! The path of a value: a line for each write that brought it, with the value there, to where it was made.

use std::fmt::Write;

use querypoint::answer::{End, EndKind, Hop, PointAnswer, Value};

use super::places::Places;
use super::rows::{Rows, styled};
use super::style::{FAINT, NEW, OLD, PLACE, WARNING};
use super::text::printable;

const NAME_COLUMNS: usize = 40;
const DETAIL_COLUMNS: usize = 200;
const VALUE_COLUMNS: usize = 80;

/// Draws the hops of an origin and its end.
pub(super) fn draw(rows: &mut Rows<'_>, point: &PointAnswer, places: &Places<'_>) {
    let mut before: Option<&Hop> = None;
    for hop in &point.hops {
        let mut text = match &hop.name {
            Some(name) => format!("{} = ", printable(name, NAME_COLUMNS)),
            None => String::new(),
        };
        // Where it has another form than in the line above, that is said.
        match hop.became(before) {
            Some(became) => {
                text.push_str(&styled(OLD, &value(&hop.value)));
                let became = printable(&became.text, NAME_COLUMNS);
                let _ = write!(text, " → {}", styled(NEW, &became));
            }
            None => text.push_str(&styled(NEW, &value(&hop.value))),
        }
        let place = styled(PLACE, &places.place(&hop.location));
        let _ = write!(text, "  {place}");
        if let Some(function) = hop.function.as_deref().filter(|name| !name.is_empty()) {
            let _ = write!(text, " in {}", printable(function, NAME_COLUMNS));
        }
        if let Some(library) = &hop.library {
            let library = printable(library, NAME_COLUMNS);
            let _ = match hop.folded {
                Some(hops) => write!(text, ", through {library}, {hops} hops"),
                None => write!(text, ", {library}"),
            };
        }
        if let (None, Some(hops)) = (&hop.library, hop.folded) {
            let _ = write!(text, ", {hops} hops of a recursion");
        }
        rows.end_group();
        rows.labelled(hop.kind.word(), &text);
        before = Some(hop);
    }
    if let Some(end) = &point.end {
        rows.end_group();
        draw_end(rows, &point.name, end, places);
    }
}

fn draw_end(rows: &mut Rows<'_>, name: &str, end: &End, places: &Places<'_>) {
    let style = match end.kind {
        EndKind::Unobserved | EndKind::Missing => WARNING,
        _ => NEW,
    };
    let mut text = styled(style, end.kind.in_words());
    if let Some(location) = &end.location {
        let _ = write!(text, "  {}", styled(PLACE, &places.place(location)));
    }
    rows.labelled("made by", &text);
    if let Some(detail) = &end.detail {
        rows.labelled("", &styled(FAINT, &printable(detail, DETAIL_COLUMNS)));
    }
    for (operand, number) in end.operands.iter().zip(1..) {
        let text = printable(&operand.text, NAME_COLUMNS);
        let mut row = format!("{text} = {}", value(&operand.value));
        // Where a literal comes from is plain.
        if !operand.is_literal() {
            let query = format!(
                "  origin({}:operand({number}))",
                printable(name, NAME_COLUMNS)
            );
            row.push_str(&styled(FAINT, &query));
        }
        rows.row("of", &row);
    }
}

fn value(value: &Value) -> String {
    printable(&value.text, VALUE_COLUMNS)
}
