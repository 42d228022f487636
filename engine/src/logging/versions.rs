//! The scripts of two versions of a page, each with its other version.

use std::collections::HashMap;

use event_log::ids::{FunctionId, SiteId};
use js_analysis::jsdoc::{DocTypes, doc_types};
use js_analysis::reads::{part_at, reads};
use js_analysis::renamed::{Renamed, renamed_built_ins};
pub use js_analysis::versions::Pairing;
use js_analysis::versions::{
    TopLevelNames, Version, both_versions, outside_names, top_level_names,
};

use super::{LoggedSource, TwoVersions, Versions};

/// What the own code of a function uses that is declared outside of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// Names of variables.
    pub names: Vec<String>,
    /// Whether it uses `this`.
    pub uses_this: bool,
}

/// What each function of the scripts of a log uses that is declared outside of it; those of which it is not known are
/// left out.
#[must_use]
pub fn outside(sources: &[LoggedSource]) -> HashMap<FunctionId, Outside> {
    let mut found = HashMap::new();
    for source in sources {
        let Ok(names) = outside_names(&source.text, source.goal) else {
            continue;
        };
        for it in names {
            let numbers = source.functions.iter();
            for (number, _) in numbers.filter(|(_, span)| *span == it.span) {
                let outside = Outside {
                    names: it.names.clone(),
                    uses_this: it.uses_this,
                };
                found.insert(*number, outside);
            }
        }
    }
    found
}

/// What the statement reads that a site of a log is in: a number for the statement, and names of variables and
/// properties (with a dot).
#[must_use]
pub fn reads_at(sources: &[LoggedSource]) -> HashMap<SiteId, (u32, Vec<String>)> {
    let mut found = HashMap::new();
    let mut first = 0;
    for source in sources {
        let Ok(parts) = reads(&source.text, source.goal) else {
            continue;
        };
        let (begin, sites) = &source.sites;
        for (&at, number) in sites.iter().zip(begin.0..) {
            if let Some(index) = part_at(&parts, at) {
                let part = u32::try_from(index)
                    .unwrap_or(u32::MAX)
                    .saturating_add(first);
                let names = parts.get(index).map(|it| it.names.clone());
                found.insert(SiteId(number), (part, names.unwrap_or_default()));
            }
        }
        first = first.saturating_add(u32::try_from(parts.len()).unwrap_or(u32::MAX));
    }
    found
}

/// Which built-in functions scripts call by other names: each text is read once.
#[derive(Clone, Debug, Default)]
pub struct RenamedBuiltIns(HashMap<String, Vec<Renamed>>);

impl RenamedBuiltIns {
    /// The sites of a log that may call a built-in function by another name: the callee as it is written, and the name
    /// of the function.
    pub fn at_sites(&mut self, sources: &[LoggedSource]) -> HashMap<SiteId, (String, String)> {
        let mut found = HashMap::new();
        for source in sources {
            let known = self.0.entry(source.text.clone()).or_insert_with(|| {
                renamed_built_ins(&source.text, source.goal).unwrap_or_default()
            });
            let by_place: HashMap<_, _> = known.iter().map(|it| (it.at, it)).collect();
            let (begin, sites) = &source.sites;
            for (at, number) in sites.iter().zip(begin.0..) {
                if let Some(call) = by_place.get(at) {
                    let names = (call.written.clone(), call.name.clone());
                    found.insert(SiteId(number), names);
                }
            }
        }
        found
    }
}

/// What the functions of a log's scripts declare of their values: by the comments before them, or in TypeScript that a
/// source map leads to.
#[must_use]
pub fn documented(sources: &[LoggedSource]) -> HashMap<FunctionId, DocTypes> {
    let mut found = HashMap::new();
    for source in sources {
        // The first is the script itself.
        for &(number, span) in source.functions.iter().skip(1) {
            if let Some(types) = doc_types(&source.text, span.start) {
                found.insert(number, types);
            }
        }
        found.extend(source.declared.iter().cloned());
    }
    found
}

/// Two versions of a page.
#[derive(Clone, Debug, Default)]
pub struct PagePair {
    /// The scripts that have functions of both.
    pub scripts: Vec<TwoVersions>,
    /// What is known of each function of the first version.
    pub functions: HashMap<FunctionId, Pairing>,
}

