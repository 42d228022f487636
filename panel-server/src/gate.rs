//! Who may speak to the back end: who knows the secret, used our own name, and is no page of another origin than
//! ours and our extension's.
//!
//! A page in the same browser can open a WebSocket to any port of this machine, and the name of any site can be turned
//! to 127.0.0.1 (DNS rebinding). The browser says truly by which name it came (`Host`) and what page it is (`Origin`);
//! a program that is no browser can say anything, so it has to know the secret, as everybody.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use querypoint::session::messages::{FORMER_SUBPROTOCOL, SECRET_PREFIX, SUBPROTOCOL};
use querypoint::session::native_host::EXTENSION_ID;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// What a connection is checked against.
#[derive(Debug)]
pub(crate) struct Gate {
    hosts: [String; 2],
    secret: [u8; 32],
}

impl Gate {
    /// The gate of a server on `port` whose secret this is.
    pub(crate) fn new(port: u16, secret: &str) -> Self {
        Self {
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
            secret: Sha256::digest(secret).into(),
        }
    }

    /// Whether the request used a name of this server.
    fn is_host(&self, headers: &HeaderMap) -> bool {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        host.is_some_and(|host| {
            self.hosts
                .iter()
                .any(|ours| ours.eq_ignore_ascii_case(host))
        })
    }

    /// Whether who asks for a WebSocket may have it, and the subprotocol that is spoken there: ours where it is
    /// offered.
    ///
    /// # Errors
    /// Why not, in words.
    pub(crate) fn admits(&self, headers: &HeaderMap) -> Result<&'static str, &'static str> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| origin.to_str().is_ok_and(|origin| self.is_ours(origin))) {
            return Err(
                "this page may not connect; open the panel at the address that `querypoint serve` prints",
            );
        }
        let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
        let offered: Vec<&str> = offered
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .collect();
        let known = [SUBPROTOCOL, FORMER_SUBPROTOCOL];
        let spoken = known.into_iter().find(|it| offered.contains(it)).ok_or(
            "ask for the subprotocol querypoint.2; another version of the panel speaks another one",
        )?;
        // Digests are compared, so that the time it takes tells nothing of the secret.
        let knows = |secret: &str| <[u8; 32]>::from(Sha256::digest(secret)) == self.secret;
        let mut secrets = offered
            .iter()
            .filter_map(|each| each.strip_prefix(SECRET_PREFIX));
        match secrets.any(knows) {
            true => Ok(spoken),
            false => Err("the secret is missing or wrong; `querypoint serve` prints it"),
        }
    }

    /// Whether a page of this origin is served by us, or belongs to our extension.
    ///
    /// In Firefox each installation gives an extension another origin, so that there only the secret tells ours from
    /// others; no page of the web can have such an origin.
    fn is_ours(&self, origin: &str) -> bool {
        match origin.split_once("://") {
            Some(("http", host)) => self.hosts.iter().any(|ours| ours == host),
            Some(("chrome-extension", id)) => id == EXTENSION_ID,
            Some(("moz-extension", _)) => true,
            _ => false,
        }
    }
}

/// Refuses whatever used another name than ours.
pub(crate) async fn check_host(
    State(gate): State<Arc<Gate>>,
    request: Request,
    next: Next,
) -> Response {
    match gate.is_host(request.headers()) {
        true => next.run(request).await,
        false => (StatusCode::FORBIDDEN, "use the name 127.0.0.1 or localhost").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    const PROTOCOLS: &str = "querypoint.2, secret.abc";

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    #[test]
    fn the_secret_lets_in_programs_and_our_own_page() {
        let gate = Gate::new(4000, "abc");
        let program = headers(&[(header::SEC_WEBSOCKET_PROTOCOL, PROTOCOLS)]);
        assert_eq!(gate.admits(&program), Ok("querypoint.2"));
        for origin in [
            "http://127.0.0.1:4000",
            "http://localhost:4000",
            "chrome-extension://bakegmiicnglloflihecifmopfeocpan",
            "moz-extension://5f8a0e52-0b4a-4a52-8f0a-3f1c0b2a7d11",
        ] {
            let page = headers(&[
                (header::SEC_WEBSOCKET_PROTOCOL, PROTOCOLS),
                (header::ORIGIN, origin),
            ]);
            assert_eq!(gate.admits(&page), Ok("querypoint.2"));
        }
    }

    #[test]
    fn no_other_page_is_let_in_even_with_the_secret() {
        let gate = Gate::new(4000, "abc");
        for origin in [
            "http://127.0.0.1:4001",
            "http://127.0.0.1",
            "https://127.0.0.1:4000",
            "http://127.0.0.1:4000.evil.example",
            "http://evil.example",
            "null",
            "",
            "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            let page = headers(&[
                (header::SEC_WEBSOCKET_PROTOCOL, PROTOCOLS),
                (header::ORIGIN, origin),
            ]);
            assert!(
                gate.admits(&page).unwrap_err().contains("this page"),
                "{origin}"
            );
        }
    }

    #[test]
    fn without_the_secret_nobody_is_let_in() {
        let gate = Gate::new(4000, "abc");
        for protocols in [
            "",
            "querypoint.2",
            "querypoint.1",
            "querypoint.1, secret.ab",
            "querypoint.2, secret.",
            "querypoint.2, secret.ab",
            "querypoint.2, secret.abcd",
            "querypoint.2, Secret.abc",
            "querypoint.2, abc",
        ] {
            let page = headers(&[(header::SEC_WEBSOCKET_PROTOCOL, protocols)]);
            assert!(gate.admits(&page).is_err(), "{protocols}");
        }
        let other = headers(&[(header::SEC_WEBSOCKET_PROTOCOL, "querypoint.3, secret.abc")]);
        assert!(gate.admits(&other).unwrap_err().contains("subprotocol"));
    }

    #[test]
    fn who_speaks_the_protocol_before_is_let_in_to_hear_it_and_ours_is_preferred() {
        let gate = Gate::new(4000, "abc");
        for (offered, spoken) in [
            ("querypoint.1, secret.abc", "querypoint.1"),
            ("querypoint.1, querypoint.2, secret.abc", "querypoint.2"),
        ] {
            let page = headers(&[(header::SEC_WEBSOCKET_PROTOCOL, offered)]);
            assert_eq!(gate.admits(&page), Ok(spoken));
        }
    }

    #[test]
    fn another_name_is_not_ours() {
        let gate = Gate::new(4000, "abc");
        for (host, is_ours) in [
            ("127.0.0.1:4000", true),
            ("LOCALHOST:4000", true),
            ("127.0.0.1", false),
            ("127.0.0.1:4001", false),
            ("evil.example:4000", false),
            ("127.0.0.1:4000.evil.example", false),
            ("", false),
        ] {
            assert_eq!(
                gate.is_host(&headers(&[(header::HOST, host)])),
                is_ours,
                "{host}"
            );
        }
        assert!(!gate.is_host(&HeaderMap::new()));
    }
}
