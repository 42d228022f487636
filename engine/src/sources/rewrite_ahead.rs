//! Rewriting once more what an earlier execution rewrote, before the page asks for it.
//!
//! Where more must be watched than was, texts and places of sites change. Breakpoints that keep functions from being
//! optimised are set before the page runs, so the places must be known by then.

use std::collections::HashMap;

use js_analysis::position::ByteOffset;

use super::Sources;

impl Sources {
    /// Rewrites the responses that `others` rewrote, of the same page, and takes over what was learned of them. A page
    /// that asks for others than before only loses what this would have gained. Texts that the page makes code of are
    /// rewritten when it does: their sites are in sites of the scripts that make them.
    pub(crate) fn rewrite_again(&mut self, others: &mut Self) {
        self.modules.extend(others.modules.drain());
        self.charsets.extend(others.charsets.drain());
        self.of_documents.extend(others.of_documents.drain());
        let mut known: Vec<_> = others.kept.drain().collect();
        // In the order in which they came: what a document says of a script is known when that comes.
        known.sort_by_key(|(_, kept)| kept.text);
        for (key, kept) in known {
            let (url, _, capture) = &key;
            let Some(text) = others.texts.get_mut(kept.text) else {
                continue;
            };
            if text.digest.is_some() {
                continue;
            }
            let source = std::mem::take(&mut text.mapped.original);
            let source_map = text.source_map.take();
            let again = self.rewrite_anew(url, &source, text.kind, source_map, *capture);
            self.kept.insert(key, again);
        }
    }

    /// The numbers that these sites of `others`, which this has rewritten again, have here; `None`: not all are known,
    /// for one is in a text that the page makes.
    pub(crate) fn carried(&self, others: &Self, sites: &[u32]) -> Option<Vec<u32>> {
        let mut numbers: HashMap<(&str, ByteOffset), Vec<u32>> = HashMap::new();
        for (number, site) in (1..).zip(&self.sites) {
            let text = self.texts.get(site.text)?;
            let place = (text.url.as_str(), site.at);
            numbers.entry(place).or_default().push(number);
        }
        let mut carried = Vec::new();
        for &site in sites {
            let Some(index) = site.checked_sub(1) else {
                carried.push(site);
                continue;
            };
            let site = others.sites.get(usize::try_from(index).ok()?)?;
            let text = others.texts.get(site.text)?;
            carried.extend(numbers.get(&(text.url.as_str(), site.at))?);
        }
        Some(carried)
    }

    /// Whether the text of this address was rewritten, and is none that the page makes.
    pub(crate) fn has_text(&self, url: &str) -> bool {
        let mut texts = self.texts.iter();
        texts.any(|text| text.url == url && text.digest.is_none())
    }
}
