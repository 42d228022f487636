//! Records what a user does to a page, while they do it.
//!
//! A script in an isolated world of each document sees the input events first and tells them through a binding that
//! only that world has; the page can neither see nor call it. Nothing of the page is changed, held or rewritten, and
//! dialogs are the user's.

mod history;
mod loads;
mod network;
pub mod tab;
mod tabs;
mod targets;

use std::sync::Arc;

use futures::StreamExt;
use futures::future::{Either, select};
use futures::stream::BoxStream;
use recording::{
    Action, Dialog, Har, Live, Observation, RealmSeed, RecordedTime, Recorder, Recording, Step,
    Storage, Viewport,
};
use serde::Deserialize;

use super::agent_message::{RealmBegun, posted_as};
use super::page::wanted_of;
use super::prefix::unguessable_prefix;
use super::recorded_inputs::{Workers, binding_of, recording_script};
use crate::error::EngineError;
use cdp::page::{
    FrameNavigated, FrameRequestedNavigation, FrameStartedNavigating, JavascriptDialogClosed,
    JavascriptDialogOpening, NavigatedWithinDocument,
};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Clock, Event, Protocol, ProtocolError, SessionFilter, SessionId, SessionSet, Wanted,
};
use history::History;
use network::Responses;
use targets::{Connection, Targets};

/// The isolated world of a recorder, and the binding that only this world has.
#[derive(Clone, Copy, Debug)]
struct Names {
    world: &'static str,
    binding: &'static str,
}

const NAMES: Names = Names {
    world: "querypoint recorder",
    binding: "querypointTell",
};

/// How soon after the user did something a navigation is held for its effect, in milliseconds.
const SOON_MS: f64 = 3000.0;

/// What to record.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// The page's address.
    pub page: String,
    /// Whether it is recorded in the tab that shows it already, from loading it again, and not in a tab of its own.
    pub in_open_tab: bool,
    /// What the recording is called.
    pub title: String,
    /// The page's size, where it is not that of the window.
    pub viewport: Option<(u32, u32)>,
    /// Whether what is typed into fields for passwords and the like is kept.
    pub with_secrets: bool,
    /// What of what makes the page vary is not recorded.
    pub live: Live,
    /// The origin whose responses are not recorded: it is served from files.
    pub served: Option<String>,
}

/// What was recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The steps, and what makes the page vary.
    pub recording: Recording,
    /// The responses, to be kept in a file beside it; none: they are left live.
    pub responses: Option<Har>,
    /// Why it ended.
    pub ended: Ended,
}

/// Why a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The user closed the page.
    Closed,
    /// Whoever recorded wanted no more.
    Asked,
    /// The page or the browser was lost.
    Lost,
}

