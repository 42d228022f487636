//! The answers of a log, drawn: trees of calls, chains, histories and lists, each event with its number and its place.

use std::fmt::Write as _;

use querypoint::events::{EventsAnswer, EventsResult, LoggedEvent};
use unicode_width::UnicodeWidthStr as _;

use super::folding::{Row, folded};
use super::places::Places;
use super::style::{FAINT, NEW, OLD, PLACE, QUERY, WARNING};
use super::text::printable;

/// What an event says takes at most so many columns.
const WIDEST: usize = 78;

/// A line of a statement of SQL is never cut: who reads it copies it.
const LONGEST_LINE: usize = 100_000;

/// Draws the answers to questions to the log of `page`. `is_whole`: nothing of a tree is folded.
pub(crate) fn events(answer: &EventsAnswer, page: &str, is_whole: bool) -> String {
    results(&answer.results, page, is_whole)
}

/// Draws the answers of a log of `page`.
pub(super) fn results(results: &[EventsResult], page: &str, is_whole: bool) -> String {
    let nothing = |_: &str, _: u32| None;
    let places = Places::new(page, &nothing);
    let mut text = String::new();
    for (result, index) in results.iter().zip(0..) {
        if index > 0 {
            text.push('\n');
        }
        draw(&mut text, result, &places, is_whole);
    }
    text
}

/// One event, with its number and its place.
pub(crate) fn event(event: &LoggedEvent) -> String {
    let place = event.location.as_ref().map(|location| {
        let place = format!("{}:{}:{}", location.url, location.line, location.column);
        printable(&place, WIDEST)
    });
    format!(
        "{FAINT}#{}{FAINT:#}  {}  {PLACE}{}{PLACE:#}",
        event.seq,
        said(event, true),
        place.unwrap_or_default()
    )
}

fn draw(text: &mut String, result: &EventsResult, places: &Places<'_>, is_whole: bool) {
    let query = printable(&result.query, WIDEST);
    let name = match result.query.contains('=') && result.query.starts_with(&result.name) {
        true => String::new(),
        false => format!("{FAINT}{}{FAINT:#} ", printable(&result.name, WIDEST)),
    };
    let count = match (result.holds, result.total) {
        (Some(true), total) => format!("yes, {}", counted(total)),
        (Some(false), 0) => "no".to_owned(),
        (Some(false), total) => format!("no, {}", counted(total)),
        (None, total) => counted(total),
    };
    let _ = writeln!(
        text,
        "{name}{QUERY}{query}{QUERY:#}  {FAINT}{count}{FAINT:#}"
    );
    let rows = match is_whole {
        true => result.events.iter().map(Row::Event).collect(),
        false => folded(&result.events),
    };
    let depths: Vec<usize> = rows.iter().map(Row::depth).collect();
    let tree = branches(&depths);
    let events = rows.iter().filter_map(Row::event);
    let number_width = events
        .map(|event| event.seq.to_string().len())
        .max()
        .unwrap_or(0);
    let lines: Vec<(String, String)> = rows
        .iter()
        .zip(&tree)
        .map(|(row, branch)| (branch.clone(), said_of(row)))
        .collect();
    let width = lines
        .iter()
        .map(|(branch, said)| branch.width() + plain_width(said))
        .max()
        .unwrap_or(0)
        .min(WIDEST);
    for ((branch, said), row) in lines.iter().zip(&rows) {
        let Some(event) = row.event() else {
            let _ = writeln!(
                text,
                "   {:<number_width$}  {FAINT}{branch}{said}{FAINT:#}",
                ""
            );
            continue;
        };
        let used = branch.width() + plain_width(said);
        let padding = " ".repeat(width.saturating_sub(used));
        let place = event
            .location
            .as_ref()
            .map(|location| printable(&places.place(location), WIDEST))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "  {FAINT}#{:<number_width$}{FAINT:#}  {FAINT}{branch}{FAINT:#}{said}{padding}  {PLACE}{place}{PLACE:#}",
            event.seq
        );
    }
    if rows.len() < result.events.len() || rows.iter().any(|row| row.event().is_none()) {
        let _ = writeln!(
            text,
            "  {FAINT}calls are folded; --whole-tree draws all of them, --json has them{FAINT:#}"
        );
    }
    for note in &result.notes {
        let style = if result.complete { FAINT } else { WARNING };
        let _ = writeln!(text, "  {style}{}{style:#}", printable(note, 400));
    }
    for line in result.sql.iter().flat_map(|sql| sql.lines()) {
        let _ = writeln!(text, "  {FAINT}{}{FAINT:#}", printable(line, LONGEST_LINE));
    }
}

fn counted(total: u64) -> String {
    match total {
        0 => "no event".to_owned(),
        1 => "1 event".to_owned(),
        total => format!("{total} events"),
    }
}

