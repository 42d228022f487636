//! A plan drawn for a person: the same chain as an answer's, with what each point becomes, where it can be and what is
//! kept there, and below it what each execution of the page is for.

use std::fmt::Write;

use querypoint::outline::{ExecutionOutline, LookUpOutline, Outline, PointOutline, SiteOutline};
use querypoint::query::{Query, QueryKind};

use super::places::Places;
use super::rows::{Rows, draw_source_line, styled};
use super::style::{FAINT, PLACE, POINT, WARNING};
use super::text::printable;
use super::{SourceLookup, draw_question, footer};

/// How much is shown; `--json` has all of it.
const SHOWN_SITES: usize = 12;
const SHOWN_CALLED: usize = 8;
const NAME_COLUMNS: usize = 40;
const LINE_COLUMNS: usize = 60;

/// Draws the whole plan.
pub(crate) fn outline(outline: &Outline, source: SourceLookup<'_>) -> String {
    let places = Places::new(&outline.page, source);
    let mut drawing = String::new();
    let mut previous: Option<&str> = None;
    for (position, point) in outline.points.iter().enumerate() {
        if let Some(query) = &point.query {
            draw_question(&mut drawing, query, point.asked_at.as_deref(), previous);
        }
        let is_last = position + 1 == outline.points.len();
        draw_point(&mut drawing, outline, point, &places, is_last);
        previous = Some(&point.name);
    }
    drawing.push('\n');
    draw_executions(&mut drawing, outline);
    footer::draw_coverage(&mut drawing, &outline.coverage, &places);
    drawing
}

fn draw_point(
    drawing: &mut String,
    outline: &Outline,
    point: &PointOutline,
    places: &Places<'_>,
    is_last: bool,
) {
    let name = printable(&point.name, NAME_COLUMNS);
    let becomes = match (&point.trace_query, point.sites.as_slice()) {
        (Some(trace_query), _) => printable(trace_query, 400),
        (None, [site]) => styled(PLACE, &places.place(&site.location)),
        (None, _) => printable(&outline.at, 200),
    };
    let _ = writeln!(drawing, "{POINT}{name}{POINT:#}  {becomes}");
    let mut rows = Rows::new(drawing, is_last);
    if point.query.is_none() {
        match point.sites.as_slice() {
            [] => {}
            [site] => {
                if let Some(text) = &site.source_line {
                    draw_source_line(&mut rows, &site.location, text);
                }
            }
            sites => draw_sites(&mut rows, sites, places),
        }
    } else {
        rows.blank();
        let watched: Vec<String> = point
            .watched
            .iter()
            .map(|name| printable(name, NAME_COLUMNS))
            .collect();
        if !watched.is_empty() {
            rows.row("watched", &watched.join(", "));
        }
        if let Some(keeps) = &point.keeps {
            rows.row("keeps", &printable(keeps, 200));
        }
        if point.sites.is_empty() {
            rows.row("sites", &styled(WARNING, nowhere(outline, point)));
        }
        draw_sites(&mut rows, &point.sites, places);
        draw_calls(&mut rows, &point.calls);
    }
    for look_up in &point.look_ups {
        let label = format!("for {}", printable(&look_up.query, 12));
        rows.row(&label, &looked_up(look_up));
    }
    if let Some(note) = &point.note {
        rows.row("note", &styled(WARNING, &printable(note, 400)));
    }
}

