//! Which back end, and which session. The panel as a page has it in its own address, `…/#secret=HEX&session=NAME`; an
//! extension asks the browser's native-messaging host ([`crate::devtools`]).
//!
//! What is behind `#` is sent to nobody. It is kept for this tab, so that the panel can be loaded again, and taken
//! out of the address, so that it is not copied with it.

use querypoint::session::address::{Fragment, back_end_of_panel, is_secret, session_of_page};
use querypoint::session::messages::is_session_name;
use web_sys::{Storage, Window};

use crate::{devtools, texts};

/// Where the back end is, what opens it, and which session is wanted.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// `ws://127.0.0.1:PORT/panel`
    pub(crate) url: String,
    /// The secret, in hexadecimal.
    pub(crate) secret: String,
    /// The name of the session.
    pub(crate) session: String,
    /// The page that a new session is about, if that is known.
    pub(crate) page: Option<String>,
}

/// Finds the address. What may be another one the next time is looked up each time: a back end that is started anew may
/// have another port.
///
/// # Errors
/// What the person has to do, if there is none.
pub(crate) async fn find() -> Result<Address, String> {
    if !devtools::is_extension() {
        return of_document();
    }
    let (url, secret) = match own_back_end() {
        Some(own) => own,
        None => devtools::back_end().await?,
    };
    let page = devtools::page().await;
    let session = page
        .as_deref()
        .map_or_else(default_session, session_of_page);
    Ok(Address {
        url,
        secret,
        session,
        page,
    })
}

/// Where the panel's address is kept of a back end that a person chose instead of the one that the browser finds.
const OWN: &str = "back-end";

fn storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

fn own_back_end() -> Option<(String, String)> {
    back_end_of_panel(&kept(storage().as_ref(), OWN)?)
}

/// Whether a person chose the back end.
pub(crate) fn is_own() -> bool {
    own_back_end().is_some()
}

/// Has the panel find the back end whose panel has this address, until its document is closed; none: the one that the
/// browser finds. Whether it is such an address.
pub(crate) fn choose_back_end(address: Option<&str>) -> bool {
    let is_good = address.is_none_or(|address| back_end_of_panel(address).is_some());
    if is_good {
        keep(storage().as_ref(), OWN, address.unwrap_or_default());
    }
    is_good
}

fn default_session() -> String {
    "panel".to_owned()
}

/// What the address of the document says.
fn of_document() -> Result<Address, String> {
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
    let session = session.unwrap_or_else(default_session);
    keep(storage.as_ref(), "secret", &secret);
    keep(storage.as_ref(), "session", &session);
    clear(&window);
    Ok(Address {
        url: format!("ws://{host}/panel"),
        secret,
        session,
        page: None,
    })
}

/// The panel is to have this session again when its document is loaded again.
pub(crate) fn remember(session: &str) {
    if !devtools::is_extension() {
        let storage = web_sys::window().and_then(|it| it.session_storage().ok().flatten());
        keep(storage.as_ref(), "session", session);
    }
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
