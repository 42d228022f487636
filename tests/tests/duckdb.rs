//! `log export --parquet`: DuckDB reads the files, and finds in them what `query --sql` finds in the log.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use conformance::packages;
use end_to_end::{querypoint_command, repository};
use serde_json::Value;
use test_support::browsers;

const TABLES: [&str; 8] = [
    "arguments",
    "calls",
    "events",
    "functions",
    "missing",
    "objects",
    "variables",
    "writes",
];

/// Values of all types, in arguments, variables and properties.
const PAGE: &str = "<!doctype html><script>
class Item { constructor(name, price) { this.name = name; this.price = price } }
function total(items, ...more) {
  let sum = 0;
  for (const item of items) sum += item.price;
  if (more.length > 0) throw new RangeError('too \"many\"');
  return sum;
}
const items = [new Item('äpfel', 2.5), new Item('', -0), new Item('nüsse\\n', 1e21), new Item('🍐', 10n === 10n)];
total(items);
try { total(items, null, undefined, 10n, Symbol('s'), total, NaN, Infinity) } catch (error) { items.pop() }
const seen = new Map([['a', 1]]);
seen.set('b', 'x'.repeat(300));
delete items[0].name;
setTimeout(() => { items.length = 0; total([]) });
</script>";

fn querypoint(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(querypoint_command().unwrap());
    command.args(arguments).current_dir(folder);
    if arguments.first() == Some(&"log")
        && arguments.get(1) != Some(&"export")
        && let Some(address) = browsers::address(cdp_driver::native::Purpose::Pages)
    {
        command.args(["--connect", &address]);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    output
}

fn selected(folder: &Path, sql: &str) -> Value {
    let output = querypoint(&["query", "run.qplog", "--json", "--sql", sql], folder);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// How many rows a table has; of each column how many cells have a value, and how many values there are.
fn counts(table: &str, columns: &[Value]) -> String {
    let columns = columns.iter().map(|column| {
        let column = match column.as_str().unwrap() {
            // SQLite has no NaN.
            "number" => "CASE WHEN value <> 'NaN' THEN number END".to_owned(),
            column => format!("\"{column}\""),
        };
        format!(", count({column}), count(DISTINCT {column})")
    });
    format!(
        "SELECT count(*){} FROM {table}",
        columns.collect::<String>()
    )
}

#[test]
fn duckdb_finds_in_the_tables_what_the_log_has() {
    let modules = packages::install_from(&repository().join("tests/duckdb"), "duckdb").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("page.html"), PAGE).unwrap();
    querypoint(&["log", "page.html", "--out", "run.qplog"], folder);
    querypoint(
        &["log", "export", "run.qplog", "--parquet", "tables"],
        folder,
    );
    let mut statements: Vec<String> = TABLES
        .iter()
        .map(|table| {
            let whole = selected(folder, &format!("SELECT * FROM {table}"));
            counts(table, whole["columns"].as_array().unwrap())
        })
        .collect();
    let more = [
        "SELECT kind, count(*), min(seq), max(line) FROM events GROUP BY kind ORDER BY kind",
        "SELECT function, count(*) FROM calls GROUP BY function ORDER BY function",
        "SELECT type, value FROM arguments WHERE type <> 'string, cut' ORDER BY call, position",
        "SELECT owner_class, key, type, count(*) FROM writes GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    ];
    statements.extend(more.map(str::to_owned));
    let output = Command::new("node")
        .arg(repository().join("tests/duckdb/select.cjs"))
        .arg(modules)
        .arg(folder.join("tables"))
        .args(&statements)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let read: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(read.len(), statements.len());
    for (statement, rows) in statements.iter().zip(read) {
        assert_eq!(selected(folder, statement)["rows"], rows, "{statement}");
        // Only nothing is missing from this log.
        let first = &rows[0][0];
        assert_eq!(
            *first == 0,
            statement.contains("FROM missing"),
            "{statement}"
        );
    }
}
