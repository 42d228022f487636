//! The answer, put together from what the executions gave.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use querypoint::answer::{Answer, Consistency, Coverage, PointAnswer, SCHEMA, Status, Timing};
use querypoint::graph::Parent;
use querypoint::point::ReproductionPoint;

use super::Question;
use crate::execution::{ExecutionOutcome, Uncaught};
use crate::points::{Evidence, point_answer, reproduction_point};
use crate::report::{Hit, QueryResult, Text, collect};
use crate::sources::PointSearch;

impl Question<'_> {
    pub(super) fn assemble(
        &self,
        outcome: &ExecutionOutcome,
        results: &BTreeMap<usize, &QueryResult>,
        hits: u64,
        in_page: Option<&Hit>,
    ) -> Answer {
        self.assembled(outcome, results, hits, in_page, false)
    }

    /// The answer as far as it is known where an execution took too long: from the one that found the events.
    pub(super) fn unfinished(
        &mut self,
        found: &ExecutionOutcome,
        hit: &Hit,
        late: &BTreeMap<usize, QueryResult>,
        why: &str,
    ) -> Answer {
        self.notes.push(format!(
            "{why}; what is shown is what was found before, without the values before changes, stacks and states"
        ));
        let parents = |query| self.setting.parent_query(query);
        let mut results = hit.all_results(&parents);
        collect(late, &parents, &mut results);
        self.assembled(found, &results, found.hits(), None, true)
    }

    fn assembled(
        &self,
        outcome: &ExecutionOutcome,
        results: &BTreeMap<usize, &QueryResult>,
        hits: u64,
        in_page: Option<&Hit>,
        is_unfinished: bool,
    ) -> Answer {
        let sources = self.setting.sources.lock();
        let hit_number = outcome
            .report()
            .and_then(|report| report.hit.as_ref())
            .map_or(0, |hit| hit.hit);
        let before = outcome.hits_before();
        let evidence = Evidence {
            sources: &sources,
            setting: &self.setting,
            outcome,
            in_page: in_page.is_some(),
            is_unfinished,
        };
        let mut points = vec![reproduction_point(
            &evidence,
            in_page.and_then(|hit| hit.captured.as_ref()),
            before + hit_number,
            hits.max(1),
        )];
        let mut answered: BTreeSet<usize> = BTreeSet::new();
        for query in &self.setting.plan.queries {
            let parent = match query.parent {
                Parent::ReproductionPoint => points.first(),
                Parent::Query(parent) if answered.contains(&parent) => points.get(parent + 1),
                Parent::Query(_) => None,
            };
            let result = results.get(&query.index).copied();
            let point = point_answer(&evidence, query, parent, result);
            if point.status == Status::Found {
                answered.insert(query.index);
            }
            points.push(point);
        }
        drop(sources);
        let varied = self.varied(results);
        let agrees = in_page.is_none() && varied.is_empty() && !is_unfinished;
        let mut answer = self.finish(outcome, points, agrees);
        answer.consistency.notes.extend(varied);
        answer
    }

    /// The values that are asked about at the reproduction point.
    pub(super) fn values_at_point(
        &self,
        results: &BTreeMap<usize, &QueryResult>,
    ) -> BTreeMap<usize, Text> {
        let at_point = |query: &usize| self.setting.parent_query(*query).is_none();
        let values = results.iter().filter(|(query, _)| at_point(query));
        values
            .filter_map(|(&query, result)| Some((query, result.value.clone()?)))
            .collect()
    }

    /// Says of each value asked about at the reproduction point whether it is another one than in the first execution:
    /// then the answer is about another value.
    fn varied(&self, results: &BTreeMap<usize, &QueryResult>) -> Vec<String> {
        let now = self.values_at_point(results);
        let first = self.first_values.iter().flatten();
        let pairs = first.filter_map(|(query, first)| Some((query, first, now.get(query)?)));
        let other = pairs.filter(|(_, first, now)| first != now);
        other
            .filter_map(|(&query, first, now)| {
                let query = self.setting.plan.queries.get(query)?;
                Some(format!(
                    "{}: the value at the reproduction point was {} {} and is {} in this one, which the answer is \
                     about",
                    query.name, first.text, self.first_time, now.text
                ))
            })
            .collect()
    }

    fn finish(&self, outcome: &ExecutionOutcome, points: Vec<PointAnswer>, agrees: bool) -> Answer {
        let seen = &outcome.seen;
        let offers = self.setting.protocol.offers();
        let mut notes: Vec<String> = offers.missing().map(|it| it.to_string()).collect();
        notes.extend(self.notes.iter().cloned());
        for note in &outcome.notes {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        Answer {
            schema: SCHEMA.to_owned(),
            page: self.setting.page_url.clone(),
            executions: self.executions,
            points,
            coverage: Coverage {
                scripts: seen.scripts,
                hooked: seen.hooked,
                unhooked_sites: (seen.unhooked_sites > 0).then_some(seen.unhooked_sites),
                blind_spots: seen.blind_spots.clone(),
                not_run: Vec::new(),
            },
            consistency: Consistency { agrees, notes },
            timing_ms: Timing {
                replay: whole_ms(self.first_replay_ms),
                rewrite: whole_ms(self.rewrite_ms),
                total: whole_ms(self.setting.clock.now_ms() - self.start_ms),
            },
            runs: None,
            kept: None,
        }
    }

    pub(super) fn not_reached(&self, outcome: &ExecutionOutcome) -> Answer {
        let mut why = why_not_reached(&self.setting.at, &outcome.seen.search, outcome.hits());
        if let ReproductionPoint::Exception { text } = &self.setting.at
            && let Some(told) = self.told_by_browser(&outcome.uncaught, text.as_deref())
        {
            why = told;
        }
        let mut points = vec![PointAnswer {
            note: Some(why),
            ..PointAnswer::new("R", None, Status::NotReached)
        }];
        points.extend(self.setting.plan.queries.iter().map(|query| PointAnswer {
            note: Some("the reproduction point was not reached".to_owned()),
            ..PointAnswer::new(
                query.name.to_string(),
                Some(query.text.clone()),
                Status::NotReached,
            )
        }));
        self.finish(outcome, points, true)
    }

    /// The exceptions that the browser told, and at which no script was paused: of a module that does not link, of a
    /// script that does not parse, of a promise that the browser rejects.
    fn told_by_browser(&self, uncaught: &[Uncaught], text: Option<&str>) -> Option<String> {
        const MOST_NAMED: usize = 3;
        let is_meant = |one: &&Uncaught| text.is_none_or(|text| one.text.contains(text));
        let mut told: Vec<String> = Vec::new();
        for one in uncaught.iter().filter(is_meant) {
            let place = self.setting.sources.lock().place(&one.url, one.at).location;
            let file = place.url.rsplit('/').next().unwrap_or_default();
            told.push(match file {
                "" => one.text.clone(),
                _ => format!("{} ({file}:{}:{})", one.text, place.line, place.column),
            });
        }
        let more = match told.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        told.truncate(MOST_NAMED);
        (!told.is_empty()).then(|| {
            format!(
                "the browser tells of {}{more}, at which no script was paused; so it is where a module cannot be \
                 linked, a script does not parse, or the browser rejects a promise; ask at another point, or whyNot of \
                 a line that did not run",
                told.join(", ")
            )
        })
    }

    pub(super) fn diverged(&self, outcome: &ExecutionOutcome) -> Answer {
        let note = "the reproduction point was reached in the first execution and not in a later one; ask again, \
                    or record what makes the page vary";
        let mut points = vec![PointAnswer {
            note: Some(note.to_owned()),
            ..PointAnswer::new("R", None, Status::Diverged)
        }];
        points.extend(self.setting.plan.queries.iter().map(|query| PointAnswer {
            note: Some(note.to_owned()),
            ..PointAnswer::new(
                query.name.to_string(),
                Some(query.text.clone()),
                Status::Diverged,
            )
        }));
        self.finish(outcome, points, false)
    }
}

