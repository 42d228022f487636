//! Files that are fetched for us, not for the page: the source map of a script, above all.

use js_analysis::source_map::{MapReference, SourceMap};

use super::streams::read_stream;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Protocol, SessionId};

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
        use cdp::network::{LoadNetworkResource, LoadNetworkResourceOptions};
        let load = LoadNetworkResource {
            frame_id: Some(self.frame.into()),
            ..LoadNetworkResource::new(address, LoadNetworkResourceOptions::new(true, false))
        };
        let loaded = self.protocol.call(Some(self.session), &load).await;
        let resource = loaded.map_err(|error| error.to_string())?.resource;
        let Some(stream) = &resource.stream else {
            return Err(format!(
                "{address} could not be loaded ({})",
                status(&resource)
            ));
        };
        let bytes = read_stream(self.protocol, self.session, stream, most)
            .await
            .map_err(|why| format!("{address}: {why}"))?;
        Ok(Loaded {
            body: bytes,
            is_html: is_html(&resource),
        })
    }
}

/// The HTTP status of what was not loaded; without one what the browser calls the error.
fn status(resource: &cdp::network::LoadNetworkResourcePageResult) -> String {
    match (resource.http_status_code, &resource.net_error_name) {
        (Some(status), _) => format!("status {status}"),
        (None, Some(error)) => error.clone(),
        (None, None) => "status null".to_owned(),
    }
}

fn is_html(resource: &cdp::network::LoadNetworkResourcePageResult) -> bool {
    let headers = resource.headers.iter().flatten();
    let mut kinds = headers.filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    kinds.any(|(_, kind)| kind.as_str().is_some_and(|it| it.starts_with("text/html")))
}
