//! Responses beside a recording, as an HTTP archive (HAR 1.2).
//!
//! What is read may be any archive: of Chrome's developer tools, of a proxy, changed by hand. What is written has no
//! bodies of requests: they hold what was typed. A member of our own, `_digest`, tells them apart all the same.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

/// Requests and what they were answered with, in the order in which they were made.
#[derive(Clone, Default, PartialEq)]
pub struct Har {
    /// Each request with its response.
    pub exchanges: Vec<Exchange>,
    /// What is not in it, in words.
    pub comment: Option<String>,
}

/// A request and its response.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// Which request.
    pub request: RequestKey,
    /// What it was made for, as Chrome's archives have it: `fetch`, `xhr`, `image`; empty: the archive does not say.
    pub kind: String,
    /// When it was made, in milliseconds since 1970.
    pub started_ms: f64,
    /// How long it took, in milliseconds.
    pub time_ms: f64,
    /// The HTTP status.
    pub status: u16,
    /// The words behind it.
    pub status_text: String,
    /// The headers of the response: names and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body of the response, unpacked.
    pub body: Vec<u8>,
}

/// What tells requests apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestKey {
    /// The method.
    pub method: String,
    /// The address, without a fragment.
    pub url: String,
    /// The digest of the body; none: there is none.
    pub digest: Option<u32>,
}

impl Exchange {
    /// Whether a script asked for it.
    #[must_use]
    pub fn is_for_script(&self) -> bool {
        matches!(self.kind.as_str(), "fetch" | "xhr")
    }
}

impl RequestKey {
    /// The key of a request; `kind` is its content type.
    #[must_use]
    pub fn new(method: &str, url: &str, kind: Option<&str>, body: Option<&[u8]>) -> Self {
        Self {
            method: method.to_ascii_uppercase(),
            url: url.split('#').next().unwrap_or_default().to_owned(),
            digest: body
                .filter(|body| !body.is_empty())
                .map(|body| digest(kind.unwrap_or_default(), body)),
        }
    }
}

impl RequestKey {
    /// The same with the values of parameters that are secrets by their names, and a password in front of the host,
    /// replaced by 32 bits of their digests. Of what was so before, nothing changes.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        self.url =
            super::secrets::left_out_of_url(&self.url, &|secret| digest("", secret.as_bytes()));
        self
    }
}

impl fmt::Display for RequestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url)
    }
}

impl fmt::Debug for Har {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Bodies are large.
        write!(f, "Har({} entries)", self.exchanges.len())
    }
}

/// 32 bits of FNV-1a: enough to tell the bodies of a page's requests apart, and too few to tell what was typed. A
/// form's boundary, which is made up anew each time, does not count.
fn digest(kind: &str, body: &[u8]) -> u32 {
    let boundary = kind
        .split(';')
        .find_map(|part| part.trim().strip_prefix("boundary="));
    let boundary = boundary.unwrap_or_default().trim_matches('"').as_bytes();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut rest = body;
    while let Some((&byte, after)) = rest.split_first() {
        if !boundary.is_empty()
            && let Some(after) = rest.strip_prefix(boundary)
        {
            rest = after;
            continue;
        }
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        rest = after;
    }
    // The upper half is folded in; nothing is lost by the cast that is to be kept.
    ((hash >> 32) ^ (hash & 0xffff_ffff)) as u32
}

