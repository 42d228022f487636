//! One point of the chain: where, what was written there, and the state around it.

use std::fmt::Write;

use querypoint::answer::{LastWriter, PointAnswer, Scope, ScopeKind, StackFrame, Status, Value};

use super::omission;
use super::origin;
use super::places::Places;
use super::rows::{Rows, draw_source_line, styled};
use super::style::{FAINT, NEW, OLD, PLACE, POINT, WARNING};
use super::text::printable;

/// How much of a point is shown; `--json` has all of it.
const SHOWN_FRAMES: usize = 5;
const SHOWN_VARIABLES: usize = 8;
const SHOWN_SCOPES: usize = 4;
const VALUE_COLUMNS: usize = 80;
const NAME_COLUMNS: usize = 40;

/// Draws one point. `asked` is the reference that was asked about, without its point; `is_last` says that no line
/// leads on from here.
pub(super) fn draw(
    drawing: &mut String,
    point: &PointAnswer,
    asked: Option<&str>,
    places: &Places<'_>,
    is_last: bool,
) {
    draw_title(drawing, point, places);
    let mut rows = Rows::new(drawing, is_last);
    draw_source(&mut rows, point, places);
    if point.end.is_some() {
        origin::draw(&mut rows, point, places);
    } else if !point.candidates.is_empty() || point.complete.is_some() {
        omission::draw(&mut rows, point, places);
    } else {
        draw_change(&mut rows, point, asked);
    }
    if let (Some(events), Some(index)) = (point.events, point.index) {
        rows.row("event", &format!("{} of {events}", index + 1));
    }
    draw_outcome(&mut rows, point);
    if let Some(cause) = &point.cause {
        let target = cause
            .target
            .as_deref()
            .map(|target| format!(" on {target}"));
        let text = format!("{}{}", cause.kind, target.unwrap_or_default());
        rows.row("cause", &printable(&text, VALUE_COLUMNS));
    }
    draw_stack(&mut rows, &point.stack, places);
    draw_scopes(&mut rows, &point.scopes, places);
    for watch in &point.watches {
        let verb = if watch.threw == Some(true) {
            "threw"
        } else {
            "="
        };
        let expression = printable(&watch.expression, NAME_COLUMNS);
        rows.row(
            "watch",
            &format!("{expression} {verb} {}", value(&watch.value)),
        );
    }
    // That it was the user is said already.
    if let Some(note) = point.note.as_ref().filter(|_| point.by_user.is_none()) {
        rows.row("note", &styled(WARNING, &printable(note, 400)));
    }
}

/// What must be said of a point before its place.
pub(super) fn said(point: &PointAnswer) -> Option<&'static str> {
    match point.status {
        Status::Found if point.by_user == Some(true) => Some("changed by the user"),
        Status::Found => None,
        Status::NeverChanged => Some("never changed in this execution"),
        Status::NotReached => Some("not reached"),
        Status::Diverged => Some("no answer: the executions disagree"),
        // Why is in the note.
        Status::Blind if point.note.is_some() => Some("no answer"),
        Status::Blind => Some("no answer: it was written where no hook could be placed"),
    }
}

fn draw_title(drawing: &mut String, point: &PointAnswer, places: &Places<'_>) {
    let name = printable(&point.name, NAME_COLUMNS);
    let _ = write!(drawing, "{POINT}{name}{POINT:#}  ");
    if let Some(said) = said(point) {
        let style = match point.status {
            Status::NeverChanged => OLD,
            Status::Found => NEW,
            _ => WARNING,
        };
        let _ = write!(drawing, "{style}{said}{style:#}");
        if point.location.is_some() {
            drawing.push_str(", ");
        }
    }
    if let Some(location) = &point.location {
        let _ = write!(drawing, "{PLACE}{}{PLACE:#}", places.place(location));
    }
    match point.function.as_deref() {
        Some("") => drawing.push_str(" at the top level"),
        Some(function) => {
            let _ = write!(drawing, " in {}", printable(function, NAME_COLUMNS));
        }
        None => {}
    }
    if let (Some(hit), Some(hits)) = (point.hit, point.hits)
        && hits > 1
    {
        let _ = write!(drawing, ", hit {} of {hits}", hit + 1);
    }
    drawing.push('\n');
}

fn draw_source(rows: &mut Rows<'_>, point: &PointAnswer, places: &Places<'_>) {
    let Some(location) = &point.location else {
        return;
    };
    if let Some(text) = places.line_of(point, location) {
        draw_source_line(rows, location, &text);
    }
}

