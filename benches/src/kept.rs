//! What was measured last of each benchmark, kept beside the benchmarks: a run of some of them replaces these alone.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::Name;
use crate::error::BenchError;
use crate::report::Measured;

/// A folder with a file for each benchmark.
pub(crate) struct Kept(PathBuf);

impl Kept {
    /// That of a repository.
    pub(crate) fn of(repository: &Path) -> Self {
        Self(repository.join("benches").join("measured"))
    }

    fn path(&self, name: Name) -> PathBuf {
        let value = name.to_possible_value();
        let name = value.map_or_else(String::new, |it| it.get_name().to_owned());
        self.0.join(format!("{name}.json"))
    }

    /// Keeps what was measured, in place of what was before.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn keep(&self, name: Name, measured: &Measured) -> Result<(), BenchError> {
        let path = self.path(name);
        let text = serde_json::to_string_pretty(measured)
            .map_err(|error| BenchError::Setup(error.to_string()))?;
        std::fs::create_dir_all(&self.0).map_err(BenchError::file(&self.0))?;
        std::fs::write(&path, text + "\n").map_err(BenchError::file(&path))
    }

    /// All that is kept, in the order of the benchmarks.
    ///
    /// # Errors
    /// If one is no such file.
    pub(crate) fn all(&self) -> Result<Vec<Measured>, BenchError> {
        let paths = Name::value_variants().iter().map(|name| self.path(*name));
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).map_err(BenchError::file(&path))?;
            serde_json::from_str(&text)
                .map_err(|error| BenchError::Setup(format!("{}: {error}", path.display())))
        };
        paths.filter(|path| path.exists()).map(read).collect()
    }
}
