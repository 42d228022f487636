//! Random programs, and a judge of answers that shares no code with what it judges.
//!
//! Two promises are held against what this crate makes and sees. *The page is untouched*: a program prints the
//! same, plain and rewritten (`tests/same_output.rs`, in Node). *The answer is right*: the line that `lastChange`
//! names is the one at which the judge saw the value change (`tests/same_answer.rs`, in Chromium). What the fixtures
//! expect is held against the judge as well (`tests/fixture_lines.rs`). A third promise is of event logs: *the
//! catalogue says what the log says*. A judge in Prolog answers the same questions from the log's facts
//! (`tests/prolog.rs`), and what the judge saw happen is in the log (`tests/same_log.rs`).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`generator`] | programs that end, print, and write values in every way they can; shrinks by [`choices`] |
//! | [`node`] | a Node that runs many programs, each in a realm of its own |
//! | [`stepping`] | the judge: the plain page under the debugger, stopped at every place it can be stopped at |
//! | [`courtroom`] | a browser, the judge in it, and the pages, for tests that step through many |
//! | [`prolog`] | a SWI-Prolog that answers JavaTA's questions from the facts of logs |
//! | [`site`] | the programs as pages on loopback |
//!
//! The judge may use the connection to the browser that the product uses, and nothing else of it: no rewriting,
//! no agent, no query language. The product is in the tests only.

pub mod choices;
pub mod courtroom;
pub mod generator;
pub mod node;
pub mod prolog;
pub mod settings;
pub mod site;
pub mod stepping;
