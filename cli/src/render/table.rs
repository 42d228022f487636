//! What a statement of SQL gave, drawn as a table.

use std::fmt::Write as _;

use event_log_relational::{SqlValue, Table};
use unicode_width::UnicodeWidthStr as _;

use super::style::{FAINT, WARNING};
use super::text::printable;

/// A cell takes at most so many columns.
const WIDEST: usize = 60;

/// Draws a table: numbers on the right of their column, texts on the left.
pub(crate) fn table(table: &Table) -> String {
    let header: Vec<String> = table
        .columns
        .iter()
        .map(|name| printable(name, WIDEST))
        .collect();
    let rows: Vec<Vec<(String, bool)>> = table
        .rows
        .iter()
        .map(|row| row.iter().map(cell).collect())
        .collect();
    let mut widths: Vec<usize> = header.iter().map(|name| name.width()).collect();
    for row in &rows {
        for (width, (text, _)) in widths.iter_mut().zip(row) {
            *width = (*width).max(text.width());
        }
    }
    let mut text = String::new();
    let line = |text: &mut String, cells: Vec<(String, bool)>| {
        let mut drawn = String::new();
        for ((cell, is_number), width) in cells.into_iter().zip(&widths) {
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            let _ = match is_number {
                true => write!(drawn, "{padding}{cell}  "),
                false => write!(drawn, "{cell}{padding}  "),
            };
        }
        let _ = writeln!(text, "{}", drawn.trim_end());
    };
    let is_number = |column: usize| {
        rows.iter()
            .any(|row| row.get(column).is_some_and(|(_, is)| *is))
    };
    let header = header
        .into_iter()
        .enumerate()
        .map(|(column, name)| (name, is_number(column)));
    let mut head = String::new();
    line(&mut head, header.collect());
    let _ = write!(text, "{FAINT}{head}{FAINT:#}");
    let count = rows.len();
    for row in rows {
        line(&mut text, row);
    }
    match (count, table.cut) {
        (count, true) => {
            let _ = writeln!(
                text,
                "{WARNING}the first {count} rows; there are more: narrow it, or aggregate{WARNING:#}"
            );
        }
        (1, false) => {
            let _ = writeln!(text, "{FAINT}1 row{FAINT:#}");
        }
        (count, false) => {
            let _ = writeln!(text, "{FAINT}{count} rows{FAINT:#}");
        }
    }
    text
}

/// A cell, and whether it is a number.
fn cell(value: &SqlValue) -> (String, bool) {
    match value {
        SqlValue::Null => (String::new(), false),
        SqlValue::Integer(number) => (number.to_string(), true),
        SqlValue::Real(number) => (number.to_string(), true),
        SqlValue::Text(text) => (printable(text, WIDEST), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_on_the_right_and_nothing_reaches_the_terminal_unchecked() {
        let drawn = table(&Table {
            columns: vec!["name".to_owned(), "count".to_owned()],
            rows: vec![
                vec![
                    SqlValue::Text("add\u{1b}[2J".to_owned()),
                    SqlValue::Integer(7),
                ],
                vec![SqlValue::Null, SqlValue::Real(1234.5)],
            ],
            cut: false,
        });
        let plain = anstream::adapter::strip_str(&drawn).to_string();
        let lines: Vec<&str> = plain.lines().collect();
        assert!(!drawn.contains("\u{1b}[2J"), "{drawn:?}");
        assert!(lines[0].ends_with(" count"), "{plain}");
        assert!(lines[1].ends_with("      7"), "{plain}");
        assert!(lines[2].ends_with(" 1234.5"), "{plain}");
        assert_eq!(lines[3], "2 rows");
    }
}
