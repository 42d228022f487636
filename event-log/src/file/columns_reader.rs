//! Reads the columns of a chunk: the records, in their order.

use super::columns::{COLUMNS, RARE, tag};
use crate::bytes::{BytesError, Reader};
use crate::ids::{FunctionId, ObjectId, ScopeId, SiteId, StaticScopeId, StringId};
use crate::record::{GapReason, Record, ResumeMode};
use crate::value::Value;
use crate::wire::{code, rare};

/// A place in columns that are read.
pub(crate) struct ColumnsReader<'c> {
    kinds: Reader<'c>,
    sites: Reader<'c>,
    functions: Reader<'c>,
    owners: Reader<'c>,
    values: Reader<'c>,
    scopes: Reader<'c>,
    numbers: Reader<'c>,
    texts: Reader<'c>,
    times: Reader<'c>,
    site: u32,
    scope: u32,
    owner: u32,
    object: u32,
    list: Vec<Value>,
    units: Vec<u16>,
    words: Vec<u32>,
}

type Read<T> = Result<T, BytesError>;

impl<'c> ColumnsReader<'c> {
    /// Columns in the order of [`Columns::all`].
    pub(crate) fn new(columns: [&'c [u8]; COLUMNS]) -> Self {
        let [
            kinds,
            sites,
            functions,
            owners,
            values,
            scopes,
            numbers,
            texts,
            times,
        ] = columns.map(Reader::new);
        Self {
            kinds,
            sites,
            functions,
            owners,
            values,
            scopes,
            numbers,
            texts,
            times,
            site: 0,
            scope: 0,
            owner: 0,
            object: 0,
            list: Vec::new(),
            units: Vec::new(),
            words: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn site(&mut self) -> Read<SiteId> {
        self.site = self.site.wrapping_add(self.sites.signed()?.cast_unsigned());
        Ok(SiteId(self.site))
    }

    #[inline]
    pub(super) fn scope(&mut self) -> Read<ScopeId> {
        let difference = self.scopes.signed()?.cast_unsigned();
        self.scope = self.scope.wrapping_add(difference);
        Ok(ScopeId(self.scope))
    }

    #[inline]
    pub(super) fn value(&mut self) -> Read<Value> {
        take_value(&mut self.values, &mut self.object)
    }

    #[inline]
    pub(super) fn owner(&mut self) -> Read<Value> {
        take_value(&mut self.owners, &mut self.owner)
    }

    fn list(&mut self) -> Read<()> {
        self.list.clear();
        let count = self.numbers.varint()?;
        for _ in 0..count {
            let value = self.value()?;
            self.list.push(value);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn function(&mut self) -> Read<FunctionId> {
        self.functions.varint().map(FunctionId)
    }

    fn string(&mut self) -> Read<StringId> {
        self.numbers.varint().map(StringId)
    }

    /// The next record; `None` at the end.
    #[inline]
    pub(crate) fn next(&mut self) -> Read<Option<Record<'_>>> {
        if self.kinds.is_empty() {
            return Ok(None);
        }
        let kind = self.kinds.byte()?;
        if kind > RARE {
            return self.next_rare(u32::from(kind - RARE)).map(Some);
        }
        let record = match u32::from(kind) {
            code::ENTER => Record::Enter(self.function()?),
            code::LEAF => Record::Leaf(self.function()?),
            code::RETURN => Record::Return(self.function()?),
            code::UNWIND => Record::Unwind(self.function()?),
            code::RETURN_VALUE => Record::ReturnValue {
                site: self.site()?,
                value: self.value()?,
            },
            code::THROW => Record::Throw {
                site: self.site()?,
                value: self.value()?,
            },
            code::CATCH => Record::Catch {
                site: self.site()?,
                value: self.value()?,
            },
            code::CALL_END => Record::CallEnd {
                site: self.site()?,
                value: self.value()?,
            },
            code::CREATE => Record::Create {
                site: self.site()?,
                object: self.value()?,
            },
            code::BRANCH_TRUE => Record::Branch {
                site: self.site()?,
                outcome: true,
            },
            code::BRANCH_FALSE => Record::Branch {
                site: self.site()?,
                outcome: false,
            },
            code::WRITE => Record::Write {
                site: self.site()?,
                value: self.value()?,
                owner: self.owner()?,
            },
            code::WRITE_KEY => Record::WriteKey {
                site: self.site()?,
                key: self.value()?,
                value: self.value()?,
                owner: self.owner()?,
            },
            code::WRITE_ENTRY => Record::WriteEntry {
                site: self.site()?,
                key: self.value()?,
                value: self.value()?,
                owner: self.owner()?,
            },
            code::ASSIGN => Record::Assign {
                site: self.site()?,
                value: self.value()?,
                scope: self.scope()?,
            },
            code::SCOPE => Record::Scope {
                of: StaticScopeId(self.numbers.varint()?),
                parent: self.scope()?,
            },
            code::ARGUMENTS => {
                let this = self.value()?;
                self.list()?;
                Record::Arguments {
                    this,
                    values: &self.list,
                }
            }
            code::CALL_SITE => {
                let site = self.site()?;
                let (callee, this) = (self.value()?, self.value()?);
                self.list()?;
                Record::CallSite {
                    site,
                    callee,
                    this,
                    values: &self.list,
                }
            }
            code::OBJECT => Record::Object {
                class: self.string()?,
            },
            code::FUNCTION_OBJECT => Record::FunctionObject {
                function: FunctionId(self.numbers.varint()?),
                name: self.string()?,
            },
            code::TEXT => {
                self.units.clear();
                let count = self.numbers.varint()?;
                for _ in 0..count {
                    let unit = self.texts.varint()?;
                    let unit = u16::try_from(unit).map_err(|_| BytesError::Overflow)?;
                    self.units.push(unit);
                }
                Record::Text(&self.units)
            }
            code::STEP => Record::Step(self.site()?),
            code::BRANCH_CASE => Record::BranchCase {
                site: self.site()?,
                value: self.value()?,
                outcome: self.numbers.signed()?,
            },
            code::BRANCH_BITS => {
                let function = self.function()?;
                self.words.clear();
                let count = self.numbers.varint()?;
                for _ in 0..count {
                    let word = self.numbers.varint()?;
                    self.words.push(word);
                }
                Record::BranchBits {
                    function,
                    words: &self.words,
                }
            }
            code::ACTIVATION => Record::Activation(self.numbers.varint()?),
            code::CONTENTS => {
                let owner = self.owner()?;
                let total = self.numbers.varint()?;
                self.list()?;
                Record::Contents {
                    owner,
                    total,
                    entries: &self.list,
                }
            }
            code::TASK => Record::Task {
                kind: self.string()?,
                cause: self.numbers.varint()?,
                target: self.value()?,
                time_ms: self.times.f64()?,
            },
            code::TASK_END => Record::TaskEnd,
            other => return Err(BytesError::Code(other)),
        };
        Ok(Some(record))
    }

    fn next_rare(&mut self, kind: u32) -> Read<Record<'_>> {
        Ok(match kind {
            rare::SUSPEND => Record::Suspend {
                site: self.site()?,
                activation: self.numbers.varint()?,
                value: self.value()?,
            },
            rare::RESUME => Record::Resume {
                activation: self.numbers.varint()?,
                mode: choice(&ResumeMode::ALL, self.numbers.varint()?)?,
                value: self.value()?,
            },
            rare::SETTLE => Record::Settle {
                site: self.site()?,
                fulfilled: self.numbers.varint()? != 0,
                promise: self.value()?,
                value: self.value()?,
            },
            rare::SCHEDULE => Record::Schedule {
                site: self.site()?,
                kind: self.string()?,
                number: self.numbers.varint()?,
                callback: self.value()?,
            },
            rare::DOM => Record::Dom {
                site: self.site()?,
                change: self.string()?,
                node: self.value()?,
                value: self.value()?,
            },
            rare::REQUEST => Record::Request {
                site: self.site()?,
                number: self.numbers.varint()?,
                target: self.value()?,
                body: self.value()?,
            },
            rare::RESPONSE => Record::Response {
                number: self.numbers.varint()?,
                status: self.numbers.varint()?,
                body: self.value()?,
            },
            rare::ACTION => Record::Action {
                kind: self.string()?,
                target: self.string()?,
                value: self.value()?,
            },
            rare::CONSOLE => Record::Console {
                site: self.site()?,
                level: self.string()?,
                text: self.value()?,
            },
            rare::UNCAUGHT => Record::Uncaught {
                value: self.value()?,
                message: self.value()?,
            },
            rare::GAP => Record::Gap {
                reason: choice(&GapReason::ALL, self.numbers.varint()?)?,
                lost: self.numbers.varint()?,
            },
            rare::CLOCK => Record::Clock(self.times.f64()?),
            rare::RUN_HASH => Record::RunHash(self.numbers.varint()?),
            other => return Err(BytesError::Code(other + u32::from(RARE))),
        })
    }
}

fn choice<T: Copy>(all: &[T], number: u32) -> Read<T> {
    all.get(number as usize)
        .copied()
        .ok_or(BytesError::Code(number))
}

#[inline]
fn take_value(reader: &mut Reader<'_>, last: &mut u32) -> Read<Value> {
    let mut reference = |reader: &mut Reader<'_>| {
        *last = last.wrapping_add(reader.signed()?.cast_unsigned());
        Ok(ObjectId(*last))
    };
    let string = |reader: &mut Reader<'_>| reader.varint().map(StringId);
    Ok(match reader.byte()? {
        0 => Value::Undefined,
        1 => Value::Null,
        2 => Value::Boolean(true),
        3 => Value::Boolean(false),
        4 => Value::Number(f64::NAN),
        5 => Value::Number(-0.0),
        6 => Value::Absent,
        7 => Value::Uninitialised,
        8 => Value::Accessor,
        9 => Value::Unknown,
        tag::INTEGER => Value::Number(f64::from(reader.signed()?)),
        tag::DOUBLE => Value::Number(reader.f64()?),
        tag::STRING => Value::String(string(reader)?),
        found @ (tag::LONG_STRING | tag::IDENTIFIED_STRING) => Value::LongString {
            start: string(reader)?,
            length: reader.varint()?,
            is_identified: found == tag::IDENTIFIED_STRING,
        },
        tag::OBJECT => Value::Object(reference(reader)?),
        tag::FUNCTION => Value::Function(reference(reader)?),
        tag::SYMBOL => Value::Symbol(reference(reader)?),
        tag::BIG_INT => Value::BigInt(string(reader)?),
        small @ tag::SMALLEST..=u8::MAX => {
            Value::Number(f64::from(i32::from(small) - i32::from(tag::ZERO)))
        }
        other => return Err(BytesError::Code(u32::from(other))),
    })
}
