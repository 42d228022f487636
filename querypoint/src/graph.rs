//! The dependency graph: which query is asked at which point.
//!
//! Invariants of a graph that was made: names are unique, none is `R`, every point that a query uses is `R`
//! or a query before it. So the graph is a tree of parents with `R` at its root, in the order of the queries.

use crate::caret;
use crate::nearest::nearest;
use crate::query::{GlobalReference, PointName, Query};

/// Queries in order, each with a name and a parent.
#[derive(Clone, Debug)]
pub struct DependencyGraph {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    name: PointName,
    query: Query,
    parent: Parent,
}

/// The point at which a query is asked. `R` comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parent {
    /// At `R`.
    ReproductionPoint,
    /// At the point that the query with this index (from 0) finds.
    Query(usize),
}

/// Where in which query something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPlace {
    /// Index of the query, from 0.
    pub query: usize,
    /// Its text, as it was typed.
    pub text: String,
    /// Byte offset into the text.
    pub offset: usize,
}

/// Queries that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.render())]
pub enum GraphError {
    /// A query is called `R`.
    ReservedName {
        /// Where.
        place: QueryPlace,
    },
    /// Two queries have one name.
    DuplicateName {
        /// The second of them.
        place: QueryPlace,
        /// The name.
        name: PointName,
        /// Index of the first of them.
        first: usize,
    },
    /// No query has that name.
    UnknownPoint {
        /// Where it is used.
        place: QueryPlace,
        /// The name.
        name: PointName,
        /// The points that could be used there, in order.
        known: Vec<PointName>,
    },
    /// The query with that name is not before the one that uses it.
    LaterPoint {
        /// Where it is used.
        place: QueryPlace,
        /// The name.
        name: PointName,
        /// Index of the query that has the name.
        defined: usize,
    },
}

impl GraphError {
    /// The query, a caret under the place with what is wrong beside it, and what to do.
    #[must_use]
    pub fn render(&self) -> String {
        let (place, message, help) = match self {
            Self::ReservedName { place } => (
                place,
                "expected another name; \"R\" is the reproduction point".to_owned(),
                "call it by any other name, for example B".to_owned(),
            ),
            Self::DuplicateName { place, name, first } => (
                place,
                format!(
                    "expected another name; query {} is \"{name}\" already",
                    first + 1
                ),
                "give each query a name of its own, or none".to_owned(),
            ),
            Self::UnknownPoint { place, name, known } => {
                let nearest = nearest(name.as_str(), known.iter().map(PointName::as_str));
                let names: Vec<&str> = known.iter().map(PointName::as_str).collect();
                let meant =
                    nearest.map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
                (
                    place,
                    format!("expected a point; none is called \"{name}\""),
                    format!("{meant}the points known here are {}", names.join(", ")),
                )
            }
            Self::LaterPoint {
                place,
                name,
                defined,
            } if *defined == place.query => (
                place,
                format!("expected a point before this query; \"{name}\" is the query itself"),
                "ask at R, or at the point of a query before this one".to_owned(),
            ),
            Self::LaterPoint {
                place,
                name,
                defined,
            } => (
                place,
                format!(
                    "expected a point before this query; \"{name}\" is query {}",
                    defined + 1
                ),
                format!("give the query called \"{name}\" before this one"),
            ),
        };
        caret::render(&place.text, place.offset, &message, Some(&help))
    }
}

impl DependencyGraph {
    /// Puts the queries in order. The first one without a name is `Q1`, the next `Q2`, …; names that were
    /// given to other queries are passed over.
    ///
    /// # Errors
    /// [`GraphError`] with the place, for names and points that do not fit together.
    pub fn new(queries: Vec<Query>) -> Result<Self, GraphError> {
        let names = names(&queries)?;
        let mut nodes = Vec::with_capacity(queries.len());
        for (index, query) in queries.into_iter().enumerate() {
            for (point, offset) in &query.places.points {
                check_point(&names, index, &query, point, *offset)?;
            }
            let parent = query
                .points()
                .filter_map(|point| names.iter().position(|name| name == point))
                .max()
                .map_or(Parent::ReproductionPoint, Parent::Query);
            nodes.push(Node {
                name: names[index].clone(),
                query,
                parent,
            });
        }
        Ok(Self { nodes })
    }

    /// How many queries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The names of all points, `R` first, then the queries in order.
    pub fn points(&self) -> impl Iterator<Item = PointName> + '_ {
        std::iter::once(PointName::reproduction_point())
            .chain(self.nodes.iter().map(|node| node.name.clone()))
    }

    /// The queries in order, each with its name.
    pub fn queries(&self) -> impl Iterator<Item = (&PointName, &Query)> {
        self.nodes.iter().map(|node| (&node.name, &node.query))
    }

    /// The point at which a query is asked; the latest, where it uses several. `None`: no such query.
    #[must_use]
    pub fn parent(&self, index: usize) -> Option<Parent> {
        self.nodes.get(index).map(|node| node.parent)
    }

    /// The origin whose value a query follows, and the operands at which it goes on, from 1: those of
    /// `origin(D:operand(1))` where `D = origin(C:operand(2))` are 2 and 1, of `C`. `None`: it follows no origin.
    #[must_use]
    pub fn followed(&self, index: usize) -> Option<(usize, &GlobalReference, Vec<u32>)> {
        let mut numbers = Vec::new();
        let mut index = index;
        loop {
            let query = &self.nodes.get(index)?.query;
            let Some(operand) = query.operand() else {
                numbers.reverse();
                return Some((index, query.origin()?, numbers));
            };
            numbers.push(operand.number);
            // Each is before the one that names it, so this ends.
            index = self
                .nodes
                .iter()
                .position(|node| node.name == operand.origin)?;
        }
    }

    /// The indices of the queries asked at a point, in order.
    #[must_use]
    pub fn children(&self, parent: Parent) -> Vec<usize> {
        let asked_there = |(index, node): (usize, &Node)| (node.parent == parent).then_some(index);
        self.nodes
            .iter()
            .enumerate()
            .filter_map(asked_there)
            .collect()
    }
}

