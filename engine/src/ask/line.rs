//! The execution line of a query: the question is asked again with one query more, which counts and logs all that was
//! looked through.

use std::collections::BTreeMap;
use std::sync::Arc;

use querypoint::answer::{Answer, PointAnswer, Status};
use querypoint::execution_line::{EventPlace, ExecutionLine, Logged, Mark, NoLine, verdicts};
use querypoint::graph::Parent;
use querypoint::plan::{CollectionPlan, Moment, Sought};

use super::{AskError, AskRequest, LastExecution, Progress, Question, Via};
use crate::sources::Sources;
use cdp_driver::protocol::{Clock, Protocol};

/// [`super::ask`], with the execution line of the query `name`: every write that it looked through in the execution
/// that gave the answer. The reproduction point is reached by running the page, whatever the request says of call
/// stacks.
///
/// # Errors
/// As [`super::ask`]; [`AskError::Line`] if what the query looks through is not logged, or no one execution gave the
/// answer.
pub async fn ask_line(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    name: &str,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(Answer, ExecutionLine), AskError> {
    if super::origin::is_asked(request) {
        let asked = super::ask_and_keep(protocol.clone(), clock.clone(), request, progress);
        let asked = Box::pin(asked).await?;
        if let Some(from) = asked.reached_from.get(name)
            && from.name == name
        {
            let line = ask_line(protocol, clock, &from.request, name, progress);
            let (_, mut line) = Box::pin(line).await?;
            if line.asked_at.text == "R" {
                line.asked_at.text.clone_from(&from.origin);
            }
            return Ok((asked.answer, line));
        }
    }
    let plan = CollectionPlan::new(&request.graph, &request.watches)?;
    let (plan, query, counter) = plan.with_line_of(name)?;
    let counts = plan.queries.last().map(|query| query.name.to_string());
    let mut question = Question::planned(protocol, clock, request, plan, progress)?;
    question.setting.logged = Some(counter);
    let mut answer = loop {
        if let Some(answer) = question.round(&mut Via::Page).await? {
            break answer;
        }
        question.watch_more();
    };
    answer
        .points
        .retain(|point| Some(&point.name) != counts.as_ref());
    let Some(last) = &question.last else {
        return Err(NoLine::NoExecution(name.to_owned()).into());
    };
    let line = question.line(query, counter, last, &answer.points);
    Ok((answer, line))
}

impl Question<'_> {
    /// The line of `query`, whose events `counter` has counted in the execution that gave these points.
    fn line(
        &self,
        query: usize,
        counter: usize,
        last: &LastExecution,
        points: &[PointAnswer],
    ) -> ExecutionLine {
        let plan = &self.setting.plan;
        let log = &last.outcome.log;
        let before = |point: Parent| {
            let count = last.counts.get(&(Moment::At(point), counter));
            let before = count.map(|count| count.before());
            before.map_or(log.entries.len(), |it| {
                usize::try_from(it).unwrap_or(usize::MAX)
            })
        };
        let is_found = |query: usize| {
            let name = plan.queries.get(query).map(|query| query.name.to_string());
            points
                .iter()
                .any(|it| Some(&it.name) == name.as_ref() && it.status == Status::Found)
        };
        // The sequence numbers of other kinds of events name none of these.
        let index_of = |query: usize| {
            let is_change = matches!(plan.queries.get(query)?.sought, Sought::Change(_));
            let sequence = last
                .sequences
                .get(&query)
                .filter(|_| is_change && is_found(query))?;
            let found = log
                .entries
                .binary_search_by_key(sequence, |entry| entry.sequence);
            found.ok()
        };
        let parent = plan.queries.get(query).map(|query| query.parent);
        let parent = parent.unwrap_or(Parent::ReproductionPoint);
        let name_of = |point: Parent| match point {
            Parent::ReproductionPoint => "R".to_owned(),
            Parent::Query(query) => {
                let query = plan.queries.get(query);
                query
                    .map(|query| query.name.to_string())
                    .unwrap_or_default()
            }
        };
        let logged: Vec<Logged> = log
            .entries
            .iter()
            .map(|entry| Logged {
                object: entry.object,
                is_change: entry.is_change,
            })
            .collect();
        let sources = self.setting.sources.lock();
        let (places, place_of) = self.places(&sources, last);
        let on_line = plan.queries.iter().filter_map(|other| {
            let before = index_of(other.index)?;
            Some(Mark {
                before,
                text: other.name.to_string(),
            })
        });
        let actions = log.marks.iter().map(|(before, text)| Mark {
            before: *before,
            text: text.clone(),
        });
        ExecutionLine {
            point: name_of(Parent::Query(query)),
            event: plan.counted(counter).unwrap_or_default(),
            verdicts: verdicts(&logged, index_of(query), before(parent)),
            place_of,
            object_of: logged.iter().map(|it| it.object).collect(),
            places,
            asked_at: Mark {
                before: before(parent),
                text: name_of(parent),
            },
            reproduction: before(Parent::ReproductionPoint),
            points: on_line.collect(),
            actions: actions.collect(),
            left_out: log.left_out,
        }
    }

    /// The places of all events, each once, and for each event the index of its own.
    fn places(&self, sources: &Sources, last: &LastExecution) -> (Vec<EventPlace>, Vec<u32>) {
        let log = &last.outcome.log;
        let mut numbers: BTreeMap<i64, u32> = BTreeMap::new();
        let mut places = Vec::new();
        let mut place_of = Vec::with_capacity(log.entries.len());
        for entry in &log.entries {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(entry.site).or_insert_with(|| {
                let site = u32::try_from(entry.site).ok();
                let site = site.and_then(|site| sources.site(site));
                let place = site.and_then(|site| sources.site_location(site));
                places.push(EventPlace {
                    location: place.map(|place| place.location),
                    by: log.native_function(entry).map(str::to_owned),
                });
                next
            });
            place_of.push(number);
        }
        (places, place_of)
    }
}
