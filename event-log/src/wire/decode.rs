//! From the words of a batch to records. The words are a page's: nothing in them is trusted, and no number of theirs
//! makes us allocate more than they themselves take.

use super::layout::{
    CODE_MASK, HEADER_WORDS, MAGIC, MOST_UNITS, MOST_WORDS, OPERAND_SHIFT, code, rare, tag,
};
use crate::ids::{FunctionId, ObjectId, ScopeId, SiteId, StaticScopeId, StreamId, StringId};
use crate::record::{GapReason, Record, ResumeMode};
use crate::value::Value;

/// Why words are no batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {word} of a batch of the log: {problem}")]
pub struct WireError {
    /// The word, from 0, the header included.
    pub word: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is not a batch, or of another version.
    #[error("it does not begin as a batch does")]
    Magic,
    /// The length in the header is not that of the words.
    #[error("its length is not what the header says")]
    Length,
    /// A record goes over the end.
    #[error("a record goes over the end")]
    End,
    /// The code is none.
    #[error("{0} is no code of a record")]
    Code(u32),
    /// The value is none.
    #[error("{0:#x} is no value")]
    Value(u32),
    /// A text is longer than allowed.
    #[error("a text of {0} code units is too long")]
    Text(u32),
    /// A site or a function that the rewriter did not give out.
    #[error("there is no {0} {1}")]
    NotDefined(&'static str, u32),
    /// A number that must be one of a few.
    #[error("{1} is no {0}")]
    Choice(&'static str, u32),
    /// A detail without an event that it belongs to, or an object that is none.
    #[error("{0}")]
    Misplaced(&'static str),
}

/// How many of each kind there are: what a batch may name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Texts of the stream.
    pub strings: u32,
    /// Objects of the stream.
    pub objects: u32,
    /// Scopes of the stream.
    pub scopes: u32,
    /// Functions of the log.
    pub functions: u32,
    /// Sites of the log.
    pub sites: u32,
    /// Static scopes of the log.
    pub static_scopes: u32,
}

/// The header of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which stream.
    pub stream: StreamId,
    /// The batch's number in its stream.
    pub number: u32,
    /// How many words follow.
    pub words: usize,
    /// Texts, objects and scopes that were defined before.
    pub defined: [u32; 3],
}

/// Reads the header of a batch, and checks its length.
///
/// # Errors
/// [`WireError`] if the words are no batch.
pub fn header(words: &[i32]) -> Result<Header, WireError> {
    let error = |word, problem| Err(WireError { word, problem });
    let Some((head, rest)) = words.split_first_chunk::<HEADER_WORDS>() else {
        return error(words.len(), Problem::End);
    };
    let head = head.map(i32::cast_unsigned);
    if head[0] != MAGIC.cast_unsigned() || head[7] != 0 {
        return error(0, Problem::Magic);
    }
    if head[3] as usize != rest.len() || rest.len() > MOST_WORDS {
        return error(3, Problem::Length);
    }
    Ok(Header {
        stream: StreamId(head[1]),
        number: head[2],
        words: rest.len(),
        defined: [head[4], head[5], head[6]],
    })
}

/// Reads the records of a batch one by one and gives each to `sink`, until one is wrong. `counts` goes on counting:
/// after an error it has what the records before it defined.
///
/// # Errors
/// [`WireError`] at the first record that is wrong. Those before it are right and were given to `sink`.
pub fn decode(
    words: &[i32],
    counts: &mut Counts,
    mut sink: impl FnMut(Record<'_>),
) -> Result<(), WireError> {
    header(words)?;
    let mut decoder = Decoder {
        words,
        at: HEADER_WORDS,
        counts,
        values: Vec::new(),
        units: Vec::new(),
        bits: Vec::new(),
    };
    while decoder.at < words.len() {
        decoder.record(&mut sink)?;
    }
    Ok(())
}

struct Decoder<'w> {
    words: &'w [i32],
    at: usize,
    counts: &'w mut Counts,
    values: Vec<Value>,
    units: Vec<u16>,
    bits: Vec<u32>,
}

type Result1<T> = Result<T, WireError>;

impl Decoder<'_> {
    #[cold]
    fn error<T>(&self, problem: Problem) -> Result1<T> {
        Err(WireError {
            word: self.at.saturating_sub(1),
            problem,
        })
    }

