//! The keeper: the program that starts a shared browser, and ends it when no test uses it.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, LaunchOptions, interrupted};
use serde_json::json;

use super::SharedBrowserError;
use super::worker_slot::WorkerSlot;

/// A browser that no process has used for so long ends.
pub const IDLE: Duration = Duration::from_secs(15);

/// How often the keeper looks whether its browser lives and is used.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// A browser that has not answered for so long is of no use.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);

/// The name of the program.
const PROGRAM: &str = "keep-test-browser";

/// The program as it was built beside the running test.
///
/// # Errors
/// [`SharedBrowserError::NoKeeper`].
pub(super) fn program() -> Result<PathBuf, SharedBrowserError> {
    let test = std::env::current_exe()?;
    // target/debug/deps/test-0123 → target/debug/keep-test-browser
    let folder = test.parent().and_then(|folder| folder.parent());
    let program = folder
        .map(|folder| folder.join(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX)))
        .unwrap_or_default();
    match program.is_file() {
        true => Ok(program),
        false => Err(SharedBrowserError::NoKeeper(program)),
    }
}

/// What the program does: `arguments` are the folder of the shared browsers' files, the worker and the purpose. Prints
/// the browser's address when it runs, and nothing else.
pub async fn main(arguments: &[String]) -> ExitCode {
    let place = match WorkerSlot::from_arguments(arguments) {
        Some(Ok(place)) => place,
        Some(Err(error)) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
        None => {
            eprintln!("usage: {PROGRAM} FOLDER WORKER pages|everything");
            return ExitCode::from(2);
        }
    };
    match keep(&place).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(how) => {
            let _ = place.set_ended(&how);
            ExitCode::FAILURE
        }
    }
}

/// Starts the browser of this place, and ends it when it was unused for [`IDLE`], or another one has its place.
///
/// # Errors
/// How it ended, if nobody wanted it to.
async fn keep(place: &WorkerSlot) -> Result<(), String> {
    let launched = Browser::launch(LaunchOptions::of(place.purpose())).await;
    let browser = launched.map_err(|error| error.to_string())?;
    let address = format!("http://{}", browser.authority());
    place
        .set_address(&address)
        .map_err(|error| error.to_string())?;
    let mut out = std::io::stdout();
    // A test that has ended meanwhile does not read it; the next one finds the file.
    let _ = writeln!(out, "{address}").and_then(|()| out.flush());
    let watched = tokio::select! {
        watched = watch(place, &browser, &address) => watched,
        () = interrupted() => {
            place.remove_address();
            Ok(())
        }
    };
    browser.close().await;
    watched
}

/// Waits until the browser is to end, or has.
async fn watch(place: &WorkerSlot, browser: &Browser, address: &str) -> Result<(), String> {
    let protocol = browser.protocol();
    let mut used = Instant::now();
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        looks.tick().await;
        let asked = protocol.send(None, "Browser.getVersion", json!({}));
        match tokio::time::timeout(ANSWERS_WITHIN, asked).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err(format!("no answer within {} s", ANSWERS_WITHIN.as_secs())),
        }
        if place.address().as_deref() != Some(address) {
            return Ok(());
        }
        if !matches!(place.is_unused(), Ok(true)) {
            used = Instant::now();
        }
        // Who arrives now waits, and then finds no address.
        if used.elapsed() >= IDLE
            && let Ok(Some(_ending)) = place.try_arriving()
            && matches!(place.is_unused(), Ok(true))
        {
            place.remove_address();
            return Ok(());
        }
    }
}
