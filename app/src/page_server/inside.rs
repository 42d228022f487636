//! Files of a folder, opened so that what was checked is what is read, whoever changes links meanwhile.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;
use rustix::fs::OFlags;

/// A file that is replaced at the very moment has no path; it is opened again.
const TRIES: usize = 4;

/// Packages are linked to hidden folders in there.
const PACKAGES: &str = "node_modules";

/// A file that was opened, and is inside.
#[derive(Debug)]
pub(super) struct Opened {
    file: File,
    /// By which it was found.
    pub(super) name: PathBuf,
    is_folder: bool,
    /// Whether it is that of the folder that was named.
    pub(super) is_index: bool,
}

impl Opened {
    /// A path that leads to this very file as long as this value lives, and to no other.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }
}

/// The existing file or folder that a URL path leads to, if that is inside `root` and not hidden there, links followed.
/// Only the page may be hidden.
pub(super) fn file_inside(root: &Path, url_path: &str, page: &OsStr) -> Option<Opened> {
    let decoded = percent_decode_str(url_path).decode_utf8().ok()?;
    if decoded.contains('\0') {
        return None;
    }
    let relative = Path::new(decoded.trim_start_matches('/'));
    let stays_inside = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let may_be_given = |inside: &Path| inside == Path::new(page) || !is_hidden(inside);
    if !stays_inside || !may_be_given(relative) {
        return None;
    }
    for _ in 0..TRIES {
        // Opened so, nothing is read or waited for yet, whatever it is.
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(i32::try_from(OFlags::PATH.bits()).ok()?)
            .open(root.join(relative))
            .ok()?;
        let mut opened = Opened {
            file: opened,
            name: relative.to_owned(),
            is_folder: false,
            is_index: false,
        };
        let real = std::fs::read_link(opened.path()).ok()?;
        if real.as_os_str().as_encoded_bytes().ends_with(b" (deleted)") {
            continue;
        }
        opened.is_folder = opened.file.metadata().ok()?.is_dir();
        return may_be_given(real.strip_prefix(root).ok()?).then_some(opened);
    }
    None
}

/// The file that is given under a URL path: of a folder its `index.html`.
pub(super) fn content_inside(root: &Path, url_path: &str, page: &OsStr) -> Option<Opened> {
    let mut found = file_inside(root, url_path, page)?;
    if found.is_folder {
        let index = format!("{}/index.html", url_path.trim_end_matches('/'));
        found = file_inside(root, &index, page)?;
        found.is_index = true;
    }
    found.file.metadata().ok()?.is_file().then_some(found)
}

/// Whether a part of a path begins with a dot, except among packages, where that means nothing.
fn is_hidden(inside: &Path) -> bool {
    let mut is_package = false;
    inside.components().any(|part| {
        let Component::Normal(part) = part else {
            return false;
        };
        is_package |= part == PACKAGES;
        let is_ours = part == crate::kept::FOLDER;
        part.as_encoded_bytes().starts_with(b".") && (is_ours || !is_package)
    })
}
