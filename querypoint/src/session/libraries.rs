//! Which files are libraries, whose frames nobody debugs: by where they are, and by a list of one's own.

use crate::answer::StackFrame;

/// Parts of addresses that libraries have, as the developer tools ignore them, and minified builds that are given out
/// as files.
const LIBRARIES: [&str; 4] = [
    "/node_modules/",
    "/bower_components/",
    ".min.js",
    ".production.js",
];

/// Whether a file is a library. `own` is a person's list of parts of addresses: a file with one of them is a library,
/// with one behind `!` it is not; the last that fits decides.
///
/// ```
/// use querypoint::session::libraries::is_library;
/// assert!(is_library("webpack:///node_modules/react-dom/index.js", &[]));
/// assert!(is_library("http://h/react-dom.production.min.js?v=1", &[]));
/// assert!(!is_library("http://h/cart.js", &[]));
/// let own = ["/vendor/".to_owned(), "!app.min.js".to_owned()];
/// assert!(is_library("http://h/vendor/chart.js", &own));
/// assert!(!is_library("http://h/app.min.js", &own));
/// ```
#[must_use]
pub fn is_library(url: &str, own: &[String]) -> bool {
    let decided = own.iter().rev().find_map(|entry| {
        let (part, is_library) = match entry.strip_prefix('!') {
            Some(part) => (part, false),
            None => (entry.as_str(), true),
        };
        (!part.is_empty() && url.contains(part)).then_some(is_library)
    });
    decided.unwrap_or_else(|| LIBRARIES.iter().any(|part| url.contains(part)))
}

/// The frame at which a person looks first: the newest of their own code, or the newest if there is none.
#[must_use]
pub fn first_own_frame(stack: &[StackFrame], own: &[String]) -> usize {
    let mut frames = stack.iter();
    let found = frames.position(|frame| !is_library(&frame.location.url, own));
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemas::location;

    fn stack(urls: &[&str]) -> Vec<StackFrame> {
        let frames = urls.iter().map(|url| {
            let mut location = location(1);
            location.url = (*url).to_owned();
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
        assert!(!is_library("http://h/a.js", &[String::new()]));
    }
}
