//! Trace queries: from how many events there were at each point to the event that is meant.

use std::collections::BTreeMap;

use querypoint::graph::Parent;
use querypoint::plan::{CollectionPlan, Count, EventRange, Moment, Sought, TracePlan, position};
use querypoint::query::Event;
use querypoint::resolution::Sequence;

use super::report::{QueryResult, Report, ResultStatus};

/// More are not looked at one by one.
const MOST_EXAMINED: u64 = 2000;

/// How many events of each trace query there were at each moment.
pub(super) type Counts = BTreeMap<(Moment, usize), Count>;

/// The events that passed the filters of their queries, by query and number, and how far they were looked at.
pub(super) type Passed = BTreeMap<usize, Examined>;

/// What was looked at for one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Examined {
    pub(super) range: EventRange,
    /// The numbers of those that passed, in order.
    pub(super) passed: Vec<u64>,
    /// Why it cannot be said.
    pub(super) problem: Option<String>,
}

/// What the page itself has counted: at the reproduction point, and at each found point.
pub(super) fn counts(
    plan: &CollectionPlan,
    roots: &BTreeMap<usize, QueryResult>,
    results: &BTreeMap<usize, &QueryResult>,
) -> Counts {
    let mut counts = Counts::new();
    let counted = |result: Option<&QueryResult>| {
        let result = result.filter(|result| result.status == ResultStatus::Counted)?;
        counted_by(result)
    };
    for (query, trace) in traces(plan) {
        for point in trace.points() {
            let result = match point {
                Parent::ReproductionPoint => roots.get(&query),
                Parent::Query(point) => results
                    .get(&point)
                    .and_then(|result| result.asked_there.get(&query)),
            };
            if let Some(count) = counted(result) {
                counts.insert((Moment::At(point), query), count);
            }
        }
    }
    counts
}

/// The count that a result is.
pub(super) fn counted_by(result: &QueryResult) -> Option<Count> {
    Some(Count {
        so_far: result.changes?,
        is_own: result.own,
    })
}

/// What the page has counted up to its end.
pub(super) fn counts_at_end(report: &Report) -> Counts {
    let counts = report.counts.iter();
    counts
        .map(|(&query, &so_far)| {
            let is_own = false;
            ((Moment::End, query), Count { so_far, is_own })
        })
        .collect()
}

fn traces(plan: &CollectionPlan) -> impl Iterator<Item = (usize, &TracePlan)> {
    plan.queries.iter().filter_map(|query| match &query.sought {
        Sought::Trace(trace) => Some((query.index, trace)),
        _ => None,
    })
}

/// What becomes of each trace query, and the events that must be looked at before that can be said.
pub(super) fn resolved(
    plan: &CollectionPlan,
    counts: &Counts,
    examined: &Passed,
) -> (BTreeMap<usize, QueryResult>, BTreeMap<usize, EventRange>) {
    let mut results = BTreeMap::new();
    let mut missing = BTreeMap::new();
    for (query, trace) in traces(plan) {
        let count_at = |moment| counts.get(&(moment, query)).copied();
        let Some(range) = trace.range(&count_at) else {
            let why = "a point that it names was not reached".to_owned();
            results.insert(query, QueryResult::of(ResultStatus::Nothing, Some(why)));
            continue;
        };
        if trace.filters.is_empty() {
            results.insert(
                query,
                chosen(query, trace, range.size(), range.at(trace.index)),
            );
            continue;
        }
        let nearest = range.nearest(trace.index, MOST_EXAMINED);
        match examined.get(&query).filter(|known| known.range == nearest) {
            Some(known) => {
                results.insert(query, of_examined(query, range, trace, known));
            }
            None if range.size() == 0 => {
                results.insert(query, chosen(query, trace, 0, None));
            }
            None => {
                missing.insert(query, nearest);
            }
        }
    }
    (results, missing)
}

fn of_examined(
    query: usize,
    range: EventRange,
    trace: &TracePlan,
    known: &Examined,
) -> QueryResult {
    if let Some(problem) = &known.problem {
        return QueryResult::of(ResultStatus::Undecided, Some(problem.clone()));
    }
    let size = u64::try_from(known.passed.len()).unwrap_or(u64::MAX);
    let number = position(size, trace.index)
        .and_then(|position| usize::try_from(position).ok())
        .and_then(|position| known.passed.get(position).copied());
    let is_whole = known.range == range;
    if number.is_none() && !is_whole {
        let why = format!(
            "of {} events, the {} nearest were looked at, and {size} of them fit; ask nearer to them, with before or \
             after",
            range.size(),
            known.range.size()
        );
        return QueryResult::of(ResultStatus::Undecided, Some(why));
    }
    let mut result = chosen(query, trace, size, number);
    if !is_whole {
        // How many there are in all was not found out.
        result.changes = None;
        result.index = None;
    }
    result
}

/// The event with the number `number`, of `size`.
fn chosen(query: usize, trace: &TracePlan, size: u64, number: Option<u64>) -> QueryResult {
    let index = trace.index;
    let Some(number) = number else {
        let why = match size {
            0 => match &trace.event {
                Event::Call(name) | Event::Return(name) if name.contains('.') => format!(
                    "there is no such event; only functions of the page are counted, those whose way ends in {name}"
                ),
                _ => "there is no such event".to_owned(),
            },
            1 => format!("index {index} is out of range: there is 1 such event"),
            _ => format!("index {index} is out of range: there are {size} such events"),
        };
        return QueryResult::of(ResultStatus::Nothing, Some(why));
    };
    let mut result = QueryResult::of(ResultStatus::Found, None);
    result.sequence = Some(Sequence::of_counted(query, number));
    result.owner = Some(0);
    result.changes = Some(size);
    result.index = position(size, index);
    result.same = Some(true);
    result
}
