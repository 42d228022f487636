//! One panel's connection: requests in, responses and news out.

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use engine::inspected::{EVENTS, LIVE_EVENTS, SELECTION_EVENTS, letting_go};
use engine::record::tab;
use querypoint::session::messages::{
    ENDED, News, Notification, PROTOCOL, Refusal, RefusalCode, Request, Response, ResponseOutcome,
};
use querypoint::session::methods::{
    Answered, Call, EndBackEnd, Event, Method, Open as OpenSession, Sessions as ListSessions,
};
use querypoint::session::results::{Attached, Nothing, TabCommand};
use serde::Serialize;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, mpsc};

use crate::relay::{InTab, Relay};
use app::http::Meter;
use app::sessions::session::{Done, LiveSession, Reply, SessionEvent};
use app::sessions::{End, Sessions};

/// What is open in a connection.
struct Open {
    session: Arc<LiveSession>,
    told: broadcast::Receiver<SessionEvent>,
}

impl Open {
    /// What there is to say of it. A panel that reads slower than there is news gets what counts: how the session is
    /// now.
    fn news(&self, told: Result<SessionEvent, Lagged>) -> News {
        match told {
            Ok(SessionEvent::News(news)) => news,
            Ok(SessionEvent::Changed) | Err(Lagged) => self.session.news(),
        }
    }
}

/// Some of the news was not read in time.
struct Lagged;

/// A request that was being done for a while has ended.
struct Ended {
    response: Response,
    /// The session that it was about, and the new one that it was done in.
    moved: Option<(Arc<LiveSession>, Arc<LiveSession>)>,
}

/// Serves a panel until it goes.
pub(crate) async fn serve(
    mut socket: WebSocket,
    sessions: &Sessions,
    meter: &Meter,
    in_background: bool,
) {
    if tell(&mut socket, welcome(sessions, in_background))
        .await
        .is_break()
    {
        return;
    }
    let mut open: Option<Open> = None;
    // Of requests whose end is not waited for: at most one for each session, and breakpoints that somebody sets.
    let (done, mut ended) = mpsc::unbounded_channel::<Ended>();
    // What is said to the tab that is debugged, and of it, to this panel alone.
    let (said, mut to_say) = mpsc::unbounded_channel::<News>();
    let mut relay: Option<Relay> = None;
    loop {
        let news = async {
            match &mut open {
                Some(open) => open.told.recv().await,
                None => std::future::pending().await,
            }
        };
        let flow = tokio::select! {
            biased;
            told = news => {
                let told = match told {
                    Ok(told) => Ok(told),
                    Err(RecvError::Lagged(_)) => Err(Lagged),
                    Err(RecvError::Closed) => return,
                };
                match &open {
                    Some(open) => tell(&mut socket, open.news(told)).await,
                    None => ControlFlow::Continue(()),
                }
            },
            why = sessions.ended() => {
                close(&mut socket, why).await;
                return;
            }
            Some(news) = to_say.recv() => tell(&mut socket, news).await,
            Some(Ended { response, moved }) = ended.recv() => {
                if let Some((from, to)) = moved
                    && open.as_ref().is_some_and(|open| Arc::ptr_eq(&open.session, &from))
                {
                    turn_to(&mut open, to, sessions);
                }
                answer(&mut socket, &mut open, &response).await
            }
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    meter.message_ended();
                    let response = match read(&text) {
                        Ok(request) => match relayed(request, &mut relay, &said, &done) {
                            ControlFlow::Break(response) => response,
                            ControlFlow::Continue(request) => {
                                let tab = relay.as_ref().map(Relay::recording);
                                handle(request, sessions, &mut open, tab, &done).await
                            }
                        },
                        Err(response) => Some(*response),
                    };
                    match response {
                        Some(response) => answer(&mut socket, &mut open, &response).await,
                        None => ControlFlow::Continue(()),
                    }
                }
                // The library answers pings.
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => ControlFlow::Continue(()),
                Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => ControlFlow::Break(()),
            },
        };
        if flow.is_break() {
            return;
        }
    }
}

/// What each connection begins with.
pub(crate) fn welcome(sessions: &Sessions, in_background: bool) -> News {
    News::Welcome {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        connected: sessions.is_connected(),
        in_background,
    }
}

