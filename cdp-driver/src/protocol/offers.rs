//! What a connection offers beside the sessions of a tab. A native connection offers all of a browser;
//! `chrome.debugger` offers sessions of one tab, and nothing of the browser around it.
//!
//! A command of the browser itself implements [`BrowserCommand`], which says what it needs. It is sent by
//! [`CallBrowser::call_browser`], which answers with [`ProtocolError::NotOffered`] where the connection does not offer
//! that: nothing goes over the wire then, and the error says what is lost.

use std::fmt;

use futures::future::BoxFuture;

use super::generated::{browser, target};
use super::{Call, Command, Protocol, ProtocolError};

/// What a connection offers beside the sessions of a tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offers {
    /// Where pages run.
    pub contexts: Contexts,
    /// Whether it lists the browser's targets, and attaches to those that no session of its own reports.
    pub targets: bool,
    /// Whether it has the commands of the domain `Browser`.
    pub browser: bool,
}

/// Where pages run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contexts {
    /// Each in a tab and a browser context of its own.
    Own,
    /// All in the one tab that there is, with its cookies and storage; see [`Missing::OwnContexts`].
    OneTab {
        /// Its target, which is the id of its main frame as well; [`Protocol::renew_tab`] gives its session.
        target_id: String,
    },
}

/// What a connection does not offer. In words it says what is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Missing {
    /// Browser contexts of one's own, with their tabs.
    OwnContexts,
    /// The browser's list of targets, and sessions of any of them.
    Targets,
    /// The commands of the domain `Browser`.
    Browser,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OwnContexts => {
                "this connection opens no tab of its own: the page runs in the tab that is open, with the cookies, \
                 storage and cache that it has, and one execution finds what the one before left"
            }
            Self::Targets => {
                "this connection does not list the browser's tabs and workers: what the page does in other tabs, in \
                 shared workers and in frames of other sites is not observed"
            }
            Self::Browser => {
                "this connection sets no permissions: the page has those of the open tab, and a document with a \
                 recorded body may not reach servers on this machine"
            }
        })
    }
}

impl Offers {
    /// All of a browser.
    #[must_use]
    pub const fn everything() -> Self {
        Self {
            contexts: Contexts::Own,
            targets: true,
            browser: true,
        }
    }

    /// The sessions of one tab, and nothing else.
    #[must_use]
    pub const fn one_tab(target_id: String) -> Self {
        Self {
            contexts: Contexts::OneTab { target_id },
            targets: false,
            browser: false,
        }
    }

    /// What it does not offer.
    pub fn missing(&self) -> impl Iterator<Item = Missing> + use<> {
        let has = [
            (Missing::OwnContexts, self.contexts == Contexts::Own),
            (Missing::Targets, self.targets),
            (Missing::Browser, self.browser),
        ];
        has.into_iter()
            .filter_map(|(what, is_offered)| (!is_offered).then_some(what))
    }

    /// Whether it does not offer this.
    #[must_use]
    pub fn lacks(&self, what: Missing) -> bool {
        self.missing().any(|missing| missing == what)
    }
}

/// A command of the browser itself, not of a session.
pub trait BrowserCommand: Command {
    /// What a connection that does not answer it lacks.
    const NEEDS: Missing;
}

/// Says what each command of the browser needs.
macro_rules! need {
    ($missing:ident: $($command:ty),* $(,)?) => {
        $(impl BrowserCommand for $command {
            const NEEDS: Missing = Missing::$missing;
        })*
    };
}

need!(OwnContexts: target::CreateBrowserContext, target::CreateTarget, target::DisposeBrowserContext);
need!(Targets:
    target::AttachToBrowserTarget,
    target::AttachToTarget,
    target::CloseTarget,
    target::DetachFromTarget,
    target::GetTargetInfo,
    target::GetTargets,
    target::SetAutoAttach,
);
need!(Browser: browser::GetVersion, browser::SetPermission);

/// Commands of the browser over a connection that may not offer them.
pub trait CallBrowser: Protocol {
    /// Sends a command to the browser itself. It is queued at the call.
    ///
    /// # Errors
    /// Those of [`Call::call`], and [`ProtocolError::NotOffered`] if the connection lacks what the command needs.
    fn call_browser<'a, C: BrowserCommand>(
        &'a self,
        command: &C,
    ) -> BoxFuture<'a, Result<C::Result, ProtocolError>> {
        if self.offers().lacks(C::NEEDS) {
            let error = ProtocolError::NotOffered {
                method: C::METHOD.to_owned(),
                missing: C::NEEDS,
            };
            return Box::pin(async move { Err(error) });
        }
        self.call(None, command)
    }
}

impl<P: Protocol + ?Sized> CallBrowser for P {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_what_is_not_offered() {
        assert_eq!(Offers::everything().missing().count(), 0);
        let one_tab = Offers::one_tab("t".to_owned());
        let missing: Vec<Missing> = one_tab.missing().collect();
        assert_eq!(
            missing,
            [Missing::OwnContexts, Missing::Targets, Missing::Browser]
        );
        let without_browser = Offers {
            browser: false,
            ..Offers::everything()
        };
        assert!(without_browser.lacks(Missing::Browser));
        assert!(!without_browser.lacks(Missing::Targets));
    }
}
