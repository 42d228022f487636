//! The reproduction point: where the user stopped, as it is typed after `--at`.
//!
//! Files are matched by the end of a script's URL path, at a segment boundary; see `point/url_path.rs`.

mod url_path;

use std::fmt;

use crate::nearest::nearest;

/// Where the user stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReproductionPoint {
    /// A breakpoint, `app.js:22:5#0`.
    Location {
        /// The end of the script's URL path, or of an original source's name.
        file: String,
        /// 1-based line.
        line: u32,
        /// 1-based column in UTF-16 code units; none: the first place on the line that has code.
        column: Option<u32>,
        /// Which hit of it.
        hit: Hit,
    },
    /// `exception`: the first uncaught exception.
    Exception {
        /// What its message must hold.
        text: Option<String>,
    },
    /// `console:TEXT`: the first console message that holds the text.
    Console {
        /// What the message must hold.
        text: String,
    },
    /// `end`: the replay is over and the page is idle; global scope.
    End,
}

/// Which hit of a location: 0 the first, -1 the last in the replay (the default).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit(pub i64);

impl Default for Hit {
    fn default() -> Self {
        Self(-1)
    }
}

/// Text that is not a reproduction point.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.render())]
pub struct PointError {
    /// The text that was parsed.
    pub text: String,
    /// Byte offset into `text`; on a character boundary.
    pub offset: usize,
    /// What was expected at that place.
    pub message: String,
    /// What to do, where there is something better to say than the message.
    pub help: Option<String>,
}

impl PointError {
    fn new(text: &str, offset: usize, message: impl Into<String>, help: Option<&str>) -> Self {
        Self {
            text: text.to_owned(),
            offset,
            message: message.into(),
            help: help.map(str::to_owned),
        }
    }

    /// The text, a caret under the place with the message beside it, and the help.
    #[must_use]
    pub fn render(&self) -> String {
        crate::caret::render(&self.text, self.offset, &self.message, self.help.as_deref())
    }
}

const FORMS: &str = "a reproduction point is FILE:LINE, FILE:LINE:COLUMN (each with #HIT if wanted), exception, \
     exception:TEXT, console:TEXT or end";

impl ReproductionPoint {
    /// Parses what is typed after `--at`.
    ///
    /// The text after `exception:` and `console:` is taken as it is, `#` included.
    ///
    /// # Errors
    /// [`PointError`] with the place, what was expected there and what to do.
    pub fn parse(text: &str) -> Result<Self, PointError> {
        let trimmed = text.trim();
        let start = text.len() - text.trim_start().len();
        for keyword in ["exception", "console", "end"] {
            let Some(rest) = trimmed.strip_prefix(keyword) else {
                continue;
            };
            if rest.is_empty() || rest.starts_with(['#', ':']) {
                return keyword_point(text, start + keyword.len(), keyword, rest)
                    .unwrap_or_else(|| location(text, trimmed, start));
            }
        }
        location(text, trimmed, start)
    }

    /// Whether the script at `url` (or the original source of that name) is the file of this point. The
    /// file must be the end of its path at a segment boundary; query string, fragment, `.` and `..`
    /// segments and percent-encoding make no difference. A file with a host must have the same host.
    /// False for points that are no location.
    #[must_use]
    pub fn matches_url(&self, url: &str) -> bool {
        match self {
            Self::Location { file, .. } => url_path::ends_with(url, file),
            Self::Exception { .. } | Self::Console { .. } | Self::End => false,
        }
    }
}

/// A point that begins with a keyword; `None` if it is a location after all (`end:22`, a file called `end`).
/// `at` is the offset of `rest`, what is after the keyword.
fn keyword_point(
    text: &str,
    at: usize,
    keyword: &str,
    rest: &str,
) -> Option<Result<ReproductionPoint, PointError>> {
    if rest.starts_with('#') {
        let message = format!("only a location has hits; \"{keyword}\" is the first one there is");
        let help = match keyword {
            "end" => "leave it off",
            _ => "leave it off, or add \":\" and a part of the message to tell it from others",
        };
        return Some(Err(PointError::new(text, at, message, Some(help))));
    }
    let wanted = rest.strip_prefix(':');
    match (keyword, wanted) {
        ("end", None) => Some(Ok(ReproductionPoint::End)),
        ("end", Some(_)) => None,
        ("exception", None) => Some(Ok(ReproductionPoint::Exception { text: None })),
        ("console", None) => Some(Err(PointError::new(
            text,
            at,
            "expected \":\" and a part of the console message",
            Some("for example: console:total is NaN"),
        ))),
        (_, Some("")) => Some(Err(PointError::new(
            text,
            at + 1,
            format!("expected a part of the message after \"{keyword}:\""),
            (keyword == "exception").then_some("for any uncaught exception, write exception"),
        ))),
        ("exception", Some(part)) => Some(Ok(ReproductionPoint::Exception {
            text: Some(part.to_owned()),
        })),
        (_, Some(part)) => Some(Ok(ReproductionPoint::Console {
            text: part.to_owned(),
        })),
        (_, None) => None,
    }
}

