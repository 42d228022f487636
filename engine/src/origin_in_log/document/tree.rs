//! Which nodes were in which at a moment: what `list.lastChild`, `table.rows[1].cells[0]` and `item.parentNode` give.
//!
//! The log has no reads. It has each call that put nodes somewhere or took them away, so the nodes below one that a
//! script made are known, in their order. What markup made is not: below such a node nothing is said. A call at an
//! object that the log does not know may have changed any node, so behind it nothing is said of those before it.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::collections::HashMap;

use event_log::model::Key;
use js_analysis::origin::CallKind;

use super::built_ins::makes_an_empty_node;
use super::texts::{Search, Source, Text};
use crate::origin_in_log::{InLog, Spot};

/// From here on come the numbers of nodes that the log does not have: those that every page has, and the body that a
/// table gets with its first row.
pub(super) const FIRST_OWN: u32 = 1 << 31;
pub(super) const OF_PAGE: [&str; 3] = ["documentElement", "head", "body"];
/// What is in a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Child {
    Node(u32),
    /// A text that no script has a node of.
    Text(Source),
}

/// What is in a node, in its order.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    pub(super) children: Vec<Child>,
    /// Whether others may be before, behind or between them.
    pub(super) is_open: bool,
}

pub(super) type Node = (u16, u32);

/// One change of the tree.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Remove(Node),
    Insert(Node, usize, Child),
    Set(Node, List),
    /// Anything may have changed.
    All,
}

/// The changes of the document's nodes, in their order.
#[derive(Debug, Default)]
pub(super) struct Changes(pub(super) Vec<(u32, Change)>);

/// How the nodes are in each other at a moment.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// How many changes were made.
    made: usize,
    lists: HashMap<Node, List>,
    pub(super) around: HashMap<Node, u32>,
    /// Of nodes that were made before this event nothing is known but what was put into them since.
    unknown_before: u32,
}

/// How the nodes of the document change.
#[derive(Debug, Default)]
pub(in crate::origin_in_log) struct Changing {
    changes: OnceCell<Changes>,
    /// How they were at the moment that was looked at last.
    tree: RefCell<Tree>,
    /// Whether that is being learnt or looked at: nothing else may then.
    is_read: Cell<bool>,
}

/// Where steps through nodes lead to.
pub(in crate::origin_in_log) enum Reached {
    /// A node that the log knows.
    Node(u32),
    /// A text in a node, which a script put there.
    Text(Source),
}

