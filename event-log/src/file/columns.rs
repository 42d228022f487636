//! Records as columns: what is alike is together, as differences where neighbours are near each other, so that a
//! call takes two to five bytes and a write six to twelve, and zstd finds the rest.

use crate::bytes::{put_signed, put_varint};
use crate::ids::{ObjectId, ScopeId, SiteId, StringId};
use crate::record::Record;
use crate::value::Value;
use crate::wire::{code, rare};

/// How many columns there are.
pub(crate) const COLUMNS: usize = 9;

/// A rare record's kind is its wire kind behind this.
pub(super) const RARE: u8 = 32;

/// Values: constants have the wire's numbers, small integers are themselves.
pub(super) mod tag {
    pub(crate) const INTEGER: u8 = 16;
    pub(crate) const DOUBLE: u8 = 17;
    pub(crate) const STRING: u8 = 18;
    pub(crate) const LONG_STRING: u8 = 19;
    pub(crate) const OBJECT: u8 = 20;
    pub(crate) const FUNCTION: u8 = 21;
    pub(crate) const SYMBOL: u8 = 22;
    pub(crate) const BIG_INT: u8 = 23;
    pub(crate) const IDENTIFIED_STRING: u8 = 24;
    /// The byte of the small integer 0.
    pub(crate) const ZERO: u8 = 48;
    /// The first byte of a small integer: -16.
    pub(crate) const SMALLEST: u8 = 32;
}

/// What is written: one vector of bytes for each column, and the numbers that differences are of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    kinds: Vec<u8>,
    sites: Vec<u8>,
    functions: Vec<u8>,
    owners: Vec<u8>,
    values: Vec<u8>,
    scopes: Vec<u8>,
    numbers: Vec<u8>,
    texts: Vec<u8>,
    times: Vec<u8>,
    site: u32,
    scope: u32,
    owner: u32,
    object: u32,
}

impl Columns {
    /// The columns in the order of the format.
    pub(crate) fn all(&self) -> [&Vec<u8>; COLUMNS] {
        [
            &self.kinds,
            &self.sites,
            &self.functions,
            &self.owners,
            &self.values,
            &self.scopes,
            &self.numbers,
            &self.texts,
            &self.times,
        ]
    }

    /// How many bytes there are.
    pub(crate) fn size(&self) -> usize {
        self.all().iter().map(|column| column.len()).sum()
    }

    /// Makes all of them empty, and keeps their room.
    pub(crate) fn clear(&mut self) {
        for column in [
            &mut self.kinds,
            &mut self.sites,
            &mut self.functions,
            &mut self.owners,
            &mut self.values,
            &mut self.scopes,
            &mut self.numbers,
            &mut self.texts,
            &mut self.times,
        ] {
            column.clear();
        }
        (self.site, self.scope, self.owner, self.object) = (0, 0, 0, 0);
    }

    #[inline]
    fn site(&mut self, site: SiteId) {
        put_signed(
            &mut self.sites,
            site.0.wrapping_sub(self.site).cast_signed(),
        );
        self.site = site.0;
    }

    #[inline]
    fn scope(&mut self, scope: ScopeId) {
        put_signed(
            &mut self.scopes,
            scope.0.wrapping_sub(self.scope).cast_signed(),
        );
        self.scope = scope.0;
    }

    #[inline]
    fn number(&mut self, number: u32) {
        put_varint(&mut self.numbers, number);
    }

    #[inline]
    fn value(&mut self, value: Value) {
        put_value(&mut self.values, &mut self.object, value);
    }

    #[inline]
    fn owner(&mut self, value: Value) {
        put_value(&mut self.owners, &mut self.owner, value);
    }

    fn values(&mut self, values: &[Value]) {
        self.number(u32::try_from(values.len()).unwrap_or(u32::MAX));
        values.iter().for_each(|&value| self.value(value));
    }

    fn time(&mut self, time: f64) {
        self.times.extend_from_slice(&time.to_bits().to_le_bytes());
    }

    fn rare(&mut self, kind: u32) {
        self.kinds.push(RARE + kind as u8);
    }

