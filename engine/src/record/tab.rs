//! Records the tab that a person debugs as long as they do: always what happened since its page was loaded, so that a
//! bug that has just happened can be asked about.
//!
//! Each load of the main document begins anew, with the cookies and the storage that the page had then; what was
//! recorded of the one before is dropped. What cannot be replayed from a load (the answer to a form, a page out of the
//! browser's cache) is recorded as what became of the one before, or not at all. Nothing of the tab is loaded again or
//! changed but for its random numbers, which are made of a seed that the recording holds.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::channel::{mpsc, oneshot};
use futures::future::{Either, select};
use recording::{Environment, RealmSeed, RecordedTime, Recorder, Step, Storage};

use super::loads::{LONGEST_MS, Load, Loaded, Loads};
use super::network::{self, Responses};
use super::targets::Targets;
use super::{
    Ended, InputScript, Names, Recorded, Session, ToldStorage, recorder_script, session_of,
};
use crate::agent_message::{RealmBegun, posted_as};
use crate::bodies::ReplacedBodies;
use crate::error::EngineError;
use crate::page::wanted_of;
use crate::prefix::unguessable_prefix;
use crate::recorded_inputs::{Workers, binding_of, recording_script};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Clock, Event, Protocol, ProtocolError, SessionId};

/// Others than those of a recording that somebody makes in the same tab at the same time: a world and its bindings are
/// shared by all who name them so.
const NAMES: Names = Names {
    world: "querypoint tab recorder",
    binding: "querypointTellTab",
};

/// How long a tab may take to be loaded again.
const LOADING_LIMIT: Duration = Duration::from_secs(30);

/// What is listened to besides what everybody listens to.
const MORE: &[&str] = &[
    cdp::runtime::BindingCalled::METHOD,
    cdp::page::JavascriptDialogClosed::METHOD,
    cdp::page::FrameRequestedNavigation::METHOD,
    cdp::page::LoadEventFired::METHOD,
    cdp::network::RequestWillBeSent::METHOD,
    cdp::network::RequestWillBeSentExtraInfo::METHOD,
];

/// The events of a tab that [`follow_tab`] lives on, and reads.
pub const EVENTS: [&str; 15] = [
    cdp::runtime::BindingCalled::METHOD,
    cdp::page::FrameStartedNavigating::METHOD,
    cdp::page::FrameNavigated::METHOD,
    cdp::page::NavigatedWithinDocument::METHOD,
    cdp::page::FrameRequestedNavigation::METHOD,
    cdp::page::LoadEventFired::METHOD,
    cdp::page::JavascriptDialogOpening::METHOD,
    cdp::page::JavascriptDialogClosed::METHOD,
    cdp::inspector::TargetCrashed::METHOD,
    cdp::network::RequestWillBeSent::METHOD,
    cdp::network::RequestWillBeSentExtraInfo::METHOD,
    cdp::network::ResponseReceived::METHOD,
    cdp::network::ResponseReceivedExtraInfo::METHOD,
    cdp::network::LoadingFinished::METHOD,
    cdp::network::LoadingFailed::METHOD,
];

/// Those of which only the number counts.
pub const COUNTED_EVENTS: [&str; 2] = [
    cdp::runtime::ConsoleApiCalled::METHOD,
    cdp::runtime::ExceptionThrown::METHOD,
];

/// What is recorded of the present page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresentRecording {
    /// What names this load of the page.
    pub load: String,
    /// The page's address when it was loaded.
    pub url: String,
    /// How many steps there are, with those that open the page.
    pub steps: usize,
    /// Whether the page is open for longer than is recorded: only the first ten minutes are there.
    pub is_full: bool,
}

/// The way to what is recorded of a tab. Cheap to clone.
#[derive(Clone, Debug)]
pub struct TabRecording(mpsc::UnboundedSender<Order>);

/// The other end of a [`TabRecording`], for [`follow_tab`].
#[derive(Debug)]
pub struct TabOrders(mpsc::UnboundedReceiver<Order>);

/// What is wanted of a recording that goes on.
#[derive(Debug)]
enum Order {
    /// All that was recorded since the page was loaded.
    Take(oneshot::Sender<Option<Recorded>>),
    /// It is to be dropped.
    Delete,
    /// The page is to be loaded again; says when it has begun.
    Reload(oneshot::Sender<Result<(), ProtocolError>>),
    /// Each step is to be told, with its number from 1.
    Watch(mpsc::UnboundedSender<(usize, Step)>),
}

impl TabRecording {
    /// The way to a recording, and what it needs to go on.
    #[must_use]
    pub fn new() -> (Self, TabOrders) {
        let (sender, receiver) = mpsc::unbounded();
        (Self(sender), TabOrders(receiver))
    }

