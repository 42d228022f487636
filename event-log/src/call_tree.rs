//! The call tree of a log, opened row by row: at its root are the tasks, in them the calls that they made, in these the
//! calls that were made while they ran (*JavaTA*, the call tree). Made once for a log, in one pass, whatever its size;
//! a row is found without looking at any other.

use std::collections::HashMap;

use querypoint::events::CallRow;

use crate::catalogue::shown_event;
use crate::model::{Call, Kind, Model, NONE};

/// What is in what.
#[derive(Clone, Debug, Default)]
pub struct CallTree {
    /// The calls by their callers, each caller's in their order; those that nothing called come first, by their tasks.
    children: Vec<u32>,
    /// Where the calls of each call are in `children`: from its own entry to the next one's.
    first: Vec<u32>,
    /// How many calls are below each.
    below: Vec<u32>,
    /// What is at the root, in the order in which it began.
    roots: Vec<Root>,
    /// Tasks, by their events: where they are in `roots`.
    tasks: HashMap<u32, u32>,
}

/// A task, or a call of which none is known.
#[derive(Clone, Copy, Debug)]
struct Root {
    /// The event of the task; [`NONE`]: it is the call alone.
    task: u32,
    /// Where its calls are in `children`, and how many.
    calls: (u32, u32),
    /// How many calls are below it.
    below: u64,
}

/// A page of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallRows {
    /// The rows.
    pub rows: Vec<CallRow>,
    /// How many there are in all.
    pub of: u64,
}

impl CallTree {
    /// The tree of a log.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let calls = &model.calls;
        // A call began after the one that made it: from the end on, each is complete before it is added.
        let mut below = vec![0_u32; calls.len()];
        for index in (0..calls.len()).rev() {
            let whole = below.get(index).map_or(0, |it| it.saturating_add(1));
            let parent = calls.get(index).map_or(NONE, |call| call.parent);
            if let Some(parent) = below.get_mut(parent as usize) {
                *parent = parent.saturating_add(whole);
            }
        }
        let mut tree = Self {
            below,
            ..Self::default()
        };
        tree.take_roots(calls);
        tree.take_children(calls);
        tree
    }

    fn take_roots(&mut self, calls: &[Call]) {
        let mut of_roots: Vec<Vec<u32>> = Vec::new();
        for (call, index) in calls
            .iter()
            .zip(0_u32..)
            .filter(|(call, _)| is_root(call, calls))
        {
            let next = u32::try_from(self.roots.len()).unwrap_or(NONE);
            let at = match call.task {
                NONE => next,
                task => *self.tasks.entry(task).or_insert(next),
            };
            if at == next {
                self.roots.push(Root {
                    task: call.task,
                    calls: (0, 0),
                    below: 0,
                });
                of_roots.push(Vec::new());
            }
            let below = self.below.get(index as usize).copied().unwrap_or(0);
            if let (Some(root), Some(own)) = (
                self.roots.get_mut(at as usize),
                of_roots.get_mut(at as usize),
            ) {
                root.below += u64::from(below) + 1;
                own.push(index);
            }
        }
        for (root, own) in self.roots.iter_mut().zip(of_roots) {
            let count = u32::try_from(own.len()).unwrap_or(NONE);
            root.calls = (u32::try_from(self.children.len()).unwrap_or(NONE), count);
            self.children.extend(own);
        }
    }

    /// Sorts the calls by their callers: how many each made says where its part begins.
    fn take_children(&mut self, calls: &[Call]) {
        let mut counts = vec![0_u32; calls.len()];
        for call in calls {
            if let Some(count) = counts.get_mut(call.parent as usize) {
                *count += 1;
            }
        }
        let mut at = u32::try_from(self.children.len()).unwrap_or(NONE);
        self.first.reserve(calls.len() + 1);
        for count in counts {
            self.first.push(at);
            at = at.saturating_add(count);
        }
        self.first.push(at);
        self.children.resize(at as usize, NONE);
        let mut next = self.first.clone();
        for (call, index) in calls.iter().zip(0_u32..) {
            if is_root(call, calls) {
                continue;
            }
            if let Some(place) = next.get_mut(call.parent as usize) {
                if let Some(child) = self.children.get_mut(*place as usize) {
                    *child = index;
                }
                *place += 1;
            }
        }
    }

    /// The rows in a row, which the number of its first event names; `None`: those at the root. `from` are passed over,
    /// no more than `most` are given. Nothing where that is no call and no task.
    #[must_use]
    pub fn rows(&self, model: &Model, of: Option<u64>, from: u64, most: usize) -> CallRows {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let Some(of) = of else {
            let rows = self.roots.iter().skip(from).take(most);
            return CallRows {
                rows: rows.filter_map(|root| self.root(model, root)).collect(),
                of: self.roots.len() as u64,
            };
        };
        let inside = self.inside(model, of);
        let rows = inside.iter().skip(from).take(most);
        CallRows {
            rows: rows.filter_map(|call| self.call(model, *call)).collect(),
            of: inside.len() as u64,
        }
    }

    fn inside(&self, model: &Model, of: u64) -> &[u32] {
        let Some((event, number)) = u32::try_from(of).ok().and_then(|number| {
            let event = model.events.get(number as usize)?;
            Some((event, number))
        }) else {
            return &[];
        };
        let part = match event.kind {
            Kind::Task => self
                .tasks
                .get(&number)
                .and_then(|at| self.roots.get(*at as usize))
                .map(|root| root.calls),
            Kind::Call => self.own(event.call),
            _ => None,
        };
        let (at, count) = part.unwrap_or((0, 0));
        let rest = self.children.get(at as usize..).unwrap_or_default();
        rest.get(..count as usize).unwrap_or_default()
    }

    /// Where the calls of a call are, and how many.
    fn own(&self, call: u32) -> Option<(u32, u32)> {
        let at = *self.first.get(call as usize)?;
        let end = *self.first.get(call as usize + 1)?;
        Some((at, end.saturating_sub(at)))
    }

    fn root(&self, model: &Model, root: &Root) -> Option<CallRow> {
        if root.task == NONE {
            let call = self.children.get(root.calls.0 as usize)?;
            return self.call(model, *call);
        }
        Some(CallRow {
            event: shown_event(model, root.task)?,
            children: u64::from(root.calls.1),
            calls: root.below,
        })
    }

    fn call(&self, model: &Model, call: u32) -> Option<CallRow> {
        Some(CallRow {
            event: shown_event(model, model.calls.get(call as usize)?.enter)?,
            children: u64::from(self.own(call)?.1),
            calls: u64::from(*self.below.get(call as usize)?),
        })
    }
}

