//! Conditions: which of a script's can be the last one before a point, and what is known of a frame that a point was
//! called from.

use js_analysis::control_flow::{Condition, FlowMoment, FlowPoint};
use js_analysis::position::{ByteOffset, ByteSpan, Utf16Position};
use js_analysis::rewrite::{
    Instrumentation, NamesAsWritten, OriginalNames, RewriteError, Script, Site, SiteKind, Watch,
    WatchedCondition,
};
use querypoint::graph::Parent;

use super::{ConditionText, ScriptIn, SiteEntry, Sources};
use crate::collection::{CallPlace, ConditionQuery};

/// What a frame is to a question about the last condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FrameFlow {
    /// No condition decides whether its call is reached, or none that could be seen.
    Straight,
    /// Its conditions are watched: what a debugger evaluates there gives the last outcome.
    Watched {
        /// The context thunk for the agent.
        context: String,
    },
    /// Its conditions are not watched yet.
    Unwatched(CallPlace),
}

impl Sources {
    /// The conditions of a script that can be the last one before a point at which a query asks for it. `in_text`:
    /// where the script is, if frames that are in it are known.
    pub(super) fn conditions(
        &self,
        in_text: Option<(&str, ByteSpan)>,
        script: &Script<'_>,
        instrumentation: &Instrumentation,
        names: &dyn OriginalNames,
    ) -> Result<Vec<WatchedCondition>, RewriteError> {
        let mut watched: Vec<WatchedCondition> = Vec::new();
        let mut found: Vec<(usize, Vec<Condition>)> = Vec::new();
        for query in self.collection.condition_queries() {
            let mut points = match query.parent {
                Parent::ReproductionPoint => points_requested(instrumentation),
                Parent::Query(parent) => match found.iter().find(|(query, _)| *query == parent) {
                    Some((_, conditions)) => decisions(conditions),
                    None => self.writes(parent, script, instrumentation, names)?,
                },
            };
            let calls = self.collection.calls_in_script(query.query, in_text);
            points.extend(calls.into_iter().map(|at| FlowPoint {
                at,
                moment: FlowMoment::Effect,
            }));
            let mut conditions = if points.is_empty() {
                Vec::new()
            } else {
                script.conditions_before(&points).concat()
            };
            conditions.sort_unstable();
            conditions.dedup();
            for &condition in &conditions {
                match watched
                    .iter_mut()
                    .find(|known| known.condition == condition)
                {
                    Some(known) => known.slots.push(query.slot),
                    None => watched.push(WatchedCondition {
                        condition,
                        slots: vec![query.slot],
                    }),
                }
            }
            found.push((query.query, conditions));
        }
        Ok(watched)
    }

    /// The writes in a script that can be the point of a query.
    pub(super) fn writes(
        &self,
        query: usize,
        script: &Script<'_>,
        instrumentation: &Instrumentation,
        names: &dyn OriginalNames,
    ) -> Result<Vec<FlowPoint>, RewriteError> {
        let alone = Instrumentation {
            watch: Watch::Names(self.collection.watched_by(query)),
            dependents: Vec::new(),
            capture: None,
            points: Vec::new(),
            conditions: Vec::new(),
            ..instrumentation.clone()
        };
        let sites = script.rewrite(&alone, names)?.sites;
        let is_write = |site: &&Site| {
            !matches!(
                site.kind,
                SiteKind::Parameter
                    | SiteKind::Call
                    | SiteKind::Code
                    | SiteKind::Condition
                    | SiteKind::TryBlock
                    | SiteKind::Activation
                    | SiteKind::Event
            )
        };
        let points = sites.iter().filter(is_write).map(|site| FlowPoint {
            at: site.at,
            moment: FlowMoment::Effect,
        });
        Ok(points.collect())
    }

