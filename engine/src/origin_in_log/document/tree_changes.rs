//! The calls and writes that change which nodes are in which: see `tree`.

use event_log::model::Key;
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, Form, Root, Step};

use super::texts::Source;
use super::tree::{Change, Changes, Child, FIRST_OWN, List, Node, OF_PAGE, Tree, is_way};
use crate::origin_in_log::iterables::COMPUTED;
use crate::origin_in_log::writes::{TEXTS, Target, Write};
use crate::origin_in_log::{InLog, Spot};

/// More changes are not looked through: then nothing is said.
const MOST_CHANGES: usize = 100_000;
/// Methods that put nodes into the one that they are called on, or beside it, or take nodes away.
const CHANGING: [&str; 33] = [
    "append",
    "prepend",
    "replaceChildren",
    "before",
    "after",
    "replaceWith",
    "appendChild",
    "insertBefore",
    "replaceChild",
    "removeChild",
    "remove",
    "insertRow",
    "insertCell",
    "deleteRow",
    "deleteCell",
    "createTBody",
    "createTHead",
    "createTFoot",
    "createCaption",
    "insertAdjacentElement",
    "insertAdjacentText",
    "insertAdjacentHTML",
    "add",
    "moveBefore",
    "insertNode",
    "normalize",
    "splitText",
    "extractContents",
    "deleteContents",
    "surroundContents",
    "setHTML",
    "setHTMLUnsafe",
    "deleteFromDocument",
];
/// Of these an object that is no node has methods, too: where what they are called on is not known, it is none.
const OF_OTHERS: [&str; 8] = [
    "append",
    "prepend",
    "before",
    "after",
    "remove",
    "add",
    "normalize",
    "replaceWith",
];

/// The tree while its changes are learnt.
struct Making {
    tree: Tree,
    changes: Vec<(u32, Change)>,
    /// The number of the next node that the log does not have.
    own: u32,
}

