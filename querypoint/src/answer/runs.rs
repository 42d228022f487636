//! The same questions asked several times: how often each place was the answer.
//!
//! Runs are independent, and on a page that varies each may come out otherwise. What is shown of them is the answer of one
//! whole run, never pieces of several, and beside it the counts of all.

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

/// How one run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Which one, from 1.
    pub number: u32,
    /// Its answer, or why there is none.
    pub end: Result<Answer, String>,
}

/// What makes two answers to a query the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    status: Status,
    location: Option<Location>,
    by_user: Option<bool>,
}

impl Outcome {
    fn of(point: &PointAnswer) -> Self {
        Self {
            status: point.status,
            location: point.location.clone(),
            by_user: point.by_user,
        }
    }
}

/// One answer for the `runs` of `asked` that have ended: that of one of them, with the member `runs` about all. `None` if
/// none of them has an answer.
///
/// It is a run whose outcome, the statuses and places of all points together, is the most frequent one among the runs
/// that reached `R` (among all, if none did); of these the first one whose executions agreed, else the first one.
#[must_use]
pub fn combined(asked: u32, mut runs: Vec<Run>) -> Option<Answer> {
    runs.sort_by_key(|run| run.number);
    let mut failed = Tally::default();
    let mut answers: Vec<(u32, Answer)> = Vec::new();
    for run in runs {
        match run.end {
            Ok(answer) => answers.push((run.number, answer)),
            Err(reason) => failed.add(reason),
        }
    }

    let mut whole = Tally::default();
    for (_, answer) in &answers {
        whole.add(outcome(answer));
    }
    let any_reached = answers.iter().any(|(_, answer)| is_reached(answer));
    let (most_frequent, alike) = whole
        .most_frequent_first()
        .into_iter()
        .find(|(outcome, _)| {
            let reached = outcome
                .first()
                .is_some_and(|point| point.status == Status::Found);
            reached || !any_reached
        })?;
    let is_alike = |(_, answer): &&(u32, Answer)| outcome(answer) == most_frequent;
    let mut candidates = answers.iter().filter(is_alike);
    let first = candidates.clone().next();
    let (shown, answer) = candidates
        .find(|(_, answer)| answer.consistency.agrees)
        .or(first)?;

    let reached = || answers.iter().filter(|(_, answer)| is_reached(answer));
    let runs = Runs {
        asked,
        answered: count(answers.iter()),
        reached: count(reached()),
        agreed: count(reached().filter(|(_, answer)| answer.consistency.agrees)),
        shown: *shown,
        alike,
        failed: failed
            .most_frequent_first()
            .into_iter()
            .map(|(reason, count)| FailedRuns { reason, count })
            .collect(),
        points: (0..answer.points.len())
            .map(|index| point_runs(index, &answer.points[index].name, &answers))
            .collect(),
    };
    Some(Answer {
        runs: Some(runs),
        ..answer.clone()
    })
}

fn point_runs(index: usize, name: &str, answers: &[(u32, Answer)]) -> PointRuns {
    let mut tally = Tally::default();
    for (_, answer) in answers {
        if let Some(point) = answer.points.get(index) {
            tally.add(Outcome::of(point));
        }
    }
    let answers = tally.most_frequent_first().into_iter();
    PointRuns {
        name: name.to_owned(),
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

fn outcome(answer: &Answer) -> Vec<Outcome> {
    answer.points.iter().map(Outcome::of).collect()
}

fn is_reached(answer: &Answer) -> bool {
    let point = answer.points.first();
    point.is_some_and(|point| point.status == Status::Found)
}

fn count(of: impl Iterator) -> u32 {
    u32::try_from(of.count()).unwrap_or(u32::MAX)
}

/// How often there was what, in the order in which it came up.
struct Tally<T>(Vec<(T, u32)>);

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> Tally<T> {
    fn add(&mut self, item: T) {
        match self.0.iter_mut().find(|(known, _)| *known == item) {
            Some((_, count)) => *count += 1,
            None => self.0.push((item, 1)),
        }
    }

    /// Of two that are as frequent the one that came up earlier is the first.
    fn most_frequent_first(mut self) -> Vec<(T, u32)> {
        self.0.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Consistency, Coverage, SCHEMA, Timing};
    use super::*;

    fn point(name: &str, status: Status, line: u32) -> PointAnswer {
        PointAnswer {
            location: (line > 0).then(|| Location {
                url: "http://h/app.js".to_owned(),
                line,
                column: 1,
                generated: None,
                maker: None,
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
        Run {
            number,
            end: Ok(answer(points, agrees, number)),
        }
    }

    fn not_reached(number: u32) -> Run {
        let status = Status::NotReached;
        let points = vec![point("R", status, 0), point("B", status, 0)];
        Run {
            number,
            end: Ok(answer(points, true, number)),
        }
    }

    fn failed(number: u32, why: &str) -> Run {
        Run {
            number,
            end: Err(why.to_owned()),
        }
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
