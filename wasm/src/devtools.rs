//! What the browser gives an extension of its developer tools: the way to the back end, the tab that is debugged, its
//! own source view.
//!
//! <https://developer.chrome.com/docs/extensions/reference/api/devtools/panels>; Firefox has the same under the same
//! names.

use querypoint::session::element::{DESCRIBE_ELEMENT, Picked};
use querypoint::session::native_host::{HostReply, HostRequest, NAME};
use querypoint::session::reading::read;
use querypoint::session::tab::TabView;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::js_sys::{Array, JSON, Object, Promise, Reflect};

use crate::texts;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = sendNativeMessage)]
    fn send_native_message(host: &str, message: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = sendMessage)]
    fn send_message(message: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "devtools", "inspectedWindow"], js_name = eval)]
    fn evaluate(expression: &str, then: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "devtools", "panels"], js_name = openResource)]
    fn open_resource(url: &str, line: u32, column: u32, then: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "debugger"], js_name = attach)]
    fn debugger_attach(tab: &JsValue, version: &str) -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "debugger"], js_name = detach)]
    fn debugger_detach(tab: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "debugger"], js_name = sendCommand)]
    fn debugger_command(tab: &JsValue, name: &str, params: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "debugger", "onEvent"], js_name = addListener)]
    fn on_debugger_event(listener: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "devtools", "panels", "elements", "onSelectionChanged"], js_name = addListener)]
    fn on_selection_changed(listener: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "devtools", "network", "onNavigated"], js_name = addListener)]
    fn on_navigation(listener: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "debugger", "onDetach"], js_name = addListener)]
    fn on_debugger_detach(listener: &JsValue) -> Result<(), JsValue>;
}

/// The version of the DevTools protocol that is spoken.
const PROTOCOL_VERSION: &str = "1.3";

/// Whether this document belongs to an extension.
pub(crate) fn is_extension() -> bool {
    let protocol = web_sys::window().and_then(|window| window.location().protocol().ok());
    protocol.is_some_and(|it| it.ends_with("-extension:"))
}

/// The colours of the developer tools, which need not be those of the system: `dark`, or another name.
pub(crate) fn theme() -> Option<String> {
    global(&["chrome", "devtools", "panels", "themeName"])?.as_string()
}

/// A member of a member of the global object.
fn global(path: &[&str]) -> Option<JsValue> {
    let window = JsValue::from(web_sys::window()?);
    path.iter().try_fold(window, |value, name| {
        Reflect::get(&value, &(*name).into()).ok()
    })
}

/// The tab that is debugged, as `chrome.debugger` names it.
fn tab() -> Option<JsValue> {
    let number = global(&["chrome", "devtools", "inspectedWindow", "tabId"])?;
    let tab = Object::new();
    Reflect::set(&tab, &"tabId".into(), &number).ok()?;
    Some(tab.into())
}

/// Lets the tab be spoken to. `heard` hears its events, the name and the parameters of each; `lost` hears when it is
/// over, and why.
///
/// # Errors
/// Why it cannot be, in the browser's words.
pub(crate) async fn attach(
    heard: impl Fn(String, JsValue) + 'static,
    lost: impl Fn(String) + 'static,
) -> Result<(), String> {
    let tab = tab().unwrap_or_default();
    // The connection is the extension's, and outlives a panel that ended without a word.
    let _ = done(debugger_detach(&tab)).await;
    let attached = debugger_attach(&tab, PROTOCOL_VERSION);
    done(attached).await?;
    let number = of_tab(&tab);
    let event =
        Closure::<dyn Fn(JsValue, String, JsValue)>::new(move |source: JsValue, name, params| {
            if of_tab(&source) == number {
                heard(name, params);
            }
        });
    let number = of_tab(&tab);
    let detach = Closure::<dyn Fn(JsValue, String)>::new(move |source: JsValue, why| {
        if of_tab(&source) == number {
            lost(why);
        }
    });
    let of_panel = tab.clone();
    let ended = Closure::<dyn Fn()>::new(move || {
        let _ = debugger_detach(&of_panel);
    });
    if let Some(window) = web_sys::window() {
        window.set_onpagehide(Some(ended.into_js_value().unchecked_ref()));
    }
    let event = on_debugger_event(&event.into_js_value());
    let detach = on_debugger_detach(&detach.into_js_value());
    event.and(detach).map_err(|error| words(&error))
}

