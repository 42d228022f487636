//! The table of all forms of writing, made from the fixtures that prove it.

use std::fmt::Write as _;
use std::fs;

use crate::fixture::{Expected, Fixture, Mark};

/// Folders of fixtures that are about something else than how a value is written.
const OTHER_GROUPS: [&str; 8] = [
    "chains",
    "conditions",
    "divergence",
    "exceptions",
    "hostile",
    "papers",
    "points",
    "traces",
];

/// The text of `docs/reference/write-forms.md`.
///
/// # Errors
/// A file of a fixture that cannot be read.
pub fn table(fixtures: &[Fixture]) -> Result<String, String> {
    let mut text = "\
# Every form of writing

How a value can be written, what was asked, and what the answer is; each row is a page below `tests/fixtures` that a
test asks. The code begins at the place that the answer names. Where there is none, no hook can see the write, or there
is no write.
This file is made from the pages: `WRITE_DOCS=1 cargo test -p end-to-end --test all write_forms`.
"
    .to_owned();
    let mut group = "";
    for fixture in fixtures {
        let Some((folder, name)) = fixture.name.split_once('/') else {
            continue;
        };
        if OTHER_GROUPS.contains(&folder) {
            continue;
        }
        if folder != group {
            group = folder;
            let _ = write!(
                text,
                "\n## {}\n\n| form | code | asked | answer |\n| --- | --- | --- | --- |\n",
                heading(folder)
            );
        }
        rows(fixture, name, &mut text)?;
    }
    Ok(text)
}

fn heading(folder: &str) -> String {
    if folder == "blind" {
        return "Not observed".to_owned();
    }
    let words = folder.replace('-', " ");
    let first = words.chars().next().map(|first| first.to_uppercase());
    let rest = words.chars().skip(1);
    first.into_iter().flatten().chain(rest).collect()
}

fn rows(fixture: &Fixture, name: &str, text: &mut String) -> Result<(), String> {
    let form = match fixture.form.as_str() {
        "" => name.replace('-', " "),
        form => form.to_owned(),
    };
    for (number, query) in fixture.queries.iter().enumerate() {
        let (point, asked) = match query.split_once(" = ") {
            Some((point, asked)) => (point.to_owned(), asked),
            None => (format!("Q{}", number + 1), query.as_str()),
        };
        let expected = fixture.expected.iter().find(|(of, _)| *of == point);
        let Some((_, expected)) = expected else {
            continue;
        };
        let code = match fixture.marks.get(&point) {
            Some(mark) => code(&excerpt(fixture, mark)?),
            None => "–".to_owned(),
        };
        let asked = asked
            .strip_prefix("lastChange(")
            .and_then(|rest| rest.strip_suffix(')'))
            .unwrap_or(asked);
        let _ = writeln!(
            text,
            "| [{form}](../../tests/fixtures/{}.html) | {code} | {} | {} |",
            fixture.name,
            self::code(asked),
            answer(expected)
        );
    }
    Ok(())
}

/// What is at a mark, to the end of its line.
fn excerpt(fixture: &Fixture, mark: &Mark) -> Result<String, String> {
    const LONGEST: usize = 70;
    let file = fixture.page.with_file_name(&mark.file);
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let line = text.lines().nth(mark.line - 1).unwrap_or("");
    let units: Vec<u16> = line.encode_utf16().skip(mark.column - 1).collect();
    let mut rest = String::from_utf16_lossy(&units);
    // Other marks on the line.
    while let Some((before, after)) = rest.split_once("/*") {
        let after = after.split_once("*/").map_or("", |(_, after)| after);
        rest = format!("{before}{after}");
    }
    let rest = rest.trim();
    if rest.chars().count() <= LONGEST {
        return Ok(rest.to_owned());
    }
    let cut: String = rest.chars().take(LONGEST).collect();
    Ok(format!("{} …", cut.trim_end()))
}

/// A cell of code.
fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

fn answer(expected: &Expected) -> String {
    match expected {
        Expected::Change { old: None, new } => format!("created {}", code(new)),
        Expected::Change {
            old: Some(old),
            new,
        } => format!("{} → {}", code(old), code(new)),
        Expected::Deletion { old } => format!("{} → deleted", code(old)),
        Expected::NeverChanged { value } => format!("never changed: {}", code(value)),
        Expected::Received { new } => format!("came as {}", code(new)),
        Expected::User { .. } => "the user's own input".to_owned(),
        Expected::Blind { .. } => "`blind`".to_owned(),
        Expected::NotReached { .. } => "not reached".to_owned(),
        Expected::Condition { outcome: true, .. } => "held".to_owned(),
        Expected::Condition { outcome: false, .. } => "did not hold".to_owned(),
        Expected::Exception { .. } => "thrown".to_owned(),
        Expected::Event { .. } => "an event".to_owned(),
        Expected::Hit { .. } | Expected::Unpredictable => "a change".to_owned(),
    }
}
