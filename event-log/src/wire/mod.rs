//! The wire: what the page's side sends, made for JavaScript that is written by hand and runs fast.
//!
//! A *batch* is an array of 32-bit words, little endian (an `Int32Array`). `agent/js/log-encoder.js` writes it,
//! [`decode`] reads it, [`Encoder`] writes the same in Rust, for tests and generators. Everything in a batch is from a
//! page and may be wrong: each number is checked against what was defined before.
//!
//! # Batch
//! | word | what |
//! | --- | --- |
//! | 0 | [`MAGIC`]: the letters `QPL1` |
//! | 1 | the stream's number |
//! | 2 | the batch's number in its stream, from 0 |
//! | 3 | how many words follow the header |
//! | 4, 5, 6 | how many texts, objects and scopes the stream defined in batches before this one |
//! | 7 | 0 |
//!
//! Records follow. A record never goes over the end of a batch. The words 4 to 6 let a reader go on after a batch that
//! was lost.
//!
//! # Record
//! The first word is `operand << 5 | code`; the operand has 27 bits and no sign.
//!
//! | code | record | operand | words that follow |
//! | --- | --- | --- | --- |
//! | 1 | `Text` | length in UTF-16 code units, at most 4096 | the units, two a word, the first in the low half |
//! | 2 | `Object` | text: class | |
//! | 3 | `FunctionObject` | function, 0: without hooks | text: name |
//! | 4 | `Scope` | static scope | scope around it, 0: none |
//! | 5 | `Activation` | number | |
//! | 6 | `Arguments` | how many values | `this`, values |
//! | 7 | `BranchBits` | function | how many words, words |
//! | 8 | `Enter` | function | |
//! | 9 | `Leaf` | function | |
//! | 10 | `Return` | function | |
//! | 11 | `ReturnValue` | site | value |
//! | 12 | `Unwind` | function | |
//! | 13 | `Throw` | site | value |
//! | 14 | `Catch` | site | value |
//! | 15 | `CallSite` | site | callee, `this`, how many values, values |
//! | 16 | `CallEnd` | site | value |
//! | 17 | `Write` | site | owner, value |
//! | 18 | `WriteKey` | site | owner, key, value |
//! | 19 | `WriteEntry` | site | owner, key, value |
//! | 20 | `Assign` | site | scope, value |
//! | 21 | `Create` | site | value: the object |
//! | 22 | `Branch` that did not hold | site | |
//! | 23 | `Branch` that held | site | |
//! | 24 | `BranchCase` | site | outcome, value |
//! | 25 | `Step` | site | |
//! | 26 | `Contents` | how many entries | owner, total, a key and a value for each |
//! | 27 | `Task` | text: kind | cause, two words of the time, value: target |
//! | 28 | `TaskEnd` | 0 | |
//! | 31 | one of the rare ones | site | `count << 8 \| kind`, then `count` words |
//!
//! The rare ones, by kind: 1 `Suspend` (activation, value), 2 `Resume` (activation, mode, value; mode 0 next, 1 throw,
//! 2 return), 3 `Settle` (1 if fulfilled, promise, value), 4 `Schedule` (text: kind, number, callback), 5 `Dom` (text:
//! what, node, value), 6 `Request` (number, target, body), 7 `Response` (number, status, body), 8 `Action` (text: kind,
//! text: selector, value), 9 `Console` (text: level, value), 10 `Uncaught` (value, message), 11 `Gap` (reason, how many
//! lost; reason 0 switched off, 1 dropped, 2 out of memory), 12 `Clock` (two words of the time), 13 `RunHash` (hash). A
//! reader skips kinds that it does not know.
//!
//! Definitions give the next number: texts, objects and scopes are counted from 1 for each stream. Text 0 is the empty
//! text; it is never defined. What a record names is defined before it. A function or site is a number that the
//! rewriter put into the script. Time is a double of milliseconds since the stream began, its low word first.
//!
//! # Value
//! One word, `payload << 4 | tag`, and for two of the tags more:
//!
//! | tag | value | payload |
//! | --- | --- | --- |
//! | 0 | constants | 0 `undefined`, 1 `null`, 2 `true`, 3 `false`, 4 `NaN`, 5 `-0`, 6 absent (deleted, a hole), 7 not initialised, 8 accessor, 9 not recorded |
//! | 1 | an integer of 28 bits | the integer, with its sign (`word >> 4`) |
//! | 2 | any other number | 0; two words follow, the low one first |
//! | 3 | a text that is kept whole | its number |
//! | 4 | one that is cut | the number of its first 256 units; the next word is its length |
//! | 5 | an object | its number |
//! | 6 | a function | its number |
//! | 7 | a symbol | its number |
//! | 9 | one that is cut and identified | the same; no other text has that number |
//! | 8 | a big integer | the number of the text of its digits, cut at 256 (its last is then `…`) |
//!
//! A text of at most 256 units is kept whole. Whether a longer one is kept (whole up to a length, else identified) says
//! who makes the encoder; then a stream keeps at most 64 that begin with the same 256 units, 2²² units of whole ones in
//! all and 2²⁴ of identified ones. In one stream a text is always kept, or always cut.
//!
//! A page that needs more than 2²⁷ objects, texts or scopes sends *not recorded* for those beyond.

mod decode;
mod encode;
mod layout;
mod packing;

pub use decode::{Counts, Header, WireError, decode, header};
pub use encode::Encoder;
pub use layout::{HEADER_WORDS, MAGIC, MOST_UNITS, MOST_WORDS};
pub(crate) use layout::{code, rare};
pub use packing::{PACKED, UnpackError, unpack};
