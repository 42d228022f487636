//! Custom elements that texts name as markup: `"<x-badge></x-badge>"`.

use swc_common::Span;

use super::walk::{Walk, bytes};

impl Walk<'_> {
    /// Notes the custom elements that a text names as markup.
    pub(super) fn markup(&mut self, text: &str, span: Span) {
        for name in elements(text) {
            self.facts.markup.push((name.to_owned(), bytes(span)));
        }
    }
}

/// The names behind `<` that have a dash, as those of custom elements do.
fn elements(text: &str) -> impl Iterator<Item = &str> {
    text.split('<').skip(1).filter_map(|rest| {
        let is_of_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
        let end = rest.find(|it| !is_of_name(it)).unwrap_or(rest.len());
        let name = rest.get(..end)?;
        let is_name = name.starts_with(|it: char| it.is_ascii_lowercase()) && name.contains('-');
        is_name.then_some(name)
    })
}
