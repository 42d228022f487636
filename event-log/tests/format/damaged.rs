//! Logs that were cut off, damaged or forged, and batches of hostile pages: what is there is read, and what is not is
//! said, at every byte of a log.

use event_log::call_tree::CallTree;
use event_log::catalogue::{answer, missing};
use event_log::compare::compare;
use event_log::export::{chrome_trace, jel};
use event_log::file::{Damage, LogEnd, LogError, LogFile, LogInfo, LogWriter, WriteError};
use event_log::ids::{FunctionId, ObjectId, ScopeId, SiteId, StreamId, StringId};
use event_log::model::Model;
use event_log::record::{GapReason, Record, ResumeMode};
use event_log::relations::{RELATIONS, Relations};
use event_log::value::Value;
use event_log::wire::{Encoder, PACKED, unpack};
use proptest::prelude::*;
use querypoint::catalogue::Definitions;
use querypoint::point::ReproductionPoint;

use super::records::record;
use super::{batches, define, log, read, tables};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

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

/// A batch with every kind of record that names something.
fn every_kind(encoder: &mut Encoder) -> Vec<i32> {
    define(encoder);
    let (site, function) = (SiteId(2), FunctionId(1));
    let text = Value::String(StringId(1));
    let (object, number) = (Value::Object(ObjectId(1)), Value::Number(1.5));
    let key = Value::String(StringId(2));
    let entries = [Value::Number(0.0), text];
    for record in [
        Record::Task {
            kind: StringId(1),
            cause: 0,
            target: object,
            time_ms: 1.0,
        },
        Record::FunctionObject {
            function,
            name: StringId(1),
        },
        Record::CallSite {
            site,
            callee: Value::Function(ObjectId(5)),
            this: object,
            values: &[number],
        },
        Record::Enter(function),
        Record::Arguments {
            this: object,
            values: &[number, text],
        },
        Record::Activation(1),
        Record::Branch {
            site,
            outcome: true,
        },
        Record::BranchCase {
            site,
            outcome: 1,
            value: text,
        },
        Record::BranchBits {
            function,
            words: &[5],
        },
        Record::Create { site, object },
        Record::Write {
            site,
            owner: object,
            value: number,
        },
        Record::WriteKey {
            site,
            owner: object,
            key,
            value: number,
        },
        Record::WriteEntry {
            site,
            owner: object,
            key,
            value: text,
        },
        Record::Contents {
            owner: object,
            total: 1,
            entries: &entries,
        },
        Record::Assign {
            site,
            scope: ScopeId(1),
            value: text,
        },
        Record::Step(site),
        Record::CallEnd {
            site,
            value: number,
        },
        Record::Leaf(FunctionId(2)),
        Record::Suspend {
            site,
            activation: 1,
            value: text,
        },
        Record::Resume {
            activation: 1,
            mode: ResumeMode::Next,
            value: number,
        },
        Record::Settle {
            site,
            promise: object,
            fulfilled: true,
            value: text,
        },
        Record::Throw { site, value: text },
        Record::Catch { site, value: text },
        Record::ReturnValue {
            site,
            value: number,
        },
        Record::Enter(FunctionId(3)),
        Record::Unwind(FunctionId(3)),
        Record::Uncaught {
            value: text,
            message: text,
        },
        Record::TaskEnd,
    ] {
        encoder.record(&record);
    }
    encoder.finish()
}

/// A log of two chunks with events.
fn small_log(is_finished: bool) -> Vec<u8> {
    let mut encoder = Encoder::new(StreamId(1));
    let first = every_kind(&mut encoder);
    encoder.record(&Record::Enter(FunctionId(1)));
    encoder.record(&Record::Return(FunctionId(1)));
    log(&[first, encoder.finish()], is_finished)
}

#[test]
fn every_byte_that_is_cut_off_or_flipped_is_noticed() {
    for is_finished in [true, false] {
        let bytes = small_log(is_finished);
        let (whole, before) = read(&bytes).unwrap();
        for length in 0..bytes.len() {
            match read(&bytes[..length]) {
                Ok((found, damage)) => {
                    assert!(whole.starts_with(&found), "cut at {length}");
                    let is_said = damage.iter().any(|it| matches!(it, Damage::CutOff { .. }));
                    assert!(is_said || found.len() == whole.len(), "cut at {length}");
                }
                Err(error) => assert!(length < 16, "cut at {length}: {error}"),
            }
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << bit;
                match read(&bytes) {
                    Ok((found, damage)) => {
                        let mut rest = whole.iter();
                        let is_part = found.iter().all(|it| rest.any(|own| own == it));
                        assert!(is_part, "bit {bit} of byte {at}");
                        let is_said = damage != before;
                        assert!(
                            is_said || found.len() == whole.len(),
                            "bit {bit} of byte {at}"
                        );
                    }
                    Err(LogError::NotALog | LogError::Version(_)) => assert!(at < 16),
                    Err(error) => panic!("bit {bit} of byte {at}: {error}"),
                }
            }
        }
    }
}

/// Where a chunk's header begins, how many bytes it has, and where in it which numbers are.
const HEADER: usize = 64;
const HEADER_FIELDS: [std::ops::Range<usize>; 9] = [
    4..8,   // its kind
    8..12,  // its stream
    12..16, // how many events it has
    16..20, // the number of its first event
    20..24,
    24..28, // how many texts, objects and scopes were defined before
    28..32,
    32..36,
    36..40, // how long its body is
];
const BODY_LENGTH: std::ops::Range<usize> = 36..40;
const BODY_CHECKSUM: std::ops::Range<usize> = 40..44;

