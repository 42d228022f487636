//! What tests of several crates share.
//!
//! [`browsers`] gives a test a browser that runs already: a worker's tests use one after the other, each in browser
//! contexts of its own. [`server`] is a web server whose every answer is the test's. [`origins`] reads what the pages
//! of origins ask.

pub mod browsers;
pub mod origins;
pub mod server;
