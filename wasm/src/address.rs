//! Which back end, and which session: from the address of the document, `…/#secret=HEX&session=NAME`.
//!
//! What stands behind `#` is sent to nobody. It is kept for this tab, so that the panel can be loaded again, and taken out of the
//! address, so that it is not copied with it.

use querypoint::session::address::{Fragment, is_secret};
use querypoint::session::messages::is_session_name;
use web_sys::{Storage, Window};

use crate::texts;

/// Where the back end is, what opens it, and which session is wanted.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// `ws://127.0.0.1:PORT/panel`
    pub(crate) url: String,
    /// The secret, in hexadecimal.
    pub(crate) secret: String,
    /// The name of the session.
    pub(crate) session: String,
}

/// Reads the address of the document.
///
/// # Errors
/// What the person has to do, if the secret is not there.
pub(crate) fn read() -> Result<Address, String> {
    let no_secret = || texts::NO_SECRET.to_owned();
    let window = web_sys::window().ok_or_else(no_secret)?;
    let location = window.location();
    let hash = location.hash().unwrap_or_default();
    let host = location.host().map_err(|_| no_secret())?;
    let storage = window.session_storage().ok().flatten();
    let given = Fragment::parse(&hash);
    let secret = given.secret.or_else(|| kept(storage.as_ref(), "secret"));
    let secret = secret
        .filter(|secret| is_secret(secret))
        .ok_or_else(no_secret)?;
    let session = given.session.or_else(|| kept(storage.as_ref(), "session"));
    let session = session.filter(|name| is_session_name(name));
    let session = session.unwrap_or_else(|| "panel".to_owned());
    keep(storage.as_ref(), "secret", &secret);
    keep(storage.as_ref(), "session", &session);
    clear(&window);
    Ok(Address {
        url: format!("ws://{host}/panel"),
        secret,
        session,
    })
}

fn kept(storage: Option<&Storage>, name: &str) -> Option<String> {
    storage?.get_item(name).ok().flatten()
}

fn keep(storage: Option<&Storage>, name: &str, value: &str) {
    if let Some(storage) = storage {
        // Without room for it the panel cannot be loaded again, and that is all.
        let _ = storage.set_item(name, value);
    }
}

fn clear(window: &Window) {
    if let Ok(history) = window.history() {
        let null = wasm_bindgen::JsValue::NULL;
        // Where it is not allowed, the address stays as it is.
        let _ = history.replace_state_with_url(&null, "", Some("/"));
    }
}
