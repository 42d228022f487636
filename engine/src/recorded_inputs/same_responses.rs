//! What scripts are answered in executions that are compared: the same in each, and in the same order.
//!
//! Requests that are under way at once are answered one after the other, in the order in which they were made: a server
//! may answer them in another order each time, and what the page does then is in another order, too. What the first
//! execution was answered is kept, and the others are answered with it.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::Duration;

use recording::{Exchange, Har, RequestKey};

use super::network::{Responses, request_key};
use crate::streams::bytes_of;
use cdp::fetch::RequestPaused;
use cdp::network::{
    RequestWillBeSent, ResourceType, Response, ResponseReceived, ResponseReceivedExtraInfo,
};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Clock, Event, Protocol, SessionId};

/// How long a response is waited for before the next request is let go, in milliseconds.
const PATIENCE_MS: f64 = 2000.0;
/// How long a response takes to arrive where nobody says that it has: in workers, and where a script does not read it.
/// In milliseconds.
const ARRIVAL_MS: f64 = 250.0;
/// How soon a request waits for us that a script made, in milliseconds. One that a service worker answers never does.
const PAUSES_WITHIN_MS: f64 = 300.0;
/// How long nothing was under way when what has come is taken for all that comes, in milliseconds.
const QUIET_MS: f64 = 20.0;
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// The most that is kept of bodies, in bytes.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// What tells of requests and responses.
pub(super) const EVENTS: &[&str] = &[
    RequestWillBeSent::METHOD,
    ResponseReceived::METHOD,
    ResponseReceivedExtraInfo::METHOD,
];

/// The responses to scripts of one execution: kept while it runs, or given to another that is compared with it.
///
/// What is not kept is asked for again: responses that set cookies, redirects, and streams that do not end.
#[derive(Debug, Default)]
pub struct SameResponses {
    /// What is given; none: nothing is, and responses are kept.
    given: Option<Vec<Exchange>>,
    kept: Mutex<Vec<Exchange>>,
}

impl SameResponses {
    /// Keeps what the next execution is answered.
    #[must_use]
    pub fn keep() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Gives what was kept.
    #[must_use]
    pub fn again(&self) -> Arc<Self> {
        let given = self.given.clone();
        Arc::new(Self {
            given: Some(given.unwrap_or_else(|| self.kept.lock().clone())),
            kept: Mutex::default(),
        })
    }

    fn keep_one(&self, exchange: Exchange) {
        let mut kept = self.kept.lock();
        let bytes: usize = kept.iter().map(|it| it.body.len()).sum();
        if bytes.saturating_add(exchange.body.len()) <= MOST_BYTES {
            kept.push(exchange);
        }
    }
}

/// In which order the requests of one execution are answered, and with what.
pub(super) struct Turns {
    same: Arc<SameResponses>,
    given: Option<Responses>,
    state: Mutex<TurnsState>,
}

#[derive(Default)]
struct TurnsState {
    /// In the order in which they were made.
    under_way: Vec<UnderWay>,
    /// When the last one ended.
    ended_ms: f64,
}

/// A request that was made and has not ended.
struct UnderWay {
    /// As the network domain names it.
    request: String,
    key: Option<RequestKey>,
    is: Is,
    /// What is known of its response.
    response: Option<Response>,
    /// Whether another execution may be given its response.
    is_kept: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Is {
    /// A script made it then.
    Made(f64),
    /// It waits for its turn.
    Waiting,
    /// It went to its server then.
    Sent(f64),
    /// Its response has begun then, and is on its way.
    Answered(f64),
    /// It has arrived, and its body is being read.
    Read,
}

impl UnderWay {
    /// Whether those behind it wait for it.
    fn is_waited_for(&self, now_ms: f64) -> bool {
        match self.is {
            Is::Waiting | Is::Read => true,
            Is::Made(at_ms) => now_ms - at_ms < PAUSES_WITHIN_MS,
            Is::Sent(at_ms) => now_ms - at_ms < PATIENCE_MS,
            Is::Answered(at_ms) => now_ms - at_ms < ARRIVAL_MS,
        }
    }
}

impl Turns {
    /// Those of an execution that begins.
    pub(super) fn new(same: Arc<SameResponses>) -> Self {
        same.kept.lock().clear();
        let given = same.given.as_ref().map(|exchanges| {
            let har = Har {
                exchanges: exchanges.clone(),
                comment: None,
            };
            Responses::new(&har, None, false)
        });
        Self {
            same,
            given,
            state: Mutex::default(),
        }
    }

    /// Waits until it is the turn of a request that a script made; what it is answered with then, if that was kept.
    pub(super) async fn turn_of(
        &self,
        paused: &RequestPaused,
        clock: &dyn Clock,
    ) -> Option<Arc<Exchange>> {
        let request = &paused.network_id.as_ref()?.0;
        if !self.state().waits(request, paused) {
            // It goes on elsewhere.
            return None;
        }
        while !self.state().is_first(request, clock.now_ms()) {
            clock.sleep(LOOK_EVERY).await;
        }
        let given = self.given.as_ref();
        let given = given.and_then(|it| it.take(&paused.request));
        let now_ms = clock.now_ms();
        let is = match given {
            Some(_) => Is::Answered(now_ms),
            None => Is::Sent(now_ms),
        };
        if let Some(own) = self.state().of(request) {
            own.is = is;
        }
        given.map(|it| it.exchange)
    }

