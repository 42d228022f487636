//! From a query of the plan to what the agent is asked and the rewriter hooks.

use js_analysis::rewrite::{Dependent, DependentRoot, WatchedName, WatchedTarget, private_key};
use querypoint::plan::{PlannedQuery, Sought, TracePlan};
use querypoint::query::{
    ElementKey, Event, Lookup, PropertyKey, Reference, ReferenceRoot, Segment, Target,
};
use serde_json::Value;

use super::{Collection, ConditionQuery, ExceptionQuery, TraceSlot};
use agent::{AgentKeyed, AgentLookup, AgentQuery, AgentSlot, AgentStep};

/// Names of the global object: a property asked of one of these may be written as a variable.
const GLOBAL_OBJECT_NAMES: [&str; 6] = ["window", "self", "globalThis", "frames", "top", "parent"];

impl Collection {
    pub(super) fn translate(&mut self, query: &PlannedQuery) -> (AgentQuery, Vec<usize>) {
        match &query.sought {
            Sought::Change(target) => self.translate_change(query, target),
            Sought::Condition => self.translate_condition(query),
            Sought::Exception => self.translate_exception(query),
            Sought::Trace(trace) => self.translate_trace(query, trace),
        }
    }

    fn translate_condition(&mut self, query: &PlannedQuery) -> (AgentQuery, Vec<usize>) {
        let slot = self.slot(WatchedTarget::Conditions(query.index));
        self.slots[slot].query = Some(query.index);
        let dependent = self.dependents.len();
        self.dependents.push(Dependent {
            root: DependentRoot::Condition(slot),
            is_variable: true,
        });
        self.conditions.push(ConditionQuery {
            query: query.index,
            slot,
            dependent,
            parent: query.parent,
        });
        let agent = AgentQuery {
            query: query.index,
            dependent,
            dependents: vec![dependent],
            needs_frame: true,
            condition: true,
            in_frames: true,
            root: "name",
            ..AgentQuery::default()
        };
        (agent, vec![slot])
    }

    fn translate_exception(&mut self, query: &PlannedQuery) -> (AgentQuery, Vec<usize>) {
        self.exceptions.push(ExceptionQuery {
            query: query.index,
            parent: query.parent,
        });
        let agent = AgentQuery {
            query: query.index,
            needs_frame: true,
            in_frames: true,
            root: "this",
            late: true,
            ..AgentQuery::default()
        };
        (agent, Vec::new())
    }

    fn translate_trace(
        &mut self,
        query: &PlannedQuery,
        trace: &TracePlan,
    ) -> (AgentQuery, Vec<usize>) {
        let slot = self.slot(WatchedTarget::Events(query.index));
        self.slots[slot].query = Some(query.index);
        let written = match &trace.event {
            Event::Write(PropertyKey::Public(name)) => Some(WatchedTarget::Property(name.clone())),
            Event::Write(PropertyKey::Private(name)) => Some(WatchedTarget::Property(private_key(
                name.trim_start_matches('#'),
            ))),
            Event::Assign(name) => Some(WatchedTarget::Variable(name.clone())),
            _ => None,
        };
        if let Some(target) = written {
            let written = self.slot(target);
            self.slots[written].traced.push(slot);
        }
        self.traces.push(TraceSlot {
            query: query.index,
            slot,
            event: trace.event.clone(),
        });
        let agent = AgentQuery {
            query: query.index,
            events: true,
            in_frames: true,
            slot,
            root: "this",
            ..AgentQuery::default()
        };
        (agent, Vec::new())
    }