    /// Appends a record.
    #[inline]
    pub(crate) fn push(&mut self, record: &Record<'_>) {
        let kind = |columns: &mut Self, code: u32| columns.kinds.push(code as u8);
        match *record {
            Record::Enter(function) => {
                kind(self, code::ENTER);
                put_varint(&mut self.functions, function.0);
            }
            Record::Leaf(function) => {
                kind(self, code::LEAF);
                put_varint(&mut self.functions, function.0);
            }
            // Which function ends follows from what runs; it is kept for where that is not known.
            Record::Return(function) => {
                kind(self, code::RETURN);
                put_varint(&mut self.functions, function.0);
            }
            Record::Unwind(function) => {
                kind(self, code::UNWIND);
                put_varint(&mut self.functions, function.0);
            }
            Record::ReturnValue { site, value } => self.at_site(code::RETURN_VALUE, site, &[value]),
            Record::Throw { site, value } => self.at_site(code::THROW, site, &[value]),
            Record::Catch { site, value } => self.at_site(code::CATCH, site, &[value]),
            Record::CallEnd { site, value } => self.at_site(code::CALL_END, site, &[value]),
            Record::Create { site, object } => self.at_site(code::CREATE, site, &[object]),
            Record::Branch { site, outcome } => {
                kind(
                    self,
                    if outcome {
                        code::BRANCH_TRUE
                    } else {
                        code::BRANCH_FALSE
                    },
                );
                self.site(site);
            }
            Record::Write { site, owner, value } => {
                self.at_site(code::WRITE, site, &[value]);
                self.owner(owner);
            }
            Record::WriteKey {
                site,
                owner,
                key,
                value,
            } => {
                self.at_site(code::WRITE_KEY, site, &[key, value]);
                self.owner(owner);
            }
            Record::WriteEntry {
                site,
                owner,
                key,
                value,
            } => {
                self.at_site(code::WRITE_ENTRY, site, &[key, value]);
                self.owner(owner);
            }
            Record::Assign { site, scope, value } => {
                self.at_site(code::ASSIGN, site, &[value]);
                self.scope(scope);
            }
            Record::Scope { of, parent } => {
                kind(self, code::SCOPE);
                self.number(of.0);
                self.scope(parent);
            }
            Record::Arguments { this, values } => {
                kind(self, code::ARGUMENTS);
                self.value(this);
                self.values(values);
            }
            Record::CallSite {
                site,
                callee,
                this,
                values,
            } => {
                self.at_site(code::CALL_SITE, site, &[callee, this]);
                self.values(values);
            }
            Record::Object { class } => {
                kind(self, code::OBJECT);
                self.number(class.0);
            }
            Record::FunctionObject { function, name } => {
                kind(self, code::FUNCTION_OBJECT);
                self.number(function.0);
                self.number(name.0);
            }
            Record::Text(units) => {
                kind(self, code::TEXT);
                self.number(u32::try_from(units.len()).unwrap_or(u32::MAX));
                for &unit in units {
                    put_varint(&mut self.texts, u32::from(unit));
                }
            }
            Record::Step(site) => self.at_site(code::STEP, site, &[]),
            Record::BranchCase {
                site,
                outcome,
                value,
            } => {
                self.at_site(code::BRANCH_CASE, site, &[value]);
                put_signed(&mut self.numbers, outcome);
            }
            Record::BranchBits { function, words } => {
                kind(self, code::BRANCH_BITS);
                put_varint(&mut self.functions, function.0);
                self.number(u32::try_from(words.len()).unwrap_or(u32::MAX));
                words.iter().for_each(|&word| self.number(word));
            }
            ref other => self.push_other(other),
        }
    }

    #[inline]
    fn at_site(&mut self, code: u32, site: SiteId, values: &[Value]) {
        self.kinds.push(code as u8);
        self.site(site);
        for &value in values {
            self.value(value);
        }
    }

    fn rare_at(&mut self, kind: u32, site: SiteId, numbers: &[u32], values: &[Value]) {
        self.rare(kind);
        self.site(site);
        numbers.iter().for_each(|&number| self.number(number));
        values.iter().for_each(|&value| self.value(value));
    }