impl PagePair {
    /// Pairs the scripts of two pages, by the names of their files, and those in the documents by their order.
    /// `switch` is a name that no script has.
    #[must_use]
    pub fn new(first: &[LoggedSource], other: &[LoggedSource], switch: &str) -> Self {
        let names = TopLevelNames {
            first: declared(first),
            other: declared(other),
        };
        let mut pair = Self::default();
        for (source, counterpart) in counterparts(first, other) {
            let unknown = |why: &str| {
                let numbers = source.functions.iter();
                let why = Pairing::Unknown(why.to_owned());
                numbers
                    .map(|&(number, _)| (number, why.clone()))
                    .collect::<Vec<_>>()
            };
            let Some(counterpart) = counterpart else {
                pair.functions
                    .extend(unknown("the good version has no such script"));
                continue;
            };
            let [own, other] = [source, counterpart].map(|it| Version {
                source: &it.text,
                names: &it.names,
            });
            let together = both_versions(own, other, source.goal, switch, &names);
            let together = match together {
                Ok(together) => together,
                Err(error) => {
                    pair.functions.extend(unknown(&error.to_string()));
                    continue;
                }
            };
            let has_both = together
                .functions
                .iter()
                .any(|it| it.pairing == Pairing::Both);
            let is_once = first.iter().filter(|it| it.text == source.text).count() == 1;
            if has_both && !is_once {
                pair.functions
                    .extend(unknown("the page has the same script twice"));
                continue;
            }
            if has_both {
                pair.scripts.push(TwoVersions {
                    own: source.text.clone(),
                    together: together.text,
                    positions: together.positions,
                });
            }
            let by_span: HashMap<_, _> = together
                .functions
                .iter()
                .map(|it| ((it.span.start, it.span.end), &it.pairing))
                .collect();
            let (script, functions) = match source.functions.split_first() {
                Some((script, functions)) => (Some(script), functions),
                None => (None, &[][..]),
            };
            // The script itself is the first of both.
            if let (Some((number, _)), Some(whole)) = (script, together.functions.first()) {
                pair.functions.insert(*number, whole.pairing.clone());
            }
            for (number, span) in functions {
                let known = by_span.get(&(span.start, span.end));
                let pairing = known.map_or_else(
                    || Pairing::Unknown("it cannot be paired".to_owned()),
                    |pairing| (*pairing).clone(),
                );
                pair.functions.insert(*number, pairing);
            }
        }
        pair
    }

    /// What has the other version run while a call runs, by its number from 1.
    #[must_use]
    pub fn versions(&self, switch: &str, call: u32) -> Versions {
        Versions {
            scripts: self.scripts.clone(),
            switch: switch.to_owned(),
            call,
        }
    }
}

/// What classic scripts declare at their tops.
fn declared(sources: &[LoggedSource]) -> Vec<String> {
    let names = sources
        .iter()
        .filter_map(|source| top_level_names(&source.text, source.goal).ok());
    names.flatten().collect()
}

/// The last part of an address's path.
fn file_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

/// Each script with its counterpart: the same file, the same text, else the next of its kind.
fn counterparts<'s>(
    first: &'s [LoggedSource],
    other: &'s [LoggedSource],
) -> Vec<(&'s LoggedSource, Option<&'s LoggedSource>)> {
    let mut left: Vec<&LoggedSource> = other.iter().collect();
    let mut found: Vec<Option<&LoggedSource>> = vec![None; first.len()];
    let rules: [fn(&LoggedSource, &LoggedSource) -> bool; 3] = [
        |one, two| one.text == two.text,
        |one, two| file_name(&one.url) == file_name(&two.url),
        |_, _| true,
    ];
    for is_it in rules {
        for (source, counterpart) in first.iter().zip(&mut found) {
            if counterpart.is_some() {
                continue;
            }
            let at = left
                .iter()
                .position(|it| it.goal == source.goal && is_it(source, it));
            if let Some(at) = at {
                *counterpart = Some(left.remove(at));
            }
        }
    }
    first.iter().zip(found).collect()
}
