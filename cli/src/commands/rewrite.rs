//! `querypoint rewrite`: what a script becomes before it runs.

use std::path::Path;
use std::process::ExitCode;

use js_analysis::Goal;
use js_analysis::edits::PositionMap;
use js_analysis::position::LineIndex;
use js_analysis::rewrite::{
    Instrumentation, NamesAsWritten, RewriteError, Rewritten, Watch, WatchedName, WatchedTarget,
    private_key, with_script,
};
use js_analysis::source_map::SourceMapBuilder;
use querypoint::plan::CollectionPlan;
use querypoint::query::PropertyKey;

use super::output;
use super::question::{collection_plan, dependency_graph};
use crate::arguments::RewriteArguments;
use crate::failure::{Failure, read_file, write_file};

/// Prints the rewritten script, or the agent.
///
/// # Errors
/// If the script cannot be read or parsed, the query not understood, or a file not written.
pub(crate) fn run(arguments: &RewriteArguments) -> Result<ExitCode, Failure> {
    let Some(path) = arguments.file.as_deref() else {
        return Err(Failure::NotPossible(
            "the driver does not give its agent out yet".to_owned(),
        ));
    };
    let watch = match &arguments.query {
        Some(query) => watched_names(&collection_plan(&dependency_graph(&[query])?, &[])?),
        None => Watch::Everything,
    };
    let source = read_file("script", path)?;
    let goal = if arguments.module || path.extension().is_some_and(|ending| ending == "mjs") {
        Goal::Module
    } else {
        Goal::Script
    };
    let (rewritten, positions) =
        rewrite(&source, goal, watch).map_err(|error| Failure::UnusableFile {
            what: "script",
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
    if let Some(map) = &arguments.map {
        write_file(map, &source_map(path, &source, &rewritten, &positions)?)?;
    }
    output::print(&rewritten)?;
    Ok(ExitCode::SUCCESS)
}

fn rewrite(source: &str, goal: Goal, watch: Watch) -> Result<(String, PositionMap), RewriteError> {
    let instrumentation = Instrumentation {
        watch,
        ..Instrumentation::default()
    };
    let rewritten: Rewritten = with_script(source, goal, |script| {
        script.rewrite(&instrumentation, &NamesAsWritten)
    })??;
    Ok(rewritten.apply(source))
}

/// The names whose writes answer the planned queries.
fn watched_names(plan: &CollectionPlan) -> Watch {
    let properties = plan.properties.iter().map(|watched| match &watched.key {
        PropertyKey::Public(name) => WatchedTarget::Property(name.clone()),
        PropertyKey::Private(name) => WatchedTarget::Property(private_key(name)),
    });
    let variables = plan
        .variables
        .iter()
        .map(|watched| WatchedTarget::Variable(watched.name.clone()));
    Watch::Names(
        properties
            .chain(variables)
            .map(|target| WatchedName {
                target,
                dependents: Vec::new(),
            })
            .collect(),
    )
}

/// The source map from the rewritten script to the original.
fn source_map(
    path: &Path,
    source: &str,
    rewritten: &str,
    positions: &PositionMap,
) -> Result<String, Failure> {
    let (source_lines, rewritten_lines) = (LineIndex::new(source), LineIndex::new(rewritten));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut map = SourceMapBuilder::new(name.clone())
        .with_file(name)
        .with_source_text(source);
    // Readers of maps do not carry a mapping over to the next line, so each line begins with one.
    let line_starts = (0..rewritten_lines.line_count())
        .filter_map(|line| rewritten_lines.line_span(line))
        .map(|line| (line.start, positions.to_original(line.start)));
    for (in_rewritten, in_original) in positions.stretches().chain(line_starts) {
        map.add(
            rewritten_lines.position(rewritten, in_rewritten),
            source_lines.position(source, in_original),
        );
    }
    map.to_json().map_err(|error| Failure::UnusableFile {
        what: "script",
        path: path.to_owned(),
        reason: error.to_string(),
    })
}
