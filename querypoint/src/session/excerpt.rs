//! What is shown of a source file around a point.

use crate::answer::{Answer, Location};

/// How many lines are shown before and after the point's.
pub const AROUND: usize = 200;

/// A longer line is cut: nobody reads a minified file as one.
const LONGEST: usize = 1000;

/// One line of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// 1-based.
    pub number: usize,
    /// Its text, cut if it is very long.
    pub text: String,
    /// The names of the points that are on it.
    pub points: Vec<String>,
    /// Whether it is that of the point that is looked at.
    pub is_chosen: bool,
}

/// The lines of `text` around `chosen`, with the points of the answer on them.
#[must_use]
pub fn lines(text: &str, chosen: &Location, answer: Option<&Answer>) -> Vec<Line> {
    let at = usize::try_from(chosen.line).unwrap_or(usize::MAX).max(1);
    let first = at.saturating_sub(AROUND).max(1);
    let lines = text
        .lines()
        .enumerate()
        .skip(first - 1)
        .take(at - first + AROUND + 1);
    lines
        .map(|(index, text)| {
            let number = index + 1;
            Line {
                number,
                text: cut(text),
                points: points_on(number, &chosen.url, answer),
                is_chosen: number == at,
            }
        })
        .collect()
}

fn points_on(number: usize, url: &str, answer: Option<&Answer>) -> Vec<String> {
    let points = answer.into_iter().flat_map(|answer| &answer.points);
    points
        .filter(|point| {
            let location = point.location.as_ref();
            location.is_some_and(|at| at.url == url && usize::try_from(at.line) == Ok(number))
        })
        .map(|point| point.name.clone())
        .collect()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The end of an address: what a person calls the file.
///
/// Never empty: of `http://host/` it is `host`.
#[must_use]
pub fn short_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let path = path.trim_end_matches('/');
    match path.rsplit('/').next() {
        Some(name) if !name.is_empty() => name,
        _ => url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{PointAnswer, Status};
    use crate::schemas;

    fn at(line: u32) -> Location {
        Location {
            url: "http://h/a.js".to_owned(),
            line,
            column: 1,
            generated: None,
            eval_origin: None,
            library: false,
        }
    }

    fn answer(points: &[(&str, Location)]) -> Answer {
        let points = points.iter().map(|(name, location)| PointAnswer {
            location: Some(location.clone()),
            ..PointAnswer::new(*name, None, Status::Found)
        });
        schemas::answer(points.collect())
    }

    #[test]
    fn the_points_are_on_their_lines() {
        let other = Location {
            url: "http://h/b.js".to_owned(),
            ..at(2)
        };
        let answer = answer(&[("R", at(3)), ("B", at(2)), ("C", at(2)), ("D", other)]);
        let lines = lines("one\ntwo\nthree\n", &at(3), Some(&answer));
        let shown: Vec<_> = lines
            .iter()
            .map(|it| (it.number, it.points.concat(), it.is_chosen))
            .collect();
        assert_eq!(
            shown,
            [
                (1, String::new(), false),
                (2, "BC".to_owned(), false),
                (3, "R".to_owned(), true)
            ]
        );
    }

    #[test]
    fn of_a_long_file_the_lines_around_are_shown() {
        let text = "x\n".repeat(100_000);
        let lines = lines(&text, &at(50_000), None);
        assert_eq!(lines.len(), 2 * AROUND + 1);
        assert_eq!(lines[AROUND].number, 50_000);
        assert!(lines[AROUND].is_chosen);
        assert_eq!(self::lines(&text, &at(1), None).len(), AROUND + 1);
        // A text that is not that of the answer any more.
        assert_eq!(self::lines("one\n", &at(9_000_000), None), []);
        assert_eq!(self::lines("", &at(0), None), []);
    }

    #[test]
    fn long_lines_are_cut() {
        let lines = lines(&"é".repeat(5000), &at(1), None);
        assert_eq!(lines[0].text.chars().count(), LONGEST + 1);
    }

    #[test]
    fn names_of_files() {
        for (url, name) in [
            ("http://h/a/app.js?v=1#x", "app.js"),
            ("http://h/", "h"),
            ("webpack:///src/Cart.tsx", "Cart.tsx"),
            ("eval at app.js:1:2", "eval at app.js:1:2"),
            ("", ""),
        ] {
            assert_eq!(short_name(url), name);
        }
    }
}
