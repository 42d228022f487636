//! The browser's process and its folder: started together, gone together.
//!
//! Invariant: whatever ends us – a return, a panic, a signal, `SIGKILL` – neither a process of the browser nor its
//! folder stays. A watchdog, a shell of a few lines, does all the cleaning: it blocks on a pipe whose other end only we
//! hold, so it wakes when we let go of it or when the kernel closes it because we are dead. Then it kills the browser's
//! process group (zygotes, renderers and helpers are all in it) and removes the folder. It is started *before* the
//! browser, has a process group of its own, so that Ctrl-C in a terminal reaches neither of the two, and ignores the
//! signals of a closing terminal.

use parking_lot::Mutex;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::watch;

use crate::error::BrowserError;
use crate::protocol::ProtocolError;

/// `$1` is the folder; the first line of the input is the process group. A browser whose group we did not live to write
/// down is found by its command line. A killed process lives on for a moment, so it waits until none is left (one that
/// is dead but not yet collected by its parent has no command line), and tries the removal again.
const WATCHDOG: &str = r#"
trap '' HUP INT TERM QUIT PIPE
group=
read -r group
while read -r _; do :; done
if [ -n "$group" ]; then
  kill -s KILL -- "-$group" 2>/dev/null
else
  for file in $(grep -lsF -- "--user-data-dir=$1/" /proc/[0-9]*/cmdline); do
    pid=${file#/proc/}; kill -s KILL "${pid%/cmdline}" 2>/dev/null
  done
fi
tries=0
while grep -qsF -- "--user-data-dir=$1/" /proc/[0-9]*/cmdline && [ "$tries" -lt 200 ]; do
  sleep 0.01
  tries=$((tries + 1))
done
tries=0
while [ -e "$1" ] && [ "$tries" -lt 200 ]; do
  rm -rf -- "$1" 2>/dev/null
  [ -e "$1" ] && sleep 0.02
  tries=$((tries + 1))
done
exit 0
"#;

/// How many bytes of the browser's last words are kept.
const STDERR_TAIL_BYTES: usize = 4096;

/// The last lines a browser printed.
#[derive(Debug, Clone, Default)]
pub(crate) struct StderrTail(Arc<Mutex<String>>);

impl StderrTail {
    fn push(&self, line: &str) {
        // Complaints about services that a container does not have explain nothing.
        if line.trim().is_empty()
            || line.contains("dbus/")
            || line.contains("DevTools listening on")
        {
            return;
        }
        let mut tail = self.0.lock();
        tail.push_str(line);
        tail.push('\n');
        if tail.len() > STDERR_TAIL_BYTES {
            let mut cut = tail.len() - STDERR_TAIL_BYTES;
            while !tail.is_char_boundary(cut) {
                cut += 1;
            }
            tail.drain(..cut);
        }
    }

    pub(crate) fn text(&self) -> String {
        self.0.lock().clone()
    }
}

/// Tells when the browser has exited.
#[derive(Debug, Clone)]
pub(crate) struct ExitWatch {
    status: watch::Receiver<Option<String>>,
    stderr: StderrTail,
}

impl ExitWatch {
    /// Ready when the browser has exited, with the error that says so.
    pub(crate) async fn exited(&mut self) -> ProtocolError {
        let status = match self.status.wait_for(Option::is_some).await {
            Ok(status) => status.clone().unwrap_or_default(),
            Err(_) => "its exit status was not collected".to_owned(),
        };
        // The reader of its last words may be a moment behind.
        tokio::time::sleep(Duration::from_millis(20)).await;
        ProtocolError::BrowserExited {
            status,
            stderr_tail: self.stderr.text(),
        }
    }
}

/// A running browser of ours. Dropping it kills every process of it and removes its folder, and returns when that is
/// done.
#[derive(Debug)]
pub(crate) struct BrowserProcess {
    watchdog: Option<(Child, ChildStdin)>,
    folder: PathBuf,
    pid: u32,
    exit: ExitWatch,
}

impl BrowserProcess {
    /// Starts `executable`; answers with the process and the DevTools address that it printed.
    pub(crate) async fn start(
        executable: &Path,
        flags: &[String],
        limit: Duration,
    ) -> Result<(Self, String), BrowserError> {
        let not_started = |why: String| BrowserError::NotStarted {
            executable: executable.display().to_string(),
            why,
        };
        let folder = tempfile::Builder::new()
            .prefix("querypoint-")
            .tempdir()
            .map_err(|error| not_started(format!("no folder for its profile: {error}")))?;
        let profile = folder.path().join("profile");
        let scratch = folder.path().join("tmp");
        for path in [&profile, &scratch] {
            std::fs::create_dir(path)
                .map_err(|error| not_started(format!("no folder for its profile: {error}")))?;
        }
        let (watchdog, mut pipe) = start_watchdog(folder.path())
            .map_err(|error| not_started(format!("no watchdog: sh: {error}")))?;
        // From here on the folder is the watchdog's to remove.
        let folder = folder.keep();

        let mut command = Command::new(executable);
        command
            .args(flags)
            .arg(format!("--user-data-dir={}", profile.display()))
            // Its socket for a second start would stay in the common folder for temporary files.
            .env("TMPDIR", &scratch)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0);
        let spawned = tokio::process::Command::from(command).spawn();
        let (exit_sender, exit_receiver) = watch::channel(None);
        let stderr = StderrTail::default();
        let exit = ExitWatch {
            status: exit_receiver,
            stderr: stderr.clone(),
        };
        let mut process = Self {
            watchdog: None,
            folder,
            pid: 0,
            exit,
        };
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => {
                process.watchdog = Some((watchdog, pipe));
                return Err(not_started(error.to_string()));
            }
        };
        process.pid = child.id().unwrap_or_default();
        let noted = writeln!(pipe, "{}", process.pid).and_then(|()| pipe.flush());
        process.watchdog = Some((watchdog, pipe));
        let output = child.stderr.take();
        tokio::spawn(async move {
            let status = match child.wait().await {
                Ok(status) => describe(status),
                Err(error) => format!("its exit status could not be read: {error}"),
            };
            let _ = exit_sender.send(Some(status));
        });
        noted.map_err(|error| not_started(format!("its watchdog has died: {error}")))?;
        let Some(output) = output else {
            return Err(not_started("its output cannot be read".to_owned()));
        };

        let (address_sender, address) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            let mut address_sender = Some(address_sender);
            let mut lines = BufReader::new(output).split(b'\n');
            while let Ok(Some(line)) = lines.next_segment().await {
                let line = String::from_utf8_lossy(&line);
                if let Some(found) = line.trim().strip_prefix("DevTools listening on ")
                    && let Some(sender) = address_sender.take()
                {
                    let _ = sender.send(found.to_owned());
                }
                stderr.push(&line);
            }
        });
        let mut exit = process.exit.clone();
        tokio::select! {
            Ok(address) = address => Ok((process, address)),
            error = exit.exited() => Err(not_started(error.to_string())),
            () = tokio::time::sleep(limit) => Err(not_started(format!(
                "it printed no DevTools address within {} ms; its last words:\n{}",
                limit.as_millis(),
                process.exit.stderr.text(),
            ))),
        }
    }

    pub(crate) fn exit_watch(&self) -> ExitWatch {
        self.exit.clone()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// The process group, as the watchdog reads it; empty: none was started.
    fn group(&self) -> String {
        match self.pid {
            0 => String::new(),
            pid => pid.to_string(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Starts a watchdog of the browser in this folder, which does its work when the pipe is closed.
fn start_watchdog(folder: &Path) -> io::Result<(Child, ChildStdin)> {
    let mut watchdog = Command::new("sh")
        .arg("-c")
        .arg(WATCHDOG)
        .arg("querypoint-watchdog")
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    match watchdog.stdin.take() {
        Some(pipe) => Ok((watchdog, pipe)),
        None => Err(io::Error::other("no pipe to it")),
    }
}

impl Drop for BrowserProcess {
    fn drop(&mut self) {
        let Some((mut watchdog, pipe)) = self.watchdog.take() else {
            return;
        };
        drop(pipe);
        let ended = watchdog.wait().and_then(|status| match status.success() {
            true => Ok(()),
            // It was killed itself, so another does its work.
            false => {
                let (mut watchdog, mut pipe) = start_watchdog(&self.folder)?;
                writeln!(pipe, "{}", self.group())?;
                drop(pipe);
                watchdog.wait().map(drop)
            }
        });
        if let Err(error) = ended {
            tracing::warn!(%error, folder = %self.folder.display(), "the browser's watchdog was not waited for");
        }
        if self.folder.exists() {
            // The watchdog itself was killed, or something else holds the folder.
            if let Err(error) = std::fs::remove_dir_all(&self.folder) {
                tracing::warn!(%error, folder = %self.folder.display(), "the browser's folder could not be removed");
            }
        }
    }
}

fn describe(status: ExitStatus) -> String {
    status.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_bounded_and_without_chatter() {
        let tail = StderrTail::default();
        tail.push("[1:2:ERROR:dbus/bus.cc:405] Failed to connect to the bus");
        tail.push("");
        assert_eq!(tail.text(), "");
        for number in 0..2000 {
            tail.push(&format!("line {number} é"));
        }
        assert!(tail.text().len() <= STDERR_TAIL_BYTES);
        assert!(tail.text().ends_with("line 1999 é\n"));
    }

    fn script(folder: &Path, body: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("browser");
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[tokio::test]
    async fn a_browser_that_exits_at_once_is_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = script(folder.path(), "echo 'no display' >&2; exit 7");
        let error = BrowserProcess::start(&path, &[], Duration::from_secs(20))
            .await
            .unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("exit status: 7") && text.contains("no display"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn a_browser_that_says_nothing_is_given_up_and_killed() {
        let folder = tempfile::tempdir().unwrap();
        let path = script(folder.path(), "echo starting >&2; exec sleep 600");
        let error = BrowserProcess::start(&path, &[], Duration::from_millis(300))
            .await
            .unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("within 300 ms") && text.contains("starting"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn the_whole_group_dies_and_the_folder_goes() {
        all_is_gone_after(drop).await;
    }

    #[tokio::test]
    async fn so_they_do_if_the_watchdog_was_killed() {
        all_is_gone_after(|mut process| {
            let (watchdog, _) = process.watchdog.as_mut().unwrap();
            watchdog.kill().unwrap();
            drop(process);
        })
        .await;
    }

    async fn all_is_gone_after(end: impl FnOnce(BrowserProcess)) {
        let folder = tempfile::tempdir().unwrap();
        let path = script(
            folder.path(),
            "echo 'DevTools listening on ws://127.0.0.1:1/x' >&2; sleep 600 & echo $! > \"$TMPDIR/../pid\"; \
             cp \"$TMPDIR/../pid\" \"${0%/*}/pid\"; wait",
        );
        let (process, address) = BrowserProcess::start(&path, &[], Duration::from_secs(20))
            .await
            .unwrap();
        assert_eq!(address, "ws://127.0.0.1:1/x");
        let pid_file = folder.path().join("pid");
        let pid = loop {
            match std::fs::read_to_string(&pid_file) {
                Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
                _ => tokio::task::yield_now().await,
            }
        };
        let home = process.folder().to_owned();
        end(process);
        assert!(!home.exists());
        // A dead process that nobody has collected has an empty command line; one that is dying still has it.
        let line = || std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while !line().is_empty() {
            assert!(std::time::Instant::now() < deadline, "{pid} lives");
            tokio::task::yield_now().await;
        }
    }
}
