//! Places in files, written as short as they are clear, and the source lines there.

use querypoint::answer::{Location, PointAnswer};
use url::Url;

use super::SourceLookup;
use super::rows::reaches;
use super::text::printable;

/// How many columns a place may take; longer URLs lose their middle.
const LONGEST_PLACE: usize = 60;

/// Writes places relative to the page.
pub(super) struct Places<'a> {
    page: Option<Url>,
    source: SourceLookup<'a>,
}

impl<'a> Places<'a> {
    pub(super) fn new(page: &str, source: SourceLookup<'a>) -> Self {
        Self {
            page: Url::parse(page).ok(),
            source,
        }
    }

    /// `app.js:22:5`, or `2:5 in eval at app.js:22:5` in a text that the page made code of.
    pub(super) fn place(&self, location: &Location) -> String {
        if let Some(origin) = &location.eval_origin
            && location.url.starts_with(&format!("{} at ", origin.by))
        {
            let file = self.file(&origin.url);
            return format!(
                "{}:{} in {} at {file}:{}:{}",
                location.line, location.column, origin.by, origin.line, origin.column
            );
        }
        format!(
            "{}:{}:{}",
            self.file(&location.url),
            location.line,
            location.column
        )
    }

    /// The file's path, without what it shares with the page's address.
    pub(super) fn file(&self, url: &str) -> String {
        let relative = self
            .page
            .as_ref()
            .zip(Url::parse(url).ok())
            .filter(|(page, url)| page.origin() == url.origin() && url.origin().is_tuple())
            .and_then(|(page, url)| {
                let relative = page.make_relative(&url)?;
                // The page itself is relative to itself as nothing but its query.
                if !relative.is_empty() && !relative.starts_with('?') {
                    return Some(relative);
                }
                let own_name = url.path_segments()?.next_back()?;
                (!own_name.is_empty()).then(|| own_name.to_owned())
            })
            .unwrap_or_else(|| url.to_owned());
        without_middle(&printable(&relative, usize::MAX))
    }

    /// The text of a point's line, at least as far as its place, if anyone has it: the answer has the beginning of a
    /// very long line only.
    pub(super) fn line_of(&self, point: &PointAnswer, location: &Location) -> Option<String> {
        let own = point.source_line.clone();
        own.filter(|text| reaches(text, location))
            .or_else(|| (self.source)(&location.url, location.line))
            .filter(|text| reaches(text, location))
    }
}

fn without_middle(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= LONGEST_PLACE {
        return text.to_owned();
    }
    let half = LONGEST_PLACE / 2;
    let start: String = characters[..half - 1].iter().collect();
    let end: String = characters[characters.len() - half..].iter().collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_seen_from_the_page() {
        let nothing = |_: &str, _: u32| None;
        let places = Places::new("http://127.0.0.1:4000/shop/index.html?x=1", &nothing);
        for (url, shown) in [
            ("http://127.0.0.1:4000/shop/app.js", "app.js"),
            (
                "http://127.0.0.1:4000/shop/src/cart.js?v=2",
                "src/cart.js?v=2",
            ),
            ("http://127.0.0.1:4000/lib/vue.js", "../lib/vue.js"),
            ("http://127.0.0.1:4000/shop/index.html?x=1", "index.html"),
            (
                "https://cdn.example/react.js",
                "https://cdn.example/react.js",
            ),
            ("webpack:///src/Cart.tsx", "webpack:///src/Cart.tsx"),
            ("not a url", "not a url"),
            ("", ""),
        ] {
            assert_eq!(places.file(url), shown, "{url}");
        }
    }

    #[test]
    fn very_long_urls_lose_their_middle() {
        let nothing = |_: &str, _: u32| None;
        let places = Places::new("about:blank", &nothing);
        let url = format!("https://cdn.example/{}/app.js", "deep/".repeat(40));
        let shown = places.file(&url);
        assert_eq!(shown.chars().count(), LONGEST_PLACE);
        assert!(shown.starts_with("https://cdn.example/") && shown.ends_with("/app.js"));
    }
}
