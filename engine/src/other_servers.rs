//! What pages ask for besides what their own server gives: who holds that server knows everything else that an
//! execution depended on.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

use futures::StreamExt;
use futures::future::{BoxFuture, Either, FutureExt, select};
use futures::stream::BoxStream;
use serde_json::Value;

use cdp::fetch::RequestPaused;
use cdp::network::{RequestWillBeSent, WebSocketCreated, WebTransportCreated};
use cdp::target::AttachedToTarget;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Event, Offers, Protocol, ProtocolError, SessionFilter, SessionId, Wanted,
};

/// How many addresses are named.
const MOST_NAMED: usize = 20;

/// What was beyond one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherServers {
    /// Addresses elsewhere that were asked for, those of sockets included; at most 20 of them.
    pub elsewhere: BTreeSet<String>,
    /// Whether there were workers or worklets: what these ask for is not told.
    pub workers: bool,
}

impl OtherServers {
    /// Whether everything that was asked for is known to have been asked of that server.
    #[must_use]
    pub fn is_within(&self) -> bool {
        self.elsewhere.is_empty() && !self.workers
    }

    fn ask(&mut self, home: &str, url: &str) {
        if !is_within(home, url) && !url.is_empty() && self.elsewhere.len() < MOST_NAMED {
            self.elsewhere.insert(url.to_owned());
        }
    }

    fn happened(&mut self, home: &str, event: &Event) {
        match event.method.as_str() {
            RequestWillBeSent::METHOD => {
                if let Some(sent) = event.read::<RequestWillBeSent>() {
                    self.ask(home, &sent.request.url);
                }
            }
            RequestPaused::METHOD => {
                if let Some(paused) = event.read::<RequestPaused>() {
                    self.ask(home, &paused.request.url);
                }
            }
            // Sockets have no answer that could be looked at again, whoever gave it.
            WebSocketCreated::METHOD => {
                if let Some(created) = event.read::<WebSocketCreated>() {
                    self.ask("", &created.url);
                }
            }
            WebTransportCreated::METHOD => {
                if let Some(created) = event.read::<WebTransportCreated>() {
                    self.ask("", &created.url);
                }
            }
            AttachedToTarget::METHOD => {
                if let Some(attached) = event.read::<AttachedToTarget>() {
                    let kind = attached.target_info.r#type;
                    self.workers |= !matches!(kind.as_str(), "page" | "iframe" | "tab" | "browser");
                }
            }
            _ => {}
        }
    }
}

/// Whether an address is of the server at `home`, or of none.
pub(crate) fn is_within(home: &str, url: &str) -> bool {
    // What these hold is in the address, or was made by the page.
    const OF_THE_PAGE: [&str; 4] = ["data:", "blob:", "about:", "javascript:"];
    let is_home = url
        .strip_prefix(home)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']));
    is_home || OF_THE_PAGE.iter().any(|scheme| url.starts_with(scheme))
}

/// Does `work` with the browser behind `protocol`; answers with what came of it, and with what was asked for meanwhile
/// of others than the server at `home` (`http://127.0.0.1:41234`), by any page that this connection drives.
pub async fn following<T>(
    protocol: Arc<dyn Protocol>,
    home: &str,
    work: impl AsyncFnOnce(Arc<dyn Protocol>) -> T,
) -> (T, OtherServers) {
    const METHODS: &[&str] = &[
        RequestWillBeSent::METHOD,
        RequestPaused::METHOD,
        WebSocketCreated::METHOD,
        WebTransportCreated::METHOD,
        AttachedToTarget::METHOD,
    ];
    let mut events = protocol.events_of(Wanted::of(SessionFilter::Every, METHODS));
    let fetched = Arc::new(Fetched {
        protocol,
        urls: Mutex::default(),
    });
    let mut reach = OtherServers::default();
    let done = {
        let mut work = std::pin::pin!(work(fetched.clone()));
        loop {
            match select(work, events.next()).await {
                Either::Left((done, _)) => break done,
                Either::Right((Some(event), left)) => {
                    reach.happened(home, &event);
                    work = left;
                }
                Either::Right((None, left)) => break left.await,
            }
        }
    };
    // What has arrived meanwhile.
    while let Some(Some(event)) = events.next().now_or_never() {
        reach.happened(home, &event);
    }
    let urls = fetched.urls.lock();
    for url in urls.iter() {
        reach.ask(home, url);
    }
    (done, reach)
}

