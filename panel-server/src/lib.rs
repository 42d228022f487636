//! The back end of the panel: sessions over a WebSocket on loopback.
//!
//! A connection (`connection`; `former`: of a panel of the protocol before) has passed the gate (`gate`) and works at
//! one of the [`app::sessions`]. The tab that a
//! person debugs is spoken to by a `relay`. [`running`] finds the back end that there is, or starts one; the browser's
//! extension asks for it by [`native_host`], which [`installing`] tells the browsers of.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use app::browser::BrowserOptions;
//! use panel_server::BackEnd;
//!
//! # async fn serve(options: BrowserOptions) -> Result<(), app::failure::Failure> {
//! let back_end = BackEnd::start(Path::new("sessions"), None, options, false, |answer, _| answer.page.clone()).await?;
//! println!("{} {}", back_end.url(), back_end.secret_subprotocol());
//! back_end.ended().await;
//! back_end.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! Invariants: it listens on loopback alone, and speaks to nobody who does not know the secret. It draws nothing: who
//! starts it says how an answer becomes a page.

mod connection;
mod former;
mod gate;
pub mod installing;
pub mod native_host;
mod panel;
mod relay;
pub mod running;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use querypoint::session::address::Fragment;
use querypoint::session::messages::{LARGEST_MESSAGE, SECRET_PREFIX, SUBPROTOCOL};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use app::browser::BrowserOptions;
use app::failure::{BackEndError, Failure};
use app::http::{self, Meter};
use app::sessions::store::{Store, StoreError};
use app::sessions::{Report, Sessions};
use gate::Gate;

/// The path at which panels connect.
const PATH: &str = "/panel";

/// A running back end. It ends when it is dropped; [`BackEnd::close`] also closes its browsers.
pub struct BackEnd {
    address: SocketAddr,
    secret: String,
    has_panel: bool,
    sessions: Arc<Sessions>,
    server: JoinHandle<()>,
}

impl BackEnd {
    /// Starts to serve the sessions in the folder `state`, on `port` or, without one, on that of the last time if it is
    /// free. One that runs in the background gives way to another; that one takes its place, with its port. `report`
    /// draws an answer as a page.
    ///
    /// # Errors
    /// If the folder cannot be used, another back end uses it, or the port is taken.
    pub async fn start(
        state: &Path,
        port: Option<u16>,
        browser: BrowserOptions,
        in_background: bool,
        report: Report,
    ) -> Result<Self, Failure> {
        let store = match Store::open(state) {
            Err(StoreError::InUse { .. }) => running::take_place(state, in_background).await?,
            store => store?,
        };
        let secret = store.secret()?;
        let listener = listen(port, store.last_port()).await?;
        let address = listener
            .local_addr()
            .map_err(|source| BackEndError::CannotListen { port: 0, source })?;
        let gate = Arc::new(Gate::new(address.port(), &secret));
        let listening = store.listens_at(address.port())?;
        let sessions = Arc::new(Sessions::new(store, listening, browser, report));
        let admitted = Admitted {
            gate: gate.clone(),
            sessions: sessions.clone(),
            in_background,
        };
        let panel = panel::beside_program();
        let has_panel = panel.is_some();
        let files = panel.as_deref().map(panel::router).unwrap_or_default();
        let router = Router::new()
            .route(PATH, get(connect))
            .with_state(admitted)
            .merge(files)
            .layer(middleware::from_fn_with_state(gate, gate::check_host));
        let server = tokio::spawn(async move {
            // It ends only with the task.
            http::serve(listener, router, http::LIMITS).await;
        });
        Ok(Self {
            address,
            secret,
            has_panel,
            sessions,
            server,
        })
    }

    /// Where a panel connects.
    pub fn url(&self) -> String {
        format!("ws://{}{PATH}", self.address)
    }

    /// The panel as a page, with the secret in its address; `None`: it was not built.
    pub fn panel_url(&self) -> Option<String> {
        let Self {
            address, secret, ..
        } = self;
        let fragment = Fragment {
            secret: Some(secret.clone()),
            session: None,
        };
        self.has_panel
            .then(|| format!("http://{address}/{fragment}"))
    }

    /// What it has to know, as a subprotocol.
    pub fn secret_subprotocol(&self) -> String {
        format!("{SECRET_PREFIX}{}", self.secret)
    }

    /// Ready when no panel was connected for so long.
    pub async fn unused_for(&self, limit: Duration) {
        self.sessions.unused_for(limit).await;
    }

    /// Ready when a panel, or another back end, has ended it.
    pub async fn ended(&self) {
        self.sessions.ended().await;
    }

    /// Ends what is being done and closes the browsers.
    pub async fn close(self) {
        self.sessions.close().await;
    }
}

impl Drop for BackEnd {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// The port that was asked for; without one that of the last time, else any that is free.
async fn listen(port: Option<u16>, last: Option<u16>) -> Result<TcpListener, BackEndError> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    if let (None, Some(last)) = (port, last)
        && let Ok(listener) = bind(last).await
    {
        return Ok(listener);
    }
    let port = port.unwrap_or(0);
    bind(port)
        .await
        .map_err(|source| BackEndError::CannotListen { port, source })
}

#[derive(Clone)]
struct Admitted {
    gate: Arc<Gate>,
    sessions: Arc<Sessions>,
    in_background: bool,
}

/// A panel knocks.
async fn connect(
    State(admitted): State<Admitted>,
    Extension(meter): Extension<Arc<Meter>>,
    headers: axum::http::HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let spoken = match admitted.gate.admits(&headers) {
        Ok(spoken) => spoken,
        Err(why) => return (StatusCode::FORBIDDEN, why).into_response(),
    };
    if admitted.sessions.is_ending() {
        let why = "this back end is being ended";
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    }
    let Some(seat) = admitted.sessions.seat() else {
        let why = "too many panels are connected; close some";
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    };
    upgrade
        .protocols([spoken])
        .max_message_size(LARGEST_MESSAGE)
        .max_frame_size(LARGEST_MESSAGE)
        .on_upgrade(async move |socket| {
            let (sessions, in_background) = (&admitted.sessions, admitted.in_background);
            match spoken {
                SUBPROTOCOL => connection::serve(socket, sessions, &meter, in_background).await,
                _ => former::serve(socket, sessions, &meter, in_background).await,
            }
            drop(seat);
        })
}