    #[inline]
    fn word(&mut self) -> Result1<u32> {
        let Some(&word) = self.words.get(self.at) else {
            return self.error(Problem::End);
        };
        self.at += 1;
        Ok(word.cast_unsigned())
    }

    fn time(&mut self) -> Result1<f64> {
        let low = u64::from(self.word()?);
        let high = u64::from(self.word()?);
        let time = f64::from_bits(high << 32 | low);
        Ok(if time.is_finite() { time } else { 0.0 })
    }

    #[inline]
    fn value(&mut self) -> Result1<Value> {
        let word = self.word()?;
        let payload = word >> 4;
        Ok(match word & 15 {
            tag::CONSTANT => match payload {
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
                _ => return self.error(Problem::Value(word)),
            },
            tag::INTEGER => Value::Number(f64::from(word.cast_signed() >> 4)),
            tag::DOUBLE if payload == 0 => {
                let low = u64::from(self.word()?);
                let high = u64::from(self.word()?);
                Value::Number(f64::from_bits(high << 32 | low))
            }
            tag::STRING => Value::String(self.string(payload)?),
            found @ (tag::LONG_STRING | tag::IDENTIFIED_STRING) => Value::LongString {
                start: self.string(payload)?,
                length: self.word()?,
                is_identified: found == tag::IDENTIFIED_STRING,
            },
            tag::OBJECT => Value::Object(self.object(payload)?),
            tag::FUNCTION => Value::Function(self.object(payload)?),
            tag::SYMBOL => Value::Symbol(self.object(payload)?),
            tag::BIG_INT => Value::BigInt(self.string(payload)?),
            _ => return self.error(Problem::Value(word)),
        })
    }

    /// A value that can have properties.
    #[inline]
    fn owner(&mut self) -> Result1<Value> {
        let value = self.value()?;
        match value {
            Value::Object(_) | Value::Function(_) | Value::Unknown => Ok(value),
            _ => self.error(Problem::Misplaced("only an object has properties")),
        }
    }

    fn values_of(&mut self, count: u32) -> Result1<()> {
        self.values.clear();
        if count as usize > self.words.len() - self.at {
            return self.error(Problem::End);
        }
        for _ in 0..count {
            let value = self.value()?;
            self.values.push(value);
        }
        Ok(())
    }

    fn string(&self, number: u32) -> Result1<StringId> {
        self.defined("text", number, self.counts.strings)
            .map(StringId)
    }

    fn string_word(&mut self) -> Result1<StringId> {
        let number = self.word()?;
        self.string(number)
    }

    /// Zero is none, and allowed where the table has something for it (the empty text).
    #[inline]
    fn defined(&self, what: &'static str, number: u32, count: u32) -> Result1<u32> {
        if number > count {
            return self.error(Problem::NotDefined(what, number));
        }
        Ok(number)
    }

    #[inline]
    fn some(&self, what: &'static str, number: u32, count: u32) -> Result1<u32> {
        if number == 0 || number > count {
            return self.error(Problem::NotDefined(what, number));
        }
        Ok(number)
    }

    fn object(&self, number: u32) -> Result1<ObjectId> {
        self.some("object", number, self.counts.objects)
            .map(ObjectId)
    }

    #[inline]
    fn site(&self, number: u32) -> Result1<SiteId> {
        self.some("site", number, self.counts.sites).map(SiteId)
    }

    /// A site that may be none.
    fn any_site(&self, number: u32) -> Result1<SiteId> {
        self.defined("site", number, self.counts.sites).map(SiteId)
    }

    #[inline]
    fn function(&self, number: u32) -> Result1<FunctionId> {
        self.some("function", number, self.counts.functions)
            .map(FunctionId)
    }

