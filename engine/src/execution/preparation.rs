//! What a session gets before the first script of its realm runs: the same in the tab as in a frame of another site, a
//! tab that was opened, or a worker, as far as each has it.

use cdp::debugger::SetBreakpointByUrl;
use cdp::fetch::RequestPattern;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Command, Encoded};
use std::sync::LazyLock;

use querypoint::point::ReproductionPoint;

use super::{Role, Setting, Task, agent_url};
use crate::intercept::{Interceptor, every_request};
use crate::logging::{Detail, TellsInside};
use crate::page::auto_attach;
use agent::{AgentConfig, AgentLog, agent_source};

/// The agent as it is put into a realm.
fn agent_text(prefix: &str, config: &AgentConfig) -> String {
    let source = agent_source(prefix, config);
    format!("{source}\n//# sourceURL={}\n", agent_url(prefix))
}

/// What there is behind a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetKind {
    /// Documents: a frame of another site or a tab, with the frames in it.
    Documents,
    /// A dedicated worker; what it asks for goes through the document that it belongs to.
    Worker,
    /// A worker that belongs to no document.
    SharedWorker,
    /// A worklet, which starts nothing.
    Worklet,
    /// Nothing that is hooked.
    Other,
}

impl TargetKind {
    /// The kind of a target, by the protocol's word for it.
    pub(super) fn of(word: &str) -> Self {
        match word {
            "iframe" | "page" => Self::Documents,
            "worker" => Self::Worker,
            "shared_worker" => Self::SharedWorker,
            "worklet" => Self::Worklet,
            _ => Self::Other,
        }
    }
}

/// The commands of one execution.
pub(super) struct Preparation {
    agent_of_documents: String,
    /// Put together when the first worker begins.
    agent_of_workers: LazyLock<String, Box<dyn FnOnce() -> String + Send>>,
    binding: String,
    /// Whether the browser counts how often each place runs.
    counts: bool,
    /// The binding for batches of the event log.
    log_binding: Option<String>,
    pause: &'static str,
    /// Breakpoints that keep functions from being optimised, so that at a stop nothing is optimised away.
    anchors: Vec<SetBreakpointByUrl>,
    /// What is intercepted.
    patterns: cdp::fetch::Enable,
}

impl Preparation {
    /// `requests`: the patterns of those that wait before they are sent.
    pub(super) fn new(setting: &Setting, task: &Task, requests: Vec<RequestPattern>) -> Self {
        let prefix = &setting.collection.prefix;
        let binding = format!("{prefix}B");
        let mut patterns = Interceptor::patterns();
        patterns.extend(requests);
        if setting.sources.lock().confined_to().is_some() {
            patterns.push(every_request());
        }
        let config = AgentConfig {
            post: Some(binding.clone()),
            ..agent_config(setting, task)
        };
        // Where a function is called again, the realm has its agent.
        let helper = setting.sources.lock().flip_helper();
        let agent_of_documents = match task.role {
            Role::Call => String::new(),
            Role::Page | Role::Standby => agent_text(prefix, &config) + &helper,
        };
        let prefix = prefix.clone();
        let agent_of_workers = LazyLock::new(Box::new(move || {
            let config = AgentConfig {
                post_each_task: true,
                ..config
            };
            agent_text(&prefix, &config) + &helper
        }) as Box<dyn FnOnce() -> String + Send>);
        let sources = setting.sources.lock();
        let anchors = sources.anchors(&task.sites, &task.native_functions);
        let anchors = anchors
            .iter()
            .map(|anchor| {
                let (line, column) = (anchor.position.line, anchor.position.column);
                let url = match &anchor.digest {
                    Some(_) => None,
                    None => Some(anchor.url.clone()),
                };
                SetBreakpointByUrl {
                    column_number: Some(i64::from(column)),
                    script_hash: anchor.digest.clone(),
                    url,
                    ..SetBreakpointByUrl::new(i64::from(line))
                }
            })
            .collect();
        Self {
            agent_of_documents,
            agent_of_workers,
            binding,
            counts: task.counts,
            log_binding: setting.recorder.as_ref().map(|it| it.binding.clone()),
            pause: at_exceptions(setting),
            anchors,
            patterns: cdp::fetch::Enable {
                patterns: Some(patterns),
                ..cdp::fetch::Enable::default()
            },
        }
    }

    /// What any realm needs.
    fn anywhere(&self) -> Vec<Encoded> {
        let mut commands = vec![
            cdp::debugger::Enable {}.encoded(),
            cdp::debugger::SetPauseOnExceptions::new(self.pause).encoded(),
            cdp::runtime::AddBinding::new(&self.binding).encoded(),
        ];
        if let Some(binding) = &self.log_binding {
            commands.push(cdp::runtime::AddBinding::new(binding).encoded());
        }
        commands
    }

