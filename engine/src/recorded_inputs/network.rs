//! Requests of a page that is replayed, answered from the recording.

use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use recording::{Exchange, Har, RequestKey};

use crate::bodies::kept_headers;
use cdp_driver::protocol::generated as cdp;

/// The responses of a recording, each request's in the order in which they came.
pub(crate) struct Responses {
    state: Mutex<AnswersState>,
    /// The page's own origin, where it is another one than that which was recorded.
    moved_to: Option<String>,
    /// Whether the person is logged in: what is not in the recording is sent only if it asks and changes nothing.
    is_logged_in: bool,
}

#[derive(Default)]
struct AnswersState {
    answers: HashMap<RequestKey, Answers>,
    missing: Vec<String>,
}

struct Answers {
    /// Each with its number in the recording.
    all: Vec<(usize, Arc<Exchange>)>,
    next: usize,
}

/// What a request is answered with.
pub(super) struct Taken {
    /// Its number in the recording; none: it is given again.
    pub(super) number: Option<usize>,
    pub(super) exchange: Arc<Exchange>,
}

impl Responses {
    /// The responses of `har`, for a page whose address is `page` now, if that is known; whether the replay is logged
    /// in as the person was.
    pub(crate) fn new(har: &Har, page: Option<&str>, is_logged_in: bool) -> Self {
        let mut answers = HashMap::<RequestKey, Answers>::new();
        let mut origins = HashSet::new();
        for (number, exchange) in har.exchanges.iter().enumerate() {
            origins.extend(origin_of(&exchange.request.url));
            let of_request = answers
                .entry(exchange.request.clone().without_secrets())
                .or_insert_with(|| Answers {
                    all: Vec::new(),
                    next: 0,
                });
            of_request.all.push((number, Arc::new(exchange.clone())));
        }
        let moved_to = page
            .and_then(origin_of)
            .filter(|origin| !origins.contains(origin));
        Self {
            state: Mutex::new(AnswersState {
                answers,
                missing: Vec::new(),
            }),
            moved_to,
            is_logged_in,
        }
    }

    /// Whether a request that is not in the recording is held back: with the person's login it might change something
    /// at the server. RFC 9110, section 9.2.1, says which methods are safe.
    pub(super) fn is_held_back(&self, method: &str) -> bool {
        self.is_logged_in && !matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE")
    }

    /// What a request, as the protocol describes it, was answered with. What is only asked for may be asked for more
    /// often than it was: then it is answered as it was last.
    pub(super) fn take(&self, request: &cdp::network::Request) -> Option<Taken> {
        const MOST_MISSING: usize = 100;
        let key = request_key(request)?;
        let mut state = self.state();
        let known = key.clone().without_secrets();
        if let Some(answers) = state.answers.get_mut(&known) {
            let is_only_read = matches!(key.method.as_str(), "GET" | "HEAD");
            let next = answers.all.get(answers.next);
            let is_next = next.is_some();
            let answer = next.or_else(|| answers.all.last().filter(|_| is_only_read));
            answers.next += 1;
            if let Some((number, exchange)) = answer {
                return Some(Taken {
                    number: is_next.then_some(*number),
                    exchange: exchange.clone(),
                });
            }
        }
        let is_elsewhere = self.moved_to.is_none() || origin_of(&key.url) != self.moved_to;
        // A browser asks for it by itself, and keeps it for other pages; many archives leave it out.
        let is_icon = key.url.ends_with("/favicon.ico");
        if is_elsewhere && !is_icon && state.missing.len() < MOST_MISSING {
            state.missing.push(key.to_string());
        }
        None
    }

    /// What is to be said of the requests that are not in the recording, since the last call.
    pub(crate) fn missing(&self) -> Vec<String> {
        let missing = std::mem::take(&mut self.state().missing).into_iter();
        let said = missing.map(|request| {
            let method = request.split(' ').next().unwrap_or_default();
            let became = match self.is_held_back(method) {
                true => "it was not sent, for with your login it might change something",
                false => "it went to the network",
            };
            format!("{request} is not in the recording: {became}")
        });
        said.collect()
    }

    fn state(&self) -> MutexGuard<'_, AnswersState> {
        self.state.lock()
    }
}

