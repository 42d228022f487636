//! A table of a log as SQLite's virtual table.
//!
//! The planner is told which columns have an index ([`Relation::indexed`]); a cursor walks the rows that the index
//! gives. SQLite checks every condition itself as well, so an index may give too many rows, never too few.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::sync::Arc;

use event_log::relations::{Cell, ColumnKind, RELATIONS, Relation, Relations, Rows, Wanted};
use rusqlite::types::{Null, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexFlags, IndexInfo, Module, VTab, VTabConnection,
    VTabCursor, sqlite3_vtab, sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Error, Result};

/// Bits of the number that says how a cursor finds its rows: the column in the lower ones.
const COLUMN: c_int = 0xff;
const EQUAL: c_int = 0x100;
const FROM: c_int = 0x200;
const TO: c_int = 0x400;

/// Makes all tables of a log known to a connection.
///
/// # Errors
/// If SQLite refuses.
pub(crate) fn register(connection: &Connection, relations: &Arc<Relations>) -> Result<()> {
    const MODULE: Module<'static, LogTable> = Module::eponymous_only_module();
    for relation in RELATIONS {
        let table = (Arc::clone(relations), relation);
        connection.create_module(relation.name, &MODULE, Some(table))?;
    }
    Ok(())
}

/// A table.
#[repr(C)]
struct LogTable {
    /// First, as SQLite asks for.
    base: sqlite3_vtab,
    relations: Arc<Relations>,
    relation: &'static Relation,
}

/// Where a statement is in a table.
#[repr(C)]
struct LogCursor<'vtab> {
    /// First, as SQLite asks for.
    base: sqlite3_vtab_cursor,
    relations: Arc<Relations>,
    relation: &'static Relation,
    rows: Rows,
    next: usize,
    table: PhantomData<&'vtab LogTable>,
}

