//! Which files are libraries, whose frames nobody debugs: by their source maps' `ignoreList`, by where they are, by
//! what they begin with, and by a list of one's own.

use crate::answer::{Hop, Location, StackFrame, fold_libraries};

/// Parts of addresses that libraries have, as the developer tools ignore them, and builds that are given out as files.
const LIBRARIES: [&str; 10] = [
    "/node_modules/",
    "/bower_components/",
    ".min.js",
    "-min.js",
    ".production.js",
    ".prod.js",
    ".global.js",
    ".umd.js",
    ".iife.js",
    ".esm-browser.js",
];

/// Whether the code at a location is a library's: its source map says so, or its address does. `own` is a person's list
/// of parts of addresses, which decides before both: a file with one of them is a library, with one behind `!` it is
/// not; the last that fits counts.
///
/// ```
/// use querypoint::answer::Location;
/// use querypoint::session::libraries::is_library;
/// let at = |url: &str, library| {
///     let url = url.to_owned();
///     Location { url, line: 1, column: 1, generated: None, eval_origin: None, library }
/// };
/// assert!(is_library(&at("webpack:///node_modules/react-dom/index.js", false), &[]));
/// assert!(is_library(&at("http://h/react-dom.production.min.js?v=1", false), &[]));
/// assert!(is_library(&at("http://h/src/runtime.ts", true), &[]));
/// assert!(!is_library(&at("http://h/cart.js", false), &[]));
/// let own = ["/vendor/".to_owned(), "!app.min.js".to_owned()];
/// assert!(is_library(&at("http://h/vendor/chart.js", false), &own));
/// assert!(!is_library(&at("http://h/app.min.js", true), &own));
/// ```
#[must_use]
pub fn is_library(location: &Location, own: &[String]) -> bool {
    is_library_at(&location.url, location.library, own)
}

/// The same of an address alone.
#[must_use]
pub fn is_library_url(url: &str, own: &[String]) -> bool {
    is_library_at(url, false, own)
}

fn is_library_at(url: &str, by_source_map: bool, own: &[String]) -> bool {
    let decided = own.iter().rev().find_map(|entry| {
        let (part, is_library) = match entry.strip_prefix('!') {
            Some(part) => (part, false),
            None => (entry.as_str(), true),
        };
        (!part.is_empty() && url.contains(part)).then_some(is_library)
    });
    decided.unwrap_or_else(|| by_source_map || LIBRARIES.iter().any(|part| url.contains(part)))
}

/// The hops of a way with those folded, too, that are in the libraries of a person's list (`own`, as [`is_library`] has
/// it). An answer has those of other libraries folded, and they stay so.
#[must_use]
pub fn fold_own_libraries(mut hops: Vec<Hop>, own: &[String]) -> Vec<Hop> {
    for hop in &mut hops {
        if hop.library.is_none() && is_library(&hop.location, own) {
            hop.library = Some(library_of(&hop.location.url));
        }
    }
    fold_libraries(hops)
}

/// The name of the library that a file is of: `zustand` of `../node_modules/zustand/esm/vanilla.mjs`.
#[must_use]
pub fn library_of(url: &str) -> String {
    let behind = url.rsplit_once("node_modules/").map(|(_, behind)| behind);
    let Some(behind) = behind else {
        return url.to_owned();
    };
    let mut parts = behind.split('/');
    match (parts.next(), parts.next()) {
        (Some(scope), Some(name)) if scope.starts_with('@') => format!("{scope}/{name}"),
        (Some(name), _) => name.to_owned(),
        (None, _) => url.to_owned(),
    }
}

/// Whether a file without a source map begins as the builds do that libraries are given out as: with a comment that has
/// the file's name and a version, or with the question which module system there is.
///
/// ```
/// use querypoint::session::libraries::is_published;
/// let wrapped = "!function(e,t){typeof exports==='object'?t(exports):t(e.lib={})}(this,function(e){})";
/// assert!(is_published("http://h/lib.js", wrapped));
/// assert!(is_published("http://h/knockout-latest.js", "/*! Knockout library v3.5.1 */\n(function() {})();"));
/// assert!(!is_published("http://h/app.js", "/*! Knockout library v3.5.1 */\n(function() {})();"));
/// assert!(!is_published("http://h/app.js", "// Our app\nstart();"));
/// ```
#[must_use]
pub fn is_published(url: &str, source: &str) -> bool {
    /// So far into the code the question is asked.
    const BEGINNING: usize = 300;
    let code = without_comments(source);
    let comments = source.get(..source.len() - code.len()).unwrap_or_default();
    let end = code
        .char_indices()
        .nth(BEGINNING)
        .map_or(code.len(), |(at, _)| at);
    let beginning: String = code[..end]
        .chars()
        .filter(|it| !it.is_whitespace())
        .collect();
    let asks = ["typeofexports", "typeofmodule", "typeofdefine"];
    asks.iter().any(|ask| beginning.contains(ask)) || names_itself(url, comments)
}

