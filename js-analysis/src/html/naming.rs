//! What in markup names something that a library or the browser may look up: `@click="pick()"`, `{{ pick() }}`.

use std::cell::Cell;

use lol_html::{HtmlRewriter, Settings, element};

use crate::position::ByteOffset;

/// The values of these name nothing of a script.
const PLAIN: [&str; 22] = [
    "alt",
    "charset",
    "class",
    "content",
    "for",
    "height",
    "href",
    "id",
    "lang",
    "media",
    "method",
    "name",
    "placeholder",
    "rel",
    "role",
    "src",
    "srcset",
    "style",
    "title",
    "type",
    "value",
    "width",
];

/// Where the first attribute begins in the document `text` whose value has `name` as a word, but for those such as
/// `class`.
fn attribute_that_names(text: &str, name: &str) -> Option<ByteOffset> {
    if name.is_empty() || !text.contains(name) {
        return None;
    }
    let found: Cell<Option<usize>> = Cell::new(None);
    let settings = Settings::new()
        .with_strict(false)
        .append_element_content_handler(element!("*", |element| {
            let names_it = element.attributes().iter().find(|attribute| {
                let value = attribute.value();
                let is_code = value.trim_start().starts_with("javascript:");
                (is_code || !PLAIN.contains(&attribute.name().as_str())) && has_word(&value, name)
            });
            if let (None, Some(attribute)) = (found.get(), names_it) {
                let place = attribute.name_source_location();
                found.set(place.map(|place| place.bytes().start));
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    if rewriter.write(text.as_bytes()).is_ok() {
        let _ = rewriter.end();
    }
    found.get().map(ByteOffset::from_index)
}

/// Where markup has a name that may be looked up: in an attribute, or in what `{{ }}` is around.
#[must_use]
pub fn markup_that_names(text: &str, name: &str) -> Option<ByteOffset> {
    attribute_that_names(text, name).or_else(|| {
        if name.is_empty() || !text.contains(name) {
            return None;
        }
        let mut opened = text.match_indices("{{");
        let (at, _) = opened.find(|(at, _)| {
            let rest = text.get(at + 2..).unwrap_or_default();
            let inside = rest.split("}}").next().unwrap_or_default();
            has_word(inside, name)
        })?;
        Some(ByteOffset::from_index(at))
    })
}

/// Whether a value has a name that is not a part of a longer one.
fn has_word(value: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-');
    value.match_indices(name).any(|(at, _)| {
        let before = value.get(..at).and_then(|it| it.chars().next_back());
        let behind = value
            .get(at + name.len()..)
            .and_then(|it| it.chars().next());
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn attribute(text: &str, name: &str) -> Option<String> {
        let at = attribute_that_names(text, name)?;
        let rest = text.get(at.index()..).unwrap_or_default();
        rest.split('=').next().map(str::to_owned)
    }

    #[test]
    fn what_braces_are_around_and_code_in_an_address_name_what_is_looked_up() {
        let found = |text: &str| markup_that_names(text, "pick").map(ByteOffset::index);
        assert_eq!(found("<b>{{ pick() }}</b>"), Some(3));
        assert_eq!(found("<b>{{ a }} {{ pick }}</b>"), Some(11));
        assert_eq!(found("<a href='javascript:pick()'>"), Some(3));
        for other in ["<b>{{ picked }} pick</b>", "<a href='/pick'>", "{{", ""] {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[test]
    fn attributes_name_what_libraries_look_up() {
        let found = |text: &str| attribute(text, "pick");
        assert_eq!(
            found("<p>é</p><b @click='pick()'>").as_deref(),
            Some("@click")
        );
        assert_eq!(
            found("<b data-action=\"click->menu#pick\">").as_deref(),
            Some("data-action")
        );
        assert_eq!(
            found("<b data-bind='click: pick'>").as_deref(),
            Some("data-bind")
        );
        // A part of a name, a class, prose, a script, a comment.
        for other in [
            "<b @click='pickAll(), no_pick'>",
            "<b class='pick'>",
            "<b>pick</b>",
            "<script>const text = \"<b @click='pick()'>\";</script>",
            "<!-- <b @click='pick()'> -->",
            "<b @click='",
            "",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
