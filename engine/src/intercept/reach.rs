//! Which responses are rewritten: all of a page of ours, or the main document of a tab that a person debugs.

use super::{Interceptor, Paused};
use crate::bodies::ReplacedBodies;
use crate::sources::{ResponseKind, SeenScripts};

pub(super) const BOUND: &str =
    "its policy names the digests of its own scripts, so they stay as they are";

/// Which responses are rewritten.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// All of the page's: each of its realms has an agent.
    Everything,
    /// The main document and the scripts that it asks for: nothing else has an agent. Whoever records the tab is told
    /// what they were. The policy of the document holds.
    MainDocument(ReplacedBodies),
}

impl Interceptor {
    pub(super) fn reaches(&self, paused: &Paused) -> bool {
        match self.reach {
            Reach::Everything => true,
            Reach::MainDocument(_) => paused.of_frame && paused.frame == self.frame,
        }
    }

    /// The main document of a tab is another one from here on.
    pub(super) fn begins_anew(&self, paused: &Paused) {
        let Reach::MainDocument(replaced) = &self.reach else {
            return;
        };
        if paused.kind == ResponseKind::Document {
            *self.seen() = SeenScripts::default();
            self.sources().begin_anew();
            replaced.clear();
        }
    }

    /// Whether a document must stay as it is: its policy, which holds, names the digests of its own scripts. So must
    /// the scripts of which it gives digests itself.
    pub(super) fn is_bound(&self, paused: &Paused, text: &str) -> bool {
        if matches!(self.reach, Reach::Everything) || paused.kind != ResponseKind::Document {
            return false;
        }
        let policies = paused
            .headers
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case("content-security-policy"));
        let names_digests = |policy: &str| {
            ["'sha256-", "'sha384-", "'sha512-"]
                .iter()
                .any(|it| policy.contains(it))
        };
        let is_bound = policies.map(|(_, policy)| policy.as_str()).any(names_digests)
            // One in the document itself is not looked for further.
            || names_digests(text)
                && text.to_ascii_lowercase().contains("content-security-policy");
        if is_bound {
            self.sources().leave_bound(&paused.url, text);
        }
        is_bound
    }
}
