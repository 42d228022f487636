//! One point of the chain: where, what was written there, and the state around it.

use maud::{Markup, html};
use querypoint::answer::{PointAnswer, Scope, ScopeKind, StackFrame, Status, Value};

use super::line;
use crate::render::asked;
use crate::render::places::Places;
use crate::render::point::{evaluated_in, said, scope_label, written_by};
use crate::render::text::SourceLine;

/// More frames than these are folded away.
const EXPANDED_FRAMES: usize = 5;

pub(super) fn point(point: &PointAnswer, places: &Places<'_>) -> Markup {
    html! {
        section.point {
            (title(point, places))
            (source(point, places))
            dl {
                @if point.end.is_none() { (change(point)) }
                (outcome(point))
                @if let Some(cause) = &point.cause {
                    (row("cause", &html! {
                        (line(&cause.kind))
                        @if let Some(target) = &cause.target { " on " (line(target)) }
                    }))
                }
                @for watch in &point.watches {
                    (row("watch", &html! {
                        (line(&watch.expression))
                        @if watch.threw == Some(true) { " threw " } @else { " = " }
                        (value(&watch.value))
                    }))
                }
                // That it was the user is said already.
                @if let Some(note) = point.note.as_ref().filter(|_| point.by_user.is_none()) {
                    (row("note", &html! { span.warning { (line(note)) } }))
                }
            }
            (path(point, places))
            (decisions(point, places))
            (stack(&point.stack, places))
            @for scope in &point.scopes { (variables(scope, places)) }
        }
    }
}

fn title(point: &PointAnswer, places: &Places<'_>) -> Markup {
    let kind = match point.status {
        Status::NeverChanged => "old",
        Status::Found => "new",
        _ => "warning",
    };
    html! {
        h2 {
            span.name { (line(&point.name)) }
            @if let Some(said) = said(point) {
                span class=(kind) { (said) }
                @if point.location.is_some() { ", " }
            }
            @if let Some(location) = &point.location {
                span.place { (places.place(location)) }
            }
            @match point.function.as_deref() {
                Some("") => span.faint { " at the top level" }
                Some(function) => { span.faint { " in " } (line(function)) }
                None => {}
            }
            @if let (Some(hit), Some(hits)) = (point.hit, point.hits) && hits > 1 {
                span.faint { ", hit " (hit + 1) " of " (hits) }
            }
        }
    }
}

fn source(point: &PointAnswer, places: &Places<'_>) -> Markup {
    let found = point
        .location
        .as_ref()
        .and_then(|location| Some((location, places.line_of(point, location)?)));
    html! {
        @if let Some((location, text)) = found {
            @let shown = SourceLine::new(&text, location.column);
            @let (before, under, after) = shown.around_caret();
            pre { code {
                span.number { (location.line) " │ " }
                (before) span.caret { (under) } (after)
            } }
            @if let Some(generated) = &location.generated {
                p.faint.place {
                    "runs as " (places.file(&generated.url)) ":" (generated.line) ":" (generated.column)
                }
            }
        }
    }
}

fn change(point: &PointAnswer) -> Markup {
    let reference = point
        .query
        .as_deref()
        .and_then(|query| asked(query).reference);
    let what = html! {
        @if let Some(reference) = reference { (line(&reference)) ": " }
    };
    let changed = html! {
        @if let Some(new) = &point.new {
            (row("change", &html! {
                (what)
                @match (&point.old, point.created) {
                    (_, Some(true)) => "created as "
                    (None, _) => "became "
                    (Some(old), _) => { span.old { (value(old)) } " → " }
                }
                span.new { (value(new)) }
                @if let (Some(index), Some(changes)) = (point.index, point.changes) && changes > 1 {
                    span.faint { ", change " (index + 1) " of " (changes) }
                }
            }))
        } @else if let Some(held) = &point.value {
            (row("value", &html! { (what) span.old { (value(held)) } }))
        }
    };
    html! {
        (changed)
        @if let (Some(index), Some(events)) = (point.index, point.events) {
            (row("event", &html! { (index + 1) " of " (events) }))
        }
        @if let Some(owner) = &point.owner {
            (row("owner", &html! { (line(&owner.class)) " #" (owner.id) }))
        }
    }
}

