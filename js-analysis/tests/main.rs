//! What rewriting and positions promise, seen from outside.

mod author_names;
mod branches;
mod calls;
mod documented_forms;
mod extents;
mod log;
mod many_names;
mod points;
mod rewrite;
mod support;
mod traced_names;
