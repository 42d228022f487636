//! The wire: the DevTools protocol, and the browser that speaks it.
//!
//! [`protocol`] is what a connection is: commands, events, a clock. `native` (a feature) is the one over a socket, with
//! chromiumoxide, processes and profiles; an extension brings its own.
//!
//! ```
//! use cdp_driver::protocol::Command as _;
//! use cdp_driver::protocol::generated::debugger::SetBreakpointByUrl;
//!
//! let breakpoint = SetBreakpointByUrl { url: Some("cart.js".to_owned()), ..SetBreakpointByUrl::new(21) };
//! let command = breakpoint.encoded();
//! assert_eq!(command.method, "Debugger.setBreakpointByUrl");
//! assert_eq!(command.params["lineNumber"], 21);
//! ```

#[cfg(feature = "native")]
pub mod error;
#[cfg(feature = "native")]
pub mod native;
pub mod protocol;

#[cfg(feature = "native")]
pub use error::BrowserError;
