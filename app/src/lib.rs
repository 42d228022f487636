//! What a front end can do, each as a function with a typed result, progress and an end that can be asked for.
//!
//! A question ([`question`]) about a [`page`] is asked once ([`ask`]) or many times ([`runs`], in a [`pool`] of
//! browsers), and the page can be paused where the answer is ([`pausing`]). A recording file ([`recording_file`]) is
//! made of what a person does ([`recording_session`]) or of another tool's flow ([`importing`]), is replayed
//! ([`replay`]), becomes shorter ([`minimizing`]) and a test ([`exporting`]). Event logs are recorded
//! ([`log_recording`]) and opened ([`logs`]), merged ([`log_merging`]), asked and compared ([`log_questions`]); a page
//! is diagnosed call by call ([`diagnosing`]). What a script becomes is shown ([`rewriting`]). [`sessions`] are what a
//! panel works at: kept, undone, and busy with one thing at a time.
//!
//! Work says how far it is to a [`progress::Reporter`] and ends early by a [`cancelling::Cancellation`]; a [`failure`]
//! says of what kind it is.
//!
//! ```
//! use app::question::Question;
//!
//! let question = Question::read("app.js:22", &["B = lastChange(R:cart.total)"], &["cart.items"])?;
//! assert_eq!(question.watches, ["cart.items"]);
//! // What cannot be asked is said before a browser starts.
//! assert!(Question::read("app.js:22", &["B = lastChange(X:cart.total)"], &[]).is_err());
//! # Ok::<(), app::failure::Failure>(())
//! ```
//!
//! Invariants: nothing here knows a terminal or a WebSocket. What is written is there as a whole or not at all, and for
//! its owner alone ([`private`]).

pub mod ask;
pub mod browser;
pub mod cancelling;
pub mod chosen_files;
pub mod definitions;
pub mod diagnosing;
pub mod diagnosis;
pub mod example;
pub mod exporting;
pub mod failure;
pub mod files;
pub mod http;
pub mod importing;
pub mod keeping;
mod kept;
pub mod log_merging;
pub mod log_questions;
pub mod log_recording;
pub mod logs;
pub mod minimizing;
pub mod page;
pub mod page_server;
pub mod pausing;
pub mod pool;
pub mod private;
pub mod progress;
pub mod question;
pub mod recording_file;
pub mod recording_session;
pub mod replay;
pub mod rewriting;
pub mod runs;
mod served;
pub mod sessions;