    /// What was recorded since the page was loaded; none: nothing is, or the tab is not followed any more.
    pub async fn take(&self) -> Option<Recorded> {
        let (answer, answered) = oneshot::channel();
        self.0.unbounded_send(Order::Take(answer)).ok()?;
        answered.await.ok()?
    }

    /// Drops what was recorded. The page is recorded again once it is loaded again.
    pub fn delete(&self) {
        // Where nothing is recorded there is nothing to drop.
        let _ = self.0.unbounded_send(Order::Delete);
    }

    /// Loads the page again and records what the person does until `enough` is ready. `seen` is told each step.
    ///
    /// # Errors
    /// [`EngineError::PageNotLoaded`] if it cannot be loaded again, or does not begin in time.
    pub async fn record(
        &self,
        clock: &dyn Clock,
        enough: impl Future<Output = ()>,
        seen: &mut (dyn FnMut(usize, &Step) + Send),
    ) -> Result<Recorded, EngineError> {
        let (answer, answered) = oneshot::channel();
        let (watcher, mut steps) = mpsc::unbounded();
        let lost = |why: &str| EngineError::PageNotLoaded {
            url: "the tab".to_owned(),
            why: why.to_owned(),
        };
        const GONE: &str = "it is not debugged any more";
        let order = |order| self.0.unbounded_send(order).map_err(|_| lost(GONE));
        order(Order::Watch(watcher))?;
        order(Order::Reload(answer))?;
        match select(answered, clock.sleep(LOADING_LIMIT)).await {
            Either::Left((Ok(loaded), _)) => loaded?,
            Either::Left((Err(_), _)) => return Err(lost(GONE)),
            Either::Right(_) => return Err(lost("it did not begin within 30 s")),
        }
        futures::pin_mut!(enough);
        loop {
            match select(steps.next(), &mut enough).await {
                Either::Left((Some((number, step)), _)) => seen(number, &step),
                Either::Left((None, _)) => return Err(lost(GONE)),
                Either::Right(_) => break,
            }
        }
        self.take()
            .await
            .ok_or_else(|| lost("nothing of it can be replayed"))
    }
}

/// Records the tab behind a session until the connection ends. `tell` hears whenever something else is recorded; none:
/// nothing is, as before the page is loaded for the first time. `replaced` has what responses were that are changed on
/// their way into the tab.
///
/// # Errors
/// If the tab cannot be followed.
pub async fn follow_tab(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    session: SessionId,
    orders: TabOrders,
    replaced: ReplacedBodies,
    tell: &mut (dyn FnMut(Option<PresentRecording>) + Send),
) -> Result<(), EngineError> {
    let mut events = protocol.events_of(wanted_of(&session, MORE));
    let asked = protocol.events_of(network::wanted_of_present(&session));
    let prefix = unguessable_prefix("tab", clock.now_ms());
    let binding = binding_of(&prefix);
    let inputs = InputScript {
        source: Some(recording_script(&prefix)),
        has_network: true,
        workers: Workers::new(protocol.clone(), binding.clone()),
        binding,
    };
    let script = once_in_world(&recorder_script(NAMES.binding, false));
    let targets = Targets::follow(protocol.clone(), session.clone(), NAMES, script, inputs).await?;
    let loads = || Loads::new(session.clone(), targets.main_frame().to_owned());
    let responses = Responses::of_present(protocol, loads(), replaced);
    let mut tab = Tab {
        loads: loads(),
        session: session_of(targets, clock),
        responses: &responses,
        environment: None,
        present: None,
        full: None,
        early: Early::default(),
        reloading: None,
        watching: Vec::new(),
    };
    let recorded = responses.run(asked);
    let followed = tab.follow(&mut events, orders, tell);
    futures::pin_mut!(recorded, followed);
    match select(recorded, followed).await {
        // The connection is gone.
        Either::Left(((), followed)) => followed.await,
        Either::Right((followed, _)) => followed,
    }
    Ok(())
}

/// A script that runs once in the world of a document: a back end that was started anew installs it once more.
fn once_in_world(script: &str) -> String {
    format!("if (globalThis.isRecorded !== true) {{ globalThis.isRecorded = true; {script} }}")
}

/// The tab that is recorded.
struct Tab<'r> {
    session: Session,
    loads: Loads,
    responses: &'r Responses,
    /// What the browser tells the page of the person, once that was asked.
    environment: Option<Environment>,
    /// The load that is recorded, and when it began.
    present: Option<Present>,
    /// What was recorded of a page that is open for longer than is recorded.
    full: Option<Recorder>,
    early: Early,
    /// Who waits for the page to be loaded again.
    reloading: Option<oneshot::Sender<Result<(), ProtocolError>>>,
    watching: Vec<mpsc::UnboundedSender<(usize, Step)>>,
}

