//! One tab of our own: opened in a fresh browser context, watched, navigated, disposed.
//!
//! Invariants: a page never shares cookies, storage or cache with another, unless the connection has one tab alone;
//! what happens in it is known from events alone, which are read whenever something waits (there is no task of its
//! own); a dialog is answered at once, because nobody is there to do it and the page is paused behind it; a crash
//! ends every wait with its typed error.

mod dialogs;
mod ending;
mod local_network;
mod opening;
mod state;
#[cfg(test)]
mod tests;
mod wanted;

use agent::evaluated;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::StreamExt;
use futures::channel::oneshot;
use futures::future::{BoxFuture, Either, select};
use futures::stream::BoxStream;
use recording::Environment;
use serde_json::Value;

use crate::error::EngineError;
use crate::sessions::Sessions;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, CallBrowser as _, Clock, Command, Contexts, Event, Missing, Protocol, ProtocolError,
    SessionId, with_time_limit,
};
use dialogs::DialogAnswer;
pub(crate) use dialogs::{AttendedTabs, ExpectedDialog};
use ending::Ending;
pub(crate) use local_network::allow_local_network;
pub(crate) use opening::Opening;
pub use state::{ChildTarget, LoadOutcome};
use state::{PageState, Reaction};
pub(crate) use wanted::wanted_of;

/// Where a page is paused: the tab, its session, and what its events have told so far.
pub struct Page {
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    session: SessionId,
    /// Those of what it starts elsewhere as well.
    sessions: Arc<Sessions>,
    target_id: String,
    context_id: String,
    state: Arc<Mutex<PageState>>,
    events: futures::lock::Mutex<BoxStream<'static, Event>>,
    ending: Mutex<Ending>,
    /// The session on which the browser reports tabs and shared workers, once children are held.
    browser: Mutex<Option<SessionId>>,
    /// Whether its time goes on only as far as it is granted.
    virtual_time: AtomicBool,
    attended: AttendedTabs,
    /// The sessions of frames that are in processes of their own, by the ids of the frames.
    frames: Mutex<HashMap<String, SessionId>>,
    /// What the browser tells pages of the person, once it was asked. It tells each tab the same.
    environment: Arc<OnceLock<Environment>>,
}

/// The requests of a page that have no answer yet.
#[derive(Clone)]
pub(crate) struct Unanswered(Arc<Mutex<PageState>>);

impl Unanswered {
    /// They in words, for an error: ` (no answer yet from …)`; empty if there are none.
    pub(crate) fn text(&self) -> String {
        self.0.lock().unanswered()
    }
}

impl Page {
    /// Attaches to a tab that this page opened and that shows `url`. It goes when this page does, not when what is
    /// returned does.
    ///
    /// # Errors
    /// [`EngineError::Protocol`].
    pub(crate) async fn tab(&self, target_id: &str, url: &str) -> Result<Self, EngineError> {
        let protocol = self.protocol.clone();
        let tab = (target_id.to_owned(), self.context_id.clone());
        let clock = self.clock.clone();
        let tab = Self::attach(protocol, clock, tab, Ending::Nothing).await?;
        let tab = tab.enabled().await?;
        url.clone_into(&mut tab.state.lock().url);
        Ok(tab)
    }

    /// The session of the tab.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// The sessions of the page, and that of the browser once children are held.
    pub(crate) fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// The target id of the tab, which is also the id of its main frame.
    pub fn target_id(&self) -> &str {
        &self.target_id
    }

    /// The id of the browser context that is this page's alone.
    pub fn context_id(&self) -> &str {
        &self.context_id
    }

    /// The connection.
    pub fn protocol(&self) -> &Arc<dyn Protocol> {
        &self.protocol
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Sends a command to the tab. It is queued at the call.
    ///
    /// # Errors
    /// Those of [`Protocol::send`].
    pub fn send<'a>(
        &'a self,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        self.protocol.send(Some(&self.session), method, params)
    }

