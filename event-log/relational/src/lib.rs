//! An event log for tools that know tables.
//!
//! [`select`] answers SQL: SQLite asks for the rows that it needs, and nothing is copied into a database (its *virtual
//! tables*; Perfetto's trace processor does the same). [`write_parquet`] writes one file for each table, which DuckDB,
//! ClickHouse, Spark and others read. The tables are [`event_log::relations::RELATIONS`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use event_log::model::Model;
//! use event_log::relations::Relations;
//! use event_log_relational::{Limits, SqlValue, select};
//!
//! let log = Arc::new(Relations::new(Model::default()));
//! let table = select(&log, "SELECT count(*) AS calls FROM calls", &Limits::default())?;
//! assert_eq!((&*table.columns[0], &table.rows[0][0]), ("calls", &SqlValue::Integer(0)));
//! assert!(select(&log, "DELETE FROM calls", &Limits::default()).is_err());
//! # Ok::<(), event_log_relational::SqlError>(())
//! ```
//!
//! Invariants: nothing here writes to a log; a statement has limits of time and memory, and reaches no file; nothing
//! panics on what a log or a person gave. Native only: SQLite is a library of C.

mod files;
mod select;
mod virtual_table;

pub use files::{ParquetError, write_parquet};
pub use select::{Limits, SqlError, SqlValue, Table, select};
