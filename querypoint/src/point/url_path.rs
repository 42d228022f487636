//! Whether a script's URL, or the name of a source in a source map, ends in a file that a person typed.

/// Whether `file` is the end of `url`'s path, whole segments compared. `http://h/js/app.js?v=3` ends in
/// `app.js` and `js/app.js`, not in `pp.js`. A file that has a scheme is compared whole.
pub(super) fn ends_with(url: &str, file: &str) -> bool {
    let url = UrlPath::new(url);
    let file = UrlPath::new(file);
    if file.origin.is_some() {
        return url == file;
    }
    if file.segments.is_empty() {
        return url.segments.is_empty();
    }
    url.segments.ends_with(&file.segments)
}

/// A URL, a path, or the name of a source, taken apart.
#[derive(PartialEq)]
struct UrlPath {
    /// Scheme and host, in small letters, if there is a scheme.
    origin: Option<String>,
    /// Segments of the path, decoded; without empty ones, `.` and `..`.
    segments: Vec<String>,
}

impl UrlPath {
    fn new(text: &str) -> Self {
        let path_only = text.split(['?', '#']).next().unwrap_or("");
        let (origin, path) = match path_only.split_once("://") {
            Some((scheme, rest)) => {
                let end = rest.find(['/', '\\']).unwrap_or(rest.len());
                let (host, path) = rest.split_at(end);
                (Some(format!("{scheme}://{host}").to_lowercase()), path)
            }
            None => (None, path_only),
        };
        let mut segments: Vec<String> = Vec::new();
        for segment in path.split(['/', '\\']) {
            match segment {
                "" | "." => {}
                // A name in a source map may begin with `..`, which leads out of what can be known.
                ".." => {
                    segments.pop();
                }
                _ => segments.push(percent_decoded(segment)),
            }
        }
        Self { origin, segments }
    }
}

/// Decodes `%41`; what is no encoding, or not UTF-8 when decoded, stays as it is or is replaced.
fn percent_decoded(segment: &str) -> String {
    let bytes = segment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |offset: usize| {
            bytes
                .get(at + offset)
                .and_then(|byte| char::from(*byte).to_digit(16))
        };
        match (bytes[at], digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                at += 3;
            }
            (byte, _, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::ends_with;

    #[test]
    fn whole_segments_at_the_end_match() {
        let matching = [
            ("http://h:8080/js/app.js", "app.js"),
            ("http://h:8080/js/app.js?v=3#x", "js/app.js"),
            ("http://h:8080/js/app.js", "/js/app.js"),
            ("http://h:8080/js/app.js", "./app.js"),
            ("http://h:8080/js/app.js", "http://h:8080/js/app.js"),
            ("HTTP://H:8080/js/app.js?v=3", "http://h:8080/js/app.js?v=4"),
            ("http://h/my%20app.js", "my app.js"),
            ("http://h/my app.js", "my%20app.js"),
            ("http://h/%E4%BB%B7.js", "价.js"),
            ("http://h/50%.js", "50%.js"),
            ("webpack:///./src/Cart.tsx", "src/Cart.tsx"),
            ("webpack://shop/./src/Cart.tsx?a1b2", "Cart.tsx"),
            ("webpack:///./src/Cart.tsx", "webpack:///src/Cart.tsx"),
            ("../src/Cart.tsx", "src/Cart.tsx"),
            ("http://h/src/Cart.tsx", "../src/Cart.tsx"),
            ("file:///C:/site/app.js", "C:\\site\\app.js"),
            ("http://h/", "http://h"),
            ("http://h/", "/"),
        ];
        for (url, file) in matching {
            assert!(ends_with(url, file), "{url} should end in {file}");
        }
    }

    #[test]
    fn anything_else_does_not() {
        let others = [
            ("http://h/myapp.js", "app.js"),
            ("http://h/app.js", "js/app.js"),
            ("http://app.js/", "app.js"),
            ("http://h/app.js/x", "app.js"),
            ("http://h/x?f=/app.js", "app.js"),
            ("http://other/app.js", "http://h/app.js"),
            ("http://h/App.js", "app.js"),
            ("http://h/app.js", "/"),
            ("", "app.js"),
        ];
        for (url, file) in others {
            assert!(!ends_with(url, file), "{url} should not end in {file}");
        }
    }
}
