//! The tab that a person debugs, which is not ours: where it stops, whoever makes it stop, and what is so there.
//!
//! It runs as it is, without hooks, unless the person wants to see who wrote last what is in sight (`live_hooks`).
//! Other clients speak to it at the same time; else nothing is done here that they would notice.

mod breakpoints;
mod entries;
mod expanding;
mod live_hooks;
mod scripts;
mod selecting;
mod tab_contents;
#[cfg(test)]
mod tests;

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;

use futures::channel::oneshot;
use futures::future::{Either, join_all, select};
use futures::stream::{FuturesUnordered, Stream, StreamExt};
use js_analysis::position::{HumanPosition, Utf16Position};
use querypoint::answer::{Location, Scope, ScopeKind, StackFrame};
use querypoint::session::stop::{Stop, StopFrame, exception_point};

use super::debugger::{Extent, MOST_VARIABLES, scope_kind, variables};
use super::prefix::is_ours;
use super::stopped::{Frame, Stopped};
use cdp::debugger::Paused;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Event, Protocol, ProtocolError, SessionId, Wanted};
use live_hooks::LiveHooks;
use scripts::Scripts;
use scripts::original::{Written, load};

pub use breakpoints::{Breakpoint, BreakpointError};
pub use expanding::{ExpandError, Expansion, FrameState, Inside, expand, frame_state};
pub use live_hooks::{EVENTS as LIVE_EVENTS, LiveRun, letting_go};
pub use selecting::{SELECTION_EVENTS, Selecting, Selection};

/// The events of the tab that [`InspectedTab::follow_stops`] lives on.
pub const EVENTS: [&str; 3] = [
    cdp::debugger::Paused::METHOD,
    cdp::debugger::Resumed::METHOD,
    cdp::debugger::ScriptParsed::METHOD,
];

/// Of so many frames the scopes are read.
const FRAMES_WITH_SCOPES: usize = 8;

/// More frames are not told: a recursion can have tens of thousands.
const MOST_FRAMES: usize = 200;

/// The source maps of so many scripts are looked for at a stop, those of the newest frames.
const MOST_MAPS: usize = 4;

/// A tab, and what is known of the scripts in it.
pub struct InspectedTab {
    protocol: Arc<dyn Protocol>,
    session: SessionId,
    scripts: Mutex<Scripts>,
    /// Where it is, the newest frame first; none: it is not paused.
    frames: Mutex<Vec<PausedFrame>>,
    /// What leaves last writers, while somebody wants to see them.
    live: Mutex<Option<Arc<LiveHooks>>>,
    /// What ends it, while a person is to select an element.
    selecting: Mutex<Option<oneshot::Sender<()>>>,
}

/// A frame in which the tab is paused.
#[derive(Clone, Debug)]
struct PausedFrame {
    /// As the browser names it.
    id: String,
    /// Its script, and where that is.
    script: Option<u64>,
    url: String,
    running: Utf16Position,
    context: i64,
}

/// Where the tab is paused, as it says.
struct TabPause {
    stop: Stop,
    /// For each frame its script, and where that is.
    places: Vec<(Option<u64>, Utf16Position)>,
    /// For each frame where its scopes are in its script.
    extents: Vec<Vec<Option<Extent>>>,
}

impl InspectedTab {
    /// The tab behind this session.
    #[must_use]
    pub fn new(protocol: Arc<dyn Protocol>, session: SessionId) -> Self {
        Self {
            protocol,
            session,
            scripts: Mutex::default(),
            frames: Mutex::default(),
            live: Mutex::default(),
            selecting: Mutex::default(),
        }
    }

