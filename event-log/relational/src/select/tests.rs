use std::sync::Arc;
use std::time::{Duration, Instant};

use event_log::model::Model;
use event_log::relations::{RELATIONS, Relations};

use super::{Limits, SqlError, SqlValue, select};

fn asked(sql: &str) -> Result<Vec<Vec<SqlValue>>, SqlError> {
    let relations = Arc::new(Relations::new(Model::default()));
    select(&relations, sql, &Limits::default()).map(|table| table.rows)
}

#[test]
fn every_table_and_column_can_be_asked_for() {
    for relation in RELATIONS {
        let columns: Vec<String> = relation
            .columns
            .iter()
            .map(|it| format!("\"{}\"", it.name))
            .collect();
        let sql = format!("SELECT {} FROM {}", columns.join(", "), relation.name);
        assert_eq!(asked(&sql), Ok(vec![]), "{sql}");
        let described = asked(&format!(
            "SELECT name FROM pragma_table_info('{}')",
            relation.name
        ))
        .unwrap();
        assert_eq!(described.len(), relation.columns.len());
    }
}

#[test]
fn nothing_but_reading_is_possible() {
    for sql in [
        "CREATE TABLE mine(a)",
        "CREATE TEMP TABLE mine(a)",
        "CREATE VIEW mine AS SELECT 1",
        "INSERT INTO events(seq) VALUES (1)",
        "DELETE FROM events",
        "UPDATE calls SET depth = 1",
        "DROP TABLE events",
        "ATTACH 'mine.db' AS mine",
        "ATTACH ':memory:' AS mine",
        "VACUUM INTO 'mine.db'",
        "PRAGMA hard_heap_limit = 0",
        "PRAGMA query_only = 0",
        "PRAGMA temp_store_directory = '/'",
        "BEGIN",
        "SELECT load_extension('mine')",
        "CREATE VIRTUAL TABLE mine USING fts5(a)",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE events",
        "REINDEX",
        "ANALYZE",
        "EXPLAIN DELETE FROM events",
    ] {
        let found = asked(sql);
        let is_refused = matches!(found, Err(SqlError::NotARead | SqlError::Statement { .. }));
        assert!(is_refused, "{sql}: {found:?}");
    }
    assert_eq!(
        asked("SELECT count(*) FROM events"),
        Ok(vec![vec![SqlValue::Integer(0)]])
    );
}

#[test]
fn what_is_no_statement_is_said_with_its_place() {
    let wrong = |sql: &str| match asked(sql) {
        Err(SqlError::Statement { message, offset }) => (message, offset),
        other => panic!("{sql}: {other:?}"),
    };
    assert_eq!(
        wrong("SELECT nobody FROM calls"),
        ("no such column: nobody".to_owned(), Some(7))
    );
    assert_eq!(wrong("SELECT 1 FROM nobody").0, "no such table: nobody");
    assert!(
        wrong("SELECT \"nobody\" FROM calls")
            .0
            .starts_with("no such column: \"nobody\"")
    );
    assert_eq!(
        wrong("SELEKT 1"),
        ("near \"SELEKT\": syntax error".to_owned(), Some(0))
    );
    let _ = wrong("");
    let _ = wrong("-- nothing");
    let _ = wrong("SELECT 'a\0b");
}

#[test]
fn a_statement_that_never_ends_is_ended() {
    let relations = Arc::new(Relations::new(Model::default()));
    let limits = Limits {
        time: Duration::from_millis(50),
        ..Limits::default()
    };
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";
    let from = Instant::now();
    for sql in [
        format!("{endless} SELECT count(*) FROM c"),
        format!("{endless} SELECT x FROM c WHERE x < 0"),
    ] {
        assert_eq!(
            select(&relations, &sql, &limits),
            Err(SqlError::TooLong(limits.time))
        );
    }
    assert!(from.elapsed() < Duration::from_secs(30));
    // Rows that never end are cut.
    let limits = Limits {
        rows: 7,
        ..Limits::default()
    };
    let table = select(&relations, &format!("{endless} SELECT x FROM c"), &limits).unwrap();
    assert_eq!((table.rows.len(), table.cut), (7, true));
}

#[test]
fn a_statement_that_grows_is_ended() {
    let relations = Arc::new(Relations::new(Model::default()));
    let limits = Limits {
        memory: 8 << 20,
        // `group_concat` says at the end that there was no memory for it, and the end is this.
        time: Duration::from_secs(10),
        ..Limits::default()
    };
    for sql in [
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c ORDER BY x",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT group_concat(x) FROM c",
        "SELECT length(zeroblob(60000000) || zeroblob(60000000))",
    ] {
        let found = select(&relations, sql, &limits);
        let is_ended = match &found {
            Err(SqlError::TooMuchMemory(_)) => true,
            Err(SqlError::Statement { message, .. }) => message.contains("too big"),
            _ => false,
        };
        assert!(is_ended, "{sql}: {found:?}");
    }
}
