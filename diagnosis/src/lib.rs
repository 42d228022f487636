//! Declarative debugging: whether calls did what they should, and which of them is faulty.
//!
//! A [`Tree`] has a node for each call of an execution; the children of a call are the calls that were made while it
//! ran. A [`Session`] holds what was said of calls, and asks on ([`Strategy`]) until a call is known to be wrong while
//! all that it called is right. (Shapiro, *Algorithmic Program Debugging*, 1983; Hermanns and Kuchen, *Hybrid Debugging
//! of Java Programs*, 2010; Insa and Silva, *An Optimal Strategy for Algorithmic Debugging*, 2011.)
//!
//! ```
//! use diagnosis::{Answer, Session, Step, Strategy, Tree};
//!
//! // Call 0 makes the calls 1 and 2, call 2 makes call 3. Each is of another function.
//! let tree = Tree::new(&[None, Some(0), Some(0), Some(2)], &[1, 2, 3, 4]);
//! let mut session = Session::new(&tree);
//! let wrong = [tree.node_of(0), tree.node_of(2)];
//! let found = loop {
//!     match session.next(Strategy::Optimal, None) {
//!         Step::Ask(node) if wrong.contains(&Some(node)) => session.answer(node, Answer::Invalid),
//!         Step::Ask(node) => session.answer(node, Answer::Valid),
//!         end => break end,
//!     }
//! };
//! assert_eq!(tree.node_of(2).map(Step::Found), Some(found));
//! ```
//!
//! Invariants: no file, no browser, no clock; compiles to `wasm32`; nothing panics on what a log has. A call is found
//! only where the condition of the method holds: it is invalid, and all its children are valid or trusted.

mod call_data;
mod carried;
mod checks;
mod coverage;
mod differences;
mod interview;
mod log;
mod look_ups;
mod loop_state;
mod loops;
mod page_effects;
mod ranking;
mod same;
mod session;
mod state;
mod steps;
mod strategy;
mod suspicion;
mod tree;
mod types;
mod versions;
mod view;

pub use call_data::call_data;
pub use carried::{Carried, Known, carried};
pub use checks::{Check, Declared, DeclaredOf, checks};
pub use coverage::{Coverage, ReadsAt};
pub use interview::{Interview, Said};
pub use log::LogTree;
pub use loops::{Loop, LoopPart, Loops};
pub use querypoint::diagnosis::{CallView, Ended, Named};
pub use same::{CallOf, Uses, UsesOf, is_same_call, is_same_call_of};
pub use session::{Answer, Judged, Session, Step};
pub use strategy::{Strategy, UnknownStrategy, Weights};
pub use tree::{NodeId, ROOT, Tree};
pub use versions::{Verdict, judge};
pub use view::{call_view, found_call};
