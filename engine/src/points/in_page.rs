//! What the page captured itself at an event: its own stack, the values that it could reach.

use querypoint::answer::{
    Cause, PointAnswer, Scope, ScopeKind, StackFrame, Value as Preview, ValueType, Variable, Watch,
};

use super::{Evidence, shown};
use crate::report::{Captured, CapturedFrame};
use crate::sources::{Caller, SourceLocation};
use crate::stopped::author_name;

/// Where the function was called that a built-in of this name called.
pub(super) fn captured_caller(
    evidence: &Evidence<'_>,
    captured: &Captured,
    by: &str,
) -> Option<Result<SourceLocation, String>> {
    let frame = page_frames(captured).next()?;
    let caller = Caller {
        url: &frame.url,
        position: frame.position(),
        function: &frame.function,
    };
    Some(evidence.sources.call_place(caller, by))
}

/// The frames of a captured stack without those of the agent.
fn page_frames(captured: &Captured) -> impl Iterator<Item = &CapturedFrame> {
    captured.stack.iter().filter(|frame| frame.is_of_page())
}

/// Gives a point what was captured at it.
pub(super) fn fill_captured(evidence: &Evidence<'_>, captured: &Captured, point: &mut PointAnswer) {
    let mut first = None;
    for frame in page_frames(captured) {
        let place = evidence.sources.place(&frame.url, frame.position());
        point.stack.push(StackFrame {
            function: author_name(&frame.function, &evidence.setting.collection.prefix),
            location: place.location.clone(),
        });
        first.get_or_insert(place);
    }
    if let Some(place) = first {
        point.location = Some(place.location);
        point.source_line = place.source_line;
    }
    point.function = point.stack.first().map(|frame| frame.function.clone());
    point.scopes = captured
        .scopes
        .iter()
        .map(|scope| Scope {
            kind: scope_kind(&scope.kind),
            function: (scope.kind == "local").then(|| point.function.clone().unwrap_or_default()),
            variables: scope
                .variables
                .iter()
                .map(|variable| {
                    Variable::new(
                        variable.name.clone(),
                        match variable.value.kind.as_str() {
                            "error" => {
                                Preview::new(ValueType::Uninitialised, "<not yet initialised>")
                            }
                            _ => shown(&variable.value),
                        },
                    )
                })
                .collect(),
        })
        .collect();
    point.watches = evidence
        .setting
        .plan
        .watches
        .iter()
        .zip(&captured.watches)
        .map(|(expression, value)| Watch {
            expression: expression.clone(),
            value: shown(value),
            threw: (value.kind == "error").then_some(true),
        })
        .collect();
    point.cause = captured.cause.as_ref().map(|cause| Cause {
        kind: cause.kind.clone(),
        target: cause.target.clone(),
    });
}

fn scope_kind(kind: &str) -> ScopeKind {
    match kind {
        "local" => ScopeKind::Local,
        "block" => ScopeKind::Block,
        "catch" => ScopeKind::Catch,
        "with" => ScopeKind::With,
        "module" => ScopeKind::Module,
        "script" => ScopeKind::Script,
        "global" => ScopeKind::Global,
        _ => ScopeKind::Closure,
    }
}
