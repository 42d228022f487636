//! `querypoint native-host`: what the browser starts when its extension looks for the back end.

use std::io;
use std::process::ExitCode;

use app::failure::Failure;
use panel_server::native_host;

use crate::arguments::NativeHostArguments;

/// Answers until the browser says no more.
///
/// # Errors
/// If the browser cannot be answered.
pub(crate) fn run(arguments: &NativeHostArguments) -> Result<ExitCode, Failure> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    native_host::answer(&mut input, &mut output, &arguments.state)?;
    Ok(ExitCode::SUCCESS)
}
