//! The loads of a tab's main document, as its events tell them: what is recorded of a tab that a person debugs begins
//! with each of them.

use recording::LoginCookie;

use cdp::network::{
    CookieBlockedReason, RequestWillBeSent, RequestWillBeSentExtraInfo, ResourceType,
};
use cdp::page::{FrameNavigated, NavigationType};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, SessionId};

/// What [`Loads::take`] lives on.
pub(super) const EVENTS: [&str; 3] = [
    RequestWillBeSent::METHOD,
    RequestWillBeSentExtraInfo::METHOD,
    FrameNavigated::METHOD,
];

/// A page is recorded for so long since it was loaded, in milliseconds: ten minutes.
pub(super) const LONGEST_MS: f64 = 600_000.0;

/// More cookies than a browser keeps for a site.
const MOST_COOKIES: usize = 200;

/// Follows the loads of one tab.
pub(super) struct Loads {
    session: SessionId,
    /// The tab's main frame.
    frame: String,
    pending: Option<Pending>,
}

/// A main document that was asked for.
struct Pending {
    loader: String,
    is_get: bool,
    /// When it was asked for, in milliseconds since 1970.
    asked_ms: f64,
    cookies: Vec<LoginCookie>,
}

/// What an event says of the main document.
#[derive(Debug, PartialEq)]
pub(super) enum Loaded {
    /// A document is asked for, at last by this request, which is sent by `GET` or not. It may have no result.
    Asked,
    /// Another document is there that a replay can open: it was asked for by `GET`.
    Begun(Load),
    /// Another document is there that only a replay of what led to it reaches, such as the answer to a form.
    Continued,
    /// Another document is there, and how it was loaded is not known: it came back from the browser's cache of whole
    /// pages, was loaded ahead, or had no address that is asked for.
    Unknown,
}

/// A main document that began.
#[derive(Debug, PartialEq)]
pub(super) struct Load {
    /// What names it.
    pub(super) loader: String,
    /// When it was asked for, in milliseconds since 1970.
    pub(super) asked_ms: f64,
    /// The cookies that scripts cannot read and that the browser had for it.
    pub(super) cookies: Vec<LoginCookie>,
}

impl Loads {
    /// Of the tab behind this session, whose main frame this is.
    pub(super) fn new(session: SessionId, frame: String) -> Self {
        Self {
            session,
            frame,
            pending: None,
        }
    }

    /// Whether a main document was asked for that is not there yet.
    pub(super) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// What an event says of the main document; none: nothing.
    pub(super) fn take(&mut self, event: &Event) -> Option<Loaded> {
        if event.session.as_ref() != Some(&self.session) {
            return None;
        }
        match event.method.as_str() {
            RequestWillBeSent::METHOD => {
                let sent = event.read::<RequestWillBeSent>()?;
                let is_of_frame = sent.frame_id.is_some_and(|frame| frame.0 == self.frame);
                let is_document = sent.r#type == Some(ResourceType::Document);
                let loader = sent.loader_id?.0;
                if !is_of_frame || !is_document || sent.request_id.0 != loader {
                    return None;
                }
                // Where it leads elsewhere the request comes again: the last is the one that the document comes of.
                self.pending = Some(Pending {
                    loader,
                    is_get: sent.request.method == "GET",
                    asked_ms: sent.wall_time * 1000.0,
                    cookies: Vec::new(),
                });
                Some(Loaded::Asked)
            }
            RequestWillBeSentExtraInfo::METHOD => {
                let sent = event.read::<RequestWillBeSentExtraInfo>()?;
                let pending = self.pending.as_mut()?;
                if sent.request_id.0 == pending.loader {
                    pending.cookies = login(&sent);
                }
                None
            }
            FrameNavigated::METHOD => {
                let navigated = event.read::<FrameNavigated>()?;
                if navigated.frame.id.0 != self.frame {
                    return None;
                }
                let is_restored = navigated.r#type == Some(NavigationType::BackForwardCacheRestore);
                let loader = navigated.frame.loader_id.0;
                let pending = self.pending.take_if(|pending| pending.loader == loader);
                Some(match pending {
                    Some(pending) if pending.is_get && !is_restored => Loaded::Begun(Load {
                        loader,
                        asked_ms: pending.asked_ms,
                        cookies: pending.cookies,
                    }),
                    Some(_) if !is_restored => Loaded::Continued,
                    _ => {
                        self.pending = None;
                        Loaded::Unknown
                    }
                })
            }
            _ => None,
        }
    }
}

