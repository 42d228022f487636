//! The log of the writes that one trace query counts, as agents hand it over in batches.

use std::collections::HashMap;

use querypoint::execution_line::MOST_EVENTS;
use querypoint::resolution::Sequence;

use super::agent_message::{LogBatch, posted_as};
use super::document_id::DocumentId;
use super::event_reader::TakesEvents;
use cdp_driver::protocol::Event;
use cdp_driver::protocol::generated as cdp;

/// More entries of all documents together are not taken: a page may open many, of which one counts in the end.
const MOST_ENTRIES: usize = 4 * MOST_EVENTS;

/// More marks, or longer ones, are not taken.
const MOST_MARKS: usize = 2000;
const LONGEST_MARK: usize = 200;

/// One write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogEntry {
    /// The sequence number that it had then.
    pub(super) sequence: Sequence,
    /// Its site; negative: the number of the built-in that wrote.
    pub(super) site: i64,
    pub(super) object: u32,
    pub(super) is_change: bool,
}

/// What one document has logged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Log {
    pub(super) entries: Vec<LogEntry>,
    /// How many entries were before, and what the user did then.
    pub(super) marks: Vec<(usize, String)>,
    /// The built-ins, by their numbers.
    native_functions: Vec<String>,
    /// Entries that were handed over and are not here.
    not_taken: u64,
    pub(super) left_out: u64,
}

/// What each document has logged, read as its agent hands it over.
#[derive(Debug)]
pub(super) struct Logs {
    binding: String,
    by_document: HashMap<DocumentId, Log>,
    /// So many more entries are taken, of all documents together.
    room: usize,
}

impl Logs {
    /// Nothing yet, of agents with this prefix.
    pub(super) fn new(prefix: &str) -> Self {
        Self {
            binding: format!("{prefix}B"),
            by_document: HashMap::new(),
            room: MOST_ENTRIES,
        }
    }

    /// What the agent of this document has handed over, as far as it has come. (What it hands over where it pauses
    /// comes before the answer to what it was asked there.)
    pub(super) fn into_log_of(mut self, document: DocumentId) -> Log {
        self.by_document.remove(&document).unwrap_or_default()
    }
}

impl TakesEvents for Logs {
    fn take(&mut self, event: &Event) {
        if let Some(called) = event.read::<cdp::runtime::BindingCalled>()
            && called.name == self.binding
            && let Some(batch) = posted_as::<LogBatch>(&called.payload)
        {
            let log = self.by_document.entry(batch.document).or_default();
            log.add(batch, &mut self.room);
        }
    }
}

impl Log {
    /// Takes up a batch; what is not as it should be in it ends it.
    fn add(&mut self, batch: LogBatch, room: &mut usize) {
        let before = self.entries.len();
        let own_room = MOST_EVENTS.saturating_sub(before).min(*room);
        let mut handed_over = entries(&batch).fuse();
        self.entries.extend(handed_over.by_ref().take(own_room));
        *room -= self.entries.len() - before;
        self.not_taken += handed_over.count() as u64;
        let room = MOST_MARKS.saturating_sub(self.marks.len());
        let marks = batch.marks.into_iter().take(room);
        let cut = |text: String| text.chars().take(LONGEST_MARK).collect();
        self.marks
            .extend(marks.map(|(before, text)| (before, cut(text))));
        self.native_functions = batch.native_functions;
        self.left_out = batch.left_out.saturating_add(self.not_taken);
    }

    /// The built-in that wrote, where no site did.
    pub(super) fn native_function(&self, entry: &LogEntry) -> Option<&str> {
        let number = usize::try_from(entry.site.checked_neg()?).ok()?;
        let native_function = self.native_functions.get(number).filter(|_| number > 0)?;
        Some(native_function)
    }
}

