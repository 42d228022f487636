//! `querypoint rewrite`: what a script becomes before it runs.

use std::process::ExitCode;

use app::failure::Failure;
use app::files::write_file;
use app::rewriting::{Hooks, rewrite_file, standalone_agent};

use super::output;
use crate::arguments::RewriteArguments;

/// Prints the rewritten script, or the agent.
///
/// # Errors
/// If the script cannot be read, the query not understood, or a file not written.
pub(crate) fn run(arguments: &RewriteArguments) -> Result<ExitCode, Failure> {
    let Some(path) = arguments.file.as_deref() else {
        output::print_script(&standalone_agent())?;
        return Ok(ExitCode::SUCCESS);
    };
    let hooks = match &arguments.query {
        Some(query) => Hooks::Query(query),
        None if arguments.live => Hooks::Live,
        None => Hooks::Standby,
    };
    let rewritten = rewrite_file(path, arguments.module, hooks)?;
    if let Some(error) = &rewritten.refused {
        eprintln!("{}: {error}", path.display());
    }
    if let Some(map) = &arguments.map {
        write_file(map, &rewritten.source_map()?)?;
    }
    output::print_script(rewritten.text())?;
    Ok(ExitCode::SUCCESS)
}