impl InLog<'_> {
    /// What some steps behind a node lead to, and how many of them lead through nodes; `None`: none does, or the log
    /// does not say what is there.
    pub(in crate::origin_in_log) fn through_nodes<K: Iterator<Item = Key>>(
        &self,
        spot: Spot,
        node: u32,
        first: &Key,
        keys: impl FnOnce() -> K,
    ) -> Option<(Reached, usize)> {
        let stream = spot.moment.stream;
        let is_through = matches!(first, Key::Property(key) if is_way(key));
        if !is_through || self.changing.is_read.get() || !self.is_node(stream, node) {
            return None;
        }
        let keys: Vec<String> = keys()
            .map_while(|key| match key {
                Key::Property(key) => Some(key),
                _ => None,
            })
            .collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        self.changing.is_read.set(true);
        let reached = self.reached((stream, node), &keys, spot.moment.at);
        self.changing.is_read.set(false);
        reached
    }

    fn reached(&self, (stream, node): Node, keys: &[&str], at: u32) -> Option<(Reached, usize)> {
        let tree = self.brought_to(at)?;
        let mut now = Child::Node(node);
        let mut taken = 0;
        while let Child::Node(own) = now
            && let Some((next, steps)) =
                self.step_from(&tree, (stream, own), keys.get(taken..).unwrap_or_default())
        {
            (now, taken) = (next, taken + steps);
        }
        let reached = match now {
            Child::Text(source) => Reached::Text(source),
            Child::Node(own) if own >= FIRST_OWN => return None,
            Child::Node(own) => Reached::Node(own),
        };
        (taken > 0).then_some((reached, taken))
    }

    /// The tree as it was just before an event.
    fn brought_to(&self, at: u32) -> Option<RefMut<'_, Tree>> {
        let changes = self.changing.changes.get_or_init(|| self.all_changes());
        let mut tree = self.changing.tree.borrow_mut();
        if changes
            .0
            .get(..tree.made)?
            .last()
            .is_some_and(|(last, _)| *last >= at)
        {
            *tree = Tree::default();
        }
        while let Some(change) = changes.0.get(tree.made)
            && change.0 < at
        {
            self.change(&mut tree, change);
            tree.made += 1;
        }
        Some(tree)
    }

    /// The texts of a node, where the log has all that is in it.
    pub(super) fn texts_below(&self, spot: Spot, node: u32) -> Option<Vec<Text>> {
        if self.changing.is_read.replace(true) {
            return None;
        }
        let mut texts = Vec::new();
        let node = (spot.moment.stream, node);
        let is_whole = self.brought_to(spot.moment.at).and_then(|tree| {
            let mut search = Search::new(spot.moment.stream);
            self.add_texts(&tree, (node, spot.moment.at), &mut search)?;
            texts = search.found;
            (!search.is_open).then_some(())
        });
        self.changing.is_read.set(false);
        is_whole.map(|()| texts)
    }

    fn add_texts(&self, tree: &Tree, (node, at): (Node, u32), search: &mut Search) -> Option<()> {
        let list = self.list_of(tree, node);
        if list.is_open {
            return None;
        }
        for &child in &list.children {
            match child {
                Child::Text(source) => {
                    let given = match source {
                        Source::Write(write) => write.value,
                        Source::Argument { event, number } => self.given_at(event, number)?,
                    };
                    search.found.push(Text {
                        source,
                        text: self.text_of(node.0, given),
                        through: Vec::new(),
                    });
                }
                Child::Node(own) if own >= FIRST_OWN || self.is_element(node.0, own) => {
                    self.add_texts(tree, ((node.0, own), at), search)?;
                }
                Child::Node(own) => self.texts_of(own, at, &[], search),
            }
        }
        Some(())
    }

    /// What one step, or a list and an index, leads to.
    pub(super) fn step_from(
        &self,
        tree: &Tree,
        (stream, node): Node,
        keys: &[&str],
    ) -> Option<(Child, usize)> {
        let (first, rest) = keys.split_first()?;
        let list = |node: u32| self.list_of(tree, (stream, node));
        let is_element = |child: &Child| match child {
            Child::Node(node) => self.is_element_or_own(stream, *node),
            Child::Text(_) => false,
        };
        let whole = |list: Cow<'_, List>| (!list.is_open).then(|| list.into_owned().children);
        let elements = |node: u32| -> Option<Vec<Child>> {
            let mut children = whole(list(node))?;
            children.retain(is_element);
            Some(children)
        };
        let around = || tree.around.get(&(stream, node)).copied();
        let beside = |children: Vec<Child>, by: isize| {
            let own = children.iter().position(|it| *it == Child::Node(node))?;
            children.get(own.checked_add_signed(by)?).copied()
        };
        let index = || rest.first()?.parse::<usize>().ok();
        let found = match *first {
            "firstChild" => whole(list(node))?.first().copied(),
            "lastChild" => whole(list(node))?.last().copied(),
            "firstElementChild" => elements(node)?.first().copied(),
            "lastElementChild" => elements(node)?.last().copied(),
            "nextSibling" => beside(whole(list(around()?))?, 1),
            "previousSibling" => beside(whole(list(around()?))?, -1),
            "nextElementSibling" => beside(elements(around()?)?, 1),
            "previousElementSibling" => beside(elements(around()?)?, -1),
            "parentNode" | "parentElement" => around().map(Child::Node),
            "childNodes" => return Some((*whole(list(node))?.get(index()?)?, 2)),
            "children" => return Some((*elements(node)?.get(index()?)?, 2)),
            "rows" | "cells" | "tBodies" | "options" => {
                let class = match *first {
                    "rows" => "HTMLTableRowElement",
                    "cells" => "HTMLTableCellElement",
                    "tBodies" => "HTMLTableSectionElement",
                    _ => "HTMLOptionElement",
                };
                let mut all = Vec::new();
                self.of_class(tree, (stream, node), class, &mut all)?;
                return Some((*all.get(index()?)?, 2));
            }
            _ => None,
        };
        Some((found?, 1))
    }

    /// The nodes of a class that are in another one, or in one of its sections.
    fn of_class(
        &self,
        tree: &Tree,
        (stream, node): Node,
        class: &str,
        all: &mut Vec<Child>,
    ) -> Option<()> {
        let list = self.list_of(tree, (stream, node));
        if list.is_open {
            return None;
        }
        for &child in &list.children {
            let Child::Node(own) = child else { continue };
            let own_class = match own >= FIRST_OWN {
                true => "HTMLTableSectionElement",
                false => self.class_of(stream, own),
            };
            if own_class == class {
                all.push(child);
            } else if matches!(own_class, "HTMLTableSectionElement" | "HTMLOptGroupElement") {
                self.of_class(tree, (stream, own), class, all)?;
            }
        }
        Some(())
    }

    fn is_element_or_own(&self, stream: u16, node: u32) -> bool {
        node >= FIRST_OWN || self.is_element(stream, node)
    }

    pub(super) fn list_of<'t>(&self, tree: &'t Tree, node: Node) -> Cow<'t, List> {
        match tree.lists.get(&node) {
            Some(list) => Cow::Borrowed(list),
            None => Cow::Owned(self.first_list(node, tree.unknown_before)),
        }
    }

    fn list_to_change<'t>(&self, tree: &'t mut Tree, node: Node) -> &'t mut List {
        let unknown_before = tree.unknown_before;
        let list = tree.lists.entry(node);
        list.or_insert_with(|| self.first_list(node, unknown_before))
    }

    /// What is in a node when it is made.
    fn first_list(&self, (stream, node): Node, unknown_before: u32) -> List {
        let open = List {
            children: Vec::new(),
            is_open: true,
        };
        if node >= FIRST_OWN {
            let is_open = (node - FIRST_OWN) < OF_PAGE.len() as u32;
            return List {
                is_open,
                ..List::default()
            };
        }
        let Some((event, _, call)) = self.first_given_by(stream, node) else {
            return open;
        };
        if event < unknown_before {
            return open;
        }
        let is_new = call.kind == CallKind::New;
        match (
            call.method.as_deref().unwrap_or_default(),
            call.global.as_deref(),
        ) {
            (method, _) if makes_an_empty_node(method) => List::default(),
            (_, Some("DocumentFragment")) if is_new => List::default(),
            (_, Some("Option")) if is_new => List {
                children: vec![Child::Text(Source::Argument { event, number: 0 })],
                is_open: call.arguments.is_empty() || call.arguments.iter().any(|it| it.is_spread),
            },
            _ => open,
        }
    }

    pub(super) fn change(&self, tree: &mut Tree, (event, change): &(u32, Change)) {
        match change {
            Change::Remove(node) => {
                if let Some(around) = tree.around.remove(node) {
                    let list = self.list_to_change(tree, (node.0, around));
                    list.children.retain(|it| *it != Child::Node(node.1));
                }
            }
            Change::Insert(into, index, child) => {
                let list = self.list_to_change(tree, *into);
                let index = (*index).min(list.children.len());
                list.children.insert(index, *child);
                if let Child::Node(node) = child {
                    tree.around.insert((into.0, *node), into.1);
                }
            }
            Change::Set(node, list) => {
                for child in self.list_of(tree, *node).into_owned().children {
                    if let Child::Node(below) = child {
                        tree.around.remove(&(node.0, below));
                    }
                }
                tree.lists.insert(*node, list.clone());
            }
            Change::All => {
                tree.lists.clear();
                tree.around.clear();
                tree.unknown_before = *event;
            }
        }
    }
}

/// Whether a property of a node leads to another one.
pub(super) fn is_way(key: &str) -> bool {
    matches!(
        key,
        "firstChild"
            | "lastChild"
            | "firstElementChild"
            | "lastElementChild"
            | "nextSibling"
            | "previousSibling"
            | "nextElementSibling"
            | "previousElementSibling"
            | "parentNode"
            | "parentElement"
            | "childNodes"
            | "children"
            | "rows"
            | "cells"
            | "tBodies"
            | "options"
    )
}