/// Opens `options.page` in a tab of its own, or loads it again in the tab that shows it, and records until the tab is
/// closed or `enough` is ready. `seen` is told each step as it is recorded, with how many there are; a step may take
/// the place of the one before. A tab that was there before stays, and is loaded again, so that nothing of ours is left
/// in it.
///
/// # Errors
/// [`EngineError::NoTab`], and others if the page cannot be opened. Once it is open what was recorded is the answer,
/// whatever happens.
pub async fn record(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    options: &RecordOptions,
    enough: impl Future<Output = ()>,
    seen: &mut (dyn FnMut(usize, &Step) + Send),
) -> Result<Recorded, EngineError> {
    let sessions = SessionSet::default();
    let mut events = protocol.events_of(wanted(&sessions));
    let asked = protocol.events_of(network::wanted(&sessions));
    let connection = Connection { protocol, sessions };
    let network = (!options.live.network).then(|| {
        let served = options.served.clone();
        Responses::new(connection.protocol.clone(), options.with_secrets, served)
    });
    let script = recorder_script(NAMES.binding, options.with_secrets);
    let prefix = unguessable_prefix(&options.page, clock.now_ms());
    let binding = binding_of(&prefix);
    let inputs = InputScript {
        source: (!options.live.random).then(|| recording_script(&prefix)),
        has_network: network.is_some(),
        workers: Workers::new(connection.protocol.clone(), binding.clone()),
        binding,
    };
    let targets = match options.in_open_tab {
        true => Targets::take(connection, &options.page, options.viewport, script, inputs).await?,
        false => Targets::open(connection, options.viewport, script, inputs).await?,
    };
    let mut session = session_of(targets, clock);
    let viewport = session.targets.viewport().await?;
    let page = match options.in_open_tab {
        true => {
            session
                .targets
                .first_address(session.clock.as_ref())
                .await?
        }
        false => options.page.clone(),
    };
    let mut recorder = Recorder::new(&options.title, viewport, &page);
    recorder.set_environment(&session.targets.environment().await?);
    if !options.live.random {
        recorder.recorded_inputs().random = Some(Vec::new());
        recorder.watches_frames();
    }
    if !options.live.time {
        let start = session.targets.browser_time_ms().await?;
        recorder.recorded_inputs().time = start.map(|start| RecordedTime { start });
    }
    session.targets.go_to(&page).await?;
    session.recorder = Some(recorder);
    let clock = session.clock.clone();
    let ended = {
        let responses = async {
            if let Some(network) = &network {
                network.run(asked).await;
            }
            // The steps end the recording, not the responses.
            std::future::pending::<()>().await;
        };
        let steps = async {
            let mut ended = session.follow_user(&mut events, enough, seen).await;
            if ended == Ended::Asked {
                let up_to_date = session.targets.up_to_date(&session.clock);
                ended = session.follow_user(&mut events, up_to_date, seen).await;
            }
            if let Some(network) = network.as_ref().filter(|_| ended != Ended::Lost) {
                network.settle(clock.as_ref()).await;
            }
            ended
        };
        futures::pin_mut!(responses, steps);
        match select(responses, steps).await {
            Either::Left(((), steps)) => steps.await,
            Either::Right((ended, _)) => ended,
        }
    };
    let responses = network.map(|network| network.finished());
    if let Some(recorder) = &mut session.recorder {
        recorder.recorded_inputs().network = responses.is_some();
    }
    let recording = session.recorder.map(Recorder::finished);
    session.targets.close(ended == Ended::Asked).await;
    recording
        .map(|recording| Recorded {
            recording,
            responses,
            ended,
        })
        .ok_or_else(|| EngineError::PageNotLoaded {
            url: options.page.clone(),
            why: "it was closed at once".to_owned(),
        })
}

/// What sees what the user does, in the isolated world of each document.
fn recorder_script(binding: &str, with_secrets: bool) -> String {
    format!("{}(globalThis.{binding},{with_secrets})", agent::RECORDER)
}

/// A recording of these targets in which nothing has happened yet.
fn session_of(targets: Targets, clock: Arc<dyn Clock>) -> Session {
    Session {
        targets,
        clock,
        recorder: None,
        last_action_ms: f64::NEG_INFINITY,
        requested: false,
        is_opened: false,
        history: History::default(),
        dialog: None,
    }
}

/// What [`Session::take`] takes in: what these sessions say, and what the browser says of tabs. Of what a page logs and
/// throws only the number is of interest.
fn wanted(sessions: &SessionSet) -> Wanted {
    const OF_PAGE: &[&str] = &[
        cdp::runtime::BindingCalled::METHOD,
        JavascriptDialogClosed::METHOD,
        cdp::target::TargetInfoChanged::METHOD,
        cdp::target::TargetDestroyed::METHOD,
        FrameRequestedNavigation::METHOD,
        cdp::page::LoadEventFired::METHOD,
    ];
    const OF_BROWSER: &[&str] = &[
        cdp::target::AttachedToTarget::METHOD,
        cdp::target::DetachedFromTarget::METHOD,
        cdp::target::TargetInfoChanged::METHOD,
        cdp::target::TargetDestroyed::METHOD,
    ];
    wanted_of(sessions, OF_PAGE).and(SessionFilter::Browser, OF_BROWSER)
}

