//! Recordings in files: read with what they do not hold taken from the environment, written whole or not at all.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recording::{Har, Live, Recording};

use crate::chosen_files::ChosenFiles;
use crate::failure::Failure;
use crate::files::{read_bytes, read_file};
use crate::served::digest;

/// The recording in a file, as it is there.
///
/// # Errors
/// If it cannot be read or is no recording; the message names the file.
pub fn recording_as_written(path: &Path) -> Result<Recording, Failure> {
    let text = read_file("recording", path)?;
    Recording::parse(&text).map_err(|error| unusable(path, error.to_string()))
}

/// The recording in a file as it is there, with its responses where it has some.
///
/// # Errors
/// If one of both cannot be read; the message names the file.
pub fn recorded(path: &Path) -> Result<(Recording, Option<Har>), Failure> {
    let recording = recording_as_written(path)?;
    let has_responses = recording.recorded_inputs().network;
    let responses = has_responses.then(|| responses(&responses_beside(path)));
    Ok((recording, responses.transpose()?))
}

/// The recording in a file, with what it does not hold taken from the environment, without what is to be live, and the
/// files that it chooses, which are there for as long as the second is held.
///
/// # Errors
/// If it cannot be read or is no recording, or if a secret, a file or its responses are not there; the message names
/// the file.
pub fn recording(path: &Path, live: Live) -> Result<(Recording, ChosenFiles), Failure> {
    let mut recording = recording_as_written(path)?;
    recording.leave_live(live);
    completed(&recording, path)
}

/// The recording of this file with what it does not hold taken from the environment and from the file of its responses,
/// and the files that it chooses.
///
/// # Errors
/// If a secret, a file or its responses are not there; the message names the file.
pub fn completed(recording: &Recording, path: &Path) -> Result<(Recording, ChosenFiles), Failure> {
    let mut recording = recording.clone();
    recording
        .fill_secrets(|variable| std::env::var(variable).ok())
        .map_err(|error| unusable(path, error.to_string()))?;
    if recording.recorded_inputs().network {
        recording.responses = Some(Arc::new(responses(&responses_beside(path))?));
    }
    let files = ChosenFiles::lay_out(&mut recording).map_err(|why| unusable(path, why))?;
    Ok((recording, files))
}

/// What tells a recording and its responses from others: the SHA-256 of both files, in hexadecimal digits.
///
/// # Errors
/// If one of both cannot be read; responses that are not there are no error.
pub fn recording_digest(path: &Path) -> Result<String, Failure> {
    let mut bytes = read_bytes("recording", path)?;
    let beside = responses_beside(path);
    if beside.is_file() {
        bytes.extend(read_bytes("file of responses", &beside)?);
    }
    Ok(digest(&bytes))
}

fn unusable(path: &Path, reason: String) -> Failure {
    Failure::UnusableFile {
        what: "recording",
        path: path.to_owned(),
        reason,
    }
}

/// The file that holds the responses of a recording.
pub fn responses_beside(recording: &Path) -> PathBuf {
    let mut name = recording.as_os_str().to_owned();
    name.push(".har");
    PathBuf::from(name)
}

/// Gives a recording the responses of another.
///
/// # Errors
/// If one of the files cannot be read or written.
pub fn copy_responses(of: &Path, to: &Path) -> Result<(), Failure> {
    let text = read_file(RESPONSES, &responses_beside(of))?;
    save_text(&text, &responses_beside(to))
}

const RESPONSES: &str = "file of the recording's responses";

fn responses(path: &Path) -> Result<Har, Failure> {
    const WITHOUT: &str = "--live=network does without it";
    let unusable = |reason: String| Failure::UnusableFile {
        what: RESPONSES,
        path: path.to_owned(),
        reason: format!("{reason}; {WITHOUT}"),
    };
    let text = match read_file(RESPONSES, path) {
        Err(Failure::UnreadableFile { source, .. }) => Err(unusable(source.to_string())),
        read => read,
    }?;
    Har::parse(&text).map_err(|error| unusable(format!("it is no HTTP archive: {error}")))
}

/// Writes the recording so that there is never half of one, to be read by its owner alone. The cookies that keep a
/// person logged in are not in it: only the store of the sessions has them.
///
/// # Errors
/// If the file cannot be written.
pub fn save(recording: &Recording, out: &Path) -> Result<(), Failure> {
    save_text(&recording.without_login().to_json(), out)
}

/// Writes a file of a recording likewise.
///
/// # Errors
/// If the file cannot be written.
pub fn save_text(text: &str, out: &Path) -> Result<(), Failure> {
    let file = write_whole(temporary_beside(out)?, text, out)?;
    file.persist(out).map_err(|error| Failure::UnwritableFile {
        path: out.to_owned(),
        source: error.error,
    })?;
    Ok(())
}

/// Writes a text to a temporary file, to be read by its owner alone, and waits until it is kept. It is to become `out`.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(
    mut file: tempfile::NamedTempFile,
    text: &str,
    out: &Path,
) -> Result<tempfile::NamedTempFile, Failure> {
    file.write_all(text.as_bytes())
        .and_then(|()| {
            file.as_file()
                .set_permissions(Permissions::from_mode(0o600))
        })
        .and_then(|()| file.as_file().sync_all())
        .map_err(|source| Failure::UnwritableFile {
            path: out.to_owned(),
            source,
        })?;
    Ok(file)
}

/// A file in the same folder, that is gone when it is dropped.
///
/// # Errors
/// If the folder cannot be written to.
pub fn temporary_beside(out: &Path) -> Result<tempfile::NamedTempFile, Failure> {
    let folder = match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    tempfile::NamedTempFile::new_in(folder).map_err(|source| Failure::UnwritableFile {
        path: out.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use recording::LoginCookie;

    use super::*;

    #[test]
    fn a_file_that_somebody_names_has_no_cookies_that_scripts_cannot_read() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("recording.json");
        let mut recording = Recording::parse(r#"{ "title": "buy", "steps": [] }"#).unwrap();
        recording.set_login(&[LoginCookie {
            name: "session".to_owned(),
            value: "s3cret".to_owned(),
            domain: "h".to_owned(),
            path: "/".to_owned(),
            secure: false,
            same_site: None,
        }]);
        save(&recording, &out).unwrap();
        let text = std::fs::read_to_string(&out).unwrap();
        assert!(text.contains("buy") && !text.contains("s3cret"), "{text}");
    }
}