impl InLog<'_> {
    /// All changes of the tree, by the calls and writes that made them.
    pub(super) fn all_changes(&self) -> Changes {
        let mut events: Vec<(u32, Option<Write>)> = Vec::new();
        for method in CHANGING.iter().chain(&[COMPUTED]) {
            events.extend(
                self.calls_of_method(method)
                    .iter()
                    .map(|event| (*event, None)),
            );
        }
        for key in TEXTS.iter().chain(&["outerHTML", "outerText"]) {
            let key = Key::Property((*key).to_owned());
            let writes = self.of_any(&key, None).into_values().flatten();
            events.extend(writes.map(|write| (write.event, Some(write))));
        }
        events.sort_by_key(|(event, _)| *event);
        events.dedup_by_key(|(event, _)| *event);
        let mut making = Making {
            tree: Tree::default(),
            changes: Vec::new(),
            own: FIRST_OWN + OF_PAGE.len() as u32,
        };
        if events.len() > MOST_CHANGES {
            making.changes.push((0, Change::All));
        } else {
            for (event, write) in events {
                match write {
                    Some(write) => self.learn_of_text(&write, &mut making),
                    None => self.learn_of_change(event, &mut making),
                }
            }
        }
        Changes(making.changes)
    }

    fn made(&self, event: u32, change: Change, making: &mut Making) {
        let change = (event, change);
        self.change(&mut making.tree, &change);
        making.changes.push(change);
    }

    /// A text, or markup, was written to a node.
    fn learn_of_text(&self, write: &Write, making: &mut Making) {
        let Target::Key { object, key, .. } = write.target else {
            return;
        };
        let node = (write.stream, object);
        if !self.is_element(write.stream, object) {
            return;
        }
        let key = match self.model.keys.get(key as usize) {
            Some(Key::Property(key)) => key.as_str(),
            _ => "",
        };
        let is_empty = self
            .text_of(write.stream, write.value)
            .is_some_and(|text| text.is_empty());
        let list = match key {
            "textContent" if !is_empty => List {
                children: vec![Child::Text(Source::Write(*write))],
                is_open: false,
            },
            "textContent" | "innerHTML" | "innerText" => List {
                children: Vec::new(),
                is_open: !is_empty,
            },
            // It is replaced by others.
            "outerHTML" | "outerText" => {
                if let Some(around) = making.tree.around.get(&node).copied() {
                    let list = List {
                        children: Vec::new(),
                        is_open: true,
                    };
                    self.made(write.event, Change::Set((node.0, around), list), making);
                }
                return;
            }
            _ => return,
        };
        self.made(write.event, Change::Set(node, list), making);
    }

    /// A call put nodes somewhere, or took them away.
    fn learn_of_change(&self, event: u32, making: &mut Making) {
        let Some((spot, call)) = self.call_text(event) else {
            return;
        };
        let site = self.event(event).map(|event| event.site);
        let came = site.and_then(|site| self.came_back_at(site, event));
        let by_name = came
            .as_ref()
            .and_then(|came| self.as_method_call(spot, &call, &came.calls));
        let call = by_name.as_ref().unwrap_or(&call);
        let method = call.method.as_deref().unwrap_or_default();
        if !CHANGING.contains(&method) || came.is_some_and(|came| came.is_skipped()) {
            return;
        }
        let stream = spot.moment.stream;
        let given = self.model.library_arguments_of(event).unwrap_or_default();
        let gives_nodes = given
            .iter()
            .any(|it| it.object().is_some_and(|it| self.is_node(stream, it.0)));
        let Some(node) = self.receiver_now(spot, call, making) else {
            if gives_nodes || !OF_OTHERS.contains(&method) {
                self.made(event, Change::All, making);
            }
            return;
        };
        if node < FIRST_OWN && !self.is_node(stream, node) {
            // The list of a select box, the classes of an element, a range.
            if gives_nodes
                || matches!(method, "insertNode" | "deleteFromDocument")
                || method.ends_with("Contents")
            {
                self.made(event, Change::All, making);
            }
            return;
        }
        let node = (stream, node);
        let has_spread = call.arguments.iter().any(|it| it.is_spread);
        let around = making
            .tree
            .around
            .get(&node)
            .copied()
            .map(|around| (stream, around));
        let argument = |index: usize| given.get(index).copied();
        let length = |making: &Making, of: Node| self.list_of(&making.tree, of).children.len();
        let place = |making: &Making, of: Node, node: u32| {
            let list = self.list_of(&making.tree, of);
            list.children.iter().position(|it| *it == Child::Node(node))
        };
        match method {
            _ if has_spread => self.made(event, Change::All, making),
            "appendChild" | "append" => {
                let at = length(making, node);
                self.put_nodes(event, (node, at), 0..given.len().max(1), making);
            }
            "add" if self.class_of(stream, node.1) == "HTMLSelectElement" && given.len() == 1 => {
                let at = length(making, node);
                self.put_nodes(event, (node, at), 0..1, making);
            }
            "prepend" => self.put_nodes(event, (node, 0), 0..given.len(), making),
            "replaceChildren" => {
                self.made(event, Change::Set(node, List::default()), making);
                self.put_nodes(event, (node, 0), 0..given.len(), making);
            }
            "insertBefore" | "moveBefore" => {
                let before = argument(1).and_then(Seen::object);
                if let Some(moved) = argument(0).and_then(Seen::object) {
                    self.detach(event, (stream, moved.0), making);
                }
                let at = match before {
                    Some(before) => place(making, node, before.0),
                    None => Some(length(making, node)),
                };
                match at {
                    Some(at) => self.put_nodes(event, (node, at), 0..1, making),
                    None => self.opened_list(event, node, making),
                }
            }
            "replaceChild" => {
                let old = argument(1).and_then(Seen::object);
                match old.and_then(|old| Some((old.0, place(making, node, old.0)?))) {
                    Some((old, at)) => {
                        self.made(event, Change::Remove((stream, old)), making);
                        self.put_nodes(event, (node, at), 0..1, making);
                    }
                    None => self.opened_list(event, node, making),
                }
            }
            "removeChild" => match argument(0).and_then(Seen::object) {
                Some(child) => self.detach(event, (stream, child.0), making),
                None => self.opened_list(event, node, making),
            },
            "remove" if given.is_empty() => self.detach(event, node, making),
            "before" | "after" | "replaceWith" => {
                let at = around.and_then(|around| Some((around, place(making, around, node.1)?)));
                let Some((around, at)) = at else {
                    if gives_nodes {
                        self.made(event, Change::All, making);
                    }
                    return;
                };
                let at = match method {
                    "before" => at,
                    "after" => at + 1,
                    _ => {
                        self.detach(event, node, making);
                        at
                    }
                };
                self.put_nodes(event, (around, at), 0..given.len(), making);
            }
            "insertRow" | "insertCell" => self.learn_of_row(event, node, argument(0), making),
            "createTBody" => {
                if let Some(made) = self.event(event).and_then(|it| it.value.object()) {
                    let at = length(making, node);
                    self.made(event, Change::Insert(node, at, Child::Node(made.0)), making);
                }
            }
            _ => match around {
                _ if matches!(method, "remove" | "add") => {}
                Some(around) if method.starts_with("insertAdjacent") => {
                    self.opened_list(event, node, making);
                    self.opened_list(event, around, making);
                }
                _ => self.made(event, Change::All, making),
            },
        }
    }

    /// `table.insertRow()`, `row.insertCell()`: what it gave is the last one there, or that of this number.
    fn learn_of_row(&self, event: u32, node: Node, index: Option<Seen>, making: &mut Making) {
        let Some(made) = self.event(event).and_then(|it| it.value.object()) else {
            return;
        };
        let mut into = node;
        if self.class_of(node.0, node.1) == "HTMLTableElement" {
            let children = self.list_of(&making.tree, node).into_owned().children;
            let sections = children.iter().rev().find_map(|child| match child {
                Child::Node(own) if *own >= FIRST_OWN => Some(*own),
                Child::Node(own) if self.class_of(node.0, *own) == "HTMLTableSectionElement" => {
                    Some(*own)
                }
                _ => None,
            });
            let section = sections.unwrap_or_else(|| {
                let own = making.own;
                making.own += 1;
                let at = children.len();
                self.made(event, Change::Insert(node, at, Child::Node(own)), making);
                own
            });
            into = (node.0, section);
        }
        let length = self.list_of(&making.tree, into).children.len();
        let at = match index {
            None | Some(Seen::Undefined) => Some(length),
            Some(Seen::Number(number)) if number == -1.0 || number == length as f64 => Some(length),
            Some(Seen::Number(number)) if number == 0.0 && into == node => Some(0),
            _ => None,
        };
        match at {
            Some(at) => self.made(event, Change::Insert(into, at, Child::Node(made.0)), making),
            None => self.opened_list(event, into, making),
        }
    }

    /// It is no longer known what is in a node.
    fn opened_list(&self, event: u32, node: Node, making: &mut Making) {
        let list = List {
            is_open: true,
            ..self.list_of(&making.tree, node).into_owned()
        };
        self.made(
            event,
            Change::Set(
                node,
                List {
                    children: Vec::new(),
                    ..list
                },
            ),
            making,
        );
    }

    fn detach(&self, event: u32, node: Node, making: &mut Making) {
        self.made(event, Change::Remove(node), making);
    }

    /// The arguments of a call are put into a node, from a place on.
    fn put_nodes(
        &self,
        event: u32,
        (node, at): (Node, usize),
        numbers: std::ops::Range<usize>,
        making: &mut Making,
    ) {
        let (stream, _) = node;
        let mut at = at;
        for number in numbers {
            let Some(given) = self.given_at(event, number) else {
                return self.made(event, Change::All, making);
            };
            let own = given
                .object()
                .filter(|own| self.is_node(stream, own.0))
                .map(|own| own.0);
            let children = match own {
                Some(own) if self.class_of(stream, own) == "DocumentFragment" => {
                    let inside = self.list_of(&making.tree, (stream, own)).into_owned();
                    self.made(event, Change::Set((stream, own), List::default()), making);
                    if inside.is_open {
                        return self.opened_list(event, node, making);
                    }
                    inside.children
                }
                Some(own) => {
                    let before = self.list_of(&making.tree, node);
                    let is_before = before
                        .children
                        .iter()
                        .take(at)
                        .any(|it| *it == Child::Node(own));
                    self.detach(event, (stream, own), making);
                    at -= usize::from(is_before);
                    vec![Child::Node(own)]
                }
                None => vec![Child::Text(Source::Argument { event, number })],
            };
            for child in children {
                self.made(event, Change::Insert(node, at, child), making);
                at += 1;
            }
        }
    }

    /// The node that a method is called on, as the tree is now.
    fn receiver_now(&self, spot: Spot, call: &Call, making: &Making) -> Option<u32> {
        let receiver = call.receiver.as_ref()?;
        let stream = spot.moment.stream;
        if let Some(object) = self.evaluated(spot, receiver, 0).and_then(Seen::object) {
            return Some(object.0);
        }
        if let Form::Reference(reference) = &receiver.form
            && matches!(&reference.root, Root::Variable { name, is_declared: false, .. } if name == "document")
            && let [Step::Property(name)] = reference.steps.as_slice()
            && let Some(own) = OF_PAGE.iter().position(|own| own == name)
        {
            return FIRST_OWN.checked_add(u32::try_from(own).ok()?);
        }
        let (base, ways): (Option<Seen>, &[Step]) = match &receiver.form {
            Form::Reference(reference) => {
                let is_through = |step: &&Step| match step {
                    Step::Index(_) | Step::Computed { .. } => true,
                    Step::Property(name) => is_way(name),
                    _ => false,
                };
                let ways = reference.steps.iter().rev().take_while(is_through);
                let first = reference.steps.len() - ways.count();
                let ways = reference.steps.get(first..).unwrap_or_default();
                (self.reference_value(spot, reference, first), ways)
            }
            Form::Part { of, steps } => (self.evaluated(spot, of, 0), steps),
            _ => return None,
        };
        let mut now = base?.object()?.0;
        let keys: Vec<String> = ways
            .iter()
            .map(|step| match self.step_key(spot, step)? {
                Key::Property(key) => Some(key),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let mut taken = 0;
        while taken < keys.len() {
            let (next, steps) = self.step_from(&making.tree, (stream, now), keys.get(taken..)?)?;
            let Child::Node(next) = next else { return None };
            (now, taken) = (next, taken + steps);
        }
        Some(now)
    }
}