    /// Takes in what is told of a response.
    pub(super) fn told(&self, event: &Event, now_ms: f64) {
        match event.method.as_str() {
            RequestWillBeSent::METHOD => {
                let Some(sent) = event.read::<RequestWillBeSent>() else {
                    return;
                };
                let kind = sent.r#type.as_ref();
                if let Some(ResourceType::Xhr | ResourceType::Fetch) = kind {
                    self.state().made(&sent, now_ms);
                }
            }
            ResponseReceived::METHOD => {
                let Some(received) = event.read::<ResponseReceived>() else {
                    return;
                };
                if let Some(own) = self.state().of(&received.request_id.0) {
                    own.is = Is::Answered(now_ms);
                    own.response = Some(received.response);
                }
            }
            // Only here cookies are told.
            ResponseReceivedExtraInfo::METHOD => {
                let Some(more) = event.read::<ResponseReceivedExtraInfo>() else {
                    return;
                };
                let mut headers = more.headers.iter();
                let sets = headers.any(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
                if let Some(own) = self.state().of(&more.request_id.0).filter(|_| sets) {
                    own.is_kept = false;
                }
            }
            _ => {}
        }
    }

    /// A response has arrived: whether its body is to be read ([`Self::read`]).
    pub(super) fn arrived(&self, request: &str, now_ms: f64) -> bool {
        let mut state = self.state();
        let keeps = self.given.is_none();
        match state.of(request) {
            Some(own) if keeps && own.is_kept && own.response.is_some() => {
                own.is = Is::Read;
                true
            }
            _ => {
                state.ends(request, now_ms);
                false
            }
        }
    }

    /// A response will not arrive.
    pub(super) fn failed(&self, request: &str, now_ms: f64) {
        self.state().ends(request, now_ms);
    }

    /// Keeps a response that has arrived.
    pub(super) async fn read(
        &self,
        protocol: &dyn Protocol,
        session: &SessionId,
        request: &str,
        clock: &dyn Clock,
    ) {
        let whole = cdp::network::GetResponseBody::new(request);
        let told = protocol.call(Some(session), &whole).await.ok();
        let body = told.and_then(|it| bytes_of(it.body, it.base64_encoded));
        let own = self.state().ends(request, clock.now_ms());
        let exchange = own.zip(body).and_then(|(own, body)| own.exchange(body));
        if let Some(exchange) = exchange {
            self.same.keep_one(exchange);
        }
    }

    /// Whether all has arrived that the page was said to ask for, as far as it is waited for.
    pub(super) fn have_arrived(&self, now_ms: f64) -> bool {
        self.state().is_quiet(now_ms)
    }

    fn state(&self) -> MutexGuard<'_, TurnsState> {
        self.state.lock()
    }
}

impl TurnsState {
    fn of(&mut self, request: &str) -> Option<&mut UnderWay> {
        self.under_way.iter_mut().find(|it| it.request == request)
    }

    /// A script has made a request.
    fn made(&mut self, sent: &RequestWillBeSent, now_ms: f64) {
        let request = sent.request_id.as_str();
        // What goes to no server waits for nobody.
        let key = request_key(&sent.request);
        match self.of(request) {
            Some(own) => own.is_kept &= sent.redirect_response.is_none(),
            None if key.is_some() => self.begins(request, key, Is::Made(now_ms)),
            None => {}
        }
    }

    /// A request waits for its turn; `false`: it had it already, and was redirected.
    fn waits(&mut self, request: &str, paused: &RequestPaused) -> bool {
        match self.of(request) {
            Some(own) if matches!(own.is, Is::Made(_)) => own.is = Is::Waiting,
            Some(own) => {
                own.is_kept = false;
                return false;
            }
            None => self.begins(request, request_key(&paused.request), Is::Waiting),
        }
        true
    }

    fn begins(&mut self, request: &str, key: Option<RequestKey>, is: Is) {
        self.under_way.push(UnderWay {
            request: request.to_owned(),
            key,
            is,
            response: None,
            is_kept: true,
        });
    }

    /// Whether nothing that was asked for before it is waited for.
    fn is_first(&self, request: &str, now_ms: f64) -> bool {
        let before = self.under_way.iter().take_while(|it| it.request != request);
        !before.into_iter().any(|it| it.is_waited_for(now_ms))
    }

    fn ends(&mut self, request: &str, now_ms: f64) -> Option<UnderWay> {
        let at = self.under_way.iter().position(|it| it.request == request)?;
        self.ended_ms = now_ms;
        Some(self.under_way.remove(at))
    }

