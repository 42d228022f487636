//! The operands of a computation that ends a way, and how a way goes on at one of them: `origin(C:operand(2))`.

use js_analysis::origin::{Form, Value};
use js_analysis::position::ByteOffset;
use querypoint::answer::{End, EndKind, EndOperand, Hop, Location};

use event_log::value::Value as Seen;

use super::document::put::Put;
use super::{InLog, Next, Spot};

/// The end of a way, and where it can be followed from there.
pub(super) struct Ended {
    pub(super) end: End,
    /// Where it is: a script, and a place in it.
    pub(super) made: Option<(usize, ByteOffset)>,
    offered: Vec<Offered>,
}

/// An operand at which a way can go on.
#[derive(Clone, Debug)]
pub(super) struct Offered {
    pub(super) shown: EndOperand,
    /// Whether the log has its value, so that it is shown.
    is_shown: bool,
    from: Giver,
}

/// What gave an operand.
#[derive(Clone, Debug)]
enum Giver {
    /// An expression.
    Value(Spot, Box<Value>),
    /// A text that was put into the document.
    Put(Box<Put>),
    /// Nothing that the log has: why.
    None(Box<End>),
}

/// At which operands a way goes on, where it ends in computations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns<'t> {
    /// Their numbers, from 1, in the order of the ends.
    numbers: &'t [u32],
    /// The first end as its answer shows it, where that is not the one of the log: it may have other operands.
    shown: Option<&'t End>,
}

impl<'t> Turns<'t> {
    /// A way that goes on at operands of these numbers; `shown` is what an execution without the log says of its first
    /// end.
    pub(crate) fn new(numbers: &'t [u32], shown: Option<&'t End>) -> Self {
        Self { numbers, shown }
    }

    /// Where a way goes on that has ended, or the end that says why it does not; `None`: it ends there.
    pub(super) fn next<'e>(&mut self, ended: &'e Ended) -> Option<Result<&'e Offered, End>> {
        let (&number, rest) = self.numbers.split_first()?;
        self.numbers = rest;
        let shown = self.shown.take().filter(|shown| {
            shown.is_same_computation(&ended.end) && !ended.end.has_operands_of(shown)
        });
        let end = shown.unwrap_or(&ended.end);
        let operand = usize::try_from(number)
            .ok()
            .and_then(|number| end.operands.get(number.checked_sub(1)?));
        let Some(operand) = operand else {
            return Some(Err(no_operand(number, end)));
        };
        let mut offered = ended.offered.iter();
        let is_it = |offered: &&Offered| offered.shown.text == operand.text;
        let found = match shown {
            // Of those with one text the number says which.
            None => ended
                .offered
                .iter()
                .filter(|it| it.is_shown)
                .nth(number as usize - 1),
            Some(_) => offered
                .find(is_it)
                .filter(|_| !offered.any(|it| is_it(&it))),
        };
        Some(found.ok_or_else(|| End {
            kind: EndKind::Unobserved,
            location: end.location.clone(),
            detail: Some(format!(
                "where `{}` comes from is not in the log",
                operand.text
            )),
            operands: Vec::new(),
        }))
    }
}

/// Why there is no such operand.
pub(crate) fn no_operand(number: u32, end: &End) -> End {
    let detail = match (end.kind, end.operands.len()) {
        (EndKind::Computation, 0) => {
            "the computation has no operand whose value is known".to_owned()
        }
        (EndKind::Computation, 1) => {
            format!("the computation has one operand, and no number {number}")
        }
        (EndKind::Computation, many) => {
            format!("the computation has {many} operands, and no number {number}")
        }
        (EndKind::Unobserved, _) => format!(
            "the value whose operand is asked for is not followed to a computation: {}",
            end.detail.as_deref().unwrap_or("its origin is not known")
        ),
        _ => format!(
            "only a computation has operands; the value was made by {}",
            end.kind.in_words()
        ),
    };
    End {
        kind: EndKind::Unobserved,
        location: end.location.clone(),
        detail: Some(detail),
        operands: Vec::new(),
    }
}

impl From<End> for Ended {
    fn from(end: End) -> Self {
        Self {
            end,
            made: None,
            offered: Vec::new(),
        }
    }
}

