//! Expressions: which reference, branch or operand gave the value.

use std::fmt::Write as _;

use futures::future::BoxFuture;
use js_analysis::origin::{Form, Logical, PathStep, Reference, Root, Step, Value};
use querypoint::answer::{End, EndKind, EndOperand, Hop, HopKind};
use querypoint::query::{is_identifier, number_to_string};

use super::{Pause, Spot, Way};
use crate::error::EngineError;
use crate::origin::{Next, browser_end, one_line as told};

/// A step as it is written behind a reference, in a query and in the page alike.
pub(super) fn step_text(step: &Step) -> Option<String> {
    Some(match step {
        Step::Property(name) | Step::Key(name) if is_identifier(name) => format!(".{name}"),
        Step::Private { name, .. } => format!(".#{name}"),
        Step::Property(key) | Step::Key(key) => format!("[{}]", quoted(key)?),
        Step::Index(number) if number.is_finite() => format!("[{}]", number_to_string(*number)),
        Step::Index(_) | Step::Computed { .. } => return None,
    })
}

fn quoted(key: &str) -> Option<String> {
    serde_json::to_string(key).ok()
}

impl Pause<'_> {
    /// Where the value of an expression comes from, and in it what `way` leads to. `expected` gives the value that it
    /// must be; `None`: it is an operand, whose value is what it evaluates to.
    pub(super) fn value<'a>(
        &'a self,
        spot: Spot<'a>,
        value: &'a Value,
        way: Way<'a>,
        expected: Option<&'a str>,
        further: &'a mut Vec<Hop>,
    ) -> BoxFuture<'a, Result<Next, EngineError>> {
        Box::pin(async move {
            match &value.form {
                Form::Literal | Form::Object(_) | Form::Array { .. } if way.steps.is_empty() => {
                    Ok(self.ended(EndKind::Literal, spot.home, value.span, None))
                }
                Form::Object(_) | Form::Array { .. } => {
                    self.part_of_literal(spot, value, way, expected, further)
                        .await
                }
                Form::Literal => Ok(Next::unobserved("what a literal gives is taken apart")),
                Form::Reference(reference) => {
                    self.reference(spot, value, reference, way, expected, further)
                        .await
                }
                Form::Conditional { .. } | Form::Logical { .. } => {
                    // Of what is taken apart, the whole value is not known.
                    let whole = expected.filter(|_| way.steps.is_empty());
                    match self.chosen(spot, value, whole).await? {
                        Ok(chosen) => self.value(spot, chosen, way, expected, further).await,
                        Err(why) => Ok(Next::unobserved(why)),
                    }
                }
                Form::Operation { operands, .. } if way.steps.is_empty() => {
                    self.computation(spot, value, &operands.iter().collect::<Vec<_>>(), further)
                        .await
                }
                Form::Operation { .. } => {
                    Ok(Next::unobserved("what a computation gives is taken apart"))
                }
                Form::Call(call) => self.call(spot, value, call, way, expected, further).await,
                Form::Await(awaited) => self.awaited(spot, awaited, way).await,
                Form::Part { .. } => Ok(Next::unobserved(
                    "a property of what an expression gives is not followed",
                )),
                Form::Unknown(what) => Ok(Next::unobserved(format!("{what} is not followed"))),
            }
        })
    }

    /// What a destructuring takes out of a literal.
    async fn part_of_literal<'a>(
        &'a self,
        spot: Spot<'a>,
        value: &'a Value,
        way: Way<'a>,
        expected: Option<&'a str>,
        further: &'a mut Vec<Hop>,
    ) -> Result<Next, EngineError> {
        let unknown = |why: &str| Ok(Next::unobserved(format!("a literal is taken apart: {why}")));
        let part = match (&value.form, way.steps.first()) {
            (Form::Object(properties), Some(PathStep::Into(step))) => {
                let key = match step {
                    Step::Property(key) | Step::Key(key) => key.clone(),
                    Step::Index(number) => number_to_string(*number),
                    Step::Private { .. } | Step::Computed { .. } => {
                        return unknown("by a key that is computed");
                    }
                };
                // The last one counts; behind it nothing may be that has no name.
                let mut found = None;
                for property in properties.iter().rev() {
                    match property {
                        None => return unknown("it has a spread, a method or a computed key"),
                        Some((own, value)) if *own == key => {
                            found = Some(value);
                            break;
                        }
                        Some(_) => {}
                    }
                }
                found
            }
            (Form::Array { elements, is_open }, Some(PathStep::Iterated(number))) => {
                match elements.get(*number) {
                    Some(element) => element.as_ref(),
                    None if *is_open => return unknown("it has a spread"),
                    None => None,
                }
            }
            // `undefined` is no literal of these, so there is a value.
            (_, Some(PathStep::Default(_))) => Some(value),
            _ => return unknown("by an iterator or a rest element"),
        };
        let rest = way.steps.get(1..).unwrap_or_default();
        if let Some(part) = part {
            let is_default = matches!(rest.first(), Some(PathStep::Default(_)));
            if is_default && part.form != Form::Literal {
                // Whether the default value counts, the part's own value says.
                let (true, Some(text)) = (part.is_pure, self.text(spot.home, part.span)) else {
                    return unknown("with a default value");
                };
                match self
                    .holds(spot.frame, &format!("(\n{text}\n)===void 0"))
                    .await?
                {
                    Ok(true) => return self.default_of(way.spot, rest, expected, further).await,
                    Ok(false) => {}
                    Err(_) => return unknown("with a default value"),
                }
            } else if is_default && self.text(spot.home, part.span).as_deref() == Some("undefined")
            {
                return self.default_of(way.spot, rest, expected, further).await;
            }
            let steps = match is_default {
                true => &rest[1..],
                false => rest,
            };
            let way = Way {
                spot: way.spot,
                steps,
            };
            return self.value(spot, part, way, expected, further).await;
        }
        if matches!(rest.first(), Some(PathStep::Default(_))) {
            return self.default_of(way.spot, rest, expected, further).await;
        }
        let detail = "the literal that is taken apart has no such part".to_owned();
        Ok(self.ended(EndKind::Missing, spot.home, value.span, Some(detail)))
    }

    /// The default value that a way begins with.
    async fn default_of<'a>(
        &'a self,
        spot: Spot<'a>,
        steps: &'a [PathStep],
        expected: Option<&'a str>,
        further: &'a mut Vec<Hop>,
    ) -> Result<Next, EngineError> {
        let Some((PathStep::Default(default), rest)) = steps.split_first() else {
            return Ok(Next::unobserved("a way without a default value"));
        };
        let rest = Way { spot, steps: rest };
        self.value(spot, default, rest, expected, further).await
    }

    /// The text of a reference that can be evaluated again.
    pub(super) fn pure_text(&self, spot: Spot<'_>, value: &Value) -> Option<String> {
        let is_reference = matches!(value.form, Form::Reference(_));
        let text = self.text(spot.home, value.span)?;
        (is_reference && value.is_pure).then_some(text)
    }

    async fn reference(
        &self,
        spot: Spot<'_>,
        value: &Value,
        reference: &Reference,
        way: Way<'_>,
        expected: Option<&str>,
        further: &mut Vec<Hop>,
    ) -> Result<Next, EngineError> {
        let Some(mut text) = self.text(spot.home, value.span) else {
            return Ok(Next::unobserved("its text is not known"));
        };
        let name = told(&text);
        if !value.is_pure {
            return Ok(Next::unobserved(format!(
                "`{name}` cannot be evaluated again: that would have effects"
            )));
        }
        if let Some(end) = self.of_browser(spot, value, reference) {
            return Ok(end);
        }
        let Some(mut asked) = self.asked(spot, reference).await? else {
            return Ok(Next::unobserved(format!(
                "`{name}`: no query can ask for it there"
            )));
        };
        for (index, step) in way.steps.iter().enumerate() {
            match step {
                PathStep::Into(step) => {
                    let Some(step) = self.resolved(way.spot, step).await? else {
                        return Ok(Next::unobserved("a key that cannot be evaluated again"));
                    };
                    text = format!("({text}){step}");
                    asked.push_str(&step);
                }
                PathStep::Iterated(number) => {
                    let is_array = format!("Array.isArray({text})");
                    if self.holds(spot.frame, &is_array).await? != Ok(true) {
                        return Ok(Next::unobserved(format!(
                            "`{name}` is taken apart, and is no array"
                        )));
                    }
                    text = format!("({text})[{number}]");
                    let _ = write!(asked, "[{number}]");
                }
                PathStep::Default(default) => {
                    match self
                        .holds(spot.frame, &format!("({text})===void 0"))
                        .await?
                    {
                        Ok(false) => {}
                        Ok(true) => {
                            let rest = Way {
                                spot: way.spot,
                                steps: &way.steps[index + 1..],
                            };
                            return self.value(way.spot, default, rest, expected, further).await;
                        }
                        Err(why) => return Ok(Next::unobserved(format!("`{name}`: {why}"))),
                    }
                }
                PathStep::Rest(_) => {
                    return Ok(Next::unobserved("what a rest element made"));
                }
            }
        }
        self.confirmed(spot, &text, &asked, expected).await
    }

    /// Goes on at a reference, if it has the value that is expected.
    pub(super) async fn confirmed(
        &self,
        spot: Spot<'_>,
        text: &str,
        asked: &str,
        expected: Option<&str>,
    ) -> Result<Next, EngineError> {
        let name = told(asked);
        if let Some(expected) = expected {
            match self.same(spot.frame, text, expected).await? {
                Ok(true) => {}
                Ok(false) => {
                    return Ok(Next::unobserved(format!(
                        "`{name}` has another value when the write is reached"
                    )));
                }
                Err(why) => return Ok(Next::unobserved(format!("`{name}`: {why}"))),
            }
        }
        Ok(match self.shown(spot.frame, text).await? {
            Ok(value) => Next::Change {
                frame: spot.number,
                reference: asked.to_owned(),
                value,
            },
            Err(why) => Next::unobserved(format!("`{name}`: {why}")),
        })
    }

    /// A reference as a query asks for it.
    pub(super) async fn asked(
        &self,
        spot: Spot<'_>,
        reference: &Reference,
    ) -> Result<Option<String>, EngineError> {
        let mut text = match &reference.root {
            Root::This => "this".to_owned(),
            Root::Variable { name, at, .. } => {
                let sources = self.pauses.setting.sources.lock();
                match sources.asked_as(spot.home, *at, name) {
                    Some(name) => name,
                    None => return Ok(None),
                }
            }
        };
        for step in &reference.steps {
            match self.resolved(spot, step).await? {
                Some(step) => text.push_str(&step),
                None => return Ok(None),
            }
        }
        Ok(Some(text))
    }

    /// A step with the key that it has in this frame.
    async fn resolved(&self, spot: Spot<'_>, step: &Step) -> Result<Option<String>, EngineError> {
        let Step::Computed {
            span,
            is_pure: true,
        } = step
        else {
            return Ok(step_text(step));
        };
        let Some(text) = self.text(spot.home, *span) else {
            return Ok(None);
        };
        let key =
            format!("((k)=>typeof k==='string'||typeof k==='number'?String(k):null)((\n{text}\n))");
        let key = self.reader().value_in(spot.frame.into(), &key).await?;
        let key = key.ok().and_then(|key| key.as_str().map(str::to_owned));
        Ok(key.and_then(|key| {
            let number = key
                .parse::<u32>()
                .ok()
                .filter(|number| number.to_string() == key);
            match number {
                Some(number) => Some(format!("[{number}]")),
                None => step_text(&Step::Key(key)),
            }
        }))
    }

    /// A way that is the same for whatever it leads into; `None`: a default value is in it, or a rest element.
    pub(super) fn plain_way(&self, way: Way<'_>) -> Option<String> {
        let mut text = String::new();
        for step in way.steps {
            match step {
                PathStep::Into(step) => text.push_str(&step_text(step)?),
                PathStep::Iterated(number) => {
                    let _ = write!(text, "[{number}]");
                }
                PathStep::Default(_) | PathStep::Rest(_) => return None,
            }
        }
        Some(text)
    }

    /// The branch that gave the value; or why that cannot be said.
    async fn chosen<'v>(
        &self,
        spot: Spot<'_>,
        value: &'v Value,
        expected: Option<&str>,
    ) -> Result<Result<&'v Value, String>, EngineError> {
        let (test, condition, yes, no) = match &value.form {
            Form::Conditional { test, yes, no } => (&**test, Test::Truthy, &**yes, &**no),
            Form::Logical {
                operator,
                left,
                right,
            } => match operator {
                Logical::Or => (&**left, Test::Truthy, &**left, &**right),
                Logical::And => (&**left, Test::Truthy, &**right, &**left),
                Logical::Nullish => (&**left, Test::Nullish, &**right, &**left),
            },
            _ => return Ok(Ok(value)),
        };
        let Some(text) = self.text(spot.home, test.span) else {
            return Ok(Err("its text is not known".to_owned()));
        };
        let name = told(&text);
        if value.is_followed {
            return self.only_branch(spot, (yes, no), expected).await;
        }
        if value.is_pure {
            let asked = condition.of(&text);
            return Ok(match self.holds(spot.frame, &asked).await? {
                Ok(true) => Ok(yes),
                Ok(false) => Ok(no),
                Err(why) => Err(format!("`{name}`: {why}")),
            });
        }
        let Some(expected) = expected else {
            return Ok(Err(format!("whether `{name}` held is not known any more")));
        };
        // The value of `a || b` is that of `a` only if it is true, and so on.
        if let Form::Logical { operator, .. } = &value.form {
            let is_right = match operator {
                Logical::Or => format!("!({expected})"),
                Logical::And => format!("!!({expected})"),
                Logical::Nullish => format!("({expected})==null"),
            };
            if self.holds(spot.frame, &is_right).await? == Ok(true) {
                return Ok(Ok(if *operator == Logical::Or { no } else { yes }));
            }
        }
        // Where one branch does nothing but read, and has another value now, it was the other: had it been that one,
        // nothing would have run since.
        for (branch, other) in [(yes, no), (no, yes)] {
            let Some(text) = self.text(spot.home, branch.span) else {
                continue;
            };
            if branch.is_pure && self.same(spot.frame, &text, expected).await? == Ok(false) {
                return Ok(Ok(other));
            }
        }
        Ok(Err(format!(
            "whether `{name}` held is not known any more: code that ran since may have changed it"
        )))
    }

    /// The branch that has the value, where the other has another; code that ran since may have changed the test.
    async fn only_branch<'v>(
        &self,
        spot: Spot<'_>,
        (yes, no): (&'v Value, &'v Value),
        expected: Option<&str>,
    ) -> Result<Result<&'v Value, String>, EngineError> {
        let mut is_it = [false; 2];
        for (branch, is_it) in [yes, no].into_iter().zip(&mut is_it) {
            let text = self.text(spot.home, branch.span).filter(|_| branch.is_pure);
            let (Some(text), Some(expected)) = (text, expected) else {
                return Ok(Err("which branch gave it is not known any more".to_owned()));
            };
            match self.same(spot.frame, &text, expected).await? {
                Ok(same) => *is_it = same,
                Err(why) => return Ok(Err(why.to_string())),
            }
        }
        Ok(match is_it {
            [true, false] => Ok(yes),
            [false, true] => Ok(no),
            _ => Err(
                "which branch gave it is not known any more: both have that value, or none has"
                    .to_owned(),
            ),
        })
    }

    /// A computation: goes on by itself where one operand alone is no constant.
    pub(super) async fn computation(
        &self,
        spot: Spot<'_>,
        value: &Value,
        operands: &[&Value],
        further: &mut Vec<Hop>,
    ) -> Result<Next, EngineError> {
        let mut shown = Vec::new();
        for operand in operands {
            let Some(text) = self.text(spot.home, operand.span) else {
                continue;
            };
            // What would have effects was evaluated once, and its value is not known any more.
            if operand.is_pure
                && let Ok(value) = self.shown(spot.frame, &text).await?
            {
                let author = self.author_text(spot, operand).await?;
                let text = author.unwrap_or_else(|| told(&text));
                shown.push((operand.span, EndOperand { text, value }));
            }
        }
        let place = self.place(spot.home, value.span);
        let end = Next::End(End {
            kind: EndKind::Computation,
            location: place.as_ref().map(|place| place.location.clone()),
            detail: self.shown_text(spot.home, value.span),
            operands: shown.iter().map(|(_, operand)| operand.clone()).collect(),
        });
        let mut open = operands.iter().filter(|operand| !operand.is_constant());
        let (Some(only), None) = (open.next(), open.next()) else {
            return Ok(end);
        };
        let nowhere = Way { spot, steps: &[] };
        let mut inner = Vec::new();
        let next = self.value(spot, only, nowhere, None, &mut inner).await?;
        let of_operand = shown.into_iter().find(|(span, _)| *span == only.span);
        if next.is_unobserved() {
            return Ok(end);
        }
        let (Some(place), Some((_, operand))) = (place, of_operand) else {
            return Ok(end);
        };
        further.push(Hop {
            kind: HopKind::Conversion,
            location: place.location,
            value: operand.value,
            name: Some(operand.text),
            function: place.function,
            source_line: place.source_line,
            library: None,
            folded: None,
            point: None,
            realm: None,
        });
        further.extend(inner);
        Ok(next)
    }

    /// The text of an expression as its author wrote it; of a reference, in the author's names.
    async fn author_text(
        &self,
        spot: Spot<'_>,
        value: &Value,
    ) -> Result<Option<String>, EngineError> {
        match &value.form {
            Form::Reference(reference) => {
                Ok(self.asked(spot, reference).await?.map(|it| told(&it)))
            }
            _ => Ok(self.shown_text(spot.home, value.span)),
        }
    }

    /// A hop at an expression, with the value of another one.
    pub(super) async fn hop_at(
        &self,
        kind: HopKind,
        spot: Spot<'_>,
        at: &Value,
        of: &Value,
    ) -> Result<Option<Hop>, EngineError> {
        let (Some(place), Some(text)) = (
            self.place(spot.home, at.span),
            self.text(spot.home, of.span),
        ) else {
            return Ok(None);
        };
        if !of.is_pure {
            return Ok(None);
        }
        let Ok(value) = self.shown(spot.frame, &text).await? else {
            return Ok(None);
        };
        let name = self.author_text(spot, of).await?;
        Ok(Some(Hop {
            kind,
            location: place.location,
            value,
            name: Some(name.unwrap_or_else(|| told(&text))),
            function: place.function,
            source_line: place.source_line,
            library: None,
            folded: None,
            point: None,
            realm: None,
        }))
    }

    /// What the browser itself keeps: its properties are no value that a page made.
    fn of_browser(&self, spot: Spot<'_>, value: &Value, reference: &Reference) -> Option<Next> {
        let kind = browser_end(reference)?;
        let text = self.shown_text(spot.home, value.span);
        Some(self.ended(kind, spot.home, value.span, text))
    }
}

/// How a value decides.
#[derive(Clone, Copy)]
enum Test {
    Truthy,
    Nullish,
}

impl Test {
    fn of(self, text: &str) -> String {
        match self {
            Self::Truthy => text.to_owned(),
            Self::Nullish => format!("({text})==null"),
        }
    }
}
