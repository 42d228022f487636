//! Where something is recorded, and where something is not.

use swc_common::Span;

use super::walker::LogWalker;
use super::{LoggedKind, LoggedSite};
use crate::position::ByteOffset;
use crate::rewrite::UnhookedSite;

impl LogWalker<'_> {
    /// A new site; gives its number.
    pub(super) fn site(&mut self, at: ByteOffset, kind: LoggedKind, name: String) -> u32 {
        self.site_of(at, kind, name, 0)
    }

    /// A new site that goes by the text of an expression; gives its number.
    pub(super) fn site_by_text(&mut self, at: ByteOffset, kind: LoggedKind, text: Span) -> u32 {
        let site = self.site(at, kind, self.short(text));
        if let Some(site) = self.sites.last_mut() {
            site.named = Some(Self::span(text));
        }
        site
    }

    /// A new site of a variable; gives its number.
    pub(super) fn site_of(
        &mut self,
        at: ByteOffset,
        kind: LoggedKind,
        name: String,
        variable: u32,
    ) -> u32 {
        let function = self.room().function;
        let mut branch = 0;
        if kind == LoggedKind::Branch
            && let Some(room) = self.rooms.last_mut()
        {
            branch = room.branches;
            room.branches += 1;
        }
        self.sites.push(LoggedSite {
            at,
            kind,
            name,
            named: None,
            variable,
            function,
            scope: self.options.first.scope + self.current.0,
            branch,
        });
        self.options.first.site + ByteOffset::from_index(self.sites.len() - 1).0
    }

    /// Says that something at a place is not recorded, and why.
    pub(super) fn unlogged(&mut self, at: ByteOffset, reason: &'static str) {
        self.unlogged.push(UnhookedSite { at, reason });
    }

    /// The name of a property or variable, as its author wrote it.
    pub(super) fn original(&self, at: ByteOffset, name: &str) -> String {
        self.names
            .original_name(at)
            .unwrap_or_else(|| name.to_owned())
    }
}
