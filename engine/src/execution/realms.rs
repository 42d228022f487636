//! The page's realms: its documents in this tab and in others, its frames of other sites, its workers and worklets.
//!
//! Each has an agent of its own, with counters of its own: a number of one says nothing in another. A realm that has a
//! session of its own waits there until it is prepared; in a worker, which cannot be prepared from outside, the agent
//! is evaluated while it is paused before its first script. An agent's first words say where it is; by them a realm of
//! one execution is known again in the next.
//!
//! [`Realms`] knows what there is. It gets each event by value and gives back what to do ([`RealmAction`]);
//! [`super::realm_control`] sends that.

use std::collections::{HashMap, HashSet};

use super::preparation::TargetKind;
use super::realm_name::RealmName;
use crate::document_id::DocumentId;
use crate::intercept::is_request;
use crate::page::ChildTarget;
use crate::report::Greeting;
use cdp::network::ResourceType;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, SessionId};

/// A realm of this execution.
#[derive(Clone, Debug)]
struct Realm {
    session: SessionId,
    context: i64,
    /// Of its document or worker.
    address: String,
    name: RealmName,
    /// Whether it is a document of the tab itself, which is asked on another way.
    of_tab: bool,
}

/// What an event says of realms.
#[derive(Clone, Debug)]
pub(super) enum RealmEvent {
    /// A target waits in a session of its own.
    Attached(AttachedRealm),
    /// A session is over.
    Detached(SessionId),
    /// A dialog is open, with this text in its field.
    Dialog {
        session: SessionId,
        prompt: Option<String>,
    },
    /// A script is asked for that belongs to no document: that of a worker.
    WorkerScript { url: String },
    /// What was asked for there is no script of a worker, or cannot be had.
    NoWorkerScript { url: String },
    /// A worklet has a context beside a document, in its session.
    WorkletContext { session: SessionId, context: i64 },
    /// A script was compiled.
    Compiled {
        session: SessionId,
        context: i64,
        url: String,
    },
    /// A frame has loaded, or does not.
    StoppedLoading { session: SessionId, frame: String },
}

/// A target that waits in a session of its own.
#[derive(Clone, Debug)]
pub(super) struct AttachedRealm {
    pub(super) session: SessionId,
    /// The session that reports it, and whether that is the one of the browser.
    pub(super) parent: Option<SessionId>,
    pub(super) of_browser: bool,
    pub(super) kind: TargetKind,
    pub(super) target: String,
    pub(super) url: String,
    /// Its browser context.
    pub(super) context: Option<String>,
}

/// What to do about an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RealmAction {
    /// A target is not the page's: it runs, and the session that `parent` has of it is over.
    Release {
        session: SessionId,
        parent: Option<SessionId>,
    },
    /// The session is the page's, and gets what its kind needs.
    Prepare {
        session: SessionId,
        kind: TargetKind,
    },
    /// The browser holds what workers ask for, from now on.
    HoldRequestsOfWorkers,
    /// The worker is to pause before its first script.
    PauseBeforeFirstScript(SessionId),
    /// What waits in the session waits no longer.
    Run(SessionId),
    /// The session's debugger is enabled: functions are kept from being optimised there.
    KeepUnoptimised(SessionId),
    /// A worker is over before it began.
    DropFirstScript(SessionId),
    /// Nobody is there to answer a dialog, unless the replay is just acting in that tab.
    AnswerDialog {
        session: SessionId,
        /// The tab, if it is known.
        target: Option<String>,
        prompt: Option<String>,
    },
}