    fn is_quiet(&self, now_ms: f64) -> bool {
        let is_waited_for = |it: &UnderWay| it.is_waited_for(now_ms);
        !self.under_way.iter().any(is_waited_for) && now_ms - self.ended_ms >= QUIET_MS
    }
}

impl UnderWay {
    /// What another execution is given.
    fn exchange(self, body: Vec<u8>) -> Option<Exchange> {
        let response = self.response?;
        // Several headers of one name come as lines.
        let headers = response.headers.iter().flatten();
        let headers = headers.flat_map(|(name, values)| {
            let values = values.as_str().unwrap_or_default().lines();
            values.map(|value| (name.clone(), value.to_owned()))
        });
        Some(Exchange {
            request: self.key?.without_secrets(),
            kind: "fetch".to_owned(),
            started_ms: 0.0,
            time_ms: 0.0,
            status: response.status,
            status_text: response.status_text.clone().unwrap_or_default(),
            headers: headers.collect(),
            body,
        })
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use serde_json::{Value, json};

    use super::*;
    use crate::fake::{self, event};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn paused(id: &str, url: &str) -> RequestPaused {
        let request = json!({ "url": url, "method": "GET", "headers": {} });
        let paused = json!({ "requestId": id, "networkId": id, "request": request, "resourceType": "Fetch" });
        serde_json::from_value(paused).unwrap()
    }

    fn told(method: &str, id: &str, more: &Value) -> Event {
        let mut params =
            json!({ "requestId": id, "timestamp": 0, "loaderId": "", "type": "Fetch" });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        event(method, params)
    }

    /// The browser says that a response has begun.
    fn begun(id: &str) -> Event {
        let response = json!({
            "url": "http://a/", "status": 200, "statusText": "OK", "headers": { "x": "1\n2" }, "mimeType": "",
            "charset": "", "connectionReused": false, "connectionId": 0, "encodedDataLength": 0,
            "securityState": "neutral",
        });
        let more = json!({ "response": response, "hasExtraInfo": false });
        told(ResponseReceived::METHOD, id, &more)
    }

    fn cookie(id: &str) -> Event {
        let more = json!({ "headers": { "Set-Cookie": "a=b" }, "statusCode": 200 });
        told(ResponseReceivedExtraInfo::METHOD, id, &more)
    }

    #[test]
    fn what_is_asked_for_at_once_is_answered_one_after_the_other_and_again() {
        let (protocol, clock, page) = fake::page();
        let same = SameResponses::keep();
        let turns = Turns::new(same.clone());
        let (one, two) = (paused("1", "http://a/1"), paused("2", "http://a/2"));
        let clock = clock.as_ref();
        block_on(async {
            assert!(turns.turn_of(&one, clock).await.is_none());
            assert!(turns.state().waits("2", &two));
            assert!(!turns.state().is_first("2", clock.now_ms()));
            turns.told(&begun("1"), clock.now_ms());
            assert!(!turns.state().is_first("2", clock.now_ms()), "on its way");
            assert!(turns.arrived("1", clock.now_ms()));
            assert!(!turns.state().is_first("2", clock.now_ms()), "being read");
            let body = json!({ "body": "one", "base64Encoded": false });
            let method = cdp::network::GetResponseBody::METHOD;
            protocol.on(method, Vec::new(), Some(Ok(body)));
            turns
                .read(protocol.as_ref(), page.session(), "1", clock)
                .await;
            assert!(turns.state().is_first("2", clock.now_ms()));
            // What sets a cookie is asked for again.
            turns.told(&begun("2"), clock.now_ms());
            turns.told(&cookie("2"), clock.now_ms());
            assert!(!turns.arrived("2", clock.now_ms()));

            let again = Turns::new(same.again());
            let given = again.turn_of(&one, clock).await.unwrap();
            assert_eq!(given.body, b"one");
            assert_eq!(given.headers.len(), 2);
            assert!(!again.arrived("1", clock.now_ms()), "it is kept already");
            assert!(again.turn_of(&two, clock).await.is_none());
            // It is redirected, and goes on at once.
            assert!(again.turn_of(&two, clock).await.is_none());
        });
    }

    #[test]
    fn what_does_not_arrive_is_waited_for_no_longer_than_that() {
        let turns = Turns::new(SameResponses::keep());
        let mut state = turns.state();
        for id in ["1", "2"] {
            assert!(state.waits(id, &paused(id, "http://a/")));
        }
        state.of("1").unwrap().is = Is::Sent(0.0);
        assert!(!state.is_first("2", PATIENCE_MS - 1.0));
        assert!(state.is_first("2", PATIENCE_MS + 1.0));
        state.of("1").unwrap().is = Is::Made(0.0);
        assert!(!state.is_first("2", PAUSES_WITHIN_MS - 1.0));
        assert!(state.is_first("2", PAUSES_WITHIN_MS + 1.0));
        state.of("1").unwrap().is = Is::Answered(0.0);
        assert!(!state.is_first("2", ARRIVAL_MS - 1.0));
        assert!(state.is_first("2", ARRIVAL_MS + 1.0), "nobody reads it");
        assert!(!state.is_quiet(1.0));
        assert!(state.ends("1", 1.0).is_some() && state.ends("2", 2.0).is_some());
        assert!(state.ends("1", 3.0).is_none());
        assert!(!state.is_quiet(QUIET_MS));
        assert!(state.is_quiet(QUIET_MS + 2.0));
    }
}
