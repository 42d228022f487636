//! What one question is answered with by two logs.

use querypoint::answer::{Value as Shown, ValueType};
use querypoint::events::{
    COMPARISON_SCHEMA, Comparison, Difference, DifferenceKind, EventsResult, LoggedEvent,
};

use super::noise::{are_noisy_numbers, are_noisy_texts};
use super::{Comparer, Parting};
use crate::model::{Model, NONE};

/// Compares what one question is answered with by two logs, event by event. The events after which there is none are
/// a difference as well; numbers of objects do not count.
#[must_use]
pub fn compare_answers(
    left: (&Model, &EventsResult),
    right: (&Model, &EventsResult),
) -> Comparison {
    let comparer = Comparer::new(left.0, right.0);
    let (one, other) = (&left.1.events, &right.1.events);
    let parting = one
        .iter()
        .map(Some)
        .chain(std::iter::repeat(None))
        .zip(other.iter().map(Some).chain(std::iter::repeat(None)))
        .take(one.len().max(other.len()))
        .find_map(|(one, other)| {
            let is_control = match (one, other) {
                (Some(one), Some(other)) if comparer.are_elsewhere(one, other) => true,
                (Some(one), Some(other)) if comparer.say_the_same(one, other) => return None,
                (Some(_), Some(_)) => false,
                _ => true,
            };
            Some((is_control, one, other))
        });
    let number = |event: Option<&LoggedEvent>| event.and_then(|it| u32::try_from(it.seq).ok());
    Comparison {
        schema: COMPARISON_SCHEMA.to_owned(),
        differs: parting.is_some(),
        cause: parting.and_then(|(is_control, one, other)| {
            comparer.cause(&Parting {
                is_control,
                left: number(one),
                right: number(other),
                part: None,
            })
        }),
        first: parting.map(|(is_control, one, other)| Difference {
            kind: match is_control {
                true => DifferenceKind::Control,
                false => DifferenceKind::Data,
            },
            left: one.cloned(),
            right: other.cloned(),
        }),
    }
}

/// A value as an event says it; `None`: it has none there.
type Said = Option<(ValueType, String)>;

/// What an event says, without numbers of objects.
fn said(event: &LoggedEvent) -> (Option<&str>, Vec<Said>) {
    let plain = |value: &Option<Shown>| {
        let value = value.as_ref()?;
        let is_numbered = matches!(value.kind, ValueType::Object | ValueType::Symbol);
        let text = match value.text.rsplit_once(" #") {
            Some((class, _)) if is_numbered => class,
            _ => value.text.as_str(),
        };
        Some((value.kind, text.to_owned()))
    };
    let class = |class: String| (ValueType::Object, class);
    let mut values = vec![
        event.owner.as_ref().map(|owner| class(owner.class.clone())),
        plain(&event.value),
        plain(&event.old),
        plain(&event.returned),
        plain(&event.exception),
    ];
    let arguments = event.arguments.iter().flatten();
    values.extend(arguments.map(|value| plain(&Some(value.clone()))));
    (event.name.as_deref(), values)
}

impl Comparer<'_> {
    /// Whether two events of answers are not the same step of the same code.
    fn are_elsewhere(&self, one: &LoggedEvent, other: &LoggedEvent) -> bool {
        let number = |event: &LoggedEvent| u32::try_from(event.seq).unwrap_or(u32::MAX);
        match (
            self.left.event(number(one)),
            self.right.event(number(other)),
        ) {
            (Some(left), Some(right)) => self.parts_in_control(left, right),
            _ => one.kind != other.kind,
        }
    }

    /// Whether two events of answers have the same values, but for noise.
    fn say_the_same(&self, one: &LoggedEvent, other: &LoggedEvent) -> bool {
        let ((name, own), (others_name, others)) = (said(one), said(other));
        let number = |event: &LoggedEvent| u32::try_from(event.seq).unwrap_or(NONE);
        let is_noise =
            || self.left.noise().is_of(number(one)) && self.right.noise().is_of(number(other));
        self.is_same_name(name.unwrap_or_default(), others_name.unwrap_or_default())
            && own.len() == others.len()
            && own
                .iter()
                .zip(&others)
                .all(|(one, other)| match (one, other) {
                    (Some((kind, text)), Some((others_kind, others_text))) => {
                        let is_plain = matches!(kind, ValueType::Number | ValueType::String);
                        kind == others_kind
                            && (text == others_text
                                || is_plain
                                    && (is_noise() || self.are_noise_shown(text, others_text)))
                    }
                    (one, other) => one == other,
                })
    }

    /// Whether two values that answers print are noise.
    fn are_noise_shown(&self, one: &str, other: &str) -> bool {
        let (own, others) = (self.left.noise(), self.right.noise());
        match (one.parse::<f64>(), other.parse::<f64>()) {
            (Ok(one), Ok(other)) => are_noisy_numbers((own, one), (others, other)),
            _ => are_noisy_texts((own, one), (others, other)),
        }
    }
}
