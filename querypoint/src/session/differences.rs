//! What is not the same: at two points the variables that both see, in two answers the points.

use serde::{Deserialize, Serialize};

use super::excerpt::short_name;
use crate::answer::{Answer, PointAnswer, Scope, ScopeKind, Status, Value, Variable};

/// Of a point more variables are not told.
const MOST_VARIABLES: usize = 8;

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
/// Compared are scopes that both points see: those of scripts and of the global object, and in the same file those of
/// modules and of functions of the same name. Of such a function it may be another activation that the other point
/// is in, or has closed over: what is told is what is seen from there under that name.
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

/// A point that is another one in a later answer to the same queries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointDifference {
    /// The point.
    pub point: String,
    /// What it was, in words: where, and the value; or variables, where only they are others.
    pub was: String,
    /// What it is now.
    pub is: String,
}

/// The points that `now` has otherwise than `before`: in what became of them, their place, their value, or what is so
/// there. Points that only one of them has are not told.
#[must_use]
pub fn changed_points(before: &Answer, now: &Answer) -> Vec<PointDifference> {
    let changed = now.points.iter().filter_map(|now| {
        let mut points = before.points.iter();
        let before = points.find(|it| it.name == now.name)?;
        let (was, is) = changed(before, now)?;
        Some(PointDifference {
            point: now.name.clone(),
            was,
            is,
        })
    });
    changed.collect()
}

/// What a point was and is, if that is not the same.
fn changed(before: &PointAnswer, now: &PointAnswer) -> Option<(String, String)> {
    let (was, is) = (outline(before), outline(now));
    if was != is {
        return Some((was, is));
    }
    let (had, has) = (named_values(before), named_values(now));
    let others = has.iter().filter_map(|(key, now)| {
        let (_, before) = had.iter().find(|(it, _)| it == key)?;
        let name = key.name;
        let told = |value: &Value| format!("{name} {}", value.text);
        (before != now).then(|| (told(before), told(now)))
    });
    let (mut was, mut is): (Vec<String>, Vec<String>) = others.unzip();
    let left_out = was.len().saturating_sub(MOST_VARIABLES);
    for told in [&mut was, &mut is] {
        told.truncate(MOST_VARIABLES);
        if left_out > 0 {
            told.push(format!("{left_out} more"));
        }
    }
    (!was.is_empty()).then(|| (was.join(", "), is.join(", ")))
}

/// What became of a point, in words.
fn outline(point: &PointAnswer) -> String {
    let text = |value: &Value| value.text.clone();
    let status = match point.status {
        Status::Found => None,
        Status::NeverChanged => Some("never changed"),
        Status::NotReached => Some("not reached"),
        Status::Diverged => Some("the runs disagree"),
        Status::Blind => Some("not observed"),
    };
    let place = point.location.as_ref().map(|location| {
        let function = point.function.as_deref().unwrap_or_default();
        format!("{}:{} {function}", short_name(&location.url), location.line)
    });
    let change = match (&point.old, &point.new) {
        (Some(old), Some(new)) => Some(format!("{} → {}", old.text, new.text)),
        (old, new) => old.as_ref().or(new.as_ref()).map(text),
    };
    let condition = point.condition.as_ref();
    let condition = condition.map(|it| format!("{} is {}", it.text, it.outcome));
    let exception = point.exception.as_ref();
    let exception = exception.map(|it| format!("{}: {}", it.class, it.message));
    let by_user = point.by_user.map(|_| "by the user".to_owned());
    let parts = [
        status.map(str::to_owned),
        place,
        by_user,
        change,
        point.value.as_ref().map(text),
        condition,
        exception,
    ];
    let parts = parts.iter().flatten().map(|part| part.trim());
    parts.collect::<Vec<&str>>().join(" ")
}

/// By what a value at a point is known.
#[derive(PartialEq, Eq)]
struct Named<'p> {
    kind: Option<ScopeKind>,
    function: Option<&'p str>,
    name: &'p str,
}

