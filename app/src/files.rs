//! Files that a person names: read with a limit, written for their owner alone.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::failure::Failure;
use crate::private;

/// Reads a text file that was named on the command line.
pub fn read_file(what: &'static str, path: &Path) -> Result<String, Failure> {
    as_text(what, path, read_bytes(what, path)?)
}

/// What was read of such a file, as text.
pub fn as_text(what: &'static str, path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| Failure::UnusableFile {
        what,
        path: path.to_owned(),
        reason: format!("it is not UTF-8 text: {error}"),
    })
}

/// Reads a file that was named on the command line, whatever is in it.
pub fn read_bytes(what: &'static str, path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    read.map_err(|source| Failure::UnreadableFile {
        what,
        path: path.to_owned(),
        source,
    })?;
    match u64::try_from(bytes.len()) {
        Ok(0..=LARGEST) => Ok(bytes),
        _ => Err(Failure::UnusableFile {
            what,
            path: path.to_owned(),
            reason: format!("it has more than {} MiB", LARGEST >> 20),
        }),
    }
}

/// More is not read of a file: a device may have no end.
const LARGEST: u64 = 512 << 20;

/// Writes a file that was named on the command line, to be read by its owner alone: it may hold what a page held.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    private::write_file(path, text.as_bytes()).map_err(|source| Failure::UnwritableFile {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read_without_one() {
        let refused = read_bytes("recording", Path::new("/dev/zero")).unwrap_err();
        assert!(
            refused.to_string().contains("more than 512 MiB"),
            "{refused}"
        );
        assert_eq!(
            read_bytes("recording", Path::new("/dev/null")).unwrap(),
            b""
        );
    }
}
