//! What an execution is for.

use std::collections::BTreeMap;

use querypoint::plan::EventRange;
use querypoint::resolution::Sequence;

use super::realm_name::RealmName;
use crate::pausing::PauseAt;

/// How an execution comes about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// The page is run, and asked.
    #[default]
    Page,
    /// The page is run with dormant hooks; where the task has a hit to stop at, it is left paused there.
    Standby,
    /// The oldest function of a page that is paused is called again.
    Call,
}

/// What one execution is for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Task {
    /// How it comes about.
    pub(crate) role: Role,
    /// Sequence numbers of the events to stop at.
    pub(crate) stops: Vec<Sequence>,
    /// The hit of the reproduction point to stop at, in its document.
    pub(crate) stop_at_hit: Option<u64>,
    /// Owners that are followed exactly, by watched slot.
    pub(crate) exact: Vec<u64>,
    /// Whether the page also stops where it may be asked about, while it is found out what is.
    pub(crate) read_ahead: bool,
    /// Of what is captured inside the page: the owners whose changes were found before to be what is asked for.
    pub(crate) found_owners: Vec<u64>,
    /// Whether state is captured inside the page.
    pub(crate) capture: bool,
    /// Whether of each change only its cause is kept: the execution is the only one.
    pub(crate) live: bool,
    /// The sites of those events, and 0 for the reproduction point: kept from being optimised.
    pub(crate) sites: Vec<u32>,
    /// Whether all of them are known, so that what is not in a frame was not there.
    pub(crate) is_sure: bool,
    /// The built-ins that made some of those events: their callers are kept from being optimised.
    pub(crate) native_functions: Vec<String>,
    /// What of the platform is watched besides what the queries name: see `AgentSlot::through`.
    pub(crate) parts: Vec<String>,
    /// Which queries each of those events answers.
    pub(crate) answered: BTreeMap<Sequence, Vec<usize>>,
    /// The realm whose hit counts.
    pub(crate) realm: Option<RealmName>,
    /// The events of trace queries that are looked at one by one, by query.
    pub(crate) examined: BTreeMap<usize, EventRange>,
    /// The point at which the page is left paused for a person.
    pub(crate) pause: Option<PauseAt>,
    /// Whether the browser counts how often each place runs.
    pub(crate) counts: bool,
    /// Whether another execution is expected to come after it.
    pub(crate) is_followed: bool,
}
