//! What a person typed or chose in a control: no write of the page made it. The log has it as the task of an event.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, Value};
use querypoint::answer::{EndKind, Hop};

use super::{InLog, Next, Spot};

/// Methods that change what a control has, and are no writes of its properties.
const RESETTING: [&str; 5] = ["reset", "setRangeText", "stepUp", "stepDown", "execCommand"];

/// The events by which a person changes a property of a control.
fn changing(class: &str, key: &str) -> &'static [&'static str] {
    match (class, key) {
        ("HTMLInputElement", "value" | "valueAsNumber" | "valueAsDate" | "files")
        | ("HTMLTextAreaElement", "value")
        | ("HTMLSelectElement", "value" | "selectedIndex") => &["input", "change"],
        ("HTMLInputElement", "checked") => &["click", "input", "change"],
        _ => &[],
    }
}

impl InLog<'_> {
    /// The end of a property of a control, if the user has changed that since the page wrote it last.
    pub(super) fn by_user(
        &self,
        spot: Spot,
        object: u32,
        (key, name): (&str, &str),
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let kinds = changing(self.class_of(stream, object), key);
        if kinds.is_empty() {
            return None;
        }
        let own = Key::Property(key.to_owned());
        let written = self.property(stream, object, &own, spot.moment.at);
        let reset = RESETTING.iter().flat_map(|name| self.calls_of_method(name));
        let reset = reset.filter(|&&event| event < spot.moment.at).max();
        let since = written.map(|write| write.event).max(reset.copied());
        let since = since.map_or(0, |event| event + 1);
        let kind = (since..spot.moment.at).rev().find_map(|number| {
            let task = self.event(number)?;
            let is_at = task.kind == Kind::Task
                && task.stream == stream
                && task.value.object().is_some_and(|target| target.0 == object);
            let kind = is_at.then(|| self.model.text(stream, task.key))?;
            kinds.iter().find(|it| **it == kind)
        })?;
        let detail = format!("{name}, changed by the user: {kind}");
        Some(Next::ended(EndKind::Input, Some(detail)))
    }

    /// What a getter of the browser gives that is called by itself: `get.call(element)`, where `get` is of the
    /// description of a property.
    pub(super) fn by_own_getter(
        &self,
        spot: Spot,
        call: &Call,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let argument = |index: usize| {
            let is_plain = !call.arguments.iter().any(|it| it.is_spread);
            let argument = call.arguments.get(index).filter(|_| is_plain);
            argument.map(|it| &it.value)
        };
        let (getter, on): (&Value, &Value) = match (call.global.as_deref(), call.method.as_deref())
        {
            (Some("Reflect.apply"), _) => (argument(0)?, argument(1)?),
            (_, Some("call" | "apply")) => (call.receiver.as_ref()?, argument(0)?),
            _ => return None,
        };
        let stream = spot.moment.stream;
        let getter = self
            .model
            .object(stream, self.evaluated(spot, getter, 0)?.object()?.0)?;
        let key = self.model.text(stream, getter.class).strip_prefix("get ")?;
        if !getter.is_function || getter.function.0 != 0 {
            return None;
        }
        let object = self.evaluated(spot, on, 0)?.object()?.0;
        let name = format!("{}.{key}", self.named(spot, on));
        self.by_user(spot, object, (key, &name))
            .or_else(|| self.of_host(spot, object, (key, &[]), (&name, seen), hops))
    }
}