fn draw_change(rows: &mut Rows<'_>, point: &PointAnswer, asked: Option<&str>) {
    let what = asked
        .map(|asked| format!("{}: ", printable(asked, NAME_COLUMNS)))
        .unwrap_or_default();
    if let Some(new) = &point.new {
        let new = styled(NEW, &value(new));
        let mut text = match (&point.old, point.created) {
            (_, Some(true)) => format!("{what}created as {new}"),
            (None, _) => format!("{what}became {new}"),
            (Some(old), _) => format!("{what}{} → {new}", styled(OLD, &value(old))),
        };
        if let (Some(index), Some(changes)) = (point.index, point.changes)
            && changes > 1
        {
            let _ = write!(text, ", change {} of {changes}", index + 1);
        }
        rows.row("change", &text);
    } else if let Some(held) = &point.value {
        rows.row("value", &format!("{what}{}", styled(OLD, &value(held))));
    }
    if let Some(owner) = &point.owner {
        rows.row(
            "owner",
            &format!("{} #{}", printable(&owner.class, NAME_COLUMNS), owner.id),
        );
    }
}

/// How a condition came out, or what was thrown.
fn draw_outcome(rows: &mut Rows<'_>, point: &PointAnswer) {
    if let Some(exception) = &point.exception {
        let fate = if exception.caught {
            "caught"
        } else {
            "not caught"
        };
        let class = printable(&exception.class, NAME_COLUMNS);
        let message = styled(NEW, &printable(&exception.message, VALUE_COLUMNS));
        rows.row("threw", &format!("{class}: {message}, {fate}"));
    }
    let Some(condition) = &point.condition else {
        return;
    };
    let outcome = if condition.outcome {
        styled(NEW, "held")
    } else {
        styled(OLD, "did not hold")
    };
    let text = printable(&condition.text, VALUE_COLUMNS);
    let caller = evaluated_in(point);
    rows.row("because", &format!("{text} {outcome}{caller}"));
    for operand in &condition.operands {
        let expression = printable(&operand.expression, NAME_COLUMNS);
        rows.row(
            "where",
            &format!("{expression} = {}", value(&operand.value)),
        );
    }
}

/// In whose frame a condition was evaluated, if not in the point's own.
pub(super) fn evaluated_in(point: &PointAnswer) -> String {
    match point.frame {
        None | Some(0) => String::new(),
        Some(1) => ", in the caller".to_owned(),
        Some(frame) => format!(", {frame} calls up"),
    }
}

fn draw_stack(rows: &mut Rows<'_>, stack: &[StackFrame], places: &Places<'_>) {
    let shown = &stack[..stack.len().min(SHOWN_FRAMES)];
    let names: Vec<String> = shown
        .iter()
        .map(|frame| match frame.function.as_str() {
            "" => "(top level)".to_owned(),
            function => printable(function, NAME_COLUMNS),
        })
        .collect();
    let widest = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    for (frame, name) in shown.iter().zip(&names) {
        let place = styled(PLACE, &places.place(&frame.location));
        rows.row("stack", &format!("{name:<widest$}  {place}"));
    }
    if stack.len() > shown.len() {
        rows.row(
            "stack",
            &styled(FAINT, &format!("… {} more", stack.len() - shown.len())),
        );
    }
}

fn draw_scopes(rows: &mut Rows<'_>, scopes: &[Scope], places: &Places<'_>) {
    // The global object holds hundreds of names that nobody asked for.
    let shown = scopes
        .iter()
        .filter(|scope| scope.kind != ScopeKind::Global && !scope.variables.is_empty())
        .take(SHOWN_SCOPES);
    for scope in shown {
        let label = scope_label(scope.kind);
        for variable in scope.variables.iter().take(SHOWN_VARIABLES) {
            let name = printable(&variable.name, NAME_COLUMNS);
            let writer = variable.last_writer.as_deref();
            let writer = writer.map(|writer| {
                let written = format!("  ← {}", written_by(writer, places));
                styled(FAINT, &printable(&written, VALUE_COLUMNS))
            });
            let writer = writer.unwrap_or_default();
            rows.row(
                label,
                &format!("{name} = {}{writer}", value(&variable.value)),
            );
        }
        if scope.variables.len() > SHOWN_VARIABLES {
            let more = scope.variables.len() - SHOWN_VARIABLES;
            rows.row(label, &styled(FAINT, &format!("… {more} more")));
        }
        rows.end_group();
    }
}

/// Who wrote a value last: `app.js:14:3, click on #add, 2 tasks ago`.
pub(super) fn written_by(writer: &LastWriter, places: &Places<'_>) -> String {
    let place = writer.location.as_ref().map(|it| places.place(it));
    let user = writer.by_user.then(|| "the user".to_owned());
    let parts = place.into_iter().chain(user).chain([writer.task()]);
    let parts: Vec<String> = parts.filter(|it| !it.is_empty()).collect();
    parts.join(", ")
}

pub(super) fn scope_label(kind: ScopeKind) -> &'static str {
    match kind {
        ScopeKind::Local => "local",
        ScopeKind::Block => "block",
        ScopeKind::Closure => "closure",
        ScopeKind::Catch => "catch",
        ScopeKind::With => "with",
        ScopeKind::Module => "module",
        ScopeKind::Script => "script",
        ScopeKind::Global => "global",
    }
}

fn value(value: &Value) -> String {
    printable(&value.text, VALUE_COLUMNS)
}
