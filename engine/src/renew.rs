//! The code of a recording as its server sends it now, so that a repair there is seen in a replay.
//!
//! It is asked for without cookies, and nothing else is: what a request may change at the server is never sent again.

use std::sync::Arc;

use futures::future::join_all;
use recording::{Code, Har};

use super::maps::InFrame;
use super::page::Page;
use super::streams::LARGEST;
use crate::EngineError;
use cdp_driver::protocol::{Clock, Protocol};

/// So many requests are made at a time.
const AT_ONCE: usize = 8;

/// What came of asking a server for code.
#[derive(Debug, Default)]
pub struct Renewed {
    /// The responses with other code; none: it is the same.
    pub responses: Option<Har>,
    /// The addresses of what is other code now.
    pub others: Vec<String>,
    /// What the server does not send now, in words; it stays as it was recorded.
    pub missing: Vec<String>,
}

/// Asks the server for this code of the responses.
///
/// # Errors
/// If the browser is lost.
pub async fn renew(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    recorded: &Har,
    code: &[Code],
) -> Result<Renewed, EngineError> {
    if code.is_empty() {
        return Ok(Renewed::default());
    }
    let tab = Page::open(protocol, clock).await?;
    let frame = InFrame {
        protocol: tab.protocol().as_ref(),
        session: tab.session(),
        frame: tab.target_id(),
    };
    let mut sent = Vec::with_capacity(code.len());
    for some in code.chunks(AT_ONCE) {
        sent.extend(join_all(some.iter().map(|it| sent_now(&frame, it))).await);
    }
    tab.dispose().await?;
    Ok(renewed(recorded, code, sent))
}

async fn sent_now(frame: &InFrame<'_>, code: &Code) -> Result<Vec<u8>, String> {
    let loaded = frame.load(&code.url, LARGEST).await?;
    // Many servers send a page in the place of a script that they do not have.
    match loaded.is_html && !code.is_document {
        true => Err(format!("{} is a page now", code.url)),
        false => Ok(loaded.body),
    }
}

fn renewed(recorded: &Har, code: &[Code], sent: Vec<Result<Vec<u8>, String>>) -> Renewed {
    let mut renewed = Renewed::default();
    let mut responses = recorded.clone();
    let mut has_other_document = false;
    for (code, sent) in code.iter().zip(sent) {
        match sent {
            Ok(body) => {
                if responses.replace(code, &body) {
                    renewed.others.push(code.url.clone());
                    has_other_document |= code.is_document;
                }
            }
            Err(why) => renewed.missing.push(why),
        }
    }
    if has_other_document {
        // It names the scripts that there are now.
        renewed.missing.clear();
    }
    if !renewed.others.is_empty() {
        renewed.responses = Some(responses);
    }
    renewed
}

#[cfg(test)]
mod tests {
    use recording::{Exchange, RequestKey};

    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn recorded() -> Har {
        let exchange = |kind: &str, url: &str| Exchange {
            request: RequestKey::new("GET", url, None, None),
            kind: kind.to_owned(),
            started_ms: 0.0,
            time_ms: 0.0,
            status: 200,
            status_text: String::new(),
            headers: Vec::new(),
            body: b"old".to_vec(),
        };
        let exchanges = vec![
            exchange("document", "http://h/"),
            exchange("script", "http://h/a.js"),
        ];
        Har {
            exchanges,
            comment: None,
        }
    }

    fn of(sent: [Result<&str, &str>; 2]) -> Renewed {
        let har = recorded();
        let sent = sent.map(|it| it.map(|it| it.as_bytes().to_vec()).map_err(str::to_owned));
        renewed(&har, &har.code("http://h/", true), sent.into())
    }

    #[test]
    fn other_code_takes_the_place_of_what_was_recorded() {
        let same = of([Ok("old"), Ok("old")]);
        assert!(same.responses.is_none() && same.missing.is_empty());
        let other = of([Ok("old"), Ok("new")]);
        assert_eq!(other.others, ["http://h/a.js"]);
        let bodies = other.responses.unwrap().exchanges.into_iter();
        let bodies: Vec<Vec<u8>> = bodies.map(|it| it.body).collect();
        assert_eq!(bodies, [b"old".to_vec(), b"new".to_vec()]);
    }

    #[test]
    fn what_is_missing_is_told_unless_another_document_may_not_want_it() {
        let gone = of([Ok("old"), Err("a.js is gone")]);
        assert_eq!(gone.missing, ["a.js is gone"]);
        assert!(gone.responses.is_none());
        let other = of([Ok("new"), Err("a.js is gone")]);
        assert_eq!((other.missing.len(), other.others.len()), (0, 1));
    }
}