/// The realms of one execution, as far as events have told.
#[derive(Debug)]
pub(super) struct Realms {
    tab: SessionId,
    target: String,
    /// The browser context that is the page's alone.
    context: String,
    kinds: HashMap<SessionId, TargetKind>,
    /// Workers without an agent.
    starting: HashSet<SessionId>,
    /// Sessions of documents whose debugger may not be enabled yet.
    unanchored: HashSet<SessionId>,
    /// By the number that an agent gave itself.
    realms: HashMap<DocumentId, Realm>,
    /// How many there were at each place.
    numbers: HashMap<String, usize>,
    /// The targets of documents that have sessions of their own.
    targets: HashMap<SessionId, String>,
    /// Documents that are being loaded in sessions of their own.
    loading: HashMap<SessionId, String>,
    /// Addresses of scripts that workers are to be made of.
    requested: HashSet<String>,
    /// Whether there was a worker, which may start others.
    workers: bool,
    /// The contexts of worklets that run beside a document, in its session, as those that paint do.
    painting: HashSet<(SessionId, i64)>,
}

impl RealmEvent {
    /// What an event says; `of_browser`: it is of the browser's own session. Of scripts there are many, and they say
    /// something only where the realms [wait for one](Realms::awaits_scripts).
    pub(super) fn read(event: &Event, of_browser: bool, realms: &Realms) -> Option<Self> {
        match event.method.as_str() {
            cdp::target::AttachedToTarget::METHOD => {
                let attached = event.read::<cdp::target::AttachedToTarget>()?;
                let info = attached.target_info;
                Some(Self::Attached(AttachedRealm {
                    session: attached.session_id,
                    parent: event.session.clone(),
                    of_browser,
                    kind: TargetKind::of(&info.r#type),
                    target: info.target_id.0,
                    url: info.url,
                    context: info.browser_context_id.map(|it| it.0),
                }))
            }
            cdp::target::DetachedFromTarget::METHOD => {
                let detached = event.read::<cdp::target::DetachedFromTarget>()?;
                Some(Self::Detached(detached.session_id))
            }
            cdp::page::JavascriptDialogOpening::METHOD => {
                let dialog = event.read::<cdp::page::JavascriptDialogOpening>();
                Some(Self::Dialog {
                    session: event.session.clone()?,
                    prompt: dialog.and_then(|dialog| dialog.default_prompt),
                })
            }
            // Only a worker's own script belongs to no document.
            cdp::network::RequestWillBeSent::METHOD => {
                let sent = event.read::<cdp::network::RequestWillBeSent>()?;
                let is_script = sent.r#type == Some(ResourceType::Script);
                let is_of_worker =
                    is_script && sent.loader_id.as_ref().is_none_or(|it| it.0.is_empty());
                is_of_worker.then_some(Self::WorkerScript {
                    url: sent.request.url,
                })
            }
            cdp::fetch::RequestPaused::METHOD => {
                let paused = event.read::<cdp::fetch::RequestPaused>()?;
                let status = paused.response_status_code;
                // Of a request nothing is known yet.
                let may_be = is_request(&paused) || status.is_some_and(|status| status < 400);
                let makes_worker = paused.resource_type == ResourceType::OtherKind && may_be;
                (!makes_worker).then_some(Self::NoWorkerScript {
                    url: paused.request.url,
                })
            }
            // A worker has no such context in a session that is not its own.
            cdp::runtime::ExecutionContextCreated::METHOD => {
                let created = event.read::<cdp::runtime::ExecutionContextCreated>()?;
                let about = created.context.aux_data?;
                (about.get("type") == Some(&"worker".into())).then_some(Self::WorkletContext {
                    session: event.session.clone()?,
                    context: created.context.id.0,
                })
            }
            cdp::debugger::ScriptParsed::METHOD => {
                let session = event.session.clone()?;
                if !realms.awaits_scripts(&session) {
                    return None;
                }
                let parsed = event.read::<cdp::debugger::ScriptParsed>()?;
                Some(Self::Compiled {
                    session,
                    context: parsed.execution_context_id.0,
                    url: parsed.url,
                })
            }
            cdp::page::FrameStoppedLoading::METHOD => {
                let stopped = event.read::<cdp::page::FrameStoppedLoading>()?;
                Some(Self::StoppedLoading {
                    session: event.session.clone()?,
                    frame: stopped.frame_id.0,
                })
            }
            _ => None,
        }
    }
}

impl Realms {
    /// Those of the tab `target`, whose session is `tab`, in a browser context that is the page's alone.
    pub(super) fn new(tab: SessionId, target: &str, context: &str) -> Self {
        Self {
            tab,
            target: target.to_owned(),
            context: context.to_owned(),
            kinds: HashMap::new(),
            starting: HashSet::new(),
            unanchored: HashSet::new(),
            realms: HashMap::new(),
            numbers: HashMap::new(),
            targets: HashMap::new(),
            loading: HashMap::new(),
            requested: HashSet::new(),
            workers: false,
            painting: HashSet::new(),
        }
    }

