//! The loops of a log's scripts, by the sites that are in them.

use std::collections::HashMap;

use event_log::ids::SiteId;
pub use js_analysis::loops::LoopPart;
use js_analysis::loops::{loops, loops_around};

use super::LoggedSource;

/// A loop of the scripts of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedLoop {
    /// Its text without the statement that is repeated; where a source map was followed, its first word alone.
    pub head: String,
    /// Whether its condition is behind the statement.
    pub tests_last: bool,
    /// Whether it has a condition.
    pub has_test: bool,
}

/// The loops of the scripts of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedLoops {
    /// All of them.
    pub loops: Vec<LoggedLoop>,
    /// Of a site those around it, by index, the outermost first. Loops of the functions around are among them.
    pub sites: HashMap<SiteId, Vec<(u32, LoopPart)>>,
}

/// The loops of a log's scripts.
#[must_use]
pub fn loops_at(sources: &[LoggedSource]) -> LoggedLoops {
    let mut found = LoggedLoops::default();
    for source in sources {
        let Ok(own) = loops(&source.text, source.goal) else {
            continue;
        };
        let first = found.loops.len();
        let (begin, sites) = &source.sites;
        for (&at, number) in sites.iter().zip(begin.0..) {
            let around = loops_around(&own, at).filter_map(|index| {
                let number = u32::try_from(first + index).ok()?;
                Some((number, own.get(index)?.part(at)))
            });
            let mut around: Vec<(u32, LoopPart)> = around.collect();
            if !around.is_empty() {
                around.reverse();
                found.sites.insert(SiteId(number), around);
            }
        }
        found.loops.extend(own.into_iter().map(|it| LoggedLoop {
            head: match (source.is_mapped, it.head.split([' ', '(']).next()) {
                (true, Some(word)) => word.to_owned(),
                _ => it.head,
            },
            tests_last: it.tests_last,
            has_test: it.test.is_some(),
        }));
    }
    found
}
