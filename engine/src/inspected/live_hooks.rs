//! Live hooks in the tab that a person debugs: from one load on, its scripts leave with every value which line wrote it
//! last, and at any stop that is read, whoever made it, without anything being run again.
//!
//! Only the tab's main document has an agent, so only its scripts have hooks; workers and frames run as they are. The
//! document's policy against foreign scripts holds as before: where it names the digests of the document's own scripts,
//! those stay as they are. While the hooks are there, DevTools shows the scripts as they were written.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agent::{AgentConfig, agent_source};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future::join;
use futures::stream::{BoxStream, StreamExt};
use js_analysis::position::Utf16Position;
use querypoint::answer::{BlindSpot, ScopeKind, Variable};
use querypoint::plan::CollectionPlan;
use querypoint::point::ReproductionPoint;
use querypoint::session::stop::StopFrame;
use serde_json::{Value, json};

use super::InspectedTab;
use super::expanding::{PartInside, Parts};
use super::selecting::no_selection;
use crate::agent_message::LastWriterTold;
use crate::bodies::ReplacedBodies;
use crate::collection::{Collection, Instrument};
use crate::debugger::Extent;
use crate::intercept::{Interceptor, Reach};
use crate::last_writers::{InSight, NameInside, give, give_inside, is_whole, told};
use crate::prefix::{agent_url, unguessable_prefix};
use crate::sessions::Sessions;
use crate::sources::{Origin, Sources};
use crate::stopped::Frame;
use cdp::debugger::ScriptParsed;
use cdp::page::ScriptIdentifier;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, Clock, Command, Event, Protocol, ProtocolError, SessionId, Wanted,
};

/// The events of the tab that its hooks live on.
pub const EVENTS: [&str; 2] = [
    cdp::fetch::RequestPaused::METHOD,
    cdp::log::EntryAdded::METHOD,
];

/// So often the page is loaded once more by itself, because it has refused a script.
const MOST_RELOADS: u32 = 5;
/// Of so many realms it is known, the latest.
const MOST_REALMS: usize = 1000;
/// More of an address is not told.
const LONGEST_ADDRESS: usize = 300;

/// The hooks of one tab.
pub(super) struct LiveHooks {
    prefix: String,
    sources: Arc<Mutex<Sources>>,
    interceptor: Interceptor,
    /// What each document runs first.
    script: Mutex<Option<ScriptIdentifier>>,
    /// How often the page was loaded once more since it had refused a script.
    reloads: AtomicU32,
    /// The realms in which code ran that has no hooks, each with the first such code.
    unhooked: Mutex<BTreeMap<i64, BlindSpot>>,
}

/// What keeps the hooks of a tab going: scripts wait for it on their way in.
pub struct LiveRun {
    hooks: Arc<LiveHooks>,
    responses: BoxStream<'static, Event>,
    log: BoxStream<'static, Event>,
}

impl LiveRun {
    /// Rewrites scripts as they come, until the connection ends.
    pub async fn run(self) {
        let Self {
            hooks,
            responses,
            mut log,
        } = self;
        let refused = async {
            while let Some(event) = log.next().await {
                hooks.logged(&event).await;
            }
        };
        join(hooks.interceptor.run(responses), refused).await;
    }
}

/// So many entries of the browser's log wait at most while the page is loaded again.
const MOST_LOGGED: usize = 1000;

impl InspectedTab {
    /// Gives the tab live hooks, and loads its page again. What is returned has to run as long as they are there.
    /// `replaced` is told what scripts were before.
    ///
    /// # Errors
    /// If the tab does not let its responses be changed; then it is as it was.
    pub async fn hook(
        &self,
        clock: Arc<dyn Clock>,
        replaced: ReplacedBodies,
    ) -> Result<LiveRun, ProtocolError> {
        self.unhook(false).await?;
        let of = Some(&self.session);
        let protocol = self.protocol.clone();
        const RESPONSES: &[&str] = &[cdp::fetch::RequestPaused::METHOD];
        const LOG: &[&str] = &[cdp::log::EntryAdded::METHOD];
        let responses = protocol.events_of(Wanted::of(&self.session, RESPONSES));
        let log = Wanted::of(&self.session, LOG).at_most(MOST_LOGGED);
        let log = protocol.events_of(log);
        let tree = protocol.call(of, &cdp::page::GetFrameTree {}).await?;
        let frame = tree.frame_tree.frame;
        let prefix = unguessable_prefix(&frame.url, clock.now_ms());
        let hooks = LiveHooks::new(self, clock, replaced, prefix, frame.id.0);
        let hooks = Arc::new(hooks);
        *self.live.lock() = Some(hooks.clone());
        match hooks.install().await {
            Ok(()) => Ok(LiveRun {
                hooks,
                responses,
                log,
            }),
            Err(error) => {
                // What was not installed cannot be taken away.
                let _ = self.unhook(false).await;
                Err(error)
            }
        }
    }