struct Present {
    load: String,
    url: String,
    began_ms: f64,
}

/// What a document told before the browser said that it is there.
#[derive(Default)]
struct Early {
    random: Vec<RealmSeed>,
    storage: Option<Storage>,
}

impl Tab<'_> {
    /// Until the connection ends.
    async fn follow(
        &mut self,
        events: &mut (impl StreamExt<Item = Event> + Unpin),
        orders: TabOrders,
        tell: &mut (dyn FnMut(Option<PresentRecording>) + Send),
    ) {
        let mut orders = orders.0;
        let mut told = None;
        loop {
            match select(events.next(), orders.next()).await {
                Either::Left((Some(event), _)) => match self.take(&event).await {
                    Ok(()) => {}
                    Err(error) if error.is_fatal() => return,
                    Err(error) => tracing::debug!(%error, "an event was skipped"),
                },
                Either::Right((Some(order), _)) => {
                    // What has happened already is in what is taken.
                    if matches!(order, Order::Take(_)) && !self.catch_up(events).await {
                        return;
                    }
                    self.obey(order).await;
                }
                Either::Left((None, _)) | Either::Right((None, _)) => return,
            }
            let now = self.now();
            if now != told {
                tell(now.clone());
                told = now;
            }
        }
    }

    /// Takes in what the page has done by now; whether the connection still is there.
    async fn catch_up(&mut self, events: &mut (impl StreamExt<Item = Event> + Unpin)) -> bool {
        let up_to_date = self.session.targets.up_to_date(&self.session.clock);
        futures::pin_mut!(up_to_date);
        loop {
            match select(events.next(), &mut up_to_date).await {
                Either::Left((Some(event), _)) => match self.take(&event).await {
                    Ok(()) => {}
                    Err(error) if error.is_fatal() => return false,
                    Err(error) => tracing::debug!(%error, "an event was skipped"),
                },
                Either::Left((None, _)) => return false,
                Either::Right(_) => return true,
            }
        }
    }

    async fn obey(&mut self, order: Order) {
        match order {
            Order::Take(answer) => {
                let taken = self.taken().await;
                // Whoever wanted it may have gone.
                let _ = answer.send(taken);
            }
            Order::Delete => {
                self.drop_recorded();
                self.responses.clear();
            }
            Order::Reload(answer) => {
                // A page that has paused would not go on to its end.
                match self.session.targets.reload().await {
                    Ok(()) => self.reloading = Some(answer),
                    Err(error) => drop(answer.send(Err(error))),
                }
            }
            Order::Watch(watcher) => self.watching.push(watcher),
        }
    }

    /// What is recorded now.
    fn now(&self) -> Option<PresentRecording> {
        let present = self.present.as_ref()?;
        let recorder = self.session.recorder.as_ref().or(self.full.as_ref())?;
        Some(PresentRecording {
            load: present.load.clone(),
            url: present.url.clone(),
            steps: recorder.recording().steps.len(),
            is_full: self.full.is_some(),
        })
    }

    async fn taken(&self) -> Option<Recorded> {
        let recorder = self.session.recorder.as_ref().or(self.full.as_ref());
        let mut recorder = recorder?.clone();
        self.responses.settle(self.session.clock.as_ref()).await;
        recorder.recorded_inputs().network = true;
        Some(Recorded {
            recording: recorder.finished(),
            responses: Some(self.responses.so_far()),
            ended: Ended::Asked,
        })
    }

    fn drop_recorded(&mut self) {
        self.session.recorder = None;
        (self.present, self.full) = (None, None);
        self.early = Early::default();
    }

    async fn take(&mut self, event: &Event) -> Result<(), ProtocolError> {
        self.end_when_full();
        match self.loads.take(event) {
            Some(Loaded::Asked) => self.early = Early::default(),
            Some(Loaded::Begun(load)) => self.begin(load, event).await?,
            Some(Loaded::Unknown) => self.drop_recorded(),
            Some(Loaded::Continued) | None => {}
        }
        if event.is_a::<cdp::runtime::BindingCalled>() && self.is_early(event)? {
            return Ok(());
        }
        let watching = &mut self.watching;
        let mut seen = |number: usize, step: &Step| {
            watching.retain(|it| it.unbounded_send((number, step.clone())).is_ok());
        };
        self.session.take(event, &mut seen).await.map(drop)
    }

    /// The page is open for too long: nothing is added any more.
    fn end_when_full(&mut self) {
        let began_ms = self.present.as_ref().map(|it| it.began_ms);
        if began_ms.is_some_and(|began_ms| self.session.clock.now_ms() - began_ms > LONGEST_MS)
            && let Some(recorder) = self.session.recorder.take()
        {
            self.full = Some(recorder);
        }
    }

    /// Another document is there: it is recorded from here on.
    async fn begin(&mut self, load: Load, event: &Event) -> Result<(), ProtocolError> {
        let early = std::mem::take(&mut self.early);
        self.drop_recorded();
        let frame = event.decode::<cdp::page::FrameNavigated>()?.frame;
        let url = format!("{}{}", frame.url, frame.url_fragment.unwrap_or_default());
        let began_ms = self.session.clock.now_ms();
        let viewport = self.session.targets.viewport().await?;
        if self.environment.is_none() {
            self.environment = Some(self.session.targets.environment().await?);
        }
        let mut recorder = Recorder::new(title_of(&frame.url), viewport, &url);
        if let Some(environment) = &self.environment {
            recorder.set_environment(environment);
        }
        recorder.set_login(&load.cookies);
        if let Some(storage) = &early.storage {
            recorder.set_storage(storage);
        }
        recorder.watches_frames();
        let inputs = recorder.recorded_inputs();
        inputs.random = Some(since_main_document(early.random));
        inputs.time = Some(RecordedTime {
            start: load.asked_ms.round(),
        });
        self.session.starts_anew(recorder);
        self.present = Some(Present {
            load: load.loader,
            url,
            began_ms,
        });
        if let Some(reloading) = self.reloading.take() {
            // Whoever wanted it may have gone.
            let _ = reloading.send(Ok(()));
        }
        Ok(())
    }

    /// Whether the document told something that belongs to its beginning. Where the browser has not said yet that it is
    /// there, that is kept until then.
    fn is_early(&mut self, event: &Event) -> Result<bool, ProtocolError> {
        const STORAGE: &str = "{\"storage\"";
        if event.session.as_ref() != Some(self.session.targets.main()) {
            return Ok(false);
        }
        let called = event.decode::<cdp::runtime::BindingCalled>()?;
        if called.name == NAMES.binding && called.payload.starts_with(STORAGE) {
            let told = serde_json::from_str::<ToldStorage>(&called.payload);
            if let Ok(ToldStorage { storage }) = told {
                match (&mut self.session.recorder, self.loads.is_pending()) {
                    (Some(recorder), false) => recorder.set_storage(&storage),
                    _ => self.early.storage = Some(storage),
                }
            }
            return Ok(true);
        }
        if called.name == self.session.targets.inputs.binding
            && self.loads.is_pending()
            && let Some(RealmBegun {
                place,
                seed: Some(seed),
            }) = posted_as(&called.payload)
        {
            self.early.random.push(RealmSeed { place, seed });
        }
        // A realm of the document that is still there may have begun.
        Ok(false)
    }
}