    fn translate_change(
        &mut self,
        query: &PlannedQuery,
        target: &Target,
    ) -> (AgentQuery, Vec<usize>) {
        let mut dependents = Vec::new();
        let mut keyed = None;
        let (root, is_variable, path, key, slots) = match target {
            Target::Variable { name } => {
                // A global variable is a property of the global object as well.
                let slots = vec![
                    self.slot(WatchedTarget::Variable(name.clone())),
                    self.slot(WatchedTarget::Property(name.clone())),
                ];
                let root = DependentRoot::Name(name.clone());
                (root, true, Vec::new(), name.clone(), slots)
            }
            Target::Property { owner, key } => {
                let key = match key {
                    PropertyKey::Public(name) => name.clone(),
                    PropertyKey::Private(name) => private_key(name.trim_start_matches('#')),
                };
                let mut slots = vec![self.slot(WatchedTarget::Property(key.clone()))];
                if let Some(name) = last_name(owner) {
                    let through = &mut self.slots[slots[0]].through;
                    if !through.contains(&name) {
                        through.push(name);
                    }
                }
                if may_be_global_object(owner) {
                    slots.push(self.slot(WatchedTarget::Variable(key.clone())));
                }
                let path = self.path_of(owner, &mut dependents);
                (root_of(owner), false, path, key, slots)
            }
            Target::ComputedProperty { owner, variable } => {
                // Which property that is, an execution finds.
                let path = self.path_of(owner, &mut dependents);
                let key = ElementKey::Variable(variable.clone());
                keyed = Some(self.keyed("element", &key, &mut dependents));
                (root_of(owner), false, path, String::new(), Vec::new())
            }
            Target::MapEntry { owner, key } | Target::SetMember { owner, key } => {
                let kind = match target {
                    Target::MapEntry { .. } => "map",
                    _ => "set",
                };
                let path = self.path_of(owner, &mut dependents);
                let key = self.keyed(kind, key, &mut dependents);
                let slot = self.slot(WatchedTarget::Entries(kind));
                match key.key_dependent {
                    Some(_) => self.slots[slot].all_keys = true,
                    None => self.slots[slot].keys.push(key.literal.clone()),
                }
                keyed = Some(key);
                (root_of(owner), false, path, String::new(), vec![slot])
            }
            // The plan lets no other target through.
            _ => (
                DependentRoot::This,
                false,
                Vec::new(),
                String::new(),
                Vec::new(),
            ),
        };
        let dependent = self.dependents.len();
        let needs_no_frame = matches!(root, DependentRoot::EventObject | DependentRoot::Element);
        let needs_frame = !needs_no_frame || !dependents.is_empty();
        dependents.push(dependent);
        let agent = AgentQuery {
            query: query.index,
            dependent,
            dependents,
            keyed,
            needs_frame,
            root: match root {
                DependentRoot::This => "this",
                DependentRoot::EventObject => "event",
                DependentRoot::Element => "element",
                DependentRoot::Name(_) | DependentRoot::Condition(_) => "name",
            },
            lookup: lookup_of(target),
            variable: is_variable,
            condition: false,
            in_frames: false,
            events: false,
            slot: 0,
            path,
            key,
            late: query.frame != 0 && (needs_frame || root == DependentRoot::EventObject),
            asked_there: Vec::new(),
        };
        self.dependents.push(Dependent { root, is_variable });
        (agent, slots)
    }

    /// The steps from the root to the owner; keys in variables are added to the dependents, and to `own`.
    fn path_of(&mut self, owner: &Reference, own: &mut Vec<usize>) -> Vec<AgentStep> {
        let mut segments = owner.segments.as_slice();
        // `.owner` is the event's object itself.
        if owner.root == ReferenceRoot::EventObject
            && let Some((Segment::Property(name), rest)) = segments.split_first()
            && name == "owner"
        {
            segments = rest;
        }
        segments
            .iter()
            .map(|segment| match segment {
                Segment::Property(name) => AgentStep::Property(name.clone()),
                Segment::Private(name) => {
                    AgentStep::Property(private_key(name.trim_start_matches('#')))
                }
                Segment::Element(key) => match key.property_key() {
                    Some(PropertyKey::Public(name) | PropertyKey::Private(name)) => {
                        AgentStep::Property(name)
                    }
                    None => AgentStep::Keyed(self.keyed("element", key, own)),
                },
                Segment::MapEntry(key) => AgentStep::Keyed(self.keyed("map", key, own)),
                Segment::SetMember(key) => AgentStep::Keyed(self.keyed("set", key, own)),
                Segment::Within(lookup) => {
                    let (kind, literal) = match lookup {
                        Lookup::Selector(text) => ("selector", text.as_str().into()),
                        Lookup::Id(text) => ("id", text.as_str().into()),
                        Lookup::Nth(text, index) => ("all", serde_json::json!([text, index])),
                    };
                    AgentStep::Keyed(AgentKeyed {
                        kind,
                        literal,
                        key_dependent: None,
                    })
                }
            })
            .collect()
    }