    /// Takes the hooks away, if there are any; `reloads`: the page is loaded again, without them.
    ///
    /// # Errors
    /// If the tab does not answer.
    pub async fn unhook(&self, reloads: bool) -> Result<(), ProtocolError> {
        let hooks = self.live.lock().take();
        let Some(hooks) = hooks else {
            return Ok(());
        };
        hooks.take_away().await?;
        if reloads {
            hooks.reload().await?;
        }
        Ok(())
    }

    /// The hooks, while there are any.
    pub(super) fn hooks(&self) -> Option<Arc<LiveHooks>> {
        self.live.lock().clone()
    }
}

/// What has everything in a tab go on by itself that waits for a selection or for live hooks: commands with their
/// parameters, for when nobody is left who could end them.
#[must_use]
pub fn letting_go() -> Vec<(&'static str, Value)> {
    fn command<C: Command>(command: &C) -> (&'static str, Value) {
        // Commands have string keys and finite numbers only, so that this cannot fail.
        let params = serde_json::to_value(command).unwrap_or_default();
        (C::METHOD, params)
    }
    vec![
        command(&cdp::fetch::Disable {}),
        command(&cdp::network::SetCacheDisabled::new(false)),
        command(&no_selection()),
    ]
}

impl LiveHooks {
    fn new(
        tab: &InspectedTab,
        clock: Arc<dyn Clock>,
        replaced: ReplacedBodies,
        prefix: String,
        frame: String,
    ) -> Self {
        let plan = CollectionPlan::default();
        let collection = Arc::new(Collection::new(&plan, &prefix, Instrument::Live));
        let sources = Sources::new(collection, ReproductionPoint::End);
        let sources = Arc::new(Mutex::new(sources));
        Self {
            interceptor: Interceptor {
                protocol: tab.protocol.clone(),
                clock,
                sessions: Arc::new(Sessions::new(tab.session.clone(), "")),
                tab: tab.session.clone(),
                frame,
                sources: sources.clone(),
                seen: Mutex::default(),
                capture: false,
                is_for_person: true,
                documents: Mutex::default(),
                redirected: Mutex::default(),
                input_replay: None,
                reach: Reach::MainDocument(replaced),
            },
            prefix,
            sources,
            script: Mutex::default(),
            reloads: AtomicU32::new(0),
            unhooked: Mutex::default(),
        }
    }

    fn protocol(&self) -> &dyn Protocol {
        self.interceptor.protocol.as_ref()
    }

    fn session(&self) -> &SessionId {
        &self.interceptor.tab
    }

    async fn install(&self) -> Result<(), ProtocolError> {
        let (protocol, of) = (self.protocol(), Some(self.session()));
        let agent = agent(&self.prefix);
        let add = cdp::page::AddScriptToEvaluateOnNewDocument::new(agent);
        let added = protocol.call(of, &add).await?;
        *self.script.lock() = Some(added.identifier);
        let patterns = cdp::fetch::Enable {
            patterns: Some(Interceptor::patterns_of_document()),
            ..cdp::fetch::Enable::default()
        };
        protocol.call(of, &patterns).await?;
        // It tells of scripts whose digest is not the one that the page gives.
        protocol.call(of, &cdp::log::Enable {}).await?;
        // What is in the browser's memory already does not come in a response.
        let no_cache = cdp::network::SetCacheDisabled::new(true);
        protocol.call(of, &no_cache).await?;
        self.reload().await
    }

    async fn take_away(&self) -> Result<(), ProtocolError> {
        let (protocol, of) = (self.protocol(), Some(self.session()));
        protocol.call(of, &cdp::fetch::Disable {}).await?;
        let no_cache = cdp::network::SetCacheDisabled::new(false);
        protocol.call(of, &no_cache).await?;
        let script = self.script.lock().take();
        if let Some(identifier) = script {
            let remove = cdp::page::RemoveScriptToEvaluateOnNewDocument::new(identifier);
            protocol.call(of, &remove).await?;
        }
        Ok(())
    }

