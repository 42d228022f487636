//! From records to the words of a batch: what `agent/js/log-encoder.js` does in the page.

use super::layout::{HEADER_WORDS, MAGIC, MOST_OPERAND, OPERAND_SHIFT, code, rare, tag};
use crate::ids::StreamId;
use crate::record::Record;
use crate::value::Value;

/// Writes batches of one stream.
#[derive(Clone, Debug)]
pub struct Encoder {
    stream: StreamId,
    number: u32,
    /// Texts, objects and scopes, as far as they were defined.
    defined: [u32; 3],
    words: Vec<i32>,
}

impl Encoder {
    /// An encoder of a stream that begins.
    #[must_use]
    pub fn new(stream: StreamId) -> Self {
        let mut encoder = Self {
            stream,
            number: 0,
            defined: [0; 3],
            words: Vec::new(),
        };
        encoder.begin();
        encoder
    }

    /// How many words there are, the header included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether nothing was recorded since the last batch.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.words.len() <= HEADER_WORDS
    }

    /// How many texts, objects and scopes were defined: the last ones' numbers.
    #[must_use]
    pub const fn defined(&self) -> [u32; 3] {
        self.defined
    }

    /// The batch so far; the next one begins.
    pub fn finish(&mut self) -> Vec<i32> {
        let words = self.words.len() - HEADER_WORDS;
        self.words[3] = i32::try_from(words).unwrap_or(i32::MAX);
        let batch = std::mem::take(&mut self.words);
        self.number = self.number.wrapping_add(1);
        self.begin();
        batch
    }

    fn begin(&mut self) {
        let [strings, objects, scopes] = self.defined;
        let head = [self.stream.0, self.number, 0, strings, objects, scopes, 0];
        self.words.push(MAGIC);
        self.words.extend(head.map(u32::cast_signed));
    }

    fn put(&mut self, word: u32) {
        self.words.push(word.cast_signed());
    }

    fn head(&mut self, code: u32, operand: u32) {
        self.put(operand.min(MOST_OPERAND) << OPERAND_SHIFT | code);
    }

    fn time(&mut self, time: f64) {
        let bits = time.to_bits();
        self.put((bits & 0xffff_ffff) as u32);
        self.put((bits >> 32) as u32);
    }

    fn value(&mut self, value: Value) {
        let constant = |payload: u32| payload << 4 | tag::CONSTANT;
        let word = match value {
            Value::Undefined => constant(0),
            Value::Null => constant(1),
            Value::Boolean(true) => constant(2),
            Value::Boolean(false) => constant(3),
            Value::Number(number) if number.is_nan() => constant(4),
            Value::Number(number) if number.to_bits() == (-0.0f64).to_bits() => constant(5),
            Value::Absent => constant(6),
            Value::Uninitialised => constant(7),
            Value::Accessor => constant(8),
            Value::Unknown => constant(9),
            Value::Number(number) => {
                const HALF: f64 = (1 << 27) as f64;
                if number.trunc() == number && (-HALF..HALF).contains(&number) {
                    ((number as i32) << 4).cast_unsigned() | tag::INTEGER
                } else {
                    self.put(tag::DOUBLE);
                    self.time(number);
                    return;
                }
            }
            Value::String(id) => id.0 << 4 | tag::STRING,
            Value::LongString {
                start,
                length,
                is_identified,
            } => {
                let tag = match is_identified {
                    true => tag::IDENTIFIED_STRING,
                    false => tag::LONG_STRING,
                };
                self.put(start.0 << 4 | tag);
                length
            }
            Value::Object(id) => id.0 << 4 | tag::OBJECT,
            Value::Function(id) => id.0 << 4 | tag::FUNCTION,
            Value::Symbol(id) => id.0 << 4 | tag::SYMBOL,
            Value::BigInt(id) => id.0 << 4 | tag::BIG_INT,
        };
        self.put(word);
    }

    fn values(&mut self, values: &[Value]) {
        values.iter().for_each(|&value| self.value(value));
    }

    fn rare(&mut self, site: u32, kind: u32, words: impl FnOnce(&mut Self)) {
        self.head(code::RARE, site);
        let at = self.words.len();
        self.put(kind);
        words(self);
        let count = u32::try_from(self.words.len() - at - 1).unwrap_or(0);
        self.words[at] = (count << 8 | kind).cast_signed();
    }

    /// Writes one record.
    pub fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Text(units) => {
                self.defined[0] += 1;
                self.head(code::TEXT, count(units));
                for pair in units.chunks(2) {
                    let high = pair.get(1).copied().unwrap_or(0);
                    self.put(u32::from(pair[0]) | u32::from(high) << 16);
                }
            }
            Record::Object { class } => {
                self.defined[1] += 1;
                self.head(code::OBJECT, class.0);
            }
            Record::FunctionObject { function, name } => {
                self.defined[1] += 1;
                self.head(code::FUNCTION_OBJECT, function.0);
                self.put(name.0);
            }
            Record::Scope { of, parent } => {
                self.defined[2] += 1;
                self.head(code::SCOPE, of.0);
                self.put(parent.0);
            }
            Record::Activation(number) => self.head(code::ACTIVATION, number),
            Record::Arguments { this, values } => {
                self.head(code::ARGUMENTS, count(values));
                self.value(this);
                self.values(values);
            }
            Record::BranchBits { function, words } => {
                self.head(code::BRANCH_BITS, function.0);
                self.put(count(words));
                words.iter().for_each(|&word| self.put(word));
            }
            Record::Enter(function) => self.head(code::ENTER, function.0),
            Record::Leaf(function) => self.head(code::LEAF, function.0),
            Record::Return(function) => self.head(code::RETURN, function.0),
            Record::Unwind(function) => self.head(code::UNWIND, function.0),
            Record::ReturnValue { site, value } => {
                self.at_site(code::RETURN_VALUE, site.0, &[value])
            }
            Record::Throw { site, value } => self.at_site(code::THROW, site.0, &[value]),
            Record::Catch { site, value } => self.at_site(code::CATCH, site.0, &[value]),
            Record::CallSite {
                site,
                callee,
                this,
                values,
            } => {
                self.at_site(code::CALL_SITE, site.0, &[callee, this]);
                self.put(count(values));
                self.values(values);
            }
            Record::CallEnd { site, value } => self.at_site(code::CALL_END, site.0, &[value]),
            Record::Write { site, owner, value } => {
                self.at_site(code::WRITE, site.0, &[owner, value]);
            }
            Record::WriteKey {
                site,
                owner,
                key,
                value,
            } => self.at_site(code::WRITE_KEY, site.0, &[owner, key, value]),
            Record::WriteEntry {
                site,
                owner,
                key,
                value,
            } => self.at_site(code::WRITE_ENTRY, site.0, &[owner, key, value]),
            Record::Assign { site, scope, value } => {
                self.head(code::ASSIGN, site.0);
                self.put(scope.0);
                self.value(value);
            }
            Record::Create { site, object } => self.at_site(code::CREATE, site.0, &[object]),
            Record::Branch { site, outcome } => {
                let code = [code::BRANCH_FALSE, code::BRANCH_TRUE][usize::from(outcome)];
                self.head(code, site.0);
            }
            Record::BranchCase {
                site,
                outcome,
                value,
            } => {
                self.head(code::BRANCH_CASE, site.0);
                self.words.push(outcome);
                self.value(value);
            }
            Record::Step(site) => self.head(code::STEP, site.0),
            Record::Contents {
                owner,
                total,
                entries,
            } => {
                self.head(code::CONTENTS, count(entries) / 2);
                self.value(owner);
                self.put(total);
                self.values(entries);
            }
            Record::Task {
                kind,
                cause,
                target,
                time_ms,
            } => {
                self.head(code::TASK, kind.0);
                self.put(cause);
                self.time(time_ms);
                self.value(target);
            }
            Record::TaskEnd => self.head(code::TASK_END, 0),
            ref other => self.rare_record(other),
        }
    }

    fn at_site(&mut self, code: u32, site: u32, values: &[Value]) {
        self.head(code, site);
        self.values(values);
    }

    fn rare_record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Suspend {
                site,
                activation,
                value,
            } => self.rare(site.0, rare::SUSPEND, |it| {
                it.put(activation);
                it.value(value);
            }),
            Record::Resume {
                activation,
                mode,
                value,
            } => self.rare(0, rare::RESUME, |it| {
                it.put(activation);
                it.put(mode as u32);
                it.value(value);
            }),
            Record::Settle {
                site,
                promise,
                fulfilled,
                value,
            } => self.rare(site.0, rare::SETTLE, |it| {
                it.put(u32::from(fulfilled));
                it.values(&[promise, value]);
            }),
            Record::Schedule {
                site,
                kind,
                number,
                callback,
            } => self.rare(site.0, rare::SCHEDULE, |it| {
                it.put(kind.0);
                it.put(number);
                it.value(callback);
            }),
            Record::Dom {
                site,
                node,
                change,
                value,
            } => self.rare(site.0, rare::DOM, |it| {
                it.put(change.0);
                it.values(&[node, value]);
            }),
            Record::Request {
                site,
                number,
                target,
                body,
            } => self.rare(site.0, rare::REQUEST, |it| {
                it.put(number);
                it.values(&[target, body]);
            }),
            Record::Response {
                number,
                status,
                body,
            } => self.rare(0, rare::RESPONSE, |it| {
                it.put(number);
                it.put(status);
                it.value(body);
            }),
            Record::Action {
                kind,
                target,
                value,
            } => self.rare(0, rare::ACTION, |it| {
                it.put(kind.0);
                it.put(target.0);
                it.value(value);
            }),
            Record::Console { site, level, text } => self.rare(site.0, rare::CONSOLE, |it| {
                it.put(level.0);
                it.value(text);
            }),
            Record::Uncaught { value, message } => {
                self.rare(0, rare::UNCAUGHT, |it| it.values(&[value, message]));
            }
            Record::Gap { reason, lost } => self.rare(0, rare::GAP, |it| {
                it.put(reason as u32);
                it.put(lost);
            }),
            Record::Clock(time) => self.rare(0, rare::CLOCK, |it| it.time(time)),
            Record::RunHash(hash) => self.rare(0, rare::RUN_HASH, |it| it.put(hash)),
            // Each of the others has a code of its own.
            _ => {}
        }
    }
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}
