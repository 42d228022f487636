//! The page about the tables is written from the tables.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use event_log::relations::{ColumnKind, RELATIONS};

const START: &str = "\
# The tables of a log

What `querypoint query FILE --sql SELECT` can ask, and what `querypoint log export FILE --parquet DIR` writes: one
Parquet file for each table. [The guide](../how-to/logs.md) has examples.

A value has several columns. `value` is its text as a console prints it, of a text the text itself; `type` tells `\"1\"`
from `1`; `number` and `object` are what can be calculated and joined with. Nothing is null. SQL has no NaN: there its
`number` is null, in Parquet files it is NaN.

Numbers of objects and scopes count in one realm: where a page has frames or workers, join by `realm` as well. An event
is named by `seq`, a call by the `seq` of its first event.

This page is written from the tables: `WRITE_DOCS=1 cargo test -p event-log --test relations`.
";

fn page() -> String {
    let mut page = START.to_owned();
    for relation in RELATIONS {
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n| column | kind | what it is |\n| --- | --- | --- |\n",
            relation.name, relation.about
        );
        for column in relation.columns {
            let kind = match column.kind {
                ColumnKind::Integer => "integer",
                ColumnKind::Real => "number",
                ColumnKind::Text => "text",
            };
            let _ = writeln!(page, "| `{}` | {kind} | {} |", column.name, column.about);
        }
    }
    page
}

#[test]
fn the_page_has_every_table_and_column() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/event-log-tables.md");
    if std::env::var_os("WRITE_DOCS").is_some() {
        fs::write(&path, page()).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/reference/event-log-tables.md is out of date; WRITE_DOCS=1 cargo test -p event-log --test relations"
    );
    let names = RELATIONS.iter().map(|relation| relation.name);
    assert!(names.eq([
        "events",
        "calls",
        "arguments",
        "writes",
        "variables",
        "objects",
        "functions",
        "missing"
    ]));
}
