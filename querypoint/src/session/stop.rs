//! Where the page that a person debugs is paused: at a breakpoint, a `debugger` statement, an exception, whoever
//! asked for it.
//!
//! It is another execution than those that answer, so what is so there only says where to ask, and whether the place
//! that was reached again is the same one ([`Stop::differences`]).

use serde::{Deserialize, Serialize};

use super::excerpt::short_name;
use crate::answer::{BlindSpot, PointAnswer, Scope, ScopeKind, StackFrame};

/// A page that is paused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// Why, in words: `breakpoint`, `exception: TypeError: …`, `pause`.
    pub reason: String,
    /// The reproduction point that is the exception, if that is why and nobody will catch it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// The call stack, newest frame first.
    pub frames: Vec<StopFrame>,
    /// With live hooks: the first code of the document that runs without them, for which last writers are missing, and
    /// why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unhooked: Option<BlindSpot>,
}

/// A frame of a page that is paused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StopFrame {
    /// Its function, and where it is.
    #[serde(flatten)]
    pub frame: StackFrame,
    /// Its scopes, innermost first, without the global object's; of frames far down the stack none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<Scope>,
}

impl Stop {
    /// The reproduction point that is there: the line and column of the newest frame, the last time it is passed. Where
    /// it comes through a source map it is the place that runs, which is one only.
    ///
    /// ```
    /// use querypoint::session::stop::Stop;
    /// let stop: Stop = serde_json::from_str(
    ///     r#"{"reason":"breakpoint","frames":[{"function":"f","url":"http://h/js/app.js?v=2","line":22,"column":5}]}"#,
    /// )?;
    /// assert_eq!(stop.point().as_deref(), Some("js/app.js:22:5"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn point(&self) -> Option<String> {
        let location = &self.frames.first()?.frame.location;
        let (url, line, column) = match &location.generated {
            Some(runs) => (&runs.url, runs.line, runs.column),
            None => (&location.url, location.line, location.column),
        };
        Some(format!("{}:{line}:{column}", file(url)))
    }

    /// How `R`, which was reached again, is not like this stop: variables that have other values there, by their names.
    /// Then the page passes the place several times, and this was not the last of them.
    #[must_use]
    pub fn differences(&self, point: &PointAnswer) -> Vec<String> {
        let Some(frame) = self.frames.first() else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for kind in [ScopeKind::Local, ScopeKind::Block, ScopeKind::Catch] {
            let there = variables(&frame.scopes, kind);
            for (name, text) in variables(&point.scopes, kind) {
                let other = there.iter().find(|(it, _)| *it == name);
                if other.is_some_and(|(_, other)| *other != text) {
                    names.push(name.to_owned());
                }
            }
        }
        names.sort();
        names.dedup();
        names
    }
}

fn variables(scopes: &[Scope], kind: ScopeKind) -> Vec<(&str, &str)> {
    let scopes = scopes.iter().filter(|scope| scope.kind == kind);
    let variables = scopes.flat_map(|scope| &scope.variables);
    variables
        .map(|it| (it.name.as_str(), it.value.text.as_str()))
        .collect()
}

/// The reproduction point that is the first uncaught exception with this message; of one of several lines the first
/// counts.
///
/// ```
/// use querypoint::session::stop::exception_point;
/// assert_eq!(exception_point("TypeError: no price\n    at pay"), "exception:TypeError: no price");
/// ```
#[must_use]
pub fn exception_point(message: &str) -> String {
    match message.lines().next().map(str::trim) {
        None | Some("") => "exception".to_owned(),
        Some(line) => format!("exception:{line}"),
    }
}

/// The reproduction point that is on a line (1-based) of a file: the last time it is passed.
///
/// ```
/// use querypoint::session::stop::line_point;
/// assert_eq!(line_point("http://h/js/app.js?v=2", 22), "js/app.js:22");
/// ```
#[must_use]
pub fn line_point(url: &str, line: u32) -> String {
    format!("{}:{line}", file(url))
}

/// What names the file in a reproduction point: its path without the host, which may be another one when the page is
/// served by us.
fn file(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    match path.split_once("://") {
        Some(("http" | "https", rest)) => match rest.split_once('/') {
            Some((_, "")) | None => "/",
            Some((_, path)) => path,
        },
        _ => short_name(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Status, Value, Variable};
    use crate::point::ReproductionPoint;
    use crate::schemas::location;

    fn scope(kind: ScopeKind, variables: &[(&str, &str)]) -> Scope {
        let variables = variables
            .iter()
            .map(|(name, text)| Variable::new((*name).to_owned(), Value::string(text)));
        Scope {
            kind,
            function: None,
            variables: variables.collect(),
        }
    }

    fn stop(url: &str, scopes: Vec<Scope>) -> Stop {
        let frame = StackFrame {
            function: "f".to_owned(),
            location: crate::answer::Location {
                url: url.to_owned(),
                generated: None,
                eval_origin: None,
                library: false,
                ..location(22)
            },
        };
        Stop {
            reason: "breakpoint".to_owned(),
            exception: None,
            frames: vec![StopFrame { frame, scopes }],
            unhooked: None,
        }
    }

    #[test]
    fn the_point_is_found_in_the_file_it_is_of() {
        for url in [
            "http://h/",
            "http://h",
            "http://h:8080/js/my%20app.js?v=3#x",
            "https://h/a/b/index.html",
            "file:///home/me/shop.html",
            "webpack:///./src/Cart.tsx",
        ] {
            let text = stop(url, Vec::new()).point().unwrap();
            let point = ReproductionPoint::parse(&text).unwrap();
            assert!(point.matches_url(url), "{url}: {text}");
        }
    }

    #[test]
    fn another_time_at_the_same_place_is_told_by_its_variables() {
        let here = stop(
            "http://h/a.js",
            vec![
                scope(ScopeKind::Local, &[("i", "1"), ("only here", "x")]),
                scope(ScopeKind::Closure, &[("counter", "5")]),
            ],
        );
        let mut point = PointAnswer::new("R", None, Status::Found);
        point.scopes = vec![
            scope(ScopeKind::Local, &[("i", "1"), ("only there", "y")]),
            scope(ScopeKind::Closure, &[("counter", "6")]),
        ];
        assert_eq!(here.differences(&point), [""; 0]);
        point.scopes[0] = scope(ScopeKind::Local, &[("i", "2")]);
        assert_eq!(here.differences(&point), ["i"]);
    }
}
