//! How the nodes of the log are in each other: by the calls that put one into another, and by the ways in which the
//! page went from one to another (`firstChild`, a tree walker).

use std::collections::{BTreeMap, HashMap, HashSet};

use event_log::model::{Key, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{Form, LoggedPlace, PathStep, Reference, Step, Value, Written};

use super::built_ins::{PUTTING, Puts, puts};
use crate::origin_in_log::{InLog, Spot};

/// Properties of a node that give a node below it.
pub(super) const DOWN: [&str; 9] = [
    "firstChild",
    "lastChild",
    "firstElementChild",
    "lastElementChild",
    "childNodes",
    "children",
    "content",
    "body",
    "documentElement",
];
/// Properties of a node that give one beside it.
const BESIDE: [&str; 4] = [
    "nextSibling",
    "previousSibling",
    "nextElementSibling",
    "previousElementSibling",
];
/// Properties of a node that give the one around it.
const UP: [&str; 2] = ["parentNode", "parentElement"];

/// How the nodes of the log are in each other.
#[derive(Debug, Default)]
pub(in crate::origin_in_log) struct Nodes {
    /// By node: the calls that put something into it.
    pub(super) put_into: HashMap<(u16, u32), Vec<u32>>,
    /// By node: those that the page found in it, and the call that put one there, if it is known.
    pub(super) below: HashMap<(u16, u32), BTreeMap<u32, Option<u32>>>,
    /// The nodes that the page found by way of others.
    pub(super) found: HashSet<(u16, u32)>,
    /// By the fragment that is the content of a template: the template.
    pub(super) templates: HashMap<(u16, u32), u32>,
}

impl InLog<'_> {
    /// How the nodes of the log are in each other.
    pub(super) fn nodes(&self) -> &Nodes {
        self.nodes.get_or_init(|| {
            let mut nodes = Nodes::default();
            for method in PUTTING {
                for &event in self.calls_of_method(method) {
                    self.learn_of_call(event, &mut nodes);
                }
            }
            for event in self.calls_of_method("nextNode") {
                self.learn_of_walker(*event, &mut nodes);
            }
            let mut known = HashSet::new();
            for write in &self.model.writes {
                let value = self.model.written(write);
                self.learn_of_write((write.stream, write.event), value, &mut known, &mut nodes);
                if self.is_node(write.stream, write.object) {
                    self.learn_of_owner((write.stream, write.event), write.object, &mut nodes);
                }
            }
            for write in self.model.variables.values().flatten() {
                if write.argument == NONE {
                    let value = self.model.assigned(write);
                    self.learn_of_write((write.stream, write.event), value, &mut known, &mut nodes);
                }
            }
            nodes
        })
    }

    /// A call that puts something into the document: into what, and how that was found.
    fn learn_of_call(&self, event: u32, nodes: &mut Nodes) {
        let Some((spot, call)) = self.call_text(event) else {
            return;
        };
        let Some(receiver) = &call.receiver else {
            return;
        };
        let stream = spot.moment.stream;
        let Some(object) = self.node_of(spot, receiver) else {
            // `start.parentNode.insertBefore(node, end)`: the node is beside the other.
            let beside = || match up(receiver)? {
                (of, true) => Some(self.evaluated(spot, &of, 0)?.object()?.0),
                _ => None,
            };
            if let Some(beside) = beside() {
                self.learn_beside(event, (stream, beside), nodes);
            }
            return;
        };
        self.learn_of_expression(spot, receiver, object, nodes);
        match call.method.as_deref().and_then(puts) {
            Some(Puts::Beside) => self.learn_beside(event, (stream, object), nodes),
            _ => nodes
                .put_into
                .entry((stream, object))
                .or_default()
                .push(event),
        }
    }

    /// A call put nodes beside this one: whoever finds the one in a node finds the others there.
    fn learn_beside(&self, event: u32, (stream, beside): (u16, u32), nodes: &mut Nodes) {
        let given = self.model.library_arguments_of(event).unwrap_or_default();
        for node in given.iter().filter_map(|value| value.object()) {
            if node.0 != beside && self.is_node(stream, node.0) {
                nodes
                    .below
                    .entry((stream, beside))
                    .or_default()
                    .insert(node.0, Some(event));
            }
        }
    }

    /// `walker.nextNode()` gave a node below the one where the walker was.
    fn learn_of_walker(&self, event: u32, nodes: &mut Nodes) {
        let Some((spot, call)) = self.call_text(event) else {
            return;
        };
        let stream = spot.moment.stream;
        let found = self.event(event).and_then(|event| event.value.object());
        let walker = call
            .receiver
            .as_ref()
            .and_then(|it| self.evaluated(spot, it, 0)?.object());
        let (Some(found), Some(walker)) = (found, walker) else {
            return;
        };
        let key = Key::Property("currentNode".to_owned());
        let set = self.property(stream, walker.0, &key, event);
        let root = match set {
            Some(set) => set.value.object(),
            None => self
                .first_given_by(stream, walker.0)
                .filter(|(_, _, call)| call.method.as_deref() == Some("createTreeWalker"))
                .and_then(|(event, _, _)| self.given_at(event, 0)?.object()),
        };
        if let Some(root) = root {
            nodes
                .below
                .entry((stream, root.0))
                .or_default()
                .insert(found.0, None);
            nodes.found.insert((stream, found.0));
        }
    }

    /// A variable or property has a node that the page found by way of another.
    fn learn_of_write(
        &self,
        (stream, event): (u16, u32),
        value: Seen,
        known: &mut HashSet<(u16, u32)>,
        nodes: &mut Nodes,
    ) {
        let Some(node) = value.object().filter(|node| self.is_node(stream, node.0)) else {
            return;
        };
        if !known.insert((stream, node.0)) {
            return;
        }
        let Some(site) = self.event(event).map(|event| event.site) else {
            return;
        };
        let Some((script, LoggedPlace::Written { written, .. })) = self.place(site) else {
            return;
        };
        let Written::Value { value, path } = written else {
            return;
        };
        let steps = path.into_iter().map(|step| match step {
            PathStep::Into(step) => Some(step),
            _ => None,
        });
        let Some(steps) = steps.collect::<Option<Vec<Step>>>() else {
            return;
        };
        if let Form::Reference(mut reference) = value.form
            && let Some(moment) = self.moment(event)
        {
            reference.steps.extend(steps);
            self.learn_of_reference(Spot { script, moment }, &reference, node.0, nodes);
        }
    }

    /// `list.firstChild.data = text`
    fn learn_of_owner(&self, (_, event): (u16, u32), node: u32, nodes: &mut Nodes) {
        let Some(site) = self.event(event).map(|event| event.site) else {
            return;
        };
        if let Some((
            script,
            LoggedPlace::Written {
                owner: Some(owner), ..
            },
        )) = self.place(site)
            && let Some(moment) = self.moment(event)
        {
            self.learn_of_expression(Spot { script, moment }, &owner, node, nodes);
        }
    }

    /// An expression gave a node: where it was found.
    fn learn_of_expression(&self, spot: Spot, value: &Value, node: u32, nodes: &mut Nodes) {
        if let Form::Reference(reference) = &value.form {
            self.learn_of_reference(spot, reference, node, nodes);
        }
    }

    fn learn_of_reference(&self, spot: Spot, reference: &Reference, node: u32, nodes: &mut Nodes) {
        let stream = spot.moment.stream;
        let first = reference.steps.len() - steps_through_nodes(reference);
        let ways = reference.steps.get(first..).unwrap_or_default();
        let base = self.reference_value(spot, reference, first);
        let Some(base) = base.and_then(Seen::object).filter(|_| !ways.is_empty()) else {
            return;
        };
        nodes.found.insert((stream, node));
        let is_up =
            |step: &Step| matches!(step, Step::Property(name) if UP.contains(&name.as_str()));
        if ways.iter().all(is_up) {
            nodes
                .below
                .entry((stream, node))
                .or_default()
                .insert(base.0, None);
        } else if !ways.iter().any(is_up) && base.0 != node {
            if matches!(ways, [Step::Property(only)] if only == "content") {
                nodes.templates.insert((stream, node), base.0);
            }
            // Beside it, it is found with the other.
            nodes
                .below
                .entry((stream, base.0))
                .or_default()
                .insert(node, None);
        }
    }

    /// The node that an expression gives.
    fn node_of(&self, spot: Spot, value: &Value) -> Option<u32> {
        let object = self.evaluated(spot, value, 0)?.object()?;
        Some(object.0)
    }

    /// Whether an object is a node of a document.
    pub(super) fn is_node(&self, stream: u16, object: u32) -> bool {
        let class = self.class_of(stream, object);
        matches!(
            class,
            "Text" | "Comment" | "DocumentFragment" | "ShadowRoot"
        ) || class.ends_with("Element")
    }
}

/// How many steps at the end of a reference lead through nodes.
pub(super) fn steps_through_nodes(reference: &Reference) -> usize {
    let is_through = |step: &&Step| match step {
        Step::Index(_) | Step::Computed { .. } => true,
        Step::Property(name) => {
            let name = name.as_str();
            DOWN.contains(&name) || BESIDE.contains(&name) || UP.contains(&name)
        }
        _ => false,
    };
    reference.steps.iter().rev().take_while(is_through).count()
}

/// `start.parentNode` of a reference: what it is the parent of, and whether it is.
fn up(value: &Value) -> Option<(Value, bool)> {
    let Form::Reference(reference) = &value.form else {
        return None;
    };
    let (last, before) = reference.steps.split_last()?;
    let is_up = matches!(last, Step::Property(name) if UP.contains(&name.as_str()));
    let of = Reference {
        root: reference.root.clone(),
        steps: before.to_vec(),
    };
    let value = Value {
        form: Form::Reference(of),
        ..value.clone()
    };
    Some((value, is_up))
}
