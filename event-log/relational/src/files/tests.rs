use std::fs::File;
use std::io;

use event_log::file::{LogEnd, LogFile, LogInfo, LogWriter};
use event_log::ids::{FunctionId, StreamId};
use event_log::model::Model;
use event_log::record::Record;
use event_log::relations::{Cell, RELATIONS, Relations};
use event_log::tables::{Function, Script, Stream, Tables};
use event_log::wire::Encoder;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::{ParquetError, write_parquet};

/// A log of so many calls of one function.
fn relations(calls: usize) -> Relations {
    let mut bytes = Vec::new();
    let mut writer = LogWriter::new(&mut bytes, &LogInfo::default()).unwrap();
    let tables = Tables {
        streams: vec![Stream::default()],
        scripts: vec![Script {
            url: "http://h/app.js".to_owned(),
            library: false,
        }],
        functions: vec![Function {
            name: "add".to_owned(),
            script: event_log::ids::ScriptId(1),
            line: 3,
            column: 1,
            ..Function::default()
        }],
        ..Tables::default()
    };
    writer.add(&tables).unwrap();
    let mut encoder = Encoder::new(StreamId(1));
    for call in 0..calls {
        encoder.record(&Record::Enter(FunctionId(1)));
        encoder.record(&Record::Return(FunctionId(1)));
        if call % 10_000 == 0 {
            writer.batch_words(&encoder.finish()).unwrap();
        }
    }
    writer.batch_words(&encoder.finish()).unwrap();
    writer.finish(&LogEnd::default()).unwrap();
    Relations::new(Model::read(&LogFile::open(bytes.as_slice()).unwrap()).unwrap())
}

#[test]
fn files_have_what_the_tables_have() {
    // More than two groups of rows.
    let relations = relations(140_000);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("run=good");
    write_parquet(&relations, &folder, &|path| File::create(path)).unwrap();
    for relation in RELATIONS {
        let file = File::open(folder.join(format!("{}.parquet", relation.name))).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let mut rows = 0;
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            // All of a few, some of many.
            if rows % 997 == 0 {
                for ((name, field), column) in row.get_column_iter().zip(0..) {
                    assert_eq!(name, relation.columns[column].name);
                    let cell = relations.cell(relation, rows, column);
                    let is_same = match (&cell, field) {
                        (Cell::Null, Field::Null) => true,
                        (Cell::Integer(one), Field::Long(other)) => one == other,
                        (Cell::Real(one), Field::Double(other)) => one.to_bits() == other.to_bits(),
                        (Cell::Text(one), Field::Str(other)) => one == other,
                        _ => false,
                    };
                    assert!(is_same, "{}.{name}: {cell:?}, {field:?}", relation.name);
                }
            }
            rows += 1;
        }
        assert_eq!(rows, relations.rows(relation), "{}", relation.name);
    }
    let calls = relations.rows(RELATIONS.iter().find(|it| it.name == "calls").unwrap());
    assert_eq!(calls, 140_000);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), RELATIONS.len());
}

#[test]
fn nothing_is_left_of_a_file_that_is_not_whole() {
    let relations = relations(1);
    let folder = tempfile::tempdir().unwrap();
    let mut full = 0;
    // The disk is full when the third file is made.
    let made = std::cell::Cell::new(0);
    let failure = write_parquet(&relations, folder.path(), &|path| {
        made.set(made.get() + 1);
        match made.get() {
            3 => Err(io::Error::from(io::ErrorKind::StorageFull)),
            _ => File::create(path),
        }
    });
    assert!(matches!(failure, Err(ParquetError::Io(_))));
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name.ends_with(".parquet") && !name.starts_with('.'),
            "{name}"
        );
        full += 1;
    }
    assert_eq!(full, 2);
    // `/dev/full` takes nothing.
    let failure = write_parquet(&relations, folder.path(), &|_| {
        File::options().write(true).open("/dev/full")
    });
    assert!(matches!(failure, Err(ParquetError::Io(_))), "{failure:?}");
}