    fn frames(&self) -> MutexGuard<'_, Vec<PausedFrame>> {
        self.frames.lock()
    }

    fn scripts(&self) -> MutexGuard<'_, Scripts> {
        self.scripts.lock()
    }

    /// Tells each stop of the tab, and `None` when it goes on, until the connection ends. One in a script whose source
    /// map is not known yet is told at once as it runs, and once more as its author wrote it.
    ///
    /// # Errors
    /// If the tab cannot be debugged.
    pub async fn follow_stops(
        &self,
        tell: &mut (dyn FnMut(Option<Stop>) + Send),
    ) -> Result<(), ProtocolError> {
        let mut events = self.protocol.events_of(Wanted::of(&self.session, &EVENTS));
        let mut loads = FuturesUnordered::new();
        let mut loading = BTreeSet::new();
        let mut pause: Option<TabPause> = None;
        // If it is paused already, that is told then.
        let enable = cdp::debugger::Enable {};
        self.protocol.call(Some(&self.session), &enable).await?;
        loop {
            let event = match next(&mut events, &mut loads).await {
                Next::Event(event) => event,
                Next::Ended => return Ok(()),
                Next::Loaded(id, written) => {
                    let is_found = written.is_some();
                    self.scripts().keep(id, written);
                    let is_there = |it: &&TabPause| it.places.iter().any(|(of, _)| *of == Some(id));
                    if let Some(pause) = pause.as_ref().filter(is_there)
                        && is_found
                    {
                        tell(Some(self.as_written(pause)));
                    }
                    continue;
                }
            };
            if event.session.as_ref() != Some(&self.session) {
                continue;
            }
            if let Some(script) = event.read::<cdp::debugger::ScriptParsed>() {
                if let Some(hooks) = self.hooks() {
                    hooks.met(&script, pause.is_some());
                }
                self.scripts().add(script);
            } else if event.is_a::<cdp::debugger::Resumed>() {
                pause = None;
                self.frames().clear();
                tell(None);
            } else if let Some(paused) = event.read() {
                match self.read(&paused).await {
                    Ok(new) => {
                        tell(Some(self.as_written(&new)));
                        for id in self.unread(&new) {
                            if loading.insert(id) {
                                loads.push(async move { (id, self.written(id).await.ok()) });
                            }
                        }
                        pause = Some(new);
                    }
                    Err(error) if error.is_fatal() => return Err(error),
                    // It went on while it was read; that is told next.
                    Err(_) => {}
                }
            }
        }
    }

    /// The scripts of a stop whose maps have not been looked for.
    fn unread(&self, pause: &TabPause) -> Vec<u64> {
        let scripts = self.scripts();
        let mut unread = Vec::new();
        let hooks = self.hooks();
        for id in pause.places.iter().filter_map(|(id, _)| *id) {
            let is_hooked = scripts.get(id).zip(hooks.as_ref());
            if is_hooked.is_some_and(|(script, hooks)| hooks.has(&script.url)) {
                continue;
            }
            if !unread.contains(&id) && scripts.is_unread(id) {
                unread.push(id);
            }
        }
        unread.truncate(MOST_MAPS);
        unread
    }

    /// What the author of a script wrote.
    ///
    /// # Errors
    /// In words, why it is not known.
    async fn written(&self, id: u64) -> Result<Arc<Written>, String> {
        let known = self.scripts().written(id);
        if let Some(written) = known {
            return Ok(written);
        }
        let script = self.scripts().get(id);
        let script = script.ok_or("the tab has forgotten it")?;
        let written = load(self.protocol.as_ref(), &self.session, id, &script).await;
        written
            .map(Arc::new)
            .inspect_err(|why| tracing::info!(url = script.url, why, "it is shown as it runs"))
    }

    /// A stop as the authors of its scripts know it, as far as their maps are known.
    fn as_written(&self, pause: &TabPause) -> Stop {
        let mut stop = pause.stop.clone();
        let scripts = self.scripts();
        let frames = stop.frames.iter_mut().zip(&pause.places);
        let hooks = self.hooks();
        for ((frame, (script, running)), extents) in frames.zip(&pause.extents) {
            let hooked = hooks.as_ref();
            if let Some(written) = hooked.and_then(|it| it.as_written(frame, *running, extents)) {
                *frame = written;
            } else if let Some(written) = script.and_then(|id| scripts.written(id)) {
                *frame = written.shown(frame, *running, extents);
            }
            for scope in &mut frame.scopes {
                scope.variables.truncate(MOST_VARIABLES);
            }
        }
        stop
    }

    async fn read(&self, paused: &Paused) -> Result<TabPause, ProtocolError> {
        let hooks = self.hooks();
        let mut stopped = {
            let scripts = self.scripts();
            // Positions are those of the documents and scripts as they came. Without hooks no name has our prefix.
            let prefix = hooks.as_ref().map_or("\0", |hooks| hooks.prefix());
            Stopped::read(&self.session, paused, prefix, &|id| scripts.parsed(id))
        };
        if let Some(hooks) = &hooks {
            // Whoever steps may be in the agent.
            stopped.frames.retain(|frame| !hooks.is_agent(&frame.url));
        }
        let frames = stopped.frames.iter().take(MOST_FRAMES);
        let paused_frames: Vec<PausedFrame> = {
            let scripts = self.scripts();
            let context = |script: &str| scripts.parsed(script).map_or(0, |it| it.context);
            frames
                .map(|frame| PausedFrame {
                    id: frame.id.clone(),
                    script: frame.script.parse().ok(),
                    url: frame.url.clone(),
                    running: frame.position,
                    context: context(&frame.script),
                })
                .collect()
        };
        let places = paused_frames
            .iter()
            .map(|it| (it.script, it.running))
            .collect();
        self.frames().clone_from(&paused_frames);
        let (stop, extents) = self
            .stop(paused, &stopped, &paused_frames, hooks.as_deref())
            .await?;
        Ok(TabPause {
            places,
            extents,
            stop,
        })
    }

    async fn stop(
        &self,
        paused: &Paused,
        stopped: &Stopped,
        paused_frames: &[PausedFrame],
        hooks: Option<&LiveHooks>,
    ) -> Result<(Stop, Vec<Vec<Option<Extent>>>), ProtocolError> {
        let frames = stopped.frames.iter().zip(paused_frames).enumerate();
        let frames = frames.map(|(number, (frame, paused_frame))| {
            self.stop_frame(number, frame, paused_frame.context, hooks)
        });
        let frames: Result<Vec<_>, ProtocolError> = join_all(frames).await.into_iter().collect();
        let (frames, extents) = frames?.into_iter().unzip();
        let is_uncaught = stopped.is_exception() && stopped.uncaught;
        let stop = Stop {
            reason: reason(stopped, paused),
            exception: is_uncaught.then(|| exception_point(stopped.exception_message())),
            frames,
            unhooked: hooks
                .zip(paused_frames.first())
                .and_then(|(hooks, top)| hooks.first_unhooked(top.context)),
        };
        Ok((stop, extents))
    }

    async fn stop_frame(
        &self,
        number: usize,
        frame: &Frame,
        context: i64,
        hooks: Option<&LiveHooks>,
    ) -> Result<(StopFrame, Vec<Option<Extent>>), ProtocolError> {
        let (mut scopes, mut extents) = (Vec::new(), Vec::new());
        if number < FRAMES_WITH_SCOPES {
            let told = async {
                match hooks {
                    Some(hooks) => hooks.in_frame(frame, context).await,
                    None => Ok(Vec::new()),
                }
            };
            let read = read_scopes(self.protocol.as_ref(), &self.session, frame);
            let (read, told) = futures::try_join!(read, told)?;
            for (which, mut scope, extent) in read {
                if let Some(hooks) = hooks {
                    hooks.give(&mut scope.variables, which, &told);
                }
                scopes.push(scope);
                extents.push(extent);
            }
        }
        let frame = shown(frame);
        Ok((StopFrame { frame, scopes }, extents))
    }
}

