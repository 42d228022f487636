//! The connection to the back end. One that breaks is made again, with the same session.

pub(crate) mod inspected;
pub(crate) mod picking;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::{GetUntracked, WithUntracked, set_timeout};
use querypoint::session::address::{is_same_page, session_of_page};
use querypoint::session::messages::{
    ENDED, FORMER_SUBPROTOCOL, LARGEST_MESSAGE, News, Notification, Refusal, RefusalCode, Request,
    Response, ResponseOutcome, SECRET_PREFIX, SUBPROTOCOL,
};
use querypoint::session::methods::{self, Call, Method, Open, Page, Undo};
use querypoint::session::reading::read;
use querypoint::session::results::SessionOutline;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::js_sys::{Array, JSON, JsString};
use web_sys::{CloseEvent, MessageEvent, WebSocket};

use crate::address::{self, Address};
use crate::model::{Link, Model, Say};
use crate::{devtools, texts};

/// How long after a break it is tried again.
const AGAIN_AFTER: Duration = Duration::from_millis(700);

/// What becomes of a response: it is decoded as what was asked for. The second argument hears of a new session.
type Then = Box<dyn FnOnce(ResponseOutcome, &dyn Fn(&str))>;

#[derive(Default)]
struct LinkState {
    socket: RefCell<Option<WebSocket>>,
    next: Cell<u64>,
    waiting: RefCell<HashMap<u64, Then>>,
    /// The session that is worked at, whatever page the tab shows by now.
    session: RefCell<Option<String>>,
}

thread_local! {
    static STATE: LinkState = LinkState::default();
}

/// Connects, and goes on connecting whenever the connection breaks.
pub(crate) fn connect(model: Model) {
    spawn_local(async move {
        match address::find().await {
            Ok(address) => connect_to(address, model),
            Err(why) => {
                model.link.say(Link::Refused(why));
                // A page does not get another address; the host may be installed meanwhile.
                if devtools::is_extension() {
                    set_timeout(move || connect(model), AGAIN_AFTER);
                }
            }
        }
    });
}

fn connect_to(address: Address, model: Model) {
    // A back end of the version before opens as well, so that it can be told from one that is not there.
    let protocols: Array = [
        SUBPROTOCOL.to_owned(),
        FORMER_SUBPROTOCOL.to_owned(),
        format!("{SECRET_PREFIX}{}", address.secret),
    ]
    .iter()
    .map(|text| JsValue::from_str(text))
    .collect();
    let Ok(socket) = WebSocket::new_with_str_sequence(&address.url, &protocols) else {
        model.link.say(Link::Refused(texts::BAD_SECRET.to_owned()));
        return;
    };
    let is_former = Rc::new(Cell::new(false));
    let (was_former, is_another) = (is_former.clone(), is_former.clone());
    let connection = socket.clone();
    let opened = Closure::<dyn FnMut()>::new(move || {
        if connection.protocol() != SUBPROTOCOL {
            is_former.set(true);
            let _ = connection.close();
            return;
        }
        let Address { session, page, .. } = address.clone();
        let mut current = STATE.with(|state| state.session.take());
        open(current.get_or_insert(session).clone(), page, model);
        if devtools::is_extension() {
            inspected::follow(model);
        }
    });
    let heard = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(text) = event.data().as_string().filter(|_| !is_another.get()) {
            hear(&text, model);
        }
    });
    let closed = Closure::<dyn FnMut(CloseEvent)>::new(move |event: CloseEvent| {
        let was_open = STATE.with(|state| {
            state.socket.take();
            let waiting = state.waiting.take();
            for then in waiting.into_values() {
                refuse(then, Refusal::new(RefusalCode::Failed, texts::LOST));
            }
            state.next.get() > 0
        });
        model.doing.say(None);
        model.stop.say(None);
        model.recorded.say(None);
        inspected::let_go(model);
        // Somebody ended it: another is not started until somebody wants one.
        if event.code() == ENDED {
            model.link.say(Link::Ended);
            return;
        }
        model.link.say(match was_open {
            _ if was_former.get() => Link::Refused(texts::FORMER_BACK_END.to_owned()),
            true => Link::Lost,
            // A browser does not say why; a wrong secret and no back end look alike.
            false => Link::Refused(texts::BAD_SECRET.to_owned()),
        });
        set_timeout(move || connect(model), AGAIN_AFTER);
    });
    socket.set_onopen(Some(opened.as_ref().unchecked_ref()));
    socket.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    socket.set_onclose(Some(closed.as_ref().unchecked_ref()));
    // They live as long as the socket, which the browser drops with them.
    opened.forget();
    heard.forget();
    closed.forget();
    STATE.with(|state| state.socket.replace(Some(socket)));
}