/// How a condition came out, or what was thrown.
fn outcome(point: &PointAnswer) -> Markup {
    html! {
        @if let Some(exception) = &point.exception {
            (row("threw", &html! {
                (line(&exception.class)) ": " span.new { (line(&exception.message)) } ", "
                @if exception.caught { "caught" } @else { "not caught" }
            }))
        }
        @if let Some(condition) = &point.condition {
            (row("because", &html! {
                (line(&condition.text)) " "
                @if condition.outcome {
                    span.new { "held" }
                } @else {
                    span.old { "did not hold" }
                }
                (evaluated_in(point))
            }))
            @for operand in &condition.operands {
                (row("where", &html! { (line(&operand.expression)) " = " (value(&operand.value)) }))
            }
        }
    }
}

/// The decisions that kept something from happening.
fn decisions(point: &PointAnswer, places: &Places<'_>) -> Markup {
    html! {
        @if !point.candidates.is_empty() {
            table {
                @for candidate in &point.candidates {
                    tr {
                        td { (candidate.reason.word()) }
                        td { (line(&candidate.text)) }
                        td {
                            @if candidate.held { "held" } @else { "did not hold" }
                            @if candidate.hits > 1 { " " (candidate.hits) " times" }
                        }
                        td {
                            @for part in &candidate.values {
                                (line(&part.text)) " = " (value(&part.value)) br;
                            }
                        }
                        td {
                            span.place { (places.place(&candidate.location)) }
                            @if let Some(detail) = &candidate.detail { " " span.faint { (line(detail)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The writes that brought a value, and what made it.
fn path(point: &PointAnswer, places: &Places<'_>) -> Markup {
    html! {
        @if let Some(end) = &point.end {
            table {
                @for (number, hop) in point.hops.iter().enumerate() {
                    @let before = number.checked_sub(1).and_then(|before| point.hops.get(before));
                    tr {
                        td { (hop.kind.word()) }
                        td { @if let Some(name) = &hop.name { (line(name)) } }
                        td {
                            @if let Some(became) = hop.became(before) {
                                span.old { (value(&hop.value)) } " → " span.new { (value(became)) }
                            } @else {
                                span.new { (value(&hop.value)) }
                            }
                        }
                        td {
                            span.place { (places.place(&hop.location)) }
                            @if let Some(function) = hop.function.as_deref().filter(|name| !name.is_empty()) {
                                span.faint { " in " } (line(function))
                            }
                            @if let Some(library) = &hop.library {
                                span.faint {
                                    ", " (line(library))
                                    @if let Some(hops) = hop.folded { ", " (hops) " hops" }
                                }
                            } @else if let Some(hops) = hop.folded {
                                span.faint { ", " (hops) " hops of a recursion" }
                            }
                        }
                    }
                }
                tr {
                    td { "made by" }
                    td { (end.kind.in_words()) }
                    td {
                        @for operand in &end.operands {
                            (line(&operand.text)) " = " (value(&operand.value)) br;
                        }
                    }
                    td {
                        @if let Some(location) = &end.location {
                            span.place { (places.place(location)) }
                        }
                        @if let Some(detail) = &end.detail { " " span.faint { (line(detail)) } }
                    }
                }
            }
        }
    }
}

fn stack(stack: &[StackFrame], places: &Places<'_>) -> Markup {
    let caption = match stack.len() {
        1 => "stack, 1 frame".to_owned(),
        frames => format!("stack, {frames} frames"),
    };
    html! {
        @if !stack.is_empty() {
            details open[stack.len() <= EXPANDED_FRAMES] {
                summary { (caption) }
                table {
                    @for frame in stack {
                        tr {
                            td {
                                @if frame.function.is_empty() { "(top level)" }
                                @else { (line(&frame.function)) }
                            }
                            td { span.place { (places.place(&frame.location)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The global object holds hundreds of names that nobody asked for: only the innermost scopes are expanded.
fn variables(scope: &Scope, places: &Places<'_>) -> Markup {
    let is_open = matches!(
        scope.kind,
        ScopeKind::Local | ScopeKind::Block | ScopeKind::Catch
    );
    html! {
        @if !scope.variables.is_empty() {
            details open[is_open] {
                summary {
                    (scope_label(scope.kind))
                    @if let Some(function) = scope.function.as_deref().filter(|name| !name.is_empty()) {
                        " of " (line(function))
                    }
                    ", " (scope.variables.len())
                    @if scope.variables.len() == 1 { " variable" } @else { " variables" }
                }
                table {
                    @for variable in &scope.variables {
                        tr {
                            td { (line(&variable.name)) }
                            td { (value(&variable.value)) }
                            @if let Some(writer) = &variable.last_writer {
                                td.faint { "← " (line(&written_by(writer, places))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn row(label: &str, content: &Markup) -> Markup {
    html! { dt { (label) } dd { (content) } }
}

fn value(value: &Value) -> String {
    line(&value.text)
}
