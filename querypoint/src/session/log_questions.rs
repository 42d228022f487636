//! Which questions an event log may be asked, while one is typed, or at an event that a person points at.

use crate::catalogue::CatalogueQuery;
use crate::events::{EventKind, LoggedEvent};

/// The questions that can be asked at an event, what is asked most first. `R` represents the point where there is none.
///
/// ```
/// use querypoint::events::{EventKind, LoggedEvent};
/// use querypoint::session::log_questions::questions_at;
/// let call = LoggedEvent { function: Some("add".to_owned()), ..LoggedEvent::new(7, EventKind::Call) };
/// let questions = questions_at(Some(&call));
/// assert_eq!(questions[..2], ["callChain(#7)", "argumentsOf(add)"]);
/// assert!(questions_at(None).contains(&"running(R)".to_owned()));
/// ```
#[must_use]
pub fn questions_at(event: Option<&LoggedEvent>) -> Vec<String> {
    let point = event.map_or_else(|| "R".to_owned(), |event| format!("#{}", event.seq));
    let mut all = vec![format!("callChain({point})")];
    if let Some(event) = event {
        all.extend(of_event(event, &point));
    }
    let kinds = [
        "locals",
        "arguments",
        "returned",
        "callsBefore",
        "callsAfter",
        "callTree",
        "running",
    ];
    all.extend(kinds.map(|kind| format!("{kind}({point})")));
    all
}

/// Those that are about what it names, if it can be named in a question: the parser itself would make the panel larger
/// than all else here does.
fn of_event(event: &LoggedEvent, point: &str) -> Vec<String> {
    let name = event.name.as_deref().unwrap_or_default();
    let class = event.owner.as_ref().map(|owner| owner.class.as_str());
    // A call of code without hooks has the name of what is called.
    let called = match (event.kind, &event.value) {
        (EventKind::Call, None) if event.name.is_some() => name,
        _ => event.function.as_deref().unwrap_or_default(),
    };
    let mut all = Vec::new();
    match event.kind {
        EventKind::Assign if is_name(name) => all.push(format!("history({point}:{name})")),
        EventKind::Write if is_name(name) => all.push(format!("wasAssigned(.{name})")),
        EventKind::Create => {
            let class = class.filter(|class| is_dotted(class));
            all.extend(class.map(|class| format!("instances({class})")));
        }
        _ => {}
    }
    if is_dotted(called) {
        all.push(format!("argumentsOf({called})"));
        all.push(format!("returnsOf({called})"));
    }
    all
}

/// Whether it is a word of JavaScript, as far as a question takes it.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphabetic() || c.is_ascii_digit() || c == '_' || c == '$';
    text.chars().all(is_part) && text.starts_with(|c: char| !c.is_ascii_digit())
}

/// Whether it is such words with dots between them.
fn is_dotted(text: &str) -> bool {
    text.split('.').all(is_name)
}

/// What a question may be, while it is typed: those at the event that is looked at, those at `R`, all others of the
/// catalogue by their names, and those that were composed and saved.
#[must_use]
pub fn offered_questions(event: Option<&LoggedEvent>, composed: &[String]) -> Vec<String> {
    let mut all = questions_at(event);
    all.extend(composed.iter().cloned());
    if event.is_some() {
        all.extend(questions_at(None));
    }
    let others = CatalogueQuery::NAMES.iter().filter(|name| {
        let begins = format!("{name}(");
        !all.iter().any(|query| query.starts_with(&begins))
    });
    let others: Vec<String> = others.map(|name| format!("{name}(")).collect();
    all.extend(others);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Owner, Value};

    #[test]
    fn what_an_event_names_is_asked_about() {
        let event = |kind, name: &str| LoggedEvent {
            name: Some(name.to_owned()),
            function: Some("Cart.add".to_owned()),
            owner: Some(Owner {
                id: 1,
                class: "Cart".to_owned(),
            }),
            value: Some(Value::string("x")),
            ..LoggedEvent::new(9, kind)
        };
        let has = |event: &LoggedEvent, query: &str| {
            questions_at(Some(event)).contains(&query.to_owned())
        };
        assert!(has(&event(EventKind::Assign, "sum"), "history(#9:sum)"));
        assert!(has(
            &event(EventKind::Write, "total"),
            "wasAssigned(.total)"
        ));
        assert!(has(&event(EventKind::Create, "Cart"), "instances(Cart)"));
        assert!(has(
            &event(EventKind::Branch, "x > 1"),
            "argumentsOf(Cart.add)"
        ));
        let library = LoggedEvent {
            value: None,
            ..event(EventKind::Call, "Math.max")
        };
        assert!(has(&library, "argumentsOf(Math.max)") && !has(&library, "argumentsOf(Cart.add)"));
    }

    #[test]
    fn every_question_at_an_event_can_be_asked() {
        // Names that are none in the language: what is at the top of a script, an element, a key with spaces.
        for name in [
            "(top level)",
            "0",
            "a b",
            "x\"",
            "#p",
            "",
            "a.b",
            "a.",
            "$_1",
            "über",
            "a.#b",
        ] {
            for kind in [
                EventKind::Call,
                EventKind::Assign,
                EventKind::Write,
                EventKind::Create,
            ] {
                let event = LoggedEvent {
                    name: Some(name.to_owned()),
                    function: Some(name.to_owned()),
                    owner: Some(Owner {
                        id: 1,
                        class: name.to_owned(),
                    }),
                    ..LoggedEvent::new(3, kind)
                };
                let questions = questions_at(Some(&event));
                assert!(questions.contains(&"locals(#3)".to_owned()));
                for question in questions {
                    assert!(CatalogueQuery::parse(&question).is_ok(), "{question}");
                }
            }
        }
    }

    #[test]
    fn each_name_of_the_catalogue_is_offered_and_what_was_saved() {
        let offered = offered_questions(None, &["login(user)".to_owned()]);
        assert!(offered.contains(&"login(user)".to_owned()));
        for name in CatalogueQuery::NAMES {
            let begins = format!("{name}(");
            assert_eq!(
                offered
                    .iter()
                    .filter(|query| query.starts_with(&begins))
                    .count(),
                1,
                "{name}"
            );
        }
    }
}