/// Whether no call is known that made it.
fn is_root(call: &Call, calls: &[Call]) -> bool {
    calls.get(call.parent as usize).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{FunctionId, ScopeId, SiteId};
    use crate::model::{CallOutcome, Event};
    use crate::value::Value;

    /// A log in which the calls are made by these, in these tasks; [`NONE`]: by nothing, in none that is known.
    fn model(tasks: u32, calls: &[(u32, u32)]) -> Model {
        let mut model = Model::default();
        let event = |kind, call| Event {
            kind,
            stream: 0,
            call,
            site: SiteId::NONE,
            key: 0,
            owner: Value::Unknown,
            value: Value::Unknown,
        };
        for _ in 0..tasks {
            model.events.push(event(Kind::Task, NONE));
        }
        for (&(parent, task), index) in calls.iter().zip(0..) {
            let enter = u32::try_from(model.events.len()).unwrap();
            model.events.push(event(Kind::Call, index));
            model.calls.push(Call {
                function: FunctionId(0),
                stream: 0,
                parent,
                enter,
                exit: NONE,
                site: SiteId::NONE,
                this: Value::Unknown,
                arguments: (0, 0),
                outcome: CallOutcome::Open,
                scope: ScopeId::NONE,
                task,
                depth: 0,
                suspended: false,
            });
        }
        model
    }

    /// The rows in a row: the number of the event, its calls, and all below.
    fn rows(model: &Model, of: Option<u64>, from: u64, most: usize) -> (Vec<(u64, u64, u64)>, u64) {
        let page = CallTree::of(model).rows(model, of, from, most);
        let rows = page
            .rows
            .iter()
            .map(|row| (row.event.seq, row.children, row.calls));
        (rows.collect(), page.of)
    }

    #[test]
    fn a_row_has_the_calls_that_were_made_while_it_ran() {
        // Two tasks, whose calls come in turns: 2 and 4 in task 0, 3 in task 1; 5 and 7 in 4, 6 in 5; 8 in no task.
        let calls = [
            (NONE, 0),
            (NONE, 1),
            (NONE, 0),
            (2, 0),
            (3, 0),
            (2, 0),
            (NONE, NONE),
        ];
        let model = model(2, &calls);
        assert_eq!(
            rows(&model, None, 0, 10),
            (vec![(0, 2, 5), (1, 1, 1), (8, 0, 0)], 3)
        );
        assert_eq!(
            rows(&model, Some(0), 0, 10),
            (vec![(2, 0, 0), (4, 2, 3)], 2)
        );
        assert_eq!(rows(&model, Some(1), 0, 10), (vec![(3, 0, 0)], 1));
        assert_eq!(
            rows(&model, Some(4), 0, 10),
            (vec![(5, 1, 1), (7, 0, 0)], 2)
        );
        assert_eq!(rows(&model, Some(5), 0, 10), (vec![(6, 0, 0)], 1));
        assert_eq!(rows(&model, Some(6), 0, 10), (vec![], 0));
    }

    #[test]
    fn rows_come_in_pages_and_what_is_no_row_has_none() {
        let calls: Vec<(u32, u32)> = (0..1000).map(|_| (NONE, 0)).collect();
        let model = model(1, &calls);
        assert_eq!(rows(&model, None, 0, 10), (vec![(0, 1000, 1000)], 1));
        let (page, of) = rows(&model, Some(0), 998, 10);
        assert_eq!((page, of), (vec![(999, 0, 0), (1000, 0, 0)], 1000));
        for of in [5000, u64::MAX] {
            assert_eq!(rows(&model, Some(of), 0, 10), (vec![], 0));
        }
        assert_eq!(rows(&model, None, u64::MAX, 10), (vec![], 1));
        assert_eq!(rows(&Model::default(), None, 0, 10), (vec![], 0));
    }

    #[test]
    fn a_deep_recursion_is_no_deep_recursion_here() {
        let calls: Vec<(u32, u32)> = (0..100_000_u32)
            .map(|at| (at.checked_sub(1).unwrap_or(NONE), 0))
            .collect();
        let model = model(1, &calls);
        assert_eq!(rows(&model, None, 0, 10), (vec![(0, 1, 100_000)], 1));
        assert_eq!(
            rows(&model, Some(99_999), 0, 10),
            (vec![(100_000, 0, 0)], 1)
        );
    }
}
