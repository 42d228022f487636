//! The exception that left a call.

use super::{Call, CallOutcome, Event, Kind, Model, NONE};
use crate::value::Value;

/// So many events are looked at, at most, where something ran while an exception left functions.
const MOST_EVENTS: usize = 100_000;

impl Model {
    /// The exception that left a call; `None`: none did, or it is not in the log.
    ///
    /// It is what was thrown last in the call, if nothing else ran behind it. What a built-in threw is known where it
    /// was caught, or where nothing caught it, as long as nothing ran before that. Where `finally` blocks ran, it is
    /// known if what was thrown is what was caught: then no other exception took its place.
    #[must_use]
    pub fn thrown(&self, call: &Call) -> Option<Value> {
        if call.outcome != CallOutcome::Threw || call.exit == NONE {
            return None;
        }
        self.thrown_at_once(call)
            .or_else(|| self.thrown_through(call))
    }

    /// Where nothing else ran.
    fn thrown_at_once(&self, call: &Call) -> Option<Value> {
        let within = (call.enter..call.exit.saturating_add(1)).rev();
        let within = within.map_while(|number| self.event(number));
        let mut within = within.filter(|it| it.stream == call.stream && it.kind != Kind::Unwind);
        let last = within.next()?;
        if matches!(last.kind, Kind::Throw | Kind::Uncaught) {
            return Some(last.value);
        }
        // An end by a handler further out says what was caught.
        let end = self.event(call.exit)?;
        if end.kind == Kind::Catch {
            return Some(end.value);
        }
        // The caller of a function that can be suspended goes on.
        if self.can_be_suspended(call) {
            return None;
        }
        let behind = (call.exit.saturating_add(1)..).map_while(|number| self.event(number));
        let mut behind = behind.filter(|it| it.stream == call.stream && it.kind != Kind::Unwind);
        let next = behind.next()?;
        matches!(next.kind, Kind::Catch | Kind::Uncaught).then_some(next.value)
    }

    /// Where `finally` blocks ran: what was thrown and what was caught are the same.
    fn thrown_through(&self, call: &Call) -> Option<Value> {
        let mut left = MOST_EVENTS;
        let thrown = self.thrown_in(call, &mut left)?;
        let caught = self.caught_behind(call, &mut left)?;
        (thrown.same(caught) == Some(true)).then_some(thrown)
    }

    /// What was thrown last in a call, or in one that it made, and not caught there.
    fn thrown_in(&self, call: &Call, left: &mut usize) -> Option<Value> {
        let mut number = self.number_of(call)?;
        let mut at = call.exit;
        loop {
            let own = self.calls.get(number as usize)?;
            at = at.checked_sub(1).filter(|&at| at > own.enter)?;
            *left = left.checked_sub(1)?;
            let event = self.event(at)?;
            if event.stream != own.stream {
                continue;
            }
            match event.kind {
                Kind::Throw if event.call == number => return Some(event.value),
                // What was thrown before is not what left.
                Kind::Catch if event.call == number => return None,
                Kind::Unwind => {
                    let inner = self.calls.get(event.call as usize)?;
                    // Of what ran inside in between, the events are passed over.
                    if inner.parent == number && inner.exit == at {
                        number = event.call;
                    }
                }
                _ => {}
            }
        }
    }

    /// What was caught behind a call that an exception left.
    fn caught_behind(&self, call: &Call, left: &mut usize) -> Option<Value> {
        let (mut own, mut at) = (call, call.exit);
        loop {
            if self.can_be_suspended(own) {
                return None;
            }
            let parent = own.parent;
            // Nobody called it: nothing catches it but the page's own listener for errors.
            let around = self.calls.get(parent as usize);
            loop {
                at = at.checked_add(1)?;
                *left = left.checked_sub(1)?;
                let event = self.event(at)?;
                if event.stream != own.stream {
                    continue;
                }
                match event.kind {
                    Kind::Uncaught if around.is_none() => return Some(event.value),
                    Kind::Catch if event.call == parent => return Some(event.value),
                    // One further out ends the caller, too.
                    Kind::Catch if around.is_some_and(|it| it.exit == at) => {
                        return Some(event.value);
                    }
                    _ => {}
                }
                match around {
                    Some(around) if around.exit != at => {}
                    Some(around) if around.outcome == CallOutcome::Threw => {
                        own = around;
                        break;
                    }
                    // It returned all the same.
                    Some(_) => return None,
                    // Something else begins.
                    None if event.kind == Kind::Task => return None,
                    None => {}
                }
            }
        }
    }

