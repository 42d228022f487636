//! What the browser gives an extension of its developer tools: the way to the back end, the page that is debugged, its own source view.
//!
//! <https://developer.chrome.com/docs/extensions/reference/api/devtools/panels>; Firefox has the same under the same names.

use querypoint::session::native_host::{HostReply, HostRequest, NAME};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::js_sys::{JSON, Promise, Reflect};

use crate::texts;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = sendNativeMessage)]
    fn send_native_message(host: &str, message: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "devtools", "inspectedWindow"], js_name = eval)]
    fn evaluate(expression: &str, then: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "devtools", "panels"], js_name = openResource)]
    fn open_resource(url: &str, line: u32, column: u32, then: &JsValue) -> Result<(), JsValue>;
}

/// Whether this document belongs to an extension.
pub(crate) fn is_extension() -> bool {
    let protocol = web_sys::window().and_then(|window| window.location().protocol().ok());
    protocol.is_some_and(|it| it.ends_with("-extension:"))
}

/// The colours of the developer tools, which need not be those of the system: `dark`, or another name.
pub(crate) fn theme() -> Option<String> {
    let mut value = JsValue::from(web_sys::window()?);
    for name in ["chrome", "devtools", "panels", "themeName"] {
        value = Reflect::get(&value, &name.into()).ok()?;
    }
    value.as_string()
}

/// Has the native-messaging host find the back end, or start one: its address and its secret.
///
/// # Errors
/// What the person has to do, if there is no host or it has none.
pub(crate) async fn back_end() -> Result<(String, String), String> {
    let message = serde_json::to_string(&HostRequest::BackEnd {}).ok();
    let message = message.and_then(|text| JSON::parse(&text).ok());
    let asked = send_native_message(NAME, &message.unwrap_or_default());
    let reply = match asked {
        Ok(asked) => JsFuture::from(asked).await,
        Err(error) => Err(error),
    };
    let reply = reply.map_err(|error| texts::no_host(&words(&error)))?;
    let text = JSON::stringify(&reply)
        .ok()
        .and_then(|text| text.as_string());
    match serde_json::from_str(&text.unwrap_or_default()) {
        Ok(HostReply::BackEnd { url, secret }) => Ok((url, secret)),
        Ok(HostReply::Error(why)) => Err(why),
        Err(error) => Err(texts::no_host(&error.to_string())),
    }
}

/// The address of the page that is debugged.
pub(crate) async fn page() -> Option<String> {
    let answered = Promise::new(&mut |resolve, _| {
        // In Firefox it is a promise itself, and the function that is to hear of it is not called.
        match evaluate("location.href", &resolve) {
            Ok(value) if value.is_instance_of::<Promise>() => {
                drop(resolve.call1(&JsValue::NULL, &value));
            }
            Ok(_) => {}
            Err(_) => drop(resolve.call0(&JsValue::NULL)),
        }
    });
    let value = JsFuture::from(answered).await.ok()?;
    // There its value is the first of two.
    let value = match value.as_string() {
        Some(url) => Some(url),
        None => Reflect::get_u32(&value, 0).ok()?.as_string(),
    };
    value.filter(|url| !url.is_empty())
}

/// Shows a place (line and column from 1) in the browser's own view of sources.
pub(crate) fn show_in_sources(url: &str, line: u32, column: u32) {
    let place = (line.saturating_sub(1), column.saturating_sub(1));
    // A file that the tab does not have is shown as a page of its own.
    let _ = open_resource(url, place.0, place.1, &JsValue::UNDEFINED);
}

fn words(error: &JsValue) -> String {
    let message = Reflect::get(error, &"message".into()).ok();
    message.and_then(|it| it.as_string()).unwrap_or_default()
}
