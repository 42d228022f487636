//! The files that a recording chooses, as files that a browser can be given.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use recording::{ChosenFile, Recording};
use tempfile::TempDir;

/// The environment variable with the folder that holds what is too large for a recording. A recording comes from
/// anywhere: it names no file of this machine, and only what the user put into that folder is taken.
const FOLDER: &str = "QUERYPOINT_FILES";

/// The folder in which they lie; it goes when this is dropped.
#[derive(Debug)]
pub struct ChosenFiles(Option<TempDir>);

impl ChosenFiles {
    /// Writes the files of a recording, readable by the user alone, and tells the recording where.
    ///
    /// # Errors
    /// Why it cannot be replayed, in words: a file that cannot be written, or is not in the recording and not given.
    pub fn lay_out(recording: &mut Recording) -> Result<Self, String> {
        let given = std::env::var_os(FOLDER).map(PathBuf::from);
        let mut laid = Self(None);
        recording
            .place_files(|step, index, file| laid.place(step, index, file, given.as_deref()))?;
        Ok(laid)
    }

    fn place(
        &mut self,
        step: usize,
        index: usize,
        file: &ChosenFile,
        given: Option<&Path>,
    ) -> Result<String, String> {
        let ChosenFile { name, size, .. } = file;
        let Some(contents) = &file.contents else {
            let path = given.map(|folder| folder.join(name));
            return match path.filter(|path| path.is_file()) {
                Some(path) => Ok(path.to_string_lossy().into_owned()),
                None => Err(format!(
                    "step {step} chooses the file {name:?} of {size} bytes, which the recording does not hold; put it \
                     into a folder and name that in the environment variable {FOLDER}"
                )),
            };
        };
        self.write(step, index, file, contents)
            .map(|path| path.to_string_lossy().into_owned())
            .map_err(|error| {
                format!(
                    "the file {name:?} of step {step} cannot be written for the browser: {error}"
                )
            })
    }

    fn write(
        &mut self,
        step: usize,
        index: usize,
        file: &ChosenFile,
        contents: &[u8],
    ) -> io::Result<PathBuf> {
        let folder = match &mut self.0 {
            Some(folder) => folder,
            none => none.insert(TempDir::with_prefix("querypoint-files-")?),
        };
        // Files of one name are in folders of their own.
        let folder = folder.path().join(format!("{step}-{index}"));
        std::fs::create_dir(&folder)?;
        // A name has no folder in it: the recording was refused otherwise.
        let path = folder.join(&file.name);
        let mut out = File::create_new(&path)?;
        out.write_all(contents)?;
        if let Some(modified) = file.modified_ms {
            let since = Duration::from_millis(modified);
            if let Some(modified) = SystemTime::UNIX_EPOCH.checked_add(since) {
                out.set_modified(modified)?;
            }
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(file: &str) -> Recording {
        Recording::parse(&format!(
            r##"{{ "steps": [{{ "type": "customStep", "name": "querypoint/files", "parameters": {{
                "selectors": ["#a"], "files": [{file}, {file}] }} }}] }}"##
        ))
        .unwrap()
    }

    #[test]
    fn files_lie_there_until_they_are_dropped() {
        let file =
            r#"{ "name": "a b.csv", "lastModified": 1700000000000, "contents": "YSxiCg==" }"#;
        let mut recording = recording(file);
        let laid = ChosenFiles::lay_out(&mut recording).unwrap();
        let mut paths = Vec::new();
        let told: Result<(), String> = recording.place_files(|_, _, file| {
            paths.push(file.path.clone().unwrap());
            Ok(String::new())
        });
        told.unwrap();
        assert_eq!(paths.len(), 2);
        assert_ne!(paths[0], paths[1]);
        for path in &paths {
            assert!(path.ends_with("/a b.csv"), "{path}");
            assert_eq!(std::fs::read_to_string(path).unwrap(), "a,b\n");
            let modified = std::fs::metadata(path).unwrap().modified().unwrap();
            let since = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap();
            assert_eq!(since.as_secs(), 1_700_000_000);
        }
        drop(laid);
        assert!(!Path::new(&paths[0]).exists());
    }

    #[test]
    fn what_is_not_in_the_recording_is_asked_for() {
        let mut recording = recording(r#"{ "name": "passwd", "size": 5 }"#);
        let why = ChosenFiles::lay_out(&mut recording).unwrap_err();
        assert!(
            why.contains("step 1") && why.contains("QUERYPOINT_FILES"),
            "{why}"
        );
    }
}
