//! The tab that is debugged: what the back end says to it and what it says is passed on, without being looked into.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use leptos::prelude::*;
use querypoint::session::methods;
use querypoint::session::results::TabCommand;
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use crate::devtools;
use crate::link::{order_and, pass_on, request};
use crate::model::{Model, Say};

thread_local! {
    /// Whether the browser lets us speak to it.
    static IS_ATTACHED: Cell<bool> = const { Cell::new(false) };
    /// The events that the back end wants to hear of.
    static WANTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// Those of which it wants nothing but their number.
    static COUNTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// What the tab is to do if the back end is lost.
    static LET_GO: RefCell<Vec<TabCommand>> = const { RefCell::new(Vec::new()) };
}

/// Has the back end follow where the tab stops. If the browser does not let us, that is said, with a way to try again.
pub(crate) fn follow(model: Model) {
    spawn_local(async move {
        if let Err(why) = attach(model).await {
            model.not_following.say(Some(why));
            return;
        }
        model.not_following.say(None);
        hand_over();
    });
}

/// Has the back end follow the tab, if it does not already.
///
/// # Errors
/// The browser's words, if it does not let the panel speak to the tab.
pub(crate) async fn ready(model: Model) -> Result<(), String> {
    if !IS_ATTACHED.get() {
        attach(model).await?;
        model.not_following.say(None);
        hand_over();
    }
    Ok(())
}

/// Has the back end speak to the tab, of which it names the events that it wants.
fn hand_over() {
    request(methods::Attach {}, |attached| {
        let attached = attached.unwrap_or_default();
        WANTED.set(attached.events);
        COUNTED.set(attached.counted);
        LET_GO.set(attached.let_go);
    });
}

/// Lets the panel speak to the tab, if it does not already.
///
/// # Errors
/// The browser's words.
async fn attach(model: Model) -> Result<(), String> {
    if IS_ATTACHED.get() {
        return Ok(());
    }
    let lost = move |why| {
        IS_ATTACHED.set(false);
        request(methods::Detach {}, |_| {});
        model.stop.say(None);
        model.recorded.say(None);
        model.is_picking.say(false);
        // They went with the connection.
        model.breakpoints.say(BTreeMap::new());
        model.is_live.say(false);
        model.not_following.say(Some(why));
    };
    devtools::attach(heard, lost).await?;
    IS_ATTACHED.set(true);
    Ok(())
}

/// The back end is gone: what waits for it in the tab goes on as it is.
pub(crate) fn let_go(model: Model) {
    if !IS_ATTACHED.get() {
        return;
    }
    model.is_live.say(false);
    model.is_picking.say(false);
    for TabCommand { name, params } in LET_GO.take() {
        // One that the tab does not answer keeps no other waiting; a tab that is gone waits for nothing.
        spawn_local(async move {
            let _ = devtools::command(&name, &params).await;
        });
    }
}

/// Has the tab stop at a line of a file, or no longer if it does.
pub(crate) fn switch_breakpoint(model: Model, url: String, line: u32) {
    // The script that it runs as, if it is the file that is shown.
    let shown = untrack(|| model.location());
    let shown = shown.filter(|location| location.url == url);
    let runs_as = shown
        .and_then(|location| location.generated)
        .map(|it| it.url);
    let place = (url.clone(), line);
    let set = model.breakpoints.get_untracked().remove(&place);
    match set {
        Some(breakpoint) => order_and(model, methods::Unbreak { breakpoint }, move |_| {
            model.breakpoints.update(|it| drop(it.remove(&place)));
        }),
        None => order_and(
            model,
            methods::Break {
                url: url.clone(),
                line,
                runs_as,
            },
            move |set| {
                let place = (url, set.line);
                model.breakpoints.update(|it| {
                    it.insert(place, set.breakpoint);
                });
            },
        ),
    }
}

fn heard(event: String, said: JsValue) {
    if WANTED.with_borrow(|wanted| wanted.contains(&event)) {
        let is_counted = COUNTED.with_borrow(|counted| counted.contains(&event));
        let said = if is_counted { JsValue::NULL } else { said };
        let params = Value::Null;
        pass_on(methods::Event { event, params }, &said, |_| {});
    }
}

/// Has the tab do what the back end says.
pub(crate) fn command(command: u64, name: String, params: Value) {
    spawn_local(async move {
        let refuse = move |why| {
            let refused = methods::Answered {
                command,
                result: None,
                error: Some(why),
            };
            request(refused, |_| {});
        };
        match devtools::command(&name, &params).await {
            Ok(result) => {
                let answered = methods::Answered {
                    command,
                    result: Some(Value::Null),
                    error: None,
                };
                pass_on(answered, &result, move |taken| {
                    if let Err(refusal) = taken {
                        refuse(refusal.message);
                    }
                });
            }
            Err(why) => refuse(why),
        }
    });
}
