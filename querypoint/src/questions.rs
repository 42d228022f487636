//! What is asked of a page at once: queries, questions to the log of an execution, and queries at events of that log.
//!
//! `H = history(R:cart.total)` is answered from a log of an execution, a list of events. `lastChange(H[2]:cart.items)`
//! is a query at one of them: an execution is led to that event, which is then what `R` is for other queries. (Girgis
//! and Jayaraman, *JavaTA*, ask the log; *Debugging by lastChange*, 2011, asks on from a point.)

use std::collections::BTreeSet;

use crate::catalogue::{CatalogueQuery, Definitions, Question};
use crate::graph::{DependencyGraph, GraphError, QueryPlace};
use crate::nearest::nearest;
use crate::query::parser::KINDS;
use crate::query::scanner::Scanner;
use crate::query::{PointName, Query, QueryError};

/// All that is asked of a page.
#[derive(Clone, Debug)]
pub struct Questions {
    /// The queries asked at `R`, in order.
    pub graph: DependencyGraph,
    /// What needs a log; `None`: nothing does.
    pub log: Option<LogQuestions>,
}

/// What needs a log.
#[derive(Clone, Debug)]
pub struct LogQuestions {
    /// What is asked of it, each with a name.
    pub questions: Vec<Question>,
    /// The queries asked at its events, by event.
    pub at_events: Vec<AtEvent>,
    /// Where each of the queries at `R` is among all that is asked, from 0.
    pub order: Vec<usize>,
}

/// What is asked at one event of a log.
#[derive(Clone, Debug)]
pub struct AtEvent {
    /// The event's name, `H[2]`.
    pub event: PointName,
    /// The question that found it.
    pub question: String,
    /// Which of the events it is, from 0; negative: from the end.
    pub index: i64,
    /// The queries, in order. For them the event is `R`.
    pub graph: DependencyGraph,
    /// Each as it was asked, without its name: with the event's name for `R`.
    pub asked: Vec<String>,
    /// Where each of them is among all that is asked, from 0.
    pub order: Vec<usize>,
}

/// What cannot be asked together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionsError {
    /// One of them cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// They do not fit together.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl QuestionsError {
    /// The query, a caret under the place with what is wrong beside it, and what to do.
    #[must_use]
    pub fn render(&self) -> String {
        match self {
            Self::Query(error) => error.render(),
            Self::Graph(error) => error.render(),
        }
    }
}

/// One of them, understood.
enum ReadQuestion {
    Query(Query),
    OfLog(Question, String),
}

impl Questions {
    /// Understands what is asked. The first without a name is `Q1`, the next `Q2`, …; names that were given are passed
    /// over.
    ///
    /// # Errors
    /// [`QuestionsError`] with the place, what was expected there and what to do.
    ///
    /// ```
    /// use querypoint::catalogue::Definitions;
    /// use querypoint::questions::Questions;
    /// let texts = ["H = history(R:cart.total)", "lastChange(H[2]:cart.items)"];
    /// let questions = Questions::read(&texts, &Definitions::default())?;
    /// let log = questions.log.unwrap();
    /// assert_eq!(log.questions.len(), 1);
    /// assert_eq!(log.at_events[0].event.as_str(), "H[2]");
    /// # Ok::<(), querypoint::questions::QuestionsError>(())
    /// ```
    pub fn read<Text: AsRef<str>>(
        texts: &[Text],
        definitions: &Definitions,
    ) -> Result<Self, QuestionsError> {
        let mut asked = Vec::new();
        for text in texts {
            let text = text.as_ref();
            asked.push(match is_of_log(text, definitions) {
                true => ReadQuestion::OfLog(definitions.question(text)?, text.to_owned()),
                false => ReadQuestion::Query(query(text, definitions)?),
            });
        }
        if asked.iter().all(|it| matches!(it, ReadQuestion::Query(_))) {
            let queries = asked.into_iter().filter_map(|it| match it {
                ReadQuestion::Query(query) => Some(query),
                ReadQuestion::OfLog(..) => None,
            });
            return Ok(Self {
                graph: DependencyGraph::new(queries.collect())?,
                log: None,
            });
        }
        name_all(&mut asked)?;
        Sorting::default().all(asked)
    }
}