    async fn reload(&self) -> Result<(), ProtocolError> {
        let (protocol, of) = (self.protocol(), Some(self.session()));
        // A page that is paused would not end.
        match protocol.call(of, &cdp::debugger::Resume {}).await {
            Err(error) if error.is_fatal() => return Err(error),
            _ => {}
        }
        protocol.call(of, &cdp::page::Reload {}).await.map(drop)
    }

    /// A script that is refused for its digest stays as it is from now on, and the page is loaded once more.
    async fn logged(&self, event: &Event) {
        let Some(added) = event.read::<cdp::log::EntryAdded>() else {
            return;
        };
        let Some(url) = crate::intercept::refused_for_its_digest(&added.entry) else {
            return;
        };
        let is_new = self.sources.lock().leave_untouched(url);
        // A page can refuse another one each time.
        let may_reload = is_new && self.reloads.fetch_add(1, Ordering::Relaxed) < MOST_RELOADS;
        if may_reload && let Err(error) = self.reload().await {
            tracing::info!(%error, "a page with a script that it refused was not loaded again");
        }
    }

    /// The address of the agent, by which its frames are known.
    pub(super) fn is_agent(&self, url: &str) -> bool {
        url == agent_url(&self.prefix)
    }

    /// What names of ours begin with.
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The browser tells of a script. Code that the page made of a text, or that came in no response, has no hooks;
    /// while the page is paused, only debuggers make code.
    pub(super) fn met(&self, script: &ScriptParsed, is_paused: bool) {
        let aux = script.execution_context_aux_data.as_ref();
        let is_main_world = aux.is_some_and(|aux| aux.get("isDefault") == Some(&json!(true)));
        if is_paused || !is_main_world || !self.lacks_hooks(script) {
            return;
        }
        tracing::debug!(url = script.url, "a script runs without hooks");
        let spot = || match script.url.as_str() {
            "" => BlindSpot {
                url: "eval".to_owned(),
                reason: "the page made it of a text".to_owned(),
            },
            url => BlindSpot {
                url: url.chars().take(LONGEST_ADDRESS).collect(),
                reason: "it came in no response that could be rewritten".to_owned(),
            },
        };
        let mut unhooked = self.unhooked.lock();
        unhooked
            .entry(script.execution_context_id.0)
            .or_insert_with(spot);
        if unhooked.len() > MOST_REALMS {
            // The browser numbers them in turn: the oldest has gone.
            unhooked.pop_first();
        }
    }

    /// The first code in a realm that has not all its hooks; `None`: there is none.
    pub(super) fn first_unhooked(&self, context: i64) -> Option<BlindSpot> {
        let seen = self.interceptor.seen();
        if let Some(spot) = seen.blind_spots.first() {
            return Some(spot.clone());
        }
        self.unhooked.lock().get(&context).cloned()
    }

    fn lacks_hooks(&self, script: &ScriptParsed) -> bool {
        let url = script.url.as_str();
        if url.is_empty() {
            // What a debugger evaluates was called from nowhere.
            return script.stack_trace.is_some();
        }
        let is_of_browser = url.contains("-extension://") || url.starts_with("devtools:");
        if is_of_browser || url.starts_with("querypoint") || self.is_agent(url) {
            return false;
        }
        // Whether all of a response has hooks, whoever rewrites it knows.
        let begins = (script.start_line, script.start_column);
        self.sources.lock().origin(url, begins) != Origin::Response
    }

    /// Whether all that ran in a realm has hooks.
    fn is_whole(&self, context: i64) -> bool {
        is_whole(&self.interceptor.seen()) && !self.unhooked.lock().contains_key(&context)
    }

    /// What the shadows tell of what a frame sees; the number of each of its scopes is the scope's.
    pub(super) async fn in_frame(
        &self,
        frame: &Frame,
        context: i64,
    ) -> Result<Vec<LastWriterTold>, ProtocolError> {
        let asked = frame.scopes.iter().map(|scope| InSight::Scope {
            kind: &scope.kind,
            object: &scope.object,
        });
        let asked: Vec<InSight<'_>> = asked.collect();
        let whole = self.is_whole(context);
        told(self.protocol(), self.session(), &self.prefix, &asked, whole).await
    }

