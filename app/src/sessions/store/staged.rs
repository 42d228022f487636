//! Files that take their places together, once all of them are written.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::{NamedTempFile, TempPath};

use super::{StoreError, unusable, unwritable};
use crate::recording_file::{temporary_beside, write_whole};

/// Files that are written beside their places. What is not published is removed.
#[derive(Debug, Default)]
pub(super) struct Staged(Vec<(TempPath, PathBuf)>);

impl Staged {
    /// Writes a text that is to be at `place`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn text(&mut self, text: &str, place: PathBuf) -> Result<(), StoreError> {
        let file = temporary_beside(&place)
            .and_then(|file| write_whole(file, text, &place))
            .map_err(|failure| unwritable(&place, failure))?;
        self.add(file, place);
        Ok(())
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn json(
        &mut self,
        value: &impl Serialize,
        place: PathBuf,
    ) -> Result<(), StoreError> {
        let text = serde_json::to_string(value).map_err(io::Error::other);
        self.text(&text.map_err(unusable(&place))?, place)
    }

    /// Has a file that never changes at `place` as well.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub(super) fn copy(&mut self, of: &Path, place: PathBuf) -> Result<(), StoreError> {
        // A name does not take the place of another one of the same file.
        if is_same_file(of, &place) {
            return Ok(());
        }
        let file = temporary_beside(&place).map_err(|failure| unwritable(&place, failure))?;
        fs::remove_file(file.path())
            .and_then(|()| link(of, file.path()))
            .map_err(unusable(&place))?;
        self.add(file, place);
        Ok(())
    }

    fn add(&mut self, file: NamedTempFile, place: PathBuf) {
        self.0.push((file.into_temp_path(), place));
    }

    /// Has all of them take their places, in the order in which they were written.
    ///
    /// # Errors
    /// If one cannot.
    pub(super) fn publish(self) -> Result<(), StoreError> {
        for (file, place) in self.0 {
            file.persist(&place)
                .map_err(|error| unusable(&place)(error.error))?;
            // The names are kept with the folder. Where it cannot be waited for they come a little later.
            let folder = place.parent().and_then(|folder| File::open(folder).ok());
            let _ = folder.map(|folder| folder.sync_all());
        }
        Ok(())
    }
}

/// Has a file that never changes at `place` as well, where nothing is.
///
/// # Errors
/// If it cannot be read or written.
pub(super) fn link(of: &Path, place: &Path) -> io::Result<()> {
    // Another name for it takes no room; not every file system has that.
    fs::hard_link(of, place).or_else(|_| fs::copy(of, place).map(drop))?;
    File::open(place)?.sync_all()
}

/// Whether both are names of one file.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    let number = |path: &Path| {
        let metadata = path.metadata().ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    number(one).is_some_and(|it| number(other) == Some(it))
}
