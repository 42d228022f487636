//! What a page server gave under which path, so that one can tell later whether it would give the same again.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

/// The SHA-256 of what is given under each path of an address, in hexadecimal digits; `None` where nothing is.
pub(crate) type Files = BTreeMap<String, Option<String>>;

/// What was given since the server began.
#[derive(Debug, Default)]
pub(crate) struct Served(Mutex<Given>);

#[derive(Debug, Default)]
struct Given {
    files: BTreeMap<String, Content>,
    /// Whether something else was given under one path than before.
    has_changed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    digest: Option<String>,
    stamp: Option<(u64, SystemTime)>,
}

impl Served {
    /// Notes what is given under `path`: this file, or nothing. Reads the file, unless it was read before and looks as
    /// it did then.
    pub(crate) fn note(&self, path: &str, file: Option<&Path>) {
        let stamp = file.and_then(stamp_of);
        let is_known = self
            .given()
            .files
            .get(path)
            .is_some_and(|known| known.stamp == stamp && (stamp.is_some() || file.is_none()));
        if is_known {
            return;
        }
        let content = Content {
            digest: file.and_then(|file| digest_of(file).ok()),
            stamp,
        };
        let mut given = self.given();
        let digest = content.digest.clone();
        let known = given.files.insert(path.to_owned(), content);
        given.has_changed |= known.is_some_and(|known| known.digest != digest);
    }

    /// What was given; `None` if that was not the same all the time.
    pub(crate) fn files(&self) -> Option<Files> {
        let given = self.given();
        let files = given.files.iter();
        (!given.has_changed).then(|| {
            files
                .map(|(path, content)| (path.clone(), content.digest.clone()))
                .collect()
        })
    }

    fn given(&self) -> parking_lot::MutexGuard<'_, Given> {
        self.0.lock()
    }
}

fn stamp_of(file: &Path) -> Option<(u64, SystemTime)> {
    let metadata = file.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// The SHA-256 of a file, in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn digest_of(file: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(file)?, &mut hasher)?;
    Ok(hexadecimal(hasher))
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(bytes);
    hexadecimal(hasher)
}

fn hexadecimal(hasher: Sha256) -> String {
    format!("{:x}", hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "abc").unwrap();
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest_of(&file).unwrap(), known);
        assert_eq!(digest(b"abc"), known);
        assert!(digest_of(folder.path()).is_err());
    }

    #[test]
    fn a_file_that_changes_while_it_is_given_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "one").unwrap();
        let served = Served::default();
        served.note("/a", Some(&file));
        served.note("/b", None);
        served.note("/a", Some(&file));
        let files = served.files().unwrap();
        assert_eq!(files["/a"], Some(digest(b"one")));
        assert_eq!(files["/b"], None);

        std::fs::write(&file, "three").unwrap();
        served.note("/a", Some(&file));
        assert_eq!(served.files(), None);
        let served = Served::default();
        served.note("/b", None);
        served.note("/b", Some(&file));
        assert_eq!(served.files(), None, "it was not there before");
    }
}