    /// Gives what is inside an object its last writers; `parts` says what each is.
    ///
    /// # Errors
    /// If the tab does not answer.
    pub(super) async fn of_inside(
        &self,
        object: &str,
        context: i64,
        parts: &Parts,
        inside: &mut [Variable],
    ) -> Result<(), ProtocolError> {
        let names: Vec<(usize, String)> = inside
            .iter()
            .map(|it| it.name.clone())
            .enumerate()
            .collect();
        let named = names
            .iter()
            .filter_map(|(number, name)| match &parts.of.get(*number)? {
                PartInside::Property => Some((*number, NameInside::Property(name))),
                PartInside::Attribute(name) => Some((*number, NameInside::Attribute(name))),
                PartInside::Entry(_) => None,
            });
        let (numbers, names): (Vec<usize>, Vec<NameInside<'_>>) = named.unzip();
        let list = parts.list.as_ref().map(|list| InSight::Entries {
            list: list.as_str(),
        });
        let properties = InSight::Properties { names, object };
        let asked: Vec<InSight<'_>> = list.into_iter().chain([properties]).collect();
        let whole = self.is_whole(context);
        let told = told(self.protocol(), self.session(), &self.prefix, &asked, whole).await?;
        // By their numbers in what was asked about; `asked` ends with the properties.
        let told = told.into_iter().filter_map(|mut it| {
            let index = it.index?;
            it.index = match it.scope + 1 == asked.len() {
                true => numbers.get(index).copied(),
                false => parts
                    .of
                    .iter()
                    .position(|part| *part == PartInside::Entry(index)),
            };
            it.index.is_some().then_some(it)
        });
        let told: Vec<LastWriterTold> = told.collect();
        give_inside(inside, &told, &self.sources.lock());
        Ok(())
    }

    /// Gives the variables of a scope their last writers.
    pub(super) fn give(&self, variables: &mut [Variable], scope: usize, all: &[LastWriterTold]) {
        give(variables, scope, all, &self.sources.lock());
    }

    /// A frame in a script with hooks, as its author wrote it; `None`: it is in another.
    pub(super) fn as_written(
        &self,
        frame: &StopFrame,
        running: Utf16Position,
        extents: &[Option<Extent>],
    ) -> Option<StopFrame> {
        let sources = self.sources.lock();
        let url = frame.frame.location.url.as_str();
        sources.text_of(url)?;
        let mut written = frame.clone();
        written.frame.location = sources.place(url, running).location;
        if let Some(name) = sources.function_at(url, running) {
            written.frame.function = name;
        }
        let extents = extents.iter().copied().chain(std::iter::repeat(None));
        for (scope, extent) in written.scopes.iter_mut().zip(extents) {
            if scope.kind == ScopeKind::Local {
                scope.function = Some(written.frame.function.clone());
            }
            sources.name_variables(url, running, scope, extent);
        }
        Some(written)
    }

    /// An expression with the names that run where a frame is; `None`: the frame is in another script.
    pub(super) fn running(
        &self,
        url: &str,
        running: Utf16Position,
        expression: &str,
    ) -> Option<Result<String, String>> {
        let sources = self.sources.lock();
        sources.text_of(url)?;
        let expressions = [expression.to_owned()];
        let watched = sources.watched(url, running, &expressions).pop()?;
        Some(watched.running.map(|it| it.text))
    }

    /// Whether a script of this address has hooks.
    pub(super) fn has(&self, url: &str) -> bool {
        self.sources.lock().text_of(url).is_some()
    }
}

/// The agent, in whose functions a person who steps does not stop: DevTools leaves out what a map calls ignored.
fn agent(prefix: &str) -> String {
    let config = AgentConfig {
        armed: true,
        shadows: true,
        hit: -1,
        ..AgentConfig::default()
    };
    let source = agent_source(prefix, &config);
    let url = agent_url(prefix);
    // Each line from its beginning, as it is.
    let mappings = format!("AAAA{}", ";AACA".repeat(source.matches('\n').count()));
    let map = json!({
        "version": 3,
        "sources": [url],
        "sourcesContent": [source],
        "names": [],
        "mappings": mappings,
        "ignoreList": [0],
    });
    let map = STANDARD.encode(map.to_string());
    format!(
        "{source}\n//# sourceURL={url}\n//# sourceMappingURL=data:application/json;base64,{map}\n"
    )
}