/// Understands a message, or says why not.
pub(crate) fn read(text: &str) -> Result<Request, Box<Response>> {
    let refused = |id, code, why: &serde_json::Error| {
        let why = match code {
            RefusalCode::NotJson => format!("this is no JSON: {why}"),
            _ => format!("this is no request of docs/reference/protocol.md: {why}"),
        };
        Box::new(Response::new(
            id,
            ResponseOutcome::Error(Refusal::new(code, why)),
        ))
    };
    let mut value: serde_json::Value =
        serde_json::from_str(text).map_err(|error| refused(None, RefusalCode::NotJson, &error))?;
    let id = value.get("id").and_then(serde_json::Value::as_u64);
    // JSON-RPC lets them be left out where there are none.
    if let Some(request) = value.as_object_mut() {
        let params = request.entry("params");
        params.or_insert_with(|| serde_json::Map::new().into());
    }
    serde_json::from_value(value).map_err(|error| refused(id, RefusalCode::NoRequest, &error))
}

/// What is about the tab that is debugged, is done here, with a response at once or when the tab has answered; anything
/// else goes on.
fn relayed(
    request: Request,
    relay: &mut Option<Relay>,
    said: &mpsc::UnboundedSender<News>,
    done: &mpsc::UnboundedSender<Ended>,
) -> ControlFlow<Option<Response>, Request> {
    let id = request.id;
    let response = match request.call {
        Call::Attach(method) => at_once(id, method, |_| {
            *relay = Some(Relay::new(said.clone()));
            let events = EVENTS
                .iter()
                .chain(&LIVE_EVENTS)
                .chain(&SELECTION_EVENTS)
                .chain(&tab::EVENTS)
                .chain(&tab::COUNTED_EVENTS);
            Ok(Attached {
                events: events.map(|event| (*event).to_owned()).collect(),
                counted: tab::COUNTED_EVENTS.map(str::to_owned).to_vec(),
                let_go: letting_go()
                    .into_iter()
                    .map(|(name, params)| TabCommand {
                        name: name.to_owned(),
                        params,
                    })
                    .collect(),
            })
        }),
        Call::Detach(method) => at_once(id, method, |_| {
            *relay = None;
            Ok(Nothing {})
        }),
        Call::Answered(method) => at_once(
            id,
            method,
            |Answered {
                 command,
                 result,
                 error,
             }| {
                if let Some(relay) = relay {
                    relay.answered(command, result.ok_or_else(|| error.unwrap_or_default()));
                }
                Ok(Nothing {})
            },
        ),
        Call::Event(method) => at_once(id, method, |Event { event, params }| {
            if let Some(relay) = relay {
                relay.event(event, params);
            }
            Ok(Nothing {})
        }),
        Call::Break(method) => later(id, method, relay.as_ref(), done),
        Call::Unbreak(method) => later(id, method, relay.as_ref(), done),
        Call::Look(method) => later(id, method, relay.as_ref(), done),
        Call::LookInside(method) => later(id, method, relay.as_ref(), done),
        Call::SelectElement(method) => later(id, method, relay.as_ref(), done),
        Call::EndSelecting(method) => later(id, method, relay.as_ref(), done),
        Call::Live(method) => later(id, method, relay.as_ref(), done),
        call => return ControlFlow::Continue(Request { call, ..request }),
    };
    ControlFlow::Break(response)
}

fn not_attached() -> Refusal {
    Refusal::new(
        RefusalCode::NotNow,
        "no tab is debugged through this panel; attach first",
    )
}

fn response<M: Method>(id: u64, result: Result<M::Result, Refusal>) -> Response {
    Response::new(Some(id), ResponseOutcome::of::<M>(result))
}

/// Responds at once.
fn at_once<M: Method>(
    id: u64,
    method: M,
    does: impl FnOnce(M) -> Result<M::Result, Refusal>,
) -> Option<Response> {
    Some(response::<M>(id, does(method)))
}

/// Responds when the tab has answered.
fn later<M: InTab>(
    id: u64,
    method: M,
    relay: Option<&Relay>,
    done: &mpsc::UnboundedSender<Ended>,
) -> Option<Response> {
    let Some(relay) = relay else {
        return Some(response::<M>(id, Err(not_attached())));
    };
    let work = method.ask(relay);
    let done = done.clone();
    tokio::spawn(async move {
        // The panel may be gone.
        let response = response::<M>(id, work.await);
        let _ = done.send(Ended {
            response,
            moved: None,
        });
    });
    None
}