/// The answer to the request that waits as `request`, with `body`.
pub(crate) fn fulfilled(
    request: &str,
    exchange: &Exchange,
    body: &[u8],
) -> cdp::fetch::FulfillRequest {
    let phrase = Some(exchange.status_text.clone());
    cdp::fetch::FulfillRequest {
        response_headers: Some(kept_headers(&exchange.headers, body.len())),
        body: Some(STANDARD.encode(body)),
        response_phrase: phrase.filter(|phrase| !phrase.is_empty()),
        ..cdp::fetch::FulfillRequest::new(request, i64::from(exchange.status))
    }
}

/// The key of a request as the protocol describes it; `None`: it goes to no server.
pub(crate) fn request_key(request: &cdp::network::Request) -> Option<RequestKey> {
    let url = request.url.as_str();
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return None;
    }
    let mut headers = request.headers.iter().flatten();
    let kind = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let kind = kind.and_then(|(_, kind)| kind.as_str());
    let parts = request.post_data_entries.iter().flatten();
    let bytes = parts.filter_map(|part| STANDARD.decode(part.bytes.as_ref()?).ok());
    let body = bytes.flatten().collect::<Vec<u8>>();
    Some(RequestKey::new(&request.method, url, kind, Some(&body)))
}

fn origin_of(url: &str) -> Option<String> {
    Some(url::Url::parse(url).ok()?.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn request(request: Value) -> cdp::network::Request {
        serde_json::from_value(request).unwrap()
    }

    fn exchange(method: &str, url: &str, body: &str) -> Exchange {
        Exchange {
            request: RequestKey::new(method, url, None, None),
            kind: String::new(),
            started_ms: 0.0,
            time_ms: 0.0,
            status: 200,
            status_text: String::new(),
            headers: Vec::new(),
            body: body.into(),
        }
    }

    #[test]
    fn answers_come_in_order_and_what_is_only_read_goes_on_with_the_last() {
        let har = Har {
            exchanges: vec![
                exchange("GET", "http://a/x", "one"),
                exchange("POST", "http://a/x", "posted"),
                exchange("GET", "http://a/x", "two"),
            ],
            comment: None,
        };
        let responses = Responses::new(&har, Some("http://b/page"), false);
        let take = |method: &str, url: &str| {
            let taken = responses.take(&request(json!({ "method": method, "url": url })));
            taken.map(|taken| String::from_utf8(taken.exchange.body.clone()).unwrap())
        };
        for expected in ["one", "two", "two"] {
            assert_eq!(take("GET", "http://a/x#part").as_deref(), Some(expected));
        }
        assert_eq!(take("POST", "http://a/x").as_deref(), Some("posted"));
        assert_eq!(responses.missing(), [""; 0]);
        for (method, url) in [
            ("POST", "http://a/x"),
            ("GET", "http://a/y"),
            // The page's own server now, and what goes to none.
            ("GET", "http://b/x"),
            ("GET", "data:,x"),
        ] {
            assert_eq!(take(method, url), None);
        }
        assert_eq!(
            responses.missing(),
            [
                "POST http://a/x is not in the recording: it went to the network",
                "GET http://a/y is not in the recording: it went to the network"
            ]
        );
        assert_eq!(responses.missing(), [""; 0]);
    }

    #[test]
    fn with_a_login_nothing_is_sent_that_might_change_something() {
        let responses = Responses::new(&Har::default(), None, true);
        for method in ["GET", "DELETE"] {
            let taken = responses.take(&request(json!({ "method": method, "url": "http://a/x" })));
            assert!(taken.is_none());
        }
        assert!(responses.is_held_back("DELETE") && !responses.is_held_back("GET"));
        let said = responses.missing();
        assert!(said[0].ends_with("it went to the network"), "{said:?}");
        assert!(said[1].contains("it was not sent"), "{said:?}");
    }

    #[test]
    fn bodies_of_requests_tell_them_apart() {
        let key = |body: &str| {
            let parts = json!([{ "bytes": STANDARD.encode(body) }, { "bytes": "!" }, {}]);
            request_key(&request(
                json!({ "method": "POST", "url": "http://a/", "postDataEntries": parts }),
            ))
        };
        assert_ne!(key("a"), key("b"));
        assert_eq!(key("a"), key("a"));
    }
}
