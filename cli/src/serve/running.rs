//! Finds the back end that uses a folder, or starts one that goes on when whoever wanted it is gone.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use querypoint::session::messages::SECRET_PREFIX;

use super::PATH;
use app::failure::{BackEndError, Failure};
use app::private;
use app::sessions::store::{StoreError, make_folder, running};

/// A back end that nobody sees ends when no panel was there for so many minutes.
const IDLE_MINUTES: &str = "30";

/// How often one is started that ends at once: another may have been quicker, and be found the next time.
const TRIES: usize = 3;

/// Of its log, as much is told.
const LAST_WORDS: usize = 2000;

/// Where a back end is, and what it lets in who knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    /// `ws://127.0.0.1:PORT/panel`
    pub(crate) url: String,
    /// In hexadecimal.
    pub(crate) secret: String,
}

/// The back end that uses the folder `state`; if there is none, one is started.
///
/// # Errors
/// If it cannot be started, or ends at once.
pub(crate) fn find_or_start(state: &Path) -> Result<Running, Failure> {
    make_folder(state)?;
    let mut said = String::new();
    for _ in 0..TRIES {
        if let Some((port, secret)) = running(state) {
            let url = format!("ws://127.0.0.1:{port}{PATH}");
            return Ok(Running { url, secret });
        }
        match start(state)? {
            Ok(running) => return Ok(running),
            Err(words) => said = words,
        }
    }
    Err(BackEndError::Ended { said }.into())
}

/// Starts one, and waits until it listens; its last words, if it ended instead.
fn start(state: &Path) -> Result<Result<Running, String>, Failure> {
    let log = state.join("log");
    let unusable = |source| StoreError::Unusable {
        path: log.clone(),
        source,
    };
    let errors = private::create_file(&log).map_err(unusable)?;
    let program = std::env::current_exe().map_err(BackEndError::NotStarted)?;
    let mut child = Command::new(program)
        .arg("serve")
        .args(["--idle-limit", IDLE_MINUTES])
        .arg("--state")
        .arg(state)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        // What ends us, such as the browser, does not end it.
        .process_group(0)
        .spawn()
        .map_err(BackEndError::NotStarted)?;
    let out = child.stdout.take().map(BufReader::new);
    let mut lines = out
        .into_iter()
        .flat_map(BufRead::lines)
        .map_while(Result::ok);
    let url = lines.next();
    let secret = lines.next();
    let secret = secret
        .as_deref()
        .and_then(|it| it.strip_prefix(SECRET_PREFIX));
    match (url, secret) {
        (Some(url), Some(secret)) => Ok(Ok(Running {
            url,
            secret: secret.to_owned(),
        })),
        _ => {
            let _ = child.wait();
            let said = fs::read_to_string(&log).unwrap_or_default();
            let from = said
                .char_indices()
                .rev()
                .nth(LAST_WORDS)
                .map_or(0, |(at, _)| at);
            Ok(Err(said[from..].trim_end().to_owned()))
        }
    }
}