// SAFETY: `LogTable` is laid out as C does it, and begins with `sqlite3_vtab`.
#[expect(
    unsafe_code,
    reason = "the trait is unsafe for the layout of its type alone"
)]
unsafe impl<'vtab> VTab<'vtab> for LogTable {
    type Aux = (Arc<Relations>, &'static Relation);
    type Cursor = LogCursor<'vtab>;

    fn connect(
        _: &mut VTabConnection,
        aux: Option<&Self::Aux>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        let (relations, relation) = aux.ok_or_else(|| Error::ModuleError("no log".to_owned()))?;
        let columns: Vec<String> = relation.columns.iter().map(declaration).collect();
        let schema = CString::new(format!("CREATE TABLE log({})", columns.join(", ")));
        let schema = schema.map_err(|error| Error::ModuleError(error.to_string()))?;
        let table = Self {
            base: sqlite3_vtab::default(),
            relations: Arc::clone(relations),
            relation,
        };
        Ok((Cow::Owned(schema), table))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let rows = self.relations.rows(self.relation);
        let mut best: Option<(c_int, c_int, Vec<usize>)> = None;
        let offered: Vec<(usize, usize, IndexConstraintOp)> = info
            .constraints()
            .enumerate()
            .filter(|(_, constraint)| constraint.is_usable())
            .filter_map(|(number, constraint)| {
                let column = usize::try_from(constraint.column()).ok()?;
                Some((number, column, constraint.operator()))
            })
            .collect();
        for (number, column, operator) in &offered {
            let Some(is_sorted) = self.relation.indexed(*column) else {
                continue;
            };
            let column_bits = c_int::try_from(*column).unwrap_or(COLUMN);
            let plan = match operator {
                IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ => (EQUAL, vec![*number]),
                _ if !is_sorted => continue,
                _ => range(&offered, *column),
            };
            if plan.1.is_empty() {
                continue;
            }
            if best.as_ref().is_none_or(|(_, bits, _)| bits & EQUAL == 0) {
                best = Some((column_bits, plan.0, plan.1));
            }
        }
        let Some((column, bits, constraints)) = best else {
            info.set_idx_num(0);
            info.set_estimated_cost(f64::from(rows));
            info.set_estimated_rows(i64::from(rows));
            return Ok(true);
        };
        for (argument, constraint) in (1..).zip(&constraints) {
            info.constraint_usage(*constraint).set_argv_index(argument);
        }
        let is_unique = bits & EQUAL != 0
            && self.relation.indexed(usize::try_from(column).unwrap_or(0)) == Some(true);
        let found = match bits {
            _ if is_unique => 1,
            bits if bits & EQUAL != 0 => rows / 1000 + 2,
            bits if bits & FROM != 0 && bits & TO != 0 => rows / 10 + 2,
            _ => rows / 2 + 2,
        };
        info.set_idx_num(column | bits);
        info.set_estimated_cost(f64::from(found));
        info.set_estimated_rows(i64::from(found));
        if is_unique {
            info.set_idx_flags(IndexFlags::SQLITE_INDEX_SCAN_UNIQUE);
        }
        Ok(true)
    }

    fn open(&'vtab mut self) -> Result<Self::Cursor> {
        Ok(LogCursor {
            base: sqlite3_vtab_cursor::default(),
            relations: Arc::clone(&self.relations),
            relation: self.relation,
            rows: Rows::Range(0..0),
            next: 0,
            table: PhantomData,
        })
    }
}

/// The conditions that bound a column: from, to.
fn range(offered: &[(usize, usize, IndexConstraintOp)], column: usize) -> (c_int, Vec<usize>) {
    use IndexConstraintOp as Op;
    let of = |is_from: bool| {
        offered.iter().find(|(_, other, operator)| {
            *other == column
                && match operator {
                    Op::SQLITE_INDEX_CONSTRAINT_GT | Op::SQLITE_INDEX_CONSTRAINT_GE => is_from,
                    Op::SQLITE_INDEX_CONSTRAINT_LT | Op::SQLITE_INDEX_CONSTRAINT_LE => !is_from,
                    _ => false,
                }
        })
    };
    let mut bits = 0;
    let mut constraints = Vec::new();
    for (bit, bound) in [(FROM, of(true)), (TO, of(false))] {
        if let Some((number, _, _)) = bound {
            bits |= bit;
            constraints.push(*number);
        }
    }
    (bits, constraints)
}

fn declaration(column: &event_log::relations::Column) -> String {
    let kind = match column.kind {
        ColumnKind::Integer => "INTEGER",
        ColumnKind::Real => "REAL",
        ColumnKind::Text => "TEXT",
    };
    format!("\"{}\" {kind}", column.name)
}

// SAFETY: `LogCursor` is laid out as C does it, and begins with `sqlite3_vtab_cursor`.
#[expect(
    unsafe_code,
    reason = "the trait is unsafe for the layout of its type alone"
)]
unsafe impl VTabCursor for LogCursor<'_> {
    fn filter(&mut self, plan: c_int, _: Option<&str>, arguments: &Filters<'_>) -> Result<()> {
        self.next = 0;
        let all = Rows::Range(0..self.relations.rows(self.relation));
        let mut values = arguments.iter();
        let column = usize::try_from(plan & COLUMN).unwrap_or(0);
        let wanted = match plan & !COLUMN {
            0 => None,
            bits if bits & EQUAL != 0 => values.next().and_then(equal),
            bits => {
                let mut bound = |bit: c_int, otherwise: i64| match bits & bit {
                    0 => Some(otherwise),
                    _ => values.next().and_then(|value| whole(value, bit == TO)),
                };
                let from = bound(FROM, i64::MIN);
                let to = bound(TO, i64::MAX);
                from.zip(to).map(|(from, to)| Wanted::Between(from, to))
            }
        };
        let found = wanted.and_then(|wanted| self.relations.find(self.relation, column, &wanted));
        self.rows = found.unwrap_or(all);
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        self.next += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.next >= self.rows.len()
    }

    fn column(&self, context: &mut Context, column: c_int) -> Result<()> {
        let row = self.rows.get(self.next).unwrap_or(u32::MAX);
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        match self.relations.cell(self.relation, row, column) {
            Cell::Null => context.set_result(Null),
            Cell::Integer(number) => context.set_result(number),
            Cell::Real(number) => context.set_result(number),
            Cell::Text(text) => context.set_result(text.as_ref()),
        }
    }

    fn rowid(&self) -> Result<i64> {
        Ok(i64::from(self.rows.get(self.next).unwrap_or(u32::MAX)))
    }
}

/// What a condition asks for; `None`: all rows are looked at, and SQLite compares.
fn equal(value: ValueRef<'_>) -> Option<Wanted<'_>> {
    match value {
        ValueRef::Integer(number) => Some(Wanted::Equal(Cell::Integer(number))),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).ok()?;
            Some(Wanted::Equal(Cell::Text(Cow::Borrowed(text))))
        }
        ValueRef::Real(_) | ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

/// The whole number that bounds as this does, or less narrowly.
fn whole(value: ValueRef<'_>, is_upper: bool) -> Option<i64> {
    match value {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Real(number) if number.abs() < 1e15 => {
            let rounded = if is_upper {
                number.ceil()
            } else {
                number.floor()
            };
            Some(rounded as i64)
        }
        _ => None,
    }
}
