//! A browser for each worker of the test runner, which its tests use one after the other.
//!
//! Starting a browser costs a test more than its question. So the first test of a worker starts a [keeper], a program
//! that starts the browser, and the worker's later tests, each a process of its own, find its address in a file. Each
//! opens browser contexts of its own, which end with its connection.
//!
//! Invariants:
//! - No process stays. The keeper ends its browser when no test has used it for [`keeper::IDLE`], and the browser's
//!   watchdog ends it if the keeper is killed.
//! - A browser that ended or does not answer is not used: the next test says on standard error why it ended, and starts
//!   another.
//! - While a test starts or a keeper ends, the other one waits: a test never uses a browser that is about to end.

pub mod keeper;
mod worker_slot;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use cdp_driver::error::BrowserError;
use cdp_driver::native::{Browser, LaunchOptions, Purpose};
use parking_lot::Mutex;

use worker_slot::WorkerSlot;

/// Why there is no shared browser.
#[derive(Debug, thiserror::Error)]
pub enum SharedBrowserError {
    /// The keeper's program is not beside the test.
    #[error(
        "{0} is not there; build it with `cargo build -p test-support`, or run `cargo xtask test`"
    )]
    NoKeeper(PathBuf),
    /// A file of its place cannot be read, written or locked.
    #[error("the shared browser's files: {0}")]
    Files(#[from] std::io::Error),
    /// The keeper gave no address.
    #[error("the shared browser does not start: {0}")]
    NotStarted(String),
}

/// How long a browser that is asked whether it lives may take, on a busy machine.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);

/// How it ended, if its keeper does not say.
const NO_ANSWER: &str = "it does not answer";

/// What this process uses: as long as one of these locks is held, the browser stays.
static USED: LazyLock<Mutex<HashMap<Purpose, File>>> = LazyLock::new(Mutex::default);

/// A connection to this worker's browser for `purpose`; where none can be shared, a browser of its own, and standard
/// error says why.
///
/// # Errors
/// If that does not start either.
pub async fn browser(purpose: Purpose) -> Result<Browser, BrowserError> {
    match address(purpose) {
        Some(address) => Browser::connect(&address).await,
        None => Browser::launch(LaunchOptions::of(purpose)).await,
    }
}

/// The address of this worker's browser for `purpose`, `http://127.0.0.1:PORT`, as `--connect` takes it. It runs until
/// this process ends, and starts now if there is none. None: it cannot be shared, standard error says why. Blocks.
#[must_use]
pub fn address(purpose: Purpose) -> Option<String> {
    let found = find_or_start(purpose);
    if let Err(error) = &found {
        eprintln!("this test has a browser of its own: {error}");
    }
    found.ok()
}

fn find_or_start(purpose: Purpose) -> Result<String, SharedBrowserError> {
    let mut used = USED.lock();
    let place = WorkerSlot::of_this_worker(purpose)?;
    let _arriving = place.arriving()?;
    if let Entry::Vacant(vacant) = used.entry(purpose) {
        vacant.insert(place.in_use()?);
    }
    let earlier = place.address();
    if let Some(address) = &earlier
        && is_alive(address)
    {
        return Ok(address.clone());
    }
    let how = place.take_ended();
    if earlier.is_some() || how.is_some() {
        let how = how.unwrap_or_else(|| NO_ANSWER.to_owned());
        eprintln!("the {} has ended, a new one starts: {how}", place.name());
    }
    start(&place)
}

/// Why the browser of this worker is not there any more; none: it is.
#[must_use]
pub fn ended(purpose: Purpose) -> Option<String> {
    let place = WorkerSlot::of_this_worker(purpose).ok()?;
    match place.address() {
        Some(address) if is_alive(&address) => None,
        _ => {
            let how = place.ended().unwrap_or_else(|| NO_ANSWER.to_owned());
            Some(format!("the {} has ended: {how}", place.name()))
        }
    }
}

/// Starts a keeper and waits for the address that it prints.
fn start(place: &WorkerSlot) -> Result<String, SharedBrowserError> {
    let program = keeper::program()?;
    let mut keeper = Command::new(&program)
        .args(place.arguments())
        // It outlives this process, and what ends this one's group leaves it alone.
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut line = String::new();
    if let Some(output) = keeper.stdout.take() {
        BufReader::new(output).read_line(&mut line)?;
    }
    match line.trim().strip_prefix("http://") {
        Some(_) => Ok(line.trim().to_owned()),
        None => {
            let _ = keeper.wait();
            let how = place.take_ended().unwrap_or(line);
            Err(SharedBrowserError::NotStarted(how))
        }
    }
}

/// Whether a browser answers at this address.
fn is_alive(address: &str) -> bool {
    let answers = || -> std::io::Result<bool> {
        let authority = address.trim_start_matches("http://");
        let to: SocketAddr = authority.parse().map_err(std::io::Error::other)?;
        let mut stream = TcpStream::connect_timeout(&to, ANSWERS_WITHIN)?;
        stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
        write!(
            stream,
            "GET /json/version HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n"
        )?;
        let mut head = [0; 12];
        stream.read_exact(&mut head)?;
        Ok(head == *b"HTTP/1.1 200")
    };
    answers().unwrap_or(false)
}