/// Turns to another back end, as [`address::find`] finds it now.
pub(crate) fn connect_anew(model: Model) {
    let socket = STATE.with(|state| state.socket.borrow().clone());
    match socket {
        // When it is closed the next is looked for.
        Some(socket) => drop(socket.close()),
        None if model.link.get_untracked() == Link::Ended => connect(model),
        // It is looked for already.
        None => {}
    }
}

/// Works at this session from now on.
fn open(session: String, page: Option<String>, model: Model) {
    STATE.with(|state| state.session.replace(Some(session.clone())));
    let opening = session.clone();
    request(Open { session }, move |opened| {
        // Meanwhile the person may have gone back: the page would be that of the other session.
        let is_still =
            STATE.with(|state| state.session.borrow().as_deref() == Some(opening.as_str()));
        let is_known = model.name.with_untracked(|name| *name == opening);
        match opened {
            Ok(_) if is_still && is_known => begin(page, model),
            Ok(_) => {}
            Err(refusal) => model.tell(refusal.message, true),
        }
    });
}

/// Works at another session, which is made if there is none of that name, and is brought back if it was deleted.
pub(crate) fn turn_to_session(session: String, was_deleted: bool, model: Model) {
    address::remember(&session);
    model.said.say(None);
    model.came_from.say(None);
    let page = model.session.with_untracked(|session| session.page.clone());
    let page = page.filter(|_| devtools::is_extension() && !was_deleted);
    open(session, page, model);
    if was_deleted {
        order(model, Undo {});
    }
}

/// The tab that is debugged shows this page now: so does the panel, with the session of that page that changed last.
/// The one before is one press away. While something is done for that one, such as a recording, it stays.
pub(crate) fn turn_to(page: String, model: Model) {
    let is_open = model.link.with_untracked(|link| matches!(link, Link::Open));
    let is_idle = model.doing.with_untracked(Option::is_none);
    let is_page = |other: Option<&String>| other.is_some_and(|other| is_same_page(other, &page));
    let is_there = model
        .session
        .with_untracked(|session| is_page(session.page.as_ref()));
    if !is_open || !is_idle || is_there {
        return;
    }
    let before = model.name.get_untracked();
    request(methods::Sessions {}, move |kept| {
        // Meanwhile the person may have done something.
        let is_idle = model.doing.with_untracked(Option::is_none);
        if !is_idle || model.name.with_untracked(|name| *name != before) {
            return;
        }
        let kept = kept.unwrap_or_default().sessions.into_iter();
        let of_page = |it: &SessionOutline| {
            it.page
                .as_ref()
                .is_some_and(|other| is_same_page(other, &page))
        };
        let session = kept.filter(of_page).map(|it| it.session).next();
        let was_touched = model
            .session
            .with_untracked(|session| !session.is_untouched());
        model.came_from.say(was_touched.then_some(before));
        model.said.say(None);
        let session = session.unwrap_or_else(|| session_of_page(&page));
        open(session, Some(page), model);
    });
}

/// A session that is new is about the page that is debugged.
fn begin(page: Option<String>, model: Model) {
    let is_new = model
        .session
        .with_untracked(|session| session.page.is_none());
    if let (Some(page), true) = (page, is_new) {
        order(model, Page { page });
    }
}

/// Asks the back end for something; `then` hears what came of it.
pub(crate) fn request<M: Method>(
    method: M,
    then: impl FnOnce(Result<M::Result, Refusal>) + 'static,
) {
    send(method.into(), None, decoded::<M>(then));
}

