//! The wire and the file: what was written is what is read, whatever was cut off or damaged on the way.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use event_log::file::{Damage, LogEnd, LogError, LogFile, LogInfo, LogWriter, WriteError};
use event_log::ids::{FunctionId, ObjectId, ScopeId, SiteId, StaticScopeId, StreamId, StringId};
use event_log::model::Model;
use event_log::record::{GapReason, Record, ResumeMode};
use event_log::relations::{Cell, RELATIONS, Relations, Wanted};
use event_log::tables::{Function, Script, Site, Source, SourceKind, StaticScope, Stream, Tables};
use event_log::value::Value;
use event_log::wire::{Counts, Encoder, HEADER_WORDS, PACKED, decode, unpack};
use proptest::prelude::*;

const COUNTS: Counts = Counts {
    strings: 0,
    objects: 0,
    scopes: 0,
    functions: 8,
    sites: 16,
    static_scopes: 4,
};

fn tables() -> Tables {
    Tables {
        streams: vec![Stream {
            kind: "page".to_owned(),
            url: "http://h/".to_owned(),
        }],
        scripts: vec![Script {
            url: "http://h/app.js".to_owned(),
            library: false,
        }],
        functions: vec![
            Function {
                name: "add".to_owned(),
                parameters: vec!["item".to_owned()],
                ..Function::default()
            };
            8
        ],
        scopes: vec![StaticScope::default(); 4],
        sites: vec![
            Site {
                line: 3,
                column: 1,
                sources: vec![Source {
                    kind: SourceKind::Property,
                    names: vec!["cart".to_owned(), "total".to_owned()],
                    ..Source::default()
                }],
                ..Site::default()
            };
            16
        ],
        ..Tables::default()
    }
}

fn decoded(words: &[i32]) -> Vec<String> {
    let mut found = Vec::new();
    decode(words, &mut COUNTS.clone(), |record| {
        found.push(format!("{record:?}"));
    })
    .unwrap();
    found
}