/// What is behind the comments that a script begins with.
fn without_comments(source: &str) -> &str {
    let mut rest = source.trim_start();
    loop {
        let behind = match rest.strip_prefix("/*") {
            Some(comment) => comment.split_once("*/"),
            None => rest
                .strip_prefix("//")
                .and_then(|comment| comment.split_once('\n')),
        };
        match behind {
            Some((_, behind)) => rest = behind.trim_start(),
            None => return rest,
        }
    }
}

/// Whether comments have a version, and the first word of a file's name.
fn names_itself(url: &str, comments: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let file = path.rsplit('/').next().unwrap_or(path);
    let name = file
        .split(|it: char| !it.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let is_version = |word: &str| {
        let word = word.trim_start_matches(['v', 'V', '@']);
        let numbers: Vec<&str> = word.split('.').collect();
        let is_number =
            |part: &&str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
        numbers.len() == 3 && numbers.iter().all(is_number)
    };
    let mut words = comments.split(|it: char| !it.is_alphanumeric());
    name.len() > 2
        && words.any(|word| word.eq_ignore_ascii_case(name))
        && comments
            .split([' ', '\n', '\r', '\t', '@', ','])
            .any(is_version)
}

/// The frame at which a person looks first: the newest of their own code, or the newest if there is none.
#[must_use]
pub fn first_own_frame(stack: &[StackFrame], own: &[String]) -> usize {
    let mut frames = stack.iter();
    let found = frames.position(|frame| !is_library(&frame.location, own));
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{HopKind, Value, ValueType};
    use crate::schemas::location;

    fn stack(urls: &[&str]) -> Vec<StackFrame> {
        let frames = urls.iter().map(|url| {
            let location = Location {
                url: (*url).to_owned(),
                library: false,
                ..location(1)
            };
            StackFrame {
                function: "f".to_owned(),
                location,
            }
        });
        frames.collect()
    }

    #[test]
    fn the_first_frame_of_ones_own_code() {
        let react = "http://h/react-dom.production.min.js";
        assert_eq!(first_own_frame(&stack(&[react, react, "cart.js"]), &[]), 2);
        assert_eq!(first_own_frame(&stack(&["cart.js", react]), &[]), 0);
        assert_eq!(first_own_frame(&stack(&[react]), &[]), 0);
        assert_eq!(first_own_frame(&[], &[]), 0);
        let own = ["cart.js".to_owned()];
        assert_eq!(
            first_own_frame(&stack(&[react, "cart.js", "a.js"]), &own),
            2
        );
        let mut ignored = stack(&["http://h/src/runtime.ts", "cart.js"]);
        ignored[0].location.library = true;
        assert_eq!(first_own_frame(&ignored, &[]), 1);
        assert_eq!(first_own_frame(&ignored, &["!runtime.ts".to_owned()]), 0);
        assert_eq!(first_own_frame(&ignored, &[String::new()]), 1);
    }

    #[test]
    fn hops_in_ones_own_libraries_are_folded() {
        let hop = |url: &str, library: Option<&str>, folded| Hop {
            kind: HopKind::Copy,
            location: Location {
                url: url.to_owned(),
                library: false,
                ..location(1)
            },
            name: None,
            function: None,
            source_line: None,
            value: Value::new(ValueType::Number, "1"),
            library: library.map(str::to_owned),
            folded,
            point: None,
            realm: None,
        };
        let hops = vec![
            hop("http://h/cart.js", None, None),
            hop("http://h/vendor/store.js", None, Some(8)),
            hop("http://h/vendor/store.js", None, None),
            hop("../node_modules/immer/i.mjs", Some("immer"), Some(4)),
            hop("http://h/cart.js", None, None),
        ];
        let shown = |own: &[String]| {
            let folded = fold_own_libraries(hops.clone(), own);
            let shown = folded.into_iter().map(|hop| (hop.library, hop.folded));
            shown.collect::<Vec<_>>()
        };
        let immer = (Some("immer".to_owned()), Some(4));
        let own = ["/vendor/".to_owned()];
        let store = "http://h/vendor/store.js".to_owned();
        assert_eq!(
            shown(&own),
            [(None, None), (Some(store), Some(9)), immer, (None, None)]
        );
        assert_eq!(shown(&[]).len(), 5);
    }
}
