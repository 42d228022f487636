//! What a front end can do, each as a function with a typed result, progress and an end that can be asked for.
//!
//! A question ([`question`]) about a [`page`] is asked once ([`ask`]) or many times ([`runs`], in a [`pool`] of
//! browsers); a recording file ([`recording_file`]) is replayed ([`replay`]); [`sessions`] are what a panel works at:
//! kept, undone, and busy with one thing at a time. [`logs`] are recorded and opened. A [`failure`] says of what kind
//! it is.
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
pub mod chosen_files;
pub mod definitions;
pub mod diagnosis;
pub mod example;
pub mod failure;
pub mod files;
pub mod http;
pub mod keeping;
mod kept;
pub mod logs;
pub mod page;
pub mod page_server;
pub mod pool;
pub mod private;
pub mod progress;
pub mod question;
pub mod recording_file;
pub mod replay;
pub mod runs;
mod served;
pub mod sessions;