impl Ended {
    /// The same, at this place of a script.
    pub(super) fn made_at(self, script: usize, at: ByteOffset) -> Self {
        Self {
            made: Some((script, at)),
            ..self
        }
    }

    /// Whether it is what the browser has: that is not in the log, but that it made it is known.
    pub(super) fn is_known_without_a_value(&self) -> bool {
        matches!(
            self.end.kind,
            EndKind::Network | EndKind::Browser | EndKind::Time | EndKind::Random
        )
    }

    /// A computation, with the operands that the log has the values of.
    pub(super) fn computed(
        location: Option<Location>,
        text: String,
        offered: Vec<Offered>,
    ) -> Self {
        let shown = offered.iter().filter(|offered| offered.is_shown);
        let end = End {
            kind: EndKind::Computation,
            location,
            detail: Some(text),
            operands: shown.map(|offered| offered.shown.clone()).collect(),
        };
        Self {
            end,
            made: None,
            offered,
        }
    }
}

impl Offered {
    /// A text of several that were put into the document.
    pub(super) fn put(shown: EndOperand, put: Put) -> Self {
        Self {
            shown,
            is_shown: true,
            from: Giver::Put(Box::new(put)),
        }
    }

    /// One that is followed no further.
    pub(super) fn ended(shown: EndOperand, end: End) -> Self {
        Self {
            shown,
            is_shown: true,
            from: Giver::None(Box::new(end)),
        }
    }
}

impl InLog<'_> {
    /// The operands of a computation: those that are shown, and those `around` them, which other executions may show.
    pub(super) fn offered<'v>(
        &self,
        spot: Spot,
        shown: impl Iterator<Item = (Spot, &'v Value)>,
        around: &[&Value],
    ) -> Vec<Offered> {
        let mut offered: Vec<Offered> = shown
            .filter_map(|(spot, value)| self.operand(spot, value))
            .collect();
        for value in around {
            if matches!(value.form, Form::Operation { .. }) {
                let known = self.operand(spot, value);
                offered.extend(known.map(|operand| Offered {
                    is_shown: false,
                    ..operand
                }));
            }
        }
        offered
    }

    fn operand(&self, spot: Spot, value: &Value) -> Option<Offered> {
        let from = Giver::Value(spot, Box::new(value.clone()));
        if value.form == Form::Literal {
            let home = self.home(spot.script)?;
            let text = self.sources.text_at(home, value.span)?;
            let shown = EndOperand {
                text: self.text(spot, value),
                value: crate::origin::literal_value(text)?,
            };
            return Some(Offered {
                shown,
                is_shown: true,
                from,
            });
        }
        let seen = self.evaluated(spot, value, 0);
        let text = self.named(spot, value);
        let value = match seen {
            Some(seen) => self.shown(spot.moment.stream, seen),
            None => querypoint::answer::Value::new(querypoint::answer::ValueType::Undefined, "?"),
        };
        Some(Offered {
            shown: EndOperand { text, value },
            is_shown: seen.is_some(),
            from,
        })
    }

    /// Where the value of an operand comes from.
    pub(super) fn turn(&self, offered: &Offered, hops: &mut Vec<Hop>) -> Next {
        self.inside_texts.borrow_mut().clear();
        self.look_for(None);
        let (spot, value) = match &offered.from {
            Giver::Put(put) => return self.put(put, &offered.shown.text, hops),
            Giver::None(end) => return Next::End((**end).clone().into()),
            Giver::Value(spot, value) => (*spot, value),
        };
        let seen = self.evaluated(spot, value, 0).unwrap_or(Seen::Unknown);
        let next = self.value(spot, value, &[], seen, hops);
        // Without its value nothing says that a write is the one that gave it; what a computation computed with, and
        // what the browser has, is known all the same.
        let is_sure = seen != Seen::Unknown
            || value.form == Form::Literal
            || matches!(value.form, Form::Operation { .. })
            || matches!(&next, Next::End(ended) if ended.is_known_without_a_value());
        match is_sure {
            true => next,
            false => {
                let why = format!("the value of `{}` is not in the log", offered.shown.text);
                self.ended(EndKind::Unobserved, spot, value, Some(why))
            }
        }
    }
}
