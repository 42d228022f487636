//! Modules that run where there is no agent: in worklets other than those for audio. Rewritten they would fail, so they
//! stay as they are, and so do the modules that they import.

use js_analysis::Goal;
use js_analysis::rewrite::with_script;

use super::{SeenScripts, Sources};

const REASON: &str = "it runs in a worklet that is not for audio, where nothing is hooked";

impl Sources {
    /// A module of this address is about to run there.
    pub(crate) fn runs_elsewhere(&mut self, address: &str, seen: &mut SeenScripts) {
        let address = address.split('#').next().unwrap_or_default();
        let comes = ["http:", "https:", "file:"]
            .into_iter()
            .any(|scheme| address.starts_with(scheme));
        self.elsewhere.insert(address.to_owned());
        // What comes in a response is listed then.
        if !comes {
            seen.unhooked_script(address, REASON);
        }
    }

    /// Whether a module of this address runs there. It is listed already.
    pub(crate) fn is_elsewhere(&self, address: &str) -> bool {
        self.elsewhere.contains(address)
    }

    /// Whether the response of `url`, which holds `source`, stays as it is because it runs there; if so, that is
    /// listed, and holds for what it imports.
    pub(crate) fn stays_elsewhere(
        &mut self,
        url: &str,
        source: &str,
        seen: &mut SeenScripts,
    ) -> bool {
        if !self.elsewhere.contains(url) {
            return false;
        }
        seen.unhooked_script(url, REASON);
        let linked = with_script(source, Goal::Module, |script| script.linked_specifiers());
        let base = url::Url::parse(url).ok();
        for (_, specifier) in linked.unwrap_or_default() {
            if let Some(address) = super::job::join(base.as_ref(), &specifier) {
                self.elsewhere.insert(address);
            }
        }
        true
    }
}