    /// Takes in an event of the browser or of one of the page's sessions. What to do about it, in order.
    pub(super) fn take(&mut self, event: RealmEvent) -> Vec<RealmAction> {
        match event {
            RealmEvent::Attached(attached) => return self.attach(attached),
            RealmEvent::Detached(session) => return self.detach(session),
            RealmEvent::Dialog { session, prompt } if session != self.tab => {
                let target = self.targets.get(&session).cloned();
                return vec![RealmAction::AnswerDialog {
                    session,
                    target,
                    prompt,
                }];
            }
            // The replay answers those of the tab.
            RealmEvent::Dialog { .. } => {}
            RealmEvent::WorkerScript { url } => {
                self.requested.insert(url);
            }
            RealmEvent::NoWorkerScript { url } => {
                self.requested.remove(&url);
            }
            RealmEvent::WorkletContext { session, context } => {
                self.painting.insert((session, context));
            }
            RealmEvent::Compiled {
                session,
                context,
                url,
            } => {
                let is_enabled = self.unanchored.remove(&session);
                // No worker was to be made of it.
                if self.painting.contains(&(session.clone(), context)) {
                    self.requested.remove(&url);
                }
                if is_enabled {
                    return vec![RealmAction::KeepUnoptimised(session)];
                }
            }
            RealmEvent::StoppedLoading { session, frame } => {
                if self.loading.get(&session) == Some(&frame) {
                    self.loading.remove(&session);
                }
            }
        }
        Vec::new()
    }

    fn attach(&mut self, attached: AttachedRealm) -> Vec<RealmAction> {
        let AttachedRealm {
            session,
            parent,
            of_browser,
            kind,
            target,
            url,
            context,
        } = attached;
        let is_other = context.as_deref() != Some(self.context.as_str());
        if of_browser && (is_other || target == self.target) {
            return vec![RealmAction::Release { session, parent }];
        }
        self.requested.remove(&url);
        self.kinds.insert(session.clone(), kind);
        let mut actions = Vec::new();
        if kind != TargetKind::Other {
            let session = session.clone();
            actions.push(RealmAction::Prepare { session, kind });
        }
        match kind {
            TargetKind::Documents => {
                self.loading.insert(session.clone(), target.clone());
                self.targets.insert(session.clone(), target);
                self.unanchored.insert(session.clone());
            }
            TargetKind::Worker | TargetKind::SharedWorker | TargetKind::Worklet => {
                if kind != TargetKind::Worklet && !self.workers {
                    self.workers = true;
                    actions.push(RealmAction::HoldRequestsOfWorkers);
                }
                self.starting.insert(session.clone());
                actions.push(RealmAction::PauseBeforeFirstScript(session.clone()));
            }
            TargetKind::Other => {}
        }
        actions.push(RealmAction::Run(session));
        actions
    }

    fn detach(&mut self, session: SessionId) -> Vec<RealmAction> {
        self.loading.remove(&session);
        self.unanchored.remove(&session);
        self.realms
            .retain(|_, realm| realm.session != session || realm.of_tab);
        match self.starting.remove(&session) {
            true => vec![RealmAction::DropFirstScript(session)],
            false => Vec::new(),
        }
    }