/// A text that is no HTTP archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HarError {
    /// It is not JSON, or lacks what an archive must have.
    #[error("line {line}, column {column}: {reason}")]
    NotAnArchive {
        /// 1-based line.
        line: usize,
        /// 1-based column, as the JSON parser counts (bytes).
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// An entry cannot be used.
    #[error("entry {entry} ({request}): {reason}")]
    WrongEntry {
        /// Counted from 1.
        entry: usize,
        /// Its request.
        request: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl Har {
    /// Reads an archive. Requests that were never answered or that a cache answered, and responses whose bodies it does
    /// not have, are left out.
    ///
    /// # Errors
    /// [`HarError`]: it is not JSON, or no archive, or one entry is not what it must be.
    pub fn parse(text: &str) -> Result<Self, HarError> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let file: File = serde_json::from_str(text).map_err(|error| HarError::NotAnArchive {
            line: error.line(),
            column: error.column(),
            reason: super::reason(&error),
        })?;
        let mut exchanges = Vec::new();
        for (index, entry) in file.log.entries.into_iter().enumerate() {
            let request = format!("{} {}", entry.request.method, entry.request.url);
            let wrong = |reason| HarError::WrongEntry {
                entry: index + 1,
                request,
                reason,
            };
            if let Some(exchange) = entry.into_exchange().map_err(wrong)? {
                exchanges.push(exchange);
            }
        }
        Ok(Self {
            exchanges,
            comment: file.log.comment,
        })
    }

    /// The archive as JSON, with a line end.
    #[must_use]
    pub fn to_json(&self, version: &str) -> String {
        let entries = self.exchanges.iter().map(entry);
        let mut log = json!({
            "version": "1.2",
            "creator": { "name": "Querypoint", "version": version },
            "pages": [],
            "entries": entries.collect::<Vec<_>>(),
        });
        if let Some(comment) = &self.comment {
            log["comment"] = json!(comment);
        }
        let mut text = serde_json::to_string(&json!({ "log": log })).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// What is read of an archive.
#[derive(Deserialize)]
struct File {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
    #[serde(default)]
    comment: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    started_date_time: Option<String>,
    #[serde(default, rename = "_resourceType")]
    kind: Option<String>,
    #[serde(default)]
    time: Option<f64>,
    request: Request,
    response: Response,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostData {
    #[serde(default)]
    mime_type: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default, rename = "_digest")]
    digest: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    status: i64,
    #[serde(default)]
    status_text: Option<String>,
    #[serde(default)]
    headers: Vec<Header>,
    #[serde(default)]
    content: Option<Content>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    #[serde(default)]
    size: Option<f64>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

impl Entry {
    /// `None`: there is no response in it.
    fn into_exchange(self) -> Result<Option<Exchange>, &'static str> {
        let status =
            u16::try_from(self.response.status).map_err(|_| "its status is none of HTTP")?;
        // What never came, or led to another protocol.
        // Nor does it help whoever has not what did not change.
        if status < 200 || status == 304 {
            return Ok(None);
        }
        if status > 599 {
            return Err("its status is none of HTTP");
        }
        let body = match self.response.content {
            Some(Content {
                text: Some(text),
                encoding,
                ..
            }) => match encoding.as_deref() {
                None | Some("") => text.into_bytes(),
                Some("base64") => STANDARD
                    .decode(text)
                    .map_err(|_| "its body is not base64")?,
                Some(_) => return Err("its body is in an encoding that is not known"),
            },
            Some(Content { size, .. }) if size.is_some_and(|size| size > 0.0) => return Ok(None),
            _ => Vec::new(),
        };
        let post = self.request.post_data;
        let kind = post.as_ref().and_then(|post| post.mime_type.as_deref());
        let text = post.as_ref().and_then(|post| post.text.as_deref());
        let (method, url) = (&self.request.method, &self.request.url);
        let mut request = RequestKey::new(method, url, kind, text.map(str::as_bytes));
        if let Some(digest) = post.as_ref().and_then(|post| post.digest) {
            request.digest = Some(digest);
        }
        let began = self.started_date_time.as_deref();
        let began = began.and_then(|began| began.parse::<Timestamp>().ok());
        let headers = self.response.headers.into_iter();
        // Those of HTTP/2 that are none.
        let headers = headers.filter(|header| !header.name.starts_with(':'));
        Ok(Some(Exchange {
            request,
            kind: self.kind.unwrap_or_default(),
            // Whole milliseconds are exact.
            started_ms: began.map_or(0.0, |began| began.as_millisecond() as f64),
            time_ms: self.time.unwrap_or_default(),
            status,
            status_text: self.response.status_text.unwrap_or_default(),
            headers: headers.map(|header| (header.name, header.value)).collect(),
            body,
        }))
    }
}

fn entry(exchange: &Exchange) -> Value {
    let RequestKey {
        method,
        url,
        digest,
    } = &exchange.request;
    let header = |wanted: &str| {
        let mut headers = exchange.headers.iter();
        let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map_or("", |(_, value)| value.as_str())
    };
    let mut content = json!({ "size": exchange.body.len(), "mimeType": header("content-type") });
    match std::str::from_utf8(&exchange.body) {
        Ok(text) => content["text"] = json!(text),
        Err(_) => {
            content["text"] = json!(STANDARD.encode(&exchange.body));
            content["encoding"] = json!("base64");
        }
    }
    let mut request = json!({
        "method": method, "url": url, "httpVersion": "", "cookies": [], "headers": [], "queryString": [],
        "headersSize": -1, "bodySize": -1,
    });
    if let Some(digest) = digest {
        request["postData"] = json!({
            "mimeType": "", "params": [], "text": "", "_digest": digest, "comment": "bodies of requests are not kept",
        });
    }
    let headers = exchange.headers.iter();
    let headers = headers.map(|(name, value)| json!({ "name": name, "value": value }));
    json!({
        "startedDateTime": date_time(exchange.started_ms),
        "_resourceType": exchange.kind,
        "time": number(exchange.time_ms),
        "request": request,
        "response": {
            "status": exchange.status, "statusText": exchange.status_text, "httpVersion": "", "cookies": [],
            "headers": headers.collect::<Vec<_>>(), "content": content, "redirectURL": header("location"),
            "headersSize": -1, "bodySize": -1,
        },
        "cache": {},
        "timings": { "send": 0, "wait": number(exchange.time_ms), "receive": 0 },
    })
}

fn number(ms: f64) -> f64 {
    if ms.is_finite() && ms > 0.0 { ms } else { 0.0 }
}

/// ISO 8601, as an archive has it.
fn date_time(since_1970_ms: f64) -> String {
    // What is no time of a recording is the beginning; nothing is cut off but a fraction.
    let time = Timestamp::from_millisecond(since_1970_ms.max(0.0) as i64);
    format!("{:.3}", time.unwrap_or(Timestamp::UNIX_EPOCH))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exchange(url: &str, body: &[u8]) -> Exchange {
        Exchange {
            request: RequestKey::new("get", url, None, None),
            kind: "fetch".to_owned(),
            started_ms: 0.0,
            time_ms: 12.5,
            status: 200,
            status_text: "OK".to_owned(),
            headers: vec![("Content-Type".to_owned(), "text/plain".to_owned())],
            body: body.to_vec(),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut posted = exchange("http://a/form#part", b"\xff\0binary");
        let body = b"password=hunter2";
        posted.request = RequestKey::new("POST", "http://a/form#part", None, Some(body));
        let har = Har {
            exchanges: vec![
                exchange("http://a/?q=1", "text \u{2028}".as_bytes()),
                posted,
            ],
            comment: Some("one response was left out".to_owned()),
        };
        let text = har.to_json("1.0");
        assert_eq!(Har::parse(&text).unwrap(), har);
        assert!(
            !text.contains("hunter2") && !text.contains("#part"),
            "{text}"
        );
        let archive: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(archive["log"]["version"], "1.2");
        assert_eq!(
            archive["log"]["entries"][1]["response"]["content"]["encoding"],
            "base64"
        );
    }

    #[test]
    fn a_request_may_be_named_twice() {
        let har = Har {
            exchanges: vec![exchange("http://a/", b"one"), exchange("http://a/", b"two")],
            comment: None,
        };
        let bodies: Vec<Vec<u8>> = Har::parse(&har.to_json(""))
            .unwrap()
            .exchanges
            .into_iter()
            .map(|exchange| exchange.body)
            .collect();
        assert_eq!(bodies, [b"one", b"two"]);
    }

    #[test]
    fn archives_of_others_are_read() {
        let text = r#"{"log":{"version":"1.1","browser":{},"entries":[
            {"request":{"method":"POST","url":"http://a/","postData":{"mimeType":"text/plain","text":"x"}},
             "response":{"status":201,"headers":[{"name":":status","value":"201"},{"name":"A","value":"b"}],"content":{"size":0}}},
            {"request":{"method":"GET","url":"http://a/large"},"response":{"status":200,"content":{"size":5}}},
            {"request":{"method":"GET","url":"http://a/failed"},"response":{"status":0}}]}}"#;
        let har = Har::parse(text).unwrap();
        let [only] = har.exchanges.as_slice() else {
            panic!("{:?}", har.exchanges);
        };
        let key = RequestKey::new("POST", "http://a/", Some("text/plain"), Some(b"x"));
        assert_eq!(only.request, key);
        assert_eq!(only.headers, [("A".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn what_is_no_archive_says_where_and_why() {
        let entry = |response: &str| {
            format!(
                r#"{{"log":{{"entries":[{{"request":{{"method":"GET","url":"u"}},"response":{response}}}]}}}}"#
            )
        };
        let whole = Har {
            exchanges: vec![exchange("u", b"body")],
            comment: None,
        }
        .to_json("");
        let cut = whole[..whole.len() / 2].to_owned();
        for (text, why) in [
            (String::new(), "line 1, column 0: EOF"),
            (cut, "EOF while parsing"),
            ("[]".to_owned(), "invalid length 0"),
            ("{}".to_owned(), "missing field `log`"),
            (r#"{"log":{"entries":{}}}"#.to_owned(), "invalid type: map"),
            (entry(r#"{"status":"200"}"#), "invalid type: string"),
            (
                entry(r#"{"status":99999}"#),
                "entry 1 (GET u): its status is none of HTTP",
            ),
            (entry(r#"{"status":700}"#), "its status is none of HTTP"),
            (entry(r#"{"status":-200}"#), "its status is none of HTTP"),
            (
                entry(r#"{"status":200,"content":{"text":"?","encoding":"base64"}}"#),
                "is not base64",
            ),
            (
                entry(r#"{"status":200,"content":{"text":"?","encoding":"gzip"}}"#),
                "not known",
            ),
        ] {
            let error = Har::parse(&text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn bodies_of_requests_are_told_apart_but_not_boundaries() {
        let key = |kind: &str, body: &str| {
            RequestKey::new("POST", "u", Some(kind), Some(body.as_bytes())).digest
        };
        assert_eq!(
            key("multipart/form-data; boundary=abc", "--abc\r\nx\r\n--abc--"),
            key(
                "multipart/form-data; boundary=\"de\"",
                "--de\r\nx\r\n--de--"
            )
        );
        assert_ne!(key("text/plain", "a"), key("text/plain", "b"));
        assert_eq!(RequestKey::new("GET", "u", None, Some(b"")).digest, None);
    }

    #[test]
    fn moments_are_written_as_dates() {
        for (ms, date) in [
            (0.0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000.0, "2000-02-29T00:00:00.000Z"),
            (1_763_726_749_123.0, "2025-11-21T12:05:49.123Z"),
            (f64::NAN, "1970-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(date_time(ms), date);
        }
        assert_eq!(date_time(f64::INFINITY), date_time(8.64e15));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,200}", cut in 0_usize..400) {
            let _ = Har::parse(&text);
            let whole = Har { exchanges: vec![exchange(&text, text.as_bytes())], comment: None }.to_json("");
            let cut = whole.chars().take(cut).collect::<String>();
            let _ = Har::parse(&cut);
        }
    }
}
