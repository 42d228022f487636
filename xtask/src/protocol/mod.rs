//! `cargo xtask protocol`: the typed commands and events of `cdp-driver`, from the description of the protocol that
//! comes with chromiumoxide.
//!
//! Only what `cdp-driver/protocol.list` names is generated: 20,000 types of which a hundred are used take a minute to
//! compile, and an enumeration that ends at an unknown value would end a session with a newer browser. What is
//! generated is committed; a test holds that it is what the list gives.

mod list;
mod reached;
mod write;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chromiumoxide_pdl::pdl::parser::parse_pdl;
use chromiumoxide_pdl::pdl::resolver::resolve_pdl;

use crate::error::TaskError;
use crate::steps::cargo;

/// Where the list is.
const LIST: &str = "cdp-driver/protocol.list";
/// Where what is generated is.
const GENERATED: &str = "cdp-driver/src/protocol/generated";

/// Why nothing could be generated.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProtocolListError {
    /// A line that cannot be read.
    #[error("{LIST}:{number}: {why}")]
    Line {
        /// Which line.
        number: usize,
        /// What is wrong.
        why: String,
    },
    /// The list names something that the protocol does not have, or leaves out what is needed.
    #[error("{LIST}: {what}: {why}")]
    Unknown {
        /// What it is about, such as `Debugger.paused`.
        what: String,
        /// What is wrong.
        why: String,
    },
    /// The description of the protocol.
    #[error("the description of the protocol cannot be read: {0}")]
    Description(String),
}

/// Generates the files.
///
/// # Errors
/// If the list or the description of the protocol cannot be read, or a file cannot be written.
pub(crate) fn run(root: &Path) -> Result<(), TaskError> {
    let folder = root.join(GENERATED);
    let unwritable = |path: &Path| {
        let path = path.to_owned();
        move |source| TaskError::Unwritable { path, source }
    };
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder).map_err(unwritable(&folder))?;
    }
    std::fs::create_dir_all(&folder).map_err(unwritable(&folder))?;
    for (name, text) in generated(root)? {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(unwritable(&path))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// The files by name, with their texts.
fn generated(root: &Path) -> Result<BTreeMap<String, String>, TaskError> {
    let list = read(&root.join(LIST))?;
    let used = list::parse(&list)?;
    let folder = descriptions(root)?;
    let mut files = BTreeMap::new();
    let texts = ["js_protocol.pdl", "browser_protocol.pdl"].map(|name| {
        let path = folder.join(name);
        let text = read(&path)?;
        resolve_pdl(&path, &text).map_err(|error| bad_description(&error))
    });
    let [language, browser] = texts;
    let (language, browser) = (language?, browser?);
    let mut domains = BTreeMap::new();
    for text in [&language, &browser] {
        let protocol = parse_pdl(text).map_err(|error| bad_description(&error))?;
        for domain in protocol.domains {
            domains.insert(domain.name.to_string(), domain);
        }
    }
    for (name, text) in write::files(&used, &domains)? {
        files.insert(name, formatted(&text)?);
    }
    Ok(files)
}

fn bad_description(error: &impl ToString) -> TaskError {
    ProtocolListError::Description(error.to_string()).into()
}

fn read(path: &Path) -> Result<String, TaskError> {
    std::fs::read_to_string(path).map_err(|source| TaskError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

/// The folder with the descriptions of the protocol, in the package that chromiumoxide's types are made of.
fn descriptions(root: &Path) -> Result<PathBuf, TaskError> {
    let mut metadata = cargo(root);
    metadata.args(["metadata", "--format-version", "1", "--locked"]);
    let output = metadata.output().map_err(|source| TaskError::CannotStart {
        program: "cargo".to_owned(),
        source,
    })?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| bad_description(&error))?;
    let packages = metadata.get("packages").and_then(|it| it.as_array());
    let manifest = packages
        .into_iter()
        .flatten()
        .find(|package| package.get("name").and_then(|it| it.as_str()) == Some("chromiumoxide_cdp"))
        .and_then(|package| package.get("manifest_path")?.as_str());
    let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
    let folder = folder.ok_or_else(|| bad_description(&"no package chromiumoxide_cdp"))?;
    Ok(folder.join("pdl"))
}

/// As rustfmt writes it.
fn formatted(text: &str) -> Result<String, TaskError> {
    let started = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let cannot_start = |source| TaskError::CannotStart {
        program: "rustfmt".to_owned(),
        source,
    };
    let mut rustfmt = started.map_err(cannot_start)?;
    let input = rustfmt.stdin.take();
    // It reads all before it writes.
    if let Some(mut input) = input {
        input.write_all(text.as_bytes()).map_err(cannot_start)?;
    }
    let output = rustfmt.wait_with_output().map_err(cannot_start)?;
    if !output.status.success() {
        let command = "rustfmt".to_owned();
        return Err(TaskError::Failed { command });
    }
    String::from_utf8(output.stdout).map_err(|error| bad_description(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_committed_is_what_the_list_gives() {
        let root = crate::repository_root().unwrap();
        let generated = generated(root).unwrap();
        let committed: BTreeMap<String, String> = std::fs::read_dir(root.join(GENERATED))
            .unwrap()
            .map(|entry| {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                (name, read(&path).unwrap())
            })
            .collect();
        let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&generated), names(&committed));
        for (name, text) in &generated {
            assert!(
                committed[name] == *text,
                "{GENERATED}/{name} is not what {LIST} gives: run `cargo xtask protocol`"
            );
        }
    }
}