    /// The same with a type.
    ///
    /// # Errors
    /// Those of [`Protocol::send`], and [`ProtocolError::Malformed`] if the answer is not what the protocol says.
    pub fn call<'a, C: Command>(
        &'a self,
        command: &C,
    ) -> BoxFuture<'a, Result<C::Result, ProtocolError>> {
        self.protocol.call(Some(&self.session), command)
    }

    /// Workers, popups and cross-site frames seen so far, in order: places that this session does not reach.
    pub fn child_targets(&self) -> Vec<ChildTarget> {
        self.catch_up();
        self.state.lock().children.clone()
    }

    /// From now on what the page starts elsewhere (a worker, a frame of another site, a tab) waits there before its
    /// first script, and whoever called this has to let it go. Gives the session on which the browser reports tabs
    /// and shared workers, other people's as well; what is not this page's must be let go at once. `None`: the
    /// connection does not offer them ([`Missing::Targets`]).
    ///
    /// # Errors
    /// [`EngineError::Protocol`].
    pub(crate) async fn hold_children(&self) -> Result<Option<SessionId>, EngineError> {
        self.state.lock().holds_children = true;
        if self.protocol.offers().lacks(Missing::Targets) {
            self.call(&auto_attach(true)).await?;
            return Ok(None);
        }
        let attach = cdp::target::AttachToBrowserTarget {};
        let browser = self.protocol.call_browser(&attach).await?.session_id;
        *self.browser.lock() = Some(browser.clone());
        self.sessions.set_browser(browser.clone());
        let everywhere = cdp::target::SetAutoAttach {
            filter: Some(["page", "shared_worker"].map(only).into()),
            ..auto_attach(true)
        };
        let of_browser = self.protocol.call(Some(&browser), &everywhere);
        let of_page = self.call(&auto_attach(true));
        futures::try_join!(of_browser, of_page)?;
        Ok(Some(browser))
    }

    /// Waits for a child target of that kind.
    ///
    /// # Errors
    /// [`EngineError::TimedOut`] after `limit`, [`EngineError::Protocol`].
    pub async fn wait_for_child(
        &self,
        kind: &str,
        limit: Duration,
    ) -> Result<ChildTarget, EngineError> {
        let seen = self.wait_for("a child target", |state| {
            state
                .children
                .iter()
                .find(|child| child.kind == kind)
                .cloned()
        });
        self.limited("a child target", limit, seen).await?
    }

    /// The session of a frame of another site, which is in a process of its own.
    ///
    /// # Errors
    /// Those of the connection; [`ProtocolError::Refused`] if there is no such frame.
    pub(crate) async fn session_of_frame(
        &self,
        frame_id: &str,
    ) -> Result<SessionId, ProtocolError> {
        let known = self.frames.lock().get(frame_id).cloned();
        if let Some(session) = known {
            return Ok(session);
        }
        let session = attach_to(self.protocol.as_ref(), frame_id).await?;
        self.frames
            .lock()
            .insert(frame_id.to_owned(), session.clone());
        Ok(session)
    }

    /// One of them is gone, perhaps to another process.
    pub(crate) fn drop_frames(&self) {
        self.frames.lock().clear();
    }

    /// What the browser tells pages of the person, if it was asked, and where that is kept.
    pub(crate) fn environment(&self) -> &OnceLock<Environment> {
        &self.environment
    }

    /// Takes it from where it is kept for other tabs of the browser, and keeps it there.
    pub(crate) fn share_environment(&mut self, kept: &Arc<OnceLock<Environment>>) {
        self.environment = kept.clone();
    }

    /// From here on the page's time goes on only as far as it is granted.
    pub(crate) fn set_virtual_time(&self) {
        self.virtual_time.store(true, Ordering::SeqCst);
    }

    /// Whether the page's time goes on only as far as it is granted.
    pub(crate) fn has_virtual_time(&self) -> bool {
        self.virtual_time.load(Ordering::SeqCst)
    }

    /// The address of the main document.
    pub fn url(&self) -> String {
        self.catch_up();
        self.state.lock().url.clone()
    }

    /// How many requests have neither finished nor failed.
    pub fn requests_in_flight(&self) -> usize {
        self.catch_up();
        self.state.lock().in_flight.len()
    }

    /// How many dialogs were accepted for the user.
    pub fn dialogs_accepted(&self) -> usize {
        self.state.lock().dialogs.accepted()
    }

    /// How the dialogs that come next are answered; whatever was said before no longer holds.
    pub(crate) fn expect_dialogs(&self, dialogs: Vec<ExpectedDialog>) {
        self.state.lock().dialogs.expect(dialogs);
    }

    /// The tabs that it opened and whose dialogs a replay answers just now.
    /// Leaves the page to a person, who answers its dialogs and chooses its files.
    ///
    /// # Errors
    /// Those of the connection.
    pub(crate) async fn leave_to_person(&self) -> Result<(), ProtocolError> {
        self.state.lock().dialogs.leave();
        let choosers = cdp::page::SetInterceptFileChooserDialog::new(false);
        self.drive(self.call(&choosers)).await?;
        self.drive(self.call(&cdp::page::BringToFront {})).await?;
        Ok(())
    }

    /// Waits until its tab is closed, or its browser.
    ///
    /// # Errors
    /// If it crashes.
    pub(crate) async fn closed(&self) -> Result<(), EngineError> {
        match self.wait_for("the tab", |_| None::<()>).await {
            Err(EngineError::Protocol(
                ProtocolError::SessionClosed { .. } | ProtocolError::ConnectionLost { .. },
            )) => Ok(()),
            other => other,
        }
    }

    pub(crate) fn attended_tabs(&self) -> &AttendedTabs {
        &self.attended
    }

    /// The dialogs that nobody expected and that were accepted, since the last call: kind and message.
    pub(crate) fn take_unexpected_dialogs(&self) -> Vec<(String, String)> {
        self.catch_up();
        self.state.lock().dialogs.take_unexpected()
    }

    /// What tells which requests have no answer yet, also when the page is gone.
    pub(crate) fn unanswered(&self) -> Unanswered {
        Unanswered(self.state.clone())
    }

    /// Goes to `url` and waits for the `load` event. A page with an HTTP error status is a page.
    ///
    /// # Errors
    /// [`EngineError::PageNotLoaded`], [`EngineError::TimedOut`] after `limit`, [`EngineError::Protocol`].
    pub async fn navigate(&self, url: &str, limit: Duration) -> Result<LoadOutcome, EngineError> {
        let work = async {
            let (loads, moves) = self.read(|state| (state.loads, state.moves_within));
            let result = self
                .drive(self.call(&cdp::page::Navigate::new(url)))
                .await?;
            if let Some(why) = result.error_text.filter(|why| !why.is_empty()) {
                // A crash aborts a navigation before it is reported: ask, so that it is not taken for a bad address.
                let alive = cdp::runtime::Evaluate::new(evaluated(0));
                match self.drive(self.call(&alive)).await {
                    Err(error) if error.is_fatal() => return Err(error.into()),
                    _ => {}
                }
                let url = url.to_owned();
                return Err(EngineError::PageNotLoaded { url, why });
            }
            if result.loader_id.is_some() {
                self.wait_for("loading the page", |state| {
                    (state.loads > loads && state.loaded).then_some(())
                })
                .await?;
            } else {
                // Without a loader it stays within the document.
                self.wait_for("moving in the page", |state| {
                    (state.moves_within > moves || state.loads > loads).then_some(())
                })
                .await?;
            }
            Ok(self.state.lock().outcome())
        };
        match self.limited(&format!("loading {url}"), limit, work).await {
            Err(EngineError::TimedOut { mut what, after_ms }) => {
                what.push_str(&self.read(PageState::unanswered));
                Err(EngineError::TimedOut { what, after_ms })
            }
            done => done?,
        }
    }

    /// Runs `future` while the page's events are read, so that dialogs are accepted and a crash is noticed.
    pub async fn drive<T>(&self, future: impl Future<Output = T>) -> T {
        let pump = async {
            while self.pump().await {}
            // The connection is gone; every command has been answered with that.
            std::future::pending::<()>().await;
        };
        futures::pin_mut!(future, pump);
        match select(future, pump).await {
            Either::Left((value, _)) => value,
            Either::Right(((), future)) => future.await,
        }
    }

    /// Runs `future` for at most `limit`.
    pub(crate) async fn limited<T>(
        &self,
        what: &str,
        limit: Duration,
        future: impl Future<Output = T>,
    ) -> Result<T, EngineError> {
        with_time_limit(self.clock.as_ref(), limit, what, future)
            .await
            .map_err(|error| match error {
                ProtocolError::TimedOut { method, after_ms } => EngineError::TimedOut {
                    what: method,
                    after_ms,
                },
                other => EngineError::Protocol(other),
            })
    }

    /// Waits until `condition` finds what it looks for in the state.
    pub(crate) async fn wait_for<T>(
        &self,
        what: &str,
        mut condition: impl FnMut(&PageState) -> Option<T>,
    ) -> Result<T, EngineError> {
        loop {
            self.catch_up();
            let changed = {
                let mut state = self.state.lock();
                if let Some(found) = condition(&state) {
                    return Ok(found);
                }
                if let Some(error) = state.ended(what) {
                    return Err(error.into());
                }
                let (sender, changed) = oneshot::channel::<()>();
                state.waiters.push(sender);
                changed
            };
            // Whoever else reads the events tells us; if nobody does, we read them.
            let pump = self.pump();
            futures::pin_mut!(pump);
            if let Either::Right((false, _)) = select(changed, pump).await {
                return Err(self.why_it_ended().await);
            }
        }
    }

    /// Reads the state.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&PageState) -> T) -> T {
        self.catch_up();
        look(&self.state.lock())
    }

    /// Handles the next event; `false` when there will be none.
    async fn pump(&self) -> bool {
        let event = self.events.lock().await.next().await;
        match event {
            Some(event) => {
                self.handle(&event);
                true
            }
            None => false,
        }
    }

    /// Handles the events that are already there, unless someone else is at it.
    fn catch_up(&self) {
        use futures::FutureExt;
        let Some(mut events) = self.events.try_lock() else {
            return;
        };
        while let Some(Some(event)) = events.next().now_or_never() {
            self.handle(&event);
        }
    }

    fn handle(&self, event: &Event) {
        let (reaction, waiters) = {
            let mut state = self.state.lock();
            match state.happened(event) {
                None => return,
                Some(reaction) => (reaction, std::mem::take(&mut state.waiters)),
            }
        };
        match reaction {
            Reaction::None => {}
            // Commands are queued at the call; nobody waits for these answers.
            Reaction::AnswerDialog(DialogAnswer { accept, text }) => {
                drop(self.call(&cdp::page::HandleJavaScriptDialog {
                    prompt_text: Some(text),
                    ..cdp::page::HandleJavaScriptDialog::new(accept)
                }));
            }
            Reaction::FollowChild { session } => {
                self.sessions.add(session.clone());
                drop(self.protocol.call(Some(&session), &auto_attach(false)));
            }
        }
        for waiter in waiters {
            let _ = waiter.send(());
        }
    }

    async fn why_it_ended(&self) -> EngineError {
        let version = self.protocol.call_browser(&cdp::browser::GetVersion {});
        match version.await {
            Err(error) if error.is_fatal() => error.into(),
            _ => ProtocolError::ConnectionLost {
                reason: "its events ended".to_owned(),
            }
            .into(),
        }
    }
}