    fn push_other(&mut self, record: &Record<'_>) {
        match *record {
            Record::Activation(number) => {
                self.kinds.push(code::ACTIVATION as u8);
                self.number(number);
            }
            Record::Contents {
                owner,
                total,
                entries,
            } => {
                self.kinds.push(code::CONTENTS as u8);
                self.owner(owner);
                self.number(total);
                self.values(entries);
            }
            Record::Task {
                kind,
                cause,
                target,
                time_ms,
            } => {
                self.kinds.push(code::TASK as u8);
                self.number(kind.0);
                self.number(cause);
                self.value(target);
                self.time(time_ms);
            }
            Record::TaskEnd => self.kinds.push(code::TASK_END as u8),
            Record::Suspend {
                site,
                activation,
                value,
            } => self.rare_at(rare::SUSPEND, site, &[activation], &[value]),
            Record::Resume {
                activation,
                mode,
                value,
            } => {
                self.rare(rare::RESUME);
                self.number(activation);
                self.number(mode as u32);
                self.value(value);
            }
            Record::Settle {
                site,
                promise,
                fulfilled,
                value,
            } => self.rare_at(
                rare::SETTLE,
                site,
                &[u32::from(fulfilled)],
                &[promise, value],
            ),
            Record::Schedule {
                site,
                kind,
                number,
                callback,
            } => self.rare_at(rare::SCHEDULE, site, &[kind.0, number], &[callback]),
            Record::Dom {
                site,
                node,
                change,
                value,
            } => self.rare_at(rare::DOM, site, &[change.0], &[node, value]),
            Record::Request {
                site,
                number,
                target,
                body,
            } => self.rare_at(rare::REQUEST, site, &[number], &[target, body]),
            Record::Response {
                number,
                status,
                body,
            } => {
                self.rare(rare::RESPONSE);
                self.number(number);
                self.number(status);
                self.value(body);
            }
            Record::Action {
                kind,
                target,
                value,
            } => {
                self.rare(rare::ACTION);
                self.number(kind.0);
                self.number(target.0);
                self.value(value);
            }
            Record::Console { site, level, text } => {
                self.rare_at(rare::CONSOLE, site, &[level.0], &[text]);
            }
            Record::Uncaught { value, message } => {
                self.rare(rare::UNCAUGHT);
                self.value(value);
                self.value(message);
            }
            Record::Gap { reason, lost } => {
                self.rare(rare::GAP);
                self.number(reason as u32);
                self.number(lost);
            }
            Record::Clock(time) => {
                self.rare(rare::CLOCK);
                self.time(time);
            }
            Record::RunHash(hash) => {
                self.rare(rare::RUN_HASH);
                self.number(hash);
            }
            // `push` has the others.
            _ => {}
        }
    }
}

#[inline]
fn put_value(bytes: &mut Vec<u8>, last: &mut u32, value: Value) {
    let mut reference = |bytes: &mut Vec<u8>, tag: u8, id: ObjectId| {
        bytes.push(tag);
        put_signed(bytes, id.0.wrapping_sub(*last).cast_signed());
        *last = id.0;
    };
    let text = |bytes: &mut Vec<u8>, tag: u8, id: StringId| {
        bytes.push(tag);
        put_varint(bytes, id.0);
    };
    match value {
        Value::Undefined => bytes.push(0),
        Value::Null => bytes.push(1),
        Value::Boolean(true) => bytes.push(2),
        Value::Boolean(false) => bytes.push(3),
        Value::Absent => bytes.push(6),
        Value::Uninitialised => bytes.push(7),
        Value::Accessor => bytes.push(8),
        Value::Unknown => bytes.push(9),
        Value::Number(number) => {
            let integer = number as i32;
            if f64::from(integer).to_bits() != number.to_bits() {
                if number.is_nan() {
                    bytes.push(4);
                } else if number == 0.0 {
                    bytes.push(5);
                } else {
                    bytes.push(tag::DOUBLE);
                    bytes.extend_from_slice(&number.to_bits().to_le_bytes());
                }
            } else if (-16..=207).contains(&integer) {
                bytes.push((i32::from(tag::ZERO) + integer) as u8);
            } else {
                bytes.push(tag::INTEGER);
                put_signed(bytes, integer);
            }
        }
        Value::String(id) => text(bytes, tag::STRING, id),
        Value::BigInt(id) => text(bytes, tag::BIG_INT, id),
        Value::LongString {
            start,
            length,
            is_identified,
        } => {
            let tag = match is_identified {
                true => tag::IDENTIFIED_STRING,
                false => tag::LONG_STRING,
            };
            text(bytes, tag, start);
            put_varint(bytes, length);
        }
        Value::Object(id) => reference(bytes, tag::OBJECT, id),
        Value::Function(id) => reference(bytes, tag::FUNCTION, id),
        Value::Symbol(id) => reference(bytes, tag::SYMBOL, id),
    }
}
