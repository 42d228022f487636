//! SQL over a log: one statement that reads, with limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use event_log::relations::Relations;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags};
use serde::{Serialize, Serializer};

use crate::virtual_table::register;

/// So many steps of SQLite's machine lie between two looks at the clock: a fraction of a millisecond.
const STEPS: i32 = 10_000;
/// The longest text or blob that a statement can make, in bytes.
const LONGEST: i32 = 64 << 20;

/// What a statement may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may take.
    pub time: Duration,
    /// How many bytes SQLite may hold. It is a limit of the whole process, and can only be lowered.
    pub memory: u64,
    /// More rows are left out.
    pub rows: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(60),
            memory: 1 << 30,
            rows: 100_000,
        }
    }
}

/// What a statement gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<SqlValue>>,
    /// Whether there are more rows than the limit.
    pub cut: bool,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    /// `NULL`
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text; a blob as its hexadecimal digits.
    Text(String),
}

impl Serialize for SqlValue {
    /// As JSON has it; a number that JSON has not is a text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Real(number) if number.is_finite() => serializer.serialize_f64(*number),
            Self::Real(number) if *number > 0.0 => serializer.serialize_str("Infinity"),
            Self::Real(_) => serializer.serialize_str("-Infinity"),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// Why a statement has no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SqlError {
    /// It is no SQL, or names what there is not.
    #[error("{message}")]
    Statement {
        /// What SQLite says.
        message: String,
        /// Where in the statement, in bytes, if that is known.
        offset: Option<usize>,
    },
    /// It would do something else than read the log.
    #[error("only a SELECT of the log's tables is possible")]
    NotARead,
    /// It took longer than it may.
    #[error("the statement took longer than {} s; narrow it, for example with `seq BETWEEN … AND …`", .0.as_secs())]
    TooLong(Duration),
    /// It needed more memory than it may.
    #[error("the statement needs more than {} MB of memory; narrow it, or sort and group less", .0 >> 20)]
    TooMuchMemory(u64),
}

/// Answers one statement.
///
/// # Errors
/// [`SqlError`] says why there is no answer; the log is as it was in any case.
pub fn select(relations: &Arc<Relations>, sql: &str, limits: &Limits) -> Result<Table, SqlError> {
    answer(relations, sql, limits).map_err(|error| in_words(error, limits))
}

fn answer(relations: &Arc<Relations>, sql: &str, limits: &Limits) -> rusqlite::Result<Table> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_MEMORY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_in_memory_with_flags(flags)?;
    register(&connection, relations)?;
    confine(&mut connection, limits)?;
    let mut statement = connection.prepare(sql)?;
    if statement.column_count() == 0 {
        return Err(Error::ExecuteReturnedResults);
    }
    let columns = statement.column_names().map(str::to_owned).collect();
    let mut table = Table {
        columns,
        ..Table::default()
    };
    let width = table.columns.len();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        if table.rows.len() == limits.rows {
            table.cut = true;
            break;
        }
        let mut values = Vec::with_capacity(width);
        for column in 0..width {
            values.push(value(row.get_ref(column)?));
        }
        table.rows.push(values);
    }
    Ok(table)
}

/// What a connection may do from now on.
fn confine(connection: &mut Connection, limits: &Limits) -> rusqlite::Result<()> {
    // What is sorted and grouped stays in memory, where it counts.
    connection.execute_batch(&format!(
        "PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = {}; PRAGMA query_only = 1;",
        limits.memory
    ))?;
    // "name" is never a text: a column that there is not is an error.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
    connection.authorizer(Some(|context: AuthContext<'_>| may(&context.action)))?;
    let end = Instant::now() + limits.time;
    connection.progress_handler(STEPS, Some(move || Instant::now() > end))
}

/// What a statement may do: read, compute, and ask what a table has.
fn may(action: &AuthAction<'_>) -> Authorization {
    let is_read = match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => {
            !function_name.eq_ignore_ascii_case("load_extension")
        }
        AuthAction::Pragma { pragma_name, .. } => {
            matches!(
                pragma_name.to_ascii_lowercase().as_str(),
                "table_info" | "table_xinfo" | "function_list"
            )
        }
        _ => false,
    };
    if is_read {
        Authorization::Allow
    } else {
        Authorization::Deny
    }
}

fn value(value: ValueRef<'_>) -> SqlValue {
    match value {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(number) => SqlValue::Integer(number),
        ValueRef::Real(number) => SqlValue::Real(number),
        ValueRef::Text(text) => SqlValue::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => {
            SqlValue::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
        }
    }
}

fn in_words(error: Error, limits: &Limits) -> SqlError {
    let code = error.sqlite_error_code();
    match (code, &error) {
        (Some(ErrorCode::OperationInterrupted), _) => SqlError::TooLong(limits.time),
        (Some(ErrorCode::OutOfMemory), _) => SqlError::TooMuchMemory(limits.memory),
        (Some(ErrorCode::AuthorizationForStatementDenied | ErrorCode::ReadOnly), _)
        | (_, Error::MultipleStatement | Error::ExecuteReturnedResults) => SqlError::NotARead,
        (_, Error::SqlInputError { msg, offset, .. }) => SqlError::Statement {
            message: msg.clone(),
            offset: usize::try_from(*offset).ok(),
        },
        (_, error) => SqlError::Statement {
            message: error.to_string(),
            offset: None,
        },
    }
}

#[cfg(test)]
mod tests;
