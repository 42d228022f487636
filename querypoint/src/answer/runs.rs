//! The same questions asked several times: how often each place was the answer.
//!
//! Runs are independent, and on a page that varies each may come out otherwise. What is shown of them is the answer of
//! one whole run, never pieces of several, and beside it the counts of all.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{Answer, Location, PointAnswer, Status};

/// What came of asking the same several times. What is left of `asked` when `answered` and `failed` are taken away was
/// not begun or not ended, because it was interrupted or no browser was left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// How many were asked for.
    pub asked: u32,
    /// How many ended with an answer, whatever it says.
    pub answered: u32,
    /// In how many of these `R` was found.
    pub reached: u32,
    /// In how many of those the executions of the run agreed.
    pub agreed: u32,
    /// Which run the answer around this is of, from 1.
    pub shown: u32,
    /// How many runs came out as that one: with the same status and place for `R` and every query.
    pub alike: u32,
    /// Those that ended without an answer, by reason, the most frequent one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedRuns>,
    /// `R` first, then one for each query, in order.
    pub points: Vec<PointRuns>,
}

/// Runs that ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedRuns {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u32,
}

/// What the answers to one query were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointRuns {
    /// `R`, or the query's name.
    pub name: String,
    /// The different answers, the most frequent one first. Their counts make up the number of runs with an answer.
    pub answers: Vec<RunOutcome>,
}

/// One of the answers to a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOutcome {
    /// In how many runs.
    pub count: u32,
    /// Whether there was an answer.
    pub status: Status,
    /// Where the point was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// `true` where the user made the change and no script did: that is at no place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_user: Option<bool>,
}

/// What makes two answers to a query the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PointOutcome {
    status: Status,
    location: Option<Location>,
    by_user: Option<bool>,
}

impl PointOutcome {
    fn of(point: &PointAnswer) -> Self {
        Self {
            status: point.status,
            location: point.location.clone(),
            by_user: point.by_user,
        }
    }
}

/// Runs that have ended, counted. Of all that came out alike one answer is kept, so that many runs take no more memory
/// than they have outcomes.
#[derive(Clone, Debug, Default)]
pub struct RunCounts {
    /// The outcomes of whole runs.
    alike: Vec<Alike>,
    /// The outcomes of each point.
    points: Vec<(String, Tally<PointOutcome>)>,
    failed: Tally<String>,
    agreed: u32,
}

/// Runs that came out alike.
#[derive(Clone, Debug)]
struct Alike {
    outcome: Vec<PointOutcome>,
    count: u32,
    /// The first of them, and its answer: of those whose executions agreed, if there are any.
    first: (u32, Answer),
}

impl RunCounts {
    /// Counts the run of that number, from 1: its answer, or why it has none. Runs may end in any order.
    pub fn add(&mut self, number: u32, end: Result<Answer, String>) {
        let answer = match end {
            Ok(answer) => answer,
            Err(reason) => return self.failed.add(number, reason),
        };
        for (index, point) in answer.points.iter().enumerate() {
            if self.points.len() == index {
                self.points.push((point.name.clone(), Tally::default()));
            }
            self.points[index].1.add(number, PointOutcome::of(point));
        }
        let outcome: Vec<PointOutcome> = answer.points.iter().map(PointOutcome::of).collect();
        let agrees = answer.consistency.agrees;
        self.agreed += u32::from(agrees && is_reached(&outcome));
        match self.alike.iter_mut().find(|alike| alike.outcome == outcome) {
            Some(alike) => {
                alike.count += 1;
                let rank = |number: u32, agrees: bool| (!agrees, number);
                let (first, kept) = &alike.first;
                if rank(number, agrees) < rank(*first, kept.consistency.agrees) {
                    alike.first = (number, answer);
                }
            }
            None => self.alike.push(Alike {
                outcome,
                count: 1,
                first: (number, answer),
            }),
        }
    }