/// The same with what the tab said, which is in the call as null: it goes on without coming into our memory, which
/// never gets smaller.
pub(crate) fn pass_on<M: Method>(
    method: M,
    said: &JsValue,
    then: impl FnOnce(Result<M::Result, Refusal>) + 'static,
) {
    send(method.into(), Some(said), decoded::<M>(then));
}

fn decoded<M: Method>(then: impl FnOnce(Result<M::Result, Refusal>) + 'static) -> Then {
    Box::new(move |outcome, moved| {
        let result = outcome.into_result::<M>();
        if let Ok(result) = &result
            && let Some(session) = M::new_session(result)
        {
            moved(session);
        }
        then(result);
    })
}

fn refuse(then: Then, refusal: Refusal) {
    then(ResponseOutcome::Error(refusal), &|_| {});
}

fn send(call: Call, said: Option<&JsValue>, then: Then) {
    let sent = STATE.with(|state| {
        let gone = || Refusal::new(RefusalCode::NotNow, texts::LOST);
        let socket = state.socket.borrow();
        let socket = socket.as_ref().ok_or_else(gone)?;
        let id = state.next.get() + 1;
        let text = text(&Request::new(id, call), said).ok_or_else(gone)?;
        // A unit of UTF-16 has three bytes at most.
        if text.length() as usize > LARGEST_MESSAGE / 3 {
            return Err(Refusal::new(RefusalCode::NotUnderstood, texts::TOO_LARGE));
        }
        let socket: &Socket = socket.unchecked_ref();
        socket.send_text(&text).map_err(|_| gone())?;
        state.next.set(id);
        Ok(id)
    });
    match sent {
        Ok(id) => STATE.with(|state| {
            state.waiting.borrow_mut().insert(id, then);
        }),
        Err(refusal) => refuse(then, refusal),
    }
}

fn text(request: &Request, said: Option<&JsValue>) -> Option<JsString> {
    match said {
        None => Some(serde_json::to_string(request).ok()?.into()),
        Some(said) => {
            let (before, behind) = request.around()?;
            let said = JSON::stringify(said).ok()?;
            Some(JsString::from(before).concat(&said).concat(&behind.into()))
        }
    }
}

#[wasm_bindgen]
extern "C" {
    /// A connection that is sent text of the browser's.
    type Socket;

    #[wasm_bindgen(catch, method, js_name = send)]
    fn send_text(this: &Socket, text: &JsString) -> Result<(), JsValue>;
}

/// Has the back end do something; what it refuses is shown.
pub(crate) fn order<M: Method>(model: Model, method: M) {
    order_and(model, method, |_| {});
}

/// The same; `then` hears what came of it.
pub(crate) fn order_and<M: Method>(
    model: Model,
    method: M,
    then: impl FnOnce(M::Result) + 'static,
) {
    model.said.say(None);
    request(method, move |done| match done {
        Ok(result) => then(result),
        Err(refusal) => model.tell_refusal(refusal),
    });
}

/// What was wanted was done in a new session, which is worked at from now on, unless the person has turned to another
/// one meanwhile.
fn is_moved_to(session: &str, model: Model) {
    if model.name.with_untracked(|name| name == session) {
        STATE.with(|state| state.session.replace(Some(session.to_owned())));
        address::remember(session);
        model.tell(texts::IN_NEW_SESSION, false);
    }
}

fn hear(text: &str, model: Model) {
    // Another version may say more than this one knows.
    let Ok(message) = serde_json::from_str::<Value>(text) else {
        return;
    };
    if message.get("method").is_some() {
        match read::<Notification>(message).map(|told| told.news) {
            Ok(News::Command {
                command,
                name,
                params,
            }) => inspected::command(command, name, params),
            Ok(News::Selected { element, cancelled }) => {
                picking::selected(model, element, cancelled)
            }
            Ok(news) => model.hear(news),
            Err(_) => {}
        }
        return;
    }
    let Ok(response) = read::<Response>(message) else {
        return;
    };
    let then = response
        .id
        .and_then(|id| STATE.with(|state| state.waiting.borrow_mut().remove(&id)));
    if let Some(then) = then {
        then(response.outcome, &|session| is_moved_to(session, model));
    }
}
