//! The connection of a panel of the protocol before, whose extension was not loaded again, or whose page was not: it is
//! welcomed, and hears at each request what to do instead of an answer. Of its requests only the one that ends this
//! back end is the same in both protocols, so an earlier `querypoint serve` can take this one's place.

use std::ops::ControlFlow;

use axum::extract::ws::{Message, WebSocket};
use querypoint::session::messages::{
    FORMER_PROTOCOL, PROTOCOL, Refusal, RefusalCode, Request, Response, ResponseOutcome,
};
use querypoint::session::methods::Call;
use serde_json::Value;

use crate::connection::{close, ended, read, send, tell, welcome};
use app::http::Meter;
use app::sessions::Sessions;

/// Serves it until it goes.
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
    loop {
        let message = tokio::select! {
            biased;
            why = sessions.ended() => {
                close(&mut socket, why).await;
                return;
            }
            message = socket.recv() => message,
        };
        let flow = match message {
            Some(Ok(Message::Text(text))) => {
                meter.message_ended();
                send(&mut socket, &response(&text, sessions)).await
            }
            // The library answers pings.
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => ControlFlow::Continue(()),
            Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => {
                ControlFlow::Break(())
            }
        };
        if flow.is_break() {
            return;
        }
    }
}

/// The response to a request, which may be one that this protocol does not have.
fn response(text: &str, sessions: &Sessions) -> Response {
    match read(text) {
        Ok(Request {
            id,
            call: Call::EndBackEnd(method),
            ..
        }) => Response::new(Some(id), ended(method, sessions)),
        _ => {
            let id = serde_json::from_str::<Value>(text).ok();
            let id = id.and_then(|request| request.get("id")?.as_u64());
            Response::new(id, ResponseOutcome::Error(refusal()))
        }
    }
}

fn refusal() -> Refusal {
    let version = env!("CARGO_PKG_VERSION");
    let why = format!(
        "this panel is older than the back end: it speaks protocol {FORMER_PROTOCOL}, and the back end (querypoint \
         {version}) speaks protocol {PROTOCOL}; load the panel's page again, or install the extension of {version} and \
         reload it on the browser's page of extensions"
    );
    Refusal::new(RefusalCode::NotUnderstood, why)
}
