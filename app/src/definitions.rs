//! Where composed questions to a log are found: in the file of the person, in that of the project, and in those that
//! are named. Of two of one name the later one counts.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use etcetera::base_strategy::{BaseStrategy, Xdg};
use querypoint::catalogue::{Definitions, LARGEST_FILE};

use crate::failure::Failure;

/// What the file of a project is called.
pub const PROJECT_FILE: &str = "querypoint.queries";

/// All definitions that count in this folder, if there is one: the person's (`queries` in `querypoint` in
/// `XDG_CONFIG_HOME`), those of the nearest [`PROJECT_FILE`] in it or above it, up to the folder of its repository, and
/// those of `named`.
///
/// # Errors
/// If a file cannot be read, or has something else in it. Of those that nobody named none needs to be there.
pub fn definitions(folder: Option<&Path>, named: &[PathBuf]) -> Result<Definitions, Failure> {
    let mut definitions = Definitions::default();
    let of_person = Xdg::new()
        .ok()
        .map(|folders| folders.config_dir().join("querypoint").join("queries"));
    let found = [of_person, folder.and_then(of_project)];
    let found = found.into_iter().flatten().filter(|path| path.is_file());
    for path in found.chain(named.iter().cloned()) {
        let text = text_of(&path)?;
        let added = definitions.add(&path.display().to_string(), &text);
        added.map_err(|error| Failure::NotUnderstood {
            what: "definition",
            rendered: error.to_string(),
        })?;
    }
    Ok(definitions)
}

fn of_project(folder: &Path) -> Option<PathBuf> {
    for folder in folder.ancestors() {
        let path = folder.join(PROJECT_FILE);
        if path.is_file() {
            return Some(path);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let unreadable = |source| Failure::UnreadableFile {
        what: "file of definitions",
        path: path.to_owned(),
        source,
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    let read = file.take(LARGEST_FILE + 1).read_to_string(&mut text);
    let read = read.map_err(unreadable)?;
    if read as u64 > LARGEST_FILE {
        return Err(Failure::UnusableFile {
            what: "file of definitions",
            path: path.to_owned(),
            reason: "it is larger than 1 MiB".to_owned(),
        });
    }
    Ok(text)
}
