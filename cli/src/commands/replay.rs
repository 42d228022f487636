//! `querypoint replay`: replays a recording and says where it diverged.

use std::process::ExitCode;

use super::question::recording;
use crate::arguments::ReplayArguments;
use crate::failure::Failure;

/// Replays, prints what happened and gives the exit status.
///
/// # Errors
/// If the recording cannot be read, or the page or the browser is lost.
pub(crate) async fn run(arguments: &ReplayArguments) -> Result<ExitCode, Failure> {
    recording(&arguments.recording)?;
    Err(Failure::NotPossible(
        "the driver cannot replay yet".to_owned(),
    ))
}
