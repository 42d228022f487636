//! Printing, so that a reader who has gone away (`… | head`) is no failure.

use std::io::{self, Write};

use serde::Serialize;

use app::failure::Failure;

/// Prints text on standard output; colours are taken out where they are not wanted.
///
/// # Errors
/// If standard output takes no more for another reason than that its reader has gone.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write(anstream::stdout().lock(), text)
}

/// Prints a script, or a page of HTML, on standard output, with whatever control characters it has.
///
/// # Errors
/// As [`print`].
pub(crate) fn print_script(text: &str) -> Result<(), Failure> {
    write(io::stdout().lock(), text)
}

fn write(mut out: impl Write, text: &str) -> Result<(), Failure> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::UnwritableOutput(error))
        }
        _ => Ok(()),
    }
}

/// An answer or a plan as the contract's JSON, with a line end.
pub(crate) fn json(value: &impl Serialize) -> String {
    // The types of both have string keys and finite numbers only, so that this cannot fail.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