/// `FILE:LINE[:COLUMN][#HIT]`; `trimmed` begins at byte `start` of `text`.
fn location(text: &str, trimmed: &str, start: usize) -> Result<ReproductionPoint, PointError> {
    let (place, hit) = split_hit(text, trimmed, start)?;
    let (rest, last) = trailing_number(place);
    let Some(last) = last else {
        return Err(no_line(text, place, start));
    };
    let (file, first) = trailing_number(rest);
    // `http://h:8080` and `C:22` keep what looks like a port or a drive only if a file is left before it.
    let (file, line, column) = match first {
        Some(first) if !file.is_empty() => (file, first, Some(last)),
        _ => (rest, last, None),
    };
    if file.is_empty() {
        return Err(PointError::new(
            text,
            start,
            "expected a file before the line",
            Some(FORMS),
        ));
    }
    let number = |digits: &str, what: &str| {
        // `digits` is a part of `text`: its place is the distance between the two.
        let at = digits.as_ptr() as usize - text.as_ptr() as usize;
        match digits.parse::<u32>() {
            Ok(0) => Err(PointError::new(
                text,
                at,
                format!("expected a {what}; the first is 1"),
                None,
            )),
            Ok(number) => Ok(number),
            Err(_) => Err(PointError::new(
                text,
                at,
                format!("expected a {what}; {digits} is out of range"),
                None,
            )),
        }
    };
    Ok(ReproductionPoint::Location {
        file: file.to_owned(),
        line: number(line, "line")?,
        column: column.map(|column| number(column, "column")).transpose()?,
        hit,
    })
}

/// Splits `#HIT` off. A `#` that is before `:LINE` is a part of the file.
fn split_hit<'text>(
    text: &str,
    trimmed: &'text str,
    start: usize,
) -> Result<(&'text str, Hit), PointError> {
    let Some((place, hit)) = trimmed.rsplit_once('#') else {
        return Ok((trimmed, Hit::default()));
    };
    if trailing_number(place).1.is_none() {
        return Ok((trimmed, Hit::default()));
    }
    if trailing_number(hit).1.is_some() {
        return Ok((trimmed, Hit::default()));
    }
    let at = start + place.len() + 1;
    let message = match hit.parse::<i64>() {
        Ok(hit) if hit >= Hit::default().0 => return Ok((place, Hit(hit))),
        // Hits are counted while the page runs: which one is the second from the end is known only behind it.
        Ok(_) => "only the last hit, -1, is counted from the end",
        Err(_) => "expected which hit after \"#\", a whole number",
    };
    let help = "0 is the first, 1 the second, -1 the last in the replay (the default)";
    Err(PointError::new(text, at, message, Some(help)))
}

/// Splits `:digits` off the end.
fn trailing_number(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((before, digits))
            if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            (before, Some(digits))
        }
        _ => (text, None),
    }
}

fn no_line(text: &str, place: &str, start: usize) -> PointError {
    if place.is_empty() {
        return PointError::new(text, start, "expected a reproduction point", Some(FORMS));
    }
    let word = place.split([':', '#']).next().unwrap_or(place);
    if let Some(keyword) = nearest(word, ["exception", "console", "end"]) {
        let help = format!("did you mean \"{keyword}\"? {FORMS}");
        return PointError::new(text, start, "expected a reproduction point", Some(&help));
    }
    PointError::new(
        text,
        start + place.len(),
        "expected \":\" and a line",
        Some("for example: app.js:22"),
    )
}

