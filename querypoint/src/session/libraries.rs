//! Which files are libraries, whose frames nobody debugs: by their source maps' `ignoreList`, by where they are, and by
//! a list of one's own.

use crate::answer::{Location, StackFrame};

/// Parts of addresses that libraries have, as the developer tools ignore them, and builds that are given out as files.
const LIBRARIES: [&str; 8] = [
    "/node_modules/",
    "/bower_components/",
    ".min.js",
    ".production.js",
    ".prod.js",
    ".global.js",
    ".umd.js",
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
}
