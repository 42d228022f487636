//! `querypoint rewrite`: what a script becomes before it runs.

use std::path::Path;
use std::process::ExitCode;

use agent::dormant_agent;
use engine::collection::{Collection, Instrument};
use js_analysis::Goal;
use js_analysis::edits::{MappedText, PositionMap};
use js_analysis::rewrite::{
    DEFAULT_PREFIX, Instrumentation, NamesAsWritten, RewriteError, Rewritten, Watch, with_script,
};
use js_analysis::source_map::SourceMap;

use super::output;
use crate::arguments::RewriteArguments;
use app::failure::Failure;
use app::files::{read_file, write_file};
use app::question::{collection_plan, dependency_graph};

/// Prints the rewritten script, or the agent.
///
/// # Errors
/// If the script cannot be read or parsed, the query not understood, or a file not written.
pub(crate) fn run(arguments: &RewriteArguments) -> Result<ExitCode, Failure> {
    let Some(path) = arguments.file.as_deref() else {
        output::print_script(&dormant_agent(DEFAULT_PREFIX))?;
        return Ok(ExitCode::SUCCESS);
    };
    let instrumentation = match &arguments.query {
        Some(query) => {
            let plan = collection_plan(&dependency_graph(&[query])?, &[])?;
            let collection = Collection::new(&plan, DEFAULT_PREFIX, Instrument::Query);
            collection.instrumentation(1, 1, false, Vec::new())
        }
        None if arguments.live => Instrumentation {
            watch: Watch::Live,
            ..Instrumentation::default()
        },
        None => Instrumentation::default(),
    };
    let source = read_file("script", path)?;
    let goal = if arguments.module || path.extension().is_some_and(|ending| ending == "mjs") {
        Goal::Module
    } else {
        Goal::Script
    };
    let (rewritten, positions) = match rewrite(&source, goal, &instrumentation) {
        Ok(rewritten) => rewritten,
        // What a page would get: the script as it is, so that its own error stays the same.
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            (source.clone(), PositionMap::default())
        }
    };
    if let Some(map) = &arguments.map {
        let text = MappedText::new(source, rewritten, positions);
        write_file(map, &source_map(path, &text)?)?;
        output::print_script(&text.rewritten)?;
    } else {
        output::print_script(&rewritten)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn rewrite(
    source: &str,
    goal: Goal,
    instrumentation: &Instrumentation,
) -> Result<(String, PositionMap), RewriteError> {
    let rewritten: Rewritten = with_script(source, goal, |script| {
        script.rewrite(instrumentation, &NamesAsWritten)
    })??;
    Ok(rewritten.apply(source))
}

/// The source map from the rewritten script to the original.
fn source_map(path: &Path, text: &MappedText) -> Result<String, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let map = SourceMap::of_rewriting(text, &name, None);
    map.to_json(Some(&name))
        .map_err(|error| Failure::UnusableFile {
            what: "script",
            path: path.to_owned(),
            reason: error.to_string(),
        })
}