fn entries(batch: &LogBatch) -> impl Iterator<Item = LogEntry> + '_ {
    let mut sequences = batch.sequences.split(',');
    let mut sites = batch.sites.split(',');
    let mut objects = batch.objects.split(',');
    let mut changes = batch.changes.split(',');
    std::iter::from_fn(move || {
        Some(LogEntry {
            sequence: Sequence::new(sequences.next()?.parse().ok()?),
            site: sites.next()?.parse().ok()?,
            object: objects.next()?.parse().ok()?,
            is_change: changes.next()? == "1",
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn message(text: &str) -> LogBatch {
        posted_as(text).unwrap()
    }

    #[test]
    fn batches_follow_one_another_and_what_is_broken_ends_one() {
        let mut log = Log::default();
        let mut room = MOST_ENTRIES;
        log.add(message(
            r#"{"log":{"document":0.5,"sequences":"3,5","sites":"7,-1","objects":"1,2","changes":"1,0","marks":[[0,"keydown on #a"]],
                "nativeFunctions":["","Array.prototype.push"],"leftOut":0}}"#,
        ), &mut room);
        log.add(message(
            r#"{"log":{"document":0.5,"sequences":"8,x,9","sites":"7,7,7","objects":"1,1,1","changes":"1,1,1","marks":[],
                "nativeFunctions":["","Array.prototype.push"],"leftOut":4}}"#,
        ), &mut room);
        let read: Vec<_> = log
            .entries
            .iter()
            .map(|it| (it.sequence.number(), it.site, it.object, it.is_change))
            .collect();
        assert_eq!(read, [(3, 7, 1, true), (5, -1, 2, false), (8, 7, 1, true)]);
        let native_functions: Vec<_> = log
            .entries
            .iter()
            .map(|it| log.native_function(it))
            .collect();
        assert_eq!(native_functions, [None, Some("Array.prototype.push"), None]);
        assert_eq!((log.marks.len(), log.left_out), (1, 4));
    }

    #[test]
    fn a_page_that_had_our_binding_could_not_fill_the_memory() {
        let mut log = Log::default();
        let text = "9".repeat(5000);
        let marks: Vec<(usize, &str)> = vec![(0, &text); 3000];
        let numbers = vec!["1"; MOST_EVENTS + 10].join(",");
        let batch = json!({
            "document": 1, "sequences": numbers, "sites": numbers, "objects": numbers, "changes": numbers, "marks": marks, "nativeFunctions": [],
            "leftOut": 0,
        });
        let given = json!({ "log": batch });
        let mut room = MOST_ENTRIES;
        log.add(message(&given.to_string()), &mut room);
        assert_eq!((log.entries.len(), log.left_out), (MOST_EVENTS, 10));
        assert_eq!(
            (log.marks.len(), log.marks[0].1.len()),
            (MOST_MARKS, LONGEST_MARK)
        );
    }

    fn handed_over(binding: &str, document: f64, entries: usize) -> Event {
        let numbers = vec!["1"; entries].join(",");
        let batch = json!({
            "document": document, "sequences": numbers, "sites": numbers, "objects": numbers, "changes": numbers,
            "marks": [], "nativeFunctions": [], "leftOut": 1,
        });
        let payload = json!({ "log": batch }).to_string();
        Event {
            session: None,
            method: cdp::runtime::BindingCalled::METHOD.to_owned(),
            params: Arc::new(
                json!({ "name": binding, "payload": payload, "executionContextId": 1 }),
            ),
            times: 1,
        }
    }

    fn document(number: f64) -> DocumentId {
        serde_json::from_value(json!(number)).unwrap()
    }

    #[test]
    fn each_document_has_its_log_and_all_together_have_a_bound() {
        let mut logs = Logs::new("p");
        logs.take(&handed_over("pB", 0.5, 2));
        logs.take(&handed_over("pB", 0.25, 3));
        logs.take(&handed_over("pB", 0.5, 1));
        // Of another binding.
        logs.take(&handed_over("q", 0.5, 1));
        assert_eq!(logs.room, MOST_ENTRIES - 6);
        logs.room = 1;
        logs.take(&handed_over("pB", 0.25, 3));
        logs.take(&handed_over("pB", 0.75, 3));
        let taken = [0.5, 0.25, 0.75, 0.125].map(|number| {
            let log = logs
                .by_document
                .remove(&document(number))
                .unwrap_or_default();
            (log.entries.len(), log.left_out)
        });
        assert_eq!(taken, [(3, 1), (4, 3), (0, 4), (0, 0)]);
    }
}
