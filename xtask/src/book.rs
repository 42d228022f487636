//! `cargo xtask book`: the pages of `docs/` as a book, whose links lead somewhere.

use std::path::Path;

use crate::error::TaskError;
use crate::steps::{cargo, run_through};

/// Builds the book into `target/book`, and follows its links.
///
/// # Errors
/// If it does not build, or a link leads nowhere; what it is was printed.
pub(crate) fn run(root: &Path) -> Result<(), TaskError> {
    run_through(
        cargo(root)
            .args(["run", "--locked", "--quiet", "--package", "book", "--"])
            .arg(root.join("docs/book")),
    )
}
