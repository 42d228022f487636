//! A log for other tools: facts of JEL for Prolog, and a trace for Perfetto and the Performance panel of DevTools.
//!
//! Both are written as they are worked out, event by event.

mod facts;
mod terms;
mod trace;

pub use facts::jel;
pub use trace::chrome_trace;
