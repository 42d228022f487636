//! How the points of a session change: asked at, called otherwise, removed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Session;
use crate::execution_line::NoLine;
use crate::graph::{DependencyGraph, GraphError, Parent};
use crate::plan::{CollectionPlan, PlanError};
use crate::point::{PointError, ReproductionPoint};
use crate::query::{PointName, Query, QueryError};

/// Why a session cannot be changed so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The reproduction point cannot be read.
    #[error(transparent)]
    Point(#[from] PointError),
    /// The query cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// It does not fit to the others.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// This version cannot answer it.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// What the query of a point looked through cannot be logged.
    #[error(transparent)]
    Line(#[from] NoLine),
    /// There is no such point.
    #[error("there is no point {name}; the points are {}", .known.join(", "))]
    NoPoint {
        /// The name.
        name: String,
        /// The points that there are.
        known: Vec<String>,
    },
    /// It is no name for a point.
    #[error("{name:?} is no name for a point; give one like B, total or step2")]
    NoName {
        /// What was given.
        name: String,
    },
    /// Another point has that name.
    #[error("another point is called {name}; give each a name of its own")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The page or the reproduction point is missing.
    #[error("{0}")]
    NotYet(&'static str),
}

/// A point in the drawing of the dependency graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Laned {
    /// Which point: 0 is `R`, then the queries' in order.
    pub point: usize,
    /// How far to the right it is.
    pub lane: usize,
    /// Which point it was asked at; none: it is `R`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<usize>,
}

impl Session {
    /// The queries, understood.
    ///
    /// # Errors
    /// If one cannot be read, which those that came from this session can.
    pub fn graph(&self) -> Result<DependencyGraph, SessionError> {
        let queries: Result<Vec<Query>, QueryError> =
            self.queries.iter().map(|text| Query::parse(text)).collect();
        Ok(DependencyGraph::new(queries?)?)
    }

    /// The reproduction point, understood.
    ///
    /// # Errors
    /// [`SessionError::NotYet`] if there is none.
    pub fn point(&self) -> Result<ReproductionPoint, SessionError> {
        let missing = "there is no reproduction point yet; stop somewhere first, or give one such as app.js:22";
        let at = self.at.as_deref().ok_or(SessionError::NotYet(missing))?;
        Ok(ReproductionPoint::parse(at)?)
    }

    /// The session stopped at another point: what was asked stays, to be asked there.
    ///
    /// # Errors
    /// If `at` cannot be read.
    pub fn stopped_at(&self, at: &str) -> Result<Self, SessionError> {
        Ok(Self {
            at: Some(ReproductionPoint::parse(at)?.to_string()),
            answer: None,
            document: None,
            ..self.clone()
        })
    }

    /// The session with a query that is asked where the page stopped. If that is another reproduction point than
    /// before, what was asked there is over.
    ///
    /// # Errors
    /// Those of [`Self::stopped_at`] and [`Self::asking`].
    pub fn asking_at(&self, at: &str, query: &str) -> Result<(Self, String), SessionError> {
        let mut stopped = self.stopped_at(at)?;
        if stopped.at != self.at {
            stopped.queries.clear();
        }
        stopped.asking(query)
    }

    /// The session with one query more, and the name of its point. A query without a name gets one: `B`, `C`, … `Z`,
    /// then `Q1`, ….
    ///
    /// # Errors
    /// If the query cannot be read, names a point that there is not, or cannot be answered by this version.
    pub fn asking(&self, query: &str) -> Result<(Self, String), SessionError> {
        let mut asked = self.clone();
        asked.queries.push(query.to_owned());
        // As it was typed, so that what is wrong is shown there.
        asked.graph()?;
        let mut query = Query::parse(query)?;
        let taken: BTreeSet<String> = self.names()?.into_iter().collect();
        let name = match &query.name {
            Some(name) => name.clone(),
            None => free_name(&taken),
        };
        query.name = Some(name.clone());
        asked.queries.pop();
        asked.queries.push(query.to_string());
        let graph = asked.graph()?;
        CollectionPlan::new(&graph, &asked.watches)?;
        Ok((asked, name.to_string()))
    }

    /// Whether the page can be made to pause at a point, as far as can be said before it was tried.
    ///
    /// # Errors
    /// If there is no such point, or it is at the end of the replay.
    pub fn can_pause_at(&self, point: &str) -> Result<(), SessionError> {
        if point != "R" {
            return self.query_called(point);
        }
        match self.point()? {
            ReproductionPoint::End => Err(SessionError::NotYet(
                "at the end of the replay no script runs, so there is nothing to pause at; choose a query's point",
            )),
            _ => Ok(()),
        }
    }

    /// Whether what an expression gives at a point can be looked into: the point is there, and the expression is what a
    /// query may name.
    ///
    /// # Errors
    /// If not.
    pub fn can_expand(&self, point: &str, expression: &str) -> Result<(), SessionError> {
        self.can_pause_at(point)?;
        if expression != "this" {
            Query::parse(&format!("lastChange({point}:{expression})"))?;
        }
        Ok(())
    }

    /// Whether the events that a point's query looked through can be logged.
    ///
    /// # Errors
    /// If not.
    pub fn lining(&self, point: &str) -> Result<(), SessionError> {
        let plan = CollectionPlan::new(&self.graph()?, &self.watches)?;
        plan.with_line_of(point)?;
        Ok(())
    }

    /// The session with one watch more; the same, if it is watched already.
    ///
    /// # Errors
    /// If it is empty.
    pub fn watching(&self, expression: &str) -> Result<Self, SessionError> {
        let mut watched = self.clone();
        if !watched.watches.iter().any(|watch| watch == expression) {
            watched.watches.push(expression.to_owned());
        }
        CollectionPlan::new(&watched.graph()?, &watched.watches)?;
        Ok(watched)
    }

    /// The session without a watch. Nothing has to be run for it.
    #[must_use]
    pub fn without_watch(&self, expression: &str) -> Self {
        let mut without = self.clone();
        without.watches.retain(|watch| watch != expression);
        for point in without.answer.iter_mut().flat_map(|it| &mut it.points) {
            point.watches.retain(|watch| watch.expression != expression);
        }
        without
    }

    /// The session with a point called otherwise, wherever it is used.
    ///
    /// # Errors
    /// If there is no such point, or the name is none or is taken.
    pub fn renamed(&self, point: &str, to: &str) -> Result<Self, SessionError> {
        self.query_called(point)?;
        let new = PointName::new(to).filter(|name| !name.is_reproduction_point());
        let new = new.ok_or_else(|| SessionError::NoName {
            name: to.to_owned(),
        })?;
        if point == to {
            return Ok(self.clone());
        }
        if self.names()?.iter().any(|name| name == to) {
            return Err(SessionError::NameTaken {
                name: to.to_owned(),
            });
        }
        let mut renamed = self.clone();
        for text in &mut renamed.queries {
            *text = Query::parse(text)?.renamed(point, &new);
        }
        for answered in renamed.answer.iter_mut().flat_map(|it| &mut it.points) {
            if answered.name == point {
                to.clone_into(&mut answered.name);
            }
            if let Some(text) = &mut answered.query {
                *text = Query::parse(text)?.renamed(point, &new);
            }
        }
        Ok(renamed)
    }

    /// The session without a point and without all that was asked at it, in turn.
    ///
    /// # Errors
    /// If there is no such point.
    pub fn without(&self, point: &str) -> Result<Self, SessionError> {
        self.query_called(point)?;
        let graph = self.graph()?;
        let mut gone = BTreeSet::from([point.to_owned()]);
        for (name, query) in graph.queries() {
            if query.points().any(|used| gone.contains(used.as_str())) {
                gone.insert(name.to_string());
            }
        }
        let mut names = graph.queries().map(|(name, _)| name.to_string());
        let mut without = self.clone();
        without
            .queries
            .retain(|_| names.next().is_some_and(|name| !gone.contains(&name)));
        if let Some(answer) = &mut without.answer {
            answer.points.retain(|point| !gone.contains(&point.name));
        }
        Ok(without)
    }

    /// The points (0 is `R`, then the queries' in order) as their dependency graph is drawn: below each point what was
    /// asked there. What was asked first goes on in the same lane, so that a chain of questions stays one; what was
    /// asked there as well begins a lane to the right.
    ///
    /// # Errors
    /// As [`Self::graph`].
    ///
    /// ```
    /// use querypoint::session::Session;
    /// let session = Session::of_page("shop.html").stopped_at("app.js:22").unwrap();
    /// let (session, _) = session.asking("lastChange(R:cart.total)").unwrap();
    /// let (session, _) = session.asking("lastChange(R:cart.count)").unwrap();
    /// let (session, _) = session.asking("lastChange(B:item.price)").unwrap();
    /// let lanes: Vec<(usize, usize)> = session.lanes().unwrap().iter().map(|it| (it.point, it.lane)).collect();
    /// // R, B and D below each other; C beside them.
    /// assert_eq!(lanes, [(0, 0), (1, 0), (3, 0), (2, 1)]);
    /// let asked_at: Vec<Option<usize>> = session.lanes().unwrap().iter().map(|it| it.asked_at).collect();
    /// assert_eq!(asked_at, [None, Some(0), Some(1), Some(0)]);
    /// ```
    pub fn lanes(&self) -> Result<Vec<Laned>, SessionError> {
        let graph = self.graph()?;
        let mut laned = Vec::with_capacity(graph.len() + 1);
        let mut next = vec![(Parent::ReproductionPoint, 0, None)];
        while let Some((at, lane, asked_at)) = next.pop() {
            let point = match at {
                Parent::ReproductionPoint => 0,
                Parent::Query(index) => index + 1,
            };
            laned.push(Laned {
                point,
                lane,
                asked_at,
            });
            let below = graph.children(at).into_iter().enumerate().rev();
            next.extend(below.map(|(number, query)| {
                let beside = usize::from(number > 0);
                (Parent::Query(query), lane + beside, Some(point))
            }));
        }
        Ok(laned)
    }

    /// The names of the queries' points.
    fn names(&self) -> Result<Vec<String>, SessionError> {
        let graph = self.graph()?;
        Ok(graph.queries().map(|(name, _)| name.to_string()).collect())
    }

    fn query_called(&self, point: &str) -> Result<(), SessionError> {
        let mut known = self.names()?;
        if known.iter().any(|name| name == point) {
            return Ok(());
        }
        known.insert(0, "R".to_owned());
        let name = point.to_owned();
        Err(SessionError::NoPoint { name, known })
    }
}

/// The first letter after `A` that no point has, else `Q1`, `Q2`, …; `R` is a point already.
fn free_name(taken: &BTreeSet<String>) -> PointName {
    let is_free =
        |name: &PointName| !name.is_reproduction_point() && !taken.contains(name.as_str());
    let letters = ('B'..='Z').filter_map(|letter| PointName::new(letter.encode_utf8(&mut [0; 4])));
    let letter = letters.into_iter().find(is_free);
    letter.unwrap_or_else(|| first_free(is_free))
}

/// The first automatic name that is free; names are finitely many, so there is one.
fn first_free(is_free: impl Fn(&PointName) -> bool) -> PointName {
    let mut number = 1;
    loop {
        let name = PointName::automatic(number);
        if is_free(&name) {
            return name;
        }
        number += 1;
    }
}
