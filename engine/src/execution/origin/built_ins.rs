//! Built-ins that wrote: which of their arguments they wrote.

use js_analysis::origin::{Call, CallAt};
use querypoint::answer::{Hop, HopKind};
use querypoint::query::{PropertyKey, Target};

use super::values::step_text;
use super::{Pause, Spot, Way, kind_of_key};
use crate::error::EngineError;
use crate::origin::{Next, Probe};

impl Pause<'_> {
    /// A write by the built-in `by` (`Array.prototype.push`), whose caller's frame is the newest.
    pub(super) async fn by_built_in(
        &self,
        by: &str,
        target: &Target,
    ) -> Result<Probe, EngineError> {
        let key = match target {
            Target::Property {
                key: PropertyKey::Public(key),
                ..
            } => Some(key.as_str()),
            _ => None,
        };
        let kind = match target {
            Target::MapEntry { .. } | Target::SetMember { .. } => HopKind::Entry,
            _ => key.map_or(HopKind::Property, kind_of_key),
        };
        let mut further = Vec::new();
        if by == "JSON.parse"
            && let Some(next) = self.parsed(&mut further).await?
        {
            return Ok(probe(kind, further, next));
        }
        let unfollowed = || Next::unobserved(format!("what {by} writes is not followed"));
        let called = self.frames.first().and_then(|frame| {
            let sources = self.pauses.setting.sources.lock();
            let (home, called) = sources.called(&frame.url, frame.position)?;
            match called {
                CallAt::Call(call) => Some((home, call)),
                CallAt::Setter(_) => None,
            }
        });
        let next = match called {
            None => unfollowed(),
            Some((home, call)) => match self.spot(home) {
                None => unfollowed(),
                Some(spot) => match self.argument_written(spot, by, &call, key).await? {
                    None => unfollowed(),
                    Some((number, step)) => {
                        let Some(argument) = call.arguments.get(number) else {
                            return Ok(probe(kind, further, unfollowed()));
                        };
                        match step {
                            Some(key) => self.copied(spot, &argument.value, &key).await?,
                            None => {
                                let nowhere = Way { spot, steps: &[] };
                                self.value(
                                    spot,
                                    &argument.value,
                                    nowhere,
                                    Some(&self.value),
                                    &mut further,
                                )
                                .await?
                            }
                        }
                    }
                },
            },
        };
        Ok(probe(kind, further, next))
    }

    /// What `JSON.parse` made is in its text, which is followed as a whole.
    async fn parsed(&self, further: &mut Vec<Hop>) -> Result<Option<Next>, EngineError> {
        let called = self.frames.first().and_then(|frame| {
            let sources = self.pauses.setting.sources.lock();
            sources.called(&frame.url, frame.position)
        });
        let Some((home, CallAt::Call(call))) = called else {
            return Ok(None);
        };
        let (Some(spot), [text]) = (self.spot(home), call.arguments.as_slice()) else {
            return Ok(None);
        };
        let (Some(callee), false) = (&call.callee, text.is_spread) else {
            return Ok(None);
        };
        let next = self
            .passed_on(HopKind::Json, spot, callee, &text.value, further)
            .await?;
        Ok(Some(next))
    }

    /// Which argument it was, and which of its properties, if it is one of these.
    async fn argument_written(
        &self,
        spot: Spot<'_>,
        by: &str,
        call: &Call,
        key: Option<&str>,
    ) -> Result<Option<(usize, Option<String>)>, EngineError> {
        if call.arguments.iter().any(|argument| argument.is_spread) {
            return Ok(None);
        }
        match by {
            "Map.prototype.set" | "WeakMap.prototype.set" => Ok(Some((1, None))),
            "Reflect.set" => Ok(Some((2, None))),
            "Object.assign" => {
                let Some(key) = key else {
                    return Ok(None);
                };
                // The last source that has it wrote last.
                for (number, source) in call.arguments.iter().enumerate().skip(1).rev() {
                    let Some(text) = self.pure_text(spot, &source.value) else {
                        return Ok(None);
                    };
                    let has = format!(
                        "((o,k)=>o!=null&&Object.prototype.propertyIsEnumerable.call(o,k))((\n{text}\n),{})",
                        serde_json::to_string(&key).unwrap_or_default()
                    );
                    match self.holds(spot.frame, &has).await? {
                        Ok(true) => return Ok(Some((number, Some(key.to_owned())))),
                        Ok(false) => {}
                        Err(_) => return Ok(None),
                    }
                }
                Ok(None)
            }
            "Array.prototype.push" | "Array.prototype.unshift" | "Array.of" => {
                // Of several arguments, the one with that value, if it is the only one.
                let mut found = None;
                for (number, argument) in call.arguments.iter().enumerate() {
                    if call.arguments.len() == 1 {
                        return Ok(Some((0, None)));
                    }
                    let text = self.text(spot.home, argument.value.span);
                    let Some(text) = text.filter(|_| argument.value.is_pure) else {
                        return Ok(None);
                    };
                    match self.same(spot.frame, &text, &self.value).await? {
                        Ok(true) if found.is_some() => return Ok(None),
                        Ok(true) => found = Some(number),
                        Ok(false) => {}
                        Err(_) => return Ok(None),
                    }
                }
                Ok(found.map(|number| (number, None)))
            }
            _ => Ok(None),
        }
    }

    /// A property that was copied from an argument.
    pub(super) async fn copied(
        &self,
        spot: Spot<'_>,
        from: &js_analysis::origin::Value,
        key: &str,
    ) -> Result<Next, EngineError> {
        let Some(step) = step_text(&js_analysis::origin::Step::Key(key.to_owned())) else {
            return Ok(Next::unobserved("a key that no query can name"));
        };
        let js_analysis::origin::Form::Reference(reference) = &from.form else {
            return Ok(Next::unobserved(
                "it was copied from what is no variable or property",
            ));
        };
        let (Some(text), Some(asked)) = (
            self.pure_text(spot, from),
            self.asked(spot, reference).await?,
        ) else {
            return Ok(Next::unobserved(
                "no query can ask for what it was copied from",
            ));
        };
        self.confirmed(
            spot,
            &format!("({text}){step}"),
            &format!("{asked}{step}"),
            Some(&self.value),
        )
        .await
    }
}

fn probe(kind: HopKind, further: Vec<Hop>, next: Next) -> Probe {
    Probe {
        kind,
        place: None,
        value: None,
        caller: None,
        identity: None,
        further,
        next,
    }
}
