//! Questions that are composed of others: what comes one after the other, and what must hold of it.

use std::collections::HashMap;

use querypoint::answer::{Value, ValueType};
use querypoint::catalogue::{Composed, Condition, Field, Operand, Question};
use querypoint::events::{EventsResult, LoggedEvent};

use super::{Asked, CatalogueError, MOST_EVENTS};

/// So many combinations of events are looked at.
const MOST_TRIED: usize = 2_000_000;

/// What a question has found: each time with its events, in their order.
struct Occurrences {
    list: Vec<Vec<LoggedEvent>>,
    /// Of a question that is answered by yes or no: which.
    holds: Option<bool>,
    complete: bool,
    notes: Vec<String>,
}

impl Asked<'_> {
    pub(super) fn composed(
        &self,
        composed: &Composed,
        name: String,
    ) -> Result<EventsResult, CatalogueError> {
        let Occurrences {
            list,
            holds,
            complete,
            mut notes,
        } = self.occurrences(composed)?;
        let is_sequence = composed.steps.len() > 1;
        let times = list.len();
        let mut events: Vec<LoggedEvent> = list.into_iter().flatten().collect();
        let total = events.len() as u64;
        if is_sequence && times > 1 {
            notes.insert(
                0,
                format!(
                    "it happened {times} times, {} events each",
                    composed.steps.len()
                ),
            );
        }
        if events.len() > MOST_EVENTS {
            events.truncate(MOST_EVENTS);
            notes.push(format!("the first {MOST_EVENTS} events are shown"));
        }
        if self.is_explained {
            notes.push(
                "a composed question has no SQL of its own; each of its parts has".to_owned(),
            );
        }
        Ok(EventsResult {
            name,
            query: composed.text.clone(),
            complete,
            notes,
            total,
            holds: match is_sequence || !composed.conditions.is_empty() {
                true => Some(times > 0),
                false => holds,
            },
            events,
            sql: None,
        })
    }

    fn occurrences(&self, composed: &Composed) -> Result<Occurrences, CatalogueError> {
        let mut steps = Vec::new();
        let (mut complete, mut notes, mut holds) = (true, Vec::new(), None);
        for step in &composed.steps {
            let found = match &step.question {
                Question::Plain(query) => {
                    let result = self.one(query, String::new())?;
                    Occurrences {
                        complete: result.complete && result.total == result.events.len() as u64,
                        list: result.events.into_iter().map(|event| vec![event]).collect(),
                        holds: result.holds,
                        notes: result.notes,
                    }
                }
                Question::Composed(composed) => self.occurrences(composed)?,
            };
            complete &= found.complete;
            holds = found.holds;
            for note in found.notes {
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            let mut list = found.list;
            list.retain(|events| !events.is_empty());
            list.sort_by_key(|events| events.first().map(|event| event.seq));
            steps.push(list);
        }
        let mut search = Search {
            steps: &steps,
            conditions: &composed.conditions,
            tried: 0,
            has: HashMap::new(),
        };
        let mut list = Vec::new();
        // One after the other: none begins before the one before it has ended.
        let mut after = None;
        while let Some(chosen) = search.next(after) {
            let events: Vec<LoggedEvent> = chosen.into_iter().flatten().cloned().collect();
            after = events.last().map(|event| event.seq);
            list.push(events);
        }
        let mut lacking: Vec<String> = search
            .has
            .iter()
            .filter(|(_, has)| !**has)
            .map(|((_, field), _)| field.to_string())
            .collect();
        lacking.sort();
        for field in lacking {
            // Otherwise a condition that can never hold looks like one that does not.
            notes.push(format!(
                "none of the events that it is asked of has `{field}`"
            ));
        }
        if search.tried >= MOST_TRIED {
            complete = false;
            notes.push(format!(
                "it was looked for among {MOST_TRIED} combinations of events; there are more"
            ));
        }
        Ok(Occurrences {
            list,
            holds,
            complete,
            notes,
        })
    }
}

struct Search<'s> {
    /// For each step the times that it happened, by their first events.
    steps: &'s [Vec<Vec<LoggedEvent>>],
    conditions: &'s [Condition],
    tried: usize,
    /// Whether any event of a step has what a condition asks of it.
    has: HashMap<(usize, &'s Field), bool>,
}

impl<'s> Search<'s> {
    /// The earliest time that all steps happened one after the other behind an event.
    fn next(&mut self, after: Option<u64>) -> Option<Vec<&'s [LoggedEvent]>> {
        let mut chosen = Vec::new();
        self.goes_on(after, &mut chosen).then_some(chosen)
    }

    fn goes_on(&mut self, after: Option<u64>, chosen: &mut Vec<&'s [LoggedEvent]>) -> bool {
        let Some(step) = self.steps.get(chosen.len()) else {
            return true;
        };
        let is_before = |events: &Vec<LoggedEvent>| {
            let begins = events.first().map(|event| event.seq);
            after.is_some_and(|after| begins.is_none_or(|begins| begins <= after))
        };
        for events in &step[step.partition_point(is_before)..] {
            self.tried += 1;
            if self.tried >= MOST_TRIED {
                return false;
            }
            chosen.push(events);
            let number = chosen.len() - 1;
            let conditions = self.conditions;
            let mut conditions = conditions.iter();
            let holds = conditions.all(|it| last_step(it) != number || self.holds(it, chosen));
            if holds && self.goes_on(events.last().map(|event| event.seq), chosen) {
                return true;
            }
            chosen.pop();
        }
        false
    }

    /// Whether a condition holds of these events; of one that lacks what is compared it does not.
    fn holds(&mut self, condition: &'s Condition, chosen: &[&[LoggedEvent]]) -> bool {
        let sides = [&condition.left, &condition.right].map(|operand| match operand {
            Operand::Literal(value) => Some(value.clone()),
            Operand::Field { step, field } => {
                let events = chosen.get(*step)?;
                // Of a step that is composed itself, its last event is meant.
                let value = field_of(events.last()?, field);
                *self.has.entry((*step, field)).or_default() |= value.is_some();
                value
            }
        });
        match sides {
            [Some(left), Some(right)] => condition.comparison.holds(&left, &right),
            _ => false,
        }
    }
}

/// The step with which a condition can be judged.
fn last_step(condition: &Condition) -> usize {
    let step = |operand: &Operand| match operand {
        Operand::Field { step, .. } => *step,
        Operand::Literal(_) => 0,
    };
    step(&condition.left).max(step(&condition.right))
}

fn field_of(event: &LoggedEvent, field: &Field) -> Option<Value> {
    let text = |text: &Option<String>| text.as_deref().map(Value::string);
    let number = |number: u64| Value::new(ValueType::Number, number.to_string());
    match field {
        // A return has what it gave, and a call that an exception left that, under names of their own.
        Field::Value => [&event.value, &event.returned, &event.exception]
            .into_iter()
            .find_map(Option::clone),
        Field::Old => event.old.clone(),
        Field::Returned => event.returned.clone().or_else(|| event.value.clone()),
        Field::Exception => event.exception.clone(),
        Field::Name => text(&event.name),
        Field::Function => text(&event.function),
        Field::Line => event.location.as_ref().map(|it| number(it.line.into())),
        Field::Class => event.owner.as_ref().map(|it| Value::string(&it.class)),
        Field::Object => event.owner.as_ref().map(|it| number(it.id)),
        Field::Argument(at) => event.arguments.as_ref()?.get(*at).cloned(),
    }
}