/// The name of every query, given or automatic.
fn names(queries: &[Query]) -> Result<Vec<PointName>, GraphError> {
    let mut given: Vec<(usize, &PointName)> = Vec::new();
    for (index, query) in queries.iter().enumerate() {
        let Some(name) = &query.name else { continue };
        let place = || QueryPlace {
            query: index,
            text: query.text.clone(),
            offset: query.places.name,
        };
        if name.is_reproduction_point() {
            return Err(GraphError::ReservedName { place: place() });
        }
        if let Some((first, _)) = given.iter().find(|(_, other)| *other == name) {
            return Err(GraphError::DuplicateName {
                place: place(),
                name: name.clone(),
                first: *first,
            });
        }
        given.push((index, name));
    }
    let mut automatic = (1..)
        .map(PointName::automatic)
        .filter(|name| !given.iter().any(|(_, other)| *other == name));
    Ok(queries
        .iter()
        .filter_map(|query| query.name.clone().or_else(|| automatic.next()))
        .collect())
}

fn check_point(
    names: &[PointName],
    index: usize,
    query: &Query,
    point: &PointName,
    offset: usize,
) -> Result<(), GraphError> {
    if point.is_reproduction_point() {
        return Ok(());
    }
    let place = QueryPlace {
        query: index,
        text: query.text.clone(),
        offset,
    };
    match names.iter().position(|name| name == point) {
        Some(defined) if defined < index => Ok(()),
        Some(defined) => Err(GraphError::LaterPoint {
            place,
            name: point.clone(),
            defined,
        }),
        None => {
            let known = std::iter::once(PointName::reproduction_point())
                .chain(names[..index].iter().cloned())
                .collect();
            Err(GraphError::UnknownPoint {
                place,
                name: point.clone(),
                known,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(texts: &[&str]) -> Result<DependencyGraph, GraphError> {
        DependencyGraph::new(
            texts
                .iter()
                .map(|text| Query::parse(text).unwrap())
                .collect(),
        )
    }

    fn rendered(texts: &[&str]) -> String {
        graph(texts).unwrap_err().render()
    }

    #[test]
    fn a_chain_with_a_branch() {
        let graph = graph(&[
            "B = lastChange(cart.total)",
            "lastChange(B:price)",
            "lastChange(B(-1):this.count)",
            "C = lastChange(Q1:x)",
            "trace(write(.x), after(B), sameness(.owner, Q2:this))",
        ])
        .unwrap();
        let points: Vec<String> = graph.points().map(|point| point.to_string()).collect();
        assert_eq!(points, ["R", "B", "Q1", "Q2", "C", "Q3"]);
        assert_eq!(graph.parent(0), Some(Parent::ReproductionPoint));
        assert_eq!(graph.parent(1), Some(Parent::Query(0)));
        assert_eq!(graph.parent(3), Some(Parent::Query(1)));
        assert_eq!(graph.parent(4), Some(Parent::Query(2)));
        assert_eq!(graph.parent(5), None);
        assert_eq!(graph.children(Parent::ReproductionPoint), [0]);
        assert_eq!(graph.children(Parent::Query(0)), [1, 2]);
        assert_eq!(graph.children(Parent::Query(3)), [0; 0]);
    }

    #[test]
    fn automatic_names_pass_over_given_ones() {
        let graph = graph(&["lastChange(a)", "Q1 = lastChange(b)", "lastChange(c)"]).unwrap();
        let points: Vec<String> = graph.points().map(|point| point.to_string()).collect();
        assert_eq!(points, ["R", "Q2", "Q1", "Q3"]);
    }

    #[test]
    fn names_that_are_taken() {
        insta::assert_snapshot!(rendered(&[" R = lastChange(a)"]), @r#"
         R = lastChange(a)
         ^ expected another name; "R" is the reproduction point
        help: call it by any other name, for example B
        "#);
        insta::assert_snapshot!(rendered(&["B = lastChange(a)", "B = lastChange(b)"]), @r#"
        B = lastChange(b)
        ^ expected another name; query 1 is "B" already
        help: give each query a name of its own, or none
        "#);
    }

    #[test]
    fn points_that_are_not_there() {
        insta::assert_snapshot!(rendered(&["Blue = lastChange(a)", "lastChange(Bleu:b)"]), @r#"
        lastChange(Bleu:b)
                   ^ expected a point; none is called "Bleu"
        help: did you mean "Blue"? the points known here are R, Blue
        "#);
        insta::assert_snapshot!(rendered(&["lastChange(C:a)", "C = lastChange(b)"]), @r#"
        lastChange(C:a)
                   ^ expected a point before this query; "C" is query 2
        help: give the query called "C" before this one
        "#);
        insta::assert_snapshot!(rendered(&["C = lastCondition(C)"]), @r#"
        C = lastCondition(C)
                          ^ expected a point before this query; "C" is the query itself
        help: ask at R, or at the point of a query before this one
        "#);
    }
}
