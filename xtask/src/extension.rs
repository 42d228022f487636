//! `cargo xtask extension`: the panel as an extension of the browser's developer tools, as a folder to load and an
//! archive for a store.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::error::TaskError;
use crate::panel;

/// What the extension has beside the panel.
const FOLDER: &str = "extension";

/// What a store takes.
const ARCHIVE: &str = "querypoint-extension.zip";

/// Builds the panel, puts it together with what makes an extension of it, and says where and how large it is.
///
/// # Errors
/// If the panel does not compile, or a file cannot be written.
pub(crate) fn run(root: &Path) -> Result<(), TaskError> {
    let out = put_together(&mut panel::packer(root), root)?;
    let archive = out.with_file_name(ARCHIVE);
    let packed = fs::metadata(&archive).map_err(of(&archive))?.len();
    println!("{}\n{} ({packed} bytes)", out.display(), archive.display());
    Ok(())
}

/// Builds the panel with that program, and puts it together with what makes an extension of it: into the folder
/// `extension` beside this program, and into the archive there. Returns that folder.
///
/// # Errors
/// If the panel does not compile, or a file cannot be written.
pub(crate) fn put_together(packer: &mut Command, root: &Path) -> Result<PathBuf, TaskError> {
    let panel = panel::run(packer, root)?;
    let out = panel.with_file_name("extension");
    if out.exists() {
        fs::remove_dir_all(&out).map_err(of(&out))?;
    }
    fs::create_dir_all(&out).map_err(of(&out))?;
    for folder in [panel, root.join(FOLDER)] {
        for path in files(&folder).map_err(of(&folder))? {
            let name = path.file_name().unwrap_or_default();
            fs::copy(&path, out.join(name)).map_err(of(&path))?;
        }
    }
    let archive = out.with_file_name(ARCHIVE);
    pack(&out, &archive).map_err(of(&archive))?;
    Ok(out)
}

/// The files of a folder, by name.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|it| it.path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}

/// How often Zopfli tries.
const ROUNDS: i64 = 15;

/// The highest level of the archive's crate without Zopfli: each level above it is one round more.
const BELOW_ZOPFLI: i64 = 9;

/// The same files give the same archive: none has a time.
fn pack(folder: &Path, archive: &Path) -> io::Result<()> {
    let mut writer = ZipWriter::new(File::create(archive)?);
    let options = SimpleFileOptions::default().compression_level(Some(BELOW_ZOPFLI + ROUNDS));
    for path in files(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        writer.start_file(name, options)?;
        writer.write_all(&fs::read(&path)?)?;
    }
    writer.finish()?;
    Ok(())
}

fn of(path: &Path) -> impl Fn(io::Error) -> TaskError {
    move |source| TaskError::File {
        path: path.to_owned(),
        source,
    }
}
