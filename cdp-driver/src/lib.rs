//! The wire: the DevTools protocol, and the browser that speaks it.
//!
//! [`protocol`] is what a connection is: commands, events, a clock. `native` (a feature) is the one over a socket, with
//! chromiumoxide, processes and profiles; an extension brings its own.

#[cfg(feature = "native")]
pub mod error;
#[cfg(feature = "native")]
pub mod native;
pub mod protocol;

#[cfg(feature = "native")]
pub use error::BrowserError;