    /// What documents need.
    pub(super) fn documents(&self) -> Vec<Encoded> {
        let mut commands = vec![
            cdp::network::SetCacheDisabled::new(true).encoded(),
            cdp::page::SetBypassCsp::new(true).encoded(),
            self.patterns.encoded(),
            cdp::log::Enable {}.encoded(),
        ];
        commands.extend(self.anywhere());
        if self.counts {
            commands.extend(super::counting::start());
        }
        let agent = &self.agent_of_documents;
        commands.push(cdp::page::AddScriptToEvaluateOnNewDocument::new(agent).encoded());
        commands
    }

    /// What a session gets that waits before its first script, up to the command by which it waits no longer. Where
    /// there are no documents, it pauses once more before its first script runs, for the agent can be put into it
    /// no earlier (Chromium 156 crashes if a waiting worker is asked to evaluate something).
    pub(super) fn waiting(&self, kind: TargetKind) -> Vec<Encoded> {
        let mut commands = vec![cdp::runtime::Enable {}.encoded()];
        match kind {
            TargetKind::Documents => {
                commands.push(cdp::page::Enable {}.encoded());
                commands.push(cdp::network::Enable::default().encoded());
                commands.extend(self.documents());
            }
            TargetKind::Worker | TargetKind::SharedWorker | TargetKind::Worklet => {
                commands.extend(self.anywhere())
            }
            TargetKind::Other => {}
        }
        if kind == TargetKind::SharedWorker {
            commands.push(self.patterns.encoded());
        }
        if kind != TargetKind::Worklet {
            commands.push(auto_attach(true).encoded());
        }
        commands
    }

    /// The breakpoints; where one cannot be set, state may be missing at that stop, and nothing else is lost.
    pub(super) fn unoptimised(&self) -> Vec<Encoded> {
        self.anchors.iter().map(Command::encoded).collect()
    }

    /// The agent of documents; that of workers has the same lines.
    pub(super) fn agent_of_documents(&self) -> &str {
        &self.agent_of_documents
    }

    /// What a worker evaluates before its first script.
    pub(super) fn agent_of_workers(&self) -> &str {
        &self.agent_of_workers
    }
}

/// At which exceptions the page is paused, as the protocol names it, where none is waited for.
pub(super) fn at_exceptions(setting: &Setting) -> &'static str {
    match setting.at {
        _ if setting.collection.counts_exceptions() => "all",
        ReproductionPoint::Exception { .. } => "uncaught",
        _ => "none",
    }
}

/// What the agent is to do in one execution.
pub(super) fn agent_config(setting: &Setting, task: &Task) -> AgentConfig {
    let mut config: AgentConfig = setting.collection.agent_config();
    config.stops = task.stops.iter().map(|stop| stop.number()).collect();
    config.stop_at_hit = task.stop_at_hit;
    config.read_ahead = task.read_ahead;
    config.capture = task.capture || task.live;
    if task.capture {
        config.found_owners.clone_from(&task.found_owners);
    }
    config.live = task.live;
    config.log = setting.recorder.as_ref().map(|recorder| AgentLog {
        binding: recorder.binding.clone(),
        switch_name: recorder.versions.as_ref().map(|it| it.switch.clone()),
        other_call: recorder.versions.as_ref().map_or(0, |it| it.call),
        tells_results: recorder.tells_inside != TellsInside::Nothing,
        tells_new: recorder.tells_inside == TellsInside::NewObjects,
        tells_page: recorder.watches_page,
        tells_document: recorder.watches_page && recorder.detail >= Detail::Values,
        longest_text: recorder.longest_text,
    });
    config.driven = task.role != Role::Call;
    config.rearmed = task.role == Role::Call;
    config.standby = task.role == Role::Standby;
    if config.standby {
        config.armed = false;
        config.slots.clear();
        config.roots.clear();
    }
    config.hit = match &setting.at {
        // In the document that counts, the hit is the one that was found there.
        ReproductionPoint::Location { hit, .. } => task
            .stop_at_hit
            .and_then(|hit| i64::try_from(hit).ok())
            .unwrap_or(if hit.0 < 0 { -1 } else { hit.0 }),
        _ => -1,
    };
    if let ReproductionPoint::Console { text } = &setting.at {
        config.console = Some(text.clone());
    }
    for slot in &mut config.slots {
        slot.exact.clone_from(&task.exact);
        slot.through.extend(task.parts.iter().cloned());
        slot.logged = slot.kind == "events" && slot.query.is_some() && slot.query == setting.logged;
    }
    config
}