/// A blank tab in a browser context of its own: their ids. The browser disposes the context itself when our connection
/// ends, however it ends.
///
/// # Errors
/// Those of the connection.
pub(crate) async fn open_context(
    protocol: &dyn Protocol,
) -> Result<(String, String), ProtocolError> {
    let context = cdp::target::CreateBrowserContext {
        dispose_on_detach: Some(true),
    };
    let context = protocol.call_browser(&context).await?.browser_context_id;
    let tab = cdp::target::CreateTarget {
        browser_context_id: Some(context.clone()),
        ..cdp::target::CreateTarget::new("about:blank")
    };
    let tab = protocol.call_browser(&tab).await?;
    Ok((tab.target_id.0, context.0))
}

/// A new session of a target; of the one tab of a connection, in place of the one before.
///
/// # Errors
/// Those of the connection; [`ProtocolError::Refused`] if there is no such target.
pub(crate) async fn attach_to(
    protocol: &dyn Protocol,
    target: &str,
) -> Result<SessionId, ProtocolError> {
    if let Contexts::OneTab { target_id } = protocol.offers().contexts
        && target_id == target
    {
        return protocol.renew_tab().await;
    }
    let attach = cdp::target::AttachToTarget {
        flatten: Some(true),
        ..cdp::target::AttachToTarget::new(target)
    };
    Ok(protocol.call_browser(&attach).await?.session_id)
}

/// What the page starts is attached to. `hold`: whether it waits until it is let go.
pub(crate) fn auto_attach(hold: bool) -> cdp::target::SetAutoAttach {
    cdp::target::SetAutoAttach {
        flatten: Some(true),
        ..cdp::target::SetAutoAttach::new(true, hold)
    }
}

/// A filter that lets targets of that kind through.
pub(crate) fn only(kind: &str) -> cdp::target::FilterEntry {
    cdp::target::FilterEntry {
        r#type: Some(kind.to_owned()),
        ..cdp::target::FilterEntry::default()
    }
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page")
            .field("session", &self.session)
            .field("target_id", &self.target_id)
            .finish_non_exhaustive()
    }
}
