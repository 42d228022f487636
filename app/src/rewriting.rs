//! What a script becomes before it runs, and the agent that runs before it.

use std::path::Path;

use agent::dormant_agent;
use engine::collection::{Collection, Instrument};
use js_analysis::Goal;
use js_analysis::edits::{MappedText, PositionMap};
use js_analysis::rewrite::{
    DEFAULT_PREFIX, Instrumentation, NamesAsWritten, RewriteError, Watch, with_script,
};
use js_analysis::source_map::SourceMap;

use crate::failure::Failure;
use crate::files::read_file;
use crate::question::{collection_plan, dependency_graph};

const WHAT: &str = "script";

/// Where hooks are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hooks<'q> {
    /// Where the answer to this query needs them.
    Query(&'q str),
    /// Everywhere, dormant.
    Standby,
    /// Everywhere; each keeps which line wrote last.
    Live,
}

/// A script that was rewritten.
#[derive(Debug)]
pub struct RewrittenScript {
    /// The name of its file.
    name: String,
    text: MappedText,
    /// Why it is as it was: a page is given such a script as it is, too, so that its own error stays the same.
    pub refused: Option<RewriteError>,
}

impl RewrittenScript {
    /// What it became.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text.rewritten
    }

    /// The source map from it to the original.
    ///
    /// # Errors
    /// If its positions cannot be written down.
    pub fn source_map(&self) -> Result<String, Failure> {
        let map = SourceMap::of_rewriting(&self.text, &self.name, None);
        map.to_json(Some(&self.name))
            .map_err(|error| Failure::UnusableFile {
                what: WHAT,
                path: self.name.clone().into(),
                reason: error.to_string(),
            })
    }
}

/// Rewrites the script in a file. `is_module`: it is read as a module; files that end in `.mjs` always are.
///
/// # Errors
/// If the file cannot be read, or the query not understood. A script that cannot be parsed stays as it is.
pub fn rewrite_file(
    path: &Path,
    is_module: bool,
    hooks: Hooks<'_>,
) -> Result<RewrittenScript, Failure> {
    let instrumentation = instrumentation(hooks)?;
    let source = read_file(WHAT, path)?;
    let goal = match is_module || path.extension().is_some_and(|ending| ending == "mjs") {
        true => Goal::Module,
        false => Goal::Script,
    };
    let rewritten = with_script(&source, goal, |script| {
        script.rewrite(&instrumentation, &NamesAsWritten)
    });
    let (rewritten, positions, refused) = match rewritten.and_then(|it| it) {
        Ok(it) => {
            let (rewritten, positions) = it.apply(&source);
            (rewritten, positions, None)
        }
        Err(error) => (source.clone(), PositionMap::default(), Some(error)),
    };
    let name = path.file_name().unwrap_or_default();
    Ok(RewrittenScript {
        name: name.to_string_lossy().into_owned(),
        text: MappedText::new(source, rewritten, positions),
        refused,
    })
}

fn instrumentation(hooks: Hooks<'_>) -> Result<Instrumentation, Failure> {
    Ok(match hooks {
        Hooks::Query(query) => {
            let plan = collection_plan(&dependency_graph(&[query])?, &[])?;
            let collection = Collection::new(&plan, DEFAULT_PREFIX, Instrument::Query);
            collection.instrumentation(1, 1, false, Vec::new())
        }
        Hooks::Standby => Instrumentation::default(),
        Hooks::Live => Instrumentation {
            watch: Watch::Live,
            ..Instrumentation::default()
        },
    })
}

/// The agent as a classic script, which runs in any realm (page, worker, Node) before rewritten ones.
#[must_use]
pub fn standalone_agent() -> String {
    dormant_agent(DEFAULT_PREFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, source: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, source).unwrap();
        (folder, path)
    }

    #[test]
    fn hooks_are_where_they_are_wanted() {
        let (_folder, path) = file("a.js", "cart.total = 1;\ncart.items = 2;\n");
        let hooks_on = |hooks| {
            let rewritten = rewrite_file(&path, false, hooks).unwrap();
            assert!(rewritten.refused.is_none());
            let lines = rewritten.text().lines();
            lines
                .map(|it| it.contains(DEFAULT_PREFIX))
                .collect::<Vec<_>>()
        };
        let query = Hooks::Query("lastChange(R:cart.total)");
        assert_eq!(hooks_on(query), [true, false]);
        assert_eq!(hooks_on(Hooks::Standby), [true, true]);
        assert_eq!(hooks_on(Hooks::Live), [true, true]);
        let unknown = rewrite_file(&path, false, Hooks::Query("lastChange(")).unwrap_err();
        assert!(matches!(unknown, Failure::NotUnderstood { .. }));
    }

    #[test]
    fn what_cannot_be_parsed_stays_as_it_is() {
        let source = "import './b.js';\nawait 1;\n";
        let (_folder, path) = file("a.js", source);
        let script = rewrite_file(&path, false, Hooks::Standby).unwrap();
        assert!(script.refused.is_some());
        assert_eq!(script.text(), source);
        let module = rewrite_file(&path, true, Hooks::Standby).unwrap();
        assert!(module.refused.is_none());
        let (_folder, path) = file("a.mjs", source);
        let module = rewrite_file(&path, false, Hooks::Standby).unwrap();
        assert!(module.refused.is_none());
        let map = module.source_map().unwrap();
        assert!(map.contains("\"a.mjs\""), "{map}");
    }
}