    /// The sites of all conditions, `try` blocks and functions that are watched: their functions may be on a stack.
    pub(crate) fn sites_on_stacks(&self) -> Vec<u32> {
        // Without the others only what is in frames of optimised code would be missing.
        const MOST: usize = 500;
        let numbers = (1..).zip(&self.sites);
        let is_looked_for = |site: &SiteEntry| {
            matches!(
                site.kind,
                SiteKind::Condition | SiteKind::TryBlock | SiteKind::Activation | SiteKind::Event
            )
        };
        let sites = numbers.filter(|(_, site)| is_looked_for(site));
        sites.map(|(number, _)| number).take(MOST).collect()
    }

    /// What a frame that is at `running` of `url` is to a question about the last condition. `is_newest`: it is
    /// at the point itself, else at a call.
    pub(crate) fn frame_flow(
        &self,
        query: &ConditionQuery,
        url: &str,
        running: Utf16Position,
        is_newest: bool,
    ) -> FrameFlow {
        self.frame_flow_of(query, url, running, is_newest)
            .unwrap_or(FrameFlow::Straight)
    }

    fn frame_flow_of(
        &self,
        query: &ConditionQuery,
        url: &str,
        running: Utf16Position,
        is_newest: bool,
    ) -> Option<FrameFlow> {
        let text = self.text_of(url)?;
        let offset = text.mapped.original_offset(running)?;
        let &ScriptIn { span, goal, number } = text.script_at(offset)?;
        let content = text
            .mapped
            .original
            .get(span.start.index()..span.end.index())?;
        let local = ByteOffset(offset.0 - span.start.0);
        let mut instrumentation = self
            .collection
            .instrumentation(number, 1, false, Vec::new());
        instrumentation.outer.clone_from(&text.outer);
        let flow = self.parsed.with(content, goal, |script| {
            let at = match is_newest {
                true => local,
                false => script.call_at(local).unwrap_or(local),
            };
            let in_text = ByteOffset(at.0 + span.start.0);
            let mut calls = self.collection.calls_in(query.query, &text.url);
            let is_known = calls.any(|call| call == in_text);
            let context = || {
                let dependents = [query.dependent];
                script.context_at(local, None, &instrumentation, &dependents, &NamesAsWritten)
            };
            if is_known {
                return FrameFlow::Watched { context: context() };
            }
            let point = FlowPoint {
                at,
                moment: FlowMoment::Effect,
            };
            if script.conditions_before(&[point]).concat().is_empty() {
                return FrameFlow::Straight;
            }
            FrameFlow::Unwatched(CallPlace {
                url: text.url.clone(),
                at: in_text,
            })
        });
        flow.ok()
    }
}

/// Where the reproduction point is in a script.
pub(super) fn points_requested(instrumentation: &Instrumentation) -> Vec<FlowPoint> {
    let points = instrumentation.points.iter();
    let requested = points.filter(|point| point.slot.is_none());
    let places = requested.map(|point| FlowPoint {
        at: point.place.at,
        moment: FlowMoment::Start,
    });
    places.collect()
}

fn decisions(conditions: &[Condition]) -> Vec<FlowPoint> {
    let points = conditions.iter().map(|condition| FlowPoint {
        at: condition.span.start,
        moment: FlowMoment::Decision,
    });
    points.collect()
}

/// The texts of the conditions among `sites`, by index.
pub(super) fn texts(content: &str, sites: &[Site]) -> Vec<Option<ConditionText>> {
    const LONGEST: usize = 200;
    let text = |span: ByteSpan| -> String {
        let text = content.get(span.start.index()..span.end.index());
        let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
        words.join(" ").chars().take(LONGEST).collect()
    };
    let of = |site: &Site| {
        let condition = site.condition.as_ref()?;
        Some(ConditionText {
            text: text(condition.condition.span),
            operands: condition.operands.iter().map(|&span| text(span)).collect(),
            operand_places: condition.operands.iter().map(|span| span.start).collect(),
        })
    };
    sites.iter().map(of).collect()
}
