//! Texts of `JSON.stringify`: what is read of such a text is a part of the object that it was made of.

use event_log::value::Value as Seen;
use js_analysis::origin::{Call, PathStep, Step, Value};
use querypoint::answer::{HopKind, Value as Preview, ValueType};

use super::moments::CameBack;
use super::{InLog, Next, Spot};

/// What is followed in a text.
#[derive(Clone, Debug)]
pub(super) struct InsideText {
    /// The keys that lead to it, in what `JSON.parse` made of the text; `None`: these are not known.
    way: Option<Vec<Step>>,
    /// What is there.
    value: Preview,
}

impl InLog<'_> {
    /// From here on a text is followed, and in it what a way leads to.
    pub(super) fn enter_text(&self, way: Option<Vec<Step>>, value: Preview) {
        self.inside_texts
            .borrow_mut()
            .push(InsideText { way, value });
    }

    /// `JSON.stringify(object)`: the part of the object that is followed in the text.
    pub(super) fn stringified(
        &self,
        spot: Spot,
        value: &Value,
        call: &Call,
        came: &CameBack,
        of: &Value,
        hops: &mut Vec<querypoint::answer::Hop>,
    ) -> Next {
        let inside = self.inside_texts.borrow_mut().pop();
        let is_whole = |inside: &InsideText| inside.way.as_ref().is_some_and(Vec::is_empty);
        let Some(inside) = inside.filter(|inside| !is_whole(inside)) else {
            let next = self.passed_on(HopKind::Json, spot, value, of, hops);
            return next.unwrap_or_else(|| self.computed(spot, value, &[of]));
        };
        let Some(inside_way) = inside.way else {
            return Next::unobserved("which part of the text it was is not in the log");
        };
        let is_replaced = call.arguments.get(1).is_some_and(|replacer| {
            replacer.is_spread
                || !matches!(
                    self.evaluated(spot, &replacer.value, 0),
                    Some(Seen::Null | Seen::Undefined)
                )
        });
        if is_replaced || !came.calls.is_empty() {
            return Next::unobserved("a replacer or `toJSON` may have made that part of the text");
        }
        let name = self.named(spot, of);
        let source = self.evaluated(spot, of, 0);
        let part =
            source.and_then(|source| Some((source, self.behind(spot, source, &inside_way)?)));
        let way: Vec<PathStep> = inside_way.into_iter().map(PathStep::Into).collect();
        let Some((source, part)) = part else {
            return Next::unobserved(format!("what is in `{name}` is not in the log"));
        };
        let stream = spot.moment.stream;
        let shown = self.shown(stream, part);
        let is_object = |value: &Preview| value.kind == ValueType::Object && value.text != "null";
        if shown != inside.value && !(is_object(&shown) && is_object(&inside.value)) {
            return Next::unobserved("what the text was made of has another value in the log");
        }
        let whole = self.with_way(spot, &name, &way);
        let at = value.span.start;
        hops.extend(self.hop(HopKind::Json, spot.script, at, (stream, part), whole));
        let (next, _) = self.taken(spot, source, &way, name, part, hops);
        next.unwrap_or_else(|| Next::unobserved("the part of the text is of no object"))
    }
}
