//! The lines of files that did not run, as the browser counted it.

use std::collections::{BTreeMap, BTreeSet};

use js_analysis::position::ByteOffset;
use querypoint::answer::LinesNotRun;

use super::{Analysed, PlaceInScript};
use crate::sources::Sources;

/// Of one file no more stretches are given.
const MOST_STRETCHES: usize = 10_000;

impl Sources {
    /// The lines of these files that have code and did not run. A line of which a part ran did run. What an exception
    /// cut off is counted as if it had run.
    pub(crate) fn lines_not_run(
        &self,
        analysed: &Analysed,
        urls: &BTreeSet<String>,
    ) -> Vec<LinesNotRun> {
        let mut files: BTreeMap<String, BTreeMap<u32, bool>> = BTreeMap::new();
        for (index, own) in analysed.scripts.iter().enumerate() {
            let (Some(text), Some(coverage)) = (self.texts.get(own.text), &own.coverage) else {
                continue;
            };
            let mut sources = text.source_map.iter().flat_map(|map| map.sources());
            if !urls.contains(&text.url) && !sources.any(|source| urls.contains(&source.url)) {
                continue;
            }
            let Some(content) = text.content(&own.script) else {
                continue;
            };
            let places = own.parsed.with(content, |parsed| parsed.code_places());
            for at in places.offsets() {
                let script = ByteOffset::from_index(index).0;
                let found = self.source_location(analysed, PlaceInScript { script, at });
                let Some(location) = found.map(|it| it.location) else {
                    continue;
                };
                if urls.contains(&location.url) {
                    let lines = files.entry(location.url).or_default();
                    *lines.entry(location.line).or_default() |= coverage.evaluated(at) > 0;
                }
            }
        }
        let files = files.into_iter().map(|(url, lines)| {
            let lines = stretches(&lines);
            LinesNotRun { url, lines }
        });
        files.filter(|file| !file.lines.is_empty()).collect()
    }
}

/// Lines that did not run (`false`); those that follow one another are one stretch.
fn stretches(lines: &BTreeMap<u32, bool>) -> Vec<(u32, u32)> {
    let mut stretches: Vec<(u32, u32)> = Vec::new();
    let not_run = lines.iter().filter(|(_, has_run)| !**has_run);
    for (&line, _) in not_run {
        match stretches.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(line) => *last = line,
            _ => stretches.push((line, line)),
        }
    }
    stretches.truncate(MOST_STRETCHES);
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn lines_that_did_not_run_are_stretches_of_lines_that_follow_one_another() {
        let lines = [
            (1, true),
            (3, false),
            (4, false),
            (7, false),
            (8, true),
            (u32::MAX, false),
        ];
        let expected = [(3, 4), (7, 7), (u32::MAX, u32::MAX)];
        assert_eq!(stretches(&BTreeMap::from(lines)), expected);
        assert_eq!(stretches(&BTreeMap::from([(2, true)])), []);
    }
}