/// A recording that goes on.
struct Session {
    targets: Targets,
    clock: Arc<dyn Clock>,
    recorder: Option<Recorder>,
    last_action_ms: f64,
    /// Whether a script or a link asked for the navigation that is under way.
    requested: bool,
    /// Whether the page that was asked for has been reached.
    is_opened: bool,
    history: History,
    /// The dialog that is open: its kind and what it says.
    dialog: Option<(String, String)>,
}

impl Session {
    /// What happens from now on goes into this recording: another document is there.
    fn starts_anew(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
        self.last_action_ms = f64::NEG_INFINITY;
        (self.requested, self.is_opened) = (false, false);
        self.history = History::default();
        self.dialog = None;
    }

    /// Records what the user does until the page is closed or `enough` is ready, with all that was said before that.
    async fn follow_user(
        &mut self,
        events: &mut BoxStream<'static, Event>,
        enough: impl Future<Output = ()>,
        seen: &mut (dyn FnMut(usize, &Step) + Send),
    ) -> Ended {
        futures::pin_mut!(enough);
        loop {
            // What was said already comes first.
            match select(events.next(), &mut enough).await {
                Either::Left((Some(event), _)) => match self.take(&event, seen).await {
                    Ok(None) => {}
                    Ok(Some(ended)) => return ended,
                    Err(error) if error.is_fatal() => return Ended::Lost,
                    // The document went away meanwhile, or the browser said what is not understood.
                    Err(error) => tracing::debug!(%error, "an event was skipped"),
                },
                Either::Left((None, _)) => return Ended::Lost,
                Either::Right(_) => return Ended::Asked,
            }
        }
    }

