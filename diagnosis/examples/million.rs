//! How long it takes to open a log of a million calls, and to choose the next question, by strategy:
//! `cargo run --release -p diagnosis --example million`.

use std::error::Error;
use std::time::Instant;

use diagnosis::{Answer, Interview, LogTree, Step, Strategy};
use event_log::file::{LogEnd, LogFile, LogInfo, LogWriter};
use event_log::ids::{FunctionId, SiteId, StreamId};
use event_log::model::Model;
use event_log::record::Record;
use event_log::tables::{Function, Site, Stream, Tables};
use event_log::wire::Encoder;
use querypoint::diagnosis::AnsweredBy;

const CALLS: u32 = 1_000_000;
const FUNCTIONS: u32 = 2_000;

/// A log of calls, each with a condition, that call up to four others.
fn log() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut writer = LogWriter::new(Vec::new(), &LogInfo::default())?;
    writer.add(&Tables {
        streams: vec![Stream::default()],
        functions: vec![Function::default(); FUNCTIONS as usize],
        sites: vec![Site::default(); FUNCTIONS as usize],
        ..Tables::default()
    })?;
    let mut encoder = Encoder::new(StreamId(1));
    let mut random = 88_172_645_463_325_252_u64;
    let mut below = |limit: u32| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        u32::try_from(((random >> 32) * u64::from(limit)) >> 32).unwrap_or(0)
    };
    // How many calls each that is running has still to make.
    let mut running: Vec<(u32, u32)> = Vec::new();
    let mut calls = 0;
    while calls < CALLS || !running.is_empty() {
        match running.last_mut() {
            Some((_, left)) if *left > 0 && calls < CALLS => *left -= 1,
            Some(_) => {
                if let Some((function, _)) = running.pop() {
                    encoder.record(&Record::Return(FunctionId(function)));
                }
                continue;
            }
            None => {}
        }
        let function = below(FUNCTIONS) + 1;
        encoder.record(&Record::Enter(FunctionId(function)));
        encoder.record(&Record::Branch {
            site: SiteId(function),
            outcome: below(2) == 1,
        });
        calls += 1;
        let most = if running.len() < 12 { 5 } else { 1 };
        running.push((function, below(most)));
        if encoder.len() > 1 << 16 {
            writer.batch_words(&encoder.finish())?;
        }
    }
    writer.batch_words(&encoder.finish())?;
    Ok(writer.finish(&LogEnd::default())?.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = log()?;
    let started = Instant::now();
    let model = Model::read(&LogFile::open(bytes.as_slice())?)?;
    println!("the log in memory: {:?}", started.elapsed());
    let opened = Instant::now();
    let log = LogTree::new(&model, 0..u32::MAX);
    println!(
        "the tree of {} calls: {:?}",
        log.tree().len(),
        opened.elapsed()
    );
    for strategy in Strategy::ALL {
        let begun = Instant::now();
        let mut interview = Interview::new(&log, strategy, &[]);
        let ready = begun.elapsed();
        let asked = Instant::now();
        let first = interview.next();
        let first_took = asked.elapsed();
        let Step::Ask(node) = first else { continue };
        interview.answer(node, Answer::Valid, AnsweredBy::Person, None);
        let asked = Instant::now();
        let _ = interview.next();
        println!(
            "{}: session {ready:?}, first question {first_took:?}, next question {:?}",
            strategy.word(),
            asked.elapsed()
        );
    }
    Ok(())
}
