//! How many bytes an event takes: at most 6 a call and 14 an event with values, before compression.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use event_log::file::{LogEnd, LogInfo, LogWriter, Written};
use event_log::ids::{FunctionId, ObjectId, ScopeId, SiteId, StaticScopeId, StreamId, StringId};
use event_log::record::Record;
use event_log::tables::{Function, Site, StaticScope, Stream, Tables};
use event_log::value::Value;
use event_log::wire::Encoder;

/// As many places as a large application has.
const SITES: u32 = 40_000;
const FUNCTIONS: u32 = 8_000;

struct Program {
    encoder: Encoder,
    writer: LogWriter<Vec<u8>>,
    random: u64,
    calls: u64,
    batches: Vec<Vec<i32>>,
}

impl Program {
    fn new() -> Self {
        let mut writer = LogWriter::new(Vec::new(), &LogInfo::default()).unwrap();
        let tables = Tables {
            streams: vec![Stream::default()],
            functions: vec![Function::default(); FUNCTIONS as usize],
            scopes: vec![StaticScope::default(); FUNCTIONS as usize],
            sites: vec![Site::default(); SITES as usize],
            ..Tables::default()
        };
        writer.add(&tables).unwrap();
        Self {
            encoder: Encoder::new(StreamId(1)),
            writer,
            random: 88_172_645_463_325_252,
            calls: 0,
            batches: Vec::new(),
        }
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (((self.random >> 32) * u64::from(limit)) >> 32) as u32
    }

    fn put(&mut self, record: &Record<'_>) {
        self.encoder.record(record);
        if self.encoder.len() > 1 << 16 {
            self.batches.push(self.encoder.finish());
        }
    }

    /// Bodies of functions: calls of functions that are anywhere, and what `each` does in between.
    fn calls(&mut self, depth: u32, each: &mut impl FnMut(&mut Self, u32)) {
        let function = self.below(FUNCTIONS) + 1;
        self.calls += 1;
        self.put(&Record::Enter(FunctionId(function)));
        each(self, function);
        if depth > 0 {
            for _ in 0..self.below(4) + 1 {
                self.calls(depth - 1, each);
            }
        }
        self.put(&Record::Return(FunctionId(function)));
    }

    fn finish(mut self) -> (Written, u64) {
        self.batches.push(self.encoder.finish());
        for batch in &self.batches {
            self.writer.batch_words(batch).unwrap();
        }
        let (_, written) = self.writer.finish(&LogEnd::default()).unwrap();
        (written, self.calls)
    }
}

#[test]
fn a_call_takes_at_most_six_bytes() {
    let mut program = Program::new();
    while program.calls < 100_000 {
        program.calls(6, &mut |_, _| {});
    }
    let (written, calls) = program.finish();
    assert!(calls >= 100_000);
    assert!(
        written.uncompressed <= 6 * calls,
        "{} bytes for {calls} calls, {} in the file",
        written.uncompressed,
        written.bytes
    );
}

#[test]
fn an_event_with_values_takes_at_most_fourteen_bytes() {
    let mut program = Program::new();
    for text in ["Object", "total"] {
        let units: Vec<u16> = text.encode_utf16().collect();
        program.put(&Record::Text(&units));
    }
    let mut objects = 0;
    let mut scopes = 0;
    while program.calls < 50_000 {
        program.calls(5, &mut |program, function| {
            program.put(&Record::Scope {
                of: StaticScopeId(function),
                parent: ScopeId::NONE,
            });
            scopes += 1;
            program.put(&Record::Object { class: StringId(1) });
            objects += 1;
            let site = SiteId(function * 5 - 4);
            let this = ObjectId(program.below(objects) + 1);
            program.put(&Record::Create {
                site,
                object: Value::Object(ObjectId(objects)),
            });
            let number = f64::from(program.below(1 << 30)) / 3.0;
            for value in [
                Value::Number(number),
                Value::Number(f64::from(program.below(100_000))),
                Value::String(StringId(2)),
                Value::Object(this),
            ] {
                program.put(&Record::Assign {
                    site: SiteId(site.0 + 1),
                    scope: ScopeId(scopes),
                    value,
                });
                program.put(&Record::Write {
                    site: SiteId(site.0 + 2),
                    owner: Value::Object(this),
                    value,
                });
            }
        });
    }
    let (written, _) = program.finish();
    assert!(
        written.uncompressed <= 14 * written.events,
        "{} bytes for {} events, {} in the file",
        written.uncompressed,
        written.events,
        written.bytes
    );
}