/// What comes next.
enum Next {
    Event(Event),
    /// The author's script with this number, if it could be had.
    Loaded(u64, Option<Arc<Written>>),
    /// The connection did.
    Ended,
}

async fn next<L>(
    events: &mut (impl Stream<Item = Event> + Unpin),
    loads: &mut FuturesUnordered<L>,
) -> Next
where
    L: Future<Output = (u64, Option<Arc<Written>>)>,
{
    let loaded = async {
        match loads.next().await {
            Some((id, written)) => Next::Loaded(id, written),
            None => pending().await,
        }
    };
    futures::pin_mut!(loaded);
    match select(events.next(), loaded).await {
        Either::Left((event, _)) => event.map_or(Next::Ended, Next::Event),
        Either::Right((loaded, _)) => loaded,
    }
}

fn reason(stopped: &Stopped, paused: &Paused) -> String {
    let hit = paused.hit_breakpoints.as_ref();
    if stopped.is_exception() {
        format!("exception: {}", stopped.exception_message())
    } else if hit.is_some_and(|hit| !hit.is_empty()) {
        "breakpoint".to_owned()
    } else {
        "pause".to_owned()
    }
}

fn shown(frame: &Frame) -> StackFrame {
    let position = HumanPosition::from(frame.position);
    StackFrame {
        function: frame.function.clone(),
        location: Location {
            url: frame.url.clone(),
            line: position.line,
            column: position.column,
            generated: None,
            eval_origin: None,
            library: false,
        },
    }
}

/// The scopes of a frame, but for the global object's, innermost first, each with its number and where it is.
async fn read_scopes(
    protocol: &dyn Protocol,
    tab: &SessionId,
    frame: &Frame,
) -> Result<Vec<(usize, Scope, Option<Extent>)>, ProtocolError> {
    let wanted = frame
        .scopes
        .iter()
        .enumerate()
        .filter_map(|(number, scope)| Some((number, scope_kind(&scope.kind)?, scope)))
        .filter(|(_, kind, _)| *kind != ScopeKind::Global);
    let read = wanted.map(|(number, kind, told)| async move {
        let scope = scope(protocol, tab, kind, &told.object, frame).await?;
        Ok((number, scope, told.extent))
    });
    let read: Result<Vec<_>, ProtocolError> = join_all(read).await.into_iter().collect();
    let mut scopes = read?;
    scopes.retain(|(_, scope, _)| !scope.variables.is_empty() || scope.kind == ScopeKind::Local);
    Ok(scopes)
}

async fn scope(
    protocol: &dyn Protocol,
    tab: &SessionId,
    kind: ScopeKind,
    object: &str,
    frame: &Frame,
) -> Result<Scope, ProtocolError> {
    let own = cdp::runtime::GetProperties {
        own_properties: Some(true),
        generate_preview: Some(true),
        ..cdp::runtime::GetProperties::new(object)
    };
    let properties = protocol.call(Some(tab), &own);
    Ok(Scope {
        kind,
        function: (kind == ScopeKind::Local).then(|| frame.function.clone()),
        variables: variables(&properties.await?.result, |name| !is_ours(name)),
    })
}
