//! `cargo xtask book`: the pages of `docs/` as a book, whose links lead somewhere.

use std::path::Path;
use std::process::Command;

use crate::error::TaskError;
use crate::steps::{cargo, run_through};

/// Builds the book, with that program, into `target/book`, and follows its links.
///
/// # Errors
/// If it does not build, or a link leads nowhere; what it is was printed.
pub(crate) fn run(binder: &mut Command, root: &Path) -> Result<(), TaskError> {
    run_through(binder.arg(root.join("docs/book")))
}

/// The program that makes it, built if it is not.
pub(crate) fn binder(root: &Path) -> Command {
    let mut binder = cargo(root);
    binder.args(["run", "--locked", "--quiet", "--package", "book", "--"]);
    binder
}