    async fn take(
        &mut self,
        event: &Event,
        seen: &mut (dyn FnMut(usize, &Step) + Send),
    ) -> Result<Option<Ended>, ProtocolError> {
        match event.method.as_str() {
            cdp::runtime::BindingCalled::METHOD => {
                let called = event.decode::<cdp::runtime::BindingCalled>()?;
                let is_told = called.name == self.targets.names.binding;
                if let Some(session) = event.session.as_ref().filter(|_| is_told) {
                    self.observe(session, &called.payload, seen);
                } else if called.name == self.targets.inputs.binding {
                    self.begins(event.session.as_ref(), &called.payload);
                }
            }
            JavascriptDialogOpening::METHOD => {
                let opened = event.decode::<JavascriptDialogOpening>()?;
                let message = opened.message.unwrap_or_default();
                self.dialog = Some((opened.r#type.to_string(), message));
            }
            JavascriptDialogClosed::METHOD => self.dialog_closed(event.decode()?),
            cdp::debugger::Paused::METHOD => self.targets.paused(event).await?,
            cdp::target::AttachedToTarget::METHOD => {
                let around = event.session.as_ref();
                self.targets.attached(around, event.decode()?).await?;
            }
            cdp::target::TargetInfoChanged::METHOD => self.targets.informed(event.decode()?),
            cdp::target::DetachedFromTarget::METHOD
            | cdp::inspector::Detached::METHOD
            | cdp::target::TargetDestroyed::METHOD
                if self.targets.is_main_gone(event) =>
            {
                return Ok(Some(Ended::Closed));
            }
            cdp::inspector::TargetCrashed::METHOD
                if event.session.as_ref() == Some(self.targets.main()) =>
            {
                return Ok(Some(Ended::Lost));
            }
            cdp::target::DetachedFromTarget::METHOD => {
                if let (Some(url), Some(recorder)) =
                    (self.targets.detached(&event.decode()?), &mut self.recorder)
                    && recorder.closed(&url).is_some()
                {
                    self.show(seen);
                }
            }
            cdp::runtime::ConsoleApiCalled::METHOD | cdp::runtime::ExceptionThrown::METHOD
                if event.session.as_ref() == Some(self.targets.main()) =>
            {
                if let Some(recorder) = &mut self.recorder {
                    let events = recorder.script_events();
                    match event.method.as_str() {
                        cdp::runtime::ConsoleApiCalled::METHOD => events.console += event.times,
                        _ => events.exceptions += event.times,
                    }
                }
            }
            _ if event.session.as_ref() == Some(self.targets.main()) => {
                self.follow(event, seen).await?;
            }
            cdp::page::FrameNavigated::METHOD => {
                self.targets.moved(event.session.as_ref(), event.decode()?);
            }
            _ => {}
        }
        Ok(None)
    }

    fn observe(
        &mut self,
        session: &SessionId,
        payload: &str,
        seen: &mut (dyn FnMut(usize, &Step) + Send),
    ) {
        // What is no observation is nobody's of ours.
        let Ok(observation) = serde_json::from_str::<Observation>(payload) else {
            if let (Ok(told), Some(recorder)) = (serde_json::from_str(payload), &mut self.recorder)
                && session == self.targets.main()
                && self.targets.is_first_told_storage()
            {
                let ToldStorage { storage } = told;
                recorder.set_storage(&storage);
            }
            return;
        };
        let (Some(recorder), Some(target)) = (&mut self.recorder, self.targets.name(session))
        else {
            return;
        };
        match observation.action {
            Action::Traverse => self.history.is_a_scripts(),
            // Nothing comes of it.
            Action::Viewport { .. } | Action::Contents { .. } | Action::Position { .. } => {}
            _ => self.last_action_ms = self.clock.now_ms(),
        }
        if recorder.observe(&target, observation).is_some() {
            self.show(seen);
        }
    }

    /// Shows the last step.
    fn show(&self, seen: &mut (dyn FnMut(usize, &Step) + Send)) {
        let steps = self
            .recorder
            .as_ref()
            .map(|recorder| &recorder.recording().steps);
        if let Some(steps) = steps
            && let Some(step) = steps.last()
        {
            seen(steps.len(), step);
        }
    }

    /// The tab shows another entry of its history, or has a new one; whether the user went there with the browser's
    /// buttons.
    async fn went(
        &mut self,
        url: &str,
        seen: &mut (dyn FnMut(usize, &Step) + Send),
    ) -> Result<bool, ProtocolError> {
        let clock = self.clock.as_ref();
        let delta = self.history.moved(&self.targets, clock, url).await?;
        match (&mut self.recorder, delta) {
            (Some(recorder), Some(delta)) => recorder.went(delta, url),
            _ => return Ok(false),
        }
        self.show(seen);
        Ok(true)
    }

    /// The user has answered a dialog. By now what they did before it was told.
    fn dialog_closed(&mut self, closed: JavascriptDialogClosed) {
        let accept = closed.result;
        let (Some(recorder), Some((kind, message))) = (&mut self.recorder, self.dialog.take())
        else {
            return;
        };
        let text = (kind == "prompt" && accept).then(|| closed.user_input.unwrap_or_default());
        recorder.answered(Dialog {
            kind,
            message,
            accept,
            text,
        });
    }

    /// A realm has told what its random numbers are made of.
    fn begins(&mut self, session: Option<&SessionId>, payload: &str) {
        // More than a person meets: a page cannot fill the memory.
        const MOST_REALMS: usize = 10_000;
        let is_ours = session.is_some_and(|session| self.targets.has(session));
        if let Some(at) = posted_as::<f64>(payload).filter(|_| is_ours) {
            if let Some(recorder) = &mut self.recorder {
                recorder.asked_for_frame(at);
            }
            return;
        }
        let Some(RealmBegun {
            place,
            seed: Some(seed),
        }) = posted_as(payload).filter(|_| is_ours)
        else {
            return;
        };
        let realm = RealmSeed { place, seed };
        let recorder = self.recorder.as_mut();
        if let Some(random) =
            recorder.and_then(|recorder| recorder.recorded_inputs().random.as_mut())
            && random.len() < MOST_REALMS
            && realm.is_sound()
            && realm.place.len() < 2000
        {
            random.push(realm);
        }
    }

    /// Follows the main frame from document to document.
    async fn follow(
        &mut self,
        event: &Event,
        seen: &mut (dyn FnMut(usize, &Step) + Send),
    ) -> Result<(), ProtocolError> {
        let main = self.targets.main_frame().to_owned();
        match event.method.as_str() {
            FrameRequestedNavigation::METHOD => {
                let asked = event.decode::<FrameRequestedNavigation>()?;
                self.requested |= asked.frame_id.0 == main;
            }
            FrameStartedNavigating::METHOD => {
                let started = event.decode::<FrameStartedNavigating>()?;
                if started.frame_id.0 == main {
                    let kind = started.navigation_type.as_str();
                    self.history.begins(kind.starts_with("history"));
                }
            }
            NavigatedWithinDocument::METHOD => {
                let moved = event.decode::<NavigatedWithinDocument>()?;
                if moved.frame_id.0 == main {
                    self.went(&moved.url, seen).await?;
                }
            }
            FrameNavigated::METHOD => {
                let frame = event.decode::<FrameNavigated>()?.frame;
                if frame.id.0 != main {
                    return Ok(());
                }
                let url = frame.url;
                let whole = format!("{url}{}", frame.url_fragment.unwrap_or_default());
                if self.went(&whole, seen).await? {
                    return Ok(());
                }
                let (asked, since_ms) = (
                    std::mem::take(&mut self.requested),
                    self.clock.now_ms() - self.last_action_ms,
                );
                let Some(recorder) = &mut self.recorder else {
                    return Ok(());
                };
                let is_first = !std::mem::replace(&mut self.is_opened, true);
                let by_browser = !is_first && !asked && since_ms > SOON_MS;
                recorder.navigated(&url, by_browser);
                if by_browser {
                    self.show(seen);
                }
            }
            cdp::page::LoadEventFired::METHOD => {
                let (url, title) = self.targets.address_and_title().await?;
                if let Some(recorder) = &mut self.recorder {
                    recorder.titled(&url, &title);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// What the first document had stored when it began.
#[derive(Deserialize)]
struct ToldStorage {
    storage: Storage,
}

/// A page's size as the page sees it.
fn viewport_of(
    metrics: &cdp::page::GetLayoutMetricsResult,
    override_size: Option<(u32, u32)>,
    scale: f64,
) -> Viewport {
    // The browser tells whole pixels.
    let size = |pixels: f64, or: u32| match pixels as u32 {
        0 => or,
        pixels => pixels,
    };
    let told = metrics.css_layout_viewport.as_ref();
    let told = told.map(|it| (it.client_width, it.client_height));
    let (width, height) = told.unwrap_or_default();
    let (width, height) = override_size.unwrap_or((size(width, 1280), size(height, 800)));
    Viewport {
        width,
        height,
        device_scale_factor: scale,
        is_mobile: false,
        has_touch: false,
        is_landscape: false,
    }
}

/// What has random numbers recorded.
struct InputScript {
    /// What every realm runs first; none: random numbers are not recorded.
    source: Option<String>,
    /// Whether responses are recorded.
    has_network: bool,
    /// What realms tell by.
    binding: String,
    workers: Workers,
}

/// What the isolated world of every document runs first; that of the present one as well, if it is recorded.
fn installed(
    world: &str,
    script: &str,
    is_recorded: bool,
) -> cdp::page::AddScriptToEvaluateOnNewDocument {
    cdp::page::AddScriptToEvaluateOnNewDocument {
        world_name: Some(world.to_owned()),
        run_immediately: Some(is_recorded),
        ..cdp::page::AddScriptToEvaluateOnNewDocument::new(script)
    }
}
