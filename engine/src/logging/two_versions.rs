//! Scripts that are replaced by two versions of themselves in one.

use js_analysis::edits::PositionMap;
use js_analysis::position::LineIndex;
use js_analysis::source_map::SourceMap;

/// A script, and the two versions of it that take its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoVersions {
    /// What the script is.
    pub own: String,
    /// What takes its place.
    pub together: String,
    /// Where the script is in that.
    pub positions: PositionMap,
}

/// Scripts that are replaced by two versions of themselves in one ([`js_analysis::versions`]), and while which call the
/// other version runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// The scripts that there are in two versions.
    pub scripts: Vec<TwoVersions>,
    /// The name of the global variable that is the switch.
    pub switch: String,
    /// The number of the call, from 1, among those of its realm; 0: none.
    pub call: u32,
}

impl Versions {
    /// What a text becomes that holds scripts, and which of them; `None`: it has none of them.
    pub(super) fn of(&self, text: &str) -> Option<(BothTexts, Vec<usize>)> {
        let mut both: Option<BothTexts> = None;
        let mut found = Vec::new();
        for (index, script) in self.scripts.iter().enumerate() {
            let now = both.as_ref().map_or(text, |both| both.text.as_str());
            let next = if now == script.own {
                BothTexts {
                    text: script.together.clone(),
                    positions: Some(script.positions.clone()),
                }
            } else if !script.own.is_empty() && now.matches(script.own.as_str()).count() == 1 {
                BothTexts {
                    text: now.replacen(script.own.as_str(), &script.together, 1),
                    positions: None,
                }
            } else {
                continue;
            };
            both = Some(next);
            found.push(index);
        }
        both.map(|both| (both, found))
    }
}

/// A text with both versions of its scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BothTexts {
    pub(crate) text: String,
    /// Where the first version is in it, if the text is one script.
    pub(crate) positions: Option<PositionMap>,
}

impl BothTexts {
    /// The source map of the first version, whose text is `own`, for both.
    pub(crate) fn moved(&self, map: &SourceMap, own: &str) -> SourceMap {
        let Some(positions) = &self.positions else {
            return map.clone();
        };
        let (before, after) = (LineIndex::new(own), LineIndex::new(&self.text));
        let position = |at| after.position(&self.text, at);
        let inserted: Vec<_> = positions
            .insertions()
            .map(|it| (position(it.start), position(it.end)))
            .collect();
        let moved = |at| Some(position(positions.to_rewritten(before.offset(own, at)?)));
        map.moved(moved, &inserted)
    }
}
