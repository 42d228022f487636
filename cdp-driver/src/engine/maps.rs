//! The source map of a script: where it is, and how it is come by.

use js_analysis::source_map::{MapReference, SourceMap};
use serde_json::{Value, json};

use super::protocol::{Protocol, SessionId};
use super::streams::read_stream;

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

    /// Fetches a text as the page would, without its cookies: no server gets a secret it did not ask for.
    async fn text(&self, address: &str, most: usize) -> Result<String, String> {
        let params = json!({
            "frameId": self.frame, "url": address,
            "options": { "disableCache": true, "includeCredentials": false },
        });
        let method = "Network.loadNetworkResource";
        let result = self.protocol.send(Some(self.session), method, params).await;
        let result = result.map_err(|error| error.to_string())?;
        let Some(stream) = result.pointer("/resource/stream").and_then(Value::as_str) else {
            let status = result
                .pointer("/resource/httpStatusCode")
                .unwrap_or(&Value::Null);
            return Err(format!("{address} could not be loaded (status {status})"));
        };
        let bytes = read_stream(self.protocol, self.session, stream, most)
            .await
            .map_err(|why| format!("{address}: {why}"))?;
        String::from_utf8(bytes).map_err(|_| format!("{address} is not UTF-8"))
    }
}
