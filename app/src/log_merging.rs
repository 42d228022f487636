//! Logs of several runs merged into one, to be asked together.

use std::io::BufWriter;
use std::path::{Path, PathBuf};

use event_log::file::Written;
use event_log::merging::{MergeError, Run, merge};

use crate::failure::Failure;
use crate::logs::{LogSource, open_log, unwritable};
use crate::recording_file::temporary_beside;

/// Writes the logs in these files as one log, run by run, which only this user can read. The file is there as a whole
/// or not at all; it may be one of those that are merged.
///
/// # Errors
/// If a file is no log, or the merged log cannot be written.
pub fn merge_logs(files: &[PathBuf], out: &Path) -> Result<Written, Failure> {
    let runs = files.iter().map(|path| {
        Ok(Run {
            name: path.display().to_string(),
            log: open_log(path)?,
        })
    });
    let runs = runs.collect::<Result<Vec<Run<LogSource>>, Failure>>()?;
    let file = temporary_beside(out)?;
    let (output, written) =
        merge(&runs, BufWriter::new(file)).map_err(|error| as_failure(error, out))?;
    let file = output
        .into_inner()
        .map_err(|error| unwritable(out, error.into_error()))?;
    file.as_file()
        .sync_all()
        .map_err(|source| unwritable(out, source))?;
    file.persist(out)
        .map_err(|error| unwritable(out, error.error))?;
    Ok(written)
}

fn as_failure(error: MergeError, out: &Path) -> Failure {
    match error {
        MergeError::Read { name, error } => Failure::UnusableFile {
            what: "log",
            path: name.into(),
            reason: error.to_string(),
        },
        MergeError::Write(error) => unwritable(out, std::io::Error::other(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use event_log::file::{LogEnd, LogInfo, LogWriter};

    use super::*;
    use crate::logs::log_summary;

    fn log(page: &str) -> Vec<u8> {
        let info = LogInfo {
            page: page.to_owned(),
            ..LogInfo::default()
        };
        let writer = LogWriter::new(Vec::new(), &info).unwrap();
        writer.finish(&LogEnd::default()).unwrap().0
    }

    #[test]
    fn a_merged_log_may_take_the_place_of_one_of_its_runs() {
        let folder = tempfile::tempdir().unwrap();
        let in_folder = |name: &str| folder.path().join(name);
        let (one, two) = (in_folder("one.qplog"), in_folder("two.qplog"));
        fs::write(&one, log("http://h/1")).unwrap();
        fs::write(&two, log("http://h/2")).unwrap();
        merge_logs(&[one.clone(), two], &one).unwrap();
        let summary = log_summary(&one).unwrap();
        let pages: Vec<&str> = summary.runs.iter().map(|it| it.page.as_str()).collect();
        assert_eq!(pages, ["http://h/1", "http://h/2"]);
        assert!(summary.complete);
    }

    #[test]
    fn what_cannot_be_merged_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let in_folder = |name: &str| folder.path().join(name);
        fs::write(in_folder("one.qplog"), log("http://h/1")).unwrap();
        fs::write(in_folder("page.html"), "<p>").unwrap();
        let out = in_folder("out.qplog");
        for other in ["page.html", "nowhere.qplog"] {
            let files = [in_folder("one.qplog"), in_folder(other)];
            let refused = merge_logs(&files, &out).unwrap_err().to_string();
            assert!(refused.contains(other), "{refused}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
