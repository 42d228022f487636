//! Where in a flow graph the statements and expressions of the text are.

use super::condition::{FlowMoment, FlowPoint};
use super::graph::Block;
use crate::position::ByteSpan;

/// Where in the graph the places of the text are.
#[derive(Default)]
pub(super) struct Places {
    pub(super) starts: Vec<(ByteSpan, Block)>,
    pub(super) effects: Vec<(u32, Block)>,
    pub(super) decisions: Vec<(u32, Block)>,
    /// Each `finally` block, with all of its statement before it.
    pub(super) finalizers: Vec<(ByteSpan, ByteSpan)>,
}

impl Places {
    /// What runs before a `finally` block that a point is in: conditions there decide by which way the block is
    /// reached, not whether.
    pub(super) fn without_say(&self, point: FlowPoint) -> Vec<ByteSpan> {
        let is_in = |span: &ByteSpan| span.start <= point.at && point.at < span.end;
        let finalizers = self.finalizers.iter().filter(|(block, _)| is_in(block));
        finalizers.map(|(_, before)| *before).collect()
    }

    /// The blocks in which a point is: several, where it is in a `finally` block.
    pub(super) fn at(&self, point: FlowPoint) -> Vec<Block> {
        let at = point.at.0;
        let exact = match point.moment {
            FlowMoment::Start => Vec::new(),
            FlowMoment::Effect => blocks_at(&self.effects, at),
            FlowMoment::Decision => blocks_at(&self.decisions, at),
        };
        if !exact.is_empty() {
            return exact;
        }
        let begin = |(span, _): &&(ByteSpan, Block)| span.start.0 == at;
        let beginning: Vec<Block> = self
            .starts
            .iter()
            .filter(begin)
            .map(|place| place.1)
            .collect();
        if !beginning.is_empty() {
            return beginning;
        }
        // Nothing begins there: what is innermost around it.
        let around = self
            .starts
            .iter()
            .filter(|(span, _)| span.start.0 <= at && at < span.end.0);
        let innermost = around.min_by_key(|(span, _)| span.end.0 - span.start.0);
        innermost.map(|place| place.1).into_iter().collect()
    }
}

fn blocks_at(places: &[(u32, Block)], at: u32) -> Vec<Block> {
    let here = places.iter().filter(|(place, _)| *place == at);
    here.map(|(_, block)| *block).collect()
}