/// A query. What is no query, and is like a question to a log, may have been meant as one.
fn query(text: &str, definitions: &Definitions) -> Result<Query, QueryError> {
    Query::parse(text).map_err(|error| {
        let Some(word) = kind_of(text).filter(|word| !KINDS.contains(word)) else {
            return error;
        };
        let ours = definitions.iter().map(|it| it.name.as_str());
        let known = KINDS.into_iter().chain(CatalogueQuery::NAMES).chain(ours);
        match nearest(word, known) {
            Some(meant) => error.with_help(&format!("did you mean \"{meant}\"?")),
            None => error,
        }
    })
}

/// Whether a text is a question to a log, by its first word.
fn is_of_log(text: &str, definitions: &Definitions) -> bool {
    kind_of(text).is_some_and(|word| {
        let is_defined = || definitions.iter().any(|it| it.name == word);
        CatalogueQuery::NAMES.contains(&word) || !KINDS.contains(&word) && is_defined()
    })
}

/// The word that says what is asked: of `B = lastChange(R:x)` it is `lastChange`.
fn kind_of(text: &str) -> Option<&str> {
    let mut scanner = Scanner::new(text);
    let (word, _) = scanner.word()?;
    match scanner.eat("=") {
        true => Some(scanner.word()?.0),
        false => Some(word),
    }
}

