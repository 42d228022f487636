//! Scripts as the browser compiles them, held against the responses that were looked at.
//!
//! What the browser compiles and no response held was made by the page itself: it is not rewritten, so it must be
//! listed.

use js_analysis::Goal;
use js_analysis::html;
use js_analysis::position::Utf16Position;

use super::job::join;
use super::{ResponseKind, Sources, Text};

/// Where a script that the browser compiled comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It came in a response that was looked at: it is rewritten, or listed already.
    Response,
    /// It says it is of a document, but is not there.
    MadeInDocument,
    /// No response had this address.
    Unknown,
}

impl Sources {
    /// Where the script comes from that the browser compiled as `start` (line and column, from 0) of `url`.
    pub(crate) fn origin(&self, url: &str, start: (i64, i64)) -> Origin {
        let url = url.split('#').next().unwrap_or_default();
        let Some(text) = self.text_of(url) else {
            return Origin::Unknown;
        };
        if text.kind == ResponseKind::Script {
            return Origin::Response;
        }
        let (Ok(line), Ok(column)) = (u32::try_from(start.0), u32::try_from(start.1)) else {
            return Origin::MadeInDocument;
        };
        let Some(at) = text.mapped.original_offset(Utf16Position { line, column }) else {
            return Origin::MadeInDocument;
        };
        // The browser takes an attribute to be after its tag.
        let is_after_tag = (line, column) != (0, 0)
            && text
                .mapped
                .original
                .get(..at.index())
                .is_some_and(|before| before.ends_with('>'));
        let is_there = is_after_tag
            || html::find_scripts(&text.mapped.original)
                .iter()
                .any(|script| match script {
                    html::HtmlScript::Inline(inline) => inline.content.start == at,
                    html::HtmlScript::Foreign(foreign) => {
                        foreign.content.is_some_and(|content| content.start == at)
                    }
                    _ => false,
                });
        if is_there {
            Origin::Response
        } else {
            Origin::MadeInDocument
        }
    }

    /// The script that is asked for at `from` comes from `to`. What is known of the one is known of the other.
    pub(crate) fn redirected(&mut self, from: &str, to: &str) {
        if from == to {
            return;
        }
        if self.modules.contains(from) {
            self.modules.insert(to.to_owned());
        }
        if self.of_documents.contains(from) {
            self.of_documents.insert(to.to_owned());
        }
        self.redirects.insert(from.to_owned(), to.to_owned());
    }

    /// The page refused what the response of `url` became: from now on it stays as it is. Whether that is news.
    pub(crate) fn leave_untouched(&mut self, url: &str) -> bool {
        let Some(text) = self.text_of(url) else {
            return false;
        };
        let url = text.url.clone();
        let reason = "the page checks its digest, which no attribute in the document gives, so it stays as it is";
        self.untouchable.insert(url, reason).is_none()
    }

    /// The response of `url` cannot be rewritten, which was found out too late: from now on it stays as it is.
    pub(crate) fn leave_alone(&mut self, url: &str, reason: &'static str) {
        self.untouchable.insert(url.to_owned(), reason);
    }

    /// A document stays as it is, for its own policy holds; so must the scripts whose digests it gives.
    pub(crate) fn leave_bound(&mut self, url: &str, text: &str) {
        let base = url::Url::parse(url).ok();
        for script in html::find_scripts(text) {
            let (address, integrity) = match &script {
                html::HtmlScript::External(external) => (&external.src, &external.integrity),
                html::HtmlScript::Preload(preload) => (&preload.href, &preload.integrity),
                _ => continue,
            };
            if let (false, Some(address)) = (integrity.is_empty(), join(base.as_ref(), address)) {
                self.leave_alone(&address, "its document gives its digest");
            }
        }
    }

    /// Another document comes into a tab that a person debugs. What was known before is dropped where it is much: a
    /// site of live hooks has a number of 18 bits.
    pub(crate) fn begin_anew(&mut self) {
        const MANY: usize = 1 << 17;
        if self.sites.len() < MANY {
            return;
        }
        let mut fresh = Self::new(self.collection.clone(), self.at.clone());
        fresh.learn_from(self);
        *self = fresh;
    }

    /// A response is being waited for.
    pub(crate) fn awaits(&mut self, url: &str) {
        self.awaited.push(url.to_owned());
    }

    /// It has come.
    pub(crate) fn has(&mut self, url: &str) {
        if let Some(index) = self.awaited.iter().position(|awaited| awaited == url) {
            self.awaited.swap_remove(index);
        }
    }

    /// A response that an execution waited for when it ended; that is dropped with it.
    pub(crate) fn take_awaited(&mut self) -> Option<String> {
        std::mem::take(&mut self.awaited).into_iter().next()
    }

    /// The browser compiled the script of `url` as a module, which nothing had told: if it was rewritten as a classic
    /// script, that is not repeated.
    pub(crate) fn is_a_module(&mut self, url: &str) {
        let as_script = |text: &Text| {
            text.kind == ResponseKind::Script
                && text
                    .scripts
                    .iter()
                    .any(|script| script.goal == Goal::Script)
        };
        let Some(url) = self
            .text_of(url)
            .filter(|text| as_script(text))
            .map(|text| text.url.clone())
        else {
            return;
        };
        if self.modules.insert(url.clone()) {
            self.kept.retain(|(kept, _, _), _| *kept != url);
            self.refinements += 1;
        }
    }

    /// Why the response of `url` must stay as it is; `None`: it need not.
    pub(crate) fn why_untouchable(&self, url: &str) -> Option<&'static str> {
        self.untouchable.get(url).copied()
    }

    /// How often an execution has shown that a response has to be treated otherwise: that one is worth nothing.
    pub(crate) fn refinements(&self) -> usize {
        self.refinements + self.untouchable.len()
    }
}