fn of_tab(source: &JsValue) -> Option<f64> {
    Reflect::get(source, &"tabId".into()).ok()?.as_f64()
}

/// Has the tab do something.
///
/// # Errors
/// The browser's words.
pub(crate) async fn command(name: &str, params: &Value) -> Result<JsValue, String> {
    let params = JSON::parse(&params.to_string()).unwrap_or_default();
    done(debugger_command(&tab().unwrap_or_default(), name, &params)).await
}

async fn done(begun: Result<Promise, JsValue>) -> Result<JsValue, String> {
    let done = match begun {
        Ok(begun) => JsFuture::from(begun).await,
        Err(error) => Err(error),
    };
    done.map_err(|error| words(&error))
}

/// A value that came as JSON; what is none is null.
fn json(value: &JsValue) -> Value {
    let text = JSON::stringify(value).ok().and_then(|it| it.as_string());
    serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default()
}

/// Has the native-messaging host find the back end, or start one: its address and its secret.
///
/// # Errors
/// What the person has to do, if there is no host or it has none.
pub(crate) async fn back_end() -> Result<(String, String), String> {
    let message = serde_json::to_string(&HostRequest::BackEnd {}).ok();
    let message = message.and_then(|text| JSON::parse(&text).ok());
    let message = message.unwrap_or_default();
    let reply = match send_native_message(NAME, &message) {
        Ok(asked) => done(Ok(asked)).await,
        // Firefox has that in the background only.
        Err(_) => in_background(&message).await,
    };
    let reply = reply.map_err(|why| texts::no_host(&why))?;
    match read(json(&reply)) {
        Ok(HostReply::BackEnd { url, secret }) => Ok((url, secret)),
        Ok(HostReply::Error(why)) => Err(why),
        Err(error) => Err(texts::no_host(&error.to_string())),
    }
}

/// What the extension's background gives for a message to the native-messaging host (`extension/background.js`).
async fn in_background(message: &JsValue) -> Result<JsValue, String> {
    let answer = done(send_message(message)).await?;
    match Reflect::get(&answer, &"failed".into())
        .ok()
        .and_then(|why| why.as_string())
    {
        Some(why) => Err(why),
        None => Ok(Reflect::get(&answer, &"reply".into()).unwrap_or_default()),
    }
}

/// The address of the page that is debugged; none: the tab shows no page, but itself.
pub(crate) async fn page() -> Option<String> {
    let url = in_page("location.href").await;
    url.as_str().map(str::to_owned).filter(|url| is_page(url))
}

fn is_page(url: &str) -> bool {
    ["http:", "https:", "file:"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
}

/// Hears the address of each page that the tab turns to.
pub(crate) fn on_page(heard: impl Fn(String) + 'static) {
    let heard = Closure::<dyn Fn(String)>::new(move |url: String| {
        if is_page(&url) {
            heard(url);
        }
    });
    // Without it the person types the address.
    let _ = on_navigation(&heard.into_js_value());
}

/// The element that is picked in the tools' own view of elements; none: there is none, or it is in another frame.
pub(crate) async fn picked() -> Option<Picked> {
    let picked = in_page(&format!("{DESCRIBE_ELEMENT}($0)")).await;
    read(picked).ok()
}

/// What the tab has now for a reference, and which document it shows; none: it does not say.
pub(crate) async fn shown(reference: &str) -> Option<TabView> {
    TabView::read(&in_page(&TabView::expression(reference)).await)
}

/// Hears whenever another element is picked.
pub(crate) fn on_pick(heard: impl Fn() + 'static) {
    let heard = Closure::<dyn Fn()>::new(heard);
    // Where there is no such view nothing is picked.
    let _ = on_selection_changed(&heard.into_js_value());
}

/// The value of an expression of ours in the page; what cannot be had is null.
async fn in_page(expression: &str) -> Value {
    let answered = Promise::new(&mut |resolve, _| {
        // In Firefox it is a promise itself, and the function that is to hear of it is not called.
        match evaluate(expression, &resolve) {
            Ok(value) if value.is_instance_of::<Promise>() => {
                drop(resolve.call1(&JsValue::NULL, &value));
            }
            Ok(_) => {}
            Err(_) => drop(resolve.call0(&JsValue::NULL)),
        }
    });
    let value = JsFuture::from(answered).await.unwrap_or_default();
    // There its value is the first of two.
    let first = Array::is_array(&value).then(|| Reflect::get_u32(&value, 0).unwrap_or_default());
    json(&first.unwrap_or(value))
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
