//! The code among the responses of a recording: what a server sends anew once it was repaired.

use super::storage::STORAGE;
use super::{Exchange, Har, Recording};

/// A document or a script of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its address.
    pub url: String,
    /// Whether it is a document; else it is a script.
    pub is_document: bool,
    /// The numbers of the exchanges that brought it.
    exchanges: Vec<usize>,
}

impl Recording {
    /// Whether it began in a tab that somebody had open, so that the server may have sent the page to somebody it knew.
    #[must_use]
    pub fn began_in_open_tab(&self) -> bool {
        self.ours(STORAGE).is_some()
    }
}

impl Har {
    /// The code that the server of the page at `page` sent: its scripts and, if the browser had nothing of that server
    /// when the recording began, the document that was opened. Later documents may be of somebody who has logged in
    /// meanwhile, or change something at the server.
    #[must_use]
    pub fn code(&self, page: &str, began_with_nothing: bool) -> Vec<Code> {
        let origin = origin(page);
        let is_sent = |it: &Exchange| it.request.method == "GET" && it.status == 200;
        let mut all: Vec<Code> = Vec::new();
        let mut has_document = !began_with_nothing;
        for (number, exchange) in self.exchanges.iter().enumerate() {
            let is_document = match exchange.kind.as_str() {
                "document" if has_document => continue,
                "document" => true,
                "script" => false,
                _ => continue,
            };
            let url = &exchange.request.url;
            if !is_sent(exchange) {
                continue;
            }
            has_document |= is_document;
            if self::origin(url) != origin {
                continue;
            }
            match all
                .iter_mut()
                .find(|it| it.url == *url && it.is_document == is_document)
            {
                Some(code) => code.exchanges.push(number),
                None => all.push(Code {
                    url: url.clone(),
                    is_document,
                    exchanges: vec![number],
                }),
            }
        }
        all
    }

    /// Puts other code in the place of this. Says whether it is another.
    pub fn replace(&mut self, code: &Code, body: &[u8]) -> bool {
        let mut is_other = false;
        for number in &code.exchanges {
            if let Some(exchange) = self.exchanges.get_mut(*number)
                && exchange.body != body
            {
                exchange.body = body.to_vec();
                is_other = true;
            }
        }
        is_other
    }
}

/// The scheme, the host and the port of an address of a server.
fn origin(url: &str) -> Vec<&str> {
    url.split(['/', '?', '#']).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RequestKey, Storage};

    fn exchange(kind: &str, url: &str, status: u16) -> Exchange {
        Exchange {
            request: RequestKey::new("GET", url, None, None),
            kind: kind.to_owned(),
            started_ms: 0.0,
            time_ms: 0.0,
            status,
            status_text: String::new(),
            headers: Vec::new(),
            body: b"old".to_vec(),
        }
    }

    fn recorded() -> Har {
        let mut posted = exchange("document", "http://h/shop", 200);
        posted.request.method = "POST".to_owned();
        let exchanges = vec![
            exchange("document", "http://h/", 302),
            posted,
            exchange("document", "http://h/shop", 200),
            exchange("script", "http://h/app.js", 200),
            exchange("script", "http://cdn/lib.js", 200),
            exchange("script", "http://h/gone.js", 404),
            exchange("fetch", "http://h/cart.json", 200),
            // Once more, after logging in.
            exchange("document", "http://h/shop", 200),
            exchange("script", "http://h/app.js", 200),
        ];
        Har {
            exchanges,
            comment: None,
        }
    }

    #[test]
    fn the_code_of_the_pages_own_server_is_found() {
        let har = recorded();
        let found = |page: &str, began_with_nothing: bool| -> Vec<(String, Vec<usize>)> {
            let code = har.code(page, began_with_nothing).into_iter();
            code.map(|it| (it.url, it.exchanges)).collect()
        };
        let document = ("http://h/shop".to_owned(), vec![2]);
        let script = ("http://h/app.js".to_owned(), vec![3, 8]);
        assert_eq!(found("http://h/?a#b", true), [document, script.clone()]);
        assert_eq!(found("http://h", false), [script]);
        // The page is at another address now, where it is asked for anew in any case.
        assert_eq!(found("http://h:8080/", true), []);
    }

    #[test]
    fn what_is_replaced_is_so_wherever_it_was_sent() {
        let mut har = recorded();
        let code = har.code("http://h/", true);
        assert!(!har.replace(&code[1], b"old"));
        assert_eq!(har, recorded());
        assert!(har.replace(&code[1], b"new"));
        let others = har.exchanges.iter().zip(recorded().exchanges);
        let changed: Vec<usize> = (0..)
            .zip(others)
            .filter(|(_, (is, was))| **is != *was)
            .map(|(number, _)| number)
            .collect();
        assert_eq!(changed, [3, 8]);
    }

    #[test]
    fn a_recording_in_an_open_tab_is_known_by_its_storage_even_if_there_is_none() {
        let mut recording = Recording::parse(r#"{ "steps": [] }"#).unwrap();
        assert!(!recording.began_in_open_tab());
        recording.set_storage(&Storage::default());
        let again = Recording::parse(&recording.to_json()).unwrap();
        assert!(again.began_in_open_tab());
    }
}
