//! What is asked in one round: the chains as far as they are known, and what may come next.

use std::collections::{BTreeMap, BTreeSet};

use querypoint::graph::DependencyGraph;
use querypoint::query::{PropertyKey, Query, QueryKind, Target};

use super::{Asking, Chain, Link, Node, Round};
use crate::ask::{AskRequest, Reproduce};
use crate::origin::Followed;
use crate::sources::{Guess, Guesses};

/// How many guesses are asked in one round, of all chains.
const MOST_GUESSES: usize = 40;
/// How many of them, one after the other.
pub(super) const DEEPEST: usize = 14;

/// The queries of the next round: for each origin its chain, and what may come next.
pub(super) fn round(
    request: &AskRequest,
    chains: &[Chain],
    guesses: &Guesses,
    deepest: usize,
) -> Round {
    let mut names = Names::of(request);
    let (mut queries, mut origins, mut numbers) = (Vec::new(), BTreeMap::new(), Vec::new());
    let mut all_nodes: Vec<Vec<Node>> = Vec::new();
    for (number, (name, query)) in request.graph.queries().enumerate() {
        let Some(chain) = chains.iter().find(|chain| chain.query == number) else {
            numbers.push(queries.len());
            queries.push(format!("{name} = {}", query.kind));
            continue;
        };
        let mut nodes: Vec<Node> = Vec::new();
        let mut own = queries.len();
        let mut previous = String::new();
        for (index, link) in chain.links.iter().enumerate() {
            let called = match index == chain.named {
                true => name.to_string(),
                false => names.another(name.as_str()),
            };
            if index == chain.named {
                own = queries.len();
            }
            origins.insert(queries.len(), link.followed.clone());
            nodes.push(Node {
                link: link.clone(),
                parent: index.checked_sub(1),
                number: queries.len(),
            });
            queries.push(format!("{called} = {}", link.asked.text(&previous)));
            previous = called;
        }
        numbers.push(own);
        all_nodes.push(nodes);
    }
    // Behind what is asked, so that it takes no name that a person gave.
    let open = chains
        .iter()
        .filter(|chain| chain.end.is_none())
        .count()
        .max(1);
    for (chain, nodes) in chains.iter().zip(&mut all_nodes) {
        if chain.end.is_none() {
            let guessing = Guessing {
                guesses,
                most: MOST_GUESSES / open,
                deepest,
            };
            guessing.add(nodes, &mut names, &mut queries, &mut origins);
        }
    }
    let parsed = queries.iter().filter_map(|text| Query::parse(text).ok());
    let graph = DependencyGraph::new(parsed.collect());
    Round {
        request: AskRequest {
            // What does not fit into a graph was refused before: see `link_of`.
            graph: graph.unwrap_or_else(|_| request.graph.clone()),
            reproduce: Reproduce::Replay,
            ..request.clone()
        },
        origins,
        nodes: all_nodes,
        numbers,
    }
}

/// Names that nobody gave.
struct Names {
    taken: BTreeSet<String>,
    next: usize,
}

impl Names {
    fn of(request: &AskRequest) -> Self {
        let points = request.graph.points();
        Self {
            taken: points.map(|name| name.to_string()).collect(),
            next: 0,
        }
    }

    fn another(&mut self, name: &str) -> String {
        loop {
            let another = format!("{name}_{}", self.next);
            self.next += 1;
            if self.taken.insert(another.clone()) {
                return another;
            }
        }
    }
}

/// What is guessed of one chain.
struct Guessing<'g> {
    guesses: &'g Guesses,
    /// How many.
    most: usize,
    /// How many, one after the other.
    deepest: usize,
}

impl Guessing<'_> {
    /// Adds what may come behind the last link of a chain, and behind that.
    fn add(
        &self,
        nodes: &mut Vec<Node>,
        names: &mut Names,
        queries: &mut Vec<String>,
        origins: &mut BTreeMap<usize, Followed>,
    ) {
        let first = nodes.len();
        let Some(last) = first.checked_sub(1) else {
            return;
        };
        let mut level = vec![last];
        for _ in 0..self.deepest {
            let mut next_level = Vec::new();
            for &parent in &level {
                let Some(node) = nodes.get(parent) else {
                    continue;
                };
                let text = queries.get(node.number);
                let Some((previous, _)) = text.and_then(|text| text.split_once(" = ")) else {
                    continue;
                };
                let previous = previous.to_owned();
                for link in node.link.guesses(self.guesses) {
                    if nodes.len() >= first + self.most {
                        return;
                    }
                    next_level.push(nodes.len());
                    origins.insert(queries.len(), link.followed.clone());
                    let text = link.asked.text(&previous);
                    let called = names.another("guess");
                    nodes.push(Node {
                        link,
                        parent: Some(parent),
                        number: queries.len(),
                    });
                    queries.push(format!("{called} = {text}"));
                }
            }
            if next_level.is_empty() {
                return;
            }
            level = next_level;
        }
    }
}

impl Link {
    /// What may come next.
    fn guesses(&self, guesses: &Guesses) -> Vec<Self> {
        let next = match &self.asked {
            Asking::Return(function) if self.followed.way.is_empty() => guesses.of_return(function),
            Asking::Return(_) => vec![Guess::Reference(format!(".owner{}", self.followed.way))],
            Asking::First(_) | Asking::Change { .. } => {
                let Ok(query) = Query::parse(&self.asked.text("B")) else {
                    return Vec::new();
                };
                let QueryKind::LastChange(reference) = query.kind else {
                    return Vec::new();
                };
                match reference.target() {
                    Target::Variable { name } => guesses.of_write(&name, false),
                    Target::Property {
                        key: PropertyKey::Public(key) | PropertyKey::Private(key),
                        ..
                    } => guesses.of_write(&key, true),
                    Target::MapEntry { .. } => guesses.of_entry(),
                    _ => Vec::new(),
                }
            }
        };
        let links = next.into_iter().filter_map(|guess| {
            let (asked, way) = match guess {
                Guess::Reference(reference) => (
                    Asking::Change {
                        frame: 0,
                        reference,
                    },
                    None,
                ),
                Guess::OfCaller(reference) => (
                    Asking::Change {
                        frame: 1,
                        reference,
                    },
                    None,
                ),
                Guess::Return { function, way } => (Asking::Return(function), Some(way)),
            };
            Query::parse(&asked.text("B")).ok()?;
            Some(Self {
                asked,
                expected: None,
                followed: Followed {
                    way: way.unwrap_or_default(),
                    ..Followed::default()
                },
            })
        });
        links.collect()
    }
}
