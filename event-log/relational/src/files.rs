//! The tables of a log as Parquet files.
//!
//! One file for each table, in a folder: `events.parquet`, `calls.parquet`, …. Folders of several runs beside each
//! other, named `run=good`, `run=bad`, are one data set with a column `run` for tools that know Hive's partitions.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use event_log::relations::{Cell, ColumnKind, RELATIONS, Relation, Relations};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError as Failure;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

/// Rows of a group: each column of a group is in memory before it is written.
const GROUP: u32 = 1 << 17;

/// Why files are not written.
#[derive(Debug, thiserror::Error)]
pub enum ParquetError {
    /// The disk, or the folder.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What the format refuses.
    #[error("{0}")]
    Format(String),
}

impl From<Failure> for ParquetError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => Self::Io(*error),
                Err(error) => Self::Format(error.to_string()),
            },
            failure => Self::Format(failure.to_string()),
        }
    }
}

/// Writes a file for each table into a folder, which is made if it is not there. `create` makes a file: whoever calls
/// decides who may read it.
///
/// Each file is written under another name first, and has its own when it is whole.
///
/// # Errors
/// [`ParquetError`]; files that were whole before that stay.
pub fn write_parquet(
    relations: &Relations,
    folder: &Path,
    create: &dyn Fn(&Path) -> io::Result<File>,
) -> Result<(), ParquetError> {
    std::fs::create_dir_all(folder)?;
    for relation in RELATIONS {
        let path = folder.join(format!("{}.parquet", relation.name));
        let unfinished = folder.join(format!(".{}.parquet.part", relation.name));
        let written = create(&unfinished)
            .map_err(ParquetError::from)
            .and_then(|file| table(relations, relation, file));
        if let Err(error) = written {
            // Nothing is left of what was not finished; that it cannot be removed is said by the error that there is.
            let _ = std::fs::remove_file(&unfinished);
            return Err(error);
        }
        std::fs::rename(&unfinished, &path)?;
    }
    Ok(())
}

fn table(relations: &Relations, relation: &Relation, file: File) -> Result<(), ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let mut file = BufWriter::new(file);
    let mut writer =
        SerializedFileWriter::new(&mut file, Arc::new(schema(relation)?), Arc::new(properties))?;
    let rows = relations.rows(relation);
    let mut from = 0;
    while from < rows {
        let to = from.saturating_add(GROUP).min(rows);
        group(relations, relation, from..to, writer.next_row_group()?)?;
        from = to;
    }
    writer.close()?;
    file.flush()?;
    Ok(())
}

fn schema(relation: &Relation) -> Result<Type, ParquetError> {
    let mut fields = Vec::new();
    for column in relation.columns {
        let (physical, logical) = match column.kind {
            ColumnKind::Integer => (PhysicalType::INT64, None),
            ColumnKind::Real => (PhysicalType::DOUBLE, None),
            ColumnKind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()?;
        fields.push(Arc::new(field));
    }
    Ok(Type::group_type_builder(relation.name)
        .with_fields(fields)
        .build()?)
}

fn group<W: Write + Send>(
    relations: &Relations,
    relation: &Relation,
    rows: std::ops::Range<u32>,
    mut writer: SerializedRowGroupWriter<'_, W>,
) -> Result<(), ParquetError> {
    let mut number = 0;
    while let Some(mut column) = writer.next_column()? {
        let cells = rows
            .clone()
            .map(|row| relations.cell(relation, row, number));
        // 1: there is a value; 0: null.
        let mut levels: Vec<i16> = Vec::with_capacity(rows.len());
        match column.untyped() {
            ColumnWriter::Int64ColumnWriter(writer) => {
                let values = collect(cells, &mut levels, |cell| match cell {
                    Cell::Integer(number) => Some(number),
                    _ => None,
                });
                writer.write_batch(&values, Some(&levels), None)?;
            }
            ColumnWriter::DoubleColumnWriter(writer) => {
                let values = collect(cells, &mut levels, |cell| match cell {
                    Cell::Real(number) => Some(number),
                    _ => None,
                });
                writer.write_batch(&values, Some(&levels), None)?;
            }
            ColumnWriter::ByteArrayColumnWriter(writer) => {
                let values = collect(cells, &mut levels, |cell| match cell {
                    Cell::Text(text) => Some(ByteArray::from(text.into_owned().into_bytes())),
                    _ => None,
                });
                writer.write_batch(&values, Some(&levels), None)?;
            }
            _ => return Err(ParquetError::Format("a column of another kind".to_owned())),
        }
        column.close()?;
        number += 1;
    }
    writer.close()?;
    Ok(())
}

fn collect<'m, T>(
    cells: impl Iterator<Item = Cell<'m>>,
    levels: &mut Vec<i16>,
    of: impl Fn(Cell<'m>) -> Option<T>,
) -> Vec<T> {
    let mut values = Vec::new();
    for cell in cells {
        let value = of(cell);
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    values
}

#[cfg(test)]
mod tests;
