//! The event log: everything that an execution did, recorded once and asked often.
//!
//! The way of a log through this crate: the page's side encodes [`record`]s as words ([`wire`]); [`file::LogWriter`]
//! checks them and appends them to a `.qplog` as columns ([`file`]); [`file::LogFile`] reads it up to wherever it is
//! cut off; [`merging`] makes one log of several. What the scripts say, whatever runs, is in [`tables`], which the
//! rewriting side fills.
//!
//! ```
//! use event_log::file::{LogEnd, LogFile, LogInfo, LogWriter};
//!
//! let info = LogInfo { page: "http://h/".to_owned(), ..LogInfo::default() };
//! let (bytes, _) = LogWriter::new(Vec::new(), &info)?.finish(&LogEnd::default())?;
//! let log = LogFile::open(bytes.as_slice())?;
//! assert_eq!((log.events(), log.damage()), (0, [].as_slice()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariants: no file, no browser, no clock, no thread; compiles to `wasm32`; nothing panics on what a page, a file or
//! a person gave. Memory of the writer does not grow with the log.
//!
//! The kinds of events are JavaScript's counterparts of those of JEL, the event language of Girgis and Jayaraman,
//! *JavaTA: A Logic-based Debugger for Java* (section 3); `docs/reference/event-log.md` has both beside each other.

mod bytes;

pub mod call_tree;
pub mod catalogue;
pub mod compare;
pub mod export;

pub mod file;
pub mod ids;
pub mod merging;
pub mod model;
pub mod record;
pub mod relations;
pub mod tables;
pub mod value;
pub mod wire;

pub use bytes::BytesError;
