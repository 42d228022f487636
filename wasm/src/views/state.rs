//! What was so at the point: the change, the scopes, the stack, and what is watched.

use leptos::prelude::*;
use querypoint::answer::{PointAnswer, StackFrame, Watch};
use querypoint::session::differences::differences;
use querypoint::session::excerpt::short_name;
use querypoint::session::methods;

use super::fields::{Words, button, field};
use super::scopes::{ScopePosition, scope};
use crate::link::order;
use crate::model::Model;
use crate::texts;

const WATCH: Words = Words {
    name: "watch",
    label: texts::WATCH,
    hint: texts::WATCH_HINT,
    button: texts::WATCH,
    list: None,
};

/// The state at the point that is looked at.
pub(crate) fn state(model: Model) -> impl IntoView {
    let point = Memo::new(move |_| model.chosen_point());
    let asked_at = Memo::new(move |_| model.asked_at());
    let watch = RwSignal::new(String::new());
    let is_busy = move || model.doing.get().is_some() || point.with(Option::is_none);
    let add = move |expression: String| {
        crate::link::order_and(model, methods::Watch { expression }, move |_| {
            watch.set(String::new())
        });
    };
    view! {
        {move || point.get().map(|point| view! {
            {change(&point)}
            <h3>{texts::WATCHES}</h3>
            <table>
                <tbody>{point.watches.iter().map(|watch| watched(model, watch)).collect_view()}</tbody>
            </table>
        })}
        {field(WATCH, watch, is_busy, add)}
        {move || point.get().map(|point| view! {
            {asked_at.with(|asked_at| scopes(model, &point, asked_at.as_ref()))}
            <h3>{texts::STACK}</h3>
            <ol class="stack">{point.stack.iter().map(frame).collect_view()}</ol>
        })}
    }
}

/// What happened there.
fn change(point: &PointAnswer) -> impl IntoView + use<> {
    let value = |word: &'static str, value: &Option<querypoint::answer::Value>| {
        let text = value.as_ref()?.text.clone();
        Some(view! { <div><dt>{word}</dt><dd><code>{text}</code></dd></div> })
    };
    let cause = point.cause.as_ref().map(|cause| match &cause.target {
        Some(target) => format!("{} {target}", cause.kind),
        None => cause.kind.clone(),
    });
    let condition = point
        .condition
        .as_ref()
        .map(|it| format!("{} is {}", it.text, it.outcome));
    let exception = point
        .exception
        .as_ref()
        .map(|it| format!("{}: {}", it.class, it.message));
    let created = point.created == Some(true);
    view! {
        <dl class="change">
            {(!created).then(|| value(texts::OLD_VALUE, &point.old))}
            {value(if created { texts::CREATED_AS } else { texts::NEW_VALUE }, &point.new)}
            {value(texts::IS, &point.value)}
        </dl>
        {[condition, exception, cause, point.note.clone()].into_iter().flatten()
            .map(|text| view! { <p class="note">{text}</p> }).collect_view()}
    }
}

fn watched(model: Model, watch: &Watch) -> impl IntoView + use<> {
    let expression = watch.expression.clone();
    let unwatch = move || {
        let expression = expression.clone();
        order(model, methods::Unwatch { expression });
    };
    let threw = watch.threw == Some(true);
    view! {
        <tr>
            <th scope="row"><code>{watch.expression.clone()}</code></th>
            <td class:error=threw><code>{watch.value.text.clone()}</code></td>
            <td>{button("unwatch", texts::UNWATCH, move || model.doing.get().is_some(), unwatch)}</td>
        </tr>
    }
}

/// The scopes; what was something else where the point was asked at says so.
fn scopes(
    model: Model,
    point: &PointAnswer,
    asked_at: Option<&PointAnswer>,
) -> impl IntoView + use<> {
    let place = ScopePosition {
        point: point.name.clone(),
        stop: None,
    };
    let told = asked_at.map_or_else(Vec::new, |asked_at| differences(point, asked_at));
    let scopes = point.scopes.iter().enumerate().map(|(number, it)| {
        let of_scope = told.iter().filter(|it| it.scope == number);
        let elsewhere = of_scope.filter_map(|it| {
            let asked_at = &asked_at?.name;
            Some((it.name.clone(), texts::at_point(asked_at, &it.there)))
        });
        scope(model, &place, it, &elsewhere.collect())
    });
    scopes.collect_view()
}

/// What the function of a frame is called.
pub(crate) fn function(frame: &StackFrame) -> String {
    match frame.function.as_str() {
        "" => texts::TOP_LEVEL.to_owned(),
        name => name.to_owned(),
    }
}

fn frame(frame: &StackFrame) -> impl IntoView + use<> {
    let function = function(frame);
    let place = format!(
        "{}:{}",
        short_name(&frame.location.url),
        frame.location.line
    );
    view! { <li><code>{function}</code> <span class="place">{place}</span></li> }
}
