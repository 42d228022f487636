//! Recordings in files: read with what they do not hold taken from the environment, written whole or not at all.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use querypoint::recording::Recording;

use crate::failure::{Failure, read_file};

/// The recording in a file, as it is there.
///
/// # Errors
/// If it cannot be read or is no recording; the message names the file.
pub(crate) fn recording_as_written(path: &Path) -> Result<Recording, Failure> {
    let text = read_file("recording", path)?;
    Recording::parse(&text).map_err(|error| unusable(path, error.to_string()))
}

/// The recording in a file, with what it does not hold taken from the environment.
///
/// # Errors
/// If it cannot be read or is no recording, or if a secret is not given; the message names the file.
pub(crate) fn recording(path: &Path) -> Result<Recording, Failure> {
    with_secrets(&recording_as_written(path)?, path)
}

/// The recording of this file with what it does not hold taken from the environment.
///
/// # Errors
/// If a secret is not given; the message names the file.
pub(crate) fn with_secrets(recording: &Recording, path: &Path) -> Result<Recording, Failure> {
    let mut recording = recording.clone();
    recording
        .fill_secrets(|variable| std::env::var(variable).ok())
        .map_err(|error| unusable(path, error.to_string()))?;
    Ok(recording)
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
