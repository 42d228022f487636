//! Calls whose value was written: functions of the page, and what is known of built-ins.

use js_analysis::origin::{Call, CallKind, Value};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::parameters::FunctionIs;
use super::{Pause, Spot, Way};
use crate::error::EngineError;
use crate::origin::{Followed, KEEPING, Next, end_of_built_in, one_line as told, passed_on_by};

impl Pause<'_> {
    /// Where the value of a call comes from.
    pub(super) async fn call(
        &self,
        spot: Spot<'_>,
        value: &Value,
        call: &Call,
        way: Way<'_>,
        expected: Option<&str>,
        further: &mut Vec<Hop>,
    ) -> Result<Next, EngineError> {
        let Some(callee) = &call.callee else {
            return Ok(Next::unobserved(
                "what `super` or `import` gives is not followed",
            ));
        };
        let Some(text) = self.pure_text(spot, callee) else {
            let at = self.text(spot.home, callee.span).unwrap_or_default();
            return Ok(Next::unobserved(format!(
                "which function `{}` is, is not known any more",
                told(&at)
            )));
        };
        let name = told(&text);
        let function = self.function(spot.frame, &text).await?;
        match function {
            FunctionIs::Of { url, begins, .. } if call.kind == CallKind::Plain => {
                let returning = {
                    let sources = self.pauses.setting.sources.lock();
                    sources.returning(&url, begins)
                };
                let Some(function) = returning else {
                    return Ok(Next::unobserved(format!(
                        "what `{name}` returns is not followed: it has no name, or is async or a generator"
                    )));
                };
                let Some(into) = self.plain_way(way) else {
                    return Ok(Next::unobserved(format!(
                        "what `{name}` returns is taken apart with a default value"
                    )));
                };
                if expected.is_none() {
                    return Ok(Next::unobserved(format!(
                        "what `{name}` returned is one of several operands"
                    )));
                }
                let value = self.shown(spot.frame, &self.value).await?.ok();
                let identity = self.identity(&self.value).await?;
                let place = {
                    let sources = self.pauses.setting.sources.lock();
                    sources.call_beginning(spot.home, call.span.start)
                };
                Ok(Next::Return {
                    function,
                    value,
                    followed: Followed {
                        way: into,
                        call: Some(place),
                        identity,
                    },
                })
            }
            FunctionIs::Of { .. } if call.kind != CallKind::New => Ok(Next::unobserved(format!(
                "what the tagged template of `{name}` gives is not followed"
            ))),
            FunctionIs::Of { .. } => {
                let detail = format!("an object that `new {name}` made");
                Ok(self.ended(EndKind::Literal, spot.home, value.span, Some(detail)))
            }
            FunctionIs::Native => self.built_in(spot, value, call, way, further).await,
            FunctionIs::Unknown => Ok(Next::unobserved(format!(
                "which function `{name}` is, cannot be said"
            ))),
        }
    }

    /// What `await` gives.
    pub(super) async fn awaited(
        &self,
        spot: Spot<'_>,
        awaited: &Value,
        way: Way<'_>,
    ) -> Result<Next, EngineError> {
        if way.steps.is_empty()
            && let js_analysis::origin::Form::Call(call) = &awaited.form
        {
            let method = call.method.as_deref().unwrap_or_default();
            let is_read = matches!(
                method,
                "json" | "text" | "blob" | "arrayBuffer" | "formData"
            );
            if is_read
                && let Some(response) = &call.receiver
                && let Some(text) = self.pure_text(spot, response)
            {
                let asked = format!("((r)=>r instanceof Response?r.url:null)((\n{text}\n))");
                let url = self.reader().value_in(spot.frame.into(), &asked).await?;
                if let Ok(url) = url
                    && let Some(url) = url.as_str()
                {
                    let detail = Some(url.to_owned());
                    return Ok(self.ended(EndKind::Network, spot.home, awaited.span, detail));
                }
            }
            if call.global.as_deref() == Some("fetch") {
                let at = self.shown_text(spot.home, awaited.span);
                return Ok(self.ended(EndKind::Network, spot.home, awaited.span, at));
            }
        }
        Ok(Next::unobserved(
            "what a promise was resolved with is not followed",
        ))
    }

    /// What a function of the browser gives.
    async fn built_in(
        &self,
        spot: Spot<'_>,
        value: &Value,
        call: &Call,
        way: Way<'_>,
        further: &mut Vec<Hop>,
    ) -> Result<Next, EngineError> {
        let text = self.shown_text(spot.home, value.span);
        let ended = |kind| self.ended(kind, spot.home, value.span, text.clone());
        let global = call.global.as_deref().unwrap_or_default();
        let is_new = call.kind == CallKind::New;
        let kind = end_of_built_in(global, !call.arguments.is_empty());
        if let Some(kind) = kind {
            return Ok(ended(kind));
        }
        if !way.steps.is_empty() {
            return Ok(Next::unobserved("what a built-in gives is taken apart"));
        }
        let first = call
            .arguments
            .first()
            .filter(|argument| !argument.is_spread);
        let passed_on = passed_on_by(global, is_new);
        if let (Some(kind), Some(first)) = (passed_on, first) {
            let is_alone = call.arguments[1..].iter().all(|it| it.value.is_constant());
            return match is_alone {
                true => {
                    self.passed_on(kind, spot, value, &first.value, further)
                        .await
                }
                false => Ok(ended(EndKind::Computation)),
            };
        }
        let is_primitive = match &call.receiver {
            Some(receiver) if receiver.is_pure => {
                let text = self.text(spot.home, receiver.span).unwrap_or_default();
                let asked = format!(
                    "((v)=>v!==null&&typeof v!=='object'&&typeof v!=='function')((\n{text}\n))"
                );
                self.holds(spot.frame, &asked).await? == Ok(true)
            }
            _ => false,
        };
        let method = call.method.as_deref().unwrap_or_default();
        if let (Some(receiver), true) = (&call.receiver, is_primitive) {
            if KEEPING.contains(&method) && call.arguments.iter().all(|it| it.value.is_constant()) {
                return self
                    .passed_on(HopKind::Conversion, spot, value, receiver, further)
                    .await;
            }
            let arguments = call.arguments.iter().map(|argument| &argument.value);
            let operands: Vec<&Value> = std::iter::once(receiver).chain(arguments).collect();
            return self.computation(spot, value, &operands, further).await;
        }
        if global.starts_with("Math.") || global.starts_with("Date") {
            let arguments = call.arguments.iter().map(|argument| &argument.value);
            let operands: Vec<&Value> = arguments.collect();
            return self.computation(spot, value, &operands, further).await;
        }
        if let Some(next) = self.entry(spot, call).await? {
            return Ok(next);
        }
        if global.starts_with("document.") {
            return Ok(ended(EndKind::Browser));
        }
        Ok(Next::unobserved(format!(
            "what the built-in of `{}` gives is not followed",
            text.unwrap_or_default()
        )))
    }

    /// The value of an argument or receiver that a built-in gives back in the same or another form.
    pub(super) async fn passed_on(
        &self,
        kind: HopKind,
        spot: Spot<'_>,
        at: &Value,
        of: &Value,
        further: &mut Vec<Hop>,
    ) -> Result<Next, EngineError> {
        let Some(hop) = self.hop_at(kind, spot, at, of).await? else {
            let text = self.shown_text(spot.home, at.span);
            return Ok(self.ended(EndKind::Computation, spot.home, at.span, text));
        };
        further.push(hop);
        let nowhere = Way { spot, steps: &[] };
        self.value(spot, of, nowhere, None, further).await
    }

    /// `map.get(key)`, if it is a map.
    async fn entry(&self, spot: Spot<'_>, call: &Call) -> Result<Option<Next>, EngineError> {
        let (Some(map), Some("get"), [key]) = (
            &call.receiver,
            call.method.as_deref(),
            call.arguments.as_slice(),
        ) else {
            return Ok(None);
        };
        let js_analysis::origin::Form::Reference(reference) = &map.form else {
            return Ok(None);
        };
        let Some(text) = self.pure_text(spot, map) else {
            return Ok(None);
        };
        let Some(key) = self
            .text(spot.home, key.value.span)
            .filter(|_| key.value.is_pure)
        else {
            return Ok(None);
        };
        let asked = format!(
            "((m,k)=>m instanceof Map&&(typeof k==='string'||typeof k==='number')?JSON.stringify(k):null)\
             ((\n{text}\n),(\n{key}\n))"
        );
        let told = self.reader().value_in(spot.frame.into(), &asked).await?;
        let Some(key) = told.ok().and_then(|key| key.as_str().map(str::to_owned)) else {
            return Ok(None);
        };
        let Some(map) = self.asked(spot, reference).await? else {
            return Ok(None);
        };
        Ok(Some(
            self.confirmed(
                spot,
                &format!("({text}).get({key})"),
                &format!("{map}.get({key})"),
                Some(&self.value),
            )
            .await?,
        ))
    }
}
