//! Pointing at what is wrong: the browser marks what the pointer is on, and the next press chooses it, as in the tools'
//! own view of elements, but the panel stays in front.

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::js_sys::Reflect;

use crate::devtools;
use crate::link::inspected;
use crate::model::{Model, Say};
use crate::texts;

/// What the tab says when somebody presses on an element, and when they press Escape instead.
const REQUESTED: &str = "Overlay.inspectNodeRequested";
const CANCELLED: &str = "Overlay.inspectModeCanceled";

/// Has the next press in the page choose an element; or no longer, if it would.
pub(crate) fn switch(model: Model) {
    let is_picking = model.is_picking.get_untracked();
    spawn_local(async move {
        if is_picking {
            end(model).await;
            return;
        }
        if let Err(why) = begin(model).await {
            model.tell(texts::not_picking(&why), true);
        }
    });
}

async fn begin(model: Model) -> Result<(), String> {
    inspected::also_hears(heard);
    inspected::attach(model).await?;
    let none = Value::Object(serde_json::Map::new());
    devtools::command("DOM.enable", &none).await?;
    devtools::command("Overlay.enable", &none).await?;
    let marked = json!({
        "mode": "searchForNode",
        "highlightConfig": {
            "showInfo": true,
            "contentColor": { "r": 111, "g": 168, "b": 220, "a": 0.66 },
            "paddingColor": { "r": 147, "g": 196, "b": 125, "a": 0.55 },
            "marginColor": { "r": 246, "g": 178, "b": 107, "a": 0.66 },
        },
    });
    devtools::command("Overlay.setInspectMode", &marked).await?;
    model.is_picking.say(true);
    Ok(())
}

async fn end(model: Model) {
    model.is_picking.say(false);
    // What is over on the other side need not be ended.
    let none = Value::Object(serde_json::Map::new());
    let off = json!({ "mode": "none", "highlightConfig": {} });
    let _ = devtools::command("Overlay.setInspectMode", &off).await;
    let _ = devtools::command("Overlay.disable", &none).await;
    let _ = devtools::command("DOM.disable", &none).await;
}

/// Hears what the tab says. Whether it was about this.
fn heard(model: Model, event: &str, said: &JsValue) -> bool {
    match event {
        REQUESTED => {
            let node = Reflect::get(said, &"backendNodeId".into()).ok();
            let node = node.and_then(|it| it.as_f64());
            spawn_local(async move {
                let picked = match node {
                    // A number of the browser's own: it has no fraction and no sign.
                    Some(node) => devtools::pointed_at(node as u64).await,
                    None => None,
                };
                end(model).await;
                match picked {
                    Some(picked) => model.picked.say(Some(picked)),
                    None => model.tell(texts::PICKED_ELSEWHERE, true),
                }
            });
        }
        CANCELLED => spawn_local(end(model)),
        _ => return false,
    }
    true
}