/// A table: place, kind, function, and what is there.
fn draw_sites(rows: &mut Rows<'_>, sites: &[SiteOutline], places: &Places<'_>) {
    let label = match sites.len() {
        1 => "1 site".to_owned(),
        number => format!("{number} sites"),
    };
    let shown = &sites[..sites.len().min(SHOWN_SITES)];
    let cells: Vec<[String; 3]> = shown
        .iter()
        .map(|site| {
            let function = match site.function.as_deref() {
                None => String::new(),
                Some("") => "top level".to_owned(),
                Some(function) => format!("in {}", printable(function, NAME_COLUMNS)),
            };
            [
                places.place(&site.location),
                printable(&site.kind, NAME_COLUMNS),
                function,
            ]
        })
        .collect();
    let width = |column: usize| {
        let widths = cells.iter().map(|cells| cells[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let (places_width, kinds, functions) = (width(0), width(1), width(2));
    for (site, [place, kind, function]) in shown.iter().zip(&cells) {
        let place = styled(PLACE, &format!("{place:<places_width$}"));
        let text = site.condition.as_deref().or(site.source_line.as_deref());
        let text = printable(text.unwrap_or_default().trim(), LINE_COLUMNS);
        let row = format!(
            "{place}  {kind:<kinds$}  {function:<functions$}  {}",
            styled(FAINT, &text)
        );
        rows.row(&label, &row);
    }
    if sites.len() > shown.len() {
        let more = format!("… {} more (see --json)", sites.len() - shown.len());
        rows.row(&label, &styled(FAINT, &more));
    }
}

/// Why a query has no sites.
fn nowhere(outline: &Outline, point: &PointOutline) -> &'static str {
    let mut executions = outline.executions.iter();
    if executions.any(|execution| execution.learns.contains(&point.name)) {
        return "known once an execution has found which property is meant";
    }
    let query = point.query.as_deref().map(Query::parse);
    match query.and_then(Result::ok).map(|query| query.kind) {
        Some(QueryKind::LastCondition(_)) => {
            "no condition decides in the point's own function, as far as that is known: its callers' are looked for"
        }
        Some(QueryKind::ExceptionAfter(_)) => {
            "no try block around the point in its own function, as far as that is known: its callers' are looked for"
        }
        _ => "none in the scripts that were seen",
    }
}

/// Calls are many and nothing is hooked there: which built-ins they may be of is what counts.
fn draw_calls(rows: &mut Rows<'_>, calls: &[SiteOutline]) {
    let Some(first) = calls.first() else { return };
    let mut names: Vec<&str> = Vec::new();
    for call in calls {
        let name = call.kind.strip_prefix("call of ").unwrap_or(&call.kind);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = if names.len() > SHOWN_CALLED {
        ", …"
    } else {
        ""
    };
    names.truncate(SHOWN_CALLED);
    let names = printable(&names.join(", "), LINE_COLUMNS);
    let text = match calls.len() {
        1 => format!(
            "1 may be of a built-in that writes it: {names}, line {}",
            first.location.line
        ),
        number => format!("{number} may be of built-ins that write it: {names}{more}"),
    };
    rows.row("calls", &text);
}

fn looked_up(look_up: &LookUpOutline) -> String {
    let references: Vec<String> = look_up
        .references
        .iter()
        .map(|reference| printable(reference, NAME_COLUMNS))
        .collect();
    let seeks = printable(&look_up.seeks, 200);
    let what = match references.is_empty() {
        true => seeks,
        false => format!("{}, and {seeks}", references.join(" and ")),
    };
    let mut how = Vec::new();
    if look_up.frame != 0 {
        how.push(format!("frame {}", look_up.frame));
    }
    if look_up.by != "page" {
        how.push(format!(
            "by the debugger in execution {}",
            look_up.execution
        ));
    }
    if how.is_empty() {
        return what;
    }
    format!("{what} {}", styled(FAINT, &format!("({})", how.join(", "))))
}

fn draw_executions(drawing: &mut String, outline: &Outline) {
    for (number, execution) in (1..).zip(&outline.executions) {
        let does = described(execution);
        let _ = writeln!(drawing, "{FAINT}execution {number}{FAINT:#}  {does}");
    }
    if let Some(fewer) = &outline.fewer {
        let fewer = printable(fewer, 200);
        let _ = writeln!(drawing, "{FAINT}{:<11}{FAINT:#}  {fewer}", "fewer if");
    }
    for (position, further) in outline.further.iter().enumerate() {
        let label = if position == 0 { "further if" } else { "" };
        let _ = writeln!(
            drawing,
            "{FAINT}{label:<11}{FAINT:#}  {}",
            printable(further, 200)
        );
    }
}

fn described(execution: &ExecutionOutline) -> String {
    let mut parts = Vec::new();
    if !execution.reads.is_empty() {
        parts.push(format!(
            "stops at {} and reads what is there",
            listed(&execution.reads)
        ));
    }
    if !execution.examines.is_empty() {
        let examines = listed(&execution.examines);
        parts.push(format!("looks at each event that may be {examines}"));
    }
    if !execution.finds.is_empty() {
        parts.push(format!("finds {}", listed(&execution.finds)));
    }
    if !execution.learns.is_empty() {
        let learns = listed(&execution.learns);
        parts.push(format!("learns which property is meant by {learns}"));
    }
    if parts.is_empty() {
        // What is to be found needs a stop at the reproduction point, and where that is nobody knows yet.
        parts.push("finds which hit of the reproduction point is meant".to_owned());
    }
    parts.join("; ")
}

/// `B`, `B and C`, `B, C and D`.
fn listed(names: &[String]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| printable(name, NAME_COLUMNS))
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
