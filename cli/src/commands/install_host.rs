//! `querypoint install-host`: tells the browsers of this user which program their extension may start.

use std::fmt::Write;
use std::process::ExitCode;

use app::failure::Failure;
use panel_server::installing::{InstallRequest, install_host, remove_host};

use super::output;
use crate::arguments::InstallHostArguments;

/// Writes, or removes, a manifest for each browser, and names the files.
///
/// # Errors
/// If there is no browser to write for, or a file cannot be written.
pub(crate) fn run(arguments: &InstallHostArguments) -> Result<ExitCode, Failure> {
    let request = InstallRequest {
        profiles: &arguments.profiles,
        state: arguments.state.as_deref(),
    };
    let (word, files) = match arguments.remove {
        true => ("removed", remove_host(&request)?),
        false => ("wrote", install_host(&request)?),
    };
    let mut said = String::new();
    for file in files {
        // Writing to a `String` cannot fail.
        let _ = writeln!(said, "{word} {}", file.display());
    }
    output::print(&said)?;
    Ok(ExitCode::SUCCESS)
}
