//! JavaScript and HTML for Querypoint: parse once, find scopes and sites, rewrite, map positions.
//!
//! Pure: no I/O, no clock, compiles to `wasm32`. Knows nothing of browsers or of the query language.
//!
//! # Examples
//!
//! A script with a hook at the one write of a watched property, and nowhere else:
//!
//! ```
//! use js_analysis::Goal;
//! use js_analysis::rewrite::{
//!     Instrumentation, NamesAsWritten, SiteKind, Watch, WatchedName, WatchedTarget, with_script,
//! };
//!
//! let source = "cart.count = 1;\ncart.total = price * cart.count;\n";
//! let total = WatchedName {
//!     target: WatchedTarget::Property("total".to_owned()),
//!     dependents: Vec::new(),
//! };
//! let instrumentation = Instrumentation {
//!     watch: Watch::Names(vec![total]),
//!     ..Instrumentation::default()
//! };
//! let rewritten =
//!     with_script(source, Goal::Script, |script| script.rewrite(&instrumentation, &NamesAsWritten))??;
//! assert_eq!(rewritten.sites.len(), 1);
//! assert_eq!(rewritten.sites[0].kind, SiteKind::Assignment);
//!
//! let (text, _positions) = rewritten.apply(source);
//! assert!(text.contains("cart.count = 1;\n"));
//! assert_eq!(text.lines().count(), source.lines().count());
//! # Ok::<(), js_analysis::rewrite::RewriteError>(())
//! ```

pub mod call_chains;
pub mod call_graph;
pub mod control_flow;
pub mod edits;
pub mod html;
pub mod jsdoc;
pub mod log;
pub mod loops;
pub mod marks;
pub mod omission;
pub mod origin;
mod outer_scope;
mod parse;
pub mod position;
pub mod reads;
pub mod renamed;
pub mod rewrite;
mod scopes;
pub mod source_map;
pub mod text_encoding;
pub mod versions;

pub use parse::{Goal, SyntaxError};