/// What a point sees, and what is watched there.
fn named_values(point: &PointAnswer) -> Vec<(Named<'_>, &Value)> {
    let seen = point.scopes.iter().flat_map(|scope| {
        let (kind, function) = (Some(scope.kind), scope.function.as_deref());
        let named = move |name| Named {
            kind,
            function,
            name,
        };
        let variables = scope.variables.iter();
        variables.map(move |it| (named(it.name.as_str()), &it.value))
    });
    let watched = point.watches.iter().map(|watch| {
        let named = Named {
            kind: None,
            function: None,
            name: watch.expression.as_str(),
        };
        (named, &watch.value)
    });
    watched.chain(seen).collect()
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
    use crate::answer::{Location, Status, Value, ValueType};
    use crate::schemas::{answer, location};

    /// Its kind, its function, and its variables with what they are.
    type Written<'w> = (ScopeKind, &'w str, &'w [(&'w str, &'w str)]);

    fn point(file: Option<&str>, scopes: &[Written<'_>]) -> PointAnswer {
        let mut point = PointAnswer::new("P", None, Status::Found);
        point.location = file.map(|file| Location {
            url: file.to_owned(),
            generated: None,
            eval_origin: None,
            library: false,
            ..location(1)
        });
        point.scopes = scopes
            .iter()
            .map(|(kind, function, variables)| Scope {
                kind: *kind,
                function: (!function.is_empty()).then(|| (*function).to_owned()),
                variables: variables
                    .iter()
                    .map(|(name, text)| Variable::new((*name).to_owned(), Value::string(text)))
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

    #[test]
    fn what_became_of_points_is_compared() {
        let number = |text: &str| Some(Value::new(ValueType::Number, text));
        let found = |url: &str, line: u32, new: &str| {
            let mut point = point(Some(url), &[(ScopeKind::Local, "add", &[("i", new)])]);
            point.location.as_mut().unwrap().line = line;
            point.function = Some("add".to_owned());
            (point.old, point.new) = (number("1"), number(new));
            point
        };
        let of = |points: &[PointAnswer]| answer(points.to_vec());
        let told = |before: &PointAnswer, now: &PointAnswer| -> Vec<(String, String)> {
            let told = changed_points(
                &of(std::slice::from_ref(before)),
                &of(std::slice::from_ref(now)),
            )
            .into_iter();
            told.map(|it| (it.was, it.is)).collect()
        };
        let before = found("http://127.0.0.1:1/a.js", 5, "2");
        // A page that is served by us may have got another port.
        assert_eq!(told(&before, &found("http://127.0.0.1:2/a.js", 5, "2")), []);
        let is = |was: &str, is: &str| vec![(was.to_owned(), is.to_owned())];
        let was = "a.js:5 add 1 → 2";
        let url = "http://127.0.0.1:1/a.js";
        assert_eq!(
            told(&before, &found(url, 5, "3")),
            is(was, "a.js:5 add 1 → 3")
        );
        assert_eq!(
            told(&before, &found(url, 6, "2")),
            is(was, "a.js:6 add 1 → 2")
        );
        let mut never = PointAnswer::new("P", None, Status::NeverChanged);
        never.value = number("7");
        assert_eq!(told(&before, &never), is(was, "never changed 7"));
        // What is so there tells another moment, where all else is the same.
        let mut other = before.clone();
        other.scopes[0].variables[0].value = Value::string("4");
        assert_eq!(told(&before, &other), is("i \"2\"", "i \"4\""));
        other.scopes[0].variables = (0..10)
            .map(|n| Variable::new(format!("v{n}"), Value::string("0")))
            .collect();
        let mut another = other.clone();
        for variable in &mut another.scopes[0].variables {
            variable.value = Value::string("1");
        }
        let (was, _) = told(&other, &another).remove(0);
        assert!(
            was.starts_with("v0 \"0\", v1") && was.ends_with(", 2 more"),
            "{was}"
        );
        // What is asked more is no difference.
        let mut more = before.clone();
        more.name = "Q".to_owned();
        let changed = changed_points(&of(std::slice::from_ref(&before)), &of(&[before, more]));
        assert_eq!(changed, []);
    }
}