/// Does what is wanted. `None`: the response comes when it is done.
async fn handle(
    request: Request,
    sessions: &Sessions,
    open: &mut Option<Open>,
    recorded: Option<&tab::TabRecording>,
    done: &mpsc::UnboundedSender<Ended>,
) -> Option<Response> {
    let id = request.id;
    let outcome = match request.call {
        Call::Sessions(ListSessions {}) => ResponseOutcome::of::<ListSessions>(Ok(sessions.kept())),
        Call::EndBackEnd(method) => ended(method, sessions),
        Call::Open(OpenSession { session }) => {
            let opened = sessions.open(&session);
            ResponseOutcome::of::<OpenSession>(opened.map(|session| {
                turn_to(open, session, sessions);
                Nothing {}
            }))
        }
        call => match open {
            None => ResponseOutcome::Error(Refusal::new(
                RefusalCode::NotNow,
                "no session is open in this connection; open one first",
            )),
            Some(it) => {
                let from = it.session.clone();
                match from.reply(call, recorded).await {
                    Reply::Ready(Done { outcome, beside }) => {
                        if let Some(session) = beside {
                            turn_to(open, session, sessions);
                        }
                        outcome
                    }
                    Reply::Pending(task) => {
                        let done = done.clone();
                        tokio::spawn(async move {
                            let Done { outcome, beside } = task.await;
                            // The panel may be gone; the session has what came of it.
                            let _ = done.send(Ended {
                                response: Response::new(Some(id), outcome),
                                moved: beside.map(|to| (from, to)),
                            });
                        });
                        return None;
                    }
                }
            }
        },
    };
    Some(Response::new(Some(id), outcome))
}

/// Has the back end end; what becomes of the request.
pub(crate) fn ended(method: EndBackEnd, sessions: &Sessions) -> ResponseOutcome {
    let why = match method.for_another {
        true => End::ForAnother,
        false => End::Unwanted,
    };
    ResponseOutcome::of::<EndBackEnd>(sessions.end(why).map(|()| Nothing {}))
}

/// The panel works at this session from now on.
fn turn_to(open: &mut Option<Open>, session: Arc<LiveSession>, sessions: &Sessions) {
    let told = session.listen();
    if let Some(before) = open.replace(Open { session, told }) {
        sessions.leave(before.session);
    }
}

/// Responds, after the news that there was before.
async fn answer(
    socket: &mut WebSocket,
    open: &mut Option<Open>,
    response: &Response,
) -> ControlFlow<()> {
    if let Some(open) = open {
        loop {
            let told = match open.told.try_recv() {
                Ok(told) => Ok(told),
                Err(TryRecvError::Lagged(_)) => Err(Lagged),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            };
            tell(socket, open.news(told)).await?;
        }
    }
    send(socket, response).await
}

/// Closes the connection, so that the panel knows whether to look for another back end.
pub(crate) async fn close(socket: &mut WebSocket, why: End) {
    let (code, reason) = match why {
        End::Unwanted => (ENDED, "the back end was ended"),
        End::ForAnother => (close_code::RESTART, "another back end takes its place"),
    };
    let frame = CloseFrame {
        code,
        reason: reason.into(),
    };
    // The panel may be gone.
    let _ = socket.send(Message::Close(Some(frame))).await;
}

pub(crate) async fn tell(socket: &mut WebSocket, news: News) -> ControlFlow<()> {
    send(socket, &Notification::new(news)).await
}

pub(crate) async fn send(socket: &mut WebSocket, message: &impl Serialize) -> ControlFlow<()> {
    // These types always are JSON.
    let Ok(text) = serde_json::to_string(message) else {
        return ControlFlow::Break(());
    };
    match socket.send(Message::Text(text.into())).await {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_may_be_left_out_where_there_are_none() {
        let request = |rest: &str| read(&format!("{{\"jsonrpc\":\"2.0\",\"id\":7,{rest}}}"));
        for text in [
            "\"method\":\"sessions\"",
            "\"method\":\"sessions\",\"params\":{}",
        ] {
            assert_eq!(
                request(text).unwrap().call,
                Call::from(ListSessions {}),
                "{text}"
            );
        }
        for text in ["\"method\":\"open\"", "\"params\":{}", "\"x\":1"] {
            assert!(request(text).is_err(), "{text}");
        }
    }
}
