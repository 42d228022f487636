//! The rows of the tree of values: which there are, from the scopes and from what is open.

use std::collections::BTreeMap;

use querypoint::answer::{LastWriter, Value, ValueType, Variable};
use querypoint::session::expressions::member;

use crate::model::Inside;
use crate::views::scopes::{Group, ScopePosition};

/// What is shown in a line of the tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Group {
        number: usize,
        title: String,
    },
    Variable {
        name: String,
        value: Value,
        said: Option<String>,
        writer: Option<Box<LastWriter>>,
    },
    /// Not all of an object is shown.
    More {
        shown: usize,
        of: usize,
        filter: String,
    },
    Empty,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) what: What,
    pub(super) depth: usize,
    /// What gives the value; of `More` and `Empty` the object.
    pub(super) expression: String,
    /// Whether it is open; none: it has nothing inside.
    pub(super) is_open: Option<bool>,
}

/// All rows, from the top down.
pub(super) fn rows(
    place: &ScopePosition,
    groups: &[Group],
    switched: &BTreeMap<usize, bool>,
    expanded: &BTreeMap<(String, String), Inside>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let is_open = group.is_folded == switched.get(&number).copied().unwrap_or_default();
        let depth = usize::from(!group.title.is_empty());
        if depth > 0 {
            let title = group.title.clone();
            rows.push(Row {
                what: What::Group { number, title },
                depth: 0,
                expression: String::new(),
                is_open: Some(is_open),
            });
        }
        if !is_open && depth > 0 {
            continue;
        }
        for variable in &group.variables {
            let said = group.said.get(&variable.name).cloned();
            add(
                &mut rows,
                place,
                expanded,
                variable.name.clone(),
                variable,
                said,
                depth,
            );
        }
    }
    rows
}

fn add(
    rows: &mut Vec<Row>,
    place: &ScopePosition,
    expanded: &BTreeMap<(String, String), Inside>,
    expression: String,
    variable: &Variable,
    said: Option<String>,
    depth: usize,
) {
    let has_inside = variable.value.kind == ValueType::Object && variable.value.text != "null";
    let can_open = has_inside && !variable.name.starts_with("[[");
    let key = (place.key(), expression);
    let inside = expanded.get(&key);
    let expression = key.1;
    rows.push(Row {
        what: What::Variable {
            name: variable.name.clone(),
            value: variable.value.clone(),
            said,
            writer: variable.last_writer.clone(),
        },
        depth,
        expression: expression.clone(),
        is_open: can_open.then_some(inside.is_some()),
    });
    let Some(inside) = inside.filter(|_| can_open) else {
        return;
    };
    let depth = depth + 1;
    for variable in &inside.variables {
        let path = member(&expression, &variable.name);
        add(rows, place, expanded, path, variable, None, depth);
    }
    let shown = inside.variables.len();
    let what = match shown {
        0 if inside.filter.is_empty() => What::Empty,
        shown if shown < inside.of || !inside.filter.is_empty() => What::More {
            shown,
            of: inside.of,
            filter: inside.filter.clone(),
        },
        _ => return,
    };
    rows.push(Row {
        what,
        depth,
        expression,
        is_open: None,
    });
}
