//! Documents whose bodies are given by us reach servers on this machine as they would otherwise.

use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{CallBrowser as _, ProtocolError};
use futures::future::join_all;

use super::Page;
use crate::error::EngineError;

/// A document whose body we gave has no network address, so the browser would not let it reach servers on this
/// machine, which the same document reaches when it comes from its server.
pub(crate) async fn allow_local_network(page: &Page) -> Result<(), EngineError> {
    use cdp::browser::{PermissionDescriptor, PermissionSetting, SetPermission};
    // The first is the name of older browsers.
    let names = ["local-network-access", "local-network", "loopback-network"];
    let grants = names.map(|name| {
        let grant = SetPermission {
            browser_context_id: Some(page.context_id().into()),
            ..SetPermission::new(PermissionDescriptor::new(name), PermissionSetting::Granted)
        };
        page.protocol().call_browser(&grant)
    });
    for result in join_all(grants).await {
        match result {
            // A browser that does not know the permission does not ask for it; what is lost where none can be set,
            // the connection says.
            Ok(_) | Err(ProtocolError::Refused { .. } | ProtocolError::NotOffered { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
