//! What is listened to of a page by all who have one: whoever drives it, and whoever records it.

use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{SessionFilter, Wanted};

/// Of what a page logs and throws only the number is of interest.
const COUNTED: &[&str] = &[
    cdp::runtime::ConsoleApiCalled::METHOD,
    cdp::runtime::ExceptionThrown::METHOD,
];

/// The page's end, its documents, its dialogs, its pauses, and the targets that belong to it.
const EVENTS: &[&str] = &[
    cdp::runtime::ConsoleApiCalled::METHOD,
    cdp::runtime::ExceptionThrown::METHOD,
    cdp::inspector::TargetCrashed::METHOD,
    cdp::inspector::Detached::METHOD,
    cdp::target::AttachedToTarget::METHOD,
    cdp::target::DetachedFromTarget::METHOD,
    cdp::page::FrameStartedNavigating::METHOD,
    cdp::page::FrameNavigated::METHOD,
    cdp::page::NavigatedWithinDocument::METHOD,
    cdp::page::JavascriptDialogOpening::METHOD,
    cdp::debugger::Paused::METHOD,
];

/// Those events, and `more`, of these sessions.
pub(crate) fn wanted_of(
    sessions: impl Into<SessionFilter>,
    more: &'static [&'static str],
) -> Wanted {
    let sessions = sessions.into();
    Wanted::of(sessions.clone(), EVENTS)
        .and(sessions, more)
        .counting(COUNTED)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cdp_driver::protocol::Event;
    use serde_json::json;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn event(method: &str) -> Event {
        Event {
            session: None,
            method: method.to_owned(),
            params: Arc::new(json!({})),
            times: 1,
        }
    }

    #[test]
    fn what_one_listener_wants_besides_no_other_does() {
        let of = |more| wanted_of(SessionFilter::Browser, more);
        let wanted = of(&[cdp::page::WindowOpen::METHOD]);
        for method in EVENTS {
            assert!(
                wanted.has(&event(method)) && of(&[]).has(&event(method)),
                "{method}"
            );
        }
        assert!(wanted.has(&event(cdp::page::WindowOpen::METHOD)));
        assert!(!of(&[]).has(&event(cdp::page::WindowOpen::METHOD)));
        assert!(wanted.counts(cdp::runtime::ExceptionThrown::METHOD));
        assert!(!wanted.counts(cdp::debugger::Paused::METHOD));
    }
}