/// What a row says.
fn said_of(row: &Row<'_>) -> String {
    match row {
        Row::Event(event) => said(event, true),
        Row::Folded {
            depth,
            calls,
            deepest,
        } => {
            let levels = deepest - depth + 1;
            format!("… {calls} more calls, {levels} deep")
        }
    }
}

/// What an event says, with colours; with `within` also in which function.
pub(super) fn said(event: &LoggedEvent, within: bool) -> String {
    let words = event.words();
    let mut text = printable(&words.text, WIDEST);
    match (words.old, words.new) {
        (Some(old), Some(new)) => {
            let (old, new) = (printable(&old, 40), printable(&new, 40));
            let _ = write!(text, "  {OLD}{old}{OLD:#} → {NEW}{new}{NEW:#}");
        }
        (_, Some(new)) => {
            let _ = write!(text, " = {NEW}{}{NEW:#}", printable(&new, 40));
        }
        (_, None) => {}
    }
    if let Some(function) = words.within.filter(|_| within) {
        let _ = write!(text, "  {FAINT}in {}{FAINT:#}", printable(&function, 40));
    }
    text
}

/// How wide a text is without its colours.
fn plain_width(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

/// The lines of a tree in front of each row, by how deep it is; nothing where there is no tree.
fn branches(depths: &[usize]) -> Vec<String> {
    // From the end on: whether at each depth another one follows.
    let mut follows: Vec<bool> = Vec::new();
    let mut lines = vec![String::new(); depths.len()];
    for (line, &depth) in lines.iter_mut().zip(depths).rev() {
        follows.truncate(depth + 1);
        follows.resize(depth + 1, false);
        let (own, around) = follows
            .split_last_mut()
            .map_or((None, [].as_mut_slice()), |(own, around)| {
                (Some(own), around)
            });
        for &mut follows in around.iter_mut().skip(1) {
            line.push_str(if follows { "│  " } else { "   " });
        }
        if depth > 0 {
            let another = own.as_ref().is_some_and(|own| **own);
            line.push_str(if another { "├─ " } else { "└─ " });
        }
        if let Some(own) = own {
            *own = true;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use querypoint::answer::{Location, Owner, Value, ValueType};
    use querypoint::events::{EVENTS_SCHEMA, EventKind};

    fn event(seq: u64, kind: EventKind) -> LoggedEvent {
        LoggedEvent {
            location: Some(Location {
                url: "http://h/app.js".to_owned(),
                line: 3,
                column: 5,
                generated: None,
                eval_origin: None,
                library: false,
            }),
            function: Some("add".to_owned()),
            call: Some(1),
            ..LoggedEvent::new(seq, kind)
        }
    }

    fn number(number: i32) -> Value {
        Value::new(ValueType::Number, number.to_string())
    }

    #[test]
    fn trees_and_histories_are_drawn() {
        let call = |seq, depth, name: &str, argument| LoggedEvent {
            function: Some(name.to_owned()),
            depth: Some(depth),
            arguments: Some(vec![number(argument)]),
            returned: Some(number(argument + 1)),
            ..event(seq, EventKind::Call)
        };
        let tree = EventsResult {
            name: "Q1".to_owned(),
            query: "callTree(R)".to_owned(),
            complete: true,
            total: 5,
            events: vec![
                call(1, 0, "main", 1),
                call(2, 1, "add", 2),
                call(3, 2, "log", 3),
                call(40, 1, "add", 4),
                call(50, 2, "log\u{1b}[2J", 5),
            ],
            ..EventsResult::default()
        };
        let write = LoggedEvent {
            name: Some("total".to_owned()),
            owner: Some(Owner {
                id: 7,
                class: "Cart".to_owned(),
            }),
            old: Some(number(1)),
            value: Some(number(2)),
            ..event(60, EventKind::Write)
        };
        let history = EventsResult {
            name: "H".to_owned(),
            query: "H = history(R:cart.total)".to_owned(),
            complete: false,
            notes: vec!["the log was cut off: what came later is not in it".to_owned()],
            total: 1,
            holds: Some(true),
            events: vec![write],
            sql: None,
        };
        let answer = EventsAnswer {
            schema: EVENTS_SCHEMA.to_owned(),
            results: vec![tree, history],
        };
        let text = anstream::adapter::strip_str(&events(&answer, "http://h/", false)).to_string();
        insta::assert_snapshot!(text, @r"
        Q1 callTree(R)  5 events
          #1   main(1) → 2                app.js:3:5
          #2   ├─ add(2) → 3              app.js:3:5
          #3   │  └─ log(3) → 4           app.js:3:5
          #40  └─ add(4) → 5              app.js:3:5
          #50     └─ log\u{1b}[2J(5) → 6  app.js:3:5

        H = history(R:cart.total)  yes, 1 event
          #60  Cart #7.total  1 → 2  in add  app.js:3:5
          the log was cut off: what came later is not in it
        ");
    }
}
