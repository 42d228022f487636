//! `try` blocks: which of a script's are around a point after which an exception is asked for.

use js_analysis::position::{ByteOffset, ByteSpan, Utf16Position};
use js_analysis::rewrite::{
    Instrumentation, OriginalNames, RewriteError, Script, SiteKind, entry_name,
};
use querypoint::graph::Parent;

use super::conditions::points_requested;
use super::{ScriptIn, Sources};
use crate::collection::CallPlace;

/// The `try` block in which a frame is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TryBlock {
    /// Where it begins.
    pub(crate) place: CallPlace,
    /// The variable that holds the number of its entry, if the block is watched.
    pub(crate) entry: String,
}

impl Sources {
    /// The `try` blocks of a script that are to say when they are entered, by their opening brace, each with the query
    /// that asks for it. `in_text`: where the script is, if frames that are in it are known.
    pub(super) fn try_blocks(
        &self,
        in_text: Option<(&str, ByteSpan)>,
        script: &Script<'_>,
        instrumentation: &Instrumentation,
        names: &dyn OriginalNames,
    ) -> Result<Vec<(ByteOffset, usize)>, RewriteError> {
        let mut blocks: Vec<(ByteOffset, usize)> = Vec::new();
        for query in self.collection.exception_queries() {
            let points = match query.parent {
                Parent::ReproductionPoint => points_requested(instrumentation)
                    .iter()
                    .map(|point| point.at)
                    .collect(),
                Parent::Query(parent) => {
                    let mut points: Vec<ByteOffset> = self
                        .writes(parent, script, instrumentation, names)?
                        .iter()
                        .map(|point| point.at)
                        .collect();
                    let slots = self.collection.condition_queries();
                    let slot = slots.iter().find(|query| query.query == parent);
                    let watched = instrumentation.conditions.iter().filter(|watched| {
                        slot.is_some_and(|query| watched.slots.contains(&query.slot))
                    });
                    points.extend(watched.map(|watched| watched.condition.span.start));
                    points
                }
            };
            let around = points
                .iter()
                .filter_map(|&at| script.try_blocks_around(at).first().copied())
                .map(|block| (block.start, query.query));
            blocks.extend(around);
            let known = self.collection.calls_in_script(query.query, in_text);
            blocks.extend(known.into_iter().map(|at| (at, query.query)));
        }
        blocks.sort_unstable();
        blocks.dedup();
        Ok(blocks)
    }

    /// The `try` blocks in which a frame is at `running` of `url`, the innermost first.
    pub(crate) fn try_blocks_at(&self, url: &str, running: Utf16Position) -> Vec<TryBlock> {
        self.try_blocks_of(url, running).unwrap_or_default()
    }

    /// Whether the block that begins there says when it is entered.
    pub(crate) fn watches_block(&self, block: &CallPlace) -> bool {
        let mut sites = self.sites.iter();
        sites.any(|site| {
            site.kind == SiteKind::TryBlock
                && site.at == block.at
                && self
                    .texts
                    .get(site.text)
                    .is_some_and(|it| it.url == block.url)
        })
    }

    fn try_blocks_of(&self, url: &str, running: Utf16Position) -> Option<Vec<TryBlock>> {
        let text = self.text_of(url)?;
        let offset = text.mapped.original_offset(running)?;
        let &ScriptIn { span, goal, .. } = text.script_at(offset)?;
        let content = text
            .mapped
            .original
            .get(span.start.index()..span.end.index())?;
        let local = ByteOffset(offset.0 - span.start.0);
        let blocks = self
            .parsed
            .with(content, goal, |script| script.try_blocks_around(local));
        let blocks = blocks.ok()?;
        let blocks = blocks.iter().map(|block| TryBlock {
            place: CallPlace {
                url: text.url.clone(),
                at: ByteOffset(span.start.0 + block.start.0),
            },
            entry: entry_name(&self.collection.prefix, block.start),
        });
        Some(blocks.collect())
    }
}