/// A connection that notes what is fetched through it by command, which no event tells: source maps.
struct Fetched {
    protocol: Arc<dyn Protocol>,
    urls: Mutex<BTreeSet<String>>,
}

impl Protocol for Fetched {
    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        if method == cdp::network::LoadNetworkResource::METHOD
            && let Some(url) = params.get("url").and_then(Value::as_str)
        {
            let mut urls = self.urls.lock();
            urls.insert(url.to_owned());
        }
        self.protocol.send(session, method, params)
    }

    fn offers(&self) -> Offers {
        self.protocol.offers()
    }

    fn renew_tab(&self) -> BoxFuture<'_, Result<SessionId, ProtocolError>> {
        self.protocol.renew_tab()
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        self.protocol.events_of(wanted)
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use serde_json::json;

    use super::*;
    use crate::fake::{FakeProtocol, event};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    const HOME: &str = "http://127.0.0.1:4000";

    /// What is known after these events.
    fn after(events: Vec<Event>) -> OtherServers {
        let fake = Arc::new(FakeProtocol::default());
        fake.on(cdp::page::Enable::METHOD, events, Some(Ok(json!({}))));
        let (done, reach) = block_on(following(fake, HOME, async |protocol| {
            let sent = protocol
                .send(None, cdp::page::Enable::METHOD, json!({}))
                .await;
            sent.unwrap();
            7
        }));
        assert_eq!(done, 7);
        reach
    }

    fn request(url: &str) -> Event {
        event(
            cdp::network::RequestWillBeSent::METHOD,
            json!({ "requestId": "1", "timestamp": 1, "wallTime": 1, "request": { "url": url, "method": "GET" } }),
        )
    }

    #[test]
    fn what_the_server_and_the_page_itself_give_is_within() {
        let urls = [
            "http://127.0.0.1:4000/",
            "http://127.0.0.1:4000?x",
            "http://127.0.0.1:4000/app.js",
            "data:text/plain,x",
            "blob:http://127.0.0.1:4000/1",
            "about:blank",
        ];
        let reach = after(urls.map(request).to_vec());
        assert!(reach.is_within(), "{reach:?}");
    }

    #[test]
    fn everything_else_is_named() {
        for url in [
            "http://127.0.0.1:40001/app.js",
            "http://127.0.0.1:4000.example/app.js",
            "https://127.0.0.1:4000/",
            "http://localhost:4000/",
            "file:///x",
        ] {
            let reach = after(vec![request(url)]);
            assert_eq!(reach.elsewhere, [url.to_owned()].into(), "{url}");
            assert!(!reach.is_within());
        }
        let paused = json!({ "requestId": "1", "resourceType": "Other",
            "request": { "url": "http://h/w.js", "method": "GET" } });
        let reach = after(vec![event(cdp::fetch::RequestPaused::METHOD, paused)]);
        assert!(!reach.is_within());
        let socket = json!({ "url": "ws://127.0.0.1:4000/" });
        let reach = after(vec![event(cdp::network::WebSocketCreated::METHOD, socket)]);
        assert!(!reach.is_within());
    }

    #[test]
    fn workers_are_said() {
        for (kind, workers) in [
            ("page", false),
            ("iframe", false),
            ("browser", false),
            ("worker", true),
            ("", true),
        ] {
            let target = json!({ "sessionId": "C",
                "targetInfo": { "type": kind, "targetId": "T", "title": "", "url": "" } });
            let reach = after(vec![event(cdp::target::AttachedToTarget::METHOD, target)]);
            assert_eq!(reach.workers, workers, "{kind}");
        }
    }

    #[test]
    fn what_is_fetched_by_command_is_asked_for_as_well() {
        let fake = Arc::new(FakeProtocol::default());
        let ((), reach) = block_on(following(fake, HOME, async |protocol| {
            for url in [
                "http://127.0.0.1:4000/app.js.map",
                "https://cdn.example/a.map",
            ] {
                let params = json!({ "url": url });
                let sent = protocol
                    .send(None, cdp::network::LoadNetworkResource::METHOD, params)
                    .await;
                sent.unwrap();
            }
        }));
        assert_eq!(
            reach.elsewhere,
            ["https://cdn.example/a.map".to_owned()].into()
        );
    }
}
