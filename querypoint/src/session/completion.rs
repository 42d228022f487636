//! What a query may go on with, while it is typed: the questions that can be asked at the points there are.

use crate::answer::{PointAnswer, ScopeKind, Status};

/// More are not offered.
const MOST: usize = 200;

/// The queries that can be asked at these points, those of the point `chosen` first.
///
/// At each: the last change of each of its variables, innermost first, then what led to it and what was thrown after
/// it. Of variables of the same name only the innermost can be named.
///
/// ```
/// use querypoint::answer::{PointAnswer, Status};
/// use querypoint::session::completion::completions;
/// let points = [PointAnswer::new("R", None, Status::Found)];
/// assert_eq!(completions(&points, "R"), ["lastCondition(R)", "exceptionAfter(R)"]);
/// ```
#[must_use]
pub fn completions(points: &[PointAnswer], chosen: &str) -> Vec<String> {
    let (first, others): (Vec<&PointAnswer>, Vec<&PointAnswer>) = points
        .iter()
        .filter(|point| point.status == Status::Found)
        .partition(|point| point.name == chosen);
    let ordered = first.into_iter().chain(others);
    ordered.flat_map(at).take(MOST).collect()
}

fn at(point: &PointAnswer) -> Vec<String> {
    let name = &point.name;
    let scopes = point.scopes.iter();
    let near = scopes.filter(|scope| scope.kind != ScopeKind::Global);
    let mut seen: Vec<&str> = Vec::new();
    for variable in near.flat_map(|scope| &scope.variables) {
        if !seen.contains(&variable.name.as_str()) {
            seen.push(&variable.name);
        }
    }
    let changes = seen
        .into_iter()
        .map(|it| format!("lastChange({name}:{it})"));
    let whys = [
        format!("lastCondition({name})"),
        format!("exceptionAfter({name})"),
    ];
    changes.chain(whys).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Scope, Value, Variable};
    use crate::query::Query;

    fn point(name: &str, scopes: &[(ScopeKind, &[&str])]) -> PointAnswer {
        let mut point = PointAnswer::new(name, None, Status::Found);
        point.scopes = scopes
            .iter()
            .map(|(kind, names)| Scope {
                kind: *kind,
                function: None,
                variables: names
                    .iter()
                    .map(|name| Variable::new((*name).to_owned(), Value::string("x")))
                    .collect(),
            })
            .collect();
        point
    }

    #[test]
    fn the_chosen_point_comes_first_and_each_can_be_asked() {
        let points = [
            point("R", &[(ScopeKind::Local, &["cart"])]),
            point(
                "B",
                &[
                    (ScopeKind::Local, &["price", "i"]),
                    (ScopeKind::Closure, &["price"]),
                    (ScopeKind::Global, &["innerWidth"]),
                ],
            ),
            PointAnswer::new("C", None, Status::NotReached),
        ];
        let offered = completions(&points, "B");
        let wanted = [
            "lastChange(B:price)",
            "lastChange(B:i)",
            "lastCondition(B)",
            "exceptionAfter(B)",
            "lastChange(R:cart)",
            "lastCondition(R)",
            "exceptionAfter(R)",
        ];
        assert_eq!(offered, wanted);
        for query in offered {
            assert!(Query::parse(&query).is_ok(), "{query}");
        }
    }

    #[test]
    fn of_very_many_only_the_first_are_offered() {
        let names: Vec<String> = (0..1000).map(|number| format!("v{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let points = [point("R", &[(ScopeKind::Local, &names)])];
        assert_eq!(completions(&points, "R").len(), MOST);
    }
}