impl fmt::Display for ReproductionPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Location {
                file,
                line,
                column,
                hit,
            } => {
                write!(formatter, "{file}:{line}")?;
                if let Some(column) = column {
                    write!(formatter, ":{column}")?;
                }
                if *hit == Hit::default() {
                    Ok(())
                } else {
                    write!(formatter, "#{}", hit.0)
                }
            }
            Self::Exception { text: None } => formatter.write_str("exception"),
            Self::Exception { text: Some(text) } => write!(formatter, "exception:{text}"),
            Self::Console { text } => write!(formatter, "console:{text}"),
            Self::End => formatter.write_str("end"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Hit, ReproductionPoint};

    fn location(file: &str, line: u32, column: Option<u32>, hit: i64) -> ReproductionPoint {
        ReproductionPoint::Location {
            file: file.to_owned(),
            line,
            column,
            hit: Hit(hit),
        }
    }

    fn rendered(text: &str) -> String {
        match ReproductionPoint::parse(text) {
            Ok(point) => panic!("{text:?} was understood as {point:?}"),
            Err(error) => error.render(),
        }
    }

    #[test]
    fn every_form_is_understood() {
        let exception = |text: Option<&str>| ReproductionPoint::Exception {
            text: text.map(str::to_owned),
        };
        let console = |text: &str| ReproductionPoint::Console {
            text: text.to_owned(),
        };
        let cases = [
            ("app.js:22", location("app.js", 22, None, -1)),
            (" app.js:22:5 ", location("app.js", 22, Some(5), -1)),
            ("app.js:22#0", location("app.js", 22, None, 0)),
            ("app.js:22:5#-1", location("app.js", 22, Some(5), -1)),
            ("app.js:22:5#2", location("app.js", 22, Some(5), 2)),
            (
                "http://h:8080/app.js:22:5#0",
                location("http://h:8080/app.js", 22, Some(5), 0),
            ),
            (
                "http://h:8080/app.js:22",
                location("http://h:8080/app.js", 22, None, -1),
            ),
            (
                "C:\\site\\app.js:22",
                location("C:\\site\\app.js", 22, None, -1),
            ),
            ("a b#c.js:7", location("a b#c.js", 7, None, -1)),
            ("a:1#b.js:7:2", location("a:1#b.js", 7, Some(2), -1)),
            (
                "webpack:///./src/Cart.tsx:3",
                location("webpack:///./src/Cart.tsx", 3, None, -1),
            ),
            ("end:22", location("end", 22, None, -1)),
            ("endless.js:22", location("endless.js", 22, None, -1)),
            ("exceptions.js:1", location("exceptions.js", 1, None, -1)),
            ("exception", exception(None)),
            ("exception:x is not:22", exception(Some("x is not:22"))),
            ("console:item #2", console("item #2")),
            ("console: a", console(" a")),
            ("end", ReproductionPoint::End),
        ];
        for (text, point) in cases {
            assert_eq!(
                ReproductionPoint::parse(text).as_ref(),
                Ok(&point),
                "{text}"
            );
            assert_eq!(
                ReproductionPoint::parse(&point.to_string()),
                Ok(point),
                "{text}"
            );
        }
    }

    #[test]
    fn errors_say_what_was_expected() {
        insta::assert_snapshot!(rendered("app.js"), @r#"
        app.js
              ^ expected ":" and a line
        help: for example: app.js:22
        "#);
        insta::assert_snapshot!(rendered("app.js:0"), @"
        app.js:0
               ^ expected a line; the first is 1
        ");
        insta::assert_snapshot!(rendered("app.js:3:99999999999"), @"
        app.js:3:99999999999
                 ^ expected a column; 99999999999 is out of range
        ");
        insta::assert_snapshot!(rendered("app.js:22#first"), @r##"
        app.js:22#first
                  ^ expected which hit after "#", a whole number
        help: 0 is the first, 1 the second, -1 the last in the replay (the default)
        "##);
        insta::assert_snapshot!(rendered("app.js:22#-2"), @"
        app.js:22#-2
                  ^ only the last hit, -1, is counted from the end
        help: 0 is the first, 1 the second, -1 the last in the replay (the default)
        ");
        insta::assert_snapshot!(rendered("exception#2"), @r#"
        exception#2
                 ^ only a location has hits; "exception" is the first one there is
        help: leave it off, or add ":" and a part of the message to tell it from others
        "#);
        insta::assert_snapshot!(rendered("console"), @r#"
        console
               ^ expected ":" and a part of the console message
        help: for example: console:total is NaN
        "#);
        insta::assert_snapshot!(rendered("exception:"), @r#"
        exception:
                  ^ expected a part of the message after "exception:"
        help: for any uncaught exception, write exception
        "#);
        insta::assert_snapshot!(rendered("Exeption"), @r#"
        Exeption
        ^ expected a reproduction point
        help: did you mean "exception"? a reproduction point is FILE:LINE, FILE:LINE:COLUMN (each with #HIT if wanted), exception, exception:TEXT, console:TEXT or end
        "#);
        insta::assert_snapshot!(rendered(":22"), @"
        :22
        ^ expected a file before the line
        help: a reproduction point is FILE:LINE, FILE:LINE:COLUMN (each with #HIT if wanted), exception, exception:TEXT, console:TEXT or end
        ");
    }

    #[test]
    fn only_locations_match_scripts() {
        assert!(location("app.js", 1, None, -1).matches_url("http://h/app.js"));
        assert!(!ReproductionPoint::End.matches_url("http://h/end"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), url in any::<String>()) {
            match ReproductionPoint::parse(&text) {
                Ok(point) => {
                    let _ = point.matches_url(&url);
                }
                Err(error) => {
                    prop_assert!(text.is_char_boundary(error.offset));
                    prop_assert!(!error.render().is_empty());
                }
            }
        }

        #[test]
        fn what_is_printed_parses_back(text in "[a-z:/#.0-9 -]{0,20}") {
            if let Ok(point) = ReproductionPoint::parse(&text) {
                prop_assert_eq!(ReproductionPoint::parse(&point.to_string()), Ok(point));
            }
        }
    }
}