/// Gives each a name of its own.
fn name_all(asked: &mut [ReadQuestion]) -> Result<(), QuestionsError> {
    let mut given: Vec<(usize, String)> = Vec::new();
    for (index, it) in asked.iter().enumerate() {
        let (name, text, offset) = match it {
            ReadQuestion::Query(query) => (
                query.name.as_ref().map(PointName::as_str),
                &query.text,
                query.places.name,
            ),
            ReadQuestion::OfLog(question, text) => {
                (question.name(), text, text.len() - text.trim_start().len())
            }
        };
        let Some(name) = name else { continue };
        let place = || QueryPlace {
            query: index,
            text: text.clone(),
            offset,
        };
        if name == "R" {
            return Err(GraphError::ReservedName { place: place() }.into());
        }
        if let Some((first, _)) = given.iter().find(|(_, other)| other == name) {
            let name = PointName::new(name).unwrap_or_else(PointName::reproduction_point);
            return Err(GraphError::DuplicateName {
                place: place(),
                name,
                first: *first,
            }
            .into());
        }
        given.push((index, name.to_owned()));
    }
    let mut automatic = (1..)
        .map(PointName::automatic)
        .filter(|name| !given.iter().any(|(_, other)| other == name.as_str()));
    for it in asked {
        match it {
            ReadQuestion::Query(query) if query.name.is_none() => query.name = automatic.next(),
            ReadQuestion::OfLog(question, _) if question.name().is_none() => {
                let name = automatic.next().map(|name| name.to_string());
                match question {
                    Question::Plain(plain) => plain.name = name,
                    Question::Composed(composed) => composed.name = name,
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// What is known while the queries are put where they are asked.
#[derive(Default)]
struct Sorting {
    /// The names of all that is asked, in order.
    names: Vec<String>,
    /// The name of each query before, and the event that it is asked at; `None`: `R`.
    roots: Vec<(PointName, Option<PointName>)>,
    of_log: Vec<Question>,
    at_point: Vec<(usize, Query)>,
    at_events: Vec<(PointName, Vec<(usize, Query)>)>,
}

impl Sorting {
    fn all(mut self, asked: Vec<ReadQuestion>) -> Result<Questions, QuestionsError> {
        let name = |it: &ReadQuestion| match it {
            ReadQuestion::Query(query) => query.name.as_ref().map(PointName::to_string),
            ReadQuestion::OfLog(question, _) => question.name().map(str::to_owned),
        };
        self.names = asked
            .iter()
            .map(|it| name(it).unwrap_or_default())
            .collect();
        for (index, it) in asked.into_iter().enumerate() {
            match it {
                ReadQuestion::OfLog(question, _) => self.of_log.push(question),
                ReadQuestion::Query(query) => self.query(index, query)?,
            }
        }
        let (order, queries) = self.at_point.into_iter().unzip();
        let graph = DependencyGraph::new(queries)?;
        let mut at_events = Vec::new();
        for (event, queries) in self.at_events {
            let (order, queries): (Vec<usize>, Vec<Query>) = queries.into_iter().unzip();
            let asked = queries.iter().map(|query| query.kind.to_string()).collect();
            let queries = queries.iter().map(|query| asked_at_r(query, &event));
            let graph = DependencyGraph::new(queries.collect::<Result<_, _>>()?)?;
            let (question, index) = event.as_event().unwrap_or_default();
            at_events.push(AtEvent {
                question: question.to_owned(),
                index,
                event,
                graph,
                asked,
                order,
            });
        }
        Ok(Questions {
            graph,
            log: Some(LogQuestions {
                questions: self.of_log,
                at_events,
                order,
            }),
        })
    }

    /// Puts a query where it is asked.
    fn query(&mut self, index: usize, query: Query) -> Result<(), QuestionsError> {
        let mut roots = BTreeSet::new();
        for (point, offset) in &query.places.points {
            roots.insert(self.root(index, &query, point, *offset)?);
            if roots.len() > 1 {
                let scanner = Scanner::new(&query.text);
                let error = scanner.error_at(
                    *offset,
                    "expected one place to ask at; an event of a log is in another execution than R",
                );
                let help =
                    "ask at R, or at one event of a log, and at queries that are asked there";
                return Err(error.with_help(help).into());
            }
        }
        let root = roots.pop_last().flatten();
        let name = query.name.clone();
        self.roots.extend(name.map(|name| (name, root.clone())));
        match root {
            None => self.at_point.push((index, query)),
            Some(event) => match self.at_events.iter_mut().find(|(other, _)| *other == event) {
                Some((_, queries)) => queries.push((index, query)),
                None => self.at_events.push((event, vec![(index, query)])),
            },
        }
        Ok(())
    }

    /// The event of a log that a point is reached from; `None`: `R`.
    fn root(
        &self,
        index: usize,
        query: &Query,
        point: &PointName,
        offset: usize,
    ) -> Result<Option<PointName>, GraphError> {
        if let Some((_, root)) = self.roots.iter().find(|(name, _)| name == point) {
            return Ok(root.clone());
        }
        let (question, event) = match point.as_event() {
            Some((question, _)) => (question, point.clone()),
            None if point.is_reproduction_point() => return Ok(None),
            // A question alone is the first of its events, as in questions to a log.
            None => (point.as_str(), PointName::event(point, 0)),
        };
        if self.of_log.iter().any(|it| it.name() == Some(question)) {
            return Ok(Some(event));
        }
        let place = QueryPlace {
            query: index,
            text: query.text.clone(),
            offset,
        };
        if let Some(defined) = self.names.iter().position(|name| name == question) {
            return Err(GraphError::LaterPoint {
                place,
                name: PointName::new(question).unwrap_or_else(|| point.clone()),
                defined,
            });
        }
        let questions = self.of_log.iter().filter_map(Question::name);
        let events = questions.filter_map(PointName::new);
        let known = std::iter::once(PointName::reproduction_point())
            .chain(self.roots.iter().map(|(name, _)| name.clone()))
            .chain(events.map(|question| PointName::event(&question, 0)));
        Err(GraphError::UnknownPoint {
            place,
            name: point.clone(),
            known: known.collect(),
        })
    }
}

/// The same query, with `R` where it names the event.
fn asked_at_r(query: &Query, event: &PointName) -> Result<Query, QueryError> {
    let mut text = query.text.clone();
    let mut places = query.places.points.clone();
    places.sort_unstable_by_key(|(_, at)| std::cmp::Reverse(*at));
    for (point, at) in places {
        let is_event = point == *event || PointName::event(&point, 0) == *event;
        let mut scanner = Scanner::new(&text);
        scanner.advance(at);
        if is_event && scanner.word().is_some() {
            if point.as_event().is_some() {
                scanner.expect("[", " before which event")?;
                scanner.integer::<i64>("which event")?;
                scanner.expect("]", " after which event")?;
            }
            text.replace_range(at..scanner.offset(), "R");
        }
    }
    let asked = Query::parse(&text)?;
    Ok(Query {
        name: query.name.clone(),
        ..asked
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Questions, QuestionsError> {
        let mut definitions = Definitions::default();
        let text = "define login(user) = wasAssigned(.name, user)";
        definitions.add("queries", text).unwrap();
        Questions::read(texts, &definitions)
    }

    fn rendered(texts: &[&str]) -> String {
        read(texts).unwrap_err().render()
    }

    #[test]
    fn each_is_put_where_it_is_asked() {
        let questions = read(&[
            "H = history(R:cart.total)",
            "lastChange(H[2]:cart.items)",
            "B = lastChange(cart.total)",
            "login('ann')",
            "C = lastChange(H[ -1 ](1):x)",
            "lastCondition(Q1)",
            "lastChange(B:y)",
            "exceptionAfter(H[0])",
            "trace(write(.x), before(H), index -1)",
        ])
        .unwrap();
        let log = questions.log.unwrap();
        let names: Vec<_> = log.questions.iter().map(Question::name).collect();
        assert_eq!(names, [Some("H"), Some("Q2")]);
        let points: Vec<String> = questions.graph.points().map(|it| it.to_string()).collect();
        assert_eq!(points, ["R", "B", "Q4"]);
        assert_eq!(log.order, [2, 6]);
        let at_events = log.at_events.iter().flat_map(|it| {
            let queries = it.graph.queries().map(|(_, query)| query.to_string());
            let queries = queries.zip(&it.asked).zip(&it.order);
            let (event, index) = (&it.event, it.index);
            queries.map(move |((query, asked), order)| {
                format!("{event} {index}: {order} {query} for {asked}")
            })
        });
        assert_eq!(
            at_events.collect::<Vec<_>>(),
            [
                "H[2] 2: 1 Q1 = lastChange(R:cart.items) for lastChange(H[2]:cart.items)",
                "H[2] 2: 5 Q3 = lastCondition(Q1) for lastCondition(Q1)",
                "H[-1] -1: 4 C = lastChange(R(1):x) for lastChange(H[-1](1):x)",
                "H[0] 0: 7 Q5 = exceptionAfter(R) for exceptionAfter(H[0])",
                "H[0] 0: 8 Q6 = trace(write(.x), before(R), index -1) for trace(write(.x), before(H), index -1)",
            ]
        );
    }

    #[test]
    fn without_questions_to_a_log_nothing_is_otherwise() {
        let questions = read(&["lastChange(list[0])", "Q1 = lastChange(b)"]).unwrap();
        assert!(questions.log.is_none());
        let points: Vec<String> = questions.graph.points().map(|it| it.to_string()).collect();
        assert_eq!(points, ["R", "Q2", "Q1"]);
    }

    #[test]
    fn what_does_not_fit_together() {
        let all = [
            rendered(&["calltree(R)"]),
            rendered(&["logn('a')"]),
            rendered(&["history(R:)"]),
            rendered(&["callTree(R)", "lastChange(G[0]:x)"]),
            rendered(&["lastChange(H[0]:x)"]),
            rendered(&["lastChange(H[0]:x)", "H = callTree(R)"]),
            rendered(&["callTree(R)", "lastChange(B:x)", "B = lastChange(y)"]),
            rendered(&["H = callTree(R)", "H = lastChange(x)"]),
            rendered(&["callTree(R)", "R = lastChange(x)"]),
            rendered(&[
                "H = callTree(R)",
                "trace(write(.x), after(H[0]), before(R))",
            ]),
        ];
        insta::assert_snapshot!(all.join("\n\n"), @r#"
        calltree(R)
        ^ expected "lastChange", "origin", "omitted", "whyNot", "lastCondition", "exceptionAfter" or "trace"
        help: did you mean "callTree"?

        logn('a')
        ^ expected "lastChange", "origin", "omitted", "whyNot", "lastCondition", "exceptionAfter" or "trace"
        help: did you mean "login"?

        history(R:)
                  ^ expected a variable
        help: for example: R:cart.total

        lastChange(G[0]:x)
                   ^ expected a point; none is called "G[0]"
        help: did you mean "Q1[0]"? the points known here are R, Q1[0]

        lastChange(H[0]:x)
                   ^ expected a point; none is called "H[0]"
        help: the points known here are R

        lastChange(H[0]:x)
                   ^ expected a point before this query; "H" is query 2
        help: give the query called "H" before this one

        lastChange(B:x)
                   ^ expected a point before this query; "B" is query 3
        help: give the query called "B" before this one

        H = lastChange(x)
        ^ expected another name; query 1 is "H" already
        help: give each query a name of its own, or none

        R = lastChange(x)
        ^ expected another name; "R" is the reproduction point
        help: call it by any other name, for example B

        trace(write(.x), after(H[0]), before(R))
                                             ^ expected one place to ask at; an event of a log is in another execution than R
        help: ask at R, or at one event of a log, and at queries that are asked there
        "#);
    }
}