/// The chunks of a log: where each begins, and where it ends.
fn chunks(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 16;
    while bytes[at..].starts_with(b"QPCK") {
        let length: [u8; 4] = bytes[at..][BODY_LENGTH].try_into().unwrap();
        let end = at + HEADER + u32::from_le_bytes(length) as usize;
        found.push((at, end));
        at = end;
    }
    found
}

/// Makes the checksums of a chunk right again.
fn repair(bytes: &mut [u8], (begin, end): (usize, usize)) {
    let body = crc32fast::hash(&bytes[begin + HEADER..end]);
    let header = &mut bytes[begin..begin + HEADER];
    header[BODY_CHECKSUM].copy_from_slice(&body.to_le_bytes());
    let own = crc32fast::hash(&header[..HEADER - 4]);
    header[HEADER - 4..].copy_from_slice(&own.to_le_bytes());
}

/// Asks a log all that can be asked, and writes it in all ways. Gives what it says is missing.
fn ask_everything(bytes: &[u8]) -> Result<Vec<String>, LogError> {
    let file = LogFile::open(bytes)?;
    let model = Model::read(&file)?;
    let missing = missing(&model);
    let definitions = Definitions::default();
    let last = model.events.len().saturating_sub(1);
    for text in [
        "callChain(#P)",
        "where(#P)",
        "where(throw())",
        "state(#P:length)",
        "contents(#P:length)",
        "callsBefore(#P)",
        "arguments(#P)",
        "locals(#P)",
        "returned(#P)",
        "history(#P:length.a)",
        "argumentsOf(add)",
        "returnsOf(add)",
        "instances(a)",
        "running(#P)",
        "callTree(#P)",
        "wasEvaluated(app.js:3)",
        "wasAssigned(.length, 1.5)",
        "wasCaught(a)",
        "hasEnded(add)",
    ] {
        for point in [0, last / 2, last] {
            let text = text.replace("#P", &format!("#{point}"));
            let question = definitions.question(&text).unwrap();
            // Of what is not there an answer is an error.
            let _ = answer(&model, &ReproductionPoint::End, &[question]);
        }
    }
    assert!(!compare(&model, &model).differs);
    let mut written = Vec::new();
    jel(&model, &mut written).unwrap();
    chrome_trace(&model, &mut written).unwrap();
    let tree = CallTree::of(&model);
    let _ = tree.rows(&model, None, 0, 100);
    let relations = Relations::new(model);
    for relation in RELATIONS {
        for row in 0..relations.rows(relation).min(100) {
            for column in 0..relation.columns.len() {
                let _ = relations.cell(relation, row, column);
            }
        }
    }
    Ok(missing)
}

/// The most memory that this process ever had, in MB.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes >> 10)
}

/// A log is a few hundred bytes here: no number in it makes room for much.
const MOST_MEMORY_MB: u64 = 400;

#[test]
fn every_forged_number_of_a_header_is_refused_or_read() {
    for is_finished in [true, false] {
        let bytes = small_log(is_finished);
        for chunk in chunks(&bytes) {
            for field in HEADER_FIELDS {
                for number in [0, 1, 7, 1 << 16, 1 << 26, u32::MAX] {
                    let mut bytes = bytes.clone();
                    bytes[chunk.0..][field.clone()].copy_from_slice(&number.to_le_bytes());
                    repair(&mut bytes, chunk);
                    match ask_everything(&bytes) {
                        Ok(_) | Err(LogError::NotALog | LogError::Damaged { .. }) => {}
                        Err(error) => panic!("{chunk:?} {field:?} {number}: {error}"),
                    }
                }
            }
        }
    }
    if let Some(memory) = most_memory() {
        assert!(memory < MOST_MEMORY_MB, "{memory} MB");
    }
}

#[test]
fn every_forged_byte_of_a_body_is_refused_or_read() {
    let bytes = small_log(true);
    for chunk in chunks(&bytes) {
        for at in chunk.0 + HEADER..chunk.1 {
            for forged in [bytes[at] ^ 1, bytes[at] ^ 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = forged;
                repair(&mut bytes, chunk);
                match ask_everything(&bytes) {
                    Ok(_) | Err(LogError::Damaged { .. }) => {}
                    Err(error) => panic!("byte {at} as {forged}: {error}"),
                }
            }
        }
    }
    if let Some(memory) = most_memory() {
        assert!(memory < MOST_MEMORY_MB, "{memory} MB");
    }
}

#[test]
fn a_chunk_with_other_events_than_its_header_says_is_named() {
    let bytes = small_log(false);
    let with_events: Vec<(usize, usize)> = chunks(&bytes)
        .into_iter()
        .filter(|(begin, _)| bytes[begin + 4] == 3)
        .collect();
    for (more, events) in [(true, 0_u32), (false, 1 << 20)] {
        let mut bytes = bytes.clone();
        let first = with_events[0];
        bytes[first.0..][12..16].copy_from_slice(&events.to_le_bytes());
        repair(&mut bytes, first);
        let missing = ask_everything(&bytes).unwrap();
        let is_said = missing.iter().any(|it| it.contains("its header says"));
        assert!(is_said, "{more}: {missing:?}");
    }
}

#[test]
fn a_directory_that_names_a_chunk_twice_is_not_believed() {
    let bytes = small_log(true);
    let (whole, _) = read(&bytes).unwrap();
    let all = chunks(&bytes);
    let directory = *all.last().unwrap();
    let mut bytes = bytes;
    // Each entry has 72 bytes, behind the 10 of the section's own header.
    let entries = directory.0 + HEADER + 10;
    let second = bytes[entries + 72..entries + 144].to_vec();
    bytes[entries + 144..entries + 216].copy_from_slice(&second);
    repair(&mut bytes, directory);
    let (found, damage) = read(&bytes).unwrap();
    assert_eq!((found, damage), (whole, vec![]));
}