    fn scope(&self, number: u32) -> Result1<ScopeId> {
        self.defined("scope", number, self.counts.scopes)
            .map(ScopeId)
    }

    #[inline]
    fn record(&mut self, sink: &mut impl FnMut(Record<'_>)) -> Result1<()> {
        let word = self.word()?;
        let operand = word >> OPERAND_SHIFT;
        let record = match word & CODE_MASK {
            code::TEXT => return self.text(operand, sink),
            code::OBJECT => {
                let class = self.string(operand)?;
                self.counts.objects += 1;
                Record::Object { class }
            }
            code::FUNCTION_OBJECT => {
                let function = self.defined("function", operand, self.counts.functions)?;
                let name = self.string_word()?;
                self.counts.objects += 1;
                Record::FunctionObject {
                    function: FunctionId(function),
                    name,
                }
            }
            code::SCOPE => {
                let of = self.some("static scope", operand, self.counts.static_scopes)?;
                let parent = self.word()?;
                let parent = self.scope(parent)?;
                self.counts.scopes += 1;
                Record::Scope {
                    of: StaticScopeId(of),
                    parent,
                }
            }
            code::ACTIVATION => Record::Activation(operand),
            code::ARGUMENTS => {
                let this = self.value()?;
                self.values_of(operand)?;
                Record::Arguments {
                    this,
                    values: &self.values,
                }
            }
            code::BRANCH_BITS => {
                let function = self.function(operand)?;
                let count = self.word()? as usize;
                let Some(words) = self.words.get(self.at..self.at.saturating_add(count)) else {
                    return self.error(Problem::End);
                };
                self.bits.clear();
                self.bits.extend(words.iter().map(|it| it.cast_unsigned()));
                self.at += count;
                Record::BranchBits {
                    function,
                    words: &self.bits,
                }
            }
            code::ENTER => Record::Enter(self.function(operand)?),
            code::LEAF => Record::Leaf(self.function(operand)?),
            code::RETURN => Record::Return(self.function(operand)?),
            code::UNWIND => Record::Unwind(self.function(operand)?),
            code::RETURN_VALUE => Record::ReturnValue {
                site: self.site(operand)?,
                value: self.value()?,
            },
            code::THROW => Record::Throw {
                site: self.site(operand)?,
                value: self.value()?,
            },
            code::CATCH => Record::Catch {
                site: self.site(operand)?,
                value: self.value()?,
            },
            code::CALL_SITE => {
                let site = self.site(operand)?;
                let callee = self.value()?;
                let this = self.value()?;
                let count = self.word()?;
                self.values_of(count)?;
                Record::CallSite {
                    site,
                    callee,
                    this,
                    values: &self.values,
                }
            }
            code::CALL_END => Record::CallEnd {
                site: self.site(operand)?,
                value: self.value()?,
            },
            code::WRITE => Record::Write {
                site: self.site(operand)?,
                owner: self.owner()?,
                value: self.value()?,
            },
            code::WRITE_KEY => Record::WriteKey {
                site: self.site(operand)?,
                owner: self.owner()?,
                key: self.value()?,
                value: self.value()?,
            },
            code::WRITE_ENTRY => Record::WriteEntry {
                site: self.site(operand)?,
                owner: self.owner()?,
                key: self.value()?,
                value: self.value()?,
            },
            code::ASSIGN => {
                let site = self.site(operand)?;
                let scope = self.word()?;
                Record::Assign {
                    site,
                    scope: self.scope(scope)?,
                    value: self.value()?,
                }
            }
            code::CREATE => Record::Create {
                site: self.site(operand)?,
                object: self.owner()?,
            },
            code::BRANCH_FALSE => Record::Branch {
                site: self.site(operand)?,
                outcome: false,
            },
            code::BRANCH_TRUE => Record::Branch {
                site: self.site(operand)?,
                outcome: true,
            },
            code::BRANCH_CASE => Record::BranchCase {
                site: self.site(operand)?,
                outcome: self.word()?.cast_signed(),
                value: self.value()?,
            },
            code::STEP => Record::Step(self.site(operand)?),
            code::CONTENTS => {
                let owner = self.owner()?;
                let total = self.word()?;
                self.values_of(operand.saturating_mul(2))?;
                Record::Contents {
                    owner,
                    total,
                    entries: &self.values,
                }
            }
            code::TASK => Record::Task {
                kind: self.string(operand)?,
                cause: self.word()?,
                time_ms: self.time()?,
                target: self.value()?,
            },
            code::TASK_END => Record::TaskEnd,
            code::RARE => return self.rare(operand, sink),
            other => return self.error(Problem::Code(other)),
        };
        sink(record);
        Ok(())
    }

    fn text(&mut self, length: u32, sink: &mut impl FnMut(Record<'_>)) -> Result1<()> {
        let units = length as usize;
        if units == 0 || units > MOST_UNITS {
            return self.error(Problem::Text(length));
        }
        let Some(words) = self.words.get(self.at..self.at + units.div_ceil(2)) else {
            return self.error(Problem::End);
        };
        self.units.clear();
        for word in words.iter().map(|it| it.cast_unsigned()) {
            self.units.push((word & 0xffff) as u16);
            self.units.push((word >> 16) as u16);
        }
        self.units.truncate(units);
        self.at += words.len();
        self.counts.strings += 1;
        sink(Record::Text(&self.units));
        Ok(())
    }

    fn rare(&mut self, operand: u32, sink: &mut impl FnMut(Record<'_>)) -> Result1<()> {
        let word = self.word()?;
        let count = (word >> 8) as usize;
        let end = self.at + count;
        if end > self.words.len() {
            return self.error(Problem::End);
        }
        let site = self.any_site(operand)?;
        let choice = |of: &Self, what, number: u32| of.error(Problem::Choice(what, number));
        let record = match word & 0xff {
            rare::SUSPEND => Record::Suspend {
                site,
                activation: self.word()?,
                value: self.value()?,
            },
            rare::RESUME => {
                let activation = self.word()?;
                let number = self.word()?;
                let Some(&mode) = ResumeMode::ALL.get(number as usize) else {
                    return choice(self, "way to go on", number);
                };
                Record::Resume {
                    activation,
                    mode,
                    value: self.value()?,
                }
            }
            rare::SETTLE => {
                let fulfilled = self.word()? != 0;
                Record::Settle {
                    site,
                    promise: self.value()?,
                    fulfilled,
                    value: self.value()?,
                }
            }
            rare::SCHEDULE => Record::Schedule {
                site,
                kind: self.string_word()?,
                number: self.word()?,
                callback: self.value()?,
            },
            rare::DOM => Record::Dom {
                site,
                change: self.string_word()?,
                node: self.value()?,
                value: self.value()?,
            },
            rare::REQUEST => Record::Request {
                site,
                number: self.word()?,
                target: self.value()?,
                body: self.value()?,
            },
            rare::RESPONSE => Record::Response {
                number: self.word()?,
                status: self.word()?,
                body: self.value()?,
            },
            rare::ACTION => Record::Action {
                kind: self.string_word()?,
                target: self.string_word()?,
                value: self.value()?,
            },
            rare::CONSOLE => Record::Console {
                site,
                level: self.string_word()?,
                text: self.value()?,
            },
            rare::UNCAUGHT => Record::Uncaught {
                value: self.value()?,
                message: self.value()?,
            },
            rare::GAP => {
                let number = self.word()?;
                // The others are not for a page to say.
                let Some(&reason) = GapReason::ALL[..3].get(number as usize) else {
                    return choice(self, "reason of a gap", number);
                };
                Record::Gap {
                    reason,
                    lost: self.word()?,
                }
            }
            rare::CLOCK => Record::Clock(self.time()?),
            rare::RUN_HASH => Record::RunHash(self.word()?),
            // Of a later version.
            _ => {
                self.at = end;
                return Ok(());
            }
        };
        if self.at > end {
            return self.error(Problem::End);
        }
        // A later version may say more of it.
        self.at = end;
        sink(record);
        Ok(())
    }
}
