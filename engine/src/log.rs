//! The log of the writes that one trace query counts, as agents hand it over in batches.

use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use querypoint::execution_line::MOST_EVENTS;
use querypoint::resolution::Sequence;

use super::agent_message::{LogBatch, posted_as};
use super::document_id::DocumentId;
use cdp_driver::protocol::Event;
use cdp_driver::protocol::generated as cdp;

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
    pub(super) left_out: u64,
}

impl Log {
    /// What the agent of this document has handed over, as far as it has come. (What it hands over where it stands
    /// comes before the answer to what it was asked there.)
    pub(super) fn of(
        mut events: BoxStream<'static, Event>,
        prefix: &str,
        document: DocumentId,
    ) -> Self {
        let mut log = Self::default();
        let binding = format!("{prefix}B");
        while let Some(event) = events.next().now_or_never().flatten() {
            if let Some(called) = event.read::<cdp::runtime::BindingCalled>()
                && called.name == binding
                && let Some(batch) = posted_as::<LogBatch>(&called.payload)
                && batch.document == document
            {
                log.add(batch);
            }
        }
        log
    }

    /// Takes up a batch; what is not as it should be in it ends it.
    fn add(&mut self, batch: LogBatch) {
        let room = MOST_EVENTS.saturating_sub(self.entries.len());
        self.entries.extend(entries(&batch).take(room));
        let room = MOST_MARKS.saturating_sub(self.marks.len());
        let marks = batch.marks.into_iter().take(room);
        let cut = |text: String| text.chars().take(LONGEST_MARK).collect();
        self.marks
            .extend(marks.map(|(before, text)| (before, cut(text))));
        self.native_functions = batch.native_functions;
        self.left_out = batch.left_out;
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
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn message(text: &str) -> LogBatch {
        posted_as(text).unwrap()
    }

    #[test]
    fn batches_follow_one_another_and_what_is_broken_ends_one() {
        let mut log = Log::default();
        log.add(message(
            r#"{"log":{"document":0.5,"sequences":"3,5","sites":"7,-1","objects":"1,2","changes":"1,0","marks":[[0,"keydown on #a"]],
                "nativeFunctions":["","Array.prototype.push"],"leftOut":0}}"#,
        ));
        log.add(message(
            r#"{"log":{"document":0.5,"sequences":"8,x,9","sites":"7,7,7","objects":"1,1,1","changes":"1,1,1","marks":[],
                "nativeFunctions":["","Array.prototype.push"],"leftOut":4}}"#,
        ));
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
        let batch = serde_json::json!({
            "document": 1, "sequences": numbers, "sites": numbers, "objects": numbers, "changes": numbers, "marks": marks, "nativeFunctions": [],
            "leftOut": 0,
        });
        let given = serde_json::json!({ "log": batch });
        log.add(message(&given.to_string()));
        assert_eq!(log.entries.len(), MOST_EVENTS);
        assert_eq!(
            (log.marks.len(), log.marks[0].1.len()),
            (MOST_MARKS, LONGEST_MARK)
        );
    }
}