/// The cookies of the document's host that scripts cannot read, whether they were sent or not: one for a path below is
/// sent later.
fn login(sent: &RequestWillBeSentExtraInfo) -> Vec<LoginCookie> {
    let is_of_host = |it: &&cdp::network::AssociatedCookie| {
        let blocked = &it.blocked_reasons;
        it.cookie.http_only && !blocked.contains(&CookieBlockedReason::DomainMismatch)
    };
    let cookies = sent.associated_cookies.iter().filter(is_of_host);
    let kept = cookies.take(MOST_COOKIES).map(|it| {
        let cookie = &it.cookie;
        LoginCookie {
            name: cookie.name.clone(),
            value: cookie.value.clone(),
            domain: cookie.domain.clone(),
            path: cookie.path.clone(),
            secure: cookie.secure,
            same_site: cookie.same_site.as_ref().map(|it| it.as_str().to_owned()),
        }
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::fake::{SESSION, event};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn loads() -> Loads {
        Loads::new(SessionId(SESSION.to_owned()), "main".to_owned())
    }

    fn asked(loader: &str, method: &str, frame: &str) -> Event {
        let request = json!({ "url": "http://h/", "method": method, "headers": {} });
        let params = json!({ "requestId": loader, "loaderId": loader, "request": request, "timestamp": 1.0,
            "wallTime": 5.0, "type": "Document", "frameId": frame });
        event(RequestWillBeSent::METHOD, params)
    }

    fn cookies(loader: &str, cookies: &Value) -> Event {
        let params = json!({ "requestId": loader, "associatedCookies": cookies, "headers": {} });
        event(RequestWillBeSentExtraInfo::METHOD, params)
    }

    fn navigated(loader: &str, kind: &str) -> Event {
        let frame = json!({ "id": "main", "loaderId": loader, "url": "http://h/" });
        event(
            FrameNavigated::METHOD,
            json!({ "frame": frame, "type": kind }),
        )
    }

    #[test]
    fn a_load_begins_with_the_cookies_that_scripts_cannot_read() {
        let mut loads = loads();
        let cookie = |name: &str, http_only: bool, blocked: Value| {
            json!({ "blockedReasons": blocked, "cookie": { "name": name, "value": "v", "domain": "h", "path": "/",
                "httpOnly": http_only, "secure": false, "sameSite": "Lax" } })
        };
        assert_eq!(loads.take(&asked("1", "GET", "main")), Some(Loaded::Asked));
        let told = json!([
            cookie("session", true, json!([])),
            cookie("theme", false, json!([])),
            cookie("below", true, json!(["NotOnPath"])),
            cookie("other", true, json!(["DomainMismatch"])),
        ]);
        assert_eq!(loads.take(&cookies("2", &told)), None);
        assert_eq!(loads.take(&cookies("1", &told)), None);
        let Some(Loaded::Begun(load)) = loads.take(&navigated("1", "Navigation")) else {
            panic!("no load began");
        };
        let names: Vec<&str> = load.cookies.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["session", "below"]);
        assert_eq!(load.asked_ms, 5000.0);
        assert!(!loads.is_pending());
    }

    #[test]
    fn what_a_replay_cannot_open_is_no_load() {
        let mut loads = loads();
        // Frames, and what had no result.
        assert_eq!(loads.take(&asked("1", "GET", "inner")), None);
        assert_eq!(loads.take(&asked("2", "GET", "main")), Some(Loaded::Asked));
        // A form, whose answer leads on to a page.
        loads.take(&asked("3", "POST", "main"));
        loads.take(&asked("3", "GET", "main"));
        let begun = loads.take(&navigated("3", "Navigation"));
        assert!(matches!(begun, Some(Loaded::Begun(_))), "{begun:?}");
        loads.take(&asked("4", "POST", "main"));
        assert_eq!(
            loads.take(&navigated("4", "Navigation")),
            Some(Loaded::Continued)
        );
        assert_eq!(
            loads.take(&navigated("5", "BackForwardCacheRestore")),
            Some(Loaded::Unknown)
        );
    }

    #[test]
    fn what_the_browser_says_may_be_anything() {
        let mut loads = loads();
        for method in EVENTS {
            for params in [
                json!(null),
                json!({}),
                json!({ "frame": 5, "requestId": [] }),
            ] {
                assert_eq!(loads.take(&event(method, params)), None);
            }
        }
    }
}
