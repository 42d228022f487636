//! Recordings in files: read with what they do not hold taken from the environment, written whole or not at all.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use querypoint::recording::Recording;

use super::chosen_files::ChosenFiles;
use crate::failure::{Failure, read_file};

/// The recording in a file, as it is there.
///
/// # Errors
/// If it cannot be read or is no recording; the message names the file.
pub(crate) fn recording_as_written(path: &Path) -> Result<Recording, Failure> {
    let text = read_file("recording", path)?;
    Recording::parse(&text).map_err(|error| unusable(path, error.to_string()))
}

/// The recording in a file, with what it does not hold taken from the environment, and the files that it chooses, which are there
/// for as long as the second is held.
///
/// # Errors
/// If it cannot be read or is no recording, or if a secret or a file is not given; the message names the file.
pub(crate) fn recording(path: &Path) -> Result<(Recording, ChosenFiles), Failure> {
    completed(&recording_as_written(path)?, path)
}

/// The recording of this file with what it does not hold taken from the environment, and the files that it chooses.
///
/// # Errors
/// If a secret or a file is not given; the message names the file.
pub(crate) fn completed(
    recording: &Recording,
    path: &Path,
) -> Result<(Recording, ChosenFiles), Failure> {
    let mut recording = recording.clone();
    recording
        .fill_secrets(|variable| std::env::var(variable).ok())
        .map_err(|error| unusable(path, error.to_string()))?;
    let files = ChosenFiles::lay_out(&mut recording).map_err(|why| unusable(path, why))?;
    Ok((recording, files))
}

fn unusable(path: &Path, reason: String) -> Failure {
    Failure::UnusableFile {
        what: "recording",
        path: path.to_owned(),
        reason,
    }
}

/// Writes the recording so that there is never half of one, to be read by its owner alone.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn save(recording: &Recording, out: &Path) -> Result<(), Failure> {
    let mut file = temporary_beside(out)?;
    let unwritable = |source| Failure::UnwritableFile {
        path: out.to_owned(),
        source,
    };
    file.write_all(recording.to_json().as_bytes())
        .and_then(|()| {
            file.as_file()
                .set_permissions(Permissions::from_mode(0o600))
        })
        .and_then(|()| file.as_file().sync_all())
        .map_err(unwritable)?;
    file.persist(out).map_err(|error| unwritable(error.error))?;
    Ok(())
}

/// A file in the same folder, that is gone when it is dropped.
///
/// # Errors
/// If the folder cannot be written to.
pub(crate) fn temporary_beside(out: &Path) -> Result<tempfile::NamedTempFile, Failure> {
    let folder = match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    tempfile::NamedTempFile::new_in(folder).map_err(|source| Failure::UnwritableFile {
        path: out.to_owned(),
        source,
    })
}
