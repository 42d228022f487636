//! The event log: any words are a batch or are refused, any bytes are a log or are refused, and what was taken is read
//! as it was given.

use event_log::file::{LogEnd, LogFile, LogInfo, LogWriter};
use event_log::ids::StreamId;
use event_log::tables::{Function, Script, Site, StaticScope, Stream, Tables};
use event_log::wire::{Encoder, HEADER_WORDS, MAGIC};

use crate::choices;

/// The first byte chooses: words of a batch, or the bytes of a file.
pub fn event_log(input: &[u8]) {
    let (choice, rest) = choices(input);
    if choice & 1 == 0 {
        batch(rest);
    } else {
        file(rest);
    }
}

fn tables() -> Tables {
    Tables {
        streams: vec![Stream::default(); 2],
        scripts: vec![Script::default()],
        functions: vec![Function::default(); 4],
        scopes: vec![StaticScope::default(); 4],
        sites: vec![Site::default(); 16],
        ..Tables::default()
    }
}

/// The words are the records of a batch; where they begin as a batch does, they are a whole one.
fn batch(bytes: &[u8]) {
    let words: Vec<i32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|it| i32::from_le_bytes(*it))
        .collect();
    let batch = if words.first() == Some(&MAGIC) {
        words
    } else {
        let mut batch = Encoder::new(StreamId(1)).finish();
        batch.truncate(HEADER_WORDS);
        batch[3] = i32::try_from(words.len()).unwrap();
        batch.extend(words);
        batch
    };
    let mut log = Vec::new();
    let mut writer = LogWriter::new(&mut log, &LogInfo::default()).unwrap();
    writer.add(&tables()).unwrap();
    let first = writer.batch_words(&batch);
    // The same again: its definitions are there already, or it is not a batch.
    let again = writer.batch_words(&batch);
    let (_, written) = writer.finish(&LogEnd::default()).unwrap();
    let read = LogFile::open(&log).unwrap_or_else(|error| panic!("{first:?}, {again:?}: {error}"));
    assert_eq!(read.damage(), []);
    assert_eq!(read.events(), written.events);
    let mut events = 0;
    for index in 0..read.chunks().len() {
        let chunk = read.chunk(index).unwrap();
        let taken = chunk.records(|record| events += u64::from(record.events()));
        taken.unwrap_or_else(|error| panic!("{first:?}, {again:?}: {error}"));
    }
    assert_eq!(events, written.events);
}

/// The bytes are a log, which is opened and read as far as it goes.
fn file(bytes: &[u8]) {
    let Ok(read) = LogFile::open(bytes) else {
        return;
    };
    for index in 0..read.chunks().len() {
        if let Ok(chunk) = read.chunk(index) {
            let _ = chunk.records(|record| {
                let _ = record.events();
            });
        }
    }
}