/// The realms since the last main document began: those before belong to the one before.
fn since_main_document(mut random: Vec<RealmSeed>) -> Vec<RealmSeed> {
    /// How the place of a main document begins: its way to the frame is empty.
    const MAIN: &str = "frame  ";
    let last = random.iter().rposition(|it| it.place.starts_with(MAIN));
    match last {
        Some(last) => random.split_off(last),
        None => Vec::new(),
    }
}

/// What a recording of this page is called: the end of its path, or its host.
fn title_of(url: &str) -> &str {
    let page = url.split(['?', '#']).next().unwrap_or(url);
    let (_, rest) = page.split_once("://").unwrap_or(("", page));
    match rest.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name,
        Some((host, _)) => host,
        None => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn realms_of_the_document_before_are_left_out() {
        let realm = |place: &str| RealmSeed {
            place: place.to_owned(),
            seed: String::new(),
        };
        let random = ["frame 0 /old", "frame  /page", "frame 0 /inner"].map(realm);
        let places: Vec<String> = since_main_document(random.to_vec())
            .into_iter()
            .map(|it| it.place)
            .collect();
        assert_eq!(places, ["frame  /page", "frame 0 /inner"]);
        assert!(since_main_document(vec![realm("worker  /w.js")]).is_empty());
    }

    #[test]
    fn a_recording_is_called_by_its_page() {
        for (url, title) in [
            ("http://shop.example/cart.html?id=5#top", "cart.html"),
            ("http://shop.example/", "shop.example"),
            ("http://shop.example/a/b/", "shop.example/a/b"),
        ] {
            assert_eq!(title_of(url), title);
        }
    }
}