    fn event(&self, number: u32) -> Option<&Event> {
        self.events.get(number as usize)
    }

    fn can_be_suspended(&self, call: &Call) -> bool {
        let function = self.tables.function(call.function);
        function.is_none_or(|it| it.is_async || it.is_generator)
    }

    /// The number of a call in [`Model::calls`], which are in the order in which they began.
    fn number_of(&self, call: &Call) -> Option<u32> {
        let number = self.calls.binary_search_by_key(&call.enter, |it| it.enter);
        u32::try_from(number.ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{LogEnd, LogFile, LogInfo, LogWriter};
    use crate::ids::{FunctionId, SiteId, StreamId};
    use crate::record::Record;
    use crate::tables::{Function, Site, Stream, Tables};
    use crate::wire::Encoder;

    /// Functions 1 to 3, of which each has the site with its number.
    fn model(records: &[Record<'_>]) -> Model {
        let mut writer = LogWriter::new(Vec::new(), &LogInfo::default()).unwrap();
        let sites = (1..=3).map(|function| Site {
            function: FunctionId(function),
            ..Site::default()
        });
        writer
            .add(&Tables {
                streams: vec![Stream::default()],
                functions: vec![Function::default(); 3],
                sites: sites.collect(),
                ..Tables::default()
            })
            .unwrap();
        let mut encoder = Encoder::new(StreamId(1));
        for record in records {
            encoder.record(record);
        }
        writer.batch_words(&encoder.finish()).unwrap();
        let (bytes, _) = writer.finish(&LogEnd::default()).unwrap();
        Model::read(&LogFile::open(bytes.as_slice()).unwrap()).unwrap()
    }

    const fn enter(function: u32) -> Record<'static> {
        Record::Enter(FunctionId(function))
    }

    const fn left(function: u32) -> Record<'static> {
        Record::Unwind(FunctionId(function))
    }

    fn thrown(number: f64) -> Record<'static> {
        Record::Throw {
            site: SiteId(3),
            value: Value::Number(number),
        }
    }

    fn caught(number: f64) -> Record<'static> {
        Record::Catch {
            site: SiteId(1),
            value: Value::Number(number),
        }
    }

    /// Function 1 catches what 3, which 2 calls, throws; 2 calls something in a `finally` block.
    fn through_finally(last: Record<'static>) -> Vec<Option<Value>> {
        let cleanup = [enter(3), Record::Return(FunctionId(3))];
        let begin = [enter(1), enter(2), enter(3), thrown(7.0), left(3)];
        let end = [left(2), last, Record::Return(FunctionId(1))];
        let model = model(&[&begin[..], &cleanup[..], &end[..]].concat());
        model.calls.iter().map(|it| model.thrown(it)).collect()
    }

    #[test]
    fn what_is_caught_behind_a_finally_block_was_thrown_if_it_is_the_same() {
        let same = Some(Value::Number(7.0));
        assert_eq!(through_finally(caught(7.0)), [None, same, same, None]);
    }

    #[test]
    fn what_took_the_place_of_an_exception_is_not_said_of_the_one_before() {
        let of_calls = through_finally(caught(8.0));
        assert_eq!(
            of_calls[2],
            Some(Value::Number(7.0)),
            "nothing ran behind it"
        );
        assert_eq!(
            of_calls[1],
            Some(Value::Number(8.0)),
            "it was caught at once"
        );
        // A built-in threw in it: whether the caller's `finally` block threw something else is not known.
        let records = [
            enter(1),
            enter(2),
            enter(3),
            left(3),
            enter(3),
            Record::Return(FunctionId(3)),
            left(2),
            caught(8.0),
            Record::Return(FunctionId(1)),
        ];
        let model = model(&records);
        assert_eq!(model.thrown(&model.calls[2]), None);
        assert_eq!(model.thrown(&model.calls[1]), Some(Value::Number(8.0)));
    }

    #[test]
    fn a_log_that_ends_anywhere_says_nothing_that_it_has_not() {
        let records = [
            enter(1),
            enter(2),
            enter(3),
            thrown(7.0),
            left(3),
            enter(3),
            left(2),
        ];
        for length in 0..records.len() {
            let model = model(&records[..length]);
            for call in &model.calls {
                let said = model.thrown(call);
                assert!(said.is_none_or(|it| it == Value::Number(7.0)), "{length}");
            }
        }
    }
}