    /// One answer for these runs, of `asked` that were asked for: that of one of them, with the member `runs` about
    /// all. `None` if none of them has an answer.
    ///
    /// It is a run whose outcome, the statuses and places of all points together, is the most frequent one among the
    /// runs that reached `R` (among all, if none did); of these the first one whose executions agreed, else the first
    /// one.
    #[must_use]
    pub fn answer(self, asked: u32) -> Option<Answer> {
        let count = |alike: &[&Alike]| alike.iter().map(|alike| alike.count).sum();
        let all: Vec<&Alike> = self.alike.iter().collect();
        let reached: Vec<&Alike> = all
            .iter()
            .copied()
            .filter(|alike| is_reached(&alike.outcome))
            .collect();
        let candidates = if reached.is_empty() { &all } else { &reached };
        let shown = candidates
            .iter()
            .min_by_key(|alike| (Reverse(alike.count), alike.first.0))?;
        let runs = Runs {
            asked,
            answered: count(&all),
            reached: count(&reached),
            agreed: self.agreed,
            shown: shown.first.0,
            alike: shown.count,
            failed: self
                .failed
                .most_frequent_first()
                .map(|(reason, count)| FailedRuns { reason, count })
                .collect(),
            points: self
                .points
                .into_iter()
                .map(|(name, outcomes)| point_runs(name, outcomes))
                .collect(),
        };
        Some(Answer {
            runs: Some(runs),
            ..shown.first.1.clone()
        })
    }
}

fn is_reached(outcome: &[PointOutcome]) -> bool {
    let point = outcome.first();
    point.is_some_and(|point| point.status == Status::Found)
}

fn point_runs(name: String, outcomes: Tally<PointOutcome>) -> PointRuns {
    let answers = outcomes.most_frequent_first();
    PointRuns {
        name,
        answers: answers
            .map(|(outcome, count)| RunOutcome {
                count,
                status: outcome.status,
                location: outcome.location,
                by_user: outcome.by_user,
            })
            .collect(),
    }
}

/// How often there was what.
#[derive(Clone, Debug)]
struct Tally<T>(Vec<Tallied<T>>);