    /// A session is paused before a script: whether it is a worker that has no agent yet. From here on it has one.
    pub(super) fn begin_worker(&mut self, session: &SessionId) -> bool {
        self.starting.remove(session)
    }

    /// Whether the next script that is compiled in a session says something.
    fn awaits_scripts(&self, session: &SessionId) -> bool {
        !self.painting.is_empty() || self.unanchored.contains(session)
    }

    /// An agent has said where it is.
    pub(super) fn greeted(
        &mut self,
        session: &SessionId,
        context: cdp::runtime::ExecutionContextId,
        greeting: &Greeting,
    ) {
        let of_tab = *session == self.tab && greeting.realm.top;
        let word = match self.kinds.get(session) {
            None => "page",
            Some(TargetKind::Documents) if greeting.realm.top => "tab",
            Some(TargetKind::Documents) => "frame",
            Some(_) => "worker",
        };
        // Of the tab there is one document after another, wherever it goes.
        let place = if of_tab {
            word.to_owned()
        } else {
            format!("{word} {}", place_of(&greeting.realm.url))
        };
        let count = self.numbers.entry(place.clone()).or_default();
        let number = *count;
        *count += 1;
        let realm = Realm {
            session: session.clone(),
            context: context.0,
            address: greeting.realm.url.clone(),
            name: RealmName { place, number },
            of_tab,
        };
        self.realms.insert(greeting.document, realm);
    }

    /// The name of the realm whose agent gave itself that number.
    pub(super) fn name(&self, document: DocumentId) -> Option<RealmName> {
        self.realms.get(&document).map(|realm| realm.name.clone())
    }

    /// The address of the realm that is this context of a session.
    pub(super) fn address(&self, session: &SessionId, context: i64) -> Option<String> {
        let is_it = |realm: &&Realm| realm.session == *session && realm.context == context;
        let realm = self.realms.values().find(is_it)?;
        Some(realm.address.clone())
    }

    /// Whether there are realms beside the documents of the tab.
    pub(super) fn are_many(&self) -> bool {
        self.are_starting() || self.realms.values().any(|realm| !realm.of_tab)
    }

    /// Whether one is about to begin.
    pub(super) fn are_starting(&self) -> bool {
        // A worklet that paints has threads that share one stop: all but one of them run on without a pause.
        let is_awaited = |session: &SessionId| {
            self.painting.is_empty() || self.kinds.get(session) != Some(&TargetKind::Worklet)
        };
        self.starting.iter().any(is_awaited)
            || !self.loading.is_empty()
            || !self.requested.is_empty()
    }

    /// The realms beside the documents of the tab that have an agent: session and context of each.
    pub(super) fn beside_the_tab(&self) -> Vec<(SessionId, i64)> {
        let realms = self.realms.values().filter(|realm| !realm.of_tab);
        realms
            .map(|realm| (realm.session.clone(), realm.context))
            .collect()
    }

    /// Why the scripts of a target are not hooked, if they are not.
    pub(super) fn why_unhooked(&self, child: &ChildTarget) -> Option<&'static str> {
        let kind = match &child.session {
            Some(session) => self.kinds.get(session).copied(),
            // A tab that was opened is reported with another session.
            None => Some(TargetKind::Documents),
        };
        match (kind, child.kind.as_str()) {
            (Some(TargetKind::Other) | None, "service_worker") => Some(
                "it is a service worker: neither it nor the scripts that it answers with are hooked",
            ),
            (Some(TargetKind::Other) | None, _) => {
                Some("it runs in another target, where nothing is hooked")
            }
            _ => None,
        }
    }
}

/// What stays of an address from one execution to the next.
fn place_of(url: &str) -> &str {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    // The rest is made up anew each time.
    ["blob:", "data:"]
        .into_iter()
        .find(|scheme| url.starts_with(scheme))
        .unwrap_or(url)
}

#[cfg(test)]
mod tests;