    fn keyed(&mut self, kind: &'static str, key: &ElementKey, own: &mut Vec<usize>) -> AgentKeyed {
        let mut keyed = AgentKeyed {
            kind,
            literal: Value::Null,
            key_dependent: None,
        };
        match key {
            ElementKey::Number(number) => keyed.literal = (*number).into(),
            ElementKey::String(text) => keyed.literal = text.as_str().into(),
            ElementKey::Variable(name) => {
                let dependent = self.dependents.len();
                keyed.key_dependent = Some(dependent);
                own.push(dependent);
                self.dependents.push(Dependent {
                    root: DependentRoot::Name(name.clone()),
                    is_variable: false,
                });
            }
        }
        keyed
    }

    pub(super) fn slot(&mut self, target: WatchedTarget) -> usize {
        if let Some(known) = self
            .watch
            .iter()
            .position(|watched| watched.target == target)
        {
            return known;
        }
        let (kind, key) = match &target {
            WatchedTarget::Property(key) => ("property", key.clone()),
            WatchedTarget::Variable(name) => ("variable", name.clone()),
            WatchedTarget::Entries(kind) => (*kind, String::new()),
            WatchedTarget::Conditions(_) => ("condition", String::new()),
            WatchedTarget::Events(_) => ("events", String::new()),
        };
        self.watch.push(WatchedName {
            target,
            dependents: Vec::new(),
        });
        self.slots.push(AgentSlot {
            kind,
            key,
            ..AgentSlot::default()
        });
        self.slots.len() - 1
    }
}

fn root_of(owner: &Reference) -> DependentRoot {
    match &owner.root {
        ReferenceRoot::This => DependentRoot::This,
        ReferenceRoot::EventObject => DependentRoot::EventObject,
        ReferenceRoot::Element(_) => DependentRoot::Element,
        ReferenceRoot::Variable(name) => DependentRoot::Name(name.clone()),
    }
}

/// The element in which what is asked begins.
fn lookup_of(target: &Target) -> Option<AgentLookup> {
    let owner = match target {
        Target::Property { owner, .. }
        | Target::ComputedProperty { owner, .. }
        | Target::MapEntry { owner, .. }
        | Target::SetMember { owner, .. } => owner,
        Target::Variable { .. } | Target::Unchangeable => return None,
    };
    match &owner.root {
        ReferenceRoot::Element(lookup) => Some(agent_lookup(lookup)),
        ReferenceRoot::This | ReferenceRoot::Variable(_) | ReferenceRoot::EventObject => None,
    }
}

/// How an element is looked up, as the agent reads it.
pub(crate) fn agent_lookup(lookup: &Lookup) -> AgentLookup {
    let (by_id, text, index) = match lookup {
        Lookup::Selector(text) => (false, text, None),
        Lookup::Id(text) => (true, text, None),
        Lookup::Nth(text, index) => (false, text, Some(*index)),
    };
    AgentLookup {
        by_id,
        text: text.clone(),
        index,
    }
}

/// The name under which a reference gets to its owner.
fn last_name(owner: &Reference) -> Option<String> {
    match (owner.segments.last(), &owner.root) {
        (Some(Segment::Property(name)), _) => Some(name.clone()),
        (None, ReferenceRoot::Variable(name)) => Some(name.clone()),
        _ => None,
    }
}

fn may_be_global_object(owner: &Reference) -> bool {
    owner.segments.is_empty()
        && match &owner.root {
            ReferenceRoot::This => true,
            ReferenceRoot::Variable(name) => GLOBAL_OBJECT_NAMES.contains(&name.as_str()),
            ReferenceRoot::Element(_) | ReferenceRoot::EventObject => false,
        }
}