#[derive(Clone, Debug)]
struct Tallied<T> {
    item: T,
    count: u32,
    /// The first run that it was in.
    first: u32,
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> Tally<T> {
    fn add(&mut self, number: u32, item: T) {
        match self.0.iter_mut().find(|known| known.item == item) {
            Some(known) => {
                known.count += 1;
                known.first = known.first.min(number);
            }
            None => self.0.push(Tallied {
                item,
                count: 1,
                first: number,
            }),
        }
    }

    /// Of two that are as frequent the one of the earlier run is the first.
    fn most_frequent_first(mut self) -> impl Iterator<Item = (T, u32)> {
        self.0
            .sort_by_key(|tallied| (Reverse(tallied.count), tallied.first));
        self.0
            .into_iter()
            .map(|tallied| (tallied.item, tallied.count))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Consistency, Coverage, SCHEMA, Timing};
    use super::*;

    /// A run's number, and how it ended.
    type Run = (u32, Result<Answer, String>);

    fn combined(asked: u32, runs: Vec<Run>) -> Option<Answer> {
        let mut counts = RunCounts::default();
        for (number, end) in runs {
            counts.add(number, end);
        }
        counts.answer(asked)
    }

    fn point(name: &str, status: Status, line: u32) -> PointAnswer {
        PointAnswer {
            location: (line > 0).then(|| Location {
                url: "http://h/app.js".to_owned(),
                line,
                column: 1,
                generated: None,
                eval_origin: None,
                library: false,
            }),
            ..PointAnswer::new(name, None, status)
        }
    }

    /// A run in which `R` was reached and `B` was found at that line.
    fn found(number: u32, line: u32, agrees: bool) -> Run {
        let points = vec![
            point("R", Status::Found, 9),
            point("B", Status::Found, line),
        ];
        (number, Ok(answer(points, agrees, number)))
    }

    fn not_reached(number: u32) -> Run {
        let status = Status::NotReached;
        let points = vec![point("R", status, 0), point("B", status, 0)];
        (number, Ok(answer(points, true, number)))
    }

    fn failed(number: u32, why: &str) -> Run {
        (number, Err(why.to_owned()))
    }

    /// Its number is in it, so that one can tell whose answer it is.
    fn answer(points: Vec<PointAnswer>, agrees: bool, number: u32) -> Answer {
        Answer {
            schema: SCHEMA.to_owned(),
            page: "http://h/".to_owned(),
            executions: number,
            points,
            coverage: Coverage::default(),
            consistency: Consistency {
                agrees,
                notes: Vec::new(),
            },
            timing_ms: Timing::default(),
            runs: None,
            kept: None,
        }
    }

    /// `count status line` of each answer to the point of that index.
    fn tally(runs: &Runs, index: usize) -> Vec<(u32, Status, u32)> {
        let line = |outcome: &RunOutcome| outcome.location.as_ref().map_or(0, |place| place.line);
        let answers = runs.points[index].answers.iter();
        answers
            .map(|outcome| (outcome.count, outcome.status, line(outcome)))
            .collect()
    }

    #[test]
    fn the_answer_is_a_whole_run_of_the_most_frequent_outcome() {
        let runs = vec![
            found(4, 30, true),
            found(1, 20, true),
            found(3, 30, true),
            failed(5, "the browser was lost"),
            found(2, 30, false),
            not_reached(6),
        ];
        let answer = combined(8, runs).unwrap();
        assert_eq!(answer.executions, 3, "the first that agrees");
        assert_eq!(answer.points[1].location.as_ref().unwrap().line, 30);
        let runs = answer.runs.unwrap();
        assert_eq!((runs.asked, runs.answered, runs.reached), (8, 5, 4));
        assert_eq!((runs.agreed, runs.shown, runs.alike), (3, 3, 3));
        assert_eq!(runs.failed[0].reason, "the browser was lost");
        assert_eq!(runs.failed[0].count, 1);
        assert_eq!(
            tally(&runs, 0),
            [(4, Status::Found, 9), (1, Status::NotReached, 0)]
        );
        assert_eq!(
            tally(&runs, 1),
            [
                (3, Status::Found, 30),
                (1, Status::Found, 20),
                (1, Status::NotReached, 0)
            ]
        );
    }

    #[test]
    fn a_run_that_reached_the_point_is_shown_rather_than_many_that_did_not() {
        let runs = vec![not_reached(1), not_reached(2), found(3, 20, true)];
        let answer = combined(3, runs).unwrap();
        assert_eq!(answer.executions, 3);
        assert_eq!(answer.exit_status(), 0);
        let runs = answer.runs.unwrap();
        assert_eq!((runs.reached, runs.alike), (1, 1));
        assert_eq!(
            tally(&runs, 0),
            [(2, Status::NotReached, 0), (1, Status::Found, 9)]
        );
    }

    #[test]
    fn where_no_run_reached_the_point_that_is_the_answer() {
        let answer = combined(2, vec![not_reached(2), not_reached(1)]).unwrap();
        assert_eq!(answer.exit_status(), 3);
        assert_eq!(answer.runs.unwrap().shown, 1);
    }

    #[test]
    fn without_any_answer_there_is_none() {
        assert_eq!(combined(2, vec![failed(1, "a"), failed(2, "b")]), None);
        assert_eq!(combined(2, Vec::new()), None);
    }

    #[test]
    fn reasons_are_counted_and_a_tie_is_the_earlier_runs() {
        let runs = vec![
            failed(1, "a"),
            failed(2, "b"),
            failed(3, "b"),
            found(4, 20, false),
            found(5, 30, true),
        ];
        let answer = combined(5, runs).unwrap();
        assert_eq!(answer.executions, 4);
        let runs = answer.runs.unwrap();
        assert_eq!(runs.alike, 1);
        let reasons = runs
            .failed
            .iter()
            .map(|one| (one.reason.as_str(), one.count));
        assert_eq!(reasons.collect::<Vec<_>>(), [("b", 2), ("a", 1)]);
    }
}
