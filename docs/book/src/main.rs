//! Builds `docs/` into a book, and follows each of its links.
//!
//! Takes the folder in which `book.toml` is, which says where the book goes. `cargo xtask book` runs it.

mod links;
mod outward;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mdbook_driver::MDBook;
use outward::Outward;

/// Why there is no book, or none to be shown.
#[derive(Debug, thiserror::Error)]
enum BookError {
    #[error("which folder? cargo xtask book says it")]
    NoFolder,
    #[error("the book cannot be built: {0:#}")]
    Build(mdbook_driver::errors::Error),
    #[error("{path}: {problem}")]
    File {
        path: PathBuf,
        problem: std::io::Error,
    },
    #[error("{path} cannot be read as HTML: {problem}")]
    Html { path: PathBuf, problem: String },
    #[error("links that lead nowhere:\n{}", .0.join("\n"))]
    Broken(Vec<String>),
}

fn main() -> ExitCode {
    match run(std::env::args_os().nth(1).as_ref().map(Path::new)) {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: Option<&Path>) -> Result<String, BookError> {
    let folder = folder.ok_or(BookError::NoFolder)?;
    let mut book = MDBook::load(folder).map_err(BookError::Build)?;
    book.with_preprocessor(Outward);
    book.build().map_err(BookError::Build)?;
    let out = book.build_dir_for("html");
    // What is beside the pages is given with them (pictures, schemas), and so is this program.
    let own = out.join("book");
    std::fs::remove_dir_all(&own).map_err(|problem| BookError::File { path: own, problem })?;
    let checked = links::check(&out)?;
    Ok(format!(
        "{}: {} pages, {} links, each of which leads somewhere",
        out.join("index.html").display(),
        checked.pages,
        checked.links
    ))
}
