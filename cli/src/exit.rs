//! How a command ends: the statuses of the contract, and what is said on standard error.

use std::process::ExitCode;

use app::failure::{Failure, FailureKind};

/// A query has no answer.
pub(crate) const NO_ANSWER: u8 = 1;
/// Wrong usage, a query that cannot be read, or a file that cannot be used.
const WRONG_USAGE: u8 = 2;
/// The reproduction point was not reached.
const NOT_REACHED: u8 = 3;
/// The page or the browser could not be started or was lost.
pub(crate) const NO_PAGE: u8 = 4;
/// Ended by Ctrl-C, as shells count it.
pub(crate) const INTERRUPTED: u8 = 130;

/// The status that a command ends with that failed so.
pub(crate) fn status(failure: &Failure) -> u8 {
    match failure.kind() {
        FailureKind::NoAnswer => NO_ANSWER,
        FailureKind::NotUnderstood | FailureKind::Files => WRONG_USAGE,
        FailureKind::NotReached => NOT_REACHED,
        FailureKind::NoPage => NO_PAGE,
        FailureKind::Interrupted => INTERRUPTED,
    }
}

/// The same, as the process hands it over.
pub(crate) fn code(failure: &Failure) -> ExitCode {
    ExitCode::from(status(failure))
}

/// Says on standard error what failed.
pub(crate) fn show(failure: &Failure) {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    anstream::eprintln!("{style}error:{style:#} {failure}");
}
