//! Files that are fetched for us, not for the page: the source map of a script, above all.

use js_analysis::source_map::{MapReference, SourceMap};
use serde_json::{Value, json};

use super::streams::read_stream;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Protocol, SessionId};

/// A file that was fetched.
pub(super) struct Loaded {
    pub(super) body: Vec<u8>,
    /// Whether the server says that it is a page.
    pub(super) is_html: bool,
}

/// A frame of a page, in whose name is fetched.
pub(super) struct InFrame<'p> {
    pub(super) protocol: &'p dyn Protocol,
    pub(super) session: &'p SessionId,
    pub(super) frame: &'p str,
}

impl InFrame<'_> {
    /// The map that the script at `url` refers to, if it has no more than `most` bytes.
    ///
    /// # Errors
    /// In words, why it cannot be had.
    pub(super) async fn source_map(
        &self,
        reference: MapReference,
        url: &str,
        most: usize,
    ) -> Result<SourceMap, String> {
        let (json, base) = match reference {
            MapReference::Inline(json) => (json, url.to_owned()),
            MapReference::External(reference) => {
                let address = url::Url::parse(url).and_then(|base| base.join(&reference));
                let address = address.map_err(|error| format!("{reference}: {error}"))?;
                if !matches!(address.scheme(), "http" | "https") {
                    return Err(format!("{address} is at no server"));
                }
                (
                    self.text(address.as_str(), most).await?,
                    String::from(address),
                )
            }
            MapReference::Malformed(reference) => {
                return Err(format!("{reference} cannot be decoded"));
            }
        };
        SourceMap::parse(&json, Some(&base)).map_err(|error| error.to_string())
    }

    /// Fetches a text.
    async fn text(&self, address: &str, most: usize) -> Result<String, String> {
        let loaded = self.load(address, most).await?;
        String::from_utf8(loaded.body).map_err(|_| format!("{address} is not UTF-8"))
    }

    /// Fetches a file as the page would, without its cookies: no server gets a secret it did not ask for.
    ///
    /// # Errors
    /// In words, why it cannot be had.
    pub(super) async fn load(&self, address: &str, most: usize) -> Result<Loaded, String> {
        let params = json!({
            "frameId": self.frame, "url": address,
            "options": { "disableCache": true, "includeCredentials": false },
        });
        let method = cdp::network::LoadNetworkResource::METHOD;
        let result = self.protocol.send(Some(self.session), method, params).await;
        let result = result.map_err(|error| error.to_string())?;
        let Some(stream) = result.pointer("/resource/stream").and_then(Value::as_str) else {
            return Err(format!(
                "{address} could not be loaded ({})",
                status(&result)
            ));
        };
        let bytes = read_stream(self.protocol, self.session, stream, most)
            .await
            .map_err(|why| format!("{address}: {why}"))?;
        Ok(Loaded {
            body: bytes,
            is_html: is_html(&result),
        })
    }
}

/// The HTTP status of what was not loaded; without one what the browser calls the error.
fn status(result: &Value) -> String {
    let status = result.pointer("/resource/httpStatusCode");
    let error = result.pointer("/resource/netErrorName");
    match (status, error.and_then(Value::as_str)) {
        (Some(status), _) => format!("status {status}"),
        (None, Some(error)) => error.to_owned(),
        (None, None) => "status null".to_owned(),
    }
}

fn is_html(result: &Value) -> bool {
    let headers = result.pointer("/resource/headers");
    let headers = headers.and_then(Value::as_object).into_iter().flatten();
    let mut kinds = headers.filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    kinds.any(|(_, kind)| kind.as_str().is_some_and(|it| it.starts_with("text/html")))
}
