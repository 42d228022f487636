//! What is not the same at two points: the variables that both see.

use crate::answer::{PointAnswer, Scope, ScopeKind, Variable};

/// A variable of a point that has another value at another point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which of the point's scopes it is in, from 0.
    pub scope: usize,
    /// Its name.
    pub name: String,
    /// What it is at the other point.
    pub there: String,
}

/// The variables of `point` that have another value at `other`, in their order.
///
/// Compared are scopes that both points see: those of scripts and of the global object, and in the same file those of modules and of
/// functions of the same name. Of such a function it may be another activation that the other point stands in, or has closed over: what is
/// told is what is seen from there under that name.
#[must_use]
pub fn differences(point: &PointAnswer, other: &PointAnswer) -> Vec<Difference> {
    let scopes = point.scopes.iter().enumerate();
    let told =
        scopes.filter_map(|(number, scope)| Some((number, scope, like(scope, point, other)?)));
    let told = told.flat_map(|(number, scope, there)| {
        let variables = scope.variables.iter();
        variables.filter_map(move |variable| {
            let there = value_in(there, &variable.name).filter(|it| it.value != variable.value)?;
            Some(Difference {
                scope: number,
                name: variable.name.clone(),
                there: there.value.text.clone(),
            })
        })
    });
    told.collect()
}

/// Whether two answers to one query show the same moment: the same place, with the same values.
#[must_use]
pub fn is_same_moment(point: &PointAnswer, other: &PointAnswer) -> bool {
    // A page that is served by us may have got another port.
    let place = |point: &PointAnswer| point.location.as_ref().map(|it| (it.line, it.column));
    place(point) == place(other)
        && (point.status, &point.function) == (other.status, &other.function)
        && (&point.old, &point.new, &point.scopes) == (&other.old, &other.new, &other.scopes)
}

/// The innermost scope of `other` that is of the same kind and function.
fn like<'o>(scope: &Scope, point: &PointAnswer, other: &'o PointAnswer) -> Option<&'o Scope> {
    let file = |point: &'o PointAnswer| point.location.as_ref().map(|it| &it.url);
    let of_page = matches!(scope.kind, ScopeKind::Script | ScopeKind::Global);
    let is_same_file =
        file(other).is_some() && file(other) == point.location.as_ref().map(|it| &it.url);
    let mut scopes = other.scopes.iter();
    scopes.find(|it| {
        it.kind == scope.kind && (of_page || is_same_file && it.function == scope.function)
    })
}

fn value_in<'s>(scope: &'s Scope, name: &str) -> Option<&'s Variable> {
    scope.variables.iter().find(|it| it.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Location, Status, Value};
    use crate::schemas::location;

    /// Its kind, its function, and its variables with what they are.
    type Written<'w> = (ScopeKind, &'w str, &'w [(&'w str, &'w str)]);

    fn point(file: Option<&str>, scopes: &[Written<'_>]) -> PointAnswer {
        let mut point = PointAnswer::new("P", None, Status::Found);
        point.location = file.map(|file| Location {
            url: file.to_owned(),
            generated: None,
            maker: None,
            ..location(1)
        });
        point.scopes = scopes
            .iter()
            .map(|(kind, function, variables)| Scope {
                kind: *kind,
                function: (!function.is_empty()).then(|| (*function).to_owned()),
                variables: variables
                    .iter()
                    .map(|(name, text)| Variable {
                        name: (*name).to_owned(),
                        value: Value::string(text),
                    })
                    .collect(),
            })
            .collect();
        point
    }

    fn told(point: &PointAnswer, other: &PointAnswer) -> Vec<String> {
        let told = differences(point, other).into_iter();
        told.map(|it| format!("{} {} {}", it.scope, it.name, it.there))
            .collect()
    }

    #[test]
    fn the_same_moment_has_the_same_values() {
        let at = |file, text: &str| point(file, &[(ScopeKind::Local, "add", &[("i", text)])]);
        let one = at(Some("http://127.0.0.1:1/a.js"), "1");
        assert!(is_same_moment(
            &one,
            &at(Some("http://127.0.0.1:2/a.js"), "1")
        ));
        assert!(!is_same_moment(
            &one,
            &at(Some("http://127.0.0.1:1/a.js"), "2")
        ));
        assert!(!is_same_moment(&one, &at(None, "1")));
    }

    #[test]
    fn what_both_see_is_compared() {
        use ScopeKind::{Closure, Global, Local, Script};
        let here = point(
            Some("a.js"),
            &[
                (Local, "add", &[("i", "1"), ("only here", "1")]),
                (Closure, "make", &[("count", "1")]),
                (Script, "", &[("cart", "1"), ("same", "1")]),
                (Global, "", &[("g", "1")]),
            ],
        );
        let there = |file| {
            point(
                file,
                &[
                    (Local, "add", &[("i", "2")]),
                    (Closure, "other", &[("count", "2")]),
                    (
                        Script,
                        "",
                        &[("cart", "2"), ("same", "1"), ("only there", "2")],
                    ),
                    (Global, "", &[("g", "2")]),
                ],
            )
        };
        let all = ["0 i \"2\"", "2 cart \"2\"", "3 g \"2\""];
        assert_eq!(told(&here, &there(Some("a.js"))), all);
        assert_eq!(told(&here, &here), [""; 0]);
        // In another file a function of that name is another one.
        assert_eq!(told(&here, &there(Some("b.js"))), all[1..]);
        assert_eq!(told(&here, &there(None)), all[1..]);
        assert_eq!(told(&here, &point(None, &[])), [""; 0]);
    }
}