/// Rounds to whole milliseconds.
pub(super) fn whole_ms(milliseconds: f64) -> u64 {
    Duration::try_from_secs_f64(milliseconds.max(0.0) / 1000.0).map_or(0, |duration| {
        u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
    })
}
/// Why the reproduction point was not reached, and what to do.
pub(crate) fn why_not_reached(at: &ReproductionPoint, search: &PointSearch, hits: u64) -> String {
    match at {
        ReproductionPoint::Location {
            file, line, hit, ..
        } => {
            if search.matching.list().is_empty() {
                const MOST_NAMED: usize = 12;
                let mut seen = search.seen.list();
                seen = seen.get(..MOST_NAMED).unwrap_or(seen);
                return if seen.is_empty() {
                    format!("no script {file} was loaded, nor any other; check the page's address")
                } else {
                    format!(
                        "no script whose address ends in {file} was loaded; these were: {}",
                        seen.join(", ")
                    )
                };
            }
            if search.places == 0
                && let Some(reason) = &search.unread
            {
                return format!("line {line} of {file} is in a script that is {reason}");
            }
            if search.places == 0 {
                let mut nearest = search.nearest.clone();
                nearest.sort_by_key(|near| (near.abs_diff(*line), *near));
                nearest.dedup();
                let nearest = match nearest.as_slice() {
                    [] => "it has none at all".to_owned(),
                    [line] => format!("the nearest line that has is {line}"),
                    [line, other, ..] => format!("the nearest lines that have are {line} and {other}"),
                };
                return format!("line {line} of {file} has no code; {nearest}");
            }
            if hits > 0 {
                return format!(
                    "{file}:{line} was hit {hits} times in this replay, so there is no hit #{}; hits are counted from \
                     0",
                    hit.0
                );
            }
            format!(
                "{file}:{line} was never reached in this replay; check the line, or give a recording \
                 (--recording FILE) of the actions that lead there"
            )
        }
        ReproductionPoint::Exception { text: None } => {
            "no uncaught exception was thrown in this replay; give a recording of the actions that lead to one"
                .to_owned()
        }
        ReproductionPoint::Exception { text: Some(text) } => {
            format!("no uncaught exception whose message holds {text:?} was thrown in this replay")
        }
        ReproductionPoint::Console { text } => {
            format!("no console message that holds {text:?} was written in this replay")
        }
        ReproductionPoint::End => "the page has no agent at the end of the replay".to_owned(),
    }
}