#[test]
fn what_the_page_encodes_is_read() {
    let fixture = include_str!("wire/encoder.words");
    let mut text = String::new();
    for line in fixture.lines() {
        let words: Vec<i32> = line.split(' ').map(|it| it.parse().unwrap()).collect();
        for record in decoded(&words) {
            // A text of 256 units says no more than one of a few.
            let _ = writeln!(text, "{}", record.replace(&", 120".repeat(255), ", …"));
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn what_the_page_packs_is_unpacked() {
    for line in include_str!("wire/packed.txt").lines() {
        let (words, packed) = line.split_once('\t').unwrap();
        let words: Vec<u8> = words
            .split_whitespace()
            .flat_map(|word| word.parse::<i32>().unwrap().to_le_bytes())
            .collect();
        let packed = STANDARD.decode(packed).unwrap();
        assert_eq!(unpack(&packed), Ok(words));
        // Cut off anywhere it is refused, or only what nobody needs is missing.
        for length in 0..packed.len() {
            let cut = unpack(&packed[..length]);
            assert!(cut.is_err() || cut == unpack(&packed), "{length}");
        }
    }
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Undefined),
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        any::<i32>().prop_map(|it| Value::Number(f64::from(it))),
        (-300..300).prop_map(|it| Value::Number(f64::from(it))),
        any::<f64>()
            .prop_filter("NaN is not equal to itself", |it| !it.is_nan())
            .prop_map(Value::Number),
        Just(Value::Number(-0.0)),
        (1..=3u32).prop_map(|it| Value::String(StringId(it))),
        (1..=3u32, any::<u32>(), any::<bool>()).prop_map(|(start, length, is_identified)| {
            Value::LongString {
                start: StringId(start),
                length,
                is_identified,
            }
        }),
        (1..=4u32).prop_map(|it| Value::Object(ObjectId(it))),
        (1..=4u32).prop_map(|it| Value::Function(ObjectId(it))),
        (1..=4u32).prop_map(|it| Value::Symbol(ObjectId(it))),
        (1..=3u32).prop_map(|it| Value::BigInt(StringId(it))),
        Just(Value::Absent),
        Just(Value::Uninitialised),
        Just(Value::Accessor),
        Just(Value::Unknown),
    ]
}

fn owner() -> impl Strategy<Value = Value> {
    (1..=4u32).prop_map(|it| Value::Object(ObjectId(it)))
}

/// A record that owns what it holds.
type Owned = Box<dyn Fn(&mut dyn FnMut(&Record<'_>)) + Send>;

fn fixed(record: impl Strategy<Value = Record<'static>>) -> impl Strategy<Value = OwnedRecord> {
    record.prop_map(|record| OwnedRecord(Box::new(move |sink| sink(&record))))
}

struct OwnedRecord(Owned);

impl std::fmt::Debug for OwnedRecord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (self.0)(&mut |record| {
            let _ = write!(formatter, "{record:?}");
        });
        Ok(())
    }
}

fn record() -> impl Strategy<Value = OwnedRecord> {
    let function = || (1..=8u32).prop_map(FunctionId);
    let site = || (1..=16u32).prop_map(SiteId);
    let values = || prop::collection::vec(value(), 0..4);
    let text = || (0..=3u32).prop_map(StringId);
    let scope = || Just(ScopeId(1));
    let calls = prop_oneof![
        fixed(function().prop_map(Record::Enter)),
        fixed(function().prop_map(Record::Leaf)),
        fixed(function().prop_map(Record::Return)),
        fixed(function().prop_map(Record::Unwind)),
        fixed((site(), value()).prop_map(|(site, value)| Record::ReturnValue { site, value })),
        fixed((site(), value()).prop_map(|(site, value)| Record::Throw { site, value })),
        fixed((site(), value()).prop_map(|(site, value)| Record::Catch { site, value })),
        fixed((site(), value()).prop_map(|(site, value)| Record::CallEnd { site, value })),
        fixed((0..1000u32).prop_map(Record::Activation)),
        (value(), values()).prop_map(|(this, values)| OwnedRecord(Box::new(move |sink| {
            sink(&Record::Arguments {
                this,
                values: &values,
            });
        }))),
        (site(), value(), value(), values()).prop_map(|(site, callee, this, values)| {
            OwnedRecord(Box::new(move |sink| {
                sink(&Record::CallSite {
                    site,
                    callee,
                    this,
                    values: &values,
                });
            }))
        }),
        (function(), prop::collection::vec(any::<u32>(), 0..3)).prop_map(|(function, words)| {
            OwnedRecord(Box::new(move |sink| {
                sink(&Record::BranchBits {
                    function,
                    words: &words,
                });
            }))
        }),
    ];
    let writes = prop_oneof![
        fixed(
            (site(), owner(), value()).prop_map(|(site, owner, value)| Record::Write {
                site,
                owner,
                value
            })
        ),
        fixed(
            (site(), owner(), value(), value()).prop_map(|(site, owner, key, value)| {
                Record::WriteKey {
                    site,
                    owner,
                    key,
                    value,
                }
            })
        ),
        fixed(
            (site(), owner(), value(), value()).prop_map(|(site, owner, key, value)| {
                Record::WriteEntry {
                    site,
                    owner,
                    key,
                    value,
                }
            })
        ),
        fixed(
            (site(), scope(), value()).prop_map(|(site, scope, value)| Record::Assign {
                site,
                scope,
                value
            })
        ),
        fixed((site(), owner()).prop_map(|(site, object)| Record::Create { site, object })),
        fixed((site(), any::<bool>()).prop_map(|(site, outcome)| Record::Branch { site, outcome })),
        fixed(
            (site(), any::<i32>(), value()).prop_map(|(site, outcome, value)| Record::BranchCase {
                site,
                outcome,
                value
            })
        ),
        fixed(site().prop_map(Record::Step)),
        (owner(), any::<u32>(), value(), value()).prop_map(|(owner, total, key, value)| {
            OwnedRecord(Box::new(move |sink| {
                sink(&Record::Contents {
                    owner,
                    total,
                    entries: &[key, value],
                });
            }))
        }),
        fixed((1..=4u32, scope()).prop_map(|(of, parent)| Record::Scope {
            of: StaticScopeId(of),
            parent
        })),
        fixed(text().prop_map(|class| Record::Object { class })),
        fixed(
            (0..=8u32, text()).prop_map(|(function, name)| Record::FunctionObject {
                function: FunctionId(function),
                name
            })
        ),
    ];
    let time = || (0..1_000_000u32).prop_map(|it| f64::from(it) / 8.0);
    let modes = prop_oneof![
        Just(ResumeMode::Next),
        Just(ResumeMode::Throw),
        Just(ResumeMode::Return)
    ];
    let rest = prop_oneof![
        fixed((text(), any::<u32>(), value(), time()).prop_map(
            |(kind, cause, target, time_ms)| {
                Record::Task {
                    kind,
                    cause,
                    target,
                    time_ms,
                }
            }
        )),
        fixed(Just(Record::TaskEnd)),
        fixed(
            (site(), any::<u32>(), value()).prop_map(|(site, activation, value)| Record::Suspend {
                site,
                activation,
                value
            })
        ),
        fixed(
            (any::<u32>(), modes, value()).prop_map(|(activation, mode, value)| Record::Resume {
                activation,
                mode,
                value
            })
        ),
        fixed((site(), value(), any::<bool>(), value()).prop_map(
            |(site, promise, fulfilled, value)| Record::Settle {
                site,
                promise,
                fulfilled,
                value
            }
        )),
        fixed((site(), text(), any::<u32>(), value()).prop_map(
            |(site, kind, number, callback)| Record::Schedule {
                site,
                kind,
                number,
                callback
            }
        )),
        fixed(
            (site(), value(), text(), value()).prop_map(|(site, node, change, value)| {
                Record::Dom {
                    site,
                    node,
                    change,
                    value,
                }
            })
        ),
        fixed(
            (site(), any::<u32>(), value(), value()).prop_map(|(site, number, target, body)| {
                Record::Request {
                    site,
                    number,
                    target,
                    body,
                }
            })
        ),
        fixed(
            (any::<u32>(), any::<u32>(), value()).prop_map(|(number, status, body)| {
                Record::Response {
                    number,
                    status,
                    body,
                }
            })
        ),
        fixed(
            (text(), text(), value()).prop_map(|(kind, target, value)| Record::Action {
                kind,
                target,
                value
            })
        ),
        fixed(
            (site(), text(), value()).prop_map(|(site, level, text)| Record::Console {
                site,
                level,
                text
            })
        ),
        fixed((value(), value()).prop_map(|(value, message)| Record::Uncaught { value, message })),
        fixed((any::<u32>()).prop_map(|lost| Record::Gap {
            reason: GapReason::Dropped,
            lost
        })),
        fixed(time().prop_map(Record::Clock)),
        fixed(any::<u32>().prop_map(Record::RunHash)),
    ];
    prop_oneof![3 => calls, 3 => writes, 1 => rest]
}

/// What any record may name.
fn define(encoder: &mut Encoder) {
    for text in ["a", "length", "é𝒳"] {
        let units: Vec<u16> = text.encode_utf16().collect();
        encoder.record(&Record::Text(&units));
    }
    for _ in 0..4 {
        encoder.record(&Record::Object { class: StringId(1) });
    }
    encoder.record(&Record::Scope {
        of: StaticScopeId(1),
        parent: ScopeId::NONE,
    });
}

/// Batches of `records`, and what they are.
fn batches(records: &[OwnedRecord], each: usize) -> (Vec<Vec<i32>>, Vec<String>) {
    let mut encoder = Encoder::new(StreamId(1));
    define(&mut encoder);
    let mut batches = Vec::new();
    for (index, record) in records.iter().enumerate() {
        (record.0)(&mut |record| encoder.record(record));
        if index % each == each - 1 {
            batches.push(encoder.finish());
        }
    }
    batches.push(encoder.finish());
    let texts = records.iter().map(|record| format!("{record:?}")).collect();
    (batches, texts)
}

const DEFINED: usize = 8;

fn log(batches: &[Vec<i32>], finish: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let info = LogInfo {
        page: "http://h/".to_owned(),
        ..LogInfo::default()
    };
    let mut writer = LogWriter::new(&mut bytes, &info).unwrap();
    writer.add(&tables()).unwrap();
    for batch in batches {
        writer.batch_words(batch).unwrap();
        // A chunk for each, so that something can be cut off between them.
        writer.flush().unwrap();
    }
    if finish {
        writer.finish(&LogEnd::default()).unwrap();
    }
    bytes
}

/// The records of all chunks that can be read.
fn read(bytes: &[u8]) -> Result<(Vec<String>, Vec<Damage>), LogError> {
    let file = LogFile::open(bytes)?;
    let mut found = Vec::new();
    let mut damage = file.damage().to_vec();
    for index in 0..file.chunks().len() {
        let result = file
            .chunk(index)
            .and_then(|chunk| chunk.records(|record| found.push(format!("{record:?}"))));
        match result {
            Ok(()) => {}
            Err(LogError::Damaged { offset, reason }) => {
                damage.push(Damage::Chunk { offset, reason })
            }
            Err(error) => return Err(error),
        }
    }
    Ok((found, damage))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn records_come_back_as_they_were(records in prop::collection::vec(record(), 0..60)) {
        let (batches, texts) = batches(&records, 7);
        let mut counts = COUNTS;
        let mut wire = Vec::new();
        for batch in &batches {
            decode(batch, &mut counts, |record| wire.push(format!("{record:?}"))).unwrap();
        }
        prop_assert_eq!(&wire[DEFINED..], &texts[..]);
        let (found, damage) = read(&log(&batches, true)).unwrap();
        prop_assert_eq!(&found[DEFINED..], &texts[..]);
        prop_assert_eq!(damage, vec![]);
    }

    #[test]
    fn what_an_index_of_a_table_finds_is_what_is_there(records in prop::collection::vec(record(), 0..60)) {
        let (batches, _) = batches(&records, 7);
        let bytes = log(&batches, true);
        let relations = Relations::new(Model::read(&LogFile::open(bytes.as_slice()).unwrap()).unwrap());
        for relation in RELATIONS {
            let rows = relations.rows(relation);
            for column in 0..relation.columns.len() {
                let Some(is_sorted) = relation.indexed(column) else { continue };
                let cells: Vec<Cell<'_>> = (0..rows).map(|row| relations.cell(relation, row, column)).collect();
                for cell in cells.iter().filter(|cell| **cell != Cell::Null) {
                    let there: Vec<u32> = (0..rows).filter(|row| cells[*row as usize] == *cell).collect();
                    let found = relations.find(relation, column, &Wanted::Equal(cell.clone())).unwrap();
                    let found: Vec<u32> = (0..found.len()).filter_map(|index| found.get(index)).collect();
                    prop_assert_eq!(&found, &there, "{} by {}", relation.name, relation.columns[column].name);
                    let Cell::Integer(from) = *cell else { continue };
                    let between = relations.find(relation, column, &Wanted::Between(from, from + 3));
                    prop_assert_eq!(between.is_some(), is_sorted);
                    let Some(found) = between else { continue };
                    let there = cells.iter().filter(|cell| matches!(cell, Cell::Integer(it) if (from..=from + 3).contains(it)));
                    prop_assert_eq!(found.len(), there.count());
                }
            }
        }
    }

    #[test]
    fn a_log_that_was_cut_off_is_read_up_to_there(
        records in prop::collection::vec(record(), 20..40), part in 0.0..1.0,
    ) {
        let (batches, _) = batches(&records, 5);
        let bytes = log(&batches, true);
        let (whole, _) = read(&bytes).unwrap();
        let cut = (bytes.len() as f64 * part) as usize;
        match read(&bytes[..cut]) {
            Ok((found, damage)) => {
                prop_assert!(whole.starts_with(&found), "what is there is the beginning");
                // Where only the directory is missing, nothing is.
                let said = damage.iter().any(|it| matches!(it, Damage::CutOff { .. }));
                prop_assert!(said || found.len() == whole.len(), "{:?}", damage);
            }
            Err(error) => prop_assert!(cut < 16, "{error}"),
        }
    }

    #[test]
    fn flipped_bits_are_noticed(
        records in prop::collection::vec(record(), 20..40), at in any::<prop::sample::Index>(), bit in 0..8u8,
        finish in any::<bool>(),
    ) {
        let (batches, _) = batches(&records, 5);
        let mut bytes = log(&batches, finish);
        let (whole, before) = read(&bytes).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1u8 << bit;
        match read(&bytes) {
            Err(LogError::NotALog | LogError::Version(_)) => prop_assert!(at < 16),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
            Ok((found, damage)) => {
                // What is read is right: a part of what was written, in its order.
                let mut rest = whole.iter();
                prop_assert!(found.iter().all(|record| rest.any(|it| it == record)));
                let missing = found.len() < whole.len();
                prop_assert!(!missing || damage != before, "nothing says that a part is missing");
            }
        }
    }

    #[test]
    fn a_packed_batch_of_a_hostile_page_is_refused_or_unpacked(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let packed = [&PACKED[..], &bytes].concat();
        if let Ok(words) = unpack(&packed) {
            prop_assert!(words.len() <= 4 << 24);
        }
    }

    #[test]
    fn words_of_a_hostile_page_are_refused_or_read(
        words in prop::collection::vec(any::<i32>(), 0..64), codes in prop::collection::vec(1..32i32, 0..64),
        site in 0..20i32,
    ) {
        for mut body in [words.clone(), codes.iter().map(|it| site << 5 | it).collect()] {
            let mut batch = Encoder::new(StreamId(1)).finish();
            batch[3] = i32::try_from(body.len()).unwrap();
            batch.append(&mut body);
            let mut bytes = Vec::new();
            let mut writer = LogWriter::new(&mut bytes, &LogInfo::default()).unwrap();
            writer.add(&tables()).unwrap();
            let refused = matches!(writer.batch_words(&batch), Err(WriteError::Wire(_)));
            writer.finish(&LogEnd::default()).unwrap();
            let (found, damage) = read(&bytes).unwrap();
            prop_assert_eq!(damage, vec![]);
            let gap = format!("{:?}", Record::Gap { reason: GapReason::NotReadable, lost: 0 });
            prop_assert_eq!(found.last() == Some(&gap), refused);
        }
    }
}

#[test]
fn a_batch_that_was_lost_is_a_gap_and_the_rest_keeps_its_numbers() {
    let mut encoder = Encoder::new(StreamId(1));
    define(&mut encoder);
    let first = encoder.finish();
    let units: Vec<u16> = "lost".encode_utf16().collect();
    encoder.record(&Record::Text(&units));
    drop(encoder.finish());
    let value = Value::String(StringId(4));
    encoder.record(&Record::Throw {
        site: SiteId(1),
        value,
    });
    let third = encoder.finish();
    let (found, _) = read(&log(&[first, third], true)).unwrap();
    assert_eq!(
        found[DEFINED..],
        [
            "Gap { reason: BatchLost, lost: 0 }",
            "Throw { site: SiteId(1), value: String(StringId(4)) }"
        ]
    );
}

#[test]
fn a_later_version_is_refused_by_name() {
    let mut bytes = log(&[], true);
    bytes[8] = 2;
    let error = LogFile::open(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the log is of version 2 of the format; this program reads versions up to 1: update it"
    );
}

#[test]
fn tables_and_what_a_log_says_of_itself_come_back() {
    let bytes = log(&[], true);
    let file = LogFile::open(&bytes).unwrap();
    assert_eq!(file.tables(), &tables());
    assert_eq!(file.info().page, "http://h/");
    assert_eq!(file.end(), Some(&LogEnd::default()));
    assert_eq!(file.damage(), []);
}

#[test]
fn a_stream_that_nobody_announced_is_refused() {
    let mut writer = LogWriter::new(Vec::new(), &LogInfo::default()).unwrap();
    let batch = Encoder::new(StreamId(3)).finish();
    assert_eq!(batch.len(), HEADER_WORDS);
    assert!(matches!(
        writer.batch_words(&batch),
        Err(WriteError::Stream(3))
    ));
}
